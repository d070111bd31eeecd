#ifndef KSEEK_EVAL_JOB_H
#define KSEEK_EVAL_JOB_H
/*
 * What the engine asks of the judge: one JSON document, read strictly.
 *
 * By scenario: "previous" {uuid: speedup} of the champion, for the "more than 2x
 * in one step" finding; what earlier evaluations on this machine showed, "bias"
 * (mean of their bias variances, pairs.h), "runs" (how many), "usual" (the seed's
 * time, us). For a GPU: "cuda" (the library's path), "devices" (UUIDs or null),
 * "trace", "cupti". "calls": every timed call is told. "looks": how often this
 * machine code was measured before; "yardstick": a third library.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "eval/checks.h"
#include "eval/generate.h"
#include "eval/host.h"
#include "eval/roofline.h"

struct ks_named { /* a number by scenario */
	char *name;
	double value;
};

struct ks_job {
	char *problem, *target, *flags;
	char *seed, *reference, *candidate, *yardstick;
	char *worker, *scratch, *held_out;
	char *cuda, *cupti; /* target cuda: libkseek-cuda.so; CUPTI or NULL: look for it */
	char **devices;     /* UUIDs of the GPUs to use; NULL: all */
	size_t ndevices;
	bool trace;         /* one untimed call a side and scenario is traced */
	char **scenarios; /* NULL: all */
	size_t nscenarios;
	char **banned;    /* libraries that the goal forbids */
	size_t nbanned;
	bool perf, confirm;
	bool calls;       /* tell each of them: to see what leans */
	unsigned workers;
	double half_width;
	double budget_ms;
	int threads;
	unsigned looks;
	struct ks_seed key;
	struct ks_named *bias, *runs, *usual, *previous;
	size_t nbias, nruns, nusual, nprevious;
	struct ks_probe probe;
	struct ks_host_limits limits;
	struct ks_checks checks;
};

/* Reads the file. KS_EINVAL names the field. Fields of *job are owned. */
int ks_job_load(struct ks_job *job, const char *path, struct ks_err *err);
void ks_job_fini(struct ks_job *job);
/* Value for a scenario, or fallback. */
double ks_named_get(const struct ks_named *list, size_t count, const char *name,
	double fallback);

#endif
