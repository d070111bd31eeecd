/* The device's lock: who waits is told of whoever has it, and of nobody who had it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "eval/lock.h"

static int told = -1; /* where a waiting child writes what it is told */

static void on_wait(const char *who)
{
	if (write(told, who, strlen(who)) < 0) {
		_exit(1);
	}
}

enum role { SIGNED, UNSIGNED, GAVE_BACK, WAITS };

/* A child that plays the role and then stays; what it writes first ends in *said. */
static pid_t begin(enum role role, char *said, size_t size)
{
	int ends[2];
	ssize_t n;

	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();
	if (pid == 0) {
		char *path = ks_asprintf("%s/dev.lock", getenv("XDG_RUNTIME_DIR"));
		int fd = -1;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		told = ends[1];
		if (role == UNSIGNED) {
			fd = open(path, O_RDWR | O_CLOEXEC);
			fd = flock(fd, LOCK_EX) == 0 ? fd : -1;
		} else {
			fd = ks_lock_take("dev", on_wait, NULL);
		}
		if (role == GAVE_BACK) {
			close(fd);
		}
		if (fd >= 0 && write(told, "has it", 6) == 6) {
			for (;;) {
				pause();
			}
		}
		_exit(1);
	}
	close(ends[1]);
	n = read(ends[0], said, size - 1);
	assert_true(n > 0);
	said[n] = '\0';
	close(ends[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void test_who_has_it_is_told(void **state)
{
	char said[4096], *want;
	pid_t holds = begin(SIGNED, said, sizeof(said));

	(void)state;
	assert_string_equal(said, "has it");
	pid_t waits = begin(WAITS, said, sizeof(said));
	want = ks_asprintf("process %d", (int)holds);
	assert_non_null(strstr(said, want));
	end(waits);
	end(holds);
	free(want);
}

/* He signed, lives, has given it back, and somebody else has it without a name. */
static void test_who_had_it_is_not(void **state)
{
	char said[4096], *want = ks_asprintf("%s/dev.lock", getenv("XDG_RUNTIME_DIR"));
	pid_t had = begin(GAVE_BACK, said, sizeof(said));
	pid_t holds = begin(UNSIGNED, said, sizeof(said));
	pid_t waits = begin(WAITS, said, sizeof(said));

	(void)state;
	assert_string_equal(said, want);
	end(waits);
	end(holds);
	end(had);
	free(want);
}

/* Nor is one who signed before and waits himself by now. */
static void test_who_waits_again_is_not(void **state)
{
	char said[4096], *path = ks_asprintf("%s/dev.lock", getenv("XDG_RUNTIME_DIR")), *name;
	pid_t holds = begin(UNSIGNED, said, sizeof(said));
	pid_t again = begin(WAITS, said, sizeof(said));
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	(void)state;
	name = ks_asprintf("%-10d\n", (int)again);
	assert_int_equal(pwrite(fd, name, strlen(name), 0), (ssize_t)strlen(name));
	pid_t waits = begin(WAITS, said, sizeof(said));
	assert_string_equal(said, path);
	end(waits);
	end(again);
	end(holds);
	close(fd);
	free(name);
	free(path);
}

static int setup(void **state)
{
	char dir[] = "/tmp/kseek-lock-XXXXXX";

	*state = ks_strdup(mkdtemp(dir));
	return setenv("XDG_RUNTIME_DIR", *state, 1);
}

static int teardown(void **state)
{
	ks_file_remove_tree(*state, NULL);
	free(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who_has_it_is_told),
		cmocka_unit_test(test_who_had_it_is_not),
		cmocka_unit_test(test_who_waits_again_is_not),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
