/*
 * Matrix product: the plainest correct computation on a GPU. One thread an
 * element; tiles of 16 by 16 go through shared memory. Sums are taken in two
 * levels, 16 products in float and those in double, and rounded once.
 */
#include <cuda_runtime.h>
#include <stdint.h>

#include "kseek_kernel.h"

#define TILE 16

__global__ void plain(const void *a, const void *b, void *c, int32_t elem, int64_t m, int64_t n,
	int64_t k)
{
	__shared__ float tile_a[TILE][TILE];
	__shared__ float tile_b[TILE][TILE + 1];
	const int64_t row = (int64_t)blockIdx.y * TILE + threadIdx.y;
	const int64_t col = (int64_t)blockIdx.x * TILE + threadIdx.x;
	double sum = 0.0;

	for (int64_t l0 = 0; l0 < k; l0 += TILE) {
		const int64_t la = l0 + threadIdx.x;
		const int64_t lb = l0 + threadIdx.y;
		float part = 0.0f;

		tile_a[threadIdx.y][threadIdx.x] =
			row < m && la < k ? kseek_load(a, elem, row * k + la) : 0.0f;
		tile_b[threadIdx.y][threadIdx.x] =
			lb < k && col < n ? kseek_load(b, elem, lb * n + col) : 0.0f;
		__syncthreads();
		for (int l = 0; l < TILE; l++) {
			part += tile_a[threadIdx.y][l] * tile_b[l][threadIdx.x];
		}
		sum += (double)part;
		__syncthreads();
	}
	if (row < m && col < n) {
		kseek_store(c, elem, row * n + col, (float)sum);
	}
}

extern "C" int matmul(const void *a, const void *b, void *c, int32_t elem, int64_t m, int64_t n,
	int64_t k, void *stream)
{
	cudaStream_t s = (cudaStream_t)stream;
	const dim3 grid((unsigned)((n + TILE - 1) / TILE), (unsigned)((m + TILE - 1) / TILE));
	const dim3 block(TILE, TILE);

	if (elem != KSEEK_FLOAT32 && elem != KSEEK_FLOAT16 && elem != KSEEK_BFLOAT16) {
		return 1;
	}
	if (m > (int64_t)65535 * TILE || n > (int64_t)INT32_MAX) {
		return 2;
	}
	plain<<<grid, block, 0, s>>>(a, b, c, elem, m, n, k);
	return cudaGetLastError() == cudaSuccess ? 0 : 3;
}
