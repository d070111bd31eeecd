/* A child run to its end: see run.h. */
#include "loop/run.h"

#include <signal.h>

#define KEEP (4u * 1024 * 1024)
#define ENDS 3 /* signals that end a program */

static const int ends[ENDS] = {SIGINT, SIGTERM, SIGHUP};

struct running {
	struct ks_run *run;
	struct ks_loop *loop;
	struct ks_child *child;
	struct ks_signal *signals[ENDS];
	bool stopped;
};

static void on_output(void *ctx, int fd, struct ks_str bytes, bool cut)
{
	struct running *r = ctx;
	struct ks_buf *to = fd == 1 ? &r->run->out : &r->run->errors;

	if (to->len < KEEP) {
		ks_buf_addstr(to, bytes);
	}
}

static void on_exit_child(void *ctx, const struct ks_child_exit *how)
{
	struct running *r = ctx;

	r->run->how = *how;
	ks_loop_stop(r->loop);
}

static void on_signal(void *ctx, int signum)
{
	struct running *r = ctx;

	r->stopped = true;
	ks_child_stop(r->child);
}

/* Held back elsewhere, they are heard while the child runs: then as well as before. */
static int wait_for(struct running *r, struct ks_err *err)
{
	sigset_t heard, before;
	int rc = 0;

	sigemptyset(&heard);
	for (int i = 0; rc == 0 && i < ENDS; i++) {
		sigaddset(&heard, ends[i]);
		rc = ks_signal_new(&r->signals[i], r->loop, ends[i], on_signal, r, err);
	}
	if (rc == 0) {
		pthread_sigmask(SIG_UNBLOCK, &heard, &before);
		ks_loop_run(r->loop);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	for (int i = 0; i < ENDS; i++) {
		ks_signal_free(r->signals[i]);
	}
	return rc == 0 && r->stopped ? ks_err_set(err, KS_EIO, "stopped by a signal") : rc;
}

int ks_run(struct ks_run *run, const char *const *argv, const char *cwd, const char *exec,
	const struct ks_limits *limits, int64_t timeout_ms, struct ks_err *err)
{
	return ks_run_env(run, argv, NULL, cwd, exec, limits, timeout_ms, err);
}

int ks_run_env(struct ks_run *run, const char *const *argv, const char *const *env,
	const char *cwd, const char *exec, const struct ks_limits *limits, int64_t timeout_ms,
	struct ks_err *err)
{
	struct running r = {.run = run};

	*run = (struct ks_run){0};
	int rc = ks_loop_new(&r.loop, err);
	if (rc < 0) {
		return rc;
	}
	const struct ks_child_spec spec = {
		.argv = argv, .env = env, .cwd = cwd, .exec = exec, .limits = *limits,
		.timeout_ms = timeout_ms, .output = on_output, .exited = on_exit_child, .ctx = &r
	};
	rc = ks_child_start(&r.child, r.loop, &spec, err);
	if (rc == 0) {
		rc = wait_for(&r, err);
	}
	ks_child_free(r.child);
	ks_loop_free(r.loop);
	return rc;
}

void ks_run_fini(struct ks_run *run)
{
	ks_buf_fini(&run->out);
	ks_buf_fini(&run->errors);
}
