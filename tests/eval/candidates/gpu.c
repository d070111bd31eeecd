/* What a kernel of target cuda sees and can do: STREAM, the last argument is the
 * worker's stream; BREAK, the context breaks in the larger scenario. */
#include <stdint.h>

__attribute__((weak)) void fake_cuda_break(int code); /* of fake_cuda.c */

int blend(const float *x, const float *y, float *out, float *total, int64_t n, float alpha,
	void *stream)
{
	double sum = 0;
	if (stream != (void *)(uintptr_t)0x5eed) {
		return 9;
	}
#ifdef BREAK
	if (n > BREAK) {
		fake_cuda_break(700);
	}
#endif
	for (int64_t i = 0; i < n; i++) {
		double v = (double)alpha * x[i] + (double)y[i] * y[i];
		sum += v;
		out[i] = (float)v;
	}
	total[0] = (float)sum;
	return 0;
}
