#ifndef KSEEK_APP_SCRATCH_H
#define KSEEK_APP_SCRATCH_H
/*
 * A scratch folder for trying commands on a kernel: a copy of a campaign's
 * sources and problem, or of a shipped problem with its seed as the kernel. What
 * happens in it touches no campaign. It is removed when it is freed.
 *
 *   DIR/problem/   definition, sets, seed, reference, kseek_kernel.h
 *   DIR/kernel.c   and the other sources, under their own names
 */
#include "base/err.h"

struct ks_scratch {
	char *dir;
	char *kernel;     /* DIR/kernel.c: the source that has the entry    */
	char *problem;    /* DIR/problem                                    */
	char *definition; /* the name in its definition.json                */
	char *shipped;    /* name of the shipped problem, or NULL: a campaign */
	char *target;     /* "cpu", "cuda"                                  */
};

/* From a campaign (root: its folder) or a shipped problem; gives *out. */
int ks_scratch_campaign(struct ks_scratch **out, const char *root, struct ks_err *err);
int ks_scratch_shipped(struct ks_scratch **out, const char *name, const char *target,
	struct ks_err *err);
void ks_scratch_free(struct ks_scratch *scratch);
/* Name of the definition in a problem's folder; gives. */
int ks_scratch_definition(char **out, const char *problem, struct ks_err *err);

#endif
