/*
 * What a GPU makes and counts, run here from the same lines: groups of drawn
 * elements against whole tensors, short floats against the exact conversions,
 * split tallies against one comparison.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "eval/compare.h"
#include "eval/draw.h"
#include "eval/dtype.h"
#include "eval/generate.h"
#include "eval/tally.h"

#define COUNT 5003 /* neither a whole chunk nor a whole group */

static const struct ks_seed seed = {{0x01234567, 0x89abcdef, 0x0f1e2d3c, 0x4b5a6978}};

static void same_by_groups(enum ks_dtype dtype, enum ks_dist dist, enum ks_variant variant,
	double a, double b)
{
	struct ks_arg arg = {.kind = KS_ARG_INPUT, .dtype = dtype, .rank = 2,
		.shape = {COUNT / 13 + 1, 13}, .count = COUNT, .stream = 3,
		.gen = {.dist = dist, .variants = ~0u, .a = a, .b = b, .low = -7, .high = 90,
			.total = COUNT - 100}};
	struct ks_case c = {.id = 77, .args = &arg, .count = 1};
	struct ks_draw d;
	arg.bytes = COUNT * ks_dtype_size(dtype);
	unsigned char *whole = calloc(1, arg.bytes), *parts = calloc(1, arg.bytes);
	ks_generate(&c, &arg, &seed, 5, variant, whole);
	assert_true(ks_draw_init(&d, &c, &arg, &seed, 5, variant));
	for (uint64_t g = (COUNT + 3) / 4; g > 0; g--) {
		ks_draw_group(parts, &d, g - 1);
	}
	if (memcmp(whole, parts, arg.bytes) != 0) {
		fail_msg("%s, distribution %d, variant %d differ", ks_dtype_name(dtype), (int)dist,
			(int)variant);
	}
	free(whole);
	free(parts);
}

static void test_groups_equal_tensors(void **state)
{
	(void)state;
	for (int t = KS_FLOAT32; t <= KS_FLOAT8_E5M2; t++) {
		for (int v = KS_PLAIN; v < KS_VARIANT_COUNT; v++) {
			enum ks_dtype dtype = (enum ks_dtype)t;
			same_by_groups(dtype, KS_DIST_NORMAL, (enum ks_variant)v, 0.25, 1.5);
			same_by_groups(dtype, KS_DIST_NORMAL, (enum ks_variant)v, 0, 60000);
			same_by_groups(dtype, KS_DIST_UNIFORM, (enum ks_variant)v, -3, 2);
		}
	}
	for (int t = KS_FLOAT32; t < KS_DTYPE_COUNT; t++) {
		same_by_groups((enum ks_dtype)t, KS_DIST_INTEGERS, KS_PLAIN, 0, 0);
	}
	same_by_groups(KS_INT32, KS_DIST_PERMUTATION, KS_PLAIN, 0, 0);
	same_by_groups(KS_INT64, KS_DIST_PAGE_TABLE, KS_PLAIN, 0, 0);
}

static void test_wide_integers(void **state)
{
	(void)state;
	static const int64_t ranges[][2] = {{INT64_MIN, INT64_MAX}, {-5, INT64_MAX / 3}};
	for (int r = 0; r < 2; r++) {
		int64_t whole[103], parts[103];
		struct ks_arg arg = {.kind = KS_ARG_INPUT, .dtype = KS_INT64, .rank = 1,
			.shape = {103}, .count = 103, .bytes = sizeof(whole),
			.gen = {.dist = KS_DIST_INTEGERS, .low = ranges[r][0],
				.high = ranges[r][1]}};
		struct ks_case c = {.id = 1, .args = &arg, .count = 1};
		struct ks_draw d;
		ks_generate(&c, &arg, &seed, 1, KS_PLAIN, whole);
		assert_true(ks_draw_init(&d, &c, &arg, &seed, 1, KS_PLAIN));
		for (uint64_t g = 0; g < 26; g++) {
			ks_draw_group(parts, &d, g);
		}
		assert_memory_equal(whole, parts, sizeof(whole));
	}
}

static void test_lists_are_not_drawn(void **state)
{
	(void)state;
	static const enum ks_dist lists[] = {KS_DIST_CONSTANT, KS_DIST_ARANGE, KS_DIST_OFFSETS,
		KS_DIST_ONE_HOT, KS_DIST_ZEROS, KS_DIST_VALUES};
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct ks_arg arg = {.kind = KS_ARG_INPUT, .dtype = KS_INT32, .count = 4,
			.gen = {.dist = lists[i]}};
		struct ks_case c = {.id = 1, .args = &arg, .count = 1};
		struct ks_draw d;
		assert_false(ks_draw_init(&d, &c, &arg, &seed, 0, KS_PLAIN));
	}
}

