/*
 * Figures as JSON members and as lines of text.
 */
#include "base/plural.h"
#include "core/stats.h"

static void write_words(const struct ks_stats *s, const struct ks_state *state,
	struct ks_jw *w)
{
	struct ks_stats_acts acts;

	ks_stats_acts(&acts, state);
	ks_jw_open(w, "messages");
	ks_jw_int(w, "steering", s->messages);
	ks_jw_int(w, "human", s->by_human);
	ks_jw_int(w, "bank", s->by_bank);
	ks_jw_int(w, "interrogative", acts.interrogative);
	ks_jw_num(w, "calls_each", ks_stats_calls_per_message(s));
	ks_jw_open(w, "acts");
	for (int i = 0; i < KS_ACTS; i++) {
		ks_jw_int(w, ks_act_name((enum ks_act)i), acts.count[i]);
	}
	ks_jw_int(w, "set_by_hand", acts.corrected);
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

void ks_stats_asked_write(const struct ks_stats_asked *asked, struct ks_jw *w)
{
	ks_jw_open_array(w, "questions");
	for (size_t i = 0; i < asked->count; i++) {
		const struct ks_stats_question *q = &asked->item[i];

		ks_jw_open(w, NULL);
		ks_jw_str(w, "question", q->id);
		ks_jw_int(w, "asked", q->asked);
		ks_jw_int(w, "measured", q->measured);
		ks_jw_int(w, "numbers", q->numbers);
		ks_jw_num(w, "calls_to_number",
			q->numbers > 0 ? (double)q->calls / q->numbers : 0);
		ks_jw_int(w, "gained", q->gained);
		ks_jw_num(w, "gain", q->gain);
		ks_jw_open(w, "measured_next");
		for (int k = 0; k < KS_LAYERS; k++) {
			const char letter[2] = {ks_layer_letter(k), '\0'};

			if (q->next[k] > 0) {
				ks_jw_int(w, letter, q->next[k]);
			}
		}
		ks_jw_close(w);
		ks_jw_close(w);
	}
	ks_jw_close_array(w);
}

void ks_stats_write(const struct ks_stats *stats, const struct ks_state *state,
	struct ks_jw *w)
{
	ks_jw_int(w, "wall_ms", (stats->last_t - stats->first_t) / 1000);
	ks_jw_int(w, "working_ms", stats->working_us / 1000);
	write_words(stats, state, w);
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
}

static void text_words(const struct ks_stats *s, const struct ks_state *state,
	struct ks_buf *out)
{
	struct ks_stats_acts acts;

	ks_stats_acts(&acts, state);
	ks_buf_addf(out, "messages    %d (person %d, bank %d), %d phrased as questions",
		s->messages, s->by_human, s->by_bank, acts.interrogative);
	if (s->messages > 0) {
		ks_buf_addf(out, ", %.0f calls each", ks_stats_calls_per_message(s));
	}
	ks_buf_adds(out, "\nacts       ");
	for (int i = 0; i < KS_ACTS; i++) {
		ks_buf_addf(out, " %s %d", ks_act_name((enum ks_act)i), acts.count[i]);
		if (acts.count[i] > 0) {
			ks_buf_addf(out, " (%.0f %%)", 100.0 * acts.count[i] / acts.messages);
		}
	}
	if (acts.corrected > 0) {
		ks_buf_addf(out, ", %d set by hand", acts.corrected);
	}
	ks_buf_addf(out, "\nsent back   %d time%s\nmoments    ", s->sent_back,
		ks_s(s->sent_back));
	for (int i = KS_MOMENT_START; i <= KS_MOMENT_BREAK; i++) {
		ks_buf_addf(out, " %s %d", ks_moment_name((enum ks_moment_kind)i),
			s->moments[i]);
	}
	ks_buf_addf(out, ", answered %d, dismissed %d\n", s->answered, s->dismissed);
}

static void text_effort(const struct ks_stats *stats, struct ks_buf *out)
{
	ks_buf_addf(out, "calls       %d", stats->calls);
	for (int i = 0; i < KS_STATS_EFFORTS; i++) {
		if (stats->effort[i] > 0) {
			ks_buf_addf(out, ", %s %d", ks_stats_effort_name(i), stats->effort[i]);
		}
	}
	if (stats->result_bytes > 0) {
		ks_buf_addf(out, "\nown source  %.0f %% of what calls printed",
			100.0 * (double)stats->own_bytes / (double)stats->result_bytes);
	}
	ks_buf_adds(out, "\nlooked at  ");
	for (int i = 0; i < KS_LAYERS; i++) {
		ks_buf_addf(out, " %c %.0f %%", ks_layer_letter(i),
			100 * ks_stats_share(stats, i));
	}
	ks_buf_addc(out, '\n');
}

void ks_stats_text(const struct ks_stats *stats, const struct ks_state *state,
	struct ks_buf *out)
{
	text_words(stats, state, out);
	text_effort(stats, out);
	ks_buf_addf(out, "evaluated   %d complete, %d partial, %d failed, %d incorrect, "
		"%d of %d confirmed\n", stats->evals - stats->partial, stats->partial,
		stats->failed, stats->incorrect, stats->confirms - stats->unconfirmed,
		stats->confirms);
	for (size_t i = 0; i < stats->n_steps; i++) {
		char name[KS_CANDIDATE_TEXT];

		ks_buf_addf(out, "best        %.2fx %s after %d call%s\n", stats->steps[i].geomean,
			ks_candidate_name(name, stats->steps[i].candidate), stats->steps[i].call,
			ks_s(stats->steps[i].call));
	}
}

void ks_stats_asked_text(const struct ks_stats_asked *asked, struct ks_buf *out)
{
	if (asked->count > 0) {
		ks_buf_adds(out, "question  asked  number  calls  gained    best  "
			"measured next\n");
	}
	for (size_t i = 0; i < asked->count; i++) {
		const struct ks_stats_question *q = &asked->item[i];

		ks_buf_addf(out, "%-8s  %5d  %6d  ", q->id, q->asked, q->numbers);
		if (q->numbers > 0) {
			ks_buf_addf(out, "%5.0f", (double)q->calls / q->numbers);
		} else {
			ks_buf_adds(out, "    -");
		}
		ks_buf_addf(out, "  %6d  %5.2fx ", q->gained, q->gain);
		for (int k = 0; k < KS_LAYERS; k++) {
			if (q->next[k] > 0) {
				ks_buf_addf(out, " %c %d", ks_layer_letter(k), q->next[k]);
			}
		}
		ks_buf_addc(out, '\n');
	}
}
