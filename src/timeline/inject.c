/*
 * libkseek-timeline.so: stands in a traced process and writes what CUPTI tells of
 * it as records (record.h) to the file PID in the folder KSEEK_TIMELINE. The CUDA
 * driver loads it (CUDA_INJECTION64_PATH) and calls InitializeInjection; a process
 * that never starts CUDA never runs any of this. It is also preloaded, for one
 * thing: a program that leaves by _exit would lose its last records.
 *
 * CUPTI's callbacks get no pointer of ours, and signals none either, so what there
 * is to know is one static struct. Memory is bounded: KSEEK_TIMELINE_MAX records
 * are written, what comes then is counted; CUPTI gets at most BUFFERS buffers at a
 * time and counts what it loses. No descriptor stays open, since programs close
 * what they do not know. A thread writes what is complete five times a second; at
 * the end (exit, _exit, a signal that ends the process) it writes what is left, and
 * whoever ends waits for it, for a limited time.
 */
#include <cupti.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "timeline/cupti_find.h"
#include "timeline/record.h"

#define EXPORT __attribute__((visibility("default")))
#define BUFFER ((size_t)1 << 20)
#define BUFFERS 64
#define BATCH 1024          /* records written at once */
#define TABLE (2 * KS_REC_NAMES)
#define CALLS 1024          /* ids of calls in a domain, at most */
#define PERIOD_NS 200000000L
#define WAIT_EXIT_MS 10000
#define WAIT_SIGNAL_MS 2000

struct functions {
	CUptiResult (*version)(uint32_t *);
	CUptiResult (*callbacks)(CUpti_BuffersCallbackRequestFunc,
		CUpti_BuffersCallbackCompleteFunc);
	CUptiResult (*enable)(CUpti_ActivityKind);
	CUptiResult (*runtime)(CUpti_CallbackId, uint8_t);
	CUptiResult (*driver)(CUpti_CallbackId, uint8_t);
	CUptiResult (*flush)(uint32_t);
	CUptiResult (*next)(uint8_t *, size_t, CUpti_Activity **);
	CUptiResult (*dropped)(CUcontext, uint32_t, size_t *);
	CUptiResult (*call_name)(CUpti_CallbackDomain, uint32_t, const char **);
	CUptiResult (*words)(CUptiResult, const char **);
};

static struct {
	struct functions cupti;
	char *(*demangle)(const char *, char *, size_t *, int *);
	bool sought_demangle;
	char path[4096];
	pid_t pid;                 /* 0: does not trace; another: a child by fork */
	pthread_mutex_t lock;      /* of all that follows, down to wake */
	struct ks_rec batch[BATCH];
	size_t n_batch;
	uint64_t limit, written, over, lost;
	uint64_t hash[TABLE];      /* of names; 0: free */
	uint32_t number[TABLE];
	uint32_t n_names;
	uint32_t call_names[2][CALLS];
	sem_t wake;
	atomic_int buffers;
	atomic_bool ending, ended;
} self = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A signal's handler waits for the thread that writes, so no handler may run in a
 * thread that holds the lock. */
static void lock(sigset_t *kept)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, kept);
	pthread_mutex_lock(&self.lock);
}

static void unlock(const sigset_t *kept)
{
	pthread_mutex_unlock(&self.lock);
	pthread_sigmask(SIG_SETMASK, kept, NULL);
}

/* ---- records ---- */

static void write_batch(void)
{
	const char *bytes = (const char *)self.batch;
	size_t len = self.n_batch * sizeof(self.batch[0]), at = 0;
	int fd = len > 0 ? open(self.path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
		0600) : -1;

	while (fd >= 0 && at < len) {
		ssize_t n = write(fd, bytes + at, len - at);
		if (n < 0 && errno != EINTR) {
			break; /* a full disk: what is missing shows as a lack of END */
		}
		at += n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0) {
		close(fd);
	}
	self.n_batch = 0;
}

