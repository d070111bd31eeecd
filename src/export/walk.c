/*
 * The walk over the log: events to records. Tool calls that follow each other
 * are one record; everything else is one record each. A call's end may come
 * after its record (an evaluation that it waits for is one itself), so a first
 * pass notes how each call ended. In memory are that note of each call, one
 * group and one body.
 */
#include <errno.h>

#include "base/mem.h"
#include "base/sane.h"
#include "export/record.h"

#define BODY_MAX (1024 * 1024)
#define TITLE_MAX 160
#define RUNNING_MAX 256 /* calls that are looked through for the one that ended */

struct call {
	int64_t seq, end_seq; /* end_seq 0: it runs, or its end is not in the log */
	int64_t ms;
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

static void call_starts(struct walk *w, const struct ks_event *event)
{
	struct call call = {.seq = event->seq};

	snprintf(call.id, sizeof(call.id), "%s", ks_json_get_str(event->doc, "call", ""));
	ks_grow(&w->calls, &w->cap_calls, w->n_calls + 1, sizeof(*w->calls));
	w->calls[w->n_calls++] = call;
}

/* The latest of its name that runs. */
static void call_ends(struct walk *w, const struct ks_event *event)
{
	const char *id = ks_json_get_str(event->doc, "call", "");

	for (size_t back = 1; back <= w->n_calls && back <= RUNNING_MAX; back++) {
		struct call *call = &w->calls[w->n_calls - back];
		if (call->end_seq == 0 && strncmp(call->id, id, sizeof(call->id) - 1) == 0) {
			call->end_seq = event->seq;
			call->ms = ks_json_get_int(event->doc, "ms", 0);
			call->failed = !ks_json_get_bool(event->doc, "ok", true);
			return;
		}
	}
}

/* What the first pass noted of a call: nothing where it could not be read then. */
static struct call take_call(struct walk *w, int64_t seq)
{
	bool noted = w->next_call < w->n_calls && w->calls[w->next_call].seq == seq;

	return noted ? w->calls[w->next_call++] : (struct call){0};
}

static void note_calls(struct walk *w)
{
	const struct ks_view_data *data = w->source->data;

	for (int64_t seq = 1; seq <= w->source->final->seq; seq++) {
		const struct ks_event *event = data->event(data->ctx, seq);
		if (event != NULL && event->kind == KS_EV_TOOL_STARTED) {
			call_starts(w, event);
		} else if (event != NULL && event->kind == KS_EV_TOOL_ENDED) {
			call_ends(w, event);
		}
	}
}

static void emit(struct walk *w, struct ks_record *record)
{
	record->state = w->source->final;
	record->best = w->best;
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
	for (int i = 0; i < g->n_titles; i++) {
		ks_buf_fini(&g->titles[i]);
	}
	*g = (struct ks_group){0};
}

static void group_start_call(struct walk *w, const struct ks_event *event)
{
	struct ks_group *g = &w->group;
	const char *title = ks_json_get_str(event->doc, "title", NULL);
	const char *name = ks_json_get_str(event->doc, "name", "tool");
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
	if (g->n_titles < KS_GROUP_KEPT) {
		char safe[TITLE_MAX * 4];
		ks_sane_into(safe, TITLE_MAX, ks_str_of(title != NULL ? title :
			ks_json_get_str(event->doc, "text", name)), KS_SANE_ONE_LINE);
		ks_buf_addf(&g->titles[g->n_titles++], "%s", safe);
	}
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
	case KS_EV_AGENT_SAID: return KS_REC_SAID;
	case KS_EV_AGENT_THOUGHT: return KS_REC_THOUGHT;
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

static void one_event(struct walk *w, const struct ks_event *event)
{
	const struct ks_state *final = w->source->final;
	int kind = record_kind(event->kind);

	if (event->kind == KS_EV_TOOL_STARTED) {
		group_start_call(w, event);
		return;
	}
	if (kind < 0) {
		return;
	}
	group_end(w);
	struct ks_record record = {.kind = kind, .event = event, .seq = event->seq};
	record.body = body_of(w, event);
	if (kind == KS_REC_MESSAGE) {
		record.message = message_of(final, ks_json_get_int(event->doc, "id", -1));
		record.edited = ks_export_edited(w->source, record.message, record.body);
	} else if (kind == KS_REC_MOMENT) {
		record.moment = moment_of(final, ks_json_get_int(event->doc, "moment", -1));
	} else if (kind == KS_REC_CANDIDATE || kind == KS_REC_CHAMPION) {
		record.candidate = candidate_of(final, event);
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
	free(w.calls);
	if (fflush(out) != 0 || ferror(out)) {
		return ks_err_sys(err, errno, "writing the transcript");
	}
	return 0;
}
