/*
 * Replies of the scripted model in four shapes of stream.
 */
#include "model_scene.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "model_tools.h"

#define FILE_MAX_BYTES (4u * 1024 * 1024)

int scene_read(struct scene *out, const char *path, struct ks_err *err)
{
	struct ks_buf text = {0};
	int rc = 0;

	*out = (struct scene){0};
	if (path == NULL) {
		return 0;
	}
	rc = ks_file_read(&text, path, FILE_MAX_BYTES, err);
	if (rc == 0) {
		rc = ks_json_parse(&out->doc, ks_buf_str(&text).ptr, text.len, err);
	}
	if (rc == 0) {
		const struct ks_json *sub = ks_json_first(ks_json_get(out->doc, "subagents"));

		out->next = ks_json_first(ks_json_get(out->doc, "replies"));
		for (; sub != NULL && out->n_subs < SCENE_SUBS; sub = ks_json_next(sub)) {
			out->subs[out->n_subs++] = (struct scene_sub){
				ks_json_get_str(sub, "when", NULL),
				ks_json_get_str(sub, "last", NULL),
				ks_json_first(ks_json_get(sub, "replies"))
			};
		}
	}
	ks_buf_fini(&text);
	return rc;
}

void scene_fini(struct scene *scene)
{
	ks_json_free(scene->doc);
	*scene = (struct scene){0};
}

const struct ks_json *scene_next(struct scene *scene, const struct ks_json *request)
{
	const struct ks_json **next = &scene->next, *reply;
	const char *to;

	for (size_t i = 0; i < scene->n_subs; i++) {
		const struct scene_sub *sub = &scene->subs[i];

		if ((sub->when != NULL && model_begins_with(request, sub->when)) ||
			(sub->last != NULL && model_ends_with(request, sub->last))) {
			next = &scene->subs[i].next;
		}
	}
	reply = *next;
	to = ks_json_get_str(reply, "to", NULL);
	if (reply == NULL || (to != NULL && !model_was_told(request, to))) {
		return NULL;
	}
	*next = ks_json_next(reply);
	return reply;
}

void scene_events_fini(struct scene_events *events)
{
	for (size_t i = 0; i < events->count; i++) {
		ks_buf_fini(&events->list[i]);
	}
	free(events->list);
	*events = (struct scene_events){0};
}

static struct ks_buf *event_new(struct scene_events *events)
{
	ks_grow(&events->list, &events->cap, events->count + 1, sizeof(*events->list));
	events->list[events->count] = (struct ks_buf){0};
	return &events->list[events->count++];
}

/* ---- one event: begin, write members, end ---- */

struct event {
	struct ks_buf data;
	struct ks_jw w;
};

static void event_begin(struct event *e, const char *type)
{
	*e = (struct event){0};
	ks_jw_init(&e->w, &e->data);
	ks_jw_open(&e->w, NULL);
	if (type != NULL) {
		ks_jw_str(&e->w, "type", type);
	}
}

static void event_end(struct event *e, struct scene_events *out, const char *type)
{
	struct ks_buf *piece = event_new(out);

	ks_jw_close(&e->w);
	if (type != NULL) {
		ks_buf_addf(piece, "event: %s\n", type);
	}
	ks_buf_addf(piece, "data: %s\n\n", e->data.ptr);
	ks_buf_fini(&e->data);
}

/* ---- what a reply holds ---- */

static void reply_text(struct ks_buf *out, const struct ks_json *reply)
{
	int64_t kib = ks_json_get_int(reply, "text_kib", 0);

	ks_buf_adds(out, ks_json_get_str(reply, "text", reply == NULL ? "Done." : ""));
	for (int64_t i = 0; i < kib * 16; i++) {
		ks_buf_adds(out,
			"All work and no play makes a dull kernel, in 64 bytes of a line.");
	}
}

static int64_t usage_of(const struct ks_json *reply, const char *key, int64_t otherwise)
{
	return ks_json_get_int(ks_json_get(reply, "usage"), key, otherwise);
}

