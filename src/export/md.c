/*
 * The transcript as Markdown: what happened, one record after the other.
 */
#include <inttypes.h>

#include "base/plural.h"
#include "core/layer.h"
#include "export/md_impl.h"

#define BUILD_LINES 12 /* of a compiler's output */
#define DIFF_LINES 60  /* of what a candidate changed */

/* Whose words they are. */
static const char *speaker(const struct ks_event *event)
{
	const char *via = ks_json_get_str(event->doc, "via", "");

	return event->by == KS_BY_HUMAN ? "Human" : strcmp(via, "bank") == 0 ? "Bank"
		: strcmp(via, "goal") == 0 ? "Goal" : "kseek";
}

static void put_why_said(FILE *out, const struct ks_record *r)
{
	const struct ks_message *m = r->message;
	const struct ks_state *s = r->state;

	if (m != NULL && m->moment >= 0 && (size_t)m->moment < s->n_moments) {
		fprintf(out, "At a moment of kind *%s*: ",
			ks_moment_name(s->moments[m->moment].kind));
		ks_md_inlines(out, s->moments[m->moment].evidence);
		fputs("\n\n", out);
	}
	if (m != NULL && m->question[0] != 0) {
		fputs("Question ", out);
		ks_md_inlines(out, m->question);
		fputs(r->edited != NULL ? " of the bank, edited. Its own words:\n\n" :
			" of the bank.\n\n", out);
	}
	if (r->edited != NULL) {
		ks_md_quote(out, ks_str_of(r->edited));
		fputs("What was sent:\n\n", out);
	}
}

/* What the agent was given beside the words. */
static void put_beside(FILE *out, const struct ks_json *doc)
{
	const char *clauses = ks_json_get_str(doc, "clauses", "");

	if (clauses[0] != '\0' && !ks_json_get_bool(doc, "goal", false)) {
		fputs("Below it stood what is open of the goal:\n\n", out);
		ks_md_quote(out, ks_str_of(clauses));
	}
	if (ks_json_get_bool(doc, "brief", false)) {
		fputs("*The brief stood in front.*\n\n", out);
	}
}

static void put_outcome(FILE *out, const struct ks_message *m)
{
	fprintf(out, "*Act: %s%s. Followed by ", ks_act_name(m->act),
		m->interrogative ? ", asked as a question" : "");
	ks_md_count(out, (size_t)m->calls, "tool call", "; best ");
	fprintf(out, "%.3fx before, %.3fx after", m->before, m->after);
	if (m->layer_next >= 0) {
		fprintf(out, "; measured next: %c, %s", ks_layer_letter(m->layer_next),
			ks_layer_name(m->layer_next));
	}
	if (m->calls_number > 0) {
		fputs("; a number after ", out);
		ks_md_count(out, (size_t)m->calls_number, "call", "");
	}
	fputs(".*\n\n", out);
}

static void put_message(FILE *out, const struct ks_record *r)
{
	char when[32];

	ks_export_time(r->event->t, when, sizeof(when));
	fprintf(out, "### %s, %s%s\n\n", speaker(r->event), when,
		r->kind == KS_REC_WAITING ? ": waits, not sent yet" : "");
	put_why_said(out, r);
	ks_md_quote(out, r->body);
	put_beside(out, r->event->doc);
	if (r->message != NULL) {
		put_outcome(out, r->message);
	}
}

static void put_item(FILE *out, const struct ks_item *item)
{
	fputs("- ", out);
	ks_md_code(out, ks_buf_str(&item->title));
	if (item->added + item->removed > 0) {
		fprintf(out, " +%d -%d", item->added, item->removed);
	}
	if (item->candidate >= 0) {
		fputs(", became ", out);
		ks_md_number(out, item->candidate);
	}
	fputs(item->failed ? " (failed)\n" : "\n", out);
	if (item->output.len > 0) {
		fputc('\n', out);
		ks_md_block(out, ks_buf_str(&item->output), "  ", KS_OUTPUT_LINES);
	}
}

