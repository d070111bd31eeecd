/*
 * One event in full: what was called and what came out, what was said. The text
 * is read and cut into rows once for an event and a width (ks_item_update);
 * drawing touches the rows on the screen only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/plural.h"
#include "base/sane.h"
#include "base/utf8.h"
#include "view/view.h"

#define BODY_MAX (256u * 1024)

static const char *str(const struct ks_event *event, const char *key)
{
	return ks_json_get_str(event->doc, key, "");
}

void ks_item_open_scenario(struct ks_ui *ui, int scenario, int candidate)
{
	ks_item_open(ui, 0);
	ui->item_scenario = scenario;
	ui->item_candidate = candidate;
}

void ks_item_open(struct ks_ui *ui, int64_t seq)
{
	ui->item_scenario = -1;
	ui->item_seq = seq;
	ui->item_end = 0;
	ui->item_width = 0;
	memset(&ui->place[KS_SCREEN_ITEM], 0, sizeof(ui->place[KS_SCREEN_ITEM]));
	ks_ui_open(ui, KS_SCREEN_ITEM);
}

void ks_item_body(const struct ks_view_data *data, const struct ks_event *event,
	struct ks_buf *out)
{
	const char *hash = str(event, "blob");
	size_t before = out->len;
	int64_t bytes = ks_json_get_int(event->doc, "bytes", 0);

	if (hash[0] != '\0' && data->blob != NULL &&
	    data->blob(data->ctx, hash, BODY_MAX, out)) {
		if (bytes > (int64_t)(out->len - before)) {
			ks_buf_addf(out, "\n[the first %zu of %lld bytes]",
				out->len - before, (long long)bytes);
		}
		return;
	}
	ks_buf_adds(out, str(event, "text"));
	if (hash[0] != '\0') {
		ks_buf_addf(out, "\n[a part of %lld bytes; the rest is missing]",
			(long long)bytes);
	}
}

static void add_body(const struct ks_ui *ui, const struct ks_view_data *data,
	const struct ks_event *event, struct ks_buf *out)
{
	struct ks_buf body = {0};

	ks_item_body(data, event, &body);
	ks_sane(out, ks_buf_str(&body), ui->ascii ? KS_SANE_ASCII : 0u);
	ks_buf_fini(&body);
}

static void add_safe(const struct ks_ui *ui, struct ks_buf *out, const char *text)
{
	ks_sane(out, ks_str_of(text), ui->ascii ? KS_SANE_ASCII : 0u);
}

static void add_tool(const struct ks_ui *ui, const struct ks_view_data *data,
	const struct ks_event *event, struct ks_buf *out)
{
	char head[160];

	snprintf(head, sizeof(head), "%.40s (%.60s)\n\n", str(event, "tool"),
		str(event, "name"));
	add_safe(ui, out, head);
	if (str(event, "text")[0] != '\0') {
		add_body(ui, data, event, out);
	} else {
		add_safe(ui, out, str(event, "title"));
	}
	if (str(event, "path")[0] != '\0') {
		ks_buf_adds(out, "\npath: ");
		add_safe(ui, out, str(event, "path"));
	}
}

/* Fields that the title or the body shows already. */
static bool is_shown(const char *key)
{
	static const char *const keys[] = {"seq", "t", "kind", "text", "blob", "bytes"};
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(keys[i], key) == 0) {
			return true;
		}
	}
	return false;
}

static void add_fields(const struct ks_ui *ui, const struct ks_view_data *data,
	const struct ks_event *event, struct ks_buf *out)
{
	const struct ks_json *node = ks_json_first(event->doc);
	struct ks_buf value = {0};

	for (; node != NULL; node = ks_json_next(node)) {
		if (is_shown(ks_json_key(node))) {
			continue;
		}
		ks_buf_clear(&value);
		if (ks_json_type(node) == KS_JSON_STRING) {
			ks_buf_adds(&value, ks_json_str(node, ""));
		} else {
			ks_json_print(node, &value);
		}
		add_safe(ui, out, ks_json_key(node));
		ks_buf_adds(out, ": ");
		ks_sane(out, ks_buf_str(&value), ui->ascii ? KS_SANE_ASCII : 0u);
		ks_buf_addc(out, '\n');
	}
	ks_buf_fini(&value);
	if (str(event, "text")[0] != '\0') {
		ks_buf_addc(out, '\n');
		add_body(ui, data, event, out);
	}
}

static void add_offers(const struct ks_ui *ui, const struct ks_event *event,
	struct ks_buf *out)
{
	const struct ks_json *offer = ks_json_first(ks_json_get(event->doc, "offers"));
	unsigned number = 1;

