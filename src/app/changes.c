/* See changes.h. */
#include "app/changes.h"

#include "app/common.h"
#include "app/paths.h"
#include "loop/run.h"

#define READ_MS 10000

int ks_changes(struct ks_buf *out, const struct ks_fold *fold, int a, int b,
	struct ks_err *err)
{
	const struct ks_candidate *all = ks_fold_state(fold)->candidates;
	const char *root = ks_fold_paths(fold)->root;
	const struct ks_limits limits = {.pdeathsig = true};
	struct ks_run run = {0};
	char *program = NULL;
	int rc = ks_check_repo(root, err);

	if (rc == 0) {
		rc = ks_paths_program(&program, "kseek-engine", err);
	}
	if (rc == 0) {
		const char *argv[] = {program, "diff", root, all[a].commit, all[b].commit, NULL};
		rc = ks_run(&run, argv, "/", NULL, &limits, READ_MS, err);
	}
	if (rc == 0 && run.how.status != 0) {
		struct ks_str text = ks_str_trim(ks_buf_str(&run.errors));
		rc = ks_err_set(err, KS_EIO, "%.*s", (int)(text.len < 400 ? text.len : 400),
			text.len > 0 ? text.ptr : "the engine program ended without a word");
	}
	if (rc == 0) {
		ks_buf_addstr(out, ks_buf_str(&run.out));
	}
	ks_run_fini(&run);
	free(program);
	return rc;
}
