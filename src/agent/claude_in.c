/*
 * What Claude Code says, line by line.
 */
#include "agent/claude_impl.h"

#include "base/mem.h"
#include "wire/toolword.h"

#define NOISE_TOLD 20

/* ---- what it says of itself ---- */

static void take(char **slot, const char *text, size_t max)
{
	free(*slot);
	*slot = ks_strndup(text, strlen(text) < max ? strlen(text) : max);
}

static void take_mode(struct ks_cc *c, const char *mode)
{
	struct ks_report r;

	if (mode[0] == '\0' || strcmp(mode, c->mode) == 0) {
		return;
	}
	take(&c->mode, mode, 100);
	ks_report_begin(&r);
	ks_jw_str(&r.w, "mode", c->mode);
	ks_report_send(&r, &c->agent, KS_EV_AGENT_MODE, KS_BY_AGENT);
}

/* Repeated at every turn; told when it is another session. */
static void take_init(struct ks_cc *c, const struct ks_claude *line)
{
	struct ks_report r;

	if (line->session[0] != '\0' && strcmp(line->session, c->session) != 0) {
		take(&c->session, line->session, 120);
		take(&c->version, line->version, 60);
		ks_report_begin(&r);
		ks_jw_str(&r.w, "session", c->session);
		ks_jw_str(&r.w, "agent", "Claude Code");
		ks_jw_str(&r.w, "version", c->version);
		ks_jw_str(&r.w, "how", c->wanted != NULL && !c->anew ? "resumed" : "new");
		ks_jw_bool(&r.w, "steers", true);
		ks_report_send(&r, &c->agent, KS_EV_AGENT_SESSION, KS_BY_AGENT);
	}
	take_mode(c, line->mode);
}

static void ready(struct ks_cc *c, const struct ks_claude *line)
{
	if (c->phase != KS_CC_STARTING) {
		return;
	}
	if (!line->ok) {
		ks_talk_notice(&c->talk, "quiet", "the agent: %.200s", line->error);
	}
	ks_timer_cancel(c->patience);
	c->phase = KS_CC_READY;
	ks_report_started(&c->agent, c->launch.label, ks_program_pid(c->program));
}

static void responded(struct ks_cc *c, const struct ks_claude *line)
{
	if (c->init[0] != '\0' && strcmp(line->request, c->init) == 0) {
		c->init[0] = '\0';
		ready(c, line);
	} else if (c->mode_wanted != NULL && strcmp(line->request, c->mode_request) == 0) {
		char *mode = c->mode_wanted;

		c->mode_wanted = NULL;
		if (line->ok) {
			take_mode(c, mode);
		} else {
			ks_talk_notice(&c->talk, "warn",
				"the agent refused the mode \"%.60s\": %.200s", mode, line->error);
		}
		free(mode);
	} else if (c->drop[0] != '\0' && strcmp(line->request, c->drop) == 0) {
		c->drop[0] = '\0';
		if (line->dropped && c->talk.in_turn && !c->taken) {
			ks_cc_cancelled(c);
		}
	} else if (c->interrupt[0] != '\0' && strcmp(line->request, c->interrupt) == 0 &&
		!line->ok) {
		ks_talk_notice(&c->talk, "warn", "the agent did not take the interrupt: %.200s",
			line->error);
	}
}

/* ---- its work ---- */

/* Where it stands among the words that were not yet taken up; n_steers: nowhere. */
static size_t find_steer(const struct ks_cc *c, int64_t n)
{
	size_t at = 0;

	while (at < c->n_steers && c->steers[at].n != n) {
		at++;
	}
	return at;
}

static void drop_steer(struct ks_cc *c, size_t at)
{
	if (at < c->n_steers) {
		c->n_steers--;
		memmove(&c->steers[at], &c->steers[at + 1],
			(c->n_steers - at) * sizeof(c->steers[0]));
	}
}

/* Words that come when their turn has ended meanwhile begin one of their own. */
static void take_steer(struct ks_cc *c, size_t at)
{
	if (at < c->n_steers && !c->talk.in_turn && c->phase == KS_CC_READY) {
		ks_cc_begin(c, &c->steers[at], true);
	}
	drop_steer(c, at);
}

