/* The live view: follow, hold, filter, search; only visible rows are read. */
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

static int set_up(void **state)
{
	int i;

	(void)state;
	fixture_campaign(&f);
	fixture_size(&f, 80, 24);
	for (i = 0; i < 300; i++) {
		fixture_add(&f, 1, "tool.started", "agent", "\"call\":\"x%d\",\"name\":\"shell\","
			"\"tool\":\"shell\",\"title\":\"step %d\",\"text\":\"step %d\"", i, i, i);
		fixture_add(&f, 1, "tool.ended", "agent", "\"call\":\"x%d\",\"ok\":true,"
			"\"ms\":900,\"text\":\"\"", i);
	}
	return 0;
}

static void newest_is_followed(void **state)
{
	(void)state;
	assert_true(fixture_shows(&f, "step 299 "));
	fixture_say(&f, "and now this");
	assert_true(fixture_shows(&f, "and now this"));
}

/* The rows of the live view: from below its title to the prompt's rule. */
static char *live_rows(void)
{
	char *screen = fixture_screen(&f);
	char *from = strchr(strstr(screen, "Live"), '\n') + 1;
	char *rows = strndup(from, (size_t)(strstr(from, "\n> ") - from));

	free(screen);
	return rows;
}

static void held_view_does_not_move(void **state)
{
	char *before, *after;
	int i;

	(void)state;
	fixture_press(&f, "pgup pgup");
	before = live_rows();
	assert_true(fixture_shows(&f, "held"));
	for (i = 0; i < 500; i++) {
		fixture_say(&f, "more words");
	}
	after = live_rows();
	assert_true(fixture_shows(&f, "500 new"));
	assert_string_equal(after, before);
	free(before);
	free(after);
}

static void end_follows_again(void **state)
{
	(void)state;
	fixture_press(&f, "g");
	assert_true(fixture_shows(&f, "campaign attention-cpu"));
	fixture_say(&f, "far below");
	assert_false(fixture_shows(&f, "far below"));
	fixture_press(&f, "G");
	assert_true(fixture_shows(&f, "far below"));
	assert_true(f.ui.live.follow);
	fixture_press(&f, "k");
	assert_false(f.ui.live.follow);
	fixture_press(&f, "j j");
	assert_true(f.ui.live.follow);
}

static void only_visible_rows_are_read(void **state)
{
	size_t before = f.asked;

	(void)state;
	free(fixture_screen(&f));
	assert_true(f.asked - before <= 24 * 6);
	before = f.asked;
	fixture_press(&f, "pgup");
	free(fixture_screen(&f));
	assert_true(f.asked - before <= 24 * 12);
}

static void filter_shows_one_kind(void **state)
{
	(void)state;
	fixture_press(&f, "f");
	assert_false(fixture_shows(&f, "step 299"));
	assert_true(fixture_shows(&f, "The remaining gap"));
	fixture_press(&f, "f f");
	assert_true(fixture_shows(&f, "c2 8/8 correct"));
	assert_false(fixture_shows(&f, "The remaining gap"));
	fixture_press(&f, "esc");
	assert_true(fixture_shows(&f, "step 299"));
	/* Held: the cursor moves to a row that is shown. */
	fixture_press(&f, "pgup f");
	assert_true(ks_live_wants(f.ui.live.filter, f.state.rows[f.ui.live.cursor].kind));
}

static void a_message_that_waited_has_one_row(void **state)
{
	size_t before = f.state.n_rows;

	(void)state;
	fixture_add(&f, 1, "message.queued", "human", "\"id\":901,\"text\":\"mind the tail\"");
	fixture_add(&f, 1, "message.queued", "human", "\"id\":902,\"text\":\"and the head\"");
	assert_true(fixture_shows(&f, "mind the tail"));
	assert_true(fixture_shows(&f, "waits"));
	fixture_add(&f, 1, "message.revised", "human", "\"id\":901,\"text\":\"mind it well\"");
	assert_true(fixture_shows(&f, "mind it well"));
	assert_false(fixture_shows(&f, "mind the tail"));
	fixture_add(&f, 1, "message.revised", "human", "\"id\":902");
	assert_true(fixture_shows(&f, "taken back"));
	fixture_add(&f, 9, "message.sent", "human", "\"id\":901,\"text\":\"mind it well\","
		"\"via\":\"console\"");
	assert_int_equal(f.state.n_rows, before + 2);
	assert_false(fixture_shows(&f, "waits"));
	assert_true(fixture_shows(&f, "mind it well"));
	assert_true(fixture_shows(&f, "sent 14:"));
	/* It can be opened, and its act be set. */
	fixture_press(&f, "k t");
	assert_int_equal(f.out.n, 1);
	assert_int_equal(f.out.cmds[0].kind, KS_UI_ACT);
	assert_int_equal(f.out.cmds[0].message, 901);
	fixture_press(&f, "enter");
	assert_true(fixture_shows(&f, "--- sent at 14:"));
}

