/*
 * What a kernel may import and need. A list of what is allowed: computing,
 * allocating, printing into nothing; with threads forking and joining; with CUDA
 * what its run-time library offers for one device and one stream of work.
 */
#include "eval/symbols.h"

#include <string.h>

static const char *const allowed[] = {
	/* memory and strings */
	"malloc", "calloc", "realloc", "reallocarray", "free", "aligned_alloc",
	"posix_memalign", "memalign", "memcpy", "memmove", "memset", "memcmp", "memchr",
	"mempcpy", "strlen", "strcmp", "strncmp", "strchr", "memrchr", "bzero", "bcopy",
	"__memcpy_chk", "__memmove_chk", "__memset_chk", "malloc_usable_size",
	/* sorting and small things of libc */
	"qsort", "bsearch", "abs", "labs", "llabs", "div", "ldiv", "lldiv",
	"rand_r", "abort", "__assert_fail", "__stack_chk_fail", "__stack_chk_guard",
	"_setjmp", "setjmp", "longjmp", "__longjmp_chk", "__sigsetjmp", "sysconf",
	"errno", "__errno_location",
	"__tls_get_addr", "__libc_single_threaded",
	/* printing to the null device, for people who debug */
	"printf", "puts", "putchar", "fprintf", "fputs", "fwrite", "fputc", "snprintf",
	"vsnprintf", "stderr", "stdout", "fflush", "__printf_chk", "__fprintf_chk",
	"__snprintf_chk", "__vsnprintf_chk",
	/* what compilers and linkers leave behind, weak */
	"__cxa_finalize", "__gmon_start__", "_ITM_deregisterTMCloneTable",
	"_ITM_registerTMCloneTable", "__cpu_model", "__cpu_indicator_init",
	"_GLOBAL_OFFSET_TABLE_", "_Unwind_Resume", "__gcc_personality_v0",
};

static const char *const allowed_threads[] = {
	"pthread_create", "pthread_join", "pthread_mutex_init", "pthread_mutex_destroy",
	"pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_unlock",
	"pthread_cond_init", "pthread_cond_destroy", "pthread_cond_wait",
	"pthread_cond_signal", "pthread_cond_broadcast", "pthread_barrier_init",
	"pthread_barrier_wait", "pthread_barrier_destroy", "pthread_once", "pthread_self",
	"pthread_equal", "pthread_exit", "pthread_attr_init", "pthread_attr_destroy",
	"pthread_attr_setstacksize", "pthread_attr_setdetachstate", "pthread_key_create",
	"pthread_getspecific", "pthread_setspecific", "pthread_spin_init", "pthread_spin_lock",
	"pthread_spin_unlock", "pthread_spin_destroy", "pthread_rwlock_rdlock",
	"pthread_rwlock_wrlock", "pthread_rwlock_unlock", "sched_yield", "sem_init", "sem_wait",
	"sem_post", "sem_destroy", "thrd_create", "thrd_join", "mtx_init", "mtx_lock",
	"mtx_unlock", "cnd_init", "cnd_wait", "cnd_signal", "cnd_broadcast", "call_once",
};

/*
 * CUDA's run-time library: memory, copies, launches, streams and events of the
 * current device. Not: other devices, limits and cache configuration, host
 * callbacks, modules, graphs, capture, interprocess memory, driver entry points.
 */
static const char *const allowed_cuda[] = {
	"cudaMalloc", "cudaFree", "cudaMallocAsync", "cudaFreeAsync", "cudaMallocFromPoolAsync",
	"cudaMallocPitch", "cudaMemcpyAsync", "cudaMemcpy2DAsync", "cudaMemcpy", "cudaMemset",
	"cudaMemsetAsync", "cudaMemset2DAsync", "cudaMemcpyToSymbolAsync", "cudaMemcpyToSymbol",
	"cudaMemcpyFromSymbolAsync", "cudaGetSymbolAddress", "cudaGetSymbolSize",
	"cudaLaunchKernel", "cudaLaunchKernelExC", "cudaLaunchCooperativeKernel",
	"cudaFuncSetAttribute", "cudaFuncGetAttributes", "cudaFuncSetCacheConfig",
	"cudaOccupancyMaxActiveBlocksPerMultiprocessor",
	"cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
	"cudaOccupancyMaxActiveClusters", "cudaOccupancyMaxPotentialClusterSize",
	"cudaOccupancyAvailableDynamicSMemPerBlock", "cudaGetDevice", "cudaGetDeviceProperties",
	"cudaGetDeviceProperties_v2", "cudaDeviceGetAttribute", "cudaGetLastError",
	"cudaPeekAtLastError", "cudaGetErrorString", "cudaGetErrorName", "cudaStreamCreate",
	"cudaStreamCreateWithFlags", "cudaStreamCreateWithPriority", "cudaStreamDestroy",
	"cudaStreamWaitEvent", "cudaStreamSynchronize", "cudaStreamGetPriority",
	"cudaDeviceGetStreamPriorityRange", "cudaEventCreate", "cudaEventCreateWithFlags",
	"cudaEventRecord", "cudaEventRecordWithFlags", "cudaEventSynchronize",
	"cudaEventDestroy", "cudaDeviceSynchronize",
	/* of the driver: descriptors of tensors */
	"cuTensorMapEncodeTiled", "cuTensorMapEncodeIm2col", "cuGetErrorString",
	"cuGetErrorName",
	/* what nvcc and its host compiler leave behind */
	"__cudaGetKernel", "__cudaLaunchKernel", "__cudaPopCallConfiguration",
	"__cudaPushCallConfiguration", "__cudaRegisterFatBinary", "__cudaRegisterFatBinaryEnd",
	"__cudaRegisterFunction", "__cudaRegisterVar", "__cudaUnregisterFatBinary",
	"__cudaInitModule", "__cxa_atexit", "__cxa_guard_abort", "__cxa_guard_acquire",
	"__cxa_guard_release", "__gxx_personality_v0", "__cxa_begin_catch", "__cxa_end_catch",
	"__cxa_rethrow", "__cxa_throw_bad_array_new_length", "__cxa_pure_virtual", "exit",
	"_ZdlPv", "_ZdlPvm", "_Znwm", "_Znam", "_ZdaPv", "_ZdaPvm", "_ZSt9terminatev",
	"_ZSt17__throw_bad_allocv", "_ZSt20__throw_length_errorPKc",
	"_ZSt28__throw_bad_array_new_lengthv", "_ZSt7nothrow", "_ZnwmRKSt9nothrow_t",
	"_ZnamRKSt9nothrow_t", "_ZTVN10__cxxabiv117__class_type_infoE",
	"_ZTVN10__cxxabiv120__si_class_type_infoE",
};

