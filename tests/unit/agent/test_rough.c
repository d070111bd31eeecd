/* What goes wrong on a line, in a process, or in an agent's head. */
#include "scene.h"

#include <signal.h>
#include <unistd.h>

#include "agent/launch.h"
#include "loop/proc.h"

#define INIT \
	"want \"initialize\"\n" \
	"send {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"protocolVersion\":1," \
	"\"agentCapabilities\":{}}}\n"
#define OPEN INIT \
	"want \"session/new\"\n" \
	"send {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"sessionId\":\"s1\"}}\n"
#define PROMPT "want \"session/prompt\"\nkeep prompt\n"
#define UPDATE(body) "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":" \
	"{\"sessionId\":\"s1\",\"update\":{" body "}}}"
#define CHUNK(text) UPDATE("\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":" \
	"\"text\",\"text\":\"" text "\"}")
#define SAY(text) "send " CHUNK(text) "\n"
#define END "send {\"jsonrpc\":\"2.0\",\"id\":$prompt,\"result\":{\"stopReason\":\"end_turn\"}}\n"

static void play(struct record *r, const char *scene)
{
	scene_play(r, "acp", scene);
}

static const char *said(struct record *r, const char *scene)
{
	play(r, scene);
	scene_turn(r, 1);
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 0, "how"), "ended");
	return text_at(r, KS_EV_AGENT_SAID, 0, "text");
}

/* ---- lines ---- */

static void test_lines_cut_anywhere(void **state)
{
	assert_string_equal(said(*state, OPEN PROMPT
		"raw {\"jsonrpc\":\"2.0\",\"meth\nsleep 20\nraw od\":\"session/update\","
		"\"params\":{\"sessionId\":\"s1\","
		"\"update\":{\"sessionUpdate\":\"agent_message_chunk\","
		"\"content\":{\"type\":\"text\","
		"\"text\":\"\\xe6\nsleep 20\nraw \\xbc\\xa2.\"}}}}\\r\nsleep 20\n"
		"raw \\n\\n\\r\\n{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\\n{\"jsonrpc\":\"2.0\","
		"\"method\":\"y\"}\\n\n"
		END), "\xe6\xbc\xa2.");
}

static void test_bytes_that_are_no_text(void **state)
{
	struct record *r = *state;

	/* Bytes that are no UTF-8, a NUL, escapes, half a surrogate. */
	assert_string_equal(said(r, OPEN PROMPT "raw {\"jsonrpc\":\"2.0\","
		"\"method\":\"session/update\",\"params\":{\"sessionId\":\"s1\","
		"\"update\":{\"sessionUpdate\":\"agent_message_chunk\","
		"\"content\":{\"type\":\"text\","
		"\"text\":\"a\\xffb\\\\u0000c\\\\u001b[31md\\\\ud800e\"}}}}\\n\n"
		"raw \\0\\0\\x1b[2J\\n\n" END),
		"a\xef\xbf\xbd" "b\xef\xbf\xbd" "c\x1b[31md\xef\xbf\xbd" "e");
}

static void test_a_huge_line(void **state)
{
	struct record *r = *state;
	const char *text;

	/* 8 MB are read; 65 MB are not, and what follows them is. */
	text = said(r, OPEN PROMPT "big 8000000 {\"jsonrpc\":\"2.0\",\"method\":\"session/update\","
		"\"params\":{\"sessionId\":\"s1\","
		"\"update\":{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"c\","
		"\"status\":\"completed\",\"content\":[{\"type\":\"content\","
		"\"content\":{\"type\":\"text\",\"text\":\"|\"}}]}}}\n"
		"big 68000000 {\"jsonrpc\":\"2.0\",\"method\":\"|\"}\n" SAY("After.") END);
	assert_string_equal(text, "After.");
	assert_int_equal(record_count(r, KS_EV_TOOL_ENDED), 1);
	assert_true(strlen(text_at(r, KS_EV_TOOL_ENDED, 0, "text")) < 300000);
	assert_non_null(strstr(text_at(r, KS_EV_NOTICE, 0, "text"), "64 MB"));
}

static void test_closes_in_a_line(void **state)
{
	struct record *r = *state;

	play(r, OPEN PROMPT SAY("I") "raw {\"jsonrpc\":\"2.0\",\"id\":\nexit 3\n");
	scene_prompt(r, 1);
	assert_true(record_spin(r, &r->gone, 1, 20000));
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 0, "how"), "error");
	assert_int_equal(int_at(r, KS_EV_AGENT_EXITED, 0, "status"), 3);
}

