#ifndef KSEEK_BASE_BUF_H
#define KSEEK_BASE_BUF_H
/*
 * A growing byte buffer, and a borrowed slice. A buffer always keeps a NUL
 * behind its last byte (not counted in len), so ptr is a C string when the
 * contents hold no NUL. A zeroed struct is a valid empty buffer.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct ks_str {           /* borrowed; not NUL-terminated */
	const char *ptr;
	size_t len;
};

#define KS_STR(literal) ((struct ks_str){(literal), sizeof(literal) - 1})
/* printf arguments for "%.*s" */
#define KS_FMT(s) (int)(s).len, (s).ptr

struct ks_str ks_str_of(const char *cstr); /* NULL gives an empty slice */
bool ks_str_eq(struct ks_str a, struct ks_str b);
bool ks_str_is(struct ks_str a, const char *cstr);
bool ks_str_starts(struct ks_str a, const char *prefix);
/* Trims ASCII white space at both ends. */
struct ks_str ks_str_trim(struct ks_str a);
/* Cuts the next piece up to sep off *rest; false when nothing is left. */
bool ks_str_next(struct ks_str *rest, char sep, struct ks_str *out_piece);
/* First place of needle in hay, or -1. */
ptrdiff_t ks_str_find(struct ks_str hay, struct ks_str needle);

struct ks_buf {
	char *ptr; /* NULL while empty and never grown */
	size_t len;
	size_t cap;
};

void ks_buf_fini(struct ks_buf *buf);
void ks_buf_clear(struct ks_buf *buf); /* keeps the memory */
void ks_buf_reserve(struct ks_buf *buf, size_t extra);
void ks_buf_add(struct ks_buf *buf, const void *bytes, size_t len);
void ks_buf_adds(struct ks_buf *buf, const char *cstr);
void ks_buf_addstr(struct ks_buf *buf, struct ks_str s);
void ks_buf_addc(struct ks_buf *buf, char c);
/* Appends s with `new` for each `old`, which is not empty; how many there were. */
size_t ks_buf_add_replaced(struct ks_buf *buf, struct ks_str s, struct ks_str old,
	struct ks_str new);
void ks_buf_addf(struct ks_buf *buf, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void ks_buf_addv(struct ks_buf *buf, const char *fmt, va_list ap);
/* Removes n bytes at the front. */
void ks_buf_drop(struct ks_buf *buf, size_t n);
void ks_buf_truncate(struct ks_buf *buf, size_t len);
/* Gives the memory to the caller (free()), a NUL-terminated string, never
 * NULL; the buffer is empty afterwards. */
char *ks_buf_take(struct ks_buf *buf);
struct ks_str ks_buf_str(const struct ks_buf *buf); /* lends until the next change */

#endif
