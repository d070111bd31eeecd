/* What a built object shows, on objects that the test compiles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "eval/build.h"
#include "eval/symbols.h"

static char folder[] = "/tmp/kseek-symbols-XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) == NULL;
}

static int drop_folder(void **state)
{
	(void)state;
	return ks_file_remove_tree(folder, NULL);
}

static void load(struct ks_binary *bin, const char *name, const char *text, const char *flags)
{
	struct ks_err err = KS_ERR_INIT;
	char *source = ks_asprintf("%s/%s.c", folder, name);
	char *out = ks_asprintf("%s/%s.so", folder, name);
	const char *sources[] = {source};
	char **argv = NULL;
	struct ks_build_spec spec = {.target = "cpu", .flags = flags, .sources = sources,
		.nsources = 1, .out = out, .threads = 1};
	assert_int_equal(ks_file_write(source, ks_str_of(text), 0600, &err), 0);
	assert_int_equal(ks_build_argv(&argv, &spec, &err), 0);
	pid_t pid = fork();
	if (pid == 0) {
		execv(argv[0], argv);
		_exit(127);
	}
	int status = 0;
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	assert_int_equal(ks_binary_load(bin, out, &err), 0);
	ks_build_argv_free(argv);
	free(source);
	free(out);
}

#define HONEST "#include <math.h>\n#include <stdlib.h>\n" \
	"int k(float *x, long n) { float *t = malloc(n * 4); if (!t) return 1;" \
	" for (long i = 0; i < n; i++) t[i] = expf(x[i]);" \
	" for (long i = 0; i < n; i++) x[i] = t[n - 1 - i]; free(t); return 0; }\n"

static void test_honest(void **state)
{
	struct ks_binary bin;
	struct ks_err err = KS_ERR_INIT;
	(void)state;
	load(&bin, "honest", HONEST, "-O2");
	assert_int_equal(ks_binary_check_imports(&bin, false, &err), 0);
	assert_int_equal(ks_binary_check_load(&bin, 0, &err), 0);
	assert_int_equal(strlen(bin.code_hash), 64);
	assert_true(bin.code_bytes > 50);
	assert_non_null(ks_binary_mentions(&bin, "EXPF"));
	assert_null(ks_binary_mentions(&bin, "cublas"));
	ks_binary_fini(&bin);
}

static void test_hash_follows_code(void **state)
{
	struct ks_binary a, b, c;
	(void)state;
	load(&a, "first", HONEST, "-O2");
	load(&b, "second", "/* a comment and\nother lines */\n" HONEST, "-O2");
	load(&c, "third", HONEST "int other(int x) { return x * 3; }\n", "-O2");
	assert_string_equal(a.code_hash, b.code_hash);
	assert_string_not_equal(a.code_hash, c.code_hash);
	ks_binary_fini(&a);
	ks_binary_fini(&b);
	ks_binary_fini(&c);
}

static void test_imports(void **state)
{
	struct ks_binary bin;
	struct ks_err err = KS_ERR_INIT;
	(void)state;
	load(&bin, "socket", "#include <sys/socket.h>\n"
		"int k(void) { return socket(1, 1, 0); }\n", "-O2");
	assert_int_equal(ks_binary_check_imports(&bin, false, &err), KS_EDENIED);
	assert_non_null(strstr(err.msg, "socket"));
	ks_binary_fini(&bin);
	ks_err_clear(&err);
	load(&bin, "threads", "#include <pthread.h>\nstatic void *f(void *p) { return p; }\n"
		"int k(void) { pthread_t t; return pthread_create(&t, 0, f, 0); }\n", "-O2");
	assert_int_equal(ks_binary_check_imports(&bin, false, &err), KS_EDENIED);
	assert_non_null(strstr(err.msg, "one thread"));
	ks_err_clear(&err);
	assert_int_equal(ks_binary_check_imports(&bin, true, &err), 0);
	ks_binary_fini(&bin);
}

static void test_load_code(void **state)
{
	static const char *const texts[] = {
		"volatile int x; __attribute__((constructor)) static void f(void) { x = 1; }\n"
		"int k(void) { return x; }\n",
		"static int g(void) { return 1; }\nstatic int (*pick(void))(void) { return g; }\n"
		"int k(void) __attribute__((ifunc(\"pick\")));\n",
		"volatile int x; static void f(void) { x = 1; }\n"
		"__attribute__((used, section(\".init_array\"))) static void (*p)(void) = f;\n"
		"int k(void) { return x; }\n",
	};
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct ks_binary bin;
		struct ks_err err = KS_ERR_INIT;
		load(&bin, "loads", texts[i], "-O2");
		assert_int_equal(ks_binary_check_load(&bin, 0, &err), KS_EDENIED);
		assert_non_null(strstr(err.msg, "while it is loaded"));
		ks_binary_fini(&bin);
	}
}

static void test_names(void **state)
{
	static const char *const good[] = {"expf", "__expf_finite", "fmaf", "sqrtl", "sincosf",
		"_ZGVdN8v_expf", "malloc", "memcpy", "__stack_chk_fail", "log1pf"};
	static const char *const bad[] = {"dlopen", "dlsym", "fork", "execve", "open", "openat",
		"socket", "ptrace", "mprotect", "mmap", "syscall", "clock_gettime", "getenv",
		"environ", "system", "fopen", "signal", "sigaction", "exit", "_exit", "", "f",
		"prctl", "shm_open", "memfd_create", "__libc_dlopen_mode", "_ZGVdN8v_open"};
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(ks_symbol_allowed(good[i], false));
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_false(ks_symbol_allowed(bad[i], true));
	}
	assert_true(ks_symbol_allowed("GOMP_parallel", true));
	assert_false(ks_symbol_allowed("GOMP_parallel", false));
	assert_true(ks_object_allowed("libm.so.6", false));
	assert_false(ks_object_allowed("libcrypto.so.3", true));
	assert_false(ks_object_allowed("libgomp.so.1", false));
}

static void test_no_object(void **state)
{
	struct ks_binary bin;
	struct ks_err err = KS_ERR_INIT;
	char *path = ks_asprintf("%s/text", folder);
	(void)state;
	assert_int_equal(ks_file_write(path, ks_str_of("not an object"), 0600, &err), 0);
	assert_int_equal(ks_binary_load(&bin, path, &err), KS_EINVAL);
	ks_err_clear(&err);
	assert_int_equal(ks_binary_load(&bin, "/nowhere/k.so", &err), KS_ENOTFOUND);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_honest), cmocka_unit_test(test_hash_follows_code),
		cmocka_unit_test(test_imports), cmocka_unit_test(test_load_code),
		cmocka_unit_test(test_names), cmocka_unit_test(test_no_object),
	};
	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
