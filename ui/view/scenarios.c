/*
 * Scenarios: bars beside the live view, one cell each on a small screen, and
 * the sorted list with everything that was measured.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "view/view.h"

/* The last row of the scale is at most this; faster ones end in an arrow. */
#define SCALE_MAX 8.0
/* Of a bar's width below 1: also where the best is 8, a loss is to be seen. */
#define BELOW_SHARE 0.38

/* Whether the running evaluation has a result to show by now. */
static bool has_results(const struct ks_state *state)
{
	size_t i;

	if (!state->eval.running || state->look.confirm || state->look.finished ||
	    state->look.results == NULL) {
		return false;
	}
	for (i = 0; i < state->n_scenarios; i++) {
		if (state->look.results[i].measured) {
			return true;
		}
	}
	return false;
}

/* The candidate that is shown while nothing is measured: index or -1. */
static int settled(const struct ks_state *state)
{
	int i = state->champion > 0 ? state->champion :
		state->last >= 0 ? state->last : 0;

	return (size_t)i < state->n_candidates ? i : -1;
}

void ks_shown_of(struct ks_shown *out, const struct ks_state *state, int wanted)
{
	memset(out, 0, sizeof(*out));
	out->before_candidate = -1;
	out->candidate = wanted >= 0 && (size_t)wanted < state->n_candidates ?
		wanted : settled(state);
	if (out->candidate >= 0) {
		out->results = state->candidates[out->candidate].results;
	}
	if ((wanted < 0 || (wanted == out->candidate && wanted == state->look.candidate &&
	    state->candidates[wanted].n_measured == 0)) && has_results(state)) {
		out->before = out->results;
		out->before_candidate = out->before != NULL ? out->candidate : -1;
		out->candidate = state->look.candidate;
		out->results = state->look.results;
		out->running = true;
	}
}

void ks_shown_whole(struct ks_shown *out, const struct ks_state *state, int wanted)
{
	ks_shown_of(out, state, wanted);
	if (out->running && out->before != NULL) {
		ks_shown_of(out, state, out->before_candidate);
	}
}

const char *ks_progress_of(const struct ks_ui *ui, const struct ks_state *state, int *done,
	int *all)
{
	const struct ks_eval_state *eval = &state->eval;
	bool pushed = ui->progress_eval == eval->id && ui->progress_phase[0] != '\0';

	*done = pushed ? ui->progress_i : eval->done;
	*all = pushed ? ui->progress_n : eval->total;
	return pushed && strcmp(ui->progress_phase, "time") == 0 ? "timed" :
		pushed && strcmp(ui->progress_phase, "check") == 0 ? "checked" : "measured";
}

bool ks_measured_now(const struct ks_view *v, char *out, size_t size)
{
	const struct ks_eval_state *eval = &v->state->eval;
	char name[24] = "a variant";
	const char *phase;
	int done, all;

	if (!eval->running) {
		return false;
	}
	if (eval->candidate >= 0) {
		ks_fmt_candidate(v->state, ks_state_candidate_number(v->state,
			eval->candidate), name, sizeof(name));
	}
	phase = ks_progress_of(v->ui, v->state, &done, &all);
	snprintf(out, size, "%s is %s%s, %d/%d", name, phase, eval->confirm ? " again" : "",
		done, all);
	return true;
}

/* ---- order ---- */

struct rank {
	uint32_t index;
	double key;
	const char *name;
};

/* Smaller comes first: wrong answers, then slow ones, then what is unknown. */
static double badness(const struct ks_result *r)
{
	if (r == NULL || !r->measured) {
		return 1e9;
	}
	if (!r->correct) {
		return -1;
	}
	return r->timed && r->speedup > 0 ? (double)r->speedup : 1e8;
}

static int by_key(const void *a, const void *b)
{
	const struct rank *x = a;
	const struct rank *y = b;

	if (x->key != y->key) {
		return x->key < y->key ? -1 : 1;
	}
	return x->index < y->index ? -1 : x->index > y->index;
}

static int by_name(const void *a, const void *b)
{
	const struct rank *x = a;
	const struct rank *y = b;

	return strcmp(x->name, y->name);
}

size_t ks_scenario_order(const struct ks_state *state, const struct ks_result *results,
	enum ks_order order, const char *filter, uint32_t *out)
{
	struct rank *list = ks_alloc(sizeof(*list) * (state->n_scenarios + 1));
	size_t i, n = 0;

