#ifndef KSEEK_WIRE_MODEL_H
#define KSEEK_WIRE_MODEL_H
/*
 * One reply of a language model out of its stream: Anthropic Messages
 * (message_start … message_stop) and OpenAI-compatible chat completions
 * (chat.completion.chunk … [DONE]). Text, reasoning and tool calls become
 * blocks in the order in which they began; a block only ever grows, so that
 * whoever shows them remembers a place and goes on from there.
 *
 * Pure. Foreign bytes: every size is bounded, every shape may be wrong.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "wire/sse.h"

enum ks_model_api { KS_MODEL_ANTHROPIC, KS_MODEL_OPENAI };

enum ks_model_part {
	KS_MODEL_TEXT, KS_MODEL_THOUGHT, KS_MODEL_CALL,
	KS_MODEL_HIDDEN /* encrypted reasoning, only ever sent back */
};

struct ks_model_block {
	enum ks_model_part what;
	int64_t index;        /* the server's number of it */
	struct ks_buf text;   /* a call: its arguments, JSON if all is well */
	struct ks_buf proof;  /* a thought: the server's signature */
	char *id, *name;      /* a call; NULL: the server gave none */
};

enum ks_model_stop {
	KS_MODEL_RUNNING = 0, KS_MODEL_ENDED, KS_MODEL_WANTS_TOOLS,
	KS_MODEL_LENGTH,      /* the reply hit its limit of tokens */
	KS_MODEL_REFUSED, KS_MODEL_OTHER
};

struct ks_model_usage {       /* tokens of one request; -1: not told */
	int64_t input;        /* without what came from or went to the cache */
	int64_t cache_read, cache_write, output;
	double cost;          /* USD as the server says; < 0: not told */
};

/* What a failed request means for the next one. */
enum ks_model_fault {
	KS_MODEL_FINE = 0,
	KS_MODEL_RETRY,       /* overloaded, rate limited, broken: try again */
	KS_MODEL_TOO_LONG,    /* the conversation passes the model's context */
	KS_MODEL_GIVE_UP      /* asking again gives the same */
};

#define KS_MODEL_BLOCKS_MAX 256u
#define KS_MODEL_REPLY_MAX (16u * 1024 * 1024)
#define KS_MODEL_ERROR_MAX 600u /* bytes of an error's text */

struct ks_model_reply {
	struct ks_model_block *blocks;
	size_t count, cap;
	size_t bytes;              /* of all blocks */
	enum ks_model_stop stop;
	char stop_word[32];        /* verbatim */
	struct ks_model_usage usage;
	enum ks_model_fault fault; /* an error that came in the stream */
};

struct ks_model_stream {
	enum ks_model_api api;
	struct ks_sse sse;
	struct ks_model_reply reply;
	bool done;                 /* the final event was seen */
};

void ks_model_begin(struct ks_model_stream *stream, enum ks_model_api api);
void ks_model_fini(struct ks_model_stream *stream);
/* Takes bytes of the body. KS_EPROTO: no such stream, or the server reported
 * an error in it (reply.fault says what it means); KS_ELIMIT. */
int ks_model_add(struct ks_model_stream *stream, struct ks_str bytes, struct ks_err *err);
/* The body has ended. KS_EPROTO when the final event is missing: what came is
 * no reply. Chat completions count as whole once their finish_reason came. */
int ks_model_end(struct ks_model_stream *stream, struct ks_err *err);

/* Whether a block is a call whose arguments are a JSON object ("" is {}). */
bool ks_model_call_whole(const struct ks_model_block *block);

/* An answer that is no stream: its status (0: none came) and body. Appends one
 * line of text, at most KS_MODEL_ERROR_MAX bytes, not yet sanitised. */
enum ks_model_fault ks_model_fault(int status, struct ks_str body, struct ks_buf *out_text);
/* The same for an "error" member of a stream or body. */
enum ks_model_fault ks_model_error(const struct ks_json *error, int status,
	struct ks_buf *out_text);

#endif