static void test_noise(void **state)
{
	struct record *r = *state;
	struct scene_how how = {0};

	assert_int_equal(scene_start(r, "acp", "flood 30 npm warn number $n\n" OPEN PROMPT
		"send Now using node v22\nsend []\nsend 12\nsend {\"jsonrpc\":\"2.0\"}\n"
		"send {\"id\":1,\"id\":2}\n" SAY("Yes.") END, &how, NULL), 0);
	assert_true(scene_until(r, KS_EV_AGENT_STARTED, 1));
	assert_int_equal(record_count(r, KS_EV_NOTICE), 1);
	assert_non_null(strstr(text_at(r, KS_EV_NOTICE, 0, "text"), "npm warn number 19"));
	scene_turn(r, 1);
}

/* ---- messages ---- */

static void test_requests_that_nobody_knows(void **state)
{
	struct record *r = *state;

	said(r, OPEN PROMPT "send {\"jsonrpc\":\"2.0\",\"id\":\"w\","
		"\"method\":\"fs/write_text_file\",\"params\":{}}\nsend {\"jsonrpc\":\"2.0\","
		"\"id\":null,\"method\":\"terminal/create\"}\n"
		"send {\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"no/such\",\"params\":[1]}\n"
		"send {\"jsonrpc\":\"2.0\",\"method\":\"_no/such\","
		"\"params\":null}\n" SAY("Yes.") END);
	assert_true(scene_read(r, "\"id\":\"w\",\"error\":{\"code\":-32601"));
	assert_true(scene_read(r, "\"id\":null,\"error\":{\"code\":-32601"));
	assert_true(scene_read(r, "\"id\":0,\"error\":{\"code\":-32601"));
}

static void test_answers_that_nobody_waits_for(void **state)
{
	struct record *r = *state;

	said(r, OPEN PROMPT "send {\"jsonrpc\":\"2.0\",\"id\":77,"
		"\"result\":{\"stopReason\":\"end_turn\"}}\n"
		"send {\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,"
		"\"message\":\"Parse error\"}}\n"
		"send {\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":null}\n"
		"send {\"jsonrpc\":\"2.0\",\"id\":0,"
		"\"result\":{\"protocolVersion\":9}}\n" SAY("Yes.") END END
		END PROMPT SAY("Again.") END);
	scene_turn(r, 2);
	assert_int_equal(r->turns_ended, 2);
	assert_string_equal(text_at(r, KS_EV_AGENT_SAID, 1, "text"), "Again.");
}

static void test_requests_too_early_and_too_late(void **state)
{
	struct record *r = *state;

#define EARLY(id) "send {\"jsonrpc\":\"2.0\",\"id\":" id "," \
	"\"method\":\"session/request_permission\",\"params\":{\"sessionId\":\"s1\"," \
	"\"toolCall\":{\"toolCallId\":\"c" id "\"},\"options\":[]}}\n"
	play(r, EARLY("1") OPEN PROMPT "want \"session/cancel\"\n" EARLY("2") "want \"id\":2\n"
		"send {\"jsonrpc\":\"2.0\",\"id\":$prompt,"
		"\"result\":{\"stopReason\":\"cancelled\"}}\n");
	assert_true(scene_read(r, "\"id\":1,\"result\":{\"outcome\":{\"outcome\":\"cancelled\"}}"));
	scene_prompt(r, 1);
	assert_true(scene_until(r, KS_EV_TURN_STARTED, 1));
	scene_cancel(r);
	assert_true(record_spin(r, &r->turns_ended, 1, 20000));
	assert_true(scene_read(r, "\"id\":2,\"result\":{\"outcome\":{\"outcome\":\"cancelled\"}}"));
	assert_int_equal(record_count(r, KS_EV_PERMISSION_ASKED), 0);
}

static void test_updates_outside_a_turn(void **state)
{
	struct record *r = *state;

	play(r, OPEN SAY("By the way.") "send " UPDATE("\"sessionUpdate\":\"tool_call\","
		"\"toolCallId\":\"c\",\"title\":\"ls\",\"status\":\"in_progress\"") "\n"
		"send " UPDATE("\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"c\","
		"\"status\":\"dreaming\"") "\nsend " UPDATE(
		"\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":"
		"\"c\",\"status\":\"completed\"") "\n" PROMPT SAY("Yes.") END);
	assert_true(scene_until(r, KS_EV_TOOL_ENDED, 1));
	assert_int_equal(record_count(r, KS_EV_TURN_STARTED), 0);
	scene_turn(r, 1);
	assert_int_equal(int_at(r, KS_EV_TURN_ENDED, 0, "calls"), 0);
}

