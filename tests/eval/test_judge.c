/*
 * The judge end to end on a small problem: what is honest passes, what is not
 * gets a 0 with the reason, and the next scenario is judged all the same. Where
 * a check can be switched off, the same candidate shows that it is this check
 * which catches it.
 */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "harness.h"

static const char *judge_path, *worker_path;

static int open_setup(void **state)
{
	struct setup *s = ks_zalloc(1, sizeof(*s));
	setup_init(s, judge_path, worker_path);
	*state = s;
	return 0;
}

static int close_setup(void **state)
{
	struct setup *s = *state;
	assert_int_equal(count_processes(s), 0);
	setup_fini(s);
	free(s);
	return 0;
}

static void assert_has(const char *text, const char *part)
{
	if (strstr(text, part) == NULL) {
		fail_msg("\"%s\" does not hold \"%s\"", text, part);
	}
}

static bool has_evidence(const struct outcome *o, const char *trigger)
{
	for (size_t i = 0; i < o->nevidence; i++) {
		if (strcmp(o->evidence[i], trigger) == 0) {
			return true;
		}
	}
	return false;
}

/* Both scenarios were judged and are right. */
static void assert_accepted(const struct outcome *o)
{
	assert_string_equal(o->error, "");
	assert_int_equal(o->exit_status, 0);
	assert_true(o->done);
	assert_int_equal(o->count, 2);
	for (size_t i = 0; i < o->count; i++) {
		assert_string_equal(o->scenarios[i].why, "");
		assert_true(o->scenarios[i].correct);
	}
}

/* A busy machine may leave too few calls to compare the clocks; that is said then. */
static void assert_faster(const struct scenario_line *s)
{
	if (!s->disturbed || strcmp(s->verdict, "unsure") != 0) {
		assert_string_equal(s->verdict, "faster");
	}
}

/* Both scenarios were judged and count 0 for this reason. */
static void assert_refused(const struct outcome *o, const char *why)
{
	assert_string_equal(o->error, "");
	assert_int_equal(o->exit_status, 0);
	assert_true(o->done);
	assert_int_equal(o->count, 2);
	for (size_t i = 0; i < o->count; i++) {
		assert_false(o->scenarios[i].correct);
		assert_has(o->scenarios[i].why, why);
		assert_true(o->scenarios[i].speedup == 0 && o->scenarios[i].hi == 0);
	}
	assert_true(o->geomean == 0);
}

static void refused(void **state, const char *source, const char *why)
{
	struct outcome o;
	run_request(&o, *state, &(struct request){.source = source});
	assert_refused(&o, why);
}

/* ---- honest ---- */

static void test_honest(void **state)
{
	struct outcome o;
	run_request(&o, *state, &(struct request){.source = "honest.c"});
	assert_accepted(&o);
	for (size_t i = 0; i < o.count; i++) {
		assert_true(o.scenarios[i].lo > 1.5);
		assert_true(o.scenarios[i].lo <= o.scenarios[i].speedup);
		assert_true(o.scenarios[i].speedup <= o.scenarios[i].hi);
		assert_faster(&o.scenarios[i]);
		assert_true(o.scenarios[i].pairs >= 12);
	}
	assert_true(o.geomean > 1.5);
	assert_int_equal(strlen(o.code_hash), 64);
	assert_false(has_evidence(&o, "repeat_only"));
}

static void test_workspace(void **state)
{
	struct outcome o;
	run_request(&o, *state, &(struct request){.source = "workspace.c"});
	assert_accepted(&o);
	assert_faster(&o.scenarios[0]);
}

static void test_identical(void **state)
{
	struct outcome o;
	run_request(&o, *state, &(struct request){.source = EVAL_DIR "/problem/seed.c"});
	assert_accepted(&o);
	for (size_t i = 0; i < o.count; i++) {
		assert_string_equal(o.scenarios[i].verdict, "same");
		assert_true(o.scenarios[i].lo < 1.05 && o.scenarios[i].hi > 0.95);
	}
}

