#ifndef KSEEK_EVAL_LINES_H
#define KSEEK_EVAL_LINES_H
/* The judge's output: one JSON object a line on stdout, flushed at once. */
#include "eval/job.h"
#include "eval/result.h"
#include "eval/symbols.h"

void ks_lines_progress(const struct ks_result *r, size_t n, const char *phase,
	unsigned worker);
void ks_lines_scenario(const struct ks_result *r, const struct ks_job *job);
/* The calls of one block, in their order: "c" or "s" (candidate, seed, "y" the
 * yardstick) with nanoseconds, "!" for disturbed; "," between pairs, ";" between twins. */
void ks_lines_calls(const struct ks_result *r, unsigned worker);
void ks_lines_evidence(const char *trigger, const char *scenario, const char *figures,
	const char *test);
void ks_lines_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* One that whoever asked for the evaluation has to see. */
void ks_lines_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void ks_lines_error(const char *text);

struct ks_done {
	size_t scenarios, correct, pairs;
	double geomean, geo_lo, geo_hi, worst;
	const char *worst_name, *code_hash;
	const struct ks_binary *binary; /* the candidate: what it needs and names; or NULL */
	int64_t wall_ms;
};
void ks_lines_done(const struct ks_done *d);

#endif
