/*
 * Tools of a request, and arguments that fit their schemas.
 */
#include "model_tools.h"

#include <string.h>
#include <strings.h>

#define DEPTH_MAX 6

/* What a call is for: its word in a scene, and the tools that do it. */
struct role {
	const char *word;
	const char *const *tools;
};

static const char *const shells[] = {
	"shell", "bash", "Bash", "exec_command", "shell_command", "run_shell_command", NULL
};
static const char *const asks[] = {
	"AskUserQuestion", "question", "request_user_input", "ask_user_question", "ask_user", NULL
};
static const char *const subagents[] = {
	"Agent", "Task", "task", "agent", "spawn_agent", "generalist", NULL
};
static const struct role roles[] = {
	{"shell", shells}, {"ask", asks}, {"subagent", subagents}
};

/* A tool of a list by its name: name and schema are in it, or one deeper. */
static const struct ks_json *tool_in(const struct ks_json *list, const char *name)
{
	const struct ks_json *tool = ks_json_first(list);

	for (; tool != NULL; tool = ks_json_next(tool)) {
		const struct ks_json *f = ks_json_get(tool, "function");

		f = f != NULL ? f : tool;
		if (strcmp(ks_json_get_str(f, "name", ""), name) == 0) {
			return f;
		}
	}
	return NULL;
}

/* Gemini has lists of them in the list. */
static const struct ks_json *tool_named(const struct ks_json *request, const char *name)
{
	const struct ks_json *list = ks_json_get(request, "tools"), *at = ks_json_first(list);
	const struct ks_json *tool = tool_in(list, name);

	for (; tool == NULL && at != NULL; at = ks_json_next(at)) {
		tool = tool_in(ks_json_get(at, "functionDeclarations"), name);
	}
	return tool;
}

static const struct ks_json *schema_of(const struct ks_json *tool)
{
	static const char *const keys[] = {
		"input_schema", "parameters", "parametersJsonSchema", NULL
	};
	const struct ks_json *schema = NULL;

	for (size_t i = 0; schema == NULL && keys[i] != NULL; i++) {
		schema = ks_json_get(tool, keys[i]);
	}
	return schema;
}

/* ---- arguments by a schema ---- */

struct fill {
	const struct ks_json *call; /* of the scene */
	const char *text;
};

static bool is_type(const struct ks_json *schema, const char *type)
{
	const struct ks_json *at = ks_json_get(schema, "type"), *one;

	if (ks_json_type(at) != KS_JSON_ARRAY) {
		return strcasecmp(ks_json_str(at, ""), type) == 0;
	}
	for (one = ks_json_first(at); one != NULL; one = ks_json_next(one)) {
		if (strcasecmp(ks_json_str(one, ""), type) == 0) {
			return true;
		}
	}
	return false;
}

static bool is_word(const char *const *list, const char *word)
{
	while (*list != NULL && strcmp(*list, word) != 0) {
		list++;
	}
	return *list != NULL;
}

static void fill_string(struct ks_jw *w, const char *key, const char *name,
	const struct ks_json *schema, const struct fill *f)
{
	static const char *const texts[] = {
		"command", "cmd", "question", "prompt", "message", "objective", "request", "task",
		NULL
	};
	const struct ks_json *choice = ks_json_first(ks_json_get(schema, "enum"));

	ks_jw_str(w, key, choice != NULL ? ks_json_str(choice, "") :
		is_word(texts, name) ? f->text : "a_word");
}

static void fill_value(struct ks_jw *w, const char *key, const char *name,
	const struct ks_json *schema, const struct fill *f, int depth);

/* Codex gives a command ten seconds until it goes on without it, unless told. */
static void wait_for_command(struct ks_jw *w, const struct ks_json *schema)
{
	const struct ks_json *wait = ks_json_get(ks_json_get(schema, "properties"),
		"yield_time_ms");

	if (is_type(wait, "number") || is_type(wait, "integer")) {
		ks_jw_int(w, "yield_time_ms", 30000);
	}
}

static void fill_object(struct ks_jw *w, const char *key, const struct ks_json *schema,
	const struct fill *f, int depth)
{
	const struct ks_json *own = depth == 0 ? ks_json_get(f->call, "args") : NULL;
	const struct ks_json *need = ks_json_first(ks_json_get(schema, "required")), *at;

	ks_jw_open(w, key);
	for (at = ks_json_first(own); at != NULL; at = ks_json_next(at)) {
		ks_jw_node(w, ks_json_key(at), at);
	}
	for (; need != NULL; need = ks_json_next(need)) {
		const char *name = ks_json_str(need, "");

		if (ks_json_get(own, name) == NULL) {
			fill_value(w, name, name,
				ks_json_get(ks_json_get(schema, "properties"), name), f, depth + 1);
		}
	}
	if (depth == 0) {
		wait_for_command(w, schema);
	}
	ks_jw_close(w);
}

/* An answer to choose: a string, or an object that has it as its label. */
static void fill_option(struct ks_jw *w, const char *option, const struct ks_json *schema)
{
	const struct ks_json *need = ks_json_first(ks_json_get(schema, "required"));

	if (!is_type(schema, "object")) {
		ks_jw_str(w, NULL, option);
		return;
	}
	ks_jw_open(w, NULL);
	for (; need != NULL; need = ks_json_next(need)) {
		ks_jw_str(w, ks_json_str(need, ""), option);
	}
	ks_jw_close(w);
}

