#ifndef KSEEK_APP_FOLD_H
#define KSEEK_APP_FOLD_H
/*
 * A follower: a campaign's log, folded, and the bodies that views ask for.
 * Reads only; takes no lock; works with and without an engine.
 */
#include "core/state.h"
#include "core/view_data.h"
#include "store/campaign.h"
#include "store/follow.h"

struct ks_fold;

/* dir: a folder in or below a campaign; NULL: the current one. Folds the whole
 * log. Gives *out. */
int ks_fold_open(struct ks_fold **out, const char *dir, struct ks_err *err);
/* Same, and folds nothing yet: ks_fold_step does. */
int ks_fold_open_unread(struct ks_fold **out, const char *dir, struct ks_err *err);
/* Same for a log file alone or a folder that has a log.jsonl (replay, export of a
 * recorded one), or for a folder in a campaign; NULL: the current one. KS_EINVAL for a
 * file no line of which is an event. */
int ks_fold_open_any(struct ks_fold **out, const char *path, struct ks_err *err);
void ks_fold_free(struct ks_fold *fold);
/* Takes in what the log gained; *out_new lines (may be NULL). */
int ks_fold_refresh(struct ks_fold *fold, uint64_t limit, size_t *out_new, struct ks_err *err);
/* Folds at most max lines from the start on, for replay; returns how many. */
size_t ks_fold_step(struct ks_fold *fold, size_t max);
/* Lines folded so far. */
size_t ks_fold_done(const struct ks_fold *fold);

const struct ks_state *ks_fold_state(const struct ks_fold *fold);  /* lends */
struct ks_view_data *ks_fold_data(struct ks_fold *fold);           /* lends */
const struct ks_campaign_paths *ks_fold_paths(const struct ks_fold *fold);
struct ks_follow *ks_fold_follow(struct ks_fold *fold);
/* Loads the shipped question bank into the view data. */
int ks_fold_bank(struct ks_fold *fold, struct ks_err *err);
/* Answer of a diff that was asked for; text is copied. */
void ks_fold_set_diff(struct ks_fold *fold, int a, int b, struct ks_str text);
/* The diff that a view wants and that is not here: false when none. */
bool ks_fold_wants_diff(struct ks_fold *fold, int *out_a, int *out_b);

#endif
