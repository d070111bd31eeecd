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
#define MEDIAN_COST 1.5708 /* variance of a median over that of a mean, pi / 2 */

struct series {
	double *log;
	size_t count, cap;
};

struct ks_pairs {
	struct series worker[KS_WORKERS_MAX];
	struct series seed, cand; /* times, for their medians */
	size_t count;
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

bool ks_pairs_add(struct ks_pairs *p, unsigned worker, double seed_time, double cand_time)
{
	if (worker >= KS_WORKERS_MAX || !(seed_time > 0) || !(cand_time > 0) ||
		isinf(seed_time) || isinf(cand_time)) {
		return false;
	}
	series_add(&p->worker[worker], log(seed_time / cand_time));
	series_add(&p->seed, seed_time);
	series_add(&p->cand, cand_time);
	p->count++;
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
	memcpy(scratch, s->log, s->count * sizeof(scratch[0]));
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

double ks_pairs_scatter(const struct ks_pairs *p)
{
	double *scratch = ks_alloc((NEIGHBOURS * p->count + 1) * sizeof(scratch[0]));
	double scale = scale_of(p, scratch);
	free(scratch);
	return scale;
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
 * scatter more than independent pairs would make them. */
static double block_variance(const struct series *s, double scale, double *scratch)
{
	size_t length = (size_t)floor(sqrt((double)s->count));
	size_t blocks = length > 0 ? s->count / length : 0;
	if (blocks < BLOCKS_MIN || length < 4) {
		return 0;
	}
	double sum = 0, squares = 0, n = (double)blocks;
	for (size_t b = 0; b < blocks; b++) {
		struct series part = {s->log + b * length, length, 0};
		double at = centre_of(&part, scale, scratch).at;
		sum += at;
		squares += at * at;
	}
	double variance = (squares - sum * sum / n) / (n - 1) / n;
	return variance > 0 ? variance : 0;
}

static struct centre centre_of_worker(const struct series *s, double scale, double *scratch)
{
	struct centre c = centre_of(s, scale, scratch);
	double blocks = block_variance(s, scale, scratch);
	c.variance = blocks > c.variance ? blocks : c.variance;
	return c;
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
	double centres[KS_WORKERS_MAX];
	size_t workers;
	double within; /* variance of the mean of centres, from inside the workers */
	double pairs_df;
};

static void look_at_workers(struct spread *out, const struct ks_pairs *p, double *by_worker)
{
	struct spread s = {.workers = 0};
	double *scratch = ks_alloc((NEIGHBOURS * p->count + 1) * sizeof(scratch[0]));
	double scale = scale_of(p, scratch);
	for (size_t w = 0; w < KS_WORKERS_MAX; w++) {
		const struct series *series = &p->worker[w];
		by_worker[w] = (double)NAN;
		if (series->count == 0) {
			continue;
		}
		struct centre c = centre_of_worker(series, scale, scratch);
		by_worker[w] = s.centres[s.workers++] = c.at;
		s.within += c.variance;
		s.pairs_df += (double)(series->count - 1) * 0.6;
	}
	if (s.workers > 0) {
		s.within /= (double)s.workers * (double)s.workers;
	}
	free(scratch);
	*out = s;
}

static double mean_of(const double *v, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++) {
		sum += v[i];
	}
	return n > 0 ? sum / (double)n : 0;
}

static double median_time(const struct series *s)
{
	double *scratch = ks_alloc((s->count + 1) * sizeof(scratch[0]));
	double m = median_of(s, scratch);
	free(scratch);
	return m;
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
		e.log = mean_of(s.centres, s.workers);
		for (size_t i = 0; i < s.workers; i++) {
			seen += (s.centres[i] - e.log) * (s.centres[i] - e.log);
		}
		double expected = s.within + prior->sd * prior->sd / n;
		double between = s.workers > 1 ? seen / (n * (n - 1)) : expected;
		double weight = trust(prior->df, between, expected);
		double variance = (weight * expected + (n - 1) * between) / (weight + n - 1);
		e.within = sqrt(s.within);
		e.between = sqrt(between);
		e.se = sqrt(variance > s.within ? variance : s.within);
		e.df = weight + n - 1;
		/* One pair says nothing about its own spread. */
		e.df = s.pairs_df < 1 ? 0 : e.df;
		e.seed_time = median_time(&p->seed);
		e.cand_time = median_time(&p->cand);
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
	for (size_t i = 0; i < s.workers; i++) {
		squares += s.centres[i] * s.centres[i]; /* around 0: the truth is known */
	}
	/* Fewer pairs made these centres than make the estimate: what their number
	 * explains shrinks with it, a worker's own bias does not. */
	double share = pairs > same->count && pairs > 0 ? (double)same->count / (double)pairs : 1;
	double noise = s.within * n; /* mean variance of a centre */
	double bias = squares / n > noise ? squares / n - noise : 0;
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
		squares += s.centres[i] * s.centres[i];
	}
	double n = (double)s.workers;
	return s.workers >= 2 ? squares / n - s.within * n : (double)NAN;
}

/* ---- decisions ---- */

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

/* Variance of the mean over scenarios as the workers' own means show it. Only
 * workers that measured every scenario count. */
static double variance_by_worker(const struct ks_estimate *ests, size_t count, size_t *out_workers)
{
	double means[KS_WORKERS_MAX], seen = 0;
	size_t n = 0;
	for (size_t w = 0; w < KS_WORKERS_MAX; w++) {
		double sum = 0;
		for (size_t i = 0; i < count; i++) {
			sum += ests[i].worker_log[w]; /* NAN spreads */
		}
		if (!isnan(sum)) {
			means[n++] = sum / (double)count;
		}
	}
	double mean = mean_of(means, n);
	for (size_t i = 0; i < n; i++) {
		seen += (means[i] - mean) * (means[i] - mean);
	}
	*out_workers = n;
	return n > 1 ? seen / (double)(n * (n - 1)) : 0;
}

void ks_pairs_geomean(struct ks_geomean *out, const struct ks_estimate *ests, const bool *ok,
	size_t count)
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
		size_t workers;
		double n = (double)count;
		double shared = variance_by_worker(ests, count, &workers);
		double prior = own / (n * n), df = 30;
		double variance = prior;
		if (workers > 1 && shared > prior) {
			df = 3.0 + (double)(workers - 1);
			variance = (3.0 * prior + (double)(workers - 1) * shared) / df;
		}
		double half = ks_student_quantile(LEVEL, df) * sqrt(variance);
		g.value = exp(log_sum / n);
		g.lo = exp(log_sum / n - half);
		g.hi = exp(log_sum / n + half);
	}
	*out = g;
}