/* The functions of <math.h> without their suffixes f and l. */
static const char *const math[] = {
	"acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign",
	"cos", "cosh", "erf", "erfc", "exp", "exp10", "exp2", "expm1", "fabs", "fdim", "floor",
	"fma", "fmax", "fmin", "fmod", "frexp", "hypot", "ilogb", "j0", "j1", "jn", "ldexp",
	"lgamma", "llrint", "llround", "log", "log10", "log1p", "log2", "logb", "lrint",
	"lround", "modf", "nearbyint", "nextafter", "nan", "pow", "remainder", "remquo",
	"rint", "round", "roundeven", "scalbln", "scalbn", "sin", "sincos", "sinh", "sqrt",
	"tan", "tanh", "tgamma", "trunc", "y0", "y1", "yn", "cexp", "cabs", "carg", "cpow",
	"csqrt", "clog", "creal", "cimag", "conj", "csin", "ccos", "significand", "drem",
	"feclearexcept", "fegetround", "fesetround", "fegetenv", "fesetenv", "feholdexcept",
	"fetestexcept", "feupdateenv", "signgam",
};

static bool in_list(const char *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(list[i], name) == 0) {
			return true;
		}
	}
	return false;
}
#define IN(list, name) in_list(list, sizeof(list) / sizeof((list)[0]), name)

static bool is_math(const char *name)
{
	char plain[64];
	size_t n = strlen(name);
	if (n == 0 || n >= sizeof(plain)) {
		return false;
	}
	memcpy(plain, name, n + 1);
	if (strncmp(plain, "__", 2) == 0 && n > 9 && strcmp(plain + n - 7, "_finite") == 0) {
		memmove(plain, plain + 2, n - 2 - 7);
		plain[n - 9] = '\0';
		return is_math(plain);
	}
	if (IN(math, plain)) {
		return true;
	}
	if (plain[n - 1] == 'f' || plain[n - 1] == 'l') {
		plain[n - 1] = '\0';
		return IN(math, plain);
	}
	return false;
}

/* Vector versions of libmvec: _ZGV + instruction set + mask + lanes + v... _ name. */
static bool is_vector_math(const char *name)
{
	const char *rest = strncmp(name, "_ZGV", 4) == 0 ? strchr(name + 4, '_') : NULL;
	return rest != NULL && is_math(rest + 1);
}

bool ks_symbol_allowed(const char *name, unsigned may)
{
	if (IN(allowed, name) || is_math(name) || is_vector_math(name) ||
		((may & KS_MAY_CUDA) != 0 && IN(allowed_cuda, name))) {
		return true;
	}
	if ((may & KS_MAY_THREADS) == 0) {
		return false;
	}
	return IN(allowed_threads, name) || strncmp(name, "GOMP_", 5) == 0 ||
		strncmp(name, "omp_get_", 8) == 0 ||
		strncmp(name, "omp_init_", 9) == 0 || strncmp(name, "omp_destroy_", 12) == 0 ||
		strncmp(name, "omp_set_", 8) == 0 || strncmp(name, "omp_unset_", 10) == 0 ||
		strncmp(name, "__kmpc_", 7) == 0;
}

static bool starts_in(const char *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strncmp(name, list[i], strlen(list[i])) == 0) {
			return true;
		}
	}
	return false;
}
#define STARTS(list, name) starts_in(list, sizeof(list) / sizeof((list)[0]), name)

bool ks_object_allowed(const char *soname, unsigned may)
{
	static const char *const plain[] = {"libc.so.", "libm.so.", "libmvec.so.", "ld-linux",
		"libgcc_s.so.", "ld-musl", "libc.musl"};
	static const char *const parallel[] = {"libpthread.so.", "libgomp.so.", "libomp.so",
		"libiomp5.so"};
	static const char *const cuda[] = {"libcudart.so.", "libcuda.so.1", "libstdc++.so."};
	/* one with a folder is looked for there */
	return strchr(soname, '/') != NULL ? false : STARTS(plain, soname) ||
		((may & KS_MAY_THREADS) != 0 && STARTS(parallel, soname)) ||
		((may & KS_MAY_CUDA) != 0 && STARTS(cuda, soname));
}
