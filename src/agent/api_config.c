/*
 * Which model, where, and with which key. A key is read from the environment
 * variable or the file that is named for it, and never from the campaign's own
 * file, which people share. The usual variable of a service is used for that
 * service's own address only, so that a key does not go to another host because
 * somebody set a URL.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/api.h"
#include "agent/launch.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/shell.h"

#define KEY_FILE_MAX 4096
#define TOKENS_ANTHROPIC 8192
#define CONTEXT_ANTHROPIC 200000
#define SHELL_S 120
#define RETRY_MS 1000

struct service {
	const char *origin, *key_env;
	enum ks_model_api api;
	const char *base;
};

static const struct service services[] = {
	{"https://api.anthropic.com:443", "ANTHROPIC_API_KEY", KS_MODEL_ANTHROPIC,
		"https://api.anthropic.com"},
	{"https://api.openai.com:443", "OPENAI_API_KEY", KS_MODEL_OPENAI,
		"https://api.openai.com/v1"},
	{"https://openrouter.ai:443", "OPENROUTER_API_KEY", KS_MODEL_OPENAI,
		"https://openrouter.ai/api/v1"},
};

void ks_api_config_fini(struct ks_api_config *config)
{
	if (config == NULL) {
		return;
	}
	if (config->key != NULL) {
		explicit_bzero(config->key, strlen(config->key));
	}
	free(config->key);
	free(config->key_file);
	free(config->model);
	free(config->base_url);
	free(config->url);
	free(config->label);
	*config = (struct ks_api_config){0};
}

/* ---- the key ---- */

static int take_key(struct ks_api_config *c, const char *text, size_t len, const char *where,
	struct ks_err *err)
{
	struct ks_str key = ks_str_trim((struct ks_str){text, len});

	c->key = ks_strndup(key.ptr, key.len);
	if (!ks_http_secret_ok(c->key)) {
		return ks_err_set(err, KS_EINVAL, "%s: holds no key (1 to 512 printable ASCII "
			"characters without blanks and quotes)", where);
	}
	return 0;
}

/* What is no path of a file may be the key itself: it is not repeated. */
static const char *shown(const char *path)
{
	return strchr(path, '/') != NULL || ks_file_exists(path) ? path :
		"(a name without a folder)";
}

static int read_key_file(struct ks_api_config *c, const char *path, struct ks_err *err)
{
	const char *home = getenv("HOME");
	char *full = path[0] == '~' && path[1] == '/' && home != NULL ? ks_path_join(home, path + 2)
								    : ks_strdup(path);
	int fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), rc;
	char text[KEY_FILE_MAX];
	ssize_t n = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		rc = ks_err_sys(err, errno, "key_file %s: cannot be read", shown(path));
	} else if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 077) != 0) {
		struct ks_buf word = {0};

		ks_shell_path(&word, full);
		rc = ks_err_set(err, KS_EDENIED, "key_file %s: others may read it, or it is not "
			"yours; run: chmod 600 %s", path, word.ptr);
		ks_buf_fini(&word);
	} else {
		n = read(fd, text, sizeof(text));
		rc = n < 0 ? ks_err_sys(err, errno, "key_file %s: cannot be read", path)
			   : take_key(c, text, (size_t)n, path, err);
	}
	explicit_bzero(text, sizeof(text));
	if (fd >= 0) {
		close(fd);
	}
	if (rc == 0) {
		c->key_file = realpath(full, NULL);
	}
	free(full);
	return rc;
}

static int find_key(struct ks_api_config *c, const struct ks_json *doc, const char *origin,
	struct ks_err *err)
{
	const char *file = ks_json_get_str(doc, "key_file", NULL);
	const char *name = ks_json_get_str(doc, "key_env", NULL);
	const char *value;
	bool usual = name == NULL;

	if (file != NULL) {
		return read_key_file(c, file, err);
	}
	for (size_t i = 0; i < sizeof(services) / sizeof(services[0]) && name == NULL; i++) {
		if (strcmp(services[i].origin, origin) == 0) {
			name = services[i].key_env;
		}
	}
	if (name == NULL) {
		return 0;
	}
	value = getenv(name);
	if (value == NULL || *value == '\0') {
		return ks_err_set(err, KS_ENOTFOUND, "no key: set %s in the environment%s", name,
			usual ? ", or name \"key_env\" or \"key_file\" for the agent" : "");
	}
	return take_key(c, value, strlen(value), name, err);
}

/* ---- the rest ---- */

