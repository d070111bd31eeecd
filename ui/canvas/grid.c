/*
 * The cell grid and its writers. set_cell is the one place where a cell
 * changes: it keeps wide clusters whole and clips at the rectangle.
 */
#include "canvas/grid.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/sane.h"
#include "base/utf8.h"

/* More of one text than this cannot be seen on the largest grid. */
#define TEXT_MAX 65536u

static const struct ks_cell blank_cell = {" ", 1, 1, KS_ROLE_TEXT};

static int clamp_size(int n)
{
	return n < 0 ? 0 : n > KS_GRID_MAX ? KS_GRID_MAX : n;
}

void ks_grid_init(struct ks_grid *g, int w, int h)
{
	memset(g, 0, sizeof(*g));
	ks_grid_resize(g, w, h);
}

void ks_grid_fini(struct ks_grid *g)
{
	if (g == NULL) {
		return;
	}
	free(g->cells);
	ks_buf_fini(&g->scratch);
	memset(g, 0, sizeof(*g));
}

void ks_grid_resize(struct ks_grid *g, int w, int h)
{
	size_t count;

	w = clamp_size(w);
	h = clamp_size(h);
	if (w != g->w || h != g->h) {
		count = (size_t)w * (size_t)h;
		g->cells = ks_realloc(g->cells, count > 0 ? count : 1,
			sizeof(*g->cells));
		g->w = w;
		g->h = h;
	}
	ks_grid_clear(g);
}

void ks_grid_clear(struct ks_grid *g)
{
	size_t count = (size_t)g->w * (size_t)g->h;
	size_t i;

	for (i = 0; i < count; i++) {
		g->cells[i] = blank_cell;
	}
	g->caret = false;
	g->cx = 0;
	g->cy = 0;
}

void ks_grid_copy(struct ks_grid *dst, const struct ks_grid *src)
{
	size_t count = (size_t)src->w * (size_t)src->h;

	if (dst->w != src->w || dst->h != src->h) {
		ks_grid_resize(dst, src->w, src->h);
	}
	if (count > 0) {
		memcpy(dst->cells, src->cells, count * sizeof(*src->cells));
	}
	dst->ascii = src->ascii;
	dst->caret = src->caret;
	dst->cx = src->cx;
	dst->cy = src->cy;
}

/* ---- rectangles ---- */

struct ks_rect ks_rect_of(int x, int y, int w, int h)
{
	struct ks_rect r = {x, y, w < 0 ? 0 : w, h < 0 ? 0 : h};

	return r;
}

struct ks_rect ks_grid_all(const struct ks_grid *g)
{
	return ks_rect_of(0, 0, g->w, g->h);
}

struct ks_rect ks_rect_inset(struct ks_rect r, int n)
{
	return ks_rect_of(r.x + n, r.y + n, r.w - 2 * n, r.h - 2 * n);
}

static int min_int(int a, int b)
{
	return a < b ? a : b;
}

static int max_int(int a, int b)
{
	return a > b ? a : b;
}

struct ks_rect ks_rect_clip(struct ks_rect a, struct ks_rect b)
{
	int x0 = max_int(a.x, b.x);
	int y0 = max_int(a.y, b.y);
	int x1 = min_int(a.x + a.w, b.x + b.w);
	int y1 = min_int(a.y + a.h, b.y + b.h);

	return ks_rect_of(x0, y0, x1 - x0, y1 - y0);
}

struct ks_rect ks_rect_cut_rows(struct ks_rect *r, int n)
{
	bool bottom = n < 0;
	int rows = min_int(bottom ? -n : n, r->h);
	struct ks_rect cut = ks_rect_of(r->x,
		bottom ? r->y + r->h - rows : r->y, r->w, rows);

	if (!bottom) {
		r->y += rows;
	}
	r->h -= rows;
	return cut;
}

/* ---- cells ---- */

static struct ks_cell *cell_at(const struct ks_grid *g, int x, int y)
{
	if (x < 0 || y < 0 || x >= g->w || y >= g->h) {
		return NULL;
	}
	return &g->cells[(size_t)y * (size_t)g->w + (size_t)x];
}

const struct ks_cell *ks_grid_at(const struct ks_grid *g, int x, int y)
{
	return cell_at(g, x, y);
}

/* Makes the cell at x free to be overwritten: the other half of a wide cluster
 * that it belongs to becomes a blank. */
