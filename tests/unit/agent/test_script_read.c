/* Scripts are read strictly, and errors name their place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/driver.h"
#include "agent/script.h"
#include "base/file.h"
#include "base/mem.h"

struct fixture {
	char *dir, *path;
};

static int setup(void **state)
{
	struct fixture *f = ks_zalloc(1, sizeof(*f));
	char name[] = "/tmp/kseek-script-XXXXXX";
	char *source;

	f->dir = ks_strdup(mkdtemp(name));
	f->path = ks_path_join(f->dir, "script.json");
	source = ks_path_join(f->dir, "c03.c");
	assert_int_equal(ks_file_write(source, KS_STR("int x;\n"), 0644, NULL), 0);
	free(source);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	ks_file_remove_tree(f->dir, NULL);
	free(f->dir);
	free(f->path);
	free(f);
	return 0;
}

static int read_text(struct fixture *f, const char *text, struct ks_script *out,
	struct ks_err *err)
{
	*err = (struct ks_err)KS_ERR_INIT;
	assert_int_equal(ks_file_write(f->path, ks_str_of(text), 0644, NULL), 0);
	return ks_script_read(out, f->path, err);
}

static void test_all_steps(void **state)
{
	struct fixture *f = *state;
	struct ks_script s = {0};
	struct ks_err err;
	char *label = NULL;

	if (read_text(f, "{\"kseek_script\":1,\"name\":\"n\",\"note\":\"x\",\"steps\":["
		"{\"do\":\"say\",\"text\":\"a\",\"note\":\"why\"},{\"do\":\"think\","
		"\"text\":\"b\"},"
		"{\"do\":\"claim\",\"text\":\"c\"},{\"do\":\"shell\",\"cmd\":\"true\","
		"\"limit_s\":5},"
		"{\"do\":\"shell\",\"cmd\":\"true\"},"
		"{\"do\":\"edit\",\"file\":\"kernel.c\",\"from\":\"c03.c\"},"
		"{\"do\":\"eval\"},{\"do\":\"eval\",\"args\":[\"--no-perf\"]},"
		"{\"do\":\"wait\",\"for\":\"human\"},"
		"{\"do\":\"branch\",\"on\":\"layer\",\"of\":\"last-question\","
		"\"cases\":{\"H\":\"far\",\"X\":\"near\"},\"else\":\"near\"},"
		"{\"do\":\"label\",\"name\":\"near\"},{\"do\":\"pause\",\"ms\":20},"
		"{\"do\":\"goto\",\"label\":\"near\"},{\"do\":\"label\",\"name\":\"far\"},"
		"{\"do\":\"end\"}]}", &s, &err) < 0) {
		fail_msg("%s", err.msg);
	}
	assert_int_equal(s.count, 15);
	assert_string_equal(s.name, "n");
	assert_int_equal(s.steps[3].ms, 5000);
	assert_int_equal(s.steps[4].ms, 60000);
	assert_string_equal(s.steps[7].args[0], "--no-perf");
	assert_null(s.steps[7].args[1]);
	assert_int_equal(s.steps[9].target, 10);
	assert_int_equal(s.steps[9].cases[1], 13); /* H */
	assert_int_equal(s.steps[9].cases[0], 10); /* V: else */
	assert_int_equal(s.steps[12].target, 10);
	ks_script_fini(&s);
	assert_int_equal(ks_driver_find("script")->check(f->path, &label, &err), 0);
	assert_string_equal(label, "script (not a model)");
	free(label);
}

#define TOP(steps) "{\"kseek_script\":1,\"name\":\"n\",\"steps\":[" steps "]}"
#define SAY "{\"do\":\"say\",\"text\":\"a\"},"

