#ifndef KSEEK_ENGINE_COPY_H
#define KSEEK_ENGINE_COPY_H
/* Files of a problem, copied into a new campaign. */
#include <stdbool.h>

#include "base/err.h"

#define KS_COPY_MAX (16u * 1024 * 1024) /* bytes of one file */

bool ks_ends_in(const char *name, const char *end); /* and has more in front of it */
/* KS_EIO, KS_ELIMIT: the file is named in err. */
int ks_copy_file(const char *from, const char *to, struct ks_err *err);
/* The definition, sources and sets of a problem's folder. A folder in it with the name
 * of the target holds the sets for that, in place of the others. */
int ks_copy_problem(const char *from, const char *to, const char *target, struct ks_err *err);

#endif