static void test_shapes_that_are_wrong(void **state)
{
	static const char *const bodies[] = {"null", "[]", "1", "{}", "\"x\"",
		"{\"sessionUpdate\":7}", "{\"sessionUpdate\":\"tool_call\"}",
		("{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"z\",\"content\":{\"a\":1},"
		"\"locations\":\"here\",\"rawInput\":[1,{}],\"rawOutput\":{\"output\":[]},"
		"\"_meta\":[]}"),
		"{\"sessionUpdate\":\"plan\",\"entries\":{\"a\":[]}}",
		"{\"sessionUpdate\":\"agent_message_chunk\",\"content\":[[],{},"
		"{\"type\":\"image\"}]}",
		"{\"sessionUpdate\":\"usage_update\",\"used\":\"all\",\"cost\":3}",
		"{\"sessionUpdate\":\"current_mode_update\",\"currentModeId\":{}}",
		"{\"sessionUpdate\":\"config_option_update\",\"configOptions\":[1]}",
		"{\"sessionUpdate\":\"session_info_update\",\"_meta\":{\"codex\":{\"error\":1}}}"};
	struct ks_buf scene = {0};

	ks_buf_adds(&scene, OPEN PROMPT);
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		ks_buf_addf(&scene,
			"send {\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":"
			"{\"sessionId\":\"s1\",\"update\":%s}}\n", bodies[i]);
	}
	ks_buf_adds(&scene, SAY("Yes.") END);
	play(*state, scene.ptr);
	scene_turn(*state, 1);
	ks_buf_fini(&scene);
}

/* ---- floods ---- */

static void test_flood(void **state)
{
	struct record *r = *state;

	/* 30 000 updates as fast as they come, of text and of one call. */
	play(r, OPEN PROMPT "flood 10000 " CHUNK("word $n. ") "\n"
		"flood 10000 " UPDATE("\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"c\","
		"\"kind\":\"execute\",\"status\":\"in_progress\",\"rawInput\":{\"command\":\"x\"},"
		"\"content\":[{\"type\":\"content\","
		"\"content\":{\"type\":\"text\",\"text\":\"line $n\"}}]") "\n"
		"flood 10000 " UPDATE("\"sessionUpdate\":\"usage_update\",\"used\":$n,"
		"\"size\":9") "\n"
		END);
	scene_turn(r, 1);
	assert_in_range(record_count(r, KS_EV_AGENT_SAID), 1, 200);
	assert_int_equal(record_count(r, KS_EV_TOOL_STARTED), 1);
	assert_in_range(record_count(r, KS_EV_AGENT_USAGE), 1, 30);
}

static void test_many_calls_at_once(void **state)
{
	struct record *r = *state;

	play(r, OPEN PROMPT "flood 1500 " UPDATE("\"sessionUpdate\":\"tool_call\",\"toolCallId\":"
		"\"call-$n\",\"title\":\"t\",\"status\":\"in_progress\"") "\n" END);
	scene_turn(r, 1);
	assert_int_equal(record_count(r, KS_EV_TOOL_STARTED), 1500);
	assert_int_equal(record_count(r, KS_EV_TOOL_ENDED), 476); /* more are not kept open */
}

/* ---- processes ---- */

static void test_dies(void **state)
{
	struct record *r = *state;

	play(r, OPEN PROMPT SAY("I was ") "errorfill 400000\nerrors the last words\ndie\n");
	scene_prompt(r, 1);
	assert_true(record_spin(r, &r->gone, 1, 20000));
	assert_string_equal(text_at(r, KS_EV_AGENT_SAID, 0, "text"), "I was ");
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 0, "how"), "error");
	assert_int_equal(int_at(r, KS_EV_AGENT_EXITED, 0, "signal"), SIGKILL);
	assert_non_null(strstr(text_at(r, KS_EV_AGENT_EXITED, 0, "tail"), "the last words"));
	assert_true(strlen(text_at(r, KS_EV_AGENT_EXITED, 0, "tail")) < 3000);
	assert_int_equal(r->events[r->count - 1].kind, KS_EV_AGENT_EXITED);
}

