/*
 * Expressions. The parser is Dijkstra's shunting yard: one pass over the text,
 * an explicit stack of operators, output in postfix order. "and" and "or" leave
 * a conditional jump behind their left side, so that the right side of a
 * decided one is not computed. The machine that runs the steps has one stack of
 * numbers; each step says the column that its errors name.
 *
 * Invariants: steps are well-formed (every operator finds its operands), jumps
 * go forward only, and the stack never holds more than KS_EXPR_STEPS numbers.
 */
#include "eval/expr.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/mem.h"

enum op {
	OP_NUMBER, OP_DECIMAL, OP_NAME, OP_ELEMENT,
	OP_OR, OP_AND, OP_NOT,
	OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE,
	OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_FLOOR, OP_MOD, OP_NEG,
	OP_MIN, OP_MAX, OP_CEIL,
	OP_BOOL,         /* makes the top 0 or 1 */
	OP_OPEN          /* parser only          */
};

struct step {
	enum op op;
	int column;
	int64_t number; /* integer, element's index, jump target, arguments */
	double decimal;
	size_t name;    /* offset in names */
};

struct ks_expr {
	char *text;
	char *names; /* NUL-separated */
	struct step steps[KS_EXPR_STEPS];
	size_t count;
};

/* A waiting operator, bracket or function. */
struct waiting {
	enum op op;     /* OP_OPEN: bracket; OP_MIN.. : function */
	int column;
	int arguments;
	size_t jump;    /* of "and", "or": its step */
};

struct parser {
	struct ks_expr *expr;
	const char *at;
	bool operand;  /* an operand is expected next */
	struct waiting stack[KS_EXPR_STEPS];
	size_t depth;
	size_t names_len;
	struct ks_err *err;
};

static int binding(enum op op)
{
	switch (op) {
	case OP_OR:
		return 1;
	case OP_AND:
		return 2;
	case OP_NOT:
		return 3;
	case OP_EQ: case OP_NE: case OP_LT: case OP_LE: case OP_GT: case OP_GE:
		return 4;
	case OP_ADD: case OP_SUB:
		return 5;
	case OP_MUL: case OP_DIV: case OP_FLOOR: case OP_MOD:
		return 6;
	case OP_NEG:
		return 7;
	default:
		return 0; /* brackets and functions hold everything back */
	}
}

static int column_of(const struct parser *p)
{
	return (int)(p->at - p->expr->text) + 1;
}

static int emit(struct parser *p, struct step step)
{
	if (p->expr->count == KS_EXPR_STEPS) {
		return ks_err_set(p->err, KS_EINVAL,
			"column %d: more than %d steps; split the expression", step.column,
			KS_EXPR_STEPS);
	}
	p->expr->steps[p->expr->count++] = step;
	return 0;
}

static int push(struct parser *p, enum op op, int column)
{
	if (p->depth == KS_EXPR_STEPS) {
		return ks_err_set(p->err, KS_EINVAL,
			"column %d: nested too deep; split the expression", column);
	}
	p->stack[p->depth++] = (struct waiting){.op = op, .column = column};
	return 0;
}

/* Moves the top operator to the output. */
static int settle(struct parser *p)
{
	struct waiting top = p->stack[--p->depth];
	if (top.op != OP_AND && top.op != OP_OR) {
		return emit(p, (struct step){.op = top.op, .column = top.column});
	}
	int rc = emit(p, (struct step){.op = OP_BOOL, .column = top.column});
	p->expr->steps[top.jump].number = (int64_t)p->expr->count;
	return rc;
}

static int settle_down_to(struct parser *p, int least)
{
	int rc = 0;
	while (rc == 0 && p->depth > 0 && binding(p->stack[p->depth - 1].op) >= least) {
		rc = settle(p);
	}
	return rc;
}

