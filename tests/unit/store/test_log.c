/* The writer of the log: envelope, order, lock, what it refuses. */
#include <fcntl.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "folder.h"

static int append_one(struct ks_log *log, const char *kind, const char *by, struct ks_str fields,
	struct ks_err *err)
{
	struct ks_log_event event = {.kind = kind, .by = by, .fields = fields};

	ks_err_clear(err);
	return ks_log_append(log, &event, 1, KS_LOG_NOW, NULL, err);
}

static void an_absent_or_empty_log_is_new(void **state)
{
	char *path = folder_path(state, "log.jsonl");
	struct ks_log_found found = {0};
	int round;

	for (round = 0; round < 2; round++) {
		struct ks_log *log = log_at(path, &found);

		assert_true(found.fresh);
		assert_int_equal(found.last_seq, 0);
		assert_int_equal(found.torn, 0);
		ks_log_close(log);
		folder_put(path, KS_STR(""));
	}
	ks_log_close(NULL);
	free(path);
}

static void a_link_is_no_log(void **state)
{
	char *path = folder_path(state, "log.jsonl"), *other = folder_path(state, "other");
	struct ks_log *log = NULL;
	struct ks_err err = KS_ERR_INIT;
	char *text;
	size_t len;

	folder_put(other, KS_STR("somebody's\n"));
	assert_int_equal(symlink(other, path), 0);
	assert_int_equal(ks_log_open(&log, path, NULL, &err), KS_EINVAL);
	assert_non_null(strstr(err.msg, "a link"));
	assert_null(log);
	text = folder_get(other, &len);
	assert_string_equal(text, "somebody's\n");
	free(text);
	free(path);
	free(other);
}

static void lines_have_the_envelope(void **state)
{
	struct ks_log_event event = {.kind = "tool.started", .by = "agent",
		.fields = KS_STR("\"call\":\"c1\",\"nested\":{\"a\":[1]}"), .t = 1764511351000000};
	char *path = folder_path(state, "log.jsonl"), *text;
	struct ks_log *log = log_at(path, NULL);
	int64_t seq = 0;
	size_t len;

	assert_int_equal(ks_log_append(log, &event, 1, KS_LOG_NOW, &seq, NULL), 0);
	assert_int_equal(seq, 1);
	event = (struct ks_log_event){.kind = "engine.stopped", .by = "engine", .t = 7};
	assert_int_equal(ks_log_append(log, &event, 1, KS_LOG_NOW, &seq, NULL), 0);
	text = folder_get(path, &len);
	assert_string_equal(text,
		"{\"seq\":1,\"t\":1764511351000000,\"kind\":\"tool.started\",\"by\":\"agent\","
		"\"call\":\"c1\",\"nested\":{\"a\":[1]}}\n"
		"{\"seq\":2,\"t\":7,\"kind\":\"engine.stopped\",\"by\":\"engine\"}\n");
	assert_int_equal(ks_log_length(log), len);
	assert_int_equal(ks_log_last_seq(log), 2);
	free(text);
	ks_log_close(log);
	free(path);
}

static void seq_goes_on_after_opening_again(void **state)
{
	char *path = folder_path(state, "log.jsonl");
	struct ks_log_found found = {0};
	struct ks_log *log;
	int64_t i;

	for (i = 1; i <= 5; i++) {
		log = log_at(path, &found);
		assert_int_equal(found.last_seq, i - 1);
		assert_int_equal(log_tick(log, i), i);
		ks_log_close(log);
	}
	free(path);
}

static void time_never_runs_backwards(void **state)
{
	int64_t future = ks_clock_wall_us() + INT64_C(3600) * 1000000;
	struct ks_log_event event = {.kind = "a", .by = "b", .t = future};
	char *path = folder_path(state, "log.jsonl");
	struct ks_log *log = log_at(path, NULL);
	struct ks_log_found found = {0};

	assert_int_equal(ks_log_append(log, &event, 1, KS_LOG_NOW, NULL, NULL), 0);
	log_tick(log, 1);
	ks_log_close(log);
	log = log_at(path, &found);
	assert_true(found.last_t == future);
	log_tick(log, 2);
	ks_log_close(log);
	log = log_at(path, &found);
	assert_true(found.last_t == future);
	ks_log_close(log);
	free(path);
}

