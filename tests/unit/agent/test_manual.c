/* The manual agent: changes of source files are seen, and nothing else. */
#include "record.h"

#include <unistd.h>

static const char *const files[] = {"kernel.c", "lib/h.h", NULL};

static void start(struct record *r)
{
	char *lib = ks_path_join(r->dir, "lib");

	assert_int_equal(ks_file_mkdirs(lib, 0755, NULL), 0);
	free(lib);
	record_put(r->dir, "kernel.c", "one\ntwo\n", 0644);
	record_start(r, "manual", files);
}

static void test_changes(void **state)
{
	struct record *r = *state;
	char *path = ks_path_join(r->dir, "kernel.c");
	FILE *file;

	start(r);
	record_put(r->dir, "notes.txt", "not a source\n", 0644);
	record_put(r->dir, "kernel.c", "one\ntwo\n", 0644); /* the same again */
	ks_loop_turn(r->loop, 300);
	ks_loop_turn(r->loop, 300);
	assert_int_equal(r->count, 1);
	/* A save that truncates first is one change. */
	file = fopen(path, "w");
	fflush(file);
	ks_loop_turn(r->loop, 30);
	fputs("one\n2\n3\n", file);
	fclose(file);
	assert_true(record_spin(r, &r->count, 2, 20000));
	assert_string_equal(text_at(r, KS_EV_FILE_CHANGED, 0, "path"), "kernel.c");
	assert_int_equal(int_at(r, KS_EV_FILE_CHANGED, 0, "added"), 2);
	assert_int_equal(int_at(r, KS_EV_FILE_CHANGED, 0, "removed"), 1);
	assert_non_null(strstr(text_at(r, KS_EV_FILE_CHANGED, 0, "diff"), "-two\n+2\n+3\n"));
	assert_int_equal(r->events[1].by, KS_BY_OTHER);
	record_put(r->dir, "lib/h.h", "new\n", 0644);
	assert_true(record_spin(r, &r->count, 3, 20000));
	assert_string_equal(text_at(r, KS_EV_FILE_CHANGED, 1, "path"), "lib/h.h");
	unlink(path);
	assert_true(record_spin(r, &r->count, 4, 20000));
	assert_int_equal(int_at(r, KS_EV_FILE_CHANGED, 2, "removed"), 3);
	free(path);
}

static void test_messages_and_stop(void **state)
{
	struct record *r = *state;

	start(r);
	assert_int_equal(record_prompt(r, 1, "H-02", 'H'), 0);
	assert_int_equal(record_prompt(r, 2, "", 0), 0); /* never busy */
	ks_agent_cancel(r->agent);
	assert_false(ks_agent_owns(r->agent, getpid()));
	ks_agent_stop(r->agent);
	assert_true(record_spin(r, &r->gone, 1, 20000));
	assert_int_equal(r->count, 2);
	assert_int_equal(r->events[1].kind, KS_EV_AGENT_EXITED);
}

#define T(name) cmocka_unit_test_setup_teardown(name, record_setup, record_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_changes), T(test_messages_and_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
