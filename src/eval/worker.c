/*
 * kseek-worker: loads kernels and calls them when the judge says so. It links
 * libc, libdl and libffi only, knows no expected values and takes no decision.
 *
 * Order of start: control page, guards that can stand before loading, the
 * libraries, the guards that take loading away, then the loop.
 *
 * A kernel shares our address space, so what decides which code is called, with
 * which buffers and how cold they are lies in two page-sized tables (`entries`, `plan`) that are
 * read-only while a kernel runs; they are globals so that no pointer to them
 * lies on the stack. `entries` never changes after loading, and the judge
 * compares it from outside. The rest of the state is on main's stack.
 */
#include "eval/flush.h"
#include "eval/wait.h"
#include "eval/worker_device.h"
#include "eval/worker_guard.h"
#include "eval/worker_proto.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ffi.h>
#include <malloc.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <asm/sigcontext.h>
#define DATA_ABORT 0x24   /* of the syndrome's class: from user space */
#define WRITING (1u << 6) /* of a data abort's syndrome               */
#endif

#define SPIN_ROUNDS 40000
#define AWAKE_ROUNDS 4000000 /* some 50 ms */
#define SWEEP_BYTES ((size_t)64 << 20)
#define STEADY_HEAP (256 << 20)

#define PAGE 65536 /* the largest of the machines we know */

typedef void (*kernel_fn)(void); /* called by its real signature through libffi */

struct entries {
	unsigned count; /* not zero from the start, so that it lies in .data */
	kernel_fn at[KS_WORKER_LIBS];
	enum ks_flush flush;
	bool vectors; /* with upper halves, which a call can leave dirty */
	bool steady; /* the heap's settings are put right before each call */
	bool closes; /* outputs, so that no thread writes after the call; waits for a GPU */
	unsigned char *sweep;
	struct ks_worker_device gpu; /* gpu.api is NULL where there is none */
};

struct plan { /* of the scenario's call */
	ffi_cif cif;
	ffi_type *types[KS_WORKER_ARGS];
	unsigned nargs;
	char *slot_at[KS_WORKER_SLOTS];
	unsigned nouts; /* slots that are closed when a call returns */
	struct {
		char *at;
		size_t len;
	} outs[KS_WORKER_SLOTS];
};

union entries_page {
	struct entries e;
	unsigned char page[PAGE];
};

union plan_page {
	struct plan p;
	unsigned char page[PAGE];
};

_Alignas(PAGE) static union entries_page entries = {.e = {.count = KS_WORKER_LIBS}};
_Alignas(PAGE) static union plan_page plan;

struct worker {
	struct ks_ctl *ctl;
	void *values[KS_WORKER_ARGS];
	union {
		void *p;
		int64_t i64;
		int32_t i32;
		float f;
		double d;
	} cells[KS_WORKER_ARGS];
	char *arena;
	size_t arena_len;
	long switches; /* before the call */
};

static struct ks_ctl *handler_page;

