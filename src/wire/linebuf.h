#ifndef KSEEK_WIRE_LINEBUF_H
#define KSEEK_WIRE_LINEBUF_H
/*
 * Lines out of a byte stream of another program: cut anywhere, many in one
 * piece, with "\n" or "\r\n", of any bytes. A line above the maximum is dropped
 * up to its newline, and that it was is told; what follows is read as ever. No
 * memory is kept for a large line once it has been read.
 *
 * Pure. A zeroed struct is a valid empty one with the usual maximum.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#define KS_LINEBUF_MAX (64u * 1024 * 1024)

struct ks_linebuf {
	struct ks_buf buf;
	size_t start;    /* first byte not yet given out */
	size_t scanned;  /* no newline before this place */
	size_t max;      /* bytes of a line; 0: KS_LINEBUF_MAX */
	size_t dropped;  /* bytes of the line that is being dropped */
	bool dropping;
};

enum ks_linebuf_got {
	KS_LINEBUF_NONE = 0, /* more bytes are needed */
	KS_LINEBUF_LINE,
	KS_LINEBUF_DROPPED   /* a line was too long: out->len is its length */
};

void ks_linebuf_fini(struct ks_linebuf *lines);
/* Adds bytes; a line given out before becomes invalid. */
void ks_linebuf_add(struct ks_linebuf *lines, struct ks_str bytes);
/* The next line, without its end; empty lines are passed over. *out is lent
 * until the next call of any function here. */
enum ks_linebuf_got ks_linebuf_next(struct ks_linebuf *lines, struct ks_str *out);
/* At the end of the stream: what is left without a newline. */
bool ks_linebuf_last(struct ks_linebuf *lines, struct ks_str *out);

#endif
