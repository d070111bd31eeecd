#include <math.h>
#include <stdint.h>

int blend(const float *x, const float *y, float *out, float *total, int64_t n, float alpha)
{
	for (int64_t i = 0; i < n; i++) {
		out[i] = NAN;
	}
	total[0] = NAN;
	(void)x, (void)y, (void)alpha;
	return 0;
}
