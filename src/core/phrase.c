/*
 * Places in a text by the three characters that stand there: the first two choose
 * eight buckets side by side, the third one of them, so that a phrase of two
 * characters has a few buckets to look at. A place inside a word is in no list, since
 * nothing is sought there.
 */
#include "core/phrase.h"

#include <string.h>
#include <strings.h>

/* Letters and digits. */
static const bool word_char[256] = {
	['0' ... '9'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true,
};

static bool is_word(char c)
{
	return word_char[(unsigned char)c];
}

#define SIDE 8 /* buckets of one pair of characters */

/* The first bucket of a pair. */
static unsigned pair(char a, char b)
{
	return ((unsigned char)(a | 32) * 31u + (unsigned char)(b | 32)) * SIDE
		% KS_PHRASES_BUCKETS;
}

static unsigned side(char c)
{
	return (unsigned char)(c | 32) % SIDE;
}

/* Places where a phrase may begin; how many. Without a branch, since no processor
 * foresees where words end. */
static size_t begins(uint16_t places[KS_PHRASES_TEXT], struct ks_str text)
{
	bool inside = false;
	size_t count = 0;

	for (size_t i = 0; i + 1 < text.len; i++) {
		bool word = is_word(text.ptr[i]);

		places[count] = (uint16_t)i;
		count += !(word & inside) & (text.ptr[i] != ' ');
		inside = word;
	}
	return count;
}

void ks_phrases_init(struct ks_phrases *phrases, struct ks_str text)
{
	uint16_t places[KS_PHRASES_TEXT];
	size_t count;

	if (text.len > KS_PHRASES_TEXT) {
		text.ptr += text.len - KS_PHRASES_TEXT;
		text.len = KS_PHRASES_TEXT;
	}
	phrases->text = text;
	memset(phrases->first, 0, sizeof(phrases->first));
	count = begins(places, text);
	for (size_t k = 0; k < count; k++) {
		size_t i = places[k];
		uint16_t *first = &phrases->first[pair(text.ptr[i], text.ptr[i + 1])
			+ (i + 2 < text.len ? side(text.ptr[i + 2]) : 0)];

		phrases->next[i] = *first;
		*first = (uint16_t)(i + 1);
	}
}

/* One character has no list of its own. */
static bool say_one(const struct ks_phrases *phrases, char c)
{
	struct ks_str text = phrases->text;

	for (size_t i = 0; i < text.len; i++) {
		if (strncasecmp(text.ptr + i, &c, 1) == 0 && (i == 0 || !is_word(c)
			|| !is_word(text.ptr[i - 1]))) {
			return true;
		}
	}
	return false;
}

static bool say_in(const struct ks_phrases *phrases, unsigned bucket, const char *phrase,
	size_t len)
{
	const char *text = phrases->text.ptr;
	char last = phrase[len - 1] | 32;

	for (size_t at = phrases->first[bucket]; at != 0; at = phrases->next[at - 1]) {
		if (at - 1 + len <= phrases->text.len && (text[at - 2 + len] | 32) == last
			&& strncasecmp(text + at - 1, phrase, len) == 0) {
			return true;
		}
	}
	return false;
}

bool ks_phrases_say(const struct ks_phrases *phrases, const char *phrase)
{
	size_t len;
	unsigned first;

	phrase += strspn(phrase, " ");
	len = strlen(phrase);
	if (len < 2) {
		return len == 1 && say_one(phrases, phrase[0]);
	}
	first = pair(phrase[0], phrase[1]);
	if (len > 2) {
		return say_in(phrases, first + side(phrase[2]), phrase, len);
	}
	for (unsigned i = 0; i < SIDE; i++) {
		if (say_in(phrases, first + i, phrase, len)) {
			return true;
		}
	}
	return false;
}
