/* Timers, deferred calls, signals and descriptors of the event loop. */
#include "spin.h"

#include <signal.h>
#include <fcntl.h>
#include <unistd.h>

struct seen {
	struct ks_loop *loop;
	struct ks_timer *timer;
	struct ks_timers *timers;
	int count, other;
	char last[32];
	bool inside;
};

static void count(void *ctx)
{
	struct seen *seen = ctx;

	assert_false(seen->inside);
	seen->count++;
}

static void again(void *ctx)
{
	struct seen *seen = ctx;

	if (++seen->count < 1000) {
		ks_loop_defer(seen->loop, again, seen);
	}
}

static void other(void *ctx)
{
	((struct seen *)ctx)->other++;
}

static void test_defer(void **state)
{
	struct seen seen = {.loop = loop_or_fail()};
	struct ks_timer *timer = ks_timer_new(seen.loop, other, &seen);

	seen.inside = true;
	ks_loop_defer(seen.loop, count, &seen);
	seen.inside = false;
	assert_int_equal(seen.count, 0);
	assert_true(spin(seen.loop, &seen.count, 1));
	/* Dropped calls do not run. */
	ks_loop_defer(seen.loop, count, &seen);
	ks_loop_undefer(seen.loop, &seen);
	ks_loop_turn(seen.loop, 0);
	assert_int_equal(seen.count, 1);
	/* One that defers itself leaves timers their turn. */
	ks_timer_arm(timer, 0);
	ks_loop_defer(seen.loop, again, &seen);
	ks_loop_turn(seen.loop, 0);
	ks_loop_turn(seen.loop, 0);
	ks_loop_turn(seen.loop, 0);
	assert_int_equal(seen.other, 1);
	assert_true(seen.count < 10);
	ks_loop_undefer(seen.loop, &seen);
	ks_timer_free(timer);
	ks_loop_free(seen.loop);
}

static void test_timer(void **state)
{
	struct seen seen = {.loop = loop_or_fail()};
	struct ks_timer *timer = ks_timer_new(seen.loop, count, &seen);
	int64_t start = ks_clock_mono_us();

	ks_timer_arm(timer, 600000);
	ks_timer_arm_sooner(timer, 1200000);
	ks_timer_arm_sooner(timer, 40);
	assert_true(ks_timer_armed(timer));
	assert_true(spin(seen.loop, &seen.count, 1));
	assert_true(ks_clock_mono_us() - start >= 38000);
	assert_false(ks_timer_armed(timer));
	ks_timer_arm(timer, 1);
	ks_timer_cancel(timer);
	spin_for(seen.loop, 30);
	assert_int_equal(seen.count, 1);
	ks_timer_free(timer);
	ks_timer_free(NULL);
	ks_loop_free(seen.loop);
}

static void named(void *ctx, const char *name)
{
	struct seen *seen = ctx;

	seen->count++;
	snprintf(seen->last, sizeof(seen->last), "%s", name);
	if (strcmp(name, "again") == 0 && seen->count < 3) {
		ks_timers_arm(seen->timers, name, 1);
	}
}

static void test_named_timers(void **state)
{
	struct seen seen = {.loop = loop_or_fail()};

	seen.timers = ks_timers_new(seen.loop, named, &seen);
	ks_timers_arm(seen.timers, "a", 600000);
	ks_timers_arm(seen.timers, "a", 5); /* re-arms */
	ks_timers_arm(seen.timers, "b", 5);
	ks_timers_cancel(seen.timers, "b");
	ks_timers_cancel(seen.timers, "unknown");
	assert_true(spin(seen.loop, &seen.count, 1));
	assert_string_equal(seen.last, "a");
	spin_for(seen.loop, 30);
	assert_int_equal(seen.count, 1);
	ks_timers_arm(seen.timers, "again", 1);
	assert_true(spin(seen.loop, &seen.count, 3));
	ks_timers_arm(seen.timers, "left", 10000);
	ks_timers_free(seen.timers);
	ks_loop_free(seen.loop);
}

static void stop(void *ctx)
{
	struct seen *seen = ctx;

	seen->count++;
	ks_loop_stop(seen->loop);
}

