/*
 * From results to clauses: lays the results of one candidate out as the facts
 * that the goal reads, with axes parsed when a clause asks for one.
 */
#include "core/standing.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/plural.h"
#include "core/fields.h"

#define WORDS_MAX (12 * 1024)

struct facts {
	struct ks_goal_facts goal;
	struct ks_goal_scenario *scenarios;
	const struct ks_scenario *declared; /* count */
	struct ks_json **axes;              /* of those that were asked for */
	size_t count;
	struct ks_str symbols[64];
};

static int read_axis(const void *user, size_t scenario, struct ks_str axis,
	double *out_number, struct ks_str *out_word)
{
	const struct facts *facts = user;
	const struct ks_json *node;
	const char *text;
	char name[KS_NAME_MAX];

	if (scenario >= facts->count || axis.len >= sizeof(name)) {
		return 0;
	}
	text = facts->declared[scenario].axes;
	if (facts->axes[scenario] == NULL && text != NULL) {
		ks_json_parse(&facts->axes[scenario], text, strlen(text), NULL);
	}
	memcpy(name, axis.ptr, axis.len);
	name[axis.len] = '\0';
	node = ks_json_get(facts->axes[scenario], name);
	switch (ks_json_type(node)) {
	case KS_JSON_NUMBER:
		*out_number = ks_json_num(node, 0);
		return 1;
	case KS_JSON_BOOL:
		*out_number = ks_json_bool(node, false) ? 1 : 0;
		return 1;
	case KS_JSON_STRING:
		*out_word = ks_str_of(ks_json_str(node, ""));
		return 2;
	default:
		return 0;
	}
}

static void read_scenario(struct ks_goal_scenario *out, const struct ks_scenario *s,
	const struct ks_result *r)
{
	*out = (struct ks_goal_scenario){
		.name = ks_str_of(s->name), .set = ks_str_of(s->set),
		.heldout = s->heldout,
		.roofline = NAN, .roofline_lo = NAN, .roofline_hi = NAN,
	};
	if (r == NULL || !r->measured) {
		return;
	}
	out->measured = true;
	out->correct = r->correct;
	out->timed = r->timed;
	out->speedup = r->speedup;
	out->lo = r->lo;
	out->hi = r->hi;
	if (r->roofline >= 0) {
		out->roofline = r->roofline;
	}
}

static void read_symbols(struct facts *facts, const struct ks_candidate *c)
{
	struct ks_str rest = ks_str_of(c->libraries);
	struct ks_str name;
	size_t max = sizeof(facts->symbols) / sizeof(facts->symbols[0]);

	facts->goal.symbols_known = c->facts_known;
	facts->goal.lines_known = c->facts_known;
	facts->goal.source_lines = c->lines > 0 ? (size_t)c->lines : 0;
	while (facts->goal.symbol_count < max && ks_str_next(&rest, '\n', &name)) {
		if (name.len > 0) {
			facts->symbols[facts->goal.symbol_count++] = name;
		}
	}
	facts->goal.symbols = facts->symbols;
}

static void facts_init(struct facts *facts, const struct ks_state *state,
	const struct ks_candidate *c)
{
	*facts = (struct facts){.count = state->n_scenarios, .declared = state->scenarios};
	if (facts->count > 0) {
		facts->scenarios = ks_zalloc(facts->count, sizeof(*facts->scenarios));
		facts->axes = ks_zalloc(facts->count, sizeof(*facts->axes));
	}
	for (size_t i = 0; i < facts->count; i++) {
		read_scenario(&facts->scenarios[i], &state->scenarios[i],
			c->results != NULL ? &c->results[i] : NULL);
	}
	read_symbols(facts, c);
	facts->goal.scenarios = facts->scenarios;
	facts->goal.count = facts->count;
	facts->goal.axis = read_axis;
	facts->goal.user = facts;
	facts->goal.confirmed = c->confirmed;
	facts->goal.mean = c->geomean;
	facts->goal.mean_lo = c->geo_lo;
	facts->goal.mean_hi = c->geo_hi;
}

static void facts_fini(struct facts *facts)
{
	for (size_t i = 0; i < facts->count; i++) {
		ks_json_free(facts->axes[i]);
	}
	free(facts->axes);
	free(facts->scenarios);
}

void ks_standing_init_of(struct ks_standing *out, const struct ks_state *state,
	int candidate)
{
	struct facts facts;

	*out = (struct ks_standing){.candidate = candidate};
	if (state->goal == NULL || candidate < 0) {
		return;
	}
	facts_init(&facts, state, &state->candidates[candidate]);
	out->n = ks_goal_count(state->goal);
	out->results = ks_zalloc(out->n, sizeof(*out->results));
	out->n_met = ks_goal_eval_all(out->results, state->goal, &facts.goal);
	out->met = ks_goal_met(out->results, out->n, &facts.goal);
	out->confirmed = facts.goal.confirmed;
	facts_fini(&facts);
}

bool ks_standing_meets(const struct ks_state *state, int candidate)
{
	const struct ks_candidate *c = &state->candidates[candidate];
	struct ks_standing standing;
	bool met;

	if (!c->confirmed || c->results == NULL) {
		return false;
	}
	ks_standing_init_of(&standing, state, candidate);
	met = standing.met;
	ks_standing_fini(&standing);
	return met;
}

/* The best confirmed candidate that meets the goal; the champion where it does.
 * -1: none. */
