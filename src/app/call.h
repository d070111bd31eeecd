#ifndef KSEEK_APP_CALL_H
#define KSEEK_APP_CALL_H
/* One command to the engine that runs, from a subcommand. */
#include "app/fold.h"
#include "base/json.h"

/* KS_ENOTFOUND when none runs; a refusal is the error. */
int ks_call_engine(struct ks_fold *fold, const char *cmd, struct ks_str args, struct ks_err *err);

#endif
