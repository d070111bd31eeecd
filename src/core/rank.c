/*
 * Scores, and the three offers of a moment.
 *
 *   score = 3.0 novelty + 1.0 stale + 0.5 tunnel    a different layer
 *         + 2.0 claim                               its resource or layer is claimed
 *         + 1.0 cue (at most 2)                     figures and words in the trace
 *         + 1.0 outer                               outside first: (9 - group) / 9
 *         + 0.5 payoff                              log2(1 + wins in other campaigns), at most 2
 *         - 0.5 cost                                low 0, medium 1, high 2
 *         - 3.0 answered and fresh - 1.0 each time asked without a number (at most 3)
 *
 * The weights are a start, to be fitted on replays. Payoff is a prior: it can
 * move an entry by little, never past a layer that was not looked at.
 *
 * Invariants: offers come from different layers; ties go to the entry that
 * stands first in the bank; the same input gives the same offers.
 */
#include "core/rank.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/phrase.h"

/* ---- may it be asked? ---- */

static bool has(const struct ks_rank_input *in, struct ks_str need)
{
	for (size_t i = 0; i < in->has_count; i++) {
		if (ks_str_eq(in->has[i], need)) {
			return true;
		}
	}
	return false;
}

/* Every need is there; "a|b" is either. */
static bool needs_met(const struct ks_rank_input *in, const struct ks_bank_entry *e)
{
	const struct ks_bank_list *needs = ks_bank_needs(e, in->target);

	for (size_t i = 0; i < needs->count; i++) {
		struct ks_str rest = ks_str_of(needs->item[i]), one;
		bool any = false;

		while (ks_str_next(&rest, '|', &one)) {
			any = any || has(in, one);
		}
		if (!any) {
			return false;
		}
	}
	return true;
}

static const struct ks_rank_past *past_of(const struct ks_rank_input *in, size_t i)
{
	static const struct ks_rank_past none = {0};

	return in->past && i < in->past_count ? &in->past[i] : &none;
}

/* A checklist's or a plug-in's question only refines one of the core, which is
 * asked first. */
static bool core_was_asked(const struct ks_rank_input *in, const struct ks_bank_entry *e)
{
	ptrdiff_t core = e->scope && e->refines ?
		ks_bank_index(in->bank, ks_str_of(e->refines)) : -1;

	return core < 0 || past_of(in, (size_t)core)->asked > 0;
}

/* All but its needs. */
static bool fits(const struct ks_rank_input *in, size_t index)
{
	const struct ks_bank_entry *e = ks_bank_at(in->bank, index);

	return (e->points & (1u << in->point)) && (e->targets & in->target) &&
		e->status != KS_BANK_RETIRED && !past_of(in, index)->dismissed &&
		ks_bank_in_scope(e, in->arch, in->op, in->tags) && core_was_asked(in, e);
}

static bool askable(const struct ks_rank_input *in, size_t index)
{
	return fits(in, index) && needs_met(in, ks_bank_at(in->bank, index));
}

bool ks_rank_hidden_by_needs(const struct ks_rank_input *in, size_t index)
{
	return fits(in, index) && !needs_met(in, ks_bank_at(in->bank, index));
}

/* ---- terms ---- */

static bool compare(double a, const char *op, double b)
{
	if (strcmp(op, "<") == 0) {
		return a < b;
	}
	if (strcmp(op, "<=") == 0) {
		return a <= b;
	}
	if (strcmp(op, ">") == 0) {
		return a > b;
	}
	if (strcmp(op, ">=") == 0) {
		return a >= b;
	}
	return strcmp(op, "=") == 0 ? a == b : a != b;
}

static const struct ks_rank_figure *figure_of(const struct ks_rank_input *in,
	const char *name)
{
	for (size_t i = 0; i < in->figure_count; i++) {
		if (ks_str_is(in->figures[i].name, name)) {
			return &in->figures[i];
		}
	}
	return NULL;
}

