/*
 * Children: start, output, input, staged ending.
 *
 * Order of an end: the process exits; what it left behind is killed in rounds,
 * since a process may fork while we look; its pipes run to their end, or for
 * DRAIN_MS where somebody holds them open; then `exited` is called. Pipes are
 * real pipes, since a socket as standard output breaks "> /dev/stderr".
 */
#include "loop/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "loop/internal.h"

#define GRACE_MS 2000
#define DRAIN_MS 300
#define ROUND_MS 10
#define ROUNDS 50
#define STDIN_MAX (16u * 1024 * 1024)
#define LAST_READ (1024u * 1024)

/* ---- memory ---- */

static void child_memory(struct ks_child *child)
{
	if (child->handles > 0 || !child->released) {
		return;
	}
	ks_lines_fini(&child->lines[0]);
	ks_lines_fini(&child->lines[1]);
	ks_wq_fini(&child->wq);
	free(child->mark);
	free(child->seen);
	free(child);
}

static void handle_closed(uv_handle_t *handle)
{
	struct ks_child *child = handle->data;

	child->handles--;
	child_memory(child);
}

static void pipe_close(struct ks_child *child, int fd)
{
	if (child->pipe_open[fd]) {
		child->pipe_open[fd] = false;
		uv_close((uv_handle_t *)&child->pipe[fd], handle_closed);
	}
}

static void timers_free(struct ks_child *child)
{
	ks_timer_free(child->timeout);
	ks_timer_free(child->grace);
	ks_timer_free(child->settle);
	child->timeout = child->grace = child->settle = NULL;
}

/* ---- the end ---- */

static void child_report(struct ks_child *child)
{
	if (child->reported || child->released) {
		return;
	}
	child->reported = true;
	pipe_close(child, 0);
	timers_free(child);
	if (child->exited != NULL) {
		child->exited(child->ctx, &child->how);
	}
}

static void give_lines(struct ks_child *child, int fd)
{
	struct ks_lines *lines = &child->lines[fd - 1];
	struct ks_str line;
	bool cut;

	while (!child->released && ks_lines_next(lines, &line, &cut)) {
		child->output(child->ctx, fd, line, cut);
	}
}

static void take_bytes(struct ks_child *child, int fd, const char *bytes, size_t len)
{
	if (child->output == NULL || child->released) {
		return;
	}
	if (child->line_max == 0) {
		child->output(child->ctx, fd, (struct ks_str){bytes, len}, false);
		return;
	}
	ks_lines_add(&child->lines[fd - 1], bytes, len);
	give_lines(child, fd);
}

static void take_end(struct ks_child *child, int fd)
{
	struct ks_str line;

	if (child->line_max > 0 && child->output != NULL && !child->released &&
		ks_lines_last(&child->lines[fd - 1], &line)) {
		child->output(child->ctx, fd, line, false);
	}
	pipe_close(child, fd);
}

static bool outputs_open(const struct ks_child *child)
{
	return child->pipe_open[1] || child->pipe_open[2];
}

/* Somebody holds the pipe open: takes what is in it and lets go. */
static void take_rest(struct ks_child *child, int fd)
{
	uv_os_fd_t raw = -1;
	size_t total = 0;
	char bytes[4096];

	if (!child->pipe_open[fd]) {
		return;
	}
	uv_fileno((uv_handle_t *)&child->pipe[fd], &raw);
	while (total < LAST_READ && !child->released) {
		ssize_t n = read(raw, bytes, sizeof(bytes));

		if (n <= 0) {
			break;
		}
		total += (size_t)n;
		take_bytes(child, fd, bytes, (size_t)n);
	}
	if (!child->released) {
		take_end(child, fd);
	}
}

static void drain_late(struct ks_child *child)
{
	take_rest(child, 1);
	if (!child->released) {
		take_rest(child, 2);
	}
	child_report(child);
}

/* One step after the exit: another round of sweeping, or the report. */
static void settle(void *ctx)
{
	struct ks_child *child = ctx;
	size_t found;

	if (child->settled) {
		drain_late(child);
		return;
	}
	found = child->keep_descendants && child->stage == KS_CHILD_LIVES ? 0 :
		ks_child_sweep(child);
	if (found > 0 && child->rounds < ROUNDS) {
		if (child->rounds++ == 0) {
			child->how.swept = found;
		}
		ks_timer_arm(child->settle, ROUND_MS);
		return;
	}
	child->settled = true;
	if (outputs_open(child)) {
		ks_timer_arm(child->settle, DRAIN_MS);
	} else {
		child_report(child);
	}
}

