/*
 * The line reader. Invariants: bytes before `start` were given out; there is no
 * newline between `start` and `scanned`; while `dropping`, the buffer holds
 * nothing of the line that is dropped.
 */
#include "wire/linebuf.h"

#include <string.h>

#define KEEP (256u * 1024) /* an empty buffer larger than this is given back */

void ks_linebuf_fini(struct ks_linebuf *lines)
{
	if (lines != NULL) {
		ks_buf_fini(&lines->buf);
		*lines = (struct ks_linebuf){.max = lines->max};
	}
}

static size_t most(const struct ks_linebuf *lines)
{
	return lines->max > 0 ? lines->max : KS_LINEBUF_MAX;
}

void ks_linebuf_add(struct ks_linebuf *lines, struct ks_str bytes)
{
	if (lines->start == lines->buf.len) {
		if (lines->buf.cap > KEEP) {
			ks_buf_fini(&lines->buf);
		}
		ks_buf_clear(&lines->buf);
		lines->start = lines->scanned = 0;
	} else if (lines->start > 0) {
		ks_buf_drop(&lines->buf, lines->start);
		lines->scanned -= lines->start;
		lines->start = 0;
	}
	ks_buf_addstr(&lines->buf, bytes);
}

/* The bytes up to `end` belong to a line that is too long. */
static void drop(struct ks_linebuf *lines, size_t end)
{
	lines->dropped += end - lines->start;
	lines->start = lines->scanned = end;
	lines->dropping = true;
}

/* A whole line ends at `end`, where its newline is. */
static enum ks_linebuf_got take(struct ks_linebuf *lines, size_t end, struct ks_str *out)
{
	struct ks_str line = {lines->buf.ptr + lines->start, end - lines->start};

	if (line.len > 0 && line.ptr[line.len - 1] == '\r') {
		line.len--;
	}
	if (lines->dropping || line.len > most(lines)) {
		drop(lines, end);
		*out = (struct ks_str){"", lines->dropped};
		lines->dropped = 0;
		lines->dropping = false;
		lines->start = lines->scanned = end + 1;
		return KS_LINEBUF_DROPPED;
	}
	lines->start = lines->scanned = end + 1;
	if (line.len == 0) {
		return KS_LINEBUF_NONE;
	}
	*out = line;
	return KS_LINEBUF_LINE;
}

enum ks_linebuf_got ks_linebuf_next(struct ks_linebuf *lines, struct ks_str *out)
{
	while (lines->scanned < lines->buf.len) {
		const char *from = lines->buf.ptr + lines->scanned;
		const char *newline = memchr(from, '\n', lines->buf.len - lines->scanned);
		enum ks_linebuf_got got;

		if (newline == NULL) {
			lines->scanned = lines->buf.len;
			break;
		}
		got = take(lines, (size_t)(newline - lines->buf.ptr), out);
		if (got != KS_LINEBUF_NONE) {
			return got;
		}
	}
	/* One more than the maximum may still be the CR of its end. */
	if (lines->dropping || lines->buf.len - lines->start > most(lines) + 1) {
		drop(lines, lines->buf.len);
	}
	return KS_LINEBUF_NONE;
}

bool ks_linebuf_last(struct ks_linebuf *lines, struct ks_str *out)
{
	struct ks_str line = {NULL, lines->buf.len - lines->start};

	if (lines->dropping || line.len == 0) {
		return false;
	}
	line.ptr = lines->buf.ptr + lines->start;
	lines->start = lines->scanned = lines->buf.len;
	*out = line;
	return true;
}