static int bad(struct ks_err *err, const char *member, const char *expected)
{
	return ks_err_set(err, KS_EINVAL, "agent: $.%s: expected %s", member, expected);
}

/* A misspelt member must not be passed over in silence, and a key must not lie
 * where it is shared. */
static int check_members(const struct ks_json *doc, struct ks_err *err)
{
	static const char *const known[] = {
		"driver", "command", "label", "api", "model", "base_url", "key_env", "key_file",
		"max_tokens", "context", "price", "network", "shell_s", "retry_ms", "info",
		"usage", "mode", "env", NULL
	};

	for (const struct ks_json *at = ks_json_first(doc); at != NULL; at = ks_json_next(at)) {
		const char *key = ks_json_key(at);
		size_t i = 0;

		while (known[i] != NULL && strcmp(known[i], key) != 0) {
			i++;
		}
		if (known[i] != NULL) {
			continue;
		}
		if (strstr(key, "key") != NULL || strstr(key, "token") != NULL) {
			return ks_err_set(err, KS_EINVAL, "agent: a key does not belong into this "
				"file; name the variable or the file that holds it: \"key_env\" or "
				"\"key_file\"");
		}
		return ks_err_set(err, KS_EINVAL, "agent: $.%.40s: not known", key);
	}
	return 0;
}

/* "sk-..." is no name of a variable. */
static int check_key_env(const struct ks_json *doc, struct ks_err *err)
{
	const char *name = ks_json_get_str(doc, "key_env", "KEY");

	if (strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") !=
		strlen(name) || *name == '\0' || (*name >= '0' && *name <= '9')) {
		return bad(err, "key_env",
			"the name of the environment variable that holds the key, "
			"not the key");
	}
	return 0;
}

