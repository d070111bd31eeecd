/*
 * An evaluation, from the sources to the verdict: commit, write the sealed
 * problem to scratch, build the shared objects (compile.c), run the judge. One
 * runs at a time; the others wait. Everything that takes time is a child.
 */
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "engine/internal.h"
#include "engine/machine.h"

#define JUDGE_TIMEOUT_MS (30 * 60 * 1000)
#define RECORDED_MAX (1u << 20)

static void begin(struct ks_engine *e);

void ks_eval_free(struct ks_evaluation *ev)
{
	ks_child_free(ev->child);
	ks_repo_files_free(ev->files, ev->n_files);
	for (size_t i = 0; i < ev->n_only; i++) {
		free(ev->only[i]);
	}
	free(ev->only);
	if (ev->scratch != NULL) {
		struct ks_err err = KS_ERR_INIT;
		(void)ks_file_remove_tree(ev->scratch, &err);
	}
	free(ev->scratch);
	for (int i = 0; i < KS_EVAL_SIDES; i++) {
		free(ev->objects[i]);
	}
	ks_json_free(ev->recorded);
	ks_strays_free(ev->watch);
	ks_buf_fini(&ev->strays);
	ks_buf_fini(&ev->notes);
	ks_buf_fini(&ev->out);
	ks_buf_fini(&ev->told);
	free(ev->fail_text);
	free(ev->libraries);
	free(ev);
}

/* ---- ends ---- */

static void next_one(void *ctx)
{
	struct ks_engine *e = ctx;

	begin(e);
	ks_engine_check_end(e);
}

static void end(struct ks_evaluation *ev, int exit_status)
{
	struct ks_engine *e = ev->engine;
	struct ks_buf note = {0};
	struct ks_err err = KS_ERR_INIT;

	ks_result_note(&note, &e->state, ks_state_candidate_number(&e->state, ev->candidate));
	if (ev->commit[0] != 0 && note.len > 0 && ks_repo_note_set(e->repo, ev->commit,
			ks_buf_str(&note), ks_clock_wall_us(), &err) < 0) {
		char name[KS_CANDIDATE_TEXT];
		ks_engine_notice(e, "warn", "the note of %s was not written: %s",
			ks_candidate_name(name, ev->candidate), err.msg);
	}
	ks_buf_fini(&note);
	ks_server_eval_done(e, ev, exit_status);
	/* The event that ended it may have queued a confirming run behind. */
	struct ks_evaluation **at = &e->evals;
	while (*at != NULL && *at != ev) {
		at = &(*at)->next;
	}
	if (*at == ev) {
		*at = ev->next;
	}
	ks_eval_free(ev);
	ks_loop_defer(e->loop, next_one, e);
}

void ks_eval_fail(struct ks_evaluation *ev, const char *stage, struct ks_str text)
{
	struct ks_buf fields = {0};
	struct ks_jw w;

	ks_jw_members(&w, &fields);
	ks_jw_int(&w, "eval", ev->id);
	ks_jw_bool(&w, "confirm", ev->confirm);
	ks_jw_int(&w, "candidate", ev->candidate);
	ks_jw_str(&w, "stage", stage);
	ks_jw_slice(&w, "text", text);
	ev->failed = true;
	ev->fail_text = ks_strndup(text.len > 0 ? text.ptr : "", text.len);
	ks_engine_observe(ev->engine, KS_EV_EVAL_FAILED, KS_BY_EVALUATOR, ks_buf_str(&fields));
	ks_buf_fini(&fields);
	end(ev, strcmp(stage, "build") == 0 ? 4 : 3);
}

static void fail_err(struct ks_evaluation *ev, const struct ks_err *err)
{
	ks_eval_fail(ev, "environment", ks_str_of(err->msg));
}

/* ---- judge ---- */

static void judge_output(void *ctx, int fd, struct ks_str bytes, bool cut)
{
	struct ks_evaluation *ev = ctx;

	if (fd == 1) {
		ks_job_line(ev, bytes);
	} else if (ev->out.len < KS_EVAL_OUTPUT_MAX) {
		ks_buf_addstr(&ev->out, bytes);
		ks_buf_addc(&ev->out, '\n');
	}
}

