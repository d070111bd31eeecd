/* See frame.h. */
#include "wire/frame.h"

#include <string.h>

#define ERROR_TEXT_MAX 2048
#define CMD_MAX 64 /* bytes of a command's or push's name */

/* ---- reading ---- */

static bool name_ok(const char *name)
{
	size_t len = name != NULL ? strlen(name) : 0;

	return len > 0 && len <= CMD_MAX &&
		strspn(name, "abcdefghijklmnopqrstuvwxyz.-_") == len;
}

static int parse_request(struct ks_frame *frame, struct ks_err *err)
{
	const struct ks_json *args = ks_json_get(frame->doc, "args");

	frame->kind = KS_FRAME_REQUEST;
	frame->cmd = ks_json_get_str(frame->doc, "cmd", NULL);
	if (!name_ok(frame->cmd)) {
		return ks_err_set(err, KS_EPROTO, "$.cmd: not a command's name");
	}
	if (args != NULL && ks_json_type(args) != KS_JSON_OBJECT) {
		return ks_err_set(err, KS_EPROTO, "$.args: not an object");
	}
	frame->args = args;
	if (strcmp(frame->cmd, "hello") == 0) {
		frame->protocol = (int)ks_json_get_int(frame->doc, "protocol", 0);
		frame->role = ks_json_get_str(frame->doc, "role", "");
		if (frame->protocol < 1) {
			return ks_err_set(err, KS_EPROTO, "$.protocol: not a number from 1");
		}
	}
	return 0;
}

int ks_frame_code(const char *name)
{
	for (int code = KS_EFULL; code < 0; code++) {
		if (strcmp(ks_code_name(code), name) == 0) {
			return code;
		}
	}
	return KS_EPROTO;
}

static int parse_reply(struct ks_frame *frame, struct ks_err *err)
{
	const struct ks_json *ok = ks_json_get(frame->doc, "ok");

	frame->kind = KS_FRAME_REPLY;
	if (ks_json_type(ok) != KS_JSON_BOOL) {
		return ks_err_set(err, KS_EPROTO, "$.ok: not true or false");
	}
	frame->ok = ks_json_bool(ok, false);
	frame->more = ks_json_get_bool(frame->doc, "more", false);
	frame->result = ks_json_get(frame->doc, "result");
	if (!frame->ok) {
		frame->code = ks_frame_code(ks_json_get_str(frame->doc, "code", ""));
		frame->error = ks_json_get_str(frame->doc, "error", "no reason given");
	}
	return 0;
}

static int parse_kind(struct ks_frame *frame, struct ks_err *err)
{
	if (ks_json_type(frame->doc) != KS_JSON_OBJECT) {
		return ks_err_set(err, KS_EPROTO, "a frame is not a JSON object");
	}
	if (ks_json_get(frame->doc, "push") != NULL) {
		frame->kind = KS_FRAME_PUSH;
		frame->push = ks_json_get_str(frame->doc, "push", NULL);
		if (!name_ok(frame->push)) {
			return ks_err_set(err, KS_EPROTO, "$.push: not a name");
		}
		return 0;
	}
	frame->id = ks_json_get_int(frame->doc, "id", 0);
	if (frame->id < 1) {
		return ks_err_set(err, KS_EPROTO, "$.id: not a whole number from 1");
	}
	return ks_json_get(frame->doc, "cmd") != NULL ? parse_request(frame, err)
						      : parse_reply(frame, err);
}

int ks_frame_parse(struct ks_frame *out, struct ks_str line, struct ks_err *err)
{
	struct ks_frame frame = {.role = "", .error = ""};
	struct ks_err why = KS_ERR_INIT;
	int rc;

	if (line.len > KS_FRAME_MAX) {
		return ks_err_set(err, KS_EPROTO, "a frame passes %d bytes", KS_FRAME_MAX);
	}
	if (ks_json_parse(&frame.owned, line.ptr, line.len, &why) < 0) {
		return ks_err_set(err, KS_EPROTO, "a frame is not JSON: %s", why.msg);
	}
	frame.doc = frame.owned;
	rc = parse_kind(&frame, err);
	if (rc < 0) {
		ks_json_free(frame.owned);
		return rc;
	}
	*out = frame;
	return 0;
}

