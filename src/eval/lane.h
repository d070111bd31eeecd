#ifndef KSEEK_EVAL_LANE_H
#define KSEEK_EVAL_LANE_H
/*
 * One device at work: its lock, its bench, its workers. The processor is one lane;
 * of several GPUs each is one, in a thread of its own. A scenario belongs to the
 * lane that checked it first and is timed there: times of two devices are never
 * divided by each other. A device that fails, for want of memory too, is dropped,
 * and what was its own is judged again on the others.
 */
#include <pthread.h>

#include "eval/bench.h"
#include "eval/result.h"
#include "eval/symbols.h"

#define KS_LANES_MAX 16
#define KS_LANE_DONE 1000

struct ks_work { /* what the lanes share */
	const struct ks_job *job;
	const char *symbol;           /* of the entry */
	struct ks_case *const *cases;
	struct ks_result *results;    /* each written by the lane that owns it */
	int *owner;                   /* a lane by scenario; -1: nobody yet; with
	                               * KS_LANE_DONE added: judged            */
	size_t count;
	const struct ks_binary *binary;
	pthread_mutex_t mutex;        /* over owner and noted */
	bool noted;                   /* guards that are missing */
};

struct ks_lane {
	struct ks_work *work;
	int index;
	bool alone;               /* there is no other lane */
	char uuid[KS_UUID_MAX];   /* of the GPU; "": the processor */
	struct ks_job job;        /* the job, with limits of its own; borrows all else */
	struct ks_device *device; /* owned; outlives the results' lines */
	struct ks_bench bench;
	bool tainted;             /* the worker must be replaced before the next scenario */
	unsigned hangs;
	double start_us;          /* that a worker took to start */
	char load_why[KS_WHY_MAX]; /* why the candidate cannot be loaded, or "" */
	int code;                 /* of ks_lane_run ... */
	struct ks_err err;        /* ... and its words */
};

/* Checks scenarios while there are any, then times and traces those it checked.
 * A code below 0 is the environment's fault, or (KS_EINVAL) the problem's. */
int ks_lane_run(struct ks_lane *lane);
void ks_lane_fini(struct ks_lane *lane);

/* Runs all lanes until every scenario is judged or nobody is left. Gives *out, of
 * which *out_count are in use, also on failure; the caller ends them. */
int ks_lanes_run(struct ks_lane **out, size_t *out_count, struct ks_work *work,
	struct ks_err *err);

/* The line of a scenario, once. */
void ks_lane_tell(struct ks_result *r, const struct ks_job *job);

#endif
