/* Boxes and bars. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "canvas/draw.h"
#include "canvas/write.h"

static void expect_grid(const struct ks_grid *g, const char *want)
{
	struct ks_buf got = {0};

	ks_write_plain(g, &got);
	assert_string_equal(got.ptr, want);
	ks_buf_fini(&got);
}

static void boxes_and_rules(void **state)
{
	struct ks_grid g;
	struct ks_rect in;

	(void)state;
	ks_grid_init(&g, 16, 5);
	in = ks_draw_box(&g, ks_grid_all(&g), "Live", KS_ROLE_BORDER, KS_ROLE_TITLE);
	ks_draw_rule(&g, ks_grid_all(&g), 2, "a very long title indeed",
		KS_ROLE_BORDER, KS_ROLE_TITLE);
	ks_draw_tag(&g, ks_grid_all(&g), 0, "26", KS_ROLE_DIM);
	assert_int_equal(in.w, 14);
	assert_int_equal(in.h, 3);
	expect_grid(&g,
		"┌ Live ─── 26 ─┐\n"
		"│              │\n"
		"├ a very lo… ──┤\n"
		"│              │\n"
		"└──────────────┘\n");
	ks_grid_fini(&g);
}

static void small_boxes_draw_nothing(void **state)
{
	struct ks_grid g;
	int w, h;

	(void)state;
	for (w = 0; w < 6; w++) {
		for (h = 0; h < 4; h++) {
			struct ks_rect in;

			ks_grid_init(&g, 8, 8);
			in = ks_draw_box(&g, ks_rect_of(1, 1, w, h), "title",
				KS_ROLE_BORDER, KS_ROLE_TITLE);
			assert_true(in.w >= 0 && in.h >= 0);
			assert_string_equal(ks_grid_at(&g, 1 + w, 0)->text, " ");
			assert_string_equal(ks_grid_at(&g, 0, 1)->text, " ");
			ks_grid_fini(&g);
		}
	}
}

static void expect_bar(double value, double max, double mark, int cols,
	const char *want)
{
	struct ks_bar bar = {value, max, mark, 0, KS_ROLE_BAD, KS_ROLE_GOOD, KS_ROLE_DIM};
	struct ks_grid g;
	struct ks_buf got = {0};

	ks_grid_init(&g, cols + 2, 1);
	ks_draw_bar(&g, ks_grid_all(&g), 0, 0, cols, &bar);
	ks_grid_puts(&g, ks_grid_all(&g), cols, 0, ".", KS_ROLE_TEXT);
	ks_write_plain(&g, &got);
	got.ptr[got.len - 1] = '\0';
	assert_string_equal(got.ptr, want);
	ks_buf_fini(&got);
	ks_grid_fini(&g);
}

static void bars_show_the_side_of_the_mark(void **state)
{
	(void)state;
	expect_bar(0.0, 2, 1, 11, "     ┃     .");
	expect_bar(0.5, 2, 1, 11, "██▌  ┃     .");
	expect_bar(0.9999, 2, 1, 11, "████▉┃     .");
	expect_bar(1.0, 2, 1, 11, "█████┃     .");
	expect_bar(1.5, 2, 1, 11, "█████┃██▌  .");
	expect_bar(2.0, 2, 1, 11, "█████┃█████.");
	expect_bar(9.0, 2, 1, 11, "█████┃████→.");
	expect_bar(NAN, 2, 1, 11, "     ┃     .");
	expect_bar(-1, 2, 1, 11, "     ┃     .");
	expect_bar(0.5, 1, 0, 4, "██  .");
	expect_bar(5, 1, 0, 1, "█.");
	expect_bar(1, 0, 0, 4, "    .");
	expect_bar(1, 2, 1, 0, ".");
}

static void bars_stay_in_their_rectangle(void **state)
{
	struct ks_bar bar = {9, 2, 1, 0, KS_ROLE_BAD, KS_ROLE_GOOD, KS_ROLE_DIM};
	struct ks_grid g;
	int x, cols;

	(void)state;
	for (cols = 0; cols < 14; cols++) {
		for (x = -3; x < 10; x++) {
			ks_grid_init(&g, 12, 1);
			ks_draw_bar(&g, ks_rect_of(3, 0, 5, 1), x, 0, cols, &bar);
			assert_string_equal(ks_grid_at(&g, 2, 0)->text, " ");
			assert_string_equal(ks_grid_at(&g, 8, 0)->text, " ");
			ks_grid_fini(&g);
		}
	}
}

/* A mark with a share of its own: two scales, one at each side. */
static void bars_with_a_fixed_mark(void **state)
{
	struct ks_bar bar = {0.5, 8, 1, 0.4, KS_ROLE_BAD, KS_ROLE_GOOD, KS_ROLE_DIM};
	struct ks_grid g;

	(void)state;
	ks_grid_init(&g, 11, 2);
	ks_draw_bar(&g, ks_grid_all(&g), 0, 0, 11, &bar);
	bar.value = 4.5;
	ks_draw_bar(&g, ks_grid_all(&g), 0, 1, 11, &bar);
	expect_grid(&g, "██  ┃\n████┃███\n");
	ks_grid_fini(&g);
}

static void ascii_bars(void **state)
{
	struct ks_bar bar = {1.3, 2, 1, 0, KS_ROLE_BAD, KS_ROLE_GOOD, KS_ROLE_DIM};
	struct ks_grid g;

	(void)state;
	ks_grid_init(&g, 11, 1);
	g.ascii = true;
	ks_draw_bar(&g, ks_grid_all(&g), 0, 0, 11, &bar);
	expect_grid(&g, "#####|#-\n");
	ks_grid_fini(&g);
}

static void scroll_mark_shows_the_place(void **state)
{
	struct ks_grid g;

	(void)state;
	ks_grid_init(&g, 3, 6);
	ks_draw_scroll(&g, ks_grid_all(&g), 0, 5, 10, KS_ROLE_DIM);
	expect_grid(&g, "\n  █\n  █\n\n\n\n");
	ks_grid_clear(&g);
	ks_draw_scroll(&g, ks_grid_all(&g), 5, 5, 10, KS_ROLE_DIM);
	expect_grid(&g, "\n\n\n  █\n  █\n\n");
	ks_grid_clear(&g);
	ks_draw_scroll(&g, ks_grid_all(&g), 0, 10, 10, KS_ROLE_DIM);
	expect_grid(&g, "\n\n\n\n\n\n");
	ks_grid_fini(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boxes_and_rules),
		cmocka_unit_test(small_boxes_draw_nothing),
		cmocka_unit_test(bars_show_the_side_of_the_mark),
		cmocka_unit_test(bars_stay_in_their_rectangle),
		cmocka_unit_test(bars_with_a_fixed_mark),
		cmocka_unit_test(ascii_bars),
		cmocka_unit_test(scroll_mark_shows_the_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
