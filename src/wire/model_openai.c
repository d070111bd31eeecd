/*
 * OpenAI-compatible chat completions: deltas of choice 0. Text, reasoning and
 * each call get a number of ours, since only calls have one of the server's.
 */
#include <string.h>

#include "base/mem.h"
#include "wire/model_internal.h"

#define CALL_BASE 1 /* number of call 0; text and reasoning have none */
#define CALL_MAX 1000

static int add_prose(struct ks_model_reply *reply, enum ks_model_part what, const char *text,
	struct ks_err *err)
{
	struct ks_model_block *last = reply->count > 0 ? &reply->blocks[reply->count - 1] : NULL;

	if (text == NULL || *text == '\0') {
		return 0;
	}
	if (last == NULL || last->what != what) {
		int rc = ks_model_block_new(reply, what, -1, &last, err);

		if (rc < 0) {
			return rc;
		}
	}
	return ks_model_grow(reply, &last->text, text, err);
}

/* The call that a fragment belongs to. Servers that send whole calls may leave
 * the index out: there a new id is a new call. */
static int find_call(struct ks_model_reply *reply, const struct ks_json *from,
	struct ks_model_block **out, struct ks_err *err)
{
	int64_t index = ks_json_get_int(from, "index", -1);
	const char *id = ks_json_get_str(from, "id", NULL);
	struct ks_model_block *last = NULL;
	int64_t calls = 0;

	for (size_t i = 0; i < reply->count; i++) {
		if (reply->blocks[i].what == KS_MODEL_CALL) {
			last = &reply->blocks[i];
			calls++;
		}
	}
	if (index >= CALL_MAX) {
		return ks_err_set(err, KS_EPROTO, "the model's stream numbers a call %lld",
			(long long)index);
	}
	if (index >= 0) {
		*out = ks_model_block_at(reply, CALL_BASE + index);
	} else if (id == NULL || *id == '\0') {
		*out = last;
	} else {
		*out = last != NULL && last->id != NULL && strcmp(last->id, id) == 0 ? last : NULL;
		index = calls;
	}
	if (*out != NULL) {
		return 0;
	}
	return ks_model_block_new(reply, KS_MODEL_CALL, CALL_BASE + (index >= 0 ? index : calls),
		out, err);
}

static int take_call(struct ks_model_reply *reply, const struct ks_json *from,
	struct ks_err *err)
{
	const struct ks_json *function = ks_json_get(from, "function");
	const struct ks_json *args = ks_json_get(function, "arguments");
	const char *id = ks_json_get_str(from, "id", ""), *name;
	struct ks_model_block *block;
	int rc = find_call(reply, from, &block, err);

	if (rc < 0) {
		return rc;
	}
	name = ks_json_get_str(function, "name", "");
	if (block->id == NULL && *id != '\0') {
		block->id = ks_strdup(id);
	}
	if (block->name == NULL && *name != '\0') {
		block->name = ks_strdup(name);
	}
	if (ks_json_type(args) == KS_JSON_OBJECT) {
		struct ks_buf whole = {0};

		ks_json_print(args, &whole);
		rc = ks_model_grow(reply, &block->text, ks_buf_str(&whole).ptr, err);
		ks_buf_fini(&whole);
		return rc;
	}
	return ks_model_grow(reply, &block->text, ks_json_str(args, ""), err);
}

static int take_delta(struct ks_model_reply *reply, const struct ks_json *delta,
	struct ks_err *err)
{
	const char *thought = ks_json_get_str(delta, "reasoning_content",
		ks_json_get_str(delta, "reasoning", NULL));
	const struct ks_json *call = ks_json_first(ks_json_get(delta, "tool_calls"));
	int rc = add_prose(reply, KS_MODEL_THOUGHT, thought, err);

	if (rc == 0) {
		rc = add_prose(reply, KS_MODEL_TEXT, ks_json_get_str(delta, "content", NULL), err);
	}
	if (rc == 0) {
		rc = add_prose(reply, KS_MODEL_TEXT, ks_json_get_str(delta, "refusal", NULL), err);
	}
	for (; call != NULL && rc == 0; call = ks_json_next(call)) {
		rc = take_call(reply, call, err);
	}
	return rc;
}

static void take_stop(struct ks_model_reply *reply, const char *word)
{
	const struct {
		const char *word;
		enum ks_model_stop stop;
	} known[] = {
		{"stop", KS_MODEL_ENDED}, {"tool_calls", KS_MODEL_WANTS_TOOLS},
		{"function_call", KS_MODEL_WANTS_TOOLS}, {"length", KS_MODEL_LENGTH},
		{"content_filter", KS_MODEL_REFUSED},
	};
	enum ks_model_stop stop = KS_MODEL_OTHER;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(word, known[i].word) == 0) {
			stop = known[i].stop;
		}
	}
	ks_model_stopped(reply, stop, word);
}

/* Tokens from the cache are part of prompt_tokens here. */
static void take_usage(struct ks_model_usage *to, const struct ks_json *usage)
{
	int64_t all = -1, cached = -1;

	ks_model_count(&all, usage, "prompt_tokens");
	ks_model_count(&cached, ks_json_get(usage, "prompt_tokens_details"), "cached_tokens");
	ks_model_count(&to->output, usage, "completion_tokens");
	to->cost = ks_json_get_num(usage, "cost", to->cost);
	if (all >= 0) {
		to->cache_read = cached;
		to->input = cached > 0 && cached <= all ? all - cached : all;
	}
}

int ks_model_openai(struct ks_model_stream *stream, const struct ks_json *doc,
	struct ks_err *err)
{
	struct ks_model_reply *reply = &stream->reply;
	const struct ks_json *error = ks_json_get(doc, "error");
	const struct ks_json *choice = ks_json_first(ks_json_get(doc, "choices"));
	const char *stop;
	int rc;

	if (ks_json_type(error) != KS_JSON_NULL) {
		return ks_model_reported(reply, error, err);
	}
	take_usage(&reply->usage, ks_json_get(doc, "usage"));
	if (choice == NULL || ks_json_get_int(choice, "index", 0) != 0) {
		return 0;
	}
	rc = take_delta(reply, ks_json_get(choice, "delta"), err);
	stop = ks_json_get_str(choice, "finish_reason", NULL);
	if (rc == 0 && stop != NULL && *stop != '\0') {
		take_stop(reply, stop);
	}
	return rc;
}
