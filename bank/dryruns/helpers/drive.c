/*
 * Calls a C kernel without kseek, for dry runs: built with the kernel's own file,
 * once for each shipped problem that has recipes.
 *
 *   cc -O3 -march=native -DPROBLEM_matmul -I$PROBLEM drive.c kernel.c -lm
 *   drive MODE A B C [N]   sizes: m n k, or rows cols 0
 *
 * Every mode prints one figure, or two on a line. Times are the least of N
 * (default 200) unless a mode says otherwise.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static size_t in_bytes[2], out_bytes;
static void *in[2], *out;
static int64_t size[3];
static int32_t elem; /* DRIVE_ELEM: 0 float32, 2 float16, 3 bfloat16 */

#if defined(PROBLEM_matmul)
int matmul(const void *a, const void *b, void *c, int32_t elem, int64_t m, int64_t n, int64_t k);

static int call(void)
{
	return matmul(in[0], in[1], out, elem, size[0], size[1], size[2]);
}

static void sizes(void)
{
	size_t each = elem == 0 ? 4 : 2;

	in_bytes[0] = each * (size_t)(size[0] * size[2]);
	in_bytes[1] = each * (size_t)(size[2] * size[1]);
	out_bytes = each * (size_t)(size[0] * size[1]);
}

/* Worst error over the bound k * u * sum |a b|, u half a unit of the last place. */
static double error_ratio(void)
{
	double worst = 0;

	for (int64_t i = 0; i < size[0]; i++) {
		for (int64_t j = 0; j < size[1]; j++) {
			double sum = 0, mass = 0;

			for (int64_t l = 0; l < size[2]; l++) {
				double p = (double)((float *)in[0])[i * size[2] + l]
					* ((float *)in[1])[l * size[1] + j];

				sum += p;
				mass += fabs(p);
			}
			double bound = (double)size[2] * 0x1p-24 * mass + 1e-300;
			double e = fabs(((float *)out)[i * size[1] + j] - sum) / bound;

			worst = e > worst ? e : worst;
		}
	}
	return worst;
}
#elif defined(PROBLEM_rmsnorm)
int rmsnorm(const void *x, const void *weight, void *to, int32_t elem, int64_t rows,
	int64_t cols, float eps);

static int call(void)
{
	return rmsnorm(in[0], in[1], out, elem, size[0], size[1], 1e-6f);
}

static void sizes(void)
{
	size_t each = elem == 0 ? 4 : 2;

	in_bytes[0] = out_bytes = each * (size_t)(size[0] * size[1]);
	in_bytes[1] = each * (size_t)size[1];
}

/* Worst error of a row over the bound cols * u * |y|, u half a unit of the last place. */
static double error_ratio(void)
{
	const float *x = in[0], *w = in[1], *y = out;
	double worst = 0;

	for (int64_t r = 0; r < size[0]; r++, x += size[1], y += size[1]) {
		double sum = 0;

		for (int64_t c = 0; c < size[1]; c++) {
			sum += (double)x[c] * x[c];
		}
		double factor = 1 / sqrt(sum / (double)size[1] + 1e-6);

		for (int64_t c = 0; c < size[1]; c++) {
			double v = x[c] * factor * w[c];
			double e = fabs(y[c] - v) / ((double)size[1] * 0x1p-24 * fabs(v) + 1e-300);

			worst = e > worst ? e : worst;
		}
	}
	return worst;
}
#endif

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void *room(size_t bytes)
{
	void *p = aligned_alloc(256, (bytes + 511) / 256 * 256);

	if (p == NULL) {
		exit(3);
	}
	memset(p, 0, (bytes + 511) / 256 * 256);
	return p;
}

/* Floats (in pairs of bytes they are no odd 16-bit floats either). */
static void fill(const char *how)
{
	unsigned s = 1;

	for (int i = 0; i < 2; i++) {
		float *to = in[i];

		for (size_t e = 0; e < in_bytes[i] / 4; e++) {
			s = s * 1664525u + 1013904223u;
			float v = (float)(s >> 8) / 0x1p23f - 1.0f;

			to[e] = strcmp(how, "zeros") == 0 ? 0.0f :
				strcmp(how, "tiny") == 0 ? v * 0x1p-130f :
				strcmp(how, "ones") == 0 ? 1.0f : v;
		}
	}
}

static void flush(void)
{
	static char *wall;
	const size_t n = 96u << 20;

	if (wall == NULL) {
		wall = room(n);
	}
	for (size_t i = 0; i < n; i += 64) {
		wall[i]++;
	}
}

static double least(int n, int cold)
{
	double best = 1e300;

	for (int i = 0; i < n; i++) {
		if (cold) {
			flush();
		}
		double t = now();

		if (call() != 0) {
			exit(4);
		}
		t = now() - t;
		best = t < best ? t : best;
	}
	return best;
}

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static long faults(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return r.ru_minflt + r.ru_majflt;
}

