/*
 * A matrix product in the manner of Hopper, for dry runs of that checklist: one
 * warpgroup copies tiles in bulk, two others multiply them by wgmma, barriers in
 * shared memory between them; the epilogue applies x / (1 + exp(-x)). c = a b',
 * bfloat16 in, float out; a is m by k, b is n by k, row-major; m and n are multiples
 * of 128 (m of 256 with CLUSTER 2), k of 64.
 *
 *   nvcc -O3 -arch=sm_90a [-DCLUSTER=2] [-DWAITS] hopper.cu -o hopper
 *   hopper MODE [M N K]   MODE: see main
 *
 * CLUSTER 2: two blocks share their tiles of b by multicast. WAITS: the roles count
 * what they wait. Every mode prints one figure.
 */
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <vector>

#ifndef CLUSTER
#define CLUSTER 1
#endif
#define TILE 128
#define DEPTH 64		/* of k in a stage: rows of 128 bytes */
#define STAGES 4
#define TILE_BYTES (TILE * DEPTH * 2)
#define GROUP 128		/* threads of a warpgroup */
#define CONSUMERS 2
#define THREADS (GROUP * (1 + CONSUMERS))
#define SHARED (STAGES * 2 * TILE_BYTES + 1024)
#define CHECK(e) check((int)(e), __LINE__)

static void check(int e, int line)
{
	if (e != 0) {
		fprintf(stderr, "hopper.cu:%d: error %d: %s\n", line, e,
			cudaGetErrorString((cudaError_t)e));
		exit(3);
	}
}

#ifdef WAITS /* of the consumers' first threads: waits, tries that failed, cycles */
__device__ unsigned long long waits[3];
#endif

__device__ static bool try_wait(uint32_t bar, uint32_t parity)
{
	uint32_t done;

	asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
		"selp.u32 %0, 1, 0, p;\n}" : "=r"(done) : "r"(bar), "r"(parity) : "memory");
	return done != 0;
}

__device__ static void wait(uint32_t bar, uint32_t parity, bool counted)
{
#ifdef WAITS
	const long long from = clock64();
	unsigned long long failed = 0;

	while (!try_wait(bar, parity)) {
		failed++;
	}
	if (counted) {
		atomicAdd(&waits[0], 1ull);
		atomicAdd(&waits[1], failed);
		atomicAdd(&waits[2], (unsigned long long)(clock64() - from));
	}
#else
	(void)counted;
	while (!try_wait(bar, parity)) {
	}
#endif
}

__device__ static void arrive(uint32_t bar, uint32_t rank)
{
#if CLUSTER > 1
	asm volatile("{\n.reg .b32 far;\nmapa.shared::cluster.u32 far, %0, %1;\n"
		"mbarrier.arrive.release.cluster.shared::cluster.b64 _, [far];\n}"
		:: "r"(bar), "r"(rank) : "memory");
#else
	(void)rank;
	asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(bar) : "memory");
#endif
}

__device__ static void bulk_copy(uint32_t to, const CUtensorMap *map, int x, int y, uint32_t bar,
	bool shared_by_all)
{
	if (CLUSTER > 1 && shared_by_all) {
		asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global"
			".mbarrier::complete_tx::bytes.multicast::cluster"
			" [%0], [%1, {%2, %3}], [%4], %5;"
			:: "r"(to), "l"(map), "r"(x), "r"(y), "r"(bar),
			"h"((uint16_t)((1 << CLUSTER) - 1)) : "memory");
	} else {
		asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global"
			".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
			:: "r"(to), "l"(map), "r"(x), "r"(y), "r"(bar) : "memory");
	}
}

/* A tile in rows of 128 bytes, swizzled; 1024 bytes from 8 rows to the next 8. */
__device__ static uint64_t descriptor(uint32_t at)
{
	return (uint64_t)((at & 0x3ffff) >> 4) | (uint64_t)1 << 16 | (uint64_t)64 << 32
		| (uint64_t)1 << 62;
}

#define L8(b) "%" #b "0, %" #b "1, %" #b "2, %" #b "3, %" #b "4, %" #b "5, %" #b "6, " \
	"%" #b "7, %" #b "8, %" #b "9, "
#define D4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define D16(i) D4(i), D4(i + 4), D4(i + 8), D4(i + 12)