/* Texts come in two halves, so that there is something to put together. */
static void halves(struct ks_str text, struct ks_str out[2])
{
	size_t half = text.len / 2;

	while (half < text.len && ((unsigned char)text.ptr[half] & 0xc0) == 0x80) {
		half++;
	}
	out[0] = (struct ks_str){text.ptr, half};
	out[1] = (struct ks_str){text.ptr + half, text.len - half};
}

/* ---- Anthropic Messages ---- */

static void messages_delta(struct scene_events *out, int64_t index, const char *type,
	const char *member, struct ks_str text)
{
	struct event e;

	event_begin(&e, "content_block_delta");
	ks_jw_int(&e.w, "index", index);
	ks_jw_open(&e.w, "delta");
	ks_jw_str(&e.w, "type", type);
	ks_jw_slice(&e.w, member, text);
	ks_jw_close(&e.w);
	event_end(&e, out, "content_block_delta");
}

static void messages_block(struct scene_events *out, int64_t index, const char *type,
	const char *id, const char *name, struct ks_str text)
{
	const char *delta = name != NULL ? "input_json_delta" : strcmp(type, "text") == 0
		? "text_delta" : "thinking_delta";
	const char *member = name != NULL ? "partial_json" : type;
	struct ks_str half[2];
	struct event e;

	event_begin(&e, "content_block_start");
	ks_jw_int(&e.w, "index", index);
	ks_jw_open(&e.w, "content_block");
	ks_jw_str(&e.w, "type", type);
	if (name != NULL) {
		ks_jw_str(&e.w, "id", id);
		ks_jw_str(&e.w, "name", name);
		ks_jw_open(&e.w, "input");
		ks_jw_close(&e.w);
	} else {
		ks_jw_str(&e.w, type, "");
	}
	ks_jw_close(&e.w);
	event_end(&e, out, "content_block_start");
	halves(text, half);
	messages_delta(out, index, delta, member, half[0]);
	messages_delta(out, index, delta, member, half[1]);
	event_begin(&e, "content_block_stop");
	ks_jw_int(&e.w, "index", index);
	event_end(&e, out, "content_block_stop");
}

static void messages_begin(struct scene_events *out, const struct ks_json *reply,
	const struct ks_json *request, size_t serial)
{
	struct event e;
	char id[40];

	snprintf(id, sizeof(id), "msg_%zu", serial);
	event_begin(&e, "message_start");
	ks_jw_open(&e.w, "message");
	ks_jw_str(&e.w, "id", id);
	ks_jw_str(&e.w, "type", "message");
	ks_jw_str(&e.w, "role", "assistant");
	ks_jw_str(&e.w, "model", ks_json_get_str(request, "model", "m"));
	ks_jw_open_array(&e.w, "content");
	ks_jw_close_array(&e.w);
	ks_jw_null(&e.w, "stop_reason");
	ks_jw_null(&e.w, "stop_sequence");
	ks_jw_open(&e.w, "usage");
	ks_jw_int(&e.w, "input_tokens", usage_of(reply, "input", 100));
	ks_jw_int(&e.w, "cache_creation_input_tokens", 0);
	ks_jw_int(&e.w, "cache_read_input_tokens", usage_of(reply, "cached", 0));
	ks_jw_int(&e.w, "output_tokens", 1);
	ks_jw_close(&e.w);
	ks_jw_close(&e.w);
	event_end(&e, out, "message_start");
	event_begin(&e, "ping");
	event_end(&e, out, "ping");
}

static void messages_end(struct scene_events *out, const struct ks_json *reply, bool calls)
{
	const char *stop = ks_json_get_str(reply, "stop", calls ? "tool_use" : "end_turn");
	struct event e;

	event_begin(&e, "message_delta");
	ks_jw_open(&e.w, "delta");
	ks_jw_str(&e.w, "stop_reason", strcmp(stop, "length") == 0 ? "max_tokens" : stop);
	ks_jw_null(&e.w, "stop_sequence");
	ks_jw_close(&e.w);
	ks_jw_open(&e.w, "usage");
	ks_jw_int(&e.w, "output_tokens", usage_of(reply, "output", 20));
	ks_jw_close(&e.w);
	event_end(&e, out, "message_delta");
	event_begin(&e, "message_stop");
	event_end(&e, out, "message_stop");
}

