/* The built-in agent against the scripted model server. */
#include "api_rig.h"

/* ---- a turn with every tool ---- */

#define ALL_TOOLS REPLIES( \
	"{\"think\":\"hm\",\"text\":\"I look first.\"," \
	"\"calls\":[{\"shell\":\"echo out; echo $EXTRA\"}," \
	"{\"name\":\"read\",\"args\":{\"path\":\"kernel.c\"}}],\"fragment\":7," \
	"\"usage\":{\"input\":100,\"output\":20,\"cached\":40}}," \
	"{\"calls\":[{\"name\":\"edit\",\"args\":{\"path\":\"kernel.c\",\"old\":\"two\"," \
	"\"new\":\"2\"}}," \
	"{\"name\":\"write\",\"args\":{\"path\":\"notes/a.txt\",\"content\":\"hello\\n\"}}," \
	"{\"name\":\"evaluate\",\"args\":{\"perf\":false}}]}," \
	"{\"text\":\"Measured.\"}")

static void check_all_tools(struct rig *rig)
{
	struct record *r = rig->r;

	assert_string_equal(text_at(r, KS_EV_AGENT_STARTED, 0, "driver"), "api");
	assert_string_equal(text_at(r, KS_EV_AGENT_STARTED, 0, "label"), "m-1 at 127.0.0.1");
	assert_true(ks_json_get_bool(record_nth(r, KS_EV_AGENT_SESSION, 0), "steers", false));
	put(rig, "kernel.c", "one\ntwo\n");
	turn(rig, "allow_once");
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 0, "how"), "ended");
	assert_int_equal(int_at(r, KS_EV_TURN_ENDED, 0, "calls"), 5);
	assert_string_equal(text_at(r, KS_EV_AGENT_THOUGHT, 0, "text"), "hm");
	assert_string_equal(text_at(r, KS_EV_AGENT_SAID, 0, "text"), "I look first.");
	assert_string_equal(text_at(r, KS_EV_AGENT_SAID, 1, "text"), "Measured.");
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 0, "tool"), "shell");
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 0, "text"), "echo out; echo $EXTRA");
	assert_string_equal(text_at(r, KS_EV_TOOL_ENDED, 0, "text"), "out\nx\n");
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 1, "tool"), "read");
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 1, "path"), "kernel.c");
	assert_string_equal(text_at(r, KS_EV_TOOL_ENDED, 1, "text"), "one\ntwo\n");
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 2, "tool"), "edit");
	assert_int_equal(int_at(r, KS_EV_TOOL_ENDED, 2, "added"), 1);
	assert_non_null(strstr(text_at(r, KS_EV_TOOL_ENDED, 2, "diff"), "-two\n+2\n"));
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 3, "tool"), "write");
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 4, "tool"), "eval");
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 4, "text"), "kseek eval --no-perf");
	assert_string_equal(text_at(r, KS_EV_TOOL_ENDED, 4, "text"), "ran eval --no-perf\n");
	assert_int_equal(record_count(r, KS_EV_PERMISSION_ASKED), 1);
	assert_string_equal(text_at(r, KS_EV_PERMISSION_ASKED, 0, "text"), "echo out; echo $EXTRA");
	assert_file(rig, "kernel.c", "one\n2\n");
	assert_file(rig, "notes/a.txt", "hello\n");
	assert_no_key(rig);
	/* the results went back */
	assert_asked(rig, "ran eval --no-perf");
	assert_asked(rig, "out\\nx\\n");
	assert_int_equal(request_count(rig), 3);
}

static void test_anthropic(void **state)
{
	struct rig *rig = *state;

	play(rig, "anthropic/m-1", ALL_TOOLS,
		",\"price\":{\"input\":3,\"output\":15,\"cache_read\":0.3}");
	check_all_tools(rig);
	assert_int_equal(int_at(rig->r, KS_EV_AGENT_USAGE, 0, "size"), 200000);
	assert_true(ks_json_get_num(record_nth(rig->r, KS_EV_AGENT_USAGE, 0), "cost", 0) > 0.0005);
	assert_asked(rig, "\"tool_use_id\":");
	scene_stop(rig->r);
}

