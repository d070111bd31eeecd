/* Shared by the subcommands: see common.h. */
#include "app/common.h"

#include <math.h>

#include "base/file.h"
#include "base/plural.h"
#include "base/sane.h"
#include "base/utf8.h"
#include "repo/repo.h"

#define APART 0.05 /* log units between a row's speedup and the ratio of its times */

int ks_fail(const struct ks_sub *sub, const struct ks_err *err)
{
	const char *text = err->msg;
	size_t n = strlen(sub->name);

	/* The engine's own lines may begin with the command's name. */
	if (strncmp(text, sub->name, n) == 0 && strncmp(text + n, ": ", 2) == 0) {
		text += n + 2;
	}
	fflush(stdout);
	fprintf(stderr, "kseek %s: ", sub->name);
	ks_put(stderr, text, 0);
	fputc('\n', stderr);
	return err->code == KS_EBUILD ? KS_EXIT_BUILD :
		err->code == KS_EINVAL ? KS_EXIT_USAGE : KS_EXIT_ENV;
}

int ks_open_campaign(const struct ks_sub *sub, struct ks_fold **out, struct ks_err *err)
{
	struct ks_campaign campaign = {0};
	struct ks_err why = KS_ERR_INIT;
	int rc = ks_fold_open(out, NULL, err);

	if (rc == 0 && ks_campaign_read(&campaign, ks_fold_paths(*out)->config, &why) < 0) {
		fprintf(stderr, "kseek %s: warning: ", sub->name);
		ks_put(stderr, why.msg, 0);
		fputs("; eval and steer refuse it\n", stderr);
	}
	ks_campaign_fini(&campaign);
	return rc;
}

int ks_check_repo(const char *root, struct ks_err *err)
{
	char *git = ks_path_join(root, ".git");
	bool there = ks_file_is_dir(git);

	free(git);
	return there ? 0 : ks_err_set(err, KS_ENOTFOUND, KS_REPO_GONE, root);
}

void ks_warn_of_repo(const struct ks_sub *sub, const struct ks_fold *fold)
{
	struct ks_err err = KS_ERR_INIT;

	if (ks_check_repo(ks_fold_paths(fold)->root, &err) < 0) {
		fprintf(stderr, "kseek %s: warning: ", sub->name);
		ks_put(stderr, err.msg, 0);
		fputc('\n', stderr);
	}
}

void ks_put(FILE *out, const char *text, size_t cols)
{
	struct ks_buf safe = {0};

	ks_sane(&safe, ks_str_of(text), KS_SANE_ONE_LINE);
	size_t len = safe.len;
	bool cut = cols > 1 && safe.len > 0 && ks_utf8_fit(safe.ptr, safe.len, cols) < safe.len;
	if (cols > 0 && safe.len > 0) {
		len = ks_utf8_fit(safe.ptr, safe.len, cut ? cols - 1 : cols);
	}
	fwrite(safe.ptr != NULL ? safe.ptr : "", 1, len, out);
	fputs(cut ? "…" : "", out);
	ks_buf_fini(&safe);
}

void ks_put_column(FILE *out, const char *text, size_t cols)
{
	char safe[512];

	ks_sane_into(safe, sizeof(safe), ks_str_of(text), KS_SANE_ONE_LINE);
	size_t len = ks_utf8_fit(safe, strlen(safe), cols);
	size_t used = ks_utf8_columns(safe, len);
	fwrite(safe, 1, len, out);
	for (; used < cols; used++) {
		fputc(' ', out);
	}
}

void ks_put_block(FILE *out, struct ks_str text)
{
	struct ks_buf safe = {0};

	ks_sane(&safe, text, 0);
	fwrite(safe.ptr != NULL ? safe.ptr : "", 1, safe.len, out);
	if (safe.len > 0 && safe.ptr[safe.len - 1] != '\n') {
		fputc('\n', out);
	}
	ks_buf_fini(&safe);
}

void ks_put_json(struct ks_buf *json)
{
	ks_buf_addc(json, '\n');
	fwrite(json->ptr, 1, json->len, stdout);
	ks_buf_fini(json);
}

void ks_put_wrapped(FILE *out, const char *text, int left, int right)
{
	struct ks_buf safe = {0};
	struct ks_str rest;

	ks_sane(&safe, ks_str_of(text), KS_SANE_ONE_LINE);
	rest = ks_buf_str(&safe);
	do {
		size_t n = rest.len > 0 ? ks_utf8_fit(rest.ptr, rest.len, (size_t)(right - left)) : 0;
		for (size_t at = n; n < rest.len && at > n / 2; at--) {
			if (rest.ptr[at] == ' ') {
				n = at;
				break;
			}
		}
		fwrite(rest.len > 0 ? rest.ptr : "", 1, n, out);
		rest = ks_str_trim((struct ks_str){rest.ptr + n, rest.len - n});
		fputc('\n', out);
		if (rest.len > 0) {
			fprintf(out, "%*s", left, "");
		}
	} while (rest.len > 0);
	ks_buf_fini(&safe);
}

/* ---- one candidate ---- */

