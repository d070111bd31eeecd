/* The campaign's folder and campaign.json. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "folder.h"
#include "store/campaign.h"

static const char full[] =
	"{\"id\":\"ab12\",\"name\":\"attention-cpu\",\"problem\":\"problem\",\"target\":\"cuda\","
	"\"arch\":\"sm_90a\",\"flags\":[\"-O3\",\"-lineinfo\"],"
	"\"files\":[\"kernel.cu\",\"src/a.h\"],"
	"\"threads\":4,\"goal\":[\"every scenario correct\",\"geomean speedup >= 1.16\"],"
	"\"agent\":{\"driver\":\"acp\",\"command\":[\"opencode\",\"acp\"],"
	"\"model\":\"m\",\"n\":[1]},"
	"\"mode\":\"bank\",\"budget\":{\"hours\":2.5,\"evaluations\":100,\"turns\":7,"
	"\"tool_calls\":8,\"tokens\":9000000000,\"dollars\":1.25},\"x-note\":{\"a\":1}}";

static void expect_full(const struct ks_campaign *c)
{
	assert_string_equal(c->id, "ab12");
	assert_string_equal(c->name, "attention-cpu");
	assert_string_equal(c->problem, "problem");
	assert_int_equal(c->target, KS_TARGET_CUDA);
	assert_string_equal(c->arch, "sm_90a");
	assert_int_equal(c->flags.count, 2);
	assert_string_equal(c->flags.items[1], "-lineinfo");
	assert_null(c->flags.items[2]);
	assert_int_equal(c->files.count, 2);
	assert_string_equal(c->files.items[1], "src/a.h");
	assert_int_equal(c->threads, 4);
	assert_int_equal(c->goal.count, 2);
	assert_string_equal(c->goal.items[1], "geomean speedup >= 1.16");
	assert_string_equal(c->driver, "acp");
	assert_int_equal(c->command.count, 2);
	assert_string_equal(c->command.items[0], "opencode");
	assert_non_null(strstr(c->agent, "\"model\":\"m\""));
	assert_string_equal(c->mode, "bank");
	assert_true(c->budget.hours == 2.5);
	assert_int_equal(c->budget.evaluations, 100);
	assert_int_equal(c->budget.turns, 7);
	assert_int_equal(c->budget.tool_calls, 8);
	assert_true(c->budget.tokens == INT64_C(9000000000));
	assert_true(c->budget.dollars == 1.25);
}

static void the_rules_have_numbers(void **state)
{
	static const char text[] = "{\"policy\":{\"human_wait_s\":600,\"fresh_eval\":false,"
		"\"idle_turns\":0},\"permissions\":[\"ask shell any rm *\"],\"shim\":false}";
	static const char *const bad[] = {"{\"policy\":{\"human_wait\":1}}",
		"{\"policy\":{\"retry_s\":0}}", "{\"policy\":{\"retries\":1.5}}",
		"{\"policy\":{\"retries\":\"2\"}}", "{\"policy\":[]}", "{\"shim\":1}",
		"{\"permissions\":\"ask\"}"};
	struct ks_campaign c = {0}, again = {0};
	struct ks_err err = KS_ERR_INIT;
	char *path = folder_path(state, "campaign.json");

	assert_int_equal(ks_campaign_parse(&c, KS_STR(text), "campaign.json", &err), 0);
	assert_int_equal(ks_setting_of(&c.policy, KS_SET_HUMAN_WAIT, 5), 600);
	assert_int_equal(ks_setting_of(&c.policy, KS_SET_FRESH_EVAL, 1), 0);
	assert_int_equal(ks_setting_of(&c.policy, KS_SET_IDLE_TURNS, 3), 0);
	assert_int_equal(ks_setting_of(&c.policy, KS_SET_RETRIES, 7), 7);
	assert_string_equal(c.permissions.items[0], "ask shell any rm *");
	assert_true(c.no_shim);
	assert_int_equal(ks_campaign_write(&c, path, &err), 0);
	assert_int_equal(ks_campaign_read(&again, path, &err), 0);
	assert_int_equal(ks_setting_of(&again.policy, KS_SET_HUMAN_WAIT, 5), 600);
	assert_int_equal(again.permissions.count, 1);
	assert_true(again.no_shim);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ks_campaign none = {0};
		struct ks_err why = KS_ERR_INIT;

		assert_int_equal(ks_campaign_parse(&none, ks_str_of(bad[i]), "campaign.json", &why),
			KS_EINVAL);
		assert_non_null(strstr(why.msg, "campaign.json: $."));
	}
	assert_int_equal(ks_setting_parse(&c.policy, "human_wait_s=10", &err), 0);
	assert_int_equal(ks_setting_parse(&c.policy, "human_wait_s", &err), KS_EINVAL);
	assert_int_equal(ks_setting_parse(&c.policy, "human_wait_s=ten", &err), KS_EINVAL);
	assert_int_equal(ks_setting_parse(&c.policy, "=1", &err), KS_EINVAL);
	assert_int_equal(ks_setting_parse(&c.policy, "retries=9999999999999999999", &err),
		KS_EINVAL);
	ks_campaign_fini(&c);
	ks_campaign_fini(&again);
	free(path);
}

static void reads_all_of_it(void **state)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_campaign c = {0};

	if (ks_campaign_parse(&c, ks_str_of(full), "campaign.json", &err) < 0) {
		fail_msg("%s", err.msg);
	}
	expect_full(&c);
	ks_campaign_fini(&c);
	ks_campaign_fini(NULL);
}

static void writes_what_it_read(void **state)
{
	char *path = folder_path(state, "campaign.json"), *text;
	struct ks_campaign c = {0}, back = {0};
	struct ks_err err = KS_ERR_INIT;
	size_t len;

	assert_int_equal(ks_campaign_parse(&c, ks_str_of(full), "f", NULL), 0);
	assert_int_equal(ks_campaign_write(&c, path, NULL), 0);
	if (ks_campaign_read(&back, path, &err) < 0) {
		fail_msg("%s", err.msg);
	}
	expect_full(&back);
	text = folder_get(path, &len);
	assert_non_null(strstr(text, "\n  \"target\": \"cuda\",\n"));
	assert_int_equal(text[len - 1], '\n');
	free(text);
	ks_campaign_fini(&c);
	ks_campaign_fini(&back);
	free(path);
}

static void little_is_needed(void **state)
{
	char *path = folder_path(state, "campaign.json");
	struct ks_campaign c = {0}, again = {0};

	assert_int_equal(ks_campaign_parse(&c, KS_STR("{}"), "f", NULL), 0);
	assert_string_equal(c.problem, "problem");
	assert_int_equal(c.target, KS_TARGET_CPU);
	assert_int_equal(c.threads, 1);
	assert_null(c.id);
	assert_null(c.agent);
	ks_campaign_fini(&c);
	assert_int_equal(ks_campaign_parse(&c,
		KS_STR("{\"agent\":\"manual\",\"flags\":\" -O3  -march=native \"}"), "f", NULL), 0);
	assert_string_equal(c.driver, "manual");
	assert_string_equal(c.agent, "{\"driver\":\"manual\"}");
	assert_int_equal(c.flags.count, 2);
	assert_string_equal(c.flags.items[1], "-march=native");
	/* writing gives it an id that stays */
	assert_int_equal(ks_campaign_write(&c, path, NULL), 0);
	assert_int_equal(strlen(c.id), 12);
	assert_int_equal(ks_campaign_read(&again, path, NULL), 0);
	assert_string_equal(again.id, c.id);
	assert_string_equal(again.driver, "manual");
	ks_campaign_fini(&c);
	ks_campaign_fini(&again);
	/* a file without one gets the same id each time */
	folder_put(path, KS_STR("{}"));
	assert_int_equal(ks_campaign_read(&c, path, NULL), 0);
	assert_int_equal(ks_campaign_read(&again, path, NULL), 0);
	assert_int_equal(strlen(c.id), 12);
	assert_string_equal(again.id, c.id);
	ks_campaign_fini(&c);
	ks_campaign_fini(&again);
	free(path);
}

