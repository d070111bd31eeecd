/* The settings that a hook is written into, and the skill's text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "app/hook.h"
#include "app/skill.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"

static const struct ks_hook_agent *agent(const char *name)
{
	size_t count;
	const struct ks_hook_agent *list = ks_hook_agents(&count);

	for (size_t i = 0; i < count; i++) {
		if (strcmp(list[i].name, name) == 0) {
			return &list[i];
		}
	}
	fail_msg("no agent %s", name);
	return NULL;
}

static struct ks_json *merge(const char *name, const char *old, bool remove, struct ks_buf *text)
{
	struct ks_json *doc = NULL;
	struct ks_err err = KS_ERR_INIT;

	ks_buf_clear(text);
	assert_int_equal(ks_hook_merge(text, ks_str_of(old), agent(name), "'/x y/kseek' hook stop",
		remove, &err), 0);
	assert_int_equal(ks_json_parse(&doc, text->ptr, text->len, &err), 0);
	return doc;
}

static const struct ks_json *groups(const struct ks_json *doc, const char *event)
{
	return ks_json_get(ks_json_get(doc, "hooks"), event);
}

static void a_new_file(void **state)
{
	static const struct {
		const char *name, *event;
		int timeout;
	} cases[] = {{"claude", "Stop", 30}, {"codex", "Stop", 30}, {"qwen", "Stop", 30000},
		{"gemini", "AfterAgent", 30000}};

	for (size_t i = 0; i < 4; i++) {
		struct ks_buf text = {0};
		struct ks_json *doc = merge(cases[i].name, i % 2 ? "" : "{}\n", false, &text);
		const struct ks_json *hook = ks_json_first(ks_json_get(
			ks_json_first(groups(doc, cases[i].event)), "hooks"));

		assert_string_equal(ks_json_get_str(hook, "type", ""), "command");
		assert_string_equal(ks_json_get_str(hook, "command", ""), "'/x y/kseek' hook stop");
		assert_int_equal(ks_json_get_int(hook, "timeout", 0), cases[i].timeout);
		ks_json_free(doc);
		ks_buf_fini(&text);
	}
}

static void what_is_there_stays(void **state)
{
	static const char old[] = "{\"model\":\"m\",\"n\":0.25,"
		"\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\","
		"\"command\":\"mine\"}]}],\"Stop\":[{\"hooks\":[{\"type\":\"command\","
		"\"command\":\"mine too\"},{\"type\":\"command\","
		"\"command\":\"/old/kseek hook stop\"}]}]},\"list\":[1,\"\\u00fc\"]}";
	struct ks_buf text = {0}, again = {0}, third = {0}, without = {0};
	struct ks_json *doc = merge("claude", old, false, &text);
	struct ks_json *twice = merge("claude", text.ptr, false, &again);
	struct ks_json *thrice = merge("claude", again.ptr, false, &third);
	struct ks_json *none = merge("claude", text.ptr, true, &without);

	assert_string_equal(ks_json_get_str(doc, "model", ""), "m");
	assert_true(ks_json_get_num(doc, "n", 0) == 0.25);
	assert_string_equal(ks_json_str(ks_json_at(ks_json_get(doc, "list"), 1), ""), "ü");
	assert_int_equal(ks_json_count(groups(doc, "PreToolUse")), 1);
	assert_int_equal(ks_json_count(groups(doc, "Stop")), 2);
	assert_null(strstr(text.ptr, "/old/kseek"));
	assert_non_null(strstr(text.ptr, "mine too"));
	assert_int_equal(ks_json_count(groups(twice, "Stop")), 2);
	assert_string_equal(third.ptr, again.ptr);
	assert_int_equal(ks_json_count(groups(none, "Stop")), 1);
	assert_null(strstr(without.ptr, "hook stop"));
	ks_json_free(doc);
	ks_json_free(twice);
	ks_json_free(thrice);
	ks_json_free(none);
	ks_buf_fini(&text);
	ks_buf_fini(&again);
	ks_buf_fini(&third);
	ks_buf_fini(&without);
}

/* Out again, and nothing of it is left; what others left empty stays. */
static void what_it_made_goes_with_it(void **state)
{
	static const struct {
		const char *old, *expected;
	} cases[] = {
		{"{}", "{}"},
		{"{\"a\":1}", "{\"a\":1}"},
		{"{\"hooks\":{\"Other\":[]}}", "{\"hooks\":{\"Other\":[]}}"},
		{"{\"hooks\":{\"Stop\":[{\"hooks\":[]}]}}",
			"{\"hooks\":{\"Stop\":[{\"hooks\":[]}]}}"},
		{"{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"mine\"}]}]},\"b\":2}",
			"{\"b\":2,\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"mine\"}]}]}}"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ks_buf with = {0}, without = {0}, plain = {0};
		struct ks_json *in = merge("claude", cases[i].old, false, &with);
		struct ks_json *out = merge("claude", with.ptr, true, &without);

		assert_non_null(strstr(with.ptr, "hook stop"));
		ks_json_print(out, &plain);
		assert_string_equal(plain.ptr, cases[i].expected);
		ks_json_free(in);
		ks_json_free(out);
		ks_buf_fini(&with);
		ks_buf_fini(&without);
		ks_buf_fini(&plain);
	}
}

static void what_is_no_settings_file_is_refused(void **state)
{
	static const char *const bad[] = {"{ // comment\n}", "[]", "nonsense", "{\"hooks\":[]}",
		"{\"hooks\":{\"Stop\":{}}}", "{\"a\":1,}", "{\"a\":1}{\"b\":2}"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ks_buf text = {0};
		struct ks_err err = KS_ERR_INIT;

		assert_int_equal(ks_hook_merge(&text, ks_str_of(bad[i]), agent("claude"), "x",
			false, &err), KS_EINVAL);
		assert_null(strchr(err.msg, '\n'));
		ks_buf_fini(&text);
	}
}

/* ---- the skill ---- */

static struct ks_bank *core_bank(void)
{
	struct ks_bank *bank = ks_bank_new();
	char **names;
	size_t count;

	assert_int_equal(ks_file_list(&names, &count, KSEEK_TEST_BANK, NULL), 0);
	for (size_t i = 0; i < count; i++) {
		char *path = ks_path_join(KSEEK_TEST_BANK, names[i]);
		struct ks_buf text = {0};

		if (!ks_file_is_dir(path)) {
			assert_int_equal(ks_file_read(&text, path, 4 << 20, NULL), 0);
			assert_int_equal(ks_bank_load(bank, ks_buf_str(&text), names[i], NULL), 0);
		}
		ks_buf_fini(&text);
		free(path);
	}
	ks_names_free(names, count);
	return bank;
}

static void the_front_matter_is_as_specified(void **state)
{
	struct ks_bank *bank = core_bank();
	struct ks_buf text = {0};
	const char *at, *end;

	ks_skill_main(&text, bank, KS_BANK_CPU);
	assert_memory_equal(text.ptr, "---\nname: " KS_SKILL_NAME "\ndescription: ", 10);
	at = strstr(text.ptr, "description: ") + strlen("description: ");
	end = strchr(at, '\n');
	assert_true(end - at > 0 && end - at <= 1024);
	assert_memory_equal(end, "\n---\n", 5);
	for (; at < end; at++) {
		assert_false(at[0] == ':' && at[1] == ' ');
	}
	for (size_t i = 0; i < 4; i++) {
		static const char *const words[] = {"plateau", "hardware limit",
			"suspicious speedup",
			"complete"};

		assert_non_null(strstr(text.ptr, words[i]));
	}
	assert_true(strlen(KS_SKILL_NAME) <= 64);
	assert_int_equal(strspn(KS_SKILL_NAME, "abcdefghijklmnopqrstuvwxyz0123456789-"),
		strlen(KS_SKILL_NAME));
	ks_buf_fini(&text);
	ks_bank_free(bank);
}

static void every_question_is_in_one_group(void **state)
{
	struct ks_bank *bank = core_bank();
	struct ks_buf all = {0}, head = {0};

	ks_skill_main(&head, bank, KS_BANK_CUDA);
	for (int g = 0; g < KS_LAYERS; g++) {
		size_t before = all.len;
		char *file = ks_skill_group_file(g);

		ks_skill_group(&all, bank, g, KS_BANK_CUDA);
		assert_true(all.len > before);
		assert_non_null(strstr(head.ptr, file));
		assert_null(strchr(file, ' '));
		assert_null(strstr(file, "--"));
		free(file);
	}
	for (size_t i = 0; i < ks_bank_count(bank); i++) {
		const struct ks_bank_entry *e = ks_bank_at(bank, i);

		if ((e->targets & KS_BANK_CUDA) != 0) {
			assert_non_null(strstr(all.ptr, e->question));
		}
	}
	ks_buf_fini(&all);
	ks_buf_fini(&head);
	ks_bank_free(bank);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_file),
		cmocka_unit_test(what_is_there_stays),
		cmocka_unit_test(what_it_made_goes_with_it),
		cmocka_unit_test(what_is_no_settings_file_is_refused),
		cmocka_unit_test(the_front_matter_is_as_specified),
		cmocka_unit_test(every_question_is_in_one_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
