#ifndef KSEEK_APP_DRAFTS_H
#define KSEEK_APP_DRAFTS_H
/*
 * What a person wrote and the console keeps when it is closed: the unsent draft
 * (.kseek/draft) and the last messages that were sent (.kseek/history, one JSON
 * string a line, oldest first). And the draft in an editor of the person's own.
 */
#include "base/err.h"
#include "store/campaign.h"
#include "view/ui.h"

void ks_drafts_load(const struct ks_campaign_paths *paths, struct ks_ui *ui);
/* paths NULL: nothing is written. */
void ks_drafts_save(const struct ks_campaign_paths *paths, const struct ks_ui *ui);
/* Runs $VISUAL or $EDITOR on the draft and takes what it left. The terminal must
 * have been left by the console. KS_ENOTFOUND: none is set. */
int ks_drafts_edit(const struct ks_campaign_paths *paths, struct ks_ui *ui, struct ks_err *err);

#endif
