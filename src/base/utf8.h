#ifndef KSEEK_BASE_UTF8_H
#define KSEEK_BASE_UTF8_H
/*
 * UTF-8 by utf8proc (the only user): decoding, grapheme clusters, column
 * widths. Invalid bytes decode to U+FFFD, one replacement a byte, so every
 * function terminates on any input.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* What a code point does to a line of text. */
enum ks_utf8_class {
	KS_UTF8_PLAIN,
	KS_UTF8_CONTROL,  /* C0, DEL, C1                                       */
	KS_UTF8_HIDDEN,   /* formats (bidi, zero width, tags, BOM), fillers,
	                   * line separators, unassigned: nothing to see        */
	KS_UTF8_JOINER,   /* U+200D                                            */
	KS_UTF8_SELECTOR, /* U+FE0E, U+FE0F: text or emoji form of the base    */
	KS_UTF8_MARK,     /* combines with what stands before it               */
	KS_UTF8_PICTO,    /* an emoji base                                     */
	KS_UTF8_TONE      /* skin tone; combines with an emoji base            */
};
enum ks_utf8_class ks_utf8_class(int32_t cp);

/* Decodes one code point at s (len > 0); returns the bytes used (>= 1). */
size_t ks_utf8_decode(const char *s, size_t len, int32_t *out_cp);
/* Encodes cp into out (4 bytes at least); returns 1..4. */
size_t ks_utf8_encode(int32_t cp, char *out);
bool ks_utf8_valid(const char *s, size_t len);
/* Length in bytes of the grapheme cluster at s (len > 0), at most 64. */
size_t ks_utf8_grapheme(const char *s, size_t len);
/* Columns of a cluster on a terminal: 0, 1 or 2. Ambiguous widths count 1. */
int ks_utf8_width(const char *s, size_t len);
/* Columns of a whole text of printable clusters. */
size_t ks_utf8_columns(const char *s, size_t len);
/* Longest prefix in bytes, cut between clusters, of at most cols columns. */
size_t ks_utf8_fit(const char *s, size_t len, size_t cols);
/* Where the longest suffix of at most cols columns begins, between clusters. */
size_t ks_utf8_fit_end(const char *s, size_t len, size_t cols);
/* Appends s in at most cols columns. One that is too long loses its middle, since the
 * ends of names that are alike tell them apart; `mark`, of one column, stands there. */
void ks_utf8_shorten(struct ks_buf *out, struct ks_str s, size_t cols, const char *mark);
/* Longest prefix in bytes <= max that ends between code points. */
size_t ks_utf8_cut(const char *s, size_t len, size_t max);

#endif
