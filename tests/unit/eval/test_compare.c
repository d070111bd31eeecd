/*
 * Comparison: the rule for one element, the fast path against the rule on
 * random arrays, what is not finite, integers, the lint of references.
 */
#include "eval/compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "eval/philox.h"

static const struct ks_tolerance loose = {1e-3, 1e-2, 1, INFINITY, false};

static struct ks_compare compare1(const struct ks_tolerance *tol, float got, float want)
{
	struct ks_compare c;
	ks_compare(&c, tol, KS_FLOAT32, &got, &want, 1);
	return c;
}

static void test_the_rule(void **state)
{
	(void)state;
	static const struct {
		float got, want;
		bool ok;
		double ratio;
	} table[] = {
		{1, 1, true, 0}, {1.01f, 1, true, 0.0100000 / 0.011}, {1.012f, 1, false,
			0.012 / 0.011},
		{0.0009f, 0, true, 0.9}, {0.0011f, 0, false, 1.1}, {-0.0f, 0, true, 0},
		{NAN, 1, false, INFINITY}, {1, NAN, false, INFINITY}, {NAN, NAN, false, INFINITY},
		{INFINITY, INFINITY, false, INFINITY}, {-INFINITY, -INFINITY, false, INFINITY},
		{INFINITY, 1, false, INFINITY}, {3e38f, -3e38f, false, 6e38 / 3e36},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct ks_compare c = compare1(&loose, table[i].got, table[i].want);
		assert_int_equal(c.ok, table[i].ok);
		assert_int_equal(c.bad, !table[i].ok);
		assert_true(isinf(table[i].ratio) ? isinf(c.error_ratio)
			: fabs(c.error_ratio - table[i].ratio) < 1e-4 * (1 + table[i].ratio));
	}
}

static void test_negative_infinity(void **state)
{
	(void)state;
	struct ks_tolerance tol = loose;
	tol.allow_negative_inf = true;
	assert_true(compare1(&tol, -INFINITY, -INFINITY).ok);
	assert_false(compare1(&tol, INFINITY, INFINITY).ok);
	assert_false(compare1(&tol, -INFINITY, 0).ok);
	assert_false(compare1(&tol, 0, -INFINITY).ok);
	assert_false(compare1(&tol, NAN, -INFINITY).ok);
}

static void test_exact_tolerance(void **state)
{
	(void)state;
	const struct ks_tolerance exact = {0, 0, 1, INFINITY, false};
	assert_true(compare1(&exact, 5, 5).ok);
	assert_true(compare1(&exact, 5, 5).error_ratio == 0);
	assert_false(compare1(&exact, 5, nextafterf(5, 6)).ok);
	float a[64], b[64];
	for (int i = 0; i < 64; i++) {
		a[i] = b[i] = i == 9 ? 0 : (float)i;
	}
	struct ks_compare c;
	ks_compare(&c, &exact, KS_FLOAT32, a, b, 64);
	assert_true(c.ok && c.error_ratio == 0 && c.rms == 0 && c.rel_l2 == 0);
}

static void test_match_ratio_and_cap(void **state)
{
	(void)state;
	struct ks_tolerance tol = {1e-3, 0, 0.9, INFINITY, false};
	float got[100] = {0}, want[100] = {0};
	struct ks_compare c;
	for (int i = 0; i < 10; i++) {
		got[i * 7] = 1;
	}
	ks_compare(&c, &tol, KS_FLOAT32, got, want, 100);
	assert_true(c.ok && c.bad == 10);
	got[99] = 1;
	ks_compare(&c, &tol, KS_FLOAT32, got, want, 100);
	assert_false(c.ok);
	got[99] = 0;
	tol.error_cap = 0.5;
	ks_compare(&c, &tol, KS_FLOAT32, got, want, 100);
	assert_false(c.ok);
	tol.error_cap = 2;
	got[50] = NAN; /* one NaN is not forgiven by a ratio */
	ks_compare(&c, &tol, KS_FLOAT32, got, want, 100);
	assert_true(!c.ok && c.nonfinite == 1 && c.worst == 50);
}

static float uniform(uint32_t i)
{
	static const uint32_t key[2] = {3, 4};
	uint32_t counter[4] = {i, 0, 0, 0}, out[4];
	ks_philox(key, counter, out);
	return (float)(out[0] >> 8) * 0x1p-24f;
}

