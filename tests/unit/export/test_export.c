/* The transcript: whole, honest about what is missing, and harmless. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "export/export.h"
#include "fixture.h"

static char *export_of(struct fixture *f, enum ks_export_format format)
{
	const struct ks_export_source source = {.final = &f->state, .data = &f->data};
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	struct ks_err err = KS_ERR_INIT;

	assert_int_equal(ks_export(out, format, &source, &err), 0);
	fclose(out);
	return text;
}

static void has(const char *text, const char *part)
{
	if (text == NULL || strstr(text, part) == NULL) {
		fail_msg("\"%s\" is not in:\n%s", part, text != NULL ? text : "nothing");
	}
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	fixture_campaign(f);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	fixture_fini(*state);
	free(*state);
	return 0;
}

static void markdown_tells_the_campaign(void **state)
{
	struct fixture *f = *state;
	char *text = export_of(f, KS_EXPORT_MD);

	has(text, "# Campaign ");
	has(text, "## Candidates");
	has(text, "## What happened");
	has(text, "tool call");
	has(text, "## What each question was followed by");
	free(text);
}

static void markdown_says_how_the_agent_ended(void **state)
{
	struct fixture *f = *state;
	char *text;

	fixture_add(f, 1, "agent.exited", "engine", "\"status\":0,\"signal\":0,\"tail\":\"\"");
	fixture_add(f, 1, "agent.exited", "engine",
		"\"status\":3,\"signal\":0,\"tail\":\"no key\"");
	fixture_add(f, 1, "agent.exited", "engine", "\"status\":0,\"signal\":9,\"tail\":\"\"");
	fixture_add(f, 1, "agent.exited", "engine", "\"status\":-1,\"tail\":\"it did not start\"");
	text = export_of(f, KS_EXPORT_MD);
	has(text, "\nAgent exited.\n");
	has(text, "\nAgent exited with status 3: no key\n");
	has(text, "\nAgent exited by signal 9.\n");
	has(text, "\nAgent ended: it did not start\n");
	free(text);
}

static void a_note_and_a_message_are_whole(void **state)
{
	struct fixture *f = *state;

	fixture_add(f, 1, "note.added", "human", "\"text\":\"look at the tail\"");
	fixture_add(f, 1, "message.sent", "human",
		"\"id\":900,\"text\":\"Where does the time go?\",\"act\":\"question\","
		"\"interrogative\":true,\"via\":\"cli\"");
	char *text = export_of(f, KS_EXPORT_MD);
	has(text, "**Note**: look at the tail");
	has(text, "> Where does the time go?");
	has(text, "*Act: question, asked as a question.");
	free(text);
}

static void foreign_text_makes_no_markup(void **state)
{
	struct fixture *f = *state;

	fixture_say(f, "\\u001b[2J# not a heading\\n<script>alert(1)</script> [a](http://x) `");
	fixture_add(f, 1, "eval.failed", "evaluator",
		"\"eval\":77,\"candidate\":1,\"stage\":\"build\",\"text\":\"kernel.c:1: "
		"```\\u001b]52;c;x\\u0007 error\"");
	char *text = export_of(f, KS_EXPORT_MD);
	assert_null(strchr(text, 0x1b));
	assert_null(strstr(text, "<script>"));
	has(text, "\\# not a heading");
	has(text, "````text\n");
	free(text);
}

static void unknown_kinds_and_holes_are_said(void **state)
{
	struct fixture *f = *state;

	fixture_add(f, 1, "future.kind", "other", "\"secret\":[1,2,{\"deep\":true}]");
	f->state.seq++;
	char *md = export_of(f, KS_EXPORT_MD);
	char *lines = export_of(f, KS_EXPORT_JSONL);
	has(md, "of a kind that this version does not know");
	has(md, "\"secret\":[1,2,{\"deep\":true}]");
	has(md, "is missing from the log");
	has(lines, "\"record\":\"unknown\"");
	has(lines, "{\"deep\":true}");
	has(lines, "\"record\":\"missing\"");
	free(md);
	free(lines);
}

static void json_lines_are_json(void **state)
{
	struct fixture *f = *state;
	char *text = export_of(f, KS_EXPORT_JSONL);
	struct ks_str rest = ks_str_of(text), line;
	size_t count = 0, messages = 0, tools = 0;

	while (ks_str_next(&rest, '\n', &line)) {
		struct ks_json *doc = NULL;
		struct ks_err err = KS_ERR_INIT;
		if (line.len == 0) {
			continue;
		}
		assert_int_equal(ks_json_parse(&doc, line.ptr, line.len, &err), 0);
		const char *record = ks_json_get_str(doc, "record", "");
		assert_string_not_equal(record, "");
		messages += strcmp(record, "message") == 0;
		tools += strcmp(record, "tools") == 0;
		if (count == 0) {
			assert_string_equal(record, "campaign");
		}
		count++;
		ks_json_free(doc);
	}
	assert_true(count > 3);
	assert_int_equal(messages, f->state.n_messages);
	assert_true(tools > 0);
	free(text);
}

/* A call that waits for an evaluation ends after the evaluation's record. */
static void the_time_of_a_call_is_of_its_own_group(void **state)
{
	struct fixture *f = *state;

	fixture_add(f, 1, "tool.started", "agent", "\"call\":\"e\",\"tool\":\"edit\"");
	fixture_add(f, 1, "tool.ended", "agent", "\"call\":\"e\",\"ms\":100,\"ok\":true");
	fixture_add(f, 1, "tool.started", "agent", "\"call\":\"x\",\"tool\":\"eval\"");
	fixture_add(f, 1, "note.added", "human", "\"text\":\"between\"");
	fixture_add(f, 9, "tool.ended", "agent", "\"call\":\"x\",\"ms\":22200,\"ok\":false");
	fixture_add(f, 1, "tool.started", "agent", "\"call\":\"x\",\"tool\":\"shell\"");
	fixture_add(f, 1, "note.added", "human", "\"text\":\"last\"");
	fixture_add(f, 1, "tool.ended", "agent", "\"call\":\"never\",\"ms\":5000");
	char *md = export_of(f, KS_EXPORT_MD);
	char *lines = export_of(f, KS_EXPORT_JSONL);
	has(md, "**2 tool calls** (1 edit, 1 eval), some failed, 22.3 s\n");
	has(md, "**1 tool call** (1 shell), 0.0 s\n");
	has(lines, "\"ms\":22300,");
	free(md);
	free(lines);
}

