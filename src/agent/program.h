#ifndef KSEEK_AGENT_PROGRAM_H
#define KSEEK_AGENT_PROGRAM_H
/*
 * An agent's program: a child that speaks in lines over its standard input and
 * output. Its error output is always read, so that it never stands still, and
 * the end of it is kept. Its ending begins with the turn, which the driver
 * cancels: after two seconds, or once the turn has ended, its input is closed and
 * the stages of every child follow (loop/child.h).
 */
#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "loop/child.h"

struct ks_agent_setup;
struct ks_program;

struct ks_program_ops {
	/* A line without its end; lent for the call. */
	void (*line)(void *ctx, struct ks_str line);
	/* A line of that many bytes was too long and is lost. */
	void (*lost)(void *ctx, size_t bytes);
	/* Once, after all of the above. ks_program_free is allowed inside. */
	void (*exited)(void *ctx, const struct ks_child_exit *how);
	void *ctx;
};

/* argv and env are borrowed for the call. */
int ks_program_start(struct ks_program **out, const struct ks_agent_setup *setup,
	const char *const *argv, const char *const *env, const struct ks_program_ops *ops,
	struct ks_err *err);
/* KS_EIO: its input is closed; KS_ELIMIT: it does not read. */
int ks_program_send(struct ks_program *program, struct ks_str bytes, struct ks_err *err);
/* Begins the staged ending. turn: a turn is being cancelled. */
void ks_program_end(struct ks_program *program, bool turn);
/* The turn has ended: the ending need not wait for it. */
void ks_program_idle(struct ks_program *program);
bool ks_program_ending(const struct ks_program *program);
pid_t ks_program_pid(const struct ks_program *program);
bool ks_program_owns(const struct ks_program *program, pid_t pid);
/* Lines on its output that were no messages: kept beside the error output. */
void ks_program_noise(struct ks_program *program, struct ks_str line);
/* Appends the last lines that it wrote as errors, else as noise. */
void ks_program_tail(const struct ks_program *program, struct ks_buf *out);
void ks_program_free(struct ks_program *program);

/* The environment of agents: everything of ours, with kseek's own folder first
 * in PATH, KSEEK, and extra "K=V" of the setup. Gives (ks_env_free). */
struct ks_env *ks_program_env(const struct ks_agent_setup *setup);

#endif
