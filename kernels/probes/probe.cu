/* Devices and their rates as JSON: see probe.h. */
#include "probe.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct text {
	char *at;
	size_t size, used;
};

static void put(struct text *t, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	int n = vsnprintf(t->at + t->used, t->size - t->used, fmt, args);
	va_end(args);
	if (n > 0) {
		t->used += (size_t)n < t->size - t->used ? (size_t)n : t->size - t->used - 1;
	}
}

/* A driver's word, kept to what JSON takes as it is. */
static void put_word(struct text *t, const char *word)
{
	char clean[128];
	size_t n = 0;

	for (; word[n] != '\0' && n + 1 < sizeof(clean); n++) {
		const char c = word[n];

		clean[n] = c < ' ' || c > '~' || c == '"' || c == '\\' ? '_' : c;
	}
	clean[n] = '\0';
	put(t, "\"%s\"", clean);
}

static int failed(char *json, size_t size, cudaError_t error)
{
	struct text t = {json, size, 0};

	put(&t, "{\"error\":");
	put_word(&t, cudaGetErrorString(error));
	put(&t, "}");
	return (int)error;
}

static void put_device(struct text *t, int index, const cudaDeviceProp *p)
{
	const unsigned char *u = (const unsigned char *)p->uuid.bytes;

	put(t, "\"i\":%d,\"uuid\":\"GPU-", index);
	for (int i = 0; i < 16; i++) {
		put(t, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", u[i]);
	}
	put(t, "\",\"device\":");
	put_word(t, p->name);
	/* from 9.0 on some instructions belong to one architecture alone */
	put(t, ",\"arch\":\"sm_%d%d%s\",\"cc\":\"%d.%d\",\"sms\":%d,\"l2_bytes\":%d,\"mem_mb\":%zu",
		p->major, p->minor, p->major >= 9 ? "a" : "", p->major, p->minor,
		p->multiProcessorCount, p->l2CacheSize, (size_t)(p->totalGlobalMem >> 20));
}

int ks_cuda_devices(char *json, size_t size)
{
	struct text t = {json, size, 0};
	int count = 0, driver = 0, runtime = 0;
	cudaError_t error = cudaGetDeviceCount(&count);

	if (error != cudaSuccess) {
		return failed(json, size, error);
	}
	cudaDriverGetVersion(&driver);
	cudaRuntimeGetVersion(&runtime);
	put(&t, "{\"driver\":%d,\"runtime\":%d,\"devices\":[", driver, runtime);
	for (int i = 0; i < count; i++) {
		cudaDeviceProp p;

		error = cudaGetDeviceProperties(&p, i);
		if (error != cudaSuccess) {
			return failed(json, size, error);
		}
		put(&t, "%s{", i > 0 ? "," : "");
		put_device(&t, i, &p);
		put(&t, "}");
	}
	put(&t, "]}");
	return 0;
}

static void put_rates(struct text *t, const struct probe_rates *r)
{
	const double *tensor = r->tensor_gflops;
	/* a product of float32 can be put together from three of tf32 */
	const double f32 = r->fma32_gflops > tensor[PROBE_TF32] / 3 ? r->fma32_gflops :
		tensor[PROBE_TF32] / 3;

	put(t, ",\"bandwidth_gbs\":%.1f,\"copy_gbs\":%.1f,\"read_gbs\":%.1f,\"l2_gbs\":%.1f",
		r->copy_gbs > r->read_gbs ? r->copy_gbs : r->read_gbs, r->copy_gbs, r->read_gbs,
		r->l2_gbs);
	put(t, ",\"fma_gflops\":{\"float32\":%.1f,\"float64\":%.1f", f32, r->fma64_gflops);
	const struct {
		const char *name;
		double rate;
	} narrow[] = {{"float16", tensor[PROBE_F16]}, {"bfloat16", tensor[PROBE_BF16]},
		{"float8_e4m3fn", tensor[PROBE_FP8]}, {"float8_e5m2", tensor[PROBE_FP8]},
		{"int8", tensor[PROBE_INT8]}};
	for (size_t i = 0; i < sizeof(narrow) / sizeof(narrow[0]); i++) {
		if (narrow[i].rate > 0) {
			put(t, ",\"%s\":%.1f", narrow[i].name, narrow[i].rate);
		}
	}
	put(t, "},\"fp32_fma_gflops\":%.1f,\"tf32_gflops\":%.1f,\"launch_ns\":%.1f,"
		"\"call_ns\":%.1f", r->fma32_gflops, tensor[PROBE_TF32], r->launch_ns, r->call_ns);
}

int ks_cuda_probe(int device, char *json, size_t size)
{
	struct text t = {json, size, 0};
	struct probe_rates rates = {};
	cudaDeviceProp p;
	int driver = 0, runtime = 0;
	cudaError_t error = cudaSetDevice(device);

	if (error == cudaSuccess) {
		error = cudaGetDeviceProperties(&p, device);
	}
	if (error == cudaSuccess) {
		error = probe_arithmetic(&rates, &p); /* first: it wakes the clocks */
	}
	if (error == cudaSuccess) {
		error = probe_matrices(&rates, &p);
	}
	if (error == cudaSuccess) {
		error = probe_memory(&rates, &p);
	}
	if (error == cudaSuccess) {
		error = probe_launches(&rates);
	}
	if (error != cudaSuccess) {
		return failed(json, size, error);
	}
	cudaDriverGetVersion(&driver);
	cudaRuntimeGetVersion(&runtime);
	put(&t, "{\"type\":\"probe\",\"target\":\"cuda\",");
	put_device(&t, device, &p);
	put_rates(&t, &rates);
	put(&t, ",\"driver\":%d,\"runtime\":%d,\"spread\":0}", driver, runtime);
	return 0;
}
