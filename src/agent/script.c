/*
 * The agent `script`: plays a file of steps as an agent would act, with real
 * edits, real commands and the real `kseek eval`. It says of itself that it is
 * no model.
 *
 * One step runs a turn of the loop, from a deferred call, so that every report
 * comes from the loop. `step` is the only place that moves on; everything else
 * sets flags and schedules it.
 */
#include <stdio.h>
#include <unistd.h>

#include "agent/command.h"
#include "agent/internal.h"
#include "agent/script.h"
#include "agent/textdiff.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"

#define QUICK_MAX 1000        /* steps in a row that take no time */
#define EVAL_LIMIT_MS 3600000 /* evaluations queue */
#define TITLE_MAX 160
#define LABEL "script (not a model)"

struct player {
	struct ks_agent agent;
	struct ks_script script;
	char *folder, *exec, *kseek, *mark;
	struct ks_env *env;

	size_t at;             /* next step */
	int quick;
	bool scheduled;
	bool in_turn, announced;
	bool cancelling, stopping;
	bool over;             /* the script has ended or failed */
	int status;            /* for agent.exited */
	int64_t turn, calls;
	int64_t message;
	char layer_question;   /* of the last message with a question, or 0 */
	char layer_message;    /* of the last message */
	unsigned outcome;      /* of the last evaluation, 0 before one */
	struct ks_script_best best;

	struct ks_timer *pause;
	struct ks_command command;
	int64_t serial;        /* of tool calls */
	char call[24];
	int64_t call_t0;
};

static void step(void *ctx);

static void schedule(struct player *p)
{
	if (!p->scheduled) {
		p->scheduled = true;
		ks_loop_defer(p->agent.loop, step, p);
	}
}

/* ---- reports ---- */

static void turn_started(struct player *p)
{
	struct ks_report r;

	p->announced = true;
	p->turn++;
	p->calls = 0;
	ks_report_begin(&r);
	ks_jw_int(&r.w, "turn", p->turn);
	ks_jw_int(&r.w, "message", p->message);
	ks_report_send(&r, &p->agent, KS_EV_TURN_STARTED, KS_BY_AGENT);
}

static void turn_ended(struct player *p, const char *how, const char *text)
{
	struct ks_report r;

	p->in_turn = p->announced = p->cancelling = false;
	p->quick = 0;
	ks_report_begin(&r);
	ks_jw_int(&r.w, "turn", p->turn);
	ks_jw_str(&r.w, "how", how);
	ks_jw_int(&r.w, "calls", p->calls);
	if (text != NULL) {
		ks_jw_str(&r.w, "text", text);
	}
	ks_report_send(&r, &p->agent, KS_EV_TURN_ENDED, KS_BY_AGENT);
}

static void say(struct player *p, const struct ks_script_step *s)
{
	struct ks_report r;
	char *text = ks_figures_text(&p->script, s);

	if (text == NULL) {
		return;
	}
	ks_report_begin(&r);
	ks_jw_str(&r.w, "text", text);
	free(text);
	if (s->what == KS_DO_CLAIM) {
		ks_jw_bool(&r.w, "claim", true);
	}
	ks_report_send(&r, &p->agent, s->what == KS_DO_THINK ? KS_EV_AGENT_THOUGHT
		: KS_EV_AGENT_SAID, KS_BY_AGENT);
}

static void tool_started(struct player *p, const char *name, const char *tool,
	const char *text, const char *path)
{
	struct ks_str line = ks_str_of(text), first = line;
	struct ks_report r;

	p->calls++;
	p->call_t0 = ks_clock_mono_us();
	snprintf(p->call, sizeof(p->call), "s%lld", (long long)++p->serial);
	ks_str_next(&line, '\n', &first);
	first.len = ks_utf8_cut(first.ptr, first.len, TITLE_MAX);
	ks_report_begin(&r);
	ks_jw_str(&r.w, "call", p->call);
	ks_jw_str(&r.w, "name", name);
	ks_jw_str(&r.w, "tool", tool);
	ks_jw_slice(&r.w, "title", first);
	ks_jw_str(&r.w, "text", text);
	if (path != NULL) {
		ks_jw_str(&r.w, "path", path);
	}
	ks_report_send(&r, &p->agent, KS_EV_TOOL_STARTED, KS_BY_AGENT);
}

