/*
 * A picture of a grid as SVG: rectangles for backgrounds and blocks, text for
 * the rest. Each run of equal style is one text element with the x of every
 * cluster given, so columns hold with any monospaced font. Block elements are
 * drawn as rectangles, because fonts leave gaps between them.
 */
#include <string.h>

#include "canvas/write.h"

#define CELL_W 8.4
#define CELL_H 18.0
#define BASE_LINE 13.5
#define PAD 10.0

static const char *const palette[16] = {
	"#282c34", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd",
	"#56b6c2", "#dcdfe4", "#5c6370", "#ff7b86", "#b5e890", "#ffd479",
	"#7cc4ff", "#dd9bf5", "#6fd3de", "#ffffff"};
static const char ink[] = "#dcdfe4";
static const char dim_ink[] = "#8a919e";
static const char paper[] = "#1e2127";

static void put_escaped(struct ks_buf *out, const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		switch (s[i]) {
		case '&': ks_buf_adds(out, "&amp;"); break;
		case '<': ks_buf_adds(out, "&lt;"); break;
		case '>': ks_buf_adds(out, "&gt;"); break;
		case '"': ks_buf_adds(out, "&quot;"); break;
		default: ks_buf_addc(out, s[i]); break;
		}
	}
}

struct paint {
	const char *fg, *bg; /* bg NULL: the paper */
	uint8_t attr;
};

static struct paint paint_of(const struct ks_theme *theme, unsigned style)
{
	struct ks_paint look = ks_theme_paint(theme, style);
	struct paint p;
	const char *swap;

	p.attr = look.attr;
	p.fg = look.fg >= 0 ? palette[look.fg & 15] :
		(look.attr & KS_ATTR_DIM) ? dim_ink : ink;
	p.bg = look.bg >= 0 ? palette[look.bg & 15] : NULL;
	if (look.attr & KS_ATTR_REVERSE) {
		swap = p.bg != NULL ? p.bg : paper;
		p.bg = p.fg;
		p.fg = swap;
	}
	return p;
}

static void put_rect(struct ks_buf *out, double x, double y, double w, double h,
	const char *fill)
{
	ks_buf_addf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
		"height=\"%.2f\" fill=\"%s\"/>\n", x, y, w, h, fill);
}

/* Draws U+2581..U+258F; false for anything else. */
static bool put_block(struct ks_buf *out, const struct ks_cell *cell, double x,
	double y, const char *fill)
{
	unsigned low;

	if (cell->len != 3 || memcmp(cell->text, "\xe2\x96", 2) != 0) {
		return false;
	}
	low = (unsigned char)cell->text[2];
	if (low >= 0x81 && low <= 0x88) {
		double h = CELL_H * (low - 0x80) / 8.0;

		put_rect(out, x, y + CELL_H - h, CELL_W, h, fill);
		return true;
	}
	if (low >= 0x89 && low <= 0x8f) {
		put_rect(out, x, y, CELL_W * (0x90 - low) / 8.0, CELL_H, fill);
		return true;
	}
	return false;
}

static bool is_blank(const struct ks_cell *cell)
{
	return cell->len == 0 || (cell->len == 1 && cell->text[0] == ' ');
}

static bool is_block(const struct ks_cell *cell)
{
	return cell->len == 3 && memcmp(cell->text, "\xe2\x96", 2) == 0 &&
		(unsigned char)cell->text[2] >= 0x81 &&
		(unsigned char)cell->text[2] <= 0x8f;
}

/* Text of cells x0..x1 of row y, without blanks and blocks. */
static void put_run_text(const struct ks_grid *g, int x0, int x1, int y,
	const struct paint *p, struct ks_buf *out)
{
	struct ks_buf places = {0}, text = {0};
	int x;

	for (x = x0; x < x1; x++) {
		const struct ks_cell *cell = ks_grid_at(g, x, y);

		if (is_blank(cell) || is_block(cell)) {
			continue;
		}
		ks_buf_addf(&places, places.len > 0 ? " %.1f" : "%.1f",
			PAD + CELL_W * x);
		put_escaped(&text, cell->text, cell->len);
	}
	if (text.len > 0) {
		ks_buf_addf(out, "<text y=\"%.1f\" fill=\"%s\"%s%s%s x=\"",
			PAD + CELL_H * y + BASE_LINE, p->fg,
			p->attr & KS_ATTR_BOLD ? " font-weight=\"bold\"" : "",
			p->attr & KS_ATTR_ITALIC ? " font-style=\"italic\"" : "",
			p->attr & KS_ATTR_UNDERLINE ?
				" text-decoration=\"underline\"" : "");
		ks_buf_addstr(out, ks_buf_str(&places));
		ks_buf_adds(out, "\">");
		ks_buf_addstr(out, ks_buf_str(&text));
		ks_buf_adds(out, "</text>\n");
	}
	ks_buf_fini(&places);
	ks_buf_fini(&text);
}

static void put_run(const struct ks_grid *g, const struct ks_theme *theme,
	int x0, int x1, int y, struct ks_buf *out)
{
	struct paint p = paint_of(theme, ks_grid_at(g, x0, y)->style);
	int x;

	if (p.bg != NULL) {
		put_rect(out, PAD + CELL_W * x0, PAD + CELL_H * y,
			CELL_W * (x1 - x0), CELL_H, p.bg);
	}
	for (x = x0; x < x1; x++) {
		put_block(out, ks_grid_at(g, x, y), PAD + CELL_W * x,
			PAD + CELL_H * y, p.fg);
	}
	put_run_text(g, x0, x1, y, &p, out);
}

void ks_write_svg(const struct ks_grid *g, const struct ks_theme *theme,
	const char *title, struct ks_buf *out)
{
	double w = CELL_W * g->w + 2 * PAD;
	double h = CELL_H * g->h + 2 * PAD;
	int x, y, from;

	ks_buf_addf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" "
		"viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
		"role=\"img\" font-family=\"ui-monospace,SFMono-Regular,Menlo,"
		"Consolas,'DejaVu Sans Mono',monospace\" font-size=\"14\">\n<title>",
		w, h, w, h);
	put_escaped(out, title, strlen(title));
	ks_buf_adds(out, "</title>\n");
	ks_buf_addf(out, "<rect width=\"%.0f\" height=\"%.0f\" rx=\"6\" "
		"fill=\"%s\"/>\n", w, h, paper);
	for (y = 0; y < g->h; y++) {
		for (from = 0, x = 1; x <= g->w; x++) {
			if (x == g->w || ks_grid_at(g, x, y)->style !=
			    ks_grid_at(g, from, y)->style) {
				put_run(g, theme, from, x, y, out);
				from = x;
			}
		}
	}
	ks_buf_adds(out, "</svg>\n");
}
