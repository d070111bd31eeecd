/*
 * Figures as JSON members and as lines of text.
 */
#include "core/stats.h"

#include <stdlib.h>

static void write_words(const struct ks_stats *s, struct ks_jw *w)
{
	ks_jw_open(w, "messages");
	ks_jw_int(w, "steering", s->messages);
	ks_jw_int(w, "human", s->by_human);
	ks_jw_int(w, "bank", s->by_bank);
	ks_jw_int(w, "interrogative", s->interrogative);
	ks_jw_num(w, "calls_each", ks_stats_calls_per_message(s));
	ks_jw_open(w, "acts");
	for (int i = 0; i < KS_ACTS; i++) {
		ks_jw_int(w, ks_act_name((enum ks_act)i), s->acts[i]);
	}
	ks_jw_close(w);
	ks_jw_close(w);
	ks_jw_int(w, "sent_back", s->sent_back);
	ks_jw_open(w, "moments");
	for (int i = KS_MOMENT_START; i <= KS_MOMENT_BREAK; i++) {
		ks_jw_int(w, ks_moment_name((enum ks_moment_kind)i), s->moments[i]);
	}
	ks_jw_int(w, "answered", s->answered);
	ks_jw_int(w, "dismissed", s->dismissed);
	ks_jw_close(w);
}

static void write_effort(const struct ks_stats *s, struct ks_jw *w)
{
	ks_jw_open(w, "effort");
	ks_jw_int(w, "calls", s->calls);
	for (int i = 0; i < KS_STATS_KINDS; i++) {
		ks_jw_int(w, ks_call_kind_name((enum ks_call_kind)i), s->kinds[i]);
	}
	for (int i = 0; i < KS_STATS_EFFORTS; i++) {
		ks_jw_int(w, ks_stats_effort_name(i), s->effort[i]);
	}
	ks_jw_int(w, "result_bytes", s->result_bytes);
	ks_jw_int(w, "own_source_bytes", s->own_bytes);
	ks_jw_close(w);
	ks_jw_open(w, "layers");
	for (int i = 0; i < KS_LAYERS; i++) {
		const char letter[2] = {ks_layer_letter(i), '\0'};

		ks_jw_num(w, letter, ks_stats_share(s, i));
	}
	ks_jw_close(w);
}

static void write_steps(const struct ks_stats *s, struct ks_jw *w)
{
	ks_jw_open_array(w, "progression");
	for (size_t i = 0; i < s->n_steps; i++) {
		const struct ks_stats_step *step = &s->steps[i];

		ks_jw_open(w, NULL);
		ks_jw_int(w, "seq", step->seq);
		ks_jw_int(w, "t", step->t);
		ks_jw_int(w, "candidate", step->candidate);
		ks_jw_int(w, "call", step->call);
		ks_jw_num(w, "geomean", step->geomean);
		ks_jw_close(w);
	}
	ks_jw_close_array(w);
}

static void write_questions(const struct ks_state *state, struct ks_jw *w)
{
	struct ks_stats_question *list;
	size_t count = ks_stats_questions(&list, state);

	ks_jw_open_array(w, "questions");
	for (size_t i = 0; i < count; i++) {
		ks_jw_open(w, NULL);
		ks_jw_str(w, "question", list[i].id);
		ks_jw_int(w, "asked", list[i].asked);
		ks_jw_int(w, "measured", list[i].measured);
		ks_jw_int(w, "gained", list[i].gained);
		ks_jw_num(w, "gain", list[i].gain);
		ks_jw_close(w);
	}
	ks_jw_close_array(w);
	free(list);
}

void ks_stats_write(const struct ks_stats *stats, const struct ks_state *state,
	struct ks_jw *w)
{
	ks_jw_int(w, "wall_ms", (stats->last_t - stats->first_t) / 1000);
	ks_jw_int(w, "working_ms", stats->working_us / 1000);
	write_words(stats, w);
	write_effort(stats, w);
	ks_jw_open(w, "evaluations");
	ks_jw_int(w, "complete", stats->evals - stats->partial);
	ks_jw_int(w, "partial", stats->partial);
	ks_jw_int(w, "failed", stats->failed);
	ks_jw_int(w, "incorrect", stats->incorrect);
	ks_jw_int(w, "confirming", stats->confirms);
	ks_jw_int(w, "unconfirmed", stats->unconfirmed);
	ks_jw_close(w);
	write_steps(stats, w);
	write_questions(state, w);
}

static void text_words(const struct ks_stats *s, struct ks_buf *out)
{
	ks_buf_addf(out, "messages    %d (person %d, bank %d), %d phrased as questions",
		s->messages, s->by_human, s->by_bank, s->interrogative);
	if (s->messages > 0) {
		ks_buf_addf(out, ", %.0f calls each", ks_stats_calls_per_message(s));
	}
	ks_buf_adds(out, "\nacts       ");
	for (int i = 0; i < KS_ACTS; i++) {
		ks_buf_addf(out, " %s %d", ks_act_name((enum ks_act)i), s->acts[i]);
	}
	ks_buf_addf(out, "\nsent back   %d times\nmoments    ", s->sent_back);
	for (int i = KS_MOMENT_START; i <= KS_MOMENT_BREAK; i++) {
		ks_buf_addf(out, " %s %d", ks_moment_name((enum ks_moment_kind)i),
			s->moments[i]);
	}
	ks_buf_addc(out, '\n');
}

void ks_stats_text(const struct ks_stats *stats, const struct ks_state *state,
	struct ks_buf *out)
{
	struct ks_stats_question *list;
	size_t count;

	text_words(stats, out);
	ks_buf_addf(out, "calls       %d", stats->calls);
	for (int i = 0; i < KS_STATS_EFFORTS; i++) {
		if (stats->effort[i] > 0) {
			ks_buf_addf(out, ", %s %d", ks_stats_effort_name(i), stats->effort[i]);
		}
	}
	ks_buf_adds(out, "\nlooked at  ");
	for (int i = 0; i < KS_LAYERS; i++) {
		ks_buf_addf(out, " %c %.0f %%", ks_layer_letter(i),
			100 * ks_stats_share(stats, i));
	}
	ks_buf_addf(out, "\nevaluated   %d complete, %d partial, %d failed, %d incorrect, "
		"%d of %d confirmed\n", stats->evals - stats->partial, stats->partial,
		stats->failed, stats->incorrect, stats->confirms - stats->unconfirmed,
		stats->confirms);
	for (size_t i = 0; i < stats->n_steps; i++) {
		ks_buf_addf(out, "best        %.2fx candidate %d after %d calls\n",
			stats->steps[i].geomean, stats->steps[i].candidate,
			stats->steps[i].call);
	}
	count = ks_stats_questions(&list, state);
	for (size_t i = 0; i < count; i++) {
		ks_buf_addf(out, "question    %s asked %d, measured %d, gained %d (best "
			"%.2fx)\n", list[i].id, list[i].asked, list[i].measured,
			list[i].gained, list[i].gain);
	}
	free(list);
}
