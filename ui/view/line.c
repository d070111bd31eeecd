/*
 * One event, or one row of the live view (a call with its end), as a line: time,
 * glyph, who, text, and what stands at the right. One table from kind to
 * function. Text is foreign; it is made safe where it is drawn or printed.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/plural.h"
#include "base/sane.h"
#include "base/utf8.h"
#include "view/view.h"

/* Of an evaluation's evidence at most so many are read for their line. */
#define FOLD_READ 64

typedef void line_fn(struct ks_line *line, const struct ks_state *state,
	const struct ks_event *event);

static const char *str(const struct ks_event *event, const char *key)
{
	return ks_json_get_str(event->doc, key, "");
}

static void set(struct ks_line *line, enum ks_glyph glyph, unsigned style,
	const char *who)
{
	line->glyph = glyph;
	line->has_glyph = true;
	line->style = style;
	snprintf(line->who, sizeof(line->who), "%s", who);
}

static void plain(struct ks_line *line, unsigned style, const char *who)
{
	line->has_glyph = false;
	line->style = style;
	snprintf(line->who, sizeof(line->who), "%s", who);
}

static void of_created(struct ks_line *line, const struct ks_state *state,
	const struct ks_event *event)
{
	plain(line, KS_ROLE_DIM, "kseek");
	ks_buf_addf(&line->text, "campaign %s: problem %s on %s", str(event, "name"),
		str(event, "problem"), str(event, "arch"));
}

static void of_engine(struct ks_line *line, const struct ks_state *state,
	const struct ks_event *event)
{
	const char *word = event->kind == KS_EV_ENGINE_STARTED ? "started" : "stopped";
	const char *why = event->kind == KS_EV_ENGINE_STARTED ? "" : str(event, "why");

	plain(line, KS_ROLE_DIM, "engine");
	ks_buf_adds(&line->text, word);
	if (why[0] != '\0' && strcmp(why, word) != 0) {
		ks_buf_addf(&line->text, ": %s", why);
	}
}

static void of_agent(struct ks_line *line, const struct ks_state *state,
	const struct ks_event *event)
{
	int status = (int)ks_json_get_int(event->doc, "status", 0);
	int sig = (int)ks_json_get_int(event->doc, "signal", 0);

	plain(line, KS_ROLE_DIM, "agent");
	if (event->kind == KS_EV_AGENT_STARTED) {
		ks_buf_addf(&line->text, "%s started", str(event, "label"));
		return;
	}
	/* Below 0 it is no program's status: the tail says what was. */
	ks_buf_adds(&line->text, status < 0 ? "ended" : "exited");
	if (sig != 0) {
		ks_buf_addf(&line->text, " by signal %d", sig);
	} else if (status > 0) {
		ks_buf_addf(&line->text, " with status %d", status);
	}
	if (sig != 0 || status != 0) {
		line->style = state->manual ? KS_ROLE_DIM : KS_ROLE_BAD;
		ks_buf_addf(&line->text, str(event, "tail")[0] != '\0' ? ": %s" : "%s",
			str(event, "tail"));
	}
}

static void of_turn(struct ks_line *line, const struct ks_state *state,
	const struct ks_event *event)
{
	enum ks_how how = ks_how_from_name(str(event, "how"));

	plain(line, how == KS_HOW_ERROR ? KS_ROLE_BAD : KS_ROLE_DIM, "turn");
	ks_buf_addf(&line->text, "%d %s", (int)ks_json_get_int(event->doc, "turn", 0),
		event->kind == KS_EV_TURN_STARTED ? "started" :
		how == KS_HOW_ERROR ? "ended by an error" :
		how == KS_HOW_CANCELLED ? "cancelled" :
		how == KS_HOW_LIMIT ? "ended at a limit" : "ended");
	if (event->kind == KS_EV_TURN_ENDED) {
		int calls = (int)ks_json_get_int(event->doc, "calls", 0);

		ks_buf_addf(&line->text, " after %d call%s", calls, ks_s(calls));
	}
	if (str(event, "text")[0] != '\0') {
		ks_buf_addf(&line->text, ": %s", str(event, "text"));
	}
}

/* The message that was sent with this event, or NULL. */
static const struct ks_message *message_of(const struct ks_state *state, int64_t seq)
{
	size_t low = 0, high = state->n_messages;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (state->messages[mid].seq < seq) {
			low = mid + 1;
		} else {
			high = mid;
		}
	}
	return low < state->n_messages && state->messages[low].seq == seq ?
		&state->messages[low] : NULL;
}

