/*
 * The key decoder. take_key looks at the front of the input and answers one of
 * three: a key (and the bytes it used), bytes to drop, or "wait for more".
 */
#include "term/keydec.h"

#include <string.h>

#include "base/utf8.h"

#define ESC 0x1b
#define SEQ_MAX 64            /* a longer CSI sequence is dropped          */
#define STRING_MAX 8192       /* an answer (OSC, DCS) longer than this too */
#define LATE_US 250000        /* the rest of a sequence after a lone ESC   */
#define PART_US 500000        /* an unfinished sequence is dropped         */

static const char paste_end[] = "\033[201~";
#define MARK_LEN (sizeof(paste_end) - 1)

void ks_keydec_init(struct ks_keydec *d)
{
	memset(d, 0, sizeof(*d));
}

void ks_keydec_fini(struct ks_keydec *d)
{
	if (d == NULL) {
		return;
	}
	ks_buf_fini(&d->in);
	ks_buf_fini(&d->paste);
	memset(d, 0, sizeof(*d));
}

void ks_keydec_learn(struct ks_keydec *d, const char *bytes, enum ks_key_kind kind)
{
	struct ks_keydec_seq *seq;
	size_t len = bytes != NULL ? strlen(bytes) : 0;

	if (len < 2 || bytes[0] != ESC || len > sizeof(seq->bytes) ||
	    d->n_seqs == sizeof(d->seqs) / sizeof(d->seqs[0])) {
		return;
	}
	seq = &d->seqs[d->n_seqs++];
	memcpy(seq->bytes, bytes, len);
	seq->len = (uint8_t)len;
	seq->kind = kind;
}

static struct ks_str rest_of(const struct ks_keydec *d)
{
	struct ks_str rest = {d->in.ptr + d->at, d->in.len - d->at};

	return rest;
}

static void use_up(struct ks_keydec *d, size_t n)
{
	d->at += n;
	if (d->at >= d->in.len) {
		ks_buf_clear(&d->in);
		d->at = 0;
	}
}

void ks_keydec_feed(struct ks_keydec *d, const void *bytes, size_t len,
	int64_t now_us)
{
	if (d->at > 0) {
		ks_buf_drop(&d->in, d->at);
		d->at = 0;
	}
	if (len > 0) {
		ks_buf_add(&d->in, bytes, len);
		d->fed_us = now_us;
	}
}

/* ---- one key ---- */

enum took { TOOK_KEY, TOOK_NOTHING, TOOK_WAIT };

/* Result of looking at the front: used bytes are to be dropped. */
struct take {
	enum took what;
	size_t used;
};

static struct take took(enum took what, size_t used)
{
	struct take t = {what, used};

	return t;
}

static void set_key(struct ks_key *key, enum ks_key_kind kind, unsigned mods,
	int32_t cp)
{
	memset(key, 0, sizeof(*key));
	key->kind = kind;
	key->mods = mods;
	key->cp = cp;
}

static void set_control(struct ks_key *key, unsigned char c)
{
	switch (c) {
	case '\r':
		set_key(key, KS_KEY_ENTER, 0, 0);
		break;
	case '\t':
		set_key(key, KS_KEY_TAB, 0, 0);
		break;
	case 0x08:
	case 0x7f:
		set_key(key, KS_KEY_BACKSPACE, 0, 0);
		break;
	default:
		set_key(key, KS_KEY_CHAR, KS_MOD_CTRL,
			c >= 1 && c <= 26 ? 'a' + c - 1 : c + 0x40);
		break;
	}
}

static bool is_shown(int32_t cp)
{
	return cp >= 0x20 && !(cp >= 0x7f && cp < 0xa0) && cp != 0xfffd;
}

/* Bytes that a UTF-8 sequence starting with c should have. */
static size_t utf8_need(unsigned char c)
{
	return c < 0xc2 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 1;
}

