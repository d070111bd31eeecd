#ifndef KSEEK_APP_BANK_ASK_H
#define KSEEK_APP_BANK_ASK_H
/* `kseek bank show`, `suggest` and `stats`, and questions as JSON. */
#include "app/args.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
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
/* The same as JSON: the members of the list, and all others. */
int ks_bank_show_json(const struct ks_bank_entry *entry, struct ks_err *err);
/* Members of one question in a list; a finding of the lint, and its level as a word. */
void ks_bank_json(struct ks_jw *w, const struct ks_bank_entry *entry);
void ks_bank_lint_json(struct ks_jw *w, const struct ks_lint *lint);
const char *ks_bank_lint_word(enum ks_lint_level level);
/* The offers, and the arithmetic behind them and behind those next in rank. */
int ks_bank_suggest(const struct ks_suggest *how, struct ks_err *err);

/* What was said, measured and gained in each campaign (folders or logs; none:
 * the current one), and what came of each question over all. learn: keeps the
 * outcomes as the ranking's prior. */
int ks_bank_stats(const char **campaigns, int count, bool json, bool learn,
	struct ks_err *err);

#endif
