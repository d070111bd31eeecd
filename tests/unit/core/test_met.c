/* A goal that is met: it stays met, is confirmed however fast, and chooses the
 * champion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <cmocka.h>

#include "rig.h"

/* Three scenarios; every one at the seed's speed or above, 1.5 in the mean. */
static void campaign(struct rig *r)
{
	rig_init_empty(r);
	rig_see(r, KS_BY_ENGINE, "campaign.created", "\"id\":\"c-1\",\"name\":\"met\","
		"\"target\":\"cpu\",\"mode\":\"none\",\"goal\":[\"every scenario correct\","
		"\"every speedup >= 1\",\"geomean speedup >= 1.5\"],\"seed\":{\"hash\":"
		"\"seed\",\"lines\":9}");
	for (int i = 0; i < 3; i++) {
		rig_see(r, KS_BY_ENGINE, "scenario.declared", "\"i\":%d,\"name\":\"s%d\","
			"\"set\":\"real\"", i, i);
	}
	rig_see(r, KS_BY_ENGINE, "engine.started", "\"pid\":1");
	rig_agent(r);
	rig_turn(r);
	rig_calls(r, 1);
}

/* One run of a candidate: the last scenario has another speedup than the two
 * before it; 0 is a wrong answer. */
static void run(struct rig *r, int number, bool confirm, double most, double last)
{
	int64_t eval = r->state.eval_queue > 0 ? r->state.eval_waiting[0] : r->evals++;
	double mean = last > 0 ? cbrt(most * most * last) : 0;

	rig_see(r, KS_BY_EVALUATOR, "candidate.committed", "\"candidate\":%d,\"commit\":"
		"\"c%d\",\"hash\":\"h%d\",\"parent\":0", number, number, number);
	rig_see(r, KS_BY_EVALUATOR, "eval.started", "\"eval\":%lld,\"candidate\":%d,"
		"\"confirm\":%s,\"total\":3", (long long)eval, number,
		confirm ? "true" : "false");
	for (int i = 0; i < 3; i++) {
		double s = i < 2 ? most : last;

		rig_see(r, KS_BY_EVALUATOR, "eval.scenario", "\"eval\":%lld,\"name\":\"s%d\","
			"\"correct\":%s,\"speedup\":%.9g,\"lo\":%.9g,\"hi\":%.9g,"
			"\"seed_us\":400,\"cand_us\":%.9g", (long long)eval, i,
			s > 0 ? "true" : "false", s, s * 0.99, s * 1.01,
			s > 0 ? 400 / s : 400);
	}
	rig_see(r, KS_BY_EVALUATOR, "eval.finished", "\"eval\":%lld,\"candidate\":%d,"
		"\"confirm\":%s,\"correct\":%d,\"scenarios\":3,\"geomean\":%.9g,"
		"\"geo_lo\":%.9g,\"geo_hi\":%.9g", (long long)eval, number,
		confirm ? "true" : "false", last > 0 ? 3 : 2, mean, mean * 0.99, mean * 1.01);
}

/* Candidate 1 is fast and fails a clause; candidate 2 is slower and meets all. */
static void fast_then_met(struct rig *r)
{
	campaign(r);
	run(r, 1, false, 4, 0.5);
	run(r, 1, true, 4, 0.5);
	assert_int_equal(r->state.champion, 1);
	assert_false(r->state.goal_met);
	rig_forget(r);
	run(r, 2, false, 1.7, 1.7);
	assert_true(rig_did(r, "confirm 2"));
	assert_false(r->state.goal_met);
	assert_int_equal(r->state.goal_candidate, 2);
	run(r, 2, true, 1.7, 1.7);
	assert_true(r->state.goal_met);
}

static void test_slower_candidate_that_meets_is_confirmed(void **state)
{
	struct rig r;

	fast_then_met(&r);
	assert_true(r.state.candidates[2].confirmed);
	assert_int_equal(r.state.goal_candidate, 2);
	rig_fini(&r);
}

static void test_met_goal_stays_met(void **state)
{
	static const double tries[][2] = {{1.6, 0.9}, {1.69, 1.69}, {0.7, 0.7}, {1.7, 0}};
	struct rig r;
	struct ks_state again;
	char *line;

	fast_then_met(&r);
	for (int i = 0; i < 4; i++) {
		rig_forget(&r);
		run(&r, 3 + i, false, tries[i][0], tries[i][1]);
		assert_false(rig_did(&r, "confirm"));
		assert_true(r.state.goal_met);
		assert_int_equal(r.state.goal_candidate, 2);
		assert_int_equal(r.state.n_met, 3);
		line = rig_last(&r, "goal.computed");
		assert_non_null(strstr(line, "\"candidate\":2,\"met\":true"));
		free(line);
	}
	rig_forget(&r);
	rig_turn_end(&r, "ended");
	assert_false(rig_did(&r, "prompt"));
	assert_int_equal(r.state.sent_back, 0);
	ks_state_init(&again);
	rig_refold(&r, &again);
	assert_true(again.goal_met);
	ks_state_fini(&again);
	rig_fini(&r);
}

