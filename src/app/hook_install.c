/*
 * Settings of agents: our hook goes in, what is there stays. The format is the
 * same for all of them; the event's name, the file and the unit of the time-out
 * are not (docs/agents.md).
 */
#include <string.h>

#include "app/hook.h"
#include "base/json.h"

static const struct ks_hook_agent agents[] = {
	{"claude", "Stop", ".claude/settings.json", "CLAUDE_CONFIG_DIR", 30, false,
		"Claude Code overrides the ninth block in a row: start it with "
		"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP=0 in its environment to lift that."},
	{"codex", "Stop", ".codex/hooks.json", "CODEX_HOME", 30, true,
		"Codex skips hooks that are not trusted, without a word: start codex once and "
		"trust this one (codex exec has --dangerously-bypass-hook-trust). "
		"codex-acp runs none."},
	{"qwen", "Stop", ".qwen/settings.json", NULL, 30000, false,
		"Nothing is to be trusted for Qwen Code."},
	{"gemini", "AfterAgent", ".gemini/settings.json", NULL, 30000, false,
		"Gemini runs a project's hooks only in a trusted folder (/trust, or "
		"GEMINI_CLI_TRUST_WORKSPACE=true), and sends back about eight times in a row."},
};

const struct ks_hook_agent *ks_hook_agents(size_t *count)
{
	*count = sizeof(agents) / sizeof(agents[0]);
	return agents;
}

/* Whether an entry of a hook list is ours, of this or another place of kseek. */
static bool is_ours(const struct ks_json *hook)
{
	const char *command = ks_json_get_str(hook, "command", "");

	return strstr(command, "kseek") != NULL && strstr(command, "hook stop") != NULL;
}

static size_t count_ours(const struct ks_json *group)
{
	const struct ks_json *hooks = ks_json_get(group, "hooks");
	size_t n = 0;

	for (const struct ks_json *h = ks_json_first(hooks); h != NULL; h = ks_json_next(h)) {
		n += is_ours(h) ? 1 : 0;
	}
	return n;
}

static bool is_only_ours(const struct ks_json *group)
{
	size_t ours = count_ours(group);

	return ours > 0 && ours == ks_json_count(ks_json_get(group, "hooks"));
}

/* A group as it was, without our hook. */
static void copy_group(struct ks_jw *w, const struct ks_json *group)
{
	const struct ks_json *hooks = ks_json_get(group, "hooks");

	if (count_ours(group) == 0) {
		ks_jw_node(w, NULL, group);
		return;
	}
	ks_jw_open(w, NULL);
	for (const struct ks_json *m = ks_json_first(group); m != NULL; m = ks_json_next(m)) {
		if (m != hooks) {
			ks_jw_node(w, ks_json_key(m), m);
			continue;
		}
		ks_jw_open_array(w, "hooks");
		for (const struct ks_json *h = ks_json_first(m); h != NULL; h = ks_json_next(h)) {
			if (!is_ours(h)) {
				ks_jw_node(w, NULL, h);
			}
		}
		ks_jw_close_array(w);
	}
	ks_jw_close(w);
}

static void put_event(struct ks_jw *w, const struct ks_json *groups,
	const struct ks_hook_agent *agent, const char *command, bool remove)
{
	ks_jw_open_array(w, agent->event);
	for (const struct ks_json *g = ks_json_first(groups); g != NULL; g = ks_json_next(g)) {
		if (!is_only_ours(g)) {
			copy_group(w, g);
		}
	}
	if (!remove) {
		ks_jw_open(w, NULL);
		ks_jw_open_array(w, "hooks");
		ks_jw_open(w, NULL);
		ks_jw_str(w, "type", "command");
		ks_jw_str(w, "command", command);
		ks_jw_int(w, "timeout", agent->timeout);
		ks_jw_close(w);
		ks_jw_close_array(w);
		ks_jw_close(w);
	}
	ks_jw_close_array(w);
}

static bool is_all_ours(const struct ks_json *groups)
{
	for (const struct ks_json *g = ks_json_first(groups); g != NULL; g = ks_json_next(g)) {
		if (!is_only_ours(g)) {
			return false;
		}
	}
	return true;
}

/* What would be empty once our hook is out is left out with it. */
static void put_hooks(struct ks_jw *w, const struct ks_json *hooks,
	const struct ks_hook_agent *agent, const char *command, bool remove)
{
	const struct ks_json *groups = ks_json_get(hooks, agent->event);
	bool keep = !remove || !is_all_ours(groups);

	if (!keep && ks_json_count(hooks) <= (groups != NULL ? 1 : 0)) {
		return;
	}
	ks_jw_open(w, "hooks");
	for (const struct ks_json *m = ks_json_first(hooks); m != NULL; m = ks_json_next(m)) {
		if (strcmp(ks_json_key(m), agent->event) != 0) {
			ks_jw_node(w, ks_json_key(m), m);
		}
	}
	if (keep) {
		put_event(w, groups, agent, command, remove);
	}
	ks_jw_close(w);
}

static int check(const struct ks_json *doc, const struct ks_hook_agent *agent, struct ks_err *err)
{
	const struct ks_json *hooks = ks_json_get(doc, "hooks");
	const struct ks_json *groups = ks_json_get(hooks, agent->event);

	if (ks_json_type(doc) != KS_JSON_OBJECT ||
			(hooks != NULL && ks_json_type(hooks) != KS_JSON_OBJECT) ||
			(groups != NULL && ks_json_type(groups) != KS_JSON_ARRAY)) {
		return ks_err_set(err, KS_EINVAL,
			"not settings as expected: $.hooks.%s is no list; "
			"mend it by hand", agent->event);
	}
	return 0;
}

int ks_hook_merge(struct ks_buf *out, struct ks_str old, const struct ks_hook_agent *agent,
	const char *command, bool remove, struct ks_err *err)
{
	struct ks_json *doc = NULL;
	bool empty = ks_str_trim(old).len == 0;
	struct ks_jw w;
	int rc = ks_json_parse(&doc, empty ? "{}" : old.ptr, empty ? 2 : old.len, err);

	if (rc == 0) {
		rc = check(doc, agent, err);
	}
	if (rc == 0) {
		ks_jw_init(&w, out);
		w.pretty = true;
		ks_jw_open(&w, NULL);
		for (const struct ks_json *m = ks_json_first(doc); m != NULL; m = ks_json_next(m)) {
			if (strcmp(ks_json_key(m), "hooks") != 0) {
				ks_jw_node(&w, ks_json_key(m), m);
			}
		}
		put_hooks(&w, ks_json_get(doc, "hooks"), agent, command, remove);
		ks_jw_close(&w);
		ks_buf_addc(out, '\n');
	}
	ks_json_free(doc);
	return rc;
}
