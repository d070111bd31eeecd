/* What the panels and lines say: whose figures they are, and nothing twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture.h"
#include "view/view.h"

static struct fixture f;

static void start_eval(int number)
{
	fixture_add(&f, 1, "candidate.committed", "engine", "\"candidate\":%d,\"commit\":"
		"\"%02d0d3adbeef0000000000000000000000000000\",\"hash\":\"%02d\",\"parent\":%d,"
		"\"eval\":%d,\"files\":1,\"lines\":90", number, number, number, number - 1, number);
	fixture_add(&f, 0.1, "eval.started", "evaluator", "\"eval\":%d,\"candidate\":%d,"
		"\"hash\":\"%02d\",\"confirm\":false,\"perf\":true,\"total\":8", number, number,
		number);
}

static void add_result(int eval, int i, const char *name, double lo, double speedup,
	double hi)
{
	fixture_add(&f, 1, "eval.scenario", "evaluator", "\"eval\":%d,\"i\":%d,\"name\":\"%s\","
		"\"correct\":true,\"measured\":true,\"seed_us\":800,\"cand_us\":100,"
		"\"speedup\":%.3f,\"lo\":%.3f,\"hi\":%.3f,\"verdict\":\"faster\"", eval, i, name,
		speedup, lo, hi);
}

static void figures_have_their_candidates_name(void **state)
{
	(void)state;
	assert_true(fixture_shows(&f, "Scenarios 8, c2: speedup"));
	assert_true(fixture_shows(&f, "Goal 2/3 "));
	assert_false(fixture_shows(&f, "Goal 2/3 of"));
	start_eval(3);
	f.ui.progress_eval = 3;
	snprintf(f.ui.progress_phase, sizeof(f.ui.progress_phase), "time");
	f.ui.progress_i = 5;
	f.ui.progress_n = 32;
	assert_true(fixture_shows(&f, "Scenarios: c2's bars; c3 is timed, 5/32"));
	assert_false(fixture_shows(&f, "Goal 2/3 of"));
	fixture_press(&f, "s");
	assert_true(fixture_shows(&f, "Scenarios of c2 (champion)"));
	assert_true(fixture_shows(&f, "c3 is timed, 5/32; these are c2's figures"));
	fixture_press(&f, "esc");
	add_result(3, 0, "edge/odd-tail", 3.9, 4, 4.1);
	assert_true(fixture_shows(&f, "Scenarios: c3 is timed, 5/32; dim: c2"));
	assert_true(fixture_shows(&f, "4.00x"));
	assert_true(fixture_shows(&f, "Goal 2/3 of c2"));
	fixture_press(&f, "s");
	assert_true(fixture_shows(&f, "Scenarios of c2 (champion)"));
	assert_false(fixture_shows(&f, "4.00x"));
}

/* c3 is slower than c2, the best; the step of c4 is over c2 all the same. */
static void a_step_is_over_the_best_before(void **state)
{
	static const double slow[] = {1, 1, 1, 1, 1, 1, 1, 1};
	static const double fast[] = {2.75, 2.75, 2.75, 2.75, 2.75, 2.75, 2.75, 2.75};

	(void)state;
	fixture_eval(&f, 3, slow, 8);
	fixture_eval(&f, 4, fast, 8);
	fixture_size(&f, 200, 50);
	assert_true(fixture_shows(&f, "geomean 1.00x (x0.73)"));
	assert_true(fixture_shows(&f, "geomean 2.75x (x2.00)"));
}

