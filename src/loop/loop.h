#ifndef KSEEK_LOOP_LOOP_H
#define KSEEK_LOOP_LOOP_H
/*
 * The one event loop of a program: timers, signals, readiness of descriptors
 * and deferred calls. src/loop is the only user of libuv. Everything runs in
 * the thread that calls ks_loop_run; callbacks never run inside the call that
 * asked for them. Every object made from a loop must be freed before it.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct ks_loop;

/* Gives *out. Ignores SIGPIPE in this process, so that a dead peer is an error
 * of a write and no end of the program. */
int ks_loop_new(struct ks_loop **out, struct ks_err *err);
void ks_loop_free(struct ks_loop *loop);
/* Runs until ks_loop_stop, or until nothing can happen any more. */
void ks_loop_run(struct ks_loop *loop);
void ks_loop_stop(struct ks_loop *loop);
/* One turn that waits at most wait_ms for something (0: does not wait). True
 * while anything is left that could happen. */
bool ks_loop_turn(struct ks_loop *loop, int wait_ms);
/* Monotonic milliseconds, as of the start of this turn. */
int64_t ks_loop_now_ms(const struct ks_loop *loop);

/* Calls fn(ctx) once, after the running callback has returned. */
void ks_loop_defer(struct ks_loop *loop, void (*fn)(void *ctx), void *ctx);
/* Drops deferred calls that were made with ctx and have not run. */
void ks_loop_undefer(struct ks_loop *loop, const void *ctx);

/* Runs work(arg) in a thread of its own, for what may take long in the system; the
 * loop goes on, and calls done(ctx, what work gave) from a turn. The work may use
 * nothing that is not its own. A loop that is freed waits for it and does not call
 * done any more. */
void ks_loop_work(struct ks_loop *loop, int (*work)(int arg), int arg,
	void (*done)(void *ctx, int result), void *ctx);

/* ---- timers: one-shot; arming an armed timer moves it ---- */
struct ks_timer;
struct ks_timer *ks_timer_new(struct ks_loop *loop, void (*fn)(void *ctx), void *ctx);
void ks_timer_arm(struct ks_timer *timer, int64_t ms);
/* Arms it only when it is not armed or would fire later. */
void ks_timer_arm_sooner(struct ks_timer *timer, int64_t ms);
void ks_timer_cancel(struct ks_timer *timer);
bool ks_timer_armed(const struct ks_timer *timer);
void ks_timer_free(struct ks_timer *timer);

/* ---- a set of one-shot timers by name (effects of the engine) ---- */
struct ks_timers;
struct ks_timers *ks_timers_new(struct ks_loop *loop,
	void (*fn)(void *ctx, const char *name), void *ctx);
/* The same name re-arms. The name is copied. */
void ks_timers_arm(struct ks_timers *timers, const char *name, int64_t ms);
void ks_timers_cancel(struct ks_timers *timers, const char *name);
void ks_timers_free(struct ks_timers *timers);

/* ---- signals, delivered as ordinary callbacks ---- */
struct ks_signal;
int ks_signal_new(struct ks_signal **out, struct ks_loop *loop, int signum,
	void (*fn)(void *ctx, int signum), void *ctx, struct ks_err *err);
void ks_signal_free(struct ks_signal *sig);

/* ---- readiness of a descriptor that the caller owns (a terminal) ---- */
enum ks_fd_events { KS_FD_READ = 1, KS_FD_WRITE = 2 };
struct ks_fdwatch;
/* fn gets what is ready; on a hang-up or an error, all that was asked for (a
 * read then says what happened). events may be 0 to begin with. */
int ks_fdwatch_new(struct ks_fdwatch **out, struct ks_loop *loop, int fd,
	unsigned events, void (*fn)(void *ctx, unsigned events), void *ctx,
	struct ks_err *err);
void ks_fdwatch_set(struct ks_fdwatch *watch, unsigned events);
/* Does not close the descriptor. */
void ks_fdwatch_free(struct ks_fdwatch *watch);

#endif
