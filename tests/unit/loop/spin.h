#ifndef KSEEK_TESTS_LOOP_SPIN_H
#define KSEEK_TESTS_LOOP_SPIN_H
/* Shared by the loop's tests: turns the loop until a condition holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "loop/loop.h"

#define PATIENCE_US 60000000 /* for what never comes; a loaded machine is slow */

/* Turns until *flag has reached `want`; false when it never does. */
static inline bool spin(struct ks_loop *loop, const int *flag, int want)
{
	int64_t end = ks_clock_mono_us() + PATIENCE_US;

	while (*flag < want && ks_clock_mono_us() < end) {
		ks_loop_turn(loop, 20);
	}
	return *flag >= want;
}

/* Turns for a while. */
static inline void spin_for(struct ks_loop *loop, int64_t ms)
{
	int64_t end = ks_clock_mono_us() + ms * 1000;

	while (ks_clock_mono_us() < end) {
		ks_loop_turn(loop, 20);
	}
}

static inline struct ks_loop *loop_or_fail(void)
{
	struct ks_loop *loop = NULL;
	struct ks_err err = KS_ERR_INIT;

	assert_int_equal(ks_loop_new(&loop, &err), 0);
	return loop;
}

#endif
