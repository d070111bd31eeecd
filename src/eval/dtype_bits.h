#ifndef KSEEK_EVAL_DTYPE_BITS_H
#define KSEEK_EVAL_DTYPE_BITS_H
/*
 * Element types bit by bit, for the processor and the GPU alike; dtype.h says
 * what the conversions do. A test holds them equal to dtype.c's exact ones.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "eval/dtype.h"
#include "eval/hd.h"

KS_HD uint32_t ks_bits_of(float f)
{
	uint32_t u;
	memcpy(&u, &f, sizeof(u));
	return u;
}

KS_HD float ks_float_of(uint32_t u)
{
	float f;
	memcpy(&f, &u, sizeof(f));
	return f;
}

/* Both results are computed and one chosen, so that the loop has no branch.
 * Adding 0.5 puts a small value's last kept bit at the last bit of a float, and
 * the addition itself rounds. */
KS_HD uint16_t ks_half_bits(float f)
{
	uint32_t u = ks_bits_of(f);
	uint32_t sign = (u >> 16) & 0x8000u;
	uint32_t a = u & 0x7FFFFFFFu;
	uint32_t capped = a < 0x38800000u ? a : 0x38800000u;
	uint32_t small = ks_bits_of(ks_float_of(capped) + 0.5f) - 0x3F000000u;
	uint32_t normal = (a + 0xFFFu + ((a >> 13) & 1u) - 0x38000000u) >> 13;
	uint32_t code = a < 0x38800000u ? small : normal;
	code = a >= 0x477FF000u ? 0x7C00u : code;
	code = a > 0x7F800000u ? 0x7E00u : code;
	return (uint16_t)(a > 0x7F800000u ? code : sign | code);
}

KS_HD float ks_half_value(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000u) << 16;
	uint32_t code = h & 0x7FFFu;
	float normal = ks_float_of((code << 13) + 0x38000000u);
	float small = (float)code * 0x1p-24f;
	float v = code < 0x0400u ? small : normal;
	v = code >= 0x7C00u ? ks_float_of(0x7F800000u | (code & 0x3FFu) << 13) : v;
	return ks_float_of(ks_bits_of(v) | sign);
}

