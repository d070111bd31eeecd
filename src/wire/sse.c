/*
 * Server-sent events. Invariant: no line end lies between `at` and `scanned`;
 * `name` and `data` hold the whole lines of an event that is not given out yet.
 */
#include "wire/sse.h"

#include <string.h>

#define NAME_MAX_BYTES 128

void ks_sse_fini(struct ks_sse *sse)
{
	if (sse != NULL) {
		ks_buf_fini(&sse->in);
		ks_buf_fini(&sse->name);
		ks_buf_fini(&sse->data);
		*sse = (struct ks_sse){0};
	}
}

void ks_sse_add(struct ks_sse *sse, struct ks_str bytes)
{
	if (sse->broken || bytes.len == 0) {
		return;
	}
	if (sse->at > 0) {
		ks_buf_drop(&sse->in, sse->at);
		sse->scanned -= sse->at;
		sse->at = 0;
	}
	ks_buf_addstr(&sse->in, bytes);
}

static void forget(struct ks_sse *sse)
{
	ks_buf_clear(&sse->name);
	ks_buf_clear(&sse->data);
	sse->has_data = sse->given = false;
}

static int too_long(struct ks_sse *sse, struct ks_err *err)
{
	sse->broken = true;
	ks_buf_fini(&sse->in);
	sse->at = sse->scanned = 0;
	forget(sse);
	return ks_err_set(err, KS_ELIMIT, "an event of the stream passes %u bytes", KS_SSE_MAX);
}

/* A byte order mark at the very beginning is no part of the first line. False
 * while it cannot be told. */
static bool skip_mark(struct ks_sse *sse)
{
	static const char mark[] = "\xef\xbb\xbf";
	size_t len = sse->in.len < 3 ? sse->in.len : 3;

	if (sse->began) {
		return true;
	}
	if (len < 3 && memcmp(sse->in.ptr, mark, len) == 0) {
		return false;
	}
	if (len == 3 && memcmp(sse->in.ptr, mark, 3) == 0) {
		sse->at = sse->scanned = 3;
	}
	sse->began = true;
	return true;
}

/* The next whole line without its end. */
static bool next_line(struct ks_sse *sse, struct ks_str *out)
{
	if (sse->in.len == 0 || !skip_mark(sse)) {
		return false;
	}
	if (sse->skip_lf && sse->at < sse->in.len) {
		sse->skip_lf = false;
		if (sse->in.ptr[sse->at] == '\n') {
			sse->at++;
			sse->scanned = sse->at;
		}
	}
	for (; sse->scanned < sse->in.len; sse->scanned++) {
		char c = sse->in.ptr[sse->scanned];

		if (c == '\n' || c == '\r') {
			*out = (struct ks_str){sse->in.ptr + sse->at, sse->scanned - sse->at};
			sse->skip_lf = c == '\r';
			sse->at = ++sse->scanned;
			return true;
		}
	}
	return false;
}

static void take_line(struct ks_sse *sse, struct ks_str line)
{
	struct ks_str field = line, value = {0};
	const char *colon = memchr(line.ptr, ':', line.len);

	if (colon == line.ptr) {
		return; /* a comment */
	}
	if (colon != NULL) {
		field.len = (size_t)(colon - line.ptr);
		value = (struct ks_str){colon + 1, line.len - field.len - 1};
		if (value.len > 0 && value.ptr[0] == ' ') {
			value.ptr++;
			value.len--;
		}
	}
	if (ks_str_is(field, "data")) {
		if (sse->has_data) {
			ks_buf_addc(&sse->data, '\n');
		}
		ks_buf_addstr(&sse->data, value);
		sse->has_data = true;
	} else if (ks_str_is(field, "event") && value.len <= NAME_MAX_BYTES) {
		ks_buf_clear(&sse->name);
		ks_buf_addstr(&sse->name, value);
	}
}

static int give(struct ks_sse *sse, struct ks_str *out_name, struct ks_str *out_data)
{
	*out_name = sse->name.len > 0 ? ks_buf_str(&sse->name) : KS_STR("message");
	*out_data = ks_buf_str(&sse->data);
	sse->given = true;
	return 1;
}

int ks_sse_next(struct ks_sse *sse, struct ks_str *out_name, struct ks_str *out_data,
	struct ks_err *err)
{
	struct ks_str line;

	if (sse->broken) {
		return ks_err_set(err, KS_ELIMIT, "an event of the stream passed %u bytes",
			KS_SSE_MAX);
	}
	if (sse->given) {
		forget(sse);
	}
	while (next_line(sse, &line)) {
		if (line.len == 0) {
			if (sse->has_data) {
				return give(sse, out_name, out_data);
			}
			forget(sse);
			continue;
		}
		if (line.len > KS_SSE_MAX || sse->data.len + line.len > KS_SSE_MAX) {
			return too_long(sse, err);
		}
		take_line(sse, line);
	}
	return sse->in.len - sse->at > KS_SSE_MAX ? too_long(sse, err) : 0;
}

int ks_sse_end(struct ks_sse *sse, struct ks_str *out_name, struct ks_str *out_data)
{
	if (sse->broken || sse->given || !sse->has_data) {
		return 0;
	}
	return give(sse, out_name, out_data);
}
