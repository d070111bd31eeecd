#ifndef KSEEK_CORE_STATE_H
#define KSEEK_CORE_STATE_H
/*
 * The state of a campaign: the fold of its log. Numbers and references only;
 * bodies (messages, tool output, sources) stay in the log and in blobs and are
 * reached through view_data by seq. Strings kept here are short and clipped.
 * Everybody but evolve reads it as const.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/verdict.h"
#include "core/act.h"
#include "core/event.h"
#include "core/goal.h"
#include "core/layer.h"

enum ks_moment_kind {
	KS_MOMENT_NONE = 0, KS_MOMENT_START, KS_MOMENT_PLATEAU, KS_MOMENT_LIMIT,
	KS_MOMENT_COMPLETION, KS_MOMENT_WIN, KS_MOMENT_BREAK, KS_MOMENT_KINDS
};
const char *ks_moment_name(enum ks_moment_kind kind); /* "start" ... */
enum ks_moment_kind ks_moment_from_name(const char *name);

enum ks_mode { KS_MODE_HUMAN = 0, KS_MODE_BANK, KS_MODE_NONE };
const char *ks_mode_name(enum ks_mode mode);
int ks_mode_from_name(const char *name); /* -1 when unknown */

enum ks_agent_status {
	KS_AGENT_ABSENT = 0, /* not started, or exited        */
	KS_AGENT_WORKING,    /* a turn runs                   */
	KS_AGENT_WAITING,    /* between turns                 */
	KS_AGENT_DEAD        /* exited with an error          */
};

#define KS_NAME_MAX 64  /* scenario and set names, clipped on entry */

struct ks_scenario {
	char name[KS_NAME_MAX];
	char set[KS_NAME_MAX];
	bool heldout;
	double floor_us;     /* roofline time; 0 unknown */
	char *axes;          /* JSON object text of its axes, for `where`; owned */
	/* What evaluations on this host showed, recent ones weighing most; each
	 * counts up to KS_HISTORY_MAX. */
	double bias;         /* mean variance of a worker's own bias, log units */
	int biases;
	double seed_log;     /* mean of log(seed time in us) */
	int seeds;
};

#define KS_HISTORY_MAX 12
#define KS_GPUS_MAX 16
#define KS_GPU_TEXT 48

const char *ks_verdict_text(enum ks_verdict verdict); /* for people */

struct ks_result {           /* one scenario of one evaluation */
	bool measured;       /* false: not part of this evaluation */
	bool correct;
	bool timed;          /* false under --no-perf */
	unsigned char gpu;   /* where it was measured: 1 + index in the state's gpus;
	                      * 0 the processor, or not told */
	enum ks_verdict verdict;
	float speedup, lo, hi; /* 0 where incorrect */
	float seed_us, cand_us;
	float error, error_ratio;
	float roofline;      /* share 0..1 of the candidate; <0 unknown */
	float yard;          /* seed time / yardstick's time; 0 unknown */
	char *why;           /* reason of an incorrect result, or NULL; owned */
};

/* Statistics over one evaluation's results. */
struct ks_figures {
	int n_correct, n_measured;
	double geomean, geo_lo, geo_hi; /* 0 when any scenario is a 0 */
	double worst;
	int worst_i;
};

struct ks_candidate {
	int number;          /* 0 is the seed, then 1, 2, ... */
	int parent;          /* candidate last evaluated from this working copy, or -1 */
	char commit[41];
	char hash[65];       /* of the sources */
	int64_t seq;         /* of candidate.committed */
	int64_t t;
	int64_t eval;        /* last evaluation's id */
	bool built;
	bool finished;       /* has a complete evaluation over all scenarios */
	bool confirmed;
	int looks;           /* how often it was measured */
	int n_correct;
	int n_measured;
	double geomean, geo_lo, geo_hi; /* 0 when any scenario is a 0 */
	double best_before;  /* the best when it was last timed, unconfirmed; 0 unknown */
	double worst;
	int worst_i;         /* scenario index or -1 */
	int lines;           /* source lines */
	int call;            /* count of tool calls when it was evaluated */
	int message;         /* index of the last human message before it, or -1 */
	struct ks_result *results; /* n_scenarios, NULL before a look; owned */
	bool timed;          /* its last complete evaluation measured times */
	bool failed;         /* it did not build */
	char lost[120];      /* why its last evaluation gave no result, one line; "" */
	bool facts_known;    /* lines and libraries come from its build */
	char *libraries;     /* newline-joined names, or NULL; owned */
};

/* The evaluation that is being recorded: its scenarios arrive one by one. A
 * confirming run stays apart from its candidate until it is known whether it
 * confirms. */
