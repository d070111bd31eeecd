/*
 * Calls the attention of a CUDA kernel without kseek, for dry runs.
 *
 *   nvcc -O3 -arch=native -I$PROBLEM attend.cu kernel.cu -o attend
 *   attend MODE Q K HEADS_Q HEADS_KV DIM CAUSAL [BATCH [PAGE [ELEM [DIM_V]]]]
 *
 * Q and K are of each sequence of the batch; PAGE 0: keys in one piece; ELEM 0
 * float32, 2 float16. Every mode prints one figure; times are in us. With COUNTS the
 * kernel comes from counted.cu of the current folder and counts in ks_count; with
 * STAMPS from an object that stamps its blocks (stamp.awk).
 */
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <vector>

#ifdef STAMPS
#include "stamp.cuh"
#endif
#ifdef COUNTS
__device__ unsigned long long ks_count[4];
#include "counted.cu"
#else
extern "C" int attention_forward(const void *q, const void *k, const void *v,
	const int32_t *cu_seqlens_q, const int32_t *cu_seqlens_k, const int32_t *seqused_k,
	const int32_t *page_table, const float *sink, const float *q_descale,
	const float *k_descale, const float *v_descale, void *out, float *lse, int32_t elem,
	int64_t batch, int64_t total_q, int64_t kv_rows, int64_t heads_q, int64_t heads_kv,
	int64_t dim_qk, int64_t dim_v, int64_t page_size, int64_t table_width, int64_t max_q,
	int64_t max_k, int32_t causal, int32_t window_left, int32_t window_right, float softcap,
	float scale, void *stream);
#endif

#define CHECK(e) check((e), __LINE__)

static void check(cudaError_t e, int line)
{
	if (e != cudaSuccess) {
		fprintf(stderr, "attend.cu:%d: %s\n", line, cudaGetErrorString(e));
		exit(3);
	}
}

static int64_t queries, keys, heads_q, heads_kv, dim, causal, batch = 1, page, elem, dim_v;
static void *q, *k, *v, *out;
static float *lse, scale;
static int32_t *cu_q, *used_k, *pages;
static std::vector<float> host_q, host_k;
static cudaStream_t stream;

static int64_t width()
{
	return page > 0 ? (keys + page - 1) / page : 0;
}

static void call()
{
	int rc = attention_forward(q, k, v, cu_q, NULL, used_k, pages, NULL, NULL, NULL, NULL, out,
		lse, (int32_t)elem, batch, batch * queries, batch * keys, heads_q, heads_kv, dim,
		dim_v, page, width(), queries, keys, (int32_t)causal, -1, -1, 0.0f, scale, stream);

	if (rc != 0) {
		fprintf(stderr, "attend.cu: the kernel returned %d\n", rc);
		exit(4);
	}
}