static void test_openai(void **state)
{
	struct rig *rig = *state;

	play(rig, "openai/m-1", ALL_TOOLS, "");
	check_all_tools(rig);
	assert_asked(rig, "\"tool_call_id\":");
	scene_stop(rig->r);
	assert_int_equal(int_at(rig->r, KS_EV_AGENT_EXITED, 0, "status"), 0);
}

/* ---- what goes wrong with calls ---- */

static void test_bad_calls(void **state)
{
	struct rig *rig = *state;
	struct record *r = rig->r;

	play(rig, "openai/m-1", REPLIES(
		"{\"calls\":[{\"name\":\"read\",\"raw\":\"{\\\"path\\\":\"},"
		"{\"name\":\"teleport\",\"args\":{}},"
		"{\"name\":\"read\",\"args\":{\"path\":\"../../etc/passwd\"}},"
		"{\"name\":\"read\",\"args\":{\"path\":\"/etc/passwd\"}},"
		"{\"name\":\"read\",\"args\":{\"path\":\"link/passwd\"}},"
		"{\"name\":\"write\",\"args\":{\"path\":\".kseek/log.jsonl\",\"content\":\"x\"}},"
		"{\"name\":\"edit\",\"args\":{\"path\":\"kernel.c\",\"old\":\"a\",\"new\":\"b\"}},"
		"{\"name\":\"edit\",\"args\":{\"path\":\"kernel.c\",\"old\":\"zzz\","
		"\"new\":\"b\"}},"
		"{\"name\":\"shell\",\"args\":{\"command\":\" \"}},"
		"{\"name\":\"shell\",\"args\":{\"command\":7}}]}"), "");
	put(rig, "kernel.c", "aa\n");
	{
		char *link = ks_path_join(r->dir, "link");

		assert_int_equal(symlink("/etc", link), 0);
		free(link);
	}
	turn(rig, "allow_once");
	assert_int_equal(record_count(r, KS_EV_TOOL_ENDED), 10);
	for (int i = 0; i < 10; i++) {
		assert_false(ks_json_get_bool(record_nth(r, KS_EV_TOOL_ENDED, i), "ok", true));
	}
	assert_non_null(strstr(text_at(r, KS_EV_TOOL_ENDED, 0, "text"), "no JSON object"));
	assert_non_null(strstr(text_at(r, KS_EV_TOOL_ENDED, 1, "text"), "no tool \"teleport\""));
	assert_non_null(strstr(text_at(r, KS_EV_TOOL_ENDED, 2, "text"), "outside"));
	assert_non_null(strstr(text_at(r, KS_EV_TOOL_ENDED, 3, "text"), "outside"));
	assert_non_null(strstr(text_at(r, KS_EV_TOOL_ENDED, 4, "text"), "link"));
	assert_non_null(strstr(text_at(r, KS_EV_TOOL_ENDED, 5, "text"), "kseek's own"));
	assert_non_null(strstr(text_at(r, KS_EV_TOOL_ENDED, 6, "text"), "2 times"));
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 0, "how"), "ended");
	assert_file(rig, "kernel.c", "aa\n");
	assert_asked(rig, "no tool");
}

/* A reply that hit its limit within a call: dropped, and the model is told. */
static void test_half_call(void **state)
{
	struct rig *rig = *state;
	struct record *r = rig->r;

	play(rig, "anthropic/m-1", REPLIES(
		"{\"text\":\"I write.\",\"calls\":[{\"name\":\"read\","
		"\"args\":{\"path\":\"kernel.c\"}},"
		"{\"name\":\"write\",\"raw\":\"{\\\"path\\\":\\\"kernel.c\\\",\\\"cont\"}],"
		"\"stop\":\"length\"}"), "");
	put(rig, "kernel.c", "aa\n");
	turn(rig, "allow_once");
	assert_int_equal(record_count(r, KS_EV_TOOL_ENDED), 1);
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 0, "tool"), "read");
	assert_asked(rig, "in the middle of a tool call");
	assert_true(noticed(rig, "incomplete and is dropped"));
	assert_file(rig, "kernel.c", "aa\n");
}

static void test_limit(void **state)
{
	struct rig *rig = *state;

	play(rig, "openai/m-1", REPLIES("{\"text\":\"a\",\"stop\":\"length\"},"
		"{\"text\":\"b\",\"stop\":\"length\"},{\"text\":\"c\",\"stop\":\"length\"},"
		"{\"text\":\"d\",\"stop\":\"length\"}"), "");
	turn(rig, "allow_once");
	assert_string_equal(text_at(rig->r, KS_EV_TURN_ENDED, 0, "how"), "limit");
	assert_int_equal(request_count(rig), 4);
}

