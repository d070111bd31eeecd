/* Each detector raised and not raised, and the rules against nagging. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rig.h"

static void test_start_once(void **state)
{
	struct rig r;

	rig_init(&r, "human");
	assert_null(rig_open(&r));
	rig_agent(&r);
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_START);
	rig_say(&r, "Begin.");
	rig_turn(&r);
	rig_see(&r, KS_BY_AGENT, "agent.exited", "\"status\":1");
	rig_agent(&r);
	assert_int_equal(rig_moments(&r, KS_MOMENT_START), 1);
	rig_fini(&r);
}

static void test_start_says_what_there_is(void **state)
{
	struct rig r;

	rig_init(&r, "human");
	rig_agent(&r);
	assert_string_equal(rig_open(&r)->evidence,
		"3 scenarios, 2 clauses, nothing measured yet");
	rig_fini(&r);
	rig_init(&r, "human");
	rig_eval(&r, 1.5);
	rig_confirm(&r, 1, 1.5);
	rig_eval(&r, 1.2);
	rig_agent(&r);
	assert_string_equal(rig_open(&r)->evidence,
		"3 scenarios, 2 clauses, 2 candidates so far, best 1.50x (candidate 1)");
	rig_fini(&r);
	/* One of each. */
	rig_init_empty(&r);
	rig_see(&r, KS_BY_ENGINE, "campaign.created", "\"id\":\"c-1\",\"name\":\"test\","
		"\"target\":\"cpu\",\"agent\":\"script\",\"mode\":\"human\","
		"\"goal\":[\"every scenario correct\"],\"seed\":{\"hash\":\"seed\",\"lines\":40}");
	rig_see(&r, KS_BY_ENGINE, "scenario.declared", "\"i\":0,\"name\":\"only\","
		"\"set\":\"real\",\"heldout\":false,\"axes\":{\"n\":1},\"floor_us\":1");
	rig_see(&r, KS_BY_ENGINE, "engine.started", "\"pid\":1");
	rig_agent(&r);
	assert_string_equal(rig_open(&r)->evidence, "1 scenario, 1 clause, nothing measured yet");
	rig_fini(&r);
}

static void test_no_start_when_the_goal_is_met(void **state)
{
	struct rig r;

	rig_init(&r, "human");
	rig_eval(&r, 2.5);
	rig_confirm(&r, 1, 2.5);
	assert_true(r.state.goal_met);
	rig_agent(&r);
	assert_int_equal(rig_moments(&r, KS_MOMENT_START), 0);
	rig_fini(&r);
}

static void test_limit(void **state)
{
	struct rig r;

	rig_working(&r);
	rig_said(&r, "I will try a wider tile now.\\n");
	assert_null(rig_open(&r));
	rig_limit(&r);
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_LIMIT);
	assert_non_null(strstr(rig_open(&r)->evidence, "memory bandwidth limit"));
	assert_int_equal(rig_open(&r)->n_offers, 3);
	assert_int_equal(rig_open(&r)->cause, r.state.seq - 1);
	rig_fini(&r);
}

/* Text arrives in pieces that end anywhere. */
static void test_limit_in_pieces(void **state)
{
	struct rig r;

	rig_working(&r);
	rig_said(&r, "We reached 1.5");
	rig_said(&r, "x. The kernel is at the memory band");
	assert_null(rig_open(&r));
	rig_said(&r, "width limit, so no further gain is possible. And");
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_LIMIT);
	assert_null(strstr(rig_open(&r)->evidence, "And"));
	rig_fini(&r);
}

/* Two messages of an agent come without a space between them. */
static void test_sentences_of_two_messages_stay_apart(void **state)
{
	struct rig r;

	rig_working(&r);
	rig_said(&r, "The time is inside the loops.");
	rig_said(&r, "The kernel is at the memory bandwidth limit, so no further gain is "
		"possible.\\n");
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_LIMIT);
	assert_ptr_equal(strstr(rig_open(&r)->evidence, "\"The kernel is"),
		rig_open(&r)->evidence);
	assert_null(strstr(rig_open(&r)->evidence, "loops"));
	assert_null(strstr(rig_open(&r)->evidence, "claimed"));
	rig_fini(&r);
}