/* Begins tool.ended; the caller may add members, then sends. */
static void tool_ended(struct player *p, struct ks_report *r, bool ok, int status,
	struct ks_str text)
{
	ks_report_begin(r);
	ks_jw_str(&r->w, "call", p->call);
	ks_jw_bool(&r->w, "ok", ok);
	ks_jw_int(&r->w, "status", status);
	ks_jw_int(&r->w, "ms", (ks_clock_mono_us() - p->call_t0) / 1000);
	ks_jw_slice(&r->w, "text", text);
}

static void tool_failed(struct player *p, const struct ks_err *err)
{
	struct ks_report r;

	tool_ended(p, &r, false, 1, ks_str_of(err->msg));
	ks_report_send(&r, &p->agent, KS_EV_TOOL_ENDED, KS_BY_AGENT);
}

/* ---- commands ---- */

static void command_ended(void *ctx, const struct ks_command_end *end)
{
	struct player *p = ctx;
	struct ks_script_step *step = &p->script.steps[p->at - 1];
	struct ks_report r;

	tool_ended(p, &r, end->status == 0, end->status, end->output);
	ks_figures_take(&p->script, step, end->output);
	if (step->what == KS_DO_EVAL) {
		p->outcome = ks_script_outcome(&p->best, end->status, end->output);
	}
	ks_report_send(&r, &p->agent, KS_EV_TOOL_ENDED, KS_BY_AGENT);
	schedule(p);
}

static void run(struct player *p, const char *const *argv, int64_t limit_ms)
{
	struct ks_err err = KS_ERR_INIT;
	const struct ks_child_spec spec = {
		.argv = argv, .env = ks_env_list(p->env), .cwd = p->folder, .exec = p->exec,
		.mark = p->mark, .timeout_ms = limit_ms,
	};

	p->quick = 0;
	if (ks_command_start(&p->command, p->agent.loop, spec, &err) < 0) {
		tool_failed(p, &err);
		schedule(p);
	}
}

static void do_shell(struct player *p, const struct ks_script_step *s)
{
	const char *argv[] = {"sh", "-c", s->text, NULL};

	tool_started(p, "shell", "shell", s->text, NULL);
	run(p, argv, s->ms);
}

static void do_eval(struct player *p, const struct ks_script_step *s)
{
	struct ks_buf line = {0};
	const char *argv[40] = {p->kseek, "eval"};
	size_t argc = 2;

	ks_buf_adds(&line, "kseek eval");
	for (char **arg = s->args; arg != NULL && *arg != NULL && argc < 38; arg++) {
		argv[argc++] = *arg;
		ks_buf_addf(&line, " %s", *arg);
	}
	tool_started(p, "eval", "eval", line.ptr, NULL);
	ks_buf_fini(&line);
	run(p, argv, EVAL_LIMIT_MS);
}

static int edit_file(const char *path, const struct ks_script_step *s, struct ks_buf *diff,
	struct ks_textdiff *out, struct ks_err *err)
{
	struct ks_buf before = {0}, after = {0};
	char *dir = ks_path_dir(path);
	int rc = ks_file_read(&after, s->from, KS_SCRIPT_FILE_MAX, err);

	if (rc == 0 && ks_file_exists(path)) {
		rc = ks_file_read(&before, path, KS_SCRIPT_FILE_MAX, err);
	}
	if (rc == 0) {
		rc = ks_file_mkdirs(dir, 0755, err);
	}
	if (rc == 0) {
		rc = ks_file_write(path, ks_buf_str(&after), 0644, err);
	}
	if (rc == 0) {
		*out = ks_textdiff(diff, s->text, ks_buf_str(&before), ks_buf_str(&after),
			KS_AGENT_DIFF_MAX);
	}
	free(dir);
	ks_buf_fini(&before);
	ks_buf_fini(&after);
	return rc;
}

