#ifndef KSEEK_APP_CLIENT_H
#define KSEEK_APP_CLIENT_H
/*
 * The client's end of the engine's socket. Starts an engine where none runs
 * and that was asked for.
 */
#include "base/json.h"
#include "loop/loop.h"
#include "store/campaign.h"

struct ks_client;

enum ks_client_start {
	KS_CLIENT_ATTACH,    /* only an engine that runs: KS_ENOTFOUND without */
	KS_CLIENT_TRANSIENT, /* else start one that leaves when nothing is left to do */
	KS_CLIENT_AGENT,     /* else start one with the campaign's agent       */
	KS_CLIENT_UNATTENDED /* the same, and nobody will answer moments       */
};

struct ks_client_ops {
	/* A push of the engine: "log", "progress", "wait", "word", "stopping". */
	void (*push)(void *ctx, const char *name, const struct ks_json *doc);
	/* The connection is gone. */
	void (*closed)(void *ctx, const char *why);
	/* Asked while the client opens: true ends that, with KS_ETIME. May be NULL. */
	bool (*given_up)(void *ctx);
	void *ctx;
};

/*
 * Connects and says hello; the loop turns meanwhile. console: takes part in
 * the word. ops may be NULL.
 */
int ks_client_open(struct ks_client **out, struct ks_loop *loop,
	const struct ks_campaign_paths *paths, enum ks_client_start how, bool console,
	const struct ks_client_ops *ops, struct ks_err *err);
void ks_client_free(struct ks_client *client);

/* Sends a request; reply is called once for each reply, the last with more
 * false. result is lent; on refusal it is NULL and code, error are set. */
typedef void ks_client_reply(void *ctx, const struct ks_json *result, bool more, int code,
	const char *error);
int ks_client_send(struct ks_client *client, const char *cmd, struct ks_str args,
	ks_client_reply *reply, void *ctx, struct ks_err *err);
/* Sends and runs the loop until the last reply; gives *out (may be NULL) as a
 * document. A refusal is the error. timeout_ms 0: waits for ever. KS_ETIME. */
int ks_client_call(struct ks_client *client, const char *cmd, struct ks_str args,
	ks_client_reply *more, void *ctx, int64_t timeout_ms, struct ks_json **out,
	struct ks_err *err);
/* Whether the connection is gone: what was asked was not answered. */
bool ks_client_is_closed(const struct ks_client *client);
/* What hello said. */
const struct ks_json *ks_client_hello(const struct ks_client *client);

#endif
