/* The script agent: real edits and commands, turns, branches, stopping. */
#include "record.h"

#include <signal.h>
#include <unistd.h>

#include "loop/proc.h"

#define TOP(steps) "{\"kseek_script\":1,\"name\":\"n\",\"steps\":[" steps "]}"

static void start(struct record *r, const char *script)
{
	record_put(r->tools, "script.json", script, 0644);
	record_start(r, "script", NULL);
}

static void play(struct record *r, const char *script)
{
	start(r, script);
	assert_int_equal(record_prompt(r, 7, "", 0), 0);
	assert_true(record_spin(r, &r->turns_ended, 1, 20000));
}

static void test_a_turn(void **state)
{
	struct record *r = *state;
	char *path = ks_path_join(r->dir, "kernel.c");
	struct ks_buf text = {0};

	record_put(r->dir, "kernel.c", "one\ntwo\n", 0644);
	record_put(r->tools, "c01.c", "one\n2\nthree\n", 0644);
	record_put(r->tools, "kseek", "#!/bin/sh\necho \"ran $*\"; echo $KSEEK; pwd\n", 0755);
	play(r, TOP("{\"do\":\"think\",\"text\":\"hm\"},"
		"{\"do\":\"shell\",\"cmd\":\"echo out; echo err >&2; echo $EXTRA; exit 3\"},"
		"{\"do\":\"edit\",\"file\":\"kernel.c\",\"from\":\"c01.c\"},"
		"{\"do\":\"eval\",\"args\":[\"--no-perf\"]},"
		"{\"do\":\"shell\",\"cmd\":\"kseek goal\"},"
		"{\"do\":\"claim\",\"text\":\"done\"},{\"do\":\"wait\",\"for\":\"human\"}"));
	assert_string_equal(text_at(r, KS_EV_AGENT_STARTED, 0, "label"), "script (not a model)");
	assert_int_equal(int_at(r, KS_EV_TURN_STARTED, 0, "message"), 7);
	assert_string_equal(text_at(r, KS_EV_AGENT_THOUGHT, 0, "text"), "hm");
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 0, "tool"), "shell");
	assert_int_equal(int_at(r, KS_EV_TOOL_ENDED, 0, "status"), 3);
	assert_string_equal(text_at(r, KS_EV_TOOL_ENDED, 0, "text"), "out\nerr\nx\n");
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 0, "call"),
		text_at(r, KS_EV_TOOL_ENDED, 0, "call"));
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 1, "path"), "kernel.c");
	assert_int_equal(int_at(r, KS_EV_TOOL_ENDED, 1, "added"), 2);
	assert_int_equal(int_at(r, KS_EV_TOOL_ENDED, 1, "removed"), 1);
	assert_non_null(strstr(text_at(r, KS_EV_TOOL_ENDED, 1, "diff"), "-two\n+2\n+three\n"));
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 2, "tool"), "eval");
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 2, "text"), "kseek eval --no-perf");
	assert_non_null(strstr(text_at(r, KS_EV_TOOL_ENDED, 2, "text"), "ran eval --no-perf\n"));
	assert_non_null(strstr(text_at(r, KS_EV_TOOL_ENDED, 2, "text"), "/kseek\n"));
	assert_non_null(strstr(text_at(r, KS_EV_TOOL_ENDED, 2, "text"), r->dir));
	assert_non_null(strstr(text_at(r, KS_EV_TOOL_ENDED, 3, "text"), "ran goal\n"));
	assert_true(ks_json_get_bool(record_nth(r, KS_EV_AGENT_SAID, 0), "claim", false));
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 0, "how"), "ended");
	assert_int_equal(int_at(r, KS_EV_TURN_ENDED, 0, "calls"), 4);
	assert_int_equal(ks_file_read(&text, path, 1000, NULL), 0);
	assert_string_equal(text.ptr, "one\n2\nthree\n");
	assert_int_equal(r->gone, 0); /* it waits */
	ks_buf_fini(&text);
	free(path);
}

