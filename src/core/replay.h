#ifndef KSEEK_CORE_REPLAY_H
#define KSEEK_CORE_REPLAY_H
/*
 * The detectors run afresh over a recorded log. The log's own moments are left
 * out of the fold, since they would silence the scan; the moments that the scan
 * finds take their place: a steering message answers the open one, and a turn
 * that starts without one lets it go. Used by `kseek moments replay` and for
 * imported logs, whose events hold no moments.
 */
#include "core/moment.h"

struct ks_replay {
	struct ks_state state;
	const struct ks_policy *policy; /* borrowed */
	int found;                      /* so far */
};

void ks_replay_init(struct ks_replay *replay, const struct ks_policy *policy);
void ks_replay_fini(struct ks_replay *replay);
/* Applies one event of the log. True when the scan raises a moment at it: out
 * and offers are filled then, count is the number of offers. */
bool ks_replay_step(struct ks_replay *replay, const struct ks_event *event,
	struct ks_found *out, struct ks_offer offers[KS_OFFERS], int *out_count);

#endif
