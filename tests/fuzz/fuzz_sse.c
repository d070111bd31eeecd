/*
 * Streams of a hostile model server. What must hold: the events, and the reply
 * that comes of them, are the same however the bytes are cut; nothing passes
 * its limits; and what a reply holds can be sent back as valid JSON.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "wire/chat.h"
#include "wire/model.h"
#include "wire/sse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Pieces that streams are made of, chosen by the input's bytes. */
static const char *const pieces[] = {
	"data: ", "event: error\n", "\n\n", "\r\n\r\n", ": c\n", "[DONE]", "data: [DONE]\n\n",
	"data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":3}}}\n\n",
	"data: {\"type\":\"content_block_start\",\"index\":0,"
	"\"content_block\":{\"type\":\"text\"}}\n\n",
	"data: {\"type\":\"content_block_start\",\"index\":1,"
	"\"content_block\":{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"n\","
	"\"input\":{\"k\":1}}}\n\n",
	"data: {\"type\":\"content_block_start\",\"index\":2,"
	"\"content_block\":{\"type\":\"thinking\"}}\n\n",
	"data: {\"type\":\"content_block_delta\",\"index\":1,"
	"\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\":\"}}\r\n\r\n",
	"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\","
		"\"text\":\"x\\u0000\\ud800\"}}\n\n",
	"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\n",
	"data: {\"type\":\"message_stop\"}\n\n",
	"data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n",
	"data: {\"choices\":[{\"delta\":{\"content\":\"x\",\"reasoning\":\"y\"}}]}\n\n",
	"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":"
		"{\"name\":\"n\",\"arguments\":\"{}\"}}]}}]}\n\n",
	"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{"
	"\"function\":{\"arguments\":{}}}]}}]}\n\n",
	"data: {\"choices\":[{\"delta\":{\"tool_calls\":{\"a\":7}},"
	"\"finish_reason\":\"length\"}]}\n\n",
	"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"prompt_tokens_details\":"
		"{\"cached_tokens\":9}}}\n\n",
	"data: {\"error\":{\"message\":\"m\",\"code\":429}}\n\n",
};

/* Half of the inputs are read as numbers of pieces, with raw bytes between. */
static void compose(struct ks_buf *out, const uint8_t *data, size_t size)
{
	size_t count = sizeof(pieces) / sizeof(pieces[0]);

	if (size == 0 || data[0] % 2 == 0) {
		ks_buf_add(out, data, size);
		return;
	}
	for (size_t i = 1; i < size && i < 64; i++) {
		if (data[i] % 8 == 7) {
			ks_buf_addc(out, (char)data[i]);
		} else {
			ks_buf_adds(out, pieces[data[i] % count]);
		}
	}
}

static void print(const struct ks_model_reply *reply, int rc, struct ks_buf *out)
{
	ks_buf_addf(out, "%d %d %d %s|", rc, (int)reply->stop, (int)reply->fault, reply->stop_word);
	for (size_t i = 0; i < reply->count; i++) {
		const struct ks_model_block *b = &reply->blocks[i];

		ks_buf_addf(out, "%d,%s,%s,", (int)b->what, b->id != NULL ? b->id : "",
			b->name != NULL ? b->name : "");
		ks_buf_addstr(out, ks_buf_str(&b->text));
	}
}

static void send_back(enum ks_model_api api, const struct ks_model_reply *reply)
{
	const struct ks_chat_request request = {
		.api = api, .model = "m", .rules = "s", .tools = KS_STR("[{\"name\":\"n\"}]"),
		.max_tokens = 10,
	};
	struct ks_chat chat = {0};
	struct ks_buf body = {0};
	struct ks_json *doc;
	size_t calls;

	ks_chat_say(&chat, KS_STR("go"));
	calls = ks_chat_reply(&chat, reply);
	assert(ks_chat_answer_all(&chat, "interrupted") == calls);
	assert(ks_chat_answer_all(&chat, "interrupted") == 0);
	ks_chat_write(&body, &chat, &request);
	assert(ks_json_parse(&doc, body.ptr, body.len, NULL) == 0);
	ks_json_free(doc);
	ks_chat_compact(&chat, 10);
	ks_buf_fini(&body);
	ks_chat_fini(&chat);
}

static void read_whole(enum ks_model_api api, struct ks_str bytes, size_t step, struct ks_buf *out)
{
	struct ks_model_stream s;
	int rc = 0;

	ks_model_begin(&s, api);
	for (size_t at = 0; at < bytes.len && rc == 0; at += step) {
		size_t n = bytes.len - at < step ? bytes.len - at : step;

		rc = ks_model_add(&s, (struct ks_str){bytes.ptr + at, n}, NULL);
	}
	if (rc == 0) {
		rc = ks_model_end(&s, NULL);
	}
	assert(s.reply.count <= KS_MODEL_BLOCKS_MAX && s.reply.bytes <= KS_MODEL_REPLY_MAX);
	print(&s.reply, rc, out);
	if (step > 100) {
		send_back(api, &s.reply);
	}
	ks_model_fini(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ks_buf bytes = {0}, text = {0};

	compose(&bytes, data, size);
	for (int api = KS_MODEL_ANTHROPIC; api <= KS_MODEL_OPENAI; api++) {
		struct ks_buf whole = {0}, cut = {0};

		read_whole((enum ks_model_api)api, ks_buf_str(&bytes), SIZE_MAX / 2, &whole);
		read_whole((enum ks_model_api)api, ks_buf_str(&bytes),
			size > 0 ? data[size - 1] % 5 + 1 : 1, &cut);
		assert(ks_str_eq(ks_buf_str(&whole), ks_buf_str(&cut)));
		ks_buf_fini(&whole);
		ks_buf_fini(&cut);
	}
	ks_model_fault(size > 0 ? 400 + data[0] : 0, ks_buf_str(&bytes), &text);
	assert(text.len <= KS_MODEL_ERROR_MAX);
	ks_buf_fini(&text);
	ks_buf_fini(&bytes);
	return 0;
}
