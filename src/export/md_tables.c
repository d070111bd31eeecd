/*
 * Head and foot of the Markdown transcript: the goal, the candidates and their
 * scores; what each question was followed by, and where the agent looked.
 */
#include "base/plural.h"
#include "core/standing.h"
#include "core/stats.h"
#include "export/md_impl.h"

static void put_scenarios(FILE *out, const struct ks_state *state, const struct ks_candidate *c)
{
	bool yard = state->yardstick[0] != '\0';
	fprintf(out,
		"\n| scenario | set | seed us | champion us | speedup | interval "
		"| of roofline |%s\n"
		"|---|---|---:|---:|---:|---|---:|%s\n", yard ? " yardstick |" : "",
		yard ? "---:|" : "");
	for (size_t i = 0; i < state->n_scenarios; i++) {
		const struct ks_result *r = &c->results[i];
		if (state->scenarios[i].heldout || !r->measured) {
			continue;
		}
		fputs("| ", out);
		ks_md_inlines(out, state->scenarios[i].name);
		fputs(" | ", out);
		ks_md_inlines(out, state->scenarios[i].set);
		fprintf(out, " | %.1f | %.1f | %.2fx | %.2f to %.2f | ", (double)r->seed_us,
			(double)r->cand_us, (double)r->speedup, (double)r->lo, (double)r->hi);
		if (r->roofline >= 0) {
			fprintf(out, "%.0f%% |", (double)r->roofline * 100);
		} else {
			fputs("- |", out);
		}
		if (yard && r->yard > 0) {
			fprintf(out, " %.2fx |", (double)r->yard);
		} else if (yard) {
			fputs(" - |", out);
		}
		fputc('\n', out);
	}
	fputc('\n', out);
}

/* What became of a candidate: champion, or why it is not, where it looks better. */
static void put_standing(FILE *out, const struct ks_state *state, int index)
{
	const struct ks_candidate *c = &state->candidates[index];
	bool known = state->champion >= 0 && (size_t)state->champion < state->n_candidates;
	const struct ks_candidate *champion = &state->candidates[known ? state->champion : 0];
	bool ahead = known && c->geomean > state->best;
	double begins = c->geomean - ks_state_margin(c);
	double ends = state->best + ks_state_margin(champion);

	if (c->lost[0] != '\0') {
		fputc(' ', out);
		ks_md_inlines(out, c->lost);
	} else if (index == state->champion) {
		fputs(c->looks > 1 ? " champion, measured again" : " champion", out);
	} else if (ahead && ks_standing_meets(state, state->champion)
		&& !ks_standing_meets(state, index) && c->confirmed) {
		fputs(" faster than the champion, but does not meet the goal", out);
	} else if (c->looks > 1) {
		fputs(c->confirmed ? " confirmed" : " measured again, not confirmed", out);
	} else if (ahead && begins <= ends) {
		fprintf(out, " not clearly better: its interval begins at %.3fx, the champion's "
			"ends at %.3fx", begins, ends);
	}
}

static void put_progress(FILE *out, const struct ks_state *state)
{
	fputs("\n## Candidates\n\n| # | parent | commit | correct | geomean | worst | |\n"
		"|---:|---:|---|---|---:|---:|---|\n", out);
	for (size_t i = 0; i < state->n_candidates; i++) {
		const struct ks_candidate *c = &state->candidates[i];
		if (c->number == 0) {
			continue;
		}
		fputs("| ", out);
		ks_md_number(out, c->number);
		fputs(" | ", out);
		ks_md_number(out, c->parent);
		fprintf(out, " | %.10s | ", c->commit);
		if (ks_candidate_fate(c) != NULL) {
			fprintf(out, "%s | - | - |", ks_candidate_fate(c));
		} else if (c->geomean > 0) {
			fprintf(out, "%d/%d | %.3fx | %.3fx |", c->n_correct, c->n_measured,
				c->geomean, c->worst);
		} else {
			fprintf(out, "%d/%d | - | - |", c->n_correct, c->n_measured);
		}
		put_standing(out, state, (int)i);
		fputs(" |\n", out);
	}
}

static void put_duration(FILE *out, int64_t us)
{
	int64_t s = us > 0 ? us / 1000000 : 0;

	if (s < 120) {
		fprintf(out, " (%d s)", (int)s);
	} else if (s < 7200) {
		fprintf(out, " (%d min)", (int)((s + 30) / 60));
	} else {
		fprintf(out, " (%d h %d min)", (int)(s / 3600), (int)(s % 3600 / 60));
	}
}

static void put_totals(FILE *out, const struct ks_state *s)
{
	size_t open = 0;

	for (size_t i = 0; i < s->n_moments; i++) {
		open += s->moments[i].state != KS_MOMENT_ANSWERED;
	}
	ks_md_count(out, (size_t)s->calls, "tool call", ", ");
	ks_md_count(out, (size_t)s->turns, "turn", ", ");
	ks_md_count(out, s->n_messages, "message", "");
	if (s->queued > 0) {
		fprintf(out, " (and %d that wait%s)", s->queued, ks_verb_s(s->queued));
	}
	fputs(", ", out);
	ks_md_count(out, s->n_moments, "moment", "");
	if (open > 0) {
		fprintf(out, " (%zu not answered)", open);
	}
	fputs(". The goal's open clauses went to the agent ", out);
	ks_md_count(out, (size_t)s->sent_back, "time", " without a person");
	fprintf(out, ". Best confirmed geomean %.3fx", s->best);
	if (s->champion > 0 && (size_t)s->champion < s->n_candidates) {
		fputs(" (", out);
		ks_md_number(out, s->candidates[s->champion].number);
		fputc(')', out);
	}
	fputs(".\n\n", out);
}