	for (; offer != NULL; offer = ks_json_next(offer)) {
		ks_buf_addf(out, "\n%u ", number++);
		add_safe(ui, out, ks_json_get_str(offer, "question", ""));
		ks_buf_adds(out, "  ");
		add_safe(ui, out, ks_json_get_str(offer, "text", ""));
		ks_buf_adds(out, "\n  ");
		add_safe(ui, out, ks_json_get_str(offer, "reason", ""));
		ks_buf_addc(out, '\n');
	}
}

/* What it was answered with, and what came of that till now. */
static void add_answer(const struct ks_ui *ui, const struct ks_view_data *data,
	const struct ks_message *m, struct ks_buf *out)
{
	const struct ks_event *event = data->event(data->ctx, m->seq);

	ks_buf_adds(out, "\nanswered: ");
	if (m->question[0] != '\0') {
		add_safe(ui, out, m->question);
		ks_buf_adds(out, "  ");
	}
	if (event != NULL && event->doc != NULL) {
		add_body(ui, data, event, out);
	}
	ks_buf_addf(out, "\nbest %.2fx then, %.2fx after %d call%s\n", m->before, m->after,
		m->calls, ks_s(m->calls));
}

static void add_moment(const struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, const struct ks_event *event, struct ks_buf *out)
{
	int i = ks_state_moment(state, ks_json_get_int(event->doc, "moment", 0));
	const struct ks_message *m = i >= 0 ? ks_moment_answer(state, i) : NULL;
	struct ks_buf offers = {0};

	add_offers(ui, event, &offers);
	ks_buf_addf(out, "%s%s%s\n\n",
		ks_moment_name(ks_moment_from_name(str(event, "moment_kind"))),
		i >= 0 && m == NULL ? ", " : "",
		i >= 0 && m == NULL ? ks_moment_fate(&state->moments[i]) : "");
	add_safe(ui, out, str(event, "evidence"));
	ks_buf_addc(out, '\n');
	if (m != NULL) {
		add_answer(ui, data, m, out);
	}
	ks_buf_addstr(out, ks_buf_str(&offers));
	ks_buf_fini(&offers);
}

static void add_event(const struct ks_ui *ui, const struct ks_view_data *data,
	const struct ks_event *event, struct ks_buf *out)
{
	switch (event->kind) {
	case KS_EV_TOOL_STARTED:
		add_tool(ui, data, event, out);
		break;
	case KS_EV_AGENT_SAID:
	case KS_EV_AGENT_THOUGHT:
	case KS_EV_MESSAGE_SENT:
	case KS_EV_MESSAGE_QUEUED:
	case KS_EV_NOTE_ADDED:
	case KS_EV_NOTICE:
		add_body(ui, data, event, out);
		break;
	default:
		add_fields(ui, data, event, out);
		break;
	}
}

static void add_end(const struct ks_ui *ui, const struct ks_view_data *data,
	const struct ks_event *end, struct ks_buf *out)
{
	char took[24];

	if (end->kind == KS_EV_MESSAGE_SENT) { /* it may have been written anew */
		ks_clock_hms(end->t, took, sizeof(took));
		ks_buf_clear(out);
		add_body(ui, data, end, out);
		ks_buf_addf(out, "\n\n--- sent at %s ---\n", took);
		return;
	}
	if (end->kind != KS_EV_TOOL_ENDED) {
		ks_buf_adds(out, "\n");
		add_event(ui, data, end, out);
		return;
	}
	ks_fmt_duration(ks_json_get_int(end->doc, "ms", 0) * 1000, took, sizeof(took));
	ks_buf_addf(out, "\n\n--- %s after %s ---\n",
		ks_json_get_bool(end->doc, "ok", true) ? "ok" : "failed", took);
	add_body(ui, data, end, out);
	if (str(end, "diff")[0] != '\0') {
		ks_buf_addc(out, '\n');
		add_safe(ui, out, str(end, "diff"));
	}
}

/* The rest of an evaluation's evidence, which the live view folds into one row:
 * a paragraph each. */
static void add_folded(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, size_t row)
{
	size_t i, count = row < state->n_rows ? ks_row_folds(state, row) : 1;

	for (i = 1; i < count && ui->item.len < BODY_MAX; i++) {
		const struct ks_event *event = data->event(data->ctx,
			state->rows[row + i].seq);

		if (event != NULL && event->doc != NULL) {
			ks_buf_addc(&ui->item, '\n');
			add_fields(ui, data, event, &ui->item);
		}
	}
}

