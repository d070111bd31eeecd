/* The loop of timed pairs. */
#include "eval/timing.h"

#include <math.h>

#include "base/clock.h"
#include "base/mem.h"
#include "eval/check.h"
#include "eval/lines.h"

#define EVENTS_EVERY 8     /* on a GPU: so many twins have one with events, not counted */
#define EVENTS_AT 2
#define TWICE_EVERY 4      /* of so many twins one calls the seed twice, and one the
			    * candidate */
#define TWICE_SEED 3
#define TWICE_CAND 1
#define BENT_EVERY 12      /* of so many twins one, drawn at random, is followed by a bent draw */
#define WATCH_EVERY 16
#define WATCH_GPU_EVERY 64 /* more is loaded there, and takes longer to look at */
#define STAY_EVERY 6       /* so many pairs keep the addresses of the last one */
#define TIGHT_TWINS 8
#define REPEATS 3
#define GROWTH_LEAST (1 << 20) /* bytes in a block that are worth a word */
#define GROWTH_TWINS 3
#define AFTER_EVERY 3      /* blocks but the last: one in so many ends with the reference */
#define PATIENCE 1.5       /* times the budget, to find quiet pairs */
#define PLACE_TWINS 6      /* each before places in a pair are compared */
#define PLACE_USUAL 0.15   /* being second, where that was not measured */
#define PLACE_ALONE 1.5    /* the same, where what is usual has no interval of its own */
#define PLACE_KNOWN 0.3    /* of a half interval: more says less than that */
#define PLACE_SHARE 0.05   /* log units                               */
#define PLACE_SURE 2.0     /* half intervals: places are compared in each scenario, and
			    * one interval in forty lies beyond by chance */
#define PLACE_NS 2000.0    /* below: code that was cold, no leftovers ... */
#define PLACE_GPU_NS 5000.0 /* ... and that of launches, ...        */
#define PLACE_THREADS_NS 20000.0 /* ... and threads that wake up now here, now there */
#define MARKS_LEAST 12     /* calls of each before marks are compared */
#define CLOCK_TWINS 5      /* quiet ones that the clocks are compared on */
#define CLOCK_NS 2000.0    /* clocks may differ by so much ...      */
#define CLOCK_SHARED_NS 80000.0 /* (on one processor, by a wake-up) ... */
#define CLOCK_SEEN 1.25    /* ... later by so many times what the seed's calls
			    * showed, and this: */
#define CLOCK_LEAST_NS 500.0
#define CLOCK_SHARE 0.05   /* ... and by this share                 */
#define CLOCK_CAP 0.9      /* of the shortest call, at most         */
#define SIDES_MAX 4

static bool on(const struct ks_bench *b, enum ks_check check)
{
	return ks_check_on(&b->job->checks, check);
}

