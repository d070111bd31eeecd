#ifndef KSEEK_EVAL_DEVICE_H
#define KSEEK_EVAL_DEVICE_H
/*
 * Where buffers live and who works on them: the processor's memory, or a GPU's.
 * The bench does the same for both through this table. Pointers are the device's
 * own; the judge never reads them itself.
 *
 * Work may be queued; it is done when `sync` returns 0, and what was looked at
 * (gap, print) is in `look` then. A device that fails once is broken: sync gives
 * KS_EIO from then on, and results of the meantime mean nothing.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "eval/arena.h"
#include "eval/compare.h"
#include "eval/device_api.h"
#include "eval/generate.h"

struct ks_device;

struct ks_device_ops {
	/* A range that workers map, and one that only the judge has. */
	int (*arena)(struct ks_device *d, struct ks_arena *a, const char *name, uint64_t cap,
		bool read_only, bool *out_sealed, struct ks_err *err);
	void (*arena_fini)(struct ks_device *d, struct ks_arena *a);
	int (*alloc)(struct ks_device *d, unsigned char **out, uint64_t bytes,
		struct ks_err *err);
	void (*release)(struct ks_device *d, unsigned char *at);
	void (*generate)(struct ks_device *d, const struct ks_case *c, const struct ks_arg *arg,
		const struct ks_seed *seed, uint64_t call, enum ks_variant variant,
		unsigned char *to);
	void (*copy)(struct ks_device *d, unsigned char *to, const unsigned char *from,
		uint64_t bytes);
	void (*fill)(struct ks_device *d, unsigned char *to, int byte, uint64_t bytes);
	/* Numbers of the size of those in from that are no answer. */
	void (*poison)(struct ks_device *d, unsigned char *to, const unsigned char *from,
		const struct ks_arg *arg, uint32_t random);
	void (*gap)(struct ks_device *d, const unsigned char *at, int byte, uint64_t bytes,
		unsigned i); /* look[i]: bytes that differ */
	void (*print)(struct ks_device *d, const unsigned char *at, uint64_t bytes, uint64_t key,
		unsigned i); /* look[i]: a keyed sum of the contents */
	int (*sync)(struct ks_device *d, struct ks_err *err);
	/* These two wait. Meaningless on a broken device. */
	void (*compare)(struct ks_device *d, struct ks_compare *out,
		const struct ks_tolerance *tol, enum ks_dtype dtype, const void *got,
		const void *want, uint64_t count);
	bool (*finite)(struct ks_device *d, const struct ks_arg *arg, const void *values);
	/* Bytes of the device's memory in use; 0: not counted here. */
	uint64_t (*used)(struct ks_device *d);
	void (*free)(struct ks_device *d);
};

struct ks_device {
	const struct ks_device_ops *ops;
	bool cuda;
	bool broken;
	uint64_t look[KS_CUDA_LOOKS];
	struct ks_cuda_info info;   /* cuda: which */
	const char *library;        /* cuda: path of libkseek-cuda.so, borrowed */
	char driver_dir[512];       /* cuda: the folder that libcuda.so.1 came from, or "" */
};

/* The processor. */
struct ks_device *ks_device_cpu(void);
/* UUIDs of the visible GPUs; at least one, else KS_EUNSUPPORTED. */
#define KS_UUID_MAX 48
int ks_device_list(size_t *out_count, char out[][KS_UUID_MAX], size_t max, const char *library,
	struct ks_err *err);
/* A GPU by UUID, or the first (NULL). KS_EUNSUPPORTED with the reason when the
 * library, the driver or the device does not work. */
int ks_device_cuda(struct ks_device **out, const char *library, const char *uuid,
	struct ks_err *err);
void ks_device_free(struct ks_device *d); /* NULL is fine */

#endif
