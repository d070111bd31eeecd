/*
 * A sentence as stems of words: each stem, each pair of neighbours, and the words
 * at both ends, hashed into buckets. What a bucket speaks for is fitted
 * (claim_stem_weights.c). The classes of claim_words.c carry what we know of a
 * word; the stems carry what labelled sentences say of it.
 */
#include <ctype.h>
#include <string.h>

#include "core/claim_impl.h"

#define EDGE 0x9e3779b9u /* stands before the first and behind the last stem */

enum { ALONE = 1, NEXT_TO, FIRST, LAST, FIRST_TWO, LAST_TWO };

static uint32_t mixed(uint32_t h)
{
	h ^= h >> 16;
	h *= 0x85ebca6bu;
	h ^= h >> 13;
	h *= 0xc2b2ae35u;
	return h ^ (h >> 16);
}

/* Each bucket once. */
static void put(struct claim_stems *out, uint32_t kind, uint32_t a, uint32_t b)
{
	uint32_t at = mixed(kind * EDGE + mixed(a) * 31u + b) % CLAIM_STEM_BUCKETS;
	uint64_t bit = UINT64_C(1) << (at & 63);

	if (out->count < CLAIM_STEMS_MAX && (out->seen[at >> 6] & bit) == 0) {
		out->seen[at >> 6] |= bit;
		out->bucket[out->count++] = (uint16_t)at;
	}
}

/* Endings that inflect and derive go, where at least four letters stay. */
static size_t stem_length(const char *word, size_t len)
{
	static const char *const endings[] = {
		"ations", "ation", "ings", "ing", "edly", "ed", "ies", "es", "s", "ly",
	};

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t n = strlen(endings[i]);

		if (len >= n + 4 && memcmp(word + len - n, endings[i], n) == 0) {
			return len - n;
		}
	}
	return len;
}

static uint32_t hash_of(const char *text, size_t len)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++) {
		h = (h ^ (unsigned char)text[i]) * 16777619u;
	}
	return h;
}

/* The next word, number (all alike) or mark; 0 at the end. */
static uint32_t next_stem(const char **at)
{
	static const char marks[] = "%?!=:()\"|<>/.,;-";

	for (; **at; (*at)++) {
		const char *from = *at, *to = from;

		while (isalpha((unsigned char)*to) || *to == '\'') {
			to++;
		}
		if (to > from) {
			*at = to;
			return hash_of(from, stem_length(from, (size_t)(to - from)));
		}
		while (isdigit((unsigned char)*to) || (to > from && (*to == '.' || *to == ',')
		       && isdigit((unsigned char)to[1]))) {
			to++;
		}
		if (to > from) {
			*at = to;
			return '#';
		}
		if (strchr(marks, *from)) {
			(*at)++;
			return (uint32_t)*from;
		}
	}
	return 0;
}

void claim_stems_of(struct claim_stems *out, const struct claim_plain *plain)
{
	const char *at = plain->text;
	uint32_t stem, before = EDGE, first = 0, earlier = EDGE;
	size_t number = 0;

	memset(out, 0, sizeof(*out));
	while ((stem = next_stem(&at)) != 0) {
		put(out, ALONE, stem, 0);
		put(out, NEXT_TO, before, stem);
		if (number == 0) {
			put(out, FIRST, stem, 0);
			first = stem;
		} else if (number == 1) {
			put(out, FIRST_TWO, first, stem);
		}
		number++;
		earlier = before;
		before = stem;
	}
	put(out, NEXT_TO, before, EDGE);
	put(out, LAST, before, 0);
	put(out, LAST_TWO, earlier, before);
}
