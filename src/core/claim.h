#ifndef KSEEK_CORE_CLAIM_H
#define KSEEK_CORE_CLAIM_H
/*
 * What an agent claims in a sentence: that a limit is reached, that the work
 * is done, that a wrong result is harmless, that a gain or figure is beyond
 * belief; or none of these. Words alone do not make a claim: questions,
 * conditionals, plans, denials, quotations, instructions and plain arithmetic
 * are told apart by the form of the sentence.
 *
 * Pure. Patterns are PCRE2 (base/regex), compiled at their first use into a
 * handle that the caller owns; one thread at a time uses it.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "core/layer.h"

enum ks_claim_kind {
	KS_CLAIM_NONE, KS_CLAIM_LIMIT, KS_CLAIM_COMPLETION,
	KS_CLAIM_EXPLAINED, /* a break explained away */
	KS_CLAIM_WIN,       /* a suspicious win       */
	KS_CLAIMS
};
/* "none", "limit", "completion", "explained_away", "suspicious_win"; static */
const char *ks_claim_name(enum ks_claim_kind kind);
int ks_claim_of(struct ks_str name); /* -1 when unknown */

struct ks_claim {
	enum ks_claim_kind kind;
	double score;          /* strength of the winning kind, 0 for none; in
	                        * natural units of likelihood                 */
	bool spoken;           /* a way of speaking of that kind is in it      */
	int layer;             /* of the claimed resource, KS_LAYER_NONE without */
	const char *resource;  /* "memory bandwidth"; "" without; static        */
	struct ks_str text;    /* the sentence, a part of the given text        */
};

struct ks_claim_set; /* the compiled patterns */
struct ks_claim_set *ks_claim_set_new(void);
void ks_claim_set_free(struct ks_claim_set *set);

/* One sentence (at most 2 KiB of it are read). */
void ks_claim_classify(struct ks_claim *out, const struct ks_claim_set *set,
	struct ks_str sentence);

/* Whether to interrupt somebody for it. A label needs more for it than against it;
 * this needs more than that, since nearly all of what an agent says claims nothing. */
bool ks_claim_is_sure(const struct ks_claim *claim);

/* The next sentence, heading, bullet or table row of an agent's text; fenced
 * code, quoted lines and tables' rulers are skipped. rest is what is left. */
bool ks_claim_next_sentence(struct ks_str *rest, struct ks_str *out);

/* The claims of a text in their order, of more than max the last ones, since they
 * are what it ends on; returns their number. */
size_t ks_claim_scan(struct ks_claim *out, size_t max,
	const struct ks_claim_set *set, struct ks_str text);

/* The resource that a sentence speaks of; static name, or "" with
 * KS_LAYER_NONE. */
const char *ks_claim_resource(const struct ks_claim_set *set,
	struct ks_str sentence, int *out_layer);

/* The layer of a resource by its name, KS_LAYER_NONE when it is none. */
int ks_claim_resource_layer(struct ks_str name);

#endif
