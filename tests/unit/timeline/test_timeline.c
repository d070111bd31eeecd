/* Figures of traces that can be worked out on paper. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sample.h"
#include "timeline/timeline.h"

struct made {
	struct ks_trace trace;
	struct ks_timeline t;
};

static void make(struct made *m, struct ks_buf *bytes, uint64_t skip, uint64_t last)
{
	const struct ks_timeline_options options = {.skip = skip, .last = last};
	struct ks_err err = KS_ERR_INIT;

	if (ks_trace_read(&m->trace, ks_buf_str(bytes), &err) < 0) {
		fail_msg("%s", err.msg);
	}
	ks_timeline_make(&m->t, &m->trace, &options);
	ks_buf_fini(bytes);
}

static void unmake(struct made *m)
{
	ks_timeline_fini(&m->t);
	ks_trace_fini(&m->trace);
}

static void assert_total(const struct made *m, const struct ks_total *total, const char *name,
	uint64_t count, uint64_t ns)
{
	assert_string_equal(m->trace.names[total->name], name);
	assert_int_equal(total->count, count);
	assert_int_equal(total->ns, ns);
}

/* busy: copy 2200..4200, kernel and fill 5000..9300, kernel 21000..22000 */
static void test_gpu(void **state)
{
	struct ks_buf bytes = {0};
	struct made m;

	sample_trace(&bytes);
	make(&m, &bytes, 0, 0);
	assert_int_equal(m.t.n_gpus, 1);
	const struct ks_gpu *g = &m.t.gpus[0];
	assert_int_equal(g->first, 2200);
	assert_int_equal(g->end, 22000);
	assert_int_equal(g->busy, 2000 + 4300 + 1000);
	assert_int_equal(g->kernel_busy, 5000);
	assert_int_equal(g->copy_busy, 2800);
	assert_int_equal(g->together, 500);
	assert_int_equal(g->hidden, 500);
	assert_int_equal(g->gaps, 2);
	assert_int_equal(g->idle, 800 + 11700);
	assert_int_equal(g->host.away, 10500);
	assert_int_equal(g->host.calls, 200);
	assert_int_equal(g->host.asking, 800);
	assert_int_equal(g->host.pending, 800 + 200);
	assert_int_equal(g->host.unknown, 0);
	assert_int_equal(g->kernels, 2);
	assert_int_equal(g->copies, 1);
	assert_int_equal(g->fills, 1);
	assert_int_equal(g->asked, 2);
	assert_int_equal(g->asked_ns, 1800);
	assert_int_equal(g->short_kernels, 0);
	assert_int_equal(g->bound, KS_BOUND_HOST);
	unmake(&m);
}

static void test_gaps(void **state)
{
	struct ks_buf bytes = {0};
	struct ks_gap_host h;
	struct made m;

	sample_trace(&bytes);
	make(&m, &bytes, 0, 0);
	assert_int_equal(m.t.n_gaps, 2);
	assert_int_equal(m.t.gaps[0].start, 9300);
	assert_int_equal(m.t.gaps[0].end, 21000);
	assert_int_equal(m.t.gaps[0].before->kind, KS_ITEM_FILL);
	assert_int_equal(m.t.gaps[0].after->number, 4);
	ks_timeline_gap(&h, &m.t, &m.t.gaps[0]);
	assert_int_equal(h.host.away, 10500);
	assert_int_equal(h.host.calls, 200);
	assert_int_equal(h.n_calls, 2);
	assert_string_equal(m.trace.names[h.calls[0].name], "cudaLaunchKernel");
	assert_int_equal(h.calls[0].ns, 800);
	assert_string_equal(m.trace.names[h.calls[1].name], "cudaStreamSynchronize");
	assert_int_equal(h.calls[1].ns, 200);
	assert_int_equal(m.t.gaps[1].start, 4200);
	ks_timeline_gap(&h, &m.t, &m.t.gaps[1]);
	assert_int_equal(h.host.pending, 800);
	assert_int_equal(h.host.away + h.host.calls + h.host.asking, 0);
	unmake(&m);
}

