/*
 * Generators and tolerances as they are written in definition.json and in the
 * lines of a set. Each distribution has its own list of keys; a key that it
 * does not have is refused.
 */
#include "eval/problem_priv.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"

static const char *const key_names[KS_GEN_KEYS] = {
	[KS_GEN_MEAN] = "mean", [KS_GEN_STD] = "std", [KS_GEN_LOW] = "low",
	[KS_GEN_HIGH] = "high", [KS_GEN_VALUE] = "value", [KS_GEN_START] = "start",
	[KS_GEN_STEP] = "step", [KS_GEN_TOTAL] = "total", [KS_GEN_PAGES] = "pages",
	[KS_GEN_SIZE] = "size", [KS_GEN_MIN] = "min", [KS_GEN_MAX] = "max",
};

struct kind {
	const char *name;
	enum ks_dist dist;
	unsigned keys; /* bits of enum ks_gen_key                     */
	bool bends;    /* takes variants                              */
	bool fixed;    /* the same in every call unless it says other */
	const char *help;
};

#define BIT(k) (1u << (k))

static const struct kind kinds[] = {
	{"normal", KS_DIST_NORMAL, BIT(KS_GEN_MEAN) | BIT(KS_GEN_STD), true, false, "mean, std"},
	{"uniform", KS_DIST_UNIFORM, BIT(KS_GEN_LOW) | BIT(KS_GEN_HIGH), true, false, "low, high"},
	{"integers", KS_DIST_INTEGERS, BIT(KS_GEN_LOW) | BIT(KS_GEN_HIGH), false, false,
		"low, high"},
	{"constant", KS_DIST_CONSTANT, BIT(KS_GEN_VALUE), false, false, "value"},
	{"arange", KS_DIST_ARANGE, BIT(KS_GEN_START) | BIT(KS_GEN_STEP), false, false,
		"start, step"},
	{"permutation", KS_DIST_PERMUTATION, BIT(KS_GEN_SIZE), false, false, "size"},
	{"offsets", KS_DIST_OFFSETS, BIT(KS_GEN_TOTAL) | BIT(KS_GEN_MIN) | BIT(KS_GEN_MAX), false,
		true, "total, min, max"},
	{"page_table", KS_DIST_PAGE_TABLE, BIT(KS_GEN_PAGES), false, false, "pages"},
	{"one_hot", KS_DIST_ONE_HOT, 0, false, false, "nothing"},
	{"zeros", KS_DIST_ZEROS, 0, false, false, "nothing"},
};

static const struct kind *kind_of(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, name) == 0) {
			return &kinds[i];
		}
	}
	return NULL;
}

static int read_variants(struct ks_gen_spec *spec, const struct kind *kind,
	const struct ks_json *node, const struct ks_where *where, const char *path,
	struct ks_err *err)
{
	static const char *const names[KS_VARIANT_COUNT] = {"plain", "scaled", "shifted",
		"outliers", "structured", "ill_conditioned", "mixed_rows"};
	if (!kind->bends || ks_json_type(node) != KS_JSON_ARRAY) {
		return ks_where_refuse(where, err, path,
			"variants are a list, for normal and uniform only");
	}
	for (const struct ks_json *e = ks_json_first(node); e != NULL; e = ks_json_next(e)) {
		int found = 0;
		for (int i = 1; i < KS_VARIANT_COUNT; i++) {
			found = strcmp(ks_json_str(e, ""), names[i]) == 0 ? i : found;
		}
		if (found == 0) {
			return ks_where_refuse(where, err, path,
				"unknown variant '%.40s'; there are scaled, shifted, outliers, "
				"structured, ill_conditioned, mixed_rows", ks_json_str(e, ""));
		}
		spec->variants |= 1u << found;
	}
	return 0;
}

static int read_redraw(struct ks_gen_spec *spec, const char *text, const struct ks_where *where,
	const char *path, struct ks_err *err)
{
	bool fixed = strcmp(text, "scenario") == 0;
	if (!fixed && strcmp(text, "call") != 0) {
		return ks_where_refuse(where, err, path,
			"'%.40s' is not known; use scenario or call",
			text);
	}
	if (!fixed && spec->dist == KS_DIST_OFFSETS) {
		return ks_where_refuse(where, err, path,
			"offsets decide how much work there is and stay for a scenario; "
			"use scenario");
	}
	spec->fixed = fixed;
	return 0;
}