static void judge_exited(void *ctx, const struct ks_child_exit *how)
{
	struct ks_evaluation *ev = ctx;
	struct ks_engine *e = ev->engine;
	char text[256], name[KS_CANDIDATE_TEXT];

	ks_candidate_name(name, ev->candidate);
	ks_child_free(ev->child);
	ev->child = NULL;
	ks_strays_free(ev->watch);
	ev->watch = NULL;
	if (ev->strays.len > 0) {
		ks_engine_notice(e, "warn",
			"while %s was measured, %s; its figures may be off: end it if "
			"it still runs, and measure again", name, ev->strays.ptr);
	}
	if (how->swept > 0) {
		ks_engine_notice(e, "warn",
			"%s left %zu process%s behind, which %s ended", name, how->swept,
			how->swept == 1 ? "" : "es", how->swept == 1 ? "was" : "were");
	}
	if (ev->done && how->status == 0) {
		const struct ks_state *s = &e->state;
		int i = ks_state_candidate_number(s, ev->candidate);
		bool good = i >= 0 && s->candidates[i].n_correct == s->candidates[i].n_measured;
		end(ev, good ? 0 : 1);
		return;
	}
	if (ev->abandoned) {
		ks_eval_fail(ev, "cancelled", ks_str_of("the evaluation was cancelled"));
		return;
	}
	if (ev->fail_text != NULL) {
		char *why = ev->fail_text;
		ev->fail_text = NULL;
		ks_eval_fail(ev, "environment", ks_str_of(why));
		free(why);
		return;
	}
	snprintf(text, sizeof(text), "the judge ended early (status %d, signal %d%s): %.120s",
		how->status, how->signal, how->timed_out ? ", out of time" : "",
		ev->out.len > 0 ? ev->out.ptr : "no word on its error output");
	ks_eval_fail(ev, "environment", ks_str_of(text));
}

/* Recorded times of a yardstick, from the sealed problem. */
static void read_recorded(struct ks_evaluation *ev)
{
	const struct ks_json *y = ks_json_get(ev->engine->sealed, "yardstick");
	struct ks_buf text = {0};
	struct ks_err err = KS_ERR_INIT;

	if (!ks_json_get_bool(y, "recorded", false) || ev->recorded != NULL) {
		return;
	}
	char *path = ks_asprintf("%s/problem/yardstick/%s", ev->scratch,
		ks_json_get_str(y, "file", ""));
	if (ks_file_read(&text, path, RECORDED_MAX, &err) == 0) {
		(void)ks_json_parse(&ev->recorded, text.ptr, text.len, &err);
	}
	ks_buf_fini(&text);
	free(path);
}

void ks_eval_judge(struct ks_evaluation *ev)
{
	struct ks_engine *e = ev->engine;
	struct ks_buf job = {0};
	struct ks_err err = KS_ERR_INIT;
	char *path = ks_path_join(ev->scratch, "job.json");

	read_recorded(ev);
	ks_job_write(&job, e, ev);
	int rc = ks_file_write(path, ks_buf_str(&job), 0600, &err);
	ks_buf_fini(&job);
	ks_buf_clear(&ev->out);
	if (rc == 0) {
		const char *argv[] = {e->opt.programs.judge, path, NULL};
		struct ks_env *env = ks_judge_env();
		const struct ks_child_spec spec = {
			.argv = argv, .env = ks_env_list(env), .cwd = ev->scratch,
			.exec = e->opt.programs.exec,
			.limits = {.pdeathsig = true}, .mark = e->mark,
			.line_max = 256 * 1024, .timeout_ms = JUDGE_TIMEOUT_MS,
			.output = judge_output, .exited = judge_exited, .ctx = ev
		};
		ev->stage = KS_EVAL_JUDGING;
		rc = ks_child_start(&ev->child, e->loop, &spec, &err);
		ks_env_free(env);
		if (rc == 0) {
			ev->watch = ks_strays_begin(ev);
		}
	}
	free(path);
	if (rc < 0) {
		fail_err(ev, &err);
	}
}

/* ---- begins ---- */

/* What was changed; that it cannot be told is no failure of the candidate. */
static void put_changes(struct ks_jw *w, const struct ks_evaluation *ev, const char *parent)
{
	struct ks_repo_diff_stat stat = {0};
	struct ks_buf diff = {0};
	struct ks_err err = KS_ERR_INIT;

	if (ks_repo_diff(ev->engine->repo, parent, ev->commit, &diff, &stat, &err) == 0) {
		ks_jw_int(w, "added", (int64_t)stat.added);
		ks_jw_int(w, "removed", (int64_t)stat.removed);
		ks_jw_slice(w, "text", ks_buf_str(&diff));
	}
	ks_buf_fini(&diff);
}

static void say_committed(struct ks_evaluation *ev, const struct ks_candidate *parent)
{
	struct ks_buf fields = {0};
	struct ks_jw w;

	ks_jw_members(&w, &fields);
	ks_jw_int(&w, "candidate", ev->candidate);
	ks_jw_str(&w, "commit", ev->commit);
	ks_jw_str(&w, "hash", ev->hash);
	ks_jw_int(&w, "parent", parent->number);
	ks_jw_int(&w, "eval", ev->id);
	ks_jw_int(&w, "files", (int64_t)ev->n_files);
	ks_jw_int(&w, "lines", (int64_t)ev->lines);
	put_changes(&w, ev, parent->commit);
	ks_engine_observe(ev->engine, KS_EV_CANDIDATE_COMMITTED, KS_BY_EVALUATOR,
		ks_buf_str(&fields));
	ks_buf_fini(&fields);
}

