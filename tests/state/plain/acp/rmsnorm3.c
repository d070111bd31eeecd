/*
 * RMS normalisation: every row of x is divided by the root of the mean of its
 * squares (plus eps) and multiplied by weight. x, weight and out have the type
 * elem; the arithmetic is float.
 */
#include <math.h>
#include <stdint.h>

#include "kseek_kernel.h"

int rmsnorm(const void *x, const void *weight, void *out, int32_t elem, int64_t rows,
	int64_t cols, float eps);

#define LANES 32

/* The sum of squares in lanes, so that one add need not wait for the other. */
static float squares(const float *x, int64_t cols)
{
	float lane[LANES] = {0};
	float sum = 0.0f;
	int64_t c = 0;

	for (; c + LANES <= cols; c += LANES) {
		for (int l = 0; l < LANES; l++) {
			lane[l] += x[c + l] * x[c + l];
		}
	}
	for (; c < cols; c++) {
		sum += x[c] * x[c];
	}
	for (int l = 0; l < LANES; l++) {
		sum += lane[l];
	}
	return sum;
}

static void rows_f32(const float *x, const float *w, float *out, int64_t rows, int64_t cols,
	float eps)
{
	for (int64_t r = 0; r < rows; r++, x += cols, out += cols) {
		const float factor = 1.0f / sqrtf(squares(x, cols) / (float)cols + eps);

		for (int64_t c = 0; c < cols; c++) {
			out[c] = x[c] * factor * w[c];
		}
	}
}

static void rows_f16(const kseek_float16 *x, const kseek_float16 *w, kseek_float16 *out,
	int64_t rows, int64_t cols, float eps)
{
	for (int64_t r = 0; r < rows; r++, x += cols, out += cols) {
		float sum = 0.0f;
		float factor;

		for (int64_t c = 0; c < cols; c++) {
			const float v = kseek_f16_to_f32(x[c]);

			sum += v * v;
		}
		factor = 1.0f / sqrtf(sum / (float)cols + eps);
		for (int64_t c = 0; c < cols; c++) {
			out[c] = kseek_f32_to_f16(kseek_f16_to_f32(x[c]) * factor
				* kseek_f16_to_f32(w[c]));
		}
	}
}

static float squares_bf16(const kseek_bfloat16 *x, int64_t cols)
{
	float lane[LANES] = {0};
	float sum = 0.0f;
	int64_t c = 0;

	for (; c + LANES <= cols; c += LANES) {
		for (int l = 0; l < LANES; l++) {
			const float v = kseek_bf16_to_f32(x[c + l]);

			lane[l] += v * v;
		}
	}
	for (; c < cols; c++) {
		const float v = kseek_bf16_to_f32(x[c]);

		sum += v * v;
	}
	for (int l = 0; l < LANES; l++) {
		sum += lane[l];
	}
	return sum;
}

static void rows_bf16(const kseek_bfloat16 *x, const kseek_bfloat16 *w, kseek_bfloat16 *out,
	int64_t rows, int64_t cols, float eps)
{
	for (int64_t r = 0; r < rows; r++, x += cols, out += cols) {
		const float factor = 1.0f / sqrtf(squares_bf16(x, cols) / (float)cols + eps);

		for (int64_t c = 0; c < cols; c++) {
			out[c] = kseek_f32_to_bf16(kseek_bf16_to_f32(x[c]) * factor
				* kseek_bf16_to_f32(w[c]));
		}
	}
}

int rmsnorm(const void *x, const void *weight, void *out, int32_t elem, int64_t rows,
	int64_t cols, float eps)
{
	switch (elem) {
	case KSEEK_FLOAT32:
		rows_f32(x, weight, out, rows, cols, eps);
		return 0;
	case KSEEK_FLOAT16:
		rows_f16(x, weight, out, rows, cols, eps);
		return 0;
	case KSEEK_BFLOAT16:
		rows_bf16(x, weight, out, rows, cols, eps);
		return 0;
	default:
		return 1;
	}
}
