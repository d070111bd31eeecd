/*
 * The bank: records read strictly from JSON, kept in the order of loading.
 * Invariants: an id is there once (letter case apart); a load that fails adds
 * nothing; every string of an entry is lent by the bank's own copy of the
 * parsed document, so entries live exactly as long as their bank.
 */
#include "core/bank_impl.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "base/mem.h"

#define ENTRIES_MAX 4096
#define LIST_MAX 32
#define TEXT_MAX 400u
#define QUESTION_MAX 240u /* filled in, it has to fit an offer */
#define COMMAND_MAX 2000u

static const char *const point_names[KS_POINTS] = {
	"start", "plateau", "limit", "completion", "win", "break",
};
static const char *const cost_names[] = {"low", "medium", "high"};
static const char *const status_names[] = {
	"draft", "linted", "dry_run", "admitted", "retired",
};

const char *ks_point_name(enum ks_point point)
{
	return (unsigned)point < KS_POINTS ? point_names[point] : "none";
}

int ks_point_of(struct ks_str name)
{
	for (int i = 0; i < KS_POINTS; i++) {
		if (ks_str_is(name, point_names[i])) {
			return i;
		}
	}
	return -1;
}

const char *ks_bank_cost_name(enum ks_bank_cost cost)
{
	return (unsigned)cost < 3 ? cost_names[cost] : "high";
}

const char *ks_bank_status_name(enum ks_bank_status status)
{
	return (unsigned)status < 5 ? status_names[status] : "draft";
}

/* ---- reading ---- */

int ks_bank_bad(struct ks_bank_reader *rd, const char *key, const char *fmt, ...)
{
	char what[240];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return ks_err_set(rd->err, KS_EINVAL, "%s: %s%s%s: %s", rd->label, rd->path,
		key ? "." : "", key ? key : "", what);
}

static bool listed(const char *word, const char *const *list, size_t count,
	int *out_index)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(word, list[i]) == 0) {
			*out_index = (int)i;
			return true;
		}
	}
	return false;
}

/* Refuses keys that are not in a NULL-terminated list. */
int ks_bank_known_keys(struct ks_bank_reader *rd, const struct ks_json *node,
	const char *const *keys)
{
	if (ks_json_type(node) != KS_JSON_OBJECT) {
		return ks_bank_bad(rd, NULL, "expected an object");
	}
	for (const struct ks_json *m = ks_json_first(node); m; m = ks_json_next(m)) {
		const char *const *k = keys;

		while (*k && strcmp(*k, ks_json_key(m)) != 0) {
			k++;
		}
		if (!*k) {
			return ks_bank_bad(rd, ks_json_key(m), "unknown key; see bank/schema.json");
		}
	}
	return KS_OK;
}

int ks_bank_read_text(struct ks_bank_reader *rd, const struct ks_json *node, const char *key,
	bool required, const char **out)
{
	const struct ks_json *m = ks_json_get(node, key);

	if (!m && !required) {
		return KS_OK;
	}
	if (ks_json_type(m) != KS_JSON_STRING) {
		return ks_bank_bad(rd, key, "expected a string");
	}
	const char *text = ks_json_str(m, "");
	size_t len = strlen(text), most = strcmp(key, "command") == 0 ? COMMAND_MAX :
		strcmp(key, "question") == 0 ? QUESTION_MAX : TEXT_MAX;
	if (len == 0 || len > most) {
		return ks_bank_bad(rd, key, "expected 1 to %zu bytes", most);
	}
	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f) {
			return ks_bank_bad(rd, key, "holds a control character");
		}
	}
	*out = text;
	return KS_OK;
}

int ks_bank_read_word(struct ks_bank_reader *rd, const struct ks_json *node, const char *key,
	const char *const *list, size_t count, int *out)
{
	const char *word = NULL;
	int rc = ks_bank_read_text(rd, node, key, true, &word);

	if (!rc && !listed(word, list, count, out)) {
		rc = ks_bank_bad(rd, key, "\"%.40s\" is not known; see bank/schema.json", word);
	}
	return rc;
}

