/*
 * Dry runs: the recipe by which a question is answered once, the numbers that
 * came of it, and the reasons where none did. They stand in files of their own
 * (bank/dryruns) or, for a person's questions, in the entry.
 *
 * Invariants: a file is read twice, first to refuse it whole, then to keep it;
 * what it says is appended, so the newest run of a target stands last.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/regex.h"
#include "core/bank_impl.h"

#define ROWS_MAX 4096
#define LIMIT_S 15.0
#define NUMBER "([-+]?[0-9][0-9,]*(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)"

static const char *const targets[] = {"cuda", "cpu"};
static const char *const takes[] = {"last", "first", "sum", "max", "min", "count"};

const char *ks_bank_target_name(unsigned target)
{
	return target == KS_BANK_CUDA ? "cuda" : "cpu";
}

/* ---- reading ---- */

static int read_target(struct ks_bank_reader *rd, const struct ks_json *node, const char **out)
{
	int target = 0;
	int rc = ks_bank_read_word(rd, node, "target", targets, 2, &target);

	*out = targets[target];
	return rc;
}

static int read_number(struct ks_bank_reader *rd, const struct ks_json *node, const char *key,
	double fallback, double *out)
{
	const struct ks_json *m = ks_json_get(node, key);

	*out = ks_json_num(m, fallback);
	return (m && ks_json_type(m) != KS_JSON_NUMBER) || (!m && isnan(fallback)) ?
		ks_bank_bad(rd, key, "expected a number") : KS_OK;
}

static int read_run(struct ks_bank_reader *rd, const struct ks_json *node,
	struct ks_bank_run *run)
{
	static const char *const keys[] = {"id", "target", "problem", "command", "value",
		"unit", "device", "date", "ms", NULL};
	int rc = ks_bank_known_keys(rd, node, keys);

	rc = rc ? rc : read_target(rd, node, &run->target);
	rc = rc ? rc : ks_bank_read_text(rd, node, "command", true, &run->command);
	rc = rc ? rc : ks_bank_read_text(rd, node, "problem", false, &run->problem);
	rc = rc ? rc : ks_bank_read_text(rd, node, "unit", true, &run->unit);
	rc = rc ? rc : ks_bank_read_text(rd, node, "device", true, &run->device);
	rc = rc ? rc : ks_bank_read_text(rd, node, "date", true, &run->date);
	rc = rc ? rc : read_number(rd, node, "ms", 0, &run->ms);
	return rc ? rc : read_number(rd, node, "value", NAN, &run->value);
}

static void recipe_fini(struct ks_bank_recipe *recipe)
{
	free(recipe->builds.item);
	free(recipe->needs.item);
}

static int read_recipe(struct ks_bank_reader *rd, const struct ks_json *node,
	struct ks_bank_recipe *out)
{
	static const char *const keys[] = {"id", "target", "problem", "builds", "needs",
		"command", "match", "take", "unit", "limit_s", NULL};
	int take = 0;
	int rc = ks_bank_known_keys(rd, node, keys);

	rc = rc ? rc : read_target(rd, node, &out->target);
	rc = rc ? rc : ks_bank_read_text(rd, node, "command", true, &out->command);
	rc = rc ? rc : ks_bank_read_text(rd, node, "problem", false, &out->problem);
	rc = rc ? rc : ks_bank_read_text(rd, node, "match", false, &out->match);
	rc = rc ? rc : ks_bank_read_text(rd, node, "unit", true, &out->unit);
	rc = rc ? rc : read_number(rd, node, "limit_s", LIMIT_S, &out->limit_s);
	if (!rc && ks_json_get(node, "take")) {
		rc = ks_bank_read_word(rd, node, "take", takes, 6, &take);
	}
	if (!rc && !(out->limit_s > 0 && out->limit_s <= 600)) {
		rc = ks_bank_bad(rd, "limit_s", "expected up to 600");
	}
	out->take = (enum ks_bank_take)take;
	rc = rc ? rc : ks_bank_read_list(rd, node, "builds", false, &out->builds);
	return rc ? rc : ks_bank_read_list(rd, node, "needs", false, &out->needs);
}

static int read_gap(struct ks_bank_reader *rd, const struct ks_json *node, struct ks_bank_gap *out)
{
	static const char *const keys[] = {"id", "target", "why", NULL};
	int rc = ks_bank_known_keys(rd, node, keys);

	rc = rc ? rc : read_target(rd, node, &out->target);
	return rc ? rc : ks_bank_read_text(rd, node, "why", true, &out->why);
}

