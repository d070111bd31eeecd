/*
 * One worker process from the judge's side. The control page is hostile
 * ground: what is read from it here is copied once and bounded.
 */
#include "eval/host.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/sane.h"
#include "eval/contain.h"
#include "eval/wait.h"

#define START_MS 20000
#define TICK_NS 20000000L
#define MEND_LEAST_NS 50000.0 /* below, code and stack that went cold weigh too much */
#define MEND_AROUND_NS 10000.0 /* else it may have waited before the call, or after it */
#define GPU_ADDRESSES ((uint64_t)64 << 30)
#define GPU_POOLS 4 /* times the device's memory, reserved by its memory pools */
#define GPU_DRIVER ((uint64_t)8 << 30) /* of data, beside the kernel's own */
#define GPU_FILES 1024

struct ks_host {
	pid_t pid;
	bool alive;
	bool ended;   /* by us */
	bool spin;
	bool watched, awake, events; /* what the page says to the worker */
	unsigned contained;
	struct ks_ctl *ctl;
	size_t ctl_size;
	int life;     /* closing it tells the worker that we are gone */
	uint32_t seq;
	bool gpu;         /* calls can fail and go on; the process is of no use then */
	int account;      /* of one thread: what the kernel says of its waiting, or -1 */
	int64_t go_ns;    /* when the call in progress was started */
	int64_t go_waited;
	long go_switches;
	int status;   /* of waitpid once dead */
	uint64_t mem_limit, mem_mb; /* of the address space; as asked for */
	uint64_t mem_start, mem_seen; /* address space at the start, largest seen */
	const char *const *names;
	unsigned nslots;
	struct ks_worker_slot slots[KS_WORKER_SLOTS];
};

static int64_t raw_ns(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* How long the worker could have run and did not, up to now; -1: not known. From the
 * kernel, for the worker's own word could be a candidate's. */
static int64_t waited_ns(const struct ks_host *h)
{
	char text[96] = {0};
	long long waited = -1;
	ssize_t n = h->account >= 0 ? pread(h->account, text, sizeof(text) - 1, 0) : -1;
	return n > 0 && sscanf(text, "%*s %lld", &waited) == 1 ? waited : -1;
}

int64_t ks_host_faults(const struct ks_host *h)
{
	char path[64], text[1024] = {0};
	long long faults = -1;
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)h->pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
	if (fd >= 0) {
		close(fd);
	}
	const char *at = n > 0 ? strrchr(text, ')') : NULL;
	return at != NULL && sscanf(at + 1, "%*s %*s %*s %*s %*s %*s %*s %lld", &faults) == 1 ?
		faults : -1;
}

/* ---- death ---- */