/* What of a cue matched, for the reason; NULL for nothing. */
static const char *cue_hit(const struct ks_rank_input *in, const struct ks_phrases *said,
	const struct ks_cue *cue)
{
	const struct ks_rank_figure *f;

	switch (cue->kind) {
	case KS_CUE_STALE:
		return ks_layers_stale(in->layers, cue->layer) > 0 ?
			ks_layer_name(cue->layer) : NULL;
	case KS_CUE_NUMBER:
		f = figure_of(in, cue->name);
		return f && compare(f->value, cue->op, cue->value) ? cue->name : NULL;
	case KS_CUE_TEXT:
		for (size_t i = 0; i < cue->any_count; i++) {
			if (ks_phrases_say(said, cue->any[i])) {
				return cue->any[i];
			}
		}
		return NULL;
	}
	return NULL;
}

static size_t cue_hits(const struct ks_rank_input *in, const struct ks_phrases *said,
	const struct ks_bank_entry *e)
{
	size_t n = 0;

	for (size_t i = 0; i < e->cue_count; i++) {
		n += cue_hit(in, said, &e->cues[i]) != NULL;
	}
	return n < 2 ? n : 2;
}

static bool names_resource(const struct ks_rank_input *in, const struct ks_bank_entry *e)
{
	for (size_t i = 0; in->claim_resource.len && i < e->resources.count; i++) {
		if (ks_str_is(in->claim_resource, e->resources.item[i])) {
			return true;
		}
	}
	return false;
}

static bool is_claimed(const struct ks_rank_input *in, const struct ks_bank_entry *e)
{
	return names_resource(in, e) ||
		(in->claim_layer != KS_LAYER_NONE && e->group == in->claim_layer);
}

/* Whether its answer can refute the claimed limit. */
static bool rejects(const struct ks_rank_input *in, const struct ks_bank_entry *e)
{
	return in->point == KS_POINT_LIMIT && (is_claimed(in, e) ||
		(e->rejects_limit && e->group == KS_LAYER_V && e->resources.count == 0));
}

static bool score(struct ks_rank_terms *out, const struct ks_rank_input *in,
	const struct ks_phrases *said, size_t index)
{
	const struct ks_bank_entry *e = ks_bank_at(in->bank, index);
	const struct ks_rank_past *past = past_of(in, index);
	struct ks_rank_terms t = {0};
	unsigned silent = past->asked > past->numbers ? past->asked - past->numbers : 0;

	if (!askable(in, index)) {
		return false;
	}
	t.novelty = 3.0 * ks_layers_novelty(in->layers, e->group);
	t.stale = 1.0 * ks_layers_stale(in->layers, e->group);
	t.tunnel = 0.5 * ks_layers_tunnel(in->layers, e->group);
	t.claim = 2.0 * is_claimed(in, e);
	t.cue = 1.0 * (double)cue_hits(in, said, e);
	t.outer = 1.0 * (KS_LAYERS - 1 - e->group) / (KS_LAYERS - 1);
	t.payoff = fmin(0.5 * log2(1.0 + past->wins), KS_RANK_PAYOFF_MOST);
	t.cost = -0.5 * (int)e->cost;
	t.answered = past->numbers && past->fresh ? -3.0 : 0;
	t.asked = -1.0 * (silent < 3 ? silent : 3);
	t.total = t.novelty + t.stale + t.tunnel + t.claim + t.cue + t.outer +
		t.payoff + t.cost + t.answered + t.asked;
	*out = t;
	return true;
}

bool ks_rank_score(struct ks_rank_terms *out, const struct ks_rank_input *in,
	size_t index)
{
	struct ks_phrases said;

	ks_phrases_init(&said, in->text);
	return score(out, in, &said, index);
}

