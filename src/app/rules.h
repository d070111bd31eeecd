#ifndef KSEEK_APP_RULES_H
#define KSEEK_APP_RULES_H
/*
 * The rules that decide: policy, question bank, claim patterns, and what this
 * machine offers. The engine and `kseek moments replay` use the same.
 */
#include "core/command.h"

struct ks_rules;

/* Gives *out. Reads the bank's files, with the questions of the campaign around the
 * current folder, if there is one, and looks once at what this machine has (a
 * fraction of a second). */
int ks_rules_open(struct ks_rules **out, struct ks_err *err);
/* With the questions of this campaign's folder; NULL: of none. */
int ks_rules_open_for(struct ks_rules **out, const char *campaign, struct ks_err *err);
/* With those of the campaign that a log or folder lies in, if it lies in one; NULL:
 * the current folder. */
int ks_rules_open_at(struct ks_rules **out, const char *path, struct ks_err *err);
void ks_rules_free(struct ks_rules *rules);
const struct ks_policy *ks_rules_policy(const struct ks_rules *rules); /* lends */

#endif