static int take_operator(struct parser *p, enum op op, size_t length)
{
	int column = column_of(p);
	int bind = binding(op);
	p->at += length;
	for (size_t i = p->depth; bind == 4 && i > 0; i--) {
		int below = binding(p->stack[i - 1].op);
		if (below == 4) {
			return ks_err_set(p->err, KS_EINVAL,
				"column %d: comparisons do not chain; write a < b and b < c",
				column);
		}
		if (below < 4) {
			break;
		}
	}
	int rc = settle_down_to(p, bind);
	if (rc != 0) {
		return rc;
	}
	size_t jump = p->expr->count;
	if (op == OP_AND || op == OP_OR) {
		rc = emit(p, (struct step){.op = op, .column = column});
	}
	rc = rc != 0 ? rc : push(p, op, column);
	if (rc == 0) {
		p->stack[p->depth - 1].jump = jump;
		p->operand = true;
	}
	return rc;
}

/* A decimal number, without the C library's (its decimal point is the
 * locale's). Gives the bytes used; *is_whole when there is no point and no
 * exponent. One rounding for up to 15 digits and powers of ten to 22. */
static size_t scan_decimal(const char *text, double *out, bool *is_whole)
{
	size_t n = 0;
	double mantissa = 0;
	int exponent = 0, sign = 1, power = 0;
	for (; isdigit((unsigned char)text[n]); n++) {
		mantissa = mantissa * 10 + (text[n] - '0');
	}
	size_t whole = n;
	if (text[n] == '.') {
		for (n++; isdigit((unsigned char)text[n]); n++) {
			mantissa = mantissa * 10 + (text[n] - '0');
			exponent--;
		}
	}
	size_t digit = n + 1;
	if (text[n] == 'e' || text[n] == 'E') {
		if (text[digit] == '+' || text[digit] == '-') {
			sign = text[digit] == '-' ? -1 : 1;
			digit++;
		}
		if (isdigit((unsigned char)text[digit])) {
			for (n = digit; isdigit((unsigned char)text[n]); n++) {
				power = power > 9999 ? power : power * 10 + (text[n] - '0');
			}
			exponent += sign * power;
		}
	}
	*is_whole = n == whole;
	*out = exponent < 0 ? mantissa / pow(10, -exponent) : mantissa * pow(10, exponent);
	return n;
}

static int take_number(struct parser *p)
{
	struct step step = {.op = OP_NUMBER, .column = column_of(p)};
	bool is_whole;
	errno = 0;
	size_t used = scan_decimal(p->at, &step.decimal, &is_whole);
	if (is_whole) {
		step.number = strtoll(p->at, NULL, 10);
	} else {
		step.op = OP_DECIMAL;
	}
	if (errno == ERANGE || !isfinite(step.decimal)) {
		return ks_err_set(p->err, KS_EINVAL,
			"column %d: the number does not fit 64 bits; make it smaller",
			step.column);
	}
	p->at += used;
	if (isalnum((unsigned char)*p->at) || *p->at == '_' || *p->at == '.') {
		return ks_err_set(p->err, KS_EINVAL,
			"column %d: this does not belong to a decimal number; "
			"write an operator between",
			column_of(p));
	}
	p->operand = false;
	return emit(p, step);
}

/* "[N]" and an optional ".item()" behind a name. */
static int take_index(struct parser *p, int64_t *out)
{
	int column = column_of(p);
	char *end;
	errno = 0;
	long long index = strtoll(p->at + 1, &end, 10);
	if (end == p->at + 1 || *end != ']' || errno != 0) {
		return ks_err_set(p->err, KS_EINVAL,
			"column %d: an index is one whole number in brackets, such as [-1]",
			column);
	}
	p->at = end + 1;
	if (strncmp(p->at, ".item()", 7) == 0) {
		p->at += 7;
	}
	*out = index;
	return 0;
}

static size_t word_length(const char *at)
{
	size_t n = 0;
	while (isalnum((unsigned char)at[n]) || at[n] == '_') {
		n++;
	}
	return n;
}

static bool word_is(const char *at, size_t len, const char *word)
{
	return strlen(word) == len && memcmp(at, word, len) == 0;
}

