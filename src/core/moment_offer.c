/*
 * From a moment to three questions: lays out what the ranking reads, and fills
 * the wording with what is known here.
 */
#include "core/offer.h"

#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "core/scan.h"

#define VALUES 32

struct figures {
	struct ks_rank_figure *item;
	size_t count;
};

static unsigned target_of(const struct ks_state *state)
{
	return strcmp(state->target, "cuda") == 0 ? KS_BANK_CUDA : KS_BANK_CPU;
}

static void count_asked(const struct ks_state *state, const struct ks_bank *bank,
	struct ks_rank_past *past)
{
	for (size_t i = 0; i < state->n_messages; i++) {
		const struct ks_message *m = &state->messages[i];
		ptrdiff_t at = m->question[0] == '\0' ? -1
			: ks_bank_index(bank, ks_str_of(m->question));
		int group;

		if (at < 0) {
			continue;
		}
		group = ks_bank_at(bank, (size_t)at)->group;
		past[at].asked++;
		if (ks_message_answered(m, group)) {
			past[at].numbers++;
			past[at].fresh = ks_layers_stale(&state->layers, group) == 0;
		}
	}
}

static void count_payoffs(const struct ks_state *state, const struct ks_policy *policy,
	struct ks_rank_past *past)
{
	for (size_t i = 0; i < policy->n_payoffs; i++) {
		const struct ks_payoff *p = &policy->payoffs[i];
		ptrdiff_t at = ks_bank_index(policy->bank, ks_str_of(p->question));

		if (at >= 0 && strcmp(p->campaign, state->id) != 0) {
			past[at].wins += p->wins;
		}
	}
}

/* The last question sent, as long as nothing has measured its layer since. */
static void mark_pending(const struct ks_state *state, const struct ks_bank *bank,
	struct ks_rank_past *past)
{
	for (size_t i = state->n_messages; i-- > 0;) {
		const struct ks_message *m = &state->messages[i];
		ptrdiff_t at = m->question[0] == '\0' ? -1
			: ks_bank_index(bank, ks_str_of(m->question));

		if (at >= 0) {
			int group = ks_bank_at(bank, (size_t)at)->group;

			past[at].pending = state->layers.measured[group] <= m->mapped;
			return;
		}
	}
}

static void count_dismissed(const struct ks_state *state, const struct ks_bank *bank,
	enum ks_moment_kind kind, struct ks_rank_past *past)
{
	const struct ks_moment *m;

	for (int i = state->moment_by_person; i >= 0; i = m->by_person_before) {
		m = &state->moments[i];
		if (m->kind != kind || m->state != KS_MOMENT_DISMISSED) {
			continue;
		}
		for (int o = 0; o < m->n_offers; o++) {
			ptrdiff_t at = ks_bank_index(bank,
				ks_str_of(m->offers[o].question));

			if (at >= 0) {
				past[at].dismissed = true;
			}
		}
	}
}

/* Results that the figures are about: those evaluated last. */
static const struct ks_candidate *shown(const struct ks_state *state)
{
	if (state->n_candidates == 0) {
		return NULL;
	}
	return &state->candidates[state->last >= 0 ? state->last : state->champion];
}

static void add(struct figures *f, const char *name, double value)
{
	if (f->count < KS_OFFER_FIGURES) {
		f->item[f->count++] = (struct ks_rank_figure){ks_str_of(name), value};
	}
}

static double size_of(const struct ks_state *state, const struct ks_result *results,
	size_t i)
{
	if (state->scenarios[i].floor_us > 0) {
		return state->scenarios[i].floor_us;
	}
	return results != NULL ? (double)results[i].seed_us : 0;
}

/* Index of the scenario with the least work, or the most; -1 unknown. */
static int by_size(const struct ks_state *state, const struct ks_result *results, bool most)
{
	int found = -1;

	for (size_t i = 0; i < state->n_scenarios; i++) {
		double size = size_of(state, results, i);

		if (!(size > 0) || state->scenarios[i].heldout) {
			continue;
		}
		if (found < 0 || (size_of(state, results, (size_t)found) < size) == most) {
			found = (int)i;
		}
	}
	return found;
}

