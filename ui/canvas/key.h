#ifndef KSEEK_CANVAS_KEY_H
#define KSEEK_CANVAS_KEY_H
/*
 * A key press as the terminal gives it and a view takes it. One press is one
 * struct; a paste of any length is one too.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum ks_key_kind {
	KS_KEY_NONE,
	KS_KEY_CHAR,   /* cp: a printable code point; with KS_MOD_CTRL one of a-z@[\]^_ */
	KS_KEY_ENTER, KS_KEY_ESC, KS_KEY_TAB, KS_KEY_BACKSPACE, KS_KEY_DELETE,
	KS_KEY_INSERT, KS_KEY_UP, KS_KEY_DOWN, KS_KEY_LEFT, KS_KEY_RIGHT,
	KS_KEY_HOME, KS_KEY_END, KS_KEY_PGUP, KS_KEY_PGDN,
	KS_KEY_F,      /* cp: 1..24 */
	KS_KEY_PASTE,  /* text: valid UTF-8, control characters removed but newline and TAB */
	KS_KEY_FOCUS,  /* cp: 1 the terminal window got the focus, 0 lost it */
	KS_KEY_COUNT
};

enum { KS_MOD_SHIFT = 1, KS_MOD_ALT = 2, KS_MOD_CTRL = 4 };

struct ks_key {
	enum ks_key_kind kind;
	unsigned mods;
	int32_t cp;
	struct ks_str text; /* of a paste; lent until the next key is read */
};

/* Names as people write them: "q", "?", "ctrl-l", "alt-b", "shift-tab", "up",
 * "f1", "space", "esc". */
bool ks_key_parse(const char *name, struct ks_key *out);
/* The inverse; out of 24 bytes at least; always terminated. */
void ks_key_name(const struct ks_key *key, char *out, size_t size);
bool ks_key_same(const struct ks_key *a, const struct ks_key *b);

#endif
