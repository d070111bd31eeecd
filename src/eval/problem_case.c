/*
 * One scenario worked out: axes, dtypes, scalars, constraints, shapes,
 * generators, tolerances, work and the layout in memory. Everything that a
 * line can get wrong is refused here, with the line and the path in it.
 */
#include "eval/problem_case.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"

int ks_builder_refuse(struct ks_builder *b, const char *rest, const char *fmt, ...)
{
	char text[400], path[KS_PATH];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ks_where_path(path, "%s%s", b->s->base, rest);
	return ks_where_refuse(&b->s->where, b->err, path, "%s", text);
}

/* ---- names in expressions ---- */

static int lookup_real(void *ctx, const char *name, double *out)
{
	const struct ks_builder *b = ctx;
	int i = ks_problem_axis_index(b->p, name);
	if (i >= 0) {
		*out = (double)b->axis[i];
		return b->axis_known[i] ? 0 : KS_EUNSUPPORTED;
	}
	i = ks_problem_decl_index(b->p, name);
	if (i < 0 || !b->p->decls[i].scalar) {
		return KS_ENOTFOUND;
	}
	*out = b->scalar[i];
	return b->scalar_known[i] ? 0 : KS_EUNSUPPORTED;
}

static int lookup_int(void *ctx, const char *name, int64_t *out)
{
	const struct ks_builder *b = ctx;
	double v;
	int i = ks_problem_axis_index(b->p, name);
	if (i >= 0) {
		*out = b->axis[i];
		return b->axis_known[i] ? 0 : KS_EUNSUPPORTED;
	}
	int rc = lookup_real(ctx, name, &v);
	if (rc == 0 && (v != floor(v) || fabs(v) > (double)KS_WHOLE_MAX)) {
		return KS_EUNSUPPORTED;
	}
	if (rc == 0) {
		*out = (int64_t)v;
	}
	return rc;
}

static int lookup_element(void *ctx, const char *name, int64_t index, int64_t *out)
{
	const struct ks_builder *b = ctx;
	int d = ks_problem_decl_index(b->p, name);
	if (d < 0 || b->p->decls[d].scalar) {
		return KS_ENOTFOUND;
	}
	int64_t count = (int64_t)b->list_count[d];
	int64_t at = index < 0 ? index + count : index;
	if (b->list[d] == NULL || at < 0 || at >= count ||
		b->list[d][at] != floor(b->list[d][at])) {
		return KS_EUNSUPPORTED;
	}
	*out = (int64_t)b->list[d][at];
	return 0;
}

struct ks_expr_names ks_builder_names(struct ks_builder *b)
{
	return (struct ks_expr_names){b, lookup_int, lookup_real, lookup_element};
}

/* ---- axes and dtypes ---- */

static int read_axis_values(struct ks_builder *b)
{
	const struct ks_json *axes = ks_json_get(b->s->node, "axes");
	char rest[KS_PATH];
	for (size_t i = 0; i < b->p->axis_count; i++) {
		if (b->p->axes[i].kind == KS_AXIS_CONST) {
			b->axis[i] = b->p->axes[i].value;
			b->axis_known[i] = true;
		}
	}
	for (const struct ks_json *n = ks_json_first(axes); n != NULL; n = ks_json_next(n)) {
		int i = ks_problem_axis_index(b->p, ks_json_key(n));
		int64_t v = ks_json_int(n, -1);
		ks_where_path(rest, ".axes.%.60s", ks_json_key(n));
		if (i < 0) {
			return ks_builder_refuse(b, rest,
				"the definition has no such axis; drop it");
		}
		if (v < 0) {
			return ks_builder_refuse(b, rest, "not a whole number from 0");
		}
		if (b->p->axes[i].kind == KS_AXIS_CONST && v != b->axis[i]) {
			return ks_builder_refuse(b, rest,
				"the definition fixes it to %lld; drop it",
				(long long)b->axis[i]);
		}
		if (b->p->axes[i].kind != KS_AXIS_EXPR) {
			b->axis[i] = v;
			b->axis_known[i] = true;
		}
	}
	for (size_t i = 0; i < b->p->axis_count; i++) {
		if (b->p->axes[i].kind == KS_AXIS_VAR && !b->axis_known[i]) {
			return ks_builder_refuse(b, ".axes", "no value for axis '%s'; add it",
				b->p->axes[i].name);
		}
	}
	return 0;
}

