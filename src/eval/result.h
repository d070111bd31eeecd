#ifndef KSEEK_EVAL_RESULT_H
#define KSEEK_EVAL_RESULT_H
/* What is known about one scenario while it is being judged. */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "eval/host.h"
#include "eval/pairs.h"
#include "eval/problem.h"
#include "eval/roofline.h"

#define KS_WHY_MAX 400
#define KS_LATE_KEPT 32
struct ks_result {
	const struct ks_case *c;  /* borrowed */
	size_t index;             /* among the scenarios of this job */
	unsigned group;           /* those of one share their workers */
	bool correct;
	bool hung;
	int retries;              /* how often its worker was killed from outside */
	bool told;                /* its line is out */
	char no_yard[160];        /* why it has no yardstick, or "" */
	char why[KS_WHY_MAX];
	double error, error_ratio, seed_error, seed_ratio; /* worst of the checks */
	double seed_rms[KS_ARGS_MAX];  /* the seed's error by output, plain draws */
	double seed_ns_rough, cand_ns_rough;
	/* [0]: nothing else ran on the worker's processor; [1]: all */
	struct ks_pairs *pairs[2], *same[2], *yard[2]; /* seed:cand, seed:seed, seed:yardstick */
	struct ks_pairs *order[2]; /* what being second in a pair gives: seed, candidate */
	struct ks_pairs *front;    /* seed:cand where the candidate is in front of the seed */
	struct ks_pairs *clocks[2]; /* ratio by the worker's clock over ratio by the judge's:
				     * from calls that nobody was put off in; from all */
	double clock_ns;          /* by how much the two clocks may differ in a call */
	double late_ns[KS_LATE_KEPT]; /* by how much they differed in the seed's last calls */
	unsigned late;            /* how many there were */
	unsigned seen[2], marked[2]; /* timed calls of seed and candidate; called disturbed */
	double clock_room;        /* log units by which the clocks may differ here   */
	double least_judge_ns;    /* shortest call by the judge's clock             */
	double spent_us, pair_us; /* of the timing budget; a typical pair */
	bool tight;
	double repeat_ns;         /* a call whose inputs came before; 0: not tried */
	double faults, counted;   /* pages that were missing in the seed's timed calls; calls */
	double faults_more;       /* a call, than in a worker without the candidate */
	double slowed_from;       /* the seed's time alone, where it is slowed; else 0 */
	double grown;             /* bytes a pair by which the worker grew          */
	struct ks_buf told_calls; /* of this block, where the job wants them told   */
	double least_ns;          /* fastest call of the candidate on new inputs   */
	uint64_t calls;           /* next call number for the generator */
	/* on a GPU */
	const char *device;       /* its UUID, borrowed; NULL: the processor */
	struct ks_pairs *events;  /* seed:cand between device events         */
	size_t throttled;         /* pairs taken while clocks were held down */
	unsigned sm_mhz;          /* lowest clock that was read; 0: none     */
	struct ks_trace *traces;  /* of a call of seed and candidate, or NULL; owned */
	/* at the end */
	struct ks_estimate event_est;
	struct ks_estimate est, yard_est, clock_est; /* est.pairs counts twins */
	bool clocked;             /* enough quiet calls to compare the clocks */
	bool unclocked;           /* nor do all calls together show a gain    */
	double lean;              /* log units that only being behind the seed gives; below 0:
				   * by which the seed is slower behind the candidate */
	bool disturbed;           /* too few quiet pairs: all of them were taken */
	struct ks_roofline roof;
	double band;
	double bias;              /* variance of a worker's own; NAN unknown */
	enum ks_verdict verdict;
	enum ks_stop stop;
};

void ks_result_init(struct ks_result *r, const struct ks_case *c, size_t index);
void ks_result_fini(struct ks_result *r);
/* The scenario counts 0 from here on; the first reason stays. */
void ks_result_fail(struct ks_result *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
