/*
 * Statistics of pairs: Student's distribution against printed tables, and
 * simulations with known truth. Randomness is counter-based and fixed, so a
 * count here is the same on every run; the bounds leave room for the method to
 * change, not for luck.
 */
#include "eval/pairs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "eval/philox.h"

struct source {
	uint64_t at;
};

static double uniform(struct source *s)
{
	static const uint32_t key[2] = {20, 26};
	uint32_t counter[4] = {(uint32_t)s->at, (uint32_t)(s->at >> 32), 0, 0}, out[4];
	s->at++;
	ks_philox(key, counter, out);
	return (out[0] + 0.5) * 0x1p-32;
}

static double normal(struct source *s)
{
	double r = sqrt(-2 * log(uniform(s)));
	return r * cos(6.283185307179586 * uniform(s));
}

struct world {
	unsigned workers;
	size_t pairs;     /* in each worker                               */
	double spread;    /* of a pair                                    */
	double heavy;     /* share of pairs that are ten times as far off */
	double bias;      /* spread of a worker's own bias                */
	double neighbour; /* correlation of a pair with the one before    */
	double gain;      /* the truth, log                               */
};

static struct ks_pairs *simulate(struct source *s, const struct world *w)
{
	struct ks_pairs *p = ks_pairs_new();
	for (unsigned k = 0; k < w->workers; k++) {
		double own = w->bias * normal(s), carried = normal(s);
		double fresh = sqrt(1 - w->neighbour * w->neighbour);
		for (size_t i = 0; i < w->pairs; i++) {
			carried = w->neighbour * carried + fresh * normal(s);
			double v = w->spread * carried;
			if (uniform(s) < w->heavy) {
				v += 10 * w->spread * normal(s);
			}
			assert_true(ks_pairs_add(p, k, 100 * exp(w->gain + own + v), 100));
		}
	}
	return p;
}

/* Share of intervals that hold the truth. */
static double coverage(const struct world *w, int runs, double *mean_width)
{
	struct source s = {0};
	struct ks_prior prior = ks_prior_default();
	int hits = 0;
	*mean_width = 0;
	for (int i = 0; i < runs; i++) {
		struct ks_pairs *p = simulate(&s, w);
		struct ks_estimate e;
		ks_pairs_estimate(&e, p, &prior);
		hits += e.lo_log <= w->gain && w->gain <= e.hi_log;
		*mean_width += e.half_width / runs;
		ks_pairs_free(p);
	}
	return (double)hits / runs;
}

static void test_student(void **state)
{
	(void)state;
	static const struct {
		double p, df, t;
	} table[] = {
		{0.975, 1, 12.7062}, {0.975, 2, 4.30265}, {0.975, 5, 2.57058},
		{0.975, 10, 2.22814}, {0.975, 30, 2.04227}, {0.995, 4, 4.60409},
		{0.95, 7, 1.89458}, {0.5, 3, 0}, {0.025, 5, -2.57058},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		double t = ks_student_quantile(table[i].p, table[i].df);
		assert_true(fabs(t - table[i].t) < 1e-4 * (1 + fabs(table[i].t)));
		assert_true(fabs(ks_student_cdf(t, table[i].df) - table[i].p) < 1e-8);
	}
	assert_true(ks_student_cdf(INFINITY, 3) == 1 && ks_student_cdf(-INFINITY, 3) == 0);
}

static void test_estimate_by_hand(void **state)
{
	(void)state;
	struct ks_pairs *p = ks_pairs_new();
	struct ks_prior prior = ks_prior_default();
	struct ks_estimate e;
	ks_pairs_estimate(&e, p, &prior);
	assert_int_equal(e.pairs, 0);
	assert_true(isinf(e.half_width) && e.ratio == 0);
	/* Pairs without scatter but for one that was disturbed: the medians 2, 2 and 4,
	 * and the mean of their logarithms. */
	static const double ratios[3][3] = {{2, 2, 2}, {2, 2, 2}, {4, 4, 400}};
	for (unsigned w = 0; w < 3; w++) {
		for (size_t i = 0; i < 3; i++) {
			assert_true(ks_pairs_add(p, w, ratios[w][i], 1));
		}
	}
	assert_false(ks_pairs_add(p, 0, 0, 1));
	assert_false(ks_pairs_add(p, 0, 1, NAN));
	assert_false(ks_pairs_add(p, 0, INFINITY, 1));
	assert_false(ks_pairs_add(p, KS_WORKERS_MAX, 1, 1));
	assert_int_equal(ks_pairs_count(p), 9);
	assert_int_equal(ks_pairs_of_worker(p, 2), 3);
	ks_pairs_estimate(&e, p, &prior);
	assert_int_equal(e.workers, 3);
	assert_true(fabs(e.ratio - pow(2, 4.0 / 3)) < 1e-12);
	assert_true(e.lo < e.ratio && e.ratio < e.hi);
	assert_true(e.seed_time == 2 && e.cand_time == 1);
	assert_true(isnan(e.worker_log[3]) && fabs(e.worker_log[2] - log(4)) < 1e-12);
	ks_pairs_free(p);
}

