/* The floor: which of the three rates binds, and what is not known. */
#include "eval/roofline.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-9 * (1 + fabs(b));
}

static void test_which_rate_binds(void **state)
{
	(void)state;
	struct ks_probe probe = {.bandwidth_gbs = 10, .call_ns = 50};
	struct ks_case c = {.ops = 1e6, .bytes = 1e6, .ops_dtype = KS_FLOAT32};
	struct ks_roofline r;
	probe.peak_gflops[KS_FLOAT32] = 5;
	ks_roofline(&r, &c, &probe, 1);
	assert_true(near(r.floor_us, 200) && near(r.ops_us, 200) && near(r.bytes_us, 100));
	assert_int_equal(r.bound, KS_BOUND_OPS);
	ks_roofline(&r, &c, &probe, 4);
	assert_true(near(r.floor_us, 100));
	assert_int_equal(r.bound, KS_BOUND_BYTES);
	assert_true(near(ks_roofline_share(&r, 400), 0.25));
	c.ops = 0;
	c.bytes = 4;
	ks_roofline(&r, &c, &probe, 1);
	assert_true(near(r.floor_us, 0.05));
	assert_int_equal(r.bound, KS_BOUND_CALL);
	assert_string_equal(ks_bound_name(r.bound), "call");
}

static void test_peaks_that_were_not_probed(void **state)
{
	(void)state;
	struct ks_probe probe = {.bandwidth_gbs = 0};
	struct ks_case c = {.ops = 1e6, .bytes = 1e6, .ops_dtype = KS_BFLOAT16};
	struct ks_roofline r;
	ks_roofline(&r, &c, &probe, 1);
	assert_true(r.floor_us == 0 && ks_roofline_share(&r, 5) == 0);
	assert_int_equal(r.bound, KS_BOUND_NONE);
	assert_string_equal(ks_bound_name(r.bound), "");
	probe.peak_gflops[KS_FLOAT32] = 2;
	ks_roofline(&r, &c, &probe, 0);
	assert_true(near(r.floor_us, 500));
	c.ops_dtype = KS_INT32;
	ks_roofline(&r, &c, &probe, 1);
	assert_true(r.floor_us == 0 && ks_roofline_share(&r, 0) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_which_rate_binds),
		cmocka_unit_test(test_peaks_that_were_not_probed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
