/*
 * What people and agents read of candidates and of the goal, as tables and as JSON: see
 * common.h. In lines of any length a table has all its columns, which are 100 wide; in
 * shorter ones it does without the least of them, and names are cut in their middle.
 */
#include <math.h>

#include "app/common.h"
#include "base/plural.h"
#include "base/sane.h"
#include "base/utf8.h"

#define APART 0.05 /* log units between a row's speedup and the ratio of its times */

/* ---- one candidate ---- */

static void put_time(FILE *out, double us)
{
	if (us >= 10000) {
		fprintf(out, " %8.2fms", us / 1000);
	} else {
		fprintf(out, " %8.1fus", us);
	}
}

#define WIDE 100       /* of a table with all that there is */
#define NAME_LEAST 14
#define NAME_SHORTEST 6

struct columns {
	bool error, times, roof, yard, gpu;
	bool yards;      /* a row has one */
	bool apart;      /* a row's speedup is not the ratio of its times */
	int name;        /* of the first, so that a line has WIDE with all of them */
	int right;       /* where lines end */
};

/* What the row takes beside the name. */
static int taken(const struct columns *c)
{
	return 5 + 16 + 9 + (c->error ? 9 : 0) + (c->times ? 22 : 0) + (c->roof ? 5 : 0) +
		(c->yard ? 8 : 0) + (c->gpu ? 4 : 0);
}

/* Of a line that is too short for all: what is least missed goes first, and names are
 * cut down to NAME_LEAST before the next one goes. */
static void fit(struct columns *c, int longest)
{
	bool *const least[] = {&c->roof, &c->error, &c->yard, &c->times, &c->gpu};
	int want = longest < c->name ? longest : c->name;
	int need = want < NAME_LEAST ? want : NAME_LEAST;

	for (size_t i = 0; i < sizeof(least) / sizeof(least[0]) && taken(c) + need > c->right;
			i++) {
		*least[i] = false;
	}
	/* Without the roofline the names may be whole. */
	c->roof = c->roof && taken(c) + want <= c->right;
	int room = c->right - taken(c);
	c->name = want < room ? want : room < NAME_SHORTEST ? NAME_SHORTEST : room;
}

/* The times are medians over all calls; the speedup is of calls that were taken
 * together. Whether they differ by more than a reader expects. */
static bool is_apart(const struct ks_result *r)
{
	if (!r->correct || !r->timed || !(r->seed_us > 0) || !(r->cand_us > 0) ||
			!(r->speedup > 0)) {
		return false;
	}
	double ratio = (double)r->seed_us / (double)r->cand_us;
	return fabs(log(ratio / (double)r->speedup)) > APART && (ratio < (double)r->lo ||
		ratio > (double)r->hi);
}

static void put_result(FILE *out, const struct ks_scenario *s, const struct ks_result *r,
	const struct columns *c)
{
	ks_put_name(out, s->name, (size_t)c->name);
	if (!r->correct) {
		fputs("   NO  ", out);
		ks_put_wrapped(out, r->why != NULL ? r->why : "incorrect", c->name + 7,
			c->right - 1);
		return;
	}
	fputs("  yes", out);
	if (c->error) {
		fprintf(out, " %8.1e", (double)r->error);
	}
	if (r->timed) {
		double half = ((double)r->hi - (double)r->lo) / 2;
		if (c->times) {
			put_time(out, (double)r->seed_us);
			put_time(out, (double)r->cand_us);
		}
		fprintf(out, " %7.2fx%c±%-5.2f", (double)r->speedup, is_apart(r) ? '*' : ' ', half);
		if (c->roof && r->roofline >= 0) {
			fprintf(out, " %3.0f%%", (double)r->roofline * 100);
		} else if (c->roof) {
			fputs("    -", out);
		}
		if (c->yard && r->yard > 0) {
			fprintf(out, " %6.2fx", (double)r->yard);
		} else if (c->yard) {
			fputs("       -", out);
		}
		fprintf(out, c->gpu ? "  %-7s" : "  %s", ks_verdict_word(r->verdict));
		if (c->gpu && r->gpu > 0) {
			fprintf(out, " %3d", r->gpu);
		}
	}
	fputc('\n', out);
}

static bool is_asked(const struct ks_scenario *s, const struct ks_list *only, const char *set)
{
	if (only == NULL || (only->count == 0 && set == NULL)) {
		return true;
	}
	for (size_t i = 0; i < only->count; i++) {
		if (strcmp(only->item[i], s->name) == 0) {
			return true;
		}
	}
	return set != NULL && strcmp(set, s->set) == 0;
}

