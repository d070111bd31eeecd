/* Buffers, workers and the call. */
#include "eval/bench.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "eval/contain.h"
#include "eval/philox.h"

#define LEISURE_US 20000
#define STOP_EVERY 4
#define REST_MS 250 /* for threads to fall asleep after a call */
#define SPARE_BYTES ((uint64_t)2 << 30) /* of a GPU's memory, for a worker ahead */
#define IDLE_GAP 0xFF /* beside inputs: NaN in every float type */
/* Places in the device's looks: two gaps a slot, then a fingerprint a slot. */
#define LOOK_PRINT (2 * KS_WORKER_SLOTS)

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

/* Inputs that are put back before each call: what a kernel may change, or could. On
 * a GPU a fingerprint tells of changes, and nothing is put back. */
static bool put_back(const struct ks_bench *b, const struct ks_arg *a)
{
	return a->kind == KS_ARG_INPUT && (a->writable || (!b->sealed && !b->device->cuda));
}

static uint64_t round_answer(uint64_t bytes)
{
	return (bytes + KS_ALIGN - 1) / KS_ALIGN * KS_ALIGN;
}

static uint64_t copied_bytes(const struct ks_bench *b, const struct ks_layout *l)
{
	uint64_t total = 0;
	for (unsigned i = 0; i < l->nslots; i++) {
		const struct ks_arg *a = &l->c->args[l->arg_of[i]];
		total += put_back(b, a) ? round_answer(a->bytes) : 0;
	}
	return total;
}