static struct ks_rec *add_record(uint32_t kind, uint32_t id)
{
	if (self.n_batch == BATCH) {
		write_batch();
	}
	struct ks_rec *rec = &self.batch[self.n_batch++];
	memset(rec, 0, sizeof(*rec));
	rec->kind = kind;
	rec->id = id;
	return rec;
}

static void add_text(uint32_t kind, uint32_t id, const char *text)
{
	size_t len = strnlen(text, KS_REC_NAME_MAX - 1);

	for (size_t at = 0; at < len; at += KS_REC_TEXT) {
		struct ks_rec *rec = add_record(kind, id);
		memcpy(rec->is.text, text + at, len - at < KS_REC_TEXT ? len - at : KS_REC_TEXT);
	}
}

/* ---- names ---- */

/* Named as C++ programmers write it, where the process has or finds libstdc++. */
static char *demangle(const char *name)
{
	int status = 0;

	if (strncmp(name, "_Z", 2) != 0) {
		return NULL;
	}
	if (!self.sought_demangle) {
		void *lib = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
		void *found = lib != NULL ? dlsym(lib, "__cxa_demangle") : NULL;
		memcpy(&self.demangle, &found, sizeof(found));
		self.sought_demangle = true;
	}
	return self.demangle != NULL ? self.demangle(name, NULL, NULL, &status) : NULL;
}

/* The number of a name, sent the first time; 0 for one too many. By a hash of 64
 * bits (FNV-1a), so no texts are kept. */
static uint32_t name_number(const char *name)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (const char *c = name; *c != '\0'; c++) {
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
	}
	hash += hash == 0;
	size_t at = hash % TABLE;
	while (self.hash[at] != 0 && self.hash[at] != hash) {
		at = (at + 1) % TABLE;
	}
	if (self.hash[at] == 0) {
		if (self.n_names == KS_REC_NAMES || name[0] == '\0') {
			return 0;
		}
		char *clear = demangle(name);
		self.hash[at] = hash;
		self.number[at] = ++self.n_names;
		add_text(KS_REC_NAME, self.n_names, clear != NULL ? clear : name);
		free(clear);
	}
	return self.number[at];
}

/* Without its version and its kind of default stream: "cudaLaunchKernel_v7000". */
static uint32_t call_number(bool runtime, uint32_t id)
{
	char name[128] = "?";
	const char *full = NULL;
	uint32_t *known = id < CALLS ? &self.call_names[runtime][id] : NULL;

	if (known != NULL && *known != 0) {
		return *known;
	}
	if (self.cupti.call_name(runtime ? CUPTI_CB_DOMAIN_RUNTIME_API : CUPTI_CB_DOMAIN_DRIVER_API,
			id, &full) == CUPTI_SUCCESS && full != NULL) {
		snprintf(name, sizeof(name), "%s", full);
	}
	size_t end = strlen(name), digits = end;
	while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') {
		digits--;
	}
	if (digits < end && digits > 2 && strncmp(name + digits - 2, "_v", 2) == 0) {
		end = digits - 2;
	}
	if (end > 5 && (strncmp(name + end - 5, "_ptsz", 5) == 0 ||
			strncmp(name + end - 5, "_ptds", 5) == 0)) {
		end -= 5;
	}
	name[end] = '\0';
	uint32_t number = name_number(name);
	if (known != NULL) {
		*known = number;
	}
	return number;
}

/* ---- activities ---- */

/* The next record of a span, or NULL where that is one too many. The name goes
 * first, since it may send records of its own. */
static struct ks_rec_span *add_span(uint32_t kind, uint32_t id, uint64_t start, uint64_t end)
{
	struct ks_rec *rec = add_record(kind, id);

	self.written++;
	rec->is.span.start = start;
	rec->is.span.end = end;
	return &rec->is.span;
}

static void take_kernel(const CUpti_ActivityKernel10 *k)
{
	uint32_t name = name_number(k->name != NULL ? k->name : "");
	struct ks_rec_span *s = add_span(KS_REC_KERNEL, name, k->start, k->end);

	s->device = k->deviceId;
	s->context = k->contextId;
	s->stream = k->streamId;
	s->number = k->correlationId;
}

