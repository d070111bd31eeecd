#ifndef KSEEK_TERM_KEYDEC_H
#define KSEEK_TERM_KEYDEC_H
/*
 * From bytes of a terminal to keys. No terminal is touched here and no clock is
 * read: bytes and the time come in, keys go out, so every case is a unit test.
 *
 *  - A lone ESC is the Esc key after KS_ESC_WAIT_US without another byte. When
 *    the rest of a sequence comes late, it is still taken as that key.
 *  - Sequences that mean nothing here (answers of the terminal, mouse reports)
 *    are swallowed whole and never become typed characters.
 *  - A bracketed paste is one key. Its text is valid UTF-8; control characters
 *    and escape sequences in it are dropped, line ends become "\n". An end
 *    marker counts only when KS_PASTE_WAIT_US of silence follow it: a marker
 *    in the middle of pasted text does not end the paste, so nothing pasted is
 *    ever taken for a key.
 */
#include "canvas/key.h"

#define KS_ESC_WAIT_US 40000
#define KS_PASTE_WAIT_US 30000
#define KS_PASTE_LOST_US 3000000 /* a paste whose end never comes ends after this */
#define KS_PASTE_MAX (1u << 20)  /* bytes of a paste that are kept */

struct ks_keydec_seq {
	char bytes[15];
	uint8_t len;
	enum ks_key_kind kind;
};

struct ks_keydec {
	struct ks_buf in;
	size_t at;         /* bytes of in that are used up      */
	int64_t fed_us;    /* when the last bytes came          */
	int64_t esc_us;    /* when a lone ESC was given, or 0   */
	bool pasting, paste_ended;
	struct ks_buf paste;
	struct ks_keydec_seq seqs[24];
	size_t n_seqs;
};

void ks_keydec_init(struct ks_keydec *d);
void ks_keydec_fini(struct ks_keydec *d);
/* A key's bytes in this terminal's own description. Ignored when too long, not
 * starting with ESC, or when the table is full. */
void ks_keydec_learn(struct ks_keydec *d, const char *bytes, enum ks_key_kind kind);
void ks_keydec_feed(struct ks_keydec *d, const void *bytes, size_t len,
	int64_t now_us);
/* The next key; false when there is none yet. key->text is lent until the next
 * call. */
bool ks_keydec_next(struct ks_keydec *d, int64_t now_us, struct ks_key *key);
/* When ks_keydec_next may have a key without further bytes; -1: never. */
int64_t ks_keydec_deadline(const struct ks_keydec *d);

#endif
