/*
 * Loading a problem's folder, its table of scenarios, and the questions that
 * others ask about it. Every scenario is worked out once while it is loaded, so
 * that a problem which loads is whole.
 */
#include "eval/problem.h"

#include <stdio.h>

#include "base/file.h"
#include "base/mem.h"
#include "eval/problem_priv.h"

#define DEFINITION_MAX ((size_t)1 << 20)
#define SET_MAX ((size_t)64 << 20)
#define LINE_LIMIT ((size_t)1 << 20)
#define UUID_MAX 128

static void scenario_fini(struct ks_scenario *s)
{
	free(s->uuid);
	free(s->set);
	ks_json_free(s->doc);
	free(s->axes);
}

void ks_problem_free(struct ks_problem *p)
{
	if (p == NULL) {
		return;
	}
	free(p->dir);
	free(p->name);
	free(p->description);
	free(p->tags);
	free(p->symbol);
	for (size_t i = 0; i < p->axis_count; i++) {
		ks_expr_free(p->axes[i].expr);
	}
	for (size_t i = 0; i < p->constraint_count; i++) {
		ks_expr_free(p->constraints[i]);
	}
	for (size_t i = 0; i < p->decl_count; i++) {
		for (unsigned r = 0; r < p->decls[i].rank; r++) {
			ks_expr_free(p->decls[i].shape[r]);
		}
		ks_gen_spec_fini(&p->decls[i].gen);
	}
	ks_number_fini(&p->operations);
	ks_number_fini(&p->bytes);
	free(p->tolerance);
	for (size_t i = 0; i < p->source_count; i++) {
		for (size_t k = 0; k < p->sources[i].count; k++) {
			free(p->sources[i].files[k]);
		}
	}
	for (size_t i = 0; i < p->scenario_count; i++) {
		scenario_fini(&p->scenarios[i]);
	}
	free(p->scenarios);
	free(p);
}

/* ---- sets ---- */

/* Points s->node at the workload in s->doc and takes its uuid. */
static int read_line(struct ks_scenario *s, const struct ks_problem *p, struct ks_err *err)
{
	const struct ks_json *wrapped = ks_json_get(s->doc, "workload");
	const char *of = ks_json_get_str(s->doc, "definition", NULL);
	s->node = wrapped != NULL ? wrapped : s->doc;
	s->base = wrapped != NULL ? "$.workload" : "$";
	if (ks_json_type(s->node) != KS_JSON_OBJECT) {
		return ks_where_refuse(&s->where, err, s->base,
			"not an object; a line is one scenario {\"uuid\": ..., \"axes\": {...}}");
	}
	if (of != NULL && strcmp(of, p->name) != 0) {
		return ks_where_refuse(&s->where, err, "$.definition",
			"this line is for '%.60s', the problem is '%.60s'", of, p->name);
	}
	const char *uuid = ks_json_get_str(s->node, "uuid", "");
	char path[KS_PATH];
	ks_where_path(path, "%s.uuid", s->base);
	bool plain = true;
	for (const char *c = uuid; *c != '\0'; c++) {
		plain = plain && (unsigned char)*c > ' ' && *c != 127;
	}
	if (uuid[0] == '\0') {
		return ks_where_refuse(&s->where, err, path,
			"missing; give the scenario a short name");
	}
	if (strlen(uuid) > UUID_MAX) {
		return ks_where_refuse(&s->where, err, path,
			"longer than %d bytes; give the scenario a short name", UUID_MAX);
	}
	if (!plain) {
		return ks_where_refuse(&s->where, err, path,
			"'%.60s' has a space in it; write it without", uuid);
	}
	ptrdiff_t twin = ks_problem_find(p, uuid);
	if (twin >= 0) {
		const struct ks_where *w = &p->scenarios[twin].where;
		return ks_where_refuse(&s->where, err, path,
			"'%.60s' is already the scenario of %s:%u; rename one", uuid, w->file,
			w->line);
	}
	s->uuid = ks_strdup(uuid);
	return 0;
}

