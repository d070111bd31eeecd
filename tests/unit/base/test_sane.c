/*
 * The sanitiser against what terminals have been made to swallow: escape
 * sequences of every kind, carriage returns, bidi controls, hidden code points,
 * emoji clusters. The last test checks its promise on everything at once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/sane.h"
#include "base/utf8.h"

#define FAMILY "\U0001F468\u200D\U0001F469\u200D\U0001F467"

static void expect_len(const char *in, size_t len, unsigned flags, const char *want)
{
	struct ks_buf out = {0};

	ks_sane(&out, (struct ks_str){in, len}, flags);
	assert_string_equal(out.ptr, want);
	assert_int_equal(out.len, strlen(want));
	ks_buf_fini(&out);
}

static void expect(const char *in, unsigned flags, const char *want)
{
	expect_len(in, strlen(in), flags, want);
}

static size_t changes(const char *in, unsigned flags)
{
	struct ks_buf out = {0};
	size_t n = ks_sane(&out, ks_str_of(in), flags);

	ks_buf_fini(&out);
	return n;
}

/* ---- escape sequences ---- */

static void ordinary_text_is_untouched(void **state)
{
	const char *text = "plain, größer, 漢字, naïve, 3.41× ±0.02 ✓\nsecond line\n\nend";

	expect(text, 0, text);
	expect("", 0, "");
	assert_int_equal(changes(text, 0), 0);
	assert_int_equal(changes("a\tb\n", 0), 0);
}

static void csi(void **state)
{
	expect("a\x1b[31mred\x1b[0m b", 0, "a␛red␛ b");
	expect("\x1b[2J\x1b[1;1H!", 0, "␛␛!");
	expect("\x1b[?2026h\x1b[>4;2m.", 0, "␛␛.");
	expect("\x1b[ q.", 0, "␛.");
	expect("\x1b[", 0, "␛");
	expect("\x1b[12;", 0, "␛");
	/* what cannot be part of the sequence ends it */
	expect("\x1b[12\xc3\xa4", 0, "␛ä");
	expect("\x1b[3\x1b[4mx", 0, "␛␛x");
	expect("\x1b[12\nnext", 0, "␛\nnext");
}

static void osc(void **state)
{
	expect("\x1b]52;c;cm0gLXJm\x07.", 0, "␛.");
	expect("\x1b]0;title\x1b\\.", 0, "␛.");
	expect("\x1b]8;;http://evil\x1b\\click\x1b]8;;\x1b\\", 0, "␛click␛");
	expect("\x1b]0;title\xc2\x9c.", 0, "␛.");
	expect("\x1b]0;title\x18.", 0, "␛.");
}

static void unterminated_strings_end_with_the_line(void **state)
{
	expect("a\x1b]52;c;never ends\nstill here", 0, "a␛\nstill here");
	expect("a\x1b]0;", 0, "a␛");
	expect("\x1b]0;x\x1b[31mred", 0, "␛␛red");
	expect("\x1bPq#0\nnext", 0, "␛\nnext");
}

static void other_strings(void **state)
{
	expect("\x1bP+q544e\x1b\\.", 0, "␛.");
	expect("\x1b_Gf=100;AAAA\x1b\\.", 0, "␛.");
	expect("\x1b^private\x1b\\.", 0, "␛.");
	expect("\x1bXstart\x1b\\.", 0, "␛.");
	expect("\x1bktitle\x1b\\.", 0, "␛.");
}

static void short_escapes(void **state)
{
	expect("\x1b" "c.", 0, "␛.");
	expect("\x1b(0lqk\x1b(B", 0, "␛lqk␛");
	expect("\x1b#8.", 0, "␛.");
	expect("\x1b=\x1b>.", 0, "␛␛.");
	expect("\x1b", 0, "␛");
	expect("\x1b\x1b\x1b[0m", 0, "␛␛␛");
	expect("\x1b\xc3\xa4", 0, "␛ä");
	expect("\x1b\n.", 0, "␛\n.");
}

