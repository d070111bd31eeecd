#ifndef KSEEK_APP_DRYRUN_H
#define KSEEK_APP_DRYRUN_H
/* `kseek bank dryrun`: the question answered once by its recipe. */
#include <stdbool.h>

#include "core/bank.h"

struct ks_dryrun {
	const char *id;       /* NULL: all that have a recipe for the target  */
	const char *target;   /* "cpu", "cuda"; NULL: the campaign's, else cpu */
	const char *campaign; /* a campaign's folder; NULL: a shipped problem */
	const char *out;      /* file of runs; NULL: the person's own         */
	const char *layer;    /* all: only this group's; NULL: every one      */
	long limit_s;         /* all: no further one is begun after so long   */
	bool again;           /* all: also those that the file has            */
	bool json;
};

/* KS_EXIT_OK, KS_EXIT_NO when something gave no number, or an error. */
int ks_bank_dryrun(const struct ks_bank *bank, const struct ks_dryrun *how, struct ks_err *err);

#endif
