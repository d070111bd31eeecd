/* kseek doctor: what this machine has of what kseek uses. */
#include <errno.h>
#include <linux/landlock.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/common.h"
#include "app/paths.h"
#include "app/subs.h"
#include "base/mem.h"

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif
#ifndef PR_MDWE_REFUSE_EXEC_GAIN
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

enum rating { GOOD, MISSING, BROKEN };

static const char *const ratings[] = {"ok", "absent", "BROKEN"};

static void
row(const char *what, enum rating rating, const char *text)
{
	printf("%-7s %-22s ", ratings[rating], what);
	ks_put(stdout, text, 0);
	fputc('\n', stdout);
}

/* Runs a try in a child, so that nothing of it stays. */
static bool
in_child(bool (*try)(void))
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		_exit(try() ? 0 : 1);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
		WEXITSTATUS(status) == 0;
}

static bool
try_namespaces(void)
{
	return unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWPID | CLONE_NEWNS) == 0;
}

static bool
try_mdwe(void)
{
	return prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) == 0;
}

static bool
try_landlock(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0;
}

static char *
which(const char *program)
{
	struct ks_str rest = ks_str_of(getenv("PATH")), dir;

	while (ks_str_next(&rest, ':', &dir)) {
		char *path = ks_asprintf("%.*s/%s", (int)(dir.len < 4000 ? dir.len : 0), dir.ptr, program);
		if (dir.len > 0 && access(path, X_OK) == 0) {
			return path;
		}
		free(path);
	}
	return NULL;
}

static void
tool(const char *program, const char *without)
{
	char *path = which(program);

	row(program, path != NULL ? GOOD : MISSING, path != NULL ? path : without);
	free(path);
}

static bool
check_parts(void)
{
	static const char *const programs[] = {"kseek-engine", "kseek-judge", "kseek-worker",
		"kseek-exec", NULL};
	static const char *const data[] = {"bank/core", "kernels/include", "scenarios", NULL};
	struct ks_err err = KS_ERR_INIT;
	bool good = true;

	for (int i = 0; programs[i] != NULL; i++) {
		char *path = NULL;
		bool found = ks_paths_program(&path, programs[i], &err) == 0;
		row(programs[i], found ? GOOD : BROKEN, found ? path : err.msg);
		good = good && found;
		ks_err_clear(&err);
		free(path);
	}
	for (int i = 0; data[i] != NULL; i++) {
		char *path = NULL;
		bool found = ks_paths_data(&path, data[i], &err) == 0;
		row(data[i], found ? GOOD : BROKEN, found ? path : err.msg);
		good = good && found;
		ks_err_clear(&err);
		free(path);
	}
	return good;
}

static int
run(const struct ks_sub *sub, int argc, char **argv)
{
	const struct ks_opt opts[] = {{0}};
	struct utsname u;
	int n = ks_args(sub, opts, argc, argv, NULL, 0, 0);

	if (n < 0) {
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	bool good = check_parts();
	char *cc = which("cc");
	row("compiler", cc != NULL ? GOOD : BROKEN, cc != NULL ? cc :
		"no cc: install gcc or clang; nothing can be evaluated without");
	good = good && cc != NULL;
	free(cc);
	if (uname(&u) == 0) {
		row("kernel", GOOD, u.release);
	}
	row("namespaces", in_child(try_namespaces) ? GOOD : MISSING,
		"user, mount, pid, ipc, net: what a candidate cannot see");
	row("landlock", in_child(try_landlock) ? GOOD : MISSING,
		"a candidate writes nowhere but in its scratch folder");
	row("mdwe", in_child(try_mdwe) ? GOOD : MISSING,
		"no candidate patches code in memory (else a system-call filter)");
	tool("git", "plain git shows candidates; kseek does not need it");
	tool("tmux", "used by the tests");
	tool("perf", "some questions need it and are hidden");
	tool("valgrind", "some questions need it and are hidden");
	tool("strace", "some questions need it and are hidden");
	tool("nvcc", "only for the cuda target");
	printf("%s\n", good ? "kseek can work here" : "something that kseek needs is missing: see BROKEN");
	return good ? KS_EXIT_OK : KS_EXIT_ENV;
}

const struct ks_sub ks_sub_doctor = {
	"doctor", "", "say what this machine has of what kseek uses", NULL, run
};