void ks_rank_explain(struct ks_buf *out, const struct ks_rank_terms *terms)
{
	const struct {
		const char *name;
		double value;
	} parts[] = {
		{"novelty", terms->novelty}, {"stale", terms->stale},
		{"tunnel", terms->tunnel}, {"claim", terms->claim}, {"cue", terms->cue},
		{"outer", terms->outer}, {"payoff", terms->payoff}, {"cost", terms->cost},
		{"answered", terms->answered}, {"asked", terms->asked},
	};
	bool first = true;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		double v = parts[i].value;

		if (fabs(v) < 0.005) {
			continue;
		}
		ks_buf_adds(out, first ? v < 0 ? "-" : "" : v < 0 ? " - " : " + ");
		ks_buf_addf(out, "%.2f %s", fabs(v), parts[i].name);
		first = false;
	}
	ks_buf_addf(out, "%s%.2f", first ? "" : " = ", terms->total);
}

/* ---- slots ---- */

struct candidate {
	bool askable;
	struct ks_rank_terms terms;
};

struct pick {
	const struct ks_rank_input *in;
	struct ks_phrases said;      /* in the input's text */
	struct candidate *candidate; /* by index in the bank */
	struct ks_rank_offer *out;
	size_t count;
	int focus;        /* the layer of the last ten calls */
	bool fresh_too;   /* let in what has a fresh answer  */
	bool pending_too; /* let in what was asked just now  */
};

/* What a slot asks of an entry. */
typedef bool slot_fn(const struct pick *p, const struct ks_bank_entry *e);

/* How a slot orders those that it lets in. */
enum slot_order { BY_SCORE, BY_NOVELTY, BY_COST, BY_CUE, BY_OUTER, BY_REJECTION };

static bool layer_taken(const struct pick *p, int layer)
{
	for (size_t i = 0; i < p->count; i++) {
		if (ks_bank_at(p->in->bank, p->out[i].index)->group == layer) {
			return true;
		}
	}
	return false;
}

/* What was asked already sinks in every order. */
static double order_value(const struct pick *p, enum slot_order order,
	const struct ks_bank_entry *e, const struct ks_rank_terms *t)
{
	double old = t->answered + t->asked;

	switch (order) {
	case BY_NOVELTY:
		/* another layer: that it is claimed speaks for no entry */
		return 100 * (t->novelty + old) + t->total - t->claim;
	case BY_COST:
		/* the cheapest that the words point at, else the cheapest */
		return 100 * (t->cost + old) + (t->cue > 0 ? 60 : 0) + t->total;
	case BY_CUE:
		return 100 * (t->cue + old) + t->total;
	case BY_OUTER:
		return 100 * (old - e->group) + t->total;
	case BY_REJECTION:
		/* the resource by name, then its layer, then whose limit it is */
		return (names_resource(p->in, e) ? 20 : 0) +
			(p->in->claim_layer == e->group ? 10 : 0) +
			(e->rejects_limit ? 5 : 0) + 20 * old + t->total;
	default:
		return t->total;
	}
}

static bool may_take(const struct pick *p, size_t index, slot_fn *let_in)
{
	const struct ks_bank_entry *e = ks_bank_at(p->in->bank, index);
	const struct candidate *c = &p->candidate[index];

	if (p->count == 0 && !p->pending_too && past_of(p->in, index)->pending) {
		return false;
	}
	return c->askable && (p->fresh_too || c->terms.answered == 0) &&
		!layer_taken(p, e->group) &&
		(e->group != p->focus || rejects(p->in, e)) &&
		(!let_in || let_in(p, e));
}

/* Takes the best entry that the slot lets in; false for none. */
static bool take(struct pick *p, slot_fn *let_in, enum slot_order order)
{
	ptrdiff_t best = -1;
	double best_value = 0;

	for (size_t i = 0; p->count < KS_RANK_OFFERS && i < ks_bank_count(p->in->bank); i++) {
		if (!may_take(p, i, let_in)) {
			continue;
		}
		double value = order_value(p, order, ks_bank_at(p->in->bank, i),
			&p->candidate[i].terms);
		if (best < 0 || value > best_value) {
			best = (ptrdiff_t)i;
			best_value = value;
		}
	}
	if (best < 0) {
		return false;
	}
	p->out[p->count++] = (struct ks_rank_offer){.index = (size_t)best, .slot = -1,
		.terms = p->candidate[best].terms};
	return true;
}

