/*
 * Starting and ending an engine: lock, fold, clean up after a predecessor that
 * died, listen, run, and close the log in good order.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/plural.h"
#include "engine/internal.h"
#include "loop/proc.h"
#include "store/follow.h"

#define LINGER_MS 2000 /* a transient engine with nothing to do leaves after this */

static void on_timer(void *ctx, const char *name)
{
	struct ks_engine *e = ctx;
	struct ks_buf args = {0};
	struct ks_jw w;
	struct ks_err err = KS_ERR_INIT;

	ks_jw_init(&w, &args);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "name", name);
	ks_jw_close(&w);
	(void)ks_engine_command(e, KS_CMD_TIMER, KS_BY_ENGINE, ks_buf_str(&args), &err);
	ks_buf_fini(&args);
}

/* In a thread: a slow disk holds nobody up. */
static int sync_file(int fd)
{
	int sys = fdatasync(fd) < 0 ? errno : 0;

	close(fd);
	return sys;
}

static void on_synced(void *ctx, int sys)
{
	struct ks_engine *e = ctx;
	struct ks_err err = KS_ERR_INIT;

	if (ks_log_synced(e->log, sys, &err) < 0) {
		ks_engine_log_failed(e, &err);
	}
}

static void on_sync(void *ctx)
{
	struct ks_engine *e = ctx;
	int fd = ks_log_sync_begin(e->log);

	if (fd >= 0) {
		ks_loop_work(e->loop, sync_file, fd, on_synced, e);
	}
}

static void on_resume(void *ctx)
{
	struct ks_engine *e = ctx;
	struct ks_err err = KS_ERR_INIT;

	if (ks_log_resume(e->log, &err) < 0) {
		ks_timer_arm(e->resume, 5000);
		return;
	}
	ks_engine_log_resumed(e);
	ks_eval_resume(e);
}

/* A loop that was held up, by a slow disk say, has not seen yet who has come meanwhile:
 * it looks once more. */
static void on_linger(void *ctx)
{
	struct ks_engine *e = ctx;

	if (e->conns != NULL || e->evals != NULL || e->agent != NULL) {
		return;
	}
	if (!e->looked_again) {
		e->looked_again = true;
		ks_timer_arm(e->linger, 1);
	} else {
		ks_engine_stop(e);
	}
}

static void on_signal(void *ctx, int signum)
{
	struct ks_engine *e = ctx;
	struct ks_err err = KS_ERR_INIT;

	if (ks_engine_command(e, KS_CMD_STOP, KS_BY_OTHER,
			ks_str_of("{\"why\":\"signal\"}"), &err) < 0) {
		ks_engine_stop(e);
	}
}

void ks_engine_check_end(struct ks_engine *e)
{
	if (e->stopping && e->agent == NULL && e->evals == NULL) {
		ks_loop_stop(e->loop);
	} else if (e->opt.transient && e->linger != NULL && e->conns == NULL &&
			e->evals == NULL && e->agent == NULL && !ks_timer_armed(e->linger)) {
		e->looked_again = false;
		ks_timer_arm(e->linger, LINGER_MS);
	}
}

/* ---- start ---- */

static int fold_line(void *payload, const struct ks_follow_line *line)
{
	struct ks_engine *e = payload;
	struct ks_event event;
	struct ks_err err = KS_ERR_INIT;

	if (line->whole && ks_event_parse(&event, line->text, &err) == 0) {
		if (event.kind == KS_EV_CAMPAIGN_CREATED && e->sealed == NULL) {
			/* What measures is what was sealed, not what campaign.json
			 * says today. */
			(void)ks_json_parse(&e->sealed, line->text.ptr, line->text.len, &err);
		}
		ks_evolve(&e->state, &event);
		ks_event_fini(&event);
	}
	return 0;
}

static int fold_log(struct ks_engine *e, struct ks_err *err)
{
	struct ks_follow *follow = NULL;
	int rc = ks_follow_open(&follow, e->paths.log, e->paths.index, err);

	if (rc == 0) {
		rc = ks_follow_refresh(follow, KS_FOLLOW_ALL, NULL, err);
	}
	if (rc == 0) {
		rc = ks_follow_each(follow, 0, ks_follow_count(follow), fold_line, e, err);
	}
	ks_follow_free(follow);
	return rc;
}

static int open_log(struct ks_engine *e, struct ks_err *err)
{
	struct ks_log_found found;
	int rc = ks_log_open(&e->log, e->paths.log, &found, err);

	if (rc < 0) {
		return rc;
	}
	if (found.fresh) {
		return ks_err_set(err, KS_EINVAL,
			"%s: the log is empty; make the campaign anew with 'kseek new'",
			e->paths.log);
	}
	ks_log_on_line(e->log, ks_engine_on_line, e);
	rc = fold_log(e, err);
	if (rc == 0 && found.torn > 0) {
		ks_engine_notice(e, "warn",
			"the log ended in a torn line (%zu byte%s), put aside as %s",
			found.torn, ks_s((long long)found.torn), found.torn_path);
	}
	if (rc == 0 && found.altered_seq > 0) {
		ks_engine_notice(e, "warn",
			"the log was changed by hand somewhere before event %lld: "
			"its hash does not fit", (long long)found.altered_seq);
	}
	return rc;
}

