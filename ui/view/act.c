/*
 * What each command does: one function a command or family, one table. Commands
 * that change the campaign become struct ks_ui_cmd; all others change the
 * console's own state.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "base/utf8.h"
#include "view/view.h"

struct act {
	struct ks_ui *ui;
	const struct ks_state *state;
	const struct ks_view_data *data;
	struct ks_ui_out *out;
	enum ks_do what;
};

const char *ks_act_refusal(const struct ks_ui *ui, char *out, size_t size)
{
	bool typing = ui->typing != KS_TYPING_NONE;
	char key[24];

	if (ui->holder[0] == '\0') {
		snprintf(out, size, "read only: a recorded campaign, nothing can be sent%s",
			typing ? "; esc leaves" : "");
	} else {
		snprintf(out, size, "read only: %s has the word; %s%s takes it", ui->holder,
			typing ? "esc, then " : "",
			ks_keymap_name(&ui->keys, KS_DO_WORD, key, sizeof(key)));
	}
	return out;
}

bool ks_typing_sends(enum ks_typing typing)
{
	return typing == KS_TYPING_SAY || typing == KS_TYPING_NOTE ||
		typing == KS_TYPING_REJECT || typing == KS_TYPING_FORM;
}

bool ks_act_may_speak(struct ks_ui *ui)
{
	char why[KS_UI_REFUSAL];

	if (ui->read_only) {
		ks_ui_flash(ui, true, "%s", ks_act_refusal(ui, why, sizeof(why)));
	}
	return !ui->read_only;
}

static bool may_speak(const struct act *a)
{
	return ks_act_may_speak(a->ui);
}

/* ---- moments and the prompt ---- */

void ks_act_unpark(struct ks_ui *ui)
{
	if (!ks_edit_empty(&ui->draft)) {
		return;
	}
	ui->answers = 0;
	ui->question[0] = '\0';
	if (ui->has_parked) {
		ks_edit_set(&ui->draft, ks_buf_str(&ui->parked));
		ks_buf_clear(&ui->parked);
		ui->has_parked = false;
	}
}

void ks_act_take(struct ks_ui *ui, int64_t moment, const char *question,
	struct ks_str text)
{
	if (!ks_edit_empty(&ui->draft) && !ui->has_parked && ui->question[0] == '\0') {
		ks_buf_clear(&ui->parked);
		ks_edit_text(&ui->draft, &ui->parked);
		ui->has_parked = true;
		ks_ui_flash(ui, false, "your draft is put aside until this is sent");
	} else if (!ks_edit_empty(&ui->draft)) {
		ks_ui_flash(ui, false, "the draft is replaced; ctrl-_ brings it back");
	}
	ks_edit_set(&ui->draft, text);
	ui->answers = moment;
	snprintf(ui->question, sizeof(ui->question), "%s", question);
	ui->depth = 0;
	ui->on_moment = false;
	ui->on_asks = false;
	ui->revises = 0;
	ui->typing = KS_TYPING_SAY;
}

/* The banner's moment, if it may be answered by now. */
static const struct ks_moment *ripe_moment(const struct act *a)
{
	const struct ks_moment *moment = ks_state_open_moment(a->state);

	if (moment == NULL) {
		ks_ui_flash(a->ui, false, "no moment is open");
		return NULL;
	}
	if (a->data->now - a->ui->moment_us < KS_UI_BANNER_US) {
		ks_ui_flash(a->ui, false, "this moment has only just come; read it first");
		return NULL;
	}
	return moment;
}

static void do_answer(struct act *a)
{
	char key[24];

	if (ks_state_open_moment(a->state) == NULL) {
		ks_ui_flash(a->ui, false, "no moment is open; %s shows the bank",
			ks_keymap_name(&a->ui->keys, KS_DO_BANK, key, sizeof(key)));
		return;
	}
	a->ui->depth = 0;
	a->ui->on_asks = false;
	a->ui->on_moment = true;
}

