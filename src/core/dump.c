/*
 * The state as text, one fact a line, in a fixed order: what tests compare and
 * a bug report can hold. Sequence numbers stand for times, so that a dump says
 * the same wherever it is made.
 */
#include "core/state.h"

static const char *agent_name(enum ks_agent_status status)
{
	static const char *const names[] = {"absent", "working", "waiting", "dead"};

	return (size_t)status < 4 ? names[status] : "?";
}

static void dump_head(const struct ks_state *s, struct ks_buf *out)
{
	ks_buf_addf(out, "campaign %s name %s target %s arch %s problem %s\n", s->id,
		s->name, s->target, s->arch,
		s->definition_name != NULL ? s->definition_name : "");
	ks_buf_addf(out, "log seq %lld rows %zu unknown %lld engine %s\n",
		(long long)s->seq, s->n_rows, (long long)s->unknown,
		s->engine_running ? "running" : "stopped");
	ks_buf_addf(out, "agent %s label %s%s turns %d calls %d turn-calls %d idle %d "
		"how %s retries %d briefed %s\n", agent_name(s->agent), s->agent_label,
		s->manual ? " manual" : "", s->turns, s->calls, s->calls_turn,
		s->idle_turns, ks_how_name(s->how), s->retries,
		s->briefed ? "yes" : "no");
	ks_buf_addf(out, "mode %s queued %d notes %d next-id %lld draft %s\n",
		ks_mode_name(s->mode), s->queued, s->notes, (long long)s->next_id,
		s->draft_until > 0 ? "yes" : "no");
	for (int i = 0; i < s->queued; i++) {
		ks_buf_addf(out, "queue %lld via %s moment %lld question %s: %s\n",
			(long long)s->queue[i].id, s->queue[i].via,
			(long long)s->queue[i].moment, s->queue[i].question,
			s->queue[i].text);
	}
}

static void dump_results(const struct ks_state *s, const struct ks_result *results,
	struct ks_buf *out)
{
	for (size_t i = 0; results != NULL && i < s->n_scenarios; i++) {
		const struct ks_result *r = &results[i];

		if (!r->measured) {
			continue;
		}
		ks_buf_addf(out, "  %s %s", s->scenarios[i].name,
			r->correct ? "correct" : "wrong");
		if (r->timed) {
			ks_buf_addf(out, " %.4g [%.4g %.4g] %s", (double)r->speedup,
				(double)r->lo, (double)r->hi, ks_verdict_word(r->verdict));
		}
		if (r->why != NULL) {
			ks_buf_addf(out, " why %s", r->why);
		}
		ks_buf_addc(out, '\n');
	}
}

static void dump_candidates(const struct ks_state *s, struct ks_buf *out)
{
	ks_buf_addf(out, "search candidates %zu champion %d last %d best %.4g evals %d "
		"since-best %d queue %d%s%s\n", s->n_candidates, s->champion, s->last,
		s->best, s->evals, s->evals_since_best, s->eval_queue,
		s->build_failed ? " build-failed" : "", s->edited ? " edited" : "");
	if (s->eval.running) {
		ks_buf_addf(out, "eval %lld candidate %d %d/%d%s\n",
			(long long)s->eval.id, s->eval.candidate, s->eval.done,
			s->eval.total, s->eval.confirm ? " confirm" : "");
	}
	for (size_t i = 0; i < s->n_candidates; i++) {
		const struct ks_candidate *c = &s->candidates[i];

		ks_buf_addf(out, "candidate %d parent %d hash %.8s looks %d %d/%d "
			"%.4g [%.4g %.4g] worst %.4g call %d message %d%s%s%s%s\n",
			c->number, c->parent, c->hash, c->looks, c->n_correct,
			c->n_measured, c->geomean, c->geo_lo, c->geo_hi, c->worst,
			c->call, c->message, c->built ? " built" : "",
			c->finished ? " finished" : "",
			c->confirmed ? " confirmed" : "", c->failed ? " failed" : "");
		dump_results(s, c->results, out);
	}
}

static void dump_goal(const struct ks_state *s, struct ks_buf *out)
{
	static const char *const outcomes[] = {
		[KS_GOAL_UNKNOWN] = "unknown", [KS_GOAL_NO] = "no",
		[KS_GOAL_YES] = "yes",
	};

	ks_buf_addf(out, "goal %zu/%zu%s candidate %d sent-back %d\n", s->n_met,
		s->n_clauses, s->goal_met ? " met" : "", s->goal_candidate,
		s->sent_back);
	for (size_t i = 0; i < s->n_clauses; i++) {
		ks_buf_addf(out, "  %s: %s: %s\n", outcomes[s->clauses[i].outcome],
			s->clauses[i].text, s->clauses[i].line);
	}
}

static void dump_words(const struct ks_state *s, struct ks_buf *out)
{
	static const char *const states[] = {"open", "answered", "dismissed"};

	for (size_t i = 0; i < s->n_moments; i++) {
		const struct ks_moment *m = &s->moments[i];

		ks_buf_addf(out, "moment %lld %s %s cause %lld call %d: %s\n",
			(long long)m->id, ks_moment_name(m->kind), states[m->state],
			(long long)m->cause, m->call, m->evidence);
		for (int o = 0; o < m->n_offers; o++) {
			ks_buf_addf(out, "  %s %c %s (%s)\n", m->offers[o].question,
				m->offers[o].layer, m->offers[o].text,
				m->offers[o].reason);
		}
	}
	for (size_t i = 0; i < s->n_messages; i++) {
		const struct ks_message *m = &s->messages[i];

		ks_buf_addf(out, "message %lld by %s act %s%s%s moment %d question %s "
			"calls %d %.4g to %.4g next %c: %s\n", (long long)m->id,
			ks_by_name(m->by), ks_act_name(m->act),
			m->interrogative ? " asks" : "", m->is_goal ? " goal" : "",
			m->moment, m->question, m->calls, m->before, m->after,
			ks_layer_letter(m->layer_next), m->preview);
	}
}

static void dump_layers(const struct ks_state *s, struct ks_buf *out)
{
	ks_buf_adds(out, "layers");
	for (int i = 0; i < KS_LAYERS; i++) {
		ks_buf_addf(out, " %c %.3f/%.3f", ks_layer_letter(i),
			s->layers.evidence[i], s->layers.attention[i]);
	}
	ks_buf_addc(out, '\n');
}

void ks_state_dump(const struct ks_state *state, struct ks_buf *out)
{
	dump_head(state, out);
	ks_buf_addf(out, "scenarios %zu held-out %zu\n", state->n_scenarios,
		state->n_heldout);
	dump_goal(state, out);
	dump_candidates(state, out);
	dump_words(state, out);
	dump_layers(state, out);
}
