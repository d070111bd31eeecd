#ifndef KSEEK_APP_CHANGES_H
#define KSEEK_APP_CHANGES_H
/* The difference of two candidates, read from the campaign's repository by the program
 * that links git. Writes nothing and needs no engine. */
#include "app/fold.h"
#include "base/buf.h"

/* The unified diff of two candidates (indexes into the state), appended to out. The
 * fold has to be a campaign's folder. KS_ENOTFOUND without a repository. */
int ks_changes(struct ks_buf *out, const struct ks_fold *fold, int a, int b,
	struct ks_err *err);

#endif
