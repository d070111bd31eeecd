/*
 * The walk over the log: events to records. Tool calls that follow each other
 * are one record; everything else is one record each. A call's end may come
 * after its record (an evaluation that it waits for is one itself), so a first
 * pass notes how each call ended and which candidate an edit became: the last
 * edit before an evaluation was asked for. In memory are that note of each call,
 * one group and one body.
 */
#include <errno.h>

#include "base/mem.h"
#include "base/sane.h"
#include "base/utf8.h"
#include "core/layer.h"
#include "export/record.h"

#define BODY_MAX (1024 * 1024)
#define TITLE_MAX 800 /* a command is read as one: cut, it looks broken */
#define OUTPUT_MAX 1500
#define LINES_MAX 1000000
#define RUNNING_MAX 256 /* calls that are looked through for the one that ended */

struct call {
	int64_t seq, end_seq; /* end_seq 0: it runs, or its end is not in the log */
	int64_t more_seq;     /* of the event that told its command; 0: the first */
	int64_t ms;
	int added, removed, candidate;
	bool failed;
	char id[64];
};

struct walk {
	FILE *out;
	ks_record_fn *write;
	const struct ks_export_source *source;
	struct ks_group group;
	struct call *calls;        /* by seq */
	size_t n_calls, cap_calls, next_call; /* next_call: the first in no group yet */
	size_t edit;               /* 1 + the last edit that is in no evaluation yet */
	int64_t asked;             /* the evaluation that has it; 0: none */
	size_t asked_edit;
	int64_t last_t;
	struct ks_wrong wrong;     /* of the evaluation that runs */
	struct ks_buf goal;        /* the goal as it was computed last */
	struct ks_buf body;
	double best;
};

static const char *const kind_names[KS_GROUP_KINDS] = {
	"shell", "read", "edit", "write", "eval", "search", "fetch", "agent",
	"think", "other"
};

const char *ks_group_kind_name(int kind)
{
	return kind >= 0 && kind < KS_GROUP_KINDS ? kind_names[kind] : "other";
}

static int kind_of(const char *tool)
{
	for (int i = 0; i < KS_GROUP_KINDS; i++) {
		if (strcmp(tool, kind_names[i]) == 0) {
			return i;
		}
	}
	return KS_GROUP_KINDS - 1;
}

static bool edits(const struct ks_event *event)
{
	const char *tool = ks_json_get_str(event->doc, "tool", "");

	return strcmp(tool, "edit") == 0 || strcmp(tool, "write") == 0;
}

static void call_starts(struct walk *w, const struct ks_event *event)
{
	struct call call = {.seq = event->seq, .candidate = -1};

	snprintf(call.id, sizeof(call.id), "%s", ks_json_get_str(event->doc, "call", ""));
	ks_grow(&w->calls, &w->cap_calls, w->n_calls + 1, sizeof(*w->calls));
	w->calls[w->n_calls++] = call;
	w->edit = edits(event) ? w->n_calls : w->edit;
}

/* The latest of its name that runs, or NULL. */
static struct call *running(struct walk *w, const struct ks_event *event)
{
	const char *id = ks_json_get_str(event->doc, "call", "");

	for (size_t back = 1; back <= w->n_calls && back <= RUNNING_MAX; back++) {
		struct call *call = &w->calls[w->n_calls - back];
		if (call->end_seq == 0 && strncmp(call->id, id, sizeof(call->id) - 1) == 0) {
			return call;
		}
	}
	return NULL;
}

static int lines_of(const struct ks_event *event, const char *key)
{
	int64_t n = ks_json_get_int(event->doc, key, 0);

	return n < 0 || n > LINES_MAX ? 0 : (int)n;
}

static void call_ends(struct walk *w, const struct ks_event *event)
{
	struct call *call = running(w, event);

	if (call != NULL) {
		call->end_seq = event->seq;
		call->ms = ks_json_get_int(event->doc, "ms", 0);
		call->failed = !ks_json_get_bool(event->doc, "ok", true);
		call->added = lines_of(event, "added");
		call->removed = lines_of(event, "removed");
	}
}

static void call_grows(struct walk *w, const struct ks_event *event)
{
	struct call *call = running(w, event);

	if (call != NULL && ks_json_get_str(event->doc, "text", "")[0] != '\0') {
		call->more_seq = event->seq;
	}
}

/* What the first pass noted of a call: nothing where it could not be read then. */
static struct call take_call(struct walk *w, int64_t seq)
{
	bool noted = w->next_call < w->n_calls && w->calls[w->next_call].seq == seq;

