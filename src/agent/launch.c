/*
 * agents.json: {"kseek_agents":1,"agents":{NAME:{"driver","command","env",
 * "mode","label","info","usage","warn":[{"below","text"}]}}}. The user's file
 * wins by name; what it does not say is taken from nowhere else, so an entry is
 * always whole.
 */
#include "agent/launch.h"

#include <unistd.h>

#include "agent/program.h"
#include "base/file.h"
#include "base/mem.h"

#define FILE_MAX (1024u * 1024)

/* ---- words ---- */

struct words {
	char **list;
	size_t count, cap;
};

static void words_add(struct words *words, const char *text, size_t len)
{
	ks_grow(&words->list, &words->cap, words->count + 2, sizeof(*words->list));
	words->list[words->count++] = ks_strndup(text, len);
	words->list[words->count] = NULL;
}

void ks_words_free(char **words)
{
	for (char **at = words; at != NULL && *at != NULL; at++) {
		free(*at);
	}
	free(words);
}

/* One character of a word; the place behind it. */
static const char *one(const char *at, char *quote, struct ks_buf *word)
{
	if (*quote == '\0' && (*at == '"' || *at == '\'')) {
		*quote = *at;
	} else if (*quote != '\0' && *at == *quote) {
		*quote = '\0';
	} else if (*at == '\\' && at[1] != '\0' && *quote != '\'') {
		ks_buf_addc(word, *++at);
	} else {
		ks_buf_addc(word, *at);
	}
	return at + 1;
}

int ks_words(char ***out, const char *line, struct ks_err *err)
{
	struct words words = {0};
	struct ks_buf word = {0};
	char quote = '\0';

	while (*line != '\0') {
		const char *begin;

		line += strspn(line, " \t\n");
		begin = line;
		while (*line != '\0' && (quote != '\0' || strchr(" \t\n", *line) == NULL)) {
			line = one(line, &quote, &word);
		}
		if (line > begin) {
			words_add(&words, ks_buf_str(&word).ptr != NULL ? word.ptr : "", word.len);
		}
		ks_buf_clear(&word);
	}
	ks_buf_fini(&word);
	if (quote != '\0') {
		ks_words_free(words.list);
		return ks_err_set(err, KS_EINVAL,
			"the agent's command has a quote (%c) without its end", quote);
	}
	if (words.count == 0) {
		return ks_err_set(err, KS_EINVAL, "the agent's command is empty");
	}
	*out = words.list;
	return 0;
}

/* ---- versions ---- */

bool ks_version_below(const char *a, const char *b)
{
	while (*a != '\0' || *b != '\0') {
		char *end_a, *end_b;
		unsigned long x = strtoul(a, &end_a, 10), y = strtoul(b, &end_b, 10);

		if ((end_a == a && *a != '\0') || (end_b == b && *b != '\0')) {
			return false; /* no number: not to be compared */
		}
		if (x != y) {
			return x < y;
		}
		a = *end_a == '.' ? end_a + 1 : "";
		b = *end_b == '.' ? end_b + 1 : "";
	}
	return false;
}

/* ---- the files ---- */

static int read_file(struct ks_json **out, const char *path, struct ks_err *err)
{
	struct ks_buf text = {0};
	struct ks_json *doc = NULL;
	int rc;

	if (path == NULL || !ks_file_exists(path)) {
		return 0;
	}
	rc = ks_file_read(&text, path, FILE_MAX, err);
	if (rc == 0) {
		rc = ks_json_parse(&doc, text.ptr != NULL ? text.ptr : "", text.len, err);
		if (rc == 0 && ks_json_type(ks_json_get(doc, "agents")) != KS_JSON_OBJECT) {
			rc = ks_err_set(err, KS_EINVAL, "$.agents: expected an object of agents");
		}
		if (rc < 0) {
			ks_err_prefix(err, "%s", path);
			ks_json_free(doc);
			doc = NULL;
		}
	}
	ks_buf_fini(&text);
	*out = doc;
	return rc;
}

static char *user_path(void)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config != NULL && config[0] == '/') {
		return ks_path_join(config, "kseek/agents.json");
	}
	return home != NULL ? ks_path_join(home, ".config/kseek/agents.json") : NULL;
}

