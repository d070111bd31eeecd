/*
 * The bank of questions: by group, by words, or only what fits the open moment.
 * The question under the cursor is shown as it would be sent, with the quantity
 * that answers it.
 */
#include <stdio.h>
#include <string.h>

#include "base/plural.h"
#include "base/sane.h"
#include "view/view.h"

static unsigned target_of(const struct ks_state *state)
{
	return strcmp(state->target, "cuda") == 0 ? KS_BANK_CUDA : KS_BANK_CPU;
}

static bool point_of(enum ks_moment_kind kind, enum ks_point *out)
{
	switch (kind) {
	case KS_MOMENT_START:
		*out = KS_POINT_START;
		return true;
	case KS_MOMENT_PLATEAU:
		*out = KS_POINT_PLATEAU;
		return true;
	case KS_MOMENT_LIMIT:
		*out = KS_POINT_LIMIT;
		return true;
	case KS_MOMENT_COMPLETION:
		*out = KS_POINT_COMPLETION;
		return true;
	case KS_MOMENT_WIN:
		*out = KS_POINT_WIN;
		return true;
	case KS_MOMENT_BREAK:
		*out = KS_POINT_BREAK;
		return true;
	default:
		return false;
	}
}

static bool is_listed(const struct ks_ui *ui, const struct ks_state *state,
	const struct ks_bank_entry *e)
{
	const struct ks_moment *moment = ks_state_open_moment(state);
	const char *filter = ui->filter[KS_SCREEN_BANK];
	enum ks_point point;

	if (e->status == KS_BANK_RETIRED || !(e->targets & target_of(state))) {
		return false;
	}
	if (ui->bank_group >= 0 && e->group != ui->bank_group) {
		return false;
	}
	if (filter[0] != '\0' && !ks_bank_matches(e, ks_str_of(filter))) {
		return false;
	}
	if (ui->bank_offers && moment != NULL && point_of(moment->kind, &point)) {
		return (e->points & (1u << point)) != 0;
	}
	return true;
}

size_t ks_bank_rows(const struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data)
{
	size_t i, rows = 0;

	for (i = 0; data->bank != NULL && i < ks_bank_count(data->bank); i++) {
		rows += is_listed(ui, state, ks_bank_at(data->bank, i));
	}
	return rows;
}

const struct ks_bank_entry *ks_bank_row(const struct ks_ui *ui,
	const struct ks_state *state, const struct ks_view_data *data, size_t row)
{
	int group;
	size_t i;

	/* Group by group from outside in, whatever order the files came in. */
	for (group = 0; data->bank != NULL && group < KS_LAYERS; group++) {
		for (i = 0; i < ks_bank_count(data->bank); i++) {
			const struct ks_bank_entry *e = ks_bank_at(data->bank, i);

			if (e->group == group && is_listed(ui, state, e) && row-- == 0) {
				return e;
			}
		}
	}
	return NULL;
}

void ks_bank_words(const struct ks_state *state, const struct ks_bank_entry *entry,
	struct ks_buf *out)
{
	const struct ks_candidate *c = state->n_candidates > 0 ?
		&state->candidates[state->champion] : NULL;
	struct ks_bank_value values[2];
	size_t n = 0;

	values[n].key = KS_STR("arch");
	values[n++].value = ks_state_arch(state);
	if (c != NULL && c->worst_i >= 0 && (size_t)c->worst_i < state->n_scenarios &&
	    !state->scenarios[c->worst_i].heldout) {
		values[n].key = KS_STR("worst_scenario");
		values[n++].value = ks_str_of(state->scenarios[c->worst_i].name);
	}
	ks_bank_fill(out, entry, target_of(state), values, n);
}

static unsigned times_asked(const struct ks_state *state, const char *id)
{
	unsigned n = 0;
	size_t i;

	for (i = 0; i < state->n_messages; i++) {
		n += strcmp(state->messages[i].question, id) == 0;
	}
	return n;
}

