/*
 * Contents: the same four numbers give the same bytes (pinned, so that another
 * machine, compiler or optimisation that differs is seen), parts equal the
 * whole, distributions have their moments, structure holds, variants bend as
 * they are described.
 */
#include "eval/generate.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/mem.h"
#include "eval/philox.h"

#define COUNT 60000

static const struct ks_seed seed = {{0x01234567, 0x89abcdef, 0x0f1e2d3c, 0x4b5a6978}};
static const struct ks_case scenario = {.id = 42};

static struct ks_arg tensor(enum ks_dtype dtype, enum ks_dist dist)
{
	return (struct ks_arg){.name = "x", .kind = KS_ARG_INPUT, .dtype = dtype, .count = COUNT,
		.bytes = COUNT * ks_dtype_size(dtype), .rank = 2, .shape = {COUNT / 60, 60},
		.gen = {.dist = dist, .b = 1, .high = 7, .total = COUNT,
			.variants = (1u << KS_VARIANT_COUNT) - 2}};
}

static void *made(const struct ks_arg *arg, uint64_t call, enum ks_variant variant)
{
	void *out = ks_zalloc(arg->count + 1, ks_dtype_size(arg->dtype));
	ks_generate(&scenario, arg, &seed, call, variant, out);
	return out;
}

struct moments {
	double mean, std, kurtosis, min, max;
};

static struct moments moments_of(const struct ks_arg *arg, const void *v)
{
	struct moments m = {.min = (double)INFINITY, .max = -(double)INFINITY};
	double n = (double)arg->count, square = 0, fourth = 0;
	for (size_t i = 0; i < arg->count; i++) {
		double x = ks_dtype_get(arg->dtype, v, i);
		m.mean += x / n;
		m.min = x < m.min ? x : m.min;
		m.max = x > m.max ? x : m.max;
	}
	for (size_t i = 0; i < arg->count; i++) {
		double d = ks_dtype_get(arg->dtype, v, i) - m.mean;
		square += d * d / n;
		fourth += d * d * d * d / n;
	}
	m.std = sqrt(square);
	m.kurtosis = square > 0 ? fourth / (square * square) : 0;
	return m;
}

static void test_seed_from_hex(void **state)
{
	(void)state;
	struct ks_seed s = {{9, 9, 9, 9}};
	struct ks_err err = KS_ERR_INIT;
	assert_int_equal(ks_seed_parse(&s, "0123456789abcdef0F1E2D3C4b5a6978", &err), 0);
	assert_memory_equal(&s, &seed, sizeof(s));
	assert_int_equal(ks_seed_parse(&s, "0123", &err), KS_EINVAL);
	assert_string_equal(err.msg, "key: not 32 hexadecimal digits; pass 128 random bits in "
		"hexadecimal");
	assert_int_equal(ks_seed_parse(&s, "0123456789abcdef0F1E2D3C4b5a69780", &err), KS_EINVAL);
	assert_int_equal(ks_seed_parse(&s, "0123456789abcdeg0F1E2D3C4b5a6978", &err), KS_EINVAL);
	assert_memory_equal(&s, &seed, sizeof(s));
}

