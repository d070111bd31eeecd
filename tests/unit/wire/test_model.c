/* Replies of models out of their streams, whole, cut, broken and wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "wire/model.h"

/* All blocks as text: "text(...)", "thought(...)", "call id name(args)". */
static void print_reply(const struct ks_model_reply *reply, struct ks_buf *out)
{
	for (size_t i = 0; i < reply->count; i++) {
		const struct ks_model_block *b = &reply->blocks[i];
		struct ks_str text = ks_buf_str(&b->text);

		if (b->what == KS_MODEL_CALL) {
			ks_buf_addf(out, "call %s %s", b->id != NULL ? b->id : "-",
				b->name != NULL ? b->name : "-");
		} else {
			ks_buf_adds(out, b->what == KS_MODEL_TEXT ? "text"
				: b->what == KS_MODEL_THOUGHT ? "thought" : "hidden");
		}
		ks_buf_addf(out, "(%.*s)", KS_FMT(text));
		if (b->proof.len > 0) {
			ks_buf_addf(out, "!%s", b->proof.ptr);
		}
	}
	ks_buf_addf(out, " stop %d %s", (int)reply->stop, reply->stop_word);
}

/* Feeds a stream in pieces of `step` bytes. */
static int feed(struct ks_model_stream *s, enum ks_model_api api, const char *text, size_t step,
	struct ks_err *err)
{
	size_t len = strlen(text);

	ks_model_begin(s, api);
	for (size_t at = 0; at < len; at += step) {
		size_t n = len - at < step ? len - at : step;
		int rc = ks_model_add(s, (struct ks_str){text + at, n}, err);

		if (rc < 0) {
			return rc;
		}
	}
	return ks_model_end(s, err);
}

static void assert_reply(enum ks_model_api api, const char *text, const char *expected)
{
	static const size_t steps[] = {1, 2, 7, 64, 100000};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct ks_model_stream s;
		struct ks_buf got = {0};
		struct ks_err err = KS_ERR_INIT;

		assert_int_equal(feed(&s, api, text, steps[i], &err), 0);
		print_reply(&s.reply, &got);
		assert_string_equal(got.ptr, expected);
		ks_buf_fini(&got);
		ks_model_fini(&s);
	}
}

static void assert_broken(enum ks_model_api api, const char *text, enum ks_model_fault fault,
	const char *says)
{
	struct ks_model_stream s;
	struct ks_err err = KS_ERR_INIT;

	assert_int_equal(feed(&s, api, text, 5, &err), KS_EPROTO);
	assert_int_equal(s.reply.fault, fault);
	assert_non_null(strstr(err.msg, says));
	ks_model_fini(&s);
}

#define A_START "event: message_start\r\ndata: {\"type\":\"message_start\"," \
	"\"message\":{\"id\":\"m\",\"usage\":{\"input_tokens\":25," \
	"\"cache_read_input_tokens\":1000,\"output_tokens\":1}}}\r\n\r\n"
#define A_STOP(word) "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{" \
	"\"stop_reason\":\"" word "\"},\"usage\":{\"output_tokens\":42}}\n\n" \
	"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
#define A_TEXT(text) "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{" \
	"\"type\":\"text_delta\",\"text\":\"" text "\"}}\n\n"

