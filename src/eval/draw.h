#ifndef KSEEK_EVAL_DRAW_H
#define KSEEK_EVAL_DRAW_H
/*
 * Drawn contents element by element, for the processor and the GPU alike. The
 * smallest piece is a group of four elements, 4g to 4g + 3, which come from one
 * Philox block of each purpose: a group needs nothing but the plan and g.
 *
 * Words of element i lie in block i / 4 of a counter whose third word is 0 and
 * whose fourth says what they are for (enum ks_draw_for). generate.h has the
 * meaning of each distribution and variant.
 */
#include <math.h>
#include <stdint.h>

#include "eval/dtype_bits.h"
#include "eval/hd.h"
#include "eval/philox.h"

#define KS_DRAW_PATTERN 4096 /* length after which a structured row repeats */

enum ks_draw_for {
	KS_FOR_VALUE, KS_FOR_LOW_BITS, KS_FOR_OUTLIER, KS_FOR_ROW, KS_FOR_PATTERN, KS_FOR_BEND
};

enum ks_draw_how { /* which of the functions below makes a group */
	KS_DRAW_NONE,     /* only generate.c can: lists, offsets, one_hot, arange */
	KS_DRAW_NORMAL, KS_DRAW_UNIFORM, KS_DRAW_INTEGERS, KS_DRAW_SHUFFLE
};

enum ks_draw_bend { /* the order of enum ks_variant */
	KS_BEND_NONE, KS_BEND_SCALE, KS_BEND_SHIFT, KS_BEND_OUTLIERS, KS_BEND_STRUCTURE,
	KS_BEND_CANCEL, KS_BEND_ROWS
};

/*
 * A permutation of [0, n) without a table: a Feistel network of six rounds
 * permutes [0, 4^half); a value that lands at n or above goes through again,
 * on average less than four times.
 */
struct ks_shuffle {
	uint64_t n, mask;
	uint32_t half;
	uint32_t round[8];
};

struct ks_draw { /* everything that a group needs */
	uint32_t how, bend;  /* enum ks_draw_how, enum ks_draw_bend  */
	uint32_t dtype;      /* enum ks_dtype                        */
	uint32_t key[2];
	uint64_t cols;       /* length of the last axis, at least 1  */
	uint64_t count;
	float a, b;          /* mean, std; or low, width             */
	float scale, shift;  /* of the bend                          */
	int64_t low;         /* integers: least, and how many values */
	uint64_t range;      /* 0: all 2^64                          */
	struct ks_shuffle shuffle;
};

KS_HD void ks_draw_block(uint32_t out[4], const uint32_t key[2], uint64_t block,
	enum ks_draw_for purpose)
{
	uint32_t counter[4];
	counter[0] = (uint32_t)block;
	counter[1] = (uint32_t)(block >> 32);
	counter[2] = 0;
	counter[3] = (uint32_t)purpose;
	ks_philox(key, counter, out);
}

/* Logarithm of x in [2^-24, 1]: x = 2^e * m with m around 1, and ln m is twice
 * the inverse hyperbolic tangent of (m-1)/(m+1), |.| <= 0.172: five terms. */
KS_HD float ks_log_of(float x)
{
	uint32_t bits = ks_bits_of(x);
	int32_t e = (int32_t)(bits - 0x3F3504F3u) >> 23;
	float m = ks_float_of(bits - ((uint32_t)e << 23));
	float s = (m - 1.0f) / (m + 1.0f);
	float z = s * s;
	float tail = 1.0f / 7 + z * (1.0f / 9);
	float poly = 1.0f + z * (1.0f / 3 + z * (1.0f / 5 + z * tail));
	return (float)e * 0.693147181f + 2.0f * s * poly;
}

/* Two words to two normal numbers. The angle is a quarter turn from the top two
 * bits of the second word and a rest within an eighth turn around it. */
