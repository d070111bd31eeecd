#ifndef KSEEK_TIMELINE_CUPTI_FIND_H
#define KSEEK_TIMELINE_CUPTI_FIND_H
/* Where CUPTI is: it is loaded at run time by those who trace, and by nobody else.
 * For C and CUDA C++. */
#include <dlfcn.h>
#include <stddef.h>

/* The library, or NULL; first is a path to try first, or NULL. */
static inline void *ks_cupti_find(const char *first)
{
	static const char *const places[] = {"libcupti.so.13", "libcupti.so",
		"/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13",
		"/usr/local/cuda/lib64/libcupti.so.13",
		"/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"};
	void *lib = first != NULL && first[0] != '\0' ? dlopen(first, RTLD_NOW | RTLD_LOCAL) : NULL;

	for (size_t i = 0; lib == NULL && i < sizeof(places) / sizeof(places[0]); i++) {
		lib = dlopen(places[i], RTLD_NOW | RTLD_LOCAL);
	}
	return lib;
}

#endif