int ks_bank_read_list(struct ks_bank_reader *rd, const struct ks_json *node, const char *key,
	bool required, struct ks_bank_list *out)
{
	const struct ks_json *array = ks_json_get(node, key);

	if (!array && !required) {
		return KS_OK;
	}
	if (ks_json_type(array) != KS_JSON_ARRAY) {
		return ks_bank_bad(rd, key, "expected a list of strings");
	}
	size_t n = ks_json_count(array);
	if (n > LIST_MAX) {
		return ks_bank_bad(rd, key, "at most %d items", LIST_MAX);
	}
	if (n == 0) {
		return KS_OK;
	}
	out->item = ks_zalloc(n, sizeof(*out->item));
	for (const struct ks_json *m = ks_json_first(array); m; m = ks_json_next(m)) {
		const char *text = ks_json_str(m, NULL);

		if (!text || !*text || strlen(text) > (size_t)TEXT_MAX) {
			return ks_bank_bad(rd, key, "[%zu]: expected a short string", out->count);
		}
		out->item[out->count++] = text;
	}
	return KS_OK;
}

static int read_flag(struct ks_bank_reader *rd, const struct ks_json *node, const char *key,
	bool *out)
{
	const struct ks_json *m = ks_json_get(node, key);

	if (m && ks_json_type(m) != KS_JSON_BOOL) {
		return ks_bank_bad(rd, key, "expected true or false");
	}
	*out = ks_json_bool(m, false);
	return KS_OK;
}

static int read_set(struct ks_bank_reader *rd, const struct ks_json *node, const char *key,
	const char *const *names, size_t count, unsigned *out)
{
	struct ks_bank_list list = {0};
	int rc = ks_bank_read_list(rd, node, key, true, &list);

	for (size_t i = 0; i < list.count && !rc; i++) {
		int bit = 0;

		if (!listed(list.item[i], names, count, &bit)) {
			rc = ks_bank_bad(rd, key, "[%zu]: \"%.40s\" is not known", i, list.item[i]);
		} else {
			*out |= 1u << bit;
		}
	}
	free(list.item);
	if (!rc && *out == 0) {
		rc = ks_bank_bad(rd, key, "is empty");
	}
	return rc;
}

/* ---- cues ---- */

static int read_cue(struct ks_bank_reader *rd, const struct ks_json *node, struct ks_cue *cue)
{
	static const char *const keys[] = {"kind", "layer", "name", "op", "value", "any", NULL};
	static const char *const kinds[] = {"stale", "number", "text"};
	static const char *const ops[] = {"<", "<=", ">", ">=", "=", "!="};
	int kind = 0, op = 0;
	int rc = ks_bank_known_keys(rd, node, keys);

	rc = rc ? rc : ks_bank_read_word(rd, node, "kind", kinds, 3, &kind);
	if (rc) {
		return rc;
	}
	cue->kind = (enum ks_cue_kind)kind;
	if (cue->kind == KS_CUE_STALE) {
		const char *layer = NULL;

		rc = ks_bank_read_text(rd, node, "layer", true, &layer);
		cue->layer = layer && !layer[1] ? ks_layer_of_letter(layer[0]) : KS_LAYER_NONE;
		return rc ? rc : cue->layer == KS_LAYER_NONE ?
			ks_bank_bad(rd, "layer", "expected one of VHCRGMSPOX") : KS_OK;
	}
	if (cue->kind == KS_CUE_NUMBER) {
		const struct ks_json *value = ks_json_get(node, "value");

		rc = ks_bank_read_text(rd, node, "name", true, &cue->name);
		rc = rc ? rc : ks_bank_read_word(rd, node, "op", ops, 6, &op);
		cue->op = ops[op];
		cue->value = ks_json_num(value, 0);
		return rc ? rc : ks_json_type(value) != KS_JSON_NUMBER ?
			ks_bank_bad(rd, "value", "expected a number") : KS_OK;
	}
	struct ks_bank_list any = {0};
	rc = ks_bank_read_list(rd, node, "any", true, &any);
	cue->any = any.item;
	cue->any_count = any.count;
	return rc ? rc : any.count == 0 ? ks_bank_bad(rd, "any", "is empty") : KS_OK;
}

