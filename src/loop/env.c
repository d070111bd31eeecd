/*
 * Environments of children: a list of "K=V" that always ends with NULL.
 */
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "loop/child.h"
#include "loop/internal.h"

struct ks_env {
	char **list; /* count entries and a NULL */
	size_t count, cap;
};

static const char *const kept[] = {
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "LANG", "TZ",
	"XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
	"XDG_CACHE_HOME", "LC_ALL", "LC_CTYPE", "LC_COLLATE", "LC_MESSAGES",
	"LC_NUMERIC", "LC_TIME",
};

static struct ks_env *env_new(void)
{
	struct ks_env *env = ks_zalloc(1, sizeof(*env));

	ks_grow(&env->list, &env->cap, 1, sizeof(*env->list));
	env->list[0] = NULL;
	return env;
}

void ks_env_set(struct ks_env *env, const char *key, const char *value)
{
	size_t len = strlen(key), at = 0;

	while (at < env->count &&
		(strncmp(env->list[at], key, len) != 0 || env->list[at][len] != '=')) {
		at++;
	}
	if (at < env->count) {
		free(env->list[at]);
		env->list[at] = env->list[--env->count];
		env->list[env->count] = NULL;
	}
	if (value != NULL) {
		ks_grow(&env->list, &env->cap, env->count + 2, sizeof(*env->list));
		env->list[env->count++] = ks_asprintf("%s=%s", key, value);
		env->list[env->count] = NULL;
	}
}

struct ks_env *ks_env_clean(void)
{
	struct ks_env *env = env_new();

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		const char *value = getenv(kept[i]);

		if (value != NULL) {
			ks_env_set(env, kept[i], value);
		}
	}
	if (getenv("PATH") == NULL) {
		ks_env_set(env, "PATH", "/usr/local/bin:/usr/bin:/bin");
	}
	if (getenv("LANG") == NULL && getenv("LC_ALL") == NULL) {
		ks_env_set(env, "LANG", "C.UTF-8");
	}
	ks_env_set(env, "TERM", "dumb");
	return env;
}

struct ks_env *ks_env_copy(const char *const *list)
{
	struct ks_env *env = env_new();

	for (; list != NULL && *list != NULL; list++) {
		if (strchr(*list, '=') == NULL) {
			continue;
		}
		ks_grow(&env->list, &env->cap, env->count + 2, sizeof(*env->list));
		env->list[env->count++] = ks_strdup(*list);
		env->list[env->count] = NULL;
	}
	return env;
}

struct ks_env *ks_env_full(void)
{
	struct ks_env *env = ks_env_copy((const char *const *)environ);

	ks_env_set(env, "TERM", "dumb");
	ks_env_set(env, KS_MARK, NULL);
	return env;
}

const char *const *ks_env_list(const struct ks_env *env)
{
	return (const char *const *)env->list;
}

void ks_env_free(struct ks_env *env)
{
	if (env == NULL) {
		return;
	}
	for (size_t i = 0; i < env->count; i++) {
		free(env->list[i]);
	}
	free(env->list);
	free(env);
}
