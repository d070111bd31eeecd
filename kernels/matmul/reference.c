/* Matrix product: the plainest correct computation, summed in double. */
#include <stdint.h>

#include "kseek_kernel.h"

int matmul(const void *a, const void *b, void *c, int32_t elem, int64_t m, int64_t n, int64_t k);

int matmul(const void *a, const void *b, void *c, int32_t elem, int64_t m, int64_t n, int64_t k)
{
	if (elem != KSEEK_FLOAT32 && elem != KSEEK_FLOAT16 && elem != KSEEK_BFLOAT16) {
		return 1;
	}
	for (int64_t i = 0; i < m; i++) {
		for (int64_t j = 0; j < n; j++) {
			double sum = 0.0;

			for (int64_t l = 0; l < k; l++) {
				sum += (double)kseek_load(a, elem, i * k + l)
					* kseek_load(b, elem, l * n + j);
			}
			kseek_store(c, elem, i * n + j, (float)sum);
		}
	}
	return 0;
}
