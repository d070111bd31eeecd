/* Contents of tensors on the GPU, from the same lines as on the processor. */
#include "harness.cuh"

__global__ static void draw_groups(void *to, struct ks_draw plan, uint64_t groups)
{
	uint64_t step = (uint64_t)gridDim.x * blockDim.x;
	for (uint64_t g = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; g < groups; g += step) {
		ks_draw_group(to, &plan, g);
	}
}

void ks_cuda_draw(struct ks_cuda *c, void *to, const struct ks_draw *plan)
{
	uint64_t groups = (plan->count + 3) / 4;
	if (groups == 0 || !ks_cuda_use(c)) {
		return;
	}
	ks_cuda_touch(c, to, plan->count * ks_size_of((enum ks_dtype)plan->dtype));
	unsigned blocks = ks_cuda_blocks(c, groups);
	draw_groups<<<blocks, KS_THREADS, 0, c->stream>>>(to, *plan, groups);
	ks_cuda_ok(c, cudaGetLastError(), "drawing inputs");
}

template <typename T> __global__ static void repeat_element(T *to, T element, uint64_t count)
{
	uint64_t step = (uint64_t)gridDim.x * blockDim.x;
	for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
		to[i] = element;
	}
}

template <typename T> static void repeat_as(struct ks_cuda *c, void *to, const void *element,
	uint64_t count)
{
	T value;
	memcpy(&value, element, sizeof(value));
	unsigned blocks = ks_cuda_blocks(c, count);
	repeat_element<T><<<blocks, KS_THREADS, 0, c->stream>>>((T *)to, value, count);
}

void ks_cuda_repeat(struct ks_cuda *c, void *to, const void *element, uint32_t size,
	uint64_t count)
{
	if (count == 0 || !ks_cuda_use(c)) {
		return;
	}
	ks_cuda_touch(c, to, size * count);
	if (size == 8) {
		repeat_as<uint64_t>(c, to, element, count);
	} else if (size == 4) {
		repeat_as<uint32_t>(c, to, element, count);
	} else if (size == 2) {
		repeat_as<uint16_t>(c, to, element, count);
	} else {
		repeat_as<uint8_t>(c, to, element, count);
	}
	ks_cuda_ok(c, cudaGetLastError(), "constant inputs");
}

/* Thread t has number t of 256, and stores it in every place that is t mod 256. */
__global__ static void poison_drawn(void *to, const void *from, enum ks_dtype dtype,
	uint64_t count, uint32_t random)
{
	double v = ks_poison_of(dtype, from, count, threadIdx.x, random);
	uint64_t step = (uint64_t)gridDim.x * blockDim.x;
	for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
		ks_element_put(dtype, to, i, v);
	}
}

void ks_cuda_poison(struct ks_cuda *c, void *to, const void *from, enum ks_dtype dtype,
	uint64_t count, uint32_t random)
{
	if (count == 0 || !ks_cuda_use(c)) {
		return;
	}
	ks_cuda_touch(c, to, count * ks_size_of(dtype));
	ks_cuda_touch(c, from, count * ks_size_of(dtype));
	unsigned blocks = ks_cuda_blocks(c, count);
	poison_drawn<<<blocks, 256, 0, c->stream>>>(to, from, dtype, count, random);
	ks_cuda_ok(c, cudaGetLastError(), "poisoning outputs");
}
