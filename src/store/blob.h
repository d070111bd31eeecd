#ifndef KSEEK_STORE_BLOB_H
#define KSEEK_STORE_BLOB_H
/*
 * Bodies that are too long for an event: files named by the SHA-256 of their
 * contents, blobs/ab/cdef... A blob never changes; the same contents are stored
 * once. A name is 64 lower-case hexadecimal digits and nothing else, so that no
 * log can name a path outside the folder.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"

#define KS_BLOB_MAX (64u * 1024 * 1024)

bool ks_blob_is_name(const char *name);
/* Stores bytes under dir (made when missing) and gives their name. */
int ks_blob_put(const char *dir, struct ks_str bytes, char out_name[KS_HASH_HEX],
	struct ks_err *err);
/* Appends a whole blob of at most max bytes and checks its hash: KS_EINVAL when
 * the file holds something else, KS_ENOTFOUND, KS_ELIMIT. */
int ks_blob_get(struct ks_buf *out, const char *dir, const char *name, size_t max,
	struct ks_err *err);
/* Appends up to max bytes from `from` on, unchecked, for views of long bodies.
 * out_size (may be NULL) gets the size of the whole blob. */
int ks_blob_get_part(struct ks_buf *out, const char *dir, const char *name, size_t from,
	size_t max, size_t *out_size, struct ks_err *err);

#endif
