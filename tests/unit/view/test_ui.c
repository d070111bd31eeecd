/*
 * Keys to commands. Above all: a banner never takes a key that was not meant
 * for it, a draft is never lost, and nothing leaves the console by accident.
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

static void expect_draft(const char *want)
{
	struct ks_buf got = {0};

	ks_edit_text(&f.ui.draft, &got);
	assert_string_equal(got.ptr != NULL ? got.ptr : "", want);
	ks_buf_fini(&got);
}

static const struct ks_ui_cmd *only(enum ks_ui_cmd_kind kind)
{
	assert_int_equal(f.out.n, 1);
	assert_int_equal(f.out.cmds[0].kind, kind);
	return &f.out.cmds[0];
}

static void message_is_sent(void **state)
{
	(void)state;
	fixture_press(&f, "i 'hello_agent enter");
	assert_string_equal(only(KS_UI_SAY)->text, "hello agent");
	assert_int_equal(f.out.cmds[0].moment, 0);
	assert_int_equal(f.ui.typing, KS_TYPING_NONE);
	expect_draft("");
	/* Nothing typed: nothing sent. */
	fixture_forget(&f);
	fixture_press(&f, "i enter space enter");
	assert_int_equal(f.out.n, 0);
}

static void esc_keeps_the_draft(void **state)
{
	(void)state;
	fixture_press(&f, "i 'half_a_thought esc");
	expect_draft("half a thought");
	fixture_press(&f, "s q b esc c down esc");
	expect_draft("half a thought");
	fixture_press(&f, "i 's enter");
	assert_string_equal(only(KS_UI_SAY)->text, "half a thoughts");
}

static void an_agent_that_ended_is_started_when_asked_for(void **state)
{
	char *screen;

	(void)state;
	fixture_add(&f, 1, "turn.ended", "agent", "\"turn\":1,\"how\":\"ended\",\"calls\":4");
	fixture_add(&f, 1, "agent.exited", "engine", "\"status\":0");
	fixture_size(&f, 80, 24);
	screen = fixture_screen(&f);
	assert_non_null(strstr(screen, "agent ended"));
	assert_non_null(strstr(screen,
		"the agent has ended:  d diff  x export  A start again  q leave"));
	assert_non_null(strstr(screen, "i write  d diff  b bank"));
	free(screen);
	fixture_press(&f, "A");
	assert_int_equal(f.out.n, 0);
	screen = fixture_screen(&f);
	assert_non_null(strstr(screen, "Start the agent again? It may change the kernel."));
	free(screen);
	fixture_press(&f, "n");
	assert_int_equal(f.ui.ask, KS_ASK_NONE);
	assert_int_equal(f.out.n, 0);
	fixture_press(&f, "A y");
	only(KS_UI_START);
	/* Without an engine nothing starts, and it says what does. */
	fixture_forget(&f);
	f.ui.lost = true;
	fixture_press(&f, "A");
	assert_int_equal(f.out.n, 0);
	assert_non_null(strstr(f.ui.flash, "kseek steer"));
}

static void without_an_engine_nobody_works(void **state)
{
	char *screen;

	(void)state;
	screen = fixture_screen(&f);
	assert_non_null(strstr(screen, "working"));
	free(screen);
	f.ui.lost = true;
	screen = fixture_screen(&f);
	assert_null(strstr(screen, "working"));
	assert_non_null(strstr(screen, "no agent"));
	free(screen);
}

static void the_champion_is_compared_with_the_seed(void **state)
{
	static const double speeds[] = {0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9};

	(void)state;
	fixture_eval(&f, 3, speeds, 8);
	fixture_press(&f, "d");
	assert_int_equal(f.ui.diff_a, 0);
	assert_int_equal(f.ui.diff_b, 2);
	/* In the list the one under the cursor, with what it came from. */
	fixture_press(&f, "esc c d");
	assert_int_equal(f.ui.diff_a, 2);
	assert_int_equal(f.ui.diff_b, 3);
}

