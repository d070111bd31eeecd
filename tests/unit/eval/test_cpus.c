/* Judges keep off each other's processors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "eval/cpus.h"

static void test_apart(void **state)
{
	struct ks_cpus first, second, third;
	cpu_set_t before, now;
	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	ks_cpus_take(&first, 1);
	if (CPU_COUNT(&before) < 2) {
		assert_false(first.apart);
		ks_cpus_give_back(&first);
		return;
	}
	assert_true(first.apart && first.worker != first.judge);
	assert_int_equal(CPU_COUNT(&first.rest), CPU_COUNT(&before) - 2);
	assert_false(CPU_ISSET((size_t)first.worker, &first.rest));
	assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
	assert_true(CPU_COUNT(&now) == 1 && CPU_ISSET((size_t)first.judge, &now));

	/* another judge, which might use all */
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
	ks_cpus_take(&second, 1);
	if (second.apart) {
		assert_true(second.worker != first.worker && second.worker != first.judge);
		assert_true(second.judge != first.worker && second.judge != first.judge);
	} else {
		assert_true(CPU_COUNT(&before) < 4);
		assert_true(second.worker == -1 && second.judge == -1);
	}
	ks_cpus_give_back(&second);
	ks_cpus_give_back(&first);
	assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
	assert_true(CPU_EQUAL(&now, &before));

	ks_cpus_take(&third, 1);
	assert_true(third.apart && third.nlocks == 2);
	ks_cpus_give_back(&third);
	assert_int_equal(third.nlocks, 0);
}

static void test_more_threads_than_processors(void **state)
{
	struct ks_cpus cpus;
	(void)state;
	ks_cpus_take(&cpus, CPU_SETSIZE);
	assert_false(cpus.apart);
	ks_cpus_give_back(&cpus);
	ks_cpus_give_back(&(struct ks_cpus){.worker = -1});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_apart),
		cmocka_unit_test(test_more_threads_than_processors),
	};
	char dir[] = "/tmp/kseek-cpus-XXXXXX";
	if (mkdtemp(dir) == NULL) {
		return 2;
	}
	setenv("XDG_RUNTIME_DIR", dir, 1);
	int failed = cmocka_run_group_tests_name("cpus", tests, NULL, NULL);
	return ks_file_remove_tree(dir, NULL) == 0 ? failed : 2;
}
