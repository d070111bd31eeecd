#ifndef KSEEK_EVAL_PAIRS_H
#define KSEEK_EVAL_PAIRS_H
/*
 * The statistics of timed pairs. Pure: no clock, no allocation that can be
 * seen, no randomness. A pair is one call of the seed and one of the candidate
 * on the same bytes in random order in one worker; its figure is
 * log(seed time / candidate time).
 *
 * Twins (two pairs in opposite orders, two calls a side): what disturbs a call
 * on a processor only ever makes it longer, one call in ten by much, and two calls of a
 * twin hardly resemble each other. One of a twin's calls is far off more often than
 * not, so the estimate looks at calls: the difference of the means of both sides'
 * logarithms, of which the slowest quarter and the quickest tenth do not count, over
 * all workers, each taken by how slow the machine was for it (both sides' medians). So
 * neither one lucky call in ten nor one lost in four makes a difference. Where more are
 * lost, the slower half does not count: of the two cuts the one with the clearly smaller
 * variance is taken (Jaeckel 1971, "Some flexible estimates of location").
 * A worker's centre is the mean of its calls' influence (Huber and Ronchetti, "Robust
 * Statistics", 2009, section 3.3: trimmed mean, winsorized variance), by twin, so
 * that what the calls of a twin have in common does not count as noise. Calls, and
 * so workers by their number of twins, count alike.
 *
 * Pairs alone: the mean of the workers' centres. A worker's centre is its pairs'
 * median, moved by one step of Huber's estimate that lets no pair count for more
 * than a typical distance: it shrugs off interrupted calls as a median does, and
 * needs a quarter fewer pairs for the same error. The distance is that of
 * neighbours in the same worker, the median over all workers, so that three pairs
 * in each are enough to know it. The mean over workers averages what is particular
 * to one process.
 *
 * Interval: two sources of spread are counted. `within` is what the pairs in
 * each worker say about its centre: the asymptotic error of the step, or the
 * scatter of the centres of blocks of neighbours where it is larger, so that
 * pairs which resemble their neighbours do not count as independent. `between`
 * is the spread of the workers' centres around each other. Three workers alone say
 * little about it (two degrees of freedom), so their variance is moderated by
 * a prior (Smyth 2004, "Linear models and empirical Bayes methods"): variance
 * = (d0 * prior + (W-1) * seen) / (d0 + W-1), never below `within`, and the
 * quantile is Student's with d0 + W-1 degrees. When the workers contradict the
 * prior (more than twice its variance), d0 shrinks. tests/unit/eval/test_pairs.c
 * measures the coverage by simulation: 95 % or more while a worker's own bias is
 * at most the prior's, 92 % at twice (three workers of a hundred pairs), 89 % at
 * seven times. The prior
 * of later evaluations comes from the seed against itself in earlier ones.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/verdict.h"

#define KS_WORKERS_MAX 32

struct ks_pairs; /* the log-ratios of one scenario, by worker */

struct ks_pairs *ks_pairs_new(void);
void ks_pairs_free(struct ks_pairs *pairs);
/* worker < KS_WORKERS_MAX; both times in the same unit and above 0 (a pair with
 * a time that is not is refused: false). */
bool ks_pairs_add(struct ks_pairs *pairs, unsigned worker, double seed_time,
	double cand_time);
/* A twin, which counts as one pair: both times of each side. A list holds twins or
 * pairs, never both. */
bool ks_pairs_add_twin(struct ks_pairs *pairs, unsigned worker, const double seed[2],
	const double cand[2]);
size_t ks_pairs_count(const struct ks_pairs *pairs);
size_t ks_pairs_of_worker(const struct ks_pairs *pairs, unsigned worker);
/* How far one pair is typically off its worker's centre, as a standard deviation in
 * log units; 0 where no worker has two pairs. */
double ks_pairs_scatter(const struct ks_pairs *pairs);

struct ks_prior {
	double sd; /* of a worker's own bias, in log units */
	double df; /* how much it weighs                   */
};
/* 0.0015, 3: what a quiet machine shows. */
struct ks_prior ks_prior_default(void);
/* Prior from earlier evaluations of the same scenario on the same machine: the
 * mean of their bias variances (below), and how many there were. One counts as
 * little as the default does; more weigh more, up to df 18. */
struct ks_prior ks_prior_of_history(double bias_variance, double runs);

