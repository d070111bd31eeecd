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

/* A question's outcome: what was measured next, a number once the agent says one
 * after it, and the gain until the next message. */
static void test_questions(void **state)
{
	struct rig r;
	struct ks_stats_asked asked = {0};

	campaign(&r);
	ks_stats_asked_add(&asked, &r.state);
	assert_int_equal(asked.count, 1);
	assert_string_equal(asked.item[0].id, "M-01");
	assert_int_equal(asked.item[0].asked, 1);
	assert_int_equal(asked.item[0].measured, 1);
	assert_int_equal(asked.item[0].numbers, 0);
	assert_int_equal(asked.item[0].gained, 1);
	assert_true(fabs(asked.item[0].gain - 1.5) < 1e-9);
	/* a second campaign adds to the same record */
	ks_stats_asked_add(&asked, &r.state);
	assert_int_equal(asked.count, 1);
	assert_int_equal(asked.item[0].asked, 2);
	ks_stats_asked_fini(&asked);
	ks_stats_asked_fini(NULL);
	rig_fini(&r);
}

static void ask(struct rig *r, const char *question)
{
	rig_turn_end(r, "ended");
	assert_int_equal(rig_do(r, KS_CMD_SAY, KS_BY_HUMAN,
		"{\"text\":\"How many?\",\"question\":\"%s\"}", question), 0);
	rig_turn(r);
}

static void test_answered_by_a_number(void **state)
{
	static const struct {
		const char *command, *said;
		int numbers;
	} rows[] = {
		{"strace -c ./bench", "It makes 14 calls, 3.2 us each.\\n", 1},
		{"strace -c ./bench", "There are quite a few of them in kernel27.\\n", 0},
		{"ls", "It makes 14 calls, 3.2 us each.\\n", 0},
		{"valgrind --tool=cachegrind ./bench", "L1 misses are at 3.1%.\\n", 1},
		/* its layer was measured, but nobody has said a figure */
		{"valgrind --tool=cachegrind ./bench", "It misses a lot.\\n", 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rig r;
		struct ks_stats_asked asked = {0};

		rig_init(&r, "human");
		rig_agent(&r);
		rig_say(&r, "Begin.");
		rig_turn(&r);
		ask(&r, "M-01");
		rig_tool(&r, "shell", "ls");
		rig_tool(&r, "shell", rows[i].command);
		rig_said(&r, rows[i].said);
		ks_stats_asked_add(&asked, &r.state);
		assert_int_equal(asked.item[0].numbers, rows[i].numbers);
		if (rows[i].numbers > 0) {
			assert_int_equal(asked.item[0].calls, 2);
		}
		ks_stats_asked_fini(&asked);
		rig_fini(&r);
	}
}

/* A loop in a script that no text shows: each process is one run. */
static void test_effort_by_process(void **state)
{
	struct rig r;
	struct ks_stats stats;
	struct ks_state s;

	rig_init(&r, "human");
	rig_agent(&r);
	rig_say(&r, "Begin.");
	rig_turn(&r);
	rig_see(&r, KS_BY_AGENT, "tool.started", "\"call\":\"a\",\"name\":\"Bash\",\"tool\":"
		"\"shell\",\"text\":\"ncu ./bench\"");
	rig_see(&r, KS_BY_AGENT, "process.ran", "\"call\":\"a\",\"text\":\"ncu ./bench\"");
	rig_see(&r, KS_BY_AGENT, "tool.started", "\"call\":\"b\",\"name\":\"Bash\",\"tool\":"
		"\"shell\",\"text\":\"python3 all.py\"");
	for (int i = 0; i < 3; i++) {
		rig_see(&r, KS_BY_AGENT, "process.ran",
			"\"call\":\"b\",\"text\":\"ncu ./bench %d\"", i);
	}
	fold(&stats, &s, &r);
	assert_int_equal(stats.effort[1], 4); /* profiler runs */
	assert_true(s.layers.measured[KS_LAYER_M] == 2);
	ks_stats_fini(&stats);
	ks_state_fini(&s);
	rig_fini(&r);
}

static void test_acts_can_be_set(void **state)
{
	struct rig r;
	struct ks_stats_acts before, after;

	campaign(&r);
	ks_stats_acts(&before, &r.state);
	assert_int_equal(before.messages, 2);
	assert_int_equal(before.count[KS_ACT_DIRECTIVE], 1);
	assert_int_equal(rig_do(&r, KS_CMD_ACT, KS_BY_HUMAN, "{\"act\":\"correction\"}"), 0);
	ks_stats_acts(&after, &r.state);
	assert_int_equal(after.count[KS_ACT_DIRECTIVE], 0);
	assert_int_equal(after.count[KS_ACT_CORRECTION], 1);
	assert_int_equal(after.corrected, 1);
	assert_true(rig_do(&r, KS_CMD_ACT, KS_BY_HUMAN, "{\"act\":\"nonsense\"}") < 0);
	assert_true(rig_do(&r, KS_CMD_ACT, KS_BY_HUMAN,
		"{\"act\":\"goal\",\"message\":9999}") < 0);
	rig_fini(&r);
}

static void test_written(void **state)
{
	struct rig r;
	struct ks_stats stats;
	struct ks_state s;
	struct ks_buf json = {0}, text = {0};
	struct ks_stats_asked asked = {0};
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
	ks_json_free(doc);
	ks_stats_text(&stats, &s, &text);
	assert_non_null(strstr(text.ptr, "sent back   1 time\n"));
	assert_non_null(strstr(text.ptr, "best        1.50x candidate 1"));
	ks_stats_asked_add(&asked, &s);
	ks_stats_asked_text(&asked, &text);
	assert_non_null(strstr(text.ptr, "M-01          1       0      -       1   1.50x"));
	ks_stats_asked_fini(&asked);
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
		cmocka_unit_test(test_answered_by_a_number),
		cmocka_unit_test(test_effort_by_process),
		cmocka_unit_test(test_acts_can_be_set),
		cmocka_unit_test(test_written),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
