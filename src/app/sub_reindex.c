/* kseek reindex: caches anew, and the hash chain checked. */
#include "app/common.h"
#include "app/subs.h"
#include "base/plural.h"
#include "store/index.h"

static int check(const struct ks_campaign_paths *paths, struct ks_err *err)
{
	struct ks_log_check c;
	char *fault = NULL;
	int rc = ks_check_log(&c, &fault, paths->log, err);

	if (rc < 0) {
		return rc;
	}
	printf("%lld event%s, %lld hash%s; covered through event %lld\n", (long long)c.lines,
		ks_s(c.lines), (long long)c.hashes, c.hashes == 1 ? "" : "es",
		(long long)c.covered_seq);
	if (c.torn > 0) {
		printf("a torn line of %llu byte%s at the end; the next engine puts it aside\n",
			(unsigned long long)c.torn, ks_s((long long)c.torn));
	}
	if (fault != NULL) {
		puts(fault);
	}
	rc = fault != NULL ? 1 : 0;
	free(fault);
	return rc;
}

static int run(const struct ks_sub *sub, int argc, char **argv)
{
	const struct ks_opt opts[] = {{0}};
	struct ks_fold *fold = NULL;
	struct ks_err err = KS_ERR_INIT;
	size_t lines = 0;
	int n = ks_args(sub, opts, argc, argv, NULL, 0, 0);

	if (n < 0) {
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	int rc = ks_fold_open(&fold, NULL, &err);
	if (rc == 0) {
		const struct ks_campaign_paths *paths = ks_fold_paths(fold);
		rc = ks_index_rebuild(paths->log, paths->index, &lines, &err);
		if (rc == 0) {
			printf("index of %zu line%s written\n", lines, ks_s((long long)lines));
			rc = check(paths, &err);
		}
	}
	ks_fold_free(fold);
	return rc < 0 ? ks_fail(sub, &err) : rc;
}

const struct ks_sub ks_sub_reindex = {
	"reindex", "", "rebuild the caches from the log and check its hash chain",
	"Exit status: 0 when the chain fits, 1 when the log was changed by hand.", run
};
