/* The grid: clipping, wide clusters, hostile text, differences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "canvas/grid.h"
#include "canvas/write.h"

static char *row_text(const struct ks_grid *g, int y)
{
	struct ks_buf buf = {0};
	int x;

	for (x = 0; x < g->w; x++) {
		const struct ks_cell *cell = ks_grid_at(g, x, y);

		ks_buf_add(&buf, cell->text, cell->len);
	}
	return ks_buf_take(&buf);
}

static void expect_row(const struct ks_grid *g, int y, const char *want)
{
	char *got = row_text(g, y);

	assert_string_equal(got, want);
	free(got);
}

/* What must hold for the text of every cell. */
static void check_text(const struct ks_cell *cell)
{
	size_t i;

	assert_true(ks_utf8_valid(cell->text, cell->len));
	for (i = 0; i < cell->len; i++) {
		unsigned char c = (unsigned char)cell->text[i];

		assert_true(c >= 0x20 && c != 0x7f);
		if (c == 0xc2 && i + 1 < cell->len) {
			assert_true((unsigned char)cell->text[i + 1] >= 0xa0);
		}
	}
	for (i = cell->len; i < KS_CELL_BYTES; i++) {
		assert_int_equal(cell->text[i], 0);
	}
}

/* What must hold for every cell of every grid. */
static void check_whole(const struct ks_grid *g)
{
	int x, y;

	for (y = 0; y < g->h; y++) {
		for (x = 0; x < g->w; x++) {
			const struct ks_cell *cell = ks_grid_at(g, x, y);

			if (cell->width == 0) {
				assert_true(x > 0);
				assert_int_equal(ks_grid_at(g, x - 1, y)->width, 2);
				assert_int_equal(cell->len, 0);
				continue;
			}
			assert_true(cell->len > 0);
			if (cell->width == 2) {
				assert_true(x + 1 < g->w);
				assert_int_equal(ks_grid_at(g, x + 1, y)->width, 0);
			}
			check_text(cell);
		}
	}
}

static void text_is_clipped_to_its_rectangle(void **state)
{
	struct ks_grid g;
	struct ks_rect r = {3, 1, 4, 1};

	(void)state;
	ks_grid_init(&g, 10, 3);
	ks_grid_puts(&g, r, -2, 0, "0123456789", KS_ROLE_TEXT);
	expect_row(&g, 0, "          ");
	expect_row(&g, 1, "   234…   ");
	expect_row(&g, 2, "          ");
	ks_grid_puts(&g, r, 0, 1, "below", KS_ROLE_TEXT);
	ks_grid_puts(&g, r, 0, -1, "above", KS_ROLE_TEXT);
	ks_grid_puts(&g, ks_rect_of(-5, -5, 100, 100), 5, 5, "0", KS_ROLE_TEXT);
	expect_row(&g, 0, "0         ");
	expect_row(&g, 2, "          ");
	check_whole(&g);
	ks_grid_fini(&g);
}

/* Whatever writes it: what does not fit is never taken for all there is. */
static void cut_text_says_so(void **state)
{
	struct ks_rect r = {1, 0, 5, 1};
	struct ks_grid g;

	(void)state;
	ks_grid_init(&g, 8, 1);
	ks_grid_puts(&g, r, 0, 0, "12345", KS_ROLE_TEXT);
	expect_row(&g, 0, " 12345  ");
	ks_grid_puts(&g, r, 0, 0, "12345   ", KS_ROLE_TEXT);
	expect_row(&g, 0, " 12345  ");
	ks_grid_puts(&g, r, 0, 0, "123456", KS_ROLE_TEXT);
	expect_row(&g, 0, " 1234…  ");
	ks_grid_putf(&g, r, 2, 0, KS_ROLE_TEXT, "%d", 12345);
	expect_row(&g, 0, " 1212…  ");
	ks_grid_puts(&g, r, 0, 0, "ab漢字", KS_ROLE_TEXT);
	expect_row(&g, 0, " ab漢…  ");
	ks_grid_clear(&g);
	g.ascii = true;
	ks_grid_puts(&g, ks_rect_of(5, 0, 9, 1), 0, 0, "abcdef", KS_ROLE_TEXT);
	check_whole(&g);
	ks_grid_fini(&g);
}

static void wide_cluster_at_an_edge_becomes_a_blank(void **state)
{
	struct ks_grid g;

	(void)state;
	ks_grid_init(&g, 8, 1);
	ks_grid_puts(&g, ks_rect_of(1, 0, 3, 1), 0, 0, "日本", KS_ROLE_TEXT);
	expect_row(&g, 0, " 日…    ");
	ks_grid_puts(&g, ks_rect_of(5, 0, 3, 1), -1, 0, "日x", KS_ROLE_TEXT);
	expect_row(&g, 0, " 日…  x ");
	check_whole(&g);
	/* One half overwritten: the other is blanked. */
	ks_grid_puts(&g, ks_grid_all(&g), 2, 0, "a", KS_ROLE_TEXT);
	expect_row(&g, 0, "  a…  x ");
	ks_grid_puts(&g, ks_grid_all(&g), 4, 0, "語", KS_ROLE_TEXT);
	ks_grid_puts(&g, ks_grid_all(&g), 3, 0, "語", KS_ROLE_TEXT);
	expect_row(&g, 0, "  a語 x ");
	check_whole(&g);
	ks_grid_fini(&g);
}

