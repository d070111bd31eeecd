/* The fold: what each kind does to the state. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rig.h"

static void test_campaign(void **state)
{
	struct rig r;

	rig_init(&r, "bank");
	assert_string_equal(r.state.name, "test");
	assert_int_equal(r.state.mode, KS_MODE_BANK);
	assert_int_equal(r.state.n_scenarios, 3);
	assert_int_equal(r.state.n_clauses, 2);
	assert_non_null(r.state.goal);
	assert_int_equal(r.state.n_candidates, 1);
	assert_int_equal(r.state.candidates[0].number, 0);
	assert_true(r.state.best == 1);
	assert_int_equal(ks_state_scenario(&r.state, "wide"), 1);
	assert_int_equal(ks_state_scenario(&r.state, "wider"), -1);
	assert_true(r.state.engine_running);
	rig_fini(&r);
	ks_state_fini(NULL);
}

static void test_candidate_names(void **state)
{
	struct rig r;

	rig_init(&r, "human");
	rig_eval(&r, 1.2);
	rig_eval(&r, 1.1);
	assert_int_equal(ks_state_candidate(&r.state, "seed"), 0);
	assert_int_equal(ks_state_candidate(&r.state, "champion"), 0);
	assert_int_equal(ks_state_candidate(&r.state, "2"), 2);
	assert_int_equal(ks_state_candidate(&r.state, "c1"), 1);
	assert_int_equal(ks_state_candidate(&r.state, "aaaa"), 0);
	assert_int_equal(ks_state_candidate(&r.state, "00010"), 1);
	assert_int_equal(ks_state_candidate(&r.state, "000"), -1);
	assert_int_equal(ks_state_candidate(&r.state, "7"), -1);
	assert_int_equal(ks_state_candidate(&r.state, "zzzz"), -1);
	assert_int_equal(ks_state_candidate(&r.state, ""), -1);
	assert_int_equal(ks_state_candidate(&r.state, NULL), -1);
	rig_fini(&r);
}

static void test_two_commits_with_one_prefix(void **state)
{
	struct rig r;

	rig_init(&r, "human");
	for (int i = 1; i <= 2; i++) {
		rig_see(&r, KS_BY_EVALUATOR, "candidate.committed", "\"candidate\":%d,"
			"\"commit\":\"feed%d\",\"hash\":\"x%d\",\"parent\":0", i, i, i);
	}
	assert_int_equal(ks_state_candidate(&r.state, "feed"), -1);
	assert_int_equal(ks_state_candidate(&r.state, "feed2"), 2);
	rig_fini(&r);
}

static void test_evaluation_fills_its_candidate(void **state)
{
	struct rig r;
	const struct ks_candidate *c;

	rig_init(&r, "human");
	assert_int_equal(rig_eval(&r, 1.5), 1);
	c = &r.state.candidates[1];
	assert_true(c->built && c->finished && !c->confirmed);
	assert_int_equal(c->looks, 1);
	assert_int_equal(c->n_correct, 3);
	assert_true(fabs(c->geomean - 1.5) < 1e-9);
	assert_true(c->results[2].measured && c->results[2].correct);
	assert_int_equal(c->results[0].verdict, KS_FASTER);
	assert_string_equal(ks_verdict_word(c->results[0].verdict), "faster");
	assert_int_equal(c->worst_i, 2);
	assert_int_equal(r.state.last, 1);
	assert_int_equal(r.state.champion, 0);
	assert_false(r.state.edited);
	rig_fini(&r);
}

static void test_wrong_answer_is_a_zero(void **state)
{
	struct rig r;
	const struct ks_candidate *c;

	rig_init(&r, "human");
	rig_eval(&r, 0);
	c = &r.state.candidates[1];
	assert_int_equal(c->n_correct, 0);
	assert_int_equal(c->n_measured, 3);
	assert_true(c->geomean == 0 && c->geo_lo == 0);
	assert_string_equal(c->results[0].why, "differs from the seed");
	rig_fini(&r);
}

static void test_scenarios_arrive_one_by_one(void **state)
{
	struct rig r;

	rig_init(&r, "human");
	rig_see(&r, KS_BY_EVALUATOR, "candidate.committed",
		"\"candidate\":1,\"commit\":\"c1\",\"hash\":\"h1\",\"parent\":0");
	rig_see(&r, KS_BY_EVALUATOR, "eval.started",
		"\"eval\":5,\"candidate\":1,\"perf\":true,\"total\":3");
	assert_true(r.state.eval.running);
	rig_see(&r, KS_BY_EVALUATOR, "eval.scenario", "\"eval\":5,\"name\":\"wide\","
		"\"correct\":true,\"speedup\":2,\"lo\":1.9,\"hi\":2.1");
	assert_int_equal(r.state.eval.done, 1);
	assert_true(r.state.candidates[1].results[1].measured);
	assert_false(r.state.candidates[1].results[0].measured);
	assert_false(r.state.candidates[1].finished);
	/* of another evaluation, of no scenario: passed over */
	rig_see(&r, KS_BY_EVALUATOR, "eval.scenario", "\"eval\":4,\"name\":\"odd\","
		"\"correct\":true,\"speedup\":2");
	rig_see(&r, KS_BY_EVALUATOR, "eval.scenario", "\"eval\":5,\"name\":\"?\"");
	assert_false(r.state.candidates[1].results[2].measured);
	rig_fini(&r);
}

