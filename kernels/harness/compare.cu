/* Looks at contents on the GPU: gaps, fingerprints, values, comparison. */
#include "harness.cuh"

#include "eval/print.h"

/* Adds the block's values to one number; every thread takes part. */
__device__ static void add_up(uint64_t value, uint64_t *into)
{
	__shared__ unsigned long long sum;
	if (threadIdx.x == 0) {
		sum = 0;
	}
	__syncthreads();
	if (value != 0) {
		atomicAdd(&sum, (unsigned long long)value);
	}
	__syncthreads();
	if (threadIdx.x == 0 && sum != 0) {
		atomicAdd((unsigned long long *)into, sum);
	}
}

__global__ static void count_other(const unsigned char *at, unsigned char byte, uint64_t bytes,
	uint64_t *into)
{
	uint64_t n = 0, step = (uint64_t)gridDim.x * blockDim.x;
	for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < bytes; i += step) {
		n += at[i] != byte;
	}
	add_up(n, into);
}

/* A block a range. */
__global__ static void fill_ranges(struct ks_ranges r)
{
	unsigned char *at = r.list[blockIdx.x].at;
	for (unsigned i = threadIdx.x; i < r.list[blockIdx.x].bytes; i += blockDim.x) {
		at[i] = r.list[blockIdx.x].byte;
	}
}

__global__ static void look_at_ranges(struct ks_ranges r, struct ks_cuda_found *found)
{
	uint64_t n = 0;
	const unsigned char *at = r.list[blockIdx.x].at;
	for (unsigned i = threadIdx.x; i < r.list[blockIdx.x].bytes; i += blockDim.x) {
		n += at[i] != r.list[blockIdx.x].byte;
	}
	add_up(n, &found->look[r.list[blockIdx.x].look]);
}

void ks_cuda_ranges(struct ks_cuda *c)
{
	if (c->fills.count + c->gaps.count == 0 || !ks_cuda_use(c)) {
		return;
	}
	if (c->fills.count > 0) {
		fill_ranges<<<c->fills.count, KS_THREADS, 0, c->stream>>>(c->fills);
	}
	if (c->gaps.count > 0) {
		look_at_ranges<<<c->gaps.count, KS_THREADS, 0, c->stream>>>(c->gaps, c->found);
		c->looked = true;
	}
	c->fills.count = c->gaps.count = 0;
	ks_cuda_ok(c, cudaGetLastError(), "gaps");
}

static bool meets(const struct ks_ranges *r, const unsigned char *at, uint64_t bytes)
{
	for (unsigned i = 0; i < r->count; i++) {
		if (at < r->list[i].at + r->list[i].bytes && r->list[i].at < at + bytes) {
			return true;
		}
	}
	return false;
}

void ks_cuda_touch(struct ks_cuda *c, const void *at, uint64_t bytes)
{
	const unsigned char *from = (const unsigned char *)at;
	if (meets(&c->fills, from, bytes) || meets(&c->gaps, from, bytes)) {
		ks_cuda_ranges(c);
	}
}

void ks_cuda_gather(struct ks_cuda *c, struct ks_ranges *r, const void *at, int byte,
	uint64_t bytes, unsigned look)
{
	if (r == &c->fills) {
		ks_cuda_touch(c, at, bytes);
	}
	if (r->count == KS_RANGES) {
		ks_cuda_ranges(c);
	}
	r->list[r->count].at = (unsigned char *)at;
	r->list[r->count].bytes = (uint32_t)bytes;
	r->list[r->count].look = (uint16_t)look;
	r->list[r->count].byte = (uint8_t)byte;
	r->count++;
}

void ks_cuda_gap(struct ks_cuda *c, const void *at, int byte, uint64_t bytes, unsigned i)
{
	if (bytes == 0 || i >= KS_CUDA_LOOKS || !ks_cuda_use(c)) {
		return;
	}
	if (bytes <= KS_RANGE_MAX) {
		ks_cuda_gather(c, &c->gaps, at, byte, bytes, i);
		return;
	}
	ks_cuda_touch(c, at, bytes);
	unsigned blocks = ks_cuda_blocks(c, bytes);
	const unsigned char *from = (const unsigned char *)at;
	uint64_t *into = &c->found->look[i];
	count_other<<<blocks, KS_THREADS, 0, c->stream>>>(from, (unsigned char)byte, bytes, into);
	c->looked = ks_cuda_ok(c, cudaGetLastError(), "looking at gaps");
}

