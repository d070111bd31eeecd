#ifndef KSEEK_CORE_PERMIT_IMPL_H
#define KSEEK_CORE_PERMIT_IMPL_H
/* What the files of permit share. */
#include "core/permit.h"

/* Whether a path lies in the folder, or (reading) where anybody reads. Relative
 * ones start at the folder. */
bool ks_permit_path(const char *path, const char *folder, bool reading, char *why,
	size_t size);
/* Whether a command line stays in the folder. */
bool ks_permit_shell(const char *text, const char *folder, char *why, size_t size);

#endif