KS_HD uint16_t ks_brain_bits(float f)
{
	uint32_t u = ks_bits_of(f);
	uint32_t code = (u + 0x7FFFu + ((u >> 16) & 1u)) >> 16;
	return (uint16_t)((u & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FC0u : code);
}

KS_HD float ks_brain_value(uint16_t h)
{
	return ks_float_of((uint32_t)h << 16);
}

/* The two 8-bit floats: e4m3fn has 3 stored bits and no infinity, e5m2 has 2. */
struct ks_quarter {
	int mantissa, min_exp;
	uint32_t max_code, nan_code;
};

KS_HD struct ks_quarter ks_quarter_of(enum ks_dtype dtype)
{
	struct ks_quarter q;
	bool e4m3 = dtype == KS_FLOAT8_E4M3FN;
	q.mantissa = e4m3 ? 3 : 2;
	q.min_exp = e4m3 ? -6 : -14;
	q.max_code = e4m3 ? 0x7Eu : 0x7Bu;
	q.nan_code = e4m3 ? 0x7Fu : 0x7Eu;
	return q;
}

/* Round to nearest, ties to even, saturating. */
KS_HD uint8_t ks_quarter_bits(enum ks_dtype dtype, float f)
{
	struct ks_quarter q = ks_quarter_of(dtype);
	uint32_t u = ks_bits_of(f), a = u & 0x7FFFFFFFu, code;
	int e = (int)(a >> 23) - 127;
	if (a > 0x7F800000u) {
		return (uint8_t)q.nan_code;
	}
	if (e >= q.min_exp) {
		int shift = 23 - q.mantissa;
		uint32_t up = a + ((1u << (shift - 1)) - 1) + ((a >> shift) & 1u);
		code = (up >> shift) - ((uint32_t)(126 + q.min_exp) << q.mantissa);
		code = a == 0x7F800000u || code > q.max_code ? q.max_code : code;
	} else {
		int shift = 23 - q.mantissa + q.min_exp - e;
		uint32_t whole = (a & 0x7FFFFFu) | 0x800000u;
		if (shift > 25) { /* less than half of the smallest: 0 */
			return (uint8_t)(u >> 24 & 0x80u);
		}
		uint32_t rest = whole & ((1u << shift) - 1), half = 1u << (shift - 1);
		code = whole >> shift;
		code += rest > half || (rest == half && (code & 1u) != 0);
	}
	return (uint8_t)((u >> 24 & 0x80u) | code);
}

KS_HD float ks_quarter_value(enum ks_dtype dtype, uint8_t raw)
{
	struct ks_quarter q = ks_quarter_of(dtype);
	uint32_t code = raw & 0x7Fu, sign = (uint32_t)(raw & 0x80u) << 24;
	uint32_t bits;
	if (code > q.max_code) {
		bool infinite = dtype == KS_FLOAT8_E5M2 && code == 0x7Cu;
		bits = infinite ? 0x7F800000u : 0x7FC00000u;
	} else if (code >> q.mantissa == 0) {
		float unit = ks_float_of((uint32_t)(127 + q.min_exp - q.mantissa) << 23);
		bits = ks_bits_of((float)code * unit);
	} else {
		bits = (code << (23 - q.mantissa)) + ((uint32_t)(126 + q.min_exp) << 23);
	}
	return ks_float_of(bits | sign);
}

/* Largest finite value of a short float, for clamping. */
KS_HD float ks_short_max(enum ks_dtype dtype)
{
	switch (dtype) {
	case KS_FLOAT16:
		return 65504.0f;
	case KS_FLOAT8_E4M3FN:
		return 448.0f;
	case KS_FLOAT8_E5M2:
		return 57344.0f;
	default:
		return ks_float_of(0x7F7F0000u);
	}
}

KS_HD uint32_t ks_size_of(enum ks_dtype dtype)
{
	switch (dtype) {
	case KS_FLOAT64:
	case KS_INT64:
		return 8;
	case KS_FLOAT32:
	case KS_INT32:
		return 4;
	case KS_FLOAT16:
	case KS_BFLOAT16:
		return 2;
	default:
		return 1;
	}
}

/* Element of an array as a double; int64 above 2^53 rounds. */
KS_HD double ks_element(enum ks_dtype dtype, const void *array, uint64_t i)
{
	switch (dtype) {
	case KS_FLOAT32:
		return ((const float *)array)[i];
	case KS_FLOAT64:
		return ((const double *)array)[i];
	case KS_FLOAT16:
		return ks_half_value(((const uint16_t *)array)[i]);
	case KS_BFLOAT16:
		return ks_brain_value(((const uint16_t *)array)[i]);
	case KS_FLOAT8_E4M3FN:
	case KS_FLOAT8_E5M2:
		return ks_quarter_value(dtype, ((const uint8_t *)array)[i]);
	case KS_INT8:
		return ((const int8_t *)array)[i];
	case KS_INT32:
		return ((const int32_t *)array)[i];
	case KS_INT64:
		return (double)((const int64_t *)array)[i];
	default:
		return ((const uint8_t *)array)[i];
	}
}

KS_HD double ks_within(double v, double low, double high)
{
	double r = rint(v);
	return v != v ? 0 : r < low ? low : r > high ? high : r;
}

/* Floats go through float first: for float64 and the integers that is exact
 * enough only where the value is one. */
KS_HD void ks_element_put(enum ks_dtype dtype, void *array, uint64_t i, double v)
{
	switch (dtype) {
	case KS_FLOAT32:
		((float *)array)[i] = (float)v;
		return;
	case KS_FLOAT64:
		((double *)array)[i] = v;
		return;
	case KS_FLOAT16:
		((uint16_t *)array)[i] = ks_half_bits((float)v);
		return;
	case KS_BFLOAT16:
		((uint16_t *)array)[i] = ks_brain_bits((float)v);
		return;
	case KS_FLOAT8_E4M3FN:
	case KS_FLOAT8_E5M2:
		((uint8_t *)array)[i] = ks_quarter_bits(dtype, (float)v);
		return;
	case KS_INT8:
		((int8_t *)array)[i] = (int8_t)ks_within(v, -128, 127);
		return;
	case KS_UINT8:
		((uint8_t *)array)[i] = (uint8_t)ks_within(v, 0, 255);
		return;
	case KS_INT32:
		((int32_t *)array)[i] = (int32_t)ks_within(v, -2147483648.0, 2147483647.0);
		return;
	case KS_INT64: /* the largest double below 2^63 */
		((int64_t *)array)[i] = (int64_t)ks_within(v, -0x1p63, 0x1.FFFFFFFFFFFFFp62);
		return;
	default:
		((uint8_t *)array)[i] = v == v && v != 0;
		return;
	}
}

#endif
