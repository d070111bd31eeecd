/*
 * Effects: the only place where a decision touches the world. Each reports
 * what came of it as a command of its own.
 */
#include <inttypes.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "core/layer.h"
#include "engine/internal.h"

static void sink_observed(void *ctx, enum ks_ev kind, enum ks_by by, struct ks_str fields)
{
	struct ks_engine *e = ctx;

	if (kind == KS_EV_TURN_ENDED) {
		ks_shim_turn_over(e->shim);
	}
	ks_engine_observe(e, kind, by, fields);
}

static void sink_gone(void *ctx)
{
	struct ks_engine *e = ctx;

	ks_shim_turn_over(e->shim);
	ks_agent_free(e->agent);
	e->agent = NULL;
	ks_engine_check_end(e);
}

static void agent_failed(struct ks_engine *e, const char *why)
{
	struct ks_buf fields = {0};
	struct ks_jw w;

	ks_jw_members(&w, &fields);
	ks_jw_int(&w, "status", -1);
	ks_jw_int(&w, "signal", 0);
	ks_jw_str(&w, "tail", why);
	ks_engine_observe(e, KS_EV_AGENT_EXITED, KS_BY_ENGINE, ks_buf_str(&fields));
	ks_buf_fini(&fields);
}

/* The session of the agent before, to take it up again. */
static const char *session_of(const struct ks_engine *e, const char *driver)
{
	return e->state.session[0] != 0 && strcmp(e->state.session_driver, driver) == 0 ?
		e->state.session : NULL;
}

/* The sources, and what is sealed: who edits that should hear that it changes nothing. */
static void watched_files(struct ks_strings *out, const struct ks_engine *e)
{
	char **names = NULL;
	size_t count = 0;

	for (size_t i = 0; i < e->campaign.files.count; i++) {
		ks_strings_add(out, e->campaign.files.items[i]);
	}
	(void)ks_file_list(&names, &count, e->paths.problem, NULL);
	for (size_t i = 0; i < count; i++) {
		char *path = ks_path_join(e->paths.problem, names[i]);
		char *shown = ks_path_join("problem", names[i]);

		if (!ks_file_is_dir(path)) {
			ks_strings_add(out, shown);
		}
		free(shown);
		free(path);
	}
	ks_names_free(names, count);
}

static void agent_start(struct ks_engine *e)
{
	const struct ks_campaign *c = &e->campaign;
	const char *name = c->driver != NULL ? c->driver : "manual";
	const struct ks_driver *driver = ks_driver_find(name);
	const struct ks_sink sink = {.ctx = e, .observed = sink_observed, .gone = sink_gone};
	struct ks_err err = KS_ERR_INIT;

	if (e->agent != NULL) {
		return;
	}
	if (driver == NULL) {
		ks_err_set(&err, KS_EINVAL, "campaign.json: $.agent.driver: no driver '%.40s'; "
			"use script or manual", name);
		agent_failed(e, err.msg);
		return;
	}
	struct ks_strings files = {0};
	watched_files(&files, e);
	ks_shim_start(e);
	const struct ks_agent_setup setup = {
		.env = ks_shim_env(e->shim),
		.loop = e->loop, .folder = e->opt.dir,
		.files = (const char *const *)files.items,
		.exec = e->opt.programs.exec, .kseek = e->opt.programs.kseek,
		.argument = c->command.count > 0 ? c->command.items[0] : NULL,
		.mark = e->mark, .agents = e->opt.programs.agents,
		.command = (const char *const *)c->command.items,
		.config = ks_str_of(c->agent != NULL ? c->agent : "{}"),
		.session = session_of(e, name), .keep = e->paths.state, .forms = !e->opt.unattended,
		.turns = e->state.turns,
		.stall_ms = ks_setting_of(&c->policy, KS_SET_STALL, 0) * 1000
	};
	if (driver->start(&e->agent, &setup, &sink, &err) < 0) {
		agent_failed(e, err.msg);
	}
	ks_strings_fini(&files);
}

static const struct ks_message *message_by_id(const struct ks_state *state, int64_t id)
{
	for (size_t i = state->n_messages; i > 0; i--) {
		if (state->messages[i - 1].id == id) {
			return &state->messages[i - 1];
		}
	}
	return NULL;
}

