/*
 * The judge's job file, and the judge's lines as events. A held-out scenario's
 * name and figures stay out of what an agent can read: its events carry a
 * number instead of a name.
 */
#include <math.h>
#include <sys/random.h>

#include "base/file.h"
#include "base/mem.h"
#include "core/goal.h"
#include "core/layer.h"
#include "engine/internal.h"
#include "engine/machine.h"

#define TIMING_MS 7600  /* of a full evaluation, over all scenarios */
#define CONFIRM_MS 4000
#define LEAST_MS 1500
/* Workers are even in number, so that each load order is had as often. Calls of some
 * microseconds on a GPU differ from process to process: there are more of them there. */
#define WORKERS 4
#define WORKERS_GPU 8
#define SEEDS_LEAST 3   /* evaluations before "usual" means something */

static void put_key(struct ks_jw *w)
{
	unsigned char bytes[16];
	char hex[33];

	/* So few bytes come whole once the system has booted; a signal may come
	 * before. A key that could be guessed is worse than waiting. */
	while (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes)) {
	}
	for (size_t i = 0; i < sizeof(bytes); i++) {
		snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
	}
	ks_jw_str(w, "key", hex);
}

/* Speedups of the candidate before this one, to tell a step from a series. */
static void put_previous(struct ks_jw *w, const struct ks_state *s)
{
	const struct ks_candidate *c = s->champion >= 0 && (size_t)s->champion < s->n_candidates ?
		&s->candidates[s->champion] : NULL;

	ks_jw_open(w, "previous");
	for (size_t i = 0; c != NULL && c->results != NULL && i < s->n_scenarios; i++) {
		if (c->results[i].measured && c->results[i].correct && c->results[i].speedup > 0) {
			ks_jw_num(w, s->scenarios[i].name, (double)c->results[i].speedup);
		}
	}
	ks_jw_close(w);
}

/* What earlier evaluations on this machine showed of each scenario: how far a
 * worker leans, and the time that the seed usually takes. */
static void put_history(struct ks_jw *w, const struct ks_state *s)
{
	ks_jw_open(w, "bias");
	for (size_t i = 0; i < s->n_scenarios; i++) {
		if (s->scenarios[i].biases > 0) {
			ks_jw_num(w, s->scenarios[i].name, s->scenarios[i].bias);
		}
	}
	ks_jw_close(w);
	ks_jw_open(w, "runs");
	for (size_t i = 0; i < s->n_scenarios; i++) {
		if (s->scenarios[i].biases > 0) {
			ks_jw_int(w, s->scenarios[i].name, s->scenarios[i].biases);
		}
	}
	ks_jw_close(w);
	ks_jw_open(w, "usual");
	for (size_t i = 0; i < s->n_scenarios; i++) {
		if (s->scenarios[i].seeds >= SEEDS_LEAST) {
			ks_jw_num(w, s->scenarios[i].name, exp(s->scenarios[i].seed_log));
		}
	}
	ks_jw_close(w);
}

/* Libraries that the goal forbids: the judge looks for them among all names of the
 * built file, and not only among those that it tells. */
static void put_banned(struct ks_jw *w, const struct ks_goal *goal)
{
	struct ks_str name;

	ks_jw_open_array(w, "banned");
	for (size_t i = 0; goal != NULL && ks_goal_library(&name, goal, i); i++) {
		char *text = ks_strndup(name.ptr, name.len);
		ks_jw_str(w, NULL, text);
		free(text);
	}
	ks_jw_close_array(w);
}

/* A part of the scenarios gets its part of the time, but enough to say something. */
static int64_t budget_ms(const struct ks_state *s, const struct ks_evaluation *ev)
{
	int64_t all = ev->confirm ? CONFIRM_MS : TIMING_MS;
	int64_t part = ev->n_only > 0 && s->n_scenarios > 0 ?
		all * (int64_t)ev->n_only / (int64_t)s->n_scenarios : all;

	return part < LEAST_MS ? LEAST_MS : part;
}

