/*
 * A GPU as a device, through libkseek-cuda.so. This file holds no CUDA: it loads
 * the library, asks it for its table, and keeps the first failure.
 *
 * Buffers that workers map are allocations of their own, a multiple of 2 MiB:
 * CUDA puts smaller ones together into one block, and an exported handle opens
 * the whole block.
 */
#include "eval/device.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/sane.h"
#include "eval/dtype.h"

#define BLOCK ((uint64_t)2 << 20)
#define LOOK_SPECIAL (KS_CUDA_LOOKS - 1)

struct gpu {
	struct ks_device base;
	void *handle;
	const struct ks_cuda_api *api;
	struct ks_cuda *at;
	struct ks_tally tally;  /* of the last sync */
	char why[KS_CUDA_TEXT]; /* of the first failure */
	unsigned char *stage;   /* contents on their way to the device */
	uint64_t stage_cap;
};

static struct gpu *gpu_of(struct ks_device *d)
{
	return (struct gpu *)d; /* base is the first member */
}

static void break_down(struct gpu *g, const char *text)
{
	if (!g->base.broken) {
		snprintf(g->why, sizeof(g->why), "%s", text);
	}
	g->base.broken = true;
}

static int cuda_sync(struct ks_device *d, struct ks_err *err)
{
	struct gpu *g = gpu_of(d);
	struct ks_cuda_found found;
	char text[KS_CUDA_TEXT] = "";
	if (!d->broken && g->api->sync(g->at, &found, text) != 0) {
		break_down(g, text);
	}
	if (d->broken) {
		return ks_err_set(err, KS_EIO, "GPU %s failed: %s", d->info.uuid, g->why);
	}
	memcpy(d->look, found.look, sizeof(d->look));
	g->tally = found.tally;
	return 0;
}

static int cuda_alloc(struct ks_device *d, unsigned char **out, uint64_t bytes,
	struct ks_err *err)
{
	struct gpu *g = gpu_of(d);
	void *at = g->api->alloc(g->at, (bytes + BLOCK - 1) / BLOCK * BLOCK);
	if (at == NULL) {
		return ks_err_set(err, KS_EFULL, "GPU %s: no memory of %llu MB; choose smaller "
			"scenarios or free the device", d->info.uuid,
			(unsigned long long)(bytes >> 20));
	}
	*out = at;
	return 0;
}

static void cuda_release(struct ks_device *d, unsigned char *at)
{
	struct gpu *g = gpu_of(d);
	if (at != NULL) {
		g->api->release(g->at, at);
	}
}

static int cuda_arena(struct ks_device *d, struct ks_arena *a, const char *name, uint64_t cap,
	bool read_only, bool *out_sealed, struct ks_err *err)
{
	struct gpu *g = gpu_of(d);
	char text[KS_CUDA_TEXT] = "";
	unsigned char *at = NULL;
	(void)name, (void)read_only;
	int code = cuda_alloc(d, &at, cap, err);
	if (code != 0) {
		return code;
	}
	if (g->api->share(g->at, at, a->handle, text) != 0) {
		cuda_release(d, at);
		return ks_err_set(err, KS_EUNSUPPORTED, "GPU %s: memory cannot be shared with a "
			"worker: %s", d->info.uuid, text);
	}
	a->fd = -1;
	a->at = at;
	a->cap = cap;
	if (out_sealed != NULL) {
		*out_sealed = false;
	}
	return 0;
}

static void cuda_arena_fini(struct ks_device *d, struct ks_arena *a)
{
	cuda_release(d, a->at);
	a->at = NULL;
	a->cap = 0;
}

/* Lists are made here and sent; they are short, or the same value throughout. */
static void send_list(struct gpu *g, const struct ks_case *c, const struct ks_arg *arg,
	const struct ks_seed *seed, uint64_t call, enum ks_variant variant, unsigned char *to)
{
	if (g->stage_cap < arg->bytes) {
		free(g->stage);
		g->stage = ks_alloc(arg->bytes);
		g->stage_cap = arg->bytes;
	}
	ks_generate(c, arg, seed, call, variant, g->stage);
	g->api->upload(g->at, to, g->stage, arg->bytes);
}

