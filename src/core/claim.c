/*
 * Claims by signs and forms: every sign that a sentence shows adds its weight
 * to its kind, the form of the sentence scales the kinds, and the strongest
 * kind that reaches ENOUGH is the claim. Two signs of one kind support each other
 * (the weaker counts half); the tables are in files of their own.
 *
 * Invariant: a sentence costs a bounded time; the result depends on nothing
 * but its text.
 */
#include "core/claim.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/regex.h"
#include "core/claim_impl.h"

#define ENOUGH 0.75

struct rule { /* a compiled pattern with its cheap test */
	struct ks_regex *re;
	struct claim_need need;
};

#define TABLES 4

struct ks_claim_set {
	struct rule *sign[TABLES], *form, *resource;
};

/* In the order in which equally strong kinds win: the rarer one is meant. */
static const struct {
	enum ks_claim_kind kind;
	const struct claim_table *table;
} kinds[TABLES] = {
	{KS_CLAIM_WIN, &claim_win_table},
	{KS_CLAIM_EXPLAINED, &claim_excuse_table},
	{KS_CLAIM_LIMIT, &claim_limit_table},
	{KS_CLAIM_COMPLETION, &claim_done_table},
};

/* A sentence on its way through the rules. */
struct reading {
	struct claim_plain plain;
	struct claim_grams grams;
};

static const char *const names[KS_CLAIMS] = {
	"none", "limit", "completion", "explained_away", "suspicious_win",
};

const char *ks_claim_name(enum ks_claim_kind kind)
{
	return (unsigned)kind < KS_CLAIMS ? names[kind] : names[0];
}

int ks_claim_of(struct ks_str name)
{
	for (int i = 0; i < KS_CLAIMS; i++) {
		if (ks_str_is(name, names[i])) {
			return i;
		}
	}
	return -1;
}

static int compile(struct rule *out, const char *pattern, struct ks_err *err)
{
	int rc = ks_regex_new(&out->re, pattern, 0, err);

	if (rc) {
		ks_err_prefix(err, "claim pattern \"%.60s\"", pattern);
		return rc;
	}
	claim_need_of(&out->need, pattern);
	return KS_OK;
}

int ks_claim_set_new(struct ks_claim_set **out, struct ks_err *err)
{
	struct ks_claim_set *set = ks_zalloc(1, sizeof(*set));
	int rc = KS_OK;

	set->form = ks_zalloc(claim_form_count, sizeof(*set->form));
	set->resource = ks_zalloc(claim_resource_count, sizeof(*set->resource));
	for (size_t t = 0; t < TABLES; t++) {
		const struct claim_table *table = kinds[t].table;

		set->sign[t] = ks_zalloc(table->count, sizeof(*set->sign[t]));
		for (size_t i = 0; i < table->count && !rc; i++) {
			rc = compile(&set->sign[t][i], table->sign[i].pattern, err);
		}
	}
	for (size_t i = 0; i < claim_form_count && !rc; i++) {
		rc = compile(&set->form[i], claim_forms[i].pattern, err);
	}
	for (size_t i = 0; i < claim_resource_count && !rc; i++) {
		rc = compile(&set->resource[i], claim_resources[i].pattern, err);
	}
	if (rc) {
		ks_claim_set_free(set);
		return rc;
	}
	*out = set;
	return KS_OK;
}

static void rules_free(struct rule *rules, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		ks_regex_free(rules[i].re);
	}
	free(rules);
}

void ks_claim_set_free(struct ks_claim_set *set)
{
	if (!set) {
		return;
	}
	for (size_t t = 0; t < TABLES; t++) {
		rules_free(set->sign[t], kinds[t].table->count);
	}
	rules_free(set->form, claim_form_count);
	rules_free(set->resource, claim_resource_count);
	free(set);
}

static void read_sentence(struct reading *out, struct ks_str sentence)
{
	claim_plain_of(&out->plain, sentence);
	claim_grams_of(&out->grams, &out->plain);
}

static bool matches(const struct reading *r, const struct rule *rule)
{
	return claim_need_met(&rule->need, &r->grams) &&
		ks_regex_match(rule->re, (struct ks_str){r->plain.text, r->plain.len}, 0,
			NULL);
}

static double table_score(const struct reading *r, const struct claim_table *table,
	const struct rule *rules)
{
	double first = 0, rest = 0;

	for (size_t i = 0; i < table->count; i++) {
		double weight = table->sign[i].weight;

		if (!matches(r, &rules[i])) {
			continue;
		}
		rest += weight > first ? first : weight;
		first = weight > first ? weight : first;
	}
	return first + rest / 2;
}

