#ifndef KSEEK_TESTS_EVAL_HARNESS_H
#define KSEEK_TESTS_EVAL_HARNESS_H
/* Builds candidates, writes jobs, runs the judge, reads its lines. */
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct scenario_line {
	char name[64];
	bool correct;
	char why[512];
	double speedup, lo, hi, error_ratio;
	double seed_us, cand_us;
	char verdict[16];
	bool disturbed;
	int pairs;
	double yard_speedup;
	char no_yard[160];
	char device[48], kernels[64]; /* on a GPU */
	int launches;
	double event_us;
};

struct outcome {
	int exit_status;
	struct scenario_line scenarios[16];
	size_t count;
	char evidence[16][32];
	size_t nevidence;
	char notes[4096];
	char error[512];
	bool done;
	double geomean;
	char code_hash[80];
	int twice[2];      /* pairs that called the seed, the candidate twice; with "calls" */
};

struct setup {
	const char *judge, *worker;
	char dir[64];      /* a folder of its own */
};

struct request {
	const char *source;   /* of the candidate, in candidates/ or absolute */
	const char *object;   /* judged instead of a built source, or NULL */
	const char *define;   /* one more flag for its build, or NULL */
	const char *without;  /* JSON list inside, e.g. "\"imports\"" */
	const char *scenarios;/* JSON list inside, or NULL */
	int mem_mb;           /* 0: 1024 */
	int call_ms;          /* 0: 10000 */
	int budget_ms;        /* 0: 300 */
	bool no_perf;
	const char *cuda;     /* target cuda, through this library; NULL: cpu */
	const char *extra;    /* more members of the job, with a leading comma */
};

/* Makes the folder and builds seed and reference. */
void setup_init(struct setup *s, const char *judge, const char *worker);
void setup_fini(struct setup *s);
/* Builds a source of candidates/ as an object in the folder. */
void build_as(const struct setup *s, const char *source, const char *object);
void run_request(struct outcome *out, const struct setup *s, const struct request *r);
/* Starts the judge and returns its pid; then waits for it and reads its lines. */
pid_t start_request(const struct setup *s, const struct request *r);
/* Waits until the judge has written a line with this; false when it never does. */
bool has_written(const struct setup *s, const char *text);
void finish_request(struct outcome *out, const struct setup *s, pid_t judge);
/* Ends one worker that has this library; 1 if there was one. */
int kill_worker(const struct setup *s, const char *library);
/* Processes whose command line holds the folder's name. */
int count_processes(const struct setup *s);

#endif
