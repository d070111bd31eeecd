#ifndef KSEEK_EVAL_WORKER_GUARD_H
#define KSEEK_EVAL_WORKER_GUARD_H
/*
 * What the worker does to itself so that the code it loads can do no more than
 * compute. Each function returns whether the guard stands; the judge is told
 * and says so where one does not.
 *
 * Landlock is used by raw system calls, so that any libc will do; structures
 * and numbers are those of linux/landlock.h.
 */
#include <stdbool.h>

/* No mapping gains the right to execute from here on (Linux 6.3). */
bool ks_guard_mdwe(void);
/* Files: reading and executing anywhere while libraries load, writing only in
 * `scratch` (NULL: nowhere). With `loaded` nothing outside scratch at all; a
 * second layer, so that it can only take away. No TCP, no signals to others. With
 * a GPU the driver may use device files, and read what the kernel tells of them. */
bool ks_guard_files(const char *scratch, bool gpu, bool loaded);
/* System calls: an allow-list for computing, allocating and waiting; with
 * threads also what a thread library needs. A refused call raises SIGSYS. */
bool ks_guard_syscalls(bool threads);
/* With a GPU the driver asks for more than can be listed, from threads of its own.
 * A list of what is refused, for all threads: other programs and processes, the
 * network, memory that becomes executable, other processes' memory. */
bool ks_guard_syscalls_gpu(void);

#endif
