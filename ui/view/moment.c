/*
 * The banner of the open moment with its questions, and the list of all
 * moments. The banner only shows; what its keys do is in ui.c and act.c.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/plural.h"
#include "base/sane.h"
#include "base/utf8.h"
#include "view/view.h"

#define TEXT_X 10 /* "> 1 H-02  " */
#define EVIDENCE_X 2
#define EVIDENCE_ROWS 4
#define WAITS " waits for you "

#define SAFE_MAX 1024

static int offer_lines(const struct ks_ui *ui, const struct ks_offer *offer, int width,
	int most)
{
	char safe[SAFE_MAX];
	size_t lines;

	ks_sane_into(safe, sizeof(safe), ks_str_of(offer->text),
		KS_SANE_ONE_LINE | (ui->ascii ? KS_SANE_ASCII : 0u));
	lines = ks_wrap_count(ks_str_of(safe), width - TEXT_X, 0);

	return lines > (size_t)most ? most : (int)lines;
}

int64_t ks_wait_until(const struct ks_ui *ui, const struct ks_state *state)
{
	return state->draft_until > 0 && ui->wait_until > 0 ? ui->wait_until :
		state->draft_until;
}

/* Rows below the title for evidence that is longer than it: whoever chooses a
 * question reads what it answers. */
static int evidence_rows(const struct ks_ui *ui, const struct ks_state *state,
	const struct ks_moment *moment, int width)
{
	int room = width - 9 - (int)strlen(ks_moment_name(moment->kind)) -
		(ks_wait_until(ui, state) > 0 ? (int)strlen(WAITS) : 0);
	char safe[SAFE_MAX];
	size_t rows;

	if (!ui->on_moment) {
		return 0;
	}
	ks_sane_into(safe, sizeof(safe), ks_str_of(moment->evidence),
		KS_SANE_ONE_LINE | (ui->ascii ? KS_SANE_ASCII : 0u));
	if ((int)ks_utf8_columns(safe, strlen(safe)) <= room) {
		return 0;
	}
	rows = ks_wrap_count(ks_str_of(safe), width - EVIDENCE_X, 0);
	return rows > EVIDENCE_ROWS ? EVIDENCE_ROWS : (int)rows;
}

/* Rows of the banner with all of each question and its reason. */
static int full_rows(const struct ks_ui *ui, const struct ks_state *state,
	const struct ks_moment *moment, int width)
{
	int rows = 1 + evidence_rows(ui, state, moment, width);
	int i;

	for (i = 0; i < moment->n_offers; i++) {
		rows += offer_lines(ui, &moment->offers[i], width, 3) + 1;
	}
	return rows;
}

int ks_banner_grown(const struct ks_ui *ui, const struct ks_state *state, int width,
	int rows, int most)
{
	const struct ks_moment *moment = ks_state_open_moment(state);
	int full = moment != NULL ? full_rows(ui, state, moment, width) : rows;

	if (moment == NULL || moment->n_offers == 0) {
		return rows;
	}
	return full <= most ? full : 1 + moment->n_offers <= most ? 1 + moment->n_offers : rows;
}

int ks_banner_rows(const struct ks_ui *ui, const struct ks_state *state, int width,
	int most)
{
	const struct ks_moment *moment = ks_state_open_moment(state);
	int rows;

	if (moment == NULL || most < 1) {
		return 0;
	}
	rows = full_rows(ui, state, moment, width);
	if (!ui->on_moment && (rows > most || !ks_has_room(ui))) {
		rows = 1 + (ks_is_wide(ui) ? moment->n_offers : moment->n_offers > 0);
	}
	return rows > most ? most : rows;
}

/* How long the loop waits before it speaks by itself. */
static void put_wait(char *out, size_t size, enum ks_mode mode, int64_t us)
{
	int s = (int)((us + 999999) / 1000000);

	if (mode == KS_MODE_BANK) {
		snprintf(out, size, " the bank sends 1 in %d s ", s);
	} else if (s > KS_UI_SECONDS) {
		snprintf(out, size, " the goal alone goes in %d min ", (s + 59) / 60);
	} else {
		snprintf(out, size, " the goal alone goes in %d s ", s);
	}
}

