/*
 * A conversation that was kept on disk, and what may have become of the file. What
 * must hold: whatever its lines say, each call has exactly one result behind it,
 * sides take turns, the requests are valid JSON, and what is written of it reads
 * back as the same.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "wire/chat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Lines that conversations are made of, chosen by the input's bytes. */
static const char *const lines[] = {
	"{\"by\":\"user\",\"part\":\"text\",\"text\":\"go\"}\n",
	"{\"by\":\"user\",\"part\":\"text\",\"text\":\"on \\u0000 \\ud800\"}\n",
	"{\"by\":\"model\",\"part\":\"text\",\"text\":\"well\"}\n",
	"{\"by\":\"model\",\"part\":\"thought\",\"text\":\"hm\",\"proof\":\"p\"}\n",
	"{\"by\":\"model\",\"part\":\"hidden\",\"text\":\"h\"}\n",
	"{\"by\":\"model\",\"part\":\"call\",\"id\":\"a\",\"name\":\"n\","
	"\"text\":\"{\\\"k\\\":1}\"}\n",
	"{\"by\":\"model\",\"part\":\"call\",\"id\":\"b\",\"name\":\"n\",\"text\":\"}{\"}\n",
	"{\"by\":\"model\",\"part\":\"call\",\"id\":\"c\",\"name\":\"\",\"text\":\"{}\"}\n",
	"{\"by\":\"user\",\"part\":\"result\",\"id\":\"a\",\"ok\":true,\"text\":\"one\"}\n",
	"{\"by\":\"user\",\"part\":\"result\",\"id\":\"b\",\"text\":\"\"}\n",
	"{\"by\":\"user\",\"part\":\"call\",\"id\":\"d\",\"name\":\"n\",\"text\":\"{}\"}\n",
	"{\"dropped\":3,\"calls\":-1,\"words\":\"w\"}\n",
	"{\"by\":\"model\",\"part\":", "\"text\":7}\n", "\n",
};

static void compose(struct ks_buf *out, const uint8_t *data, size_t size)
{
	size_t count = sizeof(lines) / sizeof(lines[0]);

	if (size == 0 || data[0] % 4 == 0) {
		ks_buf_add(out, data, size);
		return;
	}
	for (size_t i = 1; i < size && i < 64; i++) {
		ks_buf_adds(out, lines[data[i] % count]);
	}
}

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

static size_t results_of(const struct ks_chat_message *m, const char *id)
{
	size_t found = 0;

	for (size_t i = 0; i < m->count; i++) {
		found += m->pieces[i].what == KS_CHAT_RESULT && strcmp(m->pieces[i].id, id) == 0;
	}
	return found;
}

static void check(const struct ks_chat *chat)
{
	for (size_t i = 0; i < chat->count; i++) {
		const struct ks_chat_message *m = &chat->messages[i];

		assert(m->count > 0 && m->model == (i % 2 == 1));
		for (size_t j = 0; j < m->count; j++) {
			if (m->pieces[j].what == KS_CHAT_CALL) {
				assert(m->model && i + 1 < chat->count);
				assert(results_of(&chat->messages[i + 1], m->pieces[j].id) == 1);
			}
		}
	}
}

static void body(const struct ks_chat *chat, enum ks_model_api api, struct ks_buf *out)
{
	const struct ks_chat_request request = {
		.api = api, .model = "m", .rules = "s", .tools = KS_STR("[]"), .max_tokens = 10,
	};
	struct ks_json *doc;

	ks_chat_write(out, chat, &request);
	assert(ks_json_parse(&doc, out->ptr, out->len, NULL) == 0);
	ks_json_free(doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ks_buf text = {0}, kept = {0};
	struct ks_chat chat = {0}, again = {0};
	struct ks_chat_mark mark = {0};

	compose(&text, data, size);
	take(&chat, ks_buf_str(&text));
	check(&chat);
	ks_chat_lines(&kept, &chat, &mark);
	take(&again, ks_buf_str(&kept));
	for (int api = KS_MODEL_ANTHROPIC; api <= KS_MODEL_OPENAI; api++) {
		struct ks_buf one = {0}, two = {0};

		body(&chat, (enum ks_model_api)api, &one);
		body(&again, (enum ks_model_api)api, &two);
		assert(ks_str_eq(ks_buf_str(&one), ks_buf_str(&two)));
		ks_buf_fini(&one);
		ks_buf_fini(&two);
	}
	if (chat.count > 0) {
		ks_chat_compact(&chat, 10);
		check(&chat);
	}
	ks_chat_fini(&chat);
	ks_chat_fini(&again);
	ks_buf_fini(&text);
	ks_buf_fini(&kept);
	return 0;
}
