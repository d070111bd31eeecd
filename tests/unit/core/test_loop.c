/* The goal loop: what an agent that waits is told, in every mode. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rig.h"

#include "base/mem.h"

/* ---- start ---- */

static void test_start_none(void **state)
{
	struct rig r;

	rig_init(&r, "none");
	rig_agent(&r);
	assert_true(rig_did(&r, "prompt"));
	assert_true(rig_did(&r, "AGENTS.md"));
	assert_int_equal(r.state.n_messages, 1);
	assert_int_equal(r.state.steer, -1);
	assert_int_equal(rig_moments(&r, KS_MOMENT_START), 1);
	assert_null(rig_open(&r));
	rig_fini(&r);
}

static void test_start_human_waits_for_a_word(void **state)
{
	struct rig r;

	rig_init(&r, "human");
	rig_agent(&r);
	assert_false(rig_did(&r, "prompt"));
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_START);
	assert_int_equal(rig_open(&r)->n_offers, 3);
	rig_say(&r, "Is the seed bound by memory?");
	assert_true(rig_did(&r, "AGENTS.md"));
	assert_true(rig_did(&r, "Is the seed bound by memory?"));
	assert_null(rig_open(&r));
	assert_int_equal(r.state.moments[0].state, KS_MOMENT_ANSWERED);
	assert_int_equal(r.state.messages[0].moment, 0);
	rig_fini(&r);
}

static void test_start_human_dismissed(void **state)
{
	struct rig r;

	rig_init(&r, "human");
	rig_agent(&r);
	assert_int_equal(rig_do(&r, KS_CMD_DISMISS, KS_BY_HUMAN, "{}"), 0);
	assert_true(rig_did(&r, "AGENTS.md"));
	rig_fini(&r);
}

static void test_start_human_that_does_not_wait(void **state)
{
	struct rig r;

	rig_init(&r, "human");
	r.policy.start_waits = false;
	rig_agent(&r);
	assert_true(rig_did(&r, "AGENTS.md"));
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_START);
	rig_fini(&r);
}

static void test_start_bank(void **state)
{
	struct rig r;

	rig_init(&r, "bank");
	rig_agent(&r);
	assert_false(rig_did(&r, "prompt"));
	assert_true(rig_did(&r, "timer bank 30000"));
	assert_true(r.state.draft_until > 0);
	rig_timer(&r, "bank");
	assert_true(rig_did(&r, "AGENTS.md"));
	assert_string_equal(r.state.messages[0].question, r.state.moments[0].offers[0].question);
	assert_int_equal(r.state.draft_until, 0);
	rig_fini(&r);
}

static void test_start_unattended(void **state)
{
	struct rig r;

	rig_init(&r, "human");
	r.policy.unattended = true;
	rig_agent(&r);
	assert_true(rig_did(&r, "AGENTS.md"));
	assert_true(r.state.messages[0].question[0] != '\0');
	rig_fini(&r);
}

static void test_own_brief(void **state)
{
	struct rig r;

	rig_init(&r, "none");
	r.policy.brief = "Read the notes first.";
	rig_agent(&r);
	assert_true(rig_did(&r, "Read the notes first."));
	rig_fini(&r);
}

static void test_agent_again(void **state)
{
	struct rig r;

	rig_one_turn(&r, "none", "ended");
	rig_see(&r, KS_BY_AGENT, "agent.exited", "\"status\":0");
	rig_forget(&r);
	rig_agent(&r);
	assert_int_equal(rig_moments(&r, KS_MOMENT_START), 1);
	assert_true(rig_did(&r, "AGENTS.md"));
	assert_true(rig_did(&r, "The goal is not met"));
	rig_fini(&r);
}

/* ---- the turn's end ---- */

static void test_none_sends_back_at_once(void **state)
{
	struct rig r;

	rig_one_turn(&r, "none", "ended");
	assert_true(rig_did(&r, "The goal is not met: 0 of 2 clauses hold for the seed."));
	assert_true(rig_did(&r, "every scenario correct"));
	assert_int_equal(r.state.sent_back, 1);
	assert_int_equal(r.state.agent, KS_AGENT_WORKING);
	assert_true(r.state.messages[r.state.n_messages - 1].is_goal);
	assert_null(rig_open(&r));
	rig_fini(&r);
}

