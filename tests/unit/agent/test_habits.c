/*
 * What known agents do each in their own way over ACP, as docs/agents.md has it,
 * with the entries that are installed. How turns end, and what is common, is in
 * test_acp.c.
 */
#include "scene.h"

#define OPEN(name) \
	"want \"initialize\"\n" \
	"send {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"protocolVersion\":1," \
	"\"agentCapabilities\":{},\"agentInfo\":{\"name\":\"" name "\",\"version\":\"9.9\"}}}\n" \
	"want \"session/new\"\n" \
	"send {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"sessionId\":\"s1\"}}\n"
#define PROMPT "want \"session/prompt\"\nkeep prompt\n"
#define UPDATE(body) "send {\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":" \
	"{\"sessionId\":\"s1\",\"update\":{" body "}}}\n"
#define SAY(text) UPDATE("\"sessionUpdate\":\"agent_message_chunk\",\"content\":" \
	"{\"type\":\"text\",\"text\":\"" text "\"}")
#define TOOL(body) UPDATE("\"sessionUpdate\":\"tool_call\"," body)
#define NEXT(body) UPDATE("\"sessionUpdate\":\"tool_call_update\"," body)
#define RESULT(body) "send {\"jsonrpc\":\"2.0\",\"id\":$prompt,\"result\":{" body "}}\n"
#define TEXT(text) "\"content\":[{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"" \
	text "\"}}]"

static void play(struct record *r, const char *scene)
{
	struct scene_how how = {.agents = getenv("AGENTS_FILE")};
	struct ks_err err = KS_ERR_INIT;

	if (scene_start(r, "acp", scene, &how, &err) < 0) {
		fail_msg("%s", err.msg);
	}
	assert_true(scene_until(r, KS_EV_AGENT_STARTED, 1));
}

/* Its early call has no command; its output comes whole, again and again. */
static void test_opencode(void **state)
{
	struct record *r = *state;

	play(r, OPEN("OpenCode") PROMPT
		TOOL("\"toolCallId\":\"c\",\"title\":\"bash\",\"kind\":\"execute\","
			"\"status\":\"pending\",\"rawInput\":{}")
		NEXT("\"toolCallId\":\"c\",\"title\":\"make\",\"status\":\"in_progress\","
			"\"rawInput\":{\"command\":\"make\"}")
		NEXT("\"toolCallId\":\"c\",\"status\":\"in_progress\"," TEXT("one\\n"))
		NEXT("\"toolCallId\":\"c\",\"status\":\"in_progress\"," TEXT("one\\ntwo\\n"))
		NEXT("\"toolCallId\":\"c\",\"status\":\"completed\"," TEXT("one\\ntwo\\nthree\\n"))
		SAY("So.") RESULT("\"stopReason\":\"end_turn\",\"usage\":{\"outputTokens\":3}"));
	scene_turn(r, 1);
	assert_int_equal(record_count(r, KS_EV_TOOL_STARTED), 1);
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 0, "text"), "make");
	assert_string_equal(text_at(r, KS_EV_TOOL_ENDED, 0, "text"), "one\ntwo\nthree\n");
	assert_string_equal(text_at(r, KS_EV_AGENT_USAGE, 0, "scope"), "request");
}

/* Half a megabyte in a line, usage in an empty piece of text, an extension behind
 * the answer, a tool that "failed" since it was cancelled. */
static void test_qwen(void **state)
{
	struct record *r = *state;

	play(r, OPEN("qwen-code")
		"big 560000 {\"jsonrpc\":\"2.0\",\"method\":\"session/update\","
		"\"params\":{\"sessionId\":\"s1\","
		"\"update\":{\"sessionUpdate\":\"available_commands_update\","
		"\"availableCommands\":[],"
		"\"_meta\":{\"availableSkillDetails\":\"|\"}}}}\n"
		PROMPT SAY("Well.")
		UPDATE("\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\","
			"\"text\":\"\"},\"_meta\":{\"usage\":{\"inputTokens\":70,"
			"\"outputTokens\":5}}")
		RESULT("\"stopReason\":\"end_turn\"")
		"send {\"jsonrpc\":\"2.0\",\"method\":\"qwen/notify/session/prompt-suggestion\","
		"\"params\":{\"sessionId\":\"s1\",\"suggestion\":\"go on\"}}\n"
		PROMPT TOOL("\"toolCallId\":\"c\",\"title\":\"sleep 9\",\"kind\":\"execute\","
			"\"status\":\"in_progress\",\"rawInput\":{\"command\":\"sleep 9\"}")
		"want \"session/cancel\"\n"
		NEXT("\"toolCallId\":\"c\",\"status\":\"failed\"," TEXT("aborted"))
		RESULT("\"stopReason\":\"cancelled\""));
	scene_turn(r, 1);
	assert_int_equal(int_at(r, KS_EV_AGENT_USAGE, 0, "input"), 70);
	assert_string_equal(text_at(r, KS_EV_AGENT_USAGE, 0, "scope"), "request");
	scene_prompt(r, 2);
	assert_true(scene_until(r, KS_EV_TOOL_STARTED, 1));
	scene_cancel(r);
	assert_true(record_spin(r, &r->turns_ended, 2, 20000));
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 1, "how"), "cancelled");
	assert_int_equal(record_count(r, KS_EV_TOOL_ENDED), 1);
	assert_int_equal(record_count(r, KS_EV_AGENT_SAID), 1);
}

