#ifndef KSEEK_APP_ARGS_H
#define KSEEK_APP_ARGS_H
/*
 * Subcommands and their options, as tables: parsing and --help come from the
 * same rows, so they cannot disagree.
 */
#include <stdbool.h>
#include <stddef.h>

enum ks_exit {
	KS_EXIT_OK = 0,
	KS_EXIT_NO = 1,    /* incorrect, goal not met                      */
	KS_EXIT_USAGE = 2,
	KS_EXIT_ENV = 3,   /* environment: files, engine, machine          */
	KS_EXIT_BUILD = 4  /* the candidate does not build                 */
};

enum ks_opt_type { KS_OPT_FLAG, KS_OPT_TEXT, KS_OPT_INT, KS_OPT_LIST };

struct ks_list {          /* values of a repeated option; borrowed from argv */
	const char *item[64];
	size_t count;
};

struct ks_opt {
	const char *name;     /* without the dashes */
	enum ks_opt_type type;
	void *to;             /* bool*, const char**, long*, struct ks_list* */
	const char *arg;      /* name of the value in --help; NULL for flags */
	const char *help;
};

struct ks_sub {
	const char *name;
	const char *args;     /* usage line behind the name */
	const char *summary;
	const char *details;  /* paragraphs for --help; may be NULL */
	int (*run)(const struct ks_sub *sub, int argc, char **argv);
};

/* Parses argv[1..]; rest (max entries) receives the plain words. Returns the
 * count of plain words, -1 after printing help (leave with 0), -2 after
 * printing one line of usage error (leave with KS_EXIT_USAGE). */
int ks_args(const struct ks_sub *sub, const struct ks_opt *opts, int argc,
	char **argv, const char **rest, int min, int max);

/* The subcommands, ended by a row without a name. */
extern const struct ks_sub *const ks_subs[];

#endif