/* What a message asked and, once there is a gain, what followed. */
static void add_outcome(struct ks_line *line, const struct ks_state *state,
	const struct ks_event *event)
{
	const struct ks_message *m = message_of(state, event->seq);
	bool gained = m != NULL && m->before > 0 && m->after > m->before * 1.005;

	line->right_style = KS_ROLE_QUESTION;
	if (gained) {
		snprintf(line->right, sizeof(line->right), "%.15s%s%.2fx to %.2fx",
			str(event, "question"), str(event, "question")[0] != '\0' ?
			"  " : "", m->before, m->after);
		line->right_style = KS_ROLE_GOOD;
	} else {
		snprintf(line->right, sizeof(line->right), "%.15s", str(event, "question"));
	}
}

static void of_message(struct ks_line *line, const struct ks_state *state,
	const struct ks_event *event)
{
	const char *via = str(event, "via");
	bool goal = event->by != KS_BY_HUMAN && (strcmp(via, "goal") == 0 ||
		ks_json_get_bool(event->doc, "goal", false));
	const char *who = goal ? "goal" : event->by != KS_BY_HUMAN &&
		strcmp(via, "bank") == 0 ? "bank" : "you";

	set(line, KS_GLYPH_RIGHT, goal ? KS_ROLE_WARN : KS_ROLE_HUMAN, who);
	if (event->kind == KS_EV_MESSAGE_QUEUED) {
		line->style = KS_ROLE_DIM;
		snprintf(line->right, sizeof(line->right), "waits");
		line->right_style = KS_ROLE_DIM;
	} else {
		add_outcome(line, state, event);
	}
	ks_buf_adds(&line->text, str(event, "text"));
}

static void of_said(struct ks_line *line, const struct ks_state *state,
	const struct ks_event *event)
{
	plain(line, event->kind == KS_EV_AGENT_SAID ? KS_ROLE_AGENT : KS_ROLE_DIM,
		event->kind == KS_EV_AGENT_SAID ? "agent" : "thought");
	line->quoted = event->kind == KS_EV_AGENT_SAID;
	ks_buf_adds(&line->text, str(event, "text"));
	ks_buf_truncate(&line->text, ks_str_trim(ks_buf_str(&line->text)).len);
}

static void of_tool(struct ks_line *line, const struct ks_state *state,
	const struct ks_event *event)
{
	const char *tool = str(event, "tool");
	const char *text = str(event, "text");

	if (event->kind == KS_EV_TOOL_ENDED) {
		set(line, KS_GLYPH_CALL, KS_ROLE_DIM, "call");
		ks_buf_addf(&line->text, "%s ended", str(event, "call"));
		return;
	}
	set(line, KS_GLYPH_CALL, KS_ROLE_TEXT,
		tool[0] != '\0' && strcmp(tool, "other") != 0 ? tool : str(event, "name"));
	ks_buf_adds(&line->text, text[0] != '\0' ? text : str(event, "title"));
}

/* What a call's end adds to its line. */
static void add_tool_end(struct ks_line *line, const struct ks_event *end)
{
	bool ok = ks_json_get_bool(end->doc, "ok", true);
	int64_t ms = ks_json_get_int(end->doc, "ms", (end->t - line->t) / 1000);
	int added = (int)ks_json_get_int(end->doc, "added", -1);
	int removed = (int)ks_json_get_int(end->doc, "removed", -1);
	char took[16];

	ks_fmt_duration(ms * 1000, took, sizeof(took));
	if (added >= 0 || removed >= 0) {
		snprintf(line->right, sizeof(line->right), "+%d -%d %s",
			added < 0 ? 0 : added, removed < 0 ? 0 : removed,
			ok ? "ok" : "failed");
	} else {
		snprintf(line->right, sizeof(line->right), "%s %s", took,
			ok ? "ok" : "failed");
	}
	line->right_style = ok ? KS_ROLE_DIM : KS_ROLE_BAD;
}

