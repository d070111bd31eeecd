#ifndef KSEEK_TERM_TERM_H
#define KSEEK_TERM_TERM_H
/*
 * The terminal: modes, drawing of a grid, keys. The only user of ncurses.
 *
 * At most one at a time, since a terminal is one. Made for an event loop: watch
 * ks_term_fd for reading, then ks_term_read and ks_term_next until it says no;
 * ks_term_deadline says when to ask again without new bytes. Reading never waits;
 * drawing does not begin while the terminal takes nothing, but a frame that has
 * begun is written to its end.
 *
 * However the program ends (return, exit, a fatal signal, out of memory) the
 * terminal is put back: screen, cursor, paste mode, synchronised output, line
 * discipline.
 */
#include "base/err.h"
#include "canvas/grid.h"
#include "canvas/key.h"

struct ks_term;

struct ks_term_opts {
	int in_fd, out_fd;  /* a terminal: 0 and 1 as a rule             */
	const char *term;   /* NULL: $TERM                                */
	const char *theme;  /* NULL: "default"                            */
	bool ascii;         /* ASCII also where the locale is UTF-8       */
	bool no_color;      /* as is a non-empty $NO_COLOR                */
};

/* Takes the terminal over. KS_EUNSUPPORTED where it is none or cannot place a
 * cursor; KS_EINVAL for an unknown theme; KS_EBUSY for a second one. */
int ks_term_new(struct ks_term **out, const struct ks_term_opts *opts,
	struct ks_err *err);
void ks_term_free(struct ks_term *t);

/* A line to show once ("unknown terminal type ..."), or NULL. Lends. */
const char *ks_term_notice(const struct ks_term *t);
/* Whether grids for it must be ASCII (ks_grid.ascii). */
bool ks_term_ascii(const struct ks_term *t);
/* Columns and rows as of the last ks_term_resize. */
void ks_term_size(const struct ks_term *t, int *out_w, int *out_h);
/* Asks the terminal for its size; true when it changed. Call on SIGWINCH. */
bool ks_term_resize(struct ks_term *t);

/* ---- drawing ---- */
enum ks_term_drew {
	KS_TERM_DREW = 0,
	KS_TERM_RESIZED, /* the terminal has another size than the grid: nothing
	                  * was drawn; take ks_term_size and draw anew      */
	KS_TERM_BUSY     /* the terminal takes no bytes now: nothing was drawn;
	                  * try again when it is writable                   */
};
/* Sends what changed since the last frame; nothing when nothing did. Negative:
 * the terminal is gone. */
int ks_term_draw(struct ks_term *t, const struct ks_grid *grid, struct ks_err *err);
/* The next draw sends every cell (Ctrl-L). */
void ks_term_repaint(struct ks_term *t);
/* KS_EINVAL for an unknown name; the next draw sends every cell. */
int ks_term_theme(struct ks_term *t, const char *name, struct ks_err *err);

/* ---- keys ---- */
int ks_term_fd(const struct ks_term *t);
/* Reads what there is, at most 64 KiB, without waiting: the bytes read, 0 when
 * there is nothing, KS_EIO when the terminal is gone. now_us: monotonic. */
int ks_term_read(struct ks_term *t, int64_t now_us, struct ks_err *err);
bool ks_term_next(struct ks_term *t, int64_t now_us, struct ks_key *key);
int64_t ks_term_deadline(const struct ks_term *t); /* -1: none */

/* ---- attention, clipboard ---- */
void ks_term_title(struct ks_term *t, const char *title); /* sanitised; NULL: none */
void ks_term_bell(struct ks_term *t);
/* Offers text to the terminal's clipboard (OSC 52). False when it is too long
 * or the terminal is known not to take it; true says only that it was sent. */
bool ks_term_copy(struct ks_term *t, struct ks_str text);

/* ---- giving the terminal away for a while ---- */
void ks_term_leave(struct ks_term *t);
void ks_term_enter(struct ks_term *t); /* everything is drawn anew */
/* Ctrl-Z: leaves, stops the process group, and enters once it goes on. */
void ks_term_suspend(struct ks_term *t);

/* After SIGCONT: the shell may have changed every mode meanwhile, and tmux may
 * be attached from another terminal. Sets all anew; everything is drawn anew. */
void ks_term_resume(struct ks_term *t);

/* Puts the terminal back; safe in a signal handler; nothing where none is
 * taken. */
void ks_term_emergency(void);

#endif
