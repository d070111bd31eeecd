/*
 * A picture of a grid as SVG: rectangles for backgrounds, blocks and strokes of
 * frames, because fonts leave gaps between them, and text for the rest. Each
 * word is one text element at its own place, so columns hold with any
 * monospaced font.
 */
#include <string.h>

#include "canvas/write.h"

#define CELL_W 8.4
#define CELL_H 18.0
#define BASE_LINE 13.5
#define PAD 10.0
#define STROKE 1.5

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

/* ---- strokes and blocks, drawn as rectangles ---- */

enum { UP = 1, DOWN = 2, LEFT = 4, RIGHT = 8, HEAVY = 16 };

/* The arms of a frame's stroke, 0 for anything else. */
static unsigned arms_of(const struct ks_cell *cell)
{
	static const struct {
		const char *text;
		unsigned arms;
	} list[] = {
		{"─", LEFT | RIGHT}, {"│", UP | DOWN}, {"┌", DOWN | RIGHT},
		{"┐", DOWN | LEFT}, {"└", UP | RIGHT}, {"┘", UP | LEFT},
		{"├", UP | DOWN | RIGHT}, {"┤", UP | DOWN | LEFT},
		{"┬", DOWN | LEFT | RIGHT}, {"┴", UP | LEFT | RIGHT},
		{"┼", UP | DOWN | LEFT | RIGHT}, {"┃", UP | DOWN | HEAVY},
	};
	size_t i;

	for (i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		if (cell->len == 3 && memcmp(cell->text, list[i].text, 3) == 0) {
			return list[i].arms;
		}
	}
	return 0;
}

static void put_arms(struct ks_buf *out, unsigned arms, double x, double y,
	const char *fill)
{
	double t = arms & HEAVY ? 2.4 : STROKE;
	double cx = x + (CELL_W - t) / 2;
	double cy = y + (CELL_H - t) / 2;

	if (arms & (UP | DOWN)) {
		double top = arms & UP ? y : cy;
		double end = arms & DOWN ? y + CELL_H : cy + t;

		put_rect(out, cx, top, t, end - top, fill);
	}
	if (arms & (LEFT | RIGHT)) {
		double from = arms & LEFT ? x : cx;
		double end = arms & RIGHT ? x + CELL_W : cx + t;

		put_rect(out, from, cy, end - from, t, fill);
	}
}

/* The low byte of U+2581 to U+258F, else 0. */
static unsigned block_of(const struct ks_cell *cell)
{
	unsigned low;

	if (cell->len != 3 || memcmp(cell->text, "\xe2\x96", 2) != 0) {
		return 0;
	}
	low = (unsigned char)cell->text[2];
	return low >= 0x81 && low <= 0x8f ? low : 0;
}

static bool is_blank(const struct ks_cell *cell)
{
	return cell->len == 0 || (cell->len == 1 && cell->text[0] == ' ');
}

/* Draws the shape at cell x and the equal ones right of it; returns how many
 * cells that were, 0 for a cell that is text. */
static int put_shape(const struct ks_grid *g, int x, int x1, int y, const char *fill,
	struct ks_buf *out)
{
	const struct ks_cell *cell = ks_grid_at(g, x, y);
	unsigned low = block_of(cell);
	unsigned arms = arms_of(cell);
	double left = PAD + CELL_W * x, top = PAD + CELL_H * y;
	int n = 1;

	if (low == 0x88 || arms == (LEFT | RIGHT)) {
		while (x + n < x1 && memcmp(ks_grid_at(g, x + n, y)->text, cell->text,
		    KS_CELL_BYTES) == 0) {
			n++;
		}
	}
	if (low == 0x88) {
		put_rect(out, left, top, CELL_W * n, CELL_H, fill);
	} else if (low > 0x88) {
		put_rect(out, left, top, CELL_W * (0x90 - low) / 8.0, CELL_H, fill);
	} else if (low > 0) {
		double h = CELL_H * (low - 0x80) / 8.0;

		put_rect(out, left, top + CELL_H - h, CELL_W, h, fill);
	} else if (arms == (LEFT | RIGHT)) {
		put_rect(out, left, top + (CELL_H - STROKE) / 2, CELL_W * n,
			STROKE, fill);
	} else if (arms != 0) {
		put_arms(out, arms, left, top, fill);
	} else {
		return 0;
	}
	return n;
}

/* The word that starts at cell x; returns its cells. */
static int put_word(const struct ks_grid *g, int x, int x1, int y,
	const struct paint *p, struct ks_buf *out)
{
	struct ks_buf text = {0};
	int n = 0;

	while (x + n < x1) {
		const struct ks_cell *cell = ks_grid_at(g, x + n, y);

		if (cell->width != 0 && (is_blank(cell) || block_of(cell) != 0 ||
		    arms_of(cell) != 0)) {
			break;
		}
		put_escaped(&text, cell->text, cell->len);
		n++;
	}
	ks_buf_addf(out, "<text x=\"%.1f\" y=\"%.1f\" textLength=\"%.1f\" "
		"fill=\"%s\"%s%s%s>", PAD + CELL_W * x, PAD + CELL_H * y + BASE_LINE,
		CELL_W * n, p->fg, p->attr & KS_ATTR_BOLD ? " font-weight=\"bold\"" : "",
		p->attr & KS_ATTR_ITALIC ? " font-style=\"italic\"" : "",
		p->attr & KS_ATTR_UNDERLINE ? " text-decoration=\"underline\"" : "");
	ks_buf_addstr(out, ks_buf_str(&text));
	ks_buf_adds(out, "</text>\n");
	ks_buf_fini(&text);
	return n;
}

static void put_run(const struct ks_grid *g, const struct ks_theme *theme,
	int x0, int x1, int y, struct ks_buf *out)
{
	struct paint p = paint_of(theme, ks_grid_at(g, x0, y)->style);
	int x = x0;

	if (p.bg != NULL) {
		put_rect(out, PAD + CELL_W * x0, PAD + CELL_H * y,
			CELL_W * (x1 - x0), CELL_H, p.bg);
	}
	while (x < x1) {
		int n = 1;

		if (!is_blank(ks_grid_at(g, x, y))) {
			n = put_shape(g, x, x1, y, p.fg, out);
			n = n > 0 ? n : put_word(g, x, x1, y, &p, out);
		}
		x += n;
	}
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
		"Consolas,'DejaVu Sans Mono',monospace\" font-size=\"14\" "
		"shape-rendering=\"crispEdges\">\n<title>",
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