/* Reads each member of a list by a function; *count grows as they succeed or
 * hold memory, so that what was read is freed with the entry. */
static int read_cues(struct ks_bank_reader *rd, const struct ks_json *node,
	struct ks_bank_entry *e)
{
	const struct ks_json *array = ks_json_get(node, "cues");
	size_t n = ks_json_count(array), base = strlen(rd->path);
	int rc = KS_OK;

	if (array && (ks_json_type(array) != KS_JSON_ARRAY || n > LIST_MAX)) {
		return ks_bank_bad(rd, "cues", "expected a list of at most %d", LIST_MAX);
	}
	if (n == 0) {
		return KS_OK;
	}
	e->cues = ks_zalloc(n, sizeof(*e->cues));
	for (const struct ks_json *m = ks_json_first(array); m && !rc; m = ks_json_next(m)) {
		snprintf(rd->path + base, sizeof(rd->path) - base, ".cues[%zu]", e->cue_count);
		rc = read_cue(rd, m, &e->cues[e->cue_count++]);
	}
	rd->path[base] = '\0';
	return rc;
}

/* ---- an entry ---- */

static int read_evidence(struct ks_bank_reader *rd, const struct ks_json *node,
	struct ks_bank_entry *e)
{
	static const char *const keys[] = {"quantity", "tools", "must_report",
		"stale_when", NULL};
	const struct ks_json *ev = ks_json_get(node, "evidence");
	size_t base = strlen(rd->path);

	snprintf(rd->path + base, sizeof(rd->path) - base, ".evidence");
	int rc = ks_bank_known_keys(rd, ev, keys);
	rc = rc ? rc : ks_bank_read_text(rd, ev, "quantity", true, &e->quantity);
	rc = rc ? rc : ks_bank_read_list(rd, ev, "tools", true, &e->tools);
	rc = rc ? rc : ks_bank_read_list(rd, ev, "must_report", true, &e->must_report);
	rc = rc ? rc : ks_bank_read_list(rd, ev, "stale_when", true, &e->stale_when);
	rd->path[base] = '\0';
	return rc;
}

static int read_cpu(struct ks_bank_reader *rd, const struct ks_json *node,
	struct ks_bank_entry *e)
{
	static const char *const keys[] = {"question", "tools", "bound", "needs", NULL};
	const struct ks_json *cpu = ks_json_get(node, "cpu");
	size_t base = strlen(rd->path);

	if (!cpu) {
		return KS_OK;
	}
	snprintf(rd->path + base, sizeof(rd->path) - base, ".cpu");
	int rc = ks_bank_known_keys(rd, cpu, keys);
	rc = rc ? rc : ks_bank_read_text(rd, cpu, "question", false, &e->question_cpu);
	rc = rc ? rc : ks_bank_read_text(rd, cpu, "bound", false, &e->bound_cpu);
	rc = rc ? rc : ks_bank_read_list(rd, cpu, "tools", false, &e->tools_cpu);
	rc = rc ? rc : ks_bank_read_list(rd, cpu, "needs", false, &e->needs_cpu);
	if (!rc && !(e->targets & KS_BANK_CPU)) {
		rc = ks_bank_bad(rd, NULL, "is there, but targets has no \"cpu\"");
	}
	rd->path[base] = '\0';
	return rc;
}

static int read_id(struct ks_bank_reader *rd, const struct ks_json *node,
	struct ks_bank_entry *e)
{
	int rc = ks_bank_read_text(rd, node, "id", true, &e->id);
	size_t len = rc ? 0 : strlen(e->id), dashes = 0;

