/*
 * Attention, forward, on one thread of a CPU.
 *
 * Keys and values are taken four at a time: a part of the query is loaded once
 * for four products, the output once for four additions.
 *
 * Sequence b owns the query rows cu_seqlens_q[b] .. cu_seqlens_q[b + 1] - 1.
 * Its number of keys is seqused_k[b] if that is given, else the length that
 * cu_seqlens_k gives, else max_k. Key j of sequence b lies
 *   - with a page table: in page page_table[b][j / page_size], row j % page_size
 *   - with cu_seqlens_k: in row cu_seqlens_k[b] + j
 *   - else:              in row b * max_k + j
 *
 * Query i sees key j if j is in its window. Both ends are counted from the
 * diagonal that ends in the bottom right corner: i + keys - queries. A window
 * of -1 is open; causal closes the right side.
 *
 * A sink adds exp(sink[head]) to the sum of the softmax and nothing to the
 * output. lse is the logarithm of that sum, -INFINITY if it is empty; a query
 * that sees no key gives 0.
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

/* The keys and values of one head of one sequence, as one query sees them. */
struct view {
	const float *k;		/* row 0 of this head */
	const float *v;
	int64_t k_stride;	/* from a row to the next one */
	int64_t v_stride;
	int64_t dim_qk;
	int64_t dim_v;
	const int32_t *pages;	/* null: the rows follow one another from base on */
	int64_t page_size;
	int64_t base;
	int64_t low;		/* keys low .. high - 1 are seen */
	int64_t high;
	float scale;
	float softcap;
	const float *sink;	/* of this head, or null */
	float out_scale;
};

static int64_t key_row(const struct view *view, int64_t j)
{
	if (view->pages != NULL) {
		return view->pages[j / view->page_size] * view->page_size + j % view->page_size;
	}
	return view->base + j;
}

#define LANES 8

/* The products of one query with four keys. */
static void dot4(const float *q, const float *const k[4], int64_t n, float x[4])
{
	float a[LANES] = {0}, b[LANES] = {0}, c[LANES] = {0}, d[LANES] = {0};
	int64_t i = 0;

	for (; i + LANES <= n; i += LANES) {
		for (int l = 0; l < LANES; l++) {
			a[l] += q[i + l] * k[0][i + l];
			b[l] += q[i + l] * k[1][i + l];
			c[l] += q[i + l] * k[2][i + l];
			d[l] += q[i + l] * k[3][i + l];
		}
	}
	for (; i < n; i++) {
		a[0] += q[i] * k[0][i];
		b[0] += q[i] * k[1][i];
		c[0] += q[i] * k[2][i];
		d[0] += q[i] * k[3][i];
	}
	for (int l = 0; l < 4; l++) {
		a[l] += a[l + 4];
		b[l] += b[l + 4];
		c[l] += c[l + 4];
		d[l] += d[l + 4];
	}
	x[0] = (a[0] + a[1]) + (a[2] + a[3]);
	x[1] = (b[0] + b[1]) + (b[2] + b[3]);
	x[2] = (c[0] + c[1]) + (c[2] + c[3]);
	x[3] = (d[0] + d[1]) + (d[2] + d[3]);
}

/* out += p[0] v[0] + ... + p[3] v[3] */
static void add4(float *out, const float p[4], const float *const v[4], int64_t n)
{
	const float *v0 = v[0], *v1 = v[1], *v2 = v[2], *v3 = v[3];

	for (int64_t d = 0; d < n; d++) {
		out[d] += (p[0] * v0[d] + p[1] * v1[d]) + (p[2] * v2[d] + p[3] * v3[d]);
	}
}

static void rows4(const struct view *view, const float *base, int64_t stride, int64_t j,
	const float *row[4])
{
	for (int64_t t = 0; t < 4; t++) {
		const int64_t key = j + t < view->high ? j + t : view->high - 1;

		row[t] = base + key_row(view, key) * stride;
	}
}

/* One query of one head: scores, softmax, weighted sum of the values. p has
 * room for a score of every key and three more. Returns the lse. */
static float attend(const struct view *view, const float *q, float *out, float *p)
{
	float top = view->sink != NULL ? *view->sink : -INFINITY;
	const float *row[4];
	float sum;

	for (int64_t j = view->low; j < view->high; j += 4) {
		rows4(view, view->k, view->k_stride, j, row);
		dot4(q, row, view->dim_qk, p + j);
	}
	for (int64_t j = view->low; j < view->high; j++) {
		float x = view->scale * p[j];

		if (view->softcap > 0.0f) {
			x = view->softcap * tanhf(x / view->softcap);
		}
		p[j] = x;
		top = x > top ? x : top;
	}
	for (int64_t d = 0; d < view->dim_v; d++) {
		out[d] = 0.0f;
	}
	if (top == -INFINITY) {
		return -INFINITY;
	}
	sum = view->sink != NULL ? expf(*view->sink - top) : 0.0f;
	for (int64_t j = view->low; j < view->high; j++) {
		p[j] = expf(p[j] - top);
		sum += p[j];
	}
	for (int64_t j = view->high; j < view->high + 3; j++) {
		p[j] = 0.0f;
	}
	for (int64_t j = view->low; j < view->high; j += 4) {
		rows4(view, view->v, view->v_stride, j, row);
		add4(out, p + j, row, view->dim_v);
	}
	for (int64_t d = 0; d < view->dim_v; d++) {
		out[d] *= view->out_scale / sum;
	}
	return top + logf(sum);
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
	float *p = malloc(((size_t)max_k + 4) * sizeof *p);

	(void)kv_rows;
	(void)max_q;
	if (p == NULL || elem != KSEEK_FLOAT32) {
		free(p);
		return 1;
	}
	if (causal) {
		window_right = 0;
	}
	for (int64_t b = 0; b < batch; b++) {
		const int64_t first = cu_seqlens_q[b];
		const int64_t queries = cu_seqlens_q[b + 1] - first;
		int64_t base = b * max_k;
		int64_t keys = max_k;

		if (cu_seqlens_k != NULL) {
			base = cu_seqlens_k[b];
			keys = cu_seqlens_k[b + 1] - base;
		}
		if (seqused_k != NULL) {
			keys = seqused_k[b];
		}
		for (int64_t h = 0; h < heads_q; h++) {
			const int64_t hk = h / (heads_q / heads_kv);
			const int64_t bh = b * heads_kv + hk;
			struct view view = {
				k + hk * dim_qk, v + hk * dim_v, heads_kv * dim_qk,
				heads_kv * dim_v, dim_qk, dim_v,
				page_table != NULL ? page_table + b * table_width : NULL,
				page_size, base, 0, keys, scale, softcap,
				sink != NULL ? sink + h : NULL,
				v_descale != NULL ? v_descale[bh] : 1.0f,
			};

			view.scale *= q_descale != NULL ? q_descale[bh] : 1.0f;
			view.scale *= k_descale != NULL ? k_descale[bh] : 1.0f;
			for (int64_t i = 0; i < queries; i++) {
				const int64_t row = (first + i) * heads_q + h;
				const int64_t diagonal = i + keys - queries;

				view.low = 0;
				view.high = keys;
				if (window_left >= 0 && diagonal - window_left > 0) {
					view.low = diagonal - window_left;
				}
				if (window_right >= 0 && diagonal + window_right < keys) {
					view.high = diagonal + window_right + 1;
				}
				lse[h * total_q + first + i] =
					attend(&view, q + row * dim_qk, out + row * dim_v, p);
			}
		}
	}
	free(p);
	return 0;
}
