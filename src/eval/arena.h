#ifndef KSEEK_EVAL_ARENA_H
#define KSEEK_EVAL_ARENA_H
/*
 * The buffers of a call, from the judge's side. Two sealed memory files: inputs
 * (which only the judge's mapping can write) and outputs. Each tensor has a
 * slot of whole pages with room to move in; the worker has an unreadable page
 * behind each slot. Reference workers have an outputs' file of their own, so
 * that no process which holds a candidate ever maps an expected value.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "eval/checks.h"
#include "eval/generate.h"
#include "eval/problem.h"
#include "eval/worker_proto.h"

struct ks_arena {
	int fd;              /* -1: of a GPU, opened by the handle */
	unsigned char *at;
	uint64_t cap;
	unsigned char handle[KS_WORKER_HANDLE];
};

/* A file of cap bytes, mapped writable here. With read_only no other mapping
 * of it can be written (Linux 5.1; *out_sealed says whether that stands). */
int ks_arena_init(struct ks_arena *a, const char *name, uint64_t cap, bool read_only,
	bool *out_sealed, struct ks_err *err);
void ks_arena_fini(struct ks_arena *a);

/* The slots of one scenario and where its tensors lie in them now. */
struct ks_layout {
	const struct ks_case *c;               /* borrowed */
	unsigned nslots, nargs;
	struct ks_worker_slot slots[KS_WORKER_SLOTS];
	const char *names[KS_WORKER_SLOTS];    /* lent by the case */
	unsigned arg_of[KS_WORKER_SLOTS];      /* index into c->args */
	struct ks_worker_arg args[KS_WORKER_ARGS];
	uint64_t in_need, out_need;            /* bytes of the two files */
};

/* KS_ELIMIT for too many arguments. */
int ks_layout_init(struct ks_layout *l, const struct ks_case *c, bool open_inputs,
	struct ks_err *err);

/* A GPU kernel's last argument. KS_ELIMIT for too many. */
int ks_layout_add_stream(struct ks_layout *l, struct ks_err *err);

enum ks_place { KS_PLACE_FIXED, KS_PLACE_RANDOM, KS_PLACE_EDGE, KS_PLACE_SAME };
/* Moves every tensor within its slot. EDGE: ends touch the unreadable page, as
 * far as the alignment of 256 bytes allows. SAME: nothing moves. random: four
 * words. */
void ks_layout_place(struct ks_layout *l, enum ks_place how, const uint32_t random[4]);

/* Where slot's tensor lies in the judge's mappings. */
unsigned char *ks_layout_at(const struct ks_layout *l, const struct ks_arena *in,
	const struct ks_arena *out, unsigned slot);
/* Bytes beside the tensor inside its slot that are watched: before and after. */
void ks_layout_gaps(const struct ks_layout *l, unsigned slot, uint64_t *out_before,
	uint64_t *out_after);

#endif
