/* Memory, second-level cache, multiply-adds, launches: see probe.h. */
#include "probe.h"

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define THREADS 256
#define TRIES 12
#define CHAINS 8
#define ROUNDS 4096
#define CALLS 2001
#define ROW 1000

double probe_best_ms(probe_launch launch, void *ctx, int tries, cudaError_t *error)
{
	cudaEvent_t before = NULL, after = NULL;
	double best = 0;

	if (*error == cudaSuccess) {
		*error = cudaEventCreate(&before);
	}
	if (*error == cudaSuccess) {
		*error = cudaEventCreate(&after);
	}
	for (int i = 0; i <= tries && *error == cudaSuccess; i++) {
		float ms = 0;

		cudaEventRecord(before, NULL);
		launch(ctx, NULL);
		cudaEventRecord(after, NULL);
		*error = cudaGetLastError();
		if (*error == cudaSuccess) {
			*error = cudaEventSynchronize(after);
		}
		if (*error == cudaSuccess) {
			*error = cudaEventElapsedTime(&ms, before, after);
		}
		/* the first one warms */
		if (i > 0 && ms > 0 && (best == 0 || ms < best)) {
			best = ms;
		}
	}
	if (before != NULL) {
		cudaEventDestroy(before);
	}
	if (after != NULL) {
		cudaEventDestroy(after);
	}
	return best;
}

/* ---- memory ---- */

__global__ void copy_words(uint4 *to, const uint4 *from, uint64_t words)
{
	const uint64_t step = (uint64_t)gridDim.x * THREADS * 4;
	uint64_t i = (uint64_t)blockIdx.x * THREADS * 4 + threadIdx.x;

	for (; i + 3 * THREADS < words; i += step) {
		const uint4 a = from[i];
		const uint4 b = from[i + THREADS];
		const uint4 c = from[i + 2 * THREADS];
		const uint4 d = from[i + 3 * THREADS];

		to[i] = a;
		to[i + THREADS] = b;
		to[i + 2 * THREADS] = c;
		to[i + 3 * THREADS] = d;
	}
}

/* All words, `rounds` times, past the first-level cache. */
__global__ void read_words(uint32_t *sink, const uint4 *from, uint64_t words, int rounds)
{
	const uint64_t step = (uint64_t)gridDim.x * THREADS * 4;
	uint32_t sum = 0;

	for (int r = 0; r < rounds; r++) {
		uint64_t i = (uint64_t)blockIdx.x * THREADS * 4 + threadIdx.x;

		for (; i + 3 * THREADS < words; i += step) {
			const uint4 a = __ldcg(&from[i]);
			const uint4 b = __ldcg(&from[i + THREADS]);
			const uint4 c = __ldcg(&from[i + 2 * THREADS]);
			const uint4 d = __ldcg(&from[i + 3 * THREADS]);

			sum ^= a.x ^ a.y ^ a.z ^ a.w ^ b.x ^ b.y ^ b.z ^ b.w;
			sum ^= c.x ^ c.y ^ c.z ^ c.w ^ d.x ^ d.y ^ d.z ^ d.w;
		}
	}
	if (sum == 0x9e3779b9u) {
		*sink = sum;
	}
}

struct memory {
	uint4 *a, *b;
	uint64_t words;
	int blocks, rounds;
};

static void launch_copy(void *ctx, cudaStream_t stream)
{
	const struct memory *m = (const struct memory *)ctx;

	copy_words<<<m->blocks, THREADS, 0, stream>>>(m->b, m->a, m->words);
}

static void launch_read(void *ctx, cudaStream_t stream)
{
	const struct memory *m = (const struct memory *)ctx;

	read_words<<<m->blocks, THREADS, 0, stream>>>((uint32_t *)m->b, m->a, m->words, m->rounds);
}

/* GB/s; words are of 16 bytes. */
static double rate(double words, double ms)
{
	return ms > 0 ? words * 16 / (ms * 1e6) : 0;
}

