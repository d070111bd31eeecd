/* See sources.h. */
#include "store/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

static int by_name(const void *a, const void *b)
{
	const struct ks_source *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

void ks_sources_hash(const struct ks_source *files, size_t count, char out[KS_HASH_HEX])
{
	const struct ks_source *order[KS_SOURCES_MAX];
	struct ks_hash *hash = ks_hash_new();
	char head[32];

	count = count > KS_SOURCES_MAX ? KS_SOURCES_MAX : count;
	for (size_t i = 0; i < count; i++) {
		order[i] = &files[i];
	}
	qsort(order, count, sizeof(order[0]), by_name);
	for (size_t i = 0; i < count; i++) {
		int n = snprintf(head, sizeof(head), "%zu", order[i]->bytes.len);

		ks_hash_add(hash, order[i]->name, strlen(order[i]->name) + 1);
		ks_hash_add(hash, head, (size_t)n + 1);
		ks_hash_add(hash, order[i]->bytes.ptr, order[i]->bytes.len);
	}
	ks_hash_peek(hash, out);
	ks_hash_free(hash);
}

int ks_sources_hash_of(const char *root, const struct ks_strings *names, char out[KS_HASH_HEX],
	struct ks_err *err)
{
	struct ks_source files[KS_SOURCES_MAX];
	struct ks_buf bytes[KS_SOURCES_MAX] = {{0}};
	size_t count = names->count > KS_SOURCES_MAX ? KS_SOURCES_MAX : names->count;
	int rc = count > 0 ? 0 : ks_err_set(err, KS_EINVAL, "the campaign names no source files");

	for (size_t i = 0; rc == 0 && i < count; i++) {
		char *path = ks_path_join(root, names->items[i]);

		rc = ks_file_read(&bytes[i], path, KS_SOURCE_BYTES, err);
		files[i] = (struct ks_source){names->items[i],
			{bytes[i].ptr != NULL ? bytes[i].ptr : "", bytes[i].len}};
		free(path);
	}
	if (rc == 0) {
		ks_sources_hash(files, count, out);
	}
	for (size_t i = 0; i < count; i++) {
		ks_buf_fini(&bytes[i]);
	}
	return rc;
}
