/* The built-in agent after its engine was killed, and with tools that it lacks. */
#include "api_rig.h"

static void test_resume(void **state)
{
	struct rig *rig = *state;
	struct record *r = rig->r;
	char *session;

	play(rig, "anthropic/m-1", REPLIES(
		"{\"think\":\"hm\",\"text\":\"I list.\",\"calls\":[{\"shell\":\"echo $((40 + 2)); "
		"echo "
		KEY "\"}],\"usage\":{\"input\":1000000}},"
		"{\"text\":\"Seen.\"},{\"calls\":[{\"shell\":\"true\"},"
		"{\"shell\":\"echo begun; sleep 600\"}]},"
		"{\"text\":\"So it was cut.\"}"), ",\"price\":{\"input\":2,\"output\":0}");
	session = ks_strdup(text_at(r, KS_EV_AGENT_SESSION, 0, "session"));
	assert_string_equal(text_at(r, KS_EV_AGENT_SESSION, 0, "how"), "new");
	turn(rig, "allow_once");
	/* in the middle of the second call of a reply */
	scene_prompt(r, 8);
	assert_true(scene_until(r, KS_EV_PERMISSION_ASKED, 2));
	scene_answer(r, text_at(r, KS_EV_PERMISSION_ASKED, 1, "ask"), NULL, "allow_once", "");
	assert_true(scene_until(r, KS_EV_PERMISSION_ASKED, 3));
	scene_answer(r, text_at(r, KS_EV_PERMISSION_ASKED, 2, "ask"), NULL, "allow_once", "");
	assert_true(scene_until(r, KS_EV_TOOL_STARTED, 3));
	restart(rig, "anthropic/m-1", session);
	assert_string_equal(text_at(r, KS_EV_AGENT_SESSION, 1, "how"), "resumed");
	assert_string_equal(text_at(r, KS_EV_AGENT_SESSION, 1, "session"), session);
	turn(rig, "allow_once");
	assert_asked(rig, "\"text\":\"I list.\"");
	assert_asked(rig, "42\\n[key]");
	assert_asked(rig, "\"tool_use_id\":\"toolu_3_0\",\"content\":\"(no output)\"}");
	assert_asked(rig, "\"tool_use_id\":\"toolu_3_1\",\"content\":\"interrupted: kseek ended");
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 1, "how"), "ended");
	/* and a third time, by a server of the other kind */
	restart(rig, "openai/m-2", session);
	turn(rig, "allow_once");
	assert_asked(rig, "So it was cut.");
	assert_no_key(rig);
	free(session);
}

static void test_resume_not(void **state)
{
	struct rig *rig = *state;
	struct record *r = rig->r;
	char *path = ks_path_join(r->tools, "api-session.jsonl");
	struct ks_buf text = {0};
	struct stat st;
	char *session;

	play(rig, "openai/m-1", REPLIES("{\"text\":\"It is " KEY " indeed\"}"), "");
	session = ks_strdup(text_at(r, KS_EV_AGENT_SESSION, 0, "session"));
	turn(rig, "allow_once");
	/* what is kept is for nobody else, and without the key */
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(ks_file_read(&text, path, 1u << 20, NULL), 0);
	assert_null(strstr(text.ptr, KEY));
	assert_non_null(strstr(text.ptr, "It is [key] indeed"));
	/* another session than the one that is kept */
	restart(rig, "openai/m-1", "api-1-1");
	assert_string_equal(text_at(r, KS_EV_AGENT_SESSION, 1, "how"), "new");
	assert_true(noticed(rig, "could not be taken up"));
	/* a file that is none */
	record_put(r->tools, "api-session.jsonl", "}{\n", 0600);
	restart(rig, "openai/m-1", session);
	assert_string_equal(text_at(r, KS_EV_AGENT_SESSION, 2, "how"), "new");
	turn(rig, "allow_once");
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 1, "how"), "ended");
	/* where nothing can be written it works, and that is told once */
	assert_int_equal(remove(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	turn(rig, "allow_once");
	turn(rig, "allow_once");
	assert_true(noticed(rig, "cannot be kept"));
	ks_buf_fini(&text);
	free(session);
	free(path);
}

/* A question to the person and a subagent are tools that it does not have: the
 * model is told which there are, and goes on. */
static void test_ask_and_subagent(void **state)
{
	static const char *const apis[] = {"anthropic/m-1", "openai/m-1"};
	struct rig *rig = *state;
	struct record *r = rig->r;

	play(rig, apis[0], REPLIES("{\"calls\":[{\"ask\":\"Which loop?\",\"options\":[\"a\","
		"\"b\"]},"
		"{\"subagent\":\"look at the loads\"}]},{\"text\":\"By myself, then.\"},"
		"{\"calls\":[{\"subagent\":\"look again\"}]}"), "");
	turn(rig, "allow_once");
	assert_string_equal(text_at(r, KS_EV_TURN_ENDED, 0, "how"), "ended");
	assert_int_equal(record_count(r, KS_EV_TOOL_ENDED), 2);
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 0, "name"), "AskUserQuestion");
	assert_string_equal(text_at(r, KS_EV_TOOL_STARTED, 1, "name"), "Agent");
	assert_false(ks_json_get_bool(record_nth(r, KS_EV_TOOL_ENDED, 1), "ok", true));
	assert_asked(rig, "there is no tool \\\"AskUserQuestion\\\"; there are shell, read");
	restart(rig, apis[1], NULL);
	turn(rig, "allow_once");
	assert_asked(rig, "there is no tool \\\"Agent\\\"");
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_resume), T(test_resume_not), T(test_ask_and_subagent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
