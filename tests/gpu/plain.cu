/*
 * Times two kernels of blend the plain way, in one process and interleaved: cold L2,
 * wall clock of call and wait. Prints the median ratio of the first over the second,
 * and both medians in microseconds.
 *
 *   plain SEED.so CANDIDATE.so N ALPHA PAIRS
 */
#include <algorithm>
#include <cmath>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <vector>

typedef int (*blend_fn)(const float *, const void *, const int32_t *, float *, int64_t, float,
	void *);

static double now_us(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1e6 + ts.tv_nsec / 1e3;
}

static double median(std::vector<double> v)
{
	std::sort(v.begin(), v.end());
	return v[v.size() / 2];
}

int main(int argc, char **argv)
{
	if (argc != 6) {
		fputs("usage: plain SEED.so CANDIDATE.so N ALPHA PAIRS\n", stderr);
		return 2;
	}
	int64_t n = atoll(argv[3]);
	float alpha = (float)atof(argv[4]), *x, *out;
	void *y, *sweep;
	int32_t *weight;
	int l2 = 0, pairs = atoi(argv[5]);
	cudaStream_t stream;
	cudaSetDeviceFlags(cudaDeviceScheduleSpin);
	cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0);
	cudaStreamCreate(&stream);
	if (cudaMalloc(&x, n * 4) != cudaSuccess || cudaMalloc(&y, n * 2) != cudaSuccess ||
		cudaMalloc(&out, n * 4) != cudaSuccess || cudaMalloc(&weight, 256) != cudaSuccess ||
		cudaMalloc(&sweep, 2 * (size_t)l2) != cudaSuccess) {
		return 3;
	}
	cudaMemset(x, 0, n * 4);
	cudaMemset(y, 0, n * 2);
	blend_fn call[2];
	for (int k = 0; k < 2; k++) {
		void *lib = dlopen(argv[1 + k], RTLD_NOW);
		call[k] = lib != NULL ? (blend_fn)dlsym(lib, "blend") : NULL;
		if (call[k] == NULL) {
			fprintf(stderr, "%s\n", dlerror());
			return 3;
		}
	}
	std::vector<double> us[2], logs;
	for (int i = -20; i < pairs; i++) {
		double took[2];
		int first = rand() % 2;
		for (int k = 0; k < 2; k++) {
			int side = first ^ k;
			cudaMemsetAsync(sweep, 0x5a, 2 * (size_t)l2, stream);
			cudaDeviceSynchronize();
			double t0 = now_us();
			call[side](x, y, weight, out, n, alpha, stream);
			cudaDeviceSynchronize();
			took[side] = now_us() - t0;
		}
		if (i >= 0) {
			us[0].push_back(took[0]);
			us[1].push_back(took[1]);
			logs.push_back(log(took[0] / took[1]));
		}
	}
	printf("%.5f %.2f %.2f\n", exp(median(logs)), median(us[0]), median(us[1]));
	return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
