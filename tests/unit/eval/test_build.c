/* Compiler arguments, cache names, counting lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/stat.h>

#include "base/file.h"
#include "eval/build.h"

static const char *const sources[] = {"/a/kernel.c", "/a/more.c"};
static const char *const includes[] = {"/a", "/inc"};

static struct ks_build_spec spec_with(const char *flags)
{
	return (struct ks_build_spec){.cc = "/usr/bin/cc", .target = "cpu", .flags = flags,
		.sources = sources, .nsources = 2, .includes = includes, .nincludes = 2,
		.out = "/o/k.so", .threads = 1};
}

static int place_of(char **argv, const char *word)
{
	for (int i = 0; argv[i] != NULL; i++) {
		if (strcmp(argv[i], word) == 0) {
			return i;
		}
	}
	return -1;
}

static void test_argv(void **state)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_build_spec spec = spec_with("-O3  -march=native ");
	char **argv = NULL;
	(void)state;
	assert_int_equal(ks_build_argv(&argv, &spec, &err), 0);
	assert_string_equal(argv[0], "/usr/bin/cc");
	assert_string_equal(argv[1], "-O3");
	assert_string_equal(argv[2], "-march=native");
	assert_true(place_of(argv, "-shared") > 0 && place_of(argv, "-nostartfiles") > 0);
	assert_true(place_of(argv, "-I/a") < place_of(argv, "-I/inc"));
	assert_true(place_of(argv, "/a/kernel.c") + 1 == place_of(argv, "/a/more.c"));
	assert_true(place_of(argv, "-lm") > place_of(argv, "/a/more.c"));
	assert_string_equal(argv[place_of(argv, "-o") + 1], "/o/k.so");
	assert_int_equal(place_of(argv, "-pthread"), -1);
	ks_build_argv_free(argv);
	spec.threads = 4;
	assert_int_equal(ks_build_argv(&argv, &spec, &err), 0);
	assert_true(place_of(argv, "-pthread") > 0);
	ks_build_argv_free(argv);
}

/* A yardstick's, behind what needs them; of a candidate they are refused. */
static void test_libraries(void **state)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_build_spec spec = spec_with("-O3 -lopenblas -L/opt/lib -lineinfo");
	char **argv = NULL;
	(void)state;
	assert_int_equal(ks_build_argv(&argv, &spec, &err), KS_EINVAL);
	spec.libraries = true;
	assert_int_equal(ks_build_argv(&argv, &spec, &err), KS_EINVAL); /* gcc knows no -lineinfo */
	spec.flags = "-O3 -lopenblas -L/opt/lib";
	assert_int_equal(ks_build_argv(&argv, &spec, &err), 0);
	assert_true(place_of(argv, "-lopenblas") > place_of(argv, "/a/more.c"));
	assert_true(place_of(argv, "-L/opt/lib") > 0 && place_of(argv, "-O3") == 1);
	ks_build_argv_free(argv);
	spec.flags = "-O3 -L";
	assert_int_equal(ks_build_argv(&argv, &spec, &err), KS_EINVAL);
}

static void test_refused(void **state)
{
	static const char *const bad[] = {"-o /etc/passwd", "-O2 -c", "@file", "-Wl,-rpath,/x",
		"-fplugin=/x.so", "kernel2.c", "-L/x", "-lcublas", "-specs=/x", "-Bx", "-include x",
		"-wrapper gdb"};
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ks_err err = KS_ERR_INIT;
		struct ks_build_spec spec = spec_with(bad[i]);
		char **argv = NULL;
		assert_int_equal(ks_build_argv(&argv, &spec, &err), KS_EINVAL);
		assert_null(argv);
		assert_non_null(strstr(err.msg, "cannot be used"));
	}
	struct ks_err err = KS_ERR_INIT;
	struct ks_build_spec spec = spec_with("-O2");
	char **argv = NULL;
	spec.target = "abacus";
	assert_int_equal(ks_build_argv(&argv, &spec, &err), KS_EUNSUPPORTED);
}

static void test_nvcc(void **state)
{
	static const char *const bad[] = {"-ccbin=/x", "-Xcompiler=-x", "-Xlinker=-rpath,/x",
		"-lcublas", "--run", "-cudart=static", "-optf=/x", "kernel2.cu", "-rdc=true",
		"-keep"};
	struct ks_err err = KS_ERR_INIT;
	struct ks_build_spec spec =
		spec_with("-O3 -lineinfo -gencode=arch=compute_90a,code=sm_90a");
	char **argv = NULL;
	(void)state;
	spec.target = "cuda";
	spec.cc = "/there/nvcc";
	assert_int_equal(ks_build_argv(&argv, &spec, &err), 0);
	assert_string_equal(argv[0], "/there/nvcc");
	assert_true(place_of(argv, "-gencode=arch=compute_90a,code=sm_90a") > 0);
	assert_true(place_of(argv, "-cudart=shared") > 0);
	assert_true(place_of(argv, "--compress-mode=none") > 0);
	assert_true(place_of(argv, "-lineinfo") > 0);
	assert_true(place_of(argv, "-lcuda") > place_of(argv, "/a/more.c")); /* tensor maps */
	assert_int_equal(place_of(argv, "-lcuda"), place_of(argv, "-Xlinker=--as-needed") + 1);
	ks_build_argv_free(argv);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		argv = NULL;
		spec.flags = bad[i];
		assert_int_equal(ks_build_argv(&argv, &spec, &err), KS_EINVAL);
		assert_null(argv);
	}
}

