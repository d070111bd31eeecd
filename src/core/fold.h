#ifndef KSEEK_CORE_FOLD_H
#define KSEEK_CORE_FOLD_H
/*
 * Inside the fold: what the files of evolve share. One function a group of
 * kinds; each may rely on the envelope only, since fields are foreign: a
 * missing or odd field gives a default, never a fault.
 */
#include "core/state.h"

/* Copies a member's text, clipped between code points; "" without. */
void ks_fold_text(char *out, size_t size, const struct ks_json *doc, const char *key);
/* A whole number clipped into int. */
int ks_fold_int(const struct ks_json *doc, const char *key, int fallback);

size_t ks_fold_row(struct ks_state *state, const struct ks_event *event);
/* Marks a row as ended by this event. */
void ks_fold_row_end(struct ks_state *state, size_t row, const struct ks_event *event);

void ks_fold_scenario(struct ks_state *state, const struct ks_event *event);
void ks_fold_seed(struct ks_state *state, const struct ks_event *event);
void ks_fold_committed(struct ks_state *state, const struct ks_event *event);
void ks_fold_eval(struct ks_state *state, const struct ks_event *event);
void ks_fold_champion(struct ks_state *state, const struct ks_event *event);

void ks_fold_goal_lines(struct ks_state *state, const struct ks_json *lines);
void ks_fold_goal(struct ks_state *state, const struct ks_event *event);

void ks_fold_tool(struct ks_state *state, const struct ks_event *event);
/* Whether the campaign's kernels run on a processor. */
bool ks_fold_on_cpu(const struct ks_state *state);
/* The call that a tool.started or tool.updated tells of, as it is classified. */
void ks_fold_call(struct ks_call *out, const struct ks_state *state,
	const struct ks_event *event);
void ks_fold_changed(struct ks_state *state, const struct ks_event *event);

/* What the agent asks, and what it says of itself. */
void ks_fold_ask(struct ks_state *state, const struct ks_event *event);
void ks_fold_self(struct ks_state *state, const struct ks_event *event);

void ks_fold_message(struct ks_state *state, const struct ks_event *event);
void ks_fold_act(struct ks_state *state, const struct ks_event *event);
void ks_fold_said(struct ks_state *state, const struct ks_event *event);
/* Counts what was measured for the outcome of the last messages. */
void ks_fold_measured(struct ks_state *state, const struct ks_call_class *class);
/* An evaluation that no call of an agent's has shown: a person's. */
void ks_fold_evaluated(struct ks_state *state);
/* What a call that has ended printed: figures of what it measures may answer. */
void ks_fold_printed(struct ks_state *state, const struct ks_tool *tool, const char *text);
void ks_fold_process(struct ks_state *state, const struct ks_event *event);
void ks_fold_moment(struct ks_state *state, const struct ks_event *event);

/* A few classified calls by the hash of what was classified: the class of a
 * call depends on nothing else. */
struct ks_memo *ks_memo_new(void);
void ks_memo_free(struct ks_memo *memo);
const struct ks_call_class *ks_memo_classify(struct ks_memo *memo, const struct ks_call *call);

/* Results of one evaluation, and what they add up to: speedups of the visible
 * scenarios, since a mean over all would tell of the others. */
void ks_results_free(struct ks_result *results, size_t count);
void ks_figures_of(struct ks_figures *out, const struct ks_scenario *scenarios,
	const struct ks_result *results, size_t count);

#endif
