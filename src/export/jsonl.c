/*
 * The transcript as JSON lines: {"record":KIND, ...}. Texts are whole and
 * sanitised; an event of an unknown kind is passed on in "event" as it was.
 */
#include "base/sane.h"
#include "core/stats.h"
#include "export/record.h"

static const char *kind_name(enum ks_record_kind kind)
{
	static const char *const names[] = {
		"campaign", "message", "waiting", "said", "thought", "tools", "changes",
		"candidate", "champion", "goal", "moment", "note", "notice", "turn", "agent",
		"unknown", "missing", "summary"
	};
	return names[kind];
}

static void put_text(struct ks_jw *w, const char *key, struct ks_str text)
{
	struct ks_buf safe = {0};

	ks_sane(&safe, text, 0);
	ks_jw_slice(w, key, ks_buf_str(&safe));
	ks_buf_fini(&safe);
}

static void put_candidate_figures(struct ks_jw *w, const struct ks_state *s,
	const struct ks_candidate *c)
{
	ks_jw_int(w, "candidate", c->number);
	ks_jw_int(w, "parent", c->parent);
	ks_jw_str(w, "commit", c->commit);
	if (c->built || c->failed) {
		ks_jw_bool(w, "built", c->built);
	}
	ks_jw_str(w, "not_measured", c->lost[0] != 0 ? c->lost : NULL);
	ks_jw_bool(w, "confirmed", c->confirmed);
	ks_jw_int(w, "looks", c->looks);
	ks_jw_int(w, "correct", c->n_correct);
	ks_jw_int(w, "measured", c->n_measured);
	ks_jw_num(w, "geomean", c->geomean);
	ks_jw_num(w, "geo_lo", c->geo_lo);
	ks_jw_num(w, "geo_hi", c->geo_hi);
	ks_jw_num(w, "worst", c->worst);
	ks_jw_open_array(w, "speedups");
	for (size_t i = 0; c->results != NULL && i < s->n_scenarios; i++) {
		if (c->results[i].measured && !s->scenarios[i].heldout) {
			ks_jw_open(w, NULL);
			ks_jw_str(w, "scenario", s->scenarios[i].name);
			ks_jw_num(w, "speedup", (double)c->results[i].speedup);
			ks_jw_num(w, "lo", (double)c->results[i].lo);
			ks_jw_num(w, "hi", (double)c->results[i].hi);
			ks_jw_bool(w, "correct", c->results[i].correct);
			ks_jw_close(w);
		}
	}
	ks_jw_close_array(w);
}

static void put_wrong(struct ks_jw *w, const struct ks_wrong *wrong)
{
	if (wrong == NULL || wrong->count == 0) {
		return;
	}
	ks_jw_open_array(w, "wrong");
	for (int i = 0; i < wrong->n_names; i++) {
		ks_jw_str(w, NULL, wrong->names[i]);
	}
	ks_jw_close_array(w);
	ks_jw_str(w, "why", wrong->why[0] != 0 ? wrong->why : NULL);
}

static void put_head(struct ks_jw *w, const struct ks_state *s)
{
	ks_jw_str(w, "id", s->id);
	ks_jw_str(w, "name", s->name);
	ks_jw_str(w, "target", s->target);
	ks_jw_str(w, "machine", s->machine);
	ks_jw_str(w, "agent", s->agent_label);
	ks_jw_int(w, "scenarios", (int64_t)s->n_scenarios);
	ks_jw_open_array(w, "goal");
	for (size_t i = 0; i < s->n_clauses; i++) {
		ks_jw_str(w, NULL, s->clauses[i].text);
	}
	ks_jw_close_array(w);
}

static void put_message(struct ks_jw *w, const struct ks_record *r)
{
	const struct ks_message *m = r->message;

	ks_jw_str(w, "by", ks_by_name(r->event->by));
	ks_jw_str(w, "via", ks_json_get_str(r->event->doc, "via", NULL));
	put_text(w, "text", r->body);
	if (ks_json_get(r->event->doc, "clauses") != NULL) {
		put_text(w, "clauses", ks_str_of(ks_json_get_str(r->event->doc, "clauses", "")));
	}
	if (m == NULL) {
		return;
	}
	ks_jw_int(w, "id", m->id);
	ks_jw_str(w, "act", ks_act_name(m->act));
	ks_jw_bool(w, "interrogative", m->interrogative);
	ks_jw_bool(w, "act_set_by_hand", m->corrected);
	ks_jw_bool(w, "goal", m->is_goal);
	ks_jw_str(w, "question", m->question[0] != 0 ? m->question : NULL);
	ks_jw_bool(w, "edited", r->edited != NULL);
	ks_jw_str(w, "moment", m->moment >= 0 && (size_t)m->moment < r->state->n_moments ?
		ks_moment_name(r->state->moments[m->moment].kind) : NULL);
	ks_jw_open(w, "followed_by");
	ks_jw_int(w, "calls", m->calls);
	if (m->calls_number > 0) {
		ks_jw_int(w, "calls_to_number", m->calls_number);
	}
	ks_jw_num(w, "best_before", m->before);
	ks_jw_num(w, "best_after", m->after);
	if (m->layer_next >= 0) {
		char layer[2] = {ks_layer_letter(m->layer_next), 0};
		ks_jw_str(w, "layer_measured_next", layer);
	}
	ks_jw_close(w);
}

static void put_item(struct ks_jw *w, const struct ks_item *item)
{
	ks_jw_open(w, NULL);
	ks_jw_slice(w, "title", ks_buf_str(&item->title));
	if (item->added + item->removed > 0) {
		ks_jw_int(w, "added", item->added);
		ks_jw_int(w, "removed", item->removed);
	}
	if (item->candidate >= 0) {
		ks_jw_int(w, "candidate", item->candidate);
	}
	if (item->failed) {
		ks_jw_bool(w, "failed", true);
	}
	if (item->output.len > 0) {
		ks_jw_slice(w, "output", ks_buf_str(&item->output));
	}
	ks_jw_close(w);
}

