/* RMS normalisation: the plainest correct computation, in double, rounded once. */
#include <math.h>
#include <stdint.h>

#include "kseek_kernel.h"

int rmsnorm(const void *x, const void *weight, void *out, int32_t elem, int64_t rows,
	int64_t cols, float eps);

int rmsnorm(const void *x, const void *weight, void *out, int32_t elem, int64_t rows,
	int64_t cols, float eps)
{
	if (elem != KSEEK_FLOAT32 && elem != KSEEK_FLOAT16 && elem != KSEEK_BFLOAT16) {
		return 1;
	}
	for (int64_t r = 0; r < rows; r++) {
		double sum = 0.0;

		for (int64_t c = 0; c < cols; c++) {
			double v = kseek_load(x, elem, r * cols + c);

			sum += v * v;
		}
		for (int64_t c = 0; c < cols; c++) {
			double v = kseek_load(x, elem, r * cols + c);
			double w = kseek_load(weight, elem, c);

			kseek_store(out, elem, r * cols + c,
				(float)(v / sqrt(sum / (double)cols + eps) * w));
		}
	}
	return 0;
}
