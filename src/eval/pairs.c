/*
 * The statistics of timed pairs; the method is in the header. Student's
 * distribution is computed from the regularised incomplete beta function by its
 * continued fraction (Lentz's way), the quantile by bisection.
 */
#include "eval/pairs.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define LEVEL 0.975      /* two-sided 95 %                                */
#define CONTRADICTED 2.0 /* seen over expected variance: the prior weighs less */
#define BLOCKS_MIN 6     /* fewer blocks of neighbours say nothing        */
#define HISTORY_MAX 15   /* earlier evaluations that count     */
#define CLIP 1.0         /* distances count up to so many scales          */
#define STEP_MIN 3       /* fewer values have their median                */
#define NEIGHBOURS 3
#define DISTANCE_SD 1.0483 /* 1 / (0.6745 * sqrt(2)): a normal's, of a median distance */
#define WANTED_SHARE 0.1 /* of a change: its interval's half width       */
#define WANTED_MOST 0.02
#define CUT_QUICK 10     /* of a side's calls one in so many is too quick to count ... */
#define CUT_SLOW 4       /* ... and one in so many too slow, ... */
#define CUT_BUSY 2       /* ... on a busy machine, which is one where this makes   */
#define BUSY 0.5         /* ... the variance smaller by this                       */
#define MEDIAN_COST 1.5708 /* variance of a median over that of a mean, pi / 2 */

struct series {
	double *log;
	size_t count, cap;
};

struct ks_pairs {
	struct series worker[KS_WORKERS_MAX];
	struct series seed, cand; /* times, for their medians */
	size_t count;
	struct series calls[2][KS_WORKERS_MAX]; /* of twins: seed's, candidate's, two each */
	bool twins;
};

/* ---- numbers ---- */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double ks_median(double *values, size_t count)
{
	if (count == 0) {
		return 0;
	}
	qsort(values, count, sizeof(values[0]), by_value);
	return count % 2 == 1 ? values[count / 2]
		: (values[count / 2 - 1] + values[count / 2]) / 2;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static double mean_of(const double *v, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++) {
		sum += v[i];
	}
	return n > 0 ? sum / (double)n : 0;
}

/* Sum of squares around the mean. */
static double spread_of(const double *v, size_t n)
{
	double mean = mean_of(v, n), sum = 0;
	for (size_t i = 0; i < n; i++) {
		sum += (v[i] - mean) * (v[i] - mean);
	}
	return sum;
}

static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1);
	d = 1 / (fabs(d) < tiny ? tiny : d);
	double h = d;
	for (int m = 1; m <= 500; m++) {
		double steps[2] = {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
			-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))};
		double change = 0;
		for (int k = 0; k < 2; k++) {
			d = 1 + steps[k] * d;
			c = 1 + steps[k] / c;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = fabs(c) < tiny ? tiny : c;
			change = c * d;
			h *= change;
		}
		if (fabs(change - 1) < 1e-14) {
			break;
		}
	}
	return h;
}

static double beta_regular(double a, double b, double x)
{
	if (x <= 0 || x >= 1) {
		return x <= 0 ? 0 : 1;
	}
	double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2)) {
		return front * beta_fraction(a, b, x) / a;
	}
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double ks_student_cdf(double t, double df)
{
	assert(df > 0);
	if (isinf(t)) {
		return t > 0 ? 1 : 0;
	}
	double tail = 0.5 * beta_regular(df / 2, 0.5, df / (df + t * t));
	return t > 0 ? 1 - tail : tail;
}

double ks_student_quantile(double p, double df)
{
	double low = -1e6, high = 1e6;
	assert(p > 0 && p < 1);
	for (int i = 0; i < 200 && high - low > 1e-10 * (1 + fabs(low)); i++) {
		double mid = (low + high) / 2;
		if (ks_student_cdf(mid, df) < p) {
			low = mid;
		} else {
			high = mid;
		}
	}
	return (low + high) / 2;
}

/* ---- pairs ---- */

struct ks_pairs *ks_pairs_new(void)
{
	return ks_zalloc(1, sizeof(struct ks_pairs));
}

void ks_pairs_free(struct ks_pairs *p)
{
	if (p != NULL) {
		for (size_t w = 0; w < KS_WORKERS_MAX; w++) {
			free(p->worker[w].log);
			free(p->calls[0][w].log);
			free(p->calls[1][w].log);
		}
		free(p->seed.log);
		free(p->cand.log);
		free(p);
	}
}