static void put_summary(FILE *out, const struct ks_state *state, const struct ks_candidate *c)
{
	char name[KS_CANDIDATE_TEXT];
	const char *fate = ks_candidate_fate(c);
	struct ks_buf line = {0};

	ks_buf_addf(&line, "%s: ", ks_candidate_short(name, c->number));
	if (fate != NULL) {
		ks_buf_addf(&line, "%s%s%s", fate, c->lost[0] != '\0' ? ": " : "", c->lost);
	} else {
		ks_buf_addf(&line, "%d of %d correct", c->n_correct, c->n_measured);
	}
	if (fate == NULL && c->geomean > 0) {
		ks_buf_addf(&line, ", geomean %.3fx [%.3f, %.3f], worst %.3fx", c->geomean,
			c->geo_lo, c->geo_hi, c->worst);
		if (c->worst_i >= 0 && !state->scenarios[c->worst_i].heldout) {
			ks_buf_addf(&line, " in %s", state->scenarios[c->worst_i].name);
		}
	} else if (fate == NULL && c->timed) {
		ks_buf_adds(&line, ", geomean 0 (a scenario is incorrect)");
	}
	if (fate == NULL && c->looks > 1) {
		ks_buf_addf(&line, "; these sources were measured %d times", c->looks);
	}
	ks_put_line(out, line.ptr, 4);
	ks_buf_fini(&line);
}

/* Of several GPUs, which: by the numbers in the last column. */
static void put_gpus(FILE *out, const struct ks_state *state, const struct ks_candidate *c)
{
	for (int g = 1; g <= state->n_gpus; g++) {
		size_t n = 0;
		for (size_t i = 0; i < state->n_scenarios; i++) {
			n += c->results[i].measured && c->results[i].gpu == g;
		}
		if (n > 0) {
			struct ks_buf line = {0};
			ks_buf_addf(&line, "gpu %d: %s, %zu scenario%s", g, state->gpus[g - 1], n,
				ks_s(n));
			ks_put_line(out, line.ptr, 2);
			ks_buf_fini(&line);
		}
	}
}

static bool on_several(const struct ks_state *state, const struct ks_candidate *c)
{
	int first = 0;

	for (size_t i = 0; i < state->n_scenarios; i++) {
		int gpu = c->results[i].measured ? c->results[i].gpu : 0;
		if (gpu > 0 && first > 0 && gpu != first) {
			return true;
		}
		first = gpu > 0 ? gpu : first;
	}
	return false;
}

static bool is_shown(const struct ks_state *state, const struct ks_candidate *c, size_t i,
	const struct ks_list *only, const char *set)
{
	return c->results[i].measured && is_asked(&state->scenarios[i], only, set);
}

static struct columns columns_of(FILE *out, const struct ks_state *state,
	const struct ks_candidate *c, const struct ks_list *only, const char *set)
{
	struct columns cols = {.error = true, .times = true, .roof = true,
		.yard = state->yardstick[0] != '\0', .gpu = on_several(state, c)};
	int width = ks_columns(out);
	size_t longest = strlen("scenario");

	cols.name = cols.yard && cols.gpu ? 22 : 26;
	cols.right = width > 0 && width < WIDE ? width : WIDE;
	if (cols.right >= taken(&cols) + cols.name) {
		return cols;
	}
	for (size_t i = 0; i < state->n_scenarios; i++) {
		const char *name = state->scenarios[i].name;
		size_t len = ks_utf8_columns(name, strlen(name));
		if (len > longest && !state->scenarios[i].heldout &&
				is_shown(state, c, i, only, set)) {
			longest = len;
		}
	}
	fit(&cols, longest > WIDE ? WIDE : (int)longest);
	return cols;
}

static void put_head(FILE *out, const struct columns *c)
{
	fprintf(out, "%-*s %4s", c->name, "scenario", "ok");
	if (c->error) {
		fprintf(out, " %8s", "error");
	}
	if (c->times) {
		fprintf(out, " %10s %10s", "seed", "candidate");
	}
	fprintf(out, " %8s %-6s", "speedup", "");
	if (c->roof) {
		fprintf(out, " %4s", "roof");
	}
	fprintf(out, "%s  verdict%s\n", c->yard ? "    yard" : "", c->gpu ? " gpu" : "");
}

