/*
 * definition.json: axes, constraints, tensors, the entry and what stands under
 * "kseek". Keys that the family's files have and kseek does not use are passed
 * over; under "kseek" every key has to be known, so that a slip of the pen is
 * seen.
 */
#include "eval/problem_priv.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "base/file.h"
#include "base/mem.h"

int ks_where_refuse(const struct ks_where *where, struct ks_err *err, const char *path,
	const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ks_err_set(err, KS_EINVAL, "%s", text);
	return ks_where_prefix(where, err, path, KS_EINVAL);
}

void ks_where_path(char out[KS_PATH], const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(out, KS_PATH, fmt, ap);
	va_end(ap);
}

int ks_where_prefix(const struct ks_where *where, struct ks_err *err, const char *path, int code)
{
	if (where->line > 0) {
		ks_err_prefix(err, "%s:%u: %s", where->file, where->line, path);
	} else {
		ks_err_prefix(err, "%s: %s", where->file, path);
	}
	return code;
}

bool ks_name_ok(const char *name)
{
	if (name == NULL || (!isalpha((unsigned char)name[0]) && name[0] != '_')) {
		return false;
	}
	size_t n = 0;
	while (isalnum((unsigned char)name[n]) || name[n] == '_') {
		n++;
	}
	return name[n] == '\0' && n < KS_NAME_MAX;
}

int ks_number_read(struct ks_number *out, const struct ks_json *node,
	const struct ks_where *where, const char *path, struct ks_err *err)
{
	struct ks_number number = {.set = true};
	switch (ks_json_type(node)) {
	case KS_JSON_NUMBER:
		number.value = ks_json_num(node, 0);
		break;
	case KS_JSON_BOOL:
		number.value = ks_json_bool(node, false);
		break;
	case KS_JSON_STRING:
		if (ks_expr_parse(&number.expr, ks_json_str(node, ""), err) != 0) {
			return ks_where_prefix(where, err, path, KS_EINVAL);
		}
		break;
	default:
		return ks_where_refuse(where, err, path,
			"neither a number nor an expression; write one of them");
	}
	ks_number_fini(out);
	*out = number;
	return 0;
}

void ks_number_fini(struct ks_number *number)
{
	ks_expr_free(number->expr);
	*number = (struct ks_number){0};
}

int ks_problem_axis_index(const struct ks_problem *p, const char *name)
{
	for (size_t i = 0; i < p->axis_count; i++) {
		if (strcmp(p->axes[i].name, name) == 0) {
			return (int)i;
		}
	}
	return -1;
}

int ks_problem_decl_index(const struct ks_problem *p, const char *name)
{
	for (size_t i = 0; i < p->decl_count; i++) {
		if (strcmp(p->decls[i].name, name) == 0) {
			return (int)i;
		}
	}
	return -1;
}

int ks_problem_dtype_axis_index(const struct ks_problem *p, const char *name)
{
	for (size_t i = 0; i < p->dtype_axis_count; i++) {
		if (strcmp(p->dtype_axes[i].name, name) == 0) {
			return (int)i;
		}
	}
	return -1;
}

/* A new name: well-formed and not taken by an axis, tensor or dtype axis. */
static int check_name(const struct ks_problem *p, const char *name, const char *path,
	struct ks_err *err)
{
	if (!ks_name_ok(name)) {
		return ks_where_refuse(&p->where, err, path,
			"'%.60s' is not a name; use letters, digits and _, at most %d", name,
			KS_NAME_MAX - 1);
	}
	if (ks_problem_axis_index(p, name) >= 0 || ks_problem_decl_index(p, name) >= 0 ||
		ks_problem_dtype_axis_index(p, name) >= 0) {
		return ks_where_refuse(&p->where, err, path,
			"the name '%s' is used twice; rename one of them", name);
	}
	return 0;
}

static int want_object(const struct ks_problem *p, const struct ks_json *node, const char *path,
	struct ks_err *err)
{
	if (node == NULL) {
		return ks_where_refuse(&p->where, err, path, "missing; add it as an object");
	}
	if (ks_json_type(node) != KS_JSON_OBJECT) {
		return ks_where_refuse(&p->where, err, path, "not an object; write { ... }");
	}
	return 0;
}

/* ---- axes ---- */

