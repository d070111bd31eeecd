/*
 * A conversation: what was said, and how it is made shorter.
 */
#include "wire/chat_impl.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

#define CUT_OUTPUT 400     /* bytes that stay of an old output */
#define FRESH_MESSAGES 6   /* whose outputs are cut last */
#define WORDS_MAX 4096     /* of people, in what was dropped */
#define WORD_MAX 600       /* of one message */
#define CUT_NOTE "\n[the rest of this old output was left out]"
#define NOTE_HEAD "[Earlier parts of this conversation were left out: "

static void piece_fini(struct ks_chat_piece *piece)
{
	free(piece->text);
	free(piece->proof);
	free(piece->id);
	free(piece->name);
}

static void message_fini(struct ks_chat_message *message)
{
	for (size_t i = 0; i < message->count; i++) {
		piece_fini(&message->pieces[i]);
	}
	free(message->pieces);
}

void ks_chat_fini(struct ks_chat *chat)
{
	if (chat == NULL) {
		return;
	}
	for (size_t i = 0; i < chat->count; i++) {
		message_fini(&chat->messages[i]);
	}
	free(chat->messages);
	ks_buf_fini(&chat->kept_words);
	*chat = (struct ks_chat){0};
}

/* The last message where it is of that side, else a new one. */
static struct ks_chat_message *message_for(struct ks_chat *chat, bool model)
{
	if (chat->count == 0 || chat->messages[chat->count - 1].model != model) {
		ks_grow(&chat->messages, &chat->cap, chat->count + 1, sizeof(*chat->messages));
		chat->messages[chat->count++] = (struct ks_chat_message){.model = model};
	}
	return &chat->messages[chat->count - 1];
}

static struct ks_chat_piece *piece_new(struct ks_chat_message *message, enum ks_chat_part what)
{
	ks_grow(&message->pieces, &message->cap, message->count + 1, sizeof(*message->pieces));
	message->pieces[message->count] = (struct ks_chat_piece){.what = what};
	return &message->pieces[message->count++];
}

struct ks_chat_piece *ks_chat_piece_new(struct ks_chat *chat, bool model, enum ks_chat_part what)
{
	return piece_new(message_for(chat, model), what);
}

void ks_chat_say(struct ks_chat *chat, struct ks_str text)
{
	struct ks_chat_piece *piece = ks_chat_piece_new(chat, false, KS_CHAT_TEXT);

	piece->text = ks_strndup(text.ptr, text.len);
}

/* ---- replies and results ---- */

static bool blank(const struct ks_buf *text)
{
	return ks_str_trim(ks_buf_str(text)).len == 0;
}

bool ks_chat_reply_empty(const struct ks_model_reply *reply)
{
	for (size_t i = 0; i < reply->count; i++) {
		if (reply->blocks[i].what == KS_MODEL_CALL ||
			(reply->blocks[i].what == KS_MODEL_TEXT &&
			!blank(&reply->blocks[i].text))) {
			return false;
		}
	}
	return true;
}

bool ks_chat_has_call(const struct ks_chat *chat, const char *id)
{
	for (size_t i = 0; i < chat->count; i++) {
		const struct ks_chat_message *m = &chat->messages[i];

		for (size_t j = 0; j < m->count; j++) {
			if (m->pieces[j].what == KS_CHAT_CALL && m->pieces[j].id != NULL &&
				strcmp(m->pieces[j].id, id) == 0) {
				return true;
			}
		}
	}
	return false;
}

static char *call_id(const struct ks_chat *chat, const char *id)
{
	char made[40];

	if (id != NULL && *id != '\0' && strlen(id) <= 128 && !ks_chat_has_call(chat, id)) {
		return ks_strdup(id);
	}
	for (size_t n = chat->count;; n++) {
		snprintf(made, sizeof(made), "call_k%zu", n);
		if (!ks_chat_has_call(chat, made)) {
			return ks_strdup(made);
		}
	}
}

