/*
 * Rates of the matrix instructions: see probe.h.
 *
 * On compute capability 9.0 a warpgroup multiplies 64 by K with K by 256 from
 * shared memory, both with K along the rows, in rows of 128 bytes that are
 * swizzled by 128 (PTX ISA, "Asynchronous warpgroup level matrix instructions").
 * The four steps of K in such a row lie 32 bytes apart. Which number stands where
 * does not matter for the rate, so the tiles are filled in the order of memory.
 */
#include "probe.h"

#include <stdint.h>

#define TRIES 10
#define ROUNDS 512
#define STEPS 4			/* of K in a row of 128 bytes */
#define M 64
#define N 256
#define ROW_BYTES 128
#define BLOCK_BYTES 1024	/* 8 rows; what a swizzled tile is aligned to */

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define HAVE_WGMMA 1
#else
#define HAVE_WGMMA 0
#endif

/* Sixteen bits that are a number of ordinary size in every type here. */
__device__ static uint32_t contents(uint32_t i, int type)
{
	uint32_t x = i * 0x9e3779b9u;

	x ^= x >> 15;
	x *= 0x85ebca6bu;
	x ^= x >> 13;
	switch (type) {
	case PROBE_BF16:	/* exponents 126 and 127 */
		return (x & 0x80ff80ffu) | 0x3f003f00u;
	case PROBE_F16:		/* exponents 14 and 15 */
		return (x & 0x87ff87ffu) | 0x38003800u;
	case PROBE_TF32:
		return (x & 0x80ffe000u) | 0x3f000000u;
	case PROBE_FP8:		/* exponents 6 and 7 of e4m3 */
		return (x & 0x8f8f8f8fu) | 0x30303030u;
	default:
		return x;
	}
}

#if HAVE_WGMMA

#define ACCUMULATORS \
	"%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
	"%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
	"%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
	"%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, " \
	"%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
	"%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, " \
	"%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, " \
	"%111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, " \
	"%125, %126, %127"

#define D4(c, d, i) c(d[i]), c(d[i + 1]), c(d[i + 2]), c(d[i + 3])
#define D16(c, d, i) D4(c, d, i), D4(c, d, i + 4), D4(c, d, i + 8), D4(c, d, i + 12)
#define D64(c, d, i) D16(c, d, i), D16(c, d, i + 16), D16(c, d, i + 32), D16(c, d, i + 48)
#define D128(c, d) D64(c, d, 0), D64(c, d, 64)

#define WGMMA(instruction, tail, constraint, d, a, b) \
	asm volatile("wgmma.mma_async.sync.aligned." instruction " {" ACCUMULATORS \
		"}, %128, %129, 1" tail ";" : D128(constraint, d) : "l"(a), "l"(b))

__device__ static uint64_t descriptor(const void *tile)
{
	const uint64_t at = (uint64_t)__cvta_generic_to_shared(tile);

	/* address, leading offset (not used), 1024 bytes from 8 rows to the next 8, swizzle */
	return ((at & 0x3ffff) >> 4) | (uint64_t)1 << 16 | (uint64_t)(BLOCK_BYTES >> 4) << 32
		| (uint64_t)1 << 62;
}

template <int TYPE, typename D>
__device__ static void multiply(D *d, uint64_t a, uint64_t b)
{
	if constexpr (TYPE == PROBE_BF16) {
		WGMMA("m64n256k16.f32.bf16.bf16", ", 1, 1, 0, 0", "+f", d, a, b);
	} else if constexpr (TYPE == PROBE_F16) {
		WGMMA("m64n256k16.f32.f16.f16", ", 1, 1, 0, 0", "+f", d, a, b);
	} else if constexpr (TYPE == PROBE_TF32) {
		WGMMA("m64n256k8.f32.tf32.tf32", ", 1, 1", "+f", d, a, b);
	} else if constexpr (TYPE == PROBE_FP8) {
		WGMMA("m64n256k32.f32.e4m3.e4m3", ", 1, 1", "+f", d, a, b);
	} else {
		WGMMA("m64n256k32.s32.s8.s8", "", "+r", d, a, b);
	}
}

template <int TYPE, typename D>
__device__ static void rounds(void *sink)
{
	extern __shared__ unsigned char raw[];
	unsigned char *a = raw + (BLOCK_BYTES - __cvta_generic_to_shared(raw) % BLOCK_BYTES)
		% BLOCK_BYTES;
	unsigned char *b = a + M * ROW_BYTES;
	D d[M * N / 128] = {};

	for (int i = threadIdx.x; i < (M + N) * ROW_BYTES / 4; i += blockDim.x) {
		((uint32_t *)a)[i] = contents((uint32_t)i, TYPE);
	}
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
	const uint64_t left = descriptor(a);
	const uint64_t right = descriptor(b);

	asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
	for (int r = 0; r < ROUNDS; r++) {
#pragma unroll
		for (int step = 0; step < STEPS; step++) {
			multiply<TYPE, D>(d, left + 2 * step, right + 2 * step);
		}
		asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
	}
	asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
	D sum = 0;

	for (int i = 0; i < M * N / 128; i++) {
		sum += d[i];
	}
	if (sum == (D)12345) {
		*(D *)sink = sum;
	}
}

