/*
 * Matrix product c = a b, row-major: a is m by k, b is k by n, c is m by n. For
 * float32 the innermost loop runs along rows of b and c, so that memory is read
 * in order; the narrow types are converted one by one. With k = 0 the product is
 * zero.
 */
#include <stdint.h>

#include "kseek_kernel.h"

int matmul(const void *a, const void *b, void *c, int32_t elem, int64_t m, int64_t n, int64_t k);

/* Two rows of c at a time: a row of b that was loaded serves both. */
static void product_f32(const float *restrict a, const float *restrict b, float *restrict c,
	int64_t m, int64_t n, int64_t k)
{
	int64_t i = 0;

	for (int64_t at = 0; at < m * n; at++) {
		c[at] = 0.0f;
	}
	for (; i + 2 <= m; i += 2) {
		float *restrict c0 = c + i * n, *restrict c1 = c0 + n;

		for (int64_t l = 0; l < k; l++) {
			const float x0 = a[i * k + l], x1 = a[(i + 1) * k + l];
			const float *restrict row = b + l * n;

			for (int64_t j = 0; j < n; j++) {
				c0[j] += x0 * row[j];
				c1[j] += x1 * row[j];
			}
		}
	}
	for (; i < m; i++) {
		for (int64_t l = 0; l < k; l++) {
			const float x = a[i * k + l];

			for (int64_t j = 0; j < n; j++) {
				c[i * n + j] += x * b[l * n + j];
			}
		}
	}
}

static void product_narrow(const void *a, const void *b, void *c, int32_t elem, int64_t m,
	int64_t n, int64_t k)
{
	for (int64_t i = 0; i < m; i++) {
		for (int64_t j = 0; j < n; j++) {
			float sum = 0.0f;

			for (int64_t l = 0; l < k; l++) {
				sum += kseek_load(a, elem, i * k + l)
					* kseek_load(b, elem, l * n + j);
			}
			kseek_store(c, elem, i * n + j, sum);
		}
	}
}

int matmul(const void *a, const void *b, void *c, int32_t elem, int64_t m, int64_t n, int64_t k)
{
	switch (elem) {
	case KSEEK_FLOAT32:
		product_f32(a, b, c, m, n, k);
		return 0;
	case KSEEK_FLOAT16:
	case KSEEK_BFLOAT16:
		product_narrow(a, b, c, elem, m, n, k);
		return 0;
	default:
		return 1;
	}
}
