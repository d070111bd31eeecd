#ifndef KSEEK_EVAL_HOST_H
#define KSEEK_EVAL_HOST_H
/*
 * The judge's end of one worker process: starts it contained, gives it
 * commands, keeps the second clock, and says in one sentence how it died.
 *
 * Containment before the worker's own code runs: user, mount, pid, ipc and net
 * namespaces where the kernel allows (file systems read-only but the scratch
 * folder, which cannot hold programs), resource limits, a session of its own,
 * no descriptor but its own, an empty environment, death with the judge.
 * The rest (worker_guard.h) the worker does itself.
 */
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "eval/checks.h"
#include "eval/device.h"
#include "eval/worker_proto.h"

struct ks_host_limits {
	int64_t call_ms;
	int64_t mem_mb;
	int64_t file_mb;
	int64_t procs;
};

struct ks_host_spec {
	const char *worker;          /* the program                        */
	const char *scratch;         /* a folder that exists               */
	const char *symbol;
	const char *libs[KS_WORKER_LIBS];
	unsigned nlibs;
	bool reverse;                /* load order                         */
	int cpu;                     /* to pin to, or -1                   */
	const cpu_set_t *cpus;       /* for its start and the driver's threads; NULL: ours */
	int threads;
	bool spin;
	int in_fd, out_fd;
	uint64_t arena_bytes;        /* of both, added to the memory limit */
	const struct ks_device *device; /* a GPU, or NULL: then in_fd and out_fd count */
	const unsigned char *handles[2]; /* of the GPU's two allocations   */
	bool trace;                  /* every call is traced               */
	const char *cupti;           /* CUPTI's library, or NULL: look for it */
	struct ks_host_limits limits;
	struct ks_checks checks;
};

struct ks_host;

enum ks_contain { /* what stands around a worker */
	KS_CONTAIN_USER = 1, KS_CONTAIN_MOUNT = 2, KS_CONTAIN_PID = 4,
	KS_CONTAIN_IPC = 8, KS_CONTAIN_NET = 16, KS_CONTAIN_READONLY = 32
};

/* Starts a worker and waits until it has loaded its libraries. Gives *out.
 * KS_EINVAL with the loader's words when a library cannot be loaded. */
int ks_host_new(struct ks_host **out, const struct ks_host_spec *spec, struct ks_err *err);
/* The same in two steps: the process is started; it has loaded its libraries. */
int ks_host_launch(struct ks_host **out, const struct ks_host_spec *spec, struct ks_err *err);
int ks_host_await(struct ks_host *host, struct ks_err *err);
/* Ends the worker and everything it started. NULL is fine. */
void ks_host_free(struct ks_host *host);

pid_t ks_host_pid(const struct ks_host *host);
bool ks_host_alive(struct ks_host *host); /* looks */
/* Died by SIGKILL that was not ours: somebody outside, or want of memory. */
bool ks_host_was_killed(const struct ks_host *host);
/* Bits of enum ks_contain and of enum ks_guard that stand. */
unsigned ks_host_contained(const struct ks_host *host);
unsigned ks_host_guards(const struct ks_host *host);
unsigned ks_host_flush_kind(const struct ks_host *host);
/* Where on its stack the worker keeps the way back from waiting for a command, as long
 * as no kernel has run; 0: not known. */
uint64_t ks_host_home(const struct ks_host *host);

/* Maps slots and learns the signature. names[i] is slot i's, for messages; lent
 * until the next layout. */
int ks_host_layout(struct ks_host *host, const struct ks_worker_slot *slots,
	const char *const *names, unsigned nslots, const struct ks_worker_arg *args,
	unsigned nargs, struct ks_err *err);

/*
 * Times are wall clock. Where something else ran on the worker's processor during
 * a call of one thread, they are less by what the kernel says the worker waited for
 * it, which is what the wall clock would have shown on an idle machine. Where the
 * call is too short for that, it is marked as disturbed.
 */
struct ks_call {
	int32_t ret;
	double worker_ns; /* the worker's clock round the call          */
	double judge_ns;  /* ours, from the word "go" to "done"         */
	double before_ns; /* from "go" to the worker's first reading    */
	double after_ns;  /* from its second reading to "done"          */
	bool disturbed;   /* something else ran on its processor meanwhile */
	bool judge_put_off; /* or on ours, or we slept: our clock is late    */
	double event_ns;  /* on a GPU: between events round the call; 0: none */
	int64_t faults;   /* pages that were missing in it, where they are counted; else -1 */
};

/* One call: arguments and flush, then the word "go"; back before it is done. */
int ks_host_arm(struct ks_host *host, unsigned lib, const struct ks_worker_arg *args,
	unsigned nargs, bool flush, struct ks_err *err);
void ks_host_go(struct ks_host *host);
/* Both. */
int ks_host_begin(struct ks_host *host, unsigned lib, const struct ks_worker_arg *args,
	unsigned nargs, bool flush, struct ks_err *err);
/* Its end. KS_ETIME when it took longer than limit_ms (the worker is gone then),
 * KS_EIO when it died; err has the sentence. expect_ns is how long to watch before
 * sleeping. */
int ks_host_end(struct ks_call *out, struct ks_host *host, int64_t limit_ms, double expect_ns,
	struct ks_err *err);
/* What the last call of a traced worker did on the GPU. KS_EUNSUPPORTED with the
 * reason where it could not be traced. */
struct ks_trace {
	uint32_t launches, transfers; /* kernels; copies and fills            */
	double span_ns, busy_ns;      /* first start to last end; sum of kernels */
	char names[KS_WORKER_NAMES];  /* of the kernels, clean text, one a line  */
};
int ks_host_trace(struct ks_trace *out, struct ks_host *host, struct ks_err *err);
/* Whether the next calls have device events around them: on a GPU, where recording
 * them takes time itself. */
void ks_host_events(struct ks_host *host, bool events);
/* Whether we watch for the answer (for timing) or sleep at once. */
void ks_host_spin(struct ks_host *host, bool spin);
/* While pairs follow each other the worker watches for some 50 ms before it sleeps: a
 * processor that slept between two calls makes the next one's time scatter more (by a
 * tenth on a virtual machine). Not where threads are waited for until they rest. */
void ks_host_awake(struct ks_host *host, bool awake);

/* Stops all threads of the worker, or lets them go on: nothing is computed
 * while the judge takes an output away. */
void ks_host_freeze(struct ks_host *host);
void ks_host_thaw(struct ks_host *host);
/* Pages that were missing when the worker touched them, so far; -1 when the kernel does
 * not say. */
int64_t ks_host_faults(const struct ks_host *host);
/* Memory of the worker that is resident, bytes; 0 when the kernel does not say. */
uint64_t ks_host_memory(const struct ks_host *host);

#endif
