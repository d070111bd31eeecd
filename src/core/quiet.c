/*
 * Quiet notes: habits that a person may want to know of and that are no reason to
 * interrupt anyone. Each is one notice of level quiet, and none of a kind again
 * within policy->quiet_distance calls. Counting is a part of the fold
 * (ks_quiet_evolve); that a note was given is read back from the log.
 */
#include <string.h>

#include "base/plural.h"
#include "base/sane.h"
#include "core/fields.h"
#include "core/scan.h"

#define PRINTED_LEAST (32 * 1024)

static const char *const names[KS_QUIETS] = {
	[KS_QUIET_REPEAT] = "repeat", [KS_QUIET_REREAD] = "reread",
	[KS_QUIET_EDITS] = "edits", [KS_QUIET_SEALED] = "sealed",
};

const char *ks_quiet_name(enum ks_quiet kind)
{
	return (unsigned)kind < KS_QUIETS ? names[kind] : "";
}

int ks_quiet_of(const char *name)
{
	for (int k = 0; k < KS_QUIETS; k++) {
		if (strcmp(name, names[k]) == 0) {
			return k;
		}
	}
	return -1;
}

void ks_quiet_fields(const struct ks_note *note, struct ks_buf *out)
{
	struct ks_fields f;

	ks_fields_init(&f);
	ks_jw_str(&f.w, "text", note->text);
	ks_jw_str(&f.w, "level", "quiet");
	ks_jw_str(&f.w, "about", ks_quiet_name(note->kind));
	ks_fields_take(&f, out);
}

bool ks_path_is_sealed(const char *path)
{
	return strncmp(path, "problem/", 8) == 0 || strstr(path, "/problem/") != NULL;
}

/* ---- counting ---- */

/* The call that the event ended, NULL for one that is not known. */
static const struct ks_tool *ended_now(const struct ks_state *state)
{
	return state->tool_now >= 0 ? &state->tools[state->tool_now] : NULL;
}

/* What a call printed; older output counts half each KS_LAYERS_HALF_LIFE calls,
 * as everywhere. */
static void printed(struct ks_scan *scan, const struct ks_tool *tool,
	const struct ks_event *event)
{
	int64_t bytes = ks_json_get_int(event->doc, "bytes",
		(int64_t)strlen(ks_json_get_str(event->doc, "text", "")));
	double n = bytes > 0 ? (double)bytes : 0;

	scan->printed = scan->printed * KS_LAYERS_DECAY + n;
	scan->printed_own = scan->printed_own * KS_LAYERS_DECAY
		+ ((tool->effort & KS_EFFORT_OWN_SOURCE) != 0 ? n : 0);
}

static void tool_ended(struct ks_scan *scan, const struct ks_state *state,
	const struct ks_event *event)
{
	const struct ks_tool *tool = ended_now(state);

	if (tool == NULL) {
		return;
	}
	printed(scan, tool, event);
	if (tool->edits && tool->ok && !ks_path_is_sealed(tool->path)) {
		scan->edits++;
	} else if ((tool->effort & ~(unsigned)(KS_EFFORT_OWN_SOURCE | KS_EFFORT_DOCS
		| KS_EFFORT_BUILD | KS_EFFORT_SUBAGENT)) != 0) {
		scan->edits = 0;
	}
}

void ks_quiet_evolve(struct ks_scan *scan, const struct ks_state *state,
	const struct ks_event *event)
{
	int kind;

	switch (event->kind) {
	case KS_EV_TOOL_ENDED:
		tool_ended(scan, state, event);
		break;
	case KS_EV_FILE_CHANGED:
		scan->edits += ks_path_is_sealed(ks_json_get_str(event->doc, "path", "")) ? 0 : 1;
		break;
	case KS_EV_EVAL_STARTED:
		scan->edits = 0;
		break;
	case KS_EV_NOTICE:
		kind = ks_quiet_of(ks_json_get_str(event->doc, "about", ""));
		if (kind >= 0) {
			scan->noted[kind] = state->calls + 1;
		}
		break;
	default:
		break;
	}
}