/* A colleague sees what was measured, and how an edit went on. */
static void calls_show_what_they_printed(void **state)
{
	struct fixture *f = *state;

	fixture_add(f, 1, "tool.started", "agent", "\"call\":\"a\",\"tool\":\"edit\","
		"\"title\":\"kernel.c\"");
	fixture_add(f, 1, "tool.ended", "agent", "\"call\":\"a\",\"added\":440,\"removed\":128");
	fixture_add(f, 1, "tool.started", "agent", "\"call\":\"b\",\"tool\":\"shell\","
		"\"text\":\"cc `x` && ./bench \\\"a|b\\\"\"");
	fixture_add(f, 1, "tool.ended", "agent", "\"call\":\"b\",\"text\":"
		"\"1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n9\\nprefill: 12.5 us\\n\"");
	fixture_add(f, 1, "tool.started", "agent", "\"call\":\"c\",\"tool\":\"shell\","
		"\"text\":\"ls\"");
	fixture_add(f, 1, "tool.ended", "agent", "\"call\":\"c\",\"text\":\"a-file\"");
	fixture_add(f, 1, "tool.started", "agent", "\"call\":\"d\",\"tool\":\"eval\","
		"\"text\":\"kseek eval\"");
	fixture_add(f, 1, "eval.queued", "evaluator", "\"eval\":90");
	fixture_add(f, 1, "eval.started", "evaluator", "\"eval\":90,\"candidate\":1");
	fixture_add(f, 1, "tool.ended", "agent", "\"call\":\"d\",\"text\":\"the table\"");
	char *md = export_of(f, KS_EXPORT_MD), *lines = export_of(f, KS_EXPORT_JSONL);
	has(md, "- `kernel.c` +440 -128, became c1\n");
	has(md, "- `` cc `x` && ./bench \"a|b\" ``\n\n  ```text\n");
	has(md, "  prefill: 12.5 us\n  ```\n");
	assert_null(strstr(md, "\n  2\n"));
	has(md, "\n  3\n");
	assert_null(strstr(md, "a-file"));
	assert_null(strstr(md, "the table"));
	has(lines, "\"output\":\"3\\n");
	has(lines, "\"added\":440,\"removed\":128,\"candidate\":1");
	free(md);
	free(lines);
}

