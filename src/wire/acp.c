/*
 * ACP: sessions, updates, tool calls, and the end of a turn. Questions are in
 * acp_ask.c.
 */
#include "wire/acp.h"

#include <string.h>
#include <strings.h>

#include "wire/bound.h"
#include "wire/toolword.h"

/* ---- initialize ---- */

void ks_acp_agent(struct ks_acp_agent *out, const struct ks_json *result)
{
	const struct ks_json *caps = ks_json_get(result, "agentCapabilities");
	const struct ks_json *sessions = ks_json_get(caps, "sessionCapabilities");
	const struct ks_json *info = ks_json_get(result, "agentInfo");
	const struct ks_json *steering = ks_json_get(ks_json_get(result, "_meta"), "steering");
	const struct ks_json *login = ks_json_first(ks_json_get(result, "authMethods"));

	*out = (struct ks_acp_agent){
		.protocol = ks_json_get_int(result, "protocolVersion", 0),
		.name = ks_json_get_str(info, "name", ""),
		.title = ks_json_get_str(info, "title", ""),
		.version = ks_json_get_str(info, "version", ""),
		.load = ks_json_get_bool(caps, "loadSession", false),
		.resume = ks_json_type(ks_json_get(sessions, "resume")) == KS_JSON_OBJECT ||
			ks_json_get_bool(sessions, "resume", false),
		.login = ks_json_get_str(login, "name", ks_json_get_str(login, "id", "")),
	};
	if (steering == NULL) {
		steering = ks_json_get(ks_json_get(caps, "_meta"), "steering");
	}
	out->steers = ks_json_get_bool(steering, "supported", false);
}

void ks_acp_initialize(struct ks_buf *out, bool forms)
{
	struct ks_jw w;

	ks_jw_init(&w, out);
	ks_jw_open(&w, NULL);
	ks_jw_int(&w, "protocolVersion", KS_ACP_VERSION);
	ks_jw_open(&w, "clientCapabilities");
	ks_jw_open(&w, "fs");
	ks_jw_bool(&w, "readTextFile", false);
	ks_jw_bool(&w, "writeTextFile", false);
	ks_jw_close(&w);
	ks_jw_bool(&w, "terminal", false);
	if (forms) {
		ks_jw_open(&w, "elicitation");
		ks_jw_open(&w, "form");
		ks_jw_close(&w);
		ks_jw_close(&w);
	}
	ks_jw_close(&w);
	ks_jw_open(&w, "clientInfo");
	ks_jw_str(&w, "name", "kseek");
	ks_jw_str(&w, "title", "kseek");
	ks_jw_str(&w, "version", KSEEK_VERSION);
	ks_jw_close(&w);
	ks_jw_close(&w);
}

/* ---- sessions ---- */

void ks_acp_session(struct ks_buf *out, const char *id, const char *cwd)
{
	struct ks_jw w;

	ks_jw_init(&w, out);
	ks_jw_open(&w, NULL);
	if (id != NULL) {
		ks_jw_str(&w, "sessionId", id);
	}
	ks_jw_str(&w, "cwd", cwd);
	ks_jw_open_array(&w, "mcpServers");
	ks_jw_close_array(&w);
	ks_jw_close(&w);
}

void ks_acp_prompt(struct ks_buf *out, const char *session, struct ks_str text)
{
	struct ks_jw w;

	ks_jw_init(&w, out);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "sessionId", session);
	ks_jw_open_array(&w, "prompt");
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "type", "text");
	ks_jw_slice(&w, "text", text);
	ks_jw_close(&w);
	ks_jw_close_array(&w);
	ks_jw_close(&w);
}

void ks_acp_cancel(struct ks_buf *out, const char *session)
{
	struct ks_jw w;

	ks_jw_init(&w, out);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "sessionId", session);
	ks_jw_close(&w);
}

