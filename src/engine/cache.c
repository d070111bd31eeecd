/*
 * The build cache: objects by the hash of what they are built from, KEY.so. All of it
 * can be built again, so it is cut when an engine starts, while nothing uses it.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "engine/cache.h"

#define SOURCE_MAX (16u << 20)
#define KEPT 512 /* objects; some MiB on a CPU, some 500 MiB on a GPU at the most */

struct object {
	char *path;
	struct timespec made;
};

static int by_age(const void *a, const void *b)
{
	const struct timespec *x = &((const struct object *)a)->made;
	const struct timespec *y = &((const struct object *)b)->made;

	return x->tv_sec != y->tv_sec ? (x->tv_sec > y->tv_sec) - (x->tv_sec < y->tv_sec) :
		(x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

static bool is_object(const char *name)
{
	size_t len = strlen(name);

	return len > 3 && strcmp(name + len - 3, ".so") == 0;
}

void ks_cache_cut(const char *dir)
{
	char **names = NULL;
	size_t count = 0, n = 0;

	if (ks_file_list(&names, &count, dir, NULL) < 0) {
		return; /* nothing was built yet */
	}
	struct object *all = ks_zalloc(count + 1, sizeof(*all));
	for (size_t i = 0; i < count; i++) {
		char *path = ks_path_join(dir, names[i]);
		struct stat st;
		if (!is_object(names[i])) {
			unlink(path); /* a build or a worker's copy that was cut short */
		} else if (lstat(path, &st) == 0) {
			all[n++] = (struct object){path, st.st_mtim};
			continue;
		}
		free(path);
	}
	qsort(all, n, sizeof(all[0]), by_age);
	for (size_t i = 0; i < n; i++) {
		if (i + KEPT < n) {
			unlink(all[i].path);
		}
		free(all[i].path);
	}
	free(all);
	ks_names_free(names, count);
}

int ks_cache_path(char **out, const char *dir, const struct ks_build_spec *build,
	struct ks_err *err)
{
	struct ks_hash *hash = ks_hash_new();
	char sources[KS_HASH_HEX], key[KS_HASH_HEX];
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < build->nsources; i++) {
		struct ks_buf text = {0};
		rc = ks_file_read(&text, build->sources[i], SOURCE_MAX, err);
		ks_hash_add(hash, text.ptr != NULL ? text.ptr : "", text.len);
		ks_hash_add(hash, "", 1);
		ks_buf_fini(&text);
	}
	ks_hash_peek(hash, sources);
	ks_hash_free(hash);
	if (rc == 0) {
		ks_build_key(key, build, sources);
		*out = ks_asprintf("%s/%s.so", dir, key);
	}
	return rc;
}