KS_HD void ks_normal_pair(uint32_t u, uint32_t v, float *a, float *b)
{
	float r = sqrtf(-2.0f * ks_log_of((float)(int32_t)((u >> 8) + 1) * 0x1p-24f));
	float x = ((float)(int32_t)((v >> 6) & 0xFFFFFFu) * 0x1p-24f - 0.5f) * 1.57079633f;
	float z = x * x;
	float s = x * (1.0f - z * (1.0f / 6 - z * (1.0f / 120 - z * (1.0f / 5040))));
	float c = 1.0f - z * (0.5f - z * (1.0f / 24 - z * (1.0f / 720 - z * (1.0f / 40320))));
	uint32_t swap = (uint32_t)((int32_t)(v << 1) >> 31); /* all ones for odd quarters */
	uint32_t cb = ks_bits_of(c), sb = ks_bits_of(s);
	uint32_t first = (cb & ~swap) | (sb & swap);
	uint32_t second = (sb & ~swap) | (cb & swap);
	uint32_t half = v & 0x80000000u;
	first ^= half ^ (swap & 0x80000000u);
	second ^= half;
	*a = r * ks_float_of(first);
	*b = r * ks_float_of(second);
}

KS_HD float ks_uniform_of(uint32_t word, float low, float width)
{
	return low + width * ((float)(int32_t)(word >> 8) * 0x1p-24f);
}

/* The four floats of block `group`, before any bend. */
KS_HD void ks_draw_plain(float v[4], const struct ks_draw *d, uint64_t group,
	enum ks_draw_for purpose)
{
	uint32_t w[4];
	ks_draw_block(w, d->key, group, purpose);
	if (d->how == KS_DRAW_NORMAL) {
		float n[4];
		ks_normal_pair(w[0], w[1], &n[0], &n[1]);
		ks_normal_pair(w[2], w[3], &n[2], &n[3]);
		for (int i = 0; i < 4; i++) {
			v[i] = d->a + d->b * n[i];
		}
		return;
	}
	for (int i = 0; i < 4; i++) {
		v[i] = ks_uniform_of(w[i], d->a, d->b);
	}
}

/* Power of two by which mixed rows are scaled. */
KS_HD float ks_row_scale(const uint32_t key[2], uint64_t row)
{
	uint32_t w[4];
	ks_draw_block(w, key, row, KS_FOR_ROW);
	return ks_float_of((127u - 4u + (w[0] & 7u)) << 23);
}

KS_HD float ks_structured(const struct ks_draw *d, uint64_t i, float v)
{
	uint64_t col = i % d->cols % KS_DRAW_PATTERN;
	float pattern[4];
	ks_draw_plain(pattern, d, col / 4, KS_FOR_PATTERN);
	return 0.125f * v + 0.875f * pattern[col % 4];
}

KS_HD void ks_draw_bent(float v[4], const struct ks_draw *d, uint64_t group)
{
	uint32_t w[4];
	switch (d->bend) {
	case KS_BEND_SCALE:
	case KS_BEND_SHIFT:
		for (int i = 0; i < 4; i++) {
			v[i] = v[i] * d->scale + d->shift;
		}
		return;
	case KS_BEND_OUTLIERS:
		ks_draw_block(w, d->key, group, KS_FOR_OUTLIER);
		for (int i = 0; i < 4; i++) {
			v[i] *= (w[i] & 127) == 0 ? 16.0f : 1.0f;
		}
		return;
	case KS_BEND_STRUCTURE:
		for (int i = 0; i < 4; i++) {
			v[i] = ks_structured(d, 4 * group + (uint64_t)i, v[i]);
		}
		return;
	case KS_BEND_CANCEL:
		for (int i = 0; i < 4; i += 2) {
			v[i] *= 8.0f;
			v[i + 1] = v[i + 1] * 0.0625f - v[i];
		}
		return;
	case KS_BEND_ROWS:
		for (int i = 0; i < 4; i++) {
			v[i] *= ks_row_scale(d->key, (4 * group + (uint64_t)i) / d->cols);
		}
		return;
	default:
		return;
	}
}

/* A float of a group, stored as element i. float64 keeps the float's value and
 * gets random bits below its last one (word). */
KS_HD void ks_draw_store(void *out, enum ks_dtype dtype, uint64_t i, float v, uint32_t word)
{
	float most = ks_short_max(dtype);
	switch (dtype) {
	case KS_FLOAT32:
		((float *)out)[i] = v;
		return;
	case KS_FLOAT64:
		((double *)out)[i] = (double)v *
			(1.0 + ((double)word - 0x1p31) * 0x1p-32 * 0x1p-23);
		return;
	default:
		v = v < -most ? -most : v;
		ks_element_put(dtype, out, i, v > most ? most : v);
		return;
	}
}

