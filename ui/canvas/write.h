#ifndef KSEEK_CANVAS_WRITE_H
#define KSEEK_CANVAS_WRITE_H
/*
 * Writers of a grid: plain text, text with SGR colours, a picture (SVG), and
 * frames of an asciicast v2 recording. All append to a buffer.
 */
#include <stdint.h>

#include "canvas/grid.h"

/* One line a row, blanks at the end of a line dropped. */
void ks_write_plain(const struct ks_grid *g, struct ks_buf *out);
/* As plain, with SGR sequences; each line ends in the default look. */
void ks_write_ansi(const struct ks_grid *g, const struct ks_theme *theme,
	struct ks_buf *out);
/* The SGR sequence that sets a style's look, from any look before it. */
void ks_write_sgr(const struct ks_theme *theme, unsigned style,
	struct ks_buf *out);
/* A whole SVG document; title is its accessible name. Columns are fixed by
 * place, so the picture holds with any monospaced font. Text stays text. */
void ks_write_svg(const struct ks_grid *g, const struct ks_theme *theme,
	const char *title, struct ks_buf *out);

/* A recording: one header line, then one line a frame that changed. */
void ks_write_cast_head(int w, int h, const char *title, struct ks_buf *out);
/* at_us: microseconds since the start; before is the last frame or NULL.
 * Writes only changed cells, and nothing when none changed. */
void ks_write_cast_frame(const struct ks_grid *before, const struct ks_grid *after,
	const struct ks_theme *theme, int64_t at_us, struct ks_buf *out);

#endif