static void process_exited(uv_process_t *process, int64_t status, int signum)
{
	struct ks_child *child = process->data;

	child->running = false;
	child->how.status = signum != 0 ? -1 : (int)status;
	child->how.signal = signum;
	child->how.ms = (ks_clock_mono_us() - child->t0) / 1000;
	uv_close((uv_handle_t *)process, handle_closed);
	ks_loop_reap_later(child->loop);
	if (child->released) {
		return;
	}
	ks_timer_cancel(child->timeout);
	ks_timer_cancel(child->grace);
	settle(child);
}

static void kill_group(struct ks_child *child, int signum)
{
	if (child->running && kill(-child->pid, signum) < 0) {
		kill(child->pid, signum);
	}
}

/* The next stage of the ending that takes time. */
static void end_next(void *ctx)
{
	struct ks_child *child = ctx;
	int64_t wait = 0;

	while (wait == 0 && child->running && child->stage < KS_CHILD_KILLED) {
		switch (++child->stage) {
		case KS_CHILD_CLOSED:
			wait = child->input_ms;
			if (wait > 0) {
				ks_child_close_stdin(child);
			}
			break;
		case KS_CHILD_INTERRUPTED:
			wait = child->int_ms;
			if (wait > 0) {
				kill(child->pid, SIGINT);
			}
			break;
		case KS_CHILD_TERMINATED:
			wait = child->grace_ms;
			ks_child_snapshot(child);
			kill_group(child, SIGTERM);
			break;
		default:
			ks_child_snapshot(child);
			kill_group(child, SIGKILL);
			break;
		}
	}
	if (wait > 0) {
		ks_timer_arm(child->grace, wait);
	}
}

static void child_end(struct ks_child *child)
{
	if (child->running && child->stage == KS_CHILD_LIVES) {
		end_next(child);
	}
}

static void timeout_over(void *ctx)
{
	struct ks_child *child = ctx;

	child->how.timed_out = true;
	child_end(child);
}

void ks_child_stop(struct ks_child *child)
{
	if (child->running) {
		child->how.stopped = true;
		child_end(child);
	}
}

/* ---- output and input ---- */

static void pipe_read(uv_stream_t *uv, ssize_t n, const uv_buf_t *buf)
{
	struct ks_child *child = uv->data;
	int fd = uv == (uv_stream_t *)&child->pipe[1] ? 1 : 2;

	if (n == 0 || child->released) {
		return;
	}
	if (n > 0) {
		take_bytes(child, fd, buf->base, (size_t)n);
		return;
	}
	take_end(child, fd);
	if (!child->released && child->settled && !outputs_open(child)) {
		child_report(child);
	}
}

static void stdin_wrote(void *ctx, int status)
{
	struct ks_child *child = ctx;

	if (status < 0 || (child->stdin_ends && ks_wq_queued(&child->wq) == 0)) {
		pipe_close(child, 0);
	}
}

int ks_child_write(struct ks_child *child, struct ks_str bytes, struct ks_err *err)
{
	int status;

	if (!child->pipe_open[0] || child->stdin_ends) {
		return ks_err_set(err, KS_EIO, "process %d: its input is closed", (int)child->pid);
	}
	if (ks_wq_queued(&child->wq) + bytes.len > STDIN_MAX) {
		return ks_err_set(err, KS_ELIMIT, "process %d does not read its input",
			(int)child->pid);
	}
	status = ks_wq_add(&child->wq, bytes);
	if (status < 0) {
		pipe_close(child, 0);
		return ks_loop_err(err, status, "cannot write to a child's input");
	}
	return 0;
}

void ks_child_close_stdin(struct ks_child *child)
{
	child->stdin_ends = true;
	if (ks_wq_queued(&child->wq) == 0) {
		pipe_close(child, 0);
	}
}

/* ---- start ---- */

struct args {
	char **list;
	size_t count, cap;
};

static void args_add(struct args *args, const char *text)
{
	ks_grow(&args->list, &args->cap, args->count + 2, sizeof(*args->list));
	args->list[args->count++] = ks_strdup(text);
	args->list[args->count] = NULL;
}

