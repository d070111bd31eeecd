/*
 * What the agent asks: a banner for the one that has waited longest (or the one
 * chosen), above the moment's. Like that one it takes no focus by itself, and
 * answers nothing before it has been on screen for half a second. Forms are
 * filled field by field in the prompt.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/sane.h"
#include "base/utf8.h"
#include "view/view.h"

#define TEXT_LINES 10
#define FORM_LINES 3
#define SAFE_MAX 1024
#define TITLE_REST 50 /* columns of the title that are not a form's question */

static const struct ks_asked *shown_ask(const struct ks_ui *ui, const struct ks_state *state)
{
	int i = ui->ask_at < state->n_asks ? ui->ask_at : 0;

	return state->n_asks > 0 ? &state->asks[i] : NULL;
}

/* ---- fields of a form ---- */

static const struct ks_json *field_of(const struct ks_asked *a, const struct ks_view_data *data,
	int index)
{
	const struct ks_event *event = data->event(data->ctx, a->seq);

	return event == NULL || event->doc == NULL ? NULL :
		ks_json_at(ks_json_get(event->doc, "fields"), (size_t)index);
}

static void put_options(const struct ks_json *field, struct ks_buf *out)
{
	const struct ks_json *o = ks_json_first(ks_json_get(field, "options"));
	const char *type = ks_json_get_str(field, "type", "text");

	for (int n = 1; o != NULL; o = ks_json_next(o), n++) {
		ks_buf_addf(out, "%s%d %s", n > 1 ? "   " : "", n,
			ks_json_get_str(o, "name", ks_json_get_str(o, "id", "?")));
	}
	if (strcmp(type, "bool") == 0) {
		ks_buf_adds(out, "y or n");
	} else if (strcmp(type, "choices") == 0) {
		ks_buf_adds(out, "   (several: 1,3)");
	}
}

/* Whether a form's question has no room in the title: it goes above the field then. */
static bool asks_at_length(const struct ks_ui *ui, const struct ks_asked *a)
{
	return ui->on_asks && a->form &&
		(int)ks_utf8_columns(a->title, strlen(a->title)) > ui->w - TITLE_REST;
}

static unsigned sane_line(const struct ks_ui *ui)
{
	return KS_SANE_ONE_LINE | (ui->ascii ? KS_SANE_ASCII : 0u);
}

/* The text of what is asked, made safe. */
static void words_of(const struct ks_ui *ui, const struct ks_asked *a,
	const struct ks_view_data *data, struct ks_buf *out)
{
	struct ks_buf text = {0};

	if (asks_at_length(ui, a)) {
		ks_sane(out, ks_str_of(a->text), sane_line(ui));
		ks_buf_adds(out, a->cut ? " ...\n" : "\n");
	}
	if (a->form) {
		const struct ks_json *field = field_of(a, data, ui->form_field);

		if (a->form_fields > 1) {
			ks_buf_addf(&text, "%d of %d: ", ui->form_field + 1, a->form_fields);
		}
		ks_buf_addf(&text, "%s  ", ks_json_get_str(field, "title",
			ks_json_get_str(field, "id", "your answer")));
		put_options(field, &text);
	} else if (a->cut) {
		const struct ks_event *event = data->event(data->ctx, a->seq);
		const struct ks_json *doc = event != NULL ? event->doc : NULL;

		ks_buf_adds(&text, ks_json_get_str(doc, "text", a->text));
		ks_buf_adds(&text, ks_json_get(doc, "blob") != NULL ? " ..." : "");
	} else {
		ks_buf_adds(&text, a->text[0] != '\0' ? a->text : a->title);
	}
	ks_sane(out, ks_buf_str(&text), sane_line(ui));
	ks_buf_fini(&text);
}

/* ---- drawing ---- */

static int text_lines(const struct ks_ui *ui, const struct ks_asked *a, int width)
{
	char safe[SAFE_MAX];

	ks_sane_into(safe, sizeof(safe), ks_str_of(a->text), sane_line(ui));
	return (int)ks_wrap_count(ks_str_of(safe), width - 4, 0);
}

