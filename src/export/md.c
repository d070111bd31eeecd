/*
 * The transcript as Markdown. Foreign text stands in fences longer than any
 * run of backticks inside, or is escaped; it can make no heading, link or HTML.
 */
#include <inttypes.h>
#include <time.h>

#include "base/sane.h"
#include "core/stats.h"
#include "export/record.h"

void ks_export_time(int64_t t, char *out, size_t size)
{
	time_t seconds = (time_t)(t / 1000000);
	struct tm tm;

	if (gmtime_r(&seconds, &tm) == NULL || strftime(out, size, "%Y-%m-%d %H:%M:%S", &tm) == 0) {
		snprintf(out, size, "-");
	}
}

/* Inline text: sanitised, one line, Markdown's marks escaped. */
static void put_inline(FILE *out, struct ks_str text)
{
	struct ks_buf safe = {0};

	ks_sane(&safe, text, KS_SANE_ONE_LINE);
	for (size_t i = 0; i < safe.len; i++) {
		char c = safe.ptr[i];
		if (c == '<') {
			fputs("&lt;", out);
		} else if (c == '&') {
			fputs("&amp;", out);
		} else {
			if (strchr("\\`*_{}[]|#>~", c) != NULL) {
				fputc('\\', out);
			}
			fputc(c, out);
		}
	}
	ks_buf_fini(&safe);
}

static void put_inlines(FILE *out, const char *text)
{
	put_inline(out, ks_str_of(text));
}

