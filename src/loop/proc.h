#ifndef KSEEK_LOOP_PROC_H
#define KSEEK_LOOP_PROC_H
/*
 * Processes as /proc shows them: parents, descendants, marks. A mark is the
 * environment variable KS_MARK that every child of ours carries, so that what
 * left its parents behind can still be told. Pids are looked at and signalled
 * without a pause between; a reused pid is told apart by its start time.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

#define KS_MARK "KSEEK_CHILD"

struct ks_proc {
	pid_t pid, ppid, pgid, sid;
	char state;        /* 'R', 'S', 'Z', ... */
	uint64_t started;  /* clock ticks since boot */
	uint64_t ticks;    /* of processor time used by itself */
};

/* One process. KS_ENOTFOUND when there is none. */
int ks_proc_get(struct ks_proc *out, pid_t pid, struct ks_err *err);
/* All processes by pid; gives *out (free()). */
int ks_proc_list(struct ks_proc **out, size_t *out_count, struct ks_err *err);
/* Whether pid is root or below it by the chain of parents. */
bool ks_proc_descends(pid_t pid, pid_t root);
/* The same by the parents in a list of ks_proc_list: for many pids at once. */
bool ks_proc_below(const struct ks_proc *list, size_t count, pid_t pid, pid_t root);
/* Value of KS_MARK in a process's environment begins with prefix. */
bool ks_proc_marked(pid_t pid, const char *prefix);
/* Kills (KILL) every process whose mark begins with prefix, but this one and
 * its ancestors; returns how many. For what an engine that died left behind. */
size_t ks_proc_kill_marked(const char *prefix);

#endif
