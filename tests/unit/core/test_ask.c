/* What the agent asks: the list, rules, persons, and nobody. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rig.h"

#include "base/mem.h"

#define OPTIONS "\"options\":[{\"id\":\"o\",\"name\":\"Once\",\"kind\":\"allow_once\"}," \
	"{\"id\":\"a\",\"name\":\"Always\",\"kind\":\"allow_always\"}," \
	"{\"id\":\"n\",\"name\":\"No\",\"kind\":\"reject_once\"}]"

static void begin(struct rig *r)
{
	rig_init(r, "human");
	r->policy.folder = "/camp/c";
	rig_agent(r);
	rig_say(r, "Begin.");
	rig_turn(r);
	rig_forget(r);
}

static void asks(struct rig *r, const char *ask, const char *tool, const char *text)
{
	rig_see(r, KS_BY_AGENT, "permission.asked", "\"ask\":\"%s\",\"call\":\"t1\","
		"\"tool\":\"%s\",\"title\":\"a title\",\"text\":\"%s\",\"path\":\"\"," OPTIONS, ask,
		tool, text);
}

static void test_a_rule_answers(void **state)
{
	struct rig r;
	char *line;

	begin(&r);
	asks(&r, "7-1", "shell", "cc -O3 kernel.c");
	assert_true(rig_did(&r, "answer {\"ask\":\"7-1\",\"kind\":\"allow_once\"}"));
	assert_int_equal(r.state.n_asks, 0);
	line = rig_last(&r, "permission.answered");
	assert_non_null(strstr(line, "\"why\":\"policy\""));
	assert_non_null(strstr(line, "\"by\":\"engine\""));
	assert_non_null(strstr(line, "inside the campaign"));
	free(line);
	rig_fini(&r);
}

static void test_a_person_answers(void **state)
{
	struct rig r;
	char *line;

	begin(&r);
	asks(&r, "7-1", "shell", "cat /etc/passwd");
	asks(&r, "7-2", "fetch", "https://example.org");
	assert_false(rig_did(&r, "answer"));
	assert_int_equal(r.state.n_asks, 2);
	assert_string_equal(r.state.asks[0].text, "cat /etc/passwd");
	assert_int_equal(r.state.asks[0].n_options, 3);
	/* Without an id it is the one that waits longest. */
	assert_int_equal(rig_do(&r, KS_CMD_ANSWER, KS_BY_HUMAN, "{\"kind\":\"reject_once\","
		"\"text\":\"not that\"}"), 0);
	assert_true(rig_did(&r,
		"{\"ask\":\"7-1\",\"kind\":\"reject_once\",\"text\":\"not that\"}"));
	assert_int_equal(r.state.n_asks, 1);
	assert_int_equal(rig_do(&r, KS_CMD_ANSWER, KS_BY_HUMAN, "{\"ask\":\"7-1\","
		"\"kind\":\"allow_once\"}"), KS_EINVAL);
	assert_int_equal(rig_do(&r, KS_CMD_ANSWER, KS_BY_HUMAN, "{\"ask\":\"7-2\","
		"\"option\":\"zz\"}"), KS_EINVAL);
	assert_int_equal(rig_do(&r, KS_CMD_ANSWER, KS_BY_HUMAN, "{\"ask\":\"7-2\"}"), KS_EINVAL);
	assert_int_equal(rig_do(&r, KS_CMD_ANSWER, KS_BY_HUMAN, "{\"ask\":\"7-2\","
		"\"kind\":\"maybe\"}"), KS_EINVAL);
	assert_int_equal(rig_do(&r, KS_CMD_ANSWER, KS_BY_HUMAN, "{\"ask\":\"7-2\","
		"\"option\":\"o\"}"), 0);
	line = rig_last(&r, "permission.answered");
	assert_non_null(strstr(line,
		"\"option\":\"o\",\"answer\":\"allow_once\",\"why\":\"human\""));
	free(line);
	assert_int_equal(rig_do(&r, KS_CMD_ANSWER, KS_BY_HUMAN, "{\"kind\":\"allow_once\"}"),
		KS_EINVAL);
	rig_fini(&r);
}

