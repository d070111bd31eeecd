/*
 * RMS normalisation: the plainest correct computation on a GPU. One warp a row;
 * the squares are summed in double, everything is rounded once, at the end.
 */
#include <cuda_runtime.h>
#include <stdint.h>

#include "kseek_kernel.h"

__global__ void plain(const void *x, const void *weight, void *out, int32_t elem, int64_t cols,
	float eps)
{
	const int64_t start = (int64_t)blockIdx.x * cols;
	double sum = 0.0;

	for (int64_t c = threadIdx.x; c < cols; c += 32) {
		const double v = kseek_load(x, elem, start + c);

		sum += v * v;
	}
	for (int step = 16; step > 0; step /= 2) {
		sum += __shfl_xor_sync(0xffffffffu, sum, step);
	}
	const double root = sqrt(sum / (double)cols + (double)eps);

	for (int64_t c = threadIdx.x; c < cols; c += 32) {
		const double v = kseek_load(x, elem, start + c);
		const double w = kseek_load(weight, elem, c);

		kseek_store(out, elem, start + c, (float)(v / root * w));
	}
}

extern "C" int rmsnorm(const void *x, const void *weight, void *out, int32_t elem, int64_t rows,
	int64_t cols, float eps, void *stream)
{
	cudaStream_t s = (cudaStream_t)stream;

	if (elem != KSEEK_FLOAT32 && elem != KSEEK_FLOAT16 && elem != KSEEK_BFLOAT16) {
		return 1;
	}
	if (rows > INT32_MAX) {
		return 2;
	}
	plain<<<(unsigned)rows, 32, 0, s>>>(x, weight, out, elem, cols, eps);
	return cudaGetLastError() == cudaSuccess ? 0 : 3;
}
