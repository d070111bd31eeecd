/*
 * Calls a CUDA kernel without kseek, for dry runs: built with the kernel's own
 * file, for one shipped problem.
 *
 *   nvcc -O3 -arch=native -DPROBLEM_matmul -I$PROBLEM drive.cu kernel.cu
 *   gdrive MODE A B C [N]   sizes: m n k, or rows cols 0
 *
 * Each mode prints one figure, or lines of two. Times are in us and medians of N
 * (default 50) after a warm-up unless a mode says otherwise.
 */
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#ifdef STAMPS
#include <map>
#include <set>

#include "stamp.cuh"
#endif

#define CHECK(e) check((e), __LINE__)

static void check(cudaError_t e, int line)
{
	if (e != cudaSuccess) {
		fprintf(stderr, "drive.cu:%d: %s\n", line, cudaGetErrorString(e));
		exit(3);
	}
}

static size_t in_bytes[2], out_bytes;
static float *in[2], *out, *wall_of_l2;
static int64_t size[3];
static double operations;
static cudaStream_t stream;
static const size_t FLUSH = 256u << 20;

#if defined(PROBLEM_matmul)
extern "C" int matmul(const void *a, const void *b, void *c, int32_t elem, int64_t m, int64_t n,
	int64_t k, void *stream);

static int call()
{
	return matmul(in[0], in[1], out, 0, size[0], size[1], size[2], stream);
}

static void sizes()
{
	in_bytes[0] = 4 * (size_t)(size[0] * size[2]);
	in_bytes[1] = 4 * (size_t)(size[2] * size[1]);
	out_bytes = 4 * (size_t)(size[0] * size[1]);
	operations = 2.0 * (double)size[0] * (double)size[1] * (double)size[2];
}

/* Worst error over the bound k * u * sum |a b|. */
static double error_ratio(const float *a, const float *b, const float *c)
{
	double worst = 0;

	for (int64_t i = 0; i < size[0]; i++) {
		for (int64_t j = 0; j < size[1]; j++) {
			double sum = 0, mass = 0;

			for (int64_t l = 0; l < size[2]; l++) {
				double p = (double)a[i * size[2] + l] * b[l * size[1] + j];

				sum += p;
				mass += fabs(p);
			}
			worst = std::max(worst, fabs(c[i * size[1] + j] - sum)
				/ ((double)size[2] * 5.96e-8 * mass + 1e-300));
		}
	}
	return worst;
}
#elif defined(PROBLEM_rmsnorm)
extern "C" int rmsnorm(const void *x, const void *weight, void *to, int32_t elem, int64_t rows,
	int64_t cols, float eps, void *stream);

static int call()
{
	return rmsnorm(in[0], in[1], out, 0, size[0], size[1], 1e-6f, stream);
}

static void sizes()
{
	in_bytes[0] = out_bytes = 4 * (size_t)(size[0] * size[1]);
	in_bytes[1] = 4 * (size_t)size[1];
	operations = 4.0 * (double)size[0] * (double)size[1];
}

static double error_ratio(const float *x, const float *w, const float *y)
{
	double worst = 0;

	for (int64_t r = 0; r < size[0]; r++, x += size[1], y += size[1]) {
		double sum = 0;

		for (int64_t c = 0; c < size[1]; c++) {
			sum += (double)x[c] * x[c];
		}
		double f = 1 / sqrt(sum / (double)size[1] + 1e-6);
		for (int64_t c = 0; c < size[1]; c++) {
			double v = x[c] * f * w[c];

			worst = std::max(worst, fabs(y[c] - v) / ((double)size[1] * 5.96e-8
				* fabs(v) + 1e-300));
		}
	}
	return worst;
}
#endif

__global__ void nothing()
{
}

__global__ void nothing_of(const void *a, const void *b, void *c, int64_t m, int64_t n, int64_t k)
{
}

__global__ void chase(const int *next, int steps, int *end)
{
	int at = 0;

	for (int i = 0; i < steps; i++) {
		at = __ldcg(next + at);
	}
	*end = at;
}

__global__ void multiply_add(float *to, float x)
{
	float s[8];

	for (int i = 0; i < 8; i++) {
		s[i] = (float)(threadIdx.x + i);
	}
	for (int r = 0; r < 4096; r++) {
		for (int i = 0; i < 8; i++) {
			s[i] = fmaf(s[i], x, 0.5f);
		}
	}
	for (int i = 1; i < 8; i++) {
		s[0] += s[i];
	}
	if (s[0] == 12345.0f) {
		*to = s[0];
	}
}

/* The SM's clock in MHz: cycles over nanoseconds of one long block. */
__global__ void ticks(double *mhz)
{
	unsigned long long t0, t1;
	long long c0 = clock64();

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t0));
	do {
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t1));
	} while (t1 - t0 < 2000000);
	*mhz = (double)(clock64() - c0) / (double)(t1 - t0) * 1000.0;
}

