#ifndef KSEEK_AGENT_TALK_IMPL_H
#define KSEEK_AGENT_TALK_IMPL_H
/* What the files of talk share. */
#include "agent/talk.h"

/* talk_calls.c */
void ks_talk_calls_fini(struct ks_talk *talk);
/* Reports calls that were held back until more was known of them. */
void ks_talk_hold_over(void *talk);
/* A call's id as events have it. */
void ks_talk_call_id(struct ks_jw *w, const char *key, const char *call);
/* Members "call", and of a call that is open tool, title, text, path, parent. */
void ks_talk_call_members(struct ks_talk *talk, const char *call, struct ks_jw *w);

/* talk_asks.c */
void ks_talk_asks_fini(struct ks_talk *talk);
void ks_talk_asks_void(struct ks_talk *talk, const char *why);
/* Reports those that nobody answered. */
void ks_talk_asks_settle(struct ks_talk *talk);

#endif
