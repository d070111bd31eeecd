/* The ACP driver against an agent that plays scenes. */
#include "scene.h"

#include <unistd.h>

#include "loop/proc.h"

#define INIT \
	"want \"initialize\"\n" \
	"send {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"protocolVersion\":1," \
	"\"agentCapabilities\":{\"loadSession\":true,\"sessionCapabilities\":{\"resume\":{}}}," \
	"\"agentInfo\":{\"name\":\"Tested\",\"version\":\"1.2.3\"}}}\n"
#define OPEN INIT \
	"want \"session/new\"\n" \
	"send {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"sessionId\":\"s1\"}}\n"
#define PROMPT "want \"session/prompt\"\nkeep prompt\n"
#define UPDATE(body) "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":" \
	"{\"sessionId\":\"s1\",\"update\":{" body "}}}"
#define SAY(text) "send " UPDATE("\"sessionUpdate\":\"agent_message_chunk\",\"content\":" \
	"{\"type\":\"text\",\"text\":\"" text "\"}") "\n"
#define TOOL(body) "send " UPDATE("\"sessionUpdate\":\"tool_call\"," body) "\n"
#define TOOL_NEXT(body) "send " UPDATE("\"sessionUpdate\":\"tool_call_update\"," body) "\n"
#define RESULT(body) "send {\"jsonrpc\":\"2.0\",\"id\":$prompt,\"result\":{" body "}}\n"
#define END RESULT("\"stopReason\":\"end_turn\",\"usage\":{\"inputTokens\":10,\"outputTokens\":2}")
#define OPTIONS "\"options\":[{\"optionId\":\"p2\",\"kind\":\"allow_always\"," \
	"\"name\":\"Always\"}," \
	"{\"optionId\":\"p1\",\"kind\":\"allow_once\",\"name\":\"Yes\"}," \
	"{\"optionId\":\"p0\",\"kind\":\"reject_once\",\"name\":\"No\"}]"
#define ASK(id, call) "send {\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":" \
	"\"session/request_permission\",\"params\":{\"sessionId\":\"s1\",\"toolCall\":" \
	"{\"toolCallId\":\"" call "\",\"title\":\"make\",\"kind\":\"execute\",\"rawInput\":" \
	"{\"command\":\"make\"}}," OPTIONS "}}\n"

static void play(struct record *r, const char *scene)
{
	scene_play(r, "acp", scene);
}

/* ---- a turn ---- */

static void test_a_turn(void **state)
{
	struct record *r = *state;

	play(r, OPEN PROMPT SAY("I look") SAY(" first.")
		TOOL("\"toolCallId\":\"c1\",\"title\":\"bash\",\"kind\":\"execute\","
			"\"status\":\"pending\",\"rawInput\":{}")
		TOOL_NEXT("\"toolCallId\":\"c1\",\"title\":\"cc -O3 k.c\","
			"\"status\":\"in_progress\",\"rawInput\":{\"command\":\"cc -O3 k.c\"}")
		TOOL_NEXT("\"toolCallId\":\"c1\",\"status\":\"in_progress\",\"content\":[{\"type\":"
			"\"content\",\"content\":{\"type\":\"text\",\"text\":\"par\"}}]")
		TOOL_NEXT("\"toolCallId\":\"c1\",\"status\":\"completed\","
			"\"rawOutput\":{\"output\":\"partly\\n\",\"metadata\":{\"exit\":2}}")
		TOOL_NEXT("\"toolCallId\":\"c1\",\"status\":\"completed\"")
		SAY("Done.") END);
	assert_string_equal(text_at(r, KS_EV_AGENT_STARTED, 0, "driver"), "acp");
	assert_non_null(strstr(text_at(r, KS_EV_AGENT_STARTED, 0, "label"), "1.2.3"));
	assert_string_equal(text_at(r, KS_EV_AGENT_SESSION, 0, "session"), "s1");
	assert_string_equal(text_at(r, KS_EV_AGENT_SESSION, 0, "how"), "new");
	scene_turn(r, 7);
	assert_int_equal(int_at(r, KS_EV_TURN_STARTED, 0, "message"), 7);
	assert_string_equal(text_at(r, KS_EV_AGENT_SAID, 0, "text"), "I look first.");
	assert_string_equal(text_at(r, KS_EV_AGENT_SAID, 1, "text"), "Done.");
	assert_int_equal(record_count(r, KS_EV_TOOL_STARTED), 1);
	assert_int_equal(record_count(r, KS_EV_TOOL_ENDED), 1);
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 0, "tool"), "shell");
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 0, "name"), "bash");
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 0, "text"), "cc -O3 k.c");
	assert_string_equal(text_at(r, KS_EV_TOOL_ENDED, 0, "text"), "partly\n");
	assert_int_equal(int_at(r, KS_EV_TOOL_ENDED, 0, "status"), 2);
	assert_false(ks_json_get_bool(record_nth(r, KS_EV_TOOL_ENDED, 0), "ok", true));
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 0, "how"), "ended");
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 0, "stop"), "end_turn");
	assert_int_equal(int_at(r, KS_EV_TURN_ENDED, 0, "calls"), 1);
	assert_int_equal(int_at(r, KS_EV_AGENT_USAGE, 0, "output"), 2);
	/* Neither files nor terminals are announced. */
	assert_true(scene_read(r, "\"fs\":{\"readTextFile\":false,\"writeTextFile\":false},"
		"\"terminal\":false"));
	assert_true(scene_read(r, "\"elicitation\":{\"form\":{}}"));
	scene_stop(r);
	assert_int_equal(int_at(r, KS_EV_AGENT_EXITED, 0, "status"), 0);
}

