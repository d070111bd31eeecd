/* The reader: growth, limits, shrinking, long lines, walks. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "folder.h"
#include "store/follow.h"
#include "store/index.h"

static struct ks_follow *following(const char *path, const char *cache)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_follow *f = NULL;

	if (ks_follow_open(&f, path, cache, &err) < 0) {
		fail_msg("%s", err.msg);
	}
	return f;
}

static void grow(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_APPEND);

	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static void takes_in_what_grows(void **state)
{
	char *path = folder_path(state, "log");
	struct ks_buf line = {0};
	struct ks_follow *f;
	size_t fresh = 99;

	folder_put(path, KS_STR("one\ntwo\nthr"));
	f = following(path, NULL);
	assert_int_equal(ks_follow_count(f), 0);
	assert_int_equal(ks_follow_refresh(f, KS_FOLLOW_ALL, &fresh, NULL), 0);
	assert_int_equal(fresh, 2);
	assert_int_equal(ks_follow_refresh(f, KS_FOLLOW_ALL, &fresh, NULL), 0);
	assert_int_equal(fresh, 0);
	grow(path, "ee\n");
	assert_int_equal(ks_follow_refresh(f, KS_FOLLOW_ALL, &fresh, NULL), 0);
	assert_int_equal(fresh, 1);
	assert_int_equal(ks_follow_read(f, 2, &line, NULL), 0);
	assert_string_equal(line.ptr, "three");
	assert_int_equal(ks_follow_read(f, 0, &line, NULL), 0);
	assert_string_equal(line.ptr, "threeone");
	assert_int_equal(ks_follow_read(f, 3, &line, NULL), KS_ENOTFOUND);
	assert_string_equal(line.ptr, "threeone");
	ks_buf_fini(&line);
	ks_follow_free(f);
	ks_follow_free(NULL);
	free(path);
}

static void reads_no_further_than_the_limit(void **state)
{
	char *path = folder_path(state, "log");
	struct ks_follow *f;

	folder_put(path, KS_STR("one\ntwo\nthree\n"));
	f = following(path, NULL);
	assert_int_equal(ks_follow_refresh(f, 8, NULL, NULL), 0);
	assert_int_equal(ks_follow_count(f), 2);
	assert_int_equal(ks_follow_refresh(f, 7, NULL, NULL), 0);
	assert_int_equal(ks_follow_count(f), 2);
	assert_int_equal(ks_follow_refresh(f, 14, NULL, NULL), 0);
	assert_int_equal(ks_follow_count(f), 3);
	ks_follow_free(f);
	free(path);
}

static void a_shorter_log_is_read_again(void **state)
{
	char *path = folder_path(state, "log");
	struct ks_err err = KS_ERR_INIT;
	struct ks_buf line = {0};
	struct ks_follow *f;

	folder_put(path, KS_STR("one\ntwo\nthree\n"));
	f = following(path, NULL);
	assert_int_equal(ks_follow_refresh(f, KS_FOLLOW_ALL, NULL, NULL), 0);
	assert_int_equal(truncate(path, 9), 0);
	/* a read of what is gone is an error, not a wait */
	assert_int_equal(ks_follow_read(f, 2, &line, NULL), KS_EPROTO);
	assert_int_equal(line.len, 0);
	assert_int_equal(ks_follow_refresh(f, KS_FOLLOW_ALL, NULL, &err), KS_EPROTO);
	assert_int_equal(ks_follow_count(f), 2);
	grow(path, "x\n");
	assert_int_equal(ks_follow_refresh(f, KS_FOLLOW_ALL, NULL, NULL), 0);
	assert_int_equal(ks_follow_read(f, 2, &line, NULL), 0);
	assert_string_equal(line.ptr, "tx");
	ks_buf_fini(&line);
	ks_follow_free(f);
	free(path);
}

static void a_cache_saves_the_scan_and_a_wrong_one_harms_nothing(void **state)
{
	char *path = folder_path(state, "log"), *cache = folder_path(state, "index");
	struct ks_follow *f;
	size_t fresh = 0;

	folder_put(path, KS_STR("one\ntwo\n"));
	assert_int_equal(ks_index_rebuild(path, cache, NULL, NULL), 0);
	grow(path, "three\n");
	f = following(path, cache);
	assert_int_equal(ks_follow_refresh(f, KS_FOLLOW_ALL, &fresh, NULL), 0);
	assert_int_equal(fresh, 3);
	ks_follow_free(f);
	/* the limit holds for cached lines too */
	f = following(path, cache);
	assert_int_equal(ks_follow_refresh(f, 5, &fresh, NULL), 0);
	assert_int_equal(fresh, 1);
	ks_follow_free(f);
	folder_put(cache, KS_STR("rubbish"));
	f = following(path, cache);
	assert_int_equal(ks_follow_refresh(f, KS_FOLLOW_ALL, &fresh, NULL), 0);
	assert_int_equal(fresh, 3);
	ks_follow_free(f);
	free(path);
	free(cache);
}