static int holder(const struct ks_state *state)
{
	int best = -1;

	if (ks_standing_meets(state, state->champion)) {
		return state->champion;
	}
	for (size_t i = 0; i < state->n_candidates; i++) {
		const struct ks_candidate *c = &state->candidates[i];

		if ((best < 0 || c->geomean > state->candidates[best].geomean)
			&& ks_standing_meets(state, (int)i)) {
			best = (int)i;
		}
	}
	return best;
}

void ks_standing_init(struct ks_standing *out, const struct ks_state *state)
{
	struct ks_standing other;
	int meets;
	bool newer;

	if (state->n_candidates == 0) {
		*out = (struct ks_standing){.candidate = -1};
		return;
	}
	meets = holder(state);
	ks_standing_init_of(out, state, meets >= 0 ? meets : state->champion);
	if (meets >= 0 || state->last < 0 || state->last == state->champion) {
		return;
	}
	ks_standing_init_of(&other, state, state->last);
	newer = state->candidates[state->champion].results == NULL
		? other.n_met >= out->n_met : other.n_met > out->n_met;
	if (newer) {
		ks_standing_fini(out);
		*out = other;
	} else {
		ks_standing_fini(&other);
	}
}

void ks_standing_fini(struct ks_standing *standing)
{
	if (standing != NULL) {
		free(standing->results);
		standing->results = NULL;
	}
}

bool ks_standing_wants_confirm(const struct ks_state *state)
{
	const struct ks_look *look = &state->look;
	const struct ks_candidate *c, *champion;
	struct ks_standing standing;
	bool all;

	if (!look->finished || look->confirm || look->partial || !look->perf
		|| look->candidate <= 0 || look->figures.n_measured == 0
		|| look->figures.n_correct < look->figures.n_measured) {
		return false;
	}
	c = &state->candidates[look->candidate];
	champion = &state->candidates[state->champion];
	if (c->confirmed) {
		return false;
	}
	if (look->candidate != state->champion && c->geomean - ks_state_margin(c)
		> state->best + ks_state_margin(champion)) {
		return true;
	}
	if (holder(state) >= 0) {
		return false;
	}
	ks_standing_init_of(&standing, state, look->candidate);
	all = standing.n > 0 && standing.n_met == standing.n;
	ks_standing_fini(&standing);
	return all;
}

static const char *outcome_name(enum ks_goal_outcome outcome)
{
	return outcome == KS_GOAL_YES ? "yes" : outcome == KS_GOAL_NO ? "no" : "unknown";
}

static int number_of(const struct ks_standing *standing, const struct ks_state *state)
{
	return standing->candidate < 0 ? -1
		: state->candidates[standing->candidate].number;
}

void ks_standing_fields(const struct ks_standing *standing,
	const struct ks_state *state, int64_t until, struct ks_buf *fields)
{
	struct ks_fields f;

	ks_fields_init(&f);
	ks_jw_int(&f.w, "candidate", number_of(standing, state));
	ks_jw_bool(&f.w, "met", standing->met);
	ks_jw_int(&f.w, "n_met", (int64_t)standing->n_met);
	ks_jw_int(&f.w, "n", (int64_t)standing->n);
	ks_jw_open_array(&f.w, "clauses");
	for (size_t i = 0; i < standing->n; i++) {
		ks_jw_open(&f.w, NULL);
		ks_jw_str(&f.w, "text", ks_goal_text(state->goal, i));
		ks_jw_str(&f.w, "outcome", outcome_name(standing->results[i].outcome));
		ks_jw_str(&f.w, "line", standing->results[i].text);
		ks_jw_close(&f.w);
	}
	ks_jw_close_array(&f.w);
	if (until > 0) {
		ks_jw_int(&f.w, "until", until);
	}
	ks_fields_take(&f, fields);
}

void ks_standing_words(const struct ks_standing *standing,
	const struct ks_state *state, struct ks_buf *out)
{
	size_t start = out->len;
	char name[KS_CANDIDATE_TEXT];

	if (standing->n == 0 || standing->met) {
		return;
	}
	if (standing->n_met == standing->n) {
		ks_buf_addf(out, "Every clause of the goal holds for %s, but "
			"a confirming run has not repeated it yet.\n",
			ks_candidate_name(name, number_of(standing, state)));
		return;
	}
	ks_buf_addf(out, "The goal is not met: %zu of %zu clause%s hold%s", standing->n_met,
		standing->n, ks_s((long long)standing->n), ks_verb_s((long long)standing->n));
	if (standing->candidate >= 0) {
		ks_buf_addf(out, " for %s", ks_candidate_name(name, number_of(standing, state)));
	}
	ks_buf_adds(out, ".\n");
	for (size_t i = 0; i < standing->n && out->len - start < WORDS_MAX; i++) {
		const struct ks_goal_result *r = &standing->results[i];

		if (r->outcome == KS_GOAL_YES) {
			continue;
		}
		ks_buf_addf(out, "- %s: %s", r->outcome == KS_GOAL_NO ? "not met"
			: "unknown", ks_goal_text(state->goal, i));
		if (r->text[0] != '\0') {
			ks_buf_addf(out, " (%s)", r->text);
		}
		ks_buf_addc(out, '\n');
	}
	ks_buf_adds(out, "Go on until every clause holds; `kseek eval` measures and "
		"`kseek goal` prints the clauses.\n");
}