/* What is held out counts among the correct ones; its speedup is in no mean. */
static void test_no_mean_tells_of_held_out_ones(void **state)
{
	struct rig r;

	rig_init(&r, "human");
	rig_see(&r, KS_BY_ENGINE, "scenario.declared", "\"i\":3,\"name\":\"held-out-1\","
		"\"set\":\"held-out\",\"heldout\":true");
	rig_see(&r, KS_BY_EVALUATOR, "candidate.committed",
		"\"candidate\":1,\"commit\":\"c1\",\"hash\":\"h1\",\"parent\":0");
	rig_see(&r, KS_BY_EVALUATOR, "eval.started",
		"\"eval\":5,\"candidate\":1,\"perf\":true,\"total\":4");
	for (int i = 0; i < 4; i++) {
		rig_see(&r, KS_BY_EVALUATOR, "eval.scenario", "\"eval\":5,\"name\":\"%s\","
			"\"correct\":true,\"seed_us\":9,\"cand_us\":9,\"speedup\":%d,"
			"\"lo\":%d,\"hi\":%d", r.state.scenarios[i].name, i < 3 ? 4 : 1,
			i < 3 ? 4 : 1, i < 3 ? 4 : 1);
	}
	rig_see(&r, KS_BY_EVALUATOR, "eval.finished", "\"eval\":5,\"candidate\":1,"
		"\"correct\":4,\"scenarios\":4,\"partial\":false,\"perf\":true");
	assert_int_equal(r.state.candidates[1].n_correct, 4);
	assert_true(fabs(r.state.candidates[1].geomean - 4) < 1e-9);
	assert_true(fabs(r.state.candidates[1].worst - 4) < 1e-9);
	rig_fini(&r);
}

static void test_same_sources_are_one_candidate(void **state)
{
	struct rig r;

	rig_init(&r, "human");
	rig_eval(&r, 1.5);
	rig_see(&r, KS_BY_EVALUATOR, "candidate.committed",
		"\"candidate\":2,\"commit\":\"other\",\"hash\":\"h1\",\"parent\":1");
	assert_int_equal(r.state.n_candidates, 2);
	rig_see(&r, KS_BY_EVALUATOR, "eval.started",
		"\"eval\":90,\"candidate\":2,\"hash\":\"h1\",\"perf\":true,\"total\":3");
	rig_see(&r, KS_BY_EVALUATOR, "eval.finished", "\"eval\":90,\"candidate\":2,"
		"\"correct\":3,\"scenarios\":3,\"geomean\":1.4,\"geo_lo\":1.39,"
		"\"geo_hi\":1.41,\"partial\":false");
	assert_int_equal(r.state.candidates[1].looks, 2);
	assert_true(fabs(r.state.candidates[1].geomean - 1.4) < 1e-9);
	rig_fini(&r);
}

static void test_margin_grows_with_looks(void **state)
{
	struct ks_candidate c = {.geo_lo = 1.9, .geo_hi = 2.1, .looks = 1};

	assert_true(fabs(ks_state_margin(&c) - 0.1) < 1e-9);
	c.looks = 2;
	assert_true(fabs(ks_state_margin(&c) - 0.113) < 1e-9);
	c.looks = 54;
	assert_true(ks_state_margin(&c) > 0.17);
	c.geo_hi = 1;
	assert_true(ks_state_margin(&c) == 0);
}

