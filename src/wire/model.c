/*
 * Replies of models: what both kinds of stream share.
 */
#include "wire/model.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "wire/model_internal.h"

void ks_model_begin(struct ks_model_stream *stream, enum ks_model_api api)
{
	*stream = (struct ks_model_stream){.api = api};
	stream->reply.usage = (struct ks_model_usage){-1, -1, -1, -1, -1};
}

void ks_model_fini(struct ks_model_stream *stream)
{
	struct ks_model_reply *reply;

	if (stream == NULL) {
		return;
	}
	reply = &stream->reply;
	for (size_t i = 0; i < reply->count; i++) {
		ks_buf_fini(&reply->blocks[i].text);
		ks_buf_fini(&reply->blocks[i].proof);
		free(reply->blocks[i].id);
		free(reply->blocks[i].name);
	}
	free(reply->blocks);
	ks_sse_fini(&stream->sse);
	*stream = (struct ks_model_stream){0};
}

int ks_model_block_new(struct ks_model_reply *reply, enum ks_model_part what, int64_t index,
	struct ks_model_block **out, struct ks_err *err)
{
	if (reply->count >= KS_MODEL_BLOCKS_MAX) {
		return ks_err_set(err, KS_ELIMIT, "the model's reply has more than %u parts",
			KS_MODEL_BLOCKS_MAX);
	}
	ks_grow(&reply->blocks, &reply->cap, reply->count + 1, sizeof(*reply->blocks));
	*out = &reply->blocks[reply->count++];
	**out = (struct ks_model_block){.what = what, .index = index};
	return 0;
}

struct ks_model_block *ks_model_block_at(struct ks_model_reply *reply, int64_t index)
{
	for (size_t i = reply->count; i > 0; i--) {
		if (reply->blocks[i - 1].index == index) {
			return &reply->blocks[i - 1];
		}
	}
	return NULL;
}

int ks_model_grow(struct ks_model_reply *reply, struct ks_buf *to, const char *text,
	struct ks_err *err)
{
	size_t len = text != NULL ? strlen(text) : 0;

	if (reply->bytes + len > KS_MODEL_REPLY_MAX) {
		return ks_err_set(err, KS_ELIMIT, "the model's reply passes %u bytes",
			KS_MODEL_REPLY_MAX);
	}
	reply->bytes += len;
	ks_buf_add(to, text != NULL ? text : "", len);
	return 0;
}

void ks_model_stopped(struct ks_model_reply *reply, enum ks_model_stop stop, const char *word)
{
	size_t len = ks_utf8_cut(word, strlen(word), sizeof(reply->stop_word) - 1);

	reply->stop = stop;
	memcpy(reply->stop_word, word, len);
	reply->stop_word[len] = '\0';
}

void ks_model_count(int64_t *to, const struct ks_json *usage, const char *key)
{
	int64_t n = ks_json_get_int(usage, key, -1);

	if (n > *to) {
		*to = n;
	}
}

int ks_model_reported(struct ks_model_reply *reply, const struct ks_json *error,
	struct ks_err *err)
{
	struct ks_buf text = {0};

	reply->fault = ks_model_error(error, 0, &text);
	ks_err_set(err, KS_EPROTO, "the model's server reported an error: %.*s",
		KS_FMT(ks_buf_str(&text)));
	ks_buf_fini(&text);
	return KS_EPROTO;
}

static int take_event(struct ks_model_stream *stream, struct ks_str data, struct ks_err *err)
{
	struct ks_err why = KS_ERR_INIT;
	struct ks_json *doc;
	int rc;

	if (stream->done) {
		return 0;
	}
	if (stream->api == KS_MODEL_OPENAI && ks_str_is(ks_str_trim(data), "[DONE]")) {
		stream->done = true;
		return 0;
	}
	if (ks_json_parse(&doc, data.ptr, data.len, &why) < 0) {
		return ks_err_set(err, KS_EPROTO, "the model's stream is not JSON: %s", why.msg);
	}
	rc = stream->api == KS_MODEL_OPENAI ? ks_model_openai(stream, doc, err)
					     : ks_model_anthropic(stream, doc, err);
	ks_json_free(doc);
	return rc;
}

int ks_model_add(struct ks_model_stream *stream, struct ks_str bytes, struct ks_err *err)
{
	struct ks_str name, data;
	int rc;

	ks_sse_add(&stream->sse, bytes);
	while ((rc = ks_sse_next(&stream->sse, &name, &data, err)) == 1) {
		rc = take_event(stream, data, err);
		if (rc < 0) {
			return rc;
		}
	}
	return rc;
}

