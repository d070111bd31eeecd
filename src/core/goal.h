#ifndef KSEEK_CORE_GOAL_H
#define KSEEK_CORE_GOAL_H
/*
 * The goal: lines of a small language (docs/goal.md), parsed into clauses and
 * computed over the results of one evaluation. A clause is met, not met or
 * unknown; unknown is not met. Nothing here judges: it counts and compares.
 *
 * Pure. Results come in as plain structs.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

#define KS_GOAL_MAX_CLAUSES 64
#define KS_GOAL_MAX_LINE 512

struct ks_goal; /* parsed clauses */

/* Where a parse failed, for a caret. */
struct ks_goal_where {
	size_t line;   /* index into the lines, from 0      */
	size_t column; /* byte in that line, from 0         */
	size_t length; /* bytes of the offending word, >= 1 */
};

/* Parses lines (blank ones are skipped). out_where may be NULL. KS_EINVAL with
 * line, column and what was expected; an empty goal is an error. */
int ks_goal_parse(struct ks_goal **out, const struct ks_str *lines, size_t count,
	struct ks_goal_where *out_where, struct ks_err *err);
void ks_goal_free(struct ks_goal *goal);
size_t ks_goal_count(const struct ks_goal *goal);
/* The clause in its canonical form; lends. */
const char *ks_goal_text(const struct ks_goal *goal, size_t clause);
/* The i-th library, from 0, that a "no library" clause names; lends. False when
 * there are no more. */
bool ks_goal_library(struct ks_str *out, const struct ks_goal *goal, size_t i);
/* Appends the line and below it a caret under the column, two lines. */
void ks_goal_caret(struct ks_buf *out, struct ks_str line,
	const struct ks_goal_where *where);

/* ---- evaluation ---- */
struct ks_goal_scenario {
	struct ks_str name, set;
	bool heldout;
	bool measured; /* for exactly this code                      */
	bool timed;    /* speedup, lo, hi are valid (an incorrect one
	                * is 0 without)                              */
	bool correct;
	double speedup, lo, hi;
	double roofline; /* share 0..1 reached, NaN when unknown     */
	double roofline_lo, roofline_hi; /* NaN: taken from lo and hi */
};

/* An axis, dtype axis or scalar input of a scenario. Sets one of the two and
 * returns 1 for a number, 2 for a word; 0 when there is none of that name. */
typedef int ks_goal_axis_fn(const void *user, size_t scenario, struct ks_str axis,
	double *out_number, struct ks_str *out_word);

struct ks_goal_facts {
	const struct ks_goal_scenario *scenarios;
	size_t count;
	ks_goal_axis_fn *axis; /* NULL: no axis is known */
	const void *user;
	bool symbols_known;    /* the built binary was looked at           */
	const struct ks_str *symbols; /* its needed libraries and symbols  */
	size_t symbol_count;
	bool lines_known;
	size_t source_lines;
	bool confirmed;        /* by a confirming run; for ks_goal_met     */
	/* The evaluator's own geometric mean over all visible scenarios with its 95 %
	 * interval, which knows what its workers had in common; 0: none. */
	double mean, mean_lo, mean_hi;
};

enum ks_goal_outcome { KS_GOAL_UNKNOWN, KS_GOAL_NO, KS_GOAL_YES };

struct ks_goal_result {
	enum ks_goal_outcome outcome;
	bool has_figure;
	double figure, lo, hi; /* worst, mean or count's figure, with interval */
	size_t n, m;           /* n of m scenarios (or lines) hold             */
	size_t unmeasured;     /* of m                                         */
	ptrdiff_t worst;       /* index of the worst scenario, or -1           */
	char text[256];        /* one line for the console, never a held-out
	                        * scenario's name                              */
};

void ks_goal_eval(struct ks_goal_result *out, const struct ks_goal *goal,
	size_t clause, const struct ks_goal_facts *facts);
/* All clauses into out[ks_goal_count]; returns how many are met. */
size_t ks_goal_eval_all(struct ks_goal_result *out, const struct ks_goal *goal,
	const struct ks_goal_facts *facts);
/* Every clause met, and the confirming run was made. */
bool ks_goal_met(const struct ks_goal_result *results, size_t count,
	const struct ks_goal_facts *facts);

#endif
