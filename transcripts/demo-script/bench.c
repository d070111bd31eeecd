/*
 * Times kernel.c by itself, over and over on the same inputs, in processor time, so
 * that what else the machine does counts less, and counts what a call asks of the
 * system. The operations are those of the two products. Build it
 * together with the kernel:
 *
 *   cc -O3 -march=native -Iproblem -Wl,--wrap=malloc,--wrap=calloc,--wrap=free \
 *      bench.c kernel.c -o bench -lm
 *
 *   ./bench prefill 200       one causal sequence of 176, four heads
 *   ./bench decode 200        four sequences, one query each, keys up to 512
 *   ./bench overhead 200      one query and one key: what a call costs without work
 *   ./bench cold 200          prefill, the caches filled with other data in between
 *   ./bench repeat_check 100  prefill: how many outputs differ from the first
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

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
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

struct shape {
	const char *name;
	int64_t batch, heads_q, heads_kv, total_q, max_q, max_k;
	int32_t starts[5], used[4];
	double pairs; /* of a query and a key that it sees, in one head */
};

static const struct shape shapes[] = {
	{"prefill", 1, 4, 4, 176, 176, 176, {0, 176}, {0}, 176 * 177 / 2},
	{"decode", 4, 8, 2, 4, 1, 512, {0, 1, 2, 3, 4}, {300, 417, 190, 512},
		300 + 417 + 190 + 512},
	{"overhead", 1, 1, 1, 1, 1, 1, {0, 1}, {0}, 1},
};

#define DIM 64
#define SWEEP (64u << 20) /* bytes, more than the caches hold */

static float *q, *k, *v, *out, *lse, *first;
static unsigned char *sweep;

static int call(const struct shape *s)
{
	return attention_forward(q, k, v, s->starts, NULL, s->batch > 1 ? s->used : NULL,
		NULL, NULL, NULL, NULL, NULL, out, lse, 0, s->batch, s->total_q,
		s->batch * s->max_k, s->heads_q, s->heads_kv, DIM, DIM, 0, 0, s->max_q, s->max_k,
		1, -1, -1, 0.0f, 0.125f);
}

static void fill_caches(void)
{
	for (size_t i = 0; i < SWEEP; i += 64) {
		sweep[i]++;
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "prefill";
	const int calls = argc > 2 && atoi(argv[2]) > 0 ? atoi(argv[2]) : 200;
	const int cold = strcmp(mode, "cold") == 0, check = strcmp(mode, "repeat_check") == 0;
	const struct shape *s = &shapes[0];
	struct rusage before, after;
	double start = 0.0, spent = 0.0;
	int differ = 0, rc = 0;

	for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
		s = strcmp(mode, shapes[i].name) == 0 ? &shapes[i] : s;
	}
	const size_t outs = (size_t)(s->total_q * s->heads_q * DIM);
	const size_t rows = (size_t)(s->batch * s->max_k * s->heads_kv * DIM);

	q = random_floats(outs);
	k = random_floats(rows);
	v = random_floats(rows);
	out = random_floats(outs);
	lse = random_floats((size_t)(s->total_q * s->heads_q));
	first = random_floats(outs);
	sweep = __real_calloc(SWEEP, 1);
	for (int i = -5; i < calls && rc == 0 && sweep != NULL; i++) {
		if (i == 0) {
			allocations = releases = cleared = 0;
			memcpy(first, out, outs * sizeof *out);
			getrusage(RUSAGE_SELF, &before);
			start = now_us();
		}
		if (cold) {
			fill_caches();
			start = now_us();
		}
		rc = call(s);
		spent += cold && i >= 0 ? now_us() - start : 0.0;
		differ += check && i >= 0 && memcmp(first, out, outs * sizeof *out) != 0;
	}
	if (rc != 0) {
		fprintf(stderr, "bench: the kernel returned %d\n", rc);
		return 1;
	}
	spent = (cold ? spent : now_us() - start) / calls;
	getrusage(RUSAGE_SELF, &after);
	if (check) {
		printf("%d of %d outputs differ bit for bit from the first\n", differ, calls);
		return 0;
	}
	printf("%s: %.1f us a call, %.1f GFLOP/s, %.2f minor page faults, %.1f allocations, "
		"%.1f releases, %.0f bytes cleared\n", mode, spent,
		4.0 * s->pairs * (double)(s->heads_q * DIM) / spent * 1e-3,
		(double)(after.ru_minflt - before.ru_minflt) / calls, (double)allocations / calls,
		(double)releases / calls, (double)cleared / calls);
	return 0;
}
