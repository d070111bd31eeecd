/*
 * The live view: one row a call, an evaluation, a message. Only rows on the
 * screen are asked for. A row takes one line, what an agent, a person or kseek
 * says up to a few. While following, the last row is at the bottom; else `top` stays
 * where it is, whatever arrives.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "view/view.h"

static int most_lines(struct ks_rect r, unsigned kind)
{
	int most = r.h / 4;

	most = most < 1 ? 1 : most > 6 ? 6 : most;
	switch (kind) {
	case KS_EV_AGENT_SAID:
		return most;
	case KS_EV_MESSAGE_QUEUED:
	case KS_EV_MESSAGE_SENT:
		return most > 4 ? 4 : most;
	case KS_EV_NOTE_ADDED:
	case KS_EV_MOMENT_RAISED:
	case KS_EV_NOTICE:
	case KS_EV_COMMAND_REFUSED:
		return most > 3 ? 3 : most;
	default:
		return 1;
	}
}

int ks_live_need(const struct ks_state *state, int height)
{
	struct ks_rect r = ks_rect_of(0, 0, 0, height);
	int need = 0;
	size_t i;

	for (i = 0; i < state->n_rows && need < height; i++) {
		need += most_lines(r, state->rows[i].kind);
	}
	return need > height ? height : need;
}

struct columns {
	int time, who, text, width; /* x of each; width of the text */
};

static struct columns columns_of(struct ks_rect r)
{
	struct columns c;

	c.time = r.w >= 50 ? 0 : -1;
	c.who = r.w >= 50 ? 9 : 0;
	c.text = c.who + (r.w >= 36 ? 11 : 9);
	c.width = r.w - c.text;
	return c;
}

/* What stands at the right goes behind the text's last line, or below it. */
static int lines_of(const struct ks_line *line, int width, int most)
{
	int right = (int)ks_utf8_columns(line->right, strlen(line->right));
	struct ks_wrap wrap;
	struct ks_str part;
	int lines = 0, last = 0;

	ks_wrap_init(&wrap, ks_buf_str(&line->text), width, 0);
	while (lines < most && ks_wrap_next(&wrap, &part)) {
		last = (int)ks_utf8_columns(part.ptr, part.len);
		lines++;
	}
	return lines < most && right > 0 && last + right > width ? lines + 1 : lines;
}

static int row_lines(const struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, struct ks_rect r, size_t row)
{
	int most = most_lines(r, state->rows[row].kind);
	struct ks_line line;
	int lines;

	if (most == 1) {
		return 1;
	}
	ks_line_of_row(&line, state, data, &state->rows[row], ui->ascii);
	lines = lines_of(&line, columns_of(r).width - 2, most);
	ks_line_fini(&line);
	return lines;
}

/* Whether a row has a line of its own under the filter. */
static bool is_row(const struct ks_ui *ui, const struct ks_state *state, size_t row)
{
	return ks_live_wants(ui->live.filter, state->rows[row].kind) &&
		!ks_row_is_folded(state, row);
}

size_t ks_live_step(const struct ks_ui *ui, const struct ks_state *state, size_t row,
	int delta)
{
	size_t at = row;

	while (delta > 0 ? at + 1 < state->n_rows : at > 0) {
		at = delta > 0 ? at + 1 : at - 1;
		if (is_row(ui, state, at)) {
			return at;
		}
	}
	return row;
}

/* The last row that the filter lets through; n_rows where there is none. */
static size_t last_row(const struct ks_ui *ui, const struct ks_state *state)
{
	size_t at = state->n_rows;

	while (at > 0) {
		at--;
		if (is_row(ui, state, at)) {
			return at;
		}
	}
	return state->n_rows;
}

/* The first row of a page whose last row is `bottom`. */
static size_t page_above(const struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, struct ks_rect r, size_t bottom)
{
	size_t top = bottom;
	int used = row_lines(ui, state, data, r, bottom);

	for (;;) {
		size_t up = ks_live_step(ui, state, top, -1);
		int lines;

		if (up == top) {
			return top;
		}
		lines = row_lines(ui, state, data, r, up);
		if (used + lines > r.h) {
			return top;
		}
		used += lines;
		top = up;
	}
}

