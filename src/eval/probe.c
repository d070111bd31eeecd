/* Bandwidth, multiply-add rate, empty call, and facts about the processor. */
#include "eval/probe.h"

#include <ffi.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/sane.h"
#include "eval/cpus.h"

/* Many short tries, of which the best count: other programs take the processor
 * for milliseconds at a time. */
#define FMA_TRIES 600
#define FMA_ROUNDS 20000
#define CHAINS 12
#define SWEEPS 8
#define CHUNK ((size_t)4 << 20)
#define CALLS 2001

static int64_t now_ns(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* ---- multiply-add ---- */

/* One function for each vector width. The chains start at values that stay
 * finite: x = x * m + a with |m| < 1. The compiler may join multiply and add. */
#define FMA_FUNCTION(name, target_attr, type, bytes) \
	typedef type name##_vec __attribute__((vector_size(bytes))); \
	target_attr __attribute__((noinline)) static double name(long rounds, double seed) \
	{ \
		name##_vec x[CHAINS], m, a; \
		for (unsigned i = 0; i < bytes / sizeof(type); i++) { \
			m[i] = (type)0.999; \
			a[i] = (type)(seed + i * 1e-3); \
			for (int c = 0; c < CHAINS; c++) { \
				x[c][i] = (type)(c + 1); \
			} \
		} \
		for (long r = 0; r < rounds; r++) { \
			_Pragma("GCC unroll 12") \
			for (int c = 0; c < CHAINS; c++) { \
				x[c] = x[c] * m + a; \
			} \
			__asm__ volatile("" : "+g"(r)); \
		} \
		double sum = 0; \
		for (int c = 0; c < CHAINS; c++) { \
			sum += (double)x[c][0]; \
		} \
		return sum; \
	}

#if defined(__x86_64__)
FMA_FUNCTION(fma32_512, __attribute__((target("avx512f,fma"))), float, 64)
FMA_FUNCTION(fma64_512, __attribute__((target("avx512f,fma"))), double, 64)
FMA_FUNCTION(fma32_256, __attribute__((target("avx2,fma"))), float, 32)
FMA_FUNCTION(fma64_256, __attribute__((target("avx2,fma"))), double, 32)
#endif
FMA_FUNCTION(fma32_128, , float, 16)
FMA_FUNCTION(fma64_128, , double, 16)

typedef double (*fma_function)(long rounds, double seed);

struct width {
	const char *name;
	fma_function f32, f64;
	int lanes32;
};

static struct width widest(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512f")) {
		return (struct width){"avx512", fma32_512, fma64_512, 16};
	}
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
		return (struct width){"avx2+fma", fma32_256, fma64_256, 8};
	}
	return (struct width){"sse2", fma32_128, fma64_128, 4};
#elif defined(__aarch64__)
	return (struct width){"neon", fma32_128, fma64_128, 4};
#else
	return (struct width){"128 bit", fma32_128, fma64_128, 4};
#endif
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double fma_rate(fma_function f, int lanes, double *out_spread)
{
	double rates[FMA_TRIES];
	volatile double sink = 0;
	for (int t = 0; t < FMA_TRIES; t++) {
		int64_t t0 = now_ns();
		sink = sink + f(FMA_ROUNDS, 0.5 + t * 1e-6);
		int64_t t1 = now_ns();
		rates[t] = 2.0 * CHAINS * lanes * FMA_ROUNDS / (double)(t1 - t0);
	}
	qsort(rates, FMA_TRIES, sizeof(rates[0]), by_value);
	double best = rates[FMA_TRIES - 2];
	if (out_spread != NULL) {
		*out_spread = 1 - rates[FMA_TRIES / 2] / best;
	}
	return best;
}

/* ---- bandwidth ---- */

static uint64_t read_through(const uint64_t *at, size_t words)
{
	uint64_t s[16] = {0};
	for (size_t i = 0; i + 16 <= words; i += 16) {
		for (int k = 0; k < 16; k++) {
			s[k] += at[i + (size_t)k];
		}
	}
	for (int k = 1; k < 16; k++) {
		s[0] += s[k];
	}
	return s[0];
}

