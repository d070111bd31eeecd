#ifndef KSEEK_APP_OUTCOMES_H
#define KSEEK_APP_OUTCOMES_H
/*
 * What came of each question in the campaigns that a person let kseek learn
 * from: one file, outcomes.json, in the folder for state ($XDG_STATE_HOME/kseek).
 * The ranking reads it as a prior (see core/rank.h); a campaign's own record is
 * never used for itself.
 *
 *   {"format":1,"campaigns":{"ID":{"H-02":{"asked":2,"numbers":2,"wins":1}}}}
 */
#include "core/rank.h"
#include "core/stats.h"

struct ks_outcomes {
	struct ks_payoff *item; /* owned */
	size_t count, cap;
};

/* Fills out; a file that is not there gives none. ks_outcomes_fini after. */
int ks_outcomes_read(struct ks_outcomes *out, struct ks_err *err);
void ks_outcomes_fini(struct ks_outcomes *outcomes);
/* Puts a campaign's record in the place of the one that was there. */
void ks_outcomes_set(struct ks_outcomes *outcomes, const char *campaign,
	const struct ks_stats_asked *asked);
int ks_outcomes_write(const struct ks_outcomes *outcomes, struct ks_err *err);

#endif
