#ifndef KSEEK_CORE_SCAN_H
#define KSEEK_CORE_SCAN_H
/*
 * Inside the detectors: their memory, a part of the fold. Agent text arrives in
 * pieces that may end inside a sentence, so the last few KiB are kept, and each
 * event says which part of them became whole sentences with it.
 */
#include "core/moment.h"

#define KS_SCAN_TEXT 8192
/* A set of kinds of events, a bit each: which of them a detector looks at. */
#define KS_EV_BIT(kind) (UINT64_C(1) << KS_EV_##kind)
_Static_assert(KS_EV_COUNT <= 64, "kinds of events no longer fit one word");

#define KS_SCAN_STEP 2.0f /* a gain in one step that asks for a look */

struct ks_scan {
	char text[KS_SCAN_TEXT]; /* the end of what the agent said */
	size_t len;
	size_t mark;             /* up to here it was handed out */
	size_t from, to;         /* whole sentences that this event completed */
	/* figures of this evaluation that look too good; judged when it ends */
	int64_t hint_eval;
	int hints, strong;       /* how many; strong: more than a large step */
	float hint_gain;         /* speedup of the scenario that line is about */
	bool hint_is_strong;
	char hint[320];          /* the one to show */
	int win;                 /* candidate of the last win moment, 0 none */
	/* since the last champion or the last message that steers */
	int evals;
	int call;
	int64_t t;
	/* a wrong candidate, until one is right on every scenario */
	int64_t broken_seq;      /* of its eval.finished, 0: none */
	int broken;              /* its number */
	int broken_wrong;        /* scenarios it got wrong */
	int left_out;            /* partial evaluations since that tried none of them */
	unsigned char wrong[512];/* bit set by scenario index */
	/* quiet notes */
	int edits;               /* since anything was measured */
	double printed, printed_own; /* bytes of calls' output, decayed; of own source */
	int noted[KS_QUIETS];    /* call count + 1 at the last note of a kind, 0 none */
};

void ks_quiet_evolve(struct ks_scan *scan, const struct ks_state *state,
	const struct ks_event *event);
/* Files that evaluations take from the sealed tree. */
bool ks_path_is_sealed(const char *path);

#endif