static void take_copy(const CUpti_ActivityMemcpy6 *m)
{
	struct ks_rec_span *s = add_span(KS_REC_COPY,
		KS_REC_WAY(m->copyKind, m->srcKind, m->dstKind), m->start, m->end);

	s->bytes = m->bytes;
	s->device = m->deviceId;
	s->context = m->contextId;
	s->stream = m->streamId;
	s->number = m->correlationId;
}

static void take_peer_copy(const CUpti_ActivityMemcpyPtoP4 *m)
{
	struct ks_rec_span *s = add_span(KS_REC_COPY,
		KS_REC_WAY(CUPTI_ACTIVITY_MEMCPY_KIND_PTOP, m->srcKind, m->dstKind), m->start,
		m->end);

	s->bytes = m->bytes;
	s->device = m->deviceId;
	s->context = m->contextId;
	s->stream = m->streamId;
	s->number = m->correlationId;
}

static void take_fill(const CUpti_ActivityMemset4 *m)
{
	struct ks_rec_span *s = add_span(KS_REC_FILL, m->memoryKind, m->start, m->end);

	s->bytes = m->bytes;
	s->device = m->deviceId;
	s->context = m->contextId;
	s->stream = m->streamId;
	s->number = m->correlationId;
}

static void take_call(const CUpti_ActivityAPI *a)
{
	uint32_t name = call_number(a->kind == CUPTI_ACTIVITY_KIND_RUNTIME, a->cbid);
	struct ks_rec_span *s = add_span(KS_REC_CALL, name, a->start, a->end);

	s->thread = a->threadId;
	s->number = a->correlationId;
	s->code = a->returnValue;
}

static void take_record(const CUpti_Activity *record)
{
	if (self.written >= self.limit) {
		self.over++;
		return;
	}
	switch (record->kind) {
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
		take_kernel((const CUpti_ActivityKernel10 *)record);
		break;
	case CUPTI_ACTIVITY_KIND_MEMCPY:
		take_copy((const CUpti_ActivityMemcpy6 *)record);
		break;
	case CUPTI_ACTIVITY_KIND_MEMCPY2:
		take_peer_copy((const CUpti_ActivityMemcpyPtoP4 *)record);
		break;
	case CUPTI_ACTIVITY_KIND_MEMSET:
		take_fill((const CUpti_ActivityMemset4 *)record);
		break;
	case CUPTI_ACTIVITY_KIND_RUNTIME:
	case CUPTI_ACTIVITY_KIND_DRIVER:
		take_call((const CUpti_ActivityAPI *)record);
		break;
	default:
		break;
	}
}

static void CUPTIAPI
give_buffer(uint8_t **buffer, size_t *size, size_t *records)
{
	*buffer = NULL;
	if (atomic_fetch_add(&self.buffers, 1) < BUFFERS) {
		*buffer = aligned_alloc(8, BUFFER);
	}
	if (*buffer == NULL) {
		atomic_fetch_sub(&self.buffers, 1);
	}
	*size = *buffer != NULL ? BUFFER : 0;
	*records = 0;
}

static void CUPTIAPI
take_buffer(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
	CUpti_Activity *record = NULL;
	size_t dropped = 0;
	sigset_t kept;

	(void)size;
	if (getpid() == self.pid) {
		lock(&kept);
		while (self.cupti.next(buffer, valid, &record) == CUPTI_SUCCESS) {
			take_record(record);
		}
		if (self.cupti.dropped(context, stream, &dropped) == CUPTI_SUCCESS) {
			self.lost += dropped;
		}
		write_batch();
		unlock(&kept);
	}
	free(buffer);
	atomic_fetch_sub(&self.buffers, 1);
}

/* ---- the end ---- */