/* It works, and may not say on what: a version without our ids, or a "/..." of which it
 * tells nothing. */
static void awake(struct ks_cc *c, bool begins)
{
	if (!c->talk.in_turn && c->n_steers > 0 && (!c->ids || c->steers[0].command)) {
		take_steer(c, 0);
	} else if (c->talk.in_turn && begins && c->mine.command) {
		c->taken = true;
	}
}

static void see_use(struct ks_cc *c, const struct ks_claude *line, const struct ks_json *block)
{
	const struct ks_json *input = ks_json_get(block, "input");
	struct ks_buf text = {0};
	struct ks_sight sight = {
		.call = ks_json_get_str(block, "id", ""),
		.name = ks_json_get_str(block, "name", "tool"), .parent = line->parent,
		.path = ks_tool_path(input), .fresh = true, .begun = true, .status = -1,
		.before = ks_json_get_str(input, "old_string", NULL),
		.after = ks_json_get_str(input, "new_string", NULL),
	};

	if (sight.call[0] == '\0') {
		return;
	}
	sight.has_diff = sight.before != NULL && sight.after != NULL;
	ks_tool_text(&text, input);
	sight.text = ks_buf_str(&text);
	ks_talk_sight(&c->talk, &sight);
	ks_buf_fini(&text);
}

static void assistant(struct ks_cc *c, const struct ks_claude *line)
{
	for (const struct ks_json *at = ks_json_first(line->content); at != NULL;
		at = ks_json_next(at)) {
		const char *type = ks_json_get_str(at, "type", "");

		if (strcmp(type, "tool_use") == 0) {
			see_use(c, line, at);
		} else if (line->parent != NULL) {
			continue; /* a subagent's words are for its parent */
		} else if (strcmp(type, "text") == 0) {
			ks_talk_text(&c->talk, KS_EV_AGENT_SAID, line->message,
				ks_str_of(ks_json_get_str(at, "text", "")));
		} else if (strcmp(type, "thinking") == 0) {
			ks_talk_text(&c->talk, KS_EV_AGENT_THOUGHT, line->message,
				ks_str_of(ks_json_get_str(at, "thinking", "")));
		}
	}
	/* A line holds whole blocks, so there is nothing to wait for. */
	ks_talk_flush(&c->talk);
}

/* "Exit code 2\n..." */
static int64_t exit_code(struct ks_str text)
{
	char *end;
	long code;

	if (!ks_str_starts(text, "Exit code ")) {
		return -1;
	}
	code = strtol(text.ptr + 10, &end, 10);
	return end > text.ptr + 10 && code >= 0 && code < 1024 ? code : -1;
}

static void see_result(struct ks_cc *c, const struct ks_claude *line, const struct ks_json *block)
{
	struct ks_buf text = {0};
	struct ks_sight sight = {
		.call = ks_json_get_str(block, "tool_use_id", ""), .parent = line->parent,
		.begun = true, .ended = true,
		.ok = !ks_json_get_bool(block, "is_error", false), .has_output = true,
	};

	if (sight.call[0] == '\0') {
		return;
	}
	ks_claude_result_text(&text, ks_json_get(block, "content"));
	sight.output = ks_buf_str(&text);
	sight.status = sight.ok ? 0 : exit_code(sight.output);
	if (sight.ok && ks_json_get(line->outcome, "originalFile") != NULL &&
		ks_json_get_str(line->outcome, "content", NULL) != NULL) {
		sight.has_diff = true;
		sight.before = ks_json_get_str(line->outcome, "originalFile", NULL);
		sight.after = ks_json_get_str(line->outcome, "content", NULL);
	}
	ks_talk_sight(&c->talk, &sight);
	ks_buf_fini(&text);
}

/* The number of a message of ours by its id; 0: it is none. */
static int64_t number_of(const struct ks_cc *c, const char *id)
{
	size_t stem = strlen(c->stem);

	return strncmp(id, c->stem, stem) == 0 ? strtoll(id + stem, NULL, 16) : 0;
}

