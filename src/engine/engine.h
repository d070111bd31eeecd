#ifndef KSEEK_ENGINE_ENGINE_H
#define KSEEK_ENGINE_ENGINE_H
/*
 * The engine: one for each campaign while it is steered. It holds the lock and
 * the log, runs the agent, decides, and carries out effects. Everybody else is
 * a follower of the log who sends commands over the socket.
 */
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

struct ks_policy;

struct ks_engine_programs { /* absolute paths; borrowed */
	const char *judge, *worker, *exec, *kseek;
	const char *include;        /* folder that holds kseek_kernel.h       */
	const char *state;          /* folder for probes and held-out sets    */
	const char *cuda;           /* library of the cuda target, or NULL    */
	const char *agents;         /* agents.json; NULL: there is none       */
	/* progress for a person, while there is no log yet; may be NULL */
	void (*say)(void *ctx, const char *text);
	void *say_ctx;
};

struct ks_engine_options {
	const char *dir;            /* the campaign's folder, absolute        */
	struct ks_engine_programs programs;
	const struct ks_policy *policy; /* with questions and claims; borrowed */
	bool agent;                 /* start the campaign's agent             */
	const char *agent_spec;     /* this one instead of the campaign's; NULL: none */
	bool transient;             /* leave when nobody is connected and nothing runs */
	bool unattended;            /* nobody will answer: first offers go at once     */
	int ready_fd;               /* one line goes there: "ready" or an error; -1 none */
};

/* Runs until stopped. Leaves the log closed and the socket gone. */
int ks_engine_run(const struct ks_engine_options *options, struct ks_err *err);

struct ks_create_options {
	const char *dir;            /* must not exist, or be empty            */
	const char *const *problem; /* folders whose files make up the problem */
	size_t n_problem;
	const char *name;           /* of the campaign; NULL: the folder's     */
	const char *target;         /* "cpu", "cuda"                           */
	const char *arch;           /* "sm_90a"; NULL: that of the first GPU   */
	const char *flags;          /* build flags; NULL: the target's default */
	long threads;
	const char *const *goal;    /* lines; none: the default goal           */
	size_t n_goal;
	const char *agent;          /* "manual", "script:FILE"                 */
	const char *base_url;       /* of the agent "api"; or NULL             */
	const char *key_env;        /* name of the variable with its key       */
	const char *mode;           /* "human", "bank", "none"                 */
	const char *held_out;       /* a .jsonl file kept outside, or NULL     */
	const char *yardstick;      /* a source, or .json of recorded times; NULL */
	const char *yardstick_flags;/* added to the build flags for it; NULL   */
	const char *const *set;     /* "human_wait_s=600": numbers of the rules */
	size_t n_set;
	const char *const *permit;  /* rules for what the agent may do         */
	size_t n_permit;
	bool no_shim;
	struct ks_engine_programs programs;
};

/* Makes a campaign: reads and checks the problem, builds seed and reference,
 * checks the seed on every scenario, probes the machine, and only then moves
 * the finished folder to its place; on failure nothing is left. */
int ks_engine_create(const struct ks_create_options *options, struct ks_err *err);

/* Where the engine of a campaign listens: $XDG_RUNTIME_DIR/kseek/ID.sock, else
 * a 0700 folder under the temporary directory; the folder is made. Gives. */
int ks_engine_socket(char **out, const char *id, struct ks_err *err);

#endif