bool ks_acp_modes(struct ks_acp_modes *out, const struct ks_json *node)
{
	const struct ks_json *modes = ks_json_get(node, "modes");
	const struct ks_json *option = ks_json_first(ks_json_get(node, "configOptions"));

	*out = (struct ks_acp_modes){.current = ""};
	if (ks_json_type(modes) == KS_JSON_OBJECT) {
		out->current = ks_json_get_str(modes, "currentModeId", "");
		out->list = ks_json_get(modes, "availableModes");
		return true;
	}
	for (; option != NULL; option = ks_json_next(option)) {
		if (strcmp(ks_json_get_str(option, "category", ""), "mode") == 0) {
			out->current = ks_json_get_str(option, "currentValue", "");
			out->list = ks_json_get(option, "options");
			out->option = ks_json_get_str(option, "id", "mode");
			out->values = true;
			return true;
		}
	}
	return false;
}

struct ks_acp_mode_walk ks_acp_mode_walk(const struct ks_acp_modes *modes)
{
	return (struct ks_acp_mode_walk){.next = ks_json_first(modes->list)};
}

const struct ks_json *ks_acp_mode_next(struct ks_acp_mode_walk *walk)
{
	const struct ks_json *at = walk->grouped;

	while (at == NULL && walk->next != NULL) {
		const struct ks_json *group = ks_json_get(walk->next, "options");

		at = group != NULL ? ks_json_first(group) : walk->next;
		walk->next = ks_json_next(walk->next);
		if (group == NULL) {
			return at;
		}
	}
	walk->grouped = ks_json_next(at);
	return at;
}

const char *ks_acp_mode_id(const struct ks_acp_modes *modes, const struct ks_json *entry)
{
	return ks_json_get_str(entry, modes->values ? "value" : "id", "");
}

void ks_acp_modes_write(struct ks_jw *w, const struct ks_acp_modes *modes)
{
	struct ks_acp_mode_walk walk = ks_acp_mode_walk(modes);
	size_t left = KS_BOUND_ALL;
	const struct ks_json *at;

	ks_jw_str(w, "mode", modes->current);
	ks_jw_open_array(w, "modes");
	while ((at = ks_acp_mode_next(&walk)) != NULL) {
		const char *id = ks_acp_mode_id(modes, at);

		if (!ks_bound_fits(id, left)) {
			continue;
		}
		ks_jw_open(w, NULL);
		ks_bound_str(w, "id", id, left, &left);
		ks_bound_str(w, "name", ks_json_get_str(at, "name", id), 100, &left);
		ks_bound_str(w, "text", ks_json_get_str(at, "description", ""), 300, &left);
		ks_jw_close(w);
	}
	ks_jw_close_array(w);
}

void ks_acp_set_mode(struct ks_buf *out, const char *session, const char *option,
	const char *mode)
{
	struct ks_jw w;

	ks_jw_init(&w, out);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "sessionId", session);
	if (option != NULL) {
		ks_jw_str(&w, "configId", option);
		ks_jw_str(&w, "value", mode);
	} else {
		ks_jw_str(&w, "modeId", mode);
	}
	ks_jw_close(&w);
}

/* ---- updates ---- */

enum ks_acp_kind ks_acp_update(const struct ks_json *update)
{
	static const struct {
		const char *name;
		enum ks_acp_kind kind;
	} kinds[] = {
		{"agent_message_chunk", KS_ACP_SAID}, {"agent_thought_chunk", KS_ACP_THOUGHT},
		{"tool_call_update", KS_ACP_TOOL}, {"tool_call", KS_ACP_TOOL},
		{"user_message_chunk", KS_ACP_USER}, {"plan", KS_ACP_PLAN},
		{"usage_update", KS_ACP_USAGE}, {"current_mode_update", KS_ACP_MODE},
		{"config_option_update", KS_ACP_CONFIG}, {"session_info_update", KS_ACP_INFO},
		{"available_commands_update", KS_ACP_COMMANDS},
	};
	const char *name = ks_json_get_str(update, "sessionUpdate", "");

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, name) == 0) {
			return kinds[i].kind;
		}
	}
	return KS_ACP_UNKNOWN;
}