static bool is_id(const struct ks_bank_entry *e, const char *list)
{
	struct ks_str rest = ks_str_of(list), one;

	while (ks_str_next(&rest, ' ', &one)) {
		if (ks_str_is(one, e->id)) {
			return true;
		}
	}
	return false;
}

static bool let_bound(const struct pick *p, const struct ks_bank_entry *e)
{
	return is_id(e, "V-01 V-08");
}

static bool let_whole_call(const struct pick *p, const struct ks_bank_entry *e)
{
	return e->group == KS_LAYER_H || e->group == KS_LAYER_C;
}

static bool let_tile_budget(const struct pick *p, const struct ks_bank_entry *e)
{
	return is_id(e, "P-01");
}

static bool let_not_lately(const struct pick *p, const struct ks_bank_entry *e)
{
	return ks_layers_since(p->in->layers, e->group) > KS_LAYERS_HALF_LIFE;
}

static bool let_never(const struct pick *p, const struct ks_bank_entry *e)
{
	return ks_layers_since(p->in->layers, e->group) == KS_LAYERS_NEVER;
}

static bool let_rejection(const struct pick *p, const struct ks_bank_entry *e)
{
	return rejects(p->in, e);
}

/* Change of layer: neither the claimed layer nor the one it is at. */
static bool let_change(const struct pick *p, const struct ks_bank_entry *e)
{
	return e->group != p->in->claim_layer && e->group != p->focus;
}

static bool let_refutes(const struct pick *p, const struct ks_bank_entry *e)
{
	return rejects(p->in, e) || e->rejects_limit;
}

static bool let_worst_clause(const struct pick *p, const struct ks_bank_entry *e)
{
	return is_id(e, "V-02 R-01");
}

static bool let_free_kernel(const struct pick *p, const struct ks_bank_entry *e)
{
	return is_id(e, "C-08");
}

static bool let_win_real(const struct pick *p, const struct ks_bank_entry *e)
{
	return is_id(e, "V-03 V-04 V-06");
}

static bool let_work_done(const struct pick *p, const struct ks_bank_entry *e)
{
	return is_id(e, "P-09 R-09");
}

static bool let_repeat(const struct pick *p, const struct ks_bank_entry *e)
{
	return is_id(e, "V-09 V-11 V-10");
}

static bool let_break_cause(const struct pick *p, const struct ks_bank_entry *e)
{
	return is_id(e, "R-05 X-04 O-10 X-06");
}

/* The slots of each moment, as docs/moments.md tells of them. A slot that finds
 * nothing falls through to the next; what is left open is filled by score. */
static const struct slot {
	slot_fn *let_in;
	enum slot_order order;
	const char *words;
} slots[KS_POINTS][KS_RANK_OFFERS] = {
	[KS_POINT_START] = {{let_bound, BY_SCORE, "a bound: V-01 or V-08"},
		{let_whole_call, BY_SCORE, "of the whole call: layer H or C"},
		{let_tile_budget, BY_SCORE, "the budget of a tile: P-01"}},
	[KS_POINT_PLATEAU] = {
		{let_not_lately, BY_SCORE, "highest score of layers not measured for 36 calls"},
		{let_never, BY_OUTER, "the outermost layer never measured"},
		{NULL, BY_CUE, "most cues"}},
	[KS_POINT_LIMIT] = {
		{let_rejection, BY_REJECTION, "rejects the limit, its resource first"},
		{let_change, BY_NOVELTY, "another layer, the least measured"},
		{let_refutes, BY_COST, "the cheapest that could refute the claim"}},
	[KS_POINT_COMPLETION] = {{let_worst_clause, BY_SCORE, "the worst scenario: V-02 or R-01"},
		{let_free_kernel, BY_SCORE, "what if this kernel were free: C-08"},
		{let_never, BY_OUTER, "the outermost layer never measured"}},
	[KS_POINT_WIN] = {{let_win_real, BY_CUE, "is it real: V-03, V-04 or V-06, most cues"},
		{let_work_done, BY_SCORE, "is the work still done: P-09 or R-09"},
		{NULL, BY_SCORE, "highest score"}},
	[KS_POINT_BREAK] = {{let_repeat, BY_CUE, "does it repeat: V-09, V-10 or V-11, most cues"},
		{let_break_cause, BY_CUE, "its usual causes: R-05, X-04, O-10 or X-06, most cues"},
		{NULL, BY_SCORE, "highest score"}},
};