	for (i = 0; i < state->n_scenarios; i++) {
		const struct ks_scenario *s = &state->scenarios[i];
		double bad = badness(results != NULL ? &results[i] : NULL);

		if (filter[0] != '\0' && !ks_matches(s->name, filter) &&
		    !ks_matches(s->set, filter)) {
			continue;
		}
		list[n].index = (uint32_t)i;
		list[n].key = order == KS_ORDER_WORST ? bad :
			order == KS_ORDER_BEST ? -bad : 0;
		list[n].name = s->name;
		n++;
	}
	qsort(list, n, sizeof(*list), order == KS_ORDER_NAME ? by_name : by_key);
	for (i = 0; i < n; i++) {
		out[i] = list[i].index;
	}
	free(list);
	return n;
}

/* ---- bars ---- */

static double scale_of(const struct ks_state *state, const struct ks_result *results)
{
	double most = 2;
	size_t i;

	for (i = 0; results != NULL && i < state->n_scenarios; i++) {
		if (results[i].measured && (double)results[i].speedup > most) {
			most = results[i].speedup;
		}
	}
	return most > SCALE_MAX ? SCALE_MAX : most;
}

/* The result of a scenario to show; *old: it is of the candidate before. */
static const struct ks_result *result_of(const struct ks_shown *shown, uint32_t index,
	bool *old)
{
	const struct ks_result *result = shown->results != NULL ?
		&shown->results[index] : NULL;

	*old = shown->running && shown->before != NULL &&
		(result == NULL || !result->measured) && shown->before[index].measured;
	return *old ? &shown->before[index] : result;
}

static void put_bar(const struct ks_view *v, struct ks_rect r, int x, int cols,
	const struct ks_result *result, bool old, double scale)
{
	struct ks_bar bar = {0, scale, 1, BELOW_SHARE, old ? KS_ROLE_DIM : KS_ROLE_BAD,
		old ? KS_ROLE_DIM : KS_ROLE_GOOD, KS_ROLE_DIM};

	bar.value = result != NULL && result->measured && result->correct &&
		result->timed ? (double)result->speedup : -1;
	ks_draw_bar(v->g, r, x, 0, cols, &bar);
}

/* "1.42x ±0.02  31%", or why there is no figure. */
static unsigned figures_of(const struct ks_view *v, const struct ks_result *result,
	const struct ks_shown *shown, bool with_roofline, char *out, size_t size)
{
	bool running = shown->running;
	bool seed = shown->candidate == 0;
	char interval[48], share[16] = "";

	if (seed && result == NULL) {
		snprintf(out, size, "%6s      %s", "1.00x", with_roofline ? "     " : "");
		return KS_ROLE_DIM;
	}
	if (result == NULL || !result->measured) {
		snprintf(out, size, "%s", running ? "waits" : "not measured");
		return KS_ROLE_DIM;
	}
	if (!result->correct) {
		snprintf(out, size, "%s wrong", ks_glyph(KS_GLYPH_NO, v->ui->ascii));
		return KS_ROLE_BAD;
	}
	if (!result->timed) {
		snprintf(out, size, "%s correct", ks_glyph(KS_GLYPH_YES, v->ui->ascii));
		return KS_ROLE_TEXT;
	}
	ks_fmt_interval(result->speedup, result->lo, result->hi, v->ui->ascii, interval,
		sizeof(interval));
	if (with_roofline && result->roofline >= 0) {
		snprintf(share, sizeof(share), "%4.0f%%", (double)result->roofline * 100);
	} else if (with_roofline) {
		snprintf(share, sizeof(share), "    -");
	}
	snprintf(out, size, "%s%s", interval, share);
	return result->speedup < 1 ? KS_ROLE_BAD : KS_ROLE_TEXT;
}

bool ks_bars_have_share(int width)
{
	return width >= 44;
}

