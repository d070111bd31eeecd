/* See call.h. */
#include "app/call.h"

#include "app/client.h"

#define ANSWER_MS 10000

int ks_call_engine(struct ks_fold *fold, const char *cmd, struct ks_str args, struct ks_err *err)
{
	struct ks_loop *loop = NULL;
	struct ks_client *client = NULL;
	int rc = ks_loop_new(&loop, err);

	if (rc == 0) {
		rc = ks_client_open(&client, loop, ks_fold_paths(fold), KS_CLIENT_ATTACH, false,
			NULL, err);
	}
	if (rc == 0) {
		rc = ks_client_call(client, cmd, args, NULL, NULL, ANSWER_MS, NULL, err);
	}
	ks_client_free(client);
	ks_loop_free(loop);
	return rc;
}