cudaError_t probe_memory(struct probe_rates *out, const cudaDeviceProp *device)
{
	struct memory m = {};
	const uint64_t tile = (uint64_t)THREADS * 4;
	const uint64_t l2 = device->l2CacheSize > 0 ? (uint64_t)device->l2CacheSize : 4u << 20;
	size_t free_bytes = 0, all = 0;
	cudaError_t error = cudaMemGetInfo(&free_bytes, &all);

	if (error != cudaSuccess) {
		return error;
	}
	uint64_t bytes = l2 * 16 > (512u << 20) ? l2 * 16 : 512u << 20;

	bytes = bytes > free_bytes / 4 ? free_bytes / 4 : bytes;
	m.words = bytes / 16 / tile * tile;
	m.blocks = device->multiProcessorCount * 16;
	m.rounds = 1;
	error = cudaMalloc(&m.a, m.words * 16);
	if (error == cudaSuccess) {
		error = cudaMalloc(&m.b, m.words * 16);
	}
	if (error == cudaSuccess) {
		error = cudaMemset(m.a, 0x5a, m.words * 16);
	}
	out->copy_gbs = rate(2.0 * (double)m.words, probe_best_ms(launch_copy, &m, TRIES, &error));
	out->read_gbs = rate((double)m.words, probe_best_ms(launch_read, &m, TRIES, &error));
	m.words = l2 / 4 / 16 / tile * tile;
	m.rounds = 64;
	if (m.words > 0) {
		out->l2_gbs = rate((double)m.words * m.rounds,
			probe_best_ms(launch_read, &m, TRIES, &error));
	}
	cudaFree(m.a);
	cudaFree(m.b);
	return error;
}

/* ---- multiply-adds ---- */

template <typename T>
__global__ void fma_chains(T *sink, T seed)
{
	T x[CHAINS];
	const T m = (T)0.999;
	const T a = seed + (T)threadIdx.x * (T)1e-3;

	for (int c = 0; c < CHAINS; c++) {
		x[c] = (T)(c + 1);
	}
#pragma unroll 16
	for (int r = 0; r < ROUNDS; r++) {
#pragma unroll
		for (int c = 0; c < CHAINS; c++) {
			x[c] = x[c] * m + a;
		}
	}
	for (int c = 1; c < CHAINS; c++) {
		x[0] += x[c];
	}
	if (x[0] == (T)-1) {
		*sink = x[0];
	}
}

struct chains {
	void *sink;
	int blocks;
};

template <typename T>
static void launch_fma(void *ctx, cudaStream_t stream)
{
	const struct chains *c = (const struct chains *)ctx;

	fma_chains<T><<<c->blocks, THREADS, 0, stream>>>((T *)c->sink, (T)0.5);
}

cudaError_t probe_arithmetic(struct probe_rates *out, const cudaDeviceProp *device)
{
	struct chains c = {NULL, device->multiProcessorCount * 8};
	cudaError_t error = cudaMalloc(&c.sink, 256);
	const double work = 2.0 * CHAINS * ROUNDS * THREADS * c.blocks;
	double ms = probe_best_ms(launch_fma<float>, &c, TRIES, &error);

	out->fma32_gflops = ms > 0 ? work / (ms * 1e6) : 0;
	ms = probe_best_ms(launch_fma<double>, &c, TRIES, &error);
	out->fma64_gflops = ms > 0 ? work / (ms * 1e6) : 0;
	cudaFree(c.sink);
	return error;
}

/* ---- launches ---- */

__global__ void nothing(void)
{
}

static void launch_row(void *ctx, cudaStream_t stream)
{
	(void)ctx;
	for (int i = 0; i < ROW; i++) {
		nothing<<<1, 32, 0, stream>>>();
	}
}

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

cudaError_t probe_launches(struct probe_rates *out)
{
	double ns[CALLS];
	cudaError_t error = cudaSuccess;

	out->launch_ns = probe_best_ms(launch_row, NULL, 3, &error) * 1e6 / ROW;
	for (int i = 0; i < CALLS && error == cudaSuccess; i++) {
		const double t0 = now_ns();

		nothing<<<1, 32>>>();
		error = cudaDeviceSynchronize();
		ns[i] = now_ns() - t0;
	}
	qsort(ns, CALLS, sizeof(ns[0]), by_value);
	out->call_ns = error == cudaSuccess ? ns[CALLS / 10] : 0;
	return error;
}
