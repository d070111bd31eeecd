/*
 * The sources of a candidate, copied at the moment of the call, so that an
 * edit made later cannot change what is measured.
 */
#include <dirent.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/shell.h"
#include "engine/internal.h"
#include "store/sources.h"

#define SOURCE_MAX KS_SOURCE_BYTES
#define FILES_MAX KS_SOURCES_MAX

/* Whether a file, links followed, lies in a folder. */
static bool lies_in(const char *path, const char *folder)
{
	char *file = realpath(path, NULL), *dir = realpath(folder, NULL);
	size_t len = dir != NULL ? strlen(dir) : 0;
	bool in = file != NULL && dir != NULL && strncmp(file, dir, len) == 0 && file[len] == '/';

	free(file);
	free(dir);
	return in;
}

/* within: the file may not lie elsewhere; NULL: anywhere. */
static int read_one(struct ks_repo_file *out, const char *dir, const char *name, const char *as,
	const char *within, struct ks_err *err)
{
	char *path = ks_path_join(dir, name);
	struct ks_buf bytes = {0};
	int rc = ks_file_read(&bytes, path, SOURCE_MAX, err);

	if (rc == 0 && within != NULL && !lies_in(path, within)) {
		rc = ks_err_set(err, KS_EDENIED, "%.200s: this agent's sources have to lie in the "
			"campaign's folder", path);
	}
	free(path);
	if (rc < 0) {
		ks_buf_fini(&bytes);
		return rc;
	}
	out->path = ks_strdup(as);
	out->len = bytes.len;
	out->bytes = ks_buf_take(&bytes);
	return 0;
}

static int read_list(struct ks_repo_file **out, size_t *out_count, const char *dir,
	char *const *names, size_t count, const char *within, struct ks_err *err)
{
	if (count == 0 || count > FILES_MAX) {
		return ks_err_set(err, KS_ELIMIT, "%s: %zu source files; 1 to %d are possible",
			dir, count, FILES_MAX);
	}
	struct ks_repo_file *files = ks_zalloc(count, sizeof(*files));
	for (size_t i = 0; i < count; i++) {
		int rc = read_one(&files[i], dir, names[i], names[i], within, err);
		if (rc < 0) {
			ks_repo_files_free(files, i);
			return rc;
		}
	}
	*out = files;
	*out_count = count;
	return 0;
}

/* A variant in one file stands in for the first source; the working copy's
 * other files come along. */
static int read_variant(struct ks_repo_file **out, size_t *out_count, const struct ks_engine *e,
	const char *path, const char *within, struct ks_err *err)
{
	char *dir = ks_path_dir(path);
	const struct ks_strings *list = &e->campaign.files;
	struct ks_repo_file *files = ks_zalloc(list->count, sizeof(*files));
	int rc = read_one(&files[0], dir, ks_path_base(path), list->items[0], within, err);
	size_t n = rc == 0 ? 1 : 0;

	free(dir);
	for (; rc == 0 && n < list->count; n++) {
		rc = read_one(&files[n], e->opt.dir, list->items[n], list->items[n], within,
			err);
		if (rc < 0) {
			break;
		}
	}
	if (rc < 0) {
		ks_repo_files_free(files, n);
		return rc;
	}
	*out = files;
	*out_count = n;
	return 0;
}

/* A source of the working copy that somebody removed is in the newest candidate's
 * commit still. */
static int say_removed(const struct ks_engine *e, int rc, struct ks_err *err)
{
	const struct ks_strings *list = &e->campaign.files;

	for (size_t i = 0; rc == KS_ENOTFOUND && i < list->count; i++) {
		char *path = ks_path_join(e->opt.dir, list->items[i]);
		bool there = ks_file_exists(path);
		free(path);
		if (!there) {
			struct ks_buf from = {0}, to = {0};

			ks_shell_word(&from, list->items[i]);
			ks_shell_path(&to, list->items[i]);
			ks_err_clear(err);
			rc = ks_err_set(err, rc, "%s is not in %s any more; the newest candidate's "
				"comes back, there, by: git show candidates:%s > %s",
				list->items[i], e->opt.dir, from.ptr, to.ptr);
			ks_buf_fini(&from);
			ks_buf_fini(&to);
			break;
		}
	}
	return rc;
}

int ks_snapshot(struct ks_repo_file **out, size_t *out_count, const struct ks_engine *e,
	const char *source, bool shut_in, struct ks_err *err)
{
	const struct ks_strings *list = &e->campaign.files;
	const char *within = shut_in ? e->opt.dir : NULL;

	if (source == NULL) {
		int rc = read_list(out, out_count, e->opt.dir, list->items, list->count, within,
			err);
		return say_removed(e, rc, err);
	}
	if (source[0] != '/') {
		return ks_err_set(err, KS_EINVAL, "eval: the source's path must be absolute");
	}
	if (ks_file_is_dir(source)) {
		return read_list(out, out_count, source, list->items, list->count, within, err);
	}
	int rc = read_variant(out, out_count, e, source, within, err);
	return ks_file_exists(source) ? say_removed(e, rc, err) : rc;
}

void ks_snapshot_hash(const struct ks_repo_file *files, size_t count, char out[65])
{
	struct ks_source list[KS_SOURCES_MAX];

	count = count > KS_SOURCES_MAX ? KS_SOURCES_MAX : count;
	for (size_t i = 0; i < count; i++) {
		list[i] = (struct ks_source){files[i].path,
			{files[i].bytes != NULL ? files[i].bytes : "", files[i].len}};
	}
	ks_sources_hash(list, count, out);
}

size_t ks_snapshot_lines(const struct ks_repo_file *files, size_t count)
{
	size_t lines = 0;

	for (size_t i = 0; i < count; i++) {
		for (size_t at = 0; at < files[i].len; at++) {
			lines += files[i].bytes[at] == '\n';
		}
		lines += files[i].len > 0 && files[i].bytes[files[i].len - 1] != '\n';
	}
	return lines;
}

int ks_snapshot_write(const struct ks_repo_file *files, size_t count, const char *dir,
	struct ks_err *err)
{
	int rc = ks_file_mkdirs(dir, 0700, err);

	for (size_t i = 0; rc == 0 && i < count; i++) {
		char *path = ks_path_join(dir, files[i].path);
		char *parent = ks_path_dir(path);
		rc = ks_file_mkdirs(parent, 0700, err);
		if (rc == 0) {
			rc = ks_file_write(path, (struct ks_str){files[i].bytes, files[i].len},
				0600, err);
		}
		free(parent);
		free(path);
	}
	return rc;
}