/* What happens if nobody answers; "" for nothing. cols: what the line has for it
 * beside all of the evidence. */
static void wait_of(const struct ks_view *v, int cols, char *out, size_t size)
{
	static const char long_text[] = " waits for you: each key puts the bank off ";
	const struct ks_state *s = v->state;
	int64_t until = ks_wait_until(v->ui, s);

	out[0] = '\0';
	/* Each key starts the wait anew: no seconds to be seen jumping. */
	if (until > 0 && !v->ui->read_only &&
	    (v->ui->fresh || v->ui->on_moment || v->ui->typing == KS_TYPING_SAY)) {
		snprintf(out, size, "%s", s->mode == KS_MODE_BANK &&
			(int)sizeof(long_text) - 1 <= cols ? long_text : WAITS);
	} else if (until > v->data->now) {
		put_wait(out, size, s->mode, until - v->data->now);
	}
}

/* evidence: what of it the title has, "" where it stands below. */
static void put_title(const struct ks_view *v, struct ks_rect r,
	const struct ks_moment *moment, const char *evidence)
{
	char left[64];
	int x, room;

	for (x = 0; x < r.w; x++) {
		ks_grid_glyph(v->g, r, x, 0, KS_GLYPH_H, KS_ROLE_WARN);
	}
	if (ks_is_wide(v->ui)) {
		ks_grid_glyph(v->g, r, 0, 0, KS_GLYPH_JL, KS_ROLE_BORDER);
		ks_grid_glyph(v->g, r, r.w - 1, 0, KS_GLYPH_JR, KS_ROLE_BORDER);
	}
	x = 5 + (int)strlen(ks_moment_name(moment->kind));
	wait_of(v, r.w - x - 4 - ks_grid_width(v->g, ks_str_of(evidence)), left,
		sizeof(left));
	room = r.w - 2 - (int)strlen(left);
	ks_grid_puts(v->g, r, 1, 0, " ", KS_ROLE_WARN);
	ks_grid_glyph(v->g, r, 2, 0, KS_GLYPH_WARN, KS_ROLE_WARN);
	x = 3 + ks_grid_putf(v->g, r, 3, 0, KS_ROLE_WARN, " %s ",
		ks_moment_name(moment->kind));
	if (evidence[0] != '\0' && x + 4 < room) {
		int cols = ks_grid_width(v->g, ks_str_of(evidence));

		cols = cols > room - x - 2 ? room - x - 2 : cols;
		ks_grid_puts(v->g, r, x, 0, " ", KS_ROLE_TEXT);
		ks_grid_field(v->g, r, x + 1, 0, cols, ks_str_of(evidence),
			KS_ALIGN_LEFT, KS_ROLE_TEXT);
		ks_grid_puts(v->g, r, x + 1 + cols, 0, " ", KS_ROLE_TEXT);
	}
	if (left[0] != '\0') {
		ks_grid_puts(v->g, r, r.w - 2 - (int)strlen(left), 0, left, KS_ROLE_WARN);
	}
}

/* The text in the rows of r; what does not fit is cut with a mark. */
static void put_wrapped(const struct ks_view *v, struct ks_rect r, const char *text,
	unsigned style)
{
	struct ks_wrap wrap;
	struct ks_str part;
	char safe[SAFE_MAX];
	int y;

	ks_sane_into(safe, sizeof(safe), ks_str_of(text),
		KS_SANE_ONE_LINE | (v->ui->ascii ? KS_SANE_ASCII : 0u));
	ks_wrap_init(&wrap, ks_str_of(safe), r.w, 0);
	for (y = 0; y < r.h && ks_wrap_next(&wrap, &part); y++) {
		struct ks_str rest = {part.ptr, strlen(part.ptr)};

		ks_grid_field(v->g, r, 0, y, r.w, y == r.h - 1 && !wrap.done ? rest : part,
			KS_ALIGN_LEFT, style);
	}
}

