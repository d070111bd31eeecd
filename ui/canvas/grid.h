#ifndef KSEEK_CANVAS_GRID_H
#define KSEEK_CANVAS_GRID_H
/*
 * A screen as a grid of cells, drawn by the views and read by the writers.
 *
 * Invariants, on any input:
 *  - text is put through base/sane before it enters, so no cell holds a control
 *    character, an escape sequence or an invisible format character;
 *  - nothing that is put into a rectangle changes a cell outside of it;
 *  - a cluster of two columns has its lead cell (width 2) and a follower
 *    (width 0) to its right, both inside the rectangle, or is replaced by a
 *    blank; overwriting one half blanks the other;
 *  - unused bytes of a cell are zero and a cell has no padding, so cells compare
 *    by memcmp.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "canvas/glyph.h"
#include "canvas/style.h"

#define KS_CELL_BYTES 20
#define KS_GRID_MAX 4096 /* columns and rows at most; larger sizes are cut */

struct ks_cell {
	char text[KS_CELL_BYTES]; /* one cluster, zero-filled               */
	uint8_t len;              /* bytes used; 0 for a follower           */
	uint8_t width;            /* 1, 2, or 0: right half of a wide cell  */
	uint16_t style;           /* role and KS_STYLE_ flags               */
};
_Static_assert(sizeof(struct ks_cell) == KS_CELL_BYTES + 4, "a cell has padding");

struct ks_rect {
	int x, y, w, h;
};

struct ks_grid {
	int w, h;
	bool ascii;          /* glyphs and text in ASCII only             */
	bool caret;          /* the terminal's cursor is shown at (cx,cy) */
	int cx, cy;
	struct ks_cell *cells; /* w * h, row by row */
	struct ks_buf scratch; /* for sanitising; private */
};

void ks_grid_init(struct ks_grid *g, int w, int h);
void ks_grid_fini(struct ks_grid *g);
/* New size; all cells become blank, the caret is off. */
void ks_grid_resize(struct ks_grid *g, int w, int h);
void ks_grid_clear(struct ks_grid *g);
/* Makes dst an equal of src. */
void ks_grid_copy(struct ks_grid *dst, const struct ks_grid *src);

/* The whole grid as a rectangle. */
struct ks_rect ks_grid_all(const struct ks_grid *g);
struct ks_rect ks_rect_of(int x, int y, int w, int h);
/* r without n cells at each side; never negative. */
struct ks_rect ks_rect_inset(struct ks_rect r, int n);
struct ks_rect ks_rect_clip(struct ks_rect a, struct ks_rect b);
/* Cuts n rows off the top (n < 0: off the bottom) of *r and returns them. */
struct ks_rect ks_rect_cut_rows(struct ks_rect *r, int n);

/* Lends the cell, or NULL outside. */
const struct ks_cell *ks_grid_at(const struct ks_grid *g, int x, int y);

/*
 * All writers below take a rectangle in the grid and a place relative to it;
 * parts outside the rectangle are left out, and text that goes on behind its right
 * edge ends with an ellipsis. Text is foreign by default: it is sanitised as one
 * line. They return the columns that the text takes, also
 * where it was clipped away, so that calls can be chained; at most w - x + 1.
 */
int ks_grid_text(struct ks_grid *g, struct ks_rect r, int x, int y,
	struct ks_str text, unsigned style);
int ks_grid_puts(struct ks_grid *g, struct ks_rect r, int x, int y,
	const char *text, unsigned style);
int ks_grid_putf(struct ks_grid *g, struct ks_rect r, int x, int y,
	unsigned style, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));
int ks_grid_glyph(struct ks_grid *g, struct ks_rect r, int x, int y,
	enum ks_glyph glyph, unsigned style);

enum ks_align { KS_ALIGN_LEFT, KS_ALIGN_RIGHT, KS_ALIGN_CENTER };
/* A field of exactly cols columns: text aligned, padded with blanks of the
 * style, and cut with an ellipsis where it is too long. Returns cols. */
int ks_grid_field(struct ks_grid *g, struct ks_rect r, int x, int y, int cols,
	struct ks_str text, enum ks_align align, unsigned style);

/* Columns that a text takes once it is made safe. */
int ks_grid_width(struct ks_grid *g, struct ks_str text);
/* Blanks with a style. */
void ks_grid_fill(struct ks_grid *g, struct ks_rect r, unsigned style);
/* Adds flags (KS_STYLE_SELECTED, ...) to the cells of r. */
void ks_grid_mark(struct ks_grid *g, struct ks_rect r, unsigned flags);
/* Shows the caret at a place of r; off when that is outside of r. */
void ks_grid_caret(struct ks_grid *g, struct ks_rect r, int x, int y);

/* ---- what changed between two frames ---- */
struct ks_span {
	int x, y, len; /* whole clusters: never starts or ends inside one */
};

struct ks_diff {
	const struct ks_grid *before, *after; /* borrowed */
	int x, y;
};

/* before may be NULL or of another size: then every row is one span. */
void ks_diff_init(struct ks_diff *d, const struct ks_grid *before,
	const struct ks_grid *after);
/* The next run of changed cells in reading order; false at the end. */
bool ks_diff_next(struct ks_diff *d, struct ks_span *out);

#endif