static void test_bank_waits_then_sends_both(void **state)
{
	struct rig r;

	rig_one_turn(&r, "bank", "ended");
	assert_false(rig_did(&r, "prompt"));
	assert_true(rig_did(&r, "timer bank 30000"));
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_COMPLETION);
	assert_true(r.state.draft_until > 0);
	r.t += 30000000;
	rig_timer(&r, "bank");
	assert_true(rig_did(&r, r.state.moments[1].offers[0].text));
	assert_true(rig_did(&r, "The goal is not met"));
	assert_int_equal(r.state.sent_back, 1);
	assert_int_equal(r.state.moments[1].state, KS_MOMENT_ANSWERED);
	assert_false(r.state.messages[r.state.n_messages - 1].is_goal);
	rig_fini(&r);
}

static void test_touch_arms_the_bank_anew(void **state)
{
	struct rig r;

	rig_one_turn(&r, "bank", "ended");
	rig_forget(&r);
	assert_int_equal(rig_do(&r, KS_CMD_TOUCH, KS_BY_HUMAN, "{}"), 0);
	assert_true(rig_did(&r, "timer bank 30000"));
	rig_timer(&r, "bank");
	rig_forget(&r);
	assert_int_equal(rig_do(&r, KS_CMD_TOUCH, KS_BY_HUMAN, "{}"), 0);
	assert_false(rig_did(&r, "timer"));
	rig_fini(&r);
}

static void test_human_waits(void **state)
{
	struct rig r;
	char *line;

	rig_one_turn(&r, "human", "ended");
	assert_false(rig_did(&r, "prompt"));
	assert_false(rig_did(&r, "timer bank "));
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_COMPLETION);
	rig_say(&r, "Where does the time go?");
	assert_true(rig_did(&r, "Where does the time go?"));
	assert_true(rig_did(&r, "The goal is not met"));
	assert_int_equal(r.state.sent_back, 0);
	assert_int_equal(r.state.messages[r.state.n_messages - 1].by, KS_BY_HUMAN);
	line = rig_last(&r, "message.sent");
	assert_non_null(strstr(line, "\"goal\":false"));
	assert_non_null(strstr(line, "\"clauses\":\"The goal is not met"));
	free(line);
	assert_null(rig_open(&r));
	rig_fini(&r);
}

static void test_human_dismisses(void **state)
{
	struct rig r;

	rig_one_turn(&r, "human", "ended");
	assert_int_equal(rig_do(&r, KS_CMD_DISMISS, KS_BY_HUMAN, "{\"why\":\"go on\"}"), 0);
	assert_true(rig_did(&r, "The goal is not met"));
	assert_true(r.state.messages[r.state.n_messages - 1].is_goal);
	rig_fini(&r);
}

static void test_human_wait_ends(void **state)
{
	struct rig r;
	char *line;

	rig_one_turn(&r, "human", "ended");
	assert_true(rig_did(&r, "timer human 900000"));
	assert_true(r.state.draft_until > r.t);
	rig_forget(&r);
	assert_int_equal(rig_do(&r, KS_CMD_TOUCH, KS_BY_HUMAN, "{}"), 0);
	assert_true(rig_did(&r, "timer human 900000"));
	r.t += 900000000;
	rig_timer(&r, "human");
	assert_true(rig_did(&r, "The goal is not met"));
	assert_true(r.state.messages[r.state.n_messages - 1].is_goal);
	assert_int_equal(r.state.sent_back, 1);
	assert_null(rig_open(&r));
	line = rig_last(&r, "moment.dismissed");
	assert_non_null(strstr(line, "\"timeout\":true"));
	free(line);
	/* It is not taken for a person's word. */
	assert_false(r.state.moments[r.state.n_moments - 1].by_person);
	rig_fini(&r);
}

static void test_human_waits_for_ever(void **state)
{
	struct rig r;

	rig_init(&r, "human");
	r.policy.human_wait_ms = 0;
	rig_agent(&r);
	rig_say(&r, "Begin.");
	rig_turn(&r);
	rig_calls(&r, 1);
	rig_forget(&r);
	rig_turn_end(&r, "ended");
	assert_false(rig_did(&r, "timer human"));
	assert_int_equal(r.state.draft_until, 0);
	rig_timer(&r, "bank");
	rig_timer(&r, "sendback");
	assert_false(rig_did(&r, "prompt"));
	rig_fini(&r);
}

