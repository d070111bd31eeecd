/* The line editor: clusters, words, undo, history, pasted blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "canvas/write.h"
#include "view/edit.h"

static void press(struct ks_edit *e, const char *keys)
{
	struct ks_str rest = ks_str_of(keys);
	struct ks_str word;

	while (ks_str_next(&rest, ' ', &word)) {
		char name[64] = {0};
		struct ks_key key = {.kind = KS_KEY_CHAR};

		if (word.len > 0 && word.ptr[0] == '\'') {
			struct ks_str s = {word.ptr + 1, word.len - 1};

			while (s.len > 0) {
				size_t n = ks_utf8_decode(s.ptr, s.len, &key.cp);

				ks_edit_key(e, &key);
				s.ptr += n;
				s.len -= n;
			}
			continue;
		}
		memcpy(name, word.ptr, word.len);
		assert_true(ks_key_parse(name, &key));
		ks_edit_key(e, &key);
	}
}

static void expect(const struct ks_edit *e, const char *want)
{
	struct ks_buf got = {0};

	ks_edit_text(e, &got);
	assert_string_equal(got.ptr != NULL ? got.ptr : "", want);
	ks_buf_fini(&got);
}

/* Presses keys in a fresh editor. */
static void check(const char *keys, const char *want)
{
	struct ks_edit e;

	ks_edit_init(&e, false);
	press(&e, keys);
	expect(&e, want);
	assert_true(e.caret <= e.text.len);
	ks_edit_fini(&e);
}

static void typing_and_moving(void **state)
{
	(void)state;
	check("'abc left 'x", "abxc");
	check("'abc home 'x end 'y", "xabcy");
	check("'abc ctrl-a 'x ctrl-e 'y", "xabcy");
	check("'abc left left delete", "ac");
	check("'abc backspace backspace", "a");
	check("backspace delete left right up down", "");
	check("'one space 'two ctrl-w 'x", "one x");
	check("'one space 'two alt-b 'x alt-f 'y", "one xtwoy");
	check("'one space 'two ctrl-left ctrl-left 'x", "xone two");
	check("'one space 'two home alt-d", " two");
	check("'one ctrl-j 'two up 'x", "onex\ntwo");
	check("'one alt-enter 'two home 'x", "one\nxtwo");
	check("'one ctrl-j 'two up home down 'x", "one\nxtwo");
}

static void removing_and_putting_back(void **state)
{
	(void)state;
	check("'abc left ctrl-k", "ab");
	check("'abc left ctrl-u", "c");
	check("'abc left ctrl-u end ctrl-y", "cab");
	check("'one ctrl-j 'two up end ctrl-k", "onetwo");
	check("'abc ctrl-c", "");
	check("'abc ctrl-c ctrl-_", "abc");
	check("'abc ctrl-c 'x ctrl-_ ctrl-_", "abc");
	check("'abc ctrl-u ctrl-g", "abc");
	check("'abc ctrl-_ ctrl-_ ctrl-_", "");
}

static void clusters_are_whole(void **state)
{
	(void)state;
	check("'aé日b left backspace", "aéb");
	check("'e\xcc\x81" "x left backspace", "x");
	check("'👩‍👩‍👧‍👦 backspace", "");
	check("'🇩🇪🇫🇷 backspace", "🇩🇪");
	check("'❤️x left left 'y", "y❤️x");
}

static void ctrl_b_is_not_bound(void **state)
{
	struct ks_edit e;
	struct ks_key key;

	(void)state;
	ks_edit_init(&e, false);
	press(&e, "'abc");
	assert_true(ks_key_parse("ctrl-b", &key));
	assert_int_equal(ks_edit_key(&e, &key), KS_EDIT_IGNORED);
	expect(&e, "abc");
	assert_int_equal(e.caret, 3);
	ks_edit_fini(&e);
}

static void history_keeps_the_draft(void **state)
{
	struct ks_edit e;

	(void)state;
	ks_edit_init(&e, false);
	press(&e, "'first");
	ks_edit_commit(&e);
	press(&e, "'second");
	ks_edit_commit(&e);
	expect(&e, "");
	press(&e, "'draft up");
	expect(&e, "second");
	press(&e, "up up up");
	expect(&e, "first");
	press(&e, "down down down");
	expect(&e, "draft");
	ks_edit_fini(&e);
}

static char *lines_of(int count)
{
	struct ks_buf text = {0};
	int i;

	for (i = 0; i < count; i++) {
		ks_buf_addf(&text, "line %d: q d s a 1\n", i);
	}
	return ks_buf_take(&text);
}

static void long_paste_is_one_block(void **state)
{
	struct ks_edit e;
	struct ks_grid g;
	struct ks_buf shown = {0};
	char *text = lines_of(200);
	char *want = malloc(strlen(text) + 5);

	(void)state;
	ks_edit_init(&e, false);
	press(&e, "'a space");
	assert_int_equal(ks_edit_paste(&e, ks_str_of(text)), KS_EDIT_DONE);
	press(&e, "space 'b");
	memcpy(want, "a ", 3);
	memcpy(want + 2, text, strlen(text));
	memcpy(want + 2 + strlen(text), " b", 3);
	expect(&e, want);
	assert_int_equal(ks_edit_rows(&e, 40, false), 1);
	ks_grid_init(&g, 40, 1);
	ks_edit_draw(&e, &g, ks_grid_all(&g), true, KS_ROLE_PROMPT);
	ks_write_plain(&g, &shown);
	assert_string_equal(shown.ptr, "a [200 lines pasted] b\n");
	assert_true(g.caret);
	assert_int_equal(g.cx, 22);
	/* Removed like one character, and undone like one. */
	press(&e, "backspace backspace backspace");
	expect(&e, "a ");
	press(&e, "ctrl-_");
	assert_int_equal(ks_edit_rows(&e, 40, false), 1);
	ks_grid_fini(&g);
	ks_buf_fini(&shown);
	ks_edit_fini(&e);
	free(text);
	free(want);
}

