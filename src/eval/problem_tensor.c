/*
 * The tensors of a scenario: shapes, generators with their numbers, lists that
 * have to agree with what is declared, tolerances, places in the layout.
 */
#include "eval/problem_case.h"

#include <math.h>
#include <stdio.h>

#define PIECES_MAX (1 << 20) /* of drawn offsets: they are made as one list */

static int refuse_shape(struct ks_builder *b, const struct ks_decl *d, unsigned r,
	const char *what)
{
	char path[KS_PATH];
	ks_where_path(path, "$.%s.%s.shape[%u]", d->output ? "outputs" : "inputs", d->name, r);
	return ks_where_refuse(&b->p->where, b->err, path, "in scenario '%.60s' (%s:%u): %s",
		b->s->uuid, b->s->where.file, b->s->where.line, what);
}

static int work_out_shape(struct ks_builder *b, size_t decl, struct ks_arg *arg)
{
	const struct ks_decl *d = &b->p->decls[decl];
	struct ks_expr_names names = ks_builder_names(b);
	arg->rank = d->rank;
	arg->count = 1;
	for (unsigned r = 0; r < d->rank; r++) {
		struct ks_err local = KS_ERR_INIT;
		int64_t v = 0;
		if (ks_expr_int(&v, d->shape[r], &names, &local) != 0) {
			return refuse_shape(b, d, r, local.msg);
		}
		if (v < 0) {
			return refuse_shape(b, d, r, "comes out negative; change its axes");
		}
		if (__builtin_mul_overflow(arg->count, (uint64_t)v, &arg->count)) {
			return refuse_shape(b, d, r,
				"the shape does not multiply out in 64 bits; change its axes");
		}
		arg->shape[r] = v;
	}
	uint64_t size = ks_dtype_size(arg->dtype);
	if (__builtin_mul_overflow(arg->count, size, &arg->bytes) ||
		arg->bytes > KS_CASE_BYTES_MAX) {
		return ks_builder_refuse(b, ".axes",
			"'%s' would take more than %llu GiB; make it smaller", d->name,
			(unsigned long long)(KS_CASE_BYTES_MAX >> 30));
	}
	return 0;
}

static int place(struct ks_builder *b, struct ks_arg *arg)
{
	uint64_t start = (b->layout + KS_ALIGN - 1) / KS_ALIGN * KS_ALIGN;
	arg->offset = start;
	b->layout = start + arg->bytes + KS_GAP;
	if (b->layout > KS_CASE_BYTES_MAX) {
		return ks_builder_refuse(b, ".axes",
			"the scenario would take more than %llu GiB; make it "
			"smaller", (unsigned long long)(KS_CASE_BYTES_MAX >> 30));
	}
	return 0;
}

/* A generator's number in this scenario. where_in: the line or the definition. */
static int gen_number(struct ks_builder *b, const struct ks_gen_spec *spec, enum ks_gen_key key,
	double fallback, double *out, const char *rest)
{
	const struct ks_number *n = &spec->numbers[key];
	struct ks_expr_names names = ks_builder_names(b);
	struct ks_err local = KS_ERR_INIT;
	*out = n->set ? n->value : fallback;
	if (n->expr != NULL && ks_expr_real(out, n->expr, &names, &local) != 0) {
		return ks_builder_refuse(b, rest, "%s", local.msg);
	}
	return 0;
}

static int gen_whole(struct ks_builder *b, const struct ks_gen_spec *spec, enum ks_gen_key key,
	int64_t fallback, int64_t *out, const char *rest)
{
	const struct ks_number *n = &spec->numbers[key];
	struct ks_expr_names names = ks_builder_names(b);
	struct ks_err local = KS_ERR_INIT;
	if (n->expr != NULL) {
		int64_t v;
		if (ks_expr_int(&v, n->expr, &names, &local) != 0) {
			return ks_builder_refuse(b, rest, "%s", local.msg);
		}
		*out = v;
		return 0;
	}
	if (n->set && (n->value != floor(n->value) || fabs(n->value) > (double)KS_WHOLE_MAX)) {
		return ks_builder_refuse(b, rest, "its generator needs whole numbers, not %.17g",
			n->value);
	}
	*out = n->set ? (int64_t)n->value : fallback;
	return 0;
}

