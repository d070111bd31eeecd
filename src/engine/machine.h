#ifndef KSEEK_ENGINE_MACHINE_H
#define KSEEK_ENGINE_MACHINE_H
/*
 * What a campaign has to know of this machine before it begins: name, rates
 * (measured once and stored by CPU), and whether the seed is right here.
 */
#include "base/json.h"
#include "engine/engine.h"
#include "eval/problem.h"
#include "eval/roofline.h"
#include "loop/child.h"

struct ks_machine {
	char name[96];  /* model of CPU or GPU            */
	char arch[64];  /* "cpu x86-64", "cuda sm_90a"    */
	char uuid[48];  /* of the GPU that was probed     */
	bool blind;     /* cuda: no GPU here, only its architecture was given */
	char *probe;    /* JSON object text */
	struct ks_probe rates;
	double spread;  /* of the probe's repeats, relative */
};

/* The CPU's name by the text of /proc/cpuinfo: its "model name"; where there is none,
 * as on arm64, the architecture with implementer and part. */
void ks_machine_name_cpu(char *out, size_t size, struct ks_str cpuinfo, const char *arch);
/* Reads the stored probe of this CPU, or measures it (a few seconds). */
int ks_machine_look(struct ks_machine *out, const struct ks_engine_programs *programs,
	struct ks_err *err);
/* Measures anew and stores it. */
int ks_machine_measure(struct ks_machine *out, const struct ks_engine_programs *programs,
	struct ks_err *err);
/* The same for the first visible GPU; arch as for ks_create_options. With an arch
 * and no GPU there is no probe, and `blind` is set. KS_ENOTFOUND without both. */
int ks_machine_look_cuda(struct ks_machine *out, const char *arch,
	const struct ks_engine_programs *programs, struct ks_err *err);
/* fresh: whatever is stored. */
int ks_machine_measure_cuda(struct ks_machine *out, bool fresh,
	const struct ks_engine_programs *programs, struct ks_err *err);
void ks_machine_fini(struct ks_machine *machine);

/* Builds seed and reference of a problem folder and checks the seed against
 * the reference on every scenario. KS_EBUILD with the compiler's lines,
 * KS_EINVAL with the first scenario that is wrong. scratch_root: a folder in
 * which a scratch folder may be made; it is removed again. cache: the campaign's
 * build cache, which keeps what was built. */
int ks_machine_check_seed(const char *scratch_root, const char *cache, const char *problem_dir,
	const struct ks_problem *problem, const char *target, const struct ks_machine *machine,
	const char *flags, const struct ks_engine_programs *programs, struct ks_err *err);

/* Whether a yardstick's source, problem/yardstick/FILE, builds: as above. */
int ks_machine_check_yardstick(const char *scratch_root, const char *problem_dir,
	const char *file, const char *target, const char *flags,
	const struct ks_engine_programs *programs, struct ks_err *err);
/* The line of a compiler's or linker's output that says what is wrong; else its first. */
struct ks_str ks_compiler_error(struct ks_str output);

/* For machine_cuda.c: takes a probe's JSON; a file of stored ones by its key. */
int ks_machine_take_probe(struct ks_machine *m, struct ks_str text, struct ks_err *err);
char *ks_machine_probe_path(const char *key, const struct ks_engine_programs *programs);
int ks_machine_keep_probe(const struct ks_machine *m, const char *key,
	const struct ks_engine_programs *programs, struct ks_err *err);

/* What the judge finds its libraries and GPUs by, beside ks_env_clean. */
struct ks_env *ks_judge_env(void);
/* The job's fields that belong to the target. arch: "sm_90a" or "". */
void ks_job_target(struct ks_jw *w, const char *target, const char *arch,
	const struct ks_engine_programs *programs);

#endif
