#ifndef KSEEK_LOOP_EXEC_HIDE_H
#define KSEEK_LOOP_EXEC_HIDE_H
/*
 * Part of kseek-exec: files that the program and what it starts cannot read, by
 * Landlock. That is a list of what is allowed, so folders beside the hidden ones
 * are allowed one by one, from the root down. Programs there still run; names can
 * be seen; what is written is not restricted. Links nothing but libc.
 */
#include <stdbool.h>
#include <stddef.h>

#define EXEC_HIDE_MAX 32

/* Absolute paths; what is not there is left out. shown: below hidden ones, and
 * readable all the same. False where the system has no Landlock. */
bool exec_hide(const char *const *hidden, size_t nhidden, const char *const *shown,
	size_t nshown);

#endif
