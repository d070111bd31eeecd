#ifndef KSEEK_CORE_REPLAY_H
#define KSEEK_CORE_REPLAY_H
/*
 * The detectors run afresh over a recorded log. The log's own moments are left
 * out of the fold, since they would silence the scan; the moments that the scan
 * finds take their place: a steering message answers the open one, and a turn
 * that starts without one lets it go. Used by `kseek moments replay` and for
 * imported logs, whose events hold no moments. Quiet notes are found anew the same
 * way. The detectors' numbers are those that the log's engines had, from each start
 * on; the given policy's where the log does not say.
 */
#include "core/moment.h"

struct ks_replay {
	struct ks_state state;
	struct ks_policy policy;        /* what it points to is borrowed */
	int found, notes;               /* so far */
};

void ks_replay_init(struct ks_replay *replay, const struct ks_policy *policy);
void ks_replay_fini(struct ks_replay *replay);
/* What the scan finds at one event. */
struct ks_replay_found {
	struct ks_found moment;  /* kind KS_MOMENT_NONE: none */
	struct ks_offer offers[KS_OFFERS];
	int count;               /* of offers */
	bool noted;
	struct ks_note note;
};
/* Applies one event of the log. False when the scan finds nothing at it. What it finds
 * enters the fold behind it: ks_replay_take, before the next event. */
bool ks_replay_look(struct ks_replay *replay, const struct ks_event *event,
	struct ks_replay_found *out);
void ks_replay_take(struct ks_replay *replay, const struct ks_event *event,
	const struct ks_replay_found *found);
/* Both. */
bool ks_replay_step(struct ks_replay *replay, const struct ks_event *event,
	struct ks_replay_found *out);

#endif
