/* The loop of timed pairs. */
#include "eval/timing.h"

#include <math.h>

#include "base/clock.h"
#include "eval/check.h"

#define SAME_EVERY 4       /* pairs per pair of seed against seed */
#define WATCH_EVERY 32
#define STAY_EVERY 6       /* so many pairs keep the addresses of the last one */
#define TIGHT_PAIRS 12
#define REPEATS 3
#define PATIENCE 1.5       /* times the budget, to find quiet pairs */
#define PLACE_PAIRS 9      /* each before the places are compared     */
#define PLACE_SHARE 0.05   /* log units                               */
#define CLOCK_NS 2000.0    /* clocks may differ by so much ...      */
#define CLOCK_SHARED_NS 80000.0 /* (on one processor, by a wake-up)   */
#define CLOCK_SHARE 0.03   /* ... and by this share                 */
#define SIDES_MAX 4

static bool on(const struct ks_bench *b, enum ks_check check)
{
	return ks_check_on(&b->job->checks, check);
}

struct round_of_calls {
	enum ks_side side[SIDES_MAX];
	double ns[SIDES_MAX], judge_ns[SIDES_MAX];
	unsigned count;
	bool disturbed;
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

/* Both read the same clock, so the worker's readings lie between ours. */
static void look_at_clocks(struct ks_bench *b, struct ks_result *r, const struct ks_call *call)
{
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
		look_at_clocks(b, r, &call);
		p->ns[i] = call.worker_ns;
		p->judge_ns[i] = call.judge_ns;
		p->disturbed = p->disturbed || call.disturbed;
	} else if (side == KS_SIDE_CAND) {
		ks_check_blame(r, code, &inner, "a timed pair");
	} else {
		ks_result_fail(r, "the %s %s after the candidate had run",
			side == KS_SIDE_SEED ? "seed" : "yardstick", inner.msg);
	}
}

static void add(struct ks_pairs *const lists[2], bool disturbed, unsigned worker, double a,
	double b)
{
	ks_pairs_add(lists[1], worker, a, b);
	if (!disturbed) {
		ks_pairs_add(lists[0], worker, a, b);
	}
}

static void count_pair(struct ks_result *r, const struct round_of_calls *p, unsigned worker)
{
	unsigned seed[2] = {0, 0}, cand = 0, yard = SIDES_MAX, seeds = 0;
	for (unsigned i = 0; i < p->count; i++) {
		if (p->side[i] == KS_SIDE_SEED) {
			seed[seeds++ % 2] = i;
		} else if (p->side[i] == KS_SIDE_CAND) {
			cand = i;
		} else {
			yard = i;
		}
	}
	if (seeds == 2) {
		add(r->same, p->disturbed, worker, p->ns[seed[0]], p->ns[seed[1]]);
	}
	/* of two calls of the seed one as good as at random, so that such a pair is
	 * no better placed than the others */
	unsigned s = seed[seeds == 2 && ((uint64_t)p->ns[seed[0]] & 1) != 0 ? 1 : 0];
	add(r->pairs, p->disturbed, worker, p->ns[s], p->ns[cand]);
	if (yard < SIDES_MAX) {
		add(r->yard, p->disturbed, worker, p->ns[s], p->ns[yard]);
	}
	if (!p->disturbed) {
		ks_pairs_add(r->first[cand > seed[0]], worker, p->ns[s], p->ns[cand]);
	}
	ks_pairs_add(r->clocks, worker, p->ns[s] * p->judge_ns[cand],
		p->ns[cand] * p->judge_ns[s]);
	if (r->least_ns == 0 || p->ns[cand] < r->least_ns) {
		r->least_ns = p->ns[cand];
	}
}

