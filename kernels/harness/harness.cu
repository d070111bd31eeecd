/* The judge's device: memory, copies, and the table that both sides ask for. */
#include "harness.cuh"

static void say(char *text, const char *what, cudaError_t e)
{
	snprintf(text, KS_CUDA_TEXT, "%s: %s (CUDA error %d)", what, cudaGetErrorString(e), (int)e);
}

static void uuid_text(char out[48], const cudaUUID_t *uuid)
{
	const unsigned char *b = (const unsigned char *)uuid->bytes;
	snprintf(out, 48, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-"
		"%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8],
		b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

static void describe(struct ks_cuda_info *info, const cudaDeviceProp *p)
{
	memset(info, 0, sizeof(*info));
	uuid_text(info->uuid, &p->uuid);
	snprintf(info->name, sizeof(info->name), "%.95s", p->name);
	info->major = p->major;
	info->minor = p->minor;
	info->sms = p->multiProcessorCount;
	info->memory = p->totalGlobalMem;
	info->l2 = (uint64_t)p->l2CacheSize;
	cudaDriverGetVersion(&info->driver);
	cudaRuntimeGetVersion(&info->runtime);
}

/* Index of a GPU by UUID, or the first. */
static int find_device(struct ks_cuda *c, const char *uuid, char *text)
{
	int count = 0;
	cudaError_t e = cudaGetDeviceCount(&count);
	if (e != cudaSuccess) {
		say(text, "no GPU", e);
		return (int)e;
	}
	for (int i = 0; i < count; i++) {
		cudaDeviceProp p;
		e = cudaGetDeviceProperties(&p, i);
		if (e != cudaSuccess) {
			continue; /* a broken one among others */
		}
		describe(&c->info, &p);
		if (uuid == NULL || strcmp(uuid, c->info.uuid) == 0) {
			c->device = i;
			c->sms = c->info.sms;
			return 0;
		}
	}
	snprintf(text, KS_CUDA_TEXT, "there is no such GPU among %d", count);
	return (int)cudaErrorInvalidDevice;
}

static int judge_list(char uuids[][48], int max, char *text)
{
	int count = 0, used = 0;
	cudaError_t e = cudaGetDeviceCount(&count);
	if (e != cudaSuccess) {
		say(text, "no GPU", e);
		return -(int)e;
	}
	for (int i = 0; i < count && used < max; i++) {
		cudaDeviceProp p;
		if (cudaGetDeviceProperties(&p, i) == cudaSuccess) {
			uuid_text(uuids[used++], &p.uuid);
		}
	}
	return used;
}

static void prepare(struct ks_cuda *c)
{
	ks_cuda_ok(c, cudaSetDevice(c->device), "device");
	ks_cuda_ok(c, cudaSetDeviceFlags(cudaDeviceScheduleSpin), "spinning");
	if (ks_cuda_ok(c, cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking), "stream")) {
		ks_cuda_ok(c, cudaMalloc((void **)&c->found, sizeof(*c->found)), "memory");
		ks_cuda_ok(c, cudaMalloc((void **)&c->parts, KS_PARTS_MAX * sizeof(*c->parts)),
			"memory");
		ks_cuda_ok(c, cudaMallocHost((void **)&c->found_at, sizeof(*c->found_at)),
			"pinned memory");
	}
	if (c->failed == cudaSuccess) {
		ks_cuda_ok(c, cudaMemset(c->found, 0, sizeof(*c->found)), "memory");
		ks_cuda_ok(c, cudaDeviceSynchronize(), "start");
	}
}

static void judge_close(struct ks_cuda *c)
{
	if (c == NULL) {
		return;
	}
	cudaSetDevice(c->device);
	cudaFree(c->found);
	cudaFree(c->parts);
	cudaFreeHost(c->found_at);
	if (c->stream != NULL) {
		cudaStreamDestroy(c->stream);
	}
	delete c;
}

static int judge_open(struct ks_cuda **out, const char *uuid, char *text)
{
	struct ks_cuda *c = new ks_cuda();
	int code = find_device(c, uuid, text);
	if (code == 0) {
		prepare(c);
		code = (int)c->failed;
		snprintf(text, KS_CUDA_TEXT, "%s", c->why);
	}
	if (code != 0) {
		judge_close(c);
		return code;
	}
	*out = c;
	return 0;
}

static void judge_info(const struct ks_cuda *c, struct ks_cuda_info *out)
{
	*out = c->info;
}

static void *judge_alloc(struct ks_cuda *c, uint64_t bytes)
{
	void *at = NULL;
	if (!ks_cuda_use(c) || cudaMalloc(&at, bytes) != cudaSuccess) {
		cudaGetLastError();
		return NULL;
	}
	cudaMemsetAsync(at, 0, bytes, c->stream);
	return at;
}

static void judge_release(struct ks_cuda *c, void *at)
{
	cudaSetDevice(c->device);
	cudaFree(at);
}

static int judge_share(struct ks_cuda *c, void *at, unsigned char handle[KS_CUDA_HANDLE],
	char *text)
{
	cudaIpcMemHandle_t h;
	static_assert(sizeof(h) == KS_CUDA_HANDLE, "a handle has 64 bytes");
	cudaError_t e = ks_cuda_use(c) ? cudaIpcGetMemHandle(&h, at) : c->failed;
	if (e != cudaSuccess) {
		say(text, "cudaIpcGetMemHandle", e);
		return (int)e;
	}
	memcpy(handle, &h, sizeof(h));
	return 0;
}

static uint64_t judge_used(struct ks_cuda *c)
{
	size_t free_bytes = 0, total = 0;
	if (!ks_cuda_use(c) || cudaMemGetInfo(&free_bytes, &total) != cudaSuccess) {
		return 0;
	}
	return total - free_bytes;
}

/* From memory that is not pinned: CUDA has taken the bytes when this returns. */
static void judge_upload(struct ks_cuda *c, void *to, const void *from, uint64_t bytes)
{
	ks_cuda_touch(c, to, bytes);
	if (bytes > 0 && ks_cuda_use(c)) {
		ks_cuda_ok(c, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, c->stream),
			"sending inputs");
	}
}