static void series_add(struct series *s, double v)
{
	ks_grow(&s->log, &s->cap, s->count + 1, sizeof(s->log[0]));
	s->log[s->count++] = v;
}

static bool is_time(double t)
{
	return t > 0 && !isinf(t);
}

bool ks_pairs_add(struct ks_pairs *p, unsigned worker, double seed_time, double cand_time)
{
	if (worker >= KS_WORKERS_MAX || !is_time(seed_time) || !is_time(cand_time)) {
		return false;
	}
	series_add(&p->worker[worker], log(seed_time / cand_time));
	series_add(&p->seed, seed_time);
	series_add(&p->cand, cand_time);
	p->count++;
	return true;
}

bool ks_pairs_add_twin(struct ks_pairs *p, unsigned worker, const double seed[2],
	const double cand[2])
{
	assert(p->twins || p->count == 0);
	if (!is_time(seed[0]) || !is_time(seed[1]) || !is_time(cand[0]) || !is_time(cand[1]) ||
		!ks_pairs_add(p, worker, sqrt(seed[0] * seed[1]), sqrt(cand[0] * cand[1]))) {
		return false;
	}
	for (int k = 0; k < 2; k++) {
		series_add(&p->calls[0][worker], log(seed[k]));
		series_add(&p->calls[1][worker], log(cand[k]));
	}
	p->twins = true;
	return true;
}

size_t ks_pairs_count(const struct ks_pairs *p)
{
	return p->count;
}

size_t ks_pairs_of_worker(const struct ks_pairs *p, unsigned worker)
{
	return worker < KS_WORKERS_MAX ? p->worker[worker].count : 0;
}

/* ---- the centre of one worker's pairs, and its error ---- */

static double median_of(const struct series *s, double *scratch)
{
	if (s->count > 0) {
		memcpy(scratch, s->log, s->count * sizeof(scratch[0]));
	}
	return ks_median(scratch, s->count);
}

/* The pairs' own scatter, all workers together: the median distance of neighbours in
 * the same worker as a normal's standard deviation. No middle has to be known, so
 * three pairs in each of some workers are enough, and a slow drift does not count. */
static double scale_of(const struct ks_pairs *p, double *scratch)
{
	size_t n = 0;
	for (size_t w = 0; w < KS_WORKERS_MAX; w++) {
		const struct series *s = &p->worker[w];
		for (size_t i = 0; i < s->count; i++) {
			for (size_t k = i + 1; k < s->count && k <= i + NEIGHBOURS; k++) {
				scratch[n++] = fabs(s->log[i] - s->log[k]);
			}
		}
	}
	return DISTANCE_SD * ks_median(scratch, n);
}

struct centre {
	double at, variance; /* of the estimate */
};

/* Sums over values whose distance from `at` counts up to one scale. */
struct clipped {
	double sum, squares, inside;
};

static struct clipped clip(const struct series *s, double at, double scale)
{
	struct clipped c = {0, 0, 0};
	for (size_t i = 0; i < s->count; i++) {
		double d = (s->log[i] - at) / scale;
		c.inside += fabs(d) <= CLIP ? 1 : 0;
		d = d > CLIP ? CLIP : d < -CLIP ? -CLIP : d;
		c.sum += d;
		c.squares += d * d;
	}
	return c;
}

/* One step of Huber's estimate of location from the median, and its asymptotic
 * variance (Huber and Ronchetti, "Robust Statistics", 2009, sections 3.2, 6.5). */
static struct centre centre_of(const struct series *s, double scale, double *scratch)
{
	double n = (double)s->count, median = median_of(s, scratch);
	struct centre c = {median, scale * scale * MEDIAN_COST / n};
	struct clipped first = clip(s, median, scale);
	if (s->count < STEP_MIN || !(scale > 0) || !(first.inside > 0)) {
		return c;
	}
	c.at += scale * first.sum / first.inside;
	struct clipped then = clip(s, c.at, scale);
	if (then.inside > 0) {
		double share = then.inside / n;
		c.variance = scale * scale * then.squares / (n - 1) / (share * share) / n;
	}
	return c;
}

/* Centres of blocks of neighbours: when neighbours resemble each other, these
 * scatter more than independent pairs would make them. By means without a scale. */
