#ifndef KSEEK_EVAL_DTYPE_H
#define KSEEK_EVAL_DTYPE_H
/*
 * Element types. The numbers are an interface: a kernel gets a dtype axis as
 * an int32 with exactly these codes (kernels/include/kseek_kernel.h repeats
 * them), so they never change.
 *
 * Conversions to the small floats round to nearest, ties to even. float16 and
 * bfloat16 overflow to infinity; the two 8-bit floats saturate at their
 * largest finite value (float8_e4m3fn has no infinity). Integers round to
 * nearest and saturate; NaN becomes 0 there. bool is 0 or 1.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ks_dtype {
	KS_FLOAT32 = 0,
	KS_FLOAT64 = 1,
	KS_FLOAT16 = 2,
	KS_BFLOAT16 = 3,
	KS_FLOAT8_E4M3FN = 4,
	KS_FLOAT8_E5M2 = 5,
	KS_INT8 = 6,
	KS_UINT8 = 7,
	KS_INT32 = 8,
	KS_INT64 = 9,
	KS_BOOL = 10,
	KS_DTYPE_COUNT = 11
};

size_t ks_dtype_size(enum ks_dtype dtype);      /* bytes of one element      */
const char *ks_dtype_name(enum ks_dtype dtype); /* "float32"; static         */
/* By name; false (and *out untouched) when there is no such type. */
bool ks_dtype_parse(enum ks_dtype *out, const char *name);
bool ks_dtype_is_float(enum ks_dtype dtype);
/* May a kernel of the "cpu" target have it? (all but the 8-bit floats) */
bool ks_dtype_on_cpu(enum ks_dtype dtype);
/* May a scalar argument have it? (int32, int64, float32, float64) */
bool ks_dtype_is_scalar(enum ks_dtype dtype);
/* Largest finite value; for integers the largest value. */
double ks_dtype_max(enum ks_dtype dtype);

/* Element `index` of an array as a double (int64 above 2^53 rounds). */
double ks_dtype_get(enum ks_dtype dtype, const void *array, size_t index);
void ks_dtype_put(enum ks_dtype dtype, void *array, size_t index, double value);
/* Converts count floats into an array of dtype. Fast for the float types. */
void ks_dtype_from_float(enum ks_dtype dtype, void *out, const float *in, size_t count);
/* Converts count elements to float (int32, int64, float64 round). */
void ks_dtype_to_float(enum ks_dtype dtype, float *out, const void *in, size_t count);

#endif