static void test_partial_keeps_the_rest(void **state)
{
	struct rig r;
	const struct ks_candidate *c;

	rig_init(&r, "human");
	rig_eval(&r, 1.5);
	rig_see(&r, KS_BY_EVALUATOR, "eval.started",
		"\"eval\":91,\"candidate\":1,\"hash\":\"h1\",\"perf\":true,\"total\":1");
	rig_see(&r, KS_BY_EVALUATOR, "eval.scenario", "\"eval\":91,\"name\":\"odd\","
		"\"correct\":true,\"measured\":true,\"speedup\":1.8,\"lo\":1.7,\"hi\":1.9");
	rig_see(&r, KS_BY_EVALUATOR, "eval.finished", "\"eval\":91,\"candidate\":1,"
		"\"correct\":1,\"scenarios\":1,\"geomean\":1.8,\"geo_lo\":1.7,"
		"\"geo_hi\":1.9,\"partial\":true");
	c = &r.state.candidates[1];
	assert_true(fabs(c->geomean - 1.5) < 1e-9);
	assert_true(fabs((double)c->results[2].speedup - 1.8) < 1e-6);
	assert_true(fabs((double)c->results[0].speedup - 1.5) < 1e-6);
	assert_true(c->finished);
	rig_fini(&r);
}

/* Where a scenario was measured; logs of before do not say. */
static void test_gpus(void **state)
{
	struct rig r;
	char text[KS_GPU_TEXT * 2];

	rig_init(&r, "human");
	rig_eval(&r, 1.5);
	assert_true(r.state.n_gpus == 0 && r.state.candidates[1].results[0].gpu == 0);
	rig_see(&r, KS_BY_EVALUATOR, "eval.started",
		"\"eval\":91,\"candidate\":1,\"hash\":\"h1\",\"total\":3");
	rig_see(&r, KS_BY_EVALUATOR, "eval.scenario", "\"eval\":91,\"name\":\"odd\","
		"\"correct\":true,\"speedup\":1.1,\"device\":\"GPU-a\"");
	rig_see(&r, KS_BY_EVALUATOR, "eval.scenario", "\"eval\":91,\"name\":\"wide\","
		"\"correct\":true,\"speedup\":1.1,\"device\":\"GPU-b\"");
	assert_int_equal(r.state.n_gpus, 2);
	assert_string_equal(r.state.gpus[r.state.candidates[1].results[2].gpu - 1], "GPU-a");
	assert_string_equal(r.state.gpus[r.state.candidates[1].results[1].gpu - 1], "GPU-b");
	for (int i = 0; i < 2 * KS_GPUS_MAX; i++) { /* no more than can be counted */
		snprintf(text, sizeof(text), "GPU-%d-%060d", i, i);
		rig_see(&r, KS_BY_EVALUATOR, "eval.scenario", "\"eval\":91,\"name\":\"odd\","
			"\"correct\":true,\"speedup\":1.1,\"device\":\"%s\"", text);
	}
	assert_int_equal(r.state.n_gpus, KS_GPUS_MAX);
	assert_int_equal(r.state.candidates[1].results[2].gpu, 0);
	rig_fini(&r);
}

static void test_no_perf_keeps_times(void **state)
{
	struct rig r;
	const struct ks_candidate *c;

	rig_init(&r, "human");
	rig_eval(&r, 1.5);
	rig_see(&r, KS_BY_EVALUATOR, "eval.started",
		"\"eval\":91,\"candidate\":1,\"hash\":\"h1\",\"perf\":false,\"total\":3");
	rig_see(&r, KS_BY_EVALUATOR, "eval.scenario", "\"eval\":91,\"name\":\"odd\","
		"\"correct\":true,\"measured\":false,\"speedup\":0,\"lo\":0,\"hi\":0");
	c = &r.state.candidates[1];
	assert_true(c->results[2].timed && c->results[2].speedup > 1.4f);
	rig_see(&r, KS_BY_EVALUATOR, "eval.scenario", "\"eval\":91,\"name\":\"wide\","
		"\"correct\":false,\"why\":\"nan\",\"measured\":true");
	rig_see(&r, KS_BY_EVALUATOR, "eval.finished", "\"eval\":91,\"candidate\":1,"
		"\"correct\":1,\"scenarios\":2,\"partial\":false,\"perf\":false");
	c = &r.state.candidates[1];
	assert_false(c->results[1].correct);
	assert_int_equal(c->n_correct, 2);
	assert_true(c->geomean == 0);
	rig_fini(&r);
}