static void errors_name_file_and_path(void **state)
{
	static const struct {
		const char *text, *want;
	} bad[] = {
		{"[]", "c.json: $: expected an object"},
		{"{", "c.json: JSON: ends at byte 1"},
		{"{\"threds\":1}", "c.json: $.threds: not a key; known are id, name, problem"},
		{"{\"threads\":0}", "c.json: $.threads: expected a whole number from 1 to 1024"},
		{"{\"threads\":1.5}", "$.threads"},
		{"{\"threads\":\"1\"}", "$.threads"},
		{"{\"goal\":\"x\"}", "c.json: $.goal: expected a list of strings"},
		{"{\"goal\":[\"a\",\"b\",3]}", "c.json: $.goal[2]: expected a string"},
		{"{\"goal\":[\"\"]}", "c.json: $.goal[0]: the string is empty"},
		{"{\"name\":\"a\\nb\"}", "c.json: $.name: the string holds a control character"},
		{"{\"name\":5}", "$.name: expected a string"},
		{"{\"target\":\"gpu\"}", "c.json: $.target: expected \"cpu\" or \"cuda\""},
		{"{\"mode\":\"auto\"}", "c.json: $.mode: expected"},
		{"{\"files\":[\"ok.c\",\"../x\"]}", "c.json: $.files[1]: expected a path inside"},
		{"{\"files\":[\"/etc/passwd\"]}", "$.files[0]"},
		{"{\"flags\":[1]}", "c.json: $.flags[0]"},
		{"{\"flags\":\"a\\u0007\"}", "c.json: $.flags"},
		{"{\"agent\":5}", "c.json: $.agent: expected an object"},
		{"{\"agent\":{}}", "c.json: $.agent.driver: expected a string"},
		{"{\"agent\":{\"driver\":\"x\",\"command\":\"y\"}}", "c.json: $.agent.command"},
		{"{\"budget\":{\"hours\":-1}}", "c.json: $.budget.hours: expected a number"},
		{"{\"budget\":{\"evaluations\":1.5}}", "c.json: $.budget.evaluations"},
		{"{\"budget\":{\"days\":1}}", "c.json: $.budget.days: not a key; known are hours"},
		{"{\"budget\":3}", "c.json: $.budget: expected an object"},
		{"{\"id\":\"../x\"}", "c.json: $.id: expected at most 64"},
		{"{\"id\":\"a\",\"id\":\"b\"}", "\"id\" stands twice"},
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ks_err err = KS_ERR_INIT;
		struct ks_campaign c = {0};
		int rc = ks_campaign_parse(&c, ks_str_of(bad[i].text), "c.json", &err);

		if (rc != KS_EINVAL || !strstr(err.msg, bad[i].want)) {
			fail_msg("%s: %d \"%s\"", bad[i].text, rc, err.msg);
		}
		assert_null(c.problem);
	}
}