static struct take take_char(const char *s, size_t len, struct ks_key *key)
{
	size_t need = utf8_need((unsigned char)s[0]);
	int32_t cp;
	size_t used, i;

	for (i = 1; i < need && i < len; i++) {
		if (((unsigned char)s[i] & 0xc0) != 0x80) {
			return took(TOOK_NOTHING, i);
		}
	}
	if (len < need) {
		return took(TOOK_WAIT, 0);
	}
	used = ks_utf8_decode(s, len, &cp);
	if (!is_shown(cp)) {
		return took(TOOK_NOTHING, used);
	}
	set_key(key, KS_KEY_CHAR, 0, cp);
	return took(TOOK_KEY, used);
}

/* ---- CSI ---- */

struct csi {
	int param[4];
	int count;
	char lead;  /* private marker '<' '?' '>' '=', or 0 */
	char final;
	bool middle; /* has intermediate bytes */
};

/* s starts behind "ESC [". Gives the bytes used, 0 to wait, or -1 - n where
 * byte n cannot be part of a sequence. */
static int parse_csi(const char *s, size_t len, struct csi *csi)
{
	size_t i;

	memset(csi, 0, sizeof(*csi));
	csi->count = 1;
	for (i = 0; i < len && i < SEQ_MAX; i++) {
		unsigned char c = (unsigned char)s[i];
		int *param = &csi->param[csi->count - 1];

		if (c >= '0' && c <= '9') {
			*param = *param < 100000 ? *param * 10 + (c - '0') : *param;
		} else if (c == ';' || c == ':') {
			csi->count += csi->count < 4;
		} else if (c >= 0x3c && c <= 0x3f) {
			csi->lead = (char)c;
		} else if (c >= 0x20 && c <= 0x2f) {
			csi->middle = true;
		} else if (c >= 0x40 && c <= 0x7e) {
			csi->final = (char)c;
			return (int)i + 1;
		} else {
			return -1 - (int)i;
		}
	}
	return i >= SEQ_MAX ? -1 - (int)i : 0;
}

static unsigned mods_of(int param)
{
	unsigned bits = param > 1 ? (unsigned)param - 1 : 0;

	return bits & (KS_MOD_SHIFT | KS_MOD_ALT | KS_MOD_CTRL);
}

/* Keys whose final byte names them, in CSI and in SS3. */
static bool letter_key(char final, unsigned mods, struct ks_key *key)
{
	static const struct {
		char final;
		enum ks_key_kind kind;
		int cp;
	} list[] = {
		{'A', KS_KEY_UP, 0}, {'B', KS_KEY_DOWN, 0},
		{'C', KS_KEY_RIGHT, 0}, {'D', KS_KEY_LEFT, 0},
		{'H', KS_KEY_HOME, 0}, {'F', KS_KEY_END, 0},
		{'P', KS_KEY_F, 1}, {'Q', KS_KEY_F, 2}, {'R', KS_KEY_F, 3},
		{'S', KS_KEY_F, 4}, {'M', KS_KEY_ENTER, 0},
	};
	size_t i;

	for (i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		if (list[i].final == final) {
			set_key(key, list[i].kind, mods, list[i].cp);
			return true;
		}
	}
	return false;
}

static bool tilde_key(int number, unsigned mods, struct ks_key *key)
{
	static const struct {
		int number;
		enum ks_key_kind kind;
		int cp;
	} list[] = {
		{1, KS_KEY_HOME, 0}, {7, KS_KEY_HOME, 0}, {2, KS_KEY_INSERT, 0},
		{3, KS_KEY_DELETE, 0}, {4, KS_KEY_END, 0}, {8, KS_KEY_END, 0},
		{5, KS_KEY_PGUP, 0}, {6, KS_KEY_PGDN, 0}, {11, KS_KEY_F, 1},
		{12, KS_KEY_F, 2}, {13, KS_KEY_F, 3}, {14, KS_KEY_F, 4},
		{15, KS_KEY_F, 5}, {17, KS_KEY_F, 6}, {18, KS_KEY_F, 7},
		{19, KS_KEY_F, 8}, {20, KS_KEY_F, 9}, {21, KS_KEY_F, 10},
		{23, KS_KEY_F, 11}, {24, KS_KEY_F, 12},
	};
	size_t i;

	for (i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		if (list[i].number == number) {
			set_key(key, list[i].kind, mods, list[i].cp);
			return true;
		}
	}
	return false;
}