static int read_gen_key(struct ks_gen_spec *spec, const struct kind *kind,
	const struct ks_json *node, const struct ks_where *where, const char *path,
	struct ks_err *err)
{
	char deep[KS_PATH];
	const char *key = ks_json_key(node);
	ks_where_path(deep, "%s.%.60s", path, key);
	if (strcmp(key, "dist") == 0) {
		return 0;
	}
	if (strcmp(key, "variants") == 0) {
		return read_variants(spec, kind, node, where, deep, err);
	}
	if (strcmp(key, "redraw") == 0) {
		return read_redraw(spec, ks_json_str(node, ""), where, deep, err);
	}
	for (int k = 0; k < KS_GEN_KEYS; k++) {
		if ((kind->keys & BIT(k)) != 0 && strcmp(key_names[k], key) == 0) {
			return ks_number_read(&spec->numbers[k], node, where, deep, err);
		}
	}
	return ks_where_refuse(where, err, deep, "unknown key; %s has %s, and redraw%s", kind->name,
		kind->help, kind->bends ? ", variants" : "");
}

int ks_gen_read(struct ks_gen_spec *out, const struct ks_json *node, const struct ks_where *where,
	const char *path, struct ks_err *err)
{
	struct ks_gen_spec spec = {.given = true};
	char deep[KS_PATH];
	const char *name = ks_json_get_str(node, "dist", "");
	const struct kind *kind = kind_of(name);
	if (kind == NULL) {
		ks_where_path(deep, "%s.dist", path);
		return ks_where_refuse(where, err, deep,
			"unknown distribution '%.40s'; there are normal, uniform, integers, "
			"constant, arange, permutation, offsets, page_table, one_hot, zeros",
			name);
	}
	spec.dist = kind->dist;
	spec.fixed = kind->fixed;
	int rc = 0;
	const struct ks_json *n = ks_json_first(node);
	for (; rc == 0 && n != NULL; n = ks_json_next(n)) {
		rc = read_gen_key(&spec, kind, n, where, path, err);
	}
	if (rc == 0 && spec.dist == KS_DIST_OFFSETS && !spec.numbers[KS_GEN_TOTAL].set) {
		ks_where_path(deep, "%s.total", path);
		rc = ks_where_refuse(where, err, deep,
			"missing; say what the last offset is, such as an axis");
	}
	if (rc != 0) {
		ks_gen_spec_fini(&spec);
		return rc;
	}
	ks_gen_spec_fini(out);
	*out = spec;
	return 0;
}

void ks_gen_spec_fini(struct ks_gen_spec *spec)
{
	for (int k = 0; k < KS_GEN_KEYS; k++) {
		ks_number_fini(&spec->numbers[k]);
	}
	spec->given = false;
}

/* ---- tolerances ---- */

static void tol_clear(struct ks_tol_spec *spec)
{
	*spec = (struct ks_tol_spec){NAN, NAN, NAN, NAN, -1};
}

void ks_tol_set_init(struct ks_tol_set *set)
{
	tol_clear(&set->all);
	for (int i = 0; i < KS_DTYPE_COUNT; i++) {
		tol_clear(&set->by_dtype[i]);
	}
	for (int i = 0; i < KS_ARGS_MAX; i++) {
		tol_clear(&set->by_output[i]);
	}
}

static double *tol_field(struct ks_tol_spec *spec, const char *key)
{
	if (strcmp(key, "atol") == 0 || strcmp(key, "max_atol") == 0) {
		return &spec->abs_tol;
	}
	if (strcmp(key, "rtol") == 0 || strcmp(key, "max_rtol") == 0) {
		return &spec->rel_tol;
	}
	if (strcmp(key, "match_ratio") == 0 || strcmp(key, "required_matched_ratio") == 0) {
		return &spec->match_ratio;
	}
	return strcmp(key, "max_error_cap") == 0 ? &spec->error_cap : NULL;
}

static int read_tol_number(double *field, const struct ks_json *node, const char *key,
	const struct ks_where *where, const char *path, struct ks_err *err)
{
	double v = ks_json_num(node, -1);
	if (field == NULL) {
		return ks_where_refuse(where, err, path,
			"unknown key; there are atol, rtol, match_ratio, max_error_cap, "
			"allow_negative_inf, or an output or dtype with these in it");
	}
	if (ks_json_type(node) == KS_JSON_NULL) {
		return 0;
	}
	bool share = strstr(key, "ratio") != NULL;
	if (!isfinite(v) || v < 0 || (share && (v == 0 || v > 1))) {
		return ks_where_refuse(where, err, path, "not a number %s",
			share ? "above 0 and at most 1" : "from 0");
	}
	*field = v;
	return 0;
}

