#ifndef KSEEK_BASE_REGEX_H
#define KSEEK_BASE_REGEX_H
/*
 * Regular expressions by PCRE2 (the only user), UTF-8, with limits on matching
 * so that no pattern and no text can run away. JIT where it is there.
 */
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

struct ks_regex;
#define KS_REGEX_GROUPS 10

enum ks_regex_flags { KS_REGEX_CASELESS = 1, KS_REGEX_MULTILINE = 2 };

int ks_regex_new(struct ks_regex **out, const char *pattern, unsigned flags,
	struct ks_err *err);
void ks_regex_free(struct ks_regex *re);
/* First match at or after byte `from`. groups may be NULL; groups[0] is the
 * whole match, unset groups have ptr NULL. A text past a limit does not match. */
bool ks_regex_match(const struct ks_regex *re, struct ks_str text, size_t from,
	struct ks_str groups[KS_REGEX_GROUPS]);

#endif