static int add_line(struct ks_problem *p, struct ks_str text, const struct ks_where *where,
	const char *set, bool heldout, struct ks_err *err)
{
	struct ks_scenario s = {.where = *where, .heldout = heldout, .set = ks_strdup(set)};
	struct ks_case *c = NULL;
	int rc = 0;
	if (text.len > LINE_LIMIT) {
		rc = ks_where_refuse(where, err, "$",
			"a line longer than %zu bytes; use generators",
			LINE_LIMIT);
	} else if (p->scenario_count == KS_SCENARIOS_MAX) {
		rc = ks_where_refuse(where, err, "$", "more than %d scenarios; drop some",
			KS_SCENARIOS_MAX);
	} else if (ks_json_parse(&s.doc, text.ptr, text.len, err) != 0) {
		rc = ks_where_prefix(where, err, "$", KS_EINVAL);
	}
	rc = rc != 0 ? rc : read_line(&s, p, err);
	rc = rc != 0 ? rc : ks_case_build(&c, p, &s, p->unchecked, err);
	if (rc != 0) {
		scenario_fini(&s);
		return rc;
	}
	s.axes = c->axes;
	c->axes = NULL;
	ks_case_free(c);
	ks_grow(&p->scenarios, &p->scenario_cap, p->scenario_count + 1, sizeof(p->scenarios[0]));
	p->scenarios[p->scenario_count++] = s;
	return 0;
}

/* shown: the file's name in messages. */
static int add_file(struct ks_problem *p, const char *path, const char *shown, bool heldout,
	struct ks_err *err)
{
	struct ks_buf text = {0};
	struct ks_where where = {.line = 0};
	size_t before = p->scenario_count;
	char set[KS_NAME_MAX + 1];
	snprintf(where.file, sizeof(where.file), "%s", shown);
	const char *base = ks_path_base(path);
	const char *ending = strstr(base, ".jsonl");
	size_t stem = ending != NULL ? (size_t)(ending - base) : strlen(base);
	snprintf(set, sizeof(set), "%.*s", (int)(stem < KS_NAME_MAX ? stem : KS_NAME_MAX), base);
	int rc = ks_file_read(&text, path, SET_MAX, err);
	struct ks_str rest = ks_buf_str(&text), line;
	while (rc == 0 && ks_str_next(&rest, '\n', &line)) {
		where.line++;
		line = ks_str_trim(line);
		rc = line.len == 0 ? 0 : add_line(p, line, &where, set, heldout, err);
	}
	ks_buf_fini(&text);
	while (rc != 0 && p->scenario_count > before) {
		scenario_fini(&p->scenarios[--p->scenario_count]);
	}
	return rc;
}

int ks_problem_add_set(struct ks_problem *p, const char *path, bool heldout, struct ks_err *err)
{
	return add_file(p, path, ks_path_base(path), heldout, err);
}

static int add_folder(struct ks_problem *p, const char *sub, struct ks_err *err)
{
	char **names = NULL;
	size_t count = 0;
	char *dir = sub[0] != '\0' ? ks_path_join(p->dir, sub) : ks_strdup(p->dir);
	int rc = ks_file_is_dir(dir) ? ks_file_list(&names, &count, dir, err) : 0;
	for (size_t i = 0; rc == 0 && i < count; i++) {
		size_t len = strlen(names[i]);
		if (len <= 6 || strcmp(names[i] + len - 6, ".jsonl") != 0) {
			continue;
		}
		char *path = ks_path_join(dir, names[i]);
		char *shown = sub[0] != '\0' ? ks_path_join(sub, names[i]) : ks_strdup(names[i]);
		rc = add_file(p, path, shown, false, err);
		free(shown);
		free(path);
	}
	ks_names_free(names, count);
	free(dir);
	return rc;
}

/* ---- the folder ---- */