static void of_changed(struct ks_line *line, const struct ks_state *state,
	const struct ks_event *event)
{
	set(line, KS_GLYPH_CALL, KS_ROLE_TEXT, "changed");
	ks_buf_adds(&line->text, str(event, "path"));
	snprintf(line->right, sizeof(line->right), "+%d -%d",
		(int)ks_json_get_int(event->doc, "added", 0),
		(int)ks_json_get_int(event->doc, "removed", 0));
	line->right_style = KS_ROLE_DIM;
}

static void add_candidate(struct ks_line *line, const struct ks_event *event)
{
	int number = (int)ks_json_get_int(event->doc, "candidate", -1);
	char name[KS_CANDIDATE_TEXT];

	ks_buf_adds(&line->text, ks_candidate_short(name, number));
}

static void of_eval_start(struct ks_line *line, const struct ks_state *state,
	const struct ks_event *event)
{
	set(line, KS_GLYPH_CALL, KS_ROLE_ACCENT, "eval");
	if (event->kind == KS_EV_EVAL_QUEUED) {
		ks_buf_addf(&line->text, "evaluation %d waits",
			(int)ks_json_get_int(event->doc, "eval", 0));
		return;
	}
	add_candidate(line, event);
	if (ks_json_get_bool(event->doc, "confirm", false)) {
		ks_buf_adds(&line->text, " confirming");
	}
}

/* Its step over the best before it; over the seed it is the speedup itself. */
static void add_step(struct ks_line *line, const struct ks_state *state,
	const struct ks_event *event, double geomean)
{
	int i = ks_state_candidate_number(state,
		ks_json_get_int(event->doc, "candidate", -1));
	double step = i > 0 ? ks_candidate_step(&state->candidates[i], geomean) : 0;

	if (step > 0 && state->candidates[i].best_before > 1) {
		ks_buf_addf(&line->text, " (x%.2f)", step);
	}
}

static void add_score(struct ks_line *line, const struct ks_state *state,
	const struct ks_event *event)
{
	int correct = (int)ks_json_get_int(event->doc, "correct", 0);
	int all = (int)ks_json_get_int(event->doc, "scenarios", 0);
	double geomean = ks_json_get_num(event->doc, "geomean", 0);

	ks_buf_addf(&line->text, " %d/%d correct", correct, all);
	if (correct < all) {
		line->style = KS_ROLE_BAD;
	} else if (geomean > 0) {
		ks_buf_addf(&line->text, "  geomean %.2fx", geomean);
		add_step(line, state, event, geomean);
		line->style = geomean < 1 ? KS_ROLE_BAD : KS_ROLE_GOOD;
	}
	if (ks_json_get_bool(event->doc, "partial", false)) {
		ks_buf_adds(&line->text, " (part)");
	}
	if (ks_json_get_num(event->doc, "worst", 0) > 0) {
		ks_buf_addf(&line->text, "  worst %.2fx %s",
			ks_json_get_num(event->doc, "worst", 0), str(event, "worst_name"));
	}
}

static void of_eval_end(struct ks_line *line, const struct ks_state *state,
	const struct ks_event *event)
{
	const char *stage = str(event, "stage");

	if (!line->has_glyph) {
		set(line, KS_GLYPH_CALL, KS_ROLE_ACCENT, "eval");
		add_candidate(line, event);
	}
	if (event->kind == KS_EV_EVAL_FINISHED) {
		add_score(line, state, event);
		return;
	}
	line->style = strcmp(stage, "cancelled") == 0 ? KS_ROLE_DIM : KS_ROLE_BAD;
	ks_buf_addf(&line->text, " %s: %s", strcmp(stage, "build") == 0 ?
		"does not build" : strcmp(stage, "cancelled") == 0 ?
		"cancelled" : "failed", str(event, "text"));
}

/* Its name as words: "big step". */
static void trigger_of(const struct ks_event *event, char *out, size_t size)
{
	char *p;

	snprintf(out, size, "%s", str(event, "trigger"));
	for (p = out; *p != '\0'; p++) {
		*p = (char)(*p == '_' ? ' ' : *p);
	}
}

static void of_evidence(struct ks_line *line, const struct ks_state *state,
	const struct ks_event *event)
{
	char trigger[32];

	trigger_of(event, trigger, sizeof(trigger));
	set(line, KS_GLYPH_WARN, KS_ROLE_WARN, "evidence");
	ks_buf_addf(&line->text, "%s  %s  %s", trigger, str(event, "scenario"),
		str(event, "figures"));
	line->short_len = line->text.len;
	if (str(event, "test")[0] != '\0') {
		ks_buf_addf(&line->text, "; test: %s", str(event, "test"));
	}
}