/* The bytes themselves. They may only change with a new format of problems. */
static void test_bytes_are_pinned(void **state)
{
	(void)state;
	static const struct {
		enum ks_dtype dtype;
		enum ks_dist dist;
		enum ks_variant variant;
		const char *hash;
	} pinned[] = {
		{KS_FLOAT32, KS_DIST_NORMAL, KS_PLAIN, "522b55679594c73d"},
		{KS_FLOAT32, KS_DIST_UNIFORM, KS_PLAIN, "2c8bf5a990e6efbb"},
		{KS_FLOAT64, KS_DIST_NORMAL, KS_PLAIN, "ba2d32d28ee73a96"},
		{KS_FLOAT16, KS_DIST_NORMAL, KS_PLAIN, "c97b4294877953c4"},
		{KS_BFLOAT16, KS_DIST_NORMAL, KS_OUTLIERS, "10fb5fcb5d5f794a"},
		{KS_FLOAT8_E4M3FN, KS_DIST_NORMAL, KS_PLAIN, "8b5b033203c5b2a4"},
		{KS_INT32, KS_DIST_INTEGERS, KS_PLAIN, "62c97156342e0a4e"},
		{KS_INT64, KS_DIST_PERMUTATION, KS_PLAIN, "e126c1de4baf8b5f"},
		{KS_FLOAT32, KS_DIST_NORMAL, KS_MIXED_ROWS, "6c957c25ccf178d7"},
		{KS_FLOAT32, KS_DIST_NORMAL, KS_STRUCTURED, "5ad62d8b0baa7752"},
	};
	for (size_t i = 0; i < sizeof(pinned) / sizeof(pinned[0]); i++) {
		struct ks_arg arg = tensor(pinned[i].dtype, pinned[i].dist);
		char hex[KS_HASH_HEX];
		void *v = made(&arg, 7, pinned[i].variant);
		ks_hash_of(v, arg.bytes, hex);
		hex[16] = '\0';
		assert_string_equal(hex, pinned[i].hash);
		free(v);
	}
}

/* The documented way from (key, scenario, tensor, call, index) to a value, done
 * here with the plain generator and the C library's functions. */
static void test_documented_formula(void **state)
{
	(void)state;
	struct ks_arg arg = tensor(KS_FLOAT32, KS_DIST_NORMAL);
	float *v = made(&arg, 7, KS_PLAIN);
	uint32_t of_case[2], key[2];
	double worst = 0;
	ks_philox_derive(of_case, seed.key, (uint64_t)seed.key[3] << 32 | seed.key[2],
		scenario.id);
	ks_philox_derive(key, of_case, arg.stream, 7);
	for (size_t i = 0; i < COUNT; i++) {
		uint32_t counter[4] = {(uint32_t)(i / 4), 0, 0, 0}, w[4];
		ks_philox(key, counter, w);
		uint32_t first = w[i % 4 & 2], second = w[(i % 4 & 2) + 1];
		double r = sqrt(-2 * log(((first >> 8) + 1) * 0x1p-24));
		double quarter = second >> 30, rest = (second >> 6 & 0xFFFFFF) * 0x1p-24 - 0.5;
		double turn = (quarter + rest) * 1.5707963267948966;
		double want = r * (i % 2 == 0 ? cos(turn) : sin(turn));
		worst = fmax(worst, fabs(want - (double)v[i]));
	}
	assert_true(worst < 2e-6);
	free(v);
}

static void test_parts_equal_the_whole(void **state)
{
	(void)state;
	static const struct {
		enum ks_dtype dtype;
		enum ks_dist dist;
		enum ks_variant variant;
	} kinds[] = {
		{KS_FLOAT32, KS_DIST_NORMAL, KS_PLAIN}, {KS_FLOAT32, KS_DIST_NORMAL, KS_OUTLIERS},
		{KS_FLOAT32, KS_DIST_NORMAL, KS_MIXED_ROWS},
		{KS_FLOAT32, KS_DIST_NORMAL, KS_STRUCTURED},
		{KS_FLOAT32, KS_DIST_NORMAL, KS_ILL_CONDITIONED},
		{KS_FLOAT64, KS_DIST_UNIFORM, KS_PLAIN}, {KS_FLOAT16, KS_DIST_NORMAL, KS_PLAIN},
		{KS_INT8, KS_DIST_INTEGERS, KS_PLAIN}, {KS_INT64, KS_DIST_PERMUTATION, KS_PLAIN},
		{KS_FLOAT32, KS_DIST_ONE_HOT, KS_PLAIN}, {KS_INT32, KS_DIST_ARANGE, KS_PLAIN},
		{KS_INT32, KS_DIST_OFFSETS, KS_PLAIN},
	};
	static const uint64_t cuts[][2] = {{0, 1}, {1, 1}, {3, 4099}, {2047, 2}, {4096, 4096},
		{59997, 3}, {17, 59000}};
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		struct ks_arg arg = tensor(kinds[k].dtype, kinds[k].dist);
		size_t size = ks_dtype_size(arg.dtype);
		unsigned char *whole = made(&arg, 3, kinds[k].variant);
		unsigned char *part = ks_alloc((COUNT + 8) * 8);
		for (size_t c = 0; c < sizeof(cuts) / sizeof(cuts[0]); c++) {
			size_t bytes = cuts[c][1] * size;
			memset(part, 0xEE, bytes + 8);
			ks_generate_part(&scenario, &arg, &seed, 3, kinds[k].variant, cuts[c][0],
				cuts[c][1], part);
			assert_memory_equal(part, whole + cuts[c][0] * size, bytes);
			assert_int_equal(part[bytes], 0xEE);
		}
		free(whole);
		free(part);
	}
}