/* What the columns mean. */
static void put_legend(FILE *out, const struct ks_state *state, const struct ks_candidate *c,
	const struct columns *cols)
{
	struct ks_buf line = {0};

	if (cols->apart) {
		fputs("* ", out);
		ks_put_wrapped(out,
			"not the ratio of the two times, which are medians of all calls: the "
			"speedup compares calls made together, without what a side gains only by "
			"coming right behind the other (docs/evaluator.md, "
			"after_seed and seed_slowed)", 2, cols->right);
	}
	if (cols->gpu) {
		put_gpus(out, state, c);
	}
	if (state->yardstick[0] != '\0' && !cols->yards && state->no_yard[0] != '\0') {
		ks_buf_addf(&line, "yard: none of %s: %s", state->yardstick, state->no_yard);
	} else if (cols->yard) {
		ks_buf_addf(&line, "yard: speedup of %s over the seed, %s", state->yardstick,
			state->yardstick_recorded ? "from recorded times" : "in the same worker");
	}
	if (line.len > 0) {
		ks_put_line(out, line.ptr, 2);
	}
	ks_buf_fini(&line);
}

void ks_report_candidate(FILE *out, const struct ks_state *state, int index,
	const struct ks_list *only, const char *set)
{
	const struct ks_candidate *c = &state->candidates[index];
	size_t hidden = 0, hidden_ok = 0;
	bool all = only == NULL || (only->count == 0 && set == NULL);

	if (ks_candidate_fate(c) != NULL || c->results == NULL) {
		put_summary(out, state, c);
		return;
	}
	struct columns cols = columns_of(out, state, c, only, set);
	put_head(out, &cols);
	for (size_t i = 0; i < state->n_scenarios; i++) {
		if (!is_shown(state, c, i, only, set)) {
			continue;
		}
		if (state->scenarios[i].heldout) {
			hidden++;
			hidden_ok += c->results[i].correct;
			continue;
		}
		put_result(out, &state->scenarios[i], &c->results[i], &cols);
		cols.apart = cols.apart || is_apart(&c->results[i]);
		cols.yards = cols.yards || c->results[i].yard > 0;
	}
	if (hidden > 0) {
		fprintf(out, "held-out: %zu of %zu correct\n", hidden_ok, hidden);
	}
	put_legend(out, state, c, &cols);
	if (all) {
		put_summary(out, state, c);
	}
}

#define CLAUSE_COLS 38
#define CLAUSE_RIGHT 72 /* a line that ends before has no room for two columns */

/* A long text has a line of its own. */
static void put_clause(FILE *out, const struct ks_clause_state *c)
{
	static const char *const marks[] = {"?", "no", "yes"};
	size_t cols = ks_utf8_columns(c->text, strlen(c->text));
	int width = ks_columns(out), left = CLAUSE_COLS + 8;
	struct ks_buf line = {0};

	left = width > 0 && width < CLAUSE_RIGHT ? 8 : left;
	ks_buf_addf(&line, "  %-3s %s", marks[c->outcome], c->text);
	if (cols > CLAUSE_COLS || left == 8) {
		ks_put_line(out, line.ptr, 6);
		ks_buf_clear(&line);
		cols = 0;
		ks_buf_addf(&line, "%6s", "");
	}
	ks_buf_addf(&line, "%*s  %s", left == 8 ? 0 : (int)(CLAUSE_COLS - cols), "",
		c->line); /* its end says why it holds */
	ks_put_line(out, line.ptr, left);
	ks_buf_fini(&line);
}

void ks_report_goal(FILE *out, const struct ks_state *state)
{
	char name[KS_CANDIDATE_TEXT];

	if (state->goal_candidate > 0) {
		fprintf(out, "goal, computed for %s:\n",
			ks_candidate_short(name, state->goal_candidate));
	}
	for (size_t i = 0; i < state->n_clauses; i++) {
		put_clause(out, &state->clauses[i]);
	}
	fprintf(out, "goal: %zu of %zu clause%s hold%s%s\n", state->n_met, state->n_clauses,
		ks_s((long long)state->n_clauses), ks_verb_s((long long)state->n_clauses),
		state->goal_met ? ", met" :
		state->n_met == state->n_clauses && state->n_clauses > 0 ?
		"; not yet confirmed in fresh workers" : "");
}

void ks_report_candidates(FILE *out, const struct ks_state *state)
{
	fprintf(out, "%-5s %-6s %-10s %9s %10s %10s %6s\n", "", "parent", "commit", "correct",
		"geomean", "worst", "lines");
	for (size_t i = 0; i < state->n_candidates; i++) {
		const struct ks_candidate *c = &state->candidates[i];
		char parent[KS_CANDIDATE_TEXT] = "-", correct[24] = "-", name[KS_CANDIDATE_TEXT];
		if (c->parent >= 0) {
			ks_candidate_short(parent, c->parent);
		}
		if (c->n_measured > 0) {
			snprintf(correct, sizeof(correct), "%d/%d", c->n_correct, c->n_measured);
		}
		fprintf(out, "%-5s %-6s %-10.10s %9s ", ks_candidate_short(name, c->number), parent,
			c->commit, correct);
		if (c->number == 0) {
			fprintf(out, "%9.3fx %9.3fx", 1.0, 1.0);
		} else if (ks_candidate_fate(c) != NULL) {
			fprintf(out, "%21s", ks_candidate_fate(c));
		} else if (c->finished && c->timed && c->geomean > 0) {
			fprintf(out, "%9.3fx %9.3fx", c->geomean, c->worst);
		} else {
			fprintf(out, "%10s %10s", "-", "-");
		}
		fprintf(out, " %6d%s%s\n", c->lines, (int)i == state->champion ? "  champion" : "",
			c->confirmed && (int)i != state->champion ? "  confirmed" : "");
	}
}