static bool read_statm(const struct ks_host *h, uint64_t *total, uint64_t *resident)
{
	char path[64], text[64] = {0};
	unsigned long long pages[2];
	snprintf(path, sizeof(path), "/proc/%d/statm", (int)h->pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
	if (fd >= 0) {
		close(fd);
	}
	if (n <= 0 || sscanf(text, "%llu %llu", &pages[0], &pages[1]) != 2) {
		return false;
	}
	*total = pages[0] * (uint64_t)sysconf(_SC_PAGESIZE);
	*resident = pages[1] * (uint64_t)sysconf(_SC_PAGESIZE);
	return true;
}

uint64_t ks_host_memory(const struct ks_host *h)
{
	uint64_t total, resident;
	return h != NULL && h->alive && read_statm(h, &total, &resident) ? resident : 0;
}

static void note_memory(struct ks_host *h)
{
	uint64_t bytes, resident;
	if (read_statm(h, &bytes, &resident)) {
		h->mem_start = h->mem_start == 0 ? bytes : h->mem_start;
		h->mem_seen = bytes > h->mem_seen ? bytes : h->mem_seen;
	}
}

static bool check_alive(struct ks_host *h)
{
	if (h->alive && waitpid(h->pid, &h->status, WNOHANG) == h->pid) {
		h->alive = false;
	}
	return h->alive;
}

/* Which slot an address belongs to or lies just behind or before; -1: none. */
static int slot_near(const struct ks_host *h, uint64_t addr)
{
	const uint64_t page = 65536;
	for (unsigned i = 0; i < h->nslots; i++) {
		uint64_t at = h->ctl->slot_at[i];
		if (addr >= at && addr < at + h->slots[i].len) {
			return (int)i;
		}
	}
	for (unsigned i = 0; i < h->nslots; i++) {
		uint64_t at = h->ctl->slot_at[i], end = at + h->slots[i].len;
		if (addr >= end && addr < end + page) {
			return (int)i;
		}
	}
	return -1;
}

static void say_segv(const struct ks_host *h, struct ks_buf *out)
{
	uint64_t addr = h->ctl->fault_addr;
	const char *verb = h->ctl->fault_write ? "write" : "read";
	int slot = slot_near(h, addr);
	if (slot < 0 || h->names == NULL) {
		ks_buf_addf(out, "crashed: segmentation fault (%s at 0x%llx)", verb,
			(unsigned long long)addr);
	} else if (addr - h->ctl->slot_at[slot] < h->slots[slot].len) {
		ks_buf_addf(out, h->slots[slot].out == KS_SLOT_IN ?
			"wrote to input %s, which is read-only" :
			"wrote to %s after its call had returned", h->names[slot]);
	} else {
		ks_buf_addf(out, "went out of bounds: %s behind the end of %s", verb,
			h->names[slot]);
	}
}

static void say_death(struct ks_host *h, struct ks_buf *out)
{
	const struct ks_ctl *ctl = h->ctl;
	int signo = ctl->fault_signo;
	if (signo == SIGSYS) {
		ks_buf_addf(out, "made a system call that a kernel may not make (number %d)",
			(int)ctl->fault_call);
	} else if (signo == SIGSEGV) {
		say_segv(h, out);
	} else if (signo > 0 && signo < 64) {
		ks_buf_addf(out, "crashed: %s", strsignal(signo));
	} else if (WIFSIGNALED(h->status) && WTERMSIG(h->status) == SIGKILL) {
		ks_buf_adds(out, "was killed");
	} else if (WIFSIGNALED(h->status)) {
		ks_buf_addf(out, "was killed: %s", strsignal(WTERMSIG(h->status)));
	} else {
		ks_buf_addf(out, "ended the process itself (exit status %d)",
			WEXITSTATUS(h->status));
	}
	uint64_t rss = ctl->fault_rss_kb > 0 ? (uint64_t)ctl->fault_rss_kb << 10 : 0;
	if (h->mem_limit > 0 && (h->mem_seen > h->mem_limit / 10 * 9 || rss > h->mem_mb << 19)) {
		ks_buf_addf(out, " when memory had reached its limit of %llu MB",
			(unsigned long long)h->mem_mb);
	}
}

static int fail_dead(struct ks_host *h, struct ks_err *err)
{
	struct ks_buf why = {0};
	say_death(h, &why);
	int code = ks_err_set(err, KS_EIO, "%s", why.ptr);
	ks_buf_fini(&why);
	return code;
}

static void end_process(struct ks_host *h)
{
	if (h->pid <= 0) {
		return;
	}
	kill(-h->pid, SIGKILL); /* its session's group */
	if (h->alive) {
		h->ended = true;
		kill(h->pid, SIGKILL);
		while (waitpid(h->pid, &h->status, 0) < 0 && errno == EINTR) {
		}
		h->alive = false;
	}
}

/* The worker's words about a call that broke its CUDA context, which nothing
 * mends but a new process. */
static int fail_on_gpu(struct ks_host *h, struct ks_err *err)
{
	char raw[KS_WORKER_TEXT], text[KS_WORKER_TEXT];
	memcpy(raw, h->ctl->text, sizeof(raw));
	raw[sizeof(raw) - 1] = '\0';
	ks_sane_into(text, sizeof(text), ks_str_of(raw), KS_SANE_ONE_LINE);
	end_process(h);
	return ks_err_set(err, KS_EIO, "crashed on the GPU: %s", text);
}

static int fail_late(struct ks_host *h, int64_t limit_ms, struct ks_err *err)
{
	char memory[64] = "";
	uint64_t grown = h->mem_seen > h->mem_start ? (h->mem_seen - h->mem_start) >> 20 : 0;
	if (grown >= 128) {
		snprintf(memory, sizeof(memory), " and took %llu MB of memory",
			(unsigned long long)grown);
	}
	end_process(h);
	return ks_err_set(err, KS_ETIME, "took longer than %lld ms%s", (long long)limit_ms,
		memory);
}

/* ---- commands ---- */

static void send(struct ks_host *h, enum ks_worker_op op)
{
	h->ctl->op = op;
	atomic_store(&h->ctl->judge_seq, ++h->seq);
	if (atomic_load(&h->ctl->worker_sleeps) != 0) {
		ks_futex(&h->ctl->judge_seq, FUTEX_WAKE, 1, NULL);
	}
}

static bool answered(const struct ks_host *h)
{
	return atomic_load_explicit(&h->ctl->worker_seq, memory_order_acquire) == h->seq;
}

static long switches(void)
{
	struct rusage use = {.ru_nivcsw = 0};
	getrusage(RUSAGE_THREAD, &use);
	return use.ru_nivcsw + use.ru_nvcsw;
}

static bool watch(const struct ks_host *h, int64_t until)
{
	for (;;) {
		for (int i = 0; i < 64; i++) {
			if (answered(h)) {
				return true;
			}
			ks_cpu_pause();
		}
		if (raw_ns() >= until) {
			return answered(h);
		}
	}
}

static int await(struct ks_host *h, int64_t limit_ms, double expect_ns, struct ks_err *err)
{
	int64_t start = raw_ns();
	int64_t end = start + limit_ms * 1000000;
	if (h->spin) {
		double spin_ns = expect_ns * 4 + 2e6;
		spin_ns = spin_ns > 1e8 ? 1e8 : spin_ns;
		if (watch(h, start + (int64_t)spin_ns)) {
			return 0;
		}
	}
	for (;;) {
		uint32_t seen = atomic_load(&h->ctl->worker_seq);
		struct timespec tick = {.tv_nsec = TICK_NS};
		atomic_store(&h->ctl->judge_sleeps, 1);
		if (!answered(h)) {
			ks_futex(&h->ctl->worker_seq, FUTEX_WAIT, seen, &tick);
		}
		atomic_store(&h->ctl->judge_sleeps, 0);
		if (answered(h)) {
			return 0;
		}
		if (!check_alive(h)) {
			return answered(h) ? 0 : fail_dead(h, err);
		}
		note_memory(h);
		if (raw_ns() > end) {
			return fail_late(h, limit_ms, err);
		}
	}
}

/* ---- start and end ---- */

static int make_page(struct ks_host *h, int *out_fd, struct ks_err *err)
{
	h->ctl_size = (sizeof(struct ks_ctl) + 4095) / 4096 * 4096;
	int fd = memfd_create("ctl", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0 || ftruncate(fd, (off_t)h->ctl_size) != 0) {
		int sys = errno;
		if (fd >= 0) {
			close(fd);
		}
		return ks_err_sys(err, sys, "no shared memory for the worker");
	}
	fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	void *at = mmap(NULL, h->ctl_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED) {
		close(fd);
		return ks_err_sys(err, errno, "no shared memory for the worker");
	}
	h->ctl = at;
	h->ctl->spin = h->watched = h->spin;
	*out_fd = fd;
	return 0;
}

static unsigned guards_of(const struct ks_host_spec *spec)
{
	unsigned bits = spec->reverse ? KS_WORKER_REVERSE : 0;
	bits |= ks_check_on(&spec->checks, KS_CHECK_MDWE) ? KS_GUARD_MDWE : 0;
	bits |= ks_check_on(&spec->checks, KS_CHECK_SYSCALLS) ? KS_GUARD_SYSCALLS : 0;
	bits |= ks_check_on(&spec->checks, KS_CHECK_FILES) ? KS_GUARD_FILES : 0;
	bits |= spec->trace ? KS_WORKER_TRACE : 0;
	bits |= spec->threads > 1 ? KS_GUARD_THREADS : 0;
	bool heap = spec->device == NULL && ks_check_on(&spec->checks, KS_CHECK_SEED_DATA);
	bits |= heap ? KS_GUARD_HEAP : 0;
	bool late = spec->threads > 1 || spec->device != NULL;
	bits |= late && ks_check_on(&spec->checks, KS_CHECK_LATE) ? KS_GUARD_LATE : 0;
	return bits;
}

static void contain_spec(struct ks_contain_spec *c, const struct ks_host_spec *spec)
{
	c->program = spec->worker;
	c->cpus = spec->cpus;
	c->scratch = spec->scratch;
	c->namespaces = ks_check_on(&spec->checks, KS_CHECK_NAMESPACES);
	c->read_only = ks_check_on(&spec->checks, KS_CHECK_FILES);
	c->limits = ks_check_on(&spec->checks, KS_CHECK_LIMITS);
	/* buffers, code and the threads' stacks and heaps count as address space too */
	c->mem_bytes = ((uint64_t)spec->limits.mem_mb << 20) + 2 * spec->arena_bytes +
		((uint64_t)(spec->threads > 1 ? spec->threads : 0) * 144 << 20) +
		((uint64_t)128 << 20);
	if (spec->device != NULL) {
		/* CUDA reserves addresses for all memory that it could use, once more
		 * for a pool, and keeps some dozens of descriptors a device. So what
		 * is written to is limited instead. */
		c->data_bytes = c->mem_bytes + GPU_DRIVER;
		c->mem_bytes += GPU_ADDRESSES + GPU_POOLS * spec->device->info.memory;
		c->open_files = GPU_FILES;
		c->gpu = true;
	}
	c->file_bytes = (uint64_t)spec->limits.file_mb << 20;
	c->procs = (uint64_t)spec->limits.procs;
}

/* Only this GPU, no code made from PTX on disk, and where the driver lies. */
static void gpu_environment(const char **env, char *visible, size_t visible_size, char *path,
	size_t path_size, const struct ks_device *d)
{
	const char *own = getenv("LD_LIBRARY_PATH");
	snprintf(visible, visible_size, "CUDA_VISIBLE_DEVICES=%s", d->info.uuid);
	snprintf(path, path_size, "LD_LIBRARY_PATH=%.500s%s%.600s", d->driver_dir,
		own != NULL && d->driver_dir[0] != '\0' ? ":" : "", own != NULL ? own : "");
	env[0] = visible;
	env[1] = "CUDA_CACHE_DISABLE=1";
	env[2] = "CUDA_MODULE_LOADING=LAZY";
	env[3] = path;
}

static int launch(struct ks_host *h, const struct ks_host_spec *spec, int ctl_fd,
	struct ks_err *err)
{
	char guards[16], cpu[16], threads[16], omp[40];
	char visible[80], path[1200];
	const char *argv[KS_WORKER_ARGC_FIXED + KS_WORKER_LIBS + 1] = {
		"kseek-worker", guards, cpu, threads, spec->scratch, spec->symbol,
		spec->device != NULL ? spec->device->library : "",
		spec->cupti != NULL ? spec->cupti : "",
	};
	/* libc's restartable sequences would let a kernel be called back whenever the
	 * worker wakes up, before its call too */
	const char *sequences = ks_check_on(&spec->checks, KS_CHECK_SYSCALLS) ?
		"GLIBC_TUNABLES=glibc.pthread.rseq=0" : "LANG=C";
	const char *env[] = {"LC_ALL=C", "OMP_DYNAMIC=false", sequences, omp, NULL, NULL, NULL,
		NULL, NULL};
	if (spec->device != NULL) {
		gpu_environment(env + 4, visible, sizeof(visible), path, sizeof(path),
			spec->device);
	}
	snprintf(guards, sizeof(guards), "%x", guards_of(spec));
	snprintf(cpu, sizeof(cpu), "%d", spec->cpu);
	snprintf(threads, sizeof(threads), "%d", spec->threads);
	snprintf(omp, sizeof(omp), "OMP_NUM_THREADS=%d", spec->threads);
	for (unsigned i = 0; i < spec->nlibs; i++) {
		argv[KS_WORKER_ARGC_FIXED + i] = spec->libs[i];
	}
	int life[2] = {-1, -1}, null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (null < 0 || pipe2(life, O_CLOEXEC) != 0) {
		int sys = errno;
		if (null >= 0) {
			close(null);
		}
		return ks_err_sys(err, sys, "no descriptors for the worker");
	}
	int out = ks_check_on(&spec->checks, KS_CHECK_DESCRIPTORS) ? null : STDOUT_FILENO;
	int fds[] = {life[0], out, null, ctl_fd, spec->in_fd, spec->out_fd};
	struct ks_contain_spec c = {.argv = (char *const *)argv, .env = (char *const *)env,
		.fds = fds, .nfds = spec->device != NULL ? 4 : 6};
	contain_spec(&c, spec);
	pid_t pid = ks_contain_start(&c, &h->contained, err);
	close(life[0]);
	close(null);
	h->life = life[1];
	if (pid < 0) {
		return pid;
	}
	h->pid = pid;
	h->alive = true;
	h->mem_limit = c.limits ? c.mem_bytes : 0;
	h->mem_mb = (uint64_t)spec->limits.mem_mb;
	/* where judge and worker share a processor, it waits for us in every call */
	if (spec->threads == 1 && spec->device == NULL && spec->spin &&
		ks_check_on(&spec->checks, KS_CHECK_MARKS)) {
		snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)pid);
		h->account = open(path, O_RDONLY | O_CLOEXEC);
	}
	return 0;
}

