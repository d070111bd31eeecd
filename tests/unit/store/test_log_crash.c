/*
 * The log when things go wrong: a writer that is killed, a tail that is torn at
 * any byte, a disk that is full, somebody else who writes the file.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "folder.h"

/* Every line of the log is a whole event and seq has no gap. */
static void expect_whole(const char *path, int64_t least)
{
	struct ks_log_check check = {0};

	assert_int_equal(ks_log_verify(&check, path, NULL), 0);
	assert_int_equal(check.broken_line, 0);
	assert_int_equal(check.altered_seq, 0);
	assert_int_equal(check.torn, 0);
	assert_true(check.lines >= least);
}

static void a_tail_torn_at_any_byte_is_put_aside(void **state)
{
	char *path = folder_path(state, "log.jsonl"), *text;
	struct ks_log *log = log_at(path, NULL);
	size_t len, last, cut;

	log_tick(log, 1);
	last = (size_t)ks_log_length(log);
	log_tick(log, 2);
	ks_log_close(log);
	text = folder_get(path, &len);
	for (cut = last + 1; cut < len; cut++) {
		char *copy = ks_asprintf("%s-%zu", path, cut), *aside;
		struct ks_log_found found = {0};
		size_t n;

		folder_put(copy, (struct ks_str){text, cut});
		log = log_at(copy, &found);
		assert_int_equal(found.torn, cut - last);
		assert_int_equal(found.last_seq, 1);
		assert_int_equal(found.length, last);
		aside = folder_get(found.torn_path, &n);
		assert_int_equal(n, cut - last);
		assert_memory_equal(aside, text + last, n);
		assert_int_equal(log_tick(log, 3), 2);
		ks_log_close(log);
		expect_whole(copy, 2);
		free(aside);
		free(copy);
	}
	free(text);
	free(path);
}

static void each_torn_tail_gets_its_own_file(void **state)
{
	char *path = folder_path(state, "log.jsonl");
	struct ks_log_found first = {0}, second = {0};
	struct ks_log *log;

	folder_put(path, KS_STR("{\"seq\":1,"));
	log = log_at(path, &first);
	assert_true(first.fresh);
	ks_log_close(log);
	folder_put(path, KS_STR("{\"seq\":"));
	log = log_at(path, &second);
	ks_log_close(log);
	assert_string_not_equal(first.torn_path, second.torn_path);
	assert_true(ks_file_exists(first.torn_path));
	free(path);
}

static void a_torn_tail_of_many_megabytes(void **state)
{
	char *path = folder_path(state, "log.jsonl"), *big = ks_alloc(3000000);
	struct ks_log_found found = {0};
	struct ks_log *log;

	memset(big, 0, 3000000);
	folder_put(path, (struct ks_str){big, 3000000});
	log = log_at(path, &found);
	assert_int_equal(found.torn, 3000000);
	assert_int_equal(log_tick(log, 1), 1);
	ks_log_close(log);
	expect_whole(path, 1);
	free(big);
	free(path);
}

/* Writes until it is killed; tells through the pipe what is promised. */
static void write_for_ever(const char *path, int out)
{
	struct ks_log_event batch[3] = {{.kind = "a", .by = "x"}, {.kind = "b", .by = "x"},
		{.kind = "c", .by = "x"}};
	struct ks_log *log = NULL;
	int64_t seq;

	if (ks_log_open(&log, path, NULL, NULL) < 0) {
		_exit(1);
	}
	while (ks_log_append(log, batch, 3, KS_LOG_GROUPED, &seq, NULL) == 0) {
		if (write(out, &seq, sizeof(seq)) != sizeof(seq)) {
			_exit(1);
		}
	}
	_exit(1);
}

