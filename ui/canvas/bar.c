/*
 * Horizontal bars. The threshold has a cell of its own; the cells before it are
 * a scale from 0 to mark, those behind it a scale from mark to max, so that
 * "below or above" is read from the side of the mark the bar ends on.
 */
#include "canvas/draw.h"

/* Fills cells x0..x0+cols with eighths/8 cells of bar. */
static void put_part(struct ks_grid *g, struct ks_rect r, int x0, int y,
	int cols, int eighths, unsigned style)
{
	struct ks_rect part = ks_rect_clip(r, ks_rect_of(r.x + x0, r.y + y, cols, 1));
	int x;

	for (x = 0; x < cols && eighths > 0; x++, eighths -= 8) {
		ks_grid_puts(g, part, x, 0, ks_glyph_eighth(eighths, g->ascii),
			style);
	}
}

static int eighths_of(double part, int cols)
{
	int full = cols * 8;
	double n = part * full + 0.5;

	if (!(n >= 1)) {
		return 0;
	}
	return n > full ? full : (int)n;
}

static int mark_column(const struct ks_bar *bar, int cols)
{
	int at;

	if (!(bar->mark > 0) || !(bar->mark < bar->max)) {
		return -1;
	}
	at = (int)((bar->share > 0 ? bar->share : bar->mark / bar->max) *
		(cols - 1) + 0.5);
	return at < 1 ? 1 : at > cols - 2 ? cols - 2 : at;
}

static void put_halves(struct ks_grid *g, struct ks_rect r, int x, int y,
	int cols, int at, const struct ks_bar *bar)
{
	bool above = bar->value >= bar->mark;
	unsigned style = above ? bar->above : bar->below;
	int left = at * 8;

	if (!above) {
		left = eighths_of(bar->value / bar->mark, at);
		left = left >= at * 8 ? at * 8 - 1 : left;
	}
	put_part(g, r, x, y, at, left, style);
	if (above) {
		put_part(g, r, x + at + 1, y, cols - at - 1,
			eighths_of((bar->value - bar->mark) /
				(bar->max - bar->mark), cols - at - 1), style);
	}
}

void ks_draw_bar(struct ks_grid *g, struct ks_rect r, int x, int y, int cols,
	const struct ks_bar *bar)
{
	struct ks_rect f = ks_rect_clip(r, ks_rect_of(r.x + x, r.y + y, cols, 1));
	int at = cols >= 4 ? mark_column(bar, cols) : -1;
	bool shown = bar->value >= 0 && bar->max > 0;

	ks_grid_fill(g, f, KS_ROLE_TEXT);
	if (shown && at >= 0) {
		put_halves(g, r, x, y, cols, at, bar);
	} else if (shown && cols > 0) {
		put_part(g, r, x, y, cols, eighths_of(bar->value / bar->max, cols),
			bar->value >= bar->mark ? bar->above : bar->below);
	}
	if (at >= 0) {
		ks_grid_glyph(g, f, at, 0, KS_GLYPH_MARK, bar->mark_style);
	}
	if (shown && bar->value > bar->max && cols > 1) {
		ks_grid_glyph(g, f, cols - 1, 0, KS_GLYPH_RIGHT,
			bar->value >= bar->mark ? bar->above : bar->below);
	}
}
