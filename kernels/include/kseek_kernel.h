/*
 * kseek_kernel.h: what a kernel in C may share with kseek.
 *
 * A kernel is an ordinary function that returns an int, 0 for done. Its
 * arguments come in the order of "args" in definition.json:
 *
 *   tensors  pointers to dense row-major data, aligned to 256 bytes; inputs
 *            are const unless the definition says "writable": true; an
 *            optional tensor that a scenario leaves out is a null pointer
 *   axes     int64_t; an axis may be 0
 *   scalars  the declared type: int32_t, int64_t, float or double
 *   dtype    axes of types arrive as an int32_t, one of enum kseek_dtype
 *   stream   on the cuda target only, last: void *, a cudaStream_t; the function
 *            is extern "C" and has queued its work there when it returns
 *
 * Outputs are allocated by the caller and hold arbitrary data: every element
 * has to be written. A kernel may keep memory between calls. It has one thread
 * unless the campaign says otherwise.
 *
 * The types narrower than float32 are stored as unsigned integers of their
 * size; the functions below convert one value, rounding to nearest, ties to
 * even. They need nothing but C99, so they may be used in any kernel; nothing
 * here has to be used. In CUDA C++ they work on host and device alike.
 */
#ifndef KSEEK_KERNEL_H
#define KSEEK_KERNEL_H

#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__CUDACC__)
#define KSEEK_FN static __host__ __device__ __forceinline__
#else
#define KSEEK_FN static inline
#endif

/* Codes of the element types. They never change; new ones are added. */
enum kseek_dtype {
	KSEEK_FLOAT32 = 0,
	KSEEK_FLOAT64 = 1,
	KSEEK_FLOAT16 = 2,		/* IEEE 754 binary16 */
	KSEEK_BFLOAT16 = 3,		/* upper half of a float32 */
	KSEEK_FLOAT8_E4M3FN = 4,	/* no infinity, largest value 448 */
	KSEEK_FLOAT8_E5M2 = 5,		/* upper half of a float16 */
	KSEEK_INT8 = 6,
	KSEEK_UINT8 = 7,
	KSEEK_INT32 = 8,
	KSEEK_INT64 = 9,
	KSEEK_BOOL = 10,		/* one byte, 0 or 1 */
};

/* How the narrow types lie in memory. */
typedef uint16_t kseek_float16;
typedef uint16_t kseek_bfloat16;
typedef uint8_t kseek_float8_e4m3fn;
typedef uint8_t kseek_float8_e5m2;

/* Bytes of one element, 0 for a code that is not known. */
KSEEK_FN int kseek_dtype_size(int32_t dtype)
{
	switch (dtype) {
	case KSEEK_FLOAT64:
	case KSEEK_INT64:
		return 8;
	case KSEEK_FLOAT32:
	case KSEEK_INT32:
		return 4;
	case KSEEK_FLOAT16:
	case KSEEK_BFLOAT16:
		return 2;
	case KSEEK_INT8:
	case KSEEK_UINT8:
	case KSEEK_BOOL:
	case KSEEK_FLOAT8_E4M3FN:
	case KSEEK_FLOAT8_E5M2:
		return 1;
	default:
		return 0;
	}
}

KSEEK_FN uint32_t kseek_bits_of_float(float x)
{
	uint32_t u;

	memcpy(&u, &x, sizeof u);
	return u;
}

KSEEK_FN float kseek_float_of_bits(uint32_t u)
{
	float x;

	memcpy(&x, &u, sizeof x);
	return x;
}

/* bfloat16 */

KSEEK_FN float kseek_bf16_to_f32(kseek_bfloat16 h)
{
	return kseek_float_of_bits((uint32_t)h << 16);
}

KSEEK_FN kseek_bfloat16 kseek_f32_to_bf16(float x)
{
	uint32_t u = kseek_bits_of_float(x);
	uint32_t rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
	uint32_t nan = (u >> 16) | 0x40u;

	return (kseek_bfloat16)((u & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
}

/* float16: the device's own instruction; on a host the compiler's own type where
 * it has one (then loops over these functions vectorise), else by hand */

#if defined(__CUDA_ARCH__)

KSEEK_FN float kseek_f16_to_f32(kseek_float16 h)
{
	float x;

	asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h));
	return x;
}

KSEEK_FN kseek_float16 kseek_f32_to_f16(float x)
{
	kseek_float16 h;

	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
	return h;
}

#elif defined(__FLT16_MANT_DIG__) && !defined(__cplusplus)

KSEEK_FN float kseek_f16_to_f32(kseek_float16 h)
{
	_Float16 x;

	memcpy(&x, &h, sizeof x);
	return (float)x;
}

KSEEK_FN kseek_float16 kseek_f32_to_f16(float x)
{
	_Float16 y = (_Float16)x;
	kseek_float16 h;

	memcpy(&h, &y, sizeof h);
	return h;
}

#else

KSEEK_FN float kseek_f16_to_f32(kseek_float16 h)
{
	uint32_t sign = (uint32_t)(h & 0x8000u) << 16;
	uint32_t exponent = (h >> 10) & 31u;
	uint32_t fraction = h & 0x3ffu;

	if (exponent == 0) {
		float tiny = (float)fraction * 5.9604644775390625e-8f;

		return kseek_float_of_bits(sign | kseek_bits_of_float(tiny));
	}
	if (exponent == 31) {
		uint32_t quiet = fraction ? 0x400000u : 0u;

		return kseek_float_of_bits(sign | 0x7f800000u | quiet | fraction << 13);
	}
	return kseek_float_of_bits(sign | (exponent + 112) << 23 | fraction << 13);
}