static void test_always_is_remembered_for_the_same(void **state)
{
	struct rig r;
	struct ks_state again;

	begin(&r);
	asks(&r, "1", "shell", "cat /etc/hosts");
	assert_int_equal(rig_do(&r, KS_CMD_ANSWER, KS_BY_HUMAN, "{\"kind\":\"allow_always\"}"), 0);
	rig_forget(&r);
	asks(&r, "2", "shell", "cat /etc/hosts");
	assert_true(rig_did(&r, "{\"ask\":\"2\",\"kind\":\"allow_once\"}"));
	rig_forget(&r);
	asks(&r, "3", "shell", "cat /etc/shadow");
	assert_false(rig_did(&r, "answer"));
	assert_int_equal(r.state.n_asks, 1);
	ks_state_init(&again);
	rig_refold(&r, &again);
	assert_int_equal(again.n_asks, 1);
	assert_int_equal(again.n_always, 1);
	ks_state_fini(&again);
	rig_fini(&r);
}

static void test_nobody_is_there(void **state)
{
	struct rig r;

	begin(&r);
	r.policy.unattended = true;
	asks(&r, "1", "shell", "cat /etc/hosts");
	assert_true(rig_did(&r, "\"kind\":\"reject_once\",\"text\":\"Nobody is here"));
	rig_see(&r, KS_BY_AGENT, "agent.asked", "\"ask\":\"f\",\"text\":\"Which?\",\"fields\":[]");
	assert_true(rig_did(&r, "answer {\"ask\":\"f\"}"));
	assert_int_equal(r.state.n_asks, 0);
	rig_fini(&r);
}

static void test_own_rules(void **state)
{
	struct rig r;
	struct ks_permit rules[2];

	assert_int_equal(ks_permit_parse(&rules[0], KS_STR("reject shell any rm *"), NULL), 0);
	assert_int_equal(ks_permit_parse(&rules[1], KS_STR("allow fetch any"), NULL), 0);
	begin(&r);
	r.policy.permits = rules;
	r.policy.n_permits = 2;
	asks(&r, "1", "shell", "rm -rf build");
	assert_true(rig_did(&r, "\"ask\":\"1\",\"kind\":\"reject_once\",\"text\":\"This campaign"));
	asks(&r, "2", "fetch", "https://example.org");
	assert_true(rig_did(&r, "{\"ask\":\"2\",\"kind\":\"allow_once\"}"));
	rig_fini(&r);
}

static void test_a_form(void **state)
{
	struct rig r;
	char *line;

	begin(&r);
	rig_see(&r, KS_BY_AGENT, "agent.asked", "\"ask\":\"f\",\"text\":\"Which layout?\","
		"\"fields\":[{\"id\":\"x\",\"type\":\"choice\",\"options\":[{\"id\":\"r\","
		"\"name\":\"row\"}]}]");
	assert_int_equal(r.state.n_asks, 1);
	assert_true(r.state.asks[0].form);
	assert_int_equal(rig_do(&r, KS_CMD_ANSWER, KS_BY_HUMAN, "{\"values\":3}"), KS_EINVAL);
	assert_int_equal(rig_do(&r, KS_CMD_ANSWER, KS_BY_HUMAN, "{\"values\":{\"x\":\"r\"}}"), 0);
	assert_true(rig_did(&r, "answer {\"ask\":\"f\",\"values\":{\"x\":\"r\"}}"));
	line = rig_last(&r, "agent.answered");
	assert_non_null(strstr(line, "\"action\":\"accept\""));
	free(line);
	rig_fini(&r);
}