void ks_live_window(const struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, struct ks_rect r, size_t *top, size_t *cursor)
{
	size_t last = last_row(ui, state);

	if (last == state->n_rows) {
		*top = *cursor = state->n_rows;
		return;
	}
	if (ui->live.follow) {
		*cursor = last;
		*top = page_above(ui, state, data, r, last);
		return;
	}
	*top = ui->live.top > last ? last : ui->live.top;
	*cursor = ui->live.cursor > last ? last : ui->live.cursor;
}

void ks_live_move(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, int delta)
{
	struct ks_layout l;
	size_t top, cursor, before;
	size_t page;

	ks_layout_of(&l, ui, state);
	ks_live_window(ui, state, data, l.live, &top, &cursor);
	if (cursor >= state->n_rows || l.small) {
		return;
	}
	if (ui->live.follow) {
		if (delta > 0) {
			return;
		}
		ui->live.seen = state->n_rows;
	}
	before = cursor;
	while (delta != 0) {
		size_t next = ks_live_step(ui, state, cursor, delta);

		if (next == cursor) {
			break;
		}
		cursor = next;
		delta += delta > 0 ? -1 : 1;
	}
	/* Down from the last row: follow again. */
	ui->live.follow = delta > 0 && cursor == before;
	page = page_above(ui, state, data, l.live, cursor);
	ui->live.top = cursor < top ? cursor : page > top ? page : top;
	ui->live.cursor = cursor;
}

void ks_live_goto(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, size_t row)
{
	struct ks_layout l;
	size_t top, cursor, page;

	ks_layout_of(&l, ui, state);
	if (l.small || row >= state->n_rows) {
		return;
	}
	while (ks_row_is_folded(state, row)) {
		row--;
	}
	ks_live_window(ui, state, data, l.live, &top, &cursor);
	if (ui->live.follow) {
		ui->live.seen = state->n_rows;
	}
	ui->live.follow = false;
	page = page_above(ui, state, data, l.live, row);
	ui->live.top = row < top ? row : page > top ? page : top;
	ui->live.cursor = row;
}

void ks_live_refilter(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data)
{
	size_t row = ui->live.cursor;
	struct ks_layout l;

	if (ui->live.follow || row >= state->n_rows) {
		return;
	}
	if (!ks_live_wants(ui->live.filter, state->rows[row].kind)) {
		size_t up = ks_live_step(ui, state, row, -1);

		row = up != row ? up : ks_live_step(ui, state, row, 1);
	}
	ks_layout_of(&l, ui, state);
	ui->live.cursor = row;
	ui->live.top = l.small ? row : page_above(ui, state, data, l.live, row);
}

bool ks_live_hit(const struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, size_t row)
{
	size_t end = row + ks_row_folds(state, row);
	bool hit = false;

	if (!is_row(ui, state, row)) {
		return false;
	}
	for (; row < end && !hit; row++) {
		struct ks_line line;

		ks_line_of_row(&line, state, data, &state->rows[row], ui->ascii);
		ks_buf_addf(&line.text, " %s %s", line.who, line.right);
		hit = ks_matches(line.text.ptr, ui->search);
		ks_line_fini(&line);
	}
	return hit;
}

/* ---- drawing ---- */

/* The last line leaves `right` columns to what stands there. */
static void put_text(const struct ks_view *v, struct ks_rect r, const struct ks_line *line,
	int right, int lines)
{
	struct ks_wrap wrap;
	struct ks_str part;
	int y = 0;

	if (lines == 1) {
		ks_grid_field(v->g, r, 0, 0, r.w - right, ks_buf_str(&line->text),
			KS_ALIGN_LEFT, line->style);
		return;
	}
	ks_wrap_init(&wrap, ks_buf_str(&line->text), r.w, 0);
	while (y < lines && ks_wrap_next(&wrap, &part)) {
		if (y == lines - 1) {
			part.len += wrap.done ? 0 : wrap.rest.len;
			ks_grid_field(v->g, r, 0, y, r.w - right, part, KS_ALIGN_LEFT,
				line->style);
		} else {
			ks_grid_text(v->g, r, 0, y, part, line->style);
		}
		y++;
	}
}