/* One attempt at an expr axis. *progress is set when it got a value. */
static int compute_axis(struct ks_builder *b, size_t i, bool *progress)
{
	struct ks_expr_names names = ks_builder_names(b);
	struct ks_err local = KS_ERR_INIT;
	const struct ks_axis *axis = &b->p->axes[i];
	int64_t v;
	char rest[KS_PATH];
	int rc = ks_expr_int(&v, axis->expr, &names, &local);
	if (rc == KS_EUNSUPPORTED) {
		return 0;
	}
	ks_where_path(rest, ".axes: axis '%s' = %.80s", axis->name, ks_expr_text(axis->expr));
	if (rc != 0) {
		return ks_builder_refuse(b, rest, "%s", local.msg);
	}
	if (v < 0) {
		return ks_builder_refuse(b, rest, "comes out as %lld; an axis is at least 0",
			(long long)v);
	}
	const struct ks_json *given = ks_json_get(ks_json_get(b->s->node, "axes"), axis->name);
	if (given != NULL && ks_json_int(given, -1) != v) {
		return ks_builder_refuse(b, rest,
			"comes out as %lld, not %lld; drop it from the line",
			(long long)v, (long long)ks_json_int(given, -1));
	}
	b->axis[i] = v;
	b->axis_known[i] = true;
	*progress = true;
	return 0;
}

/* Axes may be computed from axes that stand later: passes until none is left
 * or nothing moves. */
static int compute_axes(struct ks_builder *b)
{
	bool progress = true;
	while (progress) {
		progress = false;
		for (size_t i = 0; i < b->p->axis_count; i++) {
			int rc = b->axis_known[i] ? 0 : compute_axis(b, i, &progress);
			if (rc != 0) {
				return rc;
			}
		}
	}
	for (size_t i = 0; i < b->p->axis_count; i++) {
		if (!b->axis_known[i]) {
			char path[KS_PATH];
			ks_where_path(path, "$.axes.%s", b->p->axes[i].name);
			return ks_where_refuse(&b->p->where, b->err, path,
				"depends on itself or on a scalar; use other axes");
		}
	}
	return 0;
}

static int read_dtype_picks(struct ks_builder *b)
{
	const struct ks_json *node = ks_json_get(b->s->node, "dtypes");
	char rest[KS_PATH];
	for (const struct ks_json *n = ks_json_first(node); n != NULL; n = ks_json_next(n)) {
		if (ks_problem_dtype_axis_index(b->p, ks_json_key(n)) < 0) {
			ks_where_path(rest, ".dtypes.%.60s", ks_json_key(n));
			return ks_builder_refuse(b, rest,
				"the definition has no such dtype axis; drop it");
		}
	}
	for (size_t i = 0; i < b->p->dtype_axis_count; i++) {
		const struct ks_dtype_axis *axis = &b->p->dtype_axes[i];
		const char *name = ks_json_get_str(node, axis->name, NULL);
		ks_where_path(rest, ".dtypes.%s", axis->name);
		if (name == NULL && axis->count > 1) {
			return ks_builder_refuse(b, rest,
				"missing; pick one of the definition's choices");
		}
		b->pick[i] = name == NULL ? (int)axis->choices[0] : -1;
		for (size_t k = 0; name != NULL && k < axis->count; k++) {
			if (strcmp(ks_dtype_name(axis->choices[k]), name) == 0) {
				b->pick[i] = (int)axis->choices[k];
			}
		}
		if (b->pick[i] < 0) {
			return ks_builder_refuse(b, rest,
				"'%.40s' is not among the definition's choices",
				name);
		}
	}
	return 0;
}

/* ---- inputs as the line gives them ---- */

