/*
 * Problems: the shipped example worked out, files of the family, and a table of
 * bad inputs with the exact text of each refusal. A row replaces one piece of a
 * good definition or of a good set and expects one line.
 */
#include "eval/problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/file.h"

static const char *const good_definition =
	"{\"name\": \"toy\",\n"
	"\"axes\": {\"batch\": {\"type\": \"var\"}, \"total\": {\"type\": \"var\"},\n"
	" \"dim\": {\"type\": \"const\", \"value\": 4},\n"
	" \"half\": {\"type\": \"expr\", \"expression\": \"dim / 2\"},\n"
	" \"pages\": {\"type\": \"expr\", \"expression\": \"2 * half\"}},\n"
	"\"constraints\": [\"total >= batch\"],\n"
	"\"inputs\": {\"x\": {\"shape\": [\"total\", \"dim\"], \"dtype\": \"elem\"},\n"
	" \"cu\": {\"shape\": [\"batch + 1\"], \"dtype\": \"int32\"},\n"
	" \"table\": {\"shape\": [\"batch\", 2], \"dtype\": \"int32\"},\n"
	" \"sink\": {\"shape\": [\"dim\"], \"dtype\": \"float32\"},\n"
	" \"causal\": {\"shape\": null, \"dtype\": \"int32\"},\n"
	" \"scale\": {\"shape\": null, \"dtype\": \"float32\"}},\n"
	"\"outputs\": {\"y\": {\"shape\": [\"total\", \"dim\"], \"dtype\": \"elem\"},\n"
	" \"lse\": {\"shape\": [\"total\"], \"dtype\": \"float32\"}},\n"
	"\"kseek\": {\"dtype_axes\": {\"elem\": [\"float32\", \"bfloat16\"]},\n"
	" \"optional\": [\"sink\"], \"writable\": [\"table\"],\n"
	" \"entry\": {\"symbol\": \"toy\", \"args\": [\"x\", \"cu\", \"table\", \"sink\", \"y\","
	" \"lse\", \"total\", \"causal\", \"scale\", \"elem\"]},\n"
	" \"generate\": {\"x\": {\"dist\": \"normal\", \"std\": \"2 * half\","
	" \"variants\": [\"outliers\", \"shifted\"]},\n"
	"  \"cu\": {\"dist\": \"offsets\", \"total\": \"total\", \"max\": 8},\n"
	"  \"table\": {\"dist\": \"page_table\", \"pages\": \"pages\"},\n"
	"  \"scale\": {\"dist\": \"constant\", \"value\": \"1 / dim\"}},\n"
	" \"operations\": \"2 * total * dim / (1 + causal)\", \"bytes\": \"auto\",\n"
	" \"tolerance\": {\"atol\": 1e-4, \"bfloat16\": {\"atol\": 0.02},"
	" \"lse\": {\"rtol\": 0.5}},\n"
	" \"targets\": {\"cpu\": {\"seed\": [\"seed.c\", \"part.h\"], \"reference\": \"r.c\"}}}}\n";

static const char *const good_set =
	"{\"uuid\": \"a\", \"axes\": {\"batch\": 2, \"total\": 10}, \"dtypes\": {\"elem\": "
	"\"float32\"}, \"inputs\": {\"causal\": {\"type\": \"scalar\", \"value\": 1}}}\n"
	"\n"
	"{\"uuid\": \"b\", \"axes\": {\"batch\": 3, \"total\": 9}, \"dtypes\": {\"elem\": "
	"\"bfloat16\"}, \"inputs\": {\"cu\": {\"type\": \"values\", \"values\": [0, 2, 2, 9]}, "
	"\"table\": {\"type\": \"random\"}, \"sink\": {\"type\": \"random\"}, "
	"\"causal\": {\"type\": \"scalar\", \"value\": 0}}, "
	"\"tolerance\": {\"max_rtol\": 0.25}, "
	"\"kseek\": {\"operations\": 1.5e3, \"bytes\": \"8 * total\", \"note\": \"ragged\"}}\n";

struct folder {
	char dir[64];
};

static void put(const struct folder *f, const char *name, const char *text)
{
	struct ks_err err = KS_ERR_INIT;
	char *path = ks_path_join(f->dir, name);
	assert_int_equal(ks_file_write(path, ks_str_of(text), 0600, &err), 0);
	free(path);
}

static int folder_new(void **state)
{
	struct folder *f = calloc(1, sizeof(*f));
	snprintf(f->dir, sizeof(f->dir), "/tmp/kseek-problem-XXXXXX");
	if (mkdtemp(f->dir) == NULL) {
		return -1;
	}
	char *sets = ks_path_join(f->dir, "sets");
	int rc = mkdir(sets, 0700);
	free(sets);
	*state = f;
	return rc;
}

static int folder_free(void **state)
{
	struct folder *f = *state;
	struct ks_err err = KS_ERR_INIT;
	int rc = ks_file_remove_tree(f->dir, &err);
	free(f);
	return rc;
}

