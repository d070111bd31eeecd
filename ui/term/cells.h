#ifndef KSEEK_TERM_CELLS_H
#define KSEEK_TERM_CELLS_H
/*
 * From the grid's cells to what ncurses is given. A cell always takes exactly
 * the columns that the grid gave it, whatever this C library thinks of its
 * width: a cluster is reduced to its base and the marks that take no column,
 * a base that is narrower gets a blank behind it, a wider one becomes "?".
 */
#include <wchar.h>

#include "canvas/grid.h"

#define KS_CELL_WCHARS 5

/* Writes the wide characters of a cell (terminated) and returns their columns,
 * 1 or 2; *out_pad is the number of blanks that follow. utf8: whether the
 * locale can show more than ASCII. */
int ks_cell_wide(const struct ks_cell *cell, bool utf8, wchar_t out[KS_CELL_WCHARS],
	int *out_pad);

#endif
