/*
 * Content-addressed bodies. A blob is written beside its place and renamed, so
 * a name that exists always holds the whole contents; writing the same contents
 * twice ends in the same file.
 */
#include "store/blob.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

bool ks_blob_is_name(const char *name)
{
	return name && strlen(name) == KS_HASH_HEX - 1 &&
		strspn(name, "0123456789abcdef") == KS_HASH_HEX - 1;
}

static char *path_of(const char *dir, const char *name)
{
	return ks_asprintf("%s/%.2s/%s", dir, name, name + 2);
}

static int check_name(const char *name, struct ks_err *err)
{
	if (!ks_blob_is_name(name)) {
		return ks_err_set(err, KS_EINVAL, "blob \"%.80s\": a name is 64 hexadecimal digits",
			name ? name : "");
	}
	return KS_OK;
}

int ks_blob_put(const char *dir, struct ks_str bytes, char out_name[KS_HASH_HEX],
	struct ks_err *err)
{
	char name[KS_HASH_HEX];
	struct stat st;
	char *path, *folder;
	int rc = KS_OK;

	if (bytes.len > KS_BLOB_MAX) {
		return ks_err_set(err, KS_ELIMIT, "blob: %zu bytes, at most %u", bytes.len,
			KS_BLOB_MAX);
	}
	ks_hash_of(bytes.ptr, bytes.len, name);
	path = path_of(dir, name);
	/* a file of another size is damaged and is written anew */
	if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode) || (uint64_t)st.st_size != bytes.len) {
		folder = ks_path_dir(path);
		rc = ks_file_mkdirs(folder, 0700, err);
		if (rc == KS_OK) {
			rc = ks_file_write(path, bytes, 0600, err);
		}
		free(folder);
	}
	free(path);
	if (rc == KS_OK) {
		memcpy(out_name, name, sizeof(name));
	}
	return rc;
}

int ks_blob_get(struct ks_buf *out, const char *dir, const char *name, size_t max,
	struct ks_err *err)
{
	size_t before = out->len;
	char sum[KS_HASH_HEX];
	char *path;
	int rc = check_name(name, err);

	if (rc < 0) {
		return rc;
	}
	path = path_of(dir, name);
	rc = ks_file_read(out, path, max, err);
	free(path);
	if (rc < 0) {
		return rc;
	}
	ks_hash_of(ks_buf_str(out).ptr + before, out->len - before, sum);
	if (strcmp(sum, name) != 0) {
		ks_buf_truncate(out, before);
		return ks_err_set(err, KS_EINVAL, "blob %s: its contents were changed", name);
	}
	return KS_OK;
}

/* Reads [from, from + max) of an open file, as far as there is any. */
static int read_part(struct ks_buf *out, int fd, size_t from, size_t max)
{
	while (max > 0) {
		size_t want = max < 65536 ? max : 65536;
		ssize_t n;

		ks_buf_reserve(out, want);
		n = pread(fd, out->ptr + out->len, want, (off_t)from);
		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n < 0) {
			return errno;
		}
		if (n == 0) {
			break;
		}
		out->len += (size_t)n;
		out->ptr[out->len] = '\0';
		from += (size_t)n;
		max -= (size_t)n;
	}
	return 0;
}

int ks_blob_get_part(struct ks_buf *out, const char *dir, const char *name, size_t from,
	size_t max, size_t *out_size, struct ks_err *err)
{
	size_t before = out->len;
	struct stat st;
	char *path;
	int fd, sys = 0;
	int rc = check_name(name, err);

	if (rc < 0) {
		return rc;
	}
	path = path_of(dir, name);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	free(path);
	if (fd < 0) {
		return ks_err_sys(err, errno, "blob %s", name);
	}
	if (fstat(fd, &st) < 0) {
		sys = errno;
	} else if (!S_ISREG(st.st_mode)) {
		sys = EINVAL;
	} else if (from < (uint64_t)st.st_size) {
		sys = read_part(out, fd, from, max);
	}
	close(fd);
	if (sys != 0) {
		ks_buf_truncate(out, before);
		return ks_err_sys(err, sys, "blob %s", name);
	}
	if (out_size) {
		*out_size = (size_t)st.st_size;
	}
	return KS_OK;
}
