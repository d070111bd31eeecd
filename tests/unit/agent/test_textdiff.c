/* Line diffs: counts, form, bounds; and a diff applied gives the new text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/clip.h"
#include "agent/textdiff.h"
#include "base/mem.h"

static void check(const char *before, const char *after, size_t added, size_t removed,
	const char *want)
{
	struct ks_buf out = {0};
	struct ks_textdiff d = ks_textdiff(&out, "k.c", ks_str_of(before), ks_str_of(after), 4096);

	assert_int_equal(d.added, added);
	assert_int_equal(d.removed, removed);
	assert_string_equal(out.ptr != NULL ? out.ptr : "", want);
	ks_buf_fini(&out);
}

static void test_form(void **state)
{
	check("a\nb\n", "a\nb\n", 0, 0, "");
	check("", "", 0, 0, "");
	check("", "a\n", 1, 0, "--- a/k.c\n+++ b/k.c\n@@ -0,0 +1,1 @@\n+a\n");
	check("a\n", "", 0, 1, "--- a/k.c\n+++ b/k.c\n@@ -1,1 +0,0 @@\n-a\n");
	check("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", 1, 1,
		"--- a/k.c\n+++ b/k.c\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
	check("a\nb", "a\nc", 1, 1, "--- a/k.c\n+++ b/k.c\n@@ -1,2 +1,2 @@\n a\n-b\n"
		"\\ No newline at end of file\n+c\n\\ No newline at end of file\n");
	/* Far apart: two hunks. */
	check("x\n1\n2\n3\n4\n5\n6\n7\ny\n", "X\n1\n2\n3\n4\n5\n6\n7\nY\n", 2, 2,
		"--- a/k.c\n+++ b/k.c\n@@ -1,4 +1,4 @@\n-x\n+X\n 1\n 2\n 3\n"
		"@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-y\n+Y\n");
	/* A moved line is one added and one removed. */
	check("a\nb\nc\nd\n", "b\nc\nd\na\n", 1, 1,
		"--- a/k.c\n+++ b/k.c\n@@ -1,4 +1,4 @@\n-a\n b\n c\n d\n+a\n");
}

/* Applies the hunks of a diff to a text of lines. */
static void apply(struct ks_buf *out, struct ks_str before, struct ks_str diff)
{
	struct ks_str line, old;
	size_t at = 0;

	ks_str_next(&diff, '\n', &line);
	ks_str_next(&diff, '\n', &line);
	while (diff.len > 0 && ks_str_next(&diff, '\n', &line)) {
		size_t from, n;

		if (ks_str_starts(line, "@@")) {
			assert_int_equal(sscanf(line.ptr, "@@ -%zu,%zu", &from, &n), 2);
			for (; n > 0 && at + 1 < from; at++) {
				assert_true(ks_str_next(&before, '\n', &old));
				ks_buf_addf(out, "%.*s\n", KS_FMT(old));
			}
			continue;
		}
		if (line.ptr[0] != '+') {
			assert_true(ks_str_next(&before, '\n', &old));
			assert_true(ks_str_eq(old, (struct ks_str){line.ptr + 1, line.len - 1}));
			at++;
		}
		if (line.ptr[0] != '-') {
			ks_buf_addf(out, "%.*s\n", (int)line.len - 1, line.ptr + 1);
		}
	}
	ks_buf_addstr(out, before);
}

static void test_random_texts(void **state)
{
	uint32_t x = 12345;

	for (int round = 0; round < 500; round++) {
		struct ks_buf a = {0}, b = {0}, diff = {0}, got = {0};
		struct ks_textdiff d;
		size_t lines_a = 0, lines_b = 0;

		for (int i = 0; i < 40; i++) {
			x = x * 1664525 + 1013904223;
			if ((x >> 16) % 5 != 0) {
				ks_buf_addf(&a, "line %u\n", (x >> 20) % 6);
				lines_a++;
			}
			if ((x >> 18) % 5 != 0) {
				ks_buf_addf(&b, "line %u\n", (x >> 21) % 6);
				lines_b++;
			}
		}
		d = ks_textdiff(&diff, "k.c", ks_buf_str(&a), ks_buf_str(&b), 1 << 20);
		assert_int_equal(lines_a + d.added, lines_b + d.removed);
		apply(&got, ks_buf_str(&a), ks_buf_str(&diff));
		assert_string_equal(got.ptr, b.ptr);
		ks_buf_fini(&a);
		ks_buf_fini(&b);
		ks_buf_fini(&diff);
		ks_buf_fini(&got);
	}
}

static void test_bounds(void **state)
{
	struct ks_buf a = {0}, b = {0}, out = {0};
	struct ks_textdiff d;

	for (int i = 0; i < 5000; i++) {
		ks_buf_addf(&a, "a%d\n", i);
		ks_buf_addf(&b, "b%d\n", i);
	}
	ks_buf_adds(&out, "kept|");
	d = ks_textdiff(&out, "k.c", ks_buf_str(&a), ks_buf_str(&b), 1000);
	assert_int_equal(d.added, 5000);
	assert_int_equal(d.removed, 5000);
	assert_true(out.len <= 1005);
	assert_true(out.ptr[out.len - 1] == '\n');
	ks_buf_clear(&out);
	ks_buf_adds(&b, "x");
	b.ptr[3] = '\0';
	ks_textdiff(&out, "k.c", ks_buf_str(&a), ks_buf_str(&b), 1000);
	assert_string_equal(out.ptr, "Binary files a/k.c and b/k.c differ\n");
	ks_buf_fini(&a);
	ks_buf_fini(&b);
	ks_buf_fini(&out);
}

static void test_clip(void **state)
{
	struct ks_clip clip = {0};
	struct ks_buf out = {0};
	char piece[1000];

	ks_clip_add(&clip, KS_STR("short"));
	ks_clip_text(&clip, &out);
	assert_string_equal(out.ptr, "short");
	memset(piece, 'm', sizeof(piece));
	for (int i = 0; i < 5000; i++) {
		ks_clip_add(&clip, (struct ks_str){piece, sizeof(piece)});
	}
	ks_clip_add(&clip, KS_STR("the end"));
	ks_buf_clear(&out);
	ks_clip_text(&clip, &out);
	assert_true(out.len < KS_CLIP_HEAD + KS_CLIP_TAIL + 100);
	assert_true(ks_str_starts(ks_buf_str(&out), "short"));
	assert_string_equal(out.ptr + out.len - 7, "the end");
	assert_true(ks_str_find(ks_buf_str(&out), KS_STR(" bytes not shown)")) > 0);
	ks_clip_fini(&clip);
	ks_buf_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_form),
		cmocka_unit_test(test_random_texts),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_clip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
