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
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct ks_watch;

/* Copies what must stay. The two libraries' variables are watched too (NULL:
 * not). gpu: the driver's own libraries, some hundred megabytes, are left out, and
 * so are the devices that it maps. KS_EIO when the kernel does not let us look. */
int ks_watch_new(struct ks_watch **out, pid_t pid, const char *seed, const char *candidate,
	bool gpu, struct ks_err *err);
void ks_watch_free(struct ks_watch *watch);
/* Which looks ks_watch_check takes. */
enum ks_watch_what { KS_WATCH_TEXT = 1, KS_WATCH_MAPS = 2 };
/* 0, or KS_EDENIED with what changed, or KS_EIO: it cannot be read any more. */
int ks_watch_check(struct ks_watch *watch, unsigned what, struct ks_err *err);
/*
 * A worker that waits for a command sleeps at one place in libc with one height
 * of stack. A candidate that never gave control back (it serves the commands
 * itself) sleeps elsewhere. The first look, before any candidate's call,
 * remembers the place. KS_EDENIED: another place; KS_EUNSUPPORTED: the kernel
 * does not tell; KS_EBUSY: it did not fall asleep.
 */
int ks_watch_control(struct ks_watch *watch, struct ks_err *err);
/* The same of a worker that is stopped at any time between two calls, awake or not: it
 * runs code of its own or of libc, its stack is as high as where it waits, and what it
 * returns to is its own. home: ks_host_home's. The first look, before any candidate's
 * call, remembers whose that is. KS_EDENIED; 0 where it cannot be seen. */
int ks_watch_home(struct ks_watch *watch, uint64_t home, struct ks_err *err);
/*
 * Where files, inputs, outputs and read-only tables lie: remembered when the worker
 * has laid out a scenario's buffers, and held against what is there right after each
 * call. What a call puts in another's place and what the next one puts back would not
 * show in ks_watch_check. threads: memory could be opened for writing meanwhile, so
 * constants are compared too. Not for a GPU, whose driver maps as it likes.
 */
int ks_watch_settle(struct ks_watch *watch, bool threads, struct ks_err *err);
/* what: enum ks_watch_what. 0, or KS_EDENIED with what changed; 0 where nothing was
 * remembered. */
int ks_watch_settled(struct ks_watch *watch, unsigned what, struct ks_err *err);
/* Remembers the variables, before a call; then reads them again, and
 * ks_watch_seed_check says KS_EDENIED if the seed's changed. Both sides' are read
 * round both sides' calls, so that looking costs both the same cache misses. */
void ks_watch_mark(struct ks_watch *watch);
int ks_watch_seed_check(struct ks_watch *watch, struct ks_err *err);

#endif
