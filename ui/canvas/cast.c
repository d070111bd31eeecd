/*
 * Asciicast v2: a header object, then one array a frame, each a line. Source of
 * the format: the asciicast v2 description of asciinema.
 */
#include <string.h>

#include "base/json.h"
#include "canvas/write.h"

void ks_write_cast_head(int w, int h, const char *title, struct ks_buf *out)
{
	struct ks_jw jw;

	ks_jw_init(&jw, out);
	ks_jw_open(&jw, NULL);
	ks_jw_int(&jw, "version", 2);
	ks_jw_int(&jw, "width", w);
	ks_jw_int(&jw, "height", h);
	ks_jw_str(&jw, "title", title);
	ks_jw_close(&jw);
	ks_buf_addc(out, '\n');
}

static void put_span(const struct ks_grid *g, const struct ks_theme *theme,
	struct ks_span span, struct ks_buf *out)
{
	unsigned style = ~0u;
	int x;

	ks_buf_addf(out, "\033[%d;%dH", span.y + 1, span.x + 1);
	for (x = span.x; x < span.x + span.len; x++) {
		const struct ks_cell *cell = ks_grid_at(g, x, span.y);

		if (cell->width == 0) {
			continue;
		}
		if (cell->style != style) {
			style = cell->style;
			ks_write_sgr(theme, style, out);
		}
		ks_buf_add(out, cell->text, cell->len);
	}
}

void ks_write_cast_frame(const struct ks_grid *before, const struct ks_grid *after,
	const struct ks_theme *theme, int64_t at_us, struct ks_buf *out)
{
	struct ks_buf bytes = {0};
	struct ks_diff diff;
	struct ks_span span;
	struct ks_jw jw;

	if (before == NULL) {
		ks_buf_adds(&bytes, "\033[2J\033[?25l");
	}
	ks_diff_init(&diff, before, after);
	while (ks_diff_next(&diff, &span)) {
		put_span(after, theme, span, &bytes);
	}
	if (bytes.len > 0) {
		ks_jw_init(&jw, out);
		ks_jw_open_array(&jw, NULL);
		ks_jw_num(&jw, NULL, (double)at_us / 1e6);
		ks_jw_str(&jw, NULL, "o");
		ks_jw_slice(&jw, NULL, ks_buf_str(&bytes));
		ks_jw_close_array(&jw);
		ks_buf_addc(out, '\n');
	}
	ks_buf_fini(&bytes);
}