/* While a better one waits to be confirmed, the best is another one's. */
static void clauses_of_another_than_the_best_say_so(void **state)
{
	static const double fast[] = {2.75, 2.75, 2.75, 2.75, 2.75, 2.75, 2.75, 2.75};

	(void)state;
	assert_false(fixture_shows(&f, " of c2"));
	fixture_eval(&f, 3, fast, 8);
	fixture_add(&f, 0, "goal.computed", "engine", "\"candidate\":3,\"met\":false,\"n_met\":3,"
		"\"n\":3,\"clauses\":[{\"text\":\"every scenario correct\",\"outcome\":\"yes\"},"
		"{\"text\":\"every speedup >= 1.00\",\"outcome\":\"yes\"},"
		"{\"text\":\"geomean >= 1.30\",\"outcome\":\"yes\"}]");
	assert_true(fixture_shows(&f, "best 1.38x"));
	assert_true(fixture_shows(&f, "goal 3/3 of c3"));
	assert_true(fixture_shows(&f, "Goal 3/3 of c3"));
	fixture_size(&f, 80, 24);
	assert_true(fixture_shows(&f, "goal 3/3 of c3"));
}

static void evidence_is_one_row(void **state)
{
	int i;

	(void)state;
	start_eval(3);
	for (i = 0; i < 20; i++) {
		fixture_add(&f, 0, "eval.evidence", "evaluator", "\"eval\":3,\"candidate\":3,"
			"\"trigger\":\"%s\",\"scenario\":\"sc-%d\",\"figures\":\"9.%dx\"",
			i == 7 ? "floor" : "big_step", i, i);
	}
	fixture_say(&f, "all of it is real");
	assert_true(fixture_shows(&f, "sc-0"));
	assert_true(fixture_shows(&f, "and 19 more, floor"));
	assert_false(fixture_shows(&f, "sc-1"));
	fixture_press(&f, "k");
	assert_int_equal(f.state.rows[f.ui.live.cursor].kind, KS_EV_EVAL_EVIDENCE);
	fixture_press(&f, "k");
	assert_int_equal(f.state.rows[f.ui.live.cursor].kind, KS_EV_EVAL_STARTED);
	fixture_press(&f, "j enter");
	assert_true(fixture_shows(&f, "sc-0"));
	assert_non_null(strstr(f.ui.item.ptr, "sc-19"));
	fixture_press(&f, "esc f f");
	assert_int_equal(f.ui.live.filter, KS_LIVE_CALLS);
	assert_false(fixture_shows(&f, "big step"));
	fixture_press(&f, "f");
	assert_true(fixture_shows(&f, "and 19 more"));
}

static void a_banner_takes_the_rows_that_nobody_needs(void **state)
{
	int i;

	(void)state;
	fixture_fini(&f);
	fixture_init(&f);
	fixture_add(&f, 0, "campaign.created", "human", "\"id\":\"t1\",\"name\":\"young\"");
	fixture_size(&f, 80, 24);
	fixture_moment(&f, 1, "limit", "hardware limit");
	/* In full, with the reason below. */
	assert_true(fixture_shows(&f, "cycles or only in wall time?"));
	assert_true(fixture_shows(&f, "by which command?"));
	assert_true(fixture_shows(&f, "not measured for 143 calls"));
	assert_true(fixture_shows(&f, "campaign young"));
	for (i = 0; i < 9; i++) {
		fixture_add(&f, 1, "file.changed", "engine", "\"path\":\"file-%d\"", i);
	}
	/* One line each, then one of them, and the list always has its rows. */
	assert_true(fixture_shows(&f, "3 M-04"));
	assert_false(fixture_shows(&f, "by which command?"));
	for (; i < 18; i++) {
		fixture_add(&f, 1, "file.changed", "engine", "\"path\":\"file-%d\"", i);
	}
	assert_true(fixture_shows(&f, "1 H-02"));
	assert_false(fixture_shows(&f, "3 M-04"));
}

