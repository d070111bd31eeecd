/* Frames: reading strictly, writing within bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "wire/frame.h"

/* Parses one written line; it must be exactly one. */
static struct ks_frame parsed(const struct ks_buf *buf)
{
	struct ks_frame frame = {0};
	struct ks_err err = KS_ERR_INIT;

	assert_true(buf->len > 1);
	assert_ptr_equal(memchr(buf->ptr, '\n', buf->len), buf->ptr + buf->len - 1);
	if (ks_frame_parse(&frame, (struct ks_str){buf->ptr, buf->len - 1}, &err) < 0) {
		fail_msg("%s", err.msg);
	}
	return frame;
}

static void test_round_trips(void **state)
{
	struct ks_buf buf = {0};
	struct ks_frame frame;

	assert_int_equal(ks_frame_hello(&buf, 1, "console", NULL), 0);
	frame = parsed(&buf);
	assert_int_equal(frame.kind, KS_FRAME_REQUEST);
	assert_int_equal(frame.id, 1);
	assert_string_equal(frame.cmd, "hello");
	assert_int_equal(frame.protocol, KS_FRAME_PROTOCOL);
	assert_string_equal(frame.role, "console");
	ks_frame_fini(&frame);

	ks_buf_clear(&buf);
	assert_int_equal(ks_frame_request(&buf, 9007199254740991, "agent.start",
		KS_STR("{\n  \"x\": \"a\\nb\"\r\n}"), NULL), 0);
	frame = parsed(&buf);
	assert_int_equal(frame.id, 9007199254740991);
	assert_string_equal(frame.cmd, "agent.start");
	assert_string_equal(ks_json_get_str(frame.args, "x", ""), "a\nb");
	assert_string_equal(frame.role, "");
	ks_frame_fini(&frame);

	ks_buf_clear(&buf);
	assert_int_equal(ks_frame_reply(&buf, 3, KS_STR("[1,2]"), true, NULL), 0);
	frame = parsed(&buf);
	assert_int_equal(frame.kind, KS_FRAME_REPLY);
	assert_true(frame.ok);
	assert_true(frame.more);
	assert_int_equal(ks_json_count(frame.result), 2);
	ks_frame_fini(&frame);

	ks_buf_clear(&buf);
	assert_int_equal(ks_frame_reply(&buf, 4, (struct ks_str){0}, false, NULL), 0);
	assert_string_equal(buf.ptr, "{\"id\":4,\"ok\":true}\n");

	ks_buf_clear(&buf);
	assert_int_equal(ks_frame_push(&buf, "log", KS_STR("\"seq\":12,\"length\":4096"), NULL), 0);
	assert_string_equal(buf.ptr, "{\"push\":\"log\",\"seq\":12,\"length\":4096}\n");
	frame = parsed(&buf);
	assert_int_equal(frame.kind, KS_FRAME_PUSH);
	assert_string_equal(frame.push, "log");
	assert_int_equal(ks_json_get_int(frame.doc, "length", 0), 4096);
	ks_frame_fini(&frame);
	ks_frame_fini(NULL);
	ks_buf_clear(&buf);
	assert_int_equal(ks_frame_push(&buf, "stopping", (struct ks_str){0}, NULL), 0);
	assert_string_equal(buf.ptr, "{\"push\":\"stopping\"}\n");
	ks_buf_fini(&buf);
}

static void test_refusals(void **state)
{
	struct ks_buf buf = {0};
	struct ks_frame frame;
	char *long_text = ks_zalloc(1, 10001);

	for (int code = KS_EFULL; code < 0; code++) {
		ks_buf_clear(&buf);
		ks_frame_refuse(&buf, 5, code, "line 1\nline \"2\"");
		frame = parsed(&buf);
		assert_false(frame.ok);
		assert_int_equal(frame.code, code);
		assert_string_equal(frame.error, "line 1\nline \"2\"");
		ks_frame_fini(&frame);
	}
	memset(long_text, 'e', 10000);
	ks_buf_clear(&buf);
	ks_frame_refuse(&buf, 5, KS_EIO, long_text);
	assert_true(buf.len < 3000);
	assert_int_equal(ks_frame_code("no such word"), KS_EPROTO);
	free(long_text);
	ks_buf_fini(&buf);
}

static void test_too_large_to_write(void **state)
{
	struct ks_buf buf = {0}, args = {0};
	struct ks_err err = KS_ERR_INIT;
	struct ks_jw w;

	ks_buf_adds(&buf, "before");
	ks_jw_init(&w, &args);
	ks_jw_open_array(&w, NULL);
	for (int i = 0; i < 300000; i++) {
		ks_jw_int(&w, NULL, 1000);
	}
	ks_jw_close_array(&w);
	assert_int_equal(ks_frame_reply(&buf, 1, ks_buf_str(&args), false, &err), KS_ELIMIT);
	assert_string_equal(buf.ptr, "before");
	assert_non_null(strstr(err.msg, "does not fit"));
	ks_buf_fini(&buf);
	ks_buf_fini(&args);
}

static void test_refused_input(void **state)
{
	static const struct {
		const char *line, *why;
	} cases[] = {
		{"", "not JSON"}, {"{", "not JSON"}, {"[]", "not a JSON object"},
			{"7", "not a JSON object"},
		{"{}", "$.id"}, {"{\"id\":0,\"cmd\":\"x\"}", "$.id"},
			{"{\"id\":1.5,\"cmd\":\"x\"}", "$.id"},
		{"{\"id\":\"1\",\"cmd\":\"x\"}", "$.id"}, {"{\"id\":-3,\"cmd\":\"x\"}", "$.id"},
		{"{\"id\":1,\"cmd\":7}", "$.cmd"}, {"{\"id\":1,\"cmd\":\"\"}", "$.cmd"},
		{"{\"id\":1,\"cmd\":\"../x\\u001b\"}", "$.cmd"},
		{"{\"id\":1,\"cmd\":\"eval\",\"args\":[1]}", "$.args"},
		{"{\"id\":1,\"cmd\":\"hello\"}", "$.protocol"},
		{"{\"id\":1}", "$.ok"}, {"{\"id\":1,\"ok\":1}", "$.ok"},
		{"{\"push\":\"\"}", "$.push"}, {"{\"push\":{}}", "$.push"},
		{"{\"id\":1,\"id\":2,\"cmd\":\"x\"}", "not JSON"},
		{"{\"id\":1,\"cmd\":\"x\"} {}", "not JSON"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ks_frame frame = {.id = 77};
		struct ks_err err = KS_ERR_INIT;

		assert_int_equal(ks_frame_parse(&frame, ks_str_of(cases[i].line), &err), KS_EPROTO);
		if (strstr(err.msg, cases[i].why) == NULL) {
			fail_msg("%s: %s", cases[i].line, err.msg);
		}
		assert_int_equal(frame.id, 77); /* untouched */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trips),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_too_large_to_write),
		cmocka_unit_test(test_refused_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
