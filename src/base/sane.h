#ifndef KSEEK_BASE_SANE_H
#define KSEEK_BASE_SANE_H
/*
 * The sanitiser of foreign text: whatever an agent, a tool, a kernel, a log or
 * a file holds, what leaves here is valid UTF-8 that cannot move a cursor,
 * change colours, reorder or hide text, or reach the terminal's interpreter.
 * Everything that is shown, printed or exported as text passes here once.
 *
 *   C0, DEL, C1           visible placeholders: ␛ ␀ … (ASCII mode: ^[ ^@ …)
 *   whole escape sequences (CSI, OSC, DCS, APC, PM, SOS, also unterminated)
 *                         one placeholder, their payload dropped
 *   bidi controls, zero-width and other format characters, tags, BOM
 *                         <U+202E> in angle brackets
 *   ZWJ and variation selectors inside an emoji cluster stay
 *   invalid bytes         U+FFFD
 *   line mode: a newline ends a line; in a progress line with CR (not CRLF)
 *                         what follows the last CR wins, as on a terminal;
 *                         TAB becomes spaces to the next multiple of 8
 *   an escape sequence ends before a newline at the latest, so that an
 *   unterminated one hides nothing of the next line; combining marks without a
 *   base, or more than four on one, show as <U+0301>
 */
#include "base/buf.h"

enum ks_sane_flags {
	KS_SANE_ONE_LINE = 1, /* newlines become " ⏎ " (ASCII: " / "), but for one at
	                       * the very end, which goes; TAB a space; a CR that is
	                       * not part of CRLF is a placeholder                */
	KS_SANE_ASCII = 2,    /* every placeholder in ASCII; other non-ASCII text as
	                       * "?" columns                                      */
	KS_SANE_RAW_CR = 4    /* show CR as a placeholder, keep all text         */
};

/* Appends the safe form of text. Returns the number of places changed: what was
 * replaced or dropped. Tabs, newlines and the "?" of ASCII mode do not count, so
 * that ordinary text gives 0. */
size_t ks_sane(struct ks_buf *out, struct ks_str text, unsigned flags);
/* Same into a fixed array, cut between clusters; always terminated. */
void ks_sane_into(char *out, size_t size, struct ks_str text, unsigned flags);

#endif