static int load_definition(struct ks_problem *p, struct ks_err *err)
{
	struct ks_buf text = {0};
	struct ks_json *doc = NULL;
	char *path = ks_path_join(p->dir, "definition.json");
	int rc = ks_file_read(&text, path, DEFINITION_MAX, err);
	free(path);
	if (rc == 0 && ks_json_parse(&doc, text.ptr, text.len, err) != 0) {
		rc = ks_where_prefix(&p->where, err, "$", KS_EINVAL);
	}
	if (rc == 0 && ks_json_type(doc) != KS_JSON_OBJECT) {
		rc = ks_where_refuse(&p->where, err, "$", "not an object; write { ... }");
	}
	rc = rc != 0 ? rc : ks_problem_define(p, doc, err);
	ks_json_free(doc);
	ks_buf_fini(&text);
	return rc;
}

int ks_problem_load(struct ks_problem **out, const char *dir, struct ks_err *err)
{
	struct ks_problem *p = ks_zalloc(1, sizeof(*p));
	p->dir = ks_strdup(dir);
	snprintf(p->where.file, sizeof(p->where.file), "definition.json");
	int rc = load_definition(p, err);
	rc = rc != 0 ? rc : add_folder(p, "", err);
	rc = rc != 0 ? rc : add_folder(p, "sets", err);
	if (rc == 0 && p->scenario_count == 0) {
		rc = ks_where_refuse(&p->where, err, "$",
			"no scenario beside it; add lines to sets/main.jsonl");
	}
	if (rc != 0) {
		ks_problem_free(p);
		return rc;
	}
	*out = p;
	return 0;
}

/* ---- questions ---- */

const char *ks_problem_name(const struct ks_problem *p)
{
	return p->name;
}

const char *ks_problem_description(const struct ks_problem *p)
{
	return p->description;
}

const char *ks_problem_tags(const struct ks_problem *p)
{
	return p->tags;
}

const char *ks_problem_symbol(const struct ks_problem *p)
{
	return p->symbol;
}

size_t ks_problem_scenarios(const struct ks_problem *p)
{
	return p->scenario_count;
}

const char *ks_problem_uuid(const struct ks_problem *p, size_t index)
{
	return p->scenarios[index].uuid;
}

const char *ks_problem_set(const struct ks_problem *p, size_t index)
{
	return p->scenarios[index].set;
}

bool ks_problem_heldout(const struct ks_problem *p, size_t index)
{
	return p->scenarios[index].heldout;
}

ptrdiff_t ks_problem_find(const struct ks_problem *p, const char *uuid)
{
	for (size_t i = 0; i < p->scenario_count; i++) {
		if (strcmp(p->scenarios[i].uuid, uuid) == 0) {
			return (ptrdiff_t)i;
		}
	}
	return -1;
}

bool ks_problem_axis(const struct ks_problem *p, size_t index, const char *axis, int64_t *out)
{
	int i = ks_problem_axis_index(p, axis);
	if (i >= 0) {
		*out = p->scenarios[index].axes[i];
		return true;
	}
	const struct ks_json *input = ks_json_get(
		ks_json_get(p->scenarios[index].node, "inputs"), axis);
	const struct ks_json *value = ks_json_get(input, "value");
	if (ks_json_type(value) != KS_JSON_NUMBER || !ks_json_is_int(value)) {
		return false;
	}
	*out = ks_json_int(value, 0);
	return true;
}

size_t ks_problem_unchecked(const struct ks_problem *p)
{
	size_t n = 0;
	for (size_t i = 0; i < p->constraint_count; i++) {
		n += p->unchecked[i];
	}
	return n;
}

