/*
 * Files of a problem, copied into a new campaign: those that a problem has by its
 * format, no other, and none larger than KS_COPY_MAX.
 */
#include "engine/copy.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"

bool ks_ends_in(const char *name, const char *end)
{
	size_t len = strlen(name), n = strlen(end);

	return len > n && strcmp(name + len - n, end) == 0;
}

static bool is_wanted(const char *name)
{
	static const char *const ends[] = {".json", ".jsonl", ".c", ".h", ".cu", ".cuh", NULL};

	for (int i = 0; ends[i] != NULL; i++) {
		if (ks_ends_in(name, ends[i])) {
			return strcmp(name, "campaign.json") != 0;
		}
	}
	return false;
}

int ks_copy_file(const char *from, const char *to, struct ks_err *err)
{
	struct ks_buf bytes = {0};
	int rc = ks_file_read(&bytes, from, KS_COPY_MAX, err);

	if (rc == 0) {
		rc = ks_file_write(to, ks_buf_str(&bytes), 0644, err);
	}
	ks_buf_fini(&bytes);
	return rc;
}

/* The problem's files of one folder, and of its sets/. A folder with the name of
 * the target holds the sets for it: they are taken in place of the others. */
static int copy_folder(const char *from, const char *to, const char *target, int depth,
	struct ks_err *err)
{
	char **names = NULL;
	size_t count = 0;
	int rc = ks_file_list(&names, &count, from, err);
	char *own = ks_path_join(from, target);
	bool has_own = depth == 0 && ks_file_is_dir(own);

	if (rc == 0) {
		rc = ks_file_mkdirs(to, 0755, err);
	}
	for (size_t i = 0; rc == 0 && i < count; i++) {
		char *a = ks_path_join(from, names[i]);
		char *b = ks_path_join(to, names[i]);
		bool set = ks_ends_in(names[i], ".jsonl");
		if (depth == 0 && strcmp(names[i], "sets") == 0 && ks_file_is_dir(a)) {
			rc = has_own ? 0 : copy_folder(a, b, target, 1, err);
		} else if (is_wanted(names[i]) && !ks_file_is_dir(a) && !(set && has_own)) {
			rc = ks_copy_file(a, b, err);
		}
		free(a);
		free(b);
	}
	ks_names_free(names, count);
	if (rc == 0 && has_own) {
		rc = copy_folder(own, to, target, 1, err);
	}
	free(own);
	return rc;
}

int ks_copy_problem(const char *from, const char *to, const char *target, struct ks_err *err)
{
	return copy_folder(from, to, target, 0, err);
}
