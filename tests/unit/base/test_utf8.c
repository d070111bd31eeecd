/* UTF-8: decoding of anything, clusters, widths, cuts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"

#define FAMILY "\U0001F468\u200D\U0001F469\u200D\U0001F467"

static int32_t decoded(const char *s, size_t len, size_t *out_n)
{
	int32_t cp = -1;

	*out_n = ks_utf8_decode(s, len, &cp);
	return cp;
}

static void decodes_valid(void **state)
{
	size_t n;

	assert_int_equal(decoded("a", 1, &n), 'a');
	assert_int_equal(n, 1);
	assert_int_equal(decoded("\0", 1, &n), 0);
	assert_int_equal(decoded("ä", 2, &n), 0xe4);
	assert_int_equal(n, 2);
	assert_int_equal(decoded("€", 3, &n), 0x20ac);
	assert_int_equal(decoded("\U0010FFFF", 4, &n), 0x10ffff);
	assert_int_equal(n, 4);
}

static void replaces_each_bad_byte(void **state)
{
	static const char *const bad[] = {
		"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80",
		"\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80", "\xff", "\xc3",
		"\xe2\x82", "\xf0\x9f\x98", "\xc3(", "\xe2(\xa1",
	};
	size_t i, n;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(decoded(bad[i], strlen(bad[i]), &n), 0xfffd);
		assert_int_equal(n, 1);
		assert_false(ks_utf8_valid(bad[i], strlen(bad[i])));
	}
	assert_true(ks_utf8_valid("\xef\xbf\xbd", 3));
	assert_true(ks_utf8_valid("", 0));
}

static void encodes_every_code_point(void **state)
{
	int32_t cp;

	for (cp = 0; cp <= 0x10ffff; cp++) {
		char bytes[4];
		size_t n = ks_utf8_encode(cp, bytes), used;
		int32_t want = cp >= 0xd800 && cp < 0xe000 ? 0xfffd : cp;

		assert_int_equal(decoded(bytes, n, &used), want);
		assert_int_equal(used, n);
	}
	assert_int_equal(ks_utf8_encode(0x110000, (char[4]){0}), 3);
	assert_int_equal(ks_utf8_encode(-1, (char[4]){0}), 3);
}

static size_t first(const char *s)
{
	return ks_utf8_grapheme(s, strlen(s));
}

static void clusters(void **state)
{
	assert_int_equal(first("ab"), 1);
	assert_int_equal(first("e\u0301x"), 3);
	assert_int_equal(first(FAMILY "x"), strlen(FAMILY));
	assert_int_equal(first("\U0001F1E9\U0001F1EA\U0001F1EB\U0001F1F7"), 8);
	assert_int_equal(first("1\uFE0F\u20E3."), 7);
	assert_int_equal(first("\r\nx"), 2);
	assert_int_equal(first("\n\u0301"), 1);
	assert_int_equal(first("\xff\xff"), 1);
	assert_int_equal(first("\u1112\u1161\u11ab!"), 9);
}

static void clusters_are_bounded(void **state)
{
	struct ks_buf text = {0};
	size_t at = 0, i;

	ks_buf_addc(&text, 'a');
	for (i = 0; i < 1000; i++) {
		ks_buf_adds(&text, "\u0301");
	}
	while (at < text.len) {
		size_t n = ks_utf8_grapheme(text.ptr + at, text.len - at);

		assert_in_range(n, 1, 64);
		assert_true(ks_utf8_valid(text.ptr + at, n));
		at += n;
	}
	assert_int_equal(ks_utf8_columns(text.ptr, text.len), 1);
	ks_buf_fini(&text);
}

static int width(const char *s)
{
	assert_int_equal(first(s), strlen(s));
	return ks_utf8_width(s, strlen(s));
}

static void widths(void **state)
{
	assert_int_equal(width("a"), 1);
	assert_int_equal(width("\n"), 0);
	assert_int_equal(width("\x7f"), 0);
	assert_int_equal(width("ä"), 1);
	assert_int_equal(width("漢"), 2);
	assert_int_equal(width("ｱ"), 1);
	assert_int_equal(width("！"), 2);
	assert_int_equal(width("e\u0301"), 1);
	assert_int_equal(width("\u0301"), 0);
	assert_int_equal(width(FAMILY), 2);
	assert_int_equal(width("\U0001F1E9\U0001F1EA"), 2);
	assert_int_equal(width("\u2764\uFE0F"), 2);
	assert_int_equal(width("\u2764"), 1);
	assert_int_equal(width("\U0001F44D\U0001F3FD"), 2);
	assert_int_equal(width("\xef\xbf\xbd"), 1);
	assert_int_equal(ks_utf8_width("\xff", 1), 1);
}

static void ambiguous_widths_count_one(void **state)
{
	assert_int_equal(width("│"), 1);
	assert_int_equal(width("─"), 1);
	assert_int_equal(width("█"), 1);
	assert_int_equal(width("▌"), 1);
	assert_int_equal(width("●"), 1);
	assert_int_equal(width("▸"), 1);
	assert_int_equal(width("✓"), 1);
	assert_int_equal(width("±"), 1);
	assert_int_equal(width("⏎"), 1);
	assert_int_equal(width("␛"), 1);
}

static void fits_between_clusters(void **state)
{
	const char *text = "a漢" FAMILY "b";
	size_t len = strlen(text);

	assert_int_equal(ks_utf8_columns(text, len), 6);
	assert_int_equal(ks_utf8_fit(text, len, 0), 0);
	assert_int_equal(ks_utf8_fit(text, len, 1), 1);
	assert_int_equal(ks_utf8_fit(text, len, 2), 1);
	assert_int_equal(ks_utf8_fit(text, len, 3), 4);
	assert_int_equal(ks_utf8_fit(text, len, 4), 4);
	assert_int_equal(ks_utf8_fit(text, len, 5), 4 + strlen(FAMILY));
	assert_int_equal(ks_utf8_fit(text, len, 99), len);
	/* marks behind the last column belong to it */
	assert_int_equal(ks_utf8_fit("e\u0301x", 4, 1), 3);
}

