/*
 * The glyph table. Each entry and its twin are one column wide; the unit test
 * checks that for all of them.
 */
#include "canvas/glyph.h"

static const struct {
	const char *utf8, *ascii;
} glyphs[KS_GLYPH_COUNT] = {
	[KS_GLYPH_H] = {"─", "-"}, [KS_GLYPH_V] = {"│", "|"},
	[KS_GLYPH_TL] = {"┌", "+"}, [KS_GLYPH_TR] = {"┐", "+"},
	[KS_GLYPH_BL] = {"└", "+"}, [KS_GLYPH_BR] = {"┘", "+"},
	[KS_GLYPH_JL] = {"├", "+"}, [KS_GLYPH_JR] = {"┤", "+"},
	[KS_GLYPH_JT] = {"┬", "+"}, [KS_GLYPH_JB] = {"┴", "+"},
	[KS_GLYPH_X] = {"┼", "+"},
	[KS_GLYPH_DOT] = {"●", "*"}, [KS_GLYPH_RING] = {"○", "o"},
	[KS_GLYPH_CALL] = {"▸", ">"},
	[KS_GLYPH_YES] = {"✓", "+"}, [KS_GLYPH_NO] = {"✗", "x"},
	[KS_GLYPH_UNKNOWN] = {"?", "?"}, [KS_GLYPH_WARN] = {"⚠", "!"},
	[KS_GLYPH_STAR] = {"★", "*"}, [KS_GLYPH_MORE] = {"…", "~"},
	[KS_GLYPH_UP] = {"↑", "^"}, [KS_GLYPH_DOWN] = {"↓", "v"},
	[KS_GLYPH_LEFT] = {"←", "<"}, [KS_GLYPH_RIGHT] = {"→", ">"},
	[KS_GLYPH_MARK] = {"┃", "|"}, [KS_GLYPH_BLOCK] = {"█", "#"},
	[KS_GLYPH_PLUSMINUS] = {"±", "~"}, [KS_GLYPH_TO] = {"–", "-"},
	[KS_GLYPH_TIMES] = {"×", "x"},
	[KS_GLYPH_BULLET] = {"·", "."}, [KS_GLYPH_QUOTE] = {"▏", "|"},
};

const char *ks_glyph(enum ks_glyph glyph, bool ascii)
{
	if (glyph >= KS_GLYPH_COUNT) {
		return "?";
	}
	return ascii ? glyphs[glyph].ascii : glyphs[glyph].utf8;
}

static int clamp8(int n)
{
	return n < 0 ? 0 : n > 8 ? 8 : n;
}

const char *ks_glyph_eighth(int eighths, bool ascii)
{
	static const char *const blocks[9] = {
		" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
	static const char *const twins[9] = {
		" ", " ", " ", "-", "-", "-", "=", "=", "#"};

	return (ascii ? twins : blocks)[clamp8(eighths)];
}

const char *ks_glyph_level(int level, bool ascii)
{
	static const char *const blocks[9] = {
		" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	static const char *const twins[9] = {
		" ", "1", "2", "3", "4", "5", "6", "7", "8"};

	return (ascii ? twins : blocks)[clamp8(level)];
}
