/*
 * kseek-judge: decides whether a candidate is correct and how much faster it
 * is than the seed. It never loads a kernel: seed and candidate live in one
 * worker, the reference in another, and expected values are mapped by neither
 * of the workers that hold a candidate.
 *
 * An evaluation: look at the built files, take the device's lock, full checks
 * of every scenario, then rounds of timed pairs, each round in a fresh worker
 * with the other load order, then the verdicts over all scenarios.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "eval/bench.h"
#include "eval/check.h"
#include "eval/contain.h"
#include "eval/control.h"
#include "eval/doctor.h"
#include "eval/evidence.h"
#include "eval/lines.h"
#include "eval/lock.h"
#include "eval/probe.h"
#include "eval/probe_cuda.h"
#include "eval/symbols.h"
#include "eval/timing.h"

#define EXTRA_ROUNDS 4      /* even, for as many of each load order */
#define MIN_TWINS 3
#define START_TRIES 3       /* a worker can be killed from outside */
#define RELATIVE_FLOOR 0.01 /* log units: less than 1 % is "same"    */
#define ABSOLUTE_NS 50.0    /* and so is less than 50 ns             */
#define FALSE_RATE 0.05

struct judge {
	struct ks_job job;
	struct ks_problem *problem;
	struct ks_case **cases;
	struct ks_result *results;
	size_t count;
	struct ks_device *device;
	struct ks_bench bench;
	struct ks_binary binary;
	bool tainted;  /* the worker must be replaced before the next scenario */
	unsigned hangs;
	int64_t start_us;
	bool noted;
};

static bool on(const struct judge *j, enum ks_check check)
{
	return ks_check_on(&j->job.checks, check);
}

/* ---- what is judged ---- */

static int choose(struct judge *j, struct ks_err *err)
{
	size_t all = ks_problem_scenarios(j->problem);
	j->cases = ks_zalloc(all + 1, sizeof(j->cases[0]));
	for (size_t i = 0; i < j->job.nscenarios; i++) {
		if (ks_problem_find(j->problem, j->job.scenarios[i]) < 0) {
			return ks_err_set(err, KS_EINVAL, "job: $.scenarios[%zu]: no scenario is "
				"called \"%.64s\"", i, j->job.scenarios[i]);
		}
	}
	for (size_t i = 0; i < all; i++) {
		bool wanted = j->job.scenarios == NULL;
		for (size_t k = 0; !wanted && k < j->job.nscenarios; k++) {
			wanted = strcmp(j->job.scenarios[k], ks_problem_uuid(j->problem, i)) == 0;
		}
		wanted = wanted || ks_problem_heldout(j->problem, i);
		int code = wanted ? ks_case_new(&j->cases[j->count], j->problem, i, err) : 0;
		if (code != 0) {
			return code;
		}
		j->count += wanted;
	}
	return j->count > 0 ? 0 : ks_err_set(err, KS_EINVAL, "job: no scenario is left to judge");
}

static int open_device(struct judge *j, struct ks_err *err)
{
	if (j->job.cuda == NULL) {
		j->device = ks_device_cpu();
		return 0;
	}
	return ks_device_cuda(&j->device, j->job.cuda,
		j->job.ndevices > 0 ? j->job.devices[0] : NULL, err);
}

static int prepare(struct judge *j, struct ks_err *err)
{
	int code = ks_problem_load(&j->problem, j->job.problem, err);
	if (code == 0 && j->job.held_out != NULL && on(j, KS_CHECK_HELDOUT)) {
		code = ks_problem_add_set(j->problem, j->job.held_out, true, err);
	}
	code = code != 0 ? code : ks_problem_check_target(j->problem, j->job.target, err);
	code = code != 0 ? code : choose(j, err);
	if (code != 0) {
		return code;
	}
	j->results = ks_zalloc(j->count, sizeof(j->results[0]));
	for (size_t i = 0; i < j->count; i++) {
		ks_result_init(&j->results[i], j->cases[i], i);
	}
	code = open_device(j, err);
	if (code != 0) {
		return code;
	}
	for (size_t i = 0; i < j->count; i++) {
		j->results[i].device = j->device->cuda ? j->device->info.uuid : NULL;
	}
	return ks_bench_init(&j->bench, j->device, &j->job, ks_problem_symbol(j->problem),
		j->cases, j->count, err);
}

