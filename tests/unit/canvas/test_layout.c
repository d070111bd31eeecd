/* Wrapping and fitting text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "canvas/layout.h"

static void expect_wrap(const char *text, int width, int hang, const char *want)
{
	struct ks_buf got = {0};
	struct ks_wrap w;
	struct ks_str line;

	ks_wrap_init(&w, ks_str_of(text), width, hang);
	while (ks_wrap_next(&w, &line)) {
		ks_buf_addc(&got, '[');
		ks_buf_addstr(&got, line);
		ks_buf_addc(&got, ']');
	}
	assert_string_equal(got.ptr, want);
	ks_buf_fini(&got);
}

static void words_wrap(void **state)
{
	(void)state;
	expect_wrap("", 10, 0, "[]");
	expect_wrap("one two three", 7, 0, "[one two][three]");
	expect_wrap("one two three", 8, 0, "[one two][three]");
	expect_wrap("one two three", 6, 0, "[one][two][three]");
	expect_wrap("one  two", 4, 0, "[one][two]");
	expect_wrap("a\n\nb", 10, 0, "[a][][b]");
	expect_wrap("a\n", 10, 0, "[a][]");
	expect_wrap("hang two three", 6, 2, "[hang][two][thre][e]");
	expect_wrap("abcdefghij", 4, 0, "[abcd][efgh][ij]");
	expect_wrap("日本語 x", 4, 0, "[日本][語 x]");
	expect_wrap("ab\ncdefgh", 3, 0, "[ab][cde][fgh]");
}

static void every_width_ends(void **state)
{
	const char *text = "👩‍👩‍👧‍👦 wide 日本語\nand\xff bytes   ";
	int width;

	(void)state;
	for (width = -1; width < 20; width++) {
		struct ks_wrap w;
		struct ks_str line;
		size_t lines = 0;

		ks_wrap_init(&w, ks_str_of(text), width, 2);
		while (ks_wrap_next(&w, &line)) {
			assert_true(++lines <= strlen(text) + 2);
			if (width > 2) {
				assert_true(ks_utf8_columns(line.ptr, line.len) <=
					(size_t)width);
			}
		}
		assert_int_equal(lines, ks_wrap_count(ks_str_of(text), width, 2));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_wrap),
		cmocka_unit_test(every_width_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
