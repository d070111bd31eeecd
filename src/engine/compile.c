/*
 * The shared objects of an evaluation: each side is compiled by a child, or found
 * in the cache.
 *
 * A compiler that fails says something about the candidate only if it could have
 * worked. Where it names no error in the candidate's sources, the sealed seed is
 * the control: if that does not build here and now either, or if the compiler was
 * killed, the machine has failed and not the candidate.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/sane.h"
#include "engine/internal.h"
#include "engine/machine.h"
#include "eval/build.h"
#include "eval/problem.h"

/* The control is the seed once more. */
static const char *const side_names[KS_EVAL_SIDES] = {"seed", "reference", "candidate",
	"yardstick", "seed"};

static int build_side(struct ks_evaluation *ev, struct ks_err *err);

static void fail_err(struct ks_evaluation *ev, const struct ks_err *err)
{
	ks_eval_fail(ev, "environment", ks_str_of(err->msg));
}

static void build_output(void *ctx, int fd, struct ks_str bytes, bool cut)
{
	struct ks_evaluation *ev = ctx;

	if (ev->out.len < KS_EVAL_OUTPUT_MAX) {
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
	char *prefix = ks_asprintf("%s/problem/", ev->scratch);
	struct ks_str line = ks_compiler_error(ks_str_of(why));

	if (ks_str_starts(line, prefix)) {
		line.ptr += strlen(prefix);
		line.len -= strlen(prefix);
	}
	free(prefix);
	ks_sane_into(ev->no_yard, sizeof(ev->no_yard), line, KS_SANE_ONE_LINE);
	ks_engine_notice(ev->engine, "warn", "no yardstick: %s", ev->no_yard);
	free(ev->objects[KS_EVAL_YARDSTICK]);
	ev->objects[KS_EVAL_YARDSTICK] = NULL;
	ev->side = KS_EVAL_CONTROL;
}

/* ---- what a compiler's failure says ---- */

/* A line of the compiler in which it finds fault with one of the candidate's files:
 * it has read them. What it calls fatal may be the disk's fault as well. */
static bool names_an_error(const struct ks_evaluation *ev)
{
	char *prefix = ks_asprintf("%s/candidate/", ev->scratch);
	struct ks_str rest = ks_buf_str(&ev->out), line;
	bool found = false;

	while (!found && ks_str_next(&rest, '\n', &line)) {
		found = ks_str_starts(line, prefix) && ks_str_find(line, KS_STR(": error")) >= 0;
	}
	free(prefix);
	return found;
}

/* Ended from outside: the compiler itself, or what it runs, as it tells. A limit of
 * ours that was reached is none of that. */
static bool was_killed(const struct ks_evaluation *ev, const struct ks_child_exit *how)
{
	static const char *const told[] = {"Killed signal terminated program", /* gcc */
		"unable to execute command: Killed", /* clang */
		"died due to signal 9"};             /* nvcc */
	struct ks_str out = ks_buf_str(&ev->out);
	bool killed = how->signal != 0 && how->signal != SIGXCPU && how->signal != SIGXFSZ;

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		killed = killed || ks_str_find(out, ks_str_of(told[i])) >= 0;
	}
	return killed;
}

static void does_not_build(struct ks_evaluation *ev)
{
	shorten_paths(ev);
	ks_eval_fail(ev, "build", ks_buf_str(&ev->out));
}

static void machine_failed(struct ks_evaluation *ev, const char *what)
{
	shorten_paths(ev);
	struct ks_str said = ks_str_trim(ks_buf_str(&ev->out));
	char *text = ks_asprintf("%s, which says nothing about the candidate; look at memory, disk "
		"and compiler, and evaluate again%s%.*s", what, said.len > 0 ? "\n" : "",
		KS_FMT(said));
	ks_eval_fail(ev, "environment", ks_str_of(text));
	free(text);
}

static void control_start(struct ks_evaluation *ev)
{
	struct ks_err err = KS_ERR_INIT;

	ev->told = ev->out;
	ev->out = (struct ks_buf){0};
	ev->side = KS_EVAL_CONTROL;
	if (build_side(ev, &err) < 0) {
		fail_err(ev, &err);
	}
}

