/*
 * Matrix product c = a b on a GPU, row-major: a is m by k, b is k by n, c is m by
 * n. A block computes a tile of 64 by 64 and walks along k in steps of 16; its
 * tiles of a and b lie in shared memory, each thread holds 4 by 4 sums in
 * registers. The elements have the type elem, the sums are float. With k = 0 the
 * product is zero.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#include "kseek_kernel.h"

#define TILE 64
#define DEPTH 16
#define EACH 4			/* sums a thread has in each direction */
#define SIDE (TILE / EACH)	/* threads in each direction */
#define THREADS (SIDE * SIDE)

template <typename T>
__global__ void multiply(const T *a, const T *b, T *c, int64_t m, int64_t n, int64_t k)
{
	__shared__ float tile_a[DEPTH][TILE + 1];
	__shared__ float tile_b[DEPTH][TILE];
	const int64_t row0 = (int64_t)blockIdx.y * TILE;
	const int64_t col0 = (int64_t)blockIdx.x * TILE;
	const int tx = threadIdx.x % SIDE;
	const int ty = threadIdx.x / SIDE;
	float sum[EACH][EACH] = {};

	for (int64_t l0 = 0; l0 < k; l0 += DEPTH) {
		for (int i = threadIdx.x; i < TILE * DEPTH; i += THREADS) {
			const int64_t row = row0 + i / DEPTH;
			const int64_t l = l0 + i % DEPTH;

			tile_a[i % DEPTH][i / DEPTH] =
				row < m && l < k ? (float)a[row * k + l] : 0.0f;
		}
		for (int i = threadIdx.x; i < TILE * DEPTH; i += THREADS) {
			const int64_t l = l0 + i / TILE;
			const int64_t col = col0 + i % TILE;

			tile_b[i / TILE][i % TILE] =
				l < k && col < n ? (float)b[l * n + col] : 0.0f;
		}
		__syncthreads();
		for (int l = 0; l < DEPTH; l++) {
			float left[EACH];
			float right[EACH];

			for (int i = 0; i < EACH; i++) {
				left[i] = tile_a[l][ty + i * SIDE];
				right[i] = tile_b[l][tx + i * SIDE];
			}
			for (int i = 0; i < EACH; i++) {
				for (int j = 0; j < EACH; j++) {
					sum[i][j] += left[i] * right[j];
				}
			}
		}
		__syncthreads();
	}
	for (int i = 0; i < EACH; i++) {
		for (int j = 0; j < EACH; j++) {
			const int64_t row = row0 + ty + i * SIDE;
			const int64_t col = col0 + tx + j * SIDE;

			if (row < m && col < n) {
				c[row * n + col] = (T)sum[i][j];
			}
		}
	}
}

template <typename T>
static int run(const void *a, const void *b, void *c, int64_t m, int64_t n, int64_t k,
	cudaStream_t stream)
{
	const T *left = (const T *)a;
	const T *right = (const T *)b;
	T *to = (T *)c;
	const dim3 grid((unsigned)((n + TILE - 1) / TILE), (unsigned)((m + TILE - 1) / TILE));

	if (m > (int64_t)65535 * TILE || n > (int64_t)INT32_MAX) {
		return 2;
	}
	multiply<T><<<grid, THREADS, 0, stream>>>(left, right, to, m, n, k);
	return cudaGetLastError() == cudaSuccess ? 0 : 3;
}

extern "C" int matmul(const void *a, const void *b, void *c, int32_t elem, int64_t m, int64_t n,
	int64_t k, void *stream)
{
	cudaStream_t s = (cudaStream_t)stream;

	switch (elem) {
	case KSEEK_FLOAT32:
		return run<float>(a, b, c, m, n, k, s);
	case KSEEK_FLOAT16:
		return run<__half>(a, b, c, m, n, k, s);
	case KSEEK_BFLOAT16:
		return run<__nv_bfloat16>(a, b, c, m, n, k, s);
	default:
		return 1;
	}
}