/* What a command printed is quoted; what it did not print is never made up. */
static void test_figures(void **state)
{
	struct record *r = *state;

	play(r, TOP("{\"do\":\"shell\",\"cmd\":\"echo a; echo prefill: 12.5 us, 3 faults\","
		"\"take\":{\"time\":\"^prefill: ([0-9.]+) us\",\"word\":\"^(a)$\"}},"
		"{\"do\":\"say\",\"text\":\"{time} us, {no place}\"},"
		"{\"do\":\"say\",\"text\":\"{word}\",\"else\":\"no figure\"},"
		"{\"do\":\"shell\",\"cmd\":\"echo nothing\",\"take\":{\"time\":\"[0-9]+\"}},"
		"{\"do\":\"say\",\"text\":\"still {time}\"},{\"do\":\"think\",\"text\":\"end\"}"));
	assert_int_equal(record_count(r, KS_EV_AGENT_SAID), 2);
	assert_string_equal(text_at(r, KS_EV_AGENT_SAID, 0, "text"), "12.5 us, {no place}");
	assert_string_equal(text_at(r, KS_EV_AGENT_SAID, 1, "text"), "no figure");
}

/* What is said after an evaluation is what came of it. */
static void test_outcomes(void **state)
{
	struct record *r = *state;

	record_put(r->tools, "kseek", "#!/bin/sh\nn=$(cat n 2>/dev/null)\necho x >>n\n"
		"case $(echo $n | wc -w) in\n"
		"0) echo 'c1: 2 of 2 correct, geomean 1.50x [1.40, 1.60], worst 1.1x in a';;\n"
		"1) echo 'c2: 2 of 2 correct, geomean 1.55x [1.45, 1.65], worst 1.1x in a';;\n"
		"2) echo 'c3: 2 of 2 correct, geomean 1.30x [1.20, 1.35], worst 1.1x in a';;\n"
		"3) echo 'c4: 1 of 2 correct, geomean 0 (a scenario is incorrect)'; exit 1;;\n"
		"4) echo 'kernel.c: no'; exit 4;;\nesac\n", 0755);
	play(r, TOP("{\"do\":\"say\",\"when\":\"same failed\",\"text\":\"too early\"},"
		"{\"do\":\"label\",\"name\":\"on\"},"
		"{\"do\":\"eval\",\"take\":{\"mean\":\"geomean ([0-9.]+)x\"}},"
		"{\"do\":\"say\",\"when\":\"better\",\"text\":\"helped: {mean}\"},"
		"{\"do\":\"say\",\"when\":\"same\",\"text\":\"as before: {mean}\"},"
		"{\"do\":\"say\",\"when\":\"worse\",\"text\":\"slower: {mean}\"},"
		"{\"do\":\"say\",\"when\":\"wrong\",\"text\":\"wrong {mean}\",\"else\":\"wrong\"},"
		"{\"do\":\"say\",\"when\":\"failed\",\"text\":\"no build\"},"
		"{\"do\":\"goto\",\"when\":\"better same worse wrong\",\"label\":\"on\"},"
		"{\"do\":\"say\",\"text\":\"end\"}"));
	static const char *const said[] = {"helped: 1.50", "as before: 1.55", "slower: 1.30",
		"wrong", "no build", "end"};
	assert_int_equal(record_count(r, KS_EV_AGENT_SAID), 6);
	for (size_t i = 0; i < 6; i++) {
		assert_string_equal(text_at(r, KS_EV_AGENT_SAID, i, "text"), said[i]);
	}
}

static void test_branches(void **state)
{
	struct record *r = *state;

	start(r, TOP("{\"do\":\"wait\",\"for\":\"human\"},{\"do\":\"label\",\"name\":\"again\"},"
		"{\"do\":\"branch\",\"on\":\"layer\",\"of\":\"last-question\","
		"\"cases\":{\"H\":\"host\"},\"else\":\"other\"},"
		"{\"do\":\"label\",\"name\":\"host\"},{\"do\":\"say\",\"text\":\"host\"},"
		"{\"do\":\"goto\",\"label\":\"out\"},"
		"{\"do\":\"label\",\"name\":\"other\"},{\"do\":\"say\",\"text\":\"other\"},"
		"{\"do\":\"label\",\"name\":\"out\"},{\"do\":\"wait\",\"for\":\"human\"},"
		"{\"do\":\"goto\",\"label\":\"again\"}"));
	record_prompt(r, 1, "", 0);
	assert_true(record_spin(r, &r->turns_ended, 1, 20000));
	record_prompt(r, 2, "H-02", 'H');
	assert_true(record_spin(r, &r->turns_ended, 2, 20000));
	record_prompt(r, 3, "", 0); /* no question: the last one counts */
	assert_true(record_spin(r, &r->turns_ended, 3, 20000));
	record_prompt(r, 4, "M-01", 'M');
	assert_true(record_spin(r, &r->turns_ended, 4, 20000));
	assert_string_equal(text_at(r, KS_EV_AGENT_SAID, 0, "text"), "host");
	assert_string_equal(text_at(r, KS_EV_AGENT_SAID, 1, "text"), "host");
	assert_string_equal(text_at(r, KS_EV_AGENT_SAID, 2, "text"), "other");
	assert_int_equal(int_at(r, KS_EV_TURN_STARTED, 3, "turn"), 4);
}