static void cuda_generate(struct ks_device *d, const struct ks_case *c, const struct ks_arg *arg,
	const struct ks_seed *seed, uint64_t call, enum ks_variant variant, unsigned char *to)
{
	struct gpu *g = gpu_of(d);
	unsigned char element[8] = {0};
	struct ks_draw plan;
	if (arg->bytes == 0 || d->broken) {
		return;
	}
	if (arg->gen.dist == KS_DIST_ZEROS) {
		g->api->fill(g->at, to, 0, arg->bytes);
	} else if (arg->gen.dist == KS_DIST_CONSTANT) {
		ks_dtype_put(arg->dtype, element, 0, arg->gen.a);
		g->api->repeat(g->at, to, element, (uint32_t)ks_dtype_size(arg->dtype),
			arg->count);
	} else if (ks_draw_init(&plan, c, arg, seed, call, variant)) {
		g->api->draw(g->at, to, &plan);
	} else {
		send_list(g, c, arg, seed, call, variant, to);
	}
}

static void cuda_copy(struct ks_device *d, unsigned char *to, const unsigned char *from,
	uint64_t bytes)
{
	struct gpu *g = gpu_of(d);
	if (bytes > 0) {
		g->api->copy(g->at, to, from, bytes);
	}
}

static void cuda_fill(struct ks_device *d, unsigned char *to, int byte, uint64_t bytes)
{
	struct gpu *g = gpu_of(d);
	if (bytes > 0) {
		g->api->fill(g->at, to, byte, bytes);
	}
}

static void cuda_poison(struct ks_device *d, unsigned char *to, const unsigned char *from,
	const struct ks_arg *arg, uint32_t random)
{
	struct gpu *g = gpu_of(d);
	g->api->poison(g->at, to, from, arg->dtype, arg->count, random);
}

static void cuda_gap(struct ks_device *d, const unsigned char *at, int byte, uint64_t bytes,
	unsigned i)
{
	struct gpu *g = gpu_of(d);
	if (bytes > 0) {
		g->api->gap(g->at, at, byte, bytes, i);
	}
}

static void cuda_print(struct ks_device *d, const unsigned char *at, uint64_t bytes,
	uint64_t key, unsigned i)
{
	struct gpu *g = gpu_of(d);
	if (bytes > 0) {
		g->api->print(g->at, at, bytes, key, i);
	}
}

static void cuda_compare(struct ks_device *d, struct ks_compare *out,
	const struct ks_tolerance *tol, enum ks_dtype dtype, const void *got, const void *want,
	uint64_t count)
{
	struct gpu *g = gpu_of(d);
	struct ks_rule rule = {tol->abs_tol, tol->rel_tol, tol->allow_negative_inf};
	struct ks_tally none = {0};
	g->tally = none;
	if (count > 0) {
		g->api->tally(g->at, &rule, dtype, got, want, count);
		cuda_sync(d, NULL);
	}
	ks_compare_finish(out, &g->tally, tol);
	out->ok = out->ok && !d->broken && out->count == count;
}

static bool cuda_finite(struct ks_device *d, const struct ks_arg *arg, const void *values)
{
	struct gpu *g = gpu_of(d);
	if (!ks_dtype_is_float(arg->dtype) || arg->count == 0) {
		return true;
	}
	g->api->special(g->at, arg->dtype, values, arg->count, arg->tol.allow_negative_inf,
		LOOK_SPECIAL);
	return cuda_sync(d, NULL) == 0 && d->look[LOOK_SPECIAL] == 0;
}

static uint64_t cuda_used(struct ks_device *d)
{
	struct gpu *g = gpu_of(d);
	return d->broken ? 0 : g->api->used(g->at);
}

/* The library stays loaded: CUDA cannot be loaded twice into a process. */
static void cuda_free(struct ks_device *d)
{
	struct gpu *g = gpu_of(d);
	if (g->at != NULL) {
		g->api->close(g->at);
	}
	free(g->stage);
	free(g);
}