const char *ks_rank_slot(enum ks_point point, int slot)
{
	return (unsigned)point < KS_POINTS && slot >= 0 && slot < KS_RANK_OFFERS ?
		slots[point][slot].words : "highest score of what is left";
}

/* ---- reasons ---- */

/* Figures in words: before the number, its scale and digits, behind it. */
static const struct figure_words {
	const char *name, *before;
	double scale;
	int digits; /* 0: no number */
	const char *after;
} figure_words[] = {
	{"best", "best ", 1, 3, "x"},
	{"evals_since_best", "", 1, 6, " evaluations without a gain"},
	{"calls_since_best", "", 1, 6, " calls without a gain"},
	{"worst_speedup", "worst scenario ", 1, 3, "x"},
	{"gain_last", "last step ", 1, 3, "x"},
	{"looks", "the same code was measured ", 1, 6, " times"},
	{"below_floor", "a time below its floor", 1, 0, ""},
	{"incorrect", "wrong scenarios: ", 1, 6, ""},
	{"error_ratio", "error at ", 100, 3, " % of the tolerance"},
	{"spread", "widest interval ", 100, 3, " % of its speedup"},
	{"worst_roofline", "worst scenario at ", 100, 3, " % of the roofline"},
	{"small_over_large", "small scenarios gain ", 1, 2, " of what large ones do"},
};

static void figure_reason(char *out, size_t size, const char *name, double value)
{
	for (size_t i = 0; i < sizeof(figure_words) / sizeof(figure_words[0]); i++) {
		const struct figure_words *w = &figure_words[i];

		if (strcmp(w->name, name) != 0) {
			continue;
		}
		if (w->digits == 0) {
			snprintf(out, size, "%s", w->before);
		} else {
			value *= w->scale;
			snprintf(out, size, "%s%.*g%s", w->before,
				fabs(value) < 100 ? w->digits : 9,
				fabs(value) < 100 ? value : round(value), w->after);
		}
		return;
	}
	snprintf(out, size, "%.40s %.3g", name, value);
}

static void reason_append(struct ks_rank_offer *o, const char *text)
{
	size_t len = strlen(o->reason);

	snprintf(o->reason + len, sizeof(o->reason) - len, "%s%s", len ? "; " : "", text);
}