/* One line; the reason stands at the right where the question leaves room. */
static void put_offer_short(const struct ks_view *v, struct ks_rect r,
	const struct ks_offer *offer)
{
	int right = ks_grid_width(v->g, ks_str_of(offer->reason));
	int room = r.w - TEXT_X;

	right = room - right - 2 < ks_grid_width(v->g, ks_str_of(offer->text)) ? 0 : right;
	ks_grid_field(v->g, r, TEXT_X, 0, room - (right > 0 ? right + 2 : 0),
		ks_str_of(offer->text), KS_ALIGN_LEFT, KS_ROLE_QUESTION);
	if (right > 0) {
		ks_grid_field(v->g, r, r.w - right, 0, right, ks_str_of(offer->reason),
			KS_ALIGN_RIGHT, KS_ROLE_DIM);
	}
}

/* full: with all of its text and its reason below. */
static int put_offer(const struct ks_view *v, struct ks_rect r, int index,
	const struct ks_offer *offer, bool full)
{
	bool chosen = v->ui->on_moment && v->ui->offer == index;
	int lines = full ? offer_lines(v->ui, offer, r.w, 3) : 1;

	lines = lines > r.h ? r.h : lines;
	if (lines < 1) {
		return 0;
	}
	if (chosen) {
		ks_grid_glyph(v->g, r, 0, 0, KS_GLYPH_CALL, KS_ROLE_ACCENT);
	}
	ks_grid_putf(v->g, r, 2, 0, v->ui->on_moment ? KS_ROLE_KEY : KS_ROLE_DIM, "%d",
		index + 1);
	ks_grid_field(v->g, r, 4, 0, 5, ks_str_of(offer->question), KS_ALIGN_LEFT,
		KS_ROLE_ACCENT);
	if (!full) {
		put_offer_short(v, r, offer);
		return 1;
	}
	put_wrapped(v, ks_rect_of(r.x + TEXT_X, r.y, r.w - TEXT_X, lines), offer->text,
		KS_ROLE_QUESTION);
	if (chosen) {
		ks_grid_mark(v->g, ks_rect_of(r.x, r.y, r.w, lines), KS_STYLE_SELECTED);
	}
	if (lines < r.h) {
		ks_grid_field(v->g, r, TEXT_X, lines, r.w - TEXT_X,
			ks_str_of(offer->reason), KS_ALIGN_LEFT, KS_ROLE_DIM);
		lines++;
	}
	return lines;
}

/* The selected one is always in sight, in full as far as the others leave rows.
 * Returns how many did not fit. */
static int put_offers(const struct ks_view *v, struct ks_rect in,
	const struct ks_moment *moment, bool full)
{
	int i = v->ui->on_moment && in.h < moment->n_offers ? v->ui->offer : 0;

	for (; i < moment->n_offers && in.h > 0; i++) {
		struct ks_rect room = in;
		int below = moment->n_offers - 1 - i;
		int used;

		room.h = in.h > below ? in.h - below : 1;
		room.w -= in.h == 1 && below > 0 ? 5 : 0; /* for their number */
		used = put_offer(v, full ? in : room, i, &moment->offers[i],
			full || (v->ui->on_moment && v->ui->offer == i));
		ks_rect_cut_rows(&in, used);
	}
	return moment->n_offers - i;
}

void ks_banner_draw(const struct ks_view *v, struct ks_rect r)
{
	const struct ks_moment *moment = ks_state_open_moment(v->state);
	bool framed = ks_is_wide(v->ui);
	struct ks_rect in = ks_rect_of(r.x + (framed ? 2 : 0), r.y, r.w - (framed ? 4 : 0), r.h);
	bool full;
	int rows, left;

	if (moment == NULL || r.h < 1) {
		return;
	}
	full = r.h >= full_rows(v->ui, v->state, moment, in.w);
	ks_rect_cut_rows(&in, 1);
	rows = evidence_rows(v->ui, v->state, moment, in.w);
	/* The questions have a row each, the selected one another. */
	rows = rows < in.h - moment->n_offers - 1 ? rows : in.h - moment->n_offers - 1;
	put_title(v, r, moment, rows > 0 ? "" : moment->evidence);
	if (rows > 0) {
		struct ks_rect text = ks_rect_cut_rows(&in, rows);

		put_wrapped(v, ks_rect_of(text.x + EVIDENCE_X, text.y, text.w - EVIDENCE_X,
			text.h), moment->evidence, KS_ROLE_TEXT);
	}
	left = put_offers(v, in, moment, full);
	if (left > 0) {
		ks_grid_putf(v->g, r, r.w - (framed ? 6 : 4), r.h - 1, KS_ROLE_DIM, " +%d ",
			left);
	}
}