static void of_champion(struct ks_line *line, const struct ks_state *state,
	const struct ks_event *event)
{
	set(line, KS_GLYPH_STAR, KS_ROLE_GOOD, "champion");
	add_candidate(line, event);
	ks_buf_addf(&line->text, "  geomean %.2fx, confirmed",
		ks_json_get_num(event->doc, "geomean", 0));
}

static void of_moment(struct ks_line *line, const struct ks_state *state,
	const struct ks_event *event)
{
	int i = ks_state_moment(state, ks_json_get_int(event->doc, "moment", 0));

	set(line, KS_GLYPH_WARN, KS_ROLE_WARN, "moment");
	if (event->kind != KS_EV_MOMENT_RAISED) {
		ks_buf_adds(&line->text, event->kind == KS_EV_MOMENT_ANSWERED ?
			"answered" : "dismissed");
		return;
	}
	ks_buf_addf(&line->text, "%s: %s",
		ks_moment_name(ks_moment_from_name(str(event, "moment_kind"))),
		str(event, "evidence"));
	if (i >= 0 && state->moments[i].state != KS_MOMENT_OPEN) {
		snprintf(line->right, sizeof(line->right), "%s",
			ks_moment_fate(&state->moments[i]));
		line->right_style = KS_ROLE_DIM;
	}
}

static void of_goal(struct ks_line *line, const struct ks_state *state,
	const struct ks_event *event)
{
	set(line, KS_GLYPH_RIGHT, KS_ROLE_WARN, "goal");
	if (event->kind == KS_EV_GOAL_SENT_BACK) {
		int count = (int)ks_json_get_int(event->doc, "count", 0);

		ks_buf_addf(&line->text, "sent back to work, %d time%s by now", count,
			ks_s(count));
		return;
	}
	int n = (int)ks_json_get_int(event->doc, "n", 0);
	ks_buf_addf(&line->text, "%d of %d clause%s hold%s",
		(int)ks_json_get_int(event->doc, "n_met", 0), n, ks_s(n), ks_verb_s(n));
	if (ks_json_get_bool(event->doc, "met", false)) {
		set(line, KS_GLYPH_STAR, KS_ROLE_ACCENT | KS_STYLE_BOLD, "goal");
		ks_buf_adds(&line->text, ": goal met by ");
		add_candidate(line, event);
	}
}

static void of_mode(struct ks_line *line, const struct ks_state *state,
	const struct ks_event *event)
{
	plain(line, KS_ROLE_DIM, "mode");
	ks_buf_addf(&line->text, "moments are answered by: %s", str(event, "mode"));
}

static void of_note(struct ks_line *line, const struct ks_state *state,
	const struct ks_event *event)
{
	set(line, KS_GLYPH_BULLET, KS_ROLE_HUMAN, "note");
	ks_buf_adds(&line->text, str(event, "text"));
}

static void of_notice(struct ks_line *line, const struct ks_state *state,
	const struct ks_event *event)
{
	const char *level = str(event, "level");

	plain(line, strcmp(level, "error") == 0 ? KS_ROLE_BAD :
		strcmp(level, "warn") == 0 ? KS_ROLE_WARN : KS_ROLE_DIM, "kseek");
	ks_buf_adds(&line->text, str(event, "text"));
}

static void of_refused(struct ks_line *line, const struct ks_state *state,
	const struct ks_event *event)
{
	plain(line, KS_ROLE_WARN, "refused");
	ks_buf_addf(&line->text, "%s: %s", str(event, "cmd"), str(event, "why"));
}

static void of_raw(struct ks_line *line, const struct ks_state *state,
	const struct ks_event *event)
{
	plain(line, KS_ROLE_DIM, "event");
	ks_buf_add(&line->text, event->raw.ptr, event->raw.len > 2000 ?
		ks_utf8_cut(event->raw.ptr, event->raw.len, 2000) : event->raw.len);
}

