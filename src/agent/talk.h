#ifndef KSEEK_AGENT_TALK_H
#define KSEEK_AGENT_TALK_H
/*
 * What drivers that talk to an agent have in common: turns, pieces of text that
 * are merged, tool calls by their ids, questions that are open, usage, silence.
 * It turns what was seen into reports, in order; all of it is bounded, however
 * long the agent lives.
 *
 * Its functions report, so they are called from the loop only; those that a
 * driver's own functions (prompt, cancel, answer) may call are marked "quiet":
 * what they have to report comes with the next turn of the loop.
 */
#include <stdbool.h>
#include <stdint.h>

#include "agent/clip.h"
#include "agent/internal.h"

struct ks_talk_call;
struct ks_talk_done;

struct ks_ask {              /* a question that is open */
	char *ask;           /* our id */
	char *wire;          /* theirs: whatever the driver answers by */
	bool form;           /* agent.asked, else permission.asked */
	struct ks_json *doc; /* what was asked, as the driver gave it; may be NULL */
	const char *why;     /* answered by nobody: static word, else NULL */
};

struct ks_talk {
	struct ks_agent *agent;
	char *folder;
	/* the turn */
	bool in_turn, announced, cancelling;
	int64_t turn, message, calls;
	bool spoke;          /* text came in this turn */
	struct ks_buf last;  /* text since the last tool call, its end */
	/* text */
	enum ks_ev piece_kind;
	char piece_id[96];
	struct ks_buf piece;
	int64_t piece_t0;
	struct ks_timer *piece_timer;
	/* calls */
	struct ks_talk_call **open;
	size_t n_open, cap_open;
	struct ks_talk_done *done; /* ring of those that have ended */
	size_t n_done;
	struct ks_timer *hold;
	/* questions */
	struct ks_ask *asks;
	size_t n_asks, cap_asks;
	int64_t ask_serial;
	/* usage */
	struct ks_buf usage, usage_told;
	struct ks_timer *usage_timer;
	/* silence */
	struct ks_timer *stall;
	int64_t stall_ms;
	bool stalled;
};

void ks_talk_init(struct ks_talk *talk, struct ks_agent *agent,
	const struct ks_agent_setup *setup);
void ks_talk_fini(struct ks_talk *talk);

/* ---- turns ---- */
void ks_talk_begin(struct ks_talk *talk, int64_t message); /* quiet */
/* Reports turn.started if that was not done; all below do so first. */
void ks_talk_announce(struct ks_talk *talk);
/* how as in turn.ended; text (of an error) and stop (their word) may be "". What
 * is open of a cancelled turn ends with it. */
void ks_talk_end(struct ks_talk *talk, const char *how, struct ks_str text, const char *stop);
/* The agent is gone: everything that is open ends. */
void ks_talk_gone(struct ks_talk *talk, const char *why);
/* Something came: the silence starts anew. */
void ks_talk_heard(struct ks_talk *talk);

void ks_talk_notice(struct ks_talk *talk, const char *level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- text: KS_EV_AGENT_SAID or KS_EV_AGENT_THOUGHT ---- */
/* id: of the message it belongs to, or ""; another id or kind closes a piece. */
void ks_talk_text(struct ks_talk *talk, enum ks_ev kind, const char *id, struct ks_str text);
void ks_talk_flush(struct ks_talk *talk);

/* ---- tool calls ---- */
/* What is seen of a call, now. NULL, an empty text and -1: nothing new. */
struct ks_sight {
	const char *call;    /* id */
	const char *name, *kind, *title, *parent, *path;
	struct ks_str text;  /* command line, path, what to look for */
	bool fresh;          /* said to be a new call, not news of one: an id that
	                      * ended in an earlier turn is used again */
	bool begun;          /* it runs, so it is told of even without its text */
	bool ended, ok;
	int64_t status;      /* exit status */
	bool has_output, more; /* output replaces what was; more: is appended */
	struct ks_str output;
	bool has_diff;
	const char *before, *after; /* texts of the file, or NULL */
};
void ks_talk_sight(struct ks_talk *talk, const struct ks_sight *sight);
/* Ends every open call as cancelled. */
void ks_talk_calls_end(struct ks_talk *talk);

/* ---- questions ---- */
/* False when so many are open that another one is to be refused. */
bool ks_talk_may_ask(const struct ks_talk *talk);
/* Makes an entry and begins its report: members "ask", "call", "parent",
 * "tool", "title", "text", "path" of a known call are written. The caller adds
 * "options" and sends it as permission.asked. wire is copied. */
const char *ks_talk_permission(struct ks_talk *talk, struct ks_report *report,
	const char *call, const char *wire, struct ks_json *doc);
/* The same for a form: members "ask" and "call"; the caller adds "text" and
 * "fields" and sends it as agent.asked. Takes doc, as above. */
const char *ks_talk_form(struct ks_talk *talk, struct ks_report *report,
	const char *call, const char *wire, struct ks_json *doc);
/* By our id or by theirs; NULL: not open. Lent until the next change. */
struct ks_ask *ks_talk_ask(struct ks_talk *talk, const char *ask); /* quiet */
struct ks_ask *ks_talk_ask_wire(struct ks_talk *talk, const char *wire); /* quiet */
void ks_talk_answered(struct ks_talk *talk, struct ks_ask *ask);   /* quiet */
/* Nobody answered it; reported with the next turn of the loop. why: static. */
void ks_talk_void(struct ks_talk *talk, struct ks_ask *ask, const char *why); /* quiet */

/* ---- usage: members of agent.usage ---- */
void ks_talk_usage_now(struct ks_talk *talk, struct ks_str members);
/* Told at most once a second, and only when it has changed. */
void ks_talk_usage(struct ks_talk *talk, struct ks_str members);

#endif
