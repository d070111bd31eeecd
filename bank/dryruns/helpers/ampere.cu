/*
 * A matrix product in the manner of Ampere, for dry runs of that checklist: copies
 * to shared memory that pass no register, fragments by ldmatrix, products by
 * mma.sync. c = a b', half in, float out; a is m by k, b is n by k, row-major; m
 * and n are multiples of 128, k of 32.
 *
 *   nvcc -O3 -arch=sm_80 ampere.cu -o ampere
 *   ampere MODE [M N K]   MODE: see main
 *
 * Every mode prints one figure, or lines "name figure".
 */
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <vector>

#define TILE 128
#define DEPTH 32		/* of k, in a stage */
#define STAGES 4
#define ROW (DEPTH * 2)		/* bytes of a row of a tile */
#define TILE_BYTES (TILE * ROW)
#define SHARED (STAGES * 2 * TILE_BYTES)
#define THREADS 256
#define CHECK(e) check((e), __LINE__)

static void check(cudaError_t e, int line)
{
	if (e != cudaSuccess) {
		fprintf(stderr, "ampere.cu:%d: %s\n", line, cudaGetErrorString(e));
		exit(3);
	}
}

/* Where 16 bytes of a row lie: eight rows of a fragment fall on different banks. */
__device__ static uint32_t place(int row, int chunk)
{
	return (uint32_t)(row * ROW + ((chunk ^ (row >> 1 & 3)) << 4));
}

__device__ static void copy_tile(uint32_t to, const __half *from, int64_t stride)
{
#pragma unroll
	for (int j = 0; j < TILE_BYTES / 16 / THREADS; j++) {
		const int i = j * THREADS + threadIdx.x;
		const int row = i / (ROW / 16), chunk = i % (ROW / 16);

		asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
			:: "r"(to + place(row, chunk)), "l"(from + row * stride + chunk * 8));
	}
}

__device__ static void fragment(uint32_t *to, uint32_t tile, int row, int chunk)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
		: "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
		: "r"(tile + place(row, chunk)));
}

__device__ static void product(float *d, const uint32_t *a, uint32_t b0, uint32_t b1)
{
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
		"{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
		: "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
		: "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* A warp has 64 rows and 32 columns of the tile. */
__global__ void __launch_bounds__(THREADS) multiply(const __half *a, const __half *b, float *c,
	int m, int n, int k)
{
	extern __shared__ __align__(128) unsigned char shared[];
	const uint32_t base = (uint32_t)__cvta_generic_to_shared(shared);
	const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	const int row0 = warp / 4 * 64, col0 = warp % 4 * 32;
	const int steps = k / DEPTH;
	float sum[4][4][4] = {};
	uint32_t left[2][4][4], right[2][2][4];

	a += (int64_t)blockIdx.y * TILE * k;
	b += (int64_t)blockIdx.x * TILE * k;
	for (int s = 0; s < STAGES - 1; s++) {
		if (s < steps) {
			copy_tile(base + s * 2 * TILE_BYTES, a + s * DEPTH, k);
			copy_tile(base + s * 2 * TILE_BYTES + TILE_BYTES, b + s * DEPTH, k);
		}
		asm volatile("cp.async.commit_group;");
	}
	for (int s = 0; s < steps; s++) {
		const uint32_t tile = base + s % STAGES * 2 * TILE_BYTES;

		asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 2) : "memory");
		__syncthreads();
		if (s + STAGES - 1 < steps) {
			const uint32_t next = base + (s + STAGES - 1) % STAGES * 2 * TILE_BYTES;

			copy_tile(next, a + (int64_t)(s + STAGES - 1) * DEPTH, k);
			copy_tile(next + TILE_BYTES, b + (int64_t)(s + STAGES - 1) * DEPTH, k);
		}
		asm volatile("cp.async.commit_group;");
#pragma unroll
		for (int h = 0; h < 2; h++) { /* both halves' fragments are held at once */
			for (int i = 0; i < 4; i++) {
				fragment(left[h][i], tile, row0 + i * 16 + lane % 16,
					h * 2 + lane / 16);
			}
			for (int j = 0; j < 2; j++) {
				fragment(right[h][j], tile + TILE_BYTES, col0 + j * 16 + lane % 8
					+ lane / 16 * 8, h * 2 + lane / 8 % 2);
			}
		}
#pragma unroll
		for (int h = 0; h < 2; h++) {
			for (int i = 0; i < 4; i++) {
				for (int j = 0; j < 4; j++) {
					product(sum[i][j], left[h][i], right[h][j / 2][j % 2 * 2],
						right[h][j / 2][j % 2 * 2 + 1]);
				}
			}
		}
	}
	for (int i = 0; i < 4; i++) {
		for (int j = 0; j < 4; j++) {
			const int64_t row = (int64_t)blockIdx.y * TILE + row0 + i * 16 + lane / 4;
			const int64_t col =
				(int64_t)blockIdx.x * TILE + col0 + j * 8 + lane % 4 * 2;
			const float *s = sum[i][j];

			*(float2 *)&c[row * n + col] = make_float2(s[0], s[1]);
			*(float2 *)&c[(row + 8) * n + col] = make_float2(s[2], s[3]);
		}
	}
}

#define CHAINS 8
#define ROUNDS 4096

