/* The processor's memory as a device: everything is done at once. */
#include "eval/device.h"

#include "base/mem.h"
#include "eval/print.h"

static int cpu_arena(struct ks_device *d, struct ks_arena *a, const char *name, uint64_t cap,
	bool read_only, bool *out_sealed, struct ks_err *err)
{
	(void)d;
	return ks_arena_init(a, name, cap, read_only, out_sealed, err);
}

static void cpu_arena_fini(struct ks_device *d, struct ks_arena *a)
{
	(void)d;
	ks_arena_fini(a);
}

static int cpu_alloc(struct ks_device *d, unsigned char **out, uint64_t bytes,
	struct ks_err *err)
{
	(void)d, (void)err;
	*out = ks_zalloc(bytes, 1);
	return 0;
}

static void cpu_release(struct ks_device *d, unsigned char *at)
{
	(void)d;
	free(at);
}

static void cpu_generate(struct ks_device *d, const struct ks_case *c, const struct ks_arg *arg,
	const struct ks_seed *seed, uint64_t call, enum ks_variant variant, unsigned char *to)
{
	(void)d;
	ks_generate(c, arg, seed, call, variant, to);
}

static void cpu_copy(struct ks_device *d, unsigned char *to, const unsigned char *from,
	uint64_t bytes)
{
	(void)d;
	memcpy(to, from, bytes);
}

static void cpu_fill(struct ks_device *d, unsigned char *to, int byte, uint64_t bytes)
{
	(void)d;
	memset(to, byte, bytes);
}

static void cpu_poison(struct ks_device *d, unsigned char *to, const unsigned char *from,
	const struct ks_arg *a, uint32_t random)
{
	unsigned char tile[256 * 8];
	size_t size = ks_dtype_size(a->dtype);
	(void)d;
	for (unsigned i = 0; i < 256; i++) {
		ks_dtype_put(a->dtype, tile, i, ks_poison_of(a->dtype, from, a->count, i, random));
	}
	for (uint64_t done = 0; done < a->bytes; done += 256 * size) {
		uint64_t n = a->bytes - done < 256 * size ? a->bytes - done : 256 * size;
		memcpy(to + done, tile, n);
	}
}

static void cpu_gap(struct ks_device *d, const unsigned char *at, int byte, uint64_t bytes,
	unsigned i)
{
	uint64_t differ = 0;
	for (uint64_t k = 0; k < bytes; k++) {
		differ += at[k] != (unsigned char)byte;
	}
	d->look[i] = differ;
}

static void cpu_print(struct ks_device *d, const unsigned char *at, uint64_t bytes, uint64_t key,
	unsigned i)
{
	uint64_t sum = 0;
	for (uint64_t word = 0; word * 8 < bytes; word++) {
		sum += ks_print_word(at, bytes, word, key);
	}
	d->look[i] = sum;
}

static int cpu_sync(struct ks_device *d, struct ks_err *err)
{
	(void)d, (void)err;
	return 0;
}

static void cpu_compare(struct ks_device *d, struct ks_compare *out,
	const struct ks_tolerance *tol, enum ks_dtype dtype, const void *got, const void *want,
	uint64_t count)
{
	(void)d;
	ks_compare(out, tol, dtype, got, want, count);
}

static bool cpu_finite(struct ks_device *d, const struct ks_arg *arg, const void *values)
{
	(void)d;
	return ks_lint_output(NULL, arg, values, NULL) == 0;
}

static uint64_t cpu_used(struct ks_device *d)
{
	(void)d;
	return 0;
}

static void cpu_free(struct ks_device *d)
{
	free(d);
}

struct ks_device *ks_device_cpu(void)
{
	static const struct ks_device_ops ops = {
		.arena = cpu_arena, .arena_fini = cpu_arena_fini, .alloc = cpu_alloc,
		.release = cpu_release, .generate = cpu_generate, .copy = cpu_copy,
		.fill = cpu_fill, .poison = cpu_poison, .gap = cpu_gap, .print = cpu_print,
		.sync = cpu_sync, .compare = cpu_compare, .finite = cpu_finite, .used = cpu_used,
		.free = cpu_free,
	};
	struct ks_device *d = ks_zalloc(1, sizeof(*d));
	d->ops = &ops;
	return d;
}

void ks_device_free(struct ks_device *d)
{
	if (d != NULL) {
		d->ops->free(d);
	}
}