static void there_is_one_writer(void **state)
{
	char *path = folder_path(state, "log.jsonl");
	struct ks_log *log = log_at(path, NULL), *second = NULL;
	struct ks_err err = KS_ERR_INIT;
	int status;
	pid_t pid;

	assert_int_equal(ks_log_open(&second, path, NULL, &err), KS_EBUSY);
	assert_null(second);
	assert_non_null(strstr(err.msg, path));
	pid = fork();
	if (pid == 0) {
		_exit(ks_log_open(&second, path, NULL, NULL) == KS_EBUSY ? 9 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 9);
	ks_log_close(log);
	log = log_at(path, NULL);
	ks_log_close(log);
	free(path);
}

struct seen {
	int64_t seqs[600];
	size_t count;
	struct ks_buf text;
};

static void remember(void *payload, const struct ks_log_line *line)
{
	struct seen *seen = payload;

	assert_int_equal(line->offset, seen->text.len);
	seen->seqs[seen->count++] = line->seq;
	ks_buf_addstr(&seen->text, line->text);
	ks_buf_addc(&seen->text, '\n');
}

static void every_line_is_handed_over_in_order(void **state)
{
	char *path = folder_path(state, "log.jsonl"), *text;
	struct ks_log *log = log_at(path, NULL);
	struct ks_log_event batch[3] = {{.kind = "a", .by = "x"}, {.kind = "b", .by = "x"},
		{.kind = "c", .by = "x"}};
	struct seen seen = {0};
	int64_t seq = 0;
	size_t i, len;

	ks_log_on_line(log, remember, &seen);
	for (i = 0; i < 150; i++) {
		assert_int_equal(ks_log_append(log, batch, 3, KS_LOG_GROUPED, &seq, NULL), 0);
	}
	/* the log.hash line is handed over too */
	assert_int_equal(seen.count, 451);
	for (i = 0; i < seen.count; i++) {
		assert_int_equal(seen.seqs[i], i + 1);
	}
	assert_int_equal(seq, 451);
	text = folder_get(path, &len);
	assert_int_equal(len, seen.text.len);
	assert_memory_equal(text, seen.text.ptr, len);
	free(text);
	ks_buf_fini(&seen.text);
	ks_log_close(log);
	free(path);
}

static void bad_events_leave_no_trace(void **state)
{
	static const struct {
		const char *kind, *by, *fields;
	} bad[] = {
		{"", "agent", ""}, {"two words", "agent", ""}, {"UPPER", "agent", ""},
		{"a\"b", "agent", ""}, {NULL, "agent", ""}, {"ok", NULL, ""}, {"ok", "a\nb", ""},
		{"ok", "agent", "\"a\""}, {"ok", "agent", "\"a\":1,"}, {"ok", "agent", "\"a\":\n1"},
		{"ok", "agent", "\"a\":1}\r\n{\"b\":2"}, {"ok", "agent", "\"a\":1},{\"b\":2"},
		{"ok", "agent", "\"seq\":5"}, {"ok", "agent", "\"kind\":\"other\""},
		{"ok", "agent", "\"a\":\"\x01\""}, {"ok", "agent", "}"},
	};
	char *path = folder_path(state, "log.jsonl");
	struct ks_log *log = log_at(path, NULL);
	struct ks_err err = KS_ERR_INIT;
	uint64_t before;
	size_t i;

	log_tick(log, 1);
	before = ks_log_length(log);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(append_one(log, bad[i].kind, bad[i].by, ks_str_of(bad[i].fields),
			&err), KS_EINVAL);
		assert_null(ks_log_stopped(log));
		assert_int_equal(ks_log_length(log), before);
	}
	assert_int_equal(log_tick(log, 2), 2);
	ks_log_close(log);
	free(path);
}