/* Scripts with a fault, and how the message begins. */
static const struct {
	const char *text, *want;
} cases[] = {
	{"{", "script.json: "},
	{"[]", "script.json: $.kseek_script: not 1"},
	{"{\"kseek_script\":2}", "script.json: $.kseek_script: not 1"},
	{"{\"kseek_script\":1,\"steps\":[]}", "script.json: $.name: not a text"},
	{"{\"kseek_script\":1,\"name\":\"n\",\"stpes\":[]}",
		"script.json: $.stpes: not known"},
	{TOP(""), "script.json: $.steps: not a list of 1 to"},
	{TOP("7"), "script.json: $.steps[0]: not an object"},
	{TOP(SAY "{\"text\":\"a\"}"), "script.json: $.steps[1].do: missing"},
	{TOP(SAY "{\"do\":\"sya\"}"), "script.json: $.steps[1].do: \"sya\" is no step"},
	{TOP(SAY "{\"do\":\"say\"}"), "script.json: $.steps[1].text: missing for \"say\""},
	{TOP("{\"do\":\"say\",\"text\":7}"), "script.json: $.steps[0].text: not a text"},
	{TOP("{\"do\":\"say\",\"text\":\"\"}"), "script.json: $.steps[0].text: not a text"},
	{TOP("{\"do\":\"say\",\"text\":\"a\",\"cmd\":\"x\"}"),
		"script.json: $.steps[0].cmd: not known for \"say\""},
	{TOP("{\"do\":\"shell\",\"cmd\":\"a\",\"limit_s\":0}"),
		"script.json: $.steps[0].limit_s: not a whole number from 1 to 3600"},
	{TOP("{\"do\":\"shell\",\"cmd\":\"a\",\"take\":[]}"),
		"script.json: $.steps[0].take: not an object of 1 to"},
	{TOP("{\"do\":\"shell\",\"cmd\":\"a\",\"take\":{\"A b\":\"x\"}}"),
		"script.json: $.steps[0].take: \"A b\" is no name"},
	{TOP("{\"do\":\"shell\",\"cmd\":\"a\",\"take\":{\"a\":\"(\"}}"),
		"script.json: $.steps[0].take: \"a\": regular expression, byte"},
	{TOP(SAY "{\"do\":\"say\",\"text\":\"{a} us\"}"),
		"script.json: $.steps[1].text: no step takes {a}"},
	{TOP("{\"do\":\"say\",\"text\":\"a\",\"else\":\"b\"}"),
		"script.json: $.steps[0].else: the text has no {figure}"},
	{TOP("{\"do\":\"say\",\"text\":\"a\",\"when\":\"better slow\"}"),
		"script.json: $.steps[0].when: \"slow\" is none of better, same"},
	{TOP("{\"do\":\"say\",\"text\":\"a\",\"when\":7}"),
		"script.json: $.steps[0].when: not"},
	{TOP("{\"do\":\"wait\",\"for\":\"human\",\"when\":\"better\"}"),
		"script.json: $.steps[0].when: not known for \"wait\""},
	{TOP("{\"do\":\"eval\",\"take\":{\"a\":\"(\"}}"),
		"script.json: $.steps[0].take: \"a\": regular expression, byte"},
	{TOP("{\"do\":\"pause\",\"ms\":1.5}"), "script.json: $.steps[0].ms: not a whole"},
	{TOP(SAY SAY SAY "{\"do\":\"edit\",\"file\":\"kernel.c\",\"from\":\"c04.c\"}"),
		"script.json: $.steps[3].from: c04.c: no such file beside the script"},
	{TOP("{\"do\":\"edit\",\"file\":\"k.c\",\"from\":\"../c03.c\"}"),
		"script.json: $.steps[0].from: ../c03.c: not a plain path"},
	{TOP("{\"do\":\"edit\",\"file\":\"../k.c\",\"from\":\"c03.c\"}"),
		"script.json: $.steps[0].file: ../k.c: not a plain path"},
	{TOP("{\"do\":\"edit\",\"file\":\".git/config\",\"from\":\"c03.c\"}"),
		"script.json: $.steps[0].file: .git/config: not a plain path"},
	{TOP("{\"do\":\"wait\",\"for\":\"godot\"}"),
		"script.json: $.steps[0].for: not \"human\""},
	{TOP("{\"do\":\"eval\",\"args\":\"x\"}"),
		"script.json: $.steps[0].args: not a list"},
	{TOP("{\"do\":\"eval\",\"args\":[\"a\",1]}"),
		"script.json: $.steps[0].args: item 1 is not a text"},
	{TOP(SAY "{\"do\":\"goto\",\"label\":\"x\"}"),
		"script.json: $.steps[1].label: no label \"x\""},
	{TOP("{\"do\":\"label\",\"name\":\"x\"},{\"do\":\"label\",\"name\":\"x\"}"),
		"script.json: $.steps[1].name: \"x\" is also at $.steps[0]"},
	{TOP("{\"do\":\"branch\",\"on\":\"mood\",\"of\":\"last-question\",\"cases\":{},"
		"\"else\":\"x\"}"),
		"script.json: $.steps[0].on: not \"layer\""},
	{TOP("{\"do\":\"branch\",\"on\":\"layer\",\"of\":\"x\",\"cases\":{\"H\":\"x\"},"
		"\"else\":\"x\"}"),
		"script.json: $.steps[0].of: neither"},
	{TOP("{\"do\":\"branch\",\"on\":\"layer\",\"of\":\"last-question\","
		"\"cases\":{\"Q\":\"x\"},"
		"\"else\":\"x\"}"), "script.json: $.steps[0].cases: \"Q\" is no layer"},
	{TOP("{\"do\":\"label\",\"name\":\"x\"},{\"do\":\"branch\",\"on\":\"layer\","
		"\"of\":\"last-question\",\"cases\":{\"H\":\"y\"},\"else\":\"x\"}"),
		"script.json: $.steps[1].cases: no label \"y\""},
};

static void test_errors(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ks_script s = {0};
		struct ks_err err;

		assert_int_equal(read_text(f, cases[i].text, &s, &err), KS_EINVAL);
		if (strncmp(err.msg, cases[i].want, strlen(cases[i].want)) != 0) {
			fail_msg("wanted \"%s\", got \"%s\"", cases[i].want, err.msg);
		}
		assert_null(s.steps);
	}
}

static void test_no_script(void **state)
{
	struct fixture *f = *state;
	struct ks_err err = KS_ERR_INIT;

	assert_int_equal(ks_driver_find("script")->check(f->path, NULL, &err), KS_ENOTFOUND);
	ks_err_clear(&err);
	assert_int_equal(ks_driver_find("script")->check(NULL, NULL, &err), KS_EINVAL);
	assert_null(ks_driver_find("unknown"));
	for (const char *const *name = ks_driver_names(); *name != NULL; name++) {
		assert_string_equal(ks_driver_find(*name)->name, *name);
	}
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_all_steps), T(test_errors), T(test_no_script),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
