/*
 * The parser of goal lines: a lexer of one token look-ahead and one function
 * for each rule of the grammar in docs/goal.md. Invariants: the parser never
 * reads outside its line, every rule either consumes a token or fails, and the
 * depth of brackets and nots is bounded, so any line ends in a clause or in
 * one error with its column.
 */
#include "core/goal.h"

#include <assert.h>
#include <math.h>
#include <strings.h>

#include "base/mem.h"
#include "core/goal_impl.h"

enum token_kind { TOK_END, TOK_WORD, TOK_QUOTED, TOK_NUMBER, TOK_SIGN, TOK_BAD };

struct token {
	enum token_kind kind;
	struct ks_str text; /* as written; of a quoted one, without the quotes */
	size_t at, len;     /* in the line */
	double number;
	bool times;         /* "1.5x" */
};

struct parser {
	struct ks_str line;
	size_t pos;
	size_t number;      /* of the line, from 0 */
	struct token tok;   /* the one to be consumed next */
	bool in_expr;       /* words are identifiers: no '-' '.' '/' inside */
	unsigned depth;
	struct clause *clause;
	struct ks_goal_where *where;
	struct ks_err *err;
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static char char_at(const struct parser *p, size_t i)
{
	return i < p->line.len ? p->line.ptr[i] : '\0';
}

static bool in_word(const struct parser *p, size_t i)
{
	char c = char_at(p, i);

	if (is_letter(c) || is_digit(c)) {
		return true;
	}
	if (p->in_expr || (c != '-' && c != '.' && c != '/' && c != '+')) {
		return false;
	}
	/* a mark joins two parts of a name, it does not end one */
	return is_letter(char_at(p, i + 1)) || is_digit(char_at(p, i + 1));
}

static void lex_number(struct parser *p)
{
	char digits[40];
	size_t i = p->pos, n = 0;

	while (is_digit(char_at(p, i)) || char_at(p, i) == '.') {
		if (n + 1 < sizeof(digits)) {
			digits[n++] = char_at(p, i);
		}
		i++;
	}
	if ((char_at(p, i) == 'e' || char_at(p, i) == 'E') &&
	    (is_digit(char_at(p, i + 1)) ||
	     (char_at(p, i + 1) == '-' && is_digit(char_at(p, i + 2))))) {
		do {
			if (n + 1 < sizeof(digits)) {
				digits[n++] = char_at(p, i);
			}
			i++;
		} while (is_digit(char_at(p, i)) || char_at(p, i) == '-');
	}
	digits[n] = '\0';
	char *end = NULL;
	p->tok.number = strtod(digits, &end);
	p->tok.kind = *end == '\0' && isfinite(p->tok.number) ? TOK_NUMBER : TOK_BAD;
	if (char_at(p, i) == 'x' && !is_letter(char_at(p, i + 1)) &&
	    !is_digit(char_at(p, i + 1))) {
		p->tok.times = true;
		i++;
	}
	if (is_letter(char_at(p, i))) {
		p->tok.kind = TOK_BAD;
		while (is_letter(char_at(p, i)) || is_digit(char_at(p, i))) {
			i++;
		}
	}
	p->pos = i;
}

static void lex_quoted(struct parser *p)
{
	size_t i = p->pos + 1;

	while (i < p->line.len && p->line.ptr[i] != '"') {
		i++;
	}
	p->tok.kind = i < p->line.len && i > p->pos + 1 ? TOK_QUOTED : TOK_BAD;
	p->pos = i < p->line.len ? i + 1 : i;
}

static void lex_sign(struct parser *p)
{
	char c = char_at(p, p->pos), next = char_at(p, p->pos + 1);

	p->tok.kind = strchr("<>=!,()+-*/%", c) && c ? TOK_SIGN : TOK_BAD;
	p->pos++;
	if (next == '=' && c && strchr("<>=!", c)) {
		p->pos++;
	} else if (c == '!') {
		p->tok.kind = TOK_BAD;
	}
	/* a whole character in the message, not a part of one */
	while (p->tok.kind == TOK_BAD && (char_at(p, p->pos) & 0xc0) == 0x80) {
		p->pos++;
	}
}

static void advance(struct parser *p)
{
	while (is_space(char_at(p, p->pos)) && p->pos < p->line.len) {
		p->pos++;
	}
	p->tok = (struct token){.at = p->pos};
	if (p->pos >= p->line.len) {
		p->tok.len = 1;
		return;
	}
	char c = char_at(p, p->pos);
	if (is_digit(c) || (c == '.' && is_digit(char_at(p, p->pos + 1)))) {
		lex_number(p);
	} else if (is_letter(c)) {
		p->tok.kind = TOK_WORD;
		while (p->pos < p->line.len && in_word(p, p->pos)) {
			p->pos++;
		}
	} else if (c == '"') {
		lex_quoted(p);
	} else {
		lex_sign(p);
	}
	p->tok.len = p->pos - p->tok.at;
	p->tok.text = (struct ks_str){p->line.ptr + p->tok.at, p->tok.len};
	if (p->tok.kind == TOK_QUOTED) {
		p->tok.text = (struct ks_str){p->tok.text.ptr + 1, p->tok.len - 2};
	}
}

/* Fails at the present token. */
static int fail(struct parser *p, const char *expected)
{
	if (p->where) {
		*p->where = (struct ks_goal_where){p->number, p->tok.at, p->tok.len};
	}
	if (p->tok.kind == TOK_END) {
		return ks_err_set(p->err, KS_EINVAL,
			"goal line %zu, column %zu: expected %s, found the end of the line",
			p->number + 1, p->tok.at + 1, expected);
	}
	struct ks_str shown = {p->line.ptr + p->tok.at,
		p->tok.len < 40 ? p->tok.len : 40};
	return ks_err_set(p->err, KS_EINVAL,
		"goal line %zu, column %zu: expected %s, found \"%.*s\"",
		p->number + 1, p->tok.at + 1, expected, KS_FMT(shown));
}

static bool at_word(const struct parser *p, const char *word)
{
	size_t len = strlen(word);

	return p->tok.kind == TOK_WORD && p->tok.text.len == len &&
		strncasecmp(p->tok.text.ptr, word, len) == 0;
}

static bool at_sign(const struct parser *p, const char *sign)
{
	return p->tok.kind == TOK_SIGN && ks_str_is(p->tok.text, sign);
}

static bool take_word(struct parser *p, const char *word)
{
	if (!at_word(p, word)) {
		return false;
	}
	advance(p);
	return true;
}

static bool take_sign(struct parser *p, const char *sign)
{
	if (!at_sign(p, sign)) {
		return false;
	}
	advance(p);
	return true;
}

/* ---- where ---- */

static int emit(struct parser *p, struct instr instr)
{
	if (p->clause->code_count == KS_GOAL_MAX_CODE) {
		return fail(p, "a shorter condition");
	}
	p->clause->code[p->clause->code_count++] = instr;
	return KS_OK;
}

static int parse_or(struct parser *p);

static int parse_factor(struct parser *p)
{
	unsigned negations = 0;
	int rc;

	while (take_sign(p, "-")) {
		negations++;
	}
	if (take_sign(p, "(")) {
		if (++p->depth > KS_GOAL_MAX_DEPTH) {
			return fail(p, "fewer brackets");
		}
		rc = parse_or(p);
		if (rc) {
			return rc;
		}
		p->depth--;
		if (!at_sign(p, ")")) {
			return fail(p, "\")\"");
		}
		advance(p);
	} else if (p->tok.kind == TOK_NUMBER && !p->tok.times) {
		rc = emit(p, (struct instr){.op = OP_NUMBER, .number = p->tok.number});
		if (rc) {
			return rc;
		}
		advance(p);
	} else if (p->tok.kind == TOK_WORD || p->tok.kind == TOK_QUOTED) {
		rc = emit(p, (struct instr){
			.op = p->tok.kind == TOK_WORD ? OP_NAME : OP_QUOTED,
			.name = p->tok.text});
		if (rc) {
			return rc;
		}
		advance(p);
	} else {
		return fail(p, "an axis, a number or \"(\"");
	}
	return negations % 2 ? emit(p, (struct instr){.op = OP_NEG}) : KS_OK;
}

static int parse_term(struct parser *p)
{
	int rc = parse_factor(p);

	while (!rc && (at_sign(p, "*") || at_sign(p, "/") || at_sign(p, "%"))) {
		enum op op = at_sign(p, "*") ? OP_MUL : at_sign(p, "/") ? OP_DIV : OP_MOD;
		advance(p);
		rc = parse_factor(p);
		if (!rc) {
			rc = emit(p, (struct instr){.op = op});
		}
	}
	return rc;
}

static int parse_sum(struct parser *p)
{
	int rc = parse_term(p);

	while (!rc && (at_sign(p, "+") || at_sign(p, "-"))) {
		enum op op = at_sign(p, "+") ? OP_ADD : OP_SUB;
		advance(p);
		rc = parse_term(p);
		if (!rc) {
			rc = emit(p, (struct instr){.op = op});
		}
	}
	return rc;
}

static bool comparison(const struct parser *p, enum op *out_op)
{
	static const struct {
		const char *sign;
		enum op op;
	} signs[] = {
		{"=", OP_EQ}, {"==", OP_EQ}, {"!=", OP_NE},
		{"<", OP_LT}, {"<=", OP_LE}, {">", OP_GT}, {">=", OP_GE},
	};

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		if (at_sign(p, signs[i].sign)) {
			*out_op = signs[i].op;
			return true;
		}
	}
	return false;
}

