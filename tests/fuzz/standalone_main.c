/*
 * Runs a fuzz harness without a fuzzing engine, so that any compiler can test
 * it: over the files named on the command line, else over N pseudo-random
 * inputs (KSEEK_FUZZ_RUNS, ten thousand by default) of a fixed seed. The inputs
 * mix random bytes with pieces that parsers find interesting.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUT_MAX 512
#define FILE_MAX (16u * 1024 * 1024)

static const char *const pieces[] = {
	/* what terminals act on */
	"\x1b[", "\x1b]52;c;", "\x1b\\", "\x07", "\r", "\n", "\r\n", "\t", "\xc2\x9b",
	"\xc2\x9d", "\xe2\x80\x8d", "\xef\xb8\x8f", "\xf0\x9f\x91\xa8", "\xf0\x9f\x87\xa9",
	"\xcc\x81", "\xe2\x80\xae", "\xef\xbb\xbf", "\xed\xa0\x80", "\xf0\x9f",
	"\xe6\xbc\xa2", "\xff",
	/* what JSON is made of */
	"{", "}", "[", "]", ",", ":", "\"", "\\", "\\u0000", "\\ud83d", "\\ude00", "\"a\":",
	"\"b\":1,", "null", "true", "false", "-0", "1e309", "0.1", "9007199254740993", " ",
	"{\"k\":[", "]}", "[[", "]]",
};

static uint32_t next(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return (uint32_t)(*x >> 32);
}

static void make_input(struct ks_buf *input, uint64_t *x)
{
	size_t want = next(x) % INPUT_MAX;
	uint32_t style = next(x) % 4;

	ks_buf_clear(input);
	while (input->len < want) {
		uint32_t r = next(x);

		if (r % 4 < style) {
			ks_buf_adds(input, pieces[r / 4 % (sizeof(pieces) / sizeof(pieces[0]))]);
		} else if (style == 3) {
			ks_buf_addc(input, (char)(0x20 + r / 4 % 0x5f));
		} else {
			ks_buf_addc(input, (char)(r >> 8));
		}
	}
}

static void run_random(long runs)
{
	uint64_t x = UINT64_C(0x9e3779b97f4a7c15);
	struct ks_buf input = {0};
	long i;

	for (i = 0; i < runs; i++) {
		/* an exact allocation, so that a read behind the end is seen */
		uint8_t *copy;

		make_input(&input, &x);
		copy = malloc(input.len + !input.len);
		if (!copy) {
			abort();
		}
		memcpy(copy, ks_buf_str(&input).ptr, input.len);
		LLVMFuzzerTestOneInput(copy, input.len);
		free(copy);
	}
	ks_buf_fini(&input);
	printf("%ld inputs\n", runs);
}

static int run_file(const char *path)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_buf bytes = {0};

	if (ks_file_read(&bytes, path, FILE_MAX, &err) < 0) {
		fprintf(stderr, "%s\n", err.msg);
		return 1;
	}
	LLVMFuzzerTestOneInput((const uint8_t *)ks_buf_str(&bytes).ptr, bytes.len);
	ks_buf_fini(&bytes);
	return 0;
}

int main(int argc, char **argv)
{
	const char *runs = getenv("KSEEK_FUZZ_RUNS");
	int i, bad = 0;

	if (argc < 2) {
		run_random(runs ? strtol(runs, NULL, 10) : 10000);
	}
	for (i = 1; i < argc; i++) {
		bad += run_file(argv[i]);
	}
	return bad ? 1 : 0;
}
