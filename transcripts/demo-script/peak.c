/*
 * How many float32 operations a second one core does when nothing but
 * multiply-add runs on registers:  cc -O3 -march=native peak.c -o peak
 */
#include <stdio.h>
#include <time.h>

typedef float vec __attribute__((vector_size(32)));

int main(void)
{
	const vec x = {0.999f, 0.998f, 0.997f, 0.996f, 0.995f, 0.994f, 0.993f, 0.992f};
	const vec y = {1e-3f, 2e-3f, 3e-3f, 4e-3f, 5e-3f, 6e-3f, 7e-3f, 8e-3f};
	const long steps = 4000000;
	double best = 0.0;

	for (int round = 0; round < 5; round++) {
		vec a = x, b = y, c = x, d = y, e = x, f = y, g = x, h = y, i = x, j = y;
		struct timespec from, to;
		double s;

		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
		for (long n = 0; n < steps; n++) {
			a = a * x + y;
			b = b * x + y;
			c = c * x + y;
			d = d * x + y;
			e = e * x + y;
			f = f * x + y;
			g = g * x + y;
			h = h * x + y;
			i = i * x + y;
			j = j * x + y;
			__asm__ volatile("" ::: "memory");
		}
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
		s = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
		a += b + c + d + e + f + g + h + i + j;
		if (a[0] != a[0]) {
			return 1;
		}
		best = (double)steps * 10 * 16 / s > best ? (double)steps * 10 * 16 / s : best;
	}
	printf("%.1f GFLOP/s of multiply-add in registers\n", best * 1e-9);
	return 0;
}