/* What the judge's clock saw of a gain, on a machine that puts calls off. */
static void test_a_gain_stands_by_the_other_clock(void **state)
{
	(void)state;
	static const struct {
		double gain, forged, spread; /* log units; of a pair by the judge's clock */
		bool stands;
	} table[] = {
		{2.1, 0, 0.3, true}, {2.1, 0, 0.02, true},
		{0.1, 0, 0.3, false}, /* too little beside such noise */
		{2.1, 2.1, 0.02, false}, {2.1, 2.1, 0.3, false}, /* by the worker's clock alone */
	};
	struct source s = {0};
	struct ks_prior prior = ks_prior_default();
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct ks_pairs *own = simulate(&s,
			&(struct world){4, 4, 0.05, 0, 0, 0, table[i].gain});
		struct ks_pairs *clocks = simulate(&s,
			&(struct world){4, 4, table[i].spread, 0, 0, 0, table[i].forged});
		struct ks_estimate e, c;
		ks_pairs_estimate(&e, own, &prior);
		ks_pairs_estimate(&c, clocks, &prior);
		assert_int_equal(ks_pairs_clocked(&e, &c, 0.05), table[i].stands);
		ks_pairs_free(own);
		ks_pairs_free(clocks);
	}
	struct ks_estimate none = {.pairs = 0}, gain = {.pairs = 4, .lo_log = 2};
	assert_false(ks_pairs_clocked(&gain, &none, 0.05)); /* never looked at */
}

static void test_scatter(void **state)
{
	(void)state;
	struct source s = {0};
	double sum = 0;
	for (int i = 0; i < 400; i++) {
		struct ks_pairs *p = simulate(&s, &(struct world){4, 3, 0.02, 0.05, 0.05, 0, 0.1});
		sum += ks_pairs_scatter(p) / 400;
		ks_pairs_free(p);
	}
	assert_true(sum > 0.02 && sum < 0.028); /* whatever the workers' own biases are */
	struct ks_pairs *none = ks_pairs_new();
	assert_true(ks_pairs_scatter(none) == 0);
	ks_pairs_add(none, 0, 3, 1);
	ks_pairs_add(none, 1, 4, 1);
	assert_true(ks_pairs_scatter(none) == 0);
	ks_pairs_free(none);
}

static void test_one_pair_says_nothing(void **state)
{
	(void)state;
	struct ks_pairs *p = ks_pairs_new();
	struct ks_prior prior = ks_prior_default();
	struct ks_estimate e;
	struct ks_floor floor = {0.001, 0.001, 0};
	ks_pairs_add(p, 0, 3, 1);
	ks_pairs_estimate(&e, p, &prior);
	assert_true(isinf(e.half_width));
	assert_int_equal(ks_pairs_verdict(&e, &floor), KS_SAME);
	assert_true(ks_pairs_p(&e, 0.001) == 1);
	ks_pairs_free(p);
}

static void test_coverage(void **state)
{
	(void)state;
	static const struct {
		struct world world;
		double least, widest; /* widest: of the mean half-width */
	} table[] = {
		{{4, 3, 0.01, 0, 0, 0, 0.1}, 0.95, 0.0095},
		{{4, 3, 0.01, 0.1, 0, 0, 0.1}, 0.95, 0.0145},
		{{3, 5, 0.01, 0, 0, 0, 0.1}, 0.95, 0.0085},
		{{3, 14, 0.01, 0, 0, 0, 0.1}, 0.95, 0.0053},
		{{3, 14, 0.01, 0.1, 0, 0, 0.1}, 0.95, 0.006},
		{{3, 14, 0.01, 0.05, 0.0015, 0, 0}, 0.95, 0.006},
		{{3, 14, 0.01, 0.05, 0.003, 0, 0}, 0.94, 0.007},
		{{5, 14, 0.01, 0.05, 0.003, 0, 0}, 0.94, 0.005},
		{{3, 100, 0.01, 0.05, 0.0015, 0, 0}, 0.95, 0.0034},
		{{3, 60, 0.01, 0, 0, 0.5, 0}, 0.95, 0.0045},
		{{3, 60, 0.01, 0, 0, 0.8, 0}, 0.88, 0.0065},
		{{3, 14, 0.01, 0.05, 0.01, 0, 0}, 0.86, 0.03},
		{{5, 14, 0.01, 0.05, 0.01, 0, 0}, 0.88, 0.02},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		double width, share = coverage(&table[i].world, 1000, &width);
		if (share < table[i].least || width > table[i].widest) {
			fail_msg("world %zu: %.3f hold the truth, half-width %.4f", i, share,
				width);
		}
	}
}