/* text with the first `from` replaced. Gives. */
static char *replaced(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	struct ks_buf out = {0};
	if (at == NULL) {
		fail_msg("the row replaces what is not there: %s", from);
	}
	ks_buf_add(&out, text, (size_t)(at - text));
	ks_buf_adds(&out, to);
	ks_buf_adds(&out, at + strlen(from));
	return ks_buf_take(&out);
}

static struct ks_problem *load_good(const struct folder *f)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_problem *p = NULL;
	put(f, "definition.json", good_definition);
	put(f, "sets/main.jsonl", good_set);
	if (ks_problem_load(&p, f->dir, &err) != 0) {
		fail_msg("%s", err.msg);
	}
	return p;
}

static struct ks_case *case_of(const struct ks_problem *p, const char *uuid)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_case *c = NULL;
	ptrdiff_t i = ks_problem_find(p, uuid);
	assert_true(i >= 0);
	assert_int_equal(ks_case_new(&c, p, (size_t)i, &err), 0);
	return c;
}

static void test_good(void **state)
{
	struct ks_problem *p = load_good(*state);
	assert_string_equal(ks_problem_name(p), "toy");
	assert_string_equal(ks_problem_symbol(p), "toy");
	assert_int_equal(ks_problem_scenarios(p), 2);
	assert_string_equal(ks_problem_uuid(p, 1), "b");
	assert_string_equal(ks_problem_set(p, 1), "main");
	assert_false(ks_problem_heldout(p, 1));
	assert_int_equal(ks_problem_find(p, "c"), -1);
	int64_t v = 0;
	assert_true(ks_problem_axis(p, 1, "total", &v));
	assert_int_equal(v, 9);
	assert_true(ks_problem_axis(p, 0, "dim", &v));
	assert_int_equal(v, 4);
	assert_true(ks_problem_axis(p, 0, "pages", &v));
	assert_int_equal(v, 4);
	assert_true(ks_problem_axis(p, 0, "causal", &v));
	assert_int_equal(v, 1);
	assert_false(ks_problem_axis(p, 0, "heads", &v));
	char *prototype = ks_problem_prototype(p);
	assert_string_equal(prototype, "int toy(const void *x, const int32_t *cu, int32_t *table, "
		"const float *sink, void *y, float *lse, int64_t total, int32_t causal, "
		"float scale, int32_t elem);");
	free(prototype);
	ks_problem_free(p);
}

static void test_case_plain(void **state)
{
	struct ks_problem *p = load_good(*state);
	struct ks_case *c = case_of(p, "a");
	static const char *const order[] = {"x", "cu", "table", "sink", "y", "lse", "total",
		"causal", "scale", "elem"};
	assert_int_equal(c->count, 10);
	for (size_t i = 0; i < 10; i++) {
		assert_string_equal(c->args[i].name, order[i]);
	}
	const struct ks_arg *x = ks_case_arg(c, "x");
	assert_int_equal(x->kind, KS_ARG_INPUT);
	assert_int_equal(x->count, 40);
	assert_int_equal(x->bytes, 160);
	assert_true(x->gen.b == 4);
	assert_int_equal(x->gen.variants, 1 << KS_OUTLIERS | 1 << KS_SHIFTED);
	assert_false(x->gen.fixed);
	const struct ks_arg *cu = ks_case_arg(c, "cu");
	assert_true(cu->gen.fixed);
	assert_int_equal(cu->gen.total, 10);
	assert_int_equal(cu->gen.high, 8);
	assert_int_equal(ks_case_arg(c, "table")->gen.total, 4);
	assert_true(ks_case_arg(c, "table")->writable);
	assert_true(ks_case_arg(c, "sink")->absent);
	assert_int_equal(ks_case_arg(c, "total")->ivalue, 10);
	assert_int_equal(ks_case_arg(c, "causal")->ivalue, 1);
	assert_true(ks_case_arg(c, "scale")->fvalue == 0.25);
	assert_int_equal(ks_case_arg(c, "elem")->ivalue, KS_FLOAT32);
	assert_true(ks_case_arg(c, "y")->tol.abs_tol == 1e-4);
	assert_true(ks_case_arg(c, "lse")->tol.rel_tol == 0.5);
	assert_true(c->ops == 40);
	/* x 160, cu 12, table 16 twice, y 160, lse 40 */
	assert_true(c->bytes == 160 + 12 + 2 * 16 + 160 + 40);
	assert_int_equal(c->variants, 1 << KS_OUTLIERS | 1 << KS_SHIFTED);
	ks_case_free(c);
	ks_problem_free(p);
}

