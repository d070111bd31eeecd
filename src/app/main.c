/*
 * kseek: the command. Looks a subcommand up in the table and runs it; all
 * logic lives in the rooms below (docs/architecture.md).
 */
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/args.h"
#include "app/subs.h"
#include "base/buf.h"
#include "base/sane.h"

const struct ks_sub *const ks_subs[] = {
	&ks_sub_demo, &ks_sub_new, &ks_sub_steer, &ks_sub_status, &ks_sub_stop,
	&ks_sub_eval, &ks_sub_goal, &ks_sub_candidates, &ks_sub_diff,
	&ks_sub_bank, &ks_sub_moments, &ks_sub_say, &ks_sub_queue,
	&ks_sub_permit, &ks_sub_agent, &ks_sub_hook, &ks_sub_skill, &ks_sub_export,
	&ks_sub_replay, &ks_sub_reindex, &ks_sub_probe, &ks_sub_timeline, &ks_sub_doctor,
	&ks_sub_version, NULL
};

static void print_usage(FILE *to)
{
	fprintf(to, "usage: kseek COMMAND [ARGUMENTS]\n"
		"Steers a coding agent that makes an existing kernel faster.\n\n");
	for (size_t i = 0; ks_subs[i] != NULL; i++) {
		fprintf(to, "  %-11s %s\n", ks_subs[i]->name, ks_subs[i]->summary);
	}
	fprintf(to,
		"\nCommands work on the campaign whose folder, or one below it, is the current\n"
		"one. 'kseek COMMAND --help' says more; start with 'kseek demo'.\n"
		"Exit status: 0 yes, 1 incorrect or goal not met, 2 usage, 3 environment,\n"
		"4 the candidate does not build.\n");
}

/* One name a line, for shell completion. */
static void print_commands(void)
{
	for (size_t i = 0; ks_subs[i] != NULL; i++) {
		printf("%s\n", ks_subs[i]->name);
	}
}

/* A reader that has gone has seen what it wanted. */
static bool reader_left(void)
{
	struct pollfd out = {.fd = STDOUT_FILENO};

	return poll(&out, 1, 0) > 0 && (out.revents & POLLERR) != 0;
}

/* What was printed has to arrive, or the status would speak for something that nobody
 * has seen. */
static int printed(const char *name, int rc)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout)) {
		return rc;
	}
	if (!reader_left()) {
		fprintf(stderr, "kseek%s%s: standard output: %s; not all of it was written\n",
			name[0] != '\0' ? " " : "", name,
			errno != 0 ? strerror(errno) : "cannot be written");
		return KS_EXIT_ENV;
	}
	return rc == KS_EXIT_OK ? KS_EXIT_ENV : rc;
}

static int run(int argc, char **argv)
{
	if (argc < 2) {
		print_usage(stderr);
		return KS_EXIT_USAGE;
	}
	if (strcmp(argv[1], "--version") == 0) {
		return ks_sub_version.run(&ks_sub_version, 1, argv + 1);
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
			strcmp(argv[1], "help") == 0) {
		print_usage(stdout);
		return KS_EXIT_OK;
	}
	if (strcmp(argv[1], "--commands") == 0) {
		print_commands();
		return KS_EXIT_OK;
	}
	for (size_t i = 0; ks_subs[i] != NULL; i++) {
		if (strcmp(argv[1], ks_subs[i]->name) == 0) {
			return ks_subs[i]->run(ks_subs[i], argc - 1, argv + 1);
		}
	}
	char shown[64];
	ks_sane_into(shown, sizeof(shown), ks_str_of(argv[1]), KS_SANE_ONE_LINE);
	fprintf(stderr, "kseek: unknown command '%s'; see 'kseek --help'\n", shown);
	return KS_EXIT_USAGE;
}

int main(int argc, char **argv)
{
	setlocale(LC_CTYPE, "");
	signal(SIGPIPE, SIG_IGN);
	return printed(argc > 1 && argv[1][0] != '-' ? argv[1] : "", run(argc, argv));
}