static void args_number(struct args *args, const char *flag, int64_t value)
{
	char text[24];

	if (value > 0) {
		snprintf(text, sizeof(text), "%lld", (long long)value);
		args_add(args, flag);
		args_add(args, text);
	}
}

static void args_paths(struct args *args, const char *flag, const char *const *paths)
{
	for (; paths != NULL && *paths != NULL; paths++) {
		args_add(args, flag);
		args_add(args, *paths);
	}
}

static void args_fini(struct args *args)
{
	for (size_t i = 0; i < args->count; i++) {
		free(args->list[i]);
	}
	free(args->list);
}

static void args_build(struct args *args, const struct ks_child_spec *spec)
{
	const struct ks_limits *limits = &spec->limits;

	if (spec->exec != NULL) {
		args_add(args, spec->exec);
		args_number(args, "--mem", limits->mem_mb);
		args_number(args, "--file", limits->file_mb);
		args_number(args, "--procs", limits->procs);
		args_number(args, "--cpu", limits->cpu_s);
		args_number(args, "--nofile", limits->nofile);
		args_paths(args, "--hide", limits->hide);
		args_paths(args, "--show", limits->show);
		if (limits->no_net) {
			args_add(args, "--no-net");
		}
		if (limits->pdeathsig) {
			args_add(args, "--pdeathsig");
			args_number(args, "--parent", getpid());
		}
		args_add(args, "--");
	}
	for (const char *const *at = spec->argv; *at != NULL; at++) {
		args_add(args, *at);
	}
}

/* Makes the pipe of fd: our end becomes a handle, the child's is given. */
static int pipe_make(struct ks_child *child, int fd, int *out_theirs, struct ks_err *err)
{
	int ends[2], status;

	if (pipe2(ends, O_CLOEXEC) < 0) {
		return ks_err_sys(err, errno, "cannot make a pipe");
	}
	uv_pipe_init(&child->loop->uv, &child->pipe[fd], 0);
	child->pipe[fd].data = child;
	child->pipe_open[fd] = true;
	child->handles++;
	status = uv_pipe_open(&child->pipe[fd], ends[fd == 0 ? 1 : 0]);
	if (status < 0) {
		close(ends[0]);
		close(ends[1]);
		return ks_loop_err(err, status, "cannot use a pipe");
	}
	*out_theirs = ends[fd == 0 ? 0 : 1];
	return 0;
}

static int spawn(struct ks_child *child, const struct ks_child_spec *spec, int theirs[3],
	struct ks_err *err)
{
	struct args args = {0};
	struct ks_env *env = spec->env != NULL ? ks_env_copy(spec->env) : ks_env_clean();
	uv_stdio_container_t stdio[3];
	uv_process_options_t options = {0};
	int status, rc = 0;

	args_build(&args, spec);
	ks_env_set(env, KS_MARK, child->mark);
	for (int fd = 0; fd < 3; fd++) {
		int end = fd == 2 && spec->merge ? theirs[1] : theirs[fd];

		stdio[fd].flags = end >= 0 ? UV_INHERIT_FD : UV_IGNORE;
		stdio[fd].data.fd = end;
	}
	options.exit_cb = process_exited;
	options.file = args.list[0];
	options.args = args.list;
	options.env = (char **)ks_env_list(env);
	options.cwd = spec->cwd;
	options.flags = UV_PROCESS_DETACHED; /* setsid: own session, no terminal */
	options.stdio_count = 3;
	options.stdio = stdio;
	child->process.data = child;
	child->handles++;
	status = uv_spawn(&child->loop->uv, &child->process, &options);
	if (status < 0) {
		char what[256];

		snprintf(what, sizeof(what), "cannot start %s", args.list[0]);
		rc = ks_loop_err(err, status, what);
		uv_close((uv_handle_t *)&child->process, handle_closed);
	}
	args_fini(&args);
	ks_env_free(env);
	return rc;
}