static void lines_have_a_longest_length(void **state)
{
	char *path = folder_path(state, "log.jsonl");
	struct ks_log *log = log_at(path, NULL);
	struct ks_log_event event = {.kind = "k", .by = "b", .t = 1};
	struct ks_err err = KS_ERR_INIT;
	struct ks_buf fields = {0};
	/* {"seq":1,"t":1,"kind":"k","by":"b","x":""} has 42 bytes */
	size_t room = KS_LOG_LINE_MAX - 42, i;

	ks_buf_adds(&fields, "\"x\":\"");
	for (i = 0; i <= room; i++) {
		ks_buf_addc(&fields, 'a');
	}
	ks_buf_addc(&fields, '"');
	event.fields = ks_buf_str(&fields);
	assert_int_equal(ks_log_append(log, &event, 1, KS_LOG_NOW, NULL, &err), KS_ELIMIT);
	assert_int_equal(ks_log_length(log), 0);
	assert_null(ks_log_stopped(log));
	ks_buf_truncate(&fields, fields.len - 2);
	ks_buf_addc(&fields, '"');
	event.fields = ks_buf_str(&fields);
	assert_int_equal(ks_log_append(log, &event, 1, KS_LOG_NOW, NULL, NULL), 0);
	assert_int_equal(ks_log_length(log), KS_LOG_LINE_MAX + 1);
	ks_buf_fini(&fields);
	ks_log_close(log);
	free(path);
}

static void a_batch_is_all_or_nothing(void **state)
{
	char *path = folder_path(state, "log.jsonl");
	struct ks_log *log = log_at(path, NULL);
	struct ks_log_event batch[3] = {{.kind = "a", .by = "x"}, {.kind = "b", .by = "x"},
		{.kind = "BAD", .by = "x"}};
	int64_t seq = -5;

	assert_int_equal(ks_log_append(log, batch, 3, KS_LOG_NOW, &seq, NULL), KS_EINVAL);
	assert_int_equal(seq, -5);
	assert_int_equal(ks_log_length(log), 0);
	assert_int_equal(ks_log_append(log, batch, 2, KS_LOG_NOW, &seq, NULL), 0);
	assert_int_equal(seq, 2);
	assert_int_equal(ks_log_append(log, batch, 0, KS_LOG_NOW, &seq, NULL), 0);
	ks_log_close(log);
	free(path);
}

static void grouped_lines_wait_for_a_sync(void **state)
{
	char *path = folder_path(state, "log.jsonl");
	struct ks_log *log = log_at(path, NULL);
	struct ks_err err = KS_ERR_INIT;

	assert_false(ks_log_pending(log));
	log_tick(log, 1);
	assert_true(ks_log_pending(log));
	assert_int_equal(ks_log_sync(log, &err), 0);
	assert_false(ks_log_pending(log));
	log_tick(log, 2);
	assert_int_equal(append_one(log, "human.said", "human", KS_STR(""), &err), 0);
	assert_false(ks_log_pending(log));
	ks_log_close(log);
	free(path);
}

static void a_sync_elsewhere_may_fail(void **state)
{
	char *path = folder_path(state, "log.jsonl");
	struct ks_log *log = log_at(path, NULL);
	struct ks_err err = KS_ERR_INIT;

	assert_int_equal(ks_log_sync_begin(log), -1);
	log_tick(log, 1);
	int fd = ks_log_sync_begin(log);
	assert_true(fd >= 0);
	assert_false(ks_log_pending(log));
	log_tick(log, 2); /* meanwhile */
	assert_int_equal(fdatasync(fd), 0);
	close(fd);
	assert_int_equal(ks_log_synced(log, 0, &err), 0);
	assert_true(ks_log_pending(log));
	fd = ks_log_sync_begin(log);
	close(fd);
	assert_int_equal(ks_log_synced(log, EIO, &err), KS_EIO);
	assert_non_null(strstr(err.msg, "may not be on disk"));
	assert_non_null(ks_log_stopped(log));
	assert_int_equal(ks_log_resume(log, NULL), 0);
	log_tick(log, 3);
	ks_log_close(log);
	free(path);
}

