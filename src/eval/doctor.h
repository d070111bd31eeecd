#ifndef KSEEK_EVAL_DOCTOR_H
#define KSEEK_EVAL_DOCTOR_H
/* Which guards and walls this machine gives a worker. */
#include "base/buf.h"
#include "eval/checks.h"

/* Appends what is wanted (not switched off) and does not stand, with commas. */
void ks_doctor_missing(struct ks_buf *out, unsigned contained, unsigned guards,
	const struct ks_checks *checks);
/* Starts a worker and prints one JSON object on stdout; returns an exit status. With
 * the library of the cuda target (else NULL) also each GPU: whether memory can be
 * shared with a worker, its guards, CUPTI, NVML. */
int ks_doctor_print(const char *worker, const char *library);

#endif
