#ifndef KSEEK_EVAL_PROBLEM_H
#define KSEEK_EVAL_PROBLEM_H
/*
 * A problem: definition.json and its scenario sets, read strictly, and one
 * scenario of it worked out to addresses and numbers (struct ks_case).
 *
 * Every refusal is one line "FILE: $.json.path: what; what to do". A loaded
 * problem is whole: every scenario has been worked out once, so ks_case_new
 * of a loaded problem fails only for memory.
 *
 * Sets are the *.jsonl files beside definition.json and in sets/, in the order
 * of their names; a set's name is its file's name without the ending. A line
 * may also be a FlashInfer-Bench trace line: its "workload" is used.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "eval/dtype.h"

#define KS_NAME_MAX 64              /* bytes of an axis', tensor's name, with NUL  */
#define KS_RANK_MAX 8
#define KS_ARGS_MAX 64
#define KS_TAGS_MAX 32
#define KS_SCENARIOS_MAX 4096
#define KS_VALUES_MAX 65536         /* numbers in one "values" list                */
#define KS_ALIGN 256                /* every tensor starts at a multiple           */
#define KS_GAP 1024                 /* bytes that belong to nobody behind a tensor */
#define KS_CASE_BYTES_MAX (UINT64_C(8) << 30)

struct ks_problem;

enum ks_arg_kind {
	KS_ARG_INPUT,  /* a pointer, const unless writable     */
	KS_ARG_OUTPUT, /* a pointer                            */
	KS_ARG_AXIS,   /* int64_t                              */
	KS_ARG_SCALAR, /* int32, int64, float32 or float64     */
	KS_ARG_DTYPE   /* int32: the code of a dtype axis      */
};

enum ks_dist {
	KS_DIST_NORMAL, KS_DIST_UNIFORM, KS_DIST_INTEGERS, KS_DIST_CONSTANT,
	KS_DIST_ARANGE, KS_DIST_PERMUTATION, KS_DIST_OFFSETS,
	KS_DIST_PAGE_TABLE, KS_DIST_ONE_HOT, KS_DIST_ZEROS,
	KS_DIST_VALUES /* a list given in the line */
};

/* Ways to bend the numbers of a float input. KS_PLAIN is none. */
enum ks_variant {
	KS_PLAIN, KS_SCALED, KS_SHIFTED, KS_OUTLIERS, KS_STRUCTURED,
	KS_ILL_CONDITIONED, KS_MIXED_ROWS, KS_VARIANT_COUNT
};

struct ks_gen {
	enum ks_dist dist;
	unsigned variants; /* bit (1 << enum ks_variant) for those declared    */
	bool fixed;        /* same in every call of a scenario                 */
	double a, b;       /* mean, std | low, high | value | start, step      */
	int64_t low, high; /* integers (both ends); offsets: least, most length */
	int64_t total;     /* offsets: the sum; page_table: pages; permutation */
	const double *values; /* KS_DIST_VALUES; lent by the case              */
	size_t count;
};

struct ks_tolerance {
	double abs_tol, rel_tol; /* the rule: abs_tol + rel_tol * abs(expected) */
	double match_ratio;     /* share of elements that must match, 1 = all     */
	double error_cap;       /* no |difference| above it; INFINITY: no cap     */
	bool allow_negative_inf;/* -inf matches -inf                              */
};

struct ks_arg {
	char name[KS_NAME_MAX];
	enum ks_arg_kind kind;
	enum ks_dtype dtype;   /* of the elements; axis int64; dtype code int32  */
	bool absent;           /* optional and not in this scenario: pass NULL   */
	bool writable;
	unsigned rank;         /* tensors; a one-element tensor may have rank 0  */
	int64_t shape[KS_RANK_MAX];
	uint64_t count;        /* elements, may be 0                             */
	uint64_t bytes;
	uint64_t offset;       /* in the layout; multiple of KS_ALIGN            */
	int64_t ivalue;        /* axis, integer scalar, dtype code               */
	double fvalue;         /* any scalar's value                             */
	struct ks_gen gen;     /* inputs                                         */
	struct ks_tolerance tol; /* outputs                                      */
	uint32_t stream;       /* which random stream: its place in the file     */
};

