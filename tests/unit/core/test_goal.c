/* The goal language: what parses, where errors point, and what clauses mean
 * under noise, with missing measurements and with incorrect scenarios. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/goal.h"

static struct ks_goal *parse(const char *line)
{
	struct ks_str s = ks_str_of(line);
	struct ks_err err = KS_ERR_INIT;
	struct ks_goal *goal = NULL;

	if (ks_goal_parse(&goal, &s, 1, NULL, &err) != KS_OK) {
		fail_msg("%s: %s", line, err.msg);
	}
	return goal;
}

static void test_accepts_the_documented_lines(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"every scenario correct",
		"every speedup >= 1.0",
		"every speedup >= 1.1 in edge",
		"worst speedup >= 0.95 where batch = 1",
		"geomean speedup >= 1.16",
		"at least 22 of 26 speedup >= 1.0",
		"held-out every speedup >= 1.0",
		"every roofline >= 60%",
		"no library cutlass cute cublas cudnn",
		"lines <= 4000",
		"  every   speedup>1.5x in edge, real or \"odd name\" where "
			"not (seqlen_q % 128 = 0 and elem != bfloat16) or heads_q / heads_kv >= 4 ",
		"at least 3 scenarios correct in edge",
		"at least 5 correct",
		"EVERY SPEEDUP >= 110%",
		"held-out geomean speedup > 1e0",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct ks_goal *goal = parse(lines[i]);

		assert_int_equal(ks_goal_count(goal), 1);
		ks_goal_free(goal);
	}
}

static void test_points_at_the_error(void **state)
{
	(void)state;
	static const struct {
		const char *line;
		size_t column, length;
		const char *says;
	} bad[] = {
		{"every speedup => 1.0", 14, 1, "\">=\" or \">\""},
		{"every speedup >= fast", 17, 4, "a number such as 1.1"},
		{"every speed >= 1", 6, 5, "\"speedup\""},
		{"all speedup >= 1", 0, 3, "\"every\""},
		{"worst scenario correct", 6, 8, "\"speedup\" or \"roofline\""},
		{"at least 0 speedup >= 1", 9, 1, "whole number"},
		{"at least 22 of 20 speedup >= 1", 15, 2, "not below"},
		{"at most 3 speedup >= 1", 3, 4, "\"least\""},
		{"every speedup >= 1.0 in", 23, 1, "name of a set"},
		{"every speedup >= 1.0 where", 26, 1, "an axis"},
		{"every speedup >= 1.0 where batch = ", 35, 1, "an axis"},
		{"every speedup >= 1.0 where (batch = 1", 37, 1, "\")\""},
		{"every speedup >= 1.0 where 1 < batch < 4", 37, 1, "\"and\""},
		{"every speedup >= 1.0 edge", 21, 4, "\"in\", \"where\""},
		{"every roofline >= 2x", 18, 2, "share"},
		{"every speedup >= 1.2.3", 17, 5, "a number"},
		{"every speedup >= 12abc", 17, 5, "a number"},
		{"lines <= 10.5", 9, 4, "whole number of lines"},
		{"lines >= 10", 6, 2, "\"<=\""},
		{"lines <= 10 in edge", 12, 2, "end of the line"},
		{"no library", 10, 1, "name of a library"},
		{"no cutlass", 3, 7, "\"library\""},
		{"held-out lines <= 3", 9, 5, "\"every\""},
		{"held-out", 8, 1, "\"every\""},
		{"every speedup >= 1 where n ! 2", 27, 1, "\"and\""},
		{"every speedup >= 1 in \"open", 22, 5, "name of a set"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ks_str s = ks_str_of(bad[i].line);
		struct ks_goal_where where = {9, 9, 9};
		struct ks_err err = KS_ERR_INIT;
		struct ks_goal *goal = (struct ks_goal *)&s;

		assert_int_equal(ks_goal_parse(&goal, &s, 1, &where, &err), KS_EINVAL);
		assert_ptr_equal(goal, &s); /* untouched */
		if (where.column != bad[i].column || where.length != bad[i].length ||
		    !strstr(err.msg, bad[i].says)) {
			fail_msg("%s: column %zu+%zu: %s", bad[i].line, where.column,
				where.length, err.msg);
		}
	}
}

