#ifndef KSEEK_CORE_CLAIM_IMPL_H
#define KSEEK_CORE_CLAIM_IMPL_H
/*
 * What claim.c (scoring), the tables (claim_limit.c, claim_done.c,
 * claim_excuse.c, claim_win.c, claim_forms.c), claim_need.c (a cheap test before a
 * pattern) and claim_text.c (plain sentences) share; nobody else includes this.
 */
#include <stdint.h>

#include "core/claim.h"

#define CLAIM_TEXT_MAX 2048

/* A sign of one kind of claim. The pattern meets plain text: lower case, one
 * blank between words, marks of markdown gone. */
struct claim_sign {
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

struct claim_table { /* the signs of one kind */
	const struct claim_sign *sign;
	size_t count;
};
extern const struct claim_table claim_limit_table, claim_done_table,
	claim_excuse_table, claim_win_table;

extern const struct claim_form claim_forms[];
extern const size_t claim_form_count;
extern const struct claim_resource claim_resources[];
extern const size_t claim_resource_count;

struct claim_plain {
	char text[CLAIM_TEXT_MAX];
	size_t len;
	bool question;  /* ends with a question mark     */
	bool open_box;  /* "- [ ] ...": not done yet     */
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
#define CLAIM_NEED_GRAMS 6
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
