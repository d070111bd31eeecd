/*
 * The detectors. Each looks at the event just applied and at the state behind
 * it, and writes one line of evidence with the figures that it saw. Then the
 * rules against nagging: one open moment at a time, none of a kind again within
 * some tool calls unless a new champion came between, a dismissed kind rests
 * four times as long. A turn's end is always a point where a decision is due.
 */
#include "core/moment.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/plural.h"
#include "base/sane.h"
#include "core/scan.h"
#include "core/standing.h"

#define CLAIMS_MAX 12
#define WRONG_SUSPICIOUS 3.0 /* gain of a wrong code */

typedef bool detect_fn(const struct ks_state *state, const struct ks_policy *policy,
	const struct ks_event *event, struct ks_found *out);

static void quote_into(char *out, size_t size, struct ks_str sentence)
{
	ks_sane_into(out, size, ks_str_trim(sentence), KS_SANE_ONE_LINE);
}

/* The best name of a scenario for people: held-out ones have a number only. */
static const char *scenario_name(const struct ks_state *state, size_t i)
{
	return state->scenarios[i].name;
}

/* Whose clauses: " for candidate 9", " for the seed", "" before any. */
static void whose(char *out, size_t size, int number)
{
	char name[KS_CANDIDATE_TEXT];

	out[0] = '\0';
	if (number >= 0) {
		snprintf(out, size, " for %s", ks_candidate_name(name, number));
	}
}

/* ---- rules against nagging ---- */

/* A turn that ended where the loop will speak: a decision is due in any case,
 * so less is needed to say what kind it is. */
static bool at_end(const struct ks_state *state, const struct ks_event *event)
{
	return event->kind == KS_EV_TURN_ENDED && state->how == KS_HOW_ENDED
		&& state->goal != NULL && !state->goal_met && !state->manual;
}

static const struct ks_moment *last_of(const struct ks_state *state,
	enum ks_moment_kind kind)
{
	int i = state->moment_last[kind];

	return i < 0 ? NULL : &state->moments[i];
}

static bool supersedes(const struct ks_state *state, const struct ks_policy *policy,
	enum ks_moment_kind kind)
{
	const struct ks_moment *open = ks_state_open_moment(state);

	if (open == NULL) {
		return true;
	}
	if (open->kind == KS_MOMENT_PLATEAU && (kind == KS_MOMENT_BREAK
		|| kind == KS_MOMENT_WIN || kind == KS_MOMENT_LIMIT)) {
		return true;
	}
	/* A win may wait, and can be a measurement's noise; what the agent says
	 * of limits and errors decides what it does next. */
	if (open->kind == KS_MOMENT_WIN && (kind == KS_MOMENT_BREAK
		|| kind == KS_MOMENT_LIMIT)) {
		return true;
	}
	return state->calls - open->call >= policy->moment_distance;
}

static bool may_raise(const struct ks_state *state, const struct ks_policy *policy,
	const struct ks_event *event, enum ks_moment_kind kind)
{
	const struct ks_moment *last = last_of(state, kind);
	int64_t distance = policy->moment_distance;

	if (!supersedes(state, policy, kind)) {
		return false;
	}
	if (state->moment_open < 0 && at_end(state, event)) {
		return true;
	}
	if (last == NULL || last->seq < state->champion_seq) {
		return true;
	}
	if (last->state == KS_MOMENT_DISMISSED && last->by_person) {
		distance *= policy->moment_rest;
	}
	return state->calls - last->call >= distance;
}

/* ---- start ---- */

static bool detect_start(const struct ks_state *state, const struct ks_policy *policy,
	const struct ks_event *event, struct ks_found *out)
{
	char found[96];
	char best[KS_CANDIDATE_TEXT];
	size_t tried = state->n_candidates > 0 ? state->n_candidates - 1 : 0;

	if (state->n_messages > 0 || state->goal_met) {
		return false;
	}
	if (state->evals == 0) {
		snprintf(found, sizeof(found), "nothing measured yet");
	} else if (state->n_candidates < 2) {
		snprintf(found, sizeof(found), "only the seed measured so far");
	} else if (state->champion > 0) {
		snprintf(found, sizeof(found), "%zu candidate%s so far, best %.2fx "
			"(%s)", tried, ks_s((long long)tried), state->best,
			ks_candidate_name(best, state->candidates[state->champion].number));
	} else {
		snprintf(found, sizeof(found), "%zu candidate%s so far, none better than "
			"the seed", tried, ks_s((long long)tried));
	}
	out->kind = KS_MOMENT_START;
	snprintf(out->evidence, sizeof(out->evidence), "%zu scenario%s, %zu clause%s, %s",
		state->n_scenarios, ks_s((long long)state->n_scenarios), state->n_clauses,
		ks_s((long long)state->n_clauses), found);
	return true;
}

