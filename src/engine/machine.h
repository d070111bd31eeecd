#ifndef KSEEK_ENGINE_MACHINE_H
#define KSEEK_ENGINE_MACHINE_H
/*
 * What a campaign has to know of this machine before it begins: name, rates
 * (measured once and stored by CPU), and whether the seed is right here.
 */
#include "engine/engine.h"
#include "eval/problem.h"
#include "eval/roofline.h"

struct ks_machine {
	char name[96];  /* CPU model        */
	char arch[64];  /* "cpu x86-64"     */
	char *probe;    /* JSON object text */
	struct ks_probe rates;
	double spread;  /* of the probe's repeats, relative */
};

/* Reads the stored probe of this CPU, or measures it (a few seconds). */
int ks_machine_look(struct ks_machine *out, const struct ks_engine_programs *programs,
	struct ks_err *err);
/* Measures anew and stores it. */
int ks_machine_measure(struct ks_machine *out, const struct ks_engine_programs *programs,
	struct ks_err *err);
void ks_machine_fini(struct ks_machine *machine);

/* Builds seed and reference of a problem folder and checks the seed against
 * the reference on every scenario. KS_EBUILD with the compiler's lines,
 * KS_EINVAL with the first scenario that is wrong. scratch_root: a folder in
 * which a scratch folder may be made; it is removed again. */
int ks_machine_check_seed(const char *scratch_root, const char *problem_dir,
	const struct ks_problem *problem, const char *flags,
	const struct ks_engine_programs *programs, struct ks_err *err);

#endif
