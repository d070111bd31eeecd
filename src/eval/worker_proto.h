#ifndef KSEEK_EVAL_WORKER_PROTO_H
#define KSEEK_EVAL_WORKER_PROTO_H
/*
 * What judge and worker share: three sealed memory files and this page.
 *
 *   descriptor 3  the control page below
 *   descriptor 4  inputs: sealed so that only the judge's mapping can write
 *   descriptor 5  outputs and writable inputs
 *
 * With a GPU there is only the page: inputs and outputs are allocations that the
 * worker opens by handles in it.
 *
 * A command: the judge writes its part of the page and counts `judge_seq` up;
 * the worker obeys and sets `worker_seq` to the same number. Both sides watch
 * the word for a while and then sleep on it (futex). A call takes two
 * commands, ARM (arguments, flush) and GO (the call), so that the judge's own
 * clock covers the call and nothing else.
 *
 * Everything here can be written by the candidate. The judge never reads back
 * what it wrote, and takes nothing from the worker's part without a check.
 */
#include <stdatomic.h>
#include <stdint.h>

#define KS_WORKER_ARGS 64
#define KS_WORKER_SLOTS 64
#define KS_WORKER_LIBS 4
#define KS_WORKER_TEXT 256
#define KS_WORKER_HANDLE 64 /* of a GPU's memory */
#define KS_WORKER_NAMES 2048
#define KS_WORKER_FD_CTL 3
#define KS_WORKER_FD_IN 4
#define KS_WORKER_FD_OUT 5

enum ks_worker_op {
	KS_OP_NONE, KS_OP_LAYOUT, KS_OP_ARM, KS_OP_GO, KS_OP_QUIT
};

enum ks_worker_type { /* of an argument */
	KS_WT_POINTER, KS_WT_INT64, KS_WT_INT32, KS_WT_FLOAT, KS_WT_DOUBLE,
	KS_WT_STREAM /* of a GPU: the worker's own */
};

/* Guards that the worker sets itself; bits of argv[1] (hexadecimal). */
enum ks_guard {
	KS_GUARD_MDWE = 1,      /* no memory becomes executable         */
	KS_GUARD_SYSCALLS = 2,  /* seccomp: what a kernel may ask for   */
	KS_GUARD_FILES = 4,     /* Landlock: only the scratch folder    */
	KS_GUARD_THREADS = 8,   /* the campaign allows threads          */
	KS_GUARD_LATE = 16,     /* outputs are closed when a call returns */
	KS_GUARD_HEAP = 32      /* the heap's settings are put right before each call */
};

/* argv of the worker: name, guards, cpu or -1, threads, scratch, symbol, the
 * device's library or "", CUPTI's or "", libraries. KS_WORKER_REVERSE: libraries
 * are loaded in reverse order. KS_WORKER_TRACE: every call is traced (launches,
 * names, spans), and its times mean nothing. */
#define KS_WORKER_ARGC_FIXED 8
#define KS_WORKER_REVERSE 0x100
#define KS_WORKER_TRACE 0x200

enum ks_slot_kind {
	KS_SLOT_IN,     /* of the inputs' file, read-only      */
	KS_SLOT_OUT,    /* of the outputs' file                */
	KS_SLOT_IN_OPEN /* inputs, writable: only while the check on inputs is off */
};

struct ks_worker_slot {
	uint64_t file_off; /* in the inputs' or the outputs' file, whole pages */
	uint64_t len;      /* whole pages                                      */
	uint32_t out;      /* enum ks_slot_kind                                */
	uint32_t pad;
};

struct ks_worker_arg {
	uint32_t type;  /* enum ks_worker_type            */
	int32_t slot;   /* of a pointer; -1: null         */
	uint64_t off;   /* in the slot                    */
	uint64_t bytes; /* flushed before the call        */
	union {
		int64_t i;
		double d;
	} value;
};

struct ks_ctl {
	/* the judge's part */
	_Alignas(64) _Atomic uint32_t judge_seq;
	_Atomic uint32_t judge_sleeps;
	uint32_t op;
	uint32_t lib;
	uint32_t spin;    /* watch the word rather than sleep at once */
	uint32_t awake;   /* and for long: the next pair comes soon    */
	uint32_t flush;
	uint32_t events;  /* on a GPU: record them round the call */
	uint32_t count;   /* tell how often the call was put off the processor */
	uint32_t nslots;
	uint32_t nargs;
	unsigned char handles[2][KS_WORKER_HANDLE]; /* on a GPU: inputs, outputs */
	struct ks_worker_slot slots[KS_WORKER_SLOTS];
	struct ks_worker_arg args[KS_WORKER_ARGS];
	/* the worker's part */
	_Alignas(64) _Atomic uint32_t worker_seq;
	_Atomic uint32_t worker_sleeps;
	int32_t ret;        /* of the call                               */
	uint32_t status;    /* 0, or 1 with text                         */
	int64_t t0, t1;     /* nanoseconds, CLOCK_MONOTONIC_RAW          */
	uint32_t switches;  /* how often the call was put off, where that is asked for */
	uint32_t guards;    /* which of enum ks_guard stand              */
	uint32_t flush_by;  /* enum ks_flush                             */
	int32_t fault_signo, fault_code;
	uint64_t fault_addr;
	int64_t fault_call; /* number of the refused system call, or -1  */
	int64_t fault_rss_kb;   /* most memory that was resident        */
	uint32_t fault_write; /* 1: the access was a write               */
	uint64_t slot_at[KS_WORKER_SLOTS]; /* where the slots lie, for messages */
	uint64_t home;        /* where on the stack the way back from waiting lies; 0: unknown */
	double event_ns;    /* on a GPU: between two events round the call; 0: none */
	uint32_t launches;  /* traced: kernels of the call            */
	uint32_t transfers; /* traced: copies and fills of the call   */
	double span_ns, busy_ns; /* traced: on the GPU, first to last; sum of kernels */
	char names[KS_WORKER_NAMES]; /* traced: of the kernels, one a line */
	char text[KS_WORKER_TEXT];
};

#endif
