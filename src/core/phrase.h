#ifndef KSEEK_CORE_PHRASE_H
#define KSEEK_CORE_PHRASE_H
/*
 * Hundreds of phrases sought in one text, letter case apart: where words begin is
 * laid down once, by their first three characters, so that each phrase is compared at
 * a few places only. Pure; no allocation.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

#define KS_PHRASES_TEXT 8192 /* bytes of a text that are looked at: its last */
#define KS_PHRASES_BUCKETS 2048

struct ks_phrases {
	struct ks_str text;                  /* borrowed */
	uint16_t first[KS_PHRASES_BUCKETS];  /* 1 + a place; 0: none */
	uint16_t next[KS_PHRASES_TEXT];      /* of the same bucket, 1 + a place */
};

void ks_phrases_init(struct ks_phrases *phrases, struct ks_str text);
/* Whether the phrase is in the text at the beginning of a word; one that does not
 * begin with a letter or a digit, anywhere. "" is nowhere. Blanks before it do not count. */
bool ks_phrases_say(const struct ks_phrases *phrases, const char *phrase);

#endif