/* ---- leave ---- */

static void test_leave(void **state)
{
	struct rig *rig = *state;
	struct record *r = rig->r;

	play(rig, "openai/m-1", REPLIES("{\"calls\":[{\"shell\":\"touch a\"}]},{\"text\":\"ok\"},"
		"{\"calls\":[{\"shell\":\"touch b\"},{\"shell\":\"touch b\"},"
		"{\"shell\":\"touch c\"}]}"), "");
	turn(rig, "reject_once");
	assert_false(ks_json_get_bool(record_nth(r, KS_EV_TOOL_ENDED, 0), "ok", true));
	assert_asked(rig, "not allowed");
	turn(rig, "allow_always");
	assert_int_equal(record_count(r, KS_EV_PERMISSION_ASKED), 3);
	assert_file(rig, "b", "");
	assert_file(rig, "c", "");
	{
		char *path = ks_path_join(r->dir, "a");

		assert_false(ks_file_exists(path));
		free(path);
	}
}

/* ---- cancel ---- */

static void test_cancel_in_a_call(void **state)
{
	struct rig *rig = *state;
	struct record *r = rig->r;
	int64_t t0;

	play(rig, "anthropic/m-1", REPLIES(
		"{\"calls\":[{\"shell\":\"sleep 600 & sleep 600\"},{\"shell\":\"touch late\"}]},"
		"{\"text\":\"again\"}"), "");
	scene_prompt(r, 1);
	assert_true(scene_until(r, KS_EV_PERMISSION_ASKED, 1));
	scene_answer(r, text_at(r, KS_EV_PERMISSION_ASKED, 0, "ask"), NULL, "allow_once", "");
	for (int i = 0; i < 20; i++) {
		ks_loop_turn(r->loop, 20);
	}
	t0 = ks_clock_mono_us();
	scene_cancel(r);
	assert_true(record_spin(r, &r->turns_ended, 1, 20000));
	assert_true(ks_clock_mono_us() - t0 < 15 * 1000000);
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 0, "how"), "cancelled");
	assert_int_equal(record_count(r, KS_EV_TOOL_ENDED), 1);
	assert_true(ks_json_get_bool(record_nth(r, KS_EV_TOOL_ENDED, 0), "cancelled", false));
	/* both calls have a result in the next request */
	turn(rig, "allow_once");
	assert_asked(rig,
		"\"tool_use_id\":\"toolu_1_0\",\"content\":\"interrupted\",\"is_error\":true");
	assert_asked(rig,
		"\"tool_use_id\":\"toolu_1_1\",\"content\":\"interrupted\",\"is_error\":true");
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 1, "how"), "ended");
}

static void test_cancel_elsewhere(void **state)
{
	struct rig *rig = *state;
	struct record *r = rig->r;

	play(rig, "openai/m-1", REPLIES("{\"text\":\"slowly slowly\",\"first_ms\":60000},"
		"{\"calls\":[{\"shell\":\"true\"}]},{\"status\":500,\"retry_after\":\"30\"},"
		"{\"text\":\"fine\"}"), "");
	scene_cancel(r); /* idle: nothing */
	/* while the model thinks */
	scene_prompt(r, 1);
	for (int i = 0; i < 3000 && request_count(rig) == 0; i++) {
		ks_loop_turn(r->loop, 20);
	}
	assert_int_equal(request_count(rig), 1);
	scene_cancel(r);
	assert_true(record_spin(r, &r->turns_ended, 1, 20000));
	/* while a person is asked */
	scene_prompt(r, 2);
	assert_true(scene_until(r, KS_EV_PERMISSION_ASKED, 1));
	scene_cancel(r);
	assert_true(record_spin(r, &r->turns_ended, 2, 20000));
	assert_true(scene_until(r, KS_EV_PERMISSION_ANSWERED, 1));
	assert_string_equal(text_at(r, KS_EV_PERMISSION_ANSWERED, 0, "why"), "cancelled");
	/* while it waits to try again */
	scene_prompt(r, 3);
	assert_true(scene_until(r, KS_EV_NOTICE, 1));
	scene_cancel(r);
	assert_true(record_spin(r, &r->turns_ended, 3, 20000));
	for (int i = 0; i < 3; i++) {
		assert_string_equal(text_at(r, KS_EV_TURN_ENDED, i, "how"), "cancelled");
	}
	turn(rig, "allow_once");
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 3, "how"), "ended");
	assert_asked(rig, "interrupted");
	/* and the end of the agent in a turn */
	scene_prompt(r, 5);
	scene_stop(r);
	assert_int_equal(r->events[r->count - 1].kind, KS_EV_AGENT_EXITED);
}