static void test_withdrawn_and_dead(void **state)
{
	struct rig r;

	begin(&r);
	asks(&r, "1", "fetch", "x");
	asks(&r, "2", "fetch", "y");
	rig_see(&r, KS_BY_AGENT, "permission.answered", "\"ask\":\"1\",\"answer\":\"cancelled\","
		"\"why\":\"withdrawn\"");
	assert_int_equal(r.state.n_asks, 1);
	assert_string_equal(r.state.asks[0].ask, "2");
	rig_see(&r, KS_BY_AGENT, "agent.exited", "\"status\":1,\"tail\":\"boom\"");
	assert_int_equal(r.state.n_asks, 0);
	assert_string_equal(r.state.tail, "boom");
	rig_fini(&r);
}

static void test_a_flood_is_answered(void **state)
{
	struct rig r;
	char ask[16];

	begin(&r);
	for (int i = 0; i < KS_ASKS_MAX + 5; i++) {
		snprintf(ask, sizeof(ask), "q%d", i);
		asks(&r, ask, "fetch", "x");
	}
	assert_int_equal(r.state.n_asks, KS_ASKS_MAX);
	assert_int_equal(r.state.asks_lost, 5);
	assert_true(rig_did(&r, "\"ask\":\"q36\",\"kind\":\"reject_once\""));
	rig_fini(&r);
}

static void test_what_it_says_of_itself(void **state)
{
	struct rig r;

	begin(&r);
	rig_see(&r, KS_BY_AGENT, "agent.session", "\"session\":\"s-1\",\"agent\":\"x\","
		"\"version\":\"1.2\",\"how\":\"new\",\"steers\":true");
	rig_see(&r, KS_BY_AGENT, "agent.mode", "\"mode\":\"m1\",\"modes\":[{\"id\":\"m1\","
		"\"name\":\"One\"},{\"id\":\"m2\",\"name\":\"Two\"}]");
	rig_see(&r, KS_BY_AGENT, "agent.usage", "\"scope\":\"turn\",\"input\":10,\"output\":5,"
		"\"cost\":0.25,\"currency\":\"USD\",\"used\":1000,\"size\":200000");
	rig_see(&r, KS_BY_AGENT, "agent.usage", "\"scope\":\"request\",\"input\":3,\"output\":1");
	rig_see(&r, KS_BY_AGENT, "agent.plan", "\"entries\":[{\"text\":\"a\",\"status\":"
		"\"completed\"},{\"text\":\"b\",\"status\":\"pending\"}]");
	assert_string_equal(r.state.session, "s-1");
	assert_string_equal(r.state.session_driver, "script");
	assert_true(r.state.steers);
	assert_int_equal(r.state.n_agent_modes, 2);
	assert_true(r.state.usage.cost > 0.249 && r.state.usage.cost < 0.251);
	assert_int_equal(r.state.usage.input, 3);
	assert_int_equal(r.state.usage.used, 1000);
	assert_int_equal(r.state.plan, 2);
	assert_int_equal(r.state.plan_done, 1);
	assert_int_equal(rig_do(&r, KS_CMD_AGENT_MODE, KS_BY_HUMAN, "{\"mode\":\"m2\"}"), 0);
	assert_true(rig_did(&r, "agent-mode m2"));
	assert_int_equal(rig_do(&r, KS_CMD_AGENT_MODE, KS_BY_HUMAN, "{\"mode\":\"m3\"}"),
		KS_EINVAL);
	rig_fini(&r);
}

static void test_a_call_that_tells_more_later(void **state)
{
	struct rig r;
	uint64_t calls;

	begin(&r);
	rig_see(&r, KS_BY_AGENT, "tool.started", "\"call\":\"x\",\"name\":\"bash\","
		"\"tool\":\"other\",\"title\":\"bash\",\"text\":\"\"");
	calls = r.state.layers.calls;
	rig_see(&r, KS_BY_AGENT, "tool.updated", "\"call\":\"x\",\"name\":\"bash\","
		"\"tool\":\"shell\",\"title\":\"run it\",\"text\":\"perf stat -e cycles ./bench\"");
	assert_int_equal(r.state.calls, 1);
	assert_int_equal(r.state.layers.calls, calls);
	assert_true(r.state.tools[0].effort != 0);
	assert_string_equal(r.state.tools[0].title, "run it");
	assert_int_equal(r.state.rows[r.state.tools[0].row].more, 1);
	rig_see(&r, KS_BY_AGENT, "tool.updated", "\"call\":\"nobody\",\"text\":\"x\"");
	rig_see(&r, KS_BY_AGENT, "tool.ended", "\"call\":\"x\",\"ok\":true");
	assert_int_equal(r.state.rows[r.state.tools[0].row].end, 3);
	rig_fini(&r);
}

