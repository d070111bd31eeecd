#ifndef KSEEK_AGENT_API_H
#define KSEEK_AGENT_API_H
/*
 * The built-in agent (driver `api`): a loop over a language model's HTTP API.
 * The files of it: api.c (driver and turn), api_ask.c (a request, its stream,
 * trying again), api_tools.c (what the model may call), api_files.c (files of
 * the campaign's folder), api_sandbox.c (how a command is shut in),
 * api_config.c (which model, where, with which key), api_session.c (the
 * conversation on disk).
 *
 * The key lives in struct ks_api_config and in src/http, nowhere else: every
 * report passes a gate that takes it out (api.c), every result of a call passes
 * ks_api_clean; what is shortened before is cleaned before.
 */
#include "agent/command.h"
#include "agent/net.h"
#include "agent/talk.h"
#include "wire/chat.h"

/* ---- configuration ---- */

struct ks_api_config {
	enum ks_model_api api;
	char *model, *base_url, *url;  /* url: where requests go */
	char *key;                     /* NULL: none is sent */
	char *key_file;                /* where it lies; NULL: in no file */
	char *label;                   /* "MODEL at HOST" */
	int64_t max_tokens, context;   /* 0: not said */
	const char *max_field;         /* chat completions */
	double price[4];               /* USD a million tokens: input, output,
	                                * cache_read, cache_write; < 0: unknown */
	bool network;                  /* of commands */
	int64_t shell_s;               /* limit of a command */
	int64_t retry_ms;              /* first wait of a retry */
};

/* argument: "anthropic/MODEL", "openai/MODEL", or a name in agents.json (agents:
 * path of the installed one, or NULL); config: JSON object whose members come
 * before the entry's. KS_EINVAL, KS_ENOTFOUND (no key, no such name), KS_EDENIED
 * (a key file that others may read). Wipe with _fini. */
int ks_api_config_init(struct ks_api_config *out, const char *argument, struct ks_str config,
	const char *agents, struct ks_err *err);
void ks_api_config_fini(struct ks_api_config *config);
/* The same without the key, before anything is written or started. */
int ks_api_config_check(const char *argument, struct ks_str config, const char *agents,
	struct ks_err *err);

/* ---- files: paths are inside the folder, without links on the way ---- */

#define KS_API_FILE_MAX (4u * 1024 * 1024)

/* Makes a path relative to the folder and plain; KS_EDENIED when it leads out,
 * or into .kseek or .git. Gives *out. */
int ks_api_path(char **out, const char *folder, const char *path, struct ks_err *err);
/* path as from ks_api_path. A folder is read as its list of names. */
int ks_api_file_read(struct ks_buf *out, const char *folder, const char *path,
	struct ks_err *err);
/* Replaces the file at once; folders on the way are made. */
int ks_api_file_write(const char *folder, const char *path, struct ks_str text,
	struct ks_err *err);

/* ---- commands ---- */

struct ks_api_sandbox {
	const char *bwrap;    /* path of bubblewrap */
	const char *folder;   /* writable */
	const char *kseek;    /* program that must be there */
	const char *const *env; /* "K=V": sockets and tools of ours are found in it */
	const char *hidden;   /* file that cannot be read inside; or NULL */
	bool network;
};

/* argv that runs `command` in bubblewrap; gives (ks_api_argv_free). */
char **ks_api_sandbox_argv(const struct ks_api_sandbox *sandbox, const char *command);
void ks_api_argv_free(char **argv);
/* Path of a program in PATH of this process, or NULL; gives. */
char *ks_api_find_program(const char *name);

/* ---- the agent ---- */

enum ks_api_phase {
	KS_API_IDLE, KS_API_READY, /* to ask the model */
	KS_API_ASKING, KS_API_WAITING, /* for a next try */
	KS_API_CALLS,              /* to run the next call */
	KS_API_RUNNING,            /* a command, or a person is asked */
	KS_API_ENDING              /* the turn's end is to be reported */
};

/* Text of a reply as it was shown, so that a reply that broke and comes again
 * is not shown twice. */
struct ks_api_shown {
	struct ks_buf before, now; /* of the try before, of this one */
	struct ks_buf held;        /* may be the beginning of the key */
	bool differs;              /* this try says something else */
};

