/* The table and the JSON of a candidate: which GPU a scenario was measured on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/common.h"
#include "base/mem.h"
#include "base/utf8.h"

static struct ks_result results[3];
static struct ks_scenario scenarios[3];
static struct ks_candidate candidate;

static void make(struct ks_state *s, int first, int second)
{
	ks_state_init(s);
	memset(results, 0, sizeof(results));
	for (int i = 0; i < 3; i++) {
		snprintf(scenarios[i].name, sizeof(scenarios[i].name), "scenario-of-a-long-name-%d",
			i);
		results[i] = (struct ks_result){.measured = true, .correct = i != 2, .timed = true,
			.speedup = 1.5f, .lo = 1.4f, .hi = 1.6f, .seed_us = 30, .cand_us = 20,
			.roofline = 0.3f, .gpu = (unsigned char)(i == 0 ? first : second)};
	}
	candidate = (struct ks_candidate){.number = 4, .results = results, .n_correct = 2,
		.n_measured = 3, .looks = 1};
	s->scenarios = scenarios;
	s->n_scenarios = 3;
	s->candidates = &candidate;
	s->n_candidates = 1;
	snprintf(s->gpus[0], sizeof(s->gpus[0]), "GPU-aaaa");
	snprintf(s->gpus[1], sizeof(s->gpus[1]), "GPU-bbbb");
	s->n_gpus = 2;
}

/* What was lent is ours. */
static void drop(struct ks_state *s)
{
	s->scenarios = NULL;
	s->candidates = NULL;
	s->n_scenarios = s->n_candidates = 0;
	ks_state_fini(s);
}

static char *table(const struct ks_state *s)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	ks_report_candidate(out, s, 0, NULL, NULL);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void check_width_of(const char *text, int cols)
{
	struct ks_str rest = ks_str_of(text), line;
	while (ks_str_next(&rest, '\n', &line)) {
		if (ks_utf8_columns(line.ptr, line.len) > (size_t)cols) {
			fail_msg("wider than %d columns: %.*s", cols, KS_FMT(line));
		}
	}
}

static void check_width(const char *text)
{
	check_width_of(text, 100);
}

static void test_several(void **state)
{
	struct ks_state s;
	(void)state;
	make(&s, 1, 2);
	char *text = table(&s);
	assert_non_null(strstr(text, "verdict gpu\n"));
	assert_non_null(strstr(text, "same      1\n"));
	assert_non_null(strstr(text, "same      2\n"));
	assert_non_null(strstr(text, "gpu 1: GPU-aaaa, 1 scenario\n"));
	assert_non_null(strstr(text, "gpu 2: GPU-bbbb, 2 scenarios\n"));
	check_width(text);
	free(text);
	snprintf(s.yardstick, sizeof(s.yardstick), "vendor");
	text = table(&s);
	check_width(text);
	free(text);
	drop(&s);
}

/* One GPU needs no column, and a log that names none has none. */
static void test_one(void **state)
{
	struct ks_state s;
	(void)state;
	for (int gpu = 0; gpu < 3; gpu++) {
		make(&s, gpu, gpu);
		char *text = table(&s);
		assert_null(strstr(text, "gpu"));
		assert_null(strstr(text, "GPU"));
		free(text);
		drop(&s);
	}
}

/* A table in lines of so many columns. */
static char *narrow(const struct ks_state *s, int cols)
{
	char text[16];
	snprintf(text, sizeof(text), "%d", cols);
	setenv("COLUMNS", text, 1);
	char *out = table(s);
	unsetenv("COLUMNS");
	check_width_of(out, cols);
	return out;
}

/* Every row tells its scenario, whether it is right, its speedup and its verdict at any
 * width; the roofline goes first; lines of any length lose nothing. */
static void test_narrow(void **state)
{
	char why[] = "1000 of 1000 elements of out differ; worst at [374]: -6.9402, expected 7.1";
	struct ks_state s;
	(void)state;
	for (int kind = 0; kind < 4; kind++) {
		make(&s, kind & 1, kind & 1 ? 2 : 0);
		results[2].why = why;
		candidate.geomean = candidate.geo_lo = candidate.geo_hi = candidate.worst = 1.5;
		candidate.worst_i = 1;
		candidate.looks = 3;
		snprintf(s.yardstick, sizeof(s.yardstick), kind & 2 ? "a-vendor-library" : "%s",
			"");
		for (int cols = 40; cols <= 100; cols++) {
			char *text = narrow(&s, cols);
			assert_non_null(strstr(text, "-0  "));
			assert_non_null(strstr(text, "-1  "));
			assert_non_null(strstr(text, "1.50x"));
			assert_non_null(strstr(text, "verdict"));
			free(text);
		}
		char *text = narrow(&s, 80);
		assert_null(strstr(text, " roof"));
		assert_non_null(strstr(text, "candidate"));
		free(text);
		text = narrow(&s, 100);
		char *whole = table(&s);
		assert_non_null(strstr(text, " roof"));
		assert_non_null(strstr(whole, " roof"));
		assert_non_null(strstr(whole, "; these sources were measured 3 times\n"));
		free(text);
		free(whole);
		drop(&s);
	}
}

/* What a clause came to is whole, too. */
static void test_narrow_goal(void **state)
{
	char first[] = "every speedup >= 1.0";
	char second[] = "worst speedup >= 0.95 where batch = 1 and elem = float16";
	struct ks_clause_state clauses[2] = {{.text = first, .outcome = KS_GOAL_YES},
		{.text = second, .outcome = KS_GOAL_NO}};
	struct ks_state s;
	(void)state;
	make(&s, 0, 0);
	snprintf(clauses[0].line, sizeof(clauses[0].line), "0.938x (0.723 to 1.217, reaches 1)");
	snprintf(clauses[1].line, sizeof(clauses[1].line), "4/32, held-out 1/8");
	s.clauses = clauses;
	s.n_clauses = 2;
	for (int cols = 40; cols <= 100; cols += 4) {
		char columns[16], *text = NULL;
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);
		snprintf(columns, sizeof(columns), "%d", cols);
		setenv("COLUMNS", columns, 1);
		ks_report_goal(out, &s);
		unsetenv("COLUMNS");
		assert_int_equal(fclose(out), 0);
		check_width_of(text, cols);
		assert_non_null(strstr(text, "reaches"));
		assert_non_null(strstr(text, "float16"));
		assert_non_null(strstr(text, "1/8"));
		free(text);
	}
	s.clauses = NULL;
	s.n_clauses = 0;
	drop(&s);
}

static void test_json(void **state)
{
	struct ks_state s;
	struct ks_buf text = {0};
	struct ks_jw w;
	(void)state;
	make(&s, 2, 0);
	ks_jw_init(&w, &text);
	ks_jw_open(&w, NULL);
	ks_json_candidate(&w, "result", &s, 0, true);
	ks_jw_close(&w);
	const char *first = strstr(text.ptr, "\"device\":\"GPU-bbbb\"");
	assert_non_null(first);
	assert_null(strstr(first + 1, "\"device\""));
	ks_buf_fini(&text);
	drop(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_several),
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_narrow_goal),
		cmocka_unit_test(test_json),
	};
	unsetenv("COLUMNS"); /* of whoever runs this */
	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
