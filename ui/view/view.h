#ifndef KSEEK_VIEW_VIEW_H
#define KSEEK_VIEW_VIEW_H
/*
 * What the views share, for the files of this folder only: what a view is given
 * to draw, the places on the screen, one event as a line, small formats.
 */
#include "canvas/draw.h"
#include "canvas/layout.h"
#include "view/ui.h"

struct ks_view {
	const struct ks_ui *ui;
	const struct ks_state *state;
	const struct ks_view_data *data;
	struct ks_grid *g;
};

/* When the loop speaks by itself while it waits for a person: the engine says so
 * anew with each key that puts it off; 0: it does not wait. */
int64_t ks_wait_until(const struct ks_ui *ui, const struct ks_state *state);

/* ---- places (frame.c) ---- */
struct ks_layout {
	bool small;  /* below 40x10: one line only                        */
	bool wide;   /* frames and a right column                         */
	struct ks_rect header, footer;
	struct ks_rect body;    /* of a full-screen view, with its frame  */
	struct ks_rect frame;   /* wide: all of the main screen           */
	struct ks_rect live, bars, goal; /* insides                       */
	struct ks_rect met;     /* below live: the goal is met, the agent ended; h 0 else */
	int room;    /* wide: rows inside the frames of both columns     */
	struct ks_rect asks;    /* what the agent asks; h 0 without    */
	struct ks_rect banner;  /* title line and offers; h 0 without     */
	struct ks_rect prompt;  /* the line above it is its rule          */
	int split;   /* wide: the x where the right column starts        */
};
/* Whether an agent that worked is gone by now. */
bool ks_has_ended(const struct ks_state *state);
bool ks_is_wide(const struct ks_ui *ui);
/* Whether a banner has all of its text at once, without the focus too. */
bool ks_has_room(const struct ks_ui *ui);
void ks_layout_of(struct ks_layout *out, const struct ks_ui *ui,
	const struct ks_state *state);
/* Rows of the list or text in a full-screen view. */
int ks_page_rows(const struct ks_ui *ui);

enum ks_screen ks_ui_screen(const struct ks_ui *ui);
void ks_ui_open(struct ks_ui *ui, enum ks_screen screen);

/* Keeps cursor and top inside a list of count rows, cursor on the page. */
void ks_place_clamp(struct ks_place *p, size_t count, int rows);
/* For texts: top inside of count rows; the cursor follows it. */
void ks_place_clamp_text(struct ks_place *p, size_t count, int rows);

/* ---- one event as a line (line.c) ---- */
struct ks_line {
	int64_t t;
	enum ks_glyph glyph;
	bool has_glyph, quoted;
	unsigned style;        /* of glyph and text                  */
	char who[16];
	char right[64];        /* duration, verdict                  */
	unsigned right_style;
	struct ks_buf text;    /* safe; lines of it are kept         */
	size_t short_len;      /* of its short form, 0: all of it    */
};
/* Fills a line from a row of the live view; ks_line_fini after. */
void ks_line_of_row(struct ks_line *line, const struct ks_state *state,
	const struct ks_view_data *data, const struct ks_row *row, bool ascii);
void ks_line_of_event(struct ks_line *line, const struct ks_state *state,
	const struct ks_event *event);
void ks_line_fini(struct ks_line *line);
/* Lines of what an agent asks and says of itself (line_agent.c). */
void ks_line_of_agent(struct ks_line *line, const struct ks_state *state,
	const struct ks_event *event);
/* What the answer adds to the line of what was asked. */
void ks_line_answered(struct ks_line *line, const struct ks_event *end);
bool ks_live_wants(enum ks_live_filter filter, unsigned kind);
/* Evidence of one evaluation is one row of the live view, the first: whether row
 * belongs to one above it, and how many there are from a first row on. */
bool ks_row_is_folded(const struct ks_state *state, size_t row);
size_t ks_row_folds(const struct ks_state *state, size_t row);
/* Index of the row of the live view that starts with this event; n_rows: none. */
size_t ks_row_find(const struct ks_state *state, int64_t seq);