static void test_two_turns(void **state)
{
	struct record *r = *state;

	play(r, OPEN "label again\n" PROMPT SAY("Yes.") END "goto again\n");
	scene_turn(r, 1);
	assert_int_equal(record_prompt(r, 2, "", 0), 0);
	assert_int_equal(record_prompt(r, 3, "", 0), KS_EBUSY);
	assert_true(record_spin(r, &r->turns_ended, 2, 20000));
	assert_int_equal(int_at(r, KS_EV_TURN_STARTED, 1, "turn"), 2);
	assert_int_equal(int_at(r, KS_EV_TURN_ENDED, 1, "turn"), 2);
}

/* ---- tool calls ---- */

static void test_first_sight_anywhere(void **state)
{
	struct record *r = *state;

	play(r, OPEN PROMPT
		TOOL_NEXT("\"toolCallId\":\"u1\",\"status\":\"completed\",\"title\":\"ls\","
			"\"kind\":\"execute\",\"content\":[{\"type\":\"content\","
			"\"content\":{\"type\":\"text\",\"text\":\"a b\"}}]")
		ASK("\"x-1\"", "u2") "want \"optionId\"\n"
		TOOL_NEXT("\"toolCallId\":\"u2\",\"status\":\"failed\"") END);
	scene_prompt(r, 1);
	assert_true(scene_until(r, KS_EV_PERMISSION_ASKED, 1));
	assert_int_equal(record_count(r, KS_EV_TOOL_STARTED), 2);
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 0, "title"), "ls");
	assert_string_equal(text_at(r, KS_EV_TOOL_ENDED, 0, "text"), "a b");
	assert_string_equal(text_at(r, KS_EV_PERMISSION_ASKED, 0, "call"), "u2");
	assert_string_equal(text_at(r, KS_EV_PERMISSION_ASKED, 0, "text"), "make");
	assert_string_equal(text_at(r, KS_EV_PERMISSION_ASKED, 0, "tool"), "shell");
	assert_int_equal(ks_json_count(ks_json_get(record_nth(r, KS_EV_PERMISSION_ASKED, 0),
		"options")), 3);
	scene_answer(r, text_at(r, KS_EV_PERMISSION_ASKED, 0, "ask"), NULL, "allow_once", NULL);
	assert_true(scene_read(r,
		"\"id\":\"x-1\",\"result\":{\"outcome\":{\"outcome\":\"selected\","
		"\"optionId\":\"p1\"}}"));
	assert_true(record_spin(r, &r->turns_ended, 1, 20000));
	assert_false(ks_json_get_bool(record_nth(r, KS_EV_TOOL_ENDED, 1), "ok", true));
	assert_int_equal(record_count(r, KS_EV_PERMISSION_ANSWERED), 0);
}

static void test_command_comes_late(void **state)
{
	struct record *r = *state;

	play(r, OPEN PROMPT TOOL("\"toolCallId\":\"c\",\"title\":\"bash\",\"kind\":\"execute\","
			"\"status\":\"in_progress\"")
		TOOL_NEXT("\"toolCallId\":\"c\",\"rawInput\":{\"command\":[\"bash\",\"-lc\","
			"\"./kseek eval\"]}")
		TOOL_NEXT("\"toolCallId\":\"c\",\"status\":\"completed\"") END);
	scene_turn(r, 1);
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 0, "text"), "");
	assert_string_equal(text_at(r, KS_EV_TOOL_UPDATED, 0, "text"), "./kseek eval");
	assert_string_equal(text_at(r, KS_EV_TOOL_UPDATED, 0, "tool"), "eval");
}

/* Some number their calls anew in every turn; what comes late of an old one, or twice
 * of a new one, is none. */
static void test_ids_used_again(void **state)
{
	struct record *r = *state;
	const char *const call = TOOL("\"toolCallId\":\"call_0\",\"title\":\"ls\","
		"\"kind\":\"execute\",\"status\":\"in_progress\",\"rawInput\":{\"command\":\"ls\"}")
		TOOL_NEXT("\"toolCallId\":\"call_0\",\"status\":\"completed\"");
	struct ks_buf scene = {0};

	ks_buf_addf(&scene, "%s%s%s%s%s%s%s", OPEN PROMPT, call, call, END PROMPT
		TOOL_NEXT("\"toolCallId\":\"call_0\",\"status\":\"failed\""), call, call, END);
	play(r, scene.ptr);
	scene_turn(r, 1);
	scene_turn(r, 2);
	assert_int_equal(record_count(r, KS_EV_TOOL_STARTED), 2);
	assert_int_equal(record_count(r, KS_EV_TOOL_ENDED), 2);
	assert_true(ks_json_get_bool(record_nth(r, KS_EV_TOOL_ENDED, 1), "ok", false));
	assert_int_equal(int_at(r, KS_EV_TURN_ENDED, 1, "calls"), 1);
	ks_buf_fini(&scene);
}

