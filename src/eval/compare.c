/*
 * Comparing outputs. Blocks of floats go through a loop without branches, kept
 * in sixteen lanes so that the compiler makes vectors of it; it settles blocks
 * that are clearly good and improve nothing. Every other block is judged again
 * element by element in doubles, and only that second look decides.
 */
#include "eval/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "eval/tally.h"

#define BLOCK 1024
#define LANES 16
#define SAMPLE 4096

struct quick {
	float ratio, abs;           /* worst of the block */
	float squares, want_squares;
	uint32_t special;           /* elements that are not finite */
};

static inline __attribute__((always_inline)) void quick_block(struct quick *out,
	const float *restrict got, const float *restrict want, size_t count, float abs_tol,
	float rel_tol)
{
	float ratio[LANES] = {0}, worst[LANES] = {0}, sq[LANES] = {0}, wsq[LANES] = {0};
	uint32_t special[LANES] = {0};
	for (size_t i = 0; i + LANES <= count; i += LANES) {
		for (size_t j = 0; j < LANES; j++) {
			float g = got[i + j], w = want[i + j];
			float d = fabsf(g - w);
			float r = d / (abs_tol + rel_tol * fabsf(w));
			uint32_t gb, wb;
			memcpy(&gb, &g, sizeof(gb));
			memcpy(&wb, &w, sizeof(wb));
			special[j] |= ((gb & 0x7FFFFFFFu) >= 0x7F800000u) |
				((wb & 0x7FFFFFFFu) >= 0x7F800000u);
			ratio[j] = r > ratio[j] ? r : ratio[j];
			worst[j] = d > worst[j] ? d : worst[j];
			sq[j] += d * d;
			wsq[j] += w * w;
		}
	}
	*out = (struct quick){0};
	for (size_t j = 0; j < LANES; j++) {
		out->ratio = ratio[j] > out->ratio ? ratio[j] : out->ratio;
		out->abs = worst[j] > out->abs ? worst[j] : out->abs;
		out->squares += sq[j];
		out->want_squares += wsq[j];
		out->special |= special[j];
	}
}

#if defined(__x86_64__)
static __attribute__((target("avx2"))) void quick_block_avx2(struct quick *out,
	const float *got, const float *want, size_t count, float abs_tol, float rel_tol)
{
	quick_block(out, got, want, count, abs_tol, rel_tol);
}
#endif

static void quick_look(struct quick *out, const float *got, const float *want, size_t count,
	const struct ks_rule *rule)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2")) {
		quick_block_avx2(out, got, want, count, (float)rule->abs_tol,
			(float)rule->rel_tol);
		return;
	}
#endif
	quick_block(out, got, want, count, (float)rule->abs_tol, (float)rule->rel_tol);
}

static void judge_floats(struct ks_tally *t, const struct ks_rule *rule, const float *got,
	const float *want, size_t count, uint64_t first)
{
	for (size_t i = 0; i < count; i++) {
		ks_tally_add(t, rule, first + i, got[i], want[i],
			fabs((double)got[i] - (double)want[i]));
	}
}

static void compare_floats(struct ks_tally *t, const struct ks_rule *rule, const float *got,
	const float *want, size_t count, uint64_t first)
{
	struct quick q;
	size_t whole = count / LANES * LANES;
	quick_look(&q, got, want, whole, rule);
	/* The loop computes in floats: near the limit, or where it would overflow,
	 * the careful way decides. */
	bool plain = q.special == 0 && q.ratio < 0.999f && q.want_squares < 1e30f &&
		q.squares < 1e30f && q.squares > 1e-30f;
	bool same = q.special == 0 && q.abs == 0 && q.want_squares < 1e30f;
	bool no_worse = (double)q.ratio < t->ratio * 0.999 && (double)q.abs <= t->max_abs;
	if ((plain && no_worse) || (same && first > 0)) {
		t->count += whole;
		t->squares += (double)q.squares;
		t->want_squares += (double)q.want_squares;
		t->finite += whole;
	} else {
		judge_floats(t, rule, got, want, whole, first);
	}
	judge_floats(t, rule, got + whole, want + whole, count - whole, first + whole);
}

static void compare_block(struct ks_tally *t, const struct ks_rule *rule, enum ks_dtype dtype,
	const void *got, const void *want, size_t count, uint64_t first)
{
	size_t size = ks_dtype_size(dtype);
	const char *g = (const char *)got + first * size;
	const char *w = (const char *)want + first * size;
	if (dtype == KS_FLOAT32) {
		compare_floats(t, rule, (const float *)(const void *)g,
			(const float *)(const void *)w, count, first);
	} else if (dtype == KS_FLOAT16 || dtype == KS_BFLOAT16) {
		float a[BLOCK], b[BLOCK];
		ks_dtype_to_float(dtype, a, g, count);
		ks_dtype_to_float(dtype, b, w, count);
		compare_floats(t, rule, a, b, count, first);
	} else {
		for (uint64_t i = first; i < first + count; i++) {
			ks_tally_element(t, rule, dtype, got, want, i);
		}
	}
}