/* ---- formats (format.c) ---- */
void ks_fmt_duration(int64_t us, char *out, size_t size);  /* "3.2s" */
void ks_fmt_clock(int64_t us, char *out, size_t size);     /* "02:14" */
void ks_fmt_speedup(double x, char *out, size_t size);     /* "1.42x", "-" */
void ks_fmt_us(double us, char *out, size_t size);         /* "812 us" */
/* "1.42x ±0.02", or "0.97–4.12x" where half of the interval is more than a third
 * of the figure: that one would say nothing. out of 48 bytes. */
void ks_fmt_interval(double x, double lo, double hi, bool ascii, char *out, size_t size);
/* The kernel's name of the candidate: "seed", "c27"; out of 16 bytes. */
void ks_fmt_candidate(const struct ks_state *state, int index, char *out, size_t size);
/* " of c5": whose the clauses are where they are not the champion's, else "". */
void ks_fmt_clauses_of(const struct ks_state *state, char *out, size_t size);
/* Whether text matches every word of query, letter case apart. */
bool ks_matches(const char *text, const char *query);

/* ---- what candidate and results are on show (scenarios.c) ---- */
struct ks_shown {
	int candidate;                   /* index, or -1 */
	const struct ks_result *results; /* or NULL      */
	bool running;                    /* results come in one by one */
	const struct ks_result *before;  /* while they do: the candidate's that was
	                                  * shown till then, or NULL      */
	int before_candidate;            /* its index, or -1              */
};
/* What the panel shows: once the running evaluation has a result, its results as
 * they come, and those of the candidate before where there are none yet. Till
 * then the candidate before is shown, and ks_measured_now names the other. */
void ks_shown_of(struct ks_shown *out, const struct ks_state *state, int wanted);
/* What the list shows: one candidate's figures, never two's. */
void ks_shown_whole(struct ks_shown *out, const struct ks_state *state, int wanted);
/* How far the running evaluation is: of *all scenarios, *done are "checked",
 * "timed" or "measured". */
const char *ks_progress_of(const struct ks_ui *ui, const struct ks_state *state, int *done,
	int *all);
/* "c2 is timed, 5/32": what the running evaluation measures and how far it
 * is; false without one. */
bool ks_measured_now(const struct ks_view *v, char *out, size_t size);
/* Whether bars in so many columns have the share of the roofline beside them. */
bool ks_bars_have_share(int width);
/* Whether the running evaluation is of this candidate (an index). */
bool ks_is_measured(const struct ks_state *state, int index);
/* Why a candidate has no speedup ("being measured", "does not build"), or NULL. */
const char *ks_candidate_word(const struct ks_state *state, int index);
/* Indexes of scenarios in an order; returns their number (<= state->n_scenarios).
 * order has room for all. */
enum ks_order { KS_ORDER_WORST, KS_ORDER_DECLARED, KS_ORDER_NAME, KS_ORDER_BEST,
	KS_ORDERS };
size_t ks_scenario_order(const struct ks_state *state, const struct ks_result *results,
	enum ks_order order, const char *filter, uint32_t *out);

/* ---- the parts of the screen ---- */
void ks_header_draw(const struct ks_view *v, struct ks_rect r);
void ks_footer_draw(const struct ks_view *v, struct ks_rect r);
void ks_live_draw(const struct ks_view *v, struct ks_rect r);
void ks_bars_draw(const struct ks_view *v, struct ks_rect r);
/* Where the agent looked, in one row of so many columns; both: evidence and
 * attention. */
int ks_layers_cols(bool both);
void ks_layers_draw(const struct ks_view *v, struct ks_rect r, int x, int y, bool both);
void ks_strip_draw(const struct ks_view *v, struct ks_rect r);
/* Rows that the strips need at a width, at most `most`. */
int ks_strip_rows(const struct ks_state *state, int width, int most);
int ks_clauses_strip_rows(const struct ks_state *state, int width, int most);
/* Rows of the pane: one a clause, and one more where a line is cut. */
int ks_clauses_rows(const struct ks_state *state, int width);
void ks_clauses_draw(const struct ks_view *v, struct ks_rect r);
void ks_clauses_strip_draw(const struct ks_view *v, struct ks_rect r);
void ks_banner_draw(const struct ks_view *v, struct ks_rect r);
int ks_banner_rows(const struct ks_ui *ui, const struct ks_state *state, int width,
	int most);