static void finds_the_campaign_upwards(void **state)
{
	char *deep = folder_path(state, "a/b/c"), *config = folder_path(state, "a/campaign.json");
	char *root = NULL, *want = folder_path(state, "a"), *real;
	struct ks_err err = KS_ERR_INIT;

	assert_int_equal(ks_file_mkdirs(deep, 0755, NULL), 0);
	assert_int_equal(ks_campaign_find(&root, deep, &err), KS_ENOTFOUND);
	assert_non_null(strstr(err.msg, "/a/b/c"));
	assert_non_null(strstr(err.msg, "kseek new"));
	assert_null(root);
	folder_put(config, KS_STR("{}"));
	assert_int_equal(ks_campaign_find(&root, deep, NULL), 0);
	real = realpath(want, NULL);
	assert_string_equal(root, real);
	free(root);
	root = NULL;
	assert_int_equal(ks_campaign_find(&root, want, NULL), 0);
	assert_string_equal(root, real);
	free(root);
	free(real);
	free(deep);
	free(config);
	free(want);
}

static void an_unwritable_one_is_said(const struct ks_campaign_paths *paths)
{
	struct ks_err err = KS_ERR_INIT;
	bool root = geteuid() == 0;

	/* A root user may write everywhere. */
	assert_int_equal(chmod(paths->root, 0755), 0);
	assert_int_equal(chmod(paths->state, 0555), 0);
	assert_true(!root || seteuid(65534) == 0);
	int rc = ks_campaign_make_state(paths, &err);
	assert_true(!root || seteuid(0) == 0);
	assert_int_equal(rc, KS_EIO);
	assert_non_null(strstr(err.msg, "/.kseek: cannot be written (Permission denied); "));
	assert_int_equal(chmod(paths->state, 0700), 0);
}

static void paths_of_a_campaign(void **state)
{
	struct ks_campaign_paths paths = {0};
	struct ks_err err = KS_ERR_INIT;
	char *real = realpath(*state, NULL), *want;

	assert_int_equal(ks_campaign_paths_init(&paths, *state, NULL), 0);
	assert_string_equal(paths.root, real);
	want = ks_path_join(real, ".kseek/log.jsonl");
	assert_string_equal(paths.log, want);
	assert_false(ks_file_exists(paths.state));
	assert_int_equal(ks_campaign_make_state(&paths, NULL), 0);
	assert_int_equal(ks_campaign_make_state(&paths, NULL), 0);
	an_unwritable_one_is_said(&paths);
	assert_true(ks_file_is_dir(paths.blobs));
	ks_campaign_paths_fini(&paths);
	ks_campaign_paths_fini(NULL);
	assert_int_equal(ks_campaign_paths_init(&paths, "/nowhere", &err), KS_ENOTFOUND);
	assert_null(paths.root);
	free(real);
	free(want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(the_rules_have_numbers),
		IN_FOLDER(reads_all_of_it),
		IN_FOLDER(writes_what_it_read),
		IN_FOLDER(little_is_needed),
		IN_FOLDER(errors_name_file_and_path),
		IN_FOLDER(finds_the_campaign_upwards),
		IN_FOLDER(paths_of_a_campaign),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
