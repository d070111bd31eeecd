/*
 * The list of candidates, one row each, and how the one under the cursor came
 * to be.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/plural.h"
#include "view/view.h"

enum { SORT_NEWEST, SORT_BEST, SORTS };

size_t ks_candidates_rows(const struct ks_ui *ui, const struct ks_state *state)
{
	return state->n_candidates;
}

struct rank {
	int index;
	double score;
};

static int by_score(const void *a, const void *b)
{
	const struct rank *x = a;
	const struct rank *y = b;

	if (x->score != y->score) {
		return x->score > y->score ? -1 : 1;
	}
	return y->index - x->index;
}

/* Candidates in the list's order; gives the array. */
static int *order_of(const struct ks_ui *ui, const struct ks_state *state)
{
	size_t n = state->n_candidates;
	struct rank *list = ks_alloc(sizeof(*list) * (n + 1));
	int *out = ks_alloc(sizeof(*out) * (n + 1));
	size_t i;

	for (i = 0; i < n; i++) {
		list[i].index = (int)i;
		list[i].score = ui->sort[KS_SCREEN_CANDIDATES] % SORTS == SORT_BEST ?
			state->candidates[i].geomean : (double)i;
	}
	qsort(list, n, sizeof(*list), by_score);
	for (i = 0; i < n; i++) {
		out[i] = list[i].index;
	}
	free(list);
	return out;
}

int ks_candidates_at(const struct ks_ui *ui, const struct ks_state *state, size_t row)
{
	int *order;
	int index;

	if (row >= state->n_candidates) {
		return -1;
	}
	if (ui->sort[KS_SCREEN_CANDIDATES] % SORTS == SORT_NEWEST) {
		return (int)(state->n_candidates - 1 - row);
	}
	order = order_of(ui, state);
	index = order[row];
	free(order);
	return index;
}

const char *ks_candidate_word(const struct ks_state *state, int index)
{
	const struct ks_candidate *c = &state->candidates[index];

	if (!(c->geomean > 0) && ks_is_measured(state, index)) {
		return "being measured";
	}
	return ks_candidate_fate(c) != NULL ? ks_candidate_fate(c) :
		c->geomean > 0 ? NULL : "not timed";
}

/* "1.42x ±0.02", or why there is no figure. */
static unsigned score_of(const struct ks_view *v, int index, char *out, size_t size)
{
	const struct ks_candidate *c = &v->state->candidates[index];
	const char *word = ks_candidate_word(v->state, index);

	if (c->n_measured > 0 && c->n_correct < c->n_measured) {
		snprintf(out, size, "%s wrong", ks_glyph(KS_GLYPH_NO, v->ui->ascii));
		return KS_ROLE_BAD;
	}
	if (word != NULL) {
		snprintf(out, size, "%s", word);
		return c->failed ? KS_ROLE_BAD : KS_ROLE_DIM;
	}
	ks_fmt_interval(c->geomean, c->geo_lo, c->geo_hi, v->ui->ascii, out, size);
	return c->geomean < 1 ? KS_ROLE_BAD : KS_ROLE_GOOD;
}

static const char *worst_name(const struct ks_state *state, const struct ks_candidate *c)
{
	if (c->worst_i < 0 || (size_t)c->worst_i >= state->n_scenarios) {
		return "";
	}
	return state->scenarios[c->worst_i].name;
}

static void put_tail(const struct ks_view *v, struct ks_rect r, int x,
	const struct ks_candidate *c)
{
	const struct ks_state *s = v->state;
	char worst[96];

	if (c->geomean > 0) {
		snprintf(worst, sizeof(worst), "worst %.2fx %.64s", c->worst,
			worst_name(s, c));
		x += ks_grid_field(v->g, r, x, 0, 30, ks_str_of(worst), KS_ALIGN_LEFT,
			c->worst < 1 ? KS_ROLE_BAD : KS_ROLE_DIM) + 1;
	} else {
		x += 31;
	}
	if (c->message >= 0 && (size_t)c->message < s->n_messages && x < r.w - 8) {
		const struct ks_message *m = &s->messages[c->message];

		if (m->question[0] != '\0') {
			x += ks_grid_puts(v->g, r, x, 0, m->question, KS_ROLE_QUESTION) + 1;
		}
		ks_grid_field(v->g, r, x, 0, r.w - x - 1, ks_str_of(m->preview),
			KS_ALIGN_LEFT, KS_ROLE_DIM);
	}
}