static void result_figures(struct figures *f, const struct ks_state *state,
	const struct ks_result *r)
{
	double roofline = -1, error_ratio = 0, spread = 0;
	int below = 0, incorrect = 0;
	int small = by_size(state, r, false);
	int large = by_size(state, r, true);

	for (size_t i = 0; i < state->n_scenarios; i++) {
		if (!r[i].measured) {
			continue;
		}
		incorrect += r[i].correct ? 0 : 1;
		error_ratio = r[i].error_ratio > error_ratio ? (double)r[i].error_ratio
			: error_ratio;
		below |= r[i].cand_us > 0 && r[i].cand_us < state->scenarios[i].floor_us;
		if (r[i].roofline >= 0 && (roofline < 0 || r[i].roofline < roofline)) {
			roofline = r[i].roofline;
		}
		if (r[i].speedup > 0 && (r[i].hi - r[i].lo) / r[i].speedup > spread) {
			spread = (r[i].hi - r[i].lo) / r[i].speedup;
		}
	}
	add(f, "below_floor", below);
	add(f, "incorrect", incorrect);
	add(f, "error_ratio", error_ratio);
	add(f, "spread", spread);
	if (roofline >= 0) {
		add(f, "worst_roofline", roofline);
	}
	if (small >= 0 && large >= 0 && r[large].speedup > 0) {
		add(f, "small_over_large", r[small].speedup / r[large].speedup);
	}
}

static void read_figures(struct figures *f, const struct ks_state *state)
{
	const struct ks_candidate *c = shown(state);
	double step;

	f->count = 0;
	add(f, "best", state->best);
	add(f, "evals_since_best", state->evals_since_best);
	add(f, "calls_since_best", state->calls - state->best_call);
	if (c == NULL || c->results == NULL) {
		return;
	}
	add(f, "worst_speedup", c->worst);
	add(f, "looks", c->looks);
	add(f, "geomean", c->geomean);
	step = ks_candidate_step(c, c->geomean);
	if (step > 0) {
		add(f, "gain_last", step);
	}
	result_figures(f, state, c->results);
}

/* The scenario furthest from its roofline, and by what. */
struct worst {
	char share[24], roofline[40];
	struct ks_bank_value values[4];
	size_t count;
};

static void find_worst(struct worst *w, const struct ks_state *state,
	const struct ks_candidate *c)
{
	int at = -1;

	w->count = 0;
	for (size_t i = 0; c && c->results && i < state->n_scenarios; i++) {
		const struct ks_result *r = &c->results[i];

		if (r->measured && r->roofline >= 0 && !state->scenarios[i].heldout &&
		    (at < 0 || r->roofline < c->results[at].roofline)) {
			at = (int)i;
		}
	}
	if (at < 0) {
		return;
	}
	const struct ks_str name = ks_str_of(state->scenarios[at].name);
	snprintf(w->share, sizeof(w->share), "%.0f%%", 100.0 * (double)c->results[at].roofline);
	snprintf(w->roofline, sizeof(w->roofline), "its roofline of %.3g us",
		(double)state->scenarios[at].floor_us);
	w->values[w->count++] = (struct ks_bank_value){KS_STR("worst"), name};
	w->values[w->count++] = (struct ks_bank_value){KS_STR("worst_scenario"), name};
	w->values[w->count++] = (struct ks_bank_value){KS_STR("worst_share"), ks_str_of(w->share)};
	if (state->scenarios[at].floor_us > 0) {
		w->values[w->count++] = (struct ks_bank_value){KS_STR("roofline"),
			ks_str_of(w->roofline)};
	}
}

/* What the probe of the campaign said of its GPU. */
struct gpu {
	char processors[24], l2[24];
	struct ks_bank_value values[2];
	size_t count;
};

static void find_gpu(struct gpu *g, const struct ks_state *state)
{
	g->count = 0;
	if (state->processors > 0) {
		snprintf(g->processors, sizeof(g->processors), "%lld",
			(long long)state->processors);
		g->values[g->count++] = (struct ks_bank_value){KS_STR("sm_count"),
			ks_str_of(g->processors)};
	}
	if (state->l2_bytes > 0) {
		snprintf(g->l2, sizeof(g->l2), "%lld", (long long)state->l2_bytes);
		g->values[g->count++] = (struct ks_bank_value){KS_STR("l2_bytes"),
			ks_str_of(g->l2)};
	}
}

