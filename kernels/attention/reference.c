/*
 * Attention, forward: the plainest correct computation. Inputs are float32,
 * everything in between is double, every key is looked at and the hidden ones
 * are left out one by one; seed.c explains the arguments. Sums run side by side, since
 * each scenario is answered many times in an evaluation.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "kseek_kernel.h"

int attention_forward(const float *q, const float *k, const float *v,
	const int32_t *cu_seqlens_q, const int32_t *cu_seqlens_k, const int32_t *seqused_k,
	const int32_t *page_table, const float *sink, const float *q_descale,
	const float *k_descale, const float *v_descale, float *out, float *lse, int32_t elem,
	int64_t batch, int64_t total_q, int64_t kv_rows, int64_t heads_q, int64_t heads_kv,
	int64_t dim_qk, int64_t dim_v, int64_t page_size, int64_t table_width, int64_t max_q,
	int64_t max_k, int32_t causal, int32_t window_left, int32_t window_right, float softcap,
	float scale);

/* One query against all keys of its sequence. */
struct problem {
	const float *q;		/* the query */
	const float *k;		/* all rows of this head */
	const float *v;
	const int64_t *row;	/* the row of key j; negative: hidden */
	int64_t keys;
	int64_t k_stride;
	int64_t v_stride;
	int64_t dim_qk;
	int64_t dim_v;
	double scale;
	double softcap;
	double out_scale;
	const float *sink;
};

static double dot(const float *a, const float *b, int64_t n)
{
	double part[8] = {0};
	int64_t i = 0;

	for (; i + 8 <= n; i += 8) {
		for (int l = 0; l < 8; l++) {
			part[l] += (double)a[i + l] * b[i + l];
		}
	}
	for (; i < n; i++) {
		part[0] += (double)a[i] * b[i];
	}
	return ((part[0] + part[1]) + (part[2] + part[3]))
		+ ((part[4] + part[5]) + (part[6] + part[7]));
}

static double score(const struct problem *pr, int64_t j)
{
	double s = pr->scale * dot(pr->q, pr->k + pr->row[j] * pr->k_stride, pr->dim_qk);

	return pr->softcap > 0.0 ? pr->softcap * tanh(s / pr->softcap) : s;
}

/* x: room for a double a key, o: for dim_v. Writes dim_v values and returns the lse. */
static double solve(const struct problem *pr, double *restrict x, double *restrict o, float *out)
{
	double top = pr->sink != NULL ? *pr->sink : -INFINITY;
	double sum = 0.0;

	for (int64_t j = 0; j < pr->keys; j++) {
		x[j] = pr->row[j] < 0 ? -INFINITY : score(pr, j);
		top = x[j] > top ? x[j] : top;
	}
	if (top == -INFINITY) {
		for (int64_t d = 0; d < pr->dim_v; d++) {
			out[d] = 0.0f;
		}
		return -INFINITY;
	}
	for (int64_t j = 0; j < pr->keys; j++) {
		x[j] = exp(x[j] - top);
		sum += x[j];
	}
	if (pr->sink != NULL) {
		sum += exp(*pr->sink - top);
	}
	for (int64_t d = 0; d < pr->dim_v; d++) {
		o[d] = 0.0;
	}
	for (int64_t j = 0; j < pr->keys; j++) {
		if (pr->row[j] < 0) {
			continue;
		}
		for (int64_t d = 0; d < pr->dim_v; d++) {
			o[d] += x[j] * pr->v[pr->row[j] * pr->v_stride + d];
		}
	}
	for (int64_t d = 0; d < pr->dim_v; d++) {
		out[d] = (float)(pr->out_scale * o[d] / sum);
	}
	return top + log(sum);
}

int attention_forward(const float *q, const float *k, const float *v,
	const int32_t *cu_seqlens_q, const int32_t *cu_seqlens_k, const int32_t *seqused_k,
	const int32_t *page_table, const float *sink, const float *q_descale,
	const float *k_descale, const float *v_descale, float *out, float *lse, int32_t elem,
	int64_t batch, int64_t total_q, int64_t kv_rows, int64_t heads_q, int64_t heads_kv,
	int64_t dim_qk, int64_t dim_v, int64_t page_size, int64_t table_width, int64_t max_q,
	int64_t max_k, int32_t causal, int32_t window_left, int32_t window_right, float softcap,
	float scale)
{
	double *x = malloc(((size_t)max_k + 1) * sizeof *x);
	double *o = malloc(((size_t)dim_v + 1) * sizeof *o);
	int64_t *row = malloc(((size_t)max_k + 1) * sizeof *row);
	int rc = x == NULL || o == NULL || row == NULL || elem != KSEEK_FLOAT32;

	(void)kv_rows;
	for (int64_t n = 0; n < batch * heads_q * max_q && rc == 0; n++) {
		const int64_t b = n / (heads_q * max_q);
		const int64_t h = n / max_q % heads_q;
		const int64_t i = n % max_q;
		const int64_t hk = h / (heads_q / heads_kv);
		const int64_t bh = b * heads_kv + hk;
		const int64_t iq = cu_seqlens_q[b] + i;
		int64_t keys = max_k;
		int64_t diagonal;

		if (iq >= cu_seqlens_q[b + 1]) {
			continue;
		}
		if (cu_seqlens_k != NULL) {
			keys = cu_seqlens_k[b + 1] - cu_seqlens_k[b];
		}
		if (seqused_k != NULL) {
			keys = seqused_k[b];
		}
		diagonal = i + keys - (cu_seqlens_q[b + 1] - cu_seqlens_q[b]);
		for (int64_t j = 0; j < keys; j++) {
			if ((causal && j > diagonal)
				|| (window_left >= 0 && j < diagonal - window_left)
				|| (window_right >= 0 && j > diagonal + window_right)) {
				row[j] = -1;
			} else if (page_table != NULL) {
				row[j] = page_table[b * table_width + j / page_size] * page_size
					+ j % page_size;
			} else {
				row[j] = (cu_seqlens_k != NULL ? cu_seqlens_k[b] : b * max_k) + j;
			}
		}
		struct problem pr = {
			q + (iq * heads_q + h) * dim_qk, k + hk * dim_qk, v + hk * dim_v, row, keys,
			heads_kv * dim_qk, heads_kv * dim_v, dim_qk, dim_v, scale, softcap,
			v_descale != NULL ? v_descale[bh] : 1.0, sink != NULL ? sink + h : NULL,
		};

		pr.scale *= q_descale != NULL ? q_descale[bh] : 1.0;
		pr.scale *= k_descale != NULL ? k_descale[bh] : 1.0;
		lse[h * total_q + iq] = (float)solve(&pr, x, o, out + (iq * heads_q + h) * dim_v);
	}
	free(row);
	free(o);
	free(x);
	return rc;
}