/*
 * One scenario, worked out. The layout is one range of bytes: inputs in
 * [0, in_bytes), outputs in [out_start, out_start + out_bytes); both parts and
 * both ends are multiples of 4096, so that they can be mapped apart. Behind
 * each tensor lie at least KS_GAP bytes that belong to nobody.
 */
struct ks_case {
	char *uuid;
	char *set;
	char *note;         /* may be NULL */
	bool heldout;
	uint64_t id;        /* of the uuid: the random stream of the scenario */
	struct ks_arg *args;/* in the order of the call */
	size_t count;
	uint64_t in_bytes, out_start, out_bytes, total_bytes;
	double ops;         /* floating-point operations; 0 when not stated */
	double bytes;       /* least traffic: every present tensor once, or as stated */
	enum ks_dtype ops_dtype; /* whose peak rate the operations are held against */
	unsigned variants;  /* all variants that any input declares */
	double *values;     /* behind gen.values; owned */
	int64_t *axes;      /* values of the definition's axes, in its order; owned */
};

/* Loads dir/definition.json and its sets; gives *out. */
int ks_problem_load(struct ks_problem **out, const char *dir, struct ks_err *err);
void ks_problem_free(struct ks_problem *problem);
/* Adds the lines of one more file; on failure none of it is added. */
int ks_problem_add_set(struct ks_problem *problem, const char *path, bool heldout,
	struct ks_err *err);

const char *ks_problem_name(const struct ks_problem *problem);        /* lends */
const char *ks_problem_description(const struct ks_problem *problem); /* "" */
/* What kind of problem it says it is: op_type and tags, one blank between; lends,
 * may be "". */
const char *ks_problem_tags(const struct ks_problem *problem);
const char *ks_problem_symbol(const struct ks_problem *problem);      /* the entry */
/* The entry's declaration in C, for briefs and messages; gives. */
char *ks_problem_prototype(const struct ks_problem *problem);
/* Source files of a side ("seed", "reference") for a target ("cpu", "cuda"),
 * first the one with the entry. Lends *out (count strings). KS_ENOTFOUND names
 * the missing key. */
int ks_problem_sources(const char *const **out, size_t *out_count,
	const struct ks_problem *problem, const char *target, const char *side,
	struct ks_err *err);

size_t ks_problem_scenarios(const struct ks_problem *problem);
const char *ks_problem_uuid(const struct ks_problem *problem, size_t index); /* lends */
const char *ks_problem_set(const struct ks_problem *problem, size_t index);  /* lends */
bool ks_problem_heldout(const struct ks_problem *problem, size_t index);
/* Index of a uuid, or -1. */
ptrdiff_t ks_problem_find(const struct ks_problem *problem, const char *uuid);
/* The value of an axis, or of a whole-number scalar that the line gives, for
 * `where` clauses: false if there is none. */
bool ks_problem_axis(const struct ks_problem *problem, size_t index,
	const char *axis, int64_t *out);
/* Constraints that read contents which are drawn, not given, and so were not
 * checked (files of the family have some). */
size_t ks_problem_unchecked(const struct ks_problem *problem);
/* Refuses dtypes that the target cannot have ("cpu": no 8-bit floats). */
int ks_problem_check_target(const struct ks_problem *problem, const char *target,
	struct ks_err *err);

/* Gives *out: scenario `index` worked out. */
int ks_case_new(struct ks_case **out, const struct ks_problem *problem, size_t index,
	struct ks_err *err);
void ks_case_free(struct ks_case *c);
/* The argument of that name, or NULL. */
const struct ks_arg *ks_case_arg(const struct ks_case *c, const char *name);

#endif
