#ifndef KSEEK_CORE_EVENT_H
#define KSEEK_CORE_EVENT_H
/*
 * Events: what happened, one JSON object a line of the campaign's log.
 *
 *   {"seq":N,"t":MICROSECONDS,"kind":"tool.started","by":"agent", fields...}
 *
 * The log's writer gives seq (from 1, without gaps) and t (wall clock since
 * 1970). Every kind and its fields: docs/events.md. A kind that is not known
 * here is KS_EV_UNKNOWN: it is kept byte for byte, shown raw, exported as it
 * was, and changes no state.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

enum ks_ev {
	KS_EV_UNKNOWN = 0,
	KS_EV_CAMPAIGN_CREATED,   /* "campaign.created"   */
	KS_EV_SCENARIO_DECLARED,  /* "scenario.declared"  */
	KS_EV_ENGINE_STARTED,     /* "engine.started"     */
	KS_EV_ENGINE_STOPPED,     /* "engine.stopped"     */
	KS_EV_AGENT_STARTED,      /* "agent.started"      */
	KS_EV_AGENT_EXITED,       /* "agent.exited"       */
	KS_EV_TURN_STARTED,       /* "turn.started"       */
	KS_EV_TURN_ENDED,         /* "turn.ended"         */
	KS_EV_MESSAGE_QUEUED,     /* "message.queued"     */
	KS_EV_MESSAGE_SENT,       /* "message.sent"       */
	KS_EV_AGENT_SAID,         /* "agent.said"         */
	KS_EV_AGENT_THOUGHT,      /* "agent.thought"      */
	KS_EV_TOOL_STARTED,       /* "tool.started"       */
	KS_EV_TOOL_ENDED,         /* "tool.ended"         */
	KS_EV_FILE_CHANGED,       /* "file.changed"       */
	KS_EV_EVAL_QUEUED,        /* "eval.queued"        */
	KS_EV_EVAL_STARTED,       /* "eval.started"       */
	KS_EV_EVAL_SCENARIO,      /* "eval.scenario"      */
	KS_EV_EVAL_EVIDENCE,      /* "eval.evidence"      */
	KS_EV_EVAL_FINISHED,      /* "eval.finished"      */
	KS_EV_EVAL_FAILED,        /* "eval.failed"        */
	KS_EV_CANDIDATE_COMMITTED,/* "candidate.committed"*/
	KS_EV_CHAMPION_CHANGED,   /* "champion.changed"   */
	KS_EV_GOAL_COMPUTED,      /* "goal.computed"      */
	KS_EV_GOAL_SENT_BACK,     /* "goal.sent_back"     */
	KS_EV_MOMENT_RAISED,      /* "moment.raised"      */
	KS_EV_MOMENT_ANSWERED,    /* "moment.answered"    */
	KS_EV_MOMENT_DISMISSED,   /* "moment.dismissed"   */
	KS_EV_MODE_SET,           /* "mode.set"           */
	KS_EV_NOTE_ADDED,         /* "note.added"         */
	KS_EV_NOTICE,             /* "notice"             */
	KS_EV_COMMAND_REFUSED,    /* "command.refused"    */
	KS_EV_LOG_HASH,           /* "log.hash"           */
	KS_EV_TOOL_UPDATED,       /* "tool.updated"       */
	KS_EV_PERMISSION_ASKED,   /* "permission.asked"   */
	KS_EV_PERMISSION_ANSWERED,/* "permission.answered"*/
	KS_EV_AGENT_ASKED,        /* "agent.asked"        */
	KS_EV_AGENT_ANSWERED,     /* "agent.answered"     */
	KS_EV_AGENT_SESSION,      /* "agent.session"      */
	KS_EV_AGENT_MODE,         /* "agent.mode"         */
	KS_EV_AGENT_USAGE,        /* "agent.usage"        */
	KS_EV_AGENT_PLAN,         /* "agent.plan"         */
	KS_EV_ACT_CORRECTED,      /* "act.corrected"      */
	KS_EV_PROCESS_RAN,        /* "process.ran"        */
	KS_EV_MESSAGE_REVISED,    /* "message.revised"    */
	KS_EV_HOOK_RAN,           /* "hook.ran"           */
	KS_EV_COUNT
};

enum ks_by {
	KS_BY_OTHER = 0, KS_BY_HUMAN, KS_BY_AGENT, KS_BY_EVALUATOR, KS_BY_ENGINE
};

struct ks_event {
	int64_t seq;
	int64_t t;                 /* microseconds since 1970              */
	enum ks_ev kind;
	enum ks_by by;
	const struct ks_json *doc; /* the whole line; lent, see parse      */
	struct ks_str raw;         /* the line without newline; borrowed   */
};

const char *ks_ev_name(enum ks_ev kind);      /* "tool.started"; static */
enum ks_ev ks_ev_from_name(const char *name);
const char *ks_by_name(enum ks_by by);
enum ks_by ks_by_from_name(const char *name);
/* Whether the writer must have it on disk before anyone is told (human
 * messages, verdicts, candidate commits, champion, goal). */
bool ks_ev_is_synced(enum ks_ev kind);

/* Parses a line. *out borrows `line` and owns a parsed document that
 * ks_event_fini frees. KS_EINVAL when the envelope is broken. */
int ks_event_parse(struct ks_event *out, struct ks_str line, struct ks_err *err);
void ks_event_fini(struct ks_event *event);

/* Longest line, and what of a longer body stays in the event as a preview:
 * agent text keeps its first and last 2 KiB, other bodies the first 4 KiB. */
#define KS_EVENT_LINE_MAX (64 * 1024)
#define KS_EVENT_PREVIEW 4096

#endif
