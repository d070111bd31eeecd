/*
 * The mechanical admission rules of the bank, L1 to L14 (bank/README.md says
 * what each is for). All are string and schema checks: they read no meaning,
 * so passing them is needed and not enough.
 *
 * Invariants: a finding names its entry, rule and wording; the order of the
 * findings is that of the entries; linting changes nothing.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "core/bank_impl.h"
#include "core/bank_words.h"

#define WORDS_MAX 64
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* One wording under examination. */
struct wording {
	struct ks_lints *out;
	const struct ks_bank_entry *entry;
	const char *text;
	bool cpu;
	struct ks_str word[WORDS_MAX]; /* letters, digits, _ ' { } */
	size_t words;
};

void ks_lints_fini(struct ks_lints *lints)
{
	if (lints) {
		free(lints->item);
		*lints = (struct ks_lints){0};
	}
}

size_t ks_lints_errors(const struct ks_lints *lints)
{
	size_t n = 0;

	for (size_t i = 0; i < lints->count; i++) {
		n += lints->item[i].level == KS_LINT_ERROR;
	}
	return n;
}

static struct ks_lint *push(struct ks_lints *out, int rule, enum ks_lint_level level,
	const struct ks_bank_entry *entry, bool cpu)
{
	ks_grow(&out->item, &out->cap, out->count + 1, sizeof(*out->item));
	struct ks_lint *l = &out->item[out->count++];
	*l = (struct ks_lint){.rule = rule, .level = level, .cpu = cpu,
		.id = entry ? entry->id : NULL};
	return l;
}

static void find(struct ks_lints *out, int rule, const struct ks_bank_entry *entry,
	bool cpu, const char *fmt, ...) __attribute__((format(printf, 5, 6)));

static void find(struct ks_lints *out, int rule, const struct ks_bank_entry *entry,
	bool cpu, const char *fmt, ...)
{
	struct ks_lint *l = push(out, rule, KS_LINT_ERROR, entry, cpu);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(l->text, sizeof(l->text), fmt, ap);
	va_end(ap);
}

static void warn(struct wording *w, int rule, const char *what, struct ks_str word)
{
	struct ks_lint *l = push(w->out, rule,
		w->entry->reason ? KS_LINT_ACCEPTED : KS_LINT_WARNING, w->entry, w->cpu);

	snprintf(l->text, sizeof(l->text), what, KS_FMT(word));
}

/* ---- words ---- */

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '\'' || c == '{' ||
		c == '}' || c == '.';
}

static size_t cut_words(const char *text, struct ks_str out[WORDS_MAX])
{
	size_t n = 0;

	while (*text && n < WORDS_MAX) {
		while (*text && !in_word(*text)) {
			text++;
		}
		const char *start = text;
		while (in_word(*text)) {
			text++;
		}
		if (text > start) {
			out[n++] = (struct ks_str){start, (size_t)(text - start)};
		}
	}
	return n;
}

static bool same(struct ks_str a, const char *b)
{
	return a.len == strlen(b) && strncasecmp(a.ptr, b, a.len) == 0;
}

static bool starts(struct ks_str a, const char *stem)
{
	size_t len = strlen(stem);

	return a.len >= len && strncasecmp(a.ptr, stem, len) == 0;
}

/* A phrase of the lists: "word" matches it whole, "stem*" any word that begins
 * so, "two words" the two in a row (the last may be a stem). */
static bool phrase_at(const struct wording *w, size_t i, const char *phrase)
{
	while (*phrase) {
		const char *end = strchr(phrase, ' ');
		size_t len = end ? (size_t)(end - phrase) : strlen(phrase);
		char part[32];

		if (i >= w->words || len >= sizeof(part)) {
			return false;
		}
		memcpy(part, phrase, len);
		part[len] = '\0';
		bool stem = len && part[len - 1] == '*';
		part[len - stem] = '\0';
		if (stem ? !starts(w->word[i], part) : !same(w->word[i], part)) {
			return false;
		}
		i++;
		phrase += len + (end ? 1 : 0);
	}
	return true;
}

