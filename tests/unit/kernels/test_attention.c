/*
 * The attention kernels of the demo on every shipped scenario, and with every
 * variant of the inputs on some, against the reference. Those that the script shows as
 * right have to be right; the one that keeps answers and the one with the wrong
 * edge have to be wrong where the notes say so.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "eval/compare.h"
#include "eval/generate.h"
#include "eval/problem.h"
#include "kernels.h"

struct world {
	struct ks_problem *problem;
	struct ks_seed seed;
};

/* One scenario with its memory; outputs of the reference in `want`. */
struct bed {
	struct ks_case *c;
	char *data;
	char *want;
};

static void bed_init(struct bed *bed, const struct world *w, size_t scenario)
{
	struct ks_err err = KS_ERR_INIT;

	assert_int_equal(ks_case_new(&bed->c, w->problem, scenario, &err), 0);
	bed->data = aligned_alloc(4096, bed->c->total_bytes);
	assert_non_null(bed->data);
	memset(bed->data, 0, bed->c->total_bytes);
	bed->want = ks_alloc(bed->c->out_bytes);
}

static void bed_fini(struct bed *bed)
{
	free(bed->want);
	free(bed->data);
	ks_case_free(bed->c);
}

static void *data_of(const struct bed *bed, const char *name)
{
	const struct ks_arg *arg = ks_case_arg(bed->c, name);

	assert_non_null(arg);
	return arg->absent ? NULL : bed->data + arg->offset;
}

static int64_t whole_of(const struct bed *bed, const char *name)
{
	const struct ks_arg *arg = ks_case_arg(bed->c, name);

	assert_non_null(arg);
	return arg->ivalue;
}

static float real_of(const struct bed *bed, const char *name)
{
	const struct ks_arg *arg = ks_case_arg(bed->c, name);

	assert_non_null(arg);
	return (float)arg->fvalue;
}

static void run(const struct bed *bed, attention_fn *fn)
{
	int rc;

	memset(bed->data + bed->c->out_start, 0x55, bed->c->out_bytes);
	rc = fn(data_of(bed, "q"), data_of(bed, "k"), data_of(bed, "v"),
		data_of(bed, "cu_seqlens_q"), data_of(bed, "cu_seqlens_k"),
		data_of(bed, "seqused_k"), data_of(bed, "page_table"), data_of(bed, "sink"),
		data_of(bed, "q_descale"), data_of(bed, "k_descale"), data_of(bed, "v_descale"),
		data_of(bed, "out"), data_of(bed, "lse"), (int32_t)whole_of(bed, "elem"),
		whole_of(bed, "batch"), whole_of(bed, "total_q"), whole_of(bed, "kv_rows"),
		whole_of(bed, "heads_q"), whole_of(bed, "heads_kv"), whole_of(bed, "dim_qk"),
		whole_of(bed, "dim_v"), whole_of(bed, "page_size"), whole_of(bed, "table_width"),
		whole_of(bed, "max_q"), whole_of(bed, "max_k"), (int32_t)whole_of(bed, "causal"),
		(int32_t)whole_of(bed, "window_left"), (int32_t)whole_of(bed, "window_right"),
		real_of(bed, "softcap"), real_of(bed, "scale"));
	assert_int_equal(rc, 0);
}

/* Fresh inputs and the reference's answer to them. */
static void draw(struct bed *bed, const struct world *w, uint64_t call, enum ks_variant variant)
{
	ks_generate_all(bed->c, &w->seed, call, variant, bed->data);
	run(bed, attention_reference);
	memcpy(bed->want, bed->data + bed->c->out_start, bed->c->out_bytes);
}

static bool agrees(const struct bed *bed, attention_fn *fn)
{
	bool ok = true;

	run(bed, fn);
	for (size_t i = 0; i < bed->c->count; i++) {
		const struct ks_arg *arg = &bed->c->args[i];
		struct ks_compare cmp;

		if (arg->kind != KS_ARG_OUTPUT) {
			continue;
		}
		ks_compare(&cmp, &arg->tol, arg->dtype, bed->data + arg->offset,
			bed->want + (arg->offset - bed->c->out_start), arg->count);
		ok = ok && cmp.ok;
	}
	return ok;
}

static const struct {
	const char *name;
	attention_fn *fn;
} right[] = {
	{"seed", attention_seed}, {"c01", attention_c01}, {"c02", attention_c02},
	{"c03", attention_c03}, {"c04", attention_c04}, {"c05", attention_c05},
	{"c08", attention_c08}, {"c09", attention_c09}, {"c09r", attention_c09r},
	{"c10", attention_c10}, {"c11", attention_c11},
};

static void assert_right(struct bed *bed, const struct world *w, enum ks_variant v)
{
	draw(bed, w, (uint64_t)v, v);
	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		if (!agrees(bed, right[i].fn)) {
			fail_msg("%s is wrong on %s (%s)", right[i].name, bed->c->uuid,
				ks_variant_name(v));
		}
	}
}

static void test_right_ones(void **state)
{
	struct world *w = *state;

	for (size_t s = 0; s < ks_problem_scenarios(w->problem); s++) {
		struct bed bed;

		bed_init(&bed, w, s);
		for (int v = KS_PLAIN; v < KS_VARIANT_COUNT; v++) {
			if (v == KS_PLAIN || ((bed.c->variants & (1u << v))
				&& (s + (size_t)v) % 4 == 0)) {
				assert_right(&bed, w, (enum ks_variant)v);
			}
		}
		bed_fini(&bed);
	}
}

/* Right the first time it sees a shape, wrong with new contents. */
static void test_kept_answers(void **state)
{
	struct world *w = *state;

	for (size_t s = 0; s < ks_problem_scenarios(w->problem); s++) {
		struct bed bed;

		bed_init(&bed, w, s);
		draw(&bed, w, 1, KS_PLAIN);
		assert_true(agrees(&bed, attention_c06));
		assert_true(agrees(&bed, attention_c06));
		draw(&bed, w, 2, KS_PLAIN);
		assert_false(agrees(&bed, attention_c06));
		bed_fini(&bed);
	}
}

static void test_wrong_edge(void **state)
{
	struct world *w = *state;
	int wrong = 0;

	for (size_t s = 0; s < ks_problem_scenarios(w->problem); s++) {
		struct bed bed;

		bed_init(&bed, w, s);
		draw(&bed, w, 3, KS_PLAIN);
		if (!agrees(&bed, attention_c07)) {
			assert_true(whole_of(&bed, "window_left") >= 0);
			wrong++;
		}
		bed_fini(&bed);
	}
	assert_int_equal(wrong, 6);
}

static int set_up(void **state)
{
	static struct world world;
	struct ks_err err = KS_ERR_INIT;

	if (ks_problem_load(&world.problem, SCENARIOS "/attention", &err) < 0) {
		print_error("%s\n", err.msg);
		return -1;
	}
	*state = &world;
	return ks_seed_parse(&world.seed, "0f1e2d3c4b5a69788796a5b4c3d2e1f0", &err);
}

static int tear_down(void **state)
{
	struct world *w = *state;

	ks_problem_free(w->problem);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_right_ones),
		cmocka_unit_test(test_kept_answers),
		cmocka_unit_test(test_wrong_edge),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
