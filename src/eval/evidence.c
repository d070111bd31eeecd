/* The rules behind the evidence lines. */
#include "eval/evidence.h"

#include <math.h>

#include "eval/lines.h"

#define BIG_STEP 2.0
#define FLOOR_SHARE 0.95 /* the probe has its own noise */
#define ERROR_SHARE 0.5
#define REPEAT_SHARE 0.5
#define REPEAT_THREADS 0.25 /* a barrier takes many times longer beside other work */
#define CLOCK_SHARE 0.1 /* log units */
#define SPAN_SHARE 0.3 /* log units: one call of each was traced */
#define HELDOUT_SHARE 0.8
#define HELDOUT_ERRORS 2.0 /* the gap has to stand out of what the figures may be off */
#define FLAT_WORK 8.0  /* work grows at least this much ...      */
#define FLAT_TIME 1.3  /* ... and the candidate's time less      */
#define FLAT_SEED 4.0  /* ... while the seed's grows at least so ... */
#define BUSY_SHARE 0.2
#define FLAT_SHARE 0.4 /* ... and by less than so much of what the machine needs for it */

static bool timed(const struct ks_result *r)
{
	return r->correct && r->est.pairs > 0;
}

static void floor_and_step(const struct ks_result *r, const struct ks_job *job)
{
	char text[256];
	double us = r->est.cand_time / 1000;
	/* a seed below the floor shows a probe that was taken on a busy machine */
	if (us < FLOOR_SHARE * r->roof.floor_us && r->est.seed_time / 1000 >= r->roof.floor_us) {
		snprintf(text, sizeof(text), "%.3g us, the floor by %s is %.3g us", us,
			ks_bound_name(r->roof.bound), r->roof.floor_us);
		ks_lines_evidence("floor", r->c->uuid, text,
			"count the operations and bytes of one call by hand; probe again");
	}
	double before = ks_named_get(job->previous, job->nprevious, r->c->uuid, 0);
	if (before > 0 && r->est.ratio > BIG_STEP * before && r->est.lo > before) {
		snprintf(text, sizeof(text), "%.3gx, the last candidate had %.3gx", r->est.ratio,
			before);
		ks_lines_evidence("big_step", r->c->uuid, text,
			"name the one change that did it and measure it alone");
	}
}

static void error_and_repeat(const struct ks_result *r, const struct ks_job *job)
{
	double share = job->threads > 1 ? REPEAT_THREADS : REPEAT_SHARE;
	char text[256];
	if (r->error_ratio > ERROR_SHARE && r->error_ratio > 4 * r->seed_ratio) {
		snprintf(text, sizeof(text), "error is %.0f %% of the tolerance, the seed's "
			"%.2g %%",
			100 * r->error_ratio, 100 * r->seed_ratio);
		ks_lines_evidence("error_grew", r->c->uuid, text,
			"compare with the reference on values ten times larger");
	}
	if (r->repeat_ns > 0 && r->repeat_ns < share * r->least_ns) {
		snprintf(text, sizeof(text), "%.3g us when inputs come again, never below %.3g us "
			"on new ones", r->repeat_ns / 1000, r->least_ns / 1000);
		ks_lines_evidence("repeat_only", r->c->uuid, text,
			"look for state that lives from one call to the next");
	}
}

static void clocks(const struct ks_result *r)
{
	char text[256];
	const struct ks_estimate *e = &r->clock_est;
	/* beyond what two clocks differ by in calls of this length */
	double share = CLOCK_SHARE + r->clock_room;
	if (e->pairs > 0 && r->clocked && e->lo_log > share && r->est.cand_time > 10000) {
		snprintf(text, sizeof(text), "%.3gx by the worker's clock, %.3gx by the judge's",
			r->est.ratio * e->ratio, r->est.ratio);
		ks_lines_evidence("disagree", r->c->uuid, text,
			"time ten calls at once from outside");
	}
}

