#ifndef KSEEK_WIRE_SSE_H
#define KSEEK_WIRE_SSE_H
/*
 * Server-sent events out of a byte stream (WHATWG HTML, "event stream
 * interpretation"), as model servers send them. Lines end with LF, CRLF or CR,
 * comments are skipped, several data lines are joined by LF, events may be cut
 * anywhere. Bytes are taken as they are: whoever parses the data repairs them.
 *
 * Pure: bytes in, slices out. A zeroed struct is a valid empty reader.
 */
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

#define KS_SSE_MAX (8u * 1024 * 1024) /* bytes of one event's data, and of a line */

struct ks_sse {
	struct ks_buf in;   /* bytes not yet read */
	size_t at;          /* first of them */
	size_t scanned;     /* no line end before this place */
	struct ks_buf name; /* of the event that is being read */
	struct ks_buf data;
	bool has_data;      /* a data line was seen, maybe an empty one */
	bool given;         /* name and data were lent out: cleared at the next step */
	bool skip_lf;       /* the last line ended with a CR */
	bool began;         /* a byte order mark may not come any more */
	bool broken;
};

void ks_sse_fini(struct ks_sse *sse);
/* Adds bytes; what was given out before stays valid until the next step. */
void ks_sse_add(struct ks_sse *sse, struct ks_str bytes);
/* 1 and an event, 0 when more bytes are needed, KS_ELIMIT when an event passes
 * KS_SSE_MAX (nothing comes after that). An event without a name is "message".
 * Events without data are dropped, as the specification has it. Both slices are
 * lent until the next call. */
int ks_sse_next(struct ks_sse *sse, struct ks_str *out_name, struct ks_str *out_data,
	struct ks_err *err);
/* The stream has ended: gives an event whose lines are whole and which only
 * lacks the empty line behind it (some servers leave it out). 1 or 0. */
int ks_sse_end(struct ks_sse *sse, struct ks_str *out_name, struct ks_str *out_data);

#endif