static int read_axis_kind(struct ks_axis *axis, const struct ks_problem *p,
	const struct ks_json *node, const char *path, struct ks_err *err)
{
	char deep[KS_PATH];
	const char *type = ks_json_get_str(node, "type", "");
	if (strcmp(type, "var") == 0) {
		axis->kind = KS_AXIS_VAR;
		return 0;
	}
	if (strcmp(type, "const") == 0) {
		const struct ks_json *value = ks_json_get(node, "value");
		axis->kind = KS_AXIS_CONST;
		axis->value = ks_json_int(value, -1);
		if (axis->value < 0) {
			ks_where_path(deep, "%s.value", path);
			return ks_where_refuse(&p->where, err, deep,
				"not a whole number from 0; a const axis needs one");
		}
		return 0;
	}
	if (strcmp(type, "expr") == 0) {
		const char *text = ks_json_get_str(node, "expression", NULL);
		ks_where_path(deep, "%s.expression", path);
		axis->kind = KS_AXIS_EXPR;
		if (text == NULL) {
			return ks_where_refuse(&p->where, err, deep,
				"missing; an expr axis needs an expression over other axes");
		}
		if (ks_expr_parse(&axis->expr, text, err) != 0) {
			return ks_where_prefix(&p->where, err, deep, KS_EINVAL);
		}
		return 0;
	}
	ks_where_path(deep, "%s.type", path);
	return ks_where_refuse(&p->where, err, deep,
		"unknown axis type '%.40s'; use var, const or expr", type);
}

static int read_axes(struct ks_problem *p, const struct ks_json *root, struct ks_err *err)
{
	const struct ks_json *axes = ks_json_get(root, "axes");
	int rc = want_object(p, axes, "$.axes", err);
	const struct ks_json *node = ks_json_first(axes);
	for (; rc == 0 && node != NULL; node = ks_json_next(node)) {
		char path[KS_PATH];
		const char *name = ks_json_key(node);
		ks_where_path(path, "$.axes.%.60s", name);
		if (p->axis_count == KS_ARGS_MAX) {
			return ks_where_refuse(&p->where, err, path,
				"more than %d axes; join some", KS_ARGS_MAX);
		}
		rc = check_name(p, name, path, err);
		rc = rc != 0 ? rc : want_object(p, node, path, err);
		if (rc == 0) {
			struct ks_axis *axis = &p->axes[p->axis_count++];
			snprintf(axis->name, sizeof(axis->name), "%s", name);
			rc = read_axis_kind(axis, p, node, path, err);
		}
	}
	return rc;
}

static int read_dtype_choices(struct ks_dtype_axis *axis, const struct ks_problem *p,
	const struct ks_json *node, const char *path, struct ks_err *err)
{
	size_t n = ks_json_count(node);
	if (ks_json_type(node) != KS_JSON_ARRAY || n == 0 || n > KS_DTYPE_COUNT) {
		return ks_where_refuse(&p->where, err, path,
			"not a list of 1 to %d dtypes; write [\"float32\", ...]", KS_DTYPE_COUNT);
	}
	for (const struct ks_json *e = ks_json_first(node); e != NULL; e = ks_json_next(e)) {
		const char *name = ks_json_str(e, "");
		if (!ks_dtype_parse(&axis->choices[axis->count], name)) {
			return ks_where_refuse(&p->where, err, path,
				"unknown dtype '%.40s'; see docs/problem-format.md for the list",
				name);
		}
		axis->count++;
	}
	return 0;
}

static int read_dtype_axes(struct ks_problem *p, const struct ks_json *ks, struct ks_err *err)
{
	const struct ks_json *axes = ks_json_get(ks, "dtype_axes");
	int rc = axes == NULL ? 0 : want_object(p, axes, "$.kseek.dtype_axes", err);
	const struct ks_json *node = ks_json_first(axes);
	for (; rc == 0 && node != NULL; node = ks_json_next(node)) {
		char path[KS_PATH];
		enum ks_dtype taken;
		const char *name = ks_json_key(node);
		ks_where_path(path, "$.kseek.dtype_axes.%.60s", name);
		rc = check_name(p, name, path, err);
		if (rc == 0 && (p->dtype_axis_count == KS_DTYPE_AXES_MAX ||
				ks_dtype_parse(&taken, name))) {
			rc = ks_where_refuse(&p->where, err, path,
				"a dtype's own name, or more than %d; rename or drop it",
				KS_DTYPE_AXES_MAX);
		}
		if (rc == 0) {
			struct ks_dtype_axis *axis = &p->dtype_axes[p->dtype_axis_count++];
			snprintf(axis->name, sizeof(axis->name), "%s", name);
			rc = read_dtype_choices(axis, p, node, path, err);
		}
	}
	return rc;
}