/* ---- claims ---- */

static void layer_words(char *out, size_t size, const struct ks_state *state, int layer)
{
	uint64_t since;

	if (layer == KS_LAYER_NONE) {
		out[0] = '\0';
		return;
	}
	since = ks_layers_since(&state->layers, layer);
	if (since == KS_LAYERS_NEVER) {
		snprintf(out, size, "; %s never measured", ks_layer_name(layer));
	} else if (since == 0) {
		snprintf(out, size, "; %s measured just now", ks_layer_name(layer));
	} else {
		snprintf(out, size, "; %s last measured %llu call%s ago",
			ks_layer_name(layer), (unsigned long long)since, ks_s((long long)since));
	}
}

static int outermost_unmeasured(const struct ks_state *state)
{
	for (int i = 0; i < KS_LAYERS; i++) {
		if (i != KS_LAYER_V
			&& ks_layers_since(&state->layers, i) == KS_LAYERS_NEVER) {
			return i;
		}
	}
	return KS_LAYER_NONE;
}

static void found_limit(const struct ks_state *state, const struct ks_claim *claim,
	struct ks_found *out)
{
	char quote[140];
	char words[96];
	int layer = claim->layer;

	out->kind = KS_MOMENT_LIMIT;
	out->layer = layer;
	snprintf(out->resource, sizeof(out->resource), "%s", claim->resource);
	if (layer == KS_LAYER_NONE) {
		layer = outermost_unmeasured(state);
	}
	quote_into(quote, sizeof(quote), claim->text);
	layer_words(words, sizeof(words), state, layer);
	snprintf(out->evidence, sizeof(out->evidence), "\"%s\"%s", quote, words);
}

static void found_completion(const struct ks_state *state,
	const struct ks_claim *claim, struct ks_found *out)
{
	char quote[180];
	char who[32];

	out->kind = KS_MOMENT_COMPLETION;
	quote_into(quote, sizeof(quote), claim->text);
	whose(who, sizeof(who), state->goal_candidate);
	snprintf(out->evidence, sizeof(out->evidence),
		"\"%s\"; %zu of %zu clause%s hold%s%s", quote, state->n_met,
		state->n_clauses, ks_s((long long)state->n_clauses),
		ks_verb_s((long long)state->n_clauses), who);
}

static void found_explained(const struct ks_state *state,
	const struct ks_claim *claim, struct ks_found *out)
{
	char quote[140];
	char name[KS_CANDIDATE_TEXT];

	out->kind = KS_MOMENT_BREAK;
	quote_into(quote, sizeof(quote), claim->text);
	snprintf(out->evidence, sizeof(out->evidence), "%s is wrong on %d scenario%s: \"%s\"",
		ks_candidate_name(name, state->scan->broken), state->scan->broken_wrong,
		ks_s(state->scan->broken_wrong), quote);
}

/* The claim to act on: a break before a limit before completion; of equals the
 * last, since it is what the text ends on. */
static const struct ks_claim *pick(const struct ks_state *state,
	const struct ks_claim *claims, size_t count)
{
	static const enum ks_claim_kind order[] = {
		KS_CLAIM_EXPLAINED, KS_CLAIM_LIMIT, KS_CLAIM_COMPLETION,
	};

	for (size_t o = 0; o < sizeof(order) / sizeof(order[0]); o++) {
		if ((order[o] == KS_CLAIM_EXPLAINED && state->scan->broken_seq == 0)
			|| (order[o] == KS_CLAIM_COMPLETION && (state->goal_met
				|| state->n_clauses == 0))) {
			continue;
		}
		for (size_t i = count; i-- > 0;) {
			if (claims[i].kind == order[o] && ks_claim_is_sure(&claims[i])) {
				return &claims[i];
			}
		}
	}
	return NULL;
}

