#ifndef KSEEK_APP_RULES_H
#define KSEEK_APP_RULES_H
/*
 * The rules that decide: policy, question bank, claim patterns, and what this
 * machine offers. The engine and `kseek moments replay` use the same.
 */
#include "core/command.h"

struct ks_rules;

/* Gives *out. Reads the bank's files and looks once at what this machine has
 * (a fraction of a second). */
int ks_rules_open(struct ks_rules **out, struct ks_err *err);
/* With the questions of this campaign's folder; NULL: of the one around the
 * current folder, if there is one. */
int ks_rules_open_for(struct ks_rules **out, const char *campaign, struct ks_err *err);
void ks_rules_free(struct ks_rules *rules);
const struct ks_policy *ks_rules_policy(const struct ks_rules *rules); /* lends */

#endif
