/* Buffers, workers and the call. */
#include "eval/bench.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "eval/contain.h"
#include "eval/cpus.h"
#include "eval/philox.h"

#define LEISURE_US 20000
#define IDLE_GAP 0xFF /* beside inputs: NaN in every float type */

static bool on(const struct ks_bench *b, enum ks_check check)
{
	return ks_check_on(&b->job->checks, check);
}

uint32_t ks_bench_random(struct ks_bench *b)
{
	uint32_t counter[4] = {b->draws++, 0, 0x6b736565u, 0x6b6a7564u}, out[4];
	ks_philox(b->job->key.key + 2, counter, out);
	return out[0];
}

/* ---- set-up ---- */

static void choose_cpus(struct ks_bench *b)
{
	struct ks_cpus cpus;
	ks_cpus_choose(&cpus, b->job->threads);
	b->worker_cpu = cpus.worker;
	b->judge_cpu = cpus.judge;
	b->spin = cpus.apart;
	ks_cpus_pin(cpus.judge);
}

static uint64_t copied_bytes(const struct ks_bench *b, const struct ks_layout *l)
{
	uint64_t total = 0;
	for (unsigned i = 0; i < l->nslots; i++) {
		const struct ks_arg *a = &l->c->args[l->arg_of[i]];
		if (a->kind == KS_ARG_INPUT && (a->writable || !b->sealed)) {
			total += (a->bytes + 63) / 64 * 64;
		}
	}
	return total;
}

