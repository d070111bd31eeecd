#ifndef KSEEK_EVAL_LOCK_H
#define KSEEK_EVAL_LOCK_H
/*
 * One measurement at a time on a device: an advisory lock on a file under
 * XDG_RUNTIME_DIR (else the temporary directory), shared by all campaigns of a
 * user. The kernel drops it with the process.
 */
#include <stdbool.h>

#include "base/err.h"

/* Takes the lock "NAME"; waiting is told once through on_wait (may be NULL), with who
 * has it: "in FOLDER, process PID", or the lock's path where that cannot be told. Returns
 * a descriptor (close gives the lock back) or a negative code. */
int ks_lock_take(const char *name, void (*on_wait)(const char *who), struct ks_err *err);
/* The same without waiting: a descriptor, or -1; *out_busy is set to whether somebody
 * holds it, and left as it is where locks cannot be had. */
int ks_lock_try(const char *name, bool *out_busy);

#endif
