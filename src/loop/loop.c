/*
 * The event loop over libuv: timers, signals, descriptors, deferred calls, work.
 *
 * Deferred calls run from an idle handle, once a turn, so one that defers
 * itself again cannot starve the rest. Handles are closed by their owners; what
 * is left when the loop is freed is closed there without its memory, which a
 * leak checker then shows.
 */
#include "loop/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>

#include "base/mem.h"
#include "loop/internal.h"

static void run_deferred(uv_idle_t *idle)
{
	struct ks_loop *loop = idle->data;
	size_t count = loop->n_deferred;

	/* By index: calls may add to the list, which may move. */
	for (size_t i = 0; i < count; i++) {
		struct ks_deferred call = loop->deferred[i];

		loop->deferred[i].fn = NULL;
		if (call.fn != NULL) {
			call.fn(call.ctx);
		}
	}
	loop->n_deferred -= count;
	memmove(loop->deferred, loop->deferred + count,
		loop->n_deferred * sizeof(*loop->deferred));
	if (loop->n_deferred == 0) {
		uv_idle_stop(idle);
	}
}

int ks_loop_new(struct ks_loop **out, struct ks_err *err)
{
	struct ks_loop *loop = ks_zalloc(1, sizeof(*loop));
	int status = uv_loop_init(&loop->uv);

	if (status < 0) {
		free(loop);
		return ks_loop_err(err, status, "cannot set up the event loop");
	}
	loop->uv.data = loop;
	uv_idle_init(&loop->uv, &loop->idle);
	loop->idle.data = loop;
	uv_timer_init(&loop->uv, &loop->guard);
	signal(SIGPIPE, SIG_IGN);
	*out = loop;
	return 0;
}

static void close_left(uv_handle_t *handle, void *arg)
{
	if (!uv_is_closing(handle)) {
		uv_close(handle, NULL);
	}
}

void ks_loop_free(struct ks_loop *loop)
{
	if (loop == NULL) {
		return;
	}
	loop->freed = true;
	uv_walk(&loop->uv, close_left, NULL);
	while (uv_run(&loop->uv, UV_RUN_DEFAULT) != 0) {
	}
	uv_loop_close(&loop->uv);
	free(loop->deferred);
	free(loop);
}

void ks_loop_run(struct ks_loop *loop)
{
	while (!loop->stop && uv_run(&loop->uv, UV_RUN_ONCE) != 0) {
	}
}

void ks_loop_stop(struct ks_loop *loop)
{
	loop->stop = true;
	uv_stop(&loop->uv);
}

static void guard_fired(uv_timer_t *timer)
{
}

bool ks_loop_turn(struct ks_loop *loop, int wait_ms)
{
	if (wait_ms <= 0) {
		uv_run(&loop->uv, UV_RUN_NOWAIT);
	} else {
		uv_update_time(&loop->uv);
		uv_timer_start(&loop->guard, guard_fired, (uint64_t)wait_ms, 0);
		uv_run(&loop->uv, UV_RUN_ONCE);
		uv_timer_stop(&loop->guard);
	}
	return uv_loop_alive(&loop->uv) != 0;
}

int64_t ks_loop_now_ms(const struct ks_loop *loop)
{
	return (int64_t)uv_now(&loop->uv);
}

void ks_loop_defer(struct ks_loop *loop, void (*fn)(void *ctx), void *ctx)
{
	ks_grow(&loop->deferred, &loop->cap_deferred, loop->n_deferred + 1,
		sizeof(*loop->deferred));
	loop->deferred[loop->n_deferred++] = (struct ks_deferred){fn, ctx};
	uv_idle_start(&loop->idle, run_deferred);
}

void ks_loop_undefer(struct ks_loop *loop, const void *ctx)
{
	for (size_t i = 0; i < loop->n_deferred; i++) {
		if (loop->deferred[i].ctx == ctx) {
			loop->deferred[i].fn = NULL;
		}
	}
}

/* ---- work in a thread ---- */

struct job {
	uv_work_t uv;
	int (*work)(int arg);
	int arg, result;
	void (*done)(void *ctx, int result);
	void *ctx;
};

static void job_run(uv_work_t *uv)
{
	struct job *job = uv->data;

	job->result = job->work(job->arg);
}

static void job_done(uv_work_t *uv, int status)
{
	struct job *job = uv->data;
	const struct ks_loop *loop = uv->loop->data;

	if (!loop->freed) {
		job->done(job->ctx, job->result);
	}
	free(job);
}