__device__ static void multiply64(float *d, uint64_t a, uint64_t b)
{
	asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
		"%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, " L8(1) L8(2) L8(3) L8(4) L8(5)
		"%60, %61, %62, %63}, %64, %65, 1, 1, 1, 0, 0;"
		: D16(0), D16(16), D16(32), D16(48) : "l"(a), "l"(b));
}

__device__ static void produce(const CUtensorMap *a, const CUtensorMap *b, uint32_t tiles,
	uint32_t full, uint32_t empty, uint32_t rank, int steps)
{
#pragma unroll 1
	for (int s = 0; s < steps; s++) {
		const int slot = s % STAGES;
		const uint32_t at = tiles + slot * 2 * TILE_BYTES, bar = full + slot * 8;

		wait(empty + slot * 8, (uint32_t)(s / STAGES & 1) ^ 1, false);
		asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(bar),
			"r"(2 * TILE_BYTES) : "memory");
		bulk_copy(at, a, s * DEPTH, blockIdx.x * TILE, bar, false);
		bulk_copy(at + TILE_BYTES + rank * (TILE_BYTES / CLUSTER), b, s * DEPTH,
			blockIdx.y * TILE + (int)rank * (TILE / CLUSTER), bar, true);
	}
}

__device__ static void consume(float *d, uint32_t tiles, uint32_t full, uint32_t empty, int steps)
{
	const uint32_t own = tiles + (threadIdx.x / GROUP - 1) * 64 * DEPTH * 2;
	const uint32_t me = threadIdx.x % GROUP;

#pragma unroll 1
	for (int s = 0; s < steps; s++) {
		const int slot = s % STAGES;
		const uint64_t a = descriptor(own + slot * 2 * TILE_BYTES);
		const uint64_t b = descriptor(tiles + slot * 2 * TILE_BYTES + TILE_BYTES);

		wait(full + slot * 8, (uint32_t)(s / STAGES & 1), me == 0);
		asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
		for (int i = 0; i < 4; i++) {
			multiply64(d, a + 2 * i, b + 2 * i);
		}
		asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
		asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
		if (s > 0 && me < CLUSTER) { /* the step before this one is done with its tiles */
			arrive(empty + (s - 1) % STAGES * 8, me);
		}
	}
	asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

__device__ static float gated(float x)
{
	return x / (1.0f + __expf(-x));
}

#if CLUSTER > 1
#define CLUSTERED __cluster_dims__(CLUSTER, 1, 1)
#else
#define CLUSTERED
#endif

__global__ void CLUSTERED __launch_bounds__(THREADS, 1) multiply(
	const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c,
	int n, int k)
{
	extern __shared__ unsigned char raw[];
	__shared__ __align__(8) uint64_t bars[2 * STAGES];
	const uint32_t tiles = ((uint32_t)__cvta_generic_to_shared(raw) + 1023) / 1024 * 1024;
	const uint32_t full = (uint32_t)__cvta_generic_to_shared(bars), empty = full + STAGES * 8;
	const int group = threadIdx.x / GROUP, steps = k / DEPTH;
	uint32_t rank = 0;

#if CLUSTER > 1
	asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
	if (threadIdx.x == 0) {
		for (int s = 0; s < STAGES; s++) {
			asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(full + s * 8));
			asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
				:: "r"(empty + s * 8), "r"(CONSUMERS * CLUSTER));
		}
		asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
	}
	__syncthreads();
#if CLUSTER > 1
	asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
#endif
	asm volatile("griddepcontrol.wait;" ::: "memory");
	if (group == 0) {
		asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
		if (threadIdx.x == 0) {
			produce(&a, &b, tiles, full, empty, rank, steps);
		}
	} else {
		asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
		float d[64] = {};

		consume(d, tiles, full, empty, steps);
		asm volatile("griddepcontrol.launch_dependents;");
		const int lane = threadIdx.x % 32, warp = threadIdx.x % GROUP / 32;
		const int64_t row =
			(int64_t)blockIdx.x * TILE + (group - 1) * 64 + warp * 16 + lane / 4;
		float *to = c + row * n + blockIdx.y * TILE + lane % 4 * 2;

		for (int j = 0; j < 16; j++) {
			*(float2 *)(to + j * 8) = make_float2(gated(d[j * 4]), gated(d[j * 4 + 1]));
			*(float2 *)(to + 8 * (int64_t)n + j * 8) = make_float2(gated(d[j * 4 + 2]),
				gated(d[j * 4 + 3]));
		}
	}