static int read_constraints(struct ks_problem *p, const struct ks_json *root, struct ks_err *err)
{
	const struct ks_json *list = ks_json_get(root, "constraints");
	if (list != NULL && ks_json_type(list) != KS_JSON_ARRAY &&
		ks_json_type(list) != KS_JSON_NULL) {
		return ks_where_refuse(&p->where, err, "$.constraints",
			"not a list; write [\"EXPRESSION\", ...]");
	}
	for (const struct ks_json *e = ks_json_first(list); e != NULL; e = ks_json_next(e)) {
		char path[KS_PATH];
		ks_where_path(path, "$.constraints[%zu]", p->constraint_count);
		if (p->constraint_count == KS_CONSTRAINTS_MAX ||
			ks_json_type(e) != KS_JSON_STRING) {
			return ks_where_refuse(&p->where, err, path,
				"not a string, or more than %d of them; write an expression",
				KS_CONSTRAINTS_MAX);
		}
		struct ks_expr **slot = &p->constraints[p->constraint_count];
		if (ks_expr_parse(slot, ks_json_str(e, ""), err) != 0) {
			return ks_where_prefix(&p->where, err, path, KS_EINVAL);
		}
		p->constraint_count++;
	}
	return 0;
}

/* ---- inputs and outputs ---- */

static int read_dim(struct ks_decl *d, const struct ks_problem *p, const struct ks_json *node,
	const char *path, struct ks_err *err)
{
	char deep[KS_PATH], digits[32];
	ks_where_path(deep, "%s.shape[%u]", path, d->rank);
	const char *text = ks_json_str(node, NULL);
	if (ks_json_type(node) == KS_JSON_NUMBER && ks_json_int(node, -1) >= 0) {
		snprintf(digits, sizeof(digits), "%lld", (long long)ks_json_int(node, 0));
		text = digits;
	}
	if (text == NULL) {
		return ks_where_refuse(&p->where, err, deep,
			"not an axis; write its name or an expression");
	}
	if (d->rank == KS_RANK_MAX) {
		return ks_where_refuse(&p->where, err, deep,
			"more than %d dimensions; join some", KS_RANK_MAX);
	}
	if (ks_expr_parse(&d->shape[d->rank], text, err) != 0) {
		return ks_where_prefix(&p->where, err, deep, KS_EINVAL);
	}
	d->rank++;
	return 0;
}

static int read_shape(struct ks_decl *d, const struct ks_problem *p, const struct ks_json *node,
	const char *path, struct ks_err *err)
{
	const struct ks_json *shape = ks_json_get(node, "shape");
	char deep[KS_PATH];
	ks_where_path(deep, "%s.shape", path);
	if (shape == NULL || (ks_json_type(shape) != KS_JSON_ARRAY &&
			ks_json_type(shape) != KS_JSON_NULL)) {
		return ks_where_refuse(&p->where, err, deep,
			"missing or not a list; write [\"axis\", ...], or null for a scalar");
	}
	d->scalar = ks_json_type(shape) == KS_JSON_NULL;
	if (d->scalar && d->output) {
		return ks_where_refuse(&p->where, err, deep,
			"an output cannot be a scalar; write [] for a single value");
	}
	int rc = 0;
	const struct ks_json *e = ks_json_first(shape);
	for (; rc == 0 && e != NULL; e = ks_json_next(e)) {
		rc = read_dim(d, p, e, path, err);
	}
	return rc;
}