void ks_loop_work(struct ks_loop *loop, int (*work)(int arg), int arg,
	void (*done)(void *ctx, int result), void *ctx)
{
	struct job *job = ks_zalloc(1, sizeof(*job));

	job->uv.data = job;
	job->work = work;
	job->arg = arg;
	job->done = done;
	job->ctx = ctx;
	uv_queue_work(&loop->uv, &job->uv, job_run, job_done);
}

void ks_loop_scratch(uv_handle_t *handle, size_t want, uv_buf_t *out)
{
	struct ks_loop *loop = handle->loop->data;

	*out = uv_buf_init(loop->scratch, sizeof(loop->scratch));
}

int ks_loop_err(struct ks_err *err, int status, const char *what)
{
	int code = KS_EIO;
	bool fresh;

	if (status == UV_ENOENT || status == UV_ECONNREFUSED || status == UV_ESRCH) {
		code = KS_ENOTFOUND;
	} else if (status == UV_EACCES || status == UV_EPERM) {
		code = KS_EDENIED;
	} else if (status == UV_EAGAIN || status == UV_EADDRINUSE) {
		code = KS_EBUSY;
	}
	fresh = err != NULL && err->code == 0;
	ks_err_sys(err, -status, "%s", what);
	if (fresh) {
		err->code = code;
	}
	return code;
}

/* ---- timers ---- */

struct ks_timer {
	uv_timer_t uv;
	void (*fn)(void *ctx);
	void *ctx;
};

struct ks_timer *ks_timer_new(struct ks_loop *loop, void (*fn)(void *ctx), void *ctx)
{
	struct ks_timer *timer = ks_zalloc(1, sizeof(*timer));

	uv_timer_init(&loop->uv, &timer->uv);
	timer->uv.data = timer;
	timer->fn = fn;
	timer->ctx = ctx;
	return timer;
}

static void timer_fired(uv_timer_t *uv)
{
	struct ks_timer *timer = uv->data;

	timer->fn(timer->ctx);
}

void ks_timer_arm(struct ks_timer *timer, int64_t ms)
{
	/* The turn may have begun long ago: count from now. */
	uv_update_time(timer->uv.loop);
	uv_timer_start(&timer->uv, timer_fired, ms > 0 ? (uint64_t)ms : 0, 0);
}

void ks_timer_arm_sooner(struct ks_timer *timer, int64_t ms)
{
	uv_update_time(timer->uv.loop);
	if (!ks_timer_armed(timer) || (int64_t)uv_timer_get_due_in(&timer->uv) > ms) {
		ks_timer_arm(timer, ms);
	}
}

void ks_timer_cancel(struct ks_timer *timer)
{
	uv_timer_stop(&timer->uv);
}

bool ks_timer_armed(const struct ks_timer *timer)
{
	return uv_is_active((const uv_handle_t *)&timer->uv) != 0;
}

static void free_data(uv_handle_t *handle)
{
	free(handle->data);
}

void ks_timer_free(struct ks_timer *timer)
{
	if (timer != NULL) {
		uv_close((uv_handle_t *)&timer->uv, free_data);
	}
}

/* ---- timers by name ---- */

struct named {
	struct ks_timers *set;
	struct ks_timer *timer;
	struct named *next;
	char *name;
};

struct ks_timers {
	struct ks_loop *loop;
	void (*fn)(void *ctx, const char *name);
	void *ctx;
	struct named *first;
};

struct ks_timers *ks_timers_new(struct ks_loop *loop,
	void (*fn)(void *ctx, const char *name), void *ctx)
{
	struct ks_timers *set = ks_zalloc(1, sizeof(*set));

	set->loop = loop;
	set->fn = fn;
	set->ctx = ctx;
	return set;
}

/* Takes it off the list; the caller owns its name. */
static char *named_remove(struct named *entry)
{
	struct named **at = &entry->set->first;
	char *name = entry->name;

	while (*at != entry) {
		at = &(*at)->next;
	}
	*at = entry->next;
	ks_timer_free(entry->timer);
	free(entry);
	return name;
}

static void named_fired(void *ctx)
{
	struct named *entry = ctx;
	struct ks_timers *set = entry->set;
	char *name = named_remove(entry);

	set->fn(set->ctx, name);
	free(name);
}

static struct named *named_find(struct ks_timers *set, const char *name)
{
	struct named *entry = set->first;

	while (entry != NULL && strcmp(entry->name, name) != 0) {
		entry = entry->next;
	}
	return entry;
}

