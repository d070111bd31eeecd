#ifndef KSEEK_CORE_OFFER_H
#define KSEEK_CORE_OFFER_H
/*
 * What the ranking reads at a moment, laid out from the state: figures, what was
 * asked and answered, recent words, what other campaigns showed. ks_moment_offers
 * takes three from it; `kseek bank suggest` shows all of it.
 */
#include "core/moment.h"
#include "core/rank.h"

#define KS_OFFER_FIGURES 16
#define KS_OFFER_HAS 16

struct ks_offer_ground {
	struct ks_rank_input in; /* lends from state, policy, found and below */
	struct ks_rank_figure figures[KS_OFFER_FIGURES];
	struct ks_str has[KS_OFFER_HAS]; /* the policy's, and "threads" */
	struct ks_rank_past *past; /* owned, by index in the bank */
};

/* found and the others must live as long as the ground. */
void ks_offer_ground_init(struct ks_offer_ground *out, const struct ks_state *state,
	const struct ks_policy *policy, const struct ks_found *found);
void ks_offer_ground_fini(struct ks_offer_ground *ground);
/* One ranked entry as it is shown and sent. */
void ks_offer_fill(struct ks_offer *out, const struct ks_state *state,
	const struct ks_policy *policy, const struct ks_rank_offer *ranked);

#endif
