/*
 * kseek-shim: stands first in an agent's PATH under the names of programs that
 * measure or build. It runs the real one, and tells the engine what ran, under
 * whom, for how long and how it ended, so that what an agent measured is known
 * also when it runs scripts.
 *
 * The real program is the next of that name in PATH that is not this one. It
 * keeps arguments, descriptors and signals; its exit is passed on. A compiler
 * gets a PATH without the shim, since what it starts by itself is no call of
 * the agent's. When nobody listens, nothing is lost but the report.
 *
 * A report is one datagram: words that end in NUL.
 *   S pid ppid t0 argv...            (start; microseconds since 1970)
 *   E pid ms status signal           (end)
 * Links nothing but libc.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define REPORT_MAX 16384
#define NOT_FOUND 127
#define NOT_RUN 126

static volatile sig_atomic_t child;

/* ---- the real program ---- */

static bool same_file(const struct stat *self, const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_dev == self->st_dev && st.st_ino == self->st_ino;
}

/* This program, by the name it was started under: /proc is not everywhere, and
 * under an emulator its "exe" is the emulator. */
static bool stat_self(struct stat *out)
{
	return stat((const char *)getauxval(AT_EXECFN), out) == 0 ||
		stat("/proc/self/exe", out) == 0;
}

/* Whoever does not know itself would start itself for ever, and finds nothing. */
static bool find_real(char *out, size_t size, const char *name)
{
	const char *at = getenv("PATH");
	struct stat self, st;

	if (!stat_self(&self)) {
		return false;
	}
	for (at = at != NULL ? at : "/usr/bin:/bin"; *at != '\0';) {
		size_t len = strcspn(at, ":");
		int n = snprintf(out, size, "%.*s/%s", (int)len, len > 0 ? at : ".", name);

		if (n > 0 && (size_t)n < size && access(out, X_OK) == 0 && stat(out, &st) == 0
			&& S_ISREG(st.st_mode) && !same_file(&self, out)) {
			return true;
		}
		at += len + (at[len] == ':');
	}
	return false;
}

static bool is_compiler(const char *name)
{
	static const char *const names[] = {"nvcc", "cc", "gcc", "g++", "c++", "clang", "clang++"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], name) == 0) {
			return true;
		}
	}
	return false;
}

/* PATH without the folder of the shim. */
static void strip_path(const char *dir)
{
	const char *at = getenv("PATH");
	char *out;
	size_t len = 0;

	if (at == NULL || dir == NULL) {
		return;
	}
	out = malloc(strlen(at) + 1);
	if (out == NULL) {
		return;
	}
	while (*at != '\0') {
		size_t n = strcspn(at, ":");

		if (n != strlen(dir) || memcmp(at, dir, n) != 0) {
			if (len > 0) {
				out[len++] = ':';
			}
			memcpy(out + len, at, n);
			len += n;
		}
		at += n + (at[n] == ':');
	}
	out[len] = '\0';
	setenv("PATH", out, 1);
	free(out);
}

/* ---- reports ---- */

struct report {
	char bytes[REPORT_MAX];
	size_t len;
};

static void add(struct report *r, const char *word)
{
	size_t n = strlen(word) + 1;

	if (n > sizeof(r->bytes) - r->len) {
		return;
	}
	memcpy(r->bytes + r->len, word, n);
	r->len += n;
}

static void add_number(struct report *r, long long n)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", n);
	add(r, text);
}

/* Never waits: a report that cannot be taken at once is dropped. */
static void send_report(int fd, const struct sockaddr_un *to, const struct report *r)
{
	if (fd >= 0) {
		ssize_t n = sendto(fd, r->bytes, r->len, MSG_DONTWAIT | MSG_NOSIGNAL,
			(const struct sockaddr *)to, sizeof(*to));

		(void)n;
	}
}

static int64_t micros(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* ---- signals ---- */

static const int passed[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

/* A signal of the terminal reaches the whole group by itself. */
static void pass_on(int signum, siginfo_t *info, void *ctx)
{
	if (child > 0 && info->si_code <= 0) {
		kill((pid_t)child, signum);
	}
}

static void catch_signals(void)
{
	struct sigaction sa, old;

	for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++) {
		/* What was ignored stays ignored, for us and for the real one. */
		if (sigaction(passed[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN) {
			continue;
		}
		memset(&sa, 0, sizeof(sa));
		sa.sa_sigaction = pass_on;
		sa.sa_flags = SA_SIGINFO | SA_RESTART;
		sigaction(passed[i], &sa, NULL);
	}
}

static void run_real(const char *path, char **argv, const sigset_t *mask, pid_t parent)
{
	for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++) {
		struct sigaction old;

		if (sigaction(passed[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
			signal(passed[i], SIG_DFL);
		}
	}
	/* Killed without a word, we take it along. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) {
		_exit(NOT_RUN);
	}
	sigprocmask(SIG_SETMASK, mask, NULL);
	execv(path, argv);
	fprintf(stderr, "%s: %s\n", path, strerror(errno));
	_exit(NOT_RUN);
}

/* Ends as the real one did. */
static int end_as(int status)
{
	struct rlimit none = {0, 0};

	if (WIFSIGNALED(status)) {
		setrlimit(RLIMIT_CORE, &none);
		signal(WTERMSIG(status), SIG_DFL);
		kill(getpid(), WTERMSIG(status));
		return 128 + WTERMSIG(status);
	}
	return WEXITSTATUS(status);
}

static int watch(int fd, const struct sockaddr_un *to, const char *name, const char *path,
	char **argv)
{
	struct report r = {.len = 0};
	sigset_t all, mask;
	int64_t begun = micros(CLOCK_MONOTONIC);
	pid_t self = getpid(), pid;
	int status = 0;

	add(&r, "S");
	add_number(&r, self);
	add_number(&r, getppid());
	add_number(&r, micros(CLOCK_REALTIME));
	add(&r, name);
	for (char **at = argv + 1; *at != NULL; at++) {
		add(&r, *at);
	}
	send_report(fd, to, &r);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &mask);
	catch_signals();
	pid = fork();
	if (pid < 0) {
		sigprocmask(SIG_SETMASK, &mask, NULL);
		execv(path, argv);
		return NOT_RUN;
	}
	if (pid == 0) {
		run_real(path, argv, &mask, self);
	}
	child = pid;
	sigprocmask(SIG_SETMASK, &mask, NULL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
	}
	child = 0;
	r.len = 0;
	add(&r, "E");
	add_number(&r, self);
	add_number(&r, (micros(CLOCK_MONOTONIC) - begun) / 1000);
	add_number(&r, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	add_number(&r, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	send_report(fd, to, &r);
	return end_as(status);
}

int main(int argc, char **argv)
{
	const char *socket_path = getenv("KSEEK_SHIM");
	const char *name = argc > 0 ? argv[0] : "";
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	char path[PATH_MAX];
	int fd;

	name = strrchr(name, '/') != NULL ? strrchr(name, '/') + 1 : name;
	if (name[0] == '\0' || !find_real(path, sizeof(path), name)) {
		fprintf(stderr, "%s: command not found\n", name);
		return NOT_FOUND;
	}
	/* Some programs look for their own folder by their name in PATH. */
	if (is_compiler(name)) {
		strip_path(getenv("KSEEK_SHIM_DIR"));
	} else {
		argv[0] = path;
	}
	if (socket_path == NULL || strlen(socket_path) >= sizeof(to.sun_path)) {
		execv(path, argv);
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return NOT_RUN;
	}
	snprintf(to.sun_path, sizeof(to.sun_path), "%s", socket_path);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	return watch(fd, &to, name, path, argv);
}