/* The figures of the fast path equal those of the rule written out, for sizes
 * around the block, with defects in every place. */
static void check_against_rule(const float *got, const float *want, size_t n)
{
	struct ks_compare c;
	double worst = 0, max_abs = 0, squares = 0, wants = 0;
	size_t bad = 0, at = 0, special = 0;
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(got[i])) {
			bad++;
			special++;
			at = isinf(worst) ? at : i;
			worst = (double)INFINITY;
			continue;
		}
		double d = fabs((double)got[i] - (double)want[i]);
		double allowed = loose.abs_tol + loose.rel_tol * fabs((double)want[i]);
		bad += d > allowed;
		at = d / allowed > worst ? i : at;
		worst = fmax(worst, d / allowed);
		max_abs = fmax(max_abs, d);
		squares += d * d;
		wants += (double)want[i] * (double)want[i];
	}
	ks_compare(&c, &loose, KS_FLOAT32, got, want, n);
	assert_int_equal(c.count, n);
	assert_int_equal(c.bad, bad);
	assert_int_equal(c.nonfinite, special);
	assert_int_equal(c.ok, bad == 0);
	assert_int_equal(c.worst, at);
	assert_true(c.got == got[at] || isnan(got[at]));
	assert_true(c.error_ratio == worst);
	assert_true(c.max_abs == max_abs);
	if (special == n) {
		assert_true(c.rms == 0 && c.want_rms == 0);
		return;
	}
	double rms = sqrt(squares / (double)(n - special));
	assert_true(fabs(c.rms - rms) <= 1e-5 * rms);
	assert_true(fabs(c.want_rms - sqrt(wants / (double)(n - special))) <= 1e-5 * c.want_rms);
}

static void test_fast_path_is_the_rule(void **state)
{
	(void)state;
	static const size_t sizes[] = {1, 15, 16, 17, 1023, 1024, 1025, 5000};
	float *got = ks_alloc(5000 * 4), *want = ks_alloc(5000 * 4);
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		size_t n = sizes[s];
		for (uint32_t i = 0; i < n; i++) {
			want[i] = 4 * uniform(i) - 2;
			got[i] = want[i] + 1e-4f * (uniform(i + 9000) - 0.5f);
		}
		check_against_rule(got, want, n);
		for (size_t k = 0; k < 40; k++) {
			size_t at = (size_t)(uniform((uint32_t)(k + 20000)) * (float)n);
			float kept = got[at];
			got[at] += k % 2 == 0 ? 0.5f : 9e-4f;
			check_against_rule(got, want, n);
			got[at] = k % 3 == 0 ? NAN : INFINITY;
			check_against_rule(got, want, n);
			got[at] = kept;
		}
	}
	free(got);
	free(want);
}

/* Values at the very edge of the tolerance are decided in doubles. */
static void test_edge_is_decided_exactly(void **state)
{
	(void)state;
	const struct ks_tolerance tol = {0, 0x1p-10, 1, INFINITY, false};
	float got[32], want[32];
	struct ks_compare c;
	for (int i = 0; i < 32; i++) {
		want[i] = 1;
		got[i] = 1 + 0x1p-10f;
	}
	ks_compare(&c, &tol, KS_FLOAT32, got, want, 32);
	assert_true(c.ok && c.error_ratio == 1);
	got[31] = nextafterf(got[31], 2);
	ks_compare(&c, &tol, KS_FLOAT32, got, want, 32);
	assert_true(!c.ok && c.bad == 1 && c.worst == 31);
}

/* Large and tiny values where floats would overflow or vanish. */
static void test_extremes(void **state)
{
	(void)state;
	float got[64], want[64];
	struct ks_compare c;
	for (int i = 0; i < 64; i++) {
		want[i] = 1e30f;
		got[i] = 1.001e30f;
	}
	ks_compare(&c, &loose, KS_FLOAT32, got, want, 64);
	assert_true(c.ok && fabs(c.rel_l2 - 1e-3) < 1e-5);
	for (int i = 0; i < 64; i++) {
		want[i] = 1e-30f;
		got[i] = 2e-30f;
	}
	ks_compare(&c, &loose, KS_FLOAT32, got, want, 64);
	assert_true(c.ok && fabs(c.rel_l2 - 1) < 1e-5);
}

