#ifndef KSEEK_CORE_RANK_H
#define KSEEK_CORE_RANK_H
/*
 * Which question to offer at a moment: every entry that may be asked is
 * scored, and three from three different layers are chosen by the slots of the
 * moment's kind, each with its reason in a few words. The arithmetic is given
 * with the answer. Two rules stand above the score: at a limit claim one offer
 * rejects the limit and one changes layer; and no offer comes from the layer
 * of the last ten calls unless it rejects a claim about that layer.
 *
 * Pure: everything that a choice depends on is in struct ks_rank_input.
 */
#include "core/bank.h"
#include "core/layer.h"

#define KS_RANK_OFFERS 3

/* What came of one entry in one campaign: the prior of `payoff`. Only other
 * campaigns count. */
struct ks_payoff {
	char question[16];  /* bank id */
	char campaign[40];  /* its id  */
	unsigned asked, numbers, wins;
};
/* The largest payoff term: what is learnt elsewhere can settle a tie or two
 * layers that were looked at alike, never outweigh one that was not. */
#define KS_RANK_PAYOFF_MOST 1.0

/* What happened with one entry so far; an entry without a record: zero. */
struct ks_rank_past {
	unsigned asked;     /* times sent                                    */
	unsigned numbers;   /* of these, answered by a number                */
	bool fresh;         /* the last number still holds: nothing in its
	                     * stale_when happened since                     */
	unsigned wins;      /* times it led to >= 3 % in other campaigns     */
	bool pending;       /* asked last, and its layer not measured since:
	                     * never the first offer                         */
	bool dismissed;     /* offered at this kind of moment and dismissed  */
};

struct ks_rank_figure { /* a figure of the trace, for number cues */
	struct ks_str name;
	double value;
};

struct ks_rank_input {
	const struct ks_bank *bank;
	enum ks_point point;
	unsigned target;                /* KS_BANK_CUDA or KS_BANK_CPU        */
	const struct ks_layers *layers;
	int claim_layer;                /* of a claim, KS_LAYER_NONE without  */
	struct ks_str claim_resource;   /* "memory bandwidth", may be empty   */
	struct ks_str text;             /* recent agent text, for text cues   */
	const struct ks_rank_figure *figures;
	size_t figure_count;
	const struct ks_str *has;       /* what this machine offers; an entry's
	                                 * needs must all be among them       */
	size_t has_count;
	const struct ks_rank_past *past;/* by index in the bank, or NULL      */
	size_t past_count;
	struct ks_str arch, op, tags;   /* the device's architecture, and name and tags
	                                 * of the definition, by which checklists and
	                                 * plug-ins are let in; empty: neither */
};

struct ks_rank_terms { /* already weighted; total is their sum */
	double novelty, stale, tunnel, claim, cue, outer, payoff, cost,
		answered, asked, total;
};

struct ks_rank_offer {
	size_t index;               /* in the bank                       */
	struct ks_rank_terms terms;
	bool rejects;               /* rejects the claimed limit         */
	bool changes_layer;
	int slot;                   /* of the moment, from 0; -1: by its score */
	char tag[32];               /* "rejects the limit", "changes layer", … */
	char reason[128];           /* "not measured for 140 calls; …"   */
};

/* Score of one entry; false when it may not be asked here (point, target,
 * needs, scope, retired, dismissed). */
bool ks_rank_score(struct ks_rank_terms *out, const struct ks_rank_input *in,
	size_t index);
/* Whether an entry would be asked here but for something that this machine
 * lacks. */
bool ks_rank_hidden_by_needs(const struct ks_rank_input *in, size_t index);
/* Fills out in the order of the slots; returns 0 to 3. */
size_t ks_rank_offers(struct ks_rank_offer out[KS_RANK_OFFERS],
	const struct ks_rank_input *in);
/* What a slot takes, in words ("another layer than the claimed one"); static. */
const char *ks_rank_slot(enum ks_point point, int slot);
/* One line of arithmetic for an entry: "3.00 novelty + 1.00 cue ... = 5.20". */
void ks_rank_explain(struct ks_buf *out, const struct ks_rank_terms *terms);

#endif
