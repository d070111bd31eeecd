#ifndef KSEEK_EVAL_CHECKS_H
#define KSEEK_EVAL_CHECKS_H
/*
 * The names of the judge's single checks. Each can be switched off by name
 * (job field "without"), only so that tests can show that a check is what
 * catches a given trick. A real evaluation has all of them.
 */
#include <stdbool.h>

enum ks_check {
	KS_CHECK_IMPORTS,     /* allow-list of imported symbols and objects      */
	KS_CHECK_CONSTRUCTORS,/* no code that runs at load                       */
	KS_CHECK_MDWE,        /* memory never becomes executable                 */
	KS_CHECK_SYSCALLS,    /* allow-list of system calls                      */
	KS_CHECK_FILES,       /* no file outside scratch                         */
	KS_CHECK_NAMESPACES,
	KS_CHECK_LIMITS,      /* memory, files, processes                        */
	KS_CHECK_TIME,        /* a call may not take for ever                    */
	KS_CHECK_FRESH,       /* new contents in every pair                      */
	KS_CHECK_MOVE,        /* buffers move                                    */
	KS_CHECK_POISON,      /* outputs hold another answer before each call    */
	KS_CHECK_INPUTS,      /* inputs are not changed                          */
	KS_CHECK_GAPS,        /* nothing is written beside an output             */
	KS_CHECK_BOUNDS,      /* nothing is read behind the end of a tensor      */
	KS_CHECK_PAIRS,       /* every timed output against the seed's           */
	KS_CHECK_REFERENCE,   /* outputs against the reference                   */
	KS_CHECK_VARIANTS,    /* several distributions                           */
	KS_CHECK_PRECISION,   /* error a small multiple of the seed's            */
	KS_CHECK_AFTER,       /* full checks of timed pairs                      */
	KS_CHECK_CLOCK,       /* the judge's clock agrees with the worker's      */
	KS_CHECK_LATE,        /* no work after the call has returned             */
	KS_CHECK_TEXT,        /* code and constants of seed and worker unchanged */
	KS_CHECK_SEED_DATA,   /* the seed's own variables unchanged by others    */
	KS_CHECK_MAPS,        /* no new executable mapping, no new file mapped   */
	KS_CHECK_CONTROL,     /* the worker waits where it always waits          */
	KS_CHECK_ORDER,       /* random order in each pair                       */
	KS_CHECK_FLUSH,       /* buffers are cold                                */
	KS_CHECK_REPEAT,      /* a gain that needs repeated inputs is told       */
	KS_CHECK_DESCRIPTORS, /* a worker has no descriptor but its own           */
	KS_CHECK_MISSING,     /* a scenario without a time is a 0, not a gap      */
	KS_CHECK_HELDOUT,     /* held-out scenarios are judged                    */
	KS_CHECK_ALONE,       /* the seed is as fast without the candidate       */
	KS_CHECK_EVIDENCE,    /* suspicious wins are told                         */
	KS_CHECK_MARKS,       /* a candidate does not say which calls count      */
	KS_CHECK_STRAYS,      /* what a worker started ends with it               */
	KS_CHECK_EMBEDDED,    /* all code of the built file can be read           */
	KS_CHECK_NAMES,       /* no name that the goal bans                       */
	KS_CHECK_WORKERS,     /* several fresh workers agree                      */
	KS_CHECK_COUNT
};

struct ks_checks {
	bool off[KS_CHECK_COUNT];
};

/* By name ("imports"); false when there is none. */
bool ks_check_parse(enum ks_check *out, const char *name);
static inline bool ks_check_on(const struct ks_checks *checks, enum ks_check check)
{
	return !checks->off[check];
}

#endif
