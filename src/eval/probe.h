#ifndef KSEEK_EVAL_PROBE_H
#define KSEEK_EVAL_PROBE_H
/*
 * What this processor can do, measured in two or three seconds: the ceilings
 * that shares of roofline and floors are held against. One thread.
 *
 *   bandwidth   streaming reads and copies (bytes read and written), chunk by
 *               chunk over a buffer that no cache holds; of the chunks the 95th
 *               percentile, of the two the larger
 *   FMA rate    twelve independent chains of multiply-adds in the widest
 *               vectors the processor has; one multiply-add counts 2; the best
 *               of many short tries
 *   empty call  a call of an empty function by libffi between two readings of
 *               the clock, as the worker does it; the 10th percentile
 */
#include <stdint.h>

struct ks_probe_result {
	double bandwidth_gbs, read_gbs, copy_gbs;
	double fma32_gflops, fma64_gflops;
	double call_ns;
	int64_t l1d_kb, l2_kb, l3_kb; /* 0: not known */
	int cpus;
	char cpu[128];
	char vectors[32];
	char governor[32];            /* "" when the system does not say */
	int virtualised;
	double spread;                /* share that the usual FMA try misses of the best */
};

void ks_probe_run(struct ks_probe_result *out);
/* Runs it and prints one JSON object; returns an exit status. */
int ks_probe_print(void);

#endif