static void test_other_types(void **state)
{
	(void)state;
	const struct ks_tolerance exact = {0, 0, 1, INFINITY, false};
	struct ks_compare c;
	int64_t a[2] = {INT64_MAX, 5}, b[2] = {INT64_MAX - 1, 5};
	ks_compare(&c, &exact, KS_INT64, a, b, 2);
	assert_true(!c.ok && c.bad == 1 && c.worst == 0 && c.max_abs == 1);
	double x = 1, y = 1 + 1e-12;
	const struct ks_tolerance fine = {0, 1e-13, 1, INFINITY, false};
	ks_compare(&c, &fine, KS_FLOAT64, &y, &x, 1);
	assert_false(c.ok);
	uint16_t h[40], k[40];
	for (size_t i = 0; i < 40; i++) {
		ks_dtype_put(KS_FLOAT16, h, i, (double)i);
		ks_dtype_put(KS_FLOAT16, k, i, i == 33 ? 35 : (double)i);
	}
	ks_compare(&c, &loose, KS_FLOAT16, k, h, 40);
	assert_true(!c.ok && c.bad == 1 && c.worst == 33 && c.got == 35 && c.want == 33);
	uint8_t t[3] = {1, 0, 1}, f[3] = {1, 0, 0};
	ks_compare(&c, &exact, KS_BOOL, t, f, 3);
	assert_true(!c.ok && c.worst == 2);
	ks_compare(&c, &exact, KS_BOOL, t, f, 0);
	assert_true(c.ok && c.count == 0);
}

static void test_why(void **state)
{
	(void)state;
	struct ks_arg arg = {.name = "out", .rank = 2, .shape = {3, 8}, .count = 24,
		.tol = {1e-3, 0, 1, INFINITY, false}};
	float got[24] = {0}, want[24] = {0};
	struct ks_compare c;
	char text[200];
	got[15] = 0.25f;
	want[15] = 0.5f;
	ks_compare(&c, &arg.tol, KS_FLOAT32, got, want, 24);
	ks_compare_why(text, sizeof(text), &c, &arg);
	assert_string_equal(text, "1 of 24 elements of out differ; worst at [1,7]: 0.25, expected "
		"0.5 (allowed 0.001)");
	ks_compare_why(text, 12, &c, &arg);
	assert_string_equal(text, "1 of 24 ele");
	arg.tol.abs_tol = 1;
	arg.tol.error_cap = 0.1;
	ks_compare(&c, &arg.tol, KS_FLOAT32, got, want, 24);
	ks_compare_why(text, sizeof(text), &c, &arg);
	assert_string_equal(text, "out: an error of 0.25 is above the cap 0.1");
	arg.tol.error_cap = (double)INFINITY;
	ks_compare(&c, &arg.tol, KS_FLOAT32, got, want, 24);
	ks_compare_why(text, sizeof(text), &c, &arg);
	assert_string_equal(text, "out matches");
}

static void test_error_against_the_seed(void **state)
{
	(void)state;
	struct ks_compare seed = {.rms = 1e-6, .want_rms = 1, .count = 1 << 20}, cand = seed;
	cand.rms = 3e-6;
	assert_true(ks_compare_error_ok(&cand, &seed, KS_FLOAT32, 4));
	cand.rms = 5e-6;
	assert_false(ks_compare_error_ok(&cand, &seed, KS_FLOAT32, 4));
	seed.rms = 0; /* exact by luck: one rounding step is still allowed */
	cand.rms = 1e-7;
	assert_true(ks_compare_error_ok(&cand, &seed, KS_FLOAT32, 4));
	assert_false(ks_compare_error_ok(&cand, &seed, KS_FLOAT64, 4));
}

/* Few errors say little about the usual one. */
static void test_error_of_few_elements(void **state)
{
	(void)state;
	struct ks_compare seed = {.rms = 1e-6, .want_rms = 1}, cand = seed;
	cand.rms = 15e-6;
	cand.count = 1;
	assert_true(ks_compare_error_ok(&cand, &seed, KS_FLOAT32, 4));
	cand.count = 9;
	assert_false(ks_compare_error_ok(&cand, &seed, KS_FLOAT32, 4));
	cand.rms = 17e-6;
	cand.count = 1;
	assert_false(ks_compare_error_ok(&cand, &seed, KS_FLOAT32, 4));
}