static void test_human_dismisses_within_the_floor(void **state)
{
	struct rig r;

	rig_init(&r, "human");
	r.policy.sendback_floor_ms = 50000;
	rig_agent(&r);
	rig_say(&r, "Begin.");
	for (int i = 0; i < 2; i++) {
		rig_turn(&r);
		rig_calls(&r, 1);
		rig_forget(&r);
		rig_turn_end(&r, "ended");
		assert_int_equal(rig_do(&r, KS_CMD_DISMISS, KS_BY_HUMAN, "{}"), 0);
	}
	assert_false(rig_did(&r, "prompt"));
	assert_true(rig_did(&r, "timer sendback"));
	r.t += 50000000;
	rig_timer(&r, "sendback");
	assert_true(rig_did(&r, "prompt"));
	rig_fini(&r);
}

static void test_new_code_is_measured_first(void **state)
{
	struct rig r;

	rig_init(&r, "none");
	r.fresh = true;
	rig_agent(&r);
	rig_turn(&r);
	rig_tool(&r, "edit", "kernel.c");
	rig_forget(&r);
	rig_turn_end(&r, "ended");
	assert_true(rig_did(&r, "eval-fresh"));
	assert_false(rig_did(&r, "prompt"));
	rig_eval(&r, 1.2);
	rig_confirm(&r, 1, 1.2);
	assert_true(rig_did(&r, "The goal is not met: 1 of 2 clauses hold for candidate 1"));
	assert_int_equal(r.state.sent_back, 1);
	rig_fini(&r);
}

static void test_new_code_that_meets_the_goal(void **state)
{
	struct rig r;

	rig_init(&r, "human");
	r.fresh = true;
	rig_agent(&r);
	rig_say(&r, "Begin.");
	rig_turn(&r);
	rig_tool(&r, "edit", "kernel.c");
	rig_turn_end(&r, "ended");
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_COMPLETION);
	rig_forget(&r);
	rig_eval(&r, 2.5);
	rig_confirm(&r, 1, 2.5);
	assert_true(r.state.goal_met);
	assert_null(rig_open(&r));
	assert_false(rig_did(&r, "prompt"));
	rig_timer(&r, "human");
	assert_false(rig_did(&r, "prompt"));
	rig_fini(&r);
}

static void test_new_code_that_does_not_build(void **state)
{
	struct rig r;

	rig_init(&r, "none");
	r.fresh = true;
	rig_agent(&r);
	rig_turn(&r);
	rig_tool(&r, "edit", "kernel.c");
	rig_forget(&r);
	rig_turn_end(&r, "ended");
	assert_int_equal(rig_do(&r, KS_CMD_EVAL, KS_BY_ENGINE, "{}"), 0);
	rig_see(&r, KS_BY_EVALUATOR, "eval.started", "\"eval\":%lld,\"candidate\":-1",
		(long long)r.state.eval_waiting[0]);
	rig_see(&r, KS_BY_EVALUATOR, "eval.failed", "\"eval\":%lld,\"candidate\":-1,"
		"\"stage\":\"build\",\"text\":\"error\"", (long long)r.state.eval.id);
	assert_true(rig_did(&r, "The goal is not met"));
	rig_fini(&r);
}

static void test_a_queued_word_waits_for_no_measurement(void **state)
{
	struct rig r;

	rig_init(&r, "none");
	r.fresh = true;
	rig_agent(&r);
	rig_turn(&r);
	rig_tool(&r, "edit", "kernel.c");
	rig_say(&r, "Look at the loads.");
	rig_forget(&r);
	rig_turn_end(&r, "ended");
	assert_false(rig_did(&r, "eval-fresh"));
	assert_true(rig_did(&r, "Look at the loads."));
	rig_fini(&r);
}