static void a_replaced_draft_is_told_and_comes_back(void **state)
{
	(void)state;
	fixture_moment(&f, 7, "limit", "hardware limit");
	fixture_wait(&f, 1);
	fixture_press(&f, "a 1 'X esc");
	assert_string_equal(f.ui.flash, "");
	fixture_press(&f, "a 2");
	assert_string_equal(f.ui.flash, "the draft is replaced; ctrl-_ brings it back");
	fixture_press(&f, "ctrl-_");
	expect_draft("Is the gap to the roofline in kernel cycles or only in wall time?X");
}

static void banner_takes_no_key_while_typing(void **state)
{
	(void)state;
	fixture_press(&f, "i 'abc");
	fixture_moment(&f, 7, "limit", "hardware limit");
	fixture_press(&f, "'1 space 'a 'z");
	expect_draft("abc1 az");
	assert_false(f.ui.on_moment);
	fixture_press(&f, "enter");
	assert_string_equal(only(KS_UI_SAY)->text, "abc1 az");
	assert_int_equal(f.out.cmds[0].moment, 0);
	assert_string_equal(f.out.cmds[0].question, "");
}

static void banner_takes_no_key_without_the_focus(void **state)
{
	(void)state;
	fixture_moment(&f, 7, "limit", "hardware limit");
	fixture_wait(&f, 10);
	fixture_press(&f, "1 2 3 enter esc space z");
	assert_int_equal(f.out.n, 0);
	assert_false(f.ui.on_moment);
	expect_draft("");
}

static void banner_answers_nothing_in_its_first_half_second(void **state)
{
	(void)state;
	fixture_moment(&f, 7, "limit", "hardware limit");
	fixture_wait(&f, 0.3);
	fixture_press(&f, "a 1");
	assert_int_equal(f.ui.typing, KS_TYPING_NONE);
	fixture_press(&f, "z enter");
	assert_int_equal(f.out.n, 0);
	expect_draft("");
	fixture_wait(&f, 0.3);
	fixture_press(&f, "1");
	assert_int_equal(f.ui.typing, KS_TYPING_SAY);
	expect_draft("Is the gap to the roofline in kernel cycles or only in wall time?");
}

static void offer_is_chosen_edited_and_sent(void **state)
{
	(void)state;
	fixture_moment(&f, 7, "limit", "hardware limit");
	fixture_wait(&f, 1);
	fixture_press(&f, "a down enter");
	fixture_press(&f, "'! enter");
	assert_string_equal(only(KS_UI_SAY)->text, "For the limit just claimed, which "
		"resource is measured at its bound, and by which command?!");
	assert_int_equal(f.out.cmds[0].moment, 7);
	assert_string_equal(f.out.cmds[0].question, "V-13");
	/* The next message answers nothing. */
	fixture_forget(&f);
	fixture_press(&f, "i 'more enter");
	assert_int_equal(only(KS_UI_SAY)->moment, 0);
	assert_string_equal(f.out.cmds[0].question, "");
}

static void draft_comes_back_after_an_answer(void **state)
{
	(void)state;
	fixture_press(&f, "i 'my_draft esc");
	fixture_moment(&f, 7, "limit", "hardware limit");
	fixture_wait(&f, 1);
	fixture_press(&f, "a 3 enter");
	assert_string_equal(only(KS_UI_SAY)->question, "M-04");
	expect_draft("my draft");
	/* Also when the question is thrown away. */
	fixture_moment(&f, 8, "limit", "again");
	fixture_wait(&f, 1);
	fixture_press(&f, "a 1 ctrl-c esc");
	expect_draft("my draft");
	assert_int_equal(f.ui.answers, 0);
}

