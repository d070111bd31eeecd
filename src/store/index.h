#ifndef KSEEK_STORE_INDEX_H
#define KSEEK_STORE_INDEX_H
/*
 * Where the lines of a log begin, and the cache file that saves the scan. The
 * cache is only a cache: it is used when its version, the log's length and a
 * hash of the bytes before its end all fit, else it is made anew.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct ks_index {         /* a zeroed struct is an empty index */
	uint64_t *starts; /* offset of each line                       */
	size_t count;
	size_t cap;
	uint64_t end;     /* behind the last whole line that is known  */
};

void ks_index_fini(struct ks_index *index);
/* Bytes of line i without its newline. */
uint64_t ks_index_length(const struct ks_index *index, size_t i);
/* Takes in the whole lines of fd between end and `limit`. */
int ks_index_extend(struct ks_index *index, int fd, uint64_t limit, struct ks_err *err);
/* Forgets lines that end behind byte `length`. */
void ks_index_shrink(struct ks_index *index, uint64_t length);

/* Reads the cache for the log at fd. KS_ENOTFOUND without a file, KS_EINVAL
 * when it does not fit: *out is untouched. */
int ks_index_load(struct ks_index *out, const char *cache, int fd, struct ks_err *err);
int ks_index_save(const struct ks_index *index, const char *cache, int fd,
	struct ks_err *err);
/* `kseek reindex`: scans the log from its start and writes the cache anew.
 * out_lines may be NULL. */
int ks_index_rebuild(const char *log, const char *cache, size_t *out_lines,
	struct ks_err *err);

#endif