KSEEK_FN kseek_float16 kseek_f32_to_f16(float x)
{
	uint32_t u = kseek_bits_of_float(x);
	uint32_t sign = (u >> 16) & 0x8000u;
	uint32_t a = u & 0x7fffffffu;

	if (a > 0x7f800000u) {
		return (kseek_float16)(sign | 0x7e00u | ((a >> 13) & 0x3ffu));
	}
	if (a >= 0x477ff000u) {		/* rounds beyond 65504 */
		return (kseek_float16)(sign | 0x7c00u);
	}
	if (a < 0x38800000u) {		/* below 2^-14: in units of 2^-24 */
		float sum = kseek_float_of_bits(a) + 0.5f;

		return (kseek_float16)(sign | (kseek_bits_of_float(sum) - 0x3f000000u));
	}
	return (kseek_float16)(sign | ((a + 0xfffu + ((a >> 13) & 1u) - 0x38000000u) >> 13));
}

#endif

/* float8: values beyond the largest one become the largest one, as with the
 * saturating conversion of the CUDA toolkit; NaN stays NaN */

KSEEK_FN float kseek_f8_e4m3fn_to_f32(kseek_float8_e4m3fn h)
{
	uint32_t sign = (uint32_t)(h & 0x80u) << 24;
	uint32_t a = h & 0x7fu;

	if (a == 0x7fu) {
		return kseek_float_of_bits(sign | 0x7fc00000u);
	}
	if (a < 8u) {
		float tiny = (float)a * 0.001953125f;

		return kseek_float_of_bits(sign | kseek_bits_of_float(tiny));
	}
	return kseek_float_of_bits(sign | ((a << 20) + (120u << 23)));
}

KSEEK_FN kseek_float8_e4m3fn kseek_f32_to_f8_e4m3fn(float x)
{
	uint32_t u = kseek_bits_of_float(x);
	uint32_t sign = (u >> 24) & 0x80u;
	uint32_t a = u & 0x7fffffffu;
	uint32_t code;

	if (a > 0x7f800000u) {
		return (kseek_float8_e4m3fn)(sign | 0x7fu);
	}
	if (a < 0x3c800000u) {		/* below 2^-6: in units of 2^-9 */
		float sum = kseek_float_of_bits(a) + 16384.0f;

		return (kseek_float8_e4m3fn)(sign | (kseek_bits_of_float(sum) - 0x46800000u));
	}
	code = ((a + 0x7ffffu + ((a >> 20) & 1u)) >> 20) - (120u << 3);
	return (kseek_float8_e4m3fn)(sign | (code > 0x7eu ? 0x7eu : code));
}

KSEEK_FN float kseek_f8_e5m2_to_f32(kseek_float8_e5m2 h)
{
	return kseek_f16_to_f32((kseek_float16)((uint32_t)h << 8));
}

KSEEK_FN kseek_float8_e5m2 kseek_f32_to_f8_e5m2(float x)
{
	uint32_t u = kseek_bits_of_float(x);
	uint32_t sign = (u >> 24) & 0x80u;
	uint32_t a = u & 0x7fffffffu;
	uint32_t code;

	if (a > 0x7f800000u) {
		return (kseek_float8_e5m2)(sign | 0x7eu);
	}
	if (a < 0x38800000u) {		/* below 2^-14: in units of 2^-16 */
		float sum = kseek_float_of_bits(a) + 128.0f;

		return (kseek_float8_e5m2)(sign | (kseek_bits_of_float(sum) - 0x43000000u));
	}
	code = ((a + 0xfffffu + ((a >> 21) & 1u)) >> 21) - (112u << 2);
	return (kseek_float8_e5m2)(sign | (code > 0x7bu ? 0x7bu : code));
}

/* Element i of a tensor of a floating type, as float. 0 for any other type. */
KSEEK_FN float kseek_load(const void *data, int32_t dtype, int64_t i)
{
	switch (dtype) {
	case KSEEK_FLOAT32:
		return ((const float *)data)[i];
	case KSEEK_FLOAT64:
		return (float)((const double *)data)[i];
	case KSEEK_FLOAT16:
		return kseek_f16_to_f32(((const kseek_float16 *)data)[i]);
	case KSEEK_BFLOAT16:
		return kseek_bf16_to_f32(((const kseek_bfloat16 *)data)[i]);
	case KSEEK_FLOAT8_E4M3FN:
		return kseek_f8_e4m3fn_to_f32(((const kseek_float8_e4m3fn *)data)[i]);
	case KSEEK_FLOAT8_E5M2:
		return kseek_f8_e5m2_to_f32(((const kseek_float8_e5m2 *)data)[i]);
	default:
		return 0.0f;
	}
}

/* The way back, rounded; does nothing for a type that is not floating. */
KSEEK_FN void kseek_store(void *data, int32_t dtype, int64_t i, float x)
{
	switch (dtype) {
	case KSEEK_FLOAT32:
		((float *)data)[i] = x;
		break;
	case KSEEK_FLOAT64:
		((double *)data)[i] = (double)x;
		break;
	case KSEEK_FLOAT16:
		((kseek_float16 *)data)[i] = kseek_f32_to_f16(x);
		break;
	case KSEEK_BFLOAT16:
		((kseek_bfloat16 *)data)[i] = kseek_f32_to_bf16(x);
		break;
	case KSEEK_FLOAT8_E4M3FN:
		((kseek_float8_e4m3fn *)data)[i] = kseek_f32_to_f8_e4m3fn(x);
		break;
	case KSEEK_FLOAT8_E5M2:
		((kseek_float8_e5m2 *)data)[i] = kseek_f32_to_f8_e5m2(x);
		break;
	default:
		break;
	}
}

#ifdef __cplusplus
}
#endif

#endif
