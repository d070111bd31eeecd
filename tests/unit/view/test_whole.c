/*
 * What a person decides by is read whole, and lists say why they are as they are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture.h"
#include "view/view.h"

static struct fixture f;

/* Whoever chooses a question reads all of what it answers, also where the title
 * has no room for it. */
static void the_focus_shows_all_evidence(void **state)
{
	static const char claim[] = "\\\"What remains is the arithmetic throughput of this core: "
		"we have reached the hardware limit, no further speedup is possible.\\\"; "
		"compute pipes measured just now";
	(void)state;
	fixture_size(&f, 80, 24);
	fixture_moment(&f, 1, "limit", claim);
	fixture_wait(&f, 1);
	assert_false(fixture_shows(&f, "\n  \"What remains is the arithmetic"));
	fixture_press(&f, "a");
	assert_true(fixture_shows(&f, "\n  \"What remains is the arithmetic throughput of this "
		"core: we have reached the\n  hardware limit, no further speedup is possible.\"; "
		"compute pipes measured just\n  now\n▸ 1 H-02"));
	assert_true(fixture_shows(&f, "3 M-04"));
	/* A short one stays in the title. */
	fixture_moment(&f, 2, "limit", "short");
	fixture_wait(&f, 1);
	fixture_press(&f, "a");
	assert_true(fixture_shows(&f, "⚠ limit  short ─"));
	fixture_size(&f, 40, 10);
	assert_true(fixture_shows(&f, "▸ 1 H-02"));
}

/* What kseek has to say of a figure is read where it stands. */
static void a_notice_is_shown_whole(void **state)
{
	(void)state;
	fixture_size(&f, 80, 24);
	fixture_add(&f, 1, "notice", "engine", "\"text\":\"while candidate 10 was measured, cc1 "
		"(pid 32756) of the agent took 98 %% of a core; its figures may be off: end it "
		"and evaluate again\",\"level\":\"warn\"");
	assert_true(fixture_shows(&f, "cc1 (pid 32756) of the"));
	assert_true(fixture_shows(&f, "evaluate again\n"));
}

/* The sign of a line stays where it is: without colour it is all that tells the
 * lines that came from those that went. */
static void a_scrolled_difference_keeps_its_signs(void **state)
{
	(void)state;
	fixture_size(&f, 80, 24);
	f.diff = "diff --git a/k.c b/k.c\n@@ -1,2 +1,2 @@ static void scores(float *s)\n"
		"-        for (i = 0; i < n; i++) {\n+        for (i = 0; i < n; i += 8) {\n";
	fixture_press(&f, "d right");
	assert_true(fixture_shows(&f, "│  -for (i = 0; i < n; i++) {"));
	assert_true(fixture_shows(&f, "│  +for (i = 0; i < n; i += 8) {"));
	assert_true(fixture_shows(&f, "│  @@ -1,2 +1,2 @@ static"));
}

/* What a moment was answered with, and what came of it, in the list and in full. */
static void a_moment_says_what_came_of_it(void **state)
{
	(void)state;
	fixture_size(&f, 120, 40);
	fixture_moment(&f, 1, "limit", "it said so");
	fixture_press(&f, "m enter");
	assert_true(fixture_shows(&f, "it said so"));
	assert_true(fixture_shows(&f, "│ limit, open"));
	fixture_add(&f, 1, "moment.answered", "human", "\"moment\":1,\"message\":9");
	fixture_add(&f, 0, "message.sent", "human", "\"id\":9,\"moment\":1,\"text\":\"Where is the "
		"gap?\",\"via\":\"console\",\"act\":\"question\",\"interrogative\":true,"
		"\"question\":\"H-02\"");
	assert_true(fixture_shows(&f, "answered: H-02  Where is the gap?"));
	assert_true(fixture_shows(&f, "best 1.38x then, 1.38x after 0 calls"));
	fixture_press(&f, "esc");
	assert_true(fixture_shows(&f, "H-02  1.38x then 1.38x after 0 calls  Where is the gap?"));
}

/* What narrows the bank is told before how many are left. */
static void the_bank_says_what_narrows_it(void **state)
{
	static const char bank[] = "{\"format\":1,\"kind\":\"core\",\"group\":\"H\",\"title\":"
		"\"Host launch path\",\"about\":\"Fixed costs.\",\"entries\":[{\"id\":\"H-01\","
		"\"question\":\"How long is an empty call on {arch}, against its floor?\","
		"\"targets\":[\"cpu\"],\"points\":[\"plateau\"],\"cues\":[],\"evidence\":{"
		"\"quantity\":\"us\",\"tools\":[\"hand_count\"],\"must_report\":[\"value\"],"
		"\"stale_when\":[]},\"bound\":\"empty_launch_floor\",\"arch_params\":[\"arch\"],"
		"\"cost\":\"low\",\"needs\":[],\"resources\":[],\"provenance\":[],"
		"\"status\":\"linted\"}]}";
	struct ks_err err = KS_ERR_INIT;

	(void)state;
	if (ks_bank_load(f.bank, KS_STR(bank), "test", &err) != 0) {
		fail_msg("%s", err.msg);
	}
	fixture_size(&f, 80, 24);
	/* The machine is named as in an offer. */
	fixture_press(&f, "b");
	assert_true(fixture_shows(&f, "an empty call on x86-64, against"));
	fixture_press(&f, "esc");
	fixture_moment(&f, 1, "limit", "it said so");
	fixture_press(&f, "b f / 'cache enter");
	assert_true(fixture_shows(&f, "all groups for the moment limit, only cache, 0 of 1"));
	assert_true(fixture_shows(&f, "no question matches; esc takes the words back"));
	fixture_press(&f, "esc");
	assert_true(fixture_shows(&f, "no question matches; f shows those of all moments"));
}

#define T(fn) cmocka_unit_test_prestate_setup_teardown(fn, fixture_set_up, \
	fixture_tear_down, &f)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(the_focus_shows_all_evidence),
		T(a_notice_is_shown_whole),
		T(a_scrolled_difference_keeps_its_signs),
		T(a_moment_says_what_came_of_it),
		T(the_bank_says_what_narrows_it),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
