/*
 * The goal: its clauses as a pane, as a strip on a small screen, and in full.
 * Whether a clause holds is told by its mark, not by colour alone.
 */
#include <stdio.h>
#include <string.h>

#include "base/plural.h"
#include "base/sane.h"
#include "base/utf8.h"
#include "view/view.h"

static enum ks_glyph mark_of(enum ks_goal_outcome outcome, unsigned *style)
{
	switch (outcome) {
	case KS_GOAL_YES:
		*style = KS_ROLE_GOOD;
		return KS_GLYPH_YES;
	case KS_GOAL_NO:
		*style = KS_ROLE_BAD;
		return KS_GLYPH_NO;
	default:
		*style = KS_ROLE_DIM;
		return KS_GLYPH_UNKNOWN;
	}
}

/* Whether a clause and its figure do not fit in one line of the pane. */
static bool is_cut(const struct ks_clause_state *c, int width)
{
	size_t text = c->text != NULL ? ks_utf8_columns(c->text, strlen(c->text)) : 0;
	size_t line = ks_utf8_columns(c->line, strlen(c->line));

	return text + line + (line > 0 ? 6 : 5) > (size_t)(width > 0 ? width : 0);
}

int ks_clauses_rows(const struct ks_state *state, int width)
{
	size_t i;

	for (i = 0; i < state->n_clauses; i++) {
		if (is_cut(&state->clauses[i], width)) {
			return (int)state->n_clauses + 1;
		}
	}
	return (int)state->n_clauses;
}

static void put_clause(const struct ks_view *v, struct ks_rect r, size_t i)
{
	const struct ks_clause_state *c = &v->state->clauses[i];
	const char *text = c->text != NULL ? c->text : "";
	int figure = ks_grid_width(v->g, ks_str_of(c->line));
	int cols = ks_grid_width(v->g, ks_str_of(text));
	unsigned style = KS_ROLE_DIM;

	ks_grid_glyph(v->g, r, 1, 0, mark_of(c->outcome, &style), style);
	cols = cols > r.w - 5 ? r.w - 5 : cols;
	if (cols + figure + 5 > r.w && figure > 0) {
		cols = cols < r.w * 6 / 10 ? cols : r.w * 6 / 10;
	}
	ks_grid_field(v->g, r, 3, 0, cols, ks_str_of(text), KS_ALIGN_LEFT, KS_ROLE_TEXT);
	if (figure > 0 && r.w - cols - 6 > 3) {
		ks_grid_field(v->g, r, 5 + cols, 0, r.w - cols - 6, ks_str_of(c->line),
			KS_ALIGN_RIGHT, c->outcome == KS_GOAL_NO ? KS_ROLE_BAD : KS_ROLE_DIM);
	}
}

void ks_clauses_draw(const struct ks_view *v, struct ks_rect r)
{
	size_t count = v->state->n_clauses;
	size_t first = v->ui->place[KS_SCREEN_GOAL].top;
	char key[24];
	int y;

	ks_keymap_name(&v->ui->keys, KS_DO_GOAL, key, sizeof(key));
	if (r.h <= 0) {
		return;
	}
	if (count <= (size_t)r.h) {
		first = 0;
	} else if (first > count - (size_t)r.h) {
		first = count - (size_t)r.h;
	}
	if (count < (size_t)r.h && ks_clauses_rows(v->state, r.w) > (int)count) {
		ks_grid_putf(v->g, r, 1, r.h - 1, KS_ROLE_DIM, "%s shows them in full", key);
	}
	for (y = 0; y < r.h && first + (size_t)y < count; y++) {
		struct ks_rect row = ks_rect_of(r.x, r.y + y, r.w, 1);

		if (y == r.h - 1 && first + (size_t)y + 1 < count) {
			ks_grid_putf(v->g, row, 1, 0, KS_ROLE_DIM, "%zu more: %s shows all",
				count - first - (size_t)y, key);
		} else {
			put_clause(v, row, first + (size_t)y);
		}
	}
}

int ks_clauses_strip_rows(const struct ks_state *state, int width, int most)
{
	int x = 1, y = 0;
	size_t i;

	for (i = 0; i < state->n_clauses; i++) {
		const char *text = state->clauses[i].text;
		int need = text != NULL ? (int)ks_utf8_columns(text, strlen(text)) + 2 : 2;

		if (x > 1 && x + need > width) {
			x = 1;
			y++;
		}
		x += need + 2;
	}
	return y + 1 > most ? most : y + 1;
}

