/*
 * How judge and worker wait for a word of the page that they share: watching it
 * for some rounds, then asleep on it (futex(2), not its private forms: the word is
 * shared between processes).
 */
#ifndef KS_EVAL_WAIT_H
#define KS_EVAL_WAIT_H

#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* op: FUTEX_WAIT (while the word is value; ts: for how long) or FUTEX_WAKE (value
 * waiters). As the system call: -1 with errno. */
static inline long ks_futex(_Atomic uint32_t *word, int op, uint32_t value,
	const struct timespec *ts)
{
	return syscall(SYS_futex, word, op, value, ts, NULL, 0);
}

/* Between two looks at a word: leaves the core to its other thread. */
static inline void ks_cpu_pause(void)
{
#if defined(__x86_64__)
	_mm_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

#endif