static void a_list_says_whose_figures_it_has(void **state)
{
	(void)state;
	start_eval(3);
	f.ui.progress_eval = 3;
	snprintf(f.ui.progress_phase, sizeof(f.ui.progress_phase), "time");
	f.ui.progress_i = 5;
	f.ui.progress_n = 8;
	fixture_press(&f, "c enter");
	assert_true(fixture_shows(&f, "Scenarios of c3 (being measured)"));
	assert_true(fixture_shows(&f, "c3 is timed, 5/8; it has no figures yet"));
	add_result(3, 0, "edge/odd-tail", 1.4, 1.5, 1.6);
	assert_true(fixture_shows(&f, "1.50x"));
	assert_false(fixture_shows(&f, "it has no figures yet"));
	fixture_press(&f, "esc j enter");
	assert_true(fixture_shows(&f, "Scenarios of c2 (champion)"));
	assert_true(fixture_shows(&f, "c3 is timed, 5/8; these are c2's figures"));
}

static void an_agents_end_says_what_was(void **state)
{
	(void)state;
	fixture_size(&f, 80, 24);
	fixture_add(&f, 1, "agent.exited", "engine", "\"status\":3,\"signal\":0,\"tail\":\"\"");
	assert_true(fixture_shows(&f, "agent    exited with status 3\n"));
	fixture_add(&f, 1, "agent.started", "engine",
		"\"driver\":\"manual\",\"label\":\"by hand\"");
	fixture_add(&f, 1, "agent.exited", "engine", "\"status\":-1,\"signal\":0,"
		"\"tail\":\"the engine was gone\"");
	assert_true(fixture_shows(&f, "agent    ended: the engine was gone"));
	assert_false(fixture_shows(&f, "status -1"));
}

static void the_smallest_pane_says_what_it_needs(void **state)
{
	(void)state;
	fixture_size(&f, 20, 6);
	assert_true(fixture_shows(&f, "needs 40x10 (20x6)"));
}

static void read_only_says_how_to_take_over(void **state)
{
	(void)state;
	f.ui.read_only = true;
	assert_true(fixture_shows(&f, "read only"));
	assert_false(fixture_shows(&f, "takes over"));
	snprintf(f.ui.holder, sizeof(f.ui.holder), "process 7");
	assert_true(fixture_shows(&f, "read only: W takes over"));
}

static void a_fresh_console_shows_no_countdown(void **state)
{
	(void)state;
	fixture_add(&f, 1, "mode.set", "human", "\"mode\":\"bank\"");
	fixture_add(&f, 1, "moment.raised", "engine", "\"moment\":1,\"moment_kind\":\"limit\","
		"\"evidence\":\"e\",\"cause\":1,\"until\":%lld,\"offers\":[]",
		(long long)f.t + 31000000);
	assert_true(fixture_shows(&f, "the bank sends 1 in 30 s"));
	f.ui.fresh = true;
	assert_true(fixture_shows(&f, "waits for you"));
	assert_false(fixture_shows(&f, "the bank sends"));
	/* It was put off: the log does not tell, the engine does. */
	f.ui.fresh = false;
	f.ui.wait_until = f.data.now + 43000000;
	fixture_wait(&f, 40);
	assert_true(fixture_shows(&f, "the bank sends 1 in 3 s"));
	assert_true(ks_ui_next_change(&f.ui, &f.state, f.data.now) <= f.data.now + 1000000);
	fixture_wait(&f, 4);
	assert_false(fixture_shows(&f, "the bank sends"));
	/* What was pushed for a wait that is over says nothing. */
	f.state.draft_until = 0;
	f.ui.wait_until = f.data.now + 43000000;
	assert_false(fixture_shows(&f, "the bank sends"));
}

/* The banner's title has the evidence first. */
static void the_wait_leaves_the_evidence(void **state)
{
	(void)state;
	fixture_add(&f, 1, "mode.set", "human", "\"mode\":\"bank\"");
	fixture_size(&f, 80, 24);
	fixture_add(&f, 1, "moment.raised", "engine", "\"moment\":1,\"moment_kind\":\"start\","
		"\"evidence\":\"32 scenarios, 4 clauses, nothing measured yet\",\"cause\":1,"
		"\"until\":%lld,\"offers\":[]", (long long)f.t + 31000000);
	f.ui.fresh = true;
	assert_true(fixture_shows(&f, "nothing measured yet ─"));
	assert_true(fixture_shows(&f, "waits for you "));
	fixture_size(&f, 120, 40);
	assert_true(fixture_shows(&f, "waits for you: each key puts the bank off"));
}

