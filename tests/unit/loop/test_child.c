/* Children: output, input, exit, time limit, staged ending, descendants. */
#include "spin.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "loop/child.h"
#include "loop/proc.h"

struct run {
	struct ks_child *child;
	struct ks_buf out, err;
	int lines, cut, exited;
	struct ks_child_exit how;
};

static void on_output(void *ctx, int fd, struct ks_str bytes, bool cut)
{
	struct run *run = ctx;

	ks_buf_addstr(fd == 1 ? &run->out : &run->err, bytes);
	if (fd == 1) {
		run->lines++;
	}
	run->cut += cut;
}

static void on_line(void *ctx, int fd, struct ks_str bytes, bool cut)
{
	struct run *run = ctx;

	on_output(ctx, fd, bytes, cut);
	ks_buf_addc(fd == 1 ? &run->out : &run->err, '|');
}

static void on_exit_(void *ctx, const struct ks_child_exit *how)
{
	struct run *run = ctx;

	run->exited++;
	run->how = *how;
}

static struct ks_child_spec spec_of(struct run *run, const char *const *argv)
{
	*run = (struct run){0};
	return (struct ks_child_spec){.argv = argv, .output = on_output,
		.exited = on_exit_, .ctx = run};
}

static void run_fini(struct run *run)
{
	ks_child_free(run->child);
	ks_buf_fini(&run->out);
	ks_buf_fini(&run->err);
}

static void start(struct ks_loop *loop, struct run *run, const struct ks_child_spec *spec)
{
	struct ks_err err = KS_ERR_INIT;

	assert_int_equal(ks_child_start(&run->child, loop, spec, &err), 0);
}

static void finish(struct ks_loop *loop, struct run *run, const struct ks_child_spec *spec)
{
	start(loop, run, spec);
	assert_true(spin(loop, &run->exited, 1));
}

#define SH(text) (const char *const[]){"sh", "-c", (text), NULL}

/* A number that a child wrote. */
static pid_t pid_in(const struct ks_buf *buf)
{
	assert_true(buf->len > 0);
	return (pid_t)strtol(buf->ptr, NULL, 10);
}

static bool gone(pid_t pid)
{
	int64_t end = ks_clock_mono_us() + PATIENCE_US;
	struct ks_proc proc;

	while (ks_clock_mono_us() < end) {
		if (ks_proc_get(&proc, pid, NULL) < 0 || proc.state == 'Z') {
			return true;
		}
		usleep(5000);
	}
	return false;
}

/* Everything inherited is reaped by the loop: we have no children left. */
static bool childless(struct ks_loop *loop)
{
	int64_t end = ks_clock_mono_us() + PATIENCE_US;
	siginfo_t info;

	while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0) {
		if (ks_clock_mono_us() >= end) {
			return false;
		}
		ks_loop_turn(loop, 20);
	}
	return errno == ECHILD;
}

static void test_output_and_status(void **state)
{
	struct ks_loop *loop = loop_or_fail();
	struct run run;
	struct ks_child_spec spec = spec_of(&run,
		SH("echo out; echo err >/dev/stderr; echo more >/dev/stdout; exit 7"));

	finish(loop, &run, &spec);
	assert_string_equal(run.out.ptr, "out\nmore\n");
	assert_string_equal(run.err.ptr, "err\n");
	assert_int_equal(run.how.status, 7);
	assert_int_equal(run.how.signal, 0);
	assert_false(run.how.timed_out);
	assert_int_equal(ks_child_pid(run.child), 0);
	run_fini(&run);
	ks_loop_free(loop);
}

static void test_merged_output(void **state)
{
	struct ks_loop *loop = loop_or_fail();
	struct run run;
	struct ks_child_spec spec = spec_of(&run,
		SH("for i in 1 2 3 4; do echo out $i; echo err $i >&2; done"));

	spec.merge = true;
	finish(loop, &run, &spec);
	assert_string_equal(run.out.ptr,
		"out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\nout 4\nerr 4\n");
	assert_int_equal(run.err.len, 0);
	run_fini(&run);
	ks_loop_free(loop);
}

static void test_lines_are_cut(void **state)
{
	struct ks_loop *loop = loop_or_fail();
	struct run run;
	struct ks_child_spec spec = spec_of(&run,
		SH("echo short; echo 0123456789abcdef; echo; printf tail"));

	spec.line_max = 10;
	spec.output = on_line;
	finish(loop, &run, &spec);
	assert_string_equal(run.out.ptr, "short|0123456789||tail|");
	assert_int_equal(run.cut, 1);
	run_fini(&run);
	ks_loop_free(loop);
}

