#include <stdint.h>

/* Leaves out for whoever wrote there before. */
int blend(const float *x, const float *y, float *out, float *total, int64_t n, float alpha)
{
	double sum = 0;
	for (int64_t i = 0; i < n; i++) {
		sum += (double)alpha * x[i] + (double)y[i] * y[i];
	}
	total[0] = (float)sum;
	(void)out;
	return 0;
}
