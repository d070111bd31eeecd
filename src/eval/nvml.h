#ifndef KSEEK_EVAL_NVML_H
#define KSEEK_EVAL_NVML_H
/*
 * Clock and throttling of a GPU, read through the driver's NVML, which is loaded
 * at run time. Nothing is ever set. Where the library or a function is missing,
 * that is told and nothing else happens.
 *
 * A reading can take tens of milliseconds, so a thread takes them, a few a second;
 * whoever looks gets the last one.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct ks_nvml;

struct ks_nvml_state {
	unsigned sm_mhz;    /* 0: not told */
	uint64_t reasons;   /* NVML's bits of why clocks are lower than they could be */
	bool throttled;     /* power, heat or a brake among them */
};

/* KS_EUNSUPPORTED with the reason. folder: where the driver's libraries may lie,
 * or "". */
int ks_nvml_open(struct ks_nvml **out, const char *uuid, const char *folder,
	struct ks_err *err);
void ks_nvml_close(struct ks_nvml *n); /* NULL is fine */
/* The last reading. */
void ks_nvml_look(struct ks_nvml *n, struct ks_nvml_state *out);

#endif
