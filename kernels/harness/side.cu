/*
 * The worker's device. A kernel shares this process, so what the clock depends on
 * (the driver's wait and events, asked for by name) lies in a page that is
 * read-only from the end of side_open on.
 */
#include "harness.cuh"

#include <dlfcn.h>
#include <sys/mman.h>

#define PAGE 65536 /* the largest of the machines we know */

struct ks_cuda_side {
	void *base[2];
	cudaStream_t stream;
	cudaEvent_t first, last;
	unsigned char *sweep;  /* twice the L2 */
	size_t sweep_bytes;
	int (*wait)(void);     /* cuCtxSynchronize */
	int (*record)(void *event, void *stream);
	int (*elapsed)(float *ms, void *first, void *last);
};

__global__ static void nothing(void)
{
}

static int fail(char *text, const char *what, cudaError_t e)
{
	snprintf(text, KS_CUDA_TEXT, "%s: %s (CUDA error %d)", what, cudaGetErrorString(e), (int)e);
	return e == cudaSuccess ? -1 : (int)e;
}

static bool ask_driver(struct ks_cuda_side *s)
{
	void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	if (lib == NULL) {
		return false;
	}
	void *found[3] = {dlsym(lib, "cuCtxSynchronize"), dlsym(lib, "cuEventRecord"),
		dlsym(lib, "cuEventElapsedTime")};
	memcpy(&s->wait, &found[0], sizeof(found[0]));
	memcpy(&s->record, &found[1], sizeof(found[1]));
	memcpy(&s->elapsed, &found[2], sizeof(found[2]));
	return s->wait != NULL && s->record != NULL && s->elapsed != NULL;
}

static cudaError_t open_memory(struct ks_cuda_side *s,
	const unsigned char handles[2][KS_CUDA_HANDLE])
{
	cudaError_t e = cudaSuccess;
	for (int i = 0; i < 2 && e == cudaSuccess; i++) {
		cudaIpcMemHandle_t h;
		memcpy(&h, handles[i], sizeof(h));
		e = cudaIpcOpenMemHandle(&s->base[i], h, cudaIpcMemLazyEnablePeerAccess);
	}
	return e;
}

static void CUDART_CB no_work(void *data)
{
	(void)data;
}

/*
 * The driver makes threads and opens files when a thing is first used, which the
 * guards refuse later: memory in stream order, pinned memory, copies both ways, host
 * callbacks, a second stream. So each is used once here.
 */
static cudaError_t use_all_once(struct ks_cuda_side *s)
{
	void *pool = NULL, *pinned = NULL;
	int word = 0;
	cudaStream_t other = NULL;
	cudaError_t e = cudaMallocAsync(&pool, (size_t)1 << 20, s->stream);
	e = e != cudaSuccess ? e : cudaMemsetAsync(pool, 0, 4096, s->stream);
	e = e != cudaSuccess ? e : cudaFreeAsync(pool, s->stream);
	e = e != cudaSuccess ? e : cudaMallocHost(&pinned, 4096);
	e = e != cudaSuccess ? e : cudaFreeHost(pinned);
	e = e != cudaSuccess ? e :
		cudaMemcpy(s->sweep, &word, sizeof(word), cudaMemcpyHostToDevice);
	e = e != cudaSuccess ? e :
		cudaMemcpy(&word, s->sweep, sizeof(word), cudaMemcpyDeviceToHost);
	e = e != cudaSuccess ? e : cudaLaunchHostFunc(s->stream, no_work, NULL);
	e = e != cudaSuccess ? e : cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
	e = e != cudaSuccess ? e : cudaEventRecord(s->first, s->stream);
	e = e != cudaSuccess ? e : cudaStreamWaitEvent(other, s->first, 0);
	e = e != cudaSuccess ? e : cudaStreamSynchronize(other);
	return e != cudaSuccess ? e : cudaStreamDestroy(other);
}

