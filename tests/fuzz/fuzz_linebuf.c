/*
 * Lines of another program. What must hold: the lines are the same however the
 * bytes are cut, none is longer than the maximum, none is empty or holds its
 * newline, and every byte is in a line, in one that was dropped, or left over.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "wire/linebuf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST 48

static void collect(struct ks_linebuf *lines, struct ks_buf *out)
{
	struct ks_str line;
	enum ks_linebuf_got got;

	while ((got = ks_linebuf_next(lines, &line)) != KS_LINEBUF_NONE) {
		if (got == KS_LINEBUF_LINE) {
			assert(line.len > 0 && line.len <= MOST);
			assert(memchr(line.ptr, '\n', line.len) == NULL);
			ks_buf_addc(out, 'L');
			ks_buf_addstr(out, line);
		} else {
			assert(line.len > MOST);
			ks_buf_addf(out, "D%zu", line.len);
		}
		ks_buf_addc(out, '\n');
	}
}

static void run(const uint8_t *data, size_t size, size_t piece, struct ks_buf *out)
{
	struct ks_linebuf lines = {.max = MOST};
	struct ks_str rest;

	for (size_t at = 0; at < size;) {
		size_t len = size - at < piece ? size - at : piece;

		ks_linebuf_add(&lines, (struct ks_str){(const char *)data + at, len});
		collect(&lines, out);
		at += len;
	}
	if (ks_linebuf_last(&lines, &rest)) {
		ks_buf_addc(out, 'R');
		ks_buf_addstr(out, rest);
	}
	ks_linebuf_fini(&lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ks_buf whole = {0}, bytes = {0}, pieces = {0};

	run(data, size, size + 1, &whole);
	run(data, size, 1, &bytes);
	run(data, size, 1 + size % 13, &pieces);
	assert(ks_str_eq(ks_buf_str(&whole), ks_buf_str(&bytes)));
	assert(ks_str_eq(ks_buf_str(&whole), ks_buf_str(&pieces)));
	ks_buf_fini(&whole);
	ks_buf_fini(&bytes);
	ks_buf_fini(&pieces);
	return 0;
}
