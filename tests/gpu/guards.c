/*
 * Which of the worker's guards the GPU's driver lives with: each row applies some
 * of them to a process of its own and then opens the device, draws and waits.
 *
 *   guards LIBRARY            a table
 *   guards LIBRARY LETTERS    one row, in this process
 *
 * LETTERS, done in order: U user, M mount, P pid, I ipc, N net namespace; p a fresh
 * /proc, R all file systems read-only, W /proc not, S a /dev/shm of its own; A<GiB> address
 * space, F<MiB> file size, O<n> descriptors, C processes; L Landlock, X no memory
 * becomes executable; E the filter of system calls once the device is open, T the
 * same and Landlock's second rule.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "eval/device_api.h"
#include "eval/worker_guard.h"

#ifndef __NR_mount_setattr
#define __NR_mount_setattr 442
#endif
#define AT_RECURSIVE_ 0x8000

static bool late_filter, late_files;

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd >= 0) {
		ssize_t n = write(fd, text, strlen(text));
		(void)n;
		close(fd);
	}
}

static bool enter_user(void)
{
	char line[64];
	unsigned uid = geteuid(), gid = getegid();
	if (unshare(CLONE_NEWUSER) != 0) {
		return false;
	}
	put("/proc/self/setgroups", "deny");
	snprintf(line, sizeof(line), "65534 %u 1", uid);
	put("/proc/self/uid_map", line);
	snprintf(line, sizeof(line), "65534 %u 1", gid);
	put("/proc/self/gid_map", line);
	return true;
}

/* The rest of the row runs in a child, which is the first of its namespace. */
static bool enter_pid(void)
{
	if (unshare(CLONE_NEWPID) != 0) {
		return false;
	}
	pid_t pid = fork();
	if (pid > 0) {
		int status = 0;
		waitpid(pid, &status, 0);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	}
	return pid == 0;
}

static bool set_mount(const char *path, unsigned at, uint64_t set, uint64_t clear)
{
	struct {
		uint64_t set, clear, propagation, userns;
	} attr = {.set = set, .clear = clear};
	return syscall(__NR_mount_setattr, AT_FDCWD, path, at, &attr, sizeof(attr)) == 0;
}

static bool limit(int what, uint64_t value)
{
	struct rlimit r = {value, value};
	return setrlimit((__rlimit_resource_t)what, &r) == 0;
}

static bool apply(char letter, uint64_t n)
{
	switch (letter) {
	case 'U':
		return enter_user();
	case 'M':
		return unshare(CLONE_NEWNS) == 0 &&
			mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
	case 'P':
		return enter_pid();
	case 'I':
		return unshare(CLONE_NEWIPC) == 0;
	case 'N':
		return unshare(CLONE_NEWNET) == 0;
	case 'p':
		return mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0;
	case 'R':
		return set_mount("/", AT_RECURSIVE_, 1, 0);
	case 'W':
		return set_mount("/proc", 0, 0, 1);
	case 'S':
		return mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC,
			"size=64m,mode=1777") == 0;
	case 'A':
		return limit(RLIMIT_AS, n << 30);
	case 'F':
		return limit(RLIMIT_FSIZE, n << 20);
	case 'O':
		return limit(RLIMIT_NOFILE, n);
	case 'C':
		return limit(RLIMIT_NPROC, 64);
	case 'L':
		return ks_guard_files("/tmp", true, false);
	case 'X':
		return ks_guard_mdwe();
	case 'T':
		late_files = true;
		return true;
	default:
		late_filter = true;
		return letter == 'E';
	}
}

static void print_memory(void)
{
	char line[256];
	FILE *f = fopen("/proc/self/status", "r");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		if (strncmp(line, "VmPeak", 6) == 0 || strncmp(line, "VmRSS", 5) == 0 ||
			strncmp(line, "Threads", 7) == 0) {
			line[strcspn(line, "\n")] = '\0';
			printf(" %s", line);
		}
	}
	if (f != NULL) {
		fclose(f);
	}
}

static int use_device(const char *library)
{
	char text[KS_CUDA_TEXT] = "";
	struct ks_cuda *c = NULL;
	struct ks_cuda_found found;
	ks_cuda_api_fn ask = NULL;
	void *lib = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
	void *symbol = lib != NULL ? dlsym(lib, "ks_cuda_api") : NULL;
	memcpy(&ask, &symbol, sizeof(ask));
	if (ask == NULL) {
		printf(" %s", dlerror());
		return 1;
	}
	const struct ks_cuda_api *api = ask();
	if (api->version != KS_CUDA_API_VERSION) {
		printf(" the library is of another version\n");
		return 1;
	}
	int code = api->open(&c, NULL, text);
	printf(" open %d %s", code, text);
	if (code != 0) {
		printf(" errno %s", strerror(errno));
		print_memory();
		return 1;
	}
	if (late_files) {
		printf(" files %d", ks_guard_files("/tmp", true, true));
	}
	if (late_filter) {
		printf(" filter %d", ks_guard_syscalls_gpu());
	}
	void *at = api->alloc(c, (uint64_t)512 << 20);
	struct ks_draw plan = {.how = KS_DRAW_NORMAL, .dtype = KS_FLOAT32, .cols = 1,
		.count = (uint64_t)1 << 20, .b = 1};
	api->draw(c, at, &plan);
	api->print(c, at, 4096, 1, 0);
	code = api->sync(c, &found, text);
	printf(" work %d %s", code, text);
	print_memory();
	return code != 0 || at == NULL;
}

static int one_row(const char *library, const char *letters)
{
	printf("%-22s", letters);
	for (const char *p = letters; *p != '\0';) {
		char *end = NULL;
		uint64_t n = strtoull(p + 1, &end, 10);
		errno = 0;
		if (!apply(*p, n)) {
			printf(" %c refused (%s)", *p, strerror(errno));
		}
		fflush(stdout);
		p = end > p + 1 ? end : p + 1;
	}
	int code = use_device(library);
	printf("\n");
	fflush(stdout);
	return code;
}

static int table(const char *self, const char *library)
{
	static const char *const rows[] = {"", "A32", "A64", "A72", "A128", "A512", "F64", "F1024",
		"O64", "O1024", "L", "X", "LXET", "UM", "UMPp", "UMPINp", "UMpR", "UMPpR", "UMPpRW",
		"UMPINpRWS", "UMPINpRWSC", "UMPINpRWSO1024CLXET", "UMPINpRWSO1024F64CLXET",
		"UMPINpRWSO1024F64A72CLXET", "UMPINpRWO1024F64A512CLXET"};
	int failed = 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int status = 0;
		pid_t pid = fork();
		if (pid == 0) {
			execl(self, self, library, rows[i], (char *)NULL);
			_exit(127);
		}
		waitpid(pid, &status, 0);
		if (status != 0) {
			printf("%-22s FAIL %s %d\n", rows[i],
				WIFSIGNALED(status) ? "signal" : "status",
				WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
			fflush(stdout);
			failed++;
		}
	}
	printf("%d of the rows fail\n", failed);
	return failed != 0;
}

int main(int argc, char **argv)
{
	if (argc != 2 && argc != 3) {
		fputs("usage: guards LIBRARY [LETTERS]\n", stderr);
		return 2;
	}
	return argc == 3 ? one_row(argv[1], argv[2]) : table(argv[0], argv[1]);
}
