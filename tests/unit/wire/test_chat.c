/* Conversations: what a request holds, results for every call, compaction. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "wire/chat.h"

static const struct ks_chat_request anthropic = {
	.api = KS_MODEL_ANTHROPIC, .model = "m", .rules = "be brief", .max_tokens = 100,
	.tools =
	KS_STR("[{\"name\":\"shell\",\"description\":\"d\",\"schema\":{\"type\":\"object\"}}]"),
};

static const struct ks_chat_request openai = {
	.api = KS_MODEL_OPENAI, .model = "m", .rules = "be brief", .max_tokens = 100,
	.max_field = "max_completion_tokens",
	.tools =
	KS_STR("[{\"name\":\"shell\",\"description\":\"d\",\"schema\":{\"type\":\"object\"}}]"),
};

static void stream_into(struct ks_chat *chat, const char *text)
{
	struct ks_model_stream s;

	ks_model_begin(&s, KS_MODEL_OPENAI);
	assert_int_equal(ks_model_add(&s, ks_str_of(text), NULL), 0);
	assert_int_equal(ks_model_end(&s, NULL), 0);
	ks_chat_reply(chat, &s.reply);
	ks_model_fini(&s);
}

/* A reply with text and two calls, the second with arguments that are no JSON. */
#define TWO_CALLS "data: {\"choices\":[{\"delta\":{\"content\":\"I look\",\"reasoning\":\"hm\"," \
	"\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"shell\"," \
	"\"arguments\":\"{\\\"command\\\":\\\"ls\\\"}\"}},{\"index\":1,\"id\":\"c1\"," \
	"\"function\":{\"name\":\"read\",\"arguments\":\"oops\"}}]}," \
	"\"finish_reason\":\"tool_calls\"}]}\n\n"

static void assert_body(const struct ks_chat *chat, const struct ks_chat_request *r,
	const char *expected)
{
	struct ks_buf body = {0};

	ks_chat_write(&body, chat, r);
	assert_string_equal(body.ptr, expected);
	ks_buf_fini(&body);
}

static void make(struct ks_chat *chat)
{
	ks_chat_say(chat, KS_STR("go"));
	stream_into(chat, TWO_CALLS);
	ks_chat_result(chat, ks_chat_call(chat, 0)->id, true, KS_STR("a\nb"));
	assert_int_equal(ks_chat_answer_all(chat, "interrupted"), 1);
	ks_chat_say(chat, KS_STR("faster"));
}

static void test_anthropic(void **state)
{
	struct ks_chat chat = {0};

	make(&chat);
	assert_body(&chat, &anthropic, "{\"model\":\"m\",\"stream\":true,\"max_tokens\":100,"
		"\"system\":[{\"type\":\"text\",\"text\":\"be brief\","
		"\"cache_control\":{\"type\":\"ephemeral\"}}],"
		"\"tools\":[{\"name\":\"shell\",\"description\":\"d\","
		"\"input_schema\":{\"type\":\"object\"}}],"
		"\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\","
		"\"text\":\"go\"}]},"
		"{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"I look\"},"
		"{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"shell\","
		"\"input\":{\"command\":\"ls\"}},"
		"{\"type\":\"tool_use\",\"id\":\"call_k2\",\"name\":\"read\",\"input\":{}}]},"
		"{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"c1\","
		"\"content\":\"a\\nb\"},"
		"{\"type\":\"tool_result\",\"tool_use_id\":\"call_k2\",\"content\":\"interrupted\","
		"\"is_error\":true},"
		"{\"type\":\"text\",\"text\":\"faster\","
		"\"cache_control\":{\"type\":\"ephemeral\"}}]}]}");
	ks_chat_fini(&chat);
}

static void assert_body_has(const struct ks_chat *chat, const struct ks_chat_request *r,
	const char *text)
{
	struct ks_buf body = {0};

	ks_chat_write(&body, chat, r);
	assert_non_null(strstr(body.ptr, text));
	ks_buf_fini(&body);
}