static void own_words_answer_the_moment(void **state)
{
	(void)state;
	fixture_moment(&f, 9, "plateau", "no gain");
	fixture_wait(&f, 1);
	fixture_press(&f, "a i 'why? enter");
	assert_int_equal(only(KS_UI_SAY)->moment, 9);
	assert_string_equal(f.out.cmds[0].text, "why?");
	assert_string_equal(f.out.cmds[0].question, "");
}

static void moment_is_dismissed(void **state)
{
	(void)state;
	fixture_moment(&f, 9, "plateau", "no gain");
	fixture_wait(&f, 1);
	fixture_press(&f, "a z");
	assert_int_equal(only(KS_UI_DISMISS)->moment, 9);
	assert_false(f.ui.on_moment);
}

/* A draft outlives the moment that it was to answer, but is no answer any more. */
static void a_draft_to_a_dismissed_moment_is_free(void **state)
{
	(void)state;
	fixture_moment(&f, 9, "plateau", "no gain");
	fixture_wait(&f, 1);
	fixture_press(&f, "a 1 'at_night esc");
	assert_true(fixture_shows(&f, "to plateau, H-02"));
	fixture_add(&f, 1, "moment.dismissed", "human", "\"moment\":9");
	assert_false(fixture_shows(&f, "to plateau"));
	assert_true(fixture_shows(&f, "H-02"));
	fixture_press(&f, "i enter");
	assert_int_equal(only(KS_UI_SAY)->moment, 0);
	assert_string_equal(f.out.cmds[0].question, "H-02");
}

/* What a sent message was, corrected on its line and in its full text. */
static void act_of_a_message_is_corrected(void **state)
{
	(void)state;
	fixture_say(&f, "I am thinking");
	fixture_press(&f, "t");
	assert_int_equal(f.out.n, 0); /* no message is selected */
	fixture_add(&f, 1, "message.sent", "human", "\"id\":41,\"text\":\"go on\","
		"\"act\":\"directive\"");
	fixture_press(&f, "t");
	assert_int_equal(only(KS_UI_ACT)->message, 41);
	assert_string_equal(f.out.cmds[0].text, "approval");
	fixture_forget(&f);
	fixture_press(&f, "enter : 'act_goal enter");
	assert_int_equal(only(KS_UI_ACT)->message, 41);
	assert_string_equal(f.out.cmds[0].text, "goal");
	fixture_forget(&f);
	fixture_press(&f, ": 'act_joke enter");
	assert_int_equal(f.out.n, 0);
}

static void focus_belongs_to_one_moment(void **state)
{
	(void)state;
	fixture_moment(&f, 9, "plateau", "no gain");
	fixture_wait(&f, 1);
	fixture_press(&f, "a");
	assert_true(f.ui.on_moment);
	/* Another comes in its place: the keys are not for that one. */
	fixture_moment(&f, 10, "limit", "other");
	assert_false(f.ui.on_moment);
	fixture_press(&f, "1 enter z");
	assert_int_equal(f.out.n, 0);
	expect_draft("");
}

static void esc_and_q_never_leave_a_running_engine(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 20; i++) {
		fixture_press(&f, "esc");
	}
	assert_int_equal(f.out.n, 0);
	fixture_press(&f, "q");
	assert_int_equal(f.ui.ask, KS_ASK_QUIT);
	fixture_press(&f, "x i 1 enter");
	assert_int_equal(f.ui.ask, KS_ASK_QUIT);
	fixture_press(&f, "esc");
	assert_int_equal(f.ui.ask, KS_ASK_NONE);
	assert_int_equal(f.out.n, 0);
	fixture_press(&f, "q d");
	only(KS_UI_DETACH);
	fixture_forget(&f);
	fixture_press(&f, "q s");
	assert_true(only(KS_UI_STOP)->leave);
}

static void q_leaves_at_once_without_an_engine(void **state)
{
	(void)state;
	fixture_add(&f, 1, "engine.stopped", "engine", "\"why\":\"asked\"");
	fixture_press(&f, "c q");
	assert_int_equal(f.out.n, 0);
	fixture_press(&f, "q");
	only(KS_UI_DETACH);
}

