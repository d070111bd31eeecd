/*
 * What is shipped as data: the header for kernels agrees with the evaluator,
 * the problems load and their figures are right, the scripts are valid and
 * claim only where they mean to, the demo's goal parses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/script.h"
#include "base/file.h"
#include "base/json.h"
#include "core/claim.h"
#include "core/goal.h"
#include "eval/dtype.h"
#include "eval/problem.h"
#include "kseek_kernel.h"

static void test_codes(void **state)
{
	assert_int_equal(KSEEK_FLOAT32, KS_FLOAT32);
	assert_int_equal(KSEEK_FLOAT64, KS_FLOAT64);
	assert_int_equal(KSEEK_FLOAT16, KS_FLOAT16);
	assert_int_equal(KSEEK_BFLOAT16, KS_BFLOAT16);
	assert_int_equal(KSEEK_FLOAT8_E4M3FN, KS_FLOAT8_E4M3FN);
	assert_int_equal(KSEEK_FLOAT8_E5M2, KS_FLOAT8_E5M2);
	assert_int_equal(KSEEK_INT8, KS_INT8);
	assert_int_equal(KSEEK_UINT8, KS_UINT8);
	assert_int_equal(KSEEK_INT32, KS_INT32);
	assert_int_equal(KSEEK_INT64, KS_INT64);
	assert_int_equal(KSEEK_BOOL, KS_BOOL);
	for (int i = 0; i < KS_DTYPE_COUNT; i++) {
		assert_int_equal(kseek_dtype_size(i), ks_dtype_size((enum ks_dtype)i));
	}
	assert_int_equal(kseek_dtype_size(KS_DTYPE_COUNT), 0);
}

static const enum ks_dtype narrow[] = {KS_FLOAT16, KS_BFLOAT16, KS_FLOAT8_E4M3FN,
	KS_FLOAT8_E5M2};

static void test_loads(void **state)
{
	for (size_t n = 0; n < sizeof(narrow) / sizeof(narrow[0]); n++) {
		const int bits = 8 * (int)ks_dtype_size(narrow[n]);

		for (uint32_t code = 0; code < 1u << bits; code++) {
			_Alignas(8) unsigned char bytes[8] = {(unsigned char)code,
				(unsigned char)(code >> 8)}; /* room for the widest type */
			float ours = kseek_load(bytes, (int32_t)narrow[n], 0);
			double theirs = ks_dtype_get(narrow[n], bytes, 0);

			if (!(ours == theirs || (ours != ours && theirs != theirs))) {
				fail_msg("%s 0x%x: %g, not %g", ks_dtype_name(narrow[n]), code,
					(double)ours, theirs);
			}
		}
	}
}

/* Every 251st float32 of all of them. */
static void test_stores(void **state)
{
	for (size_t n = 0; n < sizeof(narrow) / sizeof(narrow[0]); n++) {
		for (uint64_t u = 0; u <= UINT32_MAX; u += 251 * 8) {
			float x = kseek_float_of_bits((uint32_t)u);
			_Alignas(8) unsigned char ours[8] = {0}, theirs[8] = {0};

			if (x != x) {
				continue;
			}
			kseek_store(ours, (int32_t)narrow[n], 0, x);
			ks_dtype_from_float(narrow[n], theirs, &x, 1);
			if (memcmp(ours, theirs, 2) != 0) {
				fail_msg("%s of %a: 0x%02x%02x, not 0x%02x%02x",
					ks_dtype_name(narrow[n]), (double)x, ours[1], ours[0],
					theirs[1], theirs[0]);
			}
		}
	}
}

/* The sets for GPUs, which a campaign takes in place of the others. */
static void add_cuda_sets(struct ks_problem *problem, const char *dir, struct ks_err *err)
{
	char *own = ks_path_join(dir, "cuda");
	char **names;
	size_t count;

	assert_int_equal(ks_file_list(&names, &count, own, err), 0);
	for (size_t i = 0; i < count; i++) {
		char *path = ks_path_join(own, names[i]);

		if (ks_problem_add_set(problem, path, false, err) < 0) {
			fail_msg("%s", err->msg);
		}
		free(path);
	}
	ks_names_free(names, count);
	free(own);
}

