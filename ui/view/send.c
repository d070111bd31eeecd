/*
 * What Enter does with typed text (a message, a note, a command, a search), and
 * what the copy command takes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "view/view.h"

int64_t ks_draft_answers(const struct ks_ui *ui, const struct ks_state *state)
{
	int i = ks_state_moment(state, ui->answers);

	return i >= 0 && state->moments[i].state == KS_MOMENT_DISMISSED ? 0 : ui->answers;
}

static void send_message(struct ks_ui *ui, const struct ks_state *state,
	enum ks_ui_cmd_kind how, struct ks_ui_out *out)
{
	struct ks_buf text = {0};
	struct ks_ui_cmd *cmd;

	ks_edit_text(&ui->draft, &text);
	if (ks_str_trim(ks_buf_str(&text)).len == 0) {
		ks_ui_flash(ui, false, "nothing to send");
		ks_buf_fini(&text);
		return;
	}
	if (ui->revises > 0 && ks_queue_put(ui, state, text.ptr, out)) {
		ks_edit_commit(&ui->draft);
		ui->typing = KS_TYPING_NONE;
		ks_act_unpark(ui);
		ks_buf_fini(&text);
		return;
	}
	cmd = ks_ui_out_add(out, how, text.ptr);
	cmd->moment = ks_draft_answers(ui, state);
	snprintf(cmd->question, sizeof(cmd->question), "%s", ui->question);
	free(ui->said);
	ui->said = ks_strdup(text.ptr);
	ui->said_answers = ui->answers;
	snprintf(ui->said_question, sizeof(ui->said_question), "%s", ui->question);
	ks_edit_commit(&ui->draft);
	ui->typing = KS_TYPING_NONE;
	ks_act_unpark(ui);
	ks_buf_fini(&text);
}

static void copy_entry(const struct ks_ui *ui, char *out, size_t size)
{
	struct ks_buf text = {0};
	struct ks_str trimmed;

	ks_edit_text(&ui->entry, &text);
	trimmed = ks_str_trim(ks_buf_str(&text));
	snprintf(out, size, "%.*s", (int)ks_utf8_cut(trimmed.ptr, trimmed.len, size - 1),
		trimmed.len > 0 ? trimmed.ptr : "");
	ks_buf_fini(&text);
}

static void send_search(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data)
{
	enum ks_screen screen = ks_ui_screen(ui);
	char text[64];

	copy_entry(ui, text, sizeof(text));
	ks_edit_commit(&ui->entry);
	ui->typing = KS_TYPING_NONE;
	if (screen == KS_SCREEN_HELP || screen == KS_SCREEN_BANK ||
	    screen == KS_SCREEN_SCENARIOS) {
		return; /* the list is narrowed already */
	}
	if (text[0] != '\0') {
		snprintf(ui->search, sizeof(ui->search), "%s", text);
	}
	ks_act_search(ui, state, data, true);
}

/* ---- commands by name ---- */

static void command_mode(struct ks_ui *ui, const char *arg, struct ks_ui_out *out)
{
	int mode = ks_mode_from_name(arg);

	if (mode < 0) {
		ks_ui_flash(ui, true, "mode is human, bank or none, not \"%s\"", arg);
	} else {
		ks_ui_out_add(out, KS_UI_MODE, NULL)->mode = (enum ks_mode)mode;
	}
}

static void command_export(struct ks_ui *ui, const char *arg, struct ks_ui_out *out)
{
	if (strcmp(arg, "md") != 0 && strcmp(arg, "json") != 0) {
		ks_ui_flash(ui, true, "export is md or json, not \"%s\"", arg);
	} else {
		ks_ui_out_add(out, KS_UI_EXPORT, arg);
	}
}

static void command_diff(struct ks_ui *ui, const struct ks_state *state, const char *arg)
{
	char first[64];
	const char *second = strchr(arg, ' ');
	int a, b;

	snprintf(first, sizeof(first), "%.*s",
		second != NULL ? (int)(second - arg) : (int)strlen(arg), arg);
	a = ks_state_candidate(state, first);
	b = ks_state_candidate(state, second != NULL ? second + 1 : "champion");
	if (a < 0 || b < 0) {
		ks_ui_flash(ui, true,
			"no candidate '%.20s'; diff takes two, such as c3 c7, seed or "
			"champion", a < 0 ? first : second + 1);
		return;
	}
	ui->diff_a = a;
	ui->diff_b = b;
	memset(&ui->place[KS_SCREEN_DIFF], 0, sizeof(ui->place[KS_SCREEN_DIFF]));
	ks_ui_open(ui, KS_SCREEN_DIFF);
}

/* Whether a command with words changes the campaign. */
static bool speaks(const char *name)
{
	static const char *const names[] = {"mode", "agent-mode", "act", "now", "steer", "note"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], name) == 0) {
			return true;
		}
	}
	return false;
}

/* Commands that take words; false for all others. */
static bool with_words(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, const char *name, const char *arg,
	struct ks_ui_out *out)
{
	if (arg[0] == '\0') {
		return false;
	} else if (speaks(name) && !ks_act_may_speak(ui)) {
		return true;
	} else if (strcmp(name, "mode") == 0) {
		command_mode(ui, arg, out);
	} else if (strcmp(name, "export") == 0) {
		command_export(ui, arg, out);
	} else if (strcmp(name, "agent-mode") == 0) {
		ks_ui_out_add(out, KS_UI_AGENT_MODE, arg);
	} else if (strcmp(name, "act") == 0) {
		ks_correct_act(ui, state, data, arg, out);
	} else if (strcmp(name, "now") == 0) {
		ks_ui_out_add(out, KS_UI_NOW, arg);
	} else if (strcmp(name, "steer") == 0) {
		ks_ui_out_add(out, KS_UI_STEER, arg);
	} else if (strcmp(name, "theme") == 0) {
		ks_ui_out_add(out, KS_UI_THEME, arg);
	} else if (strcmp(name, "diff") == 0) {
		command_diff(ui, state, arg);
	} else if (strcmp(name, "note") == 0) {
		ks_ui_out_add(out, KS_UI_NOTE, arg);
	} else {
		return false;
	}
	return true;
}