static void test_unfinished_sentence_counts_when_a_call_begins(void **state)
{
	struct rig r;

	rig_working(&r);
	rig_said(&r, "The kernel is at the memory bandwidth limit, so no further gain is "
		"possible");
	assert_null(rig_open(&r));
	rig_calls(&r, 1);
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_LIMIT);
	rig_fini(&r);
}

/* However much is claimed before it. */
static void test_what_a_text_ends_on_counts(void **state)
{
	struct ks_buf text = {0};
	struct rig r;

	for (int i = 0; i < 20; i++) {
		ks_buf_adds(&text, "The optimization is complete and the task is done. ");
	}
	ks_buf_adds(&text, "The kernel is at the memory bandwidth limit, so no further gain is "
		"possible.\\n");
	rig_working(&r);
	rig_said(&r, text.ptr);
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_LIMIT);
	ks_buf_fini(&text);
	rig_fini(&r);
}

static void test_claims_need_their_patterns(void **state)
{
	struct rig r;

	rig_working(&r);
	r.policy.claims = NULL;
	rig_limit(&r);
	assert_null(rig_open(&r));
	rig_fini(&r);
}

static void test_completion(void **state)
{
	struct rig r;

	rig_working(&r);
	rig_said(&r, "The optimization is complete and the task is done.\\n");
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_COMPLETION);
	rig_fini(&r);
}

static void test_no_completion_when_the_goal_is_met(void **state)
{
	struct rig r;

	rig_working(&r);
	r.policy.moment_distance = 1000;
	rig_eval(&r, 1.9);
	rig_confirm(&r, 1, 1.9);
	rig_eval(&r, 3.0);
	rig_confirm(&r, 2, 3.0);
	assert_true(r.state.goal_met);
	rig_said(&r, "The optimization is complete and the task is done.\\n");
	rig_turn_end(&r, "ended");
	assert_int_equal(rig_moments(&r, KS_MOMENT_COMPLETION), 0);
	rig_fini(&r);
}

static void test_turn_end_is_always_a_moment(void **state)
{
	struct rig r;

	rig_working(&r);
	for (int i = 0; i < 3; i++) {
		rig_calls(&r, 1);
		rig_turn_end(&r, "ended");
		assert_int_equal(rig_open_kind(&r), KS_MOMENT_COMPLETION);
		rig_say(&r, "Go on.");
		rig_turn(&r);
	}
	assert_int_equal(rig_moments(&r, KS_MOMENT_COMPLETION), 3);
	rig_fini(&r);
}

static void test_turn_end_says_what_is_open(void **state)
{
	struct rig r;

	rig_working(&r);
	rig_turn_end(&r, "ended");
	assert_string_equal(rig_open(&r)->evidence, "the turn ended with 0 of 2 clauses "
		"met for the seed; open: every scenario correct, and 1 more");
	rig_say(&r, "Go on.");
	rig_turn(&r);
	rig_eval(&r, 1.5);
	rig_confirm(&r, 1, 1.5);
	rig_turn_end(&r, "ended");
	assert_string_equal(rig_open(&r)->evidence, "the turn ended with 1 of 2 clauses "
		"met for candidate 1; open: geomean speedup >= 2");
	rig_fini(&r);
}

