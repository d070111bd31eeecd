/*
 * Element types. One table of small float formats drives exact encoding and
 * decoding through doubles; float16 and bfloat16 have bit-level paths beside it
 * for whole arrays, and a test holds them equal to the table's.
 */
#include "eval/dtype.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "eval/dtype_bits.h"

struct format {
	int mantissa;     /* stored bits                             */
	int min_exp;      /* of the smallest normal number           */
	unsigned max_code;/* of the largest finite value             */
	unsigned nan_code;
	bool saturate;    /* no infinity on overflow                 */
	unsigned sign;    /* the sign bit                            */
};

struct entry {
	const char *name;
	size_t size;
	double max;
	struct format format; /* mantissa 0: not a small float */
};

static const struct entry table[KS_DTYPE_COUNT] = {
	[KS_FLOAT32] = {"float32", 4, FLT_MAX, {0}},
	[KS_FLOAT64] = {"float64", 8, DBL_MAX, {0}},
	[KS_FLOAT16] = {"float16", 2, 65504, {10, -14, 0x7BFF, 0x7E00, false, 0x8000}},
	[KS_BFLOAT16] = {"bfloat16", 2, 0x1.FEp127, {7, -126, 0x7F7F, 0x7FC0, false, 0x8000}},
	[KS_FLOAT8_E4M3FN] = {"float8_e4m3fn", 1, 448, {3, -6, 0x7E, 0x7F, true, 0x80}},
	[KS_FLOAT8_E5M2] = {"float8_e5m2", 1, 57344, {2, -14, 0x7B, 0x7E, true, 0x80}},
	[KS_INT8] = {"int8", 1, INT8_MAX, {0}},
	[KS_UINT8] = {"uint8", 1, UINT8_MAX, {0}},
	[KS_INT32] = {"int32", 4, INT32_MAX, {0}},
	[KS_INT64] = {"int64", 8, (double)INT64_MAX, {0}},
	[KS_BOOL] = {"bool", 1, 1, {0}},
};

static const struct entry *entry_of(enum ks_dtype dtype)
{
	assert((unsigned)dtype < KS_DTYPE_COUNT);
	return &table[dtype];
}

size_t ks_dtype_size(enum ks_dtype dtype)
{
	return entry_of(dtype)->size;
}

const char *ks_dtype_name(enum ks_dtype dtype)
{
	return entry_of(dtype)->name;
}

double ks_dtype_max(enum ks_dtype dtype)
{
	return entry_of(dtype)->max;
}

bool ks_dtype_parse(enum ks_dtype *out, const char *name)
{
	for (int i = 0; i < KS_DTYPE_COUNT; i++) {
		if (strcmp(table[i].name, name) == 0) {
			*out = (enum ks_dtype)i;
			return true;
		}
	}
	return false;
}

bool ks_dtype_is_float(enum ks_dtype dtype)
{
	return dtype <= KS_FLOAT8_E5M2;
}

bool ks_dtype_on_cpu(enum ks_dtype dtype)
{
	return dtype != KS_FLOAT8_E4M3FN && dtype != KS_FLOAT8_E5M2;
}

bool ks_dtype_is_scalar(enum ks_dtype dtype)
{
	return dtype == KS_FLOAT32 || dtype == KS_FLOAT64 || dtype == KS_INT32 ||
		dtype == KS_INT64;
}

/* The code of v, rounded once. Exact: scaling by powers of two loses nothing
 * and nearbyint rounds half to even. */
static unsigned encode(const struct format *f, double v)
{
	unsigned sign = signbit(v) ? f->sign : 0;
	double a = fabs(v);
	if (isnan(v)) {
		return f->nan_code;
	}
	if (a == 0) {
		return sign;
	}
	double one = ldexp(1, f->mantissa);
	unsigned code = f->max_code + 1;
	if (!isinf(v)) {
		int e = ilogb(a) < f->min_exp ? f->min_exp : ilogb(a);
		double r = nearbyint(ldexp(a, f->mantissa - e));
		double wide = r < one ? r : (double)(e - f->min_exp) * one + r;
		code = wide > f->max_code ? f->max_code + 1 : (unsigned)wide;
	}
	if (code > f->max_code && f->saturate) {
		code = f->max_code;
	}
	return sign | code;
}

static double decode(const struct format *f, unsigned raw)
{
	unsigned code = raw & (f->sign - 1);
	double one = ldexp(1, f->mantissa);
	double v;
	if (code > f->max_code) {
		bool infinite = code == f->max_code + 1 && code != f->nan_code;
		v = infinite ? (double)INFINITY : (double)NAN;
	} else if (code < (unsigned)one) {
		v = ldexp(code, f->min_exp - f->mantissa);
	} else {
		int e = (int)(code >> f->mantissa) - 1 + f->min_exp;
		v = ldexp(one + (code & ((unsigned)one - 1)), e - f->mantissa);
	}
	return raw & f->sign ? -v : v;
}