static void messages(struct scene_events *out, const struct ks_json *reply,
	const struct ks_json *request, size_t serial)
{
	const struct ks_json *call = ks_json_first(ks_json_get(reply, "calls"));
	const char *think = ks_json_get_str(reply, "think", NULL);
	struct ks_buf text = {0};
	int64_t index = 0;
	bool calls = call != NULL;

	messages_begin(out, reply, request, serial);
	if (think != NULL) {
		messages_block(out, index++, "thinking", NULL, NULL, ks_str_of(think));
	}
	reply_text(&text, reply);
	if (text.len > 0) {
		messages_block(out, index++, "text", NULL, NULL, ks_buf_str(&text));
	}
	for (; call != NULL; call = ks_json_next(call)) {
		struct ks_buf args = {0};
		const char *name = model_call(call, request, &args);
		char id[48];

		snprintf(id, sizeof(id), "toolu_%zu_%d", serial, (int)index);
		messages_block(out, index++, "tool_use", id, name, ks_buf_str(&args));
		ks_buf_fini(&args);
	}
	ks_buf_fini(&text);
	messages_end(out, reply, calls);
}

/* ---- chat completions ---- */

static void chat_begin(struct event *e, const struct ks_json *request)
{
	event_begin(e, NULL);
	ks_jw_str(&e->w, "id", "chatcmpl-1");
	ks_jw_str(&e->w, "object", "chat.completion.chunk");
	ks_jw_int(&e->w, "created", 1);
	ks_jw_str(&e->w, "model", ks_json_get_str(request, "model", "m"));
}

static void chat_delta(struct scene_events *out, const struct ks_json *request,
	const char *member, struct ks_str text, const char *finish)
{
	struct event e;

	chat_begin(&e, request);
	ks_jw_open_array(&e.w, "choices");
	ks_jw_open(&e.w, NULL);
	ks_jw_int(&e.w, "index", 0);
	ks_jw_open(&e.w, "delta");
	if (member != NULL) {
		ks_jw_str(&e.w, "role", "assistant");
		ks_jw_slice(&e.w, member, text);
	}
	ks_jw_close(&e.w);
	ks_jw_str(&e.w, "finish_reason", finish);
	ks_jw_close(&e.w);
	ks_jw_close_array(&e.w);
	event_end(&e, out, NULL);
}

static void chat_call(struct scene_events *out, const struct ks_json *request, int64_t index,
	const char *id, const char *name, struct ks_str args)
{
	struct event e;

	chat_begin(&e, request);
	ks_jw_open_array(&e.w, "choices");
	ks_jw_open(&e.w, NULL);
	ks_jw_int(&e.w, "index", 0);
	ks_jw_open(&e.w, "delta");
	ks_jw_open_array(&e.w, "tool_calls");
	ks_jw_open(&e.w, NULL);
	ks_jw_int(&e.w, "index", index);
	if (id != NULL) {
		ks_jw_str(&e.w, "id", id);
		ks_jw_str(&e.w, "type", "function");
	}
	ks_jw_open(&e.w, "function");
	if (id != NULL) {
		ks_jw_str(&e.w, "name", name);
	}
	ks_jw_slice(&e.w, "arguments", args);
	ks_jw_close(&e.w);
	ks_jw_close(&e.w);
	ks_jw_close_array(&e.w);
	ks_jw_close(&e.w);
	ks_jw_null(&e.w, "finish_reason");
	ks_jw_close(&e.w);
	ks_jw_close_array(&e.w);
	event_end(&e, out, NULL);
}