static void search_finds_up_and_down(void **state)
{
	(void)state;
	fixture_press(&f, "/ 'step_77 enter");
	assert_true(fixture_shows(&f, "step 277"));
	fixture_press(&f, "n");
	assert_true(fixture_shows(&f, "step 177"));
	fixture_press(&f, "N");
	assert_true(fixture_shows(&f, "step 277"));
	fixture_press(&f, "/ 'nowhere_at_all enter");
	assert_true(fixture_shows(&f, "no row matches"));
	/* The place is kept. */
	assert_true(fixture_shows(&f, "step 277"));
}

static void search_survives_a_resize(void **state)
{
	struct ks_key key = {.kind = KS_KEY_ENTER};

	(void)state;
	fixture_press(&f, "/ 'campaign");
	ks_ui_key(&f.ui, &f.state, &f.data, &key, &f.out);
	assert_true(ks_ui_busy(&f.ui));
	ks_ui_tick(&f.ui, &f.state, &f.data);
	fixture_size(&f, 10, 2);
	free(fixture_screen(&f));
	while (ks_ui_busy(&f.ui)) {
		ks_ui_tick(&f.ui, &f.state, &f.data);
	}
	fixture_size(&f, 80, 24);
	free(fixture_screen(&f));
}

static void item_shows_the_whole_output(void **state)
{
	(void)state;
	fixture_add(&f, 1, "tool.started", "agent", "\"call\":\"z\",\"name\":\"shell\","
		"\"tool\":\"shell\",\"title\":\"make\",\"text\":\"make all\"");
	fixture_add(&f, 1, "tool.ended", "agent", "\"call\":\"z\",\"ok\":false,\"ms\":10,"
		"\"text\":\"short\",\"blob\":\"abcd\",\"bytes\":100000");
	f.blob = strdup("first line\n10%\r20%\r100%\n\033]52;c;AAAA\007last line");
	fixture_press(&f, "enter");
	assert_int_equal(ks_ui_screen(&f.ui), KS_SCREEN_ITEM);
	assert_true(fixture_shows(&f, "make all"));
	assert_true(fixture_shows(&f, "failed after 10ms"));
	assert_true(fixture_shows(&f, "first line"));
	assert_true(fixture_shows(&f, "100%"));
	assert_false(fixture_shows(&f, "20%"));
	assert_true(fixture_shows(&f, "last line"));
	fixture_press(&f, "/ 'last enter y");
	assert_int_equal(f.out.cmds[0].kind, KS_UI_COPY);
	fixture_press(&f, "esc");
	assert_int_equal(ks_ui_screen(&f.ui), KS_SCREEN_MAIN);
}

static void wider_screen_wraps_anew(void **state)
{
	(void)state;
	fixture_press(&f, "G");
	fixture_say(&f, "one two three four five six seven eight nine ten eleven twelve "
		"thirteen fourteen fifteen sixteen seventeen");
	fixture_size(&f, 60, 30);
	assert_false(fixture_shows(&f, "one two three four five six seven eight nine"));
	fixture_size(&f, 99, 30);
	assert_true(fixture_shows(&f, "one two three four five six seven eight nine"));
}

static void plain_lines(void **state)
{
	struct ks_buf out = {0};
	const struct ks_event *event;

	(void)state;
	fixture_say(&f, "evil \\u001b[2J \\u202e text");
	event = f.data.event(&f, f.state.seq);
	assert_true(ks_view_line(&f.state, event, true, &out));
	assert_null(strchr(out.ptr, '\033'));
	assert_null(strstr(out.ptr, "\xe2\x80\xae"));
	assert_int_equal(out.ptr[out.len - 1], '\n');
	ks_buf_fini(&out);
}

#define CASE(fn) cmocka_unit_test_prestate_setup_teardown(fn, set_up, \
	fixture_tear_down, &f)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(newest_is_followed),
		CASE(held_view_does_not_move),
		CASE(end_follows_again),
		CASE(only_visible_rows_are_read),
		CASE(filter_shows_one_kind),
		CASE(a_message_that_waited_has_one_row),
		CASE(search_finds_up_and_down),
		CASE(search_survives_a_resize),
		CASE(item_shows_the_whole_output),
		CASE(wider_screen_wraps_anew),
		CASE(plain_lines),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
