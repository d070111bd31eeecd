/* Full checks and the check of a timed pair. */
#include "eval/check.h"

#include <math.h>
#include <unistd.h>

#include "base/mem.h"
#include "eval/compare.h"

/* "A small multiple of the seed's error": fast polynomials and other orders of
 * addition stay below; a shorter type inside does not. */
#define ERROR_FACTOR 64.0
/* In bent draws the seed itself may miss the tolerance; then this times its error. */
#define BENT_FACTOR 2.0
#define SLOWER_MAX 50
#define FIRST_MS 1000
#define DYING_MS 200
#define HOME_EVERY 4 /* pairs, of which one is drawn: stopping the worker costs something */
#define FIRST_GPU_MS 5000 /* code is sent to the GPU when it is first called */

static bool on(const struct ks_bench *b, enum ks_check check)
{
	return ks_check_on(&b->job->checks, check);
}

int64_t ks_check_limit_ms(const struct ks_bench *b, const struct ks_result *r)
{
	int64_t most = b->job->limits.call_ms;
	if (!on(b, KS_CHECK_TIME)) {
		return most;
	}
	int64_t first = b->device->cuda ? FIRST_GPU_MS : FIRST_MS;
	int64_t fair = first + (int64_t)(r->seed_ns_rough / 1e6 * SLOWER_MAX);
	return fair < most ? fair : most;
}

void ks_check_blame(struct ks_result *r, int code, const struct ks_err *err,
	const char *when)
{
	if (code == KS_ETIME) {
		r->hung = true;
		ks_result_fail(r, "the call %s (%s); a call may take at most %d times the seed's",
			err->msg, when, SLOWER_MAX);
	} else {
		ks_result_fail(r, "the candidate %s (%s)", err->msg, when);
	}
}

/* ---- one draw ---- */

static int call_seed(struct ks_bench *b, struct ks_result *r, bool first, struct ks_err *err)
{
	struct ks_call call;
	struct ks_err inner = KS_ERR_INIT;
	int code = ks_bench_call(&call, b, KS_SIDE_SEED, true, b->job->limits.call_ms, &inner);
	if (code == 0) {
		r->seed_ns_rough = call.worker_ns;
		return 0;
	}
	if (!first) {
		ks_result_fail(r, "the seed %s after the candidate had run", inner.msg);
		return 0;
	}
	return ks_err_set(err, code, "scenario %s: the seed %s", r->c->uuid, inner.msg);
}

static void call_candidate(struct ks_bench *b, struct ks_result *r, const char *when)
{
	struct ks_call call;
	struct ks_err inner = KS_ERR_INIT;
	int code = ks_bench_call(&call, b, KS_SIDE_CAND, true, ks_check_limit_ms(b, r), &inner);
	if (code != 0) {
		ks_check_blame(r, code, &inner, when);
	} else {
		r->cand_ns_rough = call.worker_ns;
	}
}

static int begin_reference(struct ks_bench *b, const struct ks_result *r, struct ks_err *err)
{
	struct ks_err inner = KS_ERR_INIT;
	int code = ks_bench_begin_reference(b, &inner);
	return code == 0 ? 0 : ks_err_set(err, code, "scenario %s: the reference %s", r->c->uuid,
		inner.msg);
}

static int end_reference(struct ks_bench *b, const struct ks_result *r, struct ks_err *err)
{
	struct ks_err inner = KS_ERR_INIT;
	int code = ks_bench_end_reference(b, b->job->limits.call_ms * 6, &inner);
	return code == 0 ? 0 : ks_err_set(err, code, "scenario %s: the reference %s", r->c->uuid,
		inner.msg);
}

static int call_reference(struct ks_bench *b, const struct ks_result *r, struct ks_err *err)
{
	int code = begin_reference(b, r, err);
	return code != 0 ? code : end_reference(b, r, err);
}

static void keep_worst(double *worst, double value)
{
	if (value > *worst || isnan(value)) {
		*worst = value;
	}
}

static double finite_or_zero(double v)
{
	return isfinite(v) ? v : 0;
}

/* One side's answer against another's. */
static void compare(struct ks_bench *b, struct ks_compare *out, enum ks_side got,
	enum ks_side want, unsigned slot, const struct ks_tolerance *tol)
{
	const struct ks_arg *a = &b->c->args[b->layout.arg_of[slot]];
	b->device->ops->compare(b->device, out, tol, a->dtype, ks_bench_answer(b, got, slot),
		ks_bench_answer(b, want, slot), a->count);
}