static int parse_comparison(struct parser *p)
{
	enum op op;
	int rc = parse_sum(p);

	if (rc || !comparison(p, &op)) {
		return rc;
	}
	advance(p);
	rc = parse_sum(p);
	if (!rc) {
		rc = emit(p, (struct instr){.op = op});
	}
	if (!rc && comparison(p, &op)) {
		return fail(p, "\"and\", \"or\" or the end of the line");
	}
	return rc;
}

static int parse_not(struct parser *p)
{
	unsigned nots = 0;

	while (take_word(p, "not")) {
		nots++;
	}
	int rc = parse_comparison(p);
	if (!rc && nots) {
		rc = emit(p, (struct instr){.op = OP_NOT});
	}
	if (!rc && nots && nots % 2 == 0) {
		rc = emit(p, (struct instr){.op = OP_NOT});
	}
	return rc;
}

static int parse_and(struct parser *p)
{
	int rc = parse_not(p);

	while (!rc && take_word(p, "and")) {
		rc = parse_not(p);
		if (!rc) {
			rc = emit(p, (struct instr){.op = OP_AND});
		}
	}
	return rc;
}

static int parse_or(struct parser *p)
{
	int rc = parse_and(p);

	while (!rc && take_word(p, "or")) {
		rc = parse_and(p);
		if (!rc) {
			rc = emit(p, (struct instr){.op = OP_OR});
		}
	}
	return rc;
}