/* Another server's ids, which its own kind gets back as they were. */
static void test_ids_of_others(void **state)
{
	struct ks_chat chat = {0};

	ks_chat_say(&chat, KS_STR("go"));
	stream_into(&chat, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":"
		"\"functions.shell:0\",\"function\":{\"name\":\"shell.run\","
		"\"arguments\":\"{}\"}}]},"
		"\"finish_reason\":\"tool_calls\"}]}\n\n");
	ks_chat_result(&chat, "functions.shell:0", true, KS_STR("a"));
	assert_body_has(&chat, &anthropic, "\"id\":\"functions_shell_0\",\"name\":\"shell_run\"");
	assert_body_has(&chat, &anthropic, "\"tool_use_id\":\"functions_shell_0\"");
	assert_body_has(&chat, &openai, "\"id\":\"functions.shell:0\"");
	assert_body_has(&chat, &openai, "\"tool_call_id\":\"functions.shell:0\"");
	ks_chat_fini(&chat);
}

static void test_openai(void **state)
{
	struct ks_chat chat = {0};

	make(&chat);
	assert_body(&chat, &openai,
		"{\"model\":\"m\",\"stream\":true,\"max_completion_tokens\":100,"
		"\"stream_options\":{\"include_usage\":true},"
		"\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"shell\","
		"\"description\":\"d\",\"parameters\":{\"type\":\"object\"}}}],"
		"\"messages\":[{\"role\":\"system\",\"content\":\"be brief\"},{\"role\":\"user\","
		"\"content\":\"go\"},"
		"{\"role\":\"assistant\",\"content\":\"I look\",\"tool_calls\":["
		"{\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"shell\","
		"\"arguments\":\"{\\\"command\\\":\\\"ls\\\"}\"}},"
		"{\"id\":\"call_k2\",\"type\":\"function\",\"function\":{\"name\":\"read\","
		"\"arguments\":\"{}\"}}]},"
		"{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"a\\nb\"},"
		"{\"role\":\"tool\",\"tool_call_id\":\"call_k2\",\"content\":\"interrupted\"},"
		"{\"role\":\"user\",\"content\":\"faster\"}]}");
	ks_chat_fini(&chat);
}

static void test_empty_reply(void **state)
{
	struct ks_chat chat = {0};

	ks_chat_say(&chat, KS_STR("go"));
	stream_into(&chat,
		"data: {\"choices\":[{\"delta\":{\"content\":\"  \"},"
		"\"finish_reason\":\"stop\"}]}\n\n");
	assert_int_equal(chat.count, 1);
	ks_chat_say(&chat, KS_STR("on"));
	assert_int_equal(chat.count, 1);
	assert_null(ks_chat_call(&chat, 0));
	assert_int_equal(ks_chat_answer_all(&chat, "x"), 0);
	ks_chat_fini(&chat);
	ks_chat_fini(NULL);
}

/* Each call of a request has its result in the message behind it. */
static void assert_paired(const struct ks_chat *chat)
{
	assert_false(chat->messages[0].model);
	for (size_t i = 0; i < chat->count; i++) {
		const struct ks_chat_message *m = &chat->messages[i];

		assert_int_equal(m->model, i % 2 == 1);
		for (size_t j = 0; m->model && j < m->count; j++) {
			const struct ks_chat_message *next = &chat->messages[i + 1];
			size_t found = 0;

			if (m->pieces[j].what != KS_CHAT_CALL) {
				continue;
			}
			assert_true(i + 1 < chat->count);
			for (size_t k = 0; k < next->count; k++) {
				found += next->pieces[k].what == KS_CHAT_RESULT &&
					strcmp(next->pieces[k].id, m->pieces[j].id) == 0;
			}
			assert_int_equal(found, 1);
		}
	}
}

static void fill(struct ks_chat *chat, int rounds)
{
	char *big = ks_alloc(5001);

	memset(big, 'x', 5000);
	big[5000] = '\0';
	ks_chat_say(chat, KS_STR("the brief"));
	for (int i = 0; i < rounds; i++) {
		stream_into(chat, TWO_CALLS);
		ks_chat_result(chat, ks_chat_call(chat, 0)->id, true, ks_str_of(big));
		ks_chat_answer_all(chat, "no");
		if (i % 3 == 1) {
			struct ks_buf word = {0};

			ks_buf_addf(&word, "hint %d", i);
			ks_chat_say(chat, ks_buf_str(&word));
			ks_buf_fini(&word);
		}
	}
	free(big);
}

