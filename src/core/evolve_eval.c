/*
 * Scenarios, candidates and evaluations in the fold. One evaluation runs at a
 * time; its scenarios arrive one by one into state->look (a confirming run) or
 * straight into its candidate (every other run, so that bars fill as they are
 * measured). A complete run replaces all results of its candidate; a partial
 * one replaces those that it measured.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "core/fold.h"

#define SCENARIOS_MAX 4096
#define CANDIDATES_MAX 1000000
#define WHY_MAX 200

static void grow_results(struct ks_result **results, size_t count)
{
	if (*results != NULL) {
		*results = ks_realloc(*results, count, sizeof(**results));
		(*results)[count - 1] = (struct ks_result){.roofline = -1};
	}
}

void ks_fold_scenario(struct ks_state *state, const struct ks_event *event)
{
	const struct ks_json *doc = event->doc;
	struct ks_scenario *s;
	size_t count = state->n_scenarios + 1;
	struct ks_buf axes = {0};

	if (count > SCENARIOS_MAX) {
		return;
	}
	state->scenarios = ks_realloc(state->scenarios, count,
		sizeof(state->scenarios[0]));
	s = &state->scenarios[count - 1];
	*s = (struct ks_scenario){0};
	ks_fold_text(s->name, sizeof(s->name), doc, "name");
	ks_fold_text(s->set, sizeof(s->set), doc, "set");
	s->heldout = ks_json_get_bool(doc, "heldout", false);
	s->floor_us = ks_json_get_num(doc, "floor_us", 0);
	if (ks_json_count(ks_json_get(doc, "axes")) > 0) {
		ks_json_print(ks_json_get(doc, "axes"), &axes);
		s->axes = ks_buf_take(&axes);
	}
	for (size_t i = 0; i < state->n_candidates; i++) {
		grow_results(&state->candidates[i].results, count);
	}
	grow_results(&state->look.results, count);
	state->n_scenarios = count;
	state->n_heldout += s->heldout ? 1 : 0;
}

static struct ks_candidate *add_candidate(struct ks_state *state, int number)
{
	struct ks_candidate *c;

	ks_grow(&state->candidates, &state->cap_candidates,
		state->n_candidates + 1, sizeof(state->candidates[0]));
	c = &state->candidates[state->n_candidates++];
	*c = (struct ks_candidate){.number = number, .parent = -1,
		.worst_i = -1, .message = -1};
	state->top_number = number > state->top_number ? number : state->top_number;
	return c;
}

/* ---- candidates by the hash of their sources ---- */

/* Of all letters, since a log that was made up may have hashes that begin alike. */
static size_t mixed(const char *hash)
{
	size_t len = strnlen(hash, sizeof(((struct ks_candidate *)0)->hash) - 1);
	uint64_t key = 0, part;

	for (size_t at = 0; at < len; at += sizeof(part)) {
		part = 0;
		memcpy(&part, hash + at, len - at < sizeof(part) ? len - at : sizeof(part));
		key = (key ^ part) * UINT64_C(0x9E3779B97F4A7C15);
		key ^= key >> 32;
	}
	return key;
}

/* The slot of the candidate with such a hash, or the free one where it belongs. */
static size_t slot_of(const struct ks_state *state, const char *hash)
{
	size_t mask = state->n_hash_slots - 1;

	for (size_t at = mixed(hash);; at++) {
		uint32_t slot = state->hash_slots[at & mask];

		if (slot == 0 || strncmp(state->candidates[slot - 1].hash, hash,
			sizeof(state->candidates[0].hash) - 1) == 0) {
			return at & mask;
		}
	}
}

static int by_hash(const struct ks_state *state, const char *hash)
{
	return hash[0] == '\0' || state->n_hash_slots == 0 ? -1 :
		(int)state->hash_slots[slot_of(state, hash)] - 1;
}

