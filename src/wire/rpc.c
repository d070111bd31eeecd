/*
 * JSON-RPC messages. Unknown members are passed over and "jsonrpc" is not
 * insisted on. A message with a method is theirs to us, one without answers us.
 */
#include "wire/rpc.h"

#include <string.h>

#define METHOD_MAX 256

/* ---- reading ---- */

/* Passes over a string that begins at `at`; the place behind it. */
static size_t skip_string(struct ks_str text, size_t at)
{
	for (at++; at < text.len && text.ptr[at] != '"'; at++) {
		if (text.ptr[at] == '\\') {
			at++;
		}
	}
	return at + 1;
}

static bool is_number(char c)
{
	return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

/* The number behind the key "id" of the outermost object, as it is written.
 * The text is known to be valid JSON. */
static bool written_id(struct ks_str text, struct ks_str *out)
{
	size_t at = 0;
	int depth = 0;

	while (at < text.len) {
		char c = text.ptr[at];
		size_t from = at;

		if (c != '"') {
			depth += (c == '{' || c == '[') - (c == '}' || c == ']');
			at++;
			continue;
		}
		at = skip_string(text, at);
		if (depth != 1 || at > text.len ||
			!ks_str_is((struct ks_str){text.ptr + from, at - from}, "\"id\"")) {
			continue;
		}
		while (at < text.len && strchr(" \t\r\n:", text.ptr[at]) != NULL) {
			at++;
		}
		from = at;
		while (at < text.len && is_number(text.ptr[at])) {
			at++;
		}
		if (at > from) {
			*out = (struct ks_str){text.ptr + from, at - from};
			return true;
		}
	}
	return false;
}

static void take_id(struct ks_rpc *rpc, const struct ks_json *id, struct ks_str line)
{
	struct ks_str text;

	if (ks_json_type(id) == KS_JSON_NUMBER &&
		written_id(line, &text)) {
		ks_buf_addstr(&rpc->id, text);
	} else if (ks_json_type(id) == KS_JSON_NUMBER || ks_json_type(id) == KS_JSON_STRING) {
		ks_json_print(id, &rpc->id);
	} else {
		ks_buf_adds(&rpc->id, "null");
	}
}

static int take_call(struct ks_rpc *rpc, struct ks_str line, struct ks_err *err)
{
	const struct ks_json *id = ks_json_get(rpc->owned, "id");

	rpc->method = ks_json_get_str(rpc->owned, "method", NULL);
	if (rpc->method == NULL || rpc->method[0] == '\0' ||
		strlen(rpc->method) > METHOD_MAX) {
		return ks_err_set(err, KS_EPROTO, "$.method: not a name");
	}
	rpc->params = ks_json_get(rpc->owned, "params");
	rpc->kind = id != NULL ? KS_RPC_REQUEST : KS_RPC_NOTIFY;
	if (id != NULL) {
		take_id(rpc, id, line);
	}
	return 0;
}

static int take_answer(struct ks_rpc *rpc, struct ks_err *err)
{
	const struct ks_json *error = ks_json_get(rpc->owned, "error");
	const struct ks_json *id = ks_json_get(rpc->owned, "id");

	rpc->number = ks_json_is_int(id) ? ks_json_int(id, -1) : -1;
	rpc->number = rpc->number < 0 ? -1 : rpc->number;
	rpc->result = ks_json_get(rpc->owned, "result");
	if (error != NULL && ks_json_type(error) != KS_JSON_NULL) {
		rpc->kind = KS_RPC_ERROR;
		rpc->code = ks_json_get_int(error, "code", KS_RPC_INTERNAL);
		rpc->error = ks_json_get_str(error, "message",
			ks_json_str(error, "no reason given"));
		rpc->data = ks_json_get(error, "data");
		rpc->result = NULL;
		return 0;
	}
	if (rpc->result == NULL) {
		return ks_err_set(err, KS_EPROTO, "neither a method nor an answer");
	}
	rpc->kind = KS_RPC_RESULT;
	return 0;
}

int ks_rpc_parse(struct ks_rpc *out, struct ks_str line, struct ks_err *err)
{
	struct ks_rpc rpc = {.number = -1, .error = ""};
	int rc = ks_json_parse(&rpc.owned, line.ptr, line.len, err);

	if (rc < 0) {
		return rc == KS_ELIMIT ? KS_EINVAL : rc;
	}
	if (ks_json_type(rpc.owned) != KS_JSON_OBJECT) {
		rc = ks_err_set(err, KS_EPROTO, "not an object");
	} else if (ks_json_get(rpc.owned, "method") != NULL) {
		rc = take_call(&rpc, line, err);
	} else {
		rc = take_answer(&rpc, err);
	}
	if (rc < 0) {
		ks_rpc_fini(&rpc);
		return rc;
	}
	*out = rpc;
	return 0;
}

void ks_rpc_fini(struct ks_rpc *rpc)
{
	if (rpc != NULL) {
		ks_json_free(rpc->owned);
		ks_buf_fini(&rpc->id);
		*rpc = (struct ks_rpc){.number = -1, .error = ""};
	}
}

/* ---- writing ---- */

static void begin(struct ks_jw *w, struct ks_buf *out)
{
	ks_jw_init(w, out);
	ks_jw_open(w, NULL);
	ks_jw_str(w, "jsonrpc", "2.0");
}

/* JSON given raw may be spread over lines; a newline in it is white space. */
static void end(struct ks_jw *w, struct ks_buf *out, size_t start)
{
	ks_jw_close(w);
	for (size_t i = start; i < out->len; i++) {
		if (out->ptr[i] == '\n' || out->ptr[i] == '\r') {
			out->ptr[i] = ' ';
		}
	}
	ks_buf_addc(out, '\n');
}

static void call(struct ks_buf *out, const int64_t *number, const char *method,
	struct ks_str params)
{
	size_t start = out->len;
	struct ks_jw w;

	begin(&w, out);
	if (number != NULL) {
		ks_jw_int(&w, "id", *number);
	}
	ks_jw_str(&w, "method", method);
	if (params.len > 0) {
		ks_jw_raw(&w, "params", params);
	}
	end(&w, out, start);
}

void ks_rpc_request(struct ks_buf *out, int64_t number, const char *method,
	struct ks_str params)
{
	call(out, &number, method, params);
}

void ks_rpc_notify(struct ks_buf *out, const char *method, struct ks_str params)
{
	call(out, NULL, method, params);
}

static struct ks_str or_null(struct ks_str json)
{
	return json.len > 0 ? json : KS_STR("null");
}

void ks_rpc_result(struct ks_buf *out, struct ks_str id, struct ks_str result)
{
	size_t start = out->len;
	struct ks_jw w;

	begin(&w, out);
	ks_jw_raw(&w, "id", or_null(id));
	ks_jw_raw(&w, "result", or_null(result));
	end(&w, out, start);
}

void ks_rpc_refuse(struct ks_buf *out, struct ks_str id, int code, const char *message)
{
	size_t start = out->len;
	struct ks_jw w;

	begin(&w, out);
	ks_jw_raw(&w, "id", or_null(id));
	ks_jw_open(&w, "error");
	ks_jw_int(&w, "code", code);
	ks_jw_str(&w, "message", message);
	ks_jw_close(&w);
	end(&w, out, start);
}