static void read_text(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data)
{
	const struct ks_event *event = data->event(data->ctx, ui->item_seq);

	ks_buf_clear(&ui->item);
	if (event == NULL || event->doc == NULL) {
		ks_buf_addf(&ui->item, "event %lld cannot be read from the log",
			(long long)ui->item_seq);
		return;
	}
	if (event->kind == KS_EV_MOMENT_RAISED) {
		add_moment(ui, state, data, event, &ui->item);
		return;
	}
	add_event(ui, data, event, &ui->item);
	if (event->kind == KS_EV_EVAL_EVIDENCE) {
		add_folded(ui, state, data, ks_row_find(state, ui->item_seq));
	} else if (ui->item_end > 0) {
		event = data->event(data->ctx, ui->item_end);
		if (event != NULL && event->doc != NULL) {
			add_end(ui, data, event, &ui->item);
		}
	}
}

/* ---- a scenario ---- */

static void add_axes(const struct ks_ui *ui, const struct ks_scenario *s,
	struct ks_buf *out)
{
	struct ks_json *doc = NULL;
	const struct ks_json *node;
	struct ks_buf value = {0};

	if (s->axes == NULL || ks_json_parse(&doc, s->axes, strlen(s->axes), NULL) != 0) {
		return;
	}
	ks_buf_adds(out, "\naxes\n");
	for (node = ks_json_first(doc); node != NULL; node = ks_json_next(node)) {
		ks_buf_clear(&value);
		ks_json_print(node, &value);
		ks_buf_adds(out, "  ");
		add_safe(ui, out, ks_json_key(node));
		ks_buf_adds(out, ": ");
		ks_sane(out, ks_buf_str(&value), ui->ascii ? KS_SANE_ASCII : 0u);
		ks_buf_addc(out, '\n');
	}
	ks_buf_fini(&value);
	ks_json_free(doc);
}

static void add_times(const struct ks_result *r, struct ks_buf *out)
{
	char seed[32], cand[32];

	ks_fmt_us((double)r->seed_us, seed, sizeof(seed));
	ks_fmt_us((double)r->cand_us, cand, sizeof(cand));
	ks_buf_addf(out, "  %s: %.3fx, interval %.3f to %.3f\n", ks_verdict_text(r->verdict),
		(double)r->speedup, (double)r->lo, (double)r->hi);
	ks_buf_addf(out, "  seed %s, candidate %s\n", seed, cand);
	if (r->roofline >= 0) {
		ks_buf_addf(out, "  %.1f%% of the roofline\n", (double)r->roofline * 100);
	}
	if (r->yard > 0) {
		ks_buf_addf(out, "  the yardstick is %.2fx the seed\n", (double)r->yard);
	}
}

static void add_result(const struct ks_ui *ui, const struct ks_state *state,
	const struct ks_result *r, struct ks_buf *out)
{
	if (r == NULL || !r->measured) {
		ks_buf_adds(out, "  not measured\n");
		return;
	}
	ks_buf_adds(out, r->correct ? "  correct\n" : "  wrong\n");
	if (r->why != NULL) {
		ks_buf_adds(out, "  ");
		add_safe(ui, out, r->why);
		ks_buf_addc(out, '\n');
	}
	ks_buf_addf(out, "  largest error %.3g, %.1f%% of what is allowed\n",
		(double)r->error, (double)r->error_ratio * 100);
	if (r->timed) {
		add_times(r, out);
	} else {
		ks_buf_adds(out, "  not timed\n");
	}
	if (r->gpu > 0) {
		ks_buf_adds(out, "  on ");
		add_safe(ui, out, state->gpus[r->gpu - 1]);
		ks_buf_addc(out, '\n');
	}
}

static void read_scenario(struct ks_ui *ui, const struct ks_state *state)
{
	const struct ks_scenario *s = &state->scenarios[ui->item_scenario];
	struct ks_shown shown;
	char name[16], floor_us[32];

	ks_shown_whole(&shown, state, ui->item_candidate);
	ks_fmt_candidate(state, shown.candidate, name, sizeof(name));
	ks_fmt_us(s->floor_us, floor_us, sizeof(floor_us));
	ks_buf_clear(&ui->item);
	add_safe(ui, &ui->item, s->name);
	ks_buf_adds(&ui->item, "\n\nset ");
	add_safe(ui, &ui->item, s->set);
	ks_buf_addf(&ui->item, "%s\nroofline time %s\n", s->heldout ? ", held out" : "",
		floor_us);
	ks_buf_addf(&ui->item, "\n%s%s\n", name, shown.running ? ", being measured" : "");
	add_result(ui, state, shown.results != NULL ? &shown.results[ui->item_scenario] : NULL,
		&ui->item);
	add_axes(ui, s, &ui->item);
}

