/*
 * What the agent asks, in the fold: a short list of what is open, in the order
 * in which it came; and what it says of itself: session, modes, usage, plan.
 * The agent may ask more than the list holds; what does not fit is counted and
 * answered by the rules alone.
 */
#include <string.h>

#include "core/ask.h"
#include "core/fold.h"

static void read_options(struct ks_asked *a, const struct ks_json *list)
{
	const struct ks_json *item = ks_json_first(list);

	for (; item != NULL && a->n_options < KS_ASK_OPTIONS; item = ks_json_next(item)) {
		struct ks_ask_option *o = &a->options[a->n_options++];

		ks_fold_text(o->id, sizeof(o->id), item, "id");
		ks_fold_text(o->name, sizeof(o->name), item, "name");
		ks_fold_text(o->kind, sizeof(o->kind), item, "kind");
	}
}

static void asked(struct ks_state *state, const struct ks_event *event)
{
	const struct ks_json *doc = event->doc;
	struct ks_asked *a;

	if (state->n_asks == KS_ASKS_MAX) {
		state->asks_lost++;
		return;
	}
	a = &state->asks[state->n_asks++];
	*a = (struct ks_asked){.seq = event->seq, .t = event->t,
		.form = event->kind == KS_EV_AGENT_ASKED, .row = state->n_rows - 1};
	ks_fold_text(a->ask, sizeof(a->ask), doc, "ask");
	ks_fold_text(a->tool, sizeof(a->tool), doc, "tool");
	ks_fold_text(a->call, sizeof(a->call), doc, "call");
	ks_fold_text(a->title, sizeof(a->title), doc, a->form ? "text" : "title");
	ks_fold_text(a->text, sizeof(a->text), doc, "text");
	if (a->text[0] == '\0') {
		ks_fold_text(a->text, sizeof(a->text), doc, "path");
	}
	a->cut = ks_json_get(doc, "blob") != NULL
		|| strlen(ks_json_get_str(doc, "text", "")) >= sizeof(a->text);
	a->form_fields = (int)ks_json_count(ks_json_get(doc, "fields"));
	read_options(a, ks_json_get(doc, "options"));
}

int ks_ask_find(const struct ks_state *state, const char *ask)
{
	for (int i = 0; ask != NULL && i < state->n_asks; i++) {
		if (strncmp(state->asks[i].ask, ask, sizeof(state->asks[i].ask) - 1) == 0) {
			return i;
		}
	}
	return -1;
}

static void remember(struct ks_state *state, const struct ks_asked *a)
{
	state->always[state->n_always++ % (sizeof(state->always) / sizeof(state->always[0]))] =
		ks_ask_hash(a->tool, a->text);
}

static void answered(struct ks_state *state, const struct ks_event *event)
{
	const struct ks_json *doc = event->doc;
	int i = ks_ask_find(state, ks_json_get_str(doc, "ask", NULL));

	if (i < 0) {
		return;
	}
	if (event->by == KS_BY_HUMAN && !state->asks[i].form && !state->asks[i].cut
		&& strcmp(ks_json_get_str(doc, "answer", ""), "allow_always") == 0) {
		remember(state, &state->asks[i]);
	}
	if (event->by == KS_BY_ENGINE && state->asks[i].row + 1 == state->n_rows
		&& strncmp(ks_json_get_str(doc, "answer", ""), "allow", 5) == 0) {
		state->n_rows--; /* what a rule allows at once is no row */
	} else {
		ks_fold_row_end(state, state->asks[i].row, event);
	}
	memmove(&state->asks[i], &state->asks[i + 1],
		sizeof(state->asks[0]) * (size_t)(state->n_asks - i - 1));
	state->n_asks--;
}

void ks_fold_ask(struct ks_state *state, const struct ks_event *event)
{
	if (event->kind == KS_EV_PERMISSION_ASKED || event->kind == KS_EV_AGENT_ASKED) {
		asked(state, event);
	} else {
		answered(state, event);
	}
}

/* ---- what it says of itself ---- */

static void session(struct ks_state *state, const struct ks_json *doc)
{
	ks_fold_text(state->session, sizeof(state->session), doc, "session");
	ks_fold_text(state->agent_version, sizeof(state->agent_version), doc, "version");
	memcpy(state->session_driver, state->driver, sizeof(state->session_driver));
	state->steers = ks_json_get_bool(doc, "steers", false);
}

static void mode(struct ks_state *state, const struct ks_json *doc)
{
	const struct ks_json *item = ks_json_first(ks_json_get(doc, "modes"));

	ks_fold_text(state->agent_mode, sizeof(state->agent_mode), doc, "mode");
	if (ks_json_get(doc, "modes") == NULL) {
		return;
	}
	state->n_agent_modes = 0;
	for (; item != NULL && state->n_agent_modes < KS_AGENT_MODES; item = ks_json_next(item)) {
		struct ks_agent_mode *m = &state->agent_modes[state->n_agent_modes++];

		ks_fold_text(m->id, sizeof(m->id), item, "id");
		ks_fold_text(m->name, sizeof(m->name), item, "name");
	}
}

static void usage(struct ks_state *state, const struct ks_json *doc)
{
	struct ks_usage *u = &state->usage;
	bool cost = ks_json_get(doc, "cost") != NULL;

	ks_fold_text(u->scope, sizeof(u->scope), doc, "scope");
	u->input = ks_json_get_int(doc, "input", 0);
	u->output = ks_json_get_int(doc, "output", 0);
	u->cached = ks_json_get_int(doc, "cached", 0);
	u->used = ks_json_get_int(doc, "used", u->used);
	u->size = ks_json_get_int(doc, "size", u->size);
	if (cost) {
		u->cost = ks_json_get_num(doc, "cost", 0);
		ks_fold_text(u->currency, sizeof(u->currency), doc, "currency");
		ks_fold_text(u->cost_scope, sizeof(u->cost_scope), doc, "cost_scope");
	}
}

static void plan(struct ks_state *state, const struct ks_event *event)
{
	const struct ks_json *item = ks_json_first(ks_json_get(event->doc, "entries"));

	state->plan = state->plan_done = 0;
	state->plan_seq = event->seq;
	for (; item != NULL; item = ks_json_next(item)) {
		state->plan++;
		state->plan_done +=
			strcmp(ks_json_get_str(item, "status", ""), "completed") == 0 ? 1 : 0;
	}
}

void ks_fold_self(struct ks_state *state, const struct ks_event *event)
{
	switch (event->kind) {
	case KS_EV_AGENT_SESSION:
		session(state, event->doc);
		break;
	case KS_EV_AGENT_MODE:
		mode(state, event->doc);
		break;
	case KS_EV_AGENT_USAGE:
		usage(state, event->doc);
		break;
	default:
		plan(state, event);
		break;
	}
}
