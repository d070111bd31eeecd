/*
 * kseek-exec: the stub between kseek and every program it starts.
 *
 *   kseek-exec [--mem MB] [--file MB] [--procs N] [--cpu S] [--nofile N]
 *              [--chdir DIR] [--no-net] [--pdeathsig] [--parent PID]
 *              [--env K=V]... [--hide DIR]... [--show PATH]... -- PROGRAM ARGS
 *
 * It gives the program default signals, an empty mask, descriptors 0 to 2 and
 * no others, limits, no new privileges, no core file, and becomes it. Exit
 * status as of env(1): 125 when the stub itself fails, 126 when the program
 * cannot be run, 127 when it is not there. Links nothing but libc.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "loop/exec_hide.h"

#define MB (1024ull * 1024)
#define FD_MAX 65536

struct options {
	uint64_t mem_mb, file_mb, procs, cpu_s, nofile, parent;
	const char *chdir;
	bool no_net, pdeathsig;
	const char *hidden[EXEC_HIDE_MAX], *shown[EXEC_HIDE_MAX];
	size_t nhidden, nshown;
};

static int fail(const char *what, const char *where)
{
	fprintf(stderr, "kseek-exec: %s: %s: %s\n", what, where, strerror(errno));
	return 125;
}

static int misuse(const char *what, const char *arg)
{
	fprintf(stderr, "kseek-exec: %s %s\n"
		"usage: kseek-exec [--mem MB] [--file MB] [--procs N] [--cpu S] [--nofile N]\n"
		"                  [--chdir DIR] [--no-net] [--pdeathsig] [--parent PID]\n"
		"                  [--env K=V]... [--hide DIR]... [--show PATH]...\n"
		"                  -- PROGRAM ARGS\n", what, arg);
	return 125;
}

/* A plain decimal number from 1 to 10^15. */
static bool number(const char *text, uint64_t *out)
{
	char *end;
	unsigned long long value;

	if (text == NULL || !isdigit((unsigned char)*text)) {
		return false;
	}
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno != 0 || *end != '\0' || value == 0 || value > 1000000000000000ull) {
		return false;
	}
	*out = value;
	return true;
}

static uint64_t *number_of(struct options *o, const char *flag)
{
	struct {
		const char *flag;
		uint64_t *value;
	} const known[] = {
		{"--mem", &o->mem_mb}, {"--file", &o->file_mb}, {"--procs", &o->procs},
		{"--cpu", &o->cpu_s}, {"--nofile", &o->nofile}, {"--parent", &o->parent},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(flag, known[i].flag) == 0) {
			return known[i].value;
		}
	}
	return NULL;
}

/* --hide and --show; false for another flag, no absolute path, or too many. */
static bool add_path(struct options *o, const char *flag, const char *path)
{
	bool hide = strcmp(flag, "--hide") == 0, show = strcmp(flag, "--show") == 0;
	size_t *count = hide ? &o->nhidden : &o->nshown;

	if ((!hide && !show) || path == NULL || path[0] != '/' || *count == EXEC_HIDE_MAX) {
		return false;
	}
	(hide ? o->hidden : o->shown)[(*count)++] = path;
	return true;
}

/* Reads the options; the index of PROGRAM, or -1 after a message. */
static int parse(int argc, char **argv, struct options *o)
{
	int i = 1;

	for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;
		uint64_t *slot = number_of(o, argv[i]);

		if (strcmp(argv[i], "--no-net") == 0) {
			o->no_net = true;
			continue;
		}
		if (strcmp(argv[i], "--pdeathsig") == 0) {
			o->pdeathsig = true;
			continue;
		}
		if (slot != NULL) {
			if (!number(value, slot)) {
				misuse("not a number after", argv[i]);
				return -1;
			}
		} else if (strcmp(argv[i], "--chdir") == 0 && value != NULL) {
			o->chdir = value;
		} else if (strcmp(argv[i], "--env") == 0 && value != NULL &&
			strchr(value, '=') != NULL && *value != '=') {
			putenv(argv[i + 1]);
		} else if (!add_path(o, argv[i], value)) {
			misuse("not understood:", argv[i]);
			return -1;
		}
		i++;
	}
	if (i + 1 >= argc) {
		misuse("no program after", "--");
		return -1;
	}
	return i + 1;
}