/* On a GPU: times between device events, and what a traced call did. */
static void gpu(const struct ks_result *r)
{
	char text[256];
	const struct ks_estimate *e = &r->event_est, *w = &r->est;
	bool apart = e->lo_log > w->hi_log + CLOCK_SHARE || w->lo_log > e->hi_log + CLOCK_SHARE;
	if (e->pairs > 0 && apart) {
		snprintf(text, sizeof(text), "%.3gx by the wall clock, %.3gx between device events",
			w->ratio, e->ratio);
		ks_lines_evidence("disagree", r->c->uuid, text,
			"look at the gaps before and between kernels in a timeline");
	}
	if (r->traces == NULL) {
		return;
	}
	const struct ks_trace *seed = &r->traces[0], *cand = &r->traces[1];
	if (cand->launches == 0 && seed->launches > 0) {
		snprintf(text, sizeof(text), "no kernel was launched in a call, the seed "
			"launches %u", (unsigned)seed->launches);
		ks_lines_evidence("launches", r->c->uuid, text,
			"read the timeline of one call: what made the answer?");
	}
	double span = seed->span_ns > 0 && cand->span_ns > 0 ?
		log(seed->span_ns / cand->span_ns) : 0;
	if (span != 0 && e->pairs > 0 && (e->lo_log > span + SPAN_SHARE ||
		e->hi_log < span - SPAN_SHARE)) {
		snprintf(text, sizeof(text), "%.3gx between device events, %.3gx from first kernel "
			"to last in a traced call", e->ratio, exp(span));
		ks_lines_evidence("disagree", r->c->uuid, text,
			"look at what the host does between kernels in a timeline");
	}
}

static void places(const struct ks_result *r)
{
	char text[256];
	if (r->lean > 0) {
		snprintf(text, sizeof(text), "%.3g times as fast behind the seed's call as in "
			"front of it, beyond what that gives the seed; taken off", exp(r->lean));
		ks_lines_evidence("after_seed", r->c->uuid, text,
			"fill freed memory with other values and measure again");
	}
	if (r->lean < 0) {
		snprintf(text, sizeof(text), "the seed takes %.3g times as long right behind this "
			"candidate's call as elsewhere; taken off", exp(-r->lean));
		ks_lines_evidence("seed_slowed", r->c->uuid, text,
			"look at what the candidate leaves behind: caches, heap, mapped pages");
	}
}

/* A leak, or answers that are kept. */
static void memory(const struct ks_result *r)
{
	char text[256];
	if (r->grown > 4096) {
		snprintf(text, sizeof(text), "the worker holds %.0f KB more after each pair",
			r->grown / 1024);
		ks_lines_evidence("memory_grows", r->c->uuid, text,
			"run the scenario for a minute and look at what is kept");
	}
}

static void slowed(const struct ks_result *r)
{
	char text[256];
	if (r->slowed_from > 0) {
		snprintf(text, sizeof(text),
			"the seed takes %.4g us beside this candidate and %.4g us "
			"in a worker without it", r->est.seed_time / 1000, r->slowed_from / 1000);
		ks_lines_evidence("seed_slowed", r->c->uuid, text,
			"measure the seed against itself again, then beside this candidate");
	}
	if (r->faults_more > 0) {
		snprintf(text, sizeof(text),
			"in a call of the seed %.0f pages of memory are missing "
			"that are there in a worker without this candidate", r->faults_more);
		ks_lines_evidence("seed_slowed", r->c->uuid, text,
			"look at what the candidate does to the heap and to what is mapped");
	}
}

static double work_of(const struct ks_result *r)
{
	return r->c->ops > 0 ? r->c->ops : r->c->bytes;
}

static double needed_ns(const struct ks_result *r)
{
	return 1000 * fmax(r->roof.ops_us, r->roof.bytes_us);
}

/*
 * Does time not grow with work? What an empty call takes does not grow with size
 * either. A GPU works while the host still asks for more (launches, events), so that
 * all work of a large call may hide in what the host needs for any call.
 */
bool ks_evidence_is_flat(const struct ks_result *small, const struct ks_result *large)
{
	double empty = small->roof.call_us * 1000;
	double needed = needed_ns(large) - needed_ns(small);
	double more = large->est.cand_time - small->est.cand_time;
	bool hidden = small->device != NULL && needed <= small->est.cand_time;
	return !hidden && !(needed > 0 && more > FLAT_SHARE * needed) &&
		work_of(large) >= FLAT_WORK * work_of(small) &&
		large->est.cand_time - empty <= FLAT_TIME * (small->est.cand_time - empty) &&
		large->est.seed_time >= FLAT_SEED * small->est.seed_time &&
		small->est.ratio >= 1; /* a cost that does not grow, such as a thread's */
}

