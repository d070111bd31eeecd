#ifndef KSEEK_AGENT_ACP_IMPL_H
#define KSEEK_AGENT_ACP_IMPL_H
/* What the files of the ACP driver share. */
#include "agent/launch.h"
#include "agent/program.h"
#include "agent/talk.h"
#include "wire/acp.h"
#include "wire/rpc.h"

enum ks_acp_what { /* our requests */
	KS_ACP_INIT, KS_ACP_NEW, KS_ACP_RESUME, KS_ACP_LOAD, KS_ACP_SET_MODE, KS_ACP_PROMPT,
	KS_ACP_STEER
};

struct ks_acp_pending {
	int64_t number;
	enum ks_acp_what what;
};

enum ks_acp_phase { KS_ACP_STARTING, KS_ACP_READY, KS_ACP_LEAVING };

struct ks_acp {
	struct ks_agent agent;
	struct ks_talk talk;
	struct ks_launch launch;
	struct ks_program *program;
	char *folder, *wanted; /* session to take up again, or NULL */
	bool forms;

	enum ks_acp_phase phase;
	bool known;            /* initialize was answered */
	bool loading;          /* what comes is history */
	bool may_load, may_resume, steers;
	char *info, *version, *session;
	const char *how;       /* of agent.session */
	char *mode, *mode_option;
	char **modes;          /* ids, NULL-terminated */
	char *mode_wanted;     /* asked for, not yet answered */
	struct ks_buf modes_told; /* members of agent.mode, until it has started */

	int64_t next;          /* number of our next request */
	struct ks_acp_pending *pending;
	size_t n_pending, cap_pending;
	bool asked;            /* a prompt is not answered */
	bool rejected;         /* something that it asked in this turn */
	bool by_status;        /* a turn without a prompt of its own */
	int64_t steered;       /* message of the last steering */
	int64_t cancel_t0;
	struct ks_timer *patience; /* for the start, then for a cancel */
	struct ks_buf trouble; /* an error that the agent told of in this turn */
	struct ks_buf reason;  /* why we ended it */
	int noise;
};

/* acp.c */
void ks_acp_send(struct ks_acp *a, struct ks_buf *line);
void ks_acp_request_send(struct ks_acp *a, enum ks_acp_what what, const char *method,
	struct ks_str params);
void ks_acp_fail(struct ks_acp *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Takes modes that were read; reports them once the agent has started. */
void ks_acp_take_modes(struct ks_acp *a, const struct ks_acp_modes *modes);
void ks_acp_take_mode(struct ks_acp *a, const char *mode);
/* Asks the agent for a mode; no other may be asked for meanwhile. */
void ks_acp_mode_send(struct ks_acp *a, const char *mode);

/* acp_open.c: answers until the agent is ready. */
void ks_acp_opened(struct ks_acp *a, enum ks_acp_what what, const struct ks_rpc *rpc);

/* acp_in.c: what it says. */
void ks_acp_line(void *ctx, struct ks_str line);

#endif
