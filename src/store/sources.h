#ifndef KSEEK_STORE_SOURCES_H
#define KSEEK_STORE_SOURCES_H
/*
 * What sources are called by: SHA-256 over name, length and bytes of each file,
 * in the order of their names. Two candidates with the same hash are one.
 */
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "store/campaign.h"

#define KS_SOURCES_MAX 64
#define KS_SOURCE_BYTES (4u * 1024 * 1024)

struct ks_source { /* borrowed */
	const char *name;
	struct ks_str bytes;
};

void ks_sources_hash(const struct ks_source *files, size_t count, char out[KS_HASH_HEX]);
/* Of the working copy as it lies there now. */
int ks_sources_hash_of(const char *root, const struct ks_strings *names,
	char out[KS_HASH_HEX], struct ks_err *err);

#endif