/* A key by its code point, as some terminals send it. */
static bool code_key(int cp, unsigned mods, struct ks_key *key)
{
	if (cp == 27) {
		set_key(key, KS_KEY_ESC, mods, 0);
	} else if (cp == 13 || cp == 9 || cp == 8 || cp == 127) {
		set_control(key, (unsigned char)cp);
		key->mods |= mods;
	} else if (is_shown(cp) && !(cp >= 0xe000 && cp < 0xf900)) {
		if (mods & KS_MOD_CTRL) {
			cp = cp >= 'A' && cp <= 'Z' ? cp + 32 : cp;
		} else {
			mods &= ~(unsigned)KS_MOD_SHIFT;
		}
		set_key(key, KS_KEY_CHAR, mods, cp);
	} else {
		return false;
	}
	return true;
}

static bool csi_key(const struct csi *csi, struct ks_key *key)
{
	unsigned mods = csi->count > 1 ? mods_of(csi->param[1]) : 0;

	if (csi->lead != 0 || csi->middle) {
		return false;
	}
	switch (csi->final) {
	case '~':
		if (csi->param[0] == 27 && csi->count > 2) {
			return code_key(csi->param[2], mods, key);
		}
		return tilde_key(csi->param[0], mods, key);
	case 'u':
		return code_key(csi->param[0], mods, key);
	case 'Z':
		set_key(key, KS_KEY_TAB, KS_MOD_SHIFT, 0);
		return true;
	case 'I':
	case 'O':
		set_key(key, KS_KEY_FOCUS, 0, csi->final == 'I');
		return true;
	case 'M':
		return false;
	default:
		return letter_key(csi->final, mods, key);
	}
}

/* s starts at "[", behind an ESC that may be gone already. */
static struct take take_csi(struct ks_keydec *d, const char *s, size_t len,
	struct ks_key *key)
{
	struct csi csi;
	int n = parse_csi(s + 1, len - 1, &csi);

	if (n == 0) {
		return took(TOOK_WAIT, 0);
	}
	if (n < 0) {
		return took(TOOK_NOTHING, 1 + (size_t)(-1 - n));
	}
	if (csi.final == '~' && csi.param[0] == 200) {
		d->pasting = true;
		d->paste_ended = false;
		ks_buf_clear(&d->paste);
		return took(TOOK_NOTHING, 1 + (size_t)n);
	}
	if (csi.final == 'M' && n == 1) { /* old mouse report: three bytes follow */
		return len < 5 ? took(TOOK_WAIT, 0) : took(TOOK_NOTHING, 5);
	}
	return took(csi_key(&csi, key) ? TOOK_KEY : TOOK_NOTHING, 1 + (size_t)n);
}

/* OSC, DCS, APC, PM, SOS: an answer of the terminal, up to BEL or ST. */
static struct take take_string(const char *s, size_t len)
{
	size_t i;

	for (i = 2; i < len && i < STRING_MAX; i++) {
		if (s[i] == 0x07) {
			return took(TOOK_NOTHING, i + 1);
		}
		if (s[i] == ESC && i + 1 < len && s[i + 1] == '\\') {
			return took(TOOK_NOTHING, i + 2);
		}
	}
	return i >= STRING_MAX ? took(TOOK_NOTHING, i) : took(TOOK_WAIT, 0);
}

