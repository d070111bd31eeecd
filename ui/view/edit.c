/*
 * The line editor. Invariants: text is valid UTF-8 without control characters
 * but newline and TAB; a code point of the block range is in it only where its
 * block is in the table; the caret is between clusters.
 */
#include "view/edit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/plural.h"
#include "base/sane.h"
#include "base/utf8.h"

#define BLOCK_FIRST 0xf0000 /* a private plane: stands for blocks[cp - first] */
#define BLOCK_LINES 4       /* a paste of more lines, or of more bytes, */
#define BLOCK_BYTES 800     /* is a block                               */
#define LABEL_MAX 128

void ks_edit_init(struct ks_edit *e, bool one_line)
{
	memset(e, 0, sizeof(*e));
	e->one_line = one_line;
}

void ks_edit_fini(struct ks_edit *e)
{
	size_t i;

	if (e == NULL) {
		return;
	}
	ks_buf_fini(&e->text);
	ks_buf_fini(&e->killed);
	for (i = 0; i < e->n_undo; i++) {
		free(e->undo[i].text);
	}
	for (i = 0; i < e->n_history; i++) {
		free(e->history[i]);
	}
	for (i = 0; i < e->n_blocks; i++) {
		free(e->blocks[i]);
	}
	free(e->parked);
	memset(e, 0, sizeof(*e));
}

bool ks_edit_empty(const struct ks_edit *e)
{
	return e->text.len == 0;
}

/* The block that stands at s, or NULL. */
static const char *block_at(const struct ks_edit *e, const char *s, size_t len)
{
	int32_t cp;

	if (len < 4 || (unsigned char)s[0] != 0xf3) {
		return NULL;
	}
	ks_utf8_decode(s, len, &cp);
	if (cp < BLOCK_FIRST || (size_t)(cp - BLOCK_FIRST) >= e->n_blocks) {
		return NULL;
	}
	return e->blocks[cp - BLOCK_FIRST];
}

/* Bytes of the cluster at s; a block is one by itself. */
static size_t cluster_at(const struct ks_edit *e, size_t at)
{
	const char *s = e->text.ptr + at;
	size_t len = e->text.len - at;

	return block_at(e, s, len) != NULL ? 4 : ks_utf8_grapheme(s, len);
}

static size_t previous_at(const struct ks_edit *e, size_t at)
{
	size_t start = at;
	size_t from;

	/* Clusters are short: step back to a newline or 80 bytes, go forward. */
	while (start > 0 && at - start < 80 && e->text.ptr[start - 1] != '\n') {
		start--;
	}
	while (start < at && ((unsigned char)e->text.ptr[start] & 0xc0) == 0x80) {
		start++;
	}
	if (start == at) {
		return at > 0 ? at - 1 : 0;
	}
	for (from = start; from < at;) {
		size_t next = from + cluster_at(e, from);

		if (next >= at) {
			return from;
		}
		from = next;
	}
	return from;
}

/* ---- undo ---- */

static void forget_oldest(struct ks_edit *e)
{
	free(e->undo[0].text);
	memmove(&e->undo[0], &e->undo[1], sizeof(e->undo[0]) * (KS_EDIT_UNDO - 1));
	e->n_undo--;
}

static void remember(struct ks_edit *e, bool typing)
{
	if (typing && e->typing && e->n_undo > 0) {
		return;
	}
	e->typing = typing;
	if (e->n_undo == KS_EDIT_UNDO) {
		forget_oldest(e);
	}
	e->undo[e->n_undo].text = ks_strndup(e->text.len > 0 ? e->text.ptr : "",
		e->text.len);
	e->undo[e->n_undo].caret = e->caret;
	e->n_undo++;
}

static void undo(struct ks_edit *e)
{
	struct ks_edit_state *last;

	e->typing = false;
	if (e->n_undo == 0) {
		return;
	}
	last = &e->undo[--e->n_undo];
	ks_buf_clear(&e->text);
	ks_buf_adds(&e->text, last->text);
	e->caret = last->caret <= e->text.len ? last->caret : e->text.len;
	free(last->text);
}

/* ---- changes ---- */

static size_t whole_length(const struct ks_edit *e)
{
	size_t at, total = 0;

	for (at = 0; at < e->text.len;) {
		const char *block = block_at(e, e->text.ptr + at, e->text.len - at);
		size_t len = block != NULL ? 4 : 1;

		total += block != NULL ? strlen(block) : 1;
		at += len;
	}
	return total;
}