static void put_block(FILE *out, struct ks_str text)
{
	struct ks_buf safe = {0};
	size_t run = 0, longest = 2;

	ks_sane(&safe, text, 0);
	for (size_t i = 0; i < safe.len; i++) {
		run = safe.ptr[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	for (size_t i = 0; i <= longest; i++) {
		fputc('`', out);
	}
	fprintf(out, "text\n%.*s%s", (int)safe.len, safe.len > 0 ? safe.ptr : "",
		safe.len > 0 && safe.ptr[safe.len - 1] == '\n' ? "" : "\n");
	for (size_t i = 0; i <= longest; i++) {
		fputc('`', out);
	}
	fputs("\n\n", out);
	ks_buf_fini(&safe);
}

/* Prose: each line as a quoted line. */
static void put_quote(FILE *out, struct ks_str text)
{
	struct ks_str line;

	while (ks_str_next(&text, '\n', &line)) {
		fputs("> ", out);
		put_inline(out, line);
		fputc('\n', out);
	}
	fputc('\n', out);
}

static void put_count(FILE *out, size_t n, const char *noun, const char *after)
{
	fprintf(out, "%zu %s%s%s", n, noun, n == 1 ? "" : "s", after);
}

/* "seed" or "c7" */
static void put_number(FILE *out, int number)
{
	char name[KS_CANDIDATE_TEXT];

	fputs(number < 0 ? "-" : ks_candidate_short(name, number), out);
}

static void put_scenarios(FILE *out, const struct ks_state *state, const struct ks_candidate *c)
{
	bool yard = state->yardstick[0] != '\0';
	fprintf(out, "\n| scenario | set | seed us | champion us | speedup | interval | of roofline |%s\n"
		"|---|---|---:|---:|---:|---|---:|%s\n", yard ? " yardstick |" : "", yard ? "---:|" : "");
	for (size_t i = 0; i < state->n_scenarios; i++) {
		const struct ks_result *r = &c->results[i];
		if (state->scenarios[i].heldout || !r->measured) {
			continue;
		}
		fputs("| ", out);
		put_inlines(out, state->scenarios[i].name);
		fputs(" | ", out);
		put_inlines(out, state->scenarios[i].set);
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
		put_number(out, c->number);
		fputs(" | ", out);
		put_number(out, c->parent);
		fprintf(out, " | %.10s | ", c->commit);
		if (!c->built) {
			fputs("does not build | - | - |", out);
		} else if (c->geomean > 0) {
			fprintf(out, "%d/%d | %.3fx | %.3fx |", c->n_correct, c->n_measured,
				c->geomean, c->worst);
		} else {
			fprintf(out, "%d/%d | - | - |", c->n_correct, c->n_measured);
		}
		bool champion = (int)i == state->champion;
		fprintf(out, "%s%s%s |\n", champion ? " champion" : "",
			champion && c->looks > 1 ? "," : "", c->looks > 1 ? " measured again" : "");
	}
}

static void put_head(FILE *out, const struct ks_record *r)
{
	const struct ks_state *s = r->state;
	char when[32];

	ks_export_time(s->created_t, when, sizeof(when));
	fputs("# Campaign ", out);
	put_inlines(out, s->name);
	fprintf(out, "\n\nStarted %s UTC. Target ", when);
	put_inlines(out, s->arch[0] != 0 ? s->arch : s->target);
	fputs(", machine ", out);
	put_inlines(out, s->machine);
	fputs(", agent ", out);
	put_inlines(out, s->agent_label);
	fputs(".\n\n", out);
	put_count(out, (size_t)s->calls, "tool call", ", ");
	put_count(out, (size_t)s->turns, "turn", ", ");
	put_count(out, s->n_messages, "message", ", ");
	put_count(out, s->n_moments, "moment", ", sent back by the goal ");
	put_count(out, (size_t)s->sent_back, "time", "");
	fprintf(out, ". Best confirmed geomean %.3fx", s->best);
	if (s->champion >= 0 && (size_t)s->champion < s->n_candidates && s->champion > 0) {
		fprintf(out, " (c%d)", s->candidates[s->champion].number);
	}
	fprintf(out, ".\n\n## Goal: %s\n\n", s->goal_met ? "met" : "not met");
	for (size_t i = 0; i < s->n_clauses; i++) {
		const char *mark = s->clauses[i].outcome == KS_GOAL_YES ? "x" : " ";
		fprintf(out, "- [%s] ", mark);
		put_inlines(out, s->clauses[i].text);
		fputs(": ", out);
		put_inlines(out, s->clauses[i].line);
		fputc('\n', out);
	}
	put_progress(out, s);
	if (s->champion > 0 && (size_t)s->champion < s->n_candidates) {
		put_scenarios(out, s, &s->candidates[s->champion]);
	}
	fputs("\n## What happened\n\n", out);
}

static void put_message(FILE *out, const struct ks_record *r)
{
	const struct ks_message *m = r->message;
	const struct ks_state *s = r->state;
	char when[32];

	ks_export_time(r->event->t, when, sizeof(when));
	fprintf(out, "### %s, %s\n\n", r->event->by == KS_BY_HUMAN ? "Human" : "kseek", when);
	if (m != NULL && m->moment >= 0 && (size_t)m->moment < s->n_moments) {
		fprintf(out, "At a moment of kind *%s*: ", ks_moment_name(s->moments[m->moment].kind));
		put_inlines(out, s->moments[m->moment].evidence);
		fputs("\n\n", out);
	}
	if (m != NULL && m->question[0] != 0) {
		fputs("Question ", out);
		put_inlines(out, m->question);
		fputs(r->edited != NULL ? " of the bank, edited. Its own words:\n\n" :
			" of the bank.\n\n", out);
	}
	if (r->edited != NULL) {
		put_quote(out, ks_str_of(r->edited));
		fputs("What was sent:\n\n", out);
	}
	put_quote(out, r->body);
	if (m == NULL) {
		return;
	}
	fprintf(out, "*Act: %s%s. Followed by ", ks_act_name(m->act),
		m->interrogative ? ", asked as a question" : "");
	put_count(out, (size_t)m->calls, "tool call", "; best ");
	fprintf(out, "%.3fx before, %.3fx after", m->before, m->after);
	if (m->layer_next >= 0) {
		fprintf(out, "; measured next: %c, %s", ks_layer_letter(m->layer_next),
			ks_layer_name(m->layer_next));
	}
	fputs(".*\n\n", out);
}

static void put_tools(FILE *out, const struct ks_group *g)
{
	fprintf(out, "**%d tool call%s**", g->calls, g->calls == 1 ? "" : "s");
	const char *sep = " (";
	for (int i = 0; i < KS_GROUP_KINDS; i++) {
		if (g->kinds[i] > 0) {
			fprintf(out, "%s%d %s", sep, g->kinds[i], ks_group_kind_name(i));
			sep = ", ";
		}
	}
	fprintf(out, ")%s, %.1f s\n\n", g->failed > 0 ? ", some failed" : "", (double)g->ms / 1000);
	for (int i = 0; i < g->n_titles; i++) {
		fputs("- ", out);
		put_inline(out, ks_buf_str(&g->titles[i]));
		fputc('\n', out);
	}
	if (g->calls > g->n_titles) {
		fprintf(out, "- and %d more\n", g->calls - g->n_titles);
	}
	fputc('\n', out);
}

static void put_candidate(FILE *out, const struct ks_record *r)
{
	const struct ks_json *doc = r->event->doc;
	bool confirm = ks_json_get_bool(doc, "confirm", false);
	int number = (int)ks_json_get_int(doc, "candidate", -1);

	if (r->event->kind == KS_EV_EVAL_FAILED) {
		fputs("**", out);
		put_number(out, number);
		fprintf(out, " %s**\n\n", strcmp(ks_json_get_str(doc, "stage", ""), "build") == 0 ?
			"does not build" : "was not measured");
		put_block(out, r->body);
		return;
	}
	fputs("**", out);
	put_number(out, number);
	fprintf(out, " %s**: %d of %d correct",
		confirm ? "measured again in fresh workers" : "evaluated",
		(int)ks_json_get_int(doc, "correct", 0), (int)ks_json_get_int(doc, "scenarios", 0));
	if (ks_json_get_num(doc, "geomean", 0) > 0) {
		fprintf(out, ", geomean %.3fx (%.3f to %.3f), worst %.3fx in ",
			ks_json_get_num(doc, "geomean", 0), ks_json_get_num(doc, "geo_lo", 0),
			ks_json_get_num(doc, "geo_hi", 0), ks_json_get_num(doc, "worst", 0));
		put_inlines(out, ks_json_get_str(doc, "worst_name", "-"));
	}
	fprintf(out, ".%s\n\n", ks_json_get_bool(doc, "partial", false) ?
		" Only some scenarios." : "");
}

static void put_goal(FILE *out, const struct ks_record *r)
{
	const struct ks_json *doc = r->event->doc;

	fprintf(out, "Goal: %d of %d clauses hold.", (int)ks_json_get_int(doc, "n_met", 0),
		(int)ks_json_get_int(doc, "n", 0));
	const struct ks_json *clauses = ks_json_get(doc, "clauses");
	for (const struct ks_json *c = ks_json_first(clauses); c != NULL; c = ks_json_next(c)) {
		if (strcmp(ks_json_get_str(c, "outcome", ""), "yes") != 0) {
			fputs(" Open: ", out);
			put_inlines(out, ks_json_get_str(c, "text", ""));
			fputc('.', out);
		}
	}
	fputs("\n\n", out);
}

static void put_moment(FILE *out, const struct ks_record *r)
{
	const struct ks_moment *m = r->moment;

	if (m == NULL) {
		return;
	}
	fprintf(out, "#### Moment: %s (%s)\n\n", ks_moment_name(m->kind),
		m->state == KS_MOMENT_ANSWERED ? "answered" :
		m->state == KS_MOMENT_DISMISSED ? "dismissed" : "open");
	put_quote(out, ks_str_of(m->evidence));
	for (int i = 0; i < m->n_offers; i++) {
		fputs("- offered ", out);
		put_inlines(out, m->offers[i].question);
		fputs(": ", out);
		put_inlines(out, m->offers[i].text);
		fputs(" (", out);
		put_inlines(out, m->offers[i].reason);
		fputs(")\n", out);
	}
	fputc('\n', out);
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
			put_count(out, (size_t)since, "call", " before the end");
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
	fprintf(out, "\n%d of %d are phrased as questions; %d acts were set by hand.\n",
		acts.interrogative, acts.messages, acts.corrected);
}

static void put_foot(FILE *out, const struct ks_state *s)
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
		put_inlines(out, m->question[0] != 0 ? m->question : "own words");
		fprintf(out, " | %s | %d | ", m->moment >= 0 && (size_t)m->moment < s->n_moments ?
			ks_moment_name(s->moments[m->moment].kind) : "-", m->calls);
		if (m->calls_number > 0) {
			fputs("after ", out);
			put_count(out, (size_t)m->calls_number, "call", "");
		} else {
			fputs("no", out);
		}
		fprintf(out, " | %.3fx | %.3fx | %c |\n", m->before, m->after,
			m->layer_next >= 0 ? ks_layer_letter(m->layer_next) : '-');
	}
	put_layers(out, s);
	put_acts(out, s);
}