static double now()
{
	return std::chrono::duration<double, std::micro>(
		std::chrono::steady_clock::now().time_since_epoch()).count();
}

static double median(std::vector<double> v)
{
	std::sort(v.begin(), v.end());
	return v[v.size() / 2];
}

static void must(int rc)
{
	if (rc != 0) {
		fprintf(stderr, "drive.cu: the kernel returned %d\n", rc);
		exit(4);
	}
}

static void flush()
{
	CHECK(cudaMemsetAsync(wall_of_l2, 1, FLUSH, stream));
}

/* Device time of one call by events. */
template <typename F>
static double by_events(int n, bool cold, F f)
{
	cudaEvent_t a, b;
	std::vector<double> t;

	CHECK(cudaEventCreate(&a));
	CHECK(cudaEventCreate(&b));
	for (int i = 0; i < n + 3; i++) {
		float ms = 0;

		if (cold) {
			flush();
		}
		CHECK(cudaEventRecord(a, stream));
		f();
		CHECK(cudaEventRecord(b, stream));
		CHECK(cudaStreamSynchronize(stream));
		CHECK(cudaEventElapsedTime(&ms, a, b));
		if (i >= 3) {
			t.push_back(ms * 1000.0);
		}
	}
	return median(t);
}

/* Device time a call when n calls stand in a row. */
template <typename F>
static double in_a_row(int n, F f)
{
	return by_events(7, false, [&] {
		for (int i = 0; i < n; i++) {
			f();
		}
	}) / n;
}

template <typename F>
static double by_wall(int n, F f)
{
	std::vector<double> t;

	for (int i = 0; i < n + 3; i++) {
		CHECK(cudaStreamSynchronize(stream));
		double t0 = now();

		f();
		CHECK(cudaStreamSynchronize(stream));
		if (i >= 3) {
			t.push_back(now() - t0);
		}
	}
	return median(t);
}

static void kernel_once()
{
	must(call());
}

static void fill(const char *how)
{
	unsigned s = 1;

	for (int i = 0; i < 2; i++) {
		std::vector<float> v(in_bytes[i] / 4);

		for (float &x : v) {
			s = s * 1664525u + 1013904223u;
			float r = (float)(s >> 8) / 8388608.0f - 1.0f;

			x = strcmp(how, "zeros") == 0 ? 0.0f : strcmp(how, "ones") == 0 ? 1.0f :
				strcmp(how, "tiny") == 0 ? r * 1e-39f : r;
		}
		CHECK(cudaMemcpy(in[i], v.data(), in_bytes[i], cudaMemcpyHostToDevice));
	}
}

static double bandwidth()
{
	const size_t n = (size_t)1 << 30;
	char *a, *b;

	CHECK(cudaMalloc(&a, n));
	CHECK(cudaMalloc(&b, n));
	double us = by_events(9, false, [&] {
		CHECK(cudaMemcpyAsync(b, a, n, cudaMemcpyDeviceToDevice, stream));
	});
	CHECK(cudaFree(a));
	CHECK(cudaFree(b));
	return 2.0 * (double)n / us / 1000.0; /* GB/s */
}

static int attribute(cudaDeviceAttr what)
{
	int v = 0;

	CHECK(cudaDeviceGetAttribute(&v, what, 0));
	return v;
}

static double peak() /* float32 TFLOP/s */
{
	int blocks = attribute(cudaDevAttrMultiProcessorCount) * 8;
	double us = by_events(9, false,
		[&] { multiply_add<<<blocks, 256, 0, stream>>>(out, 1.0f); });

	return 2.0 * 8 * 4096 * 256 * blocks / us / 1e6;
}

static double roofline_us()
{
	double bytes = (double)(in_bytes[0] + in_bytes[1] + out_bytes);

	return std::max(bytes / bandwidth() / 1000.0, operations / peak() / 1e6);
}

static double latency_ns()
{
	const int n = 1 << 24, steps = 20000;
	std::vector<int> next(n);
	int *d, *end;

	for (int i = 0; i < n; i++) {
		next[i] = (int)(((int64_t)i + 7919 * 64) % n);
	}
	CHECK(cudaMalloc(&d, sizeof(int) * (size_t)n));
	CHECK(cudaMalloc(&end, 4));
	CHECK(cudaMemcpy(d, next.data(), sizeof(int) * (size_t)n, cudaMemcpyHostToDevice));
	double us = by_events(5, true, [&] { chase<<<1, 1, 0, stream>>>(d, steps, end); });
	return us * 1000.0 / steps;
}