static int await_load(struct ks_host *h, struct ks_err *err)
{
	int code = await(h, START_MS, 0, err);
	if (code == 0 && h->ctl->status != 0) {
		char raw[KS_WORKER_TEXT], text[400];
		memcpy(raw, h->ctl->text, sizeof(raw));
		raw[sizeof(raw) - 1] = '\0';
		ks_sane_into(text, sizeof(text), ks_str_of(raw), KS_SANE_ONE_LINE);
		/* the device is nobody's fault */
		bool gpu = strncmp(text, "GPU: ", 5) == 0;
		return ks_err_set(err, gpu ? KS_EUNSUPPORTED : KS_EINVAL, "%s%s",
			gpu ? "a worker has no " : "", text);
	}
	if (code == KS_EIO && h->ctl->status != 0) {
		return code;
	}
	ks_err_prefix(err, code == 0 ? "" : "while loading");
	return code;
}

int ks_host_launch(struct ks_host **out, const struct ks_host_spec *spec, struct ks_err *err)
{
	struct ks_host *h = ks_zalloc(1, sizeof(*h));
	int ctl_fd = -1;
	h->life = h->account = -1;
	h->spin = spec->spin;
	h->gpu = spec->device != NULL;
	int code = make_page(h, &ctl_fd, err);
	for (int i = 0; code == 0 && h->gpu && i < 2; i++) {
		memcpy(h->ctl->handles[i], spec->handles[i], KS_WORKER_HANDLE);
	}
	if (code == 0) {
		code = launch(h, spec, ctl_fd, err);
		close(ctl_fd);
	}
	if (code != 0) {
		ks_host_free(h);
		return code;
	}
	h->seq = 1;
	*out = h;
	return 0;
}

