#ifndef KSEEK_APP_EVAL_PROGRESS_H
#define KSEEK_APP_EVAL_PROGRESS_H
/*
 * What `kseek eval` says on standard error until the result is there: which scenario is
 * on, and, when nothing comes of it for a second, what it waits for and for how long by
 * now. On a terminal figures change in their line; elsewhere only what is new is a line.
 */
#include "app/fold.h"
#include "base/json.h"
#include "loop/loop.h"

struct ks_eval_progress {
	int done, total;       /* scenarios, of the phase that is on */

	struct ks_fold *fold;  /* borrowed, as is the loop */
	struct ks_timer *tick;
	struct ks_signal *interrupt;
	bool tty, quiet, shown;
	char phase[16];
	int64_t mine;          /* the evaluation that was asked for has this id or a later one */
	int64_t asked_t, wait_t, told_t; /* wall clock, microseconds; 0: not yet */
	int64_t more_t;        /* of the engine's last word; a wait before it is over */
	int64_t seen;          /* events up to this one were looked at */
	char wait[300];        /* what the judge waits for, or "" */
};

/* json: JSON goes to standard output; nothing is said where that and standard error are
 * one file or pipe. Freed by _fini before the loop is. */
void ks_eval_progress_init(struct ks_eval_progress *p, struct ks_loop *loop,
	struct ks_fold *fold, bool json);
void ks_eval_progress_fini(struct ks_eval_progress *p);
/* The engine's word in between; a ks_client_reply with the progress as ctx. */
void ks_eval_progress_more(void *ctx, const struct ks_json *result, bool more, int code,
	const char *error);

#endif