static void test_case_ragged(void **state)
{
	struct ks_problem *p = load_good(*state);
	struct ks_case *c = case_of(p, "b");
	const struct ks_arg *cu = ks_case_arg(c, "cu");
	assert_int_equal(cu->gen.dist, KS_DIST_VALUES);
	assert_true(cu->gen.fixed);
	assert_int_equal(cu->gen.count, 4);
	assert_true(cu->gen.values[3] == 9);
	assert_false(ks_case_arg(c, "sink")->absent);
	assert_int_equal(ks_case_arg(c, "elem")->ivalue, KS_BFLOAT16);
	assert_int_equal(ks_case_arg(c, "x")->bytes, 72);
	const struct ks_arg *y = ks_case_arg(c, "y");
	assert_true(y->tol.abs_tol == 0.02 && y->tol.rel_tol == 0.25);
	const struct ks_arg *lse = ks_case_arg(c, "lse");
	assert_true(lse->tol.abs_tol == 1e-4 && lse->tol.rel_tol == 0.25);
	assert_true(lse->tol.match_ratio == 1 && isinf(lse->tol.error_cap));
	assert_true(c->ops == 1500 && c->bytes == 72);
	assert_string_equal(c->note, "ragged");
	ks_case_free(c);
	ks_problem_free(p);
}

static void test_layout(void **state)
{
	struct ks_problem *p = load_good(*state);
	struct ks_case *c = case_of(p, "b");
	assert_int_equal(c->in_bytes % 4096, 0);
	assert_int_equal(c->out_start, c->in_bytes);
	assert_int_equal(c->total_bytes, c->out_start + c->out_bytes);
	for (size_t i = 0; i < c->count; i++) {
		const struct ks_arg *a = &c->args[i];
		if (a->kind != KS_ARG_INPUT && a->kind != KS_ARG_OUTPUT) {
			continue;
		}
		uint64_t end = a->offset + a->bytes + KS_GAP;
		assert_int_equal(a->offset % KS_ALIGN, 0);
		assert_true(a->kind == KS_ARG_INPUT ? end <= c->in_bytes
			: a->offset >= c->out_start && end <= c->total_bytes);
		for (size_t k = 0; k < i; k++) {
			const struct ks_arg *o = &c->args[k];
			assert_true((o->kind != KS_ARG_INPUT && o->kind != KS_ARG_OUTPUT) ||
				o->offset >= end || o->offset + o->bytes + KS_GAP <= a->offset);
		}
	}
	ks_case_free(c);
	ks_problem_free(p);
}

static void test_sources(void **state)
{
	struct ks_problem *p = load_good(*state);
	struct ks_err err = KS_ERR_INIT;
	const char *const *files;
	size_t count = 0;
	assert_int_equal(ks_problem_sources(&files, &count, p, "cpu", "seed", &err), KS_EINVAL);
	assert_string_equal(err.msg,
		"definition.json: $.kseek.targets.cpu.seed: 'seed.c' is not in "
		"the problem's folder; add the file");
	put(*state, "seed.c", "int x;");
	put(*state, "part.h", "");
	ks_err_clear(&err);
	assert_int_equal(ks_problem_sources(&files, &count, p, "cpu", "seed", &err), 0);
	assert_int_equal(count, 2);
	assert_string_equal(files[1], "part.h");
	assert_int_equal(ks_problem_sources(&files, &count, p, "cuda", "seed", &err), KS_ENOTFOUND);
	assert_string_equal(err.msg,
		"definition.json: $.kseek.targets.cuda.seed: missing; name the "
		"source file of the seed, such as [\"seed.cu\"]");
	ks_problem_free(p);
}

static void test_held_out(void **state)
{
	struct ks_problem *p = load_good(*state);
	struct ks_err err = KS_ERR_INIT;
	struct folder *f = *state;
	char *line = replaced(good_set, "\"a\"", "\"h\"");
	line[strchr(line, '\n') - line + 1] = '\0';
	put(f, "held.jsonl.kept", line);
	char *path = ks_path_join(f->dir, "held.jsonl.kept");
	assert_int_equal(ks_problem_add_set(p, path, true, &err), 0);
	assert_int_equal(ks_problem_scenarios(p), 3);
	assert_true(ks_problem_heldout(p, 2));
	assert_string_equal(ks_problem_set(p, 2), "held");
	/* The second time its name is taken, and nothing is added. */
	assert_int_equal(ks_problem_add_set(p, path, true, &err), KS_EINVAL);
	assert_string_equal(err.msg, "held.jsonl.kept:1: $.uuid: 'h' is already the scenario of "
		"held.jsonl.kept:1; rename one");
	assert_int_equal(ks_problem_scenarios(p), 3);
	free(path);
	free(line);
	ks_problem_free(p);
}

struct row {
	const char *from, *to, *msg;
};

#define DEF "definition.json: $."
#define LONG32 "abcdefghijklmnopabcdefghijklmnop"
#define LONG LONG32 LONG32 LONG32 LONG32 "a"
#define L1 "sets/main.jsonl:1: $."
#define L3 "sets/main.jsonl:3: $."