static void test_run_and_stop(void **state)
{
	struct seen seen = {.loop = loop_or_fail()};
	struct ks_timer *long_one = ks_timer_new(seen.loop, count, &seen);
	int64_t start = ks_clock_mono_us();

	ks_loop_run(seen.loop); /* nothing to wait for: returns */
	ks_timer_arm(long_one, 600000);
	ks_loop_defer(seen.loop, stop, &seen);
	ks_loop_run(seen.loop);
	assert_int_equal(seen.count, 1);
	assert_true(ks_clock_mono_us() - start < PATIENCE_US);
	ks_timer_free(long_one);
	ks_loop_free(seen.loop);
}

static void signalled(void *ctx, int signum)
{
	struct seen *seen = ctx;

	seen->count++;
	seen->other = signum;
}

static void test_signal(void **state)
{
	struct seen seen = {.loop = loop_or_fail()};
	struct ks_signal *sig = NULL;
	struct ks_err err = KS_ERR_INIT;

	assert_int_equal(ks_signal_new(&sig, seen.loop, SIGUSR1, signalled, &seen, &err), 0);
	kill(getpid(), SIGUSR1);
	assert_int_equal(seen.count, 0); /* not inside the handler */
	assert_true(spin(seen.loop, &seen.count, 1));
	assert_int_equal(seen.other, SIGUSR1);
	ks_signal_free(sig);
	sig = NULL;
	assert_true(ks_signal_new(&sig, seen.loop, SIGKILL, signalled, &seen, &err) < 0);
	assert_null(sig);
	assert_true(err.code < 0);
	ks_loop_free(seen.loop);
}

static void ready(void *ctx, unsigned events)
{
	struct seen *seen = ctx;

	seen->count++;
	seen->other = (int)events;
}

static void test_fdwatch(void **state)
{
	struct seen seen = {.loop = loop_or_fail()};
	struct ks_fdwatch *watch = NULL;
	struct ks_err err = KS_ERR_INIT;
	int ends[2];
	char byte;

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(ks_fdwatch_new(&watch, seen.loop, ends[0], 0, ready, &seen, &err), 0);
	/* Others share the descriptor: it stays as it was. */
	assert_int_equal(fcntl(ends[0], F_GETFL) & O_NONBLOCK, 0);
	assert_int_equal(write(ends[1], "x", 1), 1);
	spin_for(seen.loop, 30);
	assert_int_equal(seen.count, 0);
	ks_fdwatch_set(watch, KS_FD_READ);
	assert_true(spin(seen.loop, &seen.count, 1));
	assert_int_equal(seen.other, KS_FD_READ);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	seen.count = 0;
	close(ends[1]); /* a hang-up is told as readable */
	assert_true(spin(seen.loop, &seen.count, 1));
	assert_true((seen.other & KS_FD_READ) != 0);
	ks_fdwatch_free(watch);
	ks_loop_turn(seen.loop, 0);
	close(ends[0]);
	ks_loop_free(seen.loop);
}

/* Ends when a byte comes. */
static int wait_for_byte(int fd)
{
	char byte;

	return read(fd, &byte, 1) == 1 ? 42 : -1;
}

static void worked(void *ctx, int result)
{
	struct seen *seen = ctx;

	seen->count++;
	seen->other = result;
}

static void test_work(void **state)
{
	struct seen seen = {.loop = loop_or_fail()};
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	ks_loop_work(seen.loop, wait_for_byte, ends[0], worked, &seen);
	ks_loop_turn(seen.loop, 0);
	assert_int_equal(seen.count, 0);
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_true(spin(seen.loop, &seen.count, 1));
	assert_int_equal(seen.other, 42);
	/* a loop that is freed waits, and tells nobody */
	ks_loop_work(seen.loop, wait_for_byte, ends[0], worked, &seen);
	assert_int_equal(write(ends[1], "x", 1), 1);
	ks_loop_free(seen.loop);
	assert_int_equal(seen.count, 1);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defer),
		cmocka_unit_test(test_timer),
		cmocka_unit_test(test_named_timers),
		cmocka_unit_test(test_run_and_stop),
		cmocka_unit_test(test_signal),
		cmocka_unit_test(test_fdwatch),
		cmocka_unit_test(test_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
