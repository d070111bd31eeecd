/*
 * UTF-8 by utf8proc. ASCII takes short ways everywhere, since nearly all text
 * is ASCII. No function reads past s + len or needs a NUL.
 */
#include "base/utf8.h"

#include <string.h>
#include <utf8proc.h>

#define REPLACEMENT 0xfffd
#define CLUSTER_MAX 64

static bool is_ascii(char c)
{
	return (unsigned char)c < 0x80;
}

size_t ks_utf8_decode(const char *s, size_t len, int32_t *out_cp)
{
	utf8proc_int32_t cp;
	utf8proc_ssize_t n;

	if (is_ascii(s[0])) {
		*out_cp = s[0];
		return 1;
	}
	n = utf8proc_iterate((const utf8proc_uint8_t *)s,
		(utf8proc_ssize_t)(len < 4 ? len : 4), &cp);
	if (n <= 0) {
		*out_cp = REPLACEMENT;
		return 1;
	}
	*out_cp = cp;
	return (size_t)n;
}

size_t ks_utf8_encode(int32_t cp, char *out)
{
	utf8proc_uint8_t bytes[4];
	utf8proc_ssize_t n;

	if (!utf8proc_codepoint_valid(cp)) {
		cp = REPLACEMENT;
	}
	n = utf8proc_encode_char(cp, bytes);
	memcpy(out, bytes, (size_t)n);
	return (size_t)n;
}

bool ks_utf8_valid(const char *s, size_t len)
{
	size_t at = 0;

	while (at < len) {
		int32_t cp;
		size_t n = ks_utf8_decode(s + at, len - at, &cp);

		if (n == 1 && cp == REPLACEMENT) {
			return false;
		}
		at += n;
	}
	return true;
}

enum ks_utf8_class ks_utf8_class(int32_t cp)
{
	const utf8proc_property_t *prop;

	if (cp < 0x80) {
		return cp < 0x20 || cp == 0x7f ? KS_UTF8_CONTROL : KS_UTF8_PLAIN;
	}
	prop = utf8proc_get_property(cp);
	switch (prop->category) {
	case UTF8PROC_CATEGORY_CC:
		return KS_UTF8_CONTROL;
	case UTF8PROC_CATEGORY_CF:
		return cp == 0x200d ? KS_UTF8_JOINER : KS_UTF8_HIDDEN;
	case UTF8PROC_CATEGORY_CN:
	case UTF8PROC_CATEGORY_CS:
	case UTF8PROC_CATEGORY_ZL:
	case UTF8PROC_CATEGORY_ZP:
		return KS_UTF8_HIDDEN;
	default:
		break;
	}
	if (cp == 0xfe0e || cp == 0xfe0f) {
		return KS_UTF8_SELECTOR;
	}
	if (prop->ignorable) {
		return KS_UTF8_HIDDEN;
	}
	if (cp >= 0x1f3fb && cp <= 0x1f3ff) {
		return KS_UTF8_TONE;
	}
	if (prop->boundclass == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC) {
		return KS_UTF8_PICTO;
	}
	if (utf8proc_charwidth(cp) == 0 || prop->category == UTF8PROC_CATEGORY_MN ||
		prop->category == UTF8PROC_CATEGORY_ME) {
		return KS_UTF8_MARK;
	}
	return KS_UTF8_PLAIN;
}

size_t ks_utf8_grapheme(const char *s, size_t len)
{
	utf8proc_int32_t state = 0;
	int32_t before, cp;
	size_t at;

	if (is_ascii(s[0]) && s[0] != '\r' && (len == 1 || is_ascii(s[1]))) {
		return 1;
	}
	at = ks_utf8_decode(s, len, &before);
	while (at < len) {
		size_t n = ks_utf8_decode(s + at, len - at, &cp);

		if (at + n > CLUSTER_MAX || utf8proc_grapheme_break_stateful(before, cp, &state)) {
			break;
		}
		at += n;
		before = cp;
	}
	return at;
}

static int width_of(int32_t cp)
{
	return cp < 0x80 ? cp >= 0x20 && cp != 0x7f : utf8proc_charwidth(cp);
}

int ks_utf8_width(const char *s, size_t len)
{
	size_t at = 0, flags = 0;
	int width = 0;

	while (at < len) {
		int32_t cp;

		at += ks_utf8_decode(s + at, len - at, &cp);
		if (width_of(cp) > width) {
			width = width_of(cp);
		}
		if (cp >= 0x1f1e6 && cp <= 0x1f1ff) {
			flags++;
		}
		/* the emoji form of a narrow base takes two columns, and so
		 * does a pair of regional indicators, which is one flag */
		if ((cp == 0xfe0f && width == 1) || flags == 2) {
			width = 2;
		}
	}
	return width > 2 ? 2 : width;
}

size_t ks_utf8_columns(const char *s, size_t len)
{
	size_t at = 0, cols = 0;

	while (at < len) {
		size_t n = ks_utf8_grapheme(s + at, len - at);

		cols += (size_t)ks_utf8_width(s + at, n);
		at += n;
	}
	return cols;
}

size_t ks_utf8_fit(const char *s, size_t len, size_t cols)
{
	size_t at = 0, used = 0;

	while (at < len) {
		size_t n = ks_utf8_grapheme(s + at, len - at);

		used += (size_t)ks_utf8_width(s + at, n);
		if (used > cols) {
			break;
		}
		at += n;
	}
	return at;
}

size_t ks_utf8_fit_end(const char *s, size_t len, size_t cols)
{
	size_t at = 0;

	while (at < len && ks_utf8_columns(s + at, len - at) > cols) {
		at += ks_utf8_grapheme(s + at, len - at);
	}
	return at;
}

void ks_utf8_shorten(struct ks_buf *out, struct ks_str s, size_t cols, const char *mark)
{
	size_t head = cols / 2, tail;

	if (ks_utf8_columns(s.ptr, s.len) <= cols) {
		ks_buf_add(out, s.ptr, s.len);
	} else if (cols > 0) {
		tail = ks_utf8_fit_end(s.ptr, s.len, cols - head - 1);
		ks_buf_add(out, s.ptr, ks_utf8_fit(s.ptr, s.len, head));
		ks_buf_adds(out, mark);
		ks_buf_add(out, s.ptr + tail, s.len - tail);
	}
}

size_t ks_utf8_cut(const char *s, size_t len, size_t max)
{
	size_t back;

	if (len <= max) {
		return len;
	}
	/* a code point that crosses max starts at most three bytes before it */
	for (back = 1; back <= 3 && back <= max; back++) {
		int32_t cp;

		if (((unsigned char)s[max - back] & 0xc0) != 0x80) {
			size_t n = ks_utf8_decode(s + max - back, len - max + back, &cp);

			return n > back ? max - back : max;
		}
	}
	return max;
}
