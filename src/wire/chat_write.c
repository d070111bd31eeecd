/*
 * A conversation as the body of a request.
 */
#include <string.h>

#include "wire/chat.h"

/* ---- Anthropic Messages ---- */

static void cache_mark(struct ks_jw *w)
{
	ks_jw_open(w, "cache_control");
	ks_jw_str(w, "type", "ephemeral");
	ks_jw_close(w);
}

/* What may stand in a block of that message; a thought only with the
 * signature that its server checks. */
static bool fits(const struct ks_chat_piece *piece)
{
	return piece->what != KS_CHAT_THOUGHT || piece->proof != NULL;
}

/* Ids and names of another server may hold what this one refuses. */
static void id_write(struct ks_jw *w, const char *key, const char *id)
{
	char plain[160];
	size_t n = 0;

	for (; id[n] != '\0' && n + 1 < sizeof(plain); n++) {
		bool fine = (id[n] >= 'a' && id[n] <= 'z') || (id[n] >= 'A' && id[n] <= 'Z') ||
			(id[n] >= '0' && id[n] <= '9') || id[n] == '-';

		plain[n] = fine ? id[n] : '_';
	}
	plain[n] = '\0';
	ks_jw_str(w, key, plain);
}

static void block_write(struct ks_jw *w, const struct ks_chat_piece *piece, bool last)
{
	ks_jw_open(w, NULL);
	switch (piece->what) {
	case KS_CHAT_TEXT:
		ks_jw_str(w, "type", "text");
		ks_jw_str(w, "text", piece->text);
		break;
	case KS_CHAT_THOUGHT:
		ks_jw_str(w, "type", "thinking");
		ks_jw_str(w, "thinking", piece->text);
		ks_jw_str(w, "signature", piece->proof);
		break;
	case KS_CHAT_HIDDEN:
		ks_jw_str(w, "type", "redacted_thinking");
		ks_jw_str(w, "data", piece->text);
		break;
	case KS_CHAT_CALL:
		ks_jw_str(w, "type", "tool_use");
		id_write(w, "id", piece->id);
		id_write(w, "name", piece->name);
		ks_jw_raw(w, "input", ks_str_of(piece->text));
		break;
	case KS_CHAT_RESULT:
		ks_jw_str(w, "type", "tool_result");
		id_write(w, "tool_use_id", piece->id);
		ks_jw_str(w, "content", *piece->text != '\0' ? piece->text : "(no output)");
		if (!piece->ok) {
			ks_jw_bool(w, "is_error", true);
		}
		break;
	}
	if (last) {
		cache_mark(w);
	}
	ks_jw_close(w);
}

static void anthropic_message(struct ks_jw *w, const struct ks_chat_message *m, bool last)
{
	ks_jw_open(w, NULL);
	ks_jw_str(w, "role", m->model ? "assistant" : "user");
	ks_jw_open_array(w, "content");
	for (size_t i = 0; i < m->count; i++) {
		if (fits(&m->pieces[i])) {
			block_write(w, &m->pieces[i], last && i + 1 == m->count);
		}
	}
	ks_jw_close_array(w);
	ks_jw_close(w);
}

static void anthropic_tools(struct ks_jw *w, const struct ks_json *tools)
{
	const struct ks_json *tool = ks_json_first(tools);

	ks_jw_open_array(w, "tools");
	for (; tool != NULL; tool = ks_json_next(tool)) {
		ks_jw_open(w, NULL);
		ks_jw_node(w, "name", ks_json_get(tool, "name"));
		ks_jw_node(w, "description", ks_json_get(tool, "description"));
		ks_jw_node(w, "input_schema", ks_json_get(tool, "schema"));
		ks_jw_close(w);
	}
	ks_jw_close_array(w);
}

static void anthropic_write(struct ks_jw *w, const struct ks_chat *chat,
	const struct ks_chat_request *r, const struct ks_json *tools)
{
	ks_jw_int(w, "max_tokens", r->max_tokens);
	ks_jw_open_array(w, "system");
	ks_jw_open(w, NULL);
	ks_jw_str(w, "type", "text");
	ks_jw_str(w, "text", r->rules);
	cache_mark(w);
	ks_jw_close(w);
	ks_jw_close_array(w);
	anthropic_tools(w, tools);
	ks_jw_open_array(w, "messages");
	for (size_t i = 0; i < chat->count; i++) {
		anthropic_message(w, &chat->messages[i], i + 1 == chat->count);
	}
	ks_jw_close_array(w);
}

/* ---- chat completions ---- */

static void chat_text(struct ks_jw *w, const char *role, const char *text)
{
	ks_jw_open(w, NULL);
	ks_jw_str(w, "role", role);
	ks_jw_str(w, "content", text);
	ks_jw_close(w);
}