/* The conversation on disk, so that it outlives the engine. */
struct ks_api_session {
	char id[40];
	char *path;                  /* NULL: it is not kept */
	bool resumed, failing;
	struct ks_err lost;          /* why one could not be taken up again */
	struct ks_chat_mark kept;    /* what stands in the file */
	double cost;                 /* and the cost that stands there */
};

struct ks_api {
	struct ks_agent agent;       /* first; its sink is the gate */
	struct ks_sink sink;         /* where reports go behind it */
	struct ks_talk talk;
	struct ks_api_config config;
	char *folder, *exec, *kseek, *mark;
	struct ks_env *env;
	struct ks_net *net;
	struct ks_chat chat;
	struct ks_api_session session;
	char *rules;                 /* system text */
	bool told, scheduled, stopping, over;
	enum ks_api_phase phase;

	/* a request */
	struct ks_http_call *call;
	struct ks_http_head head;
	struct ks_model_stream stream;
	struct ks_buf refusal;       /* body of an answer that is no stream */
	struct ks_err stream_err;
	bool stream_failed, request_ended;
	struct ks_http_end end;
	char end_text[200];
	int tries, shortened, empties, cuts;
	struct ks_timer *again;
	size_t asked_bytes;          /* of this request */
	size_t fixed_bytes;          /* of it that are no conversation: rules, tools */
	double tokens_per_byte;      /* learnt; 0: not yet */
	struct ks_api_shown said, thought;
	size_t block, block_at;      /* first byte not yet shown */

	/* calls */
	size_t next_call;
	const char *after_calls;     /* to be said behind the results; static, or NULL */
	char *call_id, *call_name;   /* of the one that runs */
	struct ks_json *args;
	struct ks_command command;
	char *ask;                   /* open permission */
	bool answer_given, answer_ok;
	struct ks_buf answer_text;
	uint64_t *allowed;           /* hashes of commands that may always run */
	size_t n_allowed, cap_allowed;
	/* the sandbox: not tried, being tried, works, does not */
	enum { KS_API_BOX_UNTRIED, KS_API_BOX_TRYING, KS_API_BOX_ON, KS_API_BOX_OFF } box;
	char *bwrap;

	/* words that came during the turn */
	struct ks_buf *words;
	size_t n_words, cap_words;
	/* how the turn ends */
	const char *how;
	struct ks_buf how_text;
	char how_stop[32];
	double cost;                 /* of the session, USD */
	bool cost_known;
};

/* Calls the step function once, from the loop. */
void ks_api_schedule(struct ks_api *a);
/* text without the key; lends from *to. */
struct ks_str ks_api_clean(const struct ks_api *a, struct ks_str text, struct ks_buf *to);
/* Ends the turn with the next step. text may be "". */
void ks_api_finish(struct ks_api *a, const char *how, struct ks_str text, const char *stop);

/* api_ask.c: sends the conversation; ends in KS_API_CALLS, KS_API_WAITING,
 * KS_API_READY or a finished turn. */
void ks_api_request(struct ks_api *a);
void ks_api_request_stop(struct ks_api *a);   /* quiet; the text so far stays */
/* What is to be done when a request has ended (from step). */
void ks_api_request_done(struct ks_api *a);
void ks_api_shown_fini(struct ks_api_shown *shown);
/* Back-off before try n (1 for the second try): doubles from first_ms to a
 * minute, with a part of chance (0 to 1) so that many do not come at once. */
int64_t ks_api_backoff(int n, int64_t first_ms, double chance);

/* api_session.c */
/* Takes up the session that the setup names, or begins one. */
void ks_api_session_open(struct ks_api *a, const struct ks_agent_setup *setup);
/* Writes what came since the last time. */
void ks_api_session_keep(struct ks_api *a);

/* api_tools.c */
struct ks_str ks_api_tools(void);             /* JSON, for ks_chat_write */
void ks_api_tool_next(struct ks_api *a);      /* runs the next call, or asks again */
void ks_api_tool_stop(struct ks_api *a);      /* quiet: kills what runs */
int ks_api_tool_answer(struct ks_api *a, const struct ks_answer *answer, struct ks_err *err);
void ks_api_tool_fini(struct ks_api *a);

#endif
