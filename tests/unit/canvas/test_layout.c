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

static void expect_fit(const char *text, size_t cols, enum ks_cut cut,
	const char *want)
{
	struct ks_buf got = {0};
	size_t used = ks_fit(&got, ks_str_of(text), cols, cut, true);

	assert_string_equal(got.ptr != NULL ? got.ptr : "", want);
	assert_true(used <= cols);
	assert_int_equal(used, ks_utf8_columns(got.ptr, got.len));
	ks_buf_fini(&got);
}

static void texts_are_cut_with_a_mark(void **state)
{
	struct ks_buf out = {0};

	(void)state;
	expect_fit("abcdef", 6, KS_CUT_END, "abcdef");
	expect_fit("abcdefg", 6, KS_CUT_END, "abcde~");
	expect_fit("abcdefg", 6, KS_CUT_START, "~cdefg");
	expect_fit("abcdefgh", 6, KS_CUT_MIDDLE, "abc~gh");
	expect_fit("abcdefgh", 1, KS_CUT_MIDDLE, "~");
	expect_fit("abcdefgh", 0, KS_CUT_END, "");
	expect_fit("日本語", 4, KS_CUT_END, "日~");
	ks_fit_pad(&out, ks_str_of("日本語"), 4, KS_CUT_END, true);
	assert_string_equal(out.ptr, "日~ ");
	ks_buf_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_wrap),
		cmocka_unit_test(every_width_ends),
		cmocka_unit_test(texts_are_cut_with_a_mark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
