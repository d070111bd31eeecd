#ifndef KSEEK_STORE_CAMPAIGN_H
#define KSEEK_STORE_CAMPAIGN_H
/*
 * A campaign's folder: where everything lies, and campaign.json, which people
 * write. Errors in it name the file and the JSON path ("campaign.json: $.goal[2]:
 * ...").
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "store/campaign_policy.h"

/* All absolute, all owned by the struct. */
struct ks_campaign_paths {
	char *root;
	char *config;  /* campaign.json       */
	char *problem; /* problem/            */
	char *brief;   /* AGENTS.md           */
	char *state;   /* .kseek/             */
	char *log;     /* .kseek/log.jsonl    */
	char *blobs;   /* .kseek/blobs/       */
	char *index;   /* .kseek/index        */
	char *lock;    /* .kseek/lock         */
	char *engine;  /* .kseek/engine: name of the engine's socket */
	char *draft;   /* .kseek/draft: an unsent message            */
	char *cache;   /* .kseek/build-cache/ */
};

/* root is made absolute; links in it are resolved. */
int ks_campaign_paths_init(struct ks_campaign_paths *out, const char *root,
	struct ks_err *err);
void ks_campaign_paths_fini(struct ks_campaign_paths *paths);
/* The nearest folder from `from` upwards that has a campaign.json; gives its
 * absolute path. KS_ENOTFOUND says how to make one. */
int ks_campaign_find(char **out_root, const char *from, struct ks_err *err);
/* Makes .kseek/ and .kseek/blobs/ (0700) where they are missing. KS_EIO where
 * .kseek/ cannot be written. */
int ks_campaign_make_state(const struct ks_campaign_paths *paths, struct ks_err *err);

struct ks_strings { /* owned strings; items[count] is NULL once there is one */
	char **items;
	size_t count;
};
void ks_strings_fini(struct ks_strings *list);
void ks_strings_add(struct ks_strings *list, const char *text);

enum ks_target { KS_TARGET_CPU, KS_TARGET_CUDA };
const char *ks_target_name(enum ks_target target);

struct ks_budget {           /* 0: no limit */
	double hours;
	int64_t evaluations;
	int64_t turns;
	int64_t tool_calls;
	int64_t tokens;
	double dollars;
};

/* campaign.json. A zeroed struct is a valid empty one; all pointers are owned
 * (free() before replacing), NULL where the file says nothing. */
struct ks_campaign {
	char *id;            /* 12 hexadecimal digits; made by ks_campaign_write
	                      * when NULL                                      */
	char *name;
	char *problem;       /* folder of the problem, relative to the root or
	                      * absolute; "problem" where the file says nothing */
	enum ks_target target;
	char *arch;          /* "x86-64", "sm_90a"; NULL: of this machine      */
	struct ks_strings flags;   /* of the compiler; empty: the default      */
	struct ks_strings files;   /* sources of the working copy, plain
	                            * relative paths; the first has the entry  */
	int threads;         /* of a cpu kernel; 1 where the file says nothing */
	struct ks_strings goal;    /* lines of the goal                        */
	char *driver;        /* agent.driver: "claude", "acp", "api", "script",
	                      * "manual"                                       */
	struct ks_strings command; /* agent.command: argv                      */
	char *agent;         /* the whole "agent" object as compact JSON       */
	char *mode;          /* "human", "bank" or "none"                      */
	struct ks_budget budget;
	struct ks_settings policy; /* numbers of the rules that the file sets  */
	struct ks_strings permissions; /* rules for what an agent may do, in
	                            * the order in which they are tried        */
	bool no_shim;        /* "shim": false                                  */
};

void ks_campaign_fini(struct ks_campaign *c);
/* Reads a text. file is the name for messages. KS_EINVAL names the path. An
 * unknown key is refused (a typing error must not be silent) unless it begins
 * with "x-". */
int ks_campaign_parse(struct ks_campaign *out, struct ks_str text, const char *file,
	struct ks_err *err);
/* As parse; without an "id" in the file it gets one made of the file's place. */
int ks_campaign_read(struct ks_campaign *out, const char *path, struct ks_err *err);
/* Writes the file for people to edit. Makes an id when there is none (c->id is
 * set). Keys that begin with "x-" are not carried over. */
int ks_campaign_write(struct ks_campaign *c, const char *path, struct ks_err *err);

#endif
