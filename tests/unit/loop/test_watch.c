/* Watching a folder and a file, by inotify and by polling. */
#include "spin.h"

#include <sys/resource.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "loop/watch.h"

struct seen {
	struct ks_loop *loop;
	char *dir;
	struct ks_watch *watch;
	struct ks_buf names;
	int count;
	bool free_inside;
};

static void changed(void *ctx, const char *name)
{
	struct seen *seen = ctx;

	seen->count++;
	ks_buf_addf(&seen->names, "%s|", name);
	if (seen->free_inside) {
		ks_watch_free(seen->watch);
		seen->watch = NULL;
	}
}

static int setup(void **state)
{
	struct seen *seen = ks_zalloc(1, sizeof(*seen));
	char name[] = "/tmp/kseek-watch-XXXXXX";

	seen->loop = loop_or_fail();
	seen->dir = ks_strdup(mkdtemp(name));
	*state = seen;
	return 0;
}

static int teardown(void **state)
{
	struct seen *seen = *state;

	ks_watch_free(seen->watch);
	ks_loop_free(seen->loop);
	ks_file_remove_tree(seen->dir, NULL);
	ks_buf_fini(&seen->names);
	free(seen->dir);
	free(seen);
	return 0;
}

static void put(const struct seen *seen, const char *name, const char *text)
{
	char *path = ks_path_join(seen->dir, name);
	struct ks_err err = KS_ERR_INIT;

	assert_int_equal(ks_file_write(path, ks_str_of(text), 0644, &err), 0);
	free(path);
}

static void reset(struct seen *seen)
{
	spin_for(seen->loop, 30);
	seen->count = 0;
	ks_buf_clear(&seen->names);
}

static void test_folder(void **state)
{
	struct seen *seen = *state;
	struct ks_err err = KS_ERR_INIT;
	char *path = ks_path_join(seen->dir, "kernel.c");
	FILE *file;

	assert_int_equal(ks_watch_new(&seen->watch, seen->loop, seen->dir, changed, seen,
		&err), 0);
	put(seen, "kernel.c", "one");
	assert_true(spin(seen->loop, &seen->count, 1));
	assert_non_null(strstr(seen->names.ptr, "kernel.c|"));
	reset(seen);
	/* In place, many writes in one turn: told once. */
	file = fopen(path, "a");
	for (int i = 0; i < 20; i++) {
		fprintf(file, "more %d\n", i);
		fflush(file);
	}
	fclose(file);
	assert_true(spin(seen->loop, &seen->count, 1));
	spin_for(seen->loop, 30);
	assert_int_equal(seen->count, 1);
	free(path);
}

static void test_file_over_rename(void **state)
{
	struct seen *seen = *state;
	char *path = ks_path_join(seen->dir, "log");

	/* It does not exist yet. */
	assert_int_equal(ks_watch_new(&seen->watch, seen->loop, path, changed, seen, NULL), 0);
	put(seen, "other", "x");
	spin_for(seen->loop, 50);
	assert_int_equal(seen->count, 0);
	for (int i = 0; i < 3; i++) {
		put(seen, "log", "text"); /* a rename over it */
		assert_true(spin(seen->loop, &seen->count, 1));
		assert_non_null(strstr(seen->names.ptr, "log|"));
		reset(seen);
	}
	free(path);
}

/* No descriptor is to be had, so there is no inotify: it looks once a second. */
static void watch_by_polling(struct seen *seen, const char *path)
{
	struct rlimit before, none;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){0, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(ks_watch_new(&seen->watch, seen->loop, path, changed, seen, NULL), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

static void test_polling(void **state)
{
	struct seen *seen = *state;
	char *path = ks_path_join(seen->dir, "log");
	int64_t start;

	put(seen, "log", "text");
	start = ks_clock_mono_us();
	watch_by_polling(seen, path);
	spin_for(seen->loop, 100);
	assert_int_equal(seen->count, 0);
	put(seen, "log", "longer");
	spin_for(seen->loop, 100);
	/* inotify would have told by now; polling may have, where all this took long */
	assert_true(seen->count == 0 || ks_clock_mono_us() - start >= 1000000);
	assert_true(spin(seen->loop, &seen->count, 1));
	assert_string_equal(seen->names.ptr, "log|");
	ks_watch_free(seen->watch);
	reset(seen);
	watch_by_polling(seen, seen->dir);
	/* The folder could not be listed either, so the first look finds it changed. */
	assert_true(spin(seen->loop, &seen->count, 1));
	seen->free_inside = true;
	put(seen, "new", "x");
	assert_true(spin(seen->loop, &seen->count, 2));
	assert_string_equal(seen->names.ptr, "||"); /* "look at all" */
	assert_null(seen->watch);
	free(path);
}

static void test_free_inside(void **state)
{
	struct seen *seen = *state;

	seen->free_inside = true;
	assert_int_equal(ks_watch_new(&seen->watch, seen->loop, seen->dir, changed, seen,
		NULL), 0);
	put(seen, "a", "x");
	put(seen, "b", "x");
	assert_true(spin(seen->loop, &seen->count, 1));
	spin_for(seen->loop, 50);
	assert_int_equal(seen->count, 1);
}

static void test_missing(void **state)
{
	struct seen *seen = *state;
	struct ks_err err = KS_ERR_INIT;

	assert_int_equal(ks_watch_new(&seen->watch, seen->loop, "/no/such/file", changed,
		seen, &err), KS_ENOTFOUND);
	assert_null(seen->watch);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_folder), T(test_file_over_rename), T(test_polling),
		T(test_free_inside), T(test_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