/* No figure is not the figure of no change. */
static void a_difference_says_what_is_not_measured(void **state)
{
	(void)state;
	fixture_size(&f, 80, 24);
	start_eval(3);
	fixture_press(&f, "c");
	assert_true(fixture_shows(&f, "being measured"));
	assert_false(fixture_shows(&f, "not measured"));
	fixture_press(&f, "d");
	assert_true(fixture_shows(&f, "c3 being measured"));
	assert_true(fixture_shows(&f, "no scenario was measured for both"));
	assert_false(fixture_shows(&f, "0 faster"));
}

/* Figures first: the axes of a scenario may be many. */
static void a_scenario_has_its_figures_on_top(void **state)
{
	char *text;

	(void)state;
	/* And the title of the bars names what stands beside them. */
	assert_true(fixture_shows(&f, "c2: speedup, of roofline"));
	fixture_size(&f, 100, 30);
	assert_true(fixture_shows(&f, "c2: speedup ─"));
	fixture_press(&f, "s enter");
	text = fixture_screen(&f);
	assert_non_null(strstr(text, "of the roofline"));
	assert_true(strstr(text, "of the roofline") < strstr(text, "axes"));
	free(text);
}

/* What the help lists for everywhere works in every view. */
static void export_works_in_every_view(void **state)
{
	static const char *const views[] = {"", "s", "c", "d", "b", "o", "m", "u", "?"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		fixture_forget(&f);
		fixture_press(&f, views[i]);
		fixture_press(&f, "x");
		assert_int_equal(f.out.n, 1);
		assert_int_equal(f.out.cmds[0].kind, KS_UI_EXPORT);
		fixture_press(&f, "esc");
	}
}

/* On a screen with room the banner has every question whole, with the focus or not. */
static void questions_are_shown_whole(void **state)
{
	(void)state;
	fixture_moment(&f, 1, "limit", "it said so");
	fixture_size(&f, 120, 40);
	assert_true(fixture_shows(&f, "measured at its bound, and by which command?"));
	assert_true(fixture_shows(&f, "not measured for 143 calls"));
	/* With less of it the reason goes before the question is cut. */
	fixture_size(&f, 110, 30);
	assert_true(fixture_shows(&f, "measured at its bound, and by which command?"));
	assert_false(fixture_shows(&f, "rejects the limit"));
	assert_true(fixture_shows(&f, "changes layer"));
}

/* However little room there is: the selected question is in sight, and what is not is
 * counted. */
static void the_selected_question_is_in_sight(void **state)
{
	static const char *const starts[] = {"H-02", "V-13", "M-04"};
	int h, i;

	(void)state;
	fixture_moment(&f, 1, "limit", "it said so");
	fixture_size(&f, 80, 24);
	assert_true(fixture_shows(&f, " +2") || fixture_shows(&f, "M-04"));
	fixture_size(&f, 60, 12);
	assert_true(fixture_shows(&f, " +2"));
	for (h = 10; h < 30; h++) {
		fixture_size(&f, 60, h);
		fixture_press(&f, "a");
		for (i = 0; i < 3; i++) {
			char row[32];

			snprintf(row, sizeof(row), "▸ %d %s", i + 1, starts[i]);
			assert_true(fixture_shows(&f, row));
			fixture_press(&f, "down");
		}
		fixture_press(&f, "esc");
	}
	/* Fifteen rows have room for all three, and one of them whole. */
	fixture_size(&f, 60, 15);
	fixture_press(&f, "a down");
	assert_true(fixture_shows(&f, "by which command?"));
	assert_true(fixture_shows(&f, "H-02"));
	assert_true(fixture_shows(&f, "M-04"));
}