/* A call that is first seen when it is over, without its output; usage as a quota. */
static void test_gemini(void **state)
{
	struct record *r = *state;

	play(r, OPEN("gemini-cli") PROMPT
		NEXT("\"toolCallId\":\"run_shell_command__1\",\"title\":\"ls -l\","
			"\"kind\":\"execute\",\"status\":\"completed\"")
		SAY("Seen.") RESULT("\"stopReason\":\"end_turn\","
			"\"_meta\":{\"quota\":{\"token_count\":{\"input_tokens\":9,"
			"\"output_tokens\":4}}}"));
	scene_turn(r, 1);
	assert_int_equal(record_count(r, KS_EV_TOOL_STARTED), 1);
	assert_int_equal(record_count(r, KS_EV_TOOL_ENDED), 1);
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 0, "title"), "ls -l");
	assert_int_equal(int_at(r, KS_EV_AGENT_USAGE, 0, "output"), 4);
	assert_string_equal(text_at(r, KS_EV_AGENT_USAGE, 0, "scope"), "turn");
}

/* Modes that are addresses, a subagent's call, no word of a call that was cancelled,
 * usage of the whole session, and errors as talk although tokens were used before. */
static void test_copilot(void **state)
{
	struct record *r = *state;

	play(r, "want \"initialize\"\n"
		"send {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"protocolVersion\":1,"
		"\"agentInfo\":{\"name\":\"Copilot\",\"version\":\"1.0\"}}}\nwant \"session/new\"\n"
		"send {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"sessionId\":\"s1\",\"modes\":{"
		"\"currentModeId\":\"https://modes.invalid/agent\",\"availableModes\":[{\"id\":"
		"\"https://modes.invalid/agent\",\"name\":\"Agent\"}]}}}\n"
		PROMPT TOOL("\"toolCallId\":\"t\",\"title\":\"Look\",\"kind\":\"read\",\"status\":"
			"\"completed\",\"_meta\":{\"github.com/copilot\":{\"agentId\":\"task_1\"}}")
		SAY("Info: retrying") SAY("Seen.")
		RESULT("\"stopReason\":\"end_turn\",\"usage\":{\"outputTokens\":40}")
		PROMPT TOOL("\"toolCallId\":\"c\",\"title\":\"sleep 9\",\"kind\":\"execute\","
			"\"status\":\"in_progress\",\"rawInput\":{\"command\":\"sleep 9\"}")
		"want \"session/cancel\"\n" RESULT("\"stopReason\":\"cancelled\"")
		PROMPT SAY("Error: 400 the model is not there")
		RESULT("\"stopReason\":\"end_turn\",\"usage\":{\"outputTokens\":40}"));
	assert_string_equal(text_at(r, KS_EV_AGENT_MODE, 0, "mode"), "https://modes.invalid/agent");
	scene_turn(r, 1);
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 0, "parent"), "task_1");
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 0, "how"), "ended");
	assert_string_equal(text_at(r, KS_EV_AGENT_USAGE, 0, "scope"), "session");
	scene_prompt(r, 2);
	assert_true(scene_until(r, KS_EV_TOOL_STARTED, 2));
	scene_cancel(r);
	assert_true(record_spin(r, &r->turns_ended, 2, 20000));
	assert_true(ks_json_get_bool(record_nth(r, KS_EV_TOOL_ENDED, 1), "cancelled", false));
	scene_turn(r, 3);
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 2, "how"), "error");
}

/* Empty pieces, updates without state, output as a list; and the answer of 0.23
 * behind an interrupt, which has nothing in it: that is no end to compute a goal on. */
static void test_claude_agent(void **state)
{
	struct record *r = *state;

	play(r, OPEN("@agentclientprotocol/claude-agent-acp") PROMPT SAY("")
		TOOL("\"toolCallId\":\"c\",\"title\":\"`ls`\",\"kind\":\"execute\","
			"\"status\":\"pending\",\"rawInput\":{\"command\":\"ls\"},"
			"\"_meta\":{\"claudeCode\":{\"toolName\":\"Bash\"}}")
		NEXT("\"toolCallId\":\"c\",\"_meta\":{\"claudeCode\":{\"toolName\":\"Bash\"}}")
		NEXT("\"toolCallId\":\"c\",\"status\":\"completed\","
			"\"rawOutput\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\","
			"\"text\":\"b\"}]")
		SAY("Two.") RESULT("\"stopReason\":\"end_turn\",\"usage\":{\"outputTokens\":8}")
		PROMPT RESULT("\"stopReason\":\"end_turn\",\"usage\":{\"inputTokens\":0,"
		"\"outputTokens\":0}"));
	scene_turn(r, 1);
	assert_int_equal(record_count(r, KS_EV_AGENT_SAID), 1);
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 0, "text"), "ls");
	assert_non_null(strchr(text_at(r, KS_EV_TOOL_ENDED, 0, "text"), 'b'));
	scene_turn(r, 2);
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 1, "how"), "error");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, record_setup, record_teardown)
	const struct CMUnitTest tests[] = {
		T(test_opencode), T(test_qwen), T(test_gemini), T(test_copilot),
		T(test_claude_agent),
	};

	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