int ks_asks_rows(const struct ks_ui *ui, const struct ks_state *state, int width, int most)
{
	const struct ks_asked *a = shown_ask(ui, state);
	int lines = 1;

	if (a == NULL || most < 1) {
		return 0;
	}
	if (ui->on_asks && a->form) {
		lines = FORM_LINES + (asks_at_length(ui, a) ? text_lines(ui, a, width) : 0);
	} else if (ui->on_asks || ks_has_room(ui)) {
		lines = text_lines(ui, a, width);
		lines = lines < 1 ? 1 : a->cut || lines > TEXT_LINES ? TEXT_LINES : lines;
	}
	return lines + 1 > most ? most : lines + 1;
}

static void put_title(const struct ks_view *v, struct ks_rect r, const struct ks_asked *a)
{
	char right[80] = "", key[24], title[260];
	int x;

	for (x = 0; x < r.w; x++) {
		ks_grid_glyph(v->g, r, x, 0, KS_GLYPH_H, KS_ROLE_WARN);
	}
	if (ks_is_wide(v->ui)) {
		ks_grid_glyph(v->g, r, 0, 0, KS_GLYPH_JL, KS_ROLE_BORDER);
		ks_grid_glyph(v->g, r, r.w - 1, 0, KS_GLYPH_JR, KS_ROLE_BORDER);
	}
	ks_keymap_name(&v->ui->keys, KS_DO_PERMIT, key, sizeof(key));
	if (v->state->n_asks > 1) {
		snprintf(right, sizeof(right), " %d of %d%s%s ", v->ui->ask_at + 1,
			v->state->n_asks, v->ui->on_asks ? "" : ", answer with ",
			v->ui->on_asks ? "" : key);
	} else if (!v->ui->on_asks) {
		snprintf(right, sizeof(right), " answer with %s ", key);
	}
	if (asks_at_length(v->ui, a)) {
		snprintf(title, sizeof(title), "the agent asks you");
	} else if (a->form) {
		snprintf(title, sizeof(title), "the agent asks you: %s", a->title);
	} else if (a->title[0] != '\0' && strncmp(a->title, a->text, 20) != 0) {
		snprintf(title, sizeof(title), "the agent asks for leave: %s, %s", a->tool,
			a->title);
	} else {
		snprintf(title, sizeof(title), "the agent asks for leave: %s", a->tool);
	}
	x = r.w - 2 - (int)strlen(right);
	if (right[0] != '\0') {
		ks_grid_puts(v->g, r, x, 0, right, KS_ROLE_WARN);
	}
	ks_grid_puts(v->g, r, 1, 0, " ", KS_ROLE_WARN);
	ks_grid_glyph(v->g, r, 2, 0, KS_GLYPH_UNKNOWN, KS_ROLE_WARN);
	ks_grid_puts(v->g, r, 3, 0, " ", KS_ROLE_WARN);
	x = x - 6 < ks_grid_width(v->g, ks_str_of(title)) ? x - 6 :
		ks_grid_width(v->g, ks_str_of(title));
	ks_grid_field(v->g, r, 4, 0, x, ks_str_of(title), KS_ALIGN_LEFT, KS_ROLE_WARN);
	ks_grid_puts(v->g, r, 4 + x, 0, " ", KS_ROLE_WARN);
}

void ks_asks_draw(const struct ks_view *v, struct ks_rect r)
{
	const struct ks_asked *a = shown_ask(v->ui, v->state);
	bool framed = ks_is_wide(v->ui);
	struct ks_buf safe = {0};
	struct ks_wrap wrap;
	struct ks_str part;
	struct ks_rect in;
	int y;

	if (a == NULL || r.h < 1) {
		return;
	}
	put_title(v, r, a);
	in = ks_rect_of(r.x + (framed ? 2 : 1), r.y + 1, r.w - (framed ? 4 : 2), r.h - 1);
	words_of(v->ui, a, v->data, &safe);
	ks_wrap_init(&wrap, ks_buf_str(&safe), in.w, 0);
	for (y = 0; y < in.h && ks_wrap_next(&wrap, &part); y++) {
		struct ks_str rest = {part.ptr, strlen(part.ptr)};

		ks_grid_field(v->g, in, 0, y, in.w, y == in.h - 1 && !wrap.done ? rest : part,
			KS_ALIGN_LEFT,
			v->ui->on_asks ? KS_ROLE_TEXT | KS_STYLE_BOLD : KS_ROLE_TEXT);
	}
	ks_buf_fini(&safe);
}

