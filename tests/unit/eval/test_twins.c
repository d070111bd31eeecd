/*
 * Statistics of twins, four calls each: worlds in which a call is only ever made
 * longer, as on a processor that is not ours alone. Randomness is counter-based and
 * fixed, so a count here is the same on every run.
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
	static const uint32_t key[2] = {19, 70};
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
	size_t twins;  /* in each worker but the last ...              */
	size_t last;   /* ... and in that one                          */
	double noise;  /* of every call, log units                     */
	double slowed; /* share of calls that are slowed down          */
	double by;     /* mean of how much, exponential                */
	double phase;  /* spread of how slow the machine is for a worker */
	double bias;   /* spread of a worker's own bias                */
	double gain;   /* the truth                                    */
};

static double call(struct source *s, const struct world *w, double at)
{
	double v = at + w->noise * normal(s);
	if (uniform(s) < w->slowed) {
		v -= w->by * log(uniform(s));
	}
	return exp(v);
}

static void add_twin(struct ks_pairs *twins, struct ks_pairs *pairs, struct source *s,
	const struct world *w, unsigned worker, double phase, double bias)
{
	double seed[2], cand[2];
	for (int k = 0; k < 2; k++) {
		seed[k] = call(s, w, phase + w->gain + bias);
		cand[k] = call(s, w, phase);
	}
	assert_true(ks_pairs_add_twin(twins, worker, seed, cand));
	assert_true(ks_pairs_add(pairs, worker, sqrt(seed[0] * seed[1]),
		sqrt(cand[0] * cand[1])));
}

/* The same calls twice: by call, and by the ratio of a twin. */
static void simulate(struct ks_pairs *out[2], struct source *s, const struct world *w)
{
	out[0] = ks_pairs_new();
	out[1] = ks_pairs_new();
	for (unsigned k = 0; k < w->workers; k++) {
		double phase = w->phase * normal(s), bias = w->bias * normal(s);
		for (size_t i = 0; i < (k + 1 < w->workers ? w->twins : w->last); i++) {
			add_twin(out[0], out[1], s, w, k, phase, bias);
		}
	}
}

static void let_go(struct ks_pairs *lists[2])
{
	ks_pairs_free(lists[0]);
	ks_pairs_free(lists[1]);
}

struct seen {
	double holds;     /* share of intervals with the truth  */
	double off[2];    /* root mean square error: twins, pairs */
	double mean;      /* of the estimates, less the truth   */
};

static struct seen look(const struct world *w, int runs)
{
	struct source s = {0};
	struct ks_prior prior = ks_prior_default();
	struct seen seen = {0};
	for (int i = 0; i < runs; i++) {
		struct ks_pairs *lists[2];
		struct ks_estimate e[2];
		simulate(lists, &s, w);
		for (int k = 0; k < 2; k++) {
			ks_pairs_estimate(&e[k], lists[k], &prior);
			seen.off[k] += (e[k].log - w->gain) * (e[k].log - w->gain) / runs;
		}
		seen.mean += (e[0].log - w->gain) / runs;
		seen.holds += (e[0].lo_log <= w->gain && w->gain <= e[0].hi_log) / (double)runs;
		let_go(lists);
	}
	seen.off[0] = sqrt(seen.off[0]);
	seen.off[1] = sqrt(seen.off[1]);
	return seen;
}

static void test_by_hand(void **state)
{
	(void)state;
	struct ks_pairs *p = ks_pairs_new();
	struct ks_prior prior = ks_prior_default();
	struct ks_estimate e;
	/* The second worker's calls take ten times as long, one is held up, and one was
	 * over too soon. */
	static const double seed[5][2] = {{4, 4}, {4, 4}, {40, 40}, {40, 9000}, {40, 40}};
	static const double cand[5][2] = {{2, 2}, {2, 4}, {20, 1e-6}, {20, 40}, {20, 20}};
	assert_false(ks_pairs_add_twin(p, 0, (double[2]){0, 1}, cand[0]));
	assert_false(ks_pairs_add_twin(p, 0, seed[0], (double[2]){1, NAN}));
	assert_false(ks_pairs_add_twin(p, KS_WORKERS_MAX, seed[0], cand[0]));
	for (unsigned i = 0; i < 5; i++) {
		assert_true(ks_pairs_add_twin(p, i >= 2, seed[i], cand[i]));
	}
	ks_pairs_estimate(&e, p, &prior);
	assert_int_equal(e.pairs, 5);
	assert_int_equal(e.workers, 2);
	assert_true(fabs(e.ratio - 2) < 1e-12);
	assert_true(fabs(e.seed_time - 4 * pow(10, 0.6)) < 1e-9);
	assert_true(fabs(e.seed_time / e.cand_time - e.ratio) < 1e-12);
	assert_true(e.lo < e.ratio && e.ratio < e.hi);
	/* The workers' centres, by their share, have the estimate as their mean. */
	assert_true(fabs(0.4 * e.worker_log[0] + 0.6 * e.worker_log[1] - e.log) < 1e-12);
	ks_pairs_free(p);
}

