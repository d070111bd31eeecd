#ifndef KSEEK_TIMELINE_TRACE_H
#define KSEEK_TIMELINE_TRACE_H
/*
 * A trace: what the records of one or several processes say, checked. The bytes
 * are foreign (a program that is traced may write what it likes into them): any
 * bytes that begin with a head give a trace or an error, numbers are bounded, and
 * names are kept as they came, so that whoever shows one makes it safe.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define KS_TRACE_BYTES_MAX ((size_t)512 << 20)
#define KS_TRACE_PROCESSES_MAX 256

enum ks_item_kind { KS_ITEM_KERNEL, KS_ITEM_COPY, KS_ITEM_FILL, KS_ITEM_CALL };

struct ks_item {
	uint64_t start, end; /* ns, start <= end */
	uint64_t bytes;
	uint32_t name;       /* of kernels and calls: index into names */
	uint32_t way;        /* of copies and fills: see record.h */
	uint32_t device, context, stream, thread, number, code;
	uint16_t process;    /* index */
	uint8_t kind;        /* enum ks_item_kind */
};

struct ks_process {
	uint32_t pid;
	char program[40];    /* raw */
	char *note;          /* raw; why it has no records, or NULL */
	bool ended;          /* wrote its last records */
	uint64_t over, lost; /* records left out: over the limit, by CUPTI */
	uint64_t unfinished; /* activities that had no times */
	uint64_t bad;        /* records that say nothing sensible */
};

struct ks_trace {
	struct ks_process *processes;
	size_t n_processes;
	char **names;        /* each once; the first is "?" */
	size_t n_names;
	struct ks_item *items;
	size_t n_items;
	size_t left_over;    /* bytes behind the last whole record */
};

/* Fills *out (ks_trace_fini). KS_EINVAL: no such file, or of another version;
 * KS_ELIMIT: more than KS_TRACE_PROCESSES_MAX processes. */
int ks_trace_read(struct ks_trace *out, struct ks_str bytes, struct ks_err *err);
void ks_trace_fini(struct ks_trace *trace);

/* The name of a kernel as a person would say it: without what it returns, its
 * arguments and unnamed namespaces. */
void ks_trace_short_name(struct ks_buf *out, const char *name);
/* What a copy's way says: "host to device, pinned"; a fill's: "device". */
void ks_trace_copy_name(char *out, size_t size, uint32_t way);
const char *ks_trace_memory_name(uint32_t kind);

#endif
