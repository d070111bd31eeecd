/*
 * The screen's places, and the drawing of a whole screen. Two shapes of the
 * main screen: with frames and a right column from 100x24 on, else rows one
 * below the other (the budget of 80x24: header 1, clauses 2, scenarios 3, live
 * with its rule 13, banner 2, prompt 2, footer 1).
 */
#include <stdio.h>
#include <string.h>

#include "base/plural.h"
#include "view/view.h"

static int clamp(int n, int low, int high)
{
	return n < low ? low : n > high ? high : n;
}

enum ks_screen ks_ui_screen(const struct ks_ui *ui)
{
	return ui->stack[ui->depth];
}

static int prompt_height(const struct ks_ui *ui, int width)
{
	return ks_prompt_rows(ui, width, clamp((ui->h - 2) / 4, 1, 8));
}

static void place_wide(struct ks_layout *l, const struct ks_ui *ui,
	const struct ks_state *state)
{
	int w = ui->w, h = ui->h;
	int rows = prompt_height(ui, w - 4);
	int rule = h - 3 - rows;
	int asks = ks_asks_rows(ui, state, w, (h - 2) / 3);
	int banner = ks_banner_rows(ui, state, w - 4, (h - 2) / 3);
	int top = rule - banner - asks;
	int room = top - 2;
	int split = w * 55 / 100;
	int clauses = clamp(ks_clauses_rows(state, w - split - 2), 0,
		clamp(room / 3, 2, 16));
	int bars = room - clauses - (clauses > 0 ? 1 : 0);

	l->frame = ks_rect_of(0, 1, w, h - 2);
	l->prompt = ks_rect_of(2, rule + 1, w - 4, rows);
	l->asks = ks_rect_of(0, top, w, asks);
	l->banner = ks_rect_of(0, top + asks, w, banner);
	l->split = split;
	l->room = room;
	l->live = ks_rect_of(1, 2, l->split - 3, room);
	l->met = ks_rect_cut_rows(&l->live, state->goal_met || ks_has_ended(state) ? -1 : 0);
	l->bars = ks_rect_of(l->split + 1, 2, w - l->split - 2, bars);
	l->goal = ks_rect_of(l->split + 1, 2 + bars + 1, w - l->split - 2, clauses);
}

/* Rows that the live view does not need go to the banner. */
static void grow_banner(struct ks_layout *l, const struct ks_ui *ui,
	const struct ks_state *state)
{
	int free_rows = l->live.h - ks_live_need(state, l->live.h);
	int more;

	if (l->banner.h < 1 || ui->on_moment || free_rows < 1) {
		return;
	}
	more = ks_banner_grown(ui, state, l->banner.w, l->banner.h,
		l->banner.h + free_rows) - l->banner.h;
	l->banner.y -= more;
	l->banner.h += more;
	l->asks.y -= more;
	l->met.y -= more;
	l->live.h -= more;
}

static void place_narrow(struct ks_layout *l, const struct ks_ui *ui,
	const struct ks_state *state)
{
	int w = ui->w, h = ui->h;
	struct ks_rect rest = ks_rect_of(0, 1, w, h - 2);
	int rule = h >= 14 ? 1 : 0;
	int rows = prompt_height(ui, w);
	int banner;

	l->prompt = ks_rect_cut_rows(&rest, -rows);
	ks_rect_cut_rows(&rest, -rule);
	banner = ks_banner_rows(ui, state, w,
		clamp(rest.h - 3, 1, h / 2 + (ui->on_moment ? 1 : 0)));
	l->banner = ks_rect_cut_rows(&rest, -banner);
	l->asks = ks_rect_cut_rows(&rest, -ks_asks_rows(ui, state, w, clamp(rest.h - 3, 1, h / 3)));
	if (state->n_clauses > 0) {
		l->goal = ks_rect_cut_rows(&rest,
			ks_clauses_strip_rows(state, w, h >= 20 ? 2 : 1));
	}
	if (state->n_scenarios > 0) {
		l->bars = ks_rect_cut_rows(&rest,
			ks_strip_rows(state, w, h >= 24 ? 3 : h >= 16 ? 2 : 1));
	}
	l->frame = ks_rect_cut_rows(&rest, rule);
	l->met = ks_rect_cut_rows(&rest, rest.h > 4 &&
		(state->goal_met || ks_has_ended(state)) ? -1 : 0);
	l->live = rest;
	grow_banner(l, ui, state);
}