static void test_caret(void **state)
{
	(void)state;
	struct ks_buf out = {0};
	/* the caret counts characters, not bytes */
	struct ks_str line = KS_STR("every speedup >= 1 in \"é\" fast");
	struct ks_goal *goal = NULL;
	struct ks_goal_where where;
	struct ks_err err = KS_ERR_INIT;

	assert_int_equal(ks_goal_parse(&goal, &line, 1, &where, &err), KS_EINVAL);
	ks_goal_caret(&out, line, &where);
	assert_string_equal(out.ptr, "every speedup >= 1 in \"é\" fast\n"
		"                          ^^^^\n");
	ks_buf_fini(&out);
}

static void test_limits(void **state)
{
	(void)state;
	struct ks_err err = KS_ERR_INIT;
	struct ks_goal *goal = NULL;
	struct ks_buf line = {0};

	ks_buf_adds(&line, "every speedup >= 1 where ");
	for (int i = 0; i < 40; i++) {
		ks_buf_addc(&line, '(');
	}
	struct ks_str s = ks_buf_str(&line);
	assert_int_equal(ks_goal_parse(&goal, &s, 1, NULL, &err), KS_EINVAL);
	assert_non_null(strstr(err.msg, "brackets"));

	ks_buf_clear(&line);
	ks_buf_adds(&line, "every speedup >= 1 where n");
	for (int i = 0; i < 60; i++) {
		ks_buf_adds(&line, " + n");
	}
	s = ks_buf_str(&line);
	ks_err_clear(&err);
	assert_int_equal(ks_goal_parse(&goal, &s, 1, NULL, &err), KS_EINVAL);
	assert_non_null(strstr(err.msg, "shorter"));

	for (int i = 0; i < 200; i++) {
		ks_buf_adds(&line, " + n");
	}
	s = ks_buf_str(&line);
	ks_err_clear(&err);
	assert_int_equal(ks_goal_parse(&goal, &s, 1, NULL, &err), KS_ELIMIT);

	struct ks_str blank[2] = {KS_STR("   "), KS_STR("")};
	ks_err_clear(&err);
	assert_int_equal(ks_goal_parse(&goal, blank, 2, NULL, &err), KS_EINVAL);
	assert_null(goal);
	ks_buf_fini(&line);
}

/* ---- meaning ---- */

enum { N = 6 };

static struct ks_goal_scenario result(const char *name, const char *set,
	double speedup, double half)
{
	return (struct ks_goal_scenario){
		.name = ks_str_of(name), .set = ks_str_of(set),
		.measured = true, .timed = true, .correct = true,
		.speedup = speedup, .lo = speedup - half, .hi = speedup + half,
		.roofline = speedup / 4, .roofline_lo = NAN, .roofline_hi = NAN,
	};
}

static int axis(const void *user, size_t i, struct ks_str name, double *number,
	struct ks_str *word)
{
	(void)user;
	if (ks_str_is(name, "batch")) {
		*number = i < 2 ? 1 : 4;
		return 1;
	}
	if (ks_str_is(name, "seqlen")) {
		*number = 100.0 + (double)i;
		return 1;
	}
	if (ks_str_is(name, "elem")) {
		*word = i % 2 ? KS_STR("float16") : KS_STR("bfloat16");
		return 2;
	}
	return 0;
}

struct fixture {
	struct ks_goal_scenario s[N];
	struct ks_goal_facts facts;
};

static void fill(struct fixture *f)
{
	*f = (struct fixture){0};
	f->s[0] = result("a", "real", 2.0, 0.02);
	f->s[1] = result("b", "real", 0.99, 0.02);  /* interval reaches 1 */
	f->s[2] = result("c", "edge", 1.5, 0.01);
	f->s[3] = result("d", "edge", 0.9, 0.02);   /* wholly below 1 */
	f->s[4] = result("secret-1", "hidden", 1.2, 0.01);
	f->s[5] = result("secret-2", "hidden", 0.5, 0.01);
	f->s[4].heldout = f->s[5].heldout = true;
	f->facts = (struct ks_goal_facts){.scenarios = f->s, .count = N, .axis = axis};
}