/* It has taken up words of ours, perhaps some that were cancelled before. */
static void took(struct ks_cc *c, const char *id)
{
	int64_t n = number_of(c, id);

	c->ids = c->ids || n > 0;
	if (c->ids ? n > 0 && n == c->mine.n : !c->taken) {
		c->taken = true;
	} else {
		take_steer(c, c->ids ? find_steer(c, n) : 0);
	}
}

/* Of a turn that ran and was interrupted this comes behind its result. */
static void dropped(struct ks_cc *c, const char *id)
{
	int64_t n = number_of(c, id);

	if (n > 0 && n == c->mine.n && c->talk.in_turn) {
		ks_cc_cancelled(c);
	}
	drop_steer(c, find_steer(c, n));
}

static void user(struct ks_cc *c, const struct ks_claude *line)
{
	for (const struct ks_json *at = ks_json_first(line->content); at != NULL;
		at = ks_json_next(at)) {
		if (strcmp(ks_json_get_str(at, "type", ""), "tool_result") == 0) {
			see_result(c, line, at);
		}
	}
}

static void result(struct ks_cc *c, const struct ks_claude *line)
{
	struct ks_buf why = {0}, usage = {0};
	const char *how = ks_claude_how(line->doc, &why);
	const char *text = ks_json_get_str(line->doc, "result", "");
	struct ks_jw w;

	/* One of a turn that it began by itself, or of a message that was cancelled. */
	if (!c->talk.in_turn || (c->ids && !c->taken && !c->talk.cancelling)) {
		ks_buf_fini(&why);
		return;
	}
	if (c->talk.cancelling) {
		how = "cancelled";
		ks_buf_clear(&why);
	} else if (strcmp(how, "ended") == 0 && !c->talk.spoke && c->talk.calls == 0) {
		if (text[0] != '\0') {
			ks_talk_text(&c->talk, KS_EV_AGENT_SAID, "", ks_str_of(text));
		} else {
			how = "error";
			ks_buf_adds(&why, "the turn ended without a word and without a tool call");
		}
	}
	ks_jw_members(&w, &usage);
	ks_jw_str(&w, "scope", "turn");
	if (ks_claude_usage_write(&w, line->doc)) {
		ks_talk_usage_now(&c->talk, ks_buf_str(&usage));
	}
	ks_buf_fini(&usage);
	ks_timer_cancel(c->patience);
	ks_program_idle(c->program);
	ks_talk_end(&c->talk, how, ks_buf_str(&why), ks_json_get_str(line->doc, "stop_reason",
		ks_json_get_str(line->doc, "subtype", "")));
	ks_buf_fini(&why);
}

/* ---- its questions ---- */

static void option(struct ks_jw *w, const char *id, const char *name)
{
	ks_jw_open(w, NULL);
	ks_jw_str(w, "id", id);
	ks_jw_str(w, "name", name);
	ks_jw_str(w, "kind", id);
	ks_jw_close(w);
}

static void ask_form(struct ks_cc *c, const struct ks_claude *line)
{
	struct ks_buf text = {0}, fields = {0};
	struct ks_report r;
	struct ks_jw w;

	ks_jw_members(&w, &fields);
	ks_claude_form_write(&w, line->input, &text);
	ks_talk_form(&c->talk, &r, line->call, line->request,
		ks_json_copy(ks_json_get(line->doc, "request")));
	ks_jw_slice(&r.w, "text", ks_buf_str(&text));
	ks_buf_addc(&r.fields, ',');
	ks_buf_addstr(&r.fields, ks_buf_str(&fields));
	ks_report_send(&r, &c->agent, KS_EV_AGENT_ASKED, KS_BY_AGENT);
	ks_buf_fini(&text);
	ks_buf_fini(&fields);
}

