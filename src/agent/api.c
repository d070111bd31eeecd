/*
 * The built-in agent: driver and turn.
 *
 * A turn goes model -> calls, in order -> results -> model, until a reply has no
 * call. `step` is the only place that moves on and runs from the loop; functions
 * of the driver and callbacks set flags and schedule it.
 */
#include <stdio.h>

#include "agent/api.h"
#include "base/file.h"
#include "base/mem.h"

#define BRIEF_MAX (64u * 1024)

static void step(void *ctx);

void ks_api_schedule(struct ks_api *a)
{
	if (!a->scheduled) {
		a->scheduled = true;
		ks_loop_defer(a->agent.loop, step, a);
	}
}

struct ks_str ks_api_clean(const struct ks_api *a, struct ks_str text, struct ks_buf *to)
{
	struct ks_str key = ks_str_of(a->config.key);

	if (key.len == 0 || ks_str_find(text, key) < 0) {
		return text;
	}
	ks_buf_add_replaced(to, text, key, KS_STR("[key]"));
	return ks_buf_str(to);
}

void ks_api_finish(struct ks_api *a, const char *how, struct ks_str text, const char *stop)
{
	a->how = how;
	ks_buf_clear(&a->how_text);
	ks_buf_addstr(&a->how_text, text);
	snprintf(a->how_stop, sizeof(a->how_stop), "%s", stop);
	a->phase = KS_API_ENDING;
	ks_api_schedule(a);
}

/* ---- the gate: no report leaves with the key, whatever holds it ---- */

/* A shorter one, such as a local server's "x", is no secret. */
#define SECRET_LEAST 8

static bool api_holds_key(const struct ks_agent *agent, struct ks_str text)
{
	struct ks_str key = ks_str_of(((const struct ks_api *)agent)->config.key);

	return key.len >= SECRET_LEAST && ks_str_find(text, key) >= 0;
}

static void gate_observed(void *ctx, enum ks_ev kind, enum ks_by by, struct ks_str fields)
{
	struct ks_api *a = ctx;
	struct ks_buf clean = {0};

	if (api_holds_key(&a->agent, fields)) {
		ks_json_add_replaced(&clean, fields, ks_str_of(a->config.key), KS_STR("[key]"));
		fields = ks_buf_str(&clean);
	}
	a->sink.observed(a->sink.ctx, kind, by, fields);
	ks_buf_fini(&clean);
}

static void gate_gone(void *ctx)
{
	struct ks_sink sink = ((struct ks_api *)ctx)->sink;

	sink.gone(sink.ctx);
}

/* ---- moving on ---- */

static void end_turn(struct ks_api *a)
{
	struct ks_buf text = a->how_text;

	a->how_text = (struct ks_buf){0};
	a->phase = KS_API_IDLE;
	a->tries = a->shortened = a->empties = a->cuts = 0;
	a->after_calls = NULL;
	ks_talk_end(&a->talk, a->how, ks_buf_str(&text), a->how_stop);
	ks_buf_fini(&text);
}

/* The turn was cancelled: once nothing runs any more, each call gets a result,
 * so that the conversation stays whole, and the model learns of it. */
static void end_cancelled(struct ks_api *a)
{
	if (a->command.child != NULL) {
		return; /* its end schedules again */
	}
	ks_chat_answer_all(&a->chat, "interrupted");
	if (a->chat.count > 0 && !a->chat.messages[a->chat.count - 1].model) {
		ks_chat_say(&a->chat, KS_STR("[The turn was interrupted.]"));
	}
	for (size_t i = 0; i < a->n_words; i++) {
		ks_chat_say(&a->chat, ks_buf_str(&a->words[i]));
		ks_buf_fini(&a->words[i]);
	}
	a->n_words = 0;
	a->how = "cancelled";
	a->how_stop[0] = '\0';
	ks_buf_clear(&a->how_text);
	end_turn(a);
}

/* The agent is gone; nothing of a may be used afterwards. */
static void leave(struct ks_api *a)
{
	struct ks_sink sink = a->agent.sink;

	a->over = true;
	ks_report_exited(&a->agent, 0, 0, (struct ks_str){0});
	sink.gone(sink.ctx);
}

static void say_session(struct ks_api *a)
{
	struct ks_report r;

	ks_report_begin(&r);
	ks_jw_str(&r.w, "session", a->session.id);
	ks_jw_str(&r.w, "agent", "kseek api");
	ks_jw_str(&r.w, "version", KSEEK_VERSION);
	ks_jw_str(&r.w, "how", a->session.resumed ? "resumed" : "new");
	ks_jw_bool(&r.w, "steers", true);
	ks_report_send(&r, &a->agent, KS_EV_AGENT_SESSION, KS_BY_AGENT);
}

