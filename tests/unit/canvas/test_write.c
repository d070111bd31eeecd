/* Writers: SGR text, SVG, recordings; themes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "canvas/write.h"

static void ansi_sets_and_resets(void **state)
{
	struct ks_grid g;
	struct ks_buf out = {0};

	(void)state;
	ks_grid_init(&g, 10, 2);
	ks_grid_puts(&g, ks_grid_all(&g), 0, 0, "ok", KS_ROLE_GOOD);
	ks_grid_puts(&g, ks_grid_all(&g), 3, 0, "no", KS_ROLE_BAD | KS_STYLE_SELECTED);
	ks_write_ansi(&g, ks_theme_find("default"), &out);
	assert_string_equal(out.ptr,
		"\033[0;32mok\033[0m \033[0;1;7mno\033[0m\n\n");
	ks_buf_fini(&out);
	ks_grid_fini(&g);
}

static void mono_has_no_colour(void **state)
{
	const struct ks_theme *mono = ks_theme_find("mono");
	struct ks_buf out = {0};
	unsigned role;

	(void)state;
	for (role = 0; role < KS_ROLE_COUNT; role++) {
		struct ks_paint look = ks_theme_paint(mono, role);

		assert_int_equal(look.fg, -1);
		assert_int_equal(look.bg, -1);
		ks_buf_clear(&out);
		ks_write_sgr(mono, role, &out);
		assert_null(strstr(out.ptr, ";3"));
		assert_null(strstr(out.ptr, ";9"));
	}
	ks_buf_fini(&out);
}

static void themes_are_found(void **state)
{
	size_t i;

	(void)state;
	assert_ptr_equal(ks_theme_find(NULL), ks_theme_at(0));
	assert_null(ks_theme_find("nope"));
	for (i = 0; ks_theme_at(i) != NULL; i++) {
		assert_ptr_equal(ks_theme_find(ks_theme_at(i)->name), ks_theme_at(i));
	}
	assert_true(i >= 4);
	/* Selected and not selected differ in every theme and role. */
	while (i-- > 0) {
		unsigned role;

		for (role = 0; role < KS_ROLE_COUNT; role++) {
			struct ks_paint a = ks_theme_paint(ks_theme_at(i), role);
			struct ks_paint b = ks_theme_paint(ks_theme_at(i),
				role | KS_STYLE_SELECTED);

			assert_true(a.attr != b.attr);
		}
	}
}

static void svg_escapes_and_keeps_text(void **state)
{
	struct ks_grid g;
	struct ks_buf out = {0};

	(void)state;
	ks_grid_init(&g, 20, 2);
	ks_grid_puts(&g, ks_grid_all(&g), 0, 0, "<a & \"b\">", KS_ROLE_TEXT);
	ks_grid_puts(&g, ks_grid_all(&g), 0, 1, "███▌", KS_ROLE_GOOD);
	ks_write_svg(&g, ks_theme_find("default"), "a <title>", &out);
	assert_non_null(strstr(out.ptr, "<title>a &lt;title&gt;</title>"));
	assert_non_null(strstr(out.ptr, ">&lt;a</text>"));
	assert_non_null(strstr(out.ptr, ">&amp;</text>"));
	assert_non_null(strstr(out.ptr, ">&quot;b&quot;&gt;</text>"));
	assert_null(strstr(out.ptr, "█"));
	assert_non_null(strstr(out.ptr, "</svg>\n"));
	ks_buf_fini(&out);
	ks_grid_fini(&g);
}

static void recording_is_lines_of_json(void **state)
{
	struct ks_grid a, b;
	struct ks_buf out = {0};
	struct ks_str rest, line;
	struct ks_json *doc;
	struct ks_err err = KS_ERR_INIT;
	size_t lines = 0;

	(void)state;
	ks_grid_init(&a, 10, 2);
	ks_grid_init(&b, 10, 2);
	ks_write_cast_head(10, 2, "t", &out);
	ks_write_cast_frame(NULL, &a, ks_theme_find(NULL), 0, &out);
	ks_write_cast_frame(&a, &b, ks_theme_find(NULL), 10, &out);
	ks_grid_puts(&b, ks_grid_all(&b), 1, 1, "日", KS_ROLE_GOOD);
	ks_write_cast_frame(&a, &b, ks_theme_find(NULL), 1500000, &out);
	rest = ks_buf_str(&out);
	while (ks_str_next(&rest, '\n', &line)) {
		if (line.len == 0) {
			continue;
		}
		lines++;
		assert_int_equal(ks_json_parse(&doc, line.ptr, line.len, &err), 0);
		if (lines == 3) {
			assert_true(ks_json_num(ks_json_at(doc, 0), 0) == 1.5);
			assert_string_equal(ks_json_str(ks_json_at(doc, 2), ""),
				"\033[2;2H\033[0;32m日");
		}
		ks_json_free(doc);
	}
	assert_int_equal(lines, 3);
	ks_buf_fini(&out);
	ks_grid_fini(&a);
	ks_grid_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ansi_sets_and_resets),
		cmocka_unit_test(mono_has_no_colour),
		cmocka_unit_test(themes_are_found),
		cmocka_unit_test(svg_escapes_and_keeps_text),
		cmocka_unit_test(recording_is_lines_of_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
