#ifndef KSEEK_EVAL_CPUS_H
#define KSEEK_EVAL_CPUS_H
/*
 * Which processors judge and worker run on: the worker on the fastest that we
 * may use (machines with two kinds of core), the judge on another core.
 */
#include <stdbool.h>

struct ks_cpus {
	int worker;     /* first of `threads` processors in a row; -1: anywhere */
	int judge;      /* -1: anywhere */
	bool apart;     /* each has its own: both can watch a word of memory */
};

/* For device number `lane` of several that are judged at the same time: none that
 * a lower number gets. */
void ks_cpus_choose(struct ks_cpus *out, int threads, unsigned lane);
/* Pins the calling thread; nothing for -1. */
void ks_cpus_pin(int cpu);

#endif