static void put_bar_row(const struct ks_view *v, struct ks_rect r, uint32_t index,
	const struct ks_shown *shown, double scale)
{
	bool old;
	const struct ks_result *result = result_of(shown, index, &old);
	int name = r.w / 3 > 24 ? 24 : r.w / 3;
	bool roofline = ks_bars_have_share(r.w);
	int right = roofline ? 18 : 13;
	int bar = r.w - name - right - 3;
	char text[64];
	unsigned style = figures_of(v, result, shown, roofline, text, sizeof(text));

	ks_grid_field(v->g, r, 1, 0, name - 1,
		ks_str_of(v->state->scenarios[index].name), KS_ALIGN_LEFT,
		result != NULL && result->measured && !result->correct ?
			KS_ROLE_BAD : KS_ROLE_TEXT);
	if (bar >= 4) {
		put_bar(v, r, name + 1, bar, result, old, scale);
	}
	ks_grid_field(v->g, r, r.w - right - 1, 0, right, ks_str_of(text),
		KS_ALIGN_RIGHT, old ? (unsigned)KS_ROLE_DIM : style);
}

/* How the rows that do not fit are doing. */
static void put_rest(const struct ks_view *v, struct ks_rect r, const uint32_t *order,
	size_t from, size_t count, const struct ks_shown *shown)
{
	double worst = -1;
	size_t i;

	for (i = from; i < count && shown->results != NULL; i++) {
		const struct ks_result *result = &shown->results[order[i]];

		if (result->measured && result->timed &&
		    (worst < 0 || (double)result->speedup < worst)) {
			worst = result->speedup;
		}
	}
	if (worst > 0) {
		ks_grid_putf(v->g, r, 1, 0, KS_ROLE_DIM, "%zu more, all from %.2fx up",
			count - from, worst);
	} else {
		ks_grid_putf(v->g, r, 1, 0, KS_ROLE_DIM, "%zu more", count - from);
	}
}

void ks_bars_draw(const struct ks_view *v, struct ks_rect r)
{
	struct ks_shown shown;
	uint32_t *order;
	size_t count, first, i;
	double scale;
	bool rest;

	if (r.h <= 0 || v->state->n_scenarios == 0) {
		return;
	}
	ks_shown_of(&shown, v->state, -1);
	order = ks_alloc(sizeof(*order) * v->state->n_scenarios);
	/* While results come in the order stays that of the candidate before. */
	count = ks_scenario_order(v->state, shown.running ? shown.before : shown.results,
		KS_ORDER_WORST, "", order);
	scale = scale_of(v->state, shown.running && shown.before != NULL ?
		shown.before : shown.results);
	first = v->ui->place[KS_SCREEN_MAIN].top;
	first = count > (size_t)r.h && first > count - (size_t)r.h ?
		count - (size_t)r.h : count <= (size_t)r.h ? 0 : first;
	rest = first + (size_t)r.h < count && v->ui->focus != KS_FOCUS_BARS;
	for (i = 0; i < (size_t)r.h && first + i < count; i++) {
		struct ks_rect row = ks_rect_of(r.x, r.y + (int)i, r.w, 1);

		if (rest && i == (size_t)r.h - 1) {
			put_rest(v, row, order, first + i, count, &shown);
		} else {
			put_bar_row(v, row, order[first + i], &shown, scale);
		}
	}
	free(order);
}

/* ---- one cell each ---- */

static void put_cell(const struct ks_view *v, struct ks_rect r, int x, int y,
	const struct ks_result *result, bool old)
{
	static const double steps[] = {0.5, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0};
	int level = 1;
	size_t i;

	if (result == NULL || !result->measured) {
		ks_grid_glyph(v->g, r, x, y, KS_GLYPH_BULLET, KS_ROLE_DIM);
	} else if (!result->correct) {
		ks_grid_glyph(v->g, r, x, y, KS_GLYPH_NO, KS_ROLE_BAD);
	} else if (!result->timed) {
		ks_grid_glyph(v->g, r, x, y, KS_GLYPH_YES, KS_ROLE_TEXT);
	} else {
		for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
			level += (double)result->speedup >= steps[i];
		}
		ks_grid_puts(v->g, r, x, y, ks_glyph_level(level, v->ui->ascii),
			old ? KS_ROLE_DIM : level < 4 ? KS_ROLE_BAD : KS_ROLE_GOOD);
	}
}

/* Columns of the strip with names of sets. */
static int strip_columns(const struct ks_state *state)
{
	int cols = 0;
	size_t i;

	for (i = 0; i < state->n_scenarios; i++) {
		if (i == 0 || strcmp(state->scenarios[i].set, state->scenarios[i - 1].set) != 0) {
			cols += (int)strlen(state->scenarios[i].set) + 2;
		}
		cols++;
	}
	return cols;
}

