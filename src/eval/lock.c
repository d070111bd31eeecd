/*
 * The device lock. Whoever holds it has written its process id into the file, so that
 * who waits can tell for whom; the kernel's lock alone decides. A name stays behind when
 * the lock is given back, and is not there yet when it was just taken: so only one whose
 * process has the lock, by what /proc says of it, is told.
 */
#include "eval/lock.h"

#include <dirent.h>
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

#define SIGN_TRIES 10
#define SIGN_US 5000

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
		return; /* the name of the last holder stays, and is told of nobody */
	}
}

/* Whether /proc/PID/fdinfo/NAME tells of a lock that this process has. */
static bool is_locked(int pid, const char *name)
{
	char path[300], text[1024];

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%s", pid, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
	if (fd >= 0) {
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	return strstr(text, "FLOCK") != NULL;
}

/* Whether a process has the file of fd open, and locked by that. */
static bool has_lock(int pid, int fd)
{
	char path[64];
	struct stat own, st;
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	DIR *dir = pid > 0 && fstat(fd, &own) == 0 ? opendir(path) : NULL;
	for (struct dirent *at; dir != NULL && !found && (at = readdir(dir)) != NULL;) {
		found = fstatat(dirfd(dir), at->d_name, &st, 0) == 0 && st.st_dev == own.st_dev &&
			st.st_ino == own.st_ino && is_locked(pid, at->d_name);
	}
	if (dir != NULL) {
		closedir(dir);
	}
	return found;
}

/* The process that has signed and has the lock; 0: none that can be told. */
static int holder_of(int fd)
{
	char text[24] = "";
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	int pid = n > 0 ? (int)strtol(text, NULL, 10) : 0;

	return has_lock(pid, fd) ? pid : 0;
}

/* Who holds the lock, for a person: the campaign (a judge works in a folder of its
 * .kseek) and the process; where that cannot be told, the lock's path. */
static char *holder(int pid, const char *path)
{
	char link[64], folder[PATH_MAX];

	snprintf(link, sizeof(link), "/proc/%d/cwd", pid);
	ssize_t n = pid > 0 ? readlink(link, folder, sizeof(folder) - 1) : -1;
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

/* Tries for as long as it may take to sign. 0: taken; else errno's value. */
static int try_lock(int fd, int *out_holder)
{
	for (int left = SIGN_TRIES;; left--) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
			return 0;
		}
		int sys = errno;
		*out_holder = sys == EWOULDBLOCK ? holder_of(fd) : 0;
		if (sys != EWOULDBLOCK || *out_holder > 0 || left == 0) {
			return sys;
		}
		usleep(SIGN_US);
	}
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
	int who = 0, sys = fd >= 0 ? try_lock(fd, &who) : 0;
	if (sys != 0) {
		if (sys == EWOULDBLOCK && on_wait != NULL) {
			char *name_of = holder(who, path);
			on_wait(name_of);
			free(name_of);
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
