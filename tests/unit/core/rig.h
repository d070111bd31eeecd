#ifndef KSEEK_TESTS_CORE_RIG_H
#define KSEEK_TESTS_CORE_RIG_H
/*
 * An engine without a world: commands go in, events are appended to a log in
 * memory and folded, what follows is decided, and effects are written down as
 * lines of text. Time moves by one second a command, or as told.
 */
#include "core/command.h"
#include "core/moment.h"

struct rig {
	struct ks_state state;
	struct ks_policy policy;
	struct ks_bank *bank;
	struct ks_claim_set *claims;
	int64_t seq, t;
	bool fresh;            /* the test itself answers eval-fresh */
	int64_t evals;         /* ids of evaluations begun by rig_eval */
	struct ks_buf log;     /* lines */
	struct ks_buf effects; /* lines: "prompt 3 TEXT", "timer bank 30000", ... */
	struct ks_err err;
};

/* A campaign with three scenarios (fast, wide, odd), a goal of two clauses
 * (every scenario correct; geomean speedup >= 2) and a running engine. */
void rig_init(struct rig *rig, const char *mode);
/* The same without a campaign: an empty log. */
void rig_init_empty(struct rig *rig);
void rig_fini(struct rig *rig);

/* One command; args is the JSON text of an object. */
int rig_do(struct rig *rig, enum ks_cmd kind, enum ks_by by, const char *args, ...)
	__attribute__((format(printf, 4, 5)));
/* Something observed: a kind and the members of its event. */
void rig_see(struct rig *rig, enum ks_by by, const char *kind, const char *members, ...)
	__attribute__((format(printf, 4, 5)));
void rig_timer(struct rig *rig, const char *name);
void rig_say(struct rig *rig, const char *text);

/* Agent and turns. */
void rig_agent(struct rig *rig);
void rig_turn(struct rig *rig);
void rig_turn_end(struct rig *rig, const char *how);
void rig_tool(struct rig *rig, const char *tool, const char *text);
void rig_calls(struct rig *rig, int count);
void rig_said(struct rig *rig, const char *text);

/* A new campaign whose agent works in its first turn; mode human. */
void rig_working(struct rig *rig);
/* The agent says that a limit is reached. */
void rig_limit(struct rig *rig);
/* A new campaign whose agent has done one turn with a call, ended as told. */
void rig_one_turn(struct rig *rig, const char *mode, const char *how);

/* A whole evaluation of new sources, all scenarios with this speedup (0: all
 * wrong). Edits first. Returns the candidate's number. The confirming run that
 * is asked for is not made. */
int rig_eval(struct rig *rig, double speedup);
/* The confirming run of the candidate evaluated last. */
void rig_confirm(struct rig *rig, int candidate, double speedup);
void rig_eval_named(struct rig *rig, const char *only, bool correct);

bool rig_did(const struct rig *rig, const char *text); /* an effect holds this */
void rig_forget(struct rig *rig);                       /* effects so far */
const struct ks_moment *rig_open(const struct rig *rig);/* or NULL */
enum ks_moment_kind rig_open_kind(const struct rig *rig);
int rig_moments(const struct rig *rig, enum ks_moment_kind kind);
/* The last event of a kind in the log, its raw line; "" without. Gives. */
char *rig_last(const struct rig *rig, const char *kind);
/* Folds the log again, into an initialised state. */
void rig_refold(const struct rig *rig, struct ks_state *state);
void fold_lines(struct ks_state *state, struct ks_str lines, int64_t from, int64_t to);

#endif