static void chat_usage(struct scene_events *out, const struct ks_json *reply,
	const struct ks_json *request)
{
	int64_t input = usage_of(reply, "input", 100), output = usage_of(reply, "output", 20);
	double cost = ks_json_get_num(ks_json_get(reply, "usage"), "cost", -1);
	struct event e;

	chat_begin(&e, request);
	ks_jw_open_array(&e.w, "choices");
	ks_jw_close_array(&e.w);
	ks_jw_open(&e.w, "usage");
	ks_jw_int(&e.w, "prompt_tokens", input);
	ks_jw_int(&e.w, "completion_tokens", output);
	ks_jw_int(&e.w, "total_tokens", input + output);
	ks_jw_open(&e.w, "prompt_tokens_details");
	ks_jw_int(&e.w, "cached_tokens", usage_of(reply, "cached", 0));
	ks_jw_close(&e.w);
	if (cost >= 0) {
		ks_jw_num(&e.w, "cost", cost);
	}
	ks_jw_close(&e.w);
	event_end(&e, out, NULL);
	ks_buf_adds(event_new(out), "data: [DONE]\n\n");
}

static void chat_prose(struct scene_events *out, const struct ks_json *request,
	const char *member, struct ks_str text)
{
	struct ks_str half[2];

	halves(text, half);
	chat_delta(out, request, member, half[0], NULL);
	chat_delta(out, request, member, half[1], NULL);
}

static void chat(struct scene_events *out, const struct ks_json *reply,
	const struct ks_json *request, size_t serial)
{
	const struct ks_json *call = ks_json_first(ks_json_get(reply, "calls"));
	const char *think = ks_json_get_str(reply, "think", NULL);
	bool calls = call != NULL;
	struct ks_buf text = {0};
	int64_t index = 0;

	if (think != NULL) {
		chat_prose(out, request, "reasoning_content", ks_str_of(think));
	}
	reply_text(&text, reply);
	if (text.len > 0) {
		chat_prose(out, request, "content", ks_buf_str(&text));
	}
	for (; call != NULL; call = ks_json_next(call), index++) {
		struct ks_buf args = {0};
		const char *name = model_call(call, request, &args);
		struct ks_str half[2];
		char id[48];

		snprintf(id, sizeof(id), "call_%zu_%d", serial, (int)index);
		halves(ks_buf_str(&args), half);
		chat_call(out, request, index, id, name, KS_STR(""));
		chat_call(out, request, index, NULL, NULL, half[0]);
		chat_call(out, request, index, NULL, NULL, half[1]);
		ks_buf_fini(&args);
	}
	ks_buf_fini(&text);
	chat_delta(out, request, NULL, KS_STR(""),
		ks_json_get_str(reply, "stop", calls ? "tool_calls" : "stop"));
	chat_usage(out, reply, request);
}

/* ---- Responses ---- */

static void responses_item(struct ks_jw *w, const char *id, const char *name,
	struct ks_str text, bool whole)
{
	ks_jw_open(w, "item");
	ks_jw_str(w, "id", id);
	ks_jw_str(w, "status", whole ? "completed" : "in_progress");
	if (name != NULL) {
		ks_jw_str(w, "type", "function_call");
		ks_jw_str(w, "call_id", id);
		ks_jw_str(w, "name", name);
		ks_jw_slice(w, "arguments", whole ? text : KS_STR(""));
	} else {
		ks_jw_str(w, "type", "message");
		ks_jw_str(w, "role", "assistant");
		ks_jw_open_array(w, "content");
		if (whole) {
			ks_jw_open(w, NULL);
			ks_jw_str(w, "type", "output_text");
			ks_jw_slice(w, "text", text);
			ks_jw_open_array(w, "annotations");
			ks_jw_close_array(w);
			ks_jw_close(w);
		}
		ks_jw_close_array(w);
	}
	ks_jw_close(w);
}

static void responses_delta(struct scene_events *out, const char *id, int64_t index,
	struct ks_str text)
{
	struct event e;

	event_begin(&e, "response.output_text.delta");
	ks_jw_str(&e.w, "item_id", id);
	ks_jw_int(&e.w, "output_index", index);
	ks_jw_int(&e.w, "content_index", 0);
	ks_jw_slice(&e.w, "delta", text);
	event_end(&e, out, "response.output_text.delta");
}