/* ---- words during a turn ---- */

static void test_steer(void **state)
{
	struct rig *rig = *state;
	struct record *r = rig->r;
	const struct ks_prompt words = {.id = 9, .text = KS_STR("try tiles"), .question = ""};

	play(rig, "openai/m-1", REPLIES("{\"calls\":[{\"shell\":\"true\"}]}"), "");
	assert_int_equal(ks_agent_steer(r->agent, &words, NULL), KS_ENOTFOUND);
	scene_prompt(r, 1);
	assert_true(scene_until(r, KS_EV_PERMISSION_ASKED, 1));
	assert_int_equal(ks_agent_steer(r->agent, &words, NULL), 0);
	scene_answer(r, text_at(r, KS_EV_PERMISSION_ASKED, 0, "ask"), NULL, "allow_once", "");
	assert_true(record_spin(r, &r->turns_ended, 1, 20000));
	assert_asked(rig,
		"{\"role\":\"tool\",\"tool_call_id\":\"call_1_0\",\"content\":\"(no output)\"},"
		"{\"role\":\"user\",\"content\":\"try tiles\"}]}");
}

/* ---- servers that fail ---- */

static void test_retries(void **state)
{
	struct rig *rig = *state;
	struct record *r = rig->r;

	play(rig, "anthropic/m-1", REPLIES(
		"{\"status\":429,\"retry_after\":\"0\","
		"\"body\":{\"error\":{\"message\":\"slow down\"}}},"
		"{\"status\":529,\"body\":{\"error\":{\"type\":\"overloaded_error\","
		"\"message\":\"Overloaded\"}}},"
		"{\"text\":\"The first half. And the second.\",\"cut\":4},"
		"{\"text\":\"The first half. And the second.\","
		"\"error\":{\"type\":\"overloaded_error\",\"message\":\"late\"}},"
		"{\"text\":\"\"},"
		"{\"json\":true,\"body\":{\"error\":{\"code\":502,\"message\":\"upstream\"}}},"
		"{\"text\":\"The first half. And the second.\"}"), "");
	turn(rig, "allow_once");
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 0, "how"), "ended");
	assert_int_equal(request_count(rig), 7);
	assert_int_equal(record_count(r, KS_EV_NOTICE), 6);
	assert_true(noticed(rig, "upstream; trying again"));
	for (int i = 0; i < 6; i++) {
		assert_string_equal(text_at(r, KS_EV_NOTICE, i, "level"), "quiet");
	}
	assert_true(noticed(rig, "status 429: slow down; trying again in 0.0 s (1 of 7)"));
	assert_true(noticed(rig, "status 529: Overloaded"));
	assert_true(noticed(rig, "ended in the middle"));
	assert_true(noticed(rig, "late"));
	assert_true(noticed(rig, "was empty"));
	/* what broke off is not shown twice */
	{
		struct ks_buf said = {0};

		for (int i = 0; i < record_count(r, KS_EV_AGENT_SAID); i++) {
			ks_buf_adds(&said, text_at(r, KS_EV_AGENT_SAID, i, "text"));
		}
		assert_string_equal(said.ptr, "The first half. And the second.");
		ks_buf_fini(&said);
	}
}

