/*
 * The help: the key table with the keys as they are set, and what the signs on the
 * screen mean, narrowed by words.
 */
#include <stdio.h>
#include <string.h>

#include "view/view.h"

#define HELP_X 32 /* where the line that explains a key starts */

/* A key's command, or a sign. */
struct entry {
	char keys[56];
	const char *name, *text, *group;
};

static size_t count_entries(void)
{
	size_t bindings, signs;

	ks_bindings(&bindings);
	ks_signs(&signs);
	return bindings + signs;
}

static void entry_of(const struct ks_ui *ui, size_t i, struct entry *out)
{
	const struct ks_binding *list;
	const struct ks_sign *signs;
	char first[24], second[24] = "";
	size_t count, n;

	list = ks_bindings(&count);
	signs = ks_signs(&n);
	if (i >= count) {
		snprintf(out->keys, sizeof(out->keys), "%s", signs[i - count].text != NULL ?
			signs[i - count].text : ks_glyph(signs[i - count].glyph, ui->ascii));
		out->name = "";
		out->text = signs[i - count].help;
		out->group = ks_signs_title();
		return;
	}
	ks_keymap_name(&ui->keys, list[i].what, first, sizeof(first));
	if (ui->keys.key[list[i].what][1].kind != KS_KEY_NONE) {
		ks_key_name(&ui->keys.key[list[i].what][1], second, sizeof(second));
	}
	snprintf(out->keys, sizeof(out->keys), "%s%s%s", first, second[0] != '\0' ? "  " : "",
		second);
	out->name = list[i].name;
	out->text = list[i].help;
	out->group = ks_binding_group(&list[i]);
}

static bool is_listed(const struct ks_ui *ui, const struct entry *e)
{
	char text[512];

	snprintf(text, sizeof(text), "%s %s %s", e->keys, e->name, e->text);
	return ks_matches(text, ui->filter[KS_SCREEN_HELP]);
}

/* Columns of the line that explains, inside of the frame. */
static int help_width(const struct ks_ui *ui)
{
	int width = ui->w - 2 - HELP_X - 1;

	return width < 1 ? 1 : width;
}

/* A row of the help: line `line` of an entry, a group's title, or (neither) a
 * blank. */
struct help_row {
	bool any;
	struct entry entry;
	size_t line;
	const char *group;
};

/* The row, and how many there are. */
static size_t row_at(const struct ks_ui *ui, size_t row, struct help_row *out)
{
	const char *last = "";
	size_t i, at = 0;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < count_entries(); i++) {
		struct entry e;
		size_t lines;

		entry_of(ui, i, &e);
		if (!is_listed(ui, &e)) {
			continue;
		}
		if (strcmp(last, e.group) != 0) {
			at += last[0] != '\0';
			last = e.group;
			if (at == row) {
				out->group = last;
			}
			at++;
		}
		lines = ks_wrap_count(ks_str_of(e.text), help_width(ui), 0);
		if (row >= at && row - at < lines) {
			out->any = true;
			out->entry = e;
			out->line = row - at;
		}
		at += lines;
	}
	return at;
}

size_t ks_help_rows(const struct ks_ui *ui)
{
	struct help_row row;

	return row_at(ui, 0, &row);
}

static void put_entry(const struct ks_view *v, struct ks_rect r, const struct entry *e,
	size_t line)
{
	struct ks_wrap wrap;
	struct ks_str text = {"", 0};
	size_t i;

	ks_wrap_init(&wrap, ks_str_of(e->text), help_width(v->ui), 0);
	for (i = 0; i <= line && ks_wrap_next(&wrap, &text); i++) {
	}
	ks_grid_text(v->g, r, HELP_X, 0, text, KS_ROLE_TEXT);
	if (line > 0) {
		return;
	}
	ks_grid_field(v->g, r, 2, 0, 14, ks_str_of(e->keys), KS_ALIGN_LEFT, KS_ROLE_KEY);
	ks_grid_field(v->g, r, 17, 0, 14, ks_str_of(e->name), KS_ALIGN_LEFT, KS_ROLE_DIM);
}

