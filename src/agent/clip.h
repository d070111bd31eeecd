#ifndef KSEEK_AGENT_CLIP_H
#define KSEEK_AGENT_CLIP_H
/*
 * Output of a command within a bound: its beginning and its end are kept, what
 * is between is counted. A zeroed struct is valid and empty.
 */
#include "base/buf.h"

#define KS_CLIP_HEAD (96u * 1024)
#define KS_CLIP_TAIL (96u * 1024)

struct ks_clip {
	struct ks_buf head, tail;
	size_t dropped;
};

void ks_clip_add(struct ks_clip *clip, struct ks_str bytes);
/* Appends what was kept, with a line in between that says how much was not. */
void ks_clip_text(const struct ks_clip *clip, struct ks_buf *out);
void ks_clip_fini(struct ks_clip *clip);

#endif
