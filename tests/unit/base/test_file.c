/* Files: limits, atomic writes, trees that resist removal. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"

static int make_folder(void **state)
{
	char *dir = ks_strdup("/tmp/kseek-test-file-XXXXXX");

	if (!mkdtemp(dir)) {
		free(dir);
		return -1;
	}
	*state = dir;
	return 0;
}

static int drop_folder(void **state)
{
	int rc = ks_file_remove_tree(*state, NULL);

	free(*state);
	return rc;
}

static void put(const char *dir, const char *name, const char *text)
{
	struct ks_err err = KS_ERR_INIT;
	char *path = ks_path_join(dir, name);

	if (ks_file_write(path, ks_str_of(text), 0644, &err) < 0) {
		fail_msg("%s", err.msg);
	}
	free(path);
}

static void reads_within_the_limit(void **state)
{
	struct ks_err err = KS_ERR_INIT;
	char *path = ks_path_join(*state, "f");
	struct ks_buf out = {0};

	put(*state, "f", "12345");
	ks_buf_adds(&out, "before ");
	assert_int_equal(ks_file_read(&out, path, 5, &err), 0);
	assert_string_equal(out.ptr, "before 12345");
	assert_int_equal(ks_file_read(&out, path, 4, &err), KS_ELIMIT);
	assert_string_equal(out.ptr, "before 12345");
	assert_non_null(strstr(err.msg, path));
	ks_buf_clear(&out);
	ks_err_clear(&err);
	assert_int_equal(ks_file_read(&out, path, SIZE_MAX, &err), 0);
	assert_string_equal(out.ptr, "12345");
	ks_buf_fini(&out);
	free(path);
}

static void reads_only_regular_files(void **state)
{
	struct ks_err err = KS_ERR_INIT;
	char *fifo = ks_path_join(*state, "fifo");
	struct ks_buf out = {0};

	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(ks_file_read(&out, fifo, 10, &err), KS_EINVAL);
	ks_err_clear(&err);
	assert_int_equal(ks_file_read(&out, *state, 10, &err), KS_EINVAL);
	ks_err_clear(&err);
	assert_int_equal(ks_file_read(&out, "/nowhere/at/all", 10, &err), KS_ENOTFOUND);
	ks_buf_fini(&out);
	free(fifo);
}

static void files_without_a_size_are_read_to_their_end(void **state)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_buf out = {0};

	/* the kernel says that this file has 0 bytes */
	assert_int_equal(ks_file_read(&out, "/proc/self/status", 1 << 20, &err), 0);
	assert_non_null(strstr(out.ptr, "Pid:"));
	ks_buf_clear(&out);
	assert_int_equal(ks_file_read(&out, "/proc/self/status", 10, &err), KS_ELIMIT);
	assert_int_equal(out.len, 0);
	ks_buf_fini(&out);
}

static void writes_anew(void **state)
{
	char *path = ks_path_join(*state, "f");
	struct ks_buf out = {0};
	struct stat st;
	char **names;
	size_t n;

	put(*state, "f", "first, long text");
	assert_int_equal(ks_file_write(path, KS_STR("second"), 0600, NULL), 0);
	assert_int_equal(ks_file_read(&out, path, 100, NULL), 0);
	assert_string_equal(out.ptr, "second");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(ks_file_list(&names, &n, *state, NULL), 0);
	assert_int_equal(n, 1);
	ks_names_free(names, n);
	ks_buf_fini(&out);
	free(path);
}

/* A write that the system refuses half way leaves the old file and no other. */
static void a_failed_write_leaves_the_old_file(void **state)
{
	char *path = ks_path_join(*state, "f");
	struct ks_buf out = {0};
	char **names;
	int status;
	size_t n;
	pid_t pid;

	put(*state, "f", "old");
	pid = fork();
	if (pid == 0) {
		struct rlimit small = {4096, 4096};
		char *big = ks_zalloc(1, 100000);
		int rc;

		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &small);
		rc = ks_file_write(path, (struct ks_str){big, 100000}, 0644, NULL);
		free(big);
		_exit(rc < 0 ? 7 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 7);
	assert_int_equal(ks_file_read(&out, path, 100, NULL), 0);
	assert_string_equal(out.ptr, "old");
	assert_int_equal(ks_file_list(&names, &n, *state, NULL), 0);
	assert_int_equal(n, 1);
	ks_names_free(names, n);
	ks_buf_fini(&out);
	free(path);
}