static double upper(double *rates, size_t count)
{
	qsort(rates, count, sizeof(rates[0]), by_value);
	return count > 0 ? rates[count - 1 - count / 20] : 0;
}

/* Chunk after chunk of a buffer that no cache holds; each is timed alone. */
static void bandwidth(struct ks_probe_result *out)
{
	size_t bytes = (size_t)(out->l3_kb > 0 ? out->l3_kb : 16384) * 1024 * 4;
	bytes = bytes < ((size_t)64 << 20) ? (size_t)64 << 20 : bytes;
	bytes = bytes > ((size_t)256 << 20) ? (size_t)256 << 20 : bytes / CHUNK * CHUNK;
	unsigned char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED) {
		return;
	}
	madvise(at, bytes, MADV_HUGEPAGE);
	memset(at, 1, bytes);
	volatile uint64_t sink = 0;
	size_t chunks = bytes / CHUNK, n = 0;
	double *reads = ks_zalloc(chunks * SWEEPS, sizeof(*reads));
	double *copies = ks_zalloc(chunks * SWEEPS, sizeof(*copies));
	for (int sweep = 0; sweep < SWEEPS; sweep++) {
		for (size_t c = 0; c + 1 < chunks; c += 2) {
			unsigned char *from = at + c * CHUNK;
			int64_t t0 = now_ns();
			sink = sink + read_through((const uint64_t *)(const void *)from, CHUNK / 8);
			reads[n] = (double)CHUNK / (double)(now_ns() - t0);
			from = at + (chunks - 1 - c) * CHUNK;
			t0 = now_ns();
			memcpy(from - CHUNK, from, CHUNK); /* as much read as written */
			copies[n++] = 2.0 * (double)CHUNK / (double)(now_ns() - t0);
		}
	}
	out->read_gbs = upper(reads, n);
	out->copy_gbs = upper(copies, n);
	free(reads);
	free(copies);
	munmap(at, bytes);
	out->bandwidth_gbs = out->read_gbs > out->copy_gbs ? out->read_gbs : out->copy_gbs;
}

/* ---- the empty call ---- */

static int nothing(void)
{
	return 0;
}

static double empty_call(void)
{
	static const unsigned nargs = 8;
	ffi_cif cif;
	ffi_type *types[8];
	void *values[8];
	void *cell = NULL;
	double *ns = ks_alloc(CALLS * sizeof(*ns));
	for (unsigned i = 0; i < nargs; i++) {
		types[i] = &ffi_type_pointer;
		values[i] = &cell;
	}
	if (ffi_prep_cif(&cif, FFI_DEFAULT_ABI, nargs, &ffi_type_sint32, types) != FFI_OK) {
		free(ns);
		return 0;
	}
	for (int i = 0; i < CALLS; i++) {
		ffi_arg ret;
		int64_t t0 = now_ns();
		ffi_call(&cif, FFI_FN(nothing), &ret, values);
		ns[i] = (double)(now_ns() - t0);
	}
	qsort(ns, CALLS, sizeof(ns[0]), by_value);
	double low = ns[CALLS / 10];
	free(ns);
	return low;
}

/* ---- facts ---- */

static void read_line(char *out, size_t size, const char *path)
{
	struct ks_buf text = {0};
	FILE *f = fopen(path, "re");
	char line[256];
	out[0] = '\0';
	if (f != NULL) {
		if (fgets(line, sizeof(line), f) != NULL) {
			ks_buf_adds(&text, line);
			ks_sane_into(out, size, ks_str_trim(ks_buf_str(&text)), KS_SANE_ONE_LINE);
		}
		fclose(f);
	}
	ks_buf_fini(&text);
}

