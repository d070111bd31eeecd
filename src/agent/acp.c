/*
 * The driver of agents that speak ACP: its life, and what kseek asks of it.
 * What the agent says is in acp_in.c, how a session is opened in acp_open.c.
 *
 * One prompt is in flight. "Prompt not answered" and "a turn runs" are two
 * states: an agent that takes words during a turn may run one that no prompt
 * belongs to.
 */
#include "agent/acp_impl.h"

#include <stdarg.h>

#include "base/clock.h"
#include "base/mem.h"

#define START_MS 60000
#define CANCEL_MS 30000
#define CANCEL_AGAIN_US 2000000

/* ---- sending ---- */

void ks_acp_send(struct ks_acp *a, struct ks_buf *line)
{
	struct ks_err err = KS_ERR_INIT;

	if (ks_program_send(a->program, ks_buf_str(line), &err) == KS_ELIMIT) {
		ks_program_end(a->program, false);
	}
	ks_buf_fini(line);
}

void ks_acp_request_send(struct ks_acp *a, enum ks_acp_what what, const char *method,
	struct ks_str params)
{
	struct ks_buf line = {0};

	ks_grow(&a->pending, &a->cap_pending, a->n_pending + 1, sizeof(*a->pending));
	a->pending[a->n_pending++] = (struct ks_acp_pending){a->next, what};
	ks_rpc_request(&line, a->next++, method, params);
	ks_acp_send(a, &line);
}

/* ---- modes ---- */

static void modes_free(struct ks_acp *a)
{
	ks_words_free(a->modes);
	free(a->mode_option);
	a->modes = NULL;
	a->mode_option = NULL;
}

void ks_acp_take_modes(struct ks_acp *a, const struct ks_acp_modes *modes)
{
	struct ks_acp_mode_walk walk = ks_acp_mode_walk(modes);
	const struct ks_json *mode = NULL;
	size_t count = 0, cap = 0;
	struct ks_report r;

	modes_free(a);
	do {
		mode = ks_acp_mode_next(&walk);
		ks_grow(&a->modes, &cap, count + 1, sizeof(*a->modes));
		a->modes[count++] = mode != NULL ? ks_strdup(ks_acp_mode_id(modes, mode)) : NULL;
	} while (mode != NULL);
	a->mode_option = ks_strdup(modes->option);
	free(a->mode);
	a->mode = ks_strdup(modes->current);
	ks_report_begin(&r);
	ks_acp_modes_write(&r.w, modes);
	if (a->phase == KS_ACP_READY) {
		ks_report_send(&r, &a->agent, KS_EV_AGENT_MODE, KS_BY_AGENT);
		return;
	}
	ks_buf_fini(&a->modes_told);
	a->modes_told = r.fields;
}

void ks_acp_take_mode(struct ks_acp *a, const char *mode)
{
	struct ks_report r;

	if (mode == NULL || mode[0] == '\0' || (a->mode != NULL && strcmp(a->mode, mode) == 0)) {
		return;
	}
	free(a->mode);
	a->mode = ks_strdup(mode);
	ks_report_begin(&r);
	ks_jw_str(&r.w, "mode", mode);
	if (a->phase == KS_ACP_READY) {
		ks_report_send(&r, &a->agent, KS_EV_AGENT_MODE, KS_BY_AGENT);
		return;
	}
	/* The list stays as it was told; only what is current is another. */
	if (a->modes_told.len > 0) {
		struct ks_str told = ks_buf_str(&a->modes_told);
		ptrdiff_t list = ks_str_find(told, KS_STR(",\"modes\":"));

		if (list >= 0) {
			ks_buf_add(&r.fields, told.ptr + list, told.len - (size_t)list);
		}
	}
	ks_buf_fini(&a->modes_told);
	a->modes_told = r.fields;
}

/* ---- its end ---- */

void ks_acp_fail(struct ks_acp *a, const char *fmt, ...)
{
	va_list ap;

	if (a->reason.len == 0) {
		va_start(ap, fmt);
		ks_buf_addv(&a->reason, fmt, ap);
		va_end(ap);
	}
	a->phase = KS_ACP_LEAVING;
	ks_program_end(a->program, false);
}