static int read_dtype(struct ks_decl *d, const struct ks_problem *p, const struct ks_json *node,
	const char *path, struct ks_err *err)
{
	char deep[KS_PATH];
	const char *name = ks_json_get_str(node, "dtype", "");
	ks_where_path(deep, "%s.dtype", path);
	d->dtype_axis = ks_problem_dtype_axis_index(p, name);
	if (d->dtype_axis < 0 && !ks_dtype_parse(&d->dtype, name)) {
		return ks_where_refuse(&p->where, err, deep,
			"unknown dtype '%.40s'; use float32, float64, float16, bfloat16, "
			"float8_e4m3fn, float8_e5m2, int8, uint8, int32, int64, bool "
			"or an axis of kseek.dtype_axes", name);
	}
	if (d->scalar && (d->dtype_axis >= 0 || !ks_dtype_is_scalar(d->dtype))) {
		return ks_where_refuse(&p->where, err, deep,
			"a scalar is int32, int64, float32 or float64, not %s", name);
	}
	return 0;
}

static int read_decl(struct ks_problem *p, const struct ks_json *node, bool output,
	struct ks_err *err)
{
	char path[KS_PATH];
	const char *name = ks_json_key(node);
	ks_where_path(path, "$.%s.%.60s", output ? "outputs" : "inputs", name);
	if (p->decl_count == KS_ARGS_MAX) {
		return ks_where_refuse(&p->where, err, path,
			"more than %d inputs and outputs; join some", KS_ARGS_MAX);
	}
	int rc = check_name(p, name, path, err);
	rc = rc != 0 ? rc : want_object(p, node, path, err);
	if (rc != 0) {
		return rc;
	}
	struct ks_decl *d = &p->decls[p->decl_count++];
	snprintf(d->name, sizeof(d->name), "%s", name);
	d->output = output;
	d->optional = ks_json_get_bool(node, "optional", false);
	d->writable = ks_json_get_bool(node, "writable", false);
	rc = read_shape(d, p, node, path, err);
	return rc != 0 ? rc : read_dtype(d, p, node, path, err);
}

static int read_decls(struct ks_problem *p, const struct ks_json *root, struct ks_err *err)
{
	for (int output = 0; output < 2; output++) {
		const char *path = output ? "$.outputs" : "$.inputs";
		const struct ks_json *group = ks_json_get(root, path + 2);
		int rc = want_object(p, group, path, err);
		const struct ks_json *node = ks_json_first(group);
		for (; rc == 0 && node != NULL; node = ks_json_next(node)) {
			rc = read_decl(p, node, output == 1, err);
		}
		if (rc != 0) {
			return rc;
		}
		if (output && ks_json_count(group) == 0) {
			return ks_where_refuse(&p->where, err, path,
				"empty; a kernel without an output cannot be checked");
		}
	}
	return 0;
}

/* ---- under "kseek" ---- */

static int read_marks(struct ks_problem *p, const struct ks_json *ks, const char *key,
	struct ks_err *err)
{
	char path[KS_PATH];
	const struct ks_json *list = ks_json_get(ks, key);
	ks_where_path(path, "$.kseek.%s", key);
	if (list != NULL && ks_json_type(list) != KS_JSON_ARRAY) {
		return ks_where_refuse(&p->where, err, path, "not a list; write [\"input\", ...]");
	}
	for (const struct ks_json *e = ks_json_first(list); e != NULL; e = ks_json_next(e)) {
		const char *name = ks_json_str(e, "");
		int i = ks_problem_decl_index(p, name);
		if (i < 0 || p->decls[i].output || p->decls[i].scalar) {
			return ks_where_refuse(&p->where, err, path,
				"'%.60s' is no input tensor; name one of $.inputs", name);
		}
		if (strcmp(key, "optional") == 0) {
			p->decls[i].optional = true;
		} else {
			p->decls[i].writable = true;
		}
	}
	return 0;
}

static int read_generators(struct ks_problem *p, const struct ks_json *ks, struct ks_err *err)
{
	const struct ks_json *group = ks_json_get(ks, "generate");
	int rc = group == NULL ? 0 : want_object(p, group, "$.kseek.generate", err);
	const struct ks_json *node = ks_json_first(group);
	for (; rc == 0 && node != NULL; node = ks_json_next(node)) {
		char path[KS_PATH];
		const char *name = ks_json_key(node);
		ks_where_path(path, "$.kseek.generate.%.60s", name);
		int i = ks_problem_decl_index(p, name);
		if (i < 0 || p->decls[i].output) {
			return ks_where_refuse(&p->where, err, path,
				"'%.60s' is no input; name one of $.inputs", name);
		}
		rc = ks_gen_read(&p->decls[i].gen, node, &p->where, path, err);
		if (rc == 0 && p->decls[i].scalar && p->decls[i].gen.dist != KS_DIST_CONSTANT) {
			rc = ks_where_refuse(&p->where, err, path,
				"a scalar is given, not drawn; use {\"dist\": \"constant\", "
				"\"value\": ...} or a value in each scenario");
		}
	}
	return rc;
}