static const char *input_type(const struct ks_builder *b, size_t decl)
{
	return ks_json_get_str(b->input[decl], "type", "random");
}

static int check_input_type(struct ks_builder *b, size_t decl, const char *rest)
{
	const struct ks_decl *d = &b->p->decls[decl];
	const char *type = ks_json_get_str(b->input[decl], "type", "");
	const char *wanted = d->scalar ? "scalar" : "random or values";
	if (d->scalar ? strcmp(type, "scalar") == 0
		      : strcmp(type, "random") == 0 || strcmp(type, "values") == 0) {
		return 0;
	}
	if (strcmp(type, "safetensors") == 0 || strcmp(type, "custom") == 0) {
		return d->gen.given ? 0 : ks_builder_refuse(b, rest,
			"inputs of type %s need Python; give values, or a generator for '%s' under "
			"kseek.generate in definition.json", type, d->name);
	}
	return ks_builder_refuse(b, rest, "unknown type '%.40s'; %s '%s' takes %s", type,
		d->scalar ? "scalar" : "tensor", d->name, wanted);
}

static int read_inputs(struct ks_builder *b)
{
	const struct ks_json *node = ks_json_get(b->s->node, "inputs");
	for (const struct ks_json *n = ks_json_first(node); n != NULL; n = ks_json_next(n)) {
		char rest[KS_PATH];
		int d = ks_problem_decl_index(b->p, ks_json_key(n));
		ks_where_path(rest, ".inputs.%.60s", ks_json_key(n));
		if (d < 0 || b->p->decls[d].output) {
			return ks_builder_refuse(b, rest,
				"the definition has no such input; drop it");
		}
		b->input[d] = n;
		ks_where_path(rest, ".inputs.%.60s.type", ks_json_key(n));
		int rc = check_input_type(b, (size_t)d, rest);
		if (rc != 0) {
			return rc;
		}
	}
	return 0;
}

int ks_builder_check(struct ks_builder *b, enum ks_dtype dtype, double v, const char *rest)
{
	bool whole = !ks_dtype_is_float(dtype);
	double low = dtype == KS_UINT8 || dtype == KS_BOOL ? 0 : -ks_dtype_max(dtype) - whole;
	if (whole && v != floor(v)) {
		return ks_builder_refuse(b, rest, "%.17g is not whole; its dtype is %s", v,
			ks_dtype_name(dtype));
	}
	if (!(v >= low && v <= ks_dtype_max(dtype)) ||
		(dtype == KS_INT64 && fabs(v) > (double)KS_WHOLE_MAX)) {
		return ks_builder_refuse(b, rest, "%.17g does not fit %s", v, ks_dtype_name(dtype));
	}
	return 0;
}

static int read_scalar(struct ks_builder *b, size_t decl)
{
	const struct ks_decl *d = &b->p->decls[decl];
	const struct ks_number *fallback = &d->gen.numbers[KS_GEN_VALUE];
	const struct ks_json *value = ks_json_get(b->input[decl], "value");
	char rest[KS_PATH];
	ks_where_path(rest, ".inputs.%s.value", d->name);
	double v = 1;
	if (ks_json_type(value) == KS_JSON_NUMBER) {
		v = ks_json_num(value, 0);
	} else if (ks_json_type(value) == KS_JSON_BOOL) {
		v = ks_json_bool(value, false);
	} else if (b->input[decl] != NULL || !d->gen.given) {
		return ks_builder_refuse(b, rest,
			"no value for scalar '%s'; add {\"type\": \"scalar\", \"value\": ...}",
			d->name);
	} else if (fallback->expr != NULL) {
		struct ks_expr_names names = ks_builder_names(b);
		struct ks_err local = KS_ERR_INIT;
		if (ks_expr_real(&v, fallback->expr, &names, &local) != 0) {
			return ks_builder_refuse(b, rest, "%s", local.msg);
		}
	} else if (fallback->set) {
		v = fallback->value;
	}
	int rc = ks_builder_check(b, d->dtype, v, rest);
	if (rc == 0) {
		b->scalar[decl] = v;
		b->scalar_known[decl] = true;
	}
	return rc;
}