static int gen_floats(struct ks_builder *b, struct ks_arg *arg, const struct ks_gen_spec *spec,
	const char *rest)
{
	struct ks_gen *g = &arg->gen;
	int rc = 0;
	switch (spec->dist) {
	case KS_DIST_NORMAL:
		rc = gen_number(b, spec, KS_GEN_MEAN, 0, &g->a, rest);
		rc = rc != 0 ? rc : gen_number(b, spec, KS_GEN_STD, 1, &g->b, rest);
		break;
	case KS_DIST_UNIFORM:
		rc = gen_number(b, spec, KS_GEN_LOW, -1, &g->a, rest);
		rc = rc != 0 ? rc : gen_number(b, spec, KS_GEN_HIGH, 1, &g->b, rest);
		break;
	case KS_DIST_ARANGE:
		rc = gen_number(b, spec, KS_GEN_START, 0, &g->a, rest);
		rc = rc != 0 ? rc : gen_number(b, spec, KS_GEN_STEP, 1, &g->b, rest);
		break;
	case KS_DIST_CONSTANT:
		rc = gen_number(b, spec, KS_GEN_VALUE, 1, &g->a, rest);
		rc = rc != 0 ? rc : ks_builder_check(b, arg->dtype, g->a, rest);
		break;
	default:
		break;
	}
	if (rc == 0 && ((spec->dist == KS_DIST_NORMAL && g->b < 0) ||
			(spec->dist == KS_DIST_UNIFORM && g->a > g->b))) {
		return ks_builder_refuse(b, rest,
			"std below 0, or low above high; turn them round");
	}
	return rc;
}

static int gen_integers(struct ks_builder *b, struct ks_arg *arg, const struct ks_gen_spec *spec,
	const char *rest)
{
	struct ks_gen *g = &arg->gen;
	int64_t top = arg->dtype == KS_BOOL ? 1 : 7;
	int rc = gen_whole(b, spec, KS_GEN_LOW, 0, &g->low, rest);
	rc = rc != 0 ? rc : gen_whole(b, spec, KS_GEN_HIGH, top, &g->high, rest);
	rc = rc != 0 ? rc : ks_builder_check(b, arg->dtype, (double)g->low, rest);
	rc = rc != 0 ? rc : ks_builder_check(b, arg->dtype, (double)g->high, rest);
	if (rc == 0 && g->low > g->high) {
		return ks_builder_refuse(b, rest, "low %lld is above high %lld", (long long)g->low,
			(long long)g->high);
	}
	return rc;
}