bool ks_has_ended(const struct ks_state *state)
{
	return state->turns > 0 && !state->manual && (state->agent == KS_AGENT_ABSENT ||
		state->agent == KS_AGENT_DEAD);
}

bool ks_is_wide(const struct ks_ui *ui)
{
	return ui->w >= 100 && ui->h >= 24;
}

bool ks_has_room(const struct ks_ui *ui)
{
	return ks_is_wide(ui) && ui->h >= 36;
}

void ks_layout_of(struct ks_layout *out, const struct ks_ui *ui,
	const struct ks_state *state)
{
	memset(out, 0, sizeof(*out));
	out->small = ui->w < 40 || ui->h < 10;
	if (out->small) {
		return;
	}
	out->header = ks_rect_of(0, 0, ui->w, 1);
	out->footer = ks_rect_of(0, ui->h - 1, ui->w, 1);
	out->body = ks_rect_of(0, 1, ui->w, ui->h - 2);
	out->wide = ks_is_wide(ui);
	if (out->wide) {
		place_wide(out, ui, state);
	} else {
		place_narrow(out, ui, state);
	}
	if (ks_ui_screen(ui) != KS_SCREEN_MAIN && ui->typing != KS_TYPING_NONE) {
		int rows = prompt_height(ui, ui->w);

		out->prompt = ks_rect_cut_rows(&out->body, -rows);
	}
}

int ks_page_rows(const struct ks_ui *ui)
{
	int typed = ui->typing != KS_TYPING_NONE ? prompt_height(ui, ui->w) : 0;
	int rows = ui->h - 4 - typed;

	switch (ks_ui_screen(ui)) {
	case KS_SCREEN_SCENARIOS:
	case KS_SCREEN_CANDIDATES:
		rows -= 4;
		break;
	case KS_SCREEN_BANK:
		rows -= 7;
		break;
	case KS_SCREEN_DIFF:
		rows -= 2;
		break;
	case KS_SCREEN_HELP:
	case KS_SCREEN_ITEM:
	case KS_SCREEN_GOAL:
	case KS_SCREEN_MOMENTS:
	case KS_SCREEN_QUEUE:
		break;
	default:
		break;
	}
	return rows < 1 ? 1 : rows;
}

void ks_place_clamp(struct ks_place *p, size_t count, int rows)
{
	size_t page = rows > 0 ? (size_t)rows : 1;

	if (count == 0) {
		p->cursor = 0;
		p->top = 0;
		return;
	}
	p->cursor = p->cursor >= count ? count - 1 : p->cursor;
	if (p->top > p->cursor) {
		p->top = p->cursor;
	}
	if (p->cursor >= p->top + page) {
		p->top = p->cursor - page + 1;
	}
	if (count <= page) {
		p->top = 0;
	} else if (p->top > count - page) {
		p->top = count - page;
	}
}

void ks_place_clamp_text(struct ks_place *p, size_t count, int rows)
{
	size_t page = rows > 0 ? (size_t)rows : 1;
	size_t last = count > page ? count - page : 0;

	p->top = p->top > last ? last : p->top;
	p->cursor = p->top;
	p->left = p->left < 0 ? 0 : p->left;
}

/* ---- drawing ---- */

static unsigned pane_style(const struct ks_ui *ui, enum ks_focus focus)
{
	return ui->focus == focus && !ui->on_moment &&
		ui->typing == KS_TYPING_NONE ? KS_ROLE_BORDER_ON : KS_ROLE_BORDER;
}

static unsigned title_style(const struct ks_ui *ui, enum ks_focus focus)
{
	return pane_style(ui, focus) == KS_ROLE_BORDER_ON ?
		(unsigned)KS_ROLE_BORDER_ON : (unsigned)KS_ROLE_TITLE;
}

