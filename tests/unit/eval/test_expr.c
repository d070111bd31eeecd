/* Expressions: values, refusals with their exact text, bounds. */
#include "eval/expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static int integer(void *ctx, const char *name, int64_t *out)
{
	(void)ctx;
	static const struct {
		const char *name;
		int64_t value;
	} names[] = {{"batch", 3}, {"heads", 8}, {"kv", 2}, {"zero", 0}, {"big", INT64_MAX}};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i].name, name) == 0) {
			*out = names[i].value;
			return 0;
		}
	}
	return strcmp(name, "later") == 0 ? KS_EUNSUPPORTED : KS_ENOTFOUND;
}

static int element(void *ctx, const char *name, int64_t index, int64_t *out)
{
	(void)ctx;
	static const int64_t list[] = {0, 5, 9};
	if (strcmp(name, "indptr") != 0 || index < -3 || index > 2) {
		return KS_ENOTFOUND;
	}
	*out = list[index < 0 ? index + 3 : index];
	return 0;
}

static const struct ks_expr_names names = {NULL, integer, NULL, element};

static int compute(int64_t *out, const char *text, struct ks_err *err)
{
	struct ks_expr *expr = NULL;
	int rc = ks_expr_parse(&expr, text, err);
	if (rc == 0) {
		rc = ks_expr_int(out, expr, &names, err);
	}
	ks_expr_free(expr);
	return rc;
}

static void test_integers(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t value;
	} table[] = {
		{"1 + 2 * 3", 7}, {"(1 + 2) * 3", 9}, {"10 - 4 - 3", 3}, {"24 / 4 / 2", 3},
		{"-3 + 5", 2}, {"2 - -3", 5}, {"--4", 4}, {"-2 * 3", -6},
		{"7 % 3", 1}, {"-7 % 3", 2}, {"7 // 2", 3}, {"-7 // 2", -4},
		{"ceildiv(7, 2)", 4}, {"ceildiv(8, 2)", 4}, {"ceildiv(-7, 2)", -3},
		{"min(3, 1, 2)", 1}, {"max(batch, heads, kv)", 8}, {"min((1), 2)", 1},
		{"heads / kv", 4}, {"heads % kv == 0", 1}, {"heads < kv", 0},
		{"1 < 2 and 2 < 3", 1}, {"1 > 2 or 3 > 2", 1}, {"not 1 == 2", 1},
		{"not (1 == 1) or 1", 1}, {"not not 5", 1}, {"5 and 7", 1}, {"0 or 0", 0},
		{"1 or 1 and 0", 1}, {"zero == 0 or heads % zero == 0", 1},
		{"zero != 0 and heads / zero > 1", 0}, {"1 and 2 and 0 or 4", 1},
		{"3.0 * 2", 6}, {"1e3", 1000}, {"indptr[-1].item() == 9", 1},
		{"indptr[1] + indptr[0]", 5}, {"9223372036854775807", INT64_MAX},
		{"-9223372036854775807 - 1", INT64_MIN}, {"ceildiv(max(1, 2) + 1, min(2, 3))", 2},
		{"1 == 1 and 2 == 2 and not 3 == 4", 1}, {"(1 < 2) == (3 < 4)", 1},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct ks_err err = KS_ERR_INIT;
		int64_t got = -99;
		if (compute(&got, table[i].text, &err) != 0 || got != table[i].value) {
			fail_msg("%s: %lld, wanted %lld %s", table[i].text, (long long)got,
				(long long)table[i].value, err.msg);
		}
	}
}