static void patience_over(void *ctx)
{
	struct ks_acp *a = ctx;

	if (a->phase == KS_ACP_STARTING) {
		ks_acp_fail(a,
			"the agent did not answer within %d s of its start; start it by itself "
			"to see what it waits for", START_MS / 1000);
	} else if (a->talk.in_turn && a->talk.cancelling) {
		ks_talk_notice(&a->talk, "warn",
			"the agent has not stopped for %d s; interrupt it again "
			"to end it (start it again afterwards: its session is taken up)",
			CANCEL_MS / 1000);
	}
}

static void exited(void *ctx, const struct ks_child_exit *how)
{
	struct ks_acp *a = ctx;
	struct ks_sink sink = a->agent.sink;
	struct ks_buf tail = {0};

	a->phase = KS_ACP_LEAVING;
	ks_talk_gone(&a->talk, "the agent's program ended during the turn");
	ks_buf_addstr(&tail, ks_buf_str(&a->reason));
	if (tail.len > 0) {
		ks_buf_addc(&tail, '\n');
	}
	ks_program_tail(a->program, &tail);
	ks_report_exited(&a->agent, how->signal != 0 ? 128 + how->signal
		: a->reason.len > 0 && how->status == 0 ? 1 : how->status, how->signal,
		ks_buf_str(&tail));
	ks_buf_fini(&tail);
	sink.gone(sink.ctx);
}

static void lost(void *ctx, size_t bytes)
{
	struct ks_acp *a = ctx;

	ks_talk_notice(&a->talk, "warn", "a line of %zu MB from the agent was too long and is lost",
		bytes / (1024 * 1024));
}

static void acp_free(struct ks_agent *agent)
{
	struct ks_acp *a = (struct ks_acp *)agent;

	ks_loop_undefer(a->agent.loop, a);
	ks_timer_free(a->patience);
	ks_program_free(a->program);
	ks_talk_fini(&a->talk);
	ks_launch_fini(&a->launch);
	modes_free(a);
	free(a->pending);
	free(a->folder);
	free(a->wanted);
	free(a->info);
	free(a->version);
	free(a->session);
	free(a->mode);
	free(a->mode_wanted);
	ks_buf_fini(&a->modes_told);
	ks_buf_fini(&a->trouble);
	ks_buf_fini(&a->reason);
	free(a);
}

/* ---- the driver ---- */

static int acp_start(struct ks_agent **out, const struct ks_agent_setup *setup,
	const struct ks_sink *sink, struct ks_err *err)
{
	struct ks_acp *a = ks_zalloc(1, sizeof(*a));
	const struct ks_program_ops ops = {ks_acp_line, lost, exited, a};
	struct ks_buf params = {0};
	int rc;

	a->agent = (struct ks_agent){&ks_driver_acp, setup->loop, *sink};
	ks_talk_init(&a->talk, &a->agent, setup);
	a->folder = ks_strdup(setup->folder);
	a->wanted = setup->session != NULL && setup->session[0] != '\0'
		? ks_strdup(setup->session) : NULL;
	a->forms = setup->forms;
	a->info = ks_strdup("");
	a->version = ks_strdup("");
	a->patience = ks_timer_new(setup->loop, patience_over, a);
	rc = ks_launch_init(&a->launch, setup, "acp", NULL, err);
	if (rc == 0) {
		rc = ks_program_start(&a->program, setup, (const char *const *)a->launch.argv,
			ks_env_list(a->launch.env), &ops, err);
	}
	if (rc < 0) {
		acp_free(&a->agent);
		return rc;
	}
	ks_timer_arm(a->patience, START_MS);
	ks_acp_initialize(&params, a->forms);
	ks_acp_request_send(a, KS_ACP_INIT, "initialize", ks_buf_str(&params));
	ks_buf_fini(&params);
	*out = &a->agent;
	return 0;
}

