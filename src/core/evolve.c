/*
 * The fold's entry: one table from kind to function, the events of campaign,
 * engine, agent and turn, and the rows of the live view. It never fails: a log
 * is history, and what cannot be used is passed over. Common kinds allocate
 * nothing but their row.
 */
#include "core/state.h"

#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "core/fold.h"
#include "core/moment.h"

typedef void fold_fn(struct ks_state *state, const struct ks_event *event);

void ks_fold_text(char *out, size_t size, const struct ks_json *doc, const char *key)
{
	const char *text = ks_json_get_str(doc, key, "");
	size_t len = strlen(text);

	if (len >= size) {
		len = ks_utf8_cut(text, len, size - 1);
	}
	memcpy(out, text, len);
	out[len] = '\0';
}

int ks_fold_int(const struct ks_json *doc, const char *key, int fallback)
{
	int64_t n = ks_json_get_int(doc, key, fallback);

	return n < -1000000000 || n > 1000000000 ? fallback : (int)n;
}

size_t ks_fold_row(struct ks_state *state, const struct ks_event *event)
{
	struct ks_row *row;

	if (state->n_rows == state->cap_rows) {
		ks_grow(&state->rows, &state->cap_rows, state->n_rows + 1,
			sizeof(state->rows[0]));
	}
	row = &state->rows[state->n_rows];
	*row = (struct ks_row){.seq = event->seq,
		.kind = (uint16_t)event->kind};
	return state->n_rows++;
}

void ks_fold_row_end(struct ks_state *state, size_t row, const struct ks_event *event)
{
	struct ks_row *r;

	if (row >= state->n_rows) {
		return;
	}
	r = &state->rows[row];
	if (event->seq > r->seq && event->seq - r->seq <= UINT32_MAX) {
		r->end = (uint32_t)(event->seq - r->seq);
	}
}

static void set_agent(struct ks_state *state, const struct ks_event *event,
	enum ks_agent_status status)
{
	state->agent = status;
	state->agent_t = event->t;
}

static void campaign_created(struct ks_state *state, const struct ks_event *event)
{
	const struct ks_json *doc = event->doc;
	int mode = ks_mode_from_name(ks_json_get_str(doc, "mode", NULL));

	ks_fold_text(state->id, sizeof(state->id), doc, "id");
	ks_fold_text(state->name, sizeof(state->name), doc, "name");
	ks_fold_text(state->target, sizeof(state->target), doc, "target");
	ks_fold_text(state->arch, sizeof(state->arch), doc, "arch");
	ks_fold_text(state->machine, sizeof(state->machine), doc, "machine");
	ks_fold_text(state->agent_label, sizeof(state->agent_label), doc, "agent");
	state->manual = strcmp(state->agent_label, "manual") == 0;
	ks_fold_text(state->tree, sizeof(state->tree), doc, "tree");
	free(state->definition_name);
	state->definition_name = ks_strdup(ks_json_get_str(doc, "problem", ""));
	free(state->definition_tags);
	state->definition_tags = ks_strdup(ks_json_get_str(doc, "tags", ""));
	state->created_t = event->t;
	const struct ks_json *probe = ks_json_get(doc, "probe");
	state->bandwidth_gbs = ks_json_get_num(probe, "bandwidth_gbs", 0);
	state->processors = ks_json_get_int(probe, "sms", 0);
	state->l2_bytes = ks_json_get_int(probe, "l2_bytes", 0);
	state->threads = ks_json_get_int(doc, "threads", 1);
	if (mode >= 0) {
		state->mode = (enum ks_mode)mode;
	}
	ks_fold_text(state->yardstick, sizeof(state->yardstick), ks_json_get(doc, "yardstick"),
		"name");
	state->yardstick_recorded = ks_json_get_bool(ks_json_get(doc, "yardstick"), "recorded",
		false);
	ks_fold_goal_lines(state, ks_json_get(doc, "goal"));
	ks_fold_seed(state, event);
	state->best_t = event->t;
}

/* Biases and the seed's times say nothing about another machine. */
static void forget_history(struct ks_state *state)
{
	for (size_t i = 0; i < state->n_scenarios; i++) {
		state->scenarios[i].biases = state->scenarios[i].seeds = 0;
		state->scenarios[i].bias = state->scenarios[i].seed_log = 0;
	}
}