static void do_permit(struct act *a)
{
	if (a->state->n_asks == 0) {
		ks_ui_flash(a->ui, false, "the agent asks nothing");
		return;
	}
	a->ui->depth = 0;
	a->ui->on_moment = false;
	a->ui->on_asks = true;
}

static void do_answer_ask(struct act *a)
{
	ks_asks_do(a->ui, a->state, a->data, a->what, a->out);
}

static void do_drop(struct act *a)
{
	if (may_speak(a)) {
		ks_queue_drop(a->ui, a->state, a->out);
	}
}

static void do_act(struct act *a)
{
	if (may_speak(a)) {
		ks_correct_act(a->ui, a->state, a->data, NULL, a->out);
	}
}

/* The agent's modes in the footer; with a name behind it, :agent-mode sets one. */
static void do_agent_mode(struct act *a)
{
	struct ks_buf text = {0};
	int i;

	for (i = 0; i < a->state->n_agent_modes; i++) {
		const struct ks_agent_mode *m = &a->state->agent_modes[i];

		ks_buf_addf(&text, "%s%s%s", i > 0 ? ", " : "", m->id,
			strcmp(m->id, a->state->agent_mode) == 0 ? " (now)" : "");
	}
	if (text.len == 0) {
		ks_ui_flash(a->ui, false, "this agent has told of no modes");
	} else {
		ks_ui_flash(a->ui, false, ":agent-mode %s", text.ptr);
	}
	ks_buf_fini(&text);
}

static void do_offer(struct act *a)
{
	const struct ks_moment *moment = ripe_moment(a);
	int index = a->what == KS_DO_CHOOSE ? a->ui->offer :
		(int)(a->what - KS_DO_OFFER_1);

	if (moment == NULL) {
		return;
	}
	if (index >= moment->n_offers) {
		ks_ui_flash(a->ui, false, "this moment has %d question%s",
			moment->n_offers, ks_s(moment->n_offers));
		return;
	}
	ks_act_take(a->ui, moment->id, moment->offers[index].question,
		ks_str_of(moment->offers[index].text));
}

static void do_own_words(struct act *a)
{
	const struct ks_moment *moment = ripe_moment(a);

	if (moment != NULL) {
		a->ui->answers = moment->id;
		a->ui->on_moment = false;
		a->ui->typing = KS_TYPING_SAY;
	}
}

static void do_dismiss(struct act *a)
{
	const struct ks_moment *moment = ripe_moment(a);

	if (moment != NULL && may_speak(a)) {
		ks_ui_out_add(a->out, KS_UI_DISMISS, NULL)->moment = moment->id;
		a->ui->on_moment = false;
	}
}

/* The prompt opens whoever has the word: what is typed next is text, and no
 * command. Enter, and the footer, say why it cannot be sent. */
static void type_into(struct act *a, enum ks_typing typing)
{
	a->ui->typing = typing;
	if (typing != KS_TYPING_SAY) {
		ks_edit_clear(&a->ui->entry);
	}
}

static void do_type(struct act *a)
{
	switch (a->what) {
	case KS_DO_WRITE:
		type_into(a, KS_TYPING_SAY);
		break;
	case KS_DO_NOTE:
		type_into(a, KS_TYPING_NOTE);
		break;
	case KS_DO_SEARCH:
		type_into(a, KS_TYPING_SEARCH);
		break;
	default:
		type_into(a, KS_TYPING_COMMAND);
		break;
	}
}

/* ---- views ---- */

static void do_open_view(struct act *a)
{
	static const struct {
		enum ks_do what;
		enum ks_screen screen;
	} views[] = {
		{KS_DO_BANK, KS_SCREEN_BANK}, {KS_DO_SCENARIOS, KS_SCREEN_SCENARIOS},
		{KS_DO_CANDIDATES, KS_SCREEN_CANDIDATES}, {KS_DO_GOAL, KS_SCREEN_GOAL},
		{KS_DO_MOMENTS, KS_SCREEN_MOMENTS}, {KS_DO_HELP, KS_SCREEN_HELP},
		{KS_DO_QUEUE, KS_SCREEN_QUEUE},
	};
	size_t i;

	for (i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		if (views[i].what == a->what) {
			if (a->what == KS_DO_SCENARIOS) {
				a->ui->shown = -1;
			}
			ks_ui_open(a->ui, views[i].screen);
		}
	}
}