static void put_tools(struct ks_jw *w, const struct ks_group *g)
{
	ks_jw_int(w, "calls", g->calls);
	ks_jw_int(w, "failed", g->failed);
	ks_jw_int(w, "last_seq", g->last_seq);
	ks_jw_int(w, "ms", g->ms);
	ks_jw_open(w, "kinds");
	for (int i = 0; i < KS_GROUP_KINDS; i++) {
		if (g->kinds[i] > 0) {
			ks_jw_int(w, ks_group_kind_name(i), g->kinds[i]);
		}
	}
	ks_jw_close(w);
	ks_jw_open_array(w, "list");
	for (int i = 0; i < g->n_items; i++) {
		put_item(w, &g->items[i]);
	}
	ks_jw_close_array(w);
}

static void put_changes(struct ks_jw *w, const struct ks_record *r)
{
	static const char *const counts[] = {"candidate", "parent", "added", "removed"};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		ks_jw_int(w, counts[i], ks_json_get_int(r->event->doc, counts[i], 0));
	}
	put_text(w, "diff", r->body);
}

static void put_moment(struct ks_jw *w, const struct ks_moment *m)
{
	static const char *const states[] = {"open", "answered", "dismissed"};

	ks_jw_str(w, "moment", ks_moment_name(m->kind));
	ks_jw_str(w, "state", states[m->state]);
	put_text(w, "evidence", ks_str_of(m->evidence));
	ks_jw_open_array(w, "offers");
	for (int i = 0; i < m->n_offers; i++) {
		ks_jw_open(w, NULL);
		ks_jw_str(w, "question", m->offers[i].question);
		put_text(w, "text", ks_str_of(m->offers[i].text));
		put_text(w, "reason", ks_str_of(m->offers[i].reason));
		ks_jw_close(w);
	}
	ks_jw_close_array(w);
}

static void put_layers(struct ks_jw *w, const struct ks_state *s)
{
	ks_jw_open(w, "layers");
	for (int l = 0; l < KS_LAYERS; l++) {
		char key[2] = {ks_layer_letter(l), 0};
		uint64_t since = ks_layers_since(&s->layers, l);
		ks_jw_open(w, key);
		ks_jw_num(w, "evidence", s->layers.evidence[l]);
		ks_jw_num(w, "attention", s->layers.attention[l]);
		if (since != KS_LAYERS_NEVER) {
			ks_jw_int(w, "calls_since_measured", (int64_t)since);
		}
		ks_jw_bool(w, "stale", ks_layers_stale(&s->layers, l) > 0);
		ks_jw_close(w);
	}
	ks_jw_close(w);
}

static void put_acts(struct ks_jw *w, const struct ks_state *s)
{
	struct ks_stats_acts acts;

	ks_stats_acts(&acts, s);
	ks_jw_open(w, "acts");
	for (int i = 0; i < KS_ACTS; i++) {
		ks_jw_int(w, ks_act_name((enum ks_act)i), acts.count[i]);
	}
	ks_jw_int(w, "interrogative", acts.interrogative);
	ks_jw_int(w, "set_by_hand", acts.corrected);
	ks_jw_close(w);
}

static void put_foot(struct ks_jw *w, const struct ks_state *s)
{
	ks_jw_num(w, "best", s->best);
	ks_jw_bool(w, "goal_met", s->goal_met);
	ks_jw_int(w, "sent_back", s->sent_back);
	ks_jw_int(w, "calls", s->calls);
	ks_jw_int(w, "turns", s->turns);
	ks_jw_int(w, "unknown_events", s->unknown);
	put_layers(w, s);
	put_acts(w, s);
}

static void put_fields(struct ks_jw *w, const struct ks_record *r)
{
	switch (r->kind) {
	case KS_REC_HEAD: put_head(w, r->state); break;
	case KS_REC_MESSAGE:
	case KS_REC_WAITING: put_message(w, r); break;
	case KS_REC_TOOLS: put_tools(w, r->group); break;
	case KS_REC_MOMENT:
		if (r->moment != NULL) {
			put_moment(w, r->moment);
		}
		break;
	case KS_REC_CHANGES: put_changes(w, r); break;
	case KS_REC_CANDIDATE:
	case KS_REC_CHAMPION:
		if (r->candidate != NULL) {
			put_candidate_figures(w, r->state, r->candidate);
		}
		ks_jw_num(w, "best", r->best);
		put_text(w, "text", r->body);
		put_wrong(w, r->wrong);
		break;
	case KS_REC_FOOT: put_foot(w, r->state); break;
	case KS_REC_RAW: ks_jw_node(w, "event", r->event->doc); break;
	case KS_REC_GOAL:
	case KS_REC_TURN:
	case KS_REC_AGENT: ks_jw_node(w, "event", r->event->doc); break;
	case KS_REC_MISSING: break;
	default: put_text(w, "text", r->body); break;
	}
}

void ks_export_jsonl_record(FILE *out, const struct ks_record *r)
{
	struct ks_buf line = {0};
	struct ks_jw w;

	ks_jw_init(&w, &line);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "record", kind_name(r->kind));
	if (r->seq > 0) {
		ks_jw_int(&w, "seq", r->seq);
	}
	if (r->event != NULL) {
		ks_jw_int(&w, "t", r->event->t);
	}
	put_fields(&w, r);
	ks_jw_close(&w);
	ks_buf_addc(&line, '\n');
	fwrite(line.ptr, 1, line.len, out);
	ks_buf_fini(&line);
}
