/*
 * Claude Code's lines. A "result" of a turn that was interrupted says "error"
 * and is none; one with is_error is an error whatever its subtype says.
 */
#include "wire/claude.h"

#include <string.h>

#include "wire/bound.h"
#include "wire/toolword.h"

/* ---- reading ---- */

static void take_system(struct ks_claude *line)
{
	line->subtype = ks_json_get_str(line->doc, "subtype", "");
	if (strcmp(line->subtype, "init") == 0) {
		line->kind = KS_CLAUDE_INIT;
		line->version = ks_json_get_str(line->doc, "claude_code_version", "");
		line->mode = ks_json_get_str(line->doc, "permissionMode", "");
		line->model = ks_json_get_str(line->doc, "model", "");
	} else if (strcmp(line->subtype, "api_retry") == 0) {
		line->kind = KS_CLAUDE_RETRY;
	}
}

static void take_message(struct ks_claude *line, enum ks_claude_kind kind)
{
	const struct ks_json *message = ks_json_get(line->doc, "message");

	line->kind = kind;
	line->message = ks_json_get_str(message, "id", "");
	line->content = ks_json_get(message, "content");
	line->outcome = ks_json_get(line->doc, "tool_use_result");
}

static void take_user(struct ks_claude *line)
{
	take_message(line, KS_CLAUDE_USER);
	if (ks_json_get_bool(line->doc, "isReplay", false)) {
		line->kind = KS_CLAUDE_TAKEN;
		line->id = ks_json_get_str(line->doc, "uuid", "");
	}
}

/* Newer versions tell what becomes of each message. */
static void take_lifecycle(struct ks_claude *line)
{
	const char *state = ks_json_get_str(line->doc, "state", "");

	line->id = ks_json_get_str(line->doc, "command_uuid", "");
	line->kind = strcmp(state, "started") == 0 ? KS_CLAUDE_TAKEN :
		strcmp(state, "cancelled") == 0 ? KS_CLAUDE_DROPPED : KS_CLAUDE_UNKNOWN;
}

static void take_request(struct ks_claude *line)
{
	const struct ks_json *request = ks_json_get(line->doc, "request");

	line->kind = KS_CLAUDE_REQUEST;
	line->request = ks_json_get_str(line->doc, "request_id", "");
	line->subtype = ks_json_get_str(request, "subtype", "");
	if (strcmp(line->subtype, "can_use_tool") == 0) {
		line->kind = KS_CLAUDE_PERMISSION;
		line->tool = ks_json_get_str(request, "tool_name", "");
		line->call = ks_json_get_str(request, "tool_use_id", "");
		line->input = ks_json_get(request, "input");
		line->suggestions = ks_json_get(request, "permission_suggestions");
	}
}

static void take_response(struct ks_claude *line)
{
	const struct ks_json *response = ks_json_get(line->doc, "response");

	line->kind = KS_CLAUDE_RESPONSE;
	line->request = ks_json_get_str(response, "request_id", "");
	line->ok = strcmp(ks_json_get_str(response, "subtype", ""), "success") == 0;
	line->error = ks_json_get_str(response, "error", "");
	line->dropped = ks_json_get_bool(ks_json_get(response, "response"), "cancelled", false);
}

int ks_claude_parse(struct ks_claude *out, struct ks_str text, struct ks_err *err)
{
	struct ks_claude line = {.session = "", .version = "", .mode = "", .model = "",
		.id = "", .message = "", .request = "", .subtype = "", .tool = "", .call = "",
		.error = ""};
	const char *type;

	if (ks_json_parse(&line.owned, text.ptr, text.len, err) < 0) {
		return KS_EINVAL;
	}
	if (ks_json_type(line.owned) != KS_JSON_OBJECT) {
		ks_json_free(line.owned);
		return ks_err_set(err, KS_EINVAL, "not an object");
	}
	line.doc = line.owned;
	line.session = ks_json_get_str(line.doc, "session_id", "");
	line.parent = ks_json_get_str(line.doc, "parent_tool_use_id", NULL);
	type = ks_json_get_str(line.doc, "type", "");
	if (strcmp(type, "system") == 0) {
		take_system(&line);
	} else if (strcmp(type, "assistant") == 0) {
		take_message(&line, KS_CLAUDE_ASSISTANT);
	} else if (strcmp(type, "user") == 0) {
		take_user(&line);
	} else if (strcmp(type, "command_lifecycle") == 0) {
		take_lifecycle(&line);
	} else if (strcmp(type, "result") == 0) {
		line.kind = KS_CLAUDE_RESULT;
	} else if (strcmp(type, "control_request") == 0) {
		take_request(&line);
	} else if (strcmp(type, "control_cancel_request") == 0) {
		line.kind = KS_CLAUDE_WITHDRAWN;
		line.request = ks_json_get_str(line.doc, "request_id", "");
	} else if (strcmp(type, "control_response") == 0) {
		take_response(&line);
	}
	*out = line;
	return 0;
}

