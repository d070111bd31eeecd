#ifndef KSEEK_TEST_KERNELS_H
#define KSEEK_TEST_KERNELS_H
/*
 * The shipped attention kernels, each linked in under a name of its own: the
 * build renames their entry (see meson.build).
 */
#include <stdint.h>

typedef int attention_fn(const float *q, const float *k, const float *v,
	const int32_t *cu_seqlens_q, const int32_t *cu_seqlens_k, const int32_t *seqused_k,
	const int32_t *page_table, const float *sink, const float *q_descale,
	const float *k_descale, const float *v_descale, float *out, float *lse, int32_t elem,
	int64_t batch, int64_t total_q, int64_t kv_rows, int64_t heads_q, int64_t heads_kv,
	int64_t dim_qk, int64_t dim_v, int64_t page_size, int64_t table_width, int64_t max_q,
	int64_t max_k, int32_t causal, int32_t window_left, int32_t window_right, float softcap,
	float scale);

attention_fn attention_seed, attention_reference;
attention_fn attention_c01, attention_c02, attention_c03, attention_c04, attention_c05,
	attention_c06, attention_c07, attention_c08, attention_c09, attention_c09r, attention_c10,
	attention_c11;

#endif