static const struct ks_device_ops cuda_ops = {
	.arena = cuda_arena, .arena_fini = cuda_arena_fini, .alloc = cuda_alloc,
	.release = cuda_release, .generate = cuda_generate, .copy = cuda_copy,
	.fill = cuda_fill, .poison = cuda_poison, .gap = cuda_gap, .print = cuda_print,
	.sync = cuda_sync, .compare = cuda_compare, .finite = cuda_finite, .used = cuda_used,
	.free = cuda_free,
};

/* The driver's library by its name, else where containers put it. The folder is
 * told to workers, whose environment is empty. */
static bool find_driver(struct gpu *g)
{
	static const char *const places[] = {"libcuda.so.1",
		"/usr/local/nvidia/lib64/libcuda.so.1", "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
		"/usr/lib/aarch64-linux-gnu/libcuda.so.1", "/usr/lib64/libcuda.so.1",
		"/usr/lib/wsl/lib/libcuda.so.1"};
	struct link_map *map = NULL;
	void *lib = NULL;
	for (size_t i = 0; lib == NULL && i < sizeof(places) / sizeof(places[0]); i++) {
		lib = dlopen(places[i], RTLD_NOW | RTLD_GLOBAL);
	}
	if (lib == NULL || dlinfo(lib, RTLD_DI_LINKMAP, &map) != 0) {
		return lib != NULL;
	}
	const char *slash = strrchr(map->l_name, '/');
	size_t len = slash != NULL ? (size_t)(slash - map->l_name) : 0;
	if (len > 0 && len < sizeof(g->base.driver_dir)) {
		memcpy(g->base.driver_dir, map->l_name, len);
		g->base.driver_dir[len] = '\0';
	}
	return true;
}

static int load_library(struct gpu *g, const char *library, struct ks_err *err)
{
	char text[256];
	g->handle = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
	if (g->handle == NULL) {
		ks_sane_into(text, sizeof(text), ks_str_of(dlerror()), KS_SANE_ONE_LINE);
		return ks_err_set(err, KS_EUNSUPPORTED, "cannot load %s: %s; build kseek where "
			"nvcc is, or set the campaign's target to cpu", library, text);
	}
	ks_cuda_api_fn ask = NULL;
	void *found = dlsym(g->handle, "ks_cuda_api");
	memcpy(&ask, &found, sizeof(ask));
	g->api = ask != NULL ? ask() : NULL;
	if (g->api == NULL || g->api->version != KS_CUDA_API_VERSION) {
		return ks_err_set(err, KS_EUNSUPPORTED, "%s is of another version of kseek; "
			"build both together", library);
	}
	return 0;
}

static const char *reason(bool driver, const char *text)
{
	return driver || strncmp(text, "no GPU", 6) != 0 ? text :
		"this machine has no NVIDIA driver (libcuda.so.1)";
}

int ks_device_list(size_t *out_count, char out[][KS_UUID_MAX], size_t max, const char *library,
	struct ks_err *err)
{
	struct gpu g = {.handle = NULL};
	char text[KS_CUDA_TEXT] = "no GPU";
	bool driver = find_driver(&g);
	int code = load_library(&g, library, err);
	int n = code == 0 ? g.api->list(out, (int)max, text) : 0;
	if (code == 0 && n <= 0) {
		return ks_err_set(err, KS_EUNSUPPORTED, "%s", reason(driver, text));
	}
	*out_count = (size_t)n;
	return code;
}

int ks_device_cuda(struct ks_device **out, const char *library, const char *uuid,
	struct ks_err *err)
{
	char text[KS_CUDA_TEXT] = "";
	struct gpu *g = ks_zalloc(1, sizeof(*g));
	g->base.ops = &cuda_ops;
	g->base.cuda = true;
	g->base.library = library;
	bool driver = find_driver(g);
	int code = load_library(g, library, err);
	if (code == 0 && g->api->open(&g->at, uuid, text) != 0) {
		code = ks_err_set(err, KS_EUNSUPPORTED, "GPU %s: %s", uuid != NULL ? uuid : "0",
			reason(driver, text));
	}
	if (code != 0) {
		cuda_free(&g->base);
		return code;
	}
	g->api->info(g->at, &g->base.info);
	*out = &g->base;
	return 0;
}