static void live_title(const struct ks_view *v, char *out, size_t size)
{
	static const char *const filters[KS_LIVE_FILTERS] = {
		"", " words", " calls", " evaluations"};

	snprintf(out, size, "Live%s", filters[v->ui->live.filter]);
}

/* What stands at the right of the live view's title; "" for nothing. */
static unsigned live_tag(const struct ks_view *v, char *out, size_t size)
{
	size_t fresh = v->state->n_rows - v->ui->live.seen;
	char key[24];

	ks_keymap_name(&v->ui->keys, KS_DO_BOTTOM, key, sizeof(key));
	out[0] = '\0';
	if (v->ui->searching) {
		snprintf(out, size, "searching");
		return KS_ROLE_WARN;
	}
	if (!v->ui->live.follow && fresh > 0 && v->state->n_rows > v->ui->live.seen) {
		snprintf(out, size, "%zu new, %s follows", fresh, key);
		return KS_ROLE_WARN;
	}
	if (!v->ui->live.follow) {
		snprintf(out, size, "held, %s follows", key);
	}
	return KS_ROLE_DIM;
}

/* The title line of the live view, right of its title: where the agent has
 * looked, as far as there is room, and the tag. */
static void live_right(const struct ks_view *v, struct ks_rect r, const char *title)
{
	char tag[64];
	unsigned style = live_tag(v, tag, sizeof(tag));
	int left = 4 + ks_grid_width(v->g, ks_str_of(title)) + 2;
	int right = r.w - 4 - (tag[0] != '\0' ? ks_grid_width(v->g, ks_str_of(tag)) + 4 : 0);
	bool both = right - left >= ks_layers_cols(true);

	ks_draw_tag(v->g, r, 0, tag, style);
	if (v->state->calls == 0 || right - left < ks_layers_cols(both)) {
		return;
	}
	left = right - ks_layers_cols(both);
	ks_grid_puts(v->g, r, left - 1, 0, " ", KS_ROLE_TEXT);
	ks_layers_draw(v, r, left, 0, both);
	ks_grid_puts(v->g, r, right, 0, " ", KS_ROLE_TEXT);
}

static void bars_title(const struct ks_view *v, int width, char *out, size_t size)
{
	struct ks_shown shown;
	char name[16], before[16], now[96];
	bool measures = ks_measured_now(v, now, sizeof(now));

	ks_shown_of(&shown, v->state, -1);
	ks_fmt_candidate(v->state, shown.candidate, name, sizeof(name));
	if (shown.running && shown.before_candidate >= 0) {
		ks_fmt_candidate(v->state, shown.before_candidate, before, sizeof(before));
		snprintf(out, size, "Scenarios: %s; dim: %s", now, before);
	} else if (shown.running) {
		snprintf(out, size, "Scenarios: %s", now);
	} else if (measures) {
		snprintf(out, size, "Scenarios: %s's bars; %s", name, now);
	} else {
		snprintf(out, size, "Scenarios %zu, %s: speedup%s", v->state->n_scenarios, name,
			ks_bars_have_share(width) ? ", of roofline" : "");
	}
}

/* Names the candidate that the goal was computed for where the bars or the best
 * are of another one. */
static void goal_title(const struct ks_view *v, char *out, size_t size)
{
	int index = ks_state_candidate_number(v->state, v->state->goal_candidate);
	struct ks_shown shown;
	char name[16], of[24] = "", back[40] = "";

	ks_shown_of(&shown, v->state, -1);
	if (index >= 0 && (index != shown.candidate || index != v->state->champion ||
	    shown.running)) {
		ks_fmt_candidate(v->state, index, name, sizeof(name));
		snprintf(of, sizeof(of), " of %s", name);
	}
	if (v->state->sent_back > 0) {
		snprintf(back, sizeof(back), ", sent back %d time%s", v->state->sent_back,
			ks_s(v->state->sent_back));
	}
	snprintf(out, size, "Goal %zu/%zu%s%s", v->state->n_met, v->state->n_clauses, of,
		back);
}