/* ---- all moments ---- */

const char *ks_moment_fate(const struct ks_moment *moment)
{
	return moment->state == KS_MOMENT_OPEN ? "open" :
		moment->state == KS_MOMENT_ANSWERED ? "answered" : "dismissed";
}

const struct ks_message *ks_moment_answer(const struct ks_state *state, int index)
{
	size_t i;

	for (i = state->n_messages; i-- > 0;) {
		if (state->messages[i].moment == index) {
			return &state->messages[i];
		}
	}
	return NULL;
}

void ks_moments_row(const struct ks_view *v, struct ks_rect r, size_t row)
{
	size_t index = v->state->n_moments - 1 - row; /* the newest first */
	const struct ks_moment *m = &v->state->moments[index];
	const struct ks_message *answer = ks_moment_answer(v->state, (int)index);
	char hms[24];
	int x = 1;

	ks_clock_hms(m->t, hms, sizeof(hms));
	x += ks_grid_puts(v->g, r, x, 0, hms, KS_ROLE_DIM) + 1;
	x += ks_grid_field(v->g, r, x, 0, 10, ks_str_of(ks_moment_name(m->kind)),
		KS_ALIGN_LEFT, KS_ROLE_WARN) + 1;
	x += ks_grid_field(v->g, r, x, 0, 10, ks_str_of(ks_moment_fate(m)), KS_ALIGN_LEFT,
		m->state == KS_MOMENT_OPEN ? KS_ROLE_WARN : KS_ROLE_DIM) + 1;
	if (answer != NULL) {
		x += ks_grid_putf(v->g, r, x, 0, KS_ROLE_TEXT, "%s  %.2fx then %.2fx after %d "
			"call%s", answer->question[0] != '\0' ? answer->question :
			"own words", answer->before, answer->after, answer->calls,
			ks_s(answer->calls)) + 2;
		ks_grid_field(v->g, r, x, 0, r.w - x - 1 < 12 ? 0 : r.w - x - 1,
			ks_str_of(answer->preview), KS_ALIGN_LEFT, KS_ROLE_DIM);
	} else {
		ks_grid_field(v->g, r, x, 0, r.w - x - 1, ks_str_of(m->evidence),
			KS_ALIGN_LEFT, KS_ROLE_TEXT);
	}
}

void ks_moments_draw(const struct ks_view *v, struct ks_rect r)
{
	struct ks_place place = v->ui->place[KS_SCREEN_MOMENTS];
	struct ks_rect in = ks_draw_box(v->g, r, "Moments, newest first",
		KS_ROLE_BORDER, KS_ROLE_TITLE);
	size_t count = v->state->n_moments;
	int y;

	if (count == 0) {
		ks_grid_puts(v->g, in, 1, 0, "no moment was raised yet", KS_ROLE_DIM);
		return;
	}
	ks_place_clamp(&place, count, in.h);
	for (y = 0; y < in.h && place.top + (size_t)y < count; y++) {
		struct ks_rect row = ks_rect_of(in.x, in.y + y, in.w, 1);

		ks_moments_row(v, row, place.top + (size_t)y);
		if (place.top + (size_t)y == place.cursor) {
			ks_grid_mark(v->g, row, KS_STYLE_SELECTED);
		}
	}
	ks_draw_scroll(v->g, r, place.top, (size_t)in.h, count, KS_ROLE_DIM);
}
