/* See exec_hide.h. */
#include "loop/exec_hide.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef __NR_landlock_create_ruleset
#define __NR_landlock_create_ruleset 444
#define __NR_landlock_add_rule 445
#define __NR_landlock_restrict_self 446
#endif
#define READ_FILE (1ULL << 2) /* of linux/landlock.h */
#define READ_DIR (1ULL << 3)
#define BELOW_PATH 1

struct path_rule {
	uint64_t allowed;
	int32_t fd;
} __attribute__((packed));

struct hiding {
	int rules;
	char hidden[EXEC_HIDE_MAX][PATH_MAX];
	size_t nhidden;
	char folders[4 * EXEC_HIDE_MAX][PATH_MAX]; /* that hold hidden ones */
	size_t nfolders;
};

static void allow(int rules, const char *path)
{
	struct stat st;
	int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd < 0) {
		return;
	}
	if (fstat(fd, &st) == 0) {
		struct path_rule rule = {READ_FILE, fd};

		rule.allowed |= S_ISDIR(st.st_mode) ? READ_DIR : 0;
		syscall(__NR_landlock_add_rule, rules, BELOW_PATH, &rule, 0);
	}
	close(fd);
}

/* Is one of the hidden folders this one (true in *itself), or below it? */
static bool holds_hidden(const struct hiding *h, const char *path, bool *itself)
{
	size_t len = strlen(path);
	bool holds = false;

	*itself = false;
	for (size_t i = 0; i < h->nhidden; i++) {
		if (strncmp(h->hidden[i], path, len) == 0) {
			*itself = *itself || h->hidden[i][len] == '\0';
			holds = holds || h->hidden[i][len] == '/' || h->hidden[i][len] == '\0';
		}
	}
	return holds;
}

static void sort_out(struct hiding *h, const char *path)
{
	struct stat st;
	bool itself;

	/* what a link points to lies somewhere else, and is met there */
	if (lstat(path, &st) != 0 || S_ISLNK(st.st_mode)) {
		return;
	}
	if (!holds_hidden(h, path, &itself)) {
		allow(h->rules, path);
	} else if (!itself && h->nfolders < sizeof(h->folders) / sizeof(h->folders[0])) {
		snprintf(h->folders[h->nfolders++], PATH_MAX, "%s", path);
	}
}

static void look_into(struct hiding *h, const char *folder)
{
	char path[PATH_MAX];
	DIR *dir = opendir(folder);

	for (struct dirent *e = dir != NULL ? readdir(dir) : NULL; e != NULL; e = readdir(dir)) {
		bool dots = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
		int n = snprintf(path, sizeof(path), "%s/%s", folder[1] == '\0' ? "" : folder,
			e->d_name);

		if (!dots && n > 0 && (size_t)n < sizeof(path)) {
			sort_out(h, path);
		}
	}
	if (dir != NULL) {
		closedir(dir);
	}
}

bool exec_hide(const char *const *hidden, size_t nhidden, const char *const *shown,
	size_t nshown)
{
	uint64_t handled = READ_FILE | READ_DIR;
	int rules = (int)syscall(__NR_landlock_create_ruleset, &handled, sizeof(handled), 0);
	struct hiding *h = rules >= 0 ? calloc(1, sizeof(*h)) : NULL;

	if (h == NULL) {
		return false;
	}
	h->rules = rules;
	for (size_t i = 0; i < nhidden && i < EXEC_HIDE_MAX; i++) {
		char *real = h->hidden[h->nhidden];
		h->nhidden += realpath(hidden[i], real) != NULL && real[1] != '\0';
	}
	h->folders[h->nfolders++][0] = '/';
	for (size_t i = 0; i < h->nfolders; i++) {
		look_into(h, h->folders[i]);
	}
	for (size_t i = 0; i < nshown; i++) {
		allow(rules, shown[i]);
	}
	free(h);
	bool ok = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		syscall(__NR_landlock_restrict_self, rules, 0) == 0;
	close(rules);
	return ok;
}