#else

/* A warp multiplies 16 by K with K by 8 from registers, in eight chains. */
#define CHAINS 8

template <int TYPE, typename D>
__device__ static void multiply(D *d, const uint32_t *a, const uint32_t *b)
{
	if constexpr (TYPE == PROBE_BF16) {
		asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
			"{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
			: "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
			: "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
	} else if constexpr (TYPE == PROBE_F16) {
		asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
			"{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
			: "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
			: "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
	} else if constexpr (TYPE == PROBE_TF32) {
		asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
			"{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
			: "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
			: "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
	} else if constexpr (TYPE == PROBE_INT8) {
		asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
			"{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
			: "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
			: "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
	}
}

template <int TYPE, typename D>
__device__ static void rounds(void *sink)
{
	D d[CHAINS][4] = {};
	uint32_t a[4], b[2];
	D sum = 0;

	for (uint32_t i = 0; i < 4; i++) {
		a[i] = contents(threadIdx.x * 8 + i, TYPE);
		b[i % 2] = contents(threadIdx.x * 8 + 4 + i, TYPE);
	}
	for (int r = 0; r < ROUNDS; r++) {
#pragma unroll
		for (int c = 0; c < CHAINS; c++) {
			multiply<TYPE, D>(d[c], a, b);
		}
	}
	for (int c = 0; c < CHAINS; c++) {
		sum += d[c][0] + d[c][1] + d[c][2] + d[c][3];
	}
	if (sum == (D)12345) {
		*(D *)sink = sum;
	}
}

#endif

template <int TYPE, typename D>
__global__ void __launch_bounds__(128) matrices(void *sink)
{
	rounds<TYPE, D>(sink);
}

struct job {
	void *sink;
	int blocks;
	size_t shared;
};

template <int TYPE, typename D>
static void launch(void *ctx, cudaStream_t stream)
{
	const struct job *j = (const struct job *)ctx;

	matrices<TYPE, D><<<j->blocks, 128, j->shared, stream>>>(j->sink);
}

/* Multiplications and additions of one block. */
static double work(const cudaDeviceProp *device, int k_bytes_of, int bytes)
{
	/* wgmma: 32 bytes of K at a time; mma.sync: the same of four warps */
	const double k = (double)k_bytes_of / bytes;
	const bool wgmma = device->major == 9 && device->minor == 0;

	return wgmma ? 2.0 * M * N * k * STEPS * ROUNDS : 2.0 * 16 * 8 * k * 8 * 4 * ROUNDS;
}

template <int TYPE, typename D>
static double one(struct job *j, const cudaDeviceProp *device, int bytes, cudaError_t *error)
{
	if (*error == cudaSuccess) {
		*error = cudaFuncSetAttribute(matrices<TYPE, D>,
			cudaFuncAttributeMaxDynamicSharedMemorySize, (int)j->shared);
	}
	const double ms = probe_best_ms(launch<TYPE, D>, j, TRIES, error);

	return ms > 0 ? work(device, 32, bytes) * j->blocks / (ms * 1e6) : 0;
}

cudaError_t probe_matrices(struct probe_rates *out, const cudaDeviceProp *device)
{
	const bool wgmma = device->major == 9 && device->minor == 0;
	struct job j = {NULL, device->multiProcessorCount * (wgmma ? 2 : 8),
		wgmma ? (size_t)(M + N) * ROW_BYTES + BLOCK_BYTES : 0};
	cudaError_t error = cudaMalloc(&j.sink, 256);

	if (device->major < 8) {
		cudaFree(j.sink);
		return error;
	}
	out->tensor_gflops[PROBE_BF16] = one<PROBE_BF16, float>(&j, device, 2, &error);
	out->tensor_gflops[PROBE_F16] = one<PROBE_F16, float>(&j, device, 2, &error);
	out->tensor_gflops[PROBE_TF32] = one<PROBE_TF32, float>(&j, device, 4, &error);
	if (wgmma) {
		out->tensor_gflops[PROBE_FP8] = one<PROBE_FP8, float>(&j, device, 1, &error);
	}
	out->tensor_gflops[PROBE_INT8] = one<PROBE_INT8, int>(&j, device, 1, &error);
	cudaFree(j.sink);
	return error;
}
