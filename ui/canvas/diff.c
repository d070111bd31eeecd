/* Changed cells between two frames, as runs of whole clusters. */
#include <string.h>

#include "canvas/grid.h"

/* Runs of at most this many equal cells inside a change are sent along: moving
 * a cursor costs about as much. */
#define GAP_MAX 4

void ks_diff_init(struct ks_diff *d, const struct ks_grid *before,
	const struct ks_grid *after)
{
	memset(d, 0, sizeof(*d));
	d->after = after;
	if (before != NULL && before->w == after->w && before->h == after->h) {
		d->before = before;
	}
}

static bool same_at(const struct ks_diff *d, int x, int y)
{
	return memcmp(ks_grid_at(d->before, x, y), ks_grid_at(d->after, x, y),
		sizeof(struct ks_cell)) == 0;
}

static bool same_row(const struct ks_diff *d, int y)
{
	return memcmp(ks_grid_at(d->before, 0, y), ks_grid_at(d->after, 0, y),
		sizeof(struct ks_cell) * (size_t)d->after->w) == 0;
}

/* End (exclusive) of the run that starts at x: the last changed cell before a
 * gap of more than GAP_MAX equal ones. */
static int run_end(const struct ks_diff *d, int x, int y)
{
	int end = x + 1;
	int i;

	for (i = x + 1; i < d->after->w && i - end <= GAP_MAX; i++) {
		if (!same_at(d, i, y)) {
			end = i + 1;
		}
	}
	while (end < d->after->w && ks_grid_at(d->after, end, y)->width == 0) {
		end++;
	}
	return end;
}

bool ks_diff_next(struct ks_diff *d, struct ks_span *out)
{
	int w = d->after->w;

	for (; d->y < d->after->h; d->y++, d->x = 0) {
		int x = d->x;
		int end;

		if (w == 0 || x >= w) {
			continue;
		}
		if (d->before == NULL) {
			out->x = 0;
			out->y = d->y;
			out->len = w;
			d->x = w;
			return true;
		}
		if (x == 0 && same_row(d, d->y)) {
			continue;
		}
		while (x < w && same_at(d, x, d->y)) {
			x++;
		}
		if (x == w) {
			continue;
		}
		while (x > 0 && ks_grid_at(d->after, x, d->y)->width == 0) {
			x--;
		}
		end = run_end(d, x, d->y);
		out->x = x;
		out->y = d->y;
		out->len = end - x;
		d->x = end;
		return true;
	}
	return false;
}
