/* The line index against a slow, obvious scan; its cache against damage. */
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
#include "store/index.h"

static uint32_t next(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return (uint32_t)(*x >> 32);
}

/* Lines of all lengths: none, short, longer than a read; any byte but LF. */
static void add_random_lines(struct ks_buf *text, uint64_t *x, size_t lines)
{
	size_t i, k;

	for (i = 0; i < lines; i++) {
		size_t n = next(x) % 50 == 0 ? next(x) % 300000 : next(x) % 300;

		for (k = 0; k < n; k++) {
			char c = (char)next(x);

			ks_buf_addc(text, c == '\n' ? ' ' : c);
		}
		ks_buf_addc(text, '\n');
	}
}

static void expect_same_as_scan(const struct ks_index *index, const char *text, size_t len)
{
	uint64_t start = 0;
	size_t count = 0, i;

	for (i = 0; i < len; i++) {
		if (text[i] == '\n') {
			assert_true(count < index->count);
			assert_true(index->starts[count] == start);
			assert_true(ks_index_length(index, count) == i - start);
			start = i + 1;
			count++;
		}
	}
	assert_int_equal(index->count, count);
	assert_true(index->end == start);
}

static int open_log(const char *path)
{
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	return fd;
}

static void equals_a_full_scan(void **state)
{
	char *path = folder_path(state, "log");
	uint64_t x = 4242;
	int round;

	for (round = 0; round < 5; round++) {
		struct ks_index index = {0};
		struct ks_buf text = {0};
		int fd;

		add_random_lines(&text, &x, 200);
		ks_buf_adds(&text, round % 2 ? "torn" : "");
		folder_put(path, ks_buf_str(&text));
		fd = open_log(path);
		assert_int_equal(ks_index_extend(&index, fd, UINT64_MAX, NULL), 0);
		expect_same_as_scan(&index, text.ptr, text.len);
		ks_index_fini(&index);
		ks_buf_fini(&text);
		close(fd);
	}
	free(path);
}

static void growing_step_by_step_equals_a_full_scan(void **state)
{
	char *path = folder_path(state, "log");
	struct ks_index index = {0};
	struct ks_buf text = {0};
	uint64_t x = 77, limit = 0;
	int fd;

	add_random_lines(&text, &x, 60);
	folder_put(path, ks_buf_str(&text));
	fd = open_log(path);
	while (limit < text.len) {
		limit += next(&x) % 5000;
		limit = limit > text.len ? text.len : limit;
		assert_int_equal(ks_index_extend(&index, fd, limit, NULL), 0);
		assert_true(index.end <= limit);
		expect_same_as_scan(&index, text.ptr, (size_t)limit);
	}
	ks_index_shrink(&index, text.len / 2);
	expect_same_as_scan(&index, text.ptr, text.len / 2);
	ks_index_shrink(&index, 0);
	assert_int_equal(index.count, 0);
	assert_int_equal(index.end, 0);
	ks_index_fini(&index);
	ks_index_fini(NULL);
	ks_buf_fini(&text);
	close(fd);
	free(path);
}

static void shrinking_keeps_what_ends_at_the_length(void **state)
{
	char *path = folder_path(state, "log");
	struct ks_index index = {0};
	uint64_t length;
	int fd;

	folder_put(path, KS_STR("a\nbb\n\n"));
	fd = open_log(path);
	for (length = 0; length <= 6; length++) {
		assert_int_equal(ks_index_extend(&index, fd, UINT64_MAX, NULL), 0);
		assert_int_equal(index.count, 3);
		ks_index_shrink(&index, length);
		assert_int_equal(index.count, length < 2 ? 0 : length < 5 ? 1 : length < 6 ? 2 : 3);
		assert_int_equal(index.end, length < 2 ? 0 : length < 5 ? 2 : length);
	}
	ks_index_fini(&index);
	close(fd);
	free(path);
}

