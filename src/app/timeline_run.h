#ifndef KSEEK_APP_TIMELINE_RUN_H
#define KSEEK_APP_TIMELINE_RUN_H
/* A program run in the foreground with the library that traces it. */
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

struct ks_traced {
	struct ks_buf records; /* of all its processes, whole records only */
	int status;            /* as a shell says it: 128 and more after a signal */
};

/* Fills *out (ks_buf_fini of its records). The program has this terminal, input and
 * output; with `aside` what it prints goes to standard error. max: records that one
 * process may write. KS_EUNSUPPORTED: built without CUPTI. */
int ks_timeline_run(struct ks_traced *out, char *const *argv, long max, bool aside,
	struct ks_err *err);

#endif
