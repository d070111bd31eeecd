/*
 * What the agent asks, in the console: shown at once, answered only with the
 * focus and after half a second, and never by a key that was meant for a draft.
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

static void ask(const char *id, const char *tool, const char *text)
{
	fixture_add(&f, 0.1, "permission.asked", "agent", "\"ask\":\"%s\",\"call\":\"t9\","
		"\"tool\":\"%s\",\"title\":\"\",\"text\":\"%s\",\"options\":[{\"id\":\"o\","
		"\"name\":\"Once\",\"kind\":\"allow_once\"}]", id, tool, text);
}

static const struct ks_ui_cmd *only(enum ks_ui_cmd_kind kind)
{
	assert_int_equal(f.out.n, 1);
	assert_int_equal(f.out.cmds[0].kind, kind);
	return &f.out.cmds[0];
}

static void expect_on_screen(const char *text)
{
	char *screen = fixture_screen(&f);

	if (strstr(screen, text) == NULL) {
		fail_msg("not on the screen: %s\n%s", text, screen);
	}
	free(screen);
}

static void it_is_shown_and_waits_for_its_key(void **state)
{
	static const int sizes[][2] = {{120, 40}, {80, 24}, {200, 50}};

	ask("7-1", "shell", "rm -rf /tmp/x");
	for (size_t i = 0; i < 3; i++) {
		fixture_size(&f, sizes[i][0], sizes[i][1]);
		expect_on_screen("the agent asks for leave: shell");
		expect_on_screen("rm -rf /tmp/x");
		expect_on_screen("answer with p");
	}
	fixture_wait(&f, 1);
	fixture_press(&f, "y n Y N");
	for (size_t i = 0; i < f.out.n; i++) {
		assert_int_not_equal(f.out.cmds[i].kind, KS_UI_REPLY);
	}
	fixture_forget(&f);
	fixture_press(&f, "p y");
	assert_string_equal(only(KS_UI_REPLY)->text, "{\"ask\":\"7-1\",\"kind\":\"allow_once\"}");
}

/* The end of a long command may be what matters. */
static void a_long_command_is_whole(void **state)
{
	struct ks_buf text = {0};

	for (int i = 0; i < 22; i++) {
		ks_buf_adds(&text, "echo harmless && ");
	}
	ks_buf_adds(&text, "rm -rf /");
	ask("7-1", "shell", text.ptr);
	ks_buf_fini(&text);
	expect_on_screen("rm -rf /");
	fixture_size(&f, 100, 30);
	fixture_press(&f, "p");
	expect_on_screen("rm -rf /");
}

static void not_before_it_was_seen(void **state)
{
	fixture_wait(&f, 1);
	ask("7-1", "shell", "curl x");
	fixture_press(&f, "p y");
	assert_int_equal(f.out.n, 0);
	fixture_wait(&f, 0.6);
	fixture_press(&f, "n");
	assert_string_equal(only(KS_UI_REPLY)->text, "{\"ask\":\"7-1\",\"kind\":\"reject_once\"}");
}

/* The one that was read is answered elsewhere while the key is on its way. */
static void another_in_its_place_is_not_answered(void **state)
{
	ask("7-1", "shell", "ls /etc");
	ask("7-2", "shell", "rm -rf /");
	fixture_wait(&f, 1);
	fixture_press(&f, "p");
	fixture_add(&f, 0.1, "permission.answered", "human", "\"ask\":\"7-1\","
		"\"answer\":\"allow_once\",\"why\":\"human\"");
	fixture_press(&f, "y");
	assert_int_equal(f.out.n, 0);
	expect_on_screen("rm -rf /");
}

static void a_draft_keeps_its_letters(void **state)
{
	fixture_press(&f, "i 'ye");
	ask("7-1", "shell", "rm -rf /tmp/x");
	fixture_wait(&f, 1);
	fixture_press(&f, "'s_ny");
	assert_int_equal(f.out.n, 0);
	fixture_press(&f, "enter");
	assert_string_equal(only(KS_UI_SAY)->text, "yes ny");
}

static void with_words(void **state)
{
	ask("7-1", "shell", "git push");
	fixture_wait(&f, 1);
	fixture_press(&f, "p w 'commit_only enter");
	assert_string_equal(only(KS_UI_REPLY)->text,
		"{\"ask\":\"7-1\",\"kind\":\"reject_once\",\"text\":\"commit only\"}");
}