static void do_edit(struct player *p, const struct ks_script_step *s)
{
	char *path = ks_path_join(p->folder, s->text);
	bool there = ks_file_exists(path);
	struct ks_err err = KS_ERR_INIT;
	struct ks_textdiff counts;
	struct ks_buf diff = {0};
	struct ks_report r;

	tool_started(p, there ? "edit" : "write", there ? "edit" : "write", s->text, s->text);
	if (edit_file(path, s, &diff, &counts, &err) < 0) {
		tool_failed(p, &err);
	} else {
		tool_ended(p, &r, true, 0, (struct ks_str){0});
		ks_jw_int(&r.w, "added", (int64_t)counts.added);
		ks_jw_int(&r.w, "removed", (int64_t)counts.removed);
		ks_jw_slice(&r.w, "diff", ks_buf_str(&diff));
		ks_report_send(&r, &p->agent, KS_EV_TOOL_ENDED, KS_BY_AGENT);
	}
	ks_buf_fini(&diff);
	free(path);
	schedule(p);
}

/* ---- moving on ---- */

static size_t branch_target(const struct player *p, const struct ks_script_step *s)
{
	char layer = s->any_message ? p->layer_message : p->layer_question;
	const char *at = layer != 0 ? strchr(KS_SCRIPT_LAYERS, layer) : NULL;

	return at != NULL ? s->cases[at - KS_SCRIPT_LAYERS] : s->target;
}

static void fail(struct player *p)
{
	char text[160];

	snprintf(text, sizeof(text), "%.60s: $.steps[%zu]: %d steps in a row take no time: "
		"put a pause, a command or a wait into the loop",
		p->script.file, p->at, QUICK_MAX);
	p->over = true;
	p->status = 1;
	turn_ended(p, "error", text);
	schedule(p);
}

static void do_step(struct player *p)
{
	const struct ks_script_step *s = &p->script.steps[p->at++];

	if (s->when != 0 && (s->when & p->outcome) == 0) {
		schedule(p);
		return;
	}
	switch (s->what) {
	case KS_DO_SHELL:
		do_shell(p, s);
		return;
	case KS_DO_EVAL:
		do_eval(p, s);
		return;
	case KS_DO_EDIT:
		do_edit(p, s);
		return;
	case KS_DO_PAUSE:
		p->quick = 0;
		ks_timer_arm(p->pause, s->ms);
		return;
	case KS_DO_WAIT:
		turn_ended(p, "ended", NULL);
		return;
	case KS_DO_END:
		p->over = true;
		turn_ended(p, "ended", NULL);
		break;
	case KS_DO_BRANCH:
		p->at = branch_target(p, s);
		break;
	case KS_DO_GOTO:
		p->at = s->target;
		break;
	case KS_DO_LABEL:
		break;
	default:
		say(p, s);
		break;
	}
	schedule(p);
}

/* The agent is gone; nothing of p may be used afterwards. */
static void leave(struct player *p)
{
	struct ks_sink sink = p->agent.sink;

	p->over = true;
	ks_report_exited(&p->agent, p->status, 0, (struct ks_str){0});
	sink.gone(sink.ctx);
}

static void step(void *ctx)
{
	struct player *p = ctx;

	p->scheduled = false;
	if (p->command.child != NULL) {
		return; /* its end schedules again */
	}
	if (p->in_turn && !p->announced) {
		turn_started(p);
		schedule(p);
		return;
	}
	if (p->in_turn && p->cancelling) {
		turn_ended(p, "cancelled", NULL);
		if (p->stopping) {
			schedule(p);
		}
		return;
	}
	if (p->stopping || (p->over && !p->in_turn)) {
		leave(p);
		return;
	}
	if (!p->in_turn || ks_timer_armed(p->pause)) {
		return;
	}
	if (p->at == p->script.count) {
		p->over = true;
		turn_ended(p, "ended", NULL);
		schedule(p);
	} else if (p->quick++ >= QUICK_MAX) {
		fail(p);
	} else {
		do_step(p);
	}
}

static void pause_over(void *ctx)
{
	schedule(ctx);
}

/* ---- the driver ---- */

