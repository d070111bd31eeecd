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
	const char *const *files;/* working copy's source files, NULL-terminated */
	const char *exec;        /* path of kseek-exec */
	const char *kseek;       /* path of kseek, for the agent's PATH */
	const char *argument;    /* script: path of script.json; else unused */
	const char *const *env;  /* extra "K=V" for the agent; NULL: none */
	const char *mark;        /* value of KS_MARK for its processes; NULL: none */
};

struct ks_prompt {
	int64_t id;              /* of the message */
	struct ks_str text;
	const char *question;    /* bank id, or "" */
	char layer;              /* letter of the question's layer, or 0 */
};

struct ks_agent; /* one running agent; its first member names its driver */

struct ks_driver {
	const char *name;        /* "script", "manual" */
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
};

/* NULL for a name that is not known. */
const struct ks_driver *ks_driver_find(const char *name);
/* Names, NULL-terminated; static. */
const char *const *ks_driver_names(void);

/* Calls through the agent's own driver; NULL agents are allowed. */
int ks_agent_prompt(struct ks_agent *agent, const struct ks_prompt *prompt,
	struct ks_err *err);
void ks_agent_cancel(struct ks_agent *agent);
void ks_agent_stop(struct ks_agent *agent);
bool ks_agent_owns(const struct ks_agent *agent, pid_t pid);
void ks_agent_free(struct ks_agent *agent);

#endif