static const struct row bad_definitions[] = {
	{"{\"name\"", "{\"name", NULL},
	{"\"name\": \"toy\"", "\"name\": 3",
		DEF "name: missing or longer than 128 bytes; name the problem"},
	{"\"axes\"", "\"axis\"", DEF "axes: missing; add it as an object"},
	{"\"type\": \"const\"", "\"type\": \"fixed\"",
		DEF "axes.dim.type: unknown axis type 'fixed'; use var, const or expr"},
	{"\"value\": 4", "\"value\": 4.5",
		DEF "axes.dim.value: not a whole number from 0; a const axis needs one"},
	{"\"dim / 2\"", "\"dim / \"", DEF "axes.half.expression: column 7: the expression ends "
		"where a number or a name should follow"},
	{"\"dim / 2\"", "\"pages / 2\"",
		DEF "axes.half: depends on itself or on a scalar; use other axes"},
	{"\"dim / 2\"", "\"dim / 3\"", L1 "axes: axis 'half' = dim / 3: column 5: 4 / 3 is not "
		"whole; use ceildiv or //"},
	{"\"dim / 2\"", "\"dim - 5\"",
		L1 "axes: axis 'half' = dim - 5: comes out as -1; an axis is at least 0"},
	{"\"dim / 2\"", "\"dim * 9223372036854775807\"", L1 "axes: axis 'half' = dim * "
		"9223372036854775807: column 5: the result does not fit 64 bits"},
	{"\"half\": {\"type\"", "\"x\": {\"type\"",
		DEF "inputs.x: the name 'x' is used twice; rename one of them"},
	{"\"half\": {\"type\"", "\"2x\": {\"type\"",
		DEF "axes.2x: '2x' is not a name; use letters, digits and _, at most 63"},
	{"\"total >= batch\"", "\"len(1) == 1\"", DEF "constraints[0]: column 1: no function "
		"'len'; there are min, max and ceildiv"},
	{"\"total >= batch\"", "\"totl >= batch\"", DEF "constraints[0]: in scenario 'a': column "
		"1: unknown name 'totl'; use an axis of the definition"},
	{"\"total >= batch\"", "\"total >= batch * dim\"", L3 "axes: violates the constraint "
		"\"total >= batch * dim\" (batch = 3, total = 9, dim = 4); change the scenario"},
	{"\"shape\": [\"total\"]", "\"shape\": [\"totl\"]", DEF "outputs.lse.shape[0]: in scenario "
		"'a' (sets/main.jsonl:1): column 1: unknown name 'totl'; use an axis of the "
		"definition"},
	{"\"shape\": [\"total\"]", "\"shape\": [\"batch - 3\"]", DEF "outputs.lse.shape[0]: in "
		"scenario 'a' (sets/main.jsonl:1): comes out negative; change its axes"},
	{"\"shape\": [\"total\"]", "\"shape\": [4000000000, 5000000000]",
		DEF "outputs.lse.shape[1]: in scenario 'a' (sets/main.jsonl:1): the shape does not "
		"multiply out in 64 bits; change its axes"},
	{"\"shape\": [\"total\"]", "\"shape\": [4000000000]",
		L1 "axes: 'lse' would take more than 8 GiB; make it smaller"},
	{"\"shape\": [\"total\"]", "\"shape\": null",
		DEF "outputs.lse.shape: an output cannot be a scalar; write [] for a single value"},
	{"\"shape\": [\"total\"]", "\"shape\": \"total\"", DEF "outputs.lse.shape: missing or not "
		"a list; write [\"axis\", ...], or null for a scalar"},
	{"\"dtype\": \"int32\"", "\"dtype\": \"int31\"", DEF "inputs.cu.dtype: unknown dtype "
		"'int31'; use float32, float64, float16, bfloat16, float8_e4m3fn, float8_e5m2, "
		"int8, uint8, int32, int64, bool or an axis of kseek.dtype_axes"},
	{"null, \"dtype\": \"float32\"", "null, \"dtype\": \"float16\"", DEF "inputs.scale.dtype: "
		"a scalar is int32, int64, float32 or float64, not float16"},
	{"\"outputs\"", "\"results\"", DEF "outputs: missing; add it as an object"},
	{"\"optional\"", "\"optinal\"", DEF "kseek.optinal: unknown key; there are entry, "
		"generate, operations, bytes, tolerance, targets, dtype_axes, optional, writable, "
		"note"},
	{"[\"sink\"]", "[\"sinc\"]",
		DEF "kseek.optional: 'sinc' is no input tensor; name one of $.inputs"},
	{"[\"float32\", \"bfloat16\"]", "[\"float32\", \"bf16\"]", DEF "kseek.dtype_axes.elem: "
		"unknown dtype 'bf16'; see docs/problem-format.md for the list"},
	{"\"entry\": {\"symbol\": \"toy\",", "\"entry\": {\"symbol\": \"a-b\",",
		DEF "kseek.entry.symbol: missing or not a C name; write the function's name"},
	{"\"x\", \"cu\", \"table\"", "\"x\", \"table\"",
		DEF "kseek.entry.args: 'cu' is not passed to the entry; add it to the list"},
	{"\"total\", \"causal\"", "\"totl\", \"causal\"", DEF "kseek.entry.args[6]: 'totl' is no "
		"input, output, axis or dtype axis; name one of them"},
	{"\"total\", \"causal\"", "\"total\", \"total\", \"causal\"",
		DEF "kseek.entry.args[7]: 'total' is passed twice; drop one"},
	{"\"dist\": \"normal\"", "\"dist\": \"gauss\"", DEF "kseek.generate.x.dist: unknown "
		"distribution 'gauss'; there are normal, uniform, integers, constant, arange, "
		"permutation, offsets, page_table, one_hot, zeros"},
	{"\"std\": \"2 * half\"", "\"sdt\": 2", DEF "kseek.generate.x.sdt: unknown key; normal "
		"has mean, std, and redraw, variants"},
	{"\"std\": \"2 * half\"", "\"std\": [2]", DEF "kseek.generate.x.std: neither a number nor "
		"an expression; write one of them"},
	{"\"std\": \"2 * half\"", "\"std\": -1",
		L1 "inputs.x: std below 0, or low above high; turn them round"},
	{"\"outliers\"", "\"outlier\"", DEF "kseek.generate.x.variants: unknown variant "
		"'outlier'; there are scaled, shifted, outliers, structured, ill_conditioned, "
		"mixed_rows"},
	{"\"total\": \"total\",", "", DEF "kseek.generate.cu.total: missing; say what the last "
		"offset is, such as an axis"},
	{"\"max\": 8", "\"max\": 4",
		L1 "inputs.cu: 2 pieces of 0 to 4 cannot add up to 10"},
	{"[\"batch + 1\"]", "[2000000]", L1 "inputs.cu: 1999999 pieces; at most 1048576 are drawn"},
	{"\"max\": 8", "\"redraw\": \"call\"", DEF "kseek.generate.cu.redraw: offsets decide how "
		"much work there is and stay for a scenario; use scenario"},
	{"\"max\": 8", "\"redraw\": \"never\"",
		DEF "kseek.generate.cu.redraw: 'never' is not known; use scenario or call"},
	{"\"table\": {\"dist\"", "\"y\": {\"dist\"",
		DEF "kseek.generate.y: 'y' is no input; name one of $.inputs"},
	{"\"value\": \"1 / dim\"", "\"value\": \"1 / 0\"",
		L1 "inputs.scale.value: column 3: division by zero"},
	{"\"dist\": \"constant\", \"value\": \"1 / dim\"", "\"dist\": \"zeros\"",
		DEF "kseek.generate.scale: a scalar is given, not drawn; use {\"dist\": "
		"\"constant\", \"value\": ...} or a value in each scenario"},
	{"\"2 * total * dim / (1 + causal)\"", "\"2 * total * dmi\"", L1 "kseek.operations: column "
		"13: unknown name 'dmi'; use an axis of the definition"},
	{"\"2 * total * dim / (1 + causal)\"", "-4",
		L1 "kseek.operations: comes out as -4; it cannot be negative"},
	{"\"atol\": 1e-4", "\"atl\": 1e-4", DEF "kseek.tolerance.atl: unknown key; there are atol, "
		"rtol, match_ratio, max_error_cap, allow_negative_inf, or an output or dtype with "
		"these in it"},
	{"\"atol\": 1e-4", "\"atol\": -1", DEF "kseek.tolerance.atol: not a number from 0"},
	{"\"atol\": 1e-4", "\"match_ratio\": 1.5",
		DEF "kseek.tolerance.match_ratio: not a number above 0 and at most 1"},
	{"\"lse\": {\"rtol\"", "\"x\": {\"rtol\"",
		DEF "kseek.tolerance.x: neither an output nor a dtype; name one of them"},
	{"\"cpu\"", "\"gpu\"", DEF "kseek.targets.gpu: unknown target; there are cpu and cuda"},
	{"\"seed.c\"", "\"../seed.c\"", DEF "kseek.targets.cpu.seed: '../seed.c' does not lie in "
		"the problem's folder; use a path in it"},
	{"\"seed.c\"", "\"src/seed.c\"", DEF "kseek.targets.cpu.seed: 'src/seed.c' lies in a "
		"subfolder, and sources have to stand beside definition.json; move it there"},
	{"\"seed.c\"", "\"seed.cpp\"", DEF "kseek.targets.cpu.seed: 'seed.cpp': sources for cpu "
		"end in .c; C++ is not taken there, write it in C"},
	{"\"seed.c\"", "\"seed.cu\"", DEF "kseek.targets.cpu.seed: 'seed.cu': sources for cpu "
		"end in .c; C++ is not taken there, write it in C"},
	{"\"reference\": \"r.c\"", "\"refrence\": \"r.c\"",
		DEF "kseek.targets.cpu: unknown key 'refrence'; a target has seed and reference"},
};