static void test_build_failure(void **state)
{
	struct rig r;

	rig_init(&r, "human");
	rig_see(&r, KS_BY_EVALUATOR, "candidate.committed",
		"\"candidate\":1,\"commit\":\"c1\",\"hash\":\"h1\",\"parent\":0");
	rig_see(&r, KS_BY_EVALUATOR, "eval.started", "\"eval\":5,\"candidate\":1");
	rig_see(&r, KS_BY_EVALUATOR, "eval.failed",
		"\"eval\":5,\"candidate\":1,\"stage\":\"build\",\"text\":\"error: x\"");
	assert_true(r.state.build_failed);
	assert_true(r.state.candidates[1].failed);
	assert_false(r.state.candidates[1].built);
	assert_false(r.state.eval.running);
	assert_int_equal(r.state.last, 1);
	rig_eval(&r, 1.2);
	assert_false(r.state.build_failed);
	rig_fini(&r);
}

static void test_tools_ring_and_rows(void **state)
{
	struct rig r;
	size_t rows;

	rig_init(&r, "human");
	rows = r.state.n_rows;
	for (int i = 0; i < 40; i++) {
		rig_tool(&r, "shell", "make");
	}
	assert_int_equal(r.state.calls, 40);
	assert_int_equal(r.state.n_rows, rows + 40);
	assert_int_equal(r.state.rows[rows].end, 1);
	assert_string_equal(r.state.tools[39 % KS_TOOLS_KEPT].title, "make");
	/* an end without a start is a row of its own */
	rig_see(&r, KS_BY_AGENT, "tool.ended", "\"call\":\"never\",\"ok\":false");
	assert_int_equal(r.state.n_rows, rows + 41);
	assert_int_equal(r.state.rows[rows + 40].kind, KS_EV_TOOL_ENDED);
	rig_fini(&r);
}

static void test_unknown_kinds_change_nothing(void **state)
{
	struct rig r;
	struct ks_event e;
	size_t rows;

	rig_init(&r, "human");
	rows = r.state.n_rows;
	assert_int_equal(ks_event_parse(&e, KS_STR("{\"seq\":900,\"t\":5,\"kind\":\"x.y\","
		"\"goal\":[\"lines <= 1\"]}"), NULL), 0);
	ks_evolve(&r.state, &e);
	ks_event_fini(&e);
	assert_int_equal(r.state.unknown, 1);
	assert_int_equal(r.state.seq, 900);
	assert_int_equal(r.state.n_rows, rows + 1);
	assert_int_equal(r.state.n_clauses, 2);
	rig_fini(&r);
}

/* Fields of every odd type, for every kind: nothing may break. */
static void test_hostile_fields(void **state)
{
	static const char *const keys[] = {
		"id", "name", "goal", "seed", "eval", "candidate", "hash", "number",
		"offers", "clauses", "call", "moment", "text", "question", "how",
		"mode", "results", "libraries", "axes", "i", "geomean", "moment_kind",
		"parent", "total", "perf", "partial", "correct", "scenarios",
	};
	static const char *const values[] = {
		"null", "true", "-1", "1e308", "9007199254740991", "\"\"", "[]", "{}",
		"[null,1,{\"text\":[]}]", "{\"commit\":3,\"hash\":{}}", "\"\\u0000\"",
	};
	struct rig r;

	rig_init(&r, "human");
	rig_eval(&r, 1.3);
	for (int kind = 1; kind < KS_EV_COUNT; kind++) {
		for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
			struct ks_buf line = {0};
			struct ks_event e;

			ks_buf_addf(&line, "{\"seq\":%d,\"t\":7,\"kind\":\"%s\"", 1000 + kind,
				ks_ev_name((enum ks_ev)kind));
			for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
				ks_buf_addf(&line, ",\"%s\":%s", keys[k],
					values[(v + k) % (sizeof(values) / sizeof(values[0]))]);
			}
			ks_buf_addc(&line, '}');
			assert_int_equal(ks_event_parse(&e, ks_buf_str(&line), NULL), 0);
			ks_evolve(&r.state, &e);
			ks_event_fini(&e);
			ks_buf_fini(&line);
		}
	}
	assert_true(r.state.n_candidates >= 2);
	rig_fini(&r);
}

