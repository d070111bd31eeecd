/*
 * The kernels for GPUs, run on the CPU (see emu/emu.h), against the references
 * in C: every shipped scenario in float32, and the same contents rounded to the
 * narrow types.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <ffi.h>

#include "base/mem.h"
#include "eval/compare.h"
#include "eval/generate.h"
#include "eval/problem.h"

typedef void entry(void);
entry attention_reference, matmul_reference, rmsnorm_reference;
entry emu_attention_seed, emu_attention_reference, emu_matmul_seed, emu_matmul_reference,
	emu_rmsnorm_seed, emu_rmsnorm_reference;

static const struct shipped {
	const char *name;
	entry *want;
	entry *device[2];
	const char *narrow; /* tensors whose type is the dtype axis */
} operators[] = {
	{"attention", attention_reference, {emu_attention_seed, emu_attention_reference},
		" q k v out "},
	{"matmul", matmul_reference, {emu_matmul_seed, emu_matmul_reference}, " a b c "},
	{"rmsnorm", rmsnorm_reference, {emu_rmsnorm_seed, emu_rmsnorm_reference},
		" x weight out "},
};
#define OPS_MAX 4.2e6 /* a longer scenario would take too long */
#define OPERATORS (sizeof(operators) / sizeof(operators[0]))

/* A scenario with its memory; tensors lie alone, so that a step beyond one is seen. */
struct bed {
	const struct shipped *op;
	struct ks_case *c;
	void *wide[KS_ARGS_MAX];   /* as the case says */
	void *narrow[KS_ARGS_MAX]; /* as `elem` says; lent where it is the same */
	void *want[KS_ARGS_MAX];   /* outputs of the reference in C */
	enum ks_dtype elem;
};

static bool is_tensor(const struct ks_arg *arg)
{
	return (arg->kind == KS_ARG_INPUT || arg->kind == KS_ARG_OUTPUT) && !arg->absent;
}

static bool is_narrow(const struct bed *bed, const struct ks_arg *arg)
{
	char word[KS_NAME_MAX + 2];

	snprintf(word, sizeof(word), " %s ", arg->name);
	return bed->elem != KS_FLOAT32 && strstr(bed->op->narrow, word) != NULL;
}

static int call(const struct bed *bed, entry *fn, void *const *tensors, enum ks_dtype elem,
	bool stream)
{
	ffi_cif cif;
	ffi_type *types[KS_ARGS_MAX + 1];
	void *values[KS_ARGS_MAX + 1];
	int32_t whole[KS_ARGS_MAX];
	float real[KS_ARGS_MAX];
	void *nothing = NULL;
	ffi_arg ret = 0;
	unsigned n = 0;

	for (; n < bed->c->count; n++) {
		const struct ks_arg *arg = &bed->c->args[n];

		whole[n] = (int32_t)(arg->kind == KS_ARG_DTYPE ? (int64_t)elem : arg->ivalue);
		real[n] = (float)arg->fvalue;
		if (arg->kind == KS_ARG_INPUT || arg->kind == KS_ARG_OUTPUT) {
			types[n] = &ffi_type_pointer;
			values[n] = arg->absent ? (void *)&nothing : (void *)&tensors[n];
		} else if (arg->kind == KS_ARG_AXIS) {
			types[n] = &ffi_type_sint64;
			values[n] = (void *)&arg->ivalue;
		} else if (arg->kind == KS_ARG_SCALAR && arg->dtype == KS_FLOAT32) {
			types[n] = &ffi_type_float;
			values[n] = &real[n];
		} else {
			types[n] = &ffi_type_sint32;
			values[n] = &whole[n];
		}
	}
	if (stream) {
		types[n] = &ffi_type_pointer;
		values[n++] = &nothing;
	}
	assert_int_equal(ffi_prep_cif(&cif, FFI_DEFAULT_ABI, n, &ffi_type_sint32, types), FFI_OK);
	ffi_call(&cif, fn, &ret, values);
	return (int)ret;
}