struct ks_look {
	int64_t eval;        /* 0: none */
	int candidate;       /* index, or -1 for sources that are no candidate */
	bool confirm, perf;
	bool partial;        /* known when it has finished */
	bool finished;
	struct ks_figures figures;
	struct ks_result *results; /* n_scenarios; owned */
};

/* How the last turn ended. */
enum ks_how {
	KS_HOW_NONE = 0, KS_HOW_ENDED, KS_HOW_ERROR, KS_HOW_CANCELLED, KS_HOW_LIMIT
};
enum ks_how ks_how_from_name(const char *name);
const char *ks_how_name(enum ks_how how);

/* A message that waits for the turn's end. Its text is whole: messages are at
 * most KS_SAY_MAX bytes and are never cut to a preview. */
#define KS_SAY_MAX (24 * 1024)
#define KS_QUEUE_MAX 32
struct ks_queued {
	int64_t id;
	int64_t moment;      /* id, 0 none */
	char question[16];
	char via[12];
	char *text;          /* owned */
	size_t row;          /* of the live view: the message's only one */
};

struct ks_message {          /* sent to the agent */
	int64_t id;
	int64_t seq, t;
	enum ks_by by;       /* human or engine */
	enum ks_act act;
	bool interrogative;
	bool is_goal;        /* the goal's unmet clauses */
	int moment;          /* index into moments, or -1 */
	char question[16];   /* bank id, or "" */
	char preview[96];
	uint64_t mapped;     /* calls in the map of layers when it was sent */
	/* outcome until the next message */
	int calls;           /* tool calls that followed            */
	double before;       /* best geomean when sent (1 for seed) */
	double after;        /* best geomean before the next        */
	int layer_next;      /* layer measured next (enum ks_layer) or -1: by the first
	                      * call that measures a layer, till then by a mere timing */
	double next_weight;  /* evidence of the call that named it */
	bool measured;       /* by more than an evaluation, unless that is what it
	                      * asks for */
	unsigned layers;     /* layers measured since, 1 << enum ks_layer */
	int calls_measured;  /* calls until the first measurement, 0 none */
	int calls_number;    /* calls until a figure for it: printed by a call that
	                      * measures its layer, or said with a unit after a
	                      * measurement; 0: not answered by one */
	bool corrected;      /* the act was set by hand             */
};

#define KS_OFFERS 3
struct ks_offer {
	char question[16];   /* bank id */
	char layer;          /* letter */
	char text[320];      /* with placeholders filled */
	char reason[160];    /* why it is offered */
};

enum ks_moment_state { KS_MOMENT_OPEN = 0, KS_MOMENT_ANSWERED, KS_MOMENT_DISMISSED };

struct ks_moment {
	int64_t id;
	int64_t seq, t;      /* of moment.raised */
	enum ks_moment_kind kind;
	enum ks_moment_state state;
	char evidence[320];  /* what was seen, one line */
	int64_t cause;       /* seq of the event that caused it */
	char resource[32];   /* of a limit claim, or "" */
	bool by_person;      /* dismissed by a person */
	int by_person_before;/* index of the one that a person dismissed before it, or -1 */
	int call;            /* count of tool calls when raised */
	struct ks_offer offers[KS_OFFERS];
	int n_offers;
};

struct ks_clause_state {
	char *text;          /* as written; owned */
	enum ks_goal_outcome outcome;
	char line[160];      /* figure, interval, worst offender */
};

struct ks_tool {             /* running, or one of the last */
	char call[64];       /* the driver's id */
	int64_t seq, t, ended_t; /* ended_t 0 while it runs */
	char name[32];
	char title[120];
	bool ok;
	size_t row;          /* its row of the live view */
	bool counted;        /* it is in the map of layers */
	bool edits;          /* it changes sources: classified when it ends */
	unsigned effort;     /* enum ks_effort of its class */
	unsigned layers;     /* measured, 1 << enum ks_layer; none by an evaluation */
	bool prints;         /* its output says what it reads of the sources */
	char path[120];      /* what it edits, or "" */
};
#define KS_TOOLS_KEPT 32

/* What the agent asks and nobody has answered yet: whether it may do something,
 * or a form for the person. The whole is in its event. */
#define KS_ASKS_MAX 32
#define KS_ASK_OPTIONS 8
struct ks_ask_option {
	char id[64];
	char name[64];
	char kind[16];       /* allow_once, ..., or the agent's own word */
};
struct ks_asked {
	char ask[64];        /* id */
	int64_t seq, t;
	bool form;           /* agent.asked: of `form_fields` fields */
	int form_fields;
	char tool[12];
	char title[160];     /* of a form: its text                       */
	char text[320];      /* command line or path, clipped             */
	bool cut;            /* there is more of it than that             */
	char call[64];
	size_t row;          /* of the live view */
	struct ks_ask_option options[KS_ASK_OPTIONS];
	int n_options;
};