static void test_scenarios_declared_late(void **state)
{
	struct rig r;

	rig_init(&r, "human");
	rig_eval(&r, 1.3);
	rig_see(&r, KS_BY_ENGINE, "scenario.declared", "\"i\":3,\"name\":\"late\"");
	assert_int_equal(r.state.n_scenarios, 4);
	assert_false(r.state.candidates[1].results[3].measured);
	rig_fini(&r);
}

static void test_outcome_of_a_message(void **state)
{
	struct rig r;
	const struct ks_message *m;

	rig_init(&r, "none");
	rig_agent(&r);
	rig_turn(&r);
	assert_int_equal(rig_do(&r, KS_CMD_SAY, KS_BY_HUMAN,
		"{\"text\":\"How many bytes does a call move?\",\"question\":\"M-01\"}"), 0);
	rig_turn_end(&r, "ended");
	assert_int_equal(r.state.queued, 0);
	assert_true(r.state.steer >= 0);
	rig_turn(&r);
	rig_tool(&r, "shell", "perf stat ./bench");
	rig_eval(&r, 1.5);
	rig_confirm(&r, 1, 1.5);
	m = &r.state.messages[r.state.steer];
	assert_string_equal(m->question, "M-01");
	assert_true(m->calls >= 2);
	assert_true(m->before == 1);
	assert_true(fabs(m->after - 1.5) < 1e-9);
	assert_int_not_equal(m->layer_next, KS_LAYER_NONE);
	rig_fini(&r);
}

/* A call that prints, as rig_tool's does not. */
static void prints(struct rig *r, const char *tool, const char *command, const char *output)
{
	rig_see(r, KS_BY_AGENT, "tool.started", "\"call\":\"p\",\"name\":\"%s\","
		"\"tool\":\"%s\",\"text\":\"%s\"", tool, tool, command);
	rig_see(r, KS_BY_AGENT, "tool.ended", "\"call\":\"p\",\"ok\":true,\"text\":\"%s\"",
		output);
}

static const struct ks_message *asked(struct rig *r, const char *question)
{
	char args[80];

	snprintf(args, sizeof(args), "{\"text\":\"How many?\",\"question\":\"%s\"}", question);
	assert_int_equal(rig_do(r, KS_CMD_SAY, KS_BY_HUMAN, "%s", args), 0);
	rig_turn_end(r, "ended");
	rig_turn(r);
	return &r->state.messages[r->state.steer];
}

/* An evaluation measures no layer, whatever it prints; a mere timing gives way to
 * what measures one. */
static void test_what_is_measured_next(void **state)
{
	struct rig r;
	const struct ks_message *m;

	rig_init(&r, "none");
	rig_agent(&r);
	rig_turn(&r);
	m = asked(&r, "P-01");
	prints(&r, "eval", "kseek eval", "geomean 1.7x, 3 us");
	rig_said(&r, "That makes it 1.7x.");
	assert_int_equal(m->layer_next, KS_LAYER_NONE);
	assert_int_equal(m->calls_number, 0);
	assert_int_equal(m->calls_measured, 1);
	prints(&r, "shell", "./bench prefill", "done");
	assert_int_equal(m->layer_next, KS_LAYER_V);
	prints(&r, "shell", "strace -c ./bench", "done");
	assert_int_equal(m->layer_next, KS_LAYER_H);
	prints(&r, "shell", "objdump -d k.o | grep -c vfmadd", "done");
	assert_int_equal(m->layer_next, KS_LAYER_H);
	rig_fini(&r);
}

