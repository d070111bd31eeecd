#ifndef KSEEK_CORE_BANK_IMPL_H
#define KSEEK_CORE_BANK_IMPL_H
/* What bank_fill.c and bank_lint.c share; nobody else includes this. */
#include "core/bank.h"

/* The next {key} at or after from; *out_start is the place of its bracket. */
bool bank_placeholder(struct ks_str text, size_t from, size_t *out_start,
	struct ks_str *out_key);

#endif