/* The interval of a world with twice the spread is about twice as wide, and
 * four times the pairs halve it: it is not merely always wide. */
static void test_width_follows_the_world(void **state)
{
	(void)state;
	double one, two, many;
	coverage(&(struct world){3, 16, 0.02, 0, 0, 0, 0}, 300, &one);
	coverage(&(struct world){3, 16, 0.04, 0, 0, 0, 0}, 300, &two);
	coverage(&(struct world){3, 64, 0.04, 0, 0, 0, 0}, 300, &many);
	assert_true(two > 1.7 * one && two < 2.2 * one);
	assert_true(many < 0.75 * two);
}

/* Verdicts against a band that was measured in the same world. */
static void count_verdicts(const struct world *w, int runs, int counts[3])
{
	struct source s = {0};
	struct ks_prior prior = ks_prior_default();
	struct world same = *w;
	same.gain = 0;
	same.pairs = w->pairs / 4 + 1;
	counts[0] = counts[1] = counts[2] = 0;
	for (int i = 0; i < runs; i++) {
		struct ks_pairs *p = simulate(&s, w), *aa = simulate(&s, &same);
		struct ks_estimate e;
		ks_pairs_estimate(&e, p, &prior);
		struct ks_floor floor = {ks_pairs_band(aa, e.pairs, &prior), 0.002, 0};
		counts[ks_pairs_verdict(&e, &floor)]++;
		ks_pairs_free(p);
		ks_pairs_free(aa);
	}
}

static void test_seed_against_seed_is_same(void **state)
{
	(void)state;
	static const struct world worlds[] = {
		{3, 5, 0.01, 0.05, 0.0015, 0, 0},
		{3, 14, 0.01, 0.05, 0.0015, 0, 0},
		{3, 14, 0.03, 0.1, 0.003, 0, 0},
		{3, 60, 0.005, 0.05, 0.0015, 0.3, 0},
	};
	for (size_t i = 0; i < sizeof(worlds) / sizeof(worlds[0]); i++) {
		int counts[3];
		count_verdicts(&worlds[i], 1000, counts);
		assert_true(counts[KS_FASTER] + counts[KS_SLOWER] <= 10); /* 1 % */
	}
}

/* Over many evaluations the variance of a worker's bias comes out as it was. */
static void test_bias_variance_is_unbiased(void **state)
{
	(void)state;
	static const double biases[] = {0, 0.003, 0.01};
	for (size_t i = 0; i < sizeof(biases) / sizeof(biases[0]); i++) {
		struct source s = {0};
		double sum = 0, truth = biases[i] * biases[i];
		int runs = 600;
		for (int k = 0; k < runs; k++) {
			struct ks_pairs *p = simulate(&s,
				&(struct world){4, 9, 0.01, 0, biases[i], 0, 0});
			sum += ks_pairs_bias_variance(p);
			ks_pairs_free(p);
		}
		assert_true(fabs(sum / runs - truth) < 0.1 * truth + 4e-6);
	}
	struct ks_pairs *none = ks_pairs_new();
	assert_true(isnan(ks_pairs_bias_variance(none)));
	ks_pairs_free(none);
}

static void test_history_is_a_prior(void **state)
{
	(void)state;
	struct ks_prior usual = ks_prior_default(), p = ks_prior_of_history(1, 0);
	assert_true(p.sd == usual.sd && p.df == usual.df);
	p = ks_prior_of_history((double)NAN, 5); /* nothing known */
	assert_true(p.sd <= usual.sd && p.sd > 0);
	p = ks_prior_of_history(1e-4, 12);
	assert_true(p.sd > 0.008 && p.sd < 0.01 && p.df == usual.df + 12);
	p = ks_prior_of_history(-1e-6, 12); /* a quiet machine narrows it */
	assert_true(p.sd < usual.sd && p.sd > 0);
	assert_true(ks_prior_of_history(1e-4, 1e9).df < 20);
}

