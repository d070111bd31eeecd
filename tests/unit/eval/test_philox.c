/*
 * Philox 4x32-10: the known answers published by its authors with their
 * library, and the bulk form against the plain one.
 */
#include "eval/philox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_known_answers(void **state)
{
	(void)state;
	static const struct {
		uint32_t counter[4], key[2], answer[4];
	} known[] = {
		{{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff},
			{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0},
			{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		uint32_t out[4];
		ks_philox(known[i].key, known[i].counter, out);
		assert_memory_equal(out, known[i].answer, sizeof(out));
	}
}

static void test_bulk_equals_plain(void **state)
{
	(void)state;
	const uint32_t key[2] = {0x12345678, 0x9abcdef0};
	/* The second start crosses from the counter's first word to its second. */
	static const uint64_t starts[] = {0, UINT64_C(0xfffffff9), UINT64_MAX - 3};
	for (size_t s = 0; s < 3; s++) {
		for (uint64_t blocks = 0; blocks < 40; blocks += 3) {
			uint32_t words[4 * 40 + 4] = {0};
			words[4 * blocks] = 77;
			ks_philox_fill(key, starts[s], 5, 6, words, blocks);
			for (uint64_t i = 0; i < blocks; i++) {
				uint64_t n = starts[s] + i;
				uint32_t counter[4] = {(uint32_t)n, (uint32_t)(n >> 32), 5, 6};
				uint32_t out[4];
				ks_philox(key, counter, out);
				assert_memory_equal(words + 4 * i, out, sizeof(out));
			}
			assert_int_equal(words[4 * blocks], 77);
		}
	}
}

static void test_derived_keys_differ(void **state)
{
	(void)state;
	const uint32_t key[2] = {1, 2};
	uint32_t a[2], b[2], c[2];
	ks_philox_derive(a, key, 1, 2);
	ks_philox_derive(b, key, 2, 1);
	ks_philox_derive(c, key, 1, 2);
	assert_memory_equal(a, c, sizeof(a));
	assert_memory_not_equal(a, b, sizeof(a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_answers),
		cmocka_unit_test(test_bulk_equals_plain),
		cmocka_unit_test(test_derived_keys_differ),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
