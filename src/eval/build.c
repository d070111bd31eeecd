/* Compiler arguments of both targets. */
#include "eval/build.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"

#define FLAGS_MAX 128

struct args {
	char **list;
	size_t count, cap;
};

static void add(struct args *a, const char *text)
{
	ks_grow(&a->list, &a->cap, a->count + 2, sizeof(a->list[0]));
	a->list[a->count++] = ks_strdup(text);
	a->list[a->count] = NULL;
}

static void add_pair(struct args *a, const char *left, const char *right)
{
	char *text = ks_asprintf("%s%s", left, right);
	add(a, text);
	free(text);
}

void ks_build_argv_free(char **argv)
{
	for (size_t i = 0; argv != NULL && argv[i] != NULL; i++) {
		free(argv[i]);
	}
	free(argv);
}

static bool is_program(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static char *find_in_path(const char *name)
{
	if (strchr(name, '/') != NULL) {
		return is_program(name) ? ks_strdup(name) : NULL;
	}
	const char *path = getenv("PATH");
	struct ks_str rest = ks_str_of(path != NULL ? path : "/usr/local/bin:/usr/bin:/bin");
	struct ks_str dir;
	while (ks_str_next(&rest, ':', &dir)) {
		char *full = ks_asprintf("%.*s/%s", KS_FMT(dir), name);
		if (dir.len > 0 && is_program(full)) {
			return full;
		}
		free(full);
	}
	return NULL;
}

int ks_build_find_cc(char **out, struct ks_err *err)
{
	const char *names[] = {getenv("CC"), "cc", "gcc", "clang"};
	for (size_t i = 0; i < 4; i++) {
		bool named = names[i] != NULL && names[i][0] != '\0';
		char *found = named ? find_in_path(names[i]) : NULL;
		if (found != NULL) {
			*out = found;
			return 0;
		}
	}
	return ks_err_set(err, KS_ENOTFOUND,
		"no C compiler: install gcc or clang, or set CC to one");
}

int ks_build_find_nvcc(char **out, struct ks_err *err)
{
	const char *homes[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
	char *found = find_in_path("nvcc");
	for (size_t i = 0; found == NULL && i < 3; i++) {
		if (homes[i] != NULL && homes[i][0] == '/') {
			char *path = ks_asprintf("%s/bin/nvcc", homes[i]);
			found = find_in_path(path);
			free(path);
		}
	}
	if (found == NULL) {
		return ks_err_set(err, KS_ENOTFOUND,
			"no nvcc in PATH, CUDA_HOME or /usr/local/cuda: for "
			"target cuda install the CUDA Toolkit (12.8 or later), or set CUDA_HOME");
	}
	*out = found;
	return 0;
}

static bool is_cuda(const char *target)
{
	return strcmp(target, "cuda") == 0;
}

static int find_compiler(char **out, const struct ks_build_spec *spec, struct ks_err *err)
{
	if (spec->cc != NULL) {
		*out = ks_strdup(spec->cc);
		return 0;
	}
	return is_cuda(spec->target) ? ks_build_find_nvcc(out, err) : ks_build_find_cc(out, err);
}

bool ks_build_is_arch(const char *text)
{
	size_t digits = 0;
	if (strncmp(text, "sm_", 3) != 0) {
		return false;
	}
	digits = strspn(text + 3, "0123456789");
	const char *rest = text + 3 + digits;
	return digits >= 2 && digits <= 3 && (rest[0] == '\0' ||
		((rest[0] == 'a' || rest[0] == 'f') && rest[1] == '\0'));
}

/* On arm64 -march=native tunes for nothing; -mcpu says both. */
#if defined(__aarch64__)
#define CPU_FLAGS "-O3 -mcpu=native"
#else
#define CPU_FLAGS "-O3 -march=native"
#endif

char *ks_build_flags(const char *target, const char *arch, const char *given)
{
	if (!is_cuda(target)) {
		return ks_strdup(given != NULL ? given : CPU_FLAGS);
	}
	const char *flags = given != NULL ? given : "-O3";
	if (strstr(flags, "-gencode") != NULL || strstr(flags, "-arch") != NULL) {
		return ks_strdup(flags);
	}
	return ks_asprintf("%s%s-gencode=arch=compute_%s,code=%s", flags,
		flags[0] != '\0' ? " " : "", arch + 3, arch);
}

int64_t ks_build_seconds(const char *target)
{
	return is_cuda(target) ? 600 : 120;
}

int64_t ks_build_memory_mb(const char *target)
{
	return is_cuda(target) ? 32768 : 4096;
}

/* Flags that would change what is built or where, or run other programs. */
static bool is_refused_nvcc(const char *flag)
{
	static const char *const starts[] = {"@", "-o", "--o", "-x", "--x", "-c", "--c", "-E", "-S",
		"-shared", "--shared", "-dc", "-dw", "-dlink", "--d", "-lib", "--lib", "-l", "-L",
		"-ptx", "--ptx", "-fatbin", "--fatbin", "-M", "--gen", "-run", "--run", "-keep",
		"--keep", "-save-temps", "--save-temps", "-odir", "-Xcompiler", "-Xlinker",
		"-Xnvlink", "--linker", "--nvlink", "-include", "--pre-include", "-forward",
		"--forward", "-link", "--link", "-rdc", "--relocatable", "-target", "--target",
		"-nohost", "--no-host", "-time", "--time", "-ldir", "-allow-unsupported", "-N",
		"-B", "-f", "--f", "-t=", "-j"};
	static const char *const allowed[] = {"-lineinfo", "-fmad", "--fmad", "-ftz", "--ftz"};
	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++) {
		if (strncmp(flag, allowed[i], strlen(allowed[i])) == 0) {
			return false;
		}
	}
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		if (strncmp(flag, starts[i], strlen(starts[i])) == 0) {
			return true;
		}
	}
	return flag[0] != '-';
}

