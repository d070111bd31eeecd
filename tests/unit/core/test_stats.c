/* Figures of a campaign, and that they are the same however they are folded. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "rig.h"

#include "core/stats.h"

static void fold(struct ks_stats *stats, struct ks_state *state, const struct rig *r)
{
	struct ks_str rest = ks_buf_str(&r->log);
	struct ks_str line;

	ks_state_init(state);
	ks_stats_init(stats);
	while (ks_str_next(&rest, '\n', &line)) {
		struct ks_event e;

		if (line.len > 0 && ks_event_parse(&e, line, NULL) == 0) {
			ks_evolve(state, &e);
			ks_stats_add(stats, state, &e);
			ks_event_fini(&e);
		}
	}
}

static void campaign(struct rig *r)
{
	rig_init(r, "human");
	rig_agent(r);
	assert_int_equal(rig_do(r, KS_CMD_SAY, KS_BY_HUMAN,
		"{\"text\":\"How many bytes does a call move?\",\"question\":\"M-01\"}"), 0);
	rig_turn(r);
	rig_tool(r, "shell", "perf stat ./bench");
	rig_tool(r, "read", "kernel.c");
	rig_eval(r, 1.5);
	rig_confirm(r, 1, 1.5);
	rig_eval(r, 0);
	rig_turn_end(r, "ended");
	rig_say(r, "Run it again.");
	rig_turn(r);
	rig_eval(r, 1.9);
	rig_confirm(r, 3, 1.0);
	rig_turn_end(r, "ended");
	assert_int_equal(rig_do(r, KS_CMD_DISMISS, KS_BY_HUMAN, "{}"), 0);
}

static void test_counts(void **state)
{
	struct rig r;
	struct ks_stats stats;
	struct ks_state s;

	campaign(&r);
	fold(&stats, &s, &r);
	assert_int_equal(stats.messages, 2);
	assert_int_equal(stats.by_human, 2);
	assert_int_equal(stats.sent_back, 1);
	assert_int_equal(stats.calls, 5);
	assert_true(fabs(ks_stats_calls_per_message(&stats) - 2.5) < 1e-9);
	assert_int_equal(stats.evals, 3);
	assert_int_equal(stats.incorrect, 1);
	assert_int_equal(stats.confirms, 2);
	assert_int_equal(stats.unconfirmed, 1);
	assert_int_equal(stats.n_steps, 1);
	assert_int_equal(stats.steps[0].candidate, 1);
	assert_true(fabs(stats.steps[0].geomean - 1.5) < 1e-9);
	assert_int_equal(stats.moments[KS_MOMENT_START], 1);
	assert_true(stats.working_us > 0);
	ks_stats_fini(&stats);
	ks_stats_fini(NULL);
	ks_state_fini(&s);
	rig_fini(&r);
}

static void test_shares_add_up(void **state)
{
	struct rig r;
	struct ks_stats stats;
	struct ks_state s;
	double sum = 0;

	campaign(&r);
	fold(&stats, &s, &r);
	for (int i = 0; i < KS_LAYERS; i++) {
		sum += ks_stats_share(&stats, i);
	}
	assert_true(fabs(sum - 1) < 1e-9);
	assert_true(ks_stats_share(&stats, -1) == 0);
	assert_true(ks_stats_share(&stats, KS_LAYERS) == 0);
	ks_stats_fini(&stats);
	ks_state_fini(&s);
	rig_fini(&r);
}

static void test_questions(void **state)
{
	struct rig r;
	struct ks_stats_question *list;
	size_t count;

	campaign(&r);
	count = ks_stats_questions(&list, &r.state);
	assert_int_equal(count, 1);
	assert_string_equal(list[0].id, "M-01");
	assert_int_equal(list[0].asked, 1);
	assert_int_equal(list[0].measured, 1);
	assert_int_equal(list[0].gained, 1);
	assert_true(fabs(list[0].gain - 1.5) < 1e-9);
	free(list);
	rig_fini(&r);
}

static void test_written(void **state)
{
	struct rig r;
	struct ks_stats stats;
	struct ks_state s;
	struct ks_buf json = {0}, text = {0};
	struct ks_jw w;
	struct ks_json *doc;

	campaign(&r);
	fold(&stats, &s, &r);
	ks_jw_init(&w, &json);
	ks_jw_open(&w, NULL);
	ks_stats_write(&stats, &s, &w);
	ks_jw_close(&w);
	assert_int_equal(ks_json_parse(&doc, json.ptr, json.len, NULL), 0);
	assert_int_equal(ks_json_get_int(ks_json_get(doc, "messages"), "steering", 0), 2);
	assert_int_equal(ks_json_count(ks_json_get(doc, "progression")), 1);
	assert_int_equal(ks_json_count(ks_json_get(doc, "questions")), 1);
	ks_json_free(doc);
	ks_stats_text(&stats, &s, &text);
	assert_non_null(strstr(text.ptr, "sent back   1 times"));
	assert_non_null(strstr(text.ptr, "best        1.50x candidate 1"));
	assert_non_null(strstr(text.ptr, "question    M-01 asked 1, measured 1, gained 1"));
	ks_buf_fini(&json);
	ks_buf_fini(&text);
	ks_stats_fini(&stats);
	ks_state_fini(&s);
	rig_fini(&r);
}

static void test_empty(void **state)
{
	struct ks_stats stats;
	struct ks_state s;
	struct ks_buf text = {0};

	ks_state_init(&s);
	ks_stats_init(&stats);
	assert_true(ks_stats_calls_per_message(&stats) == 0);
	assert_true(ks_stats_share(&stats, 0) == 0);
	ks_stats_text(&stats, &s, &text);
	assert_non_null(strstr(text.ptr, "messages    0"));
	ks_buf_fini(&text);
	ks_stats_fini(&stats);
	ks_state_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_shares_add_up),
		cmocka_unit_test(test_questions),
		cmocka_unit_test(test_written),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
