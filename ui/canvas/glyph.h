#ifndef KSEEK_CANVAS_GLYPH_H
#define KSEEK_CANVAS_GLYPH_H
/*
 * Every glyph that the screens use, each with an ASCII twin of the same width
 * (one column), so that a terminal without UTF-8 loses beauty and nothing else.
 */
#include <stdbool.h>

enum ks_glyph {
	KS_GLYPH_H, KS_GLYPH_V,               /* ─ │   - | */
	KS_GLYPH_TL, KS_GLYPH_TR,             /* ┌ ┐   + + */
	KS_GLYPH_BL, KS_GLYPH_BR,             /* └ ┘   + + */
	KS_GLYPH_JL, KS_GLYPH_JR,             /* ├ ┤   + + */
	KS_GLYPH_JT, KS_GLYPH_JB, KS_GLYPH_X, /* ┬ ┴ ┼ + + + */
	KS_GLYPH_DOT,     /* ● *  something runs         */
	KS_GLYPH_RING,    /* ○ o  nothing runs           */
	KS_GLYPH_CALL,    /* ▸ >  a tool call            */
	KS_GLYPH_YES,     /* ✓ +  holds                  */
	KS_GLYPH_NO,      /* ✗ x  does not hold          */
	KS_GLYPH_UNKNOWN, /* ? ?  not known yet          */
	KS_GLYPH_WARN,    /* ⚠ !  a moment               */
	KS_GLYPH_STAR,    /* ★ *  champion               */
	KS_GLYPH_MORE,    /* … ~  cut text               */
	KS_GLYPH_UP, KS_GLYPH_DOWN,    /* ↑ ^   ↓ v   */
	KS_GLYPH_LEFT, KS_GLYPH_RIGHT, /* ← <   → >   */
	KS_GLYPH_MARK,    /* ┃ |  threshold in a bar     */
	KS_GLYPH_BLOCK,   /* █ #  a full cell of a bar   */
	KS_GLYPH_PLUSMINUS, /* ± ~                       */
	KS_GLYPH_TO,      /* – -  from, to              */
	KS_GLYPH_TIMES,   /* × x                         */
	KS_GLYPH_BULLET,  /* · .                         */
	KS_GLYPH_QUOTE,   /* ▏ |  quoted text's edge     */
	KS_GLYPH_COUNT
};

/* UTF-8 text of one column, or its ASCII twin; static. */
const char *ks_glyph(enum ks_glyph glyph, bool ascii);
/* Left-aligned block of eighths/8 of a cell (0: blank, 8: full). ASCII: blank
 * below 3, '-' below 6, '='; full is '#'. */
const char *ks_glyph_eighth(int eighths, bool ascii);
/* A column of level/8 height for strips (0..8). ASCII: ' ', '1' to '8'. */
const char *ks_glyph_level(int level, bool ascii);

#endif