static int script_check(const char *argument, char **out_label, struct ks_err *err)
{
	struct ks_script script;
	int rc;

	if (argument == NULL || *argument == '\0') {
		return ks_err_set(err, KS_EINVAL,
			"the agent \"script\" needs the path of its script: script:FILE");
	}
	rc = ks_script_read(&script, argument, err);
	if (rc == 0) {
		ks_script_fini(&script);
		if (out_label != NULL) {
			*out_label = ks_strdup(LABEL);
		}
	}
	return rc;
}

static struct ks_env *make_env(const struct ks_agent_setup *setup)
{
	struct ks_env *env = ks_env_clean();
	const char *const passed[] = {"KSEEK_LIBEXEC", "KSEEK_DATA", "ASAN_OPTIONS"};

	for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++) {
		ks_env_set(env, passed[i], getenv(passed[i]));
	}
	ks_agent_env_add(env, setup);
	return env;
}

static void started(void *ctx)
{
	struct player *p = ctx;

	ks_report_started(&p->agent, LABEL, 0);
}

static int script_start(struct ks_agent **out, const struct ks_agent_setup *setup,
	const struct ks_sink *sink, struct ks_err *err)
{
	struct player *p;
	char *path;
	int rc;

	if (setup->argument == NULL || *setup->argument == '\0') {
		return script_check(NULL, NULL, err);
	}
	p = ks_zalloc(1, sizeof(*p));
	path = ks_path_join(setup->folder, setup->argument);
	rc = ks_script_read(&p->script, path, err);
	free(path);
	if (rc < 0) {
		free(p);
		return rc;
	}
	p->agent = (struct ks_agent){&ks_driver_script, setup->loop, *sink};
	p->folder = ks_strdup(setup->folder);
	p->exec = ks_strdup(setup->exec);
	p->kseek = ks_strdup(setup->kseek != NULL ? setup->kseek : "kseek");
	p->mark = ks_strdup(setup->mark);
	p->env = make_env(setup);
	p->turn = setup->turns;
	p->best = (struct ks_script_best){1, 1};
	p->pause = ks_timer_new(setup->loop, pause_over, p);
	p->command.ended = command_ended;
	p->command.ctx = p;
	ks_loop_defer(setup->loop, started, p);
	*out = &p->agent;
	return 0;
}

static int script_prompt(struct ks_agent *agent, const struct ks_prompt *prompt,
	struct ks_err *err)
{
	struct player *p = (struct player *)agent;

	if (p->over || p->stopping) {
		return ks_err_set(err, KS_ENOTFOUND, "%s has ended", p->script.file);
	}
	if (p->in_turn) {
		return ks_err_set(err, KS_EBUSY, "a turn runs");
	}
	p->in_turn = true;
	p->message = prompt->id;
	p->layer_message = prompt->layer;
	if (prompt->layer != 0) {
		p->layer_question = prompt->layer;
	}
	schedule(p);
	return 0;
}

static void script_cancel(struct ks_agent *agent)
{
	struct player *p = (struct player *)agent;

	if (!p->in_turn) {
		return;
	}
	p->cancelling = true;
	ks_timer_cancel(p->pause);
	if (!ks_command_stop(&p->command)) {
		schedule(p);
	}
}

static void script_stop(struct ks_agent *agent)
{
	struct player *p = (struct player *)agent;

	if (p->stopping) {
		return;
	}
	p->stopping = true;
	script_cancel(agent);
	schedule(p);
}

static bool script_owns(const struct ks_agent *agent, pid_t pid)
{
	return ks_command_owns(&((const struct player *)agent)->command, pid);
}

static void script_free(struct ks_agent *agent)
{
	struct player *p = (struct player *)agent;

	ks_loop_undefer(p->agent.loop, p);
	ks_timer_free(p->pause);
	ks_command_fini(&p->command);
	ks_script_fini(&p->script);
	ks_env_free(p->env);
	free(p->folder);
	free(p->exec);
	free(p->kseek);
	free(p->mark);
	free(p);
}

const struct ks_driver ks_driver_script = {
	.name = "script", .start = script_start, .prompt = script_prompt,
	.cancel = script_cancel, .stop = script_stop, .owns = script_owns,
	.free = script_free, .check = script_check,
};
