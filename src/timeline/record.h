#ifndef KSEEK_TIMELINE_RECORD_H
#define KSEEK_TIMELINE_RECORD_H
/*
 * What the library in a traced process writes and `kseek timeline` reads: records
 * of one size in this machine's byte order. A process begins with HEAD, so files of
 * several processes may be put behind each other. A name is sent before it is used,
 * in pieces of KS_REC_TEXT bytes, padded with zeros. A process that could write its
 * last records ends with END.
 */
#include <assert.h>
#include <stdint.h>

#define KS_REC_TEXT 48
#define KS_REC_MAGIC 0x314c5453u /* "STL1": of this byte order and layout */
#define KS_REC_NAMES 16384       /* different names in a process, at most */
#define KS_REC_NAME_MAX 4096     /* bytes of a name, at most */
#define KS_REC_DEVICES 64        /* GPUs of a process, at most */
#define KS_REC_NOT_READY 600     /* what a call returns that only asks; no failure */

enum ks_rec_kind {
	KS_REC_HEAD = 1, /* id: process id; head                                   */
	KS_REC_NAME,     /* id: number of a name, 1 and up; text: its next piece   */
	KS_REC_NOTE,     /* text: next piece of why there are no records           */
	KS_REC_KERNEL,   /* id: name; span                                         */
	KS_REC_COPY,     /* id: KS_REC_WAY of the copy; span                       */
	KS_REC_FILL,     /* id: kind of memory; span                               */
	KS_REC_CALL,     /* id: name; span: thread, number, code                   */
	KS_REC_END       /* end                                                    */
};

/* A copy's direction and the kinds of its two memories, as CUPTI numbers them. */
#define KS_REC_WAY(direction, from, to) \
	((uint32_t)(direction) | (uint32_t)(from) << 8 | (uint32_t)(to) << 16)
#define KS_REC_DIRECTIONS 11
#define KS_REC_MEMORIES 8

struct ks_rec_head {
	uint32_t magic, size; /* size of a record */
	char program[40];
};

/* Times in ns of CUPTI's clock; both 0 where an activity had not ended. */
struct ks_rec_span {
	uint64_t start, end;
	uint64_t bytes;
	uint32_t device, context, stream; /* of activities of the device */
	uint32_t thread;                  /* of calls */
	uint32_t number;                  /* the same for a call and what it asks for */
	uint32_t code;                    /* what a call returned */
};

struct ks_rec_end {
	uint64_t written, over, lost; /* records; over the limit; lost by CUPTI */
	uint64_t unused[3];
};

struct ks_rec {
	uint32_t kind;
	uint32_t id;
	union {
		struct ks_rec_head head;
		struct ks_rec_span span;
		struct ks_rec_end end;
		char text[KS_REC_TEXT];
	} is;
};

static_assert(sizeof(struct ks_rec) == 56, "a record has one size everywhere");

#endif
