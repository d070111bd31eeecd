#ifndef KSEEK_WIRE_FRAME_H
#define KSEEK_WIRE_FRAME_H
/*
 * The socket between engine and clients: one JSON object a line, at most
 * 1 MiB. Requests carry an id and get replies with the same id (several with
 * "more":true may come before the last one); pushes carry no id.
 *
 *   {"id":1,"cmd":"hello","protocol":1,"role":"console"}
 *   {"id":2,"cmd":"eval","args":{...}}
 *   {"id":2,"ok":true,"result":{...},"more":true}
 *   {"id":2,"ok":false,"code":"denied","error":"one line"}
 *   {"push":"log","seq":12,"length":4096}
 *
 * Pure: bytes in, structs out.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

#define KS_FRAME_MAX (1024 * 1024)
#define KS_FRAME_PROTOCOL 1

/* ---- reading ---- */
enum ks_frame_kind { KS_FRAME_REQUEST = 1, KS_FRAME_REPLY, KS_FRAME_PUSH };

struct ks_frame {
	enum ks_frame_kind kind;
	int64_t id;             /* requests and replies, >= 1 */
	const char *cmd;        /* request: command's name; lent, as all below */
	const struct ks_json *args;   /* request: object, or NULL */
	int protocol;           /* hello: its number, else 0 */
	const char *role;       /* hello: "console", "cli", else "" */
	bool ok, more;          /* reply */
	const struct ks_json *result; /* reply, ok: any value, or NULL */
	int code;               /* reply, not ok: enum ks_code */
	const char *error;      /* reply, not ok: one line */
	const char *push;       /* push: its name */
	const struct ks_json *doc;    /* the whole; pushes have their members here */
	struct ks_json *owned;
};

/* KS_EPROTO with what is wrong. *out is freed by ks_frame_fini. */
int ks_frame_parse(struct ks_frame *out, struct ks_str line, struct ks_err *err);
void ks_frame_fini(struct ks_frame *frame);

/* ---- writing: each appends one line with its newline ----
 * KS_ELIMIT when the line would pass KS_FRAME_MAX (out is then unchanged).
 * `args` and `result` are JSON values, `members` JSON members without braces;
 * an empty slice leaves them out. */
int ks_frame_hello(struct ks_buf *out, int64_t id, const char *role, struct ks_err *err);
int ks_frame_request(struct ks_buf *out, int64_t id, const char *cmd, struct ks_str args,
	struct ks_err *err);
int ks_frame_reply(struct ks_buf *out, int64_t id, struct ks_str result, bool more,
	struct ks_err *err);
/* An error reply always fits: its text is cut to 2 KiB. */
void ks_frame_refuse(struct ks_buf *out, int64_t id, int code, const char *text);
int ks_frame_push(struct ks_buf *out, const char *name, struct ks_str members,
	struct ks_err *err);

/* Code by the word of ks_code_name; KS_EPROTO for a word that is not known. */
int ks_frame_code(const char *name);

#endif