static bool is_refused(const char *flag)
{
	static const char *const whole[] = {"-o", "-c", "-E", "-S", "-x", "-shared", "-static",
		"-wrapper", "-L", "-B", "-include", "-imacros", "-M", "-MD", "-MF"};
	static const char *const starts[] = {"@", "-o", "-fplugin", "-specs", "--specs", "-Wl,",
		"-Xlinker", "-B", "-L", "-l", "-save-temps", "-dumpdir", "-fprofile"};
	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
		if (strcmp(flag, whole[i]) == 0) {
			return true;
		}
	}
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		if (strncmp(flag, starts[i], strlen(starts[i])) == 0) {
			return true;
		}
	}
	return flag[0] != '-';
}

static bool is_library(const char *flag)
{
	bool named = strncmp(flag, "-l", 2) == 0 || strncmp(flag, "-L", 2) == 0;
	return named && flag[2] != '\0' && strcmp(flag, "-lineinfo") != 0;
}

/* Libraries have a place of their own: behind what needs them. */
static int add_flags(struct args *a, const struct ks_build_spec *spec, bool libraries,
	struct ks_err *err)
{
	struct ks_str rest = ks_str_of(spec->flags != NULL ? spec->flags : ""), word;
	bool cuda = is_cuda(spec->target);
	size_t count = 0;
	while (ks_str_next(&rest, ' ', &word)) {
		word = ks_str_trim(word);
		if (word.len == 0) {
			continue;
		}
		char *text = ks_strndup(word.ptr, word.len);
		bool library = spec->libraries && is_library(text);
		bool refused = !library && (cuda ? is_refused_nvcc(text) : is_refused(text));
		int code = ++count > FLAGS_MAX || refused ? ks_err_set(err, KS_EINVAL,
			"build flags: \"%s\" cannot be used for a kernel", text) : 0;
		if (code == 0 && library == libraries) {
			add(a, text);
		}
		free(text);
		if (code != 0) {
			return code;
		}
	}
	return 0;
}

static void add_all(struct args *a, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		add(a, words[i]);
	}
}

/* wrap: before what nvcc is to hand on to the host's compiler, else "". */
static void add_sources(struct args *a, const struct ks_build_spec *spec, const char *wrap)
{
	for (size_t i = 0; i < spec->nincludes; i++) {
		char *map = ks_asprintf("%s-ffile-prefix-map=%s=.", wrap, spec->includes[i]);

		add_pair(a, "-I", spec->includes[i]);
		add(a, map);
		free(map);
	}
	for (size_t i = 0; i < spec->nsources; i++) {
		add(a, spec->sources[i]);
	}
}

