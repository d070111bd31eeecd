#ifndef KSEEK_WIRE_CHAT_H
#define KSEEK_WIRE_CHAT_H
/*
 * A conversation with a language model, and the requests that carry it.
 * Invariants: the first message is the user's; each call of a reply is answered
 * by exactly one result in the message behind it (ks_chat_answer_all sees to
 * it), since servers refuse a conversation where one is missing.
 *
 * Pure. Texts are kept as they are and written as valid JSON.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"
#include "wire/model.h"

enum ks_chat_part {
	KS_CHAT_TEXT, KS_CHAT_THOUGHT, KS_CHAT_HIDDEN, KS_CHAT_CALL, KS_CHAT_RESULT
};

struct ks_chat_piece {
	enum ks_chat_part what;
	char *text;   /* text, thought, arguments (a JSON object), output */
	char *proof;  /* a thought's signature, or NULL */
	char *id;     /* call, result */
	char *name;   /* call */
	bool ok;      /* result */
};

struct ks_chat_message {
	bool model;   /* else the user's */
	struct ks_chat_piece *pieces;
	size_t count, cap;
};

struct ks_chat {
	struct ks_chat_message *messages;
	size_t count, cap;
	/* what was left out so far */
	size_t dropped_messages, dropped_calls;
	struct ks_buf kept_words; /* what people said in it, bounded */
	unsigned edits;           /* changes of what was there already */
};

/* How far a conversation was written as lines; zero: not at all. */
struct ks_chat_mark {
	size_t message, piece;
	unsigned edits;
};

struct ks_chat_request {
	enum ks_model_api api;
	const char *model;
	const char *rules;   /* the system text */
	struct ks_str tools;      /* JSON array of {"name","description","schema"} */
	int64_t max_tokens;       /* 0: not said (chat completions only) */
	const char *max_field;    /* chat completions: name of that member */
};

void ks_chat_fini(struct ks_chat *chat);
/* Adds a text of the user, to the last message where that is the user's. */
void ks_chat_say(struct ks_chat *chat, struct ks_str text);
/* Adds a reply. Calls get an id where they lack one or where it was used
 * before; arguments that are no JSON object become {}. Returns how many calls. */
size_t ks_chat_reply(struct ks_chat *chat, const struct ks_model_reply *reply);
/* A reply with nothing in it is no message: adds nothing and says so. */
bool ks_chat_reply_empty(const struct ks_model_reply *reply);
/* Result of a call of the last reply. */
void ks_chat_result(struct ks_chat *chat, const char *id, bool ok, struct ks_str text);
/* Answers with `text` (not ok) each call of the last reply that has no result
 * yet; returns how many. */
size_t ks_chat_answer_all(struct ks_chat *chat, const char *text);
/* Call i of the last reply, or NULL; lent until a change. */
const struct ks_chat_piece *ks_chat_call(const struct ks_chat *chat, size_t i);

size_t ks_chat_bytes(const struct ks_chat *chat); /* of all texts */
/* Makes it shorter: outputs of calls behind the last few messages are cut
 * first; while that is not enough, the oldest messages after the first are
 * dropped, and a note in the first says what they were and what people said in
 * them. Returns whether anything became shorter. */
bool ks_chat_compact(struct ks_chat *chat, size_t target_bytes);

/* ---- as lines, to be kept: each a JSON object ---- */

/* Whether what was written up to the mark has changed: all is to be written anew,
 * from a mark of zero. */
bool ks_chat_edited(const struct ks_chat *chat, const struct ks_chat_mark *mark);
/* Appends a line for each piece behind the mark, and moves it. */
void ks_chat_lines(struct ks_buf *out, const struct ks_chat *chat, struct ks_chat_mark *mark);
/* Takes up such a line. A result without its call is passed over; a call whose
 * result is missing gets `lost` as one. KS_EINVAL: not such a line. */
int ks_chat_take(struct ks_chat *chat, const struct ks_json *line, const char *lost,
	struct ks_err *err);
/* Behind the last line: mends its end, which may be missing. */
void ks_chat_mend(struct ks_chat *chat, const char *lost);

/* Appends the body of a streaming request. */
void ks_chat_write(struct ks_buf *out, const struct ks_chat *chat,
	const struct ks_chat_request *request);

#endif