	return noted ? w->calls[w->next_call++] : (struct call){.candidate = -1};
}

static void eval_asked(struct walk *w, const struct ks_event *event)
{
	if (!ks_json_get_bool(event->doc, "confirm", false)
		&& ks_json_get_str(event->doc, "source", "")[0] == '\0') {
		w->asked = ks_json_get_int(event->doc, "eval", 0);
		w->asked_edit = w->edit;
		w->edit = 0;
	}
}

static void eval_starts(struct walk *w, const struct ks_event *event)
{
	if (w->asked_edit > 0 && w->asked == ks_json_get_int(event->doc, "eval", 0)) {
		w->calls[w->asked_edit - 1].candidate =
			(int)ks_json_get_int(event->doc, "candidate", -1);
		w->asked_edit = 0;
	}
}

static void note(struct walk *w, const struct ks_event *event)
{
	w->last_t = event->t;
	switch (event->kind) {
	case KS_EV_TOOL_STARTED: call_starts(w, event); break;
	case KS_EV_TOOL_UPDATED: call_grows(w, event); break;
	case KS_EV_TOOL_ENDED: call_ends(w, event); break;
	case KS_EV_EVAL_QUEUED: eval_asked(w, event); break;
	case KS_EV_EVAL_STARTED: eval_starts(w, event); break;
	default: break;
	}
}

static void note_calls(struct walk *w)
{
	const struct ks_view_data *data = w->source->data;

	for (int64_t seq = 1; seq <= w->source->final->seq; seq++) {
		const struct ks_event *event = data->event(data->ctx, seq);
		if (event != NULL) {
			note(w, event);
		}
	}
}

static void emit(struct walk *w, struct ks_record *record)
{
	record->state = w->source->final;
	record->best = w->best;
	record->last_t = w->last_t;
	w->write(w->out, record);
}

static void group_end(struct walk *w)
{
	struct ks_group *g = &w->group;

	if (g->calls == 0) {
		return;
	}
	struct ks_record record = {.kind = KS_REC_TOOLS, .group = g, .seq = g->first_seq};
	emit(w, &record);
	for (int i = 0; i < g->n_items; i++) {
		ks_buf_fini(&g->items[i].title);
		ks_buf_fini(&g->items[i].output);
	}
	*g = (struct ks_group){0};
}

/* The whole text of an event: from its blob where it was cut. */
static struct ks_str body_of(struct walk *w, const struct ks_event *event)
{
	const struct ks_view_data *data = w->source->data;
	const char *blob = ks_json_get_str(event->doc, "blob", NULL);

	ks_buf_clear(&w->body);
	if (blob != NULL && data->blob != NULL &&
			data->blob(data->ctx, blob, BODY_MAX, &w->body)) {
		return ks_buf_str(&w->body);
	}
	return ks_str_of(ks_json_get_str(event->doc, "text", ""));
}

/* Whether a command measures more than an evaluation does, whose figures stand in
 * its own record. */
static bool measures(const struct walk *w, const struct ks_event *event)
{
	const struct ks_call call = {
		.name = ks_str_of(ks_json_get_str(event->doc, "name", "")),
		.kind = KS_STR("execute"),
		.command = ks_str_of(ks_json_get_str(event->doc, "text", "")),
		.cpu = strcmp(w->source->final->target, "cuda") != 0,
	};
	struct ks_call_class class;

	ks_layer_classify(&class, &call);
	return ks_call_layers(&class) != 0;
}

/* The last lines, sanitised. */
static void keep_end(struct ks_buf *out, struct ks_str text)
{
	size_t lines = 0, from;

	text = ks_str_trim(text);
	for (from = text.len; from > 0; from--) {
		lines += text.ptr[from - 1] == '\n';
		if (lines == KS_OUTPUT_LINES || text.len - from > OUTPUT_MAX) {
			break;
		}
	}
	ks_sane(out, (struct ks_str){text.ptr + from, text.len - from}, 0);
}

static bool is_shell(const struct ks_event *event)
{
	return strcmp(ks_json_get_str(event->doc, "tool", ""), "shell") == 0;
}

static void put_title(struct ks_buf *out, const char *text)
{
	struct ks_buf safe = {0};

	ks_sane(&safe, ks_str_of(text), KS_SANE_ONE_LINE);
	struct ks_str all = ks_buf_str(&safe);
	size_t len = ks_utf8_cut(all.ptr, all.len, TITLE_MAX);
	ks_buf_add(out, all.ptr, len);
	ks_buf_adds(out, len < all.len ? "…" : "");
	ks_buf_fini(&safe);
}

