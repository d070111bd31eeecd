/*
 * The shim's other end: a folder of links that stands first in the agent's PATH,
 * and a socket on which the programs behind them report. Only programs that are
 * there get a link, so that an agent that looks for one is not misled.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "engine/internal.h"

#define REPORT_MAX 16384
#define WORDS_MAX 256
#define RUNNING_MAX 64
#define PER_CALL 64   /* programs of one call that are told one by one */
#define PER_TURN 128  /* reports read before others have their turn    */

struct running {
	pid_t pid, ppid;
	int64_t t0;
	char call[64];
	char *text;
	char argv0[64];
};

struct ks_shim {
	struct ks_engine *e;
	int fd;
	char *socket, *dir;
	struct ks_fdwatch *watch;
	struct running running[RUNNING_MAX];
	size_t n_running;
	char last_call[64];
	int of_call;
	char *env[4];
};

static const char *const names[] = {"nvcc", "ncu", "nsys", "cuobjdump", "nvdisasm",
	"compute-sanitizer", "strace", "perf", "valgrind", "objdump", "cc", "gcc", "g++", "c++",
	"clang", "clang++", "kseek"};

/* ---- events ---- */

/* The call that a program runs under: the one that runs, of several the newest
 * that names it. */
static const char *call_of(const struct ks_state *s, const char *argv0)
{
	const struct ks_tool *newest = NULL, *named = NULL;

	for (int back = 1; back <= KS_TOOLS_KEPT && back <= s->calls; back++) {
		const struct ks_tool *t = &s->tools[(s->calls - back) % KS_TOOLS_KEPT];
		if (t->ended_t != 0) {
			continue;
		}
		newest = newest != NULL ? newest : t;
		named = named == NULL && strstr(t->title, argv0) != NULL ? t : named;
	}
	return named != NULL ? named->call : newest != NULL ? newest->call : "";
}

/* A script may compile a thousand files: the log need not know each. */
static bool is_too_many(struct ks_shim *shim, const char *call)
{
	if (strcmp(call, shim->last_call) != 0) {
		snprintf(shim->last_call, sizeof(shim->last_call), "%s", call);
		shim->of_call = 0;
	}
	if (++shim->of_call == PER_CALL + 1) {
		ks_engine_notice(shim->e, "quiet",
			"more than %d programs ran under one call; the rest is "
			"not told", PER_CALL);
	}
	return shim->of_call > PER_CALL;
}

static void tell(struct ks_shim *shim, struct running *r, int64_t ms, int status, int signum)
{
	struct ks_buf fields = {0};
	struct ks_jw w;

	if (!is_too_many(shim, r->call)) {
		ks_jw_members(&w, &fields);
		ks_jw_int(&w, "pid", r->pid);
		ks_jw_int(&w, "ppid", r->ppid);
		ks_jw_str(&w, "argv0", r->argv0);
		ks_jw_str(&w, "text", r->text);
		ks_jw_int(&w, "t0", r->t0);
		ks_jw_int(&w, "ms", ms);
		ks_jw_int(&w, "status", status);
		ks_jw_int(&w, "signal", signum);
		ks_jw_str(&w, "call", r->call);
		ks_engine_observe(shim->e, KS_EV_PROCESS_RAN, KS_BY_AGENT, ks_buf_str(&fields));
	}
	ks_buf_fini(&fields);
	free(r->text);
	*r = shim->running[--shim->n_running];
}

/* ---- reports ---- */

static int64_t number(const char *word)
{
	return strtoll(word, NULL, 10);
}

/* Words with what a shell would need quotes for, as a person would write them. */
static char *command_line(const char *const *words, size_t count)
{
	struct ks_buf text = {0};

	for (size_t i = 0; i < count; i++) {
		bool plain = words[i][0] != 0 && strpbrk(words[i], " \t\n'\"\\$&|;<>*?()`") == NULL;
		ks_buf_addf(&text, plain ? "%s%s" : "%s'%s'", i > 0 ? " " : "", words[i]);
	}
	return text.len > 0 ? ks_buf_take(&text) : ks_strdup("");
}

static void on_start(struct ks_shim *shim, const char *const *words, size_t count)
{
	if (count < 5 || shim->n_running == RUNNING_MAX) {
		return;
	}
	struct running *r = &shim->running[shim->n_running++];
	*r = (struct running){.pid = (pid_t)number(words[1]), .ppid = (pid_t)number(words[2]),
		.t0 = number(words[3]), .text = command_line(words + 4, count - 4)};
	snprintf(r->argv0, sizeof(r->argv0), "%s", ks_path_base(words[4]));
	snprintf(r->call, sizeof(r->call), "%s", call_of(&shim->e->state, r->argv0));
}

static void on_end(struct ks_shim *shim, const char *const *words, size_t count)
{
	for (size_t i = 0; count >= 5 && i < shim->n_running; i++) {
		if (shim->running[i].pid == (pid_t)number(words[1])) {
			tell(shim, &shim->running[i], number(words[2]), (int)number(words[3]),
				(int)number(words[4]));
			return;
		}
	}
}

/* What was killed without a word. */
static void sweep(struct ks_shim *shim)
{
	for (size_t i = shim->n_running; i-- > 0;) {
		if (kill(shim->running[i].pid, 0) < 0 && errno == ESRCH) {
			tell(shim, &shim->running[i], 0, -1, SIGKILL);
		}
	}
}