static void reason_of(const struct pick *p, struct ks_rank_offer *o)
{
	const struct ks_rank_input *in = p->in;
	const struct ks_bank_entry *e = ks_bank_at(in->bank, o->index);
	uint64_t since = ks_layers_since(in->layers, e->group);
	char part[96];

	if (since == KS_LAYERS_NEVER) {
		snprintf(part, sizeof(part), "%s never measured", ks_layer_name(e->group));
		reason_append(o, part);
	} else if (since > KS_LAYERS_RECENT) {
		snprintf(part, sizeof(part), "%s not measured for %llu calls",
			ks_layer_name(e->group), (unsigned long long)since);
		reason_append(o, part);
	}
	if (ks_layers_stale(in->layers, e->group) > 0 && since != KS_LAYERS_NEVER) {
		reason_append(o, "changed since it was measured");
	}
	if (o->rejects && in->claim_resource.len) {
		snprintf(part, sizeof(part), "tests the claim on %.*s",
			(int)(in->claim_resource.len < 40 ? in->claim_resource.len : 40),
			in->claim_resource.ptr);
		reason_append(o, part);
	}
	for (size_t i = 0; i < e->cue_count; i++) {
		const char *hit = cue_hit(in, &p->said, &e->cues[i]);
		const struct ks_rank_figure *f;

		if (!hit || e->cues[i].kind == KS_CUE_STALE) {
			continue;
		}
		f = e->cues[i].kind == KS_CUE_NUMBER ? figure_of(in, e->cues[i].name) : NULL;
		if (f) {
			figure_reason(part, sizeof(part), hit, f->value);
		} else {
			snprintf(part, sizeof(part), "said \"%.40s\"", hit);
		}
		reason_append(o, part);
		break;
	}
	if (o->reason[0] == '\0') {
		reason_append(o, e->cost == KS_COST_LOW ? "under a minute to answer" :
			"best of what is left");
	}
}

static void finish(const struct pick *p, struct ks_rank_offer *o)
{
	const struct ks_rank_input *in = p->in;
	const struct ks_bank_entry *e = ks_bank_at(in->bank, o->index);
	const char *tag = "best match";

	o->rejects = rejects(in, e);
	o->changes_layer = e->group != p->focus &&
		(in->point != KS_POINT_LIMIT || e->group != in->claim_layer);
	if (o->rejects) {
		tag = "rejects the limit";
	} else if (in->point == KS_POINT_WIN) {
		tag = "doubts the gain";
	} else if (in->point == KS_POINT_BREAK) {
		tag = "doubts the excuse";
	} else if (e->group == KS_LAYER_V) {
		tag = "sets a bound";
	} else if (o->changes_layer) {
		tag = "changes layer";
	}
	snprintf(o->tag, sizeof(o->tag), "%s", tag);
	reason_of(p, o);
}

/* A claimed limit is always answered by a rejection and by another layer, if
 * need be by a question that was answered before. */
static void fill_slots(struct pick *p)
{
	for (int s = 0; s < KS_RANK_OFFERS; s++) {
		const struct slot *slot = &slots[p->in->point][s];
		bool taken = take(p, slot->let_in, slot->order);

		if (!taken && p->in->point == KS_POINT_LIMIT && s < 2) {
			p->fresh_too = true;
			taken = take(p, slot->let_in, slot->order);
			p->fresh_too = false;
		}
		if (taken) {
			p->out[p->count - 1].slot = s;
		}
	}
	while (take(p, NULL, BY_SCORE)) {
	}
	p->fresh_too = true;
	while (take(p, NULL, BY_SCORE)) {
	}
	p->pending_too = true;
	while (take(p, NULL, BY_SCORE)) {
	}
}

size_t ks_rank_offers(struct ks_rank_offer out[KS_RANK_OFFERS],
	const struct ks_rank_input *in)
{
	size_t n = ks_bank_count(in->bank);
	struct pick p;

	if (n == 0 || (unsigned)in->point >= KS_POINTS) {
		return 0;
	}
	p.in = in;
	p.out = out;
	p.count = 0;
	p.focus = ks_layers_focus(in->layers);
	p.fresh_too = p.pending_too = false;
	ks_phrases_init(&p.said, in->text);
	if (p.focus == KS_LAYER_V) {
		p.focus = KS_LAYER_NONE; /* the evaluator is always run */
	}
	p.candidate = ks_zalloc(n, sizeof(*p.candidate));
	for (size_t i = 0; i < n; i++) {
		p.candidate[i].askable = score(&p.candidate[i].terms, in, &p.said, i);
	}
	fill_slots(&p);
	for (size_t i = 0; i < p.count; i++) {
		finish(&p, &out[i]);
	}
	free(p.candidate);
	return p.count;
}
