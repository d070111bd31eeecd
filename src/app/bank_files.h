#ifndef KSEEK_APP_BANK_FILES_H
#define KSEEK_APP_BANK_FILES_H
/*
 * The question bank from its files: the shipped core, and a person's own
 * questions from $XDG_CONFIG_HOME/kseek/bank (or ~/.config/kseek/bank).
 */
#include "core/bank.h"

/* Gives *out (ks_bank_free). */
int ks_bank_open(struct ks_bank **out, struct ks_err *err);
/* The person's folder, whether it exists or not; gives; NULL without a home. */
char *ks_bank_own_folder(void);
/* Appends every *.json of a folder, by name. */
int ks_bank_folder(struct ks_bank *bank, const char *dir, struct ks_err *err);

#endif
