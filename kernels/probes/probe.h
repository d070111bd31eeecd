#ifndef KSEEK_PROBES_PROBE_H
#define KSEEK_PROBES_PROBE_H
/*
 * What one GPU reaches, measured once: ceilings for shares of the roofline and
 * for floors. Rates are upper bounds, so of several tries the best counts.
 *
 *   copy, read    the larger gives the bandwidth of memory; buffers that are many
 *                 times the second-level cache; bytes read and bytes written count
 *   l2            reads of a quarter of the second-level cache, again and again,
 *                 past the first level
 *   fma           independent chains of multiply-adds; one counts 2
 *   tensor        one shape of the widest matrix instruction the device has (wgmma
 *                 on compute capability 9.0, mma.sync elsewhere), operands in
 *                 shared memory or registers, random contents
 *   launch        an empty kernel: in a row, and alone with the wait for it
 *
 * Rates are 0 where the device does not have the instruction.
 */
#include <cuda_runtime.h>

/* Element types of matrix instructions. */
enum probe_tensor {
	PROBE_BF16, PROBE_F16, PROBE_TF32, PROBE_FP8, PROBE_INT8, PROBE_TENSORS
};

struct probe_rates {
	double copy_gbs, read_gbs, l2_gbs;
	double fma32_gflops, fma64_gflops;
	double tensor_gflops[PROBE_TENSORS];
	double launch_ns; /* of an empty kernel among others          */
	double call_ns;   /* of one alone, with the wait, wall clock  */
};

/* A kernel's best time in milliseconds over some tries. The first error stays in
 * *error, and nothing is launched after it. */
typedef void (*probe_launch)(void *ctx, cudaStream_t stream);
double probe_best_ms(probe_launch launch, void *ctx, int tries, cudaError_t *error);

/* On the current device. */
cudaError_t probe_memory(struct probe_rates *out, const cudaDeviceProp *device);
cudaError_t probe_arithmetic(struct probe_rates *out, const cudaDeviceProp *device);
cudaError_t probe_launches(struct probe_rates *out);
cudaError_t probe_matrices(struct probe_rates *out, const cudaDeviceProp *device);

/* ---- exported ---- */

/* JSON of the devices that are visible, and of one device's rates. Return 0, or
 * CUDA's error number and {"error":"one line"}. */
extern "C" int ks_cuda_devices(char *json, size_t size);
extern "C" int ks_cuda_probe(int device, char *json, size_t size);

#endif
