#ifndef KSEEK_ENGINE_INTERNAL_H
#define KSEEK_ENGINE_INTERNAL_H
/* What the files of src/engine share. */
#include "agent/driver.h"
#include "core/command.h"
#include "engine/cache.h"
#include "engine/engine.h"
#include "loop/child.h"
#include "loop/loop.h"
#include "loop/stream.h"
#include "loop/watch.h"
#include "repo/repo.h"
#include "store/blob.h"
#include "store/campaign.h"
#include "store/log.h"
#include "wire/frame.h"

struct ks_engine;

struct ks_conn {              /* a client of the socket */
	struct ks_engine *engine;
	struct ks_stream *stream;
	struct ks_conn *next;
	bool hello, console;
	bool by_agent;        /* a descendant of this engine */
	bool refused;         /* there were too many: told so at its hello */
	bool dead;            /* freed at the end of the turn */
	int64_t eval_id;      /* evaluation it waits for, or 0 */
	int64_t eval_request; /* request id to answer */
	pid_t pid;
};

enum ks_eval_stage {
	KS_EVAL_WAITING, KS_EVAL_BUILDING, KS_EVAL_JUDGING
};

enum { /* what an evaluation builds, in this order; the control only where a candidate
	* does not build, and it may be the compiler's fault */
	KS_EVAL_SEED, KS_EVAL_REFERENCE, KS_EVAL_CANDIDATE, KS_EVAL_YARDSTICK, KS_EVAL_CONTROL,
	KS_EVAL_SIDES
};

#define KS_EVAL_OUTPUT_MAX (256u * 1024) /* of compiler or judge, the rest is dropped */

struct ks_evaluation {
	struct ks_engine *engine;
	struct ks_evaluation *next;
	int64_t id;
	enum ks_eval_stage stage;
	bool confirm, perf, partial, abandoned;
	enum ks_by by;
	int candidate;        /* number */
	char hash[65];
	char commit[KS_OID_HEX];
	struct ks_repo_file *files;
	size_t n_files;
	char **only;          /* scenario names, or NULL */
	size_t n_only;
	char *scratch;
	char *objects[KS_EVAL_SIDES]; /* the yardstick's may be NULL */
	struct ks_json *recorded; /* a yardstick's recorded times, or NULL */
	char no_yard[160];    /* why there is no yardstick, one line, or "" */
	int side;             /* which is being built */
	size_t lines;
	struct ks_child *child;
	struct ks_buf out;    /* compiler's output, or the judge's stderr tail */
	struct ks_buf told;   /* the compiler's of the candidate, while the control is built */
	bool done, failed;
	char *fail_text;
	int64_t started_ms;
	char *libraries;      /* JSON array text for the goal's ban list, or NULL */
	struct ks_strays *watch; /* while the judge runs; or NULL */
	struct ks_buf strays; /* what was found, for a person */
	struct ks_buf notes;  /* of the judge that who asked has to see; lines */
};

/* The last full evaluation that ended with nobody waiting: whoever asks for the
 * same sources again gets its result instead of a new one. */
struct ks_undelivered {
	char hash[65];
	bool perf;
	char *result;         /* the reply's JSON; NULL: none */
};

struct ks_engine {
	struct ks_engine_options opt;
	struct ks_campaign campaign;
	struct ks_campaign_paths paths;
	struct ks_loop *loop;
	struct ks_timers *timers;
	struct ks_listener *listener;
	struct ks_log *log;
	struct ks_repo *repo;       /* ks_engine_repo opens it */
	struct ks_policy policy;
	struct ks_permit *permits;  /* the campaign's, for the policy */
	struct ks_state state;
	struct ks_agent *agent;
	struct ks_shim *shim;       /* or NULL */
	struct ks_signal *signals[3];
	char *socket_path;
	char *mark;                 /* KS_MARK of everything that we start */
	struct ks_strings secrets;  /* NAME=VALUE of the environment that hold a key */
	struct ks_json *sealed;     /* campaign.created: tree, flags, threads, probe */

