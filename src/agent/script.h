#ifndef KSEEK_AGENT_SCRIPT_H
#define KSEEK_AGENT_SCRIPT_H
/*
 * A script for the `script` agent: a JSON file of steps.
 *
 *   {"kseek_script":1, "name":"...", "steps":[
 *     {"do":"say", "text":"...", "else":"..."} also "think", "claim"
 *     {"do":"shell", "cmd":"...", "limit_s":60, "take":{"name":"pattern"}}
 *     {"do":"edit", "file":"kernel.c", "from":"c03.c"}
 *     {"do":"eval", "args":["--no-perf"], "take":{"name":"pattern"}}
 *     {"do":"wait", "for":"human"}
 *     {"do":"branch", "on":"layer", "of":"last-question",
 *      "cases":{"H":"label"}, "else":"label"}
 *     {"do":"label", "name":"..."}  {"do":"goto", "label":"..."}
 *     {"do":"pause", "ms":500}      {"do":"end"} ]}
 *
 * A step with "when":"better same" is passed over unless the last evaluation came
 * out as one of these words says.
 *
 * docs/agents.md says what each does. A script that was read is valid: every
 * label is there, every file that it copies is there, no member is unknown.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/regex.h"

enum ks_script_do {
	KS_DO_SAY, KS_DO_THINK, KS_DO_CLAIM, KS_DO_SHELL, KS_DO_EDIT, KS_DO_EVAL,
	KS_DO_WAIT, KS_DO_BRANCH, KS_DO_LABEL, KS_DO_GOTO, KS_DO_PAUSE, KS_DO_END,
	KS_DOS
};

#define KS_SCRIPT_LAYERS "VHCRGMSPOX"
#define KS_SCRIPT_STEPS_MAX 10000
#define KS_SCRIPT_FILE_MAX (4u * 1024 * 1024)

/* What came of an evaluation; a set. */
enum ks_script_outcome {
	KS_OUTCOME_BETTER = 1, /* right, and faster than the best before it      */
	KS_OUTCOME_SAME = 2,   /* right, and not clearly faster or slower        */
	KS_OUTCOME_WORSE = 4,  /* right, and slower than the best before it      */
	KS_OUTCOME_WRONG = 8,  /* a scenario is incorrect                        */
	KS_OUTCOME_FAILED = 16 /* it was not evaluated: it does not build, ...   */
};

struct ks_script_take { /* a figure out of a command's output */
	char *name;               /* "{name}" in a text stands for it */
	struct ks_regex *pattern; /* its first group, else all of it */
	char *value;              /* what was taken last, or NULL */
};

struct ks_script_step {
	enum ks_script_do what;
	char *text;      /* say, think, claim: text; shell: cmd; edit: file;
	                  * label: name; goto: label; branch: label of "else" */
	char *otherwise; /* say, think, claim: what is said where a figure is missing;
	                  * NULL where the text has none, or it is left out then */
	struct ks_script_take *takes; /* shell, eval */
	size_t n_takes;
	unsigned when;   /* outcomes of the last evaluation, 0: always */
	char *from;      /* edit: path of the source, absolute or as the script's */
	char **args;     /* eval: NULL-terminated, or NULL */
	int64_t ms;      /* pause; shell: time limit */
	size_t target;   /* goto, branch: step of the label (of "else") */
	size_t cases[sizeof(KS_SCRIPT_LAYERS) - 1]; /* branch, by layer */
	bool any_message;/* branch: of the last message, not the last question */
};

struct ks_script {
	char *file;      /* base name, for messages */
	char *name;
	struct ks_script_step *steps;
	size_t count;
};

/* KS_EINVAL with "script.json: $.steps[3].from: ..." */
int ks_script_read(struct ks_script *out, const char *path, struct ks_err *err);
void ks_script_fini(struct ks_script *script);

/* ---- outcomes ---- */
struct ks_script_best { /* interval of the highest mean so far; the seed has 1 to 1 */
	double lo, hi;
};
/* One of the set by its name ("better"), 0 for none. */
unsigned ks_outcome_of(struct ks_str name);
/* Of an evaluation that ended with this status and printed this; best is raised by
 * a better one. */
unsigned ks_script_outcome(struct ks_script_best *best, int status, struct ks_str output);

/* ---- figures ---- */
bool ks_figure_is_name(const char *name);
/* Whether a step's text has a place for a figure. */
bool ks_figures_used(const struct ks_script_step *step);
/* Whether some step takes each figure that a text has a place for. */
bool ks_figures_known(const struct ks_script *script, const struct ks_script_step *step,
	struct ks_str *out_unknown);
/* Takes the figures of a step out of what it printed. */
void ks_figures_take(struct ks_script *script, struct ks_script_step *step,
	struct ks_str output);
/* The text of a step with its figures; where one is missing what stands for it
 * then, NULL for nothing. Gives. */
char *ks_figures_text(const struct ks_script *script, const struct ks_script_step *step);
void ks_figures_fini(struct ks_script_step *step);

#endif