int ks_host_await(struct ks_host *h, struct ks_err *err)
{
	return await_load(h, err);
}

int ks_host_new(struct ks_host **out, const struct ks_host_spec *spec, struct ks_err *err)
{
	struct ks_host *h = NULL;
	int code = ks_host_launch(&h, spec, err);
	code = code != 0 ? code : ks_host_await(h, err);
	if (code != 0) {
		ks_host_free(h);
		return code;
	}
	*out = h;
	return 0;
}

void ks_host_free(struct ks_host *h)
{
	if (h == NULL) {
		return;
	}
	end_process(h);
	if (h->life >= 0) {
		close(h->life);
	}
	if (h->account >= 0) {
		close(h->account);
	}
	if (h->ctl != NULL) {
		munmap(h->ctl, h->ctl_size);
	}
	free(h);
}

pid_t ks_host_pid(const struct ks_host *h)
{
	return h->pid;
}

bool ks_host_was_killed(const struct ks_host *h)
{
	return h != NULL && !h->alive && !h->ended && WIFSIGNALED(h->status) &&
		WTERMSIG(h->status) == SIGKILL;
}

bool ks_host_alive(struct ks_host *h)
{
	return h != NULL && check_alive(h);
}

unsigned ks_host_contained(const struct ks_host *h)
{
	return h->contained;
}