static double block_variance(const struct series *s, const double *scale, double *scratch)
{
	size_t length = (size_t)floor(sqrt((double)s->count));
	size_t blocks = length > 0 ? s->count / length : 0;
	if (blocks < BLOCKS_MIN || length < 4) {
		return 0;
	}
	double *centres = ks_alloc(blocks * sizeof(centres[0])), n = (double)blocks;
	for (size_t b = 0; b < blocks; b++) {
		struct series part = {s->log + b * length, length, 0};
		centres[b] = scale != NULL ? centre_of(&part, *scale, scratch).at :
			mean_of(part.log, length);
	}
	double variance = spread_of(centres, blocks) / (n - 1) / n;
	free(centres);
	return variance;
}

/* ---- twins: the calls of a side ---- */

/* Those of a side without the slowest and the quickest. */
struct middle {
	double mean;   /* of the logarithms that count          */
	double lo, hi; /* the first and the last that count     */
	double weight; /* all calls over those that count       */
};

static struct middle middle_of(const double *calls, size_t n, size_t slow, double *scratch)
{
	size_t low = n / CUT_QUICK, left = n - low - n / slow;
	memcpy(scratch, calls, n * sizeof(scratch[0]));
	qsort(scratch, n, sizeof(scratch[0]), by_value);
	return (struct middle){mean_of(scratch + low, left), scratch[low],
		scratch[low + left - 1], (double)n / (double)left};
}

/* By how much a twin's calls move their side's mean. */
static double influence(const struct middle *m, const double calls[2])
{
	double sum = 0;
	for (int k = 0; k < 2; k++) {
		sum += calls[k] < m->lo ? m->lo : calls[k] > m->hi ? m->hi : calls[k];
	}
	return m->weight * sum / 2;
}

/* One value a twin in the place of its log-ratio, such that the mean of all is the
 * difference of the two sides' means and their scatter says how certain that is. */
struct values {
	struct series worker[KS_WORKERS_MAX]; /* in room */
	struct middle side[2];
	double level;    /* the workers' mean one */
	double variance; /* of a twin in its worker; 0 unknown */
	double *room;
};

/* How slow the machine was for a worker: both sides' medians. */
static double level_of(const struct ks_pairs *p, size_t worker, double *scratch)
{
	return (median_of(&p->calls[0][worker], scratch) +
		median_of(&p->calls[1][worker], scratch)) / 2;
}

/* The calls of both sides less their workers' levels, by worker. Returns the mean
 * level. */
static double take_calls(double *calls[2], const struct ks_pairs *p, double *scratch)
{
	size_t at = 0;
	double levels = 0;
	for (size_t w = 0; w < KS_WORKERS_MAX; w++) {
		size_t n = p->calls[0][w].count;
		double level = n > 0 ? level_of(p, w, scratch) : 0;
		levels += (double)n * level;
		for (size_t i = 0; i < n; i++, at++) {
			calls[0][at] = p->calls[0][w].log[i] - level;
			calls[1][at] = p->calls[1][w].log[i] - level;
		}
	}
	return levels / (double)at;
}

/* One in `slow` of the slowest calls does not count. */
static void weigh(struct values *v, const struct ks_pairs *p, double *const calls[2],
	size_t slow, double *scratch)
{
	size_t n = p->count, at = 0;
	double squares = 0, df = 0;
	v->side[0] = middle_of(calls[0], 2 * n, slow, scratch);
	v->side[1] = middle_of(calls[1], 2 * n, slow, scratch);
	for (size_t i = 0; i < n; i++) {
		v->room[i] = influence(&v->side[0], calls[0] + 2 * i) -
			influence(&v->side[1], calls[1] + 2 * i);
	}
	double shift = v->side[0].mean - v->side[1].mean - mean_of(v->room, n);
	for (size_t i = 0; i < n; i++) {
		v->room[i] += shift;
	}
	for (size_t w = 0; w < KS_WORKERS_MAX; w++) {
		struct series *s = &v->worker[w];
		*s = (struct series){v->room + at, p->worker[w].count, 0};
		squares += spread_of(s->log, s->count);
		df += s->count > 1 ? (double)(s->count - 1) : 0;
		at += s->count;
	}
	v->variance = df > 0 ? squares / df : 0;
}

static void take_values(struct values *v, const struct ks_pairs *p)
{
	size_t all = 2 * p->count;
	double *scratch = ks_alloc(3 * all * sizeof(scratch[0]));
	double *calls[2] = {scratch + all, scratch + 2 * all};
	v->level = take_calls(calls, p, scratch);
	v->room = ks_alloc(p->count * sizeof(v->room[0]));
	weigh(v, p, calls, CUT_BUSY, scratch);
	double busy = v->variance;
	weigh(v, p, calls, CUT_SLOW, scratch);
	if (busy < BUSY * v->variance) {
		weigh(v, p, calls, CUT_BUSY, scratch);
	}
	free(scratch);
}

