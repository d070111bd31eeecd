/* One device at work: workers, checks, rounds of pairs, traces. */
#include "eval/lane.h"

#include <math.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "eval/check.h"
#include "eval/control.h"
#include "eval/doctor.h"
#include "eval/lines.h"
#include "eval/lock.h"
#include "eval/timing.h"

#define EXTRA_ROUNDS 4      /* even, for as many of each load order */
#define EXTRA_LEAST 0.05    /* of the budget, to be worth a further round */
#define MIN_TWINS 2
#define LATE_DRAWS 12       /* of variants, after the last pairs of all scenarios */
#define START_TRIES 3       /* a worker can be killed from outside */
#define GROUPS_MOST 8       /* of scenarios that share their workers */
#define GROUP_LEAST 4       /* scenarios in one */

static struct ks_result *result(struct ks_lane *l, size_t i)
{
	return &l->work->results[i];
}

static bool owns(const struct ks_lane *l, size_t i)
{
	return l->work->owner[i] == l->index;
}

/* The next scenario that nobody has, in the order of the job; -1: none. */
static ptrdiff_t take_next(struct ks_lane *l)
{
	ptrdiff_t found = -1;
	pthread_mutex_lock(&l->work->mutex);
	for (size_t i = 0; i < l->work->count && found < 0; i++) {
		if (l->work->owner[i] < 0) {
			l->work->owner[i] = l->index;
			found = (ptrdiff_t)i;
		}
	}
	pthread_mutex_unlock(&l->work->mutex);
	return found;
}

/* ---- workers ---- */

static void note_guards(struct ks_lane *l)
{
	struct ks_buf missing = {0};
	pthread_mutex_lock(&l->work->mutex);
	bool noted = l->work->noted;
	l->work->noted = true;
	pthread_mutex_unlock(&l->work->mutex);
	if (noted) {
		return;
	}
	ks_doctor_missing(&missing, ks_host_contained(l->bench.main),
		ks_host_guards(l->bench.main), &l->job.checks);
	if (missing.len > 0) {
		ks_lines_note("this machine lacks: %s", missing.ptr);
	}
	if (l->bench.unwatched[0] != '\0') {
		ks_lines_note("the worker's memory cannot be watched: %s", l->bench.unwatched);
	}
	if (!l->bench.spin) {
		ks_lines_note("judge and worker share a processor: times are less certain");
	}
	ks_buf_fini(&missing);
}

/* The loader names the file; people know it by another name. */
static void fail_load(struct ks_lane *l, const char *words)
{
	struct ks_buf text = {0};
	struct ks_str rest = ks_str_of(words);
	struct ks_str name = ks_str_of(l->job.candidate);
	for (ptrdiff_t at = ks_str_find(rest, name); at >= 0;
		at = ks_str_find(rest, name)) {
		ks_buf_add(&text, rest.ptr, (size_t)at);
		ks_buf_adds(&text, "the candidate");
		rest.ptr += (size_t)at + name.len;
		rest.len -= (size_t)at + name.len;
	}
	ks_buf_addstr(&text, rest);
	snprintf(l->load_why, sizeof(l->load_why), "%s", text.ptr);
	for (size_t i = 0; i < l->work->count; i++) {
		if (owns(l, i)) {
			ks_result_fail(result(l, i), "%s", l->load_why);
		}
	}
	ks_buf_fini(&text);
}

/* A worker that can be used. A candidate that cannot be loaded fails everything. */
static int fresh_worker(struct ks_lane *l, unsigned round, struct ks_err *err)
{
	struct ks_err inner = KS_ERR_INIT;
	int code = KS_EIO;
	l->tainted = false;
	for (int tries = 0; tries < START_TRIES && (code == KS_EIO || code == KS_ETIME); tries++) {
		ks_err_clear(&inner);
		code = ks_bench_start(&l->bench, round % 2 == 1, &inner);
	}
	bool own_code = l->work->binary->load_code[0] != '\0' &&
		(code == KS_EIO || code == KS_ETIME);
	if (own_code || (code == KS_EINVAL && strstr(inner.msg, l->job.candidate) != NULL)) {
		fail_load(l, inner.msg);
		return 0;
	}
	if (code != 0) {
		return ks_err_set(err, code, "%s", inner.msg);
	}
	note_guards(l);
	return 0;
}

static int worker_for(struct ks_lane *l, unsigned round, struct ks_err *err)
{
	if (l->load_why[0] != '\0' || (!l->tainted && ks_host_alive(l->bench.main))) {
		return 0;
	}
	return fresh_worker(l, round, err);
}

