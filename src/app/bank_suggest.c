/* kseek bank suggest: what would be offered at a point of a log, and why. */
#include "app/bank_ask.h"
#include "app/common.h"
#include "app/rules.h"
#include "base/mem.h"
#include "core/offer.h"

#define RUNNERS_UP 7 /* shown behind the offers */

struct ranked {
	size_t index;
	struct ks_rank_terms terms;
};

struct answer { /* all that is shown */
	struct ks_found found;
	struct ks_offer_ground ground;
	struct ks_rank_offer offers[KS_RANK_OFFERS];
	size_t n_offers;
	struct ranked *ranked; /* every entry that may be asked, best first; owned */
	size_t n_ranked;
	size_t needs;          /* entries of this moment that the machine cannot answer */
};

static int by_score(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->terms.total != y->terms.total) {
		return x->terms.total < y->terms.total ? 1 : -1;
	}
	return x->index < y->index ? -1 : x->index > y->index;
}

/* The moment to rank for: its kind as asked, else that of the open one. */
static int found_of(struct ks_found *out, const struct ks_state *state, const char *kind,
	struct ks_err *err)
{
	const struct ks_moment *open = ks_state_open_moment(state);

	*out = (struct ks_found){.kind = KS_MOMENT_PLATEAU, .layer = KS_LAYER_NONE};
	if (kind != NULL) {
		out->kind = ks_moment_from_name(kind);
	} else if (open != NULL) {
		out->kind = open->kind;
	}
	if (out->kind == KS_MOMENT_NONE) {
		return ks_err_set(err, KS_EINVAL,
			"suggest: no moment '%.40s'; use start, plateau, limit, "
			"completion, win or break", kind);
	}
	if (open != NULL && open->kind == out->kind) {
		snprintf(out->resource, sizeof(out->resource), "%s", open->resource);
		out->layer = ks_claim_resource_layer(ks_str_of(open->resource));
	}
	return 0;
}

static void answer_init(struct answer *a, const struct ks_state *state,
	const struct ks_policy *policy)
{
	size_t n = ks_bank_count(policy->bank);

	ks_offer_ground_init(&a->ground, state, policy, &a->found);
	a->n_offers = ks_rank_offers(a->offers, &a->ground.in);
	a->ranked = ks_zalloc(n > 0 ? n : 1, sizeof(a->ranked[0]));
	for (size_t i = 0; i < n; i++) {
		struct ks_rank_terms terms;
		if (ks_rank_score(&terms, &a->ground.in, i)) {
			a->ranked[a->n_ranked++] = (struct ranked){i, terms};
		} else {
			a->needs += ks_rank_hidden_by_needs(&a->ground.in, i) ? 1 : 0;
		}
	}
	qsort(a->ranked, a->n_ranked, sizeof(a->ranked[0]), by_score);
}

static void answer_fini(struct answer *a)
{
	ks_offer_ground_fini(&a->ground);
	free(a->ranked);
}

static bool is_offered(const struct answer *a, size_t index)
{
	for (size_t i = 0; i < a->n_offers; i++) {
		if (a->offers[i].index == index) {
			return true;
		}
	}
	return false;
}

#define LEFT 10
#define RIGHT 80

static void print_terms(const struct ks_rank_terms *terms)
{
	struct ks_buf line = {0};

	ks_rank_explain(&line, terms);
	ks_put_wrapped(stdout, line.ptr, LEFT, RIGHT);
	ks_buf_fini(&line);
}

static void print_offer(int number, const struct ks_offer *offer,
	const struct ks_rank_offer *ranked, enum ks_point point)
{
	printf("%d %-*s", number, LEFT - 2, offer->question);
	ks_put_wrapped(stdout, offer->text, LEFT, RIGHT);
	printf("  %-*s", LEFT - 2, "rule");
	ks_put_wrapped(stdout, ks_rank_slot(point, ranked->slot), LEFT, RIGHT);
	printf("  %-*s", LEFT - 2, "why");
	ks_put_wrapped(stdout, offer->reason, LEFT, RIGHT);
	printf("  %-*s", LEFT - 2, "score");
	print_terms(&ranked->terms);
}

static void print_text(const struct answer *a, const struct ks_state *state,
	const struct ks_policy *policy)
{
	struct ks_buf head = {0};
	size_t shown = 0;

	ks_buf_addf(&head,
		"Offers for a moment of kind %s at event %lld. Each place has a rule and "
		"takes the best that it lets in, from a layer of its own.",
		ks_moment_name(a->found.kind), (long long)state->seq);
	ks_put_wrapped(stdout, head.ptr, 0, RIGHT);
	fputc('\n', stdout);
	ks_buf_fini(&head);
	for (size_t i = 0; i < a->n_offers; i++) {
		struct ks_offer offer;
		ks_offer_fill(&offer, state, policy, &a->offers[i]);
		print_offer((int)i + 1, &offer, &a->offers[i], a->ground.in.point);
	}
	for (size_t i = 0; i < a->n_ranked && shown < RUNNERS_UP; i++) {
		if (is_offered(a, a->ranked[i].index)) {
			continue;
		}
		if (shown++ == 0) {
			printf("\nNext by score alone:\n");
		}
		printf("  %-*s", LEFT - 2, ks_bank_at(policy->bank, a->ranked[i].index)->id);
		print_terms(&a->ranked[i].terms);
	}
	printf("\n%zu may be asked here; what this machine lacks hides %zu.\n"
		"novelty 3.00: never measured; stale: edited since; tunnel: touched more than\n"
		"measured; claim: what was claimed; cue: figures and words that match; outer: the\n"
		"outside of a call first; payoff: gained elsewhere; cost; answered: still true;\n"
		"asked: without a number.\n", a->n_ranked, a->needs);
}

