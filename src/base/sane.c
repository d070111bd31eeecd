/*
 * The sanitiser. The text is cut into lines; each line is read once, code point
 * by code point, and every code point is shown, replaced or refused by its
 * class. Invariants: no C0 (but LF in line mode), DEL, C1 or hidden code point
 * ever reaches the output; an escape sequence never reaches across a newline,
 * so that an unterminated one cannot swallow later lines; the time is linear.
 */
#include "base/sane.h"

#include <assert.h>
#include <string.h>

#include "base/utf8.h"

#define TAB_STOP 8
/* More combining marks than this on one base paint over neighbour lines. */
#define MARKS_MAX 4

struct sane {
	struct ks_buf *out;
	struct ks_str in; /* the line being read */
	size_t at;
	unsigned flags;
	size_t changed;
	size_t measured; /* bytes of out whose columns are counted in col */
	size_t col;
	enum ks_utf8_class base; /* class of the last base that marks can join;
	                          * KS_UTF8_HIDDEN: there is none              */
	int32_t last;            /* code point shown last                      */
	unsigned marks;
};

static void put(struct sane *s, const char *text)
{
	ks_buf_adds(s->out, text);
	s->base = KS_UTF8_HIDDEN;
	s->last = 0;
}

static void put_control(struct sane *s, int32_t cp)
{
	s->changed++;
	if (cp >= 0x80) {
		ks_buf_addf(s->out, "<U+%04X>", (unsigned)cp);
	} else if (s->flags & KS_SANE_ASCII) {
		ks_buf_addc(s->out, '^');
		ks_buf_addc(s->out, (char)(cp ^ 0x40));
	} else {
		char bytes[4];

		ks_buf_add(s->out, bytes, ks_utf8_encode(cp == 0x7f ? 0x2421 : 0x2400 + cp, bytes));
	}
	put(s, "");
}

static void put_hidden(struct sane *s, int32_t cp)
{
	s->changed++;
	ks_buf_addf(s->out, "<U+%04X>", (unsigned)cp);
	put(s, "");
}

/* Length of the string sequence's payload and end at p: ST, BEL, CAN or SUB
 * close it; another ESC cuts it off; without any it runs to the line's end. */
static size_t string_length(const char *p, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		unsigned char c = (unsigned char)p[i];

		if (c == 0x07 || c == 0x18 || c == 0x1a) {
			return i + 1;
		}
		if (c == 0x1b) {
			return i + 1 < len && p[i + 1] == '\\' ? i + 2 : i;
		}
		if (c == 0xc2 && i + 1 < len && (unsigned char)p[i + 1] == 0x9c) {
			return i + 2;
		}
	}
	return len;
}

static size_t run_length(const char *p, size_t len, unsigned char low, unsigned char high)
{
	size_t i = 0;

	while (i < len && (unsigned char)p[i] >= low && (unsigned char)p[i] <= high) {
		i++;
	}
	return i;
}

static size_t csi_length(const char *p, size_t len)
{
	size_t n = run_length(p, len, 0x30, 0x3f);

	n += run_length(p + n, len - n, 0x20, 0x2f);
	if (n < len && p[n] >= 0x40 && p[n] <= 0x7e) {
		n++;
	}
	return n;
}

/* Bytes of the escape sequence that follow its introducer. `kind` is the
 * introducer's 7-bit letter, 0 for a lone ESC whose letter is at p. */
static size_t sequence_length(const char *p, size_t len, char kind)
{
	size_t skip = 0, n;

	if (kind == 0) {
		if (len == 0) {
			return 0;
		}
		kind = p[0];
		skip = 1;
	}
	switch (kind) {
	case '[':
		return skip + csi_length(p + skip, len - skip);
	case 'P':
	case 'X':
	case ']':
	case '^':
	case '_':
	case 'k': /* title of screen and tmux */
		return skip + string_length(p + skip, len - skip);
	default:
		break;
	}
	n = run_length(p, len, 0x20, 0x2f);
	if (n < len && p[n] >= 0x30 && p[n] <= 0x7e) {
		return n + 1;
	}
	return n;
}

/* The letter that stands for a C1 introducer after ESC, or 0. */
static char c1_kind(int32_t cp)
{
	switch (cp) {
	case 0x90:
	case 0x98:
	case 0x9b:
	case 0x9d:
	case 0x9e:
	case 0x9f:
		return (char)(cp - 0x40);
	default:
		return 0;
	}
}

static void put_tab(struct sane *s)
{
	if (s->flags & KS_SANE_ONE_LINE) {
		put(s, " ");
		return;
	}
	s->col += ks_utf8_columns(s->out->ptr + s->measured, s->out->len - s->measured);
	do {
		put(s, " ");
		s->col++;
	} while (s->col % TAB_STOP != 0);
	s->measured = s->out->len;
}

static void take_control(struct sane *s, int32_t cp)
{
	char kind = c1_kind(cp);

	if (cp == '\t') {
		put_tab(s);
	} else if (cp == 0x1b || kind) {
		s->at += sequence_length(s->in.ptr + s->at, s->in.len - s->at, kind);
		put_control(s, 0x1b);
	} else {
		put_control(s, cp);
	}
}

static enum ks_utf8_class next_class(const struct sane *s, int32_t *out_cp)
{
	*out_cp = 0;
	if (s->at == s->in.len) {
		return KS_UTF8_HIDDEN;
	}
	ks_utf8_decode(s->in.ptr + s->at, s->in.len - s->at, out_cp);
	return ks_utf8_class(*out_cp);
}

static bool is_keycap(int32_t cp)
{
	return (cp >= '0' && cp <= '9') || cp == '#' || cp == '*';
}