	struct ks_conn *conns;
	struct ks_conn *word;       /* the console that may speak */
	struct ks_evaluation *evals;/* the first runs, the others wait */
	struct ks_undelivered undelivered;
	struct ks_evaluation *asked;/* handed to KS_FX_EVAL_START */

	bool busy;                  /* a command is being carried out */
	struct ks_pending *queue, **queue_tail;
	struct ks_pending *held, **held_tail; /* seen while the log is stopped */
	size_t held_bytes, held_lost;
	bool push_due, stopping, agent_gone_is_stop;
	bool log_stopped;
	int64_t wait_until;         /* of the last wait for a person, wall us; 0: none yet */
	struct ks_timer *linger;
	bool looked_again;          /* for a client in the queue, before it leaves */
	struct ks_timer *sync;
	struct ks_timer *resume;    /* tries a stopped log again */
	struct ks_out *reacting;    /* where the line being appended leads */
};

/* apply.c: decide, log, evolve, react, effects. args is JSON text of an object
 * ("" for none). When called while a command is carried out it is queued, and
 * 0 is returned. */
int ks_engine_command(struct ks_engine *e, enum ks_cmd kind, enum ks_by by,
	struct ks_str args, struct ks_err *err);
/* A command of kind observed: event kind and its fields without braces. */
void ks_engine_observe(struct ks_engine *e, enum ks_ev kind, enum ks_by by, struct ks_str fields);
void ks_engine_notice(struct ks_engine *e, const char *level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* engine.c: opens the campaign's repository unless it is open. What has nothing to do
 * with candidates works without. */
int ks_engine_repo(struct ks_engine *e, struct ks_err *err);

/* secrets.c. agent: the campaign's, as JSON, or NULL. */
void ks_secrets_read(struct ks_strings *out, const char *agent);
/* KS_EDENIED where the JSON text holds a key. */
int ks_secrets_refuse(const struct ks_engine *e, struct ks_str args, struct ks_err *err);
/* The JSON text without keys; lends from *to where there was one. */
struct ks_str ks_secrets_mask(const struct ks_engine *e, struct ks_str args, struct ks_buf *to);

/* The log takes nothing for now; and again. */
void ks_engine_log_failed(struct ks_engine *e, const struct ks_err *why);
void ks_engine_log_resumed(struct ks_engine *e);
void ks_engine_drop_held(struct ks_engine *e);

/* The log's callback for a line that was written. */
void ks_engine_on_line(void *ctx, const struct ks_log_line *line);

/* bodies.c: members whose text is too long go to a blob and leave a preview. */
void ks_engine_cut_bodies(struct ks_engine *e, enum ks_ev kind, struct ks_str fields,
	struct ks_buf *out);

/* effects.c */
void ks_engine_effect(struct ks_engine *e, const struct ks_effect *fx);
void ks_engine_stop(struct ks_engine *e);
/* Ends the loop once agent and evaluations are gone. */
void ks_engine_check_end(struct ks_engine *e);

struct ks_build_spec;
/* walls.c: for ks_limits; compiler: argv[0] of the build. */
#define KS_WALLS_MAX 30 /* of kseek-exec's, with some to spare */
struct ks_walls {
	struct ks_strings hide, show;
};
void ks_walls_init(struct ks_walls *walls, const struct ks_engine *e,
	const struct ks_build_spec *build, const char *compiler, const char *scratch);
void ks_walls_fini(struct ks_walls *walls);

/* server.c */
int ks_server_start(struct ks_engine *e, struct ks_err *err);
void ks_server_stop(struct ks_engine *e);
/* No room for one more. An agent has a part of it, so that it keeps nobody out. */
bool ks_server_full(const struct ks_engine *e, bool by_agent);
void ks_server_push_log(struct ks_engine *e);
void ks_server_push_progress(struct ks_engine *e, struct ks_str members);
/* For how long the loop waits for a person from now on. */
void ks_server_push_wait(struct ks_engine *e);
void ks_server_reply(struct ks_conn *conn, int64_t id, struct ks_str result, bool more);
void ks_server_refuse(struct ks_conn *conn, int64_t id, int code, const char *text);
/* The evaluation ended: answers who waits for it. */
void ks_server_eval_done(struct ks_engine *e, const struct ks_evaluation *ev, int exit_status);

/* requests.c: one request of a client. */
void ks_engine_request(struct ks_conn *conn, const struct ks_frame *frame);

/* evaluate.c */
/* Takes files. Gives the evaluation's id through e->asked and the log. */
int ks_engine_eval(struct ks_engine *e, enum ks_by by, struct ks_repo_file *files,
	size_t n_files, const struct ks_json *args, int64_t *out_id, struct ks_err *err);
void ks_eval_start(struct ks_engine *e, const struct ks_effect *fx);
void ks_eval_cancel_all(struct ks_engine *e);
/* Begins the first one that waits, if none runs. */
void ks_eval_resume(struct ks_engine *e);
void ks_eval_free(struct ks_evaluation *ev);
/* Logs that there is no result, and ends it: ev is gone. stage as in eval.failed. */
void ks_eval_fail(struct ks_evaluation *ev, const char *stage, struct ks_str text);
/* All is built: starts the judge. */
void ks_eval_judge(struct ks_evaluation *ev);

/* compile.c: builds from ev->side on, then ks_eval_judge. */
void ks_eval_build(struct ks_evaluation *ev);

/* settings.c: what the campaign sets, over the usual policy. */
void ks_engine_settings(struct ks_policy *policy, const struct ks_settings *settings);
void ks_engine_permits(struct ks_engine *e);

/* shim.c: programs of the agent that report by themselves. Without what it needs
 * there is none, and that is told. */
void ks_shim_start(struct ks_engine *e);
/* "K=V" for the agent; NULL without a shim. */
const char *const *ks_shim_env(const struct ks_shim *shim);
/* Takes what waits and tells what was killed. */
void ks_shim_turn_over(struct ks_shim *shim);
void ks_shim_free(struct ks_shim *shim);

/* strays.c: the agent's processes while a candidate is timed. NULL when there is
 * no agent or nothing is timed. */
struct ks_strays *ks_strays_begin(struct ks_evaluation *ev);
/* Adds those that used a core or the GPU to the fields of eval.finished, and to
 * ev->strays as a line. */
void ks_strays_end(struct ks_strays *strays, struct ks_jw *w);
void ks_strays_free(struct ks_strays *strays);

/* fresh.c: measures the working copy unless a full evaluation knows it or is on
 * it; without one, timer "fresh" fires at once. */
void ks_eval_fresh(struct ks_engine *e);

/* agent.c: "DRIVER" or "DRIVER:ARGUMENT" as the campaign's agent. agents: path of
 * agents.json, or NULL. */
int ks_engine_agent(struct ks_campaign *c, const char *spec, const char *agents,
	struct ks_err *err);
/* The same for an engine that runs: starts it where no agent runs. KS_EBUSY:
 * another one does. */
int ks_engine_use_agent(struct ks_engine *e, const char *spec, struct ks_err *err);

/* snapshot.c */
/* Files of the working copy (source NULL), of a file or of a folder; gives. shut_in:
 * of nothing that lies outside of the campaign's folder. */
int ks_snapshot(struct ks_repo_file **out, size_t *out_count, const struct ks_engine *e,
	const char *source, bool shut_in, struct ks_err *err);
void ks_snapshot_hash(const struct ks_repo_file *files, size_t count, char out[65]);
size_t ks_snapshot_lines(const struct ks_repo_file *files, size_t count);
int ks_snapshot_write(const struct ks_repo_file *files, size_t count, const char *dir,
	struct ks_err *err);

/* job.c: the judge's job file, and its lines as event fields. */
void ks_job_write(struct ks_buf *out, const struct ks_engine *e, const struct ks_evaluation *ev);
/* One line of the judge's output. */
void ks_job_line(struct ks_evaluation *ev, struct ks_str line);
/* The members of eval.evidence; of a held-out scenario only that it is one. */
void ks_job_evidence(struct ks_buf *fields, const struct ks_evaluation *ev,
	const struct ks_json *doc);

/* result.c: what the commit says of a candidate. */
void ks_result_message(struct ks_buf *out, int number, int parent, const char *hash);
void ks_result_note(struct ks_buf *out, const struct ks_state *state, int candidate);

#endif