static void cut_rows(struct ks_ui *ui, int width)
{
	struct ks_wrap wrap;
	struct ks_str line;

	ui->n_item_rows = 0;
	ks_wrap_init(&wrap, ks_buf_str(&ui->item), width, 0);
	while (ks_wrap_next(&wrap, &line)) {
		ks_grow(&ui->item_rows, &ui->cap_item_rows, ui->n_item_rows + 2,
			sizeof(ui->item_rows[0]));
		ui->item_rows[ui->n_item_rows++] = (uint32_t)(line.ptr - ui->item.ptr);
	}
	if (ui->n_item_rows > 0) {
		ui->item_rows[ui->n_item_rows] = (uint32_t)ui->item.len;
	}
}

void ks_item_update(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data)
{
	size_t row;
	int width = ui->w - 4 < 1 ? 1 : ui->w - 4;
	int64_t end = 0;
	bool grows;

	if (ks_ui_screen(ui) != KS_SCREEN_ITEM) {
		return;
	}
	row = ks_row_find(state, ui->item_seq);
	if (row < state->n_rows && state->rows[row].end > 0) {
		end = ui->item_seq + state->rows[row].end;
	}
	/* What follows on a moment's answer is told as it comes. */
	grows = row < state->n_rows && state->rows[row].kind == KS_EV_MOMENT_RAISED;
	if (!grows && ui->item_width != 0 && end == ui->item_end && ui->item_width == width) {
		return;
	}
	if (grows || ui->item_width == 0 || end != ui->item_end) {
		ui->item_end = end;
		if (ui->item_scenario < 0) {
			read_text(ui, state, data);
		} else if ((size_t)ui->item_scenario < state->n_scenarios) {
			read_scenario(ui, state);
		}
	}
	ui->item_width = width;
	cut_rows(ui, width);
}

static struct ks_str row_text(const struct ks_ui *ui, size_t row)
{
	size_t from = ui->item_rows[row];
	size_t to = ui->item_rows[row + 1];
	struct ks_str text = {ui->item.ptr + from, to - from};

	while (text.len > 0 && (text.ptr[text.len - 1] == '\n' ||
	    text.ptr[text.len - 1] == ' ')) {
		text.len--;
	}
	return text;
}

ptrdiff_t ks_item_find(const struct ks_ui *ui, ptrdiff_t from, bool backwards)
{
	ptrdiff_t row = from;

	while (backwards ? row > 0 : row + 1 < (ptrdiff_t)ui->n_item_rows) {
		struct ks_str text;
		struct ks_buf copy = {0};
		bool hit;

		row = backwards ? row - 1 : row + 1;
		text = row_text(ui, (size_t)row);
		ks_buf_addstr(&copy, text);
		hit = copy.len > 0 && ks_matches(copy.ptr, ui->search);
		ks_buf_fini(&copy);
		if (hit) {
			return row;
		}
	}
	return -1;
}

void ks_item_draw(const struct ks_view *v, struct ks_rect r)
{
	const struct ks_ui *ui = v->ui;
	struct ks_place place = ui->place[KS_SCREEN_ITEM];
	const struct ks_event *event = ui->item_scenario < 0 ?
		v->data->event(v->data->ctx, ui->item_seq) : NULL;
	struct ks_rect in;
	char title[96], hms[24] = "";
	int y;

	if (event != NULL) {
		ks_clock_hms(event->t, hms, sizeof(hms));
	}
	if (ui->item_scenario >= 0) {
		snprintf(title, sizeof(title), "Scenario");
	} else {
		snprintf(title, sizeof(title), "Event %lld  %s  %s", (long long)ui->item_seq,
			hms, event != NULL ? ks_ev_name(event->kind) : "");
	}
	in = ks_draw_box(v->g, r, title, KS_ROLE_BORDER, KS_ROLE_TITLE);
	ks_place_clamp_text(&place, ui->n_item_rows, in.h);
	for (y = 0; y < in.h && place.top + (size_t)y < ui->n_item_rows; y++) {
		ks_grid_text(v->g, in, 1 - place.left, y,
			row_text(ui, place.top + (size_t)y), KS_ROLE_TEXT);
		if (place.top + (size_t)y + 1 == ui->hit[KS_SCREEN_ITEM]) {
			ks_grid_mark(v->g, ks_rect_of(in.x, in.y + y, in.w, 1),
				KS_STYLE_SELECTED);
		}
	}
	ks_draw_scroll(v->g, r, place.top, (size_t)in.h, ui->n_item_rows, KS_ROLE_DIM);
}