KS_HD void ks_draw_floats(void *out, const struct ks_draw *d, uint64_t group)
{
	uint32_t low[4] = {0, 0, 0, 0};
	float v[4];
	ks_draw_plain(v, d, group, KS_FOR_VALUE);
	ks_draw_bent(v, d, group);
	if (d->dtype == KS_FLOAT64) {
		ks_draw_block(low, d->key, group, KS_FOR_LOW_BITS);
	}
	for (int i = 0; i < 4; i++) {
		if (4 * group + (uint64_t)i < d->count) {
			ks_draw_store(out, (enum ks_dtype)d->dtype, 4 * group + (uint64_t)i, v[i],
				low[i]);
		}
	}
}

KS_HD void ks_draw_integers(void *out, const struct ks_draw *d, uint64_t group)
{
	uint32_t w[4], more[4] = {0, 0, 0, 0};
	bool wide = d->range == 0 || d->range > 0xFFFFFFFFu;
	ks_draw_block(w, d->key, group, KS_FOR_VALUE);
	if (wide) {
		ks_draw_block(more, d->key, group, KS_FOR_LOW_BITS);
	}
	for (int i = 0; i < 4; i++) {
		uint64_t at = 4 * group + (uint64_t)i, pick = w[i] * d->range >> 32;
		if (wide) {
			uint64_t bits = (uint64_t)w[i] << 32 | more[i];
			pick = d->range == 0 ? bits :
				(uint64_t)((unsigned __int128)bits * d->range >> 64);
		}
		if (at >= d->count) {
			return;
		}
		int64_t v = (int64_t)((uint64_t)d->low + pick);
		if (d->dtype == KS_INT64) {
			((int64_t *)out)[at] = v;
		} else {
			ks_element_put((enum ks_dtype)d->dtype, out, at, (double)v);
		}
	}
}

KS_HD uint64_t ks_shuffle_at(const struct ks_shuffle *s, uint64_t i)
{
	uint64_t x = i % s->n;
	do {
		uint64_t left = x >> s->half, right = x & s->mask;
		for (int r = 0; r < 6; r++) {
			uint32_t h = (uint32_t)right * 0x9E3779B1u ^ s->round[r];
			h = (h ^ h >> 15) * 0x85EBCA77u;
			h = (h ^ h >> 13) * 0xC2B2AE3Du;
			uint64_t next = left ^ ((h ^ h >> 16) & s->mask);
			left = right;
			right = next;
		}
		x = left << s->half | right;
	} while (x >= s->n);
	return x;
}

KS_HD void ks_draw_shuffled(void *out, const struct ks_draw *d, uint64_t group)
{
	for (uint64_t i = 4 * group; i < 4 * group + 4 && i < d->count; i++) {
		uint64_t v = ks_shuffle_at(&d->shuffle, i);
		if (d->dtype == KS_INT32) {
			((int32_t *)out)[i] = (int32_t)v;
		} else {
			((int64_t *)out)[i] = (int64_t)v;
		}
	}
}

/* Number i of 256 that are of the size of those in `from` (count of them) and are
 * no answer. */
KS_HD double ks_poison_of(enum ks_dtype dtype, const void *from, uint64_t count, uint32_t i,
	uint32_t random)
{
	uint32_t key[2], counter[4], w[4];
	key[0] = random;
	key[1] = 7;
	counter[0] = i;
	counter[1] = random;
	counter[2] = 1;
	counter[3] = 2;
	ks_philox(key, counter, w);
	double near = ks_element(dtype, from, w[1] % count);
	double scale = near != near || near > 1e30 || near < -1e30 ? 1 : near;
	double unit = (double)w[0] / 4294967296.0 - 0.5;
	return scale * unit * 2 + unit + (unit < 0 ? -1 : 1);
}

/* Elements 4g to 4g + 3 of a tensor, those below its count. how is not NONE. */
KS_HD void ks_draw_group(void *out, const struct ks_draw *d, uint64_t group)
{
	if (d->how == KS_DRAW_INTEGERS) {
		ks_draw_integers(out, d, group);
	} else if (d->how == KS_DRAW_SHUFFLE) {
		ks_draw_shuffled(out, d, group);
	} else {
		ks_draw_floats(out, d, group);
	}
}

#endif
