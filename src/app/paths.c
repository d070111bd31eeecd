/*
 * Finding programs and data. A build folder is recognised by the sibling
 * folders that meson makes (src/eval/kseek-judge beside src/app/kseek).
 */
#include "app/paths.h"

#include <limits.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

static char *exe_dir(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n <= 0) {
		return ks_strdup(".");
	}
	path[n] = 0;
	return ks_path_dir(path);
}

/* The first of the given relative places under base that exists. */
static char *first_of(const char *base, const char *const *places, const char *name)
{
	for (size_t i = 0; places[i] != NULL; i++) {
		char *path = ks_asprintf("%s/%s/%s", base, places[i], name);
		if (ks_file_exists(path)) {
			return path;
		}
		free(path);
	}
	return NULL;
}

int ks_paths_program(char **out, const char *name, struct ks_err *err)
{
	static const char *const build[] = {"../app", "../eval", "../loop", "../timeline",
		"../../kernels", NULL};
	static const char *const installed[] = {".", "../libexec/kseek", "../../bin", NULL};
	const char *env = getenv("KSEEK_LIBEXEC");
	char *dir = exe_dir();
	char *path = NULL;

	if (env != NULL && env[0] != 0) {
		path = ks_path_join(env, name);
		if (!ks_file_exists(path)) {
			free(path);
			path = NULL;
		}
	}
	if (path == NULL) {
		path = first_of(dir, build, name);
	}
	if (path == NULL) {
		path = first_of(dir, installed, name);
	}
	free(dir);
	if (path == NULL) {
		return ks_err_set(err, KS_ENOTFOUND,
			"%s: program not found beside kseek; "
			"install kseek again or set KSEEK_LIBEXEC", name);
	}
	*out = path;
	return 0;
}

/* What is built only where the CUDA Toolkit is. */
static char *optional(const char *name)
{
	char *path = NULL;
	struct ks_err ignored = KS_ERR_INIT;

	return ks_paths_program(&path, name, &ignored) == 0 ? path : NULL;
}

char *ks_paths_cuda(void)
{
	return optional("libkseek-cuda.so");
}

char *ks_paths_timeline(void)
{
	return optional("libkseek-timeline.so");
}

static bool is_build_dir(const char *dir)
{
	char *ninja = ks_asprintf("%s/../../build.ninja", dir);
	bool found = ks_file_exists(ninja);

	free(ninja);
	return found;
}

int ks_paths_data(char **out, const char *name, struct ks_err *err)
{
	static const char *const installed[] = {"../share/kseek", "../../share/kseek", NULL};
	const char *env = getenv("KSEEK_DATA");
	char *dir = exe_dir();
	char *path = NULL;

	if (env != NULL && env[0] != 0) {
		path = ks_path_join(env, name);
	} else if (is_build_dir(dir)) {
		path = ks_path_join(KSEEK_SOURCE_ROOT, name);
	} else {
		path = first_of(dir, installed, name);
	}
	free(dir);
	if (path == NULL || !ks_file_exists(path)) {
		ks_err_set(err, KS_ENOTFOUND,
			"%s: data not found; install kseek again or set KSEEK_DATA",
			path != NULL ? path : name);
		free(path);
		return KS_ENOTFOUND;
	}
	*out = path;
	return 0;
}

int ks_paths_state(char **out, struct ks_err *err)
{
	const char *state = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");
	char *path;

	if (state != NULL && state[0] == '/') {
		path = ks_asprintf("%s/kseek", state);
	} else if (home != NULL && home[0] == '/') {
		path = ks_asprintf("%s/.local/state/kseek", home);
	} else {
		return ks_err_set(err, KS_ENOTFOUND,
			"no place for kseek's files: set HOME or XDG_STATE_HOME");
	}
	struct ks_err why = KS_ERR_INIT;
	int rc = ks_file_mkdirs(path, 0700, &why);
	if (rc < 0) {
		free(path);
		return ks_err_set(err, rc,
			"%.300s; set HOME or XDG_STATE_HOME to a folder that can be written",
			why.msg);
	}
	*out = path;
	return 0;
}

char *ks_paths_config(const char *name)
{
	const char *config = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");

	if (config != NULL && config[0] == '/') {
		return ks_asprintf("%s/kseek/%s", config, name);
	}
	return home != NULL && home[0] == '/' ? ks_asprintf("%s/.config/kseek/%s", home, name) :
		NULL;
}

char *ks_paths_which(const char *program)
{
	struct ks_str rest = ks_str_of(getenv("PATH")), dir;

	while (ks_str_next(&rest, ':', &dir)) {
		char *path;
		if (dir.len == 0 || dir.len >= PATH_MAX) {
			continue;
		}
		path = ks_asprintf("%.*s/%s", KS_FMT(dir), program);
		if (access(path, X_OK) == 0) {
			return path;
		}
		free(path);
	}
	return NULL;
}
