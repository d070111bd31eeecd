/*
 * Names of kinds and writers, and the reading of one line of the log. The
 * table below is the only place that knows which kinds exist; the order is the
 * enum's, and a sorted index finds a name by bisection.
 */
#include "core/event.h"

#include <string.h>

struct kind {
	const char *name;
	bool synced;
};

static const struct kind kinds[KS_EV_COUNT] = {
	[KS_EV_UNKNOWN] = {"unknown", false},
	[KS_EV_CAMPAIGN_CREATED] = {"campaign.created", true},
	[KS_EV_SCENARIO_DECLARED] = {"scenario.declared", false},
	[KS_EV_ENGINE_STARTED] = {"engine.started", false},
	[KS_EV_ENGINE_STOPPED] = {"engine.stopped", true},
	[KS_EV_AGENT_STARTED] = {"agent.started", false},
	[KS_EV_AGENT_EXITED] = {"agent.exited", false},
	[KS_EV_TURN_STARTED] = {"turn.started", false},
	[KS_EV_TURN_ENDED] = {"turn.ended", false},
	[KS_EV_MESSAGE_QUEUED] = {"message.queued", true},
	[KS_EV_MESSAGE_SENT] = {"message.sent", true},
	[KS_EV_AGENT_SAID] = {"agent.said", false},
	[KS_EV_AGENT_THOUGHT] = {"agent.thought", false},
	[KS_EV_TOOL_STARTED] = {"tool.started", false},
	[KS_EV_TOOL_ENDED] = {"tool.ended", false},
	[KS_EV_FILE_CHANGED] = {"file.changed", false},
	[KS_EV_EVAL_QUEUED] = {"eval.queued", false},
	[KS_EV_EVAL_STARTED] = {"eval.started", false},
	[KS_EV_EVAL_SCENARIO] = {"eval.scenario", false},
	[KS_EV_EVAL_EVIDENCE] = {"eval.evidence", false},
	[KS_EV_EVAL_FINISHED] = {"eval.finished", true},
	[KS_EV_EVAL_FAILED] = {"eval.failed", true},
	[KS_EV_CANDIDATE_COMMITTED] = {"candidate.committed", true},
	[KS_EV_CHAMPION_CHANGED] = {"champion.changed", true},
	[KS_EV_GOAL_COMPUTED] = {"goal.computed", true},
	[KS_EV_GOAL_SENT_BACK] = {"goal.sent_back", true},
	[KS_EV_MOMENT_RAISED] = {"moment.raised", false},
	[KS_EV_MOMENT_ANSWERED] = {"moment.answered", true},
	[KS_EV_MOMENT_DISMISSED] = {"moment.dismissed", true},
	[KS_EV_MODE_SET] = {"mode.set", true},
	[KS_EV_NOTE_ADDED] = {"note.added", true},
	[KS_EV_NOTICE] = {"notice", false},
	[KS_EV_COMMAND_REFUSED] = {"command.refused", false},
	[KS_EV_LOG_HASH] = {"log.hash", false},
	[KS_EV_TOOL_UPDATED] = {"tool.updated", false},
	[KS_EV_PERMISSION_ASKED] = {"permission.asked", false},
	[KS_EV_PERMISSION_ANSWERED] = {"permission.answered", true},
	[KS_EV_AGENT_ASKED] = {"agent.asked", false},
	[KS_EV_AGENT_ANSWERED] = {"agent.answered", true},
	[KS_EV_AGENT_SESSION] = {"agent.session", true},
	[KS_EV_AGENT_MODE] = {"agent.mode", false},
	[KS_EV_AGENT_USAGE] = {"agent.usage", false},
	[KS_EV_AGENT_PLAN] = {"agent.plan", false},
	[KS_EV_ACT_CORRECTED] = {"act.corrected", true},
	[KS_EV_PROCESS_RAN] = {"process.ran", false},
	[KS_EV_MESSAGE_REVISED] = {"message.revised", true},
	[KS_EV_HOOK_RAN] = {"hook.ran", true},
};

