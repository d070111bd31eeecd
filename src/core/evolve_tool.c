/*
 * Tool calls in the fold: a ring of the last ones, the row of each, the map of
 * layers, and what followed the last message. A call that edits is classified
 * when it ends, since its diff arrives then; every other one when it starts.
 */
#include <string.h>

#include "core/fold.h"
#include "core/scan.h"

static struct ks_str member(const struct ks_json *doc, const char *key)
{
	return ks_str_of(ks_json_get_str(doc, key, ""));
}

/* What a call is, by the word that its event has for it; kind "" for others. */
struct family {
	const char *word, *kind;
	bool edits;
};

static const struct family *family_of(const char *word)
{
	static const struct family families[] = {
		{"shell", "execute", false}, {"read", "read", false}, {"edit", "edit", true},
		{"eval", "execute", false}, {"write", "edit", true},
		{"search", "search", false}, {"fetch", "fetch", false},
		{"agent", "think", false},
	}, other = {"other", "", false};

	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		if (strcmp(families[i].word, word) == 0) {
			return &families[i];
		}
	}
	return &other;
}

bool ks_fold_on_cpu(const struct ks_state *state)
{
	return strcmp(state->target, "cuda") != 0;
}

void ks_fold_call(struct ks_call *out, const struct ks_state *state,
	const struct ks_event *event)
{
	const struct ks_json *doc = event->doc;

	*out = (struct ks_call){
		.name = member(doc, "name"),
		.kind = ks_str_of(family_of(ks_json_get_str(doc, "tool", ""))->kind),
		.command = member(doc, "text"),
		.path = member(doc, "path"),
		.cpu = ks_fold_on_cpu(state),
	};
}

/* counted: the call is in the map already, and this is more of it. */
static const struct ks_call_class *classify(struct ks_state *state,
	const struct ks_call *call, bool counted)
{
	const struct ks_call_class *class = ks_memo_classify(state->memo, call);

	if (counted) {
		ks_layers_amend(&state->layers, class);
	} else {
		ks_layers_add(&state->layers, class);
	}
	if (class->kind == KS_CALL_MEASURE) {
		ks_fold_measured(state, class);
	}
	return class;
}

/* Sources that were printed say which layer was read, where the command did
 * not. */
static bool prints_unsaid(const struct ks_call_class *class)
{
	double said = 0;

	for (int i = 0; i < KS_LAYERS; i++) {
		said += class->attention[i];
	}
	return (class->effort & KS_EFFORT_OWN_SOURCE) != 0 && said == 0;
}

static void attend(struct ks_state *state, struct ks_str lines)
{
	struct ks_call_class class = {.kind = KS_CALL_READ};

	ks_layer_regions(class.attention, lines);
	ks_layers_amend(&state->layers, &class);
}

static void started(struct ks_state *state, const struct ks_event *event)
{
	const struct ks_json *doc = event->doc;
	int slot = state->calls % KS_TOOLS_KEPT;
	struct ks_tool *tool = &state->tools[slot];

	state->tool_now = slot;
	*tool = (struct ks_tool){.seq = event->seq, .t = event->t};
	ks_fold_text(tool->call, sizeof(tool->call), doc, "call");
	ks_fold_text(tool->name, sizeof(tool->name), doc, "name");
	ks_fold_text(tool->title, sizeof(tool->title), doc, "title");
	ks_fold_text(tool->path, sizeof(tool->path), doc, "path");
	tool->row = ks_fold_row(state, event);
	tool->edits = family_of(ks_json_get_str(doc, "tool", ""))->edits;
	state->calls++;
	state->calls_turn++;
	if (state->n_messages > 0) {
		state->messages[state->n_messages - 1].calls++;
	}
	if (state->steer >= 0 && (size_t)state->steer + 1 != state->n_messages) {
		state->messages[state->steer].calls++;
	}
	if (!tool->edits) {
		struct ks_call call;
		const struct ks_call_class *class;

		ks_fold_call(&call, state, event);
		class = classify(state, &call, false);
		tool->counted = true;
		tool->effort = class->effort;
		tool->layers = ks_call_layers(class);
		tool->prints = prints_unsaid(class);
	}
}

