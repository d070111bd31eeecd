/* Names of what ran, short enough for a table: see trace.h. */
#include "timeline/trace.h"

#include <stdio.h>

#include "base/mem.h"

/* Where the arguments begin, and where the name begins behind what is returned. A
 * template's own arguments and whatever stands in parentheses are passed over. */
static bool find_parts(struct ks_str s, size_t *out_begin, size_t *out_end)
{
	size_t angle = 0, round = 0, begin = 0;

	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];
		if (c == '(' && angle == 0 && round == 0) {
			*out_begin = begin;
			*out_end = i;
			return i > begin;
		}
		if (c == '(' || c == '{') {
			round++;
		} else if (c == ')' || c == '}') {
			round -= round > 0;
		} else if (round == 0 && c == '<') {
			angle++;
		} else if (round == 0 && c == '>' && (i == 0 || s.ptr[i - 1] != '-')) {
			angle -= angle > 0;
		} else if (round == 0 && angle == 0 && c == ' ') {
			begin = i + 1;
		}
	}
	return false;
}

void ks_trace_short_name(struct ks_buf *out, const char *name)
{
	static const char *const unnamed[] = {"(anonymous namespace)::", "<unnamed>::"};
	struct ks_buf clear = {0};
	size_t begin, end;

	for (const char *s = name; *s != '\0';) {
		size_t skip = 0;
		for (size_t i = 0; i < 2; i++) {
			size_t len = strlen(unnamed[i]);
			skip = strncmp(s, unnamed[i], len) == 0 ? len : skip;
		}
		if (skip == 0) {
			ks_buf_addc(&clear, *s);
		}
		s += skip > 0 ? skip : 1;
	}
	struct ks_str text = ks_buf_str(&clear);
	if (find_parts(text, &begin, &end)) {
		text = (struct ks_str){text.ptr + begin, end - begin};
	}
	ks_buf_addstr(out, text);
	ks_buf_fini(&clear);
}

const char *ks_trace_memory_name(uint32_t kind)
{
	static const char *const names[] = {"", "pageable", "pinned", "device", "array", "managed",
		"device static", "managed static"};

	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "";
}

void ks_trace_copy_name(char *out, size_t size, uint32_t way)
{
	static const char *const names[] = {"unknown", "host to device", "device to host",
		"host to array", "array to host", "array to array", "array to device",
		"device to array", "device to device", "host to host", "peer to peer"};
	uint32_t direction = way & 0xff, from = way >> 8 & 0xff, to = way >> 16 & 0xff;
	bool up = direction == 1 || direction == 3, down = direction == 2 || direction == 4;
	const char *memory = up ? ks_trace_memory_name(from) : down ? ks_trace_memory_name(to) : "";

	snprintf(out, size, "%s%s%s",
		direction < sizeof(names) / sizeof(names[0]) ? names[direction] : names[0],
		memory[0] != '\0' ? ", " : "", memory);
}
