#ifndef KSEEK_WIRE_RPC_H
#define KSEEK_WIRE_RPC_H
/*
 * JSON-RPC 2.0, one message a line. The two directions number their requests
 * apart: an id of theirs is only ever handed back as it was written (number,
 * string or null, of any size), an id of ours is a whole number from 0.
 *
 * Pure: lines in, structs out.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

enum ks_rpc_kind {
	KS_RPC_REQUEST = 1, KS_RPC_NOTIFY, KS_RPC_RESULT, KS_RPC_ERROR
};

enum ks_rpc_code { /* of the specification, and what agents add */
	KS_RPC_PARSE = -32700,
	KS_RPC_INVALID = -32600,
	KS_RPC_NO_METHOD = -32601,
	KS_RPC_BAD_PARAMS = -32602,
	KS_RPC_INTERNAL = -32603,
	KS_RPC_AUTH = -32000,
	KS_RPC_NOT_FOUND = -32002,
	KS_RPC_CANCELLED = -32800
};

struct ks_rpc {
	enum ks_rpc_kind kind;
	const char *method;           /* request, notification; lent, as all below */
	const struct ks_json *params; /* request, notification: or NULL */
	const struct ks_json *result; /* result: may be NULL (null) */
	int64_t code;                 /* error */
	const char *error;            /* error: its message, never NULL */
	const struct ks_json *data;   /* error: or NULL */
	int64_t number;               /* result, error: id of our request, or -1 */
	struct ks_buf id;             /* request: its id as JSON text */
	struct ks_json *owned;
};

/* KS_EINVAL: no JSON; KS_EPROTO: JSON, but no message. *out is freed by
 * ks_rpc_fini. */
int ks_rpc_parse(struct ks_rpc *out, struct ks_str line, struct ks_err *err);
void ks_rpc_fini(struct ks_rpc *rpc);

/* ---- writing: each appends one line with its newline; params and result are
 * JSON values, an empty slice leaves params out and makes a result null ---- */
void ks_rpc_request(struct ks_buf *out, int64_t number, const char *method,
	struct ks_str params);
void ks_rpc_notify(struct ks_buf *out, const char *method, struct ks_str params);
/* id: JSON text, from struct ks_rpc. */
void ks_rpc_result(struct ks_buf *out, struct ks_str id, struct ks_str result);
void ks_rpc_refuse(struct ks_buf *out, struct ks_str id, int code, const char *message);

#endif