static void put_tools(FILE *out, const struct ks_group *g)
{
	fprintf(out, "**%d tool call%s**", g->calls, ks_s(g->calls));
	const char *sep = " (";
	for (int i = 0; i < KS_GROUP_KINDS; i++) {
		if (g->kinds[i] > 0) {
			fprintf(out, "%s%d %s", sep, g->kinds[i], ks_group_kind_name(i));
			sep = ", ";
		}
	}
	fprintf(out, ")%s, %.1f s\n\n", g->failed > 0 ? ", some failed" : "", (double)g->ms / 1000);
	for (int i = 0; i < g->n_items; i++) {
		put_item(out, &g->items[i]);
	}
	if (g->calls > g->n_items) {
		fprintf(out, "- and %d more\n\n", g->calls - g->n_items);
	} else if (g->n_items == 0 || g->items[g->n_items - 1].output.len == 0) {
		fputc('\n', out); /* a block has its own */
	}
}

/* What a candidate changed, whoever wrote it. */
static void put_changes(FILE *out, const struct ks_record *r)
{
	const struct ks_json *doc = r->event->doc;

	fputs("**", out);
	ks_md_number(out, (int)ks_json_get_int(doc, "candidate", -1));
	fputs("**, from ", out);
	ks_md_number(out, (int)ks_json_get_int(doc, "parent", -1));
	fprintf(out, ": +%d -%d\n\n", (int)ks_json_get_int(doc, "added", 0),
		(int)ks_json_get_int(doc, "removed", 0));
	if (r->body.len > 0) {
		ks_md_block(out, r->body, "", DIFF_LINES);
	}
	int64_t bytes = ks_json_get_int(doc, "bytes", 0);
	if (bytes > (int64_t)r->body.len) {
		fprintf(out, "*The log alone has the first %zu of %lld bytes.*\n\n", r->body.len,
			(long long)bytes);
	}
}

static void put_failed(FILE *out, const struct ks_record *r, int number)
{
	bool build = strcmp(ks_json_get_str(r->event->doc, "stage", ""), "build") == 0;

	fputs("**", out);
	ks_md_number(out, number);
	fprintf(out, " %s**\n\n", build ? "does not build" : "was not measured");
	ks_md_block(out, r->body, "", BUILD_LINES);
}

/* Which scenarios are wrong, and the first reason. */
static void put_wrong(FILE *out, const struct ks_wrong *wrong)
{
	if (wrong == NULL || wrong->count == 0) {
		return;
	}
	fputs(" Wrong: ", out);
	for (int i = 0; i < wrong->n_names; i++) {
		fputs(i > 0 ? ", " : "", out);
		ks_md_inlines(out, wrong->names[i]);
	}
	if (wrong->count > wrong->n_names) {
		fprintf(out, "%s%d %s", wrong->n_names > 0 ? " and " : "",
			wrong->count - wrong->n_names, wrong->n_names > 0 ? "more" : "held out");
	}
	if (wrong->why[0] != '\0') {
		fputs("; the first: ", out);
		ks_md_inlines(out, wrong->why);
	}
	fputc('.', out);
}

static void put_candidate(FILE *out, const struct ks_record *r)
{
	const struct ks_json *doc = r->event->doc;
	bool confirm = ks_json_get_bool(doc, "confirm", false);
	int number = (int)ks_json_get_int(doc, "candidate", -1);

	if (r->event->kind == KS_EV_EVAL_FAILED) {
		put_failed(out, r, number);
		return;
	}
	fputs("**", out);
	ks_md_number(out, number);
	fprintf(out, " %s**: %d of %d correct",
		confirm ? "measured again in fresh workers" : "evaluated",
		(int)ks_json_get_int(doc, "correct", 0), (int)ks_json_get_int(doc, "scenarios", 0));
	if (ks_json_get_num(doc, "geomean", 0) > 0) {
		fprintf(out, ", geomean %.3fx (%.3f to %.3f), worst %.3fx in ",
			ks_json_get_num(doc, "geomean", 0), ks_json_get_num(doc, "geo_lo", 0),
			ks_json_get_num(doc, "geo_hi", 0), ks_json_get_num(doc, "worst", 0));
		ks_md_inlines(out, ks_json_get_str(doc, "worst_name", "-"));
	}
	fprintf(out, ".%s", ks_json_get_bool(doc, "partial", false) ?
		" Only some scenarios." : "");
	put_wrong(out, r->wrong);
	fputs("\n\n", out);
}