static int limit(int resource, uint64_t value, const char *name)
{
	struct rlimit now;

	if (value == 0) {
		return 0;
	}
	if (getrlimit(resource, &now) < 0) {
		return fail("cannot read the limit", name);
	}
	/* Lowering is always allowed; asking for more than we have is not. */
	if (now.rlim_max != RLIM_INFINITY && value > now.rlim_max) {
		value = now.rlim_max;
	}
	now.rlim_cur = now.rlim_max = value;
	if (setrlimit(resource, &now) < 0) {
		return fail("cannot set the limit", name);
	}
	return 0;
}

static int limits(const struct options *o)
{
	struct rlimit none = {0, 0};
	int rc;

	setrlimit(RLIMIT_CORE, &none);
	rc = limit(RLIMIT_AS, o->mem_mb * MB, "memory");
	rc = rc != 0 ? rc : limit(RLIMIT_FSIZE, o->file_mb * MB, "file size");
	rc = rc != 0 ? rc : limit(RLIMIT_NPROC, o->procs, "processes");
	rc = rc != 0 ? rc : limit(RLIMIT_CPU, o->cpu_s, "processor time");
	return rc != 0 ? rc : limit(RLIMIT_NOFILE, o->nofile, "open files");
}

static void signals(void)
{
	sigset_t none;

	for (int signum = 1; signum < NSIG; signum++) {
		signal(signum, SIG_DFL); /* fails for KILL and STOP, rightly */
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* 0 to 2 exist, nothing above them. */
static int descriptors(void)
{
	long most = sysconf(_SC_OPEN_MAX);

	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd) {
			return fail("cannot open", "/dev/null");
		}
	}
	if (close_range(3, ~0u, 0) == 0) {
		return 0;
	}
	for (int fd = 3; fd < (most > 0 && most < FD_MAX ? most : FD_MAX); fd++) {
		close(fd);
	}
	return 0;
}

static bool write_small(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0) {
		close(fd);
	}
	return ok;
}

/* Own network namespace; by a user namespace where we are not root. Many
 * systems forbid it, so the program learns from KSEEK_NET what it got. */
static void no_net(void)
{
	unsigned uid = (unsigned)geteuid(), gid = (unsigned)getegid();
	char map[64];
	bool off = unshare(CLONE_NEWNET) == 0;

	if (!off && unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0) {
		off = true;
		write_small("/proc/self/setgroups", "deny");
		snprintf(map, sizeof(map), "%u %u 1\n", uid, uid);
		write_small("/proc/self/uid_map", map);
		snprintf(map, sizeof(map), "%u %u 1\n", gid, gid);
		write_small("/proc/self/gid_map", map);
	}
	setenv("KSEEK_NET", off ? "off" : "on", 1);
}

int main(int argc, char **argv)
{
	struct options o = {0};
	int program = parse(argc, argv, &o), rc;

	if (program < 0) {
		return 125;
	}
	signals();
	rc = descriptors();
	if (rc != 0) {
		return rc;
	}
	if (o.chdir != NULL && chdir(o.chdir) < 0) {
		return fail("cannot enter", o.chdir);
	}
	if (o.no_net) {
		no_net();
	}
	if (o.pdeathsig && prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0) {
		return fail("cannot ask for", "the signal of a parent's death");
	}
	/* The parent may have died before we asked. */
	if (o.parent != 0 && (uint64_t)getppid() != o.parent) {
		fprintf(stderr, "kseek-exec: the program that asked is gone\n");
		return 125;
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) {
		return fail("cannot give up", "new privileges");
	}
	if (o.nhidden > 0) {
		exec_hide(o.hidden, o.nhidden, o.shown, o.nshown); /* where there is a way */
	}
	rc = limits(&o);
	if (rc != 0) {
		return rc;
	}
	execvp(argv[program], argv + program);
	rc = errno == ENOENT ? 127 : 126;
	fail("cannot run", argv[program]);
	return rc;
}
