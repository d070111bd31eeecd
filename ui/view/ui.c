/*
 * The console's state and the way of a key: a question of the console first,
 * then what is being typed, then the banner if it has the focus, then the
 * screen that is open. What a command does is in act.c.
 */
#include "view/ui.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "view/view.h"

/* ---- commands out ---- */

void ks_ui_out_init(struct ks_ui_out *out)
{
	memset(out, 0, sizeof(*out));
}

void ks_ui_out_fini(struct ks_ui_out *out)
{
	size_t i;

	if (out == NULL) {
		return;
	}
	for (i = 0; i < out->n; i++) {
		free(out->cmds[i].text);
	}
	free(out->cmds);
	memset(out, 0, sizeof(*out));
}

struct ks_ui_cmd *ks_ui_out_add(struct ks_ui_out *out, enum ks_ui_cmd_kind kind,
	const char *text)
{
	struct ks_ui_cmd *cmd;

	ks_grow(&out->cmds, &out->cap, out->n + 1, sizeof(out->cmds[0]));
	cmd = &out->cmds[out->n++];
	memset(cmd, 0, sizeof(*cmd));
	cmd->kind = kind;
	cmd->text = ks_strdup(text);
	return cmd;
}

/* ---- life ---- */

void ks_ui_init(struct ks_ui *ui)
{
	memset(ui, 0, sizeof(*ui));
	ui->w = 80;
	ui->h = 24;
	ks_keymap_default(&ui->keys);
	ks_edit_init(&ui->draft, false);
	ks_edit_init(&ui->entry, true);
	ui->live.follow = true;
	ui->bank_group = -1;
	ui->shown = -1;
	ui->diff_a = ui->diff_b = -1;
	ui->marked = -1;
	ui->item_scenario = -1;
}

void ks_ui_fini(struct ks_ui *ui)
{
	if (ui == NULL) {
		return;
	}
	ks_edit_fini(&ui->draft);
	ks_edit_fini(&ui->entry);
	free(ui->said);
	ks_buf_fini(&ui->form);
	ks_buf_fini(&ui->parked);
	ks_buf_fini(&ui->item);
	free(ui->item_rows);
	memset(ui, 0, sizeof(*ui));
}

void ks_ui_flash(struct ks_ui *ui, bool bad, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(ui->flash, sizeof(ui->flash), fmt, ap);
	va_end(ap);
	ui->flash_bad = bad;
	ui->flash_us = 0;
}

void ks_ui_open(struct ks_ui *ui, enum ks_screen screen)
{
	int i;

	ui->hit[screen] = 0;
	if (screen == KS_SCREEN_MAIN) {
		ui->depth = 0;
		return;
	}
	/* A screen that is open already comes back; none is there twice. */
	for (i = 1; i <= ui->depth; i++) {
		if (ui->stack[i] == screen) {
			ui->depth = i;
			return;
		}
	}
	if (ui->depth + 1 < KS_UI_DEPTH) {
		ui->stack[++ui->depth] = screen;
	} else {
		ui->stack[ui->depth] = screen;
	}
	ui->on_moment = false;
	ui->on_asks = false;
}

void ks_ui_unsent(struct ks_ui *ui)
{
	if (ui->said == NULL || !ks_edit_empty(&ui->draft)) {
		return;
	}
	ks_edit_set(&ui->draft, ks_str_of(ui->said));
	ui->answers = ui->said_answers;
	snprintf(ui->question, sizeof(ui->question), "%s", ui->said_question);
}

void ks_ui_draft(const struct ks_ui *ui, struct ks_buf *out)
{
	if (ui->has_parked) {
		ks_buf_addstr(out, ks_buf_str(&ui->parked));
		if (!ks_edit_empty(&ui->draft)) {
			ks_buf_adds(out, "\n\n");
		}
	}
	ks_edit_text(&ui->draft, out);
}

void ks_ui_restore(struct ks_ui *ui, struct ks_str draft)
{
	if (draft.len > 0) {
		ks_edit_set(&ui->draft, draft);
	}
}

