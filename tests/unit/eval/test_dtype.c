/* Element types: codes, exact conversions, the fast paths against the slow. */
#include "eval/dtype.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_codes_are_the_interface(void **state)
{
	(void)state;
	static const char *const names[] = {"float32", "float64", "float16", "bfloat16",
		"float8_e4m3fn", "float8_e5m2", "int8", "uint8", "int32", "int64", "bool"};
	static const size_t sizes[] = {4, 8, 2, 2, 1, 1, 1, 1, 4, 8, 1};
	for (int i = 0; i < KS_DTYPE_COUNT; i++) {
		enum ks_dtype d;
		assert_string_equal(ks_dtype_name((enum ks_dtype)i), names[i]);
		assert_true(ks_dtype_parse(&d, names[i]));
		assert_int_equal(d, i);
		assert_int_equal(ks_dtype_size(d), sizes[i]);
	}
	enum ks_dtype kept = KS_INT8;
	assert_false(ks_dtype_parse(&kept, "float4"));
	assert_int_equal(kept, KS_INT8);
}

static void test_known_values(void **state)
{
	(void)state;
	static const struct {
		enum ks_dtype dtype;
		unsigned code;
		double value;
	} known[] = {
		{KS_FLOAT16, 0x3C00, 1}, {KS_FLOAT16, 0x7BFF, 65504},
		{KS_FLOAT16, 0x0001, 0x1p-24}, {KS_FLOAT16, 0x0400, 0x1p-14},
		{KS_FLOAT16, 0xC000, -2}, {KS_BFLOAT16, 0x3F80, 1},
		{KS_BFLOAT16, 0x7F7F, 0x1.FEp127}, {KS_BFLOAT16, 0x0001, 0x1p-133},
		{KS_FLOAT8_E4M3FN, 0x38, 1}, {KS_FLOAT8_E4M3FN, 0x7E, 448},
		{KS_FLOAT8_E4M3FN, 0x01, 0x1p-9}, {KS_FLOAT8_E5M2, 0x3C, 1},
		{KS_FLOAT8_E5M2, 0x7B, 57344}, {KS_FLOAT8_E5M2, 0x01, 0x1p-16},
	};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		uint16_t raw = (uint16_t)known[i].code, back = 0;
		assert_true(ks_dtype_get(known[i].dtype, &raw, 0) == known[i].value);
		ks_dtype_put(known[i].dtype, &back, 0, known[i].value);
		assert_int_equal(back, raw);
	}
}

static void test_overflow_and_nan(void **state)
{
	(void)state;
	uint16_t h = 0;
	unsigned char b = 0;
	ks_dtype_put(KS_FLOAT16, &h, 0, 65520);
	assert_int_equal(h, 0x7C00);
	ks_dtype_put(KS_FLOAT16, &h, 0, 65519.9);
	assert_int_equal(h, 0x7BFF);
	ks_dtype_put(KS_FLOAT8_E4M3FN, &b, 0, 1e9);
	assert_int_equal(b, 0x7E);
	ks_dtype_put(KS_FLOAT8_E5M2, &b, 0, -1e9);
	assert_int_equal(b, 0xFB);
	b = 0x7C;
	assert_true(isinf(ks_dtype_get(KS_FLOAT8_E5M2, &b, 0)));
	b = 0x7F;
	assert_true(isnan(ks_dtype_get(KS_FLOAT8_E4M3FN, &b, 0)));
	ks_dtype_put(KS_INT8, &b, 0, 300);
	assert_int_equal((int8_t)b, 127);
	ks_dtype_put(KS_UINT8, &b, 0, -3);
	assert_int_equal(b, 0);
	int64_t wide = 0;
	ks_dtype_put(KS_INT64, &wide, 0, 1e300);
	assert_true(wide == INT64_MAX);
	ks_dtype_put(KS_INT64, &wide, 0, (double)NAN);
	assert_true(wide == 0);
}

/* Every 16-bit code: decoding fast and slow agree, and encoding gives it back. */
static void test_all_16_bit_codes(void **state)
{
	(void)state;
	static const enum ks_dtype types[] = {KS_FLOAT16, KS_BFLOAT16};
	for (size_t t = 0; t < 2; t++) {
		for (unsigned code = 0; code < 65536; code++) {
			uint16_t raw = (uint16_t)code, fast, slow;
			float f;
			double d = ks_dtype_get(types[t], &raw, 0);
			ks_dtype_to_float(types[t], &f, &raw, 1);
			assert_true(isnan(d) ? isnan(f) : (double)f == d);
			if (isnan(d)) {
				continue;
			}
			ks_dtype_from_float(types[t], &fast, &f, 1);
			ks_dtype_put(types[t], &slow, 0, d);
			assert_int_equal(fast, raw);
			assert_int_equal(slow, raw);
		}
	}
}

/* Between neighbours: halfway goes to the even code, fast and slow alike. */
static void test_rounding_of_16_bit(void **state)
{
	(void)state;
	static const enum ks_dtype types[] = {KS_FLOAT16, KS_BFLOAT16};
	static const unsigned last[] = {0x7BFE, 0x7F7E};
	for (size_t t = 0; t < 2; t++) {
		for (unsigned code = 0; code <= last[t]; code++) {
			uint16_t a = (uint16_t)code, b = (uint16_t)(code + 1), got, slow;
			double low = ks_dtype_get(types[t], &a, 0);
			double high = ks_dtype_get(types[t], &b, 0);
			float mid = (float)((low + high) / 2);
			float above = nextafterf(mid, INFINITY);
			ks_dtype_from_float(types[t], &got, &mid, 1);
			ks_dtype_put(types[t], &slow, 0, mid);
			assert_int_equal(got, code % 2 == 0 ? a : b);
			assert_int_equal(slow, got);
			ks_dtype_from_float(types[t], &got, &above, 1);
			assert_int_equal(got, b);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_codes_are_the_interface),
		cmocka_unit_test(test_known_values),
		cmocka_unit_test(test_overflow_and_nan),
		cmocka_unit_test(test_all_16_bit_codes),
		cmocka_unit_test(test_rounding_of_16_bit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
