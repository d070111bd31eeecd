/* JSON: strictness, repair, limits, exact round trips, the writer. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/utf8.h"

static struct ks_json *parsed_len(const char *text, size_t len)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_json *doc = NULL;

	if (ks_json_parse(&doc, text, len, &err) < 0) {
		fail_msg("%s", err.msg);
	}
	return doc;
}

static struct ks_json *parsed(const char *text)
{
	return parsed_len(text, strlen(text));
}

static int refusal_len(const char *text, size_t len, struct ks_err *err)
{
	struct ks_json *doc = NULL;
	int rc;

	ks_err_clear(err);
	rc = ks_json_parse(&doc, text, len, err);
	assert_null(doc);
	assert_int_equal(rc, err->code);
	return rc;
}

static void refuses(const char *text, const char *word)
{
	struct ks_err err = KS_ERR_INIT;

	if (refusal_len(text, strlen(text), &err) != KS_EINVAL || !strstr(err.msg, word)) {
		fail_msg("%s: code %d, \"%s\", not \"%s\"", text, err.code, err.msg, word);
	}
}

static void reads_every_type(void **state)
{
	struct ks_json *doc = parsed(" {\"s\":\"x\\u00e4\\n\",\"n\":-1.5e2,\"i\":42,\"t\":true,"
		"\"f\":false,\"z\":null,\"a\":[1,[],{}],\"o\":{\"k\":7}} \n");

	assert_int_equal(ks_json_type(doc), KS_JSON_OBJECT);
	assert_int_equal(ks_json_count(doc), 8);
	assert_string_equal(ks_json_get_str(doc, "s", NULL), "xä\n");
	assert_true(ks_json_get_num(doc, "n", 0) == -150.0);
	assert_int_equal(ks_json_get_int(doc, "i", 0), 42);
	assert_true(ks_json_get_bool(doc, "t", false));
	assert_false(ks_json_get_bool(doc, "f", true));
	assert_int_equal(ks_json_type(ks_json_get(doc, "z")), KS_JSON_NULL);
	assert_int_equal(ks_json_count(ks_json_get(doc, "a")), 3);
	assert_int_equal(ks_json_get_int(ks_json_get(doc, "o"), "k", 0), 7);
	assert_string_equal(ks_json_key(ks_json_first(doc)), "s");
	ks_json_free(doc);
	ks_json_free(NULL);
}

static void missing_and_other_types_give_the_fallback(void **state)
{
	struct ks_json *doc = parsed("{\"s\":\"x\",\"n\":1.5,\"a\":[5]}");

	assert_null(ks_json_get(doc, "no"));
	assert_null(ks_json_get(NULL, "no"));
	assert_null(ks_json_get(ks_json_get(doc, "a"), "s"));
	assert_string_equal(ks_json_get_str(doc, "n", "fb"), "fb");
	assert_int_equal(ks_json_get_int(doc, "n", -7), -7);
	assert_int_equal(ks_json_get_int(doc, "s", -7), -7);
	assert_true(ks_json_get_bool(doc, "s", true));
	assert_int_equal(ks_json_type(NULL), KS_JSON_NULL);
	assert_int_equal(ks_json_count(NULL), 0);
	assert_null(ks_json_first(ks_json_get(doc, "s")));
	assert_null(ks_json_next(NULL));
	assert_int_equal(ks_json_int(ks_json_at(ks_json_get(doc, "a"), 0), 0), 5);
	assert_null(ks_json_at(ks_json_get(doc, "a"), 1));
	assert_null(ks_json_at(doc, 0));
	assert_null(ks_json_key(NULL));
	ks_json_free(doc);
}

static void keys_are_case_sensitive(void **state)
{
	struct ks_json *doc = parsed("{\"Key\":1,\"key\":2}");

	assert_int_equal(ks_json_get_int(doc, "key", 0), 2);
	assert_int_equal(ks_json_get_int(doc, "Key", 0), 1);
	ks_json_free(doc);
}

static void refuses_what_is_not_json(void **state)
{
	refuses("", "ends at byte 0, expected a value");
	refuses("  ", "ends at byte 2");
	refuses("{", "a key");
	refuses("{\"a\"}", "byte 4: expected ':'");
	refuses("{\"a\":1,}", "byte 7: expected a key");
	refuses("{a:1}", "byte 1: expected a key");
	refuses("{'a':1}", "byte 1");
	refuses("[1,]", "byte 3: expected a value");
	refuses("[1 2]", "byte 3: expected ',' or ']'");
	refuses("[1}", "byte 2");
	refuses("{\"a\":1]", "byte 6");
	refuses("[", "ends at byte 1");
	refuses("]", "byte 0");
	refuses("1 2", "byte 2: expected the end");
	refuses("{}{}", "byte 2: expected the end");
	refuses("tru", "expected true");
	refuses("nulL", "expected null");
	refuses("True", "a value");
	refuses("NaN", "a value");
	refuses("Infinity", "a value");
	refuses("/* c */ 1", "byte 0");
	refuses("\x0b" "1", "byte 0");
	refuses("\xc2\xa0" "1", "byte 0");
}