static void add_block(struct ks_chat *chat, size_t at, const struct ks_model_block *block)
{
	static const enum ks_chat_part parts[] = {
		[KS_MODEL_TEXT] = KS_CHAT_TEXT, [KS_MODEL_THOUGHT] = KS_CHAT_THOUGHT,
		[KS_MODEL_CALL] = KS_CHAT_CALL, [KS_MODEL_HIDDEN] = KS_CHAT_HIDDEN,
	};
	struct ks_str text = ks_buf_str(&block->text);
	char *id = NULL;
	struct ks_chat_piece *piece;

	if (block->what == KS_MODEL_TEXT && blank(&block->text)) {
		return; /* servers refuse an empty text */
	}
	if (block->what == KS_MODEL_CALL) {
		id = call_id(chat, block->id);
		if (!ks_model_call_whole(block) || ks_str_trim(text).len == 0) {
			text = KS_STR("{}");
		}
	}
	piece = piece_new(&chat->messages[at], parts[block->what]);
	piece->id = id;
	piece->text = ks_strndup(text.ptr, text.len);
	if (block->what == KS_MODEL_CALL) {
		piece->name = ks_strdup(block->name != NULL && *block->name != '\0' &&
			strlen(block->name) <= 64 ? block->name : "unknown");
	}
	if (block->proof.len > 0) {
		piece->proof = ks_strndup(block->proof.ptr, block->proof.len);
	}
}

size_t ks_chat_reply(struct ks_chat *chat, const struct ks_model_reply *reply)
{
	size_t calls = 0, at;

	if (ks_chat_reply_empty(reply)) {
		return 0;
	}
	message_for(chat, true);
	at = chat->count - 1;
	for (size_t i = 0; i < reply->count; i++) {
		add_block(chat, at, &reply->blocks[i]);
		calls += reply->blocks[i].what == KS_MODEL_CALL;
	}
	return calls;
}

static const struct ks_chat_message *last_reply(const struct ks_chat *chat)
{
	for (size_t i = chat->count; i > 0; i--) {
		if (chat->messages[i - 1].model) {
			return &chat->messages[i - 1];
		}
	}
	return NULL;
}

const struct ks_chat_piece *ks_chat_call(const struct ks_chat *chat, size_t i)
{
	const struct ks_chat_message *m = last_reply(chat);

	for (size_t j = 0; m != NULL && j < m->count; j++) {
		if (m->pieces[j].what == KS_CHAT_CALL && i-- == 0) {
			return &m->pieces[j];
		}
	}
	return NULL;
}

void ks_chat_result(struct ks_chat *chat, const char *id, bool ok, struct ks_str text)
{
	struct ks_chat_piece *piece = ks_chat_piece_new(chat, false, KS_CHAT_RESULT);

	piece->id = ks_strdup(id);
	piece->ok = ok;
	piece->text = ks_strndup(text.ptr, text.len);
}

bool ks_chat_answered(const struct ks_chat *chat, const char *id)
{
	const struct ks_chat_message *m = chat->count > 0 ? &chat->messages[chat->count - 1] : NULL;

	for (size_t i = 0; m != NULL && !m->model && i < m->count; i++) {
		if (m->pieces[i].what == KS_CHAT_RESULT && strcmp(m->pieces[i].id, id) == 0) {
			return true;
		}
	}
	return false;
}

size_t ks_chat_answer_all(struct ks_chat *chat, const char *text)
{
	const struct ks_chat_piece *call;
	size_t n = 0;

	for (size_t i = 0; (call = ks_chat_call(chat, i)) != NULL; i++) {
		if (!ks_chat_answered(chat, call->id)) {
			char *id = ks_strdup(call->id);

			ks_chat_result(chat, id, false, ks_str_of(text));
			free(id);
			n++;
		}
	}
	return n;
}

static bool says_nothing(const struct ks_chat_message *m)
{
	for (size_t i = 0; i < m->count; i++) {
		if (m->pieces[i].what == KS_CHAT_TEXT || m->pieces[i].what == KS_CHAT_CALL) {
			return false;
		}
	}
	return true;
}

void ks_chat_mend(struct ks_chat *chat, const char *lost)
{
	struct ks_chat_message *last = chat->count > 0 ? &chat->messages[chat->count - 1] : NULL;

	if (last != NULL && last->model && says_nothing(last)) {
		message_fini(last);
		chat->count--;
		chat->edits++;
	}
	ks_chat_answer_all(chat, lost);
}

/* ---- making it shorter ---- */

size_t ks_chat_bytes(const struct ks_chat *chat)
{
	size_t n = 0;

	for (size_t i = 0; i < chat->count; i++) {
		const struct ks_chat_message *m = &chat->messages[i];

		for (size_t j = 0; j < m->count; j++) {
			n += strlen(m->pieces[j].text) + 40;
			n += m->pieces[j].proof != NULL ? strlen(m->pieces[j].proof) : 0;
		}
	}
	return n;
}