static void test_a_dead_api_is_not_hammered(void **state)
{
	struct rig r;
	int64_t began;

	rig_init(&r, "none");
	rig_agent(&r);
	began = r.t;
	/* Each prompt comes back at once as an error, for as long as it is tried. */
	for (int i = 0; i < 60 && r.state.agent == KS_AGENT_WORKING; i++) {
		rig_turn(&r);
		rig_forget(&r);
		rig_turn_end(&r, "error");
		if (rig_did(&r, "timer retry")) {
			r.t += r.policy.retry_ms * 1000 << i;
			rig_timer(&r, "retry");
		}
	}
	assert_int_equal(r.state.turns, 1 + r.policy.retry_limit);
	assert_true(r.t - began > (int64_t)60 * 1000000);
	rig_fini(&r);
}

static void test_unattended_goes_at_once(void **state)
{
	struct rig r;

	rig_init(&r, "human");
	r.policy.unattended = true;
	rig_agent(&r);
	rig_turn(&r);
	rig_calls(&r, 1);
	rig_forget(&r);
	rig_turn_end(&r, "ended");
	assert_true(rig_did(&r, "prompt"));
	assert_true(rig_did(&r, "The goal is not met"));
	assert_false(rig_did(&r, "timer bank "));
	rig_fini(&r);
}

static void test_mode_changes_while_waiting(void **state)
{
	struct rig r;

	rig_one_turn(&r, "human", "ended");
	assert_int_equal(rig_do(&r, KS_CMD_MODE, KS_BY_HUMAN, "{\"mode\":\"bank\"}"), 0);
	assert_true(rig_did(&r, "timer bank 30000"));
	rig_forget(&r);
	assert_int_equal(rig_do(&r, KS_CMD_MODE, KS_BY_HUMAN, "{\"mode\":\"human\"}"), 0);
	assert_true(rig_did(&r, "untimer bank"));
	rig_timer(&r, "bank");
	assert_false(rig_did(&r, "prompt"));
	assert_int_equal(rig_do(&r, KS_CMD_MODE, KS_BY_HUMAN, "{\"mode\":\"none\"}"), 0);
	assert_true(rig_did(&r, "prompt"));
	assert_int_equal(rig_do(&r, KS_CMD_MODE, KS_BY_HUMAN, "{\"mode\":\"soft\"}"), KS_EINVAL);
	rig_fini(&r);
}

static void test_met_goal_sends_nothing(void **state)
{
	struct rig r;

	rig_init(&r, "none");
	rig_agent(&r);
	rig_turn(&r);
	rig_eval(&r, 2.5);
	assert_true(rig_did(&r, "confirm 1"));
	assert_false(r.state.goal_met);
	rig_confirm(&r, 1, 2.5);
	assert_true(r.state.goal_met);
	rig_forget(&r);
	rig_turn_end(&r, "ended");
	assert_false(rig_did(&r, "prompt"));
	assert_int_equal(r.state.sent_back, 0);
	assert_int_equal(rig_moments(&r, KS_MOMENT_COMPLETION), 0);
	rig_fini(&r);
}

static void test_met_goal_ends_an_unattended_engine(void **state)
{
	struct rig r;

	rig_init(&r, "bank");
	r.policy.unattended = true;
	rig_agent(&r);
	rig_turn(&r);
	rig_eval(&r, 2.5);
	rig_confirm(&r, 1, 2.5);
	rig_turn_end(&r, "ended");
	assert_true(rig_did(&r, "engine-stop"));
	rig_fini(&r);
}

static void test_waits_for_the_confirming_run(void **state)
{
	struct rig r;

	rig_init(&r, "none");
	rig_agent(&r);
	rig_turn(&r);
	rig_eval(&r, 2.5);
	rig_forget(&r);
	rig_turn_end(&r, "ended");
	assert_false(rig_did(&r, "prompt"));
	rig_confirm(&r, 1, 1.4);
	assert_true(rig_did(&r, "prompt"));
	rig_fini(&r);
}

static void test_cancelled_and_limit_compute_nothing(void **state)
{
	static const char *const hows[] = {"cancelled", "limit"};

	for (int i = 0; i < 2; i++) {
		struct rig r;
		char *goal;

		rig_one_turn(&r, "none", hows[i]);
		assert_false(rig_did(&r, "prompt"));
		goal = rig_last(&r, "goal.computed");
		assert_string_equal(goal, "");
		free(goal);
		rig_fini(&r);
	}
}

