/* Reading a shared object with libelf (this file is its only user). */
#include "eval/symbols.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <strings.h>
#include <unistd.h>

#include "base/mem.h"

#define NAMES_MAX 20000

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

bool ks_symbol_allowed(const char *name, bool threads)
{
	if (IN(allowed, name) || is_math(name) || is_vector_math(name)) {
		return true;
	}
	if (!threads) {
		return false;
	}
	return IN(allowed_threads, name) || strncmp(name, "GOMP_", 5) == 0 ||
		strncmp(name, "omp_get_", 8) == 0 ||
		strncmp(name, "omp_init_", 9) == 0 || strncmp(name, "omp_destroy_", 12) == 0 ||
		strncmp(name, "omp_set_", 8) == 0 || strncmp(name, "omp_unset_", 10) == 0 ||
		strncmp(name, "__kmpc_", 7) == 0;
}

bool ks_object_allowed(const char *soname, bool threads)
{
	static const char *const plain[] = {"libc.so.", "libm.so.", "libmvec.so.", "ld-linux",
		"libgcc_s.so.", "ld-musl", "libc.musl"};
	static const char *const parallel[] = {"libpthread.so.", "libgomp.so.", "libomp.so",
		"libiomp5.so"};
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		if (strncmp(soname, plain[i], strlen(plain[i])) == 0) {
			return true;
		}
	}
	for (size_t i = 0; threads && i < sizeof(parallel) / sizeof(parallel[0]); i++) {
		if (strncmp(soname, parallel[i], strlen(parallel[i])) == 0) {
			return true;
		}
	}
	return false;
}

/* ---- reading ---- */

static void add_name(char ***list, size_t *count, const char *name)
{
	if (name == NULL || name[0] == '\0' || *count >= NAMES_MAX) {
		return;
	}
	*list = ks_realloc(*list, *count + 1, sizeof(**list));
	(*list)[(*count)++] = ks_strdup(name);
}

static void read_symbols(struct ks_binary *bin, Elf *elf, Elf_Scn *scn, const GElf_Shdr *head)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	if (data == NULL || head->sh_entsize == 0) {
		return;
	}
	size_t n = head->sh_size / head->sh_entsize;
	for (size_t i = 1; i < n && i < NAMES_MAX; i++) {
		GElf_Sym sym;
		if (gelf_getsym(data, (int)i, &sym) == NULL) {
			break;
		}
		const char *name = elf_strptr(elf, head->sh_link, sym.st_name);
		if (GELF_ST_TYPE(sym.st_info) == STT_GNU_IFUNC) {
			snprintf(bin->load_code, sizeof(bin->load_code), "an ifunc resolver");
		}
		if (sym.st_shndx == SHN_UNDEF) {
			add_name(&bin->imports, &bin->nimports, name);
		} else {
			add_name(&bin->exports, &bin->nexports, name);
		}
	}
}

static void read_dynamic(struct ks_binary *bin, Elf *elf, Elf_Scn *scn, const GElf_Shdr *head)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = data != NULL && head->sh_entsize > 0 ? head->sh_size / head->sh_entsize : 0;
	for (size_t i = 0; i < n; i++) {
		GElf_Dyn dyn;
		if (gelf_getdyn(data, (int)i, &dyn) == NULL || dyn.d_tag == DT_NULL) {
			break;
		}
		switch (dyn.d_tag) {
		case DT_NEEDED:
		case DT_AUXILIARY:
		case DT_FILTER:
			add_name(&bin->needed, &bin->nneeded,
				elf_strptr(elf, head->sh_link, dyn.d_un.d_val));
			break;
		case DT_INIT:
		case DT_INIT_ARRAY:
		case DT_PREINIT_ARRAY:
			snprintf(bin->load_code, sizeof(bin->load_code), "a constructor");
			break;
		case DT_RPATH:
		case DT_RUNPATH:
			bin->search_path = true;
			break;
		case DT_TEXTREL:
			bin->text_relocations = true;
			break;
		default:
			break;
		}
	}
}

static void read_relocations(struct ks_binary *bin, Elf_Scn *scn, const GElf_Shdr *head)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = data != NULL && head->sh_entsize > 0 ? head->sh_size / head->sh_entsize : 0;
	for (size_t i = 0; i < n; i++) {
		GElf_Rela rela;
		if (gelf_getrela(data, (int)i, &rela) == NULL) {
			break;
		}
		uint64_t type = GELF_R_TYPE(rela.r_info);
		if (type == R_X86_64_IRELATIVE || type == R_AARCH64_IRELATIVE) {
			snprintf(bin->load_code, sizeof(bin->load_code), "an ifunc resolver");
		}
	}
}

