/* Clocks and their text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "base/clock.h"

static void clocks_go_on(void **state)
{
	int64_t wall = ks_clock_wall_us(), mono = ks_clock_mono_us();
	struct timespec wait = {0, 2000000};

	assert_true(wall > INT64_C(1600000000) * 1000000);
	nanosleep(&wait, NULL);
	assert_true(ks_clock_mono_us() - mono >= 2000);
}

static void iso_text(void **state)
{
	char text[24];

	ks_clock_iso(0, text, sizeof(text));
	assert_string_equal(text, "1970-01-01T00:00:00Z");
	ks_clock_iso(INT64_C(1796047351) * 1000000 + 999999, text, sizeof(text));
	assert_string_equal(text, "2026-11-30T14:02:31Z");
	ks_clock_iso(-1, text, sizeof(text));
	assert_string_equal(text, "1969-12-31T23:59:59Z");
}

static void local_text(void **state)
{
	char text[24];

	setenv("TZ", "UTC-1", 1);
	tzset();
	ks_clock_hms(INT64_C(1796047351) * 1000000, text, sizeof(text));
	assert_string_equal(text, "15:02:31");
}

static void extreme_times_stay_inside(void **state)
{
	char text[24];

	ks_clock_iso(INT64_MAX, text, sizeof(text));
	assert_non_null(text);
	ks_clock_iso(INT64_MIN, text, 1);
	assert_string_equal(text, "");
	ks_clock_hms(INT64_MIN, text, sizeof(text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks_go_on),
		cmocka_unit_test(iso_text),
		cmocka_unit_test(local_text),
		cmocka_unit_test(extreme_times_stay_inside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