static void a_killed_writer_loses_nothing_it_promised(void **state)
{
	char *path = folder_path(state, "log.jsonl");
	int round;

	for (round = 0; round < 8; round++) {
		struct timespec wait = {0, 3000000 * (round + 1)};
		struct ks_log_found found = {0};
		int64_t seq, promised = 0;
		struct ks_log *log;
		int ends[2];
		pid_t pid;

		assert_int_equal(pipe(ends), 0);
		pid = fork();
		if (pid == 0) {
			close(ends[0]);
			write_for_ever(path, ends[1]);
		}
		close(ends[1]);
		assert_int_equal(read(ends[0], &promised, sizeof(promised)), sizeof(promised));
		nanosleep(&wait, NULL);
		kill(pid, SIGKILL);
		while (read(ends[0], &seq, sizeof(seq)) == sizeof(seq)) {
			promised = seq;
		}
		close(ends[0]);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		log = log_at(path, &found);
		assert_true(found.last_seq >= promised);
		assert_int_equal(found.altered_seq, 0);
		log_tick(log, round);
		ks_log_close(log);
		expect_whole(path, promised + 1);
	}
	free(path);
}

/* Fills the log until the system refuses; everything must still hold. */
static void fill_up(struct ks_log *log, const char *path, int want_code)
{
	char body[1001];
	struct ks_log_event events[2] = {{.kind = "k", .by = "b"}, {.kind = "k", .by = "b"}};
	struct ks_err err = KS_ERR_INIT;
	struct ks_buf fields = {0};
	int64_t seq = 0;
	struct stat st;
	int i, rc = 0;

	memset(body, 'a', 1000);
	body[1000] = '\0';
	ks_buf_addf(&fields, "\"x\":\"%s\"", body);
	events[0].fields = events[1].fields = ks_buf_str(&fields);
	for (i = 0; i < 10000 && rc == 0; i++) {
		rc = ks_log_append(log, events, 2, i % 3 ? KS_LOG_GROUPED : KS_LOG_NOW, &seq, &err);
	}
	ks_buf_fini(&fields);
	assert_int_equal(rc, want_code);
	assert_int_equal(rc, err.code);
	assert_non_null(ks_log_stopped(log));
	assert_non_null(strstr(ks_log_stopped(log), "stopped"));
	assert_int_equal(ks_log_last_seq(log), seq);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal((uint64_t)st.st_size, ks_log_length(log));
	/* it stays stopped, with the same reason */
	ks_err_clear(&err);
	assert_true(ks_log_append(log, events, 0, KS_LOG_NOW, NULL, &err) < 0);
	assert_string_equal(err.msg, ks_log_stopped(log));
	expect_whole(path, seq);
}

static void a_short_write_rolls_back_and_stops(void **state)
{
	char *path = folder_path(state, "log.jsonl");
	struct rlimit old, small;
	struct ks_log *log = log_at(path, NULL);
	int64_t seq;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = (struct rlimit){50001, old.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	fill_up(log, path, KS_EIO);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	seq = ks_log_last_seq(log);
	assert_int_equal(ks_log_resume(log, NULL), 0);
	assert_null(ks_log_stopped(log));
	assert_int_equal(log_tick(log, 1), seq + 1);
	ks_log_close(log);
	expect_whole(path, seq + 1);
	free(path);
}

static bool put_map(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(fd);
	return ok;
}

/* Who is not root needs users of its own for that, and is one of them. */
static bool own_mounts(void)
{
	char users[40], groups[40];

	snprintf(users, sizeof(users), "%u %u 1", (unsigned)getuid(), (unsigned)getuid());
	snprintf(groups, sizeof(groups), "%u %u 1", (unsigned)getgid(), (unsigned)getgid());
	return unshare(CLONE_NEWNS) == 0 || (unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
		put_map("/proc/self/setgroups", "deny") && put_map("/proc/self/uid_map", users) &&
		put_map("/proc/self/gid_map", groups));
}

/* In a child with its own mounts; 77: this machine does not let us. */
static void fill_a_small_disk(const char *dir)
{
	struct ks_log *log = NULL;
	char *ballast = ks_path_join(dir, "ballast"), *path = ks_path_join(dir, "log.jsonl");
	char *bytes = ks_zalloc(1, 40000);
	int64_t seq;

	if (!own_mounts()) {
		_exit(77);
	}
	if (mount("none", dir, "tmpfs", 0, "size=128k") < 0) {
		_exit(77);
	}
	folder_put(ballast, (struct ks_str){bytes, 40000});
	log = log_at(path, NULL);
	fill_up(log, path, KS_EFULL);
	seq = ks_log_last_seq(log);
	/* a small event would find its place in the last page; it does not go on for that */
	assert_int_equal(ks_log_resume(log, NULL), KS_EFULL);
	assert_non_null(ks_log_stopped(log));
	/* space is made, and the log goes on where it was */
	unlink(ballast);
	assert_int_equal(ks_log_resume(log, NULL), 0);
	assert_int_equal(log_tick(log, 1), seq + 1);
	ks_log_close(log);
	expect_whole(path, seq + 1);
	free(ballast);
	free(path);
	free(bytes);
	_exit(0);
}

static void a_full_disk_rolls_back_and_stops(void **state)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		fill_a_small_disk(*state);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		skip();
	}
	assert_int_equal(status, 0);
}

