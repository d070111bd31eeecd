#ifndef KSEEK_EVAL_FLUSH_H
#define KSEEK_EVAL_FLUSH_H
/*
 * Makes a buffer cold: evicts its cache lines from every level by the
 * processor's own instruction (clflushopt, clflush, dc civac). Where there is
 * none, the caller sweeps a buffer larger than the last level instead.
 */
#include <stddef.h>

enum ks_flush { KS_FLUSH_NONE, KS_FLUSH_OPT, KS_FLUSH_LINE, KS_FLUSH_CIVAC, KS_FLUSH_SWEEP };

/* What this processor has. */
enum ks_flush ks_flush_kind(void);
const char *ks_flush_name(enum ks_flush kind);
/* Evicts [at, at + len); nothing for KS_FLUSH_NONE and KS_FLUSH_SWEEP. */
void ks_flush_range(enum ks_flush kind, const void *at, size_t len);
/* Waits until the evictions are done. */
void ks_flush_fence(void);
/* Reads and writes a buffer of len bytes, for KS_FLUSH_SWEEP. */
void ks_flush_sweep(volatile unsigned char *buffer, size_t len);

#endif
