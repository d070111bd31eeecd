/* See cells.h. */
#include "term/cells.h"

#include "base/utf8.h"

/* Joiners and variation selectors: terminals differ on what they do to the
 * width of what is before them. */
static bool is_selector(int32_t cp)
{
	return cp == 0x200c || cp == 0x200d || (cp >= 0xfe00 && cp <= 0xfe0f) ||
		(cp >= 0xe0100 && cp <= 0xe01ef);
}

int ks_cell_wide(const struct ks_cell *cell, bool utf8, wchar_t out[KS_CELL_WCHARS],
	int *out_pad)
{
	size_t at = 0;
	int n = 0;
	int width = 1;
	int32_t cp;

	*out_pad = 0;
	out[0] = L' ';
	out[1] = L'\0';
	if (cell->len == 0) {
		return 1;
	}
	at = ks_utf8_decode(cell->text, cell->len, &cp);
	width = wcwidth((wchar_t)cp);
	if (width <= 0 || width > cell->width || (!utf8 && cp > 0x7e)) {
		out[0] = L'?';
		*out_pad = cell->width - 1;
		return 1;
	}
	out[n++] = (wchar_t)cp;
	while (utf8 && at < cell->len && n < KS_CELL_WCHARS - 1) {
		at += ks_utf8_decode(cell->text + at, cell->len - at, &cp);
		if (wcwidth((wchar_t)cp) != 0 || is_selector(cp)) {
			break;
		}
		out[n++] = (wchar_t)cp;
	}
	out[n] = L'\0';
	*out_pad = cell->width - width;
	return width;
}