static void a_missing_folder_is_named(void **state)
{
	struct ks_err err = KS_ERR_INIT;

	assert_int_equal(ks_file_write("/nowhere/at/all", KS_STR("x"), 0644, &err), KS_ENOTFOUND);
	assert_non_null(strstr(err.msg, "/nowhere/at/all"));
}

/* A reader sees the old file or the new one, never a mixture. */
static void readers_never_see_a_half(void **state)
{
	char *path = ks_path_join(*state, "f");
	int status, i;
	pid_t pid;

	put(*state, "f", "aaaaaaaaaaaaaaaa");
	pid = fork();
	if (pid == 0) {
		for (i = 0; i < 300; i++) {
			char text[5000];
			size_t n = i % 2 ? sizeof(text) : 16;

			memset(text, i % 2 ? 'b' : 'a', sizeof(text));
			if (ks_file_write(path, (struct ks_str){text, n}, 0644, NULL) < 0) {
				_exit(1);
			}
		}
		_exit(0);
	}
	for (;;) {
		struct ks_buf out = {0};

		assert_int_equal(ks_file_read(&out, path, 10000, NULL), 0);
		assert_true(out.len == 16 || out.len == 5000);
		assert_int_equal(out.ptr[0], out.len == 16 ? 'a' : 'b');
		assert_int_equal(out.ptr[0], out.ptr[out.len - 1]);
		ks_buf_fini(&out);
		if (waitpid(pid, &status, WNOHANG) == pid) {
			break;
		}
	}
	assert_int_equal(status, 0);
	free(path);
}

static void makes_folders(void **state)
{
	struct ks_err err = KS_ERR_INIT;
	char *deep = ks_path_join(*state, "a/b//c/"), *blocked;

	assert_int_equal(ks_file_mkdirs(deep, 0755, &err), 0);
	assert_true(ks_file_is_dir(deep));
	assert_int_equal(ks_file_mkdirs(deep, 0755, &err), 0);
	put(*state, "file", "x");
	blocked = ks_path_join(*state, "file/sub");
	assert_true(ks_file_mkdirs(blocked, 0755, &err) < 0);
	assert_false(ks_file_exists(blocked));
	free(deep);
	free(blocked);
}

static void joins_and_splits_paths(void **state)
{
	static const struct {
		const char *a, *b, *want;
	} joins[] = {{"a", "b", "a/b"}, {"a/", "b", "a/b"}, {"a//", "b", "a/b"}, {"/", "b", "/b"},
		{"a", "/b", "/b"}, {"", "b", "b"}, {"a", "", "a"}};
	static const struct {
		const char *path, *dir, *base;
	} splits[] = {{"a/b", "a", "b"}, {"b", ".", "b"}, {"/b", "/", "b"}, {"/a/b", "/a", "b"},
		{"a//b", "a", "b"}};
	size_t i;

	for (i = 0; i < sizeof(joins) / sizeof(joins[0]); i++) {
		char *got = ks_path_join(joins[i].a, joins[i].b);

		assert_string_equal(got, joins[i].want);
		free(got);
	}
	for (i = 0; i < sizeof(splits) / sizeof(splits[0]); i++) {
		char *dir = ks_path_dir(splits[i].path);

		assert_string_equal(dir, splits[i].dir);
		assert_string_equal(ks_path_base(splits[i].path), splits[i].base);
		free(dir);
	}
}

static void plain_paths(void **state)
{
	static const char *const good[] = {"a", "a/b", "a.c", "..a", "a..", ".hidden", "a/.b"};
	static const char *const bad[] = {"", "/", "/a", "a/", "a//b", "..", ".", "a/..", "a/../b",
		"./a", "a/./b"};
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(ks_path_is_plain(good[i]));
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_false(ks_path_is_plain(bad[i]));
	}
}

