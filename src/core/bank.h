#ifndef KSEEK_CORE_BANK_H
#define KSEEK_CORE_BANK_H
/*
 * The question bank: records read from JSON text (one call a file; a user's
 * files are appended beside ours), looked up, filled with what is known of
 * this machine and campaign, and linted against the mechanical admission rules
 * L1 to L13. The record is documented by bank/schema.json.
 *
 * Pure: text comes in as slices. Entries live as long as their bank.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "core/layer.h"

enum ks_point { /* the moments at which a question may be asked */
	KS_POINT_START, KS_POINT_PLATEAU, KS_POINT_LIMIT,
	KS_POINT_COMPLETION, KS_POINT_WIN, KS_POINT_BREAK,
	KS_POINTS
};
const char *ks_point_name(enum ks_point point); /* "plateau"; static */
int ks_point_of(struct ks_str name);            /* -1 when unknown   */

enum ks_bank_target { KS_BANK_CUDA = 1, KS_BANK_CPU = 2 }; /* a set */
enum ks_bank_cost { KS_COST_LOW, KS_COST_MEDIUM, KS_COST_HIGH };
enum ks_bank_status {
	KS_BANK_DRAFT, KS_BANK_LINTED, KS_BANK_DRY_RUN, KS_BANK_ADMITTED,
	KS_BANK_RETIRED
};
const char *ks_bank_cost_name(enum ks_bank_cost cost);
const char *ks_bank_status_name(enum ks_bank_status status);

enum ks_cue_kind { KS_CUE_STALE, KS_CUE_NUMBER, KS_CUE_TEXT };
struct ks_cue {
	enum ks_cue_kind kind;
	int layer;         /* stale */
	const char *name;  /* number: the figure's name */
	const char *op;    /* number: < <= > >= = != */
	double value;
	const char **any;  /* text: words or phrases */
	size_t any_count;
};

struct ks_bank_list { /* of strings */
	const char **item;
	size_t count;
};

/* A stored answer: that the question can be answered by one measurement. */
struct ks_bank_run {
	const char *target, *command, *unit, *device, *date;
	const char *problem;      /* it was measured on, or NULL            */
	double value, ms;         /* ms: how long the command took, 0 unknown */
};

/* How the number is got: a shell command in a scratch copy of a campaign, and
 * which number of its output is the answer. */
enum ks_bank_take {
	KS_TAKE_LAST, KS_TAKE_FIRST, KS_TAKE_SUM, KS_TAKE_MAX, KS_TAKE_MIN, KS_TAKE_COUNT
};
struct ks_bank_recipe {
	const char *target, *command, *unit;
	const char *match;        /* pattern whose first group (else all of it)
	                           * is the number; NULL: any number        */
	enum ks_bank_take take;
	const char *problem;      /* a shipped problem; NULL: any campaign  */
	struct ks_bank_list builds; /* by name, made before it, once a scratch */
	struct ks_bank_list needs;
	double limit_s;
};

struct ks_bank_build { /* of a recipe file: shared by its recipes */
	const char *name, *target, *command;
	double limit_s;
};

struct ks_bank_gap { /* not run, and why */
	const char *target, *why;
};

/* Problems that an operator file is for: patterns of the definition's name,
 * where * stands for anything, and tags of it. */
struct ks_bank_match {
	struct ks_bank_list names, tags;
};

struct ks_bank_entry {
	const char *id;           /* "H-03"; a user's: "U-H-01"             */
	int group;                /* enum ks_layer                          */
	const char *question;     /* what the agent sees, {placeholders} in */
	const char *question_cpu; /* wording for cpu, or NULL: the first    */
	unsigned targets;         /* enum ks_bank_target                    */
	unsigned points;          /* 1 << enum ks_point                     */
	struct ks_cue *cues;
	size_t cue_count;
	const char *quantity;
	struct ks_bank_list tools, tools_cpu; /* tools_cpu empty: as tools  */
	struct ks_bank_list must_report, stale_when;
	const char *bound, *bound_cpu;        /* bound_cpu NULL: as bound   */
	struct ks_bank_list arch_params;
	enum ks_bank_cost cost;
	struct ks_bank_list needs, needs_cpu; /* "gpu_counters", "root", …  */
	bool rejects_limit;       /* asks whose limit it is                 */
	bool unsafe_build;        /* its test build may give wrong results:
	                           * never keep one                         */
	struct ks_bank_list resources; /* claimed resources it refutes      */
	struct ks_bank_list provenance;
	const char *reason;       /* why a lint warning stands, or NULL     */
	const char *kind;         /* "core", "arch", "operator", "user"     */
	const char *scope;        /* arch: prefixes "sm_80|sm_86"; operator: its
	                           * name; or NULL                          */
	const struct ks_bank_match *match;
	const char *refines;      /* core entry that is asked first, or NULL */
	enum ks_bank_status status;
	struct ks_bank_run *runs;
	size_t run_count, run_cap;
	struct ks_bank_recipe *recipes;
	size_t recipe_count, recipe_cap;
	struct ks_bank_gap *gaps;
	size_t gap_count, gap_cap;
	const char *source;       /* the file's label, for messages         */
};