static void eight_bit_controls(void **state)
{
	/* as UTF-8: terminals may act on them */
	expect("\xc2\x9b" "31mred", 0, "␛red");
	expect("\xc2\x9d" "52;c;xx\x07.", 0, "␛.");
	expect("\xc2\x90q\xc2\x9c.", 0, "␛.");
	expect("\xc2\x85.\xc2\x9c", 0, "<U+0085>.<U+009C>");
	/* as bare bytes: not UTF-8 */
	expect("\x9b" "31m", 0, "\xef\xbf\xbd" "31m");
}

static void single_controls(void **state)
{
	expect_len("\0\x01\x07\x08\x0b\x0c\x0e\x1f\x7f", 9, 0, "␀␁␇␈␋␌␎␟␡");
	expect_len("\0\x01\x07\x1b\x7f", 5, KS_SANE_ASCII, "^@^A^G^[^?");
	assert_int_equal(changes("\x07\x08", 0), 2);
}

static void a_banner_cannot_be_painted(void **state)
{
	struct ks_buf out = {0};

	ks_sane(&out, KS_STR("\x1b[20;1H\x1b[7mALLOW? y\x1b[27m\x1b[u\x1b""7\x1b""8"), 0);
	assert_null(memchr(out.ptr, 0x1b, out.len));
	assert_string_equal(out.ptr, "␛␛ALLOW? y␛␛␛␛");
	ks_buf_fini(&out);
}

/* ---- carriage returns, tabs, newlines ---- */

static void progress_lines_show_their_last_state(void **state)
{
	expect("10%\r20%\r100%\n", 0, "100%\n");
	expect("10%\r20%\r", 0, "20%");
	expect("10%\r\x1b[K20%\ndone", 0, "␛20%\ndone");
	expect("a\r\nb\r\n", 0, "a\nb\n");
	expect("a\r\r\nb", 0, "a\nb");
	expect("\r\n\r\n", 0, "\n\n");
	assert_int_equal(changes("10%\r20%\n", 0), 1);
	assert_int_equal(changes("a\r\n", 0), 0);
}

static void raw_shows_all_of_it(void **state)
{
	expect("10%\r20%\r100%\n", KS_SANE_RAW_CR, "10%␍20%␍100%\n");
	expect("a\r\n", KS_SANE_RAW_CR, "a␍\n");
	expect("a\rb", KS_SANE_RAW_CR | KS_SANE_ASCII, "a^Mb");
}

static void no_column_of_a_name_is_overwritten(void **state)
{
	expect("real-name\rfake", KS_SANE_ONE_LINE, "real-name␍fake");
	expect("fix\rbug\nmore\n", KS_SANE_ONE_LINE, "fix␍bug ⏎ more");
	expect("a\r\nb", KS_SANE_ONE_LINE, "a ⏎ b");
	expect("a\nb\tc", KS_SANE_ONE_LINE | KS_SANE_ASCII, "a / b c");
	expect("\n\n", KS_SANE_ONE_LINE, " ⏎ ");
}

static void tabs_reach_the_next_stop(void **state)
{
	expect("\tx", 0, "        x");
	expect("a\tx", 0, "a       x");
	expect("1234567\tx", 0, "1234567 x");
	expect("12345678\tx", 0, "12345678        x");
	expect("漢\tx", 0, "漢      x");
	expect("e\u0301\tx", 0, "e\u0301       x");
	expect("ab\n\tx", 0, "ab\n        x");
	expect("a\tb\tc", 0, "a       b       c");
	expect("\x1b[1m\tx", 0, "␛       x");
}

/* ---- hidden code points ---- */

static void bidi_and_zero_width_are_shown(void **state)
{
	expect("if (a\u202E b)", 0, "if (a<U+202E> b)");
	expect("\u2066x\u2069\u200E\u200F", 0, "<U+2066>x<U+2069><U+200E><U+200F>");
	expect("ad\u200Bmin\uFEFF", 0, "ad<U+200B>min<U+FEFF>");
	expect("a\u00ADb\u2060\u180E", 0, "a<U+00AD>b<U+2060><U+180E>");
	expect("x\U000E0041\U000E007F", 0, "x<U+E0041><U+E007F>");
	expect("a\u2028b\u2029", 0, "a<U+2028>b<U+2029>");
	expect("a\u3164\uFFA0\u034F", 0, "a<U+3164><U+FFA0><U+034F>");
	expect("a\u200Cb", 0, "a<U+200C>b");
	expect("\uFFFF\u0378", 0, "<U+FFFF><U+0378>");
	assert_int_equal(changes("+ x \u202E y \u200B", 0), 2);
}