/* The event is lent no longer when this returns. */
static void keep_item(struct walk *w, const struct ks_event *event, const struct call *call)
{
	const struct ks_view_data *data = w->source->data;
	struct ks_item *item = &w->group.items[w->group.n_items++];
	int64_t seq = call->more_seq > 0 ? call->more_seq : event->seq;
	bool shell = is_shell(event);

	*item = (struct ks_item){.added = call->added, .removed = call->removed,
		.candidate = call->candidate, .failed = call->failed};
	event = data->event(data->ctx, seq);
	if (event == NULL) {
		return;
	}
	put_title(&item->title, ks_json_get_str(event->doc, "title",
		ks_json_get_str(event->doc, "text", ks_json_get_str(event->doc, "name", "tool"))));
	if ((shell || is_shell(event)) && call->end_seq > 0 && measures(w, event)) {
		event = data->event(data->ctx, call->end_seq);
		keep_end(&item->output, event != NULL ? body_of(w, event) : (struct ks_str){0});
	}
}

static void group_start_call(struct walk *w, const struct ks_event *event)
{
	struct ks_group *g = &w->group;
	struct call call = take_call(w, event->seq);
	int64_t last_seq = call.end_seq > event->seq ? call.end_seq : event->seq;

	if (g->calls == 0) {
		g->first_seq = event->seq;
	}
	g->last_seq = last_seq > g->last_seq ? last_seq : g->last_seq;
	g->ms += call.ms;
	g->failed += call.failed;
	g->calls++;
	g->kinds[kind_of(ks_json_get_str(event->doc, "tool", "other"))]++;
	if (g->n_items < KS_GROUP_KEPT) {
		keep_item(w, event, &call);
	}
}

static const struct ks_message *message_of(const struct ks_state *state, int64_t id)
{
	for (size_t i = 0; i < state->n_messages; i++) {
		if (state->messages[i].id == id) {
			return &state->messages[i];
		}
	}
	return NULL;
}

static const struct ks_moment *moment_of(const struct ks_state *state, int64_t id)
{
	for (size_t i = 0; i < state->n_moments; i++) {
		if (state->moments[i].id == id) {
			return &state->moments[i];
		}
	}
	return NULL;
}

static const struct ks_candidate *candidate_of(const struct ks_state *state,
	const struct ks_event *event)
{
	int64_t number = ks_json_get_int(event->doc, "candidate", -1);

	for (size_t i = 0; i < state->n_candidates; i++) {
		if (state->candidates[i].number == number) {
			return &state->candidates[i];
		}
	}
	return NULL;
}

static int record_kind(enum ks_ev kind)
{
	switch (kind) {
	case KS_EV_UNKNOWN: return KS_REC_RAW;
	case KS_EV_MESSAGE_SENT: return KS_REC_MESSAGE;
	case KS_EV_MESSAGE_QUEUED: return KS_REC_WAITING;
	case KS_EV_AGENT_SAID: return KS_REC_SAID;
	case KS_EV_AGENT_THOUGHT: return KS_REC_THOUGHT;
	case KS_EV_CANDIDATE_COMMITTED: return KS_REC_CHANGES;
	case KS_EV_EVAL_FINISHED:
	case KS_EV_EVAL_FAILED: return KS_REC_CANDIDATE;
	case KS_EV_CHAMPION_CHANGED: return KS_REC_CHAMPION;
	case KS_EV_GOAL_COMPUTED: return KS_REC_GOAL;
	case KS_EV_MOMENT_RAISED: return KS_REC_MOMENT;
	case KS_EV_NOTE_ADDED: return KS_REC_NOTE;
	case KS_EV_NOTICE: return KS_REC_NOTICE;
	case KS_EV_TURN_ENDED: return KS_REC_TURN;
	case KS_EV_AGENT_STARTED:
	case KS_EV_AGENT_EXITED: return KS_REC_AGENT;
	default: return -1;
	}
}

/* Names the scenarios that are wrong, those held out only by their number. */
static void note_wrong(struct walk *w, const struct ks_event *event)
{
	struct ks_wrong *wrong = &w->wrong;
	int64_t eval = ks_json_get_int(event->doc, "eval", 0);

	if (wrong->eval != eval) {
		*wrong = (struct ks_wrong){.eval = eval};
	}
	if (ks_json_get_bool(event->doc, "correct", false)) {
		return;
	}
	wrong->count++;
	if (ks_json_get_bool(event->doc, "heldout", false) || wrong->n_names == KS_WRONG_KEPT) {
		return;
	}
	if (wrong->n_names == 0) {
		ks_sane_into(wrong->why, sizeof(wrong->why),
			ks_str_of(ks_json_get_str(event->doc, "why", "")), KS_SANE_ONE_LINE);
	}
	ks_sane_into(wrong->names[wrong->n_names++], sizeof(wrong->names[0]),
		ks_str_of(ks_json_get_str(event->doc, "name", "-")), KS_SANE_ONE_LINE);
}

