/*
 * RMS normalisation on a GPU: every row of x is divided by the root of the mean
 * of its squares (plus eps) and multiplied by weight. One block a row; x is read
 * twice, once for the sum and once for the result. x, weight and out have the
 * type elem; the arithmetic is float.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#include "kseek_kernel.h"

#define THREADS 256
#define WARPS (THREADS / 32)

/* The sum of v over the block, in every thread. */
__device__ static float block_sum(float v)
{
	__shared__ float part[WARPS];
	const int lane = threadIdx.x % 32;

	for (int step = 16; step > 0; step /= 2) {
		v += __shfl_xor_sync(0xffffffffu, v, step);
	}
	if (lane == 0) {
		part[threadIdx.x / 32] = v;
	}
	__syncthreads();
	v = lane < WARPS ? part[lane] : 0.0f;
	for (int step = 16; step > 0; step /= 2) {
		v += __shfl_xor_sync(0xffffffffu, v, step);
	}
	return v;
}

template <typename T>
__global__ void normalise(const T *x, const T *weight, T *out, int64_t cols, float eps)
{
	const T *row = x + (int64_t)blockIdx.x * cols;
	T *to = out + (int64_t)blockIdx.x * cols;
	float sum = 0.0f;

	for (int64_t c = threadIdx.x; c < cols; c += THREADS) {
		const float v = (float)row[c];

		sum += v * v;
	}
	sum = block_sum(sum);
	const float factor = 1.0f / sqrtf(sum / (float)cols + eps);

	for (int64_t c = threadIdx.x; c < cols; c += THREADS) {
		to[c] = (T)((float)row[c] * factor * (float)weight[c]);
	}
}

template <typename T>
static int run(const void *x, const void *weight, void *out, int64_t rows, int64_t cols,
	float eps, cudaStream_t stream)
{
	const T *from = (const T *)x;
	const T *w = (const T *)weight;
	T *to = (T *)out;

	if (rows > INT32_MAX) {
		return 2;
	}
	normalise<T><<<(unsigned)rows, THREADS, 0, stream>>>(from, w, to, cols, eps);
	return cudaGetLastError() == cudaSuccess ? 0 : 3;
}

extern "C" int rmsnorm(const void *x, const void *weight, void *out, int32_t elem, int64_t rows,
	int64_t cols, float eps, void *stream)
{
	cudaStream_t s = (cudaStream_t)stream;

	switch (elem) {
	case KSEEK_FLOAT32:
		return run<float>(x, weight, out, rows, cols, eps, s);
	case KSEEK_FLOAT16:
		return run<__half>(x, weight, out, rows, cols, eps, s);
	case KSEEK_BFLOAT16:
		return run<__nv_bfloat16>(x, weight, out, rows, cols, eps, s);
	default:
		return 1;
	}
}
