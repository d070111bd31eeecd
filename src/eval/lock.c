/* The device lock. */
#include "eval/lock.h"

#include <errno.h>
#include <fcntl.h>
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

static int open_lock(const char *path)
{
	return open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
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
	free(path);
	return fd;
}

int ks_lock_take(const char *name, void (*on_wait)(const char *path), struct ks_err *err)
{
	char *path = lock_path(name);
	int fd = open_lock(path);
	int code = fd < 0 ? ks_err_sys(err, errno, "cannot open the device's lock %s", path) : fd;
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
		if (errno == EWOULDBLOCK && on_wait != NULL) {
			on_wait(path);
		}
		while (flock(fd, LOCK_EX) != 0) {
			if (errno != EINTR) {
				code = ks_err_sys(err, errno, "cannot lock %s", path);
				close(fd);
				break;
			}
		}
	}
	free(path);
	return code;
}