/* The first word of the wording that a NULL-terminated list speaks of. */
static bool first_of(const struct wording *w, const char *const *list,
	struct ks_str *out)
{
	for (size_t i = 0; i < w->words; i++) {
		for (const char *const *p = list; *p; p++) {
			if (phrase_at(w, i, *p)) {
				*out = w->word[i];
				return true;
			}
		}
	}
	return false;
}

static bool on_list(struct ks_str word, const char *const *list)
{
	for (; *list; list++) {
		if (same(word, *list)) {
			return true;
		}
	}
	return false;
}

static bool item_on_list(const char *item, const char *const *list)
{
	return on_list(ks_str_of(item), list);
}

/* ---- L1 to L9, L12: one wording ---- */

static void lint_form(struct wording *w)
{
	size_t len = strlen(w->text), marks = 0, stops = 0;

	for (size_t i = 0; i < len; i++) {
		marks += w->text[i] == '?';
		stops += (w->text[i] == '.' && (i + 1 == len || w->text[i + 1] == ' ')) ||
			w->text[i] == '!' || w->text[i] == ';';
	}
	if (marks != 1 || w->text[len - 1] != '?') {
		find(w->out, 1, w->entry, w->cpu,
			"%zu question marks: ask one thing, and end with it", marks);
	}
	if (stops) {
		find(w->out, 1, w->entry, w->cpu, "more than one sentence: ask one");
	}
	if (w->words > 34) {
		find(w->out, 1, w->entry, w->cpu, "%zu words: at most 34", w->words);
	} else if (w->words > 28) {
		warn(w, 1, "more than 28 words, to \"%.*s\": shorten", w->word[w->words - 1]);
	}
}

static void lint_start(struct wording *w)
{
	if (w->words == 0 || !on_list(w->word[0], ks_lint_starts)) {
		struct ks_str first = w->words ? w->word[0] : KS_STR("");

		find(w->out, 2, w->entry, w->cpu, "starts with \"%.*s\": ask what, which, "
			"how, where, does or is, or begin with the condition", KS_FMT(first));
	}
	for (size_t i = 1; i < w->words; i++) {
		const char *before = w->word[i].ptr;

		while (before > w->text && before[-1] == ' ') {
			before--;
		}
		if (before > w->text && strchr(",:;-", before[-1]) &&
		    before < w->word[i].ptr && on_list(w->word[i], ks_lint_imperatives)) {
			find(w->out, 2, w->entry, w->cpu,
				"\"%.*s\" gives an order: ask for the figure", KS_FMT(w->word[i]));
		}
	}
}

static void lint_lists(struct wording *w)
{
	struct ks_str word;
	bool op = strcmp(w->entry->kind, "operator") == 0;
	bool arch = strcmp(w->entry->kind, "arch") == 0;

	if (first_of(w, ks_lint_answers, &word)) {
		find(w->out, 3, w->entry, w->cpu, "\"%.*s\" carries an answer: name the "
			"place or the quantity", KS_FMT(word));
	}
	if (w->words && on_list(w->word[0], ks_lint_negatives)) {
		find(w->out, 3, w->entry, w->cpu, "begins with a negative: it suggests "
			"the answer");
	}
	if (first_of(w, ks_lint_references, &word)) {
		find(w->out, 5, w->entry, w->cpu, "\"%.*s\" is a reference: set it "
			"against a bound", KS_FMT(word));
	}
	if (!op && first_of(w, ks_lint_operators, &word)) {
		find(w->out, 6, w->entry, w->cpu, "\"%.*s\" names an operator: that "
			"belongs into an operator file", KS_FMT(word));
	}
	if (!arch && first_of(w, ks_lint_architectures, &word)) {
		find(w->out, 8, w->entry, w->cpu, "\"%.*s\" names an architecture: use a "
			"{parameter} or an arch file", KS_FMT(word));
	}
	if (first_of(w, ks_lint_numbers, &word)) {
		find(w->out, 9, w->entry, w->cpu, "\"%.*s\" is a number: a threshold is "
			"an answer", KS_FMT(word));
	}
	if (first_of(w, ks_lint_loaded, &word)) {
		warn(w, 12, "\"%.*s\" is not neutral: drop it or record a reason", word);
	}
}

