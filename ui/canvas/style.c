/*
 * Roles and themes. Only the 16 ANSI colours and the terminal's own are used,
 * so a person's palette and background stay theirs.
 */
#include "canvas/style.h"

#include <string.h>

enum {
	OWN = -1, BLACK, RED, GREEN, YELLOW, BLUE, MAGENTA, CYAN, WHITE, GREY,
	BRED, BGREEN, BYELLOW, BBLUE, BMAGENTA, BCYAN, BWHITE
};

static const struct ks_theme themes[] = {
	{"default", true, {
		[KS_ROLE_TEXT] = {OWN, OWN, 0},
		[KS_ROLE_DIM] = {OWN, OWN, KS_ATTR_DIM},
		[KS_ROLE_TITLE] = {OWN, OWN, KS_ATTR_BOLD},
		[KS_ROLE_GOOD] = {GREEN, OWN, 0},
		[KS_ROLE_BAD] = {RED, OWN, KS_ATTR_BOLD},
		[KS_ROLE_WARN] = {YELLOW, OWN, KS_ATTR_BOLD},
		[KS_ROLE_ACCENT] = {CYAN, OWN, 0},
		[KS_ROLE_BORDER] = {OWN, OWN, KS_ATTR_DIM},
		[KS_ROLE_BORDER_ON] = {CYAN, OWN, KS_ATTR_BOLD},
		[KS_ROLE_HEADER] = {OWN, OWN, KS_ATTR_BOLD},
		[KS_ROLE_PROMPT] = {OWN, OWN, 0},
		[KS_ROLE_KEY] = {CYAN, OWN, KS_ATTR_BOLD},
		[KS_ROLE_HUMAN] = {MAGENTA, OWN, KS_ATTR_BOLD},
		[KS_ROLE_AGENT] = {OWN, OWN, 0},
		[KS_ROLE_QUESTION] = {CYAN, OWN, 0},
		[KS_ROLE_ADD] = {GREEN, OWN, 0},
		[KS_ROLE_DEL] = {RED, OWN, 0},
		[KS_ROLE_HUNK] = {CYAN, OWN, KS_ATTR_DIM},
		[KS_ROLE_MATCH] = {BLACK, YELLOW, 0},
	}},
	{"light", true, {
		[KS_ROLE_TEXT] = {OWN, OWN, 0},
		[KS_ROLE_DIM] = {OWN, OWN, KS_ATTR_DIM},
		[KS_ROLE_TITLE] = {OWN, OWN, KS_ATTR_BOLD},
		[KS_ROLE_GOOD] = {GREEN, OWN, KS_ATTR_BOLD},
		[KS_ROLE_BAD] = {RED, OWN, KS_ATTR_BOLD},
		[KS_ROLE_WARN] = {MAGENTA, OWN, KS_ATTR_BOLD},
		[KS_ROLE_ACCENT] = {BLUE, OWN, 0},
		[KS_ROLE_BORDER] = {OWN, OWN, KS_ATTR_DIM},
		[KS_ROLE_BORDER_ON] = {BLUE, OWN, KS_ATTR_BOLD},
		[KS_ROLE_HEADER] = {OWN, OWN, KS_ATTR_BOLD},
		[KS_ROLE_PROMPT] = {OWN, OWN, 0},
		[KS_ROLE_KEY] = {BLUE, OWN, KS_ATTR_BOLD},
		[KS_ROLE_HUMAN] = {MAGENTA, OWN, 0},
		[KS_ROLE_AGENT] = {OWN, OWN, 0},
		[KS_ROLE_QUESTION] = {BLUE, OWN, 0},
		[KS_ROLE_ADD] = {GREEN, OWN, 0},
		[KS_ROLE_DEL] = {RED, OWN, 0},
		[KS_ROLE_HUNK] = {BLUE, OWN, KS_ATTR_DIM},
		[KS_ROLE_MATCH] = {WHITE, BLUE, 0},
	}},
	{"contrast", true, {
		[KS_ROLE_TEXT] = {BWHITE, BLACK, 0},
		[KS_ROLE_DIM] = {WHITE, BLACK, 0},
		[KS_ROLE_TITLE] = {BWHITE, BLACK, KS_ATTR_BOLD},
		[KS_ROLE_GOOD] = {BGREEN, BLACK, KS_ATTR_BOLD},
		[KS_ROLE_BAD] = {BWHITE, RED, KS_ATTR_BOLD},
		[KS_ROLE_WARN] = {BLACK, BYELLOW, KS_ATTR_BOLD},
		[KS_ROLE_ACCENT] = {BCYAN, BLACK, KS_ATTR_BOLD},
		[KS_ROLE_BORDER] = {WHITE, BLACK, 0},
		[KS_ROLE_BORDER_ON] = {BYELLOW, BLACK, KS_ATTR_BOLD},
		[KS_ROLE_HEADER] = {BWHITE, BLACK, KS_ATTR_BOLD},
		[KS_ROLE_PROMPT] = {BWHITE, BLACK, 0},
		[KS_ROLE_KEY] = {BYELLOW, BLACK, KS_ATTR_BOLD},
		[KS_ROLE_HUMAN] = {BMAGENTA, BLACK, KS_ATTR_BOLD},
		[KS_ROLE_AGENT] = {BWHITE, BLACK, 0},
		[KS_ROLE_QUESTION] = {BCYAN, BLACK, 0},
		[KS_ROLE_ADD] = {BGREEN, BLACK, 0},
		[KS_ROLE_DEL] = {BRED, BLACK, 0},
		[KS_ROLE_HUNK] = {BCYAN, BLACK, 0},
		[KS_ROLE_MATCH] = {BLACK, BYELLOW, 0},
	}},
	{"mono", false, {
		[KS_ROLE_TEXT] = {OWN, OWN, 0},
		[KS_ROLE_DIM] = {OWN, OWN, KS_ATTR_DIM},
		[KS_ROLE_TITLE] = {OWN, OWN, KS_ATTR_BOLD},
		[KS_ROLE_GOOD] = {OWN, OWN, 0},
		[KS_ROLE_BAD] = {OWN, OWN, KS_ATTR_BOLD},
		[KS_ROLE_WARN] = {OWN, OWN, KS_ATTR_BOLD | KS_ATTR_UNDERLINE},
		[KS_ROLE_ACCENT] = {OWN, OWN, KS_ATTR_BOLD},
		[KS_ROLE_BORDER] = {OWN, OWN, KS_ATTR_DIM},
		[KS_ROLE_BORDER_ON] = {OWN, OWN, KS_ATTR_BOLD},
		[KS_ROLE_HEADER] = {OWN, OWN, KS_ATTR_BOLD},
		[KS_ROLE_PROMPT] = {OWN, OWN, 0},
		[KS_ROLE_KEY] = {OWN, OWN, KS_ATTR_BOLD},
		[KS_ROLE_HUMAN] = {OWN, OWN, KS_ATTR_BOLD},
		[KS_ROLE_AGENT] = {OWN, OWN, 0},
		[KS_ROLE_QUESTION] = {OWN, OWN, 0},
		[KS_ROLE_ADD] = {OWN, OWN, KS_ATTR_BOLD},
		[KS_ROLE_DEL] = {OWN, OWN, KS_ATTR_DIM},
		[KS_ROLE_HUNK] = {OWN, OWN, KS_ATTR_UNDERLINE},
		[KS_ROLE_MATCH] = {OWN, OWN, KS_ATTR_REVERSE},
	}},
};

