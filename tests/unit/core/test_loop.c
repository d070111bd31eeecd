/* The goal loop: what an agent that waits is told, in every mode. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rig.h"

#include "base/mem.h"

/* An agent that has done one turn with a call, ended as told. */
static void one_turn(struct rig *r, const char *mode, const char *how)
{
	rig_init(r, mode);
	rig_agent(r);
	if (r->state.n_messages == 0) {
		rig_say(r, "Begin.");
	}
	rig_turn(r);
	rig_calls(r, 1);
	rig_forget(r);
	rig_turn_end(r, how);
}

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

	one_turn(&r, "none", "ended");
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

	one_turn(&r, "none", "ended");
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

	one_turn(&r, "bank", "ended");
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

	one_turn(&r, "bank", "ended");
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

	one_turn(&r, "human", "ended");
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

	one_turn(&r, "human", "ended");
	assert_int_equal(rig_do(&r, KS_CMD_DISMISS, KS_BY_HUMAN, "{\"why\":\"go on\"}"), 0);
	assert_true(rig_did(&r, "The goal is not met"));
	assert_true(r.state.messages[r.state.n_messages - 1].is_goal);
	rig_fini(&r);
}

static void test_human_wait_ends(void **state)
{
	struct rig r;
	char *line;

	one_turn(&r, "human", "ended");
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

	one_turn(&r, "human", "ended");
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

		one_turn(&r, "none", hows[i]);
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

	one_turn(&r, "none", "error");
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

/* ---- words ---- */

static void test_queue(void **state)
{
	struct rig r;
	size_t before;

	rig_init(&r, "bank");
	rig_say(&r, "Before there is an agent.");
	assert_int_equal(r.state.queued, 1);
	rig_agent(&r);
	assert_int_equal(r.state.queued, 0);
	assert_true(rig_did(&r, "AGENTS.md"));
	assert_true(rig_did(&r, "Before there is an agent."));
	rig_turn(&r);
	rig_calls(&r, 1);
	rig_forget(&r);
	rig_say(&r, "First.");
	rig_say(&r, "Second.");
	assert_false(rig_did(&r, "prompt"));
	assert_int_equal(r.state.queued, 2);
	before = r.state.n_messages;
	rig_turn_end(&r, "ended");
	assert_int_equal(r.state.queued, 0);
	assert_int_equal(r.state.n_messages, before + 2);
	assert_true(rig_did(&r, "First.\n\nSecond.\n\nThe goal is not met"));
	assert_int_equal(r.state.sent_back, 0);
	rig_fini(&r);
}

static void test_interrupt(void **state)
{
	struct rig r;

	rig_init(&r, "human");
	assert_int_equal(rig_do(&r, KS_CMD_INTERRUPT, KS_BY_HUMAN, "{}"), KS_EINVAL);
	rig_agent(&r);
	rig_say(&r, "Begin.");
	rig_turn(&r);
	rig_say(&r, "Stop there.");
	assert_int_equal(rig_do(&r, KS_CMD_INTERRUPT, KS_BY_HUMAN, "{}"), 0);
	assert_true(rig_did(&r, "cancel"));
	rig_forget(&r);
	rig_turn_end(&r, "cancelled");
	assert_true(rig_did(&r, "Stop there."));
	assert_false(rig_did(&r, "The goal is not met"));
	rig_fini(&r);
}

static void test_word_during_a_turn_answers_the_moment(void **state)
{
	struct rig r;

	rig_init(&r, "human");
	rig_agent(&r);
	rig_say(&r, "Begin.");
	rig_turn(&r);
	rig_said(&r, "The kernel is at the memory bandwidth limit, so no further gain is "
		"possible.\\n");
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_LIMIT);
	rig_say(&r, "Which bytes does it move?");
	assert_null(rig_open(&r));
	assert_int_equal(r.state.queued, 1);
	rig_turn_end(&r, "ended");
	assert_int_equal(r.state.messages[1].moment, 1);
	rig_fini(&r);
}

static void test_refused_words(void **state)
{
	struct rig r;
	struct ks_buf text = {0};

	rig_init(&r, "human");
	rig_agent(&r);
	assert_int_equal(rig_do(&r, KS_CMD_SAY, KS_BY_HUMAN, "{\"text\":\" \\n\"}"), KS_EINVAL);
	assert_int_equal(rig_do(&r, KS_CMD_SAY, KS_BY_HUMAN, "{}"), KS_EINVAL);
	assert_int_equal(rig_do(&r, KS_CMD_SAY, KS_BY_HUMAN,
		"{\"text\":\"x\",\"moment\":77}"), KS_ENOTFOUND);
	assert_int_equal(rig_do(&r, KS_CMD_SAY, KS_BY_HUMAN,
		"{\"text\":\"x\",\"question\":\"Z-99\"}"), KS_ENOTFOUND);
	assert_non_null(strstr(r.err.msg, "no question \"Z-99\""));
	assert_null(strchr(r.err.msg, '\n'));
	for (int i = 0; i <= KS_SAY_MAX; i++) {
		ks_buf_addc(&text, 'a');
	}
	assert_int_equal(rig_do(&r, KS_CMD_SAY, KS_BY_HUMAN, "{\"text\":\"%s\"}", text.ptr),
		KS_ELIMIT);
	ks_buf_fini(&text);
	assert_int_equal(r.state.n_messages, 0);
	assert_int_equal(rig_do(&r, KS_CMD_DISMISS, KS_BY_HUMAN, "{\"moment\":9}"), KS_ENOTFOUND);
	assert_int_equal(rig_do(&r, KS_CMD_OBSERVED, KS_BY_AGENT,
		"{\"kind\":\"champion.changed\",\"candidate\":1}"), KS_EINVAL);
	assert_int_equal(rig_do(&r, KS_CMD_OBSERVED, KS_BY_AGENT, "{\"kind\":\"moon\"}"),
		KS_EINVAL);
	assert_int_equal(rig_do(&r, KS_CMD_NONE, KS_BY_AGENT, "{}"), KS_EINVAL);
	assert_int_equal(rig_do(&r, (enum ks_cmd)99, KS_BY_AGENT, "{}"), KS_EINVAL);
	rig_fini(&r);
}