static void do_diff(struct act *a)
{
	if (a->state->n_candidates < 2) {
		ks_ui_flash(a->ui, false, "there are no two candidates yet");
		return;
	}
	ks_diff_pair(a->ui, a->state, &a->ui->diff_a, &a->ui->diff_b);
	memset(&a->ui->place[KS_SCREEN_DIFF], 0, sizeof(a->ui->place[KS_SCREEN_DIFF]));
	ks_ui_open(a->ui, KS_SCREEN_DIFF);
}

static void open_row(struct act *a)
{
	struct ks_layout l;
	size_t top, cursor;
	const struct ks_row *row;
	const struct ks_event *event;
	int candidate;

	ks_layout_of(&l, a->ui, a->state);
	ks_live_window(a->ui, a->state, a->data, l.live, &top, &cursor);
	if (cursor >= a->state->n_rows) {
		return;
	}
	row = &a->state->rows[cursor];
	if (row->kind == KS_EV_EVAL_STARTED || row->kind == KS_EV_CHAMPION_CHANGED) {
		event = a->data->event(a->data->ctx, row->seq);
		candidate = event != NULL ? ks_state_candidate_number(a->state,
			ks_json_get_int(event->doc, "candidate", -1)) : -1;
		if (candidate >= 0 && !a->state->candidates[candidate].failed) {
			a->ui->shown = candidate;
			ks_ui_open(a->ui, KS_SCREEN_SCENARIOS);
			return;
		}
	}
	/* A call that did not build: its end says why. */
	ks_item_open(a->ui, row->seq);
}

static void open_question(struct act *a)
{
	const struct ks_moment *moment = ks_state_open_moment(a->state);
	const struct ks_bank_entry *entry = ks_bank_row(a->ui, a->state, a->data,
		a->ui->place[KS_SCREEN_BANK].cursor);
	struct ks_buf words = {0};

	if (entry == NULL) {
		return;
	}
	ks_bank_words(a->state, entry, &words);
	ks_act_take(a->ui, moment != NULL ? moment->id : 0, entry->id, ks_buf_str(&words));
	ks_buf_fini(&words);
}

static void do_open(struct act *a)
{
	struct ks_ui *ui = a->ui;
	int scenario, candidate;

	switch (ks_ui_screen(ui)) {
	case KS_SCREEN_SCENARIOS:
		scenario = ks_scenarios_at(ui, a->state, &candidate);
		if (scenario >= 0) {
			ks_item_open_scenario(ui, scenario, candidate);
		}
		break;
	case KS_SCREEN_MAIN:
		if (ui->focus == KS_FOCUS_LIVE) {
			open_row(a);
		} else {
			ui->shown = -1;
			ks_ui_open(ui, ui->focus == KS_FOCUS_BARS ? KS_SCREEN_SCENARIOS :
				KS_SCREEN_GOAL);
		}
		break;
	case KS_SCREEN_CANDIDATES:
		ui->shown = ks_candidates_at(ui, a->state,
			ui->place[KS_SCREEN_CANDIDATES].cursor);
		ks_ui_open(ui, KS_SCREEN_SCENARIOS);
		break;
	case KS_SCREEN_BANK:
		open_question(a);
		break;
	case KS_SCREEN_QUEUE:
		ks_queue_edit(ui, a->state);
		break;
	case KS_SCREEN_MOMENTS:
		if (ui->place[KS_SCREEN_MOMENTS].cursor < a->state->n_moments) {
			ks_item_open(ui, a->state->moments[a->state->n_moments - 1 -
				ui->place[KS_SCREEN_MOMENTS].cursor].seq);
		}
		break;
	default:
		break;
	}
}

