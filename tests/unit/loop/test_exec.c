/* kseek-exec, run as the children of the loop run it. */
#include "spin.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "loop/child.h"
#include "loop/proc.h"

struct run {
	struct ks_child *child;
	struct ks_buf out;
	int exited, pieces;
	struct ks_child_exit how;
};

static void on_output(void *ctx, int fd, struct ks_str bytes, bool cut)
{
	struct run *run = ctx;

	ks_buf_addstr(&run->out, bytes);
	run->pieces++;
}

static void on_exit_(void *ctx, const struct ks_child_exit *how)
{
	struct run *run = ctx;

	run->exited = 1;
	run->how = *how;
}

static void run_argv(struct run *run, const char *const *argv, const struct ks_limits *limits)
{
	struct ks_loop *loop = loop_or_fail();
	struct ks_child_spec spec = {.argv = argv, .output = on_output, .exited = on_exit_,
		.ctx = run};
	struct ks_err err = KS_ERR_INIT;

	*run = (struct run){0};
	if (limits != NULL) {
		spec.exec = getenv("KSEEK_EXEC");
		spec.limits = *limits;
	}
	assert_int_equal(ks_child_start(&run->child, loop, &spec, &err), 0);
	assert_true(spin(loop, &run->exited, 1));
	ks_child_free(run->child);
	ks_loop_free(loop);
	ks_buf_addc(&run->out, '\0');
}

#define SH(text) (const char *const[]){"sh", "-c", (text), NULL}

static void test_limits(void **state)
{
	struct run run;
	struct ks_limits limits = {.mem_mb = 300, .file_mb = 5, .cpu_s = 9, .nofile = 50};

	run_argv(&run, SH("ulimit -v; ulimit -f; ulimit -t; ulimit -n; ulimit -c"), &limits);
	assert_int_equal(run.how.status, 0);
	assert_string_equal(run.out.ptr, "307200\n10240\n9\n50\n0\n");
	ks_buf_fini(&run.out);
	run_argv(&run, SH("dd if=/dev/zero of=/tmp/kseek-exec-$$ bs=1M count=6 2>/dev/null; "
		"rm /tmp/kseek-exec-$$"), &limits);
	assert_true(run.how.status != 0 || run.how.signal != 0 || run.out.len > 0);
	ks_buf_fini(&run.out);
}

