/* kseek doctor: what this machine has of what kseek uses. */
#include <errno.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "app/common.h"
#include "app/paths.h"
#include "app/subs.h"
#include "base/mem.h"
#include "base/plural.h"
#include "eval/build.h"
#include "loop/run.h"

#ifndef __NR_landlock_create_ruleset
#define __NR_landlock_create_ruleset 444
#endif

enum rating { GOOD, MISSING, BROKEN };

struct report {
	bool good, json;
	struct ks_buf out;
	struct ks_jw w;
};

static void row(struct report *r, const char *what, enum rating rating, const char *text)
{
	static const char *const words[] = {"ok", "absent", "BROKEN"};
	static const char *const states[] = {"ok", "absent", "broken"};
	struct ks_buf line = {0};

	r->good = r->good && rating != BROKEN;
	if (r->json) {
		ks_jw_open(&r->w, NULL);
		ks_jw_str(&r->w, "part", what);
		ks_jw_str(&r->w, "state", states[rating]);
		ks_jw_str(&r->w, "text", text);
		ks_jw_close(&r->w);
		return;
	}
	ks_buf_addf(&line, "%-7s %-26s %s", words[rating], what, text);
	if (strchr(text, ' ') != NULL) {
		ks_put_line(stdout, line.ptr, 35);
	} else { /* a path, to be copied whole */
		ks_put(stdout, line.ptr, 0);
		putchar('\n');
	}
	ks_buf_fini(&line);
}

static void tool(struct report *r, const char *program, const char *without)
{
	char *path = ks_paths_which(program);

	row(r, program, path != NULL ? GOOD : MISSING, path != NULL ? path : without);
	free(path);
}

/* By the search that builds use, so that what is said here holds there. */
static void nvcc(struct report *r)
{
	struct ks_err err = KS_ERR_INIT;
	char *path = NULL;
	bool found = ks_build_find_nvcc(&path, &err) == 0;

	row(r, "nvcc", found ? GOOD : MISSING, found ? path : err.msg);
	free(path);
}

static void put_found(struct report *r, const char *what, int found, const char *path,
	const struct ks_err *err)
{
	row(r, what, found == 0 ? GOOD : BROKEN, found == 0 ? path : err->msg);
}

static void check_parts(struct report *r)
{
	static const char *const programs[] = {"kseek-engine", "kseek-judge", "kseek-worker",
		"kseek-exec", NULL};
	static const char *const data[] = {"bank/core", "kernels/include", "scenarios", NULL};

	for (int i = 0; programs[i] != NULL; i++) {
		struct ks_err err = KS_ERR_INIT;
		char *path = NULL;
		int found = ks_paths_program(&path, programs[i], &err);
		put_found(r, programs[i], found, path, &err);
		free(path);
	}
	for (int i = 0; data[i] != NULL; i++) {
		struct ks_err err = KS_ERR_INIT;
		char *path = NULL;
		int found = ks_paths_data(&path, data[i], &err);
		put_found(r, data[i], found, path, &err);
		free(path);
	}
}

/* What the kernel has of Landlock; of an older one, what stands open instead. */
static void landlock(struct report *r, bool guards)
{
	long abi = syscall(__NR_landlock_create_ruleset, NULL, (size_t)0, 1);
	int sys = abi < 0 ? errno : 0;
	char text[256];

	if (guards && abi > 0) {
		snprintf(text, sizeof(text), "guard of the worker and of compilers, version %ld",
			abi);
	} else {
		snprintf(text, sizeof(text),
			"%s: compilers can read homes and the campaign's folder, "
			"and the worker's files are guarded by namespaces and system calls alone",
			sys == ENOSYS ? "this Linux has none (since 5.13)" :
			sys != 0 ? "switched off in this Linux" : "does not take effect");
	}
	row(r, "Landlock", guards && abi > 0 ? GOOD : MISSING, text);
}

static void show_gpus(struct report *r, const struct ks_json *list)
{
	for (const struct ks_json *n = ks_json_first(list); n != NULL; n = ks_json_next(n)) {
		row(r, ks_json_get_str(n, "what", ""),
			ks_json_get_bool(n, "ok", false) ? GOOD : MISSING,
			ks_json_get_str(n, "text", ""));
	}
}