/* An evaluation of a new candidate with two scenarios and one hint. */
static void hinted(struct rig *r, int number, const char *trigger, const char *scenario,
	double speedup, bool confirm)
{
	int64_t eval = 100 + 2 * number + (confirm ? 1 : 0);

	rig_see(r, KS_BY_EVALUATOR, "candidate.committed", "\"candidate\":%d,\"commit\":"
		"\"c%d\",\"hash\":\"e%d\",\"parent\":0", number, number, number);
	rig_see(r, KS_BY_EVALUATOR, "eval.started", "\"eval\":%lld,\"candidate\":%d,"
		"\"hash\":\"e%d\",\"confirm\":%s", (long long)eval, number, number,
		confirm ? "true" : "false");
	rig_see(r, KS_BY_EVALUATOR, "eval.scenario", "\"eval\":%lld,\"name\":\"%s\","
		"\"correct\":true,\"measured\":true,\"seed_us\":400,\"cand_us\":%.6g,"
		"\"speedup\":%.6g,\"lo\":%.6g,\"hi\":%.6g", (long long)eval, scenario,
		400 / speedup, speedup, speedup, speedup);
	rig_see(r, KS_BY_EVALUATOR, "eval.evidence", "\"eval\":%lld,\"candidate\":%d,"
		"\"trigger\":\"%s\",\"scenario\":\"%s\",\"figures\":\"wall 2 us, span 40 "
		"us\",\"test\":\"time it with inputs it has not seen\"", (long long)eval,
		number, trigger, scenario);
	rig_see(r, KS_BY_EVALUATOR, "eval.finished", "\"eval\":%lld,\"candidate\":%d,"
		"\"confirm\":%s,\"correct\":1,\"scenarios\":1,\"geomean\":1.1,\"geo_lo\":1.0,"
		"\"geo_hi\":1.2,\"partial\":true", (long long)eval, number,
		confirm ? "true" : "false");
}

static void test_win_by_evidence(void **state)
{
	struct rig r;

	rig_working(&r);
	hinted(&r, 1, "disagree", "wide", 1.2, false);
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_WIN);
	assert_non_null(strstr(rig_open(&r)->evidence, "clocks disagree on wide: wall 2 us"));
	assert_non_null(strstr(rig_open(&r)->evidence, "inputs it has not seen"));
	rig_fini(&r);
}

static void test_a_limit_is_not_lost_behind_a_win(void **state)
{
	struct rig r;

	rig_working(&r);
	hinted(&r, 1, "disagree", "wide", 1.2, false);
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_WIN);
	rig_said(&r, "The kernel is at the memory bandwidth limit, so no further gain is "
		"possible.\\n");
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_LIMIT);
	rig_fini(&r);
}

static void test_one_win_for_one_candidate(void **state)
{
	struct rig r;

	rig_working(&r);
	r.policy.moment_distance = 0;
	hinted(&r, 1, "disagree", "wide", 1.2, false);
	rig_say(&r, "What do both clocks measure?");
	hinted(&r, 1, "disagree", "wide", 1.2, true);
	assert_int_equal(rig_moments(&r, KS_MOMENT_WIN), 1);
	hinted(&r, 2, "disagree", "wide", 1.2, false);
	assert_int_equal(rig_moments(&r, KS_MOMENT_WIN), 2);
	rig_fini(&r);
}

/* From half the seed's speed to a tenth above it is no win. */
static void test_no_win_by_coming_back(void **state)
{
	struct rig r;

	rig_working(&r);
	hinted(&r, 1, "big_step", "wide", 1.1, false);
	assert_int_equal(rig_moments(&r, KS_MOMENT_WIN), 0);
	hinted(&r, 2, "big_step", "wide", 3.3, false);
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_WIN);
	rig_fini(&r);
}

static void test_win_by_a_big_step(void **state)
{
	struct rig r;

	rig_working(&r);
	rig_eval(&r, 1.9);
	assert_int_equal(rig_moments(&r, KS_MOMENT_WIN), 0);
	rig_confirm(&r, 1, 1.9);
	rig_eval(&r, 3.7);
	assert_int_equal(rig_moments(&r, KS_MOMENT_WIN), 0);
	int third = rig_eval(&r, 4.2);
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_WIN);
	assert_non_null(strstr(rig_open(&r)->evidence, "2.21x in one step"));
	const struct ks_candidate *c = &r.state.candidates[third];
	assert_int_equal((int)(100 * ks_candidate_step(c, c->geomean)), 221);
	char *line = rig_last(&r, "moment.raised");
	assert_non_null(strstr(line, "last step 2.21x"));
	free(line);
	rig_fini(&r);
}