static int read_build(struct ks_bank_reader *rd, const struct ks_json *node,
	struct ks_bank_build *out)
{
	static const char *const keys[] = {"name", "target", "command", "limit_s", NULL};
	int rc = ks_bank_known_keys(rd, node, keys);

	rc = rc ? rc : read_target(rd, node, &out->target);
	rc = rc ? rc : ks_bank_read_text(rd, node, "name", true, &out->name);
	rc = rc ? rc : read_number(rd, node, "limit_s", 120, &out->limit_s);
	return rc ? rc : ks_bank_read_text(rd, node, "command", true, &out->command);
}

/* ---- what an entry holds ---- */

static void keep_run(struct ks_bank_entry *e, struct ks_bank_run run)
{
	ks_grow(&e->runs, &e->run_cap, e->run_count + 1, sizeof(*e->runs));
	e->runs[e->run_count++] = run;
}

static void keep_recipe(struct ks_bank_entry *e, struct ks_bank_recipe recipe)
{
	ks_grow(&e->recipes, &e->recipe_cap, e->recipe_count + 1, sizeof(*e->recipes));
	e->recipes[e->recipe_count++] = recipe;
}

static void keep_gap(struct ks_bank_entry *e, struct ks_bank_gap gap)
{
	ks_grow(&e->gaps, &e->gap_cap, e->gap_count + 1, sizeof(*e->gaps));
	e->gaps[e->gap_count++] = gap;
}

void ks_bank_dryruns_fini(struct ks_bank_entry *e)
{
	for (size_t i = 0; i < e->recipe_count; i++) {
		recipe_fini(&e->recipes[i]);
	}
	free(e->recipes);
	free(e->runs);
	free(e->gaps);
}

static int list_of(struct ks_bank_reader *rd, const struct ks_json *node, const char *key,
	const struct ks_json **out)
{
	const struct ks_json *list = ks_json_get(node, key);

	if (list && (ks_json_type(list) != KS_JSON_ARRAY || ks_json_count(list) > ROWS_MAX)) {
		return ks_bank_bad(rd, key, "expected a list of at most %d", ROWS_MAX);
	}
	*out = ks_json_first(list);
	return KS_OK;
}

int ks_bank_read_runs(struct ks_bank_reader *rd, const struct ks_json *node,
	struct ks_bank_entry *e)
{
	const struct ks_json *m = NULL;
	size_t base = strlen(rd->path), i = 0;
	int rc = list_of(rd, node, "runs", &m);

	for (; m && !rc; m = ks_json_next(m)) {
		struct ks_bank_run run = {0};

		snprintf(rd->path + base, sizeof(rd->path) - base, ".runs[%zu]", i++);
		rc = read_run(rd, m, &run);
		if (!rc) {
			keep_run(e, run);
		}
	}
	rd->path[base] = '\0';
	return rc;
}

int ks_bank_read_recipes(struct ks_bank_reader *rd, const struct ks_json *node,
	struct ks_bank_entry *e)
{
	const struct ks_json *m = NULL;
	size_t base = strlen(rd->path), i = 0;
	int rc = list_of(rd, node, "recipes", &m);

	for (; m && !rc; m = ks_json_next(m)) {
		struct ks_bank_recipe recipe = {0};

		snprintf(rd->path + base, sizeof(rd->path) - base, ".recipes[%zu]", i++);
		rc = read_recipe(rd, m, &recipe);
		if (rc) {
			recipe_fini(&recipe);
		} else {
			keep_recipe(e, recipe);
		}
	}
	rd->path[base] = '\0';
	return rc;
}

/* ---- files of dry runs ---- */

struct file {
	struct ks_bank_reader rd;
	struct ks_bank *bank;
	const struct ks_json *doc;
	bool keep; /* the second time */
};

static struct ks_bank_entry *entry_of(struct file *f, const struct ks_json *node)
{
	ptrdiff_t at = ks_bank_index(f->bank, ks_str_of(ks_json_get_str(node, "id", "")));

	return at < 0 ? NULL : &f->bank->entry[at];
}

static int one_run(struct file *f, const struct ks_json *node)
{
	struct ks_bank_entry *e = entry_of(f, node);
	struct ks_bank_run run = {0};
	int rc = read_run(&f->rd, node, &run);

	if (!rc && e && f->keep) {
		keep_run(e, run);
	}
	return rc;
}

