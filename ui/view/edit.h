#ifndef KSEEK_VIEW_EDIT_H
#define KSEEK_VIEW_EDIT_H
/*
 * A line editor over UTF-8 text of one or more lines. The caret is always
 * between grapheme clusters. A long paste is one block: it stands in the text
 * as one private code point and is put back whole when the text is taken.
 * Every change can be undone, a cleared text too.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "canvas/grid.h"
#include "canvas/key.h"

#define KS_EDIT_UNDO 64
#define KS_EDIT_HISTORY 200
#define KS_EDIT_BLOCKS 64
#define KS_EDIT_MAX (24 * 1024) /* bytes of the whole text, blocks counted */

struct ks_edit_state {
	char *text;
	size_t caret;
};

struct ks_edit {
	bool one_line;      /* no newlines: commands, searches */
	struct ks_buf text;
	size_t caret;       /* byte offset */
	struct ks_edit_state undo[KS_EDIT_UNDO];
	size_t n_undo;
	bool typing;        /* the last change was typing: one undo for a run */
	struct ks_buf killed;
	char *history[KS_EDIT_HISTORY];
	size_t n_history;
	size_t at_history;  /* n_history: the text being written */
	char *parked;       /* that text, while in the history */
	char *blocks[KS_EDIT_BLOCKS];
	size_t n_blocks;
};

void ks_edit_init(struct ks_edit *e, bool one_line);
void ks_edit_fini(struct ks_edit *e);

enum ks_edit_did {
	KS_EDIT_IGNORED, /* not a key of the editor    */
	KS_EDIT_DONE,    /* text or caret changed      */
	KS_EDIT_FULL     /* too long: nothing changed  */
};
/* Enter and Esc are the caller's. */
enum ks_edit_did ks_edit_key(struct ks_edit *e, const struct ks_key *key);

bool ks_edit_empty(const struct ks_edit *e);
/* Appends the text with its blocks put back. */
void ks_edit_text(const struct ks_edit *e, struct ks_buf *out);
/* Replaces the text (undo brings the old one back); caret at the end. */
void ks_edit_set(struct ks_edit *e, struct ks_str text);
/* Empties it, undo brings it back. */
void ks_edit_clear(struct ks_edit *e);
/* The text goes to the history, and the editor is empty. */
void ks_edit_commit(struct ks_edit *e);
/* Puts a text at the end of the history, unless it is the last one there. */
void ks_edit_remember(struct ks_edit *e, struct ks_str text);
/* Inserts text at the caret as a paste. */
enum ks_edit_did ks_edit_paste(struct ks_edit *e, struct ks_str text);
/* Rows that the text takes at a width, at least 1. */
int ks_edit_rows(const struct ks_edit *e, int width, bool ascii);
/* Draws the rows round the caret into r and shows the caret. */
void ks_edit_draw(const struct ks_edit *e, struct ks_grid *g, struct ks_rect r,
	bool caret, unsigned style);

#endif