static void test_session_and_tty(void **state)
{
	struct ks_loop *loop = loop_or_fail();
	struct run run;
	struct ks_child_spec spec = spec_of(&run,
		SH("[ $(ps -o sid= -p $$) = $$ ] && echo own; cat; : </dev/tty && echo tty"));

	finish(loop, &run, &spec);
	assert_string_equal(run.out.ptr, "own\n"); /* stdin is empty, no terminal */
	run_fini(&run);
	ks_loop_free(loop);
}

static void test_input(void **state)
{
	struct ks_loop *loop = loop_or_fail();
	struct run run;
	struct ks_err err = KS_ERR_INIT;
	struct ks_buf big = {0};
	struct ks_child_spec spec = spec_of(&run, SH("wc -c"));

	for (int i = 0; i < 30000; i++) {
		ks_buf_adds(&big, "0123456789");
	}
	spec.in = KS_CHILD_IN_TEXT;
	spec.in_text = ks_buf_str(&big);
	finish(loop, &run, &spec);
	assert_int_equal(strtol(run.out.ptr, NULL, 10), 300000);
	run_fini(&run);

	spec = spec_of(&run, SH("read a; echo got $a; cat"));
	spec.in = KS_CHILD_IN_PIPE;
	start(loop, &run, &spec);
	assert_int_equal(ks_child_write(run.child, KS_STR("one\n"), &err), 0);
	assert_true(spin(loop, &run.lines, 1));
	assert_string_equal(run.out.ptr, "got one\n");
	assert_int_equal(ks_child_write(run.child, KS_STR("two\n"), &err), 0);
	ks_child_close_stdin(run.child);
	assert_true(ks_child_write(run.child, KS_STR("late"), &err) < 0);
	assert_true(spin(loop, &run.exited, 1));
	assert_string_equal(run.out.ptr, "got one\ntwo\n");
	run_fini(&run);
	ks_buf_fini(&big);
	ks_loop_free(loop);
}

static void test_writes_to_one_that_does_not_read(void **state)
{
	struct ks_loop *loop = loop_or_fail();
	struct run run;
	struct ks_err err = KS_ERR_INIT;
	struct ks_child_spec spec = spec_of(&run, SH("sleep 60"));
	char *chunk = ks_zalloc(1, 1 << 20);
	int rc = 0;

	spec.in = KS_CHILD_IN_PIPE;
	start(loop, &run, &spec);
	for (int i = 0; i < 20 && rc == 0; i++) {
		rc = ks_child_write(run.child, (struct ks_str){chunk, 1 << 20}, &err);
	}
	assert_int_equal(rc, KS_ELIMIT);
	free(chunk);
	run_fini(&run);
	ks_loop_free(loop);
}

static void test_environment(void **state)
{
	struct ks_loop *loop = loop_or_fail();
	struct run run;
	struct ks_child_spec spec = spec_of(&run,
		SH("echo $KS_TEST_SECRET,$TERM,$EXTRA,${PATH:+path},${KSEEK_CHILD%%/*}; pwd"));
	struct ks_env *env;

	setenv("KS_TEST_SECRET", "leak", 1);
	env = ks_env_clean();
	ks_env_set(env, "EXTRA", "first");
	ks_env_set(env, "EXTRA", "second");
	spec.env = ks_env_list(env);
	spec.mark = "mine";
	spec.cwd = "/";
	finish(loop, &run, &spec);
	assert_string_equal(run.out.ptr, ",dumb,second,path,mine\n/\n");
	run_fini(&run);
	ks_env_free(env);
	ks_env_free(NULL);
	unsetenv("KS_TEST_SECRET");
	ks_loop_free(loop);
}

static void test_cannot_start(void **state)
{
	struct ks_loop *loop = loop_or_fail();
	struct run run;
	struct ks_err err = KS_ERR_INIT;
	struct ks_child *child = NULL;
	struct ks_child_spec spec = spec_of(&run, (const char *const[]){"/no/such", NULL});

	assert_int_equal(ks_child_start(&child, loop, &spec, &err), KS_ENOTFOUND);
	assert_non_null(strstr(err.msg, "/no/such"));
	ks_err_clear(&err);
	spec.argv = (const char *const[]){"/etc/passwd", NULL};
	assert_int_equal(ks_child_start(&child, loop, &spec, &err), KS_EDENIED);
	ks_err_clear(&err);
	spec.argv = SH("true");
	spec.cwd = "/no/folder";
	assert_int_equal(ks_child_start(&child, loop, &spec, &err), KS_ENOTFOUND);
	assert_non_null(strstr(err.msg, "/no/folder"));
	assert_null(child);
	spin_for(loop, 20);
	assert_int_equal(run.exited, 0);
	ks_loop_free(loop);
}

