/*
 * Programs for `kseek timeline` that know what they do. timeline HOW [N]:
 *
 *   work     two streams, copies, fills, three sleeps of 5 ms, two kernels at once
 *   many N   that many launches of an empty kernel
 *   graph    a graph of ten kernels, five times
 *   die      a hundred launches, half a second, an illegal address, status 3
 *   die-now  the same without the half second
 *   segv, _exit, kill    a hundred launches, then that end
 *   async    leaves while a kernel runs
 *
 * What it did goes to standard output as NAME=VALUE lines.
 */
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace {

const size_t MIB = (size_t)1 << 20;
const int LAUNCHES = 100;

void must(cudaError_t code, const char *what)
{
	if (code != cudaSuccess) {
		fprintf(stderr, "timeline: %s: %s\n", what, cudaGetErrorString(code));
		exit(3);
	}
}

__device__ uint64_t now_ns()
{
	uint64_t ns;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
	return ns;
}

__global__ void spin(uint64_t ns)
{
	for (uint64_t begin = now_ns(); now_ns() - begin < ns;) {
	}
}

template <typename T, int N> __global__ void empty(T *) {}

__global__ void illegal(int *p)
{
	*p = 1;
}

void work()
{
	cudaStream_t a, b;
	char *pinned, *device;
	char *pageable = (char *)malloc(16 * MIB);
	must(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking), "stream");
	must(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking), "stream");
	must(cudaMallocHost(&pinned, 64 * MIB), "pinned memory");
	must(cudaMalloc(&device, 64 * MIB), "memory");
	memset(pageable, 1, 16 * MIB);
	for (int i = 0; i < 4; i++) {
		must(cudaMemcpyAsync(device, pinned, 64 * MIB, cudaMemcpyHostToDevice, a), "copy");
	}
	must(cudaStreamSynchronize(a), "copies");
	must(cudaMemcpy(pageable, device, 16 * MIB, cudaMemcpyDeviceToHost), "copy down");
	must(cudaMemsetAsync(device, 0, 64 * MIB, a), "fill");
	must(cudaMemsetAsync(device, 1, 64 * MIB, a), "fill");
	for (int i = 0; i < 20; i++) {
		spin<<<1, 1, 0, a>>>(100000);
		must(cudaStreamSynchronize(a), "spin");
		if (i % 6 == 5) {
			usleep(5000);
		}
	}
	spin<<<1, 1, 0, a>>>(2000000);
	spin<<<1, 1, 0, b>>>(2000000);
	must(cudaDeviceSynchronize(), "two at once");
	printf("kernels=22\nspun_us=6000\nsleeps=3\nup_bytes=%zu\ndown_bytes=%zu\nfills=2\n",
		256 * MIB, 16 * MIB);
}

double many(int n)
{
	empty<float, 4><<<1, 32>>>(NULL);
	must(cudaDeviceSynchronize(), "first launch");
	auto begin = std::chrono::steady_clock::now();
	for (int i = 1; i < n; i++) {
		empty<float, 4><<<1, 32>>>(NULL);
	}
	must(cudaDeviceSynchronize(), "launches");
	auto end = std::chrono::steady_clock::now();
	return std::chrono::duration<double, std::micro>(end - begin).count() / n;
}

void graph()
{
	cudaStream_t s;
	cudaGraph_t g;
	cudaGraphExec_t e;
	must(cudaStreamCreate(&s), "stream");
	must(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal), "capture");
	for (int i = 0; i < 10; i++) {
		spin<<<1, 1, 0, s>>>(20000);
	}
	must(cudaStreamEndCapture(s, &g), "capture");
	must(cudaGraphInstantiate(&e, g, 0), "graph");
	for (int i = 0; i < 5; i++) {
		must(cudaGraphLaunch(e, s), "graph");
	}
	must(cudaStreamSynchronize(s), "graph");
}

} // namespace

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "work";
	int n = argc > 2 ? (int)strtol(argv[2], NULL, 10) : LAUNCHES;
	must(cudaFree(0), "CUDA");
	if (strcmp(how, "work") == 0) {
		work();
	} else if (strcmp(how, "graph") == 0) {
		graph();
	} else if (strcmp(how, "async") == 0) {
		spin<<<1, 1>>>(500000000);
	} else {
		printf("us_a_launch=%.3f\n", many(n));
	}
	fflush(stdout);
	if (strncmp(how, "die", 3) == 0) {
		usleep(strcmp(how, "die") == 0 ? 500000 : 0);
		illegal<<<1, 1>>>((int *)16);
		must(cudaDeviceSynchronize(), "an illegal address");
	} else if (strcmp(how, "segv") == 0) {
		raise(SIGSEGV);
	} else if (strcmp(how, "_exit") == 0) {
		_exit(7);
	} else if (strcmp(how, "kill") == 0) {
		usleep(1000000);
		raise(SIGKILL);
	}
	return 0;
}
