#ifndef KSEEK_VIEW_KEYS_H
#define KSEEK_VIEW_KEYS_H
/*
 * The one table of commands: name, keys, where they hold, what they do. Keys
 * that are pressed, names that are typed behind ":", the footer, the help and
 * docs/keys.md all come from it.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "canvas/glyph.h"
#include "canvas/key.h"

enum ks_do {
	KS_DO_NONE = 0,
	/* everywhere but while text is typed */
	KS_DO_QUIT, KS_DO_BACK, KS_DO_HELP, KS_DO_WRITE, KS_DO_COMMAND,
	KS_DO_ANSWER, KS_DO_BANK, KS_DO_SCENARIOS, KS_DO_CANDIDATES, KS_DO_DIFF,
	KS_DO_GOAL, KS_DO_MOMENTS, KS_DO_EXPORT, KS_DO_NOTE, KS_DO_MODE,
	KS_DO_INTERRUPT, KS_DO_STOP, KS_DO_START, KS_DO_WORD, KS_DO_THEME,
	KS_DO_REPAINT, KS_DO_SUSPEND, KS_DO_PERMIT, KS_DO_QUEUE, KS_DO_AGENT_MODE,
	KS_DO_EVAL, KS_DO_NOW, KS_DO_STEER,
	/* lists and texts */
	KS_DO_UP, KS_DO_DOWN, KS_DO_PAGE_UP, KS_DO_PAGE_DOWN, KS_DO_HALF_UP,
	KS_DO_HALF_DOWN, KS_DO_TOP, KS_DO_BOTTOM, KS_DO_LEFT, KS_DO_RIGHT,
	KS_DO_OPEN, KS_DO_SEARCH, KS_DO_NEXT, KS_DO_PREVIOUS, KS_DO_FILTER,
	KS_DO_FOLLOW, KS_DO_SORT, KS_DO_MARK, KS_DO_COPY, KS_DO_NEXT_PANE,
	KS_DO_PREVIOUS_PANE, KS_DO_PANE_1, KS_DO_PANE_2, KS_DO_PANE_3,
	KS_DO_DROP, KS_DO_ACT,
	/* a moment's banner, while it has the focus */
	KS_DO_OFFER_1, KS_DO_OFFER_2, KS_DO_OFFER_3, KS_DO_CHOOSE, KS_DO_OWN_WORDS,
	KS_DO_DISMISS,
	/* what the agent asks, while its banner has the focus */
	KS_DO_ALLOW, KS_DO_ALLOW_ALWAYS, KS_DO_REJECT, KS_DO_REJECT_ALWAYS,
	KS_DO_REJECT_WORDS, KS_DO_FILL,
	/* the question on leaving */
	KS_DO_DETACH, KS_DO_STOP_ALL, KS_DO_YES, KS_DO_NO,
	KS_DO_COUNT
};

/* Where a command holds; a set. */
enum {
	KS_WHERE_MAIN = 1 << 0,
	KS_WHERE_SCENARIOS = 1 << 1,
	KS_WHERE_CANDIDATES = 1 << 2,
	KS_WHERE_DIFF = 1 << 3,
	KS_WHERE_BANK = 1 << 4,
	KS_WHERE_GOAL = 1 << 5,
	KS_WHERE_MOMENTS = 1 << 6,
	KS_WHERE_ITEM = 1 << 7,
	KS_WHERE_HELP = 1 << 8,
	KS_WHERE_QUEUE = 1 << 9,
	KS_WHERE_MOMENT = 1 << 16, /* banner with the focus: before all others */
	KS_WHERE_QUIT = 1 << 17,   /* questions: nothing else holds then       */
	KS_WHERE_ASK = 1 << 18,
	KS_WHERE_ASKS = 1 << 19,   /* what the agent asks, with the focus      */
	KS_WHERE_VIEWS = 0x3ff
};

struct ks_binding {
	enum ks_do what;
	const char *name;   /* "scenarios": typed behind ":"      */
	const char *key, *other; /* default keys; other may be NULL */
	unsigned where;
	const char *foot;   /* one word for the footer, or NULL   */
	const char *help;   /* one line                           */
};

/* All bindings in the order of the help; *count of them. Static. */
const struct ks_binding *ks_bindings(size_t *count);
const struct ks_binding *ks_binding_of(enum ks_do what);
const struct ks_binding *ks_binding_by_name(const char *name, size_t len);
/* The title of the group of a binding in the help. */
const char *ks_binding_group(const struct ks_binding *binding);

/* A person's keys: the defaults, changed by lines of a file. */
struct ks_keymap {
	struct ks_key key[KS_DO_COUNT][2]; /* kind KS_KEY_NONE: no key */
};

void ks_keymap_default(struct ks_keymap *map);
/* Lines "command key" or "command key key", which replace the command's own; "#"
 * starts a comment. KS_EINVAL, and nothing is changed, for an unknown command or
 * key, a key of the multiplexers (ctrl-b), or one that another command has in the
 * end where both hold; the message names the line. */
int ks_keymap_read(struct ks_keymap *map, struct ks_str text, struct ks_err *err);
/* The command of a key among those that hold at any place of `where`. */
enum ks_do ks_keymap_find(const struct ks_keymap *map, unsigned where,
	const struct ks_key *key);
/* Name of a command's first key, "" without, in out (24 bytes at least), which is
 * returned. What a text says of keys comes from here: a person may have others. */
const char *ks_keymap_name(const struct ks_keymap *map, enum ks_do what, char *out,
	size_t size);

/* A sign on the screen: a glyph, or letters where text is not NULL. */
struct ks_sign {
	enum ks_glyph glyph;
	const char *text;
	const char *help;
};
const struct ks_sign *ks_signs(size_t *count);
const char *ks_signs_title(void);

/* docs/keys.md. */
void ks_keys_markdown(struct ks_buf *out);

#endif
