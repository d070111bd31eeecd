#ifndef KSEEK_WIRE_BOUND_H
#define KSEEK_WIRE_BOUND_H
/*
 * Inside src/wire: texts of a peer's lists (options, fields, plans, modes) as
 * members of an event, within a bound for all of them together, so that an
 * event's line stays below its maximum whatever a peer sends.
 */
#include "base/json.h"
#include "base/utf8.h"

#define KS_BOUND_ALL 8192 /* bytes of text in one list */

/* Writes the text cut to max and to what is left, and takes it off *left. */
static inline void ks_bound_str(struct ks_jw *w, const char *key, const char *text, size_t max,
	size_t *left)
{
	size_t len = strlen(text);
	size_t cut = ks_utf8_cut(text, len, max < *left ? max : *left);

	ks_jw_slice(w, key, (struct ks_str){text, cut});
	/* An entry costs more than its texts. */
	*left -= cut + 8 < *left ? cut + 8 : *left;
}

/* Whether an id fits whole: one that was cut could not be answered. */
static inline bool ks_bound_fits(const char *id, size_t left)
{
	return strlen(id) + 8 < left;
}

#endif