static void several_can_be_looked_through(void **state)
{
	ask("7-1", "shell", "one");
	ask("7-2", "fetch", "https://two.example");
	fixture_wait(&f, 1);
	fixture_press(&f, "p down");
	expect_on_screen("https://two.example");
	expect_on_screen("2 of 2");
	fixture_wait(&f, 1);
	fixture_press(&f, "Y");
	assert_string_equal(only(KS_UI_REPLY)->text, "{\"ask\":\"7-2\",\"kind\":\"allow_always\"}");
	fixture_press(&f, "esc");
	assert_false(f.ui.on_asks);
}

static void read_only_consoles_answer_nothing(void **state)
{
	f.ui.read_only = true;
	ask("7-1", "shell", "one");
	fixture_wait(&f, 1);
	fixture_press(&f, "p y n Y N");
	assert_int_equal(f.out.n, 0);
	fixture_press(&f, "w 'yes enter");
	assert_int_equal(f.out.n, 0);
	assert_int_equal(f.ui.typing, KS_TYPING_REJECT);
}

static void a_form_is_filled_field_by_field(void **state)
{
	fixture_add(&f, 0.1, "agent.asked", "agent", "\"ask\":\"f1\",\"text\":\"How to go on?\","
		"\"fields\":[{\"id\":\"layout\",\"title\":\"Layout\",\"type\":\"choice\","
		"\"required\":true,\"options\":[{\"id\":\"r\",\"name\":\"rows\"},{\"id\":\"c\","
		"\"name\":\"columns\"}]},"
		"{\"id\":\"keep\",\"title\":\"Keep the seed\",\"type\":\"bool\"},"
		"{\"id\":\"why\",\"title\":\"Why\",\"type\":\"text\"}]");
	fixture_wait(&f, 1);
	expect_on_screen("the agent asks you: How to go on?");
	fixture_press(&f, "p enter");
	expect_on_screen("1 of 3: Layout");
	expect_on_screen("2 columns");
	fixture_press(&f, "'7 enter");
	assert_int_equal(f.out.n, 0);
	fixture_press(&f, "ctrl-u '2 enter 'y enter");
	assert_int_equal(f.out.n, 0);
	fixture_press(&f, "'it_is_\"new\" enter");
	assert_string_equal(only(KS_UI_REPLY)->text, "{\"ask\":\"f1\",\"values\":{\"layout\":\"c\","
		"\"keep\":true,\"why\":\"it is \\\"new\\\"\"}}");
	assert_int_equal(f.ui.typing, KS_TYPING_NONE);
}

/* All of a question is read while it is answered. */
static void a_long_question_is_shown_whole(void **state)
{
	(void)state;
	fixture_size(&f, 80, 24);
	fixture_add(&f, 0.1, "agent.asked", "agent", "\"ask\":\"f1\",\"text\":\"Which of the two "
		"layouts may I change, and by how much memory a head at most?\","
		"\"fields\":[{\"id\":\"l\",\"title\":\"Layout\",\"type\":\"choice\","
		"\"options\":[{\"id\":\"r\",\"name\":\"rows\"}]}]");
	fixture_wait(&f, 1);
	fixture_press(&f, "p enter");
	expect_on_screen("\n Which of the two layouts may I change, and by how much memory a head "
		"at most?\n Layout  1 rows");
	fixture_size(&f, 40, 10);
	expect_on_screen("the agent asks you ─");
}