static void test_anthropic(void **state)
{
	static const char text[] = A_START
		"event: ping\ndata: {\"type\":\"ping\"}\n\n"
		"data: {\"type\":\"content_block_start\",\"index\":0,"
		"\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
		A_TEXT("Look") A_TEXT(" at \\u00e4")
		"data: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
		"data: {\"type\":\"content_block_start\",\"index\":1,"
		"\"content_block\":{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"shell\","
		"\"input\":{}}}\n\n"
		"data: {\"type\":\"content_block_delta\",\"index\":1,"
		"\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"\"}}\n\n"
		"data: {\"type\":\"content_block_delta\",\"index\":1,"
		"\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"comm\"}}\n\n"
		"data: {\"type\":\"content_block_start\",\"index\":2,"
		"\"content_block\":{\"type\":\"tool_use\",\"id\":\"t2\",\"name\":\"evaluate\"}}\n\n"
		"data: {\"type\":\"content_block_delta\",\"index\":1,"
		"\"delta\":{\"type\":\"input_json_delta\","
		"\"partial_json\":\"and\\\":\\\"ls\\\"}\"}}\n\n"
		"data: {\"type\":\"unheard_of\",\"x\":[1]}\n\n"
		A_STOP("tool_use");
	struct ks_model_stream s;

	assert_reply(KS_MODEL_ANTHROPIC, text,
		"text(Look at \xc3\xa4)call t1 shell({\"command\":\"ls\"})"
		"call t2 evaluate() stop 2 tool_use");
	assert_int_equal(feed(&s, KS_MODEL_ANTHROPIC, text, 10, NULL), 0);
	assert_int_equal(s.reply.usage.input, 25);
	assert_int_equal(s.reply.usage.cache_read, 1000);
	assert_int_equal(s.reply.usage.cache_write, -1);
	assert_int_equal(s.reply.usage.output, 42);
	assert_true(ks_model_call_whole(&s.reply.blocks[1]));
	assert_true(ks_model_call_whole(&s.reply.blocks[2]));
	assert_false(ks_model_call_whole(&s.reply.blocks[0]));
	ks_model_fini(&s);
}

static void test_anthropic_thought(void **state)
{
	assert_reply(KS_MODEL_ANTHROPIC, A_START
		"data: {\"type\":\"content_block_start\",\"index\":0,"
		"\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\"}}\n\n"
		"data: {\"type\":\"content_block_delta\",\"index\":0,"
		"\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"hm\"}}\n\n"
		"data: {\"type\":\"content_block_delta\",\"index\":0,"
		"\"delta\":{\"type\":\"signature_delta\",\"signature\":\"sig\"}}\n\n"
		"data: {\"type\":\"content_block_start\",\"index\":1,"
		"\"content_block\":{\"type\":\"redacted_thinking\",\"data\":\"xyz\"}}\n\n"
		A_STOP("max_tokens"), "thought(hm)!sighidden(xyz) stop 3 max_tokens");
}

static void test_anthropic_broken(void **state)
{
	assert_broken(KS_MODEL_ANTHROPIC, A_START, KS_MODEL_FINE, "ended in the middle");
	assert_broken(KS_MODEL_ANTHROPIC, "", KS_MODEL_FINE, "ended in the middle");
	assert_broken(KS_MODEL_ANTHROPIC, "<html>busy</html>\n\n", KS_MODEL_FINE,
		"ended in the middle");
	assert_broken(KS_MODEL_ANTHROPIC, "data: <html>\n\n", KS_MODEL_FINE, "not JSON");
	assert_broken(KS_MODEL_ANTHROPIC, A_START A_TEXT("x"), KS_MODEL_FINE, "did not begin");
	assert_broken(KS_MODEL_ANTHROPIC, A_START "event: error\ndata: {\"type\":\"error\","
		"\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
		KS_MODEL_RETRY, "Overloaded");
	assert_broken(KS_MODEL_ANTHROPIC, "data: {\"type\":\"error\",\"error\":{"
		"\"type\":\"invalid_request_error\",\"message\":\"no\"}}\n\n", KS_MODEL_GIVE_UP,
		"no");
	assert_broken(KS_MODEL_ANTHROPIC, "data: {\"type\":\"error\",\"error\":{\"type\":"
		"\"invalid_request_error\",\"message\":\"prompt is too long: 9 > 8\"}}\n\n",
		KS_MODEL_TOO_LONG, "too long");
}

#define C(delta, stop) "data: {\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0," \
	"\"delta\":" \
	delta ",\"finish_reason\":" stop "}]}\n\n"

