#include <stdint.h>

/* Four sums side by side. */
int blend(const float *x, const float *y, float *out, float *total, int64_t n, float alpha)
{
	double sum[4] = {0, 0, 0, 0};
	int64_t i = 0;
	for (; i + 4 <= n; i += 4) {
		for (int k = 0; k < 4; k++) {
			double v = (double)alpha * x[i + k] + (double)y[i + k] * y[i + k];
			out[i + k] = (float)v;
			sum[k] += v;
		}
	}
	for (; i < n; i++) {
		double v = (double)alpha * x[i] + (double)y[i] * y[i];
		out[i] = (float)v;
		sum[0] += v;
	}
	total[0] = (float)(sum[0] + sum[1] + sum[2] + sum[3]);
	return 0;
}
