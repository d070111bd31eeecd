/*
 * Writing JSON. Invariant: between calls the buffer holds a valid prefix of a
 * document; text that is not UTF-8 is repaired, never passed through.
 */
#include "base/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_scan.h"
#include "base/utf8.h"

void ks_json_add_double(struct ks_buf *out, double value)
{
	char text[40];
	int digits, i;

	for (digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value) {
			break;
		}
	}
	/* printf takes the decimal point from the locale; JSON does not */
	for (i = 0; text[i] != '\0'; i++) {
		if (!strchr("+-0123456789e", text[i])) {
			text[i] = '.';
		}
	}
	ks_buf_adds(out, text);
}

static void add_number(struct ks_buf *out, double value)
{
	if (!isfinite(value)) {
		ks_buf_adds(out, "null");
	} else if (value == trunc(value) && fabs(value) <= 9007199254740992.0 &&
		!(value == 0 && signbit(value))) {
		ks_buf_addf(out, "%" PRId64, (int64_t)value);
	} else {
		ks_json_add_double(out, value);
	}
}

static void add_escape(struct ks_buf *out, unsigned char c)
{
	switch (c) {
	case '"':
		ks_buf_adds(out, "\\\"");
		break;
	case '\\':
		ks_buf_adds(out, "\\\\");
		break;
	case '\n':
		ks_buf_adds(out, "\\n");
		break;
	case '\r':
		ks_buf_adds(out, "\\r");
		break;
	case '\t':
		ks_buf_adds(out, "\\t");
		break;
	default:
		ks_buf_addf(out, "\\u%04x", c);
		break;
	}
}

static void add_string(struct ks_buf *out, struct ks_str text)
{
	size_t at = 0, start = 0;

	ks_buf_reserve(out, text.len + 2);
	ks_buf_addc(out, '"');
	while (at < text.len) {
		unsigned char c = (unsigned char)text.ptr[at];
		size_t n = 1;

		if (c >= 0x80) {
			int32_t cp;

			n = ks_utf8_decode(text.ptr + at, text.len - at, &cp);
		}
		if ((c >= 0x20 && c < 0x80 && c != '"' && c != '\\') || n > 1) {
			at += n;
			continue;
		}
		ks_buf_add(out, text.ptr + start, at - start);
		if (c >= 0x80) {
			ks_buf_adds(out, "\xef\xbf\xbd");
		} else {
			add_escape(out, c);
		}
		start = ++at;
	}
	ks_buf_add(out, text.ptr + start, at - start);
	ks_buf_addc(out, '"');
}

/* ---- printing nodes ---- */

static void print_open(const struct ks_json *node, struct ks_buf *out)
{
	switch (ks_json_type(node)) {
	case KS_JSON_BOOL:
		ks_buf_adds(out, ks_json_bool(node, false) ? "true" : "false");
		break;
	case KS_JSON_NUMBER:
		add_number(out, ks_json_num(node, 0));
		break;
	case KS_JSON_STRING:
		add_string(out, ks_str_of(ks_json_str(node, "")));
		break;
	case KS_JSON_ARRAY:
		ks_buf_addc(out, '[');
		break;
	case KS_JSON_OBJECT:
		ks_buf_addc(out, '{');
		break;
	case KS_JSON_NULL:
		ks_buf_adds(out, "null");
		break;
	}
}

static void print_close(const struct ks_json *node, struct ks_buf *out)
{
	if (ks_json_type(node) == KS_JSON_ARRAY) {
		ks_buf_addc(out, ']');
	} else if (ks_json_type(node) == KS_JSON_OBJECT) {
		ks_buf_addc(out, '}');
	}
}

static void print_child(const struct ks_json *node, struct ks_buf *out)
{
	if (ks_json_key(node)) {
		add_string(out, ks_str_of(ks_json_key(node)));
		ks_buf_addc(out, ':');
	}
	print_open(node, out);
}

/* The key of the node itself is not printed: it belongs to the parent. */
void ks_json_print(const struct ks_json *node, struct ks_buf *out)
{
	const struct ks_json *path[KS_JSON_DEPTH];
	const struct ks_json *item = node;
	size_t depth = 0;

	if (!node) {
		ks_buf_adds(out, "null");
		return;
	}
	print_open(node, out);
	for (;;) {
		if (ks_json_first(item)) {
			path[depth++] = item;
			item = ks_json_first(item);
			print_child(item, out);
			continue;
		}
		print_close(item, out);
		while (depth > 0 && !ks_json_next(item)) {
			item = path[--depth];
			print_close(item, out);
		}
		if (depth == 0) {
			return;
		}
		item = ks_json_next(item);
		ks_buf_addc(out, ',');
		print_child(item, out);
	}
}

