/*
 * Names and inputs of tools. Agents agree on little: the tables hold what was
 * seen of ten of them, and what is not in them is "other".
 */
#include "wire/toolword.h"

#include <string.h>
#include <strings.h>

struct pair {
	const char *key, *word;
};

static const char *find(const struct pair *table, size_t count, const char *key)
{
	for (size_t i = 0; i < count; i++) {
		if (strcasecmp(table[i].key, key) == 0) {
			return table[i].word;
		}
	}
	return NULL;
}

static const char *by_name(const char *name)
{
	static const struct pair names[] = {
		{"bash", "shell"}, {"shell", "shell"}, {"exec_command", "shell"},
		{"run_shell_command", "shell"}, {"terminal", "shell"}, {"execute", "shell"},
		{"bashoutput", "shell"}, {"killshell", "shell"}, {"write_stdin", "shell"},
		{"read", "read"}, {"read_file", "read"}, {"notebookread", "read"},
		{"view", "read"}, {"ls", "read"}, {"list", "read"}, {"list_directory", "read"},
		{"edit", "edit"}, {"multiedit", "edit"}, {"apply_patch", "edit"},
		{"replace", "edit"}, {"patch", "edit"}, {"notebookedit", "edit"},
		{"str_replace", "edit"}, {"delete", "edit"}, {"move", "edit"},
		{"write", "write"}, {"write_file", "write"}, {"create", "write"},
		{"grep", "search"}, {"glob", "search"}, {"search", "search"},
		{"search_file_content", "search"}, {"websearch", "fetch"},
		{"web_search", "fetch"}, {"google_web_search", "fetch"},
		{"webfetch", "fetch"}, {"web_fetch", "fetch"}, {"fetch", "fetch"},
		{"task", "agent"}, {"agent", "agent"}, {"spawn_agent", "agent"},
		{"eval", "eval"}, {"evaluate", "eval"},
	};

	return find(names, sizeof(names) / sizeof(names[0]), name);
}

static const char *by_kind(const char *kind)
{
	static const struct pair kinds[] = {
		{"execute", "shell"}, {"read", "read"}, {"edit", "edit"}, {"delete", "edit"},
		{"move", "edit"}, {"search", "search"}, {"fetch", "fetch"},
	};

	return find(kinds, sizeof(kinds) / sizeof(kinds[0]), kind);
}

/* Whether the word that begins at `word` is what a shell would run: not quoted,
 * but for a shell's own -c "...". */
static bool is_run(struct ks_str command, const char *word)
{
	size_t before = (size_t)(word - command.ptr);

	if (*word != '"' && *word != '\'') {
		return *word != '-' && *word != '#';
	}
	return before >= 3 && strncmp(word - 2, "c ", 2) == 0;
}

bool ks_tool_is_eval(struct ks_str command)
{
	struct ks_str rest = command;
	ptrdiff_t at;

	while ((at = ks_str_find(rest, KS_STR("kseek eval"))) >= 0) {
		const char *word = rest.ptr + at, *behind = word + 10;
		const char *end = command.ptr + command.len;

		while (word > command.ptr && strchr(" \t;&|(\n", word[-1]) == NULL) {
			word--; /* its path */
		}
		if (is_run(command, word) && memchr(word, '=', (size_t)(behind - word)) == NULL &&
			(behind == end || strchr(" \t;&|)'\"\n", *behind) != NULL)) {
			return true;
		}
		rest = (struct ks_str){behind, (size_t)(end - behind)};
	}
	return false;
}

const char *ks_tool_word(const char *kind, const char *name, struct ks_str command)
{
	const char *word = by_name(name);

	if (word == NULL) {
		word = by_kind(kind);
	}
	if (word == NULL) {
		return "other";
	}
	return strcmp(word, "shell") == 0 && ks_tool_is_eval(command) ? "eval" : word;
}

/* ---- inputs ---- */

static const char *member(const struct ks_json *node, const char *const *keys)
{
	for (; *keys != NULL; keys++) {
		const char *text = ks_json_get_str(node, *keys, NULL);

		if (text != NULL && text[0] != '\0') {
			return text;
		}
	}
	return NULL;
}

