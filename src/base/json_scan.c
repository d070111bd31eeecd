/*
 * The strict scan of JSON. One pass, no allocation while nothing has to be
 * replaced. Invariant: bytes of text before `copied` are in `fixed` already, if
 * anything is; `pos` never passes `len`.
 */
#include "base/json_scan.h"

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

#define NUMBER_MAX 60 /* cJSON reads numbers through 63 bytes */

struct scan {
	const char *text;
	size_t len;
	size_t pos;
	struct ks_buf *fixed;
	size_t copied;
	uint64_t objects; /* bit d: the container at depth d is an object */
	unsigned depth;
	struct ks_err *err;
};

enum want { WANT_VALUE, WANT_VALUE_OR_END, WANT_KEY, WANT_KEY_OR_END, WANT_MORE };

static int refuse(struct scan *s, const char *expected)
{
	if (s->pos >= s->len) {
		return ks_err_set(s->err, KS_EINVAL, "JSON: ends at byte %zu, expected %s",
			s->len, expected);
	}
	/* People edit documents of several lines; a log line is one. */
	size_t line = 1, start = 0;
	for (size_t i = 0; i < s->pos; i++) {
		if (s->text[i] == '\n') {
			line++;
			start = i + 1;
		}
	}
	if (line > 1) {
		return ks_err_set(s->err, KS_EINVAL, "JSON: line %zu, column %zu: expected %s",
			line, s->pos - start + 1, expected);
	}
	return ks_err_set(s->err, KS_EINVAL, "JSON: byte %zu: expected %s", s->pos, expected);
}

/* Replaces the n bytes at pos and steps behind them. */
static void replace(struct scan *s, size_t n, const char *text)
{
	ks_buf_add(s->fixed, s->text + s->copied, s->pos - s->copied);
	ks_buf_adds(s->fixed, text);
	s->pos += n;
	s->copied = s->pos;
}

static int peek(const struct scan *s)
{
	return s->pos < s->len ? (unsigned char)s->text[s->pos] : -1;
}

static void skip_space(struct scan *s)
{
	int c = peek(s);

	while (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
		s->pos++;
		c = peek(s);
	}
}

/* The value of the four hexadecimal digits at p, or -1. */
static int hex4(const char *p, size_t len)
{
	int value = 0, i;

	if (len < 4) {
		return -1;
	}
	for (i = 0; i < 4; i++) {
		char c = p[i];

		value *= 16;
		if (c >= '0' && c <= '9') {
			value += c - '0';
		} else if (c >= 'a' && c <= 'f') {
			value += c - 'a' + 10;
		} else if (c >= 'A' && c <= 'F') {
			value += c - 'A' + 10;
		} else {
			return -1;
		}
	}
	return value;
}

/* At a backslash followed by 'u'. */
static int scan_unicode(struct scan *s)
{
	const char *p = s->text + s->pos;
	size_t left = s->len - s->pos;
	int low = -1, unit = hex4(p + 2, left - 2);

	if (unit < 0) {
		return refuse(s, "four hexadecimal digits after \\u");
	}
	if (unit >= 0xd800 && unit <= 0xdbff && left >= 12 && p[6] == '\\' && p[7] == 'u') {
		low = hex4(p + 8, left - 8);
	}
	if (low >= 0xdc00 && low <= 0xdfff) {
		s->pos += 12;
	} else if (unit == 0 || (unit >= 0xd800 && unit <= 0xdfff)) {
		replace(s, 6, "\\ufffd");
	} else {
		s->pos += 6;
	}
	return KS_OK;
}

static int scan_escape(struct scan *s)
{
	if (s->len - s->pos < 2) {
		s->pos = s->len;
		return refuse(s, "the rest of an escape");
	}
	switch (s->text[s->pos + 1]) {
	case '"':
	case '\\':
	case '/':
	case 'b':
	case 'f':
	case 'n':
	case 'r':
	case 't':
		s->pos += 2;
		return KS_OK;
	case 'u':
		return scan_unicode(s);
	default:
		return refuse(s, "an escape that JSON knows");
	}
}

/* Steps over bytes of a string that need no look, eight at a time. */
static void skip_plain(struct scan *s)
{
	const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;

	while (s->len - s->pos >= 8) {
		uint64_t w, quote, slash;

		memcpy(&w, s->text + s->pos, 8);
		w = le64toh(w);
		quote = w ^ (ones * '"');
		slash = w ^ (ones * '\\');
		/* a byte above 0x7f, below 0x20, '"' or '\\' sets its top bit;
		 * a borrow can only spoil bits above the first one set */
		w = (w | (w - ones * 0x20) | (quote - ones) | (slash - ones)) & tops;
		if (w != 0) {
			s->pos += (size_t)__builtin_ctzll(w) / 8;
			return;
		}
		s->pos += 8;
	}
	while (s->pos < s->len) {
		unsigned char c = (unsigned char)s->text[s->pos];

		if (c < 0x20 || c >= 0x80 || c == '"' || c == '\\') {
			break;
		}
		s->pos++;
	}
}

/* At the opening quote. */
static int scan_string(struct scan *s)
{
	s->pos++;
	for (;;) {
		int32_t cp;
		size_t n;
		int c;

		skip_plain(s);
		c = peek(s);
		if (c == '"') {
			s->pos++;
			return KS_OK;
		}
		if (c == '\\') {
			int rc = scan_escape(s);

			if (rc < 0) {
				return rc;
			}
			continue;
		}
		if (c < 0x80) {
			return refuse(s, c < 0 ? "a closing quote" : "no bare control byte");
		}
		n = ks_utf8_decode(s->text + s->pos, s->len - s->pos, &cp);
		if (n == 1) {
			replace(s, 1, "\xef\xbf\xbd");
		} else {
			s->pos += n;
		}
	}
}

