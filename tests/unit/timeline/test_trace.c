/* Records are read as they are meant, and refused where they make no sense. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sample.h"
#include "timeline/trace.h"

static void read_all(struct ks_trace *trace, struct ks_buf *bytes)
{
	struct ks_err err = KS_ERR_INIT;

	if (ks_trace_read(trace, ks_buf_str(bytes), &err) < 0) {
		fail_msg("%s", err.msg);
	}
	ks_buf_fini(bytes);
}

static void refused(struct ks_buf *bytes, int code)
{
	struct ks_trace trace = {.n_items = 77};
	struct ks_err err = KS_ERR_INIT;

	assert_int_equal(ks_trace_read(&trace, ks_buf_str(bytes), &err), code);
	assert_int_equal(trace.n_items, 77);
	assert_true(err.msg[0] != '\0');
	ks_buf_fini(bytes);
}

static void test_sample(void **state)
{
	struct ks_buf bytes = {0};
	struct ks_trace trace;

	sample_trace(&bytes);
	read_all(&trace, &bytes);
	assert_int_equal(trace.n_processes, 1);
	assert_int_equal(trace.processes[0].pid, 4711);
	assert_string_equal(trace.processes[0].program, "program");
	assert_true(trace.processes[0].ended);
	assert_int_equal(trace.processes[0].bad, 0);
	assert_int_equal(trace.n_items, 10);
	assert_int_equal(trace.n_names, 7);
	assert_string_equal(trace.names[trace.items[6].name],
		"void (anonymous namespace)::scale<float, 4>(float*, int)");
	assert_int_equal(trace.items[8].kind, KS_ITEM_COPY);
	assert_int_equal(trace.items[8].bytes, 4000);
	assert_int_equal(trace.left_over, 0);
	ks_trace_fini(&trace);
}

static void test_no_trace(void **state)
{
	struct ks_buf bytes = {0};

	refused(&bytes, KS_EINVAL);
	ks_buf_adds(&bytes, "\177ELF, and surely longer than one record of a timeline is, by far");
	refused(&bytes, KS_EINVAL);
	sample_head(&bytes, 1, "x");
	bytes.ptr[8]++; /* the magic */
	refused(&bytes, KS_EINVAL);
	sample_head(&bytes, 1, "x");
	bytes.ptr[12]++; /* the size */
	refused(&bytes, KS_EINVAL);
	sample_kernel(&bytes, 0, 1, 2, 7, 1); /* no head */
	refused(&bytes, KS_EINVAL);
	for (uint32_t i = 0; i <= KS_TRACE_PROCESSES_MAX; i++) {
		sample_head(&bytes, i, "x");
	}
	refused(&bytes, KS_ELIMIT);
}

static void test_what_makes_no_sense(void **state)
{
	struct ks_buf bytes = {0};
	struct ks_trace trace;

	sample_head(&bytes, 1, "a program whose name is longer than the record has room for");
	sample_kernel(&bytes, 1, 10, 20, 7, 1);  /* no such name */
	sample_kernel(&bytes, 0, 20, 10, 7, 1);  /* ends before it starts */
	sample_kernel(&bytes, 0, 0, 10, 7, 1);   /* no start */
	sample_kernel(&bytes, 0, 10, 10, 7, 1);  /* fine */
	sample_kernel(&bytes, 0, 0, 0, 7, 1);    /* had not ended */
	sample_add(&bytes, KS_REC_COPY, KS_REC_WAY(11, 0, 0),
		&(struct ks_rec_span){.start = 1, .end = 2});
	sample_add(&bytes, KS_REC_COPY, KS_REC_WAY(1, 8, 0),
		&(struct ks_rec_span){.start = 1, .end = 2});
	sample_add(&bytes, KS_REC_COPY, KS_REC_WAY(1, 0, 256),
		&(struct ks_rec_span){.start = 1, .end = 2});
	sample_add(&bytes, KS_REC_FILL, 8, &(struct ks_rec_span){.start = 1, .end = 2});
	sample_add(&bytes, KS_REC_FILL, 3,
		&(struct ks_rec_span){.start = 1, .end = 2, .device = 64});
	sample_text(&bytes, KS_REC_NAME, 2, "not the next number");
	sample_text(&bytes, KS_REC_NAME, 0, "no number");
	sample_add(&bytes, 99, 0, NULL);
	ks_buf_adds(&bytes, "half a record");
	read_all(&trace, &bytes);
	assert_int_equal(trace.n_items, 1);
	assert_int_equal(trace.processes[0].bad, 11);
	assert_int_equal(trace.processes[0].unfinished, 1);
	assert_false(trace.processes[0].ended);
	assert_int_equal(strlen(trace.processes[0].program), 39);
	assert_int_equal(trace.left_over, 13);
	assert_string_equal(trace.names[trace.items[0].name], "?");
	ks_trace_fini(&trace);
}

