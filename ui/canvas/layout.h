#ifndef KSEEK_CANVAS_LAYOUT_H
#define KSEEK_CANVAS_LAYOUT_H
/*
 * Text in columns: wrapping, fitting, padding. Works on clusters; text must be
 * safe already (base/sane) for its widths to be what a terminal shows. Every
 * loop uses at least one byte of its input a turn, also at width 0 and 1.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Lines of a text at a width: breaks at blanks, else inside a word; a newline
 * ends a line; blanks at a break are dropped. */
struct ks_wrap {
	struct ks_str rest;
	int width;     /* columns, at least 1 */
	int hang;      /* columns that lines after the first are narrower by */
	bool started, done;
};

void ks_wrap_init(struct ks_wrap *w, struct ks_str text, int width, int hang);
/* The next line, a slice of the text; false after the last. An empty text has
 * one empty line. */
bool ks_wrap_next(struct ks_wrap *w, struct ks_str *out_line);
/* Number of lines. */
size_t ks_wrap_count(struct ks_str text, int width, int hang);

enum ks_cut { KS_CUT_END, KS_CUT_MIDDLE, KS_CUT_START };
/* Appends text in at most cols columns, cut with an ellipsis. Returns the
 * columns used. */
size_t ks_fit(struct ks_buf *out, struct ks_str text, size_t cols,
	enum ks_cut cut, bool ascii);
/* As ks_fit, then blanks up to cols columns. */
void ks_fit_pad(struct ks_buf *out, struct ks_str text, size_t cols,
	enum ks_cut cut, bool ascii);

#endif
