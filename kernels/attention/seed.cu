/*
 * Attention, forward, on a GPU, with the softmax taken as the keys come by.
 *
 * A block computes 32 queries of one head of one sequence: 8 warps with 4 queries
 * each. It walks over the keys in tiles of 32, which lie in shared memory as
 * float. For the scores a lane of a warp is a key; for the output it is every
 * 32nd column of the values, and a query's weights go from lane to lane.
 *
 * Sequence b owns the query rows cu_seqlens_q[b] .. cu_seqlens_q[b + 1] - 1.
 * Its number of keys is seqused_k[b] if that is given, else the length that
 * cu_seqlens_k gives, else max_k. Key j of sequence b lies
 *   - with a page table: in page page_table[b][j / page_size], row j % page_size
 *   - with cu_seqlens_k: in row cu_seqlens_k[b] + j
 *   - else:              in row b * max_k + j
 *
 * Query i sees key j if j is in its window. Both ends are counted from the
 * diagonal that ends in the bottom right corner: i + keys - queries. A window
 * of -1 is open; causal closes the right side.
 *
 * A sink adds exp(sink[head]) to the sum of the softmax and nothing to the
 * output. lse is the logarithm of that sum, -INFINITY if it is empty; a query
 * that sees no key gives 0. Dimensions go up to 256.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

#include "kseek_kernel.h"

#define WARPS 8
#define EACH 4			/* queries of a warp */
#define QUERIES (WARPS * EACH)
#define KEYS 32			/* of a tile: one for each lane */
#define ALL 0xffffffffu

struct work {
	const void *q, *k, *v;
	const int32_t *cu_q, *cu_k, *used_k, *pages;
	const float *sink, *q_descale, *k_descale, *v_descale;
	void *out;
	float *lse;
	int64_t total_q, heads_q, heads_kv, dim_qk, dim_v, page_size, table_width, max_k;
	int64_t left, right;	/* of the window; -1: open */
	float softcap, scale;
};

/* The keys of one sequence. */
struct keys {
	const int32_t *pages;
	int64_t page_size, base, count;
};

__device__ static struct keys keys_of(const struct work &w, int64_t b)
{
	struct keys s = {NULL, w.page_size, b * w.max_k, w.max_k};

	if (w.pages != NULL) {
		s.pages = w.pages + b * w.table_width;
	}
	if (w.cu_k != NULL) {
		s.base = w.cu_k[b];
		s.count = w.cu_k[b + 1] - s.base;
	}
	if (w.used_k != NULL) {
		s.count = w.used_k[b];
	}
	return s;
}

__device__ static int64_t row_of(const struct keys &s, int64_t j)
{
	if (s.pages != NULL) {
		return s.pages[j / s.page_size] * s.page_size + j % s.page_size;
	}
	return s.base + j;
}

__device__ static float warp_max(float v)
{
	for (int step = 16; step > 0; step /= 2) {
		v = fmaxf(v, __shfl_xor_sync(ALL, v, step));
	}
	return v;
}

__device__ static float warp_sum(float v)
{
	for (int step = 16; step > 0; step /= 2) {
		v += __shfl_xor_sync(ALL, v, step);
	}
	return v;
}

/* Rows low .. high - 1 of one head of k or v as float, `pitch` apart; others 0. */
template <typename T>
__device__ static void load_tile(float *to, int pitch, const void *from, const struct keys &s,
	int64_t low, int64_t high, int64_t stride, int64_t offset, int dim)
{
	for (int i = threadIdx.x; i < KEYS * dim; i += 32 * WARPS) {
		const int64_t j = low + i / dim;
		const int d = i % dim;

		to[i / dim * pitch + d] = j < high ?
			(float)((const T *)from)[row_of(s, j) * stride + offset + d] : 0.0f;
	}
}

