#ifndef KSEEK_BASE_MEM_H
#define KSEEK_BASE_MEM_H
/*
 * Allocation that cannot fail: out of memory calls the abort hook (a program
 * with a terminal sets one that restores it) and aborts. Sizes are checked for
 * overflow. Size zero is a bug and asserts. Free with free().
 */
#include <stddef.h>

void *ks_alloc(size_t size);               /* uninitialised */
void *ks_zalloc(size_t count, size_t size);/* zeroed array  */
/* Grows or shrinks an array to count elements; new elements are not zeroed. */
void *ks_realloc(void *ptr, size_t count, size_t size);
char *ks_strdup(const char *text);         /* gives; NULL stays NULL */
char *ks_strndup(const char *text, size_t len);
char *ks_asprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Ensures room for `need` elements in *ptr of capacity *cap (doubling). */
void ks_grow(void *ptr_to_array, size_t *cap, size_t need, size_t size);
/* Called once before abort(); NULL removes it. */
void ks_mem_on_abort(void (*hook)(void));

#endif