static void test_time_limit(void **state)
{
	struct ks_loop *loop = loop_or_fail();
	struct run run;
	struct ks_child_spec spec = spec_of(&run,
		SH("trap 'echo asked' TERM; echo up; while :; do sleep 60 & wait; done"));

	/* The limit counts from the start: longer where that took longer. */
	spec.grace_ms = 500;
	for (spec.timeout_ms = 250; run.lines == 0 && spec.timeout_ms < 60000;) {
		run_fini(&run);
		run = (struct run){0};
		spec.timeout_ms *= 2;
		finish(loop, &run, &spec);
	}
	assert_true(run.how.timed_out);
	assert_false(run.how.stopped);
	assert_int_equal(run.how.signal, SIGKILL); /* it ignored TERM */
	assert_int_equal(run.how.status, -1);
	assert_string_equal(run.out.ptr, "up\nasked\n");
	assert_true(run.how.ms >= spec.timeout_ms + 490);
	run_fini(&run);
	ks_loop_free(loop);
}

static void test_stop(void **state)
{
	struct ks_loop *loop = loop_or_fail();
	struct run run;
	struct ks_child_spec spec = spec_of(&run,
		SH("trap 'echo bye; exit 3' TERM; echo up; while :; do sleep 0.05; done"));

	start(loop, &run, &spec);
	assert_true(spin(loop, &run.lines, 1));
	ks_child_stop(run.child);
	ks_child_stop(run.child);
	assert_true(spin(loop, &run.exited, 1));
	assert_true(run.how.stopped);
	assert_int_equal(run.how.status, 3);
	assert_string_equal(run.out.ptr, "up\nbye\n");
	ks_child_stop(run.child);
	run_fini(&run);
	ks_loop_free(loop);
}

/* A descendant that left session, group and parents is still found. */
static void test_sweep(void **state)
{
	static const char *const scripts[] = {
		"sleep 61 & echo $!",
		"setsid sleep 62 & echo $!",
		"p=$( (setsid sh -c 'echo $$; exec sleep 63 >/dev/null' &) | head -n 1); echo $p",
		/* without our mark, but by its session */
		"(env -i /bin/sleep 64 & echo $!)",
	};
	struct ks_loop *loop = loop_or_fail();

	assert_int_equal(ks_child_subreaper(loop, NULL), 0);
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		struct run run;
		struct ks_child_spec spec = spec_of(&run, SH(scripts[i]));

		finish(loop, &run, &spec);
		assert_int_equal(run.how.status, 0);
		assert_int_equal(run.how.swept, 1);
		assert_true(gone(pid_in(&run.out)));
		run_fini(&run);
	}
	assert_true(childless(loop));
	ks_loop_free(loop);
}

static void test_sweep_at_stop(void **state)
{
	struct ks_loop *loop = loop_or_fail();
	struct run run;
	/* Clean environment and own session: only its parents tell. */
	struct ks_child_spec spec = spec_of(&run,
		SH("env -i setsid /bin/sleep 65 & echo $!; wait"));
	pid_t pid;

	assert_int_equal(ks_child_subreaper(loop, NULL), 0);
	start(loop, &run, &spec);
	assert_true(spin(loop, &run.lines, 1));
	pid = pid_in(&run.out);
	usleep(50000);
	assert_true(ks_child_owns(run.child, pid));
	assert_true(ks_child_owns(run.child, ks_child_pid(run.child)));
	assert_false(ks_child_owns(run.child, getpid()));
	ks_child_stop(run.child);
	assert_true(spin(loop, &run.exited, 1));
	assert_true(gone(pid));
	run_fini(&run);
	ks_loop_free(loop);
}

