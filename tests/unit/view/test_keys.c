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

static void no_two_commands_share_a_key(void **state)
{
	const struct ks_binding *list;
	struct ks_keymap map;
	size_t count, i, j, k, l;

	(void)state;
	ks_keymap_default(&map);
	list = ks_bindings(&count);
	for (i = 0; i < count; i++) {
		for (j = i + 1; j < count; j++) {
			for (k = 0; k < 4; k++) {
				const struct ks_key *a = &map.key[list[i].what][k & 1];
				const struct ks_key *b = &map.key[list[j].what][k >> 1];

				l = list[i].where & list[j].where;
				if (l != 0 && a->kind != KS_KEY_NONE && ks_key_same(a, b)) {
					fail_msg("%s and %s", list[i].name, list[j].name);
				}
			}
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
	assert_int_equal(ks_keymap_set(&map, "bank", "ctrl-b", &err), KS_EINVAL);
}

static void keys_can_be_changed(void **state)
{
	struct ks_keymap map;
	struct ks_key key;
	struct ks_err err = KS_ERR_INIT;
	char name[24];

	(void)state;
	ks_keymap_default(&map);
	assert_int_equal(ks_keymap_read(&map, KS_STR("# mine\nbank  f5\n\nsort O\n"),
		&err), 0);
	ks_keymap_name(&map, KS_DO_BANK, name, sizeof(name));
	assert_string_equal(name, "f5");
	assert_true(ks_key_parse("b", &key));
	assert_int_equal(ks_keymap_find(&map, KS_WHERE_MAIN, &key), KS_DO_NONE);
	/* A line that is wrong changes nothing, and is named. */
	assert_int_equal(ks_keymap_read(&map, KS_STR("goal f6\nbank q\n"), &err), KS_EINVAL);
	assert_non_null(strstr(err.msg, "line 2"));
	assert_non_null(strstr(err.msg, "quit"));
	ks_keymap_name(&map, KS_DO_GOAL, name, sizeof(name));
	assert_string_equal(name, "o");
	ks_err_clear(&err);
	assert_int_equal(ks_keymap_read(&map, KS_STR("nope f6\n"), &err), KS_EINVAL);
	ks_err_clear(&err);
	assert_int_equal(ks_keymap_read(&map, KS_STR("bank hyper-x\n"), &err), KS_EINVAL);
	ks_err_clear(&err);
	assert_int_equal(ks_keymap_read(&map, KS_STR("bank\n"), &err), KS_EINVAL);
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
		cmocka_unit_test(page_is_made_from_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