static void control_exited(struct ks_evaluation *ev, bool good)
{
	if (good) {
		ks_buf_fini(&ev->out);
		ev->out = ev->told;
		ev->told = (struct ks_buf){0};
		does_not_build(ev);
	} else {
		machine_failed(ev, "the compiler cannot work here: it does not build the sealed "
			"seed either");
	}
}

static void candidate_failed(struct ks_evaluation *ev, const struct ks_child_exit *how)
{
	if (how->timed_out) {
		ks_buf_adds(&ev->out, "the compiler took too long and was ended\n");
	} else if (ev->out.len == 0) {
		ks_buf_addf(&ev->out, "the compiler ended with status %d, signal %d\n",
			how->status, how->signal);
	}
	if (how->timed_out || names_an_error(ev)) {
		does_not_build(ev);
	} else if (was_killed(ev, how)) {
		machine_failed(ev, "the compiler was killed");
	} else {
		control_start(ev);
	}
}

/* An object that is whole gets its name in the cache. */
static void built(struct ks_evaluation *ev)
{
	struct ks_err err = KS_ERR_INIT;
	char *part = ks_asprintf("%s.part", ev->objects[ev->side]);

	if (rename(part, ev->objects[ev->side]) == 0) {
		ev->side++;
		ks_eval_build(ev);
	} else {
		ks_err_set(&err, KS_EIO, "%s: %s; the %s was built and cannot be kept there", part,
			strerror(errno), side_names[ev->side]);
		fail_err(ev, &err);
	}
	free(part);
}

static void build_exited(void *ctx, const struct ks_child_exit *how)
{
	struct ks_evaluation *ev = ctx;
	struct ks_err err = KS_ERR_INIT;

	ks_child_free(ev->child);
	ev->child = NULL;
	if (ev->abandoned) {
		ks_eval_fail(ev, "cancelled", ks_str_of("the evaluation was cancelled"));
	} else if (ev->side == KS_EVAL_CONTROL) {
		control_exited(ev, how->status == 0);
	} else if (how->status == 0) {
		built(ev);
	} else if (ev->side == KS_EVAL_YARDSTICK) {
		no_yardstick(ev, ev->out.len > 0 ? ev->out.ptr : "no output of the compiler");
		ks_eval_build(ev);
	} else if (ev->side == KS_EVAL_CANDIDATE) {
		candidate_failed(ev, how);
	} else {
		ks_err_set(&err, KS_EBUILD, "the sealed %s does not build on this machine: %.300s",
			side_names[ev->side], ev->out.len > 0 ? ev->out.ptr : "no output");
		fail_err(ev, &err);
	}
}

/* ---- building ---- */

static int build_start(struct ks_evaluation *ev, struct ks_build_spec *build, struct ks_err *err)
{
	struct ks_engine *e = ev->engine;
	struct ks_walls walls;
	char **argv = NULL;
	char *part = ks_asprintf("%s.part", ev->objects[ev->side]);
	struct ks_env *env = ks_env_clean();

	/* A campaign in the temporary folder hides that folder from its compiler. What it
	 * says is read, so it speaks one language everywhere. */
	ks_env_set(env, "TMPDIR", ev->scratch);
	ks_env_set(env, "LC_ALL", "C.UTF-8");
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
			rc = ks_problem_sources(&names, &count, p, target, side_names[ev->side],
				err);
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
			.threads = (int)ks_json_get_int(e->sealed, "threads", 1),
			.libraries = ev->side == KS_EVAL_YARDSTICK
		};
		if (ev->side == KS_EVAL_CONTROL) {
			ev->objects[ev->side] = ks_path_join(ev->scratch, "control.so");
		} else {
			rc = ks_cache_path(&ev->objects[ev->side], e->paths.cache, &build, err);
		}
		if (rc == 0 && !ks_file_exists(ev->objects[ev->side])) {
			rc = build_start(ev, &build, err);
		}
	}
	ks_strings_fini(&sources);
	free(flags);
	free(dir);
	return rc;
}

void ks_eval_build(struct ks_evaluation *ev)
{
	struct ks_err err = KS_ERR_INIT;

	ev->stage = KS_EVAL_BUILDING;
	ks_buf_clear(&ev->out);
	while (ev->side < (wants_yardstick(ev) ? KS_EVAL_CONTROL : KS_EVAL_YARDSTICK)) {
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
	ks_eval_judge(ev);
}

