/* Slots, placement, memory files, names of checks, the job's reading. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "eval/arena.h"
#include "eval/checks.h"
#include "eval/copies.h"
#include "eval/flush.h"
#include "eval/job.h"

static void make_case(struct ks_case *c, struct ks_arg *args)
{
	memset(c, 0, sizeof(*c));
	memset(args, 0, 5 * sizeof(*args));
	args[0] = (struct ks_arg){.name = "x", .kind = KS_ARG_INPUT, .count = 1000, .bytes = 4000};
	args[1] = (struct ks_arg){.name = "none", .kind = KS_ARG_INPUT, .absent = true};
	args[2] = (struct ks_arg){.name = "out", .kind = KS_ARG_OUTPUT, .count = 3, .bytes = 12};
	args[3] = (struct ks_arg){.name = "n", .kind = KS_ARG_AXIS, .dtype = KS_INT64,
		.ivalue = 77};
	args[4] = (struct ks_arg){.name = "s", .kind = KS_ARG_SCALAR, .dtype = KS_FLOAT32,
		.fvalue = 0.5};
	c->args = args;
	c->count = 5;
	c->uuid = (char *)(uintptr_t)"case";
}

static void test_layout(void **state)
{
	struct ks_case c;
	struct ks_arg args[5];
	struct ks_layout l;
	struct ks_err err = KS_ERR_INIT;
	(void)state;
	make_case(&c, args);
	assert_int_equal(ks_layout_init(&l, &c, false, &err), 0);
	assert_int_equal(l.nslots, 2);
	assert_int_equal(l.nargs, 5);
	assert_int_equal(l.slots[0].out, KS_SLOT_IN);
	assert_int_equal(l.slots[1].out, KS_SLOT_OUT);
	assert_int_equal(l.args[1].slot, -1);
	assert_int_equal(l.args[3].type, KS_WT_INT64);
	assert_int_equal(l.args[3].value.i, 77);
	assert_int_equal(l.args[4].type, KS_WT_FLOAT);
	assert_true(l.args[4].value.d == 0.5);
	assert_true(l.in_need >= 4000 && l.out_need >= 12);
}

/* Wherever a tensor goes it stays in its slot, aligned, with its gaps. */
static void test_placement(void **state)
{
	struct ks_case c;
	struct ks_arg args[5];
	struct ks_layout l;
	uint64_t first = 0;
	bool moved = false;
	(void)state;
	make_case(&c, args);
	assert_int_equal(ks_layout_init(&l, &c, false, NULL), 0);
	for (uint32_t i = 0; i < 500; i++) {
		uint32_t words[4] = {i * 2654435761u, i * 40503u, i, ~i};
		uint64_t before, after;
		ks_layout_place(&l, i % 10 == 9 ? KS_PLACE_EDGE : KS_PLACE_RANDOM, words);
		for (unsigned s = 0; s < l.nslots; s++) {
			const struct ks_worker_arg *w = &l.args[l.arg_of[s]];
			assert_int_equal(w->off % KS_ALIGN, 0);
			assert_true(w->off + w->bytes <= l.slots[s].len);
			ks_layout_gaps(&l, s, &before, &after);
			assert_true(before == KS_GAP);
			assert_true(w->off + w->bytes + after <= l.slots[s].len);
			if (i % 10 == 9) {
				assert_true(l.slots[s].len - w->off - w->bytes < KS_ALIGN);
			} else {
				assert_true(after == KS_GAP);
			}
		}
		moved = moved || (i > 0 && l.args[0].off != first);
		first = l.args[0].off;
	}
	assert_true(moved);
}

static void test_sealed(void **state)
{
	struct ks_arena a = {.fd = -1};
	struct ks_err err = KS_ERR_INIT;
	bool sealed = false;
	(void)state;
	assert_int_equal(ks_arena_init(&a, "test", 8192, true, &sealed, &err), 0);
	a.at[100] = 7; /* ours can */
	if (sealed) {
		void *other = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, a.fd, 0);
		assert_true(other == MAP_FAILED);
		unsigned char *see = mmap(NULL, 8192, PROT_READ, MAP_SHARED, a.fd, 0);
		assert_true(see != MAP_FAILED);
		assert_int_equal(see[100], 7);
		assert_int_equal(mprotect(see, 8192, PROT_READ | PROT_WRITE), -1);
		munmap(see, 8192);
	}
	assert_int_equal(ftruncate(a.fd, 4096), -1);
	ks_arena_fini(&a);
	ks_arena_fini(&a);
}

static void test_checks(void **state)
{
	enum ks_check found;
	(void)state;
	assert_true(ks_check_parse(&found, "imports"));
	assert_int_equal(found, 0);
	assert_true(ks_check_parse(&found, "workers"));
	assert_int_equal(found, KS_CHECK_COUNT - 1);
	assert_false(ks_check_parse(&found, "nothing"));
}

static int load_text(struct ks_job *job, const char *text, struct ks_err *err)
{
	char path[] = "/tmp/kseek-job-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (int)strlen(text));
	close(fd);
	int code = ks_job_load(job, path, err);
	unlink(path);
	return code;
}

