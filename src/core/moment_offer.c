/*
 * From a moment to three questions: lays out what the ranking reads, and fills
 * the wording with what is known here.
 */
#include "core/moment.h"

#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "core/rank.h"
#include "core/scan.h"

#define FIGURES 8

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
		if (m->layer_next != KS_LAYER_NONE) {
			past[at].numbers++;
			past[at].fresh = ks_layers_stale(&state->layers, group) == 0;
		}
	}
}

static void count_dismissed(const struct ks_state *state, const struct ks_bank *bank,
	enum ks_moment_kind kind, struct ks_rank_past *past)
{
	for (size_t i = 0; i < state->n_moments; i++) {
		const struct ks_moment *m = &state->moments[i];

		if (m->kind != kind || m->state != KS_MOMENT_DISMISSED || !m->by_person) {
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

static size_t figures_of(const struct ks_state *state, struct ks_rank_figure *out)
{
	const struct ks_candidate *c = state->n_candidates > 0
		? &state->candidates[state->champion] : NULL;
	size_t n = 0;
	double low = 0;
	bool known = false;

	out[n++] = (struct ks_rank_figure){KS_STR("best"), state->best};
	out[n++] = (struct ks_rank_figure){KS_STR("evals_since_best"),
		state->evals_since_best};
	out[n++] = (struct ks_rank_figure){KS_STR("calls_since_best"),
		state->calls - state->best_call};
	if (c == NULL || c->results == NULL) {
		return n;
	}
	out[n++] = (struct ks_rank_figure){KS_STR("worst"), c->worst};
	if (c->worst > 0) {
		out[n++] = (struct ks_rank_figure){KS_STR("spread"),
			c->geomean / c->worst};
	}
	for (size_t i = 0; i < state->n_scenarios; i++) {
		const struct ks_result *r = &c->results[i];

		if (r->measured && r->roofline >= 0 && (!known || r->roofline < low)) {
			low = r->roofline;
			known = true;
		}
	}
	if (known) {
		out[n++] = (struct ks_rank_figure){KS_STR("roofline_worst"), low};
	}
	return n;
}

static void fill_offer(struct ks_offer *out, const struct ks_policy *policy,
	const struct ks_rank_offer *ranked, unsigned target)
{
	const struct ks_bank_entry *entry = ks_bank_at(policy->bank, ranked->index);
	struct ks_buf text = {0};
	size_t len;

	*out = (struct ks_offer){.layer = ks_layer_letter(entry->group)};
	ks_bank_fill(&text, entry, target, policy->values, policy->n_values);
	len = ks_utf8_cut(text.ptr, text.len, sizeof(out->text) - 1);
	memcpy(out->text, text.ptr, len);
	snprintf(out->question, sizeof(out->question), "%s", entry->id);
	if (ranked->tag[0] != '\0' && ranked->reason[0] != '\0') {
		snprintf(out->reason, sizeof(out->reason), "%.30s; %.60s", ranked->tag,
			ranked->reason);
	} else {
		snprintf(out->reason, sizeof(out->reason), "%.90s",
			ranked->tag[0] != '\0' ? ranked->tag : ranked->reason);
	}
	ks_buf_fini(&text);
}

int ks_moment_offers(const struct ks_state *state, const struct ks_policy *policy,
	const struct ks_found *found, struct ks_offer offers[KS_OFFERS])
{
	size_t entries = policy->bank != NULL ? ks_bank_count(policy->bank) : 0;
	struct ks_rank_figure figures[FIGURES];
	struct ks_rank_offer ranked[KS_RANK_OFFERS];
	struct ks_rank_past *past;
	struct ks_rank_input in;
	size_t count;

	if (entries == 0 || found->kind == KS_MOMENT_NONE) {
		return 0;
	}
	past = ks_zalloc(entries, sizeof(*past));
	count_asked(state, policy->bank, past);
	count_dismissed(state, policy->bank, found->kind, past);
	in = (struct ks_rank_input){
		.bank = policy->bank,
		.point = (enum ks_point)(found->kind - KS_MOMENT_START),
		.target = target_of(state), .layers = &state->layers,
		.claim_layer = found->layer,
		.claim_resource = ks_str_of(found->resource),
		.text = {state->scan->text, state->scan->len},
		.figures = figures, .figure_count = figures_of(state, figures),
		.has = policy->has, .has_count = policy->n_has,
		.past = past, .past_count = entries,
		.arch = ks_str_of(policy->arch), .op = ks_str_of(policy->op),
	};
	count = ks_rank_offers(ranked, &in);
	for (size_t i = 0; i < count && i < KS_OFFERS; i++) {
		fill_offer(&offers[i], policy, &ranked[i], in.target);
	}
	free(past);
	return (int)(count < KS_OFFERS ? count : KS_OFFERS);
}
