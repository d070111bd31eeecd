/*
 * Birth, death and look-ups of the state. Nothing here changes a state that is
 * in use: that is evolve's alone.
 */
#include "core/state.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "core/fold.h"
#include "core/moment.h"

static const char *const moment_names[] = {
	"none", "start", "plateau", "limit", "completion", "win", "break",
};
static const char *const mode_names[] = {"human", "bank", "none"};
static const char *const how_names[] = {
	"none", "ended", "error", "cancelled", "limit",
};

static int name_index(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; name != NULL && i < count; i++) {
		if (strcmp(names[i], name) == 0) {
			return (int)i;
		}
	}
	return -1;
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

const char *ks_moment_name(enum ks_moment_kind kind)
{
	return (size_t)kind < COUNT(moment_names) ? moment_names[kind] : "none";
}

enum ks_moment_kind ks_moment_from_name(const char *name)
{
	int i = name_index(moment_names, COUNT(moment_names), name);

	return i < 0 ? KS_MOMENT_NONE : (enum ks_moment_kind)i;
}

const char *ks_mode_name(enum ks_mode mode)
{
	return (size_t)mode < COUNT(mode_names) ? mode_names[mode] : "human";
}

int ks_mode_from_name(const char *name)
{
	return name_index(mode_names, COUNT(mode_names), name);
}

const char *ks_verdict_text(enum ks_verdict verdict)
{
	static const char *const texts[] = {"no clear difference", "faster", "slower",
		"not judged (the machine was busy)"};

	return texts[verdict];
}

const char *ks_how_name(enum ks_how how)
{
	return (size_t)how < COUNT(how_names) ? how_names[how] : "none";
}

enum ks_how ks_how_from_name(const char *name)
{
	int i = name_index(how_names, COUNT(how_names), name);

	return i < 0 ? KS_HOW_NONE : (enum ks_how)i;
}

void ks_state_init(struct ks_state *state)
{
	*state = (struct ks_state){0};
	state->last = -1;
	state->best = 1;
	state->moment_open = -1;
	state->moment_by_person = -1;
	for (int i = 0; i < KS_MOMENT_KINDS; i++) {
		state->moment_last[i] = -1;
	}
	state->steer = -1;
	state->next_id = 1;
	state->eval.candidate = -1;
	state->look.candidate = -1;
	state->goal_candidate = -1;
	state->tool_now = -1;
	state->usage.cost = -1;
	ks_layers_init(&state->layers);
	state->scan = ks_scan_new();
	state->memo = ks_memo_new();
}

void ks_results_free(struct ks_result *results, size_t count)
{
	if (results == NULL) {
		return;
	}
	for (size_t i = 0; i < count; i++) {
		free(results[i].why);
	}
	free(results);
}

void ks_state_fini(struct ks_state *state)
{
	if (state == NULL) {
		return;
	}
	for (size_t i = 0; i < state->n_candidates; i++) {
		struct ks_candidate *c = &state->candidates[i];

		ks_results_free(c->results, state->n_scenarios);
		free(c->libraries);
	}
	for (size_t i = 0; i < state->n_scenarios; i++) {
		free(state->scenarios[i].axes);
	}
	for (size_t i = 0; i < state->n_clauses; i++) {
		free(state->clauses[i].text);
	}
	for (int i = 0; i < state->queued; i++) {
		free(state->queue[i].text);
	}
	ks_results_free(state->look.results, state->n_scenarios);
	ks_goal_free(state->goal);
	ks_scan_free(state->scan);
	ks_memo_free(state->memo);
	free(state->definition_name);
	free(state->definition_tags);
	free(state->candidates);
	free(state->hash_slots);
	free(state->scenarios);
	free(state->clauses);
	free(state->messages);
	free(state->moments);
	free(state->rows);
	*state = (struct ks_state){0};
}

int ks_state_scenario(const struct ks_state *state, const char *name)
{
	for (size_t i = 0; name != NULL && i < state->n_scenarios; i++) {
		if (strcmp(state->scenarios[i].name, name) == 0) {
			return (int)i;
		}
	}
	return -1;
}

struct ks_str ks_state_arch(const struct ks_state *state)
{
	struct ks_str arch = ks_str_of(state->arch);
	size_t len = strlen(state->target);