/* Of a long command what is left out shows. */
static void commands_are_whole_or_say_so(void **state)
{
	struct fixture *f = *state;
	struct ks_buf words = {0};

	for (int i = 0; i < 300; i++) {
		ks_buf_addf(&words, "w%d ", i);
		if (i == 80 || i == 299) { /* 314 bytes, and 1390 */
			fixture_add(f, 1, "tool.started", "agent", "\"call\":\"m%d\","
				"\"tool\":\"shell\",\"text\":\"%s\"", i, words.ptr);
		}
	}
	ks_buf_fini(&words);
	char *md = export_of(f, KS_EXPORT_MD);
	has(md, " w79 w80");
	has(md, "…`");
	assert_null(strstr(md, "w299"));
	free(md);
}

/* Of whoever wrote it; a log of an earlier version has no difference. */
static void candidates_show_what_they_changed(void **state)
{
	struct fixture *f = *state;
	struct ks_buf diff = {0};

	for (int i = 0; i < 100; i++) {
		ks_buf_addf(&diff, "+line %d\\n", i + 1);
	}
	fixture_add(f, 1, "candidate.committed", "evaluator", "\"candidate\":41,\"parent\":0,"
		"\"hash\":\"h41\",\"added\":2,\"removed\":1,\"blob\":\"gone\",\"bytes\":9000,"
		"\"text\":\"-old ```\\n+new \\u001b[31m\\n+# no heading\\n\"");
	fixture_add(f, 1, "candidate.committed", "evaluator", "\"candidate\":42,\"parent\":41,"
		"\"hash\":\"h42\",\"added\":100,\"text\":\"%s\"", diff.ptr);
	fixture_add(f, 1, "candidate.committed", "evaluator", "\"candidate\":43,\"parent\":42,"
		"\"hash\":\"h43\"");
	ks_buf_fini(&diff);
	char *md = export_of(f, KS_EXPORT_MD), *lines = export_of(f, KS_EXPORT_JSONL);
	has(md, "**c41**, from seed: +2 -1\n\n````text\n-old ```\n");
	has(md, "\n*The log alone has the first 34 of 9000 bytes.*\n");
	has(md, "**c42**, from c41: +100 -0\n");
	has(md, "+line 60\n```\n\n*40 more lines.*\n");
	assert_null(strstr(md, "**c43**, from"));
	assert_null(strchr(md, 0x1b));
	has(lines, "\"record\":\"changes\"");
	has(lines,
		"\"candidate\":42,\"parent\":41,\"added\":100,\"removed\":0,\"diff\":\"+line 1\\n");
	has(lines, "+line 100\\n");
	free(md);
	free(lines);
}

static void candidates_end_in_three_ways(void **state)
{
	struct fixture *f = *state;
	struct ks_buf errors = {0};

	for (int i = 0; i < 900; i++) {
		ks_buf_addf(&errors, "kernel.c:%d: error\\n", i + 1);
	}
	fixture_add(f, 1, "candidate.committed", "evaluator", "\"candidate\":31,\"hash\":\"h31\"");
	fixture_add(f, 1, "eval.failed", "evaluator", "\"eval\":91,\"candidate\":31,"
		"\"stage\":\"environment\",\"text\":\"the judge was ended\"");
	fixture_add(f, 1, "candidate.committed", "evaluator", "\"candidate\":32,\"hash\":\"h32\"");
	fixture_add(f, 1, "eval.failed", "evaluator", "\"eval\":92,\"candidate\":32,"
		"\"stage\":\"build\",\"text\":\"%s\"", errors.ptr);
	ks_buf_fini(&errors);
	char *md = export_of(f, KS_EXPORT_MD), *lines = export_of(f, KS_EXPORT_JSONL);
	has(md, "| not measured | - | - | the judge was ended |");
	has(md, "**c31 was not measured**");
	has(md, "| does not build | - | - |");
	has(md, "kernel.c:12: error\n```\n\n*888 more lines.*\n");
	assert_null(strstr(md, "kernel.c:13: error"));
	has(lines, "\"not_measured\":\"the judge was ended\"");
	free(md);
	free(lines);
}