/* ---- JSON ---- */

static void json_result(struct ks_jw *w, const struct ks_state *state, size_t i,
	const struct ks_result *r)
{
	const struct ks_scenario *s = &state->scenarios[i];

	ks_jw_open(w, NULL);
	ks_jw_str(w, "scenario", s->name);
	ks_jw_str(w, "set", s->set);
	ks_jw_bool(w, "correct", r->correct);
	if (!r->correct) {
		ks_jw_str(w, "why", r->why);
	}
	ks_jw_num(w, "error", (double)r->error);
	if (r->gpu > 0) {
		ks_jw_str(w, "device", state->gpus[r->gpu - 1]);
	}
	if (r->timed) {
		ks_jw_num(w, "seed_us", (double)r->seed_us);
		ks_jw_num(w, "candidate_us", (double)r->cand_us);
		ks_jw_num(w, "speedup", (double)r->speedup);
		ks_jw_num(w, "lo", (double)r->lo);
		ks_jw_num(w, "hi", (double)r->hi);
		ks_jw_str(w, "verdict", ks_verdict_word(r->verdict));
		if (r->roofline >= 0) {
			ks_jw_num(w, "roofline", (double)r->roofline);
		}
		if (r->yard > 0) {
			ks_jw_num(w, "yardstick", (double)r->yard);
		}
	}
	ks_jw_close(w);
}

void ks_json_candidate(struct ks_jw *w, const char *key, const struct ks_state *state, int index,
	bool scenarios)
{
	const struct ks_candidate *c = &state->candidates[index];

	ks_jw_open(w, key);
	ks_jw_int(w, "candidate", c->number);
	ks_jw_int(w, "parent", c->parent);
	ks_jw_str(w, "commit", c->commit);
	ks_jw_str(w, "sources", c->hash);
	if (c->built || c->failed) {
		ks_jw_bool(w, "built", c->built);
	}
	ks_jw_str(w, "not_measured", c->lost[0] != '\0' ? c->lost : NULL);
	ks_jw_bool(w, "confirmed", c->confirmed);
	ks_jw_bool(w, "champion", index == state->champion);
	ks_jw_int(w, "looks", c->looks);
	ks_jw_int(w, "correct", c->n_correct);
	ks_jw_int(w, "measured", c->n_measured);
	ks_jw_num(w, "geomean", c->geomean);
	ks_jw_num(w, "geo_lo", c->geo_lo);
	ks_jw_num(w, "geo_hi", c->geo_hi);
	ks_jw_num(w, "worst", c->worst);
	ks_jw_int(w, "lines", c->lines);
	if (scenarios) {
		ks_jw_open_array(w, "scenarios");
		for (size_t i = 0; c->results != NULL && i < state->n_scenarios; i++) {
			if (c->results[i].measured && !state->scenarios[i].heldout) {
				json_result(w, state, i, &c->results[i]);
			}
		}
		ks_jw_close_array(w);
	}
	ks_jw_close(w);
}

void ks_json_goal(struct ks_jw *w, const char *key, const struct ks_state *state)
{
	static const char *const outcomes[] = {"unknown", "no", "yes"};

	ks_jw_open(w, key);
	ks_jw_bool(w, "met", state->goal_met);
	if (state->goal_candidate >= 0) {
		ks_jw_int(w, "candidate", state->goal_candidate);
	}
	ks_jw_int(w, "hold", (int64_t)state->n_met);
	ks_jw_open_array(w, "clauses");
	for (size_t i = 0; i < state->n_clauses; i++) {
		ks_jw_open(w, NULL);
		ks_jw_str(w, "text", state->clauses[i].text);
		ks_jw_str(w, "outcome", outcomes[state->clauses[i].outcome]);
		ks_jw_str(w, "line", state->clauses[i].line);
		ks_jw_close(w);
	}
	ks_jw_close_array(w);
	ks_jw_close(w);
}