static int take_function(struct parser *p, size_t len)
{
	static const struct {
		const char *name;
		enum op op;
	} functions[] = {{"min", OP_MIN}, {"max", OP_MAX}, {"ceildiv", OP_CEIL}};
	int column = column_of(p);
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (word_is(p->at, len, functions[i].name)) {
			p->at += len;
			p->at = strchr(p->at, '(') + 1;
			int rc = push(p, functions[i].op, column);
			if (rc == 0) {
				p->stack[p->depth - 1].arguments = 1;
			}
			return rc;
		}
	}
	return ks_err_set(p->err, KS_EINVAL,
		"column %d: no function '%.*s'; there are min, max and ceildiv", column,
		len < 40 ? (int)len : 40, p->at);
}

static int take_not(struct parser *p)
{
	int column = column_of(p);
	if (p->depth > 0 && binding(p->stack[p->depth - 1].op) > 3) {
		return ks_err_set(p->err, KS_EINVAL,
			"column %d: 'not' behind an operator that binds tighter; "
			"put it in brackets",
			column);
	}
	p->at += 3;
	return push(p, OP_NOT, column);
}

static int take_name(struct parser *p)
{
	size_t len = word_length(p->at);
	const char *behind = p->at + len;
	while (*behind == ' ' || *behind == '\t') {
		behind++;
	}
	if (word_is(p->at, len, "not")) {
		return take_not(p);
	}
	if (word_is(p->at, len, "and") || word_is(p->at, len, "or")) {
		return ks_err_set(p->err, KS_EINVAL,
			"column %d: '%.*s' needs something on its left", column_of(p), (int)len,
			p->at);
	}
	if (*behind == '(') {
		return take_function(p, len);
	}
	struct step step = {.op = OP_NAME, .column = column_of(p), .name = p->names_len};
	memcpy(p->expr->names + p->names_len, p->at, len);
	p->expr->names[p->names_len + len] = '\0';
	p->names_len += len + 1;
	p->at += len;
	if (*p->at == '[') {
		step.op = OP_ELEMENT;
		int rc = take_index(p, &step.number);
		if (rc != 0) {
			return rc;
		}
	}
	p->operand = false;
	return emit(p, step);
}

static int take_operand(struct parser *p)
{
	unsigned char c = (unsigned char)*p->at;
	int column = column_of(p);
	if (isdigit(c) || (c == '.' && isdigit((unsigned char)p->at[1]))) {
		return take_number(p);
	}
	if (isalpha(c) || c == '_') {
		return take_name(p);
	}
	if (c == '(' || c == '-') {
		p->at++;
		return push(p, c == '(' ? OP_OPEN : OP_NEG, column);
	}
	if (c == '+') {
		return ks_err_set(p->err, KS_EINVAL,
			"column %d: '+' needs something on its left", column);
	}
	if (c == '\0') {
		return ks_err_set(p->err, KS_EINVAL,
			"column %d: the expression ends where a number or a name should follow",
			column);
	}
	return ks_err_set(p->err, KS_EINVAL,
		"column %d: a number, a name or '(' should stand here", column);
}

static int close_bracket(struct parser *p, bool comma)
{
	int column = column_of(p);
	int rc = settle_down_to(p, 1);
	if (rc != 0) {
		return rc;
	}
	if (p->depth == 0 || (comma && p->stack[p->depth - 1].op == OP_OPEN)) {
		return ks_err_set(p->err, KS_EINVAL, "column %d: '%c' without %s", column,
			comma ? ',' : ')', comma ? "a function around it" : "its '('");
	}
	struct waiting *top = &p->stack[p->depth - 1];
	p->at++;
	if (comma) {
		top->arguments++;
		p->operand = true;
		return 0;
	}
	p->depth--;
	if (top->op == OP_OPEN) {
		return 0;
	}
	if (top->arguments < 2 || (top->op == OP_CEIL && top->arguments != 2)) {
		return ks_err_set(p->err, KS_EINVAL, "column %d: %s", top->column,
			top->op == OP_CEIL ? "ceildiv takes two arguments"
					   : "min and max take two arguments or more");
	}
	return emit(p, (struct step){.op = top->op, .column = top->column,
		.number = top->arguments});
}