static int64_t now_ns(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* ---- start ---- */

/* The reason stands in the page. */
__attribute__((noreturn)) static void fail_told(struct ks_ctl *ctl)
{
	ctl->status = 1;
	atomic_store(&ctl->worker_seq, 1);
	ks_futex(&ctl->worker_seq, FUTEX_WAKE, 1, NULL);
	_exit(3);
}

__attribute__((format(printf, 2, 3), noreturn)) static void fail(struct ks_ctl *ctl,
	const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(ctl->text, sizeof(ctl->text), fmt, ap);
	va_end(ap);
	fail_told(ctl);
}

/* Whether a segmentation fault came of writing, where the processor tells. */
static bool was_write(const ucontext_t *uc)
{
#if defined(__x86_64__)
	return (uc->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#elif defined(__aarch64__)
	const unsigned char *at = uc->uc_mcontext.__reserved;
	const unsigned char *end = at + sizeof(uc->uc_mcontext.__reserved);
	struct esr_context esr;

	while ((size_t)(end - at) >= sizeof(esr)) {
		memcpy(&esr, at, sizeof(esr));
		if (esr.head.magic == ESR_MAGIC) {
			return (esr.esr >> 26 & 63) == DATA_ABORT && (esr.esr & WRITING) != 0;
		}
		if (esr.head.size == 0 || esr.head.size > (size_t)(end - at)) {
			break;
		}
		at += esr.head.size;
	}
	return false;
#else
	(void)uc;
	return false;
#endif
}

static void on_fault(int signo, siginfo_t *info, void *context)
{
	struct ks_ctl *ctl = handler_page;
	struct rusage use;
	ctl->fault_code = info->si_code;
	if (getrusage(RUSAGE_SELF, &use) == 0) {
		ctl->fault_rss_kb = use.ru_maxrss;
	}
	if (signo == SIGSYS) {
		ctl->fault_call = info->si_syscall;
	} else {
		ctl->fault_addr = (uint64_t)(uintptr_t)info->si_addr;
	}
	ctl->fault_write = signo == SIGSEGV && was_write(context);
	ctl->fault_signo = signo;
	_exit(128 + signo);
}

static void set_handlers(void)
{
	static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGSYS, SIGABRT};
	size_t size = 64 * 1024;
	void *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack != MAP_FAILED) {
		stack_t alt = {.ss_sp = stack, .ss_size = size};
		sigaltstack(&alt, NULL);
	}
	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++) {
		struct sigaction act = {.sa_sigaction = on_fault};
		act.sa_flags = SA_SIGINFO | SA_ONSTACK;
		sigaction(fatal[i], &act, NULL);
	}
}

static void load_one(struct worker *w, const char *path, const char *symbol, unsigned index)
{
	void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (lib == NULL) {
		fail(w->ctl, "cannot load %s: %s", path, dlerror());
	}
	void *at = dlsym(lib, symbol);
	if (at == NULL) {
		fail(w->ctl, "%s has no function %s", path, symbol);
	}
	memcpy(&entries.e.at[index], &at, sizeof(at));
}

static void pin(int cpu, int threads)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	for (int i = 0; i < threads; i++) {
		CPU_SET((size_t)((cpu + i) % CPU_SETSIZE), &set);
	}
	sched_setaffinity(0, sizeof(set), &set);
}

/* A heap that neither gives memory back nor maps large blocks, so that one
 * side's allocations do not change what the other side's cost. */
static void steady_heap(void)
{
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, STEADY_HEAP);
	mallopt(M_TOP_PAD, 1 << 20);
}

static void start(struct worker *w, int argc, char **argv)
{
	struct ks_ctl *ctl = w->ctl;
	unsigned long flags = strtoul(argv[1], NULL, 16);
	int cpu = (int)strtol(argv[2], NULL, 10);
	int threads = (int)strtol(argv[3], NULL, 10);
	const char *scratch = argv[4];
	unsigned nlibs = (unsigned)(argc - KS_WORKER_ARGC_FIXED);
	entries.e.flush = ks_flush_kind();
	entries.e.closes = (flags & KS_GUARD_LATE) != 0;
	entries.e.steady = (flags & KS_GUARD_HEAP) != 0;
#if defined(__x86_64__)
	entries.e.vectors = __builtin_cpu_supports("avx") != 0;
#endif
	if (entries.e.flush == KS_FLUSH_SWEEP) {
		entries.e.sweep = calloc(1, SWEEP_BYTES);
	}
	ctl->flush_by = (uint32_t)entries.e.flush;
	ctl->fault_call = -1;
	steady_heap();
	set_handlers();
	bool gpu = argv[6][0] != '\0';
	bool files = (flags & KS_GUARD_FILES) != 0 && ks_guard_files(scratch, gpu, false);
	/* the driver's threads are born under that rule, and not pinned */
	if (gpu && !ks_worker_device_open(&entries.e.gpu, argv[6],
		(flags & KS_WORKER_TRACE) != 0 ? argv[7] : NULL, ctl, ctl->text)) {
		fail_told(ctl);
	}
	if (cpu >= 0) {
		pin(cpu, threads);
	}
	if ((flags & KS_GUARD_MDWE) != 0 && ks_guard_mdwe()) {
		ctl->guards |= KS_GUARD_MDWE;
	}
	for (unsigned i = 0; i < nlibs; i++) {
		unsigned k = (flags & KS_WORKER_REVERSE) != 0 ? nlibs - 1 - i : i;
		load_one(w, argv[KS_WORKER_ARGC_FIXED + k], argv[5], k);
	}
	entries.e.count = nlibs;
	mprotect(&entries, sizeof(entries), PROT_READ);
	if (files && ks_guard_files(scratch, gpu, true)) {
		ctl->guards |= KS_GUARD_FILES;
	}
	bool filter = (flags & KS_GUARD_SYSCALLS) != 0;
	if (filter && (gpu ? ks_guard_syscalls_gpu() :
		ks_guard_syscalls((flags & KS_GUARD_THREADS) != 0))) {
		ctl->guards |= KS_GUARD_SYSCALLS;
	}
}