static int read_tol_spec(struct ks_tol_spec *spec, const struct ks_json *node,
	const struct ks_where *where, const char *path, struct ks_err *err)
{
	char deep[KS_PATH];
	const char *key = ks_json_key(node);
	ks_where_path(deep, "%s.%.60s", path, key);
	if (strcmp(key, "allow_negative_inf") == 0) {
		if (ks_json_type(node) != KS_JSON_BOOL) {
			return ks_where_refuse(where, err, deep, "not true or false");
		}
		spec->allow_negative_inf = ks_json_bool(node, false);
		return 0;
	}
	return read_tol_number(tol_field(spec, key), node, key, where, deep, err);
}

/* The spec that an object inside "tolerance" is about, or NULL. */
static struct ks_tol_spec *tol_group(struct ks_tol_set *set, const struct ks_problem *p,
	const char *key)
{
	enum ks_dtype dtype;
	if (ks_dtype_parse(&dtype, key)) {
		return &set->by_dtype[dtype];
	}
	int i = ks_problem_decl_index(p, key);
	return i >= 0 && p->decls[i].output ? &set->by_output[i] : NULL;
}

int ks_tol_read(struct ks_tol_set *set, const struct ks_problem *p, const struct ks_json *node,
	const struct ks_where *where, const char *path, struct ks_err *err)
{
	if (ks_json_type(node) != KS_JSON_OBJECT) {
		return ks_where_refuse(where, err, path, "not an object; write {\"atol\": ...}");
	}
	for (const struct ks_json *n = ks_json_first(node); n != NULL; n = ks_json_next(n)) {
		int rc = 0;
		if (ks_json_type(n) != KS_JSON_OBJECT) {
			rc = read_tol_spec(&set->all, n, where, path, err);
		} else {
			char deep[KS_PATH];
			struct ks_tol_spec *group = tol_group(set, p, ks_json_key(n));
			ks_where_path(deep, "%s.%.60s", path, ks_json_key(n));
			if (group == NULL) {
				return ks_where_refuse(where, err, deep,
					"neither an output nor a dtype; name one of them");
			}
			const struct ks_json *e = ks_json_first(n);
			for (; rc == 0 && e != NULL; e = ks_json_next(e)) {
				rc = read_tol_spec(group, e, where, deep, err);
			}
		}
		if (rc != 0) {
			return rc;
		}
	}
	return 0;
}

static void lay(struct ks_tolerance *tol, const struct ks_tol_spec *spec)
{
	tol->abs_tol = isnan(spec->abs_tol) ? tol->abs_tol : spec->abs_tol;
	tol->rel_tol = isnan(spec->rel_tol) ? tol->rel_tol : spec->rel_tol;
	tol->match_ratio = isnan(spec->match_ratio) ? tol->match_ratio : spec->match_ratio;
	tol->error_cap = isnan(spec->error_cap) ? tol->error_cap : spec->error_cap;
	if (spec->allow_negative_inf >= 0) {
		tol->allow_negative_inf = spec->allow_negative_inf != 0;
	}
}

void ks_tol_apply(struct ks_tolerance *tol, const struct ks_tol_set *set, size_t decl,
	enum ks_dtype dtype, int pick)
{
	bool narrow = ks_dtype_is_float(dtype) && ks_dtype_size(dtype) < 4;
	lay(tol, &set->all);
	lay(tol, &set->by_dtype[dtype]);
	if (narrow && pick >= 0) {
		lay(tol, &set->by_dtype[pick]);
	}
	lay(tol, &set->by_output[decl]);
}

struct ks_tolerance ks_tol_default(enum ks_dtype dtype)
{
	double each = 0;
	switch (dtype) {
	case KS_FLOAT32:
		each = 1e-4;
		break;
	case KS_FLOAT64:
		each = 1e-9;
		break;
	case KS_FLOAT16: case KS_BFLOAT16:
		each = 1e-2;
		break;
	case KS_FLOAT8_E4M3FN: case KS_FLOAT8_E5M2:
		each = 1e-1;
		break;
	default:
		break;
	}
	return (struct ks_tolerance){each, each, 1, INFINITY, false};
}
