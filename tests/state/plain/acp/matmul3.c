/*
 * Matrix product c = a b, row-major: a is m by k, b is k by n, c is m by n. For
 * float32 the innermost loop runs along rows of b and c, so that memory is read
 * in order; the narrow types are converted one by one. With k = 0 the product is
 * zero.
 */
#include <stdint.h>

#include "kseek_kernel.h"

int matmul(const void *a, const void *b, void *c, int32_t elem, int64_t m, int64_t n, int64_t k);

#define ROWS 2
#define COLS 16

/* ROWS by COLS of c stay in registers over the whole depth. */
static void tile(const float *restrict a, const float *restrict b, float *restrict c, int64_t n,
	int64_t k)
{
	float sum[ROWS][COLS] = {{0}};

	for (int64_t l = 0; l < k; l++) {
		for (int r = 0; r < ROWS; r++) {
			const float x = a[r * k + l];

			for (int j = 0; j < COLS; j++) {
				sum[r][j] += x * b[l * n + j];
			}
		}
	}
	for (int r = 0; r < ROWS; r++) {
		for (int j = 0; j < COLS; j++) {
			c[r * n + j] = sum[r][j];
		}
	}
}

/* What no tile covers. */
static void edge(const float *restrict a, const float *restrict b, float *restrict c, int64_t n,
	int64_t k, int64_t rows, int64_t cols)
{
	for (int64_t i = 0; i < rows; i++) {
		for (int64_t j = 0; j < cols; j++) {
			c[i * n + j] = 0.0f;
		}
		for (int64_t l = 0; l < k; l++) {
			const float x = a[i * k + l];

			for (int64_t j = 0; j < cols; j++) {
				c[i * n + j] += x * b[l * n + j];
			}
		}
	}
}

static void product_f32(const float *restrict a, const float *restrict b, float *restrict c,
	int64_t m, int64_t n, int64_t k)
{
	const int64_t full = n / COLS * COLS;
	int64_t i = 0;

	for (; i + ROWS <= m; i += ROWS) {
		for (int64_t j = 0; j < full; j += COLS) {
			tile(a + i * k, b + j, c + i * n + j, n, k);
		}
		edge(a + i * k, b + full, c + i * n + full, n, k, ROWS, n - full);
	}
	edge(a + i * k, b, c + i * n, n, k, m - i, n);
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