/* Esc: back one level, and never out. */
static void do_back(struct act *a)
{
	struct ks_ui *ui = a->ui;
	enum ks_screen screen = ks_ui_screen(ui);

	if (ui->filter[screen][0] != '\0') {
		ui->filter[screen][0] = '\0';
	} else if (ui->depth > 0) {
		ui->depth--;
	} else if (ui->live.filter != KS_LIVE_ALL) {
		ui->live.filter = KS_LIVE_ALL;
	} else if (ui->focus != KS_FOCUS_LIVE) {
		ui->focus = KS_FOCUS_LIVE;
	}
}

static void do_quit(struct act *a)
{
	if (a->ui->depth > 0) {
		a->ui->depth--;
	} else if (a->state->engine_running && !a->ui->lost && !a->ui->greeting) {
		a->ui->ask = KS_ASK_QUIT;
	} else {
		ks_ui_out_add(a->out, KS_UI_DETACH, NULL);
	}
}

/* ---- moving ---- */

static int distance(const struct act *a, int page)
{
	switch (a->what) {
	case KS_DO_UP:
		return -1;
	case KS_DO_DOWN:
		return 1;
	case KS_DO_PAGE_UP:
		return -page;
	case KS_DO_PAGE_DOWN:
		return page;
	case KS_DO_HALF_UP:
		return -(page / 2 + 1);
	default:
		return page / 2 + 1;
	}
}

static void move_place(size_t *at, int delta)
{
	if (delta < 0 && *at < (size_t)-delta) {
		*at = 0;
	} else {
		*at = (size_t)((ptrdiff_t)*at + delta);
	}
}

static void do_move(struct act *a)
{
	struct ks_ui *ui = a->ui;
	enum ks_screen screen = ks_ui_screen(ui);
	struct ks_layout l;

	if (screen != KS_SCREEN_MAIN) {
		move_place(ks_screen_is_text(screen) ? &ui->place[screen].top :
			&ui->place[screen].cursor, distance(a, ks_page_rows(ui)));
		return;
	}
	ks_layout_of(&l, ui, a->state);
	if (ui->focus == KS_FOCUS_LIVE) {
		ks_live_move(ui, a->state, a->data, distance(a, l.live.h));
	} else if (ui->focus == KS_FOCUS_BARS) {
		size_t most = a->state->n_scenarios > (size_t)l.bars.h ?
			a->state->n_scenarios - (size_t)l.bars.h : 0;

		move_place(&ui->place[KS_SCREEN_MAIN].top, distance(a, l.bars.h));
		if (ui->place[KS_SCREEN_MAIN].top > most) {
			ui->place[KS_SCREEN_MAIN].top = most;
		}
	} else {
		size_t most = a->state->n_clauses > (size_t)l.goal.h ?
			a->state->n_clauses - (size_t)l.goal.h : 0;

		move_place(&ui->place[KS_SCREEN_GOAL].top, distance(a, l.goal.h));
		if (ui->place[KS_SCREEN_GOAL].top > most) {
			ui->place[KS_SCREEN_GOAL].top = most;
		}
	}
}

static void live_ends(struct act *a, bool top)
{
	struct ks_ui *ui = a->ui;

	if (!top) {
		ui->live.follow = true;
		ui->live.seen = a->state->n_rows;
		return;
	}
	if (a->state->n_rows > 0) {
		size_t row = ks_live_wants(ui->live.filter, a->state->rows[0].kind) ? 0 :
			ks_live_step(ui, a->state, 0, 1);

		ks_live_goto(ui, a->state, a->data, row);
	}
}

