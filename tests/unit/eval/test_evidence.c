/* The rule behind flat_time: time that does not grow with work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "eval/evidence.h"

struct point {
	struct ks_case c;
	struct ks_result r;
};

/* A scenario of so many bytes on a machine of 4000 GB/s; times in us. */
static void set(struct point *p, const char *device, double megabytes, double seed_us,
	double cand_us)
{
	*p = (struct point){.c = {.bytes = megabytes * 1e6}};
	p->r = (struct ks_result){.c = &p->c, .correct = true, .device = device};
	p->r.roof.bytes_us = megabytes / 4;
	p->r.roof.call_us = device != NULL ? 7 : 0.1;
	p->r.est.seed_time = seed_us * 1000;
	p->r.est.cand_time = cand_us * 1000;
	p->r.est.ratio = seed_us / cand_us;
	p->r.est.pairs = 10;
}

static bool flat(const char *device, const double small[3], const double large[3])
{
	struct point a, b;
	set(&a, device, small[0], small[1], small[2]);
	set(&b, device, large[0], large[1], large[2]);
	return ks_evidence_is_flat(&a.r, &b.r);
}

#define FLAT(device, ...) flat(device, (const double[3]){SMALL}, (const double[3]){__VA_ARGS__})

static void test_growth(void **state)
{
	(void)state;
#define SMALL 1, 100, 50
	assert_true(FLAT(NULL, 400, 10000, 55));    /* answers that were kept */
	assert_true(FLAT("GPU-0", 400, 10000, 55)); /* 100 us of memory, 5 us more */
	assert_false(FLAT(NULL, 400, 10000, 150));  /* it grows */
	assert_false(FLAT("GPU-0", 400, 10000, 110));
	assert_false(FLAT(NULL, 400, 300, 55));     /* nor does the seed grow */
	assert_false(FLAT(NULL, 4, 10000, 55));     /* nor does the work      */
#undef SMALL
#define SMALL 1, 40, 50
	assert_false(FLAT(NULL, 400, 10000, 55)); /* slower on the small one: a fixed cost */
#undef SMALL
}

/* Two streams, two events and three launches take a GPU's host as long as the GPU
 * needs for 25 MB, so the call hardly grows. One thread of a processor hides nothing. */
static void test_hidden_work(void **state)
{
	(void)state;
#define SMALL 0.8, 60, 26
	assert_false(FLAT("GPU-0", 25, 900, 28));
	assert_true(FLAT(NULL, 25, 900, 27));
#undef SMALL
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_hidden_work),
	};
	return cmocka_run_group_tests_name("evidence", tests, NULL, NULL);
}
