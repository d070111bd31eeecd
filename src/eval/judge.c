/*
 * kseek-judge: decides whether a candidate is correct and how much faster it
 * is than the seed. It never loads a kernel: seed and candidate live in one
 * worker, the reference in another, and expected values are mapped by neither
 * of the workers that hold a candidate.
 *
 * An evaluation: look at the built files, take the device's lock, full checks
 * of every scenario, then rounds of timed pairs, each round in fresh workers
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
#include "eval/contain.h"
#include "eval/doctor.h"
#include "eval/evidence.h"
#include "eval/lane.h"
#include "eval/lines.h"
#include "eval/probe.h"
#include "eval/probe_cuda.h"
#include "eval/symbols.h"

#define RELATIVE_FLOOR 0.01 /* log units: less than 1 % is "same"    */
#define ABSOLUTE_NS 50.0    /* and so is less than 50 ns             */
#define FALSE_RATE 0.05

struct judge {
	struct ks_job job;
	struct ks_problem *problem;
	struct ks_case **cases;
	struct ks_result *results;
	size_t count;
	struct ks_lane *lanes; /* devices at work */
	size_t nlanes;
	struct ks_binary binary;
	int64_t start_us;
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
	return 0;
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
			r->verdict = KS_UNSURE;
		}
	}
	free(p);
	free(keep);
}

static void summary(struct judge *j)
{
	struct ks_estimate *ests = ks_zalloc(j->count, sizeof(*ests));
	bool *ok = ks_zalloc(j->count, sizeof(*ok));
	unsigned *group = ks_zalloc(j->count, sizeof(*group));
	size_t *which = ks_zalloc(j->count, sizeof(*which));
	struct ks_done d = {.worst_name = "", .code_hash = j->binary.code_hash,
		.binary = &j->binary};
	size_t n = 0; /* of the visible ones: a mean over all would tell of the others */
	d.scenarios = 0; /* the denominator: all of them, whatever became of them */
	for (size_t i = 0; i < j->count; i++) {
		const struct ks_result *r = &j->results[i];
		if (!r->correct && !on(j, KS_CHECK_MISSING)) {
			continue;
		}
		d.scenarios++;
		d.correct += r->correct;
		d.pairs += 2 * r->est.pairs;
		if (!r->c->heldout) {
			which[n] = i;
			ests[n] = r->est;
			group[n] = r->group;
			ok[n++] = r->correct && r->est.pairs > 0;
		}
	}
	if (n > 0 && (j->job.perf || d.correct < j->count)) {
		struct ks_geomean g;
		ks_pairs_geomean(&g, ests, group, ok, n);
		d.geomean = g.value;
		d.geo_lo = g.lo;
		d.geo_hi = g.hi;
		d.worst = ok[g.worst] ? ests[g.worst].ratio : 0;
		d.worst_name = j->results[which[g.worst]].c->uuid;
	}
	d.wall_ms = (ks_clock_mono_us() - j->start_us) / 1000;
	ks_lines_done(&d);
	free(ests);
	free(group);
	free(ok);
	free(which);
}

static int measure(struct judge *j, struct ks_err *err)
{
	struct ks_work work = {.job = &j->job, .symbol = ks_problem_symbol(j->problem),
		.cases = j->cases, .results = j->results, .count = j->count,
		.binary = &j->binary};
	work.owner = ks_zalloc(j->count, sizeof(work.owner[0]));
	for (size_t i = 0; i < j->count; i++) {
		work.owner[i] = -1;
	}
	pthread_mutex_init(&work.mutex, NULL);
	int code = ks_lanes_run(&j->lanes, &j->nlanes, &work, err);
	pthread_mutex_destroy(&work.mutex);
	free(work.owner);
	return code;
}

static int evaluate(struct judge *j, struct ks_err *err)
{
	int code = prepare(j, err);
	code = code != 0 ? code : look_at_file(j, err);
	if (code != 0) {
		return code;
	}
	j->start_us = ks_clock_mono_us();
	code = measure(j, err);
	if (code != 0) {
		return code;
	}
	verdicts(j);
	for (size_t i = 0; i < j->count; i++) {
		ks_lane_tell(&j->results[i], &j->job);
	}
	if (j->job.perf && on(j, KS_CHECK_EVIDENCE)) {
		ks_evidence_write(j->results, j->count, &j->job);
	}
	summary(j);
	return 0;
}

static void judge_fini(struct judge *j)
{
	for (size_t i = 0; i < j->nlanes; i++) {
		ks_lane_fini(&j->lanes[i]);
	}
	free(j->lanes);
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
	if ((argc == 3 || argc == 4) && strcmp(argv[1], "--doctor") == 0) {
		return ks_doctor_print(argv[2], argc == 4 ? argv[3] : NULL);
	}
	if (argc != 2 || argv[1][0] == '-') {
		fputs("usage: kseek-judge JOB.json | --probe | --doctor WORKER [LIBRARY] | "
			"--devices LIBRARY | --probe-cuda LIBRARY [UUID]\n", stderr);
		return 2;
	}
	return run_job(argv[1]);
}