static void interrupt_asks(void **state)
{
	(void)state;
	fixture_press(&f, "ctrl-c n");
	assert_int_equal(f.out.n, 0);
	fixture_press(&f, "ctrl-c y");
	only(KS_UI_INTERRUPT);
}

static void paste_never_is_a_command(void **state)
{
	struct ks_buf text = {0};
	int i;

	(void)state;
	for (i = 0; i < 200; i++) {
		ks_buf_addf(&text, "q d s %d\n", i);
	}
	fixture_paste(&f, text.ptr);
	assert_int_equal(f.out.n, 0);
	assert_int_equal(f.ui.typing, KS_TYPING_SAY);
	assert_int_equal(f.ui.depth, 0);
	expect_draft(text.ptr);
	fixture_press(&f, "enter");
	assert_string_equal(only(KS_UI_SAY)->text, text.ptr);
	ks_buf_fini(&text);
}

static void paste_in_a_question_is_ignored(void **state)
{
	(void)state;
	fixture_press(&f, "q");
	fixture_paste(&f, "d");
	assert_int_equal(f.out.n, 0);
	assert_int_equal(f.ui.ask, KS_ASK_QUIT);
}

static void esc_clears_the_filter_of_the_help_first(void **state)
{
	(void)state;
	fixture_press(&f, "? / 'diff");
	assert_string_equal(f.ui.filter[KS_SCREEN_HELP], "diff");
	assert_true(ks_help_rows(&f.ui) < 12);
	fixture_press(&f, "enter");
	assert_string_equal(f.ui.filter[KS_SCREEN_HELP], "diff");
	fixture_press(&f, "esc");
	assert_string_equal(f.ui.filter[KS_SCREEN_HELP], "");
	assert_int_equal(ks_ui_screen(&f.ui), KS_SCREEN_HELP);
	fixture_press(&f, "/ 'x esc");
	assert_string_equal(f.ui.filter[KS_SCREEN_HELP], "");
	assert_int_equal(ks_ui_screen(&f.ui), KS_SCREEN_HELP);
	fixture_press(&f, "esc");
	assert_int_equal(ks_ui_screen(&f.ui), KS_SCREEN_MAIN);
}

static void read_only_changes_nothing(void **state)
{
	(void)state;
	f.ui.read_only = true;
	fixture_moment(&f, 9, "plateau", "no gain");
	fixture_wait(&f, 1);
	fixture_press(&f, "a z 1 enter esc M r 'note enter esc ctrl-c A");
	assert_int_equal(f.out.n, 0);
	assert_int_equal(f.ui.typing, KS_TYPING_NONE);
	fixture_press(&f, "M");
	assert_non_null(strstr(f.ui.flash, "a recorded campaign"));
	snprintf(f.ui.holder, sizeof(f.ui.holder), "process 7");
	fixture_press(&f, "M");
	assert_non_null(strstr(f.ui.flash, "process 7 has the word; W takes it"));
	fixture_press(&f, ": 'mode_bank enter");
	assert_non_null(strstr(f.ui.flash, "process 7 has the word; W takes it"));
	assert_int_equal(f.out.n, 0);
	fixture_press(&f, "W");
	only(KS_UI_WORD);
}

/* Before the engine has answered, leaving asks nothing. */
static void nobody_has_to_wait_for_an_engine(void **state)
{
	static const char *const keys[] = {"q", "ctrl-c"};

	(void)state;
	f.ui.greeting = true;
	assert_true(fixture_shows(&f, "waiting for the engine"));
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		fixture_press(&f, keys[i]);
		only(KS_UI_DETACH);
		fixture_forget(&f);
	}
	f.ui.greeting = false;
	assert_false(fixture_shows(&f, "waiting for the engine"));
	fixture_press(&f, "q");
	assert_int_equal(f.out.n, 0);
	assert_int_equal(f.ui.ask, KS_ASK_QUIT);
}

