#ifndef KSEEK_CORE_STATS_H
#define KSEEK_CORE_STATS_H
/*
 * Figures of a whole campaign, a fold beside the state: what was said, where
 * the effort went, how the best rose, what each question was followed by. Effort
 * is counted by process where the shim saw one, else from text as the classifier
 * reads it; rows of an agent whose scripts hide their commands are then lower
 * bounds.
 */
#include "core/event.h"
#include "core/state.h"

#define KS_STATS_EFFORTS 11 /* bits of enum ks_effort, in their order */
#define KS_STATS_KINDS 5    /* enum ks_call_kind */

struct ks_stats_step {      /* the best became this */
	int64_t seq, t;
	int candidate;
	int call;           /* tool calls so far */
	double geomean;
};

struct ks_stats_question {  /* of one bank entry, in one campaign or several */
	char id[16];
	int asked;
	int measured;       /* times a measurement followed        */
	int numbers;        /* times it was answered by a number    */
	int calls;          /* of these: calls until the number, sum */
	int gained;         /* times the best rose by 3 % or more before the next */
	double gain;        /* best of after/before                 */
	int next[KS_LAYERS];/* layers that were measured next       */
};

/* Acts of the messages that steer, as classified or set by hand. */
struct ks_stats_acts {
	int count[KS_ACTS];
	int messages, interrogative, corrected;
};

struct ks_stats {
	int64_t first_t, last_t;
	int64_t working_us; /* in turns that have ended */
	/* words: messages that steer; goal's own are apart */
	int messages, by_human, by_bank;
	int sent_back, moments[7], answered, dismissed;
	int64_t words_bytes;/* of steering messages */
	/* effort */
	int calls;
	int kinds[KS_STATS_KINDS];
	int effort[KS_STATS_EFFORTS];
	double evidence[KS_LAYERS], attention[KS_LAYERS]; /* not decayed */
	int64_t result_bytes, own_bytes; /* tool output; of it own sources */
	/* evaluations */
	int evals, partial, failed, incorrect, confirms, unconfirmed;
	struct ks_stats_step *steps; /* owned */
	size_t n_steps, cap_steps;
	/* inside */
	int64_t turn_t;
	bool own[KS_TOOLS_KEPT];
	unsigned told[KS_TOOLS_KEPT]; /* effort that a call's text told, until its
	                               * process was seen */
};

void ks_stats_init(struct ks_stats *stats);
void ks_stats_fini(struct ks_stats *stats);
/* After ks_evolve with the same event. */
void ks_stats_add(struct ks_stats *stats, const struct ks_state *state,
	const struct ks_event *event);

/* Tool calls for each steering message of a person or the bank; 0 without. */
double ks_stats_calls_per_message(const struct ks_stats *stats);
/* Share of a layer in all evidence, 0 while there is none. */
double ks_stats_share(const struct ks_stats *stats, int layer);
const char *ks_stats_effort_name(int row); /* "profiler runs"; static */
void ks_stats_acts(struct ks_stats_acts *out, const struct ks_state *state);

/* Records of the bank entries that were asked, in the order of first asking. */
struct ks_stats_asked {
	struct ks_stats_question *item; /* owned */
	size_t count, cap;
};
void ks_stats_asked_fini(struct ks_stats_asked *asked);
/* Adds what a campaign's messages show. */
void ks_stats_asked_add(struct ks_stats_asked *asked, const struct ks_state *state);

/* Everything above as members of the object that is open in w. */
void ks_stats_write(const struct ks_stats *stats, const struct ks_state *state,
	struct ks_jw *w);
void ks_stats_asked_write(const struct ks_stats_asked *asked, struct ks_jw *w);
/* As text of a few lines; questions apart, since they may be of several. */
void ks_stats_text(const struct ks_stats *stats, const struct ks_state *state,
	struct ks_buf *out);
void ks_stats_asked_text(const struct ks_stats_asked *asked, struct ks_buf *out);

#endif
