#ifndef KSEEK_LOOP_INTERNAL_H
#define KSEEK_LOOP_INTERNAL_H
/*
 * What the files of src/loop share: the loop's body, a line splitter and a
 * bounded write queue. Objects with a libuv handle are freed in the handle's
 * close callback, so a pointer stays valid for the rest of the turn in which
 * its owner frees it; code that calls out looks at a `dead` flag afterwards.
 */
#include <uv.h>

#include "base/buf.h"
#include "loop/child.h"
#include "loop/loop.h"
#include "loop/proc.h"

#define KS_LOOP_READ_SIZE (64 * 1024)

struct ks_deferred {
	void (*fn)(void *ctx); /* NULL: dropped */
	void *ctx;
};

struct ks_loop {
	uv_loop_t uv;
	uv_idle_t idle;    /* active while calls are deferred */
	uv_timer_t guard;  /* bounds one turn */
	bool stop, freed;
	struct ks_deferred *deferred;
	size_t n_deferred, cap_deferred;
	/* children */
	struct ks_child *children; /* list of those not freed */
	uv_signal_t chld;
	bool subreaper;
	unsigned serial;
	char scratch[KS_LOOP_READ_SIZE]; /* of the read that runs */
};

void ks_loop_scratch(uv_handle_t *handle, size_t want, uv_buf_t *out);
/* Error from a libuv status: ENOENT, EACCES and the like get their own code. */
int ks_loop_err(struct ks_err *err, int status, const char *what);
/* Reaps inherited orphans that have ended, in the next turn. */
void ks_loop_reap_later(struct ks_loop *loop);

/* ---- lines ---- */
struct ks_lines {
	struct ks_buf buf;
	size_t start, scanned;
	size_t max;
	bool skipping; /* the rest of a line that was cut */
};

void ks_lines_fini(struct ks_lines *lines);
void ks_lines_add(struct ks_lines *lines, const char *bytes, size_t len);
/* The next line, lent until the next add. A line above max is given once, cut
 * at max, and the rest of it is dropped. */
bool ks_lines_next(struct ks_lines *lines, struct ks_str *out, bool *out_cut);
/* What is left without a newline at the end of the stream. */
bool ks_lines_last(struct ks_lines *lines, struct ks_str *out);

/* ---- write queue: one write in flight, the rest gathered behind it ---- */
struct ks_wq {
	uv_stream_t *handle;
	uv_write_t req;
	struct ks_buf waiting, flying;
	bool busy;
	void *ctx;
	/* After each write: 0 or a negative libuv status. */
	void (*done)(void *ctx, int status);
};

void ks_wq_init(struct ks_wq *wq, uv_stream_t *handle, void (*done)(void *ctx, int status),
	void *ctx);
void ks_wq_fini(struct ks_wq *wq);
int ks_wq_add(struct ks_wq *wq, struct ks_str bytes); /* 0 or a libuv status */
size_t ks_wq_queued(const struct ks_wq *wq);

/* ---- children ---- */
struct ks_child {
	struct ks_loop *loop;
	struct ks_child *prev, *next;
	uv_process_t process;
	uv_pipe_t pipe[3];
	bool pipe_open[3];
	int handles;         /* libuv's hold: handles not yet closed */
	bool released;       /* the owner has freed it */

	pid_t pid;
	uint64_t started;    /* clock ticks, tells a reused pid apart */
	int64_t t0;          /* microseconds, monotonic */
	char *mark;          /* ends with '.', so that it is no other's prefix */
	size_t line_max;
	int64_t input_ms, int_ms, grace_ms;
	bool keep_descendants;
	void (*output)(void *ctx, int fd, struct ks_str bytes, bool cut);
	void (*exited)(void *ctx, const struct ks_child_exit *how);
	void *ctx;

	struct ks_lines lines[2];
	struct ks_wq wq;
	bool stdin_ends;     /* close it when the queue is empty */
	struct ks_timer *timeout, *grace, *settle;
	enum { KS_CHILD_LIVES, KS_CHILD_CLOSED, KS_CHILD_INTERRUPTED, KS_CHILD_TERMINATED,
		KS_CHILD_KILLED } stage; /* of its ending */
	bool running, settled, reported;
	int rounds;          /* of sweeping after the exit */
	struct ks_child_exit how;
	struct ks_proc *seen;/* descendants when the ending began */
	size_t n_seen;
};

struct ks_env *ks_env_copy(const char *const *list);
/* Remembers the descendants of a running child. */
void ks_child_snapshot(struct ks_child *child);
/* KILL to everything that the child started and that still lives, but itself;
 * returns how many were found. */
size_t ks_child_sweep(struct ks_child *child);

#endif
