/*
 * What an ACP agent says: answers to us, its requests, its updates.
 */
#include "agent/acp_impl.h"
#include "base/mem.h"
#include "wire/toolword.h"

#define NOISE_TOLD 20

/* ---- usage ---- */

static void tell_usage(struct ks_acp *a, const struct ks_acp_usage *usage, const char *scope,
	bool now)
{
	struct ks_buf members = {0};
	struct ks_jw w;

	if (!usage->any) {
		return;
	}
	ks_jw_members(&w, &members);
	ks_jw_str(&w, "scope", scope);
	ks_acp_usage_write(&w, usage);
	if (now) {
		ks_talk_usage_now(&a->talk, ks_buf_str(&members));
	} else {
		ks_talk_usage(&a->talk, ks_buf_str(&members));
	}
	ks_buf_fini(&members);
}

/* ---- tool calls ---- */

/* What a call is about. A shell's place is the folder, which says nothing. */
static void call_text(struct ks_buf *out, const struct ks_acp_tool *tool)
{
	ks_tool_text(out, tool->input);
	if (out->len == 0 && tool->path != NULL && tool->kind != NULL &&
		strcmp(tool->kind, "execute") != 0) {
		ks_buf_adds(out, tool->path);
	}
}

static void call_output(struct ks_buf *out, const struct ks_acp_tool *tool, bool ended)
{
	if (tool->delta != NULL) {
		ks_buf_adds(out, tool->delta);
	} else if (ended) {
		ks_tool_output(out, tool->output);
		if (out->len == 0 && tool->content != NULL) {
			ks_acp_text(out, tool->content);
		}
	} else if (tool->status == KS_ACP_RUNNING && tool->content != NULL) {
		ks_acp_text(out, tool->content);
	}
}

static void see_tool(struct ks_acp *a, const struct ks_json *node, bool asks)
{
	struct ks_buf text = {0}, output = {0};
	struct ks_acp_tool tool;
	struct ks_sight sight;
	bool ended;

	ks_acp_tool(&tool, node);
	if (tool.id[0] == '\0') {
		return;
	}
	ended = !asks && (tool.status == KS_ACP_DONE || tool.status == KS_ACP_FAILED);
	call_text(&text, &tool);
	call_output(&output, &tool, ended);
	sight = (struct ks_sight){
		.call = tool.id, .name = tool.name, .kind = tool.kind, .title = tool.title,
		.fresh = asks || (!ended &&
			strcmp(ks_json_get_str(node, "sessionUpdate", ""), "tool_call") == 0),
		.parent = tool.parent, .text = ks_buf_str(&text),
		.path = tool.kind != NULL && strcmp(tool.kind, "execute") == 0 ? NULL : tool.path,
		.begun = asks || tool.status >= KS_ACP_RUNNING,
		.ended = ended, .ok = tool.status == KS_ACP_DONE && tool.exit <= 0,
		.status = tool.exit, .has_output = output.len > 0, .more = tool.delta != NULL,
		.output = ks_buf_str(&output),
		.has_diff = tool.diff != NULL,
		.before = ks_json_get_str(tool.diff, "oldText", NULL),
		.after = ks_json_get_str(tool.diff, "newText", NULL),
	};
	ks_talk_sight(&a->talk, &sight);
	ks_buf_fini(&text);
	ks_buf_fini(&output);
}

/* ---- the end of a turn ---- */

/* Lines that agents put into their messages about themselves. */
static struct ks_str without_notes(struct ks_str text)
{
	static const char *const notes[] = {"Info:", "Warning:"};
	bool found = true;

	while (found) {
		struct ks_str rest, line;

		found = false;
		text = ks_str_trim(text);
		rest = text;
		for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]) && !found; i++) {
			found = ks_str_starts(text, notes[i]) && ks_str_next(&rest, '\n', &line);
		}
		text = rest;
	}
	return text;
}

static const char *classify(struct ks_acp *a, const char *stop, const struct ks_acp_usage *usage,
	struct ks_buf *why)
{
	const char *how = ks_acp_how(stop);
	struct ks_str last = without_notes(ks_buf_str(&a->talk.last));
	bool weak, unused = usage->output <= 0;

