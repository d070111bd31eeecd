/* Clusters cover any bytes without gap; cuts and fits end between them. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok) {
		abort();
	}
}

static void check_cuts(const char *s, size_t size)
{
	size_t max;

	for (max = 0; max <= size && max < 80; max++) {
		size_t cut = ks_utf8_cut(s, size, max);
		size_t fit = ks_utf8_fit(s, size, max);

		must(cut <= max && cut + 4 > max);
		must(fit <= size && ks_utf8_columns(s, fit) <= max);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *s = (const char *)data;
	size_t at = 0, cols = 0;

	while (at < size) {
		size_t n = ks_utf8_grapheme(s + at, size - at);
		int width = ks_utf8_width(s + at, n);

		must(n >= 1 && n <= 64 && n <= size - at);
		must(width >= 0 && width <= 2);
		cols += (size_t)width;
		at += n;
	}
	must(cols == ks_utf8_columns(s, size));
	check_cuts(s, size);
	return 0;
}