/* ---- the writer ---- */

void ks_jw_init(struct ks_jw *w, struct ks_buf *out)
{
	*w = (struct ks_jw){.out = out};
}

void ks_jw_members(struct ks_jw *w, struct ks_buf *out)
{
	*w = (struct ks_jw){.out = out, .depth = 1};
}

static void new_line(struct ks_jw *w)
{
	unsigned i;

	if (w->pretty) {
		ks_buf_addc(w->out, '\n');
		for (i = 0; i < w->depth; i++) {
			ks_buf_adds(w->out, "  ");
		}
	}
}

/* Comma, line and key: all that stands before a value. */
static void lead(struct ks_jw *w, const char *key)
{
	if (w->depth > 0) {
		if (w->comma[w->depth - 1]) {
			ks_buf_addc(w->out, ',');
		}
		w->comma[w->depth - 1] = true;
		new_line(w);
	}
	if (key) {
		add_string(w->out, ks_str_of(key));
		ks_buf_adds(w->out, w->pretty ? ": " : ":");
	}
}

static void open_with(struct ks_jw *w, const char *key, char c)
{
	assert(w->depth < KS_JW_DEPTH);
	lead(w, key);
	ks_buf_addc(w->out, c);
	w->comma[w->depth++] = false;
}

static void close_with(struct ks_jw *w, char c)
{
	assert(w->depth > 0);
	w->depth--;
	if (w->comma[w->depth]) {
		new_line(w);
	}
	ks_buf_addc(w->out, c);
}

void ks_jw_open(struct ks_jw *w, const char *key)
{
	open_with(w, key, '{');
}

void ks_jw_close(struct ks_jw *w)
{
	close_with(w, '}');
}

void ks_jw_open_array(struct ks_jw *w, const char *key)
{
	open_with(w, key, '[');
}

void ks_jw_close_array(struct ks_jw *w)
{
	close_with(w, ']');
}

void ks_jw_str(struct ks_jw *w, const char *key, const char *value)
{
	if (value) {
		ks_jw_slice(w, key, ks_str_of(value));
	} else {
		ks_jw_null(w, key);
	}
}

void ks_jw_slice(struct ks_jw *w, const char *key, struct ks_str value)
{
	lead(w, key);
	add_string(w->out, value);
}

void ks_jw_int(struct ks_jw *w, const char *key, int64_t value)
{
	lead(w, key);
	ks_buf_addf(w->out, "%" PRId64, value);
}

void ks_jw_num(struct ks_jw *w, const char *key, double value)
{
	lead(w, key);
	add_number(w->out, value);
}

void ks_jw_bool(struct ks_jw *w, const char *key, bool value)
{
	lead(w, key);
	ks_buf_adds(w->out, value ? "true" : "false");
}

void ks_jw_null(struct ks_jw *w, const char *key)
{
	lead(w, key);
	ks_buf_adds(w->out, "null");
}

void ks_jw_raw(struct ks_jw *w, const char *key, struct ks_str json)
{
	lead(w, key);
	ks_buf_addstr(w->out, json);
}

void ks_jw_node(struct ks_jw *w, const char *key, const struct ks_json *node)
{
	lead(w, key);
	ks_json_print(node, w->out);
}

/* Behind the string's closing quote; at stands behind the opening one. */
static size_t string_end(struct ks_str json, size_t at)
{
	while (at < json.len && json.ptr[at] != '"') {
		at += json.ptr[at] == '\\' && at + 1 < json.len ? 2 : 1;
	}
	return at < json.len ? at + 1 : at;
}

void ks_json_add_replaced(struct ks_buf *out, struct ks_str json, struct ks_str old,
	struct ks_str new)
{
	size_t at = 0;

	while (at < json.len) {
		size_t from = at, next;

		while (at < json.len && json.ptr[at] != '"') {
			at++;
		}
		ks_buf_add(out, json.ptr + from, at - from);
		if (at == json.len) {
			return;
		}
		next = string_end(json, at + 1);
		from = at;
		at = next;
		while (next < json.len && strchr(" \t\r\n", json.ptr[next]) != NULL) {
			next++;
		}
		if (next < json.len && json.ptr[next] == ':') {
			ks_buf_add(out, json.ptr + from, at - from);
		} else {
			ks_buf_add_replaced(out, (struct ks_str){json.ptr + from, at - from}, old,
				new);
		}
	}
}