/* A change of key, scenario, tensor or call changes everything; `fixed` leaves
 * the call out. */
static void test_what_the_bytes_depend_on(void **state)
{
	(void)state;
	struct ks_arg arg = tensor(KS_FLOAT32, KS_DIST_NORMAL), other = arg, fixed = arg;
	struct ks_case elsewhere = {.id = 43};
	struct ks_seed late = seed;
	float *base = made(&arg, 1, KS_PLAIN), *v[5];
	other.stream = 1;
	fixed.gen.fixed = true;
	late.key[3] ^= 1;
	v[0] = made(&arg, 2, KS_PLAIN);
	v[1] = made(&other, 1, KS_PLAIN);
	v[2] = ks_zalloc(COUNT, 4);
	ks_generate(&elsewhere, &arg, &seed, 1, KS_PLAIN, v[2]);
	v[3] = ks_zalloc(COUNT, 4);
	ks_generate(&scenario, &arg, &late, 1, KS_PLAIN, v[3]);
	v[4] = made(&fixed, 1, KS_PLAIN);
	for (int k = 0; k < 5; k++) {
		size_t equal = 0;
		double product = 0;
		for (size_t i = 0; i < COUNT; i++) {
			equal += base[i] == v[k][i];
			product += (double)base[i] * (double)v[k][i] / COUNT;
		}
		assert_true(equal < 10);
		assert_true(fabs(product) < 0.02);
	}
	float *again = made(&fixed, 99, KS_PLAIN);
	assert_memory_equal(again, v[4], COUNT * 4);
	for (int k = 0; k < 5; k++) {
		free(v[k]);
	}
	free(again);
	free(base);
}

static void test_moments(void **state)
{
	(void)state;
	static const enum ks_dtype types[] = {KS_FLOAT32, KS_FLOAT64, KS_FLOAT16, KS_BFLOAT16};
	for (size_t t = 0; t < 4; t++) {
		struct ks_arg arg = tensor(types[t], KS_DIST_NORMAL);
		arg.gen.a = 3;
		arg.gen.b = 2;
		void *v = made(&arg, 1, KS_PLAIN);
		struct moments m = moments_of(&arg, v);
		assert_true(fabs(m.mean - 3) < 0.04 && fabs(m.std - 2) < 0.03);
		assert_true(fabs(m.kurtosis - 3) < 0.1 && m.max < 3 + 12 && m.max > 3 + 7);
		free(v);
		arg.gen.dist = KS_DIST_UNIFORM;
		arg.gen.a = -1;
		arg.gen.b = 3;
		v = made(&arg, 1, KS_PLAIN);
		m = moments_of(&arg, v);
		assert_true(fabs(m.mean - 1) < 0.03 && fabs(m.std - 4 / sqrt(12)) < 0.02);
		assert_true(m.min >= -1 && m.max <= 3 && fabs(m.kurtosis - 1.8) < 0.05);
		free(v);
	}
}

/* Kolmogorov and Smirnov against the normal distribution, and no correlation of
 * the two numbers that come from one pair of words. */
static int by_value(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;
	return (x > y) - (x < y);
}

