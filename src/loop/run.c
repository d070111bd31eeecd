/* A child run to its end: see run.h. */
#include "loop/run.h"

#define KEEP (4u * 1024 * 1024)

struct running {
	struct ks_run *run;
	struct ks_loop *loop;
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
	struct ks_child *child = NULL;

	*run = (struct ks_run){0};
	int rc = ks_loop_new(&r.loop, err);
	if (rc < 0) {
		return rc;
	}
	const struct ks_child_spec spec = {
		.argv = argv, .env = env, .cwd = cwd, .exec = exec, .limits = *limits,
		.timeout_ms = timeout_ms, .output = on_output, .exited = on_exit_child, .ctx = &r
	};
	rc = ks_child_start(&child, r.loop, &spec, err);
	if (rc == 0) {
		ks_loop_run(r.loop);
	}
	ks_child_free(child);
	ks_loop_free(r.loop);
	return rc;
}

void ks_run_fini(struct ks_run *run)
{
	ks_buf_fini(&run->out);
	ks_buf_fini(&run->errors);
}
