/*
 * Golden logs: each logs/NAME.jsonl is folded and its dump compared with
 * logs/NAME.txt. With KSEEK_REGEN=1 the texts are written anew, to be read as a
 * diff. Logs stay as they are: a log that was once written must always fold.
 * Each is also folded twice, and in two parts with everything of the first part
 * freed in between, and must give the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/file.h"
#include "core/event.h"
#include "core/state.h"
#include "core/stats.h"

static char **names;
static size_t count;

static void read_file(struct ks_buf *out, const char *path)
{
	struct ks_err err = KS_ERR_INIT;

	if (ks_file_read(out, path, 64 << 20, &err) < 0) {
		fail_msg("%s", err.msg);
	}
}

static char *path_of(const char *log, const char *ending)
{
	struct ks_buf path = {0};

	ks_buf_addf(&path, "%s/%.*s%s", KSEEK_TEST_LOGS, (int)(strlen(log) - 6), log,
		ending);
	return ks_buf_take(&path);
}

/* Folds lines first..last of a text; a line that is no event is passed over. */
static void fold(struct ks_state *state, struct ks_stats *stats, struct ks_str text,
	size_t first, size_t last)
{
	struct ks_str line;
	size_t n = 0;

	while (ks_str_next(&text, '\n', &line)) {
		struct ks_event event;
		char *copy;

		if (n++ < first || n > last || line.len == 0) {
			continue;
		}
		/* A copy that dies with its event: the state may not point into it. */
		copy = malloc(line.len);
		memcpy(copy, line.ptr, line.len);
		if (ks_event_parse(&event, (struct ks_str){copy, line.len}, NULL) == 0) {
			ks_evolve(state, &event);
			ks_stats_add(stats, state, &event);
			ks_event_fini(&event);
		}
		memset(copy, 'x', line.len);
		free(copy);
	}
}

static void dump(const struct ks_state *state, const struct ks_stats *stats,
	struct ks_buf *out)
{
	ks_state_dump(state, out);
	ks_stats_text(stats, state, out);
}

static void folded(struct ks_buf *out, struct ks_str text, size_t split)
{
	struct ks_state state;
	struct ks_stats stats;

	ks_state_init(&state);
	ks_stats_init(&stats);
	fold(&state, &stats, text, 0, split);
	fold(&state, &stats, text, split, SIZE_MAX);
	dump(&state, &stats, out);
	ks_stats_fini(&stats);
	ks_state_fini(&state);
}

static void compare(const char *log)
{
	char *in = path_of(log, ".jsonl");
	char *expected_path = path_of(log, ".txt");
	struct ks_buf text = {0}, once = {0}, twice = {0}, parts = {0}, expected = {0};
	const char *regen = getenv("KSEEK_REGEN");

	read_file(&text, in);
	folded(&once, ks_buf_str(&text), SIZE_MAX);
	folded(&twice, ks_buf_str(&text), 0);
	folded(&parts, ks_buf_str(&text), 20);
	assert_string_equal(once.ptr, twice.ptr);
	assert_string_equal(once.ptr, parts.ptr);
	if (regen != NULL && strcmp(regen, "1") == 0) {
		assert_int_equal(ks_file_write(expected_path, ks_buf_str(&once), 0644, NULL), 0);
	}
	read_file(&expected, expected_path);
	if (strcmp(once.ptr, expected.ptr) != 0) {
		fail_msg("%s: differs from %s; this is what it gives now:\n%s", log,
			expected_path, once.ptr);
	}
	ks_buf_fini(&text);
	ks_buf_fini(&once);
	ks_buf_fini(&twice);
	ks_buf_fini(&parts);
	ks_buf_fini(&expected);
	free(in);
	free(expected_path);
}

static void test_golden_logs(void **state)
{
	int logs = 0;

	for (size_t i = 0; i < count; i++) {
		size_t len = strlen(names[i]);

		if (len > 6 && strcmp(names[i] + len - 6, ".jsonl") == 0) {
			compare(names[i]);
			logs++;
		}
	}
	assert_true(logs >= 4);
}

static int list_logs(void **state)
{
	return ks_file_list(&names, &count, KSEEK_TEST_LOGS, NULL);
}

static int free_logs(void **state)
{
	ks_names_free(names, count);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden_logs),
	};

	return cmocka_run_group_tests(tests, list_logs, free_logs);
}
