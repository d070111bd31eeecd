#ifndef KSEEK_APP_CREATE_H
#define KSEEK_APP_CREATE_H
/* Making a campaign through the engine program; progress goes to standard
 * output. */
#include "app/args.h"
#include "base/err.h"

struct ks_create {
	const char *dir;
	char *problem[2];      /* folders; owned */
	struct ks_list goal, set, permit;
	bool no_shim;
	const char *base_url, *key_env; /* of the agent "api" */
	const char *agent, *mode, *name, *target, *arch, *flags, *held_out;
	const char *yardstick, *yardstick_flags;
	long threads;
};

int ks_create_campaign(const struct ks_create *create, struct ks_err *err);
void ks_create_fini(struct ks_create *create);
/* An agent as it is given on the command line, with the path of a script made
 * absolute; gives. */
char *ks_create_agent(const char *agent);

#endif