/* ---- the campaign moved on ---- */

bool ks_screen_is_text(enum ks_screen screen)
{
	return screen == KS_SCREEN_DIFF || screen == KS_SCREEN_ITEM ||
		screen == KS_SCREEN_HELP || screen == KS_SCREEN_GOAL;
}

size_t ks_screen_rows(const struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, enum ks_screen screen)
{
	switch (screen) {
	case KS_SCREEN_SCENARIOS:
		return ks_scenarios_rows(ui, state);
	case KS_SCREEN_CANDIDATES:
		return ks_candidates_rows(ui, state);
	case KS_SCREEN_DIFF:
		return ks_diff_rows(ui, state, data);
	case KS_SCREEN_BANK:
		return ks_bank_rows(ui, state, data);
	case KS_SCREEN_GOAL:
		return ks_goal_rows(ui, state);
	case KS_SCREEN_MOMENTS:
		return state->n_moments;
	case KS_SCREEN_ITEM:
		return ui->n_item_rows;
	case KS_SCREEN_HELP:
		return ks_help_rows(ui);
	case KS_SCREEN_QUEUE:
		return (size_t)state->queued;
	default:
		return state->n_scenarios;
	}
}

static void update_moment(struct ks_ui *ui, const struct ks_state *state, int64_t now)
{
	const struct ks_moment *moment = ks_state_open_moment(state);
	int64_t id = moment != NULL ? moment->id : 0;

	if (id != ui->moment_id) {
		/* The focus belonged to the moment that is gone. */
		ui->moment_id = id;
		ui->moment_us = now;
		ui->on_moment = false;
		ui->offer = 0;
		if (id != 0) {
			ui->flash[0] = '\0';
		}
	}
}

static void update_flash(struct ks_ui *ui, int64_t now)
{
	if (ui->flash_us == 0 || ui->flash_us > now) {
		ui->flash_us = now;
	}
	if (now - ui->flash_us >= KS_UI_FLASH_US) {
		ui->flash[0] = '\0';
	}
}

void ks_ui_update(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data)
{
	enum ks_screen screen = ks_ui_screen(ui);
	struct ks_place *place = &ui->place[screen];
	size_t rows;

	update_moment(ui, state, data->now);
	ks_asks_update(ui, state, data->now);
	update_flash(ui, data->now);
	if (!ks_is_wide(ui)) {
		ui->focus = KS_FOCUS_LIVE;
	}
	if (ui->live.follow) {
		ui->live.seen = state->n_rows;
	}
	ks_item_update(ui, state, data);
	if (screen == KS_SCREEN_MAIN) {
		return;
	}
	rows = ks_screen_rows(ui, state, data, screen);
	if (ks_screen_is_text(screen)) {
		ks_place_clamp_text(place, rows, ks_page_rows(ui));
	} else {
		ks_place_clamp(place, rows, ks_page_rows(ui));
	}
}

/* When the wait before the loop speaks is told anew; -1 without one. */
static int64_t next_wait(const struct ks_ui *ui, const struct ks_state *state, int64_t now)
{
	int64_t left = ks_wait_until(ui, state) - now;
	int64_t unit = left > (int64_t)KS_UI_SECONDS * 1000000 && state->mode != KS_MODE_BANK ?
		60000000 : 1000000;

	if (left <= 0) {
		return -1;
	}
	return now + (left % unit > 0 ? left % unit : unit);
}

int64_t ks_ui_next_change(const struct ks_ui *ui, const struct ks_state *state,
	int64_t now)
{
	bool ticks = state->agent == KS_AGENT_WORKING && !state->manual;
	int64_t next = next_wait(ui, state, now);

	if (ui->w < 40 || ui->h < 10) {
		return -1;
	}
	if (ticks) {
		next = now + 1000000 - (now - state->agent_t) % 1000000;
	}
	if (ui->flash[0] != '\0') {
		int64_t end = (ui->flash_us > 0 && ui->flash_us < now ? ui->flash_us : now) +
			KS_UI_FLASH_US;

		end = end > now ? end : now + 1;
		next = next < 0 || end < next ? end : next;
	}
	return next;
}