static bool detect_claim(const struct ks_state *state, const struct ks_policy *policy,
	const struct ks_event *event, struct ks_found *out)
{
	const struct ks_scan *scan = state->scan;
	struct ks_claim claims[CLAIMS_MAX];
	struct ks_str text = {scan->text + scan->from, scan->to - scan->from};
	const struct ks_claim *claim;
	size_t count;

	if (scan->to <= scan->from || policy->claims == NULL) {
		return false;
	}
	count = ks_claim_scan(claims, CLAIMS_MAX, policy->claims, text);
	claim = pick(state, claims, count);
	if (claim == NULL) {
		return false;
	}
	quote_into(out->quote, sizeof(out->quote), claim->text);
	if (claim->kind == KS_CLAIM_LIMIT) {
		found_limit(state, claim, out);
	} else if (claim->kind == KS_CLAIM_COMPLETION) {
		found_completion(state, claim, out);
	} else {
		found_explained(state, claim, out);
	}
	return true;
}

/* ---- suspicious wins ---- */

static const struct ks_result *look_results(const struct ks_state *state)
{
	const struct ks_look *look = &state->look;

	if (look->results != NULL || look->candidate < 0) {
		return look->results;
	}
	return state->candidates[look->candidate].results;
}

/* The candidate that was evaluated. */
static const char *look_name(char out[KS_CANDIDATE_TEXT], const struct ks_state *state)
{
	return ks_candidate_name(out, state->candidates[state->look.candidate].number);
}

static bool below_floor(const struct ks_state *state, struct ks_found *out)
{
	const struct ks_result *r = look_results(state);
	char name[KS_CANDIDATE_TEXT];

	for (size_t i = 0; r != NULL && i < state->n_scenarios; i++) {
		double floor_us = state->scenarios[i].floor_us;

		if (r[i].measured && r[i].timed && floor_us > 0 && r[i].cand_us > 0
			&& r[i].cand_us < floor_us) {
			snprintf(out->evidence, sizeof(out->evidence),
				"%s takes %.3g us on %s, below its floor of "
				"%.3g us; would be refuted by: what it does on fresh "
				"inputs", look_name(name, state), r[i].cand_us,
				scenario_name(state, i), floor_us);
			return true;
		}
	}
	return false;
}

static bool wrong_and_fast(const struct ks_state *state, struct ks_found *out)
{
	const struct ks_result *r = look_results(state);
	char name[KS_CANDIDATE_TEXT];

	for (size_t i = 0; r != NULL && i < state->n_scenarios; i++) {
		if (r[i].measured && !r[i].correct && r[i].cand_us > 0
			&& r[i].seed_us > WRONG_SUSPICIOUS * r[i].cand_us) {
			snprintf(out->evidence, sizeof(out->evidence),
				"%s is wrong on %s and %.1fx faster than the seed "
				"there (%.3g us to %.3g us); would be refuted by: is the "
				"work still done?", look_name(name, state), scenario_name(state, i),
				r[i].seed_us / r[i].cand_us, r[i].seed_us, r[i].cand_us);
			return true;
		}
	}
	return false;
}

static bool big_step(const struct ks_state *state, struct ks_found *out)
{
	const struct ks_look *look = &state->look;
	char name[KS_CANDIDATE_TEXT], best[KS_CANDIDATE_TEXT];

	if (look->partial || look->figures.n_measured == 0
		|| look->figures.n_correct < look->figures.n_measured
		|| !(look->figures.geomean > (double)KS_SCAN_STEP * state->best)) {
		return false;
	}
	snprintf(out->evidence, sizeof(out->evidence),
		"%.2fx in one step: %s has %.2fx, the best before it %.2fx (%s)",
		look->figures.geomean / state->best, look_name(name, state),
		look->figures.geomean, state->best,
		ks_candidate_name(best, state->candidates[state->champion].number));
	return true;
}

/* What the evaluator itself found odd. */
static bool hinted(const struct ks_state *state, bool strong, struct ks_found *out)
{
	const struct ks_scan *scan = state->scan;

	if (scan->hint_eval != state->look.eval || (strong ? scan->strong : scan->hints) == 0) {
		return false;
	}
	if (scan->hints > 1) {
		snprintf(out->evidence, sizeof(out->evidence), "%.290s (and %d more)",
			scan->hint, scan->hints - 1);
	} else {
		snprintf(out->evidence, sizeof(out->evidence), "%s", scan->hint);
	}
	return true;
}