/* Rows of a banner without the focus that can have `most`: all questions in full,
 * or else one line each, or else what it has. */
int ks_banner_grown(const struct ks_ui *ui, const struct ks_state *state, int width,
	int rows, int most);
void ks_asks_draw(const struct ks_view *v, struct ks_rect r);
int ks_asks_rows(const struct ks_ui *ui, const struct ks_state *state, int width, int most);
void ks_queue_draw(const struct ks_view *v, struct ks_rect r);
/* The moment that the draft answers, or 0; a dismissed one is answered no more. */
int64_t ks_draft_answers(const struct ks_ui *ui, const struct ks_state *state);
void ks_prompt_draw(const struct ks_view *v, struct ks_rect r);
int ks_prompt_rows(const struct ks_ui *ui, int width, int most);
const char *ks_prompt_mark(const struct ks_ui *ui);
void ks_scenarios_draw(const struct ks_view *v, struct ks_rect r);
void ks_candidates_draw(const struct ks_view *v, struct ks_rect r);
void ks_diff_draw(const struct ks_view *v, struct ks_rect r);
void ks_bank_draw(const struct ks_view *v, struct ks_rect r);
void ks_goal_draw(const struct ks_view *v, struct ks_rect r);
void ks_moments_draw(const struct ks_view *v, struct ks_rect r);
void ks_item_draw(const struct ks_view *v, struct ks_rect r);
void ks_help_draw(const struct ks_view *v, struct ks_rect r);
void ks_ask_draw(const struct ks_view *v, struct ks_rect r);

/* ---- rows of lists and texts ---- */
size_t ks_scenarios_rows(const struct ks_ui *ui, const struct ks_state *state);
size_t ks_candidates_rows(const struct ks_ui *ui, const struct ks_state *state);
/* Index of the candidate in a row of its list. */
int ks_candidates_at(const struct ks_ui *ui, const struct ks_state *state, size_t row);
size_t ks_diff_rows(const struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data);
size_t ks_bank_rows(const struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data);
const struct ks_bank_entry *ks_bank_row(const struct ks_ui *ui,
	const struct ks_state *state, const struct ks_view_data *data, size_t row);
void ks_bank_words(const struct ks_state *state, const struct ks_bank_entry *entry,
	struct ks_buf *out);
size_t ks_goal_rows(const struct ks_ui *ui, const struct ks_state *state);
/* Opens an event in the item view. */
void ks_item_open(struct ks_ui *ui, int64_t seq);
/* Opens a scenario in the item view: its axes and a candidate's figures in full. */
void ks_item_open_scenario(struct ks_ui *ui, int scenario, int candidate);
/* Index of the scenario under the cursor of its list, or -1; *out_candidate is the
 * one whose figures are shown, or -1 for those that are still coming in. */
int ks_scenarios_at(const struct ks_ui *ui, const struct ks_state *state,
	int *out_candidate);
/* Reads the item's text and cuts it into rows, where these are not there yet. */
void ks_item_update(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data);
/* Body of an event (its blob where it has one), as it is. */
void ks_item_body(const struct ks_view_data *data, const struct ks_event *event,
	struct ks_buf *out);
size_t ks_help_rows(const struct ks_ui *ui);
/* Rows of the whole list of a screen. */
size_t ks_screen_rows(const struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, enum ks_screen screen);
bool ks_screen_is_text(enum ks_screen screen);
/* Next hit of ui->search in a text screen's rows behind `from`, or before it; -1
 * without. */