static int read_work(struct ks_number *out, const struct ks_problem *p, const struct ks_json *ks,
	const char *key, struct ks_err *err)
{
	char path[KS_PATH];
	const struct ks_json *node = ks_json_get(ks, key);
	if (node == NULL || strcmp(ks_json_str(node, ""), "auto") == 0) {
		return 0;
	}
	ks_where_path(path, "$.kseek.%s", key);
	return ks_number_read(out, node, &p->where, path, err);
}

static int read_arg(struct ks_problem *p, const struct ks_json *node, const char *path,
	struct ks_err *err)
{
	const char *name = ks_json_str(node, "");
	struct ks_entry_arg arg = {0};
	int axis = ks_problem_axis_index(p, name);
	int decl = ks_problem_decl_index(p, name);
	int dtype = ks_problem_dtype_axis_index(p, name);
	if (axis >= 0) {
		arg = (struct ks_entry_arg){KS_ARG_AXIS, (size_t)axis};
	} else if (dtype >= 0) {
		arg = (struct ks_entry_arg){KS_ARG_DTYPE, (size_t)dtype};
	} else if (decl >= 0) {
		const struct ks_decl *d = &p->decls[decl];
		arg.kind = d->output ? KS_ARG_OUTPUT : d->scalar ? KS_ARG_SCALAR : KS_ARG_INPUT;
		arg.index = (size_t)decl;
	} else {
		return ks_where_refuse(&p->where, err, path,
			"'%.60s' is no input, output, axis or dtype axis; name one of them", name);
	}
	for (size_t i = 0; i < p->arg_count; i++) {
		if (p->args[i].kind == arg.kind && p->args[i].index == arg.index) {
			return ks_where_refuse(&p->where, err, path,
				"'%s' is passed twice; drop one", name);
		}
	}
	if (p->arg_count == KS_ARGS_MAX) {
		return ks_where_refuse(&p->where, err, path, "more than %d arguments",
			KS_ARGS_MAX);
	}
	p->args[p->arg_count++] = arg;
	return 0;
}

static int check_all_passed(const struct ks_problem *p, struct ks_err *err)
{
	for (size_t d = 0; d < p->decl_count; d++) {
		bool passed = false;
		for (size_t i = 0; i < p->arg_count; i++) {
			enum ks_arg_kind kind = p->args[i].kind;
			passed = passed || (kind != KS_ARG_AXIS && kind != KS_ARG_DTYPE &&
				p->args[i].index == d);
		}
		if (!passed) {
			return ks_where_refuse(&p->where, err, "$.kseek.entry.args",
				"'%s' is not passed to the entry; add it to the list",
				p->decls[d].name);
		}
	}
	return 0;
}

static int ask_for_entry(const struct ks_problem *p, struct ks_err *err)
{
	char list[256] = "";
	size_t len = 0;
	for (size_t i = 0; i < p->decl_count && len + 72 < sizeof(list); i++) {
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s\"%s\"",
			len > 0 ? ", " : "", p->decls[i].name);
	}
	for (size_t i = 0; i < p->axis_count && len + 72 < sizeof(list); i++) {
		if (p->axes[i].kind == KS_AXIS_VAR) {
			len += (size_t)snprintf(list + len, sizeof(list) - len, ", \"%s\"",
				p->axes[i].name);
		}
	}
	return ks_where_refuse(&p->where, err, "$.kseek.entry",
		"missing; name the C function and its arguments in order, such as "
		"{\"symbol\": \"%.60s\", \"args\": [%s]}",
		ks_name_ok(p->name) ? p->name : "kernel", list);
}