int ks_model_end(struct ks_model_stream *stream, struct ks_err *err)
{
	struct ks_str name, data;

	if (ks_sse_end(&stream->sse, &name, &data) == 1) {
		int rc = take_event(stream, data, err);

		if (rc < 0) {
			return rc;
		}
	}
	if (!stream->done && stream->api == KS_MODEL_OPENAI &&
		stream->reply.stop != KS_MODEL_RUNNING) {
		stream->done = true;
	}
	if (!stream->done) {
		return ks_err_set(err, KS_EPROTO, "the model's stream ended in the middle");
	}
	return 0;
}

bool ks_model_call_whole(const struct ks_model_block *block)
{
	struct ks_str args = ks_str_trim(ks_buf_str(&block->text));
	struct ks_json *doc;
	bool whole;

	if (block->what != KS_MODEL_CALL) {
		return false;
	}
	if (args.len == 0) {
		return true;
	}
	if (ks_json_parse(&doc, args.ptr, args.len, NULL) < 0) {
		return false;
	}
	whole = ks_json_type(doc) == KS_JSON_OBJECT;
	ks_json_free(doc);
	return whole;
}

/* ---- what an error means ---- */

static bool has_any(struct ks_str text, const char *const *words)
{
	for (; *words != NULL; words++) {
		size_t len = strlen(*words);

		for (size_t i = 0; i + len <= text.len; i++) {
			if (strncasecmp(text.ptr + i, *words, len) == 0) {
				return true;
			}
		}
	}
	return false;
}

static bool says_too_long(struct ks_str text)
{
	static const char *const words[] = {
		"prompt is too long", "context_length_exceeded", "maximum context length",
		"context length", "context window", "context size", "exceed_context_size",
		"input is too long", "too many tokens", "request_too_large",
		"reduce the length", NULL
	};

	return has_any(text, words);
}

static bool says_final(struct ks_str text)
{
	static const char *const words[] = {
		"invalid_request", "authentication", "permission", "not_found", "unauthorized",
		"insufficient_quota", "billing", "invalid_api_key", "model_not_found",
		"bad_request", NULL
	};

	return has_any(text, words);
}

static bool status_retries(int status)
{
	return status == 0 || status == 408 || status == 409 || status == 425 ||
		status == 429 || status >= 500;
}

static void add_text(struct ks_buf *out, struct ks_str text)
{
	text = ks_str_trim(text);
	text.len = ks_utf8_cut(text.ptr, text.len, KS_MODEL_ERROR_MAX);
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		ks_buf_addc(out, c == '\n' || c == '\r' || c == '\t' || c == '\0' ? ' ' : c);
	}
}

enum ks_model_fault ks_model_error(const struct ks_json *error, int status,
	struct ks_buf *out_text)
{
	const char *message = ks_json_get_str(error, "message", ks_json_str(error, ""));
	const char *type = ks_json_get_str(error, "type", "");
	const struct ks_json *code = ks_json_get(error, "code");
	struct ks_buf all = {0};
	enum ks_model_fault fault;

	if (status == 0 && ks_json_is_int(code)) {
		status = (int)ks_json_int(code, 0);
	}
	ks_buf_addf(&all, "%s %s %s", type, ks_json_str(code, ""), message);
	if ((status == 0 || status == 400 || status == 413 || status == 422 || status >= 500) &&
		says_too_long(ks_buf_str(&all))) {
		fault = KS_MODEL_TOO_LONG;
	} else if (status == 0) {
		fault = says_final(ks_buf_str(&all)) ? KS_MODEL_GIVE_UP : KS_MODEL_RETRY;
	} else if (status == 429 && has_any(ks_buf_str(&all),
			(const char *const[]){"insufficient_quota", "billing", NULL})) {
		fault = KS_MODEL_GIVE_UP;
	} else {
		fault = status_retries(status) ? KS_MODEL_RETRY : KS_MODEL_GIVE_UP;
	}
	add_text(out_text, ks_str_of(*message != '\0' ? message : type));
	ks_buf_fini(&all);
	return fault;
}

enum ks_model_fault ks_model_fault(int status, struct ks_str body, struct ks_buf *out_text)
{
	enum ks_model_fault fault = status_retries(status) ? KS_MODEL_RETRY : KS_MODEL_GIVE_UP;
	size_t before = out_text->len;
	struct ks_json *doc = NULL;

	if (ks_json_parse(&doc, body.ptr, body.len, NULL) == 0) {
		const struct ks_json *top = ks_json_type(doc) == KS_JSON_ARRAY
			? ks_json_first(doc) : doc;
		const struct ks_json *error = ks_json_get(top, "error");

		if (error == NULL) {
			error = ks_json_get(top, "detail");
		}
		fault = ks_model_error(error != NULL ? error : top, status, out_text);
		ks_json_free(doc);
	} else if (says_too_long(body) && (status == 400 || status == 413 || status >= 500)) {
		fault = KS_MODEL_TOO_LONG;
	}
	if (out_text->len == before) {
		add_text(out_text, body);
	}
	return fault;
}