static void draw_sides(const struct ks_view *v, struct ks_rect r, int y0, int y1)
{
	int y;

	for (y = y0; y < y1; y++) {
		ks_grid_glyph(v->g, r, 0, y, KS_GLYPH_V, KS_ROLE_BORDER);
		ks_grid_glyph(v->g, r, r.w - 1, y, KS_GLYPH_V, KS_ROLE_BORDER);
	}
}

static void frames_wide(const struct ks_view *v, const struct ks_layout *l)
{
	struct ks_rect left = ks_rect_of(0, 1, l->split, l->room + 2);
	struct ks_rect right = ks_rect_of(l->split, 1, v->ui->w - l->split,
		l->room + 2);
	struct ks_rect all = l->frame;
	char title[160];

	live_title(v, title, sizeof(title));
	ks_draw_box(v->g, left, title, pane_style(v->ui, KS_FOCUS_LIVE),
		title_style(v->ui, KS_FOCUS_LIVE));
	live_right(v, left, title);
	bars_title(v, l->bars.w, title, sizeof(title));
	ks_draw_box(v->g, right, title, pane_style(v->ui, KS_FOCUS_BARS),
		title_style(v->ui, KS_FOCUS_BARS));
	if (l->goal.h > 0) {
		goal_title(v, title, sizeof(title));
		ks_draw_rule(v->g, right, l->goal.y - 2, title,
			pane_style(v->ui, KS_FOCUS_GOAL),
			title_style(v->ui, KS_FOCUS_GOAL));
	}
	draw_sides(v, all, l->room + 2, all.h - 1);
	ks_draw_rule(v->g, all, l->prompt.y - 2, NULL, KS_ROLE_BORDER, KS_ROLE_TITLE);
	ks_draw_rule(v->g, all, l->room + 1, NULL, KS_ROLE_BORDER, KS_ROLE_TITLE);
	ks_draw_rule(v->g, all, all.h - 1, NULL, KS_ROLE_BORDER, KS_ROLE_TITLE);
	ks_grid_glyph(v->g, all, 0, all.h - 1, KS_GLYPH_BL, KS_ROLE_BORDER);
	ks_grid_glyph(v->g, all, all.w - 1, all.h - 1, KS_GLYPH_BR, KS_ROLE_BORDER);
}

static void rule_narrow(const struct ks_view *v, int y, const char *title,
	unsigned style, unsigned style_of_title)
{
	struct ks_rect r = ks_rect_of(0, y, v->ui->w, 1);
	int x;

	for (x = 0; x < r.w; x++) {
		ks_grid_glyph(v->g, r, x, 0, KS_GLYPH_H, style);
	}
	if (title != NULL) {
		ks_grid_putf(v->g, r, 2, 0, style_of_title, " %s ", title);
	}
}

/* What can be done without the agent. */
static void add_next(const struct ks_view *v, struct ks_buf *out)
{
	static const enum ks_do next[] = {KS_DO_DIFF, KS_DO_EXPORT, KS_DO_START, KS_DO_QUIT};
	static const char *const words[] = {"diff", "export", "start again", "leave"};
	char key[24];
	size_t i;

	ks_buf_addf(out, "%s%s:", out->len > 0 ? "; agent" : "the agent",
		v->state->agent == KS_AGENT_DEAD ? " failed" :
		out->len > 0 ? " ended" : " has ended");
	for (i = 0; i < sizeof(next) / sizeof(next[0]); i++) {
		if ((next[i] == KS_DO_DIFF && v->state->n_candidates < 2)
			|| (next[i] == KS_DO_START && v->ui->read_only)) {
			continue;
		}
		ks_keymap_name(&v->ui->keys, next[i], key, sizeof(key));
		ks_buf_addf(out, "  %s %s", key, words[i]);
	}
}

/* How it ended stays the last line of the live view: the goal that is met, and
 * what can be done when the agent is gone. */