static void test_refusals(void **state)
{
	(void)state;
	static const struct {
		const char *text, *msg;
	} table[] = {
		{"", "column 1: the expression ends where a number or a name should follow"},
		{"1 +", "column 4: the expression ends where a number or a name should follow"},
		{"(1 + 2", "column 1: '(' is not closed"},
		{"min(1, 2", "column 1: '(' is not closed"},
		{"1 + 2)", "column 6: ')' without its '('"},
		{"1, 2", "column 2: ',' without a function around it"},
		{"(1, 2)", "column 3: ',' without a function around it"},
		{"1 2", "column 3: an operator should stand here "
			"(+ - * / // % == != < <= > >= and or)"},
		{"2 ** 3", "column 3: an operator should stand here "
			"(+ - * / // % == != < <= > >= and or)"},
		{"1 < 2 < 3", "column 7: comparisons do not chain; write a < b and b < c"},
		{"1 == 2 + 1 == 3", "column 12: comparisons do not chain; write a < b and b < c"},
		{"sqrt(4)", "column 1: no function 'sqrt'; there are min, max and ceildiv"},
		{"min(1)", "column 1: min and max take two arguments or more"},
		{"ceildiv(1, 2, 3)", "column 1: ceildiv takes two arguments"},
		{"min()", "column 5: a number, a name or '(' should stand here"},
		{"1 + not 2", "column 5: 'not' behind an operator that binds tighter; "
			"put it in brackets"},
		{"and 1", "column 1: 'and' needs something on its left"},
		{"+1", "column 1: '+' needs something on its left"},
		{"3x", "column 2: this does not belong to a decimal number; "
			"write an operator between"},
		{"0x10", "column 2: this does not belong to a decimal number; "
			"write an operator between"},
		{"1.2.3", "column 4: this does not belong to a decimal number; "
			"write an operator between"},
		{"9223372036854775808", "column 1: the number does not fit 64 bits; make it "
			"smaller"},
		{"1e999", "column 1: the number does not fit 64 bits; make it smaller"},
		{"big + 1", "column 5: the result does not fit 64 bits"},
		{"big * 2", "column 5: the result does not fit 64 bits"},
		{"(-big - 1) / -1", "column 12: the result does not fit 64 bits"},
		{"-(-big - 1)", "column 1: the result does not fit 64 bits"},
		{"7 / 2", "column 3: 7 / 2 is not whole; use ceildiv or //"},
		{"heads / zero", "column 7: division by zero"},
		{"1 % zero", "column 3: division by zero"},
		{"1.5 * 2", "column 1: a number with a fraction where a whole one is needed"},
		{"hedas", "column 1: unknown name 'hedas'; use an axis of the definition"},
		{"later + 1", "column 1: the value of 'later' is not known here"},
		{"indptr[x]", "column 7: an index is one whole number in brackets, such as [-1]"},
		{"indptr[9]", "column 1: unknown name 'indptr'; use an axis of the definition"},
		{"batch $ 2", "column 7: an operator should stand here "
			"(+ - * / // % == != < <= > >= and or)"},
		{"\xff", "column 1: a number, a name or '(' should stand here"},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct ks_err err = KS_ERR_INIT;
		int64_t got = -99;
		assert_int_not_equal(compute(&got, table[i].text, &err), 0);
		assert_string_equal(err.msg, table[i].msg);
		assert_true(got == -99);
	}
}

static void test_reals(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		double value;
	} table[] = {
		{"7 / 2", 3.5}, {"4 * batch * heads / (1 + kv)", 32}, {"1.45e10", 1.45e10},
		{"0.125", 0.125}, {"big * 4", 4 * 9223372036854775807.0}, {"7 // 2", 3},
		{"ceildiv(7, 2)", 4}, {"2.5e-3", 2.5e-3}, {".5 + 1", 1.5},
		{"1 < 2 and not 0", 1}, {"-batch", -3}, {"7.5 % 2", 1.5},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct ks_err err = KS_ERR_INIT;
		struct ks_expr *expr = NULL;
		double got = -99;
		assert_int_equal(ks_expr_parse(&expr, table[i].text, &err), 0);
		assert_int_equal(ks_expr_real(&got, expr, &names, &err), 0);
		assert_true(got == table[i].value);
		assert_string_equal(ks_expr_text(expr), table[i].text);
		ks_expr_free(expr);
	}
	struct ks_err err = KS_ERR_INIT;
	struct ks_expr *expr = NULL;
	double got = 0;
	assert_int_equal(ks_expr_parse(&expr, "1e300 * 1e300", &err), 0);
	assert_int_equal(ks_expr_real(&got, expr, &names, &err), KS_EINVAL);
	assert_string_equal(err.msg, "column 7: the result is not finite");
	ks_expr_free(expr);
}

static void test_bounds(void **state)
{
	(void)state;
	static char text[2 * KS_EXPR_TEXT];
	struct ks_err err = KS_ERR_INIT;
	struct ks_expr *expr = NULL;
	memset(text, '(', KS_EXPR_TEXT);
	assert_int_equal(ks_expr_parse(&expr, text, &err), KS_EINVAL);
	assert_string_equal(err.msg, "column 257: nested too deep; split the expression");
	memset(text, '1', KS_EXPR_TEXT + 1);
	ks_err_clear(&err);
	assert_int_equal(ks_expr_parse(&expr, text, &err), KS_EINVAL);
	assert_string_equal(err.msg,
		"column 1025: an expression is at most 1024 bytes long; split it");
	for (size_t i = 0; i < KS_EXPR_TEXT - 2; i += 2) {
		memcpy(text + i, "1+", 2);
	}
	memcpy(text + KS_EXPR_TEXT - 2, "1", 2);
	ks_err_clear(&err);
	assert_int_equal(ks_expr_parse(&expr, text, &err), KS_EINVAL);
	assert_non_null(strstr(err.msg, "more than 256 steps; split the expression"));
	assert_null(expr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_reals),
		cmocka_unit_test(test_bounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