double ks_pairs_scatter(const struct ks_pairs *p)
{
	double *scratch = ks_alloc((NEIGHBOURS * p->count + 1) * sizeof(scratch[0]));
	double scale;
	if (p->twins) {
		struct values v;
		take_values(&v, p);
		scale = sqrt(v.variance);
		free(v.room);
	} else {
		scale = scale_of(p, scratch);
	}
	free(scratch);
	return scale;
}

/* ---- estimate ---- */

struct ks_prior ks_prior_default(void)
{
	return (struct ks_prior){0.0015, 3};
}

struct ks_prior ks_prior_of_history(double bias_variance, double runs)
{
	struct ks_prior prior = ks_prior_default();
	double more = runs > HISTORY_MAX ? HISTORY_MAX : runs;
	if (!(more >= 1)) {
		return prior;
	}
	double known = bias_variance > 0 ? bias_variance : 0;
	double variance = (prior.df * prior.sd * prior.sd + more * known) / (prior.df + more);
	return (struct ks_prior){sqrt(variance), prior.df + more};
}

struct spread {
	double at; /* the mean of centres */
	double centres[KS_WORKERS_MAX], share[KS_WORKERS_MAX]; /* shares add up to 1 */
	size_t workers;
	double equal;  /* so many workers of the same share would know as much */
	double within; /* variance of the mean of centres, from inside the workers */
	double pairs_df;
	double times[2]; /* typical ones, of seed and candidate */
};

static void add_worker(struct spread *s, const struct centre *c, size_t count, double share)
{
	s->centres[s->workers] = c->at;
	s->share[s->workers++] = share;
	s->at += share * c->at;
	s->equal += share * share; /* turned round at the end */
	s->within += share * share * c->variance;
	s->pairs_df += (double)(count - 1) * 0.6;
}

/* Workers count alike. */
static void look_at_pairs(struct spread *s, const struct ks_pairs *p, double *by_worker)
{
	double *scratch = ks_alloc((NEIGHBOURS * p->count + 1) * sizeof(scratch[0]));
	double scale = scale_of(p, scratch), n = 0;
	for (size_t w = 0; w < KS_WORKERS_MAX; w++) {
		n += p->worker[w].count > 0;
	}
	for (size_t w = 0; w < KS_WORKERS_MAX; w++) {
		const struct series *series = &p->worker[w];
		if (series->count > 0) {
			struct centre c = centre_of(series, scale, scratch);
			c.variance = larger(c.variance, block_variance(series, &scale, scratch));
			add_worker(s, &c, series->count, 1 / n);
			by_worker[w] = c.at;
		}
	}
	s->times[0] = median_of(&p->seed, scratch);
	s->times[1] = median_of(&p->cand, scratch);
	free(scratch);
}

/* Calls count alike, and so workers by their twins. */
static void look_at_twins(struct spread *s, const struct ks_pairs *p, double *by_worker)
{
	struct values v;
	take_values(&v, p);
	for (size_t w = 0; w < KS_WORKERS_MAX; w++) {
		const struct series *series = &v.worker[w];
		if (series->count > 0) {
			double n = (double)series->count;
			struct centre c = {mean_of(series->log, series->count),
				larger(v.variance / n, block_variance(series, NULL, NULL))};
			add_worker(s, &c, series->count, n / (double)p->count);
			by_worker[w] = c.at;
		}
	}
	s->times[0] = exp(v.side[0].mean + v.level);
	s->times[1] = exp(v.side[1].mean + v.level);
	free(v.room);
}

static void look_at_workers(struct spread *out, const struct ks_pairs *p, double *by_worker)
{
	struct spread s = {.workers = 0};
	for (size_t w = 0; w < KS_WORKERS_MAX; w++) {
		by_worker[w] = (double)NAN;
	}
	if (p->twins) {
		look_at_twins(&s, p, by_worker);
	} else {
		look_at_pairs(&s, p, by_worker);
	}
	s.equal = s.equal > 0 ? 1 / s.equal : 0;
	*out = s;
}