static int one_recipe(struct file *f, const struct ks_json *node)
{
	struct ks_bank_entry *e = entry_of(f, node);
	struct ks_bank_recipe recipe = {0};
	int rc = read_recipe(&f->rd, node, &recipe);

	if (!rc && !e) {
		rc = ks_bank_bad(&f->rd, "id", "no question \"%.20s\"",
			ks_json_get_str(node, "id", ""));
	}
	if (!rc && f->keep) {
		keep_recipe(e, recipe);
	} else {
		recipe_fini(&recipe);
	}
	return rc;
}

static int one_gap(struct file *f, const struct ks_json *node)
{
	struct ks_bank_entry *e = entry_of(f, node);
	struct ks_bank_gap gap = {0};
	int rc = read_gap(&f->rd, node, &gap);

	if (!rc && !e) {
		rc = ks_bank_bad(&f->rd, "id", "no question \"%.20s\"",
			ks_json_get_str(node, "id", ""));
	}
	if (!rc && f->keep) {
		keep_gap(e, gap);
	}
	return rc;
}

static int one_build(struct file *f, const struct ks_json *node)
{
	struct ks_bank *b = f->bank;
	struct ks_bank_build build = {0};
	int rc = read_build(&f->rd, node, &build);

	if (!rc && f->keep) {
		ks_grow(&b->build, &b->build_cap, b->builds + 1, sizeof(*b->build));
		b->build[b->builds++] = build;
	}
	return rc;
}

static int each(struct file *f, const char *key, int (*one)(struct file *,
	const struct ks_json *))
{
	const struct ks_json *m = NULL;
	size_t i = 0;

	snprintf(f->rd.path, sizeof(f->rd.path), "$");
	int rc = list_of(&f->rd, f->doc, key, &m);
	for (; m && !rc; m = ks_json_next(m)) {
		snprintf(f->rd.path, sizeof(f->rd.path), "$.%s[%zu]", key, i++);
		rc = one(f, m);
	}
	return rc;
}

static int pass(struct file *f)
{
	static const char *const keys[] = {"format", "kind", "about", "builds", "recipes",
		"not_run", "runs", "failed", NULL};
	static const char *const kinds[] = {"recipes", "runs"};
	int kind = 0;

	snprintf(f->rd.path, sizeof(f->rd.path), "$");
	int rc = ks_bank_known_keys(&f->rd, f->doc, keys);
	if (!rc && ks_json_get_int(f->doc, "format", 0) != 1) {
		rc = ks_bank_bad(&f->rd, "format", "expected 1");
	}
	rc = rc ? rc : ks_bank_read_word(&f->rd, f->doc, "kind", kinds, 2, &kind);
	rc = rc ? rc : each(f, "builds", one_build);
	rc = rc ? rc : each(f, "recipes", one_recipe);
	rc = rc ? rc : each(f, "not_run", one_gap);
	return rc ? rc : each(f, "runs", one_run);
}

int ks_bank_load_dryruns(struct ks_bank *bank, struct ks_str json, const char *label,
	struct ks_err *err)
{
	struct ks_bank_doc *own = ks_bank_doc_new(json, label, err);
	struct file f = {.rd = {.label = label, .err = err}, .bank = bank};

	if (!own) {
		return KS_EINVAL;
	}
	f.doc = own->json;
	int rc = pass(&f);
	if (rc) {
		ks_bank_doc_free(own);
		return rc;
	}
	f.keep = true;
	pass(&f);
	ks_bank_keep(bank, own);
	return KS_OK;
}

/* ---- looking up ---- */

const struct ks_bank_recipe *ks_bank_recipe(const struct ks_bank_entry *entry, unsigned target)
{
	for (size_t i = entry->recipe_count; i-- > 0;) {
		if (strcmp(entry->recipes[i].target, ks_bank_target_name(target)) == 0) {
			return &entry->recipes[i];
		}
	}
	return NULL;
}

const struct ks_bank_run *ks_bank_run(const struct ks_bank_entry *entry, unsigned target)
{
	for (size_t i = entry->run_count; i-- > 0;) {
		if (strcmp(entry->runs[i].target, ks_bank_target_name(target)) == 0) {
			return &entry->runs[i];
		}
	}
	return NULL;
}