static void test_win_below_the_floor(void **state)
{
	struct rig r;

	rig_working(&r);
	rig_eval(&r, 39); /* 10.26 us; the floors are 10, 20 and 30 us */
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_WIN);
	assert_non_null(strstr(rig_open(&r)->evidence, "below its floor"));
	assert_non_null(strstr(rig_open(&r)->evidence, "wide"));
	rig_fini(&r);
}

static void test_win_of_a_wrong_candidate(void **state)
{
	struct rig r;

	rig_working(&r);
	rig_see(&r, KS_BY_EVALUATOR, "candidate.committed",
		"\"candidate\":1,\"commit\":\"c1\",\"hash\":\"h1\",\"parent\":0");
	rig_see(&r, KS_BY_EVALUATOR, "eval.started", "\"eval\":50,\"candidate\":1,\"total\":1");
	rig_see(&r, KS_BY_EVALUATOR, "eval.scenario", "\"eval\":50,\"name\":\"odd\","
		"\"correct\":false,\"measured\":true,\"seed_us\":400,\"cand_us\":40,"
		"\"speedup\":0,\"lo\":0,\"hi\":0");
	rig_see(&r, KS_BY_EVALUATOR, "eval.finished", "\"eval\":50,\"candidate\":1,"
		"\"correct\":0,\"scenarios\":1,\"geomean\":0,\"partial\":true");
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_WIN);
	assert_non_null(strstr(rig_open(&r)->evidence, "wrong on odd and 10.0x faster"));
	rig_fini(&r);
}

static void test_break_explained_away(void **state)
{
	struct rig r;
	const char *sentence = "The mismatch is only floating-point rounding, so it can be "
		"ignored.\\n";

	rig_working(&r);
	rig_said(&r, sentence);
	assert_int_equal(rig_moments(&r, KS_MOMENT_BREAK), 0);
	rig_eval(&r, 0);
	rig_said(&r, sentence);
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_BREAK);
	assert_non_null(strstr(rig_open(&r)->evidence, "candidate 1 is wrong on 3"));
	rig_fini(&r);
}

static void test_no_break_once_it_is_right_again(void **state)
{
	struct rig r;

	rig_working(&r);
	rig_eval(&r, 0);
	rig_eval(&r, 1.0);
	rig_said(&r, "The mismatch is only floating-point rounding, so it can be ignored.\\n");
	assert_int_equal(rig_moments(&r, KS_MOMENT_BREAK), 0);
	rig_fini(&r);
}

static void test_break_by_editing_the_problem(void **state)
{
	struct rig r;

	rig_working(&r);
	rig_tool(&r, "edit", "problem/definition.json");
	assert_int_equal(rig_moments(&r, KS_MOMENT_BREAK), 0);
	rig_eval(&r, 0);
	rig_tool(&r, "edit", "kernel.c");
	rig_tool(&r, "read", "problem/definition.json");
	assert_int_equal(rig_moments(&r, KS_MOMENT_BREAK), 0);
	rig_tool(&r, "edit", "/tmp/c/problem/definition.json");
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_BREAK);
	rig_fini(&r);
}

/* Some agents tell of a call first, and later what it edits. */
static void test_break_by_an_edit_that_is_named_later(void **state)
{
	struct rig r;

	rig_working(&r);
	rig_eval(&r, 0);
	rig_see(&r, KS_BY_AGENT, "tool.started", "\"call\":\"l\",\"tool\":\"edit\"");
	assert_int_equal(rig_moments(&r, KS_MOMENT_BREAK), 0);
	rig_see(&r, KS_BY_AGENT, "tool.updated",
		"\"call\":\"l\",\"path\":\"problem/definition.json\"");
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_BREAK);
	rig_fini(&r);
}