struct verdicts {
	bool seed_ok, finite;
	char why[256]; /* the seed is not: of the first such output */
};

/* Seed and reference: may this draw be held against a candidate? */
static struct verdicts judge_seed(struct ks_bench *b, struct ks_result *r)
{
	struct verdicts v = {.seed_ok = true, .finite = true};
	for (unsigned i = 0; i < b->layout.nslots; i++) {
		const struct ks_arg *a = &r->c->args[b->layout.arg_of[i]];
		const void *want = ks_bench_answer(b, KS_SIDE_REF, i);
		struct ks_compare cmp;
		if (want == NULL) {
			continue;
		}
		v.finite = v.finite && b->device->ops->finite(b->device, a, want);
		compare(b, &cmp, KS_SIDE_SEED, KS_SIDE_REF, i, &a->tol);
		if (v.seed_ok && !cmp.ok) {
			ks_compare_why(v.why, sizeof(v.why), &cmp, a);
			v.seed_ok = false;
		}
	}
	return v;
}

static void judge_output(struct ks_bench *b, struct ks_result *r, unsigned slot, bool seed_ok,
	const char *when)
{
	const struct ks_arg *a = &r->c->args[b->layout.arg_of[slot]];
	const void *want = ks_bench_answer(b, KS_SIDE_REF, slot);
	struct ks_compare cand, seed;
	char text[256];
	if (want == NULL) {
		return;
	}
	compare(b, &cand, KS_SIDE_CAND, KS_SIDE_REF, slot, &a->tol);
	compare(b, &seed, KS_SIDE_SEED, KS_SIDE_REF, slot, &a->tol);
	bool bent_ok = !seed_ok && cand.nonfinite <= seed.nonfinite &&
		cand.rms <= BENT_FACTOR * seed.rms;
	if (on(b, KS_CHECK_REFERENCE) && !cand.ok && !bent_ok) {
		ks_compare_why(text, sizeof(text), &cand, a);
		ks_result_fail(r, "wrong: %s (%s)", text, when);
	} else if (on(b, KS_CHECK_PRECISION) && on(b, KS_CHECK_REFERENCE) &&
		!ks_compare_error_ok(&cand, &seed, a->dtype, ERROR_FACTOR)) {
		ks_result_fail(r, "less precise than the seed: error %.2g of %s, the seed's is "
			"%.2g (%s)", cand.rms, a->name, seed.rms, when);
	}
	keep_worst(&r->error, finite_or_zero(cand.max_abs));
	keep_worst(&r->seed_error, finite_or_zero(seed.max_abs));
	if (seed.rms > r->seed_rms[slot] && seed_ok) {
		r->seed_rms[slot] = seed.rms;
	}
	if (seed_ok) {
		keep_worst(&r->error_ratio, cand.error_ratio);
		keep_worst(&r->seed_ratio, seed.error_ratio);
	}
}

/* Seed and candidate, in an order that the candidate cannot know. */
static int call_both(struct ks_bench *b, struct ks_result *r, bool first, const char *when,
	struct ks_err *err)
{
	bool seed_first = first || !on(b, KS_CHECK_ORDER) || ks_bench_random(b) % 2 == 0;
	int code = 0;
	if (!seed_first) {
		call_candidate(b, r, when);
	}
	if (r->correct) {
		code = call_seed(b, r, first, err);
	}
	if (code == 0 && r->correct && seed_first) {
		call_candidate(b, r, when);
	}
	return code;
}