/* Kinds in the order of their names. */
static const unsigned char by_name[] = {
	KS_EV_ACT_CORRECTED,
	KS_EV_AGENT_ANSWERED, KS_EV_AGENT_ASKED, KS_EV_AGENT_EXITED,
	KS_EV_AGENT_MODE, KS_EV_AGENT_PLAN, KS_EV_AGENT_SAID,
	KS_EV_AGENT_SESSION, KS_EV_AGENT_STARTED, KS_EV_AGENT_THOUGHT,
	KS_EV_AGENT_USAGE, KS_EV_CAMPAIGN_CREATED, KS_EV_CANDIDATE_COMMITTED,
	KS_EV_CHAMPION_CHANGED, KS_EV_COMMAND_REFUSED, KS_EV_ENGINE_STARTED,
	KS_EV_ENGINE_STOPPED, KS_EV_EVAL_EVIDENCE, KS_EV_EVAL_FAILED,
	KS_EV_EVAL_FINISHED, KS_EV_EVAL_QUEUED, KS_EV_EVAL_SCENARIO,
	KS_EV_EVAL_STARTED, KS_EV_FILE_CHANGED, KS_EV_GOAL_COMPUTED,
	KS_EV_GOAL_SENT_BACK, KS_EV_HOOK_RAN, KS_EV_LOG_HASH, KS_EV_MESSAGE_QUEUED,
	KS_EV_MESSAGE_REVISED, KS_EV_MESSAGE_SENT, KS_EV_MODE_SET, KS_EV_MOMENT_ANSWERED,
	KS_EV_MOMENT_DISMISSED, KS_EV_MOMENT_RAISED, KS_EV_NOTE_ADDED,
	KS_EV_NOTICE, KS_EV_PERMISSION_ANSWERED, KS_EV_PERMISSION_ASKED,
	KS_EV_PROCESS_RAN,
	KS_EV_SCENARIO_DECLARED, KS_EV_TOOL_ENDED, KS_EV_TOOL_STARTED,
	KS_EV_TOOL_UPDATED, KS_EV_TURN_ENDED, KS_EV_TURN_STARTED,
};

static const char *const writers[] = {
	[KS_BY_OTHER] = "other", [KS_BY_HUMAN] = "human",
	[KS_BY_AGENT] = "agent", [KS_BY_EVALUATOR] = "evaluator",
	[KS_BY_ENGINE] = "engine",
};
#define WRITERS (sizeof(writers) / sizeof(writers[0]))

const char *ks_ev_name(enum ks_ev kind)
{
	if ((unsigned)kind >= KS_EV_COUNT) {
		return kinds[KS_EV_UNKNOWN].name;
	}
	return kinds[kind].name;
}

enum ks_ev ks_ev_from_name(const char *name)
{
	size_t lo = 0;
	size_t hi = sizeof(by_name);

	if (name == NULL) {
		return KS_EV_UNKNOWN;
	}
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int order = strcmp(name, kinds[by_name[mid]].name);

		if (order == 0) {
			return (enum ks_ev)by_name[mid];
		}
		if (order < 0) {
			hi = mid;
		} else {
			lo = mid + 1;
		}
	}
	return KS_EV_UNKNOWN;
}

const char *ks_by_name(enum ks_by by)
{
	return (unsigned)by < WRITERS ? writers[by] : writers[KS_BY_OTHER];
}

enum ks_by ks_by_from_name(const char *name)
{
	for (size_t i = 0; name != NULL && i < WRITERS; i++) {
		if (strcmp(name, writers[i]) == 0) {
			return (enum ks_by)i;
		}
	}
	return KS_BY_OTHER;
}

bool ks_ev_is_synced(enum ks_ev kind)
{
	return (unsigned)kind < KS_EV_COUNT && kinds[kind].synced;
}

static int read_envelope(struct ks_event *event, const struct ks_json *doc,
	struct ks_err *err)
{
	const char *kind = ks_json_get_str(doc, "kind", NULL);
	int64_t seq = ks_json_get_int(doc, "seq", 0);
	int64_t t = ks_json_get_int(doc, "t", -1);

	if (ks_json_type(doc) != KS_JSON_OBJECT) {
		return ks_err_set(err, KS_EINVAL, "event: not a JSON object");
	}
	if (kind == NULL || kind[0] == '\0') {
		return ks_err_set(err, KS_EINVAL, "event: no \"kind\"");
	}
	if (seq < 1) {
		return ks_err_set(err, KS_EINVAL,
			"event: \"seq\" is not a whole number from 1");
	}
	if (t < 0) {
		return ks_err_set(err, KS_EINVAL,
			"event %lld: \"t\" is not a time in microseconds",
			(long long)seq);
	}
	event->seq = seq;
	event->t = t;
	event->kind = ks_ev_from_name(kind);
	event->by = ks_by_from_name(ks_json_get_str(doc, "by", NULL));
	return 0;
}

int ks_event_parse(struct ks_event *out, struct ks_str line, struct ks_err *err)
{
	struct ks_event event = {0};
	struct ks_json *doc = NULL;
	int rc;

	if (line.len > KS_EVENT_LINE_MAX) {
		return ks_err_set(err, KS_EINVAL,
			"event: %zu bytes, a line holds at most %d",
			line.len, KS_EVENT_LINE_MAX);
	}
	rc = ks_json_parse(&doc, line.ptr, line.len, err);
	if (rc < 0) {
		ks_err_prefix(err, "event");
		return rc;
	}
	rc = read_envelope(&event, doc, err);
	if (rc < 0) {
		ks_json_free(doc);
		return rc;
	}
	event.doc = doc;
	event.raw = line;
	*out = event;
	return 0;
}

void ks_event_fini(struct ks_event *event)
{
	if (event == NULL) {
		return;
	}
	ks_json_free((struct ks_json *)(uintptr_t)event->doc);
	event->doc = NULL;
}
