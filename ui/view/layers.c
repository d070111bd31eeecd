/*
 * Where the agent has looked: ten letters, outside of the call first, each with
 * a bar for the evidence (measurements, recent ones weighing most). A point is
 * never measured; a small letter was edited since it was measured. With room
 * for it, a second bar shows the attention (reads and edits).
 */
#include <string.h>

#include "view/view.h"

static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char digits[] = "12345678";

/* The cell of a level 0..1; none: a point, also where it rounds to nothing. */
static const char *level_cell(double level, bool none, bool ascii, char buf[2])
{
	int step = (int)(level * 8);

	if (none) {
		return ascii ? "." : "·";
	}
	step = step > 7 ? 7 : step < 0 ? 0 : step;
	if (!ascii) {
		return bars[step];
	}
	buf[0] = digits[step];
	buf[1] = '\0';
	return buf;
}

static unsigned letter_style(const struct ks_layers *map, int layer)
{
	if (ks_layers_stale(map, layer) > 0) {
		return KS_ROLE_WARN;
	}
	return ks_layers_since(map, layer) == KS_LAYERS_NEVER ? KS_ROLE_DIM : KS_ROLE_TEXT;
}

int ks_layers_cols(bool both)
{
	return both ? KS_LAYERS * 4 - 1 : KS_LAYERS * 2;
}

void ks_layers_draw(const struct ks_view *v, struct ks_rect r, int x, int y, bool both)
{
	const struct ks_layers *map = &v->state->layers;
	bool ascii = v->ui->ascii;

	for (int i = 0; i < KS_LAYERS; i++) {
		bool never = ks_layers_since(map, i) == KS_LAYERS_NEVER;
		bool stale = ks_layers_stale(map, i) > 0;
		char letter[2] = {ks_layer_letter(i), '\0'};
		char buf[2];

		if (stale) {
			letter[0] = (char)(letter[0] | 0x20);
		}
		ks_grid_puts(v->g, r, x, y, letter, letter_style(map, i));
		ks_grid_puts(v->g, r, x + 1, y, level_cell(ks_layers_level(map->evidence, i),
			never, ascii, buf), never ? KS_ROLE_DIM : KS_ROLE_ACCENT);
		if (both) {
			ks_grid_puts(v->g, r, x + 2, y, level_cell(ks_layers_level(
				map->attention, i), !(map->attention[i] > 0.01), ascii, buf),
				KS_ROLE_DIM);
		}
		x += both ? 3 : 2;
		if (both && i + 1 < KS_LAYERS) {
			ks_grid_puts(v->g, r, x++, y, " ", KS_ROLE_TEXT);
		}
	}
}
