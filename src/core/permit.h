#ifndef KSEEK_CORE_PERMIT_H
#define KSEEK_CORE_PERMIT_H
/*
 * What an agent may do without being asked about: rules of the campaign, tried
 * in order, and the usual answer where none fits: inside the campaign's folder
 * is allowed, everything else is a person's to say.
 *
 *   allow|ask|reject  TOOL[,TOOL]|any  inside|outside|any  [PATTERN]
 *
 *   ask shell any rm *
 *   allow read outside /data/model-*
 *   reject fetch any
 *
 * PATTERN is the rest of the line, "*" any text and "?" one character, compared
 * with the whole command line or path. Where a command reaches is read off its
 * words (paths, "cd", redirections, programs that use the network or change the
 * machine). That keeps an agent from accidents; it is no wall against one that
 * hides what it does. Pure.
 */
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

enum ks_permit_do { KS_PERMIT_ASK = 0, KS_PERMIT_ALLOW, KS_PERMIT_REJECT };

#define KS_PERMIT_TOOLS_MAX 64
#define KS_PERMIT_PATTERN_MAX 200
#define KS_PERMIT_RULES_MAX 64

struct ks_permit {
	enum ks_permit_do what;
	char tools[KS_PERMIT_TOOLS_MAX];     /* comma-separated; "any"  */
	bool inside, outside;                /* either or both          */
	char pattern[KS_PERMIT_PATTERN_MAX]; /* "": everything          */
};

/* KS_EINVAL says what was expected. */
int ks_permit_parse(struct ks_permit *out, struct ks_str line, struct ks_err *err);

struct ks_permit_asked {        /* borrowed */
	const char *tool;       /* shell, read, edit, ... as in tool.started */
	const char *text;       /* command line or path                     */
	const char *path;       /* or ""                                     */
	const char *folder;     /* the campaign's, absolute                  */
	bool cut;               /* text is not the whole of it               */
};

/* Whether all that is asked for lies in the folder; else one line in why. */
bool ks_permit_inside(const struct ks_permit_asked *asked, char *why, size_t size);
/* The answer; why says which rule gave it. */
enum ks_permit_do ks_permit_decide(const struct ks_permit *rules, size_t count,
	const struct ks_permit_asked *asked, char *why, size_t size);

#endif