static int read_entry(struct ks_problem *p, const struct ks_json *ks, struct ks_err *err)
{
	const struct ks_json *entry = ks_json_get(ks, "entry");
	if (entry == NULL) {
		return ask_for_entry(p, err);
	}
	const char *symbol = ks_json_get_str(entry, "symbol", NULL);
	if (!ks_name_ok(symbol)) {
		return ks_where_refuse(&p->where, err, "$.kseek.entry.symbol",
			"missing or not a C name; write the function's name");
	}
	p->symbol = ks_strdup(symbol);
	const struct ks_json *args = ks_json_get(entry, "args");
	if (ks_json_type(args) != KS_JSON_ARRAY) {
		return ks_where_refuse(&p->where, err, "$.kseek.entry.args",
			"missing; list the arguments in the order of the call");
	}
	size_t n = 0;
	for (const struct ks_json *e = ks_json_first(args); e != NULL; e = ks_json_next(e)) {
		char path[KS_PATH];
		ks_where_path(path, "$.kseek.entry.args[%zu]", n++);
		int rc = read_arg(p, e, path, err);
		if (rc != 0) {
			return rc;
		}
	}
	return check_all_passed(p, err);
}

static bool ends_in(const char *file, const char *end)
{
	size_t len = strlen(file), n = strlen(end);
	return len > n && strcmp(file + len - n, end) == 0;
}

/* A campaign takes along C, CUDA and their headers, of the folder itself. */
static int check_source(const struct ks_problem *p, const char *file, const char *target,
	const char *path, struct ks_err *err)
{
	bool cuda = strcmp(target, "cuda") == 0;
	if (!ks_path_is_plain(file)) {
		return ks_where_refuse(&p->where, err, path,
			"'%.80s' does not lie in the problem's folder; use a path in it", file);
	}
	if (strchr(file, '/') != NULL) {
		return ks_where_refuse(&p->where, err, path,
			"'%.80s' lies in a subfolder, and sources have to stand beside "
			"definition.json; move it there", file);
	}
	if (!ends_in(file, ".c") && !ends_in(file, ".h") &&
			!(cuda && (ends_in(file, ".cu") || ends_in(file, ".cuh")))) {
		return ks_where_refuse(&p->where, err, path,
			"'%.80s': sources for %s end in %s; %s", file, target,
			cuda ? ".cu or .c" : ".c",
			cuda ? "name it so" : "C++ is not taken there, write it in C");
	}
	return 0;
}

static int read_files(struct ks_problem *p, const struct ks_json *node, const char *target,
	const char *side, struct ks_err *err)
{
	char path[KS_PATH];
	ks_where_path(path, "$.kseek.targets.%s.%s", target, side);
	bool list = ks_json_type(node) == KS_JSON_ARRAY;
	size_t count = list ? ks_json_count(node) : 1;
	if (count == 0 || count > KS_SOURCES_MAX || p->source_count == KS_TARGETS_MAX) {
		return ks_where_refuse(&p->where, err, path,
			"no file, or too many; list 1 to %d source files", KS_SOURCES_MAX);
	}
	struct ks_sources *s = &p->sources[p->source_count++];
	snprintf(s->target, sizeof(s->target), "%s", target);
	snprintf(s->side, sizeof(s->side), "%s", side);
	for (size_t i = 0; i < count; i++) {
		const char *file = ks_json_str(list ? ks_json_at(node, i) : node, "");
		int rc = check_source(p, file, target, path, err);
		if (rc != 0) {
			return rc;
		}
		s->files[s->count++] = ks_strdup(file);
	}
	return 0;
}

static int read_targets(struct ks_problem *p, const struct ks_json *ks, struct ks_err *err)
{
	const struct ks_json *targets = ks_json_get(ks, "targets");
	int rc = targets == NULL ? 0 : want_object(p, targets, "$.kseek.targets", err);
	const struct ks_json *node = ks_json_first(targets);
	for (; rc == 0 && node != NULL; node = ks_json_next(node)) {
		char path[KS_PATH];
		const char *target = ks_json_key(node);
		ks_where_path(path, "$.kseek.targets.%.60s", target);
		if (strcmp(target, "cpu") != 0 && strcmp(target, "cuda") != 0) {
			return ks_where_refuse(&p->where, err, path,
				"unknown target; there are cpu and cuda");
		}
		rc = want_object(p, node, path, err);
		const struct ks_json *side = ks_json_first(node);
		for (; rc == 0 && side != NULL; side = ks_json_next(side)) {
			const char *key = ks_json_key(side);
			if (strcmp(key, "seed") != 0 && strcmp(key, "reference") != 0) {
				return ks_where_refuse(&p->where, err, path,
					"unknown key '%.40s'; a target has seed and reference",
					key);
			}
			rc = read_files(p, side, target, key, err);
		}
	}
	return rc;
}

