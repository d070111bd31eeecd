/*
 * Contents of inputs. Work goes in chunks of elements that start at a multiple
 * of four: random words in bulk, floats from them in loops that the compiler
 * vectorises, the variant's bend, conversion to the dtype. On x86-64 the float
 * loops exist twice, once compiled for AVX2; without fused operations and
 * library functions both give the same bits, so what was made can be made again
 * anywhere.
 *
 * draw.h has what one element is made of; here are loops over many, and what
 * needs more than its own place to be made.
 */
#include "eval/generate.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "eval/draw.h"

#define CHUNK 2048
#define FOREVER UINT64_MAX /* stands for the call of a fixed tensor */

struct maker {
	const struct ks_arg *arg;
	uint32_t key[2];
	enum ks_variant variant;
	uint64_t cols;         /* length of the last axis, at least 1 */
	float scale, shift;    /* of the variant                      */
	float *pattern;        /* structured: KS_DRAW_PATTERN floats, or NULL */
};

int ks_seed_parse(struct ks_seed *out, const char *hex, struct ks_err *err)
{
	struct ks_seed seed = {{0}};
	size_t i = 0;
	for (; i < 32 && hex[i] != '\0'; i++) {
		const char *digits = "0123456789abcdef";
		int c = hex[i] >= 'A' && hex[i] <= 'F' ? hex[i] + 32 : hex[i];
		const char *at = strchr(digits, c);
		if (at == NULL) {
			break;
		}
		seed.key[i / 8] = seed.key[i / 8] << 4 | (uint32_t)(at - digits);
	}
	if (i != 32 || hex[32] != '\0') {
		return ks_err_set(err, KS_EINVAL,
			"key: not 32 hexadecimal digits; pass 128 random bits in hexadecimal");
	}
	*out = seed;
	return 0;
}

const char *ks_variant_name(enum ks_variant variant)
{
	static const char *const names[KS_VARIANT_COUNT] = {"plain", "scaled", "shifted",
		"outliers", "structured", "ill_conditioned", "mixed_rows"};
	return names[variant];
}

/* ---- floats from words ---- */

static inline __attribute__((always_inline)) void normals(float *restrict out,
	const uint32_t *restrict words, size_t count, float mean, float std)
{
	for (size_t i = 0; i < count / 2; i++) {
		float a, b;
		ks_normal_pair(words[2 * i], words[2 * i + 1], &a, &b);
		out[2 * i] = mean + std * a;
		out[2 * i + 1] = mean + std * b;
	}
}

static inline __attribute__((always_inline)) void uniforms(float *restrict out,
	const uint32_t *restrict words, size_t count, float low, float width)
{
	for (size_t i = 0; i < count; i++) {
		out[i] = ks_uniform_of(words[i], low, width);
	}
}

static inline __attribute__((always_inline)) void draw(float *out, const uint32_t *words,
	size_t count, const struct ks_gen *gen)
{
	if (gen->dist == KS_DIST_NORMAL) {
		normals(out, words, count, (float)gen->a, (float)gen->b);
	} else {
		uniforms(out, words, count, (float)gen->a, (float)(gen->b - gen->a));
	}
}

#if defined(__x86_64__)
static __attribute__((target("avx2"))) void draw_avx2(float *out, const uint32_t *words,
	size_t count, const struct ks_gen *gen)
{
	draw(out, words, count, gen);
}
#endif

/* count floats of elements [start, start + count); start and count are
 * multiples of 4, count <= CHUNK. */
static void draw_floats(float *out, const struct maker *m, enum ks_draw_for purpose,
	uint64_t start, size_t count)
{
	uint32_t words[CHUNK];
	ks_philox_fill(m->key, start / 4, 0, purpose, words, count / 4);
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2")) {
		draw_avx2(out, words, count, &m->arg->gen);
		return;
	}
#endif
	draw(out, words, count, &m->arg->gen);
}

/* ---- variants ---- */

