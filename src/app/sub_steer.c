/* kseek steer: opens the console; starts engine and agent where none runs. */
#include <unistd.h>

#include "app/common.h"
#include "app/create.h"
#include "app/steer.h"
#include "app/subs.h"

int
ks_steer_run(struct ks_fold *fold, const struct ks_steer *how, struct ks_err *err)
{
	struct ks_steer own = *how;

	if (!isatty(1) || !isatty(0)) {
		own.plain = true;
	}
	return own.plain ? ks_steer_plain(fold, &own, err) : ks_steer_console(fold, &own, err);
}

static int
run(const struct ks_sub *sub, int argc, char **argv)
{
	struct ks_steer how = {.agent = true};
	const char *agent = NULL;
	const char *dir[1] = {NULL};
	const struct ks_opt opts[] = {
		{"plain", KS_OPT_FLAG, &how.plain, NULL, "lines instead of a screen"},
		{"agent", KS_OPT_TEXT, &agent, "SPEC", "this agent, where no engine runs yet"},
		{"unattended", KS_OPT_FLAG, &how.unattended, NULL, "nobody answers: first offers go at once"},
		{"theme", KS_OPT_TEXT, &how.theme, "NAME", "colours"},
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
	if (agent != NULL) {
		char *spec = ks_create_agent(agent);

		setenv("KSEEK_AGENT", spec, 1);
		free(spec);
	}
	how.plain = how.plain || how.unattended || !isatty(0) || !isatty(1);
	int rc = ks_fold_open_unread(&fold, dir[0], &err);
	if (rc == 0) {
		rc = ks_steer_run(fold, &how, &err);
	}
	ks_fold_free(fold);
	return rc < 0 ? ks_fail(sub, &err) : rc;
}

const struct ks_sub ks_sub_steer = {
	"steer", "[FOLDER] [--agent SPEC] [--plain] [--unattended] [--theme NAME] [--ascii]",
	"steer the campaign: engine, agent and console",
	"Attaches to the campaign's engine, or starts one with its agent. In the console ? shows the\n"
	"keys; q asks whether to detach (everything goes on) or to stop.\n"
	"Agents: manual, script:FILE, acp:NAME, acp:'COMMAND ARGS', claude, claude:'COMMAND ARGS', api.\n"
	"Names are in agents.json (yours: ~/.config/kseek/agents.json); docs/agents.md says more.", run
};