static void refuses_bad_numbers(void **state)
{
	refuses("01", "the end");
	refuses("-", "a digit");
	refuses("-01", "the end");
	refuses("+1", "a value");
	refuses(".5", "a value");
	refuses("1.", "after the point");
	refuses("1.e3", "after the point");
	refuses("1e", "exponent");
	refuses("1e+", "exponent");
	refuses("0x10", "the end");
	refuses("1e999", "out of range");
	refuses("[-1e999]", "out of range");
}

static void refuses_bad_strings(void **state)
{
	refuses("\"abc", "a closing quote");
	refuses("\"a\\", "the rest of an escape");
	refuses("\"a\\x41\"", "byte 2: expected an escape");
	refuses("\"\\u12\"", "four hexadecimal digits");
	refuses("\"\\u12g4\"", "four hexadecimal digits");
	refuses("\"\\u\"", "four hexadecimal digits");
	refuses("\"a\nb\"", "byte 2: expected no bare control byte");
	refuses("\"12345678a\tb\"", "byte 10: expected no bare control byte");
}

static void nul_never_cuts(void **state)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_json *doc = parsed("{\"a\":\"x\\u0000y\",\"k\\u0000z\":1}");

	assert_string_equal(ks_json_get_str(doc, "a", NULL), "x\xef\xbf\xbdy");
	assert_int_equal(ks_json_get_int(doc, "k\xef\xbf\xbdz", 0), 1);
	ks_json_free(doc);
	assert_int_equal(refusal_len("\"a\0b\"", 5, &err), KS_EINVAL);
	assert_int_equal(refusal_len("1\0", 2, &err), KS_EINVAL);
	assert_int_equal(refusal_len("\0", 1, &err), KS_EINVAL);
}

static void no_byte_behind_the_text_is_read(void **state)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_json *doc = parsed_len("12345", 3);

	assert_int_equal(ks_json_int(doc, 0), 123);
	ks_json_free(doc);
	assert_int_equal(refusal_len("\"abc\"", 4, &err), KS_EINVAL);
	assert_int_equal(refusal_len("true", 3, &err), KS_EINVAL);
	assert_int_equal(refusal_len("\"\\u0041\"", 6, &err), KS_EINVAL);
}

static void repairs_utf8_and_surrogates(void **state)
{
	struct ks_json *doc = parsed("[\"a\xff" "b\",\"\xc3\",\"\xed\xa0\x80\",\"\\ud800\","
		"\"\\udc00x\",\"\\ud83d\\ude00\",\"\\ud83dx\",\"\\ud83d\\u0041\",\"ok ä 漢\"]");

	assert_string_equal(ks_json_str(ks_json_at(doc, 0), 0), "a\xef\xbf\xbd" "b");
	assert_string_equal(ks_json_str(ks_json_at(doc, 1), 0), "\xef\xbf\xbd");
	assert_string_equal(ks_json_str(ks_json_at(doc, 2), 0),
		"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	assert_string_equal(ks_json_str(ks_json_at(doc, 3), 0), "\xef\xbf\xbd");
	assert_string_equal(ks_json_str(ks_json_at(doc, 4), 0), "\xef\xbf\xbdx");
	assert_string_equal(ks_json_str(ks_json_at(doc, 5), 0), "\U0001F600");
	assert_string_equal(ks_json_str(ks_json_at(doc, 6), 0), "\xef\xbf\xbdx");
	assert_string_equal(ks_json_str(ks_json_at(doc, 7), 0), "\xef\xbf\xbd" "A");
	assert_string_equal(ks_json_str(ks_json_at(doc, 8), 0), "ok ä 漢");
	ks_json_free(doc);
}

static void a_byte_order_mark_is_skipped(void **state)
{
	struct ks_json *doc = parsed("\xef\xbb\xbf{\"a\":\"\xff\"}");

	assert_string_equal(ks_json_get_str(doc, "a", NULL), "\xef\xbf\xbd");
	ks_json_free(doc);
	refuses("\xef\xbb\xbf", "ends at byte 3");
}

static void depth_is_limited(void **state)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_json *doc;
	char text[400];
	size_t i;

	for (i = 0; i < 64; i++) {
		text[i] = '[';
		text[64 + i] = ']';
	}
	doc = parsed_len(text, 128);
	ks_json_free(doc);
	memset(text, '[', 200);
	memset(text + 200, ']', 200);
	assert_int_equal(refusal_len(text, 400, &err), KS_ELIMIT);
	assert_non_null(strstr(err.msg, "byte 64"));
	/* a sea of open brackets costs nothing */
	assert_int_equal(refusal_len(text, 100, &err), KS_ELIMIT);
}