static const struct row bad_sets[] = {
	{"{\"uuid\": \"a\"", "[{\"uuid\": \"a\"", NULL},
	{"\"uuid\": \"a\"", "\"uuid\": \"\"", L1 "uuid: missing; give the scenario a short name"},
	{"\"uuid\": \"a\"", "\"uuid\": \"a b\"",
		L1 "uuid: 'a b' has a space in it; write it without"},
	{"\"uuid\": \"a\"", "\"uuid\": \"" LONG "\"",
		L1 "uuid: longer than 128 bytes; give the scenario a short name"},
	{"\"uuid\": \"b\"", "\"uuid\": \"a\"",
		L3 "uuid: 'a' is already the scenario of sets/main.jsonl:1; rename one"},
	{"\"uuid\": \"a\"", "\"definition\": \"other\", \"uuid\": \"a\"",
		L1 "definition: this line is for 'other', the problem is 'toy'"},
	{", \"total\": 10", "", L1 "axes: no value for axis 'total'; add it"},
	{"\"total\": 10", "\"total\": 10, \"rows\": 1",
		L1 "axes.rows: the definition has no such axis; drop it"},
	{"\"total\": 10", "\"total\": -1", L1 "axes.total: not a whole number from 0"},
	{"\"total\": 10", "\"total\": 10, \"dim\": 8",
		L1 "axes.dim: the definition fixes it to 4; drop it"},
	{"\"total\": 10", "\"total\": 10, \"half\": 3",
		L1 "axes: axis 'half' = dim / 2: comes out as 2, not 3; drop it from the line"},
	{"\"total\": 10", "\"total\": 1", L1 "axes: violates the constraint \"total >= batch\" "
		"(batch = 2, total = 1); change the scenario"},
	{"\"total\": 10", "\"total\": 9007199254740992",
		L1 "axes: 'x' would take more than 8 GiB; make it smaller"},
	{"\"elem\": \"float32\"", "\"elem\": \"float64\"",
		L1 "dtypes.elem: 'float64' is not among the definition's choices"},
	{"\"elem\": \"float32\"", "",
		L1 "dtypes.elem: missing; pick one of the definition's choices"},
	{"\"elem\": \"float32\"", "\"el\": \"float32\"",
		L1 "dtypes.el: the definition has no such dtype axis; drop it"},
	{"\"causal\": {\"type\": \"scalar\", \"value\": 1}", "",
		L1 "inputs.causal.value: no value for scalar 'causal'; add {\"type\": \"scalar\", "
		"\"value\": ...}"},
	{"\"value\": 1", "\"value\": 1.5", L1 "inputs.causal.value: 1.5 is not whole; its dtype is "
		"int32"},
	{"\"value\": 1", "\"value\": 3e9", L1 "inputs.causal.value: 3000000000 does not fit int32"},
	{"\"causal\": {", "\"casual\": {",
		L1 "inputs.casual: the definition has no such input; drop it"},
	{"\"type\": \"scalar\"", "\"type\": \"random\"",
		L1 "inputs.causal.type: unknown type 'random'; scalar 'causal' takes scalar"},
	{"\"sink\": {\"type\": \"random\"}", "\"sink\": {\"type\": \"safetensors\"}",
		L3 "inputs.sink.type: inputs of type safetensors need Python; give values, or a "
		"generator for 'sink' under kseek.generate in definition.json"},
	{"[0, 2, 2, 9]", "[0, 2, 9]",
		L3 "inputs.cu.values: 3 values, but the shape has 4 elements"},
	{"[0, 2, 2, 9]", "[0, 2, 2, 8]",
		L3 "inputs.cu.values[3]: the last offset is 8, but the total is 9"},
	{"[0, 2, 2, 9]", "[1, 2, 2, 9]", L3 "inputs.cu.values[0]: the first offset is 1, not 0"},
	{"[0, 2, 2, 9]", "[0, 3, 2, 9]",
		L3 "inputs.cu.values[2]: a piece of -1; between 0 and 8 are allowed"},
	{"[0, 2, 2, 9]", "[0, 0, 0, 9]",
		L3 "inputs.cu.values[3]: a piece of 9; between 0 and 8 are allowed"},
	{"[0, 2, 2, 9]", "[0, 2.5, 2, 9]",
		L3 "inputs.cu.values[1]: 2.5 is not whole; its dtype is int32"},
	{"[0, 2, 2, 9]", "[0, \"2\", 2, 9]",
		L3 "inputs.cu.values[1]: not a number; values are one flat list of numbers"},
	{"[0, 2, 2, 9]", "7", L3 "inputs.cu.values: missing; write a flat list of numbers"},
	{"\"table\": {\"type\": \"random\"}",
		"\"table\": {\"type\": \"values\", \"values\": [0, 1, 2, 3, 4, 0]}",
		L3 "inputs.table.values[4]: page 4 of 4; pages count from 0"},
	{"\"max_rtol\": 0.25", "\"max_rotl\": 0.25", L3 "tolerance.max_rotl: unknown key; there "
		"are atol, rtol, match_ratio, max_error_cap, allow_negative_inf, or an output or "
		"dtype with these in it"},
	{"\"note\"", "\"nota\"", L3 "kseek.nota: unknown key; there are operations, bytes, note"},
	{"\"8 * total\"", "\"8 * \"", L3 "kseek.bytes: column 5: the expression ends where a "
		"number or a name should follow"},
};

