/* What git says of a candidate: the commit's message, and the note with all
 * results that is written once they are known. */
#include "base/sane.h"
#include "engine/internal.h"

void ks_result_message(struct ks_buf *out, int number, int parent, const char *hash)
{
	ks_buf_addf(out, number == 0 ? "seed\n\n" : "candidate c%d\n\n", number);
	ks_buf_addf(out, "Kseek-Candidate: %d\n", number);
	if (parent >= 0 && number != 0) {
		ks_buf_addf(out, "Kseek-Parent: %d\n", parent);
	}
	ks_buf_addf(out, "Kseek-Sources: %s\n", hash);
}

static void put_row(struct ks_buf *out, const struct ks_scenario *s, const struct ks_result *r)
{
	if (s->heldout || !r->measured) {
		return;
	}
	ks_buf_addf(out, "%-32s ", s->name);
	if (!r->correct) {
		struct ks_buf why = {0};
		ks_sane(&why, ks_str_of(r->why != NULL ? r->why : "incorrect"), KS_SANE_ONE_LINE);
		ks_buf_addf(out, "incorrect: %.*s\n", (int)why.len, why.ptr);
		ks_buf_fini(&why);
	} else if (!r->timed) {
		ks_buf_adds(out, "correct\n");
	} else {
		ks_buf_addf(out, "%10.2f us %10.2f us %8.3fx [%.3f, %.3f]\n", (double)r->seed_us,
			(double)r->cand_us, (double)r->speedup, (double)r->lo, (double)r->hi);
	}
}

void ks_result_note(struct ks_buf *out, const struct ks_state *state, int candidate)
{
	if (candidate < 0 || (size_t)candidate >= state->n_candidates) {
		return;
	}
	const struct ks_candidate *c = &state->candidates[candidate];
	if (ks_candidate_fate(c) != NULL) {
		ks_buf_addf(out, "kseek: %s\n", ks_candidate_fate(c));
		return;
	}
	ks_buf_addf(out, "kseek: %d of %d correct, geomean %.4fx [%.4f, %.4f], worst %.4fx%s\n\n",
		c->n_correct, c->n_measured, c->geomean, c->geo_lo, c->geo_hi, c->worst,
		c->confirmed ? ", confirmed" : "");
	for (size_t i = 0; c->results != NULL && i < state->n_scenarios; i++) {
		put_row(out, &state->scenarios[i], &c->results[i]);
	}
}
