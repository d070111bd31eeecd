/*
 * The way into a contained child. Between clone and exec only plain system
 * calls are made; the child's findings come back over a pipe that exec closes.
 */
#include "eval/contain.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "eval/host.h"

#ifndef AT_RECURSIVE
#define AT_RECURSIVE 0x8000
#endif
#ifndef MOUNT_ATTR_RDONLY
#define MOUNT_ATTR_RDONLY 1
#define MOUNT_ATTR_NOSUID 2
#define MOUNT_ATTR_NODEV 4
#define MOUNT_ATTR_NOEXEC 8
#endif
#ifndef __NR_mount_setattr
#define __NR_mount_setattr 442
#endif
#ifndef __NR_close_range
#define __NR_close_range 436
#endif

struct mount_flags { /* struct mount_attr of linux/mount.h */
	uint64_t set, clear, propagation, userns;
};

struct report { /* child to parent */
	unsigned contained;
	int sys;         /* errno of what failed for good, 0 while all is well */
	char what[32];
};

static const struct {
	int clone;
	unsigned bit;
} spaces[] = {
	{CLONE_NEWUSER, KS_CONTAIN_USER}, {CLONE_NEWNS, KS_CONTAIN_MOUNT},
	{CLONE_NEWPID, KS_CONTAIN_PID}, {CLONE_NEWIPC, KS_CONTAIN_IPC},
	{CLONE_NEWNET, KS_CONTAIN_NET},
};
#define NSPACES (sizeof(spaces) / sizeof(spaces[0]))

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd >= 0) {
		ssize_t n = write(fd, text, strlen(text));
		(void)n;
		close(fd);
	}
}

/* Inside, the same user is "nobody", so that exec drops all capabilities. */
static void map_ids(uid_t uid, gid_t gid)
{
	char line[64];
	write_file("/proc/self/setgroups", "deny");
	snprintf(line, sizeof(line), "65534 %u 1", (unsigned)uid);
	write_file("/proc/self/uid_map", line);
	snprintf(line, sizeof(line), "65534 %u 1", (unsigned)gid);
	write_file("/proc/self/gid_map", line);
}

static int set_mount(const char *path, unsigned at, uint64_t set, uint64_t clear)
{
	struct mount_flags flags = {.set = set, .clear = clear};
	return (int)syscall(__NR_mount_setattr, AT_FDCWD, path, at, &flags, sizeof(flags));
}

/* Else /proc/self would be somebody else in a new pid namespace. */
static void own_proc(void)
{
	mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

/* Everything read-only; scratch writable but without programs or devices. */
static bool close_files(const char *scratch, bool gpu)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
		mount(scratch, scratch, NULL, MS_BIND, NULL) != 0) {
		return false;
	}
	own_proc();
	if (set_mount("/", AT_RECURSIVE, MOUNT_ATTR_RDONLY, 0) != 0) {
		return false;
	}
	if (gpu) {
		set_mount("/proc", 0, 0, MOUNT_ATTR_RDONLY);
		mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC,
			"size=64m,mode=1777");
	}
	return set_mount(scratch, 0, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC,
		MOUNT_ATTR_RDONLY) == 0;
}

static void limit(int what, uint64_t value)
{
	struct rlimit now;
	if (getrlimit((__rlimit_resource_t)what, &now) == 0) {
		rlim_t want = (rlim_t)value;
		if (now.rlim_max != RLIM_INFINITY && want > now.rlim_max) {
			want = now.rlim_max;
		}
		struct rlimit next = {want, want};
		setrlimit((__rlimit_resource_t)what, &next);
	}
}

static void set_limits(const struct ks_contain_spec *spec, unsigned contained)
{
	limit(RLIMIT_CORE, 0);
	if (!spec->limits) {
		return;
	}
	limit(RLIMIT_FSIZE, spec->file_bytes);
	limit(RLIMIT_NOFILE, spec->open_files > 0 ? spec->open_files : 64);
	/* without a user namespace this would count the whole user's processes */
	if ((contained & KS_CONTAIN_USER) != 0 && spec->procs > 0) {
		limit(RLIMIT_NPROC, spec->procs);
	}
	if (spec->mem_bytes > 0) {
		limit(RLIMIT_AS, spec->mem_bytes);
	}
	if (spec->data_bytes > 0) {
		limit(RLIMIT_DATA, spec->data_bytes);
	}
}