/* Where the cells of a strip go, one after the other. */
struct strip {
	int x, y, w;
	bool names;
};

static bool starts_set(const struct ks_state *s, size_t i)
{
	return i == 0 || strcmp(s->scenarios[i].set, s->scenarios[i - 1].set) != 0;
}

/* Moves to the place of scenario i; *label is the column of its set's name, or
 * -1. */
static void strip_next(struct strip *at, const struct ks_state *s, size_t i, int *label)
{
	*label = -1;
	if (at->names && starts_set(s, i)) {
		int need = (int)ks_utf8_columns(s->scenarios[i].set,
			strlen(s->scenarios[i].set)) + 2;

		at->x += i > 0;
		if (at->x + need >= at->w) {
			at->x = 1;
			at->y++;
		}
		*label = at->x;
		at->x += need - 1;
	}
	if (at->x >= at->w - 1) {
		at->x = 1;
		at->y++;
	}
}

static struct strip strip_start(const struct ks_state *s, int width, int most)
{
	struct strip at = {1, 0, width, false};

	at.names = strip_columns(s) + 2 * most < (width - 2) * most;
	return at;
}

int ks_strip_rows(const struct ks_state *state, int width, int most)
{
	struct strip at = strip_start(state, width, most);
	int label;
	size_t i;

	for (i = 0; i < state->n_scenarios && at.y < most; i++) {
		strip_next(&at, state, i, &label);
		at.x++;
	}
	return at.y + 1 > most ? most : at.y + 1;
}

void ks_strip_draw(const struct ks_view *v, struct ks_rect r)
{
	const struct ks_state *s = v->state;
	int most = v->ui->h >= 24 ? 3 : v->ui->h >= 16 ? 2 : 1;
	struct strip at = strip_start(s, r.w, most);
	const struct ks_result *result;
	struct ks_shown shown;
	int label;
	bool old;
	size_t i;

	ks_shown_of(&shown, s, -1);
	for (i = 0; i < s->n_scenarios; i++) {
		strip_next(&at, s, i, &label);
		if (at.y >= r.h) {
			break;
		}
		if (label >= 0) {
			ks_grid_puts(v->g, r, label, at.y, s->scenarios[i].set, KS_ROLE_DIM);
		}
		result = result_of(&shown, (uint32_t)i, &old);
		put_cell(v, r, at.x++, at.y, result, old);
	}
	if (i < s->n_scenarios) {
		ks_grid_putf(v->g, r, r.w - 8, r.h - 1, KS_ROLE_DIM, " +%zu ",
			s->n_scenarios - i);
	}
}

/* ---- the list ---- */

static const char *const order_names[KS_ORDERS] = {
	"worst first", "as declared", "by name", "best first"};

size_t ks_scenarios_rows(const struct ks_ui *ui, const struct ks_state *state)
{
	uint32_t *order = ks_alloc(sizeof(*order) * (state->n_scenarios + 1));
	size_t count = ks_scenario_order(state, NULL, KS_ORDER_DECLARED,
		ui->filter[KS_SCREEN_SCENARIOS], order);

	free(order);
	return count;
}

int ks_scenarios_at(const struct ks_ui *ui, const struct ks_state *state,
	int *out_candidate)
{
	uint32_t *order = ks_zalloc(state->n_scenarios + 1, sizeof(*order));
	size_t at = ui->place[KS_SCREEN_SCENARIOS].cursor;
	struct ks_shown shown;
	size_t count;
	int index;

	ks_shown_whole(&shown, state, ui->shown);
	count = ks_scenario_order(state, shown.results,
		(enum ks_order)ui->sort[KS_SCREEN_SCENARIOS],
		ui->filter[KS_SCREEN_SCENARIOS], order);
	index = at < count ? (int)order[at] : -1;
	*out_candidate = shown.running ? -1 : shown.candidate;
	free(order);
	return index;
}