static void what_it_does_not_know_stays_byte_for_byte(void **state)
{
	static const char foreign[] =
		"{\"seq\":1,\"t\":5,\"kind\":\"future.kind\",\"by\":\"alien\","
		"\"x\":{\"deep\":[1,2]},\"n\":1e2}\n"
		"  { \"kind\" : \"odd.order\", \"t\":6, \"seq\" : 2, "
		"\"big\":12345678901234567890 }\n"
		"not json at all \xff\n"
		"\n"
		"{\"seq\":3,\"t\":7,\"kind\":\"tool.ended\",\"by\":\"agent\","
		"\"unknown\":\"\\u0000\"}\n";
	char *path = folder_path(state, "log.jsonl"), *text;
	struct ks_log_found found = {0};
	struct ks_log *log;
	size_t len;

	folder_put(path, (struct ks_str){foreign, sizeof(foreign) - 1});
	log = log_at(path, &found);
	assert_int_equal(found.last_seq, 3);
	assert_int_equal(found.torn, 0);
	assert_int_equal(log_tick(log, 1), 4);
	ks_log_close(log);
	text = folder_get(path, &len);
	assert_memory_equal(text, foreign, sizeof(foreign) - 1);
	assert_true(ks_str_starts(ks_str_of(text + sizeof(foreign) - 1), "{\"seq\":4,"));
	free(text);
	free(path);
}

/* Seq stays unique even where somebody changed the order of lines. */
static void seq_goes_on_after_the_greatest(void **state)
{
	char *path = folder_path(state, "log.jsonl");
	struct ks_log_found found = {0};
	struct ks_log *log;

	folder_put(path, KS_STR("{\"seq\":8,\"t\":1,\"kind\":\"a\",\"by\":\"b\"}\n"
		"{\"seq\":3,\"t\":2,\"kind\":\"a\",\"by\":\"b\"}\n"));
	log = log_at(path, &found);
	assert_int_equal(found.last_seq, 8);
	assert_int_equal(log_tick(log, 1), 9);
	ks_log_close(log);
	free(path);
}

static void only_regular_files(void **state)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_log *log = NULL;

	assert_int_equal(ks_log_open(&log, "/dev/null", NULL, &err), KS_EINVAL);
	ks_err_clear(&err);
	assert_int_equal(ks_log_open(&log, "/nowhere/log.jsonl", NULL, &err), KS_ENOTFOUND);
	ks_err_clear(&err);
	assert_true(ks_log_open(&log, *state, NULL, &err) < 0);
	assert_null(log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(an_absent_or_empty_log_is_new),
		IN_FOLDER(a_link_is_no_log),
		IN_FOLDER(lines_have_the_envelope),
		IN_FOLDER(seq_goes_on_after_opening_again),
		IN_FOLDER(time_never_runs_backwards),
		IN_FOLDER(there_is_one_writer),
		IN_FOLDER(every_line_is_handed_over_in_order),
		IN_FOLDER(bad_events_leave_no_trace),
		IN_FOLDER(lines_have_a_longest_length),
		IN_FOLDER(a_batch_is_all_or_nothing),
		IN_FOLDER(grouped_lines_wait_for_a_sync),
		IN_FOLDER(a_sync_elsewhere_may_fail),
		IN_FOLDER(what_it_does_not_know_stays_byte_for_byte),
		IN_FOLDER(seq_goes_on_after_the_greatest),
		IN_FOLDER(only_regular_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
