/*
 * File helpers. Every descriptor is close-on-exec. Nothing here follows a
 * length that a file system reports without checking it while reading.
 */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

#define TREE_DEPTH 256
#define LIST_MAX 1000000

/* Reads to the end of the file or to one byte above max. */
static int read_all(struct ks_buf *out, int fd, size_t max)
{
	size_t total = 0;

	while (total <= max) {
		size_t want = max - total + 1 < 65536 ? max - total + 1 : 65536;
		ssize_t n;

		ks_buf_reserve(out, want);
		n = read(fd, out->ptr + out->len, want);
		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n < 0) {
			return errno;
		}
		if (n == 0) {
			return 0;
		}
		out->len += (size_t)n;
		out->ptr[out->len] = '\0';
		total += (size_t)n;
	}
	return EFBIG;
}

int ks_file_read(struct ks_buf *out, const char *path, size_t max, struct ks_err *err)
{
	/* a FIFO must not block the open */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t before = out->len;
	struct stat st;
	int sys;

	if (fd < 0) {
		return ks_err_sys(err, errno, "read %s", path);
	}
	if (fstat(fd, &st) < 0) {
		sys = errno;
		close(fd);
		return ks_err_sys(err, sys, "read %s", path);
	}
	if (!S_ISREG(st.st_mode)) {
		close(fd);
		return ks_err_set(err, KS_EINVAL, "read %s: not a regular file", path);
	}
	if (max == SIZE_MAX) {
		max--;
	}
	if (st.st_size > 0 && (uintmax_t)st.st_size <= max) {
		ks_buf_reserve(out, (size_t)st.st_size + 1);
	}
	sys = (uintmax_t)st.st_size > max ? EFBIG : read_all(out, fd, max);
	close(fd);
	if (sys == 0) {
		return KS_OK;
	}
	ks_buf_truncate(out, before);
	if (sys == EFBIG) {
		return ks_err_set(err, KS_ELIMIT, "read %s: larger than the limit of %zu bytes",
			path, max);
	}
	return ks_err_sys(err, sys, "read %s", path);
}

static int write_all(int fd, struct ks_str bytes)
{
	while (bytes.len > 0) {
		ssize_t n = write(fd, bytes.ptr, bytes.len);

		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n < 0) {
			return errno;
		}
		bytes.ptr += n;
		bytes.len -= (size_t)n;
	}
	return 0;
}

/* Makes the name itself durable. A file system without that is no error. */
static void sync_folder(const char *path)
{
	char *dir = ks_path_dir(path);
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		(void)!fsync(fd);
		close(fd);
	}
	free(dir);
}

int ks_file_write(const char *path, struct ks_str bytes, mode_t mode, struct ks_err *err)
{
	char *tmp = ks_asprintf("%s.XXXXXX", path);
	int fd = mkostemp(tmp, O_CLOEXEC);
	int sys = 0;

	if (fd < 0) {
		sys = errno;
		free(tmp);
		return ks_err_sys(err, sys, "write %s", path);
	}
	sys = write_all(fd, bytes);
	if (sys == 0 && (fchmod(fd, mode) < 0 || fsync(fd) < 0)) {
		sys = errno;
	}
	if (close(fd) < 0 && sys == 0) {
		sys = errno;
	}
	if (sys == 0 && rename(tmp, path) < 0) {
		sys = errno;
	}
	if (sys != 0) {
		unlink(tmp);
		free(tmp);
		return ks_err_sys(err, sys, "write %s", path);
	}
	free(tmp);
	sync_folder(path);
	return KS_OK;
}

int ks_file_append(const char *path, struct ks_str bytes, mode_t mode, struct ks_err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, mode);
	int sys = fd < 0 ? errno : write_all(fd, bytes);

	if (fd >= 0 && close(fd) < 0 && sys == 0) {
		sys = errno;
	}
	return sys == 0 ? KS_OK : ks_err_sys(err, sys, "write %s", path);
}

int ks_file_mkdirs(const char *path, mode_t mode, struct ks_err *err)
{
	char *copy = ks_strdup(path);
	char *at = copy;
	int sys = 0;

	while (sys == 0 && at) {
		at = strchr(at + (*at != '\0'), '/');
		if (at) {
			*at = '\0';
		}
		if (mkdir(copy, mode) < 0 && !(ks_file_is_dir(copy) || copy[0] == '\0')) {
			sys = errno;
		}
		if (at) {
			*at++ = '/';
		}
	}
	free(copy);
	if (sys != 0) {
		return ks_err_sys(err, sys, "make folder %s", path);
	}
	return KS_OK;
}

bool ks_file_exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0;
}

bool ks_file_is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

char *ks_path_join(const char *a, const char *b)
{
	size_t n = strlen(a);

	if (b[0] == '/' || n == 0) {
		return ks_strdup(b);
	}
	while (n > 1 && a[n - 1] == '/') {
		n--;
	}
	if (b[0] == '\0') {
		return ks_strndup(a, n);
	}
	return ks_asprintf("%.*s%s%s", (int)n, a, a[n - 1] == '/' ? "" : "/", b);
}