	for (size_t i = 0; i < len; i++) {
		char c = e->id[i];
		bool fine = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';

		dashes += c == '-';
		if (!fine || len > 15) {
			return ks_bank_bad(rd, "id", "expected at most 15 of A-Z, 0-9 and -");
		}
	}
	return rc ? rc : dashes == 0 ? ks_bank_bad(rd, "id", "expected a form like H-03") : KS_OK;
}

static int read_group(struct ks_bank_reader *rd, const struct ks_json *node,
	const struct ks_json *doc, struct ks_bank_entry *e)
{
	const char *letter = ks_json_get_str(node, "group",
		ks_json_get_str(doc, "group", ""));

	e->group = letter[0] && !letter[1] ? ks_layer_of_letter(letter[0]) : KS_LAYER_NONE;
	return e->group != KS_LAYER_NONE ? KS_OK : ks_bank_bad(rd, "group",
		"expected one of V H C R G M S P O X, here or in the file");
}

static int read_entry(struct ks_bank_reader *rd, const struct ks_json *node,
	const struct ks_json *doc, struct ks_bank_entry *e)
{
	static const char *const keys[] = {"id", "group", "question", "cpu", "targets",
		"points", "cues", "evidence", "bound", "arch_params", "cost", "needs",
		"rejects_limit", "unsafe_build", "resources", "provenance", "reason",
		"refines", "status", "runs", "recipes", NULL};
	static const char *const targets[] = {"cuda", "cpu"}; /* bits of ks_bank_target */
	int cost = 0, status = 0;
	int rc = ks_bank_known_keys(rd, node, keys);

	rc = rc ? rc : read_id(rd, node, e);
	rc = rc ? rc : read_group(rd, node, doc, e);
	rc = rc ? rc : ks_bank_read_text(rd, node, "question", true, &e->question);
	rc = rc ? rc : read_set(rd, node, "targets", targets, 2, &e->targets);
	rc = rc ? rc : read_set(rd, node, "points", point_names, KS_POINTS, &e->points);
	rc = rc ? rc : read_cues(rd, node, e);
	rc = rc ? rc : read_evidence(rd, node, e);
	rc = rc ? rc : ks_bank_read_text(rd, node, "bound", true, &e->bound);
	rc = rc ? rc : ks_bank_read_list(rd, node, "arch_params", false, &e->arch_params);
	rc = rc ? rc : ks_bank_read_word(rd, node, "cost", cost_names, 3, &cost);
	rc = rc ? rc : ks_bank_read_list(rd, node, "needs", false, &e->needs);
	rc = rc ? rc : read_flag(rd, node, "rejects_limit", &e->rejects_limit);
	rc = rc ? rc : read_flag(rd, node, "unsafe_build", &e->unsafe_build);
	rc = rc ? rc : ks_bank_read_list(rd, node, "resources", false, &e->resources);
	rc = rc ? rc : ks_bank_read_list(rd, node, "provenance", false, &e->provenance);
	rc = rc ? rc : ks_bank_read_text(rd, node, "reason", false, &e->reason);
	rc = rc ? rc : ks_bank_read_text(rd, node, "refines", false, &e->refines);
	rc = rc ? rc : ks_bank_read_word(rd, node, "status", status_names, 5, &status);
	rc = rc ? rc : read_cpu(rd, node, e);
	rc = rc ? rc : ks_bank_read_runs(rd, node, e);
	rc = rc ? rc : ks_bank_read_recipes(rd, node, e);
	e->cost = (enum ks_bank_cost)cost;
	e->status = (enum ks_bank_status)status;
	return rc;
}

static void entry_fini(struct ks_bank_entry *e)
{
	for (size_t i = 0; i < e->cue_count; i++) {
		free(e->cues[i].any);
	}
	free(e->cues);
	free(e->tools.item);
	free(e->tools_cpu.item);
	free(e->must_report.item);
	free(e->stale_when.item);
	free(e->arch_params.item);
	free(e->needs.item);
	free(e->needs_cpu.item);
	free(e->resources.item);
	free(e->provenance.item);
	ks_bank_dryruns_fini(e);
}

