/* The running hash: it fits an untouched log and finds every kind of edit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/mem.h"
#include "folder.h"

#define TICKS 700

static char *make_log(void **state)
{
	char *path = folder_path(state, "log.jsonl");
	struct ks_log *log = log_at(path, NULL);
	int64_t i;

	for (i = 0; i < TICKS; i++) {
		log_tick(log, i);
	}
	ks_log_close(log);
	return path;
}

static struct ks_log_check checked(const char *path)
{
	struct ks_log_check check = {0};
	struct ks_err err = KS_ERR_INIT;

	if (ks_log_verify(&check, path, &err) < 0) {
		fail_msg("%s", err.msg);
	}
	return check;
}

static void an_untouched_log_fits(void **state)
{
	char *path = make_log(state);
	struct ks_log_check check = checked(path);

	assert_int_equal(check.lines, TICKS + 2);
	assert_int_equal(check.hashes, 2);
	assert_int_equal(check.covered_seq, 256 + 1 + 256);
	assert_int_equal(check.altered_seq, 0);
	assert_int_equal(check.broken_line, 0);
	assert_int_equal(check.torn, 0);
	free(path);
}

/* The line says what anybody can recompute with a hash program. */
static void the_line_hashes_all_bytes_before_it(void **state)
{
	char *path = make_log(state), hex[KS_HASH_HEX], *text;
	struct ks_json *doc = NULL;
	const char *at, *start;
	size_t len;

	text = folder_get(path, &len);
	at = strstr(text, "\"kind\":\"log.hash\"");
	assert_non_null(at);
	start = memrchr(text, '\n', (size_t)(at - text));
	assert_non_null(start);
	start++;
	ks_hash_of(text, (size_t)(start - text), hex);
	at = strchr(start, '\n');
	assert_non_null(at);
	assert_int_equal(ks_json_parse(&doc, start, (size_t)(at - start), NULL), 0);
	assert_string_equal(ks_json_get_str(doc, "sha256", ""), hex);
	assert_int_equal(ks_json_get_int(doc, "upto", 0), 256);
	assert_int_equal(ks_json_get_int(doc, "seq", 0), 257);
	assert_int_equal(ks_json_get_int(doc, "bytes", 0), start - text);
	ks_json_free(doc);
	free(text);
	free(path);
}

static void one_changed_byte_is_found(void **state)
{
	char *path = make_log(state), *text;
	size_t len, at;

	text = folder_get(path, &len);
	for (at = 40; at < len / 2; at += 997) {
		struct ks_log_check check;
		char kept = text[at];

		if (kept == '\n') {
			continue;
		}
		text[at] = kept == '7' ? '8' : '7';
		folder_put(path, (struct ks_str){text, len});
		check = checked(path);
		text[at] = kept;
		assert_true(check.altered_seq == 257 || check.altered_seq == 514);
		/* a change inside a hash line itself counts as before it */
		assert_true(check.altered_from <= at);
		assert_true(at < check.altered_to + 200);
	}
	free(text);
	free(path);
}

static void the_range_names_the_edit(void **state)
{
	char *path = make_log(state), *text, *at;
	struct ks_log_check check;
	struct ks_log_found found = {0};
	struct ks_log *log;
	size_t len;

	text = folder_get(path, &len);
	at = strstr(text, "\"n\":400}");
	assert_non_null(at);
	at[4] = '5';
	folder_put(path, (struct ks_str){text, len});
	check = checked(path);
	assert_int_equal(check.covered_seq, 256);
	assert_int_equal(check.altered_seq, 514);
	assert_true(check.altered_from <= (uint64_t)(at - text));
	assert_true((uint64_t)(at - text) < check.altered_to);
	/* opening says the same, and later hashes do not hide it */
	log = log_at(path, &found);
	assert_int_equal(found.altered_seq, 514);
	assert_int_equal(ks_log_seal(log, NULL), 0);
	ks_log_close(log);
	assert_int_equal(checked(path).altered_seq, 514);
	free(text);
	free(path);
}

static void removed_and_added_lines_are_found(void **state)
{
	char *path = make_log(state), *text, *line, *next;
	struct ks_buf edited = {0};
	struct ks_log_check check;
	size_t len;

	text = folder_get(path, &len);
	line = strstr(text, "{\"seq\":100,");
	next = strstr(text, "{\"seq\":101,");
	assert_non_null(line);
	assert_non_null(next);
	ks_buf_add(&edited, text, (size_t)(line - text));
	ks_buf_adds(&edited, next);
	folder_put(path, ks_buf_str(&edited));
	check = checked(path);
	assert_int_equal(check.altered_seq, 257);
	assert_int_equal(check.broken_line, 100);
	ks_buf_clear(&edited);
	ks_buf_add(&edited, text, (size_t)(next - text));
	ks_buf_add(&edited, line, (size_t)(next - line));
	ks_buf_adds(&edited, next);
	folder_put(path, ks_buf_str(&edited));
	check = checked(path);
	assert_int_equal(check.altered_seq, 257);
	assert_int_equal(check.broken_line, 101);
	ks_buf_fini(&edited);
	free(text);
	free(path);
}

static void sealing_covers_the_end(void **state)
{
	char *path = make_log(state), *text, *at;
	struct ks_log *log = log_at(path, NULL);
	int64_t last;
	size_t len;

	assert_int_equal(ks_log_seal(log, NULL), 0);
	last = ks_log_last_seq(log);
	/* nothing new, nothing to seal */
	assert_int_equal(ks_log_seal(log, NULL), 0);
	assert_int_equal(ks_log_last_seq(log), last);
	ks_log_close(log);
	assert_int_equal(checked(path).covered_seq, TICKS + 2);
	text = folder_get(path, &len);
	at = strstr(text, "\"n\":699}");
	assert_non_null(at);
	at[4] = '7';
	folder_put(path, (struct ks_str){text, len});
	assert_int_equal(checked(path).altered_seq, TICKS + 3);
	free(text);
	free(path);
}

static void the_chain_goes_on_after_opening_again(void **state)
{
	char *path = folder_path(state, "log.jsonl");
	struct ks_log_check check;
	int64_t i;

	for (i = 0; i < 600; i++) {
		struct ks_log *log = log_at(path, NULL);

		log_tick(log, i);
		ks_log_close(log);
	}
	check = checked(path);
	assert_int_equal(check.hashes, 2);
	assert_int_equal(check.altered_seq, 0);
	assert_int_equal(check.broken_line, 0);
	free(path);
}

static void checking_a_torn_log(void **state)
{
	char *path = folder_path(state, "log.jsonl");
	struct ks_log_check check = {.lines = -1};

	folder_put(path, KS_STR("{\"seq\":1,\"t\":1,\"kind\":\"a\",\"by\":\"b\"}\n{\"se"));
	assert_int_equal(checked(path).torn, 4);
	assert_int_equal(checked(path).lines, 1);
	folder_put(path, KS_STR(""));
	assert_int_equal(checked(path).lines, 0);
	assert_int_equal(ks_log_verify(&check, "/nowhere", NULL), KS_ENOTFOUND);
	assert_int_equal(check.lines, -1);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(an_untouched_log_fits),
		IN_FOLDER(the_line_hashes_all_bytes_before_it),
		IN_FOLDER(one_changed_byte_is_found),
		IN_FOLDER(the_range_names_the_edit),
		IN_FOLDER(removed_and_added_lines_are_found),
		IN_FOLDER(sealing_covers_the_end),
		IN_FOLDER(the_chain_goes_on_after_opening_again),
		IN_FOLDER(checking_a_torn_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
