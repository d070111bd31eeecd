/* A copy's name is the file's own and seven characters more, which nobody knows. */
#include "eval/copies.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

#define ENDING 7 /* ".XXXXXX" */

static bool copy_bytes(int to, int from)
{
	struct stat st;
	off_t at = 0;
	bool ok = fstat(from, &st) == 0 && S_ISREG(st.st_mode);
	while (ok && at < st.st_size) {
		ok = sendfile(to, from, &at, (size_t)(st.st_size - at)) > 0;
	}
	return ok && fchmod(to, 0500) == 0;
}

static char *copy(const char *path)
{
	char *name = ks_asprintf("%s.XXXXXX", path);
	int from = open(path, O_RDONLY | O_CLOEXEC);
	int to = from >= 0 ? mkostemp(name, O_CLOEXEC) : -1;
	bool ok = to >= 0 && copy_bytes(to, from);
	if (from >= 0) {
		close(from);
	}
	if (to >= 0) {
		close(to);
	}
	if (!ok) {
		if (to >= 0) {
			unlink(name);
		}
		free(name);
		return NULL;
	}
	return name;
}

const char *ks_copies_add(struct ks_copies *c, const char *path)
{
	char *name = c->count < KS_COPIES_MAX ? copy(path) : NULL;
	if (name != NULL) {
		c->path[c->count++] = name;
	}
	return name != NULL ? name : path;
}

void ks_copies_fini(struct ks_copies *c)
{
	for (size_t i = 0; c != NULL && i < c->count; i++) {
		unlink(c->path[i]);
		free(c->path[i]);
	}
	if (c != NULL) {
		*c = (struct ks_copies){.count = 0};
	}
}

void ks_copies_rename(const struct ks_copies *c, struct ks_err *err)
{
	for (size_t i = 0; i < c->count && err != NULL; i++) {
		size_t len = strlen(c->path[i]);
		for (char *at = strstr(err->msg, c->path[i]); at != NULL;
			at = strstr(at, c->path[i])) {
			memmove(at + len - ENDING, at + len, strlen(at + len) + 1);
		}
	}
}
