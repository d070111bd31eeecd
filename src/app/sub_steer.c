/* kseek steer: opens the console; starts engine and agent where none runs. */
#include <unistd.h>

#include "app/client.h"
#include "app/common.h"
#include "app/create.h"
#include "app/steer.h"
#include "app/subs.h"
#include "canvas/style.h"

int ks_steer_check(const struct ks_steer *how, struct ks_err *err)
{
	return how->theme == NULL || ks_theme_find(how->theme) != NULL ? 0 : ks_err_set(err,
		KS_EINVAL, "--theme %.40s: use default, light, contrast or mono", how->theme);
}

int ks_steer_run(struct ks_fold *fold, const struct ks_steer *how, struct ks_err *err)
{
	struct ks_steer own = *how;

	if (!isatty(1) || !isatty(0)) {
		own.plain = true;
	}
	if (!own.plain && getenv("TERM") != NULL && strcmp(getenv("TERM"), "dumb") == 0) {
		return ks_err_set(err, KS_EUNSUPPORTED, "terminal type \"dumb\" cannot place a "
			"cursor; use --plain or set TERM");
	}
	return own.plain ? ks_steer_plain(fold, &own, err) : ks_steer_console(fold, &own, err);
}

void ks_steer_say_left(const struct ks_fold *fold, enum ks_left how)
{
	static const char *const words[] = {
		[KS_LEFT_RUNNING] = "detached: the engine goes on%s%s; 'kseek steer'%s comes back, "
			"'kseek stop'%s ends it",
		[KS_LEFT_STOPPED] = "stopped: agent and engine end%s%s; 'kseek steer'%s starts "
			"them again",
		[KS_LEFT_LOST] = "the engine is gone%s%s; 'kseek steer'%s starts one again",
	};
	const char *root = ks_fold_paths(fold)->root;
	struct ks_err none = KS_ERR_INIT;
	struct ks_buf line = {0};
	char *here = NULL;
	bool inside = ks_campaign_find(&here, ".", &none) == 0 && strcmp(here, root) == 0;
	const char *there = inside ? "" : " there";

	ks_buf_addf(&line, words[how], inside ? "" : " in ", inside ? "" : root, there, there);
	ks_put_line(stderr, line.ptr, 2);
	ks_buf_fini(&line);
	free(here);
}

#define ANSWER_MS 10000

/* This agent, for an engine that runs, or else for the one that is started next. */
static int use_agent(struct ks_fold *fold, const char *agent, struct ks_err *err)
{
	char *spec = ks_create_agent(agent);
	struct ks_loop *loop = NULL;
	struct ks_client *client = NULL;
	struct ks_buf args = {0};
	struct ks_jw w;
	int rc = ks_loop_new(&loop, err);

	setenv("KSEEK_AGENT", spec, 1);
	ks_jw_init(&w, &args);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "agent", spec);
	ks_jw_close(&w);
	if (rc == 0 && ks_client_open(&client, loop, ks_fold_paths(fold), KS_CLIENT_ATTACH, false,
			NULL, NULL) == 0) {
		rc = ks_client_call(client, "agent.use", ks_buf_str(&args), NULL, NULL, ANSWER_MS,
			NULL, err);
	}
	ks_client_free(client);
	ks_loop_free(loop);
	ks_buf_fini(&args);
	free(spec);
	return rc;
}

static int run(const struct ks_sub *sub, int argc, char **argv)
{
	struct ks_steer how = {.agent = true};
	const char *agent = NULL;
	const char *dir[1] = {NULL};
	const struct ks_opt opts[] = {
		{"plain", KS_OPT_FLAG, &how.plain, NULL, "lines instead of a screen"},
		{"agent", KS_OPT_TEXT, &agent, "SPEC", "this agent, where none runs yet"},
		{"unattended", KS_OPT_FLAG, &how.unattended, NULL,
			"nobody answers: first offers go at once"},
		{"theme", KS_OPT_TEXT, &how.theme, "NAME", "default, light, contrast or mono"},
		{"ascii", KS_OPT_FLAG, &how.ascii, NULL, "ASCII only"},
		{"no-color", KS_OPT_FLAG, &how.no_color, NULL, "no colours (as NO_COLOR)"},
		{0}
	};
	struct ks_fold *fold = NULL;
	struct ks_err err = KS_ERR_INIT;
	int n = ks_args(sub, opts, argc, argv, dir, 0, 1);

	if (n < 0) {
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	how.plain = how.plain || how.unattended;
	int rc = ks_steer_check(&how, &err);
	if (rc == 0) {
		rc = ks_fold_open_unread(&fold, dir[0], &err);
	}
	if (rc == 0 && agent != NULL) {
		rc = use_agent(fold, agent, &err);
	}
	if (rc == 0 && !how.plain && (!isatty(0) || !isatty(1))) {
		fputs("kseek steer: no terminal for a console, so the log follows as lines "
			"(as with --plain)\n", stderr);
	}
	if (rc == 0) {
		rc = ks_steer_run(fold, &how, &err);
	}
	ks_fold_free(fold);
	return rc < 0 ? ks_fail(sub, &err) : rc;
}

const struct ks_sub ks_sub_steer = {
	"steer", "[FOLDER] [--agent SPEC] [--plain] [--unattended] [--theme NAME] [--ascii]",
	"steer the campaign: engine, agent and console",
	"Attaches to the campaign's engine, or starts one with its agent. In the\n"
	"console ? shows the keys; q asks whether to detach (everything goes on) or to\n"
	"stop. Without a terminal it says so and follows the log as lines, as with\n"
	"--plain, until ctrl-c or 'kseek stop'; with --unattended until the agent has\n"
	"ended.\n"
	"Agents: manual, script:FILE, acp:NAME, acp:'COMMAND ARGS', claude,\n"
	"claude:'COMMAND ARGS', api.\n"
	"Names are in agents.json (yours: ~/.config/kseek/agents.json); docs/agents.md\n"
	"says more.", run
};
