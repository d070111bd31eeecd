/* Frames, rules, tags and scroll marks. */
#include "canvas/draw.h"

static void put_title(struct ks_grid *g, struct ks_rect r, int y,
	const char *title, unsigned style)
{
	struct ks_rect line = ks_rect_of(r.x + 2, r.y + y, r.w - 4, 1);
	int cols;

	if (title == NULL || title[0] == '\0' || line.w < 3) {
		return;
	}
	cols = ks_grid_width(g, ks_str_of(title));
	if (cols > line.w - 2) {
		cols = line.w - 2;
	}
	ks_grid_fill(g, ks_rect_of(line.x - 1, line.y, 1, 1), style);
	ks_grid_field(g, line, 0, 0, cols, ks_str_of(title), KS_ALIGN_LEFT, style);
	ks_grid_fill(g, ks_rect_of(line.x + cols, line.y, 1, 1), style);
}

static void put_line(struct ks_grid *g, struct ks_rect r, int y,
	enum ks_glyph left, enum ks_glyph right, unsigned style)
{
	int x;

	ks_grid_glyph(g, r, 0, y, left, style);
	for (x = 1; x < r.w - 1; x++) {
		ks_grid_glyph(g, r, x, y, KS_GLYPH_H, style);
	}
	ks_grid_glyph(g, r, r.w - 1, y, right, style);
}

struct ks_rect ks_draw_box(struct ks_grid *g, struct ks_rect r,
	const char *title, unsigned style, unsigned title_style)
{
	int y;

	if (r.w < 2 || r.h < 2) {
		return ks_rect_of(r.x, r.y, 0, 0);
	}
	put_line(g, r, 0, KS_GLYPH_TL, KS_GLYPH_TR, style);
	for (y = 1; y < r.h - 1; y++) {
		ks_grid_glyph(g, r, 0, y, KS_GLYPH_V, style);
		ks_grid_glyph(g, r, r.w - 1, y, KS_GLYPH_V, style);
	}
	put_line(g, r, r.h - 1, KS_GLYPH_BL, KS_GLYPH_BR, style);
	put_title(g, r, 0, title, title_style);
	return ks_rect_inset(r, 1);
}

void ks_draw_rule(struct ks_grid *g, struct ks_rect r, int y,
	const char *title, unsigned style, unsigned title_style)
{
	if (r.w < 2 || y < 0 || y >= r.h) {
		return;
	}
	put_line(g, r, y, KS_GLYPH_JL, KS_GLYPH_JR, style);
	put_title(g, r, y, title, title_style);
}

void ks_draw_tag(struct ks_grid *g, struct ks_rect r, int y, const char *text,
	unsigned style)
{
	int cols = ks_grid_width(g, ks_str_of(text));

	if (cols == 0 || cols + 6 > r.w) {
		return;
	}
	ks_grid_putf(g, r, r.w - cols - 4, y, style, " %s ", text);
}

void ks_draw_scroll(struct ks_grid *g, struct ks_rect r, size_t first,
	size_t shown, size_t total, unsigned style)
{
	int track = r.h - 2;
	int size, at, y;

	if (track < 2 || shown >= total || r.w < 2) {
		return;
	}
	size = (int)((double)track * (double)shown / (double)total);
	size = size < 1 ? 1 : size;
	at = (int)((double)(track - size) * (double)first /
		(double)(total - shown) + 0.5);
	if (at > track - size) {
		at = track - size;
	}
	for (y = at; y < at + size; y++) {
		ks_grid_glyph(g, r, r.w - 1, 1 + y, KS_GLYPH_BLOCK, style);
	}
}
