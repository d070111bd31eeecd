/*
 * A conversation as lines, a piece each, and back. Lines are appended as the
 * conversation grows, so a file of them may end anywhere: in the middle of a
 * reply's calls, or of a line. What is read is made whole again.
 */
#include <string.h>

#include "base/mem.h"
#include "wire/chat_impl.h"

#define ID_MAX 128
#define NAME_MAX 64

static const char *const words[] = {
	[KS_CHAT_TEXT] = "text", [KS_CHAT_THOUGHT] = "thought", [KS_CHAT_HIDDEN] = "hidden",
	[KS_CHAT_CALL] = "call", [KS_CHAT_RESULT] = "result",
};

/* ---- writing ---- */

static void write_dropped(struct ks_buf *out, const struct ks_chat *chat)
{
	struct ks_jw w;

	ks_jw_init(&w, out);
	ks_jw_open(&w, NULL);
	ks_jw_int(&w, "dropped", (int64_t)chat->dropped_messages);
	ks_jw_int(&w, "calls", (int64_t)chat->dropped_calls);
	ks_jw_slice(&w, "words", ks_buf_str(&chat->kept_words));
	ks_jw_close(&w);
	ks_buf_addc(out, '\n');
}

static void write_piece(struct ks_buf *out, const struct ks_chat_piece *piece, bool model)
{
	struct ks_jw w;

	ks_jw_init(&w, out);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "by", model ? "model" : "user");
	ks_jw_str(&w, "part", words[piece->what]);
	if (piece->id != NULL) {
		ks_jw_str(&w, "id", piece->id);
	}
	if (piece->name != NULL) {
		ks_jw_str(&w, "name", piece->name);
	}
	if (piece->what == KS_CHAT_RESULT) {
		ks_jw_bool(&w, "ok", piece->ok);
	}
	ks_jw_str(&w, "text", piece->text);
	if (piece->proof != NULL) {
		ks_jw_str(&w, "proof", piece->proof);
	}
	ks_jw_close(&w);
	ks_buf_addc(out, '\n');
}

bool ks_chat_edited(const struct ks_chat *chat, const struct ks_chat_mark *mark)
{
	return chat->edits != mark->edits;
}

void ks_chat_lines(struct ks_buf *out, const struct ks_chat *chat, struct ks_chat_mark *mark)
{
	struct ks_chat_mark at = *mark;

	if (at.message == 0 && at.piece == 0 && chat->dropped_messages > 0) {
		write_dropped(out, chat);
	}
	for (; at.message < chat->count; at.message++, at.piece = 0) {
		const struct ks_chat_message *m = &chat->messages[at.message];

		for (; at.piece < m->count; at.piece++) {
			write_piece(out, &m->pieces[at.piece], m->model);
		}
		if (at.message + 1 == chat->count) {
			break; /* it may grow */
		}
	}
	at.edits = chat->edits;
	*mark = at;
}

/* ---- reading ---- */

static bool is_object(const char *text)
{
	struct ks_json *doc = NULL;
	bool is = ks_json_parse(&doc, text, strlen(text), NULL) == 0 &&
		ks_json_type(doc) == KS_JSON_OBJECT;

	ks_json_free(doc);
	return is;
}

static int take_dropped(struct ks_chat *chat, const struct ks_json *line)
{
	int64_t messages = ks_json_get_int(line, "dropped", 0);
	int64_t calls = ks_json_get_int(line, "calls", 0);

	chat->dropped_messages = messages > 0 ? (size_t)messages : 0;
	chat->dropped_calls = calls > 0 ? (size_t)calls : 0;
	ks_buf_clear(&chat->kept_words);
	ks_buf_adds(&chat->kept_words, ks_json_get_str(line, "words", ""));
	return 0;
}

static int take_call(struct ks_chat *chat, const struct ks_json *line, struct ks_err *err)
{
	const char *id = ks_json_get_str(line, "id", ""), *name = ks_json_get_str(line, "name", "");
	const char *text = ks_json_get_str(line, "text", "");
	struct ks_chat_piece *piece;

	if (*id == '\0' || strlen(id) > ID_MAX || *name == '\0' || strlen(name) > NAME_MAX ||
		ks_chat_has_call(chat, id)) {
		return ks_err_set(err, KS_EINVAL, "a call without a name or an id of its own");
	}
	piece = ks_chat_piece_new(chat, true, KS_CHAT_CALL);
	piece->id = ks_strdup(id);
	piece->name = ks_strdup(name);
	piece->text = ks_strdup(is_object(text) ? text : "{}");
	return 0;
}

static int take_model(struct ks_chat *chat, const struct ks_json *line, enum ks_chat_part part,
	const char *lost, struct ks_err *err)
{
	const char *text = ks_json_get_str(line, "text", "");
	const char *proof = ks_json_get_str(line, "proof", NULL);
	struct ks_chat_piece *piece;

	if (chat->count == 0) {
		return ks_err_set(err, KS_EINVAL, "it begins with a reply");
	}
	if (!chat->messages[chat->count - 1].model) {
		ks_chat_answer_all(chat, lost);
	}
	if (part == KS_CHAT_CALL) {
		return take_call(chat, line, err);
	}
	piece = ks_chat_piece_new(chat, true, part);
	piece->text = ks_strdup(text);
	piece->proof = proof != NULL ? ks_strdup(proof) : NULL;
	return 0;
}

/* Whether the last reply has this call. */
static bool is_open(const struct ks_chat *chat, const char *id)
{
	const struct ks_chat_piece *call;

	for (size_t i = 0; (call = ks_chat_call(chat, i)) != NULL; i++) {
		if (strcmp(call->id, id) == 0) {
			return !ks_chat_answered(chat, id);
		}
	}
	return false;
}

int ks_chat_take(struct ks_chat *chat, const struct ks_json *line, const char *lost,
	struct ks_err *err)
{
	const char *by = ks_json_get_str(line, "by", ""), *word = ks_json_get_str(line, "part", "");
	const char *text = ks_json_get_str(line, "text", NULL);
	const char *id = ks_json_get_str(line, "id", "");
	enum ks_chat_part part = KS_CHAT_TEXT;

	if (ks_json_get(line, "dropped") != NULL) {
		return take_dropped(chat, line);
	}
	while (part <= KS_CHAT_RESULT && strcmp(words[part], word) != 0) {
		part++;
	}
	if (part > KS_CHAT_RESULT || text == NULL) {
		return ks_err_set(err, KS_EINVAL, "not a line of a conversation");
	}
	if (strcmp(by, "model") == 0 && part != KS_CHAT_RESULT) {
		return take_model(chat, line, part, lost, err);
	}
	if (strcmp(by, "user") == 0 && part == KS_CHAT_RESULT) {
		if (is_open(chat, id)) {
			ks_chat_result(chat, id, ks_json_get_bool(line, "ok", false),
				ks_str_of(text));
		}
		return 0;
	}
	if (strcmp(by, "user") == 0 && part == KS_CHAT_TEXT) {
		ks_chat_mend(chat, lost);
		ks_chat_say(chat, ks_str_of(text));
		return 0;
	}
	return ks_err_set(err, KS_EINVAL, "not a line of a conversation");
}