static const struct ks_json *entry_of(const struct ks_launch *launch, const char *name)
{
	const struct ks_json *entry = ks_json_get(ks_json_get(launch->user, "agents"), name);

	return entry != NULL ? entry
		: ks_json_get(ks_json_get(launch->installed, "agents"), name);
}

static const struct ks_json *info_in(const struct ks_json *doc, const char *info)
{
	const struct ks_json *at = ks_json_first(ks_json_get(doc, "agents"));

	for (; at != NULL; at = ks_json_next(at)) {
		if (strcmp(ks_json_get_str(at, "info", ""), info) == 0) {
			return at;
		}
	}
	return NULL;
}

static const struct ks_json *entry_by_info(const struct ks_launch *launch, const char *info)
{
	const struct ks_json *entry = info[0] != '\0' ? info_in(launch->user, info) : NULL;

	return entry == NULL && info[0] != '\0' ? info_in(launch->installed, info) : entry;
}

const char *ks_launch_usage(const struct ks_launch *launch, const char *info)
{
	return ks_json_get_str(entry_by_info(launch, info), "usage", "turn");
}

const char *ks_launch_warning(const struct ks_launch *launch, const char *info,
	const char *version)
{
	const struct ks_json *at = ks_json_first(ks_json_get(entry_by_info(launch, info), "warn"));

	for (; at != NULL; at = ks_json_next(at)) {
		const char *below = ks_json_get_str(at, "below", NULL);

		if (below != NULL && version[0] >= '0' && version[0] <= '9' &&
			ks_version_below(version, below)) {
			return ks_json_get_str(at, "text", NULL);
		}
	}
	return NULL;
}

int ks_launch_entry(struct ks_buf *out, const char *agents, const char *name,
	struct ks_err *err)
{
	struct ks_launch launch = {0};
	const struct ks_json *entry;
	char *path = user_path();
	int rc = read_file(&launch.user, path, err);

	free(path);
	if (rc == 0) {
		rc = read_file(&launch.installed, agents, err);
	}
	entry = rc == 0 ? entry_of(&launch, name) : NULL;
	if (entry != NULL) {
		ks_json_print(entry, out);
	} else if (rc == 0) {
		rc = ks_err_set(err, KS_ENOTFOUND, "%.60s: agents.json has no such agent", name);
	}
	ks_launch_fini(&launch);
	return rc;
}

/* ---- what to start ---- */

static void put_env(struct ks_env *env, const struct ks_json *object)
{
	for (const struct ks_json *at = ks_json_first(object); at != NULL; at = ks_json_next(at)) {
		if (ks_json_key(at) != NULL && ks_json_type(at) == KS_JSON_STRING) {
			ks_env_set(env, ks_json_key(at), ks_json_str(at, ""));
		}
	}
}

static int take_entry(struct ks_launch *launch, const struct ks_json *entry, const char *name,
	const char *driver, struct ks_err *err)
{
	const struct ks_json *at = ks_json_first(ks_json_get(entry, "command"));
	const char *of = ks_json_get_str(entry, "driver", "acp");
	struct words words = {0};

	if (strcmp(of, driver) != 0) {
		return ks_err_set(err, KS_EINVAL,
			"agents.json: $.agents.%.40s: it is of driver %.20s; "
			"use --agent %.20s:%.40s", name, of, of, name);
	}
	for (; at != NULL; at = ks_json_next(at)) {
		const char *word = ks_json_str(at, "");

		words_add(&words, word, strlen(word));
	}
	if (words.count == 0) {
		ks_words_free(words.list);
		return ks_err_set(err, KS_EINVAL, "agents.json: $.agents.%.40s.command: expected a "
			"list of words", name);
	}
	launch->argv = words.list;
	put_env(launch->env, ks_json_get(entry, "env"));
	launch->mode = ks_strdup(ks_json_get_str(entry, "mode", NULL));
	launch->label = ks_strdup(ks_json_get_str(entry, "label", name));
	return 0;
}

