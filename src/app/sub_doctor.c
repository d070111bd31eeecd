/* kseek doctor: what this machine has of what kseek uses. */
#include <sys/utsname.h>
#include <unistd.h>

#include "app/common.h"
#include "app/paths.h"
#include "app/subs.h"
#include "base/mem.h"
#include "eval/build.h"
#include "loop/run.h"

enum rating { GOOD, MISSING, BROKEN };

static const char *const ratings[] = {"ok", "absent", "BROKEN"};

static void row(const char *what, enum rating rating, const char *text)
{
	printf("%-7s %-26s ", ratings[rating], what);
	ks_put(stdout, text, 0);
	fputc('\n', stdout);
}

static void tool(const char *program, const char *without)
{
	char *path = ks_paths_which(program);

	row(program, path != NULL ? GOOD : MISSING, path != NULL ? path : without);
	free(path);
}

/* By the search that builds use, so that what is said here holds there. */
static void nvcc(void)
{
	struct ks_err err = KS_ERR_INIT;
	char *path = NULL;
	bool found = ks_build_find_nvcc(&path, &err) == 0;

	row("nvcc", found ? GOOD : MISSING, found ? path : err.msg);
	free(path);
}

static bool check_parts(void)
{
	static const char *const programs[] = {"kseek-engine", "kseek-judge", "kseek-worker",
		"kseek-exec", NULL};
	static const char *const data[] = {"bank/core", "kernels/include", "scenarios", NULL};
	struct ks_err err = KS_ERR_INIT;
	bool good = true;

	for (int i = 0; programs[i] != NULL; i++) {
		char *path = NULL;
		bool found = ks_paths_program(&path, programs[i], &err) == 0;
		row(programs[i], found ? GOOD : BROKEN, found ? path : err.msg);
		good = good && found;
		ks_err_clear(&err);
		free(path);
	}
	for (int i = 0; data[i] != NULL; i++) {
		char *path = NULL;
		bool found = ks_paths_data(&path, data[i], &err) == 0;
		row(data[i], found ? GOOD : BROKEN, found ? path : err.msg);
		good = good && found;
		ks_err_clear(&err);
		free(path);
	}
	return good;
}

static void show_gpus(const struct ks_json *list)
{
	for (const struct ks_json *n = ks_json_first(list); n != NULL; n = ks_json_next(n)) {
		row(ks_json_get_str(n, "what", ""), ks_json_get_bool(n, "ok", false) ? GOOD : MISSING,
			ks_json_get_str(n, "text", ""));
	}
}

/* What the worker can be guarded with, as the judge finds by trying. */
static bool check_guards(struct ks_err *err)
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
		if (ks_json_type(n) == KS_JSON_BOOL) {
			row(ks_json_key(n), ks_json_bool(n, false) ? GOOD : MISSING, "guard of the worker");
		} else if (strcmp(ks_json_key(n), "flush") == 0) {
			row("cache flush", GOOD, ks_json_str(n, ""));
		}
	}
	if (cuda == NULL) {
		row("cuda target", MISSING, "built without nvcc");
	}
	row("kseek timeline", tracer != NULL ? GOOD : MISSING,
		tracer != NULL ? tracer : "built without CUPTI");
	show_gpus(ks_json_get(doc, "gpus"));
	ks_json_free(doc);
	ks_run_fini(&try);
	free(judge);
	free(worker);
	free(cuda);
	free(tracer);
	return rc == 0;
}

static int run(const struct ks_sub *sub, int argc, char **argv)
{
	const struct ks_opt opts[] = {{0}};
	struct utsname u;
	struct ks_err err = KS_ERR_INIT;
	int n = ks_args(sub, opts, argc, argv, NULL, 0, 0);

	if (n < 0) {
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	bool good = check_parts();
	char *cc = NULL;
	bool compiles = ks_build_find_cc(&cc, &err) == 0;
	row("compiler", compiles ? GOOD : BROKEN, compiles ? cc : err.msg);
	good = good && compiles;
	free(cc);
	ks_err_clear(&err);
	if (uname(&u) == 0) {
		row("kernel", GOOD, u.release);
	}
	if (!check_guards(&err)) {
		row("guards", BROKEN, err.msg);
		good = false;
	}
	tool("git", "plain git shows candidates; kseek does not need it");
	tool("tmux", "used by the tests");
	tool("perf", "some questions need it and are hidden");
	tool("valgrind", "some questions need it and are hidden");
	tool("strace", "some questions need it and are hidden");
	nvcc();
	printf("%s\n", good ? "kseek can work here" : "something that kseek needs is missing: see BROKEN");
	return good ? KS_EXIT_OK : KS_EXIT_ENV;
}

const struct ks_sub ks_sub_doctor = {
	"doctor", "", "say what this machine has of what kseek uses", NULL, run
};