/* Of the smallest and the largest scenario of those measured. */
static void flat_time(const struct ks_result *results, size_t count)
{
	const struct ks_result *small = NULL, *large = NULL;
	char text[256];
	for (size_t i = 0; i < count; i++) {
		const struct ks_result *r = &results[i];
		if (timed(r) && work_of(r) > 0) {
			small = small == NULL || work_of(r) < work_of(small) ? r : small;
			large = large == NULL || work_of(r) > work_of(large) ? r : large;
		}
	}
	if (small == NULL || !ks_evidence_is_flat(small, large)) {
		return;
	}
	snprintf(text, sizeof(text), "%.3g us at %.3g units of work, %.3g us at %.3g (%s)",
		small->est.cand_time / 1000, work_of(small), large->est.cand_time / 1000,
		work_of(large), small->c->heldout ? "a held-out scenario" : small->c->uuid);
	ks_lines_evidence("flat_time", large->c->uuid, text,
		"run a scenario of twice the size");
}

static void heldout(const struct ks_result *results, size_t count)
{
	double sum[2] = {0, 0}, squares[2] = {0, 0}, n[2] = {0, 0};
	char text[256];
	for (size_t i = 0; i < count; i++) {
		if (timed(&results[i])) {
			bool out = results[i].c->heldout;
			sum[out] += results[i].est.log;
			squares[out] += results[i].est.se * results[i].est.se;
			n[out]++;
		}
	}
	if (n[0] == 0 || n[1] == 0) {
		return;
	}
	double seen = exp(sum[0] / n[0]), unseen = exp(sum[1] / n[1]);
	double error = sqrt(squares[0] / (n[0] * n[0]) + squares[1] / (n[1] * n[1]));
	double least = 1 + (seen - 1) * (1 - HELDOUT_SHARE);
	if (seen > 1.1 && log(unseen) + HELDOUT_ERRORS * error < log(least)) {
		snprintf(text, sizeof(text), "%.3gx on %.0f visible scenarios, %.3gx on %.0f "
			"held out",
			seen, n[0], unseen, n[1]);
		ks_lines_evidence("heldout_gap", "", text,
			"change one size of a visible scenario by one and measure again");
	}
}

static void low_probe(const struct ks_result *results, size_t count)
{
	size_t below = 0;
	for (size_t i = 0; i < count; i++) {
		below += timed(&results[i]) &&
			results[i].est.seed_time / 1000 < FLOOR_SHARE * results[i].roof.floor_us;
	}
	if (below > 0) {
		ks_lines_note("the seed is faster than the floor in %zu scenarios: the probe was "
			"taken on a busy machine, take it again", below);
	}
}

/* A GPU's launches are the host's work. */
static void busy_host(const struct ks_result *results, size_t count)
{
	double seen = 0, marked = 0;
	for (size_t i = 0; i < count; i++) {
		if (results[i].device != NULL) {
			seen += results[i].seen[0] + results[i].seen[1];
			marked += results[i].marked[0] + results[i].marked[1];
		}
	}
	if (marked > BUSY_SHARE * seen) {
		ks_lines_warn("the host was busy: in %.0f of 100 calls something else had the "
			"worker's processor; measure again when it is idle", 100 * marked / seen);
	}
}

void ks_evidence_write(const struct ks_result *results, size_t count,
	const struct ks_job *job)
{
	for (size_t i = 0; i < count; i++) {
		if (timed(&results[i])) {
			floor_and_step(&results[i], job);
			error_and_repeat(&results[i], job);
			clocks(&results[i]);
			places(&results[i]);
			gpu(&results[i]);
			memory(&results[i]);
			slowed(&results[i]);
		}
	}
	flat_time(results, count);
	heldout(results, count);
	low_probe(results, count);
	busy_host(results, count);
}
