#ifndef KSEEK_BASE_CLOCK_H
#define KSEEK_BASE_CLOCK_H
/* Clocks for the edges; src/core never calls these. */
#include <stddef.h>
#include <stdint.h>

int64_t ks_clock_wall_us(void); /* since 1970, CLOCK_REALTIME  */
int64_t ks_clock_mono_us(void); /* CLOCK_MONOTONIC             */
/* "14:02:31" local, or "2026-11-30T14:02:31Z"; out of 24 bytes at least. */
void ks_clock_hms(int64_t wall_us, char *out, size_t size);
void ks_clock_iso(int64_t wall_us, char *out, size_t size);

#endif