void ks_help_draw(const struct ks_view *v, struct ks_rect r)
{
	struct ks_place place = v->ui->place[KS_SCREEN_HELP];
	const char *filter = v->ui->filter[KS_SCREEN_HELP];
	size_t count = ks_help_rows(v->ui);
	struct ks_rect in;
	char title[96], key[24];
	int y;

	snprintf(title, sizeof(title), "Keys and commands%s%s",
		filter[0] != '\0' ? ", only " : "", filter);
	in = ks_draw_box(v->g, r, title, KS_ROLE_BORDER_ON, KS_ROLE_TITLE);
	if (count == 0) {
		ks_grid_putf(v->g, in, 1, 0, KS_ROLE_DIM, "no key and no command matches; "
			"%s shows all", ks_keymap_name(&v->ui->keys, KS_DO_BACK, key, sizeof(key)));
		return;
	}
	ks_place_clamp_text(&place, count, in.h);
	for (y = 0; y < in.h && place.top + (size_t)y < count; y++) {
		struct ks_rect row = ks_rect_of(in.x, in.y + y, in.w, 1);
		struct help_row at;

		row_at(v->ui, place.top + (size_t)y, &at);
		if (at.any) {
			put_entry(v, row, &at.entry, at.line);
		} else if (at.group != NULL) {
			ks_grid_puts(v->g, row, 1, 0, at.group, KS_ROLE_TITLE);
		}
	}
	ks_draw_scroll(v->g, r, place.top, (size_t)in.h, count, KS_ROLE_DIM);
}

/* ---- questions of the console ---- */

static const char *ask_text(const struct ks_view *v)
{
	switch (v->ui->ask) {
	case KS_ASK_QUIT:
		return "An engine runs. Leave it running, or stop it?";
	case KS_ASK_INTERRUPT:
		return "Cancel the agent's turn?";
	case KS_ASK_START:
		return "Start the agent again? It may change the kernel.";
	default:
		return "Stop the agent and the engine?";
	}
}

static void ask_keys(const struct ks_view *v, char *out, size_t size)
{
	char first[24], second[24], third[24];

	if (v->ui->ask == KS_ASK_QUIT) {
		ks_keymap_name(&v->ui->keys, KS_DO_DETACH, first, sizeof(first));
		ks_keymap_name(&v->ui->keys, KS_DO_STOP_ALL, second, sizeof(second));
		ks_keymap_name(&v->ui->keys, KS_DO_NO, third, sizeof(third));
		snprintf(out, size, "%s detach   %s stop   %s cancel", first, second, third);
	} else {
		ks_keymap_name(&v->ui->keys, KS_DO_YES, first, sizeof(first));
		ks_keymap_name(&v->ui->keys, KS_DO_NO, second, sizeof(second));
		snprintf(out, size, "%s yes   %s cancel", first, second);
	}
}

void ks_ask_draw(const struct ks_view *v, struct ks_rect r)
{
	int w = r.w > 54 ? 54 : r.w;
	struct ks_rect box = ks_rect_of(r.x + (r.w - w) / 2, r.y + (r.h - 4) / 2, w, 4);
	struct ks_rect in;
	char keys[96];

	ks_grid_fill(v->g, box, KS_ROLE_TEXT);
	in = ks_draw_box(v->g, box, NULL, KS_ROLE_WARN, KS_ROLE_TITLE);
	ask_keys(v, keys, sizeof(keys));
	ks_grid_field(v->g, in, 1, 0, in.w - 2, ks_str_of(ask_text(v)), KS_ALIGN_CENTER,
		KS_ROLE_TEXT);
	ks_grid_field(v->g, in, 1, 1, in.w - 2, ks_str_of(keys), KS_ALIGN_CENTER,
		KS_ROLE_KEY);
	v->g->caret = false;
}