static void read_section(struct ks_binary *bin, Elf *elf, Elf_Scn *scn, const char *name,
	struct ks_hash *code)
{
	GElf_Shdr head;
	if (gelf_getshdr(scn, &head) == NULL) {
		return;
	}
	if (head.sh_type == SHT_DYNSYM) {
		read_symbols(bin, elf, scn, &head);
	} else if (head.sh_type == SHT_DYNAMIC) {
		read_dynamic(bin, elf, scn, &head);
	} else if (head.sh_type == SHT_RELA) {
		read_relocations(bin, scn, &head);
	} else if (head.sh_type == SHT_INIT_ARRAY || head.sh_type == SHT_PREINIT_ARRAY ||
		strncmp(name, ".ctors", 6) == 0) {
		snprintf(bin->load_code, sizeof(bin->load_code), "a constructor");
	} else if (head.sh_type == SHT_PROGBITS && (head.sh_flags & SHF_ALLOC) != 0 &&
		((head.sh_flags & SHF_EXECINSTR) != 0 || strncmp(name, ".rodata", 7) == 0)) {
		Elf_Data *data = elf_getdata(scn, NULL);
		if (data != NULL && data->d_buf != NULL) {
			ks_hash_add(code, data->d_buf, data->d_size);
			bin->code_bytes += (head.sh_flags & SHF_EXECINSTR) != 0 ? data->d_size : 0;
		}
	}
}

static void read_segments(struct ks_binary *bin, Elf *elf)
{
	size_t n = 0;
	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr head;
		if (gelf_getphdr(elf, (int)i, &head) != NULL && head.p_type == PT_GNU_STACK &&
			(head.p_flags & PF_X) != 0) {
			bin->wants_exec_stack = true;
		}
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int read_elf(struct ks_binary *bin, Elf *elf, const char *path, struct ks_err *err)
{
	GElf_Ehdr head;
	size_t names = 0;
	if (elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &head) == NULL ||
		head.e_type != ET_DYN || elf_getshdrstrndx(elf, &names) != 0) {
		return ks_err_set(err, KS_EINVAL, "%s is not a shared object", path);
	}
	struct ks_hash *code = ks_hash_new();
	for (Elf_Scn *scn = elf_nextscn(elf, NULL); scn != NULL; scn = elf_nextscn(elf, scn)) {
		GElf_Shdr section;
		const char *name = gelf_getshdr(scn, &section) != NULL ?
			elf_strptr(elf, names, section.sh_name) : NULL;
		read_section(bin, elf, scn, name != NULL ? name : "", code);
	}
	read_segments(bin, elf);
	ks_hash_peek(code, bin->code_hash);
	ks_hash_free(code);
	if (bin->nimports > 1) {
		qsort(bin->imports, bin->nimports, sizeof(bin->imports[0]), by_name);
	}
	return 0;
}

int ks_binary_load(struct ks_binary *bin, const char *path, struct ks_err *err)
{
	*bin = (struct ks_binary){.nimports = 0};
	if (elf_version(EV_CURRENT) == EV_NONE) {
		return ks_err_set(err, KS_EUNSUPPORTED, "libelf is too old");
	}
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		return ks_err_sys(err, errno, "cannot open %s", path);
	}
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	int code = elf == NULL ? ks_err_set(err, KS_EINVAL, "%s is not a shared object", path) :
		read_elf(bin, elf, path, err);
	elf_end(elf);
	close(fd);
	if (code != 0) {
		ks_binary_fini(bin);
	}
	return code;
}

static void free_names(char **names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(names[i]);
	}
	free(names);
}

void ks_binary_fini(struct ks_binary *bin)
{
	free_names(bin->imports, bin->nimports);
	free_names(bin->needed, bin->nneeded);
	free_names(bin->exports, bin->nexports);
	*bin = (struct ks_binary){.nimports = 0};
}

int ks_binary_check_imports(const struct ks_binary *bin, bool threads, struct ks_err *err)
{
	for (size_t i = 0; i < bin->nneeded; i++) {
		if (!ks_object_allowed(bin->needed[i], threads)) {
			return ks_err_set(err, KS_EDENIED,
				"needs the library %s, which a kernel may not", bin->needed[i]);
		}
	}
	for (size_t i = 0; i < bin->nimports; i++) {
		if (!ks_symbol_allowed(bin->imports[i], threads)) {
			bool parallel = !threads && ks_symbol_allowed(bin->imports[i], true);
			return ks_err_set(err, KS_EDENIED, "imports %s, which a kernel may not%s",
				bin->imports[i],
				parallel ? " (the campaign allows one thread)" : "");
		}
	}
	return 0;
}

int ks_binary_check_load(const struct ks_binary *bin, struct ks_err *err)
{
	if (bin->load_code[0] != '\0') {
		return ks_err_set(err, KS_EDENIED, "has code that runs while it is loaded (%s)",
			bin->load_code);
	}
	if (bin->search_path || bin->text_relocations || bin->wants_exec_stack) {
		return ks_err_set(err, KS_EDENIED, "%s", bin->search_path ?
			"brings a search path for libraries" : bin->text_relocations ?
			"needs its code to be writable" : "needs an executable stack");
	}
	return 0;
}

const char *ks_binary_mentions(const struct ks_binary *bin, const char *word)
{
	char *const *lists[] = {bin->imports, bin->needed, bin->exports};
	const size_t counts[] = {bin->nimports, bin->nneeded, bin->nexports};
	for (int l = 0; l < 3; l++) {
		for (size_t i = 0; i < counts[l]; i++) {
			if (strcasestr(lists[l][i], word) != NULL) {
				return lists[l][i];
			}
		}
	}
	return NULL;
}