static int start_reference(struct ks_lane *l, struct ks_err *err)
{
	struct ks_err inner = KS_ERR_INIT;
	int code = KS_EIO;
	for (int tries = 0; tries < START_TRIES && code == KS_EIO; tries++) {
		ks_err_clear(&inner);
		code = ks_bench_start_reference(&l->bench, &inner);
	}
	return code == 0 ? 0 : ks_err_set(err, code, "%s", inner.msg);
}

/* The reference's worker was killed from outside: another takes its place. */
static bool reference_again(struct ks_lane *l, struct ks_result *r, int *code,
	struct ks_err *err)
{
	if (*code != KS_EIO || r->retries >= START_TRIES || ks_host_alive(l->bench.ref) ||
		!ks_host_was_killed(l->bench.ref)) {
		return false;
	}
	ks_lines_note("the reference's worker was killed in %s; once more", r->c->uuid);
	r->retries++;
	l->tainted = true; /* its scenario is begun anew in both workers */
	ks_err_clear(err);
	*code = start_reference(l, err);
	return *code == 0;
}

/* A worker that was killed from outside, or by the yardstick, says nothing about
 * the candidate: a few times. */
static bool try_again(struct ks_lane *l, struct ks_result *r, int *code, struct ks_err *err)
{
	if (reference_again(l, r, code, err)) {
		return true;
	}
	bool by_yard = r->correct && *code == 0 && r->no_yard[0] != '\0';
	if ((r->correct && *code == 0 && !by_yard) || r->retries >= START_TRIES ||
		ks_host_alive(l->bench.main) || !(by_yard || ks_host_was_killed(l->bench.main))) {
		return false;
	}
	ks_lines_note(by_yard ? "the yardstick ended the worker in %s; without it" :
		"the worker was killed in %s; once more", r->c->uuid);
	r->retries++;
	r->correct = true;
	r->why[0] = '\0';
	*code = 0;
	ks_err_clear(err);
	return true;
}

static void after_scenario(struct ks_lane *l, const struct ks_result *r)
{
	l->tainted = !r->correct || !ks_host_alive(l->bench.main);
	l->hangs += r->hung;
	if (l->hangs >= 3 && l->job.limits.call_ms > 1000) {
		l->job.limits.call_ms = 1000; /* it hangs everywhere: do not wait each time */
	}
}

/* ---- phases ---- */

void ks_lane_tell(struct ks_result *r, const struct ks_job *job)
{
	if (!r->told) {
		ks_lines_scenario(r, job);
	}
	r->told = true;
}

static int check_one(struct ks_lane *l, struct ks_result *r, struct ks_err *err)
{
	int code = 0;
	if (l->load_why[0] != '\0') {
		ks_result_fail(r, "%s", l->load_why);
		return 0;
	}
	do {
		code = worker_for(l, 0, err);
		if (code == 0 && r->correct) {
			code = ks_bench_use(&l->bench, r->c, err);
		}
		if (code == 0 && r->correct) {
			code = ks_check_full(&l->bench, r, err);
		}
	} while (try_again(l, r, &code, err));
	code = code != 0 ? code : ks_check_yard(&l->bench, r, err);
	after_scenario(l, r);
	return code != 0 ? code : l->device->ops->sync(l->device, err);
}

static int check_all(struct ks_lane *l, struct ks_err *err)
{
	int64_t began = ks_clock_mono_us();
	int code = start_reference(l, err);
	l->start_us = (double)(ks_clock_mono_us() - began);
	ptrdiff_t i = code == 0 ? take_next(l) : -1;
	if (i >= 0 && l->job.perf) { /* one for the checks, the others for the rounds */
		ks_bench_start_ahead(&l->bench, 1);
		ks_bench_start_ahead(&l->bench, l->job.workers);
	}
	for (; i >= 0; i = take_next(l)) {
		struct ks_result *r = result(l, (size_t)i);
		r->device = l->device->cuda ? l->device->info.uuid : NULL;
		ks_lines_progress(r, l->work->count, "check", 0);
		code = r->correct ? check_one(l, r, err) : 0;
		if (code != 0) {
			break;
		}
		if (!r->correct) {
			ks_lane_tell(r, &l->job);
		}
	}
	return code;
}

/* By how much the pairs of a scenario scatter, drawn half towards the others: few
 * pairs say little. All the same where nothing is known yet. */
static double scatter(const struct ks_result *r, double usual)
{
	double own = ks_pairs_scatter(r->pairs[0]);
	return usual > 0 ? (own > 0 ? own : usual) + usual : 1;
}

