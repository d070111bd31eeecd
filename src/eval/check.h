#ifndef KSEEK_EVAL_CHECK_H
#define KSEEK_EVAL_CHECK_H
/*
 * Correctness. The full check runs several draws (plain, ends at the page's
 * edge, and each declared variant) through reference, seed and candidate. The
 * check of a timed pair holds the candidate's answer against the seed's on the
 * same bytes.
 */
#include "eval/bench.h"
#include "eval/result.h"

/* A confirming run leaves the variants out: it repeats what was checked, on new
 * contents in new workers. A code below 0 is the environment's fault (the reference
 * or the seed fails by itself); what the candidate does wrong goes into *r. */
int ks_check_full(struct ks_bench *b, struct ks_result *r, struct ks_err *err);
/* So many bent draws between timed pairs, each of another variant as far as there are
 * some, for who is careful only as long as checks last. In a confirming run too. */
int ks_check_bent(struct ks_bench *b, struct ks_result *r, unsigned draws, struct ks_err *err);
/* The yardstick against the reference, once. What it cannot do costs nobody
 * anything: the scenario has no yardstick then (r->no_yard says why). */
int ks_check_yard(struct ks_bench *b, struct ks_result *r, struct ks_err *err);
/* The pair that was just timed, against the seed. */
void ks_check_pair(struct ks_bench *b, struct ks_result *r, const char *when);
/* The pair whose inputs still lie there, against the reference: after timing. */
int ks_check_after(struct ks_bench *b, struct ks_result *r, struct ks_err *err);
/* Code, constants, mapped files; at rest also where the worker waits. */
void ks_check_guards(struct ks_bench *b, struct ks_result *r, bool at_rest);
/* How long a call of the candidate may take. */
int64_t ks_check_limit_ms(const struct ks_bench *b, const struct ks_result *r);
/* Turns a failed call of the candidate into the scenario's reason. */
void ks_check_blame(struct ks_result *r, int code, const struct ks_err *err,
	const char *when);

#endif