static void fail_all(struct judge *j, const char *why)
{
	for (size_t i = 0; i < j->count; i++) {
		ks_result_fail(&j->results[i], "%s", why);
	}
}

/* Words that the goal forbids, among all names and not only those that are told. */
static int look_at_names(struct judge *j)
{
	for (size_t i = 0; i < j->job.nbanned && on(j, KS_CHECK_NAMES); i++) {
		const char *name = ks_binary_mentions(&j->binary, j->job.banned[i]);
		if (name != NULL) {
			char why[KS_WHY_MAX];
			snprintf(why, sizeof(why), "holds the name %.200s, and the goal allows no "
				"%.80s", name, j->job.banned[i]);
			fail_all(j, why);
		}
	}
	return 0;
}

/* The built file alone: what it imports, what it would run at load. */
static int look_at_file(struct judge *j, struct ks_err *err)
{
	struct ks_err inner = KS_ERR_INIT;
	unsigned may = (j->job.threads > 1 ? KS_MAY_THREADS : 0) |
		(j->job.cuda != NULL ? KS_MAY_CUDA : 0);
	int code = ks_binary_load(&j->binary, j->job.candidate, err);
	if (code != 0) {
		return code;
	}
	if (on(j, KS_CHECK_CONSTRUCTORS) && ks_binary_check_load(&j->binary, may, &inner) != 0) {
		fail_all(j, inner.msg);
	}
	ks_err_clear(&inner);
	if (on(j, KS_CHECK_IMPORTS) && ks_binary_check_imports(&j->binary, may, &inner) != 0) {
		fail_all(j, inner.msg);
	}
	ks_err_clear(&inner);
	if (on(j, KS_CHECK_EMBEDDED) && ks_binary_check_embedded(&j->binary, &inner) != 0) {
		fail_all(j, inner.msg);
	}
	return look_at_names(j);
}

/* ---- workers ---- */

static void note_guards(struct judge *j)
{
	struct ks_buf missing = {0};
	if (j->noted) {
		return;
	}
	j->noted = true;
	ks_doctor_missing(&missing, ks_host_contained(j->bench.main),
		ks_host_guards(j->bench.main), &j->job.checks);
	if (missing.len > 0) {
		ks_lines_note("this machine lacks: %s", missing.ptr);
	}
	if (j->bench.unwatched[0] != '\0') {
		ks_lines_note("the worker's memory cannot be watched: %s", j->bench.unwatched);
	}
	if (!j->bench.spin) {
		ks_lines_note("judge and worker share a processor: times are less certain");
	}
	ks_buf_fini(&missing);
}

/* The loader names the file; people know it by another name. */
static void fail_load(struct judge *j, const char *words)
{
	struct ks_buf text = {0};
	struct ks_str rest = ks_str_of(words);
	struct ks_str name = ks_str_of(j->job.candidate);
	for (ptrdiff_t at = ks_str_find(rest, name); at >= 0;
		at = ks_str_find(rest, name)) {
		ks_buf_add(&text, rest.ptr, (size_t)at);
		ks_buf_adds(&text, "the candidate");
		rest.ptr += (size_t)at + name.len;
		rest.len -= (size_t)at + name.len;
	}
	ks_buf_addstr(&text, rest);
	fail_all(j, text.ptr);
	ks_buf_fini(&text);
}

/* A worker that can be used. A candidate that cannot be loaded fails everything. */
static int fresh_worker(struct judge *j, unsigned round, struct ks_err *err)
{
	struct ks_err inner = KS_ERR_INIT;
	int code = KS_EIO;
	j->tainted = false;
	for (int tries = 0; tries < START_TRIES && (code == KS_EIO || code == KS_ETIME); tries++) {
		ks_err_clear(&inner);
		code = ks_bench_start(&j->bench, round % 2 == 1, &inner);
	}
	bool own_code = j->binary.load_code[0] != '\0' && (code == KS_EIO || code == KS_ETIME);
	if (own_code || (code == KS_EINVAL && strstr(inner.msg, j->job.candidate) != NULL)) {
		fail_load(j, inner.msg);
		return 0;
	}
	if (code != 0) {
		return ks_err_set(err, code, "%s", inner.msg);
	}
	note_guards(j);
	return 0;
}