struct ks_bank; /* opaque */
struct ks_bank *ks_bank_new(void);
void ks_bank_free(struct ks_bank *bank);
/* Appends the entries of one file; label names it in messages. All or
 * nothing. KS_EINVAL with the JSON path, KS_EEXISTS for an id already there,
 * KS_ELIMIT above 4096 entries. */
int ks_bank_load(struct ks_bank *bank, struct ks_str json, const char *label,
	struct ks_err *err);
/* Adds what one file of bank/dryruns says to the entries that are there: recipes,
 * reasons, or runs. A run of an id that is not there is passed over (its
 * question is gone); a recipe of one is refused. All or nothing. */
int ks_bank_load_dryruns(struct ks_bank *bank, struct ks_str json, const char *label,
	struct ks_err *err);
size_t ks_bank_count(const struct ks_bank *bank);
const struct ks_bank_entry *ks_bank_at(const struct ks_bank *bank, size_t i);
/* NULL when there is none. Letter case does not matter. */
const struct ks_bank_entry *ks_bank_find(const struct ks_bank *bank,
	struct ks_str id);
ptrdiff_t ks_bank_index(const struct ks_bank *bank, struct ks_str id);
/* The wording for one target. */
const char *ks_bank_text(const struct ks_bank_entry *entry, unsigned target);
const struct ks_bank_list *ks_bank_tools(const struct ks_bank_entry *entry,
	unsigned target);
const struct ks_bank_list *ks_bank_needs(const struct ks_bank_entry *entry,
	unsigned target);
/* The recipe for a target, or NULL. */
const struct ks_bank_recipe *ks_bank_recipe(const struct ks_bank_entry *entry, unsigned target);
/* The newest stored run for a target, or NULL. */
const struct ks_bank_run *ks_bank_run(const struct ks_bank_entry *entry, unsigned target);
const struct ks_bank_build *ks_bank_build(const struct ks_bank *bank, unsigned target,
	struct ks_str name);
const char *ks_bank_target_name(unsigned target);
/* The number that a recipe takes from the output of its command. KS_EINVAL with
 * what was looked for when there is none. */
int ks_bank_take(double *out, const struct ks_bank_recipe *recipe, struct ks_str output,
	struct ks_err *err);
/* Whether an entry is for this campaign: true for core and user entries; an arch
 * file by the words of arch ("cuda sm_90a"), an operator file by name and tags
 * (words, one blank between) of the definition. */
bool ks_bank_in_scope(const struct ks_bank_entry *entry, struct ks_str arch,
	struct ks_str name, struct ks_str tags);
/* Whether every word of query (letter case apart) is in the text. */
bool ks_bank_said(const char *text, struct ks_str query);
/* Whether every word of query is in id, texts, bound, quantity or layer's name. */
bool ks_bank_matches(const struct ks_bank_entry *entry, struct ks_str query);

/* ---- filling ---- */
struct ks_bank_value {
	struct ks_str key, value; /* "sm_count", "132" */
};
/* Appends the wording with placeholders filled from values; one whose value is
 * unknown becomes neutral words ("the processors of this device"). Values are
 * one line; the caller sanitises foreign text. */
void ks_bank_fill(struct ks_buf *out, const struct ks_bank_entry *entry,
	unsigned target, const struct ks_bank_value *values, size_t count);
/* The neutral words of a placeholder, NULL for one not in the table. */
const char *ks_bank_fallback(struct ks_str key);

/* ---- lint ---- */
/* accepted: a warning with a reason on record; open: no run is stored yet */
enum ks_lint_level { KS_LINT_ERROR, KS_LINT_WARNING, KS_LINT_ACCEPTED, KS_LINT_OPEN };
struct ks_lint {
	int rule;             /* 1..14 for L1..L14 */
	enum ks_lint_level level;
	const char *id;       /* entry, or NULL for the whole bank; lent      */
	bool cpu;             /* about the cpu wording                        */
	char text[160];       /* what, and what to do                         */
};
struct ks_lints {
	struct ks_lint *item;
	size_t count, cap;
};
void ks_lints_fini(struct ks_lints *lints);
/* L1..L10 and L12 of one entry, appended. */
void ks_bank_lint_entry(struct ks_lints *out, const struct ks_bank_entry *entry);
/* All entries, and L11 and L13 over the core ones. with_runs adds L14: open where
 * a target has no stored run, an error where the status says more than that. */
void ks_bank_lint(struct ks_lints *out, const struct ks_bank *bank,
	bool with_runs);
size_t ks_lints_errors(const struct ks_lints *lints);

#endif