static int read_scalars(struct ks_builder *b)
{
	for (size_t d = 0; d < b->p->decl_count; d++) {
		int rc = b->p->decls[d].scalar ? read_scalar(b, d) : 0;
		if (rc != 0) {
			return rc;
		}
	}
	return 0;
}

enum ks_dtype ks_builder_dtype(const struct ks_builder *b, size_t decl)
{
	const struct ks_decl *d = &b->p->decls[decl];
	return d->dtype_axis >= 0 ? (enum ks_dtype)b->pick[d->dtype_axis] : d->dtype;
}

static int read_list(struct ks_builder *b, size_t decl, double *into, size_t count)
{
	size_t i = 0;
	const struct ks_json *n = ks_json_first(ks_json_get(b->input[decl], "values"));
	for (; n != NULL && i < count; n = ks_json_next(n), i++) {
		char rest[KS_PATH];
		bool flag = ks_json_type(n) == KS_JSON_BOOL;
		ks_where_path(rest, ".inputs.%s.values[%zu]", b->p->decls[decl].name, i);
		if (!flag && ks_json_type(n) != KS_JSON_NUMBER) {
			return ks_builder_refuse(b, rest,
				"not a number; values are one flat list of numbers");
		}
		into[i] = flag ? ks_json_bool(n, false) : ks_json_num(n, 0);
		int rc = ks_builder_check(b, ks_builder_dtype(b, decl), into[i], rest);
		if (rc != 0) {
			return rc;
		}
	}
	b->list[decl] = into;
	b->list_count[decl] = count;
	return 0;
}

static int read_lists(struct ks_builder *b)
{
	size_t total = 0;
	char rest[KS_PATH];
	for (size_t d = 0; d < b->p->decl_count; d++) {
		if (strcmp(input_type(b, d), "values") != 0) {
			continue;
		}
		const struct ks_json *values = ks_json_get(b->input[d], "values");
		ks_where_path(rest, ".inputs.%s.values", b->p->decls[d].name);
		if (ks_json_type(values) != KS_JSON_ARRAY) {
			return ks_builder_refuse(b, rest, "missing; write a flat list of numbers");
		}
		if (ks_json_count(values) > KS_VALUES_MAX) {
			return ks_builder_refuse(b, rest, "more than %d values; use a generator",
				KS_VALUES_MAX);
		}
		total += ks_json_count(values);
	}
	b->c->values = ks_zalloc(total + 1, sizeof(b->c->values[0]));
	size_t used = 0;
	for (size_t d = 0; d < b->p->decl_count; d++) {
		if (strcmp(input_type(b, d), "values") == 0) {
			size_t n = ks_json_count(ks_json_get(b->input[d], "values"));
			int rc = read_list(b, d, b->c->values + used, n);
			if (rc != 0) {
				return rc;
			}
			used += n;
		}
	}
	return 0;
}

/* ---- constraints ---- */

/* The values of the axes that a constraint names, for its message. */
static void axes_in(const struct ks_builder *b, const char *text, char *out, size_t size)
{
	size_t len = 0;
	out[0] = '\0';
	for (size_t i = 0; i < b->p->axis_count && len + 96 < size; i++) {
		const char *name = b->p->axes[i].name;
		size_t n = strlen(name);
		for (const char *at = strstr(text, name); at != NULL; at = strstr(at + 1, name)) {
			char before = at > text ? at[-1] : ' ';
			char word[3] = {before, at[n], '\0'};
			if (strpbrk(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					"0123456789_") == NULL) {
				len += (size_t)snprintf(out + len, size - len, "%s%s = %lld",
					len > 0 ? ", " : "", name, (long long)b->axis[i]);
				break;
			}
		}
	}
}