static void read_cpuinfo(struct ks_probe_result *out)
{
	char line[4096];
	FILE *f = fopen("/proc/cpuinfo", "re");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		const char *colon = strchr(line, ':');
		if (colon != NULL && strncmp(line, "model name", 10) == 0 && out->cpu[0] == '\0') {
			ks_sane_into(out->cpu, sizeof(out->cpu), ks_str_trim(ks_str_of(colon + 1)),
				KS_SANE_ONE_LINE);
		}
		if (strncmp(line, "flags", 5) == 0 && strstr(line, " hypervisor") != NULL) {
			out->virtualised = 1;
		}
	}
	if (f != NULL) {
		fclose(f);
	}
}

/* Data cache of a level in KB, from /sys, else from libc. */
static int64_t cache_kb(int level, int name)
{
	char path[96], text[32];
	for (int i = 0; i < 8; i++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/level", i);
		read_line(text, sizeof(text), path);
		if (text[0] == '\0' || strtol(text, NULL, 10) != level) {
			continue;
		}
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/type", i);
		read_line(text, sizeof(text), path);
		if (strcmp(text, "Instruction") == 0) {
			continue;
		}
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
		read_line(text, sizeof(text), path);
		char *end = text;
		long n = strtol(text, &end, 10);
		return *end == 'M' ? n * 1024 : n;
	}
	long bytes = sysconf(name);
	return bytes > 0 ? bytes / 1024 : 0;
}

static void facts(struct ks_probe_result *out)
{
	cpu_set_t set;
	out->l1d_kb = cache_kb(1, _SC_LEVEL1_DCACHE_SIZE);
	out->l2_kb = cache_kb(2, _SC_LEVEL2_CACHE_SIZE);
	out->l3_kb = cache_kb(3, _SC_LEVEL3_CACHE_SIZE);
	out->cpus = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
	read_line(out->governor, sizeof(out->governor),
		"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
	read_cpuinfo(out);
}

void ks_probe_run(struct ks_probe_result *out)
{
	struct width w = widest();
	struct ks_cpus cpus;
	*out = (struct ks_probe_result){.call_ns = 0};
	facts(out);
	ks_cpus_take(&cpus, 1);
	ks_cpus_pin(cpus.worker); /* where kernels will run */
	snprintf(out->vectors, sizeof(out->vectors), "%s", w.name);
	out->fma32_gflops = fma_rate(w.f32, w.lanes32, &out->spread);
	out->fma64_gflops = fma_rate(w.f64, w.lanes32 / 2, NULL);
	bandwidth(out);
	out->call_ns = empty_call();
	ks_cpus_give_back(&cpus);
}

int ks_probe_print(void)
{
	struct ks_probe_result r;
	struct ks_buf text = {0};
	struct ks_jw w;
	ks_probe_run(&r);
	ks_jw_init(&w, &text);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "type", "probe");
	ks_jw_num(&w, "bandwidth_gbs", r.bandwidth_gbs);
	ks_jw_num(&w, "read_gbs", r.read_gbs);
	ks_jw_num(&w, "copy_gbs", r.copy_gbs);
	ks_jw_open(&w, "fma_gflops");
	ks_jw_num(&w, "float32", r.fma32_gflops);
	ks_jw_num(&w, "float64", r.fma64_gflops);
	ks_jw_close(&w);
	ks_jw_num(&w, "call_ns", r.call_ns);
	ks_jw_int(&w, "l1d_kb", r.l1d_kb);
	ks_jw_int(&w, "l2_kb", r.l2_kb);
	ks_jw_int(&w, "l3_kb", r.l3_kb);
	ks_jw_int(&w, "cpus", r.cpus);
	ks_jw_str(&w, "cpu", r.cpu);
	ks_jw_str(&w, "vectors", r.vectors);
	ks_jw_str(&w, "governor", r.governor);
	ks_jw_bool(&w, "virtualised", r.virtualised != 0);
	ks_jw_num(&w, "spread", r.spread);
	ks_jw_close(&w);
	puts(text.ptr);
	ks_buf_fini(&text);
	return 0;
}
