/*
 * Counts what a kernel itself copies, fills and allocates. Its object calls these
 * after
 *
 *   objcopy --redefine-sym memcpy=count_memcpy --redefine-sym memset=count_memset
 *           --redefine-sym memmove=count_memmove --redefine-sym malloc=count_malloc
 *           --redefine-sym calloc=count_calloc kernel.o
 *
 * Prints, when the program ends: bytes copied, bytes filled, allocations.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long copied, filled, allocations;

void *count_memcpy(void *to, const void *from, size_t n);
void *count_memmove(void *to, const void *from, size_t n);
void *count_memset(void *to, int value, size_t n);
void *count_malloc(size_t n);
void *count_calloc(size_t n, size_t size);

void *count_memcpy(void *to, const void *from, size_t n)
{
	copied += n;
	return memcpy(to, from, n);
}

void *count_memmove(void *to, const void *from, size_t n)
{
	copied += n;
	return memmove(to, from, n);
}

void *count_memset(void *to, int value, size_t n)
{
	filled += n;
	return memset(to, value, n);
}

void *count_malloc(size_t n)
{
	allocations++;
	return malloc(n);
}

void *count_calloc(size_t n, size_t size)
{
	allocations++;
	return calloc(n, size);
}

static __attribute__((destructor)) void report(void)
{
	printf("copied %lu\nfilled %lu\nallocations %lu\n", copied, filled, allocations);
}
