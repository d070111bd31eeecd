#ifndef KSEEK_WIRE_MODEL_INTERNAL_H
#define KSEEK_WIRE_MODEL_INTERNAL_H
/* What the codecs of model streams share. */
#include "wire/model.h"

/* A new block at the end. KS_ELIMIT. */
int ks_model_block_new(struct ks_model_reply *reply, enum ks_model_part what, int64_t index,
	struct ks_model_block **out, struct ks_err *err);
/* The newest block with that number, or NULL. */
struct ks_model_block *ks_model_block_at(struct ks_model_reply *reply, int64_t index);
/* Appends to a block's text or proof. KS_ELIMIT. */
int ks_model_grow(struct ks_model_reply *reply, struct ks_buf *to, const char *text,
	struct ks_err *err);
void ks_model_stopped(struct ks_model_reply *reply, enum ks_model_stop stop, const char *word);
/* The server reported an error: sets reply->fault, returns KS_EPROTO. */
int ks_model_reported(struct ks_model_reply *reply, const struct ks_json *error,
	struct ks_err *err);
/* The larger of both where both are told; an unknown one takes the other. */
void ks_model_count(int64_t *to, const struct ks_json *usage, const char *key);

/* One event of a stream, parsed. */
int ks_model_anthropic(struct ks_model_stream *stream, const struct ks_json *doc,
	struct ks_err *err);
int ks_model_openai(struct ks_model_stream *stream, const struct ks_json *doc,
	struct ks_err *err);

#endif