/* Results are messages of their own and stand before what was said. */
static void chat_user(struct ks_jw *w, const struct ks_chat_message *m)
{
	struct ks_buf text = {0};

	for (size_t i = 0; i < m->count; i++) {
		const struct ks_chat_piece *piece = &m->pieces[i];

		if (piece->what == KS_CHAT_RESULT) {
			ks_jw_open(w, NULL);
			ks_jw_str(w, "role", "tool");
			ks_jw_str(w, "tool_call_id", piece->id);
			ks_jw_str(w, "content", *piece->text != '\0' ? piece->text : "(no output)");
			ks_jw_close(w);
		} else {
			ks_buf_adds(&text, text.len > 0 ? "\n\n" : "");
			ks_buf_adds(&text, piece->text);
		}
	}
	if (text.len > 0) {
		chat_text(w, "user", text.ptr);
	}
	ks_buf_fini(&text);
}

static void chat_call(struct ks_jw *w, const struct ks_chat_piece *piece)
{
	ks_jw_open(w, NULL);
	ks_jw_str(w, "id", piece->id);
	ks_jw_str(w, "type", "function");
	ks_jw_open(w, "function");
	ks_jw_str(w, "name", piece->name);
	ks_jw_str(w, "arguments", piece->text);
	ks_jw_close(w);
	ks_jw_close(w);
}

static void chat_model(struct ks_jw *w, const struct ks_chat_message *m)
{
	struct ks_buf text = {0};
	size_t calls = 0;

	for (size_t i = 0; i < m->count; i++) {
		if (m->pieces[i].what == KS_CHAT_TEXT) {
			ks_buf_adds(&text, m->pieces[i].text);
		}
		calls += m->pieces[i].what == KS_CHAT_CALL;
	}
	ks_jw_open(w, NULL);
	ks_jw_str(w, "role", "assistant");
	ks_jw_str(w, "content", text.len > 0 || calls == 0 ? ks_buf_str(&text).ptr : NULL);
	if (calls > 0) {
		ks_jw_open_array(w, "tool_calls");
		for (size_t i = 0; i < m->count; i++) {
			if (m->pieces[i].what == KS_CHAT_CALL) {
				chat_call(w, &m->pieces[i]);
			}
		}
		ks_jw_close_array(w);
	}
	ks_jw_close(w);
	ks_buf_fini(&text);
}

static void chat_tools(struct ks_jw *w, const struct ks_json *tools)
{
	const struct ks_json *tool = ks_json_first(tools);

	ks_jw_open_array(w, "tools");
	for (; tool != NULL; tool = ks_json_next(tool)) {
		ks_jw_open(w, NULL);
		ks_jw_str(w, "type", "function");
		ks_jw_open(w, "function");
		ks_jw_node(w, "name", ks_json_get(tool, "name"));
		ks_jw_node(w, "description", ks_json_get(tool, "description"));
		ks_jw_node(w, "parameters", ks_json_get(tool, "schema"));
		ks_jw_close(w);
		ks_jw_close(w);
	}
	ks_jw_close_array(w);
}

static void chat_write(struct ks_jw *w, const struct ks_chat *chat,
	const struct ks_chat_request *r, const struct ks_json *tools)
{
	if (r->max_tokens > 0) {
		ks_jw_int(w, r->max_field != NULL ? r->max_field : "max_tokens", r->max_tokens);
	}
	ks_jw_open(w, "stream_options");
	ks_jw_bool(w, "include_usage", true);
	ks_jw_close(w);
	chat_tools(w, tools);
	ks_jw_open_array(w, "messages");
	chat_text(w, "system", r->rules);
	for (size_t i = 0; i < chat->count; i++) {
		if (chat->messages[i].model) {
			chat_model(w, &chat->messages[i]);
		} else {
			chat_user(w, &chat->messages[i]);
		}
	}
	ks_jw_close_array(w);
}

void ks_chat_write(struct ks_buf *out, const struct ks_chat *chat,
	const struct ks_chat_request *request)
{
	struct ks_json *tools = NULL;
	struct ks_jw w;

	if (ks_json_parse(&tools, request->tools.ptr, request->tools.len, NULL) < 0) {
		tools = NULL;
	}
	ks_jw_init(&w, out);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "model", request->model);
	ks_jw_bool(&w, "stream", true);
	if (request->api == KS_MODEL_ANTHROPIC) {
		anthropic_write(&w, chat, request, tools);
	} else {
		chat_write(&w, chat, request, tools);
	}
	ks_jw_close(&w);
	ks_json_free(tools);
}