static int take_numbers(struct ks_api_config *c, const struct ks_json *doc, struct ks_err *err)
{
	static const char *const names[] = {"input", "output", "cache_read", "cache_write"};
	bool anthropic = c->api == KS_MODEL_ANTHROPIC;

	c->max_tokens = ks_json_get_int(doc, "max_tokens", anthropic ? TOKENS_ANTHROPIC : 0);
	c->context = ks_json_get_int(doc, "context", anthropic ? CONTEXT_ANTHROPIC : 0);
	c->shell_s = ks_json_get_int(doc, "shell_s", SHELL_S);
	c->retry_ms = ks_json_get_int(doc, "retry_ms", RETRY_MS);
	c->network = ks_json_get_bool(doc, "network", false);
	for (size_t i = 0; i < 4; i++) {
		c->price[i] = ks_json_get_num(ks_json_get(doc, "price"), names[i], -1);
	}
	if (c->max_tokens < 0 || c->max_tokens > 10000000 || (anthropic && c->max_tokens == 0)) {
		return bad(err, "max_tokens", "a number of tokens");
	}
	if (c->context < 0 || (c->context > 0 && c->context < 2000)) {
		return bad(err, "context", "the model's context in tokens, at least 2000");
	}
	if (c->shell_s < 1 || c->shell_s > 24 * 3600) {
		return bad(err, "shell_s", "seconds, 1 to 86400");
	}
	if (c->retry_ms < 1 || c->retry_ms > 60000) {
		return bad(err, "retry_ms", "milliseconds, 1 to 60000");
	}
	return 0;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

static int take_url(struct ks_api_config *c, const struct ks_json *doc, struct ks_buf *origin,
	struct ks_err *err)
{
	const char *base = ks_json_get_str(doc, "base_url", services[c->api].base);
	const char *host;
	size_t len = strlen(base);
	/* A path is put behind it; and people put keys there. */
	int rc = strpbrk(base, "?#") != NULL ? ks_err_set(err, KS_EINVAL, "a \"?\" or \"#\" and "
		"what follows it have no place in it") : ks_http_origin(origin, base, err);

	if (rc < 0) {
		ks_err_prefix(err, "base URL %.100s", strpbrk(base, "@?#") != NULL ? "" : base);
		return rc;
	}
	while (len > 0 && base[len - 1] == '/') {
		len--;
	}
	c->base_url = ks_strndup(base, len);
	if (c->api == KS_MODEL_OPENAI) {
		c->url = ks_asprintf("%s/chat/completions", c->base_url);
		c->max_field = strcmp(origin->ptr, services[1].origin) == 0
			? "max_completion_tokens" : "max_tokens";
	} else {
		c->url = ks_asprintf("%s%s/messages", c->base_url,
			ends_with(c->base_url, "/v1") ? "" : "/v1");
	}
	host = strstr(origin->ptr, "://") + 3;
	c->label = ks_asprintf("%s at %.*s", c->model, (int)strcspn(host, ":"), host);
	return 0;
}

static int take_model(struct ks_api_config *c, const char *argument, const struct ks_json *doc,
	struct ks_err *err)
{
	const char *slash = argument != NULL ? strchr(argument, '/') : NULL;
	const char *api = ks_json_get_str(doc, "api", NULL), *model;
	char *word = NULL;

	if (slash != NULL) {
		word = ks_strndup(argument, (size_t)(slash - argument));
		api = word;
		model = slash + 1;
	} else {
		model = ks_json_get_str(doc, "model", "");
	}
	if (api == NULL || (strcmp(api, "anthropic") != 0 && strcmp(api, "openai") != 0)) {
		free(word);
		return ks_err_set(err, KS_EINVAL, "the agent \"api\" needs an API and a model: "
			"api:anthropic/MODEL or api:openai/MODEL (any server that speaks chat "
			"completions, with --base-url)");
	}
	c->api = strcmp(api, "openai") == 0 ? KS_MODEL_OPENAI : KS_MODEL_ANTHROPIC;
	free(word);
	if (*model == '\0' || strlen(model) > 200) {
		return ks_err_set(err, KS_EINVAL, "the agent \"api\" needs a model's name: "
			"api:%s/MODEL", c->api == KS_MODEL_OPENAI ? "openai" : "anthropic");
	}
	c->model = ks_strdup(model);
	return 0;
}

/* One object of what the campaign says and, where it names an entry of
 * agents.json, what that says. */
static int read_config(struct ks_json **out, const char *argument, struct ks_str config,
	const char *agents, struct ks_err *err)
{
	bool named = argument != NULL && *argument != '\0' && strchr(argument, '/') == NULL;
	struct ks_json *mine = NULL, *entry = NULL;
	struct ks_buf text = {0}, all = {0};
	struct ks_jw w;
	int rc = config.len > 0 ? ks_json_parse(&mine, config.ptr, config.len, err) : 0;

	if (rc == 0 && named) {
		rc = ks_launch_entry(&text, agents, argument, err);
	}
	if (rc == 0 && named) {
		rc = ks_json_parse(&entry, text.ptr, text.len, err);
	}
	ks_jw_init(&w, &all);
	ks_jw_open(&w, NULL);
	for (const struct ks_json *at = ks_json_first(mine); at != NULL; at = ks_json_next(at)) {
		ks_jw_node(&w, ks_json_key(at), at);
	}
	for (const struct ks_json *at = ks_json_first(entry); at != NULL; at = ks_json_next(at)) {
		if (ks_json_get(mine, ks_json_key(at)) == NULL) {
			ks_jw_node(&w, ks_json_key(at), at);
		}
	}
	ks_jw_close(&w);
	if (rc == 0) {
		rc = ks_json_parse(out, all.ptr, all.len, err);
	}
	ks_json_free(mine);
	ks_json_free(entry);
	ks_buf_fini(&text);
	ks_buf_fini(&all);
	return rc;
}

/* Everything; the key only where it is wanted. */
static int read_all(struct ks_api_config *out, const char *argument, struct ks_str config,
	const char *agents, bool key, struct ks_err *err)
{
	struct ks_api_config c = {0};
	struct ks_buf origin = {0};
	struct ks_json *doc = NULL;
	int rc = read_config(&doc, argument, config, agents, err);

	if (rc == 0) {
		rc = check_members(doc, err);
	}
	if (rc == 0) {
		rc = take_model(&c, argument, doc, err);
	}
	if (rc == 0) {
		rc = take_numbers(&c, doc, err);
	}
	if (rc == 0) {
		rc = check_key_env(doc, err);
	}
	if (rc == 0) {
		rc = take_url(&c, doc, &origin, err);
	}
	if (rc == 0 && key) {
		rc = find_key(&c, doc, origin.ptr, err);
	}
	ks_json_free(doc);
	ks_buf_fini(&origin);
	if (rc < 0) {
		ks_api_config_fini(&c);
		return rc;
	}
	*out = c;
	return 0;
}

int ks_api_config_init(struct ks_api_config *out, const char *argument, struct ks_str config,
	const char *agents, struct ks_err *err)
{
	return read_all(out, argument, config, agents, true, err);
}

int ks_api_config_check(const char *argument, struct ks_str config, const char *agents,
	struct ks_err *err)
{
	struct ks_api_config c;
	int rc = read_all(&c, argument, config, agents, false, err);

	if (rc == 0) {
		ks_api_config_fini(&c);
	}
	return rc;
}