static void put_clauses(FILE *out, const struct ks_state *s)
{
	char name[KS_CANDIDATE_TEXT];
	bool at_least = false;

	fprintf(out, "## Goal: %s\n\n", s->goal_met ? "met" : "not met");
	for (size_t i = 0; i < s->n_clauses; i++) {
		fprintf(out, "- [%s] ", s->clauses[i].outcome == KS_GOAL_YES ? "x" : " ");
		ks_md_inlines(out, s->clauses[i].text);
		fputs(": ", out);
		ks_md_inlines(out, s->clauses[i].line);
		fputc('\n', out);
		at_least = at_least || strstr(s->clauses[i].text, ">=") != NULL;
	}
	if (s->n_clauses > 0 && s->goal_candidate >= 0) {
		fprintf(out, "\nComputed for %s.%s\n", ks_candidate_name(name, s->goal_candidate),
			at_least ? " A bound \">= x\" holds as long as the interval of the "
			"measurement reaches x." : "");
	}
}

void ks_md_head(FILE *out, const struct ks_record *r)
{
	const struct ks_state *s = r->state;
	char when[32];

	ks_export_time(s->created_t, when, sizeof(when));
	fputs("# Campaign ", out);
	ks_md_inlines(out, s->name);
	fprintf(out, "\n\nStarted %s UTC, last event ", when);
	ks_export_time(r->last_t, when, sizeof(when));
	fprintf(out, "%s", when);
	put_duration(out, r->last_t - s->created_t);
	fputs(". Target ", out);
	ks_md_inlines(out, s->arch[0] != 0 ? s->arch : s->target);
	fputs(", machine ", out);
	ks_md_inlines(out, s->machine);
	fputs(", agent ", out);
	ks_md_inlines(out, s->agent_label);
	fputs(".\n\n", out);
	put_totals(out, s);
	put_clauses(out, s);
	put_progress(out, s);
	if (s->champion > 0 && (size_t)s->champion < s->n_candidates) {
		put_scenarios(out, s, &s->candidates[s->champion]);
	}
	fputs("\n## What happened\n\n", out);
}

/* Of each layer: evidence and attention, recent calls weighing most, and how
 * long ago it was measured. */
static void put_layers(FILE *out, const struct ks_state *s)
{
	fputs("\n## Where the agent looked\n\n| layer | evidence | attention | last measured |\n"
		"|---|---:|---:|---|\n", out);
	for (int l = 0; l < KS_LAYERS; l++) {
		uint64_t since = ks_layers_since(&s->layers, l);
		fprintf(out, "| %c %s | %.2f | %.2f | ", ks_layer_letter(l), ks_layer_name(l),
			s->layers.evidence[l], s->layers.attention[l]);
		if (since == KS_LAYERS_NEVER) {
			fputs("never", out);
		} else {
			ks_md_count(out, (size_t)since, "call", " before the end");
		}
		fputs(ks_layers_stale(&s->layers, l) > 0 ? ", edited since |\n" : " |\n", out);
	}
}

static void put_acts(FILE *out, const struct ks_state *s)
{
	struct ks_stats_acts acts;

	ks_stats_acts(&acts, s);
	if (acts.messages == 0) {
		return;
	}
	fputs("\n## What the messages were\n\n| act | messages | share |\n|---|---:|---:|\n", out);
	for (int i = 0; i < KS_ACTS; i++) {
		fprintf(out, "| %s | %d | %.0f %% |\n", ks_act_name((enum ks_act)i), acts.count[i],
			100.0 * acts.count[i] / acts.messages);
	}
	fprintf(out, "\n%d of %d %s phrased as questions; %d act%s set by hand.\n",
		acts.interrogative, acts.messages, acts.messages == 1 ? "is" : "are",
		acts.corrected, acts.corrected == 1 ? " was" : "s were");
}

void ks_md_foot(FILE *out, const struct ks_state *s)
{
	fputs("## What each question was followed by\n\n"
		"| question | moment | calls | answered by a number | best before | best after "
		"| measured next |\n|---|---|---:|---|---:|---:|---|\n", out);
	for (size_t i = 0; i < s->n_messages; i++) {
		const struct ks_message *m = &s->messages[i];
		if (m->question[0] == 0 && m->moment < 0) {
			continue;
		}
		fputs("| ", out);
		ks_md_inlines(out, m->question[0] != 0 ? m->question : "own words");
		fprintf(out, " | %s | %d | ", m->moment >= 0 && (size_t)m->moment < s->n_moments ?
			ks_moment_name(s->moments[m->moment].kind) : "-", m->calls);
		if (m->calls_number > 0) {
			fputs("after ", out);
			ks_md_count(out, (size_t)m->calls_number, "call", "");
		} else {
			fputs("no", out);
		}
		fprintf(out, " | %.3fx | %.3fx | ", m->before, m->after);
		if (m->layer_next >= 0) {
			fprintf(out, "%c %s |\n", ks_layer_letter(m->layer_next),
				ks_layer_short(m->layer_next));
		} else {
			fputs(m->calls_measured > 0 ? "evaluations only |\n" : "nothing |\n", out);
		}
	}
	fputs("\nA number answers when a call that measures the question's layer printed it, or "
		"when the agent said it with a unit after a measurement. An evaluation times the "
		"whole call and measures no layer.\n", out);
	put_layers(out, s);
	put_acts(out, s);
}