/* ["bash","-lc","make"] is what is behind -lc; other lists are their words. */
static void words(struct ks_buf *out, const struct ks_json *list)
{
	const struct ks_json *word = ks_json_first(list);
	const char *option = ks_json_str(ks_json_at(list, 1), "");
	size_t start = out->len;

	if (ks_json_count(list) == 3 && option[0] == '-' && strchr(option, 'c') != NULL) {
		ks_buf_adds(out, ks_json_str(ks_json_at(list, 2), ""));
		return;
	}
	for (; word != NULL; word = ks_json_next(word)) {
		if (out->len > start) {
			ks_buf_addc(out, ' ');
		}
		ks_buf_adds(out, ks_json_str(word, ""));
	}
}

void ks_tool_command(struct ks_buf *out, const struct ks_json *input)
{
	static const char *const keys[] = {"command", "cmd", "script", NULL};

	for (const char *const *key = keys; *key != NULL; key++) {
		const struct ks_json *node = ks_json_get(input, *key);

		if (ks_json_type(node) == KS_JSON_STRING) {
			ks_buf_adds(out, ks_json_str(node, ""));
			return;
		}
		if (ks_json_type(node) == KS_JSON_ARRAY) {
			words(out, node);
			return;
		}
	}
}

const char *ks_tool_path(const struct ks_json *input)
{
	static const char *const keys[] = {"file_path", "filePath", "filepath", "path",
		"absolute_path", "abs_path", "notebook_path", "fileName", NULL};

	return member(input, keys);
}

void ks_tool_text(struct ks_buf *out, const struct ks_json *input)
{
	static const char *const others[] = {"pattern", "query", "url", "description", "prompt",
		"task", NULL};
	size_t start = out->len;
	const char *text;

	ks_tool_command(out, input);
	if (out->len > start) {
		return;
	}
	text = ks_tool_path(input);
	/* A search has a path too; what it looks for says more. */
	if (text == NULL || ks_json_get_str(input, "pattern", NULL) != NULL) {
		const char *other = member(input, others);

		text = other != NULL ? other : text;
	}
	if (text != NULL) {
		ks_buf_adds(out, text);
	}
}

/* ---- outputs ---- */

int64_t ks_tool_status(const struct ks_json *output)
{
	static const char *const keys[] = {"exit_code", "exitCode", "exit", "returncode", NULL};

	for (const char *const *key = keys; *key != NULL; key++) {
		const struct ks_json *node = ks_json_get(output, *key);

		if (ks_json_is_int(node)) {
			return ks_json_int(node, -1);
		}
	}
	output = ks_json_get(output, "metadata");
	return output != NULL && ks_json_is_int(ks_json_get(output, "exit"))
		? ks_json_get_int(output, "exit", -1) : -1;
}

static void streams(struct ks_buf *out, const struct ks_json *output)
{
	const char *first = ks_json_get_str(output, "stdout", "");
	const char *second = ks_json_get_str(output, "stderr", "");

	ks_buf_adds(out, first);
	if (first[0] != '\0' && second[0] != '\0' && out->ptr[out->len - 1] != '\n') {
		ks_buf_addc(out, '\n');
	}
	ks_buf_adds(out, second);
}

void ks_tool_output(struct ks_buf *out, const struct ks_json *output)
{
	static const char *const keys[] = {"output", "aggregated_output", "formatted_output",
		"text", "content", "result", "error", NULL};
	const char *text;

	switch (ks_json_type(output)) {
	case KS_JSON_STRING:
		ks_buf_adds(out, ks_json_str(output, ""));
		break;
	case KS_JSON_ARRAY:
		for (const struct ks_json *at = ks_json_first(output); at != NULL;
			at = ks_json_next(at)) {
			ks_buf_adds(out, ks_json_str(at, ks_json_get_str(at, "text", "")));
		}
		break;
	case KS_JSON_OBJECT:
		text = member(output, keys);
		if (text != NULL) {
			ks_buf_adds(out, text);
		} else {
			streams(out, output);
		}
		break;
	default:
		break;
	}
}