static void insert(struct ks_edit *e, const char *s, size_t len)
{
	struct ks_buf tail = {0};

	ks_buf_add(&tail, e->text.ptr + e->caret, e->text.len - e->caret);
	ks_buf_truncate(&e->text, e->caret);
	ks_buf_add(&e->text, s, len);
	e->caret = e->text.len;
	ks_buf_add(&e->text, tail.ptr, tail.len);
	ks_buf_fini(&tail);
}

static void erase(struct ks_edit *e, size_t from, size_t to, bool keep)
{
	size_t rest;

	if (from >= to) {
		return;
	}
	if (keep) {
		ks_buf_clear(&e->killed);
		ks_buf_add(&e->killed, e->text.ptr + from, to - from);
	}
	rest = e->text.len - to;
	memmove(e->text.ptr + from, e->text.ptr + to, rest);
	ks_buf_truncate(&e->text, from + rest);
	e->caret = from;
}

/* Appends s as this editor takes it: valid, without controls and without code
 * points that would stand for a block. */
static void add_clean(const struct ks_edit *e, struct ks_buf *out, struct ks_str s)
{
	while (s.len > 0) {
		int32_t cp;
		size_t n = ks_utf8_decode(s.ptr, s.len, &cp);
		bool line = cp == '\n' || cp == '\t';

		if (line && e->one_line) {
			ks_buf_addc(out, ' ');
		} else if (cp >= BLOCK_FIRST && cp < BLOCK_FIRST + KS_EDIT_BLOCKS) {
			ks_buf_adds(out, "\xef\xbf\xbd");
		} else if (line || (cp >= 0x20 && !(cp >= 0x7f && cp < 0xa0))) {
			char bytes[4];

			ks_buf_add(out, bytes, ks_utf8_encode(cp, bytes));
		}
		s.ptr += n;
		s.len -= n;
	}
}

static size_t count_lines(const char *s, size_t len)
{
	size_t lines = 1;
	size_t i;

	for (i = 0; i < len; i++) {
		lines += s[i] == '\n' && i + 1 < len;
	}
	return lines;
}

static bool makes_block(const struct ks_edit *e, const struct ks_buf *text)
{
	return !e->one_line && e->n_blocks < KS_EDIT_BLOCKS &&
		(text->len > BLOCK_BYTES ||
		count_lines(text->ptr, text->len) > BLOCK_LINES);
}

enum ks_edit_did ks_edit_paste(struct ks_edit *e, struct ks_str text)
{
	struct ks_buf clean = {0};
	enum ks_edit_did did = KS_EDIT_DONE;

	add_clean(e, &clean, text);
	if (clean.len + whole_length(e) > KS_EDIT_MAX) {
		did = KS_EDIT_FULL;
	} else if (clean.len > 0) {
		remember(e, false);
		if (makes_block(e, &clean)) {
			char mark[4];
			size_t n = ks_utf8_encode(BLOCK_FIRST + (int32_t)e->n_blocks, mark);

			e->blocks[e->n_blocks++] = ks_strndup(clean.ptr, clean.len);
			insert(e, mark, n);
		} else {
			insert(e, clean.ptr, clean.len);
		}
	}
	ks_buf_fini(&clean);
	return did;
}

static enum ks_edit_did type_char(struct ks_edit *e, int32_t cp)
{
	struct ks_buf clean = {0};
	char bytes[4];
	struct ks_str s = {bytes, ks_utf8_encode(cp, bytes)};
	enum ks_edit_did did = KS_EDIT_FULL;

	add_clean(e, &clean, s);
	if (whole_length(e) + clean.len <= KS_EDIT_MAX) {
		remember(e, true);
		insert(e, clean.ptr, clean.len);
		did = KS_EDIT_DONE;
	}
	ks_buf_fini(&clean);
	return did;
}

/* ---- places ---- */

static size_t line_start(const struct ks_edit *e, size_t at)
{
	while (at > 0 && e->text.ptr[at - 1] != '\n') {
		at--;
	}
	return at;
}

