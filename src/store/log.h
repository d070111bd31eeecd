#ifndef KSEEK_STORE_LOG_H
#define KSEEK_STORE_LOG_H
/*
 * The writer of a campaign's log: the one process that holds the lock, and the
 * check of a log's hashes. The file only grows; a line is an event:
 *
 *   {"seq":N,"t":MICROSECONDS,"kind":"tool.started","by":"agent", fields...}
 *
 * An append is a transaction: all its lines are there or none. When the system
 * refuses one (no space, I/O error), the file goes back to its last good length
 * and the log is stopped: appends are refused with the reason until
 * ks_log_resume. On opening, a last line without a newline is moved to a side
 * file (PATH.torn-N) and is never glued to the next event.
 *
 * After every KS_LOG_HASH_EVERY lines the writer adds a line of its own,
 * {"kind":"log.hash","by":"engine","upto":SEQ,"bytes":N,"sha256":HEX}: the hash
 * of all N bytes before that line, through the newline of event SEQ.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "core/event.h"

#define KS_LOG_LINE_MAX KS_EVENT_LINE_MAX /* without its newline */
#define KS_LOG_HASH_EVERY 256

struct ks_log;

/* One line to write. Everything is borrowed for the call. */
struct ks_log_event {
	const char *kind;     /* "tool.started"; any kind that is a short word  */
	const char *by;       /* "human", "agent", ...                          */
	struct ks_str fields; /* JSON members without the braces; may be empty  */
	int64_t t;            /* microseconds since 1970; 0: now, and never less
	                       * than the line before                           */
};

/* One line that was written. */
struct ks_log_line {
	int64_t seq;
	int64_t t;
	uint64_t offset;      /* of its first byte                     */
	struct ks_str text;   /* without the newline; lent for the call */
};

/* What opening found. */
struct ks_log_found {
	bool fresh;           /* there was no event yet                         */
	int64_t last_seq;     /* 0 when fresh                                   */
	int64_t last_t;
	uint64_t length;      /* bytes of whole lines                           */
	size_t torn;          /* bytes put aside, 0 for none                    */
	char torn_path[256];  /* where they are                                 */
	int64_t altered_seq;  /* seq of the first log.hash line that does not
	                       * fit the bytes before it; 0: all fit            */
};

/* Opens or makes the log and takes its lock. found may be NULL. KS_EBUSY when
 * another process writes it. Gives *out (ks_log_close). */
int ks_log_open(struct ks_log **out, const char *path, struct ks_log_found *found,
	struct ks_err *err);
/* Syncs what is pending and lets go of the lock. NULL is allowed. */
void ks_log_close(struct ks_log *log);

/* Called for each line after it is in the file, in order, log.hash lines too.
 * It must not append. */
void ks_log_on_line(struct ks_log *log,
	void (*fn)(void *payload, const struct ks_log_line *line), void *payload);

enum ks_log_sync {
	KS_LOG_GROUPED, /* on disk at the next ks_log_sync (a timer, 1 s)       */
	KS_LOG_NOW      /* on disk when the call returns                        */
};

/* Appends count events as one transaction. out_seq (may be NULL) gets the seq
 * of the last of them. KS_EINVAL for a kind, by or fields that do not make one
 * line, KS_ELIMIT for a line above KS_LOG_LINE_MAX: nothing is written and the
 * log runs on. KS_EFULL or KS_EIO: nothing was written and the log is stopped. */
int ks_log_append(struct ks_log *log, const struct ks_log_event *events, size_t count,
	enum ks_log_sync sync, int64_t *out_seq, struct ks_err *err);
/* Puts grouped lines on disk; cheap when nothing is pending. A failure stops
 * the log. */
int ks_log_sync(struct ks_log *log, struct ks_err *err);
/* The same with the wait elsewhere, in a thread: a descriptor of the file, to be
 * given to fdatasync and closed, or -1 when nothing is pending; ks_log_synced is
 * then told what came of it, an errno or 0. */
int ks_log_sync_begin(struct ks_log *log);
int ks_log_synced(struct ks_log *log, int sys, struct ks_err *err);
bool ks_log_pending(const struct ks_log *log); /* grouped lines wait for a sync */
/* Adds a log.hash line now when lines came since the last one (at the orderly
 * end of an engine, before a log is exported). */
int ks_log_seal(struct ks_log *log, struct ks_err *err);

/* Why the log is stopped (one line, lent), or NULL while it runs. */
const char *ks_log_stopped(const struct ks_log *log);
/* Tries to go on: makes sure that the file has its last good length, and that there is
 * room for more. */
int ks_log_resume(struct ks_log *log, struct ks_err *err);

int64_t ks_log_last_seq(const struct ks_log *log);
uint64_t ks_log_length(const struct ks_log *log); /* bytes, all of whole lines */

/* ---- checking ---- */

struct ks_log_check {
	int64_t lines;
	int64_t hashes;       /* log.hash lines                                 */
	int64_t covered_seq;  /* last seq that a hash which fits covers; 0 none */
	int64_t altered_seq;  /* first log.hash line that does not fit, 0: none */
	uint64_t altered_from;/* its bytes: somewhere in [from, to) the log was */
	uint64_t altered_to;  /* changed after it was written                   */
	int64_t broken_line;  /* first line (from 1) without envelope or out of
	                       * the order of seq, 0: none                      */
	uint64_t torn;        /* bytes behind the last newline                  */
};

/* Reads a whole log, takes no lock. An altered log is no error: see *out. */
int ks_log_verify(struct ks_log_check *out, const char *path, struct ks_err *err);

#endif