static void set_interval(struct ks_estimate *e)
{
	double t = e->df > 0 ? ks_student_quantile(LEVEL, e->df) : (double)INFINITY;
	e->half_width = e->df > 0 ? t * e->se : (double)INFINITY;
	e->lo_log = e->log - e->half_width;
	e->hi_log = e->log + e->half_width;
	e->ratio = e->pairs > 0 ? exp(e->log) : 0;
	e->lo = exp(e->lo_log);
	e->hi = exp(e->hi_log);
}

/* A prior that the workers contradict weighs less, so that a machine which is
 * much noisier than expected does not get intervals that are too narrow. */
static double trust(double df, double seen, double expected)
{
	return seen > CONTRADICTED * expected ? df * CONTRADICTED * expected / seen : df;
}

void ks_pairs_estimate(struct ks_estimate *out, const struct ks_pairs *p,
	const struct ks_prior *prior)
{
	struct ks_estimate e = {.pairs = p->count};
	struct spread s;
	look_at_workers(&s, p, e.worker_log);
	e.workers = s.workers;
	if (p->count > 0) {
		double n = (double)s.workers, seen = 0;
		e.log = s.at;
		for (size_t i = 0; i < s.workers; i++) {
			seen += s.share[i] * (s.centres[i] - e.log) * (s.centres[i] - e.log);
		}
		double expected = s.within + prior->sd * prior->sd / s.equal;
		double between = s.workers > 1 ? seen / (s.equal - 1) : expected;
		double weight = trust(prior->df, between, expected);
		double variance = (weight * expected + (n - 1) * between) / (weight + n - 1);
		e.within = sqrt(s.within);
		e.between = sqrt(between);
		e.se = sqrt(variance > s.within ? variance : s.within);
		e.df = weight + n - 1;
		/* One pair says nothing about its own spread. */
		e.df = s.pairs_df < 1 ? 0 : e.df;
		e.seed_time = s.times[0];
		e.cand_time = s.times[1];
	}
	set_interval(&e);
	*out = e;
}

double ks_pairs_band(const struct ks_pairs *same, size_t pairs, const struct ks_prior *prior)
{
	struct spread s;
	double by_worker[KS_WORKERS_MAX], squares = 0;
	look_at_workers(&s, same, by_worker);
	double n = s.workers > 0 ? (double)s.workers : 3;
	for (size_t i = 0; i < s.workers; i++) { /* around 0: the truth is known */
		squares += s.share[i] * s.centres[i] * s.centres[i];
	}
	/* Fewer pairs made these centres than make the estimate: what their number
	 * explains shrinks with it, a worker's own bias does not. */
	double share = pairs > same->count && pairs > 0 ? (double)same->count / (double)pairs : 1;
	double noise = s.within * n; /* mean variance of a centre */
	double bias = squares > noise ? squares - noise : 0;
	double worker = s.workers > 0 ? bias + noise * share : 0;
	double df = prior->df + (s.workers > 0 ? n : 0);
	double expected = prior->sd * prior->sd + noise * share;
	double variance = (prior->df * expected + (df - prior->df) * worker) / df / n;
	return ks_student_quantile(LEVEL, df) * sqrt(variance);
}

double ks_pairs_bias_variance(const struct ks_pairs *same)
{
	struct spread s;
	double by_worker[KS_WORKERS_MAX], squares = 0;
	look_at_workers(&s, same, by_worker);
	for (size_t i = 0; i < s.workers; i++) {
		squares += s.share[i] * s.centres[i] * s.centres[i];
	}
	return s.workers >= 2 ? squares - s.within * (double)s.workers : (double)NAN;
}

/* ---- decisions ---- */

double ks_pairs_wanted(const struct ks_estimate *est, double half_width)
{
	double share = WANTED_SHARE * fabs(est->log);
	double most = larger(half_width, WANTED_MOST);
	return share < half_width ? half_width : share < most ? share : most;
}

enum ks_stop ks_pairs_stop(const struct ks_estimate *est, const struct ks_stop_rule *rule,
	double spent_us)
{
	if ((rule->budget_us > 0 && spent_us >= rule->budget_us) ||
		(rule->max_pairs > 0 && est->pairs >= rule->max_pairs)) {
		return KS_STOP_BUDGET;
	}
	if (est->workers < rule->min_workers ||
		est->pairs < rule->min_pairs * (est->workers > 0 ? est->workers : 1)) {
		return KS_STOP_NOT;
	}
	return est->half_width <= rule->half_width ? KS_STOP_TIGHT : KS_STOP_NOT;
}

const char *ks_stop_name(enum ks_stop stop)
{
	static const char *const names[] = {"", "tight", "budget"};
	return names[stop];
}

