/*
 * The messages that wait for the turn's end: a list in which each can be taken
 * back, or into the prompt to be written anew.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "view/view.h"

void ks_queue_row(const struct ks_view *v, struct ks_rect r, size_t row)
{
	const struct ks_queued *q = &v->state->queue[row];
	int x = 1;

	x += ks_grid_putf(v->g, r, x, 0, KS_ROLE_DIM, "%zu  ", row + 1);
	if (q->question[0] != '\0') {
		x += ks_grid_putf(v->g, r, x, 0, KS_ROLE_ACCENT, "%s  ", q->question);
	}
	ks_grid_field(v->g, r, x, 0, r.w - x - 1, ks_str_of(q->text), KS_ALIGN_LEFT,
		KS_ROLE_HUMAN);
}

void ks_queue_draw(const struct ks_view *v, struct ks_rect r)
{
	struct ks_place place = v->ui->place[KS_SCREEN_QUEUE];
	struct ks_rect in = ks_draw_box(v->g, r, "Messages that wait for the turn's end",
		KS_ROLE_BORDER, KS_ROLE_TITLE);
	size_t count = (size_t)v->state->queued;
	int y;

	if (count == 0) {
		ks_grid_puts(v->g, in, 1, 0, "nothing waits; what is sent while the agent works "
			"waits here", KS_ROLE_DIM);
		return;
	}
	ks_place_clamp(&place, count, in.h);
	for (y = 0; y < in.h && place.top + (size_t)y < count; y++) {
		struct ks_rect row = ks_rect_of(in.x, in.y + y, in.w, 1);

		ks_queue_row(v, row, place.top + (size_t)y);
		if (place.top + (size_t)y == place.cursor) {
			ks_grid_mark(v->g, row, KS_STYLE_SELECTED);
		}
	}
	ks_draw_scroll(v->g, r, place.top, (size_t)in.h, count, KS_ROLE_DIM);
}

static const struct ks_queued *selected(const struct ks_ui *ui, const struct ks_state *state)
{
	size_t at = ui->place[KS_SCREEN_QUEUE].cursor;

	return at < (size_t)state->queued ? &state->queue[at] : NULL;
}

/* Into the prompt; what is sent then takes its place. */
void ks_queue_edit(struct ks_ui *ui, const struct ks_state *state)
{
	const struct ks_queued *q = selected(ui, state);

	if (q == NULL) {
		return;
	}
	ks_act_take(ui, q->moment, q->question, ks_str_of(q->text));
	ui->revises = q->id;
	ks_ui_flash(ui, false, "Enter puts this in the place of what waits");
}

static void out_revise(struct ks_ui_out *out, int64_t id, const char *text)
{
	struct ks_buf json = {0};
	struct ks_jw w;

	ks_jw_init(&w, &json);
	ks_jw_open(&w, NULL);
	ks_jw_int(&w, "id", id);
	if (text != NULL) {
		ks_jw_str(&w, "text", text);
	}
	ks_jw_close(&w);
	ks_ui_out_add(out, KS_UI_REVISE, json.ptr);
	ks_buf_fini(&json);
}

void ks_queue_drop(struct ks_ui *ui, const struct ks_state *state, struct ks_ui_out *out)
{
	const struct ks_queued *q = selected(ui, state);

	if (q != NULL) {
		out_revise(out, q->id, NULL);
	}
}

bool ks_queue_put(struct ks_ui *ui, const struct ks_state *state, const char *text,
	struct ks_ui_out *out)
{
	int64_t id = ui->revises;

	ui->revises = 0;
	for (int i = 0; id > 0 && i < state->queued; i++) {
		if (state->queue[i].id == id) {
			out_revise(out, id, text);
			return true;
		}
	}
	return false;
}