static void test_chat(void **state)
{
	static const char text[] = ": OPENROUTER PROCESSING\n\n"
		C("{\"role\":\"assistant\",\"content\":\"\"}", "null")
		C("{\"reasoning_content\":\"hm\"}", "null")
		C("{\"content\":\"I \"}", "null") C("{\"content\":\"look\"}", "null")
		C("{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"type\":\"function\","
		"\"function\":{\"name\":\"shell\",\"arguments\":\"\"}}]}", "null")
		C("{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"comm\"}}]}",
		"null")
		C("{\"tool_calls\":[{\"index\":1,\"id\":\"c2\",\"function\":{\"name\":\"read\","
		"\"arguments\":\"{}\"}}]}", "null")
		C("{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"\","
		"\"arguments\":\"and\\\":1}\"}}]}", "null")
		C("{}", "\"tool_calls\"")
		"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":7,"
		"\"prompt_tokens_details\":{\"cached_tokens\":60},\"cost\":0.0125}}\n\n"
		"data: [DONE]\n\n";
	struct ks_model_stream s;

	assert_reply(KS_MODEL_OPENAI, text, "thought(hm)text(I look)call c1 shell({\"command\":1})"
		"call c2 read({}) stop 2 tool_calls");
	assert_int_equal(feed(&s, KS_MODEL_OPENAI, text, 10, NULL), 0);
	assert_int_equal(s.reply.usage.input, 40);
	assert_int_equal(s.reply.usage.cache_read, 60);
	assert_int_equal(s.reply.usage.output, 7);
	assert_true(s.reply.usage.cost > 0.0124 && s.reply.usage.cost < 0.0126);
	ks_model_fini(&s);
}

/* Servers that leave out indices or ids, or give whole calls at once. */
static void test_chat_quirks(void **state)
{
	assert_reply(KS_MODEL_OPENAI,
		C("{\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"read\","
		"\"arguments\":{\"path\":\"x\"}}},"
		"{\"id\":\"b\",\"function\":{\"name\":\"read\",\"arguments\":\"{}\"}}]}", "null")
		C("{\"content\":null}", "\"stop\"") "data: [DONE]\n\n",
		"call a read({\"path\":\"x\"})call b read({}) stop 1 stop");
	assert_reply(KS_MODEL_OPENAI,
		C("{\"tool_calls\":[{\"function\":{\"name\":\"read\",\"arguments\":\"{\"}}]}",
		"null")
		C("{\"tool_calls\":[{\"function\":{\"arguments\":\"}\"}}]}", "\"length\""),
		"call - read({}) stop 3 length");
	/* a second choice and data behind the end are none of ours */
	assert_reply(KS_MODEL_OPENAI, C("{\"content\":\"a\"}", "\"stop\"")
		"data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"b\"}}]}\n\n"
		"data: [DONE]\n\ndata: garbage\n\n", "text(a) stop 1 stop");
}

static void test_chat_broken(void **state)
{
	assert_broken(KS_MODEL_OPENAI, C("{\"content\":\"a\"}", "null"), KS_MODEL_FINE,
		"ended in the middle");
	assert_broken(KS_MODEL_OPENAI, "data: {\"error\":{\"message\":\"Provider disconnected\","
		"\"code\":502},\"choices\":[{\"index\":0,\"delta\":{},"
		"\"finish_reason\":\"error\"}]}\n\n", KS_MODEL_RETRY, "disconnected");
	assert_broken(KS_MODEL_OPENAI, "data: {\"error\":{\"message\":\"bad\",\"type\":"
		"\"invalid_request_error\"}}\n\n", KS_MODEL_GIVE_UP, "bad");
	assert_broken(KS_MODEL_OPENAI,
		C("{\"tool_calls\":[{\"index\":99999,\"id\":\"a\"}]}", "null"), KS_MODEL_FINE,
		"numbers");
}