static void test_problems(void **state)
{
	static const struct {
		const char *dir;
		size_t least, least_cuda;
	} shipped[] = {{"attention", 26, 26}, {"matmul", 8, 12}, {"rmsnorm", 8, 12}};

	for (size_t i = 0; i < sizeof(shipped) / sizeof(shipped[0]); i++) {
		struct ks_err err = KS_ERR_INIT;
		struct ks_problem *problem = NULL;
		char *dir = ks_path_join(SCENARIOS, shipped[i].dir);

		if (ks_problem_load(&problem, dir, &err) < 0) {
			fail_msg("%s", err.msg);
		}
		assert_true(ks_problem_scenarios(problem) >= shipped[i].least);
		assert_int_equal(ks_problem_check_target(problem, "cpu", &err), 0);
		for (size_t s = 0; s < ks_problem_scenarios(problem); s++) {
			struct ks_case *c;

			assert_int_equal(ks_case_new(&c, problem, s, &err), 0);
			assert_true(c->total_bytes < 4u << 20);
			ks_case_free(c);
		}
		size_t own = ks_problem_scenarios(problem);

		add_cuda_sets(problem, dir, &err);
		assert_true(ks_problem_scenarios(problem) - own >= shipped[i].least_cuda);
		for (size_t s = own; s < ks_problem_scenarios(problem); s++) {
			struct ks_case *c;

			assert_int_equal(ks_case_new(&c, problem, s, &err), 0);
			assert_true(c->total_bytes < 300u << 20);
			ks_case_free(c);
		}
		ks_problem_free(problem);
		free(dir);
	}
}

/* The number of keys that all queries of a scenario see, one by one. */
static double pairs_of(const struct ks_case *c)
{
	const struct ks_arg *cu_q = ks_case_arg(c, "cu_seqlens_q");
	const struct ks_arg *cu_k = ks_case_arg(c, "cu_seqlens_k");
	const struct ks_arg *used = ks_case_arg(c, "seqused_k");
	int64_t left = ks_case_arg(c, "window_left")->ivalue;
	int64_t right = ks_case_arg(c, "window_right")->ivalue;
	bool causal = ks_case_arg(c, "causal")->ivalue != 0;
	double pairs = 0;

	for (int64_t b = 0; b < ks_case_arg(c, "batch")->ivalue; b++) {
		int64_t queries = (int64_t)(cu_q->gen.values[b + 1] - cu_q->gen.values[b]);
		int64_t keys = ks_case_arg(c, "max_k")->ivalue;

		if (!cu_k->absent) {
			keys = (int64_t)(cu_k->gen.values[b + 1] - cu_k->gen.values[b]);
		}
		if (!used->absent) {
			keys = (int64_t)used->gen.values[b];
		}
		for (int64_t i = 0; i < queries; i++) {
			for (int64_t j = 0; j < keys; j++) {
				int64_t ahead = j - (i + keys - queries);

				pairs += !(causal && ahead > 0) && !(left >= 0 && -ahead > left)
					&& !(right >= 0 && ahead > right);
			}
		}
	}
	return pairs;
}

static void test_work_of_attention(void **state)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_problem *problem;

	assert_int_equal(ks_problem_load(&problem, SCENARIOS "/attention", &err), 0);
	add_cuda_sets(problem, SCENARIOS "/attention", &err);
	for (size_t s = 0; s < ks_problem_scenarios(problem); s++) {
		struct ks_case *c;
		double dims, all;

		assert_int_equal(ks_case_new(&c, problem, s, &err), 0);
		dims = (double)(ks_case_arg(c, "dim_qk")->ivalue + ks_case_arg(c, "dim_v")->ivalue);
		all = 2 * (double)ks_case_arg(c, "heads_q")->ivalue * pairs_of(c) * dims;
		if (all != c->ops) {
			fail_msg("%s: %.0f operations, the line says %.0f", c->uuid, all, c->ops);
		}
		assert_true(c->bytes > 0 && c->bytes <= (double)c->total_bytes);
		ks_case_free(c);
	}
	ks_problem_free(problem);
}