void ks_claude_fini(struct ks_claude *line)
{
	if (line != NULL) {
		ks_json_free(line->owned);
		*line = (struct ks_claude){0};
	}
}

const char *ks_claude_how(const struct ks_json *result, struct ks_buf *out_error)
{
	const char *reason = ks_json_get_str(result, "terminal_reason", "");
	const char *subtype = ks_json_get_str(result, "subtype", "");
	const char *text = ks_json_get_str(result, "result", "");

	if (strncmp(reason, "aborted", 7) == 0) {
		return "cancelled";
	}
	if (strcmp(subtype, "error_max_turns") == 0 ||
		strcmp(subtype, "error_max_budget_usd") == 0) {
		return "limit";
	}
	if (!ks_json_get_bool(result, "is_error", false) && strncmp(subtype, "error", 5) != 0) {
		return "ended";
	}
	if (text[0] == '\0') {
		text = ks_json_str(ks_json_first(ks_json_get(result, "errors")), subtype);
	}
	ks_buf_adds(out_error, text);
	return "error";
}

static void put(struct ks_jw *w, const char *key, int64_t value)
{
	if (value >= 0) {
		ks_jw_int(w, key, value);
	}
}

bool ks_claude_usage_write(struct ks_jw *w, const struct ks_json *result)
{
	const struct ks_json *usage = ks_json_get(result, "usage");
	double cost = ks_json_get_num(result, "total_cost_usd", -1);

	if (usage == NULL && cost < 0) {
		return false;
	}
	put(w, "input", ks_json_get_int(usage, "input_tokens", -1));
	put(w, "output", ks_json_get_int(usage, "output_tokens", -1));
	put(w, "cached", ks_json_get_int(usage, "cache_read_input_tokens", -1));
	if (cost >= 0) {
		ks_jw_num(w, "cost", cost);
		ks_jw_str(w, "currency", "USD");
		ks_jw_str(w, "cost_scope", "session");
	}
	return true;
}

void ks_claude_result_text(struct ks_buf *out, const struct ks_json *content)
{
	if (ks_json_type(content) != KS_JSON_ARRAY) {
		ks_tool_output(out, content);
		return;
	}
	for (const struct ks_json *at = ks_json_first(content); at != NULL;
		at = ks_json_next(at)) {
		const char *type = ks_json_get_str(at, "type", "text");

		if (out->len > 0 && out->ptr[out->len - 1] != '\n') {
			ks_buf_addc(out, '\n');
		}
		if (strcmp(type, "text") == 0) {
			ks_buf_adds(out, ks_json_get_str(at, "text", ""));
		} else {
			ks_buf_addf(out, "[%.40s]", type);
		}
	}
}

/* ---- questions to the person ---- */

bool ks_claude_asks(const char *tool, const struct ks_json *input)
{
	return strcmp(tool, "AskUserQuestion") == 0 &&
		ks_json_count(ks_json_get(input, "questions")) > 0;
}

static void one_question(struct ks_jw *w, const struct ks_json *question, size_t *left)
{
	const char *text = ks_json_get_str(question, "question", "");

	if (!ks_bound_fits(text, *left)) {
		return;
	}
	ks_jw_open(w, NULL);
	ks_bound_str(w, "id", text, *left, left);
	ks_bound_str(w, "title", ks_json_get_str(question, "header", text), 300, left);
	ks_bound_str(w, "text", text, 500, left);
	ks_jw_str(w, "type", ks_json_get_bool(question, "multiSelect", false) ? "choices"
		: "choice");
	ks_jw_bool(w, "required", false);
	ks_jw_bool(w, "free", true);
	ks_jw_open_array(w, "options");
	for (const struct ks_json *at = ks_json_first(ks_json_get(question, "options"));
		at != NULL; at = ks_json_next(at)) {
		const char *label = ks_json_get_str(at, "label", "");

		if (!ks_bound_fits(label, *left)) {
			continue;
		}
		ks_jw_open(w, NULL);
		ks_bound_str(w, "id", label, *left, left);
		ks_bound_str(w, "name", label, 300, left);
		ks_bound_str(w, "text", ks_json_get_str(at, "description", ""), 500, left);
		ks_jw_close(w);
	}
	ks_jw_close_array(w);
	ks_jw_close(w);
}

