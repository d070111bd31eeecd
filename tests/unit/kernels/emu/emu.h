#ifndef EMU_H
#define EMU_H
/*
 * Device code on the CPU, for tests: the threads of a block are fibers that take
 * turns, and a barrier or a shuffle is where one gives its turn away. Blocks run
 * one after another. Enough of CUDA C++ for the kernels of this project; what is
 * not here does not compile.
 *
 * emu.sed turns a launch into EMU_LAUNCH and the block's dynamic shared memory
 * into a pointer to memory of exactly its size, so that an address sanitizer
 * sees a step beyond it. Threads run forwards in one launch and backwards in the
 * next: a kernel that lacks a barrier gives two answers.
 *
 * A barrier that some threads never reach, or a shuffle whose mask names a lane
 * that has left, ends the program with a message.
 */
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __shared__ static

struct dim3 {
	unsigned x, y, z;
	dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

extern dim3 threadIdx, blockIdx, blockDim, gridDim;

using std::sqrt;
using std::log;

/* ---- the machine (emu.cpp) ---- */

typedef void (*emu_body)(void *ctx);

void emu_run(dim3 grid, dim3 block, size_t shared_bytes, emu_body body, void *ctx);
void *emu_shared(void);
/* Gives a word to the lanes of mask and takes the one of `from`. */
uint64_t emu_exchange(unsigned mask, uint64_t word, int from);
unsigned emu_ballot(unsigned mask, bool vote);
void emu_block_barrier(void);
int emu_lane(void);

/* Unnamed: two kernels may have different types of the same name. */
namespace {

template <typename... P>
struct emu_launcher {
	void (*kernel)(P...);
	dim3 grid, block;
	size_t bytes;

	template <typename... A>
	void operator()(A... args) const
	{
		auto call = [&] { kernel(args...); };

		emu_run(grid, block, bytes, [](void *ctx) { (*(decltype(call) *)ctx)(); }, &call);
	}
};

template <typename... P>
emu_launcher<P...> emu_launch(void (*kernel)(P...), dim3 grid, dim3 block, size_t bytes = 0,
	void *stream = NULL)
{
	(void)stream;
	return {kernel, grid, block, bytes};
}

} /* namespace */

#define EMU_LAUNCH(kernel, ...) emu_launch(kernel, __VA_ARGS__)

/* ---- what kernels call ---- */

static inline void __syncthreads(void)
{
	emu_block_barrier();
}

static inline void __syncwarp(unsigned mask = 0xffffffffu)
{
	(void)emu_ballot(mask, false);
}

template <typename T>
static T emu_shuffle(unsigned mask, T v, int from)
{
	uint64_t word = 0;

	static_assert(sizeof(T) <= sizeof(word), "too wide for a shuffle");
	memcpy(&word, &v, sizeof v);
	word = emu_exchange(mask, word, from);
	memcpy(&v, &word, sizeof v);
	return v;
}

template <typename T>
static T __shfl_sync(unsigned mask, T v, int from)
{
	return emu_shuffle(mask, v, from & 31);
}

template <typename T>
static T __shfl_xor_sync(unsigned mask, T v, int bits)
{
	return emu_shuffle(mask, v, emu_lane() ^ bits);
}

template <typename T>
static T __shfl_down_sync(unsigned mask, T v, unsigned by)
{
	int from = emu_lane() + (int)by;

	return emu_shuffle(mask, v, from < 32 ? from : emu_lane());
}

static inline unsigned __ballot_sync(unsigned mask, int vote)
{
	return emu_ballot(mask, vote != 0);
}

static inline int __any_sync(unsigned mask, int vote)
{
	return emu_ballot(mask, vote != 0) != 0;
}

template <typename T>
static T atomicAdd(T *at, T v)
{
	T old = *at;

	*at = (T)(old + v);
	return old;
}

template <typename T>
static T atomicMax(T *at, T v)
{
	T old = *at;

	*at = old > v ? old : v;
	return old;
}

template <typename T>
static T __ldg(const T *at)
{
	return *at;
}

/* ---- what hosts call ---- */

typedef void *cudaStream_t;
typedef int cudaError_t;
enum { cudaSuccess = 0, cudaErrorInvalidValue = 1 };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };

static inline cudaError_t cudaGetLastError(void)
{
	return cudaSuccess;
}

template <typename F>
static cudaError_t cudaFuncSetAttribute(F *kernel, cudaFuncAttribute attribute, int value)
{
	(void)kernel;
	(void)attribute;
	return value <= 227 * 1024 ? cudaSuccess : cudaErrorInvalidValue;
}

#endif
