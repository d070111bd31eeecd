/*
 * The example problem from end to end, without a worker: every scenario filled
 * with every variant, seed and reference called on the same bytes, outputs
 * compared with the scenario's tolerance; a kernel that drops its last rows and
 * one that keeps too few digits do not pass.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "eval/compare.h"
#include "eval/generate.h"

typedef int kernel(const float *grid, float *next, int64_t rows, int64_t cols, float centre,
	float side);

kernel stencil5_seed;
kernel stencil5_reference;

static int drops_the_tail(const float *grid, float *next, int64_t rows, int64_t cols,
	float centre, float side)
{
	return stencil5_seed(grid, next, rows - rows % 4, cols, centre, side);
}

static int keeps_half(const float *grid, float *next, int64_t rows, int64_t cols, float centre,
	float side)
{
	int rc = stencil5_seed(grid, next, rows, cols, centre, side);
	for (int64_t i = 0; i < rows * cols; i++) {
		uint16_t half;
		ks_dtype_from_float(KS_FLOAT16, &half, &next[i], 1);
		ks_dtype_to_float(KS_FLOAT16, &next[i], &half, 1);
	}
	return rc;
}

static const struct ks_seed key = {{11, 22, 33, 44}};

static void call(kernel *f, const struct ks_case *c, char *memory)
{
	int rc = f((const float *)(void *)(memory + ks_case_arg(c, "grid")->offset),
		(float *)(void *)(memory + ks_case_arg(c, "next")->offset),
		ks_case_arg(c, "rows")->ivalue, ks_case_arg(c, "cols")->ivalue,
		(float)ks_case_arg(c, "centre")->fvalue, (float)ks_case_arg(c, "side")->fvalue);
	assert_int_equal(rc, 0);
}

/* Fills, calls both on the same bytes, compares. */
static struct ks_compare compare(kernel *f, const struct ks_case *c, enum ks_variant variant)
{
	const struct ks_arg *next = ks_case_arg(c, "next");
	char *memory = aligned_alloc(4096, c->total_bytes);
	char *want = ks_alloc(next->bytes);
	struct ks_compare cmp;
	assert_non_null(memory);
	ks_generate_all(c, &key, 5, variant, memory);
	memset(memory + c->out_start, 0x3C, c->out_bytes);
	call(stencil5_reference, c, memory);
	memcpy(want, memory + next->offset, next->bytes);
	memset(memory + c->out_start, 0x3C, c->out_bytes);
	call(f, c, memory);
	ks_compare(&cmp, &next->tol, next->dtype, memory + next->offset, want, next->count);
	free(want);
	free(memory);
	return cmp;
}

static struct ks_problem *load(void)
{
	struct ks_problem *p = NULL;
	struct ks_err err = KS_ERR_INIT;
	if (ks_problem_load(&p, STENCIL_DIR, &err) != 0) {
		fail_msg("%s", err.msg);
	}
	return p;
}

static void test_seed_passes(void **state)
{
	(void)state;
	struct ks_problem *p = load();
	struct ks_err err = KS_ERR_INIT;
	for (size_t i = 0; i < ks_problem_scenarios(p); i++) {
		struct ks_case *c = NULL;
		assert_int_equal(ks_case_new(&c, p, i, &err), 0);
		for (int v = 0; v < KS_VARIANT_COUNT; v++) {
			if (v != KS_PLAIN && (c->variants & 1u << v) == 0) {
				continue;
			}
			struct ks_compare cmp = compare(stencil5_seed, c, (enum ks_variant)v);
			assert_true(cmp.ok && cmp.rel_l2 < 1e-6 && cmp.want_rms > 0.03);
		}
		ks_case_free(c);
	}
	ks_problem_free(p);
}

static void test_wrong_kernels_do_not(void **state)
{
	(void)state;
	struct ks_problem *p = load();
	struct ks_err err = KS_ERR_INIT;
	struct ks_case *c = NULL;
	char why[200];
	assert_int_equal(ks_case_new(&c, p, (size_t)ks_problem_find(p, "odd-77x131"), &err), 0);
	struct ks_compare seed = compare(stencil5_seed, c, KS_PLAIN);
	struct ks_compare tail = compare(drops_the_tail, c, KS_PLAIN);
	ks_compare_why(why, sizeof(why), &tail, ks_case_arg(c, "next"));
	assert_false(tail.ok);
	assert_true(tail.bad > 131 && tail.bad <= 2 * 131);
	assert_non_null(strstr(why, "of 10087 elements of next differ; worst at [7"));
	struct ks_compare half = compare(keeps_half, c, KS_PLAIN);
	assert_false(half.ok);
	assert_false(ks_compare_error_ok(&half, &seed, KS_FLOAT32, 8));
	assert_true(ks_compare_error_ok(&seed, &seed, KS_FLOAT32, 1));
	ks_case_free(c);
	ks_problem_free(p);
}

static void test_lint_is_quiet(void **state)
{
	(void)state;
	struct ks_problem *p = load();
	struct ks_err err = KS_ERR_INIT;
	struct ks_case *c = NULL;
	assert_int_equal(ks_case_new(&c, p, 0, &err), 0);
	char *memory = aligned_alloc(4096, c->total_bytes), *note = NULL;
	assert_non_null(memory);
	ks_generate_all(c, &key, 1, KS_PLAIN, memory);
	call(stencil5_reference, c, memory);
	const struct ks_arg *next = ks_case_arg(c, "next");
	assert_int_equal(ks_lint_output(&note, next, memory + next->offset, &err), 0);
	assert_null(note);
	free(memory);
	ks_case_free(c);
	ks_problem_free(p);
}

/* The documents show these very files. */
static void test_document_shows_these_files(void **state)
{
	(void)state;
	static const char *const files[] = {"definition.json", "sets/main.jsonl", "seed.c",
		"reference.c"};
	struct ks_buf document = {0};
	struct ks_err err = KS_ERR_INIT;
	assert_int_equal(ks_file_read(&document, DOCUMENT, 1 << 20, &err), 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct ks_buf text = {0};
		char *path = ks_path_join(STENCIL_DIR, files[i]);
		assert_int_equal(ks_file_read(&text, path, 1 << 20, &err), 0);
		assert_true(ks_str_find(ks_buf_str(&document), ks_buf_str(&text)) >= 0);
		ks_buf_fini(&text);
		free(path);
	}
	ks_buf_fini(&document);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_seed_passes),
		cmocka_unit_test(test_wrong_kernels_do_not),
		cmocka_unit_test(test_lint_is_quiet),
		cmocka_unit_test(test_document_shows_these_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