static void test_ends_at_once(void **state)
{
	struct record *r = *state;
	struct scene_how how = {0};

	assert_int_equal(scene_start(r, "acp", "errors bad option --acp\nexit 2\n", &how, NULL), 0);
	assert_true(record_spin(r, &r->gone, 1, 20000));
	assert_int_equal(int_at(r, KS_EV_AGENT_EXITED, 0, "status"), 2);
	assert_string_equal(text_at(r, KS_EV_AGENT_EXITED, 0, "tail"), "bad option --acp");
	assert_int_equal(record_count(r, KS_EV_AGENT_STARTED), 0);
}

static void refuses_to_start(struct record *r, const char *scene, const char *why)
{
	struct scene_how how = {0};

	assert_int_equal(scene_start(r, "acp", scene, &how, NULL), 0);
	assert_true(record_spin(r, &r->gone, 1, 20000));
	assert_non_null(strstr(text_at(r, KS_EV_AGENT_EXITED, 0, "tail"), why));
	assert_int_not_equal(int_at(r, KS_EV_AGENT_EXITED, 0, "status"), 0);
}

static void test_another_protocol(void **state)
{
	refuses_to_start(*state, "want initialize\nsend {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":"
		"{\"protocolVersion\":2}}\n", "version 2");
}

static void test_wants_a_login(void **state)
{
	refuses_to_start(*state, INIT "want session/new\nsend {\"jsonrpc\":\"2.0\",\"id\":$id,"
		"\"error\":{\"code\":-32000,\"message\":\"Authentication required\"}}\n",
		"wants a login");
}

static void test_no_such_program(void **state)
{
	struct record *r = *state;
	struct ks_sink sink = {r, record_observed, record_gone};
	struct ks_agent_setup setup = {.loop = r->loop, .folder = r->dir,
		.argument = "no-such-program-here acp"};
	struct ks_err err = KS_ERR_INIT;

	assert_int_equal(ks_driver_find("acp")->start(&r->agent, &setup, &sink, &err),
		KS_ENOTFOUND);
	assert_non_null(strstr(err.msg, "no-such-program-here: not in PATH"));
	assert_int_equal(ks_driver_find("acp")->check("", NULL, NULL), KS_EINVAL);
	assert_int_equal(ks_driver_find("acp")->check("a 'b", NULL, NULL), KS_EINVAL);
}

/* An agent that says nothing: told once, ended in the end, with all it started. */
static void test_never_answers(void **state)
{
	struct record *r = *state;
	struct scene_how how = {.stall_ms = 50};
	struct ks_proc *list = NULL;
	size_t count = 0, marked = 0;
	char *own = ks_asprintf("test/%d.", (int)getpid()); /* others run beside this program */

	assert_int_equal(scene_start(r, "acp", OPEN "deaf\nstray 1000\n" PROMPT "hang\n", &how,
		NULL), 0);
	assert_true(scene_until(r, KS_EV_AGENT_STARTED, 1));
	scene_prompt(r, 1);
	assert_true(scene_until(r, KS_EV_NOTICE, 1));
	assert_true(scene_until(r, KS_EV_TURN_STARTED, 1));
	scene_cancel(r);
	scene_stop(r);
	assert_int_equal(record_count(r, KS_EV_NOTICE), 1);
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 0, "how"), "cancelled");
	assert_int_equal(int_at(r, KS_EV_AGENT_EXITED, 0, "signal"), SIGKILL);
	assert_int_equal(ks_proc_list(&list, &count, NULL), 0);
	for (size_t i = 0; i < count; i++) {
		marked += list[i].state != 'Z' && ks_proc_marked(list[i].pid, own);
	}
	free(list);
	free(own);
	assert_int_equal(marked, 0);
}

static void test_starts_again(void **state)
{
	struct record *r = *state;
	struct scene_how how = {.session = "s1"};

	play(r, OPEN "die\n");
	assert_true(record_spin(r, &r->gone, 1, 20000));
	assert_int_equal(scene_start(r, "acp",
		"want initialize\nsend {\"jsonrpc\":\"2.0\",\"id\":$id,"
		"\"result\":{\"protocolVersion\":1,\"agentCapabilities\":{\"sessionCapabilities\":"
		"{\"resume\":{}}}}}\nwant session/resume\nsend {\"jsonrpc\":\"2.0\",\"id\":$id,"
		"\"result\":{}}\n"
		PROMPT SAY("Yes.") END, &how, NULL), 0);
	assert_true(scene_until(r, KS_EV_AGENT_STARTED, 2));
	assert_string_equal(text_at(r, KS_EV_AGENT_SESSION, 1, "how"), "resumed");
	scene_turn(r, 1);
}