static void fits_from_the_end(void **state)
{
	static const struct {
		const char *text;
		size_t cols, begins;
	} rows[] = {{"abcdef", 3, 3}, {"abcdef", 6, 0}, {"abcdef", 9, 0}, {"abcdef", 0, 6},
		{"", 4, 0}, {"a\xe4\xb8\xad", 1, 4}, {"a\xe4\xb8\xad", 2, 1}, {"ae\xcc\x81", 1, 1}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(ks_utf8_fit_end(rows[i].text, strlen(rows[i].text), rows[i].cols),
			rows[i].begins);
	}
}

static void a_long_name_loses_its_middle(void **state)
{
	static const struct {
		const char *text;
		size_t cols;
		const char *want;
	} rows[] = {
		{"", 4, ""}, {"abcdef", 6, "abcdef"}, {"abcdefg", 6, "abc~fg"},
		{"abcdefgh", 3, "a~h"}, {"abcdefgh", 2, "a~"}, {"abcdefgh", 1, "~"},
		{"abcdefgh", 0, ""},
		/* wide ones stay whole: a column may be left over on each side */
		{"日本語", 6, "日本語"}, {"日本語", 5, "日~語"}, {"日本語", 4, "日~"},
		{"日本語日本語", 6, "日~語"}, {"a日本語b", 6, "a日~b"},
		/* marks stay with what they combine with */
		{"e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301"},
		{"e\u0301a\u0308b\u0323cd\u0301", 4, "e\u0301a\u0308~d\u0301"},
		{"e\u0301a\u0308b\u0323cd\u0301", 3, "e\u0301~d\u0301"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ks_buf got = {0};

		ks_utf8_shorten(&got, ks_str_of(rows[i].text), rows[i].cols, "~");
		assert_string_equal(got.ptr != NULL ? got.ptr : "", rows[i].want);
		assert_true(ks_utf8_columns(got.ptr, got.len) <= rows[i].cols);
		ks_buf_fini(&got);
	}
}

static void cuts_between_code_points(void **state)
{
	const char *text = "a€\U0001F600";
	static const size_t want[] = {0, 1, 1, 1, 4, 4, 4, 4, 8, 8};
	size_t i;

	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_int_equal(ks_utf8_cut(text, 8, i), want[i]);
	}
	/* bytes that are no UTF-8 can be cut anywhere */
	assert_int_equal(ks_utf8_cut("\x80\x80\x80\x80\x80", 5, 4), 4);
	assert_int_equal(ks_utf8_cut("\xf0\x80\x80\x80\x80", 5, 2), 2);
}

static void classes(void **state)
{
	assert_int_equal(ks_utf8_class('a'), KS_UTF8_PLAIN);
	assert_int_equal(ks_utf8_class(0x1b), KS_UTF8_CONTROL);
	assert_int_equal(ks_utf8_class(0x9b), KS_UTF8_CONTROL);
	assert_int_equal(ks_utf8_class(0x202e), KS_UTF8_HIDDEN);
	assert_int_equal(ks_utf8_class(0x200b), KS_UTF8_HIDDEN);
	assert_int_equal(ks_utf8_class(0xfeff), KS_UTF8_HIDDEN);
	assert_int_equal(ks_utf8_class(0xe0067), KS_UTF8_HIDDEN);
	assert_int_equal(ks_utf8_class(0x2028), KS_UTF8_HIDDEN);
	assert_int_equal(ks_utf8_class(0x3164), KS_UTF8_HIDDEN);
	assert_int_equal(ks_utf8_class(0x34f), KS_UTF8_HIDDEN);
	assert_int_equal(ks_utf8_class(0xffff), KS_UTF8_HIDDEN);
	assert_int_equal(ks_utf8_class(0x200d), KS_UTF8_JOINER);
	assert_int_equal(ks_utf8_class(0xfe0f), KS_UTF8_SELECTOR);
	assert_int_equal(ks_utf8_class(0x301), KS_UTF8_MARK);
	assert_int_equal(ks_utf8_class(0x20e3), KS_UTF8_MARK);
	assert_int_equal(ks_utf8_class(0x1f600), KS_UTF8_PICTO);
	assert_int_equal(ks_utf8_class(0x1f3fd), KS_UTF8_TONE);
	assert_int_equal(ks_utf8_class(0x6f22), KS_UTF8_PLAIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decodes_valid),
		cmocka_unit_test(replaces_each_bad_byte),
		cmocka_unit_test(encodes_every_code_point),
		cmocka_unit_test(clusters),
		cmocka_unit_test(clusters_are_bounded),
		cmocka_unit_test(widths),
		cmocka_unit_test(ambiguous_widths_count_one),
		cmocka_unit_test(fits_between_clusters),
		cmocka_unit_test(fits_from_the_end),
		cmocka_unit_test(a_long_name_loses_its_middle),
		cmocka_unit_test(cuts_between_code_points),
		cmocka_unit_test(classes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