/* Old outputs go first and nothing else while that is enough. */
static void test_compact_outputs(void **state)
{
	struct ks_chat chat = {0};
	size_t count;

	fill(&chat, 10);
	count = chat.count;
	assert_true(ks_chat_compact(&chat, 40000));
	assert_true(ks_chat_bytes(&chat) <= 40000);
	assert_int_equal(chat.count, count);
	assert_int_equal(chat.dropped_messages, 0);
	assert_non_null(strstr(chat.messages[2].pieces[0].text, "left out"));
	assert_int_equal(strlen(chat.messages[count - 1].pieces[0].text), 5000);
	assert_paired(&chat);
	assert_false(ks_chat_compact(&chat, 40000));
	ks_chat_fini(&chat);
}

/* Then old messages; the brief stays, people's words are kept. */
static void test_compact_turns(void **state)
{
	struct ks_chat chat = {0};
	const struct ks_chat_message *first;
	const char *note;

	fill(&chat, 30);
	assert_true(ks_chat_compact(&chat, 18000));
	assert_true(ks_chat_bytes(&chat) <= 18000);
	assert_true(chat.dropped_messages > 0 && chat.dropped_calls == chat.dropped_messages);
	first = &chat.messages[0];
	assert_string_equal(first->pieces[0].text, "the brief");
	assert_int_equal(first->count, 2);
	note = first->pieces[1].text;
	assert_non_null(strstr(note, "left out"));
	assert_non_null(strstr(note, "- hint 1"));
	assert_paired(&chat);
	/* again: one note, that counts on */
	fill(&chat, 10);
	ks_chat_compact(&chat, 16000);
	assert_int_equal(chat.messages[0].count, 2);
	assert_paired(&chat);
	/* not even a target of nothing takes the last exchange */
	ks_chat_compact(&chat, 0);
	assert_true(chat.count >= 3);
	assert_paired(&chat);
	assert_false(ks_chat_compact(&chat, 0));
	ks_chat_fini(&chat);
}

/* ---- kept as lines ---- */

static void take(struct ks_chat *chat, struct ks_str text)
{
	struct ks_str line;

	while (ks_str_next(&text, '\n', &line)) {
		struct ks_json *doc = NULL;

		if (ks_json_parse(&doc, line.ptr, line.len, NULL) == 0) {
			(void)ks_chat_take(chat, doc, "lost", NULL);
		}
		ks_json_free(doc);
	}
	ks_chat_mend(chat, "lost");
}

static void assert_same(const struct ks_chat *a, const struct ks_chat *b)
{
	struct ks_buf body = {0};

	ks_chat_write(&body, a, &anthropic);
	assert_body(b, &anthropic, body.ptr);
	ks_buf_clear(&body);
	ks_chat_write(&body, a, &openai);
	assert_body(b, &openai, body.ptr);
	ks_buf_fini(&body);
}

/* Written as it grows, and anew once it was made shorter: read back it is the same. */
static void test_lines(void **state)
{
	struct ks_chat chat = {0}, back = {0};
	struct ks_chat_mark mark = {0};
	struct ks_buf text = {0};
	size_t len;

	ks_chat_lines(&text, &chat, &mark);
	assert_int_equal(text.len, 0);
	for (int i = 0; i < 4; i++) {
		make(&chat);
		ks_chat_lines(&text, &chat, &mark);
		ks_chat_say(&chat, KS_STR("and \"this\"\n"));
		ks_chat_lines(&text, &chat, &mark);
	}
	len = text.len;
	ks_chat_lines(&text, &chat, &mark);
	assert_int_equal(text.len, len);
	take(&back, ks_buf_str(&text));
	assert_same(&chat, &back);
	ks_chat_fini(&back);
	assert_false(ks_chat_edited(&chat, &mark));
	fill(&chat, 10);
	assert_true(ks_chat_compact(&chat, 9000));
	assert_true(ks_chat_edited(&chat, &mark));
	mark = (struct ks_chat_mark){0};
	ks_buf_clear(&text);
	ks_chat_lines(&text, &chat, &mark);
	assert_false(ks_chat_edited(&chat, &mark));
	take(&back, ks_buf_str(&text));
	assert_same(&chat, &back);
	/* and goes on counting what was left out */
	assert_int_equal(ks_chat_compact(&chat, 0), ks_chat_compact(&back, 0));
	assert_same(&chat, &back);
	ks_chat_fini(&chat);
	ks_chat_fini(&back);
	ks_buf_fini(&text);
}

