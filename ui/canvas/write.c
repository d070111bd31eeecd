/* Plain text and text with SGR sequences. */
#include "canvas/write.h"

#include <string.h>

/* Columns of row y up to its last cell that shows something. */
static int row_end(const struct ks_grid *g, int y, bool styled)
{
	int end = g->w;

	while (end > 0) {
		const struct ks_cell *cell = ks_grid_at(g, end - 1, y);
		bool blank = cell->len == 1 && cell->text[0] == ' ';

		if (!blank || (styled && (cell->style & ~KS_STYLE_ROLE) != 0)) {
			break;
		}
		end--;
	}
	return end;
}

void ks_write_plain(const struct ks_grid *g, struct ks_buf *out)
{
	int x, y;

	for (y = 0; y < g->h; y++) {
		int end = row_end(g, y, false);

		for (x = 0; x < end; x++) {
			const struct ks_cell *cell = ks_grid_at(g, x, y);

			ks_buf_add(out, cell->text, cell->len);
		}
		ks_buf_addc(out, '\n');
	}
}

static void put_color(struct ks_buf *out, int color, int base)
{
	if (color >= 8) {
		ks_buf_addf(out, ";%d", base + 60 + color - 8);
	} else if (color >= 0) {
		ks_buf_addf(out, ";%d", base + color);
	}
}

void ks_write_sgr(const struct ks_theme *theme, unsigned style,
	struct ks_buf *out)
{
	struct ks_paint look = ks_theme_paint(theme, style);

	ks_buf_adds(out, "\033[0");
	if (look.attr & KS_ATTR_BOLD) {
		ks_buf_adds(out, ";1");
	}
	if (look.attr & KS_ATTR_DIM) {
		ks_buf_adds(out, ";2");
	}
	if (look.attr & KS_ATTR_ITALIC) {
		ks_buf_adds(out, ";3");
	}
	if (look.attr & KS_ATTR_UNDERLINE) {
		ks_buf_adds(out, ";4");
	}
	if (look.attr & KS_ATTR_REVERSE) {
		ks_buf_adds(out, ";7");
	}
	put_color(out, look.fg, 30);
	put_color(out, look.bg, 40);
	ks_buf_addc(out, 'm');
}

void ks_write_ansi(const struct ks_grid *g, const struct ks_theme *theme,
	struct ks_buf *out)
{
	int x, y;

	for (y = 0; y < g->h; y++) {
		int end = row_end(g, y, true);
		unsigned style = KS_ROLE_TEXT;

		for (x = 0; x < end; x++) {
			const struct ks_cell *cell = ks_grid_at(g, x, y);

			if (cell->style != style) {
				style = cell->style;
				ks_write_sgr(theme, style, out);
			}
			ks_buf_add(out, cell->text, cell->len);
		}
		if (style != KS_ROLE_TEXT) {
			ks_buf_adds(out, "\033[0m");
		}
		ks_buf_addc(out, '\n');
	}
}
