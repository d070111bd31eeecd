#ifndef KSEEK_EVAL_PROBLEM_CASE_H
#define KSEEK_EVAL_PROBLEM_CASE_H
/*
 * One scenario while it is worked out; shared by problem_case.c (the line) and
 * problem_tensor.c (shapes, generators, layout). Nobody else includes this.
 */
#include "eval/problem_priv.h"

#define KS_WHOLE_MAX (INT64_C(1) << 53) /* whole numbers up to it are exact doubles */

struct ks_builder {
	const struct ks_problem *p;
	const struct ks_scenario *s;
	struct ks_err *err;
	struct ks_case *c;
	int64_t axis[KS_ARGS_MAX];
	bool axis_known[KS_ARGS_MAX];
	int pick[KS_DTYPE_AXES_MAX];              /* enum ks_dtype */
	const struct ks_json *input[KS_ARGS_MAX]; /* by decl; NULL: not named */
	double scalar[KS_ARGS_MAX];
	bool scalar_known[KS_ARGS_MAX];
	const double *list[KS_ARGS_MAX];
	size_t list_count[KS_ARGS_MAX];
	struct ks_arg made[KS_ARGS_MAX];          /* by decl */
	uint64_t layout;
};

/* "BASE" and rest are the JSON path; refuses. */
int ks_builder_refuse(struct ks_builder *b, const char *rest, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The names that expressions may use: axes, scalars, elements of lists. */
struct ks_expr_names ks_builder_names(struct ks_builder *b);
enum ks_dtype ks_builder_dtype(const struct ks_builder *b, size_t decl);
/* Does v fit the dtype, and is it whole where it has to be? */
int ks_builder_check(struct ks_builder *b, enum ks_dtype dtype, double v, const char *rest);

/* problem_tensor.c: fills b->made and the layout of b->c. */
int ks_builder_tensors(struct ks_builder *b, const struct ks_tol_set *line_tol);

#endif
