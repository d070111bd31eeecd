/*
 * Running what is traced: see timeline_run.h. Records go to a folder of their own,
 * one file a process. Keys that end a program reach it by the terminal; while it
 * runs, kseek passes on what only kseek was sent, and waits.
 */
#include "app/timeline_run.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/paths.h"
#include "base/file.h"
#include "base/mem.h"
#include "timeline/record.h"
#include "timeline/trace.h"

extern char **environ;

/* "first" or "first:what the variable held" */
static void put_before(const char *key, const char *first)
{
	const char *old = getenv(key);
	char *value = old != NULL && old[0] != '\0' ? ks_asprintf("%s:%s", first, old) :
		ks_strdup(first);

	setenv(key, value, 1);
	free(value);
}

/* A sanitizer wants to be the first library; ours defines nothing that it needs. */
static void set_environment(const char *library, const char *folder, long max)
{
	char number[24];

	snprintf(number, sizeof(number), "%ld", max);
	setenv("CUDA_INJECTION64_PATH", library, 1);
	setenv("KSEEK_TIMELINE", folder, 1);
	setenv("KSEEK_TIMELINE_MAX", number, 1);
	if (strpbrk(library, ": ") == NULL) {
		put_before("LD_PRELOAD", library);
		put_before("ASAN_OPTIONS", "verify_asan_link_order=0");
	}
}

static int find_library(char **out, struct ks_err *err)
{
	char *path = ks_paths_timeline();

	if (path == NULL) {
		return ks_err_set(err, KS_EUNSUPPORTED, "this kseek was built without CUPTI; build "
			"it where the CUDA Toolkit (nvcc and cupti.h) is installed");
	}
	*out = realpath(path, NULL);
	int rc = *out != NULL ? 0 : ks_err_sys(err, errno, "%s", path);
	free(path);
	return rc;
}

static int start(pid_t *out, char *const *argv, const sigset_t *mask, bool aside,
	struct ks_err *err)
{
	posix_spawnattr_t attr;
	posix_spawn_file_actions_t files;
	sigset_t plain;

	sigemptyset(&plain);
	sigaddset(&plain, SIGPIPE);
	posix_spawnattr_init(&attr);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_setsigmask(&attr, mask);
	posix_spawnattr_setsigdefault(&attr, &plain);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	if (aside) {
		posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
	}
	fflush(stdout);
	int rc = posix_spawnp(out, argv[0], &files, &attr, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	return rc == 0 ? 0 : ks_err_sys(err, rc, "%.200s: cannot be started", argv[0]);
}

/* The signals that are waited for are blocked. */
static int wait_for(pid_t pid, const sigset_t *signals)
{
	int how = 0;

	for (;;) {
		int signum = sigwaitinfo(signals, NULL);
		if (signum == SIGTERM || signum == SIGHUP) {
			kill(pid, signum);
		} else if (signum == SIGCHLD && waitpid(pid, &how, WNOHANG) == pid) {
			return WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
		}
	}
}

static int run(struct ks_traced *out, char *const *argv, bool aside, struct ks_err *err)
{
	sigset_t signals, kept;
	pid_t pid = 0;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGQUIT);
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, &signals, &kept);
	int rc = start(&pid, argv, &kept, aside, err);
	if (rc == 0) {
		out->status = wait_for(pid, &signals);
	}
	sigprocmask(SIG_SETMASK, &kept, NULL);
	return rc;
}

/* Each process begins with a head; what a killed one left half written is cut. */
static int collect(struct ks_buf *out, const char *folder, struct ks_err *err)
{
	char **names = NULL;
	size_t count = 0;
	int rc = ks_file_list(&names, &count, folder, err);

	for (size_t i = 0; rc == 0 && i < count; i++) {
		char *path = ks_path_join(folder, names[i]);
		if (out->len < KS_TRACE_BYTES_MAX) {
			rc = ks_file_read(out, path, KS_TRACE_BYTES_MAX - out->len, err);
			ks_buf_truncate(out, out->len - out->len % sizeof(struct ks_rec));
		} else {
			rc = ks_err_set(err, KS_ELIMIT, "more records than %zu MiB: trace less of "
				"it, or give a smaller --max", KS_TRACE_BYTES_MAX >> 20);
		}
		free(path);
	}
	ks_names_free(names, count);
	return rc;
}

int ks_timeline_run(struct ks_traced *out, char *const *argv, long max, bool aside,
	struct ks_err *err)
{
	struct ks_traced traced = {0};
	char *library = NULL;
	const char *tmp = getenv("TMPDIR");
	int rc = find_library(&library, err);

	if (rc < 0) {
		return rc;
	}
	char *folder = ks_asprintf("%s/kseek-timeline-XXXXXX",
		tmp != NULL && tmp[0] == '/' ? tmp : "/tmp");
	if (mkdtemp(folder) == NULL) {
		rc = ks_err_sys(err, errno, "%s", folder);
	} else {
		struct ks_err ignored = KS_ERR_INIT;
		set_environment(library, folder, max);
		rc = run(&traced, argv, aside, err);
		if (rc == 0) {
			rc = collect(&traced.records, folder, err);
		}
		ks_file_remove_tree(folder, &ignored);
	}
	free(folder);
	free(library);
	if (rc < 0) {
		ks_buf_fini(&traced.records);
		return rc;
	}
	*out = traced;
	return 0;
}