const char *ks_path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *ks_path_dir(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash) {
		return ks_strdup(".");
	}
	while (slash > path && slash[-1] == '/') {
		slash--;
	}
	return ks_strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

bool ks_path_is_plain(const char *path)
{
	struct ks_str part;
	const char *at = path;

	if (path[0] == '\0') {
		return false;
	}
	for (;;) {
		const char *end = strchrnul(at, '/');

		part = (struct ks_str){at, (size_t)(end - at)};
		if (part.len == 0 || ks_str_is(part, ".") || ks_str_is(part, "..")) {
			return false;
		}
		if (*end == '\0') {
			return true;
		}
		at = end + 1;
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int ks_file_list(char ***out_names, size_t *out_count, const char *dir, struct ks_err *err)
{
	char **names = NULL;
	size_t count = 0, cap = 0;
	struct dirent *entry;
	DIR *d = opendir(dir);
	int sys;

	if (!d) {
		return ks_err_sys(err, errno, "list %s", dir);
	}
	while (errno = 0, count < LIST_MAX && (entry = readdir(d))) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
			ks_grow(&names, &cap, count + 1, sizeof(*names));
			names[count++] = ks_strdup(entry->d_name);
		}
	}
	sys = count < LIST_MAX ? errno : EOVERFLOW;
	closedir(d);
	if (sys != 0) {
		ks_names_free(names, count);
		return ks_err_sys(err, sys, "list %s", dir);
	}
	if (count > 0) {
		qsort(names, count, sizeof(*names), by_name);
	}
	*out_names = names;
	*out_count = count;
	return KS_OK;
}

void ks_names_free(char **names, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		free(names[i]);
	}
	free(names);
}

/* ---- removing a tree: a stack of open folders, never a path twice ---- */

struct level {
	DIR *dir;
	char *name; /* in its parent */
};

/* Opens a folder for emptying; one that its owner locked is unlocked. */
static DIR *open_folder(int parent, const char *name)
{
	const int how = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(parent, name, how);
	struct stat st;
	DIR *dir;

	if (fd < 0 && errno == EACCES && fchmodat(parent, name, 0700, 0) == 0) {
		fd = openat(parent, name, how);
	}
	if (fd < 0) {
		return NULL;
	}
	if (fstat(fd, &st) == 0 && (st.st_mode & 0700) != 0700) {
		(void)!fchmod(fd, 0700);
	}
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
	}
	return dir;
}

/* One step: an entry of the top folder goes, or a folder is pushed, or an
 * empty one is popped. Returns 0 or errno. */
static int remove_step(struct level *stack, size_t *depth)
{
	struct level *top = &stack[*depth - 1];
	struct dirent *entry;
	int fd = dirfd(top->dir);

	errno = 0;
	entry = readdir(top->dir);
	if (!entry && errno != 0) {
		return errno;
	}
	if (!entry) {
		int parent = *depth > 1 ? dirfd(stack[*depth - 2].dir) : AT_FDCWD;
		int sys = unlinkat(parent, top->name, AT_REMOVEDIR) < 0 ? errno : 0;

		closedir(top->dir);
		free(top->name);
		(*depth)--;
		return sys;
	}
	if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		unlinkat(fd, entry->d_name, 0) == 0 || errno == ENOENT) {
		return 0;
	}
	if (errno != EISDIR && errno != EPERM) {
		return errno;
	}
	if (*depth == TREE_DEPTH) {
		return ELOOP;
	}
	stack[*depth].dir = open_folder(fd, entry->d_name);
	if (!stack[*depth].dir) {
		return errno;
	}
	stack[(*depth)++].name = ks_strdup(entry->d_name);
	return 0;
}

int ks_file_remove_tree(const char *path, struct ks_err *err)
{
	struct level *stack;
	size_t depth = 0;
	int sys = 0;

	if (unlinkat(AT_FDCWD, path, 0) == 0 || errno == ENOENT) {
		return KS_OK;
	}
	stack = ks_zalloc(TREE_DEPTH, sizeof(*stack));
	stack[0].dir = open_folder(AT_FDCWD, path);
	if (!stack[0].dir) {
		sys = errno;
	} else {
		stack[0].name = ks_strdup(path);
		depth = 1;
	}
	while (sys == 0 && depth > 0) {
		sys = remove_step(stack, &depth);
	}
	while (depth > 0) {
		depth--;
		closedir(stack[depth].dir);
		free(stack[depth].name);
	}
	free(stack);
	if (sys == ELOOP) {
		return ks_err_set(err, KS_ELIMIT, "remove %s: more than %d folders deep", path,
			TREE_DEPTH);
	}
	return sys ? ks_err_sys(err, sys, "remove %s", path) : KS_OK;
}
