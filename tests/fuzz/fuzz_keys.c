/*
 * Any bytes from a terminal, cut anywhere, with any time between, become keys;
 * any keys leave the editor with valid text and the caret inside; and what it
 * draws stays inside of its rectangle.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "term/keydec.h"
#include "view/edit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok) {
		abort();
	}
}

static void check_text(struct ks_str text)
{
	size_t i;

	must(ks_utf8_valid(text.ptr, text.len));
	for (i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		must(c >= 0x20 || c == '\n' || c == '\t');
		must(c != 0x7f);
	}
}

static void check_editor(const struct ks_edit *e)
{
	struct ks_grid g;
	struct ks_buf text = {0};
	int y;

	must(e->caret <= e->text.len);
	ks_edit_text(e, &text);
	check_text(ks_buf_str(&text));
	ks_buf_fini(&text);
	ks_grid_init(&g, 12, 4);
	ks_edit_draw(e, &g, ks_rect_of(1, 1, 10, 2), true, KS_ROLE_PROMPT);
	must(g.caret);
	for (y = 0; y < 4; y++) {
		must(ks_grid_at(&g, 0, y)->text[0] == ' ');
		must(ks_grid_at(&g, 11, y)->text[0] == ' ');
	}
	ks_grid_fini(&g);
}

static void take_keys(struct ks_keydec *d, struct ks_edit *e, int64_t now)
{
	struct ks_key key;

	while (ks_keydec_next(d, now, &key)) {
		must(key.kind > KS_KEY_NONE && key.kind < KS_KEY_COUNT);
		check_text(key.text);
		if (key.kind == KS_KEY_ENTER && key.mods == 0) {
			ks_edit_commit(e);
		} else {
			ks_edit_key(e, &key);
		}
		check_editor(e);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ks_keydec d;
	struct ks_edit e;
	int64_t now = 1;
	size_t at = 0;

	ks_keydec_init(&d);
	ks_edit_init(&e, size > 0 && (data[0] & 1));
	while (at < size) {
		size_t n = 1 + data[at] % 7;

		n = n > size - at ? size - at : n;
		ks_keydec_feed(&d, data + at, n, now);
		take_keys(&d, &e, now);
		now += (data[at] & 0x30) == 0x30 ? 60000 : 100;
		take_keys(&d, &e, now);
		at += n;
	}
	take_keys(&d, &e, now + 10000000);
	must(ks_keydec_deadline(&d) < 0);
	ks_keydec_fini(&d);
	ks_edit_fini(&e);
	return 0;
}