/* ---- commands ---- */

static void unmap(struct worker *w)
{
	if (w->arena != NULL) {
		munmap(w->arena, w->arena_len);
	}
	w->arena = NULL;
}

/* A fresh page takes the plan's place: the filter lets us take the right to write
 * away, not give it back. */
static bool open_plan(void)
{
	return mmap(&plan, sizeof(plan), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == &plan;
}

static size_t room_for(size_t len)
{
	return (len + 2 * PAGE - 1) / PAGE * PAGE;
}

/* Slots lie in one reserved range with an unreadable page on both sides of each. */
static bool map_slots(struct worker *w)
{
	const struct ks_ctl *ctl = w->ctl;
	size_t total = PAGE;
	for (unsigned i = 0; i < ctl->nslots; i++) {
		total += room_for(ctl->slots[i].len);
	}
	w->arena = mmap(NULL, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (w->arena == MAP_FAILED) {
		w->arena = NULL;
		return false;
	}
	w->arena_len = total;
	char *at = w->arena + PAGE;
	for (unsigned i = 0; i < ctl->nslots; i++) {
		const struct ks_worker_slot *s = &ctl->slots[i];
		/* the end of the slot touches the guard, so that an overrun shows */
		char *place = at + room_for(s->len) - PAGE - s->len;
		int prot = s->out == KS_SLOT_IN ? PROT_READ : PROT_READ | PROT_WRITE;
		void *got = mmap(place, s->len, prot, MAP_SHARED | MAP_FIXED | MAP_POPULATE,
			s->out == KS_SLOT_OUT ? KS_WORKER_FD_OUT : KS_WORKER_FD_IN,
			(off_t)s->file_off);
		if (got == MAP_FAILED) {
			return false;
		}
		plan.p.slot_at[i] = place;
		if (entries.e.closes && s->out != KS_SLOT_IN) {
			plan.p.outs[plan.p.nouts].at = place;
			plan.p.outs[plan.p.nouts++].len = s->len;
		}
		w->ctl->slot_at[i] = (uint64_t)(uintptr_t)place;
		at += room_for(s->len);
	}
	return true;
}

static bool describe(struct worker *w)
{
	static const struct {
		enum ks_worker_type type;
		ffi_type *ffi;
	} table[] = {
		{KS_WT_POINTER, &ffi_type_pointer}, {KS_WT_INT64, &ffi_type_sint64},
		{KS_WT_INT32, &ffi_type_sint32}, {KS_WT_FLOAT, &ffi_type_float},
		{KS_WT_DOUBLE, &ffi_type_double}, {KS_WT_STREAM, &ffi_type_pointer},
	};
	plan.p.nargs = w->ctl->nargs;
	for (unsigned i = 0; i < plan.p.nargs; i++) {
		plan.p.types[i] = table[w->ctl->args[i].type % 6].ffi;
		w->values[i] = &w->cells[i];
	}
	return ffi_prep_cif(&plan.p.cif, FFI_DEFAULT_ABI, plan.p.nargs, &ffi_type_sint32,
		plan.p.types) == FFI_OK;
}

/* On a GPU the slots lie in the two allocations as the judge says. */
static bool find_slots(struct worker *w)
{
	for (unsigned i = 0; i < w->ctl->nslots; i++) {
		const struct ks_worker_slot *s = &w->ctl->slots[i];
		char *base = entries.e.gpu.base[s->out == KS_SLOT_OUT];
		plan.p.slot_at[i] = base + s->file_off;
		w->ctl->slot_at[i] = (uint64_t)(uintptr_t)plan.p.slot_at[i];
	}
	return true;
}

static bool layout(struct worker *w)
{
	bool gpu = entries.e.gpu.api != NULL;
	unmap(w);
	bool ok = open_plan() && (gpu ? find_slots(w) : map_slots(w)) && describe(w);
	mprotect(&plan, sizeof(plan), PROT_READ);
	return ok;
}

static long switches(void)
{
	struct rusage use = {.ru_nivcsw = 0};
	getrusage(RUSAGE_THREAD, &use);
	return use.ru_nivcsw;
}

static void open_outputs(int prot)
{
	for (unsigned i = 0; i < plan.p.nouts; i++) {
		mprotect(plan.p.outs[i].at, plan.p.outs[i].len, prot);
	}
}

/* Takes any arguments, as the caller puts them in place and clears them away. */
static int nothing(void)
{
	return 0;
}

/* The way to a kernel, libffi's code, may have been out of the processor's mind since
 * the call before, and took 0.2 us longer then: both sides find it there. */
static void warm_way(struct worker *w)
{
	ffi_arg ret = 0;
	ffi_call(&plan.p.cif, (kernel_fn)nothing, &ret, w->values);
}

static void arm(struct worker *w)
{
	const struct ks_ctl *ctl = w->ctl;
	open_outputs(PROT_READ | PROT_WRITE);
	if (entries.e.steady) {
		steady_heap(); /* a call could have written over them */
	}
	bool flush = ctl->flush && entries.e.gpu.api == NULL; /* lines of memory of ours */
	enum ks_flush kind = flush ? entries.e.flush : KS_FLUSH_NONE;
	for (unsigned i = 0; i < plan.p.nargs; i++) {
		const struct ks_worker_arg *a = &ctl->args[i];
		w->values[i] = &w->cells[i];
		switch (a->type) {
		case KS_WT_POINTER:
			w->cells[i].p = a->slot < 0 ? NULL : plan.p.slot_at[a->slot] + a->off;
			if (a->slot >= 0) {
				ks_flush_range(kind, w->cells[i].p, a->bytes);
			}
			break;
		case KS_WT_STREAM:
			w->cells[i].p = entries.e.gpu.stream;
			break;
		case KS_WT_INT64:
			w->cells[i].i64 = a->value.i;
			break;
		case KS_WT_INT32:
			w->cells[i].i32 = (int32_t)a->value.i;
			break;
		case KS_WT_FLOAT:
			w->cells[i].f = (float)a->value.d;
			break;
		default:
			w->cells[i].d = a->value.d;
			break;
		}
	}
	if (kind == KS_FLUSH_SWEEP && entries.e.sweep != NULL) {
		ks_flush_sweep(entries.e.sweep, SWEEP_BYTES);
	}
	if (entries.e.gpu.api != NULL) {
		ks_worker_device_arm(&entries.e.gpu, ctl->flush != 0);
	}
	warm_way(w);
	w->switches = ctl->count ? switches() : 0;
	ks_flush_fence();
}

/* What a call may have left behind in the processor is put right before the
 * next one: rounding, flush-to-zero, upper halves of vectors, direction. */
static void clean_cpu(void)
{
#if defined(__x86_64__)
	__asm__ volatile("cld; fninit");
	_mm_setcsr(0x1f80);
	if (entries.e.vectors) {
		__asm__ volatile("vzeroupper" : : : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",
			"xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
			"xmm13", "xmm14", "xmm15");
	}
#elif defined(__aarch64__)
	__asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0));
#endif
}

