/*
 * A mixture of experts made of the shipped matrix product, for dry runs: each token
 * goes to two of the experts; its rows are copied to theirs, the host waits for the
 * sizes, every expert with tokens has one product, and the results are added back.
 *
 *   nvcc -O3 -arch=native -I$PROBLEM experts.cu kernel.cu -o gexperts
 *   gexperts MODE ROUTING TOKENS [GB_PER_S TFLOP_PER_S]
 *
 * ROUTING: even, skewed (an expert gets half of what the one before it got), same
 * (all tokens to the same two). Every mode prints one figure; times are medians, us.
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#define EXPERTS 8
#define WIDTH 1024		/* of a token, in and out */
#define TILE 64			/* rows of a tile of the shipped product */
#define TIMES 15
#define CHECK(e) check((e), __LINE__)

extern "C" int matmul(const void *a, const void *b, void *c, int32_t elem, int64_t m, int64_t n,
	int64_t k, void *stream);

enum { FROM, PLACED, MULTIPLIED, ADDED, MARKS };

static void check(cudaError_t e, int line)
{
	if (e != cudaSuccess) {
		fprintf(stderr, "experts.cu:%d: %s\n", line, cudaGetErrorString(e));
		exit(3);
	}
}

static int tokens, *route, *sizes, *slots, host_sizes[EXPERTS];
static float *in, *out, *weights, *gathered, *products, *wall;
static const size_t FLUSH = 256u << 20;
static cudaStream_t stream;
static cudaEvent_t mark[MARKS], begins[EXPERTS], ends[EXPERTS];

/* A block a token and choice: takes a slot of the expert and copies the row there. */
__global__ void place(const float *in, const int *route, int *sizes, int *slots, float *gathered,
	int tokens)
{
	__shared__ int slot;
	const int e = route[blockIdx.x];

	if (threadIdx.x == 0) {
		slot = atomicAdd(&sizes[e], 1);
		slots[blockIdx.x] = slot;
	}
	__syncthreads();
	for (int c = threadIdx.x; c < WIDTH; c += blockDim.x) {
		gathered[((int64_t)e * tokens + slot) * WIDTH + c] =
			in[(int64_t)(blockIdx.x / 2) * WIDTH + c];
	}
}

__global__ void add_back(const float *products, const int *route, const int *slots, float *out,
	int tokens)
{
	const int64_t row = (int64_t)route[blockIdx.x] * tokens + slots[blockIdx.x];

	for (int c = threadIdx.x; c < WIDTH; c += blockDim.x) {
		atomicAdd(&out[(int64_t)(blockIdx.x / 2) * WIDTH + c], products[row * WIDTH + c]);
	}
}

static void call()
{
	CHECK(cudaEventRecord(mark[FROM], stream));
	CHECK(cudaMemsetAsync(sizes, 0, sizeof(host_sizes), stream));
	CHECK(cudaMemsetAsync(out, 0, sizeof(float) * (size_t)tokens * WIDTH, stream));
	place<<<2 * tokens, 256, 0, stream>>>(in, route, sizes, slots, gathered, tokens);
	CHECK(cudaMemcpyAsync(host_sizes, sizes, sizeof(host_sizes), cudaMemcpyDeviceToHost,
		stream));
	CHECK(cudaStreamSynchronize(stream)); /* the sizes are launch parameters */
	CHECK(cudaEventRecord(mark[PLACED], stream));
	for (int e = 0; e < EXPERTS; e++) {
		const size_t at = (size_t)e * tokens * WIDTH;

		CHECK(cudaEventRecord(begins[e], stream));
		if (host_sizes[e] > 0 && matmul(gathered + at, weights + (size_t)e * WIDTH * WIDTH,
				products + at, 0, host_sizes[e], WIDTH, WIDTH, stream) != 0) {
			fprintf(stderr, "experts.cu: the kernel failed\n");
			exit(4);
		}
		CHECK(cudaEventRecord(ends[e], stream));
	}
	CHECK(cudaEventRecord(mark[MULTIPLIED], stream));
	add_back<<<2 * tokens, 256, 0, stream>>>(products, route, slots, out, tokens);
	CHECK(cudaEventRecord(mark[ADDED], stream));
	CHECK(cudaStreamSynchronize(stream));
}

static double between(cudaEvent_t a, cudaEvent_t b)
{
	float ms = 0;

	CHECK(cudaEventElapsedTime(&ms, a, b));
	return ms * 1000.0;
}

static double median(std::vector<double> v)
{
	std::sort(v.begin(), v.end());
	return v[v.size() / 2];
}

/* us of the call, of its three phases, and of each expert. */
struct times {
	double all, phase[3], expert[EXPERTS];
};

static struct times measure(bool cold)
{
	std::vector<double> all, phase[3], expert[EXPERTS];
	struct times t;

