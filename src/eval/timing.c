/* The loop of timed pairs. */
#include "eval/timing.h"

#include <math.h>

#include "base/clock.h"
#include "base/mem.h"
#include "eval/check.h"

#define SAME_EVERY 4       /* pairs per pair of seed against seed */
#define WATCH_EVERY 16
#define TIGHT_PAIRS 12
#define REPEATS 3
#define GAP_FLOOR_NS 2000.0
#define GAP_SHARE 0.04
#define SIDES_MAX 4

static bool on(const struct ks_bench *b, enum ks_check check)
{
	return ks_check_on(&b->job->checks, check);
}

static void add_gap(struct ks_gap_list *list, const struct ks_call *call)
{
	if (list->count < KS_GAPS_MAX) {
		list->ns[list->count++] = call->judge_ns - call->worker_ns;
	}
}

double ks_timing_gap(const struct ks_gap_list *list)
{
	if (list->count == 0) {
		return 0;
	}
	double *copy = ks_alloc(list->count * sizeof(*copy));
	memcpy(copy, list->ns, list->count * sizeof(*copy));
	double median = ks_median(copy, list->count);
	free(copy);
	return median;
}

struct round_of_calls {
	enum ks_side side[SIDES_MAX];
	double ns[SIDES_MAX];
	unsigned count;
};

static void shuffle(struct ks_bench *b, struct round_of_calls *p)
{
	for (unsigned i = p->count; on(b, KS_CHECK_ORDER) && i > 1; i--) {
		unsigned j = ks_bench_random(b) % i;
		enum ks_side t = p->side[i - 1];
		p->side[i - 1] = p->side[j];
		p->side[j] = t;
	}
}

static void plan(struct ks_bench *b, struct round_of_calls *p, size_t n)
{
	*p = (struct round_of_calls){.side = {KS_SIDE_SEED, KS_SIDE_CAND}, .count = 2};
	if (n % SAME_EVERY == SAME_EVERY - 1) {
		p->side[p->count++] = KS_SIDE_SEED;
	}
	if (b->job->yardstick != NULL) {
		p->side[p->count++] = KS_SIDE_YARD;
	}
	shuffle(b, p);
}

static void look_at_clocks(struct ks_bench *b, struct ks_result *r, enum ks_side side,
	const struct ks_call *call)
{
	add_gap(side == KS_SIDE_CAND ? r->cand_gaps : r->seed_gaps, call);
	if (on(b, KS_CHECK_CLOCK) && (call->before_ns < -100 || call->after_ns < -100 ||
		call->worker_ns <= 0)) {
		ks_result_fail(r, "the worker's clock says %.0f ns where the judge's says %.0f ns",
			call->worker_ns, call->judge_ns);
	}
}

static void one_call(struct ks_bench *b, struct ks_result *r, struct round_of_calls *p,
	unsigned i)
{
	struct ks_call call;
	struct ks_err inner = KS_ERR_INIT;
	enum ks_side side = p->side[i];
	int64_t limit = side == KS_SIDE_CAND ? ks_check_limit_ms(b, r) : b->job->limits.call_ms;
	int code = ks_bench_call(&call, b, side, true, limit, &inner);
	if (code == 0) {
		look_at_clocks(b, r, side, &call);
		p->ns[i] = call.worker_ns;
	} else if (side == KS_SIDE_CAND) {
		ks_check_blame(r, code, &inner, "a timed pair");
	} else {
		ks_result_fail(r, "the %s %s after the candidate had run",
			side == KS_SIDE_SEED ? "seed" : "yardstick", inner.msg);
	}
}

static void count_pair(struct ks_result *r, const struct round_of_calls *p, unsigned worker)
{
	double seed[2] = {0, 0}, cand = 0, yard = 0;
	unsigned seeds = 0;
	for (unsigned i = 0; i < p->count; i++) {
		if (p->side[i] == KS_SIDE_SEED) {
			seed[seeds++ % 2] = p->ns[i];
		} else if (p->side[i] == KS_SIDE_CAND) {
			cand = p->ns[i];
		} else {
			yard = p->ns[i];
		}
	}
	if (seeds == 2) {
		ks_pairs_add(r->same, worker, seed[0], seed[1]);
	}
	/* of two calls of the seed the one at random, so that a pair with two is
	 * no better placed than the others */
	unsigned pick = seeds == 2 && ((uint64_t)seed[0] & 1) != 0 ? 1 : 0;
	ks_pairs_add(r->pairs, worker, seed[pick], cand);
	if (yard > 0) {
		ks_pairs_add(r->yard, worker, seed[pick], yard);
	}
}

static void one_pair(struct ks_bench *b, struct ks_result *r, size_t n, unsigned worker)
{
	struct round_of_calls p;
	ks_bench_fill(b, r->calls++, KS_PLAIN, KS_PLACE_RANDOM);
	plan(b, &p, n);
	for (unsigned i = 0; i < p.count && r->correct; i++) {
		one_call(b, r, &p, i);
	}
	if (r->correct) {
		ks_check_pair(b, r, "a timed pair");
	}
	if (r->correct && n > 0) {
		count_pair(r, &p, worker);
	}
	ks_bench_poison_from(b, KS_SIDE_SEED);
}