static double saturated(double v, double low, double high)
{
	if (isnan(v)) {
		return 0;
	}
	double r = nearbyint(v);
	return r < low ? low : r > high ? high : r;
}

static int64_t to_int64(double v)
{
	if (isnan(v)) {
		return 0;
	}
	double r = nearbyint(v);
	if (r >= 0x1p63) {
		return INT64_MAX;
	}
	return r < -0x1p63 ? INT64_MIN : (int64_t)r;
}

double ks_dtype_get(enum ks_dtype dtype, const void *array, size_t index)
{
	const struct entry *e = entry_of(dtype);
	const unsigned char *at = (const unsigned char *)array + index * e->size;
	union {
		float f;
		double d;
		uint16_t u16;
		int32_t i32;
		int64_t i64;
	} v;
	switch (dtype) {
	case KS_FLOAT32:
		memcpy(&v.f, at, sizeof(v.f));
		return v.f;
	case KS_FLOAT64:
		memcpy(&v.d, at, sizeof(v.d));
		return v.d;
	case KS_FLOAT16:
	case KS_BFLOAT16:
		memcpy(&v.u16, at, sizeof(v.u16));
		return decode(&e->format, v.u16);
	case KS_FLOAT8_E4M3FN:
	case KS_FLOAT8_E5M2:
		return decode(&e->format, *at);
	case KS_INT8:
		return (int8_t)*at;
	case KS_INT32:
		memcpy(&v.i32, at, sizeof(v.i32));
		return v.i32;
	case KS_INT64:
		memcpy(&v.i64, at, sizeof(v.i64));
		return (double)v.i64;
	default:
		return *at;
	}
}

void ks_dtype_put(enum ks_dtype dtype, void *array, size_t index, double value)
{
	const struct entry *e = entry_of(dtype);
	unsigned char *at = (unsigned char *)array + index * e->size;
	float f = (float)value;
	uint16_t u16;
	int32_t i32;
	int64_t i64;
	switch (dtype) {
	case KS_FLOAT32:
		memcpy(at, &f, sizeof(f));
		return;
	case KS_FLOAT64:
		memcpy(at, &value, sizeof(value));
		return;
	case KS_FLOAT16:
	case KS_BFLOAT16:
		u16 = (uint16_t)encode(&e->format, value);
		memcpy(at, &u16, sizeof(u16));
		return;
	case KS_FLOAT8_E4M3FN:
	case KS_FLOAT8_E5M2:
		*at = (unsigned char)encode(&e->format, value);
		return;
	case KS_INT8:
		*at = (unsigned char)(int8_t)saturated(value, INT8_MIN, INT8_MAX);
		return;
	case KS_UINT8:
		*at = (unsigned char)saturated(value, 0, UINT8_MAX);
		return;
	case KS_INT32:
		i32 = (int32_t)saturated(value, INT32_MIN, INT32_MAX);
		memcpy(at, &i32, sizeof(i32));
		return;
	case KS_INT64:
		i64 = to_int64(value);
		memcpy(at, &i64, sizeof(i64));
		return;
	default:
		*at = value != 0 && !isnan(value);
		return;
	}
}

void ks_dtype_from_float(enum ks_dtype dtype, void *out, const float *in, size_t count)
{
	uint16_t *o16 = out;
	switch (dtype) {
	case KS_FLOAT32:
		memcpy(out, in, count * sizeof(in[0]));
		return;
	case KS_FLOAT16:
		for (size_t i = 0; i < count; i++) {
			o16[i] = ks_half_bits(in[i]);
		}
		return;
	case KS_BFLOAT16:
		for (size_t i = 0; i < count; i++) {
			o16[i] = ks_brain_bits(in[i]);
		}
		return;
	default:
		for (size_t i = 0; i < count; i++) {
			ks_dtype_put(dtype, out, i, in[i]);
		}
		return;
	}
}

void ks_dtype_to_float(enum ks_dtype dtype, float *out, const void *in, size_t count)
{
	const uint16_t *i16 = in;
	switch (dtype) {
	case KS_FLOAT32:
		memcpy(out, in, count * sizeof(out[0]));
		return;
	case KS_FLOAT16:
		for (size_t i = 0; i < count; i++) {
			out[i] = ks_half_value(i16[i]);
		}
		return;
	case KS_BFLOAT16:
		for (size_t i = 0; i < count; i++) {
			out[i] = ks_brain_value(i16[i]);
		}
		return;
	default:
		for (size_t i = 0; i < count; i++) {
			out[i] = (float)ks_dtype_get(dtype, in, i);
		}
		return;
	}
}