#if CLUSTER > 1 /* no block leaves while the other may write to its shared memory */
	__syncthreads();
	asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
#endif
}

static __nv_bfloat16 *a, *b;
static float *c;
static int m = 4096, n = 4096, k = 4096;
static CUtensorMap map_a, map_b;
static cudaStream_t stream;

static void encode(CUtensorMap *map, void *from, int rows, int box)
{
	static CUresult (*get)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
		const cuuint64_t *, const cuuint64_t *, const cuuint32_t *, const cuuint32_t *,
		CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
		CUtensorMapFloatOOBfill);
	const cuuint64_t size[2] = {(cuuint64_t)k, (cuuint64_t)rows},
		stride[1] = {(cuuint64_t)k * 2};
	const cuuint32_t part[2] = {DEPTH, (cuuint32_t)box}, step[2] = {1, 1};

	if (get == NULL) {
		cudaDriverEntryPointQueryResult how;

		CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&get,
			12000, cudaEnableDefault, &how));
	}
	CHECK(get(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, from, size, stride, part, step,
		CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
		CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
}

static void launch(cudaStream_t to, bool dependent)
{
	cudaLaunchConfig_t config = {};
	cudaLaunchAttribute attribute = {};

	config.gridDim = dim3(m / TILE, n / TILE);
	config.blockDim = dim3(THREADS);
	config.dynamicSmemBytes = SHARED;
	config.stream = to;
	attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	attribute.val.programmaticStreamSerializationAllowed = 1;
	config.attrs = &attribute;
	config.numAttrs = dependent ? 1 : 0;
	CHECK(cudaLaunchKernelEx(&config, multiply, map_a, map_b, c, n, k));
}

static void call()
{
	launch(stream, false);
}

template <typename F>
static double median_us(int tries, F f)
{
	cudaEvent_t from, to;
	std::vector<float> t;

	CHECK(cudaEventCreate(&from));
	CHECK(cudaEventCreate(&to));
	for (int i = 0; i < tries + 3; i++) {
		float ms = 0;

		CHECK(cudaEventRecord(from, stream));
		f();
		CHECK(cudaEventRecord(to, stream));
		CHECK(cudaStreamSynchronize(stream));
		CHECK(cudaEventElapsedTime(&ms, from, to));
		if (i >= 3) {
			t.push_back(ms);
		}
	}
	std::sort(t.begin(), t.end());
	return t[t.size() / 2] * 1000.0;
}

static void fill()
{
	std::vector<__nv_bfloat16> v(std::max((size_t)m * k, (size_t)n * k));
	unsigned s = 1;

	for (__nv_bfloat16 &x : v) {
		s = s * 1664525u + 1013904223u;
		x = __float2bfloat16((float)(s >> 8) / 8388608.0f - 1.0f);
	}
	CHECK(cudaMalloc(&a, 2 * (size_t)m * k));
	CHECK(cudaMalloc(&b, 2 * (size_t)n * k));
	CHECK(cudaMalloc(&c, 4 * (size_t)m * n));
	CHECK(cudaMemcpy(a, v.data(), 2 * (size_t)m * k, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(b, v.data(), 2 * (size_t)n * k, cudaMemcpyHostToDevice));
	encode(&map_a, a, m, TILE);
	encode(&map_b, b, n, TILE / CLUSTER);
}

/* Largest error of some results, over the mass of their products times k 2^-24. */
static double errors()
{
	std::vector<__nv_bfloat16> left((size_t)m * k), right((size_t)n * k);
	std::vector<float> got((size_t)m * n);
	double worst = 0;

	call();
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemcpy(left.data(), a, 2 * left.size(), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(right.data(), b, 2 * right.size(), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(got.data(), c, 4 * got.size(), cudaMemcpyDeviceToHost));
	for (int i = 0; i < m; i += 7) {
		for (int j = 0; j < n; j += 5) {
			double sum = 0, mass = 0;

			for (int l = 0; l < k; l++) {
				double p = (double)__bfloat162float(left[(size_t)i * k + l])
					* __bfloat162float(right[(size_t)j * k + l]);

				sum += p;
				mass += fabs(p);
			}
			sum /= 1 + exp(-sum);
			worst = std::max(worst,
				fabs(got[(size_t)i * n + j] - sum) / (k * 5.96e-8 * mass));
		}
	}
	return worst;
}

/* Processors that the largest grid of clusters of `size` leaves without a block. */
static int left_empty(int size)
{
	cudaLaunchConfig_t config = {};
	cudaLaunchAttribute attribute = {};
	int clusters = 0, sms = 0;

	CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
	config.gridDim = dim3((unsigned)size * 64);
	config.blockDim = dim3(THREADS);
	config.dynamicSmemBytes = SHARED;
	attribute.id = cudaLaunchAttributeClusterDimension;
	attribute.val.clusterDim.x = (unsigned)size;
	attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
	config.attrs = &attribute;
	config.numAttrs = 1;
	CHECK(cudaOccupancyMaxActiveClusters(&clusters, multiply, &config));
	return sms - clusters * size;
}

/* us of two calls in a row, the second one allowed to start early, or not. */
static double pair_us(bool dependent)
{
	return median_us(20, [&] {
		launch(stream, false);
		launch(stream, dependent);
	});
}

static double encode_us()
{
	const int rounds = 10000;
	auto from = std::chrono::steady_clock::now();

	for (int i = 0; i < rounds; i++) {
		encode(&map_a, a, m, TILE);
		encode(&map_b, b, n, TILE / CLUSTER);
	}
	return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - from)
		.count() / rounds;
}

#ifdef WAITS
static double waited(int which)
{
	unsigned long long v[3] = {};

	call();
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemcpyFromSymbol(v, waits, sizeof(v)));
	return (double)v[which] / (double)v[0];
}
#endif

/* The processors' clock while they multiply, in GHz. */
__global__ void tick(unsigned long long *to)
{
	unsigned long long ns;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
	to[0] = (unsigned long long)clock64();
	to[1] = ns;
}

/* On-chip bytes that the matrix instructions read per cycle of a processor. */
static double bytes_per_cycle()
{
	unsigned long long *at, v[4];
	int sms = 0;

	CHECK(cudaMallocHost(&at, sizeof(v)));
	CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
	double us = median_us(20, call);

	tick<<<1, 1, 0, stream>>>(at);
	for (int i = 0; i < 5; i++) {
		call();
	}
	tick<<<1, 1, 0, stream>>>(at + 2);
	CHECK(cudaStreamSynchronize(stream));
	memcpy(v, at, sizeof(v));
	double ghz = (double)(v[2] - v[0]) / (double)(v[3] - v[1]);
	double bytes = (double)CONSUMERS * (64 + TILE) * DEPTH * 2 * (k / DEPTH) * (m / TILE)
		* (n / TILE);
	return bytes / sms / (us * 1000 * ghz);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	m = argc > 2 ? atoi(argv[2]) : m;
	n = argc > 3 ? atoi(argv[3]) : n;
	k = argc > 4 ? atoi(argv[4]) : k;
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaFuncSetAttribute(multiply, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
	fill();
	if (strcmp(mode, "calls") == 0) {
		for (int i = 0; i < 3; i++) {
			call();
		}
	} else if (strcmp(mode, "time") == 0) {
		printf("%.3f\n", median_us(20, call));
	} else if (strcmp(mode, "error") == 0) {
		printf("%.6f\n", errors());
	} else if (strcmp(mode, "encode") == 0) {
		printf("%.4f\n", encode_us());
	} else if (strcmp(mode, "empty") == 0) {	/* for clusters of 1, 2, 4, 8 */
		for (int size = 1; size <= 8; size *= 2) {
			printf("%d\n", left_empty(size));
		}
	} else if (strcmp(mode, "early") == 0) {
		printf("%.3f\n", pair_us(false) - pair_us(true));
	} else if (strcmp(mode, "pair") == 0) {
		printf("%.3f\n", pair_us(true) - median_us(20, call));
	} else if (strcmp(mode, "perclk") == 0) {
		printf("%.3f\n", bytes_per_cycle());
#ifdef WAITS
	} else if (strcmp(mode, "tries") == 0) {
		printf("%.4f\n", waited(1));
	} else if (strcmp(mode, "cycles") == 0) {
		printf("%.2f\n", waited(2));
#endif
	} else {
		fprintf(stderr, "hopper: no mode '%s'\n", mode);
		return 2;
	}
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGetLastError());
	return 0;
}