static void test_spread(void **state)
{
	(void)state;
	float v[1000];
	struct ks_spread s;
	for (int i = 0; i < 1000; i++) {
		v[i] = i < 950 ? 5 : 6;
	}
	v[999] = NAN;
	ks_spread_of(&s, KS_FLOAT32, v, 1000);
	assert_true(s.min == 5 && s.max == 6 && s.nonfinite == 1);
	assert_true(fabs(s.common - 0.95) < 0.01 && fabs(s.mean - 5.049) < 1e-3);
	ks_spread_of(&s, KS_FLOAT32, v, 0);
	assert_true(s.count == 0 && s.min == 0 && s.common == 0);
}

static char *lint(const float *v, size_t n, double abs_tol)
{
	struct ks_arg arg = {.name = "out", .dtype = KS_FLOAT32, .rank = 1,
		.shape = {(int64_t)n}, .count = n, .tol = {abs_tol, 0, 1, INFINITY, false}};
	struct ks_err err = KS_ERR_INIT;
	char *note = NULL;
	assert_int_equal(ks_lint_output(&note, &arg, v, &err), 0);
	return note;
}

static void test_lint(void **state)
{
	(void)state;
	float v[1000];
	char *note;
	for (uint32_t i = 0; i < 1000; i++) {
		v[i] = 1 + uniform(i);
	}
	assert_null(lint(v, 1000, 1e-4));
	note = lint(v, 1000, 1e-3);
	assert_string_equal(note,
		"the tolerance of out is so loose that float16 results would pass");
	free(note);
	note = lint(v, 1000, 0.6);
	assert_non_null(strstr(note, "out hardly varies (1 to 2): a constant would pass"));
	free(note);
	for (uint32_t i = 0; i < 700; i++) {
		v[i] = 1e-4f * uniform(i);
	}
	note = lint(v, 1000, 1e-3);
	assert_string_equal(note,
		"70 % of out lie within the tolerance of 0: zeros would pass there");
	free(note);
	for (uint32_t i = 0; i < 950; i++) {
		v[i] = 3;
	}
	note = lint(v, 1000, 1e-3);
	assert_string_equal(note, "95 % of out have the same value");
	free(note);
}

static void test_reference_has_to_be_finite(void **state)
{
	(void)state;
	struct ks_arg arg = {.name = "lse", .dtype = KS_FLOAT32, .rank = 2, .shape = {2, 3},
		.count = 6, .tol = loose};
	struct ks_err err = KS_ERR_INIT;
	float v[6] = {1, 2, 3, 4, -INFINITY, 6};
	char *note = NULL;
	assert_int_equal(ks_lint_output(&note, &arg, v, &err), KS_EINVAL);
	assert_string_equal(err.msg, "the reference gives -inf for lse at [1,1]; change the "
		"scenario's inputs so that every value is finite");
	arg.tol.allow_negative_inf = true;
	assert_int_equal(ks_lint_output(&note, &arg, v, &err), 0);
	free(note);
	assert_int_equal(ks_lint_output(NULL, &arg, v, &err), 0);
	v[4] = 5;
	arg.tol.allow_negative_inf = false;
	assert_int_equal(ks_lint_output(NULL, &arg, v, &err), 0);
	v[4] = NAN;
	assert_int_equal(ks_lint_output(NULL, &arg, v, &err), KS_EINVAL);
	ks_err_clear(&err);
	assert_int_equal(ks_lint_output(&note, &arg, v, &err), KS_EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_rule),
		cmocka_unit_test(test_negative_infinity),
		cmocka_unit_test(test_exact_tolerance),
		cmocka_unit_test(test_match_ratio_and_cap),
		cmocka_unit_test(test_fast_path_is_the_rule),
		cmocka_unit_test(test_edge_is_decided_exactly),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_other_types),
		cmocka_unit_test(test_why),
		cmocka_unit_test(test_error_against_the_seed),
		cmocka_unit_test(test_error_of_few_elements),
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_lint),
		cmocka_unit_test(test_reference_has_to_be_finite),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
