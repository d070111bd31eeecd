/*
 * Words in the fold: messages and their queue, moments, the goal. The outcome
 * of a message runs until the next one; that of a message that steers (more
 * than the goal's unmet clauses) until the next that steers.
 */
#include <string.h>

#include "base/mem.h"
#include "core/fold.h"

static void use_id(struct ks_state *state, int64_t id)
{
	if (id >= state->next_id && id < INT64_MAX) {
		state->next_id = id + 1;
	}
}

/* ---- messages ---- */

static void enqueue(struct ks_state *state, const struct ks_event *event)
{
	struct ks_queued *q;
	const struct ks_json *doc = event->doc;
	const char *text = ks_json_get_str(doc, "text", "");
	size_t row = ks_fold_row(state, event);

	if (state->queued == KS_QUEUE_MAX) {
		return;
	}
	q = &state->queue[state->queued++];
	*q = (struct ks_queued){.id = ks_json_get_int(doc, "id", 0),
		.moment = ks_json_get_int(doc, "moment", 0), .row = row};
	ks_fold_text(q->question, sizeof(q->question), doc, "question");
	ks_fold_text(q->via, sizeof(q->via), doc, "via");
	q->text = ks_strndup(text, strlen(text));
}

/* Index in the queue of the message that waits with this id, or -1. */
static int queued_at(const struct ks_state *state, int64_t id)
{
	for (int i = 0; i < state->queued; i++) {
		if (state->queue[i].id == id) {
			return i;
		}
	}
	return -1;
}

/* The row of a message that waited ends when it is sent; any other has its own. */
static void row_of_sent(struct ks_state *state, const struct ks_event *event, int64_t id)
{
	int at = queued_at(state, id);

	if (at >= 0) {
		ks_fold_row_end(state, state->queue[at].row, event);
	} else {
		ks_fold_row(state, event);
	}
}

/* Takes messages up to and with this id off the queue. */
static void dequeue(struct ks_state *state, int64_t id)
{
	int n = queued_at(state, id) + 1;

	for (int i = 0; i < n; i++) {
		free(state->queue[i].text);
	}
	memmove(&state->queue[0], &state->queue[n],
		sizeof(state->queue[0]) * (size_t)(state->queued - n));
	state->queued -= n;
}

/* Messages of the loop itself carry no question and no idea. */
static bool says_nothing_new(const char *via)
{
	return strcmp(via, "goal") == 0 || strcmp(via, "retry") == 0
		|| strcmp(via, "brief") == 0;
}

static void sent(struct ks_state *state, const struct ks_event *event)
{
	const struct ks_json *doc = event->doc;
	struct ks_message *m;
	struct ks_str act = ks_str_of(ks_json_get_str(doc, "act", ""));
	int known = ks_act_of(act);
	bool only_goal = says_nothing_new(ks_json_get_str(doc, "via", ""));

	ks_grow(&state->messages, &state->cap_messages, state->n_messages + 1,
		sizeof(state->messages[0]));
	m = &state->messages[state->n_messages++];
	*m = (struct ks_message){.id = ks_json_get_int(doc, "id", 0),
		.seq = event->seq, .t = event->t, .by = event->by,
		.act = known < 0 ? KS_ACT_DIRECTIVE : (enum ks_act)known,
		.interrogative = ks_json_get_bool(doc, "interrogative", false),
		.is_goal = only_goal,
		.moment = ks_state_moment(state, ks_json_get_int(doc, "moment", 0)),
		.mapped = state->layers.calls,
		.before = state->best, .after = state->best,
		.layer_next = KS_LAYER_NONE};
	ks_fold_text(m->question, sizeof(m->question), doc, "question");
	ks_fold_text(m->preview, sizeof(m->preview), doc, "text");
	use_id(state, m->id);
	row_of_sent(state, event, m->id);
	dequeue(state, m->id);
	if (!only_goal) {
		state->steer = (int)state->n_messages - 1;
	}
	state->draft_until = 0;
	state->briefed = true;
	if (state->agent == KS_AGENT_WAITING && !state->manual) {
		state->agent = KS_AGENT_WORKING;
		state->agent_t = event->t;
		state->how = KS_HOW_NONE;
	}
}

