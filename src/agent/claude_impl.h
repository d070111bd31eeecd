#ifndef KSEEK_AGENT_CLAUDE_IMPL_H
#define KSEEK_AGENT_CLAUDE_IMPL_H
/* What the files of the driver of Claude Code share. */
#include "agent/launch.h"
#include "agent/program.h"
#include "agent/talk.h"
#include "wire/claude.h"

enum ks_cc_phase { KS_CC_STARTING, KS_CC_READY, KS_CC_LEAVING };

struct ks_cc {
	struct ks_agent agent;
	struct ks_talk talk;
	struct ks_launch launch;
	struct ks_program *program;
	char *folder, *exec, *mark; /* to start it anew without its session */
	char *wanted;          /* session to take up again, or NULL */
	bool forms, anew;

	enum ks_cc_phase phase;
	char *session, *version, *mode;
	int64_t next;          /* number of our next request */
	char init[32], interrupt[32], mode_request[32]; /* ids of those that are open */
	char *mode_wanted;
	int64_t steered;       /* message of the last words during a turn */
	int steered_open;      /* of them not yet taken up */
	char *prompt;          /* of this turn, or the last */
	bool echo_due;         /* it was not yet repeated to us: not yet taken up */
	bool echoes;           /* something was: this version does */
	int stale;             /* prompts whose turns were cancelled before */
	int64_t cancel_t0;
	struct ks_timer *patience;
	struct ks_buf reason;
	int noise;
};

/* claude.c */
void ks_cc_send(struct ks_cc *c, struct ks_buf *line);
void ks_cc_request(struct ks_cc *c, char id[32], const char *subtype, const char *key,
	const char *value);
/* text: of the prompt; "" when the turn begins with words that were given before. */
void ks_cc_begin(struct ks_cc *c, int64_t message, struct ks_str text);

/* claude_in.c: what it says. */
void ks_cc_line(void *ctx, struct ks_str line);

#endif
