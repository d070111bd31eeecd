#ifndef KSEEK_CORE_CLAIM_IMPL_H
#define KSEEK_CORE_CLAIM_IMPL_H
/*
 * What claim.c (scoring), claim_patterns.c (tables) and claim_text.c (making
 * sentences plain and cutting texts) share; nobody else includes this.
 */
#include <stdint.h>

#include "core/claim.h"

#define CLAIM_TEXT_MAX 2048

/* A sign of one kind of claim. The pattern meets plain text: lower case, one
 * blank between words, marks of markdown gone. */
struct claim_sign {
	enum ks_claim_kind kind;
	double weight;       /* 1 is enough by itself */
	const char *pattern;
};

/* A form of sentence that makes signs of some kinds worth less. */
struct claim_form {
	double factor[KS_CLAIMS]; /* by kind */
	const char *pattern;
};

struct claim_resource {
	const char *name;
	int layer;
	const char *pattern;
};

extern const struct claim_sign claim_signs[];
extern const size_t claim_sign_count;
extern const struct claim_form claim_forms[];
extern const size_t claim_form_count;
extern const struct claim_resource claim_resources[];
extern const size_t claim_resource_count;

struct claim_plain {
	char text[CLAIM_TEXT_MAX];
	size_t len;
	bool question;  /* ends with a question mark     */
	bool heading;
	bool row;       /* of a table                    */
	bool quoted;    /* a quotation, or begins as one */
	bool comment;   /* of code                       */
	bool shouted;   /* an exclamation                */
};
void claim_plain_of(struct claim_plain *out, struct ks_str sentence);

/* ---- a cheap test before a pattern ---- */

/* Which groups of three characters are in a text: 4096 bits by hash. */
struct claim_grams {
	uint64_t bit[64];
};
void claim_grams_of(struct claim_grams *out, const struct claim_plain *plain);

/* Texts of which one must stand in whatever a pattern matches. */
#define CLAIM_NEED_MAX 96
#define CLAIM_NEED_GRAMS 4
struct claim_need {
	size_t count; /* 0: the pattern must always be tried */
	uint16_t gram[CLAIM_NEED_MAX][CLAIM_NEED_GRAMS];
	uint8_t grams[CLAIM_NEED_MAX];
};
/* Reads them off the pattern itself, so that they cannot miss a match. */
void claim_need_of(struct claim_need *out, const char *pattern);
bool claim_need_met(const struct claim_need *need, const struct claim_grams *grams);

/* The largest factor by which the text says that a time fell or a figure grew
 * ("from 812 us to 9 us", "40x"), 1 without. */
double claim_largest_gain(const struct claim_plain *plain);

#endif