static void test_terminal_output_and_parents(void **state)
{
	struct record *r = *state;

	play(r, OPEN PROMPT
		TOOL("\"toolCallId\":\"t\",\"name\":\"exec_command\",\"kind\":\"execute\","
			"\"title\":\"run\",\"status\":\"in_progress\","
			"\"content\":[{\"type\":\"terminal\",\"terminalId\":\"t\"}],"
			"\"rawInput\":{\"command\":\"run\"}")
		TOOL_NEXT("\"toolCallId\":\"t\",\"_meta\":{\"terminal_output_delta\":{"
		"\"data\":\"one\\n\"}}")
		TOOL_NEXT("\"toolCallId\":\"t\",\"_meta\":{\"terminal_output_delta\":{"
		"\"data\":\"two\\n\"}}")
		TOOL_NEXT("\"toolCallId\":\"t\",\"status\":\"completed\","
		"\"rawOutput\":{\"exit_code\":0}")
		TOOL("\"toolCallId\":\"k\",\"title\":\"Read a\",\"kind\":\"read\","
			"\"status\":\"completed\",\"locations\":[{\"path\":\"/elsewhere/a.c\"}],"
			"\"_meta\":{\"claudeCode\":{\"toolName\":\"Read\","
			"\"parentToolUseId\":\"t\"}}")
		TOOL("\"toolCallId\":\"d\",\"title\":\"Edit\",\"kind\":\"edit\","
			"\"status\":\"completed\",\"content\":[{\"type\":\"diff\",\"path\":\"k.c\","
			"\"oldText\":\"a\\nb\\n\",\"newText\":\"a\\nc\\nd\\n\"}]")
		END);
	scene_turn(r, 1);
	assert_string_equal(text_at(r, KS_EV_TOOL_ENDED, 0, "text"), "one\ntwo\n");
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 1, "parent"), "t");
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 1, "tool"), "read");
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 1, "path"), "/elsewhere/a.c");
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 2, "tool"), "edit");
	assert_int_equal(int_at(r, KS_EV_TOOL_ENDED, 2, "added"), 2);
	assert_int_equal(int_at(r, KS_EV_TOOL_ENDED, 2, "removed"), 1);
	assert_non_null(strstr(text_at(r, KS_EV_TOOL_ENDED, 2, "diff"), "-b\n+c\n+d\n"));
}

/* ---- cancelling ---- */

static void test_cancel(void **state)
{
	struct record *r = *state;

	/* The tool gets no end; a late one after the answer is nobody's. */
	play(r, OPEN PROMPT TOOL("\"toolCallId\":\"c\",\"title\":\"sleep\",\"kind\":\"execute\","
			"\"status\":\"in_progress\",\"rawInput\":{\"command\":\"sleep 9\"}")
		ASK("0", "q") ASK("null", "w")
		"want \"session/cancel\"\nwant \"cancelled\"\nwant \"cancelled\"\n"
		RESULT("\"stopReason\":\"cancelled\"")
		TOOL_NEXT("\"toolCallId\":\"c\",\"status\":\"completed\"")
		PROMPT SAY("On.") END);
	scene_prompt(r, 1);
	assert_true(scene_until(r, KS_EV_PERMISSION_ASKED, 2));
	scene_cancel(r);
	assert_true(record_spin(r, &r->turns_ended, 1, 20000));
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 0, "how"), "cancelled");
	assert_int_equal(record_count(r, KS_EV_PERMISSION_ANSWERED), 2);
	assert_string_equal(text_at(r, KS_EV_PERMISSION_ANSWERED, 0, "why"), "cancelled");
	assert_true(ks_json_get_bool(record_nth(r, KS_EV_TOOL_ENDED, 0), "cancelled", false));
	assert_true(scene_read(r, "\"id\":0,\"result\":{\"outcome\":{\"outcome\":\"cancelled\"}}"));
	assert_true(scene_read(r,
		"\"id\":null,\"result\":{\"outcome\":{\"outcome\":\"cancelled\"}}"));
	scene_turn(r, 2);
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 1, "how"), "ended");
	assert_int_equal(record_count(r, KS_EV_TOOL_ENDED), 3);
}

/* opencode and gemini call a tool that was cancelled "completed", and some end
 * such a turn as if nothing had been. */
