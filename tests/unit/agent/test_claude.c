/* The driver of Claude Code against a program that plays scenes. */
#include "scene.h"

#include <unistd.h>

#define READY \
	"want initialize\n" \
	"send {\"type\":\"control_response\",\"response\":{\"subtype\":\"success\"," \
	"\"request_id\":$id,\"response\":{\"commands\":[]}}}\n"
#define SESSION "send {\"cwd\":\"/x\",\"session_id\":\"u-1\",\"permissionMode\":\"default\"," \
	"\"claude_code_version\":\"2.1.0\",\"subtype\":\"init\",\"type\":\"system\"}\n"
#define PROMPT "want \"type\":\"user\"\n" SESSION
#define LINE(content) "send {\"type\":\"assistant\",\"message\":{\"id\":\"m1\"," \
	"\"role\":\"assistant\",\"content\":[" content "]},\"parent_tool_use_id\":null," \
	"\"session_id\":\"u-1\"}\n"
#define SAY(text) LINE("{\"type\":\"text\",\"text\":\"" text "\"}")
#define USE(id, name, input) LINE("{\"type\":\"tool_use\",\"id\":\"" id "\"," \
	"\"name\":\"" name "\",\"input\":{" input "}}")
#define DONE(id, more) "send {\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[" \
	"{\"type\":\"tool_result\",\"tool_use_id\":\"" id "\"," more "}]},\"session_id\":\"u-1\"}\n"
#define RESULT(more) "send {\"is_error\":false,\"type\":\"result\",\"subtype\":\"success\"," \
	"\"session_id\":\"u-1\",\"total_cost_usd\":0.5,\"usage\":{\"input_tokens\":7," \
	"\"output_tokens\":3}," \
	more "}\n"
#define END RESULT("\"result\":\"Done.\",\"stop_reason\":\"end_turn\"")
#define ASK(id, call, input) "send {\"type\":\"control_request\",\"request_id\":\"" id "\"," \
	"\"request\":{\"subtype\":\"can_use_tool\",\"tool_name\":\"Bash\",\"input\":{" input "}," \
	"\"permission_suggestions\":[{\"type\":\"addRules\"}],\"tool_use_id\":\"" call "\"}}\n"

static void play(struct record *r, const char *scene)
{
	scene_play(r, "claude", scene);
}

static void test_a_turn(void **state)
{
	struct record *r = *state;

	play(r, READY PROMPT LINE("{\"type\":\"thinking\",\"thinking\":\"hm\"}") SAY("I look.")
		USE("c1", "Bash", "\"command\":\"make\"") DONE("c1", "\"content\":\"Exit code "
			"2\\nno\",\"is_error\":true")
		USE("c2", "Edit", "\"file_path\":\"k.c\",\"old_string\":\"a\",\"new_string\":\"b\"")
		DONE("c2", "\"content\":[{\"type\":\"text\",\"text\":\"ok\"},{\"type\":\"image\"}]")
		SAY("Done.") END);
	assert_string_equal(text_at(r, KS_EV_AGENT_STARTED, 0, "driver"), "claude");
	scene_turn(r, 7);
	assert_string_equal(text_at(r, KS_EV_AGENT_SESSION, 0, "session"), "u-1");
	assert_string_equal(text_at(r, KS_EV_AGENT_SESSION, 0, "version"), "2.1.0");
	assert_string_equal(text_at(r, KS_EV_AGENT_MODE, 0, "mode"), "default");
	assert_int_equal(int_at(r, KS_EV_TURN_STARTED, 0, "message"), 7);
	assert_string_equal(text_at(r, KS_EV_AGENT_THOUGHT, 0, "text"), "hm");
	assert_string_equal(text_at(r, KS_EV_AGENT_SAID, 0, "text"), "I look.");
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 0, "tool"), "shell");
	assert_int_equal(int_at(r, KS_EV_TOOL_ENDED, 0, "status"), 2);
	assert_false(ks_json_get_bool(record_nth(r, KS_EV_TOOL_ENDED, 0), "ok", true));
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 1, "path"), "k.c");
	assert_int_equal(int_at(r, KS_EV_TOOL_ENDED, 1, "added"), 1);
	assert_string_equal(text_at(r, KS_EV_TOOL_ENDED, 1, "text"), "ok\n[image]");
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 0, "how"), "ended");
	assert_int_equal(int_at(r, KS_EV_TURN_ENDED, 0, "calls"), 2);
	assert_int_equal(int_at(r, KS_EV_AGENT_USAGE, 0, "output"), 3);
	assert_true(scene_read(r, "\"content\":\"text\""));
	scene_stop(r);
	assert_int_equal(int_at(r, KS_EV_AGENT_EXITED, 0, "status"), 0);
}

