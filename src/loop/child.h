#ifndef KSEEK_LOOP_CHILD_H
#define KSEEK_LOOP_CHILD_H
/*
 * Children: started from an argument list (never a shell string) with a clean
 * environment, in a session of their own, without a terminal; their output
 * arrives as lines or raw pieces, their end exactly once. Ending is staged: where
 * that is asked for its input is closed first, then it gets INT; then TERM to the
 * group, KILL after a grace, and then KILL to every descendant that is left, also
 * to those that left the group or their parents.
 *
 * Nobody may call waitpid(-1): orphans that this process inherits as a
 * subreaper are found in /proc and reaped by their pids.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "loop/loop.h"

/* Arguments of kseek-exec; 0 and false: not limited. */
struct ks_limits {
	int64_t mem_mb;    /* address space */
	int64_t file_mb;   /* largest file  */
	int64_t procs;     /* of this user; root is not bound by it */
	int64_t cpu_s;
	int64_t nofile;
	bool no_net;       /* own network namespace where the system allows it;
	                    * the child's KSEEK_NET is then "off", else "on" */
	bool pdeathsig;    /* dies (KILL) with this process */
	/* Folders whose files it cannot read, where the system has Landlock, and paths
	 * below them that it can; absolute, NULL-terminated, at most 32 each; or NULL. */
	const char *const *hide, *const *show;
};

enum ks_child_in { KS_CHILD_IN_NULL = 0, KS_CHILD_IN_TEXT, KS_CHILD_IN_PIPE };

struct ks_child_exit {
	int status;        /* exit status, or -1 after a signal */
	int signal;        /* signal that ended it, or 0        */
	bool timed_out;
	bool stopped;      /* ks_child_stop was called          */
	int64_t ms;        /* from start to exit                */
	size_t swept;      /* descendants that had to be killed */
};

struct ks_child;

struct ks_child_spec {
	const char *const *argv;  /* NULL-terminated; argv[0] by PATH of env */
	const char *const *env;   /* NULL-terminated "K=V"; NULL: ks_env_clean */
	const char *cwd;          /* NULL: as here */
	const char *exec;         /* path of kseek-exec; NULL: started directly
	                           * (limits are then ignored) */
	struct ks_limits limits;
	const char *mark;         /* KS_MARK becomes "MARK/PID.SERIAL", so that
	                           * "MARK/" finds all of a kind; NULL: "kseek" */
	enum ks_child_in in;
	struct ks_str in_text;    /* for KS_CHILD_IN_TEXT; copied */
	size_t line_max;          /* lines up to this size; 0: raw pieces */
	int64_t timeout_ms;       /* 0: none. Then staged ending */
	int64_t input_ms;         /* between the closed input and what follows; 0: stays open */
	int64_t int_ms;           /* between INT and TERM; 0: no INT */
	int64_t grace_ms;         /* between TERM and KILL; 0: 2000 */
	bool keep_descendants;    /* no sweep after a normal exit */
	bool merge;               /* stderr goes into stdout's pipe, in order */
	/* fd is 1 or 2. In line mode without the newline; cut: the line was
	 * longer and its rest is dropped; the last line may lack a newline. */
	void (*output)(void *ctx, int fd, struct ks_str bytes, bool cut);
	/* Once, after the exit, the sweep and all output. ks_child_free is
	 * allowed inside. */
	void (*exited)(void *ctx, const struct ks_child_exit *how);
	void *ctx;
};

/* Gives *out. KS_ENOTFOUND, KS_EDENIED or KS_EIO when the program could not be
 * started (nothing is called then). With `exec` set, a program that cannot be
 * started shows as exit status 127 or 126 and a line on its stderr. */
int ks_child_start(struct ks_child **out, struct ks_loop *loop,
	const struct ks_child_spec *spec, struct ks_err *err);
pid_t ks_child_pid(const struct ks_child *child); /* 0 after its exit */
/* KS_CHILD_IN_PIPE only: queues bytes (copied). KS_ELIMIT: the child does not
 * read and 16 MiB wait; KS_EIO: its stdin is closed. */
int ks_child_write(struct ks_child *child, struct ks_str bytes, struct ks_err *err);
/* Closes its stdin once everything queued is written. */
void ks_child_close_stdin(struct ks_child *child);
/* Begins the staged ending; `exited` follows. Again: does nothing. */
void ks_child_stop(struct ks_child *child);
/* Whether pid is this child or was started by it: by parents, session or mark,
 * so also after its parents have died. */
bool ks_child_owns(const struct ks_child *child, pid_t pid);
/* Frees; a running child and its descendants are killed at once, and `exited`
 * is not called. */
void ks_child_free(struct ks_child *child);

/* Makes this process a subreaper and reaps what it inherits. Once a loop. */
int ks_child_subreaper(struct ks_loop *loop, struct ks_err *err);
/* KILL to every descendant of this process that is not a running ks_child or
 * below one; returns how many. */
size_t ks_child_sweep_orphans(struct ks_loop *loop);

/* ---- environments ---- */
struct ks_env; /* NULL-terminated "K=V" list under construction */
/* PATH, HOME, USER, LOGNAME, SHELL, TMPDIR, LANG/LC_*, TZ, XDG_* of this
 * process, nothing else; LANG is C.UTF-8 when none is set. TERM is "dumb". */
struct ks_env *ks_env_clean(void);
/* Everything this process has, but TERM "dumb" and no KS_MARK. */
struct ks_env *ks_env_full(void);
void ks_env_set(struct ks_env *env, const char *key, const char *value); /* NULL: removes */
const char *const *ks_env_list(const struct ks_env *env); /* lends until a change */
void ks_env_free(struct ks_env *env);

#endif