void ks_timers_arm(struct ks_timers *timers, const char *name, int64_t ms)
{
	struct named *entry = named_find(timers, name);

	if (entry == NULL) {
		entry = ks_zalloc(1, sizeof(*entry));
		entry->set = timers;
		entry->name = ks_strdup(name);
		entry->timer = ks_timer_new(timers->loop, named_fired, entry);
		entry->next = timers->first;
		timers->first = entry;
	}
	ks_timer_arm(entry->timer, ms);
}

void ks_timers_cancel(struct ks_timers *timers, const char *name)
{
	struct named *entry = named_find(timers, name);

	if (entry != NULL) {
		free(named_remove(entry));
	}
}

void ks_timers_free(struct ks_timers *timers)
{
	if (timers == NULL) {
		return;
	}
	while (timers->first != NULL) {
		free(named_remove(timers->first));
	}
	free(timers);
}

/* ---- signals ---- */

struct ks_signal {
	uv_signal_t uv;
	void (*fn)(void *ctx, int signum);
	void *ctx;
};

static void signal_came(uv_signal_t *uv, int signum)
{
	struct ks_signal *sig = uv->data;

	sig->fn(sig->ctx, signum);
}

int ks_signal_new(struct ks_signal **out, struct ks_loop *loop, int signum,
	void (*fn)(void *ctx, int signum), void *ctx, struct ks_err *err)
{
	struct ks_signal *sig = ks_zalloc(1, sizeof(*sig));
	int status;

	sig->fn = fn;
	sig->ctx = ctx;
	uv_signal_init(&loop->uv, &sig->uv);
	sig->uv.data = sig;
	status = uv_signal_start(&sig->uv, signal_came, signum);
	if (status < 0) {
		ks_signal_free(sig);
		return ks_loop_err(err, status, "cannot watch a signal");
	}
	/* Waiting for a signal alone keeps no program alive. */
	uv_unref((uv_handle_t *)&sig->uv);
	*out = sig;
	return 0;
}

void ks_signal_free(struct ks_signal *sig)
{
	if (sig != NULL) {
		uv_close((uv_handle_t *)&sig->uv, free_data);
	}
}

/* ---- descriptors ---- */

struct ks_fdwatch {
	uv_poll_t uv;
	unsigned events;
	void (*fn)(void *ctx, unsigned events);
	void *ctx;
};

int ks_fdwatch_new(struct ks_fdwatch **out, struct ks_loop *loop, int fd,
	unsigned events, void (*fn)(void *ctx, unsigned events), void *ctx,
	struct ks_err *err)
{
	struct ks_fdwatch *watch = ks_zalloc(1, sizeof(*watch));
	int flags = fcntl(fd, F_GETFL);
	int status = uv_poll_init(&loop->uv, &watch->uv, fd);

	/* libuv makes the descriptor non-blocking, which a terminal shares with
	 * the shell and keeps when this program is killed. Watching needs it not. */
	if (flags >= 0 && (flags & O_NONBLOCK) == 0) {
		(void)fcntl(fd, F_SETFL, flags);
	}
	if (status < 0) {
		free(watch);
		return ks_loop_err(err, status, "cannot watch a descriptor");
	}
	watch->uv.data = watch;
	watch->fn = fn;
	watch->ctx = ctx;
	ks_fdwatch_set(watch, events);
	*out = watch;
	return 0;
}

static void fd_ready(uv_poll_t *uv, int status, int events)
{
	struct ks_fdwatch *watch = uv->data;
	unsigned ready = 0;

	if (status < 0) {
		ready = watch->events;
	}
	if (events & (UV_READABLE | UV_DISCONNECT)) {
		ready |= KS_FD_READ;
	}
	if (events & UV_WRITABLE) {
		ready |= KS_FD_WRITE;
	}
	watch->fn(watch->ctx, ready);
}

void ks_fdwatch_set(struct ks_fdwatch *watch, unsigned events)
{
	int uv_events = 0;

	watch->events = events;
	if (events == 0) {
		uv_poll_stop(&watch->uv);
		return;
	}
	if (events & KS_FD_READ) {
		uv_events |= UV_READABLE;
	}
	if (events & KS_FD_WRITE) {
		uv_events |= UV_WRITABLE;
	}
	uv_poll_start(&watch->uv, uv_events, fd_ready);
}

void ks_fdwatch_free(struct ks_fdwatch *watch)
{
	if (watch != NULL) {
		uv_close((uv_handle_t *)&watch->uv, free_data);
	}
}