static void test_cancel_said_otherwise(void **state)
{
	struct record *r = *state;

	play(r, OPEN PROMPT TOOL("\"toolCallId\":\"c\",\"title\":\"sleep\",\"kind\":\"execute\","
			"\"status\":\"in_progress\",\"rawInput\":{\"command\":\"sleep 9\"}")
		"want \"session/cancel\"\n"
		TOOL_NEXT("\"toolCallId\":\"c\",\"status\":\"completed\","
			"\"content\":[{\"type\":\"content\",\"content\":{\"type\":\"text\","
			"\"text\":\"(no output) aborted\"}}]") END
		PROMPT "want \"session/cancel\"\nsend {\"jsonrpc\":\"2.0\",\"id\":$prompt,"
		"\"error\":{\"code\":-32800,\"message\":\"cancelled\"}}\n");
	scene_prompt(r, 1);
	assert_true(scene_until(r, KS_EV_TOOL_STARTED, 1));
	scene_cancel(r);
	assert_true(record_spin(r, &r->turns_ended, 1, 20000));
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 0, "how"), "cancelled");
	scene_prompt(r, 2);
	assert_true(scene_until(r, KS_EV_TURN_STARTED, 2));
	scene_cancel(r);
	assert_true(record_spin(r, &r->turns_ended, 2, 20000));
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 1, "how"), "cancelled");
}

static void test_cancel_idle(void **state)
{
	struct record *r = *state;

	play(r, OPEN PROMPT SAY("Yes.") END);
	scene_cancel(r);
	scene_turn(r, 1);
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 0, "how"), "ended");
}

/* ---- how turns end ---- */

static const char *how_of(struct record *r, const char *scene)
{
	play(r, scene);
	scene_turn(r, 1);
	return text_at(r, KS_EV_TURN_ENDED, 0, "how");
}

static void test_end_of_an_error(void **state)
{
	assert_string_equal(how_of(*state, OPEN PROMPT "send {\"jsonrpc\":\"2.0\",\"id\":$prompt,"
		"\"error\":{\"code\":-32603,\"message\":\"Internal error\",\"data\":{\"details\":"
		"\"API Error: 400\"}}}\n"), "error");
	assert_string_equal(text_at(*state, KS_EV_TURN_ENDED, 0, "text"),
		"Internal error: API Error: 400");
}

static void test_end_of_code_400(void **state)
{
	assert_string_equal(how_of(*state, OPEN PROMPT "send {\"jsonrpc\":\"2.0\",\"id\":$prompt,"
		"\"error\":{\"code\":400,\"message\":\"bad request\"}}\n"), "error");
}

static void test_end_of_an_error_as_text(void **state)
{
	assert_string_equal(how_of(*state, OPEN PROMPT SAY("Info: retrying\\nError: 503 overloaded")
		RESULT("\"stopReason\":\"end_turn\"")), "error");
}

static void test_end_that_only_talks_of_errors(void **state)
{
	assert_string_equal(how_of(*state, OPEN PROMPT TOOL("\"toolCallId\":\"c\",\"title\":\"x\","
		"\"kind\":\"execute\",\"status\":\"completed\",\"rawInput\":{\"command\":\"x\"}")
		SAY("Error bars are now below 1 %.") END), "ended");
}

static void test_end_of_trouble_told_beside(void **state)
{
	assert_string_equal(how_of(*state, OPEN PROMPT "send " UPDATE("\"sessionUpdate\":"
		"\"session_info_update\","
		"\"_meta\":{\"codex\":{\"error\":{\"message\":\"Reconnecting 5/5\","
		"\"additionalDetails\":\"stream disconnected\"}}}") "\n" SAY("partly")
		RESULT("\"stopReason\":\"end_turn\",\"usage\":null")), "error");
}

static void test_end_without_a_word(void **state)
{
	assert_string_equal(how_of(*state, OPEN PROMPT
		RESULT("\"stopReason\":\"end_turn\",\"usage\":{\"inputTokens\":0,"
		"\"outputTokens\":0}")),
		"error");
}

static void test_end_by_limit(void **state)
{
	assert_string_equal(how_of(*state, OPEN PROMPT SAY("So far")
		RESULT("\"stopReason\":\"max_turn_requests\"")), "limit");
}

static void test_end_by_refusal(void **state)
{
	assert_string_equal(how_of(*state, OPEN PROMPT SAY("No.")
		RESULT("\"stopReason\":\"refusal\"")), "error");
}

static void test_end_by_an_unknown_word(void **state)
{
	assert_string_equal(how_of(*state, OPEN PROMPT SAY("Well.")
		RESULT("\"stopReason\":\"bored\"")), "ended");
	assert_string_equal(text_at(*state, KS_EV_TURN_ENDED, 0, "stop"), "bored");
}

/* ---- questions ---- */