/* However long it is, what is answered stands below it. */
static void an_endless_question_leaves_room_for_the_field(void **state)
{
	char text[600];

	(void)state;
	memset(text, 'w', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (size_t i = 5; i < sizeof(text) - 1; i += 6) {
		text[i] = ' ';
	}
	fixture_size(&f, 80, 24);
	fixture_add(&f, 0.1, "agent.asked", "agent", "\"ask\":\"f1\",\"text\":\"%s\","
		"\"fields\":[{\"id\":\"l\",\"title\":\"Layout\",\"type\":\"choice\","
		"\"options\":[{\"id\":\"r\",\"name\":\"rows\"}]}]", text);
	fixture_wait(&f, 1);
	fixture_press(&f, "p enter");
	expect_on_screen(" ...\n Layout  1 rows");
}

static void a_form_is_declined(void **state)
{
	fixture_add(&f, 0.1, "agent.asked", "agent", "\"ask\":\"f1\",\"text\":\"?\",\"fields\":[]");
	fixture_wait(&f, 1);
	fixture_press(&f, "p n");
	assert_string_equal(only(KS_UI_REPLY)->text, "{\"ask\":\"f1\"}");
}

static void hostile_text_stays_in_its_cells(void **state)
{
	ask("7-1", "shell", "\\u001b[2Jrm \\u202e/x\\u0007 \\u001b]52;c;AAAA\\u0007");
	fixture_wait(&f, 1);
	fixture_press(&f, "p");
	for (int w = 40; w < 130; w += 13) {
		char *screen;

		fixture_size(&f, w, 12 + w / 5);
		screen = fixture_screen(&f);
		assert_null(strchr(screen, 0x1b));
		assert_null(strchr(screen, 0x07));
		free(screen);
	}
}

static void what_a_rule_allows_leaves_no_row(void **state)
{
	size_t rows = f.state.n_rows;

	ask("7-1", "shell", "ls");
	fixture_add(&f, 0, "permission.answered", "engine", "\"ask\":\"7-1\","
		"\"answer\":\"allow_once\",\"why\":\"policy\"");
	assert_int_equal(f.state.n_rows, rows);
	ask("7-2", "shell", "curl x");
	fixture_add(&f, 0, "permission.answered", "engine", "\"ask\":\"7-2\","
		"\"answer\":\"reject_once\",\"why\":\"policy\"");
	assert_int_equal(f.state.n_rows, rows + 1);
	expect_on_screen("rejected by rule");
}

static void the_queue_is_shown_and_edited(void **state)
{
	fixture_add(&f, 0.1, "message.queued", "human", "\"id\":901,\"text\":\"First thing.\"");
	fixture_add(&f, 0.1, "message.queued", "human", "\"id\":902,\"text\":\"Second thing.\"");
	fixture_press(&f, "u");
	expect_on_screen("First thing.");
	fixture_press(&f, "down z");
	assert_string_equal(only(KS_UI_REVISE)->text, "{\"id\":902}");
	fixture_forget(&f);
	fixture_press(&f, "up enter '_Now. enter");
	assert_string_equal(only(KS_UI_REVISE)->text,
		"{\"id\":901,\"text\":\"First thing. Now.\"}");
	/* One that was sent meanwhile is a message of its own. */
	fixture_forget(&f);
	fixture_press(&f, "u enter 'x");
	fixture_add(&f, 0.1, "message.sent", "human", "\"id\":902,\"text\":\"Second thing.\"");
	fixture_press(&f, "enter");
	only(KS_UI_SAY);
}

static void the_header_tells_usage_and_asks(void **state)
{
	fixture_size(&f, 200, 50);
	fixture_add(&f, 0.1, "agent.usage", "agent", "\"scope\":\"session\",\"input\":10,"
		"\"cost\":1.5,\"currency\":\"USD\",\"used\":50000,\"size\":200000");
	expect_on_screen("1.50 USD");
	expect_on_screen("context 25%");
	ask("7-1", "shell", "x");
	expect_on_screen("asks 1");
}

#define TEST(fn) cmocka_unit_test_prestate_setup_teardown(fn, fixture_set_up, \
	fixture_tear_down, &f)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(it_is_shown_and_waits_for_its_key),
		TEST(a_long_command_is_whole),
		TEST(not_before_it_was_seen),
		TEST(another_in_its_place_is_not_answered),
		TEST(a_draft_keeps_its_letters),
		TEST(with_words),
		TEST(several_can_be_looked_through),
		TEST(read_only_consoles_answer_nothing),
		TEST(a_form_is_filled_field_by_field),
		TEST(a_long_question_is_shown_whole),
		TEST(an_endless_question_leaves_room_for_the_field),
		TEST(a_form_is_declined),
		TEST(hostile_text_stays_in_its_cells),
		TEST(what_a_rule_allows_leaves_no_row),
		TEST(the_queue_is_shown_and_edited),
		TEST(the_header_tells_usage_and_asks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