void ks_frame_fini(struct ks_frame *frame)
{
	if (frame != NULL) {
		ks_json_free(frame->owned);
		*frame = (struct ks_frame){0};
	}
}

/* ---- writing ---- */

/* Ends the line that began at `start`; takes it back when it is too long. JSON
 * given raw may be spread over lines: strings hold no newline, so a space is
 * as good. */
static int end_line(struct ks_buf *out, size_t start, struct ks_err *err)
{
	size_t len = out->len - start;

	for (size_t i = start; i < out->len; i++) {
		if (out->ptr[i] == '\n' || out->ptr[i] == '\r') {
			out->ptr[i] = ' ';
		}
	}
	if (len > KS_FRAME_MAX) {
		ks_buf_truncate(out, start);
		return ks_err_set(err, KS_ELIMIT,
			"a message of %zu bytes does not fit a frame of %d", len, KS_FRAME_MAX);
	}
	ks_buf_addc(out, '\n');
	return 0;
}

int ks_frame_hello(struct ks_buf *out, int64_t id, const char *role, struct ks_err *err)
{
	size_t start = out->len;
	struct ks_jw w;

	ks_jw_init(&w, out);
	ks_jw_open(&w, NULL);
	ks_jw_int(&w, "id", id);
	ks_jw_str(&w, "cmd", "hello");
	ks_jw_int(&w, "protocol", KS_FRAME_PROTOCOL);
	ks_jw_str(&w, "role", role);
	ks_jw_close(&w);
	return end_line(out, start, err);
}

int ks_frame_request(struct ks_buf *out, int64_t id, const char *cmd, struct ks_str args,
	struct ks_err *err)
{
	size_t start = out->len;
	struct ks_jw w;

	ks_jw_init(&w, out);
	ks_jw_open(&w, NULL);
	ks_jw_int(&w, "id", id);
	ks_jw_str(&w, "cmd", cmd);
	if (args.len > 0) {
		ks_jw_raw(&w, "args", args);
	}
	ks_jw_close(&w);
	return end_line(out, start, err);
}

int ks_frame_reply(struct ks_buf *out, int64_t id, struct ks_str result, bool more,
	struct ks_err *err)
{
	size_t start = out->len;
	struct ks_jw w;

	ks_jw_init(&w, out);
	ks_jw_open(&w, NULL);
	ks_jw_int(&w, "id", id);
	ks_jw_bool(&w, "ok", true);
	if (result.len > 0) {
		ks_jw_raw(&w, "result", result);
	}
	if (more) {
		ks_jw_bool(&w, "more", true);
	}
	ks_jw_close(&w);
	return end_line(out, start, err);
}

void ks_frame_refuse(struct ks_buf *out, int64_t id, int code, const char *text)
{
	struct ks_str shown = ks_str_of(text);
	struct ks_jw w;

	if (shown.len > ERROR_TEXT_MAX) {
		shown.len = ERROR_TEXT_MAX;
	}
	ks_jw_init(&w, out);
	ks_jw_open(&w, NULL);
	ks_jw_int(&w, "id", id);
	ks_jw_bool(&w, "ok", false);
	ks_jw_str(&w, "code", ks_code_name(code));
	ks_jw_slice(&w, "error", shown);
	ks_jw_close(&w);
	ks_buf_addc(out, '\n');
}

int ks_frame_push(struct ks_buf *out, const char *name, struct ks_str members,
	struct ks_err *err)
{
	size_t start = out->len;
	struct ks_jw w;

	ks_jw_init(&w, out);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "push", name);
	if (members.len > 0) {
		ks_buf_addc(out, ',');
		ks_buf_addstr(out, members);
	}
	ks_jw_close(&w);
	return end_line(out, start, err);
}