static void bend_rows(float *v, const struct maker *m, uint64_t start, size_t count)
{
	uint64_t row = start / m->cols, col = start % m->cols;
	float scale = 0;
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || col == m->cols) {
			uint32_t counter[4] = {(uint32_t)(row + (col == m->cols)), 0, 0,
				KS_FOR_ROW};
			uint32_t block[4];
			row += col == m->cols;
			col = col == m->cols ? 0 : col;
			counter[1] = (uint32_t)(row >> 32);
			ks_philox(m->key, counter, block);
			scale = ldexpf(1, (int)(block[0] & 7) - 4);
		}
		v[i] *= scale;
		col++;
	}
}

static void bend_outliers(float *v, const struct maker *m, uint64_t start, size_t count)
{
	uint32_t words[CHUNK];
	ks_philox_fill(m->key, start / 4, 0, KS_FOR_OUTLIER, words, count / 4);
	for (size_t i = 0; i < count; i++) {
		v[i] *= (words[i] & 127) == 0 ? 16.0f : 1.0f;
	}
}

static void bend(float *v, const struct maker *m, uint64_t start, size_t count)
{
	switch (m->variant) {
	case KS_SCALED:
	case KS_SHIFTED:
		for (size_t i = 0; i < count; i++) {
			v[i] = v[i] * m->scale + m->shift;
		}
		return;
	case KS_OUTLIERS:
		bend_outliers(v, m, start, count);
		return;
	case KS_STRUCTURED:
		for (size_t i = 0; i < count; i++) {
			uint64_t col = (start + i) % m->cols % KS_DRAW_PATTERN;
			v[i] = 0.125f * v[i] + 0.875f * m->pattern[col];
		}
		return;
	case KS_ILL_CONDITIONED:
		for (size_t i = 0; i + 1 < count; i += 2) {
			v[i] *= 8.0f;
			v[i + 1] = v[i + 1] * 0.0625f - v[i];
		}
		return;
	case KS_MIXED_ROWS:
		bend_rows(v, m, start, count);
		return;
	default:
		return;
	}
}

static void prepare_variant(struct maker *m)
{
	uint32_t counter[4] = {0, 0, 0, KS_FOR_BEND}, block[4];
	const struct ks_gen *g = &m->arg->gen;
	ks_philox(m->key, counter, block);
	m->scale = 1;
	if (m->variant == KS_SCALED) {
		static const float scales[4] = {0.125f, 0.25f, 4, 8};
		m->scale = scales[block[0] & 3];
	}
	if (m->variant == KS_SHIFTED) {
		float unit = (float)(g->dist == KS_DIST_NORMAL ? g->b : (g->b - g->a) / 2);
		float size = 0.5f + 1.5f * ((float)(int32_t)(block[0] >> 8) * 0x1p-24f);
		m->shift = block[1] & 1 ? -size * unit : size * unit;
	}
	if (m->variant == KS_STRUCTURED) {
		m->pattern = ks_alloc(KS_DRAW_PATTERN * sizeof(m->pattern[0]));
		for (size_t i = 0; i < KS_DRAW_PATTERN; i += CHUNK) {
			draw_floats(m->pattern + i, m, KS_FOR_PATTERN, i, CHUNK);
		}
	}
}

/* ---- kinds ---- */

/* float64 keeps the float's value and gets random bits below its last one. */
static void widen(double *out, const float *v, const struct maker *m, uint64_t start,
	size_t count)
{
	uint32_t words[CHUNK];
	ks_philox_fill(m->key, start / 4, 0, KS_FOR_LOW_BITS, words, count / 4);
	for (size_t i = 0; i < count; i++) {
		double part = ((double)words[i] - 0x1p31) * 0x1p-32;
		out[i] = (double)v[i] * (1.0 + part * 0x1p-23);
	}
}

static void clamp(float *v, size_t count, float limit)
{
	for (size_t i = 0; i < count; i++) {
		float x = v[i] < -limit ? -limit : v[i];
		v[i] = x > limit ? limit : x;
	}
}

/* A chunk of a drawn float kind, converted into out (count elements). */
static void float_chunk(void *out, const struct maker *m, uint64_t start, size_t count)
{
	enum ks_dtype dtype = m->arg->dtype;
	float local[CHUNK];
	float *v = dtype == KS_FLOAT32 ? out : local;
	draw_floats(v, m, KS_FOR_VALUE, start, count);
	bend(v, m, start, count);
	if (dtype == KS_FLOAT64) {
		widen(out, v, m, start, count);
	} else if (dtype != KS_FLOAT32) {
		clamp(v, count, (float)ks_dtype_max(dtype));
		ks_dtype_from_float(dtype, out, v, count);
	}
}