static bool detect_win(const struct ks_state *state, const struct ks_policy *policy,
	const struct ks_event *event, struct ks_found *out)
{
	const struct ks_look *look = &state->look;

	if (!look->perf || look->candidate <= 0
		|| look->eval != ks_json_get_int(event->doc, "eval", 0)
		|| state->candidates[look->candidate].number == state->scan->win) {
		return false;
	}
	if (!hinted(state, true, out) && !below_floor(state, out)
		&& !wrong_and_fast(state, out) && (look->confirm || !big_step(state, out))
		&& !hinted(state, false, out)) {
		return false;
	}
	out->kind = KS_MOMENT_WIN;
	return true;
}

/* ---- breaks without a sentence ---- */

/* The file that the event says is edited, "" for none. Some agents name it later
 * than the call. */
static const char *edited_path(const struct ks_state *state, const struct ks_event *event)
{
	const char *path = ks_json_get_str(event->doc, "path", "");
	const struct ks_tool *tool = state->tool_now >= 0 ? &state->tools[state->tool_now] : NULL;

	if (event->kind == KS_EV_FILE_CHANGED) {
		return path;
	}
	if (tool == NULL || !tool->edits) {
		return "";
	}
	return path[0] != '\0' ? path : tool->path;
}

/* The check is loosened while a candidate is wrong: the problem is edited, or
 * evaluations leave out what it was wrong on. */
static bool detect_loosened(const struct ks_state *state, const struct ks_policy *policy,
	const struct ks_event *event, struct ks_found *out)
{
	const struct ks_scan *scan = state->scan;
	const char *edited;
	char path[96], name[KS_CANDIDATE_TEXT];

	if (scan->broken_seq == 0) {
		return false;
	}
	edited = edited_path(state, event);
	if (ks_path_is_sealed(edited)) {
		quote_into(path, sizeof(path), ks_str_of(edited));
		snprintf(out->evidence, sizeof(out->evidence), "%s is edited while %s is wrong "
			"on %d scenario%s", path, ks_candidate_name(name, scan->broken),
			scan->broken_wrong, ks_s(scan->broken_wrong));
	} else if (event->kind == KS_EV_EVAL_FINISHED && scan->left_out == 2) {
		snprintf(out->evidence, sizeof(out->evidence), "%s was wrong on %d scenario%s; "
			"two evaluations since then tried none of them",
			ks_candidate_name(name, scan->broken), scan->broken_wrong,
			ks_s(scan->broken_wrong));
	} else {
		return false;
	}
	out->kind = KS_MOMENT_BREAK;
	return true;
}

/* ---- plateau ---- */

static bool plateau_may_come(const struct ks_state *state, const struct ks_event *event)
{
	if (event->kind == KS_EV_EVAL_FINISHED
		&& (state->look.confirm || ks_standing_wants_confirm(state))) {
		return false;
	}
	return state->n_candidates > 0 && state->evals > 0 && !state->goal_met
		&& !state->build_failed && !state->edited && !state->eval.running
		&& state->eval_queue == 0;
}

/* "6 evaluations, 9 calls and 3 min"; what is nothing is left out. */
static void spent_words(char *out, size_t size, int evals, int calls, int64_t minutes)
{
	char called[32] = "";
	char waited[32] = "";

	if (calls > 0) {
		snprintf(called, sizeof(called), "%s%d call%s", minutes > 0 ? ", " : " and ",
			calls, ks_s(calls));
	}
	if (minutes > 0) {
		snprintf(waited, sizeof(waited), " and %lld min", (long long)minutes);
	}
	snprintf(out, size, "%d evaluation%s%s%s", evals, ks_s(evals), called,
		waited);
}

static bool detect_plateau(const struct ks_state *state, const struct ks_policy *policy,
	const struct ks_event *event, struct ks_found *out)
{
	const struct ks_scan *scan = state->scan;
	const struct ks_candidate *best;
	int evals = policy->plateau_evals;
	int calls = state->calls - scan->call;
	int64_t ms = (event->t - scan->t) / 1000;
	char spent[80], name[KS_CANDIDATE_TEXT];
	double noise;

	if (!plateau_may_come(state, event)) {
		return false;
	}
	if (at_end(state, event)) {
		evals = (evals + 1) / 2;
	}
	if (!(scan->evals >= evals
		|| (scan->evals > 0 && calls >= policy->plateau_calls)
		|| (scan->evals > 0 && ms >= policy->plateau_ms))) {
		return false;
	}
	if (!may_raise(state, policy, event, KS_MOMENT_PLATEAU)) {
		return false; /* before words are made: this stands for many events */
	}
	best = &state->candidates[state->champion];
	noise = best->geomean > 0 ? 100 * ks_state_margin(best) / best->geomean : 0;
	out->kind = KS_MOMENT_PLATEAU;
	spent_words(spent, sizeof(spent), scan->evals, calls, ms / 60000);
	snprintf(out->evidence, sizeof(out->evidence),
		"%s without a gain beyond the noise (%.1f %%): best %.2fx, %s",
		spent, noise, state->best, ks_candidate_name(name, best->number));
	return true;
}