/* What followed stands behind a message's text, or below, and takes none of it. */
static void messages_are_shown_whole(void **state)
{
	(void)state;
	fixture_add(&f, 1, "message.sent", "human", "\"text\":\"While old and new builds alternate "
		"in one process, how large is the difference, against the largest that two copies "
		"of one show?\",\"via\":\"console\",\"question\":\"V-04\"");
	assert_true(fixture_shows(&f, "While old and new builds alternate in one "));
	assert_true(fixture_shows(&f, "one show?"));
	assert_true(fixture_shows(&f, "V-04"));
	fixture_add(&f, 1, "message.sent", "human", "\"text\":\"A short one?\",\"via\":"
		"\"console\",\"question\":\"V-05\"");
	assert_true(fixture_shows(&f, "A short one?                           V-05"));
}

static void a_running_evaluation_says_how_far_it_is(void **state)
{
	(void)state;
	start_eval(3);
	f.ui.progress_eval = 3;
	snprintf(f.ui.progress_phase, sizeof(f.ui.progress_phase), "check");
	f.ui.progress_i = 7;
	f.ui.progress_n = 8;
	assert_true(fixture_shows(&f, "checked 7/8"));
	assert_true(fixture_shows(&f, "c3 is checked, 7/8"));
	assert_false(fixture_shows(&f, "0/8"));
	fixture_press(&f, "c");
	assert_true(fixture_shows(&f, "is being measured"));
}

static void evidence_is_found(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 9; i++) {
		fixture_add(&f, 0, "eval.evidence", "evaluator", "\"eval\":2,\"candidate\":2,"
			"\"trigger\":\"floor\",\"scenario\":\"sc-%d\",\"figures\":\"\"", i);
	}
	fixture_say(&f, "and so on");
	fixture_press(&f, "/ 'sc-5 enter");
	assert_int_equal(f.state.rows[f.ui.live.cursor].kind, KS_EV_EVAL_EVIDENCE);
	assert_false(ks_row_is_folded(&f.state, f.ui.live.cursor));
	fixture_press(&f, "n");
	assert_int_equal(f.state.rows[f.ui.live.cursor].kind, KS_EV_EVAL_EVIDENCE);
	assert_true(fixture_shows(&f, "no other row matches"));
}

static void a_persons_message_is_yours(void **state)
{
	(void)state;
	fixture_add(&f, 1, "message.sent", "human", "\"id\":7,\"text\":\"mind the tail\","
		"\"via\":\"console\",\"goal\":true");
	assert_true(fixture_shows(&f, "→ you      mind the tail"));
	fixture_add(&f, 1, "message.sent", "engine", "\"id\":8,\"text\":\"still unmet\","
		"\"via\":\"goal\",\"goal\":true");
	assert_true(fixture_shows(&f, "→ goal     still unmet"));
}

static void a_wide_interval_is_shown_as_one(void **state)
{
	char out[48];

	(void)state;
	ks_fmt_interval(1.42, 1.40, 1.44, false, out, sizeof(out));
	assert_string_equal(out, "1.42x ±0.02");
	ks_fmt_interval(2.1, 0.97, 5.51, false, out, sizeof(out));
	assert_string_equal(out, "0.97–5.51x");
	ks_fmt_interval(2.1, 0.97, 5.51, true, out, sizeof(out));
	assert_string_equal(out, "0.97-5.51x");
	ks_fmt_interval(1, 0, 0, true, out, sizeof(out));
	assert_string_equal(out, "1.00x ~0.00");
	start_eval(3);
	add_result(3, 0, "edge/odd-tail", 0.97, 2.1, 5.51);
	assert_true(fixture_shows(&f, "0.97–5.51x"));
}

