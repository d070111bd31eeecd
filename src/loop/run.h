#ifndef KSEEK_LOOP_RUN_H
#define KSEEK_LOOP_RUN_H
/* One child to its end, with a loop of its own: for what happens before there
 * is an engine (probe, the seed's check). */
#include "loop/child.h"

struct ks_run {
	struct ks_buf out, errors; /* at most 4 MiB each */
	struct ks_child_exit how;
};

/* Fills *run (ks_run_fini); a program that ends badly is no error here. A signal that
 * would end this program (INT, TERM, HUP) ends the child, which is in a group of its
 * own: KS_EIO then, and the caller can clear up. */
int ks_run(struct ks_run *run, const char *const *argv, const char *cwd, const char *exec,
	const struct ks_limits *limits, int64_t timeout_ms, struct ks_err *err);
/* The same with an environment ("K=V", ended by NULL; NULL: ks_env_clean). */
int ks_run_env(struct ks_run *run, const char *const *argv, const char *const *env,
	const char *cwd, const char *exec, const struct ks_limits *limits, int64_t timeout_ms,
	struct ks_err *err);
void ks_run_fini(struct ks_run *run);

#endif