static void say_started(struct ks_api *a)
{
	a->told = true;
	ks_report_started(&a->agent, a->config.label, 0);
	say_session(a);
	if (a->session.lost.msg[0] != '\0') {
		ks_talk_notice(&a->talk, "warn",
			"the conversation before could not be taken up again "
			"(%s); the agent starts without its memory of it", a->session.lost.msg);
	}
	if (a->config.key != NULL && strncmp(a->config.url, "https:", 6) != 0 &&
		!ks_http_is_local(a->config.url)) {
		ks_talk_notice(&a->talk, "warn", "%s: the key goes there unencrypted (http)",
			a->config.base_url);
	}
}

static void step(void *ctx)
{
	struct ks_api *a = ctx;

	a->scheduled = false;
	if (!a->told) {
		say_started(a);
		ks_api_schedule(a);
		return;
	}
	if (a->talk.in_turn) {
		ks_talk_announce(&a->talk);
	}
	if (a->talk.in_turn && a->talk.cancelling) {
		end_cancelled(a);
	} else if (a->phase == KS_API_READY) {
		ks_api_request(a);
	} else if (a->phase == KS_API_ASKING && a->request_ended) {
		ks_api_request_done(a);
	} else if (a->phase == KS_API_CALLS) {
		ks_api_tool_next(a);
	} else if (a->phase == KS_API_ENDING) {
		end_turn(a);
	}
	ks_api_session_keep(a);
	if (a->stopping && !a->talk.in_turn && !a->over) {
		leave(a);
	}
}

static void wait_over(void *ctx)
{
	struct ks_api *a = ctx;

	if (a->phase == KS_API_WAITING) {
		a->phase = KS_API_READY;
		ks_api_schedule(a);
	}
}

/* ---- start ---- */

/* What the model is told before everything: how it works here, and the brief. */
static char *make_rules(const struct ks_agent_setup *setup)
{
	struct ks_buf text = {0}, brief = {0};
	char *path = ks_path_join(setup->folder, "AGENTS.md");

	ks_buf_addf(&text,
		"You are a coding agent that makes an existing kernel faster. You work in "
		"the folder %s with the tools you are given; paths are relative to it.\n"
		"- Look before you change, change one thing at a time, and evaluate each change. "
		"Only what `evaluate` measured counts; a limit is a measurement, not an opinion.\n"
		"- Say in a sentence or two what you are about to do and why, then call the tool.\n"
		"- End your turn (reply without a tool call) only when the goal holds, or when you "
		"need an answer that nothing here can give. Say then what was measured.\n",
		setup->folder);
	if (ks_file_read(&brief, path, BRIEF_MAX, NULL) == 0 && brief.len > 0) {
		ks_buf_addf(&text, "\nThe campaign's brief (AGENTS.md):\n\n%s\n", brief.ptr);
	}
	free(path);
	ks_buf_fini(&brief);
	return ks_buf_take(&text);
}

/* No key reaches a command: the environment is made from nothing. */
static struct ks_env *make_env(const struct ks_agent_setup *setup)
{
	static const char *const passed[] = {
		"KSEEK_LIBEXEC", "KSEEK_DATA", "ASAN_OPTIONS", "UBSAN_OPTIONS", "CUDA_HOME",
		"CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH",
	};
	struct ks_env *env = ks_env_clean();

	for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++) {
		ks_env_set(env, passed[i], getenv(passed[i]));
	}
	ks_agent_env_add(env, setup);
	return env;
}

static void api_free(struct ks_agent *agent)
{
	struct ks_api *a = (struct ks_api *)agent;

	ks_loop_undefer(a->agent.loop, a);
	ks_api_request_stop(a);
	ks_api_tool_fini(a);
	ks_talk_fini(&a->talk);
	ks_net_free(a->net);
	ks_timer_free(a->again);
	ks_model_fini(&a->stream);
	ks_chat_fini(&a->chat);
	ks_buf_fini(&a->refusal);
	ks_buf_fini(&a->how_text);
	ks_api_shown_fini(&a->said);
	ks_api_shown_fini(&a->thought);
	ks_api_config_fini(&a->config);
	ks_env_free(a->env);
	free(a->folder);
	free(a->exec);
	free(a->kseek);
	free(a->mark);
	free(a->rules);
	free(a->session.path);
	free(a);
}