static struct take take_learnt(const struct ks_keydec *d, const char *s, size_t len,
	struct ks_key *key)
{
	size_t i;

	for (i = 0; i < d->n_seqs; i++) {
		const struct ks_keydec_seq *seq = &d->seqs[i];

		if (len >= seq->len && memcmp(s, seq->bytes, seq->len) == 0) {
			set_key(key, seq->kind, 0, 0);
			return took(TOOK_KEY, seq->len);
		}
	}
	return took(TOOK_NOTHING, 0);
}

/* s starts with ESC and has at least one byte more. */
static struct take take_escape(struct ks_keydec *d, const char *s, size_t len,
	struct ks_key *key)
{
	struct take t = take_learnt(d, s, len, key);

	if (t.what == TOOK_KEY) {
		return t;
	}
	switch (s[1]) {
	case ESC:
		set_key(key, KS_KEY_ESC, 0, 0);
		return took(TOOK_KEY, 1);
	case '[':
		t = take_csi(d, s + 1, len - 1, key);
		break;
	case 'O':
		if (len < 3) {
			return took(TOOK_WAIT, 0);
		}
		return took(letter_key(s[2], 0, key) ? TOOK_KEY : TOOK_NOTHING, 3);
	case ']':
	case 'P':
	case '_':
	case '^':
	case 'X':
		return take_string(s, len);
	default:
		if ((unsigned char)s[1] < 0x20 || s[1] == 0x7f) {
			set_control(key, (unsigned char)s[1]);
			t = took(TOOK_KEY, 1);
		} else {
			t = take_char(s + 1, len - 1, key);
		}
		if (t.what == TOOK_KEY) {
			key->mods |= KS_MOD_ALT;
		}
		break;
	}
	t.used += t.what != TOOK_WAIT;
	return t;
}

/* The rest of a sequence whose ESC was given as a key a moment ago. */
static bool is_late_rest(const struct ks_keydec *d, const char *s, size_t len)
{
	return d->esc_us != 0 && d->fed_us - d->esc_us < LATE_US && len >= 2 &&
		(s[0] == '[' || s[0] == 'O') &&
		((s[1] >= 'A' && s[1] <= 'Z') || (s[1] >= '0' && s[1] <= '9'));
}

static struct take take_key(struct ks_keydec *d, struct ks_key *key)
{
	const char *s = rest_of(d).ptr;
	size_t len = rest_of(d).len;
	unsigned char c = (unsigned char)s[0];

	if (c == ESC) {
		return len == 1 ? took(TOOK_WAIT, 0) : take_escape(d, s, len, key);
	}
	if (is_late_rest(d, s, len)) {
		d->esc_us = 0;
		if (s[0] == '[') {
			return take_csi(d, s, len, key);
		}
		return took(letter_key(s[1], 0, key) ? TOOK_KEY : TOOK_NOTHING, 2);
	}
	d->esc_us = 0;
	if (c < 0x20 || c == 0x7f) {
		set_control(key, c);
		return took(TOOK_KEY, 1);
	}
	return take_char(s, len, key);
}

/* ---- paste ---- */

static size_t escape_length(const char *s, size_t len)
{
	struct csi csi;
	int n;

	if (len < 2 || s[1] != '[') {
		return 1;
	}
	n = parse_csi(s + 2, len - 2, &csi);
	return n > 0 ? 2 + (size_t)n : 1;
}

/* Appends one piece of pasted text without its control characters. */
static void add_pasted(struct ks_buf *out, const char *s, size_t len)
{
	size_t i = 0;

	while (i < len) {
		unsigned char c = (unsigned char)s[i];
		int32_t cp;
		size_t n;

		if (c == ESC) {
			i += escape_length(s + i, len - i);
			continue;
		}
		if (c == '\r') {
			i += i + 1 < len && s[i + 1] == '\n' ? 2 : 1;
			ks_buf_addc(out, '\n');
			continue;
		}
		n = ks_utf8_decode(s + i, len - i, &cp);
		if (cp == '\n' || cp == '\t' || is_shown(cp)) {
			ks_buf_add(out, s + i, n);
		}
		i += n;
	}
}