unsigned ks_host_guards(const struct ks_host *h)
{
	return h->ctl->guards;
}

unsigned ks_host_flush_kind(const struct ks_host *h)
{
	return h->ctl->flush_by;
}

uint64_t ks_host_home(const struct ks_host *h)
{
	return h->ctl->home;
}

/* ---- work ---- */

int ks_host_layout(struct ks_host *h, const struct ks_worker_slot *slots,
	const char *const *names, unsigned nslots, const struct ks_worker_arg *args,
	unsigned nargs, struct ks_err *err)
{
	if (nslots > KS_WORKER_SLOTS || nargs > KS_WORKER_ARGS) {
		return ks_err_set(err, KS_ELIMIT, "more than %d arguments", KS_WORKER_ARGS);
	}
	memcpy(h->slots, slots, nslots * sizeof(slots[0]));
	memcpy(h->ctl->slots, slots, nslots * sizeof(slots[0]));
	memcpy(h->ctl->args, args, nargs * sizeof(args[0]));
	h->names = names;
	h->nslots = nslots;
	h->mem_start = 0;
	h->ctl->nslots = nslots;
	h->ctl->nargs = nargs;
	send(h, KS_OP_LAYOUT);
	int code = await(h, START_MS, 0, err);
	if (code == 0 && h->ctl->status != 0) {
		return ks_err_set(err, KS_EIO, "the worker could not map its buffers");
	}
	note_memory(h);
	return code;
}

