#ifndef KSEEK_EVAL_CONTROL_H
#define KSEEK_EVAL_CONTROL_H
/*
 * The seed alone. In the worker that both share, a candidate may make itself
 * look fast by making the seed slow: limits of the device, a cache that it
 * holds, a processor kept busy. So the seed is timed once more in a worker that
 * never loaded the candidate, and its time there is held against its time
 * beside the candidate. Times of two processes differ by a bias of their own,
 * so only a large difference counts, and it is evidence, not a verdict.
 */
#include <stddef.h>

#include "eval/bench.h"
#include "eval/result.h"

/* Whether the question is worth a worker: a confirming run of something faster,
 * or a seed that is slower than usual on this machine. */
bool ks_control_wanted(const struct ks_result *results, size_t count, const struct ks_job *job);
/* Replaces the bench's worker. Sets slowed_from of the results that show it. A
 * code below 0: it could not be measured. */
int ks_control_seed(struct ks_bench *b, struct ks_result *results, size_t count,
	struct ks_err *err);

#endif
