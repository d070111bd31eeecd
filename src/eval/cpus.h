#ifndef KSEEK_EVAL_CPUS_H
#define KSEEK_EVAL_CPUS_H
/*
 * Which processors judge and worker run on: the worker on the fastest that we
 * may use (machines with two kinds of core), the judge on another core. Each is
 * locked while it is ours, so that two judges of one user, or two devices of one
 * judge, never measure on the same one.
 */
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

struct ks_cpus {
	int worker;     /* first of `threads` processors in a row; -1: anywhere */
	int judge;      /* -1: anywhere */
	bool apart;     /* each has its own: both can watch a word of memory */
	cpu_set_t all;  /* what the calling thread might use before          */
	cpu_set_t rest; /* of these what is neither the worker's nor ours    */
	int *locks;     /* of the processors that were chosen; owned         */
	size_t nlocks;
};

/* Chooses, locks, and pins the calling thread to the judge's. Where too few are
 * left, nothing is chosen: not apart, both anywhere. */
void ks_cpus_take(struct ks_cpus *out, int threads);
/* Gives them back, and the calling thread runs where it did before. Zero is fine. */
void ks_cpus_give_back(struct ks_cpus *cpus);
/* Pins the calling thread; nothing for -1. */
void ks_cpus_pin(int cpu);

#endif