static void test_answered_by_a_number(void **state)
{
	struct rig r;
	const struct ks_message *m;

	rig_init(&r, "none");
	rig_agent(&r);
	rig_turn(&r);
	m = asked(&r, "P-01");
	prints(&r, "shell", "strace -c ./bench", "12 calls"); /* of another layer */
	assert_int_equal(m->calls_number, 0);
	prints(&r, "shell", "objdump -d k.o | grep -c vfmadd", "no such file");
	assert_int_equal(m->calls_number, 0);
	prints(&r, "shell", "objdump -d k.o | grep -c vfmadd", " 17\\n");
	assert_int_equal(m->calls_number, 3);
	m = asked(&r, "P-01");
	rig_said(&r, "It will be 3 us."); /* measured by nothing */
	assert_int_equal(m->calls_number, 0);
	prints(&r, "shell", "strace -c ./bench", "done");
	rig_said(&r, "It takes 3 us.");
	assert_int_equal(m->calls_number, 1);
	m = asked(&r, "V-01"); /* what an evaluation is for */
	prints(&r, "eval", "kseek eval", "done");
	rig_said(&r, "It takes 3 us.");
	assert_int_equal(m->calls_number, 1);
	rig_fini(&r);
}

static void test_three_ends_of_a_candidate(void **state)
{
	struct rig r;

	rig_init(&r, "none");
	rig_see(&r, KS_BY_EVALUATOR, "candidate.committed", "\"candidate\":1,\"hash\":\"a1\"");
	rig_see(&r, KS_BY_EVALUATOR, "eval.started", "\"eval\":90,\"candidate\":1");
	assert_string_equal(ks_candidate_fate(&r.state.candidates[1]), "not measured");
	rig_see(&r, KS_BY_EVALUATOR, "eval.failed", "\"eval\":90,\"candidate\":1,"
		"\"stage\":\"environment\",\"text\":\"the judge was ended\\nmore\"");
	assert_string_equal(ks_candidate_fate(&r.state.candidates[1]), "not measured");
	assert_string_equal(r.state.candidates[1].lost, "the judge was ended");
	rig_see(&r, KS_BY_EVALUATOR, "eval.started", "\"eval\":91,\"candidate\":1");
	rig_see(&r, KS_BY_EVALUATOR, "eval.finished", "\"eval\":91,\"candidate\":1,"
		"\"correct\":3,\"scenarios\":3,\"geomean\":1.1");
	assert_null(ks_candidate_fate(&r.state.candidates[1]));
	assert_string_equal(r.state.candidates[1].lost, "");
	rig_see(&r, KS_BY_EVALUATOR, "candidate.committed", "\"candidate\":2,\"hash\":\"b2\"");
	rig_see(&r, KS_BY_EVALUATOR, "eval.failed", "\"eval\":92,\"candidate\":2,"
		"\"stage\":\"build\",\"text\":\"error\"");
	assert_string_equal(ks_candidate_fate(&r.state.candidates[2]), "does not build");
	rig_fini(&r);
}

/* Numbers with gaps, downwards and again; hashes that begin alike. */
static void test_many_candidates_are_found(void **state)
{
	enum { COUNT = 200 };
	struct rig r;

	rig_init(&r, "none");
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < COUNT; i++) {
			rig_see(&r, KS_BY_EVALUATOR, "candidate.committed",
				"\"candidate\":%d,\"hash\":\"%s%d\"",
				3 * (COUNT - i) + 10 * round * COUNT,
				i % 2 == 0 ? "alike-from-the-start-" : "", i);
		}
	}
	assert_int_equal(r.state.n_candidates, COUNT + 1);
	for (int i = 0; i < COUNT; i++) {
		int at = ks_state_candidate_number(&r.state, 3 * (COUNT - i));

		assert_int_equal(at, i + 1);
		rig_see(&r, KS_BY_EVALUATOR, "eval.started", "\"eval\":%d,"
			"\"candidate\":99999,\"hash\":\"%s\"", 1000 + i,
			r.state.candidates[at].hash);
		assert_int_equal(r.state.look.candidate, at);
	}
	assert_int_equal(ks_state_candidate_number(&r.state, 3 * COUNT + 1), -1);
	assert_int_equal(ks_state_candidate_number(&r.state, 4), -1);
	rig_fini(&r);
}

static void test_engine_death_ends_what_ran(void **state)
{
	struct rig r;

	rig_init(&r, "none");
	rig_agent(&r);
	rig_turn(&r);
	rig_see(&r, KS_BY_EVALUATOR, "eval.started", "\"eval\":5,\"candidate\":-1");
	rig_see(&r, KS_BY_ENGINE, "engine.started", "\"pid\":2");
	assert_int_equal(r.state.agent, KS_AGENT_ABSENT);
	assert_false(r.state.eval.running);
	rig_fini(&r);
}