/* Words that are typed behind a key which opens a prompt are no commands, whoever
 * has the word. */
static void letters_behind_a_refused_prompt_are_text(void **state)
{
	static const char *const keys[] = {"i", "a i", "a 1", "r"};

	(void)state;
	f.ui.read_only = true;
	snprintf(f.ui.holder, sizeof(f.ui.holder), "process 7");
	fixture_moment(&f, 9, "limit", "it said so");
	fixture_wait(&f, 1);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		fixture_press(&f, keys[i]);
		assert_true(ks_typing_sends(f.ui.typing));
		assert_true(fixture_shows(&f, "read only: process 7 has the word; esc, then W"));
		fixture_press(&f, "'WqMs_A enter");
		assert_int_equal(f.out.n, 0);
		assert_true(fixture_shows(&f, "WqMs A"));
		assert_true(fixture_shows(&f, "read only: process 7 has the word; esc, then W"));
		fixture_press(&f, "ctrl-c esc");
		assert_int_equal(f.ui.typing, KS_TYPING_NONE);
	}
	/* With the word, what was typed is sent. */
	fixture_press(&f, "i 'kept enter esc");
	assert_int_equal(f.out.n, 0);
	f.ui.read_only = false;
	fixture_press(&f, "i enter");
	assert_string_equal(only(KS_UI_SAY)->text, "kept");
}

static void commands_by_name(void **state)
{
	(void)state;
	fixture_press(&f, ": 'mode_bank enter");
	assert_int_equal(only(KS_UI_MODE)->mode, KS_MODE_BANK);
	fixture_forget(&f);
	fixture_press(&f, ": 'export_json enter");
	assert_string_equal(only(KS_UI_EXPORT)->text, "json");
	fixture_forget(&f);
	fixture_press(&f, ": 'theme_light enter : 'note_a_remark enter");
	assert_int_equal(f.out.n, 2);
	assert_string_equal(f.out.cmds[1].text, "a remark");
	fixture_forget(&f);
	fixture_press(&f, ": 'diff_seed_c2 enter");
	assert_int_equal(ks_ui_screen(&f.ui), KS_SCREEN_DIFF);
	assert_int_equal(f.ui.diff_a, 0);
	assert_int_equal(f.ui.diff_b, 2);
	fixture_press(&f, "esc : 'scen tab enter");
	assert_int_equal(ks_ui_screen(&f.ui), KS_SCREEN_SCENARIOS);
	fixture_press(&f, ": 'rm enter");
	assert_true(f.ui.flash_bad);
	fixture_press(&f, ": 'mode_x enter : 'export_pdf enter : 'diff_a_b enter");
	assert_int_equal(f.out.n, 0);
}

static void marked_candidates_are_diffed(void **state)
{
	(void)state;
	fixture_press(&f, "c");
	assert_int_equal(ks_candidates_at(&f.ui, &f.state, 0), 2);
	fixture_press(&f, "G space k k d");
	assert_int_equal(f.ui.diff_a, 0);
	assert_int_equal(f.ui.diff_b, 2);
	fixture_press(&f, "esc");
	assert_int_equal(ks_ui_screen(&f.ui), KS_SCREEN_CANDIDATES);
	fixture_press(&f, "y");
	assert_non_null(strstr(only(KS_UI_COPY)->text, "020d3adbeef"));
}

static void unsent_message_comes_back(void **state)
{
	(void)state;
	fixture_moment(&f, 9, "plateau", "no gain");
	fixture_wait(&f, 1);
	fixture_press(&f, "a 2 enter");
	assert_string_equal(only(KS_UI_SAY)->question, "V-13");
	ks_ui_unsent(&f.ui);
	fixture_press(&f, "i enter");
	assert_int_equal(f.out.n, 2);
	assert_string_equal(f.out.cmds[1].question, "V-13");
	assert_int_equal(f.out.cmds[1].moment, 9);
	/* Something else is being written: that stays. */
	fixture_press(&f, "i 'other");
	ks_ui_unsent(&f.ui);
	expect_draft("other");
}