void ks_claude_form_write(struct ks_jw *w, const struct ks_json *input, struct ks_buf *out_text)
{
	const struct ks_json *questions = ks_json_get(input, "questions");

	size_t left = KS_BOUND_ALL;

	ks_buf_adds(out_text, ks_json_get_str(ks_json_first(questions), "question", ""));
	ks_jw_open_array(w, "fields");
	for (const struct ks_json *at = ks_json_first(questions); at != NULL;
		at = ks_json_next(at)) {
		one_question(w, at, &left);
	}
	ks_jw_close_array(w);
}

/* ---- writing ---- */

static void end(struct ks_buf *out, size_t start)
{
	for (size_t i = start; i < out->len; i++) {
		if (out->ptr[i] == '\n' || out->ptr[i] == '\r') {
			out->ptr[i] = ' ';
		}
	}
	ks_buf_addc(out, '\n');
}

void ks_claude_prompt(struct ks_buf *out, const char *id, struct ks_str text)
{
	size_t start = out->len;
	struct ks_jw w;

	ks_jw_init(&w, out);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "type", "user");
	ks_jw_open(&w, "message");
	ks_jw_str(&w, "role", "user");
	ks_jw_slice(&w, "content", text);
	ks_jw_close(&w);
	ks_jw_null(&w, "parent_tool_use_id");
	ks_jw_str(&w, "session_id", "");
	ks_jw_str(&w, "uuid", id);
	ks_jw_close(&w);
	end(out, start);
}

void ks_claude_request(struct ks_buf *out, const char *id, const char *subtype,
	const char *key, const char *value)
{
	size_t start = out->len;
	struct ks_jw w;

	ks_jw_init(&w, out);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "type", "control_request");
	ks_jw_str(&w, "request_id", id);
	ks_jw_open(&w, "request");
	ks_jw_str(&w, "subtype", subtype);
	if (key != NULL) {
		ks_jw_str(&w, key, value);
	}
	ks_jw_close(&w);
	ks_jw_close(&w);
	end(out, start);
}

static void begin_response(struct ks_jw *w, struct ks_buf *out, const char *request,
	const char *subtype)
{
	ks_jw_init(w, out);
	ks_jw_open(w, NULL);
	ks_jw_str(w, "type", "control_response");
	ks_jw_open(w, "response");
	ks_jw_str(w, "subtype", subtype);
	ks_jw_str(w, "request_id", request);
}

/* The input as it came, with the answers put in. */
static void put_input(struct ks_jw *w, const struct ks_json *input, struct ks_str answers)
{
	ks_jw_open(w, "updatedInput");
	for (const struct ks_json *at = ks_json_first(input); at != NULL;
		at = ks_json_next(at)) {
		const char *key = ks_json_key(at);

		if (key != NULL && (answers.len == 0 || strcmp(key, "answers") != 0)) {
			ks_jw_node(w, key, at);
		}
	}
	if (answers.len > 0) {
		ks_jw_raw(w, "answers", answers);
	}
	ks_jw_close(w);
}

void ks_claude_allow(struct ks_buf *out, const char *request, const struct ks_json *input,
	const struct ks_json *suggestions, struct ks_str answers)
{
	size_t start = out->len;
	struct ks_jw w;

	begin_response(&w, out, request, "success");
	ks_jw_open(&w, "response");
	ks_jw_str(&w, "behavior", "allow");
	put_input(&w, input, answers);
	if (suggestions != NULL) {
		ks_jw_node(&w, "updatedPermissions", suggestions);
	}
	ks_jw_close(&w);
	ks_jw_close(&w);
	ks_jw_close(&w);
	end(out, start);
}

void ks_claude_deny(struct ks_buf *out, const char *request, const char *message,
	bool interrupt)
{
	size_t start = out->len;
	struct ks_jw w;

	begin_response(&w, out, request, "success");
	ks_jw_open(&w, "response");
	ks_jw_str(&w, "behavior", "deny");
	ks_jw_str(&w, "message", message);
	if (interrupt) {
		ks_jw_bool(&w, "interrupt", true);
	}
	ks_jw_close(&w);
	ks_jw_close(&w);
	ks_jw_close(&w);
	end(out, start);
}

void ks_claude_refuse(struct ks_buf *out, const char *request, const char *message)
{
	size_t start = out->len;
	struct ks_jw w;

	begin_response(&w, out, request, "error");
	ks_jw_str(&w, "error", message);
	ks_jw_close(&w);
	ks_jw_close(&w);
	end(out, start);
}