/* ---- clauses ---- */

static int parse_name(struct parser *p, const char *expected)
{
	struct clause *c = p->clause;

	if (p->tok.kind != TOK_WORD && p->tok.kind != TOK_QUOTED) {
		return fail(p, expected);
	}
	if (c->name_count == KS_GOAL_MAX_NAMES) {
		return fail(p, "at most 16 names");
	}
	c->names[c->name_count++] = p->tok.text;
	advance(p);
	return KS_OK;
}

static int parse_filter(struct parser *p)
{
	int rc = KS_OK;

	if (take_word(p, "in")) {
		do {
			rc = parse_name(p, "the name of a set");
		} while (!rc && (take_sign(p, ",") || take_word(p, "or")));
	}
	if (!rc && at_word(p, "where")) {
		p->in_expr = true;
		advance(p);
		rc = parse_or(p);
	}
	if (!rc && p->tok.kind != TOK_END) {
		rc = fail(p, p->in_expr ? "\"and\", \"or\" or the end of the line" :
			p->clause->name_count ? "\",\", \"where\" or the end of the line" :
			"\"in\", \"where\" or the end of the line");
	}
	return rc;
}

static int parse_bound(struct parser *p)
{
	struct clause *c = p->clause;

	if (!at_sign(p, ">=") && !at_sign(p, ">")) {
		return fail(p, "\">=\" or \">\"");
	}
	c->strict = at_sign(p, ">");
	advance(p);
	if (p->tok.kind != TOK_NUMBER) {
		return fail(p, c->metric == METRIC_ROOFLINE ?
			"a share such as 60%" : "a number such as 1.1");
	}
	if (p->tok.times && c->metric == METRIC_ROOFLINE) {
		return fail(p, "a share such as 60%");
	}
	c->bound = p->tok.number;
	bool times = p->tok.times;
	advance(p);
	if (!times && take_sign(p, "%")) {
		c->bound /= 100.0;
	}
	return KS_OK;
}