static void integer_chunk(void *out, const struct maker *m, uint64_t start, size_t count)
{
	uint32_t words[CHUNK], more[CHUNK];
	const struct ks_gen *g = &m->arg->gen;
	uint64_t range = (uint64_t)g->high - (uint64_t)g->low + 1; /* 0: all 2^64 */
	bool wide = range == 0 || range > UINT32_MAX;
	ks_philox_fill(m->key, start / 4, 0, KS_FOR_VALUE, words, count / 4);
	if (!wide && m->arg->dtype == KS_INT32) {
		int32_t *to = out;
		for (size_t i = 0; i < count; i++) {
			to[i] = (int32_t)(g->low + (int64_t)(words[i] * range >> 32));
		}
		return;
	}
	if (wide) {
		ks_philox_fill(m->key, start / 4, 0, KS_FOR_LOW_BITS, more, count / 4);
	}
	for (size_t i = 0; i < count; i++) {
		uint64_t pick = words[i] * range >> 32;
		if (wide) {
			uint64_t bits = (uint64_t)words[i] << 32 | more[i];
			pick = range == 0 ? bits
				: (uint64_t)((unsigned __int128)bits * range >> 64);
		}
		int64_t v = (int64_t)((uint64_t)g->low + pick);
		if (m->arg->dtype == KS_INT64) {
			((int64_t *)out)[i] = v;
		} else {
			ks_dtype_put(m->arg->dtype, out, i, (double)v);
		}
	}
}

static void shuffle_init(struct ks_shuffle *s, const struct maker *m, uint64_t n)
{
	s->n = n;
	s->half = 1;
	while (s->half < 31 && ((uint64_t)1 << 2 * s->half) < n) {
		s->half++;
	}
	s->mask = ((uint64_t)1 << s->half) - 1;
	ks_philox_fill(m->key, 0, 0, KS_FOR_VALUE, s->round, 2);
}

static void put_index(enum ks_dtype dtype, void *out, size_t i, int64_t v)
{
	if (dtype == KS_INT32) {
		((int32_t *)out)[i] = (int32_t)v;
	} else {
		((int64_t *)out)[i] = v;
	}
}

static void shuffled(void *out, const struct maker *m, uint64_t first, uint64_t count)
{
	struct ks_shuffle s;
	shuffle_init(&s, m, (uint64_t)m->arg->gen.total);
	for (uint64_t i = 0; i < count; i++) {
		put_index(m->arg->dtype, out, i, (int64_t)ks_shuffle_at(&s, first + i));
	}
}

static float exponential(const struct maker *m, uint64_t i)
{
	uint32_t counter[4] = {(uint32_t)(i / 4), (uint32_t)(i / 4 >> 32), 0, KS_FOR_VALUE};
	uint32_t block[4];
	ks_philox(m->key, counter, block);
	return -ks_log_of((float)(int32_t)((block[i % 4] >> 8) + 1) * 0x1p-24f);
}

/* Lengths of the pieces. What rounding down and the longest length leave over
 * is dealt out evenly, a few rounds; then first come, first served. */
static void deal_lengths(int64_t *length, size_t pieces, const struct maker *m)
{
	const struct ks_gen *g = &m->arg->gen;
	int64_t rest = g->total - g->low * (int64_t)pieces;
	int64_t room = g->high - g->low;
	double sum = 0;
	for (size_t i = 0; i < pieces; i++) {
		sum += (double)exponential(m, i);
	}
	int64_t left = rest;
	for (size_t i = 0; i < pieces; i++) {
		double share = sum > 0 ? (double)rest * ((double)exponential(m, i) / sum) : 0;
		int64_t take = share < (double)room ? (int64_t)share : room;
		take = take < left ? take : left;
		length[i] = take;
		left -= take;
	}
	for (int round = 0; left > 0; round++) {
		int64_t each = round < 4 ? 1 + left / (int64_t)pieces : left;
		for (size_t i = 0; i < pieces && left > 0; i++) {
			int64_t free_room = room - length[i];
			int64_t give = each < free_room ? each : free_room;
			give = give < left ? give : left;
			length[i] += give;
			left -= give;
		}
	}
	for (size_t i = 0; i < pieces; i++) {
		length[i] += g->low;
	}
}

