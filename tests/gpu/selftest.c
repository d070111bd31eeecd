/*
 * Holds the GPU's half of the evaluator against the processor's, on a machine
 * that has a GPU: contents bit for bit, fingerprints, gaps, comparison, poison;
 * exported memory opened by another process; what each step costs.
 *
 *   selftest LIBRARY              prints a table; 0: all rows hold
 *   selftest LIBRARY HANDLE HANDLE   the other process (started by the first)
 */
#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "eval/compare.h"
#include "eval/device_api.h"
#include "eval/generate.h"
#include "eval/print.h"

#define COUNT ((uint64_t)1 << 20 | 3)
#define BIG ((uint64_t)64 << 20) /* bytes of the steps that are timed */
#define ROUNDS 20

static const struct ks_seed key = {{0x01234567, 0x89abcdef, 0x0f1e2d3c, 0x4b5a6978}};

struct rig {
	const struct ks_cuda_api *api;
	struct ks_cuda *c;
	unsigned char *a, *b;   /* on the device, BIG bytes each */
	unsigned char *x, *y;   /* here */
	struct ks_cuda_found found;
	int rows, failed;
};

static double now_us(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

__attribute__((format(printf, 4, 5))) static void row(struct rig *r, bool ok, const char *name,
	const char *fmt, ...)
{
	va_list ap;
	printf("%-4s %-34s ", ok ? "ok" : "FAIL", name);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
	r->rows++;
	r->failed += !ok;
}

static bool sync_ok(struct rig *r, const char *what)
{
	char text[KS_CUDA_TEXT] = "";
	int code = r->api->sync(r->c, &r->found, text);
	if (code != 0) {
		row(r, false, what, "%s", text);
	}
	return code == 0;
}

static bool fetch(struct rig *r, void *to, const void *from, uint64_t bytes)
{
	char text[KS_CUDA_TEXT] = "";
	int code = r->api->download(r->c, to, from, bytes, text);
	if (code != 0) {
		row(r, false, "fetch", "%s", text);
	}
	return code == 0;
}

static struct ks_arg argument(enum ks_dtype dtype, enum ks_dist dist)
{
	struct ks_arg arg = {.kind = KS_ARG_INPUT, .dtype = dtype, .rank = 2,
		.shape = {(int64_t)(COUNT / 13 + 1), 13}, .count = COUNT, .stream = 3,
		.bytes = COUNT * ks_dtype_size(dtype),
		.gen = {.dist = dist, .variants = ~0u, .a = 0.25, .b = 1.5, .low = -7,
			.high = 90, .total = (int64_t)COUNT - 100}};
	return arg;
}

/* Elements whose bytes differ between the two ways of making a tensor. */
static int64_t differing(struct rig *r, enum ks_dtype dtype, enum ks_dist dist,
	enum ks_variant variant)
{
	struct ks_arg arg = argument(dtype, dist);
	struct ks_case c = {.id = 77, .args = &arg, .count = 1};
	struct ks_draw plan;
	size_t size = ks_dtype_size(dtype);
	int64_t bad = 0;
	ks_generate(&c, &arg, &key, 5, variant, r->x);
	if (!ks_draw_init(&plan, &c, &arg, &key, 5, variant)) {
		return -1;
	}
	r->api->draw(r->c, r->a, &plan);
	if (!fetch(r, r->y, r->a, arg.bytes)) {
		return -1;
	}
	for (uint64_t i = 0; i < COUNT; i++) {
		bad += memcmp(r->x + i * size, r->y + i * size, size) != 0;
	}
	return bad;
}

/* The most elements that differ in a type's draws; where: the variant, if any do. */
static int64_t worst_draw(struct rig *r, enum ks_dtype t, enum ks_dist d, char where[64])
{
	int last = d == KS_DIST_INTEGERS ? 1 : KS_VARIANT_COUNT;
	int64_t worst = 0;
	if (d != KS_DIST_INTEGERS && !ks_dtype_is_float(t)) {
		return 0;
	}
	for (int v = 0; v < last; v++) {
		int64_t bad = differing(r, t, d, (enum ks_variant)v);
		if (bad != 0) {
			snprintf(where, 64, "%s %s", ks_dtype_name(t),
				ks_variant_name((enum ks_variant)v));
		}
		worst = bad < 0 || bad > worst ? bad : worst;
	}
	return worst;
}

static void test_draws(struct rig *r)
{
	static const char *const dists[] = {"normal", "uniform", "integers"};
	for (int d = 0; d < 3; d++) {
		int64_t worst = 0;
		char where[64] = "";
		for (int t = KS_FLOAT32; t < KS_DTYPE_COUNT; t++) {
			int64_t bad = worst_draw(r, (enum ks_dtype)t, (enum ks_dist)d, where);
			worst = bad < 0 || bad > worst ? bad : worst;
		}
		char name[64];
		snprintf(name, sizeof(name), "draw %s", dists[d]);
		row(r, worst == 0, name, "%lld of %llu elements differ %s", (long long)worst,
			(unsigned long long)COUNT, where);
	}
	int64_t moved = differing(r, KS_INT32, KS_DIST_PERMUTATION, KS_PLAIN);
	row(r, moved == 0, "draw permutation", "%lld differ", (long long)moved);
}

static void test_print(struct rig *r)
{
	uint64_t bytes = 1000003, sum = 0, other;
	for (uint64_t i = 0; i < bytes; i++) {
		r->x[i] = (unsigned char)(i * 31 + (i >> 7));
	}
	for (uint64_t w = 0; w * 8 < bytes; w++) {
		sum += ks_print_word(r->x, bytes, w, 99);
	}
	r->api->upload(r->c, r->a, r->x, bytes);
	r->api->print(r->c, r->a, bytes, 99, 130);
	if (!sync_ok(r, "print")) {
		return;
	}
	other = r->found.look[130];
	r->api->fill(r->c, r->a + 500, 0xEE, 1);
	r->api->print(r->c, r->a, bytes, 99, 130);
	bool again = sync_ok(r, "print");
	row(r, other == sum && again && r->found.look[130] != sum, "fingerprint",
		"%016llx here, %016llx there, changed %016llx", (unsigned long long)sum,
		(unsigned long long)other, (unsigned long long)r->found.look[130]);
}

static void test_gap(struct rig *r)
{
	r->api->fill(r->c, r->a, 0xAB, 4096);
	r->api->fill(r->c, r->a + 17, 0, 3);
	r->api->gap(r->c, r->a, 0xAB, 1024, 0);
	r->api->gap(r->c, r->a + 20, 0xAB, 1004, 1);
	if (sync_ok(r, "gap")) {
		row(r, r->found.look[0] == 3 && r->found.look[1] == 0, "gap", "%llu and %llu",
			(unsigned long long)r->found.look[0], (unsigned long long)r->found.look[1]);
	}
	if (sync_ok(r, "gap")) {
		row(r, r->found.look[0] == 0, "looks are fresh after a sync", "%llu",
			(unsigned long long)r->found.look[0]);
	}
}

static void test_tally(struct rig *r, enum ks_dtype dtype, bool special)
{
	struct ks_arg a = argument(dtype, KS_DIST_NORMAL), b = a;
	struct ks_case c = {.id = 5, .args = &a, .count = 1};
	struct ks_tolerance tol = {.abs_tol = 0.5, .rel_tol = 0.25, .match_ratio = 0.5,
		.error_cap = (double)INFINITY};
	struct ks_rule rule = {tol.abs_tol, tol.rel_tol, false};
	struct ks_compare here, there;
	char name[64];
	b.stream = 4;
	ks_generate(&c, &a, &key, 1, KS_PLAIN, r->x);
	ks_generate(&c, &b, &key, 1, KS_PLAIN, r->y);
	if (special) {
		ks_dtype_put(dtype, r->x, 12345, (double)NAN);
	}
	ks_compare(&here, &tol, dtype, r->x, r->y, COUNT);
	r->api->upload(r->c, r->a, r->x, a.bytes);
	r->api->upload(r->c, r->b, r->y, a.bytes);
	r->api->tally(r->c, &rule, dtype, r->a, r->b, COUNT);
	r->api->special(r->c, dtype, r->a, COUNT, false, 255);
	if (!sync_ok(r, "compare")) {
		return;
	}
	ks_compare_finish(&there, &r->found.tally, &tol);
	bool same = here.ok == there.ok && here.count == there.count && here.bad == there.bad &&
		here.nonfinite == there.nonfinite && here.worst == there.worst &&
		here.max_abs == there.max_abs && fabs(here.rms - there.rms) <= 1e-6 * here.rms &&
		r->found.look[255] == (special ? 1u : 0u);
	snprintf(name, sizeof(name), "compare %s%s", ks_dtype_name(dtype), special ? " NaN" : "");
	row(r, same, name, "bad %llu/%llu worst %llu/%llu rms %.9g/%.9g",
		(unsigned long long)here.bad, (unsigned long long)there.bad,
		(unsigned long long)here.worst, (unsigned long long)there.worst, here.rms,
		there.rms);
}

static void test_poison(struct rig *r)
{
	struct ks_arg a = argument(KS_BFLOAT16, KS_DIST_NORMAL);
	struct ks_case c = {.id = 5, .args = &a, .count = 1};
	uint64_t same = 0, bad = 0;
	ks_generate(&c, &a, &key, 1, KS_PLAIN, r->x);
	r->api->upload(r->c, r->a, r->x, a.bytes);
	r->api->poison(r->c, r->b, r->a, KS_BFLOAT16, COUNT, 4711);
	if (!fetch(r, r->y, r->b, a.bytes)) {
		return;
	}
	for (uint64_t i = 0; i < COUNT; i++) {
		uint16_t want;
		ks_element_put(KS_BFLOAT16, &want, 0,
			ks_poison_of(KS_BFLOAT16, r->x, COUNT, (uint32_t)(i % 256), 4711));
		bad += memcmp(&want, r->y + 2 * i, 2) != 0;
		same += memcmp(r->x + 2 * i, r->y + 2 * i, 2) == 0;
	}
	row(r, bad == 0 && same < COUNT / 50, "poison", "%llu differ from here, %llu are answers",
		(unsigned long long)bad, (unsigned long long)same);
}

static void test_repeat(struct rig *r)
{
	static const unsigned char element[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	bool ok = true;
	for (uint32_t size = 1; size <= 8; size *= 2) {
		r->api->repeat(r->c, r->a, element, size, 1001);
		ok = ok && fetch(r, r->y, r->a, 1001 * size);
		for (uint32_t i = 0; ok && i < 1001; i++) {
			ok = memcmp(r->y + i * size, element, size) == 0;
		}
	}
	row(r, ok, "constants", "1, 2, 4 and 8 bytes");
}

/* ---- costs ---- */

enum step { STEP_DRAW, STEP_PRINT, STEP_COPY, STEP_TALLY, STEP_GAP, STEP_SYNC, STEPS };

static void queue_step(struct rig *r, enum step step, const struct ks_draw *plan)
{
	static const struct ks_rule rule = {1e-3, 1e-3, false};
	switch (step) {
	case STEP_DRAW:
		r->api->draw(r->c, r->a, plan);
		break;
	case STEP_PRINT:
		r->api->print(r->c, r->a, BIG, 7, 0);
		break;
	case STEP_COPY:
		r->api->copy(r->c, r->b, r->a, BIG);
		break;
	case STEP_TALLY:
		r->api->tally(r->c, &rule, KS_BFLOAT16, r->a, r->b, BIG / 2);
		break;
	case STEP_GAP:
		r->api->gap(r->c, r->a, 0, 1024, 1);
		break;
	default:
		break;
	}
}

static void costs(struct rig *r)
{
	static const char *const names[STEPS] = {"64 MiB drawn (bf16 normal)",
		"64 MiB fingerprint", "64 MiB copied", "64 MiB compared (bf16)", "a gap looked at",
		"sync alone"};
	struct ks_arg a = argument(KS_BFLOAT16, KS_DIST_NORMAL);
	struct ks_case c = {.id = 5, .args = &a, .count = 1};
	struct ks_draw plan;
	a.count = BIG / 2;
	ks_draw_init(&plan, &c, &a, &key, 1, KS_PLAIN);
	for (int s = 0; s < STEPS; s++) {
		double start = 0;
		bool ok = true;
		for (int i = -1; i < ROUNDS && ok; i++) {
			start = i == 0 ? now_us() : start;
			queue_step(r, (enum step)s, &plan);
			ok = sync_ok(r, names[s]);
		}
		row(r, ok, names[s], "%.1f us with its sync", (now_us() - start) / ROUNDS);
	}
}

/* ---- the other process ---- */

static void to_hex(char *out, const unsigned char *bytes)
{
	for (int i = 0; i < KS_CUDA_HANDLE; i++) {
		snprintf(out + 2 * i, 3, "%02x", bytes[i]);
	}
}

static void from_hex(unsigned char *out, const char *hex)
{
	for (int i = 0; i < KS_CUDA_HANDLE; i++) {
		unsigned v = 0;
		sscanf(hex + 2 * i, "%2x", &v);
		out[i] = (unsigned char)v;
	}
}

static void test_sharing(struct rig *r, const char *self, const char *library)
{
	unsigned char handles[2][KS_CUDA_HANDLE];
	char hex[2][2 * KS_CUDA_HANDLE + 1], text[KS_CUDA_TEXT] = "";
	int status = -1;
	if (r->api->share(r->c, r->a, handles[0], text) != 0 ||
		r->api->share(r->c, r->b, handles[1], text) != 0) {
		row(r, false, "export", "%s", text);
		return;
	}
	to_hex(hex[0], handles[0]);
	to_hex(hex[1], handles[1]);
	pid_t pid = fork();
	if (pid == 0) {
		execl(self, self, library, hex[0], hex[1], (char *)NULL);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	row(r, status == 0, "another process", "exit status %d",
		WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
}

static void time_side(struct rig *r, const struct ks_cuda_api *api, struct ks_cuda_side *s)
{
	double arm = 0, begin = 0, empty = 0, event = 0, arms[2] = {0, 0};
	char text[KS_CUDA_TEXT] = "";
	int code = 0;
	for (int i = -3; i < ROUNDS && code == 0; i++) {
		double ns = 0, t0 = now_us();
		code = api->side_arm(s, true);
		double t1 = now_us();
		code = code != 0 ? code : api->side_begin(s);
		double t2 = now_us();
		code = code != 0 ? code : api->side_empty(s);
		double t3 = now_us();
		api->side_end(s);
		int waited = api->side_wait(s, true);
		code = api->side_finish(s, waited, &ns, text);
		if (i >= 0) {
			arm += (t1 - t0) / ROUNDS;
			begin += (t2 - t1) / ROUNDS;
			empty += (t3 - t2) / ROUNDS;
			event += ns / 1000 / ROUNDS;
		}
		double t4 = now_us();
		api->side_arm(s, false);
		arms[0] += now_us() - t4;
	}
	row(r, code == 0, "  worker's steps", "flush %.1f us, no flush %.1f, event %.1f, empty "
		"launch and wait %.1f, by events %.1f %s", arm, arms[0] / (ROUNDS + 3), begin,
		empty, event, text);
}

static int other_process(const struct ks_cuda_api *api, char **hex)
{
	unsigned char handles[2][KS_CUDA_HANDLE];
	struct ks_cuda_side *s = NULL;
	struct rig r = {.api = api};
	char text[KS_CUDA_TEXT] = "";
	double start = now_us();
	from_hex(handles[0], hex[0]);
	from_hex(handles[1], hex[1]);
	int code = api->side_open(&s, handles, NULL, text);
	row(&r, code == 0, "  worker's context", "%.0f ms %s", (now_us() - start) / 1000, text);
	if (code == 0) {
		row(&r, api->side_base(s, 0) != NULL && api->side_base(s, 1) != NULL &&
			api->side_base(s, 0) != api->side_base(s, 1), "  both allocations", "%p %p",
			api->side_base(s, 0), api->side_base(s, 1));
		time_side(&r, api, s);
	}
	return r.failed == 0 && code == 0 ? 0 : 1;
}

static const struct ks_cuda_api *load(const char *library)
{
	ks_cuda_api_fn ask = NULL;
	void *lib = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
	void *found = lib != NULL ? dlsym(lib, "ks_cuda_api") : NULL;
	memcpy(&ask, &found, sizeof(ask));
	if (ask == NULL || ask()->version != KS_CUDA_API_VERSION) {
		printf("FAIL %s\n", ask == NULL ? dlerror() : "another version");
		return NULL;
	}
	return ask();
}

static int all_tests(struct rig *r, const char *self, const char *library)
{
	struct ks_cuda_info info;
	char text[KS_CUDA_TEXT] = "";
	double start = now_us();
	int code = r->api->open(&r->c, NULL, text);
	row(r, code == 0, "open", "%.0f ms %s", (now_us() - start) / 1000, text);
	if (code != 0) {
		return 1;
	}
	r->api->info(r->c, &info);
	row(r, info.sms > 0, "device", "%s %s sm_%d%d, %d SMs, L2 %.0f MB, %.0f GB, driver %d, "
		"runtime %d", info.uuid, info.name, info.major, info.minor, info.sms,
		(double)info.l2 / 1e6, (double)info.memory / 1e9, info.driver, info.runtime);
	r->a = r->api->alloc(r->c, BIG);
	r->b = r->api->alloc(r->c, BIG);
	r->x = calloc(1, BIG);
	r->y = calloc(1, BIG);
	row(r, r->a != NULL && r->b != NULL, "memory", "%p %p, %.1f GB in use", (void *)r->a,
		(void *)r->b, (double)r->api->used(r->c) / 1e9);
	test_draws(r);
	test_repeat(r);
	test_print(r);
	test_gap(r);
	for (int t = KS_FLOAT32; t <= KS_FLOAT8_E5M2; t++) {
		test_tally(r, (enum ks_dtype)t, false);
	}
	test_tally(r, KS_BFLOAT16, true);
	test_poison(r);
	costs(r);
	test_sharing(r, self, library);
	r->api->release(r->c, r->a);
	r->api->release(r->c, r->b);
	r->api->close(r->c);
	free(r->x);
	free(r->y);
	printf("%d rows, %d failed\n", r->rows, r->failed);
	return r->failed == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct rig r = {.api = argc > 1 ? load(argv[1]) : NULL};
	if (argc != 2 && argc != 4) {
		fputs("usage: selftest LIBRARY\n", stderr);
		return 2;
	}
	if (r.api == NULL) {
		return 3;
	}
	return argc == 4 ? other_process(r.api, argv + 2) : all_tests(&r, argv[0], argv[1]);
}
