/*
 * What must stand in a text for a pattern to match, read off the pattern: of
 * a sequence the longest run of plain characters or the best group, of
 * alternatives all of them. A text is first reduced to the groups of three
 * characters in it, so that most patterns are ruled out by a few bits.
 *
 * Understood: characters, \b \w \d \s \S, classes, (?:...), look-around,
 * ? * + {m,n}, |, ^ $ and the dot: what our own patterns use. Anything else
 * ends a run, which is always safe. Nesting is that of our own tables.
 */
#include <stdbool.h>
#include <string.h>

#include "core/claim_impl.h"

#define RUN_MAX 32
#define DEPTH_MAX 12

struct texts {
	size_t count;  /* 0: nothing is needed */
	size_t least;  /* weight of the lightest */
	char item[CLAIM_NEED_MAX][RUN_MAX];
};

struct scan {
	const char *at;
	unsigned depth;
};

static unsigned gram_of(const char *s)
{
	return ((unsigned char)s[0] * 961u + (unsigned char)s[1] * 31u +
		(unsigned char)s[2]) & 4095u;
}

void claim_grams_of(struct claim_grams *out, const struct claim_plain *plain)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i + 3 <= plain->len; i++) {
		unsigned g = gram_of(plain->text + i);

		out->bit[g >> 6] |= UINT64_C(1) << (g & 63);
	}
}

bool claim_need_met(const struct claim_need *need, const struct claim_grams *grams)
{
	for (size_t i = 0; i < need->count; i++) {
		bool all = true;

		for (unsigned k = 0; k < need->grams[i] && all; k++) {
			unsigned g = need->gram[i][k];

			all = (grams->bit[g >> 6] >> (g & 63)) & 1;
		}
		if (all) {
			return true;
		}
	}
	return need->count == 0;
}

/* How much a text rules out: its length, but next to nothing for the words
 * that every sentence holds. */
static size_t weight_of(const char *text, size_t len)
{
	static const char *const common[] = {
		"the", "and", "for", "this", "that", "with", "what", "have", "are", "was",
		"all", "from", "when", "not", "has", "but", "can", "one", "you", "now",
		"its", "our", "will", "here", "than", "which", "time", "would",
	};

	while (len && *text == ' ') {
		text++;
		len--;
	}
	while (len && text[len - 1] == ' ') {
		len--;
	}
	for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++) {
		if (strlen(common[i]) == len && strncmp(common[i], text, len) == 0) {
			return 1;
		}
	}
	return len;
}

/* Keeps the better of two: heavier texts first, then fewer. */
static void keep_better(struct texts *best, const struct texts *other)
{
	size_t a = best->least < 5 ? best->least : 5;
	size_t b = other->least < 5 ? other->least : 5;

	if (other->count && (best->count == 0 || b > a ||
	    (b == a && other->count < best->count))) {
		*best = *other;
	}
}

static void end_run(struct texts *best, char *run, size_t *len)
{
	if (*len >= 3) {
		struct texts one = {.count = 1, .least = weight_of(run, *len)};

		memcpy(one.item[0], run, *len);
		one.item[0][*len] = '\0';
		keep_better(best, &one);
	}
	*len = 0;
}

/* Skips a quantifier; true when it allows none at all. */
static bool skip_quantifier(struct scan *s, bool *out_any)
{
	bool optional = false;

	*out_any = *s->at == '?' || *s->at == '*' || *s->at == '+' || *s->at == '{';
	if (*s->at == '{') {
		optional = s->at[1] == '0';
		while (*s->at && *s->at != '}') {
			s->at++;
		}
		s->at += *s->at == '}';
	} else if (*out_any) {
		optional = *s->at != '+';
		s->at++;
	}
	if (*out_any && (*s->at == '?' || *s->at == '+')) {
		s->at++; /* lazy or possessive */
	}
	return optional;
}