static void test_history_belongs_to_a_host(void **state)
{
	struct rig r;
	const struct ks_scenario *s;

	rig_init(&r, "human");
	s = &r.state.scenarios[0];
	assert_int_equal(s->biases + s->seeds, 0);
	for (int i = 1; i <= 2; i++) {
		rig_see(&r, KS_BY_EVALUATOR, "eval.started", "\"eval\":%d,\"candidate\":0", i);
		rig_see(&r, KS_BY_EVALUATOR, "eval.scenario", "\"eval\":%d,\"name\":\"%s\","
			"\"correct\":true,\"measured\":true,\"seed_us\":%d,\"speedup\":1,"
			"\"lo\":1,\"hi\":1,\"bias\":%de-6", i, s->name, 100 * i, 4 * i);
	}
	assert_int_equal(s->seeds, 2);
	assert_int_equal(s->biases, 2);
	assert_true(fabs(s->bias - 6e-6) < 1e-12);
	assert_true(fabs(exp(s->seed_log) - 100 * sqrt(2.0)) < 0.01);
	rig_see(&r, KS_BY_ENGINE, "engine.started", "\"host\":\"here\"");
	assert_int_equal(s->seeds, 2); /* the first name that is known */
	rig_see(&r, KS_BY_ENGINE, "engine.started", "\"host\":\"there\"");
	assert_int_equal(s->seeds + s->biases, 0);
	rig_fini(&r);
}

static void test_rows_stay_small(void **state)
{
	struct ks_state s;
	struct ks_event e;

	assert_int_equal(sizeof(struct ks_row), 16);
	ks_state_init(&s);
	assert_int_equal(ks_event_parse(&e, KS_STR("{\"seq\":1,\"t\":1,\"kind\":"
		"\"agent.said\",\"by\":\"agent\",\"text\":\"Tried a wider tile. \"}"), NULL), 0);
	for (int i = 0; i < 1000000; i++) {
		e.seq = i + 1;
		ks_evolve(&s, &e);
	}
	ks_event_fini(&e);
	assert_int_equal(s.n_rows, 1000000);
	assert_true(s.cap_rows * sizeof(struct ks_row) < 64u << 20);
	ks_state_fini(&s);
}

static void test_names_of_candidates(void **state)
{
	char name[KS_CANDIDATE_TEXT];

	assert_string_equal(ks_candidate_name(name, 0), "the seed");
	assert_string_equal(ks_candidate_name(name, 7), "candidate 7");
	assert_string_equal(ks_candidate_name(name, -1), "a variant");
	assert_string_equal(ks_candidate_short(name, 0), "seed");
	assert_string_equal(ks_candidate_short(name, 7), "c7");
	assert_string_equal(ks_candidate_short(name, -1), "variant");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_campaign),
		cmocka_unit_test(test_candidate_names),
		cmocka_unit_test(test_two_commits_with_one_prefix),
		cmocka_unit_test(test_evaluation_fills_its_candidate),
		cmocka_unit_test(test_wrong_answer_is_a_zero),
		cmocka_unit_test(test_scenarios_arrive_one_by_one),
		cmocka_unit_test(test_no_mean_tells_of_held_out_ones),
		cmocka_unit_test(test_same_sources_are_one_candidate),
		cmocka_unit_test(test_margin_grows_with_looks),
		cmocka_unit_test(test_partial_keeps_the_rest),
		cmocka_unit_test(test_gpus),
		cmocka_unit_test(test_no_perf_keeps_times),
		cmocka_unit_test(test_build_failure),
		cmocka_unit_test(test_tools_ring_and_rows),
		cmocka_unit_test(test_unknown_kinds_change_nothing),
		cmocka_unit_test(test_hostile_fields),
		cmocka_unit_test(test_scenarios_declared_late),
		cmocka_unit_test(test_outcome_of_a_message),
		cmocka_unit_test(test_what_is_measured_next),
		cmocka_unit_test(test_answered_by_a_number),
		cmocka_unit_test(test_three_ends_of_a_candidate),
		cmocka_unit_test(test_engine_death_ends_what_ran),
		cmocka_unit_test(test_history_belongs_to_a_host),
		cmocka_unit_test(test_rows_stay_small),
		cmocka_unit_test(test_names_of_candidates),
		cmocka_unit_test(test_many_candidates_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
