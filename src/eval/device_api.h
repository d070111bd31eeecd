#ifndef KSEEK_EVAL_DEVICE_API_H
#define KSEEK_EVAL_DEVICE_API_H
/*
 * What libkseek-cuda.so offers to judge and worker, which load it by path when
 * a job's target is `cuda`: one table, asked for by name ("ks_cuda_api"). C on
 * both sides; nothing here needs CUDA's headers.
 *
 * Judge's side: work is queued on one stream and done when `sync` returns 0.
 * What was looked at since the last sync is in `found` then. The first failure
 * of a device stays: everything after it is a no-op and sync says what it was.
 * Worker's side: the call, its events, the flush.
 *
 * Functions that can fail return 0 or CUDA's error number and put one line into
 * text (KS_CUDA_TEXT bytes).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "eval/draw.h"
#include "eval/tally.h"

#define KS_CUDA_API_VERSION 4
#define KS_CUDA_TEXT 256
#define KS_CUDA_HANDLE 64  /* bytes of an exported allocation's handle */
#define KS_CUDA_LOOKS 256
#define KS_CUDA_NAMES 2048

struct ks_cuda;      /* a device, for the judge  */
struct ks_cuda_side; /* a device, for the worker */

struct ks_cuda_info {
	char uuid[48];       /* "GPU-..." */
	char name[96];
	int major, minor;    /* compute capability */
	int driver, runtime; /* 13000 is 13.0      */
	int sms;
	uint64_t memory, l2; /* bytes */
};

struct ks_cuda_found {
	uint64_t look[KS_CUDA_LOOKS]; /* each 0 unless asked for since the last sync */
	struct ks_tally tally;
};

struct ks_cuda_trace { /* of one call */
	uint32_t launches, copies, fills;
	double span_ns;    /* first start to last end of anything on the GPU */
	double busy_ns;    /* sum of the kernels' times                      */
	char names[KS_CUDA_NAMES]; /* of the kernels, one a line, each once, perhaps cut */
};

struct ks_cuda_api {
	uint32_t version;
	/* judge: UUIDs of the visible devices that work, at most max; how many, or
	 * minus CUDA's error */
	int (*list)(char uuids[][48], int max, char *text);
	int (*open)(struct ks_cuda **out, const char *uuid, char *text); /* NULL: the first */
	void (*close)(struct ks_cuda *c);
	void (*info)(const struct ks_cuda *c, struct ks_cuda_info *out);
	void *(*alloc)(struct ks_cuda *c, uint64_t bytes); /* NULL: failed */
	void (*release)(struct ks_cuda *c, void *at);
	int (*share)(struct ks_cuda *c, void *at, unsigned char handle[KS_CUDA_HANDLE],
		char *text);
	uint64_t (*used)(struct ks_cuda *c); /* bytes of the device's memory, by all */
	void (*upload)(struct ks_cuda *c, void *to, const void *from, uint64_t bytes);
	int (*download)(struct ks_cuda *c, void *to, const void *from, uint64_t bytes,
		char *text);
	void (*copy)(struct ks_cuda *c, void *to, const void *from, uint64_t bytes);
	void (*fill)(struct ks_cuda *c, void *to, int byte, uint64_t bytes);
	/* element (size bytes, 1, 2, 4 or 8) over and over */
	void (*repeat)(struct ks_cuda *c, void *to, const void *element, uint32_t size,
		uint64_t count);
	void (*draw)(struct ks_cuda *c, void *to, const struct ks_draw *plan);
	/* numbers of the answer's size that are no answer */
	void (*poison)(struct ks_cuda *c, void *to, const void *from, enum ks_dtype dtype,
		uint64_t count, uint32_t random);
	/* look[i]: bytes of [at, at + bytes) that are not `byte` */
	void (*gap)(struct ks_cuda *c, const void *at, int byte, uint64_t bytes, unsigned i);
	/* look[i]: a sum over the contents that only the key's owner can foretell */
	void (*print)(struct ks_cuda *c, const void *at, uint64_t bytes, uint64_t key,
		unsigned i);
	/* look[i]: elements that are not finite (-inf counts unless it is allowed) */
	void (*special)(struct ks_cuda *c, enum ks_dtype dtype, const void *at, uint64_t count,
		bool allow_negative_inf, unsigned i);
	void (*tally)(struct ks_cuda *c, const struct ks_rule *rule, enum ks_dtype dtype,
		const void *got, const void *want, uint64_t count);
	int (*sync)(struct ks_cuda *c, struct ks_cuda_found *found, char *text);
	/* worker: opens the first visible device and two exported allocations; cupti
	 * is the library for traces, or NULL */
	int (*side_open)(struct ks_cuda_side **out,
		const unsigned char handles[2][KS_CUDA_HANDLE], const char *cupti, char *text);
	void *(*side_base)(const struct ks_cuda_side *s, unsigned which);
	void *(*side_stream)(const struct ks_cuda_side *s);
	int (*side_arm)(struct ks_cuda_side *s, bool flush); /* cold cache; then idle */
	int (*side_begin)(struct ks_cuda_side *s); /* an event before the call ... */
	int (*side_end)(struct ks_cuda_side *s);   /* ... and one behind it */
	/* whole: whatever was queued on the device; else its own stream alone, as one
	 * who trusts kernels would wait */
	int (*side_wait)(struct ks_cuda_side *s, bool whole);
	int (*side_finish)(struct ks_cuda_side *s, int waited, double *event_ns, char *text);
	int (*side_empty)(struct ks_cuda_side *s); /* a launch of nothing, and the wait */
	int (*side_trace_start)(struct ks_cuda_side *s);
	int (*side_trace_stop)(struct ks_cuda_side *s, struct ks_cuda_trace *out);
};

typedef const struct ks_cuda_api *(*ks_cuda_api_fn)(void); /* for dlsym alone */

#endif