struct walk {
	size_t next;
	size_t stop_at;
	size_t long_lines;
	struct ks_buf text;
};

static int take(void *payload, const struct ks_follow_line *line)
{
	struct walk *walk = payload;

	assert_int_equal(line->index, walk->next++);
	walk->long_lines += !line->whole;
	ks_buf_addstr(&walk->text, line->text);
	ks_buf_addc(&walk->text, '\n');
	return line->index == walk->stop_at ? 42 : 0;
}

static void walks_hand_out_every_line(void **state)
{
	char *path = folder_path(state, "log");
	struct ks_buf text = {0};
	struct walk walk = {.stop_at = SIZE_MAX};
	struct ks_follow *f;
	size_t i, k;

	for (i = 0; i < 9000; i++) {
		for (k = 0; k < i * 7 % 331; k++) {
			ks_buf_addc(&text, (char)(k % 10 == 9 ? 0 : 'a' + i % 26));
		}
		ks_buf_addc(&text, '\n');
	}
	folder_put(path, ks_buf_str(&text));
	f = following(path, NULL);
	assert_int_equal(ks_follow_refresh(f, KS_FOLLOW_ALL, NULL, NULL), 0);
	assert_int_equal(ks_follow_each(f, 0, SIZE_MAX, take, &walk, NULL), 0);
	assert_int_equal(walk.next, 9000);
	assert_int_equal(walk.text.len, text.len);
	assert_memory_equal(walk.text.ptr, text.ptr, text.len);
	ks_buf_clear(&walk.text);
	walk = (struct walk){.next = 100, .stop_at = 5000, .text = walk.text};
	assert_int_equal(ks_follow_each(f, 100, 9000, take, &walk, NULL), 42);
	assert_int_equal(walk.next, 5001);
	assert_int_equal(ks_follow_each(f, 9000, 9001, take, &walk, NULL), 0);
	ks_buf_fini(&walk.text);
	ks_buf_fini(&text);
	ks_follow_free(f);
	free(path);
}

static void lines_that_no_writer_made(void **state)
{
	char *path = folder_path(state, "log");
	struct walk walk = {.stop_at = SIZE_MAX};
	struct ks_buf text = {0}, line = {0};
	struct ks_follow *f;
	size_t i;

	ks_buf_adds(&text, "short\n");
	for (i = 0; i < 400000; i++) {
		ks_buf_addc(&text, 'x');
	}
	ks_buf_adds(&text, "\nafter\n");
	folder_put(path, ks_buf_str(&text));
	f = following(path, NULL);
	assert_int_equal(ks_follow_refresh(f, KS_FOLLOW_ALL, NULL, NULL), 0);
	assert_int_equal(ks_follow_count(f), 3);
	assert_int_equal(ks_follow_read(f, 1, &line, NULL), KS_ELIMIT);
	assert_int_equal(ks_follow_read(f, 2, &line, NULL), 0);
	assert_string_equal(line.ptr, "after");
	assert_int_equal(ks_follow_each(f, 0, 3, take, &walk, NULL), 0);
	assert_int_equal(walk.long_lines, 1);
	assert_int_equal(walk.text.len, 6 + KS_EVENT_LINE_MAX + 1 + 6);
	ks_buf_fini(&walk.text);
	ks_buf_fini(&text);
	ks_buf_fini(&line);
	ks_follow_free(f);
	free(path);
}

static void an_absent_log(void **state)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_follow *f = NULL;

	assert_int_equal(ks_follow_open(&f, "/nowhere/log", NULL, &err), KS_ENOTFOUND);
	assert_null(f);
	assert_non_null(strstr(err.msg, "/nowhere/log"));
}

static void follows_the_writer(void **state)
{
	char *path = folder_path(state, "log");
	struct ks_log *log = log_at(path, NULL);
	struct ks_follow *f = following(path, NULL);
	struct ks_buf line = {0};
	int64_t i;

	for (i = 1; i <= 300; i++) {
		log_tick(log, i);
		assert_int_equal(ks_follow_refresh(f, ks_log_length(log), NULL, NULL), 0);
		assert_int_equal(ks_follow_count(f), ks_log_last_seq(log));
	}
	assert_int_equal(ks_follow_read(f, 256, &line, NULL), 0);
	assert_non_null(strstr(line.ptr, "log.hash"));
	ks_buf_fini(&line);
	ks_follow_free(f);
	ks_log_close(log);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(takes_in_what_grows),
		IN_FOLDER(reads_no_further_than_the_limit),
		IN_FOLDER(a_shorter_log_is_read_again),
		IN_FOLDER(a_cache_saves_the_scan_and_a_wrong_one_harms_nothing),
		IN_FOLDER(walks_hand_out_every_line),
		IN_FOLDER(lines_that_no_writer_made),
		IN_FOLDER(an_absent_log),
		IN_FOLDER(follows_the_writer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