static void check_flags(const char *target, const char *given, const char *want)
{
	char *flags = ks_build_flags(target, "sm_90a", given);

	assert_string_equal(flags, want);
	free(flags);
}

static void test_flags(void **state)
{
	(void)state;
	check_flags("cpu", NULL, "-O3 -march=native");
	check_flags("cpu", "-O1", "-O1");
	check_flags("cuda", NULL, "-O3 -gencode=arch=compute_90a,code=sm_90a");
	check_flags("cuda", "-O2", "-O2 -gencode=arch=compute_90a,code=sm_90a");
	check_flags("cuda", "-gencode=arch=compute_80,code=sm_80",
		"-gencode=arch=compute_80,code=sm_80");
	assert_true(ks_build_is_arch("sm_90a") && ks_build_is_arch("sm_80"));
	assert_false(ks_build_is_arch("sm_9") || ks_build_is_arch("sm_90x") ||
		ks_build_is_arch("compute_90") || ks_build_is_arch("sm_90a;x"));
}

static void test_key(void **state)
{
	char a[KS_HASH_HEX], b[KS_HASH_HEX], c[KS_HASH_HEX], d[KS_HASH_HEX];
	struct ks_build_spec spec = spec_with("-O2"), other = spec_with("-O3");
	(void)state;
	ks_build_key(a, &spec, "abc");
	ks_build_key(b, &spec, "abd");
	ks_build_key(c, &other, "abc");
	spec.out = "/elsewhere.so";
	ks_build_key(d, &spec, "abc");
	assert_string_equal(a, d); /* where it goes does not matter */
	assert_string_not_equal(a, b);
	assert_string_not_equal(a, c);
}

static void test_find(void **state)
{
	struct ks_err err = KS_ERR_INIT;
	char *cc = NULL;
	(void)state;
	assert_int_equal(ks_build_find_cc(&cc, &err), 0);
	assert_int_equal(cc[0], '/');
	free(cc);
	cc = NULL;
	setenv("PATH", "/nowhere", 1);
	unsetenv("CC");
	assert_int_equal(ks_build_find_cc(&cc, &err), KS_ENOTFOUND);
	assert_null(cc);
}

/* A tool that is found where variables and PATH say, and nowhere else. */
static void find_nvcc(const char *path, const char *home, const char *want)
{
	struct ks_err err = KS_ERR_INIT;
	char *found = NULL;
	setenv("PATH", path, 1);
	setenv("CUDA_HOME", home, 1);
	assert_int_equal(ks_build_find_nvcc(&found, &err), 0);
	assert_string_equal(found, want);
	free(found);
}

static void test_find_nvcc(void **state)
{
	char dir[] = "/tmp/kseek-test-nvcc-XXXXXX";
	struct ks_err err = KS_ERR_INIT;
	char *bin, *tool;
	(void)state;
	assert_non_null(mkdtemp(dir));
	bin = ks_path_join(dir, "bin");
	tool = ks_path_join(bin, "nvcc");
	unsetenv("CUDA_PATH");
	assert_int_equal(mkdir(bin, 0700), 0);
	assert_int_equal(ks_file_write(tool, KS_STR("#!/bin/sh\n"), 0700, &err), 0);
	find_nvcc(bin, "/nowhere", tool);
	find_nvcc("/nowhere", dir, tool);
	assert_int_equal(chmod(tool, 0600), 0); /* no program */
	char *found = NULL;
	if (ks_build_find_nvcc(&found, &err) == 0) { /* the machine's own */
		assert_string_equal(found, "/usr/local/cuda/bin/nvcc");
	} else {
		assert_non_null(strstr(err.msg, "CUDA_HOME"));
	}
	free(found);
	assert_int_equal(ks_file_remove_tree(dir, &err), 0);
	free(bin);
	free(tool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_argv), cmocka_unit_test(test_libraries),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_nvcc), cmocka_unit_test(test_flags),
		cmocka_unit_test(test_key),
		cmocka_unit_test(test_find), cmocka_unit_test(test_find_nvcc),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