static int acp_prompt(struct ks_agent *agent, const struct ks_prompt *prompt, struct ks_err *err)
{
	struct ks_acp *a = (struct ks_acp *)agent;
	struct ks_buf params = {0};

	if (a->phase == KS_ACP_LEAVING || ks_program_ending(a->program)) {
		return ks_err_set(err, KS_ENOTFOUND, "the agent is ending");
	}
	if (a->phase == KS_ACP_STARTING || a->talk.in_turn || a->asked) {
		return ks_err_set(err, KS_EBUSY, "a turn runs");
	}
	ks_talk_begin(&a->talk, prompt->id);
	ks_buf_clear(&a->trouble);
	a->asked = true;
	a->by_status = a->rejected = false;
	ks_acp_prompt(&params, a->session, prompt->text);
	ks_acp_request_send(a, KS_ACP_PROMPT, "session/prompt", ks_buf_str(&params));
	ks_buf_fini(&params);
	return 0;
}

static int acp_steer(struct ks_agent *agent, const struct ks_prompt *prompt, struct ks_err *err)
{
	struct ks_acp *a = (struct ks_acp *)agent;
	struct ks_buf params = {0};

	if (!a->steers) {
		return ks_err_set(err, KS_EUNSUPPORTED, "this agent takes no words during a turn");
	}
	if (!a->talk.in_turn || a->talk.cancelling) {
		return ks_err_set(err, KS_ENOTFOUND, "no turn runs");
	}
	a->steered = prompt->id;
	ks_acp_prompt(&params, a->session, prompt->text);
	ks_acp_request_send(a, KS_ACP_STEER, "_session/steering", ks_buf_str(&params));
	ks_buf_fini(&params);
	return 0;
}

/* Nothing stays open on the wire of a turn that is cancelled. */
static void void_asks(struct ks_acp *a)
{
	for (size_t i = 0; i < a->talk.n_asks; i++) {
		struct ks_ask *ask = &a->talk.asks[i];
		struct ks_buf result = {0}, line = {0};

		if (ask->why != NULL) {
			continue;
		}
		if (ask->form) {
			ks_acp_elicited(&result, "cancel", (struct ks_str){0});
		} else {
			ks_acp_permit(&result, NULL);
		}
		ks_rpc_result(&line, ks_str_of(ask->wire), ks_buf_str(&result));
		ks_acp_send(a, &line);
		ks_buf_fini(&result);
		ks_talk_void(&a->talk, ask, "cancelled");
	}
}

static void send_cancel(struct ks_acp *a)
{
	struct ks_buf params = {0}, line = {0};

	a->talk.cancelling = true;
	a->cancel_t0 = ks_clock_mono_us();
	ks_acp_cancel(&params, a->session);
	ks_rpc_notify(&line, "session/cancel", ks_buf_str(&params));
	ks_buf_fini(&params);
	ks_acp_send(a, &line);
	void_asks(a);
}

static void acp_cancel(struct ks_agent *agent)
{
	struct ks_acp *a = (struct ks_acp *)agent;

	if (!a->talk.in_turn || a->phase != KS_ACP_READY) {
		return;
	}
	if (!a->talk.cancelling) {
		send_cancel(a);
		ks_timer_arm(a->patience, CANCEL_MS);
	} else if (ks_clock_mono_us() - a->cancel_t0 > CANCEL_AGAIN_US) {
		ks_program_end(a->program, false);
	}
}

static void acp_stop(struct ks_agent *agent)
{
	struct ks_acp *a = (struct ks_acp *)agent;

	if (a->talk.in_turn && !a->talk.cancelling && a->session != NULL) {
		send_cancel(a);
	}
	ks_program_end(a->program, a->talk.in_turn);
}

static bool acp_owns(const struct ks_agent *agent, pid_t pid)
{
	const struct ks_acp *a = (const struct ks_acp *)agent;

	return ks_program_owns(a->program, pid);
}

static int permit(struct ks_acp *a, struct ks_ask *ask, const struct ks_answer *answer,
	struct ks_err *err)
{
	bool cancelled = answer->option == NULL && answer->kind == NULL;
	const struct ks_json *options = ks_json_get(ask->doc, "options");
	const char *option = ks_acp_option(options, answer->option, answer->kind);
	struct ks_buf result = {0}, line = {0};

