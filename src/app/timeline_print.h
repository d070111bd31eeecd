#ifndef KSEEK_APP_TIMELINE_PRINT_H
#define KSEEK_APP_TIMELINE_PRINT_H
/* A timeline as tables for people and agents, and as JSON. Names are made safe. */
#include <stdio.h>

#include "base/buf.h"
#include "timeline/timeline.h"

/* Tables of at most `top` rows, at most `cols` columns wide (72 and more). */
void ks_timeline_print(FILE *out, const struct ks_trace *trace,
	const struct ks_timeline *timeline, size_t top, size_t cols);
/* One JSON object; lists have at most `top` members. */
void ks_timeline_json(struct ks_buf *out, const struct ks_trace *trace,
	const struct ks_timeline *timeline, size_t top);
/* What ran, in words: a kernel's short name, "copy host to device", "fill". */
void ks_timeline_item_name(struct ks_buf *out, const struct ks_trace *trace,
	const struct ks_item *item);

#endif
