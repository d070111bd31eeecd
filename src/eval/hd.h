#ifndef KSEEK_EVAL_HD_H
#define KSEEK_EVAL_HD_H
/*
 * KS_HD marks small functions that the processor and a GPU both run, from the
 * same lines: what one makes, the other makes too. They use no library but
 * memcpy, sqrtf and fabs, and are compiled without fused multiply-add on both.
 */
#ifdef __CUDACC__
#define KS_HD __host__ __device__ __forceinline__ static
#else
#define KS_HD static inline __attribute__((always_inline, unused))
#endif

#endif