static void do_ends(struct act *a)
{
	struct ks_ui *ui = a->ui;
	enum ks_screen screen = ks_ui_screen(ui);
	bool top = a->what == KS_DO_TOP;
	size_t rows = ks_screen_rows(ui, a->state, a->data, screen);

	if (screen == KS_SCREEN_MAIN && ui->focus == KS_FOCUS_LIVE) {
		live_ends(a, top);
	} else if (screen == KS_SCREEN_MAIN) {
		struct ks_place *place = &ui->place[ui->focus == KS_FOCUS_BARS ?
			KS_SCREEN_MAIN : KS_SCREEN_GOAL];

		place->top = top ? 0 : rows;
	} else {
		ui->place[screen].cursor = top ? 0 : rows;
		ui->place[screen].top = top ? 0 : rows;
	}
}

static void do_sideways(struct act *a)
{
	struct ks_ui *ui = a->ui;
	enum ks_screen screen = ks_ui_screen(ui);
	int step = a->what == KS_DO_LEFT ? -1 : 1;

	if (screen == KS_SCREEN_BANK) {
		ui->bank_group += step;
		ui->bank_group = ui->bank_group < -1 ? KS_LAYERS - 1 :
			ui->bank_group >= KS_LAYERS ? -1 : ui->bank_group;
		memset(&ui->place[screen], 0, sizeof(ui->place[screen]));
		return;
	}
	ui->place[screen].left += 8 * step;
	if (ui->place[screen].left > 4096) {
		ui->place[screen].left = 4096;
	}
}

/* Without frames there is one pane: the others are screens. */
static void narrow_pane(struct act *a)
{
	if (a->what == KS_DO_PANE_2) {
		a->ui->shown = -1;
		ks_ui_open(a->ui, KS_SCREEN_SCENARIOS);
	} else if (a->what == KS_DO_PANE_3) {
		ks_ui_open(a->ui, KS_SCREEN_GOAL);
	}
}

static void do_pane(struct act *a)
{
	struct ks_layout l;
	int n = 3;

	a->ui->on_moment = false;
	ks_layout_of(&l, a->ui, a->state);
	if (!l.wide) {
		narrow_pane(a);
		return;
	}
	switch (a->what) {
	case KS_DO_NEXT_PANE:
		a->ui->focus = (enum ks_focus)(((int)a->ui->focus + 1) % n);
		break;
	case KS_DO_PREVIOUS_PANE:
		a->ui->focus = (enum ks_focus)(((int)a->ui->focus + n - 1) % n);
		break;
	default:
		a->ui->focus = (enum ks_focus)(a->what - KS_DO_PANE_1);
		break;
	}
}

/* ---- search ---- */

/* n goes on: in the live view to earlier rows, in texts to later lines. */
static void do_next(struct act *a)
{
	ks_act_search(a->ui, a->state, a->data, a->what == KS_DO_NEXT);
}

/* ---- the rest ---- */

static void do_filter(struct act *a)
{
	struct ks_ui *ui = a->ui;

	if (ks_ui_screen(ui) == KS_SCREEN_BANK) {
		if (ks_state_open_moment(a->state) == NULL) {
			ks_ui_flash(ui, false, "no moment is open");
			return;
		}
		ui->bank_offers = !ui->bank_offers;
		memset(&ui->place[KS_SCREEN_BANK], 0, sizeof(ui->place[0]));
		return;
	}
	ui->live.filter = (enum ks_live_filter)((ui->live.filter + 1) % KS_LIVE_FILTERS);
	ks_live_refilter(ui, a->state, a->data);
}

static void do_sort(struct act *a)
{
	enum ks_screen screen = ks_ui_screen(a->ui);
	int orders = screen == KS_SCREEN_SCENARIOS ? KS_ORDERS : 2;

	a->ui->sort[screen] = (a->ui->sort[screen] + 1) % orders;
	memset(&a->ui->place[screen], 0, sizeof(a->ui->place[screen]));
}

static void do_mark(struct act *a)
{
	int index = ks_candidates_at(a->ui, a->state,
		a->ui->place[KS_SCREEN_CANDIDATES].cursor);

	char key[24];

	a->ui->marked = a->ui->marked == index ? -1 : index;
	if (a->ui->marked >= 0) {
		ks_ui_flash(a->ui, false, "marked; %s on another candidate shows the difference",
			ks_keymap_name(&a->ui->keys, KS_DO_DIFF, key, sizeof(key)));
	}
}