static void test_keep_descendants(void **state)
{
	struct ks_loop *loop = loop_or_fail();
	struct run run;
	struct ks_child_spec spec = spec_of(&run, SH("sleep 66 & echo $!"));
	struct ks_proc proc;
	pid_t pid;

	assert_int_equal(ks_child_subreaper(loop, NULL), 0);
	spec.keep_descendants = true;
	finish(loop, &run, &spec); /* although the pipe is held open */
	pid = pid_in(&run.out);
	assert_int_equal(ks_proc_get(&proc, pid, NULL), 0);
	assert_true(ks_child_owns(run.child, pid));
	assert_int_equal(ks_child_sweep_orphans(loop), 1);
	assert_true(gone(pid));
	run_fini(&run);
	ks_loop_free(loop);
}

static void test_free_while_running(void **state)
{
	struct ks_loop *loop = loop_or_fail();
	struct run run;
	struct ks_child_spec spec = spec_of(&run, SH("setsid sleep 67 & echo $!; sleep 67"));
	pid_t pid, child;

	start(loop, &run, &spec);
	assert_true(spin(loop, &run.lines, 1));
	pid = pid_in(&run.out);
	child = ks_child_pid(run.child);
	run_fini(&run);
	assert_true(gone(pid));
	assert_true(gone(child));
	spin_for(loop, 50);
	assert_int_equal(run.exited, 0);
	ks_loop_free(loop);
}

static void test_kill_marked(void **state)
{
	struct ks_loop *loop = loop_or_fail();
	struct run run;
	struct ks_child_spec spec = spec_of(&run, SH("setsid sleep 68 & echo $!"));
	pid_t pid;

	spec.keep_descendants = true;
	spec.mark = "kseek-test-marked";
	finish(loop, &run, &spec);
	pid = pid_in(&run.out);
	assert_true(ks_proc_marked(pid, "kseek-test-marked/"));
	assert_false(ks_proc_marked(pid, "kseek-test-other/"));
	assert_int_equal(ks_proc_kill_marked("kseek-test-marked/"), 1);
	assert_int_equal(ks_proc_kill_marked(""), 0);
	assert_true(gone(pid));
	run_fini(&run);
	ks_loop_free(loop);
}

/* Many at once, with orphans, and none is lost to the reaper. */
static void test_many(void **state)
{
	struct ks_loop *loop = loop_or_fail();
	struct run run[24];

	assert_int_equal(ks_child_subreaper(loop, NULL), 0);
	for (int i = 0; i < 24; i++) {
		struct ks_child_spec spec = spec_of(&run[i], SH("(true &); (true &); exit 5"));

		start(loop, &run[i], &spec);
	}
	for (int i = 0; i < 24; i++) {
		assert_true(spin(loop, &run[i].exited, 1));
		assert_int_equal(run[i].how.status, 5);
		run_fini(&run[i]);
	}
	assert_true(childless(loop));
	ks_loop_free(loop);
}

/* By a list, and of processes that live. */
static void test_below_by_the_chain_of_parents(void **state)
{
	const struct ks_proc list[] = {
		{.pid = 1}, {.pid = 5, .ppid = 1}, {.pid = 8, .ppid = 9}, {.pid = 9, .ppid = 5},
		{.pid = 20, .ppid = 21}, {.pid = 21, .ppid = 20},
	};
	size_t n = sizeof(list) / sizeof(list[0]);
	struct ks_proc *now = NULL;
	size_t count = 0;

	(void)state;
	assert_true(ks_proc_below(list, n, 8, 5));
	assert_true(ks_proc_below(list, n, 5, 5));
	assert_false(ks_proc_below(list, n, 5, 8));
	assert_false(ks_proc_below(list, n, 7, 5));
	assert_false(ks_proc_below(list, n, 20, 5)); /* pids that were given anew: a ring */
	assert_false(ks_proc_below(NULL, 0, 8, 5));
	assert_int_equal(ks_proc_list(&now, &count, NULL), 0);
	assert_true(ks_proc_below(now, count, getpid(), getppid()));
	assert_false(ks_proc_below(now, count, getppid(), getpid()));
	free(now);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_output_and_status),
		cmocka_unit_test(test_merged_output),
		cmocka_unit_test(test_lines_are_cut),
		cmocka_unit_test(test_session_and_tty),
		cmocka_unit_test(test_input),
		cmocka_unit_test(test_writes_to_one_that_does_not_read),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_cannot_start),
		cmocka_unit_test(test_time_limit),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_sweep),
		cmocka_unit_test(test_sweep_at_stop),
		cmocka_unit_test(test_keep_descendants),
		cmocka_unit_test(test_free_while_running),
		cmocka_unit_test(test_kill_marked),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_below_by_the_chain_of_parents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
