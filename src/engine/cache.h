#ifndef KSEEK_ENGINE_CACHE_H
#define KSEEK_ENGINE_CACHE_H
/* The build cache of a campaign: KEY.so, by what an object is built from. */
#include "base/err.h"
#include "eval/build.h"

/* Takes what was cut short out of it, and the oldest of too many objects; for when no
 * engine runs. */
void ks_cache_cut(const char *dir);
/* Where the object of these sources lies, or would; gives. */
int ks_cache_path(char **out, const char *dir, const struct ks_build_spec *build,
	struct ks_err *err);

#endif
