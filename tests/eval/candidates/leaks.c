#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Keeps a little of every call for ever. */
static char *volatile last;

int blend(const float *x, const float *y, float *out, float *total, int64_t n, float alpha)
{
	double sum = 0;
	char *kept = malloc(256 * 1024);
	if (kept == NULL) {
		return 1;
	}
	memset(kept, 1, 256 * 1024);
	last = kept;
	for (int64_t i = 0; i < n; i++) {
		double v = (double)alpha * x[i] + (double)y[i] * y[i];
		out[i] = (float)v;
		sum += v;
	}
	total[0] = (float)sum;
	return 0;
}