/* ---- what is on screen since when ---- */

void ks_asks_update(struct ks_ui *ui, const struct ks_state *state, int64_t now)
{
	const struct ks_asked *a;

	if (ui->ask_at >= state->n_asks) {
		ui->ask_at = 0;
	}
	a = shown_ask(ui, state);
	if (a == NULL || strcmp(a->ask, ui->ask_id) != 0) {
		snprintf(ui->ask_id, sizeof(ui->ask_id), "%s", a != NULL ? a->ask : "");
		ui->ask_us = now;
		ui->form_field = 0;
		ks_buf_clear(&ui->form);
		if (ui->typing == KS_TYPING_FORM || ui->typing == KS_TYPING_REJECT) {
			/* What was being answered is gone. */
			ui->typing = KS_TYPING_NONE;
			ks_edit_clear(&ui->entry);
			ks_ui_flash(ui, true, "that was answered meanwhile");
		}
		if (a == NULL) {
			ui->on_asks = false;
		}
	}
}

/* ---- answers ---- */

static void out_answer(struct ks_ui_out *out, const struct ks_asked *a, const char *kind,
	const char *text, const char *values)
{
	struct ks_buf json = {0};
	struct ks_jw w;

	ks_jw_init(&w, &json);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "ask", a->ask);
	if (kind != NULL) {
		ks_jw_str(&w, "kind", kind);
	}
	if (text != NULL && text[0] != '\0') {
		ks_jw_str(&w, "text", text);
	}
	if (values != NULL) {
		ks_jw_raw(&w, "values", ks_str_of(values));
	}
	ks_jw_close(&w);
	ks_ui_out_add(out, KS_UI_REPLY, json.ptr);
	ks_buf_fini(&json);
}

static bool ripe(struct ks_ui *ui, const struct ks_asked *a, int64_t now)
{
	if (a == NULL) {
		ks_ui_flash(ui, false, "the agent asks nothing");
		return false;
	}
	if (now - ui->ask_us < KS_UI_BANNER_US) {
		ks_ui_flash(ui, false, "this has only just come; read it first");
		return false;
	}
	return true;
}

void ks_asks_do(struct ks_ui *ui, const struct ks_state *state, const struct ks_view_data *data,
	enum ks_do what, struct ks_ui_out *out)
{
	static const struct {
		enum ks_do what;
		const char *kind;
	} kinds[] = {
		{KS_DO_ALLOW, "allow_once"}, {KS_DO_ALLOW_ALWAYS, "allow_always"},
		{KS_DO_REJECT, "reject_once"}, {KS_DO_REJECT_ALWAYS, "reject_always"},
	};
	const struct ks_asked *a = shown_ask(ui, state);

	if (!ripe(ui, a, data->now)) {
		return;
	}
	if (what == KS_DO_REJECT_WORDS && !a->form) {
		ks_edit_clear(&ui->entry);
		ui->typing = KS_TYPING_REJECT;
		return;
	}
	if (a->form && what != KS_DO_REJECT && what != KS_DO_REJECT_ALWAYS) {
		ks_edit_clear(&ui->entry);
		ui->typing = KS_TYPING_FORM;
		return;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].what == what && ks_act_may_speak(ui)) {
			out_answer(out, a, a->form ? NULL : kinds[i].kind, NULL, NULL);
		}
	}
}

void ks_asks_reject(struct ks_ui *ui, const struct ks_state *state, const char *words,
	struct ks_ui_out *out)
{
	const struct ks_asked *a = shown_ask(ui, state);

	if (a != NULL) {
		out_answer(out, a, "reject_once", words, NULL);
	}
}

/* ---- a form's field from typed text ---- */