/* The very same file on both sides: loaded once, and no fault of anybody. */
static void test_same_file(void **state)
{
	struct outcome o;
	run_request(&o, *state, &(struct request){.source = "honest.c", .object = "seed.so"});
	assert_accepted(&o);
	assert_string_equal(o.scenarios[0].verdict, "same");
}

static void test_no_entry(void **state)
{
	refused(state, "no_entry.c", "the candidate has no function blend");
}

static void test_no_perf(void **state)
{
	struct outcome o;
	run_request(&o, *state, &(struct request){.source = "honest.c", .no_perf = true});
	assert_accepted(&o);
	assert_true(o.scenarios[0].speedup == -1); /* not measured, not written */
}

static void test_threads(void **state)
{
	struct outcome o;
	refused(state, "threads.c", "the campaign allows one thread");
	run_request(&o, *state, &(struct request){.source = "threads.c", .define = "-pthread",
		.extra = ",\"threads\":2"});
	assert_accepted(&o);
	assert_true(o.scenarios[0].pairs > 0);
}

static void test_yardstick(void **state)
{
	struct setup *s = *state;
	struct outcome o;
	char extra[128];
	snprintf(extra, sizeof(extra), ",\"yardstick\":\"%s/reference.so\"", s->dir);
	run_request(&o, s, &(struct request){.source = "honest.c", .extra = extra});
	assert_accepted(&o);
	assert_true(o.scenarios[0].yard_speedup > 1);
}

/* What a yardstick cannot do costs the candidate nothing. */
static void test_bad_yardstick(void **state)
{
	static const struct {
		const char *source, *why;
	} rows[] = {
		{"wrong.c", "differ"}, {"crash.c", "crashed"}, {"returns.c", "differ"},
	};
	struct setup *s = *state;
	char extra[128];
	snprintf(extra, sizeof(extra), ",\"yardstick\":\"%s/yard.so\"", s->dir);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct outcome o;
		build_as(s, rows[i].source, "yard.so");
		run_request(&o, s, &(struct request){.source = "honest.c", .extra = extra});
		assert_accepted(&o);
		assert_true(o.scenarios[0].yard_speedup < 0);
		assert_has(o.scenarios[0].no_yard, rows[i].why);
		assert_true(o.scenarios[0].no_yard[0] != '\0');
	}
}

static void test_one_scenario(void **state)
{
	struct outcome o;
	run_request(&o, *state, &(struct request){.source = "honest.c",
		.scenarios = "\"even\"", .no_perf = true});
	assert_int_equal(o.count, 1);
	assert_string_equal(o.scenarios[0].name, "even");
}

/* Of those held out the mean says nothing. */
static void test_held_out(void **state)
{
	const struct setup *s = *state;
	struct outcome o;
	char path[160], extra[200];
	double sum = 0;
	struct ks_err err = KS_ERR_INIT;
	snprintf(path, sizeof(path), "%s/held.jsonl", s->dir);
	snprintf(extra, sizeof(extra), ",\"held_out\":\"%s\"", path);
	assert_int_equal(ks_file_write(path, KS_STR("{\"uuid\": \"tiny\", \"axes\": {\"n\": 3}, "
		"\"inputs\": {\"alpha\": {\"type\": \"scalar\", \"value\": 1.5}}}\n"), 0600, &err),
		0);
	run_request(&o, s, &(struct request){.source = "honest.c", .extra = extra});
	assert_true(o.done);
	assert_int_equal(o.count, 3);
	for (size_t i = 0; i < o.count; i++) {
		assert_true(o.scenarios[i].correct);
		sum += strcmp(o.scenarios[i].name, "tiny") == 0 ? 0 : log(o.scenarios[i].speedup);
	}
	assert_true(fabs(log(o.geomean) - sum / 2) < 1e-4);
}

