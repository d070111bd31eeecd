/*
 * Keys of services stay out of the log, whoever brings them: a person's words that hold
 * one are refused, in what was seen of the agent it is shown as [key]. Known are the
 * environment's variables that are called like one, the variable that the campaign's
 * agent names, and the key that the agent itself was given.
 */
#include "base/mem.h"
#include "engine/internal.h"

/* What is shorter may be part of any text. */
#define LEAST 16
#define NAMED_LEAST 8 /* of the one that the campaign names */

extern char **environ;

static bool ends_with(struct ks_str name, const char *end)
{
	size_t n = strlen(end);

	return name.len > n && memcmp(name.ptr + name.len - n, end, n) == 0;
}

/* A key is one word of printable ASCII, and no path. */
static bool is_key(struct ks_str name, struct ks_str value, const char *named)
{
	static const char *const ends[] = {"_KEY", "_TOKEN", "_SECRET", "_PASSWORD"};
	bool is_named = ks_str_is(name, named), called = is_named;

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		called = called || ends_with(name, ends[i]);
	}
	for (size_t i = 0; i < value.len && called; i++) {
		called = value.ptr[i] > ' ' && value.ptr[i] <= '~' && value.ptr[i] != '"' &&
			value.ptr[i] != '\\';
	}
	return called && value.len >= (is_named ? NAMED_LEAST : LEAST) &&
		(is_named || strchr("/.~", value.ptr[0]) == NULL);
}

static struct ks_str value_of(const char *variable, struct ks_str *out_name)
{
	size_t n = strcspn(variable, "=");

	*out_name = (struct ks_str){variable, n};
	return ks_str_of(variable[n] == '=' ? variable + n + 1 : "");
}

void ks_secrets_read(struct ks_strings *out, const char *agent)
{
	struct ks_json *doc = NULL;

	if (agent != NULL) {
		(void)ks_json_parse(&doc, agent, strlen(agent), NULL);
	}
	const char *named = ks_json_get_str(doc, "key_env", "");
	for (char **at = environ; *at != NULL; at++) {
		struct ks_str name, value = value_of(*at, &name);

		if (is_key(name, value, named)) {
			ks_strings_add(out, *at);
		}
	}
	ks_json_free(doc);
}

int ks_secrets_refuse(const struct ks_engine *e, struct ks_str args, struct ks_err *err)
{
	for (size_t i = 0; i < e->secrets.count; i++) {
		struct ks_str name, value = value_of(e->secrets.items[i], &name);

		if (ks_str_find(args, value) >= 0) {
			return ks_err_set(err, KS_EDENIED,
				"the text holds the value of %.*s, and no key goes to the agent "
				"or into the log; leave it out", KS_FMT(name));
		}
	}
	if (ks_agent_holds_key(e->agent, args)) {
		return ks_err_set(err, KS_EDENIED, "the text holds the agent's own key, and no key "
			"goes to the agent or into the log; leave it out");
	}
	return 0;
}

struct ks_str ks_secrets_mask(const struct ks_engine *e, struct ks_str args, struct ks_buf *to)
{
	for (size_t i = 0; i < e->secrets.count; i++) {
		struct ks_str name, value = value_of(e->secrets.items[i], &name);

		if (ks_str_find(args, value) >= 0) {
			struct ks_buf clean = {0};

			ks_json_add_replaced(&clean, args, value, KS_STR("[key]"));
			ks_buf_fini(to);
			*to = clean;
			args = ks_buf_str(to);
		}
	}
	return args;
}
