/*
 * Anthropic Messages: events by their "type" member; blocks by "index".
 */
#include <string.h>

#include "base/mem.h"
#include "wire/model_internal.h"

static void take_usage(struct ks_model_usage *to, const struct ks_json *usage)
{
	ks_model_count(&to->input, usage, "input_tokens");
	ks_model_count(&to->cache_read, usage, "cache_read_input_tokens");
	ks_model_count(&to->cache_write, usage, "cache_creation_input_tokens");
	ks_model_count(&to->output, usage, "output_tokens");
}

static int block_start(struct ks_model_reply *reply, const struct ks_json *doc,
	struct ks_err *err)
{
	const struct ks_json *from = ks_json_get(doc, "content_block");
	const struct ks_json *input = ks_json_get(from, "input");
	const char *type = ks_json_get_str(from, "type", "");
	enum ks_model_part what = KS_MODEL_TEXT;
	const char *text = ks_json_get_str(from, "text", "");
	struct ks_model_block *block;
	int rc;

	if (strcmp(type, "tool_use") == 0) {
		what = KS_MODEL_CALL;
		text = "";
	} else if (strcmp(type, "thinking") == 0) {
		what = KS_MODEL_THOUGHT;
		text = ks_json_get_str(from, "thinking", "");
	} else if (strcmp(type, "redacted_thinking") == 0) {
		what = KS_MODEL_HIDDEN;
		text = ks_json_get_str(from, "data", "");
	}
	rc = ks_model_block_new(reply, what, ks_json_get_int(doc, "index", -1), &block, err);
	if (rc < 0) {
		return rc;
	}
	block->id = ks_strdup(ks_json_get_str(from, "id", NULL));
	block->name = ks_strdup(ks_json_get_str(from, "name", NULL));
	/* Some servers give a call's whole input here. */
	if (what == KS_MODEL_CALL && ks_json_count(input) > 0) {
		struct ks_buf whole = {0};

		ks_json_print(input, &whole);
		rc = ks_model_grow(reply, &block->text, ks_buf_str(&whole).ptr, err);
		ks_buf_fini(&whole);
		return rc;
	}
	return ks_model_grow(reply, &block->text, text, err);
}

static int block_delta(struct ks_model_reply *reply, const struct ks_json *doc,
	struct ks_err *err)
{
	const struct ks_json *delta = ks_json_get(doc, "delta");
	const char *type = ks_json_get_str(delta, "type", "");
	struct ks_model_block *block = ks_model_block_at(reply,
		ks_json_get_int(doc, "index", -1));
	const struct {
		const char *type, *member;
	} known[] = {
		{"text_delta", "text"}, {"input_json_delta", "partial_json"},
		{"thinking_delta", "thinking"},
	};

	if (block == NULL) {
		return ks_err_set(err, KS_EPROTO, "the model's stream adds to a part that it "
			"did not begin");
	}
	if (strcmp(type, "signature_delta") == 0) {
		return ks_model_grow(reply, &block->proof,
			ks_json_get_str(delta, "signature", ""), err);
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(type, known[i].type) == 0) {
			return ks_model_grow(reply, &block->text,
				ks_json_get_str(delta, known[i].member, ""), err);
		}
	}
	return 0;
}

static void take_stop(struct ks_model_reply *reply, const char *word)
{
	const struct {
		const char *word;
		enum ks_model_stop stop;
	} known[] = {
		{"end_turn", KS_MODEL_ENDED}, {"stop_sequence", KS_MODEL_ENDED},
		{"tool_use", KS_MODEL_WANTS_TOOLS}, {"max_tokens", KS_MODEL_LENGTH},
		{"model_context_window_exceeded", KS_MODEL_LENGTH},
		{"refusal", KS_MODEL_REFUSED},
	};
	enum ks_model_stop stop = KS_MODEL_OTHER;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(word, known[i].word) == 0) {
			stop = known[i].stop;
		}
	}
	ks_model_stopped(reply, stop, word);
}

int ks_model_anthropic(struct ks_model_stream *stream, const struct ks_json *doc,
	struct ks_err *err)
{
	struct ks_model_reply *reply = &stream->reply;
	const char *type = ks_json_get_str(doc, "type", "");
	const char *stop;

	if (strcmp(type, "content_block_delta") == 0) {
		return block_delta(reply, doc, err);
	}
	if (strcmp(type, "content_block_start") == 0) {
		return block_start(reply, doc, err);
	}
	if (strcmp(type, "error") == 0) {
		return ks_model_reported(reply, ks_json_get(doc, "error"), err);
	}
	if (strcmp(type, "message_start") == 0) {
		take_usage(&reply->usage, ks_json_get(ks_json_get(doc, "message"), "usage"));
	} else if (strcmp(type, "message_delta") == 0) {
		take_usage(&reply->usage, ks_json_get(doc, "usage"));
		stop = ks_json_get_str(ks_json_get(doc, "delta"), "stop_reason", NULL);
		if (stop != NULL) {
			take_stop(reply, stop);
		}
	} else if (strcmp(type, "message_stop") == 0) {
		stream->done = true;
	}
	return 0; /* ping, content_block_stop, and what is not known */
}
