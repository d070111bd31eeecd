#ifndef KSEEK_APP_BANK_ASK_H
#define KSEEK_APP_BANK_ASK_H
/* `kseek bank show`, `suggest` and `stats`: questions and campaigns. */
#include "app/args.h"
#include "base/buf.h"
#include "base/err.h"
#include "core/bank.h"

struct ks_suggest {
	const char *kind; /* of the moment; NULL: the one that is open there, else plateau */
	const char *log;  /* a log or a campaign's folder; NULL: the current campaign */
	long at;          /* as of this event; 0: as of the last */
	bool json;
};
/* A question as the campaign around the current folder would send it. */
int ks_bank_asked(struct ks_buf *out, const char *id, struct ks_err *err);
/* All of one question. KS_EINVAL where there is none. */
int ks_bank_show(const struct ks_bank *bank, const char *id, struct ks_err *err);
/* The offers, and the arithmetic behind them and behind those next in rank. */
int ks_bank_suggest(const struct ks_suggest *how, struct ks_err *err);

/* What was said, measured and gained in each campaign (folders or logs; none:
 * the current one), and what came of each question over all. learn: keeps the
 * outcomes as the ranking's prior. */
int ks_bank_stats(const char **campaigns, int count, bool json, bool learn,
	struct ks_err *err);

#endif