static void watch(struct ks_bench *b, struct ks_result *r)
{
	struct ks_err inner = KS_ERR_INIT;
	unsigned what = on(b, KS_CHECK_TEXT) ? KS_WATCH_TEXT : 0;
	what |= on(b, KS_CHECK_MAPS) ? KS_WATCH_MAPS : 0;
	if (b->watch != NULL && r->correct && ks_watch_check(b->watch, what, &inner) != 0) {
		ks_result_fail(r, "the candidate %s", inner.msg);
	}
}

static bool narrow(const struct ks_result *r, const struct ks_block *block)
{
	struct ks_estimate est;
	struct ks_prior prior = ks_prior_default();
	if (ks_pairs_of_worker(r->pairs, block->round) < TIGHT_PAIRS) {
		return false;
	}
	ks_pairs_estimate(&est, r->pairs, &prior);
	double share = sqrt((double)block->rounds / (double)(block->round + 1));
	share = share < 1 ? 1 : share;
	return est.within * 2 <= block->half_width * 0.7 * share;
}

/* The same inputs again: a candidate that keeps answers is suddenly faster. */
static void try_repeat(struct ks_bench *b, struct ks_result *r)
{
	double ns[REPEATS];
	for (int i = 0; i < REPEATS; i++) {
		struct ks_call call;
		struct ks_err inner = KS_ERR_INIT;
		int code = ks_bench_call(&call, b, KS_SIDE_CAND, true, ks_check_limit_ms(b, r),
			&inner);
		if (code != 0) {
			ks_check_blame(r, code, &inner, "the same inputs again");
			return;
		}
		ns[i] = call.worker_ns;
	}
	ks_check_pair(b, r, "the same inputs again");
	r->repeat_ns = ks_median(ns, REPEATS);
}

static int close_block(struct ks_bench *b, struct ks_result *r, const struct ks_block *block,
	struct ks_err *err)
{
	int code = 0;
	if (r->correct) {
		code = ks_check_after(b, r, err);
	}
	if (code == 0 && r->correct && block->last && on(b, KS_CHECK_REPEAT)) {
		try_repeat(b, r);
	}
	watch(b, r);
	return code;
}

int ks_timing_block(struct ks_bench *b, struct ks_result *r, const struct ks_block *block,
	struct ks_err *err)
{
	int64_t start = ks_clock_mono_us();
	int code = ks_bench_use(b, r->c, err);
	size_t n = 0;
	while (code == 0 && r->correct) {
		one_pair(b, r, n, block->round);
		n++;
		if (n % WATCH_EVERY == 0) {
			watch(b, r);
		}
		double spent = (double)(ks_clock_mono_us() - start);
		if (n > block->min_pairs && (spent >= block->budget_us ||
			((n & 3) == 0 && narrow(r, block)))) {
			break;
		}
	}
	if (code == 0) {
		code = close_block(b, r, block, err);
	}
	double spent = (double)(ks_clock_mono_us() - start);
	r->spent_us += spent;
	r->pair_us = n > 0 ? spent / (double)n : 0;
	return code;
}

/* The candidate's clock gap may not exceed the seed's: then the worker's clock
 * saw less of the call than we did. */
static void compare_clocks(struct ks_result *r, const struct ks_job *job)
{
	double seed = ks_timing_gap(r->seed_gaps), cand = ks_timing_gap(r->cand_gaps);
	double allowed = GAP_FLOOR_NS + GAP_SHARE * r->est.cand_time;
	if (ks_check_on(&job->checks, KS_CHECK_CLOCK) && fabs(cand - seed) > allowed) {
		ks_result_fail(r, "the clocks of judge and worker disagree: by %.1f us for the "
			"candidate, %.1f us for the seed", cand / 1000, seed / 1000);
	}
}

void ks_timing_finish(struct ks_result *r, const struct ks_job *job)
{
	double known = ks_named_get(job->bands, job->nbands, r->c->uuid, 0);
	struct ks_prior prior = ks_prior_of_band(known);
	ks_pairs_estimate(&r->est, r->pairs, &prior);
	if (ks_pairs_count(r->yard) > 0) {
		ks_pairs_estimate(&r->yard_est, r->yard, &prior);
	}
	ks_roofline(&r->roof, r->c, &job->probe, (unsigned)job->threads);
	if (r->correct && ks_pairs_count(r->pairs) > 0) {
		compare_clocks(r, job);
		r->band = ks_pairs_band(r->same, ks_pairs_count(r->pairs), &prior);
	}
	struct ks_stop_rule rule = {.half_width = job->half_width, .min_pairs = 1,
		.min_workers = job->workers};
	enum ks_stop stop = ks_pairs_stop(&r->est, &rule, 0);
	r->tight = stop == KS_STOP_TIGHT;
	r->stop = r->tight ? KS_STOP_TIGHT : KS_STOP_BUDGET;
}