static void test_end_of_script(void **state)
{
	struct record *r = *state;

	play(r, TOP("{\"do\":\"say\",\"text\":\"a\"},{\"do\":\"end\"},{\"do\":\"say\","
		"\"text\":\"b\"}"));
	assert_true(record_spin(r, &r->gone, 1, 20000));
	assert_int_equal(record_count(r, KS_EV_AGENT_SAID), 1);
	assert_int_equal(int_at(r, KS_EV_AGENT_EXITED, 0, "status"), 0);
	assert_int_equal(r->events[r->count - 1].kind, KS_EV_AGENT_EXITED);
}

static void test_loop_without_time(void **state)
{
	struct record *r = *state;

	play(r, TOP("{\"do\":\"label\",\"name\":\"x\"},{\"do\":\"say\",\"text\":\"a\"},"
		"{\"do\":\"goto\",\"label\":\"x\"}"));
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 0, "how"), "error");
	assert_non_null(strstr(text_at(r, KS_EV_TURN_ENDED, 0, "text"), "script.json: $.steps["));
	assert_in_range(record_count(r, KS_EV_AGENT_SAID), 300, 400);
	assert_true(record_spin(r, &r->gone, 1, 20000));
	assert_int_equal(int_at(r, KS_EV_AGENT_EXITED, 0, "status"), 1);
}

static void test_time_limit(void **state)
{
	struct record *r = *state;

	play(r, TOP("{\"do\":\"shell\",\"cmd\":\"echo before; exec sleep 60\",\"limit_s\":1},"
		"{\"do\":\"wait\",\"for\":\"human\"}"));
	assert_string_equal(text_at(r, KS_EV_TOOL_ENDED, 0, "text"),
		"before\n(stopped after 1 s)\n");
	assert_int_equal(int_at(r, KS_EV_TOOL_ENDED, 0, "status"), 128 + SIGTERM);
	assert_false(ks_json_get_bool(record_nth(r, KS_EV_TOOL_ENDED, 0), "ok", true));
}

static void test_cancel(void **state)
{
	struct record *r = *state;
	int64_t start_us = ks_clock_mono_us();

	start(r, TOP("{\"do\":\"shell\",\"cmd\":\"sleep 60\"},{\"do\":\"say\","
		"\"text\":\"went on\"},"
		"{\"do\":\"pause\",\"ms\":60000},{\"do\":\"wait\",\"for\":\"human\"}"));
	ks_agent_cancel(r->agent); /* idle: nothing */
	assert_int_equal(record_prompt(r, 1, "", 0), 0);
	assert_int_equal(record_prompt(r, 2, "", 0), KS_EBUSY);
	assert_true(record_spin(r, &r->count, 3, 20000)); /* the tool has started */
	ks_agent_cancel(r->agent);
	assert_true(record_spin(r, &r->turns_ended, 1, 20000));
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 0, "how"), "cancelled");
	assert_int_equal(record_count(r, KS_EV_TOOL_ENDED), 1);
	/* The next prompt goes on behind what was cancelled; a pause is cut too. */
	assert_int_equal(record_prompt(r, 3, "", 0), 0);
	assert_true(record_spin(r, &r->count, 7, 20000));
	assert_string_equal(text_at(r, KS_EV_AGENT_SAID, 0, "text"), "went on");
	ks_loop_turn(r->loop, 10);
	ks_agent_cancel(r->agent);
	assert_true(record_spin(r, &r->turns_ended, 2, 20000));
	assert_true(ks_clock_mono_us() - start_us < 20000000);
}