/* Cut anywhere, it is a conversation that a server takes. */
static void test_torn_lines(void **state)
{
	struct ks_chat chat = {0};
	struct ks_chat_mark mark = {0};
	struct ks_buf text = {0};

	make(&chat);
	stream_into(&chat, TWO_CALLS);
	ks_chat_result(&chat, ks_chat_call(&chat, 1)->id, true, KS_STR("b"));
	ks_chat_lines(&text, &chat, &mark);
	for (size_t len = 0; len <= text.len; len++) {
		struct ks_chat back = {0};

		take(&back, (struct ks_str){text.ptr, len});
		if (back.count > 0) {
			assert_paired(&back);
		}
		ks_chat_fini(&back);
	}
	ks_chat_fini(&chat);
	ks_buf_fini(&text);
}

static void test_bad_lines(void **state)
{
	struct ks_chat chat = {0};

	take(&chat, KS_STR("[]\n{\"by\":\"model\",\"part\":\"text\",\"text\":\"first\"}\n"
		"{\"by\":\"user\",\"part\":\"result\",\"id\":\"c9\",\"text\":\"of nothing\"}\n"
		"{\"by\":\"user\",\"part\":\"call\",\"id\":\"c9\",\"name\":\"x\",\"text\":\"{}\"}\n"
		"{\"by\":\"user\",\"part\":\"text\"}\n{\"by\":\"nobody\",\"part\":\"text\","
		"\"text\":\"\"}\n"));
	assert_int_equal(chat.count, 0);
	take(&chat, KS_STR("{\"by\":\"user\",\"part\":\"text\",\"text\":\"go\"}\n"
		"{\"by\":\"model\",\"part\":\"thought\",\"text\":\"hm\",\"proof\":\"p\"}\n"
		"{\"by\":\"user\",\"part\":\"text\",\"text\":\"on\"}\n"
		"{\"by\":\"model\",\"part\":\"call\",\"id\":\"c1\",\"name\":\"x\","
		"\"text\":\"}{\"}\n"
		"{\"by\":\"model\",\"part\":\"call\",\"id\":\"c1\",\"name\":\"x\","
		"\"text\":\"{}\"}\n"
		"{\"by\":\"model\",\"part\":\"call\",\"id\":\"\",\"name\":\"x\",\"text\":\"{}\"}\n"
		"{\"by\":\"user\",\"part\":\"result\",\"id\":\"c1\",\"text\":\"one\"}\n"
		"{\"by\":\"user\",\"part\":\"result\",\"id\":\"c1\",\"text\":\"two\"}\n"));
	assert_int_equal(chat.count, 3);
	assert_paired(&chat);
	assert_int_equal(chat.messages[0].count, 2);
	assert_string_equal(chat.messages[1].pieces[0].text, "{}");
	assert_int_equal(chat.messages[1].count, 1);
	assert_int_equal(chat.messages[2].count, 1);
	ks_chat_fini(&chat);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_anthropic), cmocka_unit_test(test_openai),
		cmocka_unit_test(test_ids_of_others),
		cmocka_unit_test(test_empty_reply), cmocka_unit_test(test_compact_outputs),
		cmocka_unit_test(test_compact_turns), cmocka_unit_test(test_lines),
		cmocka_unit_test(test_torn_lines), cmocka_unit_test(test_bad_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
