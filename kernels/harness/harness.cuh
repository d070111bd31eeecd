#pragma once
/*
 * The evaluator's code on a GPU; src/eval/device_api.h has what it offers. The
 * judge's device (struct ks_cuda) and the worker's (struct ks_cuda_side) live in
 * different processes and share nothing but exported memory.
 *
 * Launches are asynchronous on one stream. The first failure is kept in the
 * device and everything after it does nothing.
 */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "eval/device_api.h"

#define KS_THREADS 256
#define KS_PARTS_MAX 1024 /* blocks of a tally */

/*
 * Short fills and looks (gaps beside tensors: two a tensor) are gathered and done
 * by one launch, at the latest by a sync. Whatever touches the same bytes has what
 * was gathered done first.
 */
#define KS_RANGES 48
#define KS_RANGE_MAX 4096 /* bytes; longer ones go alone */
struct ks_ranges {
	struct {
		unsigned char *at;
		uint32_t bytes;
		uint16_t look;
		uint8_t byte;
	} list[KS_RANGES];
	unsigned count;
};

struct ks_cuda {
	int device;
	int sms;
	cudaStream_t stream;
	cudaError_t failed;             /* the first failure, and where */
	char why[KS_CUDA_TEXT];
	bool looked;                    /* since the last sync          */
	struct ks_cuda_found *found;    /* on the device                */
	struct ks_cuda_found *found_at; /* here, pinned                 */
	struct ks_tally *parts;         /* on the device, KS_PARTS_MAX  */
	struct ks_ranges fills, gaps;   /* gathered, fills to be done first */
	struct ks_cuda_info info;
};

/* Keeps the first failure; true while there is none. */
inline bool ks_cuda_ok(struct ks_cuda *c, cudaError_t e, const char *what)
{
	if (e != cudaSuccess && c->failed == cudaSuccess) {
		c->failed = e;
		snprintf(c->why, sizeof(c->why), "%s: %s (CUDA error %d)", what,
			cudaGetErrorString(e), (int)e);
	}
	return c->failed == cudaSuccess;
}

/* May work be queued? Makes the device the calling thread's. */
inline bool ks_cuda_use(struct ks_cuda *c)
{
	return c->failed == cudaSuccess && ks_cuda_ok(c, cudaSetDevice(c->device), "device");
}

/* Blocks for count items, some a thread: enough to fill the device. */
inline unsigned ks_cuda_blocks(const struct ks_cuda *c, uint64_t count)
{
	uint64_t blocks = (count + KS_THREADS - 1) / KS_THREADS;
	uint64_t most = (uint64_t)c->sms * 8;
	return (unsigned)(blocks < most ? blocks : most);
}

/* generate.cu */
void ks_cuda_draw(struct ks_cuda *c, void *to, const struct ks_draw *plan);
void ks_cuda_repeat(struct ks_cuda *c, void *to, const void *element, uint32_t size,
	uint64_t count);
void ks_cuda_poison(struct ks_cuda *c, void *to, const void *from, enum ks_dtype dtype,
	uint64_t count, uint32_t random);

/* compare.cu */
void ks_cuda_ranges(struct ks_cuda *c); /* does what was gathered */
void ks_cuda_touch(struct ks_cuda *c, const void *at, uint64_t bytes); /* if it has to */
void ks_cuda_gather(struct ks_cuda *c, struct ks_ranges *r, const void *at, int byte,
	uint64_t bytes, unsigned look);
void ks_cuda_gap(struct ks_cuda *c, const void *at, int byte, uint64_t bytes, unsigned i);
void ks_cuda_print(struct ks_cuda *c, const void *at, uint64_t bytes, uint64_t key, unsigned i);
void ks_cuda_special(struct ks_cuda *c, enum ks_dtype dtype, const void *at, uint64_t count,
	bool allow_negative_inf, unsigned i);
void ks_cuda_tally(struct ks_cuda *c, const struct ks_rule *rule, enum ks_dtype dtype,
	const void *got, const void *want, uint64_t count);

/* side.cu */
int ks_side_open(struct ks_cuda_side **out, const unsigned char handles[2][KS_CUDA_HANDLE],
	const char *cupti, char *text);
void *ks_side_base(const struct ks_cuda_side *s, unsigned which);
void *ks_side_stream(const struct ks_cuda_side *s);
int ks_side_arm(struct ks_cuda_side *s, bool flush);
int ks_side_begin(struct ks_cuda_side *s);
int ks_side_end(struct ks_cuda_side *s);
int ks_side_wait(struct ks_cuda_side *s, bool whole);
int ks_side_finish(struct ks_cuda_side *s, int waited, double *event_ns, char *text);
int ks_side_empty(struct ks_cuda_side *s);

/* trace.cu: 0, or -1 with the reason in text */
int ks_trace_open(const char *cupti, char *text);
int ks_side_trace_start(struct ks_cuda_side *s);
int ks_side_trace_stop(struct ks_cuda_side *s, struct ks_cuda_trace *out);