static void list_head(const struct ks_view *v, struct ks_rect r, bool wide)
{
	ks_grid_puts(v->g, r, 1, 0, "scenario", KS_ROLE_DIM);
	if (wide) {
		ks_grid_field(v->g, r, r.w - 57, 0, 20,
			KS_STR("speedup, of roofline"), KS_ALIGN_RIGHT, KS_ROLE_DIM);
		ks_grid_field(v->g, r, r.w - 36, 0, 11, KS_STR("seed"), KS_ALIGN_RIGHT,
			KS_ROLE_DIM);
		ks_grid_field(v->g, r, r.w - 24, 0, 11, KS_STR("candidate"),
			KS_ALIGN_RIGHT, KS_ROLE_DIM);
		ks_grid_field(v->g, r, r.w - 12, 0, 11, KS_STR("tolerance"),
			KS_ALIGN_RIGHT, KS_ROLE_DIM);
	} else {
		ks_grid_field(v->g, r, r.w - 21, 0, 20,
			KS_STR("speedup, of roofline"), KS_ALIGN_RIGHT, KS_ROLE_DIM);
	}
}

static void put_times(const struct ks_view *v, struct ks_rect r,
	const struct ks_result *result)
{
	char text[32];

	ks_fmt_us(result != NULL && result->timed ? (double)result->seed_us : 0, text,
		sizeof(text));
	ks_grid_field(v->g, r, r.w - 36, 0, 11, ks_str_of(text), KS_ALIGN_RIGHT,
		KS_ROLE_TEXT);
	ks_fmt_us(result != NULL && result->timed ? (double)result->cand_us : 0, text,
		sizeof(text));
	ks_grid_field(v->g, r, r.w - 24, 0, 11, ks_str_of(text), KS_ALIGN_RIGHT,
		KS_ROLE_TEXT);
	if (result != NULL && result->measured) {
		snprintf(text, sizeof(text), "%.1f%%", (double)result->error_ratio * 100);
		ks_grid_field(v->g, r, r.w - 12, 0, 11, ks_str_of(text),
			KS_ALIGN_RIGHT, result->correct ? KS_ROLE_DIM : KS_ROLE_BAD);
	}
}

static void list_row(const struct ks_view *v, struct ks_rect r, uint32_t index,
	const struct ks_shown *shown, double scale)
{
	const struct ks_scenario *s = &v->state->scenarios[index];
	bool old;
	const struct ks_result *result = result_of(shown, index, &old);
	bool wide = r.w >= 100;
	int right = wide ? 57 : 21;
	int name = (r.w - right) / 2 > 32 ? 32 : (r.w - right) / 2;
	char text[64];
	unsigned style = figures_of(v, result, shown, true, text, sizeof(text));
	struct ks_buf short_name = {0};

	ks_utf8_shorten(&short_name, ks_str_of(s->name), name > 1 ? (size_t)name - 1 : 0,
		ks_glyph(KS_GLYPH_MORE, v->ui->ascii));
	ks_grid_field(v->g, r, 1, 0, name - 1, ks_buf_str(&short_name), KS_ALIGN_LEFT,
		result != NULL && result->measured && !result->correct ?
		KS_ROLE_BAD : KS_ROLE_TEXT);
	ks_buf_fini(&short_name);
	if (r.w - right - name - 2 >= 4) {
		put_bar(v, r, name + 1, r.w - right - name - 2, result, old, scale);
	}
	ks_grid_field(v->g, r, r.w - right, 0, 20, ks_str_of(text), KS_ALIGN_RIGHT,
		old ? (unsigned)KS_ROLE_DIM : style);
	if (wide) {
		put_times(v, r, result);
	}
}

/* "batch 1, heads_q 8": the sizes of a scenario as words. */
static void add_axes(const struct ks_scenario *s, struct ks_buf *out)
{
	struct ks_json *doc = NULL;
	const struct ks_json *node;

	if (s->axes == NULL || ks_json_parse(&doc, s->axes, strlen(s->axes), NULL) != 0) {
		return;
	}
	for (node = ks_json_first(doc); node != NULL; node = ks_json_next(node)) {
		ks_buf_addf(out, "%s%s ", out->len > 0 ? ", " : "", ks_json_key(node));
		if (ks_json_type(node) == KS_JSON_STRING) {
			ks_buf_adds(out, ks_json_str(node, ""));
		} else {
			ks_json_print(node, out);
		}
	}
	ks_json_free(doc);
}

