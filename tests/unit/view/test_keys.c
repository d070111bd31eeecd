/* The key table: no clash, no reserved key, names, the page made from it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "view/keys.h"

static void assert_apart(const struct ks_keymap *map, const struct ks_binding *one,
	const struct ks_binding *other)
{
	if ((one->where & other->where) == 0) {
		return;
	}
	for (int k = 0; k < 4; k++) {
		const struct ks_key *a = &map->key[one->what][k & 1];
		const struct ks_key *b = &map->key[other->what][k >> 1];

		if (a->kind != KS_KEY_NONE && ks_key_same(a, b)) {
			fail_msg("%s and %s", one->name, other->name);
		}
	}
}

static void no_two_commands_share_a_key(void **state)
{
	const struct ks_binding *list;
	struct ks_keymap map;
	size_t count, i, j;

	(void)state;
	ks_keymap_default(&map);
	list = ks_bindings(&count);
	for (i = 0; i < count; i++) {
		for (j = i + 1; j < count; j++) {
			assert_apart(&map, &list[i], &list[j]);
		}
	}
}

static void every_command_is_described_once(void **state)
{
	const struct ks_binding *list;
	size_t count, i;
	int what;

	(void)state;
	list = ks_bindings(&count);
	assert_int_equal(count, KS_DO_COUNT - 1);
	for (what = 1; what < KS_DO_COUNT; what++) {
		assert_non_null(ks_binding_of((enum ks_do)what));
	}
	for (i = 0; i < count; i++) {
		struct ks_key key;

		assert_ptr_equal(ks_binding_by_name(list[i].name, strlen(list[i].name)),
			&list[i]);
		assert_true(list[i].key == NULL || ks_key_parse(list[i].key, &key));
		assert_true(list[i].other == NULL || ks_key_parse(list[i].other, &key));
		assert_true(list[i].help[0] != '\0' && list[i].where != 0);
	}
}

static void prefixes_of_multiplexers_stay_free(void **state)
{
	static const char *const names[] = {"ctrl-b", "ctrl-a", "ctrl-s", "ctrl-q"};
	struct ks_keymap map;
	struct ks_key key;
	struct ks_err err = KS_ERR_INIT;
	size_t i;

	(void)state;
	ks_keymap_default(&map);
	for (i = 0; i < 4; i++) {
		assert_true(ks_key_parse(names[i], &key));
		assert_int_equal(ks_keymap_find(&map, ~0u, &key), KS_DO_NONE);
	}
	assert_int_equal(ks_keymap_read(&map, KS_STR("bank ctrl-b"), &err), KS_EINVAL);
}

static void is_key(const struct ks_keymap *map, enum ks_do what, const char *want)
{
	char name[24];

	ks_keymap_name(map, what, name, sizeof(name));
	assert_string_equal(name, want);
}

static void keys_can_be_changed(void **state)
{
	struct ks_keymap map;
	struct ks_key key;
	struct ks_err err = KS_ERR_INIT;

	(void)state;
	ks_keymap_default(&map);
	assert_int_equal(ks_keymap_read(&map, KS_STR("# mine\n bank  f5\tB \n\nsort O\r\n"
		"diff b\ngoal d\nwrite i"), &err), 0);
	is_key(&map, KS_DO_BANK, "f5");
	is_key(&map, KS_DO_SORT, "O");
	/* Lines may pass keys on in any order, and name what is so already. */
	is_key(&map, KS_DO_DIFF, "b");
	is_key(&map, KS_DO_GOAL, "d");
	is_key(&map, KS_DO_WRITE, "i");
	assert_true(ks_key_parse("B", &key));
	assert_int_equal(ks_keymap_find(&map, KS_WHERE_MAIN, &key), KS_DO_BANK);
	assert_true(ks_key_parse("o", &key));
	assert_int_equal(ks_keymap_find(&map, KS_WHERE_MAIN, &key), KS_DO_NONE);
}

/* A file with a line that is wrong changes nothing, and the line is named. */
static void wrong_key_lines_are_named(void **state)
{
	static const struct {
		const char *text, *says[2];
	} files[] = {
		{"goal f6\nbank q\n", {"line 2", "quit"}},
		{"goal f6\n\nnope f7\n", {"line 3", "nope"}},
		{"goal hyper-x\n", {"line 1", "hyper-x"}},
		{"# a\ngoal\n", {"line 2", "goal KEY"}},
		{"goal f6 f7 f8\n", {"line 1", "two keys"}},
		{"goal ctrl-b\n", {"line 1", "tmux"}},
		{"goal f6\nbank f6\n", {"line", "f6"}},
		{"offer-1 z\n", {"line 1", "dismiss"}},
		{"goal ______________________________________________________\n",
			{"line 1", "no key"}},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct ks_keymap map;
		struct ks_err err = KS_ERR_INIT;

		ks_keymap_default(&map);
		assert_int_equal(ks_keymap_read(&map, ks_str_of(files[i].text), &err), KS_EINVAL);
		assert_non_null(strstr(err.msg, files[i].says[0]));
		assert_non_null(strstr(err.msg, files[i].says[1]));
		is_key(&map, KS_DO_GOAL, "o");
		ks_err_clear(&err);
	}
}

/* docs/keys.md is what the table says; KSEEK_REGEN=1 writes it. */
static void page_is_made_from_the_table(void **state)
{
	struct ks_buf want = {0}, have = {0};
	struct ks_err err = KS_ERR_INIT;

	(void)state;
	ks_keys_markdown(&want);
	if (getenv("KSEEK_REGEN") != NULL) {
		assert_int_equal(ks_file_write(DOCS_DIR "/keys.md", ks_buf_str(&want), 0644,
			&err), 0);
	}
	assert_int_equal(ks_file_read(&have, DOCS_DIR "/keys.md", 1 << 20, &err), 0);
	assert_string_equal(have.ptr, want.ptr);
	ks_buf_fini(&want);
	ks_buf_fini(&have);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_two_commands_share_a_key),
		cmocka_unit_test(every_command_is_described_once),
		cmocka_unit_test(prefixes_of_multiplexers_stay_free),
		cmocka_unit_test(keys_can_be_changed),
		cmocka_unit_test(wrong_key_lines_are_named),
		cmocka_unit_test(page_is_made_from_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