static void test_clean_process(void **state)
{
	struct run run;
	struct ks_limits limits = {0};
	sigset_t block, before;
	int left = open("/dev/null", O_RDONLY); /* without close-on-exec */

	sigemptyset(&block);
	sigaddset(&block, SIGUSR1);
	sigprocmask(SIG_BLOCK, &block, &before);
	signal(SIGHUP, SIG_IGN);
	run_argv(&run, SH("ls /proc/self/fd | tr '\\n' ' '; for k in NoNewPrivs SigBlk SigIgn; "
		"do grep ^$k: /proc/self/status; done | tr -d '\\t\\n'"),
		&limits);
	signal(SIGHUP, SIG_DFL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(left);
	/* 3 is the folder that ls reads */
	assert_string_equal(run.out.ptr, "0 1 2 3 NoNewPrivs:1"
		"SigBlk:0000000000000000SigIgn:0000000000000000");
	ks_buf_fini(&run.out);
}

static void test_not_there(void **state)
{
	struct run run;
	struct ks_limits limits = {0};

	run_argv(&run, (const char *const[]){"/no/such/program", NULL}, &limits);
	assert_int_equal(run.how.status, 127);
	assert_non_null(strstr(run.out.ptr, "kseek-exec: cannot run: /no/such/program: "));
	ks_buf_fini(&run.out);
	run_argv(&run, (const char *const[]){"/etc/passwd", NULL}, &limits);
	assert_int_equal(run.how.status, 126);
	ks_buf_fini(&run.out);
}

/* Nothing below a hidden folder is read, by whatever path; beside it all is. */
static void test_hidden(void **state)
{
	char top[] = "/tmp/kseek-hide-XXXXXX", text[600];
	struct run run;

	assert_non_null(mkdtemp(top));
	snprintf(text, sizeof(text), "cd %s && mkdir -p home/deep/shown beside && echo secret "
		">home/deep/f && echo plain >home/deep/shown/f && echo plain >beside/f && "
		"ln -s home/deep/f link && ln -s home shortcut", top);
	run_argv(&run, SH(text), NULL);
	assert_int_equal(run.how.status, 0);
	ks_buf_fini(&run.out);
	char *hidden = ks_asprintf("%s/shortcut", top),
		*shown = ks_asprintf("%s/home/deep/shown", top);
	struct ks_limits limits = {.hide = (const char *const[]){hidden, "/no/such", "/", NULL},
		.show = (const char *const[]){shown, "/no/such/either", NULL}};
	snprintf(text, sizeof(text),
		"cd %s; cat home/deep/f link shortcut/deep/f home/../home/deep/f; "
		"ls home; echo new >home/new; cat beside/f home/deep/shown/f", top);
	run_argv(&run, SH(text), &limits);
	assert_null(strstr(run.out.ptr, "secret"));
	assert_null(strstr(run.out.ptr, "deep\n"));
	assert_non_null(strstr(run.out.ptr, "plain\nplain\n"));
	assert_int_equal(run.how.status, 0);
	ks_buf_fini(&run.out);
	snprintf(text, sizeof(text), "rm -r %s", top);
	run_argv(&run, SH(text), NULL);
	ks_buf_fini(&run.out);
	free(hidden);
	free(shown);
}

static void test_options(void **state)
{
	const char *exec = getenv("KSEEK_EXEC");
	struct run run;

	run_argv(&run, (const char *const[]){exec, "--chdir", "/usr", "--env", "A=b=c", "--",
		"sh", "-c", "pwd; echo $A", NULL}, NULL);
	assert_string_equal(run.out.ptr, "/usr\nb=c\n");
	ks_buf_fini(&run.out);
	static const char *const wrong[][3] = {
		{"--mem", "12x", "not a number after --mem"}, {"--mem", "-1", "not a number"},
		{"--env", "novalue", "not understood: --env"},
			{"--what", "1", "not understood: --what"},
		{"--", NULL, "no program"}, {"--chdir", "/no/where", "no program"},
		{"--hide", "relative", "not understood: --hide"},
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		run_argv(&run, (const char *const[]){exec, wrong[i][0], wrong[i][1], NULL}, NULL);
		assert_int_equal(run.how.status, 125);
		assert_non_null(strstr(run.out.ptr, wrong[i][2]));
		ks_buf_fini(&run.out);
	}
	run_argv(&run, (const char *const[]){exec, "--chdir", "/no/where", "--", "true", NULL},
		NULL);
	assert_int_equal(run.how.status, 125);
	assert_non_null(strstr(run.out.ptr, "cannot enter: /no/where"));
	ks_buf_fini(&run.out);
}

static void test_no_net(void **state)
{
	struct run run;
	struct ks_limits limits = {.no_net = true};

	run_argv(&run, SH("echo $KSEEK_NET $(grep -c : /proc/net/dev)"), &limits);
	assert_int_equal(run.how.status, 0);
	/* Where the system forbids namespaces the program is told so. */
	assert_true(strcmp(run.out.ptr, "off 1\n") == 0 || strncmp(run.out.ptr, "on ", 3) == 0);
	ks_buf_fini(&run.out);
}

/* The child of a process that is killed dies with it. */
static void test_parent_death(void **state)
{
	int ends[2];
	char text[32] = "";
	pid_t parent, grandchild;
	struct ks_proc proc;
	bool dead = false;

	assert_int_equal(pipe(ends), 0);
	parent = fork();
	if (parent == 0) {
		struct ks_loop *loop = NULL;
		struct ks_child *child = NULL;
		struct ks_limits limits = {.pdeathsig = true};
		struct ks_child_spec spec = {.argv = SH("exec sleep 69"),
			.exec = getenv("KSEEK_EXEC"), .limits = limits};

		if (ks_loop_new(&loop, NULL) == 0 &&
			ks_child_start(&child, loop, &spec, NULL) == 0) {
			dprintf(ends[1], "%d\n", (int)ks_child_pid(child));
			ks_loop_run(loop);
		}
		_exit(1);
	}
	close(ends[1]);
	assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
	close(ends[0]);
	grandchild = (pid_t)strtol(text, NULL, 10);
	for (int i = 0; i < 12000; i++) { /* until the stub has become the program */
		char path[64], name[32] = "";
		int fd;

		snprintf(path, sizeof(path), "/proc/%d/comm", (int)grandchild);
		fd = open(path, O_RDONLY);
		assert_true(fd >= 0 && read(fd, name, sizeof(name) - 1) > 0);
		close(fd);
		if (strcmp(name, "sleep\n") == 0) {
			break;
		}
		usleep(5000);
	}
	kill(parent, SIGKILL);
	waitpid(parent, NULL, 0);
	for (int i = 0; i < 12000 && !dead; i++) {
		dead = ks_proc_get(&proc, grandchild, NULL) < 0 || proc.state == 'Z';
		usleep(5000);
	}
	assert_true(dead);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_clean_process),
		cmocka_unit_test(test_not_there),
		cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_no_net),
		cmocka_unit_test(test_parent_death),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
