/*
 * Any text parses or is refused with a column; what parses computes in both
 * ways or is refused with a column, the same every time, and never runs away.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "eval/expr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok) {
		abort();
	}
}

/* Names of one letter are known: small, 0, largest, smallest. */
static int integer(void *ctx, const char *name, int64_t *out)
{
	(void)ctx;
	static const int64_t values[] = {0, 1, 2, 7, INT64_MAX, INT64_MIN};
	if (name[1] != '\0' || name[0] == 'z') {
		return name[0] == 'z' ? KS_EUNSUPPORTED : KS_ENOTFOUND;
	}
	*out = values[(unsigned char)name[0] % 6];
	return 0;
}

static int element(void *ctx, const char *name, int64_t index, int64_t *out)
{
	(void)ctx;
	*out = index;
	return name[0] == 'a' ? 0 : KS_ENOTFOUND;
}

static void check(int rc, const struct ks_err *err)
{
	must(rc == 0 || rc == KS_EINVAL || rc == KS_EUNSUPPORTED);
	must(rc == err->code);
	must(rc == 0 || strncmp(err->msg, "column ", 7) == 0);
}

static void compute(const struct ks_expr *expr)
{
	static const struct ks_expr_names names = {NULL, integer, NULL, element};
	for (int again = 0; again < 2; again++) {
		static int64_t first;
		struct ks_err err = KS_ERR_INIT;
		int64_t i = 0;
		double r = 0;
		check(ks_expr_int(&i, expr, &names, &err), &err);
		must(again == 0 || i == first);
		first = i;
		ks_err_clear(&err);
		check(ks_expr_real(&r, expr, &names, &err), &err);
		must(r - r == 0); /* finite */
	}
}

static void one(const char *text)
{
	struct ks_expr *expr = NULL;
	struct ks_err err = KS_ERR_INIT;
	int rc = ks_expr_parse(&expr, text, &err);
	check(rc, &err);
	must((rc == 0) == (expr != NULL));
	if (expr != NULL) {
		compute(expr);
	}
	ks_expr_free(expr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* The bytes as text, and the bytes as a row of tokens, which parses more
	 * often. */
	static const char *const tokens[] = {"1", "2", "a", "b", "c", "d", "e", "f", "z", "+", "-",
		"*", "/", "//", "%", "(", ")", ",", "min(", "max(", "ceildiv(", " and ", " or ",
		" not ", "==", "!=", "<", ">=", "a[-1].item()", "0.5", "1e9", " "};
	char *text = malloc(size + 1), *row = malloc(16 * size + 1);
	size_t len = 0;
	must(text != NULL && row != NULL);
	if (size > 0) {
		memcpy(text, data, size);
	}
	text[size] = '\0';
	one(text);
	for (size_t i = 0; i < size && i < 60; i++) {
		const char *token = tokens[data[i] % (sizeof(tokens) / sizeof(tokens[0]))];
		memcpy(row + len, token, strlen(token));
		len += strlen(token);
	}
	row[len] = '\0';
	one(row);
	free(text);
	free(row);
	return 0;
}
