/* Regular expressions: groups, errors, limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/regex.h"

static struct ks_regex *make(const char *pattern, unsigned flags)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_regex *re = NULL;

	if (ks_regex_new(&re, pattern, flags, &err) < 0) {
		fail_msg("%s", err.msg);
	}
	return re;
}

static void groups(void **state)
{
	struct ks_regex *re = make("(\\d+)(x)?-(\\w+)", 0);
	struct ks_str text = KS_STR("a 12-bc 7x-d"), g[KS_REGEX_GROUPS];

	assert_true(ks_regex_match(re, text, 0, g));
	assert_true(ks_str_is(g[0], "12-bc"));
	assert_true(ks_str_is(g[1], "12"));
	assert_null(g[2].ptr);
	assert_true(ks_str_is(g[3], "bc"));
	assert_null(g[4].ptr);
	assert_true(ks_regex_match(re, text, (size_t)(g[0].ptr - text.ptr) + g[0].len, g));
	assert_true(ks_str_is(g[2], "x"));
	assert_true(ks_regex_match(re, text, 0, NULL));
	assert_false(ks_regex_match(re, text, text.len, g));
	assert_false(ks_regex_match(re, text, text.len + 1, g));
	ks_regex_free(re);
	ks_regex_free(NULL);
}

static void more_groups_than_the_table(void **state)
{
	struct ks_regex *re = make("(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)", 0);
	struct ks_str g[KS_REGEX_GROUPS];

	assert_true(ks_regex_match(re, KS_STR("abcdefghijk"), 0, g));
	assert_true(ks_str_is(g[0], "abcdefghijk"));
	assert_true(ks_str_is(g[9], "i"));
	ks_regex_free(re);
}

static void flags(void **state)
{
	struct ks_regex *plain = make("^ÄB", 0);
	struct ks_regex *loose = make("^ÄB", KS_REGEX_CASELESS | KS_REGEX_MULTILINE);

	assert_false(ks_regex_match(plain, KS_STR("x\näb"), 0, NULL));
	assert_true(ks_regex_match(loose, KS_STR("x\näb"), 0, NULL));
	ks_regex_free(plain);
	ks_regex_free(loose);
}

static void bad_patterns(void **state)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_regex *re = NULL;
	char *big = malloc(70001);

	assert_int_equal(ks_regex_new(&re, "a(b", 0, &err), KS_EINVAL);
	assert_non_null(strstr(err.msg, "byte 3"));
	assert_null(re);
	ks_err_clear(&err);
	assert_int_equal(ks_regex_new(&re, "a\\Cb", 0, &err), KS_EINVAL);
	ks_err_clear(&err);
	assert_int_equal(ks_regex_new(&re, "\xff", 0, &err), KS_EINVAL);
	ks_err_clear(&err);
	assert_non_null(big);
	memset(big, 'a', 70000);
	big[70000] = '\0';
	assert_int_equal(ks_regex_new(&re, big, 0, &err), KS_ELIMIT);
	free(big);
}

static void invalid_bytes_do_not_stop_the_search(void **state)
{
	struct ks_regex *re = make("error: (\\S+)", 0);
	struct ks_str g[KS_REGEX_GROUPS];

	assert_true(ks_regex_match(re, KS_STR("\xff\xfe error: \xc3 error: end"), 0, g));
	assert_true(ks_str_is(g[1], "end"));
	assert_true(ks_regex_match(re, KS_STR("\0error: x"), 0, NULL));
	assert_false(ks_regex_match(re, ks_str_of(NULL), 0, NULL));
	ks_regex_free(re);
}

static void no_pattern_runs_away(void **state)
{
	struct ks_regex *re = make("^(a+)+$", 0);
	char text[65];
	int64_t start = ks_clock_mono_us();

	memset(text, 'a', 64);
	text[64] = 'b';
	assert_false(ks_regex_match(re, (struct ks_str){text, 65}, 0, NULL));
	assert_true(ks_clock_mono_us() - start < 5000000);
	ks_regex_free(re);
}

static void deep_recursion_is_bounded(void **state)
{
	struct ks_regex *re = make("^(?:\\((?1)*\\)|x())*$", 0);
	struct ks_regex *nest = make("^(\\((?1)*\\))$", 0);
	char *text = malloc(200000);

	assert_non_null(text);
	memset(text, '(', 200000);
	assert_false(ks_regex_match(nest, (struct ks_str){text, 200000}, 0, NULL));
	assert_false(ks_regex_match(re, (struct ks_str){text, 200000}, 0, NULL));
	assert_true(ks_regex_match(nest, KS_STR("(()(()))"), 0, NULL));
	free(text);
	ks_regex_free(re);
	ks_regex_free(nest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups),
		cmocka_unit_test(more_groups_than_the_table),
		cmocka_unit_test(flags),
		cmocka_unit_test(bad_patterns),
		cmocka_unit_test(invalid_bytes_do_not_stop_the_search),
		cmocka_unit_test(no_pattern_runs_away),
		cmocka_unit_test(deep_recursion_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
