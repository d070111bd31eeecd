#ifndef KSEEK_EVAL_TIMING_H
#define KSEEK_EVAL_TIMING_H
/*
 * Timed pairs of one scenario in one worker. A pair: new inputs, then seed and
 * candidate in random order, each with cold buffers, each answer taken away and
 * compared. Two pairs in opposite orders make a twin, and the twin's geometric
 * mean is one observation: the first call of a pair is slower than the second
 * (code and tables were out of the processor's mind meanwhile), and a median over
 * single pairs would wander between the two. The first pair of a block is not
 * counted. In every few twins the seed runs twice: that gives the noise band; and in
 * as many the candidate does, so that both sides are called alike.
 *
 * A call during which the kernel gave the processor to somebody else is marked;
 * twins with such a call count only where there are too few others.
 */
#include "eval/bench.h"
#include "eval/result.h"

struct ks_block {
	unsigned round;     /* number of the worker, from 0        */
	unsigned rounds;    /* how many are planned                */
	double budget_us;   /* wall time for this block            */
	size_t min_twins;   /* counted ones, whatever they cost    */
	bool last;          /* also try repeated inputs            */
	unsigned bent;      /* draws of variants after the last one */
};

/* A code below 0 is the environment's fault; the candidate's goes into *r. A
 * yardstick that ends the worker ends the block: r->no_yard says so, and the block
 * is to be had again in a fresh worker. */
int ks_timing_block(struct ks_bench *b, struct ks_result *r, const struct ks_block *block,
	struct ks_err *err);
/* On a GPU: one call of seed and of candidate in a traced worker (bench.h), into
 * r->traces. */
int ks_timing_trace(struct ks_bench *b, struct ks_result *r, struct ks_err *err);
/* Estimate, band, clocks: everything but the verdict. */
void ks_timing_finish(struct ks_result *r, const struct ks_job *job);

#endif
