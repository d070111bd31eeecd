/* kseek replay: a recorded campaign, read-only. */
#include <unistd.h>

#include "app/common.h"
#include "app/steer.h"
#include "app/subs.h"
#include "base/file.h"

static int
run(const struct ks_sub *sub, int argc, char **argv)
{
	struct ks_steer how = {.read_only = true};
	const char *log[1] = {NULL};
	const struct ks_opt opts[] = {
		{"plain", KS_OPT_FLAG, &how.plain, NULL, "lines instead of a screen"},
		{"ascii", KS_OPT_FLAG, &how.ascii, NULL, "ASCII only"},
		{0}
	};
	struct ks_fold *fold = NULL;
	struct ks_err err = KS_ERR_INIT;
	int n = ks_args(sub, opts, argc, argv, log, 0, 1);

	if (n < 0) {
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	how.plain = how.plain || !isatty(0) || !isatty(1);
	int rc = n == 1 && !ks_file_is_dir(log[0]) ? ks_fold_open_log(&fold, log[0], &err) :
		ks_fold_open_unread(&fold, log[0], &err);
	if (rc == 0 && !how.plain) {
		ks_fold_step(fold, SIZE_MAX);
	}
	if (rc == 0) {
		rc = ks_steer_run(fold, &how, &err);
	}
	ks_fold_free(fold);
	return rc < 0 ? ks_fail(sub, &err) : KS_EXIT_OK;
}

const struct ks_sub ks_sub_replay = {
	"replay", "[LOG|FOLDER] [--plain] [--ascii]", "show a recorded campaign, read-only",
	"A log file alone, or a campaign's folder. Nothing is started.", run
};
