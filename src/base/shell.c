/* See shell.h. */
#include "base/shell.h"

#include <string.h>

#include "base/sane.h"

void ks_shell_quote(struct ks_buf *out, const char *text)
{
	ks_buf_addc(out, '\'');
	ks_buf_add_replaced(out, ks_str_of(text), KS_STR("'"), KS_STR("'\\''"));
	ks_buf_addc(out, '\'');
}

/* What no shell gives a meaning to, wherever it stands. */
static bool is_plain(const char *text)
{
	return text[0] != '\0' && text[strspn(text, "abcdefghijklmnopqrstuvwxyz"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,@%+")] == '\0';
}

/* Whether it is shown as it is: no control, no letter that hides or reorders. */
static bool is_shown(const char *text)
{
	struct ks_buf safe = {0};

	ks_sane(&safe, ks_str_of(text), KS_SANE_ONE_LINE);
	bool same = ks_str_is(ks_buf_str(&safe), text);
	ks_buf_fini(&safe);
	return same;
}

void ks_shell_word(struct ks_buf *out, const char *text)
{
	if (is_plain(text)) {
		ks_buf_adds(out, text);
		return;
	}
	if (is_shown(text)) {
		ks_shell_quote(out, text);
		return;
	}
	ks_buf_adds(out, "$'");
	for (const char *at = text; *at != '\0'; at++) {
		unsigned char c = (unsigned char)*at;

		if (c == '\'' || c == '\\') {
			ks_buf_addf(out, "\\%c", c);
		} else if (c >= ' ' && c < 0x7f) {
			ks_buf_addc(out, (char)c);
		} else {
			ks_buf_addf(out, "\\%03o", c); /* always three digits: any may follow */
		}
	}
	ks_buf_addc(out, '\'');
}

void ks_shell_path(struct ks_buf *out, const char *path)
{
	struct ks_buf whole = {0};

	ks_buf_adds(&whole, path[0] == '-' ? "./" : "");
	ks_buf_adds(&whole, path);
	ks_shell_word(out, whole.ptr != NULL ? whole.ptr : "");
	ks_buf_fini(&whole);
}