/* Half of the slots stay free. */
static void index_hash(struct ks_state *state, size_t index)
{
	size_t first = index;

	if (2 * (index + 1) > state->n_hash_slots) {
		free(state->hash_slots);
		state->n_hash_slots = state->n_hash_slots > 0 ? 2 * state->n_hash_slots : 64;
		state->hash_slots = ks_zalloc(state->n_hash_slots, sizeof(*state->hash_slots));
		first = 0;
	}
	for (size_t i = first; i <= index; i++) {
		const char *hash = state->candidates[i].hash;

		if (hash[0] != '\0') {
			state->hash_slots[slot_of(state, hash)] = (uint32_t)i + 1;
		}
	}
}

void ks_fold_seed(struct ks_state *state, const struct ks_event *event)
{
	const struct ks_json *seed = ks_json_get(event->doc, "seed");
	struct ks_candidate *c;

	if (state->n_candidates > 0) {
		return;
	}
	c = add_candidate(state, 0);
	ks_fold_text(c->commit, sizeof(c->commit), seed, "commit");
	ks_fold_text(c->hash, sizeof(c->hash), seed, "hash");
	index_hash(state, 0);
	c->lines = ks_fold_int(seed, "lines", 0);
	c->seq = event->seq;
	c->t = event->t;
	c->built = true;
	c->confirmed = true;
	c->geomean = c->geo_lo = c->geo_hi = c->worst = 1;
}

void ks_fold_committed(struct ks_state *state, const struct ks_event *event)
{
	const struct ks_json *doc = event->doc;
	int number = ks_fold_int(doc, "candidate", -1);
	struct ks_candidate *c;

	if (number < 0 || number > CANDIDATES_MAX
		|| ks_state_candidate_number(state, number) >= 0
		|| by_hash(state, ks_json_get_str(doc, "hash", "")) >= 0) {
		return;
	}
	c = add_candidate(state, number);
	ks_fold_text(c->commit, sizeof(c->commit), doc, "commit");
	ks_fold_text(c->hash, sizeof(c->hash), doc, "hash");
	index_hash(state, state->n_candidates - 1);
	c->parent = ks_fold_int(doc, "parent", -1);
	c->lines = ks_fold_int(doc, "lines", 0);
	c->eval = ks_json_get_int(doc, "eval", 0);
	c->seq = event->seq;
	c->t = event->t;
	c->call = state->calls;
	c->message = state->steer;
}

static void use_id(struct ks_state *state, int64_t id)
{
	if (id >= state->next_id && id < INT64_MAX) {
		state->next_id = id + 1;
	}
}

static void queued(struct ks_state *state, const struct ks_event *event)
{
	int64_t id = ks_json_get_int(event->doc, "eval", 0);
	int room = (int)(sizeof(state->eval_waiting) / sizeof(state->eval_waiting[0]));

	use_id(state, id);
	if (state->eval_queue < room) {
		state->eval_waiting[state->eval_queue++] = id;
	}
}

static void leave_queue(struct ks_state *state, int64_t id)
{
	for (int i = 0; i < state->eval_queue; i++) {
		if (state->eval_waiting[i] == id) {
			memmove(&state->eval_waiting[i], &state->eval_waiting[i + 1],
				sizeof(state->eval_waiting[0])
				* (size_t)(state->eval_queue - i - 1));
			state->eval_queue--;
			return;
		}
	}
}

static struct ks_result *new_results(const struct ks_state *state)
{
	struct ks_result *results;

	if (state->n_scenarios == 0) {
		return NULL;
	}
	results = ks_zalloc(state->n_scenarios, sizeof(*results));
	for (size_t i = 0; i < state->n_scenarios; i++) {
		results[i].roofline = -1;
	}
	return results;
}