static void offsets(void *out, const struct maker *m, uint64_t first, uint64_t count)
{
	size_t pieces = (size_t)m->arg->count - 1;
	int64_t *length = ks_zalloc(pieces + 1, sizeof(length[0]));
	int64_t at = 0;
	if (pieces > 0) {
		deal_lengths(length, pieces, m);
	}
	for (uint64_t i = 0; i < first + count; i++) {
		if (i >= first) {
			put_index(m->arg->dtype, out, (size_t)(i - first), at);
		}
		at += length[i];
	}
	free(length);
}

static void one_hot(void *out, const struct maker *m, uint64_t first, uint64_t count)
{
	uint64_t row = UINT64_MAX, hot = 0;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t here = (first + i) / m->cols;
		if (here != row) {
			uint32_t counter[4] = {(uint32_t)here, (uint32_t)(here >> 32), 0,
				KS_FOR_VALUE};
			uint32_t block[4];
			ks_philox(m->key, counter, block);
			hot = (uint64_t)((unsigned __int128)((uint64_t)block[0] << 32 | block[1]) *
				m->cols >> 64);
			row = here;
		}
		ks_dtype_put(m->arg->dtype, out, i, (first + i) % m->cols == hot);
	}
}

/* ---- a part of a tensor ---- */

static void chunked(unsigned char *out, const struct maker *m, uint64_t first, uint64_t count,
	void (*chunk)(void *, const struct maker *, uint64_t, size_t))
{
	size_t size = ks_dtype_size(m->arg->dtype);
	union {
		double align;
		unsigned char bytes[CHUNK * 8];
	} local;
	uint64_t done = 0;
	while (done < count) {
		uint64_t at = first + done;
		uint64_t start = at & ~(uint64_t)3;
		size_t skip = (size_t)(at - start);
		size_t take = CHUNK - skip;
		take = take < count - done ? take : (size_t)(count - done);
		bool direct = skip == 0 && take % 4 == 0 && (uintptr_t)out % 8 == 0;
		unsigned char *to = direct ? out + done * size : local.bytes;
		chunk(to, m, start, (skip + take + 3) / 4 * 4);
		if (!direct) {
			memcpy(out + done * size, local.bytes + skip * size, take * size);
		}
		done += take;
	}
}

static void spread_first(unsigned char *out, size_t size, uint64_t count)
{
	uint64_t have = 1;
	while (have < count) {
		uint64_t more = have < count - have ? have : count - have;
		memcpy(out + have * size, out, (size_t)(more * size));
		have += more;
	}
}

static void make_part(void *out, const struct maker *m, uint64_t first, uint64_t count)
{
	const struct ks_gen *g = &m->arg->gen;
	enum ks_dtype dtype = m->arg->dtype;
	switch (g->dist) {
	case KS_DIST_NORMAL:
	case KS_DIST_UNIFORM:
		chunked(out, m, first, count, float_chunk);
		return;
	case KS_DIST_INTEGERS:
		chunked(out, m, first, count, integer_chunk);
		return;
	case KS_DIST_CONSTANT:
		ks_dtype_put(dtype, out, 0, g->a);
		spread_first(out, ks_dtype_size(dtype), count);
		return;
	case KS_DIST_ARANGE:
		for (uint64_t i = 0; i < count; i++) {
			ks_dtype_put(dtype, out, i, g->a + g->b * (double)(first + i));
		}
		return;
	case KS_DIST_PERMUTATION:
	case KS_DIST_PAGE_TABLE:
		shuffled(out, m, first, count);
		return;
	case KS_DIST_OFFSETS:
		offsets(out, m, first, count);
		return;
	case KS_DIST_ONE_HOT:
		one_hot(out, m, first, count);
		return;
	case KS_DIST_ZEROS:
		memset(out, 0, (size_t)count * ks_dtype_size(dtype));
		return;
	case KS_DIST_VALUES:
		for (uint64_t i = 0; i < count; i++) {
			ks_dtype_put(dtype, out, i, g->values[first + i]);
		}
		return;
	}
}

