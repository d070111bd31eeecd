#include <stdint.h>
#include <stdlib.h>

/* Keeps memory between calls, not answers. */
static double *space;
static int64_t room;

int blend(const float *x, const float *y, float *out, float *total, int64_t n, float alpha)
{
	if (room < n) {
		double *more = realloc(space, (size_t)n * sizeof(double));
		if (more == NULL) {
			return 1;
		}
		space = more;
		room = n;
	}
	double sum = 0;
	for (int64_t i = 0; i < n; i++) {
		space[i] = (double)alpha * x[i] + (double)y[i] * y[i];
	}
	for (int64_t i = 0; i < n; i++) {
		out[i] = (float)space[i];
		sum += space[i];
	}
	total[0] = (float)sum;
	return 0;
}