struct ks_estimate {
	size_t pairs, workers; /* workers with at least one pair */
	double log;            /* estimate of the log-ratio      */
	double se, df;         /* of it; Student's t             */
	double lo_log, hi_log; /* 95 % interval                  */
	double ratio, lo, hi;  /* the same as ratios (speedup)   */
	double half_width;     /* (hi_log - lo_log) / 2          */
	double within, between;/* the two standard errors        */
	double seed_time, cand_time; /* typical ones: what a ratio of twins is
				      * made of; else medians over all pairs */
	double worker_log[KS_WORKERS_MAX]; /* centres; NAN without pairs */
};

/* With no pairs everything is 0 and the interval is (-inf, inf). */
void ks_pairs_estimate(struct ks_estimate *out, const struct ks_pairs *pairs,
	const struct ks_prior *prior);

/*
 * The noise band from pairs of seed against seed: an estimate of ratio 1 made
 * the same way lies within it 95 times in 100. prior as above; `pairs` is how
 * many pairs the estimate that will be held against it has.
 */
double ks_pairs_band(const struct ks_pairs *seed_to_seed, size_t pairs,
	const struct ks_prior *prior);
/*
 * What the same pairs say about the variance of a worker's own bias: the mean
 * square of the workers' centres (the truth is 0) less what the number of pairs
 * explains. Below 0 as often as chance has it, so that the mean over evaluations
 * is unbiased; NAN without two workers.
 */
double ks_pairs_bias_variance(const struct ks_pairs *seed_to_seed);

/*
 * How narrow an interval is wanted: half_width near 1, a tenth of the change where
 * that is more, and never more than 2 %: nobody needs to know whether a kernel is 5.00
 * or 5.02 times as fast, and the time is better spent on scenarios near 1. It looks
 * at the size of the change, which its own noise moves by a twentieth of the width
 * at most when it matters, so that stopping by it favours nobody.
 */
double ks_pairs_wanted(const struct ks_estimate *est, double half_width);

enum ks_stop { KS_STOP_NOT, KS_STOP_TIGHT, KS_STOP_BUDGET };
struct ks_stop_rule {
	double half_width;   /* of the log-ratio                     */
	size_t min_pairs;    /* in each worker                       */
	size_t min_workers;
	size_t max_pairs;    /* 0: none                              */
	double budget_us;    /* 0: none                              */
};
/* Is it enough? The rule looks at width and cost, never at which side is ahead,
 * so looking often does not favour either. */
enum ks_stop ks_pairs_stop(const struct ks_estimate *est, const struct ks_stop_rule *rule,
	double spent_us);
const char *ks_stop_name(enum ks_stop stop); /* "", "tight", "budget" */

struct ks_floor {
	double band;      /* the noise band, log units                 */
	double relative;  /* smallest change that counts, log units    */
	double absolute;  /* smallest difference that counts, in the unit of the times */
};
/* Faster or slower only when the whole interval lies outside the band, and the
 * change is larger than both floors. */
enum ks_verdict ks_pairs_verdict(const struct ks_estimate *est,
	const struct ks_floor *floor);
/* Whether a gain stands although two clocks may differ: `clocks` estimates the ratio by
 * the worker's clock over that by the judge's. True when est's interval lies above
 * clocks' by more than margin (log units). */
bool ks_pairs_clocked(const struct ks_estimate *est, const struct ks_estimate *clocks,
	double margin);
/* Two-sided p of "the ratio lies within the band". */
double ks_pairs_p(const struct ks_estimate *est, double band);
/* Benjamini-Hochberg: keep[i] for the hypotheses that are rejected at false
 * discovery rate q. A verdict over many scenarios stands only if kept. */
void ks_pairs_fdr(bool *keep, const double *p, size_t count, double q);

struct ks_geomean {
	double value, lo, hi; /* 95 %; all 0 when any scenario is 0 */
	size_t worst;         /* index of the smallest              */
};
/*
 * Geometric mean over scenarios. ok[i] false: the scenario counts 0, and so does
 * the mean. Its variance is the larger of the scenarios' own (independent) and
 * that of the workers' means, so that a bias which one worker gives to every
 * scenario that it has is counted. Scenarios of the same group[i] share their
 * workers, those of different groups share none.
 */
void ks_pairs_geomean(struct ks_geomean *out, const struct ks_estimate *ests,
	const unsigned *group, const bool *ok, size_t count);

/* Student's t: P(T <= t), and its inverse for p in (0, 1). df > 0. */
double ks_student_cdf(double t, double df);
double ks_student_quantile(double p, double df);
double ks_median(double *values, size_t count); /* reorders; 0 for none */

#endif
