#ifndef KSEEK_EVAL_COMPARE_H
#define KSEEK_EVAL_COMPARE_H
/*
 * Does an output match? An element matches when |got - want| <= atol +
 * rtol*|want|; integers and bools are compared the same way (their default
 * tolerance is 0). NaN matches nothing. An infinity matches nothing, except
 * -inf where -inf is expected and the tolerance allows it. An element of got
 * that is not finite and does not match fails the whole output, whatever
 * match_ratio says.
 */
#include <stdbool.h>
#include <stdint.h>

#include "eval/dtype.h"
#include "eval/problem.h"

struct ks_compare {
	bool ok;
	uint64_t count;
	uint64_t bad;        /* elements that do not match             */
	uint64_t nonfinite;  /* of those, got is NaN or infinite       */
	double max_abs;      /* worst |got - want| over finite pairs   */
	double error_ratio;  /* worst |got - want| / (atol + rtol*|want|); INFINITY
			      * when got is not finite or the allowance is 0 */
	double rms;          /* root mean square of the differences    */
	double want_rms;     /* root mean square of what was expected   */
	double rel_l2;       /* rms / want_rms; 0 when both are 0       */
	uint64_t worst;      /* index of the worst element (0 when count is 0) */
	double got, want;    /* there */
};

void ks_compare(struct ks_compare *out, const struct ks_tolerance *tol,
	enum ks_dtype dtype, const void *got, const void *want, uint64_t count);
/* What a tally over the whole array (tally.h) says. */
struct ks_tally;
void ks_compare_finish(struct ks_compare *out, const struct ks_tally *tally,
	const struct ks_tolerance *tol);
/* One sentence on why it is not ok: "3 of 4096 elements of out differ; worst
 * at [1,7]: 0.25, expected 0.5 (allowed 1e-4)". Always terminated. */
void ks_compare_why(char *text, size_t size, const struct ks_compare *cmp,
	const struct ks_arg *arg);

/*
 * Is the candidate's error within a small multiple of the seed's? Both are
 * against the reference. True when cand.rms <= factor * room * max(seed.rms, floor),
 * floor being one rounding step of the dtype at the output's usual size
 * (cand.want_rms), so that a seed which is exact by luck does not forbid any
 * rounding. The root mean square of k errors scatters by 1/sqrt(2k) of itself: room is
 * 1 + 3/sqrt(k), for four times that.
 */
bool ks_compare_error_ok(const struct ks_compare *cand, const struct ks_compare *seed,
	enum ks_dtype dtype, double factor);

/* How an array varies: for lints of new problems and for poison. */
struct ks_spread {
	uint64_t count, nonfinite;
	double min, max, mean, std, rms;
	double common; /* share of the elements that equal the commonest of a sample */
};
void ks_spread_of(struct ks_spread *out, enum ks_dtype dtype, const void *array,
	uint64_t count);

/*
 * Lint of one scenario's reference output. KS_EINVAL when a value is not finite
 * (unless -inf is allowed): the scenario is refused. Otherwise 0, and *note is
 * NULL or a sentence (gives): the output hardly varies, or the tolerance is so
 * loose that a constant, zeros, or results of the next lower precision would
 * pass. With note NULL only the values are looked at, which is fast.
 */
int ks_lint_output(char **note, const struct ks_arg *arg, const void *values,
	struct ks_err *err);

#endif