static void test_gives_up(void **state)
{
	static const struct {
		const char *reply, *says;
	} cases[] = {
		{"{\"status\":400,\"body\":{\"error\":{\"message\":\"bad \\u001b[31mfield\"}}}",
			"status 400: bad"},
		{"{\"status\":404,\"body\":{\"error\":{\"message\":\"no model\"}}}",
			"status 404: no model"},
		{"{\"status\":403,\"body\":\"go away " KEY "\"}", "go away [key]"},
		{"{\"status\":302,\"body\":\"\"}", "status 302"},
		{"{\"status\":500,\"retry_after\":\"3600\",\"body\":\"\"}", "asks to wait 3600 s"},
		{"{\"json\":true}", "does not stream"},
	};
	struct rig *rig = *state;
	struct ks_buf scene = {0};

	ks_buf_adds(&scene, "{\"replies\":[");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ks_buf_addf(&scene, "%s%s", i > 0 ? "," : "", cases[i].reply);
	}
	ks_buf_adds(&scene, "]}");
	play(rig, "openai/m-1", scene.ptr, "");
	ks_buf_fini(&scene);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *text;

		turn(rig, "allow_once");
		text = text_at(rig->r, KS_EV_TURN_ENDED, (int)i, "text");
		assert_string_equal(text_at(rig->r, KS_EV_TURN_ENDED, (int)i, "how"), "error");
		if (strstr(text, cases[i].says) == NULL || strchr(text, '\x1b') != NULL) {
			fail_msg("%s: %s", cases[i].says, text);
		}
		assert_int_equal(request_count(rig), i + 1);
	}
	assert_no_key(rig);
}

static void test_tries_end(void **state)
{
	struct rig *rig = *state;
	struct ks_err err = KS_ERR_INIT;

	rig->port = 1; /* nobody listens there */
	assert_int_equal(start(rig, "openai/m-1", "", &err), 0);
	turn(rig, "allow_once");
	assert_string_equal(text_at(rig->r, KS_EV_TURN_ENDED, 0, "how"), "error");
	assert_non_null(strstr(text_at(rig->r, KS_EV_TURN_ENDED, 0, "text"),
		"gave up after 8 tries"));
	assert_no_key(rig);
}

static void test_wrong_key(void **state)
{
	struct rig *rig = *state;

	serve(rig, REPLIES(""));
	setenv("UNIT_KEY", "sk-unit-other-9876543210", 1);
	assert_int_equal(start(rig, "anthropic/m-1", "", NULL), 0);
	turn(rig, "allow_once");
	assert_non_null(strstr(text_at(rig->r, KS_EV_TURN_ENDED, 0, "text"),
		"Incorrect API key provided: [key]. (check the key)"));
}

/* The key neither reaches a command nor comes back from one. */
static void test_key_in_output(void **state)
{
	struct rig *rig = *state;
	struct record *r = rig->r;

	play(rig, "openai/m-1", REPLIES("{\"text\":\"It is " KEY
		".\",\"calls\":[{\"shell\":\"env\"},"
		"{\"shell\":\"echo " KEY "\"},{\"name\":\"read\",\"args\":{\"path\":\"k\"}}]}"),
		"");
	put(rig, "k", KEY "\n");
	turn(rig, "allow_once");
	assert_null(strstr(text_at(r, KS_EV_TOOL_ENDED, 0, "text"), "UNIT_KEY"));
	assert_string_equal(text_at(r, KS_EV_TOOL_ENDED, 1, "text"), "[key]\n");
	assert_string_equal(text_at(r, KS_EV_TOOL_ENDED, 2, "text"), "[key]\n");
	assert_no_key(rig);
}

/* A server that says the key wherever it can, and files that hold it. */
static void test_key_anywhere(void **state)
{
	struct rig *rig = *state;
	struct record *r = rig->r;

	play(rig, "anthropic/m-1", REPLIES("{\"text\":\"So.\",\"calls\":["
		"{\"name\":\"" KEY "\",\"args\":{}},"
		"{\"name\":\"write\",\"args\":{\"path\":\"f-" KEY "\",\"content\":\"a " KEY
		" b\"}},"
		"{\"name\":\"edit\",\"args\":{\"path\":\"k\",\"old\":\"old\",\"new\":\"new\"}},"
		"{\"name\":\"read\",\"args\":{\"path\":\"" KEY "/../../x\"}},"
		"{\"name\":\"evaluate\",\"args\":{\"only\":\"" KEY "\"}}]},"
		"{\"think\":\"" KEY "\",\"text\":\"Well.\",\"stop\":\"is_" KEY "\"}"), "");
	put(rig, "k", "old " KEY "\n");
	turn(rig, "allow_once");
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 0, "how"), "ended");
	assert_int_equal(record_count(r, KS_EV_TOOL_ENDED), 5);
	assert_file(rig, "k", "new " KEY "\n");
	assert_non_null(strstr(text_at(r, KS_EV_TOOL_ENDED, 2, "diff"), "+new [key]"));
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 1, "path"), "f-[key]");
	assert_no_key(rig);
}