static void skip_class(struct scan *s)
{
	s->at++;
	s->at += *s->at == '^';
	s->at += *s->at == ']';
	while (*s->at && *s->at != ']') {
		s->at += *s->at == '\\' && s->at[1] ? 2 : 1;
	}
	s->at += *s->at == ']';
}

/* Behind a bracket whose contents do not count. */
static void skip_group(struct scan *s)
{
	unsigned open = 0;

	while (*s->at) {
		if (*s->at == '\\' && s->at[1]) {
			s->at += 2;
			continue;
		}
		if (*s->at == '[') {
			skip_class(s);
			continue;
		}
		open += *s->at == '(';
		open -= *s->at == ')';
		s->at++;
		if (open == 0) {
			return;
		}
	}
}

static void alternatives(struct scan *s, struct texts *out);

static void group(struct scan *s, struct texts *best)
{
	struct texts inner = {0};
	bool any;
	bool looks = s->at[1] == '?' && (s->at[2] == '!' || s->at[2] == '=' ||
		s->at[2] == '<');

	if (looks || s->depth == DEPTH_MAX) {
		skip_group(s);
		skip_quantifier(s, &any);
		return;
	}
	s->at += s->at[1] == '?' ? 3 : 1; /* "(?:" or "(" */
	s->depth++;
	alternatives(s, &inner);
	s->depth--;
	s->at += *s->at == ')';
	if (!skip_quantifier(s, &any)) {
		keep_better(best, &inner);
	}
}

/* An escaped character: a literal, or 0 for a class; -1 for no width. */
static int escaped(struct scan *s)
{
	char c = s->at[1];

	s->at += c ? 2 : 1;
	if (c == 'b' || c == 'B') {
		return -1;
	}
	return strchr("wWdDsS", c) ? 0 : c;
}

static void sequence(struct scan *s, struct texts *best)
{
	char run[RUN_MAX];
	size_t len = 0;

	while (*s->at && *s->at != '|' && *s->at != ')') {
		int c = *s->at;
		bool any;

		if (c == '(') {
			end_run(best, run, &len);
			group(s, best);
			continue;
		}
		if (c == '[' || c == '.') {
			end_run(best, run, &len);
			if (c == '[') {
				skip_class(s);
			} else {
				s->at++;
			}
			skip_quantifier(s, &any);
			continue;
		}
		if (c == '\\') {
			c = escaped(s);
		} else {
			s->at++;
			c = c == '^' || c == '$' ? -1 : c;
		}
		if (c == -1) {
			continue;
		}
		bool optional = skip_quantifier(s, &any);
		if (c == 0 || optional || len + 1 == RUN_MAX) {
			end_run(best, run, &len);
			continue;
		}
		run[len++] = (char)c;
		if (any) {
			end_run(best, run, &len);
		}
	}
	end_run(best, run, &len);
}

static void alternatives(struct scan *s, struct texts *out)
{
	bool all = true;

	out->count = 0;
	out->least = RUN_MAX;
	for (;;) {
		struct texts one = {0};

		sequence(s, &one);
		all = all && one.count && out->count + one.count <= CLAIM_NEED_MAX;
		for (size_t i = 0; all && i < one.count; i++) {
			memcpy(out->item[out->count++], one.item[i], RUN_MAX);
		}
		out->least = one.least < out->least ? one.least : out->least;
		if (*s->at != '|') {
			break;
		}
		s->at++;
	}
	if (!all) {
		out->count = 0;
		out->least = 0;
	}
}

void claim_need_of(struct claim_need *out, const char *pattern)
{
	struct scan s = {.at = pattern};
	struct texts texts = {0};

	memset(out, 0, sizeof(*out));
	alternatives(&s, &texts);
	out->count = texts.count;
	for (size_t i = 0; i < texts.count; i++) {
		size_t len = strlen(texts.item[i]);

		for (size_t k = 0; k + 3 <= len && out->grams[i] < CLAIM_NEED_GRAMS; k++) {
			out->gram[i][out->grams[i]++] = (uint16_t)gram_of(texts.item[i] + k);
		}
	}
}