static void send_command(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, struct ks_ui_out *out)
{
	const struct ks_binding *binding;
	char text[512], help[24];
	char *arg;

	copy_entry(ui, text, sizeof(text));
	ks_edit_commit(&ui->entry);
	ui->typing = KS_TYPING_NONE;
	if (text[0] == '\0') {
		return;
	}
	arg = strchr(text, ' ');
	if (arg != NULL) {
		*arg++ = '\0';
		arg += strspn(arg, " ");
	}
	if (with_words(ui, state, data, text, arg != NULL ? arg : "", out)) {
		return;
	}
	binding = ks_binding_by_name(text, strlen(text));
	if (binding == NULL) {
		ks_ui_flash(ui, true, "no command \"%s\"; %s lists all", text,
			ks_keymap_name(&ui->keys, KS_DO_HELP, help, sizeof(help)));
	} else if (!(binding->where & (1u << ks_ui_screen(ui)))) {
		ks_ui_flash(ui, true, "\"%s\" does nothing here", text);
	} else {
		ks_act_do(ui, state, data, binding->what, out);
	}
}

void ks_act_line(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, struct ks_ui_out *out)
{
	struct ks_buf text = {0};

	/* What was typed stays in the prompt. */
	if (ks_typing_sends(ui->typing) && !ks_act_may_speak(ui)) {
		return;
	}
	switch (ui->typing) {
	case KS_TYPING_SAY:
		send_message(ui, state, KS_UI_SAY, out);
		break;
	case KS_TYPING_NOTE:
		ks_edit_text(&ui->entry, &text);
		if (ks_str_trim(ks_buf_str(&text)).len > 0) {
			ks_ui_out_add(out, KS_UI_NOTE, text.ptr);
		}
		ks_buf_fini(&text);
		ks_edit_commit(&ui->entry);
		ui->typing = KS_TYPING_NONE;
		break;
	case KS_TYPING_SEARCH:
		send_search(ui, state, data);
		break;
	case KS_TYPING_REJECT:
		ks_edit_text(&ui->entry, &text);
		ks_edit_commit(&ui->entry);
		ui->typing = KS_TYPING_NONE;
		ks_asks_reject(ui, state, text.len > 0 ? text.ptr : "", out);
		ks_buf_fini(&text);
		break;
	case KS_TYPING_FORM:
		ks_edit_text(&ui->entry, &text);
		ks_asks_fill(ui, state, data, ks_buf_str(&text), out);
		ks_buf_fini(&text);
		break;
	default:
		send_command(ui, state, data, out);
		break;
	}
}

/* ---- copying ---- */

static void copy_live(const struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, struct ks_buf *out)
{
	struct ks_layout l;
	size_t top, cursor;
	const struct ks_event *event;

	ks_layout_of(&l, ui, state);
	ks_live_window(ui, state, data, l.live, &top, &cursor);
	if (cursor >= state->n_rows) {
		return;
	}
	event = data->event(data->ctx, state->rows[cursor].seq);
	if (event == NULL || event->doc == NULL) {
		return;
	}
	ks_item_body(data, event, out);
	if (out->len == 0) {
		struct ks_line line;

		ks_line_of_row(&line, state, data, &state->rows[cursor], false);
		ks_buf_addstr(out, ks_buf_str(&line.text));
		ks_line_fini(&line);
	}
}

static void copy_scenario(const struct ks_ui *ui, const struct ks_state *state,
	struct ks_buf *out)
{
	int candidate;
	int index = ks_scenarios_at(ui, state, &candidate);

	if (index >= 0) {
		ks_buf_adds(out, state->scenarios[index].name);
	}
}

void ks_act_copied(const struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, struct ks_buf *out)
{
	enum ks_screen screen = ks_ui_screen(ui);
	size_t at = ui->place[screen].cursor;
	const struct ks_bank_entry *entry;
	struct ks_str text;
	int index;

	switch (screen) {
	case KS_SCREEN_MAIN:
		copy_live(ui, state, data, out);
		break;
	case KS_SCREEN_SCENARIOS:
		copy_scenario(ui, state, out);
		break;
	case KS_SCREEN_CANDIDATES:
		index = ks_candidates_at(ui, state, at);
		ks_buf_adds(out, index >= 0 ? state->candidates[index].commit : "");
		break;
	case KS_SCREEN_DIFF:
		if (ks_diff_text(ui, state, data, &text)) {
			ks_buf_addstr(out, text);
		}
		break;
	case KS_SCREEN_BANK:
		entry = ks_bank_row(ui, state, data, at);
		if (entry != NULL) {
			ks_bank_words(state, entry, out);
		}
		break;
	case KS_SCREEN_MOMENTS:
		if (at < state->n_moments) {
			ks_buf_adds(out, state->moments[state->n_moments - 1 - at].evidence);
		}
		break;
	case KS_SCREEN_ITEM:
		ks_buf_addstr(out, ks_buf_str(&ui->item));
		break;
	default:
		break;
	}
}
