#ifndef KSEEK_EXPORT_RECORD_H
#define KSEEK_EXPORT_RECORD_H
/*
 * What a transcript consists of. The walk turns events into records; Markdown
 * and JSON lines each write them in their way.
 */
#include <stdint.h>

#include "export/export.h"

enum ks_record_kind {
	KS_REC_HEAD,      /* the campaign; always first        */
	KS_REC_MESSAGE,   /* to the agent, with its outcome     */
	KS_REC_WAITING,   /* a message that was never sent      */
	KS_REC_SAID, KS_REC_THOUGHT,
	KS_REC_TOOLS,     /* consecutive tool calls             */
	KS_REC_CHANGES,   /* what a new candidate changed       */
	KS_REC_CANDIDATE, /* an evaluation that ended           */
	KS_REC_CHAMPION,
	KS_REC_GOAL,      /* clauses computed                   */
	KS_REC_MOMENT, KS_REC_NOTE, KS_REC_NOTICE, KS_REC_TURN,
	KS_REC_AGENT,     /* started, exited                    */
	KS_REC_RAW,       /* unknown kind                       */
	KS_REC_MISSING,   /* an event that cannot be read       */
	KS_REC_FOOT       /* figures at the end; always last    */
};

#define KS_GROUP_KEPT 40   /* calls kept of one group */
#define KS_OUTPUT_LINES 8  /* kept of what a measuring call printed */

struct ks_item { /* one tool call */
	struct ks_buf title;  /* sanitised, one line; owned */
	struct ks_buf output; /* last lines of a measuring call's, sanitised; owned */
	int added, removed;   /* lines of an edit */
	int candidate;        /* what the edit became, or -1 */
	bool failed;
};

struct ks_group {
	int calls, failed;
	int64_t first_seq, last_seq, ms;
	int kinds[10];        /* by tool kind, see ks_group_kind_name */
	struct ks_item items[KS_GROUP_KEPT];
	int n_items;
};

#define KS_WRONG_KEPT 8
struct ks_wrong { /* of one evaluation */
	int64_t eval;
	int count;            /* of scenarios, those held out too */
	int n_names;
	char names[KS_WRONG_KEPT][64];
	char why[200];        /* the first reason, or "" */
};

const char *ks_group_kind_name(int kind);
#define KS_GROUP_KINDS 10

struct ks_record {
	enum ks_record_kind kind;
	const struct ks_state *state;      /* final */
	const struct ks_event *event;      /* NULL for HEAD, TOOLS, MISSING, FOOT */
	const struct ks_message *message;
	const struct ks_moment *moment;
	const struct ks_candidate *candidate;
	const struct ks_group *group;
	const struct ks_wrong *wrong;      /* of CANDIDATE, or NULL */
	bool unchanged;                    /* GOAL: as the one before */
	int64_t last_t;                    /* HEAD: of the last event */
	int64_t seq;
	double best;                       /* champion's geomean so far */
	struct ks_str body;                /* whole text of a message, saying, note; the diff */
	const char *edited;                /* of a message: ks_export_edited */
};

typedef void ks_record_fn(FILE *out, const struct ks_record *record);

ks_record_fn ks_export_md_record;
ks_record_fn ks_export_jsonl_record;

/* The question's own words where a message that carries one was sent in others:
 * the offer's at a moment, else those of the bank (if data has one). NULL: as it
 * was, or no question. Lends. */
const char *ks_export_edited(const struct ks_export_source *source,
	const struct ks_message *message, struct ks_str sent);
/* Clock time "2026-11-30 14:02:31" UTC of microseconds; pure. */
void ks_export_time(int64_t t, char *out, size_t size);

#endif
