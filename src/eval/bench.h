#ifndef KSEEK_EVAL_BENCH_H
#define KSEEK_EVAL_BENCH_H
/*
 * The judge's bench: buffers, one worker with seed and candidate, one with the
 * reference, and the single measured call with everything that surrounds it.
 *
 *   fill    new inputs from (key, scenario, tensor, call), tensors moved
 *   call    outputs poisoned with another input's answer, gaps filled, the
 *           call, then the answer is taken away and gaps and inputs looked at
 *
 * Answers are kept in private memory of the judge, one set for each side.
 * Buffers and answers are the device's memory; everything on them goes through
 * its table (device.h).
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "eval/arena.h"
#include "eval/copies.h"
#include "eval/cpus.h"
#include "eval/device.h"
#include "eval/host.h"
#include "eval/job.h"
#include "eval/nvml.h"
#include "eval/watch.h"

enum ks_side { KS_SIDE_SEED, KS_SIDE_CAND, KS_SIDE_YARD, KS_SIDE_REF };
#define KS_ANSWERS 5 /* of the four sides, and the poison's source */
#define KS_ANSWER_POISON 4

/* A worker that was started ahead: making a context takes a GPU longer than many a
 * block of pairs. It has loaded its libraries, was never told anything, and is
 * stopped until its turn. */
struct ks_spare {
	struct ks_host *host;
	struct ks_copies copies;
	const char *seed, *candidate;      /* what it loaded; in copies or in the job */
	bool reverse, ready;
};
#define KS_SPARES_MAX 9

struct ks_bench {
	const struct ks_job *job;          /* borrowed */
	struct ks_device *device;          /* where the buffers are; borrowed */
	bool only;                         /* all workers of this process are ours */
	const char *symbol;                /* lent by the problem */
	struct ks_arena in, out, ref_out;
	bool sealed;                       /* inputs cannot be written by a worker */
	struct ks_host *main, *ref;
	struct ks_spare spares[KS_SPARES_MAX];
	size_t nspares;
	struct ks_host *traced;            /* on a GPU, for one untimed call a side */
	struct ks_nvml *nvml;              /* of a GPU, owned by the judge; or NULL */
	struct ks_watch *watch;
	char unwatched[512];               /* why there is no watch, or ""       */
	bool same_file;                    /* the candidate is the seed          */
	bool alone;                        /* the seed takes the candidate's place too */
	bool control;                      /* where the worker rests is known */
	uint64_t home;                     /* and where its way back lies     */
	struct ks_cpus cpus;
	bool count_faults;                 /* of the seed's calls */
	bool spin;                         /* judge and worker watch a word of memory */
	uint32_t draws;                    /* counter of ks_bench_random */
	/* the scenario in use */
	const struct ks_case *c;
	struct ks_layout layout;
	bool main_ready, ref_ready, traced_ready; /* know the layout */
	unsigned char *answers[KS_ANSWERS];
	uint64_t answer_off[KS_WORKER_SLOTS];
	uint64_t answer_cap, answer_len;
	unsigned char *copy;               /* of inputs that are put back */
	uint64_t copy_off[KS_WORKER_SLOTS];
	uint64_t copy_cap;
	uint64_t print_key, print[KS_WORKER_SLOTS]; /* of inputs that may not change */
	unsigned char gap_byte;
	bool poison_ready;
	double expect_ns[3];               /* last time of each side but the reference */
};

/* Buffers for the largest of the cases, and processors. The device outlives the bench. */
int ks_bench_init(struct ks_bench *b, struct ks_device *device, const struct ks_job *job,
	const char *symbol, struct ks_case *const *cases, size_t count, struct ks_err *err);
void ks_bench_fini(struct ks_bench *b);

/* A fresh worker with seed and candidate, guards recorded; the old one is ended. */
int ks_bench_start(struct ks_bench *b, bool reverse, struct ks_err *err);
/* On a GPU, starts the next `count` workers, of which every second one loads in
 * reverse, the first one not; they start beside whatever runs. Does nothing where
 * there is no pid namespace to hold them or little of the GPU's memory is left. */
void ks_bench_start_ahead(struct ks_bench *b, unsigned count);
/* Waits until those have started, and stops them: for before a measurement. */
void ks_bench_settle(struct ks_bench *b);
int ks_bench_start_reference(struct ks_bench *b, struct ks_err *err);
void ks_bench_stop(struct ks_bench *b);
/* Takes a scenario; borrows it. Drops the old one's answers. */
int ks_bench_use(struct ks_bench *b, const struct ks_case *c, struct ks_err *err);

/* New inputs. */
void ks_bench_fill(struct ks_bench *b, uint64_t call, enum ks_variant variant,
	enum ks_place place);
/* A call of the reference in its own worker; seed and candidate can run between
 * beginning and end. Codes as below. */
/* Whether the worker has itself in hand, by stopping it for a moment. KS_EDENIED. */
int ks_bench_look_home(struct ks_bench *b, struct ks_err *err);
int ks_bench_begin_reference(struct ks_bench *b, struct ks_err *err);
int ks_bench_end_reference(struct ks_bench *b, int64_t limit_ms, struct ks_err *err);
/*
 * One call of a side (not the reference); its answer goes to b->answers[side]. Codes: KS_EIO the
 * process died, KS_ETIME, KS_EINVAL it returned other than 0, KS_EDENIED it did
 * what a kernel may not do; err has the sentence without a subject ("crashed:
 * ..."). flush: cold buffers.
 */
int ks_bench_call(struct ks_call *out, struct ks_bench *b, enum ks_side side, bool flush,
	int64_t limit_ms, struct ks_err *err);
/* On a GPU, a worker whose calls are traced, and one such call. KS_EUNSUPPORTED
 * where traces cannot be had. */
int ks_bench_start_traced(struct ks_bench *b, struct ks_err *err);
int ks_bench_trace(struct ks_trace *out, struct ks_bench *b, enum ks_side side,
	struct ks_err *err);
/* The answer of a side becomes what outputs are poisoned with. */
void ks_bench_poison_from(struct ks_bench *b, enum ks_side side);
/* Where slot's output lies in a side's answer; NULL if the slot is no output. */
const void *ks_bench_answer(const struct ks_bench *b, enum ks_side side, unsigned slot);

uint32_t ks_bench_random(struct ks_bench *b);

#endif