/* NULL for the text: some refusal that names the file. */
static void expect_refusal(const struct folder *f, const struct row *row)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_problem *p = NULL;
	assert_true(ks_problem_load(&p, f->dir, &err) < 0);
	assert_null(p);
	if (row->msg == NULL) {
		assert_non_null(strstr(err.msg, ".json"));
		assert_non_null(strstr(err.msg, "$: "));
	} else {
		assert_string_equal(err.msg, row->msg);
	}
}

static void test_bad_definitions(void **state)
{
	put(*state, "sets/main.jsonl", good_set);
	for (size_t i = 0; i < sizeof(bad_definitions) / sizeof(bad_definitions[0]); i++) {
		const struct row *row = &bad_definitions[i];
		char *text = replaced(good_definition, row->from, row->to);
		put(*state, "definition.json", text);
		expect_refusal(*state, row);
		free(text);
	}
}

static void test_bad_sets(void **state)
{
	put(*state, "definition.json", good_definition);
	for (size_t i = 0; i < sizeof(bad_sets) / sizeof(bad_sets[0]); i++) {
		const struct row *row = &bad_sets[i];
		char *text = replaced(good_set, row->from, row->to);
		put(*state, "sets/main.jsonl", text);
		expect_refusal(*state, row);
		free(text);
	}
}