static void engine_started(struct ks_state *state, const struct ks_event *event)
{
	char host[sizeof(state->host)] = "";

	ks_fold_text(host, sizeof(host), event->doc, "host");
	if (state->host[0] != '\0' && strcmp(host, state->host) != 0) {
		forget_history(state);
	}
	memcpy(state->host, host, sizeof(host));
	state->engine_running = true;
	state->log_stopped = false;
}

/* What an engine that died left running is over: its agent and evaluations
 * were its children. */
static void engine_gone(struct ks_state *state, const struct ks_event *event)
{
	if (state->agent == KS_AGENT_WORKING || state->agent == KS_AGENT_WAITING) {
		set_agent(state, event, KS_AGENT_ABSENT);
	}
	state->draft_until = 0;
	state->n_asks = 0;
	state->eval = (struct ks_eval_state){.candidate = -1};
	state->eval_queue = 0;
	for (int i = 0; i < KS_TOOLS_KEPT; i++) {
		if (state->tools[i].ended_t == 0) {
			state->tools[i].ended_t = event->t;
		}
	}
}

static void engine(struct ks_state *state, const struct ks_event *event)
{
	engine_gone(state, event);
	if (event->kind == KS_EV_ENGINE_STARTED) {
		engine_started(state, event);
	} else {
		state->engine_running = false;
	}
}

static void agent_started(struct ks_state *state, const struct ks_event *event)
{
	char driver[16];

	ks_fold_text(driver, sizeof(driver), event->doc, "driver");
	if (ks_json_get_str(event->doc, "label", "")[0] != '\0') {
		ks_fold_text(state->agent_label, sizeof(state->agent_label),
			event->doc, "label");
	}
	state->manual = strcmp(driver, "manual") == 0;
	memcpy(state->driver, driver, sizeof(state->driver));
	state->steers = false;
	state->n_agent_modes = 0;
	state->agent_mode[0] = state->agent_version[0] = '\0';
	state->briefed = false;
	state->how = KS_HOW_NONE;
	state->idle_turns = 0;
	state->n_asks = 0;
	set_agent(state, event, KS_AGENT_WAITING);
}

static void agent_exited(struct ks_state *state, const struct ks_event *event)
{
	bool failed = ks_fold_int(event->doc, "status", 0) != 0
		|| ks_fold_int(event->doc, "signal", 0) != 0;

	set_agent(state, event, failed ? KS_AGENT_DEAD : KS_AGENT_ABSENT);
	state->draft_until = 0;
	state->n_asks = 0;
	ks_fold_text(state->tail, sizeof(state->tail), event->doc, "tail");
}

static void turn_started(struct ks_state *state, const struct ks_event *event)
{
	state->turns++;
	state->turn_t = event->t;
	state->calls_turn = 0;
	state->how = KS_HOW_NONE;
	state->draft_until = 0;
	set_agent(state, event, KS_AGENT_WORKING);
}

static void turn_ended(struct ks_state *state, const struct ks_event *event)
{
	enum ks_how how = ks_how_from_name(ks_json_get_str(event->doc, "how", "ended"));

	state->how = how == KS_HOW_NONE ? KS_HOW_ENDED : how;
	if (how == KS_HOW_ERROR) {
		state->retries++;
		if (state->turns == 1 && state->calls_turn == 0) {
			state->briefed = false;
		}
	} else {
		state->retries = 0;
	}
	if (how == KS_HOW_ENDED) {
		state->idle_turns = state->calls_turn == 0
			? state->idle_turns + 1 : 0;
	}
	if (state->agent == KS_AGENT_WORKING) {
		set_agent(state, event, KS_AGENT_WAITING);
	}
}

static void mode_set(struct ks_state *state, const struct ks_event *event)
{
	int mode = ks_mode_from_name(ks_json_get_str(event->doc, "mode", NULL));

	if (mode >= 0) {
		state->mode = (enum ks_mode)mode;
		state->draft_until = 0;
	}
}

static void note_added(struct ks_state *state, const struct ks_event *event)
{
	state->notes++;
}

/* An agent that kseek did not start was sent back, or may stop. */
static void hook_ran(struct ks_state *state, const struct ks_event *event)
{
	if (strcmp(ks_json_get_str(event->doc, "decision", ""), "block") == 0) {
		state->sent_back++;
		state->sent_back_t = event->t;
	}
}

static void unknown(struct ks_state *state, const struct ks_event *event)
{
	state->unknown++;
}