static void test_permissions_by_kind(void **state)
{
	struct record *r = *state;
	const char *ask;

	play(r, OPEN PROMPT ASK("\"a\"", "c1") ASK("9007199254740993", "c2") ASK("3", "c3")
		"want optionId\nwant optionId\nwant cancelled\n" SAY("Fine.") END);
	scene_prompt(r, 1);
	assert_true(scene_until(r, KS_EV_PERMISSION_ASKED, 3));
	ask = text_at(r, KS_EV_PERMISSION_ASKED, 0, "ask");
	assert_string_not_equal(ask, text_at(r, KS_EV_PERMISSION_ASKED, 1, "ask"));
	scene_answer(r, ask, NULL, "allow_always", NULL);
	scene_answer(r, text_at(r, KS_EV_PERMISSION_ASKED, 1, "ask"), "p0", NULL, NULL);
	scene_answer(r, text_at(r, KS_EV_PERMISSION_ASKED, 2, "ask"), NULL, NULL, NULL);
	assert_true(scene_read(r, "\"id\":\"a\",\"result\":{\"outcome\":{\"outcome\":\"selected\","
		"\"optionId\":\"p2\"}}"));
	assert_true(scene_read(r, "\"id\":9007199254740993,\"result\":{\"outcome\":{\"outcome\":"
		"\"selected\",\"optionId\":\"p0\"}}"));
	assert_true(scene_read(r, "\"id\":3,\"result\":{\"outcome\":{\"outcome\":\"cancelled\"}}"));
	assert_true(record_spin(r, &r->turns_ended, 1, 20000));
	assert_int_equal(ks_agent_answer(r->agent, &(struct ks_answer){.ask = ask}, NULL),
		KS_ENOTFOUND);
}

static void test_permission_without_a_no(void **state)
{
	struct record *r = *state;
	struct ks_answer answer = {.kind = "allow_once"};

	play(r, OPEN PROMPT "send {\"jsonrpc\":\"2.0\",\"id\":5,\"method\":"
		"\"session/request_permission\",\"params\":{\"sessionId\":\"s1\",\"toolCall\":"
		"{\"toolCallId\":\"c\"},\"options\":[{\"optionId\":\"x\",\"name\":\"Odd\",\"kind\":"
		"\"allow_some\"}]}}\nwant outcome\n" SAY("Well.") END);
	scene_prompt(r, 1);
	assert_true(scene_until(r, KS_EV_PERMISSION_ASKED, 1));
	answer.ask = text_at(r, KS_EV_PERMISSION_ASKED, 0, "ask");
	assert_int_equal(ks_agent_answer(r->agent, &answer, NULL), KS_EINVAL);
	scene_answer(r, answer.ask, NULL, "reject_once", NULL);
	assert_true(scene_read(r, "{\"outcome\":\"cancelled\"}"));
	assert_true(record_spin(r, &r->turns_ended, 1, 20000));
}

/* Codex gives its turn up when it may not do a thing. Nobody interrupted it, so the
 * goal is computed; a turn that ends so without a rejection waits. */
static void test_rejected_and_given_up(void **state)
{
	struct record *r = *state;

	play(r, OPEN PROMPT ASK("12", "c") "want p0\n" RESULT("\"stopReason\":\"cancelled\"")
		PROMPT ASK("13", "d") "want p1\n" RESULT("\"stopReason\":\"cancelled\""));
	scene_prompt(r, 1);
	assert_true(scene_until(r, KS_EV_PERMISSION_ASKED, 1));
	scene_answer(r, text_at(r, KS_EV_PERMISSION_ASKED, 0, "ask"), NULL, "reject_once", NULL);
	assert_true(record_spin(r, &r->turns_ended, 1, 20000));
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 0, "how"), "ended");
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 0, "stop"), "cancelled");
	scene_prompt(r, 2);
	assert_true(scene_until(r, KS_EV_PERMISSION_ASKED, 2));
	scene_answer(r, text_at(r, KS_EV_PERMISSION_ASKED, 1, "ask"), NULL, "allow_once", NULL);
	assert_true(record_spin(r, &r->turns_ended, 2, 20000));
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 1, "how"), "cancelled");
}

/* A command that is the title and stands nowhere else; a tool's name is none. */
static void test_permission_by_title(void **state)
{
	struct record *r = *state;

	play(r, OPEN PROMPT "send {\"jsonrpc\":\"2.0\",\"id\":5,\"method\":"
		"\"session/request_permission\",\"params\":{\"sessionId\":\"s1\",\"toolCall\":"
		"{\"toolCallId\":\"c\",\"kind\":\"execute\",\"title\":\"make -j2 all\"},"
		"\"options\":[]}}\n"
		"send {\"jsonrpc\":\"2.0\",\"id\":6,\"method\":"
		"\"session/request_permission\",\"params\":{\"sessionId\":\"s1\",\"toolCall\":"
		"{\"toolCallId\":\"d\",\"kind\":\"execute\",\"title\":\"bash\"},\"options\":[]}}\n"
		"want outcome\nwant outcome\n" SAY("Well.") END);
	scene_prompt(r, 1);
	assert_true(scene_until(r, KS_EV_PERMISSION_ASKED, 2));
	assert_string_equal(text_at(r, KS_EV_PERMISSION_ASKED, 0, "text"), "make -j2 all");
	assert_string_equal(text_at(r, KS_EV_PERMISSION_ASKED, 0, "tool"), "shell");
	assert_string_equal(text_at(r, KS_EV_PERMISSION_ASKED, 1, "text"), "");
	scene_stop(r);
}

static void test_permission_withdrawn(void **state)
{
	struct record *r = *state;

	play(r, OPEN PROMPT ASK("12", "c") "send {\"jsonrpc\":\"2.0\","
		"\"method\":\"$/cancel_request\","
		"\"params\":{\"requestId\":12}}\nwant -32800\n" SAY("Well.") END);
	scene_turn(r, 1);
	assert_string_equal(text_at(r, KS_EV_PERMISSION_ANSWERED, 0, "why"), "withdrawn");
}