struct round_of_calls {
	enum ks_side side[SIDES_MAX];
	double ns[SIDES_MAX], told_ns[SIDES_MAX], judge_ns[SIDES_MAX];
	double event_ns[SIDES_MAX];
	int64_t faults[SIDES_MAX];
	unsigned count;
	bool disturbed, put_off; /* a call of the worker; the judge in a call */
	bool lost;               /* the yardstick failed: nothing is counted   */
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

/* Which side twin n of a worker calls twice; KS_SIDE_REF: neither. The seed's two calls
 * say what the difference of nothing is. On a GPU a call soon after another of its own
 * side is faster, so the candidate gets as many: all is as before when the sides are
 * swapped. On a processor it makes no difference. */
static enum ks_side twice_of(const struct ks_bench *b, size_t n, unsigned worker)
{
	size_t turn = (n + worker) % TWICE_EVERY;
	bool cand = turn == TWICE_CAND && b->device->cuda;
	return turn == TWICE_SEED ? KS_SIDE_SEED : cand ? KS_SIDE_CAND : KS_SIDE_REF;
}

/* Two pairs, the second in the reverse order of the first. */
static void plan(struct ks_bench *b, struct round_of_calls twin[2], enum ks_side twice, bool yard)
{
	struct round_of_calls *p = &twin[0];
	*p = (struct round_of_calls){.side = {KS_SIDE_SEED, KS_SIDE_CAND}, .count = 2};
	if (twice != KS_SIDE_REF) {
		p->side[p->count++] = twice;
	}
	if (b->job->yardstick != NULL && yard) {
		p->side[p->count++] = KS_SIDE_YARD;
	}
	shuffle(b, p);
	twin[1] = *p;
	for (unsigned i = 0; i < p->count && on(b, KS_CHECK_ORDER); i++) {
		twin[1].side[i] = p->side[p->count - 1 - i];
	}
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

/* How far the two clocks are apart on this machine now, the seed's calls show. */
static void learn_clocks(struct ks_result *r, const struct ks_call *call)
{
	double last[KS_LATE_KEPT];
	if (call->judge_put_off) {
		return;
	}
	r->late_ns[r->late++ % KS_LATE_KEPT] = call->judge_ns - call->worker_ns;
	if (r->late % 8 != 0) {
		return;
	}
	size_t n = r->late < KS_LATE_KEPT ? r->late : KS_LATE_KEPT;
	memcpy(last, r->late_ns, n * sizeof(last[0]));
	double usual = ks_median(last, n);
	r->clock_ns = CLOCK_SEEN * (usual > 0 ? usual : 0) + CLOCK_LEAST_NS;
}

/* A call cannot have taken less than our clock says by more than what the two may
 * differ, whatever the worker's page says. */
static double bounded(const struct ks_bench *b, const struct ks_result *r,
	const struct ks_call *call)
{
	double least = call->judge_ns - r->clock_ns;
	bool late = call->judge_put_off || !on(b, KS_CHECK_CLOCK);
	return !late && call->worker_ns < least ? least : call->worker_ns;
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
		if (side == KS_SIDE_SEED) {
			learn_clocks(r, &call);
		}
		p->ns[i] = bounded(b, r, &call);
		p->told_ns[i] = call.worker_ns;
		p->judge_ns[i] = call.judge_ns;
		p->event_ns[i] = call.event_ns;
		p->faults[i] = call.faults;
		p->disturbed = p->disturbed || call.disturbed;
		if (side <= KS_SIDE_CAND) {
			r->seen[side]++;
			r->marked[side] += call.disturbed;
		}
		p->put_off = p->put_off || call.judge_put_off;
	} else if (side == KS_SIDE_CAND) {
		ks_check_blame(r, code, &inner, "a timed pair");
	} else if (side == KS_SIDE_YARD) {
		snprintf(r->no_yard, sizeof(r->no_yard), "it %.150s", inner.msg);
		p->lost = true;
	} else {
		ks_result_fail(r, "the seed %s after the candidate had run", inner.msg);
	}
}

/* Where a side's calls lie in a pair; the last two if there are more. */
static unsigned places(unsigned out[2], const struct round_of_calls *p, enum ks_side side)
{
	unsigned n = 0;
	for (unsigned i = 0; i < p->count; i++) {
		if (p->side[i] == side) {
			out[n % 2] = i;
			n++;
		}
	}
	return n;
}

/*
 * Of two calls of a side, the one that is held against the other side's at `other`.
 * A call right behind one of its own side is faster (its code is still in mind), and
 * the first of a pair slower: so never the second of two in a row, and over the two
 * pairs of a twin either side is first as often as the other is.
 */
static unsigned match(const struct round_of_calls *p, const unsigned own[2], unsigned n,
	unsigned other)
{
	bool row = n >= 2 && own[1] == own[0] + 1;
	bool end = other == 0 || other == p->count - 1;
	return n < 2 || row || end ? own[0] : own[1];
}

static void add(struct ks_pairs *const lists[2], bool disturbed, unsigned worker, double a,
	double b)
{
	ks_pairs_add(lists[1], worker, a, b);
	if (!disturbed) {
		ks_pairs_add(lists[0], worker, a, b);
	}
}

/* On a GPU the ratio of a twin counts; on a processor each call does (pairs.h). */
static void add_twin(struct ks_pairs *const lists[2], const struct ks_result *r,
	bool disturbed, unsigned worker, const double a[2], const double b[2])
{
	if (r->device != NULL) {
		add(lists, disturbed, worker, sqrt(a[0] * a[1]), sqrt(b[0] * b[1]));
		return;
	}
	ks_pairs_add_twin(lists[1], worker, a, b);
	if (!disturbed) {
		ks_pairs_add_twin(lists[0], worker, a, b);
	}
}

/* The two calls of the seed. Names are swapped in the second pair, so that being
 * first or last counts for neither; `order` has what being first costs. */
static void count_same(struct ks_result *r, const struct round_of_calls twin[2],
	bool disturbed, unsigned worker)
{
	unsigned a[2] = {0, 0}, c[2] = {0, 0};
	if (places(a, &twin[0], KS_SIDE_SEED) < 2 || places(c, &twin[1], KS_SIDE_SEED) < 2) {
		return;
	}
	double first[2] = {twin[0].ns[a[0]], twin[1].ns[c[0]]};
	double last[2] = {twin[0].ns[a[1]], twin[1].ns[c[1]]};
	add_twin(r->same, r, disturbed, worker, (double[2]){first[0], last[1]},
		(double[2]){last[0], first[1]});
	if (!disturbed) {
		ks_pairs_add(r->order[0], worker, first[0] * first[1], last[0] * last[1]);
	}
}

/* By how much the candidate is faster behind the seed than in front of it. */
static void count_order(struct ks_result *r, const double ratio[2], const bool front[2],
	unsigned worker)
{
	if (front[0] != front[1]) {
		unsigned f = front[0] ? 0 : 1;
		ks_pairs_add(r->order[1], worker, ratio[1 - f], ratio[f]);
		ks_pairs_add(r->front, worker, ratio[f], 1);
	}
}

/* The smaller of two times, of which the first may not have been taken yet. */
static double smaller(double a, double b)
{
	return a == 0 || b < a ? b : a;
}

/* Over the two pairs what is due to the place in the pair cancels. */
static void count_twin(struct ks_result *r, const struct round_of_calls twin[2],
	unsigned worker)
{
	double seed[2], cand[2], yard[2], judges = 1, workers = 1, ratio[2];
	bool front[2], disturbed = twin[0].disturbed || twin[1].disturbed;
	unsigned yards = 0;
	for (int k = 0; k < 2; k++) {
		const struct round_of_calls *p = &twin[k];
		unsigned s[2] = {0, 0}, c[2] = {0, 0}, y[2] = {0, 0};
		unsigned n = places(s, p, KS_SIDE_SEED), m = places(c, p, KS_SIDE_CAND);
		unsigned at = match(p, s, n, c[0]), of = match(p, c, m, s[0]);
		seed[k] = p->ns[at];
		cand[k] = p->ns[of];
		workers *= p->told_ns[at] / p->told_ns[of];
		judges *= p->judge_ns[at] / p->judge_ns[of];
		ratio[k] = seed[k] / cand[k];
		front[k] = of < s[0]; /* of all that the seed has left */
		yards += places(y, p, KS_SIDE_YARD) > 0;
		yard[k] = p->ns[y[0]];
		r->least_ns = smaller(r->least_ns, p->ns[of]);
		r->least_judge_ns = smaller(smaller(r->least_judge_ns, p->judge_ns[of]),
			p->judge_ns[at]);
	}
	add_twin(r->pairs, r, disturbed, worker, seed, cand);
	if (yards == 2) {
		add_twin(r->yard, r, disturbed, worker, seed, yard);
	}
	add(r->clocks, disturbed || twin[0].put_off || twin[1].put_off, worker, sqrt(workers),
		sqrt(judges));
	if (!disturbed) {
		count_order(r, ratio, front, worker);
	}
	count_same(r, twin, disturbed, worker);
}

static void count_faults(struct ks_result *r, const struct round_of_calls *p)
{
	for (unsigned i = 0; i < p->count; i++) {
		bool counted = p->side[i] == KS_SIDE_SEED && p->faults[i] >= 0;
		r->faults += counted ? (double)p->faults[i] : 0;
		r->counted += counted;
	}
}

/* The same two calls between device events. */
static void count_events(struct ks_result *r, const struct round_of_calls twin[2],
	unsigned worker)
{
	double seed = 1, cand = 1;
	for (int k = 0; k < 2; k++) {
		unsigned s[2] = {0, 0}, c[2] = {0, 0};
		places(s, &twin[k], KS_SIDE_SEED);
		places(c, &twin[k], KS_SIDE_CAND);
		seed *= twin[k].event_ns[s[0]];
		cand *= twin[k].event_ns[c[0]];
	}
	if (seed > 0 && cand > 0) {
		ks_pairs_add(r->events, worker, sqrt(seed), sqrt(cand));
	}
}

/* Clock and throttling at the end of a twin stand for the twin. */
static void note_clock(const struct ks_bench *b, struct ks_result *r)
{
	struct ks_nvml_state now;
	if (b->nvml == NULL) {
		return;
	}
	ks_nvml_look(b->nvml, &now);
	r->throttled += now.throttled ? 2 : 0;
	if (now.sm_mhz > 0 && (r->sm_mhz == 0 || now.sm_mhz < r->sm_mhz)) {
		r->sm_mhz = now.sm_mhz;
	}
}

static void one_pair(struct ks_bench *b, struct ks_result *r, struct round_of_calls *p,
	bool first)
{
	enum ks_place place = !first && ks_bench_random(b) % STAY_EVERY == 0 ? KS_PLACE_SAME :
		KS_PLACE_RANDOM;
	ks_bench_fill(b, r->calls++, KS_PLAIN, place);
	for (unsigned i = 0; i < p->count && r->correct && !p->lost; i++) {
		one_call(b, r, p, i);
	}
	if (r->correct && !p->lost) {
		ks_check_pair(b, r, "a timed pair");
	}
	ks_bench_poison_from(b, KS_SIDE_SEED);
}

static void note_calls(struct ks_result *r, const struct round_of_calls twin[2])
{
	for (int k = 0; k < 2; k++) {
		for (unsigned i = 0; i < twin[k].count; i++) {
			ks_buf_addf(&r->told_calls, "%c%.0f", "scy?"[twin[k].side[i]],
				twin[k].ns[i]);
		}
		ks_buf_adds(&r->told_calls, twin[k].disturbed ? "!" : "");
		ks_buf_addc(&r->told_calls, k == 0 ? ',' : ';');
	}
}

static void one_twin(struct ks_bench *b, struct ks_result *r, size_t n, unsigned worker)
{
	struct round_of_calls twin[2];
	bool events = b->device->cuda && n % EVENTS_EVERY == EVENTS_AT;
	ks_host_events(b->main, events);
	plan(b, twin, twice_of(b, n, worker), r->no_yard[0] == '\0');
	for (int k = 0; k < 2 && r->correct && !twin[0].lost; k++) {
		one_pair(b, r, &twin[k], false);
	}
	if (r->correct && !twin[0].lost && !twin[1].lost) {
		if (events) {
			count_events(r, twin, worker);
		} else {
			count_twin(r, twin, worker);
			count_faults(r, &twin[0]);
			count_faults(r, &twin[1]);
		}
		if (b->job->calls && !events) {
			note_calls(r, twin);
		}
		note_clock(b, r);
	}
	ks_host_events(b->main, false);
}

/* Code that was never run, buffers that were never touched: not counted. */
static void warm_up(struct ks_bench *b, struct ks_result *r)
{
	struct round_of_calls twin[2];
	plan(b, twin, KS_SIDE_REF, r->no_yard[0] == '\0');
	one_pair(b, r, &twin[0], true);
}

/* A confirming run decides about goals, whose limits may lie anywhere. */
static double wanted(const struct ks_job *job, const struct ks_estimate *est)
{
	return job->confirm ? job->half_width : ks_pairs_wanted(est, job->half_width);
}

static bool narrow(const struct ks_bench *b, const struct ks_result *r,
	const struct ks_block *block)
{
	struct ks_estimate est;
	struct ks_prior prior = ks_prior_default();
	if (ks_pairs_of_worker(r->pairs[0], block->round) < TIGHT_TWINS) {
		return false;
	}
	ks_pairs_estimate(&est, r->pairs[0], &prior);
	double share = sqrt((double)block->rounds / (double)(block->round + 1));
	share = share < 1 ? 1 : share;
	return est.within * 2 <= wanted(b->job, &est) * 0.7 * share;
}

/* The same inputs again: a candidate that keeps answers is suddenly faster, each time. */
static void try_repeat(struct ks_bench *b, struct ks_result *r)
{
	double slowest = 0;
	for (int i = 0; i < REPEATS; i++) {
		struct ks_call call;
		struct ks_err inner = KS_ERR_INIT;
		int code = ks_bench_call(&call, b, KS_SIDE_CAND, true, ks_check_limit_ms(b, r),
			&inner);
		if (code != 0) {
			ks_check_blame(r, code, &inner, "the same inputs again");
			return;
		}
		slowest = fmax(slowest, call.worker_ns);
	}
	ks_check_pair(b, r, "the same inputs again");
	r->repeat_ns = slowest;
}

int ks_timing_trace(struct ks_bench *b, struct ks_result *r, struct ks_err *err)
{
	struct ks_trace *traces = ks_zalloc(2, sizeof(*traces));
	int code = ks_bench_use(b, r->c, err);
	if (code == 0) {
		ks_bench_fill(b, r->calls++, KS_PLAIN, KS_PLACE_RANDOM);
		code = ks_bench_trace(&traces[0], b, KS_SIDE_SEED, err);
	}
	code = code != 0 ? code : ks_bench_trace(&traces[1], b, KS_SIDE_CAND, err);
	/* the first calls sent code to the GPU: the second ones count */
	code = code != 0 ? code : ks_bench_trace(&traces[0], b, KS_SIDE_SEED, err);
	code = code != 0 ? code : ks_bench_trace(&traces[1], b, KS_SIDE_CAND, err);
	if (code != 0) {
		free(traces);
		return code;
	}
	r->traces = traces;
	return 0;
}

static int close_block(struct ks_bench *b, struct ks_result *r, const struct ks_block *block,
	struct ks_err *err)
{
	int code = 0;
	if (r->correct && (block->last || ks_bench_random(b) % AFTER_EVERY == 0)) {
		code = ks_check_after(b, r, err);
	}
	if (code == 0 && r->correct && block->last && on(b, KS_CHECK_REPEAT)) {
		try_repeat(b, r);
	}
	ks_check_guards(b, r, true);
	return code;
}

/* On a busy machine a block goes on for a while to find quiet pairs. */
static bool enough(const struct ks_bench *b, const struct ks_result *r,
	const struct ks_block *block, size_t n, double spent_us, size_t *next_look)
{
	size_t quiet = ks_pairs_of_worker(r->pairs[0], block->round);
	if (n < block->min_twins) {
		return false;
	}
	if (quiet >= block->min_twins) {
		bool look = n >= *next_look; /* at growing distances: looking sorts all pairs */
		*next_look = look ? n + n / 4 : *next_look;
		return spent_us >= block->budget_us || (look && narrow(b, r, block));
	}
	return spent_us >= PATIENCE * block->budget_us;
}

/* Memory of the worker, and of its GPU by whomever: nobody else measures there. */
static uint64_t held(const struct ks_bench *b)
{
	return ks_host_memory(b->main) + b->device->ops->used(b->device);
}

/* What a worker holds more after a block, by pair. Some is held once for all. */
static void note_growth(struct ks_result *r, uint64_t before, uint64_t after, size_t twins)
{
	if (before > 0 && after > before + GROWTH_LEAST && twins >= GROWTH_TWINS) {
		double each = (double)(after - before) / (double)(2 * twins);
		r->grown = r->grown == 0 || each < r->grown ? each : r->grown;
	}
}

int ks_timing_block(struct ks_bench *b, struct ks_result *r, const struct ks_block *block,
	struct ks_err *err)
{
	int64_t start = ks_clock_mono_us();
	int code = ks_bench_use(b, r->c, err);
	size_t n = 0, next_look = TIGHT_TWINS;
	if (r->late < 8) {
		r->clock_ns = b->spin ? CLOCK_NS : CLOCK_SHARED_NS;
	}
	ks_host_awake(b->main, b->job->threads == 1);
	if (code == 0) {
		warm_up(b, r);
	}
	uint64_t before = held(b);
	while (code == 0 && r->correct && ks_host_alive(b->main)) {
		one_twin(b, r, n, block->round);
		n++;
		if (r->correct && !b->alone && ks_bench_random(b) % BENT_EVERY == 0) {
			code = ks_check_bent(b, r, 1, err);
		}
		if (n % (b->device->cuda ? WATCH_GPU_EVERY : WATCH_EVERY) == 0) {
			ks_check_guards(b, r, false);
		}
		if (enough(b, r, block, n, (double)(ks_clock_mono_us() - start), &next_look)) {
			break;
		}
	}
	if (code == 0 && r->correct && block->last) {
		code = ks_check_bent(b, r, block->bent, err);
	}
	ks_host_awake(b->main, false);
	note_growth(r, before, held(b), n);
	if (r->told_calls.len > 0) {
		ks_lines_calls(r, block->round);
		ks_buf_clear(&r->told_calls);
	}
	if (code == 0 && (!r->correct || ks_host_alive(b->main))) {
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
 * above 1. Only calls in which neither was put off its processor can blame a
 * candidate for that. On a busy machine there are too few: then it is faster only
 * if it still is by what the two clocks may differ in all its calls together.
 */
static void compare_clocks(struct ks_result *r, const struct ks_job *job)
{
	struct ks_prior prior = ks_prior_default();
	r->clocked = ks_pairs_count(r->clocks[0]) >= CLOCK_TWINS;
	ks_pairs_estimate(&r->clock_est, r->clocks[r->clocked ? 0 : 1], &prior);
	if (!r->clocked) {
		r->unclocked = r->clock_est.pairs < CLOCK_TWINS ||
			!ks_pairs_clocked(&r->est, &r->clock_est, CLOCK_SHARE);
		return;
	}
	r->unclocked = false;
	/* by our own clock: a forged time must not make room for itself */
	double least = r->least_judge_ns > 0 ? r->least_judge_ns : 1;
	double share = r->clock_ns / least;
	r->clock_room = -log(1 - (share < CLOCK_CAP ? share : CLOCK_CAP));
	double allowed = CLOCK_SHARE + r->clock_room;
	if (ks_check_on(&job->checks, KS_CHECK_CLOCK) &&
		r->clock_est.lo_log > allowed) { /* the other way round nobody gains */
		ks_result_fail(r, "the clocks of judge and worker disagree: the speedup is %.3g by "
			"the worker's and %.3g by the judge's",
			r->est.ratio * r->clock_est.ratio, r->est.ratio);
	}
}

/* The ratio becomes this one; the sides' times stay as they were seen. */
static void put_ratio(struct ks_estimate *e, double log, double lo_log, double hi_log)
{
	e->log = log;
	e->lo_log = lo_log;
	e->hi_log = hi_log;
	e->ratio = exp(log);
	e->lo = exp(lo_log);
	e->hi = exp(hi_log);
}

/*
 * Behind the seed, on the same bytes, a candidate might find what the seed left
 * in freed memory. Being second helps everybody a little; order[0] says how much
 * it helps the seed. What helps the candidate more does not count: its ratio is
 * that of the pairs in which it was in front.
 * The other way round a candidate might leave memory so that the next call of the
 * seed is slow. All of that is taken off: the seed's first calls suffer as well,
 * where the pair before ended with the candidate.
 */
static void compare_places(struct ks_result *r, const struct ks_job *job,
	const struct ks_prior *prior)
{
	struct ks_estimate usual, behind, front, *e = &r->est;
	ks_pairs_estimate(&usual, r->order[0], prior);
	ks_pairs_estimate(&behind, r->order[1], prior);
	/* else what it gives at most */
	bool known = usual.pairs >= PLACE_TWINS && usual.half_width <= PLACE_KNOWN;
	double excess = behind.log - (known ? usual.log : 0);
	double least_ns = r->device != NULL ? PLACE_GPU_NS :
		job->threads > 1 ? PLACE_THREADS_NS : PLACE_NS;
	r->lean = 0;
	if (behind.pairs < PLACE_TWINS || !ks_check_on(&job->checks, KS_CHECK_ORDER)) {
		return;
	}
	double surely = known ? behind.lo_log : behind.log - PLACE_ALONE * behind.half_width;
	if (surely > (known ? usual.hi_log : PLACE_USUAL) + PLACE_SHARE &&
		excess * r->est.cand_time >= least_ns) {
		r->lean = excess;
		ks_pairs_estimate(&front, r->front, prior);
		put_ratio(e, front.log, front.lo_log, front.hi_log);
	} else if (behind.log + PLACE_SURE * behind.half_width < -PLACE_SHARE &&
		-behind.log * r->est.seed_time >= least_ns) {
		r->lean = behind.log;
		put_ratio(e, e->log + behind.log, e->lo_log + behind.log, e->hi_log + behind.log);
	}
}

/*
 * Which calls were disturbed the worker says, so a candidate could leave its slow
 * ones out. Both sides are put off alike: where the candidate's calls are marked
 * clearly more often, all of them count.
 */
static bool marks_lean(const struct ks_result *r, const struct ks_job *job)
{
	if (!ks_check_on(&job->checks, KS_CHECK_MARKS) || r->seen[0] < MARKS_LEAST ||
		r->seen[1] < MARKS_LEAST) {
		return false;
	}
	double seed = (double)r->marked[0] / r->seen[0], cand = (double)r->marked[1] / r->seen[1];
	double error = sqrt(0.25 / r->seen[0] + 0.25 / r->seen[1]);
	return cand - seed > 3 * error && cand > 2 * seed;
}

static const struct ks_pairs *chosen(struct ks_pairs *const lists[2], size_t least)
{
	return ks_pairs_count(lists[0]) >= least ? lists[0] : lists[1];
}

void ks_timing_finish(struct ks_result *r, const struct ks_job *job)
{
	double runs = ks_named_get(job->runs, job->nruns, r->c->uuid, 0);
	struct ks_prior prior = ks_prior_of_history(
		ks_named_get(job->bias, job->nbias, r->c->uuid, 0), runs);
	bool lean = marks_lean(r, job);
	const struct ks_pairs *pairs = lean ? r->pairs[1] :
		chosen(r->pairs, (size_t)job->workers * 3);
	r->disturbed = pairs != r->pairs[0];
	ks_pairs_estimate(&r->est, pairs, &prior);
	if (ks_pairs_count(r->yard[1]) > 0) {
		ks_pairs_estimate(&r->yard_est, r->yard[r->disturbed], &prior);
	}
	if (ks_pairs_count(r->events) > 0) {
		ks_pairs_estimate(&r->event_est, r->events, &prior);
	}
	ks_roofline(&r->roof, r->c, &job->probe, (unsigned)job->threads);
	if (r->correct && ks_pairs_count(pairs) > 0) {
		compare_clocks(r, job);
		compare_places(r, job, &prior);
		r->bias = ks_pairs_bias_variance(r->same[r->disturbed]);
		r->band = ks_pairs_band(r->same[r->disturbed], ks_pairs_count(pairs), &prior);
	}
	struct ks_stop_rule rule = {.half_width = wanted(job, &r->est), .min_pairs = 1,
		.min_workers = job->workers};
	enum ks_stop stop = ks_pairs_stop(&r->est, &rule, 0);
	r->tight = stop == KS_STOP_TIGHT;
	r->stop = r->tight ? KS_STOP_TIGHT : KS_STOP_BUDGET;
}