static void child_begin(struct ks_child *child, const struct ks_child_spec *spec)
{
	struct ks_proc proc;

	child->pid = child->process.pid;
	child->running = true;
	if (ks_proc_get(&proc, child->pid, NULL) == 0) {
		child->started = proc.started;
	}
	child->timeout = ks_timer_new(child->loop, timeout_over, child);
	child->grace = ks_timer_new(child->loop, end_next, child);
	child->settle = ks_timer_new(child->loop, settle, child);
	if (spec->timeout_ms > 0) {
		ks_timer_arm(child->timeout, spec->timeout_ms);
	}
	child->next = child->loop->children;
	if (child->next != NULL) {
		child->next->prev = child;
	}
	child->loop->children = child;
	for (int fd = 1; fd <= 2; fd++) {
		if (child->pipe_open[fd]) {
			uv_read_start((uv_stream_t *)&child->pipe[fd], ks_loop_scratch, pipe_read);
		}
	}
	if (spec->in == KS_CHILD_IN_TEXT) {
		if (ks_wq_add(&child->wq, spec->in_text) < 0) {
			pipe_close(child, 0);
		} else {
			ks_child_close_stdin(child);
		}
	}
}

static struct ks_child *child_new(struct ks_loop *loop, const struct ks_child_spec *spec)
{
	struct ks_child *child = ks_zalloc(1, sizeof(*child));

	child->loop = loop;
	child->line_max = spec->line_max;
	child->lines[0].max = child->lines[1].max = spec->line_max;
	child->input_ms = spec->input_ms;
	child->int_ms = spec->int_ms;
	child->grace_ms = spec->grace_ms > 0 ? spec->grace_ms : GRACE_MS;
	child->keep_descendants = spec->keep_descendants;
	child->output = spec->output;
	child->exited = spec->exited;
	child->ctx = spec->ctx;
	child->t0 = ks_clock_mono_us();
	child->mark = ks_asprintf("%s/%d.%u.", spec->mark != NULL ? spec->mark : "kseek",
		(int)getpid(), ++loop->serial);
	ks_wq_init(&child->wq, (uv_stream_t *)&child->pipe[0], stdin_wrote, child);
	return child;
}

int ks_child_start(struct ks_child **out, struct ks_loop *loop,
	const struct ks_child_spec *spec, struct ks_err *err)
{
	struct ks_child *child;
	int theirs[3] = {-1, -1, -1}, rc = 0;

	if (spec->cwd != NULL && !ks_file_is_dir(spec->cwd)) {
		return ks_err_set(err, KS_ENOTFOUND, "%s: no such folder to run %s in",
			spec->cwd, spec->argv[0]);
	}
	child = child_new(loop, spec);
	for (int fd = spec->in == KS_CHILD_IN_NULL ? 1 : 0; fd < (spec->merge ? 2 : 3) && rc == 0;
		fd++) {
		rc = pipe_make(child, fd, &theirs[fd], err);
	}
	if (rc == 0) {
		rc = spawn(child, spec, theirs, err);
	}
	for (int fd = 0; fd < 3; fd++) {
		if (theirs[fd] >= 0) {
			close(theirs[fd]);
		}
	}
	if (rc < 0) {
		child->released = true;
		for (int fd = 0; fd < 3; fd++) {
			pipe_close(child, fd);
		}
		child_memory(child);
		return rc;
	}
	child_begin(child, spec);
	*out = child;
	return 0;
}

pid_t ks_child_pid(const struct ks_child *child)
{
	return child->running ? child->pid : 0;
}

/* Kills at once and waits shortly, so that no zombie stays. */
static void kill_now(struct ks_child *child)
{
	ks_child_snapshot(child);
	kill_group(child, SIGKILL);
	kill(child->pid, SIGKILL);
	uv_close((uv_handle_t *)&child->process, handle_closed);
	for (int i = 0; i < 200; i++) {
		if (waitpid(child->pid, NULL, WNOHANG) != 0) {
			break;
		}
		usleep(1000);
	}
	child->running = false;
	for (int i = 0; i < 5 && ks_child_sweep(child) > 0; i++) {
		usleep(1000);
	}
	ks_loop_reap_later(child->loop);
}

void ks_child_free(struct ks_child *child)
{
	if (child == NULL) {
		return;
	}
	child->released = true;
	ks_loop_undefer(child->loop, child);
	timers_free(child);
	if (child->running) {
		kill_now(child);
	}
	if (child->prev != NULL) {
		child->prev->next = child->next;
	} else {
		child->loop->children = child->next;
	}
	if (child->next != NULL) {
		child->next->prev = child->prev;
	}
	for (int fd = 0; fd < 3; fd++) {
		pipe_close(child, fd);
	}
	child_memory(child);
}
