#ifndef KSEEK_BASE_JSON_SCAN_H
#define KSEEK_BASE_JSON_SCAN_H
/* Inside src/base: the strict check of a JSON text (RFC 8259) before parsing. */
#include "base/buf.h"
#include "base/err.h"

#define KS_JSON_DEPTH 64

/* Checks that text is one JSON document. Appends to repaired (empty on entry)
 * a corrected copy if anything had to be replaced: invalid UTF-8, "\u0000" and
 * lone surrogates by U+FFFD, numbers of more than 60 characters by the nearest
 * double; else leaves it empty. KS_EINVAL or KS_ELIMIT with the byte offset. */
int ks_json_scan(const char *text, size_t len, struct ks_buf *repaired, struct ks_err *err);

/* Appends the shortest text that reads back as the same finite double. */
void ks_json_add_double(struct ks_buf *out, double value);

#endif
