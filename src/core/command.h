#ifndef KSEEK_CORE_COMMAND_H
#define KSEEK_CORE_COMMAND_H
/*
 * Commands in, events and effects out. Every input of the engine is a command:
 * a key or a CLI call (over the socket), something observed of the agent, an
 * evaluation's line, a timer that fired. It carries the time; nothing in core
 * reads a clock.
 *
 *   ks_decide(state, command) -> events + effects      (asked for)
 *   ks_react(state, event)    -> events + effects      (follows from history)
 *
 * The engine appends the events, evolves the state with each, calls ks_react
 * after each, and then carries out the effects in order; what follows from an
 * event goes to the end of the list. Both are pure. Replay evolves only, so it
 * never restarts an agent or a build.
 *
 * Timers by name: "bank" (the top offer goes), "human" (nobody answered the
 * moment at a turn's end), "sendback" (the floor between two send-backs is
 * over), "retry" (after a turn that ended with an error), "fresh" (the answer to
 * EVAL_FRESH where there is nothing to measure).
 * EVAL_START names evaluations by id; the engine keeps what belongs to an id
 * and runs them one after the other.
 */
#include "base/buf.h"
#include "base/json.h"
#include "core/bank.h"
#include "core/claim.h"
#include "core/event.h"
#include "core/permit.h"
#include "core/rank.h"
#include "core/state.h"

enum ks_cmd {
	KS_CMD_NONE = 0,
	/* from people and programs, over the socket */
	KS_CMD_SAY,          /* {text, moment?, question?, via, now?, steer?} to the
	                      * agent. While a turn runs: behind it; now: the turn is
	                      * cancelled; steer: into it, where the agent takes that */
	KS_CMD_NOTE,         /* {text}                                            */
	KS_CMD_DISMISS,      /* {moment}                                          */
	KS_CMD_MODE,         /* {mode}                                            */
	KS_CMD_ACT,          /* {act, message?} sets the act of a message, else of the
	                      * person's last one                                 */
	KS_CMD_INTERRUPT,    /* {} cancel the turn                                */
	KS_CMD_AGENT_START,  /* {} (engine knows the driver)                      */
	KS_CMD_STOP,         /* {why} stop agent and engine                       */
	KS_CMD_EVAL,         /* {files_hash, source?, only?, set?, perf, parent}  */
	/* observed */
	KS_CMD_OBSERVED,     /* {kind:"tool.started", ...fields}: becomes that event */
	KS_CMD_TIMER,        /* {name}                                            */
	KS_CMD_LOG_STOPPED,  /* {text}                                            */
	KS_CMD_ANSWER,       /* {ask?, option?|kind?, text?, values?} to the agent    */
	KS_CMD_AGENT_MODE,   /* {mode} the agent's own                            */
	KS_CMD_UNQUEUE,      /* {id, text?} takes back a message that waits, or
	                      * puts another text in its place                    */
	KS_CMD_TOUCH         /* {} a key was pressed: the bank's timer starts anew */
};

struct ks_command {
	enum ks_cmd kind;
	int64_t t;                  /* microseconds since 1970 */
	enum ks_by by;
	const struct ks_json *args; /* borrowed */
};

enum ks_effect_kind {
	KS_FX_AGENT_START, KS_FX_AGENT_PROMPT, /* id: message, text */
	KS_FX_AGENT_STEER,   /* the same, into the running turn */
	KS_FX_AGENT_CANCEL, KS_FX_AGENT_STOP,
	KS_FX_AGENT_ANSWER,  /* text: JSON {ask, option?, kind?, text?, values?}  */
	KS_FX_AGENT_MODE,    /* text: the mode's id                               */
	KS_FX_EVAL_START,    /* id: evaluation; confirm */
	KS_FX_EVAL_FRESH,    /* the turn has ended: measure the working copy unless
	                      * a full evaluation knows it or is on it. Answered by
	                      * that evaluation's end, or at once by timer "fresh" */
	KS_FX_TIMER,         /* text: name, ms from now; same name re-arms */
	KS_FX_TIMER_CANCEL,  /* text: name */
	KS_FX_ENGINE_STOP
};