static void add_cc(struct args *a, const struct ks_build_spec *spec)
{
	static const char *const before[] = {"-shared", "-fPIC", "-fvisibility=default",
		"-fno-common", "-frandom-seed=kseek", "-nostartfiles", "-Wall"};
	static const char *const after[] = {"-Wl,-z,now", "-Wl,-z,relro", "-Wl,-z,noexecstack",
		"-Wl,-z,defs", "-Wl,-Bsymbolic", "-Wl,--build-id=none", "-lm"};
	add_all(a, before, sizeof(before) / sizeof(before[0]));
	if (spec->threads > 1) {
		add(a, "-pthread");
	}
	add_sources(a, spec, "");
	add_all(a, after, sizeof(after) / sizeof(after[0]));
	add(a, "-o");
	add(a, spec->out);
}

/* As above, in nvcc's words. Its host compiler names what registers the kernels
 * to atexit with __dso_handle, which the start files would define. The driver, whose
 * stub nvcc finds by itself, is needed by those objects alone that encode tensor maps. */
static void add_nvcc(struct args *a, const struct ks_build_spec *spec)
{
	static const char *const before[] = {"-shared", "-cudart=shared", "--compress-mode=none",
		"-Xcompiler=-fPIC,-fvisibility=default,-fno-common,-frandom-seed=kseek,"
		"-nostartfiles"};
	static const char *const after[] = {"-Xlinker=-z,now,-z,relro,-z,noexecstack,-z,defs",
		"-Xlinker=-Bsymbolic,--build-id=none,--defsym=__dso_handle=0",
		"-Xlinker=--as-needed", "-lcuda"};
	add_all(a, before, sizeof(before) / sizeof(before[0]));
	add_sources(a, spec, "-Xcompiler=");
	add_all(a, after, sizeof(after) / sizeof(after[0]));
	add(a, "-o");
	add(a, spec->out);
}

int ks_build_argv(char ***out_argv, const struct ks_build_spec *spec, struct ks_err *err)
{
	struct args a = {0};
	char *cc = NULL;
	bool cuda = is_cuda(spec->target);
	if (!cuda && strcmp(spec->target, "cpu") != 0) {
		return ks_err_set(err, KS_EUNSUPPORTED, "no compiler is known for target \"%s\"",
			spec->target);
	}
	if (spec->nsources == 0) {
		return ks_err_set(err, KS_EINVAL, "nothing to build: the list of sources is empty");
	}
	int code = find_compiler(&cc, spec, err);
	if (code == 0) {
		add(&a, cc);
		code = add_flags(&a, spec, false, err);
	}
	free(cc);
	if (code == 0 && cuda) {
		add_nvcc(&a, spec);
	} else if (code == 0) {
		add_cc(&a, spec);
	}
	code = code != 0 ? code : add_flags(&a, spec, true, err);
	if (code != 0) {
		ks_build_argv_free(a.list);
		return code;
	}
	*out_argv = a.list;
	return 0;
}

static void hash_text(struct ks_hash *h, const char *text)
{
	ks_hash_add(h, text, strlen(text) + 1);
}

void ks_build_key(char out_hex[KS_HASH_HEX], const struct ks_build_spec *spec,
	const char *sources_hash)
{
	char number[32];
	struct stat st;
	char *cc = NULL;
	struct ks_hash *h = ks_hash_new();
	if (find_compiler(&cc, spec, NULL) != 0) {
		cc = ks_strdup("");
	}
	const char *program = cc;
	hash_text(h, "kseek build 1");
	hash_text(h, program);
	/* another compiler under the same name has another size or date */
	if (stat(program, &st) == 0) {
		snprintf(number, sizeof(number), "%lld", (long long)st.st_size);
		hash_text(h, number);
		snprintf(number, sizeof(number), "%lld", (long long)st.st_mtime);
		hash_text(h, number);
	}
	hash_text(h, spec->target);
	hash_text(h, spec->flags != NULL ? spec->flags : "");
	snprintf(number, sizeof(number), "%d", spec->threads);
	hash_text(h, number);
	hash_text(h, sources_hash);
	ks_hash_peek(h, out_hex);
	ks_hash_free(h);
	free(cc);
}