/* ---- typing ---- */

static struct ks_edit *edited(struct ks_ui *ui)
{
	return ui->typing == KS_TYPING_SAY ? &ui->draft : &ui->entry;
}

static bool narrows(enum ks_screen screen)
{
	return screen == KS_SCREEN_HELP || screen == KS_SCREEN_BANK ||
		screen == KS_SCREEN_SCENARIOS;
}

/* While a search is typed, lists that can be narrowed follow each key. */
static void follow_search(struct ks_ui *ui)
{
	enum ks_screen screen = ks_ui_screen(ui);
	struct ks_buf text = {0};

	if (ui->typing != KS_TYPING_SEARCH || !narrows(screen)) {
		return;
	}
	ks_edit_text(&ui->entry, &text);
	snprintf(ui->filter[screen], sizeof(ui->filter[screen]), "%.*s",
		(int)ks_utf8_cut(text.ptr, text.len, sizeof(ui->filter[screen]) - 1),
		text.len > 0 ? text.ptr : "");
	ui->place[screen].cursor = 0;
	ui->place[screen].top = 0;
	ks_buf_fini(&text);
}

static void leave_typing(struct ks_ui *ui)
{
	if (ui->typing == KS_TYPING_SEARCH && narrows(ks_ui_screen(ui))) {
		ui->filter[ks_ui_screen(ui)][0] = '\0';
	}
	if (ui->typing == KS_TYPING_SAY) {
		ks_act_unpark(ui);
	} else {
		ks_edit_clear(&ui->entry);
	}
	ui->typing = KS_TYPING_NONE;
}

/* Completes the name of a command that is being typed, if there is one only. */
static void complete(struct ks_ui *ui)
{
	const struct ks_binding *list, *found = NULL;
	size_t count, i;

	list = ks_bindings(&count);
	for (i = 0; i < count; i++) {
		if (ui->entry.text.len > 0 && strncmp(list[i].name, ui->entry.text.ptr,
		    ui->entry.text.len) == 0) {
			if (found != NULL) {
				return;
			}
			found = &list[i];
		}
	}
	if (found != NULL) {
		ks_edit_set(&ui->entry, ks_str_of(found->name));
	}
}

static void typing_key(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, const struct ks_key *key, struct ks_ui_out *out)
{
	enum ks_do what;

	if (key->kind == KS_KEY_ESC) {
		leave_typing(ui);
		return;
	}
	if (key->kind == KS_KEY_ENTER && key->mods == 0) {
		ks_act_line(ui, state, data, out);
		return;
	}
	if (key->kind == KS_KEY_CHAR && key->mods == KS_MOD_CTRL && key->cp == 'x' &&
	    ui->typing == KS_TYPING_SAY) {
		ks_ui_out_add(out, KS_UI_EDITOR, NULL);
		return;
	}
	if (key->kind == KS_KEY_TAB && ui->typing == KS_TYPING_COMMAND) {
		complete(ui);
		return;
	}
	if (key->kind == KS_KEY_BACKSPACE && ui->typing == KS_TYPING_COMMAND &&
	    ks_edit_empty(&ui->entry)) {
		leave_typing(ui);
		return;
	}
	switch (ks_edit_key(edited(ui), key)) {
	case KS_EDIT_DONE:
		follow_search(ui);
		return;
	case KS_EDIT_FULL:
		ks_ui_flash(ui, true, "too long: a message has at most %d KiB; nothing "
			"was added", KS_EDIT_MAX / 1024);
		return;
	default:
		break;
	}
	what = ks_keymap_find(&ui->keys, KS_WHERE_MAIN, key);
	if ((what == KS_DO_REPAINT || what == KS_DO_SUSPEND) &&
	    (key->mods & KS_MOD_CTRL)) {
		ks_act_do(ui, state, data, what, out);
	}
}

