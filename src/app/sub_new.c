/* kseek new: makes a campaign; the engine program does the work. */
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "app/common.h"
#include "app/create.h"
#include "app/paths.h"
#include "app/subs.h"
#include "base/file.h"
#include "base/mem.h"

/* The operators that come with kseek, in one line. */
static void list_shipped(struct ks_buf *out)
{
	char **names = NULL, *dir = NULL;
	size_t count = 0;
	struct ks_err ignored = KS_ERR_INIT;

	if (ks_paths_data(&dir, "scenarios", &ignored) == 0) {
		(void)ks_file_list(&names, &count, dir, &ignored);
	}
	for (size_t i = 0; i < count; i++) {
		char *definition = ks_asprintf("%s/%s/definition.json", dir, names[i]);
		if (ks_file_exists(definition)) {
			ks_buf_addf(out, "%s%s", out->len > 0 ? ", " : "", names[i]);
		}
		free(definition);
	}
	ks_names_free(names, count);
	free(dir);
}

static int find_shipped(struct ks_create *c, const char *name, struct ks_err *err)
{
	struct ks_err ignored = KS_ERR_INIT;
	char *scenarios = ks_asprintf("scenarios/%s", name);
	char *kernels = ks_asprintf("kernels/%s", name);
	int rc = ks_paths_data(&c->problem[0], scenarios, &ignored);

	if (rc == 0) {
		rc = ks_paths_data(&c->problem[1], kernels, err);
	} else {
		struct ks_buf names = {0};
		list_shipped(&names);
		rc = ks_err_set(err, KS_EINVAL, "--problem %.100s: no such folder, and no shipped "
			"operator; there are %.300s", name,
			names.len > 0 ? names.ptr : "none here");
		ks_buf_fini(&names);
	}
	free(scenarios);
	free(kernels);
	return rc;
}

/* The folders of a problem: a folder with a definition.json, or the name of a
 * shipped operator (scenarios/NAME and kernels/NAME). */
static int find_problem(struct ks_create *c, const char *problem, struct ks_err *err)
{
	char *definition = ks_path_join(problem, "definition.json");
	int sys = access(definition, F_OK) == 0 ? 0 : errno;

	if (sys == 0) {
		c->problem[0] = realpath(problem, NULL);
	}
	free(definition);
	if (sys == 0) {
		return 0;
	}
	if (sys == ENOTDIR) {
		return ks_err_set(err, KS_EINVAL,
			"--problem %s: a file; give the folder that holds "
			"definition.json", problem);
	}
	if (sys != ENOENT) {
		return ks_err_sys(err, sys, "%s/definition.json", problem);
	}
	if (ks_file_is_dir(problem)) {
		return ks_err_set(err, KS_ENOTFOUND, "%s: no definition.json in it; "
			"docs/problem-format.md says what it holds", problem);
	}
	if (strchr(problem, '/') != NULL) {
		return ks_err_set(err, KS_ENOTFOUND, "%s: no such folder", problem);
	}
	return find_shipped(c, problem, err);
}

static int run(const struct ks_sub *sub, int argc, char **argv)
{
	const char *problem = NULL, *word[1];
	struct ks_create c = {.threads = 1};
	const struct ks_opt opts[] = {
		{"problem", KS_OPT_TEXT, &problem, "PATH|NAME",
			"problem folder, or a shipped operator"},
		{"goal", KS_OPT_LIST, &c.goal, "LINE", "a clause of the goal (may be repeated)"},
		{"agent", KS_OPT_TEXT, &c.agent, "SPEC", "manual (default), acp:NAME, claude, ..."},
		{"base-url", KS_OPT_TEXT, &c.base_url, "URL", "model server of the agent api"},
		{"key-env", KS_OPT_TEXT, &c.key_env, "NAME", "variable that holds its key"},
		{"mode", KS_OPT_TEXT, &c.mode, "MODE", "human (default), bank or none"},
		{"name", KS_OPT_TEXT, &c.name, "NAME", "name of the campaign; else the folder's"},
		{"target", KS_OPT_TEXT, &c.target, "TARGET", "cpu (default) or cuda"},
		{"arch", KS_OPT_TEXT, &c.arch, "ARCH",
			"on cuda, such as sm_90a; else that of the first GPU"},
		{"flags", KS_OPT_TEXT, &c.flags, "FLAGS",
			"build flags; else -O3 and this machine's architecture"},
		{"threads", KS_OPT_INT, &c.threads, "N", "threads that a kernel may use; else 1"},
		{"yardstick", KS_OPT_TEXT, &c.yardstick, "FILE",
			"a faster one to show beside: a source, or recorded times (.json)"},
		{"yardstick-flags", KS_OPT_TEXT, &c.yardstick_flags, "FLAGS",
			"more build flags for it, such as -lopenblas"},
		{"held-out", KS_OPT_TEXT, &c.held_out, "FILE", "scenarios kept from the agent"},
		{"set", KS_OPT_LIST, &c.set, "NAME=N",
			"a number of the rules, such as human_wait_s=600"},
		{"permit", KS_OPT_LIST, &c.permit, "RULE",
			"a rule for the agent, such as 'ask shell any rm *'"},
		{"no-shim", KS_OPT_FLAG, &c.no_shim, NULL,
			"do not count the agent's programs by process"},
		{0}
	};
	struct ks_err err = KS_ERR_INIT;
	int n = ks_args(sub, opts, argc, argv, word, 1, 1);

	if (n < 0) {
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	if (problem == NULL) {
		ks_err_set(&err, KS_EINVAL,
			"--problem is missing: a folder with definition.json, or "
			"the name of a shipped operator");
		return ks_fail(sub, &err);
	}
	c.dir = word[0];
	int rc = find_problem(&c, problem, &err);
	if (rc == 0) {
		rc = ks_create_campaign(&c, &err);
	}
	if (rc == 0) {
		printf("campaign made in ");
		ks_put(stdout, word[0], 0);
		printf("\nnext: cd there, read AGENTS.md, then 'kseek steer' (or 'kseek eval')\n");
	}
	ks_create_fini(&c);
	return rc < 0 ? ks_fail(sub, &err) : KS_EXIT_OK;
}

const struct ks_sub ks_sub_new = {
	"new", "FOLDER --problem PATH|NAME [--goal LINE]... [--agent SPEC] [...]",
	"make a campaign",
	"The problem is checked, seed and reference are built, and the seed is checked\n"
	"on every scenario; on any error nothing is left behind. A wrong NAME is\n"
	"answered with those there are.\n"
	"The goal, where nothing else is said: 'every scenario correct', 'every speedup\n"
	">= 1.0', 'geomean speedup >= 1.5'. docs/goal.md has every kind of line.",
	run
};