static uint64_t output_bytes(const struct ks_layout *l)
{
	uint64_t total = 0;
	for (unsigned i = 0; i < l->nslots; i++) {
		const struct ks_arg *a = &l->c->args[l->arg_of[i]];
		total += a->kind == KS_ARG_OUTPUT ? round_answer(a->bytes) : 0;
	}
	return total;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static int make_buffers(struct ks_bench *b, uint64_t in, uint64_t out, struct ks_err *err)
{
	const struct ks_device_ops *ops = b->device->ops;
	struct ks_device *d = b->device;
	bool protect = on(b, KS_CHECK_INPUTS);
	int code = ops->arena(d, &b->in, "in", in, protect, &b->sealed, err);
	code = code != 0 ? code : ops->arena(d, &b->out, "out", out, false, NULL, err);
	code = code != 0 ? code : ops->arena(d, &b->ref_out, "ref", out, false, NULL, err);
	for (int i = 0; code == 0 && i < KS_ANSWERS; i++) {
		code = ops->alloc(d, &b->answers[i], b->answer_cap, err);
	}
	return code;
}

int ks_bench_init(struct ks_bench *b, struct ks_device *device, const struct ks_job *job,
	const char *symbol, struct ks_case *const *cases, size_t count, struct ks_err *err)
{
	uint64_t in = 65536, out = 65536;
	*b = (struct ks_bench){.device = device, .job = job, .symbol = symbol,
		.in = {.fd = -1}, .out = {.fd = -1}, .ref_out = {.fd = -1}};
	b->answer_cap = KS_ALIGN;
	b->copy_cap = KS_ALIGN;
	ks_cpus_take(&b->cpus, job->threads);
	b->spin = b->cpus.apart;
	b->count_faults = job->confirm && !device->cuda && on(b, KS_CHECK_ALONE);
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
	int code = make_buffers(b, in, out, err);
	for (size_t i = 0; code == 0 && i < count; i++) {
		struct ks_layout l;
		code = ks_layout_init(&l, cases[i], false, err);
		b->copy_cap = larger(b->copy_cap, copied_bytes(b, &l));
	}
	return code != 0 ? code : device->ops->alloc(device, &b->copy, b->copy_cap, err);
}

static void drop_spare(struct ks_spare *s)
{
	ks_host_free(s->host);
	ks_copies_fini(&s->copies);
	*s = (struct ks_spare){.host = NULL};
}

void ks_bench_fini(struct ks_bench *b)
{
	struct ks_device *d = b->device;
	ks_bench_stop(b);
	while (b->nspares > 0) {
		drop_spare(&b->spares[--b->nspares]);
	}
	ks_host_free(b->ref);
	ks_host_free(b->traced);
	b->ref = b->traced = NULL;
	if (d == NULL) {
		return; /* never begun */
	}
	d->ops->arena_fini(d, &b->in);
	d->ops->arena_fini(d, &b->out);
	d->ops->arena_fini(d, &b->ref_out);
	for (int i = 0; i < KS_ANSWERS; i++) {
		d->ops->release(d, b->answers[i]);
		b->answers[i] = NULL;
	}
	d->ops->release(d, b->copy);
	b->copy = NULL;
	ks_cpus_give_back(&b->cpus);
}

static struct ks_host_spec spec_of(const struct ks_bench *b)
{
	const struct ks_job *job = b->job;
	struct ks_host_spec spec = {
		.worker = job->worker, .scratch = job->scratch, .symbol = b->symbol,
		.cpu = b->cpus.worker, .threads = job->threads, .spin = b->spin,
		.in_fd = b->in.fd, .out_fd = b->out.fd,
		.arena_bytes = b->in.cap + b->out.cap,
		.limits = job->limits, .checks = job->checks,
	};
	if (b->device->cuda) {
		spec.device = b->device;
		spec.handles[0] = b->in.handle;
		spec.handles[1] = b->out.handle;
		/* where it neither waits for us nor disturbs a measurement */
		spec.cpus = CPU_COUNT(&b->cpus.rest) > 0 ? &b->cpus.rest : NULL;
	}
	return spec;
}

void ks_bench_stop(struct ks_bench *b)
{
	ks_watch_free(b->watch);
	b->watch = NULL;
	bool walled = b->main == NULL || (ks_host_contained(b->main) & KS_CONTAIN_PID) != 0;
	ks_host_free(b->main);
	if (!walled && b->only && on(b, KS_CHECK_STRAYS)) {
		ks_contain_end_strays(b->ref != NULL ? ks_host_pid(b->ref) : 0);
	}
	b->main = NULL;
	b->main_ready = false;
}

/* Where no copies can be made, an unchanged candidate is the very file that the seed
 * is: loaded once. */
static bool is_file(const char *seed, const char *candidate)
{
	struct stat a, c;
	return stat(seed, &a) == 0 && stat(candidate, &c) == 0 &&
		a.st_ino == c.st_ino && a.st_dev == c.st_dev;
}

/* Starts a worker; it may still be loading. */
static int launch(struct ks_spare *s, struct ks_bench *b, bool reverse, struct ks_err *err)
{
	struct ks_host_spec spec = spec_of(b);
	*s = (struct ks_spare){.reverse = reverse};
	s->seed = ks_copies_add(&s->copies, b->job->seed);
	s->candidate = ks_copies_add(&s->copies, b->alone ? b->job->seed : b->job->candidate);
	spec.libs[spec.nlibs++] = s->seed;
	spec.libs[spec.nlibs++] = s->candidate;
	if (b->job->yardstick != NULL) {
		spec.libs[spec.nlibs++] = ks_copies_add(&s->copies, b->job->yardstick);
	}
	spec.reverse = reverse;
	return ks_host_launch(&s->host, &spec, err);
}

static bool plenty_of_memory(const struct ks_bench *b, unsigned count)
{
	uint64_t all = b->device->info.memory, used = b->device->ops->used(b->device);
	return all == 0 || all > used + count * SPARE_BYTES;
}

void ks_bench_start_ahead(struct ks_bench *b, unsigned count)
{
	bool walled = b->ref != NULL && (ks_host_contained(b->ref) & KS_CONTAIN_PID) != 0;
	if (!b->device->cuda || !walled || !plenty_of_memory(b, count)) {
		return;
	}
	for (unsigned i = 0; i < count && b->nspares < KS_SPARES_MAX; i++) {
		struct ks_spare *s = &b->spares[b->nspares];
		if (launch(s, b, i % 2 == 1, NULL) != 0) {
			drop_spare(s);
			return; /* it will be said when its turn comes */
		}
		b->nspares++;
	}
}

void ks_bench_settle(struct ks_bench *b)
{
	size_t kept = 0;
	for (size_t i = 0; i < b->nspares; i++) {
		struct ks_spare *s = &b->spares[i];
		if (!s->ready && ks_host_await(s->host, NULL) == 0) {
			ks_host_freeze(s->host); /* once: it tells of one stop alone */
			s->ready = true;
		}
		if (s->ready) {
			b->spares[kept++] = *s;
		} else {
			drop_spare(s);
		}
	}
	b->nspares = kept;
}

/* The first that was started ahead for this order of loading and still lives. */
static bool take_spare(struct ks_spare *out, struct ks_bench *b, bool reverse)
{
	for (size_t i = 0; i < b->nspares && !b->alone; i++) {
		if (b->spares[i].reverse != reverse || !ks_host_alive(b->spares[i].host)) {
			continue;
		}
		*out = b->spares[i];
		b->nspares--;
		memmove(&b->spares[i], &b->spares[i + 1], (b->nspares - i) * sizeof(*out));
		if (out->ready) {
			ks_host_thaw(out->host);
		}
		return true;
	}
	return false;
}

static void watch_worker(struct ks_bench *b, const struct ks_spare *s)
{
	struct ks_err inner = KS_ERR_INIT;
	if (!on(b, KS_CHECK_TEXT) && !on(b, KS_CHECK_MAPS) && !on(b, KS_CHECK_SEED_DATA) &&
		!on(b, KS_CHECK_CONTROL)) {
		return;
	}
	if (ks_watch_new(&b->watch, ks_host_pid(b->main), s->seed, s->candidate,
		b->device->cuda, &inner) != 0) {
		/* some containers forbid it: the other guards remain, and it is told */
		snprintf(b->unwatched, sizeof(b->unwatched), "%s", inner.msg);
	}
}

int ks_bench_start(struct ks_bench *b, bool reverse, struct ks_err *err)
{
	struct ks_spare s;
	ks_bench_stop(b);
	int code = take_spare(&s, b, reverse) ? 0 : launch(&s, b, reverse, err);
	code = code != 0 || s.ready ? code : ks_host_await(s.host, err);
	if (code != 0) {
		ks_copies_rename(&s.copies, err);
		drop_spare(&s);
		return code;
	}
	b->main = s.host;
	b->same_file = is_file(s.seed, s.candidate);
	watch_worker(b, &s);
	ks_copies_fini(&s.copies);
	if (b->watch != NULL && on(b, KS_CHECK_CONTROL)) {
		b->control = ks_watch_control(b->watch, NULL) == 0;
		b->home = ks_host_home(b->main);
		/* a way back that cannot be understood is not looked at */
		b->home = ks_watch_home(b->watch, b->home, NULL) == 0 ? b->home : 0;
	}
	return 0;
}

int ks_bench_start_reference(struct ks_bench *b, struct ks_err *err)
{
	struct ks_host_spec spec = spec_of(b);
	ks_host_free(b->ref);
	b->ref = NULL;
	b->ref_ready = false;
	spec.out_fd = b->ref_out.fd;
	spec.handles[1] = b->ref_out.handle;
	spec.libs[spec.nlibs++] = b->job->reference;
	spec.spin = false;
	spec.cpu = b->cpus.judge; /* we sleep meanwhile */
	return ks_host_new(&b->ref, &spec, err);
}

int ks_bench_start_traced(struct ks_bench *b, struct ks_err *err)
{
	struct ks_host_spec spec = spec_of(b);
	ks_bench_stop(b);
	ks_host_free(b->traced);
	b->traced = NULL;
	b->traced_ready = false;
	if (spec.device == NULL) {
		return ks_err_set(err, KS_EUNSUPPORTED, "calls are traced on a GPU only");
	}
	spec.trace = true;
	spec.cupti = b->job->cupti;
	spec.libs[spec.nlibs++] = b->job->seed;
	spec.libs[spec.nlibs++] = b->job->candidate;
	return ks_host_new(&b->traced, &spec, err);
}

/* ---- a scenario ---- */

static int tell_layout(struct ks_bench *b, struct ks_host *host, bool *ready,
	struct ks_err *err)
{
	struct ks_layout *l = &b->layout;
	if (host == NULL || *ready) {
		return 0;
	}
	int code = ks_host_layout(host, l->slots, l->names, l->nslots, l->args, l->nargs, err);
	*ready = code == 0;
	return code;
}

int ks_bench_use(struct ks_bench *b, const struct ks_case *c, struct ks_err *err)
{
	bool fresh = b->c != c;
	if (fresh) {
		int code = ks_layout_init(&b->layout, c, !b->sealed, err);
		if (code == 0 && b->device->cuda) {
			code = ks_layout_add_stream(&b->layout, err);
		}
		if (code != 0) {
			return code;
		}
		b->c = c;
		b->main_ready = b->ref_ready = b->traced_ready = false;
		b->poison_ready = false;
		memset(b->expect_ns, 0, sizeof(b->expect_ns));
		uint64_t answer = 0, copy = 0;
		for (unsigned i = 0; i < b->layout.nslots; i++) {
			uint64_t n = round_answer(c->args[b->layout.arg_of[i]].bytes);
			bool output = c->args[b->layout.arg_of[i]].kind == KS_ARG_OUTPUT;
			b->answer_off[i] = answer;
			b->copy_off[i] = copy;
			*(output ? &answer : &copy) += n;
		}
		b->answer_len = answer;
	}
	bool settled = b->main_ready;
	int code = tell_layout(b, b->ref, &b->ref_ready, err);
	code = code != 0 ? code : tell_layout(b, b->main, &b->main_ready, err);
	if (code == 0 && !settled && b->watch != NULL && !b->device->cuda) {
		ks_watch_settle(b->watch, b->job->threads > 1, NULL);
	}
	return code;
}

static const struct ks_arg *arg_of(const struct ks_bench *b, unsigned slot)
{
	return &b->c->args[b->layout.arg_of[slot]];
}

static bool is_copied(const struct ks_bench *b, unsigned slot)
{
	return put_back(b, arg_of(b, slot));
}

static void fill_gaps(struct ks_bench *b, unsigned char *at, unsigned slot, int byte)
{
	uint64_t before, after;
	ks_layout_gaps(&b->layout, slot, &before, &after);
	b->device->ops->fill(b->device, at - before, byte, before);
	b->device->ops->fill(b->device, at + arg_of(b, slot)->bytes, byte, after);
}

/* Fingerprints of what a kernel may not change, where nothing else protects it. */
static bool is_printed(const struct ks_bench *b, unsigned slot)
{
	const struct ks_arg *a = arg_of(b, slot);
	return b->device->cuda && a->kind == KS_ARG_INPUT && !a->writable && a->bytes > 0;
}

static void queue_prints(struct ks_bench *b)
{
	for (unsigned i = 0; i < b->layout.nslots && on(b, KS_CHECK_INPUTS); i++) {
		if (is_printed(b, i)) {
			b->device->ops->print(b->device,
				ks_layout_at(&b->layout, &b->in, &b->out, i),
				arg_of(b, i)->bytes, b->print_key, LOOK_PRINT + i);
		}
	}
}

/* A failure shows at the next call. */
static void take_prints(struct ks_bench *b)
{
	b->print_key = (uint64_t)ks_bench_random(b) << 32 | ks_bench_random(b);
	queue_prints(b);
	if (b->device->ops->sync(b->device, NULL) == 0) {
		memcpy(b->print, b->device->look + LOOK_PRINT, sizeof(b->print));
	}
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
	const struct ks_device_ops *ops = b->device->ops;
	ks_layout_place(&b->layout, place, words);
	for (unsigned i = 0; i < b->layout.nslots; i++) {
		const struct ks_arg *a = arg_of(b, i);
		if (a->kind != KS_ARG_INPUT) {
			continue;
		}
		unsigned char *at = ks_layout_at(&b->layout, &b->in, &b->out, i);
		ops->generate(b->device, b->c, a, &b->job->key, call, variant, at);
		if (is_copied(b, i)) {
			ops->copy(b->device, b->copy + b->copy_off[i], at, a->bytes);
		}
		if (!a->writable) {
			fill_gaps(b, at, i, IDLE_GAP);
		}
	}
	if (b->device->cuda) {
		take_prints(b);
	}
}

/* ---- poison ---- */

/* The poison's source moved on by some elements: as plausible as an answer,
 * and wrong also where every answer begins with the same values. */
static void poison_moved(struct ks_bench *b, unsigned char *at, const unsigned char *from,
	const struct ks_arg *a, uint32_t random)
{
	uint64_t shift = a->count > 1 ? 1 + random % (a->count - 1) : 0;
	uint64_t bytes = shift * ks_dtype_size(a->dtype);
	b->device->ops->copy(b->device, at, from + bytes, a->bytes - bytes);
	b->device->ops->copy(b->device, at + a->bytes - bytes, from, bytes);
}

static void prepare_outputs(struct ks_bench *b, const struct ks_arena *out)
{
	for (unsigned i = 0; i < b->layout.nslots; i++) {
		const struct ks_arg *a = arg_of(b, i);
		unsigned char *at = ks_layout_at(&b->layout, &b->in, out, i);
		if (is_copied(b, i)) {
			b->device->ops->copy(b->device, at, b->copy + b->copy_off[i], a->bytes);
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
			/* also for outputs that are the same for every input */
			b->device->ops->poison(b->device, at, from, a, random);
		} else {
			poison_moved(b, at, from, a, random);
		}
	}
}

/* ---- the call ---- */

/* Queues the looks at what lies beside the tensors: outputs, and on a GPU, where
 * nothing else keeps a kernel off, inputs too. */
static bool is_watched(const struct ks_bench *b, unsigned slot)
{
	return on(b, KS_CHECK_GAPS) &&
		(b->layout.slots[slot].out == KS_SLOT_OUT || b->device->cuda);
}

static void queue_gaps(struct ks_bench *b, const struct ks_arena *out)
{
	for (unsigned i = 0; i < b->layout.nslots; i++) {
		uint64_t before, after;
		if (!is_watched(b, i)) {
			continue;
		}
		const unsigned char *at = ks_layout_at(&b->layout, &b->in, out, i);
		int byte = b->layout.slots[i].out == KS_SLOT_OUT ? b->gap_byte : IDLE_GAP;
		ks_layout_gaps(&b->layout, i, &before, &after);
		b->device->ops->gap(b->device, at - before, byte, before, 2 * i);
		b->device->ops->gap(b->device, at + arg_of(b, i)->bytes, byte, after, 2 * i + 1);
	}
}

static int look_at_gaps(struct ks_bench *b, struct ks_err *err)
{
	for (unsigned i = 0; i < b->layout.nslots; i++) {
		if (is_watched(b, i) && b->device->look[2 * i] != 0) {
			return ks_err_set(err, KS_EDENIED, "wrote before the start of %s",
				arg_of(b, i)->name);
		}
		if (is_watched(b, i) && b->device->look[2 * i + 1] != 0) {
			return ks_err_set(err, KS_EDENIED, "wrote behind the end of %s",
				arg_of(b, i)->name);
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
		bool same = b->device->look[LOOK_PRINT + i] == b->print[i];
		if (!b->device->cuda) {
			same = memcmp(ks_layout_at(&b->layout, &b->in, &b->out, i),
				b->copy + b->copy_off[i], a->bytes) == 0;
		}
		if (!same) {
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
			b->device->ops->copy(b->device, b->answers[side] + b->answer_off[i],
				ks_layout_at(&b->layout, &b->in, out, i), a->bytes);
		}
	}
}

/* After both sides' calls, so that looking costs both the same. */
static int look_at_places(struct ks_bench *b, enum ks_side side, struct ks_err *err)
{
	struct ks_err moved = KS_ERR_INIT;
	unsigned what = on(b, KS_CHECK_TEXT) ? KS_WATCH_TEXT : 0;
	what |= on(b, KS_CHECK_MAPS) ? KS_WATCH_MAPS : 0;
	int code = b->watch != NULL ? ks_watch_settled(b->watch, what, &moved) : 0;
	return code != 0 && side == KS_SIDE_CAND ? ks_err_set(err, code, "%s", moved.msg) : 0;
}

/* After a call of seed, candidate or yardstick: the answer, and what it did. */
static int look_after(struct ks_bench *b, enum ks_side side, bool variables, struct ks_err *err)
{
	/* with CUDA there are threads: its own, and those that it gives a kernel */
	bool threads = b->job->threads > 1 || b->device->cuda;
	bool stop = threads && on(b, KS_CHECK_LATE), wait = threads && !stop;
	struct ks_err changed = KS_ERR_INIT;
	/* Stopping a process with a GPU costs more than much of a pair: there one call in
	 * some, which nobody can foresee. */
	stop = stop && (!b->device->cuda || ks_bench_random(b) % STOP_EVERY == 0);
	if (stop) {
		ks_host_freeze(b->main);
	} else if (wait) {
		usleep(LEISURE_US); /* as one who looks at answers later would */
	}
	take_answer(b, &b->out, side);
	queue_gaps(b, &b->out);
	queue_prints(b);
	int code = b->device->ops->sync(b->device, err);
	code = code != 0 ? code : look_at_gaps(b, err);
	code = code != 0 ? code : look_at_inputs(b, err);
	if (variables && ks_watch_seed_check(b->watch, &changed) != 0 &&
		side == KS_SIDE_CAND && code == 0) {
		code = ks_err_set(err, KS_EDENIED, "%s", changed.msg);
	}
	code = code != 0 ? code : look_at_places(b, side, err);
	if (stop) {
		ks_host_thaw(b->main);
	}
	if (stop && !b->device->cuda && side == KS_SIDE_CAND && code == 0 &&
		!ks_contain_rests(ks_host_pid(b->main), REST_MS)) {
		code = ks_err_set(err, KS_EDENIED, "keeps a thread running after its call");
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

/* While buffers are flushed the arguments are known and no clock is running: no thread
 * may have a turn then. Those of the call before are given time to fall asleep. */
static int begin(struct ks_bench *b, enum ks_side side, bool flush, struct ks_err *err)
{
	pid_t pid = ks_host_pid(b->main);
	bool alone = b->job->threads > 1 && !b->device->cuda && on(b, KS_CHECK_LATE) &&
		ks_contain_rests(pid, REST_MS);
	uint64_t turns = alone ? ks_contain_turns(pid) : 0;
	int code = ks_host_arm(b->main, (unsigned)side, b->layout.args, b->layout.nargs, flush,
		err);
	if (code == 0 && alone && ks_contain_turns(pid) > turns) {
		return ks_err_set(err, KS_EDENIED, "has a thread at work before the call");
	}
	if (code == 0) {
		ks_host_go(b->main);
	}
	return code;
}

int ks_bench_call(struct ks_call *out, struct ks_bench *b, enum ks_side side, bool flush,
	int64_t limit_ms, struct ks_err *err)
{
	bool variables = b->watch != NULL && !b->same_file && on(b, KS_CHECK_SEED_DATA);
	prepare_outputs(b, &b->out);
	if (variables) {
		ks_watch_mark(b->watch);
	}
	int64_t faults = b->count_faults && side == KS_SIDE_SEED ? ks_host_faults(b->main) : -1;
	int code = b->device->ops->sync(b->device, err);
	code = code != 0 ? code : begin(b, side, flush && on(b, KS_CHECK_FLUSH), err);
	code = code != 0 ? code : ks_host_end(out, b->main, limit_ms, b->expect_ns[side], err);
	if (code != 0) {
		return code;
	}
	out->faults = faults >= 0 ? ks_host_faults(b->main) - faults : -1;
	code = look_after(b, side, variables, err);
	b->expect_ns[side] = out->judge_ns;
	return code != 0 ? code : look_at_return(out, err);
}

int ks_bench_look_home(struct ks_bench *b, struct ks_err *err)
{
	if (b->watch == NULL || !b->control || b->device->cuda) {
		return 0;
	}
	ks_host_freeze(b->main);
	int code = ks_host_alive(b->main) ? ks_watch_home(b->watch, b->home, err) : 0;
	ks_host_thaw(b->main);
	return code;
}

int ks_bench_begin_reference(struct ks_bench *b, struct ks_err *err)
{
	prepare_outputs(b, &b->ref_out);
	int code = b->device->ops->sync(b->device, err);
	return code != 0 ? code :
		ks_host_begin(b->ref, 0, b->layout.args, b->layout.nargs, false, err);
}

int ks_bench_end_reference(struct ks_bench *b, int64_t limit_ms, struct ks_err *err)
{
	struct ks_call call;
	int code = ks_host_end(&call, b->ref, limit_ms, 0, err);
	if (code == 0) {
		take_answer(b, &b->ref_out, KS_SIDE_REF);
		queue_gaps(b, &b->ref_out);
		code = b->device->ops->sync(b->device, err);
	}
	code = code != 0 ? code : look_at_gaps(b, err);
	return code != 0 ? code : look_at_return(&call, err);
}

int ks_bench_trace(struct ks_trace *out, struct ks_bench *b, enum ks_side side,
	struct ks_err *err)
{
	struct ks_call call;
	if (b->traced == NULL) {
		return ks_err_set(err, KS_EUNSUPPORTED, "calls are not traced here");
	}
	int code = tell_layout(b, b->traced, &b->traced_ready, err);
	prepare_outputs(b, &b->out);
	code = code != 0 ? code : b->device->ops->sync(b->device, err);
	code = code != 0 ? code : ks_host_begin(b->traced, (unsigned)side, b->layout.args,
		b->layout.nargs, true, err);
	code = code != 0 ? code : ks_host_end(&call, b->traced, b->job->limits.call_ms, 0, err);
	return code != 0 ? code : ks_host_trace(out, b->traced, err);
}

void ks_bench_poison_from(struct ks_bench *b, enum ks_side side)
{
	b->device->ops->copy(b->device, b->answers[KS_ANSWER_POISON], b->answers[side],
		b->answer_len);
	b->poison_ready = true;
}

const void *ks_bench_answer(const struct ks_bench *b, enum ks_side side, unsigned slot)
{
	if (arg_of(b, slot)->kind != KS_ARG_OUTPUT) {
		return NULL;
	}
	return b->answers[side] + b->answer_off[slot];
}
