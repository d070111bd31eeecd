/*
 * The meaning of goal clauses over one evaluation's results.
 *
 * Invariants: a clause is met only when every scenario it speaks of was
 * measured for exactly this code; it is not met only when no missing
 * measurement could change that; else it is unknown. An incorrect scenario
 * counts 0. Intervals are those of the evaluator; that of a geometric mean of
 * some scenarios adds the half widths of the log-ratios in quadrature (independent errors):
 * h = sqrt(sum h_i^2) / n.
 */
#include "core/goal.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <strings.h>

#include "base/plural.h"
#include "base/utf8.h"
#include "core/goal_impl.h"

#define MEANS_DIFFER 1e-4 /* figures are kept with seven digits */

enum value_kind { VALUE_NUMBER, VALUE_WORD };

struct value {
	enum value_kind kind;
	double number;
	struct ks_str word;
};

/* Shorter texts for printing: a name is foreign and may be long. */
static struct ks_str clipped(struct ks_str s, size_t max)
{
	return (struct ks_str){s.ptr, ks_utf8_cut(s.ptr, s.len, max)};
}

static void say(struct ks_goal_result *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void say(struct ks_goal_result *r, const char *fmt, ...)
{
	size_t len = strlen(r->text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->text + len, sizeof(r->text) - len, fmt, ap);
	va_end(ap);
	/* what was cut must not end inside a character */
	len = strlen(r->text);
	if (len == sizeof(r->text) - 1) {
		while (len && ((unsigned char)r->text[len - 1] & 0xc0) == 0x80) {
			len--;
		}
		if (len && (unsigned char)r->text[len - 1] >= 0xc0) {
			len--;
		}
		r->text[len] = '\0';
	}
}

/* ---- where ---- */

static struct value name_value(const struct instr *in,
	const struct ks_goal_facts *facts, size_t scenario)
{
	struct value v = {.kind = VALUE_WORD, .word = in->name};
	struct ks_str word = {0};
	double number = 0;

	if (in->op == OP_QUOTED || !facts->axis) {
		return v;
	}
	switch (facts->axis(facts->user, scenario, in->name, &number, &word)) {
	case 1:
		return (struct value){.kind = VALUE_NUMBER, .number = number};
	case 2:
		return (struct value){.kind = VALUE_WORD, .word = word};
	default:
		return v;
	}
}

static double compare(enum op op, double order)
{
	switch (op) {
	case OP_EQ: return order == 0;
	case OP_NE: return order != 0;
	case OP_LT: return order < 0;
	case OP_LE: return order <= 0;
	case OP_GT: return order > 0;
	default:    return order >= 0;
	}
}

static double arithmetic(enum op op, double a, double b)
{
	switch (op) {
	case OP_OR:  return a != 0 || b != 0;
	case OP_AND: return a != 0 && b != 0;
	case OP_ADD: return a + b;
	case OP_SUB: return a - b;
	case OP_MUL: return a * b;
	case OP_DIV: return b == 0 ? NAN : a / b;
	case OP_MOD: return b == 0 ? NAN : fmod(a, b);
	default:     return compare(op, a < b ? -1 : a > b ? 1 : 0);
	}
}

/* One operation of two values; false, with the culprit, where the types do not
 * fit: a word that is no axis against a number. */
static bool combine(enum op op, struct value *a, const struct value *b,
	struct ks_str *out_culprit)
{
	if (a->kind == VALUE_WORD && b->kind == VALUE_WORD &&
	    (op == OP_EQ || op == OP_NE)) {
		bool same = ks_str_eq(a->word, b->word);
		*a = (struct value){.kind = VALUE_NUMBER,
			.number = same == (op == OP_EQ)};
		return true;
	}
	if (a->kind == VALUE_WORD || b->kind == VALUE_WORD) {
		*out_culprit = a->kind == VALUE_WORD ? a->word : b->word;
		return false;
	}
	a->number = arithmetic(op, a->number, b->number);
	if (isnan(a->number)) {
		*out_culprit = KS_STR("division by zero");
		return false;
	}
	return true;
}

/* 1 in scope, 0 not, -1 the condition cannot be computed (culprit set). */
static int where_holds(const struct clause *c, const struct ks_goal_facts *facts,
	size_t scenario, struct ks_str *out_culprit)
{
	struct value stack[KS_GOAL_MAX_CODE];
	size_t n = 0;

	if (c->code_count == 0) {
		return 1;
	}
	for (size_t i = 0; i < c->code_count; i++) {
		const struct instr *in = &c->code[i];

		if (in->op == OP_NUMBER) {
			stack[n++] = (struct value){.number = in->number};
		} else if (in->op == OP_NAME || in->op == OP_QUOTED) {
			stack[n++] = name_value(in, facts, scenario);
		} else if (in->op == OP_NOT || in->op == OP_NEG) {
			assert(n >= 1);
			if (stack[n - 1].kind == VALUE_WORD) {
				*out_culprit = stack[n - 1].word;
				return -1;
			}
			double v = stack[n - 1].number;
			stack[n - 1].number = in->op == OP_NEG ? -v : v == 0;
		} else {
			assert(n >= 2);
			n--;
			if (!combine(in->op, &stack[n - 1], &stack[n], out_culprit)) {
				return -1;
			}
		}
	}
	assert(n == 1);
	if (stack[0].kind == VALUE_WORD) {
		*out_culprit = stack[0].word;
		return -1;
	}
	return stack[0].number != 0;
}

static int in_scope(const struct clause *c, const struct ks_goal_facts *facts,
	size_t i, struct ks_str *out_culprit)
{
	const struct ks_goal_scenario *s = &facts->scenarios[i];
	bool in_set = c->name_count == 0;

	if (s->heldout != c->heldout) {
		return 0;
	}
	for (size_t k = 0; k < c->name_count; k++) {
		in_set = in_set || ks_str_eq(c->names[k], s->set);
	}
	return in_set ? where_holds(c, facts, i, out_culprit) : 0;
}

/* ---- one scenario ---- */

struct figure {
	bool known;
	double value, lo, hi;
};

static struct figure figure_of(const struct clause *c,
	const struct ks_goal_scenario *s)
{
	struct figure f = {0};

	if (!s->measured) {
		return f;
	}
	if (c->metric == METRIC_CORRECT) {
		f.known = true;
		f.value = f.lo = f.hi = s->correct;
	} else if (!s->correct) {
		f.known = true; /* 0, whatever its time */
	} else if (c->metric == METRIC_SPEEDUP && s->timed) {
		f = (struct figure){true, s->speedup, s->lo, s->hi};
	} else if (c->metric == METRIC_ROOFLINE && s->timed && !isnan(s->roofline)) {
		double down = s->speedup > 0 ? s->lo / s->speedup : 1;
		double up = s->speedup > 0 ? s->hi / s->speedup : 1;

		f = (struct figure){true, s->roofline, s->roofline_lo, s->roofline_hi};
		f.lo = isnan(f.lo) ? f.value * down : f.lo;
		f.hi = isnan(f.hi) ? f.value * up : f.hi;
	}
	if (!isfinite(f.value) || !isfinite(f.lo) || !isfinite(f.hi)) {
		return (struct figure){0};
	}
	return f;
}

/* `>= x` holds unless the whole interval lies below; `> x` needs all above. */
static bool holds(const struct clause *c, const struct figure *f)
{
	if (c->metric == METRIC_CORRECT) {
		return f->value > 0;
	}
	return c->strict ? f->lo > c->bound : f->hi >= c->bound;
}

/* ---- texts ---- */

/* Of a speedup with three digits. */
static int decimals(double speedup)
{
	return speedup < 1 ? 3 : speedup < 10 ? 2 : speedup < 100 ? 1 : 0;
}

/* Below the bound and yet enough: why, in half a sentence. */
static void say_figure(struct ks_goal_result *r, const struct clause *c,
	const struct figure *f)
{
	bool reaches = !c->strict && f->value < c->bound && f->hi >= c->bound;

	if (c->metric == METRIC_ROOFLINE) {
		say(r, "%.1f%% (%.1f to %.1f", 100 * f->value, 100 * f->lo,
			100 * f->hi);
	} else {
		say(r, "%.*fx (%.3f to %.3f", decimals(f->value), f->value, f->lo, f->hi);
	}
	if (reaches && c->metric == METRIC_ROOFLINE) {
		say(r, ", reaches %.4g%%", 100 * c->bound);
	} else if (reaches) {
		say(r, ", reaches %.4g", c->bound);
	}
	say(r, ")");
}

static void say_worst(struct ks_goal_result *r, const struct clause *c,
	const struct ks_goal_facts *facts)
{
	if (r->worst < 0) {
		return;
	}
	const struct ks_goal_scenario *s = &facts->scenarios[r->worst];
	struct figure f = figure_of(c, s);

	if (c->metric == METRIC_CORRECT && s->correct) {
		return;
	}
	if (c->heldout) {
		say(r, ", worst ");
	} else {
		struct ks_str name = clipped(s->name, 48);
		say(r, ", worst %.*s ", KS_FMT(name));
	}
	if (!s->correct) {
		say(r, "incorrect");
	} else {
		say_figure(r, c, &f);
	}
}

static void say_unmeasured(struct ks_goal_result *r)
{
	if (r->unmeasured) {
		say(r, "%s%zu of %zu not measured for this code",
			r->text[0] ? ", " : "", r->unmeasured, r->m);
	}
}

/* ---- kinds ---- */

struct tally {
	double log_sum, half_sq;
	bool zero;
	struct figure worst;
};

static bool any_heldout(const struct ks_goal_facts *facts)
{
	bool any = false;

	for (size_t i = 0; i < facts->count; i++) {
		any = any || facts->scenarios[i].heldout;
	}
	return any;
}

/* Counts n, m, unmeasured and the worst; false where the scope itself cannot
 * be computed, with the reason in r->text. */
static bool tally(struct ks_goal_result *r, const struct clause *c,
	const struct ks_goal_facts *facts, struct tally *t)
{
	for (size_t i = 0; i < facts->count; i++) {
		struct ks_str culprit = {0};
		int in = in_scope(c, facts, i, &culprit);

		if (in < 0) {
			culprit = clipped(culprit, 48);
			say(r, "the condition cannot be computed: \"%.*s\" is no "
				"number or axis of %s", KS_FMT(culprit),
				c->heldout ? "a held-out scenario" : "every scenario");
			return false;
		}
		if (!in) {
			continue;
		}
		struct figure f = figure_of(c, &facts->scenarios[i]);
		r->m++;
		if (!f.known) {
			r->unmeasured++;
			continue;
		}
		r->n += holds(c, &f);
		if (r->worst < 0 || f.value < t->worst.value) {
			r->worst = (ptrdiff_t)i;
			t->worst = f;
		}
		if (f.value <= 0) {
			t->zero = true;
			continue;
		}
		/* a lower end of 0 has no logarithm: mirror the upper one */
		double half = f.lo > 0 ? log(f.hi / f.lo) / 2 : log(f.hi / f.value);
		t->log_sum += log(f.value);
		t->half_sq += half * half;
	}
	if (r->m == 0) {
		say(r, c->heldout && !any_heldout(facts) ?
			"no scenario is held out: 'kseek new' takes a file of them with "
			"--held-out" :
			"no scenario is meant: look at \"in\" and \"where\"");
		return false;
	}
	return true;
}

static void set_figure(struct ks_goal_result *r, const struct figure *f)
{
	r->has_figure = true;
	r->figure = f->value;
	r->lo = f->lo;
	r->hi = f->hi;
}

static void eval_every(struct ks_goal_result *r, const struct clause *c,
	const struct ks_goal_facts *facts, const struct tally *t)
{
	size_t failed = r->m - r->unmeasured - r->n;

	r->outcome = failed ? KS_GOAL_NO : r->unmeasured ? KS_GOAL_UNKNOWN : KS_GOAL_YES;
	if (r->worst >= 0) {
		set_figure(r, &t->worst);
	}
	say(r, "%zu/%zu", r->n, r->m);
	say_worst(r, c, facts);
	say_unmeasured(r);
}

static void eval_at_least(struct ks_goal_result *r, const struct clause *c,
	const struct ks_goal_facts *facts)
{
	if (c->of && c->of != r->m) {
		say(r, "the goal says %zu scenario%s, there %s %zu: change the goal",
			c->of, ks_s((long long)c->of), r->m == 1 ? "is" : "are", r->m);
		return;
	}
	r->has_figure = true;
	r->figure = (double)r->n;
	r->lo = (double)r->n;
	r->hi = (double)(r->n + r->unmeasured);
	r->outcome = r->n + r->unmeasured < c->count ? KS_GOAL_NO :
		r->unmeasured ? KS_GOAL_UNKNOWN :
		r->n >= c->count ? KS_GOAL_YES : KS_GOAL_NO;
	say(r, "%zu/%zu, %zu needed", r->n, r->m, c->count);
	say_worst(r, c, facts);
	say_unmeasured(r);
}

/* The clause is about all visible scenarios, and the evaluator's mean is of the same
 * results: its interval is the better one, and one figure has one interval. */
static void prefer_evaluator(struct figure *mean, const struct clause *c,
	const struct ks_goal_result *r, const struct ks_goal_facts *facts)
{
	size_t visible = 0;

	for (size_t i = 0; i < facts->count; i++) {
		visible += !facts->scenarios[i].heldout;
	}
	if (!c->heldout && r->m == visible && r->unmeasured == 0 && facts->mean > 0 &&
		fabs(facts->mean / mean->value - 1) < MEANS_DIFFER) {
		mean->value = facts->mean;
		mean->lo = facts->mean_lo;
		mean->hi = facts->mean_hi;
	}
}

static void eval_geomean(struct ks_goal_result *r, const struct clause *c,
	const struct ks_goal_facts *facts, const struct tally *t)
{
	size_t known = r->m - r->unmeasured;
	struct figure mean = {0};

	r->n = 0;
	if (t->zero) {
		set_figure(r, &mean);
		r->outcome = KS_GOAL_NO;
		say(r, "0");
		say_worst(r, c, facts);
		return;
	}
	if (known == 0) {
		say_unmeasured(r);
		return;
	}
	double half = sqrt(t->half_sq) / (double)known;
	mean.value = exp(t->log_sum / (double)known);
	mean.lo = mean.value * exp(-half);
	mean.hi = mean.value * exp(half);
	prefer_evaluator(&mean, c, r, facts);
	set_figure(r, &mean);
	r->n = known;
	say_figure(r, c, &mean);
	say(r, " over %zu/%zu", known, r->m);
	if (r->unmeasured) {
		say_unmeasured(r);
		return;
	}
	r->outcome = holds(c, &mean) ? KS_GOAL_YES : KS_GOAL_NO;
}

/* ---- libraries and lines ---- */

static bool is_lower(char ch)
{
	return ch >= 'a' && ch <= 'z';
}

static bool is_alpha(char ch)
{
	return is_lower(ch) || (ch >= 'A' && ch <= 'Z');
}

/* Whether symbol speaks of library: "cute" is in "_ZN4cute6TensorE",
 * "libcute.so" and "cuteInit", not in "execute" or "cuteness". */
static bool names_library(struct ks_str symbol, struct ks_str library)
{
	for (size_t i = 0; i + library.len <= symbol.len; i++) {
		if (strncasecmp(symbol.ptr + i, library.ptr, library.len) != 0) {
			continue;
		}
		size_t end = i + library.len;
		bool starts = i == 0 || !is_alpha(symbol.ptr[i - 1]) ||
			(i >= 3 && strncasecmp(symbol.ptr + i - 3, "lib", 3) == 0);
		bool ends = end == symbol.len || !is_lower(symbol.ptr[end]);
		if (starts && ends) {
			return true;
		}
	}
	return false;
}

static void eval_library(struct ks_goal_result *r, const struct clause *c,
	const struct ks_goal_facts *facts)
{
	if (!facts->symbols_known) {
		say(r, "the symbols of this code were not read yet");
		return;
	}
	r->m = c->name_count;
	r->n = c->name_count;
	for (size_t k = 0; k < c->name_count; k++) {
		for (size_t i = 0; i < facts->symbol_count; i++) {
			if (!names_library(facts->symbols[i], c->names[k])) {
				continue;
			}
			struct ks_str lib = clipped(c->names[k], 32);
			struct ks_str symbol = clipped(facts->symbols[i], 64);
			say(r, "%s%.*s in %.*s", r->text[0] ? ", " : "",
				KS_FMT(lib), KS_FMT(symbol));
			r->n--;
			break;
		}
	}
	r->outcome = r->n == r->m ? KS_GOAL_YES : KS_GOAL_NO;
	if (r->outcome == KS_GOAL_YES) {
		say(r, "none of %zu in the built binary", r->m);
	}
}

static void eval_lines(struct ks_goal_result *r, const struct clause *c,
	const struct ks_goal_facts *facts)
{
	if (!facts->lines_known) {
		say(r, "the lines of this code were not counted yet");
		return;
	}
	double lines = (double)facts->source_lines;
	set_figure(r, &(struct figure){true, lines, lines, lines});
	r->outcome = (c->strict ? lines < c->bound : lines <= c->bound) ?
		KS_GOAL_YES : KS_GOAL_NO;
	say(r, "%zu line%s", facts->source_lines, ks_s((long long)facts->source_lines));
}

void ks_goal_eval(struct ks_goal_result *out, const struct ks_goal *goal,
	size_t clause, const struct ks_goal_facts *facts)
{
	assert(clause < goal->count);
	const struct clause *c = &goal->clauses[clause];
	struct tally t = {0};

	*out = (struct ks_goal_result){.worst = -1};
	if (c->kind == CLAUSE_NO_LIBRARY) {
		eval_library(out, c, facts);
		return;
	}
	if (c->kind == CLAUSE_LINES) {
		eval_lines(out, c, facts);
		return;
	}
	if (!tally(out, c, facts, &t)) {
		return;
	}
	switch (c->kind) {
	case CLAUSE_GEOMEAN:
		eval_geomean(out, c, facts, &t);
		break;
	case CLAUSE_AT_LEAST:
		eval_at_least(out, c, facts);
		break;
	default:
		eval_every(out, c, facts, &t);
		break;
	}
}

size_t ks_goal_eval_all(struct ks_goal_result *out, const struct ks_goal *goal,
	const struct ks_goal_facts *facts)
{
	size_t met = 0;

	for (size_t i = 0; i < ks_goal_count(goal); i++) {
		ks_goal_eval(&out[i], goal, i, facts);
		met += out[i].outcome == KS_GOAL_YES;
	}
	return met;
}

bool ks_goal_met(const struct ks_goal_result *results, size_t count,
	const struct ks_goal_facts *facts)
{
	for (size_t i = 0; i < count; i++) {
		if (results[i].outcome != KS_GOAL_YES) {
			return false;
		}
	}
	return count > 0 && facts->confirmed;
}
