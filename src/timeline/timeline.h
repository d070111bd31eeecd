#ifndef KSEEK_TIMELINE_TIMELINE_H
#define KSEEK_TIMELINE_TIMELINE_H
/*
 * What a trace says about time. Pure. All times in ns.
 *
 * The span of a GPU goes from its first activity (kernel, copy, fill) to the end of
 * its last; busy is the part of it in which at least one ran, a gap a part in which
 * none did. What the host did in a gap is told by the thread that asked for the
 * activity behind it, and each gap falls into four parts:
 *
 *   away     before the thread asked, while it was in no CUDA call at all
 *   calls    before it asked, while it was in other CUDA calls
 *   asking   while it was in the call that asked
 *   pending  asked for and not yet begun: the way to the GPU, or something that the
 *            activity had to wait for
 *
 * Where no call is known to have asked (records were left out), it is `unknown`. A
 * call inside another of the same thread is the outer one's (the run-time library
 * calls the driver).
 */
#include "timeline/trace.h"

#define KS_GAP_CALLS 3

struct ks_timeline_options {
	uint64_t skip;  /* leave out what begins earlier after the first activity */
	uint64_t last;  /* keep what begins so long before the end; 0: all */
};

struct ks_total {       /* of one kind of thing */
	uint32_t name;      /* kernels and calls: index; copies and fills: way */
	uint64_t count, ns, min, max;
	uint64_t bytes;     /* copies and fills */
	uint64_t failed;    /* calls that did not return 0 */
};

struct ks_host {        /* what the host did in a gap, or in all of them */
	uint64_t away, calls, asking, pending, unknown;
};

enum ks_bound { KS_BOUND_NONE, KS_BOUND_GPU, KS_BOUND_LAUNCH, KS_BOUND_HOST };

struct ks_gpu {         /* one GPU as one process sees it */
	uint16_t process;
	uint32_t device;
	uint64_t first, end; /* span = end - first */
	uint64_t kernels, copies, fills;
	uint64_t busy, kernel_busy, copy_busy; /* copy_busy: copies and fills */
	uint64_t together;  /* at least two activities at once */
	uint64_t hidden;    /* copies or fills while a kernel ran */
	uint64_t gaps, idle;
	struct ks_host host; /* in all gaps; the parts make idle */
	uint64_t asked, asked_ns; /* calls that asked for kernels, their time */
	uint64_t short_kernels; /* not longer than such a call on the average */
	enum ks_bound bound;
};

struct ks_stream {
	uint16_t process;
	uint32_t device, context, stream;
	uint64_t first, end, busy, longest_gap;
	uint64_t kernels, copies, fills;
};

struct ks_gap {
	uint64_t start, end;
	const struct ks_item *before, *after; /* before: what ended last */
};

struct ks_gap_host {    /* one gap in detail */
	struct ks_host host;
	struct { uint32_t name; uint64_t ns; } calls[KS_GAP_CALLS]; /* longest first */
	size_t n_calls;
};

struct ks_timeline {
	uint64_t origin;    /* the first activity of all; else the first call */
	uint64_t from, end; /* the window, by begin of what is counted */
	struct ks_gpu *gpus;
	struct ks_stream *streams;   /* busiest first */
	struct ks_total *kernels, *copies, *fills, *calls; /* most time first */
	struct ks_gap *gaps;         /* longest first */
	size_t n_gpus, n_streams, n_kernels, n_copies, n_fills, n_calls, n_gaps;
	struct ks_calls *host;       /* of ks_timeline_gap */
};

/* Fills *out (ks_timeline_fini), which lends from the trace. */
void ks_timeline_make(struct ks_timeline *out, const struct ks_trace *trace,
	const struct ks_timeline_options *options);
void ks_timeline_fini(struct ks_timeline *timeline);
/* What the host did in a gap of this timeline. */
void ks_timeline_gap(struct ks_gap_host *out, const struct ks_timeline *timeline,
	const struct ks_gap *gap);
/* "gpu", "launches", "host"; "nothing" without activities. */
const char *ks_bound_name(enum ks_bound bound);

#endif
