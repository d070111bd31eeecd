/*
 * A plain sentence taken apart: which classes of words, phrases, figures and
 * marks it holds, and which stand first and last. One pass over the words; the
 * vocabulary is a hash table over the text of claim_words.c, which it borrows.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/claim_impl.h"

#define SLOTS 8192 /* a power of two, some four times the words */
#define PHRASES 1024
#define PREFIXES 96
#define LETTERS 32 /* buckets of first letters */
#define TOKENS 400
#define LONG_PHRASE 6

struct bits { /* of classes */
	uint64_t at[2];
};

struct word {
	const char *text; /* NULL: an empty slot */
	unsigned char len;
	struct bits classes;
	short phrase; /* the first that begins with it, -1 none */
};

struct phrase {
	const char *text; /* "no_way" */
	unsigned char len, class;
	short next;
};

struct claim_lexicon {
	struct word words[SLOTS];
	struct phrase phrases[PHRASES];
	struct phrase prefixes[PREFIXES];  /* by their first letters ...  */
	unsigned char letter[LETTERS + 1]; /* ... which begin here        */
	size_t n_phrases, n_prefixes;
	struct bits negates; /* "not"...                        */
	struct bits spares;  /* ... but not what says "cannot" */
};

struct token {
	const char *text;
	size_t len;
	struct bits classes;
};

static void add(struct bits *b, int class)
{
	b->at[class >> 6] |= UINT64_C(1) << (class & 63);
}

static uint32_t hash_of(const char *text, size_t len)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++) {
		h = (h ^ (unsigned char)text[i]) * 16777619u;
	}
	return h ^ (h >> 15);
}

/* The word's slot, or the empty one where it belongs. */
static const struct word *find(const struct claim_lexicon *lex, const char *text, size_t len)
{
	uint32_t at = hash_of(text, len) % SLOTS;

	while (lex->words[at].text && (lex->words[at].len != len ||
	       memcmp(lex->words[at].text, text, len) != 0)) {
		at = (at + 1) % SLOTS;
	}
	return &lex->words[at];
}

static struct word *enter(struct claim_lexicon *lex, const char *text, size_t len)
{
	struct word *w = &lex->words[find(lex, text, len) - lex->words];

	if (!w->text) {
		*w = (struct word){.text = text, .len = (unsigned char)len, .phrase = -1};
	}
	return w;
}

static void enter_entry(struct claim_lexicon *lex, int class, const char *text, size_t len)
{
	const char *joint = memchr(text, '_', len);
	struct phrase p = {text, (unsigned char)len, (unsigned char)class, -1};

	if (text[len - 1] == '*' && lex->n_prefixes < PREFIXES) {
		p.len--;
		lex->prefixes[lex->n_prefixes++] = p;
	} else if (joint && lex->n_phrases < PHRASES) {
		struct word *first = enter(lex, text, (size_t)(joint - text));

		p.next = first->phrase;
		first->phrase = (short)lex->n_phrases;
		lex->phrases[lex->n_phrases++] = p;
	} else if (!joint) {
		add(&enter(lex, text, len)->classes, class);
	}
}

static unsigned letter_of(const char *text)
{
	return (unsigned char)text[0] % LETTERS;
}

static int by_letter(const void *a, const void *b)
{
	unsigned x = letter_of(((const struct phrase *)a)->text);
	unsigned y = letter_of(((const struct phrase *)b)->text);

	return x < y ? -1 : x > y;
}

static void sort_prefixes(struct claim_lexicon *lex)
{
	size_t at = 0;

	qsort(lex->prefixes, lex->n_prefixes, sizeof(lex->prefixes[0]), by_letter);
	for (unsigned letter = 0; letter <= LETTERS; letter++) {
		while (at < lex->n_prefixes && letter_of(lex->prefixes[at].text) < letter) {
			at++;
		}
		lex->letter[letter] = (unsigned char)at;
	}
}

struct claim_lexicon *claim_lexicon_new(void)
{
	struct claim_lexicon *lex = ks_zalloc(1, sizeof(*lex));

	for (int k = 0; k < CLAIM_LEXICAL; k++) {
		struct ks_str rest = ks_str_of(claim_classes[k].words), entry;

		while (ks_str_next(&rest, ' ', &entry)) {
			if (entry.len) {
				enter_entry(lex, k, entry.ptr, entry.len);
			}
		}
		if (strcmp(claim_classes[k].name, "not") == 0) {
			add(&lex->negates, k);
		} else if (strcmp(claim_classes[k].name, "cannot") == 0) {
			add(&lex->spares, k);
		}
	}
	sort_prefixes(lex);
	return lex;
}

void claim_lexicon_free(struct claim_lexicon *lexicon)
{
	free(lexicon);
}

/* ---- tokens ---- */

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '\'' || c == '/' || c == '_' || c == '-';
}

static bool starts(const char *at, const char *word)
{
	size_t len = strlen(word);

	return strncmp(at, word, len) == 0 && !isalnum((unsigned char)at[len]);
}

