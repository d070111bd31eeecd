/* kseek-shim as a program: it runs the real one and tells of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"

static char *dir, *shim_dir, *bin_dir, *socket_path;
static int fd = -1;

static void put(const char *folder, const char *name, const char *text)
{
	char *path = ks_path_join(folder, name);

	assert_int_equal(ks_file_write(path, ks_str_of(text), 0755, NULL), 0);
	free(path);
}

static int set_up(void **state)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	static const char *const names[] = {"perf", "cc", "strace", "nvcc"};

	dir = ks_strdup("/tmp/kseek-test-shim-XXXXXX");
	assert_non_null(mkdtemp(dir));
	shim_dir = ks_path_join(dir, "shim");
	bin_dir = ks_path_join(dir, "bin");
	socket_path = ks_path_join(dir, "sock");
	assert_int_equal(ks_file_mkdirs(shim_dir, 0755, NULL), 0);
	assert_int_equal(ks_file_mkdirs(bin_dir, 0755, NULL), 0);
	for (size_t i = 0; i < 4; i++) {
		char *link = ks_path_join(shim_dir, names[i]);

		assert_int_equal(symlink(getenv("KSEEK_SHIM_PROGRAM"), link), 0);
		free(link);
	}
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", socket_path);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	return 0;
}

static int tear_down(void **state)
{
	close(fd);
	assert_int_equal(ks_file_remove_tree(dir, NULL), 0);
	free(dir);
	free(shim_dir);
	free(bin_dir);
	free(socket_path);
	return 0;
}

/* Runs a line of shell with the shim first in PATH; its status as of wait. */
static int run(const char *line, const char *report_to)
{
	char *whole = ks_asprintf("PATH='%s:%s:/usr/bin:/bin' KSEEK_SHIM='%s' KSEEK_SHIM_DIR='%s'; "
		"export PATH KSEEK_SHIM KSEEK_SHIM_DIR; cd '%s'; %s", shim_dir, bin_dir, report_to,
		shim_dir, dir, line);
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", whole, (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	free(whole);
	return status;
}

/* The next report, its words joined by blanks; "" without. Gives. */
static char *report(void)
{
	char bytes[16384];
	ssize_t n = recv(fd, bytes, sizeof(bytes) - 1, MSG_DONTWAIT);

	for (ssize_t i = 0; i + 1 < n; i++) {
		bytes[i] = bytes[i] == '\0' ? ' ' : bytes[i];
	}
	return n > 0 ? ks_strndup(bytes, (size_t)n - 1) : ks_strdup("");
}

static void it_runs_and_tells(void **state)
{
	char *start, *end;
	long long pid, ppid, t0, again, ms, status, signum;

	put(bin_dir, "perf", "#!/bin/sh\necho \"$@\"\nexit 7\n");
	assert_int_equal(WEXITSTATUS(run("perf stat 'a b' > out", socket_path)), 7);
	start = report();
	end = report();
	assert_int_equal(sscanf(start, "S %lld %lld %lld", &pid, &ppid, &t0), 3);
	assert_true(pid > 0 && ppid > 0 && t0 / 1000000 >= (long long)time(NULL) - 60);
	assert_non_null(strstr(start, " stat a b"));
	assert_int_equal(sscanf(end, "E %lld %lld %lld %lld", &again, &ms, &status, &signum), 4);
	assert_true(again == pid);
	assert_int_equal(status, 7);
	assert_int_equal(signum, 0);
	assert_true(ms >= 0 && ms < 60000);
	free(start);
	free(end);
}

static void it_ends_as_the_real_one(void **state)
{
	char *end;

	put(bin_dir, "perf", "#!/bin/sh\nkill -SEGV $$\n");
	/* The shell turns it into 128 + the signal. */
	assert_int_equal(WEXITSTATUS(run("perf 2>/dev/null; exit $?", socket_path)), 128 + SIGSEGV);
	free(report());
	end = report();
	assert_non_null(strstr(end, " -1 11"));
	free(end);
}

static void a_signal_is_passed_on(void **state)
{
	char *end;

	put(bin_dir, "perf",
		"#!/bin/sh\ntrap 'exit 42' TERM\n: > ready\nwhile :; do sleep 0.05; done\n");
	assert_int_equal(WEXITSTATUS(run("perf & p=$!; while [ ! -e ready ]; do sleep 0.02; done; "
		"kill -TERM $p; wait $p", socket_path)), 42);
	free(report());
	end = report();
	assert_non_null(strstr(end, " 42 0"));
	free(end);
}

static void killed_it_takes_the_real_one_along(void **state)
{
	put(bin_dir, "perf", "#!/bin/sh\necho $$ > pid\nexec sleep 100\n");
	assert_int_equal(WEXITSTATUS(run("perf & p=$!; while [ ! -s pid ]; do sleep 0.02; done; "
		"kill -KILL $p; wait $p; n=0; while kill -0 $(cat pid) 2>/dev/null && [ $n -lt 200 "
		"]; do sleep 0.02; n=$((n + 1)); done; [ $n -lt 200 ]", socket_path)), 0);
}

static void nothing_recurses(void **state)
{
	char *words;
	int reports = 0;

	/* A compiler's own calls of a compiler are not the agent's. */
	put(bin_dir, "cc", "#!/bin/sh\ncase $PATH in */shim*) exit 9;; esac\nexit 0\n");
	put(bin_dir, "nvcc", "#!/bin/sh\nexec cc \"$@\"\n");
	assert_int_equal(run("nvcc x.cu", socket_path), 0);
	/* What a wrapper runs is. */
	put(bin_dir, "strace", "#!/bin/sh\nexec \"$@\"\n");
	assert_int_equal(run("strace cc x.c", socket_path), 0);
	for (words = report(); words[0] != '\0'; words = report()) {
		reports++;
		free(words);
	}
	free(words);
	assert_int_equal(reports, 2 + 4);
}

static void without_a_listener_it_just_runs(void **state)
{
	put(bin_dir, "perf", "#!/bin/sh\nexit 3\n");
	assert_int_equal(WEXITSTATUS(run("perf", "/nowhere/sock")), 3);
	assert_int_equal(WEXITSTATUS(run("unset KSEEK_SHIM; perf", socket_path)), 3);
	close(fd);
	fd = -1;
	assert_int_equal(WEXITSTATUS(run("perf", socket_path)), 3);
}

static void what_is_not_there_is_not_found(void **state)
{
	assert_int_equal(WEXITSTATUS(run("PATH=$KSEEK_SHIM_DIR nvcc 2>/dev/null", socket_path)),
		127);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(it_runs_and_tells),
		TEST(it_ends_as_the_real_one),
		TEST(a_signal_is_passed_on),
		TEST(killed_it_takes_the_real_one_along),
		TEST(nothing_recurses),
		TEST(without_a_listener_it_just_runs),
		TEST(what_is_not_there_is_not_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