static void put_row(const struct ks_view *v, struct ks_rect r,
	const struct ks_bank_entry *e)
{
	struct ks_buf words = {0};
	unsigned asked = times_asked(v->state, e->id);
	int x = 1;

	x += ks_grid_field(v->g, r, x, 0, 7, ks_str_of(e->id), KS_ALIGN_LEFT,
		KS_ROLE_ACCENT) + 1;
	if (r.w >= 90) {
		x += ks_grid_field(v->g, r, x, 0, 11, ks_str_of(ks_layer_short(e->group)),
			KS_ALIGN_LEFT, KS_ROLE_DIM) + 1;
	}
	ks_bank_words(v->state, e, &words);
	ks_grid_field(v->g, r, x, 0, r.w - x - 10, ks_buf_str(&words), KS_ALIGN_LEFT,
		KS_ROLE_TEXT);
	if (asked > 0) {
		ks_grid_putf(v->g, r, r.w - 9, 0, KS_ROLE_DIM, "asked %u", asked);
	} else if (e->rejects_limit) {
		ks_grid_puts(v->g, r, r.w - 9, 0, "rejects", KS_ROLE_WARN);
	}
	ks_buf_fini(&words);
}

/* When the layer that a question is about was looked at last. Gives the columns. */
static int put_since(const struct ks_view *v, struct ks_rect r, int y, int layer)
{
	uint64_t since = ks_layers_since(&v->state->layers, layer);
	char text[64];
	int cols;

	if (since == KS_LAYERS_NEVER) {
		snprintf(text, sizeof(text), "%s: never measured", ks_layer_name(layer));
	} else if (since == 0) {
		snprintf(text, sizeof(text), "%s: measured by the last call",
			ks_layer_name(layer));
	} else {
		snprintf(text, sizeof(text), "%s: measured %llu call%s ago",
			ks_layer_name(layer), (unsigned long long)since,
			ks_s((long long)since));
	}
	cols = ks_grid_width(v->g, ks_str_of(text));
	cols = cols > r.w - 2 ? r.w - 2 : cols;
	ks_grid_field(v->g, r, r.w - 1 - cols, y, cols, ks_str_of(text), KS_ALIGN_LEFT,
		KS_ROLE_WARN);
	return cols;
}

static void put_list(const struct ks_view *v, struct ks_rect r, int y, int cols,
	const char *title, const struct ks_bank_list *list)
{
	struct ks_buf text = {0};
	size_t i;

	ks_buf_adds(&text, title);
	for (i = 0; i < list->count; i++) {
		ks_buf_addf(&text, "%s%s", i > 0 ? ", " : " ", list->item[i]);
	}
	ks_grid_field(v->g, r, 1, y, cols, ks_buf_str(&text), KS_ALIGN_LEFT, KS_ROLE_DIM);
	ks_buf_fini(&text);
}

static void put_detail(const struct ks_view *v, struct ks_rect r,
	const struct ks_bank_entry *e)
{
	struct ks_buf words = {0}, safe = {0};
	struct ks_wrap wrap;
	struct ks_str line;
	const char *bound;
	int y = 0, left;

	ks_bank_words(v->state, e, &words);
	ks_sane(&safe, ks_buf_str(&words),
		KS_SANE_ONE_LINE | (v->ui->ascii ? KS_SANE_ASCII : 0u));
	ks_wrap_init(&wrap, ks_buf_str(&safe), r.w - 2, 0);
	while (y < r.h - 2 && ks_wrap_next(&wrap, &line)) {
		if (y == r.h - 3 && !wrap.done) {
			line.len += wrap.rest.len; /* all that is left, cut with a mark */
		}
		ks_grid_field(v->g, r, 1, y++, r.w - 2, line, KS_ALIGN_LEFT, KS_ROLE_QUESTION);
	}
	bound = target_of(v->state) == KS_BANK_CPU && e->bound_cpu != NULL ?
		e->bound_cpu : e->bound;
	ks_buf_clear(&words);
	ks_buf_addf(&words, "answered by: %s   against: %s   cost: %s",
		e->quantity != NULL ? e->quantity : "", bound != NULL ? bound : "",
		ks_bank_cost_name(e->cost));
	ks_grid_field(v->g, r, 1, r.h - 2, r.w - 2, ks_buf_str(&words), KS_ALIGN_LEFT,
		KS_ROLE_DIM);
	left = r.w - 2 - put_since(v, r, r.h - 1, e->group) - 2;
	if (left >= 12) {
		put_list(v, r, r.h - 1, left, "tools:", ks_bank_tools(e, target_of(v->state)));
	}
	ks_buf_fini(&words);
	ks_buf_fini(&safe);
}