static void narrow_panes_with_emoji_end(void **state)
{
	struct ks_grid g;
	int w;

	(void)state;
	for (w = 0; w <= 3; w++) {
		ks_grid_init(&g, w, 2);
		ks_grid_puts(&g, ks_grid_all(&g), 0, 0, "👩‍👩‍👧‍👦👍🏽❤️🇩🇪x", KS_ROLE_TEXT);
		ks_grid_field(&g, ks_grid_all(&g), 0, 1, w,
			ks_str_of("👍👍👍"), KS_ALIGN_RIGHT, KS_ROLE_TEXT);
		check_whole(&g);
		ks_grid_fini(&g);
	}
}

static void hostile_text_stays_inside(void **state)
{
	static const char *const texts[] = {
		"a\033[2J\033[31mred\033]52;c;AAAA\007b",
		"\033]0;title", "\033P+q\033\\z", "\x9b" "31m", "\xc2\x9b" "31mx",
		"10%\r20%\r100%", "col\r\rumn", "tab\there", "bs\b\b\bx",
		"\xff\xfe\x80", "e\xcc\x81\xcc\x82\xcc\x83\xcc\x84\xcc\x85\xcc\x86",
		"\xe2\x80\xae" "evil", "zero\xe2\x80\x8bwidth", "line\nline",
		"👩‍👩‍👧‍👦👩‍👩‍👧‍👦", "❤️|", "🇩🇪🇩", "\xcc\x81", "\xe2\x80\x8d",
	};
	struct ks_grid g;
	struct ks_rect r = {5, 1, 9, 1};
	size_t i;
	int x;

	(void)state;
	ks_grid_init(&g, 20, 3);
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		for (x = -3; x < 10; x++) {
			ks_grid_clear(&g);
			ks_grid_puts(&g, ks_grid_all(&g), 4, 1, "|", KS_ROLE_BORDER);
			ks_grid_puts(&g, ks_grid_all(&g), 14, 1, "|", KS_ROLE_BORDER);
			ks_grid_puts(&g, r, x, 0, texts[i], KS_ROLE_TEXT);
			ks_grid_field(&g, r, 0, 0, 9, ks_str_of(texts[i]),
				KS_ALIGN_CENTER, KS_ROLE_TEXT);
			check_whole(&g);
			assert_string_equal(ks_grid_at(&g, 4, 1)->text, "|");
			assert_string_equal(ks_grid_at(&g, 14, 1)->text, "|");
			assert_string_equal(ks_grid_at(&g, 15, 1)->text, " ");
		}
	}
	ks_grid_fini(&g);
}

static void ascii_grid_holds_only_ascii(void **state)
{
	struct ks_grid g;
	int x;

	(void)state;
	ks_grid_init(&g, 30, 1);
	g.ascii = true;
	ks_grid_puts(&g, ks_grid_all(&g), 0, 0, "a→b 日 \033[1m …", KS_ROLE_TEXT);
	ks_grid_glyph(&g, ks_grid_all(&g), 20, 0, KS_GLYPH_DOT, KS_ROLE_GOOD);
	for (x = 0; x < 30; x++) {
		const struct ks_cell *cell = ks_grid_at(&g, x, 0);

		assert_int_equal(cell->len, 1);
		assert_true(cell->text[0] >= 0x20 && cell->text[0] < 0x7f);
	}
	ks_grid_fini(&g);
}

static void fields_align_and_cut(void **state)
{
	struct ks_grid g;
	struct ks_rect all;

	(void)state;
	ks_grid_init(&g, 12, 4);
	all = ks_grid_all(&g);
	ks_grid_field(&g, all, 0, 0, 6, ks_str_of("abc"), KS_ALIGN_RIGHT, KS_ROLE_TEXT);
	ks_grid_field(&g, all, 0, 1, 6, ks_str_of("abcdefgh"), KS_ALIGN_LEFT, KS_ROLE_TEXT);
	ks_grid_field(&g, all, 0, 2, 7, ks_str_of("abc"), KS_ALIGN_CENTER, KS_ROLE_TEXT);
	ks_grid_field(&g, all, 0, 3, 4, ks_str_of("日本語"), KS_ALIGN_LEFT, KS_ROLE_TEXT);
	expect_row(&g, 0, "   abc      ");
	expect_row(&g, 1, "abcde…      ");
	expect_row(&g, 2, "  abc       ");
	expect_row(&g, 3, "日…         ");
	check_whole(&g);
	ks_grid_fini(&g);
}