/* The rate of one form of mma.sync, from registers; D: type of the sums. */
template <typename D>
__global__ void __launch_bounds__(128) rate(float *sink)
{
	float sum[CHAINS][4] = {};
	uint32_t packed[CHAINS][2] = {}, x[6];

	for (int i = 0; i < 6; i++) {
		x[i] = 0x38003800u + threadIdx.x * 7 + i;
	}
	for (int r = 0; r < ROUNDS; r++) {
#pragma unroll
		for (int i = 0; i < CHAINS; i++) {
			if (sizeof(D) == 4) {
				product(sum[i], x, x[4], x[5]);
			} else {
				asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
					"{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
					: "+r"(packed[i][0]), "+r"(packed[i][1])
					: "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]),
					"r"(x[4]), "r"(x[5]));
			}
		}
	}
	for (int i = 1; i < CHAINS; i++) {
		sum[0][0] += sum[i][0] + sum[i][1] + sum[i][2] + sum[i][3];
		packed[0][0] += packed[i][0] ^ packed[i][1];
	}
	if (sum[0][0] == 12345.0f || packed[0][0] == 12345u) {
		*sink = sum[0][0];
	}
}

static __half *a, *b;
static float *c;
static int m = 2048, n = 2048, k = 2048, shared_bytes = SHARED;
static cudaStream_t stream;

static void call()
{
	multiply<<<dim3(n / TILE, m / TILE), THREADS, shared_bytes, stream>>>(a, b, c, m, n, k);
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
	CHECK(cudaGetLastError());
	std::sort(t.begin(), t.end());
	return t[t.size() / 2] * 1000.0;
}

template <typename D>
static double tflops()
{
	int sms = 0;

	CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
	double us = median_us(9, [&] { rate<D><<<sms * 8, 128, 0, stream>>>(c); });
	return 2.0 * 16 * 8 * 16 * CHAINS * ROUNDS * 4 * 8 * sms / us / 1e6;
}

static void fill()
{
	std::vector<__half> v(std::max((size_t)m * k, (size_t)n * k));
	unsigned s = 1;

	for (__half &x : v) {
		s = s * 1664525u + 1013904223u;
		x = __float2half((float)(s >> 8) / 8388608.0f - 1.0f);
	}
	CHECK(cudaMalloc(&a, sizeof(__half) * (size_t)m * k));
	CHECK(cudaMalloc(&b, sizeof(__half) * (size_t)n * k));
	CHECK(cudaMalloc(&c, sizeof(float) * (size_t)m * n));
	CHECK(cudaMemcpy(a, v.data(), sizeof(__half) * (size_t)m * k, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(b, v.data(), sizeof(__half) * (size_t)n * k, cudaMemcpyHostToDevice));
}

/* Largest error over k times half a unit of the last place of the sum of magnitudes. */
static double errors()
{
	std::vector<__half> left((size_t)m * k), right((size_t)n * k);
	std::vector<float> got((size_t)m * n);
	double worst = 0;

	call();
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemcpy(left.data(), a, 2 * left.size(), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(right.data(), b, 2 * right.size(), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(got.data(), c, 4 * got.size(), cudaMemcpyDeviceToHost));
	for (int i = 0; i < m; i += 5) {
		for (int j = 0; j < n; j += 3) {
			double sum = 0, mass = 0;

			for (int l = 0; l < k; l++) {
				double p = (double)__half2float(left[(size_t)i * k + l])
					* __half2float(right[(size_t)j * k + l]);

				sum += p;
				mass += fabs(p);
			}
			worst = std::max(worst,
				fabs(got[(size_t)i * n + j] - sum) / (k * 5.96e-8 * mass));
		}
	}
	return worst;
}

/* Access-policy windows that the stream of the calls has in force. */
static int windows()
{
	cudaStreamAttrValue v;

	memset(&v, 0, sizeof(v));
	CHECK(cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &v));
	return v.accessPolicyWindow.num_bytes > 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	m = argc > 2 ? atoi(argv[2]) : m;
	n = argc > 3 ? atoi(argv[3]) : n;
	k = argc > 4 ? atoi(argv[4]) : k;
	if (strcmp(mode, "alone") == 0) {	/* one block a processor */
		shared_bytes = 120 * 1024;
	}
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaFuncSetAttribute(multiply, cudaFuncAttributeMaxDynamicSharedMemorySize,
		shared_bytes));
	fill();
	if (strcmp(mode, "calls") == 0 || strcmp(mode, "alone") == 0) {
		for (int i = 0; i < 3; i++) {
			call();
		}
		CHECK(cudaStreamSynchronize(stream));
	} else if (strcmp(mode, "time") == 0) {
		printf("%.3f\n", median_us(20, call));
	} else if (strcmp(mode, "error") == 0) {
		printf("%.6f\n", errors());
	} else if (strcmp(mode, "rate") == 0) {
		printf("%.1f\n", tflops<float>());
	} else if (strcmp(mode, "rate16") == 0) {
		printf("%.1f\n", tflops<__half>());
	} else if (strcmp(mode, "windows") == 0) {
		for (int i = 0; i < 3; i++) {
			call();
		}
		printf("%d\n", windows());
	} else if (strcmp(mode, "ldsm") == 0) {	/* fragments by ldmatrix in one call */
		printf("%.0f\n",
			(double)(m / TILE) * (n / TILE) * (THREADS / 32) * (k / DEPTH) * 12);
	} else {
		fprintf(stderr, "ampere: no mode '%s'\n", mode);
		return 2;
	}
	CHECK(cudaGetLastError());
	return 0;
}