static struct ks_goal_result eval(const struct fixture *f, const char *line)
{
	struct ks_goal *goal = parse(line);
	struct ks_goal_result r;

	ks_goal_eval(&r, goal, 0, &f->facts);
	ks_goal_free(goal);
	return r;
}

static void test_every_under_noise(void **state)
{
	(void)state;
	struct fixture f;
	fill(&f);

	struct ks_goal_result r = eval(&f, "every speedup >= 1.0");
	assert_int_equal(r.outcome, KS_GOAL_NO);
	assert_int_equal(r.n, 3); /* b holds: its interval is not wholly below */
	assert_int_equal(r.m, 4);
	assert_int_equal(r.worst, 3);
	assert_true(r.has_figure && fabs(r.figure - 0.9) < 1e-9);
	assert_string_equal(r.text, "3/4, worst d 0.900x (0.880 to 0.920)");

	r = eval(&f, "every speedup > 1.0 in real");
	assert_int_equal(r.outcome, KS_GOAL_NO); /* > needs all of it above */
	r = eval(&f, "every speedup >= 1.0 in real");
	assert_int_equal(r.outcome, KS_GOAL_YES);
	r = eval(&f, "worst speedup >= 0.92");
	assert_int_equal(r.outcome, KS_GOAL_YES);
	r = eval(&f, "worst speedup >= 0.93");
	assert_int_equal(r.outcome, KS_GOAL_NO);
}

static void test_scope(void **state)
{
	(void)state;
	struct fixture f;
	fill(&f);

	assert_int_equal(eval(&f, "every speedup >= 1 where batch = 1").m, 2);
	assert_int_equal(eval(&f, "every speedup >= 1 where batch != 1").m, 2);
	assert_int_equal(eval(&f, "every speedup >= 1 where elem = float16").m, 2);
	assert_int_equal(eval(&f, "every speedup >= 1 where elem = \"float16\"").m, 2);
	assert_int_equal(eval(&f, "every speedup >= 1 where seqlen % 2 = 0").m, 2);
	assert_int_equal(eval(&f, "every speedup >= 1 where not batch = 1 and seqlen > 102").m, 1);
	assert_int_equal(eval(&f, "every speedup >= 1 where not not batch = 1").m, 2);
	assert_int_equal(eval(&f, "every speedup >= 1 where batch = 1 or seqlen - 100 = 3").m, 3);
	assert_int_equal(eval(&f, "every speedup >= 1 where -(0 - batch) * 2 = 8").m, 2);
	assert_int_equal(eval(&f, "every speedup >= 1 in real or edge where seqlen / 2 < 51").m, 2);

	struct ks_goal_result r = eval(&f, "every speedup >= 1 in nowhere");
	assert_int_equal(r.outcome, KS_GOAL_UNKNOWN);
	assert_non_null(strstr(r.text, "no scenario"));
	r = eval(&f, "every speedup >= 1 where batchs = 1");
	assert_int_equal(r.outcome, KS_GOAL_UNKNOWN);
	assert_non_null(strstr(r.text, "batchs"));
	r = eval(&f, "every speedup >= 1 where batch / 0 = 1");
	assert_int_equal(r.outcome, KS_GOAL_UNKNOWN);
}

static void test_heldout_names_stay_hidden(void **state)
{
	(void)state;
	struct fixture f;
	fill(&f);

	struct ks_goal_result r = eval(&f, "held-out every speedup >= 1.0");
	assert_int_equal(r.outcome, KS_GOAL_NO);
	assert_int_equal(r.n, 1);
	assert_int_equal(r.m, 2);
	assert_null(strstr(r.text, "secret"));
	r = eval(&f, "held-out every speedup >= 1 where nothing = 1");
	assert_null(strstr(r.text, "secret"));
}