/* An old output, or an old call's arguments that hold a whole file. */
static bool cut_piece(struct ks_chat_piece *piece)
{
	size_t len = strlen(piece->text), keep;
	char *shorter;

	if (len <= CUT_OUTPUT + sizeof(CUT_NOTE)) {
		return false;
	}
	if (piece->what == KS_CHAT_CALL) {
		free(piece->text);
		piece->text = ks_strdup("{\"note\":\"these old arguments were left out\"}");
		return true;
	}
	if (piece->what != KS_CHAT_RESULT) {
		return false;
	}
	keep = ks_utf8_cut(piece->text, len, CUT_OUTPUT);
	shorter = ks_asprintf("%.*s%s", (int)keep, piece->text, CUT_NOTE);
	free(piece->text);
	piece->text = shorter;
	return true;
}

static bool cut_outputs(struct ks_chat *chat, size_t target, size_t fresh)
{
	bool cut = false;

	for (size_t i = 1; i + fresh < chat->count && ks_chat_bytes(chat) > target; i++) {
		struct ks_chat_message *m = &chat->messages[i];

		for (size_t j = 0; j < m->count; j++) {
			cut |= cut_piece(&m->pieces[j]);
		}
	}
	return cut;
}

static void remember_words(struct ks_chat *chat, const char *text)
{
	size_t len = ks_utf8_cut(text, strlen(text), WORD_MAX);

	if (chat->kept_words.len + len < WORDS_MAX) {
		ks_buf_addf(&chat->kept_words, "\n- %.*s%s", (int)len, text,
			len < strlen(text) ? " ..." : "");
	}
}

static void drop_message(struct ks_chat *chat, size_t at)
{
	struct ks_chat_message *m = &chat->messages[at];

	for (size_t i = 0; i < m->count; i++) {
		chat->dropped_calls += m->pieces[i].what == KS_CHAT_CALL;
		if (!m->model && m->pieces[i].what == KS_CHAT_TEXT) {
			remember_words(chat, m->pieces[i].text);
		}
	}
	chat->dropped_messages++;
	message_fini(m);
}

/* The first message says what is missing behind it; the note is its last piece. */
static void write_note(struct ks_chat *chat)
{
	struct ks_chat_message *first = &chat->messages[0];
	struct ks_chat_piece *note = &first->pieces[first->count - 1];
	struct ks_buf text = {0};

	if (note->what != KS_CHAT_TEXT || strncmp(note->text, NOTE_HEAD, strlen(NOTE_HEAD)) != 0) {
		note = piece_new(first, KS_CHAT_TEXT);
	}
	ks_buf_addf(&text, NOTE_HEAD "%zu messages with %zu tool calls. The files are as you left "
		"them; read them again where you need to.", chat->dropped_messages,
		chat->dropped_calls);
	if (chat->kept_words.len > 0) {
		ks_buf_adds(&text, " You were told meanwhile:");
		ks_buf_addstr(&text, ks_buf_str(&chat->kept_words));
	}
	ks_buf_addc(&text, ']');
	free(note->text);
	note->text = ks_buf_take(&text);
}

/* Drops the oldest messages so that a reply follows the first one, and at
 * least one exchange stays. */
static bool drop_turns(struct ks_chat *chat, size_t target)
{
	bool dropped = false;

	while (chat->count >= 5 && ks_chat_bytes(chat) > target &&
		!chat->messages[0].model && chat->messages[1].model && chat->messages[3].model) {
		drop_message(chat, 1);
		drop_message(chat, 2);
		memmove(&chat->messages[1], &chat->messages[3],
			(chat->count - 3) * sizeof(*chat->messages));
		chat->count -= 2;
		dropped = true;
	}
	if (dropped) {
		write_note(chat);
	}
	return dropped;
}

bool ks_chat_compact(struct ks_chat *chat, size_t target_bytes)
{
	bool shorter = cut_outputs(chat, target_bytes, FRESH_MESSAGES);

	shorter |= drop_turns(chat, target_bytes);
	if (ks_chat_bytes(chat) > target_bytes) {
		shorter |= cut_outputs(chat, target_bytes, 0);
	}
	chat->edits += shorter;
	return shorter;
}
