#ifndef KSEEK_CORE_CLAIM_IMPL_H
#define KSEEK_CORE_CLAIM_IMPL_H
/*
 * What claim.c (weighing), claim_parts.c and claim_words.c (classes of words),
 * claim_stems.c (words themselves), claim_weights.c and claim_stem_weights.c (fitted),
 * the tables of patterns (claim_limit.c, claim_done.c, claim_excuse.c, claim_win.c,
 * claim_forms.c), claim_need.c (a cheap test before a pattern) and claim_text.c (plain
 * sentences) share; beside them only the program that fits the weights
 * (tests/unit/core/fit_claims.c) and their test include it.
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

/* ---- what a sentence is made of ---- */

/* Classes of words (claim_words.c), then of figures and of marks. */
#define CLAIM_LEXICAL 63
enum {
	CLAIM_PERCENT_OVER = CLAIM_LEXICAL, /* above 105 % */
	CLAIM_PERCENT_90, CLAIM_PERCENT_70, CLAIM_PERCENT_10, CLAIM_PERCENT_0,
	CLAIM_TIMES_90, CLAIM_TIMES_15, CLAIM_TIMES_5, CLAIM_TIMES_1, CLAIM_TIMES_0,
	CLAIM_RATE, CLAIM_NO_TIME, CLAIM_TIME, CLAIM_SIZE, CLAIM_NUMBER,
	CLAIM_TOO_FAST, /* bytes over time, or a rate, that no machine has */
	CLAIM_FALL,     /* a time fell to an eighth or less                */
	CLAIM_RATES,    /* two rates that differ                           */
	CLAIM_MARKS
};
#define CLAIM_MARK_TEXT "?!=(\":;-<>.,"
#define CLAIM_CLASSES (CLAIM_MARKS + 12)

struct claim_class {
	const char *name;
	const char *words; /* separated by blanks; see claim_words.c */
};
extern const struct claim_class claim_classes[CLAIM_LEXICAL];

/* Single features: a class anywhere, in the first, the second, the last word, in
 * the one before the last, behind a "not" (and then nowhere else); then the marks
 * of the sentence as a whole. */
#define CLAIM_PLACES 6
enum {
	CLAIM_IS_QUESTION = CLAIM_PLACES * CLAIM_CLASSES,
	CLAIM_IS_HEADING, CLAIM_IS_ROW, CLAIM_IS_QUOTED, CLAIM_IS_COMMENT,
	CLAIM_IS_OPEN, CLAIM_IS_SHOUTED,
	CLAIM_LENGTH,              /* six steps of five words */
	CLAIM_SIGN = CLAIM_LENGTH + 6, /* of each kind: some, enough */
	CLAIM_FORM = CLAIM_SIGN + 2 * (KS_CLAIMS - 1), /* of each kind */
	CLAIM_SINGLES = CLAIM_FORM + KS_CLAIMS - 1
};

struct claim_parts {
	unsigned char has[CLAIM_SINGLES];
	unsigned char set[CLAIM_CLASSES]; /* classes that are there, ascending */
	size_t count;
};

struct claim_lexicon; /* the vocabulary as a table */
struct claim_lexicon *claim_lexicon_new(void);
void claim_lexicon_free(struct claim_lexicon *lexicon);
void claim_parts_of(struct claim_parts *out, const struct claim_lexicon *lexicon,
	const struct claim_plain *plain);

/* ---- stems ---- */

#define CLAIM_STEM_BUCKETS 16384
#define CLAIM_STEMS_MAX 1024
struct claim_stems {
	uint64_t seen[CLAIM_STEM_BUCKETS / 64];
	uint16_t bucket[CLAIM_STEMS_MAX]; /* each once */
	size_t count;
};
void claim_stems_of(struct claim_stems *out, const struct claim_plain *plain);

/* All features of a sentence, signs and forms too: what the weights are fitted
 * on. */
void claim_features_of(struct claim_parts *out, struct claim_stems *stems,
	const struct ks_claim_set *set, struct ks_str sentence);

/* ---- fitted weights ---- */

/* By how much a feature speaks for each kind of claim rather than for none, in
 * units of 1 / CLAIM_SCALE. Pairs are of classes anywhere in the sentence. */
#define CLAIM_SCALE 64.0
struct claim_single {
	short feature;
	signed char weight[KS_CLAIMS - 1];
};
struct claim_pair {
	unsigned char a, b; /* a < b */
	signed char weight[KS_CLAIMS - 1];
};
/* Weights of the buckets, four a bucket, each a character of CLAIM_STEM_DIGITS
 * (index less its half, in units of CLAIM_STEM_UNIT / CLAIM_SCALE); the sum over a
 * sentence is divided by the square root of its buckets, so that long sentences
 * do not count for more. */
#define CLAIM_STEM_DIGITS \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
#define CLAIM_STEM_ZERO 32
#define CLAIM_STEM_UNIT 16
#define CLAIM_STEM_ROW 512 /* buckets */
extern const char claim_stem_rows[CLAIM_STEM_BUCKETS / CLAIM_STEM_ROW]
	[CLAIM_STEM_ROW * (KS_CLAIMS - 1) + 1];
extern const short claim_bias[KS_CLAIMS - 1];
extern const struct claim_single claim_singles[];
extern const size_t claim_single_count;
extern const struct claim_pair claim_pairs[];
extern const size_t claim_pair_count;

#endif
