/*
 * Processes that the agent's calls started, where a shim on its path saw them:
 * one process is one command, so nothing has to be guessed from shell text. Its
 * evidence goes to the call that it ran under, and only once for each kind of
 * effort, since the call's text may have said the same.
 */
#include <string.h>

#include "core/fold.h"

/* The call that a process ran under: by id, else the one that runs. */
static struct ks_tool *call_of(struct ks_state *state, const char *id)
{
	for (int back = 1; back <= KS_TOOLS_KEPT && back <= state->calls; back++) {
		struct ks_tool *tool = &state->tools[(state->calls - back) % KS_TOOLS_KEPT];
		bool same = id[0] != '\0' ? strncmp(tool->call, id, sizeof(tool->call) - 1) == 0
			: tool->ended_t == 0;

		if (same) {
			return tool;
		}
	}
	return NULL;
}

void ks_fold_process(struct ks_state *state, const struct ks_event *event)
{
	struct ks_call call = {
		.kind = KS_STR("execute"),
		.command = ks_str_of(ks_json_get_str(event->doc, "text", "")),
		.by_process = true,
		.cpu = ks_fold_on_cpu(state),
	};
	struct ks_tool *tool = call_of(state, ks_json_get_str(event->doc, "call", ""));
	const struct ks_call_class *class;

	if (call.command.len == 0) {
		return;
	}
	class = ks_memo_classify(state->memo, &call);
	if (class->effort == 0 || (tool != NULL && (class->effort & ~tool->effort) == 0)) {
		return;
	}
	if (tool != NULL) {
		tool->effort |= class->effort;
		tool->layers |= ks_call_layers(class);
	}
	ks_layers_amend(&state->layers, class);
	if (class->kind == KS_CALL_MEASURE) {
		ks_fold_measured(state, class);
	}
}