static bool has_text(const char *hay, const char *needle)
{
	return ks_str_find(ks_str_of(hay), ks_str_of(needle)) >= 0;
}

static void lint_bound(struct wording *w)
{
	const char *bound = w->cpu && w->entry->bound_cpu ? w->entry->bound_cpu :
		w->entry->bound;
	bool known = false, named = false;

	for (const struct ks_lint_bound *b = ks_lint_bounds; b->name; b++) {
		if (strcmp(b->name, bound) != 0) {
			continue;
		}
		known = true;
		for (size_t i = 0; i < COUNT(b->forms) && b->forms[i]; i++) {
			named = named || has_text(w->text, b->forms[i]);
		}
	}
	if (!known) {
		find(w->out, 4, w->entry, w->cpu, "the bound \"%.60s\" is not on the list",
			bound);
	} else if (!named) {
		find(w->out, 4, w->entry, w->cpu, "the text does not name its bound, %.60s",
			bound);
	}
}

static void lint_params(struct wording *w)
{
	struct ks_str text = ks_str_of(w->text), key;
	size_t at = 0, start;

	while (ks_bank_placeholder(text, at, &start, &key)) {
		at = start + key.len + 2;
		bool listed = false;

		for (size_t i = 0; i < w->entry->arch_params.count; i++) {
			listed = listed || ks_str_is(key, w->entry->arch_params.item[i]);
		}
		if (!ks_bank_fallback(key)) {
			find(w->out, 8, w->entry, w->cpu, "{%.*s} is no parameter", KS_FMT(key));
		} else if (!listed) {
			find(w->out, 8, w->entry, w->cpu, "{%.*s} is not in arch_params",
				KS_FMT(key));
		}
	}
	for (size_t i = 0; i < text.len; i++) {
		bool digit = isdigit((unsigned char)text.ptr[i]);
		bool level = digit && i > 0 && text.ptr[i - 1] == 'L' &&
			(i < 2 || !isalnum((unsigned char)text.ptr[i - 2])) &&
			(i + 1 == text.len || !isalnum((unsigned char)text.ptr[i + 1]));
		size_t open = i;

		while (open > 0 && text.ptr[open] != '{' && text.ptr[open] != '}') {
			open--;
		}
		if (digit && !level && text.ptr[open] != '{') {
			find(w->out, 9, w->entry, w->cpu, "holds a digit: a threshold is an "
				"answer");
			break;
		}
	}
}

static void lint_wording(struct ks_lints *out, const struct ks_bank_entry *entry,
	const char *text, bool cpu)
{
	struct wording w = {.out = out, .entry = entry, .text = text, .cpu = cpu};

	w.words = cut_words(text, w.word);
	lint_form(&w);
	lint_start(&w);
	lint_lists(&w);
	lint_bound(&w);
	lint_params(&w);
}

/* ---- L7, L10: the record ---- */

static void lint_tools(struct ks_lints *out, const struct ks_bank_entry *e,
	enum ks_bank_target target)
{
	const struct ks_bank_list *tools = ks_bank_tools(e, target);
	bool measures = false;

	for (size_t i = 0; i < tools->count; i++) {
		const struct ks_lint_tool *t = ks_lint_tools;

		while (t->name && strcmp(t->name, tools->item[i]) != 0) {
			t++;
		}
		if (!t->name) {
			find(out, 7, e, target == KS_BANK_CPU, "no stock tool: \"%.40s\"",
				tools->item[i]);
		}
		measures = measures || (t->name && (t->targets & target) && t->measures);
	}
	if (!measures) {
		find(out, 7, e, target == KS_BANK_CPU, "no tool on the list measures this "
			"on target %s", target == KS_BANK_CPU ? "cpu" : "cuda");
	}
}