static void test_normal_is_normal(void **state)
{
	(void)state;
	struct ks_arg arg = tensor(KS_FLOAT32, KS_DIST_NORMAL);
	float *v = made(&arg, 5, KS_PLAIN);
	double worst = 0, along = 0, squares = 0;
	for (size_t i = 0; i + 1 < COUNT; i += 2) {
		along += (double)v[i] * (double)v[i + 1] / (COUNT / 2);
		squares += ((double)v[i] * v[i] - 1) * ((double)v[i + 1] * v[i + 1] - 1) /
			(COUNT / 2);
	}
	assert_true(fabs(along) < 0.025 && fabs(squares) < 0.05);
	qsort(v, COUNT, sizeof(v[0]), by_value);
	for (size_t i = 0; i < COUNT; i++) {
		double want = 0.5 * erfc(-(double)v[i] / sqrt(2));
		double gap = fabs(((double)i + 0.5) / COUNT - want);
		worst = gap > worst ? gap : worst;
	}
	assert_true(worst < 1.63 / sqrt(COUNT)); /* the 1 % point */
	free(v);
}

static void test_integers(void **state)
{
	(void)state;
	static const enum ks_dtype types[] = {KS_INT32, KS_INT64, KS_INT8, KS_FLOAT32};
	for (size_t t = 0; t < 4; t++) {
		struct ks_arg arg = tensor(types[t], KS_DIST_INTEGERS);
		size_t seen[5] = {0};
		arg.gen.low = -2;
		arg.gen.high = 2;
		void *v = made(&arg, 1, KS_PLAIN);
		for (size_t i = 0; i < COUNT; i++) {
			double x = ks_dtype_get(types[t], v, i);
			assert_true(x == floor(x) && x >= -2 && x <= 2);
			seen[(int)x + 2]++;
		}
		for (int k = 0; k < 5; k++) {
			assert_true(seen[k] > COUNT / 5 - 600 && seen[k] < COUNT / 5 + 600);
		}
		free(v);
	}
	struct ks_arg wide = tensor(KS_INT64, KS_DIST_INTEGERS);
	wide.gen.low = INT64_MIN;
	wide.gen.high = INT64_MAX;
	int64_t *v = made(&wide, 1, KS_PLAIN);
	size_t negative = 0;
	for (size_t i = 0; i < COUNT; i++) {
		negative += v[i] < 0;
	}
	assert_true(negative > COUNT / 2 - 800 && negative < COUNT / 2 + 800);
	free(v);
}

static void test_permutation(void **state)
{
	(void)state;
	static const uint64_t sizes[] = {1, 2, 3, 4, 5, 17, 64, 1000, 4096, 60000};
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		struct ks_arg arg = tensor(KS_INT32, KS_DIST_PERMUTATION);
		arg.count = sizes[s];
		arg.gen.total = (int64_t)sizes[s];
		int32_t *v = made(&arg, 1, KS_PLAIN);
		unsigned char *seen = ks_zalloc(sizes[s], 1);
		size_t fixed_points = 0;
		for (size_t i = 0; i < sizes[s]; i++) {
			assert_true(v[i] >= 0 && (uint64_t)v[i] < sizes[s]);
			assert_int_equal(seen[v[i]], 0);
			seen[v[i]] = 1;
			fixed_points += (size_t)v[i] == i;
		}
		assert_true(sizes[s] < 64 || fixed_points < 12);
		free(seen);
		free(v);
	}
}

/* All six orders of three come up about equally often over calls. */
static void test_permutations_differ(void **state)
{
	(void)state;
	struct ks_arg arg = tensor(KS_INT32, KS_DIST_PERMUTATION);
	int seen[27] = {0}, orders = 0;
	arg.count = 3;
	arg.gen.total = 3;
	for (uint64_t call = 0; call < 1200; call++) {
		int32_t *v = made(&arg, call, KS_PLAIN);
		seen[v[0] * 9 + v[1] * 3 + v[2]]++;
		free(v);
	}
	for (int i = 0; i < 27; i++) {
		orders += seen[i] > 0;
		assert_true(seen[i] == 0 || (seen[i] > 120 && seen[i] < 280));
	}
	assert_int_equal(orders, 6);
}