static void test_subagent(void **state)
{
	struct record *r = *state;

	play(r, READY PROMPT USE("a", "Agent", "\"description\":\"Measure\",\"prompt\":\"Long\"")
		"send {\"type\":\"assistant\",\"message\":{\"id\":\"m2\","
		"\"content\":[{\"type\":\"text\",\"text\":\"sub speaks\"},{\"type\":\"tool_use\","
		"\"id\":\"b\",\"name\":\"Bash\",\"input\":{\"command\":\"kseek eval\"}}]},"
		"\"parent_tool_use_id\":\"a\"}\n"
		DONE("b", "\"content\":\"x\"") DONE("a", "\"content\":\"3 us\"") SAY("So.") END);
	scene_turn(r, 1);
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 0, "tool"), "agent");
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 0, "text"), "Measure");
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 1, "parent"), "a");
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 1, "tool"), "eval");
	assert_int_equal(record_count(r, KS_EV_AGENT_SAID), 1);
}

static void test_permissions(void **state)
{
	struct record *r = *state;

	play(r, READY PROMPT USE("c", "Bash", "\"command\":\"make\"")
		ASK("r1", "c", "\"command\":\"make\"") "want behavior\n"
		ASK("r2", "d", "\"command\":\"rm x\"") "want behavior\n"
		ASK("r3", "e", "\"command\":\"ls\"") "want behavior\n" SAY("So.") END);
	scene_prompt(r, 1);
	assert_true(scene_until(r, KS_EV_PERMISSION_ASKED, 1));
	assert_string_equal(text_at(r, KS_EV_PERMISSION_ASKED, 0, "text"), "make");
	assert_int_equal(ks_json_count(ks_json_get(record_nth(r, KS_EV_PERMISSION_ASKED, 0),
		"options")), 3);
	scene_answer(r, text_at(r, KS_EV_PERMISSION_ASKED, 0, "ask"), NULL, "allow_once", NULL);
	assert_true(scene_read(r, "\"request_id\":\"r1\",\"response\":{\"behavior\":\"allow\","
		"\"updatedInput\":{\"command\":\"make\"}}"));
	assert_true(scene_until(r, KS_EV_PERMISSION_ASKED, 2));
	scene_answer(r, text_at(r, KS_EV_PERMISSION_ASKED, 1, "ask"), "reject_once", NULL, NULL);
	assert_true(scene_read(r, "\"request_id\":\"r2\",\"response\":{\"behavior\":\"deny\""));
	assert_true(scene_until(r, KS_EV_PERMISSION_ASKED, 3));
	scene_answer(r, text_at(r, KS_EV_PERMISSION_ASKED, 2, "ask"), "allow_always", NULL, NULL);
	assert_true(scene_read(r, "\"updatedPermissions\":[{\"type\":\"addRules\"}]"));
	assert_true(record_spin(r, &r->turns_ended, 1, 20000));
	assert_int_equal(record_count(r, KS_EV_TOOL_STARTED), 3);
}

#define QUESTION "send {\"type\":\"control_request\",\"request_id\":\"q\"," \
	"\"request\":{\"subtype\":\"can_use_tool\",\"tool_name\":\"AskUserQuestion\"," \
	"\"tool_use_id\":\"c\",\"input\":{\"questions\":[{\"question\":\"Which?\"," \
	"\"header\":\"Layer\",\"options\":[{\"label\":\"Host\",\"description\":\"launch\"}," \
	"{\"label\":\"Device\"}],\"multiSelect\":false}]}}}\n"

static void test_questions(void **state)
{
	struct record *r = *state;
	const struct ks_json *field;

	play(r, READY PROMPT QUESTION "want answers\n" SAY("Thanks.") END);
	scene_prompt(r, 1);
	assert_true(scene_until(r, KS_EV_AGENT_ASKED, 1));
	field = ks_json_first(ks_json_get(record_nth(r, KS_EV_AGENT_ASKED, 0), "fields"));
	assert_string_equal(ks_json_get_str(field, "id", ""), "Which?");
	assert_string_equal(ks_json_get_str(field, "type", ""), "choice");
	scene_answer(r, text_at(r, KS_EV_AGENT_ASKED, 0, "ask"), NULL, NULL,
		"{\"Which?\":\"Host\"}");
	assert_true(scene_read(r, "\"multiSelect\":false}],\"answers\":{\"Which?\":\"Host\"}}"));
	assert_true(record_spin(r, &r->turns_ended, 1, 20000));
}