static int one_draw(struct ks_bench *b, struct ks_result *r, enum ks_variant variant,
	enum ks_place place, bool first, struct ks_err *err)
{
	char when[64];
	snprintf(when, sizeof(when), "%s draw%s", ks_variant_name(variant),
		place == KS_PLACE_EDGE ? " at the edge of its memory" :
		place == KS_PLACE_SAME ? " at the same addresses" : "");
	ks_bench_fill(b, r->calls++, variant, place);
	int code = begin_reference(b, r, err);
	if (code == 0 && !b->sealed) { /* inputs might be changed under its eyes */
		code = end_reference(b, r, err);
	}
	bool running = code == 0 && b->sealed;
	code = code != 0 ? code : call_both(b, r, first, when, err);
	if (running) {
		int late = end_reference(b, r, err);
		code = code != 0 ? code : late;
	}
	if (code != 0 || !r->correct) {
		return code;
	}
	struct verdicts v = judge_seed(b, r);
	if (variant == KS_PLAIN && (!v.finite || !v.seed_ok)) {
		return ks_err_set(err, KS_EINVAL, "scenario %s: %s%s; %s", r->c->uuid,
			v.finite ? "the seed's answer is not the reference's: " :
			"the reference's answer is not finite", v.finite ? v.why : "",
			v.finite ? "mend seed or reference, or set a tolerance" :
			"mend the reference, or how its inputs are made");
	}
	for (unsigned i = 0; v.finite && i < b->layout.nslots; i++) {
		judge_output(b, r, i, v.seed_ok, when);
	}
	ks_bench_poison_from(b, KS_SIDE_REF);
	return 0;
}

/* An answer to other inputs, so that even the first call is poisoned. */
static int first_poison(struct ks_bench *b, struct ks_result *r, struct ks_err *err)
{
	ks_bench_fill(b, r->calls++, KS_PLAIN, KS_PLACE_RANDOM);
	int code = call_reference(b, r, err);
	if (code == 0) {
		ks_bench_poison_from(b, KS_SIDE_REF);
	}
	return code;
}

int ks_check_full(struct ks_bench *b, struct ks_result *r, struct ks_err *err)
{
	ks_host_spin(b->main, false); /* the reference runs on our processor */
	int code = first_poison(b, r, err);
	code = code != 0 ? code : one_draw(b, r, KS_PLAIN, KS_PLACE_RANDOM, true, err);
	if (code == 0 && r->correct) { /* new contents at the same addresses */
		code = one_draw(b, r, KS_PLAIN, KS_PLACE_SAME, false, err);
	}
	if (code == 0 && r->correct && !b->device->cuda) { /* no unreadable pages there */
		code = one_draw(b, r, KS_PLAIN, KS_PLACE_EDGE, false, err);
	}
	for (int v = KS_PLAIN + 1; v < KS_VARIANT_COUNT && code == 0 && r->correct; v++) {
		bool wanted = on(b, KS_CHECK_VARIANTS) && !b->job->confirm;
		if ((r->c->variants & (1u << v)) != 0 && wanted) {
			code = one_draw(b, r, (enum ks_variant)v, KS_PLACE_RANDOM, false, err);
		}
	}
	ks_host_spin(b->main, b->spin);
	ks_check_guards(b, r, true);
	return code;
}

int ks_check_bent(struct ks_bench *b, struct ks_result *r, unsigned draws, struct ks_err *err)
{
	enum ks_variant bent[KS_VARIANT_COUNT];
	unsigned n = 0;
	for (int v = KS_PLAIN + 1; v < KS_VARIANT_COUNT; v++) {
		if ((r->c->variants & (1u << v)) != 0) {
			bent[n++] = (enum ks_variant)v;
		}
	}
	if (n == 0 || !on(b, KS_CHECK_VARIANTS) || b->ref == NULL) {
		return 0;
	}
	unsigned at = ks_bench_random(b);
	int code = 0;
	ks_host_spin(b->main, false);
	for (unsigned i = 0; i < draws && i < n && code == 0 && r->correct; i++) {
		code = one_draw(b, r, bent[(at % n + i) % n], KS_PLACE_RANDOM, false, err);
	}
	ks_host_spin(b->main, b->spin);
	return code;
}

int ks_check_yard(struct ks_bench *b, struct ks_result *r, struct ks_err *err)
{
	struct ks_call call;
	struct ks_err inner = KS_ERR_INIT;
	if (b->job->yardstick == NULL || !r->correct) {
		return 0;
	}
	ks_bench_fill(b, r->calls++, KS_PLAIN, KS_PLACE_RANDOM);
	int code = call_reference(b, r, err);
	if (code != 0) {
		return code;
	}
	if (ks_bench_call(&call, b, KS_SIDE_YARD, true, b->job->limits.call_ms, &inner) != 0) {
		snprintf(r->no_yard, sizeof(r->no_yard), "it %.150s", inner.msg);
		return 0;
	}
	for (unsigned i = 0; i < b->layout.nslots && r->no_yard[0] == '\0'; i++) {
		const struct ks_arg *a = &r->c->args[b->layout.arg_of[i]];
		struct ks_compare cmp;
		if (ks_bench_answer(b, KS_SIDE_REF, i) == NULL) {
			continue;
		}
		compare(b, &cmp, KS_SIDE_YARD, KS_SIDE_REF, i, &a->tol);
		if (!cmp.ok) {
			ks_compare_why(r->no_yard, sizeof(r->no_yard), &cmp, a);
		}
	}
	return 0;
}

