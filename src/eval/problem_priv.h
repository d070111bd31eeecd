#ifndef KSEEK_EVAL_PROBLEM_PRIV_H
#define KSEEK_EVAL_PROBLEM_PRIV_H
/*
 * What the parts of "problem" share: the definition as read (problem_def.c),
 * generators and tolerances (problem_gen.c), scenarios worked out
 * (problem_case.c). Nobody else includes this.
 */
#include <stdarg.h>
#include <stdbool.h>

#include "base/json.h"
#include "eval/expr.h"
#include "eval/problem.h"

#define KS_PATH 256
#define KS_DTYPE_AXES_MAX 8
#define KS_CONSTRAINTS_MAX 64
#define KS_TARGETS_MAX 8
#define KS_SOURCES_MAX 32

/* A place in a file, for messages. */
struct ks_where {
	char file[128];
	unsigned line; /* 0: the file is one document */
};

/* "FILE[:LINE]: PATH: text"; returns KS_EINVAL. */
int ks_where_refuse(const struct ks_where *where, struct ks_err *err, const char *path,
	const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* A JSON path, cut to fit. */
void ks_where_path(char out[KS_PATH], const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Puts the place in front of an error that an expression has set. */
int ks_where_prefix(const struct ks_where *where, struct ks_err *err, const char *path,
	int code);
/* A letter or "_", then letters, digits, "_"; shorter than KS_NAME_MAX. */
bool ks_name_ok(const char *name);

/* A number that may be written as an expression over axes. */
struct ks_number {
	bool set;
	double value;
	struct ks_expr *expr; /* NULL: value */
};

int ks_number_read(struct ks_number *out, const struct ks_json *node,
	const struct ks_where *where, const char *path, struct ks_err *err);
void ks_number_fini(struct ks_number *number);

enum ks_gen_key {
	KS_GEN_MEAN, KS_GEN_STD, KS_GEN_LOW, KS_GEN_HIGH, KS_GEN_VALUE, KS_GEN_START,
	KS_GEN_STEP, KS_GEN_TOTAL, KS_GEN_PAGES, KS_GEN_SIZE, KS_GEN_MIN, KS_GEN_MAX,
	KS_GEN_KEYS
};

/* A generator as written. */
struct ks_gen_spec {
	bool given;
	enum ks_dist dist;
	unsigned variants;
	bool fixed;
	struct ks_number numbers[KS_GEN_KEYS];
};

/* A tolerance as written: only what is set wins over what lies below it. */
struct ks_tol_spec {
	double abs_tol, rel_tol, match_ratio, error_cap; /* NAN: not set */
	int allow_negative_inf;                    /* -1: not set  */
};

struct ks_tol_set {
	struct ks_tol_spec all;
	struct ks_tol_spec by_dtype[KS_DTYPE_COUNT];
	struct ks_tol_spec by_output[KS_ARGS_MAX]; /* by index of the tensor */
};

enum ks_axis_kind { KS_AXIS_VAR, KS_AXIS_CONST, KS_AXIS_EXPR };

struct ks_axis {
	char name[KS_NAME_MAX];
	enum ks_axis_kind kind;
	int64_t value;
	struct ks_expr *expr;
};

struct ks_dtype_axis {
	char name[KS_NAME_MAX];
	enum ks_dtype choices[KS_DTYPE_COUNT];
	size_t count;
};

struct ks_decl { /* an input or output as declared */
	char name[KS_NAME_MAX];
	bool output, scalar, optional, writable;
	enum ks_dtype dtype;
	int dtype_axis; /* -1: dtype */
	unsigned rank;
	struct ks_expr *shape[KS_RANK_MAX];
	struct ks_gen_spec gen;
};

struct ks_entry_arg {
	enum ks_arg_kind kind;
	size_t index; /* of axis, decl or dtype axis */
};

struct ks_sources {
	char target[KS_NAME_MAX];
	char side[16];
	char *files[KS_SOURCES_MAX];
	size_t count;
};

struct ks_scenario {
	char *uuid;
	char *set;
	bool heldout;
	struct ks_where where;
	struct ks_json *doc;
	const struct ks_json *node; /* in doc: the workload */
	const char *base;           /* path of node: "$" or "$.workload" */
	int64_t *axes;              /* as in struct ks_case; owned       */
};

struct ks_problem {
	char *dir, *name, *description, *tags, *symbol;
	struct ks_where where; /* definition.json */
	struct ks_axis axes[KS_ARGS_MAX];
	size_t axis_count;
	struct ks_dtype_axis dtype_axes[KS_DTYPE_AXES_MAX];
	size_t dtype_axis_count;
	struct ks_expr *constraints[KS_CONSTRAINTS_MAX];
	bool unchecked[KS_CONSTRAINTS_MAX];
	size_t constraint_count;
	struct ks_decl decls[KS_ARGS_MAX];
	size_t decl_count;
	struct ks_entry_arg args[KS_ARGS_MAX];
	size_t arg_count;
	struct ks_number operations, bytes;
	struct ks_tol_set *tolerance;
	struct ks_sources sources[KS_TARGETS_MAX];
	size_t source_count;
	struct ks_scenario *scenarios;
	size_t scenario_count, scenario_cap;
};

/* problem_def.c */
int ks_problem_define(struct ks_problem *p, const struct ks_json *root, struct ks_err *err);
int ks_problem_axis_index(const struct ks_problem *p, const char *name);       /* or -1 */
int ks_problem_decl_index(const struct ks_problem *p, const char *name);       /* or -1 */
int ks_problem_dtype_axis_index(const struct ks_problem *p, const char *name); /* or -1 */

/* problem_gen.c */
int ks_gen_read(struct ks_gen_spec *out, const struct ks_json *node,
	const struct ks_where *where, const char *path, struct ks_err *err);
void ks_gen_spec_fini(struct ks_gen_spec *spec);
void ks_tol_set_init(struct ks_tol_set *set);
int ks_tol_read(struct ks_tol_set *set, const struct ks_problem *p, const struct ks_json *node,
	const struct ks_where *where, const char *path, struct ks_err *err);
/* Lays set over *tol for one output. pick: the dtype axis' choice, or -1. */
void ks_tol_apply(struct ks_tolerance *tol, const struct ks_tol_set *set, size_t decl,
	enum ks_dtype dtype, int pick);
struct ks_tolerance ks_tol_default(enum ks_dtype dtype);

/* problem_case.c: works out a scenario; marks constraints that cannot be
 * checked in unchecked (may be NULL). */
int ks_case_build(struct ks_case **out, const struct ks_problem *p,
	const struct ks_scenario *s, bool *unchecked, struct ks_err *err);

#endif