static void test_errors_are_tried_again(void **state)
{
	struct rig r;
	static const char *const waits[] = {"2000", "4000", "8000", "16000", "32000"};

	rig_one_turn(&r, "none", "error");
	for (int i = 0; i < 5; i++) {
		char timer[32];

		snprintf(timer, sizeof(timer), "timer retry %s", waits[i]);
		assert_true(rig_did(&r, timer));
		rig_timer(&r, "retry");
		assert_true(rig_did(&r, "prompt"));
		rig_turn(&r);
		rig_forget(&r);
		rig_turn_end(&r, "error");
	}
	assert_false(rig_did(&r, "timer retry"));
	rig_timer(&r, "retry");
	rig_fini(&r);
}

static void test_idle_turns_stop_the_loop(void **state)
{
	struct rig r;

	rig_init(&r, "none");
	rig_agent(&r);
	for (int i = 0; i < 2; i++) {
		rig_turn(&r);
		r.t += 60000000;
		rig_turn_end(&r, "ended");
	}
	assert_int_equal(r.state.sent_back, 2);
	rig_turn(&r);
	rig_forget(&r);
	rig_turn_end(&r, "ended");
	assert_int_equal(r.state.sent_back, 2);
	assert_false(rig_did(&r, "prompt"));
	rig_say(&r, "Please measure the call.");
	assert_true(rig_did(&r, "prompt"));
	rig_fini(&r);
}

static void test_floor_between_send_backs(void **state)
{
	struct rig r;

	rig_init(&r, "none");
	r.policy.sendback_floor_ms = 5000;
	rig_agent(&r);
	rig_turn(&r);
	rig_calls(&r, 1);
	rig_turn_end(&r, "ended");
	assert_int_equal(r.state.sent_back, 1);
	rig_turn(&r);
	rig_tool(&r, "shell", "ls");
	rig_forget(&r);
	rig_turn_end(&r, "ended");
	assert_int_equal(r.state.sent_back, 1);
	assert_true(rig_did(&r, "timer sendback 1000"));
	rig_timer(&r, "sendback");
	assert_int_equal(r.state.sent_back, 2);
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_start_none),
		cmocka_unit_test(test_start_human_waits_for_a_word),
		cmocka_unit_test(test_start_human_dismissed),
		cmocka_unit_test(test_start_human_that_does_not_wait),
		cmocka_unit_test(test_start_bank),
		cmocka_unit_test(test_start_unattended),
		cmocka_unit_test(test_own_brief),
		cmocka_unit_test(test_agent_again),
		cmocka_unit_test(test_none_sends_back_at_once),
		cmocka_unit_test(test_bank_waits_then_sends_both),
		cmocka_unit_test(test_touch_arms_the_bank_anew),
		cmocka_unit_test(test_human_waits),
		cmocka_unit_test(test_human_dismisses),
		cmocka_unit_test(test_human_wait_ends),
		cmocka_unit_test(test_human_waits_for_ever),
		cmocka_unit_test(test_human_dismisses_within_the_floor),
		cmocka_unit_test(test_new_code_is_measured_first),
		cmocka_unit_test(test_new_code_that_meets_the_goal),
		cmocka_unit_test(test_new_code_that_does_not_build),
		cmocka_unit_test(test_a_queued_word_waits_for_no_measurement),
		cmocka_unit_test(test_a_dead_api_is_not_hammered),
		cmocka_unit_test(test_unattended_goes_at_once),
		cmocka_unit_test(test_mode_changes_while_waiting),
		cmocka_unit_test(test_met_goal_sends_nothing),
		cmocka_unit_test(test_met_goal_ends_an_unattended_engine),
		cmocka_unit_test(test_waits_for_the_confirming_run),
		cmocka_unit_test(test_cancelled_and_limit_compute_nothing),
		cmocka_unit_test(test_errors_are_tried_again),
		cmocka_unit_test(test_idle_turns_stop_the_loop),
		cmocka_unit_test(test_floor_between_send_backs),
	};

	return cmocka_run_group_tests_name("loop", tests, NULL, NULL);
}