static int take_binary(struct parser *p)
{
	static const struct {
		const char *text;
		enum op op;
	} operators[] = {{"==", OP_EQ}, {"!=", OP_NE}, {"<=", OP_LE}, {">=", OP_GE},
		{"//", OP_FLOOR}, {"<", OP_LT}, {">", OP_GT}, {"+", OP_ADD},
		{"-", OP_SUB}, {"/", OP_DIV}, {"%", OP_MOD}};
	if (*p->at == ')' || *p->at == ',') {
		return close_bracket(p, *p->at == ',');
	}
	size_t len = word_length(p->at);
	if (word_is(p->at, len, "and") || word_is(p->at, len, "or")) {
		return take_operator(p, len == 3 ? OP_AND : OP_OR, len);
	}
	if (p->at[0] == '*' && p->at[1] != '*') {
		return take_operator(p, OP_MUL, 1);
	}
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		size_t n = strlen(operators[i].text);
		if (strncmp(p->at, operators[i].text, n) == 0) {
			return take_operator(p, operators[i].op, n);
		}
	}
	return ks_err_set(p->err, KS_EINVAL,
		"column %d: an operator should stand here (+ - * / // %% == != < <= > >= and or)",
		column_of(p));
}

static int parse(struct parser *p)
{
	int rc = 0;
	while (rc == 0) {
		while (*p->at == ' ' || *p->at == '\t') {
			p->at++;
		}
		if (p->operand) {
			rc = take_operand(p);
		} else if (*p->at == '\0') {
			break;
		} else {
			rc = take_binary(p);
		}
	}
	rc = rc != 0 ? rc : settle_down_to(p, 1);
	if (rc == 0 && p->depth > 0) {
		rc = ks_err_set(p->err, KS_EINVAL, "column %d: '(' is not closed",
			p->stack[p->depth - 1].column);
	}
	return rc;
}

int ks_expr_parse(struct ks_expr **out, const char *text, struct ks_err *err)
{
	size_t len = strlen(text);
	if (len > KS_EXPR_TEXT) {
		return ks_err_set(err, KS_EINVAL,
			"column %d: an expression is at most %d bytes long; split it",
			KS_EXPR_TEXT + 1, KS_EXPR_TEXT);
	}
	struct ks_expr *expr = ks_zalloc(1, sizeof(*expr));
	struct parser *p = ks_zalloc(1, sizeof(*p));
	expr->text = ks_strdup(text);
	expr->names = ks_zalloc(1, 2 * len + 2);
	p->expr = expr;
	p->at = expr->text;
	p->operand = true;
	p->err = err;
	int rc = parse(p);
	free(p);
	if (rc != 0) {
		ks_expr_free(expr);
		return rc;
	}
	*out = expr;
	return 0;
}

void ks_expr_free(struct ks_expr *expr)
{
	if (expr != NULL) {
		free(expr->text);
		free(expr->names);
		free(expr);
	}
}

const char *ks_expr_text(const struct ks_expr *expr)
{
	return expr->text;
}

/* ---- the machine ---- */

struct machine {
	const struct ks_expr *expr;
	const struct ks_expr_names *names;
	struct ks_err *err;
	union number {
		int64_t i;
		double r;
	} stack[KS_EXPR_STEPS];
	size_t depth;
	bool real;
};

static int refuse(const struct machine *m, const struct step *s, const char *what)
{
	return ks_err_set(m->err, KS_EINVAL, "column %d: %s", s->column, what);
}