static void test_one_twin(void **state)
{
	(void)state;
	struct ks_pairs *p = ks_pairs_new();
	struct ks_prior prior = ks_prior_default();
	struct ks_estimate e;
	assert_true(ks_pairs_scatter(p) == 0);
	ks_pairs_add_twin(p, 3, (double[2]){3, 3}, (double[2]){1, 1});
	ks_pairs_estimate(&e, p, &prior);
	assert_true(fabs(e.ratio - 3) < 1e-12 && isinf(e.half_width));
	assert_true(ks_pairs_scatter(p) == 0);
	assert_true(isnan(ks_pairs_bias_variance(p)));
	ks_pairs_free(p);
}

static const struct world worlds[] = {
	{4, 3, 3, 0.01, 0.3, 0.1, 0.05, 0, 0},
	{4, 3, 3, 0.02, 0.5, 0.1, 0.05, 0, 0.7},
	{4, 8, 8, 0.02, 0.3, 0.2, 0.1, 0.0015, 0},
	{8, 5, 5, 0.02, 0.3, 0.1, 0.02, 0.003, 0.05},
	{4, 12, 3, 0.02, 0.3, 0.1, 0.02, 0, 0},
	{4, 40, 40, 0.02, 0.3, 0.1, 0.02, 0.0015, -0.3},
	{4, 5, 5, 0.02, 0.45, 0.8, 0.1, 0, 1.4}, /* a busy machine */
};

static void test_intervals_hold_the_truth(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(worlds) / sizeof(worlds[0]); i++) {
		struct seen seen = look(&worlds[i], 500);
		if (seen.holds < 0.945 || fabs(seen.mean) > 0.002) {
			fail_msg("world %zu: %.3f hold the truth, mean %.5f", i, seen.holds,
				seen.mean);
		}
	}
}

/* What it is for: the same calls say more than the ratios of their twins. */
static void test_calls_say_more_than_twins(void **state)
{
	(void)state;
	for (size_t i = 0; i < 5; i++) {
		struct seen seen = look(&worlds[i], 200);
		if (seen.off[0] > 0.85 * seen.off[1]) {
			fail_msg("world %zu: %.5f by call, %.5f by twin", i, seen.off[0],
				seen.off[1]);
		}
	}
}

static void test_seed_against_seed_is_same(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(worlds) / sizeof(worlds[0]); i++) {
		struct source s = {0};
		struct ks_prior prior = ks_prior_default();
		struct world w = worlds[i], few = worlds[i];
		int differ = 0;
		w.gain = few.gain = 0;
		few.twins = w.twins / 4 + 1;
		few.last = w.last / 4 + 1;
		for (int k = 0; k < 300; k++) {
			struct ks_pairs *lists[2], *same[2];
			struct ks_estimate e;
			simulate(lists, &s, &w);
			simulate(same, &s, &few);
			ks_pairs_estimate(&e, lists[0], &prior);
			struct ks_floor floor = {ks_pairs_band(same[0], e.pairs, &prior), 0.01, 0};
			differ += ks_pairs_verdict(&e, &floor) != KS_SAME;
			let_go(lists);
			let_go(same);
		}
		if (differ > 3) { /* 1 % */
			fail_msg("world %zu: %d of 300 are not the same", i, differ);
		}
	}
}

