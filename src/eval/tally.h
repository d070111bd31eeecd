#ifndef KSEEK_EVAL_TALLY_H
#define KSEEK_EVAL_TALLY_H
/*
 * The rule of compare.h for one element, and sums over many of them that can be
 * put together in any split; for the processor and the GPU alike.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "eval/dtype_bits.h"
#include "eval/hd.h"

struct ks_rule { /* of struct ks_tolerance */
	double abs_tol, rel_tol;
	bool allow_negative_inf;
};

struct ks_tally {
	uint64_t count, bad, nonfinite, finite;
	double max_abs, ratio;         /* worst; ratio may be infinite */
	double squares, want_squares;  /* over finite pairs            */
	uint64_t worst;                /* index of the worst ratio     */
	double got, want;              /* there                        */
};

KS_HD void ks_tally_worst(struct ks_tally *t, double ratio, uint64_t index, double got,
	double want)
{
	if (ratio > t->ratio || t->count == 0) {
		t->ratio = ratio;
		t->worst = index;
		t->got = got;
		t->want = want;
	}
	t->count++;
}

/* diff: |got - want|, exact where doubles would not be. */
KS_HD void ks_tally_add(struct ks_tally *t, const struct ks_rule *rule, uint64_t index,
	double got, double want, double diff)
{
	double endless = (double)INFINITY;
	bool finite = fabs(got) < endless && fabs(want) < endless; /* false for NaN */
	bool same_inf = want == -endless && got == want && rule->allow_negative_inf;
	double allowed = rule->abs_tol + rule->rel_tol * fabs(want);
	double ratio = 0;
	if (same_inf) {
		ks_tally_worst(t, 0, index, got, want);
		return;
	}
	if (!finite) {
		t->bad++;
		t->nonfinite += !(fabs(got) < endless);
		ks_tally_worst(t, endless, index, got, want);
		return;
	}
	/* dividing costs more than all the rest: only where it can be the worst */
	if (diff > 0 && (t->count == 0 || diff >= t->ratio * allowed * 0.999)) {
		ratio = allowed > 0 ? diff / allowed : endless;
	}
	t->bad += !(diff <= allowed);
	t->max_abs = diff > t->max_abs ? diff : t->max_abs;
	t->squares += diff * diff;
	t->want_squares += want * want;
	t->finite++;
	ks_tally_worst(t, ratio, index, got, want);
}

/* |got - want| of element i; int64 without going through doubles. */
KS_HD double ks_difference(enum ks_dtype dtype, const void *got, const void *want, uint64_t i)
{
	if (dtype == KS_INT64) {
		int64_t a = ((const int64_t *)got)[i], b = ((const int64_t *)want)[i];
		uint64_t d = a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
		return (double)d;
	}
	return fabs(ks_element(dtype, got, i) - ks_element(dtype, want, i));
}

/* One more element of two arrays. */
KS_HD void ks_tally_element(struct ks_tally *t, const struct ks_rule *rule, enum ks_dtype dtype,
	const void *got, const void *want, uint64_t i)
{
	ks_tally_add(t, rule, i, ks_element(dtype, got, i), ks_element(dtype, want, i),
		ks_difference(dtype, got, want, i));
}

/* Adds what another part counted. Of equal ratios the lower index stays. */
KS_HD void ks_tally_merge(struct ks_tally *t, const struct ks_tally *more)
{
	bool worse = more->ratio > t->ratio || (more->ratio == t->ratio && more->worst < t->worst);
	if (more->count > 0 && (t->count == 0 || worse)) {
		t->ratio = more->ratio;
		t->worst = more->worst;
		t->got = more->got;
		t->want = more->want;
	}
	t->count += more->count;
	t->bad += more->bad;
	t->nonfinite += more->nonfinite;
	t->finite += more->finite;
	t->max_abs = more->max_abs > t->max_abs ? more->max_abs : t->max_abs;
	t->squares += more->squares;
	t->want_squares += more->want_squares;
}

#endif