static void test_unmeasured_is_unknown(void **state)
{
	(void)state;
	struct fixture f;
	fill(&f);
	f.s[0].measured = false;

	struct ks_goal_result r = eval(&f, "every speedup >= 1.0 in real");
	assert_int_equal(r.outcome, KS_GOAL_UNKNOWN);
	assert_int_equal(r.unmeasured, 1);
	assert_non_null(strstr(r.text, "1 of 2 not measured"));
	/* a missing one cannot save what fails already */
	assert_int_equal(eval(&f, "every speedup >= 1.0").outcome, KS_GOAL_NO);
	assert_int_equal(eval(&f, "geomean speedup >= 0.1").outcome, KS_GOAL_UNKNOWN);
	assert_int_equal(eval(&f, "at least 2 speedup >= 1.0").outcome, KS_GOAL_UNKNOWN);
	assert_int_equal(eval(&f, "at least 3 speedup >= 1.0").outcome, KS_GOAL_UNKNOWN);
	assert_int_equal(eval(&f, "at least 4 speedup >= 1.0").outcome, KS_GOAL_NO);
	/* correct but not timed */
	fill(&f);
	f.s[0].timed = false;
	assert_int_equal(eval(&f, "every speedup >= 0.1 in real").outcome, KS_GOAL_UNKNOWN);
	assert_int_equal(eval(&f, "every scenario correct").outcome, KS_GOAL_YES);
	/* a figure that is no number is no measurement */
	fill(&f);
	f.s[0].speedup = NAN;
	assert_int_equal(eval(&f, "every speedup >= 0.1 in real").outcome, KS_GOAL_UNKNOWN);
}

static void test_incorrect_counts_zero(void **state)
{
	(void)state;
	struct fixture f;
	fill(&f);
	f.s[2].correct = false;
	f.s[2].timed = false;
	f.s[2].speedup = 9; /* whatever it says */

	struct ks_goal_result r = eval(&f, "every scenario correct");
	assert_int_equal(r.outcome, KS_GOAL_NO);
	assert_int_equal(r.n, 3);
	assert_string_equal(r.text, "3/4, worst c incorrect");
	r = eval(&f, "geomean speedup >= 0.01");
	assert_int_equal(r.outcome, KS_GOAL_NO);
	assert_true(r.has_figure && r.figure == 0);
	r = eval(&f, "every speedup >= 0.1 in edge");
	assert_int_equal(r.outcome, KS_GOAL_NO);
	assert_int_equal(r.worst, 2);
}

static void test_geomean_interval(void **state)
{
	(void)state;
	struct fixture f;
	fill(&f);
	f.s[0] = result("a", "real", 2, 0);
	f.s[1] = result("b", "real", 1, 0);
	f.s[0].lo = 2 * exp(-0.03);
	f.s[0].hi = 2 * exp(0.03);
	f.s[1].lo = exp(-0.04);
	f.s[1].hi = exp(0.04);

	struct ks_goal_result r = eval(&f, "geomean speedup >= 1.4 in real");
	assert_true(fabs(r.figure - sqrt(2)) < 1e-9);
	/* sqrt(0.03^2 + 0.04^2) / 2 = 0.025 */
	assert_true(fabs(log(r.hi / r.figure) - 0.025) < 1e-9);
	assert_true(fabs(log(r.figure / r.lo) - 0.025) < 1e-9);
	assert_int_equal(r.outcome, KS_GOAL_YES);
	assert_null(strstr(r.text, "reaches"));
	r = eval(&f, "geomean speedup >= 1.44 in real"); /* met by the interval: it says so */
	assert_int_equal(r.outcome, KS_GOAL_YES);
	assert_string_equal(r.text, "1.41x (1.379 to 1.450, reaches 1.44) over 2/2");
	assert_int_equal(eval(&f, "geomean speedup >= 1.46 in real").outcome, KS_GOAL_NO);
	assert_int_equal(eval(&f, "geomean speedup > 1.4 in real").outcome, KS_GOAL_NO);
	assert_int_equal(eval(&f, "geomean speedup > 1.37 in real").outcome, KS_GOAL_YES);
}