static int check_constraints(struct ks_builder *b, bool *unchecked)
{
	struct ks_expr_names names = ks_builder_names(b);
	for (size_t i = 0; i < b->p->constraint_count; i++) {
		const char *text = ks_expr_text(b->p->constraints[i]);
		struct ks_err local = KS_ERR_INIT;
		int64_t holds;
		char values[256];
		int rc = ks_expr_int(&holds, b->p->constraints[i], &names, &local);
		if (rc == KS_EUNSUPPORTED) {
			if (unchecked != NULL) {
				unchecked[i] = true;
			}
			continue;
		}
		if (rc != 0) {
			char path[KS_PATH];
			ks_where_path(path, "$.constraints[%zu]", i);
			ks_err_prefix(&local, "in scenario '%.60s'", b->s->uuid);
			return ks_where_refuse(&b->p->where, b->err, path, "%s", local.msg);
		}
		if (holds == 0) {
			axes_in(b, text, values, sizeof(values));
			return ks_builder_refuse(b, ".axes",
				"violates the constraint \"%.120s\"%s%s%s; change the scenario",
				text, values[0] != '\0' ? " (" : "", values,
				values[0] != '\0' ? ")" : "");
		}
	}
	return 0;
}

static void order_args(struct ks_builder *b)
{
	const struct ks_problem *p = b->p;
	b->c->axes = ks_alloc((p->axis_count + 1) * sizeof(b->c->axes[0]));
	memcpy(b->c->axes, b->axis, p->axis_count * sizeof(b->c->axes[0]));
	b->c->args = ks_zalloc(p->arg_count, sizeof(b->c->args[0]));
	b->c->count = p->arg_count;
	for (size_t i = 0; i < p->arg_count; i++) {
		struct ks_arg *arg = &b->c->args[i];
		size_t at = p->args[i].index;
		if (p->args[i].kind == KS_ARG_AXIS) {
			*arg = (struct ks_arg){.kind = KS_ARG_AXIS, .dtype = KS_INT64, .count = 1,
				.ivalue = b->axis[at], .fvalue = (double)b->axis[at]};
			memcpy(arg->name, p->axes[at].name, sizeof(arg->name));
		} else if (p->args[i].kind == KS_ARG_DTYPE) {
			*arg = (struct ks_arg){.kind = KS_ARG_DTYPE, .dtype = KS_INT32, .count = 1,
				.ivalue = b->pick[at], .fvalue = b->pick[at]};
			memcpy(arg->name, p->dtype_axes[at].name, sizeof(arg->name));
		} else {
			*arg = b->made[at];
		}
	}
}

/* ---- work ---- */

static int work_number(struct ks_builder *b, const struct ks_number *def, const char *key,
	double automatic, double *out)
{
	const struct ks_json *node = ks_json_get(ks_json_get(b->s->node, "kseek"), key);
	struct ks_number own = {0};
	struct ks_expr_names names = ks_builder_names(b);
	struct ks_err local = KS_ERR_INIT;
	char path[KS_PATH], rest[KS_PATH];
	ks_where_path(path, "%s.kseek.%s", b->s->base, key);
	ks_where_path(rest, ".kseek.%s", key);
	if (node != NULL && strcmp(ks_json_str(node, ""), "auto") != 0) {
		int rc = ks_number_read(&own, node, &b->s->where, path, b->err);
		if (rc != 0) {
			return rc;
		}
		def = &own;
	}
	int rc = 0;
	double v = def->set ? def->value : automatic;
	if (def->expr != NULL) {
		rc = ks_expr_real(&v, def->expr, &names, &local);
	}
	ks_number_fini(&own);
	if (rc != 0) {
		return ks_builder_refuse(b, rest, "%s", local.msg);
	}
	if (v < 0) {
		return ks_builder_refuse(b, rest, "comes out as %g; it cannot be negative", v);
	}
	*out = v;
	return 0;
}

static int work_out_work(struct ks_builder *b)
{
	double traffic = 0;
	bool found = false;
	b->c->ops_dtype = KS_FLOAT32;
	for (size_t d = 0; d < b->p->decl_count; d++) {
		const struct ks_arg *arg = &b->made[d];
		if (b->p->decls[d].scalar || arg->absent) {
			continue;
		}
		bool twice = arg->writable && arg->kind == KS_ARG_INPUT;
		traffic += (double)arg->bytes * (twice ? 2 : 1);
		if (!found && ks_dtype_is_float(arg->dtype)) {
			b->c->ops_dtype = arg->dtype;
			found = true;
		}
	}
	int rc = work_number(b, &b->p->operations, "operations", 0, &b->c->ops);
	return rc != 0 ? rc : work_number(b, &b->p->bytes, "bytes", traffic, &b->c->bytes);
}