/* ---- failing ---- */

static void test_crash(void **state)
{
	refused(state, "crash.c", "crashed: segmentation fault (write at 0x8)");
}

static void test_hang(void **state)
{
	struct outcome o;
	run_request(&o, *state, &(struct request){.source = "hang.c", .call_ms = 300});
	assert_refused(&o, "took longer than 300 ms");
}

static void test_exit(void **state)
{
	struct outcome o;
	refused(state, "exits.c", "imports exit");
	run_request(&o, *state, &(struct request){.source = "exits.c",
		.without = "\"imports\""});
	assert_int_equal(o.count, 2);
	assert_true(o.done);
	for (size_t i = 0; i < 2; i++) {
		const struct scenario_line *s = &o.scenarios[i];
		bool large = strcmp(s->name, "even") == 0;
		assert_int_equal(s->correct, !large);
		assert_has(s->why, large ? "ended the process itself (exit status 0)" : "");
	}
}

static void test_returns(void **state)
{
	struct outcome o;
	run_request(&o, *state, &(struct request){.source = "returns.c",
		.scenarios = "\"even\""});
	assert_int_equal(o.count, 1);
	assert_has(o.scenarios[0].why, "returned 7");
}

static void test_wrong(void **state)
{
	refused(state, "wrong.c", "elements of out differ");
}

static void test_nan(void **state)
{
	refused(state, "nan.c", "nan");
}

static void test_unwritten(void **state)
{
	refused(state, "unwritten.c", "elements of out differ");
}

static void test_imprecise(void **state)
{
	struct outcome o;
	refused(state, "imprecise.c", "less precise than the seed");
	run_request(&o, *state, &(struct request){.source = "imprecise.c",
		.without = "\"precision\"", .no_perf = true});
	assert_accepted(&o);
}

static void test_cache(void **state)
{
	struct outcome o;
	refused(state, "cache.c", "elements of out differ");
	run_request(&o, *state, &(struct request){.source = "cache.c",
		.without = "\"fresh\",\"move\",\"variants\",\"repeat\",\"pairs\",\"after\""});
	assert_int_equal(o.count, 2);
	assert_true(o.scenarios[0].correct && o.scenarios[0].speedup > 1.2);
}

static void test_input(void **state)
{
	refused(state, "input.c", "wrote to input x, which is read-only");
}

static void test_beside(void **state)
{
	struct outcome o;
	refused(state, "beside.c", "wrote behind the end of out");
	run_request(&o, *state, &(struct request){.source = "beside.c",
		.without = "\"gaps\",\"bounds\"", .no_perf = true});
	assert_accepted(&o);
}

static void test_behind(void **state)
{
	struct outcome o;
	refused(state, "behind.c", "out of bounds: read behind the end of x");
	run_request(&o, *state, &(struct request){.source = "behind.c",
		.without = "\"bounds\"", .no_perf = true});
	assert_accepted(&o);
}

/* ---- breaking out ---- */

static void test_constructor(void **state)
{
	struct outcome o;
	refused(state, "constructor.c", "has code that runs while it is loaded");
	run_request(&o, *state, &(struct request){.source = "constructor.c",
		.without = "\"constructors\"", .no_perf = true});
	assert_accepted(&o);
}

static void test_patch(void **state)
{
	refused(state, "patch.c", "crashed: segmentation fault");
}

/* Candidates that make system calls themselves do so by x86-64's numbers. */
static void needs_numbers(void)
{
#if !defined(__x86_64__)
	skip();
#endif
}