static int gen_index(struct ks_builder *b, struct ks_arg *arg, const struct ks_gen_spec *spec,
	const char *rest)
{
	struct ks_gen *g = &arg->gen;
	enum ks_gen_key key = spec->dist == KS_DIST_OFFSETS ? KS_GEN_TOTAL
		: spec->dist == KS_DIST_PAGE_TABLE ? KS_GEN_PAGES : KS_GEN_SIZE;
	int rc = gen_whole(b, spec, key, (int64_t)arg->count, &g->total, rest);
	if (rc == 0 && arg->dtype != KS_INT32 && arg->dtype != KS_INT64) {
		return ks_builder_refuse(b, rest,
			"its generator makes indices; the dtype has to be int32 or "
			"int64");
	}
	rc = rc != 0 ? rc : ks_builder_check(b, arg->dtype, (double)g->total, rest);
	if (rc == 0 && (g->total < 0 || (g->total == 0 && arg->count > 0 &&
			spec->dist != KS_DIST_OFFSETS))) {
		return ks_builder_refuse(b, rest,
			"%lld pages or places for %llu entries; give it more",
			(long long)g->total, (unsigned long long)arg->count);
	}
	if (rc != 0 || spec->dist != KS_DIST_OFFSETS) {
		return rc;
	}
	rc = gen_whole(b, spec, KS_GEN_MIN, 0, &g->low, rest);
	rc = rc != 0 ? rc : gen_whole(b, spec, KS_GEN_MAX, g->total, &g->high, rest);
	int64_t pieces = (int64_t)arg->count - 1;
	if (rc == 0 && (pieces < 0 || arg->rank != 1)) {
		return ks_builder_refuse(b, rest,
			"offsets are one list with an element more than pieces");
	}
	if (rc == 0 && pieces > PIECES_MAX) {
		return ks_builder_refuse(b, rest, "%lld pieces; at most %d are drawn",
			(long long)pieces, PIECES_MAX);
	}
	/* In long double: products of two 53-bit numbers do not overflow. */
	if (rc == 0 && (g->low < 0 || (long double)g->low * pieces > g->total ||
			(long double)g->high * pieces < g->total)) {
		return ks_builder_refuse(b, rest,
			"%lld pieces of %lld to %lld cannot add up to %lld",
			(long long)pieces, (long long)g->low, (long long)g->high,
			(long long)g->total);
	}
	return rc;
}

/* Values given for a tensor that is declared as offsets or a page table. */
static int check_structure(struct ks_builder *b, const struct ks_arg *arg, enum ks_dist declared,
	const struct ks_gen *want)
{
	char rest[KS_PATH];
	const double *v = arg->gen.values;
	size_t n = arg->gen.count;
	for (size_t i = 0; i < n; i++) {
		bool last = i + 1 == n;
		ks_where_path(rest, ".inputs.%s.values[%zu]", arg->name, i);
		if (declared == KS_DIST_PAGE_TABLE && (v[i] < 0 || v[i] >= (double)want->total)) {
			return ks_builder_refuse(b, rest, "page %.0f of %lld; pages count from 0",
				v[i],
				(long long)want->total);
		}
		if (declared != KS_DIST_OFFSETS) {
			continue;
		}
		if (i == 0 && v[0] != 0) {
			return ks_builder_refuse(b, rest, "the first offset is %.0f, not 0", v[0]);
		}
		if (last && v[i] != (double)want->total) {
			return ks_builder_refuse(b, rest,
				"the last offset is %.0f, but the total is %lld",
				v[i], (long long)want->total);
		}
		if (i > 0 && (v[i] - v[i - 1] < (double)want->low ||
				v[i] - v[i - 1] > (double)want->high)) {
			return ks_builder_refuse(b, rest,
				"a piece of %.0f; between %lld and %lld are allowed",
				v[i] - v[i - 1], (long long)want->low, (long long)want->high);
		}
	}
	return 0;
}

static int gen_from_spec(struct ks_builder *b, struct ks_arg *arg, const struct ks_gen_spec *spec,
	const char *rest)
{
	arg->gen.dist = spec->dist;
	arg->gen.variants = ks_dtype_is_float(arg->dtype) ? spec->variants : 0;
	arg->gen.fixed = spec->fixed;
	switch (spec->dist) {
	case KS_DIST_INTEGERS:
		return gen_integers(b, arg, spec, rest);
	case KS_DIST_OFFSETS:
	case KS_DIST_PAGE_TABLE:
	case KS_DIST_PERMUTATION:
		return gen_index(b, arg, spec, rest);
	default:
		return gen_floats(b, arg, spec, rest);
	}
}

static int gen_from_list(struct ks_builder *b, size_t decl, struct ks_arg *arg,
	const struct ks_gen_spec *declared)
{
	struct ks_gen want = arg->gen;
	char rest[KS_PATH];
	ks_where_path(rest, ".inputs.%s.values", arg->name);
	if (b->list_count[decl] != arg->count) {
		return ks_builder_refuse(b, rest, "%zu values, but the shape has %llu elements",
			b->list_count[decl], (unsigned long long)arg->count);
	}
	arg->gen = (struct ks_gen){.dist = KS_DIST_VALUES, .fixed = true,
		.values = b->list[decl], .count = b->list_count[decl]};
	return check_structure(b, arg, declared->dist, &want);
}

