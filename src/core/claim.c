/*
 * Claims by what a sentence is made of. Classes of words, phrases and figures,
 * two by two, and the marks of the sentence speak for and against each kind of
 * claim by fitted weights (claim_weights.c). So do signs, patterns for ways of
 * speaking (two of one kind support each other, the weaker counting half), and
 * forms (conditions, plans, denials ...), which make signs worth less. The kind
 * with the most above none is the claim.
 *
 * Patterns are dear: they are compiled at their first use, and not tried at all
 * on a sentence that no sign could make a claim.
 *
 * Invariant: a sentence costs a bounded time; the result depends on nothing
 * but its text.
 */
#include "core/claim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/regex.h"
#include "core/claim_impl.h"

#define ENOUGH 0.75
#define SOME 0.4
#define SURE 3.0
#define SURE_SPOKEN 1.0 /* where a way of speaking says it too */
#define FORM_COST 96 /* of a form that denies, in units of 1 / CLAIM_SCALE */

struct rule { /* a pattern with its cheap test */
	const char *pattern;
	struct ks_regex *re; /* NULL until it is needed */
	struct claim_need need;
};

#define TABLES 4

struct ks_claim_set {
	struct claim_lexicon *lexicon;
	struct rule *sign[TABLES], *form, *resource;
	short (*pair)[KS_CLAIMS - 1];   /* by a * CLAIM_CLASSES + b */
	short single[CLAIM_SINGLES][KS_CLAIMS - 1];
	signed char (*stem)[KS_CLAIMS - 1]; /* by bucket */
	int most[KS_CLAIMS - 1];        /* that signs and forms can add */
};

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
	struct claim_parts parts;
	struct claim_stems stems;
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

static struct rule *rules_new(size_t count)
{
	return ks_zalloc(count, sizeof(struct rule));
}

static void rule_init(struct rule *out, const char *pattern)
{
	out->pattern = pattern;
	claim_need_of(&out->need, pattern);
}

static void take_stems(struct ks_claim_set *set)
{
	signed char value[256] = {0};

	for (int i = 0; CLAIM_STEM_DIGITS[i]; i++) {
		value[(unsigned char)CLAIM_STEM_DIGITS[i]] = (signed char)(i - CLAIM_STEM_ZERO);
	}
	set->stem = ks_zalloc(CLAIM_STEM_BUCKETS, sizeof(set->stem[0]));
	for (size_t b = 0; b < CLAIM_STEM_BUCKETS; b++) {
		const char *digits = claim_stem_rows[b / CLAIM_STEM_ROW] +
			b % CLAIM_STEM_ROW * (KS_CLAIMS - 1);

		for (int k = 0; k < KS_CLAIMS - 1; k++) {
			set->stem[b][k] = value[(unsigned char)digits[k]];
		}
	}
}

/* Weights as they are looked up, and what patterns can add at the most. */
static void take_weights(struct ks_claim_set *set)
{
	set->pair = ks_zalloc((size_t)CLAIM_CLASSES * CLAIM_CLASSES, sizeof(set->pair[0]));
	for (size_t i = 0; i < claim_pair_count; i++) {
		const struct claim_pair *p = &claim_pairs[i];

		for (int k = 0; k < KS_CLAIMS - 1; k++) {
			set->pair[p->a * CLAIM_CLASSES + p->b][k] = p->weight[k];
		}
	}
	for (size_t i = 0; i < claim_single_count; i++) {
		for (int k = 0; k < KS_CLAIMS - 1; k++) {
			set->single[claim_singles[i].feature][k] = claim_singles[i].weight[k];
		}
	}
	for (int f = CLAIM_SIGN; f < CLAIM_SINGLES; f++) {
		for (int k = 0; k < KS_CLAIMS - 1; k++) {
			set->most[k] += set->single[f][k] > 0 ? set->single[f][k] : 0;
		}
	}
}

