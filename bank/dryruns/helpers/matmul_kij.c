/* The product with the two outer loops of the seed exchanged: float32 only. */
#include <stdint.h>

int matmul(const void *a, const void *b, void *c, int32_t elem, int64_t m, int64_t n, int64_t k);

int matmul(const void *a, const void *b, void *c, int32_t elem, int64_t m, int64_t n, int64_t k)
{
	const float *left = a;
	const float *right = b;
	float *to = c;

	for (int64_t i = 0; i < m * n; i++) {
		to[i] = 0.0f;
	}
	for (int64_t l = 0; l < k; l++) {
		for (int64_t i = 0; i < m; i++) {
			const float x = left[i * k + l];

			for (int64_t j = 0; j < n; j++) {
				to[i * n + j] += x * right[l * n + j];
			}
		}
	}
	return elem == 0 ? 0 : 1;
}
