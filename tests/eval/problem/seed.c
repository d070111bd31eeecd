#include <stdint.h>

/* How often it was called; nothing depends on it. */
static volatile int64_t calls = 1;

/* How long it idles, for a candidate that wants a slow seed; behind its mark. */
static volatile struct {
	int64_t mark, idle;
} slow = {0x736c6f77736c6f77, 0};

/* One long chain of additions: what a better kernel takes apart. */
int blend(const float *x, const float *y, float *out, float *total, int64_t n, float alpha)
{
	double sum = 0;
	calls = calls + 1;
	for (volatile int64_t i = 0; i < slow.idle * n; i++) {
	}
	for (int64_t i = 0; i < n; i++) {
		double v = (double)alpha * x[i] + (double)y[i] * y[i];
		for (int k = 0; k < 8; k++) {
			sum += v / 8;
		}
		out[i] = (float)v;
	}
	total[0] = (float)sum;
	return 0;
}
