/*
 * Wrapping. ks_wrap_next always uses up at least one byte or ends:
 * a cluster that is wider than the width is a line of its own, and the grid
 * clips it.
 */
#include "canvas/layout.h"

#include <string.h>

#include "base/utf8.h"

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