/* ---- files ---- */

struct ks_bank *ks_bank_new(void)
{
	return ks_zalloc(1, sizeof(struct ks_bank));
}

void ks_bank_free(struct ks_bank *bank)
{
	if (!bank) {
		return;
	}
	for (size_t i = 0; i < bank->count; i++) {
		entry_fini(&bank->entry[i]);
	}
	for (size_t i = 0; i < bank->docs; i++) {
		ks_bank_doc_free(bank->doc[i]);
	}
	free(bank->entry);
	free(bank->doc);
	free(bank->build);
	free(bank);
}

/* "match" of an operator file: the problems that it is for. */
static int read_match(struct ks_bank_reader *rd, const struct ks_json *doc, bool required,
	struct ks_bank_match *out)
{
	static const char *const keys[] = {"names", "tags", NULL};
	const struct ks_json *match = ks_json_get(doc, "match");
	int rc;

	if (!match) {
		return required ? ks_bank_bad(rd, "match", "expected {\"names\": [...], "
			"\"tags\": [...]}") : KS_OK;
	}
	snprintf(rd->path, sizeof(rd->path), "$.match");
	rc = ks_bank_known_keys(rd, match, keys);
	rc = rc ? rc : ks_bank_read_list(rd, match, "names", false, &out->names);
	rc = rc ? rc : ks_bank_read_list(rd, match, "tags", false, &out->tags);
	if (!rc && out->names.count + out->tags.count == 0) {
		rc = ks_bank_bad(rd, NULL, "names nothing");
	}
	snprintf(rd->path, sizeof(rd->path), "$");
	return rc;
}

static int read_head(struct ks_bank_reader *rd, const struct ks_json *doc, struct ks_bank_doc *out)
{
	static const char *const keys[] = {"format", "kind", "scope", "match", "group", "title",
		"about", "entries", NULL};
	static const char *const kinds[] = {"core", "arch", "operator", "user"};
	int kind = 0;
	int rc = ks_bank_known_keys(rd, doc, keys);

	if (!rc && ks_json_get_int(doc, "format", 0) != 1) {
		rc = ks_bank_bad(rd, "format", "expected 1");
	}
	rc = rc ? rc : ks_bank_read_word(rd, doc, "kind", kinds, 4, &kind);
	rc = rc ? rc : ks_bank_read_text(rd, doc, "scope", kind == 1 || kind == 2, &out->scope);
	rc = rc ? rc : read_match(rd, doc, kind == 2, &out->match);
	if (!rc && ks_json_type(ks_json_get(doc, "entries")) != KS_JSON_ARRAY) {
		rc = ks_bank_bad(rd, "entries", "expected a list");
	}
	out->kind = kinds[kind];
	return rc;
}

static int read_entries(struct ks_bank_reader *rd, struct ks_bank *bank, struct ks_bank_doc *own)
{
	const struct ks_json *list = ks_json_get(own->json, "entries");
	int rc = read_head(rd, own->json, own);
	size_t i = 0;

	if (rc) {
		return rc;
	}
	if (bank->count + ks_json_count(list) > ENTRIES_MAX) {
		return ks_err_set(rd->err, KS_ELIMIT, "%s: more than %d entries in the bank",
			rd->label, ENTRIES_MAX);
	}
	ks_grow(&bank->entry, &bank->cap, bank->count + ks_json_count(list) + 1,
		sizeof(*bank->entry));
	for (const struct ks_json *m = ks_json_first(list); m && !rc; m = ks_json_next(m)) {
		struct ks_bank_entry e = {.kind = own->kind, .scope = own->scope,
			.match = &own->match, .source = own->label};

		snprintf(rd->path, sizeof(rd->path), "$.entries[%zu]", i++);
		rc = read_entry(rd, m, own->json, &e);
		if (!rc && ks_bank_find(bank, ks_str_of(e.id))) {
			rc = ks_err_set(rd->err, KS_EEXISTS,
				"%s: %s.id: %s is there already, from %s", rd->label, rd->path,
				e.id, ks_bank_find(bank, ks_str_of(e.id))->source);
		}
		if (rc) {
			entry_fini(&e);
		} else {
			bank->entry[bank->count++] = e;
		}
	}
	return rc;
}