static void put_goal(FILE *out, const struct ks_record *r)
{
	const struct ks_json *doc = r->event->doc;
	int number = (int)ks_json_get_int(doc, "candidate", -1);
	char name[KS_CANDIDATE_TEXT];

	fputs("Goal", out);
	if (number >= 0) {
		fprintf(out, ", computed for %s", ks_candidate_short(name, number));
	}
	int n = (int)ks_json_get_int(doc, "n", 0);
	fprintf(out, ": %d of %d clause%s hold%s.", (int)ks_json_get_int(doc, "n_met", 0), n,
		ks_s(n), ks_verb_s(n));
	if (r->unchanged) {
		fputs(" As before.\n\n", out);
		return;
	}
	const struct ks_json *clauses = ks_json_get(doc, "clauses");
	for (const struct ks_json *c = ks_json_first(clauses); c != NULL; c = ks_json_next(c)) {
		if (strcmp(ks_json_get_str(c, "outcome", ""), "yes") != 0) {
			fputs(" Open: ", out);
			ks_md_inlines(out, ks_json_get_str(c, "text", ""));
			fputc('.', out);
		}
	}
	fputs("\n\n", out);
}

/* A moment that nobody answered says so. */
static void put_moment(FILE *out, const struct ks_record *r)
{
	const struct ks_moment *m = r->moment;

	if (m == NULL) {
		return;
	}
	fprintf(out, "#### Moment: %s, ", ks_moment_name(m->kind));
	ks_md_clock(out, m->t);
	fputs(m->state == KS_MOMENT_ANSWERED ? " (answered)\n\n" :
		m->state == KS_MOMENT_OPEN ? " (not answered)\n\n" :
		m->by_person ? " (dismissed by a person)\n\n" :
		" (not answered, let go)\n\n", out);
	ks_md_quote(out, ks_str_of(m->evidence));
	for (int i = 0; i < m->n_offers; i++) {
		fputs("- offered ", out);
		ks_md_inlines(out, m->offers[i].question);
		fputs(": ", out);
		ks_md_inlines(out, m->offers[i].text);
		fputs(" (", out);
		ks_md_inlines(out, m->offers[i].reason);
		fputs(")\n", out);
	}
	fputc('\n', out);
}

static void put_line(FILE *out, const char *label, struct ks_str text)
{
	fprintf(out, "%s: ", label);
	ks_md_inline(out, text);
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
		ks_md_inlines(out, tail);
		fputs("\n\n", out);
	} else {
		fputs(".\n\n", out);
	}
}

static void put_turn(FILE *out, const struct ks_event *event)
{
	fprintf(out, "Turn %d %s at ", (int)ks_json_get_int(event->doc, "turn", 0),
		ks_json_get_str(event->doc, "how", "ended"));
	ks_md_clock(out, event->t);
	fputs(".\n\n", out);
}

void ks_export_md_record(FILE *out, const struct ks_record *r)
{
	switch (r->kind) {
	case KS_REC_HEAD: ks_md_head(out, r); break;
	case KS_REC_MESSAGE:
	case KS_REC_WAITING: put_message(out, r); break;
	case KS_REC_SAID:
		fputs("**Agent**\n\n", out);
		ks_md_quote(out, r->body);
		break;
	case KS_REC_THOUGHT:
		fputs("*Agent, thinking*\n\n", out);
		ks_md_quote(out, r->body);
		break;
	case KS_REC_TOOLS: put_tools(out, r->group); break;
	case KS_REC_CHANGES: put_changes(out, r); break;
	case KS_REC_CANDIDATE: put_candidate(out, r); break;
	case KS_REC_CHAMPION:
		fputs("**New champion ", out);
		ks_md_number(out, (int)ks_json_get_int(r->event->doc, "candidate", -1));
		fprintf(out, ", geomean %.3fx.**\n\n", r->best);
		break;
	case KS_REC_GOAL: put_goal(out, r); break;
	case KS_REC_MOMENT: put_moment(out, r); break;
	case KS_REC_NOTE: put_line(out, "**Note**", r->body); break;
	case KS_REC_NOTICE: put_line(out, "*kseek*", r->body); break;
	case KS_REC_TURN: put_turn(out, r->event); break;
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
		ks_md_block(out, r->event->raw, "", MD_ALL_LINES);
		break;
	case KS_REC_MISSING:
		fprintf(out, "*Event %" PRId64 " is missing from the log.*\n\n", r->seq);
		break;
	case KS_REC_FOOT: ks_md_foot(out, r->state); break;
	}
}
