#ifndef KSEEK_APP_HOOK_H
#define KSEEK_APP_HOOK_H
/*
 * The stop hook of agents that kseek did not start: whether one that wants to
 * stop is sent back to work, and with which words; and the settings that make an
 * agent run it. A hook never breaks its agent: whatever goes wrong here lets it
 * stop.
 */
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "app/fold.h"

struct ks_hook_decision {
	bool block;
	struct ks_buf reason;  /* for the agent, when it is sent back   */
	char why[160];         /* for a person, when it is let go       */
	long count;            /* how often this session was sent back  */
	char question[16];     /* bank id that goes with it, or ""      */
	char session[80];
};

/* Decides about a session (its id; "" unknown) and counts. KS_* when the count
 * could not be kept: then the agent is let go. */
int ks_hook_decide(struct ks_hook_decision *out, struct ks_fold *fold, const char *session,
	struct ks_err *err);
void ks_hook_decision_fini(struct ks_hook_decision *decision);

struct ks_hook_agent {
	const char *name;      /* "claude"                               */
	const char *event;     /* "Stop"                                 */
	const char *file;      /* below the project or the home folder   */
	const char *home;      /* variable that moves the folder, or NULL */
	long timeout;          /* in the agent's own unit                */
	bool user_only;
	const char *by_hand;   /* what a person must trust or lift       */
};

const struct ks_hook_agent *ks_hook_agents(size_t *count);

/* The settings `old` ("" for none) with our hook in them once, whatever was there
 * kept; without it when remove. KS_EINVAL: not a JSON object as expected. */
int ks_hook_merge(struct ks_buf *out, struct ks_str old, const struct ks_hook_agent *agent,
	const char *command, bool remove, struct ks_err *err);

#endif