static void a_met_goal_is_plain_to_see(void **state)
{
	char *screen;

	(void)state;
	assert_false(fixture_shows(&f, "★ goal met"));
	fixture_add(&f, 0, "goal.computed", "engine", "\"candidate\":2,\"met\":true,"
		"\"n_met\":3,\"n\":3,\"clauses\":[{\"text\":\"a\",\"outcome\":\"yes\"}]");
	assert_true(f.state.goal_met);
	screen = fixture_screen(&f);
	assert_true(strstr(screen, "★ goal met by c2") < strchr(screen, '\n'));
	assert_non_null(strstr(screen, "★ goal met by c2: "));
	free(screen);
	fixture_say(&f, "one more word");
	assert_true(fixture_shows(&f, "one more word"));
	fixture_size(&f, 80, 24);
	assert_true(fixture_shows(&f, "★ goal met by c2: "));
	assert_true(fixture_shows(&f, "one more word"));
	fixture_size(&f, 40, 10);
	assert_true(fixture_shows(&f, "★ goal met by c2"));
}

static void a_flash_goes_by_itself(void **state)
{
	(void)state;
	f.state.agent = KS_AGENT_WAITING;
	ks_ui_flash(&f.ui, false, "written: here");
	fixture_wait(&f, 0);
	assert_true(fixture_shows(&f, "written: here"));
	assert_int_equal(ks_ui_next_change(&f.ui, &f.state, f.t), f.t + KS_UI_FLASH_US);
	fixture_wait(&f, 7.9);
	assert_true(fixture_shows(&f, "written: here"));
	fixture_wait(&f, 0.2);
	assert_false(fixture_shows(&f, "written: here"));
	assert_int_equal(ks_ui_next_change(&f.ui, &f.state, f.t), -1);
	ks_ui_flash(&f.ui, false, "written: there");
	fixture_moment(&f, 1, "limit", "it said so");
	assert_false(fixture_shows(&f, "written: there"));
}

/* The last line of the screen has a hint. */
static bool in_footer(const char *hint)
{
	char *screen = fixture_screen(&f);
	bool found;

	screen[strlen(screen) - 1] = '\0';
	found = strstr(strrchr(screen, '\n'), hint) != NULL;
	free(screen);
	return found;
}

static void the_way_out_is_always_named(void **state)
{
	(void)state;
	fixture_moment(&f, 1, "limit", "it said so");
	fixture_size(&f, 80, 24);
	assert_true(in_footer("a answer"));
	assert_true(in_footer("q leave"));
	assert_true(in_footer("? help"));
	fixture_size(&f, 40, 10);
	assert_true(in_footer("a answer"));
	assert_true(in_footer("q leave"));
	assert_true(in_footer("? help"));
}

/* Eighty columns have room for the way to every view; a view does not offer itself. */
static void the_footer_leads_everywhere(void **state)
{
	static const char *const words[] = {"i write", "d diff", "b bank", "s scenarios",
		"c candidates", "x export", "q leave", "? help"};
	size_t i;

	(void)state;
	fixture_size(&f, 80, 24);
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		assert_true(in_footer(words[i]));
	}
	fixture_size(&f, 160, 40);
	assert_true(in_footer("d diff seed c2"));
	fixture_press(&f, "d");
	assert_false(in_footer("d diff"));
	assert_true(in_footer("esc back"));
	fixture_press(&f, "esc s");
	assert_false(in_footer("s scenarios"));
	fixture_press(&f, "esc");
	f.ui.read_only = true;
	assert_false(in_footer("i write"));
	f.ui.read_only = false;
	fixture_moment(&f, 1, "limit", "it said so");
	fixture_press(&f, "a");
	assert_true(in_footer("esc back"));
}

/* The help explains the signs as well as the keys. */
static void the_help_explains_the_signs(void **state)
{
	(void)state;
	fixture_press(&f, "? / 'layers");
	assert_true(fixture_shows(&f, "What the signs mean"));
	assert_true(fixture_shows(&f, "V H C R"));
	fixture_press(&f, "esc / 'champion");
	assert_true(fixture_shows(&f, "★"));
	f.ui.ascii = true;
	assert_false(fixture_shows(&f, "★"));
	f.ui.ascii = false;
}

