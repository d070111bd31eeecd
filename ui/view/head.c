/*
 * The first line (who, where, how it goes) and the last (what can be done now).
 * Pieces of the first line have a rank: the least needed go first when there is
 * no room.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "view/view.h"

#define PIECES_MAX 20
#define HINTS_MAX 32

struct piece {
	char text[96];
	unsigned style;
	int rank; /* 0 is kept longest */
};

struct pieces {
	struct piece item[PIECES_MAX];
	int count;
};

static void add(struct pieces *list, int rank, unsigned style, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static void add(struct pieces *list, int rank, unsigned style, const char *fmt, ...)
{
	struct piece *p = &list->item[list->count];
	va_list ap;

	if (list->count == PIECES_MAX) {
		return;
	}
	va_start(ap, fmt);
	vsnprintf(p->text, sizeof(p->text), fmt, ap);
	va_end(ap);
	p->style = style;
	p->rank = rank;
	list->count++;
}

/* What the agent said of itself; the least needed of all. */
static void add_usage(struct pieces *list, const struct ks_state *s)
{
	if (s->plan > 0) {
		add(list, 9, KS_ROLE_DIM, "plan %d/%d", s->plan_done, s->plan);
	}
	if (s->usage.size > 0) {
		add(list, 9, KS_ROLE_DIM, "context %d%%",
			(int)(100 * (double)s->usage.used / (double)s->usage.size));
	}
	if (s->usage.cost >= 0) {
		add(list, 8, KS_ROLE_DIM, "%.2f %s", s->usage.cost, s->usage.currency);
	}
}

static void add_agent(struct pieces *list, const struct ks_view *v)
{
	const struct ks_state *s = v->state;
	const char *dot = ks_glyph(KS_GLYPH_DOT, v->ui->ascii);
	const char *ring = ks_glyph(KS_GLYPH_RING, v->ui->ascii);
	char clock[24];

	if (s->agent_label[0] != '\0') {
		add(list, 7, KS_ROLE_DIM, "agent %.40s", s->agent_label);
	}
	ks_fmt_clock(v->data->now - s->agent_t, clock, sizeof(clock));
	if (v->ui->lost && s->agent != KS_AGENT_DEAD) {
		add(list, 3, KS_ROLE_DIM, "%s no agent", ring); /* it was the engine's child */
	} else if (s->manual && s->agent != KS_AGENT_ABSENT) {
		add(list, 2, KS_ROLE_TEXT, "%s by hand", ring);
	} else if (s->agent == KS_AGENT_WORKING) {
		add(list, 2, KS_ROLE_GOOD, "%s working %s", dot, clock);
	} else if (s->agent == KS_AGENT_WAITING) {
		add(list, 2, KS_ROLE_WARN, "%s waiting", ring);
	} else if (s->agent == KS_AGENT_DEAD) {
		add(list, 1, KS_ROLE_BAD, "%s agent failed", ring);
	} else {
		add(list, 3, KS_ROLE_DIM, "%s %s", ring,
			ks_has_ended(s) ? "agent ended" : "no agent");
	}
	if (s->n_asks > 0) {
		add(list, 1, KS_ROLE_WARN | KS_STYLE_BOLD, "asks %d", s->n_asks);
	}
	if (s->queued > 0) {
		add(list, 4, KS_ROLE_WARN, "queued %d", s->queued);
	}
	add_usage(list, s);
}

static void add_figures(struct pieces *list, const struct ks_view *v)
{
	const struct ks_state *s = v->state;
	char speed[16], name[32];

	add(list, 5, KS_ROLE_TEXT, "calls %d", s->calls);
	add(list, 6, KS_ROLE_TEXT, "candidates %zu",
		s->n_candidates > 0 ? s->n_candidates - 1 : 0);
	ks_fmt_speedup(s->best, speed, sizeof(speed));
	add(list, 1, s->best > 1 ? KS_ROLE_GOOD : KS_ROLE_TEXT, "best %s", speed);
	if (s->n_candidates > 0) {
		const struct ks_candidate *c = &s->candidates[s->champion];

		ks_fmt_speedup(c->worst, speed, sizeof(speed));
		add(list, 3, c->worst < 1 ? KS_ROLE_BAD : KS_ROLE_TEXT, "worst %s", speed);
	}
	if (s->goal_met) {
		ks_fmt_candidate(s, ks_state_candidate_number(s, s->goal_candidate), name,
			sizeof(name));
		add(list, 1, KS_ROLE_ACCENT | KS_STYLE_BOLD, "%s goal met by %s",
			ks_glyph(KS_GLYPH_STAR, v->ui->ascii), name);
	} else if (s->n_clauses > 0) {
		ks_fmt_clauses_of(s, name, sizeof(name));
		add(list, 2, KS_ROLE_TEXT, "goal %zu/%zu%s", s->n_met, s->n_clauses, name);
	}
}

static void add_state(struct pieces *list, const struct ks_view *v)
{
	if (v->state->mode != KS_MODE_HUMAN) {
		add(list, 4, KS_ROLE_WARN, "mode %s", ks_mode_name(v->state->mode));
	}
	if (v->state->log_stopped) {
		add(list, 0, KS_ROLE_BAD, "LOG STOPPED");
	}
	if (v->ui->greeting) {
		add(list, 1, KS_ROLE_WARN, "waiting for the engine");
	} else if (v->ui->lost) {
		add(list, 1, KS_ROLE_BAD, "engine lost");
	} else if (!v->state->engine_running) {
		add(list, 1, KS_ROLE_WARN, "no engine");
	}
	if (v->ui->read_only) {
		char key[24];

		ks_keymap_name(&v->ui->keys, KS_DO_WORD, key, sizeof(key));
		add(list, 2, KS_ROLE_WARN, v->ui->holder[0] != '\0' && key[0] != '\0' ?
			"read only: %s takes over" : "read only", key);
	}
}

static int width_of(const struct ks_view *v, const struct pieces *list)
{
	int cols = 1;
	int i;

	for (i = 0; i < list->count; i++) {
		cols += ks_grid_width(v->g, ks_str_of(list->item[i].text)) + 2;
	}
	return cols;
}

static void drop_least(struct pieces *list)
{
	int worst = 0;
	int i;

	for (i = 1; i < list->count; i++) {
		if (list->item[i].rank >= list->item[worst].rank) {
			worst = i;
		}
	}
	memmove(&list->item[worst], &list->item[worst + 1],
		sizeof(list->item[0]) * (size_t)(list->count - worst - 1));
	list->count--;
}

void ks_header_draw(const struct ks_view *v, struct ks_rect r)
{
	struct pieces list = {.count = 0};
	int x = 1;
	int i;

	add(&list, 8, KS_ROLE_TITLE, "kseek");
	add(&list, 1, KS_ROLE_HEADER, "%.64s",
		v->state->name[0] != '\0' ? v->state->name : "campaign");
	if (v->state->arch[0] != '\0') {
		add(&list, 6, KS_ROLE_DIM, "%.40s", v->state->arch);
	}
	add_agent(&list, v);
	add_figures(&list, v);
	add_state(&list, v);
	while (list.count > 1 && width_of(v, &list) > r.w) {
		drop_least(&list);
	}
	for (i = 0; i < list.count; i++) {
		x += ks_grid_puts(v->g, r, x, 0, list.item[i].text, list.item[i].style) + 2;
	}
}

/* ---- footer ---- */

static unsigned where_now(const struct ks_ui *ui)
{
	if (ui->ask != KS_ASK_NONE) {
		return ui->ask == KS_ASK_QUIT ? KS_WHERE_QUIT : KS_WHERE_ASK;
	}
	if (ui->on_asks) {
		return KS_WHERE_ASKS;
	}
	if (ui->on_moment) {
		return KS_WHERE_MOMENT;
	}
	return 1u << ks_ui_screen(ui);
}

/* Whether what the agent asks, and has the focus, is a form. */
static bool asks_form(const struct ks_view *v)
{
	return v->ui->ask_at < v->state->n_asks && v->state->asks[v->ui->ask_at].form;
}

static bool is_offered(const struct ks_view *v, const struct ks_binding *b)
{
	const struct ks_moment *moment = ks_state_open_moment(v->state);
	enum ks_screen screen = ks_ui_screen(v->ui);

	if (b->foot == NULL) {
		return false;
	}
	switch (b->what) {
	case KS_DO_ANSWER:
		return moment != NULL && !v->ui->read_only;
	case KS_DO_PERMIT:
		return v->state->n_asks > 0;
	case KS_DO_FILL:
		return asks_form(v);
	case KS_DO_ALLOW:
	case KS_DO_ALLOW_ALWAYS:
	case KS_DO_REJECT_WORDS:
		return !asks_form(v);
	case KS_DO_OFFER_1:
	case KS_DO_OFFER_2:
	case KS_DO_OFFER_3:
		return moment != NULL && (int)(b->what - KS_DO_OFFER_1) < moment->n_offers;
	case KS_DO_WRITE:
		return !v->ui->read_only;
	case KS_DO_DIFF:
		return v->state->n_candidates > 1 && screen != KS_SCREEN_DIFF;
	case KS_DO_EXPORT:
		return screen == KS_SCREEN_MAIN;
	case KS_DO_BANK:
		return screen != KS_SCREEN_BANK;
	case KS_DO_SCENARIOS:
		return screen != KS_SCREEN_SCENARIOS;
	case KS_DO_CANDIDATES:
		return screen != KS_SCREEN_CANDIDATES;
	default:
		return true;
	}
}

/* What can be done now, in the order of the footer. */
struct hints {
	struct {
		char key[24], word[40];
	} item[HINTS_MAX];
	int count;
	int needed; /* the first so many are to be seen at 80 columns */
};

static void add_hint(struct hints *list, const char *key, const char *word)
{
	if (list->count < HINTS_MAX && key[0] != '\0') {
		snprintf(list->item[list->count].key, sizeof(list->item[0].key), "%s", key);
		snprintf(list->item[list->count].word, sizeof(list->item[0].word), "%s", word);
		list->count++;
	}
}

static void add_hint_of(struct hints *list, const struct ks_view *v, enum ks_do what,
	const char *word)
{
	char key[24];

	ks_keymap_name(&v->ui->keys, what, key, sizeof(key));
	add_hint(list, key, word);
}

static int hint_cols(const struct ks_view *v, const struct hints *list, int i)
{
	return ks_grid_width(v->g, ks_str_of(list->item[i].key)) + 1 +
		ks_grid_width(v->g, ks_str_of(list->item[i].word));
}

static int hints_cols(const struct ks_view *v, const struct hints *list, int count)
{
	int cols = 0;
	int i;

	for (i = 0; i < count; i++) {
		cols += hint_cols(v, list, i) + 2;
	}
	return cols;
}

/* Draws those that fit, and a mark where one does not. Returns the columns. */
static int put_hints(const struct ks_view *v, struct ks_rect r, int x,
	const struct hints *list)
{
	bool cut = false;
	int from = x;
	int i;

	for (i = 0; i < list->count; i++) {
		if (x + hint_cols(v, list, i) > r.w) {
			cut = true;
			continue;
		}
		x += ks_grid_puts(v->g, r, x, 0, list->item[i].key, KS_ROLE_KEY) + 1;
		x += ks_grid_puts(v->g, r, x, 0, list->item[i].word, KS_ROLE_DIM) + 2;
	}
	if (cut && x < r.w) {
		x += ks_grid_glyph(v->g, r, x, 0, KS_GLYPH_MORE, KS_ROLE_DIM) + 2;
	}
	return x - from;
}

/* The word behind a key; of a difference, what it compares where there is room. */
static void foot_of(const struct ks_view *v, const struct ks_binding *b, bool brief,
	char *out, size_t size)
{
	char a[16], c[16];
	int from, to;

	snprintf(out, size, "%s", b->foot);
	if (b->what == KS_DO_DIFF && !brief) {
		ks_diff_pair(v->ui, v->state, &from, &to);
		ks_fmt_candidate(v->state, from, a, sizeof(a));
		ks_fmt_candidate(v->state, to, c, sizeof(c));
		snprintf(out, size, "%s %s %s", b->foot, a, c);
	}
}

/* Hints of one half of the table: a view's own keys, or those that hold
 * everywhere. */
static void add_half(const struct ks_view *v, bool own, bool brief, struct hints *out)
{
	const struct ks_binding *list;
	size_t count, i;
	char word[40];

	list = ks_bindings(&count);
	for (i = 0; i < count; i++) {
		if ((list[i].where & where_now(v->ui)) && is_offered(v, &list[i]) &&
		    list[i].what != KS_DO_HELP && list[i].what != KS_DO_QUIT &&
		    (list[i].what >= KS_DO_UP) == own) {
			foot_of(v, &list[i], brief, word, sizeof(word));
			add_hint_of(out, v, list[i].what, word);
		}
	}
}

/* In a view its own keys come first, at the top those that open one. */
static void add_keys(const struct ks_view *v, bool brief, struct hints *out)
{
	bool view = v->ui->depth > 0;
	bool focus = v->ui->on_moment || v->ui->on_asks;

	out->count = 0;
	if (v->ui->ask == KS_ASK_NONE && view) {
		add_hint_of(out, v, KS_DO_BACK, "back");
	}
	add_half(v, view, brief, out);
	out->needed = out->count;
	add_half(v, !view, brief, out);
	out->needed = view ? out->count : out->needed;
	if (focus && v->ui->ask == KS_ASK_NONE) {
		add_hint_of(out, v, KS_DO_BACK, "back");
	}
}

/* Room for the way out and the help is kept whatever else there is. */
static void put_keys(const struct ks_view *v, struct ks_rect r)
{
	struct hints keys, ends = {.count = 0};
	struct ks_rect part;
	bool asked = v->ui->ask != KS_ASK_NONE;
	int x = 1;

	if (v->ui->depth == 0 && !asked && !v->ui->on_moment && !v->ui->on_asks) {
		add_hint_of(&ends, v, KS_DO_QUIT, ks_binding_of(KS_DO_QUIT)->foot);
	}
	if (!asked) {
		add_hint_of(&ends, v, KS_DO_HELP, ks_binding_of(KS_DO_HELP)->foot);
	}
	part = ks_rect_of(r.x, r.y, r.w - hints_cols(v, &ends, ends.count), 1);
	add_keys(v, false, &keys);
	if (x + hints_cols(v, &keys, keys.needed) - 2 > part.w) {
		add_keys(v, true, &keys);
	}
	x += put_hints(v, part, x, &keys);
	put_hints(v, r, x, &ends);
}

static void put_typing(const struct ks_view *v, struct ks_rect r)
{
	enum ks_typing typing = v->ui->typing;
	struct hints list = {.count = 0};

	add_hint(&list, "enter", typing == KS_TYPING_SAY ? "send" :
		typing == KS_TYPING_FORM ? "answer" : typing == KS_TYPING_REJECT ? "reject" :
		typing == KS_TYPING_SEARCH ? "search" : "do");
	add_hint(&list, "esc", typing == KS_TYPING_SAY ? "leave, draft kept" : "leave");
	if (typing == KS_TYPING_SAY || typing == KS_TYPING_NOTE) {
		add_hint(&list, "alt-enter", "new line");
	}
	if (typing == KS_TYPING_COMMAND) {
		add_hint(&list, "tab", "complete");
	}
	add_hint(&list, "ctrl-_", "undo");
	add_hint(&list, "ctrl-c", "clear");
	put_hints(v, r, 1, &list);
}

void ks_footer_draw(const struct ks_view *v, struct ks_rect r)
{
	if (v->ui->flash[0] != '\0') {
		ks_grid_field(v->g, r, 1, 0, r.w - 1, ks_str_of(v->ui->flash),
			KS_ALIGN_LEFT, v->ui->flash_bad ? KS_ROLE_BAD : KS_ROLE_ACCENT);
	} else if (v->ui->read_only && ks_typing_sends(v->ui->typing)) {
		char why[KS_UI_REFUSAL];

		ks_grid_field(v->g, r, 1, 0, r.w - 1,
			ks_str_of(ks_act_refusal(v->ui, why, sizeof(why))), KS_ALIGN_LEFT,
			KS_ROLE_WARN);
	} else if (v->ui->typing != KS_TYPING_NONE) {
		put_typing(v, r);
	} else {
		put_keys(v, r);
	}
}

void ks_ui_title(const struct ks_ui *ui, const struct ks_state *state, char *out,
	size_t size)
{
	const struct ks_moment *moment = ks_state_open_moment(state);
	const char *name = state->name[0] != '\0' ? state->name : "campaign";

	if (state->n_asks > 0) {
		snprintf(out, size, "? %s - kseek %s", state->asks[0].form ? "question" :
			state->asks[0].tool, name);
	} else if (moment != NULL) {
		snprintf(out, size, "! %s - kseek %s", ks_moment_name(moment->kind), name);
	} else {
		snprintf(out, size, "kseek %s %.2fx", name, state->best);
	}
}