/* ---- long conversations ---- */

static void test_too_long(void **state)
{
	struct rig *rig = *state;
	struct record *r = rig->r;

	play(rig, "openai/m-1", REPLIES(
		"{\"calls\":[{\"shell\":\"head -c 20000 /dev/zero | tr '\\\\0' x\"}]},"
		"{\"calls\":[{\"shell\":\"true\"}]},{\"calls\":[{\"shell\":\"true\"}]},"
		"{\"calls\":[{\"shell\":\"true\"}]},{\"calls\":[{\"shell\":\"true\"}]},"
		"{\"status\":400,\"body\":{\"error\":{\"code\":\"context_length_exceeded\","
		"\"message\":\"too long\"}}},"
		"{\"text\":\"shorter\"}"), "");
	turn(rig, "allow_once");
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 0, "how"), "ended");
	assert_true(noticed(rig, "too long for the model"));
	assert_asked(rig, "left out");
	assert_string_equal(text_at(r, KS_EV_AGENT_SAID, 0, "text"), "shorter");
}

/* Before the server has to say so, from what it counted. */
static void test_shortened_early(void **state)
{
	struct rig *rig = *state;

	play(rig, "anthropic/m-1", REPLIES(
		"{\"calls\":[{\"shell\":\"head -c 20000 /dev/zero | tr '\\\\0' x\"}],"
		"\"usage\":{\"input\":100}},"
		"{\"calls\":[{\"shell\":\"true\"}],\"usage\":{\"input\":9000}},"
		"{\"text\":\"fine\"}"),
		",\"context\":10000,\"max_tokens\":500");
	turn(rig, "allow_once");
	assert_true(noticed(rig, "comes near the model's context"));
	assert_asked(rig, "left out");
}

static void test_huge(void **state)
{
	struct rig *rig = *state;
	struct record *r = rig->r;

	play(rig, "anthropic/m-1",
		REPLIES("{\"text_kib\":300,\"calls\":[{\"shell\":\"yes | head -c 3000000\"}]}"),
		"");
	turn(rig, "allow_once");
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 0, "how"), "ended");
	assert_true(strlen(text_at(r, KS_EV_TOOL_ENDED, 0, "text")) < 300000);
	assert_asked(rig, "bytes left out");
}

/* ---- commands ---- */

static void test_command_limits(void **state)
{
	struct rig *rig = *state;
	struct record *r = rig->r;

	play(rig, "openai/m-1", REPLIES("{\"calls\":[{\"name\":\"shell\",\"args\":{\"command\":"
		"\"echo before; sleep 600\",\"timeout_s\":1}},{\"shell\":\"exit 3\"},"
		"{\"shell\":\"pwd; cat; tty\"}]}"), "");
	turn(rig, "allow_once");
	assert_string_equal(text_at(r, KS_EV_TOOL_ENDED, 0, "text"),
		"before\n(stopped after 1 s)\n");
	assert_int_equal(int_at(r, KS_EV_TOOL_ENDED, 1, "status"), 3);
	assert_asked(rig, "(exit status 3)");
	assert_non_null(strstr(text_at(r, KS_EV_TOOL_ENDED, 2, "text"), r->dir));
	assert_non_null(strstr(text_at(r, KS_EV_TOOL_ENDED, 2, "text"), "not a tty"));
}

/* With bubblewrap: the campaign's folder and nothing else can be written. */
static void test_sandbox(void **state)
{
	struct rig *rig = *state;
	struct record *r = rig->r;
	char *bwrap = ks_api_find_program("bwrap"), *outside = ks_path_join(r->tools, "outside");
	char *scene;

	if (bwrap == NULL) {
		free(outside);
		skip();
	}
	free(bwrap);
	scene = ks_asprintf(REPLIES("{\"calls\":[{\"shell\":\"touch inside; touch '%s'; touch "
		"/etc/x; ls -a $HOME; touch .kseek/x; cat /proc/net/dev | tail -n +3 | wc -l; "
		"echo sockets $(find /run /tmp $HOME -type s | wc -l)\"}]}"), outside);
	play(rig, "openai/m-1", scene, "");
	free(scene);
	{
		char *own = ks_path_join(r->dir, ".kseek");

		assert_int_equal(mkdir(own, 0755), 0);
		free(own);
	}
	turn(rig, "allow_once");
	if (!noticed(rig, "run in bubblewrap")) {
		assert_true(noticed(rig, "does not work here"));
		free(outside);
		skip();
	}
	assert_file(rig, "inside", "");
	assert_false(ks_file_exists(outside));
	assert_false(ks_file_exists("/etc/x"));
	assert_non_null(strstr(text_at(r, KS_EV_TOOL_ENDED, 0, "text"), "sockets 0\n"));
	{
		char *own = ks_path_join(r->dir, ".kseek/x");

		assert_false(ks_file_exists(own));
		free(own);
	}
	free(outside);
}