/* The descriptors of the spec become 0.., everything else is closed at exec. */
static bool place_fds(const struct ks_contain_spec *spec, int *report_fd)
{
	int high[16];
	if (spec->nfds > 16) {
		return false;
	}
	int moved = fcntl(*report_fd, F_DUPFD_CLOEXEC, 100);
	for (unsigned i = 0; i < spec->nfds; i++) {
		high[i] = fcntl(spec->fds[i], F_DUPFD_CLOEXEC, 64);
		if (high[i] < 0) {
			return false;
		}
	}
	for (unsigned i = 0; i < spec->nfds; i++) {
		if (dup2(high[i], (int)i) < 0) {
			return false;
		}
	}
	for (int fd = (int)spec->nfds; fd < 256; fd++) {
		if (fd != moved) {
			close(fd);
		}
	}
	syscall(__NR_close_range, 256U, ~0U, 0U);
	*report_fd = moved;
	return moved >= 0;
}

static void tell(int fd, const struct report *r)
{
	ssize_t n = write(fd, r, sizeof(*r));
	(void)n;
}

__attribute__((noreturn)) static void give_up(int fd, struct report *r, const char *what)
{
	r->sys = errno != 0 ? errno : EINVAL;
	snprintf(r->what, sizeof(r->what), "%s", what);
	tell(fd, r);
	_exit(127);
}

static void clean_signals(void)
{
	sigset_t none;
	sigemptyset(&none);
	for (int s = 1; s < 32; s++) {
		if (s != SIGKILL && s != SIGSTOP) {
			signal(s, SIG_DFL);
		}
	}
	sigprocmask(SIG_SETMASK, &none, NULL);
}

__attribute__((noreturn)) static void child(const struct ks_contain_spec *spec,
	unsigned contained, uid_t uid, gid_t gid, int report_fd)
{
	struct report r = {.contained = contained};
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	clean_signals();
	setsid();
	umask(077);
	if (spec->cpus != NULL) {
		sched_setaffinity(0, sizeof(*spec->cpus), spec->cpus);
	}
	if ((contained & KS_CONTAIN_USER) != 0) {
		map_ids(uid, gid);
	}
	if ((contained & KS_CONTAIN_MOUNT) != 0 && spec->read_only &&
		close_files(spec->scratch, spec->gpu)) {
		r.contained |= KS_CONTAIN_READONLY;
	} else if ((contained & KS_CONTAIN_MOUNT) != 0 && spec->gpu &&
		mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0) {
		own_proc();
	}
	if (!place_fds(spec, &report_fd)) {
		_exit(127);
	}
	if (chdir(spec->scratch) != 0) {
		give_up(report_fd, &r, "scratch folder");
	}
	set_limits(spec, contained);
	tell(report_fd, &r);
	execve(spec->program, spec->argv, spec->env);
	give_up(report_fd, &r, "worker program");
}

static pid_t start_with(const struct ks_contain_spec *spec, unsigned mask, int report_fd)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	unsigned long flags = SIGCHLD;
	for (size_t i = 0; i < NSPACES; i++) {
		flags |= (mask & spaces[i].bit) != 0 ? (unsigned long)spaces[i].clone : 0;
	}
	pid_t pid = (pid_t)syscall(__NR_clone, flags, 0L, 0L, 0L, 0L);
	if (pid == 0) {
		child(spec, mask, uid, gid, report_fd);
	}
	return pid;
}

/* All namespaces, or fewer where the kernel refuses. */
static pid_t start_ladder(const struct ks_contain_spec *spec, int report_fd)
{
	static const unsigned ladder[] = {
		KS_CONTAIN_USER | KS_CONTAIN_MOUNT | KS_CONTAIN_PID | KS_CONTAIN_IPC |
			KS_CONTAIN_NET,
		KS_CONTAIN_USER | KS_CONTAIN_MOUNT | KS_CONTAIN_PID | KS_CONTAIN_IPC,
		KS_CONTAIN_USER | KS_CONTAIN_MOUNT,
		KS_CONTAIN_USER,
		0,
	};
	size_t first = spec->namespaces ? 0 : sizeof(ladder) / sizeof(ladder[0]) - 1;
	pid_t pid = -1;
	for (size_t i = first; i < sizeof(ladder) / sizeof(ladder[0]); i++) {
		pid = start_with(spec, ladder[i], report_fd);
		if (pid > 0 || (errno != EPERM && errno != EINVAL && errno != ENOSPC &&
			errno != EACCES && errno != ENOSYS)) {
			break;
		}
	}
	return pid;
}

static ssize_t read_full(int fd, void *into, size_t size)
{
	size_t have = 0;
	while (have < size) {
		ssize_t n = read(fd, (char *)into + have, size - have);
		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n <= 0) {
			break;
		}
		have += (size_t)n;
	}
	return (ssize_t)have;
}

