#ifndef KSEEK_EVAL_EXPR_H
#define KSEEK_EVAL_EXPR_H
/*
 * Expressions over axes: shapes, constraints, generators' numbers, operations.
 *
 *   integers, decimal numbers, names, ( )
 *   + - * / % and unary -        "/" is exact: a remainder is an error
 *   //                           division rounded down
 *   min(a, b, ...) max(a, b, ...) ceildiv(a, b)
 *   == != < <= > >=              1 or 0, no chains
 *   and or not                   "and" and "or" do not look at the right side
 *                                when the left one decides
 *   name[N] and name[N].item()   an element of a list (N may be negative),
 *                                for constraints of files of the family
 *
 * Binding, loosest first: or, and, not, comparisons, + -, * / // %, unary -.
 *
 * Two ways to compute. Integer: 64-bit, every overflow is an error, a decimal
 * number that is not whole is an error. Double: "/" is ordinary division, for
 * `operations` and `bytes`; a result that is not finite is an error.
 *
 * The parser is iterative and bounded: at most KS_EXPR_TEXT bytes and
 * KS_EXPR_STEPS steps. Errors say the column (from 1).
 */
#include <stdint.h>

#include "base/err.h"

#define KS_EXPR_TEXT 1024
#define KS_EXPR_STEPS 256

struct ks_expr;

/*
 * The caller's names. Each gives 0 and *out, or KS_ENOTFOUND for a name that
 * does not exist, or KS_EUNSUPPORTED for one whose value is not known here
 * (the whole expression is then KS_EUNSUPPORTED). `integer` may be NULL for
 * double only and the other way round; `element` may be NULL: no lists.
 */
struct ks_expr_names {
	void *ctx;
	int (*integer)(void *ctx, const char *name, int64_t *out);
	int (*real)(void *ctx, const char *name, double *out);
	int (*element)(void *ctx, const char *name, int64_t index, int64_t *out);
};

/* Gives *out. KS_EINVAL: "column 7: ..., what to do". Copies text. */
int ks_expr_parse(struct ks_expr **out, const char *text, struct ks_err *err);
void ks_expr_free(struct ks_expr *expr);
/* KS_EINVAL (overflow, not whole, division by zero, unknown name) with the
 * column; KS_EUNSUPPORTED as above. *out is untouched on failure. */
int ks_expr_int(int64_t *out, const struct ks_expr *expr,
	const struct ks_expr_names *names, struct ks_err *err);
int ks_expr_real(double *out, const struct ks_expr *expr,
	const struct ks_expr_names *names, struct ks_err *err);
/* The text it was made from; lends. */
const char *ks_expr_text(const struct ks_expr *expr);

#endif
