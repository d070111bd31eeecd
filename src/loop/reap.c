/*
 * What children leave behind: descendants that outlive them, and orphans that
 * this process inherits as a subreaper.
 *
 * An inherited orphan is reaped by its own pid. waitid with WNOWAIT names one
 * that has ended; when that one is a child libuv still has to reap, we wait for
 * its turn, since its exit calls here again.
 */
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "loop/internal.h"

static bool is_ours(const struct ks_loop *loop, pid_t pid)
{
	for (const struct ks_child *child = loop->children; child != NULL; child = child->next) {
		if (child->running && child->pid == pid) {
			return true;
		}
	}
	return false;
}

static void reap(void *ctx)
{
	struct ks_loop *loop = ctx;

	for (;;) {
		siginfo_t info = {0};

		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
			info.si_pid == 0 || is_ours(loop, info.si_pid)) {
			return;
		}
		if (waitpid(info.si_pid, NULL, WNOHANG) <= 0) {
			return;
		}
	}
}

void ks_loop_reap_later(struct ks_loop *loop)
{
	if (loop->subreaper) {
		ks_loop_defer(loop, reap, loop);
	}
}

static void chld_came(uv_signal_t *uv, int signum)
{
	/* Later: libuv may not have looked at its own children yet. */
	ks_loop_reap_later(uv->data);
}

int ks_child_subreaper(struct ks_loop *loop, struct ks_err *err)
{
	int status;

	if (loop->subreaper) {
		return 0;
	}
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0) {
		return ks_err_sys(err, errno, "cannot take in orphaned processes");
	}
	uv_signal_init(&loop->uv, &loop->chld);
	loop->chld.data = loop;
	status = uv_signal_start(&loop->chld, chld_came, SIGCHLD);
	if (status < 0) {
		return ks_loop_err(err, status, "cannot watch for ended processes");
	}
	uv_unref((uv_handle_t *)&loop->chld);
	loop->subreaper = true;
	return 0;
}

/* Whether a process was started by the child, by what can still be seen. below: by the
 * chain of parents it is. */
static bool started_by(const struct ks_child *child, const struct ks_proc *proc, bool below)
{
	if (proc->started < child->started || proc->pid == getpid()) {
		return false;
	}
	if (child->running && below) {
		return true;
	}
	/* The session's number cannot be given anew while a member lives; one
	 * that lost its parents has us, or init, above it. */
	if (proc->sid == child->pid &&
		(child->running || proc->ppid == getpid() || proc->ppid == 1)) {
		return true;
	}
	return ks_proc_marked(proc->pid, child->mark);
}

bool ks_child_owns(const struct ks_child *child, pid_t pid)
{
	struct ks_proc proc;

	if (pid <= 0) {
		return false;
	}
	if (child->running && pid == child->pid) {
		return true;
	}
	return ks_proc_get(&proc, pid, NULL) == 0 &&
		started_by(child, &proc, ks_proc_descends(pid, child->pid));
}

void ks_child_snapshot(struct ks_child *child)
{
	struct ks_proc *list = NULL;
	size_t count = 0, kept = 0;

	if (ks_proc_list(&list, &count, NULL) < 0) {
		return;
	}
	for (size_t i = 0; i < count; i++) {
		bool below = ks_proc_below(list, count, list[i].pid, child->pid);

		if (list[i].pid != child->pid && started_by(child, &list[i], below)) {
			list[kept++] = list[i];
		}
	}
	free(child->seen);
	child->seen = list;
	child->n_seen = kept;
}

static bool was_seen(const struct ks_child *child, const struct ks_proc *proc)
{
	for (size_t i = 0; i < child->n_seen; i++) {
		if (child->seen[i].pid == proc->pid &&
			child->seen[i].started == proc->started) {
			return true;
		}
	}
	return false;
}

size_t ks_child_sweep(struct ks_child *child)
{
	struct ks_proc *list = NULL;
	size_t count = 0, found = 0;

	if (ks_proc_list(&list, &count, NULL) < 0) {
		return 0;
	}
	for (size_t i = 0; i < count; i++) {
		const struct ks_proc *proc = &list[i];
		bool below = ks_proc_below(list, count, proc->pid, child->pid);

		if (proc->state == 'Z' || proc->state == 'X' || proc->pid == child->pid ||
			(!was_seen(child, proc) && !started_by(child, proc, below))) {
			continue;
		}
		if (kill(proc->pid, SIGKILL) == 0) {
			found++;
		}
	}
	free(list);
	return found;
}

static bool below_running(const struct ks_loop *loop, const struct ks_proc *list, size_t count,
	const struct ks_proc *proc)
{
	for (const struct ks_child *child = loop->children; child != NULL; child = child->next) {
		if (child->running && (proc->pid == child->pid || started_by(child, proc,
			ks_proc_below(list, count, proc->pid, child->pid)))) {
			return true;
		}
	}
	return false;
}

size_t ks_child_sweep_orphans(struct ks_loop *loop)
{
	struct ks_proc *list = NULL;
	size_t count = 0, found = 0;

	if (ks_proc_list(&list, &count, NULL) < 0) {
		return 0;
	}
	for (size_t i = 0; i < count; i++) {
		if (list[i].pid == getpid() || list[i].state == 'Z' ||
			!ks_proc_below(list, count, list[i].pid, getpid()) ||
			below_running(loop, list, count, &list[i])) {
			continue;
		}
		if (kill(list[i].pid, SIGKILL) == 0) {
			found++;
		}
	}
	free(list);
	return found;
}
