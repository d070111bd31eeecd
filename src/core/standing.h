#ifndef KSEEK_CORE_STANDING_H
#define KSEEK_CORE_STANDING_H
/*
 * How a candidate stands against the goal, computed from the state alone, and
 * the words and events that say so. A campaign's standing is that of a confirmed
 * candidate that meets the goal, whatever was tried after it; without one, that
 * of the champion or of the candidate evaluated last, whichever meets more
 * clauses; the champion where they are equal.
 */
#include "core/goal.h"
#include "core/state.h"

struct ks_standing {
	int candidate;                  /* index, -1: no candidate at all */
	size_t n, n_met;                /* clauses                        */
	bool met;                       /* all, and confirmed             */
	bool confirmed;
	struct ks_goal_result *results; /* n; owned                       */
};

void ks_standing_init(struct ks_standing *out, const struct ks_state *state);
void ks_standing_init_of(struct ks_standing *out, const struct ks_state *state,
	int candidate);
/* Whether a candidate meets every clause and was confirmed. */
bool ks_standing_meets(const struct ks_state *state, int candidate);
void ks_standing_fini(struct ks_standing *standing);

/* Whether the evaluation that just finished asks for a confirming run: it beat
 * the champion by more than both intervals, or it meets every clause, however
 * fast it is, and no confirmed candidate does. */
bool ks_standing_wants_confirm(const struct ks_state *state);

/* Fields of goal.computed. until 0: none. */
void ks_standing_fields(const struct ks_standing *standing,
	const struct ks_state *state, int64_t until, struct ks_buf *fields);
/* The unmet clauses with their figures, for the agent; never a held-out
 * scenario's name. Appends nothing when all are met. */
void ks_standing_words(const struct ks_standing *standing,
	const struct ks_state *state, struct ks_buf *out);

#endif