static void draw_met(const struct ks_view *v, struct ks_rect r)
{
	const struct ks_state *s = v->state;
	bool ended = ks_has_ended(s);
	struct ks_buf text = {0};
	char name[16];

	if (r.h < 1) {
		return;
	}
	if (s->goal_met) {
		ks_fmt_candidate(s, ks_state_candidate_number(s, s->goal_candidate), name,
			sizeof(name));
		ks_buf_addf(&text, "%s goal met by %s", ks_glyph(KS_GLYPH_STAR, v->ui->ascii),
			name);
		if (!ended) {
			ks_buf_addf(&text, ": %zu of %zu clause%s hold%s", s->n_met, s->n_clauses,
				ks_s((long long)s->n_clauses), ks_verb_s((long long)s->n_clauses));
		}
	}
	if (ended) {
		add_next(v, &text);
	}
	ks_grid_field(v->g, r, 0, 0, r.w, ks_buf_str(&text), KS_ALIGN_LEFT,
		(s->goal_met ? KS_ROLE_ACCENT : KS_ROLE_WARN) | KS_STYLE_BOLD);
	ks_buf_fini(&text);
}

static void draw_main(const struct ks_view *v, const struct ks_layout *l)
{
	char title[64];

	if (l->wide) {
		frames_wide(v, l);
		ks_bars_draw(v, l->bars);
		ks_clauses_draw(v, l->goal);
	} else {
		ks_clauses_strip_draw(v, l->goal);
		ks_strip_draw(v, l->bars);
		if (l->frame.h > 0) {
			live_title(v, title, sizeof(title));
			rule_narrow(v, l->frame.y, title, pane_style(v->ui, KS_FOCUS_LIVE),
				title_style(v->ui, KS_FOCUS_LIVE));
			live_right(v, l->frame, title);
			rule_narrow(v, l->prompt.y - 1, NULL, KS_ROLE_BORDER,
				KS_ROLE_TITLE);
		}
	}
	ks_live_draw(v, l->live);
	draw_met(v, l->met);
	ks_asks_draw(v, l->asks);
	ks_banner_draw(v, l->banner);
	ks_prompt_draw(v, l->prompt);
}

static void draw_screen(const struct ks_view *v, const struct ks_layout *l)
{
	typedef void screen_fn(const struct ks_view *view, struct ks_rect r);
	static screen_fn *const screens[KS_SCREENS] = {
		[KS_SCREEN_SCENARIOS] = ks_scenarios_draw,
		[KS_SCREEN_CANDIDATES] = ks_candidates_draw,
		[KS_SCREEN_DIFF] = ks_diff_draw,
		[KS_SCREEN_BANK] = ks_bank_draw,
		[KS_SCREEN_GOAL] = ks_goal_draw,
		[KS_SCREEN_MOMENTS] = ks_moments_draw,
		[KS_SCREEN_ITEM] = ks_item_draw,
		[KS_SCREEN_HELP] = ks_help_draw,
		[KS_SCREEN_QUEUE] = ks_queue_draw,
	};

	if (ks_ui_screen(v->ui) == KS_SCREEN_MAIN) {
		draw_main(v, l);
		return;
	}
	screens[ks_ui_screen(v->ui)](v, l->body);
	if (v->ui->typing != KS_TYPING_NONE) {
		ks_prompt_draw(v, l->prompt);
	}
}

void ks_ui_draw(const struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, struct ks_grid *grid)
{
	struct ks_view v = {ui, state, data, grid};
	struct ks_layout l;

	grid->ascii = ui->ascii;
	ks_grid_clear(grid);
	ks_layout_of(&l, ui, state);
	if (l.small) {
		ks_grid_putf(grid, ks_grid_all(grid), 0, 0, KS_ROLE_TEXT,
			"needs 40x10 (%dx%d)", ui->w, ui->h);
		return;
	}
	ks_header_draw(&v, l.header);
	draw_screen(&v, &l);
	ks_footer_draw(&v, l.footer);
	if (ui->ask != KS_ASK_NONE) {
		ks_ask_draw(&v, l.body);
	}
}
