/*
 * Attention, forward, on one thread of a CPU.
 *
 * The queries of all heads that share their keys are the rows of one matrix.
 * Keys are scaled and turned, eight by eight, into panels k[d][KEYS], values are
 * packed in blocks of KEYS columns, so that both products run on tiles of ROWS
 * by KEYS sums that stay in registers. A tile of rows is finished before the
 * next one starts; panels that none of its rows sees are not touched.
 * All heads use one workspace, which is kept from call to call and not cleared.
 * Where a query sees BRIEF keys at most, the tensors are read in their own order
 * and nothing is turned or packed.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kseek_kernel.h"

int attention_forward(const float *q, const float *k, const float *v,
	const int32_t *cu_seqlens_q, const int32_t *cu_seqlens_k, const int32_t *seqused_k,
	const int32_t *page_table, const float *sink, const float *q_descale,
	const float *k_descale, const float *v_descale, float *out, float *lse, int32_t elem,
	int64_t batch, int64_t total_q, int64_t kv_rows, int64_t heads_q, int64_t heads_kv,
	int64_t dim_qk, int64_t dim_v, int64_t page_size, int64_t table_width, int64_t max_q,
	int64_t max_k, int32_t causal, int32_t window_left, int32_t window_right, float softcap,
	float scale);

#define ROWS 6
#define LANES 8
#define KEYS (2 * LANES)
#define BRIEF 8

#define INLINE static inline __attribute__((always_inline))

typedef float vec __attribute__((vector_size(4 * LANES)));
typedef float loose __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int32_t ivec __attribute__((vector_size(4 * LANES)));

/* One sequence and one key head. Row r of the problem is query r / group of
 * head r % group. */
struct work {
	const float *q, *k, *v;
	float *out, *lse;
	const int32_t *pages;
	const float *sink;
	int64_t page_size, base, queries, keys;
	int64_t group, q_stride, o_stride, k_stride, v_stride, lse_stride;
	int64_t dim_qk, dim_v;
	int64_t left, right;
	float scale, softcap, out_scale;
	float *panels;		/* [key / KEYS][d][KEYS]; shared by all heads */
	float *values;		/* [d / KEYS][key][KEYS], padded; shared */
	float *scores;		/* [ROWS][width]; shared */
	int64_t width;
};

INLINE vec load(const float *p)
{
	return *(const loose *)p;
}

INLINE void store(float *p, vec x)
{
	*(loose *)p = x;
}

INLINE vec same(float x)
{
	return x - (vec){0};
}

INLINE vec larger(vec a, vec b)
{
	const ivec m = a > b;

	return (vec)(((ivec)a & m) | ((ivec)b & ~m));
}

INLINE float largest(vec x)
{
	x = larger(x, __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3));
	x = larger(x, __builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5));
	x = larger(x, __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6));
	return x[0];
}

INLINE float total(vec x)
{
	x += __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3);
	x += __builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5);
	x += __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6);
	return x[0];
}

/* e^x - 1 = power * (result + 1) - 1, for |x| <= 87. */
INLINE vec exp_parts(vec x, vec *power)
{
	const vec t = x * 1.44269504f + 12582912.0f;
	const vec n = t - 12582912.0f;
	const vec f = x - n * 0.693359375f + n * 2.12194440e-4f;
	vec p = same(1.0f / 5040);

	p = p * f + 1.0f / 720;
	p = p * f + 1.0f / 120;
	p = p * f + 1.0f / 24;
	p = p * f + 1.0f / 6;
	p = p * f + 0.5f;
	*power = (vec)(((ivec)t << 23) + (127 << 23));
	return p * f * f + f;
}

/* e^x for x <= 0; 0 below -87. */
INLINE vec exp_of(vec x)
{
	const ivec tiny = x < -87.0f;
	vec power;
	const vec p = exp_parts(larger(x, same(-87.0f)), &power);

	return (vec)((ivec)(p * power + power) & ~tiny);
}

INLINE vec tanh_of(vec x)
{
	const ivec sign = (ivec)x & (ivec)same(-0.0f);
	vec a = (vec)((ivec)x ^ sign);
	vec power;

	a = -larger(-a, same(-10.0f));
	a = exp_parts(2.0f * a, &power);
	a = a * power + (power - 1.0f);
	return (vec)((ivec)(a / (a + 2.0f)) | sign);
}