static void test_questions_that_nobody_answers(void **state)
{
	struct record *r = *state;
	struct scene_how how = {.no_forms = true};

	assert_int_equal(scene_start(r, "claude", READY PROMPT QUESTION "want behavior\n"
		SAY("Well.") END, &how, NULL), 0);
	assert_true(scene_until(r, KS_EV_AGENT_STARTED, 1));
	scene_turn(r, 1);
	assert_int_equal(record_count(r, KS_EV_AGENT_ASKED), 0);
}

static void test_interrupt(void **state)
{
	struct record *r = *state;

	play(r, READY PROMPT USE("c", "Bash", "\"command\":\"sleep 9\"")
		ASK("r1", "d", "\"command\":\"x\"") "want interrupt\n"
		"send {\"type\":\"control_cancel_request\",\"request_id\":\"r1\"}\n"
		"send {\"type\":\"control_response\",\"response\":{\"subtype\":\"success\","
		"\"request_id\":$id}}\n"
		"send {\"type\":\"user\",\"message\":{\"role\":\"user\","
		"\"content\":[{\"type\":\"text\",\"text\":\"[Request interrupted by user]\"}]}}\n"
		"send {\"type\":\"result\",\"subtype\":\"error_during_execution\","
		"\"is_error\":true,\"terminal_reason\":\"aborted_tools\",\"session_id\":\"u-1\"}\n"
		PROMPT SAY("On.") END);
	scene_prompt(r, 1);
	assert_true(scene_until(r, KS_EV_PERMISSION_ASKED, 1));
	scene_cancel(r);
	assert_true(record_spin(r, &r->turns_ended, 1, 20000));
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 0, "how"), "cancelled");
	assert_int_equal(record_count(r, KS_EV_PERMISSION_ANSWERED), 1);
	assert_true(ks_json_get_bool(record_nth(r, KS_EV_TOOL_ENDED, 0), "cancelled", false));
	scene_turn(r, 2);
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 1, "how"), "ended");
	assert_int_equal(record_count(r, KS_EV_AGENT_SESSION), 1);
	scene_cancel(r); /* idle: nothing */
}

static const char *how_of(struct record *r, const char *scene)
{
	play(r, scene);
	scene_turn(r, 1);
	return text_at(r, KS_EV_TURN_ENDED, 0, "how");
}

static void test_error(void **state)
{
	assert_string_equal(how_of(*state, READY PROMPT "send {\"type\":\"result\",\"subtype\":"
		"\"success\",\"is_error\":true,\"api_error_status\":400,\"result\":\"API Error: "
		"400\"}\n"),
		"error");
	assert_string_equal(text_at(*state, KS_EV_TURN_ENDED, 0, "text"), "API Error: 400");
}

static void test_retries_are_told(void **state)
{
	assert_string_equal(how_of(*state, READY PROMPT "send {\"type\":\"system\",\"subtype\":"
		"\"api_retry\",\"attempt\":3,\"max_retries\":10,"
		"\"error\":\"rate_limit\"}\n" SAY("Ok.") END),
		"ended");
	assert_non_null(strstr(text_at(*state, KS_EV_NOTICE, 0, "text"), "3 of 10"));
}

static void test_end_without_a_word(void **state)
{
	assert_string_equal(how_of(*state, READY PROMPT RESULT("\"result\":\"\"")), "error");
}

static void test_end_by_limit(void **state)
{
	assert_string_equal(how_of(*state, READY PROMPT SAY("a") "send {\"type\":\"result\","
		"\"subtype\":\"error_max_turns\",\"is_error\":true}\n"), "limit");
}

#define ECHO "send {\"type\":\"user\",\"message\":{\"content\":\"text\"},\"isReplay\":true," \
	"\"uuid\":$id}\n"

static void test_words_during_a_turn(void **state)
{
	struct record *r = *state;
	struct ks_prompt words = {5, KS_STR("faster"), "", 0};

	/* The first come into the turn, the second begin one of their own. */
	play(r, READY PROMPT ECHO USE("c", "Bash", "\"command\":\"x\"") "want faster\n"
		DONE("c", "\"content\":\"\"") ECHO SAY("Faster.") "want faster\n" END SESSION ECHO
		SAY("Yes.") END SESSION);
	scene_prompt(r, 1);
	assert_true(scene_until(r, KS_EV_TOOL_STARTED, 1));
	assert_int_equal(ks_agent_steer(r->agent, &words, NULL), 0);
	assert_true(scene_until(r, KS_EV_AGENT_SAID, 1));
	words.id = 6;
	assert_int_equal(ks_agent_steer(r->agent, &words, NULL), 0);
	assert_true(record_spin(r, &r->turns_ended, 2, 20000));
	assert_int_equal(int_at(r, KS_EV_TURN_STARTED, 1, "message"), 6);
	assert_int_equal(ks_agent_steer(r->agent, &words, NULL), KS_ENOTFOUND);
}