static void write_end(void)
{
	sigset_t kept;

	lock(&kept);
	struct ks_rec_end *end = &add_record(KS_REC_END, 0)->is.end;
	end->written = self.written;
	end->over = self.over;
	end->lost = self.lost;
	write_batch();
	unlock(&kept);
}

static void *keep_writing(void *unused)
{
	while (!atomic_load(&self.ended)) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += PERIOD_NS;
		until.tv_sec += until.tv_nsec / 1000000000L;
		until.tv_nsec %= 1000000000L;
		(void)sem_timedwait(&self.wake, &until);
		if (atomic_load(&self.ending)) {
			self.cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
			write_end();
			atomic_store(&self.ended, true);
		} else {
			self.cupti.flush(0);
		}
	}
	return unused;
}

/* Has the thread write what is left and waits for it; only what a signal's handler
 * may do. */
static void finish(int limit_ms)
{
	const struct timespec pause = {0, 1000000};

	if (self.pid == 0 || getpid() != self.pid) {
		return;
	}
	atomic_store(&self.ending, true);
	sem_post(&self.wake);
	for (int i = 0; i < limit_ms && !atomic_load(&self.ended); i++) {
		nanosleep(&pause, NULL);
	}
}

static void at_exit(void)
{
	finish(WAIT_EXIT_MS);
}

EXPORT void
_exit(int status)
{
	finish(WAIT_EXIT_MS);
	for (;;) {
		syscall(SYS_exit_group, status);
	}
}

EXPORT void
_Exit(int status)
{
	_exit(status);
}

/* The default follows: it was put back when this was called, and the signal waits
 * until the handler returns. */
static void on_signal(int signum)
{
	int kept = errno;

	finish(WAIT_SIGNAL_MS);
	raise(signum);
	errno = kept;
}

/* Only where the program has not set a handler of its own. */
static void watch_signals(void)
{
	static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS,
		SIGFPE, SIGSEGV, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU, SIGSYS};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct sigaction old, new = {.sa_handler = on_signal,
			.sa_flags = (int)SA_RESETHAND | SA_ONSTACK};
		sigemptyset(&new.sa_mask);
		if (sigaction(signals[i], NULL, &old) == 0 && (old.sa_flags & SA_SIGINFO) == 0 &&
				old.sa_handler == SIG_DFL) {
			sigaction(signals[i], &new, NULL);
		}
	}
}

/* ---- the beginning ---- */

static bool ask(struct functions *f, void *lib)
{
	static const char *const names[] = {"cuptiGetVersion", "cuptiActivityRegisterCallbacks",
		"cuptiActivityEnable", "cuptiActivityEnableRuntimeApi",
		"cuptiActivityEnableDriverApi", "cuptiActivityFlushAll",
		"cuptiActivityGetNextRecord",
		"cuptiActivityGetNumDroppedRecords", "cuptiGetCallbackName",
		"cuptiGetResultString"};
	void *found[sizeof(names) / sizeof(names[0])];

	static_assert(sizeof(found) == sizeof(*f), "one name a function");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		found[i] = dlsym(lib, names[i]);
		if (found[i] == NULL) {
			return false;
		}
	}
	memcpy(f, found, sizeof(*f));
	return true;
}

/* Calls that say nothing about time and come by the hundred are left out; names of
 * kernels are what CUPTI itself asks for at each launch. */
static void leave_out_noise(void)
{
	static const CUpti_CallbackId runtime[] = {CUPTI_RUNTIME_TRACE_CBID_cudaGetLastError_v3020,
		CUPTI_RUNTIME_TRACE_CBID_cudaPeekAtLastError_v3020,
		CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020,
		CUPTI_RUNTIME_TRACE_CBID_cudaStreamIsCapturing_v10000,
		CUPTI_RUNTIME_TRACE_CBID_cudaStreamIsCapturing_ptsz_v10000};
	static const CUpti_CallbackId driver[] = {CUPTI_DRIVER_TRACE_CBID_cuGetProcAddress,
		CUPTI_DRIVER_TRACE_CBID_cuGetProcAddress_v2,
		CUPTI_DRIVER_TRACE_CBID_cuCtxGetCurrent,
		CUPTI_DRIVER_TRACE_CBID_cuDeviceGetAttribute,
		CUPTI_DRIVER_TRACE_CBID_cuKernelGetName, CUPTI_DRIVER_TRACE_CBID_cuFuncGetName};

	for (size_t i = 0; i < sizeof(runtime) / sizeof(runtime[0]); i++) {
		self.cupti.runtime(runtime[i], 0);
	}
	for (size_t i = 0; i < sizeof(driver) / sizeof(driver[0]); i++) {
		self.cupti.driver(driver[i], 0);
	}
}

