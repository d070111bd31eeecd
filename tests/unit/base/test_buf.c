/* Buffers and slices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"

static void empty_buffer_is_a_string(void **state)
{
	struct ks_buf buf = {0};
	char *taken;

	assert_string_equal(ks_buf_str(&buf).ptr, "");
	ks_buf_clear(&buf);
	ks_buf_drop(&buf, 0);
	taken = ks_buf_take(&buf);
	assert_string_equal(taken, "");
	assert_null(buf.ptr);
	free(taken);
	ks_buf_fini(&buf);
	ks_buf_fini(NULL);
}

static void grows_and_stays_terminated(void **state)
{
	struct ks_buf buf = {0};
	size_t i;

	for (i = 0; i < 100000; i++) {
		ks_buf_addc(&buf, (char)('a' + i % 26));
		assert_int_equal(buf.ptr[buf.len], '\0');
		assert_true(buf.cap > buf.len);
	}
	assert_int_equal(buf.len, 100000);
	assert_int_equal(buf.ptr[99999], 'a' + 99999 % 26);
	ks_buf_fini(&buf);
}

static void formats_longer_than_the_room(void **state)
{
	struct ks_buf buf = {0};
	char text[5000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	ks_buf_addf(&buf, "%d:%s:%d", 1, text, 2);
	assert_int_equal(buf.len, sizeof(text) - 1 + 4);
	assert_int_equal(buf.ptr[0], '1');
	assert_string_equal(buf.ptr + buf.len - 3, "x:2");
	ks_buf_fini(&buf);
}

static void drops_and_cuts(void **state)
{
	struct ks_buf buf = {0};

	ks_buf_adds(&buf, "hello world");
	ks_buf_adds(&buf, NULL);
	ks_buf_drop(&buf, 6);
	assert_string_equal(buf.ptr, "world");
	ks_buf_truncate(&buf, 3);
	assert_string_equal(buf.ptr, "wor");
	ks_buf_drop(&buf, 3);
	assert_string_equal(buf.ptr, "");
	ks_buf_addstr(&buf, (struct ks_str){NULL, 0});
	assert_int_equal(buf.len, 0);
	ks_buf_fini(&buf);
}

static void slices(void **state)
{
	struct ks_str text = KS_STR("  a b\t\n");

	assert_true(ks_str_is(ks_str_trim(text), "a b"));
	assert_int_equal(ks_str_trim(KS_STR(" \t ")).len, 0);
	assert_true(ks_str_starts(text, "  a"));
	assert_false(ks_str_starts(KS_STR("ab"), "abc"));
	assert_true(ks_str_starts(KS_STR("ab"), ""));
	assert_true(ks_str_eq(ks_str_of(NULL), KS_STR("")));
	assert_false(ks_str_eq(KS_STR("a"), KS_STR("b")));
	assert_int_equal(ks_str_find(KS_STR("abcabc"), KS_STR("ca")), 2);
	assert_int_equal(ks_str_find(KS_STR("abc"), KS_STR("abcd")), -1);
	assert_int_equal(ks_str_find(KS_STR("abc"), KS_STR("")), 0);
	assert_int_equal(ks_str_find(ks_str_of(NULL), KS_STR("a")), -1);
}

static void cuts_pieces(void **state)
{
	struct ks_str rest = KS_STR("a,,bc,");
	struct ks_str piece;

	assert_true(ks_str_next(&rest, ',', &piece));
	assert_true(ks_str_is(piece, "a"));
	assert_true(ks_str_next(&rest, ',', &piece));
	assert_int_equal(piece.len, 0);
	assert_true(ks_str_next(&rest, ',', &piece));
	assert_true(ks_str_is(piece, "bc"));
	assert_false(ks_str_next(&rest, ',', &piece));
}

static void replaces(void **state)
{
	struct ks_buf buf = {0};

	assert_int_equal(ks_buf_add_replaced(&buf, KS_STR("aaba"), KS_STR("a"), KS_STR("xy")), 3);
	assert_string_equal(buf.ptr, "xyxybxy");
	assert_int_equal(ks_buf_add_replaced(&buf, KS_STR("b"), KS_STR("bb"), KS_STR("")), 0);
	assert_string_equal(buf.ptr, "xyxybxyb");
	ks_buf_fini(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_buffer_is_a_string),
		cmocka_unit_test(grows_and_stays_terminated),
		cmocka_unit_test(formats_longer_than_the_room),
		cmocka_unit_test(drops_and_cuts),
		cmocka_unit_test(slices),
		cmocka_unit_test(cuts_pieces),
		cmocka_unit_test(replaces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
