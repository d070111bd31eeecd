/*
 * Times two kernels of blend the plain way: one process, one loop, the two in turn,
 * wall clock of call and wait. It shares no line with the evaluator, but its calls
 * meet what the evaluator's meet: numbers that are not zeros, twice the L2 written
 * just before, an empty launch, and another process as the judge is one: between two
 * calls it works on the GPU, and it says when to call. So the GPU has changed
 * processes and everything has been idle for a moment. Both are pinned as judge and
 * worker are, this one to the last processor and the other to the first, since how
 * far a processor is from the GPU counts; with "loose" they are not. With "alone"
 * there is nobody else.
 *
 *   plain SEED.so CANDIDATE.so SECONDS alone|beside|loose N:ALPHA...
 *
 * A line for each N:ALPHA: ratio of the first over the second, and both medians in
 * microseconds. The ratio is the mean over both orders of the median log ratio.
 */
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <vector>

#define ROUNDS 10 /* of the neighbour: it takes about as long as a judge between two calls */
#define LEAST_PAIRS 60
#define MOST_PAIRS 4000

typedef int (*blend_fn)(const float *, const void *, const int32_t *, float *, int64_t, float,
	void *);

struct page { /* shared with the neighbour */
	std::atomic<uint32_t> asked, done;
	std::atomic<int64_t> n;
};

__global__ static void draw(float *x, __nv_bfloat16 *y, int64_t n, unsigned seed)
{
	int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		unsigned v = ((unsigned)i + seed) * 2654435761u;
		v = (v ^ v >> 15) * 2246822519u;
		x[i] = (float)(v >> 8) / 8388608.0f - 1;
		y[i] = __float2bfloat16((float)(v & 0xffff) / 32768.0f - 1);
	}
}

__global__ static void nothing(void)
{
}

static double now_us(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1e6 + ts.tv_nsec / 1e3;
}

static double median(std::vector<double> v)
{
	std::sort(v.begin(), v.end());
	return v.empty() ? 0 : v[v.size() / 2];
}

struct buffers {
	float *x, *out;
	__nv_bfloat16 *y;
	int32_t *weight;
	void *sweep;
	size_t sweep_bytes;
};

static bool take(struct buffers *b, int64_t n)
{
	int l2 = 0;
	cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0);
	b->sweep_bytes = 2 * (size_t)l2;
	return cudaMalloc(&b->x, n * 4) == cudaSuccess && cudaMalloc(&b->y, n * 2) == cudaSuccess &&
		cudaMalloc(&b->out, n * 4) == cudaSuccess &&
		cudaMalloc(&b->weight, 256) == cudaSuccess &&
		cudaMalloc(&b->sweep, b->sweep_bytes) == cudaSuccess;
}

static void fill(const struct buffers *b, int64_t n, unsigned seed)
{
	draw<<<(unsigned)((n + 255) / 256), 256>>>(b->x, b->y, n, seed);
}

/* What a judge looks at before it says go: whether it was put off. */
static void look(void)
{
	struct rusage use;
	getrusage(RUSAGE_THREAD, &use);
	now_us();
}

/* Draws and copies on memory of its own whenever it is asked (0: says go), until its
 * parent ends. */
static void neighbour(struct page *page, int64_t most)
{
	struct buffers b;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	cudaSetDeviceFlags(cudaDeviceScheduleSpin);
	if (!take(&b, most)) {
		_exit(3);
	}
	for (uint32_t seen = 0;;) {
		page->done = seen;
		while (page->asked == seen) {
		}
		seen = page->asked;
		int64_t n = page->n;
		if (n == 0) {
			look();
			continue;
		}
		for (unsigned i = 0; i < ROUNDS; i++) {
			fill(&b, n, seen + i);
			cudaMemcpyAsync(b.out, b.x, n * 4, cudaMemcpyDeviceToDevice);
			cudaDeviceSynchronize();
		}
	}
}

static void pin(int cpu)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void ask(struct page *page, int64_t n)
{
	if (page != NULL) {
		page->n = n;
		uint32_t want = ++page->asked;
		while (page->done != want) {
		}
	}
}

struct timed {
	blend_fn call[2];
	struct buffers b;
	struct page *page;
	cudaStream_t stream;
	int (*wait)(void); /* cuCtxSynchronize */
};

static double one_call(struct timed *t, int side, int64_t n, float alpha)
{
	ask(t->page, n);
	cudaCtxResetPersistingL2Cache();
	cudaMemsetAsync(t->b.sweep, 0x5a, t->b.sweep_bytes, t->stream);
	t->wait();
	nothing<<<1, 1, 0, t->stream>>>();
	t->wait();
	ask(t->page, 0);
	double start = now_us();
	t->call[side](t->b.x, t->b.y, t->b.weight, t->b.out, n, alpha, t->stream);
	t->wait();
	return now_us() - start;
}

static void one_size(struct timed *t, double seconds, int64_t n, float alpha)
{
	std::vector<double> us[2], logs[2];
	double end = 0;
	fill(&t->b, n, 7);
	for (int i = -10; i < MOST_PAIRS && (i < LEAST_PAIRS || now_us() < end); i++) {
		double took[2];
		int first = rand() % 2;
		end = i == 0 ? now_us() + seconds * 1e6 : end;
		for (int k = 0; k < 2; k++) {
			took[first ^ k] = one_call(t, first ^ k, n, alpha);
		}
		if (i >= 0) {
			us[0].push_back(took[0]);
			us[1].push_back(took[1]);
			logs[first].push_back(log(took[0] / took[1]));
		}
	}
	printf("%.5f %.2f %.2f\n", exp((median(logs[0]) + median(logs[1])) / 2), median(us[0]),
		median(us[1]));
}

int main(int argc, char **argv)
{
	struct timed t = {};
	int64_t most = 1;
	if (argc < 6) {
		fputs("usage: plain SEED.so CANDIDATE.so SECONDS alone|beside|loose N:ALPHA...\n",
			stderr);
		return 2;
	}
	for (int i = 5; i < argc; i++) {
		most = std::max(most, (int64_t)atoll(argv[i]));
	}
	bool pinned = strcmp(argv[4], "beside") == 0;
	if (pinned || strcmp(argv[4], "loose") == 0) {
		t.page = (struct page *)mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (fork() == 0) { /* before there is a context */
			if (pinned) {
				pin(0);
			}
			neighbour(t.page, most);
		}
	}
	srand((unsigned)getpid());
	cudaSetDeviceFlags(cudaDeviceScheduleSpin);
	if (!take(&t.b, most) || cudaStreamCreate(&t.stream) != cudaSuccess) {
		return 3;
	}
	if (pinned) { /* the driver's own threads are born, and stay where they like */
		pin((int)sysconf(_SC_NPROCESSORS_ONLN) - 1);
	}
	void *driver = dlopen("libcuda.so.1", RTLD_NOW), *wait = dlsym(driver, "cuCtxSynchronize");
	memcpy(&t.wait, &wait, sizeof(wait));
	for (int k = 0; k < 2; k++) {
		void *lib = dlopen(argv[1 + k], RTLD_NOW);
		t.call[k] = lib != NULL ? (blend_fn)dlsym(lib, "blend") : NULL;
		if (t.call[k] == NULL || t.wait == NULL) {
			fprintf(stderr, "%s\n", dlerror());
			return 3;
		}
	}
	for (int i = 5; i < argc; i++) {
		const char *colon = strchr(argv[i], ':');
		one_size(&t, atof(argv[3]), atoll(argv[i]),
			colon != NULL ? (float)atof(colon + 1) : 0);
	}
	return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