static void test_queue_is_bounded(void **state)
{
	struct rig r;

	rig_init(&r, "human");
	for (int i = 0; i < KS_QUEUE_MAX; i++) {
		rig_say(&r, "again");
	}
	assert_int_equal(rig_do(&r, KS_CMD_SAY, KS_BY_HUMAN, "{\"text\":\"x\"}"), KS_ELIMIT);
	rig_fini(&r);
}

static void test_manual_agent_has_no_loop(void **state)
{
	struct rig r;

	rig_init(&r, "human");
	rig_see(&r, KS_BY_AGENT, "agent.started", "\"driver\":\"manual\",\"label\":\"manual\"");
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_START);
	rig_say(&r, "What does one call cost?");
	assert_true(rig_did(&r, "prompt"));
	assert_false(rig_did(&r, "AGENTS.md"));
	rig_say(&r, "And two?");
	assert_int_equal(r.state.queued, 0);
	assert_int_equal(r.state.n_messages, 2);
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_START);
	assert_int_equal(rig_do(&r, KS_CMD_SAY, KS_BY_HUMAN, "{\"text\":\"Yes.\","
		"\"moment\":%lld,\"question\":\"\"}", (long long)rig_open(&r)->id), 0);
	assert_null(rig_open(&r));
	rig_fini(&r);
}

static void test_notes(void **state)
{
	struct rig r;
	char *line;

	rig_init(&r, "human");
	assert_int_equal(rig_do(&r, KS_CMD_NOTE, KS_BY_HUMAN, "{\"text\":\"odd\"}"), 0);
	assert_int_equal(r.state.notes, 1);
	line = rig_last(&r, "note.added");
	assert_non_null(strstr(line, "\"text\":\"odd\""));
	free(line);
	rig_fini(&r);
}

/* ---- evaluations ---- */

static void test_gain_is_confirmed(void **state)
{
	struct rig r;

	rig_init(&r, "human");
	rig_eval(&r, 1.4);
	assert_true(rig_did(&r, "confirm 1"));
	assert_int_equal(r.state.champion, 0);
	rig_confirm(&r, 1, 1.38);
	assert_int_equal(r.state.champion, 1);
	assert_true(r.state.best > 1.379 && r.state.best < 1.381);
	assert_true(r.state.candidates[1].confirmed);
	rig_fini(&r);
}

static void test_noise_is_not_confirmed(void **state)
{
	struct rig r;

	rig_init(&r, "human");
	rig_eval(&r, 1.4);
	rig_confirm(&r, 1, 1.4);
	rig_forget(&r);
	rig_eval(&r, 1.41);
	assert_false(rig_did(&r, "confirm"));
	assert_int_equal(r.state.champion, 1);
	rig_fini(&r);
}

static void test_gain_that_does_not_come_back(void **state)
{
	struct rig r;

	rig_init(&r, "human");
	rig_eval(&r, 1.4);
	rig_confirm(&r, 1, 0.98);
	assert_int_equal(r.state.champion, 0);
	assert_false(r.state.candidates[1].confirmed);
	rig_fini(&r);
}

static void test_wrong_in_the_confirming_run(void **state)
{
	struct rig r;

	rig_init(&r, "human");
	rig_eval(&r, 1.4);
	rig_confirm(&r, 1, 0);
	assert_int_equal(r.state.champion, 0);
	assert_int_equal(r.state.candidates[1].n_correct, 0);
	assert_true(r.state.candidates[1].geomean == 0);
	rig_fini(&r);
}

static void test_stop(void **state)
{
	struct rig r;

	rig_init(&r, "human");
	assert_int_equal(rig_do(&r, KS_CMD_AGENT_START, KS_BY_HUMAN, "{}"), 0);
	assert_true(rig_did(&r, "start"));
	rig_agent(&r);
	assert_int_equal(rig_do(&r, KS_CMD_AGENT_START, KS_BY_HUMAN, "{}"), KS_EBUSY);
	assert_int_equal(rig_do(&r, KS_CMD_STOP, KS_BY_HUMAN, "{\"why\":\"enough\"}"), 0);
	assert_true(rig_did(&r, "stop enough"));
	assert_true(rig_did(&r, "engine-stop enough"));
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
		cmocka_unit_test(test_queue),
		cmocka_unit_test(test_interrupt),
		cmocka_unit_test(test_word_during_a_turn_answers_the_moment),
		cmocka_unit_test(test_refused_words),
		cmocka_unit_test(test_queue_is_bounded),
		cmocka_unit_test(test_manual_agent_has_no_loop),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_gain_is_confirmed),
		cmocka_unit_test(test_noise_is_not_confirmed),
		cmocka_unit_test(test_gain_that_does_not_come_back),
		cmocka_unit_test(test_wrong_in_the_confirming_run),
		cmocka_unit_test(test_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
