#ifndef KSEEK_VIEW_UI_H
#define KSEEK_VIEW_UI_H
/*
 * The console's own state (what is open, where it is scrolled to, what is being
 * written) and its two functions: a key goes in and commands come out, and the
 * screen is drawn. Both look at the campaign's state and change nothing of it;
 * neither does I/O. src/app wires them to the terminal and to the engine.
 *
 * Order for the caller, each turn of its loop:
 *   events folded -> ks_ui_update; for each key: ks_ui_key, carry out commands;
 *   ks_ui_tick while ks_ui_busy; then ks_ui_draw into a grid of the terminal's size.
 *
 * Rules that hold always:
 *   - a moment's banner never takes the focus, and its digits answer nothing
 *     before the banner has the focus and was on screen for half a second;
 *   - what was written is kept until it is sent or cleared by its writer;
 *   - a view that is scrolled up does not move when events arrive.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "canvas/grid.h"
#include "canvas/key.h"
#include "core/state.h"
#include "core/view_data.h"
#include "view/edit.h"
#include "view/keys.h"

/* ---- commands to the caller ---- */
enum ks_ui_cmd_kind {
	KS_UI_SAY,       /* text, moment (id, 0: none), question: to the engine   */
	KS_UI_NOTE,      /* text                                                 */
	KS_UI_DISMISS,   /* moment                                               */
	KS_UI_MODE,      /* mode                                                 */
	KS_UI_INTERRUPT, /* cancel the turn                                      */
	KS_UI_START,     /* start the agent                                      */
	KS_UI_STOP,      /* stop agent and engine; leave if `leave`              */
	KS_UI_DETACH,    /* leave the console                                    */
	KS_UI_WORD,      /* take the word                                        */
	KS_UI_EXPORT,    /* text: "md" or "json"                                 */
	KS_UI_COPY,      /* text: to the clipboard and a file; answer by flash   */
	KS_UI_THEME,     /* text: name                                           */
	KS_UI_REPAINT, KS_UI_SUSPEND,
	KS_UI_REPLY,     /* text: JSON of the answer to what the agent asks      */
	KS_UI_REVISE,    /* text: JSON {id, text?}: a message that waits         */
	KS_UI_AGENT_MODE,/* text: id of the agent's own mode                     */
	KS_UI_NOW,       /* as SAY, and the running turn is cancelled            */
	KS_UI_STEER,     /* as SAY, into the running turn                        */
	KS_UI_EDITOR,    /* the draft in the person's own editor                 */
	KS_UI_EVAL,      /* evaluate the working copy now (":eval")              */
	KS_UI_ACT        /* message (id), text: what it was ("directive")        */
};

struct ks_ui_cmd {
	enum ks_ui_cmd_kind kind;
	int64_t moment, message;
	char question[16];
	enum ks_mode mode;
	bool leave;
	char *text; /* owned by the list; NULL where it has none */
};

struct ks_ui_out {
	struct ks_ui_cmd *cmds;
	size_t n, cap;
};

void ks_ui_out_init(struct ks_ui_out *out);
void ks_ui_out_fini(struct ks_ui_out *out);

/* ---- the console's state ---- */
enum ks_screen {
	KS_SCREEN_MAIN = 0, KS_SCREEN_SCENARIOS, KS_SCREEN_CANDIDATES,
	KS_SCREEN_DIFF, KS_SCREEN_BANK, KS_SCREEN_GOAL, KS_SCREEN_MOMENTS,
	KS_SCREEN_ITEM, KS_SCREEN_HELP, KS_SCREEN_QUEUE,
	KS_SCREENS
};

enum ks_focus { KS_FOCUS_LIVE = 0, KS_FOCUS_BARS, KS_FOCUS_GOAL };

enum ks_ask { KS_ASK_NONE = 0, KS_ASK_QUIT, KS_ASK_INTERRUPT, KS_ASK_STOP, KS_ASK_START };

/* What is being typed. */
enum ks_typing {
	KS_TYPING_NONE = 0, KS_TYPING_SAY, KS_TYPING_NOTE, KS_TYPING_COMMAND,
	KS_TYPING_SEARCH, KS_TYPING_REJECT, KS_TYPING_FORM
};

enum ks_live_filter {
	KS_LIVE_ALL = 0, KS_LIVE_WORDS, KS_LIVE_CALLS, KS_LIVE_EVALS,
	KS_LIVE_FILTERS
};

/* A place in a list: rows are numbered from 0. */
struct ks_place {
	size_t cursor;
	size_t top;
	int left;            /* columns scrolled to the right (texts) */
};

struct ks_live {
	bool follow;
	size_t top, cursor;  /* indexes into state->rows while not following */
	size_t seen;         /* rows there were when following ended */
	enum ks_live_filter filter;
};

#define KS_UI_DEPTH 8
#define KS_UI_BANNER_US 500000
#define KS_UI_FLASH_US 8000000
#define KS_UI_SECONDS 120 /* a wait longer than this is told in minutes */

struct ks_ui {
	int w, h;                    /* of the screen                       */
	bool ascii;
	bool read_only;              /* another console has the word        */
	bool lost;                   /* the engine's socket is closed       */
	bool greeting;               /* the engine has not answered yet     */
	char holder[64];             /* who has the word, "" unknown        */
	bool fresh;                  /* just opened: who came reads yet     */
	int64_t wait_until;          /* of the wait that each key puts off, as the engine
	                              * pushes it; 0: the log's own         */
	struct ks_keymap keys;

