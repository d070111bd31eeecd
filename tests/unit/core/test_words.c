/* Words to the agent that queue, cut in or are refused, and evaluations that are
 * confirmed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rig.h"

#include "base/mem.h"

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
		"{\"text\":\"x\",\"moment\":77}"), KS_EINVAL);
	assert_int_equal(rig_do(&r, KS_CMD_SAY, KS_BY_HUMAN,
		"{\"text\":\"x\",\"question\":\"Z-99\"}"), KS_EINVAL);
	assert_non_null(strstr(r.err.msg, "no question \"Z-99\""));
	assert_null(strchr(r.err.msg, '\n'));
	for (int i = 0; i <= KS_SAY_MAX; i++) {
		ks_buf_addc(&text, 'a');
	}
	assert_int_equal(rig_do(&r, KS_CMD_SAY, KS_BY_HUMAN, "{\"text\":\"%s\"}", text.ptr),
		KS_ELIMIT);
	ks_buf_fini(&text);
	assert_int_equal(r.state.n_messages, 0);
	assert_int_equal(rig_do(&r, KS_CMD_DISMISS, KS_BY_HUMAN, "{\"moment\":9}"), KS_EINVAL);
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

/* Who works in a folder need not have been there: nothing waits for a turn. */
/* Its evaluations and edits are in the map of layers, for there are no calls. */
static void test_manual_agent_measures(void **state)
{
	struct rig r;

	rig_init(&r, "human");
	rig_see(&r, KS_BY_AGENT, "agent.started", "\"driver\":\"manual\",\"label\":\"manual\"");
	rig_see(&r, KS_BY_OTHER, "file.changed", "\"path\":\"problem/seed.c\",\"added\":1");
	assert_int_equal(r.state.layers.calls, 0);
	assert_false(r.state.edited);
	assert_true(ks_layers_since(&r.state.layers, KS_LAYER_V) == KS_LAYERS_NEVER);
	rig_see(&r, KS_BY_EVALUATOR, "candidate.committed", "\"candidate\":1,\"commit\":\"c1\","
		"\"hash\":\"h1\",\"parent\":0");
	rig_see(&r, KS_BY_EVALUATOR, "eval.started", "\"eval\":5,\"candidate\":1,\"perf\":true");
	rig_see(&r, KS_BY_EVALUATOR, "eval.finished", "\"eval\":5,\"candidate\":1,\"perf\":true,"
		"\"correct\":3,\"scenarios\":3,\"partial\":false");
	assert_true(ks_layers_since(&r.state.layers, KS_LAYER_V) == 0);
	assert_true(ks_layers_novelty(&r.state.layers, KS_LAYER_V) < 1);
	rig_fini(&r);
}

static void test_manual_agent_that_never_ran(void **state)
{
	struct rig r;

	rig_init_empty(&r);
	rig_see(&r, KS_BY_ENGINE, "campaign.created", "\"id\":\"c-1\",\"name\":\"test\","
		"\"target\":\"cpu\",\"agent\":\"manual\",\"mode\":\"human\"");
	rig_see(&r, KS_BY_ENGINE, "engine.started", "\"pid\":1");
	rig_say(&r, "What does one call cost?");
	assert_int_equal(r.state.queued, 0);
	assert_int_equal(r.state.n_messages, 1);
	assert_false(rig_did(&r, "prompt"));
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
		cmocka_unit_test(test_queue),
		cmocka_unit_test(test_interrupt),
		cmocka_unit_test(test_word_during_a_turn_answers_the_moment),
		cmocka_unit_test(test_refused_words),
		cmocka_unit_test(test_queue_is_bounded),
		cmocka_unit_test(test_manual_agent_has_no_loop),
		cmocka_unit_test(test_manual_agent_measures),
		cmocka_unit_test(test_manual_agent_that_never_ran),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_gain_is_confirmed),
		cmocka_unit_test(test_noise_is_not_confirmed),
		cmocka_unit_test(test_gain_that_does_not_come_back),
		cmocka_unit_test(test_wrong_in_the_confirming_run),
		cmocka_unit_test(test_stop),
	};

	return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}
