#ifndef KSEEK_WIRE_CHAT_IMPL_H
#define KSEEK_WIRE_CHAT_IMPL_H
/* What the files of a conversation share. */
#include "wire/chat.h"

/* A new piece of the last message where that is of this side, else of a new one. */
struct ks_chat_piece *ks_chat_piece_new(struct ks_chat *chat, bool model, enum ks_chat_part what);
/* Whether a call has this id. */
bool ks_chat_has_call(const struct ks_chat *chat, const char *id);
/* Whether the call of the last reply with this id has its result. */
bool ks_chat_answered(const struct ks_chat *chat, const char *id);

#endif