static void test_missing_parts(void **state)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_problem *p = NULL;
	struct folder *f = *state;
	assert_true(ks_problem_load(&p, f->dir, &err) < 0);
	assert_non_null(strstr(err.msg, "definition.json"));
	put(f, "definition.json", good_definition);
	ks_err_clear(&err);
	assert_int_equal(ks_problem_load(&p, f->dir, &err), KS_EINVAL);
	assert_string_equal(err.msg,
		"definition.json: $: no scenario beside it; add lines to sets/main.jsonl");
}

/* A definition and a trace line of the family, without our key: what lacks is
 * asked for by name; with the entry added it loads. */
static void test_family_files(void **state)
{
	static const char *const plain =
		"{\"name\": \"rmsnorm_h4\", \"op_type\": \"rmsnorm\", \"tags\": ["
		"\"x\", \"two words\", 7, \"status:ok\"],\n"
		"\"axes\": {\"batch_size\": {\"type\": \"var\"}, "
		"\"len_indptr\": {\"type\": \"var\"}, \"num\": {\"type\": \"var\"},\n"
		"\"hidden_size\": {\"type\": \"const\", \"value\": 4}},\n"
		"\"constraints\": [\"len_indptr == batch_size + 1\", "
		"\"num == indptr[-1].item()\"],\n"
		"\"inputs\": {\"hidden\": {\"shape\": [\"batch_size\", \"hidden_size\"], "
		"\"dtype\": \"bfloat16\"}, \"indptr\": {\"shape\": [\"len_indptr\"], "
		"\"dtype\": \"int32\"}, \"eps\": {\"shape\": null, \"dtype\": \"float32\"}},\n"
		"\"outputs\": {\"output\": {\"shape\": [\"batch_size\", \"hidden_size\"], "
		"\"dtype\": \"bfloat16\"}},\n"
		"\"reference\": \"def run(hidden, eps):\\n    return hidden\\n\"}";
	static const char *const trace =
		"{\"definition\": \"rmsnorm_h4\", \"solution\": null, \"evaluation\": null, "
		"\"workload\": {\"uuid\": \"0f-1\", \"axes\": {\"batch_size\": 3, \"len_indptr\": "
		"4, \"num\": 5}, \"inputs\": {\"hidden\": {\"type\": \"random\"}, \"eps\": "
		"{\"type\": \"scalar\", \"value\": 1e-5}}, \"tolerance\": {\"max_atol\": 0.5, "
		"\"max_rtol\": 0.25, \"required_matched_ratio\": 0.9, \"max_error_cap\": null, "
		"\"allow_negative_inf\": true}}}";
	struct ks_err err = KS_ERR_INIT;
	struct ks_problem *p = NULL;
	struct folder *f = *state;
	put(f, "definition.json", plain);
	put(f, "workload.jsonl", trace);
	assert_int_equal(ks_problem_load(&p, f->dir, &err), KS_EINVAL);
	assert_string_equal(err.msg, "definition.json: $.kseek.entry: missing; name the C function "
		"and its arguments in order, such as {\"symbol\": \"rmsnorm_h4\", \"args\": "
		"[\"hidden\", \"indptr\", \"eps\", \"output\", \"batch_size\", \"len_indptr\", "
		"\"num\"]}");
	char *text = replaced(plain, "\"reference\"", "\"kseek\": {\"entry\": {\"symbol\": \"f\", "
		"\"args\": [\"hidden\", \"indptr\", \"eps\", \"output\"]}}, \"reference\"");
	put(f, "definition.json", text);
	free(text);
	ks_err_clear(&err);
	if (ks_problem_load(&p, f->dir, &err) != 0) {
		fail_msg("%s", err.msg);
	}
	assert_int_equal(ks_problem_unchecked(p), 1);
	assert_string_equal(ks_problem_tags(p), "rmsnorm x status:ok");
	assert_string_equal(ks_problem_set(p, 0), "workload");
	struct ks_case *c = case_of(p, "0f-1");
	const struct ks_tolerance *tol = &ks_case_arg(c, "output")->tol;
	assert_true(tol->abs_tol == 0.5 && tol->rel_tol == 0.25 && tol->match_ratio == 0.9);
	assert_true(isinf(tol->error_cap) && tol->allow_negative_inf);
	assert_int_equal(ks_case_arg(c, "indptr")->gen.dist, KS_DIST_INTEGERS);
	ks_case_free(c);
	ks_problem_free(p);
}

