/*
 * Where a path or a command line reaches. A command line is taken apart into
 * words as a shell would roughly do; each word that is a path is held against
 * the folder, and the programs are held against short lists. Quotes only end
 * words, so that paths inside the code of another language are seen too.
 */
#include <stdio.h>
#include <string.h>

#include "core/permit_impl.h"

#define WORD_MAX 256
#define PATH_LEN_MAX 1024

/* ---- paths ---- */

static bool below(const char *path, const char *root)
{
	size_t n = strlen(root);

	return strncmp(path, root, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

/* One name of a path behind those before it; false where it does not fit. */
static bool add_part(char *out, size_t size, size_t *len, struct ks_str part)
{
	if (part.len == 0 || ks_str_is(part, ".")) {
		return true;
	}
	if (ks_str_is(part, "..")) {
		while (*len > 0 && out[--*len] != '/') {
		}
		return true;
	}
	if (*len + part.len + 2 > size) {
		return false;
	}
	out[(*len)++] = '/';
	memcpy(out + *len, part.ptr, part.len);
	*len += part.len;
	return true;
}

/* Joins and resolves "." and ".." by the letters; false when it does not fit. */
static bool resolve(char *out, size_t size, const char *base, const char *path)
{
	struct ks_str parts[2] = {ks_str_of(base), ks_str_of(path)}, part;
	size_t len = 0;

	for (int i = path[0] == '/' ? 1 : 0; i < 2; i++) {
		while (ks_str_next(&parts[i], '/', &part)) {
			if (!add_part(out, size, &len, part)) {
				return false;
			}
		}
	}
	if (len == 0) {
		out[len++] = '/';
	}
	out[len] = '\0';
	return true;
}

/* What is read by every program, and where nothing is kept. */
static bool is_common(const char *path)
{
	static const char *const roots[] = {"/usr", "/opt", "/bin", "/sbin", "/lib", "/lib64",
		"/proc", "/sys", "/etc/alternatives", "/etc/ld.so.cache"};

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		if (below(path, roots[i])) {
			return true;
		}
	}
	return false;
}

static bool is_sink(const char *path)
{
	static const char *const names[] = {"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin",
		"/dev/zero", "/dev/urandom", "/dev/fd", "/dev/tty"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (below(path, names[i])) {
			return true;
		}
	}
	return false;
}

static bool is_scratch(const char *path)
{
	return below(path, "/tmp") || below(path, "/var/tmp") || below(path, "/dev/shm");
}

bool ks_permit_path(const char *path, const char *folder, bool reading, char *why, size_t size)
{
	char whole[PATH_LEN_MAX];

	if (path[0] == '~' || !resolve(whole, sizeof(whole), folder, path)) {
		snprintf(why, size, "%.80s lies outside the folder", path);
		return false;
	}
	if (below(whole, folder) || is_sink(whole)
		|| (reading && (is_common(whole) || is_scratch(whole)))) {
		return true;
	}
	snprintf(why, size, "%.80s lies outside the folder", path);
	return false;
}

/* ---- programs ---- */

static bool listed(const char *const *list, const char *word)
{
	for (; *list != NULL; list++) {
		if (strcmp(*list, word) == 0) {
			return true;
		}
	}
	return false;
}

static const char *const network[] = {"curl", "wget", "ssh", "scp", "sftp", "rsync", "nc", "ncat",
	"telnet", "ftp", "pip", "pip3", "npm", "npx", "yarn", "cargo", "gem", "conda", "mamba",
	"docker", "podman", "kubectl", NULL};
static const char *const machine[] = {"sudo", "su", "doas", "apt", "apt-get", "dpkg", "dnf", "yum",
	"rpm", "systemctl", "service", "mount", "umount", "shutdown", "reboot", "halt", "mkfs",
	"crontab", "at", "pkill", "killall", "modprobe", "rmmod", "insmod", "sysctl", "iptables",
	"useradd", "passwd", "chroot", NULL};
static const char *const writers[] = {"rm", "rmdir", "mv", "chmod", "chown", "chgrp", "dd",
	"truncate", "shred", "ln", "install", "cp", "tee", "touch", "mkdir", NULL};
static const char *const wrappers[] = {"env", "time", "nice", "exec", "command", "nohup", "xargs",
	"timeout", "stdbuf", "taskset", "numactl", "then", "do", "else", "if", "while", "!", NULL};
static const char *const git_net[] = {"push", "pull", "fetch", "clone", "remote", "submodule",
	NULL};
static const char *const gpu_set[] = {"-lgc", "-rgc", "-lmc", "-rmc", "-pl", "-pm", "-r", "-mig",
	"-c", "-ac", "-rac", "--gpu-reset", "--lock-gpu-clocks", "--power-limit", NULL};

struct scan {
	const char *folder;
	char cwd[PATH_LEN_MAX];
	char program[WORD_MAX]; /* of the simple command, "" before it */
	bool writes;            /* it is one that changes files        */
	bool to_file;           /* the next word is a redirection's    */
	bool quoted;            /* the word began inside quotes        */
	char *why;
	size_t size;
};

static bool outside(struct scan *s, const char *word, const char *what)
{
	snprintf(s->why, s->size, "%.60s %s", word, what);
	return false;
}

static const char *base_of(const char *word)
{
	const char *slash = strrchr(word, '/');

	return slash != NULL ? slash + 1 : word;
}

/* "/start/,/end/p": a pattern of sed or awk, not a path. */
static bool is_pattern(const struct scan *s, const char *word)
{
	size_t len = strlen(word);

	return s->quoted && len > 1 && (word[len - 1] == '/' || strstr(word, "/,") != NULL
		|| strpbrk(word, "^$*[]\\") != NULL);
}

static bool take_program(struct scan *s, const char *word)
{
	const char *name = base_of(word);

	if (strchr(word, '=') != NULL || listed(wrappers, name) || word[0] == '-'
		|| strspn(word, "0123456789.") == strlen(word)) {
		return true; /* the program comes behind */
	}
	snprintf(s->program, sizeof(s->program), "%.*s", WORD_MAX - 1, name);
	s->writes = listed(writers, name);
	if (listed(network, name)) {
		return outside(s, name, "uses the network");
	}
	if (listed(machine, name)) {
		return outside(s, name, "changes the machine");
	}
	/* A program is read: one of the system may be run. */
	return strchr(word, '/') == NULL || ks_permit_path(word, s->cwd, true, s->why, s->size)
		|| ks_permit_path(word, s->folder, true, s->why, s->size);
}

static bool take_path(struct scan *s, const char *word)
{
	char whole[PATH_LEN_MAX];

	if (!resolve(whole, sizeof(whole), s->cwd, word)) {
		return outside(s, word, "is too long a path");
	}
	if (below(whole, s->folder) || is_sink(whole)) {
		return true;
	}
	if (s->to_file) {
		return is_scratch(whole) || outside(s, word, "would be written outside the folder");
	}
	if (s->writes) {
		bool makes = strcmp(s->program, "mkdir") == 0 || strcmp(s->program, "touch") == 0
			|| strcmp(s->program, "cp") == 0 || strcmp(s->program, "tee") == 0;

		return (makes && is_scratch(whole))
			|| outside(s, word, "lies outside the folder");
	}
	return is_common(whole) || is_scratch(whole)
		|| outside(s, word, "lies outside the folder");
}

static bool take_cd(struct scan *s, const char *word)
{
	char whole[PATH_LEN_MAX];

	if (!resolve(whole, sizeof(whole), s->cwd, word)
		|| (!below(whole, s->folder) && !is_scratch(whole))) {
		return outside(s, word, "lies outside the folder");
	}
	memcpy(s->cwd, whole, sizeof(s->cwd));
	return true;
}

static bool take_word(struct scan *s, const char *word)
{
	bool dots = strncmp(word, "..", 2) == 0 || strstr(word, "/..") != NULL;
	bool ok = true;

	if (s->program[0] == '\0' && !s->to_file) {
		return take_program(s, word);
	}
	if (word[0] == '~' || strstr(word, "$HOME") != NULL || strstr(word, "${HOME") != NULL) {
		return outside(s, word, "lies outside the folder");
	}
	if (strcmp(s->program, "cd") == 0 || strcmp(s->program, "pushd") == 0) {
		ok = take_cd(s, word);
	} else if (strcmp(s->program, "git") == 0 && listed(git_net, word)) {
		ok = outside(s, "git", "uses the network");
	} else if (strcmp(s->program, "nvidia-smi") == 0 && listed(gpu_set, word)) {
		ok = outside(s, "nvidia-smi", "changes the machine");
	} else if ((word[0] == '/' || dots || s->to_file) && !is_pattern(s, word)) {
		ok = take_path(s, word);
	}
	s->to_file = false;
	return ok;
}

static bool ends_word(char c)
{
	return strchr(" \t\n;|&()<>'\"`=:{}", c) != NULL;
}

static void end_command(struct scan *s)
{
	s->program[0] = '\0';
	s->writes = false;
	s->to_file = false;
}

/* What ends a word, at `at` in `text`: quotes, redirections, ends of commands. */
static void take_mark(struct scan *s, const char *text, const char *at, bool *quote)
{
	if (*at == '\'' || *at == '"') {
		*quote = !*quote;
		return;
	}
	if (*quote) {
		return;
	}
	if (*at == '>') {
		s->to_file = true;
	} else if (*at == '&' && (at[1] == '>' || (at > text && at[-1] == '>'))) {
		s->to_file = false; /* ">&2" and "&>" are redirections */
	} else if (strchr(";|&\n(`", *at) != NULL) {
		end_command(s);
	}
}

bool ks_permit_shell(const char *text, const char *folder, char *why, size_t size)
{
	struct scan s = {.folder = folder, .why = why, .size = size};
	bool quote = false;
	const char *at = text;

	snprintf(s.cwd, sizeof(s.cwd), "%s", folder);
	if (text[strspn(text, " \t\n")] == '\0') {
		snprintf(why, size, "the command is not known");
		return false;
	}
	while (*at != '\0') {
		char word[WORD_MAX];
		size_t n = 0;

		if (ends_word(*at)) {
			take_mark(&s, text, at, &quote);
			at++;
			continue;
		}
		/* NAME=value in front of a program is one word. */
		while (*at != '\0' && (!ends_word(*at) || (*at == '=' && s.program[0] == '\0'))) {
			if (n + 1 < sizeof(word)) {
				word[n++] = *at;
			}
			at++;
		}
		word[n] = '\0';
		s.quoted = quote;
		if (!take_word(&s, word)) {
			return false;
		}
	}
	return true;
}
