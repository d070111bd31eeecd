#ifndef KSEEK_AGENT_TEXTDIFF_H
#define KSEEK_AGENT_TEXTDIFF_H
/*
 * What an edit changed: counts of lines, and a unified diff for a preview.
 * Pure. Texts may be anything; a text with NUL bytes counts as binary.
 */
#include <stddef.h>

#include "base/buf.h"

struct ks_textdiff {
	size_t added, removed; /* lines */
};

/* Appends the diff of two texts, whole lines up to max bytes; nothing where
 * they are equal. Shortest edit up to 2000 changed lines a side, beyond that
 * the whole middle counts as replaced. */
struct ks_textdiff ks_textdiff(struct ks_buf *out, const char *path, struct ks_str before,
	struct ks_str after, size_t max);

#endif