static int judge_download(struct ks_cuda *c, void *to, const void *from, uint64_t bytes, char *text)
{
	ks_cuda_touch(c, from, bytes);
	if (bytes > 0 && ks_cuda_use(c)) {
		ks_cuda_ok(c, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, c->stream),
			"fetching");
		ks_cuda_ok(c, cudaStreamSynchronize(c->stream), "fetching");
	}
	snprintf(text, KS_CUDA_TEXT, "%s", c->why);
	return (int)c->failed;
}

static void judge_copy(struct ks_cuda *c, void *to, const void *from, uint64_t bytes)
{
	ks_cuda_touch(c, from, bytes);
	ks_cuda_touch(c, to, bytes);
	if (bytes > 0 && ks_cuda_use(c)) {
		ks_cuda_ok(c, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, c->stream),
			"copying");
	}
}

static void judge_fill(struct ks_cuda *c, void *to, int byte, uint64_t bytes)
{
	if (bytes > KS_RANGE_MAX && ks_cuda_use(c)) {
		ks_cuda_touch(c, to, bytes);
		ks_cuda_ok(c, cudaMemsetAsync(to, byte, bytes, c->stream), "filling");
	} else if (bytes > 0 && ks_cuda_use(c)) {
		ks_cuda_gather(c, &c->fills, to, byte, bytes, 0);
	}
}

/* What was found goes to pinned memory, and the next looks begin with nothing. */
__global__ static void publish(uint64_t *to, uint64_t *from, unsigned words)
{
	for (unsigned i = threadIdx.x; i < words; i += blockDim.x) {
		to[i] = from[i];
		from[i] = 0;
	}
}

static int judge_sync(struct ks_cuda *c, struct ks_cuda_found *found, char *text)
{
	memset(found, 0, sizeof(*found));
	ks_cuda_ranges(c);
	bool looked = c->looked;
	if (ks_cuda_use(c) && looked) {
		static_assert(sizeof(*found) % 8 == 0, "whole words");
		unsigned words = (unsigned)(sizeof(*found) / 8);
		uint64_t *to = (uint64_t *)c->found_at, *from = (uint64_t *)c->found;
		publish<<<1, KS_THREADS, 0, c->stream>>>(to, from, words);
		ks_cuda_ok(c, cudaGetLastError(), "fetching what was found");
	}
	c->looked = false;
	if (c->failed == cudaSuccess) {
		ks_cuda_ok(c, cudaStreamSynchronize(c->stream), "waiting");
	}
	if (c->failed == cudaSuccess && looked) {
		*found = *c->found_at;
	}
	snprintf(text, KS_CUDA_TEXT, "%s", c->why);
	return (int)c->failed;
}

extern "C" __attribute__((visibility("default"))) const struct ks_cuda_api *ks_cuda_api(void)
{
	static const struct ks_cuda_api api = {
		KS_CUDA_API_VERSION, judge_list, judge_open, judge_close, judge_info, judge_alloc,
		judge_release, judge_share, judge_used, judge_upload, judge_download, judge_copy,
		judge_fill, ks_cuda_repeat, ks_cuda_draw, ks_cuda_poison, ks_cuda_gap,
		ks_cuda_print, ks_cuda_special, ks_cuda_tally, judge_sync, ks_side_open,
		ks_side_base, ks_side_stream, ks_side_arm, ks_side_begin, ks_side_end, ks_side_wait,
		ks_side_finish, ks_side_empty, ks_side_trace_start, ks_side_trace_stop,
	};
	return &api;
}