struct ks_claim_set *ks_claim_set_new(void)
{
	struct ks_claim_set *set = ks_zalloc(1, sizeof(*set));

	set->lexicon = claim_lexicon_new();
	set->form = rules_new(claim_form_count);
	set->resource = rules_new(claim_resource_count);
	for (size_t t = 0; t < TABLES; t++) {
		const struct claim_table *table = kinds[t].table;

		set->sign[t] = rules_new(table->count);
		for (size_t i = 0; i < table->count; i++) {
			rule_init(&set->sign[t][i], table->sign[i].pattern);
		}
	}
	for (size_t i = 0; i < claim_form_count; i++) {
		rule_init(&set->form[i], claim_forms[i].pattern);
	}
	for (size_t i = 0; i < claim_resource_count; i++) {
		rule_init(&set->resource[i], claim_resources[i].pattern);
	}
	take_weights(set);
	take_stems(set);
	return set;
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
	claim_lexicon_free(set->lexicon);
	free(set->pair);
	free(set->stem);
	free(set);
}

/* A pattern of ours that does not compile is a defect of the tables: tests
 * compile each. It matches nothing. */
static bool matches(const struct reading *r, struct rule *rule)
{
	if (!claim_need_met(&rule->need, &r->grams)) {
		return false;
	}
	if (!rule->re && ks_regex_new(&rule->re, rule->pattern, 0, NULL) != KS_OK) {
		return false;
	}
	return ks_regex_match(rule->re, (struct ks_str){r->plain.text, r->plain.len}, 0, NULL);
}

static double table_score(const struct reading *r, const struct claim_table *table,
	struct rule *rules)
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

static bool is_denying(double factor)
{
	return factor < 0.5;
}

/* What the patterns say of it, as features. */
static void add_signs(struct reading *r, const struct ks_claim_set *set)
{
	double score[KS_CLAIMS] = {0}, factor[KS_CLAIMS] = {1, 1, 1, 1, 1};

	claim_grams_of(&r->grams, &r->plain);
	for (size_t t = 0; t < TABLES; t++) {
		score[kinds[t].kind] = table_score(r, kinds[t].table, set->sign[t]);
	}
	add_figures(score, &r->plain);
	apply_forms(factor, r, set);
	for (int k = 1; k < KS_CLAIMS; k++) {
		double s = score[k] * factor[k];

		r->parts.has[CLAIM_SIGN + 2 * (k - 1)] = s >= SOME && s < ENOUGH - 1e-9;
		r->parts.has[CLAIM_SIGN + 2 * (k - 1) + 1] = s >= ENOUGH - 1e-9;
		r->parts.has[CLAIM_FORM + k - 1] = is_denying(factor[k]);
	}
}

static void add_singles(int sum[KS_CLAIMS - 1], const struct reading *r,
	const struct ks_claim_set *set, int from, int to)
{
	const unsigned char *has = r->parts.has, *at = has + from;

	/* few of some hundred are there */
	while ((at = memchr(at, 1, (size_t)(has + to - at))) != NULL) {
		for (int k = 0; k < KS_CLAIMS - 1; k++) {
			sum[k] += set->single[at - has][k];
		}
		at++;
	}
}

static void add_pairs(int sum[KS_CLAIMS - 1], const struct reading *r,
	const struct ks_claim_set *set)
{
	for (size_t i = 0; i < r->parts.count; i++) {
		for (size_t j = i + 1; j < r->parts.count; j++) {
			const short *w = set->pair[r->parts.set[i] * CLAIM_CLASSES +
				r->parts.set[j]];

			for (int k = 0; k < KS_CLAIMS - 1; k++) {
				sum[k] += w[k];
			}
		}
	}
}

