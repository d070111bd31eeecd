/* The seed beside the candidate against the seed alone. */
#include "eval/control.h"

#include <math.h>

#include "base/mem.h"
#include "eval/timing.h"

#define MOST 3              /* scenarios that are timed again               */
#define FASTER 0.05         /* log units: less of a gain needs no control   */
#define UNUSUAL 0.1         /* log units that the seed is slower than usual */
#define SLOWED 0.2          /* log units that are more than a process' bias */
#define SLOWED_NS 500.0     /* and that bias in short calls, ... */
#define SLOWED_GPU_NS 2000.0 /* ... where they are launches (evaluator.md)  */
#define SLOWED_THREADS_NS 20000.0 /* ... and where threads have to wake up */
#define FAULT_NS 250.0      /* what a missing page costs at least */
#define FAULTS_SHARE 0.02   /* of a call's time: more is evidence */
#define BUDGET_US 300000.0  /* each */
#define TWINS 4
#define AGAIN 2             /* times that a suspicion is looked at again */

static bool timed(const struct ks_result *r)
{
	return r->correct && r->est.pairs > 0;
}

/* Median over scenarios of how much slower the seed is than in earlier runs. */
static double unusual(const struct ks_result *results, size_t count, const struct ks_job *job)
{
	double *shift = ks_alloc((count + 1) * sizeof(shift[0]));
	size_t n = 0;
	for (size_t i = 0; i < count; i++) {
		double usual = ks_named_get(job->usual, job->nusual, results[i].c->uuid, 0);
		if (timed(&results[i]) && usual > 0) {
			shift[n++] = log(results[i].est.seed_time / 1000 / usual);
		}
	}
	double median = ks_median(shift, n);
	free(shift);
	return median;
}

bool ks_control_wanted(const struct ks_result *results, size_t count, const struct ks_job *job)
{
	bool gain = false;
	for (size_t i = 0; i < count; i++) {
		gain = gain || (timed(&results[i]) && results[i].est.log > FASTER);
	}
	return gain && ks_check_on(&job->checks, KS_CHECK_ALONE) &&
		(job->confirm || unusual(results, count, job) > UNUSUAL);
}

/* The one that saves the most time of those not chosen yet; count: none. */
static size_t next_of(const struct ks_result *results, size_t count, const bool *chosen)
{
	size_t best = count;
	for (size_t i = 0; i < count; i++) {
		const struct ks_result *r = &results[i];
		if (timed(r) && !chosen[i] && r->est.log > 0 &&
			(best == count || r->est.seed_time - r->est.cand_time >
			results[best].est.seed_time - results[best].est.cand_time)) {
			best = i;
		}
	}
	return best;
}

/* Pages missing in a call of the seed. */
static double missing(const struct ks_result *r)
{
	return r->counted > 0 ? r->faults / r->counted : 0;
}

static double room_ns(const struct ks_bench *b, const struct ks_result *r)
{
	return r->device != NULL ? SLOWED_GPU_NS : b->job->threads > 1 ? SLOWED_THREADS_NS :
		SLOWED_NS;
}

static bool is_slower(const struct ks_bench *b, const struct ks_result *r, double beside,
	double alone)
{
	return beside > 0 && alone > 0 && log(beside / alone) > SLOWED + room_ns(b, r) / beside;
}

/* The scenario once more in the bench's worker. */
static int time_again(struct ks_result *out, struct ks_bench *b, const struct ks_result *r,
	struct ks_err *err)
{
	struct ks_block block = {.rounds = 1, .budget_us = BUDGET_US, .min_twins = TWINS};
	ks_result_init(out, r->c, r->index);
	out->calls = r->calls;
	int code = ks_timing_block(b, out, &block, err);
	if (code == 0) {
		ks_timing_finish(out, b->job);
	}
	return code;
}

static int time_alone(struct ks_result *r, struct ks_bench *b, struct ks_err *err)
{
	struct ks_result alone;
	int code = time_again(&alone, b, r, err);
	if (code == 0 && timed(&alone)) {
		double beside = r->est.seed_time, more = missing(r) - missing(&alone);
		r->slowed_from = is_slower(b, r, beside, alone.est.seed_time) ?
			alone.est.seed_time : 0;
		r->faults_more = more >= 1 && more * FAULT_NS > FAULTS_SHARE * beside ? more : 0;
	}
	ks_result_fini(&alone);
	return code;
}

/* Once more beside the candidate or alone, of those that are still suspected: the
 * quickest time beside it is held against the slowest alone. */
static int look_once(struct ks_bench *b, struct ks_result *results, double *beside,
	size_t count, struct ks_err *err)
{
	int code = 0;
	bool begun = false;
	for (size_t i = 0; i < count && code == 0; i++) {
		struct ks_result *r = &results[i], again;
		if (r->slowed_from == 0) {
			continue;
		}
		code = begun ? 0 : ks_bench_start(b, false, err);
		begun = true;
		if (code != 0) {
			break;
		}
		code = time_again(&again, b, r, err);
		double ns = code == 0 && timed(&again) ? again.est.seed_time : 0;
		if (ns > 0 && b->alone) {
			r->slowed_from = fmax(r->slowed_from, ns);
		} else if (ns > 0) {
			beside[i] = fmin(beside[i], ns);
		}
		r->slowed_from = is_slower(b, r, beside[i], r->slowed_from) ? r->slowed_from : 0;
		ks_result_fini(&again);
	}
	return code;
}

/* Other work may have held the seed up when it was beside the candidate, and no more
 * when it was alone: only what holds each time is told. */
static int look_again(struct ks_bench *b, struct ks_result *results, size_t count,
	struct ks_err *err)
{
	int code = 0;
	double *beside = ks_zalloc(count + 1, sizeof(beside[0]));
	for (size_t i = 0; i < count; i++) {
		beside[i] = results[i].est.seed_time;
	}
	for (int k = 0; k < 2 * AGAIN && code == 0; k++) {
		b->alone = k % 2 == 1;
		code = look_once(b, results, beside, count, err);
	}
	b->alone = false;
	free(beside);
	return code;
}

int ks_control_seed(struct ks_bench *b, struct ks_result *results, size_t count,
	struct ks_err *err)
{
	bool *chosen = ks_zalloc(count + 1, sizeof(chosen[0]));
	b->alone = true;
	int code = ks_bench_start(b, false, err);
	for (int k = 0; k < MOST && code == 0; k++) {
		size_t i = next_of(results, count, chosen);
		if (i == count) {
			break;
		}
		chosen[i] = true;
		code = time_alone(&results[i], b, err);
	}
	b->alone = false;
	free(chosen);
	return code != 0 ? code : look_again(b, results, count, err);
}