static void responses_output(struct scene_events *out, int64_t index, const char *id,
	const char *name, struct ks_str text)
{
	struct ks_str half[2];
	struct event e;

	event_begin(&e, "response.output_item.added");
	ks_jw_int(&e.w, "output_index", index);
	responses_item(&e.w, id, name, text, false);
	event_end(&e, out, "response.output_item.added");
	if (name == NULL) {
		halves(text, half);
		responses_delta(out, id, index, half[0]);
		responses_delta(out, id, index, half[1]);
	}
	event_begin(&e, "response.output_item.done");
	ks_jw_int(&e.w, "output_index", index);
	responses_item(&e.w, id, name, text, true);
	event_end(&e, out, "response.output_item.done");
}

static void responses_state(struct scene_events *out, const char *type,
	const struct ks_json *reply, size_t serial, bool whole)
{
	int64_t input = usage_of(reply, "input", 100), output = usage_of(reply, "output", 20);
	struct event e;
	char id[40];

	snprintf(id, sizeof(id), "resp_%zu", serial);
	event_begin(&e, type);
	ks_jw_open(&e.w, "response");
	ks_jw_str(&e.w, "id", id);
	ks_jw_str(&e.w, "object", "response");
	ks_jw_str(&e.w, "status", whole ? "completed" : "in_progress");
	ks_jw_open_array(&e.w, "output");
	ks_jw_close_array(&e.w);
	if (whole) {
		ks_jw_open(&e.w, "usage");
		ks_jw_int(&e.w, "input_tokens", input);
		ks_jw_open(&e.w, "input_tokens_details");
		ks_jw_int(&e.w, "cached_tokens", usage_of(reply, "cached", 0));
		ks_jw_close(&e.w);
		ks_jw_int(&e.w, "output_tokens", output);
		ks_jw_open(&e.w, "output_tokens_details");
		ks_jw_int(&e.w, "reasoning_tokens", 0);
		ks_jw_close(&e.w);
		ks_jw_int(&e.w, "total_tokens", input + output);
		ks_jw_close(&e.w);
	}
	ks_jw_close(&e.w);
	event_end(&e, out, type);
}

static void responses(struct scene_events *out, const struct ks_json *reply,
	const struct ks_json *request, size_t serial)
{
	const struct ks_json *call = ks_json_first(ks_json_get(reply, "calls"));
	struct ks_buf text = {0};
	int64_t index = 0;
	char id[48];

	responses_state(out, "response.created", reply, serial, false);
	reply_text(&text, reply);
	if (text.len > 0) {
		snprintf(id, sizeof(id), "msg_%zu", serial);
		responses_output(out, index++, id, NULL, ks_buf_str(&text));
	}
	for (; call != NULL; call = ks_json_next(call)) {
		struct ks_buf args = {0};
		const char *name = model_call(call, request, &args);

		snprintf(id, sizeof(id), "call_%zu_%d", serial, (int)index);
		responses_output(out, index++, id, name, ks_buf_str(&args));
		ks_buf_fini(&args);
	}
	ks_buf_fini(&text);
	responses_state(out, "response.completed", reply, serial, true);
}

/* ---- Gemini ---- */

static void gemini_begin(struct event *e)
{
	event_begin(e, NULL);
	ks_jw_open_array(&e->w, "candidates");
	ks_jw_open(&e->w, NULL);
	ks_jw_int(&e->w, "index", 0);
	ks_jw_open(&e->w, "content");
	ks_jw_str(&e->w, "role", "model");
	ks_jw_open_array(&e->w, "parts");
	ks_jw_open(&e->w, NULL);
}