static void do_follow(struct act *a)
{
	live_ends(a, false);
}

static void do_copy(struct act *a)
{
	struct ks_buf text = {0};

	ks_act_copied(a->ui, a->state, a->data, &text);
	if (text.len > 0) {
		ks_ui_out_add(a->out, KS_UI_COPY, text.ptr);
	} else {
		ks_ui_flash(a->ui, false, "nothing to copy here");
	}
	ks_buf_fini(&text);
}

static void do_ask(struct act *a)
{
	char key[24];

	if (a->ui->greeting && a->what == KS_DO_INTERRUPT) {
		ks_ui_out_add(a->out, KS_UI_DETACH, NULL);
		return;
	}
	if (!may_speak(a)) {
		return;
	}
	if (a->what == KS_DO_STOP) {
		a->ui->ask = KS_ASK_STOP;
	} else if (a->state->agent == KS_AGENT_WORKING) {
		a->ui->ask = KS_ASK_INTERRUPT;
	} else {
		ks_ui_flash(a->ui, false, "no turn runs; %s leaves",
			ks_keymap_name(&a->ui->keys, KS_DO_QUIT, key, sizeof(key)));
	}
}

static void do_reply(struct act *a)
{
	enum ks_ask ask = a->ui->ask;

	a->ui->ask = KS_ASK_NONE;
	switch (a->what) {
	case KS_DO_DETACH:
		ks_ui_out_add(a->out, KS_UI_DETACH, NULL);
		break;
	case KS_DO_STOP_ALL:
		if (may_speak(a)) {
			ks_ui_out_add(a->out, KS_UI_STOP, NULL)->leave = true;
		}
		break;
	case KS_DO_YES:
		ks_ui_out_add(a->out, ask == KS_ASK_STOP ? KS_UI_STOP :
			ask == KS_ASK_START ? KS_UI_START : KS_UI_INTERRUPT, NULL);
		break;
	default:
		break;
	}
}

static void set_mode(struct act *a, enum ks_mode mode)
{
	if (may_speak(a)) {
		ks_ui_out_add(a->out, KS_UI_MODE, NULL)->mode = mode;
		ks_ui_flash(a->ui, false, "who answers moments: %s", ks_mode_name(mode));
	}
}

static void do_simple(struct act *a)
{
	switch (a->what) {
	case KS_DO_EXPORT:
		ks_ui_out_add(a->out, KS_UI_EXPORT, "md");
		break;
	case KS_DO_MODE:
		set_mode(a, (enum ks_mode)((a->state->mode + 1) % 3));
		break;
	case KS_DO_WORD:
		ks_ui_out_add(a->out, KS_UI_WORD, NULL);
		break;
	case KS_DO_THEME:
		ks_ui_flash(a->ui, false, "type :theme default, light, contrast or mono");
		break;
	case KS_DO_EVAL:
		if (may_speak(a)) {
			ks_ui_out_add(a->out, KS_UI_EVAL, NULL);
		}
		break;
	case KS_DO_NOW:
	case KS_DO_STEER:
		if (may_speak(a)) {
			ks_ui_flash(a->ui, false, "type :%s and the words",
				ks_binding_of(a->what)->name);
		}
		break;
	case KS_DO_REPAINT:
		ks_ui_out_add(a->out, KS_UI_REPAINT, NULL);
		break;
	default:
		ks_ui_out_add(a->out, KS_UI_SUSPEND, NULL);
		break;
	}
}

/* An agent that worked already may begin from its start and write over what is
 * there: it is asked for. */
static void do_start(struct act *a)
{
	if (a->ui->lost) {
		ks_ui_flash(a->ui, true, "no engine runs: 'kseek steer' in another terminal "
			"starts one");
	} else if (may_speak(a) && ks_has_ended(a->state)) {
		a->ui->ask = KS_ASK_START;
	} else if (!a->ui->read_only) {
		ks_ui_out_add(a->out, KS_UI_START, NULL);
	}
}