static void test_page_table(void **state)
{
	(void)state;
	struct ks_arg arg = tensor(KS_INT32, KS_DIST_PAGE_TABLE);
	arg.count = 12;
	arg.gen.total = 5;
	int32_t *v = made(&arg, 1, KS_PLAIN);
	for (int i = 0; i < 12; i++) {
		assert_true(v[i] >= 0 && v[i] < 5);
		assert_int_equal(v[i], v[i % 5]);
	}
	free(v);
}

static void test_offsets(void **state)
{
	(void)state;
	static const struct {
		uint64_t pieces;
		int64_t total, low, high;
	} table[] = {
		{1, 10, 0, 10}, {7, 1000, 0, 1000}, {7, 1000, 100, 200}, {50, 3, 0, 3},
		{8, 64, 8, 8}, {3, 0, 0, 0}, {1000, 100000, 1, 101}, {0, 0, 0, 0},
		{4000, 4000000, 0, 1001},
	};
	for (size_t k = 0; k < sizeof(table) / sizeof(table[0]); k++) {
		struct ks_arg arg = tensor(KS_INT64, KS_DIST_OFFSETS);
		arg.count = table[k].pieces + 1;
		arg.gen.total = table[k].total;
		arg.gen.low = table[k].low;
		arg.gen.high = table[k].high;
		int64_t *v = made(&arg, 1, KS_PLAIN);
		assert_int_equal(v[0], 0);
		assert_int_equal(v[table[k].pieces], table[k].total);
		for (uint64_t i = 0; i < table[k].pieces; i++) {
			assert_true(v[i + 1] - v[i] >= table[k].low);
			assert_true(v[i + 1] - v[i] <= table[k].high);
		}
		free(v);
	}
}

static void test_simple_kinds(void **state)
{
	(void)state;
	struct ks_arg arg = tensor(KS_FLOAT32, KS_DIST_CONSTANT);
	arg.gen.a = 2.5;
	float *v = made(&arg, 1, KS_PLAIN);
	for (size_t i = 0; i < COUNT; i++) {
		assert_true(v[i] == 2.5f);
	}
	assert_true(v[COUNT] == 0);
	free(v);
	arg = tensor(KS_INT32, KS_DIST_ARANGE);
	arg.gen.a = 5;
	arg.gen.b = 3;
	int32_t *w = made(&arg, 1, KS_PLAIN);
	assert_true(w[0] == 5 && w[1] == 8 && w[COUNT - 1] == 5 + 3 * (COUNT - 1));
	free(w);
	arg = tensor(KS_UINT8, KS_DIST_ONE_HOT);
	uint8_t *h = made(&arg, 1, KS_PLAIN);
	size_t at_first = 0;
	for (size_t row = 0; row < COUNT / 60; row++) {
		size_t ones = 0;
		for (size_t i = 0; i < 60; i++) {
			assert_true(h[row * 60 + i] <= 1);
			ones += h[row * 60 + i];
		}
		assert_int_equal(ones, 1);
		at_first += h[row * 60];
	}
	assert_true(at_first > 3 && at_first < 40);
	free(h);
	static const double list[] = {1, -2, 3};
	arg = tensor(KS_INT8, KS_DIST_VALUES);
	arg.count = 3;
	arg.gen.values = list;
	int8_t *l = made(&arg, 1, KS_PLAIN);
	assert_true(l[0] == 1 && l[1] == -2 && l[2] == 3 && l[3] == 0);
	free(l);
	arg = tensor(KS_FLOAT32, KS_DIST_ZEROS);
	v = made(&arg, 1, KS_PLAIN);
	assert_true(moments_of(&arg, v).max == 0);
	free(v);
}