/* ---- finding ---- */

static bool repeated(const struct ks_state *state, const struct ks_policy *policy,
	const struct ks_event *event, char *out, size_t size)
{
	const struct ks_look *look = &state->look;
	const struct ks_candidate *c;
	char name[KS_CANDIDATE_TEXT];

	if (look->confirm || look->candidate <= 0 || look->partial
		|| look->eval != ks_json_get_int(event->doc, "eval", 0)) {
		return false;
	}
	c = &state->candidates[look->candidate];
	if (c->looks < policy->quiet_repeats) {
		return false;
	}
	snprintf(out, size, "%s was measured %d times without a change; the best of many "
		"looks is too good by luck", ks_candidate_name(name, c->number), c->looks);
	return true;
}

static bool reread(const struct ks_state *state, const struct ks_policy *policy,
	const struct ks_event *event, char *out, size_t size)
{
	const struct ks_scan *scan = state->scan;

	if (scan->printed < PRINTED_LEAST
		|| 100 * scan->printed_own < policy->quiet_own_pct * scan->printed) {
		return false;
	}
	snprintf(out, size, "%.0f %% of what the agent's calls printed lately is its own "
		"source", 100 * scan->printed_own / scan->printed);
	return true;
}

static bool unmeasured(const struct ks_state *state, const struct ks_policy *policy,
	const struct ks_event *event, char *out, size_t size)
{
	if (state->scan->edits < policy->quiet_edits) {
		return false;
	}
	snprintf(out, size, "%d edit%s since anything was measured", state->scan->edits,
		ks_s(state->scan->edits));
	return true;
}

static bool sealed(const struct ks_state *state, const struct ks_policy *policy,
	const struct ks_event *event, char *out, size_t size)
{
	(void)policy;
	const struct ks_tool *tool = event->kind == KS_EV_TOOL_ENDED
		? ended_now(state) : NULL;
	const char *path = tool != NULL && tool->edits && tool->ok ? tool->path
		: event->kind == KS_EV_FILE_CHANGED
		? ks_json_get_str(event->doc, "path", "") : "";
	char safe[96];

	if (!ks_path_is_sealed(path)) {
		return false;
	}
	ks_sane_into(safe, sizeof(safe), ks_str_of(path), KS_SANE_ONE_LINE);
	snprintf(out, size, "%s was edited; evaluations use the sealed copy, so this "
		"changes nothing", safe);
	return true;
}

bool ks_quiet_scan(const struct ks_state *state, const struct ks_policy *policy,
	const struct ks_event *event, struct ks_note *out)
{
	typedef bool find_fn(const struct ks_state *s, const struct ks_policy *p,
		const struct ks_event *e, char *text, size_t room);
	static const struct {
		find_fn *find;
		uint64_t at; /* kinds of events that it looks at */
	} habits[KS_QUIETS] = {
		[KS_QUIET_REPEAT] = {repeated, KS_EV_BIT(EVAL_FINISHED)},
		[KS_QUIET_REREAD] = {reread, KS_EV_BIT(TOOL_ENDED)},
		[KS_QUIET_EDITS] = {unmeasured, KS_EV_BIT(TOOL_ENDED) | KS_EV_BIT(FILE_CHANGED)},
		[KS_QUIET_SEALED] = {sealed, KS_EV_BIT(TOOL_ENDED) | KS_EV_BIT(FILE_CHANGED)},
	};

	for (int k = 0; k < KS_QUIETS; k++) {
		int noted = state->scan->noted[k];

		if ((habits[k].at & (UINT64_C(1) << event->kind)) == 0
			|| (noted > 0 && state->calls + 1 - noted < policy->quiet_distance)) {
			continue;
		}
		if (habits[k].find(state, policy, event, out->text, sizeof(out->text))) {
			out->kind = (enum ks_quiet)k;
			return true;
		}
	}
	return false;
}
