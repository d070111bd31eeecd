#ifndef KSEEK_EVAL_EVIDENCE_H
#define KSEEK_EVAL_EVIDENCE_H
/*
 * Suspicious wins: figures that a true gain seldom shows, each with the
 * cheapest test that would refute it. They are told, never judged here.
 */
#include "eval/job.h"
#include "eval/result.h"

/* Writes the evidence of all scenarios that counted. */
void ks_evidence_write(const struct ks_result *results, size_t count,
	const struct ks_job *job);
/* Whether the candidate's time, from a small scenario to a large one, grows too little
 * for the work to have been done. */
bool ks_evidence_is_flat(const struct ks_result *small, const struct ks_result *large);

#endif