/* Closes the part; the last event says why it ends, and what it used. */
static void gemini_end(struct event *e, struct scene_events *out, const struct ks_json *reply,
	bool last)
{
	int64_t input = usage_of(reply, "input", 100), output = usage_of(reply, "output", 20);

	ks_jw_close(&e->w);
	ks_jw_close_array(&e->w);
	ks_jw_close(&e->w);
	if (last) {
		ks_jw_str(&e->w, "finishReason", strcmp(ks_json_get_str(reply, "stop", ""),
			"length") == 0 ? "MAX_TOKENS" : "STOP");
	}
	ks_jw_close(&e->w);
	ks_jw_close_array(&e->w);
	ks_jw_open(&e->w, "usageMetadata");
	ks_jw_int(&e->w, "promptTokenCount", input);
	ks_jw_int(&e->w, "candidatesTokenCount", output);
	ks_jw_int(&e->w, "totalTokenCount", input + output);
	ks_jw_close(&e->w);
	event_end(e, out, NULL);
}

static void gemini(struct scene_events *out, const struct ks_json *reply,
	const struct ks_json *request)
{
	const struct ks_json *call = ks_json_first(ks_json_get(reply, "calls"));
	struct ks_buf text = {0};
	struct event e;

	reply_text(&text, reply);
	gemini_begin(&e);
	ks_jw_slice(&e.w, "text", ks_buf_str(&text));
	gemini_end(&e, out, reply, call == NULL);
	for (; call != NULL; call = ks_json_next(call)) {
		struct ks_buf args = {0};
		const char *name = model_call(call, request, &args);

		gemini_begin(&e);
		ks_jw_open(&e.w, "functionCall");
		ks_jw_str(&e.w, "name", name);
		ks_jw_raw(&e.w, "args", ks_buf_str(&args));
		ks_jw_close(&e.w);
		gemini_end(&e, out, reply, ks_json_next(call) == NULL);
		ks_buf_fini(&args);
	}
	ks_buf_fini(&text);
}

/* ---- all ---- */

/* The stream ends early, or with an error in its middle. */
static void spoil(struct scene_events *out, enum scene_api api, const struct ks_json *reply)
{
	const struct ks_json *error = ks_json_get(reply, "error");
	int64_t keep = ks_json_get_int(reply, "cut", error != NULL ? 3 : -1);
	struct event e;

	while (keep >= 0 && out->count > (size_t)keep) {
		ks_buf_fini(&out->list[--out->count]);
	}
	if (error == NULL) {
		return;
	}
	event_begin(&e, api == SCENE_CHAT ? NULL : "error");
	ks_jw_node(&e.w, "error", error);
	event_end(&e, out, api == SCENE_CHAT ? NULL : "error");
}

void scene_stream(struct scene_events *out, enum scene_api api, const struct ks_json *reply,
	const struct ks_json *request, size_t serial)
{
	if (api == SCENE_MESSAGES) {
		messages(out, reply, request, serial);
	} else if (api == SCENE_CHAT) {
		chat(out, reply, request, serial);
	} else if (api == SCENE_GEMINI) {
		gemini(out, reply, request);
	} else {
		responses(out, reply, request, serial);
	}
	spoil(out, api, reply);
}

void scene_answer(struct ks_buf *out, enum scene_api api, const char *text)
{
	if (api == SCENE_MESSAGES) {
		ks_buf_addf(out, "{\"id\":\"msg_0\",\"type\":\"message\",\"role\":\"assistant\","
			"\"model\":\"m\",\"content\":[{\"type\":\"text\",\"text\":\"%s\"}],"
			"\"stop_reason\":\"end_turn\",\"stop_sequence\":null,"
			"\"usage\":{\"input_tokens\":5,\"output_tokens\":2}}", text);
	} else if (api == SCENE_GEMINI) {
		ks_buf_addf(out, "{\"candidates\":[{\"index\":0,\"content\":{\"role\":\"model\","
			"\"parts\":[{\"text\":\"%s\"}]},\"finishReason\":\"STOP\"}]}", text);
	} else {
		ks_buf_addf(out,
			"{\"id\":\"chatcmpl-0\",\"object\":\"chat.completion\",\"created\":1,"
			"\"model\":\"m\",\"choices\":[{\"index\":0,"
			"\"message\":{\"role\":\"assistant\",\"content\":\"%s\"},"
			"\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":5,"
			"\"completion_tokens\":2,\"total_tokens\":7}}", text);
	}
}