	/* Without a way to say no, a no is a cancel. */
	if (!cancelled && option == NULL &&
		(answer->option != NULL || strncmp(answer->kind, "reject", 6) != 0)) {
		return ks_err_set(err, KS_EINVAL, "the agent offers no \"%.60s\"",
			answer->option != NULL ? answer->option : answer->kind);
	}
	a->rejected = a->rejected || !ks_acp_allows(options, option);
	ks_acp_permit(&result, option);
	ks_rpc_result(&line, ks_str_of(ask->wire), ks_buf_str(&result));
	ks_buf_fini(&result);
	ks_acp_send(a, &line);
	ks_talk_answered(&a->talk, ask);
	return 0;
}

static int acp_answer(struct ks_agent *agent, const struct ks_answer *answer, struct ks_err *err)
{
	struct ks_acp *a = (struct ks_acp *)agent;
	struct ks_ask *ask = ks_talk_ask(&a->talk, answer->ask);
	struct ks_buf result = {0}, line = {0};

	if (ask == NULL) {
		return ks_err_set(err, KS_ENOTFOUND, "the agent's question is not open any more");
	}
	if (!ask->form) {
		return permit(a, ask, answer, err);
	}
	ks_acp_elicited(&result, answer->values.len > 0 ? "accept" : "decline", answer->values);
	ks_rpc_result(&line, ks_str_of(ask->wire), ks_buf_str(&result));
	ks_buf_fini(&result);
	ks_acp_send(a, &line);
	ks_talk_answered(&a->talk, ask);
	return 0;
}

static int mode_may(const struct ks_acp *a, const char *mode, struct ks_err *err)
{
	struct ks_buf list = {0};
	bool known = false;
	int rc = 0;

	for (char **at = a->modes; at != NULL && *at != NULL; at++) {
		known = known || strcmp(*at, mode) == 0;
		ks_buf_addf(&list, "%s%.40s", list.len > 0 ? ", " : "", *at);
	}
	if (!known) {
		rc = ks_err_set(err, KS_EINVAL, "\"%.40s\" is none of the agent's modes (%.300s)",
			mode, list.len > 0 ? list.ptr : "it has none");
	} else if (a->phase != KS_ACP_READY || a->mode_wanted != NULL) {
		rc = ks_err_set(err, KS_EBUSY, "the agent has not answered yet for another mode");
	}
	ks_buf_fini(&list);
	return rc;
}

void ks_acp_mode_send(struct ks_acp *a, const char *mode)
{
	struct ks_buf params = {0};

	a->mode_wanted = ks_strdup(mode);
	ks_acp_set_mode(&params, a->session, a->mode_option, mode);
	ks_acp_request_send(a, KS_ACP_SET_MODE,
		a->mode_option != NULL ? "session/set_config_option" : "session/set_mode",
		ks_buf_str(&params));
	ks_buf_fini(&params);
}

static int acp_set_mode(struct ks_agent *agent, const char *mode, struct ks_err *err)
{
	struct ks_acp *a = (struct ks_acp *)agent;
	int rc = mode_may(a, mode, err);

	if (rc == 0) {
		ks_acp_mode_send(a, mode);
	}
	return rc;
}

static int acp_check(const char *argument, char **out_label, struct ks_err *err)
{
	char **words = NULL;
	int rc;

	if (argument == NULL || argument[0] == '\0') {
		return ks_err_set(err, KS_EINVAL, "the agent \"acp\" needs a name or a command: "
			"acp:opencode, acp:'PROGRAM ARGS'");
	}
	rc = ks_words(&words, argument, err);
	if (rc == 0 && out_label != NULL) {
		*out_label = ks_strdup(argument);
	}
	ks_words_free(words);
	return rc;
}

const struct ks_driver ks_driver_acp = {
	.name = "acp", .start = acp_start, .prompt = acp_prompt, .cancel = acp_cancel,
	.stop = acp_stop, .owns = acp_owns, .free = acp_free, .check = acp_check,
	.answer = acp_answer, .set_mode = acp_set_mode, .steer = acp_steer,
};