static void duplicate_keys_are_refused(void **state)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_buf text = {0};
	size_t i;

	refuses("{\"a\":1,\"b\":2,\"a\":3}", "\"a\" stands twice");
	refuses("[{\"x\":{\"k\":1,\"\\u006b\":2}}]", "\"k\" stands twice");
	ks_buf_addc(&text, '{');
	for (i = 0; i < 1000; i++) {
		ks_buf_addf(&text, "\"k%zu\":%zu,", i, i);
	}
	ks_buf_adds(&text, "\"k500\":0}");
	assert_int_equal(refusal_len(text.ptr, text.len, &err), KS_EINVAL);
	assert_non_null(strstr(err.msg, "k500"));
	ks_buf_fini(&text);
}

static void members_are_limited_and_checked_fast(void **state)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_buf text = {0};
	struct ks_json *doc;
	int64_t start = ks_clock_mono_us();
	size_t i;

	ks_buf_addc(&text, '{');
	for (i = 0; i < 4096; i++) {
		ks_buf_addf(&text, "%s\"same-long-prefix-%zu\":%zu", i ? "," : "", i, i);
	}
	ks_buf_addc(&text, '}');
	doc = parsed_len(text.ptr, text.len);
	assert_int_equal(ks_json_count(doc), 4096);
	ks_json_free(doc);
	ks_buf_truncate(&text, text.len - 1);
	ks_buf_adds(&text, ",\"x\":1}");
	assert_int_equal(refusal_len(text.ptr, text.len, &err), KS_ELIMIT);
	assert_true(ks_clock_mono_us() - start < 2000000);
	ks_buf_fini(&text);
}

static void whole_numbers(void **state)
{
	struct ks_json *doc = parsed("[9007199254740992,-9007199254740992,9007199254740994,"
		"9223372036854775807,1.0,1e3,-0,0.5,12345678901234567890]");
	size_t i;

	assert_true(ks_json_int(ks_json_at(doc, 0), 0) == INT64_C(9007199254740992));
	assert_true(ks_json_int(ks_json_at(doc, 1), 0) == -INT64_C(9007199254740992));
	for (i = 2; i < 4; i++) {
		assert_false(ks_json_is_int(ks_json_at(doc, i)));
		assert_int_equal(ks_json_int(ks_json_at(doc, i), -1), -1);
	}
	assert_int_equal(ks_json_int(ks_json_at(doc, 4), 0), 1);
	assert_int_equal(ks_json_int(ks_json_at(doc, 5), 0), 1000);
	assert_int_equal(ks_json_int(ks_json_at(doc, 6), 5), 0);
	assert_false(ks_json_is_int(ks_json_at(doc, 7)));
	assert_int_equal(ks_json_int(ks_json_at(doc, 8), -1), -1);
	assert_false(ks_json_is_int(NULL));
	ks_json_free(doc);
}

static void long_numbers_are_read_whole(void **state)
{
	struct ks_buf text = {0};
	struct ks_json *doc;
	size_t i;

	ks_buf_adds(&text, "[0.1");
	for (i = 0; i < 500; i++) {
		ks_buf_addc(&text, '0');
	}
	ks_buf_adds(&text, "1,2]");
	doc = parsed_len(text.ptr, text.len);
	assert_true(ks_json_num(ks_json_at(doc, 0), 0) == 0.1);
	assert_int_equal(ks_json_int(ks_json_at(doc, 1), 0), 2);
	ks_json_free(doc);
	ks_buf_clear(&text);
	for (i = 0; i < 400; i++) {
		ks_buf_addc(&text, '9');
	}
	refuses(text.ptr, "range of a double");
	ks_buf_fini(&text);
}