/* The running call with this id: what the event is about. */
static struct ks_tool *find_running(struct ks_state *state, const char *call)
{
	for (int back = 1; back <= KS_TOOLS_KEPT && back <= state->calls; back++) {
		struct ks_tool *tool =
			&state->tools[(state->calls - back) % KS_TOOLS_KEPT];

		if (tool->ended_t == 0 && strncmp(tool->call, call,
			sizeof(tool->call) - 1) == 0) {
			state->tool_now = (int)(tool - state->tools);
			return tool;
		}
	}
	return NULL;
}

/* What was not known when the call began. */
static void updated(struct ks_state *state, const struct ks_event *event)
{
	const struct ks_json *doc = event->doc;
	struct ks_tool *tool = find_running(state, ks_json_get_str(doc, "call", ""));
	struct ks_call call;

	if (tool == NULL) {
		return;
	}
	ks_fold_call(&call, state, event);
	if (call.name.len > 0) {
		ks_fold_text(tool->name, sizeof(tool->name), doc, "name");
	}
	if (ks_json_get_str(doc, "title", "")[0] != '\0') {
		ks_fold_text(tool->title, sizeof(tool->title), doc, "title");
	}
	if (call.path.len > 0) {
		ks_fold_text(tool->path, sizeof(tool->path), doc, "path");
	}
	if (tool->row < state->n_rows && event->seq - tool->seq <= UINT16_MAX) {
		state->rows[tool->row].more = (uint16_t)(event->seq - tool->seq);
	}
	if (family_of(ks_json_get_str(doc, "tool", ""))->edits) {
		tool->edits = true;
	} else if (call.command.len > 0 && !tool->edits) {
		const struct ks_call_class *class = classify(state, &call, true);

		tool->effort |= class->effort;
		tool->layers |= ks_call_layers(class);
		tool->prints = prints_unsaid(class);
	}
}

static void ended(struct ks_state *state, const struct ks_event *event)
{
	const struct ks_json *doc = event->doc;
	struct ks_tool *tool = find_running(state, ks_json_get_str(doc, "call", ""));

	if (tool == NULL) {
		ks_fold_row(state, event);
		return;
	}
	tool->ended_t = event->t;
	tool->ok = ks_json_get_bool(doc, "ok", true);
	ks_fold_row_end(state, tool->row, event);
	if (tool->edits) {
		struct ks_call call = {
			.name = ks_str_of(tool->name),
			.kind = KS_STR("edit"),
			.path = ks_str_of(tool->path[0] != '\0' ? tool->path : tool->title),
			.lines = member(doc, "diff"),
			.cpu = ks_fold_on_cpu(state),
		};

		tool->effort = classify(state, &call, tool->counted)->effort;
		state->edited = state->edited || tool->ok;
	} else if (tool->prints && tool->ok) {
		attend(state, member(doc, "text"));
	}
	ks_fold_printed(state, tool, ks_json_get_str(doc, "text", ""));
}

/* An edit that no call of an agent announced: a person's, or a program's. */
void ks_fold_changed(struct ks_state *state, const struct ks_event *event)
{
	struct ks_call call = {
		.kind = KS_STR("edit"),
		.path = member(event->doc, "path"),
		.lines = member(event->doc, "diff"),
		.cpu = ks_fold_on_cpu(state),
	};

	if (ks_path_is_sealed(ks_json_get_str(event->doc, "path", ""))) {
		return;
	}
	classify(state, &call, false);
	state->edited = true;
}

void ks_fold_evaluated(struct ks_state *state)
{
	const struct ks_call call = {
		.kind = KS_STR("execute"),
		.command = KS_STR("kseek eval"),
		.cpu = ks_fold_on_cpu(state),
	};

	classify(state, &call, false);
}

void ks_fold_tool(struct ks_state *state, const struct ks_event *event)
{
	if (event->kind == KS_EV_TOOL_STARTED) {
		started(state, event);
	} else if (event->kind == KS_EV_TOOL_UPDATED) {
		updated(state, event);
	} else {
		ended(state, event);
	}
}
