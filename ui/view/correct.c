/*
 * The act of a message that was sent, set by hand: the classifier reads words
 * only. A key gives the selected message the next act, ":act goal" a certain one.
 */
#include "core/act.h"
#include "view/view.h"

/* Where the selection stands in the log; of a message that waited, where it was
 * sent. */
static int64_t selected_seq(const struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data)
{
	struct ks_layout l;
	size_t top, cursor;
	const struct ks_row *row;

	if (ks_ui_screen(ui) == KS_SCREEN_ITEM) {
		cursor = ks_row_find(state, ui->item_seq);
	} else {
		ks_layout_of(&l, ui, state);
		ks_live_window(ui, state, data, l.live, &top, &cursor);
	}
	if (cursor >= state->n_rows) {
		return 0;
	}
	row = &state->rows[cursor];
	return row->seq + (row->kind == KS_EV_MESSAGE_QUEUED ? row->end : 0);
}

static const struct ks_message *message_at(const struct ks_state *state, int64_t seq)
{
	for (size_t i = state->n_messages; i-- > 0;) {
		if (state->messages[i].seq == seq) {
			return &state->messages[i];
		}
	}
	return NULL;
}

void ks_correct_act(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, const char *name, struct ks_ui_out *out)
{
	const struct ks_message *m = message_at(state, selected_seq(ui, state, data));
	int act = ks_act_of(ks_str_of(name));

	if (name != NULL && act < 0) {
		ks_ui_flash(ui, true, "act is question, directive, approval, correction or "
			"goal, not \"%s\"", name);
		return;
	}
	if (m == NULL) {
		ks_ui_flash(ui, true, "select a message that was sent, to say what it was");
		return;
	}
	act = name != NULL ? act : (int)(m->act + 1) % KS_ACTS;
	ks_ui_out_add(out, KS_UI_ACT, ks_act_name((enum ks_act)act))->message = m->id;
	ks_ui_flash(ui, false, "message %lld: %s, was %s", (long long)m->id,
		ks_act_name((enum ks_act)act), ks_act_name(m->act));
}
