#ifndef KSEEK_EVAL_WATCH_H
#define KSEEK_EVAL_WATCH_H
/*
 * What must not change in a worker while a candidate is loaded: the code and
 * constants of every library and of the worker (text, tables of resolved
 * symbols, read-only data, the kernel's vdso), the list of mapped files, and,
 * across a candidate's call, the seed's own variables. Read from outside
 * through /proc/PID/mem and compared byte by byte with a copy taken before the
 * first call.
 */
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct ks_watch;

/* Copies what must stay. seed_path names the library whose variables are
 * watched too (NULL: none). KS_EIO when the kernel does not let us look. */
int ks_watch_new(struct ks_watch **out, pid_t pid, const char *seed_path, struct ks_err *err);
void ks_watch_free(struct ks_watch *watch);
/* Which looks ks_watch_check takes. */
enum ks_watch_what { KS_WATCH_TEXT = 1, KS_WATCH_MAPS = 2 };
/* 0, or KS_EDENIED with what changed. */
int ks_watch_check(struct ks_watch *watch, unsigned what, struct ks_err *err);
/* Remembers the seed's variables; then compares them. KS_EDENIED: changed. */
void ks_watch_seed_mark(struct ks_watch *watch);
int ks_watch_seed_check(struct ks_watch *watch, struct ks_err *err);

#endif
