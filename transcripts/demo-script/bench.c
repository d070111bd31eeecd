/*
 * Times kernel.c by itself, over and over on the same inputs, and counts what
 * a call asks of the system. The operations are those of the two products. Build it together with the kernel:
 *
 *   cc -O3 -march=native -Iproblem -Wl,--wrap=malloc,--wrap=calloc,--wrap=free \
 *      bench.c kernel.c -o bench -lm
 *
 *   ./bench prefill 200     one causal sequence of 176, four heads
 *   ./bench decode 200      four sequences, one query each, keys up to 512
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

int attention_forward(const float *q, const float *k, const float *v,
	const int32_t *cu_seqlens_q, const int32_t *cu_seqlens_k, const int32_t *seqused_k,
	const int32_t *page_table, const float *sink, const float *q_descale,
	const float *k_descale, const float *v_descale, float *out, float *lse, int32_t elem,
	int64_t batch, int64_t total_q, int64_t kv_rows, int64_t heads_q, int64_t heads_kv,
	int64_t dim_qk, int64_t dim_v, int64_t page_size, int64_t table_width, int64_t max_q,
	int64_t max_k, int32_t causal, int32_t window_left, int32_t window_right, float softcap,
	float scale);

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void __wrap_free(void *p);

static long allocations, releases, cleared;

void *__wrap_malloc(size_t size)
{
	allocations++;
	return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	allocations++;
	cleared += (long)(count * size);
	return __real_calloc(count, size);
}

void __wrap_free(void *p)
{
	releases += p != NULL;
	__real_free(p);
}

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static float *random_floats(size_t n)
{
	float *p = __real_malloc(n * sizeof *p);

	if (p == NULL) {
		exit(1);
	}
	for (size_t i = 0; i < n; i++) {
		p[i] = (float)rand() / (float)RAND_MAX * 2.0f - 1.0f;
	}
	return p;
}

int main(int argc, char **argv)
{
	const int decode = argc > 1 && strcmp(argv[1], "decode") == 0;
	const int calls = argc > 2 && atoi(argv[2]) > 0 ? atoi(argv[2]) : 200;
	const int32_t prefill_q[2] = {0, 176};
	const int32_t decode_q[5] = {0, 1, 2, 3, 4};
	const int32_t used[4] = {300, 417, 190, 512};
	const int64_t batch = decode ? 4 : 1, heads_q = decode ? 8 : 4, heads_kv = decode ? 2 : 4;
	const int64_t total_q = decode ? 4 : 176, max_k = decode ? 512 : 176, dim = 64;
	const int64_t max_q = decode ? 1 : 176, kv_rows = batch * max_k;
	float *q = random_floats((size_t)(total_q * heads_q * dim));
	float *k = random_floats((size_t)(kv_rows * heads_kv * dim));
	float *v = random_floats((size_t)(kv_rows * heads_kv * dim));
	float *out = random_floats((size_t)(total_q * heads_q * dim));
	float *lse = random_floats((size_t)(total_q * heads_q));
	const double pairs = decode ? 300 + 417 + 190 + 512 : 176 * 177 / 2;
	struct rusage before, after;
	double start = 0.0;
	int rc = 0;

	for (int i = -5; i < calls && rc == 0; i++) {
		if (i == 0) {
			allocations = releases = cleared = 0;
			getrusage(RUSAGE_SELF, &before);
			start = now_us();
		}
		rc = attention_forward(q, k, v, decode ? decode_q : prefill_q, NULL,
			decode ? used : NULL, NULL, NULL, NULL, NULL, NULL, out, lse, 0, batch,
			total_q, kv_rows, heads_q, heads_kv, dim, dim, 0, 0, max_q, max_k, 1, -1,
			-1, 0.0f, 0.125f);
	}
	if (rc != 0) {
		fprintf(stderr, "bench: the kernel returned %d\n", rc);
		return 1;
	}
	start = (now_us() - start) / calls;
	getrusage(RUSAGE_SELF, &after);
	printf("%s: %.1f us a call, %.1f GFLOP/s, %.2f minor page faults, %.1f allocations, %.1f releases, "
		"%.0f bytes cleared\n", decode ? "decode" : "prefill", start,
		4.0 * pairs * (double)(heads_q * dim) / start * 1e-3,
		(double)(after.ru_minflt - before.ru_minflt) / calls, (double)allocations / calls,
		(double)releases / calls, (double)cleared / calls);
	return 0;
}