static void add_stems(int sum[KS_CLAIMS - 1], const struct claim_stems *stems,
	const struct ks_claim_set *set)
{
	int all[KS_CLAIMS - 1] = {0};
	double share = CLAIM_STEM_UNIT / sqrt(stems->count ? (double)stems->count : 1);

	for (size_t i = 0; i < stems->count; i++) {
		for (int k = 0; k < KS_CLAIMS - 1; k++) {
			all[k] += set->stem[stems->bucket[i]][k];
		}
	}
	for (int k = 0; k < KS_CLAIMS - 1; k++) {
		sum[k] += (int)lround(all[k] * share);
	}
}

/* Whether patterns could still make it a claim. */
static bool is_open(const int sum[KS_CLAIMS - 1], const struct ks_claim_set *set)
{
	for (int k = 0; k < KS_CLAIMS - 1; k++) {
		if (sum[k] + set->most[k] > 0) {
			return true;
		}
	}
	return false;
}

void claim_features_of(struct claim_parts *out, struct claim_stems *stems,
	const struct ks_claim_set *set, struct ks_str sentence)
{
	struct reading r;

	claim_plain_of(&r.plain, sentence);
	claim_parts_of(&r.parts, set->lexicon, &r.plain);
	add_signs(&r, set);
	claim_stems_of(stems, &r.plain);
	*out = r.parts;
}

void ks_claim_classify(struct ks_claim *out, const struct ks_claim_set *set,
	struct ks_str sentence)
{
	struct reading r;
	int sum[KS_CLAIMS - 1];
	int best = 0;

	*out = (struct ks_claim){.layer = KS_LAYER_NONE, .resource = "", .text = sentence};
	claim_plain_of(&r.plain, sentence);
	if (r.plain.len == 0) {
		return;
	}
	claim_parts_of(&r.parts, set->lexicon, &r.plain);
	for (int k = 0; k < KS_CLAIMS - 1; k++) {
		sum[k] = claim_bias[k];
	}
	add_singles(sum, &r, set, 0, CLAIM_SIGN);
	add_pairs(sum, &r, set);
	claim_stems_of(&r.stems, &r.plain);
	add_stems(sum, &r.stems, set);
	if (!is_open(sum, set)) {
		return;
	}
	add_signs(&r, set);
	add_singles(sum, &r, set, CLAIM_SIGN, CLAIM_SINGLES);
	for (int k = 0; k < KS_CLAIMS - 1; k++) {
		sum[k] -= r.parts.has[CLAIM_FORM + k] ? FORM_COST : 0;
	}
	for (int k = 1; k < KS_CLAIMS - 1; k++) {
		best = sum[k] > sum[best] ? k : best;
	}
	if (sum[best] > 0) {
		out->kind = (enum ks_claim_kind)(best + 1);
		out->score = sum[best] / CLAIM_SCALE;
		out->spoken = r.parts.has[CLAIM_SIGN + 2 * best + 1];
	}
	if (out->kind == KS_CLAIM_LIMIT) {
		out->resource = ks_claim_resource(set, sentence, &out->layer);
	}
}

const char *ks_claim_resource(const struct ks_claim_set *set,
	struct ks_str sentence, int *out_layer)
{
	struct reading r;

	claim_plain_of(&r.plain, sentence);
	claim_grams_of(&r.grams, &r.plain);
	for (size_t i = 0; i < claim_resource_count; i++) {
		if (matches(&r, &set->resource[i])) {
			*out_layer = claim_resources[i].layer;
			return claim_resources[i].name;
		}
	}
	*out_layer = KS_LAYER_NONE;
	return "";
}

bool ks_claim_is_sure(const struct ks_claim *claim)
{
	return claim->kind != KS_CLAIM_NONE &&
		claim->score >= (claim->spoken ? SURE_SPOKEN : SURE);
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

	while (max > 0 && ks_claim_next_sentence(&text, &sentence)) {
		struct ks_claim claim;

		ks_claim_classify(&claim, set, sentence);
		if (claim.kind == KS_CLAIM_NONE) {
			continue;
		}
		if (n == max) {
			memmove(out, out + 1, --n * sizeof(*out));
		}
		out[n++] = claim;
	}
	return n;
}
