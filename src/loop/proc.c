/*
 * Processes by /proc. A process may end at any time between two looks, so
 * everything here treats "gone" as an ordinary answer.
 */
#include "loop/proc.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"

#define DEPTH_MAX 4096 /* of a chain of parents */

/* Reads at most size-1 bytes; the count, or -1. */
static ssize_t read_small(const char *path, char *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;

	if (fd < 0) {
		return -1;
	}
	while (len + 1 < size) {
		ssize_t n = read(fd, out + len, size - 1 - len);

		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n <= 0) {
			break;
		}
		len += (size_t)n;
	}
	close(fd);
	out[len] = '\0';
	return (ssize_t)len;
}

int ks_proc_get(struct ks_proc *out, pid_t pid, struct ks_err *err)
{
	char path[64], text[1024];
	struct ks_proc proc = {.pid = pid};
	unsigned long long started, user, kernel;
	const char *at;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (read_small(path, text, sizeof(text)) <= 0) {
		return ks_err_set(err, KS_ENOTFOUND, "process %d does not exist", (int)pid);
	}
	/* The name in brackets may hold anything, also brackets. */
	at = strrchr(text, ')');
	if (at == NULL || sscanf(at + 1,
		" %c %d %d %d %*s %*s %*s %*s %*s %*s %*s %llu %llu %*s %*s %*s %*s %*s %*s %llu",
		&proc.state, &proc.ppid, &proc.pgid, &proc.sid, &user, &kernel, &started) != 7) {
		return ks_err_set(err, KS_ENOTFOUND, "%s: not as expected", path);
	}
	proc.started = started;
	proc.ticks = user + kernel;
	*out = proc;
	return 0;
}

static int by_pid(const void *a, const void *b)
{
	pid_t x = ((const struct ks_proc *)a)->pid, y = ((const struct ks_proc *)b)->pid;

	return (x > y) - (x < y);
}

int ks_proc_list(struct ks_proc **out, size_t *out_count, struct ks_err *err)
{
	DIR *dir = opendir("/proc");
	struct ks_proc *list = NULL;
	size_t count = 0, cap = 0;
	struct dirent *entry;

	if (dir == NULL) {
		return ks_err_sys(err, errno, "/proc: cannot read");
	}
	while ((entry = readdir(dir)) != NULL) {
		char *end;
		long pid = strtol(entry->d_name, &end, 10);
		struct ks_proc proc;

		if (*end != '\0' || pid <= 0 || ks_proc_get(&proc, (pid_t)pid, NULL) < 0) {
			continue;
		}
		ks_grow(&list, &cap, count + 1, sizeof(*list));
		list[count++] = proc;
	}
	closedir(dir);
	if (count > 0) {
		qsort(list, count, sizeof(*list), by_pid);
	}
	*out = list;
	*out_count = count;
	return 0;
}

bool ks_proc_descends(pid_t pid, pid_t root)
{
	struct ks_proc proc;

	for (int depth = 0; depth < DEPTH_MAX && pid > 0; depth++) {
		if (pid == root) {
			return true;
		}
		if (ks_proc_get(&proc, pid, NULL) < 0) {
			return false;
		}
		pid = proc.ppid;
	}
	return false;
}

bool ks_proc_below(const struct ks_proc *list, size_t count, pid_t pid, pid_t root)
{
	for (int depth = 0; depth < DEPTH_MAX && pid != root; depth++) {
		const struct ks_proc wanted = {.pid = pid};
		const struct ks_proc *proc = count > 0 ?
			bsearch(&wanted, list, count, sizeof(*list), by_pid) : NULL;

		if (proc == NULL) {
			return false;
		}
		pid = proc->ppid;
	}
	return pid == root;
}

bool ks_proc_marked(pid_t pid, const char *prefix)
{
	char path[64];
	char *line = NULL;
	size_t cap = 0, key = strlen(KS_MARK), want = strlen(prefix);
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	file = fopen(path, "re");
	if (file == NULL) {
		return false;
	}
	while (!found && getdelim(&line, &cap, '\0', file) > 0) {
		found = strncmp(line, KS_MARK, key) == 0 && line[key] == '=' &&
			strncmp(line + key + 1, prefix, want) == 0;
	}
	free(line);
	fclose(file);
	return found;
}

size_t ks_proc_kill_marked(const char *prefix)
{
	struct ks_proc *list = NULL;
	size_t count = 0, killed = 0;

	if (*prefix == '\0' || ks_proc_list(&list, &count, NULL) < 0) {
		return 0;
	}
	for (size_t i = 0; i < count; i++) {
		if (list[i].state != 'Z' && ks_proc_marked(list[i].pid, prefix) &&
			!ks_proc_descends(getpid(), list[i].pid) &&
			kill(list[i].pid, SIGKILL) == 0) {
			killed++;
		}
	}
	free(list);
	return killed;
}
