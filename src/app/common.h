#ifndef KSEEK_APP_COMMON_H
#define KSEEK_APP_COMMON_H
/* What the subcommands share: errors as one line, foreign text made safe, and
 * the tables that people and agents read. */
#include <stdio.h>

#include "app/args.h"
#include "app/fold.h"
#include "base/err.h"
#include "base/json.h"
#include "store/log.h"

/* "kseek SUB: message" on standard error; the exit status that fits. */
int ks_fail(const struct ks_sub *sub, const struct ks_err *err);
/* ks_fold_open of the campaign of the current folder, for what only reads. Warns
 * on standard error of a campaign.json that eval and steer would refuse. */
int ks_open_campaign(const struct ks_sub *sub, struct ks_fold **out, struct ks_err *err);
/* KS_ENOTFOUND where the candidates' repository of a campaign's folder is gone; and a
 * warning of it. */
int ks_check_repo(const char *root, struct ks_err *err);
void ks_warn_of_repo(const struct ks_sub *sub, const struct ks_fold *fold);
/* Reads a log's hash chain. *out_fault is what is wrong with it, one line (gives), or
 * NULL where it is whole. */
int ks_check_log(struct ks_log_check *out, char **out_fault, const char *path,
	struct ks_err *err);
/* Foreign text, one line, at most cols columns (0: no limit); what is cut ends in "…". */
void ks_put(FILE *out, const char *text, size_t cols);
/* The same in a column of exactly cols columns, left aligned. */
void ks_put_column(FILE *out, const char *text, size_t cols);
/* The same of a name: one that is too long loses its middle. */
void ks_put_name(FILE *out, const char *name, size_t cols);
/* The same from column `left` on, where the cursor stands, in lines that end before
 * `right`; ends the last one. */
void ks_put_wrapped(FILE *out, const char *text, int left, int right);
/* Columns of a line to `out`: COLUMNS, else those of the terminal that it leads to; 0:
 * lines may have any length. */
int ks_columns(FILE *out);
/* Foreign text as a line, and wrapped to so many columns where there is a limit; what
 * goes on begins in column `left`. */
void ks_put_line(FILE *out, const char *text, int left);
void ks_put_block(FILE *out, struct ks_str text);
/* Prints a buffer that holds one JSON value, and a newline. */
void ks_put_json(struct ks_buf *json);

/* The scenarios of one candidate, 100 columns or what there are, then one line of
 * summary. With only, those that it names or whose set is `set`, and no summary. */
void ks_report_candidate(FILE *out, const struct ks_state *state, int index,
	const struct ks_list *only, const char *set);
void ks_report_goal(FILE *out, const struct ks_state *state);
void ks_report_candidates(FILE *out, const struct ks_state *state);
void ks_json_candidate(struct ks_jw *w, const char *key, const struct ks_state *state, int index,
	bool scenarios);
void ks_json_goal(struct ks_jw *w, const char *key, const struct ks_state *state);

#endif