static void one_text(struct ks_buf *out, const struct ks_json *block)
{
	const char *type = ks_json_get_str(block, "type", "");

	if (strcmp(type, "content") == 0) {
		block = ks_json_get(block, "content");
		type = ks_json_get_str(block, "type", "");
	}
	if (strcmp(type, "text") == 0) {
		ks_buf_adds(out, ks_json_get_str(block, "text", ""));
	} else if (strcmp(type, "resource_link") == 0) {
		ks_buf_addf(out, "[%s]", ks_json_get_str(block, "uri", "resource"));
	} else if (strcmp(type, "resource") == 0) {
		const struct ks_json *resource = ks_json_get(block, "resource");
		const char *text = ks_json_get_str(resource, "text", NULL);

		if (text != NULL) {
			ks_buf_adds(out, text);
		} else {
			ks_buf_addf(out, "[%s]", ks_json_get_str(resource, "uri", "resource"));
		}
	} else if (type[0] != '\0' && strcmp(type, "diff") != 0 &&
		strcmp(type, "terminal") != 0) {
		ks_buf_addf(out, "[%.40s]", type);
	}
}

void ks_acp_text(struct ks_buf *out, const struct ks_json *content)
{
	if (ks_json_type(content) == KS_JSON_STRING) {
		ks_buf_adds(out, ks_json_str(content, ""));
		return;
	}
	if (ks_json_type(content) != KS_JSON_ARRAY) {
		one_text(out, content);
		return;
	}
	for (const struct ks_json *at = ks_json_first(content); at != NULL;
		at = ks_json_next(at)) {
		one_text(out, at);
	}
}

/* ---- tool calls ---- */

static enum ks_acp_status status_of(const char *text)
{
	if (text == NULL) {
		return KS_ACP_NO_STATUS;
	}
	if (strcmp(text, "pending") == 0) {
		return KS_ACP_PENDING;
	}
	if (strcmp(text, "completed") == 0) {
		return KS_ACP_DONE;
	}
	if (strcmp(text, "failed") == 0 || strcmp(text, "cancelled") == 0) {
		return KS_ACP_FAILED;
	}
	return KS_ACP_RUNNING;
}

static const struct ks_json *not_null(const struct ks_json *node, const char *key)
{
	const struct ks_json *value = ks_json_get(node, key);

	return ks_json_type(value) == KS_JSON_NULL ? NULL : value;
}

static const struct ks_json *find_diff(const struct ks_json *content)
{
	for (const struct ks_json *at = ks_json_first(content); at != NULL;
		at = ks_json_next(at)) {
		if (strcmp(ks_json_get_str(at, "type", ""), "diff") == 0) {
			return at;
		}
	}
	return NULL;
}

/* What extensions tell: names, parents, terminals. */
static void take_meta(struct ks_acp_tool *out, const struct ks_json *meta)
{
	const struct ks_json *claude = ks_json_get(meta, "claudeCode");
	const struct ks_json *copilot = ks_json_get(meta, "github.com/copilot");
	const struct ks_json *end = ks_json_get(meta, "terminal_exit");

	if (out->name == NULL) {
		out->name = ks_json_get_str(claude, "toolName", NULL);
	}
	out->parent = ks_json_get_str(claude, "parentToolUseId",
		ks_json_get_str(copilot, "agentId", NULL));
	out->delta = ks_json_get_str(ks_json_get(meta, "terminal_output_delta"), "data",
		ks_json_get_str(ks_json_get(meta, "terminal_output"), "data", NULL));
	if (end != NULL && out->exit < 0) {
		out->exit = ks_json_get_int(end, "exit_code", -1);
	}
}

void ks_acp_tool(struct ks_acp_tool *out, const struct ks_json *node)
{
	const struct ks_json *place = ks_json_first(ks_json_get(node, "locations"));

	*out = (struct ks_acp_tool){
		.id = ks_json_get_str(node, "toolCallId", ""),
		.name = ks_json_get_str(node, "name", NULL),
		.title = ks_json_get_str(node, "title", NULL),
		.kind = ks_json_get_str(node, "kind", NULL),
		.status = status_of(ks_json_get_str(node, "status", NULL)),
		.input = not_null(node, "rawInput"),
		.output = not_null(node, "rawOutput"),
		.content = not_null(node, "content"),
	};
	out->diff = find_diff(out->content);
	out->exit = ks_tool_status(out->output);
	out->path = ks_tool_path(out->input);
	if (out->path == NULL) {
		out->path = ks_json_get_str(out->diff, "path",
			ks_json_get_str(place, "path", NULL));
	}
	take_meta(out, ks_json_get(node, "_meta"));
}