int ks_host_arm(struct ks_host *h, unsigned lib, const struct ks_worker_arg *args,
	unsigned nargs, bool flush, struct ks_err *err)
{
	memcpy(h->ctl->args, args, nargs * sizeof(args[0]));
	h->ctl->lib = lib;
	h->ctl->flush = flush;
	h->ctl->spin = h->watched; /* all anew: a kernel can write here */
	h->ctl->awake = h->awake;
	h->ctl->events = h->events;
	h->ctl->count = h->account < 0;
	send(h, KS_OP_ARM);
	return await(h, START_MS, 0, err);
}

void ks_host_go(struct ks_host *h)
{
	h->go_switches = switches();
	h->go_waited = waited_ns(h);
	h->go_ns = raw_ns();
	send(h, KS_OP_GO);
}

int ks_host_begin(struct ks_host *h, unsigned lib, const struct ks_worker_arg *args,
	unsigned nargs, bool flush, struct ks_err *err)
{
	int code = ks_host_arm(h, lib, args, nargs, flush, err);
	if (code == 0) {
		ks_host_go(h);
	}
	return code;
}

/* What the call would have taken without the waiting, where that fell into it. */
static void mend(struct ks_call *out, double waited)
{
	if (out->worker_ns - waited >= MEND_LEAST_NS &&
		out->before_ns + out->after_ns <= MEND_AROUND_NS) {
		out->disturbed = false;
		out->worker_ns -= waited;
		out->judge_ns -= waited;
	}
}

int ks_host_end(struct ks_call *out, struct ks_host *h, int64_t limit_ms, double expect_ns,
	struct ks_err *err)
{
	int code = await(h, limit_ms, expect_ns, err);
	int64_t j0 = h->go_ns, j1 = raw_ns();
	if (code == 0 && h->gpu && h->ctl->status != 0) {
		code = fail_on_gpu(h, err);
	}
	if (code != 0) {
		return code;
	}
	double event_ns = h->gpu ? h->ctl->event_ns : 0;
	out->event_ns = event_ns > 0 && event_ns < 1e13 ? event_ns : 0;
	out->judge_put_off = h->spin && switches() != h->go_switches;
	int64_t t0 = h->ctl->t0, t1 = h->ctl->t1;
	out->ret = h->ctl->ret;
	int64_t waited = h->go_waited >= 0 ? waited_ns(h) - h->go_waited : -1;
	out->disturbed = waited >= 0 ? waited > 0 : h->ctl->switches != 0;
	out->judge_ns = (double)(j1 - j0);
	out->worker_ns = (double)t1 - (double)t0;
	out->before_ns = (double)t0 - (double)j0;
	out->after_ns = (double)j1 - (double)t1;
	if (waited > 0) {
		mend(out, (double)waited);
	}
	return 0;
}

int ks_host_trace(struct ks_trace *out, struct ks_host *h, struct ks_err *err)
{
	char raw[KS_WORKER_NAMES];
	const struct ks_ctl *ctl = h->ctl;
	if (ctl->launches == UINT32_MAX) {
		return ks_err_set(err, KS_EUNSUPPORTED, "the call could not be traced");
	}
	memcpy(raw, ctl->names, sizeof(raw));
	raw[sizeof(raw) - 1] = '\0';
	out->launches = ctl->launches;
	out->transfers = ctl->transfers;
	out->span_ns = ctl->span_ns;
	out->busy_ns = ctl->busy_ns;
	ks_sane_into(out->names, sizeof(out->names), ks_str_of(raw), 0);
	return 0;
}

void ks_host_events(struct ks_host *h, bool events)
{
	if (h != NULL) {
		h->events = events;
	}
}

void ks_host_awake(struct ks_host *h, bool awake)
{
	if (h != NULL) {
		h->ctl->awake = h->awake = awake;
	}
}

void ks_host_spin(struct ks_host *h, bool spin)
{
	if (h != NULL) {
		h->spin = spin;
	}
}

void ks_host_freeze(struct ks_host *h)
{
	int status;
	if (h->alive && kill(h->pid, SIGSTOP) == 0) {
		if (waitpid(h->pid, &status, WUNTRACED) == h->pid && !WIFSTOPPED(status)) {
			h->status = status;
			h->alive = false;
		}
	}
}

void ks_host_thaw(struct ks_host *h)
{
	if (h->alive) {
		kill(h->pid, SIGCONT);
	}
}