enum ks_verdict ks_pairs_verdict(const struct ks_estimate *est, const struct ks_floor *floor)
{
	double gain = fabs(est->seed_time - est->cand_time);
	if (est->pairs == 0 || fabs(est->log) < floor->relative || gain < floor->absolute) {
		return KS_SAME;
	}
	if (est->lo_log > floor->band) {
		return KS_FASTER;
	}
	return est->hi_log < -floor->band ? KS_SLOWER : KS_SAME;
}

bool ks_pairs_clocked(const struct ks_estimate *est, const struct ks_estimate *clocks,
	double margin)
{
	return est->pairs > 0 && clocks->pairs > 0 && est->lo_log > clocks->hi_log + margin;
}

double ks_pairs_p(const struct ks_estimate *est, double band)
{
	double away = fabs(est->log) - band;
	if (est->pairs == 0 || !(est->df > 0) || away <= 0) {
		return 1;
	}
	return est->se > 0 ? 2 * ks_student_cdf(-away / est->se, est->df) : 0;
}

struct ranked {
	double p;
	size_t index;
};

static int by_p(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	return (x->p > y->p) - (x->p < y->p);
}

void ks_pairs_fdr(bool *keep, const double *p, size_t count, double q)
{
	struct ranked *order = ks_alloc((count + 1) * sizeof(order[0]));
	size_t kept = 0;
	for (size_t i = 0; i < count; i++) {
		order[i] = (struct ranked){p[i], i};
		keep[i] = false;
	}
	qsort(order, count, sizeof(order[0]), by_p);
	for (size_t i = 0; i < count; i++) {
		kept = order[i].p <= q * (double)(i + 1) / (double)count ? i + 1 : kept;
	}
	for (size_t i = 0; i < kept; i++) {
		keep[order[i].index] = true;
	}
	free(order);
}

static bool leads(const unsigned *group, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (group[k] == group[i]) {
			return false;
		}
	}
	return true;
}

/* What the scenarios of one group add to the variance of the mean over all, as the
 * means of their workers show it. Only workers that measured all of them count; where
 * there are no two, the scenarios' own variances do. */
static double variance_of_group(const struct ks_estimate *ests, const unsigned *group,
	size_t first, size_t count, double *df)
{
	double means[KS_WORKERS_MAX], seen = 0, own = 0;
	size_t n = 0;
	for (size_t w = 0; w < KS_WORKERS_MAX; w++) {
		double sum = 0;
		for (size_t i = first; i < count; i++) {
			/* NAN spreads */
			sum += group[i] == group[first] ? ests[i].worker_log[w] : 0;
		}
		if (!isnan(sum)) {
			means[n++] = sum / (double)count;
		}
	}
	for (size_t i = first; i < count; i++) {
		own += group[i] == group[first] ? ests[i].se * ests[i].se : 0;
	}
	if (n < 2) {
		return own / ((double)count * (double)count);
	}
	double mean = mean_of(means, n);
	for (size_t i = 0; i < n; i++) {
		seen += (means[i] - mean) * (means[i] - mean);
	}
	*df += (double)(n - 1);
	return seen / (double)(n * (n - 1));
}

void ks_pairs_geomean(struct ks_geomean *out, const struct ks_estimate *ests,
	const unsigned *group, const bool *ok, size_t count)
{
	struct ks_geomean g = {0};
	double log_sum = 0, own = 0, worst = (double)INFINITY;
	bool whole = count > 0;
	for (size_t i = 0; i < count; i++) {
		double ratio = ok[i] ? ests[i].ratio : 0;
		if (ratio < worst) {
			worst = ratio;
			g.worst = i;
		}
		whole = whole && ratio > 0;
		log_sum += ests[i].log;
		own += ests[i].se * ests[i].se;
	}
	if (whole) {
		double n = (double)count, shared = 0, seen_df = 0;
		for (size_t i = 0; i < count; i++) {
			shared += leads(group, i) ?
				variance_of_group(ests, group, i, count, &seen_df) : 0;
		}
		double prior = own / (n * n), df = 30;
		double variance = prior;
		if (seen_df > 0 && shared > prior) {
			df = 3.0 + seen_df;
			variance = (3.0 * prior + seen_df * shared) / df;
		}
		double half = ks_student_quantile(LEVEL, df) * sqrt(variance);
		g.value = exp(log_sum / n);
		g.lo = exp(log_sum / n - half);
		g.hi = exp(log_sum / n + half);
	}
	*out = g;
}
