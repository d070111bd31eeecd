/* kseek hook: the stop hook itself, and its installation. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/client.h"
#include "app/common.h"
#include "app/hook.h"
#include "app/paths.h"
#include "app/subs.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/shell.h"
#include "loop/proc.h"

#define STDIN_MAX (4u * 1024 * 1024)
#define STDIN_MS 5000
#define ENGINE_MS 1000

/* ---- the hook ---- */

/* What the agent says of itself; it may leave its end of the pipe open. */
static void read_stdin(struct ks_buf *out)
{
	int64_t until = ks_clock_mono_us() / 1000 + STDIN_MS;
	struct pollfd fd = {.fd = 0, .events = POLLIN};
	char chunk[16384];

	while (out->len < STDIN_MAX) {
		int64_t left = until - ks_clock_mono_us() / 1000;
		struct ks_json *doc = NULL;
		struct ks_err err = KS_ERR_INIT;
		if (left <= 0 || poll(&fd, 1, (int)left) <= 0) {
			return;
		}
		ssize_t n = read(0, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n <= 0) {
			return;
		}
		ks_buf_add(out, chunk, (size_t)n);
		/* Whole already? Then nobody has to close anything. */
		if (n < (ssize_t)sizeof(chunk) &&
				ks_json_parse(&doc, out->ptr, out->len, &err) == 0) {
			ks_json_free(doc);
			return;
		}
	}
}

/* Tells an engine that lives; without one the log does not know of it. */
static void tell_engine(struct ks_fold *fold, const struct ks_hook_decision *d)
{
	struct ks_loop *loop = NULL;
	struct ks_client *client = NULL;
	struct ks_buf args = {0};
	struct ks_jw w;
	struct ks_err err = KS_ERR_INIT;

	ks_jw_init(&w, &args);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "session", d->session);
	ks_jw_str(&w, "decision", d->block ? "block" : "allow");
	ks_jw_int(&w, "count", d->count);
	ks_jw_slice(&w, "text", d->block ? ks_buf_str(&d->reason) : ks_str_of(d->why));
	if (d->question[0] != 0) {
		ks_jw_str(&w, "question", d->question);
	}
	ks_jw_close(&w);
	if (ks_loop_new(&loop, &err) == 0 && ks_client_open(&client, loop, ks_fold_paths(fold),
			KS_CLIENT_ATTACH, false, NULL, &err) == 0) {
		(void)ks_client_call(client, "hook", ks_buf_str(&args), NULL, NULL, ENGINE_MS, NULL,
			&err);
	}
	ks_client_free(client);
	ks_loop_free(loop);
	ks_buf_fini(&args);
}

static void print_block(const struct ks_hook_decision *d)
{
	struct ks_buf out = {0};
	struct ks_jw w;

	ks_jw_init(&w, &out);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "decision", "block");
	ks_jw_slice(&w, "reason", ks_str_trim(ks_buf_str(&d->reason)));
	ks_jw_close(&w);
	ks_buf_addc(&out, '\n');
	fwrite(out.ptr, 1, out.len, stdout);
	ks_buf_fini(&out);
}

static void let_go(const char *why)
{
	fprintf(stderr, "kseek hook: the agent may stop: ");
	ks_put(stderr, why, 0);
	fputc('\n', stderr);
}

/* Always 0: an agent takes any other status for something to show or to obey. */
static int run_stop(void)
{
	struct ks_buf text = {0};
	struct ks_json *doc = NULL;
	struct ks_fold *fold = NULL;
	struct ks_hook_decision d = {0};
	struct ks_err err = KS_ERR_INIT, ignored = KS_ERR_INIT;
	const char *project = getenv("CLAUDE_PROJECT_DIR");

	if (getenv(KS_MARK) != NULL) {
		let_go("kseek started it and sends it back itself");
		return KS_EXIT_OK;
	}
	read_stdin(&text);
	if (text.len > 0) {
		(void)ks_json_parse(&doc, text.ptr, text.len, &ignored);
	}
	const char *cwd = ks_json_get_str(doc, "cwd", NULL);
	int rc = ks_fold_open(&fold, cwd != NULL && cwd[0] == '/' ? cwd : project, &err);
	if (rc == 0) {
		rc = ks_hook_decide(&d, fold, ks_json_get_str(doc, "session_id", ""), &err);
	}
	if (rc < 0) {
		let_go(err.msg);
	} else if (d.block) {
		print_block(&d);
		fflush(stdout);
		tell_engine(fold, &d);
	} else {
		let_go(d.why);
		tell_engine(fold, &d);
	}
	ks_hook_decision_fini(&d);
	ks_fold_free(fold);
	ks_json_free(doc);
	ks_buf_fini(&text);
	return KS_EXIT_OK;
}

/* ---- installation ---- */

static const struct ks_hook_agent *find_agent(const char *name)
{
	size_t count;
	const struct ks_hook_agent *list = ks_hook_agents(&count);

	for (size_t i = 0; i < count; i++) {
		if (strcmp(list[i].name, name) == 0) {
			return &list[i];
		}
	}
	return NULL;
}

