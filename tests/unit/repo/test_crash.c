/*
 * A process that is killed at any moment leaves a repository that works, and
 * nothing that it reported as done is lost. Stale locks do not stop the next.
 */
#include "help.h"

#include <poll.h>
#include <signal.h>
#include <time.h>

#define ROUNDS 40

static void must(int rc, const struct ks_err *err)
{
	if (rc < 0) {
		fail_msg("%s", err->msg);
	}
}

/* Commits and notes for ever; tells each commit that is done. */
static void child(const char *dir, int report)
{
	struct ks_repo *repo = NULL;
	char hex[KS_OID_HEX], text[64];

	if (ks_repo_open(&repo, dir, NULL) < 0) {
		_exit(2);
	}
	ks_repo_clear_locks(repo);
	for (int i = 0;; i++) {
		struct ks_repo_file file;
		struct ks_repo_commit commit = {.files = &file, .count = 1, .message = text};

		snprintf(text, sizeof(text), "candidate of %d, %d\n", (int)getpid(), i);
		file = file_of("kernel.c", text);
		if (ks_repo_commit(repo, &commit, hex, NULL) < 0 ||
			ks_repo_note_set(repo, hex, ks_str_of(text), 0, NULL) < 0) {
			_exit(3);
		}
		if (write(report, hex, KS_OID_HEX) != KS_OID_HEX) {
			_exit(4);
		}
	}
}

/* Every commit that was told is on the branch and has its note. */
static size_t check(const char *dir, int report)
{
	struct ks_repo *repo = NULL;
	size_t told = 0;
	int status = 0;
	char hex[KS_OID_HEX];
	struct ks_err err = KS_ERR_INIT;
	struct ks_buf note = {0};

	must(ks_repo_open(&repo, dir, &err), &err);
	ks_repo_clear_locks(repo);
	char *list = git(dir, &status,
		(const char *const[]){"log", "--format=%H", "candidates", NULL});
	while (read(report, hex, KS_OID_HEX) == KS_OID_HEX) {
		assert_int_equal(status, 0);
		assert_non_null(strstr(list, hex));
		must(ks_repo_note(repo, hex, &note, &err), &err);
		told++;
	}
	ks_buf_fini(&note);
	free(list);
	ks_repo_free(repo);
	return told;
}

static void test_kill(void **state)
{
	char *dir = scratch_new(), *text;
	struct ks_repo *repo = NULL;
	struct ks_err err = KS_ERR_INIT;
	size_t told = 0;

	must(ks_repo_create(&repo, dir, &err), &err);
	ks_repo_free(repo);
	for (int round = 0; round < ROUNDS; round++) {
		int ends[2], status = 0;
		pid_t pid;

		assert_int_equal(pipe(ends), 0);
		pid = fork();
		if (pid == 0) {
			close(ends[0]);
			child(dir, ends[1]);
		}
		close(ends[1]);
		/* Half of the rounds die wherever they are, half after a commit
		 * was told, however slow the machine is. */
		if (round % 2 == 1) {
			struct pollfd told_one = {.fd = ends[0], .events = POLLIN};
			assert_int_equal(poll(&told_one, 1, 30000), 1);
		}
		usleep(5000 + (useconds_t)round * 1700);
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		assert_true(WIFSIGNALED(status)); /* it did not give up by itself */
		told += check(dir, ends[0]);
		close(ends[0]);
	}
	assert_true(told > 0);
	text = GIT(dir, "fsck", "--strict");
	assert_null(strstr(text, "error"));
	assert_null(strstr(text, "missing"));
	free(text);
	scratch_free(dir);
}

static void test_stale_locks(void **state)
{
	char *dir = scratch_new();
	struct ks_repo *repo = NULL;
	struct ks_repo_file file = file_of("k.c", "x");
	struct ks_repo_commit commit = {.files = &file, .count = 1, .message = "m\n"};
	struct ks_err err = KS_ERR_INIT;
	char hex[KS_OID_HEX];

	must(ks_repo_create(&repo, dir, &err), &err);
	must(ks_repo_commit(repo, &commit, hex, &err), &err);
	put(dir, ".git/refs/heads/candidates.lock", "");
	put(dir, ".git/index.lock", "");       /* the user's: not ours to judge */
	put(dir, ".git/packed-refs.lock", ""); /* young: may be a running gc */
	commit.message = "m2\n";
	assert_int_equal(ks_repo_commit(repo, &commit, hex, &err), KS_EBUSY);
	assert_int_equal(ks_repo_clear_locks(repo), 1);
	ks_err_clear(&err);
	must(ks_repo_commit(repo, &commit, hex, &err), &err);
	assert_true(holds(dir, ".git/index.lock", ""));
	assert_true(holds(dir, ".git/packed-refs.lock", ""));
	ks_repo_free(repo);
	scratch_free(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kill),
		cmocka_unit_test(test_stale_locks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