/* What the worker can be guarded with, as the judge finds by trying. */
static int check_guards(struct report *r, struct ks_err *err)
{
	char *judge = NULL, *worker = NULL, *cuda = ks_paths_cuda(), *tracer = ks_paths_timeline();
	struct ks_run try = {0};
	struct ks_json *doc = NULL;
	const struct ks_limits limits = {.pdeathsig = true};
	int rc = ks_paths_program(&judge, "kseek-judge", err);

	if (rc == 0) {
		rc = ks_paths_program(&worker, "kseek-worker", err);
	}
	if (rc == 0) {
		const char *argv[] = {judge, "--doctor", worker, cuda, NULL};
		rc = ks_run(&try, argv, "/", NULL, &limits, 60000, err);
	}
	if (rc == 0) {
		rc = ks_json_parse(&doc, try.out.ptr != NULL ? try.out.ptr : "", try.out.len, err);
	}
	for (const struct ks_json *n = ks_json_first(doc); n != NULL; n = ks_json_next(n)) {
		if (strcmp(ks_json_key(n), "Landlock") == 0) {
			landlock(r, ks_json_bool(n, false));
		} else if (ks_json_type(n) == KS_JSON_BOOL) {
			row(r, ks_json_key(n), ks_json_bool(n, false) ? GOOD : MISSING,
				"guard of the worker");
		} else if (strcmp(ks_json_key(n), "flush") == 0) {
			row(r, "cache flush", GOOD, ks_json_str(n, ""));
		}
	}
	if (cuda == NULL) {
		row(r, "cuda target", MISSING, "built without nvcc");
	}
	row(r, "kseek timeline", tracer != NULL ? GOOD : MISSING,
		tracer != NULL ? tracer : "built without CUPTI");
	show_gpus(r, ks_json_get(doc, "gpus"));
	ks_json_free(doc);
	ks_run_fini(&try);
	free(judge);
	free(worker);
	free(cuda);
	free(tracer);
	return rc;
}

static void check_system(struct report *r)
{
	struct ks_err err = KS_ERR_INIT;
	struct utsname u;
	char *cc = NULL;

	int found = ks_build_find_cc(&cc, &err);
	put_found(r, "compiler", found, cc, &err);
	free(cc);
	ks_err_clear(&err);
	if (uname(&u) == 0) {
		row(r, "kernel", GOOD, u.release);
	}
	if (check_guards(r, &err) < 0) {
		row(r, "guards", BROKEN, err.msg);
	}
	tool(r, "git", "plain git shows candidates; kseek does not need it");
	tool(r, "tmux", "used by the tests");
	tool(r, "perf", "some questions need it and are hidden");
	tool(r, "valgrind", "some questions need it and are hidden");
	tool(r, "strace", "some questions need it and are hidden");
	nvcc(r);
}

static void check_log(struct report *r, const char *root)
{
	struct ks_campaign_paths paths = {0};
	struct ks_log_check c;
	struct ks_err err = KS_ERR_INIT;
	struct ks_buf text = {0};
	char *fault = NULL;
	int rc = ks_campaign_paths_init(&paths, root, &err);

	if (rc == 0) {
		rc = ks_check_log(&c, &fault, paths.log, &err);
	}
	if (rc == 0 && fault == NULL) {
		ks_buf_addf(&text, "whole: %lld event%s, and %lld hash%s up to event %lld that fit",
			(long long)c.lines, ks_s(c.lines), (long long)c.hashes,
			c.hashes == 1 ? "" : "es", (long long)c.covered_seq);
	} else {
		ks_buf_adds(&text, rc == 0 ? fault : err.msg);
	}
	row(r, "log", rc == 0 && fault == NULL ? GOOD : BROKEN, text.ptr);
	ks_buf_fini(&text);
	free(fault);
	ks_campaign_paths_fini(&paths);
}

static void check_campaign(struct report *r, const char *root)
{
	struct ks_err gone = KS_ERR_INIT;

	put_found(r, "campaign", ks_check_repo(root, &gone), root, &gone);
	check_log(r, root);
}

static void check_all(struct report *r, const char *root)
{
	ks_jw_init(&r->w, &r->out);
	ks_jw_open(&r->w, NULL);
	ks_jw_open_array(&r->w, "parts");
	check_parts(r);
	check_system(r);
	if (root != NULL) {
		check_campaign(r, root);
	}
	ks_jw_close_array(&r->w);
	ks_jw_bool(&r->w, "works", r->good);
	ks_jw_close(&r->w);
}

static int run(const struct ks_sub *sub, int argc, char **argv)
{
	struct report r = {.good = true};
	const char *dir[1] = {NULL};
	const struct ks_opt opts[] = {
		{"json", KS_OPT_FLAG, &r.json, NULL, "one JSON object"},
		{0}
	};
	struct ks_err err = KS_ERR_INIT;
	char *root = NULL; /* of the campaign that was named, or is around here */
	int n = ks_args(sub, opts, argc, argv, dir, 0, 1);

	if (n < 0) {
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	if (ks_campaign_find(&root, n == 1 ? dir[0] : ".", &err) < 0 && n == 1) {
		return ks_fail(sub, &err);
	}
	check_all(&r, root);
	if (r.json) {
		ks_put_json(&r.out);
	} else {
		ks_buf_fini(&r.out);
		puts(r.good ? "kseek can work here" : "something is wrong: see BROKEN");
	}
	free(root);
	return r.good ? KS_EXIT_OK : KS_EXIT_ENV;
}

const struct ks_sub ks_sub_doctor = {
	"doctor", "[FOLDER] [--json]", "say what this machine has of what kseek uses",
	"Of a campaign (in FOLDER, or around the current folder) also whether its\n"
	"repository is there and its log whole. Exit status: 0 kseek can work here, 3\n"
	"something is BROKEN.",
	run
};
