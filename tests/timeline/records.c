/* Writes records to standard output: `records sample`, a small trace; `records
 * hostile`, one whose names try to act on a terminal and are very long. */
#include <stdio.h>

#include "../unit/timeline/sample.h"

static void hostile(struct ks_buf *out)
{
	char text[2000];

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	sample_head(out, 1, "evil\x1b]52;c;aGk=\x07\nname");
	sample_text(out, KS_REC_NAME, 1, "kernel\x1b[2J\x1b[H\nsecond line");
	sample_text(out, KS_REC_NAME, 2, text);
	sample_text(out, KS_REC_NAME, 3, "\xff\xfe" "call\r");
	for (uint32_t i = 0; i < 30; i++) {
		sample_call(out, 3, 1000 + 1000 * i, 1500 + 1000 * i, i, 1);
		sample_kernel(out, 1 + i % 2, 1600 + 1000 * i, 1700 + 1000 * i, 7 + i % 20, i);
	}
	sample_add(out, 77, 0, NULL);
}

int main(int argc, char **argv)
{
	struct ks_buf out = {0};

	if (argc > 1 && strcmp(argv[1], "hostile") == 0) {
		hostile(&out);
	} else {
		sample_trace(&out);
	}
	size_t written = fwrite(out.ptr, 1, out.len, stdout);
	int status = written == out.len && fflush(stdout) == 0 ? 0 : 1;
	ks_buf_fini(&out);
	return status;
}