const struct ks_bank_build *ks_bank_build(const struct ks_bank *bank, unsigned target,
	struct ks_str name)
{
	for (size_t i = 0; i < bank->builds; i++) {
		const struct ks_bank_build *b = &bank->build[i];

		if (ks_str_is(name, b->name) &&
		    strcmp(b->target, ks_bank_target_name(target)) == 0) {
			return b;
		}
	}
	return NULL;
}

/* ---- the number ---- */

/* Of a piece of output; commas between digits are passed over. */
static bool number_of(struct ks_str text, double *out)
{
	char digits[64], *end;
	size_t n = 0;

	for (size_t i = 0; i < text.len && n < sizeof(digits) - 1; i++) {
		if (text.ptr[i] != ',') {
			digits[n++] = text.ptr[i];
		}
	}
	digits[n] = '\0';
	*out = strtod(digits, &end);
	return n > 0 && *end == '\0' && isfinite(*out);
}

struct taken {
	double first, last, sum, max, min;
	size_t count;
};

static void take_one(struct taken *t, double v)
{
	t->first = t->count == 0 ? v : t->first;
	t->max = t->count == 0 || v > t->max ? v : t->max;
	t->min = t->count == 0 || v < t->min ? v : t->min;
	t->last = v;
	t->sum += v;
	t->count++;
}

int ks_bank_take(double *out, const struct ks_bank_recipe *recipe, struct ks_str output,
	struct ks_err *err)
{
	struct ks_regex *re = NULL;
	struct ks_str group[KS_REGEX_GROUPS];
	struct taken t = {0};
	size_t at = 0;
	bool counts = recipe->take == KS_TAKE_COUNT;
	int rc = ks_regex_new(&re, recipe->match ? recipe->match : NUMBER, KS_REGEX_MULTILINE, err);

	if (rc) {
		return rc;
	}
	while (at <= output.len && ks_regex_match(re, output, at, group)) {
		struct ks_str piece = group[1].ptr ? group[1] : group[0];
		size_t end = (size_t)(group[0].ptr - output.ptr) + group[0].len;
		double v = 0;

		if (counts || number_of(piece, &v)) {
			take_one(&t, v);
		}
		at = end > at ? end : at + 1;
	}
	ks_regex_free(re);
	if (t.count == 0 && !counts) {
		return ks_err_set(err, KS_EINVAL, "no number in the output%s%.80s",
			recipe->match ? " by " : "", recipe->match ? recipe->match : "");
	}
	const double all[] = {t.last, t.first, t.sum, t.max, t.min, (double)t.count};
	*out = all[recipe->take];
	return KS_OK;
}

/* ---- scope ---- */

/* Letter case apart; * stands for anything. */
static bool like(struct ks_str text, const char *pattern)
{
	size_t at = 0, star_at = 0;
	const char *star = NULL;

	while (at < text.len) {
		if (*pattern == '*') {
			star = ++pattern;
			star_at = at;
		} else if (*pattern && (*pattern | 32) == (text.ptr[at] | 32)) {
			pattern++;
			at++;
		} else if (star) {
			pattern = star;
			at = ++star_at;
		} else {
			return false;
		}
	}
	while (*pattern == '*') {
		pattern++;
	}
	return *pattern == '\0';
}

static bool arch_is(const char *scope, struct ks_str arch)
{
	struct ks_str rest = ks_str_of(scope), one, word;

	while (ks_str_next(&rest, '|', &one)) {
		struct ks_str words = arch;

		while (ks_str_next(&words, ' ', &word)) {
			if (one.len && word.len >= one.len &&
			    memcmp(word.ptr, one.ptr, one.len) == 0) {
				return true;
			}
		}
	}
	return false;
}

bool ks_bank_in_scope(const struct ks_bank_entry *entry, struct ks_str arch,
	struct ks_str name, struct ks_str tags)
{
	struct ks_str tag;

	if (!entry->scope || strcmp(entry->kind, "core") == 0 ||
	    strcmp(entry->kind, "user") == 0) {
		return true;
	}
	if (strcmp(entry->kind, "arch") == 0) {
		return arch_is(entry->scope, arch);
	}
	for (size_t i = 0; name.len && i < entry->match->names.count; i++) {
		if (like(name, entry->match->names.item[i])) {
			return true;
		}
	}
	while (ks_str_next(&tags, ' ', &tag)) {
		for (size_t i = 0; tag.len && i < entry->match->tags.count; i++) {
			if (like(tag, entry->match->tags.item[i])) {
				return true;
			}
		}
	}
	return false;
}
