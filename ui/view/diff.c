/*
 * The difference of two candidates: what each scored, which scenarios moved,
 * and the changed lines. A line with hidden or reordering characters is marked,
 * because it may not say what it seems to say.
 */
#include <stdio.h>
#include <string.h>

#include "base/sane.h"
#include "view/view.h"

/* The candidate that the screen is about, and -1 where it is about none. */
static int on_show(const struct ks_ui *ui, const struct ks_state *state)
{
	struct ks_shown shown;

	switch (ks_ui_screen(ui)) {
	case KS_SCREEN_CANDIDATES:
		return ks_candidates_at(ui, state, ui->place[KS_SCREEN_CANDIDATES].cursor);
	case KS_SCREEN_SCENARIOS:
		ks_shown_whole(&shown, state, ui->shown);
		return shown.candidate;
	default:
		return -1;
	}
}

void ks_diff_pair(const struct ks_ui *ui, const struct ks_state *state, int *out_a,
	int *out_b)
{
	int n = (int)state->n_candidates;
	int b = on_show(ui, state);
	int a = 0;

	if (b < 0 || b >= n) {
		b = state->champion > 0 ? state->champion : state->last;
		b = b < 0 || b >= n ? n - 1 : b;
	} else {
		a = ks_state_candidate_number(state, state->candidates[b].parent);
	}
	if (ui->marked >= 0 && ui->marked < n && ui->marked != b) {
		a = ui->marked;
	}
	*out_a = a < 0 ? 0 : a < b ? a : b;
	*out_b = a < b ? b : a;
}

bool ks_diff_text(const struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, struct ks_str *out)
{
	size_t n = state->n_candidates;

	if (data->diff == NULL || ui->diff_a < 0 || ui->diff_b < 0 ||
	    (size_t)ui->diff_a >= n || (size_t)ui->diff_b >= n) {
		return false;
	}
	return data->diff(data->ctx, state->candidates[ui->diff_a].number,
		state->candidates[ui->diff_b].number, out);
}

static size_t count_rows(struct ks_str text)
{
	size_t rows = 0;
	const char *end;

	while (text.len > 0) {
		end = memchr(text.ptr, '\n', text.len);
		rows++;
		if (end == NULL) {
			break;
		}
		text.len -= (size_t)(end - text.ptr) + 1;
		text.ptr = end + 1;
	}
	return rows;
}

size_t ks_diff_rows(const struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data)
{
	struct ks_str text;

	return ks_diff_text(ui, state, data, &text) ? count_rows(text) : 0;
}

ptrdiff_t ks_diff_find(const struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, ptrdiff_t from, bool backwards)
{
	struct ks_str text, line;
	ptrdiff_t found = -1, row = 0;

	if (!ks_diff_text(ui, state, data, &text)) {
		return -1;
	}
	while (ks_str_next(&text, '\n', &line)) {
		bool wanted = backwards ? row < from : row > from;

		if (wanted && line.len < 4096) {
			struct ks_buf copy = {0};

			ks_buf_addstr(&copy, line);
			if (line.len > 0 && ks_matches(copy.ptr, ui->search)) {
				found = row;
			}
			ks_buf_fini(&copy);
			if (found >= 0 && !backwards) {
				return found;
			}
		}
		if (backwards && row >= from) {
			break;
		}
		row++;
	}
	return found;
}

/* ---- what moved ---- */

struct moved {
	int both; /* scenarios that were measured for the two */
	int faster, slower, broken, fixed;
	int best_i, worst_i;
	double best, worst; /* ratios */
};

/* The seed is what all others are measured against: 1 by definition. */
static struct ks_result result_at(const struct ks_candidate *c, size_t i)
{
	struct ks_result one = {.measured = true, .correct = true, .timed = true,
		.speedup = 1, .lo = 1, .hi = 1};

	if (c->results != NULL) {
		return c->results[i];
	}
	one.measured = c->number == 0;
	return one;
}