static void break_only(struct rig *r)
{
	rig_see(r, KS_BY_EVALUATOR, "candidate.committed",
		"\"candidate\":1,\"commit\":\"c1\",\"hash\":\"w1\",\"parent\":0");
	rig_see(r, KS_BY_EVALUATOR, "eval.started", "\"eval\":50,\"candidate\":1,\"total\":3");
	rig_see(r, KS_BY_EVALUATOR, "eval.scenario", "\"eval\":50,\"name\":\"odd\","
		"\"correct\":false,\"measured\":true,\"seed_us\":400,\"cand_us\":400");
	rig_see(r, KS_BY_EVALUATOR, "eval.finished", "\"eval\":50,\"candidate\":1,"
		"\"correct\":2,\"scenarios\":3,\"geomean\":0,\"partial\":false");
}

static void test_break_by_leaving_out(void **state)
{
	struct rig r;

	rig_working(&r);
	break_only(&r);
	rig_eval_named(&r, "odd", true);
	rig_eval_named(&r, "fast", true);
	assert_int_equal(rig_moments(&r, KS_MOMENT_BREAK), 0);
	rig_eval_named(&r, "wide", true);
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_BREAK);
	rig_fini(&r);
}

/* ---- rules ---- */

static void test_one_open_at_a_time(void **state)
{
	struct rig r;

	rig_working(&r);
	rig_limit(&r);
	rig_eval(&r, 5);
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_LIMIT);
	assert_int_equal(rig_moments(&r, KS_MOMENT_WIN), 0);
	rig_fini(&r);
}

static void test_distance_between_two_of_a_kind(void **state)
{
	struct rig r;

	rig_working(&r);
	rig_limit(&r);
	rig_say(&r, "Which bytes?");
	rig_limit(&r);
	assert_null(rig_open(&r));
	rig_calls(&r, 24);
	rig_limit(&r);
	assert_null(rig_open(&r));
	rig_calls(&r, 1);
	rig_limit(&r);
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_LIMIT);
	rig_fini(&r);
}

static void test_new_champion_ends_the_distance(void **state)
{
	struct rig r;

	rig_working(&r);
	rig_limit(&r);
	rig_say(&r, "Which bytes?");
	rig_eval(&r, 1.4);
	rig_confirm(&r, 1, 1.4);
	rig_limit(&r);
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_LIMIT);
	rig_fini(&r);
}

static void test_dismissed_rests_longer(void **state)
{
	struct rig r;

	rig_working(&r);
	rig_limit(&r);
	assert_int_equal(rig_do(&r, KS_CMD_DISMISS, KS_BY_HUMAN, "{}"), 0);
	rig_calls(&r, 99);
	rig_limit(&r);
	assert_int_equal(rig_moments(&r, KS_MOMENT_LIMIT), 1);
	rig_calls(&r, 1);
	rig_limit(&r);
	assert_int_equal(rig_moments(&r, KS_MOMENT_LIMIT), 2);
	rig_fini(&r);
}

static void test_plateau_makes_way(void **state)
{
	struct rig r;

	rig_working(&r);
	rig_eval(&r, 1.0);
	rig_calls(&r, 60);
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_PLATEAU);
	rig_limit(&r);
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_LIMIT);
	assert_int_equal(r.state.moments[1].state, KS_MOMENT_DISMISSED);
	assert_false(r.state.moments[1].by_person);
	rig_fini(&r);
}

static void test_new_best_closes_a_plateau(void **state)
{
	struct rig r;

	rig_working(&r);
	rig_eval(&r, 1.0);
	rig_calls(&r, 60);
	rig_eval(&r, 1.5);
	rig_confirm(&r, 2, 1.5);
	assert_null(rig_open(&r));
	assert_int_equal(r.state.moments[1].state, KS_MOMENT_DISMISSED);
	rig_fini(&r);
}

static void test_offers_come_from_different_layers(void **state)
{
	struct rig r;
	const struct ks_moment *m;

	rig_working(&r);
	rig_limit(&r);
	m = rig_open(&r);
	assert_int_equal(m->n_offers, 3);
	assert_true(m->offers[0].layer != m->offers[1].layer);
	assert_true(m->offers[1].layer != m->offers[2].layer);
	assert_true(m->offers[0].layer != m->offers[2].layer);
	for (int i = 0; i < 3; i++) {
		assert_true(m->offers[i].text[0] != '\0');
		assert_null(strchr(m->offers[i].text, '{'));
		assert_true(m->offers[i].reason[0] != '\0');
	}
	rig_fini(&r);
}