static int api_start(struct ks_agent **out, const struct ks_agent_setup *setup,
	const struct ks_sink *sink, struct ks_err *err)
{
	struct ks_api_config config;
	struct ks_api *a;
	int rc = ks_api_config_init(&config, setup->argument, setup->config,
		setup->agents, err);

	if (rc < 0) {
		return rc;
	}
	a = ks_zalloc(1, sizeof(*a));
	a->config = config;
	a->sink = *sink;
	a->agent = (struct ks_agent){&ks_driver_api, setup->loop,
		{a, gate_observed, gate_gone}};
	ks_talk_init(&a->talk, &a->agent, setup);
	rc = ks_net_new(&a->net, setup->loop, err);
	if (rc < 0) {
		api_free(&a->agent);
		return rc;
	}
	a->folder = ks_strdup(setup->folder);
	a->exec = ks_strdup(setup->exec);
	a->kseek = ks_strdup(setup->kseek != NULL ? setup->kseek : "kseek");
	a->mark = ks_strdup(setup->mark);
	a->env = make_env(setup);
	a->rules = make_rules(setup);
	a->again = ks_timer_new(setup->loop, wait_over, a);
	ks_api_session_open(a, setup);
	ks_api_schedule(a);
	*out = &a->agent;
	return 0;
}

/* ---- the driver ---- */

/* What can be said without the environment: "anthropic/MODEL", "openai/MODEL",
 * or a name, which is looked up when it starts. */
static int api_check(const char *argument, char **out_label, struct ks_err *err)
{
	const char *slash = argument != NULL ? strchr(argument, '/') : NULL;
	size_t len = slash != NULL ? (size_t)(slash - argument) : 0;
	bool named = slash == NULL && argument != NULL && *argument != '\0';

	if (!named && (slash == NULL || slash[1] == '\0' ||
			!((len == 9 && strncmp(argument, "anthropic", 9) == 0) ||
				(len == 6 && strncmp(argument, "openai", 6) == 0)))) {
		return ks_err_set(err, KS_EINVAL, "the agent \"api\" needs an API and a model: "
			"api:anthropic/MODEL or api:openai/MODEL (any server that speaks chat "
			"completions, with --base-url), or a name of agents.json: api:NAME");
	}
	if (out_label != NULL) {
		*out_label = ks_strdup(slash != NULL ? slash + 1 : argument);
	}
	return 0;
}

static int api_prompt(struct ks_agent *agent, const struct ks_prompt *prompt,
	struct ks_err *err)
{
	struct ks_api *a = (struct ks_api *)agent;

	if (a->stopping) {
		return ks_err_set(err, KS_ENOTFOUND, "the agent is ending");
	}
	if (a->talk.in_turn) {
		return ks_err_set(err, KS_EBUSY, "a turn runs");
	}
	ks_talk_begin(&a->talk, prompt->id);
	ks_chat_say(&a->chat, prompt->text);
	a->phase = KS_API_READY;
	ks_api_schedule(a);
	return 0;
}

static int api_steer(struct ks_agent *agent, const struct ks_prompt *prompt,
	struct ks_err *err)
{
	struct ks_api *a = (struct ks_api *)agent;

	if (!a->talk.in_turn || a->talk.cancelling || a->phase == KS_API_ENDING) {
		return ks_err_set(err, KS_ENOTFOUND, "no turn runs");
	}
	ks_grow(&a->words, &a->cap_words, a->n_words + 1, sizeof(*a->words));
	a->words[a->n_words] = (struct ks_buf){0};
	ks_buf_addstr(&a->words[a->n_words++], prompt->text);
	return 0;
}

static void api_cancel(struct ks_agent *agent)
{
	struct ks_api *a = (struct ks_api *)agent;

	if (!a->talk.in_turn || a->talk.cancelling) {
		return;
	}
	a->talk.cancelling = true;
	ks_api_request_stop(a);
	ks_api_tool_stop(a);
	ks_api_schedule(a);
}

static void api_stop(struct ks_agent *agent)
{
	struct ks_api *a = (struct ks_api *)agent;

	a->stopping = true;
	api_cancel(agent);
	ks_api_schedule(a);
}

static int api_answer(struct ks_agent *agent, const struct ks_answer *answer,
	struct ks_err *err)
{
	return ks_api_tool_answer((struct ks_api *)agent, answer, err);
}

static bool api_owns(const struct ks_agent *agent, pid_t pid)
{
	return ks_command_owns(&((const struct ks_api *)agent)->command, pid);
}

const struct ks_driver ks_driver_api = {
	.name = "api", .start = api_start, .prompt = api_prompt, .cancel = api_cancel,
	.stop = api_stop, .owns = api_owns, .free = api_free, .check = api_check,
	.answer = api_answer, .steer = api_steer, .holds_key = api_holds_key,
};