/* A mode of the agent itself (its own ids). */
#define KS_AGENT_MODES 16
struct ks_agent_mode {
	char id[96];
	char name[48];
};

/* What an agent said that it used; scopes differ and are not added up. */
struct ks_usage {
	char scope[12];      /* request, turn, session; "": nothing said  */
	int64_t input, output, cached;
	int64_t used, size;  /* of the context, 0 unknown                 */
	double cost;         /* <0: not said                              */
	char currency[8];
	char cost_scope[12];
};

/* One row of the live view: which event, and what kind of row. A tool call or
 * an evaluation is one row: its start, and how far behind it its end lies. */
struct ks_row {
	int64_t seq;
	uint16_t kind;       /* enum ks_ev */
	uint16_t more;       /* seq of what became known of a call later, minus
	                      * seq; 0: nothing did */
	uint32_t end;        /* seq of the end minus seq; 0 while it runs */
};

struct ks_eval_state {       /* the evaluation that runs or waits */
	int64_t id;
	bool running;
	bool confirm;
	int candidate;       /* number, or -1 for --source */
	int done, total;
	int64_t t;           /* started */
};

struct ks_state {
	/* campaign */
	char id[40];
	char name[KS_NAME_MAX];
	char target[16];
	char arch[64];       /* "cpu x86-64", "cuda sm_90a" */
	char machine[96];
	char agent_label[64];/* "script (a script, not a model)" ... */
	char tree[41];       /* git tree of the sealed problem */
	char *definition_name;
	char *definition_tags; /* words, one blank between */
	int64_t created_t;
	struct ks_scenario *scenarios;
	size_t n_scenarios, n_heldout;
	char yardstick[64];  /* a faster implementation that is shown beside, or "" */
	bool yardstick_recorded; /* its times are of another run */
	char no_yard[160];   /* why the last timed evaluation had none of it, or "" */
	char host[64];       /* of the last engine; another one measures anew */
	double bandwidth_gbs;/* of the probe, 0 unknown */
	int64_t processors, l2_bytes; /* of the probed GPU; 0: none, unknown */
	int64_t threads;     /* that a kernel may use */

	/* goal */
	struct ks_goal *goal;         /* parsed, owned; NULL without clauses */
	struct ks_clause_state *clauses;
	size_t n_clauses, n_met;
	bool goal_met;
	int goal_candidate;  /* number whose clauses these are, -1 none: what meets
	                      * the goal once it is met, else computed last */
	int sent_back;
	int64_t goal_seq;

	/* search */
	struct ks_candidate *candidates; /* [0] is the seed */
	size_t n_candidates, cap_candidates;
	int top_number;      /* the highest of their numbers */
	uint32_t *hash_slots; /* index + 1 of the candidate with a hash, 0 free; by its
	                       * first bytes, then onwards */
	size_t n_hash_slots; /* a power of two, or 0 */
	int champion;        /* index; 0 the seed */
	int last;            /* candidate evaluated last, or -1 */
	double best;         /* champion's geomean, 1 for the seed */
	int64_t best_t;
	int best_call;       /* count of tool calls then */
	int evals, evals_since_best;
	struct ks_eval_state eval;
	int eval_queue;      /* evaluations that wait */
	int64_t eval_waiting[16]; /* their ids, oldest first */
	struct ks_look look;
	char gpus[KS_GPUS_MAX][KS_GPU_TEXT]; /* UUIDs of those that measured, by age */
	int n_gpus;
	int64_t champion_seq;/* of the last champion.changed */
	bool build_failed;   /* the last evaluation did not build or run */
	bool edited;         /* sources changed since the last evaluation began */