static void json_terms(struct ks_jw *w, const struct ks_rank_terms *t)
{
	ks_jw_num(w, "score", t->total);
	ks_jw_open(w, "terms");
	ks_jw_num(w, "novelty", t->novelty);
	ks_jw_num(w, "stale", t->stale);
	ks_jw_num(w, "tunnel", t->tunnel);
	ks_jw_num(w, "claim", t->claim);
	ks_jw_num(w, "cue", t->cue);
	ks_jw_num(w, "outer", t->outer);
	ks_jw_num(w, "payoff", t->payoff);
	ks_jw_num(w, "cost", t->cost);
	ks_jw_num(w, "answered", t->answered);
	ks_jw_num(w, "asked", t->asked);
	ks_jw_close(w);
}

static void print_json(const struct answer *a, const struct ks_state *state,
	const struct ks_policy *policy)
{
	struct ks_buf out = {0};
	struct ks_jw w;

	ks_jw_init(&w, &out);
	ks_jw_open(&w, NULL);
	ks_jw_int(&w, "seq", state->seq);
	ks_jw_str(&w, "moment", ks_moment_name(a->found.kind));
	ks_jw_str(&w, "resource", a->found.resource);
	ks_jw_open_array(&w, "offers");
	for (size_t i = 0; i < a->n_offers; i++) {
		struct ks_offer offer;
		const char layer[2] = {ks_layer_letter(ks_bank_at(policy->bank,
			a->offers[i].index)->group), 0};
		ks_offer_fill(&offer, state, policy, &a->offers[i]);
		ks_jw_open(&w, NULL);
		ks_jw_str(&w, "question", offer.question);
		ks_jw_str(&w, "layer", layer);
		ks_jw_str(&w, "text", offer.text);
		ks_jw_str(&w, "reason", offer.reason);
		ks_jw_str(&w, "rule", ks_rank_slot(a->ground.in.point, a->offers[i].slot));
		ks_jw_bool(&w, "rejects", a->offers[i].rejects);
		ks_jw_bool(&w, "changes_layer", a->offers[i].changes_layer);
		json_terms(&w, &a->offers[i].terms);
		ks_jw_close(&w);
	}
	ks_jw_close_array(&w);
	ks_jw_open_array(&w, "ranked");
	for (size_t i = 0; i < a->n_ranked; i++) {
		ks_jw_open(&w, NULL);
		ks_jw_str(&w, "question", ks_bank_at(policy->bank, a->ranked[i].index)->id);
		json_terms(&w, &a->ranked[i].terms);
		ks_jw_close(&w);
	}
	ks_jw_close_array(&w);
	ks_jw_int(&w, "hidden_by_needs", (int64_t)a->needs);
	ks_jw_close(&w);
	ks_put_json(&out);
}

static int open_at(struct ks_fold **out, const struct ks_suggest *how, struct ks_err *err)
{
	int rc = ks_fold_open_any(out, how->log, err);

	if (rc == 0 && (how->at < 0 || (size_t)how->at > ks_follow_count(ks_fold_follow(*out)))) {
		return ks_err_set(err, KS_EINVAL, "--at %ld: the log has %zu events", how->at,
			ks_follow_count(ks_fold_follow(*out)));
	}
	if (rc == 0) {
		ks_fold_step(*out, how->at > 0 ? (size_t)how->at : SIZE_MAX);
	}
	return rc;
}

int ks_bank_asked(struct ks_buf *out, const char *id, struct ks_err *err)
{
	struct ks_rules *rules = NULL;
	struct ks_fold *fold = NULL;
	struct ks_offer offer;
	int rc = ks_rules_open_at(&rules, NULL, err);

	if (rc == 0) {
		rc = ks_fold_open(&fold, NULL, err);
	}
	if (rc == 0) {
		const struct ks_policy *policy = ks_rules_policy(rules);
		const struct ks_rank_offer one = {
			.index = (size_t)ks_bank_index(policy->bank, ks_str_of(id))};

		ks_offer_fill(&offer, ks_fold_state(fold), policy, &one);
		ks_buf_adds(out, offer.text);
	}
	ks_fold_free(fold);
	ks_rules_free(rules);
	return rc;
}

int ks_bank_suggest(const struct ks_suggest *how, struct ks_err *err)
{
	struct ks_rules *rules = NULL;
	struct ks_fold *fold = NULL;
	struct answer a = {0};
	int rc = ks_rules_open_at(&rules, how->log, err);

	if (rc == 0) {
		rc = open_at(&fold, how, err);
	}
	if (rc == 0) {
		rc = found_of(&a.found, ks_fold_state(fold), how->kind, err);
	}
	if (rc == 0) {
		answer_init(&a, ks_fold_state(fold), ks_rules_policy(rules));
		(how->json ? print_json : print_text)(&a, ks_fold_state(fold),
			ks_rules_policy(rules));
		answer_fini(&a);
	}
	ks_fold_free(fold);
	ks_rules_free(rules);
	return rc;
}