/* Whether s, the last bytes that came, may be the start of a marker. */
static size_t marker_tail(const char *s, size_t len)
{
	size_t n = len < MARK_LEN - 1 ? len : MARK_LEN - 1;

	for (; n > 0; n--) {
		if (memcmp(s + len - n, paste_end, n) == 0) {
			return n;
		}
	}
	return 0;
}

/* Moves raw input to the paste; markers are taken out, and the last one at the
 * very end of the input is remembered. */
static void collect_paste(struct ks_keydec *d)
{
	while (d->in.len > d->at) {
		struct ks_str s = rest_of(d);
		ptrdiff_t at = ks_str_find(s, KS_STR("\033[201~"));
		size_t upto = at >= 0 ? (size_t)at :
			s.len - marker_tail(s.ptr, s.len);

		if (upto > 0 && d->paste.len < KS_PASTE_MAX) {
			ks_buf_add(&d->paste, s.ptr, upto);
		}
		if (at < 0) {
			use_up(d, upto);
			return;
		}
		use_up(d, upto + MARK_LEN);
		d->paste_ended = true;
	}
}

static bool next_pasted(struct ks_keydec *d, int64_t now_us, struct ks_key *key)
{
	struct ks_buf text = {0};
	int64_t wait;

	collect_paste(d);
	wait = d->paste_ended ? KS_PASTE_WAIT_US : KS_PASTE_LOST_US;
	if (now_us - d->fed_us < wait) {
		return false;
	}
	add_pasted(&text, d->paste.ptr, d->paste.len);
	ks_buf_truncate(&text, ks_utf8_cut(text.ptr, text.len, KS_PASTE_MAX));
	ks_buf_fini(&d->paste);
	d->paste = text;
	use_up(d, rest_of(d).len);
	d->pasting = false;
	set_key(key, KS_KEY_PASTE, 0, 0);
	key->text = ks_buf_str(&d->paste);
	return true;
}

/* ---- outside ---- */

static bool is_lone_escape(const struct ks_keydec *d)
{
	return rest_of(d).len == 1 && rest_of(d).ptr[0] == ESC;
}

/* What an unfinished front becomes once its time is over: a lone ESC is a key,
 * all else is dropped. */
static bool give_up(struct ks_keydec *d, int64_t now_us, struct ks_key *key)
{
	int64_t age = now_us - d->fed_us;

	if (is_lone_escape(d)) {
		if (age < KS_ESC_WAIT_US) {
			return false;
		}
		use_up(d, 1);
		d->esc_us = now_us;
		set_key(key, KS_KEY_ESC, 0, 0);
		return true;
	}
	if (age >= PART_US) {
		use_up(d, rest_of(d).len);
	}
	return false;
}

bool ks_keydec_next(struct ks_keydec *d, int64_t now_us, struct ks_key *key)
{
	while (d->in.len > d->at || d->pasting) {
		struct take t;

		if (d->pasting) {
			return next_pasted(d, now_us, key);
		}
		t = take_key(d, key);
		if (t.what == TOOK_WAIT) {
			return give_up(d, now_us, key);
		}
		use_up(d, t.used > 0 ? t.used : 1);
		if (t.what == TOOK_KEY) {
			return true;
		}
	}
	return false;
}

int64_t ks_keydec_deadline(const struct ks_keydec *d)
{
	if (d->pasting) {
		return d->fed_us + (d->paste_ended ? KS_PASTE_WAIT_US : KS_PASTE_LOST_US);
	}
	if (d->in.len == 0) {
		return -1;
	}
	return d->fed_us + (is_lone_escape(d) ? KS_ESC_WAIT_US : PART_US);
}