void ks_job_write(struct ks_buf *out, const struct ks_engine *e, const struct ks_evaluation *ev)
{
	struct ks_jw w;
	char *problem = ks_path_join(ev->scratch, "problem");
	char *work = ks_path_join(ev->scratch, "w");
	char *held = ks_asprintf("%s/%s/held-out.jsonl", e->opt.programs.state, e->campaign.id);

	ks_jw_init(&w, out);
	ks_jw_open(&w, NULL);
	ks_jw_int(&w, "v", 1);
	ks_jw_str(&w, "problem", problem);
	const char *arch = ks_json_get_str(e->sealed, "arch", "");
	const char *blank = strchr(arch, ' ');
	ks_job_target(&w, ks_target_name(e->campaign.target), blank != NULL ? blank + 1 : "",
		&e->opt.programs);
	ks_jw_bool(&w, "trace", ev->confirm && e->campaign.target == KS_TARGET_CUDA);
	ks_jw_str(&w, "flags", ks_json_get_str(e->sealed, "flags", ""));
	ks_jw_str(&w, "seed", ev->objects[KS_EVAL_SEED]);
	ks_jw_str(&w, "reference", ev->objects[KS_EVAL_REFERENCE]);
	ks_jw_str(&w, "candidate", ev->objects[KS_EVAL_CANDIDATE]);
	if (ev->objects[KS_EVAL_YARDSTICK] != NULL) {
		ks_jw_str(&w, "yardstick", ev->objects[KS_EVAL_YARDSTICK]);
	}
	ks_jw_str(&w, "worker", e->opt.programs.worker);
	ks_jw_str(&w, "exec", e->opt.programs.exec);
	ks_jw_str(&w, "scratch", work);
	if (ev->n_only > 0) {
		ks_jw_open_array(&w, "scenarios");
		for (size_t i = 0; i < ev->n_only; i++) {
			ks_jw_str(&w, NULL, ev->only[i]);
		}
		ks_jw_close_array(&w);
	} else {
		ks_jw_null(&w, "scenarios");
	}
	if (e->state.n_heldout > 0 && ev->n_only == 0) {
		ks_jw_str(&w, "held_out", held);
	}
	ks_jw_bool(&w, "perf", ev->perf);
	ks_jw_bool(&w, "confirm", ev->confirm);
	ks_jw_int(&w, "workers", e->campaign.target == KS_TARGET_CUDA ? WORKERS_GPU : WORKERS);
	ks_jw_num(&w, "half_width", 0.005);
	ks_jw_int(&w, "budget_ms", budget_ms(&e->state, ev));
	ks_jw_int(&w, "threads", ks_json_get_int(e->sealed, "threads", 1));
	put_key(&w);
	int i = ks_state_candidate_number(&e->state, ev->candidate);
	ks_jw_int(&w, "looks", i >= 0 ? e->state.candidates[i].looks : 0);
	ks_jw_node(&w, "probe", ks_json_get(e->sealed, "probe"));
	put_banned(&w, e->state.goal);
	put_previous(&w, &e->state);
	put_history(&w, &e->state);
	ks_jw_close(&w);
	free(problem);
	free(work);
	free(held);
}

/* ---- lines ---- */

static bool is_envelope(const char *key)
{
	return strcmp(key, "type") == 0 || strcmp(key, "seq") == 0 || strcmp(key, "t") == 0 ||
		strcmp(key, "kind") == 0 || strcmp(key, "by") == 0;
}

/* A text that names a scenario: only one that an agent may know. */
static bool may_show(const struct ks_state *s, const char *key, const struct ks_json *value)
{
	if (strcmp(key, "name") != 0 && strcmp(key, "scenario") != 0 &&
			strcmp(key, "worst_name") != 0 && strcmp(key, "set") != 0) {
		return true;
	}
	int i = ks_state_scenario(s, ks_json_str(value, ""));
	return i >= 0 && !s->scenarios[i].heldout;
}

/* Copies the judge's members, but for the envelope's names and the names of
 * held-out scenarios. */
static void copy_members(struct ks_jw *w, const struct ks_state *s, const struct ks_json *doc)
{
	for (const struct ks_json *n = ks_json_first(doc); n != NULL; n = ks_json_next(n)) {
		if (!is_envelope(ks_json_key(n)) && may_show(s, ks_json_key(n), n)) {
			ks_jw_node(w, ks_json_key(n), n);
		}
	}
}

/* Index of the scenario in the campaign. The judge counts the problem's own
 * scenarios first and the held-out ones behind them, as the campaign does. */
static int scenario_index(const struct ks_state *s, const struct ks_json *doc)
{
	if (!ks_json_get_bool(doc, "heldout", false)) {
		return ks_state_scenario(s, ks_json_get_str(doc, "name", ""));
	}
	int64_t i = ks_json_get_int(doc, "i", -1);
	return i >= 0 && i < (int64_t)s->n_scenarios && s->scenarios[i].heldout ? (int)i : -1;
}

/* A yardstick's recorded time, held against the seed as it was now. */
static void put_recorded(struct ks_jw *w, const struct ks_evaluation *ev, const struct ks_json *doc)
{
	const struct ks_json *times = ks_json_get(ev->recorded, "times_us");
	double us = ks_json_get_num(times, ks_json_get_str(doc, "name", ""), 0);
	double seed_us = ks_json_get_num(doc, "seed_us", 0);

	if (us > 0 && seed_us > 0) {
		ks_jw_num(w, "yard_us", us);
		ks_jw_num(w, "yard_speedup", seed_us / us);
	}
}