/* The option of a number or of its own name; NULL without. */
static const struct ks_json *option_of(const struct ks_json *field, struct ks_str text)
{
	const struct ks_json *list = ks_json_get(field, "options"), *o;
	char digits[8] = "";
	size_t n;

	text = ks_str_trim(text);
	if (text.len > 0 && text.len < sizeof(digits) &&
		strspn(text.ptr, "0123456789") >= text.len) {
		memcpy(digits, text.ptr, text.len);
		n = (size_t)strtoul(digits, NULL, 10);
		return n >= 1 ? ks_json_at(list, n - 1) : NULL;
	}
	for (o = ks_json_first(list); o != NULL; o = ks_json_next(o)) {
		if (ks_str_is(text, ks_json_get_str(o, "name", "")) ||
			ks_str_is(text, ks_json_get_str(o, "id", ""))) {
			return o;
		}
	}
	return NULL;
}

static bool add_choices(struct ks_jw *w, const char *id, const struct ks_json *field,
	struct ks_str text)
{
	struct ks_str rest = text, part;

	while (ks_str_next(&rest, ',', &part)) {
		if (option_of(field, part) == NULL) {
			return false;
		}
	}
	ks_jw_open_array(w, id);
	rest = text;
	while (ks_str_next(&rest, ',', &part)) {
		ks_jw_str(w, NULL, ks_json_get_str(option_of(field, part), "id", ""));
	}
	ks_jw_close_array(w);
	return true;
}

static bool form_add(struct ks_jw *w, const struct ks_json *field, struct ks_str text)
{
	const char *id = ks_json_get_str(field, "id", "value");
	const char *type = ks_json_get_str(field, "type", "text");
	bool choice = strcmp(type, "choice") == 0;
	const struct ks_json *option = choice ? option_of(field, text) : NULL;
	char *copy, *end;
	double number;
	bool ok = true;

	text = ks_str_trim(text);
	if (text.len == 0) {
		return !ks_json_get_bool(field, "required", false);
	}
	if (strcmp(type, "choices") == 0) {
		return add_choices(w, id, field, text);
	}
	copy = ks_strndup(text.ptr, text.len);
	if (option != NULL) {
		ks_jw_str(w, id, ks_json_get_str(option, "id", ""));
	} else if (choice && !ks_json_get_bool(field, "free", false)) {
		ok = false;
	} else if (strcmp(type, "bool") == 0) {
		bool yes = strcmp(copy, "y") == 0 || strcmp(copy, "yes") == 0;

		ok = yes || strcmp(copy, "n") == 0 || strcmp(copy, "no") == 0;
		ks_jw_bool(w, id, yes);
	} else if (strcmp(type, "number") == 0) {
		number = strtod(copy, &end);
		ok = *end == '\0';
		ks_jw_num(w, id, number);
	} else {
		ks_jw_str(w, id, copy);
	}
	free(copy);
	return ok;
}

void ks_asks_fill(struct ks_ui *ui, const struct ks_state *state, const struct ks_view_data *data,
	struct ks_str text, struct ks_ui_out *out)
{
	const struct ks_asked *a = shown_ask(ui, state);
	const struct ks_json *field = a != NULL ? field_of(a, data, ui->form_field) : NULL;
	struct ks_buf members = {0}, values = {0};
	struct ks_jw w;

	if (a == NULL) {
		return;
	}
	ks_jw_members(&w, &members);
	if (!form_add(&w, field, text)) {
		ks_ui_flash(ui, true,
			"that is none of the answers; type a number or a name of the list");
		ks_buf_fini(&members);
		return;
	}
	if (members.len > 0) {
		ks_buf_addf(&ui->form, "%s%s", ui->form.len > 0 ? "," : "", members.ptr);
	}
	ks_buf_fini(&members);
	ks_edit_commit(&ui->entry);
	if (++ui->form_field < a->form_fields) {
		return;
	}
	ks_buf_addf(&values, "{%s}", ui->form.len > 0 ? ui->form.ptr : "");
	out_answer(out, a, NULL, NULL, values.ptr);
	ks_buf_fini(&values);
	ks_buf_clear(&ui->form);
	ui->form_field = 0;
	ui->typing = KS_TYPING_NONE;
}
