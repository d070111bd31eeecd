#ifndef KSEEK_STORE_FOLLOW_H
#define KSEEK_STORE_FOLLOW_H
/*
 * The reader of a log that may be growing: consoles, exports, replay. It takes
 * no lock, reads by offset and never maps the file. Lines are numbered from 0;
 * in a log that nobody edited line i is event i + 1. Only whole lines count.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct ks_follow;

/* One line handed to a callback. */
struct ks_follow_line {
	size_t index;
	uint64_t offset;
	struct ks_str text; /* without the newline; lent for the call */
	bool whole;         /* false: longer than KS_EVENT_LINE_MAX (no writer of
	                     * ours made it), text holds its beginning            */
};

/* Opens path. cache (may be NULL) is the index file: used when it fits the log,
 * else the log is scanned. Nothing is written. Call refresh before reading. */
int ks_follow_open(struct ks_follow **out, const char *path, const char *cache,
	struct ks_err *err);
void ks_follow_free(struct ks_follow *f);

#define KS_FOLLOW_ALL UINT64_MAX
/* Takes in lines that end at or before byte `limit` (the length that the engine
 * announced; KS_FOLLOW_ALL without an engine). out_new (may be NULL) gets their
 * number. KS_EPROTO when the file became shorter than what was taken in: the
 * index then holds what is left, and the caller must fold again from line 0. */
int ks_follow_refresh(struct ks_follow *f, uint64_t limit, size_t *out_new,
	struct ks_err *err);

size_t ks_follow_count(const struct ks_follow *f);
/* Appends line `index` without its newline. KS_ENOTFOUND past the end,
 * KS_ELIMIT for a line above KS_EVENT_LINE_MAX. */
int ks_follow_read(const struct ks_follow *f, size_t index, struct ks_buf *out,
	struct ks_err *err);
/* Hands lines [from, to) to fn in order, in big reads; to is clipped to the
 * count. fn returns 0 to go on; another value ends the walk and is returned. */
int ks_follow_each(const struct ks_follow *f, size_t from, size_t to,
	int (*fn)(void *payload, const struct ks_follow_line *line), void *payload,
	struct ks_err *err);

#endif
