/*
 * A good definition and a good set, cut up by the input: each three bytes
 * replace a stretch of the text by a piece. Whatever comes out loads whole, so
 * that every scenario works out to a layout without overlaps and can be filled,
 * or is refused with one line that names a file.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "eval/generate.h"
#include "eval/problem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FILL_MAX ((uint64_t)1 << 20)

static const char *const definition =
	"{\"name\":\"t\",\"axes\":{\"b\":{\"type\":\"var\"},\"n\":{\"type\":\"var\"},"
	"\"d\":{\"type\":\"const\",\"value\":4},"
	"\"h\":{\"type\":\"expr\",\"expression\":\"d / 2\"}},"
	"\"constraints\":[\"n >= b\",\"cu[-1].item() == n\"],"
	"\"inputs\":{\"x\":{\"shape\":[\"n\",\"d\"],\"dtype\":\"e\"},"
	"\"cu\":{\"shape\":[\"b + 1\"],\"dtype\":\"int32\"},"
	"\"pt\":{\"shape\":[\"b\",2],\"dtype\":\"int64\"},"
	"\"s\":{\"shape\":null,\"dtype\":\"float32\"}},"
	"\"outputs\":{\"y\":{\"shape\":[\"n\",\"d\"],\"dtype\":\"e\"}},"
	"\"kseek\":{\"dtype_axes\":{\"e\":[\"float32\",\"bfloat16\"]},\"optional\":[\"pt\"],"
	"\"entry\":{\"symbol\":\"t\",\"args\":[\"x\",\"cu\",\"pt\",\"y\",\"n\",\"s\",\"e\"]},"
	"\"generate\":{\"x\":{\"dist\":\"normal\",\"std\":\"h\",\"variants\":[\"structured\"]},"
	"\"cu\":{\"dist\":\"offsets\",\"total\":\"n\",\"max\":9},"
	"\"pt\":{\"dist\":\"page_table\",\"pages\":\"2 * b\"},"
	"\"s\":{\"dist\":\"constant\",\"value\":0.5}},"
	"\"operations\":\"2 * n * d\",\"tolerance\":{\"atol\":1e-4,\"y\":{\"rtol\":0.1}},"
	"\"targets\":{\"cpu\":{\"seed\":[\"s.c\"]}}}}";

static const char *const set =
	"{\"uuid\":\"a\",\"axes\":{\"b\":2,\"n\":10},\"dtypes\":{\"e\":\"float32\"},"
	"\"inputs\":{\"pt\":{\"type\":\"random\"}}}\n"
	"{\"uuid\":\"c\",\"axes\":{\"b\":3,\"n\":9},\"dtypes\":{\"e\":\"bfloat16\"},"
	"\"inputs\":{\"cu\":{\"type\":\"values\",\"values\":[0,2,2,9]},"
	"\"s\":{\"type\":\"scalar\",\"value\":2}},\"kseek\":{\"operations\":5,\"bytes\":\"n\"}}\n";

static void must(bool ok)
{
	if (!ok) {
		abort();
	}
}

static void cut_up(struct ks_buf *out, const char *text, const uint8_t *data, size_t size)
{
	static const char *const pieces[] = {"", "0", "-1", "1e308", "9223372036854775807",
		"\"\"", "[]", "{}", "null", "true", "\"n\"", "\"b * b\"", "\"-n\"", "\"int8\"",
		"\"float64\"", "\"bool\"", "\"uniform\"", "\"integers\"", "\"permutation\"",
		"\"one_hot\"", "\"arange\"", "\"zeros\"", "\"redraw\":\"scenario\"", ",", ":", "\n",
		"\\u0000", "\xff", "\"x\"", "0.3", "1099511627776", "\"n / 3\""};
	size_t at = 0, len = strlen(text);
	for (size_t i = 0; i + 2 < size; i += 3) {
		size_t next = at + (size_t)(data[i] | (data[i + 1] & 3) << 8);
		if (next >= len) {
			break;
		}
		ks_buf_add(out, text + at, next - at);
		ks_buf_adds(out, pieces[data[i + 2] % 32]);
		at = next + (data[i + 1] >> 2) % 12;
		at = at < len ? at : len;
	}
	ks_buf_add(out, text + at, len - at);
}

static void write_file(const char *dir, const char *name, const struct ks_buf *text)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	FILE *f = fopen(path, "w");
	must(f != NULL);
	must(fwrite(text->ptr, 1, text->len, f) == text->len);
	must(fclose(f) == 0);
}

static void check_case(const struct ks_case *c)
{
	static const struct ks_seed seed = {{1, 2, 3, 4}};
	must(c->total_bytes <= KS_CASE_BYTES_MAX + 8192 && c->out_start == c->in_bytes);
	for (size_t i = 0; i < c->count; i++) {
		const struct ks_arg *a = &c->args[i];
		bool tensor = a->kind == KS_ARG_INPUT || a->kind == KS_ARG_OUTPUT;
		must(!tensor || a->absent || (a->bytes == a->count * ks_dtype_size(a->dtype) &&
			a->offset % KS_ALIGN == 0 &&
			a->offset + a->bytes + KS_GAP <= c->total_bytes));
	}
	if (c->total_bytes <= FILL_MAX) {
		char *memory = malloc(c->total_bytes + 1);
		must(memory != NULL);
		ks_generate_all(c, &seed, 1, KS_STRUCTURED, memory);
		free(memory);
	}
}

static void check(const char *dir)
{
	struct ks_problem *p = NULL;
	struct ks_err err = KS_ERR_INIT;
	int rc = ks_problem_load(&p, dir, &err);
	must(rc == err.code && (rc == 0) == (p != NULL));
	if (rc != 0) {
		must(strstr(err.msg, ".json") != NULL && strchr(err.msg, '\n') == NULL);
		return;
	}
	for (size_t i = 0; i < ks_problem_scenarios(p); i++) {
		struct ks_case *c = NULL;
		must(ks_case_new(&c, p, i, &err) == 0);
		check_case(c);
		ks_case_free(c);
	}
	free(ks_problem_prototype(p));
	ks_problem_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char dir[] = "/tmp/kseek-fuzz-XXXXXX", path[64];
	struct ks_buf def = {0}, lines = {0};
	size_t half = size / 2;
	must(mkdtemp(dir) != NULL);
	cut_up(&def, definition, data, size % 3 == 0 ? 0 : half);
	cut_up(&lines, set, data + half, size % 3 == 1 ? 0 : size - half);
	write_file(dir, "definition.json", &def);
	write_file(dir, "main.jsonl", &lines);
	check(dir);
	snprintf(path, sizeof(path), "%s/definition.json", dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/main.jsonl", dir);
	unlink(path);
	rmdir(dir);
	ks_buf_fini(&def);
	ks_buf_fini(&lines);
	return 0;
}
