/*
 * Attention, forward: the plainest correct computation on a GPU, in float. One
 * warp a query of a head. It goes over the keys twice, first for the largest
 * score, then for sum and output; every key is looked at and the hidden ones are
 * left out one by one. seed.cu explains the arguments. Sums over keys are kept
 * in double, and everything is rounded once, at the end.
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

#include "kseek_kernel.h"

#define WARPS 4
#define COLUMNS_MAX 8		/* of the values for each lane: dimensions to 256 */

struct work {
	const void *q, *k, *v;
	const int32_t *cu_q, *cu_k, *used_k, *pages;
	const float *sink, *q_descale, *k_descale, *v_descale;
	void *out;
	float *lse;
	int32_t elem;
	int64_t batch, total_q, heads_q, heads_kv, dim_qk, dim_v, page_size, table_width, max_q;
	int64_t max_k, left, right;
	int32_t causal;
	float softcap, scale;
};

/* Where one query of one head stands. */
struct place {
	int64_t b, row, head, keys, diagonal;
	float scale;
};

__device__ static int64_t row_of(const struct work &w, int64_t b, int64_t j)
{
	if (w.pages != NULL) {
		return w.pages[b * w.table_width + j / w.page_size] * w.page_size + j % w.page_size;
	}
	return (w.cu_k != NULL ? w.cu_k[b] : b * w.max_k) + j;
}

__device__ static bool hidden(const struct work &w, const struct place &at, int64_t j)
{
	return (w.causal && j > at.diagonal) || (w.left >= 0 && j < at.diagonal - w.left)
		|| (w.right >= 0 && j > at.diagonal + w.right);
}

/* The score of a key, in every lane. */
__device__ static float score(const struct work &w, const struct place &at, int64_t j)
{
	const int64_t head_k = at.head / (w.heads_q / w.heads_kv);
	const int64_t q = (at.row * w.heads_q + at.head) * w.dim_qk;
	const int64_t k = (row_of(w, at.b, j) * w.heads_kv + head_k) * w.dim_qk;
	float s = 0.0f;

	for (int64_t d = threadIdx.x; d < w.dim_qk; d += 32) {
		s += kseek_load(w.q, w.elem, q + d) * kseek_load(w.k, w.elem, k + d);
	}
	for (int step = 16; step > 0; step /= 2) {
		s += __shfl_xor_sync(0xffffffffu, s, step);
	}
	s *= at.scale;
	return w.softcap > 0.0f ? w.softcap * tanhf(s / w.softcap) : s;
}

__device__ static void solve(const struct work &w, const struct place &at)
{
	const int64_t head_k = at.head / (w.heads_q / w.heads_kv);
	const float sink = w.sink != NULL ? w.sink[at.head] : -INFINITY;
	const float out_scale = w.v_descale != NULL ?
		w.v_descale[at.b * w.heads_kv + head_k] : 1.0f;
	double out[COLUMNS_MAX] = {};
	double sum = 0.0;
	float top = sink;

	for (int64_t j = 0; j < at.keys; j++) {
		if (!hidden(w, at, j)) {
			top = fmaxf(top, score(w, at, j));
		}
	}
	if (sink > -INFINITY) {
		sum = (double)expf(sink - top);
	}
	for (int64_t j = 0; j < at.keys; j++) {
		if (hidden(w, at, j)) {
			continue;
		}
		const float p = expf(score(w, at, j) - top);
		const int64_t v = (row_of(w, at.b, j) * w.heads_kv + head_k) * w.dim_v;

		sum += (double)p;
		for (int c = 0; c < COLUMNS_MAX; c++) {
			const int64_t d = threadIdx.x + 32 * c;

			if (d < w.dim_v) {
				out[c] += (double)(p * kseek_load(w.v, w.elem, v + d));
			}
		}
	}
	for (int c = 0; c < COLUMNS_MAX; c++) {
		const int64_t d = threadIdx.x + 32 * c;

		if (d < w.dim_v) {
			kseek_store(w.out, w.elem, (at.row * w.heads_q + at.head) * w.dim_v + d,
				sum > 0.0 ? (float)((double)out_scale * out[c] / sum) : 0.0f);
		}
	}
	if (threadIdx.x == 0) {
		w.lse[at.head * w.total_q + at.row] =
			sum > 0.0 ? (float)((double)top + log(sum)) : -INFINITY;
	}
}

__global__ void plain(const struct work w)
{
	const int64_t n = (int64_t)blockIdx.x * WARPS + threadIdx.y;
	const int64_t b = n / (w.heads_q * w.max_q);
	const int64_t i = n % w.max_q;
	struct place at;

	if (b >= w.batch || w.cu_q[b] + i >= w.cu_q[b + 1]) {
		return;
	}
	at.b = b;
	at.row = w.cu_q[b] + i;
	at.head = n / w.max_q % w.heads_q;
	at.keys = w.max_k;
	if (w.cu_k != NULL) {
		at.keys = w.cu_k[b + 1] - w.cu_k[b];
	}
	if (w.used_k != NULL) {
		at.keys = w.used_k[b];
	}
	at.diagonal = i + at.keys - (w.cu_q[b + 1] - w.cu_q[b]);
	at.scale = w.scale;

	const int64_t group = b * w.heads_kv + at.head / (w.heads_q / w.heads_kv);

	at.scale *= w.q_descale != NULL ? w.q_descale[group] : 1.0f;
	at.scale *= w.k_descale != NULL ? w.k_descale[group] : 1.0f;
	solve(w, at);
}

extern "C" int attention_forward(const void *q, const void *k, const void *v,
	const int32_t *cu_seqlens_q, const int32_t *cu_seqlens_k, const int32_t *seqused_k,
	const int32_t *page_table, const float *sink, const float *q_descale,
	const float *k_descale, const float *v_descale, void *out, float *lse, int32_t elem,
	int64_t batch, int64_t total_q, int64_t kv_rows, int64_t heads_q, int64_t heads_kv,
	int64_t dim_qk, int64_t dim_v, int64_t page_size, int64_t table_width, int64_t max_q,
	int64_t max_k, int32_t causal, int32_t window_left, int32_t window_right, float softcap,
	float scale, void *stream)
{
	const struct work w = {q, k, v, cu_seqlens_q, cu_seqlens_k, seqused_k, page_table, sink,
		q_descale, k_descale, v_descale, out, lse, elem, batch, total_q, heads_q, heads_kv,
		dim_qk, dim_v, page_size, table_width, max_q, max_k, window_left, window_right,
		causal, softcap, scale};
	const int64_t warps = batch * heads_q * max_q;
	const dim3 block(32, WARPS);
	cudaStream_t s = (cudaStream_t)stream;

	(void)kv_rows;
	if (elem != KSEEK_FLOAT32 && elem != KSEEK_FLOAT16 && elem != KSEEK_BFLOAT16) {
		return 1;
	}
	if (dim_v > 32 * COLUMNS_MAX || warps > (int64_t)INT32_MAX) {
		return 2;
	}
	if (warps == 0) {
		return 0;
	}
	plain<<<(unsigned)((warps + WARPS - 1) / WARPS), block, 0, s>>>(w);
	return cudaGetLastError() == cudaSuccess ? 0 : 3;
}