/* A log in which the goal was computed for what came later. */
static void test_old_log_keeps_a_met_goal(void **state)
{
	static const char later[] = "{\"seq\":9000,\"t\":1,\"kind\":\"goal.computed\","
		"\"by\":\"engine\",\"candidate\":3,\"met\":false,\"n_met\":1,\"n\":1,"
		"\"clauses\":[{\"text\":\"every speedup >= 1\",\"outcome\":\"no\"}]}\n";
	struct rig r;

	fast_then_met(&r);
	fold_lines(&r.state, ks_str_of(later), 1, 1);
	assert_true(r.state.goal_met);
	assert_int_equal(r.state.goal_candidate, 2);
	assert_int_equal(r.state.n_met, 3);
	assert_int_equal(r.state.goal_seq, 9000);
	rig_fini(&r);
}

static void test_wrong_answer_takes_a_met_goal_back(void **state)
{
	struct rig r;

	fast_then_met(&r);
	run(&r, 2, false, 1.7, 0);
	assert_false(r.state.candidates[2].confirmed);
	assert_false(r.state.goal_met);
	rig_fini(&r);
}

static void test_champion_meets_the_goal(void **state)
{
	struct rig r;

	fast_then_met(&r);
	assert_int_equal(r.state.champion, 2);
	assert_true(fabs(r.state.best - 1.7) < 1e-6);
	run(&r, 3, false, 5, 0.5); /* faster, fails a clause */
	run(&r, 3, true, 5, 0.5);
	assert_true(r.state.candidates[3].confirmed);
	assert_int_equal(r.state.champion, 2);
	assert_true(r.state.goal_met);
	run(&r, 4, false, 2, 2); /* faster and meets all */
	run(&r, 4, true, 2, 2);
	assert_int_equal(r.state.champion, 4);
	assert_int_equal(r.state.goal_candidate, 4);
	rig_fini(&r);
}

/* One figure of the champion everywhere: that of its confirming run. */
static void test_a_later_look_keeps_the_confirmed_figures(void **state)
{
	struct rig r;
	const struct ks_candidate *c;

	campaign(&r);
	run(&r, 1, false, 1.3, 1.3);
	run(&r, 1, true, 1.28, 1.28);
	rig_forget(&r);
	run(&r, 1, false, 1.4, 1.4);
	assert_false(rig_did(&r, "confirm"));
	c = &r.state.candidates[r.state.champion];
	assert_int_equal(c->number, 1);
	assert_true(c->geomean == r.state.best);
	assert_true(fabs(r.state.best - 1.28) < 1e-6);
	assert_true(fabs((double)c->results[2].speedup - 1.28) < 1e-6);
	assert_int_equal(c->looks, 3);
	rig_fini(&r);
}

static void test_wrong_champion_makes_way(void **state)
{
	struct rig r;

	campaign(&r);
	run(&r, 1, false, 1.2, 1.2);
	run(&r, 1, true, 1.2, 1.2);
	run(&r, 2, false, 1.4, 1.4);
	run(&r, 2, true, 1.4, 1.4);
	assert_int_equal(r.state.champion, 2);
	run(&r, 2, false, 1.4, 0);
	assert_int_equal(r.state.champion, 1);
	assert_true(fabs(r.state.best - 1.2) < 1e-6);
	run(&r, 1, false, 1.2, 0);
	assert_int_equal(r.state.champion, 0);
	assert_true(r.state.best == r.state.candidates[0].geomean);
	run(&r, 2, false, 1.4, 1.4); /* right again: from the beginning */
	assert_false(r.state.candidates[2].confirmed);
	run(&r, 2, true, 1.4, 1.4);
	assert_int_equal(r.state.champion, 2);
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slower_candidate_that_meets_is_confirmed),
		cmocka_unit_test(test_met_goal_stays_met),
		cmocka_unit_test(test_old_log_keeps_a_met_goal),
		cmocka_unit_test(test_wrong_answer_takes_a_met_goal_back),
		cmocka_unit_test(test_champion_meets_the_goal),
		cmocka_unit_test(test_wrong_champion_makes_way),
		cmocka_unit_test(test_a_later_look_keeps_the_confirmed_figures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