/* Everything that a call needs is made, and used once, before kernels are loaded. */
static cudaError_t make_ready(struct ks_cuda_side *s)
{
	int l2 = 0;
	cudaError_t e = cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0);
	s->sweep_bytes = 2 * (size_t)(l2 > 0 ? l2 : 64 << 20);
	e = e != cudaSuccess ? e : cudaMalloc((void **)&s->sweep, s->sweep_bytes);
	e = e != cudaSuccess ? e : cudaStreamCreate(&s->stream);
	e = e != cudaSuccess ? e : cudaEventCreate(&s->first);
	e = e != cudaSuccess ? e : cudaEventCreate(&s->last);
	if (e == cudaSuccess) {
		nothing<<<1, 1, 0, s->stream>>>();
		e = cudaGetLastError();
	}
	e = e != cudaSuccess ? e : cudaDeviceSynchronize();
	return e != cudaSuccess ? e : use_all_once(s);
}

int ks_side_open(struct ks_cuda_side **out, const unsigned char handles[2][KS_CUDA_HANDLE],
	const char *cupti, char *text)
{
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED) {
		return fail(text, "a page of memory", cudaErrorMemoryAllocation);
	}
	struct ks_cuda_side *s = (struct ks_cuda_side *)page;
	if (cupti != NULL && ks_trace_open(cupti, text) != 0) {
		return -1;
	}
	cudaError_t e = cudaSetDevice(0);
	e = e != cudaSuccess ? e : cudaSetDeviceFlags(cudaDeviceScheduleSpin);
	e = e != cudaSuccess ? e : cudaFree(NULL);
	if (e != cudaSuccess) {
		return fail(text, "no context", e);
	}
	e = open_memory(s, handles);
	if (e != cudaSuccess) {
		return fail(text, "cudaIpcOpenMemHandle", e);
	}
	e = make_ready(s);
	if (e != cudaSuccess) {
		return fail(text, "the worker's own memory", e);
	}
	if (!ask_driver(s)) {
		return fail(text, "the driver lacks a function", cudaErrorSymbolNotFound);
	}
	if (mprotect(page, PAGE, PROT_READ) != 0) {
		return fail(text, "mprotect", cudaErrorOperatingSystem);
	}
	*out = s;
	return 0;
}

void *ks_side_base(const struct ks_cuda_side *s, unsigned which)
{
	return s->base[which % 2];
}

void *ks_side_stream(const struct ks_cuda_side *s)
{
	return s->stream;
}

/* Lines that a kernel asked to persist would survive the sweep: they are let go
 * first. A launch of nothing afterwards puts the host's way to the GPU into the state
 * that it has in a program at work; it brings nothing of a kernel's back. */
int ks_side_arm(struct ks_cuda_side *s, bool flush)
{
	if (flush) {
		cudaCtxResetPersistingL2Cache();
		cudaMemsetAsync(s->sweep, 0x5a, s->sweep_bytes, s->stream);
		s->wait();
		nothing<<<1, 1, 0, s->stream>>>();
	}
	return s->wait();
}

int ks_side_begin(struct ks_cuda_side *s)
{
	return s->record(s->first, s->stream);
}

int ks_side_end(struct ks_cuda_side *s)
{
	return s->record(s->last, s->stream); /* after a failure the wait tells */
}

int ks_side_wait(struct ks_cuda_side *s, bool whole)
{
	return whole ? s->wait() : (int)cudaStreamSynchronize(s->stream);
}

int ks_side_finish(struct ks_cuda_side *s, int waited, double *event_ns, char *text)
{
	float ms = 0;
	*event_ns = 0;
	if (waited != 0) {
		return fail(text, "after the call", (cudaError_t)waited);
	}
	if (s->elapsed(&ms, s->first, s->last) == 0) {
		*event_ns = (double)ms * 1e6;
	}
	cudaGetLastError(); /* a refused launch shows in the output */
	return 0;
}

int ks_side_empty(struct ks_cuda_side *s)
{
	nothing<<<1, 1, 0, s->stream>>>();
	return s->wait();
}