static void revised(struct ks_state *state, const struct ks_event *event)
{
	const char *text = ks_json_get_str(event->doc, "text", NULL);
	int i = queued_at(state, ks_json_get_int(event->doc, "id", 0));

	if (i < 0) {
		return;
	}
	free(state->queue[i].text);
	if (text != NULL) {
		state->queue[i].text = ks_strdup(text);
		return;
	}
	ks_fold_row_end(state, state->queue[i].row, event);
	state->queued--;
	memmove(&state->queue[i], &state->queue[i + 1],
		sizeof(state->queue[0]) * (size_t)(state->queued - i));
}

void ks_fold_message(struct ks_state *state, const struct ks_event *event)
{
	if (event->kind == KS_EV_MESSAGE_REVISED) {
		revised(state, event);
		return;
	}
	if (event->kind == KS_EV_MESSAGE_QUEUED) {
		use_id(state, ks_json_get_int(event->doc, "id", 0));
		enqueue(state, event);
	} else {
		sent(state, event);
	}
}

/* ---- moments ---- */

static void read_offers(struct ks_moment *m, const struct ks_json *list)
{
	const struct ks_json *item = ks_json_first(list);

	for (; item != NULL && m->n_offers < KS_OFFERS; item = ks_json_next(item)) {
		struct ks_offer *o = &m->offers[m->n_offers++];
		const char *layer = ks_json_get_str(item, "layer", "?");

		ks_fold_text(o->question, sizeof(o->question), item, "question");
		ks_fold_text(o->text, sizeof(o->text), item, "text");
		ks_fold_text(o->reason, sizeof(o->reason), item, "reason");
		o->layer = layer[0] >= 'A' && layer[0] <= 'Z' ? layer[0] : '?';
	}
}

static void raised(struct ks_state *state, const struct ks_event *event)
{
	const struct ks_json *doc = event->doc;
	struct ks_moment *m;

	ks_grow(&state->moments, &state->cap_moments, state->n_moments + 1,
		sizeof(state->moments[0]));
	m = &state->moments[state->n_moments];
	*m = (struct ks_moment){.id = ks_json_get_int(doc, "moment", 0),
		.seq = event->seq, .t = event->t,
		.kind = ks_moment_from_name(ks_json_get_str(doc, "moment_kind", "")),
		.cause = ks_json_get_int(doc, "cause", 0),
		.call = state->calls};
	ks_fold_text(m->evidence, sizeof(m->evidence), doc, "evidence");
	ks_fold_text(m->resource, sizeof(m->resource), doc, "resource");
	read_offers(m, ks_json_get(doc, "offers"));
	use_id(state, m->id);
	state->moment_open = (int)state->n_moments++;
	state->moment_last[m->kind] = state->moment_open;
	if (ks_json_get_int(doc, "until", 0) > 0) {
		state->draft_until = ks_json_get_int(doc, "until", 0);
	}
}

/* Once in the chain, whatever a log says twice. */
static void dismissed_by_person(struct ks_state *state, int i)
{
	struct ks_moment *m = &state->moments[i];

	if (!m->by_person) {
		m->by_person = true;
		m->by_person_before = state->moment_by_person;
		state->moment_by_person = i;
	}
}

void ks_fold_moment(struct ks_state *state, const struct ks_event *event)
{
	int i;

	if (event->kind == KS_EV_MOMENT_RAISED) {
		raised(state, event);
		return;
	}
	i = ks_state_moment(state, ks_json_get_int(event->doc, "moment", 0));
	if (i < 0) {
		return;
	}
	state->moments[i].state = event->kind == KS_EV_MOMENT_ANSWERED
		? KS_MOMENT_ANSWERED : KS_MOMENT_DISMISSED;
	if (event->kind == KS_EV_MOMENT_DISMISSED) {
		if (event->by == KS_BY_HUMAN) {
			dismissed_by_person(state, i);
		}
		state->draft_until = 0;
	}
	if (state->moment_open == i) {
		state->moment_open = -1;
	}
}