/* ---- what to start ---- */

static void test_words(void **state)
{
	char **words = NULL;

	assert_int_equal(ks_words(&words, " a 'b c'  \"d \\\" e\" f\\ g \"\" ", NULL), 0);
	assert_string_equal(words[0], "a");
	assert_string_equal(words[1], "b c");
	assert_string_equal(words[2], "d \" e");
	assert_string_equal(words[3], "f g");
	assert_string_equal(words[4], "");
	assert_null(words[5]);
	ks_words_free(words);
	assert_int_equal(ks_words(&words, "  ", NULL), KS_EINVAL);
	assert_int_equal(ks_words(&words, "a \"b", NULL), KS_EINVAL);
	assert_true(ks_version_below("0.23.1", "0.49"));
	assert_false(ks_version_below("0.101.0", "0.49"));
	assert_false(ks_version_below("1", "1.0"));
	assert_false(ks_version_below("beta", "1.0"));
}

static void test_names(void **state)
{
	struct record *r = *state;
	char *agents = ks_path_join(r->tools, "agents.json");
	char *scene = ks_path_join(r->tools, "scene");
	char *text = ks_asprintf("{\"kseek_agents\":1,\"agents\":{\"mine\":{\"driver\":\"acp\","
		"\"command\":[\"%s\",\"%s\"],\"env\":{\"X\":\"1\"},\"label\":\"Mine\","
		"\"info\":\"odd\",\"usage\":\"session\",\"warn\":[{\"below\":\"2.0\","
		"\"text\":\"too old\"}]},\"other\":{\"driver\":\"claude\",\"command\":[\"x\"]}}}",
		getenv("SCENE"), scene);
	struct ks_agent_setup setup = {.loop = r->loop, .folder = r->dir, .argument = "mine",
		.exec = getenv("KSEEK_EXEC"), .agents = agents, .mark = "test"};
	struct ks_sink sink = {r, record_observed, record_gone};
	struct ks_err err = KS_ERR_INIT;

	record_put(r->tools, "agents.json", text, 0644);
	record_put(r->tools, "scene",
		"want initialize\nsend {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":"
		"{\"protocolVersion\":1,\"agentInfo\":{\"name\":\"odd\",\"version\":\"1.9\"}}}\n"
		"want session/new\nsend {\"jsonrpc\":\"2.0\",\"id\":$id,"
		"\"result\":{\"sessionId\":\"s1\"}}\n"
		PROMPT SAY("Yes.") "send {\"jsonrpc\":\"2.0\",\"id\":$prompt,"
		"\"result\":{\"stopReason\":\"end_turn\",\"usage\":{\"outputTokens\":4}}}\n", 0644);
	assert_int_equal(ks_driver_find("acp")->start(&r->agent, &setup, &sink, &err), 0);
	assert_true(scene_until(r, KS_EV_AGENT_STARTED, 1));
	assert_string_equal(text_at(r, KS_EV_AGENT_STARTED, 0, "label"), "Mine 1.9");
	assert_non_null(strstr(text_at(r, KS_EV_NOTICE, 0, "text"), "too old"));
	scene_turn(r, 1);
	assert_string_equal(text_at(r, KS_EV_AGENT_USAGE, 0, "scope"), "session");
	setup.argument = "other";
	assert_int_equal(ks_agent_check("acp", &setup, &err), KS_EINVAL);
	assert_non_null(strstr(err.msg, "--agent claude:other"));
	ks_err_clear(&err);
	record_put(r->tools, "agents.json", "{\"agents\":[]}", 0644);
	assert_int_equal(ks_agent_check("acp", &setup, &err), KS_EINVAL);
	assert_non_null(strstr(err.msg, "agents.json: $.agents"));
	free(text);
	free(scene);
	free(agents);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, record_setup, record_teardown)
	const struct CMUnitTest tests[] = {
		T(test_lines_cut_anywhere), T(test_bytes_that_are_no_text), T(test_a_huge_line),
		T(test_closes_in_a_line), T(test_noise), T(test_requests_that_nobody_knows),
		T(test_answers_that_nobody_waits_for), T(test_requests_too_early_and_too_late),
		T(test_updates_outside_a_turn), T(test_shapes_that_are_wrong), T(test_flood),
		T(test_many_calls_at_once), T(test_dies), T(test_ends_at_once),
		T(test_another_protocol), T(test_wants_a_login), T(test_no_such_program),
		T(test_never_answers), T(test_starts_again), T(test_words), T(test_names),
	};

	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