static void wrong_scenarios_are_named(void **state)
{
	struct fixture *f = *state;

	fixture_add(f, 1, "eval.started", "evaluator", "\"eval\":93,\"candidate\":1");
	for (int i = 0; i < 10; i++) {
		fixture_add(f, 1, "eval.scenario", "evaluator", "\"eval\":93,\"name\":\"s%d\","
			"\"correct\":false,\"why\":\"%d of 9 differ\"", i, i + 1);
	}
	fixture_add(f, 1, "eval.finished", "evaluator", "\"eval\":93,\"candidate\":1,"
		"\"correct\":0,\"scenarios\":10");
	char *md = export_of(f, KS_EXPORT_MD);
	has(md, "0 of 10 correct. Wrong: s0, s1, s2, s3, s4, s5, s6, s7 and 2 more; "
		"the first: 1 of 9 differ.\n");
	free(md);
}

static void words_say_whose_they_are(void **state)
{
	struct fixture *f = *state;

	fixture_add(f, 1, "goal.computed", "engine", "\"candidate\":1,\"n_met\":1,\"n\":2,"
		"\"clauses\":[{\"text\":\"geomean speedup >= 9\",\"outcome\":\"no\"}]");
	fixture_add(f, 1, "goal.computed", "engine", "\"candidate\":1,\"n_met\":1,\"n\":2,"
		"\"clauses\":[{\"text\":\"geomean speedup >= 9\",\"outcome\":\"no\"}]");
	fixture_add(f, 1, "message.sent", "engine", "\"id\":901,\"text\":\"open: geomean\","
		"\"via\":\"goal\",\"goal\":true,\"clauses\":\"open: geomean\"");
	fixture_add(f, 1, "message.sent", "engine", "\"id\":902,\"text\":\"How many?\","
		"\"via\":\"bank\",\"clauses\":\"The goal is not met\"");
	fixture_add(f, 1, "message.queued", "human", "\"id\":903,\"text\":\"And the tail?\"");
	char *md = export_of(f, KS_EXPORT_MD);
	has(md, "Goal, computed for c1: 1 of 2 clauses hold. Open: geomean speedup >= 9.\n");
	has(md, "Goal, computed for c1: 1 of 2 clauses hold. As before.\n");
	has(md, "### Goal, ");
	has(md, "### Bank, ");
	has(md, "Below it stood what is open of the goal:\n\n> The goal is not met\n");
	has(md, ": waits, not sent yet\n\n> And the tail?\n");
	has(md, "(and 1 that waits)");
	free(md);
}

static void say_question(struct fixture *f, int id, int moment, const char *question,
	const char *text)
{
	fixture_add(f, 1, "message.sent", "human", "\"id\":%d,\"moment\":%d,\"question\":\"%s\","
		"\"text\":\"%s\",\"act\":\"question\",\"via\":\"console\"", id, moment, question,
		text);
}