static line_fn *const table[KS_EV_COUNT] = {
	[KS_EV_CAMPAIGN_CREATED] = of_created,
	[KS_EV_ENGINE_STARTED] = of_engine, [KS_EV_ENGINE_STOPPED] = of_engine,
	[KS_EV_AGENT_STARTED] = of_agent, [KS_EV_AGENT_EXITED] = of_agent,
	[KS_EV_TURN_STARTED] = of_turn, [KS_EV_TURN_ENDED] = of_turn,
	[KS_EV_MESSAGE_QUEUED] = of_message, [KS_EV_MESSAGE_SENT] = of_message,
	[KS_EV_AGENT_SAID] = of_said, [KS_EV_AGENT_THOUGHT] = of_said,
	[KS_EV_TOOL_STARTED] = of_tool, [KS_EV_TOOL_ENDED] = of_tool,
	[KS_EV_TOOL_UPDATED] = of_tool,
	[KS_EV_FILE_CHANGED] = of_changed,
	[KS_EV_EVAL_QUEUED] = of_eval_start, [KS_EV_EVAL_STARTED] = of_eval_start,
	[KS_EV_EVAL_EVIDENCE] = of_evidence,
	[KS_EV_EVAL_FINISHED] = of_eval_end, [KS_EV_EVAL_FAILED] = of_eval_end,
	[KS_EV_CHAMPION_CHANGED] = of_champion,
	[KS_EV_GOAL_COMPUTED] = of_goal, [KS_EV_GOAL_SENT_BACK] = of_goal,
	[KS_EV_MOMENT_RAISED] = of_moment, [KS_EV_MOMENT_ANSWERED] = of_moment,
	[KS_EV_MOMENT_DISMISSED] = of_moment,
	[KS_EV_MODE_SET] = of_mode, [KS_EV_NOTE_ADDED] = of_note,
	[KS_EV_NOTICE] = of_notice, [KS_EV_COMMAND_REFUSED] = of_refused,
	[KS_EV_PERMISSION_ASKED] = ks_line_of_agent,
	[KS_EV_PERMISSION_ANSWERED] = ks_line_of_agent,
	[KS_EV_AGENT_ASKED] = ks_line_of_agent, [KS_EV_AGENT_ANSWERED] = ks_line_of_agent,
	[KS_EV_AGENT_SESSION] = ks_line_of_agent, [KS_EV_AGENT_MODE] = ks_line_of_agent,
	[KS_EV_AGENT_USAGE] = ks_line_of_agent, [KS_EV_AGENT_PLAN] = ks_line_of_agent,
	[KS_EV_MESSAGE_REVISED] = ks_line_of_agent, [KS_EV_HOOK_RAN] = ks_line_of_agent,
};

void ks_line_of_event(struct ks_line *line, const struct ks_state *state,
	const struct ks_event *event)
{
	line_fn *fn = (unsigned)event->kind < KS_EV_COUNT ? table[event->kind] : NULL;

	memset(line, 0, sizeof(*line));
	line->t = event->t;
	line->right_style = KS_ROLE_DIM;
	(fn != NULL ? fn : of_raw)(line, state, event);
}

static void add_end(struct ks_line *line, const struct ks_state *state,
	const struct ks_view_data *data, const struct ks_row *row)
{
	const struct ks_event *end = data->event(data->ctx, row->seq + row->end);
	char took[16];

	if (end == NULL || end->doc == NULL) {
		return;
	}
	if (end->kind == KS_EV_TOOL_ENDED) {
		add_tool_end(line, end);
	} else if (end->kind == KS_EV_PERMISSION_ANSWERED ||
	    end->kind == KS_EV_AGENT_ANSWERED) {
		ks_line_answered(line, end);
	} else if (end->kind == KS_EV_EVAL_FINISHED || end->kind == KS_EV_EVAL_FAILED) {
		of_eval_end(line, state, end);
		ks_fmt_duration(end->t - line->t, took, sizeof(took));
		snprintf(line->right, sizeof(line->right), "%s", took);
		line->right_style = KS_ROLE_DIM;
	}
}

/* Wrapping and measuring need text that is safe: a sequence cut in two is two
 * texts. */
static void make_safe(struct ks_line *line, bool ascii)
{
	struct ks_buf safe = {0};
	char right[sizeof(line->right)];

	memcpy(right, line->right, sizeof(right));
	ks_sane_into(line->right, sizeof(line->right), ks_str_of(right),
		KS_SANE_ONE_LINE | (ascii ? KS_SANE_ASCII : 0u));
	ks_sane(&safe, ks_buf_str(&line->text), ascii ? KS_SANE_ASCII : 0u);
	ks_buf_fini(&line->text);
	line->text = safe;
}