/* ---- a turn's end with unmet clauses ---- */

static void open_words(char *out, size_t size, const struct ks_state *state,
	const struct ks_standing *standing)
{
	size_t first = 0;
	size_t more = standing->n - standing->n_met;

	if (more == 0) {
		snprintf(out, size, "not confirmed yet");
		return;
	}
	while (standing->results[first].outcome == KS_GOAL_YES) {
		first++;
	}
	if (more == 1) {
		snprintf(out, size, "open: %.120s", ks_goal_text(state->goal, first));
	} else {
		snprintf(out, size, "open: %.120s, and %zu more",
			ks_goal_text(state->goal, first), more - 1);
	}
}

static bool detect_end(const struct ks_state *state, const struct ks_policy *policy,
	const struct ks_event *event, struct ks_found *out)
{
	struct ks_standing standing;
	char who[32], words[160];

	if (state->how != KS_HOW_ENDED || state->goal == NULL || state->queued > 0) {
		return false;
	}
	ks_standing_init(&standing, state);
	if (!standing.met && standing.candidate >= 0) {
		out->kind = KS_MOMENT_COMPLETION;
		whose(who, sizeof(who), state->candidates[standing.candidate].number);
		open_words(words, sizeof(words), state, &standing);
		snprintf(out->evidence, sizeof(out->evidence),
			"the turn ended with %zu of %zu clause%s met%s; %s",
			standing.n_met, standing.n, ks_s((long long)standing.n), who, words);
	}
	ks_standing_fini(&standing);
	return out->kind != KS_MOMENT_NONE;
}

static void clear(struct ks_found *out)
{
	out->kind = KS_MOMENT_NONE;
	out->layer = KS_LAYER_NONE;
	out->evidence[0] = out->resource[0] = out->quote[0] = '\0';
}

/* The detectors in their order, each with the kinds of events that it looks at:
 * nearly every event is looked at by none, so it costs nothing. Sentences are
 * complete with the words themselves, or with what begins behind them. */
static const struct {
	detect_fn *detect;
	uint64_t at;
} detectors[] = {
	{detect_start, KS_EV_BIT(AGENT_STARTED)},
	{detect_loosened, KS_EV_BIT(FILE_CHANGED) | KS_EV_BIT(TOOL_STARTED)
		| KS_EV_BIT(TOOL_UPDATED) | KS_EV_BIT(EVAL_FINISHED)},
	{detect_win, KS_EV_BIT(EVAL_FINISHED)},
	{detect_claim, KS_EV_BIT(AGENT_SAID) | KS_EV_BIT(AGENT_THOUGHT)
		| KS_EV_BIT(TOOL_STARTED) | KS_EV_BIT(TURN_STARTED) | KS_EV_BIT(TURN_ENDED)
		| KS_EV_BIT(AGENT_EXITED)},
	{detect_plateau, KS_EV_BIT(EVAL_FINISHED) | KS_EV_BIT(TOOL_ENDED)
		| KS_EV_BIT(TURN_ENDED)},
};

void ks_moment_scan(const struct ks_state *state, const struct ks_policy *policy,
	const struct ks_event *event, struct ks_found *out)
{
	uint64_t bit = UINT64_C(1) << event->kind;

	clear(out);
	for (size_t i = 0; i < sizeof(detectors) / sizeof(detectors[0]); i++) {
		if ((detectors[i].at & bit) == 0) {
			continue;
		}
		if (detectors[i].detect(state, policy, event, out)
			&& may_raise(state, policy, event, out->kind)) {
			return;
		}
		clear(out);
	}
	if (event->kind == KS_EV_TURN_ENDED && state->moment_open < 0) {
		detect_end(state, policy, event, out);
	}
}