static double bits_to_double(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static void check_round_trip(double value)
{
	struct ks_buf text = {0};
	struct ks_json *doc;
	struct ks_jw w;
	double back;

	ks_jw_init(&w, &text);
	ks_jw_num(&w, NULL, value);
	doc = parsed_len(text.ptr, text.len);
	back = ks_json_num(doc, NAN);
	assert_memory_equal(&back, &value, sizeof(value));
	ks_json_free(doc);
	ks_buf_fini(&text);
}

static void doubles_round_trip(void **state)
{
	static const double hard[] = {0.0, -0.0, 0.1, 1.0 / 3, DBL_MAX, DBL_MIN, DBL_TRUE_MIN,
		-DBL_MAX, DBL_EPSILON, 9007199254740992.0, 9007199254740994.0, 1e22, 1e23,
		5e-324, 2.2250738585072011e-308, 123456789012345680.0};
	uint64_t x = 88172645463325252u;
	size_t i;

	for (i = 0; i < sizeof(hard) / sizeof(hard[0]); i++) {
		check_round_trip(hard[i]);
	}
	for (i = 0; i < 20000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		if (isfinite(bits_to_double(x))) {
			check_round_trip(bits_to_double(x));
		}
	}
}

static void doubles_are_short(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {{0.1, "0.1"}, {3.0, "3"}, {-2.5, "-2.5"}, {1e300, "1e+300"}, {NAN, "null"},
		{INFINITY, "null"}, {-INFINITY, "null"},
		{0.30000000000000004, "0.30000000000000004"}};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ks_buf text = {0};
		struct ks_jw w;

		ks_jw_init(&w, &text);
		ks_jw_num(&w, NULL, cases[i].value);
		assert_string_equal(text.ptr, cases[i].text);
		ks_buf_fini(&text);
	}
}

static void writer_makes_compact_json(void **state)
{
	struct ks_buf text = {0};
	struct ks_jw w;

	ks_jw_init(&w, &text);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "s", "q\"b\\n\nt\tr\re\x1b");
	ks_jw_str(&w, "none", NULL);
	ks_jw_slice(&w, "sl", (struct ks_str){"a\0b\xff", 4});
	ks_jw_int(&w, "big", INT64_MIN);
	ks_jw_bool(&w, "t", true);
	ks_jw_open_array(&w, "a");
	ks_jw_int(&w, NULL, 1);
	ks_jw_open(&w, NULL);
	ks_jw_close(&w);
	ks_jw_open_array(&w, NULL);
	ks_jw_close_array(&w);
	ks_jw_close_array(&w);
	ks_jw_raw(&w, "r", KS_STR("[1,2]"));
	ks_jw_close(&w);
	assert_string_equal(text.ptr, "{\"s\":\"q\\\"b\\\\n\\nt\\tr\\re\\u001b\",\"none\":null,"
		"\"sl\":\"a\\u0000b\xef\xbf\xbd\",\"big\":-9223372036854775808,\"t\":true,"
		"\"a\":[1,{},[]],\"r\":[1,2]}");
	ks_json_free(parsed_len(text.ptr, text.len));
	ks_buf_fini(&text);
}

static void writer_makes_pretty_json(void **state)
{
	struct ks_buf text = {0};
	struct ks_jw w;

	ks_jw_init(&w, &text);
	w.pretty = true;
	ks_jw_open(&w, NULL);
	ks_jw_int(&w, "a", 1);
	ks_jw_open_array(&w, "b");
	ks_jw_str(&w, NULL, "x");
	ks_jw_close_array(&w);
	ks_jw_open(&w, "c");
	ks_jw_close(&w);
	ks_jw_close(&w);
	assert_string_equal(text.ptr,
		"{\n  \"a\": 1,\n  \"b\": [\n    \"x\"\n  ],\n  \"c\": {}\n}");
	ks_buf_fini(&text);
}

