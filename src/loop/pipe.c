/*
 * A splitter of byte streams into lines, and a write queue. Both are bounded
 * by their users: the splitter cuts a line at its maximum, the queue tells its
 * size.
 */
#include "loop/internal.h"

/* ---- lines ---- */

void ks_lines_fini(struct ks_lines *lines)
{
	ks_buf_fini(&lines->buf);
}

void ks_lines_add(struct ks_lines *lines, const char *bytes, size_t len)
{
	if (lines->start > 0) {
		ks_buf_drop(&lines->buf, lines->start);
		lines->scanned -= lines->start;
		lines->start = 0;
	}
	ks_buf_add(&lines->buf, bytes, len);
}

bool ks_lines_next(struct ks_lines *lines, struct ks_str *out, bool *out_cut)
{
	for (;;) {
		char *at = lines->buf.ptr + lines->scanned;
		size_t left = lines->buf.len - lines->scanned;
		char *newline = left > 0 ? memchr(at, '\n', left) : NULL;
		size_t end = newline != NULL ? (size_t)(newline - lines->buf.ptr) : lines->buf.len;
		size_t begin = lines->start;
		bool skipped = lines->skipping;
		bool cut = end - begin > lines->max;

		lines->scanned = end;
		if (newline != NULL) {
			lines->scanned = end + 1;
			lines->start = end + 1;
			lines->skipping = false;
		} else if (skipped || cut) {
			lines->start = end;
			lines->skipping = true;
		} else {
			return false;
		}
		if (!skipped) {
			*out = (struct ks_str){lines->buf.ptr + begin,
				cut ? lines->max : end - begin};
			*out_cut = cut;
			return true;
		}
		if (newline == NULL) {
			return false;
		}
	}
}

bool ks_lines_last(struct ks_lines *lines, struct ks_str *out)
{
	if (lines->skipping || lines->start == lines->buf.len) {
		return false;
	}
	*out = (struct ks_str){lines->buf.ptr + lines->start, lines->buf.len - lines->start};
	lines->start = lines->scanned = lines->buf.len;
	return true;
}

/* ---- write queue ---- */

void ks_wq_init(struct ks_wq *wq, uv_stream_t *handle, void (*done)(void *ctx, int status),
	void *ctx)
{
	*wq = (struct ks_wq){.handle = handle, .done = done, .ctx = ctx};
	wq->req.data = wq;
}

void ks_wq_fini(struct ks_wq *wq)
{
	ks_buf_fini(&wq->waiting);
	ks_buf_fini(&wq->flying);
}

static int wq_send(struct ks_wq *wq);

static void wq_written(uv_write_t *req, int status)
{
	struct ks_wq *wq = req->data;

	wq->busy = false;
	ks_buf_clear(&wq->flying);
	if (status == 0 && wq->waiting.len > 0) {
		status = wq_send(wq);
	}
	wq->done(wq->ctx, status);
}

static int wq_send(struct ks_wq *wq)
{
	struct ks_buf spare = wq->flying;
	uv_buf_t piece;
	int status;

	wq->flying = wq->waiting;
	wq->waiting = spare;
	piece = uv_buf_init(wq->flying.ptr, (unsigned)wq->flying.len);
	wq->busy = true;
	status = uv_write(&wq->req, wq->handle, &piece, 1, wq_written);
	if (status < 0) {
		wq->busy = false;
		ks_buf_clear(&wq->flying);
	}
	return status;
}

int ks_wq_add(struct ks_wq *wq, struct ks_str bytes)
{
	if (bytes.len == 0) {
		return 0;
	}
	ks_buf_addstr(&wq->waiting, bytes);
	return wq->busy ? 0 : wq_send(wq);
}

size_t ks_wq_queued(const struct ks_wq *wq)
{
	return wq->waiting.len + wq->flying.len;
}
