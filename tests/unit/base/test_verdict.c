/* Verdicts by their words, which every log holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/verdict.h"

static void test_words_stay(void **state)
{
	assert_string_equal(ks_verdict_word(KS_SAME), "same");
	assert_string_equal(ks_verdict_word(KS_FASTER), "faster");
	assert_string_equal(ks_verdict_word(KS_SLOWER), "slower");
	assert_string_equal(ks_verdict_word(KS_UNSURE), "unsure");
	assert_string_equal(ks_verdict_word((enum ks_verdict)99), "same");
}

static void test_back_again(void **state)
{
	for (int v = 0; v < KS_VERDICTS; v++) {
		assert_int_equal(ks_verdict_of(ks_verdict_word((enum ks_verdict)v)), v);
	}
	assert_int_equal(ks_verdict_of(""), KS_SAME);
	assert_int_equal(ks_verdict_of("Faster"), KS_SAME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words_stay),
		cmocka_unit_test(test_back_again),
	};

	return cmocka_run_group_tests_name("verdict", tests, NULL, NULL);
}