static uint64_t output_bytes(const struct ks_layout *l)
{
	uint64_t total = 0;
	for (unsigned i = 0; i < l->nslots; i++) {
		const struct ks_arg *a = &l->c->args[l->arg_of[i]];
		total += a->kind == KS_ARG_OUTPUT ? (a->bytes + 63) / 64 * 64 : 0;
	}
	return total;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

int ks_bench_init(struct ks_bench *b, const struct ks_job *job, const char *symbol,
	struct ks_case *const *cases, size_t count, struct ks_err *err)
{
	uint64_t in = 65536, out = 65536;
	*b = (struct ks_bench){.job = job, .symbol = symbol};
	b->answer_cap = 64;
	b->copy_cap = 64;
	choose_cpus(b);
	for (size_t i = 0; i < count; i++) {
		struct ks_layout l;
		int code = ks_layout_init(&l, cases[i], false, err);
		if (code != 0) {
			return code;
		}
		in = larger(in, l.in_need);
		out = larger(out, l.out_need);
		b->answer_cap = larger(b->answer_cap, output_bytes(&l));
	}
	bool protect = on(b, KS_CHECK_INPUTS);
	int code = ks_arena_init(&b->in, "in", in, protect, &b->sealed, err);
	code = code != 0 ? code : ks_arena_init(&b->out, "out", out, false, NULL, err);
	code = code != 0 ? code : ks_arena_init(&b->ref_out, "ref", out, false, NULL, err);
	for (size_t i = 0; code == 0 && i < count; i++) {
		struct ks_layout l;
		code = ks_layout_init(&l, cases[i], false, err);
		b->copy_cap = larger(b->copy_cap, copied_bytes(b, &l));
	}
	for (int i = 0; i < KS_ANSWERS; i++) {
		b->answers[i] = ks_zalloc(b->answer_cap, 1);
	}
	b->copy = ks_zalloc(b->copy_cap, 1);
	return code;
}

void ks_bench_fini(struct ks_bench *b)
{
	ks_bench_stop(b);
	ks_host_free(b->ref);
	b->ref = NULL;
	ks_arena_fini(&b->in);
	ks_arena_fini(&b->out);
	ks_arena_fini(&b->ref_out);
	for (int i = 0; i < KS_ANSWERS; i++) {
		free(b->answers[i]);
		b->answers[i] = NULL;
	}
	free(b->copy);
	b->copy = NULL;
}

static struct ks_host_spec spec_of(const struct ks_bench *b)
{
	const struct ks_job *job = b->job;
	return (struct ks_host_spec){
		.worker = job->worker, .scratch = job->scratch, .symbol = b->symbol,
		.cpu = b->worker_cpu, .threads = job->threads, .spin = b->spin,
		.in_fd = b->in.fd, .out_fd = b->out.fd,
		.arena_bytes = b->in.cap + b->out.cap,
		.limits = job->limits, .checks = job->checks,
	};
}

void ks_bench_stop(struct ks_bench *b)
{
	ks_watch_free(b->watch);
	b->watch = NULL;
	bool walled = b->main == NULL || (ks_host_contained(b->main) & KS_CONTAIN_PID) != 0;
	ks_host_free(b->main);
	if (!walled) {
		ks_contain_end_strays(b->ref != NULL ? ks_host_pid(b->ref) : 0);
	}
	b->main = NULL;
	b->main_ready = false;
}

/* An unchanged candidate can be the very file that the seed is: loaded once. */
static bool is_seed(const struct ks_job *job)
{
	struct stat a, c;
	return stat(job->seed, &a) == 0 && stat(job->candidate, &c) == 0 &&
		a.st_ino == c.st_ino && a.st_dev == c.st_dev;
}

int ks_bench_start(struct ks_bench *b, bool reverse, struct ks_err *err)
{
	struct ks_host_spec spec = spec_of(b);
	ks_bench_stop(b);
	spec.libs[spec.nlibs++] = b->job->seed;
	spec.libs[spec.nlibs++] = b->job->candidate;
	if (b->job->yardstick != NULL) {
		spec.libs[spec.nlibs++] = b->job->yardstick;
	}
	spec.reverse = reverse;
	b->same_file = is_seed(b->job);
	int code = ks_host_new(&b->main, &spec, err);
	if (code == 0 && (on(b, KS_CHECK_TEXT) || on(b, KS_CHECK_MAPS) ||
		on(b, KS_CHECK_SEED_DATA) || on(b, KS_CHECK_CONTROL))) {
		struct ks_err inner = KS_ERR_INIT;
		if (ks_watch_new(&b->watch, ks_host_pid(b->main), b->job->seed,
			b->job->candidate, &inner) != 0) {
			/* some containers forbid it: the other guards remain, and it is told */
			snprintf(b->unwatched, sizeof(b->unwatched), "%s", inner.msg);
		}
	}
	if (code == 0 && b->watch != NULL && on(b, KS_CHECK_CONTROL)) {
		b->control = ks_watch_control(b->watch, NULL) == 0;
	}
	if (code != 0) {
		ks_bench_stop(b);
	}
	return code;
}

int ks_bench_start_reference(struct ks_bench *b, struct ks_err *err)
{
	struct ks_host_spec spec = spec_of(b);
	ks_host_free(b->ref);
	b->ref = NULL;
	b->ref_ready = false;
	spec.out_fd = b->ref_out.fd;
	spec.libs[spec.nlibs++] = b->job->reference;
	spec.spin = false;
	spec.cpu = b->judge_cpu; /* we sleep meanwhile */
	return ks_host_new(&b->ref, &spec, err);
}

/* ---- a scenario ---- */

int ks_bench_use(struct ks_bench *b, const struct ks_case *c, struct ks_err *err)
{
	bool fresh = b->c != c;
	if (fresh) {
		int code = ks_layout_init(&b->layout, c, !b->sealed, err);
		if (code != 0) {
			return code;
		}
		b->c = c;
		b->main_ready = b->ref_ready = false;
		b->poison_ready = false;
		memset(b->expect_ns, 0, sizeof(b->expect_ns));
		uint64_t answer = 0, copy = 0;
		for (unsigned i = 0; i < b->layout.nslots; i++) {
			uint64_t n = (c->args[b->layout.arg_of[i]].bytes + 63) / 64 * 64;
			bool output = c->args[b->layout.arg_of[i]].kind == KS_ARG_OUTPUT;
			b->answer_off[i] = answer;
			b->copy_off[i] = copy;
			*(output ? &answer : &copy) += n;
		}
		b->answer_len = answer;
	}
	struct ks_layout *l = &b->layout;
	int code = 0;
	if (b->ref != NULL && !b->ref_ready) {
		code = ks_host_layout(b->ref, l->slots, l->names, l->nslots, l->args, l->nargs,
			err);
		b->ref_ready = code == 0;
	}
	if (code == 0 && b->main != NULL && !b->main_ready) {
		code = ks_host_layout(b->main, l->slots, l->names, l->nslots, l->args, l->nargs,
			err);
		b->main_ready = code == 0;
	}
	return code;
}

static const struct ks_arg *arg_of(const struct ks_bench *b, unsigned slot)
{
	return &b->c->args[b->layout.arg_of[slot]];
}

static bool is_copied(const struct ks_bench *b, unsigned slot)
{
	const struct ks_arg *a = arg_of(b, slot);
	return a->kind == KS_ARG_INPUT && (a->writable || !b->sealed);
}

static void fill_gaps(struct ks_bench *b, unsigned char *at, unsigned slot, int byte)
{
	uint64_t before, after;
	ks_layout_gaps(&b->layout, slot, &before, &after);
	memset(at - before, byte, before);
	memset(at + arg_of(b, slot)->bytes, byte, after);
}

void ks_bench_fill(struct ks_bench *b, uint64_t call, enum ks_variant variant,
	enum ks_place place)
{
	uint32_t words[4];
	for (int i = 0; i < 4; i++) {
		words[i] = ks_bench_random(b);
	}
	b->gap_byte = (unsigned char)words[0];
	if (!on(b, KS_CHECK_FRESH)) {
		call = 0;
	}
	if (!on(b, KS_CHECK_MOVE) || (place == KS_PLACE_EDGE && !on(b, KS_CHECK_BOUNDS))) {
		place = KS_PLACE_FIXED;
	}
	ks_layout_place(&b->layout, place, words);
	for (unsigned i = 0; i < b->layout.nslots; i++) {
		const struct ks_arg *a = arg_of(b, i);
		if (a->kind != KS_ARG_INPUT) {
			continue;
		}
		unsigned char *at = ks_layout_at(&b->layout, &b->in, &b->out, i);
		ks_generate(b->c, a, &b->job->key, call, variant, at);
		if (is_copied(b, i)) {
			memcpy(b->copy + b->copy_off[i], at, a->bytes);
		}
		if (!a->writable) {
			fill_gaps(b, at, i, IDLE_GAP);
		}
	}
}

/* ---- poison ---- */

/* The poison's source moved on by some elements: as plausible as an answer,
 * and wrong also where every answer begins with the same values. */
static void poison_moved(unsigned char *at, const unsigned char *from, const struct ks_arg *a,
	uint32_t random)
{
	uint64_t shift = a->count > 1 ? 1 + random % (a->count - 1) : 0;
	uint64_t bytes = shift * ks_dtype_size(a->dtype);
	memcpy(at, from + bytes, a->bytes - bytes);
	memcpy(at + a->bytes - bytes, from, bytes);
}

/* Numbers of the answer's size that are no answer, for outputs that are the
 * same for every input. */
static void poison_drawn(unsigned char *at, const unsigned char *from, const struct ks_arg *a,
	uint32_t random)
{
	unsigned char tile[256 * 8];
	size_t size = ks_dtype_size(a->dtype);
	for (unsigned i = 0; i < 256; i++) {
		uint32_t counter[4] = {i, random, 1, 2}, word[4];
		uint32_t key[2] = {random, 7};
		ks_philox(key, counter, word);
		double near = ks_dtype_get(a->dtype, from, word[1] % a->count);
		double scale = near != near || near > 1e30 || near < -1e30 ? 1 : near;
		double unit = (double)word[0] / 4294967296.0 - 0.5;
		ks_dtype_put(a->dtype, tile, i, scale * unit * 2 + unit + (unit < 0 ? -1 : 1));
	}
	for (uint64_t done = 0; done < a->bytes; done += 256 * size) {
		uint64_t n = a->bytes - done < 256 * size ? a->bytes - done : 256 * size;
		memcpy(at + done, tile, n);
	}
}

static void prepare_outputs(struct ks_bench *b, const struct ks_arena *out)
{
	for (unsigned i = 0; i < b->layout.nslots; i++) {
		const struct ks_arg *a = arg_of(b, i);
		unsigned char *at = ks_layout_at(&b->layout, &b->in, out, i);
		if (is_copied(b, i)) {
			memcpy(at, b->copy + b->copy_off[i], a->bytes);
		}
		if (b->layout.slots[i].out == KS_SLOT_OUT) {
			fill_gaps(b, at, i, b->gap_byte);
		}
		if (a->kind != KS_ARG_OUTPUT || a->bytes == 0) {
			continue;
		}
		const unsigned char *from = b->answers[KS_ANSWER_POISON] + b->answer_off[i];
		uint32_t random = ks_bench_random(b);
		if (!on(b, KS_CHECK_POISON)) {
			continue;
		}
		if (!b->poison_ready || random % 4 == 0) {
			poison_drawn(at, from, a, random);
		} else {
			poison_moved(at, from, a, random);
		}
	}
}

/* ---- the call ---- */

static bool gap_is_clean(const unsigned char *at, uint64_t len, unsigned char byte)
{
	for (uint64_t i = 0; i < len; i++) {
		if (at[i] != byte) {
			return false;
		}
	}
	return true;
}

static int look_at_gaps(struct ks_bench *b, const struct ks_arena *out, struct ks_err *err)
{
	for (unsigned i = 0; i < b->layout.nslots; i++) {
		uint64_t before, after;
		const struct ks_arg *a = arg_of(b, i);
		if (b->layout.slots[i].out != KS_SLOT_OUT || !on(b, KS_CHECK_GAPS)) {
			continue;
		}
		const unsigned char *at = ks_layout_at(&b->layout, &b->in, out, i);
		ks_layout_gaps(&b->layout, i, &before, &after);
		if (!gap_is_clean(at - before, before, b->gap_byte)) {
			return ks_err_set(err, KS_EDENIED, "wrote before the start of %s", a->name);
		}
		if (!gap_is_clean(at + a->bytes, after, b->gap_byte)) {
			return ks_err_set(err, KS_EDENIED, "wrote behind the end of %s", a->name);
		}
	}
	return 0;
}

static int look_at_inputs(struct ks_bench *b, struct ks_err *err)
{
	for (unsigned i = 0; i < b->layout.nslots; i++) {
		const struct ks_arg *a = arg_of(b, i);
		if (a->kind != KS_ARG_INPUT || a->writable || b->sealed ||
			!on(b, KS_CHECK_INPUTS)) {
			continue;
		}
		const unsigned char *at = ks_layout_at(&b->layout, &b->in, &b->out, i);
		if (memcmp(at, b->copy + b->copy_off[i], a->bytes) != 0) {
			return ks_err_set(err, KS_EDENIED, "changed input %s", a->name);
		}
	}
	return 0;
}

static void take_answer(struct ks_bench *b, const struct ks_arena *out, enum ks_side side)
{
	for (unsigned i = 0; i < b->layout.nslots; i++) {
		const struct ks_arg *a = arg_of(b, i);
		if (a->kind == KS_ARG_OUTPUT) {
			memcpy(b->answers[side] + b->answer_off[i],
				ks_layout_at(&b->layout, &b->in, out, i), a->bytes);
		}
	}
}

/* After a call of seed, candidate or yardstick: the answer, and what it did. */
static int look_after(struct ks_bench *b, enum ks_side side, bool variables, struct ks_err *err)
{
	bool threads = b->job->threads > 1, stop = threads && on(b, KS_CHECK_LATE);
	struct ks_err changed = KS_ERR_INIT;
	if (stop) {
		ks_host_freeze(b->main);
	} else if (threads) {
		usleep(LEISURE_US); /* as one who looks at answers later would */
	}
	take_answer(b, &b->out, side);
	int code = look_at_gaps(b, &b->out, err);
	code = code != 0 ? code : look_at_inputs(b, err);
	if (variables && ks_watch_seed_check(b->watch, &changed) != 0 &&
		side == KS_SIDE_CAND && code == 0) {
		code = ks_err_set(err, KS_EDENIED, "%s", changed.msg);
	}
	if (stop) {
		ks_host_thaw(b->main);
	}
	return code;
}

static int look_at_return(const struct ks_call *call, struct ks_err *err)
{
	if (call->ret != 0) {
		return ks_err_set(err, KS_EINVAL, "returned %d, where 0 means done",
			(int)call->ret);
	}
	return 0;
}

int ks_bench_call(struct ks_call *out, struct ks_bench *b, enum ks_side side, bool flush,
	int64_t limit_ms, struct ks_err *err)
{
	bool variables = b->watch != NULL && !b->same_file && on(b, KS_CHECK_SEED_DATA);
	prepare_outputs(b, &b->out);
	if (variables) {
		ks_watch_mark(b->watch);
	}
	int code = ks_host_begin(b->main, (unsigned)side, b->layout.args, b->layout.nargs,
		flush && on(b, KS_CHECK_FLUSH), err);
	code = code != 0 ? code : ks_host_end(out, b->main, limit_ms, b->expect_ns[side], err);
	if (code != 0) {
		return code;
	}
	code = look_after(b, side, variables, err);
	b->expect_ns[side] = out->judge_ns;
	return code != 0 ? code : look_at_return(out, err);
}

int ks_bench_begin_reference(struct ks_bench *b, struct ks_err *err)
{
	prepare_outputs(b, &b->ref_out);
	return ks_host_begin(b->ref, 0, b->layout.args, b->layout.nargs, false, err);
}

int ks_bench_end_reference(struct ks_bench *b, int64_t limit_ms, struct ks_err *err)
{
	struct ks_call call;
	int code = ks_host_end(&call, b->ref, limit_ms, 0, err);
	if (code == 0) {
		take_answer(b, &b->ref_out, KS_SIDE_REF);
		code = look_at_gaps(b, &b->ref_out, err);
	}
	return code != 0 ? code : look_at_return(&call, err);
}

void ks_bench_poison_from(struct ks_bench *b, enum ks_side side)
{
	memcpy(b->answers[KS_ANSWER_POISON], b->answers[side], b->answer_len);
	b->poison_ready = true;
}

const void *ks_bench_answer(const struct ks_bench *b, enum ks_side side, unsigned slot)
{
	if (arg_of(b, slot)->kind != KS_ARG_OUTPUT) {
		return NULL;
	}
	return b->answers[side] + b->answer_off[slot];
}