static void compare(struct moved *out, const struct ks_state *state,
	const struct ks_candidate *a, const struct ks_candidate *b)
{
	size_t i;

	memset(out, 0, sizeof(*out));
	out->best = out->worst = 1;
	out->best_i = out->worst_i = -1;
	for (i = 0; i < state->n_scenarios; i++) {
		struct ks_result x = result_at(a, i);
		struct ks_result y = result_at(b, i);
		double ratio;

		if (!x.measured || !y.measured) {
			continue;
		}
		out->both++;
		out->broken += x.correct && !y.correct;
		out->fixed += !x.correct && y.correct;
		if (!x.timed || !y.timed || !(x.speedup > 0) || !(y.speedup > 0)) {
			continue;
		}
		ratio = (double)y.speedup / (double)x.speedup;
		out->faster += y.lo > x.hi;
		out->slower += y.hi < x.lo;
		if (y.lo > x.hi && ratio > out->best) {
			out->best = ratio;
			out->best_i = (int)i;
		}
		if (y.hi < x.lo && ratio < out->worst) {
			out->worst = ratio;
			out->worst_i = (int)i;
		}
	}
}

static int put_score(const struct ks_view *v, struct ks_rect r, int x, int index)
{
	const struct ks_candidate *c = &v->state->candidates[index];
	char name[16], speed[16];

	ks_fmt_candidate(v->state, index, name, sizeof(name));
	ks_fmt_speedup(c->geomean, speed, sizeof(speed));
	if (c->n_measured == 0 && index > 0) {
		return ks_grid_putf(v->g, r, x, 0, KS_ROLE_WARN, "%s %s", name,
			ks_candidate_word(v->state, index));
	}
	if (c->n_measured > 0) {
		return ks_grid_putf(v->g, r, x, 0, KS_ROLE_TEXT, "%s %s %d/%d", name, speed,
			c->n_correct, c->n_measured);
	}
	return ks_grid_putf(v->g, r, x, 0, KS_ROLE_TEXT, "%s %s", name, speed);
}

/* The scenario that moved most in one direction, cut with a mark. */
static int put_moved(const struct ks_view *v, struct ks_rect r, int x, double ratio,
	int scenario)
{
	char text[KS_NAME_MAX + 24];
	int cols;

	snprintf(text, sizeof(text), "   %+.0f%% %s", (ratio - 1) * 100,
		v->state->scenarios[scenario].name);
	cols = ks_grid_width(v->g, ks_str_of(text));
	cols = cols > r.w - x - 1 ? r.w - x - 1 : cols;
	return cols < 1 ? 0 : ks_grid_field(v->g, r, x, 1, cols, ks_str_of(text), KS_ALIGN_LEFT,
		ratio > 1 ? KS_ROLE_GOOD : KS_ROLE_BAD);
}

static void put_scores(const struct ks_view *v, struct ks_rect r)
{
	const struct ks_state *s = v->state;
	const struct ks_candidate *a = &s->candidates[v->ui->diff_a];
	const struct ks_candidate *b = &s->candidates[v->ui->diff_b];
	const char *arrow = ks_glyph(KS_GLYPH_RIGHT, v->ui->ascii);
	struct moved moved;
	int x = 1;

	x += put_score(v, r, x, v->ui->diff_a);
	x += ks_grid_putf(v->g, r, x, 0, KS_ROLE_DIM, "  %s  ", arrow);
	x += put_score(v, r, x, v->ui->diff_b);
	ks_grid_putf(v->g, r, x, 0, KS_ROLE_DIM, "   lines %d %s %d", a->lines, arrow,
		b->lines);
	compare(&moved, s, a, b);
	if (moved.both == 0) {
		ks_grid_puts(v->g, r, 1, 1, "no scenario was measured for both", KS_ROLE_DIM);
		return;
	}
	x = 1 + ks_grid_putf(v->g, r, 1, 1, KS_ROLE_DIM, "%d faster, %d slower",
		moved.faster, moved.slower);
	if (moved.broken > 0) {
		x += ks_grid_putf(v->g, r, x, 1, KS_ROLE_BAD, ", %d now wrong", moved.broken);
	}
	if (moved.fixed > 0) {
		x += ks_grid_putf(v->g, r, x, 1, KS_ROLE_GOOD, ", %d now correct", moved.fixed);
	}
	if (moved.best_i >= 0) {
		x += put_moved(v, r, x, moved.best, moved.best_i);
	}
	if (moved.worst_i >= 0) {
		put_moved(v, r, x, moved.worst, moved.worst_i);
	}
}

/* ---- lines ---- */

static unsigned style_of(struct ks_str line)
{
	if (line.len == 0) {
		return KS_ROLE_TEXT;
	}
	if (ks_str_starts(line, "@@")) {
		return KS_ROLE_HUNK;
	}
	if (ks_str_starts(line, "+++") || ks_str_starts(line, "---") ||
	    ks_str_starts(line, "diff ") || ks_str_starts(line, "index ")) {
		return KS_ROLE_TITLE;
	}
	return line.ptr[0] == '+' ? KS_ROLE_ADD : line.ptr[0] == '-' ? KS_ROLE_DEL :
		KS_ROLE_TEXT;
}

