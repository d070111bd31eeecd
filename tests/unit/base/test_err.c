/* Errors: one clean line, the first one wins. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/utf8.h"

static void first_error_wins(void **state)
{
	struct ks_err err = KS_ERR_INIT;

	assert_int_equal(ks_err_set(&err, KS_EINVAL, "first %d", 1), KS_EINVAL);
	assert_int_equal(ks_err_set(&err, KS_EIO, "second"), KS_EIO);
	assert_int_equal(err.code, KS_EINVAL);
	assert_string_equal(err.msg, "first 1");
	ks_err_clear(&err);
	assert_int_equal(err.code, 0);
	assert_int_equal(ks_err_set(NULL, KS_EBUSY, "nobody listens"), KS_EBUSY);
	ks_err_clear(NULL);
	ks_err_prefix(NULL, "nothing");
}

static void system_errors_map_to_codes(void **state)
{
	struct ks_err err = KS_ERR_INIT;

	assert_int_equal(ks_err_sys(&err, ENOENT, "open %s", "x"), KS_ENOTFOUND);
	assert_int_equal(err.sys, ENOENT);
	assert_string_equal(err.msg, "open x: No such file or directory");
	assert_int_equal(ks_err_sys(NULL, ENOSPC, "write"), KS_EFULL);
	assert_int_equal(ks_err_sys(NULL, EEXIST, "make"), KS_EEXISTS);
	assert_int_equal(ks_err_sys(NULL, EACCES, "open"), KS_EIO);
}

static void message_is_one_clean_line(void **state)
{
	struct ks_err err = KS_ERR_INIT;

	ks_err_set(&err, KS_EINVAL, "a\nb\x1b[31m\xc2\x9b" "c\xff" "d\x7f\xe2\x80\xa8" "e");
	assert_string_equal(err.msg, "a b [31m c\xef\xbf\xbd" "d  e");
}

static void long_messages_are_cut_between_code_points(void **state)
{
	struct ks_err err = KS_ERR_INIT;
	char text[2000];
	size_t i;

	text[0] = 'x';
	for (i = 1; i + 3 < sizeof(text); i += 3) {
		memcpy(text + i, "\xe2\x82\xac", 3);
	}
	text[i] = '\0';
	ks_err_set(&err, KS_EINVAL, "%s", text);
	assert_true(strlen(err.msg) > sizeof(err.msg) - 5);
	assert_true(ks_utf8_valid(err.msg, strlen(err.msg)));
}

static void prefixes(void **state)
{
	struct ks_err err = KS_ERR_INIT;

	ks_err_prefix(&err, "unset");
	assert_string_equal(err.msg, "");
	ks_err_set(&err, KS_EINVAL, "bad value");
	ks_err_prefix(&err, "%s:%d", "f.json", 3);
	assert_string_equal(err.msg, "f.json:3: bad value");
}

static void every_code_has_a_name(void **state)
{
	int code, other;

	for (code = KS_EFULL; code <= KS_OK; code++) {
		assert_string_not_equal(ks_code_name(code), "unknown");
		for (other = KS_EFULL; other < code; other++) {
			assert_string_not_equal(ks_code_name(code), ks_code_name(other));
		}
	}
	assert_string_equal(ks_code_name(-99), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_error_wins),
		cmocka_unit_test(system_errors_map_to_codes),
		cmocka_unit_test(message_is_one_clean_line),
		cmocka_unit_test(long_messages_are_cut_between_code_points),
		cmocka_unit_test(prefixes),
		cmocka_unit_test(every_code_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