	/* agent */
	enum ks_agent_status agent;
	int64_t agent_t;     /* since when in this status */
	int turns;
	int64_t turn_t;
	int calls;           /* tool calls so far */
	int calls_turn;
	int idle_turns;      /* turns in a row without a tool call */
	struct ks_tool tools[KS_TOOLS_KEPT]; /* ring, tools[calls % N] newest-1 */
	int tool_now;        /* of these, the one that the last event was about; -1 none */
	enum ks_mode mode;
	int queued;          /* own queue of messages */
	struct ks_queued queue[KS_QUEUE_MAX];
	bool manual;         /* a person or a program works in the folder: no turns */
	bool briefed;        /* this agent has had its first message */
	enum ks_how how;     /* of the last turn; NONE while one runs or none was */
	int retries;         /* turns in a row that ended with an error */
	int64_t sent_back_t; /* of the last goal.sent_back, 0 none */
	int64_t draft_until; /* when the loop speaks by itself, 0: it does not */
	char tail[240];      /* end of the error output of the agent that exited */
	struct ks_asked asks[KS_ASKS_MAX]; /* oldest first */
	int n_asks, asks_lost; /* lost: asked while the list was full */
	uint64_t always[64]; /* ring of what a person allows always, hashed */
	unsigned n_always;
	char session[128];   /* of the agent, to take it up again; "" none */
	char session_driver[16];
	bool steers;         /* takes words during a turn */
	char driver[16];     /* of the agent started last */
	char agent_version[48];
	char agent_mode[96]; /* its own mode's id, "" unknown */
	struct ks_agent_mode agent_modes[KS_AGENT_MODES];
	int n_agent_modes;
	struct ks_usage usage;
	int plan, plan_done; /* entries of the agent's plan, completed ones */
	int64_t plan_seq;

	/* words */
	struct ks_message *messages;
	size_t n_messages, cap_messages;
	struct ks_moment *moments;
	size_t n_moments, cap_moments;
	int moment_open;     /* index of the open moment, or -1 */
	int moment_by_person;/* of the last one that a person dismissed, or -1 */
	int moment_last[KS_MOMENT_KINDS]; /* of the last one of each kind, or -1 */
	int steer;           /* index of the last message that is not only the goal, or -1 */
	struct ks_layers layers;
	int notes;
	int64_t next_id;     /* ids of messages, moments, evaluations */

	/* log */
	struct ks_row *rows; /* of the live view */
	size_t n_rows, cap_rows;
	int64_t seq, t;      /* of the last event */
	int64_t unknown;     /* events of kinds not known here */
	bool engine_running;
	bool log_stopped;

	struct ks_scan *scan;/* the moment detectors' own memory, owned */
	struct ks_memo *memo;/* classified calls, since agents repeat themselves; owned */
};

void ks_state_init(struct ks_state *state);
void ks_state_fini(struct ks_state *state);

/* Applies one event. Never fails: what it cannot use it ignores, since the log
 * is history. Pure but for memory. */
void ks_evolve(struct ks_state *state, const struct ks_event *event);

/* Index of a scenario by name, or -1. */
int ks_state_scenario(const struct ks_state *state, const char *name);
/* Candidate by "champion", "seed", a number, "c12" or a commit prefix of at
 * least four digits; -1 when there is none or several. */
int ks_state_candidate(const struct ks_state *state, const char *name);
/* The machine as a question names it: "cuda sm_90a" is "sm_90a". Borrowed. */
struct ks_str ks_state_arch(const struct ks_state *state);
/* Why a candidate has no figures: "does not build", "not measured" (lost may say
 * why), or NULL where it was measured. */
const char *ks_candidate_fate(const struct ks_candidate *candidate);
/* How people are told of a candidate, by its number: in a sentence "the seed",
 * "candidate 7" or "a variant" (below 0: sources that are no candidate), in a column
 * "seed", "c7" or "variant". Returns out. */
#define KS_CANDIDATE_TEXT 24
const char *ks_candidate_name(char out[KS_CANDIDATE_TEXT], int number);
const char *ks_candidate_short(char out[KS_CANDIDATE_TEXT], int number);
/* Index of a candidate by its number, or -1. */
int ks_state_candidate_number(const struct ks_state *state, int64_t number);
/* Index of a moment by its id, or -1. */
int ks_state_moment(const struct ks_state *state, int64_t id);
/* Half of a candidate's geomean interval, widened for how often the same code
 * was measured: the best of many looks at one thing is too good by luck. */
double ks_state_margin(const struct ks_candidate *candidate);
/* A candidate's step: `geomean` of it over the best before it, the one size of a
 * gain that is told anywhere. 0: unknown. */
double ks_candidate_step(const struct ks_candidate *candidate, double geomean);
/* Whether a message was answered by a number: a figure with a unit was said
 * after a measurement, or the layer that it asks about was itself measured. */
bool ks_message_answered(const struct ks_message *message, int layer);
const struct ks_moment *ks_state_open_moment(const struct ks_state *state);
/* Whether the finished confirming run in state->look confirms its candidate:
 * complete, every scenario correct, and not clearly slower than the first run
 * or still clearly faster than the champion. */
bool ks_state_confirms(const struct ks_state *state);

/* The whole state as text, one fact a line, for tests and bug reports. */
void ks_state_dump(const struct ks_state *state, struct ks_buf *out);

#endif
