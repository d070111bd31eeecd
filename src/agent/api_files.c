/*
 * Files of the campaign's folder, for a model: each part of a path is opened by
 * itself, below the one before, and no link is followed, so that a path cannot
 * lead out however the folder changes meanwhile. Log and candidates (.kseek,
 * .git) are out of reach.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/api.h"
#include "base/file.h"
#include "base/mem.h"

#define LIST_MAX 2000

int ks_api_path(char **out, const char *folder, const char *path, struct ks_err *err)
{
	size_t len = strlen(folder);

	if (path == NULL || *path == '\0') {
		return ks_err_set(err, KS_EINVAL, "a path is missing");
	}
	if (strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0')) {
		path += len + (path[len] == '/');
	}
	while (path[0] == '.' && path[1] == '/') {
		path += 2;
	}
	if (*path == '\0' || strcmp(path, ".") == 0) {
		*out = ks_strdup(".");
		return 0;
	}
	if (!ks_path_is_plain(path)) {
		return ks_err_set(err, KS_EDENIED, "%.200s: outside of the campaign's folder; only "
			"files in it may be read and written this way", path);
	}
	if (strncmp(path, ".kseek", 6) == 0 || strncmp(path, ".git/", 5) == 0 ||
		strcmp(path, ".git") == 0) {
		return ks_err_set(err, KS_EDENIED, "%.200s: kseek's own; use `kseek status`, "
			"`kseek candidates` and `kseek diff`", path);
	}
	*out = ks_strdup(path);
	return 0;
}

static int say(struct ks_err *err, const char *path)
{
	if (errno == ELOOP || errno == ENOTDIR) {
		return ks_err_set(err, KS_EDENIED, "%.200s: leads over a link or a file; name the "
			"file itself", path);
	}
	return ks_err_sys(err, errno, "%.200s", path);
}

/* Opens the folder that holds the last part of the path. */
static int open_parent(const char *folder, const char *path, bool make, const char **out_last,
	struct ks_err *err)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), next;
	const char *slash;

	while (fd >= 0 && (slash = strchr(path, '/')) != NULL) {
		char *part = ks_strndup(path, (size_t)(slash - path));

		if (make && mkdirat(fd, part, 0755) < 0 && errno != EEXIST) {
			next = -1;
		} else {
			next = openat(fd, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		}
		free(part);
		close(fd);
		fd = next;
		path = slash + 1;
	}
	*out_last = path;
	return fd >= 0 ? fd : say(err, path);
}

static int read_all(struct ks_buf *out, int fd, const char *path, struct ks_err *err)
{
	char bytes[16384];
	size_t total = 0;
	ssize_t n;

	while ((n = read(fd, bytes, sizeof(bytes))) > 0) {
		total += (size_t)n;
		if (total > KS_API_FILE_MAX) {
			return ks_err_set(err, KS_ELIMIT, "%.200s: larger than %u bytes", path,
				KS_API_FILE_MAX);
		}
		ks_buf_add(out, bytes, (size_t)n);
	}
	return n < 0 ? say(err, path) : 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Takes fd. */
static int list_folder(struct ks_buf *out, int fd, const char *path, struct ks_err *err)
{
	DIR *dir = fdopendir(fd);
	const struct dirent *entry;
	char **names = NULL;
	size_t count = 0, cap = 0;

	if (dir == NULL) {
		close(fd);
		return say(err, path);
	}
	while (count < LIST_MAX && (entry = readdir(dir)) != NULL) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
			ks_grow(&names, &cap, count + 1, sizeof(*names));
			names[count++] = ks_asprintf("%s%s", entry->d_name,
				entry->d_type == DT_DIR ? "/" : "");
		}
	}
	closedir(dir);
	if (count > 0) {
		qsort(names, count, sizeof(*names), by_text);
	}
	for (size_t i = 0; i < count; i++) {
		ks_buf_addf(out, "%s\n", names[i]);
		free(names[i]);
	}
	free(names);
	return 0;
}

int ks_api_file_read(struct ks_buf *out, const char *folder, const char *path,
	struct ks_err *err)
{
	const char *last;
	int parent = open_parent(folder, path, false, &last, err), fd, rc;
	struct stat st;

	if (parent < 0) {
		return parent;
	}
	fd = openat(parent, last, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	close(parent);
	if (fd < 0 || fstat(fd, &st) < 0) {
		rc = say(err, path);
	} else if (S_ISDIR(st.st_mode)) {
		return list_folder(out, fd, path, err);
	} else if (!S_ISREG(st.st_mode)) {
		rc = ks_err_set(err, KS_EDENIED, "%.200s: not a regular file", path);
	} else {
		rc = read_all(out, fd, path, err);
	}
	if (fd >= 0) {
		close(fd);
	}
	return rc;
}

static int write_all(int fd, struct ks_str text)
{
	while (text.len > 0) {
		ssize_t n = write(fd, text.ptr, text.len);

		if (n < 0) {
			return -1;
		}
		text.ptr += n;
		text.len -= (size_t)n;
	}
	return 0;
}

/* Writes beside the file and renames. */
static int replace(int parent, const char *last, struct ks_str text, mode_t mode)
{
	char temporary[64];
	int fd, rc = -1, sys;

	snprintf(temporary, sizeof(temporary), ".kseek-write-%d", (int)getpid());
	fd = openat(parent, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0) {
		return -1;
	}
	if (write_all(fd, text) == 0 && fchmod(fd, mode) == 0) {
		rc = renameat(parent, temporary, parent, last);
	}
	sys = errno;
	close(fd);
	if (rc < 0) {
		unlinkat(parent, temporary, 0);
	}
	errno = sys;
	return rc;
}

int ks_api_file_write(const char *folder, const char *path, struct ks_str text,
	struct ks_err *err)
{
	const char *last;
	struct stat st;
	mode_t mode = 0644;
	int parent, rc = 0;

	if (text.len > KS_API_FILE_MAX) {
		return ks_err_set(err, KS_ELIMIT, "%.200s: larger than %u bytes", path,
			KS_API_FILE_MAX);
	}
	parent = open_parent(folder, path, true, &last, err);
	if (parent < 0) {
		return parent;
	}
	if (fstatat(parent, last, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		mode = st.st_mode & 0777;
		if (!S_ISREG(st.st_mode)) {
			rc = ks_err_set(err, KS_EDENIED, "%.200s: not a regular file", path);
		}
	}
	if (rc == 0 && replace(parent, last, text, mode) < 0) {
		rc = say(err, path);
	}
	close(parent);
	return rc;
}