/* ---- usage ---- */

static int64_t either(const struct ks_json *node, const char *one, const char *other)
{
	return ks_json_get_int(node, one, ks_json_get_int(node, other, -1));
}

void ks_acp_usage(struct ks_acp_usage *out, const struct ks_json *node)
{
	const struct ks_json *meta = ks_json_get(node, "_meta");
	const struct ks_json *usage = not_null(node, "usage");
	const struct ks_json *cost = ks_json_get(node, "cost");

	*out = (struct ks_acp_usage){.input = -1, .output = -1, .cached = -1, .thought = -1,
		.used = ks_json_get_int(node, "used", -1),
		.size = ks_json_get_int(node, "size", -1),
		.cost = ks_json_get_num(cost, "amount", -1),
		.currency = ks_json_get_str(cost, "currency", "")};
	if (usage == NULL) {
		usage = not_null(meta, "usage");
	}
	if (usage == NULL) {
		usage = not_null(ks_json_get(meta, "quota"), "token_count");
	}
	if (usage != NULL) {
		out->input = either(usage, "inputTokens", "input_tokens");
		out->output = either(usage, "outputTokens", "output_tokens");
		out->cached = either(usage, "cachedReadTokens", "cachedTokens");
		out->thought = either(usage, "thoughtTokens", "reasoningOutputTokens");
	}
	out->any = out->input >= 0 || out->output >= 0 || out->used >= 0 || out->cost >= 0;
}

static void put(struct ks_jw *w, const char *key, int64_t value)
{
	if (value >= 0) {
		ks_jw_int(w, key, value);
	}
}

void ks_acp_usage_write(struct ks_jw *w, const struct ks_acp_usage *usage)
{
	put(w, "input", usage->input);
	put(w, "output", usage->output);
	put(w, "cached", usage->cached);
	put(w, "thought", usage->thought);
	put(w, "used", usage->used);
	put(w, "size", usage->size);
	if (usage->cost >= 0) {
		ks_jw_num(w, "cost", usage->cost);
		ks_jw_str(w, "currency", usage->currency);
		ks_jw_str(w, "cost_scope", "session");
	}
}

/* ---- the end of a turn ---- */

const char *ks_acp_how(const char *stop_reason)
{
	static const struct {
		const char *reason, *how;
	} known[] = {
		{"cancelled", "cancelled"}, {"max_tokens", "limit"},
		{"max_turn_requests", "limit"}, {"refusal", "error"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i].reason, stop_reason) == 0) {
			return known[i].how;
		}
	}
	return "ended";
}

static bool starts(struct ks_str text, const char *with)
{
	size_t len = strlen(with);

	return text.len >= len && strncasecmp(text.ptr, with, len) == 0;
}

/* "Error: 503 ..." and "API Error (429 ..." : a number of HTTP's errors soon
 * behind the word. */
static bool has_status(struct ks_str text)
{
	for (size_t i = 0; i + 3 <= text.len && i < 40; i++) {
		const char *at = text.ptr + i;

		if ((*at == '4' || *at == '5') && at[1] >= '0' && at[1] <= '9' && at[2] >= '0' &&
			at[2] <= '9' &&
			(i + 3 == text.len || strchr(" :,.)]{\"\n", at[3]) != NULL) &&
			(i == 0 || strchr(" :([\n", at[-1]) != NULL)) {
			return true;
		}
	}
	return false;
}

bool ks_acp_is_error(struct ks_str message, bool *out_weak)
{
	static const char *const certain[] = {"API Error", "stream error", "stream disconnected",
		"unexpected status 4", "unexpected status 5", "exceeded retry limit",
		"We're currently experiencing high demand"};
	struct ks_str text = ks_str_trim(message);

	*out_weak = false;
	if (text.len == 0 || text.len > 4000) {
		return false;
	}
	for (size_t i = 0; i < sizeof(certain) / sizeof(certain[0]); i++) {
		if (starts(text, certain[i])) {
			return true;
		}
	}
	if (!starts(text, "error") && !starts(text, "internal error") &&
		!starts(text, "request failed") && !starts(text, "execution failed")) {
		return false;
	}
	*out_weak = !has_status(text);
	return true;
}