static void fill_array(struct ks_jw *w, const char *key, const char *name,
	const struct ks_json *schema, const struct fill *f, int depth)
{
	static const char *const choices[] = {"options", "choices", NULL};
	const struct ks_json *items = ks_json_get(schema, "items");
	const struct ks_json *option = ks_json_first(ks_json_get(f->call, "options"));

	ks_jw_open_array(w, key);
	if (is_word(choices, name)) {
		for (; option != NULL; option = ks_json_next(option)) {
			fill_option(w, ks_json_str(option, ""), items);
		}
	} else if (strcmp(name, "command") == 0) {
		ks_jw_str(w, NULL, "sh");
		ks_jw_str(w, NULL, "-c");
		ks_jw_str(w, NULL, f->text);
	} else {
		fill_value(w, NULL, name, items, f, depth + 1);
	}
	ks_jw_close_array(w);
}

static void fill_value(struct ks_jw *w, const char *key, const char *name,
	const struct ks_json *schema, const struct fill *f, int depth)
{
	if (depth > DEPTH_MAX) {
		ks_jw_null(w, key);
	} else if (is_type(schema, "object")) {
		fill_object(w, key, schema, f, depth);
	} else if (is_type(schema, "array")) {
		fill_array(w, key, name, schema, f, depth);
	} else if (is_type(schema, "boolean")) {
		ks_jw_bool(w, key, false);
	} else if (is_type(schema, "number") || is_type(schema, "integer")) {
		ks_jw_int(w, key, 1);
	} else {
		fill_string(w, key, name, schema, f);
	}
}

/* ---- calls ---- */

static const struct role *role_of(const struct ks_json *call, const char **out_text)
{
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		*out_text = ks_json_get_str(call, roles[i].word, NULL);
		if (*out_text != NULL) {
			return &roles[i];
		}
	}
	return NULL;
}

const char *model_call(const struct ks_json *call, const struct ks_json *request,
	struct ks_buf *args)
{
	const struct ks_json *tool = NULL;
	struct fill f = {.call = call};
	const struct role *role = role_of(call, &f.text);
	size_t i = 0;
	struct ks_jw w;

	if (role == NULL) {
		if (ks_json_get(call, "raw") != NULL) {
			ks_buf_adds(args, ks_json_get_str(call, "raw", ""));
		} else {
			ks_json_print(ks_json_get(call, "args"), args);
		}
		return ks_json_get_str(call, "name", "unknown");
	}
	while (role->tools[i] != NULL && (tool = tool_named(request, role->tools[i])) == NULL) {
		i++;
	}
	ks_jw_init(&w, args);
	if (tool != NULL) {
		fill_object(&w, NULL, schema_of(tool), &f, 0);
	} else {
		ks_jw_open(&w, NULL);
		ks_jw_str(&w, role->tools == shells ? "command" : "prompt", f.text);
		ks_jw_close(&w);
	}
	return role->tools[tool != NULL ? i : 0];
}

static const struct ks_json *messages_of(const struct ks_json *request)
{
	static const char *const keys[] = {"messages", "input", "contents", NULL};
	const struct ks_json *list = NULL;

	for (size_t i = 0; list == NULL && keys[i] != NULL; i++) {
		list = ks_json_get(request, keys[i]);
	}
	return list;
}

static bool holds(const struct ks_json *message, const char *text)
{
	struct ks_buf whole = {0};
	bool found;

	ks_json_print(message, &whole);
	found = ks_str_find(ks_buf_str(&whole), ks_str_of(text)) >= 0;
	ks_buf_fini(&whole);
	return found;
}

bool model_begins_with(const struct ks_json *request, const char *text)
{
	const struct ks_json *at = ks_json_first(messages_of(request));
	bool found = false;

	for (; at != NULL && !found; at = ks_json_next(at)) {
		const char *role = ks_json_get_str(at, "role", "");

		if (strcmp(role, "assistant") == 0 || strcmp(role, "model") == 0 || *role == '\0') {
			break;
		}
		found = strcmp(role, "user") == 0 && holds(at, text);
	}
	return found;
}

bool model_ends_with(const struct ks_json *request, const char *text)
{
	const struct ks_json *last = ks_json_first(messages_of(request));

	while (last != NULL && ks_json_next(last) != NULL) {
		last = ks_json_next(last);
	}
	return last != NULL && holds(last, text);
}

/* Items of Responses have no role when they are the model's calls. */
static bool is_models(const struct ks_json *message)
{
	const char *role = ks_json_get_str(message, "role", "");
	const char *type = ks_json_get_str(message, "type", "");

	return strcmp(role, "assistant") == 0 || strcmp(role, "model") == 0 ||
		strcmp(type, "function_call") == 0 || strcmp(type, "reasoning") == 0;
}

bool model_was_told(const struct ks_json *request, const char *text)
{
	const struct ks_json *at = ks_json_first(messages_of(request));
	bool told = false;

	for (; at != NULL; at = ks_json_next(at)) {
		told = !is_models(at) && (told || holds(at, text));
	}
	return told;
}