static int copy_command(struct ks_launch *launch, const char *const *command)
{
	struct words words = {0};

	for (; *command != NULL; command++) {
		words_add(&words, *command, strlen(*command));
	}
	launch->argv = words.list;
	return 0;
}

static bool can_run(const char *path)
{
	return access(path, X_OK) == 0 && !ks_file_is_dir(path);
}

/* Looks where the child will look: in the PATH that it is given. */
static int check_program(const struct ks_launch *launch, const char *folder, struct ks_err *err)
{
	const char *name = launch->argv[0], *path = "";
	struct ks_str rest, dir;
	bool found = false;

	if (strchr(name, '/') != NULL) {
		char *whole = ks_path_join(folder, name);

		found = can_run(whole);
		free(whole);
		return found ? 0 : ks_err_set(err, KS_ENOTFOUND,
			"%.200s: no such program; give the agent's path or name", name);
	}
	for (const char *const *at = ks_env_list(launch->env); *at != NULL; at++) {
		path = strncmp(*at, "PATH=", 5) == 0 ? *at + 5 : path;
	}
	rest = ks_str_of(path);
	while (!found && ks_str_next(&rest, ':', &dir)) {
		char *whole = ks_asprintf("%.*s/%s", KS_FMT(dir), name);

		found = can_run(whole);
		free(whole);
	}
	return found ? 0 : ks_err_set(err, KS_ENOTFOUND, "%.100s: not in PATH; install the agent, "
		"or name it with its path", name);
}

static int choose(struct ks_launch *launch, const struct ks_agent_setup *setup,
	const char *driver, const char *fallback, struct ks_err *err)
{
	const char *argument = setup->argument != NULL ? setup->argument : "";
	const struct ks_json *entry;

	if (setup->command != NULL && setup->command[0] != NULL && setup->command[1] != NULL) {
		return copy_command(launch, setup->command);
	}
	if (argument[0] == '\0' && fallback == NULL) {
		return ks_err_set(err, KS_EINVAL, "the agent \"%s\" needs a name or a command: "
			"%s:opencode, %s:'PROGRAM ARGS'", driver, driver, driver);
	}
	entry = entry_of(launch, argument[0] != '\0' ? argument : driver);
	if (entry != NULL) {
		return take_entry(launch, entry, argument[0] != '\0' ? argument : driver, driver,
			err);
	}
	return ks_words(&launch->argv, argument[0] != '\0' ? argument : fallback, err);
}

int ks_launch_init(struct ks_launch *out, const struct ks_agent_setup *setup,
	const char *driver, const char *fallback, struct ks_err *err)
{
	struct ks_launch launch = {.env = ks_program_env(setup)};
	struct ks_json *config = NULL;
	char *path = user_path();
	int rc = read_file(&launch.user, path, err);

	free(path);
	if (rc == 0) {
		rc = read_file(&launch.installed, setup->agents, err);
	}
	if (rc == 0) {
		rc = choose(&launch, setup, driver, fallback, err);
	}
	if (rc == 0 && setup->config.len > 0 &&
		ks_json_parse(&config, setup->config.ptr, setup->config.len, NULL) == 0) {
		const char *mode = ks_json_get_str(config, "mode", NULL);

		put_env(launch.env, ks_json_get(config, "env"));
		if (mode != NULL) {
			free(launch.mode);
			launch.mode = ks_strdup(mode);
		}
		ks_json_free(config);
	}
	if (rc == 0 && setup->mode != NULL) {
		free(launch.mode);
		launch.mode = ks_strdup(setup->mode);
	}
	if (rc == 0) {
		rc = check_program(&launch, setup->folder, err);
	}
	if (rc < 0) {
		ks_launch_fini(&launch);
		return rc;
	}
	if (launch.label == NULL) {
		launch.label = ks_strdup(ks_path_base(launch.argv[0]));
	}
	*out = launch;
	return 0;
}

void ks_launch_fini(struct ks_launch *launch)
{
	ks_words_free(launch->argv);
	ks_env_free(launch->env);
	ks_json_free(launch->user);
	ks_json_free(launch->installed);
	free(launch->label);
	free(launch->mode);
	*launch = (struct ks_launch){0};
}