static void release_cell(struct ks_grid *g, int x, int y)
{
	struct ks_cell *cell = cell_at(g, x, y);
	struct ks_cell *other = NULL;

	if (cell->width == 2) {
		other = cell_at(g, x + 1, y);
	} else if (cell->width == 0) {
		other = cell_at(g, x - 1, y);
	}
	if (other != NULL) {
		uint16_t style = other->style;

		*other = blank_cell;
		other->style = style;
	}
}

/* The part of a cluster that fits a cell: whole code points, no joiner at the
 * end. */
static size_t cell_bytes(const char *s, size_t len)
{
	size_t n = ks_utf8_cut(s, len, KS_CELL_BYTES);

	while (n < len && n >= 3 && memcmp(s + n - 3, "\xe2\x80\x8d", 3) == 0) {
		n -= 3;
	}
	return n;
}

/* x and y are the grid's; clip is inside of the grid. */
static void set_cell(struct ks_grid *g, struct ks_rect clip, int x, int y,
	const char *s, size_t len, int width, unsigned style)
{
	struct ks_cell *cell;

	if (y < clip.y || y >= clip.y + clip.h || x + width <= clip.x ||
	    x >= clip.x + clip.w) {
		return;
	}
	len = cell_bytes(s, len);
	if (x < clip.x || x + width > clip.x + clip.w || len == 0) {
		x = x < clip.x ? clip.x : x;
		s = " ";
		len = 1;
		width = 1;
	}
	release_cell(g, x, y);
	if (width == 2) {
		release_cell(g, x + 1, y);
	}
	cell = cell_at(g, x, y);
	memset(cell, 0, sizeof(*cell));
	memcpy(cell->text, s, len);
	cell->len = (uint8_t)len;
	cell->width = (uint8_t)width;
	cell->style = (uint16_t)style;
	if (width == 2) {
		memset(&cell[1], 0, sizeof(cell[1]));
		cell[1].style = (uint16_t)style;
	}
}

static bool is_plain_ascii(struct ks_str text)
{
	size_t i;

	for (i = 0; i < text.len; i++) {
		if ((unsigned char)text.ptr[i] < 0x20 ||
		    (unsigned char)text.ptr[i] > 0x7e) {
			return false;
		}
	}
	return true;
}

/* Text that is safe; lends g->scratch or the text itself. */
static struct ks_str make_safe(struct ks_grid *g, struct ks_str text)
{
	if (text.len > TEXT_MAX) {
		text.len = ks_utf8_cut(text.ptr, text.len, TEXT_MAX);
	}
	if (is_plain_ascii(text)) {
		return text;
	}
	ks_buf_clear(&g->scratch);
	ks_sane(&g->scratch, text,
		KS_SANE_ONE_LINE | (g->ascii ? KS_SANE_ASCII : 0u));
	return ks_buf_str(&g->scratch);
}

/* The next cluster of a safe text: its bytes, and columns in *width. A lone
 * zero-width cluster (a mark without a base) counts as one blank column. */
static size_t next_cluster(struct ks_str text, int *width)
{
	unsigned char c = (unsigned char)text.ptr[0];

	if (c >= 0x20 && c < 0x7f &&
	    (text.len == 1 || (unsigned char)text.ptr[1] < 0x80)) {
		*width = 1;
		return 1;
	}
	*width = ks_utf8_width(text.ptr, ks_utf8_grapheme(text.ptr, text.len));
	return ks_utf8_grapheme(text.ptr, text.len);
}

/* What is cut says so in its last column; blanks are nothing to tell of. half: also a
 * cluster is cut in two. */
static void mark_cut(struct ks_grid *g, struct ks_rect r, int y, struct ks_str rest,
	bool half, unsigned style)
{
	if (half || ks_str_trim(rest).len > 0) {
		ks_grid_glyph(g, r, r.w - 1, y, KS_GLYPH_MORE, style);
	}
}

int ks_grid_text(struct ks_grid *g, struct ks_rect r, int x, int y,
	struct ks_str text, unsigned style)
{
	struct ks_rect clip = ks_rect_clip(r, ks_grid_all(g));
	struct ks_str safe;
	int at = x;

	if (text.len == 0 || y < 0 || y >= r.h || x >= r.w) {
		return 0;
	}
	safe = make_safe(g, text);
	while (safe.len > 0 && at < r.w) {
		int width;
		size_t len = next_cluster(safe, &width);

		if (width > 0) {
			set_cell(g, clip, r.x + at, r.y + y, safe.ptr, len,
				width > 2 ? 2 : width, style);
			at += width > 2 ? 2 : width;
		}
		safe.ptr += len;
		safe.len -= len;
	}
	mark_cut(g, r, y, safe, at > r.w, style);
	return at - x;
}