/* At a moment against the offer, else against the bank's wording. */
static void an_edited_question_is_marked(void **state)
{
	static const char bank[] = "{\"format\":1,\"kind\":\"user\",\"group\":\"H\","
		"\"title\":\"t\",\"about\":\"a\",\"entries\":[{\"id\":\"U-H-01\",\"question\":"
		"\"Which share of {sm_count} processors waits, against zero?\","
		"\"targets\":[\"cuda\"],\"points\":[\"plateau\"],\"cues\":[],\"evidence\":"
		"{\"quantity\":\"share\",\"tools\":[\"ncu\"],\"must_report\":[\"value\"],"
		"\"stale_when\":[\"kernel_changed\"]},\"bound\":\"zero\","
		"\"arch_params\":[\"sm_count\"],"
		"\"cost\":\"low\",\"needs\":[],\"provenance\":[],\"status\":\"draft\"}]}";
	struct fixture *f = *state;
	struct ks_err err = KS_ERR_INIT;

	fixture_moment(f, 77, "plateau", "no gain");
	const struct ks_moment *m = &f->state.moments[f->state.n_moments - 1];
	assert_true(m->n_offers > 0);
	char *offered = strdup(m->offers[0].text), *id = strdup(m->offers[0].question);
	say_question(f, 901, 77, id, offered);
	char *text = export_of(f, KS_EXPORT_MD);
	assert_null(strstr(text, "of the bank, edited"));
	free(text);
	say_question(f, 902, 77, id, "Where do the cycles go?");
	text = export_of(f, KS_EXPORT_MD);
	has(text, " of the bank, edited. Its own words:");
	has(text, "> Where do the cycles go?");
	free(text);
	text = export_of(f, KS_EXPORT_JSONL);
	has(text, "\"edited\":true");
	free(text);

	if (ks_bank_load(f->bank, ks_str_of(bank), "user", &err) < 0) {
		fail_msg("%s", err.msg);
	}
	say_question(f, 903, 0, "U-H-01", "Which share of 132 processors waits, against zero?");
	text = export_of(f, KS_EXPORT_MD);
	assert_null(strstr(text, "Question U-H-01 of the bank, edited"));
	free(text);
	say_question(f, 904, 0, "U-H-01", "Which share of 132 processors waits, and why?");
	text = export_of(f, KS_EXPORT_MD);
	has(text, "Question U-H-01 of the bank, edited");
	free(text);
	free(offered);
	free(id);
}

static void figures_read_as_sentences(void **state)
{
	static const double wrong[] = {0, 0, 0, 0, 0, 0, 0, 0};
	struct fixture *f = *state;

	fixture_eval(f, 9, wrong, 8);
	char *text = export_of(f, KS_EXPORT_MD);
	assert_null(strstr(text, "0.000x"));
	assert_null(strstr(text, "c0"));
	assert_null(strstr(text, "|  "));
	assert_null(strstr(text, " 1 moments"));
	has(text, "| c9 | ");
	free(text);
}

static void a_broken_disk_is_an_error(void **state)
{
	struct fixture *f = *state;
	const struct ks_export_source source = {.final = &f->state, .data = &f->data};
	FILE *out = fopen("/dev/full", "w");
	struct ks_err err = KS_ERR_INIT;

	if (out == NULL) {
		skip();
	}
	assert_true(ks_export(out, KS_EXPORT_MD, &source, &err) < 0);
	fclose(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(markdown_tells_the_campaign, setup, teardown),
		cmocka_unit_test_setup_teardown(markdown_says_how_the_agent_ended, setup, teardown),
		cmocka_unit_test_setup_teardown(a_note_and_a_message_are_whole, setup, teardown),
		cmocka_unit_test_setup_teardown(foreign_text_makes_no_markup, setup, teardown),
		cmocka_unit_test_setup_teardown(unknown_kinds_and_holes_are_said, setup, teardown),
		cmocka_unit_test_setup_teardown(json_lines_are_json, setup, teardown),
		cmocka_unit_test_setup_teardown(the_time_of_a_call_is_of_its_own_group, setup,
			teardown),
		cmocka_unit_test_setup_teardown(calls_show_what_they_printed, setup, teardown),
		cmocka_unit_test_setup_teardown(commands_are_whole_or_say_so, setup, teardown),
		cmocka_unit_test_setup_teardown(candidates_show_what_they_changed, setup, teardown),
		cmocka_unit_test_setup_teardown(candidates_end_in_three_ways, setup, teardown),
		cmocka_unit_test_setup_teardown(wrong_scenarios_are_named, setup, teardown),
		cmocka_unit_test_setup_teardown(words_say_whose_they_are, setup, teardown),
		cmocka_unit_test_setup_teardown(an_edited_question_is_marked, setup, teardown),
		cmocka_unit_test_setup_teardown(figures_read_as_sentences, setup, teardown),
		cmocka_unit_test_setup_teardown(a_broken_disk_is_an_error, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