/* What the prompt is for, where there is nobody to write to or nothing can be sent. */
static void the_prompt_says_who_reads(void **state)
{
	(void)state;
	assert_true(fixture_shows(&f, "i writes to the agent"));
	f.state.manual = true;
	assert_true(fixture_shows(&f, "i writes to who works in the folder"));
	f.state.manual = false;
	f.ui.read_only = true;
	assert_true(fixture_shows(&f, "read only: a recorded campaign, nothing can be sent"));
	assert_false(fixture_shows(&f, "writes to"));
	assert_false(in_footer("a answer"));
	f.ui.read_only = false;
	fixture_press(&f, ": 'diff_c99_seed enter");
	assert_true(fixture_shows(&f, "no candidate 'c99'"));
	fixture_press(&f, ": 'diff_seed_c98 enter");
	assert_true(fixture_shows(&f, "no candidate 'c98'"));
}

/* Texts that name a key name the person's own. */
static void texts_name_the_keys_that_hold(void **state)
{
	static const char own[] = "write f2\nback f3\nquit f4\nhelp f5\nbottom f6\nbank f7\n"
		"filter f8\nright f9\n";

	(void)state;
	assert_int_equal(ks_keymap_read(&f.ui.keys, KS_STR(own), NULL), 0);
	assert_true(fixture_shows(&f, "f2 writes to the agent"));
	assert_true(in_footer("f2 write"));
	assert_true(in_footer("f4 leave"));
	assert_true(in_footer("f5 help"));
	fixture_press(&f, "up");
	assert_true(fixture_shows(&f, "held, f6 follows"));
	fixture_press(&f, "a");
	assert_true(fixture_shows(&f, "f7 shows the bank"));
	fixture_press(&f, "f7");
	assert_true(fixture_shows(&f, "left and f9: group"));
	fixture_press(&f, "f3 f5 / 'xyzzy enter");
	assert_true(fixture_shows(&f, "f3 shows all"));
	fixture_press(&f, "f3 f3 : 'nonesuch enter");
	assert_true(fixture_shows(&f, "f5 lists all"));
	fixture_press(&f, "f8 f8 f8");
	assert_true(fixture_shows(&f, "Live evaluations"));
}

static void the_bank_is_put_off_by_keys(void **state)
{
	(void)state;
	fixture_add(&f, 0.1, "mode.set", "human", "\"mode\":\"bank\"");
	fixture_moment(&f, 1, "limit", "it said so");
	f.state.draft_until = f.t + 20 * 1000000;
	assert_true(fixture_shows(&f, "the bank sends 1 in 20 s"));
	fixture_press(&f, "a");
	assert_true(fixture_shows(&f, "waits for you"));
	assert_false(fixture_shows(&f, "the bank sends"));
	fixture_press(&f, "esc i");
	assert_true(fixture_shows(&f, "waits for you"));
	fixture_press(&f, "esc");
	assert_true(fixture_shows(&f, "the bank sends 1 in"));
}

static void a_person_is_waited_for_so_long(void **state)
{
	fixture_moment(&f, 1, "completion", "the turn ended");
	f.state.draft_until = f.t + (int64_t)14 * 60 * 1000000 + 1000000;
	assert_true(fixture_shows(&f, "the goal alone goes in 15 min"));
	/* Nothing is drawn anew before the minute is over. */
	assert_true(ks_ui_next_change(&f.ui, &f.state, f.t) >= f.t + 1000000 ||
		f.state.agent == KS_AGENT_WORKING);
	f.state.draft_until = f.t + 90 * 1000000;
	assert_true(fixture_shows(&f, "the goal alone goes in 90 s"));
	fixture_press(&f, "a");
	assert_true(fixture_shows(&f, "waits for you"));
}