static void prompt_of(struct ks_prompt *out, const struct ks_engine *e, const struct ks_effect *fx)
{
	const struct ks_message *m = message_by_id(&e->state, fx->id);
	const struct ks_bank_entry *entry = NULL;

	*out = (struct ks_prompt){.id = fx->id, .text = ks_str_of(fx->text), .question = ""};
	if (m != NULL && m->question[0] != 0) {
		out->question = m->question;
		entry = e->policy.bank != NULL ?
			ks_bank_find(e->policy.bank, ks_str_of(m->question)) : NULL;
		out->layer = entry != NULL ? ks_layer_letter(entry->group) : 0;
	}
}

static void agent_prompt(struct ks_engine *e, const struct ks_effect *fx)
{
	struct ks_prompt prompt;
	struct ks_err err = KS_ERR_INIT;

	prompt_of(&prompt, e, fx);
	if (e->agent == NULL) {
		ks_engine_notice(e, "warn",
			"no agent runs: the message is in the log and goes nowhere");
	} else if (ks_agent_prompt(e->agent, &prompt, &err) < 0) {
		ks_engine_notice(e, "warn", "the agent did not take the message: %s", err.msg);
	}
}

static void agent_steer(struct ks_engine *e, const struct ks_effect *fx)
{
	struct ks_prompt prompt;
	struct ks_err err = KS_ERR_INIT;

	prompt_of(&prompt, e, fx);
	if (ks_agent_steer(e->agent, &prompt, &err) < 0) {
		ks_engine_notice(e, "warn",
			"the agent did not take the message during its turn: %s; "
			"send it again", err.msg);
	}
}

static void agent_answer(struct ks_engine *e, const char *text)
{
	struct ks_json *doc = NULL;
	struct ks_buf values = {0};
	struct ks_err err = KS_ERR_INIT;
	int rc = ks_json_parse(&doc, text, strlen(text), &err);

	if (rc == 0) {
		if (ks_json_get(doc, "values") != NULL) {
			ks_json_print(ks_json_get(doc, "values"), &values);
		}
		const struct ks_answer answer = {
			.ask = ks_json_get_str(doc, "ask", ""),
			.option = ks_json_get_str(doc, "option", NULL),
			.kind = ks_json_get_str(doc, "kind", NULL),
			.text = ks_json_get_str(doc, "text", NULL), .values = ks_buf_str(&values)
		};
		rc = ks_agent_answer(e->agent, &answer, &err);
	}
	/* What is not open any more was answered by the agent's own end of it. */
	if (rc < 0 && rc != KS_ENOTFOUND) {
		ks_engine_notice(e, "warn", "the agent did not take the answer: %s", err.msg);
	}
	ks_buf_fini(&values);
	ks_json_free(doc);
}

void ks_engine_stop(struct ks_engine *e)
{
	if (e->stopping) {
		return;
	}
	e->stopping = true;
	ks_eval_cancel_all(e);
	if (e->agent != NULL) {
		ks_agent_stop(e->agent);
	}
	ks_engine_check_end(e);
}

void ks_engine_effect(struct ks_engine *e, const struct ks_effect *fx)
{
	struct ks_err err = KS_ERR_INIT;

	switch (fx->kind) {
	case KS_FX_AGENT_START:
		agent_start(e);
		break;
	case KS_FX_AGENT_PROMPT:
		agent_prompt(e, fx);
		break;
	case KS_FX_AGENT_STEER:
		agent_steer(e, fx);
		break;
	case KS_FX_AGENT_ANSWER:
		agent_answer(e, fx->text);
		break;
	case KS_FX_AGENT_MODE:
		if (ks_agent_set_mode(e->agent, fx->text, &err) < 0) {
			ks_engine_notice(e, "warn", "the agent's mode is as it was: %s", err.msg);
		}
		break;
	case KS_FX_AGENT_CANCEL:
		ks_agent_cancel(e->agent);
		break;
	case KS_FX_AGENT_STOP:
		ks_agent_stop(e->agent);
		break;
	case KS_FX_EVAL_START:
		ks_eval_start(e, fx);
		break;
	case KS_FX_EVAL_FRESH:
		ks_eval_fresh(e);
		break;
	case KS_FX_TIMER:
		ks_timers_arm(e->timers, fx->text, fx->ms);
		if (strcmp(fx->text, "bank") == 0 || strcmp(fx->text, "human") == 0) {
			e->wait_until = ks_clock_wall_us() + fx->ms * 1000;
			ks_server_push_wait(e);
		}
		break;
	case KS_FX_TIMER_CANCEL:
		ks_timers_cancel(e->timers, fx->text);
		break;
	case KS_FX_ENGINE_STOP:
		ks_engine_stop(e);
		break;
	default:
		break;
	}
}
