#ifndef KSEEK_CORE_GOAL_IMPL_H
#define KSEEK_CORE_GOAL_IMPL_H
/*
 * What goal.c (the parser) and goal_eval.c (the meaning) share; nobody else
 * includes this. Names point into the clause's own copy of its line.
 */
#include "core/goal.h"

#define KS_GOAL_MAX_NAMES 16
#define KS_GOAL_MAX_CODE 64  /* instructions of one `where` */
#define KS_GOAL_MAX_DEPTH 16 /* brackets and nots           */

enum clause_kind {
	CLAUSE_EVERY, CLAUSE_WORST, CLAUSE_GEOMEAN, CLAUSE_AT_LEAST,
	CLAUSE_NO_LIBRARY, CLAUSE_LINES
};

enum clause_metric { METRIC_CORRECT, METRIC_SPEEDUP, METRIC_ROOFLINE };

enum op {
	OP_NUMBER, OP_NAME, OP_QUOTED,
	OP_OR, OP_AND, OP_NOT,
	OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE,
	OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_NEG
};

struct instr {
	enum op op;
	double number;
	struct ks_str name;
};

struct clause {
	char *line;              /* as written */
	char *text;              /* white space collapsed */
	enum clause_kind kind;
	enum clause_metric metric;
	bool heldout;
	bool strict;             /* > or < instead of >= or <= */
	double bound;
	size_t count, of;        /* at least count [of of]; of 0: not said */
	struct ks_str names[KS_GOAL_MAX_NAMES]; /* sets, or libraries */
	size_t name_count;
	struct instr code[KS_GOAL_MAX_CODE];    /* postfix */
	size_t code_count;
};

struct ks_goal {
	struct clause *clauses;
	size_t count;
};

#endif