/* ---- the way of a key ---- */

/* With the focus on the banner: its keys, and up and down among its offers. */
static bool moment_key(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, const struct ks_key *key, struct ks_ui_out *out)
{
	const struct ks_moment *moment = ks_state_open_moment(state);
	enum ks_do what = ks_keymap_find(&ui->keys, KS_WHERE_MOMENT, key);

	if (what != KS_DO_NONE) {
		ks_act_do(ui, state, data, what, out);
		return true;
	}
	what = ks_keymap_find(&ui->keys, KS_WHERE_MAIN, key);
	if ((what == KS_DO_UP || what == KS_DO_DOWN) && moment->n_offers > 0) {
		int step = what == KS_DO_UP ? moment->n_offers - 1 : 1;

		ui->offer = (ui->offer + step) % moment->n_offers;
		return true;
	}
	if (what == KS_DO_QUIT || what == KS_DO_BACK) {
		ui->on_moment = false;
		return true;
	}
	return false;
}

/* The same with the focus on what the agent asks. */
static bool asks_key(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, const struct ks_key *key, struct ks_ui_out *out)
{
	enum ks_do what = ks_keymap_find(&ui->keys, KS_WHERE_ASKS, key);

	if (what != KS_DO_NONE) {
		ks_act_do(ui, state, data, what, out);
		return true;
	}
	what = ks_keymap_find(&ui->keys, KS_WHERE_MAIN, key);
	if ((what == KS_DO_UP || what == KS_DO_DOWN) && state->n_asks > 0) {
		int step = what == KS_DO_UP ? state->n_asks - 1 : 1;

		ui->ask_at = (ui->ask_at + step) % state->n_asks;
		return true;
	}
	if (what == KS_DO_QUIT || what == KS_DO_BACK) {
		ui->on_asks = false;
		return true;
	}
	return false;
}

static void ask_key(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, const struct ks_key *key, struct ks_ui_out *out)
{
	unsigned where = ui->ask == KS_ASK_QUIT ? KS_WHERE_QUIT : KS_WHERE_ASK;
	enum ks_do what = ks_keymap_find(&ui->keys, where, key);

	if (what != KS_DO_NONE) {
		ks_act_do(ui, state, data, what, out);
	}
}

static void screen_key(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, const struct ks_key *key, struct ks_ui_out *out)
{
	enum ks_do what = ks_keymap_find(&ui->keys, 1u << ks_ui_screen(ui), key);
	char name[32], help[24];

	if (what != KS_DO_NONE) {
		ks_act_do(ui, state, data, what, out);
		return;
	}
	if (key->kind != KS_KEY_CHAR) {
		return;
	}
	ks_key_name(key, name, sizeof(name));
	ks_keymap_name(&ui->keys, KS_DO_HELP, help, sizeof(help));
	ks_ui_flash(ui, false, "no command on %s here; %s shows the keys", name, help);
}

void ks_ui_key(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, const struct ks_key *key, struct ks_ui_out *out)
{
	if (key->kind == KS_KEY_NONE || key->kind == KS_KEY_FOCUS) {
		return;
	}
	ui->flash[0] = '\0';
	ui->searching = false;
	ks_ui_update(ui, state, data);
	if (ui->ask != KS_ASK_NONE) {
		ask_key(ui, state, data, key, out);
	} else if (ui->typing != KS_TYPING_NONE) {
		typing_key(ui, state, data, key, out);
	} else if (key->kind == KS_KEY_PASTE) {
		ui->typing = KS_TYPING_SAY;
		typing_key(ui, state, data, key, out);
	} else if ((!ui->on_asks || !asks_key(ui, state, data, key, out)) &&
	    (!ui->on_moment || !moment_key(ui, state, data, key, out))) {
		screen_key(ui, state, data, key, out);
	}
	ks_ui_update(ui, state, data);
}