static void test_variants(void **state)
{
	(void)state;
	struct ks_arg arg = tensor(KS_FLOAT32, KS_DIST_NORMAL);
	double shifted = 0, scaled_low = 10, scaled_high = 0;
	for (uint64_t call = 0; call < 40; call++) {
		void *v = made(&arg, call, KS_SHIFTED);
		struct moments m = moments_of(&arg, v);
		assert_true(fabs(m.mean) > 0.45 && fabs(m.mean) < 2.1);
		shifted += m.mean / 40;
		free(v);
		v = made(&arg, call, KS_SCALED);
		m = moments_of(&arg, v);
		scaled_low = m.std < scaled_low ? m.std : scaled_low;
		scaled_high = m.std > scaled_high ? m.std : scaled_high;
		free(v);
	}
	assert_true(fabs(shifted) < 0.8); /* to both sides */
	assert_true(scaled_low < 0.13 && scaled_high > 7.8);
	void *v = made(&arg, 1, KS_OUTLIERS);
	struct moments m = moments_of(&arg, v);
	assert_true(m.kurtosis > 20 && m.max > 20);
	free(v);
	v = made(&arg, 1, KS_MIXED_ROWS);
	assert_true(moments_of(&arg, v).kurtosis > 6);
	free(v);
	float *s = made(&arg, 1, KS_STRUCTURED);
	double product = 0;
	for (size_t i = 0; i < 60; i++) {
		product += (double)s[i] * (double)s[60 + i] / 60;
	}
	assert_true(product > 0.4); /* rows resemble each other */
	free(s);
	float *ill = made(&arg, 1, KS_ILL_CONDITIONED);
	double sum = 0, size = 0;
	for (size_t i = 0; i < COUNT; i++) {
		sum += (double)ill[i];
		size += fabs((double)ill[i]);
	}
	assert_true(fabs(sum) < 1e-4 * size);
	free(ill);
	arg.gen.variants = 0;
	void *a = made(&arg, 1, KS_PLAIN), *b = made(&arg, 1, KS_OUTLIERS);
	assert_memory_equal(a, b, arg.bytes);
	free(a);
	free(b);
}

/* Inputs stay finite whatever the variant and however narrow the type. */
static void test_everything_is_finite(void **state)
{
	(void)state;
	static const enum ks_dtype types[] = {KS_FLOAT16, KS_BFLOAT16, KS_FLOAT8_E4M3FN,
		KS_FLOAT8_E5M2};
	for (size_t t = 0; t < 4; t++) {
		for (int k = 0; k < KS_VARIANT_COUNT; k++) {
			struct ks_arg arg = tensor(types[t], KS_DIST_NORMAL);
			arg.gen.b = 30000;
			void *v = made(&arg, 1, (enum ks_variant)k);
			for (size_t i = 0; i < COUNT; i++) {
				assert_true(isfinite(ks_dtype_get(types[t], v, i)));
			}
			free(v);
		}
	}
}

static void test_all_of_a_case(void **state)
{
	(void)state;
	struct ks_err err = KS_ERR_INIT;
	struct ks_problem *p = NULL;
	struct ks_case *c = NULL;
	assert_int_equal(ks_problem_load(&p, STENCIL_DIR, &err), 0);
	assert_int_equal(ks_case_new(&c, p, 2, &err), 0);
	unsigned char *base = ks_alloc(c->total_bytes);
	memset(base, 0xA5, c->total_bytes);
	ks_generate_all(c, &seed, 3, KS_PLAIN, base);
	const struct ks_arg *grid = ks_case_arg(c, "grid");
	float *alone = ks_alloc(grid->bytes);
	ks_generate(c, grid, &seed, 3, KS_PLAIN, alone);
	assert_memory_equal(base + grid->offset, alone, grid->bytes);
	for (uint64_t i = grid->offset + grid->bytes; i < c->total_bytes; i++) {
		assert_int_equal(base[i], 0xA5);
	}
	free(alone);
	free(base);
	ks_case_free(c);
	ks_problem_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_seed_from_hex),
		cmocka_unit_test(test_bytes_are_pinned),
		cmocka_unit_test(test_documented_formula),
		cmocka_unit_test(test_parts_equal_the_whole),
		cmocka_unit_test(test_what_the_bytes_depend_on),
		cmocka_unit_test(test_moments),
		cmocka_unit_test(test_normal_is_normal),
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_permutation),
		cmocka_unit_test(test_permutations_differ),
		cmocka_unit_test(test_page_table),
		cmocka_unit_test(test_offsets),
		cmocka_unit_test(test_simple_kinds),
		cmocka_unit_test(test_variants),
		cmocka_unit_test(test_everything_is_finite),
		cmocka_unit_test(test_all_of_a_case),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