int ks_problem_sources(const char *const **out, size_t *out_count, const struct ks_problem *p,
	const char *target, const char *side, struct ks_err *err)
{
	char path[KS_PATH];
	ks_where_path(path, "$.kseek.targets.%s.%s", target, side);
	for (size_t i = 0; i < p->source_count; i++) {
		const struct ks_sources *s = &p->sources[i];
		if (strcmp(s->target, target) != 0 || strcmp(s->side, side) != 0) {
			continue;
		}
		for (size_t k = 0; k < s->count; k++) {
			char *file = ks_path_join(p->dir, s->files[k]);
			bool there = ks_file_exists(file);
			free(file);
			if (!there) {
				return ks_where_refuse(&p->where, err, path,
					"'%.80s' is not in the problem's folder; add the file",
					s->files[k]);
			}
		}
		*out = (const char *const *)s->files;
		*out_count = s->count;
		return 0;
	}
	ks_where_refuse(&p->where, err, path, "missing; name the source file of the %s, such as "
		"[\"%s.%s\"]", side, side, strcmp(target, "cuda") == 0 ? "cu" : "c");
	return KS_ENOTFOUND;
}

int ks_problem_check_target(const struct ks_problem *p, const char *target, struct ks_err *err)
{
	if (strcmp(target, "cpu") != 0) {
		return 0;
	}
	for (size_t i = 0; i < p->scenario_count; i++) {
		struct ks_case *c = NULL;
		int rc = ks_case_build(&c, p, &p->scenarios[i], NULL, err);
		for (size_t k = 0; rc == 0 && k < c->count; k++) {
			const struct ks_arg *arg = &c->args[k];
			bool tensor = arg->kind == KS_ARG_INPUT || arg->kind == KS_ARG_OUTPUT;
			if (tensor && !arg->absent && !ks_dtype_on_cpu(arg->dtype)) {
				rc = ks_where_refuse(&p->scenarios[i].where, err, "$.dtypes",
					"'%s' would be %s, which the cpu target does not have; "
					"use another dtype", arg->name, ks_dtype_name(arg->dtype));
			}
		}
		ks_case_free(c);
		if (rc != 0) {
			return rc;
		}
	}
	return 0;
}

static const char *c_type(enum ks_dtype dtype)
{
	static const char *const types[KS_DTYPE_COUNT] = {
		[KS_FLOAT32] = "float", [KS_FLOAT64] = "double", [KS_FLOAT16] = "uint16_t",
		[KS_BFLOAT16] = "uint16_t", [KS_FLOAT8_E4M3FN] = "uint8_t",
		[KS_FLOAT8_E5M2] = "uint8_t", [KS_INT8] = "int8_t", [KS_UINT8] = "uint8_t",
		[KS_INT32] = "int32_t", [KS_INT64] = "int64_t", [KS_BOOL] = "uint8_t",
	};
	return types[dtype];
}

char *ks_problem_prototype(const struct ks_problem *p)
{
	struct ks_buf text = {0};
	ks_buf_addf(&text, "int %s(", p->symbol);
	for (size_t i = 0; i < p->arg_count; i++) {
		const struct ks_decl *d = &p->decls[p->args[i].index];
		const char *comma = i > 0 ? ", " : "";
		switch (p->args[i].kind) {
		case KS_ARG_AXIS:
			ks_buf_addf(&text, "%sint64_t %s", comma, p->axes[p->args[i].index].name);
			break;
		case KS_ARG_DTYPE:
			ks_buf_addf(&text, "%sint32_t %s", comma,
				p->dtype_axes[p->args[i].index].name);
			break;
		case KS_ARG_SCALAR:
			ks_buf_addf(&text, "%s%s %s", comma, c_type(d->dtype), d->name);
			break;
		default:
			ks_buf_addf(&text, "%s%s%s *%s", comma,
				d->output || d->writable ? "" : "const ",
				d->dtype_axis >= 0 ? "void" : c_type(d->dtype), d->name);
			break;
		}
	}
	ks_buf_adds(&text, ");");
	return ks_buf_take(&text);
}

int ks_case_new(struct ks_case **out, const struct ks_problem *p, size_t index,
	struct ks_err *err)
{
	return ks_case_build(out, p, &p->scenarios[index], NULL, err);
}