	enum ks_screen stack[KS_UI_DEPTH]; /* [0] is the main screen        */
	int depth;                   /* of the top one                      */
	enum ks_focus focus;
	bool on_moment;              /* the banner has the focus            */
	int64_t moment_id;           /* the banner's moment, 0 none         */
	int64_t moment_us;           /* since when it is on screen          */
	int offer;                   /* selected offer                      */
	bool on_asks;                /* what the agent asks has the focus   */
	int ask_at;                  /* which of them is shown              */
	char ask_id[64];             /* its id                              */
	int64_t ask_us;              /* since when it is on screen          */
	int form_field;              /* of a form: which is filled now      */
	struct ks_buf form;          /* members of those that are filled    */
	int64_t revises;             /* waiting message that the draft replaces, or 0 */
	enum ks_ask ask;

	enum ks_typing typing;
	struct ks_edit draft;        /* to the agent                        */
	struct ks_edit entry;        /* note, command or search             */
	int64_t answers;             /* moment that the draft answers, or 0 */
	char question[16];           /* bank id that it asks, or ""         */
	char *said;                  /* the last message, for ks_ui_unsent  */
	int64_t said_answers;
	char said_question[16];
	struct ks_buf parked;        /* draft put aside for an answer       */
	bool has_parked;

	struct ks_live live;
	struct ks_place place[KS_SCREENS];
	char filter[KS_SCREENS][64]; /* what a list is narrowed to          */
	char search[64];             /* last search                         */
	bool searching, backwards;   /* a search of the live view goes on   */
	bool around;                 /* it has passed the end once          */
	size_t search_at, search_left; /* its row; rows it has not seen     */
	size_t hit[KS_SCREENS];      /* row of the last hit + 1, 0: none    */
	int sort[KS_SCREENS];
	int bank_group;              /* -1: all                             */
	bool bank_offers;            /* only what fits the open moment      */
	int shown;                   /* candidate (index) in the scenarios view, -1: the champion */
	int diff_a, diff_b;          /* candidates' indexes                 */
	int marked;                  /* candidate index or -1               */
	int item_scenario;           /* scenario in the item view, -1: an event */
	int item_candidate;          /* whose figures, -1: as in the list   */
	int64_t item_seq;            /* event in the item view              */
	int64_t item_end;            /* its end's seq, 0: none              */
	struct ks_buf item;          /* its text, made safe                 */
	uint32_t *item_rows;         /* where each of its rows starts       */
	size_t n_item_rows, cap_item_rows;
	int item_width;              /* that the rows were made for         */

	/* how far the running evaluation is, as the engine pushes it */
	int64_t progress_eval;       /* its id, 0 unknown                   */
	char progress_phase[16];     /* "check", "time"; foreign            */
	int progress_i, progress_n;

	char flash[200];             /* one line in place of the footer     */
	bool flash_bad;
	int64_t flash_us;            /* since when it is on screen, 0: not yet */
};

void ks_ui_init(struct ks_ui *ui);
void ks_ui_fini(struct ks_ui *ui);

/* Shows one line in the footer until the next key, the next moment, or for
 * KS_UI_FLASH_US. Sanitised when drawn. */
void ks_ui_flash(struct ks_ui *ui, bool bad, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The last message could not be given to the engine: it goes back into the draft,
 * unless something else is there by now (the history has it in any case). */
void ks_ui_unsent(struct ks_ui *ui);

/* After the state changed, the size changed, or time passed: notes which moment
 * is on screen since when, and keeps places inside their lists. data->now must
 * be set. */
void ks_ui_update(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data);
/* One key. Commands are appended to out. */
void ks_ui_key(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, const struct ks_key *key,
	struct ks_ui_out *out);
/* A slice of a search that goes on; call when nothing else is to be done. */
bool ks_ui_busy(const struct ks_ui *ui);
void ks_ui_tick(struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data);
/* Draws the whole screen into grid, which has the size (w, h). Asks data for
 * the events of visible rows only. */
void ks_ui_draw(const struct ks_ui *ui, const struct ks_state *state,
	const struct ks_view_data *data, struct ks_grid *grid);
/* When the screen changes by time alone (a clock of something that runs), in
 * microseconds since 1970; -1: never. */
int64_t ks_ui_next_change(const struct ks_ui *ui, const struct ks_state *state,
	int64_t now);
/* A line for the terminal's title. out of 100 bytes at least. */
void ks_ui_title(const struct ks_ui *ui, const struct ks_state *state, char *out,
	size_t size);
/* The draft for a side file, and back; "" for none. One that was put aside comes
 * first. */
void ks_ui_draft(const struct ks_ui *ui, struct ks_buf *out);
void ks_ui_restore(struct ks_ui *ui, struct ks_str draft);

/* ---- without a screen ---- */
/* One event as one plain line (time, who, what), for --plain and for scripts;
 * false for events that are no line of their own (parts of an evaluation,
 * hashes). state is that after the event. */
bool ks_view_line(const struct ks_state *state, const struct ks_event *event,
	bool ascii, struct ks_buf *out);

#endif