static void lists_sorted(void **state)
{
	struct ks_err err = KS_ERR_INIT;
	char **names = NULL;
	size_t n = 99;

	put(*state, "b", "");
	put(*state, "a", "");
	put(*state, ".c", "");
	assert_int_equal(ks_file_list(&names, &n, *state, &err), 0);
	assert_int_equal(n, 3);
	assert_string_equal(names[0], ".c");
	assert_string_equal(names[1], "a");
	assert_string_equal(names[2], "b");
	ks_names_free(names, n);
	names = NULL;
	n = 99;
	assert_int_equal(ks_file_list(&names, &n, "/nowhere", &err), KS_ENOTFOUND);
	assert_int_equal(n, 99);
	ks_names_free(NULL, 0);
}

static void removes_stubborn_trees(void **state)
{
	char *top = ks_path_join(*state, "top"), *link = ks_path_join(*state, "top/link");
	char *locked = ks_path_join(*state, "top/a/locked");
	char *outside = ks_path_join(*state, "outside");

	assert_int_equal(ks_file_mkdirs(locked, 0755, NULL), 0);
	put(*state, "top/a/locked/f", "x");
	put(*state, "outside", "kept");
	assert_int_equal(symlink(*state, link), 0);
	assert_int_equal(chmod(locked, 0), 0);
	assert_int_equal(ks_file_remove_tree(top, NULL), 0);
	assert_false(ks_file_exists(top));
	assert_true(ks_file_exists(outside));
	assert_int_equal(ks_file_remove_tree(top, NULL), 0);
	assert_int_equal(ks_file_remove_tree(outside, NULL), 0);
	assert_false(ks_file_exists(outside));
	free(top);
	free(link);
	free(locked);
	free(outside);
}

static void very_deep_trees_are_an_error(void **state)
{
	struct ks_err err = KS_ERR_INIT;
	char *top = ks_path_join(*state, "deep");
	int here = open(".", O_RDONLY | O_DIRECTORY), i;

	assert_int_equal(mkdir(top, 0755), 0);
	assert_int_equal(chdir(top), 0);
	for (i = 0; i < 300; i++) {
		assert_int_equal(mkdir("d", 0755), 0);
		assert_int_equal(chdir("d"), 0);
	}
	assert_int_equal(fchdir(here), 0);
	assert_int_equal(ks_file_remove_tree(top, &err), KS_ELIMIT);
	/* half of it by hand, so that the folder can go afterwards */
	assert_int_equal(chdir(top), 0);
	for (i = 0; i < 150; i++) {
		assert_int_equal(chdir("d"), 0);
	}
	assert_int_equal(ks_file_remove_tree("d", NULL), 0);
	assert_int_equal(fchdir(here), 0);
	close(here);
	free(top);
}

static void appends_and_follows_no_link(void **state)
{
	struct ks_err err = KS_ERR_INIT;
	char *path = ks_path_join(*state, "lines"), *link = ks_path_join(*state, "link");
	struct ks_buf out = {0};
	struct stat st;

	assert_int_equal(ks_file_append(path, KS_STR("a\n"), 0600, &err), 0);
	assert_int_equal(ks_file_append(path, KS_STR("b\n"), 0600, &err), 0);
	assert_int_equal(ks_file_read(&out, path, 100, &err), 0);
	assert_string_equal(out.ptr, "a\nb\n");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(symlink(path, link), 0);
	assert_true(ks_file_append(link, KS_STR("c"), 0600, &err) < 0);
	assert_true(ks_file_append(*state, KS_STR("c"), 0600, NULL) < 0);
	ks_buf_fini(&out);
	free(path);
	free(link);
}

int main(void)
{
#define WITH(test) cmocka_unit_test_setup_teardown(test, make_folder, drop_folder)
	const struct CMUnitTest tests[] = {
		WITH(reads_within_the_limit),
		WITH(reads_only_regular_files),
		WITH(appends_and_follows_no_link),
		cmocka_unit_test(files_without_a_size_are_read_to_their_end),
		WITH(writes_anew),
		WITH(a_failed_write_leaves_the_old_file),
		cmocka_unit_test(a_missing_folder_is_named),
		WITH(readers_never_see_a_half),
		WITH(makes_folders),
		cmocka_unit_test(joins_and_splits_paths),
		cmocka_unit_test(plain_paths),
		WITH(lists_sorted),
		WITH(removes_stubborn_trees),
		WITH(very_deep_trees_are_an_error),
	};
#undef WITH

	return cmocka_run_group_tests(tests, NULL, NULL);
}