static void put_row(const struct ks_view *v, struct ks_rect r, const struct ks_line *line,
	int lines)
{
	struct columns c = columns_of(r);
	int right = ks_grid_width(v->g, ks_str_of(line->right));
	int indent = line->quoted ? 2 : 0;
	int width = c.width - (lines > 1 ? 2 : indent);
	char hms[24];
	int y;

	if (c.time >= 0 && line->t > 0) {
		ks_clock_hms(line->t, hms, sizeof(hms));
		ks_grid_puts(v->g, r, c.time, 0, hms, KS_ROLE_DIM);
	}
	if (line->has_glyph) {
		ks_grid_glyph(v->g, r, c.who, 0, line->glyph, line->style);
	}
	ks_grid_field(v->g, r, c.who + 2, 0, c.text - c.who - 3, ks_str_of(line->who),
		KS_ALIGN_LEFT, line->style);
	if (width - right - 2 < 8) {
		right = 0;
	}
	if (line->quoted) {
		for (y = 0; y < lines; y++) {
			ks_grid_glyph(v->g, r, c.text, y, KS_GLYPH_QUOTE, KS_ROLE_DIM);
		}
	}
	put_text(v, ks_rect_of(r.x + c.text + indent, r.y, width, lines), line,
		right > 0 ? right + 2 - (c.width - indent - width) : 0, lines);
	if (right > 0) {
		ks_grid_puts(v->g, r, r.w - right, lines - 1, line->right, line->right_style);
	}
}

/* How far an evaluation is that still runs; the log has that at its end only. */
static void add_progress(const struct ks_view *v, size_t row, struct ks_line *line)
{
	const struct ks_row *at = &v->state->rows[row];
	const struct ks_event *event;
	const char *phase;
	int done, all;

	if (at->kind != KS_EV_EVAL_STARTED || at->end > 0 || !v->state->eval.running) {
		return;
	}
	event = v->data->event(v->data->ctx, at->seq);
	if (event == NULL || ks_json_get_int(event->doc, "eval", -1) != v->state->eval.id) {
		return;
	}
	phase = ks_progress_of(v->ui, v->state, &done, &all);
	snprintf(line->right, sizeof(line->right), "%s %d/%d", phase, done, all);
	line->right_style = KS_ROLE_ACCENT;
}

void ks_live_draw(const struct ks_view *v, struct ks_rect r)
{
	size_t row, cursor;
	bool selects = !v->ui->live.follow && v->ui->focus == KS_FOCUS_LIVE;
	char key[24];
	int y = 0;

	if (r.h <= 0 || r.w <= 0) {
		return;
	}
	ks_live_window(v->ui, v->state, v->data, r, &row, &cursor);
	if (row >= v->state->n_rows) {
		ks_grid_putf(v->g, r, 1, 0, KS_ROLE_DIM, v->state->n_rows == 0 ?
			"nothing has happened yet" :
			"nothing of this kind yet; %s changes the filter",
			ks_keymap_name(&v->ui->keys, KS_DO_FILTER, key, sizeof(key)));
		return;
	}
	while (y < r.h) {
		struct ks_rect place;
		struct ks_line line;
		int lines = row_lines(v->ui, v->state, v->data, r, row);
		size_t next;

		lines = lines > r.h - y ? r.h - y : lines;
		place = ks_rect_of(r.x, r.y + y, r.w, lines);
		ks_line_of_row(&line, v->state, v->data, &v->state->rows[row],
			v->ui->ascii);
		add_progress(v, row, &line);
		put_row(v, place, &line, lines);
		ks_line_fini(&line);
		if (selects && row == cursor) {
			ks_grid_mark(v->g, place, KS_STYLE_SELECTED);
		}
		y += lines;
		next = ks_live_step(v->ui, v->state, row, 1);
		if (next == row) {
			break;
		}
		row = next;
	}
}
