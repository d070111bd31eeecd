#ifndef KSEEK_BASE_PLURAL_H
#define KSEEK_BASE_PLURAL_H
/* "1 scenario", "3 scenarios"; "1 clause holds", "3 clauses hold". */

/* Behind a noun. */
static inline const char *ks_s(long long count)
{
	return count == 1 ? "" : "s";
}

/* Behind its verb. */
static inline const char *ks_verb_s(long long count)
{
	return count == 1 ? "s" : "";
}

#endif
