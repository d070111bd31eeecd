/*
 * Calls the attention of a C kernel without kseek, for dry runs.
 *
 *   cc -O3 -march=native -I$PROBLEM attend.c kernel.c -o attend -lm
 *   attend MODE Q K HEADS_Q HEADS_KV DIM CAUSAL [BATCH [PAGE [N]]]
 *
 * Q and K are of each sequence of the batch; PAGE 0: keys in one piece. Times are the
 * least of N (default 50), in ns. With COUNTS the kernel comes from counted.c of the
 * current folder (attend.sed) and counts in ks_count.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

#ifdef COUNTS
#define ROWS 65536
/* Scores, rescales, reads of the page table; of each row its least time. */
static double ks_count[3], row_from, row_ns[ROWS];
static size_t row_at;

static void row_begins(void)
{
	row_from = now();
}

static void row_ends(void)
{
	double ns = now() - row_from;
	double *least = &row_ns[row_at++ % ROWS];

	*least = *least == 0 || ns < *least ? ns : *least;
}
#include "counted.c"
#else
int attention_forward(const float *q, const float *k, const float *v,
	const int32_t *cu_seqlens_q, const int32_t *cu_seqlens_k, const int32_t *seqused_k,
	const int32_t *page_table, const float *sink, const float *q_descale,
	const float *k_descale, const float *v_descale, float *out, float *lse, int32_t elem,
	int64_t batch, int64_t total_q, int64_t kv_rows, int64_t heads_q, int64_t heads_kv,
	int64_t dim_qk, int64_t dim_v, int64_t page_size, int64_t table_width, int64_t max_q,
	int64_t max_k, int32_t causal, int32_t window_left, int32_t window_right, float softcap,
	float scale);
#endif

static int64_t queries, keys, heads_q, heads_kv, dim, causal, batch = 1, page, times = 50;
static float *q, *k, *v, *out, *lse;
static int32_t *cu_q, *used_k, *pages;

static int64_t width(void)
{
	return page > 0 ? (keys + page - 1) / page : 0;
}

static void call(void)
{
	if (attention_forward(q, k, v, cu_q, NULL, used_k, pages, NULL, NULL, NULL, NULL, out, lse,
			0, batch, batch * queries, batch * keys, heads_q, heads_kv, dim, dim, page,
			width(), queries, keys, (int32_t)causal, -1, -1, 0.0f,
			1.0f / sqrtf((float)dim)) != 0) {
		exit(4);
	}
}

static void *room(int64_t count, size_t each)
{
	void *p = calloc((size_t)count + 64, each);

	if (p == NULL) {
		exit(3);
	}
	return p;
}

static float *numbers(int64_t count)
{
	static unsigned s = 1;
	float *to = room(count, sizeof(float));

	for (int64_t i = 0; i < count; i++) {
		s = s * 1664525u + 1013904223u;
		to[i] = (float)(s >> 8) / 0x1p23f - 1.0f;
	}
	return to;
}

static void inputs(void)
{
	const int64_t rows = batch * (page > 0 ? width() * page : keys);

	q = numbers(batch * queries * heads_q * dim);
	k = numbers(rows * heads_kv * dim);
	v = numbers(rows * heads_kv * dim);
	out = room(batch * queries * heads_q * dim, sizeof(float));
	lse = room(batch * queries * heads_q, sizeof(float));
	cu_q = room(batch + 1, sizeof(int32_t));
	used_k = room(batch, sizeof(int32_t));
	pages = page > 0 ? room(batch * width(), sizeof(int32_t)) : NULL;
	for (int64_t b = 0; b <= batch; b++) {
		cu_q[b] = (int32_t)(b * queries);
		used_k[b] = (int32_t)keys;
	}
	for (int64_t i = 0; i < batch * width(); i++) {
		pages[i] = (int32_t)i;
	}
}

static double least(void)
{
	double best = 1e300;

	for (int64_t i = 0; i < times; i++) {
		double t = now();

		call();
		t = now() - t;
		best = t < best ? t : best;
	}
	return best;
}

#ifdef COUNTS
static void counts(void)
{
	double seen = 0;

	for (int64_t i = 0; i < queries; i++) {
		seen += (double)(causal ? i + keys - queries + 1 : keys);
	}
	seen *= (double)(batch * heads_q);
	memset(ks_count, 0, sizeof(ks_count));
	call();
	printf("scores %.0f\nrescales %.0f\nreads %.0f\nseen %.0f\nrows %.0f\n", ks_count[0],
		ks_count[1], ks_count[2], seen, (double)(batch * heads_q * queries));
}

/* The longest row over the mean, each row's least time of all calls. */
static double longest_over_mean(void)
{
	const size_t rows = (size_t)(batch * heads_q * queries);
	double sum = 0, longest = 0;

	if (rows > ROWS) {
		exit(5);
	}
	for (int64_t i = 0; i < times; i++) {
		row_at = 0;
		call();
	}
	for (size_t i = 0; i < rows; i++) {
		sum += row_ns[i];
		longest = row_ns[i] > longest ? row_ns[i] : longest;
	}
	return longest * (double)rows / sum;
}
#endif

int main(int argc, char **argv)
{
	int64_t *const to[] = {&queries, &keys, &heads_q, &heads_kv, &dim, &causal, &batch, &page,
		&times};
	const char *mode = argc > 1 ? argv[1] : "";

	if (argc < 8) {
		fprintf(stderr, "attend: MODE Q K HEADS_Q HEADS_KV DIM CAUSAL ...\n");
		return 2;
	}
	for (int i = 2; i < argc && i < 11; i++) {
		*to[i - 2] = strtoll(argv[i], NULL, 10);
	}
	inputs();
	if (strcmp(mode, "calls") == 0) {
		for (int64_t i = 0; i < times; i++) {
			call();
		}
	} else if (strcmp(mode, "time") == 0) {
		printf("%.1f\n", least());
#ifdef COUNTS
	} else if (strcmp(mode, "counts") == 0) {
		counts();
	} else if (strcmp(mode, "longest") == 0) {
		printf("%.4f\n", longest_over_mean());
#endif
	} else {
		fprintf(stderr, "attend: no mode '%s'\n", mode);
		return 2;
	}
	return 0;
}