#define PATHS "\"problem\":\"/p\",\"seed\":\"/s\",\"reference\":\"/r\",\"candidate\":\"/c\"," \
	"\"worker\":\"/w\",\"scratch\":\"/x\",\"key\":\"00112233445566778899aabbccddeeff\""

static void test_job(void **state)
{
	struct ks_job job;
	struct ks_err err = KS_ERR_INIT;
	(void)state;
	assert_int_equal(load_text(&job, "{\"v\":1," PATHS ",\"scenarios\":[\"a\",\"b\"],"
		"\"bias\":{\"a\":0.01},\"without\":[\"gaps\"],"
		"\"probe\":{\"bandwidth_gbs\":10,\"fma_gflops\":{\"float32\":96}}}", &err), 0);
	assert_int_equal(job.nscenarios, 2);
	assert_int_equal(job.workers, 3);
	assert_true(job.perf);
	assert_true(job.half_width == 0.005);
	assert_true(ks_named_get(job.bias, job.nbias, "a", 0) == 0.01);
	assert_true(ks_named_get(job.bias, job.nbias, "b", 5) == 5);
	assert_false(ks_check_on(&job.checks, KS_CHECK_GAPS));
	assert_true(ks_check_on(&job.checks, KS_CHECK_PAIRS));
	assert_true(job.probe.peak_gflops[KS_FLOAT32] == 96);
	ks_job_fini(&job);
}

static void test_bad_job(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{"{}", "$.v"}, {"[1]", "$.v"}, {"{\"v\":1}", "$.problem"},
		{"{\"v\":1," PATHS ",\"target\":\"tpu\"}", "$.target"},
		{"{\"v\":1," PATHS ",\"target\":\"cuda\"}", "$.cuda"},
		{"{\"v\":1," PATHS ",\"target\":\"cuda\",\"cuda\":\"c.so\",\"devices\":[7]}",
			"$.devices[0]"},
		{"{\"v\":1," PATHS ",\"scenarios\":[1]}", "$.scenarios[0]"},
		{"{\"v\":1," PATHS ",\"scenarios\":\"a\"}", "$.scenarios"},
		{"{\"v\":1," PATHS ",\"threads\":0}", "$.threads"},
		{"{\"v\":1," PATHS ",\"half_width\":-1}", "$.half_width"},
		{"{\"v\":1," PATHS ",\"limits\":{\"mem_mb\":1}}", "$.mem_mb"},
		{"{\"v\":1", "expected"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ks_job job;
		struct ks_err err = KS_ERR_INIT;
		assert_int_not_equal(load_text(&job, rows[i].text, &err), 0);
		if (strstr(err.msg, rows[i].says) == NULL) {
			fail_msg("row %zu: \"%s\" does not say %s", i, err.msg, rows[i].says);
		}
	}
}

static void test_flush(void **state)
{
	static unsigned char buffer[10000];
	enum ks_flush kind = ks_flush_kind();
	(void)state;
	assert_string_not_equal(ks_flush_name(kind), "none");
	memset(buffer, 5, sizeof(buffer));
	ks_flush_range(kind, buffer + 3, sizeof(buffer) - 3);
	ks_flush_fence();
	ks_flush_sweep(buffer, 64);
	assert_int_equal(buffer[0], 6);
	for (size_t i = 1; i < sizeof(buffer); i++) {
		assert_int_equal(buffer[i], 5); /* evicted, not lost */
	}
}

/* Each worker's library is a file of its own with the same bytes, gone when it is
 * loaded; words about it name the original. */
static void test_copies(void **state)
{
	char dir[] = "/tmp/kseek-test-copies-XXXXXX";
	struct ks_copies c = {.count = 0};
	struct ks_err err = KS_ERR_INIT;
	struct ks_buf bytes = {0};
	struct stat a, b;
	(void)state;
	assert_non_null(mkdtemp(dir));
	char *lib = ks_path_join(dir, "k.so");
	assert_int_equal(ks_file_write(lib, KS_STR("machine code"), 0600, &err), 0);
	const char *one = ks_copies_add(&c, lib), *two = ks_copies_add(&c, lib);
	assert_string_not_equal(one, lib);
	assert_string_not_equal(one, two);
	assert_int_equal(ks_file_read(&bytes, one, 100, &err), 0);
	assert_true(ks_str_is(ks_buf_str(&bytes), "machine code"));
	assert_true(stat(one, &a) == 0 && stat(lib, &b) == 0 && a.st_ino != b.st_ino);
	ks_err_set(&err, KS_EINVAL, "cannot load %s: %s: too short", one, one);
	ks_copies_rename(&c, &err);
	char *want = ks_asprintf("cannot load %s: %s: too short", lib, lib);
	assert_string_equal(err.msg, want);
	char *missing = ks_path_join(dir, "none.so");
	assert_ptr_equal(ks_copies_add(&c, missing), missing); /* the loader will say it */
	ks_copies_fini(&c);
	assert_int_equal(unlink(lib), 0);
	assert_int_equal(rmdir(dir), 0); /* nothing else is left there */
	free(want);
	free(missing);
	free(lib);
	ks_buf_fini(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_layout), cmocka_unit_test(test_placement),
		cmocka_unit_test(test_sealed), cmocka_unit_test(test_checks),
		cmocka_unit_test(test_job), cmocka_unit_test(test_bad_job),
		cmocka_unit_test(test_flush),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