/* Whether the goal is as it was computed before, figures aside. */
static bool goal_unchanged(struct walk *w, const struct ks_event *event)
{
	const struct ks_json *c = ks_json_first(ks_json_get(event->doc, "clauses"));
	struct ks_buf now = {0};
	bool same;

	ks_buf_addf(&now, "%lld", (long long)ks_json_get_int(event->doc, "candidate", -1));
	for (; c != NULL; c = ks_json_next(c)) {
		ks_buf_addf(&now, " %s", ks_json_get_str(c, "outcome", ""));
	}
	same = ks_str_eq(ks_buf_str(&now), ks_buf_str(&w->goal));
	ks_buf_fini(&w->goal);
	w->goal = now;
	return same;
}

/* A message that was queued and was never sent nor taken back, or NULL. */
static const struct ks_queued *waiting(const struct ks_state *final,
	const struct ks_event *event)
{
	int64_t id = ks_json_get_int(event->doc, "id", -1);

	for (int i = 0; i < final->queued; i++) {
		if (final->queue[i].id == id) {
			return &final->queue[i];
		}
	}
	return NULL;
}

static void one_event(struct walk *w, const struct ks_event *event)
{
	const struct ks_state *final = w->source->final;
	int kind = record_kind(event->kind);

	if (event->kind == KS_EV_TOOL_STARTED) {
		group_start_call(w, event);
		return;
	}
	if (event->kind == KS_EV_EVAL_SCENARIO) {
		note_wrong(w, event);
	}
	if (kind < 0 || (kind == KS_REC_WAITING && waiting(final, event) == NULL)
		|| (kind == KS_REC_CHANGES && ks_json_get(event->doc, "text") == NULL)) {
		return;
	}
	group_end(w);
	struct ks_record record = {.kind = kind, .event = event, .seq = event->seq};
	record.body = body_of(w, event);
	if (kind == KS_REC_MESSAGE) {
		record.message = message_of(final, ks_json_get_int(event->doc, "id", -1));
		record.edited = ks_export_edited(w->source, record.message, record.body);
	} else if (kind == KS_REC_WAITING) {
		record.body = ks_str_of(waiting(final, event)->text);
	} else if (kind == KS_REC_MOMENT) {
		record.moment = moment_of(final, ks_json_get_int(event->doc, "moment", -1));
	} else if (kind == KS_REC_CANDIDATE || kind == KS_REC_CHAMPION) {
		record.candidate = candidate_of(final, event);
	}
	if (kind == KS_REC_CANDIDATE
		&& w->wrong.eval == ks_json_get_int(event->doc, "eval", 0)) {
		record.wrong = &w->wrong;
	}
	if (kind == KS_REC_GOAL) {
		record.unchanged = goal_unchanged(w, event);
	}
	if (kind == KS_REC_CHAMPION) {
		w->best = ks_json_get_num(event->doc, "geomean", w->best);
	}
	emit(w, &record);
}

int ks_export(FILE *out, enum ks_export_format format,
	const struct ks_export_source *source, struct ks_err *err)
{
	struct walk w = {.out = out, .source = source, .best = 1.0};
	const struct ks_view_data *data = source->data;
	struct ks_record head = {.kind = KS_REC_HEAD}, foot = {.kind = KS_REC_FOOT};

	w.write = format == KS_EXPORT_MD ? ks_export_md_record : ks_export_jsonl_record;
	note_calls(&w);
	emit(&w, &head);
	for (int64_t seq = 1; seq <= source->final->seq; seq++) {
		const struct ks_event *event = data->event(data->ctx, seq);
		if (event != NULL) {
			one_event(&w, event);
			continue;
		}
		group_end(&w);
		struct ks_record missing = {.kind = KS_REC_MISSING, .seq = seq};
		emit(&w, &missing);
	}
	group_end(&w);
	emit(&w, &foot);
	ks_buf_fini(&w.body);
	ks_buf_fini(&w.goal);
	free(w.calls);
	if (fflush(out) != 0 || ferror(out)) {
		return ks_err_sys(err, errno, "writing the transcript");
	}
	return 0;
}