/* What the policy knows of the machine, and what the state knows beside. */
static void fill_text(struct ks_buf *out, const struct ks_state *state,
	const struct ks_policy *policy, const struct ks_bank_entry *entry)
{
	struct ks_bank_value values[VALUES];
	const struct ks_candidate *c = shown(state);
	int small = by_size(state, c != NULL ? c->results : NULL, false);
	int large = by_size(state, c != NULL ? c->results : NULL, true);
	struct worst worst;
	struct gpu gpu;
	size_t n = 0;

	find_worst(&worst, state, c);
	find_gpu(&gpu, state);
	for (size_t i = 0; i < gpu.count; i++) {
		values[n++] = gpu.values[i];
	}
	for (size_t i = 0; i < worst.count; i++) {
		values[n++] = worst.values[i];
	}
	if (large >= 0) {
		values[n++] = (struct ks_bank_value){KS_STR("largest_scenario"),
			ks_str_of(state->scenarios[large].name)};
	}
	for (size_t i = 0; i < policy->n_values && n < VALUES - 2; i++) {
		values[n++] = policy->values[i];
	}
	if (state->arch[0] != '\0') {
		values[n++] = (struct ks_bank_value){KS_STR("arch"), ks_state_arch(state)};
	}
	if (small >= 0) {
		values[n++] = (struct ks_bank_value){KS_STR("smallest_scenario"),
			ks_str_of(state->scenarios[small].name)};
	}
	ks_bank_fill(out, entry, target_of(state), values, n);
}

void ks_offer_fill(struct ks_offer *out, const struct ks_state *state,
	const struct ks_policy *policy, const struct ks_rank_offer *ranked)
{
	const struct ks_bank_entry *entry = ks_bank_at(policy->bank, ranked->index);
	struct ks_buf text = {0};
	size_t len;

	*out = (struct ks_offer){.layer = ks_layer_letter(entry->group)};
	fill_text(&text, state, policy, entry);
	len = ks_utf8_cut(text.ptr, text.len, sizeof(out->text) - 1);
	memcpy(out->text, text.ptr, len);
	snprintf(out->question, sizeof(out->question), "%s", entry->id);
	snprintf(out->reason, sizeof(out->reason), "%.31s%s%.124s", ranked->tag,
		ranked->tag[0] != '\0' && ranked->reason[0] != '\0' ? "; " : "",
		ranked->reason);
	ks_buf_fini(&text);
}

void ks_offer_ground_init(struct ks_offer_ground *out, const struct ks_state *state,
	const struct ks_policy *policy, const struct ks_found *found)
{
	size_t entries = policy->bank != NULL ? ks_bank_count(policy->bank) : 0;
	struct figures figures = {.item = out->figures};
	size_t has = 0;

	for (; has < policy->n_has && has < KS_OFFER_HAS - 1; has++) {
		out->has[has] = policy->has[has];
	}
	if (state->threads > 1) {
		out->has[has++] = KS_STR("threads");
	}
	out->past = ks_zalloc(entries > 0 ? entries : 1, sizeof(*out->past));
	if (entries > 0) {
		count_asked(state, policy->bank, out->past);
		mark_pending(state, policy->bank, out->past);
		count_dismissed(state, policy->bank, found->kind, out->past);
		count_payoffs(state, policy, out->past);
	}
	read_figures(&figures, state);
	out->in = (struct ks_rank_input){
		.bank = policy->bank,
		.point = (enum ks_point)(found->kind - KS_MOMENT_START),
		.target = target_of(state), .layers = &state->layers,
		.claim_layer = found->layer,
		.claim_resource = ks_str_of(found->resource),
		.text = {state->scan->text, state->scan->len},
		.figures = out->figures, .figure_count = figures.count,
		.has = out->has, .has_count = has,
		.past = out->past, .past_count = entries,
		.arch = ks_str_of(policy->arch ? policy->arch : state->arch),
		.op = ks_str_of(policy->op ? policy->op : state->definition_name),
		.tags = ks_str_of(state->definition_tags),
	};
}

void ks_offer_ground_fini(struct ks_offer_ground *ground)
{
	if (ground != NULL) {
		free(ground->past);
		ground->past = NULL;
	}
}

int ks_moment_offers(const struct ks_state *state, const struct ks_policy *policy,
	const struct ks_found *found, struct ks_offer offers[KS_OFFERS])
{
	struct ks_offer_ground ground;
	struct ks_rank_offer ranked[KS_RANK_OFFERS];
	size_t count;

	if (policy->bank == NULL || ks_bank_count(policy->bank) == 0
		|| found->kind == KS_MOMENT_NONE) {
		return 0;
	}
	ks_offer_ground_init(&ground, state, policy, found);
	count = ks_rank_offers(ranked, &ground.in);
	for (size_t i = 0; i < count && i < KS_OFFERS; i++) {
		ks_offer_fill(&offers[i], state, policy, &ranked[i]);
	}
	ks_offer_ground_fini(&ground);
	return (int)(count < KS_OFFERS ? count : KS_OFFERS);
}