#define FORM "send {\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"elicitation/create\",\"params\":" \
	"{\"mode\":\"form\",\"sessionId\":\"s1\",\"toolCallId\":\"c\",\"message\":\"Which?\"," \
	"\"requestedSchema\":{\"type\":\"object\",\"required\":[\"q\"],\"properties\":{\"q\":" \
	"{\"type\":\"string\",\"title\":\"Layer\",\"oneOf\":[{\"const\":\"H\"," \
	"\"title\":\"Host\"}," \
	"{\"const\":\"R\",\"title\":\"Rest\"}]},\"n\":{\"type\":\"integer\"},\"b\":{\"type\":" \
	"\"boolean\"},\"m\":{\"type\":\"array\",\"items\":{\"enum\":[\"x\",\"y\"]}}}}}}\n"

static void test_form(void **state)
{
	struct record *r = *state;
	const struct ks_json *fields;

	play(r, OPEN PROMPT FORM "want accept\n" SAY("Thanks.") END);
	scene_prompt(r, 1);
	assert_true(scene_until(r, KS_EV_AGENT_ASKED, 1));
	assert_string_equal(text_at(r, KS_EV_AGENT_ASKED, 0, "text"), "Which?");
	fields = ks_json_get(record_nth(r, KS_EV_AGENT_ASKED, 0), "fields");
	assert_int_equal(ks_json_count(fields), 4);
	assert_string_equal(ks_json_get_str(ks_json_at(fields, 0), "type", ""), "choice");
	assert_true(ks_json_get_bool(ks_json_at(fields, 0), "required", false));
	assert_int_equal(ks_json_count(ks_json_get(ks_json_at(fields, 0), "options")), 2);
	assert_string_equal(ks_json_get_str(ks_json_at(fields, 1), "type", ""), "number");
	assert_string_equal(ks_json_get_str(ks_json_at(fields, 2), "type", ""), "bool");
	assert_string_equal(ks_json_get_str(ks_json_at(fields, 3), "type", ""), "choices");
	scene_answer(r, text_at(r, KS_EV_AGENT_ASKED, 0, "ask"), NULL, NULL, "{\"q\":\"H\"}");
	assert_true(scene_read(r, "\"result\":{\"action\":\"accept\",\"content\":{\"q\":\"H\"}}"));
	assert_true(record_spin(r, &r->turns_ended, 1, 20000));
}

static void test_form_that_nobody_answers(void **state)
{
	struct record *r = *state;
	struct scene_how how = {.no_forms = true};

	assert_int_equal(scene_start(r, "acp", OPEN PROMPT FORM "want decline\n" SAY("Well.") END,
		&how, NULL), 0);
	assert_true(scene_until(r, KS_EV_AGENT_STARTED, 1));
	scene_turn(r, 1);
	assert_int_equal(record_count(r, KS_EV_AGENT_ASKED), 0);
}

/* ---- sessions and modes ---- */

static void start_with(struct record *r, const char *scene, const struct scene_how *how)
{
	struct ks_err err = KS_ERR_INIT;

	if (scene_start(r, "acp", scene, how, &err) < 0) {
		fail_msg("%s", err.msg);
	}
	assert_true(scene_until(r, KS_EV_AGENT_STARTED, 1));
}

static void test_resume(void **state)
{
	struct record *r = *state;
	struct scene_how how = {.session = "s1", .turns = 7};

	start_with(r, INIT "want \"session/resume\"\nsend {\"jsonrpc\":\"2.0\",\"id\":$id,"
		"\"result\":{}}\n" PROMPT SAY("Again.") END, &how);
	assert_string_equal(text_at(r, KS_EV_AGENT_SESSION, 0, "how"), "resumed");
	assert_true(scene_read(r, "\"sessionId\":\"s1\""));
	scene_turn(r, 1);
	assert_int_equal(int_at(r, KS_EV_TURN_ENDED, 0, "turn"), 8);
}

/* It announces to resume and cannot; then loads, and plays the history. */
static void test_load_replays(void **state)
{
	struct record *r = *state;
	struct scene_how how = {.session = "s1"};

	start_with(r, INIT "want \"session/resume\"\nsend {\"jsonrpc\":\"2.0\",\"id\":$id,"
		"\"error\":{\"code\":-32601,"
		"\"message\":\"Method not found\"}}\nwant \"session/load\"\n"
		SAY("What I said before") TOOL("\"toolCallId\":\"old\",\"title\":\"ls\",\"status\":"
		"\"completed\"") "send {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":null}\n"
		PROMPT SAY("New.") END, &how);
	assert_string_equal(text_at(r, KS_EV_AGENT_SESSION, 0, "how"), "loaded");
	scene_turn(r, 1);
	assert_int_equal(record_count(r, KS_EV_AGENT_SAID), 1);
	assert_string_equal(text_at(r, KS_EV_AGENT_SAID, 0, "text"), "New.");
	assert_int_equal(record_count(r, KS_EV_TOOL_STARTED), 0);
}

