/* The sanitiser keeps its promise for any bytes, in every mode. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/sane.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok) {
		abort();
	}
}

static void check(const struct ks_buf *out, unsigned flags)
{
	size_t at = 0;

	must(ks_utf8_valid(ks_buf_str(out).ptr, out->len));
	while (at < out->len) {
		int32_t cp;

		at += ks_utf8_decode(out->ptr + at, out->len - at, &cp);
		if (cp == '\n' && !(flags & KS_SANE_ONE_LINE)) {
			continue;
		}
		must(ks_utf8_class(cp) != KS_UTF8_CONTROL && ks_utf8_class(cp) != KS_UTF8_HIDDEN);
		must(!(flags & KS_SANE_ASCII) || cp < 0x80);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ks_str text = {(const char *)data, size};
	struct ks_buf out = {0}, again = {0};
	unsigned flags;
	char small[24];

	for (flags = 0; flags < 8; flags++) {
		ks_buf_clear(&out);
		ks_sane(&out, text, flags);
		check(&out, flags);
		/* what is safe is left alone */
		ks_buf_clear(&again);
		must(ks_sane(&again, ks_buf_str(&out), flags) == 0);
		must(ks_str_eq(ks_buf_str(&out), ks_buf_str(&again)));
		ks_sane_into(small, sizeof(small), text, flags);
		must(ks_str_starts(ks_buf_str(&out), small));
	}
	ks_buf_fini(&out);
	ks_buf_fini(&again);
	return 0;
}