static size_t line_end(const struct ks_edit *e, size_t at)
{
	while (at < e->text.len && e->text.ptr[at] != '\n') {
		at++;
	}
	return at;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static size_t word_left(const struct ks_edit *e, size_t at)
{
	while (at > 0 && is_blank(e->text.ptr[at - 1])) {
		at--;
	}
	while (at > 0 && !is_blank(e->text.ptr[at - 1])) {
		at = previous_at(e, at);
	}
	return at;
}

static size_t word_right(const struct ks_edit *e, size_t at)
{
	while (at < e->text.len && is_blank(e->text.ptr[at])) {
		at++;
	}
	while (at < e->text.len && !is_blank(e->text.ptr[at])) {
		at += cluster_at(e, at);
	}
	return at;
}

/* The place `column` clusters behind `start`, not past its line. */
static size_t column_at(const struct ks_edit *e, size_t start, size_t column)
{
	size_t end = line_end(e, start);

	while (column-- > 0 && start < end) {
		start += cluster_at(e, start);
	}
	return start;
}

static size_t column_of(const struct ks_edit *e)
{
	size_t at = line_start(e, e->caret);
	size_t column = 0;

	while (at < e->caret) {
		at += cluster_at(e, at);
		column++;
	}
	return column;
}

/* ---- history ---- */

static void recall(struct ks_edit *e, size_t at)
{
	const char *text;

	if (e->at_history == e->n_history) {
		free(e->parked);
		e->parked = ks_strndup(e->text.len > 0 ? e->text.ptr : "", e->text.len);
	}
	remember(e, false);
	text = at == e->n_history ? e->parked : e->history[at];
	ks_buf_clear(&e->text);
	ks_buf_adds(&e->text, text);
	e->caret = e->text.len;
	e->at_history = at;
}

static void go_up(struct ks_edit *e)
{
	size_t start = line_start(e, e->caret);

	if (start > 0) {
		e->caret = column_at(e, line_start(e, start - 1), column_of(e));
	} else if (e->at_history > 0) {
		recall(e, e->at_history - 1);
	}
}

static void go_down(struct ks_edit *e)
{
	size_t end = line_end(e, e->caret);

	if (end < e->text.len) {
		e->caret = column_at(e, end + 1, column_of(e));
	} else if (e->at_history < e->n_history) {
		recall(e, e->at_history + 1);
	}
}

void ks_edit_remember(struct ks_edit *e, struct ks_str text)
{
	char *copy;

	if (text.len == 0 || text.len > KS_EDIT_MAX) {
		return;
	}
	copy = ks_strndup(text.ptr, text.len);
	if (e->n_history > 0 && strcmp(e->history[e->n_history - 1], copy) == 0) {
		free(copy);
		return;
	}
	if (e->n_history == KS_EDIT_HISTORY) {
		free(e->history[0]);
		memmove(&e->history[0], &e->history[1],
			sizeof(e->history[0]) * (KS_EDIT_HISTORY - 1));
		e->n_history--;
	}
	e->history[e->n_history++] = copy;
	e->at_history = e->n_history;
}

void ks_edit_commit(struct ks_edit *e)
{
	struct ks_buf whole = {0};
	size_t i;

	ks_edit_text(e, &whole);
	ks_edit_remember(e, ks_buf_str(&whole));
	ks_buf_fini(&whole);
	for (i = 0; i < e->n_undo; i++) {
		free(e->undo[i].text);
	}
	for (i = 0; i < e->n_blocks; i++) {
		free(e->blocks[i]);
	}
	free(e->parked);
	e->parked = NULL;
	e->n_undo = 0;
	e->n_blocks = 0;
	e->at_history = e->n_history;
	e->typing = false;
	ks_buf_clear(&e->killed);
	ks_buf_clear(&e->text);
	e->caret = 0;
}

/* ---- whole text ---- */

void ks_edit_text(const struct ks_edit *e, struct ks_buf *out)
{
	size_t at;

	for (at = 0; at < e->text.len;) {
		const char *block = block_at(e, e->text.ptr + at, e->text.len - at);
		size_t len = block != NULL ? 4 : 1;

		if (block != NULL) {
			ks_buf_adds(out, block);
		} else {
			ks_buf_add(out, e->text.ptr + at, 1);
		}
		at += len;
	}
}

void ks_edit_set(struct ks_edit *e, struct ks_str text)
{
	remember(e, false);
	ks_buf_clear(&e->text);
	add_clean(e, &e->text, text);
	ks_buf_truncate(&e->text, ks_utf8_cut(e->text.ptr, e->text.len, KS_EDIT_MAX));
	e->caret = e->text.len;
	e->at_history = e->n_history;
}

void ks_edit_clear(struct ks_edit *e)
{
	if (e->text.len > 0) {
		remember(e, false);
		ks_buf_clear(&e->text);
	}
	e->caret = 0;
	e->at_history = e->n_history;
}

/* ---- keys ---- */

static enum ks_edit_did control_key(struct ks_edit *e, int32_t cp)
{
	size_t end = line_end(e, e->caret);

	switch (cp) {
	case 'a':
		e->caret = line_start(e, e->caret);
		break;
	case 'e':
		e->caret = end;
		break;
	case 'k':
		remember(e, false);
		erase(e, e->caret, end == e->caret && end < e->text.len ? end + 1 : end,
			true);
		break;
	case 'u':
		remember(e, false);
		erase(e, line_start(e, e->caret), e->caret, true);
		break;
	case 'w':
		remember(e, false);
		erase(e, word_left(e, e->caret), e->caret, true);
		break;
	case 'd':
		if (e->caret < e->text.len) {
			remember(e, false);
			erase(e, e->caret, e->caret + cluster_at(e, e->caret), false);
		}
		break;
	case 'y':
		remember(e, false);
		insert(e, e->killed.ptr, e->killed.len);
		break;
	case '_':
	case 'g':
		undo(e);
		return KS_EDIT_DONE;
	case 'c':
		ks_edit_clear(e);
		break;
	case 'j':
		return e->one_line ? KS_EDIT_IGNORED : type_char(e, '\n');
	default:
		return KS_EDIT_IGNORED;
	}
	e->typing = false;
	return KS_EDIT_DONE;
}

static enum ks_edit_did alt_key(struct ks_edit *e, const struct ks_key *key)
{
	if (key->kind == KS_KEY_ENTER && !e->one_line) {
		return type_char(e, '\n');
	}
	if (key->kind == KS_KEY_BACKSPACE) {
		return control_key(e, 'w');
	}
	if (key->kind == KS_KEY_LEFT || (key->kind == KS_KEY_CHAR && key->cp == 'b')) {
		e->caret = word_left(e, e->caret);
	} else if (key->kind == KS_KEY_RIGHT ||
	    (key->kind == KS_KEY_CHAR && key->cp == 'f')) {
		e->caret = word_right(e, e->caret);
	} else if (key->kind == KS_KEY_CHAR && key->cp == 'd') {
		remember(e, false);
		erase(e, e->caret, word_right(e, e->caret), true);
	} else {
		return KS_EDIT_IGNORED;
	}
	e->typing = false;
	return KS_EDIT_DONE;
}

static enum ks_edit_did named_key(struct ks_edit *e, enum ks_key_kind kind)
{
	switch (kind) {
	case KS_KEY_LEFT:
		e->caret = previous_at(e, e->caret);
		break;
	case KS_KEY_RIGHT:
		e->caret += e->caret < e->text.len ? cluster_at(e, e->caret) : 0;
		break;
	case KS_KEY_UP:
		go_up(e);
		break;
	case KS_KEY_DOWN:
		go_down(e);
		break;
	case KS_KEY_HOME:
		return control_key(e, 'a');
	case KS_KEY_END:
		return control_key(e, 'e');
	case KS_KEY_DELETE:
		return control_key(e, 'd');
	case KS_KEY_BACKSPACE:
		if (e->caret > 0) {
			remember(e, false);
			erase(e, previous_at(e, e->caret), e->caret, false);
		}
		break;
	default:
		return KS_EDIT_IGNORED;
	}
	e->typing = false;
	return KS_EDIT_DONE;
}

enum ks_edit_did ks_edit_key(struct ks_edit *e, const struct ks_key *key)
{
	unsigned mods = key->mods & ~(unsigned)KS_MOD_SHIFT;

	if (key->kind == KS_KEY_PASTE) {
		return ks_edit_paste(e, key->text);
	}
	if (mods == KS_MOD_ALT || (mods == KS_MOD_CTRL &&
	    (key->kind == KS_KEY_LEFT || key->kind == KS_KEY_RIGHT))) {
		return alt_key(e, key);
	}
	if (key->kind == KS_KEY_CHAR && mods == 0) {
		return type_char(e, key->cp);
	}
	if (key->kind == KS_KEY_CHAR && mods == KS_MOD_CTRL) {
		return control_key(e, key->cp);
	}
	return mods == 0 ? named_key(e, key->kind) : KS_EDIT_IGNORED;
}

/* ---- drawing ---- */

/* The flow of a text in rows of a width: one piece after the other. */
struct flow {
	const struct ks_edit *e;
	int width;
	bool ascii;
	size_t at;
	int x, y;
};

struct piece {
	size_t at;
	int x, y, cols;
	bool block;
	char label[LABEL_MAX];
};

static void label_of(const struct flow *f, size_t len, struct piece *p)
{
	const char *s = f->e->text.ptr + f->at;
	const char *block = block_at(f->e, s, f->e->text.len - f->at);
	struct ks_str cluster = {s, len};

	p->block = block != NULL;
	if (block != NULL) {
		size_t lines = count_lines(block, strlen(block));

		if (lines > 1) {
			snprintf(p->label, sizeof(p->label), "[%zu lines pasted]", lines);
		} else {
			snprintf(p->label, sizeof(p->label), "[%zu byte%s pasted]",
				strlen(block), ks_s((long long)strlen(block)));
		}
	} else {
		ks_sane_into(p->label, sizeof(p->label), cluster,
			KS_SANE_ONE_LINE | (f->ascii ? KS_SANE_ASCII : 0u));
	}
	p->cols = (int)ks_utf8_columns(p->label, strlen(p->label));
}

static bool ends_word(const struct ks_edit *e, size_t at)
{
	return at < e->text.len && (e->text.ptr[at] == ' ' || e->text.ptr[at] == '\n');
}

/* Whether a word begins here that ends beyond the row, and has room in one. */
static bool word_goes_down(const struct flow *f)
{
	struct flow word = *f;
	struct piece p;
	int cols = 0;

	if (f->at == 0 || !ends_word(f->e, f->at - 1) || ends_word(f->e, f->at)) {
		return false;
	}
	while (word.at < f->e->text.len && !ends_word(f->e, word.at) && cols <= f->width) {
		size_t len = cluster_at(f->e, word.at);

		label_of(&word, len, &p);
		cols += p.cols;
		word.at += len;
	}
	return cols <= f->width && f->x + cols > f->width;
}

/* Rows end at blanks, which may stand beyond the edge; a word that is longer than
 * a row is cut. */
static bool flow_next(struct flow *f, struct piece *p)
{
	size_t len;

	if (f->at >= f->e->text.len) {
		return false;
	}
	p->at = f->at;
	if (f->e->text.ptr[f->at] == '\n') {
		p->x = f->x;
		p->y = f->y;
		p->cols = 0;
		p->block = false;
		p->label[0] = '\0';
		f->at++;
		f->x = 0;
		f->y++;
		return true;
	}
	len = cluster_at(f->e, f->at);
	label_of(f, len, p);
	if (f->x >= f->width && ends_word(f->e, f->at)) {
		p->cols = 0;
	} else if (f->x > 0 && (f->x + p->cols > f->width || word_goes_down(f))) {
		f->x = 0;
		f->y++;
	}
	p->x = f->x;
	p->y = f->y;
	f->x += p->cols;
	f->at += len;
	return true;
}

/* Where the caret is; gives the number of rows. */
static int find_caret(const struct ks_edit *e, int width, bool ascii, int *x, int *y)
{
	struct flow f = {e, width < 1 ? 1 : width, ascii, 0, 0, 0};
	struct piece p;
	bool found = false;

	while (flow_next(&f, &p)) {
		if (p.at == e->caret) {
			*x = p.x < f.width ? p.x : f.width - 1;
			*y = p.y;
			found = true;
		}
	}
	if (!found) {
		if (f.x >= f.width) {
			f.x = 0;
			f.y++;
		}
		*x = f.x;
		*y = f.y;
	}
	return f.y + 1;
}

int ks_edit_rows(const struct ks_edit *e, int width, bool ascii)
{
	int x, y;
	int rows = find_caret(e, width, ascii, &x, &y);

	return rows > y ? rows : y + 1;
}

void ks_edit_draw(const struct ks_edit *e, struct ks_grid *g, struct ks_rect r,
	bool caret, unsigned style)
{
	struct flow f = {e, r.w < 1 ? 1 : r.w, g->ascii, 0, 0, 0};
	struct piece p;
	int cx, cy, top;

	find_caret(e, r.w, g->ascii, &cx, &cy);
	top = cy >= r.h ? cy - r.h + 1 : 0;
	while (flow_next(&f, &p)) {
		if (p.y - top >= r.h) {
			break;
		}
		if (p.y >= top && p.cols > 0) {
			ks_grid_puts(g, r, p.x, p.y - top, p.label,
				p.block ? (unsigned)KS_ROLE_ACCENT : style);
		}
	}
	if (caret) {
		ks_grid_caret(g, r, cx, cy - top);
	}
}