/* The line with tabs as blanks, counted behind its sign. */
static void expand(struct ks_buf *out, struct ks_str line)
{
	size_t i;

	for (i = 0; i < line.len && out->len < 4096; i++) {
		if (line.ptr[i] == '\t') {
			do {
				ks_buf_addc(out, ' ');
			} while ((out->len + 7) % 8 != 0);
		} else {
			ks_buf_addc(out, line.ptr[i]);
		}
	}
}

/* The sign of a line, which tells it without colour, and the heads keep their
 * place. */
static void put_scrolled(const struct ks_view *v, struct ks_rect r, struct ks_str line,
	unsigned style)
{
	int left = v->ui->place[KS_SCREEN_DIFF].left;

	if (line.len > 0 && style != KS_ROLE_HUNK && style != KS_ROLE_TITLE &&
	    strchr("+- \\", line.ptr[0]) != NULL) {
		struct ks_str sign = {line.ptr, 1};

		ks_grid_text(v->g, r, 0, 0, sign, style);
		r = ks_rect_of(r.x + 1, r.y, r.w - 1, 1);
		line = (struct ks_str){line.ptr + 1, line.len - 1};
	}
	ks_grid_text(v->g, r, style == KS_ROLE_HUNK || style == KS_ROLE_TITLE ? 0 : -left, 0,
		line, style);
}

static void put_line(const struct ks_view *v, struct ks_rect r, struct ks_str line)
{
	struct ks_buf plain = {0}, safe = {0};
	unsigned style = style_of(line);
	size_t changed;

	expand(&plain, line);
	changed = ks_sane(&safe, ks_buf_str(&plain),
		KS_SANE_ONE_LINE | (v->ui->ascii ? KS_SANE_ASCII : 0u));
	if (v->ui->ascii) {
		struct ks_buf probe = {0};

		changed = ks_sane(&probe, ks_buf_str(&plain), KS_SANE_ONE_LINE);
		ks_buf_fini(&probe);
	}
	if (changed > 0) {
		ks_grid_glyph(v->g, r, 0, 0, KS_GLYPH_WARN, KS_ROLE_WARN);
	}
	put_scrolled(v, ks_rect_of(r.x + 2, r.y, r.w - 2, 1), ks_buf_str(&safe), style);
	ks_buf_fini(&plain);
	ks_buf_fini(&safe);
}

static void put_lines(const struct ks_view *v, struct ks_rect r, struct ks_str text,
	size_t top)
{
	struct ks_str line;
	size_t row = 0;
	int y = 0;

	while (y < r.h && ks_str_next(&text, '\n', &line)) {
		if (row++ >= top) {
			struct ks_rect place = ks_rect_of(r.x, r.y + y, r.w, 1);

			put_line(v, place, line);
			if (row == v->ui->hit[KS_SCREEN_DIFF]) {
				ks_grid_mark(v->g, place, KS_STYLE_SELECTED);
			}
			y++;
		}
	}
}

void ks_diff_draw(const struct ks_view *v, struct ks_rect r)
{
	struct ks_place place = v->ui->place[KS_SCREEN_DIFF];
	size_t n = v->state->n_candidates;
	struct ks_rect in = ks_draw_box(v->g, r, "Difference", KS_ROLE_BORDER, KS_ROLE_TITLE);
	struct ks_str text;
	size_t count;

	if (v->ui->diff_a < 0 || v->ui->diff_b < 0 || (size_t)v->ui->diff_a >= n ||
	    (size_t)v->ui->diff_b >= n) {
		ks_grid_puts(v->g, in, 1, 0, "there are no two candidates yet", KS_ROLE_DIM);
		return;
	}
	put_scores(v, ks_rect_cut_rows(&in, 2));
	if (!ks_diff_text(v->ui, v->state, v->data, &text)) {
		ks_grid_puts(v->g, in, 1, 0, "asking the engine for it", KS_ROLE_DIM);
		return;
	}
	count = count_rows(text);
	if (count == 0) {
		ks_grid_puts(v->g, in, 1, 0, "the sources are equal", KS_ROLE_DIM);
		return;
	}
	ks_place_clamp_text(&place, count, in.h);
	put_lines(v, in, text, place.top);
	ks_draw_scroll(v->g, r, place.top, (size_t)in.h, count, KS_ROLE_DIM);
}
