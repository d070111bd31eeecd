#ifndef KSEEK_CANVAS_STYLE_H
#define KSEEK_CANVAS_STYLE_H
/*
 * What a cell looks like, by role and never by colour: views name a role, a
 * theme gives it a colour and attributes, and the writer at the end decides
 * what its medium can show. A theme without any colour must stay readable, so
 * each role that carries meaning also has a mark or an attribute of its own.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ks_role {
	KS_ROLE_TEXT,     /* the terminal's own colours                    */
	KS_ROLE_DIM,      /* times, units, what is there but seldom read    */
	KS_ROLE_TITLE,    /* titles of panes                                */
	KS_ROLE_GOOD,     /* holds, correct, faster                         */
	KS_ROLE_BAD,      /* does not hold, wrong, slower                   */
	KS_ROLE_WARN,     /* a moment, a caution                            */
	KS_ROLE_ACCENT,   /* the thing that is pointed at                   */
	KS_ROLE_BORDER,   /* frames and rules                               */
	KS_ROLE_BORDER_ON,/* frame of the pane with the focus               */
	KS_ROLE_HEADER,   /* the line at the top                            */
	KS_ROLE_PROMPT,   /* the prompt's mark and text                     */
	KS_ROLE_KEY,      /* a key's name in the footer or the help         */
	KS_ROLE_HUMAN,    /* said by a person                               */
	KS_ROLE_AGENT,    /* said by the agent                              */
	KS_ROLE_QUESTION, /* a question of the bank                         */
	KS_ROLE_ADD,      /* diff: added line                               */
	KS_ROLE_DEL,      /* diff: removed line                             */
	KS_ROLE_HUNK,     /* diff: place of a hunk                          */
	KS_ROLE_MATCH,    /* a hit of the search                            */
	KS_ROLE_COUNT
};

/* A style is a role with flags: `KS_ROLE_GOOD | KS_STYLE_SELECTED`. */
enum {
	KS_STYLE_ROLE = 0x0ff,
	KS_STYLE_SELECTED = 0x100, /* the chosen row: shown reversed */
	KS_STYLE_BOLD = 0x200,
	KS_STYLE_UNDERLINE = 0x400
};

enum ks_attr {
	KS_ATTR_BOLD = 1, KS_ATTR_DIM = 2, KS_ATTR_UNDERLINE = 4,
	KS_ATTR_REVERSE = 8, KS_ATTR_ITALIC = 16
};

/* Colours are the 16 of ANSI, or -1 for the terminal's own. */
struct ks_paint {
	int8_t fg;
	int8_t bg;
	uint8_t attr; /* enum ks_attr */
};

struct ks_theme {
	const char *name;
	bool color; /* false: every fg and bg is -1 */
	struct ks_paint look[KS_ROLE_COUNT];
};

/* Built-in themes: "default", "light", "contrast", "mono". NULL for an unknown
 * name; a NULL name gives the default. Static. */
const struct ks_theme *ks_theme_find(const char *name);
/* The index-th built-in theme or NULL past the end, for lists. */
const struct ks_theme *ks_theme_at(size_t index);
/* Looks of a style in a theme: the role's look with the style's flags. */
struct ks_paint ks_theme_paint(const struct ks_theme *theme, unsigned style);

#endif