static void test_limits(void **state)
{
	struct ks_model_stream s;
	struct ks_err err = KS_ERR_INIT;
	struct ks_buf text = {0};
	int rc = 0;

	ks_model_begin(&s, KS_MODEL_OPENAI);
	for (int i = 0; i < 400 && rc == 0; i++) {
		ks_buf_clear(&text);
		ks_buf_addf(&text,
			"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"c%d\"}]}}]}\n\n",
			i);
		rc = ks_model_add(&s, ks_buf_str(&text), &err);
	}
	assert_int_equal(rc, KS_ELIMIT);
	assert_int_equal(s.reply.count, KS_MODEL_BLOCKS_MAX);
	ks_model_fini(&s);
	ks_model_begin(&s, KS_MODEL_OPENAI);
	ks_buf_clear(&text);
	ks_buf_adds(&text, "data: {\"choices\":[{\"delta\":{\"content\":\"");
	for (int i = 0; i < 1024 * 1024; i++) {
		ks_buf_adds(&text, "xxxx");
	}
	ks_buf_adds(&text, "\"}}]}\n\n");
	for (rc = 0; rc == 0;) {
		rc = ks_model_add(&s, ks_buf_str(&text), NULL);
	}
	assert_int_equal(rc, KS_ELIMIT);
	assert_true(s.reply.bytes <= KS_MODEL_REPLY_MAX);
	ks_buf_fini(&text);
	ks_model_fini(&s);
	ks_model_fini(NULL);
}

static void assert_fault(int status, const char *body, enum ks_model_fault fault,
	const char *expected)
{
	struct ks_buf text = {0};

	assert_int_equal(ks_model_fault(status, ks_str_of(body), &text), fault);
	assert_string_equal(text.ptr != NULL ? text.ptr : "", expected);
	ks_buf_fini(&text);
}

static void test_faults(void **state)
{
	assert_fault(529,
		"{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\","
		"\"message\":\"Overloaded\"}}", KS_MODEL_RETRY, "Overloaded");
	assert_fault(429, "", KS_MODEL_RETRY, "");
	assert_fault(500, "<html>\noops</html>", KS_MODEL_RETRY, "<html> oops</html>");
	assert_fault(0, "", KS_MODEL_RETRY, "");
	assert_fault(401, "{\"error\":{\"message\":\"Incorrect key\"}}", KS_MODEL_GIVE_UP,
		"Incorrect key");
	assert_fault(404, "{\"error\":\"model 'x' not found\"}", KS_MODEL_GIVE_UP,
		"model 'x' not found");
	assert_fault(422, "{\"detail\":\"no such field\"}", KS_MODEL_GIVE_UP, "no such field");
	assert_fault(403, "", KS_MODEL_GIVE_UP, "");
	assert_fault(302, "", KS_MODEL_GIVE_UP, "");
	assert_fault(429,
		"{\"error\":{\"message\":\"You exceeded your current quota\","
		"\"code\":\"insufficient_quota\"}}",
		KS_MODEL_GIVE_UP, "You exceeded your current quota");
	assert_fault(400,
		"{\"error\":{\"message\":\"This model's maximum context length is 4096 tokens.\"}}",
		KS_MODEL_TOO_LONG, "This model's maximum context length is 4096 tokens.");
	assert_fault(400, "{\"error\":{\"code\":\"context_length_exceeded\",\"message\":\"long\"}}",
		KS_MODEL_TOO_LONG, "long");
	assert_fault(413, "{\"error\":{\"type\":\"request_too_large\",\"message\":\"big\"}}",
		KS_MODEL_TOO_LONG, "big");
	assert_fault(400, "[{\"error\":{\"message\":\"in a list\"}}]", KS_MODEL_GIVE_UP,
		"in a list");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_anthropic), cmocka_unit_test(test_anthropic_thought),
		cmocka_unit_test(test_anthropic_broken), cmocka_unit_test(test_chat),
		cmocka_unit_test(test_chat_quirks), cmocka_unit_test(test_chat_broken),
		cmocka_unit_test(test_limits), cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
