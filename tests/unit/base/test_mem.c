/* Allocation: growth, and the hook that runs before an abort. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"

static void copies(void **state)
{
	char *a = ks_strdup("text"), *b = ks_strndup("longer", 3);
	char *c = ks_asprintf("%d-%s", 7, "x");
	char *d = ks_strndup(NULL, 0);

	assert_string_equal(a, "text");
	assert_string_equal(b, "lon");
	assert_string_equal(c, "7-x");
	assert_string_equal(d, "");
	assert_null(ks_strdup(NULL));
	free(a);
	free(b);
	free(c);
	free(d);
}

static void zeroed(void **state)
{
	unsigned char *p = ks_zalloc(1000, 3);
	size_t i;

	for (i = 0; i < 3000; i++) {
		assert_int_equal(p[i], 0);
	}
	free(p);
}

static void grows_by_doubling(void **state)
{
	int *array = NULL;
	size_t cap = 0, moves = 0, i;

	for (i = 0; i < 10000; i++) {
		size_t before = cap;

		ks_grow(&array, &cap, i + 1, sizeof(*array));
		moves += cap != before;
		array[i] = (int)i;
	}
	assert_true(cap >= 10000);
	assert_true(moves < 20);
	assert_int_equal(array[9999], 9999);
	free(array);
}

static void hook(void)
{
	_exit(41);
}

static void overflow_runs_the_hook(void **state)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		if (!freopen("/dev/null", "w", stderr)) {
			_exit(1);
		}
		ks_mem_on_abort(hook);
		free(ks_realloc(NULL, SIZE_MAX / 2, 3));
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 41);
}

static void overflow_aborts(void **state)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		struct rlimit none = {0, 0};
		size_t cap = SIZE_MAX / 2 + 1;
		char *array = NULL;

		setrlimit(RLIMIT_CORE, &none);
		if (!freopen("/dev/null", "w", stderr)) {
			_exit(1);
		}
		ks_mem_on_abort(hook);
		ks_mem_on_abort(NULL);
		ks_grow(&array, &cap, SIZE_MAX, 2);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) != 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies),
		cmocka_unit_test(zeroed),
		cmocka_unit_test(grows_by_doubling),
		cmocka_unit_test(overflow_runs_the_hook),
		cmocka_unit_test(overflow_aborts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
