/*
 * The device lock. Whoever holds it has written its process id into the file, so that
 * who waits can tell for whom; the kernel's lock alone decides.
 */
#include "eval/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

static char *lock_path(const char *name)
{
	const char *dir = getenv("XDG_RUNTIME_DIR");
	if (dir != NULL && dir[0] == '/' && access(dir, W_OK) == 0) {
		return ks_asprintf("%s/%s.lock", dir, name);
	}
	dir = getenv("TMPDIR");
	return ks_asprintf("%s/%s-%u.lock", dir != NULL && dir[0] == '/' ? dir : "/tmp", name,
		(unsigned)geteuid());
}

/* In a folder that all may write, somebody else can have made the file: then he could
 * hold the lock for ever, and sign it. */
static int open_lock(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
	if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid())) {
		close(fd);
		errno = EPERM;
		return -1;
	}
	return fd;
}

/* Always as many bytes, so that nothing of a longer one stays. */
static void sign(int fd)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%-10d\n", (int)getpid());

	if (pwrite(fd, text, (size_t)n, 0) != n) {
		return; /* the name of the last holder stays; the lock alone decides */
	}
}

/* Who holds the lock, for a person: the campaign (a judge works in a folder of its
 * .kseek) and the process; where nobody has signed, the lock's path. */
static char *holder(int fd, const char *path)
{
	char text[24] = "", link[64], folder[PATH_MAX];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	int pid = n > 0 ? (int)strtol(text, NULL, 10) : 0;

	snprintf(link, sizeof(link), "/proc/%d/cwd", pid);
	n = pid > 0 ? readlink(link, folder, sizeof(folder) - 1) : -1;
	if (n <= 0) {
		return ks_strdup(path);
	}
	folder[n] = '\0';
	char *inner = strstr(folder, "/.kseek/");
	if (inner != NULL) {
		*inner = '\0';
	}
	return ks_asprintf("in %s, process %d", folder, pid);
}

int ks_lock_try(const char *name, bool *out_busy)
{
	char *path = lock_path(name);
	int fd = open_lock(path);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
		*out_busy = errno == EWOULDBLOCK;
		close(fd);
		fd = -1;
	}
	if (fd >= 0) {
		sign(fd);
	}
	free(path);
	return fd;
}

int ks_lock_take(const char *name, void (*on_wait)(const char *who), struct ks_err *err)
{
	char *path = lock_path(name);
	int fd = open_lock(path);
	int code = fd < 0 ? ks_err_sys(err, errno,
		"cannot open the device's lock %s (a file of yours; "
		"XDG_RUNTIME_DIR says where)", path) : fd;
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
		if (errno == EWOULDBLOCK && on_wait != NULL) {
			char *who = holder(fd, path);
			on_wait(who);
			free(who);
		}
		while (flock(fd, LOCK_EX) != 0) {
			if (errno != EINTR) {
				code = ks_err_sys(err, errno, "cannot lock %s", path);
				close(fd);
				break;
			}
		}
	}
	if (code >= 0) {
		sign(fd);
	}
	free(path);
	return code;
}
