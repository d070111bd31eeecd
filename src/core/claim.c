/*
 * Claims by signs and forms: every sign that a sentence shows adds its weight
 * to its kind, the form of the sentence scales the kinds, and the strongest
 * kind of at least 1 is the claim. Two signs of one kind support each other
 * (the weaker counts half); the tables are in claim_patterns.c.
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

struct ks_claim_set {
	struct rule *sign, *form, *resource;
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

	set->sign = ks_zalloc(claim_sign_count, sizeof(*set->sign));
	set->form = ks_zalloc(claim_form_count, sizeof(*set->form));
	set->resource = ks_zalloc(claim_resource_count, sizeof(*set->resource));
	for (size_t i = 0; i < claim_sign_count && !rc; i++) {
		rc = compile(&set->sign[i], claim_signs[i].pattern, err);
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
	rules_free(set->sign, claim_sign_count);
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

static void add_signs(double score[KS_CLAIMS], const struct reading *r,
	const struct ks_claim_set *set)
{
	double first[KS_CLAIMS] = {0}, rest[KS_CLAIMS] = {0};

	for (size_t i = 0; i < claim_sign_count; i++) {
		const struct claim_sign *s = &claim_signs[i];

		if (!matches(r, &set->sign[i])) {
			continue;
		}
		if (s->weight > first[s->kind]) {
			rest[s->kind] += first[s->kind];
			first[s->kind] = s->weight;
		} else {
			rest[s->kind] += s->weight;
		}
	}
	for (int k = 0; k < KS_CLAIMS; k++) {
		score[k] = first[k] + rest[k] / 2;
	}
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

void ks_claim_classify(struct ks_claim *out, const struct ks_claim_set *set,
	struct ks_str sentence)
{
	struct reading r;
	double score[KS_CLAIMS] = {0};
	/* where two kinds are equally strong, the rarer one is meant */
	static const enum ks_claim_kind order[] = {
		KS_CLAIM_WIN, KS_CLAIM_EXPLAINED, KS_CLAIM_LIMIT, KS_CLAIM_COMPLETION,
	};

	*out = (struct ks_claim){.layer = KS_LAYER_NONE, .resource = "", .text = sentence};
	read_sentence(&r, sentence);
	if (r.plain.len == 0) {
		return;
	}
	add_signs(score, &r, set);
	add_figures(score, &r.plain);
	apply_forms(score, &r, set);
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		double s = score[order[i]];

		if (s >= ENOUGH - 1e-9 && s > out->score) {
			out->kind = order[i];
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