static void draft_outlives_the_console(void **state)
{
	struct ks_buf kept = {0};

	(void)state;
	fixture_press(&f, "i 'keep_me esc");
	ks_ui_draft(&f.ui, &kept);
	ks_ui_fini(&f.ui);
	ks_ui_init(&f.ui);
	ks_ui_restore(&f.ui, ks_buf_str(&kept));
	expect_draft("keep me");
	ks_buf_fini(&kept);
}

static void panes_are_screens_where_there_is_no_room(void **state)
{
	(void)state;
	fixture_press(&f, "2");
	assert_int_equal(f.ui.focus, KS_FOCUS_BARS);
	assert_int_equal(f.ui.depth, 0);
	fixture_size(&f, 80, 24);
	assert_int_equal(f.ui.focus, KS_FOCUS_LIVE);
	fixture_press(&f, "2");
	assert_int_equal(ks_ui_screen(&f.ui), KS_SCREEN_SCENARIOS);
	fixture_press(&f, "esc 3");
	assert_int_equal(ks_ui_screen(&f.ui), KS_SCREEN_GOAL);
	fixture_press(&f, "esc tab k");
	assert_false(f.ui.live.follow);
}

static void clock_ticks_only_while_something_runs(void **state)
{
	int64_t next = ks_ui_next_change(&f.ui, &f.state, f.data.now);

	(void)state;
	assert_true(next > f.data.now && next <= f.data.now + 1000000);
	fixture_add(&f, 1, "turn.ended", "agent", "\"turn\":1,\"how\":\"ended\",\"calls\":4");
	assert_int_equal(ks_ui_next_change(&f.ui, &f.state, f.data.now), -1);
}

/* Every key in every view, many times: no crash, no message without Enter. */
static void random_keys_are_survived(void **state)
{
	static const char *const keys[] = {
		"up", "down", "pgup", "pgdn", "g", "G", "left", "right", "tab",
		"shift-tab", "esc", "q", "s", "c", "d", "b", "o", "m", "?", "f", "F",
		"S", "space", "n", "N", "y", "1", "2", "3", "a", "z", "enter", "/",
		"'ab", "x", "ctrl-u", "ctrl-d", "M", "i", ":", "backspace", "alt-b",
		"ctrl-l",
	};
	uint32_t seed = 11;
	int i;

	(void)state;
	f.diff = "@@ -1 +1 @@\n-a\n+b\n";
	for (i = 0; i < 3000; i++) {
		seed = seed * 1664525u + 1013904223u;
		fixture_press(&f, keys[(seed >> 16) % (sizeof(keys) / sizeof(keys[0]))]);
		if (i % 50 == 0) {
			fixture_moment(&f, 100 + i, "plateau", "no gain");
			fixture_wait(&f, 1);
		}
		if (i % 20 == 0) {
			fixture_size(&f, 1 + (int)(seed >> 8) % 200, 1 + (int)(seed >> 20) % 60);
			free(fixture_screen(&f));
			fixture_forget(&f);
		}
	}
}

/* What is offered at the end can be done. */
static void an_agent_that_failed_is_said_to_have(void **state)
{
	char *screen;

	(void)state;
	fixture_fini(&f);
	fixture_init(&f);
	fixture_add(&f, 0, "campaign.created", "human", "\"id\":\"t1\",\"name\":\"young\"");
	fixture_add(&f, 1, "engine.started", "engine", "\"pid\":12");
	fixture_add(&f, 1, "agent.started", "agent", "\"label\":\"Mine\"");
	fixture_add(&f, 1, "turn.started", "agent", "\"turn\":1");
	fixture_add(&f, 1, "turn.ended", "agent", "\"turn\":1,\"how\":\"error\",\"calls\":1");
	fixture_add(&f, 1, "agent.exited", "engine", "\"status\":0,\"signal\":9");
	fixture_size(&f, 80, 24);
	screen = fixture_screen(&f);
	assert_non_null(strstr(screen, "the agent failed:  x export  A start again  q leave"));
	free(screen);
}