static void put_detail(const struct ks_view *v, struct ks_rect r, uint32_t index,
	const struct ks_shown *shown)
{
	const struct ks_scenario *s = &v->state->scenarios[index];
	const struct ks_result *result = shown->results != NULL ?
		&shown->results[index] : NULL;
	struct ks_buf axes = {0};
	char floor_us[32];

	add_axes(s, &axes);
	ks_fmt_us(s->floor_us, floor_us, sizeof(floor_us));
	ks_grid_putf(v->g, r, 1, 0, KS_ROLE_DIM, "set %s%s   roofline %s   %s", s->set,
		s->heldout ? ", held out" : "", floor_us, axes.len > 0 ? axes.ptr : "");
	ks_buf_fini(&axes);
	if (result == NULL || !result->measured) {
		return;
	}
	if (result->why != NULL) {
		ks_grid_putf(v->g, r, 1, 1, KS_ROLE_BAD, "wrong: %s", result->why);
	} else if (result->timed) {
		ks_grid_putf(v->g, r, 1, 1, KS_ROLE_DIM, "%s   interval %.3f to %.3f   "
			"largest error %.3g", ks_verdict_text(result->verdict),
			(double)result->lo, (double)result->hi, (double)result->error);
	}
}

bool ks_is_measured(const struct ks_state *state, int index)
{
	return state->eval.running && index >= 0 && state->eval.candidate >= 0 &&
		ks_state_candidate_number(state, state->eval.candidate) == index;
}

void ks_scenarios_draw(const struct ks_view *v, struct ks_rect r)
{
	const char *filter = v->ui->filter[KS_SCREEN_SCENARIOS];
	struct ks_place place = v->ui->place[KS_SCREEN_SCENARIOS];
	enum ks_order how = (enum ks_order)v->ui->sort[KS_SCREEN_SCENARIOS];
	struct ks_shown shown;
	struct ks_rect in, row;
	uint32_t *order;
	size_t count, i;
	char title[160], name[16], now[96];
	double scale;
	int page = r.h - 6 < 1 ? 1 : r.h - 6;

	ks_shown_whole(&shown, v->state, v->ui->shown);
	ks_fmt_candidate(v->state, shown.candidate, name, sizeof(name));
	snprintf(title, sizeof(title), "Scenarios of %s%s, %s%s%s", name,
		shown.running || ks_is_measured(v->state, shown.candidate) ?
		" (being measured)" : shown.candidate == v->state->champion &&
		shown.candidate > 0 ? " (champion)" : "",
		order_names[how], filter[0] != '\0' ? ", only " : "", filter);
	in = ks_draw_box(v->g, r, title, KS_ROLE_BORDER, KS_ROLE_TITLE);
	order = ks_alloc(sizeof(*order) * (v->state->n_scenarios + 1));
	count = ks_scenario_order(v->state, shown.results, how, filter, order);
	scale = scale_of(v->state, shown.results);
	ks_place_clamp(&place, count, page);
	list_head(v, ks_rect_cut_rows(&in, 1), in.w >= 100);
	for (i = 0; i < (size_t)page && place.top + i < count; i++) {
		row = ks_rect_of(in.x, in.y + (int)i, in.w, 1);
		list_row(v, row, order[place.top + i], &shown, scale);
		if (place.top + i == place.cursor) {
			ks_grid_mark(v->g, row, KS_STYLE_SELECTED);
		}
	}
	if (!shown.running && ks_measured_now(v, now, sizeof(now))) {
		char note[160];

		if (!ks_is_measured(v->state, shown.candidate)) {
			snprintf(note, sizeof(note), "%s; these are %s's figures", now, name);
		} else {
			snprintf(note, sizeof(note), "%s; %s", now,
				v->state->candidates[shown.candidate].n_measured > 0 ?
				"these are its figures till then" : "it has no figures yet");
		}
		ks_grid_field(v->g, in, 1, page, in.w - 2, ks_str_of(note), KS_ALIGN_LEFT,
			KS_ROLE_WARN);
	}
	if (count > 0) {
		put_detail(v, ks_rect_of(in.x, in.y + page + 1, in.w, 2),
			order[place.cursor], &shown);
	} else {
		ks_grid_putf(v->g, in, 1, 0, KS_ROLE_DIM, "no scenario matches; %s shows all",
			ks_keymap_name(&v->ui->keys, KS_DO_BACK, now, sizeof(now)));
	}
	ks_draw_scroll(v->g, ks_rect_of(r.x, r.y + 1, r.w, page + 2), place.top,
		(size_t)page, count, KS_ROLE_DIM);
	free(order);
}
