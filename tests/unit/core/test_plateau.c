/* When a plateau is raised, and when not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rig.h"

static void test_plateau_by_evaluations(void **state)
{
	struct rig r;

	rig_working(&r);
	rig_eval(&r, 1.3);
	rig_confirm(&r, 1, 1.3);
	for (int i = 0; i < 5; i++) {
		rig_eval(&r, 1.29);
	}
	assert_int_equal(rig_moments(&r, KS_MOMENT_PLATEAU), 0);
	rig_eval(&r, 1.3);
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_PLATEAU);
	assert_non_null(strstr(rig_open(&r)->evidence, "6 evaluations"));
	assert_non_null(strstr(rig_open(&r)->evidence, "best 1.30x"));
	rig_fini(&r);
}

static void test_plateau_leaves_out_what_is_nothing(void **state)
{
	struct rig r;

	rig_working(&r);
	r.policy.plateau_evals = 2;
	rig_eval(&r, 1.0);
	rig_eval(&r, 1.0);
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_PLATEAU);
	assert_ptr_equal(strstr(rig_open(&r)->evidence,
		"2 evaluations and 2 calls without a gain"), rig_open(&r)->evidence);
	assert_non_null(strstr(rig_open(&r)->evidence, "best 1.00x, the seed"));
	rig_fini(&r);
	rig_working(&r);
	rig_eval(&r, 1.0);
	r.t += 46ll * 60 * 1000000;
	rig_calls(&r, 1);
	assert_ptr_equal(strstr(rig_open(&r)->evidence,
		"1 evaluation, 2 calls and 46 min without"), rig_open(&r)->evidence);
	rig_fini(&r);
}

/* A turn's end is a decision in any case: half as many say of which kind. */
static void test_plateau_at_a_turn_end(void **state)
{
	struct rig r;

	rig_working(&r);
	rig_eval(&r, 1.3);
	rig_confirm(&r, 1, 1.3);
	for (int i = 0; i < 3; i++) {
		rig_eval(&r, 1.2);
	}
	assert_null(rig_open(&r));
	rig_turn_end(&r, "ended");
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_PLATEAU);
	rig_fini(&r);
}

static void test_claim_at_a_turn_end_is_quoted_again(void **state)
{
	struct rig r;

	rig_working(&r);
	for (int i = 0; i < 2; i++) {
		rig_calls(&r, 1);
		rig_said(&r, "The optimization is complete and the task is done.");
		rig_turn_end(&r, "ended");
		assert_non_null(strstr(rig_open(&r)->evidence, "\"The optimization is "
			"complete and the task is done.\"; 0 of 2 clauses hold"));
		rig_say(&r, "Go on.");
		rig_turn(&r);
	}
	rig_fini(&r);
}

static void test_plateau_by_calls(void **state)
{
	struct rig r;

	rig_working(&r);
	rig_eval(&r, 1.0);
	rig_calls(&r, 58);
	assert_int_equal(rig_moments(&r, KS_MOMENT_PLATEAU), 0);
	rig_calls(&r, 2);
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_PLATEAU);
	rig_fini(&r);
}

static void test_plateau_by_time(void **state)
{
	struct rig r;

	rig_working(&r);
	rig_eval(&r, 1.0);
	r.t += 46ll * 60 * 1000000;
	rig_calls(&r, 1);
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_PLATEAU);
	rig_fini(&r);
}

static void test_no_plateau_while_an_idea_is_built(void **state)
{
	struct rig r;

	rig_working(&r);
	rig_eval(&r, 1.0);
	rig_tool(&r, "edit", "kernel.c");
	rig_calls(&r, 80);
	assert_int_equal(rig_moments(&r, KS_MOMENT_PLATEAU), 0);
	rig_see(&r, KS_BY_EVALUATOR, "eval.started", "\"eval\":77,\"candidate\":1");
	rig_see(&r, KS_BY_EVALUATOR, "eval.failed",
		"\"eval\":77,\"candidate\":1,\"stage\":\"build\",\"text\":\"x\"");
	rig_calls(&r, 1);
	assert_int_equal(rig_moments(&r, KS_MOMENT_PLATEAU), 0);
	rig_fini(&r);
}

static void test_no_plateau_while_a_gain_is_confirmed(void **state)
{
	struct rig r;

	rig_working(&r);
	for (int i = 0; i < 5; i++) {
		rig_eval(&r, 1.0);
	}
	rig_eval(&r, 1.5);
	assert_int_equal(rig_moments(&r, KS_MOMENT_PLATEAU), 0);
	rig_confirm(&r, 6, 1.5);
	assert_int_equal(rig_moments(&r, KS_MOMENT_PLATEAU), 0);
	rig_fini(&r);
}

static void test_a_new_word_gives_room(void **state)
{
	struct rig r;

	rig_working(&r);
	for (int i = 0; i < 5; i++) {
		rig_eval(&r, 1.0);
	}
	rig_turn_end(&r, "ended");
	rig_say(&r, "What does the call cost without its loop?");
	rig_turn(&r);
	r.policy.moment_distance = 0;
	for (int i = 0; i < 5; i++) {
		rig_eval(&r, 1.0);
	}
	assert_null(rig_open(&r));
	rig_eval(&r, 1.0);
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_PLATEAU);
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plateau_by_evaluations),
		cmocka_unit_test(test_plateau_leaves_out_what_is_nothing),
		cmocka_unit_test(test_plateau_at_a_turn_end),
		cmocka_unit_test(test_claim_at_a_turn_end_is_quoted_again),
		cmocka_unit_test(test_plateau_by_calls),
		cmocka_unit_test(test_plateau_by_time),
		cmocka_unit_test(test_no_plateau_while_an_idea_is_built),
		cmocka_unit_test(test_no_plateau_while_a_gain_is_confirmed),
		cmocka_unit_test(test_a_new_word_gives_room),
	};

	return cmocka_run_group_tests_name("plateau", tests, NULL, NULL);
}
