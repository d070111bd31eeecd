#ifndef KSEEK_TESTS_REPO_HELP_H
#define KSEEK_TESTS_REPO_HELP_H
/* Shared by the tests of src/repo: a scratch folder, files, plain git. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "repo/repo.h"

static inline char *scratch_new(void)
{
	char name[] = "/tmp/kseek-repo-XXXXXX";

	return ks_strdup(mkdtemp(name));
}

static inline void scratch_free(char *dir)
{
	struct ks_err err = KS_ERR_INIT;

	if (ks_file_remove_tree(dir, &err) < 0) {
		fail_msg("%s", err.msg);
	}
	free(dir);
}

static inline void put(const char *dir, const char *name, const char *text)
{
	char *path = ks_path_join(dir, name), *parent = ks_path_dir(path);
	struct ks_err err = KS_ERR_INIT;

	if (ks_file_mkdirs(parent, 0755, &err) < 0 ||
		ks_file_write(path, ks_str_of(text), 0644, &err) < 0) {
		fail_msg("%s", err.msg);
	}
	free(parent);
	free(path);
}

/* Whether the file holds exactly this text. */
static inline bool holds(const char *dir, const char *name, const char *text)
{
	char *path = ks_path_join(dir, name);
	struct ks_buf buf = {0};
	bool same = ks_file_read(&buf, path, 1 << 20, NULL) == 0 &&
		ks_str_is(ks_buf_str(&buf), text);

	ks_buf_fini(&buf);
	free(path);
	return same;
}

/* Runs git in a folder with an empty account; its output. Status in *out_rc. */
static inline char *git(const char *dir, int *out_rc, const char *const *args)
{
	const char *argv[24] = {"git", "-C", dir, "-c", "safe.directory=*"};
	struct ks_buf out = {0};
	char bytes[4096];
	int ends[2], status = 0;
	ssize_t n;
	size_t argc = 5;
	pid_t pid;

	for (; *args != NULL; args++) {
		argv[argc++] = *args;
	}
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		dup2(ends[1], 1);
		dup2(ends[1], 2);
		close(ends[0]);
		close(ends[1]);
		setenv("HOME", "/nonexistent", 1);
		setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
		setenv("GIT_PAGER", "cat", 1);
		unsetenv("XDG_CONFIG_HOME");
		execvp("git", (char **)argv);
		_exit(127);
	}
	close(ends[1]);
	while ((n = read(ends[0], bytes, sizeof(bytes))) > 0) {
		ks_buf_add(&out, bytes, (size_t)n);
	}
	close(ends[0]);
	waitpid(pid, &status, 0);
	if (out_rc != NULL) {
		*out_rc = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	} else if (status != 0) {
		fail_msg("git failed: %s", out.ptr);
	}
	return ks_buf_take(&out);
}

#define GIT(dir, ...) git((dir), NULL, (const char *const[]){__VA_ARGS__, NULL})

static inline struct ks_repo_file file_of(const char *path, const char *text)
{
	return (struct ks_repo_file){(char *)path, (char *)text, strlen(text), false};
}

#endif