	return arch.len > len && strncmp(arch.ptr, state->target, len) == 0 &&
		arch.ptr[len] == ' ' ? ks_str_of(state->arch + len + 1) : arch;
}

const char *ks_candidate_fate(const struct ks_candidate *candidate)
{
	return candidate->built || candidate->n_measured > 0 ? NULL
		: candidate->failed ? "does not build" : "not measured";
}

const char *ks_candidate_name(char out[KS_CANDIDATE_TEXT], int number)
{
	snprintf(out, KS_CANDIDATE_TEXT, number == 0 ? "the seed" : number < 0 ? "a variant"
		: "candidate %d", number);
	return out;
}

const char *ks_candidate_short(char out[KS_CANDIDATE_TEXT], int number)
{
	snprintf(out, KS_CANDIDATE_TEXT, number == 0 ? "seed" : number < 0 ? "variant" : "c%d",
		number);
	return out;
}

int ks_state_candidate_number(const struct ks_state *state, int64_t number)
{
	if (number < 0 || state->n_candidates == 0 || number > state->top_number) {
		return -1;
	}
	if ((uint64_t)number < state->n_candidates
		&& state->candidates[number].number == number) {
		return (int)number;
	}
	for (size_t i = 0; i < state->n_candidates; i++) {
		if (state->candidates[i].number == number) {
			return (int)i;
		}
	}
	return -1;
}

/* A decimal number that is the whole text, or -1. */
static int64_t whole_number(const char *text)
{
	int64_t n = 0;

	if (text[0] == '\0' || strlen(text) > 9
		|| (text[0] == '0' && text[1] != '\0')) {
		return -1;
	}
	for (; *text != '\0'; text++) {
		if (*text < '0' || *text > '9') {
			return -1;
		}
		n = n * 10 + (*text - '0');
	}
	return n;
}

static int by_commit(const struct ks_state *state, const char *prefix)
{
	size_t len = strlen(prefix);
	int found = -1;

	if (len < 4 || len > 40 || strspn(prefix, "0123456789abcdef") != len) {
		return -1;
	}
	for (size_t i = 0; i < state->n_candidates; i++) {
		if (strncmp(state->candidates[i].commit, prefix, len) != 0) {
			continue;
		}
		if (found >= 0) {
			return -1;
		}
		found = (int)i;
	}
	return found;
}

int ks_state_candidate(const struct ks_state *state, const char *name)
{
	int64_t number;
	int found;

	if (name == NULL || state->n_candidates == 0) {
		return -1;
	}
	if (strcmp(name, "seed") == 0) {
		return 0;
	}
	if (strcmp(name, "champion") == 0) {
		return state->champion;
	}
	number = whole_number(name[0] == 'c' ? name + 1 : name);
	found = ks_state_candidate_number(state, number);
	return found >= 0 ? found : by_commit(state, name);
}

int ks_state_moment(const struct ks_state *state, int64_t id)
{
	for (size_t i = state->n_moments; id > 0 && i-- > 0;) {
		if (state->moments[i].id == id) {
			return (int)i;
		}
	}
	return -1;
}

const struct ks_moment *ks_state_open_moment(const struct ks_state *state)
{
	return state->moment_open < 0 ? NULL
		: &state->moments[state->moment_open];
}

double ks_candidate_step(const struct ks_candidate *candidate, double geomean)
{
	return candidate->best_before > 0 && geomean > 0 ? geomean / candidate->best_before : 0;
}

double ks_state_margin(const struct ks_candidate *candidate)
{
	double half = (candidate->geo_hi - candidate->geo_lo) / 2;

	if (half < 0) {
		half = 0;
	}
	if (candidate->looks > 1) {
		half *= 1 + 0.13 * log2(candidate->looks);
	}
	return half;
}

bool ks_state_confirms(const struct ks_state *state)
{
	const struct ks_look *look = &state->look;
	const struct ks_candidate *c;

	if (!look->confirm || !look->finished || look->partial
		|| look->candidate < 0) {
		return false;
	}
	c = &state->candidates[look->candidate];
	if (look->figures.n_measured == 0
		|| look->figures.n_correct < look->figures.n_measured) {
		return false;
	}
	return look->figures.geo_lo > state->best
		|| look->figures.geo_hi >= c->geo_lo;
}