static void ask_permission(struct ks_cc *c, const struct ks_claude *line)
{
	struct ks_buf text = {0};
	struct ks_sight sight = {.call = line->call, .name = line->tool, .fresh = true,
		.begun = true, .status = -1, .path = ks_tool_path(line->input),
		.parent = line->parent};
	struct ks_report r;

	ks_tool_text(&text, line->input);
	sight.text = ks_buf_str(&text);
	if (line->call[0] != '\0') {
		ks_talk_sight(&c->talk, &sight);
	}
	ks_talk_permission(&c->talk, &r, line->call, line->request,
		ks_json_copy(ks_json_get(line->doc, "request")));
	if (line->call[0] == '\0') {
		ks_jw_str(&r.w, "tool", ks_tool_word("", line->tool, sight.text));
		ks_jw_str(&r.w, "title", line->tool);
		ks_jw_slice(&r.w, "text", sight.text);
	}
	ks_jw_open_array(&r.w, "options");
	option(&r.w, "allow_once", "Allow once");
	if (ks_json_count(line->suggestions) > 0) {
		option(&r.w, "allow_always", "Allow always");
	}
	option(&r.w, "reject_once", "Reject");
	ks_jw_close_array(&r.w);
	ks_report_send(&r, &c->agent, KS_EV_PERMISSION_ASKED, KS_BY_AGENT);
	ks_buf_fini(&text);
}

static void asks(struct ks_cc *c, const struct ks_claude *line)
{
	bool form = ks_claude_asks(line->tool, line->input);
	struct ks_buf out = {0};

	ks_talk_announce(&c->talk);
	ks_talk_flush(&c->talk);
	if (c->talk.cancelling || ks_program_ending(c->program) || !ks_talk_may_ask(&c->talk)) {
		ks_claude_deny(&out, line->request, "The turn is being interrupted.", false);
		ks_cc_send(c, &out);
	} else if (form && !c->forms) {
		ks_claude_allow(&out, line->request, line->input, NULL, (struct ks_str){0});
		ks_cc_send(c, &out);
	} else if (form) {
		ask_form(c, line);
	} else {
		ask_permission(c, line);
	}
}

static void withdrew(struct ks_cc *c, const struct ks_claude *line)
{
	struct ks_ask *ask = ks_talk_ask_wire(&c->talk, line->request);

	if (ask != NULL) {
		ks_talk_void(&c->talk, ask, "withdrawn");
	}
}

/* ---- lines ---- */

static void noise(struct ks_cc *c, struct ks_str line)
{
	ks_program_noise(c->program, line);
	if (++c->noise == NOISE_TOLD && c->phase == KS_CC_STARTING) {
		ks_talk_notice(&c->talk, "warn",
			"the agent prints text where its protocol should be; "
			"the last line: %.*s", (int)(line.len < 300 ? line.len : 300), line.ptr);
	}
}

static void take_retry(struct ks_cc *c, const struct ks_json *doc)
{
	ks_talk_notice(&c->talk, "quiet", "the agent asks its model again (%lld of %lld): %.200s",
		(long long)ks_json_get_int(doc, "attempt", 0),
		(long long)ks_json_get_int(doc, "max_retries", 0),
		ks_json_get_str(doc, "error", ""));
}

void ks_cc_line(void *ctx, struct ks_str text)
{
	struct ks_cc *c = ctx;
	struct ks_claude line;
	struct ks_buf out = {0};

	ks_talk_heard(&c->talk);
	if (ks_claude_parse(&line, text, NULL) < 0) {
		noise(c, text);
		return;
	}
	switch (line.kind) {
	case KS_CLAUDE_INIT:
		awake(c, true);
		take_init(c, &line);
		break;
	case KS_CLAUDE_ASSISTANT:
		awake(c, false);
		assistant(c, &line);
		break;
	case KS_CLAUDE_USER:
		user(c, &line);
		break;
	case KS_CLAUDE_TAKEN:
		took(c, line.id);
		break;
	case KS_CLAUDE_DROPPED:
		dropped(c, line.id);
		break;
	case KS_CLAUDE_RESULT:
		result(c, &line);
		break;
	case KS_CLAUDE_RETRY:
		take_retry(c, line.doc);
		break;
	case KS_CLAUDE_PERMISSION:
		asks(c, &line);
		break;
	case KS_CLAUDE_REQUEST:
		ks_claude_refuse(&out, line.request, "kseek does not know this request");
		ks_cc_send(c, &out);
		break;
	case KS_CLAUDE_WITHDRAWN:
		withdrew(c, &line);
		break;
	case KS_CLAUDE_RESPONSE:
		responded(c, &line);
		break;
	default:
		break;
	}
	ks_claude_fini(&line);
}