static void lint_evidence(struct ks_lints *out, const struct ks_bank_entry *e)
{
	struct wording w = {.entry = e, .text = e->quantity};
	struct ks_str word;
	bool value = false, unit = false;

	w.words = cut_words(e->quantity, w.word);
	if (!first_of(&w, ks_lint_quantities, &word)) {
		find(out, 7, e, false, "the quantity \"%.60s\" names no unit, count or ratio",
			e->quantity);
	}
	for (size_t i = 0; i < e->must_report.count; i++) {
		value = value || strcmp(e->must_report.item[i], "value") == 0;
		unit = unit || strcmp(e->must_report.item[i], "unit") == 0;
	}
	if (!value || !unit) {
		find(out, 7, e, false, "must_report needs \"value\" and \"unit\"");
	}
	if (e->targets & KS_BANK_CUDA) {
		lint_tools(out, e, KS_BANK_CUDA);
	}
	if (e->targets & KS_BANK_CPU) {
		lint_tools(out, e, KS_BANK_CPU);
	}
}

static bool is_row(const char *row)
{
	static const int last[KS_LAYERS] = { /* rows of each letter in the survey */
		[KS_LAYER_V] = 28, [KS_LAYER_H] = 23, [KS_LAYER_C] = 9,
		[KS_LAYER_R] = 14, [KS_LAYER_G] = 16, [KS_LAYER_M] = 21,
		[KS_LAYER_S] = 18, [KS_LAYER_P] = 12, [KS_LAYER_O] = 18,
		[KS_LAYER_X] = 13,
	};
	int layer = ks_layer_of_letter(row[0]);

	if (layer == KS_LAYER_NONE || strlen(row) != 3 ||
	    !isdigit((unsigned char)row[1]) || !isdigit((unsigned char)row[2])) {
		return strncmp(row, "log:", 4) == 0 && row[4]; /* an event of a log */
	}
	int n = (row[1] - '0') * 10 + row[2] - '0';
	return n >= 1 && n <= last[layer];
}

static void lint_words(struct ks_lints *out, const struct ks_bank_entry *e,
	const struct ks_bank_list *list, const char *const *known, const char *field)
{
	for (size_t i = 0; i < list->count; i++) {
		struct ks_str rest = ks_str_of(list->item[i]), one;

		while (ks_str_next(&rest, '|', &one)) {
			if (!on_list(one, known)) {
				find(out, 10, e, false, "%s: \"%.*s\" is not on the list", field,
					KS_FMT(one));
			}
		}
	}
}

static void lint_record(struct ks_lints *out, const struct ks_bank_entry *e)
{
	bool core = strcmp(e->kind, "core") == 0;

	if (core && !(strlen(e->id) == 4 && e->id[0] == ks_layer_letter(e->group) &&
	    e->id[1] == '-' && isdigit((unsigned char)e->id[2]) &&
	    isdigit((unsigned char)e->id[3]))) {
		find(out, 10, e, false, "a core id is the group's letter and two digits");
	}
	if (core && e->provenance.count == 0) {
		find(out, 10, e, false, "a core entry needs its provenance");
	}
	for (size_t i = 0; i < e->provenance.count; i++) {
		if (core && !is_row(e->provenance.item[i])) {
			find(out, 10, e, false, "provenance: there is no row \"%.20s\"",
				e->provenance.item[i]);
		}
	}
	if (!core && strcmp(e->kind, "user") != 0 && !e->refines) {
		find(out, 10, e, false, "names no core entry that it refines");
	}
	if (e->stale_when.count == 0) {
		find(out, 10, e, false, "stale_when is empty: say when an answer is old");
	}
	lint_words(out, e, &e->stale_when, ks_lint_stale, "stale_when");
	lint_words(out, e, &e->needs, ks_lint_needs, "needs");
	lint_words(out, e, &e->needs_cpu, ks_lint_needs, "cpu.needs");
	for (size_t i = 0; i < e->cue_count; i++) {
		if (e->cues[i].kind == KS_CUE_NUMBER &&
		    !item_on_list(e->cues[i].name, ks_lint_figures)) {
			find(out, 10, e, false, "cues: no figure \"%.40s\"", e->cues[i].name);
		}
	}
	for (size_t i = 0; i < e->arch_params.count; i++) {
		char braced[48];

		snprintf(braced, sizeof(braced), "{%.40s}", e->arch_params.item[i]);
		if (!has_text(e->question, braced) &&
		    !(e->question_cpu && has_text(e->question_cpu, braced))) {
			find(out, 8, e, false, "arch_params: %s is not in the text", braced);
		}
	}
}