static void started(struct ks_state *state, const struct ks_event *event)
{
	const struct ks_json *doc = event->doc;
	int64_t id = ks_json_get_int(doc, "eval", 0);
	int number = ks_fold_int(doc, "candidate", -1);
	int index = ks_state_candidate_number(state, number);
	struct ks_look *look = &state->look;

	use_id(state, id);
	leave_queue(state, id);
	if (index < 0 && number >= 0) {
		index = by_hash(state, ks_json_get_str(doc, "hash", ""));
	}
	ks_results_free(look->results, state->n_scenarios);
	*look = (struct ks_look){.eval = id, .candidate = index,
		.confirm = ks_json_get_bool(doc, "confirm", false),
		.perf = ks_json_get_bool(doc, "perf", true),
		.results = new_results(state)};
	if (look->perf) {
		state->no_yard[0] = '\0';
	}
	state->eval = (struct ks_eval_state){.id = id, .running = true,
		.confirm = look->confirm, .candidate = number,
		.total = ks_fold_int(doc, "total", 0), .t = event->t};
	if (!look->confirm) {
		state->edited = false;
		ks_fold_row(state, event);
	}
	if (index >= 0 && !look->confirm) {
		struct ks_candidate *c = &state->candidates[index];

		c->eval = id;
		c->call = state->calls;
		if (c->results == NULL) {
			c->results = new_results(state);
		}
	}
}

/* One more than the GPU's index; 0: none is named. */
static unsigned char gpu_of(struct ks_state *state, const struct ks_json *doc)
{
	char text[KS_GPU_TEXT];
	int i = 0;

	ks_fold_text(text, sizeof(text), doc, "device");
	while (i < state->n_gpus && strcmp(state->gpus[i], text) != 0) {
		i++;
	}
	if (text[0] == '\0' || i == KS_GPUS_MAX) {
		return 0;
	}
	if (i == state->n_gpus) {
		memcpy(state->gpus[state->n_gpus++], text, sizeof(text));
	}
	return (unsigned char)(i + 1);
}

static void read_result(struct ks_result *r, const struct ks_json *doc)
{
	const char *why = ks_json_get_str(doc, "why", "");

	*r = (struct ks_result){
		.measured = true,
		.correct = ks_json_get_bool(doc, "correct", false),
		.timed = ks_json_get_bool(doc, "measured", true),
		.speedup = (float)ks_json_get_num(doc, "speedup", 0),
		.lo = (float)ks_json_get_num(doc, "lo", 0),
		.hi = (float)ks_json_get_num(doc, "hi", 0),
		.seed_us = (float)ks_json_get_num(doc, "seed_us", 0),
		.cand_us = (float)ks_json_get_num(doc, "cand_us", 0),
		.error = (float)ks_json_get_num(doc, "error", 0),
		.error_ratio = (float)ks_json_get_num(doc, "error_ratio", 0),
		.roofline = (float)ks_json_get_num(doc, "roofline", -1),
		.yard = (float)ks_json_get_num(doc, "yard_speedup", 0),
		.verdict = ks_verdict_of(ks_json_get_str(doc, "verdict", "")),
	};
	if (!r->correct) {
		r->speedup = r->lo = r->hi = 0;
		if (why[0] != '\0') {
			r->why = ks_strndup(why, strnlen(why, WHY_MAX));
		}
	}
}

/* Figures that a confirming run gave stay: a later look at the same code would
 * only choose among them. The seed has none of its own. */
static bool settled(const struct ks_candidate *c)
{
	return c->confirmed && c->number != 0;
}

/* A correctness-only result keeps the times of the same code that an earlier
 * run measured; a wrong answer wipes them. */
static void put_result(struct ks_result *slot, struct ks_result *r)
{
	if (!r->timed && r->correct && slot->measured && slot->timed
		&& slot->correct) {
		free(r->why);
		slot->error = r->error;
		slot->error_ratio = r->error_ratio;
	} else {
		free(slot->why);
		*slot = *r;
	}
	*r = (struct ks_result){0};
}

static void remember(double *mean, int *count, double value)
{
	*count += *count < KS_HISTORY_MAX ? 1 : 0;
	*mean += (value - *mean) / *count;
}

/* How far a worker leans and the seed's own time belong to scenario and machine, so
 * every run adds to them, whatever its candidate was worth. */
