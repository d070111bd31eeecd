/* Bytes to keys: sequences whole, split, late, unknown; pastes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "term/keydec.h"

#define MS 1000

/* Names of all keys that bytes give, when time then passes. */
static void expect_keys(const char *bytes, size_t len, const char *want)
{
	struct ks_keydec d;
	struct ks_key key;
	struct ks_buf got = {0};
	int64_t now;

	ks_keydec_init(&d);
	ks_keydec_feed(&d, bytes, len, 0);
	for (now = 0; now < 5000 * MS; now += 10 * MS) {
		while (ks_keydec_next(&d, now, &key)) {
			char name[32];

			ks_key_name(&key, name, sizeof(name));
			ks_buf_addf(&got, "%s%s", got.len > 0 ? " " : "", name);
			if (key.kind == KS_KEY_PASTE) {
				ks_buf_addf(&got, "[%.*s]", KS_FMT(key.text));
			}
		}
	}
	assert_string_equal(got.ptr != NULL ? got.ptr : "", want);
	assert_int_equal(ks_keydec_deadline(&d), -1);
	ks_buf_fini(&got);
	ks_keydec_fini(&d);
}

static void expect(const char *bytes, const char *want)
{
	expect_keys(bytes, strlen(bytes), want);
}

static void keys_are_named(void **state)
{
	(void)state;
	expect("aG é日", "a G space é 日");
	expect("\r\n\t\177\b", "enter ctrl-j tab backspace backspace");
	expect_keys("\000", 1, "ctrl-@");
	expect("\001\005\013\025\027\032\034\037", "ctrl-a ctrl-e ctrl-k ctrl-u "
		"ctrl-w ctrl-z ctrl-\\ ctrl-_");
	expect("\033[A\033OB\033[C\033OD", "up down right left");
	expect("\033[H\033[4~\033[5~\033[6~\033[3~\033[2~", "home end pgup pgdn "
		"delete insert");
	expect("\033[1;5C\033[1;3D\033[3;2~\033[Z", "ctrl-right alt-left "
		"shift-delete shift-tab");
	expect("\033OP\033[15~\033[24~", "f1 f5 f12");
	expect("\033b\033f\033\r\033\177", "alt-b alt-f alt-enter alt-backspace");
	expect("\033[97;5u\033[27;5;13~\033[27u", "ctrl-a ctrl-enter esc");
	expect("\033[I\033[O", "none none");
}

static void escape_alone_is_a_key(void **state)
{
	(void)state;
	expect("\033", "esc");
	expect("\033\033\033\033", "esc esc esc esc");
	expect("a\033", "a esc");
	expect("\033\033[A", "esc up");
}

static void escape_comes_in_time(void **state)
{
	struct ks_keydec d;
	struct ks_key key;

	(void)state;
	ks_keydec_init(&d);
	ks_keydec_feed(&d, "\033", 1, 1000 * MS);
	assert_false(ks_keydec_next(&d, 1010 * MS, &key));
	assert_int_equal(ks_keydec_deadline(&d), 1000 * MS + KS_ESC_WAIT_US);
	assert_true(KS_ESC_WAIT_US <= 50 * MS && KS_ESC_WAIT_US >= 25 * MS);
	assert_true(ks_keydec_next(&d, ks_keydec_deadline(&d), &key));
	assert_int_equal(key.kind, KS_KEY_ESC);
	/* The rest of an arrow that comes 100 ms late is still an arrow. */
	ks_keydec_feed(&d, "[A", 2, 1140 * MS);
	assert_true(ks_keydec_next(&d, 1140 * MS, &key));
	assert_int_equal(key.kind, KS_KEY_UP);
	/* Typed much later, it is text. */
	ks_keydec_feed(&d, "\033", 1, 2000 * MS);
	assert_true(ks_keydec_next(&d, 2100 * MS, &key));
	ks_keydec_feed(&d, "[A", 2, 3000 * MS);
	assert_true(ks_keydec_next(&d, 3000 * MS, &key));
	assert_int_equal(key.cp, '[');
	ks_keydec_fini(&d);
}

/* Every way to cut the bytes into two reads gives the same keys. */
static void split_sequences_stay_whole(void **state)
{
	static const char all[] = "x\033[1;5Cé日\033OP\033[200~p\033[31mq\r\n\033[201~";
	size_t cut;

	(void)state;
	for (cut = 0; cut < sizeof(all); cut++) {
		struct ks_keydec d;
		struct ks_key key;
		struct ks_buf got = {0};
		int64_t now;

		ks_keydec_init(&d);
		ks_keydec_feed(&d, all, cut, 0);
		for (now = 0; now < 500 * MS; now += 5 * MS) {
			if (now == 20 * MS) {
				ks_keydec_feed(&d, all + cut, sizeof(all) - 1 - cut, now);
			}
			while (ks_keydec_next(&d, now, &key)) {
				char name[32];

				ks_key_name(&key, name, sizeof(name));
				ks_buf_addf(&got, "%s%.*s ", name, KS_FMT(key.text));
			}
			if (cut == sizeof(all) - 1 && now == 0) {
				continue;
			}
		}
		assert_string_equal(got.ptr, "x ctrl-right é 日 f1 pastepq\n ");
		ks_buf_fini(&got);
		ks_keydec_fini(&d);
	}
}