static void test_mode(void **state)
{
	struct record *r = *state;

	play(r, READY "want set_permission_mode\nsend {\"type\":\"control_response\",\"response\":"
		"{\"subtype\":\"success\",\"request_id\":$id}}\nwant set_permission_mode\n"
		"send {\"type\":\"control_response\",\"response\":{\"subtype\":\"error\","
		"\"request_id\":$id,\"error\":\"no\"}}\n");
	assert_int_equal(ks_agent_set_mode(r->agent, "plan", NULL), 0);
	assert_true(scene_until(r, KS_EV_AGENT_MODE, 1));
	assert_string_equal(text_at(r, KS_EV_AGENT_MODE, 0, "mode"), "plan");
	assert_int_equal(ks_agent_set_mode(r->agent, "yolo", NULL), 0);
	assert_true(scene_until(r, KS_EV_NOTICE, 1));
}

static void test_unknown_things(void **state)
{
	struct record *r = *state;

	play(r, READY PROMPT "send not json\nsend [1]\nsend {\"type\":\"news\"}\n"
		"send {\"type\":\"control_request\",\"request_id\":\"h\",\"request\":{\"subtype\":"
		"\"hook_callback\"}}\nwant error\nsend {\"type\":\"control_response\",\"response\":"
		"{\"subtype\":\"success\",\"request_id\":\"who\"}}\nsend {\"type\":\"assistant\"}\n"
		"send {\"type\":\"assistant\","
		"\"message\":{\"content\":\"text\"}}\n" SAY("So.") END);
	scene_turn(r, 1);
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 0, "how"), "ended");
	assert_true(scene_read(r, "\"request_id\":\"h\",\"error\":"));
}

/* It is started with --resume, and once more without it when that ends it. */
static void test_session_is_lost(void **state)
{
	struct record *r = *state;
	struct scene_how how = {.session = "u-0"};

	assert_int_equal(scene_start(r, "claude", "errors No conversation found\nexit 1\n", &how,
		NULL), 0);
	assert_true(record_spin(r, &r->gone, 1, 20000));
	assert_int_equal(record_count(r, KS_EV_NOTICE), 1);
	assert_non_null(strstr(text_at(r, KS_EV_NOTICE, 0, "text"), "No conversation found"));
	assert_int_equal(record_count(r, KS_EV_AGENT_STARTED), 0);
	assert_int_equal(int_at(r, KS_EV_AGENT_EXITED, 0, "status"), 1);
	assert_string_equal(text_at(r, KS_EV_AGENT_EXITED, 0, "tail"), "No conversation found");
}

/* With which words, and that its own limit of blocks by a stop hook is lifted. */
static void test_how_it_is_started(void **state)
{
	struct record *r = *state;
	char *program = ks_path_join(r->tools, "claude"), *told = ks_path_join(r->tools, "told");
	char *script = ks_asprintf("#!/bin/sh\necho \"$CLAUDE_CODE_STOP_HOOK_BLOCK_CAP $@\" >>%s\n"
		"exit 1\n", told);
	const struct ks_agent_setup setup = {.loop = r->loop, .folder = r->dir, .argument = program,
		.exec = getenv("KSEEK_EXEC"), .mark = "test", .session = "u-0", .mode = "plan"};
	const struct ks_sink sink = {r, record_observed, record_gone};
	struct ks_buf text = {0};

	record_put(r->tools, "claude", script, 0755);
	assert_int_equal(ks_driver_find("claude")->start(&r->agent, &setup, &sink, NULL), 0);
	assert_true(record_spin(r, &r->gone, 1, 20000));
	assert_int_equal(ks_file_read(&text, told, 4096, NULL), 0);
	assert_string_equal(text.ptr,
		"100000 -p --input-format stream-json --output-format stream-json --verbose "
		"--permission-prompt-tool stdio --replay-user-messages --resume u-0 "
		"--permission-mode plan\n"
		"100000 -p --input-format stream-json --output-format stream-json --verbose "
		"--permission-prompt-tool stdio --replay-user-messages --permission-mode plan\n");
	ks_buf_fini(&text);
	free(script);
	free(told);
	free(program);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, record_setup, record_teardown)
	const struct CMUnitTest tests[] = {
		T(test_a_turn), T(test_subagent), T(test_permissions), T(test_questions),
		T(test_questions_that_nobody_answers), T(test_interrupt), T(test_error),
		T(test_retries_are_told), T(test_end_without_a_word), T(test_end_by_limit),
		T(test_words_during_a_turn), T(test_mode), T(test_unknown_things),
		T(test_session_is_lost), T(test_how_it_is_started),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