static void somebody_elses_write_stops_the_log(void **state)
{
	char *path = folder_path(state, "log.jsonl");
	char *side = folder_path(state, "log.jsonl.torn-1");
	struct ks_log_event event = {.kind = "k", .by = "b"};
	struct ks_log *log = log_at(path, NULL);
	struct ks_err err = KS_ERR_INIT;
	int fd = open(path, O_WRONLY | O_APPEND);

	log_tick(log, 1);
	assert_int_equal(write(fd, "mine\n", 5), 5);
	close(fd);
	assert_int_equal(ks_log_append(log, &event, 1, KS_LOG_NOW, NULL, &err), KS_EIO);
	assert_non_null(strstr(ks_log_stopped(log), "somebody else"));
	/* going on keeps the foreign bytes, but not in the log */
	assert_int_equal(ks_log_resume(log, NULL), 0);
	assert_int_equal(log_tick(log, 2), 2);
	ks_log_close(log);
	expect_whole(path, 2);
	assert_true(ks_file_exists(side));
	free(side);
	free(path);
}

static void a_shortened_or_replaced_log_stays_stopped(void **state)
{
	char *path = folder_path(state, "log.jsonl");
	struct ks_log_event event = {.kind = "k", .by = "b"};
	struct ks_log *log = log_at(path, NULL);

	log_tick(log, 1);
	assert_int_equal(truncate(path, 3), 0);
	assert_int_equal(ks_log_append(log, &event, 1, KS_LOG_NOW, NULL, NULL), KS_EIO);
	assert_int_equal(ks_log_resume(log, NULL), KS_EIO);
	assert_non_null(ks_log_stopped(log));
	ks_log_close(log);

	folder_put(path, KS_STR(""));
	log = log_at(path, NULL);
	log_tick(log, 1);
	folder_put(path, KS_STR("edited\n")); /* as an editor does: a new file */
	assert_int_equal(ks_log_append(log, &event, 1, KS_LOG_NOW, NULL, NULL), KS_EIO);
	assert_non_null(strstr(ks_log_stopped(log), "replaced"));
	assert_int_equal(ks_log_seal(log, NULL), KS_EIO);
	ks_log_close(log);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(a_tail_torn_at_any_byte_is_put_aside),
		IN_FOLDER(each_torn_tail_gets_its_own_file),
		IN_FOLDER(a_torn_tail_of_many_megabytes),
		IN_FOLDER(a_killed_writer_loses_nothing_it_promised),
		IN_FOLDER(a_short_write_rolls_back_and_stops),
		IN_FOLDER(a_full_disk_rolls_back_and_stops),
		IN_FOLDER(somebody_elses_write_stops_the_log),
		IN_FOLDER(a_shortened_or_replaced_log_stays_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