static double usual_scatter(struct ks_lane *l)
{
	double sum = 0, n = 0;
	for (size_t i = 0; i < l->work->count; i++) {
		double own = owns(l, i) ? ks_pairs_scatter(result(l, i)->pairs[0]) : 0;
		sum += own;
		n += own > 0 ? 1 : 0;
	}
	return n > 0 ? sum / n : 0;
}

static double weight(const struct ks_result *r, double usual)
{
	double us = r->pair_us > 0 ? r->pair_us :
		(r->seed_ns_rough + r->cand_ns_rough) / 1000 + (double)r->c->total_bytes / 1000;
	return scatter(r, usual) * sqrt(us + 50);
}

static bool open_for(const struct ks_result *r, bool extra)
{
	return r->correct && !(extra && r->tight);
}

/* In most scenarios of a worker one side is faster by a few thousandths, probably by
 * where the pages of its library happen to lie. Scenarios of different groups never
 * share a worker, so that the geometric mean is over more of them; each scenario has
 * as many as the job says. A worker has some scenarios all the same, since who is
 * careful in the first calls of a process is only seen after them. On a GPU one takes
 * too long to start. */
static size_t groups(const struct ks_lane *l)
{
	size_t n = l->work->count / GROUP_LEAST;
	n = n > GROUPS_MOST ? GROUPS_MOST : n;
	return n < 1 || l->device->cuda ? 1 : n;
}

static bool due(struct ks_lane *l, size_t i, bool extra)
{
	return owns(l, i) && open_for(result(l, i), extra);
}

static int one_block(struct ks_lane *l, struct ks_result *r, const struct ks_block *block,
	struct ks_err *err)
{
	int code = 0;
	ks_lines_progress(r, l->work->count, "time", block->round + 1);
	do {
		code = worker_for(l, block->round, err);
		if (code == 0 && r->correct) {
			code = ks_timing_block(&l->bench, r, block, err);
		}
	} while (try_again(l, r, &code, err));
	after_scenario(l, r);
	code = code != 0 ? code : l->device->ops->sync(l->device, err);
	ks_timing_finish(r, &l->job);
	return code;
}

/* The budget is shared by the scatter of a pair times the square root of its cost,
 * for the least error of the geometric mean (Neyman 1934, optimum allocation). */
static int one_round(struct ks_lane *l, unsigned round, double budget_us, bool extra,
	bool last, struct ks_err *err)
{
	double total = 0, usual = usual_scatter(l);
	size_t count = l->work->count, ngroups = groups(l);
	int code = 0;
	for (size_t i = 0; i < count; i++) {
		total += due(l, i, extra) ? weight(result(l, i), usual) : 0;
	}
	for (size_t g = 0; g < ngroups; g++) {
		bool begun = false;
		for (size_t i = g; i < count && code == 0; i += ngroups) {
			struct ks_result *r = result(l, i);
			if (!due(l, i, extra)) {
				continue;
			}
			code = begun ? 0 : fresh_worker(l, round, err);
			begun = true;
			r->group = (unsigned)l->index * GROUPS_MOST + (unsigned)g;
			struct ks_block block = {.round = round, .rounds = l->job.workers,
				.budget_us = budget_us * weight(r, usual) / total,
				.min_twins = MIN_TWINS, .last = last,
				.bent = LATE_DRAWS / (unsigned)count + 1};
			code = code != 0 ? code : one_block(l, r, &block, err);
		}
	}
	return code;
}

static double spent_us(struct ks_lane *l)
{
	double sum = 0;
	for (size_t i = 0; i < l->work->count; i++) {
		sum += owns(l, i) ? result(l, i)->spent_us : 0;
	}
	return sum;
}

static bool all_tight(struct ks_lane *l)
{
	for (size_t i = 0; i < l->work->count; i++) {
		if (owns(l, i) && open_for(result(l, i), true)) {
			return false;
		}
	}
	return true;
}

/* Of several devices, which work at the same time, each has its part of the budget. */
static double budget_us(struct ks_lane *l)
{
	size_t own = 0;
	for (size_t i = 0; i < l->work->count; i++) {
		own += owns(l, i);
	}
	return l->job.budget_ms * 1000 * (double)own / (double)l->work->count;
}

/* Further rounds take time for their workers beyond the budget: not for less than
 * that to measure. */
