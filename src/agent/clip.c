/* Output within a bound. Invariant: tail holds at most twice KS_CLIP_TAIL. */
#include "agent/clip.h"

void ks_clip_add(struct ks_clip *clip, struct ks_str bytes)
{
	size_t room = KS_CLIP_HEAD - clip->head.len;
	size_t first = bytes.len < room ? bytes.len : room;

	ks_buf_add(&clip->head, bytes.ptr, first);
	bytes.ptr += first;
	bytes.len -= first;
	if (bytes.len > KS_CLIP_TAIL) {
		clip->dropped += bytes.len - KS_CLIP_TAIL;
		bytes.ptr += bytes.len - KS_CLIP_TAIL;
		bytes.len = KS_CLIP_TAIL;
	}
	ks_buf_add(&clip->tail, bytes.ptr, bytes.len);
	if (clip->tail.len > 2 * KS_CLIP_TAIL) {
		size_t extra = clip->tail.len - KS_CLIP_TAIL;

		ks_buf_drop(&clip->tail, extra);
		clip->dropped += extra;
	}
}

void ks_clip_text(const struct ks_clip *clip, struct ks_buf *out)
{
	size_t extra = clip->tail.len > KS_CLIP_TAIL ? clip->tail.len - KS_CLIP_TAIL : 0;

	ks_buf_addstr(out, ks_buf_str(&clip->head));
	if (clip->dropped + extra > 0) {
		ks_buf_addf(out, "\n(%zu bytes not shown)\n", clip->dropped + extra);
	}
	if (clip->tail.len > extra) {
		ks_buf_add(out, clip->tail.ptr + extra, clip->tail.len - extra);
	}
}

void ks_clip_fini(struct ks_clip *clip)
{
	ks_buf_fini(&clip->head);
	ks_buf_fini(&clip->tail);
	clip->dropped = 0;
}