static void test_totals(void **state)
{
	struct ks_buf bytes = {0};
	struct made m;

	sample_trace(&bytes);
	make(&m, &bytes, 0, 0);
	assert_int_equal(m.t.n_kernels, 1);
	assert_total(&m, &m.t.kernels[0],
		"void (anonymous namespace)::scale<float, 4>(float*, int)", 2, 5000);
	assert_int_equal(m.t.kernels[0].min, 1000);
	assert_int_equal(m.t.kernels[0].max, 4000);
	assert_int_equal(m.t.n_copies, 1);
	assert_int_equal(m.t.copies[0].name, KS_REC_WAY(1, 2, 3));
	assert_int_equal(m.t.copies[0].bytes, 4000);
	assert_int_equal(m.t.copies[0].ns, 2000);
	assert_int_equal(m.t.n_fills, 1);
	assert_int_equal(m.t.fills[0].bytes, 100);
	/* the driver's call within the launch is the launch's */
	assert_int_equal(m.t.n_calls, 4);
	assert_total(&m, &m.t.calls[0], "cudaStreamSynchronize", 1, 5900);
	assert_total(&m, &m.t.calls[1], "cudaLaunchKernel", 2, 1800);
	assert_total(&m, &m.t.calls[2], "cudaMemcpyAsync", 1, 1000);
	assert_total(&m, &m.t.calls[3], "cudaMemsetAsync", 1, 40);
	unmake(&m);
}

static void test_streams(void **state)
{
	struct ks_buf bytes = {0};
	struct made m;

	sample_trace(&bytes);
	make(&m, &bytes, 0, 0);
	assert_int_equal(m.t.n_streams, 2);
	const struct ks_stream *s = m.t.streams;
	assert_int_equal(s[0].stream, 7);
	assert_int_equal(s[0].busy, 7000);
	assert_int_equal(s[0].first, 2200);
	assert_int_equal(s[0].end, 22000);
	assert_int_equal(s[0].longest_gap, 12000);
	assert_int_equal(s[0].kernels, 2);
	assert_int_equal(s[0].copies, 1);
	assert_int_equal(s[1].stream, 8);
	assert_int_equal(s[1].busy, 800);
	assert_int_equal(s[1].fills, 1);
	unmake(&m);
}

static void test_window(void **state)
{
	struct ks_buf bytes = {0};
	struct made m;

	sample_trace(&bytes);
	make(&m, &bytes, 10000, 0);
	assert_int_equal(m.t.from, 12200);
	assert_int_equal(m.t.gpus[0].kernels, 1);
	assert_int_equal(m.t.gpus[0].busy, 1000);
	assert_int_equal(m.t.gpus[0].bound, KS_BOUND_GPU);
	assert_int_equal(m.t.n_gaps, 0);
	assert_int_equal(m.t.n_copies, 0);
	assert_int_equal(m.t.n_calls, 1);
	unmake(&m);

	sample_trace(&bytes);
	make(&m, &bytes, 0, 13500);
	assert_int_equal(m.t.from, 8500);
	assert_int_equal(m.t.n_fills, 1);
	assert_int_equal(m.t.n_gaps, 1);
	unmake(&m);

	/* more than there is: nothing is left, or everything */
	sample_trace(&bytes);
	make(&m, &bytes, UINT64_MAX, 0);
	assert_int_equal(m.t.n_gpus, 0);
	assert_int_equal(m.t.n_calls, 0);
	unmake(&m);
	sample_trace(&bytes);
	make(&m, &bytes, 0, UINT64_MAX);
	assert_int_equal(m.t.gpus[0].kernels, 2);
	unmake(&m);
}

/* Kernels of 1 us, asked for every 4 us by calls of 3 us. */
static void test_bound_by_launches(void **state)
{
	struct ks_buf bytes = {0};
	struct made m;

	sample_head(&bytes, 1, "loop");
	sample_text(&bytes, KS_REC_NAME, 1, "tiny");
	sample_text(&bytes, KS_REC_NAME, 2, "cuLaunchKernel");
	for (uint32_t i = 0; i < 10; i++) {
		sample_call(&bytes, 2, 10000 + 4000 * i, 13000 + 4000 * i, i + 1, 0);
		sample_kernel(&bytes, 1, 15000 + 4000 * i, 16000 + 4000 * i, 7, i + 1);
	}
	make(&m, &bytes, 0, 0);
	const struct ks_gpu *g = &m.t.gpus[0];
	assert_int_equal(g->busy, 10000);
	assert_int_equal(g->idle, 27000);
	assert_int_equal(g->gaps, 9);
	/* a gap goes from 16 to 19; its call from 14 to 17 */
	assert_int_equal(g->host.asking, 9000);
	assert_int_equal(g->host.pending, 18000);
	assert_int_equal(g->short_kernels, 10);
	assert_int_equal(g->bound, KS_BOUND_LAUNCH);
	unmake(&m);
}

