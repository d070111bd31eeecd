#ifndef KSEEK_EVAL_JOB_H
#define KSEEK_EVAL_JOB_H
/*
 * What the engine asks of the judge: one JSON document, read strictly.
 *
 * Beside the fields of the contract: "previous" {uuid: speedup} of the last
 * candidate, for the "more than 2x in one step" finding; "looks": how often
 * this machine code was measured before; "yardstick": a third library.
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
	char **scenarios; /* NULL: all */
	size_t nscenarios;
	bool perf, confirm;
	unsigned workers;
	double half_width;
	double budget_ms;
	int threads;
	unsigned looks;
	struct ks_seed key;
	struct ks_named *bands, *previous;
	size_t nbands, nprevious;
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