static int load_name(struct machine *m, const struct step *s, union number *out)
{
	const char *name = m->expr->names + s->name;
	const struct ks_expr_names *n = m->names;
	int rc = KS_ENOTFOUND;
	int64_t whole = 0;
	if (s->op == OP_ELEMENT) {
		rc = n->element != NULL ? n->element(n->ctx, name, s->number, &whole) : rc;
	} else if (m->real && n->real != NULL) {
		rc = n->real(n->ctx, name, &out->r);
		if (rc == 0) {
			return 0;
		}
	} else if (n->integer != NULL) {
		rc = n->integer(n->ctx, name, &whole);
	}
	if (rc == KS_EUNSUPPORTED) {
		return ks_err_set(m->err, rc, "column %d: the value of '%s' is not known here",
			s->column, name);
	}
	if (rc != 0) {
		return ks_err_set(m->err, KS_EINVAL,
			"column %d: unknown name '%s'; use an axis of the definition", s->column,
			name);
	}
	if (m->real) {
		out->r = (double)whole;
	} else {
		out->i = whole;
	}
	return 0;
}

static int load(struct machine *m, const struct step *s, union number *out)
{
	if (s->op == OP_NAME || s->op == OP_ELEMENT) {
		return load_name(m, s, out);
	}
	if (m->real) {
		out->r = s->op == OP_NUMBER ? (double)s->number : s->decimal;
		return 0;
	}
	if (s->op == OP_NUMBER) {
		out->i = s->number;
		return 0;
	}
	if (s->decimal != floor(s->decimal) || fabs(s->decimal) > 0x1p53) {
		return refuse(m, s, "a number with a fraction where a whole one is needed");
	}
	out->i = (int64_t)s->decimal;
	return 0;
}