bool ks_row_is_folded(const struct ks_state *state, size_t row)
{
	return row > 0 && row < state->n_rows &&
		state->rows[row].kind == KS_EV_EVAL_EVIDENCE &&
		state->rows[row - 1].kind == KS_EV_EVAL_EVIDENCE;
}

size_t ks_row_folds(const struct ks_state *state, size_t row)
{
	size_t end = row + 1;

	while (end < state->n_rows && ks_row_is_folded(state, end)) {
		end++;
	}
	return end - row;
}

size_t ks_row_find(const struct ks_state *state, int64_t seq)
{
	size_t low = 0, high = state->n_rows;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (state->rows[mid].seq < seq) {
			low = mid + 1;
		} else {
			high = mid;
		}
	}
	return low < state->n_rows && state->rows[low].seq == seq ? low : state->n_rows;
}

/* "and 19 more, floor" behind the first of an evaluation's evidence. */
static void add_folded(struct ks_line *line, const struct ks_state *state,
	const struct ks_view_data *data, const struct ks_row *row)
{
	size_t at = (size_t)(row - state->rows);
	size_t more = ks_row_is_folded(state, at) ? 0 : ks_row_folds(state, at) - 1;
	struct ks_buf names = {0};
	size_t i;

	for (i = 1; i <= more && i <= FOLD_READ; i++) {
		const struct ks_event *event = data->event(data->ctx, row[i].seq);
		char name[32] = "";

		if (event != NULL && event->doc != NULL) {
			trigger_of(event, name, sizeof(name));
		}
		/* The first one's trigger stands in the text already. */
		if (name[0] != '\0' && strncmp(line->text.ptr, name, strlen(name)) != 0 &&
		    (names.len == 0 || strstr(names.ptr, name) == NULL)) {
			ks_buf_addf(&names, ", %.20s", name);
		}
	}
	if (more > 0) {
		snprintf(line->right, sizeof(line->right), "and %u more%.30s",
			(unsigned)more, names.len > 0 ? names.ptr : "");
		line->right_style = KS_ROLE_WARN;
	}
	ks_buf_fini(&names);
}

/* A call of which more became known than it began with. */
static void of_more(struct ks_line *line, const struct ks_state *state,
	const struct ks_view_data *data, const struct ks_row *row)
{
	const struct ks_event *event = data->event(data->ctx, row->seq + row->more);
	int64_t t = line->t;

	if (event == NULL || event->doc == NULL) {
		return;
	}
	ks_line_fini(line);
	ks_line_of_event(line, state, event);
	line->t = t;
}

/* A message that waits or waited, as it is by now. */
static void of_waiting(struct ks_line *line, const struct ks_state *state,
	const struct ks_view_data *data, const struct ks_row *row)
{
	const struct ks_event *end = row->end == 0 ? NULL :
		data->event(data->ctx, row->seq + row->end);
	int64_t t = line->t;
	int i;

	for (i = 0; row->end == 0 && i < state->queued; i++) {
		if (&state->rows[state->queue[i].row] == row) {
			ks_buf_clear(&line->text);
			ks_buf_adds(&line->text, state->queue[i].text);
		}
	}
	if (end == NULL || end->doc == NULL) {
		return;
	}
	if (end->kind != KS_EV_MESSAGE_SENT) {
		snprintf(line->right, sizeof(line->right), "taken back");
		return;
	}
	ks_line_fini(line);
	ks_line_of_event(line, state, end);
	line->t = t;
	if (line->right[0] == '\0') {
		char hms[24];

		ks_clock_hms(end->t, hms, sizeof(hms));
		snprintf(line->right, sizeof(line->right), "sent %s", hms);
		line->right_style = KS_ROLE_DIM;
	}
}

void ks_line_of_row(struct ks_line *line, const struct ks_state *state,
	const struct ks_view_data *data, const struct ks_row *row, bool ascii)
{
	const struct ks_event *event = data->event(data->ctx, row->seq);

	if (event == NULL || event->doc == NULL) {
		memset(line, 0, sizeof(*line));
		plain(line, KS_ROLE_BAD, "missing");
		ks_buf_addf(&line->text, "event %lld cannot be read from the log",
			(long long)row->seq);
		return;
	}
	ks_line_of_event(line, state, event);
	if (row->more > 0) {
		of_more(line, state, data, row);
	}
	if (row->kind == KS_EV_EVAL_EVIDENCE) {
		add_folded(line, state, data, row);
	} else if (row->kind == KS_EV_MESSAGE_QUEUED) {
		of_waiting(line, state, data, row);
	} else if (row->end > 0) {
		add_end(line, state, data, row);
	} else if (row->kind == KS_EV_TOOL_STARTED && line->right[0] == '\0' &&
	    state->agent == KS_AGENT_WORKING) {
		ks_fmt_duration((data->now - line->t) / 1000000 * 1000000,
			line->right, sizeof(line->right));
		line->right_style = KS_ROLE_ACCENT;
	}
	make_safe(line, ascii);
}