/* COLUMNS: of the values, for each lane. */
template <typename T, int COLUMNS>
__global__ void __launch_bounds__(32 * WARPS) attend(const struct work w)
{
	extern __shared__ float shared[];
	const int64_t b = blockIdx.z;
	const int64_t h = blockIdx.y;
	const int64_t i0 = (int64_t)blockIdx.x * QUERIES;
	const int64_t first = w.cu_q[b];
	const int64_t queries = w.cu_q[b + 1] - first;
	const int64_t hk = h / (w.heads_q / w.heads_kv);
	const int dim_qk = (int)w.dim_qk;
	const int dim_v = (int)w.dim_v;
	const int lane = threadIdx.x % 32;
	const int mine = threadIdx.x / 32 * EACH;	/* first of this warp's queries */
	float *tile_q = shared;
	float *tile_k = tile_q + QUERIES * dim_qk;
	float *tile_v = tile_k + KEYS * (dim_qk + 1);

	if (i0 >= queries) {
		return;
	}
	const struct keys s = keys_of(w, b);
	const int64_t last = i0 + QUERIES < queries ? i0 + QUERIES - 1 : queries - 1;
	const int64_t shift = s.count - queries;	/* from a query to its diagonal */
	int64_t low = 0;				/* keys of the block */
	int64_t high = s.count;

	if (w.left >= 0 && i0 + shift - w.left > 0) {
		low = i0 + shift - w.left;
	}
	if (w.right >= 0 && last + shift + w.right < s.count) {
		high = last + shift + w.right + 1;
	}
	float scale = w.scale;

	if (w.q_descale != NULL) {
		scale *= w.q_descale[b * w.heads_kv + hk];
	}
	if (w.k_descale != NULL) {
		scale *= w.k_descale[b * w.heads_kv + hk];
	}
	for (int i = threadIdx.x; i < QUERIES * dim_qk; i += 32 * WARPS) {
		const int64_t row = i0 + i / dim_qk;

		tile_q[i] = row < queries ? (float)((const T *)w.q)[((first + row) * w.heads_q + h)
			* dim_qk + i % dim_qk] : 0.0f;
	}
	const float sink = w.sink != NULL ? w.sink[h] : -INFINITY;
	float top[EACH];
	float sum[EACH];
	float out[EACH][COLUMNS];

	for (int r = 0; r < EACH; r++) {
		top[r] = sink;
		sum[r] = sink > -INFINITY ? 1.0f : 0.0f;
		for (int c = 0; c < COLUMNS; c++) {
			out[r][c] = 0.0f;
		}
	}
	for (int64_t j0 = low; j0 < high; j0 += KEYS) {
		const int64_t j = j0 + lane;
		float p[EACH] = {};

		__syncthreads();
		load_tile<T>(tile_k, dim_qk + 1, w.k, s, j0, high, w.heads_kv * dim_qk, hk * dim_qk,
			dim_qk);
		load_tile<T>(tile_v, dim_v, w.v, s, j0, high, w.heads_kv * dim_v, hk * dim_v,
			dim_v);
		__syncthreads();
		for (int d = 0; d < dim_qk; d++) {
			const float key = tile_k[lane * (dim_qk + 1) + d];

			for (int r = 0; r < EACH; r++) {
				p[r] += tile_q[(mine + r) * dim_qk + d] * key;
			}
		}
		for (int r = 0; r < EACH; r++) {
			const int64_t diagonal = i0 + mine + r + shift;
			const bool seen = j < high && i0 + mine + r < queries
				&& (w.left < 0 || j >= diagonal - w.left)
				&& (w.right < 0 || j <= diagonal + w.right);
			float x = p[r] * scale;

			if (w.softcap > 0.0f) {
				x = w.softcap * tanhf(x / w.softcap);
			}
			x = seen ? x : -INFINITY;
			const float next = fmaxf(top[r], warp_max(x));
			const float shrink = top[r] > -INFINITY ? expf(top[r] - next) : 0.0f;

			p[r] = seen ? expf(x - next) : 0.0f;
			sum[r] = sum[r] * shrink + warp_sum(p[r]);
			top[r] = next;
			for (int c = 0; c < COLUMNS; c++) {
				out[r][c] *= shrink;
			}
		}
		for (int l = 0; l < KEYS; l++) {
			float weight[EACH];

			for (int r = 0; r < EACH; r++) {
				weight[r] = __shfl_sync(ALL, p[r], l);
			}
			for (int c = 0; c < COLUMNS; c++) {
				const int d = lane + 32 * c;
				const float value = d < dim_v ? tile_v[l * dim_v + d] : 0.0f;

				for (int r = 0; r < EACH; r++) {
					out[r][c] += weight[r] * value;
				}
			}
		}
	}
	const float out_scale = w.v_descale != NULL ? w.v_descale[b * w.heads_kv + hk] : 1.0f;

	for (int r = 0; r < EACH; r++) {
		const int64_t i = i0 + mine + r;
		const float factor = top[r] > -INFINITY ? out_scale / sum[r] : 0.0f;

		if (i >= queries) {
			continue;
		}
		for (int c = 0; c < COLUMNS; c++) {
			const int d = lane + 32 * c;

			if (d < dim_v) {
				((T *)w.out)[((first + i) * w.heads_q + h) * dim_v + d] =
					(T)(out[r][c] * factor);
			}
		}
		if (lane == 0) {
			w.lse[h * w.total_q + first + i] =
				top[r] > -INFINITY ? top[r] + logf(sum[r]) : -INFINITY;
		}
	}
}

template <typename T, int COLUMNS>
static int launch(const struct work &w, int64_t batch, int64_t max_q, cudaStream_t stream)
{
	const size_t bytes = sizeof(float) *
		(size_t)(QUERIES * w.dim_qk + KEYS * (w.dim_qk + 1) + KEYS * w.dim_v);
	const dim3 grid((unsigned)((max_q + QUERIES - 1) / QUERIES), (unsigned)w.heads_q,
		(unsigned)batch);

	if (bytes > 48 * 1024 && cudaFuncSetAttribute(attend<T, COLUMNS>,
			cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes) != cudaSuccess) {
		return 4;
	}
	attend<T, COLUMNS><<<grid, 32 * WARPS, bytes, stream>>>(w);
	return cudaGetLastError() == cudaSuccess ? 0 : 3;
}

template <typename T>
static int run(const struct work &w, int64_t batch, int64_t max_q, cudaStream_t stream)
{
	if (batch > 65535 || w.heads_q > 65535 || w.dim_qk > 256 || w.dim_v > 256) {
		return 2;
	}
	if (max_q == 0) {
		return 0;
	}
	if (w.dim_v <= 64) {
		return launch<T, 2>(w, batch, max_q, stream);
	}
	if (w.dim_v <= 128) {
		return launch<T, 4>(w, batch, max_q, stream);
	}
	return launch<T, 8>(w, batch, max_q, stream);
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
		q_descale, k_descale, v_descale, out, lse, total_q, heads_q, heads_kv, dim_qk,
		dim_v, page_size, table_width, max_k, window_left, causal ? 0 : window_right,
		softcap, scale};
	cudaStream_t s = (cudaStream_t)stream;

	(void)kv_rows;
	switch (elem) {
	case KSEEK_FLOAT32:
		return run<float>(w, batch, max_q, s);
	case KSEEK_FLOAT16:
		return run<__half>(w, batch, max_q, s);
	case KSEEK_BFLOAT16:
		return run<__nv_bfloat16>(w, batch, max_q, s);
	default:
		return 1;
	}
}