void ks_compare_finish(struct ks_compare *out, const struct ks_tally *t,
	const struct ks_tolerance *tol)
{
	struct ks_compare c = {.count = t->count, .bad = t->bad, .nonfinite = t->nonfinite,
		.max_abs = t->max_abs, .error_ratio = t->ratio, .worst = t->worst, .got = t->got,
		.want = t->want};
	if (t->finite > 0) {
		c.rms = sqrt(t->squares / (double)t->finite);
		c.want_rms = sqrt(t->want_squares / (double)t->finite);
	}
	if (c.rms > 0) {
		c.rel_l2 = c.want_rms > 0 ? c.rms / c.want_rms : (double)INFINITY;
	}
	double count = (double)t->count;
	c.ok = c.nonfinite == 0 &&
		(double)(t->count - c.bad) >= tol->match_ratio * count - 1e-9 * count &&
		c.max_abs <= tol->error_cap;
	*out = c;
}

void ks_compare(struct ks_compare *out, const struct ks_tolerance *tol, enum ks_dtype dtype,
	const void *got, const void *want, uint64_t count)
{
	struct ks_tally t = {0};
	struct ks_rule rule = {tol->abs_tol, tol->rel_tol, tol->allow_negative_inf};
	for (uint64_t first = 0; first < count; first += BLOCK) {
		size_t n = count - first < BLOCK ? (size_t)(count - first) : BLOCK;
		compare_block(&t, &rule, dtype, got, want, n, first);
	}
	ks_compare_finish(out, &t, tol);
}

/* "[1,7]" from a flat index. */
static void coordinates(char *out, size_t size, const struct ks_arg *arg, uint64_t index)
{
	uint64_t at[KS_RANK_MAX];
	size_t len = 0;
	for (unsigned r = arg->rank; r > 0; r--) {
		uint64_t n = arg->shape[r - 1] > 0 ? (uint64_t)arg->shape[r - 1] : 1;
		at[r - 1] = index % n;
		index /= n;
	}
	len += (size_t)snprintf(out, size, "[");
	for (unsigned r = 0; r < arg->rank && len < size; r++) {
		len += (size_t)snprintf(out + len, size - len, "%s%llu", r > 0 ? "," : "",
			(unsigned long long)at[r]);
	}
	if (len < size) {
		snprintf(out + len, size - len, "]");
	}
}

void ks_compare_why(char *text, size_t size, const struct ks_compare *cmp,
	const struct ks_arg *arg)
{
	char at[128];
	double allowed = arg->tol.abs_tol + arg->tol.rel_tol * fabs(cmp->want);
	coordinates(at, sizeof(at), arg, cmp->worst);
	if (cmp->ok) {
		snprintf(text, size, "%s matches", arg->name);
	} else if (cmp->bad == 0 || (cmp->nonfinite == 0 && cmp->max_abs > arg->tol.error_cap)) {
		snprintf(text, size, "%s: an error of %.3g is above the cap %.3g", arg->name,
			cmp->max_abs, arg->tol.error_cap);
	} else {
		snprintf(text, size, "%llu of %llu elements of %s differ; worst at %s: %.6g, "
			"expected %.6g (allowed %.2g)", (unsigned long long)cmp->bad,
			(unsigned long long)cmp->count, arg->name, at, cmp->got, cmp->want,
			allowed);
	}
}

