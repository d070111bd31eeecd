#ifndef KSEEK_HTTP_HTTP_H
#define KSEEK_HTTP_HTTP_H
/*
 * Requests over HTTP and HTTPS, answered as a stream. src/http is the only user
 * of libcurl and knows no event loop: whoever owns one watches descriptors and
 * a timer for it (struct ks_http_host) and calls back. Nothing is called inside
 * ks_http_start; ks_http_cancel is allowed inside every callback.
 *
 * A request may carry a secret, as part of a header. It goes to the host of the
 * URL only, since redirects are never followed; it stands in no error text, and
 * it is overwritten in memory when the request ends.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum ks_http_events { KS_HTTP_READ = 1, KS_HTTP_WRITE = 2 };

struct ks_http_host {
	void *ctx;
	/* Watch fd for these events instead of those before; 0: no more. Ready
	 * is told by ks_http_ready. */
	void (*watch)(void *ctx, int fd, unsigned events);
	/* Call ks_http_timeout after ms, once; moves what was set before. -1:
	 * not at all. */
	void (*timer)(void *ctx, int64_t ms);
};

struct ks_http;

int ks_http_new(struct ks_http **out, const struct ks_http_host *host, struct ks_err *err);
void ks_http_free(struct ks_http *http); /* all its calls are gone before */
void ks_http_ready(struct ks_http *http, int fd, unsigned events);
void ks_http_timeout(struct ks_http *http);

struct ks_http_head {
	int status;               /* 100 to 599; the last answer's */
	int64_t retry_after_ms;   /* -1: the server named no time */
	char type[64];            /* content type without parameters, lower case */
};

struct ks_http_end {
	int code;                 /* 0: an answer came whole, whatever its status;
	                           * KS_ETIME, KS_ELIMIT, KS_EIO, KS_EINVAL: none did */
	const char *text;         /* of a failure: one line without the secret */
	bool sent;                /* the server may have worked on the request */
};

struct ks_http_request {          /* borrowed for the call of start */
	const char *url;          /* http:// or https:// */
	const char *const *headers; /* "Name: value", NULL-terminated; or NULL */
	const char *secret_header;/* name of the header that carries it, or NULL */
	const char *secret_prefix;/* "Bearer " or "" */
	const char *secret;       /* printable ASCII without blanks, or NULL */
	struct ks_str body;       /* POST; copied. Empty with get */
	bool get;
	int64_t connect_ms, total_ms; /* 0: 20 s, 30 min */
	int64_t idle_ms;          /* nothing came for so long; 0: 120 s */
	size_t body_max;          /* of the answer; 0: 64 MiB */
	void (*head)(void *ctx, const struct ks_http_head *head); /* once; may be NULL */
	void (*take)(void *ctx, struct ks_str bytes); /* of the answer's body */
	/* Once, at the end, unless it was cancelled. The call is freed behind it. */
	void (*done)(void *ctx, const struct ks_http_end *end);
	void *ctx;
};

struct ks_http_call;

/* Gives *out, which is freed at its end or by ks_http_cancel. KS_EINVAL for a
 * URL, a header or a secret that cannot be sent. */
int ks_http_start(struct ks_http_call **out, struct ks_http *http,
	const struct ks_http_request *request, struct ks_err *err);
/* Ends it at once; nothing is called any more. NULL is allowed. */
void ks_http_cancel(struct ks_http_call *call);

/* Whether a secret may be sent: 1 to 512 printable ASCII characters, no blank,
 * quote or backslash (so that it looks the same inside JSON). */
bool ks_http_secret_ok(const char *secret);
/* Replaces each whole occurrence of the secret, and each piece of at least 8
 * characters of it, by "[key]". */
void ks_http_redact(struct ks_buf *out, struct ks_str text, const char *secret);
/* The URL's scheme, host and port in small letters ("http://localhost:8080");
 * KS_EINVAL: not such a URL, or one with a user or password in it. */
int ks_http_origin(struct ks_buf *out, const char *url, struct ks_err *err);
/* Whether a URL's host is this machine. */
bool ks_http_is_local(const char *url);
/* "Retry-After" as milliseconds: seconds, or a date read against now (seconds
 * since 1970); -1: neither. At most a day. */
int64_t ks_http_retry_after(struct ks_str value, int64_t now_s);

#endif