static int parse_metric(struct parser *p, bool may_be_correct)
{
	struct clause *c = p->clause;

	if (take_word(p, "speedup")) {
		c->metric = METRIC_SPEEDUP;
	} else if (take_word(p, "roofline")) {
		c->metric = METRIC_ROOFLINE;
	} else if (may_be_correct && (take_word(p, "scenario") ||
			take_word(p, "scenarios"))) {
		c->metric = METRIC_CORRECT;
		return take_word(p, "correct") ? KS_OK : fail(p, "\"correct\"");
	} else if (may_be_correct && take_word(p, "correct")) {
		c->metric = METRIC_CORRECT;
		return KS_OK;
	} else {
		return fail(p, may_be_correct ?
			"\"scenario correct\", \"speedup\" or \"roofline\"" :
			"\"speedup\" or \"roofline\"");
	}
	return parse_bound(p);
}

static int parse_count(struct parser *p, size_t *out)
{
	double number = p->tok.number;

	if (p->tok.kind != TOK_NUMBER || p->tok.times || number < 1 ||
	    number > 1e6 || number != floor(number)) {
		return fail(p, "a whole number of scenarios, at least 1");
	}
	*out = (size_t)number;
	advance(p);
	return KS_OK;
}

static int parse_at_least(struct parser *p)
{
	struct clause *c = p->clause;
	int rc;

	if (!take_word(p, "least")) {
		return fail(p, "\"least\"");
	}
	rc = parse_count(p, &c->count);
	if (!rc && take_word(p, "of")) {
		struct token of = p->tok;

		rc = parse_count(p, &c->of);
		if (!rc && c->of < c->count) {
			p->tok = of;
			rc = fail(p, "a number not below the first");
		}
	}
	return rc ? rc : parse_metric(p, true);
}

static int parse_lines(struct parser *p)
{
	struct clause *c = p->clause;

	if (!at_sign(p, "<=") && !at_sign(p, "<")) {
		return fail(p, "\"<=\" or \"<\"");
	}
	c->strict = at_sign(p, "<");
	advance(p);
	if (p->tok.kind != TOK_NUMBER || p->tok.times ||
	    p->tok.number != floor(p->tok.number)) {
		return fail(p, "a whole number of lines");
	}
	c->bound = p->tok.number;
	advance(p);
	return p->tok.kind == TOK_END ? KS_OK : fail(p, "the end of the line");
}

static int parse_library(struct parser *p)
{
	int rc;

	if (!take_word(p, "library") && !take_word(p, "libraries")) {
		return fail(p, "\"library\"");
	}
	do {
		rc = parse_name(p, "the name of a library");
		take_sign(p, ",");
	} while (!rc && p->tok.kind != TOK_END);
	return rc;
}

static int parse_clause(struct parser *p)
{
	struct clause *c = p->clause;
	int rc;

	c->heldout = take_word(p, "held-out");
	if (!c->heldout && take_word(p, "no")) {
		c->kind = CLAUSE_NO_LIBRARY;
		return parse_library(p);
	}
	if (!c->heldout && take_word(p, "lines")) {
		c->kind = CLAUSE_LINES;
		return parse_lines(p);
	}
	if (take_word(p, "every")) {
		c->kind = CLAUSE_EVERY;
		rc = parse_metric(p, true);
	} else if (take_word(p, "worst")) {
		c->kind = CLAUSE_WORST;
		rc = parse_metric(p, false);
	} else if (take_word(p, "geomean")) {
		c->kind = CLAUSE_GEOMEAN;
		rc = parse_metric(p, false);
	} else if (take_word(p, "at")) {
		c->kind = CLAUSE_AT_LEAST;
		rc = parse_at_least(p);
	} else {
		rc = fail(p, c->heldout ? "\"every\", \"worst\", \"geomean\" or \"at least\"" :
			"\"every\", \"worst\", \"geomean\", \"at least\", \"held-out\", "
			"\"no library\" or \"lines\"");
	}
	return rc ? rc : parse_filter(p);
}