static void test_real_changes_are_seen(void **state)
{
	(void)state;
	int counts[3];
	count_verdicts(&(struct world){3, 14, 0.01, 0.05, 0.0015, 0, 0.05}, 500, counts);
	assert_true(counts[KS_FASTER] >= 495);
	count_verdicts(&(struct world){3, 60, 0.005, 0.05, 0.0015, 0, -0.01}, 500, counts);
	assert_true(counts[KS_SLOWER] >= 480);
	assert_int_equal(counts[KS_FASTER], 0);
}

static void test_floors(void **state)
{
	(void)state;
	struct ks_estimate e = {.pairs = 30, .workers = 3, .log = 0.05, .se = 0.001, .df = 5,
		.lo_log = 0.045, .hi_log = 0.055, .seed_time = 105, .cand_time = 100};
	struct ks_floor floor = {0.01, 0.005, 1};
	assert_int_equal(ks_pairs_verdict(&e, &floor), KS_FASTER);
	floor.band = 0.046;
	assert_int_equal(ks_pairs_verdict(&e, &floor), KS_SAME);
	floor = (struct ks_floor){0.01, 0.06, 1};
	assert_int_equal(ks_pairs_verdict(&e, &floor), KS_SAME);
	floor = (struct ks_floor){0.01, 0.005, 6};
	assert_int_equal(ks_pairs_verdict(&e, &floor), KS_SAME);
	e.log = -0.05;
	e.lo_log = -0.055;
	e.hi_log = -0.045;
	floor = (struct ks_floor){0.01, 0.005, 1};
	assert_int_equal(ks_pairs_verdict(&e, &floor), KS_SLOWER);
	assert_true(ks_pairs_p(&e, 0.01) < 1e-4);
	assert_true(ks_pairs_p(&e, 0.06) == 1);
}

static void test_stop_rule(void **state)
{
	(void)state;
	struct ks_estimate e = {.pairs = 15, .workers = 3, .half_width = 0.004};
	struct ks_stop_rule rule = {0.005, 5, 3, 100, 1000};
	assert_int_equal(ks_pairs_stop(&e, &rule, 10), KS_STOP_TIGHT);
	assert_int_equal(ks_pairs_stop(&e, &rule, 1000), KS_STOP_BUDGET);
	e.half_width = 0.006;
	assert_int_equal(ks_pairs_stop(&e, &rule, 10), KS_STOP_NOT);
	e.half_width = 0.001;
	e.pairs = 14;
	assert_int_equal(ks_pairs_stop(&e, &rule, 10), KS_STOP_NOT);
	e.workers = 2;
	e.pairs = 40;
	assert_int_equal(ks_pairs_stop(&e, &rule, 10), KS_STOP_NOT);
	e.pairs = 100;
	assert_int_equal(ks_pairs_stop(&e, &rule, 10), KS_STOP_BUDGET);
	assert_string_equal(ks_stop_name(KS_STOP_TIGHT), "tight");
}

/* The example of Benjamini and Hochberg's paper of 1995: 15 tests, four kept. */
static void test_fdr(void **state)
{
	(void)state;
	static const double p[15] = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298,
		0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
	bool keep[15];
	ks_pairs_fdr(keep, p, 15, 0.05);
	for (size_t i = 0; i < 15; i++) {
		assert_int_equal(keep[i], i < 4);
	}
	ks_pairs_fdr(keep, p, 0, 0.05);
}

static void test_geomean(void **state)
{
	(void)state;
	struct ks_prior prior = ks_prior_default();
	struct source s = {0};
	enum { SCENARIOS = 8, RUNS = 300 };
	static const unsigned group[SCENARIOS];
	int hits = 0;
	for (int run = 0; run < RUNS; run++) {
		struct ks_estimate ests[SCENARIOS];
		bool ok[SCENARIOS];
		double truth = 0;
		for (int i = 0; i < SCENARIOS; i++) {
			struct world w = {3, 10, 0.01, 0.05, 0.0015, 0, 0.1 * i};
			struct ks_pairs *p = simulate(&s, &w);
			ks_pairs_estimate(&ests[i], p, &prior);
			ks_pairs_free(p);
			ok[i] = true;
			truth += w.gain / SCENARIOS;
		}
		struct ks_geomean g;
		ks_pairs_geomean(&g, ests, group, ok, SCENARIOS);
		hits += g.lo <= exp(truth) && exp(truth) <= g.hi;
		assert_int_equal(g.worst, 0);
		assert_true(g.hi / g.lo < 1.02);
		ok[5] = false;
		ks_pairs_geomean(&g, ests, group, ok, SCENARIOS);
		assert_true(g.value == 0 && g.lo == 0 && g.hi == 0);
		assert_int_equal(g.worst, 5);
	}
	assert_true(hits >= RUNS * 94 / 100);
}