INLINE int64_t row_of(const struct work *w, int64_t j)
{
	if (w->pages != NULL) {
		return w->pages[j / w->page_size] * w->page_size + j % w->page_size;
	}
	return w->base + j;
}

/* Query i sees the keys low .. high - 1. */
INLINE void seen(const struct work *w, int64_t i, int64_t *low, int64_t *high)
{
	const int64_t diagonal = i + w->keys - w->queries;

	*low = 0;
	*high = w->keys;
	if (w->left >= 0 && diagonal > w->left) {
		*low = diagonal - w->left;
	}
	if (w->right >= 0 && diagonal + w->right < w->keys) {
		*high = diagonal + w->right + 1;
	}
	if (*high < *low) {
		*high = *low;
	}
	if (*high <= 0) {
		*low = *high = 0;
	}
}

/* An 8 by 8 block, from rows to columns. */
INLINE void transpose(const float *const *in, float *out, float scale)
{
	vec a[8], b[8];

	for (int i = 0; i < 8; i++) {
		a[i] = load(in[i]) * scale;
	}
	for (int i = 0; i < 8; i += 2) {
		b[i] = __builtin_shufflevector(a[i], a[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
		b[i + 1] = __builtin_shufflevector(a[i], a[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
	}
	for (int i = 0; i < 8; i += 4) {
		for (int j = 0; j < 2; j++) {
			a[i + 2 * j] = __builtin_shufflevector(b[i + j], b[i + j + 2], 0, 1, 8, 9,
				4, 5, 12, 13);
			a[i + 2 * j + 1] = __builtin_shufflevector(b[i + j], b[i + j + 2], 2, 3, 10,
				11, 6, 7, 14, 15);
		}
	}
	for (int i = 0; i < 4; i++) {
		store(out + i * KEYS,
			__builtin_shufflevector(a[i], a[i + 4], 0, 1, 2, 3, 8, 9, 10, 11));
		store(out + (i + 4) * KEYS,
			__builtin_shufflevector(a[i], a[i + 4], 4, 5, 6, 7, 12, 13, 14, 15));
	}
}

/* Keys j .. j + KEYS - 1 as panel[d][key]; the last key again behind the end. */
static void turn_keys(const struct work *w, int64_t j, float *panel)
{
	const float *rows[KEYS];
	int64_t d = 0;

	for (int64_t i = 0; i < KEYS; i++) {
		const int64_t key = j + i < w->keys ? j + i : w->keys - 1;

		rows[i] = w->k + row_of(w, key) * w->k_stride;
	}
	for (; d + 8 <= w->dim_qk; d += 8) {
		transpose(rows, panel + d * KEYS, w->scale);
		transpose(rows + 8, panel + d * KEYS + 8, w->scale);
		for (int i = 0; i < KEYS; i++) {
			rows[i] += 8;
		}
	}
	for (; d < w->dim_qk; d++) {
		for (int i = 0; i < KEYS; i++) {
			panel[d * KEYS + i] = *rows[i]++ * w->scale;
		}
	}
}

INLINE void score_n(const float *const *q, const float *panel, int64_t dim, float *s,
	int64_t width, const int n)
{
	vec acc[ROWS][2] = {0};

	for (int64_t d = 0; d < dim; d++, panel += KEYS) {
		const vec k0 = load(panel);
		const vec k1 = load(panel + LANES);

#pragma GCC unroll 6
		for (int r = 0; r < n; r++) {
			acc[r][0] += q[r][d] * k0;
			acc[r][1] += q[r][d] * k1;
		}
	}
#pragma GCC unroll 6
	for (int r = 0; r < n; r++) {
		store(s + r * width, acc[r][0]);
		store(s + r * width + LANES, acc[r][1]);
	}
}

/* The rows r .. r + n - 1, the last one again up to ROWS. */
static void find_queries(const struct work *w, int64_t r, int n, const float **q)
{
	for (int t = 0; t < ROWS; t++) {
		const int64_t row = r + (t < n ? t : n - 1);

		q[t] = w->q + row / w->group * w->q_stride + row % w->group * w->dim_qk;
	}
}

/* The scores of n rows for one panel. */
static void score(const struct work *w, const float *const *q, const float *panel, float *s, int n)
{
	switch (n) {
	case 1:
		score_n(q, panel, w->dim_qk, s, w->width, 1);
		break;
	case 2:
		score_n(q, panel, w->dim_qk, s, w->width, 2);
		break;
	case 3:
	case 4:
		score_n(q, panel, w->dim_qk, s, w->width, 4);
		break;
	default:
		score_n(q, panel, w->dim_qk, s, w->width, 6);
		break;
	}
}

INLINE void value_n(const float *p, int64_t width, const float *v, int64_t keys, float *o,
	const int n)
{
	vec acc[ROWS][2] = {0};

	for (int64_t j = 0; j < keys; j++, v += KEYS) {
		const vec v0 = load(v);
		const vec v1 = load(v + LANES);

#pragma GCC unroll 6
		for (int r = 0; r < n; r++) {
			acc[r][0] += p[r * width + j] * v0;
			acc[r][1] += p[r * width + j] * v1;
		}
	}
#pragma GCC unroll 6
	for (int r = 0; r < n; r++) {
		store(o + r * KEYS, acc[r][0]);
		store(o + r * KEYS + LANES, acc[r][1]);
	}
}

/* One block of columns of the output for n rows. */
static void value(const float *p, int64_t width, const float *v, int64_t keys, float *o, int n)
{
	switch (n) {
	case 1:
		value_n(p, width, v, keys, o, 1);
		break;
	case 2:
		value_n(p, width, v, keys, o, 2);
		break;
	case 3:
	case 4:
		value_n(p, width, v, keys, o, 4);
		break;
	default:
		value_n(p, width, v, keys, o, 6);
		break;
	}
}

static void fill(float *p, int64_t from, int64_t to, float x)
{
	for (int64_t j = from; j < to; j++) {
		p[j] = x;
	}
}

/* s[low .. high) from scores to e^(score - largest), 0 elsewhere in [from, to),
 * whose length is a multiple of KEYS. Returns the lse. */
static float softmax(const struct work *w, float *s, int64_t low, int64_t high, int64_t from,
	int64_t to, const float *sink, float *factor)
{
	const ivec step = {0, 1, 2, 3, 4, 5, 6, 7};
	vec best = same(-INFINITY);
	vec sums = {0};
	float top = sink != NULL ? *sink : -INFINITY;
	float sum;

	for (int64_t j = from; j < to; j += LANES) {
		const ivec key = step + (int32_t)j;
		const ivec hidden = (key < (int32_t)low) | (key >= (int32_t)high);
		vec x = load(s + j);

		if (w->softcap > 0.0f) {
			x = w->softcap * tanh_of(x / w->softcap);
		}
		x = (vec)(((ivec)x & ~hidden) | ((ivec)same(-INFINITY) & hidden));
		store(s + j, x);
		best = larger(x, best);
	}
	top = largest(best) > top ? largest(best) : top;
	*factor = 0.0f;
	if (top == -INFINITY) {
		fill(s, from, to, 0.0f);
		return top;
	}
	for (int64_t j = from; j < to; j += LANES) {
		const vec p = exp_of(load(s + j) - top);

		store(s + j, p);
		sums += p;
	}
	sum = total(sums);
	if (sink != NULL) {
		sum += expf(*sink - top);
	}
	*factor = w->out_scale / sum;
	return top + logf(sum);
}

/* Softmax of rows r .. r + n - 1, whose scores are in s. */
static void softmax_rows(const struct work *w, float *s, int64_t r, int n, int64_t from,
	int64_t to, float *factor)
{
	for (int t = 0; t < n; t++) {
		const int64_t i = (r + t) / w->group;
		const int64_t g = (r + t) % w->group;
		int64_t low, high;

		seen(w, i, &low, &high);
		if (high == low) {
			low = high = from;
		}
		w->lse[g * w->lse_stride + i] = softmax(w, s + t * w->width, low, high, from, to,
			w->sink != NULL ? w->sink + g : NULL, factor + t);
	}
}

static void write_out(const struct work *w, int64_t r, int64_t column, int64_t columns,
	const float *in, float factor)
{
	float *o = w->out + r / w->group * w->o_stride + r % w->group * w->dim_v + column;

	for (int64_t d = 0; d < columns; d++) {
		o[d] = in[d] * factor;
	}
}

/* Values of keys from .. to - 1 in blocks of KEYS columns. */
static void pack_values(const struct work *w, int64_t from, int64_t to)
{
	const int64_t whole = w->dim_v / KEYS * KEYS;

	for (int64_t j = from; j < to; j++) {
		const float *v = w->v + row_of(w, j) * w->v_stride;
		float *o = w->values + j * KEYS;

		for (int64_t c = 0; c < whole; c += KEYS, o += w->width * KEYS) {
			store(o, load(v + c));
			store(o + LANES, load(v + c + LANES));
		}
		if (whole < w->dim_v) {
			memcpy(o, v + whole, (size_t)(w->dim_v - whole) * sizeof *v);
			fill(o, w->dim_v - whole, KEYS, 0.0f);
		}
	}
}

INLINE float dot(const float *a, const float *b, int64_t n)
{
	vec sums = {0};
	float sum = 0.0f;
	int64_t d = 0;

	for (; d + LANES <= n; d += LANES) {
		sums += load(a + d) * load(b + d);
	}
	for (; d < n; d++) {
		sum += a[d] * b[d];
	}
	return sum + total(sums);
}

/* One row that sees at most BRIEF keys, straight from the tensors. */
static void attend_brief(const struct work *w, int64_t i, int64_t g)
{
	const float *q = w->q + i * w->q_stride + g * w->dim_qk;
	float *o = w->out + i * w->o_stride + g * w->dim_v;
	float top = w->sink != NULL ? w->sink[g] : -INFINITY;
	float p[BRIEF];
	float sum;
	int64_t low, high;

	seen(w, i, &low, &high);
	for (int64_t j = low; j < high; j++) {
		float x = w->scale * dot(q, w->k + row_of(w, j) * w->k_stride, w->dim_qk);

		if (w->softcap > 0.0f) {
			x = w->softcap * tanhf(x / w->softcap);
		}
		p[j - low] = x;
		top = x > top ? x : top;
	}
	if (top == -INFINITY) {
		fill(o, 0, w->dim_v, 0.0f);
		w->lse[g * w->lse_stride + i] = top;
		return;
	}
	sum = w->sink != NULL ? expf(w->sink[g] - top) : 0.0f;
	for (int64_t j = low; j < high; j++) {
		p[j - low] = expf(p[j - low] - top);
		sum += p[j - low];
	}
	w->lse[g * w->lse_stride + i] = top + logf(sum);
	if (low == high) {
		fill(o, 0, w->dim_v, 0.0f);
	}
	for (int64_t j = low; j < high; j++) {
		const float *v = w->v + row_of(w, j) * w->v_stride;
		const float factor = p[j - low] * (w->out_scale / sum);

		for (int64_t d = 0; d < w->dim_v; d++) {
			o[d] = (j > low ? o[d] : 0.0f) + factor * v[d];
		}
	}
}

/* The most keys that one query sees. */
static int64_t most_seen(const struct work *w)
{
	int64_t most = w->keys;

	if (w->left >= 0 && w->right >= 0 && w->left + w->right + 1 < most) {
		most = w->left + w->right + 1;
	}
	return most;
}

/* Many queries: all panels first, then tile by tile. */
static void attend_many(const struct work *w)
{
	const int64_t rows = w->queries * w->group;
	const float *queries[ROWS];
	float tile[ROWS * KEYS];
	float factor[ROWS];
	int64_t first, last, low, high;

	seen(w, 0, &first, &high);
	seen(w, w->queries - 1, &low, &last);
	first = first / KEYS * KEYS;
	for (int64_t j = first; j < last; j += KEYS) {
		turn_keys(w, j, w->panels + j * w->dim_qk);
	}
	pack_values(w, first, last);
	for (int64_t r = 0; r < rows; r += ROWS) {
		const int n = rows - r < ROWS ? (int)(rows - r) : ROWS;
		int64_t from, to;

		seen(w, r / w->group, &from, &high);
		seen(w, (r + n - 1) / w->group, &low, &to);
		from = from / KEYS * KEYS;
		find_queries(w, r, n, queries);
		for (int64_t j = from; j < to; j += KEYS) {
			score(w, queries, w->panels + j * w->dim_qk, w->scores + j, n);
		}
		softmax_rows(w, w->scores, r, n, from, (to + KEYS - 1) / KEYS * KEYS, factor);
		for (int64_t c = 0; c < w->dim_v; c += KEYS) {
			value(w->scores + from, w->width, w->values + c * w->width + from * KEYS,
				to - from, tile, n);
			for (int t = 0; t < n; t++) {
				write_out(w, r + t, c, w->dim_v - c < KEYS ? w->dim_v - c : KEYS,
					tile + t * KEYS, factor[t]);
			}
		}
	}
}

/* One sequence. */
static void attend(const struct work *heads, int64_t heads_kv)
{
	const int64_t rows = heads->queries * heads->group;

	if (most_seen(heads) <= BRIEF) {
		for (int64_t i = 0; i < heads->queries; i++) {
			for (int64_t h = 0; h < heads_kv * heads->group; h++) {
				attend_brief(heads + h / heads->group, i, h % heads->group);
			}
		}
	} else if (rows > 0) {
		for (int64_t hk = 0; hk < heads_kv; hk++) {
			attend_many(heads + hk);
		}
	}
}

static size_t padded(int64_t n)
{
	return ((size_t)n + KEYS - 1) / KEYS * KEYS + KEYS;
}

/* Memory that is kept between calls. */
static void *workspace(size_t need)
{
	static _Thread_local char *space;
	static _Thread_local size_t have;

	if (need > have) {
		char *more = aligned_alloc(64, (need + 63) / 64 * 64);

		if (more == NULL) {
			return NULL;
		}
		free(space);
		space = more;
		have = need;
	}
	return space;
}

/* How many keys the sequence b has. */
static int64_t keys_of(const int32_t *cu_seqlens_k, const int32_t *seqused_k, int64_t b,
	int64_t max_k)
{
	if (seqused_k != NULL) {
		return seqused_k[b];
	}
	return cu_seqlens_k != NULL ? cu_seqlens_k[b + 1] - cu_seqlens_k[b] : max_k;
}

/* The factor of one head, 1 where there are none. */
static float factor(const float *factors, int64_t bh)
{
	return factors != NULL ? factors[bh] : 1.0f;
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
	const size_t keys = padded(max_k);
	const size_t panels = keys * (size_t)dim_qk;
	const size_t values = keys * padded(dim_v);
	struct work *heads = workspace((size_t)heads_kv * sizeof *heads
		+ (panels + values + keys * ROWS) * 4 + 64);
	float *data;

	(void)kv_rows;
	(void)max_q;
	if (elem != KSEEK_FLOAT32 || heads == NULL) {
		return 1;
	}
	data = (float *)((char *)heads + ((size_t)heads_kv * sizeof *heads + 63) / 64 * 64);
	for (int64_t b = 0; b < batch; b++) {
		const int64_t first = cu_seqlens_q[b];

		for (int64_t hk = 0; hk < heads_kv; hk++) {
			struct work *w = heads + hk;
			const int64_t group = heads_q / heads_kv;
			const int64_t h = hk * group;
			const int64_t bh = b * heads_kv + hk;

			*w = (struct work){
				.q = q + (first * heads_q + h) * dim_qk,
				.k = k + hk * dim_qk,
				.v = v + hk * dim_v,
				.out = out + (first * heads_q + h) * dim_v,
				.lse = lse + h * total_q + first,
				.pages = page_table != NULL ? page_table + b * table_width : NULL,
				.sink = sink != NULL ? sink + h : NULL,
				.page_size = page_size,
				.base = cu_seqlens_k != NULL ? cu_seqlens_k[b] : b * max_k,
				.queries = cu_seqlens_q[b + 1] - first,
				.keys = keys_of(cu_seqlens_k, seqused_k, b, max_k),
				.group = group,
				.q_stride = heads_q * dim_qk, .o_stride = heads_q * dim_v,
				.k_stride = heads_kv * dim_qk, .v_stride = heads_kv * dim_v,
				.lse_stride = total_q,
				.dim_qk = dim_qk, .dim_v = dim_v,
				.left = window_left, .right = causal ? 0 : window_right,
				.scale = scale * factor(q_descale, bh) * factor(k_descale, bh),
				.softcap = softcap,
				.out_scale = factor(v_descale, bh),
				.panels = data,
				.values = data + panels,
				.scores = data + panels + values,
				.width = (int64_t)keys,
			};
		}
		attend(heads, heads_kv);
	}
	return 0;
}
