#ifndef KSEEK_AGENT_LAUNCH_H
#define KSEEK_AGENT_LAUNCH_H
/*
 * What to start for an agent that people name: an entry of agents.json (the
 * installed file, and before it the user's own in $XDG_CONFIG_HOME/kseek/), or a
 * command line. docs/agents.md describes the file.
 */
#include "agent/driver.h"
#include "base/json.h"

struct ks_launch {
	char **argv;         /* NULL-terminated */
	struct ks_env *env;
	char *label, *mode;  /* mode: to be set, or NULL */
	struct ks_json *user, *installed; /* the files, or NULL */
};

/* fallback: the command line where the argument is empty. KS_ENOTFOUND: its
 * program is not there, with what to do; KS_EINVAL: a file or a command line
 * that is wrong. */
int ks_launch_init(struct ks_launch *out, const struct ks_agent_setup *setup,
	const char *driver, const char *fallback, struct ks_err *err);
void ks_launch_fini(struct ks_launch *launch);

/* What the files say of an agent that calls itself `info`: the scope of its
 * usage ("turn" where they say nothing), and a warning for its version or NULL.
 * Lent. */
const char *ks_launch_usage(const struct ks_launch *launch, const char *info);
const char *ks_launch_warning(const struct ks_launch *launch, const char *info,
	const char *version);

/* The entry of a name as JSON text, appended; KS_ENOTFOUND when there is none.
 * agents: path of the installed file, or NULL. */
int ks_launch_entry(struct ks_buf *out, const char *agents, const char *name,
	struct ks_err *err);

/* Words of a command line: blanks part them, quotes and backslashes as in a
 * shell, nothing is expanded. Gives *out, NULL-terminated (ks_words_free). */
int ks_words(char ***out, const char *line, struct ks_err *err);
void ks_words_free(char **words);
/* Whether version a is older than b: numbers with dots. */
bool ks_version_below(const char *a, const char *b);

#endif
