/*
 * Allocation that cannot fail. The only state is the hook that puts a terminal
 * back before the program aborts.
 */
#include "base/mem.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void (*abort_hook)(void);

void ks_mem_on_abort(void (*hook)(void))
{
	abort_hook = hook;
}

static _Noreturn void
out_of_memory(void)
{
	static const char text[] = "kseek: out of memory\n";
	void (*hook)(void) = abort_hook;

	abort_hook = NULL;
	if (hook) {
		hook();
	}
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0) {
		abort();
	}
	abort();
}

static size_t product(size_t count, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(count, size, &total)) {
		out_of_memory();
	}
	assert(total > 0);
	return total;
}

void *ks_alloc(size_t size)
{
	void *ptr;

	assert(size > 0);
	ptr = malloc(size);
	if (!ptr) {
		out_of_memory();
	}
	return ptr;
}

void *ks_zalloc(size_t count, size_t size)
{
	void *ptr;

	product(count, size);
	ptr = calloc(count, size);
	if (!ptr) {
		out_of_memory();
	}
	return ptr;
}

void *ks_realloc(void *ptr, size_t count, size_t size)
{
	void *grown = realloc(ptr, product(count, size));

	if (!grown) {
		out_of_memory();
	}
	return grown;
}

char *ks_strndup(const char *text, size_t len)
{
	char *copy;

	if (len == SIZE_MAX) {
		out_of_memory();
	}
	copy = ks_alloc(len + 1);
	if (len > 0) {
		memcpy(copy, text, len);
	}
	copy[len] = '\0';
	return copy;
}

char *ks_strdup(const char *text)
{
	return text ? ks_strndup(text, strlen(text)) : NULL;
}

char *ks_asprintf(const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0) {
		out_of_memory();
	}
	return text;
}

void ks_grow(void *ptr_to_array, size_t *cap, size_t need, size_t size)
{
	size_t grown = *cap > 0 ? *cap : 8;
	void *array;

	if (need <= *cap) {
		return;
	}
	while (grown < need) {
		if (__builtin_mul_overflow(grown, (size_t)2, &grown)) {
			out_of_memory();
		}
	}
	/* the caller's pointer may have any object type, so it is copied */
	memcpy(&array, ptr_to_array, sizeof(array));
	array = ks_realloc(array, grown, size);
	memcpy(ptr_to_array, &array, sizeof(array));
	*cap = grown;
}
