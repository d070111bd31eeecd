/*
 * Wrapping and fitting. ks_wrap_next always uses up at least one byte or ends:
 * a cluster that is wider than the width is a line of its own, and the grid
 * clips it.
 */
#include "canvas/layout.h"

#include <string.h>

#include "base/utf8.h"
#include "canvas/glyph.h"

void ks_wrap_init(struct ks_wrap *w, struct ks_str text, int width, int hang)
{
	w->rest = text;
	w->width = width < 1 ? 1 : width;
	w->hang = hang < 0 || hang >= w->width ? 0 : hang;
	w->started = false;
	w->done = false;
}

/* Bytes up to and without the newline. */
static size_t logical_line(struct ks_str s)
{
	const char *end = s.len > 0 ? memchr(s.ptr, '\n', s.len) : NULL;

	return end != NULL ? (size_t)(end - s.ptr) : s.len;
}

/* Where to break the line s that is longer than `fit` bytes allow: after the
 * last blank in it, or inside the word. */
static size_t break_at(const char *s, size_t len, size_t fit)
{
	size_t i = fit;

	if (fit < len && s[fit] == ' ') {
		return fit;
	}
	while (i > 0 && s[i - 1] != ' ') {
		i--;
	}
	return i > 0 && i * 3 >= fit ? i : fit;
}

static void drop(struct ks_str *s, size_t n)
{
	s->ptr += n;
	s->len -= n;
}

bool ks_wrap_next(struct ks_wrap *w, struct ks_str *out_line)
{
	int width = w->started ? w->width - w->hang : w->width;
	size_t line, fit, cut;

	if (w->done) {
		return false;
	}
	w->started = true;
	line = logical_line(w->rest);
	fit = ks_utf8_fit(w->rest.ptr, line, (size_t)width);
	out_line->ptr = w->rest.ptr;
	if (fit >= line) {
		out_line->len = line;
		w->done = line == w->rest.len;
		drop(&w->rest, w->done ? line : line + 1);
		return true;
	}
	cut = break_at(w->rest.ptr, line, fit);
	if (cut == 0) {
		cut = ks_utf8_grapheme(w->rest.ptr, line);
	}
	out_line->len = cut;
	while (out_line->len > 1 && out_line->ptr[out_line->len - 1] == ' ') {
		out_line->len--;
	}
	drop(&w->rest, cut);
	line -= cut;
	while (line > 0 && w->rest.ptr[0] == ' ') {
		drop(&w->rest, 1);
		line--;
	}
	if (line == 0) {
		w->done = w->rest.len == 0;
		drop(&w->rest, w->done ? 0 : 1);
	}
	return true;
}

size_t ks_wrap_count(struct ks_str text, int width, int hang)
{
	struct ks_wrap w;
	struct ks_str line;
	size_t count = 0;

	ks_wrap_init(&w, text, width, hang);
	while (ks_wrap_next(&w, &line)) {
		count++;
	}
	return count;
}

/* The longest suffix of at most cols columns. */
static size_t suffix_from(struct ks_str text, size_t cols)
{
	size_t total = ks_utf8_columns(text.ptr, text.len);
	size_t at = 0;

	while (at < text.len && total > cols) {
		size_t len = ks_utf8_grapheme(text.ptr + at, text.len - at);
		int width = ks_utf8_width(text.ptr + at, len);

		total -= width > 0 ? (size_t)width : 0;
		at += len;
	}
	return at;
}

size_t ks_fit(struct ks_buf *out, struct ks_str text, size_t cols,
	enum ks_cut cut, bool ascii)
{
	size_t width = ks_utf8_columns(text.ptr, text.len);
	size_t head, fit, from;

	if (width <= cols) {
		ks_buf_add(out, text.ptr, text.len);
		return width;
	}
	if (cols == 0) {
		return 0;
	}
	head = cut == KS_CUT_END ? cols - 1 : cut == KS_CUT_START ? 0 : cols / 2;
	fit = ks_utf8_fit(text.ptr, text.len, head);
	from = cut == KS_CUT_END ? text.len : suffix_from(text, cols - 1 - head);
	ks_buf_add(out, text.ptr, fit);
	ks_buf_adds(out, ks_glyph(KS_GLYPH_MORE, ascii));
	ks_buf_add(out, text.ptr + from, text.len - from);
	return ks_utf8_columns(text.ptr, fit) + 1 +
		ks_utf8_columns(text.ptr + from, text.len - from);
}

void ks_fit_pad(struct ks_buf *out, struct ks_str text, size_t cols,
	enum ks_cut cut, bool ascii)
{
	size_t used = ks_fit(out, text, cols, cut, ascii);

	for (; used < cols; used++) {
		ks_buf_addc(out, ' ');
	}
}