void ks_clauses_strip_draw(const struct ks_view *v, struct ks_rect r)
{
	int x = 1, y = 0;
	size_t i;

	for (i = 0; i < v->state->n_clauses && y < r.h; i++) {
		const struct ks_clause_state *c = &v->state->clauses[i];
		const char *text = c->text != NULL ? c->text : "";
		int need = ks_grid_width(v->g, ks_str_of(text)) + 2;
		unsigned style = KS_ROLE_DIM;

		if (x > 1 && x + need > r.w) {
			x = 1;
			y++;
		}
		ks_grid_glyph(v->g, r, x, y, mark_of(c->outcome, &style), style);
		ks_grid_field(v->g, r, x + 2, y, need - 2 > r.w - 3 ? r.w - 3 : need - 2,
			ks_str_of(text), KS_ALIGN_LEFT,
			c->outcome == KS_GOAL_NO ? KS_ROLE_BAD : KS_ROLE_TEXT);
		x += need + 2;
	}
	if (i < v->state->n_clauses) {
		ks_grid_putf(v->g, r, r.w - 6, r.h - 1, KS_ROLE_DIM, " +%zu ",
			v->state->n_clauses - i);
	}
}

size_t ks_goal_rows(const struct ks_ui *ui, const struct ks_state *state)
{
	return state->n_clauses * 3 + 3;
}

/* One of the two rows below a clause: its figure goes on in the second. */
static void put_figure(const struct ks_view *v, struct ks_rect r,
	const struct ks_clause_state *c, size_t second)
{
	char safe[2 * sizeof(c->line)];
	struct ks_wrap wrap;
	struct ks_str first = {"", 0}, rest;

	ks_sane_into(safe, sizeof(safe), ks_str_of(c->line[0] != '\0' ? c->line :
		c->outcome == KS_GOAL_UNKNOWN ?
		"not measured yet; not measured counts as not met" : ""),
		KS_SANE_ONE_LINE | (v->ui->ascii ? KS_SANE_ASCII : 0u));
	ks_wrap_init(&wrap, ks_str_of(safe), r.w - 6, 0);
	ks_wrap_next(&wrap, &first);
	rest = wrap.done ? (struct ks_str){"", 0} : wrap.rest;
	ks_grid_field(v->g, r, 5, 0, r.w - 6, second > 0 ? rest : first, KS_ALIGN_LEFT,
		KS_ROLE_DIM);
}

/* Row of the full view: a head, then three rows a clause. */
void ks_goal_row(const struct ks_view *v, struct ks_rect r, size_t row)
{
	const struct ks_state *s = v->state;
	const struct ks_clause_state *c;
	char name[16];
	unsigned style = KS_ROLE_DIM;

	if (row == 0) {
		ks_fmt_candidate(s, ks_state_candidate_number(s, s->goal_candidate), name,
			sizeof(name));
		ks_grid_putf(v->g, r, 1, 0, s->goal_met ? KS_ROLE_GOOD : KS_ROLE_TEXT,
			"%s   computed for %s   %zu of %zu clause%s hold%s",
			s->goal_met ? "the goal is met" : "the goal is not met",
			name, s->n_met, s->n_clauses, ks_s((long long)s->n_clauses),
			ks_verb_s((long long)s->n_clauses));
	} else if (row == 1) {
		ks_grid_putf(v->g, r, 1, 0, KS_ROLE_DIM, "the agent was sent back to work "
			"%d time%s", s->sent_back, ks_s(s->sent_back));
	}
	if (row < 3 || (row - 3) / 3 >= s->n_clauses) {
		return;
	}
	c = &s->clauses[(row - 3) / 3];
	mark_of(c->outcome, &style);
	if ((row - 3) % 3 == 0) {
		ks_grid_glyph(v->g, r, 1, 0, mark_of(c->outcome, &style), style);
		ks_grid_field(v->g, r, 3, 0, r.w - 4, ks_str_of(c->text), KS_ALIGN_LEFT,
			style);
	} else {
		put_figure(v, r, c, (row - 3) % 3 - 1);
	}
}

void ks_goal_draw(const struct ks_view *v, struct ks_rect r)
{
	struct ks_place place = v->ui->place[KS_SCREEN_GOAL];
	struct ks_rect in = ks_draw_box(v->g, r, "Goal", KS_ROLE_BORDER, KS_ROLE_TITLE);
	size_t count = ks_goal_rows(v->ui, v->state);
	int y;

	if (v->state->n_clauses == 0) {
		ks_grid_puts(v->g, in, 1, 0, "this campaign has no goal; campaign.json "
			"holds its clauses", KS_ROLE_DIM);
		return;
	}
	ks_place_clamp_text(&place, count, in.h);
	for (y = 0; y < in.h && place.top + (size_t)y < count; y++) {
		struct ks_rect row = ks_rect_of(in.x, in.y + y, in.w, 1);

		ks_goal_row(v, row, place.top + (size_t)y);
		if (place.top + (size_t)y + 1 == v->ui->hit[KS_SCREEN_GOAL]) {
			ks_grid_mark(v->g, row, KS_STYLE_SELECTED);
		}
	}
	ks_draw_scroll(v->g, r, place.top, (size_t)in.h, count, KS_ROLE_DIM);
}
