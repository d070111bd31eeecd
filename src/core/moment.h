#ifndef KSEEK_CORE_MOMENT_H
#define KSEEK_CORE_MOMENT_H
/*
 * Detectors of decision points: one pure scan. Called after ks_evolve with the
 * event just applied; says whether it raises a moment. Live, the engine records
 * moment.raised, and that is history; `kseek moments replay` runs the scan
 * afresh on a log and shows it beside.
 *
 * The detectors' memory (struct ks_scan) is a part of the fold: ks_scan_evolve
 * is called by ks_evolve and by nobody else.
 */
#include "core/command.h"
#include "core/state.h"

#define KS_MOMENT_DETECTOR 1 /* version, recorded with each moment */

/* Habits worth a quiet note and no question. */
enum ks_quiet {
	KS_QUIET_REPEAT, /* the same code measured again in hope      */
	KS_QUIET_REREAD, /* most of what is read is its own source    */
	KS_QUIET_EDITS,  /* edit upon edit, and nothing measured      */
	KS_QUIET_SEALED, /* a file that evaluations do not take       */
	KS_QUIETS
};
const char *ks_quiet_name(enum ks_quiet kind); /* "repeat"; static */
int ks_quiet_of(const char *name);               /* -1 when unknown   */
struct ks_note {
	enum ks_quiet kind;
	char text[200];
};
/* Whether the event just applied shows one that was not noted lately. */
bool ks_quiet_scan(const struct ks_state *state, const struct ks_policy *policy,
	const struct ks_event *event, struct ks_note *out);
/* Fields of its notice. */
void ks_quiet_fields(const struct ks_note *note, struct ks_buf *out);

struct ks_scan;
struct ks_scan *ks_scan_new(void);
void ks_scan_free(struct ks_scan *scan);
void ks_scan_evolve(struct ks_scan *scan, const struct ks_state *state,
	const struct ks_event *event);

struct ks_found {
	enum ks_moment_kind kind;  /* KS_MOMENT_NONE: nothing */
	char evidence[320];
	char resource[32];         /* of a limit claim, or "" */
	int layer;                 /* enum ks_layer of that resource, or -1 */
	char quote[400];           /* the claiming sentence, or "" */
};

void ks_moment_scan(const struct ks_state *state, const struct ks_policy *policy,
	const struct ks_event *event, struct ks_found *out);
/* Fills offers for a found moment from the bank; count of offers. */
int ks_moment_offers(const struct ks_state *state, const struct ks_policy *policy,
	const struct ks_found *found, struct ks_offer offers[KS_OFFERS]);
/* Fields of moment.raised. until: when the top offer goes, 0 none. */
void ks_moment_fields(const struct ks_found *found, const struct ks_offer *offers,
	int count, int64_t id, int64_t cause, int64_t until, struct ks_buf *out);

#endif
