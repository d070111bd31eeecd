/* Server-sent events: every line end, every cut, comments, limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "wire/sse.h"

static void drain(struct ks_sse *sse, struct ks_buf *got)
{
	struct ks_str name, data;

	while (ks_sse_next(sse, &name, &data, NULL) == 1) {
		ks_buf_addf(got, "%.*s=%.*s;", KS_FMT(name), KS_FMT(data));
	}
}

static void assert_events(const char *text, size_t len, const char *expected)
{
	for (size_t cut = 0; cut <= len; cut++) {
		for (size_t second = cut; second <= len; second += 3) {
			struct ks_sse sse = {0};
			struct ks_buf got = {0};
			struct ks_str name, data;

			ks_sse_add(&sse, (struct ks_str){text, cut});
			drain(&sse, &got);
			ks_sse_add(&sse, (struct ks_str){text + cut, second - cut});
			drain(&sse, &got);
			ks_sse_add(&sse, (struct ks_str){text + second, len - second});
			drain(&sse, &got);
			if (ks_sse_end(&sse, &name, &data) == 1) {
				ks_buf_addf(&got, "end:%.*s=%.*s;", KS_FMT(name), KS_FMT(data));
			}
			assert_string_equal(got.ptr != NULL ? got.ptr : "", expected);
			ks_buf_fini(&got);
			ks_sse_fini(&sse);
		}
	}
}

#define EVENTS(text, expected) assert_events(text, sizeof(text) - 1, expected)

static void test_lines(void **state)
{
	EVENTS("data: a\n\ndata: b\n\n", "message=a;message=b;");
	EVENTS("data: a\r\n\r\nevent: x\r\ndata:b\r\n\r\n", "message=a;x=b;");
	EVENTS("data: a\r\rdata: b\r\n\n", "message=a;message=b;");
	EVENTS("data: one\ndata: two\ndata:\ndata:  four\n\n", "message=one\ntwo\n\n four;");
	EVENTS("\xef\xbb\xbf" "data: a\n\n", "message=a;");
	EVENTS("\xef\xbb" "data: a\n\ndata: b\n\n", "message=b;");
}

static void test_fields(void **state)
{
	EVENTS(": a comment\ndata: a\n: another: one\n\n", "message=a;");
	EVENTS("id: 7\nretry: 10\nfoo: bar\ndata: a\n\n", "message=a;");
	EVENTS("event: lost\n\ndata: a\n\n", "message=a;");
	EVENTS("event: x\nevent: y\ndata: a\n\n", "y=a;");
	EVENTS("data\n\n", "message=;");
	EVENTS("data: {\"a\": \"b: c\"}\n\n", "message={\"a\": \"b: c\"};");
}

/* Whole lines without the empty one behind them; half a line is nothing. */
static void test_end(void **state)
{
	EVENTS("data: a\n\ndata: b\n", "message=a;end:message=b;");
	EVENTS("data: a\n\ndata: b", "message=a;");
	EVENTS("event: x\ndata: b\ndata: half", "end:x=b;");
	EVENTS("", "");
	EVENTS("\n\n\r\n", "");
}

static void test_limits(void **state)
{
	struct ks_sse sse = {0};
	struct ks_str name, data;
	struct ks_err err = KS_ERR_INIT;
	char *big = ks_alloc(KS_SSE_MAX);
	int rc = 0;

	memset(big, 'x', KS_SSE_MAX);
	/* one endless line */
	ks_sse_add(&sse, KS_STR("data: "));
	ks_sse_add(&sse, (struct ks_str){big, KS_SSE_MAX});
	assert_int_equal(ks_sse_next(&sse, &name, &data, &err), KS_ELIMIT);
	ks_sse_add(&sse, KS_STR("\n\ndata: a\n\n"));
	assert_int_equal(ks_sse_next(&sse, &name, &data, NULL), KS_ELIMIT);
	assert_int_equal(ks_sse_end(&sse, &name, &data), 0);
	ks_sse_fini(&sse);
	/* one endless event of short lines */
	for (int i = 0; i < 20 && rc == 0; i++) {
		ks_sse_add(&sse, KS_STR("data: "));
		ks_sse_add(&sse, (struct ks_str){big, KS_SSE_MAX / 10});
		ks_sse_add(&sse, KS_STR("\n"));
		rc = ks_sse_next(&sse, &name, &data, NULL);
	}
	assert_int_equal(rc, KS_ELIMIT);
	ks_sse_fini(&sse);
	ks_sse_fini(NULL);
	free(big);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines), cmocka_unit_test(test_fields),
		cmocka_unit_test(test_end), cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
