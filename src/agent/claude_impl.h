#ifndef KSEEK_AGENT_CLAUDE_IMPL_H
#define KSEEK_AGENT_CLAUDE_IMPL_H
/* What the files of the driver of Claude Code share. */
#include "agent/launch.h"
#include "agent/program.h"
#include "agent/talk.h"
#include "wire/claude.h"

enum ks_cc_phase { KS_CC_STARTING, KS_CC_READY, KS_CC_LEAVING };

#define KS_CC_STEERS 16

struct ks_cc_words {       /* a message as it was sent */
	int64_t n;             /* its id among ours, see ks_cc_id */
	int64_t message;
	bool command;          /* "/...", which not every version says that it has taken up */
};

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
	/* ids of those that are open */
	char init[32], interrupt[32], drop[32], mode_request[32];
	char *mode_wanted;
	char stem[25];         /* with it begin the ids of what we send, and no others */
	int64_t sent;
	struct ks_cc_words mine; /* began this turn, or the last */
	bool taken;            /* the agent has taken it up: the next result is its own */
	bool ids;              /* one of our ids came back: this version tells them */
	struct ks_cc_words steers[KS_CC_STEERS]; /* given during a turn, not yet taken up */
	size_t n_steers;
	int64_t cancel_t0;
	struct ks_timer *patience;
	struct ks_buf reason;
	int noise;
};

/* claude.c */
void ks_cc_send(struct ks_cc *c, struct ks_buf *line);
void ks_cc_request(struct ks_cc *c, char id[32], const char *subtype, const char *key,
	const char *value);
/* A turn begins with these words; taken: of which it is known already that they are. */
void ks_cc_begin(struct ks_cc *c, const struct ks_cc_words *words, bool taken);
/* What becomes of a turn that was interrupted, or whose words were given up. */
void ks_cc_cancelled(struct ks_cc *c);
#define KS_CC_ID 37
void ks_cc_id(const struct ks_cc *c, char out[KS_CC_ID], int64_t n);

/* claude_in.c: what it says. */
void ks_cc_line(void *ctx, struct ks_str line);

#endif