static void prints_what_it_read(void **state)
{
	const char *text =
		"{\"a\":[1,2.5,\"x\\n\",[],{},[[3]],null,true],\"b\":{\"c\":{\"d\":false}}}";
	struct ks_json *doc = parsed(text);
	struct ks_buf out = {0};

	ks_json_print(doc, &out);
	assert_string_equal(out.ptr, text);
	ks_buf_clear(&out);
	/* a part prints without its key and without its siblings */
	ks_json_print(ks_json_get(doc, "a"), &out);
	assert_string_equal(out.ptr, "[1,2.5,\"x\\n\",[],{},[[3]],null,true]");
	ks_buf_clear(&out);
	ks_json_print(NULL, &out);
	assert_string_equal(out.ptr, "null");
	ks_buf_fini(&out);
	ks_json_free(doc);
}

static void a_copy_lives_by_itself(void **state)
{
	struct ks_json *doc = parsed("{\"a\":1,\"b\":{\"c\":[{\"d\":\"x\"},2]}}");
	struct ks_json *copy = ks_json_copy(ks_json_get(doc, "b"));
	struct ks_buf out = {0};

	ks_json_free(doc);
	ks_json_print(copy, &out);
	assert_string_equal(out.ptr, "{\"c\":[{\"d\":\"x\"},2]}");
	assert_string_equal(ks_json_get_str(ks_json_at(ks_json_get(copy, "c"), 0), "d", ""), "x");
	ks_buf_fini(&out);
	ks_json_free(copy);
	assert_null(ks_json_copy(NULL));
}

static void every_byte_in_a_string(void **state)
{
	int c;

	for (c = 1; c < 256; c++) {
		char value[3] = {(char)c, 'x', '\0'};
		/* one byte is no code point */
		const char *want = c < 0x80 ? value : "\xef\xbf\xbdx";
		struct ks_buf text = {0};
		struct ks_json *doc;
		struct ks_jw w;

		ks_jw_init(&w, &text);
		ks_jw_str(&w, NULL, value);
		doc = parsed_len(text.ptr, text.len);
		assert_string_equal(ks_json_str(doc, NULL), want);
		ks_json_free(doc);
		ks_buf_fini(&text);
	}
}

/* Strings change, names of members, figures and what is escaped do not. */
static void replaced_in_strings(void **state)
{
	static const struct {
		const char *json, *want;
	} rows[] = {
		{"{\"a\":\"x12345678y\"}", "{\"a\":\"x[key]y\"}"},
		{"\"12345678\":\"12345678\",\"n\":12345678",
			"\"12345678\":\"[key]\",\"n\":12345678"},
		{"{\"12345678\" : [\"12345678\", 1]}", "{\"12345678\" : [\"[key]\", 1]}"},
		{"[\"a\\\"12345678\\\\\",\"\",true]", "[\"a\\\"[key]\\\\\",\"\",true]"},
		{"\"1234567812345678\"", "\"[key][key]\""},
		{"{\"a\":{\"b\":\"12345678\"},\"c\":\"d\"}",
			"{\"a\":{\"b\":\"[key]\"},\"c\":\"d\"}"},
		{"\"12345678", "\"[key]"}, {"", ""}, {"\"\\", "\"\\"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ks_buf out = {0};

		ks_json_add_replaced(&out, ks_str_of(rows[i].json), KS_STR("12345678"),
			KS_STR("[key]"));
		assert_string_equal(out.ptr != NULL ? out.ptr : "", rows[i].want);
		ks_buf_fini(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_every_type),
		cmocka_unit_test(missing_and_other_types_give_the_fallback),
		cmocka_unit_test(keys_are_case_sensitive),
		cmocka_unit_test(refuses_what_is_not_json),
		cmocka_unit_test(refuses_bad_numbers),
		cmocka_unit_test(refuses_bad_strings),
		cmocka_unit_test(nul_never_cuts),
		cmocka_unit_test(no_byte_behind_the_text_is_read),
		cmocka_unit_test(repairs_utf8_and_surrogates),
		cmocka_unit_test(a_byte_order_mark_is_skipped),
		cmocka_unit_test(depth_is_limited),
		cmocka_unit_test(duplicate_keys_are_refused),
		cmocka_unit_test(members_are_limited_and_checked_fast),
		cmocka_unit_test(whole_numbers),
		cmocka_unit_test(long_numbers_are_read_whole),
		cmocka_unit_test(doubles_round_trip),
		cmocka_unit_test(doubles_are_short),
		cmocka_unit_test(writer_makes_compact_json),
		cmocka_unit_test(writer_makes_pretty_json),
		cmocka_unit_test(prints_what_it_read),
		cmocka_unit_test(a_copy_lives_by_itself),
		cmocka_unit_test(every_byte_in_a_string),
		cmocka_unit_test(replaced_in_strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