static void test_file(void **state)
{
	struct setup *s = *state;
	struct outcome o;
	char define[160], path[128];
	needs_numbers();
	snprintf(path, sizeof(path), "%s/outside", s->dir);
	snprintf(define, sizeof(define), "-DPATH=\"%s\"", path);
	struct request r = {.source = "file.c", .define = define, .no_perf = true};
	run_request(&o, s, &r);
	assert_refused(&o, "made a system call that a kernel may not make");
	assert_false(ks_file_exists(path));
	r.without = "\"syscalls\"";
	run_request(&o, s, &r);
	assert_accepted(&o); /* it may try; nothing comes of it */
	if (strstr(o.notes, "Landlock") == NULL || strstr(o.notes, "read-only") == NULL) {
		assert_false(ks_file_exists(path));
	}
	r.without = "\"syscalls\",\"files\"";
	run_request(&o, s, &r);
	assert_true(ks_file_exists(path)); /* so the walls are what held */
	unlink(path);
}

static void test_forks(void **state)
{
	struct setup *s = *state;
	struct outcome o;
	struct request r = {.source = "forks.c", .no_perf = true};
	needs_numbers();
	run_request(&o, s, &r);
	assert_refused(&o, "made a system call that a kernel may not make");
	assert_int_equal(count_processes(s), 0);
	r.without = "\"syscalls\"";
	run_request(&o, s, &r);
	assert_int_equal(count_processes(s), 0); /* the children went with the worker */
	r.without = "\"syscalls\",\"namespaces\"";
	run_request(&o, s, &r);
	assert_int_equal(count_processes(s), 0);
}

static void reach(void **state, int what, const char *without, const char *why)
{
	struct outcome o;
	char define[64];
	snprintf(define, sizeof(define), "-DREACH=%d -DVICTIM=\"/seed.so\"", what);
	run_request(&o, *state, &(struct request){.source = "reach.c", .define = define,
		.without = without, .scenarios = "\"odd\"", .no_perf = true});
	assert_string_equal(o.error, "");
	assert_int_equal(o.count, 1);
	assert_has(o.scenarios[0].why, why);
	assert_int_equal(o.scenarios[0].correct, why[0] == '\0');
}

/* Each wall alone holds what is behind it; without any the trick works. */
static void test_reach_code(void **state)
{
	needs_numbers();
	reach(state, 1, "\"imports\"", "made a system call");
	reach(state, 1, "\"syscalls\",\"files\",\"mdwe\"", "moved what was mapped");
	reach(state, 1, "\"syscalls\",\"files\",\"mdwe\",\"maps\"", "changed code or constants");
	reach(state, 1, "\"syscalls\",\"files\",\"mdwe\",\"text\",\"maps\"", "");
}

static void test_reach_variables(void **state)
{
	needs_numbers();
	reach(state, 2, "\"syscalls\",\"files\"", "changed the seed's own variables");
	reach(state, 2, "\"syscalls\",\"files\",\"seed-data\"", "");
}

/* With every wall open, the seed is slow beside the candidate; alone it is not. */
static void test_seed_alone(void **state)
{
	struct outcome o;
	struct request r = {.source = "reach.c", .define = "-DREACH=4 -DVICTIM=\"/seed.so\"",
		.without = "\"syscalls\",\"files\",\"seed-data\"", .scenarios = "\"even\"",
		.extra = ",\"confirm\":true"};
	needs_numbers();
	run_request(&o, *state, &r);
	assert_string_equal(o.error, "");
	assert_true(o.scenarios[0].correct && o.scenarios[0].speedup > 2);
	assert_true(has_evidence(&o, "seed_slowed"));
	r.without = "\"syscalls\",\"files\",\"seed-data\",\"alone\"";
	run_request(&o, *state, &r);
	assert_false(has_evidence(&o, "seed_slowed"));
	/* not confirming, but slower than the campaign knows it */
	r.without = "\"syscalls\",\"files\",\"seed-data\"";
	r.extra = ",\"usual\":{\"even\":1}";
	run_request(&o, *state, &r);
	assert_true(has_evidence(&o, "seed_slowed"));
	r = (struct request){.source = "honest.c", .scenarios = "\"even\"",
		.extra = ",\"confirm\":true"};
	run_request(&o, *state, &r);
	assert_true(o.scenarios[0].correct);
	assert_false(has_evidence(&o, "seed_slowed"));
}

