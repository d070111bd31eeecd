#ifndef KSEEK_CORE_SCAN_H
#define KSEEK_CORE_SCAN_H
/*
 * Inside the detectors: their memory, a part of the fold. Agent text arrives in
 * pieces that may end inside a sentence, so the last few KiB are kept, and each
 * event says which part of them became whole sentences with it.
 */
#include "core/moment.h"

#define KS_SCAN_TEXT 8192

struct ks_scan {
	char text[KS_SCAN_TEXT]; /* the end of what the agent said */
	size_t len;
	size_t mark;             /* up to here it was handed out */
	size_t from, to;         /* whole sentences that this event completed */
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
};

#endif
