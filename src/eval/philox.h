#ifndef KSEEK_EVAL_PHILOX_H
#define KSEEK_EVAL_PHILOX_H
/*
 * Philox 4x32-10, a counter-based generator: 128 bits of counter and 64 bits
 * of key give 128 random bits, with no state in between, so that element i of
 * a tensor can be made anywhere without making the ones before it.
 * Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as
 * 1, 2, 3", SC 2011. The tests hold the known answers of its authors.
 */
#include <stdint.h>

#include "eval/hd.h"

KS_HD void ks_philox(const uint32_t key[2], const uint32_t counter[4],
	uint32_t out[4])
{
	uint32_t k0 = key[0], k1 = key[1];
	uint32_t x0 = counter[0], x1 = counter[1], x2 = counter[2], x3 = counter[3];
	for (int round = 0; round < 10; round++) {
		uint64_t p0 = (uint64_t)0xD2511F53u * x0;
		uint64_t p1 = (uint64_t)0xCD9E8D57u * x2;
		x0 = (uint32_t)(p1 >> 32) ^ x1 ^ k0;
		x1 = (uint32_t)p1;
		x2 = (uint32_t)(p0 >> 32) ^ x3 ^ k1;
		x3 = (uint32_t)p0;
		k0 += 0x9E3779B9u;
		k1 += 0xBB67AE85u;
	}
	out[0] = x0;
	out[1] = x1;
	out[2] = x2;
	out[3] = x3;
}

/* A new key for a named purpose: the first 64 bits of the block (a, b). */
KS_HD void ks_philox_derive(uint32_t out[2], const uint32_t key[2],
	uint64_t a, uint64_t b)
{
	uint32_t counter[4] = {(uint32_t)a, (uint32_t)(a >> 32),
		(uint32_t)b, (uint32_t)(b >> 32)};
	uint32_t block[4];
	ks_philox(key, counter, block);
	out[0] = block[0];
	out[1] = block[1];
}

/*
 * Many blocks at once: words[4*i .. 4*i+3] is the block of counter
 * {first + i (64 bits), third, fourth}. Uses the widest vectors the machine
 * has; the words are the same on every machine.
 */
void ks_philox_fill(const uint32_t key[2], uint64_t first, uint32_t third,
	uint32_t fourth, uint32_t *words, uint64_t blocks);

#endif