/* Fresh contents, rounded to elem, and the reference's answer to them. */
static void bed_init(struct bed *bed, const struct shipped *op, struct ks_case *c,
	const struct ks_seed *seed, enum ks_variant variant, enum ks_dtype elem)
{
	*bed = (struct bed){.op = op, .c = c, .elem = elem};
	for (size_t i = 0; i < c->count; i++) {
		const struct ks_arg *arg = &c->args[i];

		if (!is_tensor(arg)) {
			continue;
		}
		bed->wide[i] = ks_zalloc(1, arg->bytes + 1);
		bed->narrow[i] = bed->wide[i];
		if (arg->kind == KS_ARG_INPUT) {
			ks_generate(c, arg, seed, 7, variant, bed->wide[i]);
		}
		if (is_narrow(bed, arg)) {
			bed->narrow[i] = ks_zalloc(1, arg->count * ks_dtype_size(elem) + 1);
			ks_dtype_from_float(elem, bed->narrow[i], bed->wide[i], arg->count);
			ks_dtype_to_float(elem, bed->wide[i], bed->narrow[i], arg->count);
		}
	}
	assert_int_equal(call(bed, op->want, bed->wide, KS_FLOAT32, false), 0);
	for (size_t i = 0; i < c->count; i++) {
		if (c->args[i].kind == KS_ARG_OUTPUT) {
			bed->want[i] = ks_alloc(c->args[i].bytes + 1);
			memcpy(bed->want[i], bed->wide[i], c->args[i].bytes);
		}
	}
}

static void bed_fini(struct bed *bed)
{
	for (size_t i = 0; i < bed->c->count; i++) {
		if (bed->narrow[i] != bed->wide[i]) {
			free(bed->narrow[i]);
		}
		free(bed->wide[i]);
		free(bed->want[i]);
	}
}

/* Runs a kernel over outputs that hold NaN and compares. */
static void check(const struct bed *bed, int side)
{
	for (size_t i = 0; i < bed->c->count; i++) {
		const struct ks_arg *arg = &bed->c->args[i];

		if (arg->kind == KS_ARG_OUTPUT) {
			memset(bed->narrow[i], 0xff, arg->count *
				(is_narrow(bed, arg) ? ks_dtype_size(bed->elem) : 4));
		}
	}
	assert_int_equal(call(bed, bed->op->device[side], bed->narrow, bed->elem, true), 0);
	for (size_t i = 0; i < bed->c->count; i++) {
		const struct ks_arg *arg = &bed->c->args[i];
		struct ks_tolerance tol = arg->tol;
		struct ks_compare cmp;

		if (arg->kind != KS_ARG_OUTPUT) {
			continue;
		}
		if (is_narrow(bed, arg)) {
			ks_dtype_to_float(bed->elem, bed->wide[i], bed->narrow[i], arg->count);
			tol.rel_tol = bed->elem == KS_BFLOAT16 ? 0.005 : 0.001;
		}
		ks_compare(&cmp, &tol, KS_FLOAT32, bed->wide[i], bed->want[i], arg->count);
		if (!cmp.ok) {
			fail_msg("%s, %s: %s of the %s is wrong in %s, element %zu: %g, "
				"not %g (%zu wrong)", bed->op->name, bed->c->uuid, arg->name,
				side == 0 ? "seed" : "reference", ks_dtype_name(bed->elem),
				(size_t)cmp.worst, cmp.got, cmp.want,
				(size_t)cmp.bad);
		}
	}
}

/* The narrow types are made from these. */
static bool is_wide(const struct ks_case *c)
{
	const struct ks_arg *elem = ks_case_arg(c, "elem");

	return elem->ivalue == KS_FLOAT32;
}

static void one(const struct shipped *op, struct ks_case *c, size_t number,
	const struct ks_seed *seed)
{
	static const enum ks_dtype elems[] = {KS_FLOAT32, KS_FLOAT16, KS_BFLOAT16};

	for (size_t e = 0; e < 3; e++) {
		struct bed bed;

		/* the narrow types share all but the conversion with float32 */
		if (e > 0 && (number + e) % 3 != 0) {
			continue;
		}
		bed_init(&bed, op, c, seed, KS_PLAIN, elems[e]);
		check(&bed, 0);
		check(&bed, 1);
		bed_fini(&bed);
	}
}

static void test_operators(void **state)
{
	struct ks_seed seed;
	struct ks_err err = KS_ERR_INIT;

	assert_int_equal(ks_seed_parse(&seed, "00112233445566778899aabbccddeeff", &err), 0);
	for (size_t o = 0; o < OPERATORS; o++) {
		struct ks_problem *problem = NULL;
		char *dir = ks_asprintf("%s/%s", SCENARIOS, operators[o].name);
		size_t run = 0;

		if (ks_problem_load(&problem, dir, &err) < 0) {
			fail_msg("%s", err.msg);
		}
		for (size_t s = 0; s < ks_problem_scenarios(problem); s++) {
			struct ks_case *c = NULL;

			assert_int_equal(ks_case_new(&c, problem, s, &err), 0);
			if (c->ops <= OPS_MAX && is_wide(c)) {
				one(&operators[o], c, run++, &seed);
			}
			ks_case_free(c);
		}
		if (run < 4) {
			fail_msg("%s: %zu scenarios are too few", operators[o].name, run);
		}
		ks_problem_free(problem);
		free(dir);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_operators)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