__global__ static void sum_words(const void *at, uint64_t bytes, uint64_t key, uint64_t *into)
{
	uint64_t n = 0, words = (bytes + 7) / 8, step = (uint64_t)gridDim.x * blockDim.x;
	for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < words; i += step) {
		n += ks_print_word(at, bytes, i, key);
	}
	add_up(n, into);
}

void ks_cuda_print(struct ks_cuda *c, const void *at, uint64_t bytes, uint64_t key, unsigned i)
{
	if (bytes == 0 || i >= KS_CUDA_LOOKS || !ks_cuda_use(c)) {
		return;
	}
	ks_cuda_touch(c, at, bytes);
	unsigned blocks = ks_cuda_blocks(c, (bytes + 7) / 8);
	uint64_t *into = &c->found->look[i];
	sum_words<<<blocks, KS_THREADS, 0, c->stream>>>(at, bytes, key, into);
	c->looked = ks_cuda_ok(c, cudaGetLastError(), "fingerprints");
}

__global__ static void count_special(enum ks_dtype dtype, const void *at, uint64_t count,
	bool allow_negative_inf, uint64_t *into)
{
	uint64_t n = 0, step = (uint64_t)gridDim.x * blockDim.x;
	const double endless = (double)INFINITY;
	for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
		double v = ks_element(dtype, at, i);
		bool allowed = allow_negative_inf && v == -endless;
		n += !(fabs(v) < endless) && !allowed;
	}
	add_up(n, into);
}

void ks_cuda_special(struct ks_cuda *c, enum ks_dtype dtype, const void *at, uint64_t count,
	bool allow_negative_inf, unsigned i)
{
	if (count == 0 || i >= KS_CUDA_LOOKS || !ks_cuda_use(c)) {
		return;
	}
	ks_cuda_touch(c, at, count * ks_size_of(dtype));
	unsigned blocks = ks_cuda_blocks(c, count);
	uint64_t *into = &c->found->look[i];
	count_special<<<blocks, KS_THREADS, 0, c->stream>>>(dtype, at, count,
		allow_negative_inf, into);
	c->looked = ks_cuda_ok(c, cudaGetLastError(), "looking at values");
}

/* The block's tallies become one, in the same order every time. */
__device__ static void merge_block(struct ks_tally *mine, struct ks_tally *out)
{
	__shared__ struct ks_tally all[KS_THREADS];
	all[threadIdx.x] = *mine;
	__syncthreads();
	for (unsigned half = KS_THREADS / 2; half > 0; half /= 2) {
		if (threadIdx.x < half) {
			ks_tally_merge(&all[threadIdx.x], &all[threadIdx.x + half]);
		}
		__syncthreads();
	}
	if (threadIdx.x == 0) {
		*out = all[0];
	}
}

__device__ static struct ks_tally no_tally(void)
{
	struct ks_tally t;
	memset(&t, 0, sizeof(t));
	return t;
}

__global__ static void tally_parts(struct ks_rule rule, enum ks_dtype dtype, const void *got,
	const void *want, uint64_t count, struct ks_tally *parts)
{
	struct ks_tally t = no_tally();
	uint64_t step = (uint64_t)gridDim.x * blockDim.x;
	for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
		ks_tally_element(&t, &rule, dtype, got, want, i);
	}
	merge_block(&t, &parts[blockIdx.x]);
}

__global__ static void tally_whole(const struct ks_tally *parts, unsigned count,
	struct ks_tally *out)
{
	struct ks_tally t = no_tally();
	for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
		ks_tally_merge(&t, &parts[i]);
	}
	merge_block(&t, out);
}

void ks_cuda_tally(struct ks_cuda *c, const struct ks_rule *rule, enum ks_dtype dtype,
	const void *got, const void *want, uint64_t count)
{
	if (count == 0 || !ks_cuda_use(c)) {
		return;
	}
	ks_cuda_touch(c, got, count * ks_size_of(dtype));
	ks_cuda_touch(c, want, count * ks_size_of(dtype));
	unsigned blocks = ks_cuda_blocks(c, count);
	blocks = blocks < KS_PARTS_MAX ? blocks : KS_PARTS_MAX;
	struct ks_tally *out = &c->found->tally;
	tally_parts<<<blocks, KS_THREADS, 0, c->stream>>>(*rule, dtype, got, want, count, c->parts);
	tally_whole<<<1, KS_THREADS, 0, c->stream>>>(c->parts, blocks, out);
	c->looked = ks_cuda_ok(c, cudaGetLastError(), "comparing");
}
