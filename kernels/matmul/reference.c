/* Matrix product: the plainest correct computation, summed in double. */
#include <stdint.h>

int matmul(const float *a, const float *b, float *c, int64_t m, int64_t n, int64_t k);

int matmul(const float *a, const float *b, float *c, int64_t m, int64_t n, int64_t k)
{
	for (int64_t i = 0; i < m; i++) {
		for (int64_t j = 0; j < n; j++) {
			double sum = 0.0;

			for (int64_t l = 0; l < k; l++) {
				sum += (double)a[i * k + l] * b[l * n + j];
			}
			c[i * n + j] = (float)sum;
		}
	}
	return 0;
}