static double clock_mhz()
{
	double *d, mhz = 0;

	CHECK(cudaMalloc(&d, 8));
	for (int i = 0; i < 20; i++) {
		must(call());
	}
	ticks<<<1, 1, 0, stream>>>(d);
	CHECK(cudaMemcpy(&mhz, d, 8, cudaMemcpyDeviceToHost));
	return mhz;
}

static double graph_us(int n)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	must(call());
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	return in_a_row(n, [&] { CHECK(cudaGraphLaunch(exec, stream)); });
}

static std::vector<float> output()
{
	std::vector<float> v(out_bytes / 4);

	CHECK(cudaMemcpy(v.data(), out, out_bytes, cudaMemcpyDeviceToHost));
	return v;
}

static int differing(int n)
{
	must(call());
	std::vector<float> first = output();
	int count = 0;

	for (int i = 0; i < n; i++) {
		CHECK(cudaMemset(out, i, out_bytes));
		must(call());
		std::vector<float> next = output();

		count += memcmp(first.data(), next.data(), out_bytes) != 0;
	}
	return count;
}

static double errors()
{
	std::vector<float> a(in_bytes[0] / 4), b(in_bytes[1] / 4);

	must(call());
	CHECK(cudaMemcpy(a.data(), in[0], in_bytes[0], cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(b.data(), in[1], in_bytes[1], cudaMemcpyDeviceToHost));
	std::vector<float> c = output();
	return error_ratio(a.data(), b.data(), c.data());
}

static double values(int n)
{
	static const char *const how[] = {"normal", "zeros", "ones", "tiny"};
	double low = 1e300, high = 0;

	for (int i = 0; i < 4; i++) {
		fill(how[i]);
		double t = by_events(n, false, kernel_once);

		low = std::min(low, t);
		high = std::max(high, t);
	}
	return high / low;
}

/* Time over sizes around a boundary of axis 0: lines "size us". */
static void sweep(int64_t from, int64_t to, int64_t step, int n)
{
	for (int64_t v = from; v <= to; v += step) {
		size[0] = v;
		printf("%lld %.3f\n", (long long)v, by_events(n, false, kernel_once));
	}
}

/* Old and new in turn, and both are this build: their medians' difference over the
 * median distance of the old one's times from their own median. */
static double old_and_new(int n)
{
	std::vector<double> a, b, off;

	for (int i = 0; i < n; i++) {
		a.push_back(by_events(1, true, kernel_once));
		b.push_back(by_events(1, true, kernel_once));
	}
	for (double t : a) {
		off.push_back(fabs(t - median(a)));
	}
	return fabs(median(a) - median(b)) / std::max(median(off), 1e-3);
}

static bool figures(const char *mode, int n)
{
	auto copy_wall = [&] { nothing<<<1, 32, 0, stream>>>(); };
	auto empty_of = [&] { nothing_of<<<1, 32, 0, stream>>>(in[0], in[1], out, size[0], size[1],
		size[2]); };
	struct {
		const char *mode;
		double (*get)(int);
	} const table[] = {
		{"bandwidth", [](int) { return bandwidth(); }},
		{"peak", [](int) { return peak(); }},
		{"roofline", [](int) { return roofline_us(); }},
		{"above", [](int m) { return by_events(m, true, kernel_once) - roofline_us(); }},
		{"share", [](int m) { return roofline_us() / by_events(m, true, kernel_once); }},
		{"latency", [](int) { return latency_ns(); }},
		{"clock", [](int) { return clock_mhz(); }},
		{"graph", [](int m) { return graph_us(m); }},
		{"differing", [](int m) { return (double)differing(m); }},
		{"error", [](int) { return errors(); }},
		{"values", [](int m) { return values(m); }},
		{"time", [](int m) { return by_events(m, false, kernel_once); }},
		{"cold", [](int m) { return by_events(m, true, kernel_once)
			/ by_events(m, false, kernel_once); }},
		{"wall", [](int m) { return by_wall(m, kernel_once); }},
		{"stream", [](int m) { return in_a_row(m, kernel_once); }},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (strcmp(mode, table[i].mode) == 0) {
			printf("%.6g\n", table[i].get(n));
			return true;
		}
	}
	if (strcmp(mode, "empty") == 0) {
		printf("%.6g\n", by_wall(n, copy_wall));
	} else if (strcmp(mode, "emptyargs") == 0) {
		printf("%.6g\n", by_wall(n, empty_of) - by_wall(n, copy_wall));
	} else if (strcmp(mode, "outside") == 0) {
		printf("%.6g\n", by_wall(n, kernel_once) - in_a_row(20, kernel_once));
	} else if (strcmp(mode, "host") == 0) {
		double t0 = now();

		for (int i = 0; i < 20; i++) {
			must(call());
		}
		printf("%.6g\n", (now() - t0) / 20);
	} else if (strcmp(mode, "ab") == 0) {
		printf("%.6g\n", old_and_new(n));
	} else {
		return false;
	}
	return true;
}

#ifdef STAMPS
/* How much of the output phases [tail, end] passes while another block of the same
 * SM is in its main loop. */
static double overlap(const std::vector<ks_stamp> &b)
{
	std::map<unsigned, std::vector<const ks_stamp *>> of;
	double covered = 0, total = 0;

	for (const ks_stamp &s : b) {
		of[s.sm].push_back(&s);
	}
	for (const ks_stamp &s : b) {
		double most = 0, length = (double)(s.end - s.tail);

		for (const ks_stamp *o : of[s.sm]) {
			double from = (double)(std::max(o->loop, s.tail) - b[0].start);
			double to = (double)(std::min(o->tail, s.end) - b[0].start);

			most = o == &s ? most : std::max(most, to - from);
		}
		covered += std::min(most, length);
		total += length;
	}
	return total > 0 ? covered / total : 0;
}

/* What the stamps of one call say; lines "name figure". */
static void stamps(int steps)
{
	std::vector<ks_stamp> all(KS_STAMPS), b;
	unsigned long long first = ~0ull, last = 0;
	double life = 0, longest = 0, loop = 0, tail = 0;
	std::map<unsigned, int> on;
	int most = 0;

	must(call());
	must(call());
	CHECK(cudaStreamSynchronize(stream));
	must(ks_read_stamps(all.data()));
	for (const ks_stamp &s : all) {
		if (!s.used) {
			continue;
		}
		b.push_back(s);
		first = std::min(first, s.start);
		last = std::max(last, s.end);
		life += (double)(s.end - s.start);
		loop += (double)(s.tail - s.loop);
		tail += (double)(s.end - s.tail);
		longest = std::max(longest, (double)(s.end - s.start));
		on[s.sm]++;
	}
	for (const ks_stamp &s : b) { /* resident together with s */
		int now_there = 0;

		for (const ks_stamp &o : b) {
			now_there += o.sm == s.sm && o.start <= s.start && o.end > s.start;
		}
		most = std::max(most, now_there);
		if (&s - b.data() > 2000) {
			break;
		}
	}
	double blocks = (double)b.size(), sms = attribute(cudaDevAttrMultiProcessorCount);

	printf("blocks %.0f\nlongest_over_mean %.5f\nmakespan_us %.3f\n", blocks,
		longest * blocks / life, (double)(last - first) / 1000);
	printf("makespan_over_load %.5f\nresident %d\nprocessors %zu\n",
		(double)(last - first) * sms * most / life, most, on.size());
	printf("setup_share %.5f\ntail_share %.5f\nloop_share %.5f\nstep_ns %.3f\noverlap %.5f\n",
		1 - loop / life, tail / life, loop / life, loop / blocks / std::max(steps, 1),
		overlap(b));
	printf("tail_ns %.3f\n", tail / blocks);
}
#endif

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int n = argc > 5 ? (int)strtol(argv[5], NULL, 10) : 50;

	for (int i = 0; i < 3; i++) {
		size[i] = argc > i + 2 ? strtoll(argv[i + 2], NULL, 10) : 64;
	}
	if (strcmp(mode, "attribute") == 0) {
		printf("sm_count %d\nl2_bytes %d\nsmem_per_block %d\nregs_per_sm %d\n"
			"max_grid_y %d\n",
			attribute(cudaDevAttrMultiProcessorCount),
			attribute(cudaDevAttrL2CacheSize),
			attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin),
			attribute(cudaDevAttrMaxRegistersPerMultiprocessor),
			attribute(cudaDevAttrMaxGridDimY));
		return 0;
	}
	sizes();
	CHECK(cudaStreamCreate(&stream)); /* copies and fills wait for it */
	CHECK(cudaMalloc(&in[0], in_bytes[0] + 256));
	CHECK(cudaMalloc(&in[1], in_bytes[1] + 256));
	CHECK(cudaMalloc(&out, out_bytes + 256));
	CHECK(cudaMalloc(&wall_of_l2, FLUSH));
	fill("normal");
	if (strcmp(mode, "calls") == 0) {
		for (int i = 0; i < n; i++) {
			must(call());
		}
		CHECK(cudaStreamSynchronize(stream));
		printf("%d\n", n);
#ifdef STAMPS
	} else if (strcmp(mode, "stamps") == 0) {
		stamps(n);
#endif
	} else if (strcmp(mode, "sweep") == 0) {
		sweep(size[0] / 2, size[0], size[0] / 32, n);
	} else if (strcmp(mode, "fine") == 0) {
		sweep(size[0] - 3, size[0] + 4, 1, n);
	} else if (!figures(mode, n)) {
		fprintf(stderr, "drive.cu: no mode '%s'\n", mode);
		return 2;
	}
	return 0;
}