ptrdiff_t ks_diff_find(const struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, ptrdiff_t from, bool backwards);
ptrdiff_t ks_item_find(const struct ks_ui *ui, ptrdiff_t from, bool backwards);
/* Draws one row of a list or of the goal, as it stands in its view. */
void ks_candidates_row(const struct ks_view *v, struct ks_rect r, size_t row);
void ks_goal_row(const struct ks_view *v, struct ks_rect r, size_t row);
/* "open", "answered" or "dismissed". */
const char *ks_moment_fate(const struct ks_moment *moment);
/* The message that answered a moment (an index), or NULL. */
const struct ks_message *ks_moment_answer(const struct ks_state *state, int index);
void ks_moments_row(const struct ks_view *v, struct ks_rect r, size_t row);
void ks_queue_row(const struct ks_view *v, struct ks_rect r, size_t row);
/* The candidates (indexes) that the diff command compares: the one under the
 * cursor or on show with the marked one or its parent; else the champion with the
 * seed. There are two at least. */
void ks_diff_pair(const struct ks_ui *ui, const struct ks_state *state, int *out_a,
	int *out_b);
/* The difference as it is; false while it is not here. */
bool ks_diff_text(const struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, struct ks_str *out);

/* ---- the live view's places (live.c) ---- */
/* Lines that all its rows need at most, up to a height. */
int ks_live_need(const struct ks_state *state, int height);
/* After the filter changed: cursor and top on rows that it lets through. */
void ks_live_refilter(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data);
void ks_live_goto(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, size_t row);
/* First row of the screen, cursor row, both as drawn. */
void ks_live_window(const struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, struct ks_rect r, size_t *top, size_t *cursor);
/* The row that the live view's filter lets through next in a direction, or the
 * row itself where there is none. */
size_t ks_live_step(const struct ks_ui *ui, const struct ks_state *state, size_t row,
	int delta);
void ks_live_move(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, int delta);
bool ks_live_hit(const struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, size_t row);

/* ---- what the agent asks (asks.c) ---- */
/* Notes which is on screen since when. */
void ks_asks_update(struct ks_ui *ui, const struct ks_state *state, int64_t now);
void ks_asks_do(struct ks_ui *ui, const struct ks_state *state, const struct ks_view_data *data,
	enum ks_do what, struct ks_ui_out *out);
void ks_asks_reject(struct ks_ui *ui, const struct ks_state *state, const char *words,
	struct ks_ui_out *out);
/* One field from typed text; the last one sends the form. */
void ks_asks_fill(struct ks_ui *ui, const struct ks_state *state, const struct ks_view_data *data,
	struct ks_str text, struct ks_ui_out *out);

/* ---- messages that wait (queue.c) ---- */
void ks_queue_edit(struct ks_ui *ui, const struct ks_state *state);
/* Another act for the selected message: name, or the next one for NULL. */
void ks_correct_act(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, const char *name, struct ks_ui_out *out);
void ks_queue_drop(struct ks_ui *ui, const struct ks_state *state, struct ks_ui_out *out);
/* The draft takes the place of the message that it was made of; false when that
 * does not wait any more. */
bool ks_queue_put(struct ks_ui *ui, const struct ks_state *state, const char *text,
	struct ks_ui_out *out);

/* ---- commands (act.c) ---- */
/* Only the console that has the word may change anything: without it false, and
 * the footer says who has it. */
bool ks_act_may_speak(struct ks_ui *ui);
/* The words for that, in out, which is returned. */
#define KS_UI_REFUSAL 160
const char *ks_act_refusal(const struct ks_ui *ui, char *out, size_t size);
/* Whether Enter would give what is typed to the agent or to the log. */
bool ks_typing_sends(enum ks_typing typing);
void ks_act_do(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, enum ks_do what, struct ks_ui_out *out);
void ks_act_line(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, struct ks_ui_out *out);
struct ks_ui_cmd *ks_ui_out_add(struct ks_ui_out *out, enum ks_ui_cmd_kind kind,
	const char *text);
/* The next hit of ui->search (search.c). */
void ks_act_search(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, bool backwards);
/* Text that the copy command takes from where the cursor is. */
void ks_act_copied(const struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, struct ks_buf *out);
/* Takes a question into the prompt; a draft that is there is put aside. */
void ks_act_take(struct ks_ui *ui, int64_t moment, const char *question,
	struct ks_str text);
/* A draft put aside comes back when the prompt is empty. */
void ks_act_unpark(struct ks_ui *ui);

#endif