static void maker_init(struct maker *m, const struct ks_case *c, const struct ks_arg *arg,
	const struct ks_seed *seed, uint64_t call, enum ks_variant variant)
{
	uint64_t high = (uint64_t)seed->key[3] << 32 | seed->key[2];
	uint32_t scenario[2];
	*m = (struct maker){.arg = arg, .cols = 1};
	if (arg->rank > 0 && arg->shape[arg->rank - 1] > 0) {
		m->cols = (uint64_t)arg->shape[arg->rank - 1];
	}
	ks_philox_derive(scenario, seed->key, high, c->id);
	ks_philox_derive(m->key, scenario, arg->stream, arg->gen.fixed ? FOREVER : call);
	if ((arg->gen.variants & 1u << variant) != 0) {
		m->variant = variant;
		prepare_variant(m);
	}
}

void ks_generate_part(const struct ks_case *c, const struct ks_arg *arg,
	const struct ks_seed *seed, uint64_t call, enum ks_variant variant, uint64_t first,
	uint64_t count, void *out)
{
	struct maker m;
	if (arg->kind != KS_ARG_INPUT || arg->absent || count == 0) {
		return;
	}
	maker_init(&m, c, arg, seed, call, variant);
	make_part(out, &m, first, count);
	free(m.pattern);
}

/* Whole numbers that a short float holds are stored alike by both ways. */
static bool small_integers(const struct ks_arg *arg)
{
	const int64_t most = 1 << 24;
	return !ks_dtype_is_float(arg->dtype) || arg->dtype == KS_FLOAT64 ||
		(arg->gen.low > -most && arg->gen.high < most);
}

bool ks_draw_init(struct ks_draw *d, const struct ks_case *c, const struct ks_arg *arg,
	const struct ks_seed *seed, uint64_t call, enum ks_variant variant)
{
	const struct ks_gen *g = &arg->gen;
	struct maker m;
	bool floats = g->dist == KS_DIST_NORMAL || g->dist == KS_DIST_UNIFORM;
	bool moves = g->dist == KS_DIST_PERMUTATION || g->dist == KS_DIST_PAGE_TABLE;
	bool whole = g->dist == KS_DIST_INTEGERS && small_integers(arg);
	if (!floats && !moves && !whole) {
		return false;
	}
	maker_init(&m, c, arg, seed, call, variant);
	*d = (struct ks_draw){.bend = floats ? (uint32_t)m.variant : KS_BEND_NONE,
		.dtype = (uint32_t)arg->dtype, .key = {m.key[0], m.key[1]}, .cols = m.cols,
		.count = arg->count, .a = (float)g->a, .scale = m.scale, .shift = m.shift};
	if (g->dist == KS_DIST_NORMAL) {
		d->how = KS_DRAW_NORMAL;
		d->b = (float)g->b;
	} else if (g->dist == KS_DIST_UNIFORM) {
		d->how = KS_DRAW_UNIFORM;
		d->b = (float)(g->b - g->a);
	} else if (moves) {
		d->how = KS_DRAW_SHUFFLE;
		shuffle_init(&d->shuffle, &m, (uint64_t)g->total);
	} else {
		d->how = KS_DRAW_INTEGERS;
		d->low = g->low;
		d->range = (uint64_t)g->high - (uint64_t)g->low + 1;
	}
	free(m.pattern);
	return true;
}

void ks_generate(const struct ks_case *c, const struct ks_arg *arg, const struct ks_seed *seed,
	uint64_t call, enum ks_variant variant, void *out)
{
	ks_generate_part(c, arg, seed, call, variant, 0, arg->count, out);
}

void ks_generate_all(const struct ks_case *c, const struct ks_seed *seed, uint64_t call,
	enum ks_variant variant, void *base)
{
	for (size_t i = 0; i < c->count; i++) {
		if (c->args[i].kind == KS_ARG_INPUT && !c->args[i].absent) {
			ks_generate(c, &c->args[i], seed, call, variant,
				(unsigned char *)base + c->args[i].offset);
		}
	}
}
