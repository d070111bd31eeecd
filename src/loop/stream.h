#ifndef KSEEK_LOOP_STREAM_H
#define KSEEK_LOOP_STREAM_H
/*
 * Unix-domain sockets that carry lines. Who connects is told by the kernel
 * (SO_PEERCRED), the socket file has mode 0600, a line has a maximum, and what
 * a slow peer does not read is bounded: past the bound the stream is closed
 * instead of growing.
 */
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "loop/loop.h"

struct ks_peer {
	pid_t pid; /* at the time of connecting */
	uid_t uid;
	gid_t gid;
};

struct ks_stream;

struct ks_stream_ops {
	/* A line without its newline; lent for the call. */
	void (*line)(void *ctx, struct ks_str line);
	/* Called exactly once, when the peer has gone or the stream broke (err
	 * set: KS_EPROTO a line was too long, KS_ELIMIT the peer did not read,
	 * KS_EIO); never for ks_stream_free. Then only _free may follow. */
	void (*closed)(void *ctx, const struct ks_err *err);
	/* The write queue ran empty; may be NULL. */
	void (*drained)(void *ctx);
	size_t line_max;  /* bytes of a line; 0: 1 MiB             */
	size_t queue_max; /* bytes waiting for the peer; 0: 16 MiB */
};

/* Longest path that fits a socket's address, with its NUL. */
#define KS_SOCKET_PATH_MAX 108

/* Connects. KS_ENOTFOUND: no such socket or nobody listens; KS_EBUSY: the
 * listener does not keep up; KS_EDENIED: not ours. ops is copied. */
int ks_stream_connect(struct ks_stream **out, struct ks_loop *loop, const char *path,
	const struct ks_stream_ops *ops, void *ctx, struct ks_err *err);
/* Queues bytes (copied); add the newline yourself. Writing to a stream that is
 * closed or closing does nothing. */
void ks_stream_write(struct ks_stream *stream, struct ks_str bytes);
/* Stops and resumes reading (back-pressure on the peer). */
void ks_stream_pause(struct ks_stream *stream, bool paused);
/* Sends what is queued, then closes; `closed` is called without an error. */
void ks_stream_end(struct ks_stream *stream);
const struct ks_peer *ks_stream_peer(const struct ks_stream *stream);
/* Closes at once and frees; allowed inside its own callbacks. */
void ks_stream_free(struct ks_stream *stream);

struct ks_listener;
/* accepted takes the stream, and must call ks_stream_start (or free it) before
 * it returns. A socket file that nobody serves is replaced; KS_EBUSY where one
 * is served, KS_ELIMIT where the path is too long. */
int ks_listener_new(struct ks_listener **out, struct ks_loop *loop, const char *path,
	void (*accepted)(void *ctx, struct ks_stream *stream), void *ctx,
	struct ks_err *err);
int ks_stream_start(struct ks_stream *stream, const struct ks_stream_ops *ops,
	void *ctx, struct ks_err *err);
/* Stops listening and removes the socket file. */
void ks_listener_free(struct ks_listener *listener);

#endif
