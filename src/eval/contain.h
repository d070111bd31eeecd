#ifndef KSEEK_EVAL_CONTAIN_H
#define KSEEK_EVAL_CONTAIN_H
/*
 * Starts a program in namespaces and limits of its own. The child is made by
 * clone with as many namespaces as the kernel grants; what was refused is left
 * out and told.
 */
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct ks_contain_spec {
	const char *program;
	char *const *argv;
	char *const *env;
	const char *scratch;   /* working folder; the only one that can be written */
	const int *fds;        /* become 0, 1, 2, ... in the child                 */
	unsigned nfds;
	const cpu_set_t *cpus; /* where it may run at first; NULL: where we may    */
	bool namespaces;
	bool read_only;        /* file systems but scratch (needs namespaces)      */
	bool gpu;              /* a /dev/shm of its own, and a /proc of its own that can
	                        * be written: the driver names its threads there  */
	bool limits;
	uint64_t mem_bytes;    /* address space; 0: no limit                       */
	uint64_t data_bytes;   /* of it private and writable; 0: no limit          */
	uint64_t file_bytes;   /* size of a file                                   */
	uint64_t open_files;   /* descriptors; 0: 64                               */
	uint64_t procs;        /* processes and threads (needs a user namespace)   */
};

/* Bits of enum ks_contain (host.h) that stand go to *out_contained. Returns the
 * child's pid, or a negative code. */
pid_t ks_contain_start(const struct ks_contain_spec *spec, unsigned *out_contained,
	struct ks_err *err);

/* Asks the kernel to prefer a process over builds and the like that run beside
 * it; nothing happens where we may not. */
void ks_contain_prefer(pid_t pid);

/* Do all threads of a process but its first one sleep, or come to within_ms? */
bool ks_contain_rests(pid_t pid, int64_t within_ms);
/* How often threads of a process other than its first were given a processor. */
uint64_t ks_contain_turns(pid_t pid);

/* Ends all our children but one (0: all): with a subreaper those are also what a
 * worker without a pid namespace left behind. */
void ks_contain_end_strays(pid_t keep);

#endif