struct ks_bank_doc *ks_bank_doc_new(struct ks_str json, const char *label, struct ks_err *err)
{
	struct ks_json *doc = NULL;

	if (ks_json_parse(&doc, json.ptr, json.len, err) != KS_OK) {
		ks_err_prefix(err, "%s", label);
		return NULL;
	}
	struct ks_bank_doc *own = ks_zalloc(1, sizeof(*own));
	own->json = doc;
	own->label = ks_strdup(label);
	return own;
}

void ks_bank_doc_free(struct ks_bank_doc *doc)
{
	if (doc) {
		ks_json_free(doc->json);
		free(doc->label);
		free(doc->match.names.item);
		free(doc->match.tags.item);
		free(doc);
	}
}

void ks_bank_keep(struct ks_bank *bank, struct ks_bank_doc *doc)
{
	ks_grow(&bank->doc, &bank->doc_cap, bank->docs + 1, sizeof(*bank->doc));
	bank->doc[bank->docs++] = doc;
}

int ks_bank_load(struct ks_bank *bank, struct ks_str json, const char *label,
	struct ks_err *err)
{
	struct ks_bank_reader rd = {.label = label, .path = "$", .err = err};
	struct ks_bank_doc *own = ks_bank_doc_new(json, label, err);
	size_t before = bank->count;

	if (!own) {
		return KS_EINVAL;
	}
	int rc = read_entries(&rd, bank, own);
	if (rc) {
		while (bank->count > before) {
			entry_fini(&bank->entry[--bank->count]);
		}
		ks_bank_doc_free(own);
		return rc;
	}
	ks_bank_keep(bank, own);
	return KS_OK;
}

/* ---- looking up ---- */

size_t ks_bank_count(const struct ks_bank *bank)
{
	return bank ? bank->count : 0;
}

const struct ks_bank_entry *ks_bank_at(const struct ks_bank *bank, size_t i)
{
	assert(i < bank->count);
	return &bank->entry[i];
}

ptrdiff_t ks_bank_index(const struct ks_bank *bank, struct ks_str id)
{
	for (size_t i = 0; i < ks_bank_count(bank); i++) {
		const char *have = bank->entry[i].id;

		if (id.len == 0 || (have[0] | 32) != (id.ptr[0] | 32)) {
			continue;
		}
		if (strlen(have) == id.len && strncasecmp(have, id.ptr, id.len) == 0) {
			return (ptrdiff_t)i;
		}
	}
	return -1;
}

const struct ks_bank_entry *ks_bank_find(const struct ks_bank *bank,
	struct ks_str id)
{
	ptrdiff_t i = ks_bank_index(bank, id);

	return i < 0 ? NULL : &bank->entry[i];
}

const char *ks_bank_text(const struct ks_bank_entry *entry, unsigned target)
{
	return target == KS_BANK_CPU && entry->question_cpu ? entry->question_cpu :
		entry->question;
}

const struct ks_bank_list *ks_bank_tools(const struct ks_bank_entry *entry,
	unsigned target)
{
	return target == KS_BANK_CPU && entry->tools_cpu.count ? &entry->tools_cpu :
		&entry->tools;
}

/* A cpu wording has needs of its own, none unless it says so. */
const struct ks_bank_list *ks_bank_needs(const struct ks_bank_entry *entry,
	unsigned target)
{
	return target == KS_BANK_CPU ? &entry->needs_cpu : &entry->needs;
}