static void history(struct ks_scenario *s, const struct ks_result *r,
	const struct ks_json *doc)
{
	double bias = ks_json_get_num(doc, "bias", (double)NAN);

	if (!r->correct || !r->timed) {
		return;
	}
	if (fabs(bias) < 1) {
		remember(&s->bias, &s->biases, bias);
	}
	if (r->seed_us > 0) {
		remember(&s->seed_log, &s->seeds, log((double)r->seed_us));
	}
}

/* Index of the scenario that an event names; its own "i" is where to look first. */
static int scenario_of(const struct ks_state *state, const struct ks_json *doc)
{
	const char *name = ks_json_get_str(doc, "name", NULL);
	int64_t i = ks_json_get_int(doc, "i", -1);

	return name != NULL && i >= 0 && i < (int64_t)state->n_scenarios
		&& strcmp(state->scenarios[i].name, name) == 0 ? (int)i
		: ks_state_scenario(state, name);
}

static void scenario(struct ks_state *state, const struct ks_event *event)
{
	struct ks_look *look = &state->look;
	int i;

	if (look->eval != ks_json_get_int(event->doc, "eval", 0)
		|| look->finished || look->results == NULL) {
		return;
	}
	state->eval.done++;
	i = scenario_of(state, event->doc);
	if (i < 0) {
		return;
	}
	if (ks_json_get(event->doc, "no_yard") != NULL) {
		ks_fold_text(state->no_yard, sizeof(state->no_yard), event->doc, "no_yard");
	}
	free(look->results[i].why);
	read_result(&look->results[i], event->doc);
	look->results[i].gpu = gpu_of(state, event->doc);
	if (!look->perf) {
		look->results[i].timed = false;
	}
	history(&state->scenarios[i], &look->results[i], event->doc);
	if (look->candidate >= 0 && !look->confirm
		&& state->candidates[look->candidate].results != NULL) {
		struct ks_candidate *c = &state->candidates[look->candidate];
		struct ks_result copy = look->results[i];

		if (settled(c) && c->results[i].measured && copy.correct) {
			return;
		}
		copy.why = ks_strdup(copy.why);
		put_result(&c->results[i], &copy);
	}
}

void ks_figures_of(struct ks_figures *out, const struct ks_scenario *scenarios,
	const struct ks_result *results, size_t count)
{
	double sum = 0, lo = 0, hi = 0;
	int timed = 0;
	bool zero = false;

	*out = (struct ks_figures){.worst_i = -1};
	for (size_t i = 0; results != NULL && i < count; i++) {
		const struct ks_result *r = &results[i];

		if (!r->measured) {
			continue;
		}
		out->n_measured++;
		out->n_correct += r->correct ? 1 : 0;
		if (scenarios[i].heldout || (r->correct && !r->timed)) {
			continue;
		}
		if (out->worst_i < 0 || r->speedup < out->worst) {
			out->worst = r->speedup;
			out->worst_i = (int)i;
		}
		zero = zero || !(r->speedup > 0) || !(r->lo > 0);
		if (!zero) {
			sum += log(r->speedup);
			lo += log(r->lo);
			hi += log(r->hi);
		}
		timed++;
	}
	if (timed > 0 && !zero) {
		out->geomean = exp(sum / timed);
		out->geo_lo = exp(lo / timed);
		out->geo_hi = exp(hi / timed);
	}
}

/* Figures of a finished run: the evaluator's own where it gave them, since it
 * pooled the samples; else what the scenarios add up to. */
static void finish_figures(struct ks_state *state, const struct ks_json *doc)
{
	struct ks_figures *f = &state->look.figures;
	int worst;

	ks_figures_of(f, state->scenarios, state->look.results, state->n_scenarios);
	if (f->n_measured == 0) {
		f->n_correct = ks_fold_int(doc, "correct", 0);
		f->n_measured = ks_fold_int(doc, "scenarios", 0);
	}
	if (!state->look.perf) {
		return;
	}
	f->geomean = ks_json_get_num(doc, "geomean", f->geomean);
	f->geo_lo = ks_json_get_num(doc, "geo_lo", f->geo_lo);
	f->geo_hi = ks_json_get_num(doc, "geo_hi", f->geo_hi);
	f->worst = ks_json_get_num(doc, "worst", f->worst);
	worst = ks_state_scenario(state, ks_json_get_str(doc, "worst_name", NULL));
	f->worst_i = worst >= 0 ? worst : f->worst_i;
	if (f->n_correct < f->n_measured || !(f->geomean > 0)) {
		f->geomean = f->geo_lo = f->geo_hi = 0;
	}
}