	if (a->talk.cancelling) {
		return "cancelled";
	}
	if (strcmp(how, "error") == 0) {
		ks_buf_addf(why, "the agent stopped: %s", stop);
	}
	/* Some give up their turn when they may not do a thing: nobody interrupted it. */
	if (strcmp(how, "cancelled") == 0 && a->rejected) {
		ks_talk_calls_end(&a->talk);
		return "ended";
	}
	if (strcmp(how, "ended") != 0) {
		return how;
	}
	if (ks_acp_is_error(last, &weak) && (!weak || (unused && a->talk.calls == 0))) {
		ks_buf_addstr(why, last);
		return "error";
	}
	if (a->trouble.len > 0 && unused) {
		ks_buf_addstr(why, ks_buf_str(&a->trouble));
		return "error";
	}
	if (!a->talk.spoke && a->talk.calls == 0) {
		ks_buf_adds(why, "the turn ended without a word and without a tool call");
		return "error";
	}
	return "ended";
}

static void turn_over(struct ks_acp *a, const char *how, struct ks_str why, const char *stop)
{
	a->by_status = false;
	ks_timer_cancel(a->patience);
	ks_program_idle(a->program);
	ks_talk_end(&a->talk, how, why, stop);
}

static void prompt_answered(struct ks_acp *a, const struct ks_rpc *rpc)
{
	struct ks_acp_usage usage;
	struct ks_buf why = {0};
	const char *stop, *how;

	a->asked = false;
	if (rpc->kind == KS_RPC_ERROR) {
		const char *details = ks_json_get_str(rpc->data, "details",
			ks_json_get_str(rpc->data, "message", ks_json_str(rpc->data, "")));

		ks_buf_adds(&why, rpc->error);
		if (details[0] != '\0' && strstr(rpc->error, details) == NULL) {
			ks_buf_addf(&why, ": %.2000s", details);
		}
		turn_over(a,
			a->talk.cancelling || rpc->code == KS_RPC_CANCELLED ? "cancelled" : "error",
			ks_buf_str(&why), "");
		ks_buf_fini(&why);
		return;
	}
	stop = ks_json_get_str(rpc->result, "stopReason", "");
	ks_acp_usage(&usage, rpc->result);
	how = classify(a, stop, &usage, &why);
	tell_usage(a, &usage, ks_launch_usage(&a->launch, a->info), true);
	turn_over(a, how, ks_buf_str(&why), stop);
	ks_buf_fini(&why);
}

/* "startedNewTurn": the turn had ended when our words came. */
static void steered(struct ks_acp *a, const struct ks_rpc *rpc)
{
	if (rpc->kind == KS_RPC_ERROR) {
		ks_talk_notice(&a->talk, "warn",
			"the agent did not take the words during its turn: %.200s", rpc->error);
	} else if (strcmp(ks_json_get_str(rpc->result, "outcome", ""), "startedNewTurn") == 0 &&
		!a->talk.in_turn) {
		ks_talk_begin(&a->talk, a->steered);
		a->by_status = true;
	}
}

static void answered(struct ks_acp *a, const struct ks_rpc *rpc)
{
	for (size_t i = 0; i < a->n_pending; i++) {
		enum ks_acp_what what = a->pending[i].what;

		if (a->pending[i].number != rpc->number) {
			continue;
		}
		a->pending[i] = a->pending[--a->n_pending];
		if (what == KS_ACP_PROMPT) {
			prompt_answered(a, rpc);
		} else if (what == KS_ACP_STEER) {
			steered(a, rpc);
		} else if (a->phase != KS_ACP_LEAVING) {
			ks_acp_opened(a, what, rpc);
		}
		return;
	}
}

/* ---- updates ---- */