/* Inputs that the family makes in Python are drawn when the definition has a
 * generator for them. */
static void test_custom_inputs_are_drawn(void **state)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_problem *p = NULL;
	struct folder *f = *state;
	char *text = replaced(good_set, "\"table\": {\"type\": \"random\"}",
		"\"table\": {\"type\": \"custom\"}");
	put(f, "definition.json", good_definition);
	put(f, "sets/main.jsonl", text);
	free(text);
	assert_int_equal(ks_problem_load(&p, f->dir, &err), 0);
	struct ks_case *c = case_of(p, "b");
	assert_int_equal(ks_case_arg(c, "table")->gen.dist, KS_DIST_PAGE_TABLE);
	ks_case_free(c);
	ks_problem_free(p);
}

static void test_element_constraint_is_checked(void **state)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_problem *p = NULL;
	struct folder *f = *state;
	char *text = replaced(good_definition, "\"total >= batch\"", "\"cu[1] == 3\"");
	put(f, "definition.json", text);
	put(f, "sets/main.jsonl", good_set);
	assert_int_equal(ks_problem_load(&p, f->dir, &err), KS_EINVAL);
	assert_string_equal(err.msg,
		L3 "axes: violates the constraint \"cu[1] == 3\"; change the scenario");
	free(text);
}

static void test_target_and_empty(void **state)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_problem *p = NULL;
	struct folder *f = *state;
	char *text = replaced(good_definition, "[\"float32\", \"bfloat16\"]",
		"[\"float32\", \"float8_e5m2\"]");
	char *fp8 = replaced(text, "\"bfloat16\": {\"atol\"", "\"float8_e5m2\": {\"atol\"");
	char *lines = replaced(good_set, "\"bfloat16\"", "\"float8_e5m2\"");
	char *empty = replaced(lines, "\"batch\": 2, \"total\": 10", "\"batch\": 0, \"total\": 0");
	put(f, "definition.json", fp8);
	put(f, "sets/main.jsonl", empty);
	if (ks_problem_load(&p, f->dir, &err) != 0) {
		fail_msg("%s", err.msg);
	}
	assert_int_equal(ks_problem_check_target(p, "cuda", &err), 0);
	assert_int_equal(ks_problem_check_target(p, "cpu", &err), KS_EINVAL);
	assert_string_equal(err.msg, L3 "dtypes: 'x' would be float8_e5m2, which the cpu target "
		"does not have; use another dtype");
	struct ks_case *c = case_of(p, "a");
	assert_int_equal(ks_case_arg(c, "x")->count, 0);
	assert_int_equal(ks_case_arg(c, "x")->bytes, 0);
	assert_false(ks_case_arg(c, "x")->absent);
	ks_case_free(c);
	ks_problem_free(p);
	free(empty);
	free(lines);
	free(fp8);
	free(text);
}

static void test_stencil(void **state)
{
	(void)state;
	struct ks_err err = KS_ERR_INIT;
	struct ks_problem *p = NULL;
	const char *const *files;
	size_t count;
	if (ks_problem_load(&p, STENCIL_DIR, &err) != 0) {
		fail_msg("%s", err.msg);
	}
	assert_int_equal(ks_problem_scenarios(p), 3);
	assert_int_equal(ks_problem_sources(&files, &count, p, "cpu", "seed", &err), 0);
	assert_int_equal(ks_problem_sources(&files, &count, p, "cpu", "reference", &err), 0);
	struct ks_case *c = case_of(p, "odd-77x131");
	assert_true(c->ops == 6.0 * 75 * 129);
	assert_true(c->bytes == 2.0 * 4 * 77 * 131);
	assert_true(ks_case_arg(c, "side")->fvalue == 0.125);
	assert_true(ks_case_arg(c, "next")->tol.abs_tol == 2e-5);
	ks_case_free(c);
	ks_problem_free(p);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_new, folder_free)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_good),
		IN_FOLDER(test_case_plain),
		IN_FOLDER(test_case_ragged),
		IN_FOLDER(test_layout),
		IN_FOLDER(test_sources),
		IN_FOLDER(test_held_out),
		IN_FOLDER(test_bad_definitions),
		IN_FOLDER(test_bad_sets),
		IN_FOLDER(test_missing_parts),
		IN_FOLDER(test_family_files),
		IN_FOLDER(test_custom_inputs_are_drawn),
		IN_FOLDER(test_element_constraint_is_checked),
		IN_FOLDER(test_target_and_empty),
		cmocka_unit_test(test_stencil),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
