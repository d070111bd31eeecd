/*
 * Philox 4x32-10 in bulk. The plain loop works everywhere; x86-64 with AVX2,
 * looked up at run time, computes eight blocks side by side. Integer arithmetic
 * only, so both give the same words (a test compares them).
 */
#include "eval/philox.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

static void fill_plain(const uint32_t key[2], uint64_t first, uint32_t third, uint32_t fourth,
	uint32_t *words, uint64_t blocks)
{
	for (uint64_t i = 0; i < blocks; i++) {
		uint64_t n = first + i;
		uint32_t counter[4] = {(uint32_t)n, (uint32_t)(n >> 32), third, fourth};
		ks_philox(key, counter, words + 4 * i);
	}
}

#if defined(__x86_64__)
/* One word of four blocks, each in the low half of a 64-bit lane. The high
 * halves may hold anything: the multiplication does not look at them. */
struct quad {
	__m256i x0, x1, x2, x3;
};

static inline __attribute__((always_inline, target("avx2"))) void quad_round(struct quad *q,
	__m256i k0, __m256i k1)
{
	__m256i p0 = _mm256_mul_epu32(_mm256_set1_epi64x(0xD2511F53), q->x0);
	__m256i p1 = _mm256_mul_epu32(_mm256_set1_epi64x(0xCD9E8D57), q->x2);
	q->x0 = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p1, 32), q->x1), k0);
	q->x1 = p1;
	q->x2 = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p0, 32), q->x3), k1);
	q->x3 = p0;
}

static inline __attribute__((always_inline, target("avx2"))) void quad_start(struct quad *q,
	uint64_t first, uint32_t third, uint32_t fourth)
{
	__m256i n = _mm256_add_epi64(_mm256_set1_epi64x((long long)first),
		_mm256_set_epi64x(3, 2, 1, 0));
	q->x0 = n;
	q->x1 = _mm256_srli_epi64(n, 32);
	q->x2 = _mm256_set1_epi64x(third);
	q->x3 = _mm256_set1_epi64x(fourth);
}

static inline __attribute__((always_inline, target("avx2"))) void quad_store(
	const struct quad *q, uint32_t *words)
{
	__m256i low = _mm256_blend_epi32(q->x0, _mm256_slli_epi64(q->x1, 32), 0xAA);
	__m256i high = _mm256_blend_epi32(q->x2, _mm256_slli_epi64(q->x3, 32), 0xAA);
	__m256i even = _mm256_unpacklo_epi64(low, high);
	__m256i odd = _mm256_unpackhi_epi64(low, high);
	_mm256_storeu_si256((__m256i *)words, _mm256_permute2x128_si256(even, odd, 0x20));
	_mm256_storeu_si256((__m256i *)(words + 8), _mm256_permute2x128_si256(even, odd, 0x31));
}

static __attribute__((target("avx2"))) void fill_avx2(const uint32_t key[2], uint64_t first,
	uint32_t third, uint32_t fourth, uint32_t *words, uint64_t blocks)
{
	for (uint64_t i = 0; i < blocks; i += 8) {
		struct quad a, b;
		quad_start(&a, first + i, third, fourth);
		quad_start(&b, first + i + 4, third, fourth);
		uint32_t k0 = key[0], k1 = key[1];
		for (int round = 0; round < 10; round++) {
			__m256i v0 = _mm256_set1_epi64x(k0), v1 = _mm256_set1_epi64x(k1);
			quad_round(&a, v0, v1);
			quad_round(&b, v0, v1);
			k0 += 0x9E3779B9u;
			k1 += 0xBB67AE85u;
		}
		quad_store(&a, words + 4 * i);
		quad_store(&b, words + 4 * i + 16);
	}
}
#endif

void ks_philox_fill(const uint32_t key[2], uint64_t first, uint32_t third, uint32_t fourth,
	uint32_t *words, uint64_t blocks)
{
	uint64_t wide = 0;
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2")) {
		wide = blocks & ~(uint64_t)7;
		fill_avx2(key, first, third, fourth, words, wide);
	}
#endif
	fill_plain(key, first + wide, third, fourth, words + 4 * wide, blocks - wide);
}
