#ifndef KSEEK_CORE_ASK_H
#define KSEEK_CORE_ASK_H
/*
 * Inside decide and react: what the agent asks and who answers. A rule answers
 * what a rule can; the rest waits for a person, and without one that could come
 * it is rejected with the reason, so that the agent can go another way.
 */
#include "core/say.h"

/* Index of an open ask by its id, or -1. */
int ks_ask_find(const struct ks_state *state, const char *ask);
/* What "allow always" remembers: this tool with exactly this text. */
uint64_t ks_ask_hash(const char *tool, const char *text);

/* permission.asked or agent.asked has happened. */
void ks_ask_react(struct ks_turn *turn, const struct ks_event *event);
/* KS_CMD_ANSWER {ask?, option?|kind?, text?, values?, decline?}: without an ask
 * the one that has waited longest. */
int ks_ask_answer(struct ks_turn *turn, const struct ks_command *command, struct ks_err *err);

#endif