/* Closing the outputs belongs to the call: what a thread writes later than the
 * second reading of the clock ends the process. */
static void go(struct worker *w)
{
	ffi_arg ret = 0;
	int waited = 0;
	bool gpu = entries.e.gpu.api != NULL, events = gpu && w->ctl->events != 0;
	kernel_fn entry = entries.e.at[w->ctl->lib % KS_WORKER_LIBS];
	clean_cpu();
	if (gpu) {
		ks_worker_device_begin(&entries.e.gpu, events);
	}
	int64_t t0 = now_ns();
	ffi_call(&plan.p.cif, entry, &ret, w->values);
	open_outputs(PROT_READ);
	if (gpu) {
		waited = ks_worker_device_wait(&entries.e.gpu, events, entries.e.closes);
	}
	int64_t t1 = now_ns();
	w->ctl->switches = w->ctl->count ? (uint32_t)(switches() - w->switches) : 0;
	w->ctl->t0 = t0;
	w->ctl->t1 = t1;
	w->ctl->ret = (int32_t)ret;
	if (gpu) {
		ks_worker_device_finish(&entries.e.gpu, waited, events, w->ctl);
	}
}

/* Told before a kernel can have run: the judge keeps what it read then. */
static void tell_home(struct ks_ctl *ctl, const void *frame)
{
#if defined(__x86_64__)
	ctl->home = (uint64_t)(uintptr_t)frame - sizeof(void *);
#else
	(void)ctl, (void)frame;
#endif
}

