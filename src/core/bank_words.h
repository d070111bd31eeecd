#ifndef KSEEK_CORE_BANK_WORDS_H
#define KSEEK_CORE_BANK_WORDS_H
/*
 * The word lists of the lint: NULL-terminated, lower case. "stem*" stands for
 * every word that begins so, two words for the two in a row. Included by
 * bank_lint.c and by the code that builds tests of it.
 */
#include "core/bank.h"

extern const char *const ks_lint_starts[];        /* L2 */
extern const char *const ks_lint_imperatives[];   /* L2 */
extern const char *const ks_lint_answers[];       /* L3 */
extern const char *const ks_lint_negatives[];     /* L3 */
extern const char *const ks_lint_references[];    /* L5 */
extern const char *const ks_lint_operators[];     /* L6 */
extern const char *const ks_lint_quantities[];    /* L7 */
extern const char *const ks_lint_architectures[]; /* L8 */
extern const char *const ks_lint_numbers[];       /* L9 */
extern const char *const ks_lint_stale[];         /* L10 */
extern const char *const ks_lint_needs[];         /* L10 */
extern const char *const ks_lint_figures[];       /* L10: of number cues */
extern const char *const ks_lint_loaded[];        /* L12 */

struct ks_lint_bound { /* L4; the last has no name */
	const char *name;
	const char *forms[5]; /* one must be in the text */
};
extern const struct ks_lint_bound ks_lint_bounds[];

struct ks_lint_tool { /* L7; the last has no name */
	const char *name;
	unsigned targets;
	bool measures; /* a count by hand alone is no measurement */
};
extern const struct ks_lint_tool ks_lint_tools[];

#endif