static void title_of(const struct ks_view *v, size_t count, char *out, size_t size)
{
	const char *filter = v->ui->filter[KS_SCREEN_BANK];
	const struct ks_moment *moment = ks_state_open_moment(v->state);
	size_t all = v->data->bank != NULL ? ks_bank_count(v->data->bank) : 0;

	snprintf(out, size, "Bank: %s%s%s%s%s, %zu of %zu question%s (for %s)",
		v->ui->bank_group >= 0 ? ks_layer_name(v->ui->bank_group) : "all groups",
		v->ui->bank_offers && moment != NULL ? " for the moment " : "",
		v->ui->bank_offers && moment != NULL ? ks_moment_name(moment->kind) : "",
		filter[0] != '\0' ? ", only " : "", filter, count, all, ks_s((long long)all),
		target_of(v->state) == KS_BANK_CUDA ? "cuda" : "cpu");
}

/* Why the list is empty, and how to see more. */
static void put_none(const struct ks_view *v, struct ks_rect r)
{
	const struct ks_keymap *keys = &v->ui->keys;
	bool words = v->ui->filter[KS_SCREEN_BANK][0] != '\0';
	char key[24];

	if (v->data->bank == NULL) {
		ks_grid_puts(v->g, r, 1, 0, "no bank is loaded", KS_ROLE_DIM);
		return;
	}
	ks_keymap_name(keys, words ? KS_DO_BACK : v->ui->bank_offers ? KS_DO_FILTER : KS_DO_LEFT,
		key, sizeof(key));
	ks_grid_putf(v->g, r, 1, 0, KS_ROLE_DIM, "no question matches; %s %s", key,
		words ? "takes the words back" : v->ui->bank_offers ?
		"shows those of all moments" : "goes to another group");
}

static void put_how(const struct ks_view *v, struct ks_rect r)
{
	const struct ks_keymap *keys = &v->ui->keys;
	char left[24], right[24], words[24], take[24];

	ks_grid_putf(v->g, r, 1, 0, KS_ROLE_DIM, "%s and %s: group   %s: words   "
		"%s: take it into the prompt",
		ks_keymap_name(keys, KS_DO_LEFT, left, sizeof(left)),
		ks_keymap_name(keys, KS_DO_RIGHT, right, sizeof(right)),
		ks_keymap_name(keys, KS_DO_SEARCH, words, sizeof(words)),
		ks_keymap_name(keys, KS_DO_OPEN, take, sizeof(take)));
}

void ks_bank_draw(const struct ks_view *v, struct ks_rect r)
{
	struct ks_place place = v->ui->place[KS_SCREEN_BANK];
	size_t count = ks_bank_rows(v->ui, v->state, v->data);
	int page = r.h - 9 < 1 ? 1 : r.h - 9;
	const struct ks_bank_entry *chosen;
	struct ks_rect in;
	char title[200];
	int y;

	title_of(v, count, title, sizeof(title));
	in = ks_draw_box(v->g, r, title, KS_ROLE_BORDER, KS_ROLE_TITLE);
	put_how(v, in);
	ks_rect_cut_rows(&in, 1);
	ks_place_clamp(&place, count, page);
	chosen = ks_bank_row(v->ui, v->state, v->data, place.cursor);
	if (chosen == NULL) {
		put_none(v, in);
		return;
	}
	for (y = 0; y < page && place.top + (size_t)y < count; y++) {
		struct ks_rect row = ks_rect_of(in.x, in.y + y, in.w, 1);

		put_row(v, row, ks_bank_row(v->ui, v->state, v->data, place.top + (size_t)y));
		if (place.top + (size_t)y == place.cursor) {
			ks_grid_mark(v->g, row, KS_STYLE_SELECTED);
		}
	}
	ks_draw_rule(v->g, r, in.y + page - r.y, NULL, KS_ROLE_BORDER, KS_ROLE_TITLE);
	put_detail(v, ks_rect_of(in.x, in.y + page + 1, in.w, in.h - page - 1), chosen);
	ks_draw_scroll(v->g, ks_rect_of(r.x, r.y + 1, r.w, page + 2), place.top,
		(size_t)page, count, KS_ROLE_DIM);
}