__attribute__((noinline)) static bool wait_command(const struct worker *w, uint32_t last)
{
	struct ks_ctl *ctl = w->ctl;
	tell_home(ctl, __builtin_dwarf_cfa());
	for (;;) {
		for (unsigned i = 0; ctl->spin &&
				i < (ctl->awake ? AWAKE_ROUNDS : SPIN_ROUNDS); i++) {
			if (atomic_load_explicit(&ctl->judge_seq, memory_order_acquire) != last) {
				return true;
			}
			ks_cpu_pause();
		}
		atomic_store(&ctl->worker_sleeps, 1);
		if (atomic_load(&ctl->judge_seq) == last) {
			struct timespec second = {.tv_sec = 1};
			ks_futex(&ctl->judge_seq, FUTEX_WAIT, last, &second);
		}
		atomic_store(&ctl->worker_sleeps, 0);
		if (atomic_load(&ctl->judge_seq) != last) {
			return true;
		}
		struct pollfd life = {.fd = 0, .events = POLLIN};
		struct timespec zero = {.tv_sec = 0};
		if (ppoll(&life, 1, &zero, NULL) > 0 && (life.revents & POLLHUP) != 0) {
			return false; /* the judge is gone */
		}
	}
}

static void answer(struct ks_ctl *ctl, uint32_t seq)
{
	atomic_store(&ctl->worker_seq, seq);
	if (atomic_load(&ctl->judge_sleeps) != 0) {
		ks_futex(&ctl->worker_seq, FUTEX_WAKE, 1, NULL);
	}
}

static int serve(struct worker *w)
{
	uint32_t seq = 0;
	for (;;) {
		if (!wait_command(w, seq)) {
			return 0;
		}
		seq = atomic_load(&w->ctl->judge_seq);
		w->ctl->status = 0;
		switch (w->ctl->op) {
		case KS_OP_LAYOUT:
			w->ctl->status = layout(w) ? 0 : 1;
			break;
		case KS_OP_ARM:
			arm(w);
			break;
		case KS_OP_GO:
			go(w);
			break;
		case KS_OP_QUIT:
			return 0;
		default:
			break;
		}
		answer(w->ctl, seq);
	}
}

int main(int argc, char **argv)
{
	struct worker w = {.ctl = NULL};
	if (argc <= KS_WORKER_ARGC_FIXED || argc > KS_WORKER_ARGC_FIXED + KS_WORKER_LIBS) {
		fputs("kseek-worker: started by kseek-judge, not by hand\n", stderr);
		return 2;
	}
	size_t size = (sizeof(struct ks_ctl) + 4095) / 4096 * 4096;
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, KS_WORKER_FD_CTL, 0);
	if (page == MAP_FAILED) {
		return 3;
	}
	w.ctl = page;
	handler_page = page;
	start(&w, argc, argv);
	answer(w.ctl, 1);
	return serve(&w);
}