/* A key that lies where commands can read: not for them. */
static void test_sandbox_hides_the_key(void **state)
{
	struct rig *rig = *state;
	struct record *r = rig->r;
	char *file = ks_path_join(r->dir, "key"), *more = ks_asprintf(",\"key_file\":\"%s\"", file);

	record_put(r->dir, "key", KEY "\n", 0600);
	play(rig, "openai/m-1",
		REPLIES("{\"calls\":[{\"shell\":\"rev <key; cat key | wc -c; echo end\"}]}"), more);
	turn(rig, "allow_once");
	free(file);
	free(more);
	if (!noticed(rig, "run in bubblewrap")) {
		skip();
	}
	assert_null(strstr(text_at(r, KS_EV_TOOL_ENDED, 0, "text"), "fedcba"));
	assert_non_null(strstr(text_at(r, KS_EV_TOOL_ENDED, 0, "text"), "0\nend\n"));
	assert_file(rig, "key", KEY "\n");
}

/* ---- configuration ---- */

static void assert_refused(const char *argument, const char *config, int code, const char *says)
{
	struct ks_api_config c;
	struct ks_err err = KS_ERR_INIT;

	assert_int_equal(ks_api_config_init(&c, argument, ks_str_of(config), NULL, &err), code);
	if (strstr(err.msg, says) == NULL || strstr(err.msg, KEY) != NULL) {
		fail_msg("%s: %s", says, err.msg);
	}
}

static void test_config_refused(void **state)
{
	(void)state;
	unsetenv("OPENAI_API_KEY");
	assert_refused("openai/m", "{\"base_url\":\"ftp://x\"}", KS_EINVAL, "http://");
	assert_refused("openai/m", "{\"base_url\":\"http://h/v1?key=x\"}", KS_EINVAL,
		"no place in it");
	assert_refused("openai/m", "{\"base_url\":\"http://h/v1#x\"}", KS_EINVAL, "no place in it");
	assert_refused("openai/m", "{\"base_url\":\"http://u:" KEY "@h/v1\"}", KS_EINVAL,
		"password");
	assert_refused("openai/m", "{\"key_env\":\"" KEY "\"}", KS_EINVAL, "not the key");
	assert_refused("openai/m", "{\"key_env\":\"1X\"}", KS_EINVAL, "not the key");
	assert_refused("openai/m", "{\"key_file\":\"" KEY "\"}", KS_ENOTFOUND, "cannot be read");
	assert_refused("openai/m", "{\"api_key\":\"sk-1\"}", KS_EINVAL, "does not belong");
	assert_refused("openai/m", "{\"modle\":\"x\"}", KS_EINVAL, "$.modle: not known");
	assert_refused("openai/m", "{\"shell_s\":0}", KS_EINVAL, "$.shell_s");
}