static void test_stop(void **state)
{
	struct record *r = *state;
	struct ks_proc proc;
	pid_t pid;

	start(r, TOP("{\"do\":\"shell\",\"cmd\":\"sleep 61 & echo $! >pid; wait\"}"));
	assert_int_equal(record_prompt(r, 1, "", 0), 0);
	for (int i = 0; i < 2000; i++) {
		char *path = ks_path_join(r->dir, "pid");
		struct ks_buf text = {0};

		ks_loop_turn(r->loop, 10);
		pid = ks_file_read(&text, path, 100, NULL) == 0 && text.len > 1
			? (pid_t)strtol(text.ptr, NULL, 10) : 0;
		ks_buf_fini(&text);
		free(path);
		if (pid > 0) {
			break;
		}
	}
	assert_true(pid > 0);
	assert_true(ks_agent_owns(r->agent, pid));
	assert_false(ks_agent_owns(r->agent, getpid()));
	ks_agent_stop(r->agent);
	ks_agent_stop(r->agent);
	assert_true(record_spin(r, &r->gone, 1, 20000));
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 0, "how"), "cancelled");
	assert_int_equal(r->events[r->count - 1].kind, KS_EV_AGENT_EXITED);
	assert_true(ks_proc_get(&proc, pid, NULL) < 0 || proc.state == 'Z');
}

/* Calling back from inside a report. */
static void test_stop_inside_reports(void **state)
{
	static const enum ks_ev kinds[] = {KS_EV_TURN_STARTED, KS_EV_AGENT_SAID,
		KS_EV_TOOL_STARTED, KS_EV_TOOL_ENDED, KS_EV_TURN_ENDED};
	struct record *r = *state;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		int gone = (int)i + 1, before = r->count;

		r->stop_at = KS_EV_UNKNOWN;
		record_put(r->tools, "script.json", TOP("{\"do\":\"say\",\"text\":\"a\"},"
			"{\"do\":\"shell\",\"cmd\":\"true\"},{\"do\":\"wait\",\"for\":\"human\"}"),
			0644);
		record_start(r, "script", NULL);
		assert_true(record_spin(r, &r->count, before + 1, 20000));
		r->stop_at = kinds[i];
		assert_int_equal(record_prompt(r, 1, "", 0), 0);
		assert_true(record_spin(r, &r->gone, gone, 20000));
		assert_int_equal(r->turns_ended, gone);
	}
}

static void test_stop_when_idle(void **state)
{
	struct record *r = *state;

	start(r, TOP("{\"do\":\"end\"}"));
	ks_agent_stop(r->agent);
	assert_int_equal(record_prompt(r, 1, "", 0), KS_ENOTFOUND);
	assert_true(record_spin(r, &r->gone, 1, 20000));
	assert_int_equal(record_count(r, KS_EV_TURN_STARTED), 0);
	assert_null(r->agent);
	ks_agent_stop(NULL);
	ks_agent_cancel(NULL);
	assert_false(ks_agent_owns(NULL, 1));
}

static void test_free_while_running(void **state)
{
	struct record *r = *state;

	start(r, TOP("{\"do\":\"shell\",\"cmd\":\"sleep 62\"}"));
	record_prompt(r, 1, "", 0);
	assert_true(record_spin(r, &r->count, 3, 20000));
	ks_agent_free(r->agent);
	r->agent = NULL;
	ks_loop_turn(r->loop, 50);
	assert_int_equal(r->count, 3);
}

static void test_edit_that_fails(void **state)
{
	struct record *r = *state;

	record_put(r->tools, "c01.c", "x\n", 0644);
	record_put(r->dir, "lib", "a file, no folder\n", 0644);
	play(r, TOP("{\"do\":\"edit\",\"file\":\"lib/k.c\",\"from\":\"c01.c\"},"
		"{\"do\":\"edit\",\"file\":\"new/k.c\",\"from\":\"c01.c\"},"
		"{\"do\":\"wait\",\"for\":\"human\"}"));
	assert_false(ks_json_get_bool(record_nth(r, KS_EV_TOOL_ENDED, 0), "ok", true));
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 1, "tool"), "write");
	assert_int_equal(int_at(r, KS_EV_TOOL_ENDED, 1, "added"), 1);
}

#define T(name) cmocka_unit_test_setup_teardown(name, record_setup, record_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_a_turn), T(test_figures), T(test_outcomes), T(test_branches),
		T(test_end_of_script),
		T(test_loop_without_time), T(test_time_limit), T(test_cancel), T(test_stop),
		T(test_stop_inside_reports), T(test_stop_when_idle), T(test_free_while_running),
		T(test_edit_that_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