static void test_words_into_the_turn(void **state)
{
	struct rig r;

	begin(&r);
	assert_int_equal(rig_do(&r, KS_CMD_SAY, KS_BY_HUMAN, "{\"text\":\"Look.\",\"steer\":true}"),
		KS_EUNSUPPORTED);
	rig_see(&r, KS_BY_AGENT, "agent.session", "\"session\":\"s\",\"steers\":true");
	assert_int_equal(rig_do(&r, KS_CMD_SAY, KS_BY_HUMAN, "{\"text\":\"Look.\",\"steer\":true}"),
		0);
	assert_true(rig_did(&r, "Look."));
	assert_true(rig_did(&r, "steer "));
	assert_false(rig_did(&r, "prompt"));
	assert_int_equal(r.state.agent, KS_AGENT_WORKING);
	rig_fini(&r);
}

static void test_interrupt_and_ask(void **state)
{
	struct rig r;

	begin(&r);
	assert_int_equal(rig_do(&r, KS_CMD_SAY, KS_BY_HUMAN, "{\"text\":\"Stop.\",\"now\":true}"),
		0);
	assert_true(rig_did(&r, "cancel"));
	assert_int_equal(r.state.queued, 1);
	rig_turn_end(&r, "cancelled");
	assert_true(rig_did(&r, "prompt"));
	assert_int_equal(r.state.queued, 0);
	rig_fini(&r);
}

static void test_the_queue_is_edited(void **state)
{
	struct rig r;
	long long first, second;

	begin(&r);
	rig_say(&r, "One.");
	rig_say(&r, "Two.");
	rig_say(&r, "Three.");
	first = (long long)r.state.queue[0].id;
	second = (long long)r.state.queue[1].id;
	assert_int_equal(rig_do(&r, KS_CMD_UNQUEUE, KS_BY_HUMAN, "{\"id\":%lld}", second), 0);
	assert_int_equal(r.state.queued, 2);
	assert_string_equal(r.state.queue[1].text, "Three.");
	assert_int_equal(rig_do(&r, KS_CMD_UNQUEUE, KS_BY_HUMAN, "{\"id\":%lld,\"text\":\"Uno.\"}",
		first), 0);
	assert_int_equal(rig_do(&r, KS_CMD_UNQUEUE, KS_BY_HUMAN, "{\"id\":%lld,\"text\":\" \"}",
		first), KS_EINVAL);
	assert_int_equal(rig_do(&r, KS_CMD_UNQUEUE, KS_BY_HUMAN, "{\"id\":%lld}", second),
		KS_EINVAL);
	rig_turn_end(&r, "ended");
	assert_true(rig_did(&r, "Uno.\n\nThree."));
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_rule_answers),
		cmocka_unit_test(test_a_person_answers),
		cmocka_unit_test(test_always_is_remembered_for_the_same),
		cmocka_unit_test(test_nobody_is_there),
		cmocka_unit_test(test_own_rules),
		cmocka_unit_test(test_a_form),
		cmocka_unit_test(test_withdrawn_and_dead),
		cmocka_unit_test(test_a_flood_is_answered),
		cmocka_unit_test(test_what_it_says_of_itself),
		cmocka_unit_test(test_a_call_that_tells_more_later),
		cmocka_unit_test(test_words_into_the_turn),
		cmocka_unit_test(test_interrupt_and_ask),
		cmocka_unit_test(test_the_queue_is_edited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