static void test_config(void **state)
{
	struct ks_api_config c = {0};

	(void)state;
	unsetenv("ANTHROPIC_API_KEY");
	unsetenv("OPENAI_API_KEY");
	assert_refused("", "{}", KS_EINVAL, "api:anthropic/MODEL");
	assert_refused("gemini/x", "{}", KS_EINVAL, "api:anthropic/MODEL");
	assert_refused("openai/", "{}", KS_EINVAL, "model's name");
	assert_refused("openai/m", "{}", KS_ENOTFOUND, "set OPENAI_API_KEY");
	assert_refused("anthropic/m", "{}", KS_ENOTFOUND, "set ANTHROPIC_API_KEY");
	assert_refused("openai/m", "{\"base_url\":\"https://openrouter.ai/api/v1\"}", KS_ENOTFOUND,
		"set OPENROUTER_API_KEY");
	/* a key is never sent to a server for which it was not named */
	setenv("OPENAI_API_KEY", KEY, 1);
	assert_int_equal(ks_api_config_init(&c, "openai/m",
		KS_STR("{\"base_url\":\"http://localhost:8000/v1/\"}"), NULL, NULL), 0);
	assert_null(c.key);
	assert_string_equal(c.url, "http://localhost:8000/v1/chat/completions");
	assert_string_equal(c.max_field, "max_tokens");
	ks_api_config_fini(&c);
	assert_int_equal(ks_api_config_init(&c, "openai/org/m", KS_STR(""), NULL, NULL), 0);
	assert_string_equal(c.key, KEY);
	assert_string_equal(c.model, "org/m");
	assert_string_equal(c.url, "https://api.openai.com/v1/chat/completions");
	assert_string_equal(c.max_field, "max_completion_tokens");
	ks_api_config_fini(&c);
	unsetenv("OPENAI_API_KEY");
}

static void test_key_file(void **state)
{
	struct rig *rig = *state;
	struct ks_api_config c = {0};
	char *file = ks_path_join(rig->r->tools, "key"), *config;

	/* a file that others may read is none for a key */
	config = ks_asprintf("{\"key_file\":\"%s\",\"model\":\"x\",\"api\":\"anthropic\"}", file);
	record_put(rig->r->tools, "key", KEY "\n", 0644);
	assert_refused(NULL, config, KS_EDENIED, "chmod 600");
	assert_int_equal(chmod(file, 0600), 0);
	assert_int_equal(ks_api_config_init(&c, NULL, ks_str_of(config), NULL, NULL), 0);
	assert_string_equal(c.key, KEY);
	assert_string_equal(c.url, "https://api.anthropic.com/v1/messages");
	ks_api_config_fini(&c);
	record_put(rig->r->tools, "key", "two words\n", 0600);
	assert_refused(NULL, config, KS_EINVAL, "holds no key");
	assert_refused(NULL, "{\"key_file\":\"/no/such\",\"model\":\"x\",\"api\":\"openai\"}",
		KS_ENOTFOUND, "key_file");
	free(config);
	free(file);
}

static void test_config_by_name(void **state)
{
	struct rig *rig = *state;
	struct ks_api_config c = {0};
	char *config;

	record_put(rig->r->tools, "agents.json",
		"{\"kseek_agents\":1,\"agents\":{\"mine\":{\"driver\":\"api\","
		"\"api\":\"openai\",\"model\":\"big\",\"base_url\":\"http://localhost:1/v1\","
		"\"context\":9000}}}", 0644);
	config = ks_path_join(rig->r->tools, "agents.json");
	setenv("XDG_CONFIG_HOME", rig->r->tools, 1);
	assert_int_equal(ks_api_config_init(&c, "mine", KS_STR("{\"model\":\"small\"}"), config,
		NULL), 0);
	assert_string_equal(c.model, "small");
	assert_string_equal(c.base_url, "http://localhost:1/v1");
	assert_int_equal(c.context, 9000);
	ks_api_config_fini(&c);
	assert_int_equal(ks_api_config_init(&c, "other", KS_STR(""), config, NULL), KS_ENOTFOUND);
	free(config);
}

static void test_backoff(void **state)
{
	assert_int_equal(ks_api_backoff(1, 1000, 0.5), 1000);
	assert_int_equal(ks_api_backoff(2, 1000, 0), 1500);
	assert_int_equal(ks_api_backoff(3, 1000, 0.5), 4000);
	assert_int_equal(ks_api_backoff(50, 1000, 0.5), 60000);
	assert_int_equal(ks_api_backoff(50, 60000, 1), 75000);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_anthropic), T(test_openai), T(test_bad_calls), T(test_half_call),
		T(test_limit), T(test_leave), T(test_cancel_in_a_call),
		T(test_cancel_elsewhere), T(test_steer),
		T(test_retries), T(test_gives_up), T(test_tries_end), T(test_wrong_key),
		T(test_key_in_output), T(test_key_anywhere), T(test_too_long),
		T(test_shortened_early), T(test_huge), T(test_command_limits), T(test_sandbox),
		T(test_sandbox_hides_the_key), T(test_config_refused), T(test_config),
		T(test_key_file), T(test_config_by_name),
		cmocka_unit_test(test_backoff),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
