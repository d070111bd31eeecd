#ifndef KSEEK_AGENT_DRIVER_H
#define KSEEK_AGENT_DRIVER_H
/*
 * Drivers of agents: one table a kind. A driver starts its agent, hands it
 * prompts, and reports what it sees through a sink as the fields of events
 * (docs/events.md); it knows neither log nor engine. Every report comes from
 * the loop, never inside a call of the driver, so the sink may call back.
 *
 *   start -> agent.started ... prompt -> turn.started ... turn.ended
 *            ... stop -> agent.exited
 *
 * One prompt is in flight at a time: prompt refuses with KS_EBUSY while a turn
 * runs (queueing is the engine's).
 *
 * An agent may ask: permission.asked (may I run this?) and agent.asked (a form
 * for the person). Either is open until ks_driver.answer was called for it, or
 * until the driver reports permission.answered or agent.answered itself, which
 * it does only for what nobody answered: withdrawn by the agent, or void since
 * the turn was cancelled or the agent died. Who answers, a rule or a person, is
 * the engine's; it also writes the event of an answer that it gives.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "core/event.h"
#include "loop/loop.h"

struct ks_sink {
	void *ctx;
	/* fields: JSON members without braces, as in struct ks_new_event; lent
	 * for the call. Bodies are whole (a driver bounds them at
	 * KS_AGENT_BODY_MAX): the receiver cuts them to previews and blobs. */
	void (*observed)(void *ctx, enum ks_ev kind, enum ks_by by, struct ks_str fields);
	/* Nothing more comes from this agent: it may be freed, also inside the
	 * call. Follows agent.exited. */
	void (*gone)(void *ctx);
};

#define KS_AGENT_BODY_MAX (1024u * 1024)
#define KS_AGENT_DIFF_MAX 4096u

struct ks_agent_setup {          /* borrowed for the call of start */
	struct ks_loop *loop;
	const char *folder;      /* the campaign's; absolute */
	const char *const *files;/* to be watched: the working copy's sources and the
	                          * sealed files, NULL-terminated */
	const char *exec;        /* path of kseek-exec */
	const char *kseek;       /* path of kseek, for the agent's PATH */
	const char *argument;    /* script: path of script.json; else unused */
	const char *const *env;  /* extra "K=V" for the agent; NULL: none */
	const char *mark;        /* value of KS_MARK for its processes; NULL: none */
	int64_t turns;           /* that the campaign had: the next is one more */
	/* Of the drivers that start a program or a conversation; zero: none. */
	const char *const *command; /* agent.command of campaign.json, NULL-terminated */
	struct ks_str config;    /* the campaign's whole "agent" object, JSON text */
	const char *agents;      /* the installed agents.json (agent/names.h) */
	const char *session;     /* session to take up again (agent.session) */
	const char *keep;        /* folder for a session that the driver keeps
	                          * itself; NULL: none is kept */
	const char *mode;        /* agent's mode to set once it is ready */
	bool forms;              /* agent.asked is answered by somebody */
	int64_t stall_ms;        /* silence in a turn that is told; 0: five minutes */
};

/* An answer to permission.asked or agent.asked. */
struct ks_answer {
	const char *ask;         /* the event's id */
	/* permission: id of the option; or NULL and a kind ("allow_once",
	 * "allow_always", "reject_once", "reject_always"), for which the driver
	 * takes the option of that kind, or else of its milder or stricter twin
	 * of the same side; both NULL: cancelled. */
	const char *option, *kind;
	const char *text;        /* words to go with a rejection; NULL: none */
	/* agent.asked: JSON object of values by field; empty: declined. */
	struct ks_str values;
};

struct ks_prompt {
	int64_t id;              /* of the message */
	struct ks_str text;
	const char *question;    /* bank id, or "" */
	char layer;              /* letter of the question's layer, or 0 */
};

struct ks_agent; /* one running agent; its first member names its driver */

struct ks_driver {
	const char *name;        /* "script", "manual", "acp", "claude", ... */
	/* Gives *out. Bad input (a script with errors) is refused here. */
	int (*start)(struct ks_agent **out, const struct ks_agent_setup *setup,
		const struct ks_sink *sink, struct ks_err *err);
	int (*prompt)(struct ks_agent *agent, const struct ks_prompt *prompt,
		struct ks_err *err);
	/* Ends the running turn (turn.ended, how "cancelled"); idle: nothing. */
	void (*cancel)(struct ks_agent *agent);
	/* Ends the agent in stages; agent.exited and `gone` follow. */
	void (*stop)(struct ks_agent *agent);
	/* Whether the process belongs to this agent. */
	bool (*owns)(const struct ks_agent *agent, pid_t pid);
	/* Kills at once what still runs, reports nothing. */
	void (*free)(struct ks_agent *agent);
	/* Checks an argument without starting; NULL: nothing to check. Gives
	 * the agent's label in *out_label when that is not NULL. */
	int (*check)(const char *argument, char **out_label, struct ks_err *err);
	/* The rest may be NULL: the driver has no such thing. */
	/* KS_ENOTFOUND: not open (any more); KS_EINVAL: no such option. */
	int (*answer)(struct ks_agent *agent, const struct ks_answer *answer,
		struct ks_err *err);
	/* Sets the agent's own mode; agent.mode follows. KS_EINVAL: not one of
	 * the modes that it has. */
	int (*set_mode)(struct ks_agent *agent, const char *mode, struct ks_err *err);
	/* Hands words into the running turn. KS_EUNSUPPORTED: this agent did not
	 * announce that it takes them; KS_ENOTFOUND: no turn runs. */
	int (*steer)(struct ks_agent *agent, const struct ks_prompt *prompt,
		struct ks_err *err);
	/* Whether a text (JSON) holds the key that the agent was given. */
	bool (*holds_key)(const struct ks_agent *agent, struct ks_str text);
};

/* NULL for a name that is not known. */
const struct ks_driver *ks_driver_find(const char *name);
/* Names, NULL-terminated; static. */
const char *const *ks_driver_names(void);

/* Whether what a driver would start is there: looks an agent's name up, and its
 * program in PATH, or (api) reads all of its configuration but the key. Other
 * drivers: 0. */
int ks_agent_check(const char *driver, const struct ks_agent_setup *setup, struct ks_err *err);

/* Calls through the agent's own driver; NULL agents are allowed. */
int ks_agent_prompt(struct ks_agent *agent, const struct ks_prompt *prompt,
	struct ks_err *err);
void ks_agent_cancel(struct ks_agent *agent);
void ks_agent_stop(struct ks_agent *agent);
int ks_agent_answer(struct ks_agent *agent, const struct ks_answer *answer,
	struct ks_err *err);
int ks_agent_set_mode(struct ks_agent *agent, const char *mode, struct ks_err *err);
int ks_agent_steer(struct ks_agent *agent, const struct ks_prompt *prompt,
	struct ks_err *err);
bool ks_agent_owns(const struct ks_agent *agent, pid_t pid);
bool ks_agent_holds_key(const struct ks_agent *agent, struct ks_str text);
void ks_agent_free(struct ks_agent *agent);

#endif