static void test_session_is_lost(void **state)
{
	struct record *r = *state;
	struct scene_how how = {.session = "gone"};

	start_with(r, INIT "want \"session/resume\"\nsend {\"jsonrpc\":\"2.0\",\"id\":$id,"
		"\"error\":{\"code\":-32002,\"message\":\"no such\"}}\nwant \"session/load\"\n"
		"send {\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32603,\"message\":"
		"\"Invalid session identifier\"}}\nwant \"session/new\"\n"
		"send {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"sessionId\":\"s1\"}}\n", &how);
	assert_string_equal(text_at(r, KS_EV_AGENT_SESSION, 0, "how"), "new");
	assert_non_null(strstr(text_at(r, KS_EV_NOTICE, 0, "text"), "Invalid session identifier"));
}

#define MODES "\"modes\":{\"currentModeId\":\"auto\",\"availableModes\":[{\"id\":\"auto\"," \
	"\"name\":\"Auto\"},{\"id\":\"default\",\"name\":\"Default\"}]}"

static void test_modes(void **state)
{
	struct record *r = *state;
	struct scene_how how = {.mode = "default"};

	start_with(r, INIT "want \"session/new\"\nsend {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":"
		"{\"sessionId\":\"s1\"," MODES "}}\nwant \"session/set_mode\"\nsend {"
		"\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{}}\nwant \"session/set_mode\"\nsend {"
		"\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{}}\nsend " UPDATE(
		"\"sessionUpdate\":\"current_mode_update\","
		"\"currentModeId\":\"default\"") "\n", &how);
	assert_true(scene_until(r, KS_EV_AGENT_MODE, 1));
	assert_string_equal(text_at(r, KS_EV_AGENT_MODE, 0, "mode"), "default");
	assert_int_equal(ks_json_count(ks_json_get(record_nth(r, KS_EV_AGENT_MODE, 0), "modes")),
		2);
	assert_true(scene_read(r, "\"modeId\":\"default\""));
	assert_int_equal(ks_agent_set_mode(r->agent, "yolo", NULL), KS_EINVAL);
	assert_int_equal(ks_agent_set_mode(r->agent, "auto", NULL), 0);
	assert_true(scene_until(r, KS_EV_AGENT_MODE, 3));
	assert_string_equal(text_at(r, KS_EV_AGENT_MODE, 1, "mode"), "auto");
	assert_string_equal(text_at(r, KS_EV_AGENT_MODE, 2, "mode"), "default");
}

static void test_modes_as_options(void **state)
{
	struct record *r = *state;
	struct scene_how how = {.config = "{\"mode\":\"plan\"}"};

	start_with(r, INIT "want \"session/new\"\nsend {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":"
		"{\"sessionId\":\"s1\",\"configOptions\":[{\"id\":\"model\","
		"\"category\":\"model\"},{\"id\":\"m\",\"category\":\"mode\","
		"\"currentValue\":\"build\",\"options\":[{\"value\":\"build\",\"name\":\"Build\"},"
		"{\"group\":\"none\",\"options\":[]},{\"group\":\"more\","
		"\"options\":[{\"value\":\"plan\",\"name\":\"Plan\"}]}]}]}}\n"
		"want \"session/set_config_option\"\nsend {\"jsonrpc\":\"2.0\",\"id\":$id,"
		"\"result\":{}}\n", &how);
	assert_true(scene_read(r, "\"configId\":\"m\",\"value\":\"plan\""));
	assert_true(scene_until(r, KS_EV_AGENT_MODE, 1));
	assert_string_equal(text_at(r, KS_EV_AGENT_MODE, 0, "mode"), "plan");
	assert_int_equal(ks_json_count(ks_json_get(record_nth(r, KS_EV_AGENT_MODE, 0), "modes")),
		2);
}

static void test_mode_that_is_not_there(void **state)
{
	struct record *r = *state;
	struct scene_how how = {.mode = "yolo"};

	start_with(r, INIT "want \"session/new\"\nsend {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":"
		"{\"sessionId\":\"s1\"," MODES "}}\n", &how);
	assert_non_null(strstr(text_at(r, KS_EV_NOTICE, 0, "text"), "yolo"));
}

/* ---- words during a turn ---- */

#define STEERS \
	"want \"initialize\"\n" \
	"send {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"protocolVersion\":1," \
	"\"agentCapabilities\":{}," \
	"\"_meta\":{\"steering\":{\"supported\":true}}}}\n" \
	"want \"session/new\"\n" \
	"send {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"sessionId\":\"s1\"}}\n"