/* Why nothing can be traced, or NULL. */
static const char *start_cupti(char *text, size_t size)
{
	static const CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
		CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET,
		CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER};
	uint32_t version = 0;
	void *lib = ks_cupti_find(NULL);

	if (lib == NULL || !ask(&self.cupti, lib)) {
		return "CUPTI is not installed on this machine (libcupti of the CUDA Toolkit)";
	}
	/* records of another version have other fields */
	if (self.cupti.version(&version) != CUPTI_SUCCESS ||
			version / 10000 != CUPTI_API_VERSION / 10000) {
		snprintf(text, size, "CUPTI here has version %u, kseek was built with %u", version,
			(unsigned)CUPTI_API_VERSION);
		return text;
	}
	CUptiResult code = self.cupti.callbacks(give_buffer, take_buffer);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && code == CUPTI_SUCCESS; i++) {
		code = self.cupti.enable(kinds[i]);
	}
	if (code != CUPTI_SUCCESS) {
		const char *words = NULL;
		self.cupti.words(code, &words);
		snprintf(text, size, "CUPTI refuses to trace (error %d, %s)", (int)code,
			words != NULL ? words : "?");
		return text;
	}
	leave_out_noise();
	return NULL;
}

static bool start_thread(void)
{
	pthread_t thread;
	sigset_t all, kept;

	sigfillset(&all);
	if (sem_init(&self.wake, 0, 0) != 0 || pthread_sigmask(SIG_SETMASK, &all, &kept) != 0) {
		return false;
	}
	int rc = pthread_create(&thread, NULL, keep_writing, NULL);
	pthread_sigmask(SIG_SETMASK, &kept, NULL);
	return rc == 0 && pthread_detach(thread) == 0;
}

static void write_head(const char *note)
{
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	struct ks_rec *rec = add_record(KS_REC_HEAD, (uint32_t)getpid());

	rec->is.head.magic = KS_REC_MAGIC;
	rec->is.head.size = sizeof(*rec);
	if (n > 0) {
		exe[n] = '\0';
		const char *slash = strrchr(exe, '/');
		snprintf(rec->is.head.program, sizeof(rec->is.head.program), "%.39s",
			slash != NULL ? slash + 1 : exe);
	}
	if (note != NULL) {
		add_text(KS_REC_NOTE, 0, note);
	}
	write_batch();
}

/* The driver calls this while it starts. 1: all is well, as far as it cares. */
EXPORT int InitializeInjection(void);

EXPORT int
InitializeInjection(void)
{
	const char *folder = getenv("KSEEK_TIMELINE"), *max = getenv("KSEEK_TIMELINE_MAX");
	char text[128];
	sigset_t kept;

	if (folder == NULL || folder[0] != '/' || self.pid != 0) {
		return 1;
	}
	snprintf(self.path, sizeof(self.path), "%s/%ld", folder, (long)getpid());
	self.limit = max != NULL ? strtoull(max, NULL, 10) : 0;
	const char *note = start_cupti(text, sizeof(text));
	lock(&kept);
	write_head(note);
	unlock(&kept);
	if (note != NULL) {
		return 1;
	}
	self.pid = getpid();
	if (start_thread()) {
		atexit(at_exit);
		at_quick_exit(at_exit);
		watch_signals();
	} else {
		self.pid = 0;
	}
	return 1;
}
