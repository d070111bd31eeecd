/*
 * Matrix product c = a b, row-major: a is m by k, b is k by n, c is m by n.
 * The innermost loop runs along rows of b and c, so that memory is read in
 * order. With k = 0 the product is zero.
 */
#include <stdint.h>

int matmul(const float *a, const float *b, float *c, int64_t m, int64_t n, int64_t k);

int matmul(const float *a, const float *b, float *c, int64_t m, int64_t n, int64_t k)
{
	for (int64_t i = 0; i < m; i++) {
		for (int64_t j = 0; j < n; j++) {
			c[i * n + j] = 0.0f;
		}
		for (int64_t l = 0; l < k; l++) {
			const float x = a[i * k + l];

			for (int64_t j = 0; j < n; j++) {
				c[i * n + j] += x * b[l * n + j];
			}
		}
	}
	return 0;
}