/* A question that was sent is not offered first again before it was answered by
 * a measurement. */
static void test_a_question_is_not_repeated_at_once(void **state)
{
	struct rig r;
	char first[16];

	rig_working(&r);
	rig_turn_end(&r, "ended");
	snprintf(first, sizeof(first), "%s", rig_open(&r)->offers[0].question);
	assert_int_equal(rig_do(&r, KS_CMD_SAY, KS_BY_HUMAN, "{\"text\":\"%s\","
		"\"question\":\"%s\"}", "Which?", first), 0);
	rig_turn(&r);
	rig_turn_end(&r, "ended");
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_COMPLETION);
	assert_int_equal(rig_open(&r)->n_offers, 3);
	assert_string_not_equal(rig_open(&r)->offers[0].question, first);
	rig_fini(&r);
}

static void test_no_bank_no_offers(void **state)
{
	struct rig r;

	rig_working(&r);
	r.policy.bank = NULL;
	rig_limit(&r);
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_LIMIT);
	assert_int_equal(rig_open(&r)->n_offers, 0);
	rig_fini(&r);
}

static void test_hostile_sentence_is_made_safe(void **state)
{
	struct rig r;

	rig_working(&r);
	rig_said(&r, "\\u001b[2JThe kernel is at the memory bandwidth limit, so no further "
		"gain is possible.\\n");
	assert_int_equal(rig_open_kind(&r), KS_MOMENT_LIMIT);
	assert_null(strchr(rig_open(&r)->evidence, '\x1b'));
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_start_once),
		cmocka_unit_test(test_start_says_what_there_is),
		cmocka_unit_test(test_no_start_when_the_goal_is_met),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_limit_in_pieces),
		cmocka_unit_test(test_sentences_of_two_messages_stay_apart),
		cmocka_unit_test(test_unfinished_sentence_counts_when_a_call_begins),
		cmocka_unit_test(test_what_a_text_ends_on_counts),
		cmocka_unit_test(test_claims_need_their_patterns),
		cmocka_unit_test(test_completion),
		cmocka_unit_test(test_no_completion_when_the_goal_is_met),
		cmocka_unit_test(test_turn_end_is_always_a_moment),
		cmocka_unit_test(test_turn_end_says_what_is_open),
		cmocka_unit_test(test_win_by_evidence),
		cmocka_unit_test(test_a_limit_is_not_lost_behind_a_win),
		cmocka_unit_test(test_one_win_for_one_candidate),
		cmocka_unit_test(test_no_win_by_coming_back),
		cmocka_unit_test(test_win_by_a_big_step),
		cmocka_unit_test(test_win_below_the_floor),
		cmocka_unit_test(test_win_of_a_wrong_candidate),
		cmocka_unit_test(test_break_explained_away),
		cmocka_unit_test(test_no_break_once_it_is_right_again),
		cmocka_unit_test(test_break_by_editing_the_problem),
		cmocka_unit_test(test_break_by_an_edit_that_is_named_later),
		cmocka_unit_test(test_break_by_leaving_out),
		cmocka_unit_test(test_one_open_at_a_time),
		cmocka_unit_test(test_distance_between_two_of_a_kind),
		cmocka_unit_test(test_new_champion_ends_the_distance),
		cmocka_unit_test(test_dismissed_rests_longer),
		cmocka_unit_test(test_plateau_makes_way),
		cmocka_unit_test(test_new_best_closes_a_plateau),
		cmocka_unit_test(test_offers_come_from_different_layers),
		cmocka_unit_test(test_a_question_is_not_repeated_at_once),
		cmocka_unit_test(test_no_bank_no_offers),
		cmocka_unit_test(test_hostile_sentence_is_made_safe),
	};

	return cmocka_run_group_tests_name("moment", tests, NULL, NULL);
}
