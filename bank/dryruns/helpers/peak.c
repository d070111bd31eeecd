/*
 * The rate of float multiply-adds that a plain loop reaches here, in GFLOP/s: 64
 * sums that do not depend on each other, as wide as the compiler makes them.
 */
#include <stdio.h>
#include <time.h>

#define SUMS 64
#define STEPS 100000

static float sum[SUMS];

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(void)
{
	const float x = 1.0000001f;
	double best = 1e300;

	for (int r = 0; r < 30; r++) {
		float s[SUMS];
		double t = now();

		for (int j = 0; j < SUMS; j++) {
			s[j] = (float)(r + j);
		}
		for (int i = 0; i < STEPS; i++) {
			for (int j = 0; j < SUMS; j++) {
				s[j] = s[j] * x + 0.5f;
			}
		}
		for (int j = 0; j < SUMS; j++) {
			sum[j] += s[j];
		}
		__asm__ volatile("" ::: "memory");
		t = now() - t;
		best = t < best ? t : best;
	}
	printf("%f\n", 2.0 * SUMS * STEPS / best);
	return 0;
}