/* The candidate with these sources, or a new commit. */
static int commit(struct ks_evaluation *ev, struct ks_err *err)
{
	struct ks_engine *e = ev->engine;
	const struct ks_state *s = &e->state;
	struct ks_buf message = {0};

	for (size_t i = 0; i < s->n_candidates; i++) {
		if (strcmp(s->candidates[i].hash, ev->hash) == 0) {
			ev->candidate = s->candidates[i].number;
			snprintf(ev->commit, sizeof(ev->commit), "%s", s->candidates[i].commit);
			return 0;
		}
	}
	int parent = s->last >= 0 ? s->last : 0;
	ev->candidate = s->n_candidates > 0 ? s->candidates[s->n_candidates - 1].number + 1 : 1;
	ks_result_message(&message, ev->candidate, s->candidates[parent].number, ev->hash);
	const struct ks_repo_commit commit = {
		.files = ev->files, .count = ev->n_files, .parent = s->candidates[parent].commit,
		.message = message.ptr, .t = ks_clock_wall_us()
	};
	int rc = ks_repo_commit(e->repo, &commit, ev->commit, err);
	ks_buf_fini(&message);
	if (rc == 0) {
		say_committed(ev, &s->candidates[parent]);
	}
	return rc;
}

static void say_started(struct ks_evaluation *ev)
{
	const struct ks_state *s = &ev->engine->state;
	struct ks_buf fields = {0};
	struct ks_jw w;

	ks_jw_members(&w, &fields);
	ks_jw_int(&w, "eval", ev->id);
	ks_jw_int(&w, "candidate", ev->candidate);
	ks_jw_str(&w, "hash", ev->hash);
	ks_jw_bool(&w, "confirm", ev->confirm);
	ks_jw_bool(&w, "perf", ev->perf);
	ks_jw_int(&w, "total", (int64_t)(ev->n_only > 0 ? ev->n_only : s->n_scenarios));
	ks_engine_observe(ev->engine, KS_EV_EVAL_STARTED, KS_BY_EVALUATOR, ks_buf_str(&fields));
	ks_buf_fini(&fields);
}

static int prepare(struct ks_evaluation *ev, struct ks_err *err)
{
	struct ks_engine *e = ev->engine;
	char *problem, *candidate;
	int rc = 0;

	ev->scratch = ks_asprintf("%s/scratch/%lld", e->paths.state, (long long)ev->id);
	problem = ks_path_join(ev->scratch, "problem");
	candidate = ks_path_join(ev->scratch, "candidate");
	char *work = ks_path_join(ev->scratch, "w");
	rc = ks_file_mkdirs(work, 0700, err);
	free(work);
	if (rc == 0) {
		rc = ks_file_mkdirs(e->paths.cache, 0700, err);
	}
	if (rc == 0) {
		rc = ks_engine_repo(e, err);
	}
	if (rc == 0 && ev->confirm) {
		rc = ks_repo_read(e->repo, ev->commit, &ev->files, &ev->n_files, err);
	} else if (rc == 0) {
		rc = commit(ev, err);
	}
	if (rc == 0) {
		rc = ks_repo_materialise(e->repo, e->state.tree, problem, err);
	}
	if (rc == 0) {
		rc = ks_snapshot_write(ev->files, ev->n_files, candidate, err);
	}
	free(problem);
	free(candidate);
	return rc;
}

static void begin(struct ks_engine *e)
{
	struct ks_evaluation *ev = e->evals;
	struct ks_err err = KS_ERR_INIT;

	/* A stopped log knows no new candidate: numbers would come twice. */
	if (ev == NULL || ev->stage != KS_EVAL_WAITING || ev->scratch != NULL || e->log_stopped) {
		return;
	}
	ev->started_ms = ks_loop_now_ms(e->loop);
	int rc = prepare(ev, &err);
	say_started(ev);
	if (rc < 0) {
		fail_err(ev, &err);
		return;
	}
	ks_eval_build(ev);
}

static void begin_later(void *ctx)
{
	begin(ctx);
}

void ks_eval_resume(struct ks_engine *e)
{
	ks_loop_defer(e->loop, begin_later, e);
}

static struct ks_evaluation *confirm_run(struct ks_engine *e, const struct ks_effect *fx)
{
	int i = ks_state_candidate_number(&e->state, fx->candidate);

	if (i < 0) {
		return NULL;
	}
	const struct ks_candidate *c = &e->state.candidates[i];
	struct ks_evaluation *ev = ks_zalloc(1, sizeof(*ev));
	ev->confirm = ev->perf = true;
	ev->by = KS_BY_ENGINE;
	ev->candidate = c->number;
	ev->lines = (size_t)c->lines;
	snprintf(ev->hash, sizeof(ev->hash), "%s", c->hash);
	snprintf(ev->commit, sizeof(ev->commit), "%s", c->commit);
	return ev;
}

