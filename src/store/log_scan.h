#ifndef KSEEK_STORE_LOG_SCAN_H
#define KSEEK_STORE_LOG_SCAN_H
/* Inside src/store: one pass over a whole log, for opening and for checking. */
#include "base/hash.h"
#include "store/log.h"

struct ks_log_scan {
	struct ks_hash *sum;       /* of all whole lines; the caller frees it */
	uint64_t length;           /* bytes of whole lines                    */
	int64_t last_seq, last_t;
	int64_t hash_seq;          /* seq of the last log.hash line, or 0     */
	struct ks_log_check check;
};

/* Fills *out (zeroed) from fd. On failure out->sum is NULL. */
int ks_log_scan(struct ks_log_scan *out, int fd, const char *path, struct ks_err *err);

#endif