bool ks_compare_error_ok(const struct ks_compare *cand, const struct ks_compare *seed,
	enum ks_dtype dtype, double factor)
{
	static const double step[KS_DTYPE_COUNT] = {
		[KS_FLOAT32] = 0x1p-24, [KS_FLOAT64] = 0x1p-53, [KS_FLOAT16] = 0x1p-11,
		[KS_BFLOAT16] = 0x1p-8, [KS_FLOAT8_E4M3FN] = 0x1p-4, [KS_FLOAT8_E5M2] = 0x1p-3,
	};
	double floor_rms = step[dtype] * cand->want_rms;
	double base = seed->rms > floor_rms ? seed->rms : floor_rms;
	double room = 1 + 3 / sqrt((double)(cand->count > 0 ? cand->count : 1));
	return cand->rms <= factor * room * base;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double commonest(enum ks_dtype dtype, const void *array, uint64_t count)
{
	double *sample = ks_alloc(SAMPLE * sizeof(sample[0]));
	uint64_t step = count / SAMPLE + 1;
	size_t n = 0, run = 0, best = 0;
	for (uint64_t i = 0; i < count && n < SAMPLE; i += step) {
		sample[n++] = ks_dtype_get(dtype, array, i);
	}
	qsort(sample, n, sizeof(sample[0]), by_value);
	for (size_t i = 0; i < n; i++) {
		run = i > 0 && sample[i] == sample[i - 1] ? run + 1 : 1;
		best = run > best ? run : best;
	}
	free(sample);
	return n > 0 ? (double)best / (double)n : 0;
}

void ks_spread_of(struct ks_spread *out, enum ks_dtype dtype, const void *array, uint64_t count)
{
	struct ks_spread s = {.count = count, .min = (double)INFINITY, .max = -(double)INFINITY};
	double mean = 0, m2 = 0, squares = 0;
	uint64_t n = 0;
	for (uint64_t i = 0; i < count; i++) {
		double v = ks_dtype_get(dtype, array, i);
		if (!isfinite(v)) {
			s.nonfinite++;
			continue;
		}
		double delta = v - mean; /* Welford's running mean and variance */
		mean += delta / (double)++n;
		m2 += delta * (v - mean);
		squares += v * v;
		s.min = v < s.min ? v : s.min;
		s.max = v > s.max ? v : s.max;
	}
	if (n == 0) {
		s.min = s.max = 0;
	} else {
		s.mean = mean;
		s.std = sqrt(m2 / (double)n);
		s.rms = sqrt(squares / (double)n);
	}
	s.common = commonest(dtype, array, count);
	*out = s;
}

/* Clears most outputs at the speed of memory: NaN and infinities have all
 * exponent bits set. */
static bool all_finite(const float *v, uint64_t count)
{
	uint32_t special = 0;
	for (uint64_t i = 0; i < count; i++) {
		uint32_t bits;
		memcpy(&bits, &v[i], sizeof(bits));
		special |= (bits & 0x7FFFFFFFu) >= 0x7F800000u;
	}
	return special == 0;
}

static int refuse_nonfinite(const struct ks_arg *arg, const void *values, struct ks_err *err)
{
	if (arg->dtype == KS_FLOAT32 && all_finite(values, arg->count)) {
		return 0;
	}
	for (uint64_t i = 0; i < arg->count; i++) {
		double v = ks_dtype_get(arg->dtype, values, i);
		bool allowed = isinf(v) && v < 0 && arg->tol.allow_negative_inf;
		if (!isfinite(v) && !allowed) {
			char at[128];
			coordinates(at, sizeof(at), arg, i);
			return ks_err_set(err, KS_EINVAL,
				"the reference gives %g for %s at %s; change the scenario's "
				"inputs so that every value is finite", v, arg->name, at);
		}
	}
	return 0;
}

/* The type one step down, or the type itself when there is none. */
static enum ks_dtype lower_precision(enum ks_dtype dtype)
{
	switch (dtype) {
	case KS_FLOAT64:
		return KS_FLOAT32;
	case KS_FLOAT32:
		return KS_FLOAT16;
	case KS_FLOAT16:
		return KS_BFLOAT16;
	case KS_BFLOAT16:
		return KS_FLOAT8_E4M3FN;
	default:
		return dtype;
	}
}

/* Would every element match if it were rounded to the type one step down? */
static bool lower_would_pass(const struct ks_arg *arg, const void *values)
{
	enum ks_dtype lower = lower_precision(arg->dtype);
	for (uint64_t i = 0; i < arg->count; i++) {
		double v = ks_dtype_get(arg->dtype, values, i);
		uint32_t cell;
		ks_dtype_put(lower, &cell, 0, v);
		double error = fabs(ks_dtype_get(lower, &cell, 0) - v);
		if (isfinite(v) && error > arg->tol.abs_tol + arg->tol.rel_tol * fabs(v)) {
			return false;
		}
	}
	return lower != arg->dtype;
}

int ks_lint_output(char **note, const struct ks_arg *arg, const void *values,
	struct ks_err *err)
{
	struct ks_spread s;
	uint64_t near_zero = 0;
	int rc = refuse_nonfinite(arg, values, err);
	if (rc != 0) {
		return rc;
	}
	if (note == NULL) {
		return 0;
	}
	*note = NULL;
	ks_spread_of(&s, arg->dtype, values, arg->count);
	if (arg->count < 2) {
		return 0;
	}
	for (uint64_t i = 0; i < arg->count; i++) {
		double v = fabs(ks_dtype_get(arg->dtype, values, i));
		near_zero += v <= arg->tol.abs_tol + arg->tol.rel_tol * v;
	}
	double middle = (s.max + s.min) / 2;
	double share = 100 * (double)near_zero / (double)arg->count;
	if (s.max - middle <= arg->tol.abs_tol + arg->tol.rel_tol * fabs(middle)) {
		*note = ks_asprintf("%s hardly varies (%.3g to %.3g): a constant would pass the "
			"tolerance", arg->name, s.min, s.max);
	} else if (share > 50) {
		*note = ks_asprintf("%.0f %% of %s lie within the tolerance of 0: zeros would "
			"pass there", share, arg->name);
	} else if (s.common > 0.9) {
		*note = ks_asprintf("%.0f %% of %s have the same value", 100 * s.common,
			arg->name);
	} else if (lower_would_pass(arg, values)) {
		*note = ks_asprintf("the tolerance of %s is so loose that %s results would pass",
			arg->name, ks_dtype_name(lower_precision(arg->dtype)));
	}
	return 0;
}