void ks_check_guards(struct ks_bench *b, struct ks_result *r, bool at_rest)
{
	struct ks_err inner = KS_ERR_INIT;
	unsigned what = on(b, KS_CHECK_TEXT) ? KS_WATCH_TEXT : 0;
	what |= on(b, KS_CHECK_MAPS) ? KS_WATCH_MAPS : 0;
	if (b->watch == NULL || !r->correct || !ks_host_alive(b->main)) {
		return;
	}
	int code = ks_watch_check(b->watch, what, &inner);
	if (code == 0 && at_rest && b->control && on(b, KS_CHECK_CONTROL)) {
		code = ks_watch_control(b->watch, &inner);
	}
	/* one that is being killed cannot be read any more, and cannot be waited for yet */
	for (int ms = 0; code == KS_EIO && ms < DYING_MS && ks_host_alive(b->main); ms++) {
		usleep(1000);
	}
	if (code != 0 && !ks_host_alive(b->main)) {
		ks_result_fail(r, "the process ended between two calls");
	} else if (code != 0 && code != KS_EUNSUPPORTED) {
		ks_result_fail(r, "the candidate %s", inner.msg);
	}
}

/* ---- timed pairs ---- */

/* Behind a pair, in which nobody can foresee it. */
static void look_home(struct ks_bench *b, struct ks_result *r)
{
	struct ks_err inner = KS_ERR_INIT;
	if (on(b, KS_CHECK_CONTROL) && ks_bench_random(b) % HOME_EVERY == 0 &&
		ks_bench_look_home(b, &inner) != 0) {
		ks_result_fail(r, "the candidate %s", inner.msg);
	}
}

void ks_check_pair(struct ks_bench *b, struct ks_result *r, const char *when)
{
	look_home(b, r);
	for (unsigned i = 0; i < b->layout.nslots && on(b, KS_CHECK_PAIRS); i++) {
		const struct ks_arg *a = &r->c->args[b->layout.arg_of[i]];
		const void *want = ks_bench_answer(b, KS_SIDE_SEED, i);
		struct ks_compare cmp;
		char text[256];
		if (want == NULL) {
			continue;
		}
		/* both sides may be off the truth: the candidate by the tolerance, the
		 * seed by what it was seen to be off */
		struct ks_tolerance tol = a->tol;
		double wider = 1 + (r->seed_ratio < 1 ? r->seed_ratio : 1);
		tol.abs_tol *= wider;
		tol.rel_tol *= wider;
		compare(b, &cmp, KS_SIDE_CAND, KS_SIDE_SEED, i, &tol);
		struct ks_compare seed = {.rms = r->seed_rms[i]};
		if (!cmp.ok) {
			ks_compare_why(text, sizeof(text), &cmp, a);
			ks_result_fail(r, "wrong: %s (%s)", text, when);
		} else if (on(b, KS_CHECK_PRECISION) &&
			!ks_compare_error_ok(&cmp, &seed, a->dtype, ERROR_FACTOR + 1)) {
			ks_result_fail(r, "less precise than in the checks: off by %.2g in %s (%s)",
				cmp.rms, a->name, when);
		}
	}
}

int ks_check_after(struct ks_bench *b, struct ks_result *r, struct ks_err *err)
{
	if (!on(b, KS_CHECK_AFTER)) {
		return 0;
	}
	int code = call_reference(b, r, err);
	struct verdicts v = {.seed_ok = true, .finite = true};
	if (code == 0) {
		v = judge_seed(b, r);
	}
	for (unsigned i = 0; code == 0 && v.finite && i < b->layout.nslots; i++) {
		judge_output(b, r, i, v.seed_ok, "a timed pair");
	}
	return code;
}