static void take_figures(struct ks_candidate *c, const struct ks_figures *f)
{
	c->n_correct = f->n_correct;
	c->n_measured = f->n_measured;
	c->geomean = f->geomean;
	c->geo_lo = f->geo_lo;
	c->geo_hi = f->geo_hi;
	c->worst = f->worst;
	c->worst_i = f->worst_i;
}

static void take_build(struct ks_candidate *c, const struct ks_json *doc)
{
	const struct ks_json *list = ks_json_get(doc, "libraries");
	struct ks_buf names = {0};

	c->built = true;
	c->failed = false;
	c->lost[0] = '\0';
	if (ks_json_type(list) != KS_JSON_ARRAY) {
		return;
	}
	for (list = ks_json_first(list); list != NULL && names.len < 4096;
		list = ks_json_next(list)) {
		ks_buf_adds(&names, ks_json_str(list, ""));
		ks_buf_addc(&names, '\n');
	}
	free(c->libraries);
	c->libraries = ks_buf_take(&names);
	c->lines = ks_fold_int(doc, "lines", c->lines);
	c->facts_known = true;
}

static void finish_confirm(struct ks_state *state, struct ks_candidate *c)
{
	struct ks_look *look = &state->look;
	bool wrong = look->figures.n_correct < look->figures.n_measured;

	c->looks++;
	if (!ks_state_confirms(state) && !wrong) {
		return;
	}
	c->confirmed = !wrong;
	take_figures(c, &look->figures);
	if (look->results != NULL) {
		ks_results_free(c->results, state->n_scenarios);
		c->results = look->results;
		look->results = NULL;
	}
}

static void finish_plain(struct ks_state *state, struct ks_candidate *c)
{
	struct ks_look *look = &state->look;
	struct ks_figures all;

	if (look->perf) {
		c->looks++;
	}
	if (settled(c)) {
		if (look->figures.n_correct == look->figures.n_measured) {
			return;
		}
		c->confirmed = false;
		ks_figures_of(&all, state->scenarios, c->results, state->n_scenarios);
		take_figures(c, &all);
		return;
	}
	if (!look->partial && look->perf) {
		take_figures(c, &look->figures);
		c->best_before = state->best;
		c->finished = true;
		c->timed = true;
		return;
	}
	ks_figures_of(&all, state->scenarios, c->results, state->n_scenarios);
	if (!c->timed || all.n_correct < all.n_measured) {
		take_figures(c, &all);
	}
	c->finished = c->finished
		|| (!look->partial && (size_t)all.n_measured == state->n_scenarios);
}

static void finished(struct ks_state *state, const struct ks_event *event)
{
	const struct ks_json *doc = event->doc;
	struct ks_look *look = &state->look;
	int64_t id = ks_json_get_int(doc, "eval", 0);

	leave_queue(state, id);
	if (look->eval != id || look->finished) {
		return;
	}
	look->finished = true;
	look->partial = ks_json_get_bool(doc, "partial", false);
	finish_figures(state, doc);
	if (ks_json_get(doc, "no_yard") != NULL) {
		ks_fold_text(state->no_yard, sizeof(state->no_yard), doc, "no_yard");
	}
	state->build_failed = false;
	if (look->candidate >= 0) {
		struct ks_candidate *c = &state->candidates[look->candidate];

		take_build(c, doc);
		if (look->confirm) {
			finish_confirm(state, c);
		} else {
			finish_plain(state, c);
			state->last = look->candidate;
		}
	}
	if (!look->confirm) {
		state->evals++;
		state->evals_since_best += !look->partial && look->perf ? 1 : 0;
		if (state->manual && look->perf) {
			ks_fold_evaluated(state);
		}
	}
}