static void line_scenario(struct ks_evaluation *ev, const struct ks_json *doc)
{
	struct ks_engine *e = ev->engine;
	struct ks_buf fields = {0};
	struct ks_jw w;
	int i = scenario_index(&e->state, doc);

	if (i < 0) {
		return;
	}
	ks_jw_members(&w, &fields);
	ks_jw_int(&w, "eval", ev->id);
	ks_jw_bool(&w, "confirm", ev->confirm);
	ks_jw_int(&w, "i", i);
	if (e->state.scenarios[i].heldout) {
		ks_jw_str(&w, "name", e->state.scenarios[i].name);
	}
	for (const struct ks_json *n = ks_json_first(doc); n != NULL; n = ks_json_next(n)) {
		const char *key = ks_json_key(n);
		bool hide = e->state.scenarios[i].heldout &&
			(strcmp(key, "name") == 0 || strcmp(key, "set") == 0);
		if (!is_envelope(key) && strcmp(key, "i") != 0 && !hide) {
			ks_jw_node(&w, key, n);
		}
	}
	put_recorded(&w, ev, doc);
	ks_engine_observe(e, KS_EV_EVAL_SCENARIO, KS_BY_EVALUATOR, ks_buf_str(&fields));
	ks_buf_fini(&fields);
}

static void line_done(struct ks_evaluation *ev, const struct ks_json *doc)
{
	struct ks_buf fields = {0};
	struct ks_jw w;

	ev->done = true;
	ks_jw_members(&w, &fields);
	ks_jw_int(&w, "eval", ev->id);
	ks_jw_bool(&w, "confirm", ev->confirm);
	ks_jw_int(&w, "candidate", ev->candidate);
	ks_jw_bool(&w, "partial", ev->partial);
	ks_jw_bool(&w, "perf", ev->perf);
	ks_jw_int(&w, "lines", (int64_t)ev->lines);
	if (ev->no_yard[0] != '\0') {
		ks_jw_str(&w, "no_yard", ev->no_yard);
	}
	ks_strays_end(ev->watch, &w);
	copy_members(&w, &ev->engine->state, doc);
	ks_engine_observe(ev->engine, KS_EV_EVAL_FINISHED, KS_BY_EVALUATOR, ks_buf_str(&fields));
	ks_buf_fini(&fields);
}

void ks_job_evidence(struct ks_buf *fields, const struct ks_evaluation *ev,
	const struct ks_json *doc)
{
	struct ks_jw w;

	ks_jw_members(&w, fields);
	ks_jw_int(&w, "eval", ev->id);
	ks_jw_int(&w, "candidate", ev->candidate);
	const char *scenario = ks_json_get_str(doc, "scenario", "");
	if (scenario[0] != '\0' && !may_show(&ev->engine->state, "scenario",
			ks_json_get(doc, "scenario"))) {
		ks_jw_str(&w, "scenario", "a held-out scenario");
	}
	copy_members(&w, &ev->engine->state, doc);
}

static void line_evidence(struct ks_evaluation *ev, const struct ks_json *doc)
{
	struct ks_buf fields = {0};

	ks_job_evidence(&fields, ev, doc);
	ks_engine_observe(ev->engine, KS_EV_EVAL_EVIDENCE, KS_BY_EVALUATOR, ks_buf_str(&fields));
	ks_buf_fini(&fields);
}

static void line_progress(struct ks_evaluation *ev, const struct ks_json *doc)
{
	struct ks_buf members = {0};
	struct ks_jw w;

	ks_jw_members(&w, &members);
	ks_jw_str(&w, "type", "progress");
	ks_jw_int(&w, "eval", ev->id);
	ks_jw_int(&w, "candidate", ev->candidate);
	ks_jw_bool(&w, "confirm", ev->confirm);
	copy_members(&w, &ev->engine->state, doc);
	ks_server_push_progress(ev->engine, ks_buf_str(&members));
	ks_buf_fini(&members);
}

static void line_note(struct ks_evaluation *ev, const struct ks_json *doc)
{
	const char *text = ks_json_get_str(doc, "text", "");
	bool warn = strcmp(ks_json_get_str(doc, "level", "quiet"), "warn") == 0;

	ks_engine_notice(ev->engine, warn ? "warn" : "quiet", "%s", text);
	if (warn) {
		ks_buf_addf(&ev->notes, "%s\n", text);
	}
}

void ks_job_line(struct ks_evaluation *ev, struct ks_str line)
{
	struct ks_json *doc = NULL;
	struct ks_err err = KS_ERR_INIT;

	if (ks_json_parse(&doc, line.ptr, line.len, &err) < 0) {
		return;
	}
	const char *type = ks_json_get_str(doc, "type", "");
	if (strcmp(type, "progress") == 0) {
		line_progress(ev, doc);
	} else if (strcmp(type, "scenario") == 0) {
		line_scenario(ev, doc);
	} else if (strcmp(type, "evidence") == 0) {
		line_evidence(ev, doc);
	} else if (strcmp(type, "done") == 0) {
		line_done(ev, doc);
	} else if (strcmp(type, "note") == 0) {
		line_note(ev, doc);
	} else if (strcmp(type, "error") == 0 && ev->fail_text == NULL) {
		ev->fail_text = ks_strdup(ks_json_get_str(doc, "text", "the judge failed"));
	}
	ks_json_free(doc);
}