static void put_line(FILE *out, const char *label, struct ks_str text)
{
	fprintf(out, "%s: ", label);
	put_inline(out, text);
	fputs("\n\n", out);
}

/* How it ended, and its last words where it left some. */
static void put_exited(FILE *out, const struct ks_json *doc)
{
	int status = (int)ks_json_get_int(doc, "status", 0);
	int sig = (int)ks_json_get_int(doc, "signal", 0);
	const char *tail = ks_json_get_str(doc, "tail", "");

	/* Below 0 it is no program's status: the tail says what was. */
	fputs(status < 0 ? "Agent ended" : "Agent exited", out);
	if (sig != 0) {
		fprintf(out, " by signal %d", sig);
	} else if (status > 0) {
		fprintf(out, " with status %d", status);
	}
	if (tail[0] != '\0') {
		fputs(": ", out);
		put_inlines(out, tail);
		fputs("\n\n", out);
	} else {
		fputs(".\n\n", out);
	}
}

void ks_export_md_record(FILE *out, const struct ks_record *r)
{
	switch (r->kind) {
	case KS_REC_HEAD: put_head(out, r); break;
	case KS_REC_MESSAGE: put_message(out, r); break;
	case KS_REC_SAID:
		fputs("**Agent**\n\n", out);
		put_quote(out, r->body);
		break;
	case KS_REC_THOUGHT:
		fputs("*Agent, thinking*\n\n", out);
		put_quote(out, r->body);
		break;
	case KS_REC_TOOLS: put_tools(out, r->group); break;
	case KS_REC_CANDIDATE: put_candidate(out, r); break;
	case KS_REC_CHAMPION:
		fputs("**New champion ", out);
		put_number(out, (int)ks_json_get_int(r->event->doc, "candidate", -1));
		fprintf(out, ", geomean %.3fx.**\n\n", r->best);
		break;
	case KS_REC_GOAL: put_goal(out, r); break;
	case KS_REC_MOMENT: put_moment(out, r); break;
	case KS_REC_NOTE: put_line(out, "**Note**", r->body); break;
	case KS_REC_NOTICE: put_line(out, "*kseek*", r->body); break;
	case KS_REC_TURN:
		fprintf(out, "Turn %d %s.\n\n", (int)ks_json_get_int(r->event->doc, "turn", 0),
			ks_json_get_str(r->event->doc, "how", "ended"));
		break;
	case KS_REC_AGENT:
		if (r->event->kind == KS_EV_AGENT_EXITED) {
			put_exited(out, r->event->doc);
		} else {
			put_line(out, "Agent started",
				ks_str_of(ks_json_get_str(r->event->doc, "label", "")));
		}
		break;
	case KS_REC_RAW:
		fputs("An event of a kind that this version does not know:\n\n", out);
		put_block(out, r->event->raw);
		break;
	case KS_REC_MISSING:
		fprintf(out, "*Event %" PRId64 " is missing from the log.*\n\n", r->seq);
		break;
	case KS_REC_FOOT: put_foot(out, r->state); break;
	}
}
