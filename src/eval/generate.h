#ifndef KSEEK_EVAL_GENERATE_H
#define KSEEK_EVAL_GENERATE_H
/*
 * Contents of inputs from (key, scenario, tensor, call): the same four always
 * give the same bytes, on every machine and with every compiler flag this
 * project uses (no fused multiply-add, no libm in the fast paths).
 *
 * Keys are derived by Philox: evaluation key -> scenario and tensor -> call. A
 * fixed tensor (struct ks_gen.fixed) leaves the call out. Element i then comes
 * from counter blocks of its own, so any part of a tensor can be made alone;
 * only `offsets` needs its whole list, and that one is fixed per scenario.
 *
 *   normal       Box-Muller on pairs of 32-bit words; logarithm, sine and
 *                cosine are polynomials with an error below 1e-6
 *   uniform      24 bits (53 for float64) scaled into [low, high)
 *   integers     multiply-shift into [low, high]
 *   permutation  a keyed Feistel network over the next power of four, walked
 *                until it lands below n: element i without any other element
 *   page_table   the same over the pages; entry i has page i mod pages
 *   offsets      exponential weights scaled to the total, rounded down, the
 *                rest dealt out; 0 first, the total last
 *   one_hot      along the last axis
 *
 * Variants bend float inputs after the draw, before conversion to the dtype;
 * see docs/problem-format.md for each.
 */
#include <stdint.h>

#include "eval/problem.h"

struct ks_seed {
	uint32_t key[4]; /* 128 bits, secret until the evaluation is over */
};

/* From 32 hexadecimal digits. KS_EINVAL otherwise. */
int ks_seed_parse(struct ks_seed *out, const char *hex, struct ks_err *err);

/* Fills out (arg->bytes) with the contents of one input. Absent or empty
 * inputs write nothing. A variant that the input does not declare is plain. */
void ks_generate(const struct ks_case *c, const struct ks_arg *arg,
	const struct ks_seed *seed, uint64_t call, enum ks_variant variant, void *out);
/* All inputs of a case, each at base + offset. Gaps are not touched. */
void ks_generate_all(const struct ks_case *c, const struct ks_seed *seed,
	uint64_t call, enum ks_variant variant, void *base);
/* Elements [first, first + count) of an input alone, equal to that part of the
 * whole; for checks and for filling in pieces. */
void ks_generate_part(const struct ks_case *c, const struct ks_arg *arg,
	const struct ks_seed *seed, uint64_t call, enum ks_variant variant,
	uint64_t first, uint64_t count, void *out);
/*
 * The plan by which any group of four elements of an input is made alone
 * (ks_draw_group in draw.h), on the processor or a GPU, equal to the bytes that
 * ks_generate writes. False: this input's contents need the whole list (offsets,
 * given values, one_hot, arange, constant, zeros).
 */
struct ks_draw;
bool ks_draw_init(struct ks_draw *out, const struct ks_case *c, const struct ks_arg *arg,
	const struct ks_seed *seed, uint64_t call, enum ks_variant variant);
const char *ks_variant_name(enum ks_variant variant); /* "outliers"; static */

#endif