static void the_cache_gives_the_same_index(void **state)
{
	char *path = folder_path(state, "log"), *cache = folder_path(state, "index");
	struct ks_index index = {0};
	struct ks_buf text = {0};
	uint64_t x = 9;
	size_t lines = 0;
	int fd;

	add_random_lines(&text, &x, 100);
	folder_put(path, ks_buf_str(&text));
	fd = open_log(path);
	assert_int_equal(ks_index_load(&index, cache, fd, NULL), KS_ENOTFOUND);
	assert_int_equal(ks_index_rebuild(path, cache, &lines, NULL), 0);
	assert_int_equal(lines, 100);
	assert_int_equal(ks_index_load(&index, cache, fd, NULL), 0);
	expect_same_as_scan(&index, text.ptr, text.len);
	close(fd);
	/* a log that only grew keeps its cache */
	add_random_lines(&text, &x, 10);
	folder_put(path, ks_buf_str(&text));
	fd = open_log(path);
	assert_int_equal(ks_index_load(&index, cache, fd, NULL), 0);
	assert_int_equal(index.count, 100);
	assert_int_equal(ks_index_extend(&index, fd, UINT64_MAX, NULL), 0);
	expect_same_as_scan(&index, text.ptr, text.len);
	close(fd);
	ks_index_fini(&index);
	ks_buf_fini(&text);
	free(path);
	free(cache);
}

static void a_cache_of_another_log_is_refused(void **state)
{
	char *path = folder_path(state, "log"), *cache = folder_path(state, "index");
	struct ks_index index = {0};
	struct ks_err err = KS_ERR_INIT;
	int fd;

	folder_put(path, KS_STR("aaa\nbbb\nccc\n"));
	assert_int_equal(ks_index_rebuild(path, cache, NULL, NULL), 0);
	folder_put(path, KS_STR("aaa\nbbbb\ncc\n"));
	fd = open_log(path);
	assert_int_equal(ks_index_load(&index, cache, fd, &err), KS_EINVAL);
	assert_non_null(strstr(err.msg, "reindex"));
	close(fd);
	folder_put(path, KS_STR("aaa\n"));
	fd = open_log(path);
	assert_int_equal(ks_index_load(&index, cache, fd, NULL), KS_EINVAL);
	assert_int_equal(index.count, 0);
	close(fd);
	free(path);
	free(cache);
}

static void any_damage_to_the_cache_is_refused(void **state)
{
	char *path = folder_path(state, "log"), *cache = folder_path(state, "index"), *bytes;
	struct ks_index index = {0};
	size_t len, i;
	int fd;

	folder_put(path, KS_STR("a\nbb\n\ncccc\n"));
	assert_int_equal(ks_index_rebuild(path, cache, NULL, NULL), 0);
	bytes = folder_get(cache, &len);
	fd = open_log(path);
	for (i = 0; i < len; i++) {
		bytes[i] ^= 0x10;
		folder_put(cache, (struct ks_str){bytes, len});
		assert_int_equal(ks_index_load(&index, cache, fd, NULL), KS_EINVAL);
		bytes[i] ^= 0x10;
	}
	for (i = 0; i < len; i++) {
		folder_put(cache, (struct ks_str){bytes, i});
		assert_int_equal(ks_index_load(&index, cache, fd, NULL), KS_EINVAL);
	}
	folder_put(cache, (struct ks_str){bytes, len});
	assert_int_equal(ks_index_load(&index, cache, fd, NULL), 0);
	assert_int_equal(index.count, 4);
	ks_index_fini(&index);
	close(fd);
	free(bytes);
	free(path);
	free(cache);
}

static void an_empty_log_has_an_index(void **state)
{
	char *path = folder_path(state, "log"), *cache = folder_path(state, "index");
	struct ks_index index = {0};
	size_t lines = 9;
	int fd;

	folder_put(path, KS_STR(""));
	assert_int_equal(ks_index_rebuild(path, cache, &lines, NULL), 0);
	assert_int_equal(lines, 0);
	fd = open_log(path);
	assert_int_equal(ks_index_load(&index, cache, fd, NULL), 0);
	assert_int_equal(index.count, 0);
	close(fd);
	assert_int_equal(ks_index_rebuild("/nowhere", cache, NULL, NULL), KS_ENOTFOUND);
	free(path);
	free(cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(equals_a_full_scan),
		IN_FOLDER(growing_step_by_step_equals_a_full_scan),
		IN_FOLDER(shrinking_keeps_what_ends_at_the_length),
		IN_FOLDER(the_cache_gives_the_same_index),
		IN_FOLDER(a_cache_of_another_log_is_refused),
		IN_FOLDER(any_damage_to_the_cache_is_refused),
		IN_FOLDER(an_empty_log_has_an_index),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