/* Whether this joiner, selector, tone or mark belongs to what stands before. */
static bool joins(struct sane *s, enum ks_utf8_class class)
{
	int32_t next;

	switch (class) {
	case KS_UTF8_JOINER:
		return s->base == KS_UTF8_PICTO && s->last != 0x200d &&
			next_class(s, &next) == KS_UTF8_PICTO;
	case KS_UTF8_SELECTOR:
		if (s->base == KS_UTF8_PICTO) {
			return ks_utf8_class(s->last) == KS_UTF8_PICTO;
		}
		/* a keycap: digit, selector, enclosing square */
		next_class(s, &next);
		return next == 0x20e3 && is_keycap(s->last);
	case KS_UTF8_MARK:
		return s->base != KS_UTF8_HIDDEN && s->last != 0x200d && s->marks < MARKS_MAX;
	case KS_UTF8_TONE:
		return s->base == KS_UTF8_PICTO && (s->last == 0xfe0f ||
			ks_utf8_class(s->last) == KS_UTF8_PICTO);
	default:
		return true;
	}
}

static void put_shown(struct sane *s, enum ks_utf8_class class, int32_t cp, const char *bytes,
	size_t len)
{
	if (!(s->flags & KS_SANE_ASCII) || cp < 0x80) {
		ks_buf_add(s->out, bytes, len);
	} else if (class != KS_UTF8_MARK && class != KS_UTF8_JOINER &&
		class != KS_UTF8_SELECTOR && class != KS_UTF8_TONE && s->last != 0x200d) {
		ks_buf_adds(s->out, ks_utf8_width(bytes, len) == 2 ? "??" : "?");
	}
	if (class == KS_UTF8_MARK) {
		s->marks++;
	} else if (class == KS_UTF8_PLAIN || class == KS_UTF8_PICTO) {
		s->base = class;
		s->marks = 0;
	}
	s->last = cp;
}

static void take_one(struct sane *s)
{
	const char *bytes = s->in.ptr + s->at;
	enum ks_utf8_class class;
	int32_t cp;
	size_t n = ks_utf8_decode(bytes, s->in.len - s->at, &cp);

	s->at += n;
	if (cp == 0xfffd) {
		s->changed += n == 1;
		put(s, s->flags & KS_SANE_ASCII ? "?" : "\xef\xbf\xbd");
		return;
	}
	class = ks_utf8_class(cp);
	if (class == KS_UTF8_CONTROL) {
		take_control(s, cp);
	} else if (class == KS_UTF8_HIDDEN || !joins(s, class)) {
		put_hidden(s, cp);
	} else {
		put_shown(s, class, cp, bytes, n);
	}
}

/* Printable ASCII at the place we are: it goes through as it is. */
static size_t plain_run(const struct sane *s)
{
	return run_length(s->in.ptr + s->at, s->in.len - s->at, 0x20, 0x7e);
}

/* What a terminal would leave of a line that a program drew again and again. */
static void keep_last_state(struct sane *s)
{
	const char *cr;

	while (s->in.len > 0 && s->in.ptr[s->in.len - 1] == '\r') {
		s->in.len--;
	}
	cr = memrchr(s->in.ptr, '\r', s->in.len);
	if (cr) {
		size_t gone = (size_t)(cr - s->in.ptr) + 1;

		s->in.ptr += gone;
		s->in.len -= gone;
		s->changed++;
	}
}

static void take_line(struct sane *s)
{
	s->at = 0;
	s->measured = s->out->len;
	s->col = 0;
	s->base = KS_UTF8_HIDDEN;
	s->last = 0;
	while (s->at < s->in.len) {
		size_t n = plain_run(s);

		if (n == 0) {
			take_one(s);
			continue;
		}
		ks_buf_add(s->out, s->in.ptr + s->at, n);
		s->at += n;
		s->base = KS_UTF8_PLAIN;
		s->last = s->in.ptr[s->at - 1];
		s->marks = 0;
	}
}

size_t ks_sane(struct ks_buf *out, struct ks_str text, unsigned flags)
{
	struct sane s = {.out = out, .flags = flags};
	bool whole = (flags & (KS_SANE_ONE_LINE | KS_SANE_RAW_CR)) == 0;

	ks_buf_reserve(out, text.len);
	while (text.len > 0) {
		const char *lf = memchr(text.ptr, '\n', text.len);

		s.in = (struct ks_str){text.ptr, lf ? (size_t)(lf - text.ptr) : text.len};
		text.len -= s.in.len + (lf != NULL);
		text.ptr += s.in.len + (lf != NULL);
		if (whole) {
			keep_last_state(&s);
		} else if (!(flags & KS_SANE_RAW_CR) && lf && s.in.len > 0 &&
			s.in.ptr[s.in.len - 1] == '\r') {
			s.in.len--; /* CRLF is one newline */
		}
		take_line(&s);
		if (lf && !(flags & KS_SANE_ONE_LINE)) {
			ks_buf_addc(out, '\n');
		} else if (lf && text.len > 0) {
			ks_buf_adds(out, flags & KS_SANE_ASCII ? " / " : " \xe2\x8f\x8e ");
		}
	}
	return s.changed;
}

void ks_sane_into(char *out, size_t size, struct ks_str text, unsigned flags)
{
	struct ks_buf whole = {0};
	size_t used = 0;

	assert(size > 0);
	ks_sane(&whole, text, flags);
	while (used < whole.len) {
		size_t n = ks_utf8_grapheme(whole.ptr + used, whole.len - used);

		if (used + n >= size) {
			break;
		}
		used += n;
	}
	if (used > 0) {
		memcpy(out, whole.ptr, used);
	}
	out[used] = '\0';
	ks_buf_fini(&whole);
}