/* One call asks for three kernels; a query that says "not yet" has not failed. */
static void test_graph(void **state)
{
	struct ks_buf bytes = {0};
	struct made m;

	sample_head(&bytes, 1, "graph");
	sample_text(&bytes, KS_REC_NAME, 1, "node");
	sample_text(&bytes, KS_REC_NAME, 2, "cudaGraphLaunch");
	sample_text(&bytes, KS_REC_NAME, 3, "cudaStreamQuery");
	sample_call(&bytes, 2, 1000, 3000, 1, 0);
	sample_call(&bytes, 3, 3000, 3100, 2, KS_REC_NOT_READY);
	sample_call(&bytes, 3, 3100, 3200, 3, 700);
	for (uint32_t i = 0; i < 3; i++) {
		sample_kernel(&bytes, 1, 4000 + 1000 * i, 5000 + 1000 * i, 7, 1);
	}
	make(&m, &bytes, 0, 0);
	assert_int_equal(m.t.gpus[0].asked, 1);
	assert_int_equal(m.t.gpus[0].asked_ns, 2000);
	assert_int_equal(m.t.gpus[0].short_kernels, 3);
	assert_int_equal(m.t.gpus[0].gaps, 0);
	assert_int_equal(m.t.gpus[0].bound, KS_BOUND_GPU);
	assert_int_equal(m.t.calls[1].failed, 1);
	unmake(&m);
}

/* The longest call of a gap is named, however many others there are before it. */
static void test_many_calls_in_a_gap(void **state)
{
	struct ks_buf bytes = {0};
	struct ks_gap_host h;
	struct made m;
	char name[16];

	sample_head(&bytes, 1, "x");
	for (uint32_t i = 1; i <= 40; i++) {
		snprintf(name, sizeof(name), "call%u", i);
		sample_text(&bytes, KS_REC_NAME, i, name);
		sample_call(&bytes, i, 1000 * i, 1000 * i + 10 * i, i, 0);
	}
	sample_kernel(&bytes, 0, 500, 600, 7, 99);
	sample_kernel(&bytes, 0, 40600, 40700, 7, 40);
	make(&m, &bytes, 0, 0);
	ks_timeline_gap(&h, &m.t, &m.t.gaps[0]);
	assert_int_equal(h.n_calls, 3);
	assert_string_equal(m.trace.names[h.calls[0].name], "call40");
	assert_int_equal(h.calls[0].ns, 400);
	assert_string_equal(m.trace.names[h.calls[2].name], "call38");
	unmake(&m);
}

/* Without calls nobody is known to have asked. */
static void test_unknown(void **state)
{
	struct ks_buf bytes = {0};
	struct made m;

	sample_head(&bytes, 1, "x");
	sample_kernel(&bytes, 0, 1000, 2000, 7, 1);
	sample_kernel(&bytes, 0, 5000, 6000, 7, 2);
	make(&m, &bytes, 0, 0);
	assert_int_equal(m.t.gpus[0].host.unknown, 3000);
	assert_int_equal(m.t.gpus[0].bound, KS_BOUND_NONE);
	assert_int_equal(m.t.gpus[0].asked, 0);
	assert_int_equal(m.t.gpus[0].short_kernels, 0);
	unmake(&m);
}

/* A GPU of each process is looked at alone; a kernel's total is of all. */
static void test_processes(void **state)
{
	struct ks_buf bytes = {0};
	struct made m;

	for (uint32_t i = 0; i < 2; i++) {
		sample_head(&bytes, i + 1, "x");
		sample_text(&bytes, KS_REC_NAME, 1, "same");
		sample_kernel(&bytes, 1, 1000 + 500 * i, 2000 + 500 * i, 7, 1);
	}
	make(&m, &bytes, 0, 0);
	assert_int_equal(m.t.n_gpus, 2);
	assert_int_equal(m.t.gpus[1].process, 1);
	assert_int_equal(m.t.gpus[1].busy, 1000);
	assert_int_equal(m.t.n_kernels, 1);
	assert_int_equal(m.t.kernels[0].count, 2);
	assert_int_equal(m.t.n_streams, 2);
	unmake(&m);
}

static void test_calls_only(void **state)
{
	struct ks_buf bytes = {0};
	struct made m;

	sample_head(&bytes, 1, "x");
	sample_text(&bytes, KS_REC_NAME, 1, "cuInit");
	sample_call(&bytes, 1, 1000, 5000, 1, 100);
	make(&m, &bytes, 0, 0);
	assert_int_equal(m.t.n_gpus, 0);
	assert_int_equal(m.t.origin, 1000);
	assert_total(&m, &m.t.calls[0], "cuInit", 1, 4000);
	assert_int_equal(m.t.calls[0].failed, 1);
	unmake(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gpu),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_totals),
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_bound_by_launches),
		cmocka_unit_test(test_graph),
		cmocka_unit_test(test_many_calls_in_a_gap),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_processes),
		cmocka_unit_test(test_calls_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