/* Quotient rounded down, and what is left: 0 <= rest < |b| for b > 0. */
static int64_t floor_div(int64_t a, int64_t b)
{
	int64_t q = a / b;
	return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

static int divide(struct machine *m, const struct step *s, int64_t a, int64_t b, int64_t *out)
{
	if (b == 0) {
		return refuse(m, s, "division by zero");
	}
	if (a == INT64_MIN && b == -1) {
		return refuse(m, s, "the result does not fit 64 bits");
	}
	switch (s->op) {
	case OP_DIV:
		if (a % b != 0) {
			return ks_err_set(m->err, KS_EINVAL,
				"column %d: %lld / %lld is not whole; use ceildiv or //",
				s->column, (long long)a, (long long)b);
		}
		*out = a / b;
		return 0;
	case OP_FLOOR:
		*out = floor_div(a, b);
		return 0;
	case OP_MOD:
		*out = a - b * floor_div(a, b);
		return 0;
	default:
		*out = floor_div(a, b) + (a % b != 0);
		return 0;
	}
}

static int apply_int(struct machine *m, const struct step *s, int64_t a, int64_t b,
	int64_t *out)
{
	bool overflow = false;
	switch (s->op) {
	case OP_EQ: *out = a == b; break;
	case OP_NE: *out = a != b; break;
	case OP_LT: *out = a < b; break;
	case OP_LE: *out = a <= b; break;
	case OP_GT: *out = a > b; break;
	case OP_GE: *out = a >= b; break;
	case OP_MIN: *out = a < b ? a : b; break;
	case OP_MAX: *out = a > b ? a : b; break;
	case OP_ADD: overflow = __builtin_add_overflow(a, b, out); break;
	case OP_SUB: overflow = __builtin_sub_overflow(a, b, out); break;
	case OP_MUL: overflow = __builtin_mul_overflow(a, b, out); break;
	default: return divide(m, s, a, b, out);
	}
	return overflow ? refuse(m, s, "the result does not fit 64 bits") : 0;
}

static int apply_real(struct machine *m, const struct step *s, double a, double b, double *out)
{
	double v;
	bool divides = s->op == OP_DIV || s->op == OP_FLOOR || s->op == OP_MOD || s->op == OP_CEIL;
	if (divides && b == 0) {
		return refuse(m, s, "division by zero");
	}
	switch (s->op) {
	case OP_EQ: v = a == b; break;
	case OP_NE: v = a != b; break;
	case OP_LT: v = a < b; break;
	case OP_LE: v = a <= b; break;
	case OP_GT: v = a > b; break;
	case OP_GE: v = a >= b; break;
	case OP_MIN: v = a < b ? a : b; break;
	case OP_MAX: v = a > b ? a : b; break;
	case OP_ADD: v = a + b; break;
	case OP_SUB: v = a - b; break;
	case OP_MUL: v = a * b; break;
	case OP_DIV: v = a / b; break;
	case OP_FLOOR: v = floor(a / b); break;
	case OP_MOD: v = a - b * floor(a / b); break;
	default: v = ceil(a / b); break;
	}
	if (!isfinite(v)) {
		return refuse(m, s, "the result is not finite");
	}
	*out = v;
	return 0;
}

static bool truth(const struct machine *m, union number v)
{
	return m->real ? v.r != 0 : v.i != 0;
}

static union number number_of(const struct machine *m, bool v)
{
	union number n;
	if (m->real) {
		n.r = v;
	} else {
		n.i = v;
	}
	return n;
}

/* Folds the top `count` numbers into one with a binary operator. */
static int fold(struct machine *m, const struct step *s, size_t count)
{
	union number *base = &m->stack[m->depth - count];
	int rc = 0;
	for (size_t i = 1; i < count && rc == 0; i++) {
		rc = m->real ? apply_real(m, s, base[0].r, base[i].r, &base[0].r)
			     : apply_int(m, s, base[0].i, base[i].i, &base[0].i);
	}
	m->depth -= count - 1;
	return rc;
}

static int negate(struct machine *m, const struct step *s)
{
	union number *top = &m->stack[m->depth - 1];
	if (m->real) {
		top->r = -top->r;
		return 0;
	}
	return __builtin_sub_overflow((int64_t)0, top->i, &top->i)
		? refuse(m, s, "the result does not fit 64 bits") : 0;
}

static int step_once(struct machine *m, const struct step *s, size_t *pc)
{
	union number *top = m->depth > 0 ? &m->stack[m->depth - 1] : NULL;
	switch (s->op) {
	case OP_NUMBER: case OP_DECIMAL: case OP_NAME: case OP_ELEMENT:
		return load(m, s, &m->stack[m->depth++]);
	case OP_AND: case OP_OR:
		if (truth(m, *top) == (s->op == OP_OR)) {
			*top = number_of(m, s->op == OP_OR);
			*pc = (size_t)s->number;
		} else {
			m->depth--;
		}
		return 0;
	case OP_BOOL:
		*top = number_of(m, truth(m, *top));
		return 0;
	case OP_NOT:
		*top = number_of(m, !truth(m, *top));
		return 0;
	case OP_NEG:
		return negate(m, s);
	case OP_MIN: case OP_MAX: case OP_CEIL:
		return fold(m, s, (size_t)s->number);
	default:
		return fold(m, s, 2);
	}
}

static int run(union number *out, const struct ks_expr *expr, const struct ks_expr_names *names,
	bool real, struct ks_err *err)
{
	struct machine m = {.expr = expr, .names = names, .err = err, .real = real};
	size_t pc = 0;
	while (pc < expr->count) {
		const struct step *s = &expr->steps[pc++];
		int rc = step_once(&m, s, &pc);
		if (rc != 0) {
			return rc;
		}
	}
	*out = m.stack[0];
	return 0;
}

int ks_expr_int(int64_t *out, const struct ks_expr *expr, const struct ks_expr_names *names,
	struct ks_err *err)
{
	union number v;
	int rc = run(&v, expr, names, false, err);
	if (rc == 0) {
		*out = v.i;
	}
	return rc;
}

int ks_expr_real(double *out, const struct ks_expr *expr, const struct ks_expr_names *names,
	struct ks_err *err)
{
	union number v;
	int rc = run(&v, expr, names, true, err);
	if (rc == 0) {
		*out = v.r;
	}
	return rc;
}
