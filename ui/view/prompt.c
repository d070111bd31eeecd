/*
 * The prompt: the draft to the agent, or a note, a command, a search being
 * typed. While nothing is typed the draft stays in sight.
 */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "view/view.h"

static const struct ks_edit *edit_of(const struct ks_ui *ui)
{
	switch (ui->typing) {
	case KS_TYPING_NOTE:
	case KS_TYPING_COMMAND:
	case KS_TYPING_SEARCH:
	case KS_TYPING_REJECT:
	case KS_TYPING_FORM:
		return &ui->entry;
	default:
		return &ui->draft;
	}
}

const char *ks_prompt_mark(const struct ks_ui *ui)
{
	switch (ui->typing) {
	case KS_TYPING_NOTE:
		return "note> ";
	case KS_TYPING_REJECT:
		return "no, instead> ";
	case KS_TYPING_FORM:
		return "answer> ";
	case KS_TYPING_COMMAND:
		return ":";
	case KS_TYPING_SEARCH:
		return "/";
	default:
		return "> ";
	}
}

/* What the draft answers, in front of it: "limit H-02". */
static void answers_of(const struct ks_ui *ui, const struct ks_state *state, char *out,
	size_t size)
{
	int i = ks_state_moment(state, ks_draft_answers(ui, state));

	out[0] = '\0';
	if (edit_of(ui) != &ui->draft) {
		return;
	}
	if (i >= 0 && ui->question[0] != '\0') {
		snprintf(out, size, "to %s, %s ", ks_moment_name(state->moments[i].kind),
			ui->question);
	} else if (i >= 0) {
		snprintf(out, size, "to %s ", ks_moment_name(state->moments[i].kind));
	} else if (ui->question[0] != '\0') {
		snprintf(out, size, "%s ", ui->question);
	}
}

static int lead_of(const struct ks_ui *ui)
{
	return (int)ks_utf8_columns(ks_prompt_mark(ui), strlen(ks_prompt_mark(ui)));
}

int ks_prompt_rows(const struct ks_ui *ui, int width, int most)
{
	int rows = ks_edit_rows(edit_of(ui), width - lead_of(ui), ui->ascii);

	if (ui->typing == KS_TYPING_NONE) {
		rows = rows > 2 ? 2 : rows;
	}
	return rows > most ? most : rows;
}

/* What an empty draft is for. */
static void put_hint(const struct ks_view *v, struct ks_rect r)
{
	char key[24], why[KS_UI_REFUSAL];

	if (v->ui->read_only) {
		ks_grid_puts(v->g, r, 0, 0, ks_act_refusal(v->ui, why, sizeof(why)), KS_ROLE_DIM);
		return;
	}
	ks_grid_putf(v->g, r, 0, 0, KS_ROLE_DIM, "%s writes to %s",
		ks_keymap_name(&v->ui->keys, KS_DO_WRITE, key, sizeof(key)),
		v->state->manual ? "who works in the folder" : "the agent");
}

void ks_prompt_draw(const struct ks_view *v, struct ks_rect r)
{
	const struct ks_edit *e = edit_of(v->ui);
	bool typing = v->ui->typing != KS_TYPING_NONE;
	int lead = lead_of(v->ui);
	char answers[64];
	struct ks_rect text = ks_rect_of(r.x + lead, r.y, r.w - lead, r.h);

	if (r.h < 1) {
		return;
	}
	ks_grid_fill(v->g, r, KS_ROLE_PROMPT);
	ks_grid_puts(v->g, r, 0, 0, ks_prompt_mark(v->ui),
		typing ? KS_ROLE_KEY : KS_ROLE_DIM);
	if (!typing && ks_edit_empty(e)) {
		put_hint(v, text);
		return;
	}
	ks_edit_draw(e, v->g, text, typing, typing ? KS_ROLE_PROMPT : KS_ROLE_DIM);
	answers_of(v->ui, v->state, answers, sizeof(answers));
	if (answers[0] != '\0' && v->ui->h >= 14) {
		int cols = ks_grid_width(v->g, ks_str_of(answers));

		ks_grid_putf(v->g, ks_rect_of(r.x, r.y - 1, r.w, 1), r.w - cols - 2, 0,
			KS_ROLE_ACCENT, " %s", answers);
	}
}