static void one_pair(struct ks_bench *b, struct ks_result *r, size_t n, unsigned worker)
{
	struct round_of_calls p;
	enum ks_place place = n > 0 && ks_bench_random(b) % STAY_EVERY == 0 ? KS_PLACE_SAME :
		KS_PLACE_RANDOM;
	ks_bench_fill(b, r->calls++, KS_PLAIN, place);
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

static bool narrow(const struct ks_result *r, const struct ks_block *block)
{
	struct ks_estimate est;
	struct ks_prior prior = ks_prior_default();
	if (ks_pairs_of_worker(r->pairs[0], block->round) < TIGHT_PAIRS) {
		return false;
	}
	ks_pairs_estimate(&est, r->pairs[0], &prior);
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
	ks_check_guards(b, r, true);
	return code;
}

/* On a busy machine a block goes on for a while to find quiet pairs. */
static bool enough(const struct ks_result *r, const struct ks_block *block, size_t n,
	double spent_us, size_t *next_look)
{
	size_t quiet = ks_pairs_of_worker(r->pairs[0], block->round);
	if (n <= block->min_pairs) {
		return false;
	}
	if (quiet >= block->min_pairs) {
		bool look = n >= *next_look; /* at growing distances: looking sorts all pairs */
		*next_look = look ? n + n / 4 : *next_look;
		return spent_us >= block->budget_us || (look && narrow(r, block));
	}
	return spent_us >= PATIENCE * block->budget_us;
}

int ks_timing_block(struct ks_bench *b, struct ks_result *r, const struct ks_block *block,
	struct ks_err *err)
{
	int64_t start = ks_clock_mono_us();
	int code = ks_bench_use(b, r->c, err);
	r->clock_ns = b->spin ? CLOCK_NS : CLOCK_SHARED_NS;
	size_t n = 0, next_look = TIGHT_PAIRS;
	while (code == 0 && r->correct) {
		one_pair(b, r, n, block->round);
		n++;
		if (n % WATCH_EVERY == 0) {
			ks_check_guards(b, r, false);
		}
		if (enough(r, block, n, (double)(ks_clock_mono_us() - start), &next_look)) {
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

/*
 * In every pair both clocks give a ratio. If the worker's clock saw less of the
 * candidate's calls than the judge's did, the quotient of the two ratios is
 * above 1; its interval tells that from a judge that was put off its processor.
 */
static void compare_clocks(struct ks_result *r, const struct ks_job *job)
{
	struct ks_prior prior = ks_prior_default();
	ks_pairs_estimate(&r->clock_est, r->clocks, &prior);
	double least = r->est.cand_time < r->est.seed_time ? r->est.cand_time : r->est.seed_time;
	double allowed = CLOCK_SHARE + (least > 0 ? r->clock_ns / least : 0);
	if (ks_check_on(&job->checks, KS_CHECK_CLOCK) &&
		(r->clock_est.lo_log > allowed || r->clock_est.hi_log < -allowed)) {
		ks_result_fail(r, "the clocks of judge and worker disagree: the speedup is %.3g by "
			"the worker's and %.3g by the judge's", r->est.ratio,
			r->est.ratio / r->clock_est.ratio);
	}
}

/*
 * Behind the seed, on the same bytes, a candidate might find what the seed left
 * in freed memory. If it is clearly faster there than in front of it, only the
 * pairs in front count.
 */
static void compare_places(struct ks_result *r, const struct ks_job *job,
	const struct ks_prior *prior)
{
	ks_pairs_estimate(&r->first_est[0], r->first[0], prior);
	ks_pairs_estimate(&r->first_est[1], r->first[1], prior);
	const struct ks_estimate *front = &r->first_est[0], *behind = &r->first_est[1];
	if (front->pairs >= PLACE_PAIRS && behind->pairs >= PLACE_PAIRS &&
		behind->lo_log > front->hi_log + PLACE_SHARE &&
		ks_check_on(&job->checks, KS_CHECK_ORDER)) {
		r->leans = true;
		r->est = *front;
	}
}

static const struct ks_pairs *chosen(struct ks_pairs *const lists[2], size_t least)
{
	return ks_pairs_count(lists[0]) >= least ? lists[0] : lists[1];
}

void ks_timing_finish(struct ks_result *r, const struct ks_job *job)
{
	double known = ks_named_get(job->bands, job->nbands, r->c->uuid, 0);
	struct ks_prior prior = ks_prior_of_band(known);
	const struct ks_pairs *pairs = chosen(r->pairs, (size_t)job->workers * 3);
	r->disturbed = pairs != r->pairs[0];
	ks_pairs_estimate(&r->est, pairs, &prior);
	if (ks_pairs_count(r->yard[1]) > 0) {
		ks_pairs_estimate(&r->yard_est, r->yard[r->disturbed], &prior);
	}
	ks_roofline(&r->roof, r->c, &job->probe, (unsigned)job->threads);
	if (r->correct && ks_pairs_count(pairs) > 0) {
		compare_clocks(r, job);
		compare_places(r, job, &prior);
		r->band = ks_pairs_band(r->same[r->disturbed], ks_pairs_count(pairs), &prior);
	}
	struct ks_stop_rule rule = {.half_width = job->half_width, .min_pairs = 1,
		.min_workers = job->workers};
	enum ks_stop stop = ks_pairs_stop(&r->est, &rule, 0);
	r->tight = stop == KS_STOP_TIGHT;
	r->stop = r->tight ? KS_STOP_TIGHT : KS_STOP_BUDGET;
}