struct ks_effect {
	enum ks_effect_kind kind;
	int64_t id;
	int64_t ms;
	bool flag;
	int candidate; /* EVAL_START with flag (confirm): its number; else -1 */
	char *text; /* owned by the list */
};

struct ks_new_event {
	enum ks_ev kind;
	enum ks_by by;
	char *fields;  /* JSON members without braces, "" for none; owned by the list */
};

struct ks_out {
	struct ks_new_event *events;
	size_t n_events, cap_events;
	struct ks_effect *effects;
	size_t n_effects, cap_effects;
};

void ks_out_init(struct ks_out *out);
void ks_out_fini(struct ks_out *out);
/* fields: taken over from buf (emptied). */
void ks_out_event(struct ks_out *out, enum ks_ev kind, enum ks_by by, struct ks_buf *fields);
struct ks_effect *ks_out_effect(struct ks_out *out, enum ks_effect_kind kind, int64_t id,
	const char *text);

/* What decisions may depend on beside the state; constant for an engine's life. */
struct ks_policy {
	const struct ks_bank *bank;     /* questions; may be NULL */
	int64_t bank_wait_ms;    /* bank mode: 30 000 without a key, then the top offer goes */
	int64_t human_wait_ms;   /* human mode: so long the moment at a turn's end waits
	                          * for a person, then the clauses go alone; 0: for ever */
	int64_t sendback_floor_ms;  /* least time between two send-backs */
	bool fresh_eval;         /* at a turn's end code that was never measured is, before
	                          * the goal is computed */
	int idle_turn_limit;     /* turns without a tool call before it stops sending back */
	bool unattended;         /* no console can come: offers go at once, and when
	                          * nothing is left to do the engine is stopped */
	bool start_waits;        /* human mode: the brief waits for the first message */
	int retry_limit;         /* turns in a row that end with an error */
	int64_t retry_ms;        /* wait before the first retry; doubles */
	const char *brief;       /* first message of an agent; NULL: a sentence that
	                          * names AGENTS.md. Borrowed, as all below */
	const struct ks_claim_set *claims; /* without it no sentence is a claim */
	const struct ks_bank_value *values; /* for placeholders of questions */
	size_t n_values;
	const struct ks_str *has;/* what this machine offers, for `needs` */
	size_t n_has;
	const char *arch, *op;   /* scopes of entries to let in, or NULL */
	const struct ks_payoff *payoffs; /* of questions in campaigns so far */
	size_t n_payoffs;
	/* what the agent may do without being asked about */
	const struct ks_permit *permits;
	size_t n_permits;
	const char *folder;      /* the campaign's, absolute; NULL: nothing is inside */
	/* plateau */
	int plateau_evals;       /* evaluations without a gain beyond the noise */
	int plateau_calls;       /* tool calls without a gain */
	int64_t plateau_ms;
	int moment_distance;     /* tool calls between two moments of a kind */
	int moment_rest;         /* so many times longer a dismissed kind rests  */
	int quiet_distance;      /* tool calls between two quiet notes of a kind */
	int quiet_repeats;       /* evaluations of the same code                 */
	int quiet_edits;         /* edits in a row without a measurement         */
	int quiet_own_pct;       /* per cent of what is printed: its own source  */
};
void ks_policy_default(struct ks_policy *policy);
#define KS_POLICY_MOST 1000000000 /* of any number, in its name's unit */
/* Sets a number by its name in campaign.json ("plateau_min"), in that unit; one
 * below 0 or above KS_POLICY_MOST changes nothing. False: no such name. */
bool ks_policy_set(struct ks_policy *policy, const char *name, int64_t value);
/* The numbers that detectors depend on: as members, and taken from an object
 * again. What is missing there or out of range stays as it is. */
void ks_policy_write(const struct ks_policy *policy, struct ks_jw *w);
void ks_policy_read(struct ks_policy *policy, const struct ks_json *object);

int ks_decide(const struct ks_state *state, const struct ks_policy *policy,
	const struct ks_command *command, struct ks_out *out, struct ks_err *err);
void ks_react(const struct ks_state *state, const struct ks_policy *policy,
	const struct ks_event *event, struct ks_out *out);

#endif