static void marks_need_a_base(void **state)
{
	expect("e\u0301", 0, "e\u0301");
	expect("\u0301x", 0, "<U+0301>x");
	expect("a\n\u0301", 0, "a\n<U+0301>");
	expect("\x1b[0m\u0301", 0, "␛<U+0301>");
	expect("a\u0301\u0302\u0303\u0304\u0305\u0306", 0,
		"a\u0301\u0302\u0303\u0304<U+0305><U+0306>");
}

static void invalid_bytes(void **state)
{
	expect("a\xff\xfe" "b", 0, "a\xef\xbf\xbd\xef\xbf\xbd" "b");
	expect("\xed\xa0\x80", 0, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	expect("\xc0\x9b", 0, "\xef\xbf\xbd\xef\xbf\xbd");
	expect("\xe2\x82", 0, "\xef\xbf\xbd\xef\xbf\xbd");
	assert_int_equal(changes("\xff", 0), 1);
	assert_int_equal(changes("\xef\xbf\xbd", 0), 0);
}

/* ---- emoji ---- */

static void emoji_clusters_stay_whole(void **state)
{
	expect(FAMILY "|", 0, FAMILY "|");
	expect("\u2764\uFE0F|", 0, "\u2764\uFE0F|");
	expect("1\uFE0F\u20E3|", 0, "1\uFE0F\u20E3|");
	expect("\U0001F44D\U0001F3FD|", 0, "\U0001F44D\U0001F3FD|");
	expect("\U0001F3F3\uFE0F\u200D\U0001F308|", 0, "\U0001F3F3\uFE0F\u200D\U0001F308|");
	expect("\U0001F1E9\U0001F1EA|", 0, "\U0001F1E9\U0001F1EA|");
	assert_int_equal(changes(FAMILY, 0), 0);
}

static void joiners_and_selectors_elsewhere_are_shown(void **state)
{
	expect("a\u200Db", 0, "a<U+200D>b");
	expect("\U0001F468\u200D", 0, "\U0001F468<U+200D>");
	expect("\U0001F468\u200Dx", 0, "\U0001F468<U+200D>x");
	expect("\U0001F468\u200D\u200D\U0001F467", 0, "\U0001F468<U+200D><U+200D>\U0001F467");
	expect("a\uFE0F", 0, "a<U+FE0F>");
	expect("1\uFE0Fx", 0, "1<U+FE0F>x");
	expect("\u2764\uFE0F\uFE0F", 0, "\u2764\uFE0F<U+FE0F>");
	expect("a\U0001F3FD", 0, "a<U+1F3FD>");
	expect("漢\U000E0100", 0, "漢<U+E0100>");
}

static void ascii_mode_keeps_columns(void **state)
{
	const char *text = "ä漢" FAMILY "e\u0301|\u202E\u2764\uFE0F\xff";

	expect(text, KS_SANE_ASCII, "?????e|<U+202E>??");
	expect("\U0001F44D\U0001F3FD|", KS_SANE_ASCII, "??|");
	assert_int_equal(changes("ä漢", KS_SANE_ASCII), 0);
}

/* ---- the fixed array ---- */

static void into_an_array(void **state)
{
	char out[8];

	ks_sane_into(out, sizeof(out), KS_STR("abcdefghij"), 0);
	assert_string_equal(out, "abcdefg");
	ks_sane_into(out, sizeof(out), KS_STR("abcde€f"), 0);
	assert_string_equal(out, "abcde");
	ks_sane_into(out, sizeof(out), KS_STR("abcdee\u0301\u0302"), 0);
	assert_string_equal(out, "abcde");
	ks_sane_into(out, sizeof(out), KS_STR(""), 0);
	assert_string_equal(out, "");
	ks_sane_into(out, 1, KS_STR("abc"), 0);
	assert_string_equal(out, "");
}

/* ---- the promise ---- */

static void check_promise(const struct ks_buf *out, unsigned flags)
{
	size_t at = 0;

	assert_true(ks_utf8_valid(out->ptr, out->len));
	while (at < out->len) {
		int32_t cp;

		at += ks_utf8_decode(out->ptr + at, out->len - at, &cp);
		if (cp == '\n' && !(flags & KS_SANE_ONE_LINE)) {
			continue;
		}
		assert_true(cp >= 0x20 && !(cp >= 0x7f && cp < 0xa0));
		assert_int_not_equal(ks_utf8_class(cp), KS_UTF8_HIDDEN);
		assert_true(!(flags & KS_SANE_ASCII) || cp < 0x80);
	}
}

static void every_code_point_in_every_mode(void **state)
{
	unsigned flags;
	int32_t cp;

	for (flags = 0; flags < 8; flags++) {
		struct ks_buf in = {0}, out = {0};

		for (cp = 0; cp <= 0x10ffff; cp++) {
			char bytes[4];

			ks_buf_add(&in, bytes, ks_utf8_encode(cp, bytes));
			ks_buf_add(&in, "x", cp % 3 == 0);
		}
		ks_sane(&out, ks_buf_str(&in), flags);
		check_promise(&out, flags);
		ks_buf_fini(&in);
		ks_buf_fini(&out);
	}
}

static void time_is_linear(void **state)
{
	static const char *const hard[] = {"\x1b]", "\t", "\r", "\x1b[", "a\u0301", "\xc2\x9d",
		"\n\x1bP", "\U0001F468\u200D", "\xf0"};
	size_t i, k;

	for (i = 0; i < sizeof(hard) / sizeof(hard[0]); i++) {
		struct ks_buf in = {0}, out = {0};
		int64_t start;

		for (k = 0; k < 200000; k++) {
			ks_buf_adds(&in, hard[i]);
		}
		start = ks_clock_mono_us();
		ks_sane(&out, ks_buf_str(&in), 0);
		/* a quadratic way would take minutes */
		assert_true(ks_clock_mono_us() - start < 5000000);
		check_promise(&out, 0);
		ks_buf_fini(&in);
		ks_buf_fini(&out);
	}
}

static void what_is_safe_stays_as_it_is(void **state)
{
	static const char *const texts[] = {
		"a\x1b[31m\x01\xff \u202E" FAMILY "\u0301 漢\tx\r\n", "10%\r20%", "\u200D\u200D",
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct ks_buf once = {0}, twice = {0};

		ks_sane(&once, ks_str_of(texts[i]), 0);
		assert_int_equal(ks_sane(&twice, ks_buf_str(&once), 0), 0);
		assert_string_equal(once.ptr, twice.ptr);
		ks_buf_fini(&once);
		ks_buf_fini(&twice);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ordinary_text_is_untouched),
		cmocka_unit_test(csi),
		cmocka_unit_test(osc),
		cmocka_unit_test(unterminated_strings_end_with_the_line),
		cmocka_unit_test(other_strings),
		cmocka_unit_test(short_escapes),
		cmocka_unit_test(eight_bit_controls),
		cmocka_unit_test(single_controls),
		cmocka_unit_test(a_banner_cannot_be_painted),
		cmocka_unit_test(progress_lines_show_their_last_state),
		cmocka_unit_test(raw_shows_all_of_it),
		cmocka_unit_test(no_column_of_a_name_is_overwritten),
		cmocka_unit_test(tabs_reach_the_next_stop),
		cmocka_unit_test(bidi_and_zero_width_are_shown),
		cmocka_unit_test(marks_need_a_base),
		cmocka_unit_test(invalid_bytes),
		cmocka_unit_test(emoji_clusters_stay_whole),
		cmocka_unit_test(joiners_and_selectors_elsewhere_are_shown),
		cmocka_unit_test(ascii_mode_keeps_columns),
		cmocka_unit_test(into_an_array),
		cmocka_unit_test(every_code_point_in_every_mode),
		cmocka_unit_test(time_is_linear),
		cmocka_unit_test(what_is_safe_stays_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