static int check_keys(const struct ks_problem *p, const struct ks_json *ks, struct ks_err *err)
{
	static const char *const known[] = {"entry", "generate", "operations", "bytes",
		"tolerance", "targets", "dtype_axes", "optional", "writable", "note"};
	for (const struct ks_json *n = ks_json_first(ks); n != NULL; n = ks_json_next(n)) {
		bool found = false;
		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
			found = found || strcmp(ks_json_key(n), known[i]) == 0;
		}
		if (!found) {
			char path[KS_PATH];
			ks_where_path(path, "$.kseek.%.60s", ks_json_key(n));
			return ks_where_refuse(&p->where, err, path,
				"unknown key; there are entry, generate, operations, bytes, "
				"tolerance, targets, dtype_axes, optional, writable, note");
		}
	}
	return 0;
}

static void add_tag(struct ks_buf *out, const char *tag, size_t *count)
{
	static const char marks[] = "_-.:/+";
	size_t len = strlen(tag);

	if (len == 0 || len >= KS_NAME_MAX || *count == KS_TAGS_MAX) {
		return;
	}
	for (size_t i = 0; i < len; i++) {
		if (!isalnum((unsigned char)tag[i]) && !strchr(marks, tag[i])) {
			return;
		}
	}
	ks_buf_addf(out, "%s%s", *count > 0 ? " " : "", tag);
	(*count)++;
}

/* Words only: a tag with blanks or other marks in it is passed over, as other keys
 * of foreign definitions are. */
static void read_tags(struct ks_problem *p, const struct ks_json *root)
{
	struct ks_buf tags = {0};
	size_t count = 0;

	ks_buf_adds(&tags, "");
	add_tag(&tags, ks_json_get_str(root, "op_type", ""), &count);
	for (const struct ks_json *n = ks_json_first(ks_json_get(root, "tags")); n != NULL;
	     n = ks_json_next(n)) {
		add_tag(&tags, ks_json_str(n, ""), &count);
	}
	p->tags = ks_buf_take(&tags);
}

int ks_problem_define(struct ks_problem *p, const struct ks_json *root, struct ks_err *err)
{
	const char *name = ks_json_get_str(root, "name", "");
	const struct ks_json *ks = ks_json_get(root, "kseek");
	if (name[0] == '\0' || strlen(name) > 128) {
		return ks_where_refuse(&p->where, err, "$.name",
			"missing or longer than 128 bytes; name the problem");
	}
	p->name = ks_strdup(name);
	p->description = ks_strdup(ks_json_get_str(root, "description", ""));
	read_tags(p, root);
	int rc = check_keys(p, ks, err);
	rc = rc != 0 ? rc : read_axes(p, root, err);
	rc = rc != 0 ? rc : read_dtype_axes(p, ks, err);
	rc = rc != 0 ? rc : read_constraints(p, root, err);
	rc = rc != 0 ? rc : read_decls(p, root, err);
	rc = rc != 0 ? rc : read_marks(p, ks, "optional", err);
	rc = rc != 0 ? rc : read_marks(p, ks, "writable", err);
	rc = rc != 0 ? rc : read_generators(p, ks, err);
	rc = rc != 0 ? rc : read_work(&p->operations, p, ks, "operations", err);
	rc = rc != 0 ? rc : read_work(&p->bytes, p, ks, "bytes", err);
	p->tolerance = ks_zalloc(1, sizeof(*p->tolerance));
	ks_tol_set_init(p->tolerance);
	const struct ks_json *tol = ks_json_get(ks, "tolerance");
	if (rc == 0 && tol != NULL) {
		rc = ks_tol_read(p->tolerance, p, tol, &p->where, "$.kseek.tolerance", err);
	}
	rc = rc != 0 ? rc : read_entry(p, ks, err);
	return rc != 0 ? rc : read_targets(p, ks, err);
}
