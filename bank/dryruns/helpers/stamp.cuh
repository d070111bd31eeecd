#pragma once
/* Time stamps of each block, by its first thread; see stamp.awk. */
#include <cuda_runtime.h>

struct ks_stamp {
	unsigned long long start, loop, tail, end; /* globaltimer, ns */
	unsigned sm, used;
};
#define KS_STAMPS 65536

#ifdef STAMP_KERNEL
__device__ ks_stamp ks_stamps[KS_STAMPS];

__device__ static unsigned long long ks_now()
{
	unsigned long long t;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
	return t;
}

__device__ static void ks_keep(unsigned long long start, unsigned long long loop,
	unsigned long long tail)
{
	const unsigned at = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
	unsigned sm;

	asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
	if (threadIdx.x == 0 && at < KS_STAMPS) {
		ks_stamps[at] = {start, loop, tail, ks_now(), sm, 1};
	}
}
#define KS_START const unsigned long long ks_t0 = ks_now(); \
	unsigned long long ks_t1 = ks_t0, ks_t2 = ks_t0;
#define KS_LOOP ks_t1 = ks_now();
#define KS_TAIL ks_t2 = ks_now();
#define KS_END ks_keep(ks_t0, ks_t1, ks_t2);

extern "C" int ks_read_stamps(ks_stamp *to)
{
	return cudaMemcpyFromSymbol(to, ks_stamps, sizeof(ks_stamps)) == cudaSuccess ? 0 : 1;
}
#else
extern "C" int ks_read_stamps(ks_stamp *to);
#endif