typedef void act_fn(struct act *a);

static act_fn *const table[KS_DO_COUNT] = {
	[KS_DO_QUIT] = do_quit, [KS_DO_BACK] = do_back, [KS_DO_HELP] = do_open_view,
	[KS_DO_WRITE] = do_type, [KS_DO_COMMAND] = do_type, [KS_DO_NOTE] = do_type,
	[KS_DO_ANSWER] = do_answer, [KS_DO_BANK] = do_open_view,
	[KS_DO_SCENARIOS] = do_open_view, [KS_DO_CANDIDATES] = do_open_view,
	[KS_DO_DIFF] = do_diff, [KS_DO_GOAL] = do_open_view,
	[KS_DO_MOMENTS] = do_open_view, [KS_DO_EXPORT] = do_simple,
	[KS_DO_EVAL] = do_simple, [KS_DO_NOW] = do_simple, [KS_DO_STEER] = do_simple,
	[KS_DO_MODE] = do_simple, [KS_DO_INTERRUPT] = do_ask, [KS_DO_STOP] = do_ask,
	[KS_DO_START] = do_start, [KS_DO_WORD] = do_simple, [KS_DO_THEME] = do_simple,
	[KS_DO_REPAINT] = do_simple, [KS_DO_SUSPEND] = do_simple,
	[KS_DO_UP] = do_move, [KS_DO_DOWN] = do_move, [KS_DO_PAGE_UP] = do_move,
	[KS_DO_PAGE_DOWN] = do_move, [KS_DO_HALF_UP] = do_move,
	[KS_DO_HALF_DOWN] = do_move, [KS_DO_TOP] = do_ends, [KS_DO_BOTTOM] = do_ends,
	[KS_DO_LEFT] = do_sideways, [KS_DO_RIGHT] = do_sideways,
	[KS_DO_OPEN] = do_open, [KS_DO_SEARCH] = do_type, [KS_DO_NEXT] = do_next,
	[KS_DO_PREVIOUS] = do_next, [KS_DO_FILTER] = do_filter,
	[KS_DO_FOLLOW] = do_follow, [KS_DO_SORT] = do_sort, [KS_DO_MARK] = do_mark,
	[KS_DO_COPY] = do_copy, [KS_DO_NEXT_PANE] = do_pane,
	[KS_DO_PREVIOUS_PANE] = do_pane, [KS_DO_PANE_1] = do_pane,
	[KS_DO_PANE_2] = do_pane, [KS_DO_PANE_3] = do_pane,
	[KS_DO_OFFER_1] = do_offer, [KS_DO_OFFER_2] = do_offer,
	[KS_DO_OFFER_3] = do_offer, [KS_DO_CHOOSE] = do_offer,
	[KS_DO_OWN_WORDS] = do_own_words, [KS_DO_DISMISS] = do_dismiss,
	[KS_DO_PERMIT] = do_permit, [KS_DO_QUEUE] = do_open_view, [KS_DO_DROP] = do_drop,
	[KS_DO_ACT] = do_act,
	[KS_DO_AGENT_MODE] = do_agent_mode, [KS_DO_ALLOW] = do_answer_ask,
	[KS_DO_ALLOW_ALWAYS] = do_answer_ask, [KS_DO_REJECT] = do_answer_ask,
	[KS_DO_REJECT_ALWAYS] = do_answer_ask, [KS_DO_REJECT_WORDS] = do_answer_ask,
	[KS_DO_FILL] = do_answer_ask,
	[KS_DO_DETACH] = do_reply, [KS_DO_STOP_ALL] = do_reply, [KS_DO_YES] = do_reply,
	[KS_DO_NO] = do_reply,
};

void ks_act_do(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, enum ks_do what, struct ks_ui_out *out)
{
	struct act a = {ui, state, data, out, what};

	if ((unsigned)what < KS_DO_COUNT && table[what] != NULL) {
		table[what](&a);
	}
}