void ks_eval_start(struct ks_engine *e, const struct ks_effect *fx)
{
	struct ks_evaluation *ev = fx->flag ? confirm_run(e, fx) : e->asked;
	struct ks_evaluation **at = &e->evals;

	if (!fx->flag) {
		e->asked = NULL;
	}
	if (ev == NULL) {
		return;
	}
	ev->engine = e;
	ev->id = fx->id;
	while (*at != NULL) {
		at = &(*at)->next;
	}
	*at = ev;
	ks_loop_defer(e->loop, begin_later, e);
}

void ks_eval_cancel_all(struct ks_engine *e)
{
	struct ks_evaluation *running = NULL;

	for (struct ks_evaluation *ev = e->evals; ev != NULL; ev = ev->next) {
		ev->abandoned = true;
		if (ev->child != NULL) {
			running = ev;
		}
	}
	if (running != NULL) {
		ks_child_stop(running->child);
	}
	while (e->evals != NULL && e->evals->child == NULL) {
		ks_eval_fail(e->evals, "cancelled", ks_str_of("the engine was stopped"));
	}
}

/* Names of the scenarios asked for: a list, or a set. */
static int selection(struct ks_evaluation *ev, const struct ks_state *s, const struct ks_json *args,
	struct ks_err *err)
{
	const struct ks_json *only = ks_json_get(args, "only");
	const char *set = ks_json_get_str(args, "set", NULL);

	ev->only = ks_zalloc(s->n_scenarios + 1, sizeof(*ev->only));
	for (const struct ks_json *n = ks_json_first(only); n != NULL; n = ks_json_next(n)) {
		int i = ks_state_scenario(s, ks_json_str(n, ""));
		if (i < 0 || s->scenarios[i].heldout || ev->n_only == s->n_scenarios) {
			return ks_err_set(err, KS_EINVAL, "eval: no scenario '%.60s'; "
				"see 'kseek status --scenarios'", ks_json_str(n, ""));
		}
		ev->only[ev->n_only++] = ks_strdup(s->scenarios[i].name);
	}
	for (size_t i = 0; set != NULL && i < s->n_scenarios; i++) {
		if (strcmp(s->scenarios[i].set, set) == 0 && !s->scenarios[i].heldout) {
			ev->only[ev->n_only++] = ks_strdup(s->scenarios[i].name);
		}
	}
	if (set != NULL && ev->n_only == 0) {
		return ks_err_set(err, KS_EINVAL, "eval: no set '%.60s'; "
			"see 'kseek status --scenarios'", set);
	}
	ev->partial = ev->n_only > 0;
	return 0;
}

int ks_engine_eval(struct ks_engine *e, enum ks_by by, struct ks_repo_file *files,
	size_t n_files, const struct ks_json *args, int64_t *out_id, struct ks_err *err)
{
	struct ks_evaluation *ev = ks_zalloc(1, sizeof(*ev));
	struct ks_buf text = {0};
	struct ks_jw w;

	ev->engine = e;
	ev->files = files;
	ev->n_files = n_files;
	ev->by = by;
	ev->candidate = -1;
	ev->perf = ks_json_get_bool(args, "perf", true);
	ev->lines = ks_snapshot_lines(files, n_files);
	ks_snapshot_hash(files, n_files, ev->hash);
	int rc = selection(ev, &e->state, args, err);
	if (rc < 0) {
		ks_eval_free(ev);
		return rc;
	}
	ks_jw_init(&w, &text);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "files_hash", ev->hash);
	ks_jw_bool(&w, "perf", ev->perf);
	ks_jw_bool(&w, "partial", ev->partial);
	if (ks_json_get_str(args, "source", NULL) != NULL) {
		ks_jw_str(&w, "source", ks_json_get_str(args, "source", NULL));
	}
	if (ks_json_get(args, "only") != NULL) {
		ks_jw_node(&w, "only", ks_json_get(args, "only"));
	}
	if (ks_json_get_str(args, "set", NULL) != NULL) {
		ks_jw_str(&w, "set", ks_json_get_str(args, "set", NULL));
	}
	ks_jw_close(&w);
	e->asked = ev;
	rc = ks_engine_command(e, KS_CMD_EVAL, by, ks_buf_str(&text), err);
	ks_buf_fini(&text);
	if (rc == 0 && e->asked == ev) {
		rc = ks_err_set(err, KS_EBUSY, "eval: not accepted now; try again");
	}
	if (rc < 0) {
		e->asked = NULL;
		ks_eval_free(ev);
		return rc;
	}
	*out_id = ev->id;
	return 0;
}