/* The evaluator's interval stands for its own mean, and for no other. */
static void test_geomean_of_the_evaluator(void **state)
{
	(void)state;
	struct fixture f;
	fill(&f);
	double own = pow(2.0 * 0.99 * 1.5 * 0.9, 0.25); /* those held out left aside */
	f.facts.mean = own;
	f.facts.mean_lo = own - 0.2;
	f.facts.mean_hi = own + 0.2;

	struct ks_goal_result r = eval(&f, "geomean speedup >= 1.0");
	assert_true(r.lo == own - 0.2 && r.hi == own + 0.2);
	r = eval(&f, "geomean speedup >= 1.0 in real");
	assert_true(r.hi < own + 0.2);
	r = eval(&f, "held-out geomean speedup >= 1.0");
	assert_true(fabs(r.figure - sqrt(1.2 * 0.5)) < 1e-6);
	f.facts.count = 4; /* without them */
	r = eval(&f, "held-out geomean speedup >= 1.0");
	assert_int_equal(r.outcome, KS_GOAL_UNKNOWN);
	assert_non_null(strstr(r.text, "--held-out"));
	f.facts.count = N;
	f.facts.mean = own * 1.01; /* of other results */
	r = eval(&f, "geomean speedup >= 1.0");
	assert_true(fabs(r.figure - own) < 1e-6 && r.hi < own + 0.2);
}

static void test_at_least(void **state)
{
	(void)state;
	struct fixture f;
	fill(&f);

	assert_int_equal(eval(&f, "at least 3 of 4 speedup >= 1.0").outcome, KS_GOAL_YES);
	assert_int_equal(eval(&f, "at least 4 of 4 speedup >= 1.0").outcome, KS_GOAL_NO);
	struct ks_goal_result r = eval(&f, "at least 3 of 26 speedup >= 1.0");
	assert_int_equal(r.outcome, KS_GOAL_UNKNOWN);
	assert_non_null(strstr(r.text, "26"));
	assert_int_equal(eval(&f, "at least 4 correct").outcome, KS_GOAL_YES);
}

static void test_roofline(void **state)
{
	(void)state;
	struct fixture f;
	fill(&f);

	struct ks_goal_result r = eval(&f, "every roofline >= 20%");
	assert_int_equal(r.outcome, KS_GOAL_YES);
	r = eval(&f, "every roofline >= 22.9%");
	assert_int_equal(r.outcome, KS_GOAL_YES); /* 22.5% +- 0.5: reaches 22.9 */
	r = eval(&f, "every roofline > 0.24");
	assert_int_equal(r.outcome, KS_GOAL_NO);
	assert_non_null(strstr(r.text, "22.5%"));
	f.s[1].roofline = NAN;
	r = eval(&f, "every roofline >= 20%");
	assert_int_equal(r.outcome, KS_GOAL_UNKNOWN);
}

static void test_library_and_lines(void **state)
{
	(void)state;
	struct fixture f;
	fill(&f);
	struct ks_str clean[] = {KS_STR("libc.so.6"), KS_STR("execute_all"),
		KS_STR("my_cuteness"), KS_STR("_Z7executev")};
	struct ks_str dirty[] = {KS_STR("_ZN4cute6TensorE"), KS_STR("libcublasLt.so.12")};

	assert_int_equal(eval(&f, "no library cutlass cute").outcome, KS_GOAL_UNKNOWN);
	f.facts.symbols_known = true;
	f.facts.symbols = clean;
	f.facts.symbol_count = 4;
	struct ks_goal_result r = eval(&f, "no library cutlass, cute cublas");
	assert_int_equal(r.outcome, KS_GOAL_YES);
	f.facts.symbols = dirty;
	f.facts.symbol_count = 2;
	r = eval(&f, "no library cutlass cute cublas cudnn");
	assert_int_equal(r.outcome, KS_GOAL_NO);
	assert_int_equal(r.n, 2);
	assert_string_equal(r.text,
		"cute in _ZN4cute6TensorE, cublas in libcublasLt.so.12");

	assert_int_equal(eval(&f, "lines <= 400").outcome, KS_GOAL_UNKNOWN);
	f.facts.lines_known = true;
	f.facts.source_lines = 400;
	assert_int_equal(eval(&f, "lines <= 400").outcome, KS_GOAL_YES);
	assert_int_equal(eval(&f, "lines < 400").outcome, KS_GOAL_NO);
}

static void test_all_libraries(void **state)
{
	(void)state;
	const struct ks_str lines[] = {KS_STR("no library cutlass, cute"),
		KS_STR("every scenario correct"), KS_STR("no library cublas")};
	static const char *const want[] = {"cutlass", "cute", "cublas"};
	struct ks_goal *goal = NULL;
	struct ks_str name;
	struct ks_err err = KS_ERR_INIT;

	assert_int_equal(ks_goal_parse(&goal, lines, 3, NULL, &err), 0);
	for (size_t i = 0; i < 3; i++) {
		assert_true(ks_goal_library(&name, goal, i));
		assert_true(ks_str_is(name, want[i]));
	}
	assert_false(ks_goal_library(&name, goal, 3));
	ks_goal_free(goal);
}