/* What a kind does, and whether it is a row of the live view by itself. Kinds
 * whose row needs more than that (calls, evaluations) make it themselves. */
static const struct {
	fold_fn *fold;
	bool row;
} table[KS_EV_COUNT] = {
	[KS_EV_UNKNOWN] = {unknown, true},
	[KS_EV_CAMPAIGN_CREATED] = {campaign_created, true},
	[KS_EV_SCENARIO_DECLARED] = {ks_fold_scenario, false},
	[KS_EV_ENGINE_STARTED] = {engine, true},
	[KS_EV_ENGINE_STOPPED] = {engine, true},
	[KS_EV_AGENT_STARTED] = {agent_started, true},
	[KS_EV_AGENT_EXITED] = {agent_exited, true},
	[KS_EV_TURN_STARTED] = {turn_started, false},
	[KS_EV_TURN_ENDED] = {turn_ended, true},
	[KS_EV_MESSAGE_QUEUED] = {ks_fold_message, false},
	[KS_EV_MESSAGE_SENT] = {ks_fold_message, false},
	[KS_EV_ACT_CORRECTED] = {ks_fold_act, false},
	[KS_EV_MESSAGE_REVISED] = {ks_fold_message, false},
	[KS_EV_HOOK_RAN] = {hook_ran, true},
	[KS_EV_PROCESS_RAN] = {ks_fold_process, false},
	[KS_EV_PERMISSION_ASKED] = {ks_fold_ask, true},
	[KS_EV_PERMISSION_ANSWERED] = {ks_fold_ask, false},
	[KS_EV_AGENT_ASKED] = {ks_fold_ask, true},
	[KS_EV_AGENT_ANSWERED] = {ks_fold_ask, false},
	[KS_EV_AGENT_SESSION] = {ks_fold_self, false},
	[KS_EV_AGENT_MODE] = {ks_fold_self, false},
	[KS_EV_AGENT_USAGE] = {ks_fold_self, false},
	[KS_EV_AGENT_PLAN] = {ks_fold_self, true},
	[KS_EV_AGENT_SAID] = {ks_fold_said, true},
	[KS_EV_AGENT_THOUGHT] = {NULL, true},
	[KS_EV_TOOL_STARTED] = {ks_fold_tool, false},
	[KS_EV_TOOL_ENDED] = {ks_fold_tool, false},
	[KS_EV_TOOL_UPDATED] = {ks_fold_tool, false},
	[KS_EV_FILE_CHANGED] = {ks_fold_changed, true},
	[KS_EV_EVAL_QUEUED] = {ks_fold_eval, false},
	[KS_EV_EVAL_STARTED] = {ks_fold_eval, false},
	[KS_EV_EVAL_SCENARIO] = {ks_fold_eval, false},
	[KS_EV_EVAL_EVIDENCE] = {NULL, true},
	[KS_EV_EVAL_FINISHED] = {ks_fold_eval, false},
	[KS_EV_EVAL_FAILED] = {ks_fold_eval, false},
	[KS_EV_CANDIDATE_COMMITTED] = {ks_fold_committed, false},
	[KS_EV_CHAMPION_CHANGED] = {ks_fold_champion, true},
	[KS_EV_GOAL_COMPUTED] = {ks_fold_goal, false},
	[KS_EV_GOAL_SENT_BACK] = {ks_fold_goal, false},
	[KS_EV_MOMENT_RAISED] = {ks_fold_moment, true},
	[KS_EV_MOMENT_ANSWERED] = {ks_fold_moment, false},
	[KS_EV_MOMENT_DISMISSED] = {ks_fold_moment, false},
	[KS_EV_MODE_SET] = {mode_set, true},
	[KS_EV_NOTE_ADDED] = {note_added, true},
	[KS_EV_NOTICE] = {NULL, true},
	[KS_EV_COMMAND_REFUSED] = {NULL, true},
	[KS_EV_LOG_HASH] = {NULL, false},
};

void ks_evolve(struct ks_state *state, const struct ks_event *event)
{
	enum ks_ev kind = (unsigned)event->kind < KS_EV_COUNT
		? event->kind : KS_EV_UNKNOWN;

	state->seq = event->seq;
	state->t = event->t;
	state->tool_now = -1;
	if (table[kind].row) {
		ks_fold_row(state, event);
	}
	if (table[kind].fold != NULL) {
		table[kind].fold(state, event);
	}
	ks_scan_evolve(state->scan, state, event);
}
