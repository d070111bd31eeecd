/* A cell takes the columns that the grid gave it, on every C library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "term/cells.h"

static void columns_hold(void **state)
{
	static const char *const texts[] = {
		"a", "é", "e\xcc\x81", "日", "👍", "👍🏽", "❤️", "🇩🇪", "👩‍👩‍👧‍👦", "│", "█",
		"⚠", "✓", "✗", "…", "±", "①", "\xf0\x9f\xab\xa0", "க்ஷ", "ᄀ가",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct ks_grid g;
		int x;

		ks_grid_init(&g, 12, 1);
		ks_grid_puts(&g, ks_grid_all(&g), 0, 0, texts[i], KS_ROLE_TEXT);
		for (x = 0; x < g.w; x++) {
			const struct ks_cell *cell = ks_grid_at(&g, x, 0);
			wchar_t wide[KS_CELL_WCHARS];
			int pad, width;

			if (cell->width == 0) {
				continue;
			}
			width = ks_cell_wide(cell, true, wide, &pad);
			assert_int_equal(width + pad, cell->width);
			assert_int_equal(wcswidth(wide, wcslen(wide)), width);
			width = ks_cell_wide(cell, false, wide, &pad);
			assert_int_equal(width + pad, cell->width);
			assert_true(wide[0] < 0x7f && wide[1] == L'\0');
		}
		ks_grid_fini(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_hold),
	};

	if (setlocale(LC_CTYPE, "C.UTF-8") == NULL) {
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