static void a_scenario_opens(void **state)
{
	(void)state;
	fixture_size(&f, 80, 24);
	fixture_press(&f, "s enter");
	assert_true(fixture_shows(&f, "edge/odd-tail"));
	assert_true(fixture_shows(&f, "  n: 64"));
	assert_true(fixture_shows(&f, "slower: 0.870x, interval 0.861 to 0.879"));
	assert_true(fixture_shows(&f, "largest error 1.2e-06, 1.3% of what is allowed"));
	fixture_press(&f, "esc j enter");
	assert_true(fixture_shows(&f, "faster: 1.050x"));
	assert_false(fixture_shows(&f, "edge/odd-tail"));
	fixture_press(&f, "esc esc");
	assert_int_equal(f.ui.depth, 0);
	fixture_press(&f, "g enter");
	assert_true(fixture_shows(&f, "Event "));
}

static void a_long_figure_is_shown_whole(void **state)
{
	char *screen;

	(void)state;
	fixture_size(&f, 120, 40);
	fixture_add(&f, 0, "goal.computed", "engine", "\"candidate\":2,\"met\":false,"
		"\"n_met\":0,\"n\":3,\"clauses\":[{\"text\":\"a\",\"outcome\":\"no\",\"line\":"
		"\"worst real/long-name-of-a-scenario 0.31x, then real/another-of-them 0.52x "
		"and the last is edge/tail\"},{\"text\":\"b\",\"outcome\":\"yes\",\"line\":\"\"},"
		"{\"text\":\"c\",\"outcome\":\"yes\",\"line\":\"\"}]");
	assert_true(fixture_shows(&f, "o shows them in full"));
	fixture_size(&f, 80, 24);
	fixture_press(&f, "o");
	screen = fixture_screen(&f);
	assert_non_null(strstr(screen, "worst real/long-name-of-a-scenario 0.31x"));
	assert_non_null(strstr(screen, "edge/tail"));
	free(screen);
}

static void one_thing_is_one(void **state)
{
	(void)state;
	fixture_add(&f, 1, "turn.ended", "agent", "\"turn\":1,\"how\":\"ended\",\"calls\":1");
	fixture_add(&f, 1, "engine.stopped", "engine", "\"why\":\"stopped\"");
	assert_true(fixture_shows(&f, "1 ended after 1 call "));
	assert_false(fixture_shows(&f, "stopped: stopped"));
	fixture_add(&f, 1, "engine.stopped", "engine", "\"why\":\"a full disk\"");
	assert_true(fixture_shows(&f, "stopped: a full disk"));
}

#define T(name) cmocka_unit_test_prestate_setup_teardown(name, fixture_set_up, \
	fixture_tear_down, &f)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(figures_have_their_candidates_name),
		T(a_step_is_over_the_best_before),
		T(clauses_of_another_than_the_best_say_so), T(evidence_is_one_row),
		T(a_banner_takes_the_rows_that_nobody_needs),
		T(a_list_says_whose_figures_it_has),
		T(an_agents_end_says_what_was),
		T(the_smallest_pane_says_what_it_needs),
		T(read_only_says_how_to_take_over),
		T(a_fresh_console_shows_no_countdown), T(the_wait_leaves_the_evidence),
		T(a_difference_says_what_is_not_measured),
		T(a_scenario_has_its_figures_on_top),
		T(export_works_in_every_view),
		T(questions_are_shown_whole),
		T(the_selected_question_is_in_sight),
		T(messages_are_shown_whole),
		T(a_running_evaluation_says_how_far_it_is),
		T(the_footer_leads_everywhere),
		T(the_prompt_says_who_reads),
		T(texts_name_the_keys_that_hold),
		T(the_help_explains_the_signs),
		T(evidence_is_found),
		T(a_wide_interval_is_shown_as_one),
		T(a_met_goal_is_plain_to_see),
		T(a_flash_goes_by_itself),
		T(the_way_out_is_always_named),
		T(a_person_is_waited_for_so_long),
		T(the_bank_is_put_off_by_keys),
		T(a_scenario_opens),
		T(a_long_figure_is_shown_whole),
		T(one_thing_is_one),
		T(a_persons_message_is_yours),
	};

	setenv("TZ", "UTC", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