static void take_info(struct ks_acp *a, const struct ks_json *update)
{
	const struct ks_json *codex = ks_json_get(ks_json_get(update, "_meta"), "codex");
	const struct ks_json *error = ks_json_get(codex, "error");
	const char *status = ks_json_get_str(ks_json_get(codex, "threadStatus"), "type", "");

	if (error != NULL) {
		ks_buf_clear(&a->trouble);
		ks_buf_addf(&a->trouble, "%.1000s", ks_json_get_str(error, "additionalDetails",
			ks_json_get_str(error, "message",
			"an error that the agent does not name")));
		ks_talk_notice(&a->talk, "quiet", "the agent: %.200s",
			ks_json_get_str(error, "message", a->trouble.ptr));
	}
	if (a->by_status && strcmp(status, "idle") == 0) {
		turn_over(a, a->talk.cancelling ? "cancelled" : "ended", (struct ks_str){0}, "");
	}
}

static void take_text(struct ks_acp *a, enum ks_ev kind, const struct ks_json *update)
{
	struct ks_buf text = {0};
	struct ks_acp_usage usage;

	ks_acp_text(&text, ks_json_get(update, "content"));
	ks_talk_text(&a->talk, kind, ks_json_get_str(update, "messageId", ""), ks_buf_str(&text));
	ks_buf_fini(&text);
	ks_acp_usage(&usage, update);
	tell_usage(a, &usage, "request", false);
}

static void take_plan(struct ks_acp *a, const struct ks_json *update)
{
	struct ks_report r;

	ks_talk_announce(&a->talk);
	ks_talk_flush(&a->talk);
	ks_report_begin(&r);
	ks_acp_plan_write(&r.w, update);
	ks_report_send(&r, &a->agent, KS_EV_AGENT_PLAN, KS_BY_AGENT);
}

static void take_update(struct ks_acp *a, const struct ks_json *params)
{
	const struct ks_json *update = ks_json_get(params, "update");
	const char *session = ks_json_get_str(params, "sessionId", "");
	struct ks_acp_usage usage;
	struct ks_acp_modes modes;

	if (a->loading || a->session == NULL || strcmp(session, a->session) != 0) {
		return;
	}
	switch (ks_acp_update(update)) {
	case KS_ACP_SAID:
		take_text(a, KS_EV_AGENT_SAID, update);
		break;
	case KS_ACP_THOUGHT:
		take_text(a, KS_EV_AGENT_THOUGHT, update);
		break;
	case KS_ACP_TOOL:
		see_tool(a, update, false);
		break;
	case KS_ACP_PLAN:
		take_plan(a, update);
		break;
	case KS_ACP_USAGE:
		ks_acp_usage(&usage, update);
		tell_usage(a, &usage, "session", false);
		break;
	case KS_ACP_MODE:
		ks_acp_take_mode(a, ks_json_get_str(update, "currentModeId", NULL));
		break;
	case KS_ACP_CONFIG:
		if (ks_acp_modes(&modes, update) && modes.current[0] != '\0') {
			ks_acp_take_mode(a, modes.current);
		}
		break;
	case KS_ACP_INFO:
		take_info(a, update);
		break;
	default:
		break;
	}
}

/* ---- its requests ---- */

static void refuse(struct ks_acp *a, const struct ks_rpc *rpc, int code, const char *why)
{
	struct ks_buf line = {0};

	ks_rpc_refuse(&line, ks_buf_str(&rpc->id), code, why);
	ks_acp_send(a, &line);
}

static void reply(struct ks_acp *a, const struct ks_rpc *rpc, struct ks_buf *result)
{
	struct ks_buf line = {0};

	ks_rpc_result(&line, ks_buf_str(&rpc->id), ks_buf_str(result));
	ks_buf_fini(result);
	ks_acp_send(a, &line);
}

static bool takes_questions(const struct ks_acp *a)
{
	return a->phase == KS_ACP_READY && !(a->talk.in_turn && a->talk.cancelling) &&
		!ks_program_ending(a->program) && ks_talk_may_ask(&a->talk);
}