/* Numbers between -1 and 1 on the device; as they are there, also in `kept`. */
static void *numbers(int64_t count, std::vector<float> *kept)
{
	const size_t each = elem == 0 ? 4 : 2;
	std::vector<unsigned char> bytes((size_t)count * each);
	static unsigned s = 1;
	void *to;

	for (int64_t i = 0; i < count; i++) {
		s = s * 1664525u + 1013904223u;
		float x = (float)(s >> 8) / 8388608.0f - 1.0f;
		__half h = __float2half(x);

		memcpy(&bytes[(size_t)i * each], elem == 0 ? (void *)&x : (void *)&h, each);
		if (kept != NULL) {
			kept->push_back(elem == 0 ? x : __half2float(h));
		}
	}
	CHECK(cudaMalloc(&to, bytes.size()));
	CHECK(cudaMemcpy(to, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
	return to;
}

static int32_t *integers(const std::vector<int32_t> &from)
{
	int32_t *to;

	CHECK(cudaMalloc(&to, 4 * from.size()));
	CHECK(cudaMemcpy(to, from.data(), 4 * from.size(), cudaMemcpyHostToDevice));
	return to;
}

static void inputs()
{
	std::vector<int32_t> first, used, table;
	const int64_t rows = batch * (page > 0 ? width() * page : keys);

	for (int64_t b = 0; b <= batch; b++) {
		first.push_back((int32_t)(b * queries));
		used.push_back((int32_t)keys);
	}
	for (int64_t i = 0; i < batch * width(); i++) {
		table.push_back((int32_t)i);
	}
	cu_q = integers(first);
	used_k = integers(used);
	pages = page > 0 ? integers(table) : NULL;
	scale = 1.0f / sqrtf((float)dim);
	q = numbers(batch * queries * heads_q * dim, &host_q);
	k = numbers(rows * heads_kv * dim, &host_k);
	v = numbers(rows * heads_kv * dim_v, NULL);
	CHECK(cudaMalloc(&out, 4 * (size_t)(batch * queries * heads_q * dim_v)));
	CHECK(cudaMalloc(&lse, 4 * (size_t)(batch * queries * heads_q)));
}

template <typename F>
static double median_us(int tries, F f)
{
	cudaEvent_t from, to;
	std::vector<float> t;

	CHECK(cudaEventCreate(&from));
	CHECK(cudaEventCreate(&to));
	for (int i = 0; i < tries + 3; i++) {
		float ms = 0;

		CHECK(cudaEventRecord(from, stream));
		f();
		CHECK(cudaEventRecord(to, stream));
		CHECK(cudaStreamSynchronize(stream));
		CHECK(cudaEventElapsedTime(&ms, from, to));
		if (i >= 3) {
			t.push_back(ms);
		}
	}
	std::sort(t.begin(), t.end());
	return t[t.size() / 2] * 1000.0;
}

__global__ void nothing()
{
}

/* us of host time until 20 calls are issued, for each. */
template <typename F>
static double issue_us(F f)
{
	std::vector<double> t;

	for (int r = 0; r < 25; r++) {
		CHECK(cudaStreamSynchronize(stream));
		const auto from = std::chrono::steady_clock::now();

		for (int i = 0; i < 20; i++) {
			f();
		}
		const std::chrono::duration<double, std::micro> took =
			std::chrono::steady_clock::now() - from;
		t.push_back(took.count() / 20);
	}
	std::sort(t.begin(), t.end());
	return t[t.size() / 2];
}

/* With one key, lse is the score itself: its worst error over the rounding bound. */
static double score_error()
{
	std::vector<float> got((size_t)(batch * queries * heads_q));
	double worst = 0;

	call();
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemcpy(got.data(), lse, 4 * got.size(), cudaMemcpyDeviceToHost));
	for (int64_t b = 0; b < batch; b++) {
		for (int64_t h = 0; h < heads_q; h++) {
			const float *x = &host_q[(size_t)((b * heads_q + h) * dim)];
			const float *y =
				&host_k[(size_t)((b * heads_kv + h / (heads_q / heads_kv)) * dim)];
			double sum = 0, mass = 0;

			for (int64_t d = 0; d < dim; d++) {
				sum += (double)x[d] * y[d];
				mass += fabs((double)x[d] * y[d]);
			}
			worst = std::max(worst, fabs(got[(size_t)(h * batch + b)] - sum * scale)
				/ ((double)(dim + 1) * 5.96e-8 * mass * scale));
		}
	}
	return worst;
}

#ifdef COUNTS
static void counts(double *to)
{
	unsigned long long c[4] = {};

	CHECK(cudaMemcpyToSymbol(ks_count, c, sizeof(c)));
	call();
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemcpyFromSymbol(c, ks_count, sizeof(c)));
	for (int i = 0; i < 4; i++) {
		to[i] = (double)c[i];
	}
}

/* Pairs of query and key that the mask leaves. */
static double seen()
{
	double n = 0;

	for (int64_t i = 0; i < queries; i++) {
		n += (double)(causal ? i + keys - queries + 1 : keys);
	}
	return n * (double)(batch * heads_q);
}
#endif

#ifdef STAMPS
static double longest_over_mean()
{
	std::vector<ks_stamp> all(KS_STAMPS);
	double longest = 0, sum = 0, n = 0;

	call();
	call();
	CHECK(cudaStreamSynchronize(stream));
	CHECK((cudaError_t)ks_read_stamps(all.data()));
	for (const ks_stamp &s : all) {
		if (s.used) {
			longest = std::max(longest, (double)(s.end - s.start));
			sum += (double)(s.end - s.start);
			n++;
		}
	}
	return longest * n / sum;
}
#endif

int main(int argc, char **argv)
{
	int64_t *const to[] = {&queries, &keys, &heads_q, &heads_kv, &dim, &causal, &batch, &page,
		&elem, &dim_v};
	const char *mode = argc > 1 ? argv[1] : "";

	if (argc < 8) {
		fprintf(stderr, "attend: MODE Q K HEADS_Q HEADS_KV DIM CAUSAL ...\n");
		return 2;
	}
	for (int i = 2; i < argc && i < 12; i++) {
		*to[i - 2] = strtoll(argv[i], NULL, 10);
	}
	dim_v = dim_v > 0 ? dim_v : dim;
	CHECK(cudaStreamCreate(&stream));
	inputs();
	if (strcmp(mode, "calls") == 0) {
		for (int i = 0; i < 3; i++) {
			call();
		}
	} else if (strcmp(mode, "time") == 0) {
		printf("%.3f\n", median_us(15, call));
	} else if (strcmp(mode, "issue") == 0) {
		printf("%.4f\n",
			issue_us(call) - issue_us([] { nothing<<<1, 32, 0, stream>>>(); }));
	} else if (strcmp(mode, "error") == 0) {
		printf("%.6f\n", score_error());
#ifdef COUNTS
	} else if (strcmp(mode, "counts") == 0) { /* tiles, rescales, those required, table reads */
		double c[4];

		counts(c);
		printf("tiles %.0f\nrescales %.0f\nrequired %.0f\nreads %.0f\nseen %.0f\n", c[0],
			c[1], c[2], c[3], seen());
#endif
#ifdef STAMPS
	} else if (strcmp(mode, "stamps") == 0) {
		printf("%.5f\n", longest_over_mean());
#endif
	} else {
		fprintf(stderr, "attend: no mode '%s'\n", mode);
		return 2;
	}
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGetLastError());
	return 0;
}