static void test_met_needs_the_confirming_run(void **state)
{
	(void)state;
	struct fixture f;
	fill(&f);
	struct ks_goal_result r[2];
	struct ks_str lines[] = {KS_STR("every scenario correct"),
		KS_STR("at least 3 speedup >= 1")};
	struct ks_goal *goal = NULL;

	assert_int_equal(ks_goal_parse(&goal, lines, 2, NULL, NULL), KS_OK);
	assert_int_equal(ks_goal_eval_all(r, goal, &f.facts), 2);
	assert_false(ks_goal_met(r, 2, &f.facts));
	f.facts.confirmed = true;
	assert_true(ks_goal_met(r, 2, &f.facts));
	f.s[0].correct = false;
	assert_int_equal(ks_goal_eval_all(r, goal, &f.facts), 0);
	assert_false(ks_goal_met(r, 2, &f.facts));
	assert_false(ks_goal_met(r, 0, &f.facts));
	assert_string_equal(ks_goal_text(goal, 1), "at least 3 speedup >= 1");
	ks_goal_free(goal);
}

static void test_long_names_do_not_overflow(void **state)
{
	(void)state;
	struct fixture f;
	static char name[600];
	fill(&f);

	for (size_t i = 0; i + 3 <= sizeof(name); i += 3) {
		memcpy(name + i, "\xe2\x82\xac", 3);
	}
	f.s[3].name = (struct ks_str){name, sizeof(name)};
	struct ks_goal_result r = eval(&f, "every speedup >= 1.0");
	assert_true(strlen(r.text) < sizeof(r.text));
	assert_non_null(strstr(r.text, "0.900x"));
}

/* Every prefix and every one-byte change of a long line ends in a clause or in
 * an error inside the line. */
static void test_survives_mutations(void **state)
{
	(void)state;
	static const char line[] = "at least 2 of 4 speedup >= 1.05x in edge, \"re al\" "
		"where not (batch % 2 = 0 or -seqlen < 3) and elem != \"x\"";
	char copy[sizeof(line)];
	unsigned seed = 1;

	for (size_t i = 0; i < 6000; i++) {
		struct ks_goal *goal = NULL;
		struct ks_goal_where where = {0};
		size_t len = i % sizeof(line);

		memcpy(copy, line, sizeof(line));
		for (int k = 0; k < 2 && i > 200; k++) {
			seed = seed * 1103515245u + 12345u;
			copy[(seed >> 8) % (sizeof(line) - 1)] = (char)(seed >> 20);
			len = sizeof(line) - 1;
		}
		struct ks_str s = {copy, len};
		if (ks_goal_parse(&goal, &s, 1, &where, NULL) == KS_OK) {
			struct fixture f;
			struct ks_goal_result r;

			fill(&f);
			ks_goal_eval(&r, goal, 0, &f.facts);
			ks_goal_free(goal);
		} else {
			assert_true(where.column <= len);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accepts_the_documented_lines),
		cmocka_unit_test(test_points_at_the_error),
		cmocka_unit_test(test_caret),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_every_under_noise),
		cmocka_unit_test(test_scope),
		cmocka_unit_test(test_heldout_names_stay_hidden),
		cmocka_unit_test(test_unmeasured_is_unknown),
		cmocka_unit_test(test_incorrect_counts_zero),
		cmocka_unit_test(test_geomean_interval),
		cmocka_unit_test(test_geomean_of_the_evaluator),
		cmocka_unit_test(test_at_least),
		cmocka_unit_test(test_roofline),
		cmocka_unit_test(test_library_and_lines),
		cmocka_unit_test(test_all_libraries),
		cmocka_unit_test(test_met_needs_the_confirming_run),
		cmocka_unit_test(test_long_names_do_not_overflow),
		cmocka_unit_test(test_survives_mutations),
	};

	return cmocka_run_group_tests_name("goal", tests, NULL, NULL);
}
