/* Names of kinds, the envelope, and what a broken line gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "core/event.h"
#include "core/fields.h"

static int parse(struct ks_event *out, const char *line, struct ks_err *err)
{
	return ks_event_parse(out, ks_str_of(line), err);
}

static void test_names(void **state)
{
	for (int i = KS_EV_UNKNOWN + 1; i < KS_EV_COUNT; i++) {
		const char *name = ks_ev_name((enum ks_ev)i);

		assert_non_null(name);
		assert_int_equal(ks_ev_from_name(name), i);
	}
	assert_int_equal(ks_ev_from_name("tool.begun"), KS_EV_UNKNOWN);
	assert_int_equal(ks_ev_from_name(""), KS_EV_UNKNOWN);
	assert_int_equal(ks_ev_from_name(NULL), KS_EV_UNKNOWN);
	assert_int_equal(ks_ev_from_name("unknown"), KS_EV_UNKNOWN);
	assert_string_equal(ks_ev_name((enum ks_ev)9999), "unknown");
	for (int i = KS_BY_OTHER; i <= KS_BY_ENGINE; i++) {
		assert_int_equal(ks_by_from_name(ks_by_name((enum ks_by)i)), i);
	}
	assert_int_equal(ks_by_from_name("nobody"), KS_BY_OTHER);
}

static void test_parse(void **state)
{
	struct ks_event e;
	const char *line = "{\"seq\":7,\"t\":1764500000000000,\"kind\":\"tool.started\","
		"\"by\":\"agent\",\"call\":\"x\"}";

	assert_int_equal(parse(&e, line, NULL), 0);
	assert_int_equal(e.seq, 7);
	assert_int_equal(e.t, 1764500000000000);
	assert_int_equal(e.kind, KS_EV_TOOL_STARTED);
	assert_int_equal(e.by, KS_BY_AGENT);
	assert_string_equal(ks_json_get_str(e.doc, "call", ""), "x");
	assert_ptr_equal(e.raw.ptr, line);
	ks_event_fini(&e);
	ks_event_fini(NULL);
}

static void test_unknown_kind_is_an_event(void **state)
{
	struct ks_event e;

	assert_int_equal(parse(&e, "{\"seq\":1,\"t\":0,\"kind\":\"moon.landed\"}", NULL), 0);
	assert_int_equal(e.kind, KS_EV_UNKNOWN);
	assert_int_equal(e.by, KS_BY_OTHER);
	ks_event_fini(&e);
}

static void test_broken_lines(void **state)
{
	static const char *const lines[] = {
		"", "[]", "null", "{", "{\"seq\":1}", "{\"seq\":0,\"t\":1,\"kind\":\"notice\"}",
		"{\"seq\":1.5,\"t\":1,\"kind\":\"notice\"}", "{\"seq\":1,\"kind\":\"notice\"}",
		"{\"seq\":1,\"t\":-4,\"kind\":\"notice\"}", "{\"seq\":1,\"t\":1,\"kind\":7}",
		"{\"seq\":\"1\",\"t\":1,\"kind\":\"notice\"}",
		"{\"seq\":1,\"t\":1,\"kind\":\"notice\"} {}",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct ks_event e = {.seq = 99};
		struct ks_err err = KS_ERR_INIT;

		assert_int_equal(parse(&e, lines[i], &err), KS_EINVAL);
		assert_int_equal(e.seq, 99);
		assert_true(err.msg[0] != '\0');
	}
}

static void test_too_long(void **state)
{
	struct ks_buf line = {0};
	struct ks_event e;

	ks_buf_adds(&line, "{\"seq\":1,\"t\":1,\"kind\":\"notice\",\"text\":\"");
	while (line.len < KS_EVENT_LINE_MAX) {
		ks_buf_addc(&line, 'a');
	}
	ks_buf_adds(&line, "\"}");
	assert_int_equal(ks_event_parse(&e, ks_buf_str(&line), NULL), KS_EINVAL);
	ks_buf_fini(&line);
}

static void test_synced(void **state)
{
	assert_true(ks_ev_is_synced(KS_EV_MESSAGE_SENT));
	assert_true(ks_ev_is_synced(KS_EV_CANDIDATE_COMMITTED));
	assert_true(ks_ev_is_synced(KS_EV_EVAL_FINISHED));
	assert_false(ks_ev_is_synced(KS_EV_TOOL_STARTED));
	assert_false(ks_ev_is_synced(KS_EV_UNKNOWN));
	assert_false(ks_ev_is_synced((enum ks_ev)500));
}

static void test_fields_make_a_line(void **state)
{
	struct ks_fields f;
	struct ks_buf members = {0}, line = {0};
	struct ks_event e;

	ks_fields_init(&f);
	ks_jw_str(&f.w, "text", "a \"quoted\"\nline");
	ks_fields_take(&f, &members);
	ks_fields_line(&line, 3, 5, "notice", "engine", members.ptr);
	assert_int_equal(ks_event_parse(&e, ks_buf_str(&line), NULL), 0);
	assert_string_equal(ks_json_get_str(e.doc, "text", ""), "a \"quoted\"\nline");
	ks_event_fini(&e);
	ks_buf_clear(&line);
	ks_fields_line(&line, 3, 5, "log.hash", "engine", "");
	assert_int_equal(ks_event_parse(&e, ks_buf_str(&line), NULL), 0);
	ks_event_fini(&e);
	ks_buf_fini(&members);
	ks_buf_fini(&line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_unknown_kind_is_an_event),
		cmocka_unit_test(test_broken_lines),
		cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_synced),
		cmocka_unit_test(test_fields_make_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