/* ---- the goal ---- */

static struct ks_clause_state *clauses_resize(struct ks_state *state, size_t count)
{
	for (size_t i = count; i < state->n_clauses; i++) {
		free(state->clauses[i].text);
	}
	if (count == 0) {
		free(state->clauses);
		state->clauses = NULL;
	} else {
		state->clauses = ks_realloc(state->clauses, count,
			sizeof(state->clauses[0]));
	}
	for (size_t i = state->n_clauses; i < count; i++) {
		state->clauses[i] = (struct ks_clause_state){0};
	}
	state->n_clauses = count;
	return state->clauses;
}

static void set_clause(struct ks_clause_state *clause, const char *text)
{
	free(clause->text);
	clause->text = ks_strdup(text);
	clause->outcome = KS_GOAL_UNKNOWN;
}

void ks_fold_goal_lines(struct ks_state *state, const struct ks_json *lines)
{
	struct ks_str texts[KS_GOAL_MAX_CLAUSES];
	size_t count = 0;
	const struct ks_json *line = ks_json_first(lines);

	for (; line != NULL && count < KS_GOAL_MAX_CLAUSES; line = ks_json_next(line)) {
		texts[count++] = ks_str_of(ks_json_str(line, ""));
	}
	ks_goal_free(state->goal);
	state->goal = NULL;
	if (count > 0 && ks_goal_parse(&state->goal, texts, count, NULL, NULL) == 0) {
		count = ks_goal_count(state->goal);
	}
	clauses_resize(state, count);
	for (size_t i = 0; i < count; i++) {
		if (state->goal != NULL) {
			set_clause(&state->clauses[i], ks_goal_text(state->goal, i));
		} else {
			set_clause(&state->clauses[i], texts[i].ptr);
		}
	}
}

static enum ks_goal_outcome outcome_of(const char *name)
{
	return strcmp(name, "yes") == 0 ? KS_GOAL_YES
		: strcmp(name, "no") == 0 ? KS_GOAL_NO : KS_GOAL_UNKNOWN;
}

/* A goal that a confirmed candidate meets is not lost by trying another one. */
static bool still_met(const struct ks_state *state, const struct ks_event *event)
{
	int holder = ks_state_candidate_number(state, state->goal_candidate);

	return state->goal_met && !ks_json_get_bool(event->doc, "met", false)
		&& ks_fold_int(event->doc, "candidate", -1) != state->goal_candidate
		&& holder >= 0 && state->candidates[holder].confirmed;
}

static void computed(struct ks_state *state, const struct ks_event *event)
{
	const struct ks_json *list = ks_json_get(event->doc, "clauses");
	const struct ks_json *item = ks_json_first(list);
	size_t count = ks_json_count(list);

	state->goal_seq = event->seq;
	if (still_met(state, event)) {
		return;
	}
	count = count > KS_GOAL_MAX_CLAUSES ? KS_GOAL_MAX_CLAUSES : count;
	clauses_resize(state, count);
	state->n_met = 0;
	for (size_t i = 0; i < count; i++, item = ks_json_next(item)) {
		struct ks_clause_state *c = &state->clauses[i];

		set_clause(c, ks_json_get_str(item, "text", ""));
		c->outcome = outcome_of(ks_json_get_str(item, "outcome", ""));
		ks_fold_text(c->line, sizeof(c->line), item, "line");
		state->n_met += c->outcome == KS_GOAL_YES ? 1 : 0;
	}
	state->goal_met = ks_json_get_bool(event->doc, "met", false);
	state->goal_candidate = ks_fold_int(event->doc, "candidate", -1);
	if (ks_json_get_int(event->doc, "until", 0) > 0) {
		state->draft_until = ks_json_get_int(event->doc, "until", 0);
	}
}

void ks_fold_goal(struct ks_state *state, const struct ks_event *event)
{
	if (event->kind == KS_EV_GOAL_COMPUTED) {
		computed(state, event);
	} else {
		state->sent_back++;
		state->sent_back_t = event->t;
	}
}