static void test_names_are_bounded(void **state)
{
	struct ks_buf bytes = {0};
	struct ks_trace trace;
	char text[KS_REC_TEXT + 1];

	memset(text, 'n', KS_REC_TEXT);
	text[KS_REC_TEXT] = '\0';
	sample_head(&bytes, 1, "x");
	for (int i = 0; i < 100; i++) {
		sample_text(&bytes, KS_REC_NAME, 1, text);
		sample_text(&bytes, KS_REC_NOTE, 0, text);
	}
	sample_kernel(&bytes, 1, 10, 20, 7, 1);
	read_all(&trace, &bytes);
	assert_int_equal(strlen(trace.names[trace.items[0].name]), KS_REC_NAME_MAX / 48 * 48);
	assert_int_equal(strlen(trace.processes[0].note), KS_REC_NAME_MAX / 48 * 48);
	assert_int_equal(trace.processes[0].bad, 2 * (100 - KS_REC_NAME_MAX / 48));
	ks_trace_fini(&trace);
}

/* Two processes, as files behind each other: numbers of names are each one's own. */
static void test_processes(void **state)
{
	struct ks_buf bytes = {0};
	struct ks_trace trace;

	sample_head(&bytes, 1, "one");
	sample_text(&bytes, KS_REC_NAME, 1, "first");
	sample_text(&bytes, KS_REC_NAME, 2, "both");
	sample_kernel(&bytes, 2, 10, 20, 7, 1);
	sample_head(&bytes, 2, "two");
	sample_text(&bytes, KS_REC_NOTE, 0,
		"a reason of more than forty-eight bytes, which takes two");
	sample_text(&bytes, KS_REC_NAME, 1, "both");
	sample_kernel(&bytes, 1, 10, 20, 7, 1);
	sample_kernel(&bytes, 2, 10, 20, 7, 1); /* the first one's number */
	sample_end(&bytes, 5, 6);
	read_all(&trace, &bytes);
	assert_int_equal(trace.n_processes, 2);
	assert_int_equal(trace.n_items, 2);
	assert_int_equal(trace.items[0].name, trace.items[1].name);
	assert_string_equal(trace.names[trace.items[1].name], "both");
	assert_null(trace.processes[0].note);
	assert_string_equal(trace.processes[1].note,
		"a reason of more than forty-eight bytes, which takes two");
	assert_int_equal(trace.processes[1].bad, 1);
	assert_int_equal(trace.processes[1].over, 5);
	assert_int_equal(trace.processes[1].lost, 6);
	ks_trace_fini(&trace);
}

static void test_short_names(void **state)
{
	static const char *const names[][2] = {
		{"plain_c", "plain_c"},
		{"scale(float*, int)", "scale"},
		{"void scale<float, 4>(float*, int)", "scale<float, 4>"},
		{"void ns::(anonymous namespace)::k<(int)3, bool>(void (*)(int))",
			"ns::k<(int)3, bool>"},
		{"std::enable_if<(1 > 0), int>::type f<a>(int)", "f<a>"},
		{"void f<main::{lambda(int, int)#1}>(int)", "f<main::{lambda(int, int)#1}>"},
		{"void <unnamed>::k(int)", "k"},
		{"_Z5scalePfi", "_Z5scalePfi"},
		{"two words", "two words"},
		{"(nothing)", "(nothing)"},
		{"void f<a(", "void f<a("},
		{"", ""},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct ks_buf out = {0};
		ks_trace_short_name(&out, names[i][0]);
		ks_buf_addc(&out, '\0');
		assert_string_equal(out.ptr, names[i][1]);
		ks_buf_fini(&out);
	}
}

static void test_copy_names(void **state)
{
	char text[48];

	ks_trace_copy_name(text, sizeof(text), KS_REC_WAY(1, 2, 3));
	assert_string_equal(text, "host to device, pinned");
	ks_trace_copy_name(text, sizeof(text), KS_REC_WAY(2, 3, 1));
	assert_string_equal(text, "device to host, pageable");
	ks_trace_copy_name(text, sizeof(text), KS_REC_WAY(8, 3, 3));
	assert_string_equal(text, "device to device");
	ks_trace_copy_name(text, sizeof(text), UINT32_MAX);
	assert_string_equal(text, "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sample),
		cmocka_unit_test(test_no_trace),
		cmocka_unit_test(test_what_makes_no_sense),
		cmocka_unit_test(test_names_are_bounded),
		cmocka_unit_test(test_processes),
		cmocka_unit_test(test_short_names),
		cmocka_unit_test(test_copy_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