static void asks_permission(struct ks_acp *a, const struct ks_rpc *rpc)
{
	const struct ks_json *call = ks_json_get(rpc->params, "toolCall");
	const struct ks_json *options = ks_json_get(rpc->params, "options");
	struct ks_buf result = {0};
	struct ks_report r;

	if (!takes_questions(a)) {
		ks_acp_permit(&result, NULL);
		reply(a, rpc, &result);
		return;
	}
	see_tool(a, call, true);
	ks_talk_announce(&a->talk);
	ks_talk_flush(&a->talk);
	ks_talk_permission(&a->talk, &r, ks_json_get_str(call, "toolCallId", ""), rpc->id.ptr,
		ks_json_copy(rpc->params));
	ks_acp_options_write(&r.w, options);
	ks_report_send(&r, &a->agent, KS_EV_PERMISSION_ASKED, KS_BY_AGENT);
}

static void elicits(struct ks_acp *a, const struct ks_rpc *rpc)
{
	const char *mode = ks_json_get_str(rpc->params, "mode", "form");
	struct ks_buf result = {0};
	struct ks_report r;

	if (!a->forms || strcmp(mode, "form") != 0 || !takes_questions(a)) {
		ks_acp_elicited(&result, a->talk.cancelling ? "cancel" : "decline",
			(struct ks_str){0});
		reply(a, rpc, &result);
		return;
	}
	ks_talk_announce(&a->talk);
	ks_talk_flush(&a->talk);
	ks_talk_form(&a->talk, &r, ks_json_get_str(rpc->params, "toolCallId", ""), rpc->id.ptr,
		NULL);
	ks_jw_str(&r.w, "text", ks_json_get_str(rpc->params, "message", ""));
	ks_acp_form_write(&r.w, ks_json_get(rpc->params, "requestedSchema"));
	ks_report_send(&r, &a->agent, KS_EV_AGENT_ASKED, KS_BY_AGENT);
}

static void requested(struct ks_acp *a, const struct ks_rpc *rpc)
{
	if (strcmp(rpc->method, "session/request_permission") == 0) {
		asks_permission(a, rpc);
	} else if (strcmp(rpc->method, "elicitation/create") == 0) {
		elicits(a, rpc);
	} else {
		refuse(a, rpc, KS_RPC_NO_METHOD, "Method not found");
	}
}

/* "$/cancel_request": what it asked is void. */
static void withdrew(struct ks_acp *a, const struct ks_json *params)
{
	struct ks_buf id = {0}, line = {0};
	struct ks_ask *ask;

	ks_json_print(ks_json_get(params, "requestId") != NULL ? ks_json_get(params, "requestId")
		: ks_json_get(params, "id"), &id);
	ask = ks_talk_ask_wire(&a->talk, id.ptr != NULL ? id.ptr : "");
	if (ask != NULL) {
		ks_rpc_refuse(&line, ks_buf_str(&id), KS_RPC_CANCELLED, "cancelled");
		ks_acp_send(a, &line);
		ks_talk_void(&a->talk, ask, "withdrawn");
	}
	ks_buf_fini(&id);
}

/* ---- lines ---- */

static void noise(struct ks_acp *a, struct ks_str line)
{
	ks_program_noise(a->program, line);
	if (++a->noise == NOISE_TOLD && !a->known) {
		ks_talk_notice(&a->talk, "warn",
			"the agent prints text where its protocol should be; "
			"the last line: %.*s", (int)(line.len < 300 ? line.len : 300), line.ptr);
	}
}

void ks_acp_line(void *ctx, struct ks_str line)
{
	struct ks_acp *a = ctx;
	struct ks_rpc rpc;

	ks_talk_heard(&a->talk);
	if (ks_rpc_parse(&rpc, line, NULL) < 0) {
		noise(a, line);
		return;
	}
	switch (rpc.kind) {
	case KS_RPC_REQUEST:
		requested(a, &rpc);
		break;
	case KS_RPC_NOTIFY:
		if (strcmp(rpc.method, "session/update") == 0) {
			take_update(a, rpc.params);
		} else if (strcmp(rpc.method, "$/cancel_request") == 0) {
			withdrew(a, rpc.params);
		}
		break;
	default:
		answered(a, &rpc);
		break;
	}
	ks_rpc_fini(&rpc);
}
