/*
 * Judge and worker with target cuda, on a library that plays a GPU in ordinary
 * memory (fake_cuda.c): everything but CUDA itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness.h"

static struct setup setup;
static const char *library;

static void judge(struct outcome *out, struct request *r)
{
	r->cuda = library;
	run_request(out, &setup, r);
	print_message("%s%s\n", out->notes, out->error);
	for (size_t i = 0; i < out->count; i++) {
		print_message("  %s %d %g %s\n", out->scenarios[i].name, out->scenarios[i].correct,
			out->scenarios[i].speedup, out->scenarios[i].why);
	}
}

static void all_say(const struct outcome *out, const char *words)
{
	assert_int_equal(out->exit_status, 0);
	assert_true(out->done && out->count > 0);
	for (size_t i = 0; i < out->count; i++) {
		assert_false(out->scenarios[i].correct);
		if (strstr(out->scenarios[i].why, words) == NULL) {
			fail_msg("\"%s\" does not say \"%s\"", out->scenarios[i].why, words);
		}
	}
}

static void test_honest(void **state)
{
	struct outcome out;
	(void)state;
	judge(&out, &(struct request){.source = "gpu.c", .without = "\"imports\"",
		.extra = ",\"trace\":true,\"calls\":true,\"devices\":[\"GPU-fake\"]"});
	assert_int_equal(out.exit_status, 0);
	assert_true(out.done && out.geomean > 1.5);
	for (size_t i = 0; i < out.count; i++) {
		const struct scenario_line *s = &out.scenarios[i];
		assert_true(s->correct);
		assert_true(s->pairs > 0);
		assert_string_equal(s->device, "GPU-fake");
		assert_int_equal(s->launches, 3);
		assert_string_equal(s->kernels, "a_kernel(int)\n");
		/* the fake says so for calls whose caches are cold */
		assert_true(s->event_us > 12.3 && s->event_us < 12.4);
	}
	assert_true(out.twice[0] > 0 && out.twice[1] > 0); /* neither side is called more */
	assert_null(strstr(out.notes, "cannot be watched"));
	assert_int_equal(count_processes(&setup), 0);
}

static void test_guards(void **state)
{
	static const struct {
		const char *source, *says;
	} rows[] = {
		{"wrong.c", "wrong"}, {"unwritten.c", "wrong"}, {"input.c", "changed input"},
		{"beside.c", "wrote behind the end"}, {"crash.c", "crashed"},
		{"cache.c", "wrong"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct outcome out;
		print_message("%s\n", rows[i].source);
		judge(&out, &(struct request){.source = rows[i].source, .no_perf = true});
		all_say(&out, rows[i].says);
	}
}

/* A context that is gone costs its scenario; the others go on in a new process. */
static void test_broken_context(void **state)
{
	struct outcome out;
	size_t bad = 0;
	(void)state;
	judge(&out, &(struct request){.source = "gpu.c", .without = "\"imports\"",
		.define = "-DBREAK=5000", .no_perf = true});
	assert_int_equal(out.exit_status, 0);
	for (size_t i = 0; i < out.count; i++) {
		if (!out.scenarios[i].correct) {
			assert_non_null(strstr(out.scenarios[i].why, "crashed on the GPU"));
			assert_non_null(strstr(out.scenarios[i].why, "illegal memory access"));
			bad++;
		}
	}
	assert_true(bad > 0 && bad < out.count);
}

static void test_no_such_device(void **state)
{
	struct outcome out;
	(void)state;
	judge(&out, &(struct request){.source = "honest.c",
		.extra = ",\"devices\":[\"GPU-other\"]"});
	assert_int_equal(out.exit_status, 3);
	assert_non_null(strstr(out.error, "no such GPU"));
	run_request(&out, &setup, &(struct request){.source = "honest.c",
		.cuda = "/nowhere/lib.so"});
	assert_int_equal(out.exit_status, 3);
	assert_non_null(strstr(out.error, "cannot load /nowhere/lib.so"));
}

static void count_devices(const struct outcome *out, int *first, int *second)
{
	*first = *second = 0;
	assert_int_equal(out->exit_status, 0);
	assert_int_equal(out->count, 2);
	for (size_t i = 0; i < out->count; i++) {
		assert_true(out->scenarios[i].correct);
		*first += strcmp(out->scenarios[i].device, "GPU-fake") == 0;
		*second += strcmp(out->scenarios[i].device, "GPU-fake1") == 0;
	}
}

static void two_devices(struct outcome *out, const char *what, int want)
{
	int first, second;
	judge(out, &(struct request){.source = "honest.c"});
	count_devices(out, &first, &second);
	if (second != want || first != 2 - want) {
		fail_msg("%s: %d and %d scenarios", what, first, second);
	}
}

/* Both devices work, each has a scenario; one that fails, or has no memory left,
 * leaves its own to the other, and a note says why. */
static void test_several_devices(void **state)
{
	struct outcome out;
	(void)state;
	setenv("KSEEK_FAKE_DEVICES", "2", 1);
	two_devices(&out, "both work", 1);
	for (size_t i = 0; i < out.count; i++) {
		assert_true(out.scenarios[i].pairs > 0);
	}
	setenv("KSEEK_FAKE_SECOND_LASTS", "9", 1);
	two_devices(&out, "one breaks", 0);
	assert_non_null(strstr(out.notes, "left out"));
	assert_non_null(strstr(out.notes, "fell off the bus"));
	unsetenv("KSEEK_FAKE_SECOND_LASTS");
	setenv("KSEEK_FAKE_SECOND_FULL", "1", 1);
	two_devices(&out, "one is full", 0);
	assert_non_null(strstr(out.notes, "left out: GPU GPU-fake1: no memory"));
	unsetenv("KSEEK_FAKE_SECOND_FULL");
	unsetenv("KSEEK_FAKE_DEVICES");
	assert_int_equal(count_processes(&setup), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_honest),
		cmocka_unit_test(test_guards),
		cmocka_unit_test(test_broken_context),
		cmocka_unit_test(test_no_such_device),
		cmocka_unit_test(test_several_devices),
	};
	char folder[160];
	if (argc != 4) {
		return 2;
	}
	setup_init(&setup, argv[1], argv[2]);
	library = argv[3];
	snprintf(folder, sizeof(folder), "%s/scratch", setup.dir);
	setenv("KSEEK_FAKE_DIR", folder, 1);
	int failed = cmocka_run_group_tests_name("device", tests, NULL, NULL);
	setup_fini(&setup);
	return failed;
}