static void test_reach_mapping(void **state)
{
	needs_numbers();
	reach(state, 3, "\"imports\"", "made a system call");
	reach(state, 3, "\"syscalls\"", "mapped something new");
	reach(state, 3, "\"syscalls\",\"maps\"", "");
}

static void test_takeover(void **state)
{
	struct outcome o;
	struct request r = {.source = "takeover.c", .define = "-I" SOURCE_DIR,
		.scenarios = "\"even\"", .without = "\"maps\""}; /* it maps the page again */
	needs_numbers();
	run_request(&o, *state, &r);
	assert_int_equal(o.count, 1);
	assert_has(o.scenarios[0].why, "the process after its call");
	r.without = "\"control\",\"maps\"";
	run_request(&o, *state, &r);
	assert_int_equal(o.count, 1);
	assert_true(o.scenarios[0].correct && o.scenarios[0].speedup > 2);
}

static void test_memory(void **state)
{
	struct outcome o;
	run_request(&o, *state, &(struct request){.source = "memory.c", .mem_mb = 64});
	assert_refused(&o, "memory had reached its limit of 64 MB");
}

/* ---- the judge itself ---- */

static void test_bad_jobs(void **state)
{
	struct outcome o;
	run_request(&o, *state, &(struct request){.source = "honest.c",
		.scenarios = "\"nowhere\""});
	assert_int_equal(o.exit_status, 2);
	assert_has(o.error, "no scenario is called \"nowhere\"");
	run_request(&o, *state, &(struct request){.source = "honest.c",
		.without = "\"everything\""});
	assert_int_equal(o.exit_status, 2);
	assert_has(o.error, "no check is called");
	run_request(&o, *state, &(struct request){.source = "honest.c",
		.extra = ",\"workers\":99"});
	assert_int_equal(o.exit_status, 2);
	assert_has(o.error, "$.workers");
}

static void test_evidence(void **state)
{
	struct outcome o;
	char extra[128];
	run_request(&o, *state, &(struct request){.source = "honest.c",
		.extra = ",\"probe\":{\"call_ns\":100000000}"});
	assert_accepted(&o);
	assert_false(has_evidence(&o, "floor")); /* not even the seed reaches it */
	assert_has(o.notes, "the probe was taken on a busy machine");
	const struct scenario_line *s = &o.scenarios[strcmp(o.scenarios[0].name, "even") != 0];
	assert_true(s->cand_us > 0 && s->cand_us < s->seed_us);
	snprintf(extra, sizeof(extra), ",\"previous\":{\"odd\":1.0},\"probe\":{\"call_ns\":%.0f}",
		1000 * sqrt(s->cand_us * s->seed_us)); /* between the two */
	run_request(&o, *state, &(struct request){.source = "honest.c", .extra = extra});
	assert_accepted(&o);
	assert_true(has_evidence(&o, "big_step"));
	assert_true(has_evidence(&o, "floor"));
}

static void test_memory_grows(void **state)
{
	struct outcome o;
	/* Of two calls in a row nothing is told, and a busy machine may make no more in 300 ms. */
	run_request(&o, *state, &(struct request){.source = "leaks.c", .budget_ms = 1200});
	assert_accepted(&o);
	assert_true(has_evidence(&o, "memory_grows"));
	run_request(&o, *state, &(struct request){.source = "workspace.c"});
	assert_false(has_evidence(&o, "memory_grows"));
}

/* Nothing outlives a judge that is killed while a candidate hangs. */
static void test_killed(void **state)
{
	struct setup *s = *state;
	struct request r = {.source = "hang.c"};
	pid_t judge = start_request(s, &r);
	for (int i = 0; i < 3000 && count_processes(s) < 3; i++) {
		usleep(20000);
	}
	assert_true(count_processes(s) >= 3); /* the judge and two workers */
	kill(judge, SIGKILL);
	waitpid(judge, NULL, 0);
	for (int i = 0; i < 3000 && count_processes(s) > 0; i++) {
		usleep(20000);
	}
	assert_int_equal(count_processes(s), 0);
}

