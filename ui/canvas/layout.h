#ifndef KSEEK_CANVAS_LAYOUT_H
#define KSEEK_CANVAS_LAYOUT_H
/*
 * Text in columns: wrapping. Works on clusters; text must be
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

#endif