/* Parent of a process, from /proc/PID/stat: the second word behind the name. */
static pid_t parent_of(long pid)
{
	char path[64], text[512] = {0};
	int ppid = 0;
	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
	if (fd >= 0) {
		close(fd);
	}
	const char *name_end = n > 0 ? strrchr(text, ')') : NULL;
	if (name_end == NULL || sscanf(name_end + 1, " %*c %d", &ppid) != 1) {
		return 0;
	}
	return (pid_t)ppid;
}

/* A line about each thread but the first, until `look` says that it has seen enough. */
static void each_thread(pid_t pid, const char *file, bool (*look)(const char *text, void *arg),
	void *arg)
{
	char path[64], text[512];
	bool more = true;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *dir = opendir(path);
	for (struct dirent *e = dir != NULL ? readdir(dir) : NULL; e != NULL && more;
		e = readdir(dir)) {
		long tid = strtol(e->d_name, NULL, 10);
		if (tid <= 0 || tid == pid) {
			continue;
		}
		snprintf(path, sizeof(path), "/proc/%d/task/%ld/%s", (int)pid, tid, file);
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
		if (fd >= 0) {
			close(fd);
		}
		text[n > 0 ? n : 0] = '\0';
		more = look(text, arg);
	}
	if (dir != NULL) {
		closedir(dir);
	}
}

/* On a processor, or waiting for one. */
static bool look_whether_runs(const char *text, void *arg)
{
	const char *name_end = strrchr(text, ')');
	bool *runs = arg;
	*runs = name_end != NULL && strncmp(name_end, ") R", 3) == 0;
	return !*runs;
}

static bool one_runs(pid_t pid)
{
	bool runs = false;
	each_thread(pid, "stat", look_whether_runs, &runs);
	return runs;
}

static bool add_turns(const char *text, void *arg)
{
	unsigned long long turns = 0;
	uint64_t *sum = arg;
	*sum += sscanf(text, "%*s %*s %llu", &turns) == 1 ? turns : 0;
	return true;
}

uint64_t ks_contain_turns(pid_t pid)
{
	uint64_t sum = 0;
	each_thread(pid, "schedstat", add_turns, &sum);
	return sum;
}

bool ks_contain_rests(pid_t pid, int64_t within_ms)
{
	for (int64_t waited_us = 0; one_runs(pid); waited_us += 200) {
		if (waited_us > within_ms * 1000) {
			return false;
		}
		usleep(200);
	}
	return true;
}

void ks_contain_end_strays(pid_t keep)
{
	pid_t self = getpid();
	DIR *dir = opendir("/proc");
	for (struct dirent *e = dir != NULL ? readdir(dir) : NULL; e != NULL; e = readdir(dir)) {
		long pid = strtol(e->d_name, NULL, 10);
		if (pid > 0 && pid != keep && parent_of(pid) == self) {
			kill((pid_t)pid, SIGKILL);
			waitpid((pid_t)pid, NULL, 0);
		}
	}
	if (dir != NULL) {
		closedir(dir);
	}
}

void ks_contain_prefer(pid_t pid)
{
	char path[64];
	setpriority(PRIO_PROCESS, (id_t)pid, -10);
	/* sessions are weighed against each other before their processes are */
	snprintf(path, sizeof(path), "/proc/%d/autogroup", (int)pid);
	write_file(path, "-10");
}

pid_t ks_contain_start(const struct ks_contain_spec *spec, unsigned *out_contained,
	struct ks_err *err)
{
	int fds[2];
	struct report r = {0}, failed = {0};
	if (pipe2(fds, O_CLOEXEC) != 0) {
		return ks_err_sys(err, errno, "worker: no pipe");
	}
	pid_t pid = start_ladder(spec, fds[1]);
	int sys = errno;
	close(fds[1]);
	if (pid < 0) {
		close(fds[0]);
		return ks_err_sys(err, sys, "worker: no new process");
	}
	ssize_t got = read_full(fds[0], &r, sizeof(r));
	bool bad = got != (ssize_t)sizeof(r) || r.sys != 0 ||
		read_full(fds[0], &failed, sizeof(failed)) == (ssize_t)sizeof(failed);
	close(fds[0]);
	if (bad) {
		waitpid(pid, NULL, 0);
		const struct report *f = r.sys != 0 ? &r : &failed;
		return ks_err_sys(err, f->sys, "%s: the %.31s does not work", spec->program,
			f->what[0] != 0 ? f->what : "start of a contained process");
	}
	ks_contain_prefer(pid);
	*out_contained = r.contained;
	return pid;
}