/* What has no key can be typed, is in the help, and does or says something. */
static void every_command_without_a_key_can_be_typed(void **state)
{
	const struct ks_binding *list;
	size_t count, i, typed = 0;

	(void)state;
	list = ks_bindings(&count);
	for (i = 0; i < count; i++) {
		struct ks_buf keys = {0};

		if (list[i].key != NULL) {
			continue;
		}
		fixture_forget(&f);
		ks_buf_addf(&keys, ": '%s enter", list[i].name);
		fixture_press(&f, keys.ptr);
		assert_true(f.out.n > 0 || f.ui.flash[0] != '\0' || f.ui.ask != KS_ASK_NONE);
		assert_null(strstr(f.ui.flash, "no command"));
		f.ui.ask = KS_ASK_NONE;
		ks_buf_fini(&keys);
		typed++;
	}
	assert_true(typed >= 5);
	fixture_forget(&f);
	fixture_press(&f, ": 'eval enter : 'now_stop_here enter : 'steer_look_there enter");
	assert_int_equal(f.out.n, 3);
	assert_int_equal(f.out.cmds[0].kind, KS_UI_EVAL);
	assert_string_equal(f.out.cmds[1].text, "stop here");
	assert_string_equal(f.out.cmds[2].text, "look there");
	/* Who only reads sends none of them. */
	fixture_forget(&f);
	f.ui.read_only = true;
	fixture_press(&f, ": 'eval enter : 'now_stop_here enter : 'steer_look_there enter");
	assert_int_equal(f.out.n, 0);
	f.ui.read_only = false;
}

#define CASE(fn) cmocka_unit_test_prestate_setup_teardown(fn, fixture_set_up, \
	fixture_tear_down, &f)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(message_is_sent),
		CASE(every_command_without_a_key_can_be_typed),
		CASE(an_agent_that_failed_is_said_to_have),
		CASE(esc_keeps_the_draft),
		CASE(an_agent_that_ended_is_started_when_asked_for),
		CASE(the_champion_is_compared_with_the_seed),
		CASE(a_replaced_draft_is_told_and_comes_back),
		CASE(without_an_engine_nobody_works),
		CASE(banner_takes_no_key_while_typing),
		CASE(banner_takes_no_key_without_the_focus),
		CASE(banner_answers_nothing_in_its_first_half_second),
		CASE(offer_is_chosen_edited_and_sent),
		CASE(draft_comes_back_after_an_answer),
		CASE(own_words_answer_the_moment),
		CASE(moment_is_dismissed),
		CASE(a_draft_to_a_dismissed_moment_is_free),
		CASE(act_of_a_message_is_corrected),
		CASE(focus_belongs_to_one_moment),
		CASE(esc_and_q_never_leave_a_running_engine),
		CASE(q_leaves_at_once_without_an_engine),
		CASE(interrupt_asks),
		CASE(paste_never_is_a_command),
		CASE(paste_in_a_question_is_ignored),
		CASE(esc_clears_the_filter_of_the_help_first),
		CASE(read_only_changes_nothing),
		CASE(letters_behind_a_refused_prompt_are_text),
		CASE(nobody_has_to_wait_for_an_engine),
		CASE(commands_by_name),
		CASE(marked_candidates_are_diffed),
		CASE(unsent_message_comes_back),
		CASE(draft_outlives_the_console),
		CASE(panes_are_screens_where_there_is_no_room),
		CASE(clock_ticks_only_while_something_runs),
		CASE(random_keys_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