void ks_line_fini(struct ks_line *line)
{
	ks_buf_fini(&line->text);
}

bool ks_live_wants(enum ks_live_filter filter, unsigned kind)
{
	bool call = kind == KS_EV_TOOL_STARTED || kind == KS_EV_TOOL_ENDED ||
		kind == KS_EV_FILE_CHANGED;
	bool eval = kind == KS_EV_EVAL_STARTED || kind == KS_EV_EVAL_FINISHED ||
		kind == KS_EV_EVAL_FAILED || kind == KS_EV_EVAL_EVIDENCE ||
		kind == KS_EV_CHAMPION_CHANGED;
	bool word = kind == KS_EV_MESSAGE_QUEUED || kind == KS_EV_MESSAGE_SENT ||
		kind == KS_EV_AGENT_SAID || kind == KS_EV_NOTE_ADDED ||
		kind == KS_EV_MOMENT_RAISED;

	switch (filter) {
	case KS_LIVE_WORDS:
		return word;
	case KS_LIVE_CALLS:
		return call || (eval && kind != KS_EV_EVAL_EVIDENCE);
	case KS_LIVE_EVALS:
		return eval;
	default:
		return true;
	}
}

static bool is_line(enum ks_ev kind)
{
	switch (kind) {
	case KS_EV_TOOL_UPDATED:
	case KS_EV_PROCESS_RAN:
	case KS_EV_ACT_CORRECTED:
	case KS_EV_SCENARIO_DECLARED:
	case KS_EV_TURN_STARTED:
	case KS_EV_EVAL_QUEUED:
	case KS_EV_EVAL_SCENARIO:
	case KS_EV_CANDIDATE_COMMITTED:
	case KS_EV_LOG_HASH:
		return false;
	default:
		return true;
	}
}

/* The end of a call on a line of its own: how it went, and how its call began. */
static void plain_tool_end(struct ks_line *line, const struct ks_state *state,
	const struct ks_event *event)
{
	const char *call = str(event, "call");
	int i;

	for (i = 0; i < KS_TOOLS_KEPT; i++) {
		const struct ks_tool *tool = &state->tools[i];

		if (tool->seq > 0 && strncmp(tool->call, call, sizeof(tool->call) - 1) == 0) {
			ks_buf_clear(&line->text);
			ks_buf_addf(&line->text, "%s %s", tool->name, tool->title);
			line->t = tool->t;
		}
	}
	add_tool_end(line, event);
	line->t = event->t;
}

bool ks_view_line(const struct ks_state *state, const struct ks_event *event,
	bool ascii, struct ks_buf *out)
{
	unsigned flags = KS_SANE_ONE_LINE | (ascii ? KS_SANE_ASCII : 0u);
	struct ks_line line;
	char hms[24];

	if (!is_line(event->kind) || event->doc == NULL) {
		return false;
	}
	ks_line_of_event(&line, state, event);
	if (event->kind == KS_EV_TOOL_ENDED) {
		plain_tool_end(&line, state, event);
	}
	if (line.short_len > 0) {
		ks_buf_truncate(&line.text, line.short_len);
	}
	ks_clock_hms(event->t, hms, sizeof(hms));
	ks_buf_addf(out, "%s %s ", hms, line.has_glyph ?
		ks_glyph(line.glyph, ascii) : " ");
	ks_sane(out, ks_str_of(line.who), flags);
	ks_buf_adds(out, "  ");
	ks_sane(out, ks_buf_str(&line.text), flags);
	if (line.right[0] != '\0') {
		ks_buf_adds(out, "  ");
		ks_sane(out, ks_str_of(line.right), flags);
	}
	ks_buf_addc(out, '\n');
	ks_line_fini(&line);
	return true;
}