static void hostile_paste_is_harmless(void **state)
{
	struct ks_edit e;
	struct ks_buf big = {0};

	(void)state;
	ks_edit_init(&e, false);
	/* A code point that stands for a block cannot be smuggled in. */
	assert_int_equal(ks_edit_paste(&e, ks_str_of("x\xf3\xb0\x80\x80y\033[1m\xff")),
		KS_EDIT_DONE);
	expect(&e, "x\xef\xbf\xbdy[1m\xef\xbf\xbd");
	/* Too long: nothing changes. */
	while (big.len <= KS_EDIT_MAX) {
		ks_buf_adds(&big, "0123456789abcdef");
	}
	assert_int_equal(ks_edit_paste(&e, ks_buf_str(&big)), KS_EDIT_FULL);
	expect(&e, "x\xef\xbf\xbdy[1m\xef\xbf\xbd");
	ks_buf_fini(&big);
	ks_edit_fini(&e);
}

static void one_line_takes_no_newline(void **state)
{
	struct ks_edit e;

	(void)state;
	ks_edit_init(&e, true);
	ks_edit_paste(&e, ks_str_of("a\nb\nc\nd\ne\nf\ng"));
	expect(&e, "a b c d e f g");
	press(&e, "ctrl-j alt-enter");
	expect(&e, "a b c d e f g");
	ks_edit_fini(&e);
}

static void caret_is_where_text_goes(void **state)
{
	struct ks_edit e;
	struct ks_grid g;
	int width;

	(void)state;
	for (width = 1; width < 12; width++) {
		ks_edit_init(&e, false);
		press(&e, "'日本x❤️ ctrl-j 'abcdef👍 left");
		ks_grid_init(&g, width, 3);
		ks_edit_draw(&e, &g, ks_grid_all(&g), true, KS_ROLE_PROMPT);
		assert_true(g.caret);
		ks_grid_fini(&g);
		ks_edit_fini(&e);
	}
}

/* Words stay whole where a row has room for them; the caret is where it was. */
static void rows_end_at_words(void **state)
{
	struct ks_edit e;
	struct ks_grid g;
	struct ks_buf shown = {0};

	(void)state;
	ks_edit_init(&e, false);
	ks_edit_paste(&e, ks_str_of("against the floor of abcdefghijklmn"));
	assert_int_equal(ks_edit_rows(&e, 11, false), 4);
	ks_grid_init(&g, 11, 4);
	ks_edit_draw(&e, &g, ks_grid_all(&g), true, KS_ROLE_PROMPT);
	ks_write_plain(&g, &shown);
	/* The blank behind "the" is beyond the edge. */
	assert_string_equal(shown.ptr, "against the\nfloor of ab\ncdefghijklm\nn\n");
	assert_int_equal(g.cx, 1);
	assert_int_equal(g.cy, 3);
	press(&e, "home alt-f alt-f");
	ks_grid_clear(&g);
	ks_edit_draw(&e, &g, ks_grid_all(&g), true, KS_ROLE_PROMPT);
	assert_int_equal(g.cx, 10);
	assert_int_equal(g.cy, 0);
	press(&e, "right");
	ks_edit_draw(&e, &g, ks_grid_all(&g), true, KS_ROLE_PROMPT);
	assert_int_equal(g.cx, 0);
	assert_int_equal(g.cy, 1);
	ks_grid_fini(&g);
	ks_buf_fini(&shown);
	ks_edit_fini(&e);
}

/* Any keys in any order: the text stays valid and the caret inside. */
static void random_keys_are_survived(void **state)
{
	static const char *const keys[] = {
		"left", "right", "up", "down", "home", "end", "backspace", "delete",
		"ctrl-k", "ctrl-u", "ctrl-w", "ctrl-y", "ctrl-_", "ctrl-c", "alt-b",
		"alt-f", "alt-d", "ctrl-j", "'a", "'é", "'日", "'👍🏽", "space",
	};
	struct ks_edit e;
	uint32_t seed = 3;
	int i;

	(void)state;
	ks_edit_init(&e, false);
	for (i = 0; i < 5000; i++) {
		seed = seed * 1664525u + 1013904223u;
		press(&e, keys[(seed >> 16) % (sizeof(keys) / sizeof(keys[0]))]);
		if ((seed >> 8) % 50 == 0) {
			ks_edit_paste(&e, ks_str_of("p\np\np\np\np\np\n"));
		}
		if ((seed >> 8) % 97 == 0) {
			ks_edit_commit(&e);
		}
		assert_true(e.caret <= e.text.len);
		assert_true(ks_utf8_valid(e.text.ptr, e.text.len));
		assert_true(ks_edit_rows(&e, 10, false) >= 1);
	}
	ks_edit_fini(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(typing_and_moving),
		cmocka_unit_test(removing_and_putting_back),
		cmocka_unit_test(clusters_are_whole),
		cmocka_unit_test(ctrl_b_is_not_bound),
		cmocka_unit_test(history_keeps_the_draft),
		cmocka_unit_test(long_paste_is_one_block),
		cmocka_unit_test(hostile_paste_is_harmless),
		cmocka_unit_test(one_line_takes_no_newline),
		cmocka_unit_test(caret_is_where_text_goes),
		cmocka_unit_test(rows_end_at_words),
		cmocka_unit_test(random_keys_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