/* A worker that is killed from outside is no fault of the candidate. */
static void test_worker_killed(void **state)
{
	struct setup *s = *state;
	struct outcome o;
	struct request r = {.source = "honest.c"};
	int killed = 0;
	pid_t judge = start_request(s, &r);
	for (int i = 0; i < 2000 && killed < 3; i++) { /* the reference's as well */
		usleep(i == 0 || killed == 0 ? 1000 : 10000);
		killed += kill_worker(s, killed == 0 ? "reference.so" : "candidate.so");
	}
	assert_int_equal(killed, 3);
	finish_request(&o, s, judge);
	assert_accepted(&o);
}

/* While somebody measures, the next one waits and says so; then it signs the lock. */
static void test_lock(void **state)
{
	struct setup *s = *state;
	struct outcome o;
	char path[160], signature[16] = "";
	snprintf(path, sizeof(path), "%s/kseek-cpu-0.lock", s->dir);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	struct request r = {.source = "honest.c", .no_perf = true};
	pid_t judge = start_request(s, &r);
	assert_true(has_written(s, "waiting: another evaluation"));
	close(fd);
	finish_request(&o, s, judge);
	assert_accepted(&o);
	assert_has(o.notes, "waiting: another evaluation");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(read(fd, signature, sizeof(signature) - 1), 11);
	close(fd);
	assert_true(strtol(signature, NULL, 10) > 0);
	unlink(path); /* what is no file of ours cannot say whose turn it is */
	assert_int_equal(mkfifo(path, 0600), 0);
	run_request(&o, s, &r);
	assert_int_not_equal(o.exit_status, 0);
	assert_has(o.error, "cannot open the device's lock");
	unlink(path);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_honest), cmocka_unit_test(test_workspace),
		cmocka_unit_test(test_identical), cmocka_unit_test(test_no_perf),
		cmocka_unit_test(test_same_file), cmocka_unit_test(test_no_entry),
		cmocka_unit_test(test_one_scenario),
		cmocka_unit_test(test_held_out), cmocka_unit_test(test_crash),
		cmocka_unit_test(test_threads), cmocka_unit_test(test_yardstick),
		cmocka_unit_test(test_bad_yardstick),
		cmocka_unit_test(test_hang), cmocka_unit_test(test_exit),
		cmocka_unit_test(test_returns), cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_nan), cmocka_unit_test(test_unwritten),
		cmocka_unit_test(test_imprecise), cmocka_unit_test(test_cache),
		cmocka_unit_test(test_input), cmocka_unit_test(test_beside),
		cmocka_unit_test(test_behind), cmocka_unit_test(test_constructor),
		cmocka_unit_test(test_patch), cmocka_unit_test(test_file),
		cmocka_unit_test(test_forks), cmocka_unit_test(test_memory),
		cmocka_unit_test(test_reach_code), cmocka_unit_test(test_reach_variables),
		cmocka_unit_test(test_seed_alone),
		cmocka_unit_test(test_reach_mapping), cmocka_unit_test(test_takeover),
		cmocka_unit_test(test_bad_jobs), cmocka_unit_test(test_evidence),
		cmocka_unit_test(test_lock), cmocka_unit_test(test_memory_grows),
		cmocka_unit_test(test_killed), cmocka_unit_test(test_worker_killed),
	};
	if (argc != 3) {
		fputs("usage: test_judge JUDGE WORKER\n", stderr);
		return 2;
	}
	judge_path = argv[1];
	worker_path = argv[2];
	return cmocka_run_group_tests(tests, open_setup, close_setup);
}