static void test_bias_variance_is_unbiased(void **state)
{
	(void)state;
	static const double biases[] = {0, 0.01};
	for (size_t i = 0; i < 2; i++) {
		struct source s = {0};
		double sum = 0, truth = biases[i] * biases[i];
		for (int k = 0; k < 600; k++) {
			struct ks_pairs *lists[2];
			simulate(lists, &s, &(struct world){4, 12, 5, 0.01, 0.2, 0.05, 0.02,
				biases[i], 0});
			sum += ks_pairs_bias_variance(lists[0]) / 600;
			let_go(lists);
		}
		if (fabs(sum - truth) > 0.1 * truth + 4e-6) {
			fail_msg("a variance of %.3g came out as %.3g", truth, sum);
		}
	}
}

/* A candidate that is quick in one call of eleven gains nothing; nor does a seed that is
 * held up in one of five make it faster by more than a little. */
static void test_lucky_calls_gain_nothing(void **state)
{
	(void)state;
	struct source s = {0};
	struct ks_prior prior = ks_prior_default();
	struct ks_pairs *p = ks_pairs_new();
	struct ks_estimate e;
	int n = 0;
	for (unsigned i = 0; i < 40; i++) {
		double seed[2], cand[2];
		for (int k = 0; k < 2; k++) {
			seed[k] = exp(0.01 * normal(&s)) * (n % 5 == 2 ? 7 : 1);
			cand[k] = exp(0.01 * normal(&s)) * (n % 11 == 0 ? 0.01 : 1);
			n++;
		}
		ks_pairs_add_twin(p, i % 8, seed, cand);
	}
	ks_pairs_estimate(&e, p, &prior);
	assert_true(fabs(e.log) < 0.01 && e.lo_log < 0.005);
	ks_pairs_free(p);
}

static void test_wanted(void **state)
{
	(void)state;
	static const struct {
		double log, half_width, wanted;
	} table[] = {
		{0, 0.005, 0.005}, {0.03, 0.005, 0.005}, {-0.03, 0.005, 0.005},
		{0.1, 0.005, 0.01}, {-0.1, 0.005, 0.01}, {0.7, 0.005, 0.02},
		{-3, 0.005, 0.02}, {3, 0.05, 0.05},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct ks_estimate e = {.log = table[i].log};
		assert_true(fabs(ks_pairs_wanted(&e, table[i].half_width) - table[i].wanted) <
			1e-12);
	}
}

/* Stopping by the size of the change leaves its estimate where it is. */
/* Draws twins until their first list is known to half a percent. */
static void look_until_known(struct ks_estimate *e, struct ks_pairs *lists[2], struct source *s,
	const struct world *w, const struct ks_prior *prior)
{
	for (size_t n = 32; n < 400 && e->half_width > ks_pairs_wanted(e, 0.005); n += n / 4) {
		while (ks_pairs_count(lists[0]) < n) {
			add_twin(lists[0], lists[1], s, w, ks_pairs_count(lists[0]) % 4, 0, 0);
		}
		ks_pairs_estimate(e, lists[0], prior);
	}
}

static void test_stopping_favours_nobody(void **state)
{
	(void)state;
	static const double gains[] = {0, 0.06, -0.12};
	struct ks_prior prior = ks_prior_default();
	for (size_t i = 0; i < sizeof(gains) / sizeof(gains[0]); i++) {
		struct source s = {0};
		struct world w = {4, 0, 0, 0.02, 0, 0, 0, 0.0005, gains[i]};
		double mean = 0, holds = 0, twins = 0;
		for (int k = 0; k < 300; k++) {
			struct ks_pairs *lists[2] = {ks_pairs_new(), ks_pairs_new()};
			struct ks_estimate e = {.half_width = INFINITY};
			look_until_known(&e, lists, &s, &w, &prior);
			mean += (e.log - gains[i]) / 300;
			twins += (double)e.pairs / 300;
			holds += (e.lo_log <= gains[i] && gains[i] <= e.hi_log) / 300.0;
			let_go(lists);
		}
		if (fabs(mean) > 0.0006 || holds < 0.93) {
			fail_msg("gain %g: off by %.5f, %.3f hold, %.0f twins", gains[i], mean,
				holds, twins);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_one_twin),
		cmocka_unit_test(test_intervals_hold_the_truth),
		cmocka_unit_test(test_calls_say_more_than_twins),
		cmocka_unit_test(test_seed_against_seed_is_same),
		cmocka_unit_test(test_bias_variance_is_unbiased),
		cmocka_unit_test(test_lucky_calls_gain_nothing),
		cmocka_unit_test(test_wanted),
		cmocka_unit_test(test_stopping_favours_nobody),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