/* The agent's settings; a link is followed, so that it stays one. Gives. */
static int settings_path(char **out, const struct ks_hook_agent *agent, bool user,
	struct ks_err *err)
{
	const char *moved = agent->home != NULL ? getenv(agent->home) : NULL;
	const char *home = getenv("HOME");
	char *root = NULL, *path, *real;
	int rc = 0;

	if (!user && agent->user_only) {
		return ks_err_set(err, KS_EINVAL, "%s reads hooks of the user only: give --user",
			agent->name);
	}
	if (user && moved != NULL && moved[0] == '/') {
		path = ks_path_join(moved, ks_path_base(agent->file));
	} else if (user && home != NULL && home[0] == '/') {
		path = ks_path_join(home, agent->file);
	} else if (user) {
		return ks_err_set(err, KS_ENOTFOUND, "no home folder: set HOME");
	} else {
		rc = ks_campaign_find(&root, ".", err);
		path = rc == 0 ? ks_path_join(root, agent->file) : NULL;
		free(root);
	}
	if (rc < 0) {
		return rc;
	}
	real = realpath(path, NULL);
	*out = real != NULL ? real : path;
	if (real != NULL) {
		free(path);
	}
	return 0;
}

/* One word for a shell, whatever the path holds. */
static char *quoted_command(struct ks_err *err)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct ks_buf out = {0};

	if (n <= 0) {
		ks_err_sys(err, errno, "/proc/self/exe");
		return NULL;
	}
	self[n] = 0;
	ks_shell_quote(&out, self);
	ks_buf_adds(&out, " hook stop");
	return ks_buf_take(&out);
}

static int write_settings(const char *path, const struct ks_hook_agent *agent, bool remove,
	struct ks_err *err)
{
	struct ks_buf old = {0}, new = {0};
	struct stat st;
	/* Keys lie there too: who may read it stays as it is. */
	mode_t mode = stat(path, &st) == 0 ? st.st_mode & 0777 : 0644;
	char *dir = ks_path_dir(path);
	char *command = quoted_command(err);
	int rc = command == NULL ? KS_EIO : 0;

	if (rc == 0 && ks_file_exists(path)) {
		rc = ks_file_read(&old, path, STDIN_MAX, err);
	}
	if (rc == 0) {
		rc = ks_hook_merge(&new, ks_buf_str(&old), agent, command, remove, err);
		if (rc < 0) {
			ks_err_prefix(err, "%s", path);
		}
	}
	if (rc == 0) {
		rc = ks_file_mkdirs(dir, 0755, err);
	}
	if (rc == 0) {
		rc = ks_file_write(path, ks_buf_str(&new), mode, err);
	}
	ks_buf_fini(&old);
	ks_buf_fini(&new);
	free(command);
	free(dir);
	return rc;
}

static int install(const char *name, bool user, bool remove, struct ks_err *err)
{
	const struct ks_hook_agent *agent = find_agent(name);
	char *path = NULL;

	if (agent == NULL) {
		return ks_err_set(err, KS_EINVAL, "%.40s: use claude, codex, qwen or gemini", name);
	}
	int rc = settings_path(&path, agent, user, err);
	if (rc == 0 && remove && !ks_file_exists(path)) {
		rc = ks_err_set(err, KS_ENOTFOUND,
			"%s: there is no such file, so no hook to take out", path);
	}
	if (rc == 0) {
		rc = write_settings(path, agent, remove, err);
	}
	if (rc == 0) {
		printf("%s: ", remove ? "hook taken out of" : "hook written to");
		ks_put(stdout, path, 0);
		printf("\n");
		if (!remove) {
			printf("%s\nIf the hook fails or takes too long, "
				"the agent stops as if there was none.\n", agent->by_hand);
		}
	}
	free(path);
	return rc;
}

static int run(const struct ks_sub *sub, int argc, char **argv)
{
	bool user = false, remove = false;
	const char *word[2];
	const struct ks_opt opts[] = {
		{"user", KS_OPT_FLAG, &user, NULL, "in the user's settings, not this campaign's"},
		{"remove", KS_OPT_FLAG, &remove, NULL, "install: take the hook out again"},
		{0}
	};
	struct ks_err err = KS_ERR_INIT;
	int n = ks_args(sub, opts, argc, argv, word, 1, 2);

	if (n < 0) {
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	if (strcmp(word[0], "stop") == 0 && n == 1) {
		return run_stop();
	}
	if (strcmp(word[0], "install") != 0 || n != 2) {
		ks_err_set(&err, KS_EINVAL,
			"use 'hook install claude|codex|qwen|gemini', or 'hook stop' "
			"from an agent");
		return ks_fail(sub, &err);
	}
	int rc = install(word[1], user, remove, &err);
	return rc < 0 ? ks_fail(sub, &err) : KS_EXIT_OK;
}

const struct ks_sub ks_sub_hook = {
	"hook", "install claude|codex|qwen|gemini [--user] [--remove] | stop",
	"send an agent that kseek did not start back to work",
	"'hook stop' is run by the agent when it wants to stop: it reads the last\n"
	"evaluation and answers with the clauses that do not hold, or lets it go. It\n"
	"never measures by itself.", run
};