static int percent_class(double n)
{
	return n > 105 ? CLAIM_PERCENT_OVER : n >= 85 ? CLAIM_PERCENT_90 :
		n >= 65 ? CLAIM_PERCENT_70 : n >= 10 ? CLAIM_PERCENT_10 : CLAIM_PERCENT_0;
}

static int times_class(double n)
{
	return n >= 90 ? CLAIM_TIMES_90 : n >= 15 ? CLAIM_TIMES_15 :
		n >= 5 ? CLAIM_TIMES_5 : n > 1 ? CLAIM_TIMES_1 : CLAIM_TIMES_0;
}

struct sums { /* what the figures of a sentence add up to */
	double most_bytes, least_s, first_s, last_s, low_rate, high_rate;
	int times;
};

static void add_time(struct sums *s, double seconds)
{
	if (seconds > 0) {
		s->least_s = s->times == 0 || seconds < s->least_s ? seconds : s->least_s;
		s->first_s = s->times == 0 ? seconds : s->first_s;
		s->last_s = seconds;
		s->times++;
	}
}

static void add_rate(struct sums *s, double rate)
{
	s->low_rate = s->low_rate == 0 || rate < s->low_rate ? rate : s->low_rate;
	s->high_rate = rate > s->high_rate ? rate : s->high_rate;
}

/* Units behind a number: what it is, and how much. */
static const struct unit {
	const char *name;
	int class;
	double scale;
} units[] = {
	{"gb/s", CLAIM_RATE, 1e9}, {"tb/s", CLAIM_RATE, 1e12}, {"gflops", CLAIM_RATE, 0},
	{"tflops", CLAIM_RATE, 0}, {"pflops", CLAIM_RATE, 0}, {"us", CLAIM_TIME, 1e-6},
	{"ms", CLAIM_TIME, 1e-3}, {"ns", CLAIM_TIME, 1e-9}, {"kb", CLAIM_SIZE, 1e3},
	{"mb", CLAIM_SIZE, 1e6}, {"gb", CLAIM_SIZE, 1e9}, {"kib", CLAIM_SIZE, 1e3},
	{"mib", CLAIM_SIZE, 1e6}, {"gib", CLAIM_SIZE, 1e9},
};

static int unit_class(double n, const char *at, const char **end, struct sums *sums)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		const struct unit *u = &units[i];

		if (!starts(at, u->name)) {
			continue;
		}
		*end = at + strlen(u->name);
		if (u->class == CLAIM_TIME) {
			add_time(sums, n * u->scale);
			return n <= 0 ? CLAIM_NO_TIME : CLAIM_TIME;
		}
		if (u->class == CLAIM_SIZE && n * u->scale > sums->most_bytes) {
			sums->most_bytes = n * u->scale;
		} else if (u->class == CLAIM_RATE && u->scale > 0) {
			add_rate(sums, n * u->scale);
		}
		return u->class;
	}
	return CLAIM_NUMBER;
}

/* A number with what stands behind it; *end is behind both. */
static int number_class(const char *at, const char **end, struct sums *sums)
{
	double sign = *at == '-' ? -1 : 1, n = 0, place = 0;
	const char *unit;

	for (at += *at == '-'; isdigit((unsigned char)*at) || ((*at == '.' || *at == ',') &&
	     isdigit((unsigned char)at[1])); at++) {
		if (*at == '.') {
			place = 1;
		} else if (*at != ',') {
			n = place > 0 ? n + (*at - '0') * (place /= 10) : 10 * n + (*at - '0');
		}
	}
	n *= sign;
	unit = at + (*at == ' ' || (*at == '-' && strncmp(at, "-fold", 5) == 0));
	*end = at;
	if (*unit == '%' || starts(unit, "percent") || starts(unit, "per cent")) {
		*end = unit + 1;
		return percent_class(n);
	}
	if (starts(unit, "x") || starts(unit, "times") || starts(unit, "fold")) {
		*end = unit + (*unit == 'x' ? 1 : *unit == 't' ? 5 : 4);
		return times_class(n);
	}
	return unit_class(n, unit, end, sums);
}

static void word_classes(struct token *t, const struct claim_lexicon *lex)
{
	unsigned letter = letter_of(t->text);

	t->classes = find(lex, t->text, t->len)->classes;
	for (size_t i = lex->letter[letter]; i < lex->letter[letter + 1]; i++) {
		const struct phrase *p = &lex->prefixes[i];

		if (t->len >= p->len && memcmp(t->text, p->text, p->len) == 0) {
			add(&t->classes, p->class);
		}
	}
	if (t->len > 3 && memcmp(t->text + t->len - 3, "n't", 3) == 0) {
		struct bits not = find(lex, "not", 3)->classes;

		t->classes.at[0] |= not.at[0];
		t->classes.at[1] |= not.at[1];
	}
}