static size_t skip_digits(struct scan *s)
{
	size_t start = s->pos;

	while (peek(s) >= '0' && peek(s) <= '9') {
		s->pos++;
	}
	return s->pos - start;
}

/* A number longer than cJSON reads becomes its nearest double. */
static int shorten(struct scan *s, size_t start)
{
	size_t n = s->pos - start;
	struct ks_buf text = {0};
	char *copy = ks_strndup(s->text + start, n);
	double value = strtod(copy, NULL);

	free(copy);
	s->pos = start;
	if (value > 1.7976931348623157e308 || value < -1.7976931348623157e308) {
		return refuse(s, "a number in the range of a double");
	}
	ks_json_add_double(&text, value);
	replace(s, n, text.ptr);
	ks_buf_fini(&text);
	return KS_OK;
}

static int scan_number(struct scan *s)
{
	size_t start = s->pos;

	if (peek(s) == '-') {
		s->pos++;
	}
	if (peek(s) == '0') {
		s->pos++;
	} else if (skip_digits(s) == 0) {
		return refuse(s, "a digit");
	}
	if (peek(s) == '.') {
		s->pos++;
		if (skip_digits(s) == 0) {
			return refuse(s, "a digit after the point");
		}
	}
	if (peek(s) == 'e' || peek(s) == 'E') {
		s->pos++;
		if (peek(s) == '+' || peek(s) == '-') {
			s->pos++;
		}
		if (skip_digits(s) == 0) {
			return refuse(s, "a digit of the exponent");
		}
	}
	return s->pos - start > NUMBER_MAX ? shorten(s, start) : KS_OK;
}

static int scan_word(struct scan *s, const char *word)
{
	size_t n = strlen(word);

	if (s->len - s->pos < n || memcmp(s->text + s->pos, word, n) != 0) {
		return refuse(s, word);
	}
	s->pos += n;
	return KS_OK;
}

static int scan_scalar(struct scan *s)
{
	switch (peek(s)) {
	case '"':
		return scan_string(s);
	case 't':
		return scan_word(s, "true");
	case 'f':
		return scan_word(s, "false");
	case 'n':
		return scan_word(s, "null");
	case '-':
	case '0':
	case '1':
	case '2':
	case '3':
	case '4':
	case '5':
	case '6':
	case '7':
	case '8':
	case '9':
		return scan_number(s);
	default:
		return refuse(s, "a value");
	}
}

static int open_container(struct scan *s, bool object)
{
	if (s->depth == KS_JSON_DEPTH) {
		return ks_err_set(s->err, KS_ELIMIT, "JSON: byte %zu: more than %d levels deep",
			s->pos, KS_JSON_DEPTH);
	}
	s->objects &= ~(UINT64_C(1) << s->depth);
	s->objects |= (uint64_t)object << s->depth;
	s->depth++;
	s->pos++;
	return KS_OK;
}

static bool in_object(const struct scan *s)
{
	return s->depth > 0 && (s->objects >> (s->depth - 1) & 1) != 0;
}

/* A key and its colon. */
static int scan_key(struct scan *s)
{
	int rc;

	if (peek(s) != '"') {
		return refuse(s, "a key in quotes");
	}
	rc = scan_string(s);
	if (rc < 0) {
		return rc;
	}
	skip_space(s);
	if (peek(s) != ':') {
		return refuse(s, "':'");
	}
	s->pos++;
	return KS_OK;
}

/* Behind a value inside a container: a comma or the end. */
static int scan_more(struct scan *s, enum want *want)
{
	int c = peek(s);

	if (c == ',') {
		s->pos++;
		*want = in_object(s) ? WANT_KEY : WANT_VALUE;
		return KS_OK;
	}
	if (c != (in_object(s) ? '}' : ']')) {
		return refuse(s, in_object(s) ? "',' or '}'" : "',' or ']'");
	}
	s->pos++;
	s->depth--;
	*want = WANT_MORE;
	return KS_OK;
}

static int scan_value(struct scan *s, enum want *want)
{
	int c = peek(s);

	if (c == '{') {
		*want = WANT_KEY_OR_END;
		return open_container(s, true);
	}
	if (c == '[') {
		*want = WANT_VALUE_OR_END;
		return open_container(s, false);
	}
	*want = WANT_MORE;
	return scan_scalar(s);
}

static int scan_step(struct scan *s, enum want *want)
{
	int rc;

	if ((*want == WANT_KEY_OR_END && peek(s) == '}') ||
		(*want == WANT_VALUE_OR_END && peek(s) == ']') || *want == WANT_MORE) {
		return scan_more(s, want);
	}
	if (*want == WANT_KEY || *want == WANT_KEY_OR_END) {
		rc = scan_key(s);
		*want = WANT_VALUE;
		return rc;
	}
	return scan_value(s, want);
}

int ks_json_scan(const char *text, size_t len, struct ks_buf *repaired, struct ks_err *err)
{
	struct scan s = {.text = text, .len = len, .fixed = repaired, .err = err};
	enum want want = WANT_VALUE;

	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		s.pos = 3;
	}
	skip_space(&s);
	do {
		int rc = scan_step(&s, &want);

		if (rc < 0) {
			return rc;
		}
		skip_space(&s);
	} while (s.depth > 0 || want != WANT_MORE);
	if (s.pos < len) {
		return refuse(&s, "the end of the text");
	}
	if (s.copied > 0) {
		ks_buf_add(repaired, text + s.copied, len - s.copied);
	}
	return KS_OK;
}