void ks_bank_lint_entry(struct ks_lints *out, const struct ks_bank_entry *entry)
{
	lint_wording(out, entry, entry->question, false);
	if (entry->question_cpu) {
		lint_wording(out, entry, entry->question_cpu, true);
	} else if (entry->bound_cpu) {
		lint_wording(out, entry, entry->question, true);
	}
	lint_evidence(out, entry);
	lint_record(out, entry);
}

/* ---- L11, L13, L14: the bank ---- */

static size_t common_words(const struct ks_str *a, size_t na, const struct ks_str *b,
	size_t nb)
{
	size_t n = 0;

	for (size_t i = 0; i < na; i++) {
		for (size_t k = 0; k < nb; k++) {
			if (a[i].len == b[k].len &&
			    strncasecmp(a[i].ptr, b[k].ptr, a[i].len) == 0) {
				n++;
				break;
			}
		}
	}
	return n;
}

/* Distinct words, so that sets are compared. */
static size_t word_set(const char *text, struct ks_str out[WORDS_MAX])
{
	struct ks_str all[WORDS_MAX];
	size_t n = cut_words(text, all), kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (common_words(&all[i], 1, out, kept) == 0) {
			out[kept++] = all[i];
		}
	}
	return kept;
}

/* Files of one kind with different scopes are never loaded together. */
static bool never_meet(const struct ks_bank_entry *a, const struct ks_bank_entry *b)
{
	return a->scope && b->scope && strcmp(a->kind, b->kind) == 0 &&
		strcmp(a->scope, b->scope) != 0;
}

static bool refines(const struct ks_bank_entry *a, const struct ks_bank_entry *b)
{
	return (a->refines && strcasecmp(a->refines, b->id) == 0) ||
		(b->refines && strcasecmp(b->refines, a->id) == 0);
}

/* Half of the words is too much; two thirds where one refines the other. */
static void lint_pair(struct ks_lints *out, const struct ks_bank_entry *a,
	const struct ks_bank_entry *b, enum ks_bank_target target)
{
	struct ks_str wa[WORDS_MAX], wb[WORDS_MAX];

	if (!(a->targets & b->targets & target)) {
		return;
	}
	size_t na = word_set(ks_bank_text(a, target), wa);
	size_t nb = word_set(ks_bank_text(b, target), wb);
	size_t both = common_words(wa, na, wb, nb), all = na + nb - both;
	if (refines(a, b) ? 3 * both >= 2 * all : 2 * both >= all) {
		find(out, 11, b, target == KS_BANK_CPU, "shares %zu of %zu words with %s: "
			"ask something else", both, all, a->id);
	}
}

static void lint_distinct(struct ks_lints *out, const struct ks_bank *bank)
{
	size_t n = ks_bank_count(bank);

	for (size_t i = 0; i < n; i++) {
		const struct ks_bank_entry *b = ks_bank_at(bank, i);

		for (size_t k = 0; k < i; k++) {
			const struct ks_bank_entry *a = ks_bank_at(bank, k);

			if (never_meet(a, b)) {
				continue;
			}
			lint_pair(out, a, b, KS_BANK_CUDA);
			if (a->question_cpu || b->question_cpu ||
			    !(a->targets & b->targets & KS_BANK_CUDA)) {
				lint_pair(out, a, b, KS_BANK_CPU);
			}
			if (!refines(a, b) && a->group == b->group &&
			    strcmp(a->bound, b->bound) == 0 &&
			    strcasecmp(a->quantity, b->quantity) == 0) {
				find(out, 11, b, false, "same quantity and bound as %s", a->id);
			}
		}
	}
}

