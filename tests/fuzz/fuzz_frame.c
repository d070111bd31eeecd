/*
 * Frames from a hostile peer. What must hold: a frame that is accepted is well formed;
 * what we write back for it is read back as it was meant.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void answer(const struct ks_frame *frame)
{
	struct ks_buf out = {0};
	struct ks_frame back = {0};

	if (frame->kind == KS_FRAME_PUSH) {
		return;
	}
	assert(frame->id >= 1);
	ks_frame_refuse(&out, frame->id, KS_EDENIED,
		frame->kind == KS_FRAME_REQUEST ? frame->cmd : frame->error);
	assert(memchr(out.ptr, '\n', out.len) == out.ptr + out.len - 1);
	assert(ks_frame_parse(&back, (struct ks_str){out.ptr, out.len - 1}, NULL) == 0);
	assert(back.kind == KS_FRAME_REPLY && back.id == frame->id);
	assert(!back.ok && back.code == KS_EDENIED);
	ks_frame_fini(&back);
	ks_buf_fini(&out);
}

/* Each line, as the socket's stream gives them. */
static void read_lines(struct ks_str rest)
{
	struct ks_str line;

	while (ks_str_next(&rest, '\n', &line)) {
		struct ks_frame frame = {0};

		if (ks_frame_parse(&frame, line, NULL) == 0) {
			answer(&frame);
			ks_frame_fini(&frame);
		}
	}
}

/* Any text as an argument comes back; a frame damaged at any place is read
 * without harm. */
static void carry(const uint8_t *data, size_t size)
{
	struct ks_buf args = {0}, line = {0}, printed = {0};
	struct ks_frame frame = {0};
	struct ks_jw w;

	ks_jw_init(&w, &args);
	ks_jw_open(&w, NULL);
	ks_jw_slice(&w, "text", (struct ks_str){(const char *)data, size});
	ks_jw_close(&w);
	assert(ks_frame_request(&line, 7, "say", ks_buf_str(&args), NULL) == 0);
	assert(ks_frame_parse(&frame, (struct ks_str){line.ptr, line.len - 1}, NULL) == 0);
	assert(frame.kind == KS_FRAME_REQUEST && frame.id == 7);
	ks_json_print(frame.args, &printed);
	/* Reading JSON replaces NUL. */
	assert((size > 0 && memchr(data, 0, size) != NULL) ||
		ks_str_eq(ks_buf_str(&printed), ks_buf_str(&args)));
	ks_frame_fini(&frame);
	for (size_t i = 0; i + 1 < size && i < 16; i += 2) {
		line.ptr[data[i] % line.len] = (char)data[i + 1];
	}
	if (ks_frame_parse(&frame, (struct ks_str){line.ptr, line.len - 1}, NULL) == 0) {
		answer(&frame);
		ks_frame_fini(&frame);
	}
	ks_buf_fini(&args);
	ks_buf_fini(&line);
	ks_buf_fini(&printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_lines((struct ks_str){(const char *)data, size});
	carry(data, size);
	return 0;
}