static __attribute__((noinline)) int nothing(void)
{
	__asm__ volatile("");
	return 0;
}

static double empty_call(void)
{
	double best = 1e300;

	for (int r = 0; r < 200; r++) {
		double t = now();

		for (int i = 0; i < 5000; i++) {
			nothing();
		}
		t = (now() - t) / 5000;
		best = t < best ? t : best;
	}
	return best;
}

static uint64_t sum_of_output(void)
{
	uint64_t h = 1469598103934665603u;

	for (size_t i = 0; i < out_bytes; i++) {
		h = (h ^ ((unsigned char *)out)[i]) * 1099511628211u;
	}
	return h;
}

static int differing(int n)
{
	call();
	uint64_t first = sum_of_output();
	int count = 0;

	for (int i = 0; i < n; i++) {
		memset(out, i, out_bytes);
		call();
		count += sum_of_output() != first;
	}
	return count;
}

static double by_values(int n)
{
	static const char *const how[] = {"normal", "zeros", "tiny", "ones"};
	double low = 1e300, high = 0;

	for (int i = 0; i < 4; i++) {
		fill(how[i]);
		double t = least(n, 0);

		low = t < low ? t : low;
		high = t > high ? t : high;
	}
	return high / low;
}

/* Wall time of a call in which this process did not run; least of n. */
static double outside(int n)
{
	double best = 1e300;

	for (int i = 0; i < n; i++) {
		double cpu = cpu_ns(), wall = now();

		call();
		wall = now() - wall;
		wall -= cpu_ns() - cpu;
		best = wall < best ? wall : best;
	}
	return best > 0 ? best : 0;
}

/* Time of a call in a run of n, the best of forty, over that of one after a flush. */
static double in_a_row(int n)
{
	double alone = least(9, 1), best = 1e300;

	for (int r = 0; r < 40; r++) {
		double t = now();

		for (int i = 0; i < n; i++) {
			call();
		}
		t = now() - t;
		best = t < best ? t : best;
	}
	return best / n / alone;
}

static long faults_later(int n)
{
	for (int i = 0; i < 3; i++) {
		call();
	}
	long before = faults();

	for (int i = 0; i < n; i++) {
		call();
	}
	return faults() - before;
}

/* The core's clock in GHz by a chain of additions of one cycle each. */
static double clock_ghz(void)
{
	double best = 1e300;

	for (int r = 0; r < 20; r++) {
		uint64_t x = 1;
		double t = now();

		for (int i = 0; i < 1000000; i++) {
			__asm__ volatile("add $1,%0\n\tadd $1,%0\n\tadd $1,%0\n\tadd $1,%0\n\t"
				"add $1,%0\n\tadd $1,%0\n\tadd $1,%0\n\tadd $1,%0" : "+r"(x));
		}
		t = now() - t;
		best = t < best ? t : best;
	}
	return 8e6 / best;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int n = argc > 5 ? (int)strtol(argv[5], NULL, 10) : 200;

	for (int i = 0; i < 3; i++) {
		size[i] = argc > i + 2 ? strtoll(argv[i + 2], NULL, 10) : 64;
	}
	elem = (int32_t)strtol(getenv("DRIVE_ELEM") ? getenv("DRIVE_ELEM") : "0", NULL, 10);
	sizes();
	in[0] = room(in_bytes[0]);
	in[1] = room(in_bytes[1]);
	out = room(out_bytes);
	fill("normal");
	if (strcmp(mode, "calls") == 0) {
		for (int i = 0; i < n; i++) {
			call();
		}
		printf("%d\n", n);
	} else if (strcmp(mode, "coldcalls") == 0 || strcmp(mode, "flushes") == 0) {
		for (int i = 0; i < n; i++) {
			flush();
			if (mode[0] == 'c') {
				call();
			}
		}
		printf("%d\n", n);
	} else if (strcmp(mode, "time") == 0) {
		printf("%.1f\n", least(n, 0));
	} else if (strcmp(mode, "cold") == 0) {
		printf("%.4f\n", least(n, 1) / least(n, 0));
	} else if (strcmp(mode, "empty") == 0) {
		printf("%.3f\n", empty_call());
	} else if (strcmp(mode, "differing") == 0) {
		printf("%d\n", differing(n));
	} else if (strcmp(mode, "error") == 0) {
		call();
		printf("%.6f\n", error_ratio());
	} else if (strcmp(mode, "values") == 0) {
		printf("%.3f\n", by_values(n));
	} else if (strcmp(mode, "outside") == 0) {
		printf("%.1f\n", outside(n));
	} else if (strcmp(mode, "row") == 0) {
		printf("%.4f\n", in_a_row(n));
	} else if (strcmp(mode, "faults") == 0) {
		printf("%ld\n", faults_later(n));
	} else if (strcmp(mode, "clock") == 0) {
		printf("%.4f\n", clock_ghz());
	} else {
		fprintf(stderr, "drive: no mode '%s'\n", mode);
		return 2;
	}
	return 0;
}