	for (int i = 0; i < TIMES + 3; i++) {
		if (cold) {
			CHECK(cudaMemsetAsync(wall, i, FLUSH, stream));
		}
		call();
		for (int e = 0; e < EXPERTS && i >= 3; e++) {
			expert[e].push_back(between(begins[e], ends[e]));
		}
		for (int p = 0; p < 3 && i >= 3; p++) {
			phase[p].push_back(between(mark[p], mark[p + 1]));
		}
		if (i >= 3) {
			all.push_back(between(mark[FROM], mark[ADDED]));
		}
	}
	t.all = median(all);
	for (int p = 0; p < 3; p++) {
		t.phase[p] = median(phase[p]);
	}
	for (int e = 0; e < EXPERTS; e++) {
		t.expert[e] = host_sizes[e] > 0 ? median(expert[e]) : 0;
	}
	return t;
}

static void choose(const char *routing)
{
	std::vector<int> v((size_t)tokens * 2);
	unsigned s = 1;

	for (int i = 0; i < 2 * tokens; i++) {
		s = s * 1664525u + 1013904223u;
		double r = (double)(s >> 8) / 16777216.0;
		int e = (int)(r * EXPERTS);

		if (strcmp(routing, "skewed") == 0) {
			for (e = 0; e < EXPERTS - 1 && r < 0.5; e++) {
				r *= 2;
			}
		} else if (strcmp(routing, "same") == 0) {
			e = i % 2;
		}
		v[i] = i % 2 == 1 && e == v[i - 1] ? (e + 1) % EXPERTS : e;
	}
	CHECK(cudaMemcpy(route, v.data(), sizeof(int) * v.size(), cudaMemcpyHostToDevice));
}

static int touched()
{
	return (int)std::count_if(host_sizes, host_sizes + EXPERTS, [](int n) { return n > 0; });
}

static double weight_bytes()
{
	return 4.0 * touched() * WIDTH * WIDTH;
}

/* us that the bytes or the operations of this routing take at least. */
static double roofline(double gbs, double tflops)
{
	return std::max((weight_bytes() + 4.0 * 2 * tokens * WIDTH) / gbs / 1e3,
		2.0 * 2 * tokens * WIDTH * WIDTH / tflops / 1e6);
}

/* Share of the rows of the experts' tiles that belong to no token. */
static double idle_rows()
{
	double issued = 0, used = 0;

	for (int n : host_sizes) {
		issued += (n + TILE - 1) / TILE * TILE;
		used += n;
	}
	return 1 - used / issued;
}

static void start()
{
	const size_t rows = (size_t)tokens * WIDTH, each = (size_t)WIDTH * WIDTH;
	std::vector<float> v(EXPERTS * each);

	for (size_t i = 0; i < v.size(); i++) {
		v[i] = (float)(i % 17) - 8.0f;
	}
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc(&in, 4 * rows));
	CHECK(cudaMalloc(&out, 4 * rows));
	CHECK(cudaMalloc(&gathered, 4 * rows * EXPERTS));
	CHECK(cudaMalloc(&products, 4 * rows * EXPERTS));
	CHECK(cudaMalloc(&weights, 4 * v.size()));
	CHECK(cudaMalloc(&route, sizeof(int) * 2 * (size_t)tokens));
	CHECK(cudaMalloc(&slots, sizeof(int) * 2 * (size_t)tokens));
	CHECK(cudaMalloc(&sizes, sizeof(host_sizes)));
	CHECK(cudaMalloc(&wall, FLUSH));
	CHECK(cudaMemset(in, 0, 4 * rows));
	CHECK(cudaMemcpy(weights, v.data(), 4 * v.size(), cudaMemcpyHostToDevice));
	for (cudaEvent_t *e : {mark, begins, ends}) {
		for (int i = 0; i < (e == mark ? (int)MARKS : EXPERTS); i++) {
			CHECK(cudaEventCreate(&e[i]));
		}
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	double gbs = argc > 4 ? strtod(argv[4], NULL) : 1;
	double tflops = argc > 5 ? strtod(argv[5], NULL) : 1;

	tokens = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 256;
	start();
	choose(argc > 2 ? argv[2] : "even");
	if (strcmp(mode, "calls") == 0) {
		for (int i = 0; i < 3; i++) {
			call();
		}
		return 0;
	}
	struct times t = measure(strcmp(mode, "above") == 0);
	double sum = 0, longest = 0;

	for (double us : t.expert) {
		sum += us;
		longest = std::max(longest, us);
	}
	if (strcmp(mode, "rows") == 0) {
		printf("%.5f\n", idle_rows());
	} else if (strcmp(mode, "above") == 0) {	/* cold, the floor of the weights' bytes */
		printf("%.3f\n", t.all - weight_bytes() / gbs / 1e3);
	} else if (strcmp(mode, "times") == 0) {	/* the roofline of this routing */
		printf("%.4f\n", t.all / roofline(gbs, tflops));
	} else if (strcmp(mode, "free") == 0) {	/* without adding back, above the roofline */
		printf("%.3f\n", t.all - t.phase[2] - roofline(gbs, tflops));
	} else if (strcmp(mode, "longest") == 0) {
		printf("%.4f\n", longest * touched() / sum);
	} else if (strcmp(mode, "phases") == 0) {	/* the call beyond its longest phase */
		printf("%.3f\n", t.all - *std::max_element(t.phase, t.phase + 3));
	} else {
		fprintf(stderr, "experts: no mode '%s'\n", mode);
		return 2;
	}
	return 0;
}