/* What the sentences of a script claim, by the step that says them. */
static void check_script(const char *path)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_claim_set *set;
	struct ks_script script;
	int evals = 0, explained = 0, limits = 0, completions = 0;

	if (ks_script_read(&script, path, &err) < 0) {
		fail_msg("%s", err.msg);
	}
	set = ks_claim_set_new();
	for (size_t i = 0; i < script.count; i++) {
		const struct ks_script_step *step = &script.steps[i];
		struct ks_claim claims[8];
		size_t n;

		/* What is said after an evaluation depends on what came of it. */
		if (i > 0 && step[-1].what == KS_DO_EVAL && (step->what == KS_DO_SAY ||
				step->what == KS_DO_THINK || step->what == KS_DO_CLAIM)) {
			assert_true(step->when != 0);
		}
		evals += step->what == KS_DO_EVAL;
		if (step->what != KS_DO_SAY && step->what != KS_DO_CLAIM) {
			continue;
		}
		/* A figure comes out of a command, never out of the script. */
		if (strpbrk(step->text, "0123456789") != NULL) {
			fail_msg("step %zu states a figure of its own: %s", i, step->text);
		}
		n = ks_claim_scan(claims, 8, set, ks_str_of(step->text));
		for (size_t k = 0; k < n; k++) {
			bool meant = step->what == KS_DO_CLAIM;

			if (!ks_claim_is_sure(&claims[k])) {
				continue;
			}
			explained += claims[k].kind == KS_CLAIM_EXPLAINED;
			limits += claims[k].kind == KS_CLAIM_LIMIT;
			completions += claims[k].kind == KS_CLAIM_COMPLETION;
			if (!meant && claims[k].kind != KS_CLAIM_NONE
				&& claims[k].kind != KS_CLAIM_EXPLAINED) {
				fail_msg("step %zu claims by accident: %s", i, step->text);
			}
		}
	}
	assert_true(evals >= 11);
	assert_int_equal(explained, 1);
	assert_true(limits >= 1);
	assert_true(completions >= 2);
	ks_claim_set_free(set);
	ks_script_fini(&script);
}

static void test_scripts(void **state)
{
	check_script(ROOT "/transcripts/demo-script/script.json");
	check_script(ROOT "/tests/scripts/second.json");
}

static void test_goal_of_the_demo(void **state)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_buf text = {0};
	struct ks_json *doc;
	struct ks_str lines[16];
	struct ks_goal *goal;
	size_t n = 0;

	assert_int_equal(ks_file_read(&text, ROOT "/transcripts/demo-script/demo.json", 65536,
		&err), 0);
	assert_int_equal(ks_json_parse(&doc, text.ptr, text.len, &err), 0);
	for (const struct ks_json *m = ks_json_first(ks_json_get(doc, "goal")); m != NULL && n < 16;
		m = ks_json_next(m)) {
		lines[n++] = ks_str_of(ks_json_str(m, ""));
	}
	if (ks_goal_parse(&goal, lines, n, NULL, &err) < 0) {
		fail_msg("%s", err.msg);
	}
	assert_int_equal(ks_goal_count(goal), n);
	ks_goal_free(goal);
	ks_json_free(doc);
	ks_buf_fini(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_codes),
		cmocka_unit_test(test_loads),
		cmocka_unit_test(test_stores),
		cmocka_unit_test(test_problems),
		cmocka_unit_test(test_work_of_attention),
		cmocka_unit_test(test_scripts),
		cmocka_unit_test(test_goal_of_the_demo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