static int time_all(struct ks_lane *l, struct ks_err *err)
{
	double budget = budget_us(l);
	double least = fmax(EXTRA_LEAST * budget, EXTRA_ROUNDS * l->start_us);
	unsigned rounds = l->job.workers;
	unsigned most = ks_check_on(&l->job.checks, KS_CHECK_WORKERS) ?
		rounds + EXTRA_ROUNDS : rounds;
	int code = 0;
	ks_bench_settle(&l->bench);
	for (unsigned w = 0; w < rounds && code == 0; w++) {
		double left = budget - spent_us(l);
		code = one_round(l, w, left / (double)(rounds - w), false, w + 1 == rounds, err);
	}
	for (unsigned w = rounds; w < most && code == 0; w++) {
		double left = budget - spent_us(l);
		if (w % 2 == 0 && (left < least || all_tight(l))) {
			break;
		}
		if (w == rounds) {
			ks_bench_start_ahead(&l->bench, most - rounds);
			ks_bench_settle(&l->bench);
		}
		left /= (double)(most - w);
		code = one_round(l, w, left, true, false, err);
	}
	return code;
}

/* What a call does on the GPU, once a side, apart from all timing. */
static void trace_all(struct ks_lane *l)
{
	struct ks_err err = KS_ERR_INIT;
	int code = ks_bench_start_traced(&l->bench, &err);
	for (size_t i = 0; i < l->work->count && code == 0; i++) {
		if (owns(l, i) && result(l, i)->correct) {
			code = ks_timing_trace(&l->bench, result(l, i), &err);
		}
	}
	if (code != 0) {
		ks_lines_note("calls were not traced: %s", err.msg);
	}
}

/* The seed alone, over what is ours: a copy side by side, given back after. */
static void control(struct ks_lane *l)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_result *own = ks_zalloc(l->work->count, sizeof(*own));
	size_t n = 0, back = 0;
	for (size_t i = 0; i < l->work->count; i++) {
		if (owns(l, i)) {
			own[n++] = *result(l, i);
		}
	}
	if (ks_control_wanted(own, n, &l->job) &&
		ks_control_seed(&l->bench, own, n, &err) != 0) {
		ks_lines_note("the seed was not timed alone: %s", err.msg);
	}
	for (size_t i = 0; i < l->work->count; i++) {
		if (owns(l, i)) {
			*result(l, i) = own[back++];
		}
	}
	free(own);
}

static void tell_waiting(const char *path)
{
	ks_lines_note("waiting: another evaluation is measuring on this machine (%s)", path);
}

static int take_lock(struct ks_lane *l, struct ks_err *err)
{
	char name[80] = "kseek-cpu-0";
	if (l->device->cuda) {
		snprintf(name, sizeof(name), "kseek-gpu-%s", l->device->info.uuid);
	}
	return ks_lock_take(name, tell_waiting, err);
}

/* NVML is a help, no need. */
static struct ks_nvml *open_nvml(const struct ks_lane *l)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_nvml *nvml = NULL;
	if (l->device->cuda && ks_nvml_open(&nvml, l->device->info.uuid,
		l->device->driver_dir, &err) != 0) {
		ks_lines_note("clocks and throttling are not read: %s", err.msg);
	}
	return nvml;
}

static int open_device(struct ks_lane *l, struct ks_err *err)
{
	if (l->device != NULL) {
		return 0; /* of a pass before */
	}
	if (l->job.cuda == NULL) {
		l->device = ks_device_cpu();
		return 0;
	}
	return ks_device_cuda(&l->device, l->job.cuda, l->uuid, err);
}

static int judge_own(struct ks_lane *l, struct ks_err *err)
{
	struct ks_nvml *nvml = open_nvml(l); /* its thread is not to share our processor */
	int code = ks_bench_init(&l->bench, l->device, &l->job, l->work->symbol, l->work->cases,
		l->work->count, err);
	l->bench.nvml = nvml;
	l->bench.only = l->alone;
	code = code != 0 ? code : check_all(l, err);
	if (code == 0 && l->job.perf) {
		code = time_all(l, err);
	}
	if (code == 0 && l->device->cuda && l->job.trace) {
		trace_all(l);
	}
	if (code == 0 && l->job.perf) {
		control(l);
	}
	ks_nvml_close(nvml);
	ks_bench_fini(&l->bench);
	return code;
}

int ks_lane_run(struct ks_lane *l)
{
	int lock = -1;
	ks_err_clear(&l->err);
	l->code = open_device(l, &l->err);
	if (l->code == 0) {
		lock = take_lock(l, &l->err);
		l->code = lock < 0 ? lock : judge_own(l, &l->err);
	}
	if (lock >= 0) {
		close(lock);
	}
	for (size_t i = 0; l->code == 0 && i < l->work->count; i++) {
		l->work->owner[i] += owns(l, i) ? KS_LANE_DONE : 0;
	}
	return l->code;
}

void ks_lane_fini(struct ks_lane *l)
{
	ks_device_free(l->device);
	l->device = NULL;
}