static void take(struct ks_shim *shim, char *bytes, size_t len)
{
	const char *words[WORDS_MAX];
	size_t count = 0, at = 0;

	if (len == 0 || bytes[len - 1] != 0) {
		return;
	}
	while (at < len && count < WORDS_MAX) {
		words[count++] = bytes + at;
		at += strlen(bytes + at) + 1;
	}
	if (strcmp(words[0], "S") == 0) {
		on_start(shim, words, count);
	} else if (strcmp(words[0], "E") == 0) {
		on_end(shim, words, count);
	}
}

static void on_ready(void *ctx, unsigned events)
{
	struct ks_shim *shim = ctx;
	char bytes[REPORT_MAX];

	for (int i = 0; i < PER_TURN; i++) {
		ssize_t n = recv(shim->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n <= 0) {
			break;
		}
		take(shim, bytes, (size_t)n);
	}
	if (shim->n_running > RUNNING_MAX / 2) {
		sweep(shim);
	}
}

/* ---- the folder and the socket ---- */

static bool is_there(const char *name)
{
	const char *path = getenv("PATH");
	struct ks_str rest = ks_str_of(path != NULL ? path : "/usr/bin:/bin"), dir;

	while (ks_str_next(&rest, ':', &dir)) {
		char *whole = ks_asprintf("%.*s/%s", KS_FMT(dir), name);
		bool found = access(whole, X_OK) == 0 && !ks_file_is_dir(whole);
		free(whole);
		if (found) {
			return true;
		}
	}
	return false;
}

static int make_folder(struct ks_shim *shim, const char *program, struct ks_err *err)
{
	int rc = ks_file_exists(shim->dir) ? ks_file_remove_tree(shim->dir, err) : 0;

	if (rc == 0) {
		rc = ks_file_mkdirs(shim->dir, 0755, err);
	}
	for (size_t i = 0; rc == 0 && i < sizeof(names) / sizeof(names[0]); i++) {
		char *link = ks_path_join(shim->dir, names[i]);
		bool wanted = strcmp(names[i], "kseek") == 0 || is_there(names[i]);
		if (wanted && symlink(program, link) < 0) {
			rc = ks_err_sys(err, errno, "%s", link);
		}
		free(link);
	}
	return rc;
}

static int make_socket(struct ks_shim *shim, struct ks_err *err)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};

	if (strlen(shim->socket) >= sizeof(at.sun_path)) {
		return ks_err_set(err, KS_ELIMIT, "%s: too long a path for a socket", shim->socket);
	}
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", shim->socket);
	unlink(shim->socket);
	shim->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (shim->fd < 0 || bind(shim->fd, (const struct sockaddr *)&at, sizeof(at)) < 0) {
		return ks_err_sys(err, errno, "%s", shim->socket);
	}
	return ks_fdwatch_new(&shim->watch, shim->e->loop, shim->fd, KS_FD_READ, on_ready, shim,
		err);
}

static void make_env(struct ks_shim *shim)
{
	const char *path = getenv("PATH");
	char *kseek = ks_path_dir(shim->e->opt.programs.kseek);

	shim->env[0] = ks_asprintf("PATH=%s:%s:%s", shim->dir, kseek,
		path != NULL ? path : "/usr/local/bin:/usr/bin:/bin");
	shim->env[1] = ks_asprintf("KSEEK_SHIM=%s", shim->socket);
	shim->env[2] = ks_asprintf("KSEEK_SHIM_DIR=%s", shim->dir);
	free(kseek);
}

void ks_shim_start(struct ks_engine *e)
{
	struct ks_shim *shim;
	struct ks_err err = KS_ERR_INIT;
	char *folder = ks_path_dir(e->opt.programs.exec);
	char *program = ks_path_join(folder, "kseek-shim");
	int rc = 0;

	free(folder);
	if (e->shim != NULL || e->campaign.no_shim || !ks_file_exists(program)) {
		free(program);
		return;
	}
	shim = ks_zalloc(1, sizeof(*shim));
	shim->e = e;
	shim->fd = -1;
	shim->dir = ks_path_join(e->paths.state, "shim");
	shim->socket = ks_asprintf("%s.shim", e->socket_path);
	rc = make_folder(shim, program, &err);
	if (rc == 0) {
		rc = make_socket(shim, &err);
	}
	free(program);
	if (rc < 0) {
		ks_engine_notice(e, "quiet", "programs of the agent are not counted by process: %s",
			err.msg);
		ks_shim_free(shim);
		return;
	}
	make_env(shim);
	e->shim = shim;
}

const char *const *
ks_shim_env(const struct ks_shim *shim)
{
	return shim != NULL ? (const char *const *)shim->env : NULL;
}

void ks_shim_turn_over(struct ks_shim *shim)
{
	if (shim != NULL) {
		on_ready(shim, KS_FD_READ);
		sweep(shim);
	}
}

void ks_shim_free(struct ks_shim *shim)
{
	if (shim == NULL) {
		return;
	}
	ks_fdwatch_free(shim->watch);
	if (shim->fd >= 0) {
		close(shim->fd);
		unlink(shim->socket);
	}
	for (size_t i = 0; i < shim->n_running; i++) {
		free(shim->running[i].text);
	}
	for (int i = 0; i < 3; i++) {
		free(shim->env[i]);
	}
	free(shim->socket);
	free(shim->dir);
	free(shim);
}