/* What an engine that was killed left open is closed in the log, so that the
 * state says what is true: nothing runs. */
static void close_leftovers(struct ks_engine *e)
{
	struct ks_buf fields = {0};
	struct ks_jw w;

	if (e->state.agent == KS_AGENT_WORKING || e->state.agent == KS_AGENT_WAITING) {
		ks_engine_observe(e, KS_EV_AGENT_EXITED, KS_BY_ENGINE,
			ks_str_of("\"status\":-1,\"signal\":0,\"tail\":\"the engine was gone\""));
	}
	while (e->state.eval.running || e->state.eval_queue > 0) {
		int64_t before = e->state.eval.id;
		int queue = e->state.eval_queue;
		ks_jw_members(&w, &fields);
		ks_jw_int(&w, "eval", e->state.eval.id);
		ks_jw_bool(&w, "confirm", e->state.eval.confirm);
		ks_jw_int(&w, "candidate", e->state.eval.candidate);
		ks_jw_str(&w, "stage", "cancelled");
		ks_jw_str(&w, "text", "the engine was gone");
		ks_engine_observe(e, KS_EV_EVAL_FAILED, KS_BY_ENGINE, ks_buf_str(&fields));
		ks_buf_clear(&fields);
		if (e->state.eval.id == before && e->state.eval_queue == queue) {
			break;
		}
	}
	ks_buf_fini(&fields);
}

/* Whether a list of campaign.json says the same as what was sealed. */
static bool same_lines(const struct ks_strings *now, const struct ks_json *sealed)
{
	const struct ks_json *n = ks_json_first(sealed);

	for (size_t i = 0; i < now->count; i++, n = ks_json_next(n)) {
		if (n == NULL || strcmp(now->items[i], ks_json_str(n, "")) != 0) {
			return false;
		}
	}
	return n == NULL;
}

static bool same_words(const struct ks_strings *now, const char *sealed)
{
	struct ks_str rest = ks_str_of(sealed), word;
	size_t i = 0;

	while (ks_str_next(&rest, ' ', &word)) {
		if (word.len > 0 && (i == now->count || !ks_str_is(word, now->items[i++]))) {
			return false;
		}
	}
	return i == now->count;
}

/* What was changed in campaign.json since the campaign was made has no effect;
 * that must not be silent. */
static void note_changes(struct ks_engine *e)
{
	bool goal = !same_lines(&e->campaign.goal, ks_json_get(e->sealed, "goal"));
	bool flags = !same_words(&e->campaign.flags, ks_json_get_str(e->sealed, "flags", ""));

	if (goal || flags) {
		ks_engine_notice(e, "warn",
			"campaign.json has another %s than this campaign was made "
			"with; what was sealed counts. Make a new campaign for another one",
			goal ? "goal" : "set of build flags");
	}
}

static void say_started(struct ks_engine *e)
{
	struct ks_buf fields = {0};
	char host[128] = "";
	struct ks_jw w;

	gethostname(host, sizeof(host) - 1);
	ks_jw_members(&w, &fields);
	ks_jw_int(&w, "pid", getpid());
	ks_jw_str(&w, "version", KSEEK_VERSION);
	ks_jw_str(&w, "host", host);
	ks_jw_open(&w, "policy");
	ks_policy_write(&e->policy, &w);
	ks_jw_close(&w);
	ks_engine_observe(e, KS_EV_ENGINE_STARTED, KS_BY_ENGINE, ks_buf_str(&fields));
	ks_buf_fini(&fields);
}

static int make_loop(struct ks_engine *e, struct ks_err *err)
{
	static const int numbers[3] = {SIGTERM, SIGINT, SIGHUP};
	int rc = ks_loop_new(&e->loop, err);

	if (rc < 0) {
		return rc;
	}
	e->timers = ks_timers_new(e->loop, on_timer, e);
	e->linger = ks_timer_new(e->loop, on_linger, e);
	e->sync = ks_timer_new(e->loop, on_sync, e);
	e->resume = ks_timer_new(e->loop, on_resume, e);
	for (int i = 0; rc == 0 && i < 3; i++) {
		rc = ks_signal_new(&e->signals[i], e->loop, numbers[i], on_signal, e, err);
	}
	if (rc == 0) {
		rc = ks_child_subreaper(e->loop, err);
	}
	return rc;
}