/* Every code of the 8-bit floats, and what lies at, between and beside them. */
static void test_short_floats(void **state)
{
	(void)state;
	static const enum ks_dtype types[] = {KS_FLOAT8_E4M3FN, KS_FLOAT8_E5M2};
	for (int t = 0; t < 2; t++) {
		for (unsigned code = 0; code < 256; code++) {
			uint8_t raw = (uint8_t)code;
			double exact = ks_dtype_get(types[t], &raw, 0);
			double bits = ks_quarter_value(types[t], raw);
			assert_true(exact == bits || (exact != exact && bits != bits));
		}
		for (uint32_t i = 0; i < 1u << 20; i++) {
			uint32_t w[4];
			ks_draw_block(w, seed.key, i, KS_FOR_VALUE);
			/* all exponents, and ties: few bits behind the kept ones */
			uint32_t bits = i % 2 == 0 ? w[0] : w[0] & 0xFFF80000u;
			bits = i % 4 < 2 ? bits : (bits & 0x807FFFFFu) | (110u + w[1] % 36) << 23;
			float f = ks_float_of(bits);
			uint8_t exact, got = ks_quarter_bits(types[t], f);
			ks_dtype_put(types[t], &exact, 0, f);
			if (exact != got) {
				fail_msg("%s of %a: %02x, not %02x", ks_dtype_name(types[t]),
					(double)f, got, exact);
			}
		}
	}
}

static void test_elements(void **state)
{
	(void)state;
	unsigned char one[8], two[8];
	static const double values[] = {0, -0.0, 1, -1, 0.1, 3.5, 2.5, 127.5, 255.4, 1e6, -300};
	for (int t = 0; t < KS_DTYPE_COUNT; t++) {
		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			enum ks_dtype dtype = (enum ks_dtype)t;
			memset(one, 0, sizeof(one));
			memset(two, 0, sizeof(two));
			ks_dtype_put(dtype, one, 0, (float)values[i]);
			ks_element_put(dtype, two, 0, (float)values[i]);
			assert_memory_equal(one, two, 8);
			assert_true(ks_dtype_get(dtype, one, 0) == ks_element(dtype, one, 0));
			assert_int_equal(ks_dtype_size(dtype), ks_size_of(dtype));
		}
		if (ks_dtype_is_float((enum ks_dtype)t) && ks_dtype_size((enum ks_dtype)t) < 4) {
			assert_true((double)ks_short_max((enum ks_dtype)t) ==
				ks_dtype_max((enum ks_dtype)t));
		}
	}
}

/* The way of a GPU: strided parts, then merged. */
static void test_tallies_merge(void **state)
{
	(void)state;
	static float got[4000], want[4000];
	struct ks_tolerance tol = {.abs_tol = 1e-3, .rel_tol = 1e-2, .match_ratio = 0.9,
		.error_cap = (double)INFINITY};
	struct ks_rule rule = {tol.abs_tol, tol.rel_tol, false};
	for (int trial = 0; trial < 20; trial++) {
		for (uint32_t i = 0; i < 4000; i++) {
			uint32_t w[4];
			ks_draw_block(w, seed.key, (uint64_t)trial << 32 | i, KS_FOR_VALUE);
			want[i] = ks_uniform_of(w[0], -2, 4);
			got[i] = want[i] + (trial == 0 ? 0 : ks_uniform_of(w[1], 0, 0.02f));
			got[i] = trial % 5 == 4 && w[2] % 512 == 0 ? (float)NAN : got[i];
		}
		struct ks_compare once, split;
		struct ks_tally all = {0};
		ks_compare(&once, &tol, KS_FLOAT32, got, want, 4000);
		for (uint64_t lane = 0; lane < 96; lane++) {
			struct ks_tally t = {0};
			for (uint64_t i = lane; i < 4000; i += 96) {
				ks_tally_element(&t, &rule, KS_FLOAT32, got, want, i);
			}
			ks_tally_merge(&all, &t);
		}
		ks_compare_finish(&split, &all, &tol);
		assert_int_equal(once.ok, split.ok);
		assert_int_equal(once.count, split.count);
		assert_int_equal(once.bad, split.bad);
		assert_int_equal(once.nonfinite, split.nonfinite);
		assert_int_equal(once.worst, split.worst);
		assert_true(once.max_abs == split.max_abs);
		assert_true(once.error_ratio == split.error_ratio);
		assert_true(fabs(once.rms - split.rms) <= 1e-6 * once.rms);
		assert_true(fabs(once.want_rms - split.want_rms) <= 1e-6 * once.want_rms);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_groups_equal_tensors),
		cmocka_unit_test(test_wide_integers),
		cmocka_unit_test(test_lists_are_not_drawn),
		cmocka_unit_test(test_short_floats),
		cmocka_unit_test(test_elements),
		cmocka_unit_test(test_tallies_merge),
	};
	return cmocka_run_group_tests_name("draw", tests, NULL, NULL);
}
