/*
 * What agents send: ACP's updates, questions and answers, and lines of Claude
 * Code. An input steers a generator of documents that are nearly right, since
 * bytes alone hardly ever are. What must hold: nothing is read that is not
 * there, and what is written is valid JSON within its bounds.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "wire/acp.h"
#include "wire/claude.h"
#include "wire/toolword.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define DEPTH 5
#define DOCUMENTS 4 /* of one input */
#define MEMBERS_MAX 40000

struct input {
	const uint8_t *at, *end;
};

static unsigned take(struct input *in, unsigned below)
{
	return in->at < in->end ? *in->at++ % below : 0;
}

static const char *const keys[] = {
	"sessionUpdate", "toolCallId", "title", "kind", "status", "content", "locations", "path",
	"rawInput", "rawOutput", "_meta", "claudeCode", "toolName", "parentToolUseId", "type",
	"text",
	"command", "output", "exit_code", "metadata", "exit", "oldText", "newText", "entries",
	"options", "optionId", "name", "requestedSchema", "properties", "required", "oneOf",
	"const",
	"items", "enum", "usage", "inputTokens", "cost", "amount", "used", "size", "modes",
	"currentModeId", "availableModes", "configOptions", "category", "currentValue", "value",
	"agentCapabilities", "sessionCapabilities", "resume", "steering", "message", "role",
	"tool_use_id", "is_error", "input", "questions", "question", "header", "label",
	"description", "request", "request_id", "subtype", "response", "result", "errors",
	"session_id", "terminal_output_delta", "data", "resource", "uri", "id",
};
static const char *const words[] = {
	"tool_call", "tool_call_update", "agent_message_chunk", "plan", "usage_update", "text",
	"diff", "content", "terminal", "image", "resource", "completed", "failed", "execute",
	"mode", "string", "array", "boolean", "assistant", "user", "system", "result",
	"control_request", "control_response", "can_use_tool", "AskUserQuestion", "init",
	"tool_use", "tool_result", "allow_once", "reject_once", "end_turn", "max_tokens",
	"Error: 503 down", "kseek eval", "cd x && ./kseek eval -q", "\xff\xc3", "", "a\x1b[2Jb",
};

static void value(struct input *in, struct ks_jw *w, const char *key, int depth)
{
	unsigned what = take(in, depth > 0 ? 9 : 5);
	unsigned count = take(in, 6);

	switch (what) {
	case 0:
		ks_jw_int(w, key, (int64_t)take(in, 256) - 100);
		break;
	case 1:
		ks_jw_bool(w, key, count > 2);
		break;
	case 2:
		ks_jw_null(w, key);
		break;
	case 3:
	case 4:
		ks_jw_str(w, key, words[take(in, sizeof(words) / sizeof(words[0]))]);
		break;
	case 5:
		ks_jw_open_array(w, key);
		for (unsigned i = 0; i < count; i++) {
			value(in, w, NULL, depth - 1);
		}
		ks_jw_close_array(w);
		break;
	default:
		ks_jw_open(w, key);
		for (unsigned i = 0; i < count; i++) {
			value(in, w, keys[take(in, sizeof(keys) / sizeof(keys[0]))], depth - 1);
		}
		ks_jw_close(w);
		break;
	}
}

/* NULL where it has a key twice, which is refused. */
static struct ks_json *document(struct input *in, struct ks_buf *text)
{
	struct ks_json *doc = NULL;
	struct ks_jw w;

	ks_buf_clear(text);
	ks_jw_init(&w, text);
	ks_jw_open(&w, NULL);
	for (unsigned i = take(in, 10); i > 0; i--) {
		value(in, &w, keys[take(in, sizeof(keys) / sizeof(keys[0]))], DEPTH);
	}
	ks_jw_close(&w);
	return ks_json_parse(&doc, text->ptr, text->len, NULL) == 0 ? doc : NULL;
}