static int check_line_keys(struct ks_builder *b)
{
	static const char *const known[] = {"operations", "bytes", "note"};
	const struct ks_json *ks = ks_json_get(b->s->node, "kseek");
	for (const struct ks_json *n = ks_json_first(ks); n != NULL; n = ks_json_next(n)) {
		bool found = false;
		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
			found = found || strcmp(ks_json_key(n), known[i]) == 0;
		}
		if (!found) {
			char rest[KS_PATH];
			ks_where_path(rest, ".kseek.%.60s", ks_json_key(n));
			return ks_builder_refuse(b, rest,
				"unknown key; there are operations, bytes, note");
		}
	}
	return 0;
}

static uint64_t id_of(const char *uuid)
{
	uint64_t h = UINT64_C(0xCBF29CE484222325); /* FNV-1a */
	for (const char *c = uuid; *c != '\0'; c++) {
		h = (h ^ (unsigned char)*c) * UINT64_C(0x100000001B3);
	}
	return h;
}

static int build(struct ks_builder *b, bool *unchecked)
{
	struct ks_tol_set *line_tol = ks_zalloc(1, sizeof(*line_tol));
	const struct ks_json *tol = ks_json_get(b->s->node, "tolerance");
	char path[KS_PATH];
	ks_where_path(path, "%s.tolerance", b->s->base);
	ks_tol_set_init(line_tol);
	int rc = read_axis_values(b);
	rc = rc != 0 ? rc : compute_axes(b);
	rc = rc != 0 ? rc : read_dtype_picks(b);
	rc = rc != 0 ? rc : read_inputs(b);
	rc = rc != 0 ? rc : read_scalars(b);
	rc = rc != 0 ? rc : read_lists(b);
	rc = rc != 0 ? rc : check_constraints(b, unchecked);
	rc = rc != 0 ? rc : check_line_keys(b);
	if (rc == 0 && tol != NULL && ks_json_type(tol) != KS_JSON_NULL) {
		rc = ks_tol_read(line_tol, b->p, tol, &b->s->where, path, b->err);
	}
	rc = rc != 0 ? rc : ks_builder_tensors(b, line_tol);
	rc = rc != 0 ? rc : work_out_work(b);
	free(line_tol);
	return rc;
}

int ks_case_build(struct ks_case **out, const struct ks_problem *p, const struct ks_scenario *s,
	bool *unchecked, struct ks_err *err)
{
	struct ks_builder *b = ks_zalloc(1, sizeof(*b));
	const struct ks_json *ks = ks_json_get(s->node, "kseek");
	b->p = p;
	b->s = s;
	b->err = err;
	b->c = ks_zalloc(1, sizeof(*b->c));
	b->c->uuid = ks_strdup(s->uuid);
	b->c->set = ks_strdup(s->set);
	b->c->note = ks_strdup(ks_json_get_str(ks, "note", NULL));
	b->c->heldout = s->heldout;
	b->c->id = id_of(s->uuid);
	int rc = build(b, unchecked);
	if (rc == 0) {
		order_args(b);
		*out = b->c;
	} else {
		ks_case_free(b->c);
	}
	free(b);
	return rc;
}

void ks_case_free(struct ks_case *c)
{
	if (c != NULL) {
		free(c->uuid);
		free(c->set);
		free(c->note);
		free(c->args);
		free(c->values);
		free(c->axes);
		free(c);
	}
}

const struct ks_arg *ks_case_arg(const struct ks_case *c, const char *name)
{
	for (size_t i = 0; i < c->count; i++) {
		if (strcmp(c->args[i].name, name) == 0) {
			return &c->args[i];
		}
	}
	return NULL;
}