/* A bias that a worker gives to every scenario does not average away. */
static void test_geomean_counts_shared_bias(void **state)
{
	(void)state;
	struct ks_prior prior = ks_prior_default();
	struct ks_estimate ests[6];
	bool ok[6];
	static const double shared[3] = {-0.02, 0, 0.02};
	struct source s = {0};
	for (int i = 0; i < 6; i++) {
		struct ks_pairs *p = ks_pairs_new();
		for (unsigned w = 0; w < 3; w++) {
			for (int k = 0; k < 10; k++) {
				ks_pairs_add(p, w, exp(shared[w] + 0.001 * normal(&s)), 1);
			}
		}
		ks_pairs_estimate(&ests[i], p, &prior);
		ks_pairs_free(p);
		ok[i] = true;
	}
	struct ks_geomean g;
	ks_pairs_geomean(&g, ests, (const unsigned[6]){0}, ok, 6);
	assert_true(log(g.hi / g.lo) / 2 > 0.015);
}

/* What a worker gives to all scenarios of its group averages away over the groups, and
 * the interval knows it: a lean of twice the prior's and more is covered. */
static void test_geomean_of_groups(void **state)
{
	(void)state;
	enum { SCENARIOS = 16, GROUPS = 4, WORKERS = 4, RUNS = 1000 };
	struct ks_prior prior = ks_prior_default();
	struct source s = {0};
	struct ks_estimate ests[SCENARIOS];
	struct ks_geomean g;
	unsigned group[SCENARIOS], one[SCENARIOS] = {0};
	bool ok[SCENARIOS];
	int hits = 0, hits_of_one = 0;
	for (int run = 0; run < RUNS; run++) {
		double lean[GROUPS][WORKERS];
		for (int i = 0; i < GROUPS * WORKERS; i++) {
			lean[i / WORKERS][i % WORKERS] = 0.004 * normal(&s);
		}
		for (unsigned i = 0; i < SCENARIOS; i++) {
			struct ks_pairs *p = ks_pairs_new();
			group[i] = i % GROUPS;
			ok[i] = true;
			for (unsigned k = 0; k < WORKERS * 8; k++) {
				double log = lean[group[i]][k % WORKERS] + 0.01 * normal(&s);
				ks_pairs_add(p, k % WORKERS, exp(log), 1);
			}
			ks_pairs_estimate(&ests[i], p, &prior);
			ks_pairs_free(p);
		}
		ks_pairs_geomean(&g, ests, one, ok, SCENARIOS);
		hits_of_one += g.lo <= 1 && 1 <= g.hi;
		ks_pairs_geomean(&g, ests, group, ok, SCENARIOS);
		hits += g.lo <= 1 && 1 <= g.hi;
	}
	assert_true(hits >= RUNS * 93 / 100);
	assert_true(hits > hits_of_one); /* one group: four workers' means alone */
}

static void test_median(void **state)
{
	(void)state;
	double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2};
	assert_true(ks_median(odd, 3) == 2);
	assert_true(ks_median(even, 4) == 2.5);
	assert_true(ks_median(odd, 0) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_student),
		cmocka_unit_test(test_median),
		cmocka_unit_test(test_estimate_by_hand),
		cmocka_unit_test(test_a_gain_stands_by_the_other_clock),
		cmocka_unit_test(test_scatter),
		cmocka_unit_test(test_one_pair_says_nothing),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_width_follows_the_world),
		cmocka_unit_test(test_seed_against_seed_is_same),
		cmocka_unit_test(test_bias_variance_is_unbiased),
		cmocka_unit_test(test_history_is_a_prior),
		cmocka_unit_test(test_real_changes_are_seen),
		cmocka_unit_test(test_floors),
		cmocka_unit_test(test_stop_rule),
		cmocka_unit_test(test_fdr),
		cmocka_unit_test(test_geomean),
		cmocka_unit_test(test_geomean_counts_shared_bias),
		cmocka_unit_test(test_geomean_of_groups),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