static void lint_counts(struct ks_lints *out, const struct ks_bank *bank)
{
	static const size_t sizes[KS_LAYERS] = {13, 12, 9, 9, 10, 11, 9, 9, 10, 9};
	static const size_t least[KS_POINTS] = {10, 60, 20, 8, 8, 8};
	size_t group[KS_LAYERS] = {0}, cpu[KS_LAYERS] = {0}, point[KS_POINTS] = {0};
	size_t all = 0, all_cpu = 0;

	for (size_t i = 0; i < ks_bank_count(bank); i++) {
		const struct ks_bank_entry *e = ks_bank_at(bank, i);

		if (strcmp(e->kind, "core") != 0 || e->status == KS_BANK_RETIRED) {
			continue;
		}
		all++;
		group[e->group]++;
		cpu[e->group] += (e->targets & KS_BANK_CPU) != 0;
		all_cpu += (e->targets & KS_BANK_CPU) != 0;
		for (int p = 0; p < KS_POINTS; p++) {
			point[p] += (e->points >> p) & 1;
		}
	}
	if (all != 101) {
		find(out, 13, NULL, false, "%zu core entries, 101 expected", all);
	}
	for (int g = 0; g < KS_LAYERS; g++) {
		if (group[g] != sizes[g]) {
			find(out, 13, NULL, false, "group %c has %zu entries, %zu expected",
				ks_layer_letter(g), group[g], sizes[g]);
		}
		if (cpu[g] < 3) {
			find(out, 13, NULL, true, "group %c serves cpu with %zu entries, at "
				"least 3 expected", ks_layer_letter(g), cpu[g]);
		}
	}
	if (all_cpu < 45) {
		find(out, 13, NULL, true, "%zu entries serve cpu, at least 45 expected", all_cpu);
	}
	for (int p = 0; p < KS_POINTS; p++) {
		if (point[p] < least[p]) {
			find(out, 13, NULL, false, "%zu entries for the moment %s, at least %zu "
				"expected", point[p], ks_point_name((enum ks_point)p), least[p]);
		}
	}
}

static const char *gap_of(const struct ks_bank_entry *e, unsigned target)
{
	for (size_t i = 0; i < e->gap_count; i++) {
		if (strcmp(e->gaps[i].target, ks_bank_target_name(target)) == 0) {
			return e->gaps[i].why;
		}
	}
	return NULL;
}

/* L14 of one target: whether a run is stored. */
static bool lint_run(struct ks_lints *out, const struct ks_bank_entry *e, unsigned target)
{
	const char *why = gap_of(e, target);

	if (!(e->targets & target) || ks_bank_run(e, target)) {
		return true;
	}
	struct ks_lint *l = push(out, 14, why ? KS_LINT_ACCEPTED : KS_LINT_OPEN, e,
		target == KS_BANK_CPU);
	snprintf(l->text, sizeof(l->text), "%s%.120s", why ? "not run: " : "no stored run for "
		"target ", why ? why : ks_bank_target_name(target));
	return false;
}

static void lint_runs(struct ks_lints *out, const struct ks_bank_entry *e)
{
	bool cuda = lint_run(out, e, KS_BANK_CUDA);
	bool cpu = lint_run(out, e, KS_BANK_CPU);

	if ((e->status == KS_BANK_DRY_RUN && e->run_count == 0) ||
	    (e->status == KS_BANK_ADMITTED && !(cuda && cpu))) {
		find(out, 14, e, false, "status %s, but %s", ks_bank_status_name(e->status),
			e->run_count == 0 ? "no run is stored" : "a target has no run");
	}
}

void ks_bank_lint(struct ks_lints *out, const struct ks_bank *bank, bool with_runs)
{
	for (size_t i = 0; i < ks_bank_count(bank); i++) {
		const struct ks_bank_entry *e = ks_bank_at(bank, i);

		ks_bank_lint_entry(out, e);
		if (e->refines && !ks_bank_find(bank, ks_str_of(e->refines))) {
			find(out, 10, e, false, "refines %.15s, which is not there", e->refines);
		}
		if (with_runs) {
			lint_runs(out, e);
		}
	}
	lint_distinct(out, bank);
	lint_counts(out, bank);
}
