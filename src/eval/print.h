#ifndef KSEEK_EVAL_PRINT_H
#define KSEEK_EVAL_PRINT_H
/*
 * A fingerprint of contents: the sum over its 8-byte words of a mix of word,
 * place and a secret key. Order of summing does not matter, so that threads can
 * share it; without the key no two contents of the same sum can be made.
 * The mix is the finaliser of splitmix64 (Steele, Lea, Flood, OOPSLA 2014).
 */
#include <stdint.h>

#include "eval/hd.h"

KS_HD uint64_t ks_print_mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xBF58476D1CE4E5B9u;
	x ^= x >> 27;
	x *= 0x94D049BB133111EBu;
	return x ^ x >> 31;
}

/* Word number `word` of `bytes` bytes at an address that is a multiple of 8. */
KS_HD uint64_t ks_print_word(const void *at, uint64_t bytes, uint64_t word, uint64_t key)
{
	const unsigned char *from = (const unsigned char *)at + 8 * word;
	uint64_t v = 0, n = bytes - 8 * word;
	if (n >= 8) {
		v = *(const uint64_t *)(const void *)from;
	} else {
		for (uint64_t i = 0; i < n; i++) {
			v |= (uint64_t)from[i] << (8 * i);
		}
	}
	return ks_print_mix((v ^ key) + (word + 1) * ((key << 1 ^ 0x9E3779B97F4A7C15u) | 1));
}

#endif