static void put_row(const struct ks_view *v, struct ks_rect r, int index)
{
	const struct ks_candidate *c = &v->state->candidates[index];
	char text[32], hms[24];
	unsigned style;
	int x = 1;

	if (v->ui->marked == index) {
		ks_grid_puts(v->g, r, 0, 0, "*", KS_ROLE_ACCENT);
	}
	ks_fmt_candidate(v->state, index, text, sizeof(text));
	x += ks_grid_field(v->g, r, x, 0, 5, ks_str_of(text), KS_ALIGN_LEFT,
		KS_ROLE_ACCENT);
	if (index == v->state->champion && index > 0) {
		ks_grid_glyph(v->g, r, x, 0, KS_GLYPH_STAR, KS_ROLE_GOOD);
	}
	x += 2;
	ks_clock_hms(c->t, hms, sizeof(hms));
	x += ks_grid_field(v->g, r, x, 0, 9, ks_str_of(hms), KS_ALIGN_LEFT, KS_ROLE_DIM);
	style = score_of(v, index, text, sizeof(text));
	x += ks_grid_field(v->g, r, x, 0, 15, ks_str_of(text), KS_ALIGN_LEFT, style);
	snprintf(text, sizeof(text), "%d/%zu", c->n_correct, v->state->n_scenarios);
	x += ks_grid_field(v->g, r, x, 0, 8, ks_str_of(c->n_measured > 0 ? text : ""),
		KS_ALIGN_LEFT, KS_ROLE_TEXT);
	if (x < r.w - 10) {
		put_tail(v, r, x, c);
	}
}

void ks_candidates_row(const struct ks_view *v, struct ks_rect r, size_t row)
{
	put_row(v, r, ks_candidates_at(v->ui, v->state, row));
}

/* What the one under the cursor was made after, where its row has no room for it. */
static void put_made_after(const struct ks_view *v, struct ks_rect r, int x,
	const struct ks_candidate *c)
{
	const struct ks_message *m = c->message >= 0 &&
		(size_t)c->message < v->state->n_messages ? &v->state->messages[c->message] : NULL;

	if (m == NULL || r.w > 80 || x + 20 > r.w) {
		return;
	}
	x += ks_grid_putf(v->g, r, x, 1, KS_ROLE_DIM, "   made after ");
	if (m->question[0] != '\0') {
		x += ks_grid_puts(v->g, r, x, 1, m->question, KS_ROLE_QUESTION) + 1;
	}
	ks_grid_field(v->g, r, x, 1, r.w - x - 1, ks_str_of(m->preview), KS_ALIGN_LEFT,
		KS_ROLE_DIM);
}

static void put_detail(const struct ks_view *v, struct ks_rect r, int index)
{
	const struct ks_candidate *c = &v->state->candidates[index];
	char parent[16];
	int x;

	ks_fmt_candidate(v->state, ks_state_candidate_number(v->state, c->parent), parent,
		sizeof(parent));
	ks_grid_putf(v->g, r, 1, 0, KS_ROLE_DIM, "commit %.12s   from %s   %d line%s   "
		"after %d call%s", c->commit, parent, c->lines, ks_s(c->lines),
		c->call, ks_s(c->call));
	x = 1 + (ks_is_measured(v->state, index) ?
		ks_grid_puts(v->g, r, 1, 1, "is being measured", KS_ROLE_DIM) :
		ks_grid_putf(v->g, r, 1, 1, KS_ROLE_DIM, "measured %d time%s   %s%s", c->looks,
			ks_s(c->looks), index == 0 ? "the seed" : c->confirmed ?
			"confirmed in fresh workers" : "not confirmed",
			c->finished || index == 0 ? "" : "   not over all scenarios"));
	put_made_after(v, r, x, c);
}

void ks_candidates_draw(const struct ks_view *v, struct ks_rect r)
{
	struct ks_place place = v->ui->place[KS_SCREEN_CANDIDATES];
	bool best = v->ui->sort[KS_SCREEN_CANDIDATES] % SORTS == SORT_BEST;
	struct ks_rect in = ks_draw_box(v->g, r, best ? "Candidates, best first" :
		"Candidates, newest first", KS_ROLE_BORDER, KS_ROLE_TITLE);
	size_t count = v->state->n_candidates;
	int page = r.h - 6 < 1 ? 1 : r.h - 6;
	int *order;
	int y;

	ks_grid_puts(v->g, in, 1, 0, "name   time     geomean        correct", KS_ROLE_DIM);
	if (in.w > 80) {
		ks_grid_puts(v->g, in, 71, 0, "made after", KS_ROLE_DIM);
	}
	ks_rect_cut_rows(&in, 1);
	if (count == 0) {
		ks_grid_puts(v->g, in, 1, 0, "nothing was evaluated yet", KS_ROLE_DIM);
		return;
	}
	ks_place_clamp(&place, count, page);
	order = order_of(v->ui, v->state);
	for (y = 0; y < page && place.top + (size_t)y < count; y++) {
		struct ks_rect row = ks_rect_of(in.x, in.y + y, in.w, 1);

		put_row(v, row, order[place.top + (size_t)y]);
		if (place.top + (size_t)y == place.cursor) {
			ks_grid_mark(v->g, row, KS_STYLE_SELECTED);
		}
	}
	put_detail(v, ks_rect_of(in.x, in.y + page + 1, in.w, 2), order[place.cursor]);
	ks_draw_scroll(v->g, ks_rect_of(r.x, r.y + 1, r.w, page + 2), place.top,
		(size_t)page, count, KS_ROLE_DIM);
	free(order);
}
