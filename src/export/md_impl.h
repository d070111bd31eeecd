#ifndef KSEEK_EXPORT_MD_IMPL_H
#define KSEEK_EXPORT_MD_IMPL_H
/*
 * What the parts of the Markdown writer share: md_text.c (text made harmless),
 * md_tables.c (head and foot) and md.c (what happened). Nobody else includes this.
 */
#include "export/record.h"

/* Inline text: sanitised, one line, Markdown's marks escaped. */
void ks_md_inline(FILE *out, struct ks_str text);
void ks_md_inlines(FILE *out, const char *text);
/* One line as a code span. */
void ks_md_code(FILE *out, struct ks_str text);
/* A fenced block, each line behind indent; at most `lines` lines and 4 KiB of it,
 * then how many more there are. */
void ks_md_block(FILE *out, struct ks_str text, const char *indent, size_t lines);
#define MD_ALL_LINES SIZE_MAX
/* Prose: each line as a quoted line. */
void ks_md_quote(FILE *out, struct ks_str text);
/* "1 call", "2 calls". */
void ks_md_count(FILE *out, size_t n, const char *noun, const char *after);
/* "seed" or "c7"; "-" for none. */
void ks_md_number(FILE *out, int number);
/* Clock time "14:02:31" of microseconds. */
void ks_md_clock(FILE *out, int64_t t);

void ks_md_head(FILE *out, const struct ks_record *record);
void ks_md_foot(FILE *out, const struct ks_state *state);

#endif