static void strange_sequences_type_nothing(void **state)
{
	(void)state;
	expect("\033[?1;2c\033[<0;10;20M\033[<0;10;20mx", "x");
	expect("\033[M !!x", "x");
	expect("\033]10;rgb:ffff/0/0\033\\x\033]11;?\ax\033P1$r0m\033\\y", "x x y");
	expect("\033[99~\033[1;1;1;1;1;1;1;1;1Az", "up z");
	expect("\033[12\x01x", "ctrl-a x");
	expect("\x80\xff\xc3\x28\xe2\x82", "(");
	expect("\xc2\x9b" "31mx", "3 1 m x");
	expect("\033[200", "");
	expect("\033]never ends", "");
}

static void paste_is_one_key(void **state)
{
	(void)state;
	expect("\033[200~one\r\ntwo\rthree\n\tq\033[201~", "paste[one\ntwo\nthree\n\tq]");
	expect("\033[200~\033[201~", "paste[]");
	expect("\033[200~a\033[31mb\x07" "c\x7f\xc2\x9b" "d\033]52;c;x\033[201~",
		"paste[abcd]52;c;x]");
	expect("\033[200~bad\xff" "utf\033[201~", "paste[badutf]");
}

static void paste_cannot_be_left_from_inside(void **state)
{
	(void)state;
	expect("\033[200~safe\033[201~q\rrm\r\033[201~", "paste[safeq\nrm\n]");
	expect("\033[200~a\033[200~b\033[201~", "paste[ab]");
	/* The terminal sends no second marker: silence ends it, as text. */
	expect("\033[200~a\033[201~q", "paste[aq]");
}

static void key_after_a_paste_is_a_key(void **state)
{
	struct ks_keydec d;
	struct ks_key key;

	(void)state;
	ks_keydec_init(&d);
	ks_keydec_feed(&d, "\033[200~text\033[201~", 16, 0);
	assert_false(ks_keydec_next(&d, 10 * MS, &key));
	assert_true(ks_keydec_next(&d, 31 * MS, &key));
	assert_int_equal(key.kind, KS_KEY_PASTE);
	assert_true(ks_str_is(key.text, "text"));
	ks_keydec_feed(&d, "q", 1, 40 * MS);
	assert_true(ks_keydec_next(&d, 40 * MS, &key));
	assert_int_equal(key.cp, 'q');
	ks_keydec_fini(&d);
}

static void lost_paste_ends(void **state)
{
	(void)state;
	expect("\033[200~no end", "paste[no end]");
}

static void large_paste_is_bounded(void **state)
{
	struct ks_keydec d;
	struct ks_key key;
	char *chunk = malloc(65536);
	int i;

	(void)state;
	memset(chunk, 'x', 65536);
	ks_keydec_init(&d);
	ks_keydec_feed(&d, "\033[200~", 6, 0);
	for (i = 0; i < 40; i++) {
		ks_keydec_feed(&d, chunk, 65536, 1);
		assert_false(ks_keydec_next(&d, 1, &key));
	}
	ks_keydec_feed(&d, "\033[201~", 6, 2);
	assert_true(ks_keydec_next(&d, 40 * MS, &key));
	assert_int_equal(key.text.len, KS_PASTE_MAX);
	free(chunk);
	ks_keydec_fini(&d);
}

static void own_sequences_are_learnt(void **state)
{
	struct ks_keydec d;
	struct ks_key key;

	(void)state;
	ks_keydec_init(&d);
	ks_keydec_learn(&d, "\033t", KS_KEY_UP);
	ks_keydec_learn(&d, NULL, KS_KEY_UP);
	ks_keydec_learn(&d, "x", KS_KEY_UP);
	assert_int_equal(d.n_seqs, 1);
	ks_keydec_feed(&d, "\033t", 2, 0);
	assert_true(ks_keydec_next(&d, 0, &key));
	assert_int_equal(key.kind, KS_KEY_UP);
	ks_keydec_fini(&d);
}

/* Any bytes, any cuts: it ends, and all text is valid. */
static void random_bytes_are_survived(void **state)
{
	static const char alphabet[] = "\033\033[[O;;01249~ABM<u?\x80\xc3\xa9\x1b]Pa\a\\\r";
	uint32_t seed = 1;
	int round, i;

	(void)state;
	for (round = 0; round < 300; round++) {
		struct ks_keydec d;
		struct ks_key key;
		int64_t now = 0;

		ks_keydec_init(&d);
		for (i = 0; i < 200; i++) {
			seed = seed * 1664525u + 1013904223u;
			ks_keydec_feed(&d, alphabet + (seed >> 16) %
				(sizeof(alphabet) - 1), 1, now);
			now += (seed >> 28) == 0 ? 60 * MS : 100;
			while (ks_keydec_next(&d, now, &key)) {
				assert_true(key.kind > KS_KEY_NONE && key.kind < KS_KEY_COUNT);
				assert_true(ks_utf8_valid(key.text.ptr, key.text.len));
			}
		}
		ks_keydec_fini(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_named),
		cmocka_unit_test(escape_alone_is_a_key),
		cmocka_unit_test(escape_comes_in_time),
		cmocka_unit_test(split_sequences_stay_whole),
		cmocka_unit_test(strange_sequences_type_nothing),
		cmocka_unit_test(paste_is_one_key),
		cmocka_unit_test(paste_cannot_be_left_from_inside),
		cmocka_unit_test(key_after_a_paste_is_a_key),
		cmocka_unit_test(lost_paste_ends),
		cmocka_unit_test(large_paste_is_bounded),
		cmocka_unit_test(own_sequences_are_learnt),
		cmocka_unit_test(random_bytes_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