static int work_out_gen(struct ks_builder *b, size_t decl, struct ks_arg *arg)
{
	const struct ks_decl *d = &b->p->decls[decl];
	struct ks_gen_spec plain = {.given = true, .dist = ks_dtype_is_float(arg->dtype)
		? KS_DIST_NORMAL : KS_DIST_INTEGERS};
	struct ks_gen_spec own = {0};
	const struct ks_gen_spec *spec = d->gen.given ? &d->gen : &plain;
	const struct ks_json *node = ks_json_get(b->input[decl], "generate");
	char rest[KS_PATH], path[KS_PATH];
	int rc = 0;
	ks_where_path(rest, ".inputs.%s", arg->name);
	if (node != NULL) {
		ks_where_path(path, "%s.inputs.%s.generate", b->s->base, arg->name);
		rc = ks_gen_read(&own, node, &b->s->where, path, b->err);
		spec = &own;
	}
	rc = rc != 0 ? rc : gen_from_spec(b, arg, spec, rest);
	if (rc == 0 && b->list[decl] != NULL) {
		rc = gen_from_list(b, decl, arg, spec);
	}
	ks_gen_spec_fini(&own);
	return rc;
}

static int make_tensor(struct ks_builder *b, size_t decl, const struct ks_tol_set *line_tol)
{
	const struct ks_decl *d = &b->p->decls[decl];
	struct ks_arg *arg = &b->made[decl];
	int pick = b->p->dtype_axis_count > 0 ? b->pick[0] : -1;
	arg->kind = d->output ? KS_ARG_OUTPUT : KS_ARG_INPUT;
	arg->dtype = ks_builder_dtype(b, decl);
	arg->writable = d->writable || d->output;
	arg->absent = d->optional && !d->output && b->input[decl] == NULL;
	if (arg->absent) {
		return 0;
	}
	int rc = work_out_shape(b, decl, arg);
	if (rc == 0 && !d->output) {
		rc = work_out_gen(b, decl, arg);
		b->c->variants |= arg->gen.variants;
	}
	if (rc == 0 && d->output) {
		arg->tol = ks_tol_default(arg->dtype);
		ks_tol_apply(&arg->tol, b->p->tolerance, decl, arg->dtype, pick);
		ks_tol_apply(&arg->tol, line_tol, decl, arg->dtype, pick);
	}
	return rc != 0 ? rc : place(b, arg);
}

static uint64_t page_up(uint64_t bytes)
{
	return (bytes + 4095) / 4096 * 4096;
}

int ks_builder_tensors(struct ks_builder *b, const struct ks_tol_set *line_tol)
{
	for (int output = 0; output < 2; output++) {
		for (size_t d = 0; d < b->p->decl_count; d++) {
			const struct ks_decl *decl = &b->p->decls[d];
			struct ks_arg *arg = &b->made[d];
			if (decl->output != (output == 1)) {
				continue;
			}
			snprintf(arg->name, sizeof(arg->name), "%s", decl->name);
			arg->stream = (uint32_t)d;
			arg->count = 1;
			if (decl->scalar) {
				arg->kind = KS_ARG_SCALAR;
				arg->dtype = decl->dtype;
				arg->fvalue = b->scalar[d];
				arg->ivalue = ks_dtype_is_float(decl->dtype) ? 0
					: (int64_t)b->scalar[d];
				continue;
			}
			int rc = make_tensor(b, d, line_tol);
			if (rc != 0) {
				return rc;
			}
		}
		b->layout = page_up(b->layout);
		if (output == 0) {
			b->c->in_bytes = b->c->out_start = b->layout;
		}
	}
	b->c->total_bytes = b->layout;
	b->c->out_bytes = b->layout - b->c->out_start;
	return 0;
}