static int worker_for(struct judge *j, unsigned round, struct ks_err *err)
{
	if (!j->tainted && ks_host_alive(j->bench.main)) {
		return 0;
	}
	return fresh_worker(j, round, err);
}

/* A worker that was killed from outside, or by the yardstick, says nothing about
 * the candidate: a few times. */
static bool try_again(struct judge *j, struct ks_result *r, int *code, struct ks_err *err)
{
	bool by_yard = r->correct && *code == 0 && r->no_yard[0] != '\0';
	if ((r->correct && *code == 0 && !by_yard) || r->retries >= START_TRIES ||
		ks_host_alive(j->bench.main) || !(by_yard || ks_host_was_killed(j->bench.main))) {
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

static void after_scenario(struct judge *j, const struct ks_result *r)
{
	j->tainted = !r->correct || !ks_host_alive(j->bench.main);
	j->hangs += r->hung;
	if (j->hangs >= 3 && j->job.limits.call_ms > 1000) {
		j->job.limits.call_ms = 1000; /* it hangs everywhere: do not wait each time */
	}
}

/* ---- phases ---- */

static void tell(const struct judge *j, struct ks_result *r)
{
	if (!r->told) {
		ks_lines_scenario(r, &j->job);
	}
	r->told = true;
}

static int check_one(struct judge *j, struct ks_result *r, struct ks_err *err)
{
	int code = 0;
	do {
		code = worker_for(j, 0, err);
		if (code == 0 && r->correct) {
			code = ks_bench_use(&j->bench, r->c, err);
		}
		if (code == 0 && r->correct) {
			code = ks_check_full(&j->bench, r, err);
		}
	} while (try_again(j, r, &code, err));
	code = code != 0 ? code : ks_check_yard(&j->bench, r, err);
	after_scenario(j, r);
	return code != 0 ? code : j->device->ops->sync(j->device, err);
}

static int check_all(struct judge *j, struct ks_err *err)
{
	int code = ks_bench_start_reference(&j->bench, err);
	for (size_t i = 0; i < j->count && code == 0; i++) {
		struct ks_result *r = &j->results[i];
		ks_lines_progress(r, j->count, "check", 0);
		if (r->correct) {
			code = check_one(j, r, err);
		}
		if (code == 0 && !r->correct) {
			tell(j, r);
		}
	}
	return code;
}

static double weight(const struct ks_result *r)
{
	double us = r->pair_us > 0 ? r->pair_us :
		(r->seed_ns_rough + r->cand_ns_rough) / 1000 + (double)r->c->total_bytes / 1000;
	return sqrt(us + 50);
}

static bool open_for(const struct ks_result *r, bool extra)
{
	return r->correct && !(extra && r->tight);
}

/* Money is shared by the square root of what a pair costs: dear scenarios get
 * more of it, cheap ones more pairs. */
static int one_round(struct judge *j, unsigned round, double budget_us, bool extra,
	bool last, struct ks_err *err)
{
	double total = 0;
	for (size_t i = 0; i < j->count; i++) {
		total += open_for(&j->results[i], extra) ? weight(&j->results[i]) : 0;
	}
	int code = total > 0 ? fresh_worker(j, round, err) : 0;
	for (size_t i = 0; i < j->count && code == 0; i++) {
		struct ks_result *r = &j->results[i];
		if (!open_for(r, extra)) {
			continue;
		}
		ks_lines_progress(r, j->count, "time", round + 1);
		struct ks_block block = {.round = round, .rounds = j->job.workers,
			.budget_us = budget_us * weight(r) / total, .min_twins = MIN_TWINS,
			.half_width = j->job.half_width, .last = last};
		do {
			code = worker_for(j, round, err);
			if (code == 0 && r->correct) {
				code = ks_timing_block(&j->bench, r, &block, err);
			}
		} while (try_again(j, r, &code, err));
		after_scenario(j, r);
		code = code != 0 ? code : j->device->ops->sync(j->device, err);
		ks_timing_finish(r, &j->job);
	}
	return code;
}

static double spent_us(const struct judge *j)
{
	double sum = 0;
	for (size_t i = 0; i < j->count; i++) {
		sum += j->results[i].spent_us;
	}
	return sum;
}

static bool all_tight(const struct judge *j)
{
	for (size_t i = 0; i < j->count; i++) {
		if (open_for(&j->results[i], true)) {
			return false;
		}
	}
	return true;
}

static int time_all(struct judge *j, struct ks_err *err)
{
	double budget = j->job.budget_ms * 1000;
	unsigned rounds = j->job.workers;
	int code = 0;
	for (unsigned w = 0; w < rounds && code == 0; w++) {
		double left = budget - spent_us(j);
		code = one_round(j, w, left / (double)(rounds - w), false, w + 1 == rounds, err);
	}
	for (unsigned w = rounds; w < rounds + EXTRA_ROUNDS && code == 0; w++) {
		double left = budget - spent_us(j);
		if (w % 2 == 0 && (left < budget * 0.05 || all_tight(j))) {
			break;
		}
		left /= (double)(rounds + EXTRA_ROUNDS - w);
		code = one_round(j, w, left, true, false, err);
	}
	return code;
}

/* ---- the end ---- */

static void verdicts(struct judge *j)
{
	double *p = ks_zalloc(j->count, sizeof(*p));
	bool *keep = ks_zalloc(j->count, sizeof(*keep));
	for (size_t i = 0; i < j->count; i++) {
		struct ks_result *r = &j->results[i];
		bool timed = r->correct && r->est.pairs > 0;
		p[i] = timed ? ks_pairs_p(&r->est, r->band) : 1;
	}
	ks_pairs_fdr(keep, p, j->count, FALSE_RATE);
	for (size_t i = 0; i < j->count; i++) {
		struct ks_result *r = &j->results[i];
		struct ks_floor floor = {.band = r->band, .relative = RELATIVE_FLOOR,
			.absolute = ABSOLUTE_NS};
		r->verdict = keep[i] ? ks_pairs_verdict(&r->est, &floor) : KS_SAME;
		if (r->unclocked && r->verdict == KS_FASTER) {
			r->verdict = KS_SAME;
		}
	}
	free(p);
	free(keep);
}

static void summary(struct judge *j)
{
	struct ks_estimate *ests = ks_zalloc(j->count, sizeof(*ests));
	bool *ok = ks_zalloc(j->count, sizeof(*ok));
	size_t *which = ks_zalloc(j->count, sizeof(*which));
	struct ks_done d = {.scenarios = j->count, .worst_name = "",
		.code_hash = j->binary.code_hash, .binary = &j->binary};
	size_t n = 0; /* the denominator: all of them, whatever became of them */
	for (size_t i = 0; i < j->count; i++) {
		const struct ks_result *r = &j->results[i];
		if (!r->correct && !on(j, KS_CHECK_MISSING)) {
			continue;
		}
		which[n] = i;
		ests[n] = r->est;
		ok[n++] = r->correct && r->est.pairs > 0;
		d.correct += r->correct;
		d.pairs += 2 * r->est.pairs;
	}
	d.scenarios = n;
	if (n > 0 && (j->job.perf || d.correct < j->count)) {
		struct ks_geomean g;
		ks_pairs_geomean(&g, ests, ok, n);
		d.geomean = g.value;
		d.geo_lo = g.lo;
		d.geo_hi = g.hi;
		d.worst = ok[g.worst] ? ests[g.worst].ratio : 0;
		d.worst_name = j->results[which[g.worst]].c->uuid;
	}
	d.wall_ms = (ks_clock_mono_us() - j->start_us) / 1000;
	ks_lines_done(&d);
	free(ests);
	free(ok);
	free(which);
}

static void tell_waiting(const char *path)
{
	ks_lines_note("waiting: another evaluation is measuring on this machine (%s)", path);
}

/* What a call does on the GPU, once a side, apart from all timing. */
static void trace_all(struct judge *j)
{
	struct ks_err err = KS_ERR_INIT;
	int code = ks_bench_start_traced(&j->bench, &err);
	for (size_t i = 0; i < j->count && code == 0; i++) {
		if (j->results[i].correct) {
			code = ks_timing_trace(&j->bench, &j->results[i], &err);
		}
	}
	if (code != 0) {
		ks_lines_note("calls were not traced: %s", err.msg);
	}
}

static void control(struct judge *j)
{
	struct ks_err err = KS_ERR_INIT;
	if (ks_control_wanted(j->results, j->count, &j->job) &&
		ks_control_seed(&j->bench, j->results, j->count, &err) != 0) {
		ks_lines_note("the seed was not timed alone: %s", err.msg);
	}
}

static int take_lock(struct judge *j, struct ks_err *err)
{
	char name[80] = "kseek-cpu-0";
	if (j->device->cuda) {
		snprintf(name, sizeof(name), "kseek-gpu-%s", j->device->info.uuid);
	}
	return ks_lock_take(name, tell_waiting, err);
}

/* NVML is a help, no need. */
static void open_nvml(struct judge *j)
{
	struct ks_err err = KS_ERR_INIT;
	if (j->device->cuda && ks_nvml_open(&j->bench.nvml, j->device->info.uuid,
		j->device->driver_dir, &err) != 0) {
		ks_lines_note("clocks and throttling are not read: %s", err.msg);
	}
}

static int evaluate(struct judge *j, struct ks_err *err)
{
	int code = prepare(j, err);
	code = code != 0 ? code : look_at_file(j, err);
	if (code != 0) {
		return code;
	}
	int lock = take_lock(j, err);
	if (lock < 0) {
		return lock;
	}
	j->start_us = ks_clock_mono_us();
	open_nvml(j);
	code = check_all(j, err);
	if (code == 0 && j->job.perf) {
		code = time_all(j, err);
	}
	if (code == 0 && j->device->cuda && j->job.trace) {
		trace_all(j);
	}
	if (code == 0 && j->job.perf) {
		control(j);
	}
	ks_bench_stop(&j->bench);
	close(lock);
	if (code != 0) {
		return code;
	}
	verdicts(j);
	for (size_t i = 0; i < j->count; i++) {
		tell(j, &j->results[i]);
	}
	if (j->job.perf && on(j, KS_CHECK_EVIDENCE)) {
		ks_evidence_write(j->results, j->count, &j->job);
	}
	summary(j);
	return 0;
}

static void judge_fini(struct judge *j)
{
	ks_nvml_close(j->bench.nvml);
	ks_bench_fini(&j->bench);
	ks_device_free(j->device);
	for (size_t i = 0; i < j->count; i++) {
		if (j->results != NULL) {
			ks_result_fini(&j->results[i]);
		}
		ks_case_free(j->cases[i]);
	}
	free(j->results);
	free(j->cases);
	ks_problem_free(j->problem);
	ks_binary_fini(&j->binary);
	ks_job_fini(&j->job);
}

static int run_job(const char *path)
{
	struct judge j = {.count = 0};
	struct ks_err err = KS_ERR_INIT;
	if (ks_job_load(&j.job, path, &err) != 0) {
		ks_lines_error(err.msg);
		return 2;
	}
	int code = evaluate(&j, &err);
	if (code != 0) {
		ks_lines_error(err.msg);
	}
	judge_fini(&j);
	return code == 0 ? 0 : code == KS_EINVAL ? 2 : 3;
}

int main(int argc, char **argv)
{
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	ks_contain_prefer(getpid());
	if (argc == 2 && strcmp(argv[1], "--probe") == 0) {
		return ks_probe_print();
	}
	if (argc == 3 && strcmp(argv[1], "--devices") == 0) {
		return ks_probe_cuda_devices(argv[2]);
	}
	if ((argc == 3 || argc == 4) && strcmp(argv[1], "--probe-cuda") == 0) {
		return ks_probe_cuda_print(argv[2], argc == 4 ? argv[3] : NULL);
	}
	if (argc == 3 && strcmp(argv[1], "--doctor") == 0) {
		return ks_doctor_print(argv[2]);
	}
	if (argc != 2 || argv[1][0] == '-') {
		fputs("usage: kseek-judge JOB.json | --probe | --doctor WORKER | --devices LIBRARY | "
			"--probe-cuda LIBRARY [UUID]\n", stderr);
		return 2;
	}
	return run_job(argv[1]);
}
