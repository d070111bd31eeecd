#ifndef KSEEK_APP_BANK_FILES_H
#define KSEEK_APP_BANK_FILES_H
/*
 * The question bank from its files, in this order: the shipped core, checklists
 * (arch) and plug-ins (operator) with their dry runs; a person's own questions
 * from $XDG_CONFIG_HOME/kseek/bank (or ~/.config/kseek/bank); those of the
 * campaign, from its folder bank/. Each folder of questions may have dryruns/.
 */
#include "core/bank.h"

/* Gives *out (ks_bank_free). The campaign is the one around the current folder,
 * if there is one. */
int ks_bank_open(struct ks_bank **out, struct ks_err *err);
/* Same for a campaign's folder; NULL: none. */
int ks_bank_open_for(struct ks_bank **out, const char *campaign, struct ks_err *err);
/* The person's folder, whether it exists or not; gives; NULL without a home. */
char *ks_bank_own_folder(void);
/* Appends every *.json of a folder, by name, and of its dryruns/; a folder that
 * is not there adds nothing. */
int ks_bank_folder(struct ks_bank *bank, const char *dir, struct ks_err *err);

#endif