/* Figures speak for themselves: a tenfold fall of a time, or a factor of 20. */
static void add_figures(double score[KS_CLAIMS], const struct claim_plain *p)
{
	double gain = claim_largest_gain(p);

	if (gain >= 50) {
		score[KS_CLAIM_WIN] += 0.9;
	} else if (gain >= 20) {
		score[KS_CLAIM_WIN] += 0.7;
	} else if (gain >= 8) {
		score[KS_CLAIM_WIN] += 0.3;
	}
	score[KS_CLAIM_WIN] += gain >= 8 && p->shouted ? 0.4 : 0;
}

static void apply_forms(double score[KS_CLAIMS], const struct reading *r,
	const struct ks_claim_set *set)
{
	const struct claim_plain *p = &r->plain;

	for (size_t i = 0; i < claim_form_count; i++) {
		if (!matches(r, &set->form[i])) {
			continue;
		}
		for (int k = 0; k < KS_CLAIMS; k++) {
			score[k] *= claim_forms[i].factor[k];
		}
	}
	if (p->question) {
		/* asking to end is an end; asking anything else claims nothing */
		score[KS_CLAIM_LIMIT] *= 0.2;
		score[KS_CLAIM_EXPLAINED] *= 0.2;
		score[KS_CLAIM_WIN] *= 0.4;
	}
	score[KS_CLAIM_COMPLETION] *= p->open_box ? 0.1 : 1;
	const char *than = p->row ? strpbrk(p->text, "<>") : NULL;
	if (than && (than == p->text || than[-1] != '-')) {
		score[KS_CLAIM_LIMIT] *= 0.3; /* a table of rules */
	}
	if (p->quoted) {
		score[KS_CLAIM_LIMIT] *= 0.5;
		score[KS_CLAIM_COMPLETION] *= 0.5;
		score[KS_CLAIM_EXPLAINED] *= 0.5;
	}
}

static bool any_enough(const double score[KS_CLAIMS])
{
	for (int k = KS_CLAIM_NONE + 1; k < KS_CLAIMS; k++) {
		if (score[k] >= ENOUGH - 1e-9) {
			return true;
		}
	}
	return false;
}

void ks_claim_classify(struct ks_claim *out, const struct ks_claim_set *set,
	struct ks_str sentence)
{
	struct reading r;
	double score[KS_CLAIMS] = {0};

	*out = (struct ks_claim){.layer = KS_LAYER_NONE, .resource = "", .text = sentence};
	read_sentence(&r, sentence);
	if (r.plain.len == 0) {
		return;
	}
	for (size_t t = 0; t < TABLES; t++) {
		score[kinds[t].kind] = table_score(&r, kinds[t].table, set->sign[t]);
	}
	add_figures(score, &r.plain);
	if (!any_enough(score)) {
		return; /* forms only take away */
	}
	apply_forms(score, &r, set);
	for (size_t t = 0; t < TABLES; t++) {
		double s = score[kinds[t].kind];

		if (s >= ENOUGH - 1e-9 && s > out->score) {
			out->kind = kinds[t].kind;
			out->score = s;
		}
	}
	if (out->kind == KS_CLAIM_LIMIT) {
		out->resource = ks_claim_resource(set, sentence, &out->layer);
	}
}

const char *ks_claim_resource(const struct ks_claim_set *set,
	struct ks_str sentence, int *out_layer)
{
	struct reading r;

	read_sentence(&r, sentence);
	for (size_t i = 0; i < claim_resource_count; i++) {
		if (matches(&r, &set->resource[i])) {
			*out_layer = claim_resources[i].layer;
			return claim_resources[i].name;
		}
	}
	*out_layer = KS_LAYER_NONE;
	return "";
}

int ks_claim_resource_layer(struct ks_str name)
{
	for (size_t i = 0; i < claim_resource_count; i++) {
		if (ks_str_is(name, claim_resources[i].name)) {
			return claim_resources[i].layer;
		}
	}
	return KS_LAYER_NONE;
}

size_t ks_claim_scan(struct ks_claim *out, size_t max,
	const struct ks_claim_set *set, struct ks_str text)
{
	struct ks_str sentence;
	size_t n = 0;

	while (n < max && ks_claim_next_sentence(&text, &sentence)) {
		struct ks_claim claim;

		ks_claim_classify(&claim, set, sentence);
		if (claim.kind != KS_CLAIM_NONE) {
			out[n++] = claim;
		}
	}
	return n;
}
