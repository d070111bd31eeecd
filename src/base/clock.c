/* Clocks and their text, for the edges of the program. */
#include "base/clock.h"

#include <assert.h>
#include <stdio.h>
#include <time.h>

static int64_t read_clock(clockid_t id)
{
	struct timespec now = {0};

	clock_gettime(id, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t ks_clock_wall_us(void)
{
	return read_clock(CLOCK_REALTIME);
}

int64_t ks_clock_mono_us(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

static time_t whole_seconds(int64_t us)
{
	return (time_t)(us / 1000000 - (us % 1000000 < 0));
}

void ks_clock_hms(int64_t wall_us, char *out, size_t size)
{
	time_t when = whole_seconds(wall_us);
	struct tm tm = {0};

	assert(size > 0);
	out[0] = '\0';
	if (localtime_r(&when, &tm)) {
		snprintf(out, size, "%02d:%02d:%02d", tm.tm_hour, tm.tm_min, tm.tm_sec);
	}
}

void ks_clock_iso(int64_t wall_us, char *out, size_t size)
{
	time_t when = whole_seconds(wall_us);
	struct tm tm = {0};

	assert(size > 0);
	out[0] = '\0';
	if (gmtime_r(&when, &tm)) {
		snprintf(out, size, "%04ld-%02d-%02dT%02d:%02d:%02dZ", tm.tm_year + 1900L,
			tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
	}
}
