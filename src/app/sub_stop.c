/* kseek stop: ends agent and engine. */
#include <unistd.h>

#include "app/client.h"
#include "app/common.h"
#include "app/subs.h"
#include "base/file.h"

#define STOP_MS 15000

/* The engine's own file goes when it has closed the log. */
static int wait_gone(struct ks_loop *loop, const struct ks_campaign_paths *paths,
	struct ks_err *err)
{
	for (int waited = 0; waited < STOP_MS; waited += 50) {
		if (!ks_file_exists(paths->engine)) {
			return 0;
		}
		usleep(50 * 1000);
	}
	return ks_err_set(err, KS_ETIME, "the engine is still ending; see 'kseek status'");
}

static int run(const struct ks_sub *sub, int argc, char **argv)
{
	const struct ks_opt opts[] = {{0}};
	struct ks_fold *fold = NULL;
	struct ks_loop *loop = NULL;
	struct ks_client *client = NULL;
	struct ks_err err = KS_ERR_INIT;
	int n = ks_args(sub, opts, argc, argv, NULL, 0, 0);

	if (n < 0) {
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	int rc = ks_fold_open(&fold, NULL, &err);
	if (rc == 0) {
		rc = ks_loop_new(&loop, &err);
	}
	if (rc == 0) {
		rc = ks_client_open(&client, loop, ks_fold_paths(fold), KS_CLIENT_ATTACH, false,
			NULL, &err);
		if (rc == KS_ENOTFOUND) {
			puts("no engine runs");
			ks_err_clear(&err);
			rc = 0;
		} else if (rc == 0) {
			rc = ks_client_call(client, "stop", ks_str_of("{}"), NULL, NULL, STOP_MS,
				NULL, &err);
			ks_client_free(client);
			client = NULL;
			if (rc == 0) {
				rc = wait_gone(loop, ks_fold_paths(fold), &err);
			}
			if (rc == 0) {
				puts("stopped");
			}
		}
	}
	ks_client_free(client);
	ks_loop_free(loop);
	ks_fold_free(fold);
	return rc < 0 ? ks_fail(sub, &err) : KS_EXIT_OK;
}

const struct ks_sub ks_sub_stop = {
	"stop", "", "stop the agent and the engine", NULL, run
};