/* Why an evaluation said nothing about its candidate: the first line of it. */
static void keep_why(struct ks_state *state, int index, const struct ks_json *doc)
{
	struct ks_str text = ks_str_of(ks_json_get_str(doc, "text", "")), line = text;

	if (index < 0) {
		return;
	}
	ks_str_next(&text, '\n', &line);
	if (line.len == 0) {
		line = ks_str_of(ks_json_get_str(doc, "stage", ""));
	}
	snprintf(state->candidates[index].lost, sizeof(state->candidates[index].lost), "%.*s",
		(int)ks_utf8_cut(line.ptr, line.len, sizeof(state->candidates[index].lost) - 1),
		line.ptr);
}

static void failed(struct ks_state *state, const struct ks_event *event)
{
	const struct ks_json *doc = event->doc;
	int64_t id = ks_json_get_int(doc, "eval", 0);
	int index = ks_state_candidate_number(state, ks_fold_int(doc, "candidate", -1));
	bool build = strcmp(ks_json_get_str(doc, "stage", ""), "build") == 0;

	use_id(state, id);
	leave_queue(state, id);
	if (index < 0 && state->look.eval == id) {
		index = state->look.candidate;
	}
	if (state->look.eval == id) {
		state->look.finished = true;
	}
	if (ks_json_get_bool(doc, "confirm", false)) {
		return;
	}
	if (!build) {
		keep_why(state, index, doc);
		return;
	}
	state->build_failed = true;
	state->evals++;
	if (index >= 0) {
		state->candidates[index].failed = true;
		state->candidates[index].lost[0] = '\0';
		state->candidates[index].built = false;
		state->last = index;
	}
}

static void close_row(struct ks_state *state, const struct ks_event *event)
{
	for (size_t i = state->n_rows; i-- > 0 && state->n_rows - i < 4096;) {
		if (state->rows[i].kind == KS_EV_EVAL_STARTED) {
			if (state->rows[i].end == 0) {
				ks_fold_row_end(state, i, event);
				return;
			}
			break;
		}
	}
	ks_fold_row(state, event);
}

void ks_fold_eval(struct ks_state *state, const struct ks_event *event)
{
	bool confirm = ks_json_get_bool(event->doc, "confirm", false);

	switch (event->kind) {
	case KS_EV_EVAL_QUEUED:
		queued(state, event);
		return;
	case KS_EV_EVAL_STARTED:
		started(state, event);
		return;
	case KS_EV_EVAL_SCENARIO:
		scenario(state, event);
		return;
	case KS_EV_EVAL_FINISHED:
		finished(state, event);
		break;
	default:
		failed(state, event);
		break;
	}
	if (state->eval.id == ks_json_get_int(event->doc, "eval", 0)) {
		state->eval = (struct ks_eval_state){.candidate = -1};
	}
	if (!confirm) {
		close_row(state, event);
	}
}

void ks_fold_champion(struct ks_state *state, const struct ks_event *event)
{
	int index = ks_state_candidate_number(state,
		ks_fold_int(event->doc, "candidate", -1));
	struct ks_candidate *c;

	if (index < 0) {
		return;
	}
	c = &state->candidates[index];
	c->confirmed = true;
	c->geomean = ks_json_get_num(event->doc, "geomean", c->geomean);
	c->geo_lo = ks_json_get_num(event->doc, "geo_lo", c->geo_lo);
	c->geo_hi = ks_json_get_num(event->doc, "geo_hi", c->geo_hi);
	state->champion = index;
	state->champion_seq = event->seq;
	state->best = c->geomean;
	state->best_t = event->t;
	state->best_call = state->calls;
	state->evals_since_best = 0;
	if (state->n_messages > 0) {
		state->messages[state->n_messages - 1].after = c->geomean;
	}
	if (state->steer >= 0) {
		state->messages[state->steer].after = c->geomean;
	}
}
