/*
 * Growing byte buffer and borrowed slices. Invariant: while ptr is not NULL,
 * cap > len and ptr[len] is NUL.
 */
#include "base/buf.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct ks_str ks_str_of(const char *cstr)
{
	return (struct ks_str){cstr, cstr ? strlen(cstr) : 0};
}

bool ks_str_eq(struct ks_str a, struct ks_str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

bool ks_str_is(struct ks_str a, const char *cstr)
{
	return ks_str_eq(a, ks_str_of(cstr));
}

bool ks_str_starts(struct ks_str a, const char *prefix)
{
	size_t n = prefix ? strlen(prefix) : 0;

	return a.len >= n && (n == 0 || memcmp(a.ptr, prefix, n) == 0);
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

struct ks_str ks_str_trim(struct ks_str a)
{
	while (a.len > 0 && is_space(a.ptr[0])) {
		a.ptr++;
		a.len--;
	}
	while (a.len > 0 && is_space(a.ptr[a.len - 1])) {
		a.len--;
	}
	return a;
}

bool ks_str_next(struct ks_str *rest, char sep, struct ks_str *out_piece)
{
	const char *at;
	size_t n;

	if (rest->len == 0) {
		return false;
	}
	at = memchr(rest->ptr, sep, rest->len);
	n = at ? (size_t)(at - rest->ptr) : rest->len;
	*out_piece = (struct ks_str){rest->ptr, n};
	if (at) {
		n++;
	}
	rest->ptr += n;
	rest->len -= n;
	return true;
}

ptrdiff_t ks_str_find(struct ks_str hay, struct ks_str needle)
{
	const char *at;

	if (needle.len == 0) {
		return 0;
	}
	if (hay.len < needle.len) {
		return -1;
	}
	at = memmem(hay.ptr, hay.len, needle.ptr, needle.len);
	return at ? at - hay.ptr : -1;
}

void ks_buf_fini(struct ks_buf *buf)
{
	if (buf) {
		free(buf->ptr);
		*buf = (struct ks_buf){0};
	}
}

void ks_buf_clear(struct ks_buf *buf)
{
	ks_buf_truncate(buf, 0);
}

void ks_buf_reserve(struct ks_buf *buf, size_t extra)
{
	/* a sum that wraps asks for more than there is: ks_grow then aborts */
	size_t need = extra < SIZE_MAX - buf->len ? buf->len + extra + 1 : SIZE_MAX;
	bool fresh = !buf->ptr;

	if (need > buf->cap) {
		if (buf->cap == 0 && need < 64) {
			need = 64;
		}
		ks_grow(&buf->ptr, &buf->cap, need, 1);
	}
	if (fresh) {
		buf->ptr[0] = '\0';
	}
}

void ks_buf_add(struct ks_buf *buf, const void *bytes, size_t len)
{
	ks_buf_reserve(buf, len);
	if (len > 0) {
		memcpy(buf->ptr + buf->len, bytes, len);
	}
	buf->len += len;
	buf->ptr[buf->len] = '\0';
}

void ks_buf_adds(struct ks_buf *buf, const char *cstr)
{
	if (cstr) {
		ks_buf_add(buf, cstr, strlen(cstr));
	}
}

void ks_buf_addstr(struct ks_buf *buf, struct ks_str s)
{
	ks_buf_add(buf, s.ptr, s.len);
}

void ks_buf_addc(struct ks_buf *buf, char c)
{
	ks_buf_add(buf, &c, 1);
}

size_t ks_buf_add_replaced(struct ks_buf *buf, struct ks_str s, struct ks_str old,
	struct ks_str new)
{
	size_t count = 0;
	ptrdiff_t at;

	while ((at = ks_str_find(s, old)) >= 0) {
		ks_buf_add(buf, s.ptr, (size_t)at);
		ks_buf_addstr(buf, new);
		s.ptr += (size_t)at + old.len;
		s.len -= (size_t)at + old.len;
		count++;
	}
	ks_buf_addstr(buf, s);
	return count;
}

void ks_buf_addv(struct ks_buf *buf, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	ks_buf_reserve(buf, 64);
	va_copy(again, ap);
	n = vsnprintf(buf->ptr + buf->len, buf->cap - buf->len, fmt, ap);
	assert(n >= 0);
	if ((size_t)n >= buf->cap - buf->len) {
		ks_buf_reserve(buf, (size_t)n);
		vsnprintf(buf->ptr + buf->len, buf->cap - buf->len, fmt, again);
	}
	va_end(again);
	buf->len += (size_t)n;
}

void ks_buf_addf(struct ks_buf *buf, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ks_buf_addv(buf, fmt, ap);
	va_end(ap);
}

void ks_buf_drop(struct ks_buf *buf, size_t n)
{
	assert(n <= buf->len);
	if (n == 0) {
		return;
	}
	buf->len -= n;
	memmove(buf->ptr, buf->ptr + n, buf->len + 1);
}

void ks_buf_truncate(struct ks_buf *buf, size_t len)
{
	assert(len <= buf->len);
	buf->len = len;
	if (buf->ptr) {
		buf->ptr[len] = '\0';
	}
}

char *ks_buf_take(struct ks_buf *buf)
{
	char *ptr;

	ks_buf_reserve(buf, 0);
	ptr = buf->ptr;
	*buf = (struct ks_buf){0};
	return ptr;
}

struct ks_str ks_buf_str(const struct ks_buf *buf)
{
	return (struct ks_str){buf->ptr ? buf->ptr : "", buf->len};
}