static void differences_are_whole_clusters(void **state)
{
	struct ks_grid a, b;
	struct ks_diff d;
	struct ks_span s;

	(void)state;
	ks_grid_init(&a, 20, 3);
	ks_grid_init(&b, 20, 3);
	ks_grid_puts(&a, ks_grid_all(&a), 0, 1, "one 日本 two", KS_ROLE_TEXT);
	ks_grid_copy(&b, &a);
	ks_diff_init(&d, &a, &b);
	assert_false(ks_diff_next(&d, &s));
	ks_grid_puts(&b, ks_grid_all(&b), 4, 1, "日語", KS_ROLE_TEXT);
	ks_grid_puts(&b, ks_grid_all(&b), 19, 2, "!", KS_ROLE_TEXT);
	ks_diff_init(&d, &a, &b);
	assert_true(ks_diff_next(&d, &s));
	assert_int_equal(s.y, 1);
	assert_int_equal(s.x, 6);
	assert_int_equal(s.len, 2);
	assert_true(ks_diff_next(&d, &s));
	assert_int_equal(s.y, 2);
	assert_int_equal(s.x, 19);
	assert_int_equal(s.len, 1);
	assert_false(ks_diff_next(&d, &s));
	/* Another size: all rows. */
	ks_grid_resize(&a, 10, 2);
	ks_diff_init(&d, &a, &b);
	assert_true(ks_diff_next(&d, &s));
	assert_int_equal(s.len, 20);
	ks_grid_fini(&a);
	ks_grid_fini(&b);
}

/* Applying the spans to the old frame gives the new one, for many frames. */
static void differences_carry_one_frame_to_the_next(void **state)
{
	static const char *const bits[] = {"a", "日", "xyz", "👍", " ", "│", "é"};
	struct ks_grid a, b, c;
	uint32_t seed = 7;
	int round, n, x;

	(void)state;
	ks_grid_init(&a, 17, 5);
	ks_grid_init(&b, 17, 5);
	ks_grid_init(&c, 17, 5);
	for (round = 0; round < 500; round++) {
		struct ks_diff d;
		struct ks_span s;

		ks_grid_copy(&b, &a);
		for (n = 0; n < 6; n++) {
			seed = seed * 1664525u + 1013904223u;
			ks_grid_puts(&b, ks_grid_all(&b), (int)(seed >> 8) % 17,
				(int)(seed >> 16) % 5, bits[(seed >> 24) % 7],
				(seed >> 20) % KS_ROLE_COUNT);
		}
		check_whole(&b);
		ks_grid_copy(&c, &a);
		ks_diff_init(&d, &a, &b);
		while (ks_diff_next(&d, &s)) {
			assert_true(ks_grid_at(&b, s.x, s.y)->width != 0);
			for (x = s.x; x < s.x + s.len; x++) {
				c.cells[s.y * 17 + x] = *ks_grid_at(&b, x, s.y);
			}
		}
		assert_memory_equal(c.cells, b.cells, sizeof(*b.cells) * 17 * 5);
		ks_grid_copy(&a, &b);
	}
	ks_grid_fini(&a);
	ks_grid_fini(&b);
	ks_grid_fini(&c);
}

static void caret_is_shown_inside_only(void **state)
{
	struct ks_grid g;

	(void)state;
	ks_grid_init(&g, 10, 2);
	ks_grid_caret(&g, ks_rect_of(2, 1, 4, 1), 3, 0);
	assert_true(g.caret);
	assert_int_equal(g.cx, 5);
	ks_grid_caret(&g, ks_rect_of(2, 1, 4, 1), 4, 0);
	assert_false(g.caret);
	ks_grid_fini(&g);
}

static void every_glyph_has_a_twin_of_one_column(void **state)
{
	int i, ascii;

	(void)state;
	for (i = 0; i < KS_GLYPH_COUNT; i++) {
		for (ascii = 0; ascii < 2; ascii++) {
			const char *s = ks_glyph((enum ks_glyph)i, ascii);

			assert_int_equal(ks_utf8_columns(s, strlen(s)), 1);
			assert_true(!ascii || (strlen(s) == 1 && s[0] > 0x20));
		}
	}
	for (i = 0; i <= 8; i++) {
		assert_int_equal(strlen(ks_glyph_level(i, true)), 1);
		assert_int_equal(strlen(ks_glyph_eighth(i, true)), 1);
		assert_int_equal(ks_utf8_columns(ks_glyph_level(i, false),
			strlen(ks_glyph_level(i, false))), 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_clipped_to_its_rectangle),
		cmocka_unit_test(cut_text_says_so),
		cmocka_unit_test(wide_cluster_at_an_edge_becomes_a_blank),
		cmocka_unit_test(narrow_panes_with_emoji_end),
		cmocka_unit_test(hostile_text_stays_inside),
		cmocka_unit_test(ascii_grid_holds_only_ascii),
		cmocka_unit_test(fields_align_and_cut),
		cmocka_unit_test(differences_are_whole_clusters),
		cmocka_unit_test(differences_carry_one_frame_to_the_next),
		cmocka_unit_test(caret_is_shown_inside_only),
		cmocka_unit_test(every_glyph_has_a_twin_of_one_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
