#ifndef KSEEK_EVAL_WORKER_DEVICE_H
#define KSEEK_EVAL_WORKER_DEVICE_H
/*
 * The GPU from the worker's side: libkseek-cuda.so is loaded before any kernel
 * and before the guards that take loading away; inputs and outputs are opened by
 * the judge's handles. The struct lies in the worker's read-only table.
 */
#include <stdbool.h>

#include "eval/device_api.h"
#include "eval/worker_proto.h"

struct ks_worker_device {
	const struct ks_cuda_api *api; /* NULL: no GPU */
	struct ks_cuda_side *side;
	char *base[2];                 /* inputs, outputs */
	void *stream;
	bool trace;
};

/* False with one line in text (KS_WORKER_TEXT). cupti: NULL unless traced; "":
 * look for it. */
bool ks_worker_device_open(struct ks_worker_device *d, const char *library, const char *cupti,
	const struct ks_ctl *ctl, char *text);
/* Before the call: cold cache, everything idle. */
void ks_worker_device_arm(const struct ks_worker_device *d, bool flush);
/* Just before the clock is read: the first event, where they are wanted. */
static inline void ks_worker_device_begin(const struct ks_worker_device *d, bool events)
{
	if (events) {
		d->api->side_begin(d->side);
	}
}
/* The wait that belongs to the call, for the whole device. */
static inline int ks_worker_device_wait(const struct ks_worker_device *d, bool events, bool whole)
{
	if (events) {
		d->api->side_end(d->side);
	}
	return d->api->side_wait(d->side, whole);
}
/* After the clock has stopped: events and traces, or what went wrong, into ctl. */
void ks_worker_device_finish(const struct ks_worker_device *d, int waited, bool events,
	struct ks_ctl *ctl);

#endif