int ks_grid_puts(struct ks_grid *g, struct ks_rect r, int x, int y,
	const char *text, unsigned style)
{
	struct ks_str s = {text, text != NULL ? strlen(text) : 0};

	return ks_grid_text(g, r, x, y, s, style);
}

int ks_grid_putf(struct ks_grid *g, struct ks_rect r, int x, int y,
	unsigned style, const char *fmt, ...)
{
	struct ks_buf text = {0};
	va_list ap;
	int cols;

	va_start(ap, fmt);
	ks_buf_addv(&text, fmt, ap);
	va_end(ap);
	cols = ks_grid_text(g, r, x, y, ks_buf_str(&text), style);
	ks_buf_fini(&text);
	return cols;
}

int ks_grid_glyph(struct ks_grid *g, struct ks_rect r, int x, int y,
	enum ks_glyph glyph, unsigned style)
{
	const char *s = ks_glyph(glyph, g->ascii);

	if (x >= 0 && x < r.w && y >= 0 && y < r.h) {
		set_cell(g, ks_rect_clip(r, ks_grid_all(g)), r.x + x, r.y + y,
			s, strlen(s), 1, style);
	}
	return 1;
}

/* Draws the longest prefix that leaves a column for the ellipsis. */
static void put_cut(struct ks_grid *g, struct ks_rect r, int y, int cols,
	struct ks_str safe, unsigned style)
{
	size_t fit = ks_utf8_fit(safe.ptr, safe.len, (size_t)(cols - 1));
	struct ks_str head = {safe.ptr, fit};
	int at = 0;

	while (head.len > 0) {
		int width;
		size_t len = next_cluster(head, &width);

		if (width > 0) {
			set_cell(g, ks_rect_clip(r, ks_grid_all(g)), r.x + at,
				r.y + y, head.ptr, len, width > 2 ? 2 : width,
				style);
			at += width > 2 ? 2 : width;
		}
		head.ptr += len;
		head.len -= len;
	}
	ks_grid_glyph(g, r, at, y, KS_GLYPH_MORE, style);
}

int ks_grid_field(struct ks_grid *g, struct ks_rect r, int x, int y, int cols,
	struct ks_str text, enum ks_align align, unsigned style)
{
	struct ks_rect f = ks_rect_clip(r, ks_rect_of(r.x + x, r.y + y, cols, 1));
	struct ks_str safe;
	size_t width;
	int room;

	if (cols <= 0) {
		return 0;
	}
	ks_grid_fill(g, f, style);
	if (f.w <= 0 || f.h <= 0 || text.len == 0) {
		return cols;
	}
	safe = make_safe(g, text);
	width = ks_utf8_columns(safe.ptr, safe.len);
	if (width > (size_t)f.w) {
		put_cut(g, f, 0, f.w, safe, style);
		return cols;
	}
	room = f.w - (int)width;
	if (align == KS_ALIGN_LEFT) {
		room = 0;
	} else if (align == KS_ALIGN_CENTER) {
		room /= 2;
	}
	ks_grid_text(g, f, room, 0, text, style);
	return cols;
}

int ks_grid_width(struct ks_grid *g, struct ks_str text)
{
	struct ks_str safe = make_safe(g, text);

	return (int)ks_utf8_columns(safe.ptr, safe.len);
}

void ks_grid_fill(struct ks_grid *g, struct ks_rect r, unsigned style)
{
	struct ks_rect clip = ks_rect_clip(r, ks_grid_all(g));
	int x, y;

	for (y = clip.y; y < clip.y + clip.h; y++) {
		for (x = clip.x; x < clip.x + clip.w; x++) {
			set_cell(g, clip, x, y, " ", 1, 1, style);
		}
	}
}

void ks_grid_mark(struct ks_grid *g, struct ks_rect r, unsigned flags)
{
	struct ks_rect clip = ks_rect_clip(r, ks_grid_all(g));
	int x, y;

	for (y = clip.y; y < clip.y + clip.h; y++) {
		for (x = clip.x; x < clip.x + clip.w; x++) {
			cell_at(g, x, y)->style |= (uint16_t)flags;
		}
	}
}

void ks_grid_caret(struct ks_grid *g, struct ks_rect r, int x, int y)
{
	g->caret = x >= 0 && y >= 0 && x < r.w && y < r.h &&
		r.x + x >= 0 && r.y + y >= 0 && r.x + x < g->w && r.y + y < g->h;
	g->cx = g->caret ? r.x + x : 0;
	g->cy = g->caret ? r.y + y : 0;
}