static void members_are_valid(struct ks_buf *members)
{
	struct ks_buf whole = {0};
	struct ks_json *doc = NULL;

	assert(members->len < MEMBERS_MAX);
	ks_buf_addf(&whole, "{");
	ks_buf_addstr(&whole, ks_buf_str(members));
	ks_buf_addc(&whole, '}');
	assert(ks_json_parse(&doc, whole.ptr, whole.len, NULL) == 0);
	ks_json_free(doc);
	ks_buf_fini(&whole);
	ks_buf_fini(members);
}

static void read_acp(const struct ks_json *doc)
{
	struct ks_acp_agent agent;
	struct ks_acp_modes modes;
	struct ks_acp_tool tool;
	struct ks_acp_usage usage;
	struct ks_buf out = {0}, text = {0};
	struct ks_jw w;
	bool weak;

	ks_acp_agent(&agent, doc);
	ks_acp_update(doc);
	ks_jw_members(&w, &out);
	if (ks_acp_modes(&modes, doc)) {
		ks_acp_modes_write(&w, &modes);
	}
	ks_acp_usage(&usage, doc);
	ks_acp_usage_write(&w, &usage);
	ks_acp_options_write(&w, ks_json_get(doc, "options"));
	ks_acp_option(ks_json_get(doc, "options"), NULL, "allow_always");
	ks_acp_form_write(&w, doc);
	ks_acp_plan_write(&w, doc);
	members_are_valid(&out);
	ks_acp_tool(&tool, doc);
	assert(tool.id != NULL);
	ks_acp_text(&text, doc);
	ks_tool_output(&text, tool.output);
	ks_tool_text(&text, doc);
	ks_tool_command(&text, doc);
	ks_acp_is_error(ks_buf_str(&text), &weak);
	assert(ks_tool_word(tool.kind != NULL ? tool.kind : "",
		tool.name != NULL ? tool.name : "", ks_buf_str(&text)) != NULL);
	ks_buf_fini(&text);
}

static void answer_claude(const struct ks_claude *line)
{
	struct ks_buf out = {0};
	struct ks_claude back;

	ks_claude_allow(&out, line->request, line->input, line->suggestions, KS_STR("{}"));
	assert(memchr(out.ptr, '\n', out.len) == out.ptr + out.len - 1);
	assert(ks_claude_parse(&back, (struct ks_str){out.ptr, out.len - 1}, NULL) == 0);
	assert(back.kind == KS_CLAUDE_RESPONSE && back.ok);
	ks_claude_fini(&back);
	ks_buf_fini(&out);
}

static void read_claude(struct ks_str text)
{
	struct ks_claude line;
	struct ks_buf out = {0}, said = {0};
	struct ks_jw w;

	if (ks_claude_parse(&line, text, NULL) < 0) {
		return;
	}
	assert(line.session != NULL && line.request != NULL && line.tool != NULL);
	if (line.kind == KS_CLAUDE_PERMISSION) {
		answer_claude(&line);
	}
	ks_jw_members(&w, &out);
	ks_claude_usage_write(&w, line.doc);
	ks_claude_form_write(&w, line.doc, &said);
	members_are_valid(&out);
	assert(ks_claude_how(line.doc, &said) != NULL);
	ks_claude_asks(line.tool, line.input);
	ks_claude_result_text(&said, line.content);
	ks_buf_fini(&said);
	ks_claude_fini(&line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, data + size};
	struct ks_buf text = {0};

	read_claude((struct ks_str){(const char *)data, size});
	ks_tool_is_eval((struct ks_str){(const char *)data, size});
	for (int i = 0; i < DOCUMENTS && in.at < in.end; i++) {
		struct ks_json *doc = document(&in, &text);

		read_claude(ks_buf_str(&text));
		if (doc != NULL) {
			read_acp(doc);
			ks_json_free(doc);
		}
	}
	ks_buf_fini(&text);
	return 0;
}
