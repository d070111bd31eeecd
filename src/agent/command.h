#ifndef KSEEK_AGENT_COMMAND_H
#define KSEEK_AGENT_COMMAND_H
/*
 * A command that an agent of ours runs: a child with a limit on its time, whose
 * output is kept within bounds. It ends as every child does (loop/child.h). A
 * zeroed struct is valid and runs nothing.
 */
#include "agent/clip.h"
#include "loop/child.h"

struct ks_command_end {
	bool ok;              /* ended by itself, with status 0 */
	int status;           /* 128 and the signal after a signal */
	bool stopped;         /* ks_command_stop was called */
	struct ks_str output; /* lent for the call; says so when the time was up */
};

struct ks_command {
	struct ks_child *child; /* NULL: nothing runs */
	struct ks_clip clip;
	int64_t limit_ms;
	void (*heard)(void *ctx); /* output came; may be NULL */
	/* Once, when all is over; another may be started inside. */
	void (*ended)(void *ctx, const struct ks_command_end *end);
	void *ctx;
};

/* spec: argv, env, cwd, exec, mark, limits and timeout_ms. A failure as of
 * ks_child_start; nothing is called then. */
int ks_command_start(struct ks_command *command, struct ks_loop *loop,
	struct ks_child_spec spec, struct ks_err *err);
/* Begins its end; nothing where nothing runs. True when something runs. */
bool ks_command_stop(struct ks_command *command);
bool ks_command_owns(const struct ks_command *command, pid_t pid);
void ks_command_fini(struct ks_command *command); /* kills at once */

#endif