static void test_steering(void **state)
{
	struct record *r = *state;
	struct ks_prompt words = {5, KS_STR("faster"), "", 0};

	play(r, STEERS PROMPT "want \"_session/steering\"\n" END "send {\"jsonrpc\":\"2.0\","
		"\"id\":$id,\"result\":{\"outcome\":\"startedNewTurn\"}}\n" SAY("More.")
		"send " UPDATE("\"sessionUpdate\":\"session_info_update\",\"_meta\":{\"codex\":{"
		"\"threadStatus\":{\"type\":\"idle\"}}}") "\n");
	assert_true(ks_json_get_bool(record_nth(r, KS_EV_AGENT_SESSION, 0), "steers", false));
	assert_int_equal(ks_agent_steer(r->agent, &words, NULL), KS_ENOTFOUND);
	scene_prompt(r, 1);
	assert_true(scene_until(r, KS_EV_TURN_STARTED, 1));
	assert_int_equal(ks_agent_steer(r->agent, &words, NULL), 0);
	assert_true(record_spin(r, &r->turns_ended, 2, 20000));
	assert_int_equal(int_at(r, KS_EV_TURN_STARTED, 1, "message"), 5);
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 1, "how"), "ended");
}

/* Taken into the turn: that goes on, and there is no other. */
static void test_steering_in_a_turn(void **state)
{
	struct record *r = *state;
	struct ks_prompt words = {5, KS_STR("faster"), "", 0};

	play(r, STEERS PROMPT "want \"_session/steering\"\nsend {\"jsonrpc\":\"2.0\",\"id\":$id,"
		"\"result\":{\"outcome\":\"injected\"}}\n" SAY("Faster.") END PROMPT
		"want \"_session/steering\"\nsend {\"jsonrpc\":\"2.0\",\"id\":$id,"
		"\"error\":{\"code\":-32603,\"message\":\"not now\"}}\n" SAY("Well.") END);
	for (int i = 0; i < 2; i++) {
		scene_prompt(r, i + 1);
		assert_true(scene_until(r, KS_EV_TURN_STARTED, i + 1));
		assert_int_equal(ks_agent_steer(r->agent, &words, NULL), 0);
		assert_true(record_spin(r, &r->turns_ended, i + 1, 20000));
	}
	assert_int_equal(record_count(r, KS_EV_TURN_STARTED), 2);
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 1, "how"), "ended");
	assert_non_null(strstr(text_at(r, KS_EV_NOTICE, 0, "text"), "not now"));
}

static void test_no_steering(void **state)
{
	struct record *r = *state;
	struct ks_prompt words = {5, KS_STR("faster"), "", 0};

	play(r, OPEN PROMPT SAY("Yes.") END);
	assert_int_equal(ks_agent_steer(r->agent, &words, NULL), KS_EUNSUPPORTED);
}

/* ---- plans, usage, thoughts ---- */

static void test_plan_and_usage(void **state)
{
	struct record *r = *state;

	play(r, OPEN PROMPT "send " UPDATE("\"sessionUpdate\":\"plan\",\"entries\":[{\"content\":"
		"\"Profile\",\"priority\":\"high\",\"status\":\"in_progress\"}]") "\n"
		"send " UPDATE("\"sessionUpdate\":\"agent_thought_chunk\","
		"\"content\":{\"type\":\"text\",\"text\":\"hm\"}") "\n" SAY("")
		"send " UPDATE("\"sessionUpdate\":\"usage_update\",\"used\":50,\"size\":1000,"
		"\"cost\":{\"amount\":0.25,\"currency\":\"USD\"}") "\n"
		"send " UPDATE("\"sessionUpdate\":\"something_new\",\"x\":1") "\n"
		"send {\"jsonrpc\":\"2.0\",\"method\":\"qwen/notify\","
		"\"params\":{}}\n" SAY("So.") END);
	scene_turn(r, 1);
	assert_string_equal(ks_json_get_str(ks_json_first(ks_json_get(record_nth(r,
		KS_EV_AGENT_PLAN, 0), "entries")), "text", ""), "Profile");
	assert_string_equal(text_at(r, KS_EV_AGENT_THOUGHT, 0, "text"), "hm");
	assert_int_equal(record_count(r, KS_EV_AGENT_SAID), 1);
	assert_int_equal(record_count(r, KS_EV_AGENT_USAGE), 2);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, record_setup, record_teardown)
	const struct CMUnitTest tests[] = {
		T(test_a_turn), T(test_two_turns), T(test_first_sight_anywhere),
		T(test_command_comes_late), T(test_ids_used_again),
		T(test_terminal_output_and_parents), T(test_cancel),
		T(test_cancel_said_otherwise), T(test_cancel_idle), T(test_end_of_an_error),
		T(test_end_of_code_400), T(test_end_of_an_error_as_text),
		T(test_end_that_only_talks_of_errors), T(test_end_of_trouble_told_beside),
		T(test_end_without_a_word), T(test_end_by_limit), T(test_end_by_refusal),
		T(test_end_by_an_unknown_word), T(test_permissions_by_kind),
		T(test_permission_without_a_no),
		T(test_rejected_and_given_up),
		T(test_permission_by_title), T(test_permission_withdrawn), T(test_form),
		T(test_form_that_nobody_answers), T(test_resume), T(test_load_replays),
		T(test_session_is_lost), T(test_modes), T(test_modes_as_options),
		T(test_mode_that_is_not_there), T(test_steering), T(test_steering_in_a_turn),
		T(test_no_steering),
		T(test_plan_and_usage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