static char *collapse(struct ks_str line)
{
	struct ks_buf out = {0};

	line = ks_str_trim(line);
	for (size_t i = 0; i < line.len; i++) {
		if (!is_space(line.ptr[i])) {
			ks_buf_addc(&out, line.ptr[i]);
		} else if (!is_space(line.ptr[i + 1])) {
			ks_buf_addc(&out, ' '); /* trimmed: there is a next byte */
		}
	}
	return ks_buf_take(&out);
}

static int parse_line(struct clause *clause, struct ks_str line, size_t number,
	struct ks_goal_where *where, struct ks_err *err)
{
	clause->line = ks_strndup(line.ptr, line.len);
	clause->text = collapse(line);

	struct parser p = {
		.line = {clause->line, line.len}, .number = number,
		.clause = clause, .where = where, .err = err,
	};
	advance(&p);
	if (memchr(line.ptr, '\0', line.len)) {
		return fail(&p, "text without NUL bytes");
	}
	return parse_clause(&p);
}

int ks_goal_parse(struct ks_goal **out, const struct ks_str *lines, size_t count,
	struct ks_goal_where *out_where, struct ks_err *err)
{
	struct ks_goal *goal = ks_zalloc(1, sizeof(*goal));
	int rc = KS_OK;

	goal->clauses = ks_zalloc(KS_GOAL_MAX_CLAUSES, sizeof(*goal->clauses));
	for (size_t i = 0; i < count && !rc; i++) {
		if (ks_str_trim(lines[i]).len == 0) {
			continue;
		}
		if (out_where) {
			*out_where = (struct ks_goal_where){i, 0, 1};
		}
		if (goal->count == KS_GOAL_MAX_CLAUSES) {
			rc = ks_err_set(err, KS_ELIMIT, "goal line %zu: at most %d clauses",
				i + 1, KS_GOAL_MAX_CLAUSES);
		} else if (lines[i].len > KS_GOAL_MAX_LINE) {
			rc = ks_err_set(err, KS_ELIMIT,
				"goal line %zu is longer than %d bytes: use two clauses",
				i + 1, KS_GOAL_MAX_LINE);
		} else {
			rc = parse_line(&goal->clauses[goal->count++], lines[i], i,
				out_where, err);
		}
	}
	if (!rc && goal->count == 0) {
		rc = ks_err_set(err, KS_EINVAL, "the goal has no clause: "
			"write at least \"every scenario correct\"");
	}
	if (rc) {
		ks_goal_free(goal);
		return rc;
	}
	*out = goal;
	return KS_OK;
}

void ks_goal_free(struct ks_goal *goal)
{
	if (!goal) {
		return;
	}
	for (size_t i = 0; i < goal->count; i++) {
		free(goal->clauses[i].line);
		free(goal->clauses[i].text);
	}
	free(goal->clauses);
	free(goal);
}

size_t ks_goal_count(const struct ks_goal *goal)
{
	return goal ? goal->count : 0;
}

const char *ks_goal_text(const struct ks_goal *goal, size_t clause)
{
	assert(clause < goal->count);
	return goal->clauses[clause].text;
}

bool ks_goal_library(struct ks_str *out, const struct ks_goal *goal, size_t i)
{
	for (size_t k = 0; k < goal->count; k++) {
		const struct clause *c = &goal->clauses[k];
		size_t names = c->kind == CLAUSE_NO_LIBRARY ? c->name_count : 0;
		if (i < names) {
			*out = c->names[i];
			return true;
		}
		i -= names;
	}
	return false;
}

void ks_goal_caret(struct ks_buf *out, struct ks_str line,
	const struct ks_goal_where *where)
{
	ks_buf_addstr(out, line);
	ks_buf_addc(out, '\n');
	for (size_t i = 0; i < where->column && i < line.len; i++) {
		if ((line.ptr[i] & 0xc0) != 0x80) { /* one column a character */
			ks_buf_addc(out, line.ptr[i] == '\t' ? '\t' : ' ');
		}
	}
	size_t marks = 0;
	for (size_t i = where->column; i < where->column + where->length; i++) {
		if (i >= line.len || (line.ptr[i] & 0xc0) != 0x80) {
			marks++;
		}
	}
	for (size_t i = 0; i < (marks ? marks : 1); i++) {
		ks_buf_addc(out, '^');
	}
	ks_buf_addc(out, '\n');
}
