#ifndef KSEEK_CANVAS_DRAW_H
#define KSEEK_CANVAS_DRAW_H
/* Frames, rules and bars in a grid. Nothing leaves the rectangle it is given. */
#include "canvas/grid.h"

/* A frame along the edge of r with a title in its top line. A frame needs 2x2
 * cells; smaller rectangles stay as they are. Gives the inside. */
struct ks_rect ks_draw_box(struct ks_grid *g, struct ks_rect r,
	const char *title, unsigned style, unsigned title_style);
/* A rule across the frame r at row y (relative), joined to its sides, with a
 * title. */
void ks_draw_rule(struct ks_grid *g, struct ks_rect r, int y,
	const char *title, unsigned style, unsigned title_style);
/* Text at the right end of the top line (y = 0) or a rule of a frame. */
void ks_draw_tag(struct ks_grid *g, struct ks_rect r, int y, const char *text,
	unsigned style);

struct ks_bar {
	double value;  /* NaN or negative: no bar              */
	double max;    /* value at the right end; > 0          */
	double mark;   /* where the threshold is; <= 0: none   */
	double share;  /* of the width that is before the mark; 0: mark / max */
	unsigned below, above; /* styles of a bar that ends below, or at or above, the mark */
	unsigned mark_style;
};

/* A horizontal bar of cols columns in eighths of a cell, one row. The mark is
 * a cell of its own and is always seen; a bar past max ends in an arrow. A bar
 * whose value is below the mark never reaches the mark's cell, and one at or
 * above it always fills all cells before it. */
void ks_draw_bar(struct ks_grid *g, struct ks_rect r, int x, int y, int cols,
	const struct ks_bar *bar);
/* A scroll position in the right border of the frame r: rows first..first+shown
 * of total. Draws nothing when all are shown. */
void ks_draw_scroll(struct ks_grid *g, struct ks_rect r, size_t first,
	size_t shown, size_t total, unsigned style);

#endif
