/*
 * A mixture of experts made of the shipped matrix product, for dry runs: each token
 * goes to two of the experts; their rows are gathered, multiplied by the expert's
 * weights in one product, and added to the result.
 *
 *   cc -O3 -march=native -I$PROBLEM experts.c kernel.c -o experts -lm
 *   experts MODE ROUTING TOKENS [GB_PER_S GFLOP_PER_S]
 *
 * ROUTING: even, skewed (an expert gets half of what the one before it got), same
 * (all tokens to the same two). Every mode prints one figure; times are the least of
 * 30, in us.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EXPERTS 8
#define WIDTH 256		/* of a token, in and out */
#define TIMES 30

int matmul(const void *a, const void *b, void *c, int32_t elem, int64_t m, int64_t n, int64_t k);

static float *weights, *in, *out, *gathered, *products;
static int (*route)[2];
static int tokens;
static bool free_of_adding;	/* the results stay where they are */
static double moved;		/* bytes of gathering and adding back */
static double spent[EXPERTS];	/* us of each expert's product */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static float *room(size_t count)
{
	float *p = calloc(count + 64, sizeof(float));

	if (p == NULL) {
		exit(3);
	}
	return p;
}

static void choose(const char *routing)
{
	unsigned s = 1;

	for (int t = 0; t < tokens; t++) {
		for (int i = 0; i < 2; i++) {
			s = s * 1664525u + 1013904223u;
			double r = (double)(s >> 8) / 0x1p24;
			int e = (int)(r * EXPERTS);

			if (strcmp(routing, "skewed") == 0) {
				for (e = 0; e < EXPERTS - 1 && r < 0.5; e++) {
					r *= 2;
				}
			} else if (strcmp(routing, "same") == 0) {
				e = i;
			}
			route[t][i] = i == 1 && e == route[t][0] ? (e + 1) % EXPERTS : e;
		}
	}
}

static void expert(int e)
{
	int rows = 0;

	for (int t = 0; t < tokens; t++) {
		if (route[t][0] == e || route[t][1] == e) {
			memcpy(gathered + (size_t)rows++ * WIDTH, in + (size_t)t * WIDTH,
				WIDTH * sizeof(float));
		}
	}
	if (rows == 0) {
		return;
	}
	double from = now();

	if (matmul(gathered, weights + (size_t)e * WIDTH * WIDTH, products, 0, rows, WIDTH,
			WIDTH) != 0) {
		exit(4);
	}
	from = now() - from;
	spent[e] = spent[e] == 0 || from < spent[e] ? from : spent[e];
	rows = 0;
	for (int t = 0; t < tokens && !free_of_adding; t++) {
		if (route[t][0] == e || route[t][1] == e) {
			const float *row = products + (size_t)rows++ * WIDTH;

			for (int c = 0; c < WIDTH; c++) {
				out[(size_t)t * WIDTH + c] += row[c];
			}
		}
	}
	/* gathered: read and written; added: the product read, the result read and written */
	moved += 5.0 * rows * WIDTH * sizeof(float);
}

static void call(void)
{
	moved = 0;
	memset(out, 0, (size_t)tokens * WIDTH * sizeof(float));
	for (int e = 0; e < EXPERTS; e++) {
		expert(e);
	}
}

/* Turns the caches over. */
static void flush(void)
{
	static char wall[96 << 20];

	for (size_t i = 0; i < sizeof(wall); i += 64) {
		wall[i]++;
	}
}

static double least(bool cold)
{
	double best = 1e300;

	for (int i = 0; i < TIMES; i++) {
		if (cold) {
			flush();
		}
		double t = now();

		call();
		t = now() - t;
		best = t < best ? t : best;
	}
	return best;
}

static int touched(void)
{
	int n = 0;

	for (int e = 0; e < EXPERTS; e++) {
		n += spent[e] > 0;
	}
	return n;
}

/* us that the bytes or the operations of this routing take at least. */
static double roofline(double gbs, double gflops)
{
	double bytes = 4.0 * ((double)touched() * WIDTH * WIDTH + 2.0 * tokens * WIDTH);
	double flops = 2.0 * 2 * tokens * WIDTH * WIDTH;
	double a = bytes / gbs / 1e3, b = flops / gflops / 1e3;

	return a > b ? a : b;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	double gbs = argc > 4 ? strtod(argv[4], NULL) : 1;
	double gflops = argc > 5 ? strtod(argv[5], NULL) : 1;

	tokens = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 64;
	weights = room((size_t)EXPERTS * WIDTH * WIDTH);
	in = room((size_t)tokens * WIDTH);
	out = room((size_t)tokens * WIDTH);
	gathered = room((size_t)tokens * WIDTH);
	products = room((size_t)tokens * WIDTH);
	route = calloc((size_t)tokens + 1, sizeof(*route));
	if (route == NULL) {
		return 3;
	}
	for (size_t i = 0; i < (size_t)EXPERTS * WIDTH * WIDTH; i++) {
		weights[i] = (float)(i % 17) - 8.0f;
	}
	for (size_t i = 0; i < (size_t)tokens * WIDTH; i++) {
		in[i] = (float)(i % 13) - 6.0f;
	}
	choose(argc > 2 ? argv[2] : "even");
	free_of_adding = strcmp(mode, "free") == 0;
	double us = least(strcmp(mode, "above") == 0), sum = 0, longest = 0;

	for (int e = 0; e < EXPERTS; e++) {
		sum += spent[e];
		longest = spent[e] > longest ? spent[e] : longest;
	}
	if (strcmp(mode, "time") == 0) {
		printf("%.3f\n", us);
	} else if (strcmp(mode, "above") == 0) {	/* cold, the floor of the weights' bytes */
		printf("%.3f\n", us - 4.0 * touched() * WIDTH * WIDTH / gbs / 1e3);
	} else if (strcmp(mode, "times") == 0) {	/* the roofline of this routing */
		printf("%.4f\n", us / roofline(gbs, gflops));
	} else if (strcmp(mode, "free") == 0) {	/* without adding back, above the roofline */
		printf("%.3f\n", us - roofline(gbs, gflops));
	} else if (strcmp(mode, "moved") == 0) {	/* bytes over input and output */
		printf("%.4f\n", moved / (2.0 * tokens * WIDTH * sizeof(float)));
	} else if (strcmp(mode, "longest") == 0) {
		printf("%.4f\n", longest * touched() / sum);
	} else {
		fprintf(stderr, "experts: no mode '%s'\n", mode);
		return 2;
	}
	return 0;
}