static int open_campaign(struct ks_engine *e, struct ks_err *err)
{
	int rc = ks_campaign_paths_init(&e->paths, e->opt.dir, err);

	if (rc == 0) {
		rc = ks_campaign_read(&e->campaign, e->paths.config, err);
	}
	if (rc == 0 && e->campaign.id == NULL) {
		rc = ks_err_set(err, KS_EINVAL,
			"%s: $.id: missing; make the campaign with 'kseek new'", e->paths.config);
	}
	if (rc == 0 && e->opt.agent_spec != NULL && e->opt.agent_spec[0] != 0) {
		rc = ks_engine_agent(&e->campaign, e->opt.agent_spec, e->opt.programs.agents, err);
	}
	if (rc == 0) {
		ks_engine_settings(&e->policy, &e->campaign.policy);
		ks_secrets_read(&e->secrets, e->campaign.agent);
		rc = ks_campaign_make_state(&e->paths, err);
	}
	return rc;
}

int ks_engine_repo(struct ks_engine *e, struct ks_err *err)
{
	struct ks_repo *repo = NULL;

	if (e->repo != NULL && ks_repo_is_there(e->repo)) {
		return 0;
	}
	int rc = ks_repo_open(&repo, e->opt.dir, err);
	if (rc == 0) {
		ks_repo_free(e->repo);
		e->repo = repo;
		ks_repo_clear_locks(e->repo);
	}
	return rc;
}

static int start(struct ks_engine *e, struct ks_err *err)
{
	int rc = open_campaign(e, err);

	if (rc == 0) {
		rc = make_loop(e, err);
	}
	if (rc == 0) {
		e->mark = ks_asprintf("kseek-%s", e->campaign.id);
		rc = open_log(e, err);
	}
	if (rc == 0) {
		/* The log's lock is ours, so what carries our mark is a leftover. */
		ks_proc_kill_marked(e->mark);
		rc = e->opt.agent ? ks_engine_repo(e, err) : 0;
	}
	if (rc == 0) {
		rc = ks_server_start(e, err);
	}
	if (rc == 0) {
		close_leftovers(e);
		ks_cache_cut(e->paths.cache);
		say_started(e);
		note_changes(e);
		ks_engine_permits(e);
	}
	if (rc == 0 && e->opt.agent) {
		rc = ks_engine_command(e, KS_CMD_AGENT_START, KS_BY_ENGINE, ks_str_of("{}"), err);
	}
	return rc;
}

static void say_ready(struct ks_engine *e, int rc, const struct ks_err *err)
{
	const char *text = rc == 0 ? "ready" : err->msg;

	if (e->opt.ready_fd >= 0) {
		ssize_t n = write(e->opt.ready_fd, text, strlen(text));
		n = n < 0 ? n : write(e->opt.ready_fd, "\n", 1);
		(void)n;
		close(e->opt.ready_fd);
		e->opt.ready_fd = -1;
	}
}

static void finish(struct ks_engine *e)
{
	struct ks_err err = KS_ERR_INIT;

	if (e->log != NULL) {
		ks_server_stop(e);
		ks_child_sweep_orphans(e->loop);
		ks_engine_observe(e, KS_EV_ENGINE_STOPPED, KS_BY_ENGINE,
			ks_str_of("\"why\":\"stopped\""));
		(void)ks_log_seal(e->log, &err);
		unlink(e->paths.engine); /* 'kseek stop' waits for that; the log is ours still */
	}
	/* Streams that were told to end get one turn to write what is queued. */
	if (e->loop != NULL && e->conns != NULL) {
		ks_loop_turn(e->loop, 50);
	}
	while (e->conns != NULL) {
		struct ks_conn *c = e->conns;
		e->conns = c->next;
		ks_stream_free(c->stream);
		free(c);
	}
	while (e->evals != NULL) {
		struct ks_evaluation *ev = e->evals;
		e->evals = ev->next;
		ks_eval_free(ev);
	}
	ks_agent_free(e->agent);
	ks_shim_free(e->shim);
	ks_log_close(e->log);
	ks_repo_free(e->repo);
	ks_state_fini(&e->state);
	for (int i = 0; i < 3; i++) {
		ks_signal_free(e->signals[i]);
	}
	if (e->loop != NULL) {
		ks_timers_free(e->timers);
		ks_timer_free(e->linger);
		ks_timer_free(e->sync);
		ks_timer_free(e->resume);
		ks_loop_undefer(e->loop, e);
	}
	ks_loop_free(e->loop);
	ks_campaign_fini(&e->campaign);
	ks_campaign_paths_fini(&e->paths);
	free(e->socket_path);
	free(e->mark);
	free(e->permits);
	free(e->undelivered.result);
	ks_engine_drop_held(e);
	ks_json_free(e->sealed);
	ks_strings_fini(&e->secrets);
}

int ks_engine_run(const struct ks_engine_options *options, struct ks_err *err)
{
	struct ks_engine *e = ks_zalloc(1, sizeof(*e));

	e->opt = *options;
	e->queue_tail = &e->queue;
	e->held_tail = &e->held;
	ks_state_init(&e->state);
	e->policy = *options->policy;
	e->policy.unattended = options->unattended;
	int rc = start(e, err);
	say_ready(e, rc, err);
	if (rc == 0) {
		ks_engine_check_end(e);
		ks_loop_run(e->loop);
	}
	finish(e);
	free(e);
	return rc;
}