static void put_time(FILE *out, double us)
{
	if (us >= 10000) {
		fprintf(out, " %8.2fms", us / 1000);
	} else {
		fprintf(out, " %8.1fus", us);
	}
}

struct columns {
	bool yard, gpu;
	bool yards;      /* a row has one */
	bool apart;      /* a row's speedup is not the ratio of its times */
	int name;        /* of the first, so that a line has 100 with all of them */
};

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
	ks_put_column(out, s->name, (size_t)c->name);
	if (!r->correct) {
		fputs("   NO  ", out);
		ks_put_wrapped(out, r->why != NULL ? r->why : "incorrect", c->name + 7, 99);
		return;
	}
	fprintf(out, "  yes %8.1e", (double)r->error);
	if (r->timed) {
		double half = ((double)r->hi - (double)r->lo) / 2;
		put_time(out, (double)r->seed_us);
		put_time(out, (double)r->cand_us);
		fprintf(out, " %7.2fx%c±%-5.2f", (double)r->speedup, is_apart(r) ? '*' : ' ', half);
		if (r->roofline >= 0) {
			fprintf(out, " %3.0f%%", (double)r->roofline * 100);
		} else {
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

	if (fate != NULL) {
		fprintf(out, "%s: %s", ks_candidate_short(name, c->number), fate);
		if (c->lost[0] != '\0') {
			fputs(": ", out);
			ks_put(out, c->lost, sizeof(c->lost));
		}
		fputc('\n', out);
		return;
	}
	fprintf(out, "%s: %d of %d correct", ks_candidate_short(name, c->number), c->n_correct,
		c->n_measured);
	if (c->geomean > 0) {
		fprintf(out, ", geomean %.3fx [%.3f, %.3f], worst %.3fx", c->geomean, c->geo_lo,
			c->geo_hi, c->worst);
		if (c->worst_i >= 0 && !state->scenarios[c->worst_i].heldout) {
			fputs(" in ", out);
			ks_put(out, state->scenarios[c->worst_i].name, 40);
		}
	} else if (c->timed) {
		fputs(", geomean 0 (a scenario is incorrect)", out);
	}
	if (c->looks > 1) {
		fprintf(out, "; these sources were measured %d times", c->looks);
	}
	fputc('\n', out);
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
			fprintf(out, "gpu %d: ", g);
			ks_put(out, state->gpus[g - 1], 0);
			fprintf(out, ", %zu scenario%s\n", n, ks_s(n));
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
	struct columns cols = {.yard = state->yardstick[0] != '\0', .gpu = on_several(state, c)};
	cols.name = cols.yard && cols.gpu ? 22 : 26;
	fprintf(out, "%-*s %4s %8s %10s %10s %8s %-6s %4s%s  verdict%s\n", cols.name, "scenario",
		"ok", "error", "seed", "candidate", "speedup", "", "roof",
		cols.yard ? "    yard" : "", cols.gpu ? " gpu" : "");
	for (size_t i = 0; i < state->n_scenarios; i++) {
		if (!c->results[i].measured || !is_asked(&state->scenarios[i], only, set)) {
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
	if (cols.apart) {
		fputs("* not the ratio of the two times, which are medians of all calls: the speedup compares calls\n"
			"  made together, without what a side gains only by coming right behind the other\n"
			"  (docs/evaluator.md, after_seed and seed_slowed)\n", out);
	}
	if (cols.gpu) {
		put_gpus(out, state, c);
	}
	if (cols.yard && !cols.yards && state->no_yard[0] != '\0') {
		fputs("yard: none of ", out);
		ks_put(out, state->yardstick, 40);
		fputs(": ", out);
		ks_put(out, state->no_yard, 0);
		fputc('\n', out);
	} else if (cols.yard) {
		fputs("yard: speedup of ", out);
		ks_put(out, state->yardstick, 40);
		fputs(state->yardstick_recorded ? " over the seed, from recorded times\n" :
			" over the seed, in the same worker\n", out);
	}
	if (all) {
		put_summary(out, state, c);
	}
}

#define CLAUSE_COLS 38

/* A long one has a line of its own. */
static void put_clause(FILE *out, const char *text)
{
	if (ks_utf8_columns(text, strlen(text)) > CLAUSE_COLS) {
		ks_put(out, text, 0);
		fprintf(out, "\n%*s", CLAUSE_COLS + 6, "");
	} else {
		ks_put_column(out, text, CLAUSE_COLS);
	}
}

void ks_report_goal(FILE *out, const struct ks_state *state)
{
	static const char *const marks[] = {"?", "no", "yes"};
	char name[KS_CANDIDATE_TEXT];

	if (state->goal_candidate > 0) {
		fprintf(out, "goal, computed for %s:\n",
			ks_candidate_short(name, state->goal_candidate));
	}
	for (size_t i = 0; i < state->n_clauses; i++) {
		const struct ks_clause_state *c = &state->clauses[i];
		fprintf(out, "  %-3s ", marks[c->outcome]);
		put_clause(out, c->text);
		fputs("  ", out);
		ks_put(out, c->line, sizeof(c->line)); /* its end says why it holds */
		fputc('\n', out);
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