const struct ks_theme *ks_theme_at(size_t index)
{
	if (index >= sizeof(themes) / sizeof(themes[0])) {
		return NULL;
	}
	return &themes[index];
}

const struct ks_theme *ks_theme_find(const char *name)
{
	const struct ks_theme *theme;
	size_t i;

	if (name == NULL) {
		return &themes[0];
	}
	for (i = 0; (theme = ks_theme_at(i)) != NULL; i++) {
		if (strcmp(theme->name, name) == 0) {
			return theme;
		}
	}
	return NULL;
}

struct ks_paint ks_theme_paint(const struct ks_theme *theme, unsigned style)
{
	unsigned role = style & KS_STYLE_ROLE;
	struct ks_paint look;

	if (role >= KS_ROLE_COUNT) {
		role = KS_ROLE_TEXT;
	}
	look = theme->look[role];
	if (style & KS_STYLE_SELECTED) {
		/* One bar of one colour, whatever roles its cells have. */
		bool reversed = (look.attr & KS_ATTR_REVERSE) != 0;
		uint8_t kept = look.attr & (KS_ATTR_BOLD | KS_ATTR_UNDERLINE);

		look = theme->look[KS_ROLE_TEXT];
		look.attr = kept | KS_ATTR_REVERSE |
			(reversed ? KS_ATTR_UNDERLINE : 0);
	}
	if (style & KS_STYLE_BOLD) {
		look.attr |= KS_ATTR_BOLD;
	}
	if (style & KS_STYLE_UNDERLINE) {
		look.attr |= KS_ATTR_UNDERLINE;
	}
	return look;
}

