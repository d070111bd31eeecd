/*
 * An evaluation, from the sources to the verdict: commit, write the sealed
 * problem to scratch, build three shared objects, run the judge. One runs at a
 * time; the others wait. Everything that takes time is a child.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "engine/internal.h"
#include "engine/machine.h"
#include "eval/build.h"
#include "eval/problem.h"

#define JUDGE_TIMEOUT_MS (30 * 60 * 1000)
#define RECORDED_MAX (1u << 20)
#define OUTPUT_MAX (256u * 1024) /* of compiler or judge, the rest is dropped */

static const char *const side_names[KS_EVAL_SIDES] = {"seed", "reference", "candidate",
	"yardstick"};

static void begin(struct ks_engine *e);
static void build_next(struct ks_evaluation *ev);

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

static void fail(struct ks_evaluation *ev, const char *stage, struct ks_str text)
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
	fail(ev, "environment", ks_str_of(err->msg));
}

/* ---- judge ---- */

static void judge_output(void *ctx, int fd, struct ks_str bytes, bool cut)
{
	struct ks_evaluation *ev = ctx;

	if (fd == 1) {
		ks_job_line(ev, bytes);
	} else if (ev->out.len < OUTPUT_MAX) {
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
		ks_engine_notice(e, "warn", "while %s was measured, %s; its figures may be off: end it and "
			"measure again", name, ev->strays.ptr);
	}
	if (how->swept > 0) {
		ks_engine_notice(e, "warn",
			"%s left %zu processes behind; they were ended", name, how->swept);
	}
	if (ev->done && how->status == 0) {
		const struct ks_state *s = &e->state;
		int i = ks_state_candidate_number(s, ev->candidate);
		bool good = i >= 0 && s->candidates[i].n_correct == s->candidates[i].n_measured;
		end(ev, good ? 0 : 1);
		return;
	}
	if (ev->abandoned) {
		fail(ev, "cancelled", ks_str_of("the evaluation was cancelled"));
		return;
	}
	if (ev->fail_text != NULL) {
		char *why = ev->fail_text;
		ev->fail_text = NULL;
		fail(ev, "environment", ks_str_of(why));
		free(why);
		return;
	}
	snprintf(text, sizeof(text), "the judge ended early (status %d, signal %d%s): %.120s",
		how->status, how->signal, how->timed_out ? ", out of time" : "",
		ev->out.len > 0 ? ev->out.ptr : "no word on its error output");
	fail(ev, "environment", ks_str_of(text));
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

static void judge_start(struct ks_evaluation *ev)
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
			.argv = argv, .env = ks_env_list(env), .cwd = ev->scratch, .exec = e->opt.programs.exec,
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

/* ---- build ---- */

static void build_output(void *ctx, int fd, struct ks_str bytes, bool cut)
{
	struct ks_evaluation *ev = ctx;

	if (ev->out.len < OUTPUT_MAX) {
		ks_buf_addstr(&ev->out, bytes);
	}
}

/* The compiler's lines name the files as their writer knows them. */
static void shorten_paths(struct ks_evaluation *ev)
{
	char *prefix = ks_asprintf("%s/candidate/", ev->scratch);
	struct ks_str rest = ks_buf_str(&ev->out);
	struct ks_buf short_text = {0};
	ptrdiff_t at;

	while ((at = ks_str_find(rest, ks_str_of(prefix))) >= 0) {
		ks_buf_add(&short_text, rest.ptr, (size_t)at);
		rest.ptr += (size_t)at + strlen(prefix);
		rest.len -= (size_t)at + strlen(prefix);
	}
	ks_buf_addstr(&short_text, rest);
	ks_buf_fini(&ev->out);
	ev->out = short_text;
	free(prefix);
}

/* A yardstick is a help, no need: the evaluation goes on without it. */
static void no_yardstick(struct ks_evaluation *ev, const char *why)
{
	ks_engine_notice(ev->engine, "warn", "no yardstick: %.300s", why);
	free(ev->objects[KS_EVAL_YARDSTICK]);
	ev->objects[KS_EVAL_YARDSTICK] = NULL;
	ev->side = KS_EVAL_SIDES;
}

static void build_exited(void *ctx, const struct ks_child_exit *how)
{
	struct ks_evaluation *ev = ctx;
	struct ks_err err = KS_ERR_INIT;
	char *part = ks_asprintf("%s.part", ev->objects[ev->side]);

	ks_child_free(ev->child);
	ev->child = NULL;
	if (how->status == 0 && rename(part, ev->objects[ev->side]) == 0) {
		ev->side++;
		build_next(ev);
	} else if (ev->abandoned) {
		fail(ev, "cancelled", ks_str_of("the evaluation was cancelled"));
	} else if (ev->side == KS_EVAL_YARDSTICK) {
		no_yardstick(ev, ev->out.len > 0 ? ev->out.ptr : "no output of the compiler");
		build_next(ev);
	} else if (ev->side == KS_EVAL_CANDIDATE) {
		if (how->timed_out) {
			ks_buf_adds(&ev->out, "the compiler took too long and was ended\n");
		} else if (ev->out.len == 0) {
			ks_buf_addf(&ev->out, "the compiler ended with status %d, signal %d\n",
				how->status, how->signal);
		}
		shorten_paths(ev);
		fail(ev, "build", ks_buf_str(&ev->out));
	} else {
		ks_err_set(&err, KS_EBUILD, "the sealed %s does not build on this machine: %.300s",
			side_names[ev->side], ev->out.len > 0 ? ev->out.ptr : "no output");
		fail_err(ev, &err);
	}
	free(part);
}

static int build_start(struct ks_evaluation *ev, struct ks_build_spec *build, struct ks_err *err)
{
	struct ks_engine *e = ev->engine;
	struct ks_walls walls;
	char **argv = NULL;
	char *part = ks_asprintf("%s.part", ev->objects[ev->side]);
	struct ks_env *env = ks_env_clean();

	/* A campaign in the temporary folder hides that folder from its compiler. */
	ks_env_set(env, "TMPDIR", ev->scratch);
	build->out = part;
	int rc = ks_build_argv(&argv, build, err);
	if (rc == 0) {
		ks_walls_init(&walls, e, build, argv[0], ev->scratch);
		const struct ks_child_spec spec = {
			.argv = (const char *const *)argv, .env = ks_env_list(env),
			.cwd = ev->scratch, .exec = e->opt.programs.exec,
			.limits = {.mem_mb = ks_build_memory_mb(build->target), .file_mb = 256,
				.cpu_s = ks_build_seconds(build->target), .pdeathsig = true,
				.hide = (const char *const *)walls.hide.items,
				.show = (const char *const *)walls.show.items},
			.mark = e->mark, .timeout_ms = ks_build_seconds(build->target) * 1000,
			.output = build_output, .exited = build_exited, .ctx = ev
		};
		rc = ks_child_start(&ev->child, e->loop, &spec, err);
		ks_build_argv_free(argv);
		ks_walls_fini(&walls);
	}
	ks_env_free(env);
	free(part);
	return rc;
}

static const struct ks_json *yardstick(const struct ks_evaluation *ev)
{
	return ks_json_get(ev->engine->sealed, "yardstick");
}

/* Whether there is something to build for it, and a use for it. */
static bool wants_yardstick(const struct ks_evaluation *ev)
{
	return ev->perf && yardstick(ev) != NULL &&
		!ks_json_get_bool(yardstick(ev), "recorded", false);
}

/* Paths of the sources of one side: first the one with the entry. */
static int side_sources(struct ks_evaluation *ev, struct ks_strings *out, char **out_dir,
	struct ks_err *err)
{
	const char *target = ks_target_name(ev->engine->campaign.target);
	char *problem = ks_path_join(ev->scratch, "problem");
	int rc = 0;

	if (ev->side == KS_EVAL_YARDSTICK) {
		*out_dir = ks_path_join(problem, "yardstick");
		char *path = ks_path_join(*out_dir, ks_json_get_str(yardstick(ev), "file", ""));
		ks_strings_add(out, path);
		free(path);
	} else if (ev->side == KS_EVAL_CANDIDATE) {
		*out_dir = ks_path_join(ev->scratch, "candidate");
		for (size_t i = 0; i < ev->n_files; i++) {
			char *path = ks_path_join(*out_dir, ev->files[i].path);
			ks_strings_add(out, path);
			free(path);
		}
	} else {
		struct ks_problem *p = NULL;
		const char *const *names;
		size_t count;
		rc = ks_problem_load(&p, problem, err);
		if (rc == 0) {
			rc = ks_problem_sources(&names, &count, p, target, side_names[ev->side], err);
		}
		for (size_t i = 0; rc == 0 && i < count; i++) {
			char *path = ks_path_join(problem, names[i]);
			ks_strings_add(out, path);
			free(path);
		}
		ks_problem_free(p);
		*out_dir = ks_strdup(problem);
	}
	free(problem);
	return rc;
}

static int build_side(struct ks_evaluation *ev, struct ks_err *err)
{
	struct ks_engine *e = ev->engine;
	struct ks_strings sources = {0};
	char *dir = NULL;
	int rc = side_sources(ev, &sources, &dir, err);

	const char *more = ev->side == KS_EVAL_YARDSTICK ?
		ks_json_get_str(yardstick(ev), "flags", "") : "";
	char *flags = ks_asprintf("%s%s%s", ks_json_get_str(e->sealed, "flags", ""),
		more[0] != 0 ? " " : "", more);

	if (rc == 0) {
		const char *includes[2] = {dir, e->opt.programs.include};
		struct ks_build_spec build = {
			.target = ks_target_name(e->campaign.target),
			.flags = flags,
			.sources = (const char *const *)sources.items, .nsources = sources.count,
			.includes = includes, .nincludes = 2,
			.threads = (int)ks_json_get_int(e->sealed, "threads", 1)
		};
		rc = ks_cache_path(&ev->objects[ev->side], e->paths.cache, &build, err);
		if (rc == 0 && !ks_file_exists(ev->objects[ev->side])) {
			rc = build_start(ev, &build, err);
		}
	}
	ks_strings_fini(&sources);
	free(flags);
	free(dir);
	return rc;
}

static void build_next(struct ks_evaluation *ev)
{
	struct ks_err err = KS_ERR_INIT;

	ev->stage = KS_EVAL_BUILDING;
	ks_buf_clear(&ev->out);
	while (ev->side < (wants_yardstick(ev) ? KS_EVAL_SIDES : KS_EVAL_YARDSTICK)) {
		if (build_side(ev, &err) < 0) {
			if (ev->side == KS_EVAL_YARDSTICK) {
				no_yardstick(ev, err.msg);
				break;
			}
			fail_err(ev, &err);
			return;
		}
		if (ev->child != NULL) {
			return;
		}
		ev->side++;
	}
	judge_start(ev);
}

/* ---- begins ---- */

static void say_committed(struct ks_evaluation *ev, int parent)
{
	struct ks_buf fields = {0};
	struct ks_jw w;

	ks_jw_members(&w, &fields);
	ks_jw_int(&w, "candidate", ev->candidate);
	ks_jw_str(&w, "commit", ev->commit);
	ks_jw_str(&w, "hash", ev->hash);
	ks_jw_int(&w, "parent", parent);
	ks_jw_int(&w, "eval", ev->id);
	ks_jw_int(&w, "files", (int64_t)ev->n_files);
	ks_jw_int(&w, "lines", (int64_t)ev->lines);
	ks_engine_observe(ev->engine, KS_EV_CANDIDATE_COMMITTED, KS_BY_EVALUATOR, ks_buf_str(&fields));
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
		say_committed(ev, s->candidates[parent].number);
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
	build_next(ev);
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
		fail(e->evals, "cancelled", ks_str_of("the engine was stopped"));
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
