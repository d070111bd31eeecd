/*
 * Search: in the live view in slices (ks_ui_tick), in lists by the rows as they
 * are drawn, in texts by their lines. It goes once around and says so. help,
 * bank and scenarios are narrowed instead (ui.c).
 */
#include <string.h>

#include "canvas/write.h"
#include "view/view.h"

#define TICK_ROWS 256 /* rows that one slice of a search looks at */
#define LIST_COLS 400 /* of a list's row: more than a screen shows of it */

typedef void row_fn(const struct ks_view *v, struct ks_rect r, size_t row);

static row_fn *const rows[KS_SCREENS] = {
	[KS_SCREEN_CANDIDATES] = ks_candidates_row,
	[KS_SCREEN_GOAL] = ks_goal_row,
	[KS_SCREEN_MOMENTS] = ks_moments_row,
	[KS_SCREEN_QUEUE] = ks_queue_row,
};

/* Whether a row, as it is drawn, matches. */
static bool row_matches(const struct ks_view *v, enum ks_screen screen, size_t row)
{
	struct ks_buf text = {0};
	bool hit;

	ks_grid_clear(v->g);
	rows[screen](v, ks_grid_all(v->g), row);
	ks_write_plain(v->g, &text);
	hit = text.len > 0 && ks_matches(text.ptr, v->ui->search);
	ks_buf_fini(&text);
	return hit;
}

static ptrdiff_t find_row(const struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, ptrdiff_t from, bool backwards)
{
	enum ks_screen screen = ks_ui_screen(ui);
	ptrdiff_t count = (ptrdiff_t)ks_screen_rows(ui, state, data, screen);
	ptrdiff_t step = backwards ? -1 : 1, row;
	struct ks_grid g;
	struct ks_view v = {ui, state, data, &g};

	/* A text is wrapped for the screen's width, a list's row is one line. */
	ks_grid_init(&g, ks_screen_is_text(screen) ? ui->w - 2 : LIST_COLS, 1);
	g.ascii = ui->ascii;
	for (row = from + step; row >= 0 && row < count; row += step) {
		if (row_matches(&v, screen, (size_t)row)) {
			break;
		}
	}
	ks_grid_fini(&g);
	return row < count ? row : -1;
}

static ptrdiff_t find(const struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, ptrdiff_t from, bool backwards)
{
	switch (ks_ui_screen(ui)) {
	case KS_SCREEN_DIFF:
		return ks_diff_find(ui, state, data, from, backwards);
	case KS_SCREEN_ITEM:
		return ks_item_find(ui, from, backwards);
	default:
		return rows[ks_ui_screen(ui)] != NULL ?
			find_row(ui, state, data, from, backwards) : -1;
	}
}

/* Where a search starts: the last hit while it is in sight, else the place. */
static ptrdiff_t start_of(const struct ks_ui *ui, enum ks_screen screen)
{
	const struct ks_place *place = &ui->place[screen];
	size_t hit = ui->hit[screen];

	if (!ks_screen_is_text(screen)) {
		return (ptrdiff_t)place->cursor;
	}
	if (hit > place->top && hit <= place->top + (size_t)ks_page_rows(ui)) {
		return (ptrdiff_t)hit - 1;
	}
	return (ptrdiff_t)place->top - 1;
}

static void search_rows(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, bool backwards)
{
	enum ks_screen screen = ks_ui_screen(ui);
	ptrdiff_t count = (ptrdiff_t)ks_screen_rows(ui, state, data, screen);
	ptrdiff_t from = start_of(ui, screen);
	ptrdiff_t row = find(ui, state, data, from, backwards);
	bool around = row < 0;

	if (around) {
		row = find(ui, state, data, backwards ? count : -1, backwards);
	}
	if (row < 0) {
		ks_ui_flash(ui, false, "no line matches \"%s\"", ui->search);
		return;
	}
	if (around) {
		ks_ui_flash(ui, false, row == from ? "no other line matches \"%s\"" :
			backwards ? "\"%s\": from the end again" :
			"\"%s\": from the top again", ui->search);
	}
	ui->hit[screen] = (size_t)row + 1;
	if (!ks_screen_is_text(screen)) {
		ui->place[screen].cursor = (size_t)row;
	} else {
		ui->place[screen].top = (size_t)row;
	}
}

void ks_act_search(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, bool backwards)
{
	struct ks_layout l;
	size_t top;

	if (ui->search[0] == '\0') {
		ks_ui_flash(ui, false, "nothing was searched yet; / searches");
		return;
	}
	if (ks_ui_screen(ui) != KS_SCREEN_MAIN) {
		search_rows(ui, state, data, !backwards);
		return;
	}
	ks_layout_of(&l, ui, state);
	ks_live_window(ui, state, data, l.live, &top, &ui->search_at);
	ui->backwards = backwards;
	ui->around = false;
	ui->search_left = state->n_rows;
	ui->searching = state->n_rows > 0;
}

/* ---- the live view ---- */

bool ks_ui_busy(const struct ks_ui *ui)
{
	return ui->searching;
}

/* One row on, and from the other end where there is none. */
static void step(struct ks_ui *ui, size_t count)
{
	bool end = ui->backwards ? ui->search_at == 0 : ui->search_at + 1 >= count;

	ui->around = ui->around || end;
	if (ui->backwards) {
		ui->search_at = end ? count - 1 : ui->search_at - 1;
	} else {
		ui->search_at = end ? 0 : ui->search_at + 1;
	}
	ui->search_left--;
}

void ks_ui_tick(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data)
{
	int left = TICK_ROWS;

	while (ui->searching && left-- > 0) {
		if (ui->search_left == 0) {
			ui->searching = false;
			ks_ui_flash(ui, false, "no row matches \"%s\"", ui->search);
			return;
		}
		step(ui, state->n_rows);
		if (!ks_live_hit(ui, state, data, ui->search_at)) {
			continue;
		}
		ui->searching = false;
		if (ui->search_left == 0) { /* where it started */
			ks_ui_flash(ui, false, "no other row matches \"%s\"", ui->search);
			return;
		}
		ks_live_goto(ui, state, data, ui->search_at);
		if (ui->around) {
			ks_ui_flash(ui, false, ui->backwards ?
				"\"%s\": from the end again" :
				"\"%s\": from the top again", ui->search);
		}
	}
}