static size_t tokens_of(struct token *out, const struct claim_lexicon *lex,
	const struct claim_plain *plain, struct sums *sums)
{
	const char *at = plain->text;
	size_t n = 0;

	while (*at && n < TOKENS) {
		struct token *t = &out[n];
		const char *mark, *end = at + 1;

		*t = (struct token){.text = at, .len = 1};
		if (isdigit((unsigned char)*at) || (*at == '-' && isdigit((unsigned char)at[1]))) {
			add(&t->classes, number_class(at, &end, sums));
			n++;
		} else if (isalpha((unsigned char)*at)) {
			while (in_word(*end)) {
				end++;
			}
			t->len = (size_t)(end - at);
			while (!isalnum((unsigned char)at[t->len - 1])) {
				t->len--;
			}
			word_classes(t, lex);
			end = at + t->len;
			n++;
		} else if ((mark = strchr(CLAIM_MARK_TEXT, *at)) != NULL) {
			add(&t->classes, CLAIM_MARKS + (int)(mark - CLAIM_MARK_TEXT));
			n++;
		}
		at = end;
	}
	return n;
}

/* ---- phrases ---- */

static bool phrase_at(const struct phrase *p, const struct token *t, size_t left)
{
	struct ks_str rest = {p->text, p->len}, word;

	for (size_t i = 0; ks_str_next(&rest, '_', &word); i++) {
		if (i >= left || i >= LONG_PHRASE || t[i].len != word.len ||
		    memcmp(t[i].text, word.ptr, word.len) != 0) {
			return false;
		}
	}
	return true;
}

static void add_phrases(const struct claim_lexicon *lex, struct token *tokens, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct word *w = find(lex, tokens[i].text, tokens[i].len);

		for (int k = w->text ? w->phrase : -1; k >= 0; k = lex->phrases[k].next) {
			if (phrase_at(&lex->phrases[k], tokens + i, n - i)) {
				add(&tokens[i].classes, lex->phrases[k].class);
			}
		}
	}
}

/* ---- features ---- */

#define REACH 4 /* words behind a "not" that it denies */

static bool meet(const struct bits *a, const struct bits *b)
{
	return ((a->at[0] & b->at[0]) | (a->at[1] & b->at[1])) != 0;
}

static bool is_denied(const struct claim_lexicon *lex, const struct token *tokens, size_t i)
{
	for (size_t back = 1; back <= REACH && back <= i; back++) {
		const struct token *t = &tokens[i - back];

		if (strchr(".,;:?!", *t->text)) {
			return false;
		}
		if (meet(&t->classes, &lex->negates) && !meet(&t->classes, &lex->spares)) {
			return true;
		}
	}
	return false;
}

static void place(struct claim_parts *out, int where, const struct bits *b)
{
	for (int half = 0; half < 2; half++) {
		for (uint64_t left = b->at[half]; left != 0; left &= left - 1) {
			int k = 64 * half + __builtin_ctzll(left);

			out->has[where * CLAIM_CLASSES + k] = 1;
		}
	}
}

static void add_sums(struct bits *all, const struct sums *s)
{
	if ((s->times > 0 && s->most_bytes / s->least_s > 15e12) || s->high_rate > 9e12) {
		add(all, CLAIM_TOO_FAST);
	}
	if (s->times >= 2 && s->first_s / s->last_s >= 8) {
		add(all, CLAIM_FALL);
	}
	if (s->high_rate > 1.25 * s->low_rate) {
		add(all, CLAIM_RATES);
	}
}

void claim_parts_of(struct claim_parts *out, const struct claim_lexicon *lexicon,
	const struct claim_plain *plain)
{
	struct token tokens[TOKENS];
	struct sums sums = {0};
	struct bits all = {{0, 0}}, denied = {{0, 0}};
	size_t n = tokens_of(tokens, lexicon, plain, &sums), words = 0;

	memset(out, 0, sizeof(*out));
	add_phrases(lexicon, tokens, n);
	for (size_t i = 0; i < n; i++) {
		struct bits *to = is_denied(lexicon, tokens, i) ? &denied : &all;

		to->at[0] |= tokens[i].classes.at[0];
		to->at[1] |= tokens[i].classes.at[1];
		words += isalpha((unsigned char)tokens[i].text[0]) != 0;
	}
	add_sums(&all, &sums);
	place(out, 0, &all);
	place(out, 5, &denied);
	for (size_t i = 0; i < 2 && i < n; i++) {
		place(out, 1 + (int)i, &tokens[i].classes);
		place(out, 3 + (int)i, &tokens[n - 1 - i].classes);
	}
	for (int k = 0; k < CLAIM_CLASSES; k++) {
		if (out->has[k]) {
			out->set[out->count++] = (unsigned char)k;
		}
	}
	out->has[CLAIM_IS_QUESTION] = plain->question;
	out->has[CLAIM_IS_HEADING] = plain->heading;
	out->has[CLAIM_IS_ROW] = plain->row;
	out->has[CLAIM_IS_QUOTED] = plain->quoted;
	out->has[CLAIM_IS_COMMENT] = plain->comment;
	out->has[CLAIM_IS_OPEN] = plain->open_box;
	out->has[CLAIM_IS_SHOUTED] = plain->shouted;
	out->has[CLAIM_LENGTH + (words / 5 < 5 ? words / 5 : 5)] = 1;
}
